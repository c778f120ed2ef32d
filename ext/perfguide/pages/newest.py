"""The newest figures of each board, which pages and rules use to compare SoCs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from .. import bundle as schema
from ..bundles import decode
from ..bundles.containers import Document, Source
from ..bundles.decode import Loaded
from ..bundles.decompress import Limits
from ..bundles.guide_key import GuideKey, version
from ..catalog.benchmarks import Catalog
from ..catalog.board_names import Boards, load_notes
from ..common.grouping import grouped
from ..figures import rows, terms
from ..figures.columns import Figures
from ..figures.dataset import Settings
from ..figures.pool import Pool, Record
from ..health import board_rules


class NewestRun(msgspec.Struct, frozen=True):
    """A bundle reduced to those of its results in one benchmark that are the newest of its
    board."""

    digest: str
    data: bytes
    """The bundle as JSON."""


class Survey(msgspec.Struct, frozen=True):
    """The newest results of each benchmark on a SoC's boards, and the platforms named in the
    commands of its runs, in lower case."""

    runs: dict[str, list[NewestRun]]
    platforms: set[str]


def of_boards(
    measured: Iterable[tuple[GuideKey, str]], boards: Boards
) -> list[tuple[GuideKey, str]]:
    """Return the newest of the given guides for each board, under any of the board's names."""
    by_release = sorted(measured, key=lambda pair: version(pair[0].release))
    # A later release replaces an earlier one under the same key.
    newest = {
        (key.platform, boards.today(key.soc, board)): (key, board) for key, board in by_release
    }
    return sorted(newest.values())


def age(key: GuideKey) -> tuple[Any, ...]:
    """Return a key that sorts the guides of a SoC, newest last: by release, with Linux last within
    one."""
    return version(key.release), key.os == "linux", key.os, key.sdk


def standing(is_sound: Mapping[GuideKey, bool]) -> GuideKey | None:
    """Return the guide that counts for a figure of a SoC: the newest in which the figure is not in
    doubt, or ``None``. ``is_sound`` has the guides that measured it."""
    return max((key for key, sound in is_sound.items() if sound), key=age, default=None)


def survey(pool: Pool, catalog: Catalog, boards: Boards) -> Survey:
    """Return the newest results of the boards in a pool: those in each benchmark's newest guide,
    and the last one of each figure, which may be older."""
    figures = Figures(pool, catalog)
    # A failure is no figure by which SoCs could be compared: the one before it counts too.
    positions = [line[-1] for line in figures.lines]
    positions += [
        next((p for p in reversed(line) if figures.mean[p] > 0), line[-1])
        for line in figures.lines
        if figures.mean[line[-1]] <= 0
    ]
    last = grouped(pool.take(sorted({*positions})), lambda record: record.benchmark)
    out: dict[str, list[NewestRun]] = {}
    for name in pool.benchmarks():
        chosen = set(of_boards(pool.guides_and_boards(name), boards))
        records = pool.of_benchmark(name, {key for key, _ in chosen})
        records = [record for record in records if (record.guide, record.board) in chosen]
        out[name] = runs_with(pool, [*records, *last.get(name, ())])
    return Survey(out, board_rules.platforms_of_options(pool))


def runs_with(pool: Pool, records: Iterable[Record]) -> list[NewestRun]:
    """Return the bundles of a pool, reduced to the results behind the given figures."""
    bundles = pool.frame.bundles
    members = {member for record in records for member in record.cell.members}
    by_bundle: dict[int, list[int]] = {}
    for bundle, result in pool.positions_of(sorted(members)):
        by_bundle.setdefault(bundle, []).append(result)
    return [_run(bundles[number], results) for number, results in sorted(by_bundle.items())]


def _run(item: Loaded, results: Sequence[int]) -> NewestRun:
    chosen = [item.results[number] for number in sorted(results)]
    # Encode it as a bundle, so that the decoder of bundles reads and checks it.
    data = schema.encode(structs.replace(item.bundle, results=chosen))
    return NewestRun(item.digest, data)


def pool_of(
    runs: Iterable[NewestRun], catalog: Catalog, settings: Settings, spelt: terms.Spelt
) -> Pool:
    """Return the figures of the given runs."""
    by_hand, _ = load_notes(settings.boards)
    loaded = [_loaded(run, settings.limits) for run in _merged(runs)]
    return Pool(rows.build(loaded), catalog, by_hand, spelt)


def _merged(runs: Iterable[NewestRun]) -> Iterator[NewestRun]:
    """Yield each bundle once, with the results of all its parts."""
    for first, *others in grouped(runs, lambda run: run.digest).values():
        if others:
            bundles = [schema.decode(run.data) for run in (first, *others)]
            # Parts may share results, because several requests can ask for one.
            shared = chain.from_iterable(bundle.results for bundle in bundles)
            results = {msgspec.json.encode(result): result for result in shared}
            data = schema.encode(structs.replace(bundles[0], results=[*results.values()]))
            first = structs.replace(first, data=data)
        yield first


def _loaded(run: NewestRun, limits: Limits) -> Loaded:
    document = Document(Source("", run.digest, Path()), run.digest, run.data, lines=False)
    (item,) = (item for item in decode.load(document, limits) if isinstance(item, Loaded))
    # Encoded with fewer results, its bytes differ, but it is the same bundle.
    return replace(item, digest=run.digest)

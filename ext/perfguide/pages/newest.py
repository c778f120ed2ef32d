"""The newest figures of each board: what SoCs are compared by, on pages and by rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

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
from ..figures import rows, terms
from ..figures.columns import Figures
from ..figures.dataset import Settings
from ..figures.pool import Pool, Record
from ..health import board_rules


class NewestRun(msgspec.Struct, frozen=True):
    """A bundle with those of its results of one benchmark that are the newest of its board."""

    digest: str
    data: bytes
    """The bundle as JSON."""


class Survey(msgspec.Struct, frozen=True):
    """The newest results of each benchmark on the boards of a SoC, and the platforms that commands of
    its runs name, in lower case."""

    runs: dict[str, list[NewestRun]]
    platforms: set[str]


def of_boards(
    measured: Iterable[tuple[GuideKey, str]], boards: Boards
) -> list[tuple[GuideKey, str]]:
    """Return the newest of some guides for each board, under whatever name."""
    by_release = sorted(measured, key=lambda each: version(each[0].release))
    # A later release replaces an earlier one under the same key.
    newest = {
        (key.platform, boards.today(key.soc, board)): (key, board) for key, board in by_release
    }
    return sorted(newest.values())


def survey(pool: Pool, catalog: Catalog, boards: Boards) -> Survey:
    """Return the newest results of the boards in a pool: those of each benchmark's newest guide, and
    the last one of each figure, which may be older."""
    last: dict[str, list[Record]] = {}
    for record in pool.take(own[-1] for own in Figures(pool, catalog).lines):
        last.setdefault(record.benchmark, []).append(record)
    out: dict[str, list[NewestRun]] = {}
    for name in pool.benchmarks():
        chosen = set(of_boards(pool.guides_and_boards(name), boards))
        records = pool.of_benchmark(name, {key for key, _ in chosen})
        records = [record for record in records if (record.guide, record.board) in chosen]
        out[name] = runs_of(pool, (*records, *last.get(name, ())))
    return Survey(out, board_rules.asked_platforms(pool))


def runs_of(pool: Pool, records: Iterable[Record]) -> list[NewestRun]:
    """Return the bundles behind some figures, with the results of these alone."""
    members = {member for record in records for member in record.cell.members}
    by_bundle: dict[int, list[int]] = {}
    for bundle, result in pool.places(sorted(members)):
        by_bundle.setdefault(bundle, []).append(result)
    return [_run(pool.frame.bundles[number], own) for number, own in sorted(by_bundle.items())]


def _run(item: Loaded, results: Sequence[int]) -> NewestRun:
    chosen = [item.results[number] for number in sorted(results)]
    # As a bundle, so that the decoder of bundles reads and checks it.
    data = schema.encode(structs.replace(item.bundle, results=chosen))
    return NewestRun(item.digest, data)


def pool_of(
    runs: Iterable[NewestRun], catalog: Catalog, settings: Settings, spelt: terms.Spelt
) -> Pool:
    """Return the figures of some of the newest runs."""
    by_hand, _ = load_notes(settings.boards)
    loaded: dict[str, Loaded] = {}
    for run in runs:
        item = _loaded(run, settings.limits)
        before = loaded.get(run.digest, item)
        # The results of one bundle come in two parts, which may have some in common.
        more = [result for result in item.results if result not in before.results]
        both = structs.replace(before.bundle, results=[*before.results, *more])
        loaded[run.digest] = replace(before, bundle=both) if more else before
    return Pool(rows.build([*loaded.values()]), catalog, by_hand, spelt)


def _loaded(run: NewestRun, limits: Limits) -> Loaded:
    document = Document(Source("", run.digest, Path()), run.digest, run.data, lines=False)
    (item,) = (each for each in decode.load(document, limits) if isinstance(each, Loaded))
    # Encoded with fewer results it has other bytes, but it is the same bundle.
    return replace(item, digest=run.digest)

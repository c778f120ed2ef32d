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
    bundles = pool.frame.bundles
    last: dict[str, list[Record]] = {}
    for record in pool.take(own[-1] for own in Figures(pool, catalog).lines):
        last.setdefault(record.benchmark, []).append(record)
    out: dict[str, list[NewestRun]] = {}
    for name in pool.benchmarks():
        chosen = set(of_boards(pool.guides_and_boards(name), boards))
        records = pool.of_benchmark(name, {key for key, _ in chosen})
        records = [record for record in records if (record.guide, record.board) in chosen]
        members = {m for record in (*records, *last.get(name, ())) for m in record.cell.members}
        by_bundle: dict[int, list[int]] = {}
        for bundle, result in pool.places(sorted(members)):
            by_bundle.setdefault(bundle, []).append(result)
        out[name] = [_run(bundles[number], own) for number, own in sorted(by_bundle.items())]
    return Survey(out, board_rules.asked_platforms(pool))


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
    loaded = [_loaded(each, settings.limits) for each in runs]
    return Pool(rows.build(loaded), catalog, by_hand, spelt)


def _loaded(run: NewestRun, limits: Limits) -> Loaded:
    document = Document(Source("", run.digest, Path()), run.digest, run.data, lines=False)
    (item,) = (each for each in decode.load(document, limits) if isinstance(each, Loaded))
    # Encoded with fewer results it has other bytes, but it is the same bundle.
    return replace(item, digest=run.digest)

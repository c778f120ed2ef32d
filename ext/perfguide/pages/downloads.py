"""The data files of the site: JSON, spreadsheets, Parquet, CSV, and those of the explorer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import msgspec

from ..bundles.guide_key import GuideKey, family
from ..common import extras
from ..common.grouping import grouped
from ..common.slugs import anchor
from ..compare.headline import State
from ..compare.match import Names
from ..compare.row import Verdict
from ..export import explorer, figure_files, finder, json_api, parquet, workbook
from ..export.figure_rows import FIGURES, RUNS
from ..figures import engines
from ..figures.pool import Record
from .context import Site
from .verdicts import ComparedGuides, ListedVerdict

BADGE_COLOURS: Mapping[State, str] = {
    "do not ship": "red",
    "look": "orange",
    "ship": "green",
    "too little": "lightgrey",
}
"""The colours of badges, by their shields.io names."""

FILES = {"benchmarks": "benchmarks.json", "datapackage": "datapackage.json"}


class GuideFiles(msgspec.Struct, frozen=True):
    """The addresses of a guide's Parquet files, empty if there are none, and its boards."""

    figures: str
    runs: str
    boards: list[str]


@dataclass(frozen=True, slots=True)
class GuideData:
    """The outcome of writing a guide's data, besides files: its entry in the list of its SoC, its
    metrics as (benchmark, metric, unit), its figures, and the index of each run with words by the
    position of its bundle."""

    entry: dict[str, Any]
    metrics: list[tuple[str, str, str]]
    records: Sequence[Record]
    runs: Mapping[int, int]

    @property
    def listed(self) -> GuideFiles:
        """The part of it that lists of all guides need."""
        entry = self.entry
        return GuideFiles(entry["parquet"] or "", entry["parquet_runs"] or "", entry["boards"])


def write(
    site: Site,
    soc: str,
    compared: Sequence[ComparedGuides],
    verdicts: Mapping[int, Verdict],
) -> dict[GuideKey, GuideData]:
    """Write the data of a SoC's guides with their lists, and return what :func:`write_indexes`
    needs. ``compared`` are the pairs of releases that have a page; ``verdicts`` are those on
    figures against the previous release, by the first row of their frame."""
    guides = {}
    for key in site.socs[soc]:
        data = site.making.attempt(
            f"the data of {key}",
            f"{json_api.ROOT}/{_guide_path(site, key)}",
            partial(_write_guide, site, key),
            # The fault is reported, and the other guides keep their data.
            lambda _reason: None,
        )
        if data:
            guides[key] = data
    page = site.addresses.soc[soc]
    path, entries = json_api.soc_path(page), [data.entry for data in guides.values()]
    _write_json(site, f"socs/{path}.json", json_api.soc_file(soc, page, entries))
    if guides:
        _write_by_benchmark(site, path, guides, compared, verdicts)
    for pair in compared:
        # A badge is about the previous release; a pair from the settings would overwrite it.
        if pair.verdict and not pair.is_asked:
            _write_json(
                site, f"badges/{_guide_path(site, pair.new)}.json", _badge(pair.new, pair.verdict)
            )
    return guides


def _badge(key: GuideKey, verdict: ListedVerdict) -> dict[str, Any]:
    """Return the advice on a release in the format that shields.io and compatible servers draw as a
    badge."""
    label, color = f"{key.soc}, {family(key)} {key.release}", BADGE_COLOURS[verdict.state]
    return {"schemaVersion": 1, "label": label, "message": verdict.tag.lower(), "color": color}


def _write_by_benchmark(
    site: Site,
    path: str,
    guides: Mapping[GuideKey, GuideData],
    compared: Sequence[ComparedGuides],
    verdicts: Mapping[int, Verdict],
) -> None:
    """Write the figures of a SoC by benchmark, for the pages that compare and that find boards."""
    pairs = {(pair.old, pair.new): pair.address for pair in compared}
    listed = [
        explorer.GuideOfSoc(
            key,
            _guide_path(site, key),
            guides[key].records,
            max(bundle.bundle.created for bundle in site.pool.bundles_of([key])).date().isoformat(),
            guides[key].runs,
        )
        for _, keys in sorted(site.families.items())
        for key in reversed(keys)
        if key in guides
    ]
    names = Names(site.catalog, site.boards)
    figures = explorer.FiguresOfSoc(
        pool=site.pool,
        names=names,
        scenes=site.scenes,
        guides=listed,
        verdicts=verdicts,
        section=partial(_section_anchor, site),
        doubts=site.marks.signed,
    )
    inferred: dict[engines.Run, engines.Inferred] = {}
    for data in guides.values():
        inferred |= engines.inferred(data.records, site.catalog)
    records_of_all = (record for data in guides.values() for record in data.records)
    by_benchmark = grouped(records_of_all, lambda record: record.benchmark)
    facts = finder.FactsOfSoc(
        boards=site.boards,
        inferred=inferred,
        clocks=_trusted_clocks(site, guides, figures.clocks),
        day=partial(_day, site),
        section=partial(_address, site),
        doubt=site.marks.doubt,
    )
    files = {}
    for name, records in by_benchmark.items():
        benchmark = site.catalog.benchmark(name)
        file = f"{path}/{_benchmark_file(site, name)}"
        value = finder.part(benchmark, records, facts)
        _write_file(site, f"{finder.FOLDER}/{file}.js", explorer.file_of(file, value))
        parts = list(figures.parts(name))
        for number, text in enumerate(parts, 1):
            part = f"{file}/{number}"
            _write_file(site, f"{explorer.FOLDER}/{part}.js", explorer.file_of_json(part, text))
        files[name] = (_benchmark_file(site, name), len(parts))
    _write_script(site, f"{path}/index", figures.index(files, pairs))


def _trusted_clocks(
    site: Site,
    guides: Mapping[GuideKey, GuideData],
    clocks: Mapping[GuideKey, Mapping[str, float | None]],
) -> dict[GuideKey, dict[str, float | None]]:
    """Return the clocks of boards in MHz, without those whose measured clock is in doubt."""
    wrong = {
        (record.guide, site.boards.today(record.guide.soc, record.board))
        for data in guides.values()
        for record in data.records
        if (metric := site.catalog.benchmark(record.benchmark).metric(record.metric))
        and metric.clock
        and site.marks.signed(record)[0]
    }
    return {
        key: {board: mhz for board, mhz in board_clocks.items() if (key, board) not in wrong}
        for key, board_clocks in clocks.items()
    }


def _day(site: Site, record: Record) -> str:
    """Return the day of the newest run behind a figure."""
    runs = site.pool.positions_of(record.cell.members)
    bundles = (site.pool.frame.bundles[position].bundle for position, _ in runs)
    return max(bundle.created for bundle in bundles).date().isoformat()


def _address(site: Site, record: Record) -> tuple[str, str]:
    """Return the page and anchor of a figure's section."""
    return site.addresses.guide[record.guide], _section_anchor(site, record)


def write_indexes(
    site: Site,
    guides: Mapping[GuideKey, GuideFiles],
    metrics_by_soc: Mapping[str, Iterable[tuple[str, str, str]]],
    figures: int,
) -> None:
    """Write the files that lead to those of all guides. A metric is (benchmark, metric, unit), and
    ``figures`` is the number of all figures."""
    seen: dict[str, set[tuple[str, str]]] = {}
    for benchmark, metric, unit in chain.from_iterable(metrics_by_soc.values()):
        seen.setdefault(benchmark, set()).add((metric, unit))
    metrics = json_api.benchmarks(seen, site.catalog)
    files = [guide.figures for guide in guides.values() if guide.figures]
    runs = [guide.runs for guide in guides.values() if guide.runs]
    _write_json(site, FILES["benchmarks"], metrics)
    _write_json(site, FILES["datapackage"], parquet.package(files, runs, metrics["benchmarks"]))
    for kind, file in json_api.SCHEMAS.items():
        _write_file(site, file, json_api.schema(kind))
    named = {**FILES, "schemas": json_api.SCHEMAS}
    socs = site.addresses.soc
    _write_json(site, "index.json", json_api.index(socs, [*guides], figures, named))
    paths = {soc: json_api.soc_path(page) for soc, page in socs.items()}
    _write_script(site, "index", explorer.index(paths))
    addressed = [b | {"file": _benchmark_file(site, b["benchmark"])} for b in metrics["benchmarks"]]
    measured = {soc: {name for name, _, _ in metrics_by_soc.get(soc, ())} for soc in paths}
    boards: dict[str, set[tuple[str, str, str]]] = {soc: set() for soc in paths}
    for key, of_guide in guides.items():
        for board in of_guide.boards:
            # Under its old name, a renamed board would be listed twice.
            today = site.boards.today(key.soc, board)
            boards[key.soc].add((family(key), today, site.boards.short(key.soc, today)))
    listed = finder.index(paths, measured, boards, addressed, site.catalog)
    _write_file(site, f"{finder.FOLDER}/index.js", explorer.file_of("index", listed))


def _write_guide(site: Site, key: GuideKey) -> GuideData:
    path, page, pool = _guide_path(site, key), site.addresses.guide[key], site.pool
    records = pool.of_guide(key)
    # A site can be built without pyarrow, and then has no Parquet files.
    columns = None
    if extras.is_installed("parquet"):
        columns = (parquet.address(FIGURES, key, path), parquet.address(RUNS, key, path))
    entry = json_api.entry(key, page, records, pool.bundles(records), columns)
    _write_file(
        site, f"results/{path}.json", json_api.guide(key, page, records, pool, site.catalog)
    )
    sheets = workbook.make(key, records, pool, site.catalog, site.layout)
    _write_file(site, f"results/{path}.xlsx", sheets)
    for table, folder in ((FIGURES, "results"), (RUNS, "runs")):
        if columns:
            data = parquet.make(table, path, records, pool)
            _write_file(site, parquet.address(table, key, path), data)
        _write_file(
            site, f"{folder}/{path}.csv", figure_files.guide_csv(table, path, records, pool)
        )
    metrics = list(dict.fromkeys((r.benchmark, r.metric, r.unit) for r in records))
    words, runs = explorer.texts_of_runs(records, pool)
    if words:
        _write_script(site, f"{path}/words", words)
    return GuideData(entry, metrics, records, runs)


def _section_anchor(site: Site, record: Record) -> str:
    """Return the anchor of a figure's section on the page of its guide."""
    return anchor(site.layout.anchor(record))


def _benchmark_file(site: Site, benchmark: str) -> str:
    """Return the name of a benchmark's files, which is that of its page."""
    return site.addresses.benchmark[benchmark].partition("/")[2]


def _guide_path(site: Site, key: GuideKey) -> str:
    return json_api.guide_path(site.addresses.guide[key])


def _write_json(site: Site, name: str, value: Mapping[str, Any]) -> None:
    _write_file(site, name, json_api.encode(value))


def _write_script(site: Site, name: str, value: Mapping[str, Any]) -> None:
    # Browsers load scripts, but not JSON, into a page opened as a file.
    _write_file(site, f"{explorer.FOLDER}/{name}.js", explorer.file_of(name, value))


def _write_file(site: Site, name: str, data: bytes) -> None:
    site.writer.write(f"{json_api.ROOT}/{name}", data)

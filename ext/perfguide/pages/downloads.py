"""The data files of the site: JSON, spreadsheets, Parquet, CSV, and those of the explorer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import msgspec

from ..bundles.guide_key import GuideKey, family
from ..catalog.benchmarks import undescribed
from ..common import extras
from ..common.slugs import anchor
from ..compare.headline import State
from ..export import explorer, figure_files, finder, json_api, json_schema, parquet, workbook
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
"""The colours of badges, by the names that shields.io has for them."""

FILES = {"benchmarks": "benchmarks.json", "datapackage": "datapackage.json"}


class GuideFiles(msgspec.Struct, frozen=True):
    """The addresses of a guide's Parquet files, empty where there are none, and its boards."""

    figures: str
    runs: str
    boards: list[str]


class GuideData(msgspec.Struct, frozen=True):
    """The results of writing a guide's data besides the files: its entry in the list of its SoC; its
    metrics as (benchmark, metric, unit); the number of explorer files by benchmark; and whether
    there is one with the words of the runs."""

    entry: dict[str, Any]
    metrics: list[tuple[str, str, str]]
    parts: dict[str, int]
    words: bool

    @property
    def listed(self) -> GuideFiles:
        """The part of it that lists of all guides need."""
        entry = self.entry
        return GuideFiles(entry["parquet"] or "", entry["parquet_runs"] or "", entry["boards"])


def write(site: Site, soc: str, compared: Sequence[ComparedGuides]) -> dict[GuideKey, GuideData]:
    """Write the data of a SoC's guides with their lists; return what :func:`write_indexes` needs.
    ``compared`` are the pairs of releases with a page of their own."""
    guides = {}
    for key in site.socs[soc]:
        data = site.making.attempt(
            f"the data of {key}",
            f"{json_api.ROOT}/{_path(site, key)}",
            partial(_write_guide, site, key),
            lambda _reason: None,
        )
        if data:
            guides[key] = data
    page = site.addresses.soc[soc]
    path, entries = json_api.soc_path(page), [data.entry for data in guides.values()]
    _json(site, f"socs/{path}.json", json_api.soc_file(soc, page, entries))
    parts = [(key, _path(site, key), data.parts, data.words) for key, data in guides.items()]
    pairs = {(each.old, each.new): each.address for each in compared}
    pages = {name: _file(site, name) for name in site.addresses.benchmark}
    _script(site, f"{path}/index", explorer.soc_index(site.catalog, pages, parts, pairs))
    _write_finder(site, soc, path)
    for pair in compared:
        if pair.verdict and not pair.is_asked:
            _json(site, f"badges/{_path(site, pair.new)}.json", _badge(pair.new, pair.verdict))
    return guides


def _badge(key: GuideKey, verdict: ListedVerdict) -> dict[str, Any]:
    """Return the advice on a release in the form that shields.io and its copies draw as a badge."""
    label, color = f"{key.soc}, {family(key)} {key.release}", BADGE_COLOURS[verdict.state]
    return {"schemaVersion": 1, "label": label, "message": verdict.tag.lower(), "color": color}


def _write_finder(site: Site, soc: str, path: str) -> None:
    """Write the newest figures of a SoC, by benchmark, for the page that finds boards."""
    records: dict[str, list[Record]] = {}
    inferred: dict[engines.Run, engines.Inferred] = {}
    for key in site.socs[soc]:
        own = site.pool.of_guide(key)
        inferred |= engines.inferred(own, site.catalog)
        for record in own:
            records.setdefault(record.benchmark, []).append(record)
    for name, of_benchmark in records.items():
        benchmark = site.catalog.get(name) or undescribed(name)
        link = partial(_address, site)
        value = finder.part(benchmark, of_benchmark, site.boards, inferred, link)
        file = f"{path}/{_file(site, name)}"
        _put(site, f"{finder.FOLDER}/{file}.js", explorer.file(file, value))


def _address(site: Site, record: Record) -> str:
    """Return the page and the anchor of a figure's section."""
    return f"{site.addresses.guide[record.guide]}#{_section(site, record)}"


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
    files = [own.figures for own in guides.values() if own.figures]
    runs = [own.runs for own in guides.values() if own.runs]
    _json(site, FILES["benchmarks"], metrics)
    _json(site, FILES["datapackage"], parquet.package(files, runs, metrics["benchmarks"]))
    for kind, schema in json_schema.schemas().items():
        _json(site, json_schema.FILES[kind], schema)
    named = {**FILES, "schemas": json_schema.FILES}
    socs = site.addresses.soc
    _json(site, "index.json", json_api.index(socs, [*guides], figures, named))
    paths = {soc: json_api.soc_path(page) for soc, page in socs.items()}
    _script(site, "index", explorer.index(paths))
    addressed = [{**each, "file": _file(site, each["benchmark"])} for each in metrics["benchmarks"]]
    measured = {soc: {name for name, _, _ in metrics_by_soc.get(soc, ())} for soc in paths}
    boards: dict[str, set[tuple[str, str, str]]] = {soc: set() for soc in paths}
    for key, of_guide in guides.items():
        for board in of_guide.boards:
            today = site.boards.today(key.soc, board)
            boards[key.soc].add((family(key), today, site.boards.short(key.soc, today)))
    listed = finder.index(paths, measured, boards, addressed)
    _put(site, f"{finder.FOLDER}/index.js", explorer.file("index", listed))


def _write_guide(site: Site, key: GuideKey) -> GuideData:
    path, page, pool = _path(site, key), site.addresses.guide[key], site.pool
    records = pool.of_guide(key)
    columns = None
    if extras.is_installed("parquet"):
        columns = (parquet.address(FIGURES, key, path), parquet.address(RUNS, key, path))
    entry = json_api.entry(key, page, records, pool.bundles(records), columns)
    _put(site, f"results/{path}.json", json_api.guide(key, page, records, pool, site.catalog))
    sheets = workbook.make(key, records, pool, site.catalog, site.layout)
    _put(site, f"results/{path}.xlsx", sheets)
    for table, folder in ((FIGURES, "results"), (RUNS, "runs")):
        if columns:
            data = parquet.make(table, path, records, pool)
            _put(site, parquet.address(table, key, path), data)
        _put(site, f"{folder}/{path}.csv", figure_files.guide_csv(table, path, records, pool))
    metrics = list(dict.fromkeys((r.benchmark, r.metric, r.unit) for r in records))
    words, runs = explorer.words(records, pool)
    if words:
        _script(site, f"{path}/words", words)
    return GuideData(entry, metrics, _parts(site, key, records, runs), bool(words))


def _parts(
    site: Site, key: GuideKey, records: Sequence[Record], runs: Mapping[int, int]
) -> dict[str, int]:
    """Write the explorer's files for one guide; return their number by benchmark."""
    pool = site.pool
    by_benchmark: dict[str, list[Record]] = {}
    for record in records:
        by_benchmark.setdefault(record.benchmark, []).append(record)
    counts = {}
    for name, own in by_benchmark.items():
        folder = f"{_path(site, key)}/{_file(site, name)}"
        parts = list(
            explorer.parts(site.catalog.get(name), own, pool, partial(_section, site), runs)
        )
        for number, part in enumerate(parts, 1):
            _script(site, f"{folder}/{number}", part)
        counts[name] = len(parts)
    return counts


def _section(site: Site, record: Record) -> str:
    """Return the anchor of a figure's section on the page of its guide."""
    return anchor(site.layout.anchor(record))


def _file(site: Site, benchmark: str) -> str:
    """Return the name of the files of a benchmark, which is that of its page."""
    return site.addresses.benchmark[benchmark].partition("/")[2]


def _path(site: Site, key: GuideKey) -> str:
    return json_api.guide_path(site.addresses.guide[key])


def _json(site: Site, name: str, value: Mapping[str, Any]) -> None:
    _put(site, name, json_api.encode(value))


def _script(site: Site, name: str, value: Mapping[str, Any]) -> None:
    # Browsers load scripts, but no JSON, into a page that was opened as a file.
    _put(site, f"{explorer.FOLDER}/{name}.js", explorer.file(name, value))


def _put(site: Site, name: str, data: bytes) -> None:
    site.writer.write(f"{json_api.ROOT}/{name}", data)

"""The page of a benchmark: all boards side by side, and each platform's releases."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import msgspec

from ..bundles.guide_key import GuideKey, families, family
from ..bundles.supersede import Ledger
from ..catalog.benchmarks import Catalog
from ..catalog.board_names import load as load_boards
from ..charts import gallery, trends
from ..charts.from_figures import Scene
from ..common import units
from ..figures.dataset import Holdings, Settings
from ..figures.pool import Pool, Record
from ..health import newest_rules, rules
from ..health.finding import Finding
from ..tables import summaries
from ..tables.assign import Section
from ..tables.model import OVER_RELEASES, SIDE_BY_SIDE
from . import (
    context,
    long_tables,
    newest,
    search_words,
    sources,
    summary,
    write_files,
    write_tables,
)
from .context import Making, Plan, Site
from .newest import NewestRun
from .parts import Made, Slice, catalog_of, made_by, without_files, writer_of
from .search_words import FindablePage, FindableSection
from .sources import SourceRow
from .write_tables import PageChart, PagePart


@dataclass(frozen=True, slots=True)
class NewestFigures:
    """Tables and charts of the newest figures of all boards."""

    parts: list[PagePart]
    charts: list[PageChart]


class PlatformHistory(msgspec.Struct, frozen=True):
    """A section with the figures of one platform over its releases: its anchor and title, the
    guides that the figures are from, and its words in the search index."""

    id: str
    title: str
    parts: list[PagePart]
    charts: list[PageChart]
    sources: list[SourceRow]
    words: tuple[str, ...]


class BenchmarkOfSoc(msgspec.Struct, frozen=True):
    """The figures of one benchmark on one SoC: each guide and board that has some, the histories of
    its platforms, and the findings that mark figures."""

    measured: list[tuple[GuideKey, str]]
    histories: list[PlatformHistory]
    findings: list[Finding]


def write_histories(site: Site, name: str, findings: Sequence[Finding]) -> BenchmarkOfSoc:
    """Write the tables and charts of a SoC's releases for the page of one benchmark."""
    measured = site.pool.guides_and_boards(name)
    platforms = sorted(families(dict.fromkeys(key for key, _ in measured)).items())
    histories = []
    for _, keys in platforms:
        histories += site.making.attempt(
            f"the history of {name} on {keys[0].soc}",
            site.addresses.benchmark[name],
            partial(_histories, site, name, keys),
            lambda _reason: [],
        )
    return BenchmarkOfSoc(measured, histories, list(findings))


@dataclass(frozen=True, slots=True)
class Job:
    """The inputs of a benchmark's page: its figures on each SoC, as slices with a
    :class:`BenchmarkOfSoc`, the newest runs of each SoC, as slices with a list of :class:`NewestRun`,
    and the newest guide of each platform. The other fields are those of a SoC's job."""

    settings: Settings
    descriptions: str
    plan: Plan
    name: str
    of_socs: tuple[Slice, ...]
    runs: tuple[Slice, ...]
    last: frozenset[GuideKey]
    hashes: Mapping[str, str] = field(default_factory=dict)
    looks: Mapping[str, str] = field(default_factory=dict)
    sends_files: bool = False


def _runs(job: Job) -> list[NewestRun]:
    """Return the newest runs of all SoCs."""
    runs = (msgspec.msgpack.decode(each.read(), type=list[NewestRun]) for each in job.runs)
    return [run for own in runs for run in own]


def _pool(job: Job, runs: Sequence[NewestRun], catalog: Catalog) -> Pool:
    """Return the figures of some runs."""
    return newest.pool_of(runs, catalog, job.settings, job.plan.spelt)


def outliers(job: Job) -> Made:
    """Return the figures of a benchmark that differ from those of all other SoCs, as an encoded list of
    :class:`DistantHit`."""
    runs = _runs(job)
    # A pool takes 30 ms even of one figure, and each run is of one board.
    if len(job.runs) == 1 and len(runs) < newest_rules.MIN_BOARDS_OF_SOC:
        return without_files(summary.encode([]))
    catalog, _ = catalog_of(job.settings.benchmarks, job.descriptions)
    return without_files(summary.encode(rules.across(_pool(job, runs, catalog), catalog)))


def make(job: Job) -> Made:
    """Write the page of a benchmark; return its encoded :class:`FindablePage`."""
    settings = job.settings
    writer = writer_of(settings.output, job.hashes, job.sends_files)
    catalog, _ = catalog_of(settings.benchmarks, job.descriptions)
    pool = _pool(job, _runs(job), catalog)
    boards, _ = load_boards(settings.boards)
    making = Making(writer)
    of_socs = [msgspec.msgpack.decode(each.read(), type=BenchmarkOfSoc) for each in job.of_socs]
    site = context.site_of(
        Holdings(catalog, Ledger((), (), ()), (), pool),
        pool.guides(),
        job.plan,
        [_in_pool(each, pool) for own in of_socs for each in own.findings],
        boards,
        making,
        settings.limits,
    )
    out = making.attempt(
        f"the page of {job.name}",
        site.addresses.benchmark[job.name],
        partial(_write, site, job.name, of_socs, job.last),
        partial(_write_notice, site, job.name),
    )
    drawn = gallery.draw_all(writer, making.pictures, settings.formats, job.looks)
    return made_by(writer, drawn, summary.encode(out), making.unmade)


def _in_pool(finding: Finding, pool: Pool) -> Finding:
    """Return the finding with the records of this pool, where it has them."""
    # Findings are about the pool of one SoC, and marks are looked up by rows of this one.
    records = {_names(record): record for record in pool.of_benchmark(finding.benchmark)}
    suspects = (
        replace(each, record=records.get(_names(each.record), each.record))
        for each in finding.suspects
    )
    return replace(finding, suspects=tuple(suspects))


def _names(record: Record) -> tuple[object, ...]:
    params = tuple(sorted(record.params.items()))
    return record.guide, record.board, record.metric, record.unit, params


def _write(
    site: Site, name: str, of_socs: Sequence[BenchmarkOfSoc], last: Collection[GuideKey]
) -> FindablePage:
    page, title = site.addresses.benchmark[name], site.catalog.title(name)
    described = site.catalog.get(name)
    measured = [each for own in of_socs for each in own.measured]
    guides = {key for key, _ in measured}
    chosen = newest.of_boards(measured, site.boards)
    figures = _newest(site, name, chosen, last)
    histories = [history for own in of_socs for history in own.histories]
    sections = [(figures.parts, "newest", title)]
    for each in histories:
        words = f"{title}, {each.title} over releases"
        sections.append((each.parts, f"over-releases-{each.id}", words))
    tables = [
        (table, section, words)
        for parts, section, words in sections
        for part in parts
        for table in part.tables
    ]
    boards = sorted({board for _, board in chosen}, key=units.natural)
    socs = write_files.enumeration(sorted({key.soc for key in guides}, key=units.natural))
    releases = f"{len(guides)} releases" if len(guides) != 1 else "1 release"
    text = (
        f"{title} on {socs}: the newest figures of {write_files.enumeration(boards)} side by "
        f"side, and all figures of {releases}."
    )
    words_of_page = tuple(sorted({word for history in histories for word in history.words}))
    write_files.page(
        site,
        page,
        "benchmark.rst.jinja",
        about={"description": text},
        title=title,
        described=described if described and described.prose else None,
        command=described.entry.command if described else "",
        newest=figures,
        histories=histories,
        moved=long_tables.move(site, page, tables),
        sources=sources.write(site, page, [row for each in histories for row in each.sources]),
    )
    # One entry for the page: a search by SoC leads to its guides.
    section = FindableSection("newest", f"{title}, all boards and releases", words_of_page)
    return FindablePage(page, title, (), (section,))


def _write_notice(site: Site, name: str, reason: str) -> FindablePage:
    """Write a page that says why that of a benchmark could not be made."""
    page, title = site.addresses.benchmark[name], site.catalog.title(name)
    write_files.notice(site, page, title, reason)
    return FindablePage(page, title, (), ())


def _newest(
    site: Site, name: str, chosen: Sequence[tuple[GuideKey, str]], last: Collection[GuideKey]
) -> NewestFigures:
    page, catalog = site.addresses.benchmark[name], site.catalog
    of_guides = site.pool.of_benchmark(name, {key for key, _ in chosen})
    wanted = set(chosen)
    records = [record for record in of_guides if (record.guide, record.board) in wanted]
    sections, other = site.layout.sections(records, SIDE_BY_SIDE)
    parts = [
        write_tables.part(site, page, section, "newest-", "newest figures") for section in sections
    ]
    scene = Scene(boards=site.boards)
    headlines = _headlines(site, sections)
    views = trends.of_boards(catalog, headlines, records, last, site.boards, site.marks.doubt)
    charts = [
        write_tables.chart(
            site,
            page,
            f"boards-{number}" if number else "boards",
            f"{view.name}: boards side by side",
            [view],
        )
        for number, view in enumerate(views[: trends.MAX_PICTURES])
    ]
    for section in sections:
        anchor = f"newest-{section.part_id}".strip("-")
        charts += write_tables.charts(site, page, section, anchor, "newest", scene)
    if name in other:
        own = site.layout.general(name, other[name], SIDE_BY_SIDE)
        parts.append(write_tables.general(site, page, name, own))
    return NewestFigures(parts, charts)


def _histories(site: Site, name: str, keys: Sequence[GuideKey]) -> list[PlatformHistory]:
    page, platform = site.addresses.benchmark[name], keys[0].platform
    slug, scene = site.platform_slugs[platform], site.scenes[platform]
    records = site.pool.of_benchmark(name, set(keys))
    title = f"{keys[0].soc}, {family(keys[0])}"
    prefix, more = f"{slug}-", f"{title}, over releases"
    sections, other = site.layout.sections(records, OVER_RELEASES)
    parts = [write_tables.part(site, page, section, prefix, more) for section in sections]
    if name in other:
        own = site.layout.general(name, other[name], OVER_RELEASES)
        parts.append(write_tables.general(site, page, name, own, prefix, more))
    views = trends.over_releases(site.catalog, _headlines(site, sections), scene)
    charts = write_tables.small_charts(site, page, f"{prefix}trend", "Figures over releases", views)
    for section in sections:
        anchor = f"{prefix}{section.part_id}".strip("-")
        charts += write_tables.charts(site, page, section, anchor, "releases", scene)
    words = search_words.of_records(site.catalog.get(name), name, records)
    return [PlatformHistory(slug, title, parts, charts, sources.rows(site, records), words)]


def _headlines(site: Site, sections: Sequence[Section]) -> list[Record]:
    """Return the headline figures of some sections."""
    records = (record for section in sections for record in section.records)
    return [
        record
        for record in summaries.headlines(site.catalog, records)
        if site.layout.is_described(record)
    ]

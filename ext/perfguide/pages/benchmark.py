"""The page of a benchmark, with all boards side by side, and a page per SoC with its releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec

from ..bundles.guide_key import GuideKey, families, family, version
from ..bundles.supersede import Ledger
from ..catalog.benchmarks import Benchmark
from ..catalog.board_names import load as load_boards
from ..charts import gallery, trends
from ..charts.from_figures import MIN_RELEASES, Scene
from ..charts.model import ChartView
from ..common import slugs, units
from ..common.grouping import grouped
from ..figures import engines, labels
from ..figures.dataset import Holdings, Settings
from ..figures.pool import Pool, Record
from ..figures.rows import TABLE, TABLE_NUMBER
from ..health import rules
from ..health.finding import Finding
from ..tables import summaries
from ..tables.assign import Section
from ..tables.model import OVER_RELEASES, SIDE_BY_SIDE
from . import (
    context,
    hardware_crypto,
    lasting_moves,
    long_tables,
    newest,
    ranking,
    search_words,
    sources,
    summary,
    write_files,
    write_tables,
)
from .context import Making, Plan, Site
from .hardware_crypto import CryptoAnswer
from .lasting_moves import LastingMove
from .newest import NewestRun
from .ranking import RankedFigures
from .reused_parts import Made, Slice, catalog_of, made_by, writer_of
from .search_words import FindablePage, FindableRanking, FindableSection
from .sentences import Link, link_name, section_name
from .sources import SourceRow
from .write_tables import SOURCES, PageChart, PagePart, PagePicture, Target

MAX_MOVED_PLATFORMS = 6
"""The maximum number of platforms whose first headline is drawn over releases: those that moved
most."""

MAX_NAMED_LEADERS = 2
"""The maximum number of leaders with equal figures that the list of benchmarks names. If there are
more, it names one and counts the others."""

MAX_NAMED_METRICS = 3
"""The maximum number of metrics that the list of benchmarks names if there is no ranking."""


MAX_ELEMENTS = 5_500
"""The estimated number of HTML elements in the tables of a benchmark's page. It keeps the page with
all that it loads below 600 kB: an element takes 50 to 70 bytes, and the rest 80 kB of the page and
100 kB beside it."""


@dataclass(frozen=True, slots=True)
class NewestFigures:
    """Tables and charts of the newest figures of all boards. ``anchors`` are those of the pictures
    that rankings replace, by ranking name."""

    parts: list[PagePart]
    charts: list[PageChart]
    anchors: dict[str, str]


class PlatformHistory(msgspec.Struct, frozen=True):
    """The releases of one platform in a benchmark: the anchor of their section on the SoC's page,
    its title, the number of releases, and their words in the search index. ``chart`` is the title
    of the first figure drawn, ``picture`` its picture, ``step`` the largest ratio between two
    successive figures in it, or 0 without one, and ``step_words`` a sentence on that step."""

    id: str
    title: str
    releases: int
    words: tuple[str, ...]
    chart: str
    picture: PagePicture | None
    step: float
    step_words: str = ""


class BenchmarkOfSoc(msgspec.Struct, frozen=True):
    """One benchmark's figures on one SoC: each guide and board that has some, the page of its
    releases and the histories on it, the sources of the newest figures, the findings that mark
    figures, the moves that lasted, whether a crypto accelerator is worth it, and the runs of older
    releases whose figures rankings show."""

    measured: list[tuple[GuideKey, str]]
    page: str
    histories: list[PlatformHistory]
    sources: list[SourceRow]
    findings: list[Finding]
    moves: list[LastingMove]
    worth: CryptoAnswer | None
    before: list[NewestRun]

    @property
    def soc(self) -> str:
        """The name of the SoC."""
        return self.measured[0][0].soc


class BenchmarkRow(msgspec.Struct, frozen=True):
    """A benchmark's row in the list of all benchmarks: what it measures, the SoCs that lead, their
    figure, a remark about their lead, and the release of the figure. ``leaders`` and ``figure`` are
    empty if there is no ranking, and ``release`` also if several SoCs lead."""

    measures: str
    leaders: str = ""
    figure: str = ""
    remark: str = ""
    release: str = ""


@dataclass(frozen=True, slots=True)
class BenchmarkOutcome:
    """The words that find a benchmark's page, and its row in the list of benchmarks."""

    findable: FindablePage
    row: BenchmarkRow


@dataclass(frozen=True, slots=True)
class _Section:
    """A section with the tables and charts of a platform's releases."""

    history: PlatformHistory
    parts: list[PagePart]
    charts: list[PageChart]


def write_releases(
    site: Site,
    name: str,
    findings: Sequence[Finding],
    moves: Sequence[LastingMove],
    worth: CryptoAnswer | None,
) -> BenchmarkOfSoc:
    """Write the page of a SoC's releases in one benchmark."""
    measured = site.pool.guides_and_boards(name)
    soc, title = measured[0][0].soc, site.catalog.title(name)
    page = site.addresses.releases(name, soc)
    histories = site.making.attempt(
        f"the releases of {soc} in {name}",
        page,
        partial(_write_releases, site, name, page, [key for key, _ in measured]),
        partial(_releases_notice, site, page, f"{title} on {soc}"),
    )
    chosen = newest.of_boards(measured, site.boards)
    records, benchmark = site.pool.of_benchmark(name), site.catalog.benchmark(name)
    before = ranking.records_before(site, benchmark, records, set(chosen))
    guides = {*(key for key, _ in chosen), *(record.guide for record in before)}
    rows = sources.rows(site, [record for record in records if record.guide in guides])
    runs = newest.runs_with(site.pool, before)
    beside = _with_other_boards(site, benchmark, records, moves)
    return BenchmarkOfSoc(measured, page, histories, rows, list(findings), beside, worth, runs)


def _with_other_boards(
    site: Site, benchmark: Benchmark, records: Sequence[Record], moves: Sequence[LastingMove]
) -> list[LastingMove]:
    """Return the moves of a SoC. Those that no later release measured on their board say if its
    other boards have the new figure."""
    waiting = {move.figure for move in moves if move.after == lasting_moves.UNMEASURED}
    if not waiting:
        return list(moves)
    by_figure = grouped(records, lambda record: labels.in_benchmark(benchmark, record))
    out = []
    for move in moves:
        is_waiting = move.after == lasting_moves.UNMEASURED
        others = _on_other_boards(site, move, by_figure.get(move.figure, ())) if is_waiting else ""
        after = f"{move.after}; {others}" if others else move.after
        out.append(msgspec.structs.replace(move, after=after))
    return out


def _on_other_boards(site: Site, move: LastingMove, records: Sequence[Record]) -> str:
    """Return the figures of the SoC's other boards in releases after a move, "" if any is nearer to
    the old figure."""
    before, since = move.releases.split(" → ")
    means: dict[str, float] = {}
    later = dict[tuple[str, str], float]()
    for record in records:
        board = site.boards.short(record.guide.soc, record.board)
        release, mean = record.guide.release, record.cell.mean or 0.0
        if board == move.board and family(record.guide) == move.system:
            means[release] = mean
        elif board != move.board and version(release) > version(since) and mean > 0:
            later[board, release] = mean
    old, new = means.get(before, 0.0), means.get(since, 0.0)
    if not later or min(old, new) <= 0:
        return ""
    # By ratio: the square of the figure between both is their product.
    if any((mean**2 < old * new) != (new < old) for mean in later.values()):
        return ""
    boards = units.enumeration(sorted({board for board, _ in later}, key=units.natural))
    _, factor = units.readable(records[0].unit, (old, new))
    span = units.ends([units.scaled(mean, factor) for mean in later.values()])
    count = len({release for _, release in later})
    return f"{boards}: {span} in {units.with_noun(count, 'later release')}"


def _releases_notice(site: Site, page: str, title: str, reason: str) -> list[PlatformHistory]:
    write_files.notice(site, page, title, reason)
    return []


def _write_releases(
    site: Site, name: str, page: str, guides: Sequence[GuideKey]
) -> list[PlatformHistory]:
    platforms = sorted(families(dict.fromkeys(guides)).items())
    sections = [_section(site, name, keys) for _, keys in platforms]
    of_benchmark, soc = site.addresses.benchmark[name], guides[0].soc
    title = site.catalog.title(name)
    tables = [
        (table, f"over-releases-{history.id}", f"{title}, {history.title} over releases")
        for section in sections
        for history in (section.history,)
        for part in section.parts
        for table in part.tables
    ]
    moved = long_tables.move(site, of_benchmark, tables, back=page)
    origin = link_name(page, SOURCES)

    def tables_of(part: PagePart) -> PagePart:
        tables = (replace(table.beside(), origin=origin) for table in part.tables)
        return replace(part, tables=tuple(tables))

    inner = [
        replace(
            section,
            parts=[tables_of(part) for part in section.parts],
            charts=[replace(chart.beside(), origin=origin) for chart in section.charts],
        )
        for section in sections
    ]
    records = site.pool.of_benchmark(name, set(guides))
    releases = sum(section.history.releases for section in sections)
    write_files.page(
        site,
        page,
        "releases.rst.jinja",
        about={
            "description": f"{title} on {soc}: the figures of {units.with_noun(releases, 'release')}."
        },
        title=f"{title} on {soc} over releases",
        elsewhere=[
            Link(f"{title} on all SoCs", of_benchmark, "benchmark"),
            Link(soc, site.addresses.soc[soc]),
        ],
        sections=inner,
        moved=moved,
        sources=sources.write(site, page, sources.rows(site, records)),
    )
    for part in (part for section in inner for part in section.parts):
        for table in part.tables:
            if table.name not in moved:
                write_files.further_pages(site, table)
    return [section.history for section in sections]


@dataclass(frozen=True, slots=True)
class Job:
    """The inputs of a benchmark's page: its figures on each SoC, as slices that hold a
    :class:`BenchmarkOfSoc`; the newest runs of each SoC, as slices that hold a list of
    :class:`NewestRun`; and the newest guide of each platform. The other fields are as in a SoC's
    job."""

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
    runs = (msgspec.msgpack.decode(part.read(), type=list[NewestRun]) for part in job.runs)
    return [run for of_soc in runs for run in of_soc]


def outliers(job: Job) -> Made:
    """Return the figures of a benchmark that differ from those of all other SoCs, as an encoded
    list of :class:`DistantHit`."""
    runs = _runs(job)
    # Even for a single figure, a pool takes 30 ms, and each run is of one board.
    if len(runs) < 2:
        return Made(summary.encode([]))
    catalog, _ = catalog_of(job.settings.benchmarks, job.descriptions)
    return Made(
        summary.encode(
            rules.across(newest.pool_of(runs, catalog, job.settings, job.plan.spelt), catalog)
        )
    )


def make(job: Job) -> Made:
    """Write the page of a benchmark, and return its encoded :class:`BenchmarkOutcome`."""
    settings = job.settings
    writer = writer_of(settings.output, job.hashes, job.sends_files)
    catalog, _ = catalog_of(settings.benchmarks, job.descriptions)
    of_socs = [msgspec.msgpack.decode(part.read(), type=BenchmarkOfSoc) for part in job.of_socs]
    runs = [*_runs(job), *(run for of_soc in of_socs for run in of_soc.before)]
    pool = newest.pool_of(runs, catalog, settings, job.plan.spelt)
    boards, _ = load_boards(settings.boards)
    making = Making(writer)
    site = context.site_of(
        # No bundles are needed: the slices have everything that the page uses from them.
        Holdings(catalog, Ledger((), (), ()), (), pool),
        pool.guides(),
        job.plan,
        _in_pool([finding for of_soc in of_socs for finding in of_soc.findings], pool),
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


def _in_pool(findings: Sequence[Finding], pool: Pool) -> list[Finding]:
    """Return the findings about a benchmark, with records of this pool where it has them."""
    # Findings refer to the pool of one SoC, but marks are looked up by rows of this pool.
    benchmarks = {finding.benchmark for finding in findings}
    records = {_names(record): record for name in benchmarks for record in pool.of_benchmark(name)}
    out = []
    for finding in findings:
        suspects = (
            replace(suspect, record=records.get(_names(suspect.record), suspect.record))
            for suspect in finding.suspects
        )
        out.append(replace(finding, suspects=tuple(suspects)))
    return out


def _names(record: Record) -> tuple[object, ...]:
    params = tuple(sorted(record.params.items()))
    return record.guide, record.board, record.metric, record.unit, params


def _write(
    site: Site, name: str, of_socs: Sequence[BenchmarkOfSoc], last: Collection[GuideKey]
) -> BenchmarkOutcome:
    page, title = site.addresses.benchmark[name], site.catalog.title(name)
    benchmark = site.catalog.benchmark(name)
    measured = [pair for of_soc in of_socs for pair in of_soc.measured]
    guides = {key for key, _ in measured}
    chosen = newest.of_boards(measured, site.boards)
    pages = {of_soc.soc: of_soc.page for of_soc in of_socs}
    listed = ranking.rankings(site, benchmark, site.pool.of_benchmark(name), pages)
    figures = _newest(site, name, chosen, last, {ranked.name for ranked in listed})
    histories = [history for of_soc in of_socs for history in of_soc.histories]
    tables = [(table, "newest", title) for part in figures.parts for table in part.tables]
    boards = sorted({board for _, board in chosen}, key=units.natural)
    socs = sorted(pages, key=units.natural)
    text = (
        f"{title} on {units.enumeration(socs)}: the newest figures of {units.enumeration(boards)} "
        f"side by side, and all figures of {units.with_noun(len(guides), 'release')}."
    )
    write_files.page(
        site,
        page,
        "benchmark.rst.jinja",
        about={"description": text},
        title=title,
        described=benchmark if benchmark.prose else None,
        command=benchmark.entry.command,
        **_ranked(site, name, page, listed[:1], listed, figures.anchors),
        headlines=_other_headlines(page, listed, figures.anchors),
        newest=figures,
        only_of=" ".join(filter(None, (_only_of_one(site, name), _not_ranked(benchmark)))),
        moved_most=_moved_most(page, histories),
        moves=_lasting(page, [move for of_soc in of_socs for move in of_soc.moves]),
        accelerators=_accelerators(of_socs),
        instructions=_own_instructions(site, name, listed),
        releases=[
            (
                section_name(page, f"over-releases-{history.id}"),
                f"{history.title}: {units.with_noun(history.releases, 'release')}",
                section_name(of_soc.page, f"over-releases-{history.id}"),
            )
            for of_soc in of_socs
            for history in of_soc.histories
        ],
        pages=[(soc, slugs.relative(page, address)) for soc, address in pages.items()],
        moved=long_tables.move(site, page, tables, max_elements=MAX_ELEMENTS),
        sources=sources.write(site, page, [row for of_soc in of_socs for row in of_soc.sources]),
    )
    for other in listed[1:]:
        _write_ranking(site, name, other, listed)
    findable = _findable(site, name, of_socs, listed)
    return BenchmarkOutcome(findable, _row(site, name, listed, socs))


def _only_of_one(site: Site, name: str) -> str:
    """Return which parameters only one of several SoCs varied, whose tables and charts the others
    lack: ``Varied on X86-64 only: nice level.``"""
    benchmark = site.catalog.benchmark(name)
    socs = set[str]()
    varied: dict[str, set[str]] = {}
    for record in site.pool.of_benchmark(name):
        socs.add(record.guide.soc)
        for param, value in record.params.items():
            spec = benchmark.param(param)
            # An engine that is not recorded is not the usual one.
            if spec.default not in (None, value) and not spec.classes:
                varied.setdefault(param, set()).add(record.guide.soc)
    by_soc: dict[str, list[str]] = {}
    for param, varying in varied.items():
        if len(varying) == 1 < len(socs):
            by_soc.setdefault(min(varying), []).append(labels.within(benchmark.param_label(param)))
    sentences = (
        f"Varied on {soc} only: {units.enumeration(sorted(params))}."
        for soc, params in sorted(by_soc.items(), key=lambda item: units.natural(item[0]))
    )
    return " ".join(sentences)


def _not_ranked(benchmark: Benchmark) -> str:
    """Return which figures have no ranking: ``Not ranked: frame rate, which the setting fixes.``"""
    metrics = benchmark.entry.metrics
    fixed = [labels.within(metric.label) for metric in metrics if not metric.ranked]
    return f"Not ranked: {units.enumeration(fixed)}, which the setting fixes." if fixed else ""


def _write_ranking(
    site: Site, name: str, ranked: RankedFigures, listed: Sequence[RankedFigures]
) -> None:
    """Write the page of one of a benchmark's rankings."""
    page, title = site.addresses.benchmark[name], site.catalog.title(name)
    address = f"{page}/{ranked.slug}"
    write_files.page(
        site,
        address,
        "ranking.rst.jinja",
        about={"description": f"{title}, {ranked.name}. {ranking.lead(ranked)}"},
        title=f"{title}: {ranked.name}",
        elsewhere=[Link(f"{title}, all figures", page, "benchmark")],
        **_ranked(site, name, address, [ranked], listed, {}),
    )


def _findable(
    site: Site, name: str, of_socs: Sequence[BenchmarkOfSoc], listed: Sequence[RankedFigures]
) -> FindablePage:
    """Return the page of a benchmark for the search index."""
    title = site.catalog.title(name)
    # A search by SoC should lead to its guides.
    about = search_words.split(*site.catalog.benchmark(name).entry.also)
    newest_figures = f"{title}, all boards and releases"
    sections = [FindableSection("newest", newest_figures, (), about=about)]
    if any(of_soc.moves for of_soc in of_socs):
        sections.append(lasting_moves.findable("lasting"))
    if any(of_soc.worth for of_soc in of_socs):
        sections.append(hardware_crypto.findable("accelerator"))
    page = site.addresses.benchmark[name]
    words = {word for of_soc in of_socs for history in of_soc.histories for word in history.words}
    rankings = _findable_rankings(site, name, page, listed)
    return FindablePage(page, title, tuple(sorted(words)), tuple(sections), rankings=rankings)


def _row(
    site: Site, name: str, listed: Sequence[RankedFigures], socs: Sequence[str]
) -> BenchmarkRow:
    """Return the row of a benchmark that was measured on ``socs``."""
    if not listed:
        why = ": the setting fixes the figure" if _not_ranked(site.catalog.benchmark(name)) else ""
        only = f"{socs[0]} only" if len(socs) == 1 else f"not ranked{why}"
        return BenchmarkRow(_metrics(site, name), remark=only)
    return ranked_row(listed[0])


def ranked_row(figures: RankedFigures) -> BenchmarkRow:
    """Return the row of a benchmark by its first ranking."""
    best = ranking.leaders(figures.ranking)
    named = best.socs if len(best.socs) <= MAX_NAMED_LEADERS else best.socs[:1]
    near = "within 5 % of it" if best.near > len(best.socs) else "with the same figure"
    rest = best.near - len(named)
    remarks = [f"and {rest} more {near}"] if rest > 0 else []
    remarks += ["rank not certain"] if best.is_uncertain else []
    leaders = units.enumeration(named)
    return BenchmarkRow(figures.name, leaders, best.figure, "; ".join(remarks), best.release)


def _metrics(site: Site, name: str) -> str:
    """Return the labels of the first metrics of a benchmark."""
    benchmark = site.catalog.benchmark(name)
    measured = {record.metric for record in site.pool.of_benchmark(name)}
    named = [metric for metric in measured if benchmark.metric(metric)]
    ordered = sorted(named, key=lambda metric: (benchmark.metric_rank(metric)[0], metric))
    labels = list(dict.fromkeys(map(benchmark.metric_label, ordered)))
    more = " …" if len(labels) > MAX_NAMED_METRICS else ""
    return ", ".join(labels[:MAX_NAMED_METRICS]) + more


def _lasting(page: str, moves: Sequence[LastingMove]) -> dict[str, Any] | None:
    """Return the lasting moves of the benchmark across all SoCs, or ``None``."""
    if not moves:
        return None
    listed, folded = lasting_moves.open_and_folded(moves)

    def linked(moves: Sequence[LastingMove]) -> list[tuple[LastingMove, str]]:
        return [(move, slugs.relative(page, move.address)) for move in moves]

    return {
        "title": lasting_moves.TITLE,
        "counted": lasting_moves.counted(moves),
        "shown": linked(listed),
        "folded": [
            (words, linked(rest[: lasting_moves.MAX_FOLDED]), len(rest) - lasting_moves.MAX_FOLDED)
            for words, rest in folded
        ],
    }


def _accelerators(of_socs: Sequence[BenchmarkOfSoc]) -> dict[str, Any] | None:
    """Return the answer for each SoC with an accelerator, or ``None``."""
    answers = {of_soc.soc: of_soc.worth for of_soc in of_socs if of_soc.worth}
    if not answers:
        return None
    runs = {(answer.algorithm, answer.sizes[-1]) for answer in answers.values()}
    conditions = [f"{algorithm} with blocks of {units.size(size)}" for algorithm, size in runs]
    rows = {
        soc: hardware_crypto.table_row(soc, answers[soc])
        for soc in sorted(answers, key=units.natural)
    }
    return {
        "title": hardware_crypto.QUESTION,
        "conditions": conditions[0] if len(conditions) == 1 else "The largest blocks",
        "compared": [row for soc, row in rows.items() if answers[soc].other],
        "alone": [row for soc, row in rows.items() if not answers[soc].other],
        "at": f"at CPU load, % {next(iter(answers.values())).accelerator.load_of}".rstrip(),
        "is_unsure": any(answer.busy for answer in answers.values()),
    }


def _own_instructions(site: Site, name: str, listed: Sequence[RankedFigures]) -> dict[str, str]:
    """Return by SoC what its own instructions gain, if only measured beside other work."""
    if not listed:
        return {}
    benchmark = site.catalog.benchmark(name)
    every = grouped(site.pool.of_benchmark(name), lambda record: record.guide.soc)
    return {
        soc: hardware_crypto.own_instructions(benchmark, every[soc]) for soc, _ in listed[0].loaded
    }


def _findable_rankings(
    site: Site, name: str, page: str, listed: Sequence[RankedFigures]
) -> tuple[FindableRanking, ...]:
    """Return the rankings of a benchmark for the search index, and the headlines without one."""
    benchmark = site.catalog.benchmark(name)
    ranked = [
        FindableRanking(
            *(f"{page}/{figures.slug}" if number else page, figures.name, figures.words),
            *(ranking.condition(benchmark, figures), figures.ranking.unit),
        )
        for number, figures in enumerate(listed)
    ]
    names = {entry.name for entry in ranked}
    headlines = summaries.headlines(site.catalog, site.pool.of_benchmark(name))
    by_name = grouped(headlines, lambda record: labels.headline(benchmark, record))
    unranked = [
        FindableRanking("", title, search_words.of_records(benchmark, records))
        for title, records in sorted(by_name.items())
        if title not in names
    ]
    return (*ranked, *unranked)


def _other_headlines(
    page: str, listed: Sequence[RankedFigures], anchors: Mapping[str, str]
) -> list[tuple[str, str, str, str]]:
    """Return the headline rankings after the first that have a name of their own, as (link name,
    name, address, sentence). Figures in a unit that cannot be converted share a name, and a
    numbered table of a published guide repeats a row under other conditions."""
    first_of_name = {ranked.name: ranked for ranked in reversed(listed)}
    return [
        (
            link_name(page, anchors.get(ranked.name, ranked.slug)),
            ranked.name,
            slugs.relative(page, f"{page}/{ranked.slug}"),
            ranking.lead(ranked),
        )
        for ranked in listed[1:]
        if ranked.is_headline
        and first_of_name[ranked.name] is ranked
        and ranked.params.keys().isdisjoint((TABLE, TABLE_NUMBER))
    ]


def _ranked(
    site: Site,
    name: str,
    address: str,
    chosen: Sequence[RankedFigures],
    listed: Sequence[RankedFigures],
    anchors: Mapping[str, str],
) -> dict[str, Any]:
    """Return the part of a page at ``address`` that is about a benchmark's ranking, and links to
    the other rankings. ``anchors`` are those of rankings by name."""
    page = site.addresses.benchmark[name]
    ranked = chosen[0] if chosen else None
    anchor = anchors.get(ranked.name, "ranking") if ranked else ""
    return {
        "lead": f"{ranked.name}: {ranking.lead(ranked)}" if ranked else "",
        "ranked": ranked and ranking.write(site, address, page, anchor, ranked),
        "figures": ranked,
        "links": _links(site, name, address, ranked, listed) if ranked else [],
        "loaded": [(soc, slugs.relative(address, pages)) for soc, pages in ranked.loaded]
        if ranked
        else [],
    }


def _links(
    site: Site,
    name: str,
    address: str,
    ranked: RankedFigures,
    listed: Sequence[RankedFigures],
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return lines of links to the rankings that differ in a single parameter."""
    benchmark, page = site.catalog.benchmarks[name], site.addresses.benchmark[name]

    def target(figures: RankedFigures) -> str:
        if figures is ranked:
            return ""
        # The first ranking is on the benchmark's own page.
        if figures is listed[0]:
            return f"../{page.rpartition('/')[2]}"
        return slugs.relative(address, f"{page}/{figures.slug}")

    lines = []
    for label, others in ranking.alternatives(benchmark, listed, ranked):
        lines.append((label, [(words, target(figures)) for words, figures in others]))
    return lines


def _write_notice(site: Site, name: str, reason: str) -> BenchmarkOutcome:
    """Write a page that says why a benchmark's page could not be made."""
    page, title = site.addresses.benchmark[name], site.catalog.title(name)
    write_files.notice(site, page, title, reason)
    return BenchmarkOutcome(FindablePage(page, title, (), ()), BenchmarkRow(""))


def _newest(
    site: Site,
    name: str,
    chosen: Sequence[tuple[GuideKey, str]],
    last: Collection[GuideKey],
    ranked: Collection[str],
) -> NewestFigures:
    page, catalog = site.addresses.benchmark[name], site.catalog
    of_guides = site.pool.of_benchmark(name, {key for key, _ in chosen})
    pairs = set(chosen)
    records = [record for record in of_guides if (record.guide, record.board) in pairs]
    sections, other = site.layout.sections(records, SIDE_BY_SIDE)
    target = Target(site, page, "newest-", "newest figures")
    parts = [write_tables.part(target, section) for section in sections]
    scene = Scene(boards=site.boards)
    headlines = _headlines(site, sections)
    views = trends.of_boards(catalog, headlines, records, last, site.boards, site.marks.doubt)
    charts: list[PageChart] = []
    anchors: dict[str, str] = {}
    for number, view in enumerate(views[: trends.MAX_PICTURES]):
        slug = f"boards-{number}" if number else "boards"
        # The ranking replaces the picture and takes over its anchor, which other pages link to.
        if view.name in ranked:
            anchors[view.name] = slug
        else:
            title = f"{view.name}: boards side by side"
            charts.append(write_tables.chart(site, page, slug, title, [view]))
    for section in sections:
        anchor = f"newest-{section.part_id}".strip("-")
        charts += write_tables.charts(target, section, anchor, "newest", scene)
    if name in other:
        rest = site.layout.general(name, other[name], SIDE_BY_SIDE)
        parts.append(write_tables.general(Target(site, page), name, rest))
    return NewestFigures(parts, charts, anchors)


def _section(site: Site, name: str, keys: Sequence[GuideKey]) -> _Section:
    page, platform = site.addresses.benchmark[name], keys[0].platform
    slug, scene = site.platform_slugs[platform], site.scenes[platform]
    records = site.pool.of_benchmark(name, set(keys))
    title = f"{keys[0].soc}, {family(keys[0])}"
    prefix = f"{slug}-"
    target = Target(site, page, prefix, f"{title}, over releases")
    sections, other = site.layout.sections(records, OVER_RELEASES)
    parts = [write_tables.part(target, section) for section in sections]
    if name in other:
        other_views = site.layout.general(name, other[name], OVER_RELEASES)
        parts.append(write_tables.general(target, name, other_views, keys))
    headlines = _headlines(site, sections) or _first_figure(site, name, records)
    drawings = trends.over_releases(site.catalog, headlines, scene, site.marks.doubt)
    views = [view for view, _ in drawings]
    charts = write_tables.small_charts(site, page, f"{prefix}trend", "Figures over releases", views)
    for section in sections:
        anchor = f"{prefix}{section.part_id}".strip("-")
        charts += write_tables.charts(target, section, anchor, "releases", scene)
    words = search_words.of_records(site.catalog.benchmark(name), records)
    # A figure in doubt may be drawn, but no step to or from it is news.
    sound = [record for record in headlines if not site.marks.doubt(record)]
    subject = "Largest step"
    if len(sound) < len(headlines):
        drawings = trends.over_releases(site.catalog, sound, scene)
        subject = "Largest step between valid figures"
    same = [drawing for drawing in drawings if drawing[0].name == views[0].name]
    ran_on_cpu = _ran_on_cpu(site, records, same[0][1]) if same else {}
    step, step_words = (
        _largest_step(same[0][0], ran_on_cpu, subject) if same else (1.0 if views else 0.0, "")
    )
    drawn = charts[0].pictures[0] if views and charts[0].pictures else None
    chart = drawn.name if drawn else ""
    history = PlatformHistory(slug, title, len(keys), words, chart, drawn, step, step_words)
    return _Section(history, parts, charts)


def _first_figure(site: Site, name: str, records: Sequence[Record]) -> list[Record]:
    """Return the first figure in the order of the catalog that enough releases have for a chart; it
    is drawn where a benchmark has no headline."""
    benchmark = site.catalog.benchmark(name)
    results = [
        record
        for record in records
        if site.layout.is_described(record)
        and benchmark.better(record.metric) != "neither"
        and record.metric != engines.LOAD
    ]
    by_figure = grouped(results, lambda r: benchmark.figure_rank(r.metric, r.params))
    for _, of_figure in sorted(by_figure.items(), key=lambda item: item[0]):
        if len({record.guide for record in of_figure}) >= MIN_RELEASES:
            return of_figure
    return []


def _ran_on_cpu(
    site: Site, records: Sequence[Record], figures: Iterable[Record]
) -> dict[tuple[str, str], bool]:
    """Return by release and board whether the engine of a figure ran on the CPU, where that is
    known. ``records`` are all those of the benchmark, which show which engine ran."""
    inferred, loads = engines.inferred(records, site.catalog), engines.loads(records)
    out = {}
    for figure in figures:
        benchmark = site.catalog.benchmarks[figure.benchmark]
        load = loads.get(engines.run_of(figure))
        is_on_cpu = engines.is_on_cpu(benchmark, figure, inferred, load)
        if is_on_cpu is not None:
            short = site.boards.short(figure.guide.soc, figure.board)
            out[figure.guide.release, short] = is_on_cpu
    return out


def _largest_step(
    view: ChartView, ran_on_cpu: Mapping[tuple[str, str], bool], subject: str
) -> tuple[float, str]:
    """Return the largest ratio between two successive figures of a line, and a sentence on it that
    begins with its ``subject``; empty if nothing changed. The sentence says if one ran on the CPU, by release and board, and the
    other did not."""
    largest, sentence = 1.0, ""
    lines = [line for panel in view.panels for line in panel.lines]
    unit = view.y_label.strip(" ↑↓").replace(units.SCORE, "")
    for line in lines:
        for before, after in pairwise(line.points):
            small, large = sorted((abs(before.y), abs(after.y)))
            # A step from or to 0 has no ratio.
            if small and large / small > largest:
                largest = large / small
                board = f" on {line.label}" if len({line.label for line in lines}) > 1 else ""
                figures = f"{units.number(before.y)} → {units.number(after.y)}"
                # Releases between them may lack the figure.
                releases = [view.ticks[round(point.x)] for point in (before, after)]
                sentence = f"{subject}, {' → '.join(releases)}{board}: {figures} {unit}".rstrip()
                sides = {ran_on_cpu.get((release, line.label)) for release in releases}
                sentence += ", as the engine changed" if sides == {True, False} else ""
    return largest, sentence


def _moved_most(page: str, histories: Sequence[PlatformHistory]) -> PageChart | None:
    """Return the first headline of the platforms that moved most, using pictures from their
    sections."""
    drawn = [history for history in histories if history.step and history.picture]
    # Systems that lack the usual figure have another one.
    usual = Counter(history.chart for history in drawn).most_common(1)
    drawn = [history for history in drawn if history.chart == usual[0][0]]
    drawn.sort(key=lambda history: (-history.step, units.natural(history.title)))
    # Name the pictures after their platforms, since they all show the same headline.
    pictures = tuple(
        replace(history.picture, name=". ".join(filter(None, (history.title, history.step_words))))
        for history in drawn[:MAX_MOVED_PLATFORMS]
        if history.picture
    )
    if not pictures:
        return None
    title = f"{drawn[0].chart} over releases"
    if len(drawn) > len(pictures):
        title += f": the {len(pictures)} of {len(drawn)} platforms with the largest steps"
    return PageChart(title, link_name(page, "moved"), pictures, small=True)


def _headlines(site: Site, sections: Sequence[Section]) -> list[Record]:
    """Return the headline figures of some sections."""
    records = (record for section in sections for record in section.records)
    return [
        record
        for record in summaries.headlines(site.catalog, records)
        if site.layout.is_described(record)
    ]

"""The pages of one SoC: the unit of work in a build.

One function reads, pools, judges and writes a SoC with all of its systems and releases, in any
process or on any machine. Other pages need nothing but its summary. The unit is a SoC rather than
one of its systems because systems share boards: rules compare a board's clock across systems, and
the SoC's page shows them together.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from ..bundles import decode, object_store
from ..bundles.containers import Source
from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey
from ..bundles.supersede import Ledger, Withdrawal
from ..catalog.board_names import load as load_boards
from ..catalog.board_names import load_notes
from ..catalog.waivers import load_annotations
from ..charts import gallery
from ..common import units
from ..common.diagnostics import Diagnostic
from ..figures import errata, rows, terms
from ..figures.dataset import Holdings, Settings
from ..figures.pool import Pool, Record
from ..health import report
from ..health.finding import Finding
from ..health.rules import Beyond
from . import (
    benchmark,
    compare,
    context,
    cross_links,
    downloads,
    guide,
    hardware_crypto,
    health,
    newest,
    provenance,
    soc,
    summary,
    write_files,
)
from .answers import Headlines
from .context import Making, Plan, Site
from .guide import GuideOutcome
from .lasting_moves import LastingMove
from .reused_parts import Made, catalog_of, made_by, writer_of
from .sentences import link_name
from .summary import GuideSummary, ListedFinding, Summary


@dataclass(frozen=True, slots=True)
class Unit:
    """The bundles of a SoC.

    ``sources`` are the files with its bundles. ``bundles`` are those that count, each as its origin
    and the hash of its content, sorted by id and runner; ``withdrawn`` are pairs of heads.
    ``descriptions`` is a hash of the descriptions of benchmarks.
    """

    settings: Settings
    descriptions: str
    soc: str
    sources: tuple[Source, ...]
    bundles: tuple[tuple[str, str], ...]
    withdrawn: tuple[Withdrawal, ...]
    spelt: terms.Spelt


@dataclass(frozen=True, slots=True)
class Job:
    """A SoC whose pages are to be made. ``hashes`` has the SHA-256 of existing files, and ``looks``
    the looks of existing pictures. With ``sends_files``, the files are sent back with the result,
    since no folder is shared."""

    unit: Unit
    plan: Plan
    beyond: Beyond
    hashes: Mapping[str, str]
    looks: Mapping[str, str]
    sends_files: bool = False


def read(unit: Unit) -> Holdings:
    """Read the bundles of a SoC. A bundle that changed after its head was read is left out, with a
    diagnostic."""
    settings = unit.settings
    sources = map(object_store.readable_here, unit.sources)
    items = [item for source in sources for item in decode.upload(source, settings.limits)]
    by_content = {(item.origin, item.digest): item for item in items if isinstance(item, Loaded)}
    missing = [
        Diagnostic("changed", origin, "changed while it was read", "build again")
        for origin, digest in unit.bundles
        if (origin, digest) not in by_content
    ]
    bundles = [by_content[content] for content in unit.bundles if content in by_content]

    def with_results(item: Loaded) -> Loaded:
        # Heads lack the results that errata compare.
        return by_content.get((item.origin, item.digest), item)

    withdrawn = [
        Withdrawal(with_results(pair.old), with_results(pair.new)) for pair in unit.withdrawn
    ]
    catalog, _ = catalog_of(settings.benchmarks, unit.descriptions)
    by_hand, _ = load_notes(settings.boards)
    ledger = Ledger(tuple(bundles), tuple(withdrawn), ())
    pool = Pool(rows.build(bundles), catalog, by_hand, unit.spelt)
    return Holdings(catalog, ledger, tuple(missing), pool)


def survey(unit: Unit) -> Made:
    """Return the newest results of a SoC's boards as slices, an encoded list of
    :class:`newest.NewestRun` per benchmark, and the platforms that commands name."""
    boards, _ = load_boards(unit.settings.boards)
    holdings = read(unit)
    surveyed = newest.survey(holdings.pool, holdings.catalog, boards)
    runs = {name: summary.encode(of_benchmark) for name, of_benchmark in surveyed.runs.items()}
    return Made(summary.encode(sorted(surveyed.platforms)), runs)


def make(job: Job) -> Made:
    """Write the pages, data and pictures of a SoC. Returns its encoded :class:`Summary`, and
    slices: a :class:`benchmark.BenchmarkOfSoc` per benchmark, and each finding as in the list for
    programs."""
    settings = job.unit.settings
    writer = writer_of(settings.output, job.hashes, job.sends_files)
    holdings = read(job.unit)
    annotations, _ = load_annotations(settings.waivers)
    boards, _ = load_boards(settings.boards)
    checked = report.check_part(holdings, settings.acknowledged, annotations.levels, job.beyond)
    making = Making(writer)
    guides = holdings.pool.guides()
    site = context.site_of(
        holdings, guides, job.plan, checked.findings, boards, making, settings.limits
    )
    out, slices = write(site, job.unit.soc, settings, checked)
    drawn = gallery.draw_all(writer, making.pictures, settings.formats, job.looks)
    unmade = (*holdings.diagnostics, *checked.failed_rules, *making.unmade)
    return made_by(writer, drawn, summary.encode(out), unmade, slices)


def write(
    site: Site, name: str, settings: Settings, checked: report.PartialHealth
) -> tuple[Summary, dict[str, bytes]]:
    """Write all files of the named SoC except its pictures; return its summary and slices."""
    corrections = errata.find(site.holdings.ledger, site.catalog)
    comparisons = compare.plan(site, settings)
    # Guides come first: they make the comparisons with the previous release, which compare.write()
    # reuses.
    guides = _write_guides(site, comparisons, corrections)
    compared = compare.Comparisons()
    data: dict[GuideKey, downloads.GuideData] = {}
    if site.guides:
        tops = {key: outcome for key, outcome in guides.items() if outcome.results}
        compared = compare.write(site, comparisons)
        states = {pair.address: pair.verdict.state for pair in compared.compared if pair.verdict}
        pages = [pair.address for pair in comparisons.pairs]
        site.making.attempt(
            f"the page of {name}",
            site.addresses.soc[name],
            partial(soc.write, site, name, comparisons.pairs, states, tops),
            partial(soc.write_notice, site, name, pages),
        )
        provenance.write_list(site, name)
        data = downloads.write(site, name, compared.compared, compared.verdicts)
    ranks = {k: rank for keys in site.families.values() for rank, k in enumerate(reversed(keys))}
    slices = _slices(site, checked.findings, compared.moves, guides.values())
    headlines = {key: outcome.headlines for key, outcome in guides.items()}
    deciding = partial(health.decides, site, comparisons.anchors, headlines)
    out = Summary(
        name,
        [
            _summary(site, key, ranks[key], outcome, data.get(key))
            for key, outcome in guides.items()
        ],
        list(dict.fromkeys(chain.from_iterable(of_guide.metrics for of_guide in data.values()))),
        compared.compared,
        [
            ListedFinding(finding.in_brief(), health.entry(site, finding), deciding(finding))
            for finding in checked.findings
        ],
        provenance.write_errata(site, corrections),
        compared.used,
        set(checked.used),
        [
            *comparisons.diagnostics,
            *(_as_utf8(d) for outcome in guides.values() for d in outcome.diagnostics),
        ],
    )
    return out, slices


def _slices(
    site: Site,
    findings: Sequence[Finding],
    moves: Sequence[LastingMove],
    guides: Collection[GuideOutcome],
) -> dict[str, bytes]:
    """Write the pages of releases, and return the slices of a SoC."""
    marking: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.rule.marks:
            # Another process makes the page of the benchmark, and numbers its rows differently.
            marking.setdefault(finding.benchmark, []).append(_without_rows(finding))
    slices = {}
    for name in site.pool.benchmarks():
        answers = (guide.worth for guide in guides if guide.worth)
        of_soc = benchmark.write_releases(
            site,
            name,
            marking.get(name, ()),
            [move for move in moves if move.benchmark == name],
            hardware_crypto.newest_answer(answer for answer in answers if answer.benchmark == name),
        )
        slices[benchmark_slice(name)] = summary.encode(of_soc)
    for finding in findings:
        listed = report.listed_finding(finding, site.pool, site.layout, site.addresses)
        slices[finding_slice(finding)] = summary.encode(listed)
    return slices


def benchmark_slice(name: str) -> str:
    """Return the name of the slice with a SoC's figures of a benchmark."""
    return f"benchmark {name}"


def finding_slice(finding: Finding) -> str:
    """Return the name of the slice with a finding as in the list for programs."""
    return f"finding {finding.id}"


def _write_guides(
    site: Site, comparisons: compare.ComparisonPlan, corrections: Sequence[errata.Erratum]
) -> dict[GuideKey, GuideOutcome]:
    """Write the guides of a SoC, and the pages that lead to the newest of each system."""
    links, headlines = cross_links.links_of_guides(site), Headlines(site, comparisons)
    corrected = {change.record.guide for correction in corrections for change in correction.changes}
    guides = {}
    for key in site.guides:
        page = site.plan.errata[key] if key in corrected else ""
        guides[key] = site.making.attempt(
            f"the guide of {key}",
            site.addresses.guide[key],
            partial(_guide, site, key, links[key], headlines, link_name(page)),
            partial(guide.write_notice, site, key),
        )
    for keys in site.families.values():
        target = site.addresses.guide[keys[-1]].rpartition("/")[2]
        values: dict[str, Any] = {"key": keys[-1], "target": target}
        write_files.page(site, site.addresses.latest(keys[-1]), "latest.rst.jinja", **values)
    return guides


def _guide(
    site: Site, key: GuideKey, links: cross_links.GuideLinks, headlines: Headlines, errata: str
) -> GuideOutcome:
    return guide.write(site, key, links, headlines.of(key), errata)


def _summary(
    site: Site, key: GuideKey, rank: int, outcome: GuideOutcome, data: downloads.GuideData | None
) -> GuideSummary:
    loaded = site.pool.bundles_of([key])
    bundles = [item.bundle for item in loaded]
    return GuideSummary(
        key,
        replace(outcome.findable, rank=rank),
        sorted({bundle.board.name for bundle in bundles}, key=units.natural),
        site.pool.count(key),
        # MessagePack converts times to UTC, which could shift the day.
        max(bundle.created for bundle in bundles).replace(tzinfo=datetime.UTC),
        data.listed if data else None,
        outcome.best,
        sorted({name for item in loaded for name, _, _ in item.results.columns.triples()}),
    )


def _without_rows(finding: Finding) -> Finding:
    """Return a finding whose figures do not refer to rows of this SoC's pool."""

    def bare(record: Record) -> Record:
        return replace(record, cell=replace(record.cell, samples=(), members=()))

    suspects = (replace(suspect, record=bare(suspect.record)) for suspect in finding.suspects)
    return replace(finding, suspects=tuple(suspects))


def _as_utf8(finding: Diagnostic) -> Diagnostic:
    """Return a finding whose texts can be encoded, whatever the bytes of its file name."""
    origin = finding.origin.encode("utf-8", "backslashreplace").decode()
    message = finding.message.encode("utf-8", "backslashreplace").decode()
    return replace(finding, origin=origin, message=message)

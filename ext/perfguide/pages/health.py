"""The report on the health of figures: its pages, its table and its JSON file."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..bundles.guide_key import GuideKey, family, version
from ..common import slugs, units
from ..common.diagnostics import SEVERITIES, Severity
from ..common.grouping import grouped
from ..export import json_api
from ..health.finding import KIND_WORDS, LEGEND, Finding, Rule, counts, kind_counts
from ..health.report import (
    COUNTED,
    PAGE,
    Health,
    by_guide,
    head,
    lost_line,
    pages_of_findings,
    shared_causes,
    with_pages,
)
from ..tables.anchors import Anchors
from ..tables.grids import listing
from . import search_words, write_files, write_tables
from .context import Site
from .search_words import FindablePage, FindableSection
from .sentences import Link, link_name, section_name

MAX_TABLE_LINKS = 6
"""The number of tables that a finding links to; its JSON entry names all its figures."""


MAX_OPEN = 8
"""The number of findings that bear on a decision, and of shared causes, not folded away."""

MAX_EXAMPLES = 3
"""The number of findings shown as examples of a cause that many guides share."""

MAX_SOCS = 8
"""The number of SoCs that have an example each, if they have a cause in common."""

MAX_SINGLE = 5
"""The number of single findings in the first table; the full list has the others."""

KINDS = {severity: units.capital(words) for severity, words in KIND_WORDS.items()}
"""Words for findings at the beginning of a line."""


Entries = Mapping[str, Mapping[str, object]]
"""Findings as pages show them (:func:`entry`), by id."""


def write(
    site: Site,
    health: Health,
    entries: Entries,
    decides: Mapping[str, str],
    listed: Iterable[dict[str, Any]],
    measured: Mapping[GuideKey, datetime.date],
) -> None:
    """Write the page, the table of counts, and all findings as JSON. ``decides`` has the decision
    that each finding bears on, ``listed`` the findings of ``health`` as JSON objects in the same
    order, and ``measured`` the day of each guide's newest run."""
    with_addresses = with_pages(listed, health, site.addresses)
    pieces = json_api.listed_pieces(head(health), "findings", with_addresses)
    site.writer.write_pieces(f"{PAGE}/findings.json", pieces)
    pages = pages_of_findings(health, site.addresses)
    accepted = [finding for finding in health.accepted if pages[finding.id] == PAGE]
    ages = _Ages(frozenset(keys[-1] for keys in site.families.values()), measured)
    bearing = [finding for finding in health.open if decides[finding.id]]
    deciding = _by_cause(bearing, ages)
    rest = [finding for finding in health.open if not decides[finding.id]]
    causes = shared_causes(rest, ages.newest)
    in_causes = {finding.id for _, _, members in causes for finding in members}
    single = [finding for finding in rest if finding.id not in in_causes]
    single.sort(key=ages.of)
    folds = [_deciding(findings, entries, decides) for findings in deciding]
    shared = [_shared(ages, rule, findings, entries) for rule, _, findings in causes]
    write_files.page(
        site,
        PAGE,
        "health.rst.jinja",
        total=units.with_noun(len(health.open), "finding") if health.open else "No findings",
        parts=_parts(len(bearing), len(in_causes), len(causes), len(single)),
        kinds=_kinds(health),
        signs=LEGEND,
        roles=["perf-small", *(_kind(severity)[0] for severity in SEVERITIES)],
        lost=lost_line(health),
        counts=_counts(site, health),
        deciding=folds[:MAX_OPEN],
        more_deciding=folds[MAX_OPEN:],
        shared=shared[:MAX_OPEN],
        more_shared=shared[MAX_OPEN:],
        single=[_single(finding, entries) for finding in single[:MAX_SINGLE]],
        singles=len(single),
        all_findings=section_name(PAGE, "all-findings"),
        socs=_by_soc(
            [
                _group(site, title, findings, pages, entries)
                for title, findings in by_guide(health.open).items()
            ]
        ),
        accepted=[entries[finding.id] for finding in accepted],
        elsewhere=_links(health.accepted, pages),
        unused=[d for d in health.diagnostics if d.kind == "acknowledged-unused"],
    )
    for page in dict.fromkeys(page for page in pages.values() if page != PAGE):
        _write_page(site, page, health, pages, entries)


def _counts(site: Site, health: Health) -> write_tables.PageTable | None:
    """Write the table with the number of findings of each rule."""
    rows = [
        (
            rule.title,
            KINDS[rule.severity],
            units.count_cell(findings),
            units.count_cell(figures),
            rule.about,
        )
        for rule, findings, figures in counts(health.open)
    ]
    grid = listing(("What is wrong", "Kind", "Findings", "Figures", "When"), rows)
    return write_tables.table(site, PAGE, "counts", "Findings by rule", grid) if rows else None


def findable(systems: Iterable[str]) -> FindablePage:
    """Return the report for the search, which leads to it from its words and the names of SoCs."""
    words = search_words.split("Health", "findings finding doubts doubt wrong suspect")
    section = FindableSection("health", "Findings of each SoC", words, is_answer=True)
    page_words = search_words.split(*words, *systems)
    return FindablePage(PAGE, "Health", page_words, (section,))


Headlines = Mapping[GuideKey, Mapping[tuple[str, str], str]]
"""The names of the figures in each guide's first table, by row address and board."""


def decides(site: Site, anchors: Anchors, headlines: Headlines, finding: Finding) -> str:
    """Return the decision that a finding bears on: through a figure in its guide's first table, or
    one that others are computed from. Empty if there is none."""
    benchmark = site.catalog.get(finding.benchmark)
    # Lost figures are only counted, and a rule without marks casts doubt on no single figure.
    if finding.rule.id in COUNTED or not finding.rule.marks or benchmark is None:
        return ""
    # A note is about a figure that is correct, if coarse.
    if finding.severity == "note":
        return ""
    bases = {name for metric in benchmark.entry.metrics for name in metric.computed_from}
    leading, computed = dict[str, None](), ""
    for suspect in finding.suspects:
        record = suspect.record
        metric = benchmark.metric(record.metric)
        if metric and metric.headline and metric.short:
            anchor = anchors.of(record)
            row = f"{slugs.anchor(anchor.table)}{anchor.row}"
            if name := headlines[record.guide].get((row, record.board), ""):
                leading[name] = None
        if record.metric in bases:
            computed = benchmark.metric_label(record.metric)
    if leading:
        return f"{units.enumeration(list(leading))}: in the first table of its guide"
    return f"{computed}: others are computed from it" if computed else ""


@dataclass(frozen=True, slots=True)
class _Ages:
    """The newest guides of all platforms, and the day of each guide's newest run."""

    newest: frozenset[GuideKey]
    measured: Mapping[GuideKey, datetime.date]

    def of(self, finding: Finding) -> tuple[object, ...]:
        """Return a key that sorts findings of newest guides first, then the most recently measured,
        and within a day by severity and weight."""
        day = self.measured[finding.guide].toordinal()
        rank = SEVERITIES.index(finding.severity), -finding.weight
        return finding.guide not in self.newest, -day, *rank


def _by_cause(findings: Iterable[Finding], ages: _Ages) -> list[list[Finding]]:
    """Group findings of one rule about one benchmark, most important first."""
    ordered = sorted(findings, key=ages.of)
    return list(grouped(ordered, lambda finding: (finding.rule.id, finding.benchmark)).values())


def _parts(bearing: int, explained: int, causes: int, single: int) -> list[tuple[str, str]]:
    """Return what becomes of the findings, each counted once, as (words, section)."""
    shared = f"{explained:,} come from {units.with_noun(causes, 'shared cause')}"
    parts = [
        (bearing, f"{bearing:,} could change a decision", "decisions"),
        (explained, shared, "shared-causes"),
        (single, f"{single:,} {'stands' if single == 1 else 'stand'} alone", "single"),
    ]
    return [(words, section_name(PAGE, section)) for count, words, section in parts if count]


def _kinds(health: Health) -> str:
    """Return the number of open findings of each kind, and of accepted ones."""
    parts = kind_counts(finding.severity for finding in health.open).values()
    accepted = len(health.accepted)
    return f"{', '.join(parts)}{f'; {accepted:,} more acknowledged' if accepted else ''}"


def _deciding(
    findings: Sequence[Finding], entries: Entries, decides: Mapping[str, str]
) -> dict[str, object]:
    """Return findings of one rule and benchmark as a fold, with the first of each SoC as examples.
    Several are titled by what they have in common."""
    first = findings[0]
    by_soc = grouped(findings, lambda finding: finding.guide.soc)
    title, detail = _title(first, entries), f"{units.capital(first.rule.title)}: {first.guide}"
    if len(findings) > 1:
        title = _cause(first.rule, entries[first.id])
        detail = f"{len(findings):,} findings on {units.enumeration([*by_soc])}, "
        detail += f"such as {first.guide}, {entries[first.id]['worst']}"
    return {
        "kind": _kind(first.severity),
        "title": title,
        "detail": detail,
        "id": first.id,
        "decides": decides[first.id],
        "examples": [
            (of_soc[0].id, _with_more(of_soc), entries[of_soc[0].id]["worst"])
            for of_soc in [*by_soc.values()][:MAX_SOCS]
        ],
        "advice": f"{units.capital(first.rule.advice)}.",
    }


def _with_more(findings: Sequence[Finding]) -> str:
    """Return the guide of the first finding, and the number of others."""
    more = f" and {len(findings) - 1} more" if len(findings) > 1 else ""
    return f"{findings[0].guide}{more}"


def _title(finding: Finding, entries: Entries) -> str:
    """Return the worst figure of a finding with its benchmark and board."""
    entry = entries[finding.id]
    return f"{entry['benchmark']}, {finding.guide.soc} {entry['worst']}"


def _cause(rule: Rule, entry: Mapping[str, object]) -> str:
    """Return what findings of one rule about one benchmark have in common."""
    return f"{entry['benchmark']}: {rule.title}"


def _kind(severity: Severity) -> tuple[str, str]:
    """Return the class and word of a badge."""
    return f"perf-badge-{severity}", KINDS[severity]


def _single(finding: Finding, entries: Entries) -> dict[str, object]:
    return {
        "id": finding.id,
        "guide": str(finding.guide),
        "benchmark": entries[finding.id]["benchmark"],
        "kind": _kind(finding.severity),
        "title": finding.rule.title,
        "worst": entries[finding.id]["worst"],
    }


def _shared(
    ages: _Ages, rule: Rule, findings: Sequence[Finding], entries: Entries
) -> dict[str, object]:
    """Return a cause that many guides share as a fold, with a few examples."""
    guides = {finding.guide for finding in findings}
    figures = sum(finding.figures for finding in findings)
    newest = len(guides & ages.newest) or "none"
    examples = sorted(findings, key=ages.of)[:MAX_EXAMPLES]
    return {
        "kind": _kind(rule.severity),
        "title": _cause(rule, entries[examples[0].id]),
        "detail": f"{figures:,} figures in {len(guides):,} guides, {newest} of them the newest, such as "
        f"{examples[0].guide}, {entries[examples[0].id]['worst']}",
        "examples": [(f.id, str(f.guide), str(entries[f.id]["reason"])) for f in examples],
        "advice": f"{units.capital(rule.advice)}.",
    }


def _write_page(
    site: Site, page: str, health: Health, pages: Mapping[str, str], entries: Entries
) -> None:
    """Write a page with the findings about one guide, for which the report has no room."""
    here = [f for f in (*health.open, *health.accepted) if pages[f.id] == page]
    key = here[0].guide
    write_files.page(
        site,
        page,
        "health_of.rst.jinja",
        title=f"Health of {key}",
        roles=[_kind(severity)[0] for severity in SEVERITIES],
        elsewhere=[
            Link("Health of all figures", PAGE),
            Link(f"Guide of {key}", site.addresses.guide[key]),
        ],
        findings=[entries[finding.id] for finding in here if not finding.acknowledged],
        accepted=[entries[finding.id] for finding in here if finding.acknowledged],
        others=[
            (_kind(finding.severity), finding.id, _title(finding, entries), finding.rule.title)
            for finding in health.open
            if finding.guide == key and pages[finding.id] == PAGE
        ],
    )


def _links(findings: Sequence[Finding], pages: Mapping[str, str]) -> list[Link]:
    """Return links to the pages of single guides that have some of the findings."""
    counts = Counter((pages[f.id], str(f.guide)) for f in findings if pages[f.id] != PAGE)
    return [
        Link(f"{guide}: {count} finding{'s' if count != 1 else ''}", page)
        for (page, guide), count in counts.items()
    ]


def section_of(site: Site, key: GuideKey) -> str:
    """Return the link name of the section with a guide's findings."""
    return f"findings-{slugs.slug(slugs.words(site.addresses.guide[key].partition('/')[2]))}"


def _group(
    site: Site, title: str, findings: list[Finding], pages: Mapping[str, str], entries: Entries
) -> dict[str, Any]:
    return {
        "title": f"{title}: {units.with_noun(len(findings), 'finding')}",
        "name": section_name(PAGE, section_of(site, findings[0].guide)),
        "key": findings[0].guide,
        "count": len(findings),
        "detail": _by_benchmark(findings, entries),
        "findings": [entries[finding.id] for finding in findings if pages[finding.id] == PAGE],
        "elsewhere": _links(findings, pages),
    }


def _by_benchmark(findings: Iterable[Finding], entries: Entries) -> str:
    """Return the number of findings about each benchmark: ``STREAM 2 · NBench 1``."""
    numbers = Counter(str(entries[finding.id]["benchmark"]) for finding in findings)
    return " · ".join(f"{benchmark} {number}" for benchmark, number in numbers.most_common())


def _by_soc(groups: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the findings of guides by SoC, newest release of each system first."""
    socs: dict[str, list[dict[str, Any]]] = {}
    for group in sorted(groups, key=lambda group: version(group["key"].release), reverse=True):
        socs.setdefault(group["key"].soc, []).append(group)
    for of_soc in socs.values():
        of_soc.sort(key=lambda group: family(group["key"]))  # stable, so releases stay in order
    return [
        {
            "title": soc,
            "name": section_name(PAGE, f"findings-of-{slugs.slug(slugs.words(soc))}"),
            "count": sum(group["count"] for group in of_soc),
            "detail": f"{units.with_noun(sum(group['count'] for group in of_soc), 'finding')} in "
            f"{units.with_noun(len(of_soc), 'guide')}",
            "groups": of_soc,
        }
        for soc, of_soc in sorted(socs.items(), key=lambda item: units.natural(item[0]))
    ]


def entry(site: Site, finding: Finding) -> dict[str, object]:
    """Return a finding as a page shows it."""
    board_name = partial(site.boards.short, finding.guide.soc)
    tables: dict[str, str] = {}
    for suspect in finding.suspects:
        record = suspect.record
        page = site.addresses.guide[record.guide]
        # A finding about one release may have figures from another, which the link then names.
        other = "" if record.guide == finding.guide else record.guide.release
        tables.setdefault(link_name(page, site.layout.table(record)), other)
    return {
        "id": finding.id,
        "kind": _kind(finding.severity),
        "title": finding.rule.title,
        "benchmark": site.catalog.title(finding.benchmark),
        "guide": str(finding.guide),
        "worst": finding.worst_with(board_name),
        "reason": finding.reason_with(board_name),
        "advice": finding.rule.advice,
        "accepted": finding.acknowledged,
        "tables": list(tables.items())[:MAX_TABLE_LINKS],
        "more": max(0, len(tables) - MAX_TABLE_LINKS),
    }

"""The report on the health of figures: its pages, its table and its JSON file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..bundles.guide_key import GuideKey
from ..common import slugs, units
from ..export import json_api
from ..health.finding import Finding, Rule, counts
from ..health.report import (
    PAGE,
    Health,
    by_guide,
    head,
    lost_line,
    pages_of_findings,
    shared_causes,
    summary,
    with_pages,
)
from ..tables.grids import listing
from . import write_files, write_tables
from .context import Site
from .sentences import Link, link_name

MAX_TABLE_LINKS = 6
"""Tables that a finding links to; its entry in the JSON file names all its figures."""


Entries = Mapping[str, Mapping[str, object]]
"""Findings as pages show them (:func:`entry`), by their ids."""


def write(site: Site, health: Health, entries: Entries, listed: Iterable[dict[str, Any]]) -> None:
    """Write the page, the table of counts, and all findings as JSON. ``listed`` are those of
    ``health`` as JSON objects, in the same order."""
    with_addresses = with_pages(listed, health, site.addresses)
    pieces = json_api.listed_pieces(head(health), "findings", with_addresses)
    site.writer.write_pieces(f"{PAGE}/findings.json", pieces)
    rows = [
        (rule.title, rule.severity, units.counted(findings), units.counted(figures), rule.about)
        for rule, findings, figures in counts(health.open)
    ]
    grid = listing(("What is wrong", "Severity", "Findings", "Figures", "When"), rows)
    pages = pages_of_findings(health, site.addresses)
    accepted = [finding for finding in health.accepted if pages[finding.id] == PAGE]
    write_files.page(
        site,
        PAGE,
        "health.rst.jinja",
        summary=summary(health),
        lost=lost_line(health),
        counts=write_tables.table(site, PAGE, "counts", "Findings by rule", grid) if rows else None,
        shared=[_shared(site, *each, entries) for each in shared_causes(health.open)],
        groups=[
            _group(site, title, own, pages, entries) for title, own in by_guide(health.open).items()
        ],
        accepted=[entries[finding.id] for finding in accepted],
        elsewhere=_links(health.accepted, pages),
        unused=[d for d in health.diagnostics if d.kind == "acknowledged-unused"],
    )
    for page in dict.fromkeys(page for page in pages.values() if page != PAGE):
        _write_page(site, page, health, pages, entries)


def _shared(
    site: Site, rule: Rule, benchmark: str, findings: Sequence[Finding], entries: Entries
) -> dict[str, str]:
    """Return a cause that many guides share, in one line."""
    guides = len({finding.guide for finding in findings})
    figures = sum(finding.figures for finding in findings)
    return {
        "title": f"{site.catalog.title(benchmark)}: {rule.title}",
        "count": f"{units.number(figures, 0)} figures in {units.number(guides, 0)} guides",
        "example": f"{findings[0].guide}: {entries[findings[0].id]['reason']}",
        "advice": f"{rule.advice[:1].upper()}{rule.advice[1:]}",
    }


def _write_page(
    site: Site, page: str, health: Health, pages: Mapping[str, str], entries: Entries
) -> None:
    """Write a page with the findings about one guide, for which the report has no room."""
    open_findings, accepted = (
        [finding for finding in findings if pages[finding.id] == page]
        for findings in (health.open, health.accepted)
    )
    key = (*open_findings, *accepted)[0].guide
    write_files.page(
        site,
        page,
        "health_of.rst.jinja",
        title=f"Health of {key}",
        elsewhere=[Link("Health of all figures", PAGE)],
        findings=[entries[finding.id] for finding in open_findings],
        accepted=[entries[finding.id] for finding in accepted],
    )


def _links(findings: Sequence[Finding], pages: Mapping[str, str]) -> list[Link]:
    """Return links to the pages of single guides that have some of the findings."""
    counts = Counter((pages[f.id], str(f.guide)) for f in findings if pages[f.id] != PAGE)
    return [
        Link(f"{guide}: {count} finding{'s' if count != 1 else ''}", page)
        for (page, guide), count in counts.items()
    ]


def section_of(site: Site, key: GuideKey) -> str:
    """Return the link name of the section with the findings about a guide."""
    return f"findings-{slugs.slug(slugs.words(site.addresses.guide[key].partition('/')[2]))}"


def _group(
    site: Site, title: str, findings: list[Finding], pages: Mapping[str, str], entries: Entries
) -> dict[str, object]:
    return {
        "title": title,
        "id": section_of(site, findings[0].guide),
        "findings": [entries[each.id] for each in findings if pages[each.id] == PAGE],
        "elsewhere": _links(findings, pages),
    }


def entry(site: Site, finding: Finding) -> dict[str, object]:
    """Return a finding as a page shows it."""
    tables: dict[str, str] = {}
    for suspect in finding.suspects:
        record = suspect.record
        page = site.addresses.guide[record.guide]
        # A finding about a release can have figures of another one, which the link then names.
        other = "" if record.guide == finding.guide else record.guide.release
        tables.setdefault(link_name(page, site.layout.table(record)), other)
    return {
        "id": finding.id,
        "severity": finding.severity.capitalize(),
        "title": finding.rule.title,
        "benchmark": site.catalog.title(finding.benchmark),
        "guide": str(finding.guide),
        "reason": finding.reason,
        "advice": finding.rule.advice,
        "accepted": finding.acknowledged,
        "tables": list(tables.items())[:MAX_TABLE_LINKS],
        "more": max(0, len(tables) - MAX_TABLE_LINKS),
    }

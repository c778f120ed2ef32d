"""The report on the health of figures, as a page with its files."""

from __future__ import annotations

import json

from ..common import slugs
from ..health.finding import Finding, counts
from ..health.report import PAGE, Health, as_json, summary, titles
from ..tables.grids import listing
from .pieces import Pieces, label

MOST_TABLES = 6
"""Tables that a finding leads to; its figures in the file of all findings name the rest."""


def write(site: Pieces, checked: Health) -> None:
    """Write the page, the table of counts, and all findings as JSON."""
    found = as_json(site.holdings, checked)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    site.writer.write(f"{PAGE}/findings.json", text.encode("utf-8", "backslashreplace") + b"\n")
    rows = [
        (rule.title, rule.severity, str(findings), str(figures), rule.about)
        for rule, findings, figures in counts(checked.open)
    ]
    head = ("What is wrong", "Severity", "Findings", "Figures", "When")
    site.page(
        PAGE,
        "health.rst.jinja",
        summary=summary(checked),
        counts=site.table(PAGE, "counts", "Findings by rule", listing(head, rows))
        if rows
        else None,
        groups=[_group(site, title, own) for title, own in titles(checked.open).items()],
        accepted=[_shown(site, finding) for finding in checked.accepted],
        unused=[d for d in checked.diagnostics if d.kind == "acknowledged-unused"],
    )


def _group(site: Pieces, title: str, found: list[Finding]) -> dict[str, object]:
    address = site.addresses.guide[found[0].guide]
    return {
        "title": title,
        "id": f"findings-{slugs.slug(slugs.words(address.partition('/')[2]))}",
        "findings": [_shown(site, finding) for finding in found],
    }


def _shown(site: Pieces, finding: Finding) -> dict[str, object]:
    tables: dict[str, str] = {}
    for suspect in finding.suspects:
        record = suspect.record
        page = site.addresses.guide[record.guide]
        other = "" if record.guide == finding.guide else record.guide.release
        tables.setdefault(label(page, site.layout.table(record)), other)
    known = site.holdings.catalog.get(finding.benchmark)
    return {
        "id": finding.id,
        "severity": finding.severity.capitalize(),
        "title": finding.rule.title,
        "benchmark": known.entry.title if known else finding.benchmark,
        "guide": str(finding.guide),
        "reason": finding.reason,
        "advice": finding.rule.advice,
        "accepted": finding.acknowledged,
        "tables": list(tables.items())[:MOST_TABLES],
        "more": max(0, len(tables) - MOST_TABLES),
    }

"""The report of findings, as text and as JSON, with counts, addresses and sources."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..bundles.guide_key import GuideKey
from ..catalog.waivers import Annotation, Level
from ..common.diagnostics import SEVERITIES, Diagnostic, visible
from ..common.grouping import grouped
from ..figures.dataset import Addresses, Holdings, plan
from ..figures.pool import Pool
from ..figures.provenance import facts
from ..tables.assign import Layout
from . import acknowledged as acknowledge
from . import rules
from .finding import Finding, Rule, Suspect

PAGE = "reports/health"
"""The report's address, relative to the output folder."""


MAX_FINDINGS = 400
"""The most findings on the report itself; beyond these, guides get pages of their own."""

COUNTED = {"lost-table", "lost-rows"}
"""Rules whose findings are only counted. They are half of all findings and would bury those about
wrong figures; comparisons list them."""


@dataclass(frozen=True, slots=True)
class Health:
    """All findings, most important first, and diagnostics: faults of the file of accepted findings,
    and rules that failed."""

    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def open(self) -> tuple[Finding, ...]:
        """The findings that are not accepted, other than those that are only counted."""
        return tuple(f for f in self.findings if not f.acknowledged and f.rule.id not in COUNTED)

    @property
    def lost(self) -> tuple[Finding, ...]:
        """The findings about lost figures that are not accepted."""
        return tuple(f for f in self.findings if not f.acknowledged and f.rule.id in COUNTED)

    @property
    def accepted(self) -> tuple[Finding, ...]:
        """The accepted findings."""
        return tuple(f for f in self.findings if f.acknowledged)


def check(
    holdings: Holdings, acknowledged: Path | None, levels: Sequence[Annotation[Level]] = ()
) -> Health:
    """Apply every rule to all figures. ``acknowledged`` is a file of accepted findings, and
    ``levels`` name figures with a new level."""
    part = check_part(holdings, acknowledged, levels)
    # An entry is unused only if it applies to no SoC.
    faults = acknowledge.faults(acknowledged, rules.RULES, part.used)
    return Health(part.findings, (*faults, *part.failed_rules))


@dataclass(frozen=True, slots=True)
class PartialHealth:
    """The findings about the figures of one SoC, the numbers of the acknowledgements that apply,
    and diagnostics of rules that failed."""

    findings: tuple[Finding, ...]
    used: frozenset[int]
    failed_rules: tuple[Diagnostic, ...]


def check_part(
    holdings: Holdings,
    acknowledged: Path | None,
    levels: Sequence[Annotation[Level]] = (),
    beyond: rules.Beyond | None = None,
) -> PartialHealth:
    """Apply every rule to the figures of one SoC. ``beyond`` has facts about the others, if any."""
    findings, failed_rules = rules.examine(holdings.pool, holdings.catalog, beyond)
    # The faults of the file are reported once for all SoCs, by :func:`check`.
    entries, _ = acknowledge.load(acknowledged, rules.RULES)
    settled, used = acknowledge.apply(findings, entries, levels)
    return PartialHealth(tuple(settled), frozenset(used), tuple(failed_rules))


def as_json(holdings: Holdings, checked: Health) -> dict[str, Any]:
    """Return all findings in machine-readable form.

    A finding has ``id rule severity title guide benchmark reason advice acknowledged page cells``;
    ``acknowledged`` is the reason for accepting it or ``null``, and ``page`` its address. A cell
    has ``guide board benchmark metric params unit mean min max detail section sources``; ``mean``
    is ``null`` if the measurement failed, ``section`` is an address, and a source has ``bundle``,
    ``file`` and the JSON ``pointer`` of the result. Addresses are relative to the output folder.
    """
    pool = holdings.pool
    addresses, layout = plan(pool.guides(), pool.benchmarks()), Layout(holdings.catalog)
    findings = [listed_finding(finding, pool, layout, addresses) for finding in checked.findings]
    return head(checked) | {"findings": list(with_pages(findings, checked, addresses))}


def with_pages(
    findings: Iterable[dict[str, Any]], checked: Health, addresses: Addresses
) -> Iterator[dict[str, Any]]:
    """Yield listed findings with their addresses, which depend on the number of findings."""
    pages = pages_of_findings(checked, addresses)
    for finding in findings:
        page = f"{pages[finding['id']]}#{finding['id']}" if finding["id"] in pages else PAGE
        yield finding | {"page": page}


def head(checked: Health) -> dict[str, Any]:
    """Return the format, its version, and the number of open findings by severity."""
    counts = {kind: sum(f.severity == kind for f in checked.open) for kind in SEVERITIES}
    return {"format": "perfguide-health", "version": 1, "counts": counts}


def listed_finding(
    finding: Finding, pool: Pool, layout: Layout, addresses: Addresses
) -> dict[str, Any]:
    """Return a finding as listed by :func:`as_json`, but with an empty ``page``."""

    def bundle(position: int) -> dict[str, str]:
        facts_of_bundle = facts(pool.frame.bundles[position])
        # File names are not always valid UTF-8.
        file = facts_of_bundle["file"].encode("utf-8", "backslashreplace").decode()
        return {"bundle": facts_of_bundle["bundle"], "file": file}

    def cell(suspect: Suspect) -> dict[str, Any]:
        record = suspect.record
        places = pool.positions_of(record.cell.members)
        return {
            "guide": asdict(record.guide),
            "board": record.board,
            "benchmark": record.benchmark,
            "metric": record.metric,
            "params": record.params,
            "unit": record.unit,
            "mean": record.cell.mean,
            "min": record.cell.low,
            "max": record.cell.high,
            "detail": suspect.detail,
            "section": f"{addresses.guide[record.guide]}#{layout.anchor(record)}",
            "sources": [
                bundle(number) | {"pointer": f"/results/{index}"} for number, index in places
            ],
        }

    return {
        "id": finding.id,
        "rule": finding.rule.id,
        "severity": finding.severity,
        "title": finding.rule.title,
        "guide": asdict(finding.guide),
        "benchmark": finding.benchmark,
        "reason": finding.reason,
        "advice": finding.rule.advice,
        "acknowledged": finding.acknowledged or None,
        "page": "",
        "cells": [cell(suspect) for suspect in finding.suspects],
    }


def as_text(checked: Health, width: int = 0) -> str:
    """Return all findings for a terminal, with control characters escaped.

    ``width`` is the most characters in a line; 0 means that of the terminal, up to 100.
    """
    width = width or min(100, shutil.get_terminal_size().columns)
    lines = [line for finding in checked.open for line in _lines(finding, width)]
    if checked.accepted:
        lines += ["acknowledged", ""]
        lines += [line for finding in checked.accepted for line in _lines(finding, width)]
    return "".join(f"{line}\n" for line in [*lines, *lost_line(checked), summary(checked)])


def lost_line(checked: Health) -> list[str]:
    """Return one line that counts the lost figures, or no line if there are none."""
    count = sum(finding.figures for finding in checked.lost)
    guides = len({finding.guide for finding in checked.lost})
    if not count:
        return []
    figures = "1 figure" if count == 1 else f"{count:,} figures"
    where = "1 release lacks" if guides == 1 else f"{guides:,} releases lack"
    return [f"{where} {figures} that the release before had; the comparisons list them"]


def _lines(finding: Finding, width: int) -> Iterator[str]:
    head = f"{finding.severity}: {finding.guide}, {finding.benchmark}: {finding.rule.title}"
    advice = f"what to do: {finding.rule.advice}"
    accepted = f"accepted: {finding.acknowledged}" if finding.acknowledged else advice
    for text in (head, finding.reason, accepted, f"[{finding.id}]"):
        indent = "" if text is head else "  "
        # The default limit is for names; a reason with its figures may be far longer.
        text = visible(text, 100_000)
        yield from textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent)
    yield ""


def summary(checked: Health) -> str:
    """Return the counts of findings: ``2 errors, 1 warning, no notes; 3 acknowledged``."""
    parts = []
    for severity in SEVERITIES:
        count = sum(f.severity == severity for f in checked.open)
        parts.append(f"{count or 'no'} {severity}{'' if count == 1 else 's'}")
    more = f"; {len(checked.accepted)} acknowledged" if checked.accepted else ""
    return ", ".join(parts) + more


def pages_of_findings(checked: Health, addresses: Addresses) -> dict[str, str]:
    """Return the page of each listed finding by its id: the report or, once that is full
    (``MAX_FINDINGS``), the page of its guide."""
    room, out = MAX_FINDINGS, dict[str, str]()
    # Accepted findings come last, so that they never push an open one off the report.
    for findings in (*by_guide(checked.open).values(), *by_guide(checked.accepted).values()):
        room -= len(findings)
        guide_page = addresses.guide[findings[0].guide].partition("/")[2]
        page = PAGE if room >= 0 else f"{PAGE}/{guide_page}"
        out |= {finding.id: page for finding in findings}
    return out


MIN_SHARING_GUIDES = 8
"""The fewest guides with findings of one rule about one benchmark that suggest a shared cause."""


def shared_causes(
    findings: Iterable[Finding], newest: Collection[GuideKey]
) -> list[tuple[Rule, str, list[Finding]]]:
    """Return each rule with findings about one benchmark in many guides, with the benchmark and the
    findings; those in most of the ``newest`` guides come first."""
    by_rule = grouped(findings, lambda finding: (finding.rule.id, finding.benchmark))
    causes = [
        (alike[0].rule, alike[0].benchmark, alike)
        for alike in by_rule.values()
        if len({finding.guide for finding in alike}) >= MIN_SHARING_GUIDES
    ]

    def rank(cause: tuple[Rule, str, list[Finding]]) -> tuple[object, ...]:
        rule, benchmark, alike = cause
        in_newest = len({finding.guide for finding in alike} & {*newest})
        return -in_newest, -sum(finding.figures for finding in alike), rule.id, benchmark

    return sorted(causes, key=rank)


def by_guide(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Group findings by the name of their guide, in the order in which guides first appear."""
    return grouped(findings, lambda finding: str(finding.guide))

"""Findings with all that reports say of them: addresses, sources, counts."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bundles.guide_key import GuideKey, family
from ..common.diagnostics import SEVERITIES, Diagnostic, visible
from ..figures.dataset import Addresses, Holdings, plan
from ..figures.query import sources
from ..tables.assign import Layout
from . import acknowledged as acknowledge
from . import rules
from .finding import Finding, Suspect

PAGE = "reports/health"
"""The report's address below the output folder."""


@dataclass(frozen=True, slots=True)
class Health:
    """All findings, the most important first, and what is wrong with the file of
    acknowledgements."""

    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def open(self) -> tuple[Finding, ...]:
        """The findings that nobody has accepted."""
        return tuple(f for f in self.findings if not f.acknowledged)

    @property
    def accepted(self) -> tuple[Finding, ...]:
        """The findings that somebody has accepted, with a reason."""
        return tuple(f for f in self.findings if f.acknowledged)


def check(held: Holdings, acknowledged: Path | None) -> Health:
    """Apply every rule to all figures; ``acknowledged`` is a file of accepted findings."""
    found = rules.examine(held.pool, held.catalog)
    if acknowledged is None:
        return Health(tuple(found), ())
    entries, faults = acknowledge.load(acknowledged, rules.RULES)
    settled, unused = acknowledge.apply(found, entries, acknowledged)
    return Health(tuple(settled), (*faults, *unused))


def as_json(held: Holdings, checked: Health) -> dict[str, Any]:
    """All findings for programs; ``format`` says what follows.

    A finding has ``id rule severity title guide benchmark reason advice
    acknowledged page cells``; ``acknowledged`` is the reason why it is accepted or
    ``null``, ``page`` its address below the output folder. A cell has ``guide board
    benchmark metric params unit mean min max detail section sources``; ``mean`` is
    ``null`` where the measurement failed, ``section`` is the address of its section,
    a source is a ``bundle``, its ``file`` and the JSON ``pointer`` of the result.
    """
    addresses = plan(held.pool.guides(), held.pool.benchmarks())
    layout = Layout(held.catalog)
    return {
        "format": "perfguide-health",
        "version": 1,
        "counts": {
            severity: sum(f.severity == severity for f in checked.open) for severity in SEVERITIES
        },
        "findings": [_finding(held, f, addresses, layout) for f in checked.findings],
    }


def _finding(
    held: Holdings, finding: Finding, addresses: Addresses, layout: Layout
) -> dict[str, Any]:
    return {
        "id": finding.id,
        "rule": finding.rule.id,
        "severity": finding.severity,
        "title": finding.rule.title,
        "guide": _guide(finding.guide),
        "benchmark": finding.benchmark,
        "reason": finding.reason,
        "advice": finding.rule.advice,
        "acknowledged": finding.acknowledged or None,
        "page": f"{PAGE}#{finding.id}",
        "cells": [_cell(held, s, addresses, layout) for s in finding.suspects],
    }


def _guide(key: GuideKey) -> dict[str, str]:
    return {"sdk": key.sdk, "soc": key.soc, "os": key.os, "release": key.release}


def _cell(held: Holdings, suspect: Suspect, addresses: Addresses, layout: Layout) -> dict[str, Any]:
    record = suspect.record
    return {
        "guide": _guide(record.guide),
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
            {name: source[name] for name in ("bundle", "file", "pointer")}
            for source in sources(held, record)
        ],
    }


def as_text(checked: Health, width: int = 0) -> str:
    """All findings for a terminal, in lines of at most ``width`` characters, or as
    wide as the terminal is; control characters show as escapes."""
    width = width or min(100, shutil.get_terminal_size().columns)
    out = [line for f in checked.open for line in _lines(f, width)]
    if checked.accepted:
        out += ["acknowledged", ""]
        out += [line for f in checked.accepted for line in _lines(f, width)]
    return "".join(f"{line}\n" for line in [*out, summary(checked)])


def _lines(finding: Finding, width: int) -> Iterable[str]:
    head = f"{finding.guide}, {finding.benchmark}: {finding.rule.title}"
    yield from _wrapped(f"{finding.severity}: {head}", width, "")
    yield from _wrapped(finding.reason, width, "  ")
    if finding.acknowledged:
        yield from _wrapped(f"accepted: {finding.acknowledged}", width, "  ")
    else:
        yield from _wrapped(f"what to do: {finding.rule.advice}", width, "  ")
    yield from _wrapped(f"[{finding.id}]", width, "  ")
    yield ""


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        visible(text, 100_000), width, initial_indent=indent, subsequent_indent=indent
    )


def summary(checked: Health) -> str:
    """How many findings there are: ``2 errors, 1 warning, no notes; 3 acknowledged``."""
    parts = []
    for severity in SEVERITIES:
        count = sum(f.severity == severity for f in checked.open)
        parts.append(f"{count or 'no'} {severity}{'' if count == 1 else 's'}")
    more = f"; {len(checked.accepted)} acknowledged" if checked.accepted else ""
    return ", ".join(parts) + more


def titles(found: Sequence[Finding]) -> dict[str, list[Finding]]:
    """Findings by the guide that they are in, guides in order of their worst finding."""
    out: dict[str, list[Finding]] = {}
    for finding in found:
        key = finding.guide
        out.setdefault(f"{key.soc}, {family(key)} {key.release}", []).append(finding)
    return out

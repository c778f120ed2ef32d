"""Addresses of figures on the site, and findings about them, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..figures.dataset import plan
from ..tables.assign import Layout

if TYPE_CHECKING:
    from ..figures.dataset import Holdings, Settings
    from ..figures.pool import Record


class Places:
    """The section of each figure and, with ``with_health``, the findings that cast doubt on it."""

    def __init__(self, holdings: Holdings, settings: Settings, *, with_health: bool) -> None:
        self._layout = Layout(holdings.catalog)
        self._addresses = plan(holdings.pool.guides(), holdings.pool.benchmarks())
        self._findings: dict[int, list[dict[str, str]]] | None = None
        if with_health:
            self._findings = _findings(holdings, settings)

    def of(self, record: Record) -> dict[str, Any]:
        """Return the section's address below the output folder as ``section``, and the open
        findings about the figure as ``health``."""
        page = self._addresses.guide[record.guide]
        address: dict[str, Any] = {"section": f"{page}#{self._layout.anchor(record)}"}
        if self._findings is not None:
            address["health"] = self._findings.get(record.cell.members[0], [])
        return address


def _findings(holdings: Holdings, settings: Settings) -> dict[int, list[dict[str, str]]]:
    """Return the findings about each figure, keyed by its first result."""
    from ..catalog.waivers import load_annotations
    from ..health import report

    annotations, _ = load_annotations(settings.waivers)
    out: dict[int, list[dict[str, str]]] = {}
    for finding in report.check(holdings, settings.acknowledged, annotations.levels).open:
        mark = {"severity": finding.severity, "title": finding.rule.title, "id": finding.id}
        for suspect in finding.suspects:
            out.setdefault(suspect.record.cell.members[0], []).append(mark)
    return out

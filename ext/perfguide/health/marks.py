"""Marks at figures in tables: which cell, which finding, in which words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..common.diagnostics import visible
from ..tables.grids import Mark
from ..tables.model import View
from .finding import Finding

FEWEST = 6
"""Marks of one finding from which on a table can have too many."""


@dataclass(frozen=True, slots=True)
class _Mark:
    finding: Finding
    detail: str


class Marks:
    """The findings about each figure of a site."""

    def __init__(self, found: Iterable[Finding] = ()) -> None:
        # A result belongs to one figure, so its first result names a figure.
        self._by_member: dict[int, list[_Mark]] = {}
        for finding in found:
            for suspect in finding.suspects if finding.rule.marks else ():
                first = suspect.record.cell.members[0]
                self._by_member.setdefault(first, []).append(_Mark(finding, suspect.detail))

    def of(self, view: View) -> tuple[list[dict[str, str]], list[Mark]]:
        """The notes about a view, and its marks, as a :class:`Grid` has them."""
        notes: dict[str, int] = {}
        found: list[Finding] = []
        marks: list[Mark] = []
        most = self._most(view)
        stub = len(view.key_labels)
        for number, row in enumerate(view.rows):
            for column, cell in enumerate(row.cells):
                if cell is None or row.single or cell.members[0] not in self._by_member:
                    continue
                own = []
                for mark in self._by_member[cell.members[0]]:
                    if mark.finding.id not in notes:
                        notes[mark.finding.id] = len(notes)
                        found.append(mark.finding)
                    if mark.finding.id not in most:
                        own.append((notes[mark.finding.id], visible(mark.detail)))
                if own:
                    marks.append((number, stub + column, own))
        return [_note(finding, most.get(finding.id, "")) for finding in found], marks

    def _most(self, view: View) -> dict[str, str]:
        """By id the findings that most cells of a table have, and of how many it is reported once:
        a mark at nearly every figure tells no figure from another."""
        counts: Counter[str] = Counter()
        cells = 0
        for row in view.rows:
            for cell in row.cells:
                if cell is not None and not row.single:
                    cells += 1
                    own = self._by_member.get(cell.members[0], ())
                    counts.update({mark.finding.id for mark in own})
        return {
            name: f"{count} of {cells} figures of this table"
            for name, count in counts.items()
            if count >= FEWEST and count > cells / 2
        }


def _note(finding: Finding, most: str) -> dict[str, str]:
    reason = visible(finding.reason)
    if most:
        reason = f"{most}, so none is marked: {reason}"
    if finding.acknowledged:
        reason += f" (accepted: {visible(finding.acknowledged)})"
    return {
        "id": finding.id,
        "severity": finding.severity,
        "title": finding.rule.title,
        "reason": reason,
    }

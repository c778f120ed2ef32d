"""Marks on figures in tables: the cell, the finding and the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..common import units
from ..common.diagnostics import SEVERITIES, SIGNS, visible
from ..figures.pool import Record
from ..tables.grids import Mark, Note
from ..tables.model import View
from .finding import KIND_WORDS, Finding

MIN_MARKS = 6
"""The fewest marks of one finding that can be too many for a table."""


class Marks:
    """The findings about each figure of a site."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        # A result belongs to one figure, so its first result identifies it.
        self._by_member: dict[int, list[tuple[Finding, str]]] = {}
        self._doubts: dict[int, str] = {}
        for finding in findings:
            for suspect in finding.suspects if finding.rule.marks else ():
                if not suspect.record.cell.members:
                    continue  # a figure of another pool
                first = suspect.record.cell.members[0]
                self._by_member.setdefault(first, []).append((finding, suspect.detail))
                # A maintainer vouches for an accepted figure, so it may lead.
                if suspect.disqualified and not finding.acknowledged:
                    self._doubts.setdefault(first, f"{finding.rule.title}: {suspect.detail}")

    def doubt(self, record: Record) -> str:
        """Return why a figure may not lead a headline or set a scale, "" if it may."""
        members = record.cell.members
        return visible(self._doubts.get(members[0], "")) if members else ""

    def signed(self, record: Record) -> tuple[str, str]:
        """Return the sign of a figure that is in doubt, and why it is; two empty strings if it is
        not. The sign is “?” if the figure is not ranked, or else that of its worst finding; notes,
        and findings that a maintainer accepted, are none."""
        if doubt := self.doubt(record):
            return "?", doubt
        marks = self._by_member.get(record.cell.members[0], ()) if record.cell.members else ()
        titles = {
            f"{units.capital(KIND_WORDS[severity])}: {finding.rule.title}": SIGNS[severity]
            for severity in SEVERITIES[:-1]
            for finding, _ in marks
            if finding.severity == severity and not finding.acknowledged
        }
        return next(iter(titles.values()), ""), "; ".join(titles)

    def of(self, view: View) -> tuple[list[Note], list[Mark]]:
        """Return the notes and the marks of a view, in the form that :class:`Grid` takes."""
        notes: dict[str, int] = {}
        findings: list[Finding] = []
        marks: list[Mark] = []
        text_by_finding = self._shared_by_most(view)
        stub = len(view.key_labels)
        for number, row in enumerate(view.rows):
            for column, cell in enumerate(row.cells):
                # A single sample has the members of the mean below it, which is marked instead.
                if cell is None or row.single or cell.members[0] not in self._by_member:
                    continue
                details = []
                for finding, detail in self._by_member[cell.members[0]]:
                    if finding.id not in notes:
                        notes[finding.id] = len(notes)
                        findings.append(finding)
                    if finding.id not in text_by_finding:
                        details.append((notes[finding.id], visible(detail)))
                if details:
                    marks.append((number, stub + column, details))
        return [_note(finding, text_by_finding.get(finding.id, "")) for finding in findings], marks

    def _shared_by_most(self, view: View) -> dict[str, str]:
        """Return a text for each finding, by id, that applies to most cells of a table, or to all
        if it is an error, as readers must know which figures are right.

        It replaces the marks, which would mean nothing if nearly every figure had one.
        """
        counts: Counter[str] = Counter()
        errors: set[str] = set()
        cells = 0
        for row in view.rows:
            for cell in row.cells:
                if cell is not None and not row.single:
                    cells += 1
                    marks = self._by_member.get(cell.members[0], ())
                    counts.update({finding.id for finding, _ in marks})
                    errors |= {finding.id for finding, _ in marks if finding.severity == "error"}
        return {
            name: f"{count} of {cells} figures of this table"
            for name, count in counts.items()
            if count >= MIN_MARKS and (count == cells or (count > cells / 2 and name not in errors))
        }


def _note(finding: Finding, most: str) -> Note:
    reason = visible(finding.reason)
    if most:
        reason = f"{most}, so none is marked: {reason}"
    if finding.acknowledged:
        reason += f" (accepted: {visible(finding.acknowledged)})"
    return Note(finding.id, finding.severity, finding.rule.title, reason, most)

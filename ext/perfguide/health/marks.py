"""Marks at figures in tables: which cell, which finding, in which words.

A table's marks stand in a file beside its CSV, so that the CSV holds figures alone.
``NAME.marks.json`` is an object with ``notes``, a list of findings (``id``,
``severity``, ``title``, ``reason``), and ``cells``, a list of ``[row, column,
[[note, detail], …]]``; rows are counted from 0 below the head, columns from 0 with
the row keys, notes from 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..common.diagnostics import visible
from ..tables.model import View
from .finding import Finding


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

    def of(self, view: View) -> bytes | None:
        """The file of a view's marks; ``None`` where it has none."""
        notes: dict[str, int] = {}
        found: list[Finding] = []
        cells = []
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
                    own.append([notes[mark.finding.id], visible(mark.detail)])
                cells.append([number, stub + column, own])
        if not cells:
            return None
        content = {"notes": [_note(finding) for finding in found], "cells": cells}
        text = json.dumps(content, indent=None, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace") + b"\n"


def _note(finding: Finding) -> dict[str, Any]:
    reason = visible(finding.reason)
    if finding.acknowledged:
        reason += f" (accepted: {visible(finding.acknowledged)})"
    return {
        "id": finding.id,
        "severity": finding.severity,
        "title": finding.rule.title,
        "reason": reason,
    }

"""Findings that a maintainer has accepted, each with a reason, in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from ..common import toml_lists
from ..common.diagnostics import Diagnostic, nearest
from .finding import Finding, Rule, Suspect, ranked_findings

TABLE = "acknowledged"
"""What each entry of the file begins with: ``[[acknowledged]]``."""

KIND = "acknowledged"


class Acknowledgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which findings are accepted, and why. ``*`` and ``?`` stand for any characters."""

    rule: str
    """The id of a rule."""
    reason: str
    """Why the finding is accepted; the report shows it."""
    guide: str = "*"
    """SoC, operating system and release: ``AM62X/linux/09.01``."""
    board: str = "*"
    """Names of boards."""
    benchmark: str = "*"
    """Names of benchmarks."""
    metric: str = "*"
    """Names of metrics."""

    def covers(self, finding: Finding, suspect: Suspect) -> bool:
        """Whether it accepts one figure of a finding."""
        key, record = finding.guide, suspect.record
        return self.rule == finding.rule.id and all(
            fnmatchcase(name, pattern)
            for name, pattern in (
                (f"{key.soc}/{key.os}/{key.release}", self.guide),
                (record.board, self.board),
                (record.benchmark, self.benchmark),
                (record.metric, self.metric),
            )
        )


Entry = toml_lists.Entry[Acknowledgement]


def load(path: Path, rules: dict[str, Rule]) -> tuple[list[Entry], list[Diagnostic]]:
    """The sound entries of a file, and what is wrong with the others.

    A file that is not there has no entries. Raises nothing: what cannot be read is
    a diagnostic.
    """
    found, diagnostics = toml_lists.read(path, TABLE, Acknowledgement, KIND)
    out: list[Entry] = []
    for entry in found:
        wrong = _wrong(entry.value, rules)
        if wrong:
            message, hint = wrong
            hint = f"{hint}; {toml_lists.UNHELD}"
            diagnostics.append(toml_lists.fault(path, TABLE, entry, KIND, message, hint))
        else:
            out.append(entry)
    return out, diagnostics


def _wrong(given: Acknowledgement, rules: dict[str, Rule]) -> tuple[str, str] | None:
    """What is wrong with an entry whose types are right, and how to mend it."""
    if given.rule not in rules:
        hint = nearest(given.rule, rules) or f"rules: {', '.join(rules)}"
        return f"there is no rule “{given.rule}”", hint
    if not given.reason.strip():
        return "the reason is empty", "say why these figures are right, or why they stay"
    return None


def apply(
    found: Sequence[Finding], accepted: Sequence[Entry], path: Path
) -> tuple[list[Finding], list[Diagnostic]]:
    """Findings in which what is accepted says so, and a diagnostic for each entry
    that accepts nothing. A finding that is accepted in part becomes two."""
    used: set[int] = set()
    out: list[Finding] = []
    for finding in found:
        by_entry: dict[int, list[Suspect]] = {}
        for suspect in finding.suspects:
            number = 0
            for entry in accepted:
                if entry.value.covers(finding, suspect):
                    # Each entry that fits counts as used; the first one gives the reason.
                    used.add(entry.number)
                    number = number or entry.number
            by_entry.setdefault(number, []).append(suspect)
        reasons = {entry.number: entry.value.reason for entry in accepted}
        for number, suspects in by_entry.items():
            own = replace(finding, suspects=tuple(suspects))
            if number:
                rest = f"-accepted-{number}"
                own = replace(own, id=finding.id + rest, acknowledged=reasons[number])
            out.append(own)
    unused = [
        toml_lists.fault(
            path,
            TABLE,
            entry,
            "acknowledged-unused",
            f"accepts no finding: {entry.value.rule}, {entry.value.reason}",
            "remove it, or mend its patterns",
        )
        for entry in accepted
        if entry.number not in used
    ]
    return ranked_findings(out), unused

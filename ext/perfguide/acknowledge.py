"""Findings that a maintainer has accepted, each with a reason, in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec

from .diagnostics import Diagnostic, nearest
from .findings import Finding, Rule, Suspect, ranked_findings

TABLE = "acknowledged"
"""What each entry of the file begins with: ``[[acknowledged]]``."""


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


@dataclass(frozen=True, slots=True)
class Entry:
    """An acknowledgement and its place in its file, counted from 0."""

    place: int
    given: Acknowledgement


def load(path: Path, rules: dict[str, Rule]) -> tuple[list[Entry], list[Diagnostic]]:
    """The sound entries of a file, and what is wrong with the others.

    A file that is not there has no entries. Raises nothing: what cannot be read is
    a diagnostic.
    """
    try:
        document = msgspec.toml.decode(path.read_bytes())
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [_fault(path, "", f"cannot be read: {error.strerror}")]
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return [], [_fault(path, "", f"is not TOML: {error}")]
    out: list[Entry] = []
    faults: list[Diagnostic] = []
    for name in document:
        if name != TABLE:
            hint = nearest(name, [TABLE]) or f"entries begin with [[{TABLE}]]"
            faults.append(_fault(path, f"/{name}", f"“{name}” has no meaning here", hint))
    entries = document.get(TABLE, [])
    if not isinstance(entries, list):
        return [], [_fault(path, f"/{TABLE}", "is not a list", f"write [[{TABLE}]]")]
    for place, entry in enumerate(entries):
        checked = _checked(path, place, entry, rules)
        if isinstance(checked, Diagnostic):
            faults.append(checked)
        else:
            out.append(Entry(place, checked))
    return out, faults


def _checked(
    path: Path, place: int, entry: Any, rules: dict[str, Rule]
) -> Acknowledgement | Diagnostic:
    where = f"/{TABLE}/{place}"
    known = Acknowledgement.__struct_fields__
    if isinstance(entry, dict):
        for name in entry:
            if name not in known:
                hint = nearest(name, known) or f"known keys: {', '.join(known)}"
                return _fault(path, f"{where}/{name}", f"there is no key “{name}”", hint)
    try:
        given = msgspec.convert(entry, Acknowledgement)
    except msgspec.ValidationError as error:
        return _fault(path, where, str(error))
    if given.rule not in rules:
        hint = nearest(given.rule, rules) or f"rules: {', '.join(rules)}"
        return _fault(path, f"{where}/rule", f"there is no rule “{given.rule}”", hint)
    if not given.reason.strip():
        hint = "say why these figures are right, or why they stay"
        return _fault(path, f"{where}/reason", "the reason is empty", hint)
    return given


def _fault(path: Path, pointer: str, message: str, hint: str = "") -> Diagnostic:
    effect = "until it is mended, it accepts nothing"
    return Diagnostic(
        "acknowledged", str(path), message, f"{hint}; {effect}" if hint else effect, pointer
    )


def apply(
    found: Sequence[Finding], entries: Sequence[Entry], path: Path
) -> tuple[list[Finding], list[Diagnostic]]:
    """Findings in which what is accepted says so, and a diagnostic for each entry
    that accepts nothing. A finding that is accepted in part becomes two."""
    used: set[int] = set()
    out: list[Finding] = []
    for finding in found:
        by_entry: dict[int, list[Suspect]] = {}
        for suspect in finding.suspects:
            place = -1
            for entry in entries:
                if entry.given.covers(finding, suspect):
                    # Each entry that fits counts as used; the first one gives the reason.
                    used.add(entry.place)
                    place = entry.place if place < 0 else place
            by_entry.setdefault(place, []).append(suspect)
        reasons = {entry.place: entry.given.reason for entry in entries}
        for place, suspects in by_entry.items():
            own = replace(finding, suspects=tuple(suspects))
            if place >= 0:
                rest = f"-accepted-{place + 1}"
                own = replace(own, id=finding.id + rest, acknowledged=reasons[place])
            out.append(own)
    unused = [
        Diagnostic(
            "acknowledged-unused",
            str(path),
            f"accepts no finding: {entry.given.rule}, {entry.given.reason}",
            "remove it, or mend its patterns",
            f"/{TABLE}/{entry.place}",
        )
        for entry in entries
        if entry.place not in used
    ]
    return ranked_findings(out), unused

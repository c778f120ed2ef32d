"""Accepted findings: those in a maintainer's file, and those that a new level explains."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from ..bundles.guide_key import version
from ..catalog.waivers import Annotation, Level
from ..common import toml_lists
from ..common.diagnostics import Diagnostic, nearest
from .finding import Finding, Rule, Suspect, ranked_findings

TABLE = "acknowledged"
"""The table that holds the file's entries: ``[[acknowledged]]``."""

KIND = "acknowledged"

EXPLAINED_BY_LEVEL = {"newest-far", "unit-slip", "table-scaled"}
"""Rules that compare a figure with earlier ones, and so are expected to fire after a new level."""


class Acknowledgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A pattern of accepted findings with a reason. ``*`` and ``?`` match any characters."""

    rule: str
    """The id of a rule."""
    reason: str
    """The reason for accepting the finding, which the report shows."""
    guide: str = "*"
    """SoC, operating system and release: ``AM62X/linux/09.01``."""
    board: str = "*"
    """Names of boards."""
    benchmark: str = "*"
    """Names of benchmarks."""
    metric: str = "*"
    """Names of metrics."""

    def covers(self, finding: Finding, suspect: Suspect) -> bool:
        """Return whether this entry accepts one figure of a finding."""
        key, record = finding.guide, suspect.record
        # Plain fnmatch() ignores case on some systems; the report must be the same everywhere.
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


def load(path: Path | None, rules: dict[str, Rule]) -> tuple[list[Entry], list[Diagnostic]]:
    """Return the valid entries of a file, and diagnostics for the rest.

    A missing file has no entries; an unreadable one yields a diagnostic.
    """

    def wrong(given: Acknowledgement) -> tuple[str, str] | None:
        if given.rule not in rules:
            hint = nearest(given.rule, rules) or f"rules: {', '.join(rules)}"
            return f"there is no rule “{given.rule}”", hint
        if not given.reason.strip():
            return (
                "the reason is empty",
                "give the reason why these figures are right or stay published",
            )
        return None

    return toml_lists.read(path, TABLE, Acknowledgement, KIND, wrong)


def faults(path: Path | None, rules: dict[str, Rule], used: Collection[int]) -> list[Diagnostic]:
    """Return the faults of a file, including valid entries that accept nothing: those whose numbers
    are not in ``used``."""
    entries, wrong = load(path, rules)
    unused = [
        entry.fault(
            "acknowledged-unused",
            f"accepts no finding: {entry.value.rule}, {entry.value.reason}",
            "remove it, or fix its patterns",
        )
        for entry in entries
        if entry.number not in used
    ]
    return [*wrong, *unused]


def apply(
    findings: Sequence[Finding],
    accepted: Sequence[Entry],
    levels: Sequence[Annotation[Level]] = (),
) -> tuple[list[Finding], set[int]]:
    """Return the findings with the reasons for accepting them, and the numbers of the entries used.

    A partly accepted finding is split in two. ``levels`` accept findings of the rules in
    ``EXPLAINED_BY_LEVEL``; comparisons report unused levels.
    """
    used: set[int] = set()
    settled: list[Finding] = []
    reasons = {f"accepted-{entry.number}": entry.value.reason for entry in accepted}
    for number, level in enumerate(levels, 1):
        reasons[f"level-{number}"] = f"new level since {level.spec.since}: {level.spec.reason}"
    for finding in findings:
        by_entry: dict[str, list[Suspect]] = {}
        for suspect in finding.suspects:
            covering = [e.number for e in accepted if e.value.covers(finding, suspect)]
            # Every matching entry counts as used; the first one gives the reason.
            used.update(covering)
            names = [f"accepted-{number}" for number in sorted(covering)]
            names += [
                f"level-{number}"
                for number, level in enumerate(levels, 1)
                if _explains(level, finding, suspect)
            ]
            # Entries of the file take precedence: their reason is about this very finding.
            by_entry.setdefault(next(iter(names), ""), []).append(suspect)
        for name, suspects in by_entry.items():
            part = replace(finding, suspects=tuple(suspects))
            if name:
                # The part still open keeps the plain id, so that links to the report still work.
                part = replace(part, id=f"{finding.id}-{name}", acknowledged=reasons[name])
            settled.append(part)
    return ranked_findings(settled), used


def _explains(level: Annotation[Level], finding: Finding, suspect: Suspect) -> bool:
    key, record = finding.guide, suspect.record
    return (
        finding.rule.id in EXPLAINED_BY_LEVEL
        # Compared as text, release 10.0 would come before 9.2.
        and version(level.spec.since) <= version(key.release)
        and level.covers(key.soc, key.os, record.board, record.benchmark, record.metric)
        and level.fits(record.params)
    )

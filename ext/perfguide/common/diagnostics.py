"""Diagnostics: problems in the input, each with its location and a fix.

Every layer returns :class:`Diagnostic` values; none prints or logs. The Sphinx extension turns them
into warnings, the command into lines on stderr.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .grouping import grouped

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From most to least severe."""

SIGNS: Mapping[Severity, str] = {"error": "‡", "warning": "†", "note": "*"}
"""The sign beside a figure with a finding of each severity."""

APART_SIGN = "±"
"""The sign beside a figure whose runs are far apart."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of diagnostic, with the members that ``diagnostics.toml`` explains."""

    severity: Severity
    summary: str
    effect: str = ""
    advice: str = ""


_TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

KINDS: dict[str, Kind] = {name: Kind(**values) for name, values in _TEXTS.items()}
"""Every kind of diagnostic. The name is also the Sphinx warning subtype."""


class ReportedError(Exception):
    """A failure that a command reports in one line, which says how to fix it."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem in the input.

    ``origin`` is the file, with ``!member`` for a member of a container and ``#N`` for the N-th
    line of JSON Lines or the N-th bundle of an array, counting from 1. ``pointer`` is a JSON
    pointer (RFC 6901) or empty. ``line`` is the line in the file, counting from 1, or ``None`` if
    unknown.
    """

    kind: str
    origin: str
    message: str
    hint: str = ""
    pointer: str = ""
    line: int | None = None
    root: str = ""
    """The folder that contains ``origin``, as the user named it; omitted on pages."""

    @property
    def severity(self) -> Severity:
        """The severity of this kind. Errors keep the item in question out of the site."""
        return KINDS[self.kind].severity

    def where(self) -> str:
        """Return the location as one string: file, line, JSON pointer."""
        location = visible(f"{self.root.rstrip('/')}/{self.origin}" if self.root else self.origin)
        if self.line is not None:
            location += f":{self.line}"
        if self.pointer:
            location += f" at {visible(self.pointer)}"
        return location

    def text(self) -> str:
        """Return the message and the hint in one line, without the location."""
        message = visible(self.message)
        return f"{message} ({visible(self.hint)})" if self.hint else message

    def __str__(self) -> str:
        return f"{self.where()}: {self.severity}: {self.text()} [{self.kind}]"


def visible(text: str, limit: int = 2000) -> str:
    """Escape text from a file so that it is safe for a terminal or a log.

    Control, bidirectional and other unprintable characters are escaped, so that nothing in an
    upload can move the cursor or hide part of a message. Text is truncated after ``limit``
    characters.
    """
    if len(text) <= limit and text.isprintable():
        return text
    escaped = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[:limit]
    )
    return escaped + "…" if len(text) > limit else escaped


def visible_json(text: str) -> str:
    """Return equivalent JSON with all unprintable characters except newlines escaped."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def nearest(word: str, candidates: Iterable[str]) -> str:
    """Return a hint with the candidate most similar to ``word``, or an empty string."""
    by_folded = {candidate.casefold().replace("-", "_"): candidate for candidate in candidates}
    # Matching is quadratic in length, and words in an upload can be arbitrarily long.
    matches = difflib.get_close_matches(
        word[:200].casefold().replace("-", "_"), list(by_folded), n=1, cutoff=0.6
    )
    return f"did you mean “{by_folded[matches[0]]}”?" if matches else ""


def errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics that keep something out of the site."""
    return [d for d in diagnostics if d.severity == "error"]


MAX_FINDINGS_PER_KIND = 10
"""The number of findings of one kind that a build reports per upload; it counts the rest."""


def shortened(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Truncate diagnostics to ``MAX_FINDINGS_PER_KIND`` per kind and upload, in order, followed by
    the number of the rest."""
    # An upload is a file; its members and bundles share one allowance.
    by_kind = grouped(
        diagnostics, lambda d: (d.root, d.origin.partition("#")[0].partition("!")[0], d.kind)
    )
    out = []
    for (root, upload, kind), findings in by_kind.items():
        out += findings[:MAX_FINDINGS_PER_KIND]
        if (more := len(findings) - MAX_FINDINGS_PER_KIND) > 0:
            message = f"and {more} more findings of this kind"
            out.append(
                Diagnostic(kind, upload, message, "perfguide check lists them all", root=root)
            )
    return out

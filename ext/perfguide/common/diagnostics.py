"""Diagnostics: problems in the input, each with its location and a fix.

Every layer returns :class:`Diagnostic` values; none prints or logs. The Sphinx extension turns them
into warnings, the command into lines on stderr.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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
    """A kind of diagnostic: its severity and meaning."""

    severity: Severity
    summary: str


KINDS: dict[str, Kind] = {
    "missing-path": Kind("error", "a path that does not exist"),
    "unreadable": Kind("error", "a file or container that cannot be read"),
    "limit": Kind("error", "a file or container that exceeds the limits"),
    "refused-member": Kind("error", "a container member of a kind that is never opened"),
    "syntax": Kind("error", "text that is not well-formed JSON"),
    "schema": Kind("error", "a bundle that does not follow the schema"),
    "version": Kind("error", "a bundle with a newer schema version than this release reads"),
    "duplicate-key": Kind("error", "an object with a duplicate key"),
    "conflict": Kind("error", "two bundles of one runner with the same id and different content"),
    "supersedes": Kind("warning", "a withdrawal that cannot be carried out"),
    "unknown-key": Kind("warning", "a key unknown to the schema"),
    "contradiction": Kind("error", "a published mean outside its own range"),
    "apart": Kind("warning", "a published mean that its samples contradict"),
    "same-key": Kind(
        "warning", "two results of one bundle with the same name but different figures"
    ),
    "mixed-setup": Kind(
        "error", "two results of one release with the same name but different setups"
    ),
    "same-log": Kind("error", "two bundles of one release that contain the same log"),
    "same-run": Kind("warning", "two bundles whose figures are all equal"),
    "changed": Kind("warning", "a bundle that changed while it was read"),
    "future": Kind("warning", "a bundle dated in the future"),
    "undescribed": Kind("warning", "a parameter, metric or unit without a description"),
    "names": Kind(
        "warning", "a name that is spelled in two ways, a placeholder, or too long for a folder"
    ),
    "ignored": Kind("note", "a file that cannot contain bundles"),
    "catalog": Kind("error", "a benchmark description that cannot be used"),
    "catalog-prose": Kind("warning", "a benchmark description without its prose"),
    "no-results": Kind("warning", "no valid bundle was found"),
    "no-guide": Kind("error", "a requested guide that does not exist"),
    "waiver": Kind("error", "an accepted change that cannot be used"),
    "waiver-lapsed": Kind("warning", "an accepted change that has lapsed or is not needed"),
    "boards": Kind("error", "an entry of the list of boards that cannot be used"),
    "compare": Kind("error", "a requested comparison that is not possible"),
    "table": Kind("error", "a table that cannot be shown"),
    "figure": Kind("error", "a figure in prose that does not exist or is ambiguous"),
    "about": Kind("error", "a page's statement of its subject that cannot be read"),
    "chart": Kind("error", "a chart that cannot be shown"),
    "redirect": Kind("error", "an old address that cannot be redirected"),
    "acknowledged": Kind("error", "an acknowledgement of a finding that cannot be used"),
    "acknowledged-unused": Kind("note", "an acknowledgement that matches no finding"),
    "unmade": Kind("warning", "a part of the site that could not be generated"),
    "left-out": Kind(
        "warning", "a generated page that the project's settings keep out of the site"
    ),
    "log-archive": Kind("warning", "logs of a bundle that cannot be read"),
    "log-row": Kind("warning", "a log row that is truncated, malformed or ambiguous"),
    "log-failed": Kind("warning", "a measurement that its program reported as failed"),
    "log-note": Kind("note", "something in a log that affects how to read its figures"),
}
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

"""Diagnostics: problems in the input, each with its location and a fix.

Every layer returns :class:`Diagnostic` values; none prints or logs. The Sphinx
extension turns them into warnings, the command into lines on stderr.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From worst to mildest."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of diagnostic: its severity and meaning."""

    severity: Severity
    summary: str


KINDS: dict[str, Kind] = {
    "missing-path": Kind("error", "a path that was asked for is not there"),
    "unreadable": Kind("error", "a file or container cannot be read"),
    "limit": Kind("error", "a file or container is larger than the limits allow"),
    "refused-member": Kind("error", "a container member of a kind that is never opened"),
    "syntax": Kind("error", "text that is not well-formed JSON"),
    "schema": Kind("error", "a bundle that does not follow the schema"),
    "version": Kind("error", "a bundle of a schema version this release cannot read"),
    "duplicate-key": Kind("error", "an object that names a key twice"),
    "conflict": Kind("error", "two bundles of a runner with one id and different content"),
    "supersedes": Kind("warning", "a withdrawal of a bundle that cannot be carried out"),
    "unknown-key": Kind("warning", "a key that the schema does not know"),
    "contradiction": Kind("error", "a published mean outside of its own range"),
    "apart": Kind("warning", "a published mean that its samples contradict"),
    "same-key": Kind("warning", "two results of one bundle that measured the same and differ"),
    "mixed-setup": Kind("error", "two results of one release with one name and different setups"),
    "same-log": Kind("error", "two bundles of one release that hold the same log"),
    "same-run": Kind("warning", "two bundles whose figures are all equal"),
    "changed": Kind("warning", "a bundle that changed while it was read"),
    "future": Kind("warning", "a bundle that is dated later than tomorrow"),
    "undescribed": Kind("warning", "a parameter, metric or unit that no description knows"),
    "names": Kind(
        "warning", "a name spelt in two ways, one that is no name, or one too long for a folder"
    ),
    "ignored": Kind("note", "a file that has no bundles"),
    "catalog": Kind("error", "a benchmark description that cannot be used"),
    "catalog-prose": Kind("warning", "a benchmark description without its text"),
    "no-results": Kind("warning", "no valid bundle was found"),
    "no-guide": Kind("error", "a guide was asked for that is not there"),
    "waiver": Kind("error", "an accepted change that cannot be used"),
    "waiver-lapsed": Kind("warning", "an accepted change that holds no longer, or is not needed"),
    "boards": Kind("error", "an entry of the list of boards that cannot be used"),
    "compare": Kind("error", "a comparison that was asked for and cannot be made"),
    "table": Kind("error", "a table that cannot be shown"),
    "figure": Kind("error", "a figure in prose or on a badge that is not there, or not alone"),
    "about": Kind("error", "what a page is about cannot be read"),
    "chart": Kind("error", "a chart that cannot be shown"),
    "redirect": Kind("error", "an old address that cannot lead on"),
    "acknowledged": Kind("error", "an acknowledgement of a finding that cannot be used"),
    "acknowledged-unused": Kind("note", "an acknowledgement that accepts no finding"),
    "unmade": Kind("warning", "a part of the site that could not be made"),
    "left-out": Kind(
        "warning", "a generated page that the project's settings keep out of the site"
    ),
    "log-archive": Kind("warning", "logs beside a bundle that cannot be read"),
    "log-row": Kind("warning", "a row of a log that is cut, broken or ambiguous"),
    "log-failed": Kind("warning", "a measurement that its program reports as failed"),
    "log-note": Kind("note", "something in a log that changes how its figures are to be read"),
}
"""Every kind of diagnostic. The name is also the Sphinx warning subtype."""


class ReportedError(Exception):
    """A failure that a command reports in one line; its text says what to do."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem in the input.

    ``origin`` is the file, with ``!member`` for a member of a container and
    ``#N`` for the N-th line of JSON Lines or the N-th bundle of an array,
    counted from 1. ``pointer`` is a JSON pointer (RFC 6901) or empty. ``line``
    is the line of the file, counted from 1, or ``None`` if unknown.
    """

    kind: str
    origin: str
    message: str
    hint: str = ""
    pointer: str = ""
    line: int | None = None
    root: str = ""
    """The folder that contains ``origin``, as the user named it. Pages omit it."""

    @property
    def severity(self) -> Severity:
        """The severity of this kind; an error keeps what it names out of the site."""
        return KINDS[self.kind].severity

    def where(self) -> str:
        """Return the location in one string: file, line, JSON pointer."""
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
    """Return text from a file in a form that is safe for a terminal or a log.

    Control, bidirectional and other unprintable characters become escapes, so that nothing in
    an upload can move the cursor or hide part of a message. Text is cut after ``limit`` characters.
    """
    if len(text) <= limit and text.isprintable():
        return text
    escaped = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[:limit]
    )
    return escaped + "…" if len(text) > limit else escaped


def visible_json(text: str) -> str:
    """Return equivalent JSON in which every unprintable character but line ends is escaped."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def nearest(word: str, candidates: Iterable[str]) -> str:
    """Return a hint that names the candidate most like ``word``, or an empty string."""
    by_folded = {each.casefold().replace("-", "_"): each for each in candidates}
    # Matching is quadratic in length, and an upload can hold a word of any length.
    matches = difflib.get_close_matches(
        word[:200].casefold().replace("-", "_"), list(by_folded), n=1, cutoff=0.6
    )
    return f"did you mean “{by_folded[matches[0]]}”?" if matches else ""


def errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics that keep something out of the site."""
    return [d for d in diagnostics if d.severity == "error"]


MAX_FINDINGS_PER_KIND = 10
"""A build reports this many findings of one kind for each upload, and counts the rest."""


def shortened(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return at most ``MAX_FINDINGS_PER_KIND`` diagnostics of one kind for each upload, in order,
    followed by the number of the rest."""
    by_kind: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for each in diagnostics:
        # An upload is a file: its members and bundles share one allowance.
        upload = each.origin.partition("#")[0].partition("!")[0]
        by_kind.setdefault((each.root, upload, each.kind), []).append(each)
    out = []
    for (root, upload, kind), own in by_kind.items():
        out += own[:MAX_FINDINGS_PER_KIND]
        if (more := len(own) - MAX_FINDINGS_PER_KIND) > 0:
            message = f"and {more} more findings of this kind"
            out.append(Diagnostic(kind, upload, message, "perfguide check tells all", root=root))
    return out

"""What is wrong, where it is, and how to fix it.

Every layer returns :class:`Diagnostic` values; none prints or logs. The Sphinx
shell turns them into warnings, the command into lines on stderr.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the worst to the mildest."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One sort of finding: how bad it is and what it means."""

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
    "same-run": Kind("warning", "two bundles whose figures are all equal"),
    "future": Kind("warning", "a bundle that is dated later than tomorrow"),
    "undescribed": Kind("warning", "a parameter, metric or unit that no description knows"),
    "names": Kind(
        "warning", "a name spelt in two ways, one that is no name, or one too long for a folder"
    ),
    "ignored": Kind("note", "a file that holds no bundles"),
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
"""Every kind of diagnostic. The name is the Sphinx warning subtype too."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    ``origin`` is the file, with ``!member`` for a member of a container and
    ``#N`` for the N-th line of JSON Lines or the N-th bundle of an array,
    counted from 1. ``pointer`` is a JSON pointer (RFC 6901) or empty. ``line``
    is a line of the file, counted from 1, where it is known.
    """

    kind: str
    origin: str
    message: str
    hint: str = ""
    pointer: str = ""
    line: int | None = None
    root: str = ""
    """The folder that ``origin`` is below, as the user named it. Pages leave it out."""

    @property
    def severity(self) -> Severity:
        """How bad it is; errors keep what they name out of the site."""
        return KINDS[self.kind].severity

    def where(self) -> str:
        """The place in one string: file, line, JSON pointer."""
        place = visible(f"{self.root.rstrip('/')}/{self.origin}" if self.root else self.origin)
        if self.line is not None:
            place += f":{self.line}"
        if self.pointer:
            place += f" at {visible(self.pointer)}"
        return place

    def text(self) -> str:
        """What is wrong and how to fix it, in one line without the place."""
        message = visible(self.message)
        return f"{message} ({visible(self.hint)})" if self.hint else message

    def __str__(self) -> str:
        return f"{self.where()}: {self.severity}: {self.text()} [{self.kind}]"


def visible(text: str, limit: int = 2000) -> str:
    """Text from a file made safe for a terminal or a log.

    Control, bidirectional and other unprintable characters show as escapes, so
    that nothing in an upload can move the cursor or hide a part of a message.
    """
    if len(text) <= limit and text.isprintable():
        return text
    shown = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[:limit]
    )
    return shown + "…" if len(text) > limit else shown


def visible_json(text: str) -> str:
    """JSON that means the same, with an escape for every character that does not
    show, other than line ends."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that names the known word most like ``word``, or an empty string."""
    by_folded = {k.casefold().replace("-", "_"): k for k in known}
    found = difflib.get_close_matches(
        word[:200].casefold().replace("-", "_"), list(by_folded), n=1, cutoff=0.6
    )
    return f"did you mean “{by_folded[found[0]]}”?" if found else ""


def errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Those that keep something out of the site."""
    return [d for d in diagnostics if d.severity == "error"]


MOST_OF_A_KIND = 10
"""Findings of one kind about one upload that a build tells; the rest is counted."""


def shortened(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings in their order, at most ten of one kind about one upload, with the number of the
    rest behind them."""
    by_kind: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for each in found:
        upload = each.origin.partition("#")[0].partition("!")[0]
        by_kind.setdefault((each.root, upload, each.kind), []).append(each)
    out = []
    for (root, upload, kind), own in by_kind.items():
        out += own[:MOST_OF_A_KIND]
        if (more := len(own) - MOST_OF_A_KIND) > 0:
            message = f"and {more} more findings of this kind"
            out.append(Diagnostic(kind, upload, message, "perfguide check tells all", root=root))
    return out

"""Events of a comparison as programs of a build show them: GitHub, GitLab, and SARIF."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from ..common.diagnostics import visible
from . import wording as words
from .comparison import Comparison
from .events import Event
from .headline import headline

LEVELS = {"Worse": "error", "Worse, not proved": "warning"}
"""Levels of events by the advice on them; all others are for information."""

RESULTS_PATH = "results"
"""The path given for an event: services want a path, and figures have none in the code."""


def _listed(comparison: Comparison) -> Iterator[tuple[str, Event, str, str]]:
    """Yield each event with its level, its title, and the grounds."""
    for event in (*comparison.events, *comparison.far):
        level = LEVELS.get(words.action(event), "note")
        title = visible(words.event_title(event, comparison))
        yield level, event, title, visible(" ".join(words.event_lines(event, comparison)))


def _id(event: Event) -> str:
    """Return an id that stays the same for an event as long as it is about the same rows."""
    # Services recognise an issue by this, so titles and figures are no part of it.
    rows = sorted(repr((row.observation, row.metric)) for row in event.rows)
    return hashlib.sha256("\0".join([event.kind, *rows]).encode()).hexdigest()


def to_github(comparison: Comparison) -> str:
    """Return commands of a GitHub workflow that annotate the run, a line for each event."""
    names = {"error": "error", "warning": "warning", "note": "notice"}

    def escaped(text: str, more: str = "") -> str:
        # The escapes of workflow commands. The per cent sign goes first, as the others contain one.
        out = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        for sign in more:
            out = out.replace(sign, f"%{ord(sign):02X}")
        return out

    lines = [
        # Commas and colons would end the title.
        f"::{names[level]} title={escaped(title, ':,')}::{escaped(why)}"
        for level, _, title, why in _listed(comparison)
    ]
    lines.append(f"::notice title=Comparison::{escaped(visible(headline(comparison).sentence))}")
    return "".join(f"{line}\n" for line in lines)


def to_gitlab(comparison: Comparison) -> str:
    """Return a report of code quality for GitLab: a list of issues, without good news."""
    severities = {"error": "major", "warning": "minor"}
    issues = [
        {
            "description": f"{title}. {why}",
            "check_name": f"perfguide-{event.kind}",
            "fingerprint": _id(event),
            "severity": severities[level],
            # GitLab requires a path and a line.
            "location": {"path": f"{RESULTS_PATH}/{event.benchmark}", "lines": {"begin": 1}},
        }
        for level, event, title, why in _listed(comparison)
        if level in severities
    ]
    return json.dumps(issues, indent=1, ensure_ascii=False) + "\n"


def to_sarif(comparison: Comparison) -> str:
    """SARIF 2.1.0: a result for each event; good news and accepted changes are notes."""
    results: list[dict[str, Any]] = []
    for level, event, title, why in _listed(comparison):
        location = {"artifactLocation": {"uri": RESULTS_PATH}, "region": {"startLine": 1}}
        result: dict[str, Any] = {
            "ruleId": event.kind,
            "level": level,
            "message": {"text": f"{title}. {why}"},
            "locations": [{"physicalLocation": location}],
            "partialFingerprints": {"rows/v1": _id(event)},
        }
        if event.accepted:
            # “external”: accepted in a file of its own, and not in the code.
            result["suppressions"] = [{"kind": "external"}]
        results.append(result)
    rules = [
        {"id": kind, "shortDescription": {"text": words.TITLES[kind]}}
        for kind in dict.fromkeys(event.kind for _, event, _, _ in _listed(comparison))
    ]
    driver = {"name": "perfguide", "rules": rules}
    said = headline(comparison)
    run = {
        "tool": {"driver": driver},
        "results": results,
        "properties": {"headline": visible(said.sentence), "state": said.state},
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    content = {"$schema": schema, "version": "2.1.0", "runs": [run]}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

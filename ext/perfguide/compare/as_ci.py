"""Events of a comparison in the formats of CI services: GitHub, GitLab and SARIF."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from ..common.diagnostics import visible
from . import event_evidence, event_groups, event_titles, row_texts
from .comparison import Comparison
from .event import Event
from .headline import headline

LEVELS = {"Worse": "error", "Worse, not proved": "warning"}
"""Levels of events by the advice on them; all others are notes."""

RESULTS_PATH = "results"
"""The path given for events: services require one, though figures belong to no source file."""


def _listed(comparison: Comparison) -> Iterator[tuple[str, Event, str, str]]:
    """Yield each event with its level, its title and its grounds."""
    groups = event_groups.by_action(comparison)
    for action, event in ((name, event) for name, events in groups for event in events):
        level = LEVELS.get(action, "note")
        title = visible(event_titles.event_title(event, comparison))
        yield level, event, title, visible(" ".join(event_evidence.event_lines(event, comparison)))


def _id(event: Event) -> str:
    """Return an id that is stable for as long as an event is about the same rows."""
    # Services recognise an issue by its id, so it must not depend on titles or figures.
    rows = sorted(repr((row.observation, row.metric)) for row in event.judged)
    return hashlib.sha256("\0".join([event.kind, *rows]).encode()).hexdigest()


def to_github(comparison: Comparison) -> str:
    """Return GitHub workflow commands that annotate the run, one line per event."""
    names = {"error": "error", "warning": "warning", "note": "notice"}

    def escaped(text: str, more: str = "") -> str:
        # The per cent sign must be escaped first, as the other escapes contain one.
        out = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        for sign in more:
            out = out.replace(sign, f"%{ord(sign):02X}")
        return out

    lines = [
        # An unescaped comma or colon would end the title.
        f"::{names[level]} title={escaped(title, ':,')}::{escaped(why)}"
        for level, _, title, why in _listed(comparison)
    ]
    lines.append(f"::notice title=Comparison::{escaped(visible(headline(comparison).sentence))}")
    return "".join(f"{line}\n" for line in lines)


def to_gitlab(comparison: Comparison) -> str:
    """Return a GitLab code quality report, which lists issues but no good news."""
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
    """Return SARIF 2.1.0 with a result for each event; good news and accepted changes are notes."""
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
            # “external”: accepted in a separate file rather than in the code.
            result["suppressions"] = [{"kind": "external"}]
        results.append(result)
    rules = [
        {"id": kind, "shortDescription": {"text": row_texts.TITLES[kind]}}
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

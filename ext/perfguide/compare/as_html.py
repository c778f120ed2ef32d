"""A comparison as one HTML page that needs nothing beside it."""

from __future__ import annotations

from typing import Any

import jinja2

from ..catalog.benchmarks import Catalog
from ..common.diagnostics import visible
from . import wording as words
from .comparison import Comparison
from .verdicts import Row


def render(comparison: Comparison, catalog: Catalog) -> str:
    """The summary first, alarms next, everything else folded."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("perfguide.compare"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
        finalize=_finalize,
    )
    sections = []
    for verdict in (*words.LEADING, *words.FOLDED):
        rows = words.of_verdict(comparison.rows, [verdict])
        if rows:
            sections.append(
                {
                    "title": words.TITLES[verdict],
                    "verdict": verdict,
                    "open": verdict == "incomparable",
                    "rows": [words.row_words(row, comparison, catalog) for row in rows],
                }
            )
    events = [
        {
            "name": name,
            "events": [
                {
                    "title": words.event_title(event, comparison),
                    "lines": words.event_lines(event, comparison),
                    "rows": [
                        (words.row_words(row, comparison, catalog), _points(row), words.spark(row))
                        for row in event.rows
                    ],
                }
                for event in own
            ],
        }
        for name, own in words.by_action(comparison)
    ]
    return environment.get_template("compare.html.jinja").render(
        comparison=comparison,
        summary=words.summary(comparison),
        decision=words.decision(comparison),
        events=events,
        sections=sections,
        remarks=words.remarks(comparison),
        words=words,
    )


WIDE, HIGH = 96, 22
"""The size of the small picture of a row's history, in pixels."""


def _points(row: Row) -> list[tuple[float, float]]:
    """Where the figures of a history lie in its picture; nothing for fewer than three."""
    values = [value for _, value in words.drawn(row)]
    if len(values) < 3:
        return []
    low, wide = min(values), max(values) - min(values)
    wide = max(wide, 0.05 * max(abs(value) for value in values)) or 1.0
    step = (WIDE - 8) / (len(values) - 1)
    return [
        (round(4 + step * n, 1), round(HIGH - 4 - (HIGH - 8) * (value - low) / wide, 1))
        for n, value in enumerate(values)
    ]


def _finalize(value: Any) -> Any:
    return visible(value) if type(value) is str else value

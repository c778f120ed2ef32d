"""A comparison as one self-contained HTML page, and the rendering that all such pages share."""

from __future__ import annotations

from typing import Any

import jinja2
from markupsafe import Markup

from ..catalog.benchmarks import Catalog
from ..common.diagnostics import visible
from . import event_evidence, event_groups, event_titles, overview, row_texts, sparkline
from .comparison import Comparison
from .fates import fate
from .headline import headline
from .row import Row


def render(comparison: Comparison, catalog: Catalog) -> str:
    """Return a page with the summary first, then the alarms, and the rest folded."""
    said = headline(comparison)
    sections = []
    for verdict in (*row_texts.SHOWN_VERDICTS, *row_texts.FOLDED_VERDICTS):
        rows = row_texts.of_verdict(comparison.rows, [verdict])
        if rows:
            sections.append(
                {
                    "title": row_texts.TITLES[verdict],
                    "verdict": verdict,
                    "open": verdict == "incomparable",
                    "rows": [row_texts.row_words(row, comparison, catalog) for row in rows],
                }
            )
    events = [
        {
            "name": name,
            "events": [
                {
                    "title": event_titles.event_title(event, comparison),
                    "lines": event_evidence.event_lines(event, comparison),
                    "rows": [
                        (row_texts.row_words(row, comparison, catalog), _history(row), fate(row))
                        for row in event.every_row
                    ],
                }
                for event in group
            ],
        }
        for name, group in event_groups.by_action(comparison)
    ]
    return page(
        "compare",
        comparison=comparison,
        summary=overview.summary(comparison),
        headline=said,
        events=events,
        sections=sections,
        remarks=overview.remarks(comparison, said.besides),
        overview=overview,
    )


def page(name: str, **values: object) -> str:
    """Return a page rendered from a template of the package; control characters are visible."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("perfguide.compare"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
        finalize=_finalize,
    )
    return environment.get_template(f"{name}.html.jinja").render(**values)


def _history(row: Row) -> Markup:
    drawn = sparkline.history(row)
    return Markup(sparkline.svg(drawn.heights, drawn.new, visible(drawn.words)) if drawn else "")


def _finalize(value: Any) -> Any:
    # Markup is a subclass of str, and its contents are visible already.
    return visible(value) if type(value) is str else value

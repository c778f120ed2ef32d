"""A comparison as one HTML page that needs nothing beside it."""

from __future__ import annotations

from typing import Any

import jinja2

from ..catalog.benchmarks import Catalog
from ..common.diagnostics import visible
from ..figures.pool import Record
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
        found = words.of_verdict(comparison.rows, [verdict])
        if found:
            sections.append(
                {
                    "title": words.TITLES[verdict],
                    "verdict": verdict,
                    "open": verdict in ("regressed", "failed-after"),
                    "rows": [_cells(row, comparison, catalog) for row in found],
                }
            )
    return environment.get_template("compare.html.jinja").render(
        comparison=comparison,
        summary=words.summary(comparison),
        sections=sections,
        words=words,
    )


def _finalize(value: Any) -> Any:
    return visible(value) if type(value) is str else value


def _cells(row: Row, comparison: Comparison, catalog: Catalog) -> dict[str, str]:
    places = words.decimals(row, catalog)
    return {
        "board": words.place(row, comparison),
        "benchmark": row.benchmark,
        "figure": words.figure(row, catalog),
        "unit": words.unit(row),
        "old": words.mean(row.old, places),
        "old_spread": _spread(row.old, places),
        "new": words.mean(row.new, places),
        "new_spread": _spread(row.new, places),
        "change": words.change(row),
        "verdict": words.verdict(row),
        "ground": words.ground(row),
    }


def _spread(record: Record | None, places: int) -> str:
    return words.behind(record.cell, places) if record else ""

"""From a comparison to what its chart shows, and to the data beside it."""

from __future__ import annotations

from collections.abc import Sequence

from ..catalog.benchmarks import Catalog
from ..charts.change_view import ChangeView, Kind, Strip
from ..common import units
from ..tables.grids import Grid, listing
from .comparison import Comparison
from .wording import figure


def change_view(comparison: Comparison) -> ChangeView | None:
    """The chart of a comparison; ``None`` where no figure can be compared."""
    strips = []
    for group in comparison.groups:
        points = tuple(
            (row.ratio, _kind(row.verdict))
            for row in comparison.rows
            if row.benchmark == group.benchmark and row.ratio is not None
        )
        if points and group.ratio is not None:
            strips.append(Strip(group.title, group.ratio, points))
    return ChangeView("", tuple(strips)) if strips else None


def _kind(verdict: str) -> Kind:
    if verdict == "regressed":
        return "regressed"
    return "improved" if verdict == "improved" else "other"


def data(comparison: Comparison, catalog: Catalog) -> Grid:
    """Every point of the chart, with all its digits."""
    head = ("Benchmark", "Board", "Figure", "Ratio, above 1 is better", "Verdict")
    order: Sequence[str] = [group.benchmark for group in comparison.groups]
    rows = [
        (row.benchmark, row.board, figure(row, catalog), units.exact(row.ratio), row.verdict)
        for row in sorted(comparison.rows, key=lambda r: order.index(r.benchmark))
        if row.ratio is not None
    ]
    return listing(head, rows, 3)

"""Kinds of charts: one function each, which draws the lines of a panel on matplotlib axes."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from ..common.diagnostics import visible
from . import palette
from .model import MAX_TICK_CHARS, ChartView, Line, Panel, Point
from .style import bar_style, line_style

if TYPE_CHECKING:
    # A cached picture depends on the code of certain folders; drawing may import nothing else.
    from ..catalog.chart_spec import Kind

BAR_HEIGHT = 0.86
"""The height of a bar, in rows."""

RANGE_STYLE: Mapping[str, Any] = {"linewidth": 0.9, "markersize": 4}
"""The style of the line over the range of a point's samples, whose ends are marked."""


def draw_lines(axes: Axes, view: ChartView, panel: Panel) -> list[Any]:
    """Draw lines with a marker at each point and a bar over the range of its samples."""
    artists = []
    for line in panel.lines:
        # Do not clip markers at the edge, except on a log axis, where points may lie outside.
        style = line_style(view, line) | {"clip_on": view.y_scale == "log"}
        artists += axes.plot(*with_gaps(view, line), **style)
        ranges = [(point.x, ends) for point in line.points if (ends := ends_of(point))]
        if ranges:
            # One line with gaps: `errorbar` would write an element for each bar.
            xs = [x for x, _ in ranges for x in (x, x, math.nan)]
            ys = [y for _, ends in ranges for y in (*ends, math.nan)]
            axes.plot(xs, ys, marker="_", color=style["color"], **RANGE_STYLE)
    return artists


def draw_steps(axes: Axes, view: ChartView, panel: Panel) -> list[Any]:
    """Draw histogram steps, each extending halfway to its neighbouring points."""
    artists = []
    for line in panel.lines:
        xs, ys = [point.x for point in line.points], [point.y for point in line.points]
        artists += axes.step(xs, ys, where="mid", **line_style(view, line) | {"marker": ""})
    return artists


def draw_bars(axes: Axes, view: ChartView, panel: Panel) -> list[Any]:
    """Draw horizontal bars from the top down, each labelled with its figure."""
    rows, middles = bar_rows(view, panel)
    artists = []
    for line in panel.lines:
        ys = [rows[point.x, line.label] for point in line.points]
        widths = [point.y for point in line.points]
        artists.append(axes.barh(ys, widths, BAR_HEIGHT, **bar_style(view, line), linewidth=0.4))
        for y, point in zip(ys, line.points, strict=True):
            ends = ends_of(point)
            if ends:
                axes.plot(ends, [y, y], marker="|", color=palette.INK, **RANGE_STYLE)
            offset: dict[str, Any] = {"xytext": (4, 0), "textcoords": "offset points"}
            words = visible(point.words, 60)
            axes.annotate(words, (max(point.y, 0.0, *ends), y), **offset, va="center_baseline")
    axes.set_yticks([*middles.values()], [wrapped(view.ticks[tick]) for tick in middles])
    # Inverted, so that the first bar is at the top.
    axes.set_ylim(max(rows.values()) + 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    # Each bar is labelled, so no grid or frame is needed: only the line from which bars start.
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.axvline(0, color=palette.QUIET, linewidth=0.8)
    return artists


DRAW_KIND: Mapping[Kind, Callable[[Axes, ChartView, Panel], list[Any]]] = {
    "lines": draw_lines,
    "bars": draw_bars,
    "steps": draw_steps,
}
"""The function that draws a panel of each kind. It returns one artist per line, in order, or a
container of several, which legends and SVG groups refer to."""


def with_gaps(view: ChartView, line: Line) -> tuple[list[float], list[float]]:
    """Return a line's x and y values, with NaN for gaps: names on the x axis without a figure, and
    figures that a log axis cannot show."""
    xs, ys = list[float](), list[float]()
    for before, point in pairwise([line.points[0], *line.points]):
        if view.ticks and point.x - before.x > 1:
            xs.append(before.x)
            ys.append(math.nan)
        xs.append(point.x)
        ys.append(point.y if view.y_scale != "log" or point.y > 0 else math.nan)
    return xs, ys


def ends_of(point: Point) -> tuple[float, ...]:
    """Return both ends of the range of a point's samples, or nothing if it is unknown. A published
    mean can lie outside its own range, which then reaches to it."""
    if point.low is None or point.high is None:
        return ()
    return min(point.low, point.y), max(point.high, point.y)


def bar_rows(
    view: ChartView, panel: Panel
) -> tuple[dict[tuple[float, str], float], dict[int, float]]:
    """Return the row of each bar, by x and line label, from the top down, and the middle row of
    each name's bars. Missing bars take no space."""
    rows: dict[tuple[float, str], float] = {}
    middles: dict[int, float] = {}
    next_row = 0.0
    for tick in range(len(view.ticks)):
        labels = [line.label for line in panel.lines if any(p.x == tick for p in line.points)]
        if labels:
            rows |= {(tick, label): next_row + n for n, label in enumerate(labels)}
            middles[tick] = next_row + (len(labels) - 1) / 2
            next_row += len(labels) + (0.6 if len(panel.lines) > 1 else 0.25)
    return rows, middles


def wrapped(name: str) -> str:
    """Return the name of a bar, wrapped to fit beside it without losing a letter."""
    parts = (visible(part, 4 * MAX_TICK_CHARS) for part in name.split("\n"))
    return "\n".join(line for part in parts for line in textwrap.wrap(part, MAX_TICK_CHARS))

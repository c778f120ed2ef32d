"""What stands on and around the axes of a picture: scales, ticks, marks, names of lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from ..common import units
from ..common.diagnostics import visible
from .model import ChartView, Line, Panel

QUIET = "#56626e"
LETTER = 0.62
"""The width of an ordinary letter, as a share of the size of its font."""

MOST_NAMED = 5
"""So many lines are named at their ends; more get a legend."""

LONGEST_NAME = 18
"""Characters of a name that stands beside the end of its line."""

LONGEST_TICK = 26


def with_gaps(view: ChartView, line: Line) -> list[tuple[float, float]]:
    """The points of a line; a gap where it has none at a name of the axis."""
    points = [(p.x, p.y) for p in line.points]
    if not view.ticks or view.kind == "bars":
        return points
    out = points[:1]
    for before, point in pairwise(points):
        if point[0] - before[0] > 1:
            out.append((before[0] + 0.5, float("nan")))
        out.append(point)
    return out


def scales(axes: Any, view: ChartView, panel: Panel, width: float) -> None:
    """The scales and the forms of numbers on both axes; the panel is about ``width``
    points wide."""
    if view.ticks:
        _names(axes, view, width)
    if view.x_scale == "log2":
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: units.plain(float(x))))
    if view.y_scale == "log":
        axes.set_yscale("log")
    elif panel.lines and min(p.y for line in panel.lines for p in line.points) >= 0:
        # Panels share their axes, so the highest of all says where they end.
        tops = [
            max(p.y, p.high or p.y) for each in view.panels for q in each.lines for p in q.points
        ]
        tops += [y for each in view.panels for y, _ in each.limits]
        axes.set_ylim(0, max(tops) * (1.14 if panel.limits else 1.07) or 1.0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.10g}"))


def bar_rows(
    view: ChartView, panel: Panel
) -> tuple[dict[tuple[float, str], float], dict[float, float]]:
    """Where each bar stands, by its name on the axis and its line, from the top down;
    and the middle of each name's bars. A name takes room only for the bars it has."""
    rows: dict[tuple[float, str], float] = {}
    middles: dict[float, float] = {}
    place = 0.0
    for tick in range(len(view.ticks)):
        here = [line.label for line in panel.lines if any(p.x == tick for p in line.points)]
        if here:
            rows |= {(float(tick), label): place + n for n, label in enumerate(here)}
            middles[float(tick)] = place + (len(here) - 1) / 2
            place += len(here) + (0.6 if len(panel.lines) > 1 else 0.25)
    return rows, middles


def bar_scale(axes: Any, view: ChartView, middles: Mapping[float, float]) -> None:
    """Names down the side, the first on top, and room for figures at the ends of bars."""
    names = [visible(view.ticks[int(tick)], LONGEST_TICK) for tick in middles]
    axes.set_yticks(list(middles.values()), names)
    low_end, high_end = sorted(axes.get_ylim())
    axes.set_ylim(high_end, low_end)
    axes.margins(y=0.02)
    axes.grid(visible=False, axis="y")
    low, high = axes.get_xlim()
    axes.set_xlim(min(0.0, low), high + (high - min(0.0, low)) * (0.3 if view.small else 0.14))
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.10g}"))


def marks(axes: Any, panel: Panel, position: int) -> None:
    """Positions to mark on either axis, with their words."""
    for number, (x, words) in enumerate(panel.verticals):
        mark = axes.axvline(x, color=QUIET, linewidth=1, linestyle=(0, (2, 2)))
        mark.set_gid(f"vertical-{position}-{number}")
        axes.annotate(
            visible(words, 40),
            (x, 0.02),
            xycoords=("data", "axes fraction"),
            xytext=(-2, 0),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="bottom",
            fontsize=7.5,
            color=QUIET,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6},
        )
    for number, (y, words) in enumerate(panel.limits):
        mark = axes.axhline(y, color=QUIET, linewidth=1, linestyle=(0, (6, 2)))
        mark.set_gid(f"limit-{position}-{number}")
        axes.annotate(
            visible(words, 40),
            (0.01, y),
            xycoords=("axes fraction", "data"),
            xytext=(0, 1.5),
            textcoords="offset points",
            va="bottom",
            fontsize=7.5,
            color=QUIET,
        )


def after_layout(view: ChartView, figure: Any, grid: Sequence[Any]) -> None:
    """What needs the final size of the panels: ticks that do not touch, names of marks."""
    size = 8.5 if view.small else 9.5
    for axes, panel in zip(grid, view.panels, strict=True):
        if view.kind != "bars":
            _ticks(axes, view, figure, size)
        if view.mark:
            _name_marks(axes, view, panel)


def _names(axes: Any, view: ChartView, width: float) -> None:
    size = 8.5 if view.small else 9.5
    count = len(view.ticks)
    axes.set_xlim(-0.5, count - 0.5)
    step = width / count
    names = [visible(name, 14) for name in view.ticks]
    upright = max(len(name) for name in names) * LETTER * size < step * 0.92
    # Names that stand on end need the height of a line each; the newest has one.
    every = 1 if upright else max(1, math.ceil(size * 1.25 / step))
    shown = [i for i in range(count) if (count - 1 - i) % every == 0]
    axes.set_xticks(shown, [names[i] for i in shown])
    axes.tick_params(axis="x", rotation=0 if upright else 90)


def _ticks(axes: Any, view: ChartView, figure: Any, size: float) -> None:
    if view.x_scale != "log2":
        return
    places = sorted({p.x for panel in view.panels for line in panel.lines for p in line.points})
    axes.set_xticks(places)
    points = 72 / figure.dpi
    kept: list[float] = []
    for x in reversed(places):
        if kept:
            apart = axes.transData.transform([(x, 1.0), (kept[-1], 1.0)])[:, 0] * points
            letters = (len(units.plain(x)) + len(units.plain(kept[-1]))) / 2
            if apart[1] - apart[0] < letters * LETTER * size + 3:
                continue
        kept.append(x)
    axes.set_xticks(sorted(kept))


def _name_marks(axes: Any, view: ChartView, panel: Panel) -> None:
    """Name some of the marks along the highest line: the ends, and round numbers."""
    line = max(panel.lines, key=lambda each: max(p.y for p in each.points))
    last = len(line.points) - 1
    left = axes.transAxes.transform((0, 0))[0]
    taken: list[tuple[float, float]] = []
    order = sorted(range(last + 1), key=lambda i: (i not in (0, last), i))
    for number in order:
        point = line.points[number]
        ends = number in (0, last)
        if not ends and not _round(point.mark):
            continue
        x, y = axes.transData.transform((point.x, point.y))
        if any(abs(x - tx) < 26 and abs(y - ty) < 14 for tx, ty in taken):
            continue
        taken.append((x, y))
        words = f"{view.mark.lower()} {point.mark}" if number == 0 else point.mark
        axes.annotate(
            visible(words, 30),
            (point.x, point.y),
            xytext=(-3, 5) if x > left + 30 else (2, 6),
            textcoords="offset points",
            ha="right" if x > left + 30 else "left",
            fontsize=7,
            color=QUIET,
        )


def _round(mark: str) -> bool:
    try:
        return int(mark) % 5 == 0
    except ValueError:
        return False


def direct(view: ChartView) -> bool:
    """Whether the lines are named at their ends rather than in a legend."""
    lines = view.panels[0].lines
    return (
        view.kind == "lines"
        and len(view.panels) == 1
        and 2 <= len(lines) <= MOST_NAMED
        and all(0 < len(line.label) <= LONGEST_NAME for line in lines)
    )


def room_for_names(view: ChartView, figure: Any) -> None:
    """Leave room beside the panel for the names of its lines."""
    longest = max(len(line.label) for line in view.panels[0].lines)
    room = longest * LETTER * 9 + 22
    figure.subplots_adjust(right=figure.subplotpars.right - room / 72 / figure.get_figwidth())


def name_lines(axes: Any, panel: Panel, figure: Any, styles: Mapping[str, tuple[str, str]]) -> None:
    """Write the name of each line beside its rightmost point, apart from each other.

    ``styles`` has the colour and the marker of each name.
    """
    scale = 72 / figure.dpi
    ends = [max(line.points, key=lambda point: point.x) for line in panel.lines]
    heights = {
        number: axes.transData.transform((point.x, point.y))[1] * scale
        for number, point in enumerate(ends)
    }
    order = sorted(heights, key=lambda number: (heights[number], number))
    place, width = axes.get_position(), figure.get_figwidth() * 72
    tall = figure.get_figheight() * 72
    apart = _apart([heights[n] for n in order], 11.5, place.y0 * tall + 5, place.y1 * tall - 5)
    for number, height in zip(order, apart, strict=True):
        colour, marker = styles[panel.lines[number].label]
        x = place.x1 * width + 8
        sample = Line2D([x / width], [height / tall], color=colour, markersize=4)
        sample.set_marker(marker)
        figure.add_artist(sample)
        axes.annotate(
            visible(panel.lines[number].label, LONGEST_NAME),
            (x + 7, height),
            xycoords="figure points",
            va="center",
            fontsize=9,
            color=colour,
        )


def _apart(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Sorted heights moved so far that neighbours are ``gap`` apart, inside the limits."""
    out: list[float] = []
    for height in heights:
        out.append(max(height, low, out[-1] + gap if out else low))
    over = out[-1] - high if out else 0
    for position in range(len(out) - 1, -1, -1):
        limit = high if position == len(out) - 1 else out[position + 1] - gap
        out[position] = min(out[position], limit) if over > 0 else out[position]
    return out

"""What stands on and around the axes of a picture: scales, ticks, marks, names of lines."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from ..common import units
from ..common.diagnostics import visible
from .model import ChartView, Line, Panel
from .palette import QUIET

FONT_SIZE, SMALL_FONT_SIZE = 9.5, 8.5
"""Points of the text in a picture, and in one of many side by side."""

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
    next_row = 0.0
    for tick in map(float, range(len(view.ticks))):
        labels = [line.label for line in panel.lines if any(p.x == tick for p in line.points)]
        if labels:
            rows |= {(tick, label): next_row + n for n, label in enumerate(labels)}
            middles[tick] = next_row + (len(labels) - 1) / 2
            next_row += len(labels) + (0.6 if len(panel.lines) > 1 else 0.25)
    return rows, middles


def tick_lines(name: str) -> list[str]:
    """A name beside a bar, in lines that fit there; no letter of a board's name is left out."""
    return textwrap.wrap(visible(name, 4 * LONGEST_TICK), LONGEST_TICK) or [""]


def bar_scale(axes: Any, view: ChartView, middles: Mapping[float, float]) -> None:
    """Names down the side, the first on top, and room for figures at the ends of bars."""
    names = ["\n".join(tick_lines(view.ticks[int(tick)])) for tick in middles]
    axes.set_yticks(list(middles.values()), names)
    low_end, high_end = sorted(axes.get_ylim())
    axes.set_ylim(high_end, low_end)
    axes.margins(y=0.02)
    axes.grid(visible=False, axis="y")
    low, high = axes.get_xlim()
    points = [point for each in view.panels for line in each.lines for point in line.points]
    longest = max((len(units.number(point.y)) for point in points), default=4)
    room = (7.5 * LETTER * longest + 10) / (100 if view.small else 200)
    axes.set_xlim(min(0.0, low), high + (high - min(0.0, low)) * min(0.5, room))
    axes.xaxis.set_major_locator(MaxNLocator(3))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.10g}"))


def marks(axes: Any, panel: Panel, position: int) -> None:
    """Positions to mark on either axis, with their words."""
    for number, (x, words) in enumerate(panel.verticals):
        mark = axes.axvline(x, color=QUIET, linewidth=1, linestyle=(0, (2, 2)))
        mark.set_gid(f"vertical-{position}-{number}")
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}
        of = ("data", "axes fraction")
        _note(axes, words, (x, 0.02), of, (-2, 0), rotation=90, ha="right", bbox=box)
    for number, (y, words) in enumerate(panel.limits):
        mark = axes.axhline(y, color=QUIET, linewidth=1, linestyle=(0, (6, 2)))
        mark.set_gid(f"limit-{position}-{number}")
        _note(axes, words, (0.01, y), ("axes fraction", "data"), (0, 1.5))


def _note(
    axes: Any,
    words: str,
    at: tuple[float, float],
    of: tuple[str, str],
    shift: tuple[float, float],
    **style: Any,
) -> None:
    """Write words so many points beside a position, which ``of`` says the units of."""
    style |= {"va": "bottom", "fontsize": 7.5, "color": QUIET}
    words = visible(words, 40)
    axes.annotate(words, at, xycoords=of, xytext=shift, textcoords="offset points", **style)


def after_layout(view: ChartView, figure: Any, grid: Sequence[Any]) -> None:
    """What needs the final size of the panels: ticks that do not touch, names of marks."""
    size = SMALL_FONT_SIZE if view.small else FONT_SIZE
    for axes, panel in zip(grid, view.panels, strict=True):
        if view.kind != "bars":
            _ticks(axes, view, figure, size)
        if view.mark and not _places_of_marks(panel):
            _name_marks(axes, view, panel)


def _names(axes: Any, view: ChartView, width: float) -> None:
    size = SMALL_FONT_SIZE if view.small else FONT_SIZE
    count = len(view.ticks)
    axes.set_xlim(-0.5, count - 0.5)
    step = width / count
    names = [visible(name, 14) for name in view.ticks]
    upright = max(len(name) for name in names) * LETTER * size < step * 0.92
    # Names that stand on end need the height of a line each; the newest has one.
    every = 1 if upright else max(1, math.ceil(size * 1.25 / step))
    ticks = range((count - 1) % every, count, every)
    axes.set_xticks(ticks, [names[tick] for tick in ticks])
    axes.tick_params(axis="x", rotation=0 if upright else 90)


def _ticks(axes: Any, view: ChartView, figure: Any, size: float) -> None:
    if view.x_scale != "log2":
        return
    xs = sorted({p.x for panel in view.panels for line in panel.lines for p in line.points})
    kept: list[float] = []
    for x in reversed(xs):
        if kept:
            ends = axes.transData.transform([(x, 1.0), (kept[-1], 1.0)])[:, 0] * 72 / figure.dpi
            letters = (len(units.plain(x)) + len(units.plain(kept[-1]))) / 2
            if ends[1] - ends[0] < letters * LETTER * size + 3:
                continue
        kept.append(x)
    axes.set_xticks(sorted(kept))


ALIKE = 0.03
"""How far the places of one mark on several lines can lie apart, as a share of the axis, for one
tick on top to stand for all of them."""


def _places_of_marks(panel: Panel) -> list[tuple[float, str]]:
    """Where each mark stands on the x axis, if it stands at one place on all lines."""
    places: dict[str, list[float]] = {}
    for line in panel.lines:
        for point in line.points:
            places.setdefault(units.whole(point.mark), []).append(point.x)
    every = [x for xs in places.values() for x in xs]
    span = max(every) - min(every) if every else 0.0
    if not span or any(max(xs) - min(xs) > ALIKE * span for xs in places.values()):
        return []
    return sorted((sum(xs) / len(xs), mark) for mark, xs in places.items())


def marks_on_top(axes: Any, view: ChartView, panel: Panel, width: float) -> None:
    """Name the marks on an axis above the panel, where they are those of all its lines."""
    places = _places_of_marks(panel) if view.mark else []
    if not places:
        return
    span, kept = places[-1][0] - places[0][0], list[tuple[float, str]]()
    first, last = places[0], places[-1]
    for place in (first, last, *places[1:-1]):
        if all(abs(place[0] - x) / span * width * 0.8 > 24 for x, _ in kept):
            kept.append(place)
    top = axes.secondary_xaxis("top")
    top.set_xticks([x for x, _ in kept], [visible(mark, 12) for _, mark in kept])
    top.set_xlabel(visible(view.mark, 30))


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
        if not ends and (isinstance(point.mark, str) or point.mark[0] % 5):
            continue
        x, y = axes.transData.transform((point.x, point.y))
        if any(abs(x - tx) < 26 and abs(y - ty) < 14 for tx, ty in taken):
            continue
        taken.append((x, y))
        words = units.whole(point.mark)
        words = f"{view.mark.lower()} {words}" if number == 0 else words
        axes.annotate(
            visible(words, 30),
            (point.x, point.y),
            xytext=(-3, 5) if x > left + 30 else (2, 6),
            textcoords="offset points",
            ha="right" if x > left + 30 else "left",
            fontsize=7,
            color=QUIET,
        )


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
    ends = [max(line.points, key=lambda point: point.x) for line in panel.lines]
    scale = 72 / figure.dpi
    heights = [axes.transData.transform((end.x, end.y))[1] * scale for end in ends]
    order = sorted(range(len(ends)), key=lambda number: (heights[number], number))
    box, width, tall = axes.get_position(), *(size * 72 for size in figure.get_size_inches())
    apart = _apart([heights[n] for n in order], 11.5, box.y0 * tall + 5, box.y1 * tall - 5)
    x = box.x1 * width + 8
    for number, height in zip(order, apart, strict=True):
        label = panel.lines[number].label
        colour, marker = styles[label]
        sample = Line2D([x / width], [height / tall], color=colour, marker=marker, markersize=4)
        figure.add_artist(sample)
        axes.annotate(
            visible(label, LONGEST_NAME),
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

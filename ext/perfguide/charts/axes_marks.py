"""What stands on and around the panels of a picture: scales, ticks, marks, names of lines."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from matplotlib.ticker import MaxNLocator

from ..common import units
from ..common.diagnostics import visible
from . import free_places
from .canvas import Canvas, Place, width
from .model import LONGEST_TICK, ChartView, Line, Panel, Point
from .palette import INK, LINE, QUIET

FONT_SIZE, SMALL_FONT_SIZE = 10, 8.5
"""Points of the text in a picture, and in one of many side by side."""

LINE_HEIGHT = 1.2
"""The height of a line of text, as a share of the size of its font."""

HALF_HIGH = 0.36
"""Half the height of digits and capital letters, as a share of the size of the font."""

NOTE = 8.5
"""Points of the text of figures and notes in a panel."""

TICK, MINOR = 3.5, 2.0
"""Points of the strokes beside an axis."""

GAP = 3.5
"""Points between such a stroke and its number."""

MARGIN = 0.05
"""The room between the outermost points and the frame, as a share of what they span."""

MOST_NAMED = 8
"""So many lines are named at their ends; more get a legend, but for those that have an order."""

LONGEST_NAME = 30
"""Characters of a name at the end of its line."""

NAME_SIZE = 9.5
"""Points of such a name."""

TOGETHER = 9.0
"""Lines of one order whose ends are not so many points apart have one name."""

FIGURE_SIZE = 9.5
"""Points of a figure at the end of a bar."""

LEAST = 5e-324
"""The least number above zero: a log axis begins there at the lowest."""

NICE = [1, 2, 2.5, 5, 10]
"""Numbers stand on an axis in such steps, and in these times a power of ten."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Figures from ``low`` to ``high`` on a stretch of points from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Where a figure stands; a log scale has no place for one that is not above zero."""
        low, high = self.low, self.high
        if self.log:
            if value <= 0:
                return math.nan
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def within(self, value: float) -> float:
        """The same, and the nearer end for what lies beyond."""
        ends = sorted((self.start, self.end))
        place = self.at(value)
        return ends[0] if math.isnan(place) else min(max(place, ends[0]), ends[1])

    def has(self, value: float) -> bool:
        """Whether a figure lies on the scale, but for rounding."""
        if self.log and value <= 0:
            return False
        slack = 1e-9 * (self.high - self.low)
        return self.low - slack <= value <= self.high + slack

    def over(self, start: float, end: float) -> Scale:
        """The same figures on another stretch."""
        return Scale(self.low, self.high, start, end, self.log)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a panel is, and its scales."""

    x: Scale
    y: Scale

    @property
    def left(self) -> float:
        """The left edge, in points as all others."""
        return self.x.start

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x.end

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return min(self.y.start, self.y.end)

    @property
    def top(self) -> float:
        """The upper edge."""
        return max(self.y.start, self.y.end)

    def at(self, x: float, y: float) -> Place | None:
        """Where a point is; ``None`` where the scales have no place for it."""
        place = (self.x.at(x), self.y.at(y))
        return None if any(map(math.isnan, place)) else place


def font(view: ChartView) -> float:
    """Points of the text in a picture."""
    return SMALL_FONT_SIZE if view.small else FONT_SIZE


def with_gaps(view: ChartView, line: Line) -> list[tuple[float, float] | None]:
    """The points of a line; a gap where it has none at a name of the axis."""
    out: list[tuple[float, float] | None] = [(p.x, p.y) for p in line.points[:1]]
    for before, point in pairwise(line.points):
        if view.ticks and view.kind != "bars" and point.x - before.x > 1:
            out.append(None)
        out.append((point.x, point.y))
    return out


def x_range(view: ChartView) -> tuple[float, float]:
    """What the x axis goes from and to; panels share it."""
    if view.ticks:
        return -0.5, len(view.ticks) - 0.5
    found = [p.x for panel in view.panels for line in panel.lines for p in line.points]
    found += [x for panel in view.panels for x, _ in panel.verticals]
    return around(found, view.x_scale == "log2")


def y_range(view: ChartView) -> tuple[float, float]:
    """What the y axis goes from and to; panels share it."""
    points = [p for panel in view.panels for line in panel.lines for p in line.points]
    highs = [max(p.y, p.high if p.high is not None else p.y) for p in points]
    lows = [min(p.y, p.low if p.low is not None else p.y) for p in points]
    limits = [y for panel in view.panels for y, _ in panel.limits]
    if view.y_scale == "log":
        return around([*lows, *highs, *limits], log=True)
    if points and min(p.y for p in points) >= 0:
        return 0.0, max([*highs, *limits]) * (1.14 if limits else 1.07) or 1.0
    return around([*lows, *highs, *limits], log=False)


def around(values: Sequence[float], log: bool) -> tuple[float, float]:
    """The ends of an axis with some room on both sides of the figures."""
    if log:
        known = [math.log(value) for value in values if value > 0] or [0.0]
        low, high = around(known, log=False)
        return math.exp(max(low, math.log(LEAST))), math.exp(high)
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = (high - low) * MARGIN or abs(low) * MARGIN or 1.0
    return low - room, high + room


def even_ticks(scale: Scale, most: float) -> list[float]:
    """Round numbers at even distances on a scale, not many more than ``most``."""
    locator = MaxNLocator(nbins=max(1, min(9, int(most))), steps=NICE)
    return [float(t) for t in locator.tick_values(scale.low, scale.high) if scale.has(float(t))]


def y_ticks(scale: Scale, size: float) -> tuple[list[float], list[float]]:
    """The numbers beside the y axis, and further strokes without one."""
    most = (scale.end - scale.start) / (size * 2)
    if not scale.log:
        return even_ticks(scale, most), []
    first, last = math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high))
    tens = [10.0**power for power in range(first, last + 1) if scale.has(10.0**power)]
    parts = [n * 10.0**power for power in range(first, last + 1) for n in range(2, 10)]
    minor = [part for part in parts if scale.has(part)]
    if len(tens) > 2:
        return tens[:: math.ceil(len(tens) / max(2.0, most))], minor if len(tens) < 8 else []
    some = [n * 10.0**power for power in range(first, last + 1) for n in (1, 2, 5)]
    some = [number for number in some if scale.has(number)]
    if len(some) < 3:
        some = [number for number in even_ticks(scale, most) if number > 0]
    return some, minor


def number(value: float) -> str:
    """A number beside an axis."""
    return f"{value:,.10g}"


@dataclass(frozen=True, slots=True)
class Names:
    """What stands below the x axis of a picture with names: at which of them, and how."""

    shown: Mapping[int, str]
    upright: bool

    def height(self, size: float) -> float:
        """The room that they need below the axis, in points."""
        if self.upright:
            return size
        return max(width(name, size) for name in self.shown.values())


def names(view: ChartView, across: float) -> Names:
    """The names below an axis that is about so many points wide."""
    size, count = font(view), len(view.ticks)
    step = across / count
    found = [visible(name, 14) for name in view.ticks]
    upright = max(width(name, size) for name in found) < step * 0.92
    # Names that stand on end need the height of a line each; the newest has one.
    every = 1 if upright else max(1, math.ceil(size * 1.25 / step))
    return Names({t: found[t] for t in range((count - 1) % every, count, every)}, upright)


def x_numbers(view: ChartView, scale: Scale) -> list[tuple[float, str]]:
    """The numbers below an axis without names, none of which touches another."""
    size = font(view)
    if view.x_scale != "log2":
        found = even_ticks(scale, (scale.end - scale.start) / (size * 3))
        return [(x, number(x)) for x in found]
    xs = {p.x for panel in view.panels for line in panel.lines for p in line.points}
    kept: list[tuple[float, str]] = []
    for x in sorted((x for x in xs if x > 0), reverse=True):
        words = units.plain(x)
        if kept:
            room = (width(words, size) + width(kept[-1][1], size)) / 2 + 4
            if scale.at(kept[-1][0]) - scale.at(x) < room:
                continue
        kept.append((x, words))
    return kept[::-1]


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
    """A name beside a bar, in lines that fit there; no letter of a board's name is left out, and
    what follows a line break has a line of its own."""
    parts = (visible(part, 4 * LONGEST_TICK) for part in name.split("\n"))
    return [line for part in parts for line in textwrap.wrap(part, LONGEST_TICK)] or [""]


def bar_scale(view: ChartView, start: float, end: float) -> Scale:
    """The scale of bars, with room for the figures at their ends; panels share it."""
    points = [point for panel in view.panels for line in panel.lines for point in line.points]
    ends = [max(p.y, p.high if p.high is not None else p.y) for p in points]
    low, high = min(0.0, *(p.y for p in points)), max(0.0, *ends)
    room = 8 + max(width(point.words, FIGURE_SIZE) for point in points)
    share = max(0.4, 1 - room / (end - start))
    return Scale(low, low + ((high - low) or 1.0) / share, start, end)


def grid(canvas: Canvas, frame: Frame, xs: Sequence[float], ys: Sequence[float]) -> None:
    """The lines behind the points of a panel, at numbers on its axes."""
    columns = [((x, frame.bottom), (x, frame.top)) for x in map(frame.x.at, xs)]
    rows = [((frame.left, y), (frame.right, y)) for y in map(frame.y.at, ys)]
    canvas.strokes([*columns, *rows], LINE, 0.6)


def edges(canvas: Canvas, frame: Frame) -> None:
    """The four lines around a panel."""
    left, right, bottom, top = frame.left, frame.right, frame.bottom, frame.top
    corners = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
    canvas.line(corners, QUIET, 0.8)


def strokes_below(canvas: Canvas, frame: Frame, xs: Sequence[float]) -> None:
    """The strokes of numbers on the x axis."""
    places = map(frame.x.at, xs)
    canvas.strokes([((x, frame.bottom - TICK), (x, frame.bottom)) for x in places], INK, 0.8)


def strokes_beside(
    canvas: Canvas, frame: Frame, ys: Sequence[float], minor: Sequence[float] = ()
) -> None:
    """The strokes of numbers on the y axis, and shorter ones between them."""
    left, at = frame.left, frame.y.at
    ends = [((left - TICK, at(y)), (left, at(y))) for y in ys]
    canvas.strokes(ends, INK, 0.8)
    canvas.strokes([((left - MINOR, at(y)), (left, at(y))) for y in minor], INK, 0.6)


def marks(canvas: Canvas, frame: Frame, panel: Panel, position: int) -> None:
    """Positions to mark on either axis, with their words."""
    for count, (x, words) in enumerate(panel.verticals):
        at = frame.x.within(x)
        with canvas.group(f"vertical-{position}-{count}"):
            canvas.line([(at, frame.bottom), (at, frame.top)], QUIET, 1, (2, 2))
        words = visible(words, 40)
        low = frame.bottom + 0.02 * (frame.top - frame.bottom)
        base = at - 2 - 0.24 * NOTE
        corner = (base - 0.76 * NOTE - 0.6, low - 0.6)
        other = (base + 0.24 * NOTE + 0.6, low + width(words, NOTE) + 0.6)
        canvas.box(corner, other, "white", alpha=0.75)
        canvas.words(words, (base, low), NOTE, angle=90, colour=QUIET)
    for count, (y, words) in enumerate(panel.limits):
        at = frame.y.within(y)
        with canvas.group(f"limit-{position}-{count}"):
            canvas.line([(frame.left, at), (frame.right, at)], QUIET, 1, (6, 2))
        left = frame.left + 0.01 * (frame.right - frame.left)
        canvas.words(visible(words, 40), (left, at + 1.5 + 0.24 * NOTE), NOTE, colour=QUIET)


ALIKE = 0.03
"""How far the places of one mark on several lines can lie apart, as a share of the axis, for one
tick on top to stand for all of them."""


def places_of_marks(view: ChartView, panel: Panel) -> list[tuple[float, str]]:
    """Where each mark stands on the x axis, if it stands at one place on all lines."""
    if not view.mark or view.kind == "bars":
        return []
    places: dict[str, list[float]] = {}
    for line in panel.lines:
        for point in line.points:
            places.setdefault(units.whole(point.mark), []).append(point.x)
    every = [x for xs in places.values() for x in xs]
    span = max(every) - min(every) if every else 0.0
    if not span or any(max(xs) - min(xs) > ALIKE * span for xs in places.values()):
        return []
    return sorted((sum(xs) / len(xs), mark) for mark, xs in places.items())


def height_of_marks_on_top(view: ChartView) -> float:
    """The room above a panel for :func:`marks_on_top`, in points."""
    return TICK + GAP + 2 * LINE_HEIGHT * font(view)


def marks_on_top(canvas: Canvas, frame: Frame, view: ChartView, panel: Panel) -> None:
    """Name the marks on an axis above the panel, where they are those of all its lines."""
    places = [each for each in places_of_marks(view, panel) if frame.x.has(each[0])]
    if not places:
        return
    kept = list[tuple[float, str]]()
    first, last = places[0], places[-1]
    for x, mark in (first, last, *places[1:-1]):
        if all(abs(frame.x.at(x) - frame.x.at(other)) > 24 for other, _ in kept):
            kept.append((x, mark))
    size, base = font(view), frame.top + TICK + GAP
    at = frame.x.at
    canvas.strokes([((at(x), frame.top), (at(x), frame.top + TICK)) for x, _ in kept], INK, 0.8)
    for x, mark in kept:
        canvas.words(visible(mark, 12), (at(x), base), size, align="center")
    middle = (frame.left + frame.right) / 2
    above = base + LINE_HEIGHT * size
    canvas.words(visible(view.mark, 30), (middle, above), size, align="center")


def name_marks(canvas: Canvas, frame: Frame, view: ChartView, panel: Panel) -> None:
    """Name some of the marks along the highest line: the ends, and round numbers."""
    line = max(panel.lines, key=lambda each: max(p.y for p in each.points))
    last = len(line.points) - 1
    taken: list[Place] = []
    order = sorted(range(last + 1), key=lambda i: (i not in (0, last), i))
    for count in order:
        point = line.points[count]
        ends = count in (0, last)
        if not ends and (isinstance(point.mark, str) or point.mark[0] % 5):
            continue
        place = frame.at(point.x, point.y)
        if place is None or any(
            abs(place[0] - x) < 19 and abs(place[1] - y) < 10 for x, y in taken
        ):
            continue
        taken.append(place)
        words = units.whole(point.mark)
        words = f"{view.mark.lower()} {words}" if count == 0 else words
        inside = place[0] > frame.left + 22
        at = (place[0] - 3, place[1] + 5) if inside else (place[0] + 2, place[1] + 6)
        canvas.words(visible(words, 30), at, 7, align="right" if inside else "left", colour=QUIET)


def direct(view: ChartView) -> bool:
    """Whether the lines are named at their ends rather than in a legend."""
    lines = view.panels[0].lines
    return (
        view.kind == "lines"
        and len(view.panels) == 1
        and len(lines) >= 2
        and (len(lines) <= MOST_NAMED or view.ramp)
        and all(0 < len(line.label) <= LONGEST_NAME for line in lines)
    )


@dataclass(frozen=True, slots=True)
class LineNames:
    """What is written at the ends of the lines of a panel, on the right (``last``) or on the
    left: each name with the line that it is of, the lowest first."""

    names: tuple[tuple[str, Line], ...]
    last: bool

    @property
    def room(self) -> float:
        """The room beside the ends that the names need, in points."""
        return 20 + max(width(words, NAME_SIZE) for words, _ in self.names)

    def end(self, line: Line) -> Point:
        """The end of a line that is named."""
        return _end(line, self.last)


def line_names(view: ChartView, y: Scale) -> LineNames:
    """The names of lines at the end at which lines are further apart, but on the right where that
    makes little difference. Steps of one order that end together have one name."""
    lines = view.panels[0].lines
    spans = []
    for last in (True, False):
        heights = [y.within(_end(line, last).y) for line in lines]
        spans.append(max(heights) - min(heights))
    last = spans[0] >= spans[1] / 2
    runs: list[list[Line]] = []
    for line in lines:
        before = runs[-1][-1] if runs else None
        if before and line.step and before.group == line.group:
            apart = abs(y.within(_end(before, last).y) - y.within(_end(line, last).y))
            if apart < TOGETHER:
                runs[-1].append(line)
                continue
        runs.append([line])
    names = ((visible(_name(run), 2 * LONGEST_NAME), run[-1]) for run in runs)
    return LineNames(tuple(sorted(names, key=lambda each: y.within(_end(each[1], last).y))), last)


def _end(line: Line, last: bool) -> Point:
    return (max if last else min)(line.points, key=lambda point: point.x)


def _name(run: Sequence[Line]) -> str:
    """One name of lines of one order: ``software, 16 to 1024 B``."""
    first, final = run[0], run[-1]
    step = final.step
    if len(run) > 1:
        unit = final.step.partition(" ")[2]
        begin = first.step.removesuffix(f" {unit}") if unit else first.step
        step = f"{begin} to {final.step}"
    return ", ".join(filter(None, (final.group, step.replace(" bytes", " B")))) or final.label


def names_within(view: ChartView, names: LineNames, frame: Frame) -> list[Place] | None:
    """Where in a panel the names can stand beside their lines, as shares of its width and height;
    ``None`` where they cannot."""
    lines, curves, bars = view.panels[0].lines, list[list[Place]](), list[tuple[Place, Place]]()
    wide, tall = frame.right - frame.left, frame.top - frame.bottom

    def at(x: float, y: float | None) -> Place | None:
        place = None if y is None else frame.at(x, y)
        return place and (place[0] - frame.left, place[1] - frame.bottom)

    for line in lines:
        curves.append([place for point in line.points if (place := at(point.x, point.y))])
        ends = ((at(point.x, point.low), at(point.x, point.high)) for point in line.points)
        bars += [(low, high) for low, high in ends if low and high]
    if not all(curves):
        return None
    sizes = [(lines.index(line), width(words, NAME_SIZE)) for words, line in names.names]
    found = free_places.beside(curves, bars, sizes, NAME_SIZE, (wide, tall))
    return found and [(x / wide, y / tall) for x, y in found]


def write_within(
    canvas: Canvas, frame: Frame, names: LineNames, places: Sequence[Place], colours: Sequence[str]
) -> None:
    """Write the names of lines where :func:`names_within` has found room."""
    for (words, _), (x, y), colour in zip(names.names, places, colours, strict=True):
        left = frame.left + x * (frame.right - frame.left)
        base = frame.bottom + y * (frame.top - frame.bottom) + 0.2 * NAME_SIZE
        canvas.words(words, (left, base), NAME_SIZE, colour=colour)


def with_room(x: Scale, room: float) -> Scale:
    """The same stretch with so many free points before the first figure."""
    share = room / (x.end - x.start)
    low, high = (math.log(x.low), math.log(x.high)) if x.log else (x.low, x.high)
    begin = low - (high - low) * share / (1 - share)
    if x.log:
        begin = math.exp(max(begin, math.log(LEAST)))
    return Scale(begin, x.high, x.start, x.end, x.log)


def name_lines(
    canvas: Canvas, frame: Frame, view: ChartView, names: LineNames, colours: Mapping[str, str]
) -> None:
    """Write the names of lines apart from each other, each with a stroke to its line. ``colours``
    has those of lines by their labels."""
    ends = [names.end(line) for _, line in names.names]
    heights = [frame.y.within(end.y) for end in ends]
    apart = _apart(heights, NAME_SIZE * 1.25, frame.bottom + 5, frame.top - 5)
    edge = frame.right + 8 if names.last else frame.left + names.room - 8
    out = 1 if names.last else -1
    for (words, line), end, height in zip(names.names, ends, apart, strict=True):
        place = (frame.x.within(end.x) + 3 * out, frame.y.within(end.y))
        colour = colours[line.label]
        canvas.strokes([((edge - 2 * out, height), place)], colour, 0.6)
        base = (edge, height - HALF_HIGH * NAME_SIZE)
        align: Literal["left", "right"] = "left" if names.last else "right"
        ink = INK if view.ramp else colour
        canvas.words(words, base, NAME_SIZE, align=align, colour=ink)


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

"""What a picture shows, drawn to the bytes of a file. The same view gives the same bytes."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..common import units
from ..common.diagnostics import visible
from . import axes_marks, palette
from .axes_marks import GAP, HALF_HIGH, LINE_HEIGHT, TICK, Frame, Scale
from .canvas import Canvas, Dashes, Place, width
from .model import ChangeKind, ChangeView, ChartView, Line, PictureView, Point

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Dashes, ...] = (
    *((), (3.7, 1.6), (6.4, 1.6, 1, 1.6), (1, 1.65)),
    *((5, 1), (3, 1, 1, 1), (1, 1), (7, 2, 2, 2)),
)
HATCHES = ("", "///", "|||", "xxx", "\\\\\\", "+++", "\\\\", "---")
"""Lines alone: a pattern of dots makes a picture ten times as large, because each is curves."""

WIDTH, HEIGHT = 5.0, 3.7
"""Inches of a picture with one panel: on a phone its text is still of a size to read."""

PAIR, PAIR_HEIGHT = 2.7, 3.0
"""Inches of one panel, where two stand side by side."""

SMALL, SMALL_HEIGHT = 2.9, 2.2
"""Inches of one of many pictures side by side."""

INCH = 72
"""Points."""

PAD = 1.08
"""The room at the edges of a picture, as a share of the size of its font."""

HEADING, HEADING_HEIGHT = 9.5, 0.19 * INCH
"""Points of the text of a heading, and of its lines."""

BAR = 0.86
"""The height of a bar, of the distance between two."""

MOST_LABEL = 60
"""Characters of a label from data that are drawn; all of it is in the data."""


# Vermilion and green of the same colours; the shape and the place tell them apart too.
CHANGES: dict[ChangeKind, tuple[str, str, float, str]] = {
    "other": ("o", "#9aa5b0", 3, "same, or too noisy to tell"),
    "improved": ("^", palette.SERIES[2], 5.1, "improved"),
    "regressed": ("v", palette.SERIES[1], 5.1, "regressed"),
}
"""The marker, the colour, the size in points and the words of each kind of change."""

STEPS = (0, 5, 10, 20, 50, 100, 300, 900, 9900)
"""Changes, in per cent, that can be marked on the axis."""

MOST_STRIP_LABEL = 40


def draw(view: PictureView, form: str = "svg") -> bytes:
    """The bytes of a picture, without the moment of its drawing. ``form`` is ``svg`` or ``pdf``."""
    canvas = _chart(view) if isinstance(view, ChartView) else _changes(view)
    return _finished(canvas.file(form), form)


def notice(form: str) -> bytes:
    """A picture in the place of one that could not be drawn."""
    canvas = Canvas(WIDTH * INCH, 0.6 * INCH)
    said, size = "This chart could not be drawn.", axes_marks.FONT_SIZE
    canvas.words(said, (WIDTH * INCH / 2, 0.3 * INCH - HALF_HIGH * size), size, align="center")
    return _finished(canvas.file(form), form)


def _finished(picture: bytes, form: str) -> bytes:
    if form == "svg":
        # The size in points is for print; on a page the picture takes the width it gets.
        for size in (b"width", b"height"):
            picture = re.sub(rb'(<svg[^>]*?) %b="[^"]*"' % size, rb"\1", picture, count=1)
    return picture


def text(words: str, most: int = MOST_LABEL) -> str:
    """A label from data: one line, no control characters, not longer than it fits."""
    return visible(words, most)


def _size(view: ChartView, columns: int, rows: int) -> tuple[float, float]:
    """The picture's size in points, without its headings and its legend."""
    if view.kind == "bars":
        rows_of = max(len(axes_marks.bar_rows(view, panel)[0]) for panel in view.panels)
        gaps = 0.12 * len(view.ticks)
        lines = max((len(axes_marks.tick_lines(name)) for name in view.ticks), default=1)
        each = max(0.21, 0.165 * lines + 0.05)
        height = 0.75 + each * rows_of + gaps + (0.25 if any(p.title for p in view.panels) else 0)
        return (SMALL if view.small else WIDTH) * INCH, height * rows * INCH
    if view.small:
        return SMALL * INCH, SMALL_HEIGHT * INCH
    if columns == 1:
        return WIDTH * INCH, HEIGHT * rows * INCH
    return PAIR * columns * INCH, PAIR_HEIGHT * rows * INCH


@dataclass(frozen=True, slots=True)
class _Legend:
    """The names of lines below a picture, so many in a row."""

    labels: Sequence[str]
    size: float
    across: int
    row: float

    @property
    def height(self) -> float:
        """The room that it needs, in points."""
        return self.row * -(-len(self.labels) // self.across) + 0.06 * INCH if self.labels else 0


def _legend(view: ChartView, labels: Sequence[str], room: float) -> _Legend:
    size = axes_marks.NOTE if view.small else axes_marks.FONT_SIZE
    longest = max((width(text(label), size) for label in labels), default=0)
    across = max(1, min(4, len(labels), int(room / (longest + 3.6 * size))))
    return _Legend(labels, size, across, (0.16 if view.small else 0.2) * INCH)


def _chart(view: ChartView) -> Canvas:
    """One panel for each of the view's, at most two side by side, on equal axes."""
    count = max(1, len(view.panels))
    columns = 1 if count == 1 or view.kind == "bars" else 2
    rows = -(-count // columns)
    labels = list(dict.fromkeys(line.label for panel in view.panels for line in panel.lines))
    styles = list(dict.fromkeys([*view.styles, *labels]))
    direct = not view.small and axes_marks.direct(view)
    across, high = _size(view, columns, rows)
    legend = _legend(view, [] if direct or len(labels) < 2 else labels, across)
    title, under = _headings(view)
    lines = len(title) + len(under)
    head = HEADING_HEIGHT * lines + (0.06 * INCH if lines else 0)
    canvas = Canvas(across, high + head + legend.height)
    for number, line in enumerate((*title, *under)):
        base = canvas.high - 0.04 * INCH - HEADING_HEIGHT * number - 0.93 * HEADING
        bold = number < len(title)
        canvas.words(line, (0.01 * across, base), HEADING, bold=bold)
    middle = (legend.height, canvas.high - head)
    if view.kind == "bars":
        _panels_of_bars(canvas, view, styles, *middle)
    else:
        _panels_of_lines(canvas, view, styles, columns, *middle)
    _write_legend(canvas, view, legend, styles)
    return canvas


def _headings(view: ChartView) -> tuple[list[str], list[str]]:
    """The lines of what a picture finds, and of what it is about."""
    finding, about = visible(view.finding, 300), visible(view.subtitle, 400)
    return textwrap.wrap(finding, 52), textwrap.wrap(about, 60)


def _write_legend(canvas: Canvas, view: ChartView, legend: _Legend, styles: Sequence[str]) -> None:
    """Write the names of lines, each beside a piece of its line."""
    if not legend.labels:
        return
    size, sample = legend.size, 1.6 * legend.size
    wide = sample + 0.6 * size + max(width(text(label), size) for label in legend.labels)
    each = wide + 1.2 * size
    left = (canvas.across - legend.across * each + 1.2 * size) / 2
    lines = {line.label: line for panel in view.panels for line in panel.lines}
    for number, label in enumerate(legend.labels):
        row, column = divmod(number, legend.across)
        x = max(2.0, left) + column * each
        y = legend.height - 0.03 * INCH - legend.row * (row + 0.5)
        style = styles.index(label)
        if view.kind == "bars":
            _bar(canvas, (x, y - 0.35 * size), (x + sample, y + 0.35 * size), style)
        else:
            middle = [(x + sample / 2, y)]
            look = _look(view, lines[label], style)
            _stroke(canvas, view, [(x, y), (x + sample, y)], middle, look)
        base = (x + sample + 0.6 * size, y - HALF_HIGH * size)
        canvas.words(text(label), base, size)


def _panels_of_lines(
    canvas: Canvas, view: ChartView, styles: list[str], columns: int, low: float, high: float
) -> None:
    """Draw all panels between two heights."""
    size, panels = axes_marks.font(view), view.panels
    pad, row = PAD * size, LINE_HEIGHT * size
    count, rows = len(panels), -(-len(panels) // columns)
    xs, ys = axes_marks.x_range(view), axes_marks.y_range(view)
    about = canvas.across / columns - 60
    names = axes_marks.names(view, about) if view.ticks else None
    over = pad + (row if any(panel.title for panel in panels) else 0)
    if any(axes_marks.places_of_marks(view, panel) for panel in panels):
        over += axes_marks.height_of_marks_on_top(view)
    x_label = text(view.x_label) if not view.small else ""
    below = TICK + GAP + (names.height(size) if names else size) + (row if x_label else 0) + pad
    tall = (high - low - below - rows * over) / rows
    y = Scale(*ys, 0, tall, log=view.y_scale == "log")
    y_at, minor = axes_marks.y_ticks(y, size)
    widest = max((width(axes_marks.number(value), size) for value in y_at), default=0)
    left = pad + (row + GAP if view.y_label else 0) + widest + GAP + TICK
    named = axes_marks.line_names(view, y) if _names_lines(view) else None
    right = pad + (named.room if named and named.last else 0)
    between = pad * 1.5
    wide = (canvas.across - left - right - between * (columns - 1)) / columns
    within, free = None, 0.0
    if named and not named.last:
        # Beside the lines they need no room of their own on the left.
        whole = Frame(Scale(*xs, 0, wide, log=view.x_scale == "log2"), y)
        within = axes_marks.names_within(view, named, whole)
        free = 0.0 if within else named.room
    x = Scale(*xs, free, wide, log=view.x_scale == "log2")
    if not names and (found := axes_marks.x_numbers(view, x)):
        # The last number stands over the edge, where it is near the end of the axis.
        stands_over = x.at(found[-1][0]) + width(found[-1][1], size) / 2 - wide
        wide -= max(0, stands_over - right + 2) / columns
        x = x.over(free, wide)
    numbers = (
        [(float(tick), name) for tick, name in names.shown.items()]
        if names
        else axes_marks.x_numbers(view, x)
    )
    x = axes_marks.with_room(x.over(0, wide), free)
    for position, panel in enumerate(panels):
        down, beside = divmod(position, columns)
        start, top = left + beside * (wide + between), high - over - down * (tall + over)
        frame = Frame(x.over(start, start + wide), y.over(top - tall, top))
        axes_marks.grid(canvas, frame, [at for at, _ in numbers], y_at)
        axes_marks.strokes_beside(canvas, frame, y_at, minor)
        axes_marks.strokes_below(canvas, frame, [at for at, _ in numbers])
        _panel(canvas, frame, view, position, styles)
        middle, above = (frame.left + frame.right) / 2, top + over - pad / 2 - 0.9 * size
        _middle(canvas, text(panel.title), middle, above, size)
        if beside == 0:
            _numbers_beside(canvas, frame, y_at, size)
            _upright(canvas, text(view.y_label), pad + 0.8 * size, top - tall / 2, size)
        if position + columns >= count:
            _names_below(canvas, frame, numbers, size, upright=not names or names.upright)
            _middle(canvas, x_label, middle, frame.bottom - below + pad + 0.24 * size, size)
        if named:
            lines = panel.lines
            looks = {each.label: _look(view, each, styles.index(each.label))[0] for each in lines}
            if within:
                inks = [palette.INK if view.ramp else looks[each.label] for _, each in named.names]
                axes_marks.write_within(canvas, frame, named, within, inks)
            else:
                axes_marks.name_lines(canvas, frame, view, named, looks)


def _panel(canvas: Canvas, frame: Frame, view: ChartView, position: int, styles: list[str]) -> None:
    """What stands in one panel; a line looks the same in all panels."""
    panel = view.panels[position]
    for number, line in enumerate(panel.lines):
        name = f"line-{position}-{number}"
        _line(canvas, frame, view, line, styles.index(line.label), name)
    axes_marks.edges(canvas, frame)
    axes_marks.marks(canvas, frame, panel, position)
    if axes_marks.places_of_marks(view, panel):
        axes_marks.marks_on_top(canvas, frame, view, panel)
    elif view.mark:
        axes_marks.name_marks(canvas, frame, view, panel)


def _names_lines(view: ChartView) -> bool:
    return not view.small and axes_marks.direct(view)


def _middle(canvas: Canvas, words: str, x: float, y: float, size: float) -> None:
    """A label around the middle of a panel, moved where it would not be on the picture."""
    half = min(width(words, size), canvas.across) / 2
    x = min(max(x, half + 2), canvas.across - half - 2)
    canvas.words(words, (x, y), size, align="center")


def _upright(canvas: Canvas, words: str, x: float, y: float, size: float) -> None:
    """A label along the y axis, moved where it would not be on the picture."""
    half = min(width(words, size), canvas.high) / 2
    y = min(max(y, half + 2), canvas.high - half - 2)
    canvas.words(words, (x, y), size, align="center", angle=90)


def _numbers_beside(canvas: Canvas, frame: Frame, ys: Sequence[float], size: float) -> None:
    for y in ys:
        place = (frame.left - TICK - GAP, frame.y.at(y) - HALF_HIGH * size)
        canvas.words(axes_marks.number(y), place, size, align="right")


def _names_below(
    canvas: Canvas,
    frame: Frame,
    names: Sequence[tuple[float, str]],
    size: float,
    upright: bool = True,
) -> None:
    """Numbers or names below the x axis; those that are not upright stand on end."""
    under = frame.bottom - TICK - GAP
    for x, name in names:
        at = frame.x.at(x)
        if upright:
            canvas.words(name, (at, under - 0.76 * size), size, align="center")
        else:
            base = (at + HALF_HIGH * size, under)
            canvas.words(name, base, size, align="right", angle=90)


def _line(canvas: Canvas, frame: Frame, view: ChartView, line: Line, style: int, name: str) -> None:
    """Draw one line; its group in the SVG is called ``line-PANEL-NUMBER``."""
    points = axes_marks.with_gaps(view, line)
    look = _look(view, line, style)
    colour, dashes, _ = look
    with canvas.group(name):
        if view.kind == "steps":
            corners = _steps([point for point in points if point], frame)
            canvas.line(corners, colour, 1.2, dashes)
        else:
            places = [point and frame.at(*point) for point in points]
            _stroke(canvas, view, places, [place for place in places if place], look)
    spread = [p for p in line.points if p.low is not None and p.high is not None]
    _spread(canvas, frame, spread, colour, along="y")


def _stroke(
    canvas: Canvas,
    view: ChartView,
    places: Sequence[Place | None],
    marks: Sequence[Place],
    look: Look,
) -> None:
    """A piece of a line in its style, with marks."""
    colour, dashes, marker = look
    canvas.line(
        places,
        colour,
        1.2 if view.small or view.kind == "steps" else 1.4,
        dashes=dashes,
    )
    if view.kind != "steps":
        size = 3.2 if view.small else 4
        canvas.marks(marks, marker, size, colour)


def _steps(points: Sequence[tuple[float, float]], frame: Frame) -> list[Place]:
    """The corners of steps through points, each up to the middle between two. Where a scale has
    no place for a height, such as no count at all on a log one, a step stands on the axis."""
    xs, ys = [frame.x.within(x) for x, _ in points], [frame.y.within(y) for _, y in points]
    middles = [(a + b) / 2 for a, b in pairwise(xs)]
    edges = [xs[0], *middles, xs[-1]]
    return [
        corner
        for (left, right), y in zip(pairwise(edges), ys, strict=True)
        for corner in ((left, y), (right, y))
    ]


Look = tuple[str, Dashes, str]
"""The colour, the dashes and the marker of a line."""


def _look(view: ChartView, line: Line, style: int) -> Look:
    """How a line looks. Of those that have an order, a colour is a step of a ramp, and each group
    has a ramp, dashes and a marker of its own."""
    if not view.ramp or not line.step:
        of = palette.SERIES
        return of[style % len(of)], DASHES[style % len(DASHES)], MARKERS[style % len(MARKERS)]
    lines = [each for panel in view.panels for each in panel.lines]
    groups = list(dict.fromkeys(each.group for each in lines))
    steps = list(dict.fromkeys(each.step for each in lines if each.group == line.group))
    count, place = groups.index(line.group), steps.index(line.step)
    ramp = palette.RAMPS[count % len(palette.RAMPS)]
    step = round(place * (len(ramp) - 1) / max(1, len(steps) - 1))
    return ramp[step], DASHES[count % len(DASHES)], MARKERS[count % len(MARKERS)]


def _spread(canvas: Canvas, frame: Frame, spread: Sequence[Point], colour: str, along: str) -> None:
    """Minimum and maximum as bars through their points."""
    ends = []
    for p in spread:
        if p.low is None or p.high is None:
            continue
        # A published mean can lie outside its own range; a bar cannot go backwards.
        low, high = min(p.y, p.low), max(p.y, p.high)
        if along == "y":
            x, y0, y1 = frame.x.at(p.x), frame.y.within(low), frame.y.within(high)
            ends += [((x, y0), (x, y1)), ((x - 2, y0), (x + 2, y0)), ((x - 2, y1), (x + 2, y1))]
        else:
            y, x0, x1 = frame.y.at(p.x), frame.x.within(low), frame.x.within(high)
            ends += [((x0, y), (x1, y)), ((x0, y - 2), (x0, y + 2)), ((x1, y - 2), (x1, y + 2))]
    canvas.strokes(ends, colour, 0.9)


def _panels_of_bars(
    canvas: Canvas, view: ChartView, styles: list[str], low: float, high: float
) -> None:
    """Draw all panels between two heights, one below the other."""
    size, panels = axes_marks.font(view), view.panels
    pad, row = PAD * size, LINE_HEIGHT * size
    names = {tick: axes_marks.tick_lines(name) for tick, name in enumerate(view.ticks)}
    widest = max((width(line, size) for lines in names.values() for line in lines), default=0)
    left, right = pad + widest + GAP + TICK, canvas.across - pad
    x = axes_marks.bar_scale(view, left, right)
    over = pad + (row if any(panel.title for panel in panels) else 0)
    below = TICK + GAP + size + row + pad
    tall = (high - low - below - len(panels) * over) / len(panels)
    ticks = axes_marks.even_ticks(x, 3)
    for position, panel in enumerate(panels):
        rows, middles = axes_marks.bar_rows(view, panel)
        top = high - over - position * (tall + over)
        last = max(rows.values()) + BAR / 2
        room = 0.02 * (last + BAR / 2)
        y = Scale(last + room, -BAR / 2 - room, top - tall, top)
        frame = Frame(x, y)
        for number, line in enumerate(panel.lines):
            style = styles.index(line.label)
            _bars(canvas, frame, line, rows, style, f"line-{position}-{number}")
        # Each bar has its figure: no grid, and no frame but the line that bars begin at.
        start = frame.x.at(0)
        canvas.line([(start, frame.bottom), (start, frame.top)], palette.QUIET, 0.8)
        axes_marks.strokes_below(canvas, frame, ticks)
        for tick, middle in middles.items():
            _name_beside(canvas, frame, y.at(middle), names[int(tick)], size)
        if panel.title:
            _middle(canvas, text(panel.title), (left + right) / 2, top + 0.5 * size, size)
        if position == len(panels) - 1:
            _names_below(canvas, frame, [(at, axes_marks.number(at)) for at in ticks], size)
            base = frame.bottom - below + pad + 0.24 * size
            _middle(canvas, text(view.y_label), (left + right) / 2, base, size)
        axes_marks.marks(canvas, frame, panel, position)


def _name_beside(
    canvas: Canvas, frame: Frame, middle: float, lines: Sequence[str], size: float
) -> None:
    """A name of a few lines beside the y axis, around a height."""
    row = LINE_HEIGHT * size
    for number, line in enumerate(lines):
        base = middle + row * ((len(lines) - 1) / 2 - number) - HALF_HIGH * size
        canvas.words(line, (frame.left - TICK - GAP, base), size, align="right")


def _bar(canvas: Canvas, corner: Place, other: Place, style: int) -> None:
    colour, hatch = palette.SERIES[style % len(palette.SERIES)], HATCHES[style % len(HATCHES)]
    canvas.box(corner, other, colour, edge=0.4, hatch=hatch)


def _bars(
    canvas: Canvas,
    frame: Frame,
    line: Line,
    rows: Mapping[tuple[float, str], float],
    style: int,
    name: str,
) -> None:
    """Draw the bars of one line; the group of each is ``line-PANEL-NUMBER-BAR``."""
    size, half = axes_marks.FIGURE_SIZE, abs(frame.y.at(BAR) - frame.y.at(0)) / 2
    for number, point in enumerate(line.points):
        row = rows[point.x, line.label]
        middle, top = frame.y.at(row), point.y
        with canvas.group(f"{name}-{number}"):
            ends = (frame.x.at(0), middle - half), (frame.x.at(point.y), middle + half)
            _bar(canvas, *ends, style)
        if point.low is not None and point.high is not None:
            _spread(canvas, frame, [replace(point, x=row)], palette.INK, along="x")
            top = max(top, point.high)
        place = (frame.x.at(top) + 4, middle - HALF_HIGH * size)
        canvas.words(text(point.words), place, size)


def _changes(view: ChangeView) -> Canvas:
    """A strip of points for each benchmark, better to the right."""
    count, size = len(view.strips), axes_marks.FONT_SIZE
    pad, small = PAD * size, 9
    canvas = Canvas(WIDTH * INCH, (1.5 + 0.3 * count) * INCH)
    titles = [visible(strip.title, MOST_STRIP_LABEL) for strip in view.strips]
    left = pad + max(width(title, size) for title in titles) + GAP + TICK
    below = 0.3 * INCH + pad + LINE_HEIGHT * size + size + GAP + TICK
    logs = [math.log(r) for strip in view.strips for r, _ in strip.points]
    reach, ticks = _scale(logs, canvas.across - pad - left, size)
    frame = Frame(
        Scale(-reach, reach, left, canvas.across - pad),
        Scale(count - 0.4, -0.6, below, canvas.high - pad),
    )
    axes_marks.grid(canvas, frame, ticks, range(count))
    axes_marks.strokes_beside(canvas, frame, range(count))
    axes_marks.strokes_below(canvas, frame, ticks)
    legend = []
    for kind, (marker, colour, across, label) in CHANGES.items():
        places = [
            (frame.x.at(math.log(ratio)), frame.y.at(row))
            for row, strip in enumerate(view.strips)
            for ratio, own in strip.points
            if own == kind
        ]
        if places:
            with canvas.group(f"changes-{kind}"):
                canvas.marks(places, marker, across, colour, alpha=0.8)
            legend.append((label, marker, colour, across))
    zero = frame.x.at(0)
    canvas.line([(zero, frame.bottom), (zero, frame.top)], palette.QUIET, 1)
    for row, strip in enumerate(view.strips):
        x, y = frame.x.at(math.log(strip.mean)), frame.y.at(row)
        canvas.line([(x, y - 5.2), (x, y + 5.2)], palette.SERIES[6], 1.6)
        _name_beside(canvas, frame, y, [titles[row]], size)
    axes_marks.edges(canvas, frame)
    _names_below(canvas, frame, [(tick, _percent(tick)) for tick in ticks], size)
    label = "change in the better direction"
    base = 0.3 * INCH + pad + 0.24 * size
    _middle(canvas, label, (frame.left + frame.right) / 2, base, size)
    # As far apart as there is room for, up to a point.
    widths = [width(label, small) + 12 for label in (*(each[0] for each in legend), MEAN)]
    free = canvas.across - 8 - sum(widths)
    gap = min(16.0, free / max(1, len(widths) - 1))
    x, base = 4 + (free - gap * (len(widths) - 1)) / 2, 0.12 * INCH
    for (words, marker, colour, across), wide in zip(legend, widths, strict=False):
        canvas.marks([(x + 4, base + HALF_HIGH * small)], marker, across, colour, alpha=0.8)
        canvas.words(words, (x + 12, base), small)
        x += wide + gap
    canvas.line([(x + 4, base - 2), (x + 4, base + 8)], palette.SERIES[6], 1.6)
    canvas.words(MEAN, (x + 12, base), small)
    return canvas


MEAN = "geometric mean"


def _scale(logs: Sequence[float], wide: float, size: float) -> tuple[float, list[float]]:
    """How far a log axis goes that is so many points wide, and the changes that are marked on it,
    so that a half and a double lie equally far from no change."""
    reach = max(0.06, *(abs(x) for x in logs)) * 1.06
    ticks = [math.log1p(step / 100) for step in STEPS]
    apart = [ticks[0]]
    for tick in ticks[1:]:
        # Numbers below zero are as wide as those above.
        room = (width(_percent(tick), size) + width(_percent(apart[-1]), size)) / 2 + 4
        if tick <= reach and (tick - apart[-1]) / (2 * reach) * wide >= room:
            apart.append(tick)
    return reach, [*(-tick for tick in reversed(apart[1:])), *apart]


def _percent(log: float) -> str:
    return "0 %" if log == 0 else units.percent(math.expm1(log), 0)

"""What a picture shows, drawn to the bytes of a file. The same view gives the same bytes."""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from ..common import units
from ..common.diagnostics import visible
from . import axes_marks, palette
from .model import ChangeKind, ChangeView, ChartView, Line, Panel, PictureView, Point

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2, 2, 2)))
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo", "---")

STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "perfguide",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica", "sans-serif"],
    "font.size": axes_marks.FONT_SIZE,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": palette.LINE,
    "grid.linewidth": 0.6,
    "axes.edgecolor": palette.QUIET,
    "axes.labelcolor": palette.INK,
    "text.color": palette.INK,
    "xtick.color": palette.INK,
    "ytick.color": palette.INK,
    "hatch.color": "white",
    "hatch.linewidth": 0.8,
    "text.parse_math": False,
    "path.simplify": False,
    "axes.unicode_minus": False,
    "figure.facecolor": "white",
}

WIDTH, HEIGHT = 5.4, 3.7
"""Inches of a picture with one panel: on a phone its text is still of a size to read."""

PAIR, PAIR_HEIGHT = 2.9, 3.0
"""Inches of one panel, where two stand side by side."""

SMALL, SMALL_HEIGHT = 2.9, 2.2
"""Inches of one of many pictures side by side."""

PAD = 1.08
"""The room at the edges of a picture, as a share of the size of its font."""

MOST_LABEL = 60
"""Characters of a label from data that are drawn; all of it is in the data."""


# Vermilion and green of the same colours; the shape and the place tell them apart too.
CHANGES: dict[ChangeKind, tuple[str, str, int, str]] = {
    "other": ("o", "#9aa5b0", 9, "same, or too noisy to tell"),
    "improved": ("^", palette.SERIES[2], 26, "improved"),
    "regressed": ("v", palette.SERIES[1], 26, "regressed"),
}
"""The marker, the colour, the size and the words of each kind of change."""

STEPS = (0, 5, 10, 20, 50, 100, 300, 900, 9900)
"""Changes, in per cent, that can be marked on the axis."""

MOST_STRIP_LABEL = 40


def draw(view: PictureView, form: str = "svg") -> bytes:
    """The bytes of a picture, without the moment of its drawing. ``form`` is ``svg`` or ``pdf``."""
    small = isinstance(view, ChartView) and view.small
    style = STYLE | ({"font.size": axes_marks.SMALL_FONT_SIZE} if small else {})
    with mpl.rc_context(cast(Any, style)):
        figure = _chart(view) if isinstance(view, ChartView) else _changes(view)
        buffer = io.BytesIO()
        # All is in its place; with an engine, everything would be drawn twice.
        figure.set_layout_engine(None)
        metadata = {"Date": None} if form == "svg" else {"CreationDate": None}
        figure.savefig(buffer, format=form, metadata=metadata)
    return _finished(buffer.getvalue(), form)


def notice(form: str) -> bytes:
    """A picture in the place of one that could not be drawn."""
    figure, buffer = Figure(figsize=(WIDTH, 0.6)), io.BytesIO()
    figure.text(0.5, 0.5, "This chart could not be drawn.", ha="center", va="center")
    with mpl.rc_context(cast(Any, STYLE)):
        figure.savefig(
            buffer, format=form, metadata={"Date" if form == "svg" else "CreationDate": None}
        )
    return _finished(buffer.getvalue(), form)


def _finished(picture: bytes, form: str) -> bytes:
    if form == "svg":
        # The size in points is for print; on a page the picture takes the width it gets.
        for size in (b"width", b"height"):
            picture = re.sub(rb'(<svg[^>]*?) %b="[^"]*"' % size, rb"\1", picture, count=1)
    return picture


def text(words: str, most: int = MOST_LABEL) -> str:
    """A label from data: one line, no control characters, not longer than it fits.

    A leading underscore would hide a line from the legend, so a space goes first.
    """
    shown = visible(words, most)
    return f" {shown}" if shown.startswith("_") else shown


def _size(view: ChartView, columns: int, rows: int) -> tuple[float, float]:
    """The picture's size in inches, without its legend."""
    if view.kind == "bars":
        rows_of = max(len(axes_marks.bar_rows(view, panel)[0]) for panel in view.panels)
        gaps = 0.12 * len(view.ticks)
        lines = max((len(axes_marks.tick_lines(name)) for name in view.ticks), default=1)
        each = max(0.2, 0.15 * lines + 0.05)
        height = 0.75 + each * rows_of + gaps + (0.25 if any(p.title for p in view.panels) else 0)
        return (SMALL if view.small else WIDTH), height * rows
    if view.small:
        return SMALL, SMALL_HEIGHT
    if columns == 1:
        return WIDTH, HEIGHT * rows
    return PAIR * columns, PAIR_HEIGHT * rows


def _chart(view: ChartView) -> Figure:
    """One panel for each of the view's, at most two side by side, on equal axes."""
    count = max(1, len(view.panels))
    columns = 1 if count == 1 or view.kind == "bars" else 2
    rows = -(-count // columns)
    labels = list(dict.fromkeys(line.label for panel in view.panels for line in panel.lines))
    styles = list(dict.fromkeys([*view.styles, *labels]))
    direct = not view.small and axes_marks.direct(view)
    width, height = _size(view, columns, rows)
    longest = max((len(text(label)) for label in labels), default=0)
    each = longest * 4.5 + 30 if view.small else longest * 5.8 + 44
    across = max(1, min(4, len(labels), int(width * 72 / each)))
    rows_of = 0.16 if view.small else 0.2
    legend = 0.0 if direct or len(labels) < 2 else rows_of * -(-len(labels) // across) + 0.06
    title, under = _headings(view)
    head = 0.19 * (len(title) + len(under)) + (0.06 if title or under else 0)
    height += head
    figure = Figure(figsize=(width, height + legend))
    grid = figure.subplots(
        rows, columns, sharex=True, sharey=view.kind != "bars", squeeze=False
    ).ravel()
    handles: dict[str, Any] = {}
    for position, (axes, panel) in enumerate(zip(grid, view.panels, strict=False)):
        handles |= _panel(axes, view, panel, position, styles, 72 * width / columns - 60)
        bottom = position + columns >= count
        if view.kind == "bars":
            axes.set_xlabel(text(view.y_label) if bottom else "")
        else:
            axes.set_xlabel(text(view.x_label) if bottom and not view.small else "")
            axes.set_ylabel(text(view.y_label) if position % columns == 0 else "")
        axes.tick_params(labelbottom=bottom)
    for axes in grid[count:]:
        axes.set_visible(False)
    if legend:
        figure.legend(
            handles.values(),
            [text(label) for label in handles],
            loc="lower center",
            ncols=across,
            frameon=False,
            fontsize=7.5 if view.small else None,
            borderaxespad=0.2,
            columnspacing=1.0 if view.small else None,
            handlelength=1.6 if view.small else None,
            labelspacing=0.25 if view.small else None,
        )
    whole = height + legend
    for number, line in enumerate((*title, *under)):
        bold = "bold" if number < len(title) else "normal"
        at = 1 - (0.04 + 0.19 * number) / whole
        figure.text(0.01, at, line, va="top", ha="left", fontsize=9, fontweight=bold)
    _fit(figure, [*grid[:count]], legend / whole, 1 - head / whole)
    if direct:
        axes_marks.room_for_names(view, figure)
        named = {
            label: (_colours(view)[i % len(_colours(view))], MARKERS[i % len(MARKERS)])
            for i, label in enumerate(styles)
        }
        axes_marks.name_lines(grid[0], view.panels[0], figure, named)
    axes_marks.after_layout(view, figure, [*grid[: len(view.panels)]])
    return figure


def _headings(view: ChartView) -> tuple[list[str], list[str]]:
    """The lines of what a picture finds, and of what it is about."""
    finding, about = visible(view.finding, 300), visible(view.subtitle, 400)
    return textwrap.wrap(finding, 58), textwrap.wrap(about, 66)


def _panel(
    axes: Any, view: ChartView, panel: Panel, position: int, labels: list[str], width: float
) -> dict[str, Any]:
    """Draw one panel; a line looks the same in all panels."""
    handles = {}
    rows, middles = axes_marks.bar_rows(view, panel)
    for number, line in enumerate(panel.lines):
        style = labels.index(line.label)
        name = f"line-{position}-{number}"
        if view.kind == "bars":
            handles[line.label] = _bars(axes, line, rows, style, name)
        else:
            handles[line.label] = _line(axes, view, line, style, name)
    if panel.title:
        axes.set_title(text(panel.title), fontsize="medium")
    if view.kind == "bars":
        axes_marks.bar_scale(axes, view, middles)
    else:
        axes_marks.scales(axes, view, panel, width)
        axes_marks.marks_on_top(axes, view, panel, width)
    axes_marks.marks(axes, panel, position)
    return handles


def _line(axes: Any, view: ChartView, line: Line, style: int, name: str) -> Any:
    """Draw one line; its group in the SVG is called ``line-PANEL-NUMBER``."""
    points = axes_marks.with_gaps(view, line)
    steps = view.kind == "steps"
    colour = _colours(view)[style % len(_colours(view))]
    (drawn,) = axes.plot(
        [x for x, _ in points],
        [y for _, y in points],
        color=colour,
        marker="" if steps else MARKERS[style % len(MARKERS)],
        linestyle=DASHES[style % len(DASHES)],
        drawstyle="steps-mid" if steps else "default",
        markersize=3.2 if view.small else 4,
        linewidth=1.2 if view.small or steps else 1.4,
        label=text(line.label),
    )
    drawn.set_gid(name)
    spread = [p for p in line.points if p.low is not None and p.high is not None]
    if spread:
        _spread(axes, spread, colour, along="y")
    return drawn


def _colours(view: ChartView) -> tuple[str, ...]:
    """The colours of lines in their order: a ramp where they have one, over all of its length."""
    if not view.ramp:
        return palette.SERIES
    count = len({line.label for panel in view.panels for line in panel.lines})
    last = len(palette.RAMP) - 1
    return tuple(palette.RAMP[round(n * last / max(1, count - 1))] for n in range(max(1, count)))


def _spread(axes: Any, spread: Sequence[Point], colour: str, along: str) -> None:
    """Minimum and maximum as bars through their points."""
    # A published mean can lie outside its own range; a bar cannot go backwards.
    below = [max(0.0, p.y - p.low) for p in spread if p.low is not None]
    above = [max(0.0, p.high - p.y) for p in spread if p.high is not None]
    size = [below, above]
    xs, ys = [p.x for p in spread], [p.y for p in spread]
    axes.errorbar(
        *((xs, ys) if along == "y" else (ys, xs)),
        **{f"{along}err": size},
        fmt="none",
        ecolor=colour,
        elinewidth=0.9,
        capsize=2,
    )


def _bars(
    axes: Any, line: Line, rows: dict[tuple[float, str], float], style: int, name: str
) -> Any:
    """Draw the bars of one line; the group of each is ``line-PANEL-NUMBER-BAR``."""
    places = [rows[p.x, line.label] for p in line.points]
    drawn = axes.barh(
        places,
        [p.y for p in line.points],
        height=0.86,
        color=palette.SERIES[style % len(palette.SERIES)],
        hatch=HATCHES[style % len(HATCHES)],
        edgecolor="white",
        linewidth=0.4,
        label=text(line.label),
    )
    for number, bar in enumerate(drawn):
        bar.set_gid(f"{name}-{number}")
    for point, place in zip(line.points, places, strict=True):
        top = point.y
        if point.low is not None and point.high is not None:
            moved = replace(point, x=place)
            _spread(axes, [moved], palette.INK, along="x")
            top = max(top, point.high)
        axes.annotate(
            units.number(point.y),
            (top, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=7.5,
        )
    return drawn


def _changes(view: ChangeView) -> Figure:
    """A strip of points for each benchmark, better to the right."""
    count = len(view.strips)
    figure = Figure(figsize=(WIDTH, 1.5 + 0.3 * count))
    axes = figure.subplots()
    for kind, (marker, colour, size, label) in CHANGES.items():
        places = [
            (math.log(ratio), -row)
            for row, strip in enumerate(view.strips)
            for ratio, own in strip.points
            if own == kind
        ]
        if places:
            xs, ys = zip(*places, strict=True)
            drawn = axes.scatter(
                xs, ys, s=size, marker=marker, color=colour, alpha=0.8, linewidths=0, label=label
            )
            drawn.set_gid(f"changes-{kind}")
    means = [math.log(strip.mean) for strip in view.strips]
    axes.scatter(
        means,
        [-row for row in range(count)],
        s=110,
        marker="|",
        color=palette.SERIES[6],
        linewidths=1.6,
        label="geometric mean",
        zorder=4,
    )
    axes.axvline(0, color=palette.QUIET, linewidth=1)
    axes.set_yticks([-row for row in range(count)])
    axes.set_yticklabels([visible(strip.title, MOST_STRIP_LABEL) for strip in view.strips])
    axes.set_ylim(-count + 0.4, 0.6)
    _scale(axes, [math.log(r) for strip in view.strips for r, _ in strip.points])
    axes.set_xlabel("change in the better direction")
    figure.legend(loc="lower center", ncols=4, frameon=False, fontsize=8, columnspacing=1.2)
    _fit(figure, [axes], 0.3 / figure.get_figheight(), 1)
    return figure


def _fit(figure: Figure, grid: Sequence[Any], low: float, high: float) -> None:
    """Leave room around the panels for what stands beside them, between two heights given as
    shares of the picture. Of one panel its texts are measured once; matplotlib would measure
    them twice, which is a quarter of all that a picture costs."""
    if len(grid) > 1:
        figure.tight_layout(rect=(0, low, 1, high))
        return
    (axes,) = grid
    width, height = figure.bbox.size
    panel = axes.get_window_extent()
    canvas: Any = FigureCanvasAgg(figure)
    around = axes.get_tightbbox(canvas.get_renderer(), for_layout_only=True)
    pad = PAD * mpl.rcParams["font.size"] * figure.dpi / 72
    figure.subplots_adjust(
        left=(panel.x0 - around.x0 + pad) / width,
        right=1 - (around.x1 - panel.x1 + pad) / width,
        bottom=low + (panel.y0 - around.y0 + pad) / height,
        top=high - (around.y1 - panel.y1 + pad) / height,
    )


def _scale(axes: Any, logs: list[float]) -> None:
    """A log axis, so that a half and a double lie equally far from no change."""
    reach = max(0.06, *(abs(x) for x in logs)) * 1.06
    ticks = [math.log1p(step / 100) for step in STEPS]
    shown = [tick for tick in ticks if tick <= reach]
    apart = [shown[0]]
    for tick in shown[1:]:
        if tick - apart[-1] >= reach / 6:
            apart.append(tick)
    axes.set_xlim(-reach, reach)
    axes.set_xticks([*(-tick for tick in reversed(apart[1:])), *apart])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _percent(x)))


def _percent(log: float) -> str:
    return "0 %" if log == 0 else units.percent(math.expm1(log), 0)

"""A chart view to the bytes of a picture. The same view gives the same bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import matplotlib as mpl
from matplotlib.figure import Figure

from ..common import units
from ..common.diagnostics import visible
from . import axes_marks
from .model import ChartView, Line, Panel, Point

# Okabe and Ito's colours, told apart by colour-blind readers; order and dashes
# also tell the lines apart in grey print. Source: jfly.uni-koeln.de/color.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C6D31")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2, 2, 2)))
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo", "---")

STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "perfguide",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica", "sans-serif"],
    "font.size": 9.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#d5dbe1",
    "grid.linewidth": 0.6,
    "axes.edgecolor": "#56626e",
    "axes.labelcolor": "#25303b",
    "text.color": "#25303b",
    "xtick.color": "#25303b",
    "ytick.color": "#25303b",
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

MOST_LABEL = 60
"""Characters of a label from data that are drawn; all of it is in the data."""


def draw(view: ChartView, form: str = "svg") -> bytes:
    """The picture: one panel for each, at most two side by side, on equal axes."""
    style = STYLE | ({"font.size": 8.5} if view.small else {})
    with mpl.rc_context(cast(Any, style)):
        return saved(_figure(view), form)


def saved(figure: Figure, form: str) -> bytes:
    """The bytes of a figure, without the moment of its drawing. The style that it was
    made in has to be the current one."""
    buffer = io.BytesIO()
    # All is in its place; with an engine, everything would be drawn twice.
    figure.set_layout_engine(None)
    metadata = {"Date": None} if form == "svg" else {"CreationDate": None}
    figure.savefig(buffer, format=form, metadata=metadata)
    data = buffer.getvalue()
    if form == "svg":
        # The size in points is for print; on a page the picture takes the width it gets.
        data = re.sub(rb'(<svg[^>]*?) width="[^"]*"', rb"\1", data, count=1)
        data = re.sub(rb'(<svg[^>]*?) height="[^"]*"', rb"\1", data, count=1)
    return data


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
        height = 0.75 + 0.2 * rows_of + gaps + (0.25 if any(p.title for p in view.panels) else 0)
        return (SMALL if view.small else WIDTH), height * rows
    if view.small:
        return SMALL, SMALL_HEIGHT
    if columns == 1:
        return WIDTH, HEIGHT * rows
    return PAIR * columns, PAIR_HEIGHT * rows


def _figure(view: ChartView) -> Figure:
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
    figure.tight_layout(rect=(0, legend / (height + legend), 1, 1))
    if direct:
        axes_marks.room_for_names(view, figure)
        named = {
            label: (COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)])
            for i, label in enumerate(styles)
        }
        axes_marks.name_lines(grid[0], view.panels[0], figure, named)
    axes_marks.after_layout(view, figure, [*grid[: len(view.panels)]])
    return figure


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
    axes_marks.marks(axes, panel, position)
    return handles


def _line(axes: Any, view: ChartView, line: Line, style: int, name: str) -> Any:
    """Draw one line; its group in the SVG is called ``line-PANEL-NUMBER``."""
    points = axes_marks.with_gaps(view, line)
    steps = view.kind == "steps"
    colour = COLOURS[style % len(COLOURS)]
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
        color=COLOURS[style % len(COLOURS)],
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
            _spread(axes, [moved], "#25303b", along="x")
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

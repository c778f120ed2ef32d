"""A chart view to the bytes of a picture. The same view gives the same bytes."""

from __future__ import annotations

import io
import re
from typing import Any, cast

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from . import units
from .chartviews import ChartView, Line, Panel
from .diagnostics import visible

# Okabe and Ito's colours, told apart by colour-blind readers; order and dashes
# also tell the lines apart in grey print. Source: jfly.uni-koeln.de/color.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C6D31")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2, 2, 2)))

STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "perfguide",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica", "sans-serif"],
    "font.size": 10,
    "axes.grid": True,
    "grid.color": "#d5dbe1",
    "grid.linewidth": 0.6,
    "axes.edgecolor": "#56626e",
    "axes.labelcolor": "#25303b",
    "text.color": "#25303b",
    "xtick.color": "#25303b",
    "ytick.color": "#25303b",
    "text.parse_math": False,
    "axes.unicode_minus": False,
    "figure.facecolor": "white",
}

MOST_LABEL = 60
"""Characters of a label from data that are drawn; all of it is in the data."""


def draw(view: ChartView, form: str = "svg") -> bytes:
    """The picture: one panel for each, side by side on equal axes."""
    with mpl.rc_context(cast(Any, STYLE)):
        figure = _figure(view)
        buffer = io.BytesIO()
        metadata = {"Date": None} if form == "svg" else {"CreationDate": None}
        figure.savefig(buffer, format=form, metadata=metadata)
    data = buffer.getvalue()
    if form == "svg":
        # The size in points is for print; on a page the picture takes the width it gets.
        data = re.sub(rb'(<svg[^>]*?) width="[^"]*"', rb"\1", data, count=1)
        data = re.sub(rb'(<svg[^>]*?) height="[^"]*"', rb"\1", data, count=1)
    return data


def _text(text: str) -> str:
    """A label from data: one line, no control characters, not longer than it fits.

    A leading underscore would hide a line from the legend, so a space goes first.
    """
    shown = visible(text, MOST_LABEL)
    return f" {shown}" if shown.startswith("_") else shown


def _figure(view: ChartView) -> Figure:
    count = max(1, len(view.panels))
    lines = max((len(p.lines) for p in view.panels), default=0)
    legend_rows = -(-lines // 4) if lines > 1 else 0
    figure = Figure(figsize=(7.5 if count == 1 else 4.6 * count, 4.0 + 0.3 * legend_rows))
    grid = figure.subplots(1, count, sharex=True, sharey=True, squeeze=False)[0]
    handles: dict[str, Any] = {}
    for position, (axes, panel) in enumerate(zip(grid, view.panels, strict=True)):
        handles |= _panel(axes, view, panel, position)
        axes.set_xlabel(_text(view.x_label))
        if position == 0:
            axes.set_ylabel(_text(view.y_label))
    if len(handles) > 1:
        figure.legend(
            handles.values(),
            handles.keys(),
            loc="lower center",
            ncols=min(4, len(handles)),
            frameon=False,
        )
    figure.tight_layout(rect=(0, 0.075 * legend_rows, 1, 1))
    return figure


def _panel(axes: Any, view: ChartView, panel: Panel, position: int) -> dict[str, Any]:
    handles = {}
    for number, line in enumerate(panel.lines):
        handles[_text(line.label)] = _line(axes, line, number, position)
    if panel.title:
        axes.set_title(_text(panel.title), fontsize=10)
    if view.x_scale == "log2":
        axes.set_xscale("log", base=2)
        ticks = sorted({p.x for line in panel.lines for p in line.points})
        axes.set_xticks(ticks)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: units.plain(float(x))))
    if view.y_scale == "log":
        axes.set_yscale("log")
    elif panel.lines:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.10g}"))
    for number, (x, words) in enumerate(view.verticals):
        mark = axes.axvline(x, color="#56626e", linewidth=1, linestyle=(0, (2, 2)))
        mark.set_gid(f"vertical-{position}-{number}")
        axes.annotate(
            _text(words),
            (x, 0.02),
            xycoords=("data", "axes fraction"),
            rotation=90,
            ha="right",
            va="bottom",
            fontsize=8,
            color="#56626e",
        )
    return handles


def _line(axes: Any, line: Line, number: int, position: int) -> Any:
    """Draw one line; its group in the SVG is named ``line-PANEL-NUMBER``."""
    xs, ys = [p.x for p in line.points], [p.y for p in line.points]
    (drawn,) = axes.plot(
        xs,
        ys,
        color=COLOURS[number % len(COLOURS)],
        marker=MARKERS[number % len(MARKERS)],
        linestyle=DASHES[number % len(DASHES)],
        markersize=4,
        linewidth=1.4,
        label=_text(line.label),
    )
    drawn.set_gid(f"line-{position}-{number}")
    spread = [p for p in line.points if p.low is not None and p.high is not None]
    if spread:
        below = [p.y - p.low for p in spread if p.low is not None]
        above = [p.high - p.y for p in spread if p.high is not None]
        axes.errorbar(
            [p.x for p in spread],
            [p.y for p in spread],
            # A published mean can lie outside its own range; a bar cannot go backwards.
            yerr=[[max(0.0, b) for b in below], [max(0.0, a) for a in above]],
            fmt="none",
            ecolor=COLOURS[number % len(COLOURS)],
            elinewidth=0.8,
            capsize=2,
        )
    return drawn

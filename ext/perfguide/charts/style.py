"""The look of charts: matplotlib settings, and the colour, dashes and marker of each line."""

from __future__ import annotations

from typing import Any

from . import palette
from .model import ChartView, Line

STYLE: Any = {
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica", "sans-serif"],
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.edgecolor": palette.QUIET,
    "axes.labelcolor": palette.INK,
    "axes.titlecolor": palette.INK,
    "axes.axisbelow": True,
    "axes.grid": True,
    # Let the page's background show through.
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": palette.LINE,
    "grid.linewidth": 0.6,
    "text.color": palette.INK,
    "xtick.color": palette.INK,
    "ytick.color": palette.INK,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "hatch.color": "white",
    "hatch.linewidth": 0.8,
    "legend.frameon": False,
    "legend.borderaxespad": 0.3,
    "legend.borderpad": 0.2,
    "legend.columnspacing": 1,
    "legend.handlelength": 1.8,
    "legend.handletextpad": 0.5,
    # Padding around and between panels, in inches.
    "figure.constrained_layout.w_pad": 0.09,
    "figure.constrained_layout.h_pad": 0.07,
    # Board names may contain dollar signs.
    "text.parse_math": False,
    # Keep text as text, so that readers can search and copy it.
    "svg.fonttype": "none",
    # Make the ids, and so the bytes, of a picture reproducible.
    "svg.hashsalt": "perfguide",
    # Embed glyphs as shapes; subsetting a font for each picture takes twelve times as long.
    "pdf.fonttype": 3,
    # Keep every measured point as a vertex of its line.
    "path.simplify": False,
}

SMALL_STYLE: Any = {"font.size": 8.5, "axes.titlesize": 8.5, "lines.linewidth": 1.2} | {
    "lines.markersize": 3.2
}
"""Settings that differ in small pictures placed side by side."""

WIDE_STYLE: Any = {"font.size": 13, "axes.titlesize": 13, "lines.linewidth": 1.8} | {
    "lines.markersize": 5
}
"""Settings that differ in pictures as wide as a page, where a point is a pixel."""

PHONE_STYLE: Any = {"font.size": 11, "axes.titlesize": 11}
"""Settings that differ in pictures for phones, whose 360 units of width become 340 pixels."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = (
    *("-", (0, (3.7, 1.6)), (0, (6.4, 1.6, 1, 1.6)), (0, (1, 1.65))),
    *((0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2, 2, 2))),
)
HATCHES = ("", "///", "|||", "xxx", "\\\\\\", "+++", "\\\\", "---")
"""Hatches made of lines only: every dot is a curve, which makes the file ten times as large."""


def line_style(view: ChartView, line: Line) -> dict[str, Any]:
    """Return a line's colour, dashes and marker, as arguments for ``plot``.

    A name has the same style in all panels. If lines have an order, the group determines the ramp
    of colours, the dashes and the marker, and the step determines the colour within the ramp.
    """
    if not (view.ramp and line.step):
        number = style_number(view, line)
        colour = palette.SERIES[number % len(palette.SERIES)]
    else:
        lines = [other for panel in view.panels for other in panel.lines]
        number = list(dict.fromkeys(other.group for other in lines)).index(line.group)
        steps = list(dict.fromkeys(other.step for other in lines if other.group == line.group))
        ramp = palette.RAMPS[number % len(palette.RAMPS)]
        share = steps.index(line.step) / max(1, len(steps) - 1)
        colour = ramp[round(share * (len(ramp) - 1))]
    dashes, marker = DASHES[number % len(DASHES)], MARKERS[number % len(MARKERS)]
    return {"color": colour, "linestyle": dashes, "marker": marker}


def bar_style(view: ChartView, line: Line) -> dict[str, Any]:
    """Return the colour and hatch of a line's bars, as arguments for ``barh``."""
    number = style_number(view, line)
    colour = palette.SERIES[number % len(palette.SERIES)]
    return {"color": colour, "hatch": HATCHES[number % len(HATCHES)], "edgecolor": "white"}


def style_number(view: ChartView, line: Line) -> int:
    """Return the index of a line's name among all names in the picture."""
    labels = (other.label for panel in view.panels for other in panel.lines)
    return list(dict.fromkeys([*view.styles, *labels])).index(line.label)

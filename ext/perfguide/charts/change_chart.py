"""Draws the chart of a comparison. The same view gives the same bytes."""

from __future__ import annotations

import math
from typing import Any, cast

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from ..common import units
from ..common.diagnostics import visible
from .change_view import ChangeView, Kind
from .draw import COLOURS, STYLE, WIDTH, saved

# Okabe and Ito's vermilion and green; the shape and the place tell them apart too.
LOOKS: dict[Kind, tuple[str, str, int, str]] = {
    "other": ("o", "#9aa5b0", 9, "same, or too noisy to tell"),
    "improved": ("^", COLOURS[2], 26, "improved"),
    "regressed": ("v", COLOURS[1], 26, "regressed"),
}

STEPS = (0, 5, 10, 20, 50, 100, 300, 900, 9900)
"""Changes, in per cent, that can be marked on the axis."""

MOST_LABEL = 40


def draw(view: ChangeView, form: str = "svg") -> bytes:
    """The picture: a strip of points for each benchmark, better to the right."""
    with mpl.rc_context(cast(Any, STYLE)):
        return saved(_figure(view), form)


def _figure(view: ChangeView) -> Figure:
    count = len(view.strips)
    figure = Figure(figsize=(WIDTH, 1.5 + 0.3 * count))
    axes = figure.subplots()
    for kind, (marker, colour, size, label) in LOOKS.items():
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
        color="#000000",
        linewidths=1.6,
        label="geometric mean",
        zorder=4,
    )
    axes.axvline(0, color="#56626e", linewidth=1)
    axes.set_yticks([-row for row in range(count)])
    axes.set_yticklabels([visible(strip.title, MOST_LABEL) for strip in view.strips])
    axes.set_ylim(-count + 0.4, 0.6)
    _scale(axes, [math.log(r) for strip in view.strips for r, _ in strip.points])
    axes.set_xlabel("change in the better direction")
    figure.legend(loc="lower center", ncols=4, frameon=False, fontsize=8, columnspacing=1.2)
    figure.tight_layout(rect=(0, 0.3 / figure.get_figheight(), 1, 1))
    return figure


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

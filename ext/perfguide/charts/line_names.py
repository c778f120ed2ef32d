"""Names of lines at their ends, in place of a legend."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

from matplotlib.axes import Axes

from ..common import units
from ..common.diagnostics import visible
from ..common.grouping import grouped
from . import palette
from .model import KINDS, ChartView, Line
from .style import line_style

MAX_NAMED_LINES = 8
"""Pictures with more lines have a legend, unless the lines have an order."""

MAX_NAME_CHARS = 30
"""The longest line label that fits beside a panel, in characters."""

MIN_ALIKE_LINES = 4
"""Unordered lines that end alike share a name if the panel has more lines than this."""

ALIKE_RATIO = 1.2
"""The largest ratio of two figures at the ends of lines that end alike."""

NAME_GAP_SHARE = 0.065
"""The minimum distance between two names, as a share of the panel's height."""

BETWEEN_NAMES = 0.3
"""The additional distance between two names if one has several rows, as a share of a row."""

LOW_GAP_SHARE = 0.116
"""The same in a picture with several panels, which are shorter."""

MERGED_SHARE = 0.05
"""Ordered lines share a name if their ends are less than this share of the panel's height apart."""


def has_line_names(view: ChartView) -> bool:
    """Return whether lines are named at their ends rather than in a legend."""
    lines = view.panels[-1].lines
    label_sets = {tuple(line.label for line in panel.lines) for panel in view.panels}
    return (
        KINDS[view.kind].has_lines
        and not view.small
        and (len(view.panels) == 1 or (view.wide and len(view.panels) < 4 and len(label_sets) == 1))
        and len(lines) >= 2
        and (len(lines) <= (2 if view.wide else 1) * MAX_NAMED_LINES or view.ramp)
        and all(0 < len(line.label) <= MAX_NAME_CHARS for line in lines)
    )


class _End(NamedTuple):
    """The end of a line: its figure, and its position as shares of the panel's width and height."""

    line: Line
    figure: float
    x: float
    y: float


def name_lines(axes: Axes, view: ChartView) -> None:
    """Write the names of lines to the right of the last panel, each with a stroke to the end of its
    line."""
    axes.autoscale_view()  # the positions of ends depend on the limits
    ends = [_end(axes, view, line) for line in view.panels[-1].lines]
    shared = _shared_names(ends) if view.wide and len(ends) > MIN_ALIKE_LINES else []
    names = sorted(shared or _names(ends), key=lambda name: name[0])
    rows = [words.count("\n") + 1 for _, words, _ in names]
    gap = LOW_GAP_SHARE if len(view.panels) > 1 else NAME_GAP_SHARE
    heights = spread([height for height, _, _ in names], rows, gap)
    options: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False}
    for (_, words, end), height in zip(names, heights, strict=True):
        colour = line_style(view, end.line)["color"]
        axes.plot([end.x, 1.03], [end.y, height], color=colour, linewidth=0.6, **options)
        ink = palette.INK if view.ramp or shared else colour
        axes.text(1.04, height, words, color=ink, va="center", **options)


def _end(axes: Axes, view: ChartView, line: Line) -> _End:
    # Lines end on the right, where a reversed axis has its smallest x.
    end = (min if view.x_scale == "reversed" else max)(line.points, key=lambda point: point.x)
    x, y = (axes.transScale + axes.transLimits).transform((end.x, end.y))
    return _End(line, end.y, float(x), min(max(float(y), 0.0), 1.0))


def _names(ends: Sequence[_End]) -> list[tuple[float, str, _End]]:
    """Return the names, each with its height and the end it points to. Ordered lines that end close
    together share a name in two rows: ``software, 16 to 1024 B``."""
    runs: list[list[_End]] = []
    for end in ends:
        before = runs[-1][-1] if runs and end.line.step else None
        if before and before.line.group == end.line.group and abs(end.y - before.y) < MERGED_SHARE:
            runs[-1].append(end)
        else:
            runs.append([end])
    return [(run[-1].y, _name(run[0].line, run[-1].line), run[-1]) for run in runs]


def _shared_names(ends: Sequence[_End]) -> list[tuple[float, str, _End]]:
    """Return the names of unordered lines, where lines of a family that end alike share one:
    ``AES, 6 lines``. If there is no room for so many names, lines of different families share them,
    too. Return an empty list if the lines have an order."""
    if any(end.line.step for end in ends):
        return []
    families = grouped(ends, lambda end: end.line.label.partition("-")[0])
    groups = [group for family in families.values() for group in _within_ratio(family)]
    if len(groups) * (2 + BETWEEN_NAMES) * NAME_GAP_SHARE > 1:
        groups = _within_ratio(ends)
    names = []
    for group in groups:
        labels = [end.line.label for end in group[::-1]]
        family = {label.partition("-")[0] for label in labels}
        words = [*labels[:2], *([f"{len(labels) - 2} more"] if len(labels) > 2 else [])]
        if len(family) == 1 and len(labels) > 2:
            words = [f"{family.pop()}, {len(labels)} lines"]
        figures = (units.number(end.figure, digits=3) for end in (group[0], group[-1]))
        rows = [*",\n".join(words).split("\n"), " to ".join(dict.fromkeys(figures))]
        names.append((fmean(end.y for end in group), _joined(rows), group[-1]))
    return names


def _within_ratio(ends: Sequence[_End]) -> list[list[_End]]:
    """Return the ends in groups from the lowest, none of them more than ``ALIKE_RATIO`` apart."""
    groups: list[list[_End]] = []
    for end in sorted(ends, key=lambda end: end.figure):
        if groups and 0 < end.figure <= ALIKE_RATIO * groups[-1][0].figure:
            groups[-1].append(end)
        else:
            groups.append([end])
    return groups


def _name(first: Line, last: Line) -> str:
    """Return the name that ordered lines share, from the first to the last of them."""
    step = last.step
    if first != last:
        unit = step.partition(" ")[2]
        step = f"{first.step.removesuffix(f' {unit}') if unit else first.step} to {step}"
    words = ",\n".join(filter(None, (last.group, step.replace(" bytes", " B")))) or last.label
    return _joined(words.split("\n"))


def _joined(rows: Sequence[str]) -> str:
    return "\n".join(visible(row, MAX_NAME_CHARS) for row in rows)


def spread(heights: Sequence[float], rows: Sequence[int], gap: float) -> list[float]:
    """Return sorted heights moved apart by ``gap`` per row of text, with none above 1. ``rows`` are
    the row counts of the texts, which are centred on their heights."""
    sums = [below + above for below, above in pairwise(rows)]
    gaps = [gap * (both / 2 + (BETWEEN_NAMES if both > 2 else 0)) for both in sums]
    centres = [*heights[:1]]
    for height, distance in zip(heights[1:], gaps, strict=True):
        centres.append(max(height, centres[-1] + distance))
    ceiling = 1.0
    for number in reversed(range(len(centres))):
        centres[number] = min(centres[number], ceiling)
        ceiling = centres[number] - gaps[number - 1] if number else 0.0
    return centres

"""Names of lines at their ends, in place of a legend."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from ..common import units
from ..common.diagnostics import visible
from ..common.grouping import grouped
from . import palette
from .model import KINDS, ChartView, Line, Point
from .style import line_style

MAX_NAMED_LINES = 8
"""Pictures with more lines have a legend, unless the lines have an order."""

MAX_NAME_CHARS = 30
"""The longest line label that fits beside a panel, in characters."""

MIN_ALIKE_LINES, ALIKE_RATIO = 4, 1.2
"""With more lines than the first number, those whose ends differ by at most the second, a factor,
share a name."""

NAME_GAP_SHARE, MERGED_SHARE = 0.065, 0.04
"""The minimum distance between two names, and the distance within which line ends share a name, as
shares of the panel's height."""


def has_line_names(view: ChartView) -> bool:
    """Return whether lines are named at their ends rather than in a legend."""
    lines = view.panels[0].lines
    return (
        KINDS[view.kind].has_lines
        and not view.small
        and len(view.panels) == 1
        and len(lines) >= 2
        and (len(lines) <= (2 if view.wide else 1) * MAX_NAMED_LINES or view.ramp)
        and all(0 < len(line.label) <= MAX_NAME_CHARS for line in lines)
    )


def name_lines(axes: Axes, view: ChartView) -> None:
    """Write the names of lines beside the panel, each with a stroke to the end of its line.

    Names go on the right, where readers look for them, unless the x axis is numeric and the lines
    are much further apart at their left ends. Then the y axis moves to the right to make room.
    """
    lines = view.panels[0].lines
    sides = {last: [_height(axes, _end(line, last)) for line in lines] for last in (True, False)}
    spans = {last: max(heights) - min(heights) for last, heights in sides.items()}
    last = bool(view.ticks) or spans[False] < 0.2 or spans[True] >= spans[False] / 2
    if not last:
        axes.yaxis.tick_right()
        axes.yaxis.set_label_position("right")
    merged = _alike(lines, sides[last], last) if view.wide and len(lines) > MIN_ALIKE_LINES else []
    names = sorted(merged or _names(lines, sides[last]), key=lambda name: name[0])
    rows = [words.count("\n") + 1 for _, words, _ in names]
    places = spread([height for height, _, _ in names], rows, NAME_GAP_SHARE)
    for (_, words, line), height in zip(names, places, strict=True):
        end, colour = _end(line, last), line_style(view, line)["color"]
        axes.annotate(
            words,
            (end.x, end.y),
            xytext=(1.04 if last else -0.04, height),
            textcoords="axes fraction",
            color=palette.INK if view.ramp or merged else colour,
            ha="left" if last else "right",
            va="center",
            annotation_clip=False,
            arrowprops={
                **{"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkB": 3},
                "relpos": (0, 0.5) if last else (1, 0.5),
            },
        )


def _names(lines: Sequence[Line], heights: Sequence[float]) -> list[tuple[float, str, Line]]:
    """Return the names, each with the line it points to and the height of that line's end. Ordered
    lines that end close together share a name in two rows: ``software, 16 to 1024 B``."""
    runs: list[list[Line]] = []
    names: list[tuple[float, str, Line]] = []
    for line, height in zip(lines, heights, strict=True):
        before = runs[-1][-1] if runs else line
        if (
            runs
            and line.step
            and before.group == line.group
            and abs(height - names[-1][0]) < MERGED_SHARE
        ):
            runs[-1].append(line)
            names.pop()
        else:
            runs.append([line])
        names.append((height, _name(runs[-1]), line))
    return names


def _alike(
    lines: Sequence[Line], heights: Sequence[float], last: bool
) -> list[tuple[float, str, Line]]:
    """Return the names of unordered lines; those of a family that end within ``ALIKE_RATIO`` of each
    other share one: ``AES, 6 lines``. If there is no room for so many names, lines of different
    families share them, too. Empty if the lines have an order."""
    if any(line.step for line in lines):
        return []
    ends = [(_end(line, last).y, height, line) for line, height in zip(lines, heights, strict=True)]
    families = grouped(ends, lambda end: end[2].label.partition("-")[0])
    groups = [group for family in families.values() for group in _within_ratio(family)]
    if len(groups) * 2 * NAME_GAP_SHARE > 1:
        groups = _within_ratio(ends)
    names = []
    for group in groups:
        labels = [line.label for _, _, line in group[::-1]]
        figures = [units.number(group[0][0], digits=3), units.number(group[-1][0], digits=3)]
        family = {label.partition("-")[0] for label in labels}
        shared = family.pop() if len(family) == 1 else ""
        words = labels[0]
        if shared and len(labels) > 2:
            words = f"{shared}, {len(labels)} lines"
        elif len(labels) > 1:
            more = [f"{len(labels) - 2} more"] if len(labels) > 2 else []
            words = ",\n".join([*labels[:2], *more])
        figure = " to ".join(dict.fromkeys(figures))
        rows = [visible(row, MAX_NAME_CHARS) for row in f"{words}\n{figure}".split("\n")]
        height = sum(height for _, height, _ in group) / len(group)
        names.append((height, "\n".join(rows), group[-1][2]))
    return names


_LineEnd = tuple[float, float, Line]
"""The figure at the end of a line, its height, and the line."""


def _within_ratio(ends: Sequence[_LineEnd]) -> list[list[_LineEnd]]:
    """Return the ends in groups from the lowest, none of them more than ``ALIKE_RATIO`` apart."""
    groups: list[list[_LineEnd]] = []
    for end in sorted(ends, key=lambda end: end[0]):
        if groups and 0 < end[0] <= ALIKE_RATIO * groups[-1][0][0]:
            groups[-1].append(end)
        else:
            groups.append([end])
    return groups


def _name(run: Sequence[Line]) -> str:
    first, last = run[0], run[-1]
    step = last.step
    if len(run) > 1:
        unit = step.partition(" ")[2]
        step = f"{first.step.removesuffix(f' {unit}') if unit else first.step} to {step}"
    words = ",\n".join(filter(None, (last.group, step.replace(" bytes", " B")))) or last.label
    return "\n".join(visible(row, MAX_NAME_CHARS) for row in words.split("\n"))


def spread(heights: Sequence[float], rows: Sequence[int], gap: float) -> list[float]:
    """Return sorted heights spread out by ``gap`` per row of text, with none above 1. ``rows`` are
    the row counts of the texts, which are centred on their heights."""
    places: list[float] = []
    for number, height in enumerate(heights):
        lowest = places[-1] + gap * (rows[number - 1] + rows[number]) / 2 if places else height
        places.append(max(height, lowest))
    ceiling = 1.0
    for number in reversed(range(len(places))):
        places[number] = min(places[number], ceiling)
        ceiling = places[number] - gap * (rows[number - 1] + rows[number]) / 2
    return places


def _end(line: Line, last: bool) -> Point:
    return (max if last else min)(line.points, key=lambda point: point.x)


def _height(axes: Axes, point: Point) -> float:
    """Return a point's height as a share of the panel's."""
    _, height = (axes.transScale + axes.transLimits).transform((point.x, point.y))
    return min(max(float(height), 0.0), 1.0)

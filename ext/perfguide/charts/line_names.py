"""Names of lines at their ends, instead of a legend."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from ..common.diagnostics import visible
from . import palette
from .model import ChartView, Line, Point
from .style import line_style

MAX_NAMED_LINES = 8
"""More lines have a legend, unless they have an order."""

MAX_NAME_CHARS = 30
"""The characters of a line's label for which there is room beside a panel."""

NAME_GAP_SHARE, MERGED_SHARE = 0.065, 0.04
"""The distance between two names, and that of ends of lines that share a name, as shares of the
height of a panel."""


def has_line_names(view: ChartView) -> bool:
    """Return whether the lines of a picture are named at their ends."""
    lines = view.panels[0].lines
    return (
        view.kind == "lines"
        and not view.small
        and len(view.panels) == 1
        and len(lines) >= 2
        and (len(lines) <= MAX_NAMED_LINES or view.ramp)
        and all(0 < len(line.label) <= MAX_NAME_CHARS for line in lines)
    )


def name_lines(axes: Axes, view: ChartView) -> None:
    """Write the names of lines beside the panel, each with a stroke to the end of its line.

    They are on the right, where readers look for them, unless lines over numbers are much further
    apart at their left ends. Then they take the side of the y axis, which moves to the right.
    """
    lines = view.panels[0].lines
    sides = {last: [_height(axes, _end(line, last)) for line in lines] for last in (True, False)}
    spans = {last: max(heights) - min(heights) for last, heights in sides.items()}
    last = bool(view.ticks) or spans[False] < 0.2 or spans[True] >= spans[False] / 2
    if not last:
        axes.yaxis.tick_right()
        axes.yaxis.set_label_position("right")
    names = sorted(_names(lines, sides[last]), key=lambda name: name[0])
    rows = [words.count("\n") + 1 for _, words, _ in names]
    places = spread([height for height, _, _ in names], rows, NAME_GAP_SHARE)
    for (_, words, line), height in zip(names, places, strict=True):
        end, colour = _end(line, last), line_style(view, line)["color"]
        axes.annotate(
            words,
            (end.x, end.y),
            xytext=(1.04 if last else -0.04, height),
            textcoords="axes fraction",
            color=palette.INK if view.ramp else colour,
            ha="left" if last else "right",
            va="center",
            annotation_clip=False,
            arrowprops={
                **{"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkB": 3},
                "relpos": (0, 0.5) if last else (1, 0.5),
            },
        )


def _names(lines: Sequence[Line], heights: Sequence[float]) -> list[tuple[float, str, Line]]:
    """Return the names, each with the line that it points to and the height of its end. Steps of
    one order that end near each other share one: ``software, 16 to 1024 B``, in two rows."""
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


def _name(run: Sequence[Line]) -> str:
    first, last = run[0], run[-1]
    step = last.step
    if len(run) > 1:
        unit = step.partition(" ")[2]
        step = f"{first.step.removesuffix(f' {unit}') if unit else first.step} to {step}"
    words = ",\n".join(filter(None, (last.group, step.replace(" bytes", " B")))) or last.label
    return "\n".join(visible(row, MAX_NAME_CHARS) for row in words.split("\n"))


def spread(heights: Sequence[float], rows: Sequence[int], gap: float) -> list[float]:
    """Return sorted heights moved apart by ``gap`` for each row of text, with none above 1.
    ``rows`` are those of each text, which is around its height."""
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
    """Return the height of a point as a share of the panel's."""
    _, height = (axes.transScale + axes.transLimits).transform((point.x, point.y))
    return min(max(float(height), 0.0), 1.0)

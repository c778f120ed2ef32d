"""A chart as numbers: panels, lines and points, and what they say in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from ..common import units

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Point:
    """One measured point. ``low`` and ``high`` are the extremes of y, where there
    are several samples; ``mark`` is the value of what changes along the line.

    Where the x axis has names, ``x`` is the place of one among ``ticks``.
    """

    x: float
    y: float
    low: float | None
    high: float | None
    mark: str


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one line, in the order in which they are joined."""

    label: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes. ``verticals`` are x positions to mark, ``limits`` y
    positions that cannot be passed, each with its words."""

    title: str
    lines: tuple[Line, ...]
    verticals: tuple[tuple[float, str], ...] = ()
    limits: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ChartView:
    """One picture as numbers. ``name`` says which alternative it shows.

    ``ticks`` are the names along the x axis, where it has names; a line has a
    gap where it has no point at a name. ``says`` are sentences to stand above
    the picture, ``warnings`` those that call for a look. ``small`` pictures
    stand side by side. ``mark`` says what the marks of the points are,
    ``styles`` are the names of lines in the order of their colours, so that a name
    looks the same in several pictures, ``line_head`` and ``panel_head`` what tells lines and panels apart.
    """

    id: str
    title: str
    name: str
    x_label: str
    y_label: str
    x_scale: str
    y_scale: str
    panels: tuple[Panel, ...]
    says: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    kind: Literal["lines", "bars", "steps"] = "lines"
    ticks: tuple[str, ...] = ()
    mark: str = ""
    small: bool = False
    styles: tuple[str, ...] = ()
    line_head: str = ""
    panel_head: str = ""

    def text(self) -> str:
        """The chart in words and figures, for who cannot see it."""
        what = {"lines": "Line chart", "bars": "Bar chart", "steps": "Histogram"}[self.kind]
        parts = [f"{what}: {self.title}, {self.name}." if self.name else f"{what}: {self.title}."]
        parts.append(f"{self.y_label} over {self.x_label}." if self.x_label else f"{self.y_label}.")
        for panel in self.panels:
            lead = f"{panel.title}: " if panel.title else ""
            shown = [self._line(line) for line in panel.lines[:MOST_LINES]]
            if more := len(panel.lines) - MOST_LINES:
                shown += [f"{more} more lines"] if more > 0 else []
            shown += [words for _, words in panel.limits]
            parts.append(f"{lead}{'; '.join(shown)}.")
        return " ".join([*parts, *self.says, *self.warnings])

    def _line(self, line: Line) -> str:
        label = f"{line.label} " if line.label else ""
        if self.kind == "bars":
            values = [f"{units.number(p.y)} for {p.mark}" for p in line.points[:MOST_LINES]]
            return label + ", ".join(values)
        first, last = line.points[0], line.points[-1]
        ends = f"{units.number(first.y)} at {self._at(first)}"
        if len(line.points) > 1:
            ends += f" to {units.number(last.y)} at {self._at(last)}"
        if self.kind == "steps":
            top = max(line.points, key=lambda p: p.y)
            ends += f", most {units.number(top.y)} at {self._at(top)}"
        return f"{label or 'values '}{ends}"

    def _at(self, point: Point) -> str:
        return point.mark if self.ticks else units.number(point.x)


MOST_LINES = 10
"""Lines of a panel, or bars of a line, that the words for the blind go through."""

MOST_PANELS = 24
"""Panels of one picture; more cannot be read, and take ever longer to lay out."""


MOST_SAID = 8
"""Sentences above one picture; more are not read."""


def told(says: Sequence[tuple[object, list[str]]]) -> list[str]:
    """What is said above a picture, of what there is to say of each panel. Panels of several
    releases, the newest last, have one key; where there is much to say, only the newest of each
    key that says something is heard."""
    every = [text for _, texts in says for text in texts]
    if len(every) <= MOST_SAID:
        return every
    newest = [text for texts in {key: t for key, t in says if t}.values() for text in texts]
    older = ["What is to say of older releases stands in their guides."]
    return [*newest, *(older if len(newest) < len(every) else [])]


def readable(panels: list[T], newest_last: bool) -> tuple[list[T], list[str]]:
    """The panels of a picture that are drawn, and what to say of those that are not."""
    if len(panels) <= MOST_PANELS:
        return panels, []
    kept = panels[-MOST_PANELS:] if newest_last else panels[:MOST_PANELS]
    which = "newest" if newest_last else "first"
    words = f"The {which} {MOST_PANELS} of {len(panels)} panels are drawn; the tables have all."
    return kept, [words]

"""Views: the contents of pictures as numbers, and their alternative texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..common import units
from ..common.units import TableCell

if TYPE_CHECKING:
    # Only the folders in the key of a kept picture may be loaded to draw one.
    from ..catalog.chart_spec import Kind

MAX_DESCRIBED = 10
"""Lines of a panel, or bars of a line, that the alternative text describes."""

KIND_NAMES: Mapping[Kind, str] = {
    "lines": "Line chart",
    "bars": "Bar chart",
    "steps": "Histogram",
}
"""The names of the kinds of charts in alternative texts."""

LONGEST_TICK = 26
"""Characters of a line of a name beside a bar."""


@dataclass(frozen=True, slots=True)
class Point:
    """One measured point. ``low`` and ``high`` are the extremes of y if there are several
    samples; ``mark`` is the value of the parameter that changes along the line, and ``beside`` a
    text next to the figure, such as the CPU load at that rate.

    Where the x axis has names, ``x`` is the index of one in ``ticks``.
    """

    x: float
    y: float
    low: float | None
    high: float | None
    mark: TableCell
    beside: str = ""

    @property
    def words(self) -> str:
        """Return the text at the end of a bar."""
        return ", ".join(filter(None, (units.number(self.y), self.beside)))


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one line, in the order in which they are joined.

    If lines have an order, ``step`` is this line's name in it, such as a block size, and
    ``group`` the common name of all lines of the order, such as an engine.
    """

    label: str
    points: tuple[Point, ...]
    group: str = ""
    step: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes. ``verticals`` are x positions to mark, and ``limits`` y positions that no
    figure can pass, each with its words."""

    title: str
    lines: tuple[Line, ...]
    verticals: tuple[tuple[float, str], ...] = ()
    limits: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ChartView:
    """One picture of lines, bars or steps.

    ``name`` is that of its tab. ``ticks`` are the names along the x axis, if it has names; a line
    has a gap at each name without a point. ``says`` are sentences above the picture, ``warnings``
    those that need attention. ``small`` pictures are side by side. ``mark`` is the quantity of
    the points' marks. ``styles`` are names of lines in the order of their colours, so that a name
    looks the same in several pictures. ``line_head`` and ``panel_head`` name the dimensions of
    lines and panels. On the picture itself are ``finding``, a sentence with its main result, and
    ``subtitle`` with boards, releases and runs. With ``ramp`` colours show the order of lines. A ``wide`` picture
    is drawn for a page, and once more for a phone.
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
    kind: Kind = "lines"
    ticks: tuple[str, ...] = ()
    mark: str = ""
    small: bool = False
    styles: tuple[str, ...] = ()
    line_head: str = ""
    panel_head: str = ""
    finding: str = ""
    subtitle: str = ""
    ramp: bool = False
    wide: bool = False

    def text(self) -> str:
        """Return the alternative text, with the main figures."""
        kind = KIND_NAMES[self.kind]
        parts = [f"{kind}: {self.title}, {self.name}." if self.name else f"{kind}: {self.title}."]
        parts.append(f"{self.y_label} over {self.x_label}." if self.x_label else f"{self.y_label}.")
        for panel in self.panels:
            words = [self._line(line) for line in panel.lines[:MAX_DESCRIBED]]
            if (more := len(panel.lines) - MAX_DESCRIBED) > 0:
                words.append(f"{more} more line{'s' if more > 1 else ''}")
            words += [limit for _, limit in panel.limits]
            lead = f"{panel.title}: " if panel.title else ""
            parts.append(f"{lead}{'; '.join(words)}.")
        remarks = filter(None, (self.finding, self.subtitle, *self.says, *self.warnings))
        return " ".join([*parts, *(f"{remark.removesuffix('.')}." for remark in remarks)])

    def _line(self, line: Line) -> str:
        label = f"{line.label} " if line.label else ""
        if self.kind == "bars":
            values = [f"{p.words} for {units.whole(p.mark)}" for p in line.points[:MAX_DESCRIBED]]
            return label + ", ".join(values)
        text = self._point(line.points[0])
        if len(line.points) > 1:
            text += f" to {self._point(line.points[-1])}"
        if self.kind == "steps":
            text += f", most {self._point(max(line.points, key=lambda point: point.y))}"
        return f"{label or 'values '}{text}"

    def _point(self, point: Point) -> str:
        at = units.whole(point.mark) if self.ticks else units.number(point.x)
        return f"{units.number(point.y)} at {at}"


ChangeKind = Literal["regressed", "improved", "other"]


@dataclass(frozen=True, slots=True)
class Strip:
    """One benchmark in a comparison: the ratios of its figures in the better direction (1.1 is
    a tenth better) with their verdicts, and the geometric mean."""

    title: str
    mean: float
    points: tuple[tuple[float, ChangeKind], ...]


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A picture of the changes between two releases: a strip for each benchmark, in catalog
    order."""

    name: str
    strips: tuple[Strip, ...]

    def text(self) -> str:
        """Return the alternative text, with the main figures."""
        kinds = [kind for strip in self.strips for _, kind in strip.points]
        worst = min(self.strips, key=lambda strip: strip.mean)
        best = max(self.strips, key=lambda strip: strip.mean)
        return (
            f"Changes of {len(kinds)} figures by benchmark, in the better direction: "
            f"{kinds.count('regressed')} regressed, {kinds.count('improved')} improved; geometric "
            f"means from {units.percent(worst.mean - 1)} ({worst.title}) "
            f"to {units.percent(best.mean - 1)} ({best.title})."
        )


PictureView = ChartView | ChangeView
"""The contents of one picture."""

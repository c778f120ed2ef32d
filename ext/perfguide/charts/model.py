"""Views: the contents of charts as numbers, and their alternative texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..common import units
from ..common.units import TableCell

if TYPE_CHECKING:
    # A cached picture depends on the code of certain folders; drawing may import nothing else.
    from ..catalog.chart_spec import Kind

MAX_DESCRIBED = 10
"""The most lines per panel, or bars per line, that the alternative text describes."""

MAX_TICK_CHARS = 26
"""Names beside bars are wrapped to this many characters."""


@dataclass(frozen=True, slots=True)
class KindOfChart:
    """A kind of chart, with its name in alternative texts. If it ``has_lines``, these can be named
    at their ends, share axes instead of having a picture each, and be compared at the last x. If it
    ``has_rows``, each point has a row beside its name, and its figure is on the horizontal axis."""

    name: str
    has_lines: bool = False
    has_rows: bool = False


KINDS: Mapping[Kind, KindOfChart] = {
    "lines": KindOfChart("Line chart", has_lines=True),
    "bars": KindOfChart("Bar chart", has_rows=True),
    "steps": KindOfChart("Histogram"),
}


@dataclass(frozen=True, slots=True)
class Point:
    """One measured point. ``low`` and ``high`` are the extremes of y if there are several samples.
    ``mark`` is the value of the parameter that varies along the line; ``beside`` is text next to
    the figure, such as the CPU load at that rate.

    If the x axis has names, ``x`` is an index into ``ticks``.
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

    If lines have an order, ``step`` is this line's name within it, such as a block size, and
    ``group`` is the name that the ordered lines share, such as an engine.
    """

    label: str
    points: tuple[Point, ...]
    group: str = ""
    step: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes. ``verticals`` are x positions to mark, and ``limits`` are y positions that
    no figure can exceed, each with a label. ``labelled`` are points drawn with their figures."""

    title: str
    lines: tuple[Line, ...]
    verticals: tuple[tuple[float, str], ...] = ()
    limits: tuple[tuple[float, str], ...] = ()
    labelled: tuple[Point, ...] = ()


@dataclass(frozen=True, slots=True)
class ChartView:
    """One picture of lines, bars or steps.

    ``name`` is that of its tab. ``ticks`` are the names along the x axis, if any; a line has a gap
    at each name without a point. ``says`` are sentences above the picture, ``warnings`` those that
    need attention. ``small`` pictures are placed side by side. ``mark`` is the quantity that the
    points' marks measure. ``styles`` lists line names in colour order, so that a name looks the
    same across pictures. ``line_head`` and ``panel_head`` name the dimensions of lines and panels.
    The picture itself shows ``finding``, a sentence with its main result, and ``subtitle``, with
    boards, releases and runs. With ``ramp``, colours show the order of lines. A ``wide`` picture is
    drawn a second time for phones. A ``reversed`` x axis, such as that of the CPU time left, has
    its largest numbers on the left."""

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

    @property
    def has_rows(self) -> bool:
        """True if each point has a row of its own."""
        return KINDS[self.kind].has_rows

    def text(self) -> str:
        """Return the alternative text, including the main figures."""
        kind = KINDS[self.kind].name
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
        if self.has_rows:
            values = [f"{p.words} for {units.whole(p.mark)}" for p in line.points[:MAX_DESCRIBED]]
            return label + ", ".join(values)
        text = self._point(line.points[0])
        if len(line.points) > 1:
            text += f" to {self._point(line.points[-1])}"
        if self.kind == "steps":
            text += f", most {self._point(max(line.points, key=lambda point: point.y))}"
        return f"{label or 'values '}{text}"

    def _point(self, point: Point) -> str:
        # Along another parameter, the mark is the value of that.
        named = "" if self.mark else units.whole(point.mark)
        at = named or units.number(point.x)
        return f"{units.number(point.y)} at {at}"


ChangeKind = Literal["regressed", "improved", "other"]


@dataclass(frozen=True, slots=True)
class Strip:
    """One benchmark in a comparison: the ratios of its figures in the better direction (1.1 is 10 %
    better) with their verdicts, and the geometric mean."""

    title: str
    mean: float
    points: tuple[tuple[float, ChangeKind], ...]


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A picture of the changes between two releases: one strip per benchmark, in catalog order."""

    name: str
    strips: tuple[Strip, ...]

    def text(self) -> str:
        """Return the alternative text, including the main figures."""
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

"""Charts drawn with matplotlib, as SVG or PDF. The same view always gives the same bytes."""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.container import Container
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.ticker import LogLocator, NullLocator
from matplotlib.transforms import Bbox

from ..common import units
from ..common.diagnostics import visible
from . import palette
from .kinds import DRAW_KIND, bar_rows, wrapped
from .line_names import has_line_names, name_lines
from .model import ChangeKind, ChangeView, ChartView, Panel, PictureView
from .style import PHONE_STYLE, SMALL_STYLE, STYLE, WIDE_STYLE

WIDTH_INCHES, SMALL_WIDTH_INCHES, WIDE_INCHES = 5.0, 3.1, 12.2
"""The widths of pictures: normal, small and wide. Text stays legible on a phone at the first."""

PANEL_INCHES, PAIR_INCHES, SMALL_INCHES = 3.7, 2.4, 1.5
"""The heights of a panel on its own, one of several, and one in a small picture."""

WIDE_PANEL_INCHES, WIDE_PAIR_INCHES = 3.9, 2.4
"""The heights of a panel on its own, and of one of several, in a wide picture."""

HEADING_INCHES, TOP_AXIS_INCHES = 0.19, 0.4
"""The heights of a heading line, and of an axis above a panel."""

CHARS_PER_INCH = 11.5
"""The average number of characters that fit in an inch."""

MAX_LABEL_CHARS = 60
"""Longer labels from data are cut; the data files have them in full."""

MAX_TICK_LINE_CHARS = 16
"""Names on the x axis are wrapped to this many characters per line."""

ON_END: dict[str, Any] = {"rotation": 90, "rotation_mode": "anchor", "ha": "right", "va": "center"}
"""The style of names on the x axis that do not fit side by side."""

TOP_AXIS_GAP_SHARE = 0.1
"""The minimum distance between names on a top axis, as a share of the panel's width."""

SAME_PLACE_SHARE = 0.03
"""Marks whose positions differ by at most this share of the x axis count as aligned."""

CHANGE_STYLES: dict[ChangeKind, tuple[str, str, float, str]] = {
    "other": ("o", "#9aa5b0", 3, "same, or too noisy to tell"),
    "improved": ("^", palette.SERIES[2], 5.1, "improved"),
    "regressed": ("v", palette.SERIES[1], 5.1, "regressed"),
}
"""The marker, colour, size in points and legend entry for each kind of change."""

CHANGE_TICKS_PERCENT = (5, 10, 20, 50, 100, 300, 900, 9900)
"""The improvements that label the axis. On its other side are the regressions that undo them."""

MAX_EVEN_LOG = math.log(1.1)
"""The log ratio up to which the axis is even. Beyond it, equal steps are equal factors of the log,
so that one huge change does not press all others against zero."""

MEAN_LABEL = "geometric mean"


def draw(view: PictureView, form: str = "svg") -> bytes:
    """Return the bytes of a picture as ``svg``, ``pdf`` or ``phone`` (an SVG for phones)."""
    look: dict[str, Any] = {}
    if isinstance(view, ChartView):
        # Neither paper nor a phone has room for the wide form.
        view = replace(view, wide=view.wide and form == "svg")
        look = SMALL_STYLE if view.small else WIDE_STYLE if view.wide else {}
        look |= PHONE_STYLE if form == "phone" else {}
    with mpl.rc_context(STYLE | look):
        figure = _chart(view) if isinstance(view, ChartView) else _changes(view)
        return _file(figure, form)


def notice(form: str) -> bytes:
    """Return a placeholder for a picture that could not be drawn."""
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH_INCHES, 0.6))
        words = "This chart could not be drawn."
        figure.text(0.5, 0.5, words, ha="center", va="center_baseline")
        return _file(figure, form)


def text(words: str) -> str:
    """Return a label from data as a single line without control characters."""
    return visible(words, MAX_LABEL_CHARS)


def _file(figure: Figure, form: str) -> bytes:
    buffer = io.BytesIO()
    if form == "pdf":
        # Imported late: this takes a quarter as long as all else of matplotlib, and few builds need
        # it.
        from matplotlib.backends.backend_pdf import FigureCanvasPdf

        pdf: Any = FigureCanvasPdf(figure)
        # A timestamp would change the bytes.
        pdf.print_pdf(buffer, metadata={"CreationDate": None})
        return buffer.getvalue()
    # A timestamp would change the bytes here, too; the other metadata is the same in every SVG.
    no_metadata = dict.fromkeys(("Date", "Format", "Type", "Creator"))
    svg: Any = FigureCanvasSVG(figure)
    svg.print_svg(buffer, metadata=no_metadata)
    # The size in points is meant for print; on a page the picture fills the width available.
    return re.sub(rb' (?:width|height)="[0-9.]*pt"', b"", buffer.getvalue(), count=2)


def _chart(view: ChartView) -> Figure:
    """Draw the panels in one to three columns, on the same scales."""
    rows, count = view.has_rows, len(view.panels)
    columns = 1 if count == 1 or rows else 3 if view.wide and count in (3, 5, 6) else 2
    figure = _figure(
        WIDE_INCHES if view.wide else SMALL_WIDTH_INCHES if view.small else WIDTH_INCHES
    )
    # The y axes of rows have names, which differ between panels.
    shared: dict[str, Any] = {"sharex": True, "sharey": not rows, "squeeze": False}
    grid = figure.subplots(-(-count // columns), columns, **shared).ravel()
    # The last row may not be full.
    for unused in grid[count:]:
        unused.remove()
    pairs = list(zip(grid, view.panels, strict=False))
    artists: dict[str, Any] = {}
    for position, (axes, panel) in enumerate(pairs):
        _set_scales(axes, view)
        drawn = DRAW_KIND[view.kind](axes, view, panel)
        for number, (line, artist) in enumerate(zip(panel.lines, drawn, strict=True)):
            _name_group(artist, f"line-{position}-{number}")
            # A line has the same style in every panel, so it needs one legend entry.
            artists.setdefault(line.label, artist)
        _draw_limits(axes, panel, position)
        axes.set_title(text(panel.title))
        # matplotlib labels the shared axis in the last row only, which may not be full.
        if position + columns >= count:
            axes.tick_params(labelbottom=True)
            axes.set_xlabel(text(view.y_label if rows else "" if view.small else view.x_label))
        if position % columns == 0 and not rows:
            axes.set_ylabel(text(view.y_label))
    inches = sum(_panel_inches(view, panel) for panel in view.panels[::columns])
    notes: list[Text] = []
    for axes, panel in pairs:
        _set_ticks(axes, view, figure.get_figwidth() / columns - 0.8)
        notes += _label_points(axes, panel)
        if not view.mark or rows:
            continue
        if marks := _marks_of_all_lines(panel):
            inches += TOP_AXIS_INCHES / columns
            _draw_top_axis(axes, view, marks)
        else:
            notes += _name_marks(axes, view, panel)
    named = has_line_names(view)
    if named:
        name_lines(grid[count - 1], view)
    legend = {} if named or len(artists) < 2 else artists
    _lay_out(figure, inches, legend, visible(view.finding, 300), visible(view.subtitle, 400))
    for axes in grid[:count]:
        labels = [] if rows else axes.get_xticklabels()
        # The last label (newest release, largest size) matters most, then the first.
        _hide_overlapping([*labels[-1:], *labels[:1], *labels[-2:0:-1]])
    _hide_overlapping(notes)
    return figure


def _figure(width: float) -> Figure:
    figure = Figure((width, 1), dpi=72)
    FigureCanvasAgg(figure)  # needed to measure text
    return figure


def _lay_out(
    figure: Figure, inches: float, legend: Mapping[str, Any], finding: str = "", about: str = ""
) -> None:
    """Write heading and legend, set the figure's height, and lay out the panels between them."""
    scale, size = figure.get_figwidth() / WIDTH_INCHES, mpl.rcParams["font.size"] / 10
    wrap = max(1.0, scale / size)
    heading = textwrap.wrap(finding, int(50 * wrap)), textwrap.wrap(about, int(58 * wrap))
    line_inches = HEADING_INCHES * size
    top, bottom = line_inches * sum(map(len, heading)), 0.0
    if legend:
        bottom = _draw_legend(figure, legend)
    height = top + inches + bottom
    figure.set_figheight(height)
    y, left = 1 - 0.25 * line_inches / height, 0.05 / figure.get_figwidth()
    figure.text(left, y, "\n".join(heading[0]), weight="bold", va="top")
    y -= line_inches * len(heading[0]) / height
    figure.text(left, y, "\n".join(heading[1]), va="top")
    # If set on the figure, the engine would run again when the file is written.
    engine = ConstrainedLayoutEngine(rect=(0, bottom / height, 1, inches / height))
    engine.execute(figure)
    # The last digits of the solver vary from run to run, and all digits are in the names of clip
    # paths.
    for axes in figure.axes:
        bounds = (round(float(bound), 9) for bound in axes.get_position().bounds)
        axes.set_position(Bbox.from_bounds(*bounds))


def _draw_legend(figure: Figure, artists: Mapping[str, Any]) -> float:
    """Draw a legend with as many columns as fit, up to four, and return its height in inches."""
    labels = [text(label) for label in artists]
    for columns in range(min(4, len(labels)), 0, -1):
        legend = figure.legend(artists.values(), labels, loc="lower center", ncols=columns)
        box = legend.get_window_extent()
        if box.width < figure.bbox.width:
            break
        if columns > 1:  # too wide
            legend.remove()
    return float(box.height / figure.dpi) + 0.1


def _panel_inches(view: ChartView, panel: Panel) -> float:
    """Return the height of a panel in inches, including its labels."""
    if view.has_rows:
        names = map(wrapped, view.ticks)
        lines = max((name.count("\n") + 1 for name in names), default=1)
        rows = len(bar_rows(view, panel)[0]) * max(0.21, 0.165 * lines + 0.05)
        return 0.75 + rows + 0.12 * len(view.ticks) + (0.25 if panel.title else 0)
    if view.small:
        return SMALL_INCHES
    if view.wide:
        return WIDE_PANEL_INCHES if len(view.panels) == 1 else WIDE_PAIR_INCHES
    return PANEL_INCHES if len(view.panels) == 1 else PAIR_INCHES


def _set_scales(axes: Axes, view: ChartView) -> None:
    """Set the scales of the axes, before anything is drawn: limits depend on the scales."""
    if view.x_scale == "log2" and not view.ticks:
        axes.set_xscale("log", base=2, nonpositive="mask")
    if view.y_scale == "log" and not view.has_rows:
        # Ranges and steps that reach down to zero end at the edge.
        axes.set_yscale("log", nonpositive="clip")


def _set_ticks(axes: Axes, view: ChartView, inches: float) -> None:
    """Set the limits, numbers and names of the axes, for a panel of the given width."""
    points = [p for panel in view.panels for line in panel.lines for p in line.points]
    axes.xaxis.set_major_formatter("{x:,.10g}")
    axes.margins(x=0 if view.has_rows else 0.05)
    if view.x_scale == "reversed":
        axes.xaxis.set_inverted(True)
    # Fix the number of ticks: by default it depends on the space, which depends on the tick labels.
    if view.x_scale != "log2":
        axes.locator_params("x", nbins=5)
    if view.has_rows:
        return
    axes.yaxis.set_major_formatter("{x:,.10g}")
    if view.y_scale != "log":
        axes.locator_params("y", nbins=5 if view.small else 8)
    if view.y_scale == "log":
        if min((point.y for point in points if point.y > 0), default=1) < 1e-300:
            axes.margins(y=0)  # a margin would reach below the smallest float
        low, high = axes.get_ylim()
        # From three decades on, powers of ten alone fill the axis.
        subs = (1, 2, 5) if high < 1000 * low else (1,)
        # With fewer ticks, steps over hundreds of decades would end beyond the largest float.
        axes.yaxis.set_major_locator(LogLocator(subs=subs, numticks=9))
        axes.yaxis.set_minor_locator(NullLocator())
    elif min(point.y for point in points) >= 0:
        # From zero, heights are proportional to figures. The axis ends at the next round number.
        top = max(point.high or point.y for point in points) or 1.0
        top = max(top, *(y for panel in view.panels for y, _ in panel.limits), 0.0)
        axes.set_ylim(
            0, next(y for y in axes.yaxis.get_major_locator().tick_values(0, top) if y >= top)
        )
    if view.ticks:
        names = [textwrap.fill(text(name), MAX_TICK_LINE_CHARS) for name in view.ticks]
        longest = max(len(line) for name in names for line in name.split("\n"))
        needed = len(names) * (longest + 1) / (inches * CHARS_PER_INCH)
        fits = needed < 1
        if view.small and not fits:
            # In a small picture, rotated names would leave no room for the lines: keep every n-th
            # name, counted from the last, and the first.
            step = math.ceil(needed)
            names = [
                name if number == 0 or (len(names) - 1 - number) % step == 0 else ""
                for number, name in enumerate(names)
            ]
            fits = True
        axes.set_xticks(range(len(names)), names, **({} if fits else ON_END))
        axes.set_xlim(-0.5, len(names) - 0.5)
    elif view.x_scale == "log2":
        # Label the sizes that were measured: they need not be powers of two.
        sizes = {p.x: units.whole(p.mark).replace(" bytes", " B") for p in points if p.x > 0}
        axes.set_xticks(sorted(sizes), [visible(sizes[x], 12) for x in sorted(sizes)])
        axes.xaxis.set_minor_locator(NullLocator())


def _name_group(artist: Any, name: str) -> None:
    """Name an artist's group in the SVG, or the numbered groups of a container's parts."""
    if isinstance(artist, Container):
        for number, part in enumerate(artist.get_children()):
            part.set_gid(f"{name}-{number}")
    else:
        artist.set_gid(name)


def _draw_limits(axes: Axes, panel: Panel, position: int) -> None:
    """Draw labelled lines across a panel at its vertical and horizontal positions."""
    style: dict[str, Any] = {"color": palette.QUIET, "linewidth": 1}
    note: dict[str, Any] = {"textcoords": "offset points", "color": palette.QUIET}
    for count, (x, words) in enumerate(panel.verticals):
        axes.axvline(x, linestyle=(0, (2, 2)), gid=f"vertical-{position}-{count}", **style)
        # Curves rise, so there is room to the right of the line, at its foot.
        at, turned = (x, 0.02), {"rotation": 90, "rotation_mode": "anchor", "va": "top"}
        box = {"facecolor": "none", "linewidth": 0, "pad": 0.6}
        on = {"xycoords": axes.get_xaxis_transform(), "bbox": box, **turned, **note}
        axes.annotate(visible(words, 40), at, xytext=(3, 0), **on)
    for count, (y, words) in enumerate(panel.limits):
        axes.axhline(y, linestyle=(0, (6, 2)), gid=f"limit-{position}-{count}", **style)
        on = {"xycoords": axes.get_yaxis_transform(), **note}
        axes.annotate(visible(words, 40), (0.01, y), xytext=(0, 3), **on)


def _label_points(axes: Axes, panel: Panel) -> list[Text]:
    """Draw points with their figures, on the side to which lines do not rise."""
    figures: list[Text] = []
    for point in panel.labelled:
        higher = [p.x for line in panel.lines for p in line.points if p.y > point.y]
        rises = bool(higher) and (fmean(higher) > point.x) != axes.xaxis_inverted()
        axes.plot([point.x], [point.y], "o", color=palette.INK, markersize=8, zorder=3)
        beside: dict[str, Any] = {
            "xytext": (-8 if rises else 8, 6),
            "ha": "right" if rises else "left",
        }
        words, at = units.number(point.y, digits=3), (point.x, point.y)
        figures.append(
            axes.annotate(words, at, textcoords="offset points", weight="bold", **beside)
        )
    return figures


def _marks_of_all_lines(panel: Panel) -> list[tuple[float, str]]:
    """Return each mark with its mean x if the panel's lines have all marks at about the same x."""
    xs_by_mark: dict[str, list[float]] = {}
    for line in panel.lines:
        for point in line.points:
            xs_by_mark.setdefault(units.whole(point.mark), []).append(point.x)
    every_x = [x for xs in xs_by_mark.values() for x in xs]
    tolerance = (max(every_x) - min(every_x)) * SAME_PLACE_SHARE
    if not tolerance or any(max(xs) - min(xs) > tolerance for xs in xs_by_mark.values()):
        return []
    return sorted((sum(xs) / len(xs), mark) for mark, xs in xs_by_mark.items())


def _draw_top_axis(axes: Axes, view: ChartView, marks: Sequence[tuple[float, str]]) -> None:
    """Label marks on an axis above the panel: both ends, and between them as many as fit."""
    gap = (marks[-1][0] - marks[0][0]) * TOP_AXIS_GAP_SHARE
    kept: list[tuple[float, str]] = []

    def is_odd(mark: tuple[float, str]) -> tuple[bool, bool]:
        return mark[1] != "0", mark[1][-1:] not in ("0", "5")

    # The ends come first, then zero and other round levels, so that the rest give way to them.
    for mark in (marks[0], marks[-1], *sorted(marks[1:-1], key=is_odd)):
        if all(abs(mark[0] - other) > gap for other, _ in kept):
            kept.append(mark)
    above = axes.secondary_xaxis("top")
    above.set_xticks([x for x, _ in kept], [visible(mark, 12) for _, mark in kept])
    above.set_xlabel(visible(view.mark, 30))


def _name_marks(axes: Axes, view: ChartView, panel: Panel) -> list[Text]:
    """Label the first, last and round marks of the highest line, above it."""
    line = max(panel.lines, key=lambda line: max(point.y for point in line.points))
    last = len(line.points) - 1
    rises = (line.points[last].x > line.points[0].x) == (line.points[last].y > line.points[0].y)
    rises, first = rises != axes.xaxis_inverted(), max if axes.xaxis_inverted() else min
    leftmost = first(point.x for point in line.points)
    style: dict[str, Any] = {"textcoords": "offset points", "color": palette.QUIET}
    notes: list[Text] = []
    for number, point in enumerate(line.points):
        is_round = not isinstance(point.mark, str) and point.mark[0] % 5 == 0
        if number in (0, last) or is_round:
            words = units.whole(point.mark)
            words = visible(f"{view.mark.lower()} {words}" if number == 0 else words, 30)
            side = "right" if rises and point.x > leftmost else "left"
            offset = (-3 if side == "right" else 3, 4)
            at = (point.x, point.y)
            notes.append(axes.annotate(words, at, xytext=offset, ha=side, **style))
    return notes


def _hide_overlapping(labels: Iterable[Text]) -> None:
    """Hide each label that overlaps an earlier one."""
    boxes: list[Bbox] = []
    # A tick without a name hides no other.
    for label in filter(Text.get_text, labels):
        box = label.get_window_extent().padded(2)
        if any(box.overlaps(other) for other in boxes):
            label.set_visible(False)
        else:
            boxes.append(box)


def _changes(view: ChangeView) -> Figure:
    """Draw a row of marks per benchmark, with improvements to the right."""
    figure = _figure(WIDTH_INCHES)
    axes = figure.subplots()
    # The slopes of both parts are equal where they meet.
    even: dict[str, Any] = {"linthresh": MAX_EVEN_LOG, "linscale": 1 - 1 / math.e}
    axes.set_xscale("symlog", base=math.e, **even)
    axes.xaxis.set_minor_locator(NullLocator())
    artists: dict[str, Any] = {}
    for kind, (marker, colour, size, label) in CHANGE_STYLES.items():
        changes = [
            (math.log(ratio), row)
            for row, strip in enumerate(view.strips)
            for ratio, kind_of_point in strip.points
            if kind_of_point == kind
        ]
        if changes:
            look: dict[str, Any] = {"marker": marker, "color": colour, "markersize": size}
            (artists[label],) = axes.plot(
                *zip(*changes, strict=True), linestyle="", markeredgewidth=0, alpha=0.8, **look
            )
            artists[label].set_gid(f"changes-{kind}")
    means = [math.log(strip.mean) for strip in view.strips]
    look = {"marker": "|", "color": palette.SERIES[6], "markersize": 10, "markeredgewidth": 1.6}
    (artists[MEAN_LABEL],) = axes.plot(means, range(len(means)), linestyle="", **look)
    axes.axvline(0, color=palette.QUIET, linewidth=1)
    axes.set_yticks(range(len(means)), [visible(strip.title, 40) for strip in view.strips])
    # Inverted, so that the first benchmark is at the top.
    axes.set_ylim(len(means) - 0.4, -0.6)
    # On a log axis, halving and doubling are equally far from no change.
    largest = max(0.06, *(abs(math.log(x)) for strip in view.strips for x, _ in strip.points))
    axes.set_xlim(-1.1 * largest, 1.1 * largest)
    steps = [math.log1p(percent / 100) for percent in CHANGE_TICKS_PERCENT]
    ticks = [0.0, *(tick for step in steps if step <= 1.1 * largest for tick in (-step, step))]
    axes.set_xticks(
        ticks, [units.percent(math.expm1(tick), 0) if tick else "0 %" for tick in ticks]
    )
    is_even = largest <= MAX_EVEN_LOG
    axes.set_xlabel(
        "change in the better direction" if is_even else "change for the better, not to scale"
    )
    _lay_out(figure, 1.2 + 0.3 * len(view.strips), artists)
    # The labels next to zero come first.
    _hide_overlapping(axes.get_xticklabels())
    for tick in axes.xaxis.get_major_ticks():
        tick.set_visible(tick.label1.get_visible())
    return figure

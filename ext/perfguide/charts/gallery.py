"""Picture files, drawn again only if their views change, and the data files beside them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import msgspec

from ..common import containment, package, slugs, units
from ..common.containment import finding
from ..common.diagnostics import Diagnostic
from ..common.units import TableCell
from ..publishing.output_folder import Writer
from ..publishing.store import update
from ..tables import grids
from ..tables.grids import Grid, listing, only_columns
from .from_csv import TableFault
from .model import ChartView, PictureView, Point

FORMATS = ("svg", "pdf")
NARROW = "-phone.svg"
"""The suffix of a wide picture's phone version."""

NAMING = 3
"""A version number hashed into the names of pictures on hand-written pages; raising it changes
their addresses."""

DRAWING = ("python", "matplotlib", "numpy", "pillow", "fonttools", "contourpy", "kiwisolver")
"""Prefixes of the names of libraries that affect how pictures look."""

MAX_NAME_CHARS = 60
"""The length of the readable part of a picture's file name."""

DRAWN = "reports/drawn"
"""The folder of pictures on hand-written pages, below the generated pages."""

DATA = "-data.csv"
"""The suffix of a picture's data file. It cannot be ``.csv`` alone: Sphinx takes every NAME.* for a
format of the picture."""


@dataclass(frozen=True)
class Picture:
    """A picture: the path of its file without the suffix, and its view."""

    stem: str
    view: PictureView


@cache
def _drawn_by() -> str:
    """Return a hash of the code and libraries that determine how a view looks."""
    versions = [library for library in package.libraries() if library.lower().startswith(DRAWING)]
    code = package.fingerprint("charts", "common")
    return hashlib.sha256(repr((code, versions)).encode()).hexdigest()


def stem(page: str, name: str, alternative: str) -> str:
    """Return the path of a picture's file without the suffix."""
    # Sphinx copies the pictures of all pages into one folder, so names must be unique.
    digits = slugs.hashed("/".join((page, name, alternative))).rpartition("-")[2]
    return f"{page}/{slugs.words(f'{name} {alternative}', MAX_NAME_CHARS)}-{digits}"


_VIEW_BOX = re.compile(rb'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def size(svg: Path) -> tuple[int, int] | None:
    """Return a picture's width and height in CSS pixels, or ``None`` if there is no such file."""
    try:
        with svg.open("rb") as file:
            # The root element is at the beginning, and pictures can be large.
            box = _VIEW_BOX.search(file.read(1000))
    except FileNotFoundError:
        return None
    return (round(float(box[1])), round(float(box[2]))) if box else None


def fingerprint(view: PictureView, form: str) -> str:
    """Return a hash of a file's contents."""
    by = [NAMING, _matplotlib(), form, view]
    # Equal mappings may differ in key order.
    return hashlib.sha256(msgspec.json.encode(by, order="deterministic")).hexdigest()


@cache
def _matplotlib() -> str:
    # Each lookup parses the package's metadata, which takes 5 ms.
    return version("matplotlib")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The outcome of drawing: the :func:`look` of each file, by name, and pictures that failed."""

    looks: dict[str, str]
    unmade: tuple[Diagnostic, ...]


def draw_all(
    writer: Writer,
    pictures: Sequence[Picture],
    formats: Sequence[str],
    earlier: Mapping[str, str],
) -> Drawn:
    """Draw the pictures that are missing or whose look has changed since an earlier run.

    ``earlier`` has the looks of the files drawn before. Up-to-date pictures in formats not
    requested this time are kept.
    """
    looks: dict[str, str] = {}
    unmade: list[Diagnostic] = []
    for picture in pictures:
        # Scaled down to a phone, the text of the wide form would be illegible.
        narrow = [NARROW] if isinstance(picture.view, ChartView) and picture.view.wide else []
        for end in (*(f".{form}" for form in FORMATS), *narrow):
            name, form = f"{picture.stem}{end}", "phone" if end == NARROW else end[1:]
            look_now = look(picture.view, form)
            if earlier.get(name) == look_now and (digest := writer.present(name)):
                writer.add({name: digest})
                looks[name] = look_now
            elif ("svg" if form == "phone" else form) in formats:
                data = draw_one(picture.view, form)
                if isinstance(data, Undrawn):
                    unmade.append(finding("this picture could not be drawn", name, data.reason))
                    data = data.notice
                # A notice has no look, so the next build tries to draw the picture again.
                else:
                    looks[name] = look_now
                writer.write(name, data)
    return Drawn(looks, tuple(unmade))


@dataclass(frozen=True, slots=True)
class Undrawn:
    """The reason why a picture could not be drawn, and a placeholder picture."""

    reason: str
    notice: bytes


def draw_one(view: PictureView, form: str) -> bytes | Undrawn:
    """Return the bytes of one picture, or why it could not be drawn."""
    # Most builds draw nothing and start faster without matplotlib.
    from . import draw

    try:
        return draw.draw(view, form)
    except containment.PASSED_ON:
        raise
    except Exception as error:  # one failing picture must not stop the others
        return Undrawn(containment.reason(error), draw.notice(form))


def look(view: PictureView, form: str) -> str:
    """Return a hash of everything that determines the bytes of a picture."""
    return f"{_drawn_by()} {fingerprint(view, form)}"


def draw_own(folder: Path, view: ChartView, formats: Sequence[str]) -> str:
    """Draw the picture of a hand-written page, and write its data.

    Returns the name that the files share, to which :data:`DATA` is added for the data. Safe to call
    from any process of a build. Raises :class:`TableFault`.
    """
    stem = fingerprint(view, "own")[:24]
    for form in formats:
        picture = draw_one(view, form)
        if isinstance(picture, Undrawn):
            raise TableFault(f"cannot be drawn: {picture.reason}", "report this with its figures")
        update(folder / f"{stem}.{form}", picture)
    update(folder / f"{stem}{DATA}", grids.to_csv(data([view])))
    return stem


def data(views: Sequence[ChartView]) -> Grid:
    """Return every point in a chart's pictures, with all digits."""
    first = views[0]
    axes = {view.y_label for view in views}
    head = [
        "Picture",
        first.panel_head or "Panel",
        first.line_head or "Line",
        first.mark or first.x_label or "Point",
        *(["Axis"] if len(axes) > 1 else []),
        "" if first.ticks or not first.mark else first.x_label,
        "Value" if len(axes) > 1 else first.y_label,
        "Min",
        "Max",
    ]
    rows = [
        [
            view.name,
            panel.title,
            line.label,
            _plain(point.mark),
            *([view.y_label] if len(axes) > 1 else []),
            units.figure(point.x),
            units.figure(point.y),
            units.optional_figure(point.low),
            units.optional_figure(point.high),
        ]
        for view in views
        for panel in view.panels
        for line in panel.lines
        for point in line.points
    ]
    # Leave out empty columns, and x if its values are just the names of points.
    stub = len(head) - 4
    kept = [
        column
        for column in range(len(head))
        if column > stub or (head[column] and any(row[column] for row in rows))
    ]
    return only_columns(listing(head, rows, stub), kept)


def _plain(mark: TableCell) -> TableCell:
    """Return a mark for programs to read: a size is a number of bytes."""
    return mark if isinstance(mark, str) else (mark[0], units.plain(mark[0]), "")


MAX_LEVELS, LEVEL_STEP = 12, 5
"""In the table beside a chart, a longer line has only its ends and every fifth level."""


def levels(views: Sequence[ChartView]) -> tuple[Grid, int]:
    """Return a table of measured points with their marks, and the number of points left out.

    A row is a level. It has the point of each line or, if lines have an order, of the last line of
    each group; between two of them, also the ratio. The chart's data file has all points."""
    first = views[0]
    panels = [(view, panel) for view in views for panel in view.panels]
    axis = first.y_label if len({view.y_label for view in views}) == 1 else ""
    last = {
        (view, panel): {line.group or line.label: line for line in panel.lines}
        for view, panel in panels
    }
    names = list(dict.fromkeys(name for beside in last.values() for name in beside))
    keys = ("Picture", *((first.panel_head or "Panel",) if first.panel_head else ()), first.mark)
    below = [""] * len(keys) + [first.x_label, axis] * len(names)
    steps = {line.step for beside in last.values() for line in beside.values() if line.step}
    step = steps.pop() if len(steps) == 1 else ""
    head = [*keys, *(", ".join(filter(None, (name, step))) for name in names for _ in range(2))]
    if is_pair := len(names) == 2:
        head, below = [*head, step or "of both"], [*below, "Ratio"]
    rows, tabled = list[tuple[TableCell, ...]](), 0
    for (view, panel), lines in last.items():
        points = {
            (name, units.whole(p.mark)): p for name, line in lines.items() for p in line.points
        }
        name = view.name if axis else f"{view.name}, {view.y_label}"
        longest = max(lines.values(), key=lambda line: len(line.points))
        for mark in (point.mark for point in _tabled_points(longest.points)):
            beside = [points.get((name, units.whole(mark))) for name in names]
            tabled += len(beside) - beside.count(None)
            cells = [
                units.MISSING if p is None else units.figure(value)
                for p in beside
                for value in ((p.x, p.y) if p else (0.0, 0.0))
            ]
            ends = [p.y for p in beside if p and p.y > 0]
            panel_key = (panel.title,) if first.panel_head else ()
            if is_pair:
                ratio = ends[0] / ends[1] if len(ends) == 2 else None
                cells += [(ratio, units.factor_text(ratio), "") if ratio else units.MISSING]
            rows.append((name, *panel_key, mark, *cells))
    every = sum(len(line.points) for _, panel in panels for line in panel.lines)
    return Grid((tuple(head), tuple(below)), tuple(rows), len(keys), tabs=True), every - tabled


def _tabled_points(points: Sequence[Point]) -> list[Point]:
    """Return the points of a line; if it is long, only its ends and those at round levels."""
    last = len(points) - 1
    if last < MAX_LEVELS:
        return list(points)

    def is_round(number: int, mark: TableCell) -> bool:
        return (number if isinstance(mark, str) else mark[0]) % LEVEL_STEP == 0

    return [p for n, p in enumerate(points) if n in (0, last) or is_round(n, p.mark)]

"""Which pictures have to be drawn, and the files of a chart beside its page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path

import msgspec

from ..common import package, parallel, slugs, units
from ..common.containment import finding
from ..common.diagnostics import Diagnostic
from ..common.units import TableCell
from ..publishing.output_folder import Writer
from ..publishing.store import Store, update
from ..tables import grids
from ..tables.grids import Grid, listing, only_columns
from . import drawing
from .drawing import Task, Undrawn
from .from_csv import TableFault
from .model import ChartView, PictureView, Point

FORMATS = ("svg", "pdf")
NAMING = 3
"""A part of the names of pictures on hand-written pages; raised, it gives them other addresses."""

DRAWING = ("python", "matplotlib", "numpy", "pillow", "fonttools", "contourpy", "kiwisolver")
"""How the names of libraries begin that decide how a picture looks."""

MAX_NAME_CHARS = 60
"""The readable part of a picture's file name."""

DRAWN = "reports/drawn"
"""The folder, below the generated ones, of pictures that hand-written pages ask for."""

DATA = "-data.csv"
"""The end of the name of a picture's data: Sphinx takes all files NAME.* for forms of a picture."""

MANY = 20
"""A site with so many pictures, of which one is to be drawn, has more to come."""


@dataclass(frozen=True)
class Picture:
    """One picture: its file without the suffix, and what it shows."""

    stem: str
    view: PictureView

    @cached_property
    def drawn(self) -> Drawn:
        """The same picture when it has been drawn."""
        return Drawn(self.stem, {form: fingerprint(self.view, form) for form in FORMATS})


class Drawn(msgspec.Struct, frozen=True):
    """One picture that was drawn: its file without the suffix, and for each format a hash of
    what it shows."""

    stem: str
    prints: dict[str, str]

    @property
    def drawn(self) -> Drawn:
        """The picture itself."""
        return self


def drawn(writer: Writer, picture: Drawn, form: str) -> str:
    """The SHA-256 of the file of a picture that is there as it was drawn; else an empty text."""
    present = writer.present(f"{picture.stem}.{form}")
    kept = writer.store.recall(_key(picture.prints.get(form, "")))
    return present if kept == present.encode() else ""


def _key(print_: str) -> str:
    """Under what the store keeps the SHA-256 of a picture."""
    return f"picture {_drawn_by()} {print_}"


@cache
def _drawn_by() -> str:
    """A hash of the code and the libraries that decide how the same view looks."""
    versions = [each for each in package.libraries() if each.lower().startswith(DRAWING)]
    code = package.fingerprint("charts", "common")
    return hashlib.sha256(repr((code, versions)).encode()).hexdigest()


def stem(page: str, name: str, alternative: str) -> str:
    """The file of a picture. Its last part is unique over all pages, because a
    site keeps all pictures in one folder."""
    digits = slugs.hashed("/".join((page, name, alternative))).rpartition("-")[2]
    return f"{page}/{slugs.words(f'{name} {alternative}', MAX_NAME_CHARS)}-{digits}"


_VIEW_BOX = re.compile(rb'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def size(svg: Path) -> tuple[int, int] | None:
    """Width and height of a drawn picture in CSS pixels, or ``None`` where it is not there."""
    try:
        with svg.open("rb") as file:
            found = _VIEW_BOX.search(file.read(1000))
    except FileNotFoundError:
        return None
    return (round(float(found[1])), round(float(found[2]))) if found else None


def fingerprint(view: PictureView, form: str) -> str:
    """A hash of what a drawn file shows."""
    by = [NAMING, _matplotlib(), form, view]
    return hashlib.sha256(msgspec.json.encode(by, order="deterministic")).hexdigest()


@cache
def _matplotlib() -> str:
    # Looking it up parses all that is known of the package, 5 ms each time.
    return version("matplotlib")


class Gallery:
    """All pictures of a site, drawn where they are missing or out of date.

    A picture in a format that is not wanted now stays where it is still right. Who adds one
    that was :class:`Drawn` before has seen that it is there. ``pictures`` may grow until the
    end. Use it in a ``with``, as :class:`drawing.Drawing`, by whom it has them drawn.
    """

    def __init__(
        self,
        writer: Writer,
        pictures: MutableSequence[Picture | Drawn],
        formats: Sequence[str],
        run: parallel.Run = parallel.here,
    ) -> None:
        self._writer, self._pictures, self._formats = writer, pictures, formats
        self._drawing = drawing.Drawing(run)
        self._wanted: list[tuple[str, str]] = []
        self.unmade: list[Diagnostic] = []
        self._seen = 0

    def __enter__(self) -> Gallery:
        return self

    def __exit__(self, *raised: object) -> None:
        self._drawing.__exit__(*raised)

    def expect(self) -> None:
        """Get ready to draw soon."""
        if self._formats:
            self._drawing.expect()

    def begin(self) -> None:
        """Have drawn what has come to the pictures since this was called last."""
        tasks: list[Task] = []
        for place in range(self._seen, len(self._pictures)):
            picture = self._pictures[place]
            if isinstance(picture, Drawn):
                continue
            # What a picture shows is large; from here on only its drawing needs it.
            self._pictures[place] = picture.drawn
            for form, print_ in picture.drawn.prints.items():
                name = f"{picture.stem}.{form}"
                if present := drawn(self._writer, picture.drawn, form):
                    self._writer.keep(name, present)
                elif form in self._formats:
                    self._wanted.append((name, print_))
                    tasks.append((picture.view, form))
        self._seen = len(self._pictures)
        self._drawing.add(tasks)
        if self._wanted and self._seen > MANY:
            self._drawing.expect()

    def finish(self) -> int:
        """Write all that was drawn; return how many were drawn."""
        self.begin()
        for (name, print_), data in zip(self._wanted, self._drawing.drawn(), strict=True):
            if isinstance(data, Undrawn):
                self._writer.write(name, data.notice)
                self.unmade.append(finding("this picture could not be drawn", name, data.reason))
                continue
            self._writer.write(name, data)
            self._writer.store.keep(_key(print_), self._writer.digests[name].encode())
        return len(self._wanted)


def draw_own(store: Store, folder: Path, view: ChartView, formats: Sequence[str]) -> str:
    """Draw the picture of a hand-written page, where it is not kept, beside a file of its data, which
    ends with :data:`DATA`; return the name of both files without their ends. Any process of a build may do this. Raises
    :class:`TableFault`."""
    stem = fingerprint(view, "own")[:24]
    for form in formats:
        key = _key(fingerprint(view, form))
        update(folder / f"{stem}.{form}", store.made(key, partial(_drawn, view, form)))
    update(folder / f"{stem}{DATA}", grids.to_csv(data([view])))
    return stem


def _drawn(view: ChartView, form: str) -> bytes:
    picture = drawing.draw((view, form))
    if isinstance(picture, Undrawn):
        raise TableFault(f"cannot be drawn: {picture.reason}", "report this with its figures")
    return picture


def data(views: Sequence[ChartView]) -> Grid:
    """Every point of the pictures of a chart, with all its digits."""
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
            point.mark,
            *([view.y_label] if len(axes) > 1 else []),
            units.figure(point.x),
            units.figure(point.y),
            "" if point.low is None else units.figure(point.low),
            "" if point.high is None else units.figure(point.high),
        ]
        for view in views
        for panel in view.panels
        for line in panel.lines
        for point in line.points
    ]
    # Columns that tell nothing apart, and an x axis that the point's name says already.
    stub = len(head) - 4
    kept = [
        column
        for column in range(len(head))
        if column > stub or (head[column] and any(row[column] for row in rows))
    ]
    stub = sum(column < stub for column in kept)
    return only_columns(listing(head, rows, stub), kept)


MOST_LEVELS = 12
"""A line with more levels than this has, in the table beside its chart, its ends and each fifth."""
STEP = 5


def levels(views: Sequence[ChartView]) -> tuple[Grid, int]:
    """The measured points of each line under their marks: where they are on both axes, and how
    many points of long lines the table leaves to the file of the chart. Of lines that have an
    order it has the last one."""
    first = views[0]
    head = ("Picture", *((first.panel_head or "Panel",) if first.panel_head else ()))
    head = (*head, first.line_head or "Line", first.mark, first.x_label, first.y_label)
    rows, left_out = list[tuple[TableCell, ...]](), 0
    for view in views:
        for panel in view.panels:
            keys = (view.name, panel.title) if first.panel_head else (view.name,)
            last = {line.group: line for line in panel.lines} if view.ramp else {}
            for line in panel.lines:
                shown = _some(line.points) if last.get(line.group, line) is line else []
                left_out += len(line.points) - len(shown)
                rows += [
                    (*keys, line.label, point.mark, units.figure(point.x), units.figure(point.y))
                    for point in shown
                ]
    return Grid((head,), tuple(rows), len(head) - 2, tabs=True), left_out


def _some(points: Sequence[Point]) -> list[Point]:
    """The points themselves, or of a long line its ends and those at round levels."""
    last = len(points) - 1
    if last < MOST_LEVELS:
        return list(points)

    def is_round(number: int, mark: TableCell) -> bool:
        return (number if isinstance(mark, str) else mark[0]) % STEP == 0

    return [p for n, p in enumerate(points) if n in (0, last) or is_round(n, p.mark)]

"""Which pictures have to be drawn, and the files of a chart beside its page."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path

import msgspec

from ..common import parallel, slugs, units
from ..publishing.output_folder import Writer
from ..tables.grids import Grid
from . import drawing
from .answers import at
from .drawing import Shown, Task
from .model import ChartView

FORMATS = ("svg", "pdf")
DRAWING = 3
"""Raised when the same view should be drawn anew."""

DRAWN = "reports/drawn"
"""The folder, below the generated ones, of pictures that hand-written pages ask for."""

LEDGER = "reports/pictures.json"
MANY = 20
"""A site with so many pictures, of which one is to be drawn, has more to come."""


@dataclass(frozen=True)
class Picture:
    """One picture: its file without the suffix, and what it shows."""

    stem: str
    view: Shown

    @cached_property
    def drawn(self) -> Drawn:
        """The same picture when it has been drawn."""
        return Drawn(self.stem, {form: fingerprint(self.view, form) for form in FORMATS})


class Drawn(msgspec.Struct, frozen=True):
    """One picture that was drawn before: its file without the suffix, and for each format
    what it was drawn from."""

    stem: str
    prints: dict[str, str]

    @property
    def drawn(self) -> Drawn:
        """The picture itself."""
        return self


class Ledger:
    """What each picture of the last run was drawn from.

    It holds a hash of each file besides, so that a damaged one is drawn anew.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        try:
            known = json.loads((writer.root / LEDGER).read_bytes())
        except (FileNotFoundError, ValueError):
            known = {}
        self._known = known if isinstance(known, dict) else {}

    def sum(self, name: str, print_: str) -> str:
        """The SHA-256 of a file that is there as it was drawn from this; else an empty text."""
        present = self._writer.present(name)
        return present if present and self._known.get(name) == [print_, present] else ""

    def holds(self, picture: Drawn, formats: Sequence[str]) -> bool:
        """Whether a picture is there in all these formats."""
        stem, prints = picture.stem, picture.prints
        return all(self.sum(f"{stem}.{form}", prints.get(form, "")) for form in formats)


def stem(page: str, name: str, alternative: str) -> str:
    """The file of a picture. Its last part is unique over all pages, because a
    site keeps all pictures in one folder."""
    return f"{page}/{slugs.hashed('/'.join((page, name, alternative)))}"


_VIEW_BOX = re.compile(rb'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def size(svg: Path) -> tuple[int, int] | None:
    """Width and height of a drawn picture in CSS pixels, or ``None`` where it is not there."""
    try:
        with svg.open("rb") as file:
            found = _VIEW_BOX.search(file.read(1000))
    except FileNotFoundError:
        return None
    return (round(float(found[1])), round(float(found[2]))) if found else None


def fingerprint(view: Shown, form: str) -> str:
    """What a drawn file depends on: the view, how it is drawn, and by what."""
    by = [DRAWING, _drawn_by(), form, view]
    return hashlib.sha256(msgspec.json.encode(by, order="deterministic")).hexdigest()


@cache
def _drawn_by() -> str:
    # Looking it up parses all that is known of the package, 5 ms each time.
    return version("matplotlib")


class Gallery:
    """All pictures of a site, drawn where they are missing or out of date.

    A picture in a format that is not wanted now stays where it is still right. Those that
    were :class:`Drawn` before have to be there in all formats that are wanted. ``pictures``
    may grow until the end. Use it in a ``with``, as :class:`drawing.Drawing`, by whom it
    has them drawn.
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
        self._ledger = Ledger(writer)
        self._kept: dict[str, list[str]] = {}
        self._wanted: list[tuple[str, str]] = []
        self._seen = 0

    def __enter__(self) -> Gallery:
        return self

    def __exit__(self, *raised: object) -> None:
        self._drawing.__exit__(*raised)

    def begin(self) -> None:
        """Have drawn what has come to the pictures since this was called last."""
        tasks: list[Task] = []
        for place in range(self._seen, len(self._pictures)):
            picture = self._pictures[place]
            # What a picture shows is large; from here on only its drawing needs it.
            self._pictures[place] = picture.drawn
            for form, print_ in picture.drawn.prints.items():
                name = f"{picture.stem}.{form}"
                if present := self._ledger.sum(name, print_):
                    self._writer.keep(name, present)
                    self._kept[name] = [print_, present]
                elif form in self._formats and isinstance(picture, Picture):
                    self._wanted.append((name, print_))
                    tasks.append((name, picture.view, form))
        self._seen = len(self._pictures)
        self._drawing.add(tasks)
        if self._wanted and self._seen > MANY:
            self._drawing.expect()

    def finish(self) -> int:
        """Write all that was drawn, and the ledger; return how many were drawn."""
        self.begin()
        for (name, print_), data in zip(self._wanted, self._drawing.drawn(), strict=True):
            self._writer.write(name, data)
            self._kept[name] = [print_, hashlib.sha256(data).hexdigest()]
        text = json.dumps(self._kept, indent=0, sort_keys=True)
        self._writer.write(LEDGER, text.encode("utf-8") + b"\n")
        return len(self._wanted)


def write_one(writer: Writer, stem: str, view: ChartView, formats: Sequence[str]) -> None:
    """Draw one picture in the formats in which its file is not as it was drawn."""
    ledger = f"{stem}.json"
    try:
        known = json.loads((writer.root / ledger).read_bytes())
    except (FileNotFoundError, ValueError):
        known = None
    found = {form: writer.present(f"{stem}.{form}") for form in FORMATS}
    held = known if isinstance(known, dict) else {}
    sums = {form: sum_ for form, sum_ in found.items() if sum_ and held.get(form) == sum_}
    for form in formats:
        if form not in sums:
            data = drawing.picture(view, form)
            writer.write(f"{stem}.{form}", data)
            sums[form] = hashlib.sha256(data).hexdigest()
    writer.write(ledger, json.dumps(sums, sort_keys=True).encode())


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
            units.exact(point.x),
            units.exact(point.y),
            units.MISSING if point.low is None else units.exact(point.low),
            units.MISSING if point.high is None else units.exact(point.high),
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
    return Grid(
        (tuple(head[c] for c in kept),),
        tuple(tuple(row[c] for c in kept) for row in rows),
        sum(column < stub for column in kept),
    )


SHARES = (25.0, 50.0, 75.0)


def shares(views: Sequence[ChartView]) -> Grid:
    """What is left at a share of the x axis, on straight lines between measured
    points; a dash outside them."""
    first = views[0]
    keys = ("Picture", first.panel_head or "Panel", first.line_head or "Line")
    head = (*keys, *(f"at {share:.0f} % CPU" for share in SHARES))
    rows = []
    for view in views:
        for panel in view.panels:
            for line in panel.lines:
                curve = tuple((point.x, point.y) for point in line.points)
                found = (at(curve, share) for share in SHARES)
                cells = (units.MISSING if y is None else units.number(y) for y in found)
                rows.append((view.name, panel.title, line.label, *cells))
    return Grid((head,), tuple(rows), 3)

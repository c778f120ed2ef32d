"""A chart from a table that somebody wrote, for pages that are written by hand."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..common import units
from ..common.diagnostics import nearest
from .model import ChartView, Line, Panel, Point


class TableFault(Exception):
    """What is wrong with the table or with what is asked of it; ``hint`` says how to
    mend it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Wish:
    """What to make of a table: which column is x, which are lines, and how they show."""

    title: str
    x: str = ""
    lines: tuple[str, ...] = ()
    y_label: str = ""
    kind: Literal["lines", "bars", "steps"] = "lines"
    x_scale: str = "linear"
    y_scale: str = "linear"


def view(text: str, wish: Wish) -> ChartView:
    """The chart of a CSV table whose first row names its columns.

    Without ``wish.x`` the first column is x; without ``wish.lines`` all others are
    lines. Where a cell of x is not a number, all of them are names. An empty cell, or
    a dash, is a gap. Raises :class:`TableFault`.
    """
    rows = [row for row in csv.reader(io.StringIO(text), strict=True) if any(row)]
    if len(rows) < 2:
        raise TableFault("has no row of figures", "give a row of names and at least one of figures")
    head = [name.strip() for name in rows[0]]
    x = _column(wish.x or head[0], head)
    ys = [_column(name, head) for name in wish.lines or [h for h in head if h != head[x]]]
    if not ys:
        raise TableFault("has no column for a line", "give a column besides the one for x")
    cells = [row[x].strip() if x < len(row) else "" for row in rows[1:]]
    numbers = [_number(cell) for cell in cells]
    named = wish.kind == "bars" or any(number is None for number in numbers)
    lines = []
    for y in ys:
        points = []
        for place, row in enumerate(rows[1:]):
            cell = row[y].strip() if y < len(row) else ""
            if cell in ("", units.MISSING):
                continue
            if (value := _number(cell)) is None:
                where = f"row {place + 2}, column “{head[y]}”"
                raise TableFault(
                    f"{where}: “{cell[:40]}” is not a number", "leave it empty for a gap"
                )
            number = numbers[place]
            at = float(place) if named or number is None else number
            points.append(Point(at, value, None, None, cells[place]))
        if points:
            ordered = points if named else sorted(points, key=lambda point: point.x)
            lines.append(Line(head[y], tuple(ordered)))
    if not lines:
        raise TableFault("has no figure in the columns for lines")
    return ChartView(
        "own",
        wish.title,
        "",
        head[x],
        wish.y_label or (head[ys[0]] if len(ys) == 1 else ""),
        "linear" if named else wish.x_scale,
        wish.y_scale,
        (Panel("", tuple(lines)),),
        kind=wish.kind,
        ticks=tuple(cells) if named else (),
    )


def _column(name: str, head: Sequence[str]) -> int:
    if name not in head:
        raise TableFault(f"has no column “{name}”", nearest(name, head))
    return head.index(name)


def _number(text: str) -> float | None:
    try:
        value = float(text.replace("−", "-"))
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= 1e200 else None

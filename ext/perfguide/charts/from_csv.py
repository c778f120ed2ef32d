"""Charts of CSV tables, for hand-written pages."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from ..catalog.chart_spec import Kind
from ..common import units
from ..common.diagnostics import nearest
from .model import KINDS, ChartView, Line, Panel, Point


class TableFault(Exception):
    """A fault in a table or in the options of its chart; ``hint`` says how to fix it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def view(
    text: str,
    title: str,
    *,
    x: str = "",
    lines: Sequence[str] = (),
    y_label: str = "",
    kind: Kind = "lines",
    x_scale: str = "linear",
    y_scale: str = "linear",
) -> ChartView:
    """Return a chart of a CSV table whose first row names the columns.

    ``x`` and ``lines`` name columns. By default, x is the first column, and every other column is a
    line. If any x cell is not a number, all are treated as names. An empty cell or a dash is a gap.
    Raises :class:`TableFault`.
    """
    head, *rows = [row for row in csv.reader(io.StringIO(text), strict=True) if any(row)] or [[]]
    if not rows:
        raise TableFault("has no row of figures", "give a row of names and at least one of figures")
    head = [name.strip() for name in head]
    # Rows may be shorter than the header.
    rows = [[*(cell.strip() for cell in row), *[""] * len(head)] for row in rows]
    at_x = _column(x or head[0], head)
    ys = [_column(name, head) for name in lines or [h for h in head if h != head[at_x]]]
    if not ys:
        raise TableFault("has no column for a line", "give a column besides the one for x")
    marks = [row[at_x] for row in rows]
    numbers = [number for mark in marks if (number := units.read(mark)) is not None]
    named = KINDS[kind].has_rows or len(numbers) < len(marks)
    xs = [float(position) for position in range(len(marks))] if named else numbers
    drawn = []
    for y in ys:
        points = _points(head[y], [row[y] for row in rows], xs, marks)
        if points:
            drawn.append(Line(head[y], tuple(sorted(points, key=lambda point: point.x))))
    if not drawn:
        raise TableFault("has no figure in the columns for lines")
    return ChartView(
        "own",
        title,
        "",
        head[at_x],
        y_label or (head[ys[0]] if len(ys) == 1 else ""),
        "linear" if named else x_scale,
        y_scale,
        (Panel("", tuple(drawn)),),
        kind=kind,
        ticks=tuple(marks) if named else (),
    )


def _points(
    name: str, cells: Sequence[str], xs: Sequence[float], marks: Sequence[str]
) -> list[Point]:
    """Return the points of a column. Raises :class:`TableFault` for a cell that is no number."""
    points = []
    # Messages count rows as a spreadsheet does: the header is row 1.
    for number, (cell, x, mark) in enumerate(zip(cells, xs, marks, strict=True), 2):
        if cell in ("", units.MISSING):
            continue
        if (value := units.read(cell)) is None:
            message = f"row {number}, column “{name}”: “{cell[:40]}” is not a number"
            raise TableFault(message, "leave it empty for a gap")
        points.append(Point(x, value, None, None, mark))
    return points


def _column(name: str, head: Sequence[str]) -> int:
    if name not in head:
        raise TableFault(f"has no column “{name}”", nearest(name, head))
    return head.index(name)

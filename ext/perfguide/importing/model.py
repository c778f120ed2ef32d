"""The values of an import: tables of a published guide, the text around them, and the reading of a
document."""

from __future__ import annotations

import posixpath
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..common.diagnostics import Diagnostic
from .limits import Limits

Opener = Callable[[str], bytes | None]
"""A function that returns the bytes of a file by its path below the guide's root, or ``None``."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell without markup, and its line in the file, counting from 1."""

    text: str
    line: int


Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the headings above it.

    ``headings`` are the titles of its sections, tabs and rubrics, outermost first. ``head`` has one
    text per column; the texts of several head rows are joined by ``/``. A cell that spans rows or
    columns is repeated in each of them.
    """

    file: str
    line: int
    headings: tuple[str, ...]
    caption: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def names(self) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
        """Headings, caption and head, which several tables may share."""
        return self.headings, self.caption, self.head


PassageKind = Literal["text", "warning", "list", "command"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Text outside tables: a paragraph, an admonition, a list, or a block of code.

    ``headings`` are those above it, outermost first. Only blocks of code keep their lines.
    """

    file: str
    line: int
    headings: tuple[str, ...]
    kind: PassageKind
    text: str


@dataclass(slots=True)
class Reading:
    """The tables and passages of one document in order, within the limits, and its faults."""

    limits: Limits = field(default_factory=Limits)
    tables: list[Table] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    faults: list[Diagnostic] = field(default_factory=list)
    title: str = ""
    """The first heading of the document."""
    line: int = 0
    """The current line, to locate a fault that ends the reading."""
    unlisted: int = 0
    """The number of faults beyond the limit."""
    cells: int = 0
    """The number of cells in all tables so far."""
    characters: int = 0
    """The number of characters in these cells and passages."""

    def add_passage(self, passage: Passage) -> None:
        """Add a passage, or a fault if it exceeds a limit."""
        limits = self.limits
        if len(passage.text) > limits.cell:
            fault, name = f"a passage is longer than {limits.cell:,} characters", "cell"
        elif self.characters + len(passage.text) > limits.characters:
            fault = f"up to here, the document has over {limits.characters:,} characters"
            name = "characters"
        else:
            self.characters += len(passage.text)
            self.passages.append(passage)
            return
        message = f"{fault}: it is left out"
        self.add_fault(
            Diagnostic("log-note", passage.file, message, limit_hint(name), line=passage.line)
        )

    def add_table(self, table: Table) -> None:
        """Add a table, or a fault if it exceeds a limit."""
        widest_row = max((len(row) for row in table.rows), default=len(table.head))
        every_cell = (cell for row in table.rows for cell in row)
        longest_cell = max(every_cell, key=lambda cell: len(cell.text), default=None)
        cells = sum(len(row) for row in table.rows)
        characters = sum(len(cell.text) for row in table.rows for cell in row)
        limits, line = self.limits, table.line
        if max(widest_row, len(table.head)) > limits.columns:
            name, message = "columns", "the table is wider than {} columns"
        elif longest_cell and len(longest_cell.text) > limits.cell:
            name, message = "cell", "a cell is longer than {} characters"
            line = longest_cell.line
        elif self.cells + cells > limits.cells:
            name, message = "cells", "up to here, the tables have over {} cells"
        elif self.characters + characters > limits.characters:
            name, message = "characters", "up to here, the tables have over {} characters"
        else:
            self.cells += cells
            self.characters += characters
            self.tables.append(table)
            return
        self.report_limit(table.file, line, name, message)

    def report_limit(self, file: str, line: int | None, name: str, message: str) -> None:
        """Report that a table is left out because it exceeds the limit ``name``."""
        limit = getattr(self.limits, name)
        text = f"{message.format(f'{limit:,}')}: the table is left out"
        self.add_fault(Diagnostic("limit", file, text, limit_hint(name), line=line))

    def add_fault(self, fault: Diagnostic) -> None:
        """Add a fault, or merely count it once the limit is reached."""
        if len(self.faults) < self.limits.faults:
            self.faults.append(fault)
        else:
            self.unlisted += 1


def limit_hint(name: str) -> str:
    """Return a hint with the option that raises a limit."""
    return f"if you trust the document, raise the limit with --limit {name}=NUMBER"


Span = tuple[Cell, int, int]
"""A cell, and the numbers of rows and columns that it spans; 0 rows extend to the end."""


def spread(reading: Reading, file: str, line: int, rows: Sequence[Sequence[Span]]) -> list[Row]:
    """Repeat spanning cells in all their positions. If the rows exceed a limit, add a fault and
    return nothing."""
    limits = reading.limits
    out: list[Row] = []
    total = 0
    spanning: dict[int, tuple[Cell, int]] = {}
    for spans in rows:
        cells: list[Cell] = []
        left = deque(spans)
        while left or any(column >= len(cells) for column in spanning):
            start = len(cells)
            if start in spanning:
                # By column: a cell that extends down into this row, and the number of rows it has
                # left.
                cell, down = spanning.pop(start)
                across = 1
            elif left:
                cell, down, across = left.popleft()
            else:
                cell, down, across = Cell("", spans[-1][0].line if spans else line), 1, 1
            # One column beyond the limit shows that the table is too wide.
            for column in range(start, min(start + across, max(start, limits.columns) + 1)):
                if down != 1:
                    spanning[column] = cell, down - 1
                cells.append(cell)
        total += len(cells)
        if total > limits.cells:
            reading.report_limit(file, line, "cells", "the table has over {} cells")
            return []
        out.append(tuple(cells))
    return out


def joined_head(rows: Sequence[Row]) -> tuple[str, ...]:
    """Join the rows of a head into one text per column."""
    width = max((len(row) for row in rows), default=0)
    columns: list[str] = []
    for column in range(width):
        texts = [row[column].text for row in rows if column < len(row) and row[column].text]
        columns.append(" / ".join(dict.fromkeys(texts)))
    return tuple(columns)


_CAPTION = re.compile(r"Table(?: ?[0-9.]{1,8})? ?: ?(.{1,200}?)(?: ?\|)?")


def caption_in(paragraph: str) -> str:
    """Return the caption that a paragraph such as ``Table: CPU load`` gives to a table, or ""."""
    match = _CAPTION.fullmatch(paragraph)
    return match[1] if match else ""


def plain(text: str) -> str:
    """Return a text with single spaces and without the arrows for better values."""
    return " ".join(text.replace("↑", " ").replace("↓", " ").split())


def path_below(file: str, name: str) -> str | None:
    """Return the path of a file that another one refers to, or ``None`` if it is outside the
    guide."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file), name.lstrip("/")))
    return None if path.startswith("../") or path == ".." else path

"""Tables of a published guide, and what reading a document gives."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field

from ..common.diagnostics import Diagnostic
from .limits import Limits

Opener = Callable[[str], bytes | None]
"""Gives the bytes of a file by its path below the guide's root, or ``None``."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell without markup, and its line in the file, from 1."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the headings above it.

    ``headings`` are the titles of its sections, tabs and rubrics, outermost first. ``head`` has
    a text for each column: where the head has several rows, their texts with ``/`` between them.
    A cell that spans rows or columns is repeated in each of them.
    """

    file: str
    line: int
    headings: tuple[str, ...]
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(slots=True)
class Reading:
    """Tables of one document in its order, as far as the limits allow, and its faults."""

    limits: Limits = field(default_factory=Limits)
    tables: list[Table] = field(default_factory=list)
    faults: list[Diagnostic] = field(default_factory=list)
    title: str = ""
    """The first heading of the document."""
    line: int = 0
    """The line that is being read, for the fault that ends the reading."""
    unlisted: int = 0
    """Faults beyond the limit."""
    cells: int = 0
    """Cells of all tables so far."""
    characters: int = 0
    """Characters of these cells."""

    def add(self, table: Table) -> None:
        """Add a table, or the fault that it exceeds a limit."""
        widest = max((len(row) for row in table.rows), default=len(table.head))
        longest = max((c for row in table.rows for c in row), key=_length, default=None)
        cells = sum(len(row) for row in table.rows)
        characters = sum(len(cell.text) for row in table.rows for cell in row)
        limits = self.limits
        if max(widest, len(table.head)) > limits.columns:
            self.exceeded(table.file, table.line, "columns", "the table is wider than {} columns")
        elif longest and len(longest.text) > limits.cell:
            self.exceeded(table.file, longest.line, "cell", "a cell is longer than {} characters")
        elif self.cells + cells > limits.cells:
            self.exceeded(table.file, table.line, "cells", "with it the tables have over {} cells")
        elif self.characters + characters > limits.characters:
            message = "with it the tables have over {} characters"
            self.exceeded(table.file, table.line, "characters", message)
        else:
            self.cells += cells
            self.characters += characters
            self.tables.append(table)

    def exceeded(self, file: str, line: int | None, name: str, message: str) -> None:
        """Add the fault that a table, which is left out, exceeds the limit of this name."""
        limit = getattr(self.limits, name)
        text = f"{message.format(f'{limit:,}')}: the table is left out"
        self.fault(Diagnostic("limit", file, text, raised(name), line=line))

    def fault(self, fault: Diagnostic) -> None:
        """Add a fault, or count it where enough are listed."""
        if len(self.faults) < self.limits.faults:
            self.faults.append(fault)
        else:
            self.unlisted += 1


def raised(name: str) -> str:
    """Return the hint that names the option for a limit."""
    return f"if you trust the document, raise the limit with --limit {name}=NUMBER"


def _length(cell: Cell) -> int:
    return len(cell.text)


def joined_head(rows: list[tuple[Cell, ...]]) -> tuple[str, ...]:
    """Join the rows of a head to one text for each column."""
    width = max((len(row) for row in rows), default=0)
    columns: list[str] = []
    for at in range(width):
        texts = [row[at].text for row in rows if at < len(row) and row[at].text]
        columns.append(" / ".join(dict.fromkeys(texts)))
    return tuple(columns)


def plain(text: str) -> str:
    """Return a text with single spaces, and without the arrows that say which way is better."""
    return " ".join(text.replace("↑", " ").replace("↓", " ").split())


def below(file: str, name: str) -> str | None:
    """Return the path of a file that another one names; ``None`` where it leads out of the guide."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file), name.lstrip("/")))
    return None if path.startswith("../") or path == ".." else path

"""A table of a published guide, as any format gives it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass

Opener = Callable[[str], bytes | None]
"""Gives the bytes of a file by its path below the guide's root, or ``None``."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell without markup, and its line in the file, from 1."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table with what stands above it.

    ``headings`` are the titles of its sections, tabs and rubrics, outermost first. ``head`` has
    a text for each column: where the head has several rows, their texts with ``/`` between them.
    A cell that spans rows or columns stands in each of them.
    """

    file: str
    line: int
    headings: tuple[str, ...]
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def joined_head(rows: list[tuple[Cell, ...]]) -> tuple[str, ...]:
    """The rows of a head as one text for each column."""
    width = max((len(row) for row in rows), default=0)
    columns: list[str] = []
    for at in range(width):
        texts = [row[at].text for row in rows if at < len(row) and row[at].text]
        columns.append(" / ".join(dict.fromkeys(texts)))
    return tuple(columns)


def plain(text: str) -> str:
    """A text with single spaces, and without the arrows that say which way is better."""
    return " ".join(text.replace("↑", " ").replace("↓", " ").split())


def below(file: str, name: str) -> str | None:
    """The path of a file that another one names, or ``None`` where it leads out of the guide."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file), name.lstrip("/")))
    return None if path.startswith("../") or path == ".." else path

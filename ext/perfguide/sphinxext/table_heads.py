"""The heads of tables: which cells span several columns, and labels for tables set as blocks.

A table that is too wide for the page is stacked: every row becomes a block of labelled figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..tables.grids import Grid

Header = Sequence[Sequence[str]]

SELF_EXPLANATORY_KEYS = ("Metric", "Unit")
"""Row keys that need no label in blocks."""

MAX_FIGURE_CHARS = 9
"""Three figures of at most this length, in characters, fit on a line on a phone."""

MAX_GROUP_CHARS, MAX_LABEL_CHARS = 34, 12
"""The longest group head that fits on a line on a phone, and the longest label below it, in
characters."""


def shortened(header: Header, shorts: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Return the head with its texts replaced by short names."""
    return tuple(tuple(shorts.get(text, text) for text in row) for row in header)


def spans(header: Header, level: int, stub: int) -> Iterator[tuple[int, int]]:
    """Yield the first column of each cell on a level of the head, and the column after its last.
    Equal neighbours share a cell, except on the last level."""
    start, width = 0, len(header[level])
    while start < width:
        end = start + 1
        while (
            start >= stub
            and level < len(header) - 1
            and end < width
            and all(row[start] == row[end] for row in header[: level + 1])
        ):
            end += 1
        yield start, end
        start = end


def varying_levels(header: Header, stub: int) -> Header:
    """Return the levels of the head except those that are equal for all columns of figures, unless
    all are."""
    if not stub or len(header) < 2 or len(header[0]) - stub < 2:
        return header
    return [row for row in header if not row[stub] or len({*row[stub:]}) > 1] or header


class BlockLabels(NamedTuple):
    """The labels of a table set as blocks: those of all its figures, and of each column. A line
    has ``beside`` figures, or as many as fit if that is 0. With ``has_groups``, the head of a group
    of figures is on the line above that of its first figure. With ``is_long``, figures are long."""

    over_all: str
    columns: list[str]
    beside: int
    has_groups: bool
    is_long: bool


def block_labels(table: Grid) -> BlockLabels:
    """Return the labels of a table for blocks."""
    header, stub = table.header, table.stub
    levels = varying_levels(header, stub)
    over_all = dict.fromkeys(row[stub] for row in header if row not in levels)
    figures = (cell for row in table.rows for cell in row if not isinstance(cell, str))
    is_long = any(len(text) > MAX_FIGURE_CHARS for _, text, _ in figures)
    labels = [
        ("" if name in SELF_EXPLANATORY_KEYS else name)
        if column < stub
        else ", ".join(dict.fromkeys(row[column] for row in levels if row[column]))
        for column, name in enumerate(header[0] if header else ())
    ]
    beside = _beside(levels, stub, 2 if is_long else 3)
    has_groups = False
    if beside:
        groups, *below = levels
        texts = [", ".join(filter(None, column)) for column in zip(*below, strict=True)]
        has_groups = (
            max(map(len, groups[stub:])) <= MAX_GROUP_CHARS
            and max(map(len, texts[stub:])) <= MAX_LABEL_CHARS
        )
    if has_groups:
        for column in range(stub, len(labels)):
            is_first = column == stub or groups[column] != groups[column - 1]
            labels[column] = f"{groups[column] if is_first else ''}\n{texts[column]}"
    return BlockLabels(", ".join(over_all), labels, beside, has_groups, is_long)


def _beside(levels: Header, stub: int, most: int) -> int:
    """Return how many of a block's figures share a line on a phone, at most ``most``, such that no
    line mixes boards; 0 if any number will do."""
    sizes = Counter(levels[0][stub:]) if len(levels) > 1 else Counter[str]()
    if len(sizes) < 2 or len({*sizes.values()}) > 1:
        return 0
    size = next(iter(sizes.values()))
    return next((count for count in (3, 2) if count <= most and size % count == 0), 0)

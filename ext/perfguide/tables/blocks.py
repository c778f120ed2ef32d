"""Blocks of a table that is too large for one page, divided by columns first, then by rows.

A block's weight is the number of HTML elements that it turns into. Readers see the first block in
place of the table, and every other block on a page of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..common import units
from ..common.units import TableCell
from ..figures.pool import Cell
from .grids import Grid
from .model import View

MAX_ELEMENTS = 10_000
"""The most elements of a table with a page to itself. The rest of the page has a few hundred, and a
page has at most 15,000."""

UNLIMITED = 10**9
"""The limit for a table that is never divided because its page shows only part of it."""

CHARS_AS_ELEMENT = 200
"""The characters of text that weigh as much as an element: at this ratio, 15,000 elements are 3
MB."""

MIN_COLUMNS = 4
"""The fewest columns of figures in a block, however many rows there are."""

_TAB_ELEMENTS = 10
"""Elements of a tab, excluding its table."""


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle of a table: half-open ranges of rows and of columns of figures, and the ``words``
    that identify it to readers."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    words: str


def weight(table: Grid) -> int:
    """Return the approximate number of HTML elements in a table."""
    keys, columns = _weights(table)
    return sum(keys) + sum(map(sum, columns))


def weight_of_view(table: View) -> int:
    """Return the approximate weight of a view without formatting its figures."""
    levels = len((*table.columns, *table.derived, ("",))[0])
    width = len(table.key_labels) + len(table.columns) + len(table.derived) + 1
    tabs = len({units.whole(row.keys[0]) for row in table.rows}) if table.tabbed else 1
    total = tabs * (levels * width + _TAB_ELEMENTS)
    for row in table.rows:
        total += 1 + len(row.keys) + 2 * len(row.derived)
        total += sum(2 if cell is None else 2 + _has_spread(cell) for cell in row.cells)
    return total


def _has_spread(cell: Cell) -> bool:
    return cell.low is not None or cell.runs > 1 or bool(cell.differs)


def share(weights: Iterable[int], room: int) -> int:
    """Return the per-table limit at which all tables fit into the room. Tables below the limit
    leave their unused share to the others."""
    # Lightest first, so that each table that fits leaves a larger share to the rest.
    left, rest = room, sorted(weights)
    while rest:
        most = left // len(rest)
        if rest[0] > most:
            return most
        left -= rest.pop(0)
    return room


def _weights(table: Grid) -> tuple[list[int], list[list[int]]]:
    """Return the weight of each row's keys, and of the cells in each column of figures.

    The head is repeated in each tab, so it counts towards the first row of the tab or table.
    """
    stub, levels = table.stub, len(table.header)
    more = Counter((link[0], link[1]) for link in table.links)
    for number, column, notes in table.marks:
        more[number, column] += len(notes)
    heads = []
    for number, row in enumerate(table.rows):
        begins = not number or (table.tabs and row[0] != table.rows[number - 1][0])
        heads.append(levels if begins else 0)
    keys = [
        1 + sum(_cell(cell, True) for cell in row[:stub]) + head * (stub + 1)
        for row, head in zip(table.rows, heads, strict=True)
    ]
    if table.tabs:
        keys = [key + _TAB_ELEMENTS * bool(head) for key, head in zip(keys, heads, strict=True)]
    columns = [
        [
            _cell(row[column], False) + more[number, column] + head
            for number, (row, head) in enumerate(zip(table.rows, heads, strict=True))
        ]
        for column in range(stub, len(table.header[0]))
    ]
    return keys, columns


def _cell(cell: TableCell, is_key: bool) -> int:
    if isinstance(cell, str):
        # These symbols are wrapped in an element of their own.
        signs = cell in (units.MISSING, units.FAILED)
        return 1 + signs + len(cell) // CHARS_AS_ELEMENT
    return 2 + (bool(cell[2]) and not is_key)


def blocks(table: Grid, first: int, further: int = MAX_ELEMENTS, *, wide: bool) -> list[Block]:
    """Divide a table into blocks. The first weighs at most ``first`` and the others at most
    ``further``, unless a single row of ``MIN_COLUMNS`` weighs more.

    Only a ``wide`` table, with a column for each board or release, is divided by columns.
    """
    keys, columns = _weights(table)
    totals = [sum(column) for column in columns]
    if sum(keys) + sum(totals) <= first:
        return [Block((0, len(keys)), (0, len(columns)), "")]
    # Columns before rows, so that the address of a row stays on the first block's page.
    out: list[Block] = []
    ranges = [(0, len(totals))]
    if wide and totals:
        ranges = list(_column_ranges(table, totals, first - sum(keys), further - sum(keys)))
    for begin, end in ranges:
        # A block with few columns can still have too many rows.
        weights = [sum(cells) for cells in zip(keys, *columns[begin:end], strict=True)]
        for start, stop in _row_ranges(weights, further if out else first, further):
            words = []
            if end - begin < len(columns):
                words.append(_named_columns(table, begin, end))
            if stop - start < len(keys):
                words.append(_named_rows(start, stop))
            out.append(Block((start, stop), (begin, end), ", ".join(words)))
    return out


def _column_ranges(
    table: Grid, totals: Sequence[int], first: int, further: int
) -> Iterator[tuple[int, int]]:
    """Yield ranges of columns that weigh at most ``first`` together, then ``further``."""
    labels = _column_labels(table)
    varying = [n for n in range(len(table.header)) if len({label[n] for label in labels}) > 1]
    owners = [tuple(label[n] for n in varying[:-1]) for label in labels]
    begin, room = 0, first
    while begin < len(totals):
        end = begin
        while end < len(totals) and (totals[end] <= room or end - begin < MIN_COLUMNS):
            room -= totals[end]
            end += 1
        # Keep the columns of a board or engine together, unless that would halve the block.
        together = (
            cut
            for cut in range(end, begin + (end - begin) // 2, -1)
            if cut == len(totals) or owners[cut] != owners[cut - 1]
        )
        end = next(together, end)
        yield begin, end
        begin, room = end, further


def _column_labels(table: Grid) -> list[tuple[str, ...]]:
    return [*zip(*table.header, strict=True)][table.stub :]


def _row_ranges(weights: Sequence[int], first: int, further: int) -> Iterator[tuple[int, int]]:
    start, left = 0, first
    for number, weight_of_row in enumerate(weights):
        if weight_of_row > left and number > start:
            yield start, number
            start, left = number, further
        left -= weight_of_row
    yield start, len(weights)


def _named_columns(table: Grid, begin: int, end: int) -> str:
    """Name a block by its first and last column, using the topmost level of the head in which the
    table's columns differ, or by what its columns have in common."""
    labels = _column_labels(table)
    level = next((n for n in range(len(labels[0])) if len({heads[n] for heads in labels}) > 1), 0)
    first, last = labels[begin][level], labels[end - 1][level]
    if first == last:
        shared = (texts[0] for texts in zip(*labels[begin:end], strict=True) if len({*texts}) == 1)
        return ", ".join(filter(None, shared))
    return f"{first} to {last}"


def _named_rows(start: int, stop: int) -> str:
    if stop - start == 1:
        return f"row {start + 1:,}"
    return f"rows {start + 1:,} to {stop:,}"


def of_view(table: View, block: Block) -> View:
    """Return the rows and columns of a block, where derived columns count as columns."""
    start, stop = block.rows
    begin, end = block.columns
    measured = len(table.columns)
    figures = slice(begin, min(end, measured))
    derived = slice(max(begin - measured, 0), max(end - measured, 0))
    rows = tuple(
        replace(
            row,
            cells=row.cells[figures],
            decimals=(
                *row.decimals[figures],
                *row.decimals[measured + derived.start : measured + derived.stop],
            ),
            derived=row.derived[derived],
        )
        for row in table.rows[start:stop]
    )
    return replace(
        table,
        columns=table.columns[figures],
        derived=table.derived[derived],
        column_names=table.column_names[figures],
        rows=rows,
    )

"""A view as text: the cells that readers see and the CSV file that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..common import csv_text, units
from ..common.slugs import words
from ..figures.pool import Cell
from .model import View


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as text. ``header`` rows come first; ``stub`` columns are row keys."""

    header: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    stub: int


def cell_text(cell: Cell | None, decimals: int = 2) -> str:
    """A cell as readers see it; a dash where nothing was measured."""
    if cell is None:
        return units.MISSING
    if cell.mean is None:
        return units.FAILED
    text = units.spread(cell.mean, cell.low, cell.high, cell.count, decimals)
    if cell.count is None and cell.runs - cell.failed > 1:
        text += f"; {cell.runs - cell.failed} runs"
    if cell.failed:
        text += f"; {cell.failed} of {cell.runs} runs {units.FAILED}"
    if cell.differs:
        verb = "differs" if len(cell.differs) == 1 else "differ"
        text += f"; {' and '.join(cell.differs)} {verb} between the runs"
    return text


def grid(view: View) -> Grid:
    """The view's labels and figures as text, as many header rows as it has levels."""
    levels = len(view.columns[0]) if view.columns else 1
    header = []
    for level in range(levels):
        keys = view.key_labels if level == 0 else ("",) * len(view.key_labels)
        header.append((*keys, *(labels[level] for labels in view.columns)))
    rows = tuple((*row.keys, *map(cell_text, row.cells, row.decimals)) for row in view.rows)
    return Grid(tuple(header), rows, len(view.key_labels))


def listing(header: Sequence[str], rows: Iterable[Sequence[str]], stub: int = 1) -> Grid:
    """A plain table of text with one header row."""
    return Grid((tuple(header),), tuple(tuple(row) for row in rows), stub)


def row_name(row: Sequence[str], header: Sequence[Sequence[str]], stub: int) -> str:
    """The end of a row's address: its keys but for their units."""
    named = [c for c in range(stub) if not header or header[0][c] != "Unit"]
    return words(" ".join(row[column] for column in named))


def to_csv(table: Grid) -> bytes:
    """The table as CSV (RFC 4180 but for line ends, which are ``\\n``), UTF-8, with
    texts marked that a spreadsheet would compute."""
    lines = map(csv_text.line, (*table.header, *table.rows))
    # What no UTF-8 text can hold, as in names of files, shows as an escape.
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")

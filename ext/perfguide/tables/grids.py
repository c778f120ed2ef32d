"""Tables as readers see them, and as CSV for programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ..common import csv_text, units
from ..common.slugs import words
from ..common.units import TableCell
from ..figures.pool import Cell
from .model import View

Link = tuple[int, int, str, str, str]
"""The number of a row and of a column, the page that the cell leads to, the name of a table
there and what the address of its row has behind that."""

Mark = tuple[int, int, list[tuple[int, str]]]
"""The number of a row and of a column, and by their numbers the notes about that cell, each
with words of its own."""


MAX_NAMED_CONDITIONS = 12
"""Conditions that the text of one figure names; files of data name all."""


class Grid(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table of texts and figures. ``header`` rows come first; ``stub`` columns are row keys.

    With ``tabs`` the first key says which alternative a row belongs to. ``units`` has for each
    text of the column "Unit" the kind of the unit and the factor into the base unit of its
    kind. A note has an ``id``, ``severity``, ``title`` and ``reason``. ``shorts`` has for a text of
    the head what pages show in its place.
    """

    header: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[TableCell, ...], ...]
    stub: int
    tabs: bool = False
    units: dict[str, tuple[str, float]] = {}
    notes: list[dict[str, str]] = []
    marks: list[Mark] = []
    links: list[Link] = []
    shorts: dict[str, str] = {}


def figure(cell: Cell | None, decimals: int | None = 2) -> TableCell:
    """A pooled figure as files have it; a dash where nothing was measured. Without
    ``decimals`` its numbers have all their digits."""
    if cell is None:
        return units.MISSING
    if cell.mean is None:
        return units.FAILED
    mean, text, rest = units.figure(cell.mean, cell.low, cell.high, cell.count, decimals)
    if cell.count is None and cell.runs - cell.failed > 1:
        rest += f"; {cell.runs - cell.failed} runs"
    if cell.failed:
        rest += f"; {cell.failed} of {cell.runs} runs {units.FAILED}"
    if cell.differs:
        verb = "differs" if len(cell.differs) == 1 else "differ"
        named = cell.differs[:MAX_NAMED_CONDITIONS]
        more = len(cell.differs) - len(named)
        named = (*named, *([f"{more} more"] if more else []))
        rest += f"; {' and '.join(named)} {verb} between the runs"
    return mean, text, rest


def page_figure(cell: Cell | None) -> TableCell:
    """A pooled figure as readers of pages see it."""
    exact = figure(cell, None)
    return exact if isinstance(exact, str) else units.for_pages(exact)


def cell_text(cell: Cell | None, decimals: int = 2) -> str:
    """All of the text of a pooled figure."""
    return units.whole(figure(cell, decimals))


def grid(view: View, exact: bool = False) -> Grid:
    """The view's labels and figures, as many header rows as it has levels. The numbers in its
    texts have the decimals of files, or with ``exact`` all their digits."""
    levels = len(view.columns[0]) if view.columns else 1
    header = []
    for level in range(levels):
        keys = view.key_labels if level == 0 else ("",) * len(view.key_labels)
        header.append((*keys, *(labels[level] for labels in (*view.columns, *view.derived))))
    rows = []
    for row in view.rows:
        places = [None] * len(row.cells) if exact else row.decimals
        rows.append((*row.keys, *map(figure, row.cells, places), *row.derived))
    return Grid(tuple(header), tuple(rows), len(view.key_labels), view.tabbed, view_units(view))


DATA = ".data.csv"
"""How the name of the file ends that has a view's figures for programs."""


def data(view: View) -> Grid:
    """The view's figures for programs: one head row, the unit in the name of a column, numbers
    with all their digits, and nothing where nothing was measured.

    A column of figures is their means. Behind it stand, where one of its cells has them, the
    least and the greatest sample, the number of samples, and how many runs failed. Where the
    rows differ in their units, the units are a column of their own.
    """
    united = {row.unit for row in view.rows} if "Unit" in view.key_labels else set()
    unit = units.parse(*united).symbol if len(united) == 1 else ""
    kept = [c for c, label in enumerate(view.key_labels) if label != "Unit" or not unit]
    head = [*(name for name, _ in view.above), *(view.key_labels[c] for c in kept)]
    same = tuple(text for _, text in view.above)
    rows: list[list[TableCell]] = [
        [*same, *(_key_for_programs(row.keys[c], view.key_labels[c]) for c in kept)]
        for row in view.rows
    ]
    for column, labels in enumerate(view.columns):
        cells = [row.cells[column] for row in view.rows]
        for title, values in measured_columns(_column_name(labels, unit), cells):
            head.append(title)
            for row, value in zip(rows, values, strict=True):
                row.append(value)
    for column, labels in enumerate(view.derived):
        head.append(_column_name(labels))
        for row, each in zip(rows, view.rows, strict=True):
            cell = each.derived[column]
            row.append("" if isinstance(cell, str) else (cell[0], repr(cell[0]), ""))
    return listing(head, rows, len(same) + len(kept))


def tidy(table: Grid) -> Grid:
    """Return a plain table for programs: one head row, numbers with all their digits, and nothing
    where nothing was measured."""
    head = [
        _column_name(tuple(dict.fromkeys(column))) for column in zip(*table.header, strict=True)
    ]
    rows = [
        [
            ("" if cell == units.MISSING else cell)
            if isinstance(cell, str)
            else (cell[0], repr(cell[0]) if column >= table.stub else units.whole(cell), "")
            for column, cell in enumerate(row)
        ]
        for row in table.rows
    ]
    return listing(head, rows, table.stub)


def measured_columns(name: str, cells: Sequence[Cell | None]) -> list[tuple[str, list[TableCell]]]:
    """Return a column of figures for programs, with those of the least and the greatest sample
    and of the numbers of samples and of failed runs, where a cell has them."""
    return [
        (
            ", ".join(filter(None, (name, title))),
            ["" if value is None else (value, repr(value), "") for value in values],
        )
        for title, values in _measures(cells)
    ]


def _measures(cells: Sequence[Cell | None]) -> list[tuple[str, list[float | None]]]:
    """The columns that a column of figures becomes: what each is called besides, and its values."""
    columns: list[tuple[str, list[float | None]]] = [
        ("", [cell.mean if cell else None for cell in cells]),
        ("min", [cell.low if cell else None for cell in cells]),
        ("max", [cell.high if cell else None for cell in cells]),
        ("samples", [cell.count if cell and (cell.count or 0) > 1 else None for cell in cells]),
        ("failed runs", [(cell.failed or None) if cell else None for cell in cells]),
    ]
    return [each for each in columns if not each[0] or any(v is not None for v in each[1])]


def _column_name(labels: Sequence[str], unit: str = "") -> str:
    name = ", ".join(label.rstrip(" ↑↓") for label in labels if label)
    return f"{name} ({unit})" if unit else name


def _key_for_programs(cell: TableCell, label: str) -> TableCell:
    if isinstance(cell, str):
        return cell.rstrip(" ↑↓") if label == "Unit" else cell
    value, text, rest = cell
    return text + rest if rest or isinstance(value, bool) else (value, units.plain(value), "")


def view_units(view: View) -> dict[str, tuple[str, float]]:
    """What the column "Unit" of a view says; see :class:`Grid`."""
    if "Unit" not in view.key_labels:
        return {}
    column = view.key_labels.index("Unit")
    return unit_scales((units.whole(row.keys[column]), row.unit) for row in view.rows)


def unit_scales(shown: Iterable[tuple[str, str]]) -> dict[str, tuple[str, float]]:
    """For each text of a column "Unit", given with the unit, its kind and its scale."""
    named = {text: units.parse(unit) for text, unit in shown}
    return {text: (unit.kind, unit.scale) for text, unit in named.items()}


def listing(header: Sequence[str], rows: Iterable[Sequence[TableCell]], stub: int = 1) -> Grid:
    """A plain table with one header row."""
    return Grid((tuple(header),), tuple(tuple(row) for row in rows), stub)


def shorts(table: Grid, known: Mapping[str, str]) -> dict[str, str]:
    """What of the head of a table has a ``known`` short name, or a unit that only repeats what it
    says; nothing where two columns would look alike by them."""
    texts = sorted({text for row in table.header for text in row[table.stub :]})
    short = {text: known.get(text) or _said_once(text) for text in texts}
    own = {text: name for text, name in short.items() if name != text}
    columns = list(zip(*table.header, strict=True))[table.stub :]
    alike = {tuple(own.get(text, text) for text in column) for column in columns}
    return own if len(alike) == len(set(columns)) else {}


def _said_once(text: str) -> str:
    """``Score ↑`` for ``Score (score) ↑``; any other head as it is."""
    found = _LABEL_AND_UNIT.fullmatch(text)
    return f"{found[1]}{found[3]}" if found and found[1].lower() == found[2].lower() else text


_LABEL_AND_UNIT = re.compile(r"(.+) \(([^()]+)\)(.*)")


def only_columns(table: Grid, kept: Sequence[int]) -> Grid:
    """A table with some of its columns alone, all row keys among them."""
    return msgspec.structs.replace(
        table,
        header=tuple(tuple(row[c] for c in kept) for row in table.header),
        rows=tuple(tuple(row[c] for c in kept) for row in table.rows),
    )


def row_name(row: Sequence[TableCell], header: Sequence[Sequence[str]], stub: int) -> str:
    """The end of a row's address: its keys but for their units."""
    named = [c for c in range(stub) if not header or header[0][c] != "Unit"]
    return words(" ".join(units.whole(row[column]) for column in named))


def to_csv(table: Grid) -> bytes:
    """The table as CSV (RFC 4180 but for line ends, which are ``\\n``), UTF-8, with
    texts marked that a spreadsheet would compute."""
    lines = map(csv_text.line, (*table.header, *table.rows))
    # What no UTF-8 text can hold, as in names of files, shows as an escape.
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")

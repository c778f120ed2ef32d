"""Tables as shown to readers, and as CSV for programs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ..common import csv_text, units
from ..common.diagnostics import APART_SIGN, SEVERITIES, SIGNS, Severity
from ..common.slugs import words
from ..common.units import TableCell
from ..figures.pool import Cell
from .model import View

Link = tuple[int, int, str, str, str]
"""Row, column, the page that the cell links to, the name of a table there, and the address suffix
of its row."""

Mark = tuple[int, int, list[tuple[int, str]]]
"""Row, column, and the notes about that cell, each with its number and a text specific to the
cell."""


MAX_NAMED_CONDITIONS = 12
"""The most conditions named in the text of one figure; data files name all of them."""


class Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finding about figures of a table; ``most`` says about how many if none of them is
    marked."""

    id: str
    severity: Severity
    title: str = ""
    reason: str = ""
    most: str = ""


class Details(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The part of a table that is not in its cells.

    With ``tabs``, the first key of a row is its tab. ``units`` maps each text in the "Unit" column
    to the kind of the unit and the factor to the base unit of that kind. ``shorts`` maps texts of
    the head to their abbreviations on pages. ``names`` has the address texts of keys, by row and
    column, where these cannot be derived from the labels; ``head_names`` has those of heads, by
    label. ``same`` has names and values common to all rows, which become columns in copies of the
    table. ``apart`` are the rows and columns of figures whose runs are far apart.
    """

    tabs: bool = False
    units: dict[str, tuple[str, float]] = {}
    notes: list[Note] = []
    marks: list[Mark] = []
    apart: list[tuple[int, int]] = []
    links: list[Link] = []
    shorts: dict[str, str] = {}
    names: list[tuple[int, int, str]] = []
    head_names: dict[str, str] = {}
    same: list[tuple[str, str]] = []

    def details(self) -> dict[str, Any]:
        """Return these fields by name, as arguments for another table."""
        return {name: getattr(self, name) for name in Details.__struct_fields__}

    def signs(self) -> dict[tuple[int, int], str]:
        """Return the sign of each marked figure, by row and column. A figure has one sign: that of
        its worst finding, but a note says less than that its runs are far apart."""
        out = dict.fromkeys(self.apart, APART_SIGN)
        for row, column, marks in self.marks:
            severities = {self.notes[number].severity for number, _ in marks}
            worst = next((kind for kind in SEVERITIES if kind in severities), SEVERITIES[-1])
            if worst != "note" or (row, column) not in out:
                out[row, column] = SIGNS[worst]
        return out


class Grid(Details, frozen=True, omit_defaults=True):
    """A table of texts and figures. ``header`` rows come first; ``stub`` columns are row keys."""

    header: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[TableCell, ...], ...]
    stub: int


def figure(cell: Cell | None, decimals: int | None = 2) -> TableCell:
    """Return a pooled figure as written to files, or a dash if nothing was measured. Without
    ``decimals``, numbers keep all their digits."""
    if cell is None:
        return units.MISSING
    if cell.mean is None:
        return units.FAILED
    mean, text, rest = units.figure(cell.mean, cell.low, cell.high, cell.count, decimals)
    # Without a number of samples, the number of runs is the best indication of how reliable a mean
    # is.
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


def cell_text(cell: Cell | None, decimals: int = 2) -> str:
    """Return the full text of a pooled figure."""
    return units.whole(figure(cell, decimals))


def grid(view: View, exact: bool = False) -> Grid:
    """Return the labels and figures of a view, with one header row per level of its columns.
    Numbers have the decimals of files or, with ``exact``, all their digits."""
    heads = (*view.columns, *view.derived)
    levels = len(heads[0]) if heads else 1
    header = []
    for level in range(levels):
        keys = view.key_labels if level == 0 else ("",) * len(view.key_labels)
        header.append((*keys, *(labels[level] for labels in heads)))
    rows = []
    for row in view.rows:
        decimals = [None] * len(row.cells) if exact else row.decimals
        rows.append((*row.keys, *map(figure, row.cells, decimals), *row.derived))
    names = [
        (number, column, name)
        for number, row in enumerate(view.rows)
        for column, (name, label) in enumerate(
            zip(row.names, map(units.whole, row.keys), strict=False)
        )
        # A tab's address is its exact text if that is all lower case.
        if name != label and ((view.tabbed and not column) or words(name) != words(label))
    ]
    return Grid(
        *(tuple(header), tuple(rows), len(view.key_labels)),
        tabs=view.tabbed,
        units=view_units(view),
        names=names,
        head_names=_head_names(view),
        apart=[
            (number, column)
            for number, row in enumerate(view.rows)
            for column, cell in enumerate(row.cells, len(view.key_labels))
            if cell and cell.ends_apart
        ],
    )


def _head_names(view: View) -> dict[str, str]:
    """Return the address texts of heads, by label. Ambiguous labels are left unchanged."""
    by_label: dict[str, set[str]] = {}
    for labels, names in zip(view.columns, view.column_names, strict=bool(view.column_names)):
        for label, name in zip(labels, names, strict=True):
            by_label.setdefault(label, set()).add(name)
    single = {label: min(names) for label, names in by_label.items() if len(names) == 1}
    return {label: name for label, name in single.items() if words(name) != words(label)}


DATA = ".data.csv"
"""The suffix of files with a view's figures for programs."""


Load = tuple[str, Cell]
"""The label and the figure of the CPU load beside a rate."""


def data(
    view: View,
    facts: Sequence[tuple[str, str]] = (),
    short_names: Mapping[str, str] = {},
    loads: Mapping[tuple[int, ...], Load] = {},
) -> Grid:
    """Return the figures of a view for programs: one header row, units in column names, numbers
    with all their digits, and empty cells where nothing was measured. ``facts`` are names and texts
    of the first columns, which all rows share; boards in column names follow their short names.

    A column of figures holds their means. It is followed by columns for the minimum, the maximum,
    the number of samples and the number of failed runs, each if any cell has one. If rows differ in
    their units, these get a column of their own. The last columns are the ``loads`` beside rates,
    by the members of the rate's cell, except those that are figures of the view.
    """
    # Programs expect a single unit in the column name.
    united = {row.unit for row in view.rows} if "Unit" in view.key_labels else set()
    unit = units.parse(*united).symbol if len(united) == 1 else ""
    key_columns = [c for c, label in enumerate(view.key_labels) if label != "Unit" or not unit]
    facts = (*facts, *view.above)
    head = [name for name, _ in facts]
    head += [_key_head(view.key_labels[c], [row.keys[c] for row in view.rows]) for c in key_columns]
    same = tuple(text for _, text in facts)
    rows: list[list[TableCell]] = [
        [*same, *(_key_for_programs(row.keys[c], view.key_labels[c]) for c in key_columns)]
        for row in view.rows
    ]

    def append(name: str, cells: Sequence[Cell | None]) -> None:
        for title, values in measured_columns(name, cells):
            head.append(title)
            for row, value in zip(rows, values, strict=True):
                row.append(value)

    for column, labels in enumerate(view.columns):
        name = _column_name(_both_names(labels, short_names), unit)
        append(name, [row.cells[column] for row in view.rows])
    for column, labels in enumerate(view.derived):
        head.append(_column_name(_both_names(labels, short_names)))
        for row, source in zip(rows, view.rows, strict=True):
            cell = source.derived[column]
            row.append("" if isinstance(cell, str) else (cell[0], repr(cell[0]), ""))
    in_view = {cell.members for row in view.rows for cell in row.cells if cell}
    for column, labels in enumerate(view.columns):
        name = _column_name(_both_names(labels, short_names))
        # The load is that of all runs of the rate, not of one sample.
        rates = [None if row.single else row.cells[column] for row in view.rows]
        beside = [rate and loads.get(rate.members) for rate in rates]
        for label in dict.fromkeys(
            load[0] for load in beside if load and load[1].members not in in_view
        ):
            cells = [load[1] if load and load[0] == label else None for load in beside]
            append(f"{name}, {label}", cells)
    return listing(head, rows, len(same) + len(key_columns))


def tidy(table: Grid) -> Grid:
    """Return a plain table for programs: one header row, numbers with all their digits, and empty
    cells where nothing was measured."""
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
    """Return a column of figures for programs, followed by columns for the minimum, the maximum,
    the number of samples and the number of failed runs, each if any cell has one."""
    columns: list[tuple[str, list[float | None]]] = [
        ("", [cell.mean if cell else None for cell in cells]),
        ("min", [cell.low if cell else None for cell in cells]),
        ("max", [cell.high if cell else None for cell in cells]),
        ("samples", [cell.count if cell and (cell.count or 0) > 1 else None for cell in cells]),
        ("failed runs", [(cell.failed or None) if cell else None for cell in cells]),
    ]
    return [
        (
            ", ".join(filter(None, (name, title))),
            ["" if value is None else (value, repr(value), "") for value in values],
        )
        for title, values in columns
        if not title or any(value is not None for value in values)
    ]


def _both_names(labels: Sequence[str], short_names: Mapping[str, str]) -> list[str]:
    return [f"{s} ({name})" if (s := short_names.get(name)) else name for name in labels]


def _column_name(labels: Sequence[str], unit: str = "") -> str:
    name = ", ".join(label.rstrip(" ↑↓") for label in labels if label)
    return f"{name} ({unit})" if unit else name


def _key_head(label: str, cells: Iterable[TableCell]) -> str:
    """Return the name of a key column for programs, for which sizes are numbers of bytes."""
    is_size = any(not isinstance(cell, str) and cell[1] == units.size(cell[0]) for cell in cells)
    return f"{label} (bytes)" if is_size and not label.endswith(")") else label


def _key_for_programs(cell: TableCell, label: str) -> TableCell:
    if isinstance(cell, str):
        return cell.rstrip(" ↑↓") if label == "Unit" else cell
    value, text, rest = cell
    # Yes and no are labels on pages and would become 1 and 0 as numbers.
    return text + rest if rest or isinstance(value, bool) else (value, units.plain(value), "")


def view_units(view: View) -> dict[str, tuple[str, float]]:
    """Return the units in the "Unit" column of a view; see :class:`Grid`."""
    if "Unit" not in view.key_labels:
        return {}
    column = view.key_labels.index("Unit")
    return unit_scales((units.whole(row.keys[column]), row.unit) for row in view.rows)


def unit_scales(texts: Iterable[tuple[str, str]]) -> dict[str, tuple[str, float]]:
    """Return kind and scale for each text of a "Unit" column; ``texts`` yields pairs of text and
    unit."""
    named = {text: units.parse(unit) for text, unit in texts}
    return {text: (unit.kind, unit.scale) for text, unit in named.items()}


def listing(header: Sequence[str], rows: Iterable[Sequence[TableCell]], stub: int = 1) -> Grid:
    """Return a plain table with one header row."""
    return Grid((tuple(header),), tuple(tuple(row) for row in rows), stub)


def shorts(table: Grid, short_names: Mapping[str, str]) -> dict[str, str]:
    """Return abbreviations for the texts in a table's head and on its tabs: those with a short
    name, and those whose unit repeats the label. Heads are left alone if two columns would then
    look the same, and so are tabs that would share a name."""
    texts = sorted({text for row in table.header for text in row[table.stub :]})
    short = {text: short_names.get(text) or _without_repetition(text) for text in texts}
    shorter = {text: name for text, name in short.items() if name != text}
    # Two columns that look the same are worse than a long head.
    columns = list(zip(*table.header, strict=True))[table.stub :]
    distinct = {tuple(shorter.get(text, text) for text in column) for column in columns}
    of_head = shorter if len(distinct) == len(set(columns)) else {}
    tabs = {units.whole(row[0]) for row in table.rows} if table.tabs else set()
    # A board can have a tab for each of its names, all with the same short name.
    uses = Counter(short_names.get(text, text) for text in tabs)
    of_tabs = {
        text: name for text in sorted(tabs) if uses[name := short_names.get(text, text)] == 1
    }
    return of_head | {text: name for text, name in of_tabs.items() if text != name}


def _without_repetition(text: str) -> str:
    """Return ``Score ↑`` for ``Score (score) ↑``, and any other head unchanged."""
    match = _LABEL_AND_UNIT.fullmatch(text)
    return f"{match[1]}{match[3]}" if match and match[1].lower() == match[2].lower() else text


_LABEL_AND_UNIT = re.compile(r"(.+) \(([^()]+)\)(.*)")


def picked(table: Grid, rows: Sequence[int], columns: Sequence[int]) -> Grid:
    """Return a table with only the given rows and columns, and what it has about their cells."""
    at_row, at_column = ({old: new for new, old in enumerate(kept)} for kept in (rows, columns))

    def moved(cells: Iterable[tuple[int, int, *tuple[Any, ...]]]) -> list[Any]:
        return [
            (at_row[row], at_column[column], *rest)
            for row, column, *rest in cells
            if row in at_row and column in at_column
        ]

    return msgspec.structs.replace(
        table,
        header=tuple(tuple(row[c] for c in columns) for row in table.header),
        rows=tuple(tuple(table.rows[row][c] for c in columns) for row in rows),
        stub=sum(column < table.stub for column in columns),
        marks=moved(table.marks),
        apart=moved(table.apart),
        links=moved(table.links),
        names=moved(table.names),
    )


def only_columns(table: Grid, columns: Sequence[int]) -> Grid:
    """Return a table with only the given columns."""
    return picked(table, range(len(table.rows)), columns)


def without_empty(table: Grid, kept: Sequence[str] = ()) -> Grid:
    """Return a table without columns in which no row states anything, except row keys and those
    with a ``kept`` head."""
    columns = enumerate(zip(*table.rows, strict=True))
    stated = {number for number, cells in columns if {*cells} - {"", units.MISSING}}
    named = {number for number, head in enumerate(table.header[0]) if head in kept}
    return only_columns(table, sorted({*range(table.stub)} | stated | named))


def row_name(row: Sequence[TableCell], header: Sequence[Sequence[str]], stub: int) -> str:
    """Return the address suffix of a row: its keys, or their names, without units."""
    named = [c for c in range(stub) if not header or header[0][c] != "Unit"]
    return words(" ".join(units.whole(row[column]) for column in named))


def to_csv(table: Grid) -> bytes:
    """Return the table as CSV in UTF-8 (RFC 4180 except for newlines, which are ``\\n``), with
    marks on texts that a spreadsheet would evaluate."""
    lines = map(csv_text.line, (*table.header, *table.rows))
    # File names can contain characters that UTF-8 cannot encode; these become escapes.
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")

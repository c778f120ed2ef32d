"""One guide as a spreadsheet. The first sheet lists all figures below a single header row, and
others have the guide's tables. The file opens at the sheet "About".

Figures are numbers and everything else is text, so nothing in a bundle becomes a formula or a link.
The same guide gives the same bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from operator import itemgetter

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from ..bundles.guide_key import GuideKey, family
from ..catalog.benchmarks import Catalog
from ..charts import palette
from ..common import units
from ..common.grouping import grouped
from ..figures.labels import params_text
from ..figures.pool import Pool, Record
from ..tables import grids, remarks
from ..tables.assign import Layout
from ..tables.grids import Grid
from ..tables.model import Row
from ..tables.summaries import boards, sources
from . import figure_files, figure_rows
from .figure_rows import RUNS

_OF_GUIDE = ("soc", "os", "guide", "sdk", "release")
"""Columns of runs that are constant within a guide."""

_FIGURE_HEAD = (
    *("Board", "Benchmark", "Metric", "Parameters", "Unit", "Mean", "Minimum", "Maximum"),
    *("Samples", "Failed runs", "Runs", "Differs between runs", "Setup", "Notes", "From runs"),
)

_MAX_SHEET_NAME_CHARS = 31


def make(
    key: GuideKey, records: Sequence[Record], pool: Pool, catalog: Catalog, layout: Layout
) -> bytes:
    """Return the bytes of the file."""
    target = io.BytesIO()
    with figure_files.workbook(target, _title(key), in_memory=True) as book:
        _Book(book).fill(key, records, pool, catalog, layout)
    return target.getvalue()


def _title(key: GuideKey) -> str:
    return f"{key.soc} performance guide, {family(key)} {key.release}"


class _Book:
    """A workbook that is being filled."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        self._book = book
        self._bold = book.add_format({"bold": True})
        self._head = book.add_format({"bold": True, "bg_color": palette.HEAD, "text_wrap": True})
        self._failed = book.add_format({"font_color": palette.ALARM})
        self._numbers: dict[int, Format] = {}
        self._names: set[str] = set()

    def fill(
        self,
        key: GuideKey,
        records: Sequence[Record],
        pool: Pool,
        catalog: Catalog,
        layout: Layout,
    ) -> None:
        """Write all sheets. The first is the list of figures, for programs."""
        self._figures(records, pool, catalog)
        self._about(key, records, pool, catalog)
        self._runs(records, pool)
        self._tables(records, pool, catalog, layout)

    def _about(
        self, key: GuideKey, records: Sequence[Record], pool: Pool, catalog: Catalog
    ) -> None:
        """Write the sheet at which the file opens: boards, bundles, setup and notes."""
        bundles = pool.bundles(records)
        about = self._sheet("About", (22, 30, 26, 26))
        about.activate()
        _text(about, 0, 0, _title(key), self._bold)
        _text(about, 1, 0, "↑ higher is better, ↓ lower is better; — was not measured.")
        row = self._grid(about, 3, "Boards", boards([b.bundle for b in bundles]))
        row = self._grid(about, row, "Bundles behind this guide", sources(bundles))
        if setup := remarks.setup(bundles):
            row = self._grid(about, row, "Setup of the runs", setup)
        measured = {record.board for record in records}
        for name in ("", *sorted({record.benchmark for record in records})):
            written = pool.hand_written_notes(key.soc, key.release, measured, name)
            for words in (*written, *remarks.notes(bundles, name)):
                _text(about, row, 0, ": ".join(filter(None, (name and catalog.title(name), words))))
                row += 1

    def _tables(
        self, records: Sequence[Record], pool: Pool, catalog: Catalog, layout: Layout
    ) -> None:
        """Write a sheet for each benchmark with the guide's tables."""
        sections, other = layout.sections(records)
        captioned = [
            (section.benchmark.name, ", ".join(filter(None, (view.title, section.part))), view)
            for section in sections
            for view in section.views
        ]
        captioned += [
            (name, view.title, view)
            for name, undescribed in other.items()
            for view in layout.general(name, undescribed)
        ]
        for name, tables in grouped(captioned, itemgetter(0)).items():
            sheet = self._sheet(catalog.title(name), (24, 16, 16, 16))
            row = 0
            for _, caption, view in tables:
                for label, text in (*view.above, *remarks.above(view, pool)):
                    _text(sheet, row, 0, f"{label}: {text}")
                    row += 1
                row = self._grid(sheet, row, caption, grids.grid(view), view.rows)

    def _sheet(self, name: str, widths: Sequence[int]) -> Worksheet:
        """Add a sheet, with a name as close to the given one as the format allows."""
        # Excel does not allow these characters in sheet names.
        plain = re.sub(r"[\[\]:*?/\\]", " ", name).strip(" '") or "Sheet"
        chosen, count = _begin(plain, _MAX_SHEET_NAME_CHARS), 1
        # Excel reserves the name “History”.
        while chosen.casefold() in self._names | {"history"}:
            count += 1
            end = f" {count}"
            chosen = _begin(plain, _MAX_SHEET_NAME_CHARS - len(end)) + end
        # Sheet names are case-insensitive.
        self._names.add(chosen.casefold())
        sheet = self._book.add_worksheet(chosen)
        for column, width in enumerate(widths):
            sheet.set_column(column, column, width)
        return sheet

    def _grid(
        self, sheet: Worksheet, row: int, title: str, grid: Grid, view_rows: Sequence[Row] = ()
    ) -> int:
        """Write a table and return the row at which the next one starts. Figures are written as
        numbers if ``view_rows`` has their decimals."""
        _text(sheet, row, 0, title, self._bold)
        for header in grid.header:
            row += 1
            for column, text in enumerate(header):
                _text(sheet, row, column, text, self._head)
        for number, line in enumerate(grid.rows):
            row += 1
            for column, cell in enumerate(line):
                if not view_rows or column < grid.stub:
                    _text(sheet, row, column, units.whole(cell))
                elif isinstance(cell, str):
                    form = self._failed if cell == units.FAILED else None
                    _text(sheet, row, column, cell, form)
                else:
                    digits = view_rows[number].decimals[column - grid.stub]
                    sheet.write_number(row, column, cell[0], self._number(digits))
        return row + 2

    def _figures(self, records: Sequence[Record], pool: Pool, catalog: Catalog) -> None:
        """Write the sheet of all figures, one per row, with their spread."""
        sheet = self._sheet("All figures", (18, 16, 24, 32, 12, *(14,) * 3, 9, 12, 9, *(24,) * 4))
        for column, text in enumerate(_FIGURE_HEAD):
            _text(sheet, 0, column, text, self._head)
        bundles, run_names = pool.frame.bundles, figure_rows.run_names(pool.bundles(records))
        for row, record in enumerate(records, 1):
            cell = record.cell
            names = (record.board, record.benchmark, record.metric, params_text(record.params))
            for column, text in enumerate((*names, units.parse(record.unit).symbol)):
                _text(sheet, row, column, text)
            digits = catalog.benchmark(record.benchmark).decimals(record.metric)
            for column, value in enumerate((cell.mean, cell.low, cell.high), 5):
                if value is not None:
                    sheet.write_number(row, column, value, self._number(digits))
            for column, count in enumerate((cell.count, cell.failed, cell.runs), 8):
                if count is not None:
                    sheet.write_number(row, column, count)
            facts = figure_rows.own_facts(pool, cell.members, run_names).items()
            runs = (run_names[bundles[n].digest] for n, _ in pool.positions_of(cell.members))
            words = (
                ", ".join(cell.differs),
                "; ".join(f"{name}: {_values(values)}" for name, values in facts),
                "; ".join(pool.stated_notes(cell.members)),
                ", ".join(dict.fromkeys(runs)),
            )
            for column, text in enumerate(words, 11):
                _text(sheet, row, column, text)
        # Keep the head and the board visible while scrolling.
        sheet.freeze_panes(1, 1)
        sheet.autofilter(0, 0, max(1, len(records)), len(_FIGURE_HEAD) - 1)

    def _runs(self, records: Sequence[Record], pool: Pool) -> None:
        """Write the sheet of runs, one per row, with the facts that apply to all their results."""
        columns = [column.name for column in RUNS.columns if column.name not in _OF_GUIDE]
        sheet = self._sheet("Runs", (16, 12, 16, 24, *(16,) * (len(columns) - 4)))
        for column, name in enumerate(columns):
            _text(sheet, 0, column, name.replace("_", " ").capitalize(), self._head)
        for row, values in enumerate(figure_rows.rows(RUNS, "", records, pool), 1):
            for column, name in enumerate(columns):
                value = values[name]
                if isinstance(value, int | float):
                    sheet.write_number(row, column, value)
                else:
                    _text(sheet, row, column, figure_files.cell_text(name, value))
        sheet.freeze_panes(1, 0)

    def _number(self, decimals: int) -> Format:
        """Return a number format with this many decimals; the cell itself keeps all digits."""
        if decimals not in self._numbers:
            pattern = "0" + ("." + "0" * decimals if decimals else "")
            self._numbers[decimals] = self._book.add_format({"num_format": pattern})
        return self._numbers[decimals]


def _values(values: Sequence[str | dict[str, str]]) -> str:
    """Join the values of a fact that results state. A value that a run states for all of them is
    given by the name of the run."""
    return " and ".join(v if isinstance(v, str) else f"as run {v['bundle']}" for v in values)


def _begin(name: str, max_units: int) -> str:
    """Return the beginning of a name. The format counts UTF-16 code units (some characters take
    two), and names must not end with an apostrophe."""
    units_of = name.encode("utf-16-le", "surrogatepass")[: 2 * max_units]
    return units_of.decode("utf-16-le", "ignore").rstrip(" '")


def _text(sheet: Worksheet, row: int, column: int, text: str, form: Format | None = None) -> None:
    """Write text as :func:`figure_files.excel_text` has it, if there is any."""
    if text:
        sheet.write_string(row, column, figure_files.excel_text(text), form)

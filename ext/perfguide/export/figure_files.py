"""The figures or runs of an archive or a guide as a CSV, JSON or Excel file, with one row each."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import IO, Any

import xlsxwriter

from ..common import csv_text
from ..common.diagnostics import visible
from ..figures.pool import Pool, Record
from . import figure_rows
from .figure_rows import FIGURES, Row, Table

MAX_SHEET_ROWS = 1_048_576
"""The most rows of a sheet in the Excel format, including the head."""

MAX_CELL_CHARS = 32_767
"""The most characters of a cell in the Excel format."""


class TooManyRowsError(Exception):
    """There are more figures than rows in a sheet."""


def write_csv(table: Table, pool: Pool, file: IO[bytes]) -> int:
    """Write CSV with a header row; objects and arrays become JSON. Return the number of rows."""
    return _write_csv(table, _rows(table, pool), file)


def guide_csv(table: Table, guide: str, records: Sequence[Record], pool: Pool) -> bytes:
    """Return the rows of one guide as CSV. ``guide`` is its address."""
    file = io.BytesIO()
    _write_csv(table, figure_rows.rows(table, guide, records, pool), file)
    return file.getvalue()


def _write_csv(table: Table, rows: Iterable[Row], file: IO[bytes]) -> int:
    names = [column.name for column in table.columns]
    file.write(f"{csv_text.line(names)}\n".encode())
    count = 0
    for row in rows:
        line = csv_text.line([_csv_cell(name, row[name]) for name in names])
        # File names can contain bytes that are not UTF-8.
        file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
        count += 1
    return count


def write_json(table: Table, pool: Pool, file: IO[bytes]) -> int:
    """Write a JSON array with one object per line. Return the number of rows."""
    count = 0
    for row in _rows(table, pool):
        # JSON has no type for times.
        plain = row | {"measured": _time(row["measured"])}
        line = json.dumps(plain, ensure_ascii=False).encode("utf-8", "backslashreplace")
        # Row by row: the values of all rows would take far more memory than their text.
        file.write((b",\n" if count else b"[\n") + line)
        count += 1
    file.write(b"\n]\n" if count else b"[]\n")
    return count


def write_excel(table: Table, pool: Pool, file: IO[bytes]) -> int:
    """Write a workbook with one sheet and a header row. Return the number of rows.

    Raises :class:`TooManyRowsError`.
    """
    if table is FIGURES and len(pool) >= MAX_SHEET_ROWS:
        raise TooManyRowsError(
            f"{len(pool):,} figures are more than the {MAX_SHEET_ROWS - 1:,} rows of a sheet; "
            "export CSV or Parquet, or fewer results"
        )
    # Rows are flushed to disk one by one: the cells of an archive would not fit into memory.
    with workbook(file, f"Performance {table.name}", constant_memory=True) as book:
        sheet = book.add_worksheet(table.name.capitalize())
        bold = book.add_format({"bold": True})
        for index, column in enumerate(table.columns):
            sheet.write_string(0, index, column.name, bold)
        number = 0
        for number, row in enumerate(_rows(table, pool), 1):
            for index, column in enumerate(table.columns):
                value = row[column.name]
                if isinstance(value, int | float):
                    sheet.write_number(number, index, value)
                elif text := cell_text(column.name, value):
                    sheet.write_string(number, index, excel_text(text))
        sheet.freeze_panes(1, 0)
        sheet.autofilter(0, 0, max(1, number), len(table.columns) - 1)
    return number


def _rows(table: Table, pool: Pool) -> Iterator[Row]:
    for _, guide, records in figure_rows.of_site(pool):
        yield from figure_rows.rows(table, guide, records, pool)


def _csv_cell(name: str, value: Any) -> Any:
    """Return a CSV cell; numbers keep all their digits and are marked as figures."""
    if isinstance(value, int | float):
        return (value, repr(value), "")
    return cell_text(name, value)


def cell_text(name: str, value: Any) -> str:
    """Return the text of a cell that is not a number. Empty objects and arrays are empty text,
    except for parameters."""
    if isinstance(value, datetime):
        return _time(value)
    if isinstance(value, dict | list):
        return figure_rows.text(value) if value or name == "params" else ""
    return value or ""


def _time(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def workbook(file: IO[bytes], title: str, **settings: bool) -> xlsxwriter.Workbook:
    """Return a new workbook. Text such as “=1+1” does not become a formula, a link or a number."""
    as_text = dict.fromkeys(("strings_to_formulas", "strings_to_urls", "strings_to_numbers"), False)
    book = xlsxwriter.Workbook(file, as_text | settings)
    # A fixed date, so that the same figures give the same bytes.
    book.set_properties({"title": title, "created": datetime(2000, 1, 1, tzinfo=UTC)})
    return book


def excel_text(text: str) -> str:
    """Return the text of a cell with invisible and text-moving characters escaped, truncated with
    an ellipsis if it is too long."""
    escaped = visible(text, MAX_CELL_CHARS * 2)
    return escaped if len(escaped) <= MAX_CELL_CHARS else f"{escaped[: MAX_CELL_CHARS - 1]}…"

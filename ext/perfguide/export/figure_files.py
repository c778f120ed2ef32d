"""All figures of an archive as one CSV, JSON or Excel file, a row for each figure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import IO, Any

import xlsxwriter

from ..common import csv_text
from ..common.diagnostics import visible
from ..figures.pool import Pool
from . import figure_rows
from .figure_rows import COLUMNS, Row

MAX_SHEET_ROWS = 1_048_576
"""Rows of one sheet, as the format has it, with that of the head."""

MAX_CELL_CHARS = 32_767
"""Characters of one cell of a workbook, as the format has it."""


class TooManyRowsError(Exception):
    """There are more figures than a sheet has rows."""


def write_csv(pool: Pool, file: IO[bytes]) -> int:
    """Write CSV with one head row; objects and arrays are JSON texts. Return the number of
    figures."""
    names = [column.name for column in COLUMNS]
    file.write(f"{csv_text.line(names)}\n".encode())
    count = 0
    for row in _rows(pool):
        cells = [_csv_cell(row[name]) for name in names]
        line = csv_text.line(cells)
        # Names of files can hold bytes that are no UTF-8.
        file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
        count += 1
    return count


def write_json(pool: Pool, file: IO[bytes]) -> int:
    """Write a JSON array with one object on each line. Return the number of figures."""
    count = 0
    for row in _rows(pool):
        plain = row | {"measured": _time(row["measured"])}
        line = json.dumps(plain, ensure_ascii=False).encode("utf-8", "backslashreplace")
        file.write((b",\n" if count else b"[\n") + line)
        count += 1
    file.write(b"\n]\n" if count else b"[]\n")
    return count


def write_excel(pool: Pool, file: IO[bytes]) -> int:
    """Write a workbook of one sheet with one head row. Return the number of figures.

    Raises :class:`TooManyRowsError`.
    """
    if len(pool) >= MAX_SHEET_ROWS:
        raise TooManyRowsError(
            f"{len(pool):,} figures are more than the {MAX_SHEET_ROWS - 1:,} rows of a sheet; "
            "export CSV or Parquet, or fewer results"
        )
    settings = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(file, settings | {"constant_memory": True}) as book:
        book.set_properties({"title": "Performance figures", "created": datetime(2000, 1, 1)})
        sheet = book.add_worksheet("Figures")
        bold = book.add_format({"bold": True})
        for place, column in enumerate(COLUMNS):
            sheet.write_string(0, place, column.name, bold)
        number = 0
        for number, row in enumerate(_rows(pool), 1):
            for place, column in enumerate(COLUMNS):
                value = row[column.name]
                if isinstance(value, int | float):
                    sheet.write_number(number, place, value)
                elif value is not None and value != "":
                    sheet.write_string(number, place, _excel_text(value))
        sheet.freeze_panes(1, 0)
        sheet.autofilter(0, 0, max(1, number), len(COLUMNS) - 1)
    return number


def _rows(pool: Pool) -> Iterator[Row]:
    for _, guide, records in figure_rows.of_site(pool):
        yield from figure_rows.rows(guide, records, pool)


def _csv_cell(value: Any) -> Any:
    """A cell of CSV; figures have all their digits, and are marked as figures."""
    if isinstance(value, int | float):
        return (value, repr(value), "")
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return _time(value)
    if isinstance(value, dict | list):
        return figure_rows.text(value)
    return value or ""


def _time(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def _excel_text(value: Any) -> str:
    """Text of a cell, with escapes for what would not show; one too long ends with an ellipsis."""
    shown = visible(_text(value), MAX_CELL_CHARS * 2)
    return shown if len(shown) <= MAX_CELL_CHARS else f"{shown[: MAX_CELL_CHARS - 1]}…"

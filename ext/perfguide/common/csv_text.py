"""Lossless CSV that spreadsheets cannot mistake for formulas.

Spreadsheets evaluate cells that begin with one of ``= + - @``, a tab or a newline. If they split at
a separator other than the comma, a cell can also begin in the middle of one of ours. At each of
these positions, an apostrophe is inserted before the sign and any apostrophes already there, so
that removing one restores the text. The minus sign of a figure is kept, except in the first column,
which holds row keys. See OWASP, "CSV Injection", for the list of risky characters.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Any

from .units import TableCell

_SIGNS = "=+\\-@\t\r\n＝＋－＠"
_BEFORE = r'(^|[,;"\t\r\n])((?:[^\S\t\r\n]|\ufeff)*)'
_RISK = re.compile(rf"{_BEFORE}('*)(?=[{_SIGNS}])")
_MARKED = re.compile(rf"{_BEFORE}'('*)(?=[{_SIGNS}])")


class _Returned:
    """A file whose ``write``, and thus the writer's ``writerow``, returns the text."""

    @staticmethod
    def write(text: str) -> str:
        return text


# Python 3.11 quotes carriage returns only if lines end with one.
_WRITER: Any = csv.writer(_Returned, lineterminator="\r\n")


def marked(text: str) -> str:
    """Insert an apostrophe wherever a spreadsheet could start a formula."""
    return _RISK.sub(r"\1\2'\3", text)


def plain(cell: str) -> str:
    """Undo :func:`marked`. Text without marks is returned unchanged."""
    return _MARKED.sub(r"\1\2\3", cell) if "'" in cell else cell


def line(row: Sequence[TableCell]) -> str:
    """Format one row of CSV (RFC 4180), without the line ending."""
    texts = [cell if isinstance(cell, str) else cell[1] + cell[2] for cell in row]
    # One search of the joined text shows that most rows need no marks.
    if _RISK.search(",".join(texts)):
        for column, (cell, text) in enumerate(zip(row, texts, strict=True)):
            # If a spreadsheet reads the row as a single cell, a number at its start would run into
            # the following text: “-1” and “5*…” would become one formula.
            minus = "-" if column and not isinstance(cell, str) and text[:1] == "-" else ""
            texts[column] = minus + marked(text.removeprefix(minus))
    written: str = _WRITER.writerow(texts)
    return written.removesuffix("\r\n")

"""Lossless CSV that spreadsheets cannot mistake for formulas.

Spreadsheets evaluate cells that begin with one of ``= + - @``, a tab or a newline. If they split at
a separator other than the comma, a cell can also begin in the middle of one of ours. At each of
these positions, an apostrophe is inserted before the sign and any apostrophes already there, so
that removing one restores the text. The minus sign of a figure is kept, except in the first column,
which holds row keys. See OWASP, "CSV Injection", for the list of risky characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .units import TableCell

_SIGNS = "=+\\-@\t\r\n＝＋－＠"
_BEFORE = r'(^|[,;"\t\r\n])((?:[^\S\t\r\n]|\ufeff)*)'
_RISK = re.compile(rf"{_BEFORE}('*)(?=[{_SIGNS}])")
_MARKED = re.compile(rf"{_BEFORE}'('*)(?=[{_SIGNS}])")
_SPECIAL = re.compile(rf'["\r\n]|(?:^|[,;\t])[\s\ufeff]*\'*[{_SIGNS}]')


def marked(text: str) -> str:
    """Insert an apostrophe wherever a spreadsheet could start a formula."""
    return _RISK.sub(r"\1\2'\3", text)


def plain(cell: str) -> str:
    """Undo :func:`marked`. Text without marks is returned unchanged."""
    return _MARKED.sub(r"\1\2\3", cell) if "'" in cell else cell


def line(row: Sequence[TableCell]) -> str:
    """Format one row of CSV (RFC 4180), without the line ending."""
    texts = [cell if isinstance(cell, str) else cell[1] + cell[2] for cell in row]
    joined = ",".join(texts)
    # One search of the joined text shows that most rows need no quoting.
    if joined and not _SPECIAL.search(joined):
        if joined.count(",") == len(texts) - 1:
            return joined
        return ",".join([f'"{text}"' if "," in text else text for text in texts])
    if texts == [""]:
        return '""'
    cells = []
    for column, (cell, text) in enumerate(zip(row, texts, strict=True)):
        # If a spreadsheet reads the row as a single cell, a number at its start would run into the
        # following text: “-1” and “5*…” would become one formula.
        minus = "-" if column and not isinstance(cell, str) and text[:1] == "-" else ""
        cells.append(_quoted(minus + marked(text.removeprefix(minus))))
    return ",".join(cells)


def _quoted(text: str) -> str:
    """Quote a CSV field. Python 3.11's csv module leaves carriage returns unquoted."""
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text

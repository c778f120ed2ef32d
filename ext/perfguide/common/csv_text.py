"""CSV that a spreadsheet cannot mistake for a formula, with no loss of text.

A spreadsheet computes a cell that begins with one of ``= + - @``, a tab or a line end. Where it
splits at another separator than the comma, a cell can also begin in the middle of one of ours. At
each of these positions an apostrophe is added before the sign and before any apostrophes already
there, so that removing one restores the text. The minus of a figure is kept, except in the first
column, which holds row keys. For the list of risky characters see OWASP, "CSV Injection".
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
    """Add an apostrophe wherever a spreadsheet could start a formula."""
    return _RISK.sub(r"\1\2'\3", text)


def plain(cell: str) -> str:
    """Undo :func:`marked`. Text without marks is returned as it is."""
    return _MARKED.sub(r"\1\2\3", cell) if "'" in cell else cell


def line(row: Sequence[TableCell]) -> str:
    """Return one row of CSV (RFC 4180), without the line end."""
    texts = [cell if isinstance(cell, str) else cell[1] + cell[2] for cell in row]
    joined = ",".join(texts)
    # Most rows hold nothing special, and one search of the joined text rules that out.
    if joined and not _SPECIAL.search(joined):
        if joined.count(",") == len(texts) - 1:
            return joined
        return ",".join([f'"{text}"' if "," in text else text for text in texts])
    if texts == [""]:
        return '""'
    cells = []
    for column, (cell, text) in enumerate(zip(row, texts, strict=True)):
        # If a spreadsheet reads the row as one cell, a number at its start runs on into
        # the text behind it: “-1” and “5*…” would become one formula.
        minus = "-" if column and not isinstance(cell, str) and text[:1] == "-" else ""
        cells.append(_quoted(minus + marked(text.removeprefix(minus))))
    return ",".join(cells)


def _quoted(text: str) -> str:
    """Return a CSV field. Python 3.11's csv module leaves a carriage return unquoted."""
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text

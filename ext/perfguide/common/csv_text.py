"""CSV that a spreadsheet cannot take for a formula, and that loses nothing.

A spreadsheet computes a cell that begins with one of ``= + - @``, a tab or a
line end; where it takes another character than the comma for its separator, a
cell can begin in the middle of one of ours. At each such place one apostrophe
goes before the sign and before the apostrophes that stand there already, so that
taking one away gives the text as it was. The minus of a figure stays as it is, but in the
first column, where our tables have their row keys.
Which texts are dangerous: OWASP, "CSV Injection".
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
    """A text with an apostrophe wherever a spreadsheet could begin to compute."""
    return _RISK.sub(r"\1\2'\3", text)


def plain(cell: str) -> str:
    """The text that was marked; text without marks is the same."""
    return _MARKED.sub(r"\1\2\3", cell) if "'" in cell else cell


def line(row: Sequence[TableCell]) -> str:
    """One row of CSV (RFC 4180) without the end of its line."""
    texts = [cell if isinstance(cell, str) else cell[1] + cell[2] for cell in row]
    joined = ",".join(texts)
    # Most rows hold nothing special, and one look at all of it says so.
    if joined and not _SPECIAL.search(joined):
        if joined.count(",") == len(texts) - 1:
            return joined
        return ",".join([f'"{text}"' if "," in text else text for text in texts])
    if texts == [""]:
        return '""'
    cells = []
    for place, (cell, text) in enumerate(zip(row, texts, strict=True)):
        # Where all of the row is taken for one cell, a number at its beginning is
        # the beginning of whatever follows: “-1” and “5*…” would be one formula.
        minus = "-" if place and not isinstance(cell, str) and text[:1] == "-" else ""
        cells.append(_quoted(minus + marked(text.removeprefix(minus))))
    return ",".join(cells)


def _quoted(text: str) -> str:
    """A field of CSV. Python 3.11's own writer leaves a carriage return without quotes."""
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text

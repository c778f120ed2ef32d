"""CSV that a spreadsheet cannot take for a formula, and that loses nothing.

A spreadsheet computes a cell that begins with one of ``= + - @``, a tab or a
line end; where it takes another character than the comma for its separator, a
cell can begin in the middle of one of ours. At each such place one apostrophe
goes before the sign and before the apostrophes that stand there already, so that
taking one away gives the text as it was. Figures are numbers and stay as they are,
but in the first column, where our tables have their row keys.
Which texts are dangerous: OWASP, "CSV Injection".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SIGNS = "=+\\-@\t\r\n＝＋－＠"
_BEFORE = r'(^|[,;"\t\r\n])((?:[^\S\t\r\n]|\ufeff)*)'
_RISK = re.compile(rf"{_BEFORE}('*)(?=[{_SIGNS}])")
_MARKED = re.compile(rf"{_BEFORE}'('*)(?=[{_SIGNS}])")
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
_FIGURE = re.compile(
    rf"{_NUMBER}(?: \((?:min {_NUMBER})?(?:, )?(?:max {_NUMBER})?\))?(?: n=[0-9]+)?"
    r"(?:; [a-z0-9][a-z0-9 ]*)*"
)
_SPECIAL = re.compile(rf'["\r\n]|(?:^|[,;\t])[\s\ufeff]*\'*[{_SIGNS}]')


def marked(text: str) -> str:
    """A cell with an apostrophe wherever a spreadsheet could begin to compute."""
    if _FIGURE.fullmatch(text):
        return text
    return _RISK.sub(r"\1\2'\3", text)


def plain(cell: str) -> str:
    """The text that was marked; text without marks is the same."""
    return _MARKED.sub(r"\1\2\3", cell) if "'" in cell else cell


def line(row: Sequence[str]) -> str:
    """One row of CSV (RFC 4180) without the end of its line."""
    joined = ",".join(row)
    # Most rows hold nothing special, and one look at all of it says so.
    if joined and not _SPECIAL.search(joined):
        if joined.count(",") == len(row) - 1:
            return joined
        return ",".join([f'"{cell}"' if "," in cell else cell for cell in row])
    if tuple(row) == ("",):
        return '""'
    cells = [marked(cell) for cell in row]
    if row:
        # Where all of the row is taken for one cell, a number at its beginning is
        # the beginning of whatever follows: “-1” and “5*…” would be one formula.
        cells[0] = _RISK.sub(r"\1\2'\3", row[0])
    return ",".join(map(_quoted, cells))


def _quoted(text: str) -> str:
    """A field of CSV. Python 3.11's own writer leaves a carriage return without quotes."""
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text

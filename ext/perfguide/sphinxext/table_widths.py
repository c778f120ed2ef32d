"""Estimates of how wide a table is on a page, which decide how it is shown.

Characters are estimated to be wide rather than narrow: a table stacked too early can be read, one
that is cut off cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from itertools import chain
from statistics import median
from typing import NamedTuple

from ..common import units
from ..common.units import TableCell
from ..tables.grids import Grid
from .table_heads import spans, varying_levels

MAX_VALUE_CHARS = 40
"""Longer text is set as prose, which needs a wide column even on a narrow page."""

MAX_PHONE_COLUMNS, MAX_PHONE_GROUPS = 4, 8
"""The most columns of figures side by side on a phone, and the most groups of them."""

PHONE_REMS = (18.0, 21.0)
"""The width of a page's text on the smallest phone, of 320 pixels, and on a usual one."""

MIN_SCALE = 0.87
"""The scale to which a table's type and columns shrink before it is stacked."""
STEPS_REM = (12, 14, 16, 18, 20, 22, 24, 26, 29, 32, 36, 40, 44, 48, 53, 59, 62, 65, 70, 76, 88)
"""The widths by which tables are classed. The last is wider than any window."""
MAX_UNSTACKED_REM = 53
"""The largest of ``STEPS_REM`` that fits the text of a window 1280 pixels wide."""
HALF_REM = 26
"""The width of half the text of a window 1280 pixels wide, less the gap between the halves."""
_LETTER_REM, _DIGIT_REM, _BOLD_REM = 0.47, 0.51, 0.52
"""Character widths in a table."""
_SQUARE_REM = 0.9
"""The width of the coloured square of a board."""
_WIDTHS_REM = {
    "key": (4.0, 26.0),
    "further key": (2.4, 26.0),
    "words": (16.0, 30.0),
    "text": (5.0, 30.0),
    "figure": (3.5, 1e9),
}
"""The minimum and maximum width of a column by its content, as in the style sheet."""
_PHONE_PADDING_REM = 0.7
"""The gap between two columns on a phone, with room for the mark of a finding."""
_PADDING_REM, _SMALL_PADDING_REM = 1.15, 0.65
"""The gap between two columns at full size and in a shrunk table."""
_UNBROKEN = re.compile(r"[^\s\-]+(?:-(?=\d)[^\s\-]+)*-?|-")
"""A piece of text that browsers do not break; they break after a hyphen unless a digit follows."""
_PLAIN_NUMBER = re.compile(r"[-−]?([0-9,]+)(?:\.([0-9]+))?")


def zeros(content: TableCell, decimals: int) -> int:
    """Return how many zeros a number lacks to the ``decimals`` of its column, or to the significant
    digits that pages show, whichever are fewer."""
    match = None if isinstance(content, str) else _PLAIN_NUMBER.fullmatch(content[1])
    if match is None:
        return 0
    whole, fraction = match[1].replace(",", ""), match[2] or ""
    significant = len((whole + fraction).lstrip("0")) or len(whole + fraction)
    return max(0, min(decimals - len(fraction), units.DIGITS - significant))


def zero_class(content: TableCell, decimals: int) -> str:
    """Return the class with which a style sheet adds those zeros, so that they are not copied with
    the text, or an empty string."""
    lacking = zeros(content, decimals)
    return f"perf-{'z' if '.' in content[1] else 'p'}{lacking}" if lacking else ""


def zero_classes(texts: Collection[str]) -> dict[str, str]:
    """Return the class of each number, by text, in a column of plain numbers."""
    cells = [(0.0, text, "") for text in texts]
    decimals = max_decimals(cells)
    return {cell[1]: zero_class(cell, decimals) for cell in cells}


def max_decimals(cells: Iterable[TableCell]) -> int:
    """Return the largest number of decimals of plain numbers among the cells of a column."""
    texts = (cell[1] for cell in cells if not isinstance(cell, str))
    matches = (_PLAIN_NUMBER.fullmatch(text) for text in texts)
    return max((len(match[2] or "") for match in matches if match), default=0)


class PhoneColumns(NamedTuple):
    """The columns of a guide's table on a phone, which shows one group of them at a time, such as
    the boards of a metric: ``heads`` name the groups, if there are several, and ``groups``
    has for each column the number of its group, counted from 1, or 0 for keys. ``beside`` columns
    of ``rem`` are side by side, or of up to ``wide_rem``, which leaves heads unbroken, where
    ``usual_keys_rem`` remain for keys. Where less than ``keys_rem`` is left for keys, figures are
    below them."""

    heads: tuple[str, ...]
    groups: tuple[int, ...]
    beside: int
    rem: float
    keys_rem: float
    wide_rem: float
    usual_keys_rem: float

    @property
    def classes(self) -> str:
        """Return the classes of the table's box; the second says on which phones figures are below
        their keys."""
        small, usual = (self.beside * self.rem + self.keys_rem > phone for phone in PHONE_REMS)
        return f" perf-columns{' perf-below' if usual else ' perf-below-small' if small else ''}"

    @property
    def style(self) -> str:
        """Return the settings of the style sheet."""
        wide = f"(100cqi - {self.usual_keys_rem:.1f}rem)/{self.beside},{self.wide_rem:.2f}rem"
        return f"--pn:{self.beside};--pw:clamp({self.rem:.2f}rem,{wide})"


def phone_columns(table: Grid, boards: Collection[str] = ()) -> PhoneColumns | None:
    """Return how a table keeps its columns on a phone; ``None`` if it cannot, as there are too many
    or too wide ones, or words among its figures."""
    stub, rows = table.stub, table.rows
    if not stub or any(is_words(cell) for row in rows for cell in row[stub:]):
        return None
    levels = varying_levels(table.header, stub)
    starts = [stub]
    if len(levels) > 1:
        starts = [column for column, _ in spans(levels, 0, stub) if column >= stub]
    ends = [*starts[1:], len(table.header[0])]
    beside = ends[0] - starts[0]
    sizes = [end - start for start, end in zip(starts, ends, strict=True)]
    if sizes[-1] > beside or any(size != beside for size in sizes[:-1]):
        return None
    columns = [[row[column] for row in rows] for column in range(stub, ends[-1])]
    most = _DIGIT_REM * max(map(_most_chars, columns))
    figures = max(most, 3.0 if units.FAILED in chain(*columns) else 0.0)

    def column_rem(chars: Callable[[str], int]) -> float:
        heads = (
            1.1 * _BOLD_REM * chars(text) + (_SQUARE_REM if text in boards else 0)
            for text in levels[1 if len(levels) > 1 else 0][stub:]
        )
        return max(figures, *heads) + _PHONE_PADDING_REM

    rem = column_rem(_longest)
    keys = max([4.0, *(_unbroken_rem(row[0]) for row in rows)])
    chars = sorted(len(units.whole(row[0])) for row in rows) or [0]
    # Three of four keys are on one line.
    usual = max(keys, _LETTER_REM * chars[3 * len(chars) // 4], _BOLD_REM * len(table.header[0][0]))
    if beside > MAX_PHONE_COLUMNS or len(starts) > MAX_PHONE_GROUPS or beside * rem > PHONE_REMS[0]:
        return None
    names = tuple(levels[0][start] for start in starts) if len(starts) > 1 else ()
    groups = (*[0] * stub, *((c - stub) // beside + 1 for c in range(stub, ends[-1])))
    wide = column_rem(len)
    return PhoneColumns(names, groups if names else (), beside, rem, keys, wide, usual)


def is_words(cell: TableCell) -> bool:
    """Return whether a cell has text that is no figure, nor in place of one."""
    return isinstance(cell, str) and cell not in ("", units.MISSING, units.FAILED)


class Steps(NamedTuple):
    """The smallest of ``STEPS_REM`` that are wide enough for a table at full size and in small
    type; 0 if none is. ``is_half`` is true if half of a page has room for it, with most of its row
    keys and the names of all its boards on one line."""

    whole: int
    small: int
    is_half: bool

    @property
    def is_stacked(self) -> bool:
        """Return whether the table is stacked even in a window of 1280 pixels."""
        return not 0 < self.small <= MAX_UNSTACKED_REM


def steps(table: Grid, boards: Collection[str] = ()) -> Steps:
    """Return the widths that a table needs. Spreads do not count, since they can break anywhere.
    Heads of ``boards`` have a square in front."""
    header, rows, stub = table.header, table.rows, table.stub
    width = len(header[0]) if header else max(map(len, rows), default=0)
    heads = [0.0] * width
    unbroken_heads = 0.0
    for level, row in enumerate(header):
        for start, end in spans(header, level, stub):
            need = _BOLD_REM * _longest(row[start]) + 0.4
            need += _SQUARE_REM if row[start] in boards else 0
            for column in range(start, end):
                # A head that spans several columns takes its width from all of them.
                heads[column] = max(heads[column], need / (end - start))
            if row[start] in boards:
                whole = need + _BOLD_REM * (len(row[start]) - _longest(row[start]))
                unbroken_heads += max(0.0, whole - _WIDTHS_REM["figure"][0])
    total = unbroken_keys = 0.0
    for column in range(width):
        cells = {row[column] for row in rows if column < len(row)}
        kind = _kind(cells, column, stub)
        least, most = _WIDTHS_REM[kind]
        needed = max(map(_unbroken_rem, cells), default=0.0)
        if column < stub and cells:
            usual = _LETTER_REM * median(len(units.whole(cell)) for cell in cells)
            # A unit has no good place for a break.
            needed = max(needed, usual) if header and header[0][column] == "Unit" else needed
            unbroken_keys += max(0.0, usual - max(least, needed))
        if kind == "figure":
            needed = max(needed, _DIGIT_REM * (_most_chars(cells) + 1))
        total += max(least, heads[column], min(most, needed))
    small = MIN_SCALE * total + _SMALL_PADDING_REM * width
    is_half = small + MIN_SCALE * (unbroken_keys + unbroken_heads) <= HALF_REM
    return Steps(_step(total + _PADDING_REM * width), _step(small), is_half)


def _kind(cells: Collection[TableCell], column: int, stub: int) -> str:
    if column < stub:
        return "further key" if column else "key"
    if any(not isinstance(cell, str) for cell in cells):
        return "figure"
    return "words" if any(len(units.whole(cell)) > MAX_VALUE_CHARS for cell in cells) else "text"


def _step(need: float) -> int:
    return next((step for step in STEPS_REM if need <= step), 0)


def _most_chars(cells: Collection[TableCell]) -> int:
    """Return the length of the longest figure among the cells of a column, with its zeros."""
    figures = [cell for cell in cells if not isinstance(cell, str)]
    decimals = max_decimals(figures)
    return max((len(figure[1]) + zeros(figure, decimals) for figure in figures), default=0)


def _longest(text: str) -> int:
    return max(map(len, _UNBROKEN.findall(text)), default=0)


def _unbroken_rem(content: TableCell) -> float:
    """Return the width of a cell's longest part that should not be broken."""
    if isinstance(content, str):
        return _LETTER_REM * _longest(content)
    return _DIGIT_REM * (len(content[1]) + 1)

"""Rows of a log by layout: one loop for programs whose lines are independent.

A row is recognised by its front, and read if the full line has its layout. A line that only has the
front was truncated or damaged, and yields a diagnostic instead of a figure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .log_lines import Line, lines
from .log_sheet import Sheet

Take = Callable[[Line, "re.Match[str]"], None]


@dataclass(frozen=True, slots=True)
class Row:
    """A layout. ``begins`` matches the front of its lines, ``full`` the full lines; ``take`` is
    called with the line and the latter match, ``lose`` if the line was truncated or damaged.
    Patterns have no unbounded repetition after another one that could match the same characters."""

    begins: re.Pattern[str]
    full: re.Pattern[str]
    take: Take
    lose: Callable[[], None]


def row(
    begins: str, full: str | re.Pattern[str], take: Take, lose: Callable[[], None] = lambda: None
) -> Row:
    """Return a row from the texts of its patterns. If it begins with "", damaged lines are not
    reported."""
    return Row(re.compile(begins or "(?!)"), re.compile(full), take, lose)


def scan(data: bytes, noun: str, rows: Sequence[Row], sheet: Sheet) -> None:
    """Give each line to the first row that matches, and report damaged rows of ``noun``. Other
    lines are skipped."""
    for line in lines(data):
        take_line(line, noun, rows, sheet)


def take_line(line: Line, noun: str, rows: Sequence[Row], sheet: Sheet) -> None:
    """Give a line to the first row that matches, or report a damaged row of ``noun``."""
    # The first row decides, as the rest of a damaged line can look like another row.
    for kind_of_row in rows:
        if match := kind_of_row.full.fullmatch(line.text):
            sheet.understood(line.number)
            kind_of_row.take(line, match)
            return
        if kind_of_row.begins.match(line.text):
            sheet.broken(line.number, f"a line of {noun} is cut or damaged")
            kind_of_row.lose()
            return

"""Tables in HTML: rows, heads, captions, cells with spans, and the headings above them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from .model import Cell, Opener, Reading, Table, joined_head, plain

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_UNREAD_TAGS = frozenset({"sup", "script", "style"})
"""Footnote marks, and elements that browsers do not display."""
_ROWS_TO_THE_END = 1 << 30


@dataclass(slots=True)
class _OpenTable:
    """A table whose end tag has not been reached."""

    line: int
    caption: str = ""
    rows: list[list[Cell]] = field(default_factory=list)
    heads: list[bool] = field(default_factory=list)
    spanning: dict[int, tuple[Cell, int]] = field(default_factory=dict)
    """By column: a cell that reaches down into the next row, and the number of further rows."""
    span: tuple[int, int] = (1, 1)
    cell_line: int = 0
    text_index: int = -1
    """The index of the open cell's text in ``_Reader._texts``; negative if no cell is open."""
    cells: int = 0
    exceeded: str = ""
    """The name of the limit that the table exceeds."""


class _Reader(HTMLParser):
    def __init__(self, file: str, reading: Reading) -> None:
        super().__init__(convert_charrefs=True)
        self._file = file
        self._reading = reading
        self._headings: list[tuple[int, str]] = []
        self._tables: list[_OpenTable] = []
        self._texts: list[tuple[str, list[str]]] = []
        """The open headings, captions and cells: their tags and pieces of text."""
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self._reading.line = self.getpos()[0]
        table = self._tables[-1] if self._tables else None
        if tag == "table":
            self._tables.append(_OpenTable(line))
        elif tag in _HEADINGS or tag == "caption":
            self._texts.append((tag, []))
        elif tag == "tr" and table:
            self._end_row(table)
            table.rows.append([])
            table.heads.append(True)
        elif tag in ("td", "th") and table and table.rows:
            self._end_cell(table)
            given = dict(attrs)
            table.span = (_number(given.get("rowspan")), _number(given.get("colspan")) or 1)
            table.cell_line = line
            table.heads[-1] &= tag == "th"
            table.text_index = len(self._texts)
            self._texts.append(("td", []))
        elif tag in _UNREAD_TAGS:
            self._unread += 1
        elif tag in ("br", "p", "div") and self._texts:
            # Browsers start a line here, so the words on both sides stay apart.
            self._texts[-1][1].append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._reading.line = self.getpos()[0]
        table = self._tables[-1] if self._tables else None
        if tag in _UNREAD_TAGS:
            self._unread = max(0, self._unread - 1)
        elif tag in _HEADINGS and self._is_open(*_HEADINGS):
            # Sphinx ends headings with this sign, a link to themselves.
            level, title = _HEADINGS[tag], self._end_text().replace("¶", "").strip()
            self._headings = [each for each in self._headings if each[0] < level]
            self._headings.append((level, title))
            self._reading.title = self._reading.title or title
        elif tag == "caption" and table and self._is_open("caption"):
            table.caption = self._end_text().replace("¶", "").strip()
        elif tag in ("td", "th") and table:
            self._end_cell(table)
        elif tag == "tr" and table:
            self._end_row(table)
        elif tag == "table" and table:
            self._end_row(table)
            self._end_table(self._tables.pop())

    def close(self) -> None:
        super().close()
        while self._tables:  # their end tags are missing
            self.handle_endtag("table")

    def handle_data(self, data: str) -> None:
        if self._texts and not self._unread:
            self._texts[-1][1].append(data)

    def _is_open(self, *tags: str) -> bool:
        return bool(self._texts) and self._texts[-1][0] in tags

    def _end_text(self) -> str:
        return plain("".join(self._texts.pop()[1]))

    def _end_cell(self, table: _OpenTable) -> None:
        """Add the open cell, if any, to each column that it spans."""
        if table.text_index < 0 or not table.rows:
            return
        # Texts opened after the cell, such as a heading in it, are part of the cell.
        texts = self._texts[table.text_index :]
        del self._texts[table.text_index :]
        table.text_index = -1
        text = plain("".join(part for _, parts in texts for part in parts))
        cell = Cell(text, table.cell_line)
        row = table.rows[-1]
        self._spanning(table)
        limits = self._reading.limits
        rows, columns = table.span
        if len(row) + columns > limits.columns:
            table.exceeded = table.exceeded or "columns"
        for _ in range(min(columns, limits.columns - len(row))):
            if rows != 1:
                # In HTML, a span of 0 rows reaches down to the end of the table.
                table.spanning[len(row)] = cell, (rows or _ROWS_TO_THE_END) - 1
            row.append(cell)
        self._spanning(table)

    def _end_row(self, table: _OpenTable) -> None:
        self._end_cell(table)
        if not table.rows:
            return
        row = table.rows[-1]
        last = max(table.spanning, default=-1)
        while len(row) <= last:
            self._spanning(table)
            if len(row) <= last:
                row.append(Cell("", table.cell_line))
        table.cells += len(row)
        if table.cells > self._reading.limits.cells:
            table.exceeded = table.exceeded or "cells"
            # Freed at once: the rest of a huge table is only counted.
            table.rows, table.heads, table.spanning = [], [], {}

    def _spanning(self, table: _OpenTable) -> None:
        """Add the cells that span into the last row from above to their columns."""
        row = table.rows[-1]
        while len(row) in table.spanning:
            cell, rows = table.spanning.pop(len(row))
            if rows > 1:
                table.spanning[len(row)] = cell, rows - 1
            row.append(cell)

    def _end_table(self, table: _OpenTable) -> None:
        if table.exceeded:
            message = {"columns": "the table is wider than {} columns"}.get(
                table.exceeded, "the table has over {} cells"
            )
            self._reading.exceeded(self._file, table.line, table.exceeded, message)
            return
        rows = [tuple(row) for row in table.rows if row]
        heads = [head for head, row in zip(table.heads, table.rows, strict=True) if row]
        # If every row is marked as a head, only the first one is taken as such.
        count = next((at for at, head in enumerate(heads) if not head), 1) or 1
        headings = tuple(title for _, title in self._headings)
        head, body = joined_head(rows[:count]), tuple(rows[count:])
        self._reading.add(Table(self._file, table.line, headings, table.caption, head, body))


def _number(text: str | None) -> int:
    """Return the number of rows or columns that a cell spans, limited as in browsers."""
    return min(int(text), 65534) if text and text.isdecimal() and len(text) < 9 else 1


def read(file: str, text: str, opener: Opener, reading: Reading) -> None:
    """Read the tables of an HTML file into ``reading``, in document order."""
    reader = _Reader(file, reading)
    reader.feed(text)
    reader.close()

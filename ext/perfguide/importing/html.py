"""Reading tables in HTML: rows, heads, captions, spanning cells, and the headings above them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from .model import Cell, Opener, Reading, Span, Table, joined_head, plain, spread

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_UNREAD_TAGS = frozenset({"sup", "script", "style"})
"""Footnote marks, and elements that browsers do not display."""


@dataclass(slots=True)
class _OpenTable:
    """A table whose end tag has not been reached."""

    line: int
    caption: str = ""
    rows: list[list[Span]] = field(default_factory=list)
    heads: list[bool] = field(default_factory=list)
    span: tuple[int, int] = (1, 1)
    cell_line: int = 0
    text_index: int = -1
    """The index of the open cell's text in ``_Reader._texts``; negative if no cell is open."""
    cells: int = 0


class _Reader(HTMLParser):
    def __init__(self, file: str, reading: Reading) -> None:
        super().__init__(convert_charrefs=True)
        self._file = file
        self._reading = reading
        self._headings: list[tuple[int, str]] = []
        self._tables: list[_OpenTable] = []
        self._texts: list[tuple[str, list[str]]] = []
        """The open headings, captions and cells, each as its tag and pieces of text."""
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self._reading.line = self.getpos()[0]
        table = self._tables[-1] if self._tables else None
        if tag == "table":
            self._tables.append(_OpenTable(line))
        elif tag in _HEADINGS or tag == "caption":
            self._texts.append((tag, []))
        elif tag == "tr" and table:
            self._end_cell(table)
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
            # Browsers start a new line here, so keep the words on either side apart.
            self._texts[-1][1].append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._reading.line = self.getpos()[0]
        table = self._tables[-1] if self._tables else None
        if tag in _UNREAD_TAGS:
            self._unread = max(0, self._unread - 1)
        elif tag in _HEADINGS and self._is_open(*_HEADINGS):
            # Sphinx ends headings with this sign, which links to the heading.
            level, title = _HEADINGS[tag], self._end_text().replace("¶", "").strip()
            self._headings = [heading for heading in self._headings if heading[0] < level]
            self._headings.append((level, title))
            self._reading.title = self._reading.title or title
        elif tag == "caption" and table and self._is_open("caption"):
            table.caption = self._end_text().replace("¶", "").strip()
        elif tag in ("td", "th", "tr") and table:
            self._end_cell(table)
        elif tag == "table" and table:
            self._end_cell(table)
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
        """Add the open cell, if any, to its row."""
        if table.text_index < 0 or not table.rows:
            return
        # Text elements opened within the cell, such as headings, are part of it.
        texts = self._texts[table.text_index :]
        del self._texts[table.text_index :]
        table.text_index = -1
        text = plain("".join(part for _, parts in texts for part in parts))
        table.rows[-1].append((Cell(text, table.cell_line), *table.span))
        table.cells += 1
        if table.cells > self._reading.limits.cells:
            # Free memory at once: the rest of a huge table is merely counted.
            table.rows, table.heads = [[]], [False]

    def _end_table(self, table: _OpenTable) -> None:
        if table.cells > self._reading.limits.cells:
            message = "the table has over {} cells"
            self._reading.report_limit(self._file, table.line, "cells", message)
            return
        every = spread(self._reading, self._file, table.line, table.rows)
        rows = [row for row in every if row]
        heads = [head for head, row in zip(table.heads, every, strict=False) if row]
        # If every row is marked as a head, only the first one is treated as such.
        count = next((at for at, head in enumerate(heads) if not head), 1) or 1
        headings = tuple(title for _, title in self._headings)
        head, body = joined_head(rows[:count]), tuple(rows[count:])
        if every or not table.rows:
            self._reading.add_table(
                Table(self._file, table.line, headings, table.caption, head, body)
            )


def _number(text: str | None) -> int:
    """Return the number of rows or columns that a cell spans, limited as in browsers."""
    return min(int(text), 65534) if text and text.isdecimal() and len(text) < 9 else 1


def read(file: str, text: str, opener: Opener, reading: Reading) -> None:
    """Read the tables of an HTML file into ``reading``, in document order."""
    reader = _Reader(file, reading)
    reader.feed(text)
    reader.close()

"""Tables of HTML: rows, heads, captions, cells that span, and the headings above them."""

from __future__ import annotations

from html.parser import HTMLParser

from .model import Cell, Opener, Table, joined_head, plain

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
MOST_SPANNED = 1000
"""Rows or columns that a cell can span."""


class _Open:
    """A table whose end has not come."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.caption = ""
        self.rows: list[list[Cell]] = []
        self.heads: list[bool] = []
        self.spanned: dict[tuple[int, int], Cell] = {}
        self.span = (1, 1)
        self.cell_line = line


class _Reader(HTMLParser):
    def __init__(self, file: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[Table] = []
        self._file = file
        self._headings: list[tuple[int, str]] = []
        self._open: list[_Open] = []
        self._texts: list[list[str]] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        if tag == "table":
            self._open.append(_Open(line))
        elif tag in _HEADINGS or tag == "caption":
            self._texts.append([])
        elif tag == "tr" and self._open:
            self._open[-1].rows.append([])
            self._open[-1].heads.append(True)
        elif tag in ("td", "th") and self._open and self._open[-1].rows:
            said = dict(attrs)
            table = self._open[-1]
            table.span = (_number(said.get("rowspan")), _number(said.get("colspan")))
            table.cell_line = line
            table.heads[-1] &= tag == "th"
            self._texts.append([])
        elif tag in ("sup", "script", "style"):
            self._hidden += 1  # marks of footnotes, and what nobody reads
        elif tag in ("br", "p", "div") and self._texts:
            self._texts[-1].append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("sup", "script", "style"):
            self._hidden = max(0, self._hidden - 1)
        elif tag in _HEADINGS and self._texts:
            level, title = _HEADINGS[tag], plain("".join(self._texts.pop()).replace("¶", ""))
            self._headings = [each for each in self._headings if each[0] < level]
            self._headings.append((level, title))
        elif tag == "caption" and self._texts and self._open:
            self._open[-1].caption = plain("".join(self._texts.pop()).replace("¶", ""))
        elif tag in ("td", "th") and self._texts and self._open and self._open[-1].rows:
            self._cell(self._open[-1], plain("".join(self._texts.pop())))
        elif tag == "table" and self._open:
            self._finish(self._open.pop())

    def handle_data(self, data: str) -> None:
        if self._texts and not self._hidden:
            self._texts[-1].append(data)

    def _cell(self, table: _Open, text: str) -> None:
        row, number = table.rows[-1], len(table.rows) - 1
        _fill(table, number)
        cell = Cell(text, table.cell_line)
        for _ in range(table.span[1]):
            for below in range(1, table.span[0]):
                table.spanned[number + below, len(row)] = cell
            row.append(cell)
        _fill(table, number)

    def _finish(self, table: _Open) -> None:
        rows = [tuple(row) for row in table.rows if row]
        heads = [head for head, row in zip(table.heads, table.rows, strict=True) if row]
        # Where every cell is marked as one of a head, the first row is it.
        count = next((at for at, head in enumerate(heads) if not head), 1) or 1
        headings = tuple(title for _, title in self._headings)
        head, body = joined_head(rows[:count]), tuple(rows[count:])
        self.tables.append(Table(self._file, table.line, headings, table.caption, head, body))


def _fill(table: _Open, number: int) -> None:
    """Put the cells that reach into a row from above it into their places."""
    row = table.rows[number]
    while (number, len(row)) in table.spanned:
        row.append(table.spanned[number, len(row)])


def _number(text: str | None) -> int:
    return min(max(int(text), 1), MOST_SPANNED) if text and text.isdecimal() else 1


def read(file: str, text: str, opener: Opener) -> list[Table]:
    """The tables of a file, in its order."""
    reader = _Reader(file)
    reader.feed(text)
    reader.close()
    return reader.tables

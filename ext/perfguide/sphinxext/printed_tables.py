"""Tables of figures as docutils nodes, for all formats except HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..common import units
from ..common.diagnostics import SIGNS
from ..tables.grids import Grid
from .file_links import perf_download
from .guest import may_change
from .pictures import perf_picture, spread
from .screen_nodes import NotHtmlTransform
from .table_heads import spans
from .table_nodes import kind, perf_rows

MAX_CELL_CHARS = 40
"""The width of a column in plain text; longer text is wrapped."""

MAX_FLOAT_ROWS = 30
"""A longer table may continue on the next page."""


class PlainTables(NotHtmlTransform):
    """Tables as docutils nodes for all other formats, without links to files."""

    default_priority = 182

    def run(self, **kwargs: Any) -> None:
        """Expand the leaves that no other transform has replaced."""
        for leaf in list(self.document.findall(perf_rows)):
            table = leaf.parent
            if len(leaf["grid"].rows) > MAX_FLOAT_ROWS:
                table["classes"].append("longtable")
            table.replace(leaf, group(leaf))
            table.parent.insert(table.parent.index(table) + 1, listed(leaf["grid"]))
        for figure in list(self.document.findall(nodes.figure)):
            pictures = [child for child in figure.children if isinstance(child, perf_picture)]
            for picture in pictures:
                del picture[1:]  # drawn for phones
            spread(figure, pictures)
        for line in list(self.document.findall(perf_download)):
            line.parent.remove(line)


def texts(grid: Grid) -> tuple[list[list[str]], list[list[str]]]:
    """Return the rows of head and body as text, with the marks of notes."""
    body = [list(map(units.whole, row)) for row in grid.rows]
    for row, column, marks in grid.marks:
        signs = (f"{SIGNS[grid.notes[note].severity]}{note + 1}" for note, _ in marks)
        body[row][column] += f" {', '.join(signs)}"
    return [list(row) for row in grid.header], body


def listed(grid: Grid) -> list[nodes.Node]:
    """Return a table's notes as a list, for formats without links."""
    items = nodes.bullet_list()
    for number, note in enumerate(grid.notes, 1):
        text = f"{SIGNS[note.severity]}{number} {kind(note)}: {note.title}. {note.reason}"
        items += nodes.list_item("", nodes.paragraph("", "", nodes.Text(text)))
    return [items] if grid.notes else []


def group(leaf: nodes.Element, columns: Sequence[int] | None = None) -> nodes.tgroup:
    """Return the cells as docutils nodes: all, or those of some columns plus all row keys.

    Of all columns, each repeats the head that it shares with its neighbours: manual pages have no
    cells that span several.
    """
    grid, has_spans = leaf["grid"], columns is not None
    header, rows = texts(grid)
    columns = range(len((header or rows)[0])) if columns is None else columns
    out = nodes.tgroup(cols=len(columns))
    for column in columns:
        width = max((len(row[column]) for row in [*header[-1:], *rows]), default=1)
        share = leaf["widths"][column] if leaf["widths"] else max(1, min(width, MAX_CELL_CHARS))
        out += nodes.colspec(colwidth=share, stub=int(column < grid.stub))
    header = [[row[c] for c in columns] for row in header]
    if header:
        head = nodes.thead()
        for level, row in enumerate(header):
            line = nodes.row()
            for start, end in spans(header, level, grid.stub):
                if has_spans:
                    line += _entry(row[start], end - start - 1)
                else:
                    line += [_entry(row[start]) for _ in range(start, end)]
            head += line
        out += head
    out += nodes.tbody("", *(nodes.row("", *(_entry(row[c]) for c in columns)) for row in rows))
    return out


def _entry(text: str, more: int = 0) -> nodes.entry:
    entry = nodes.entry(morecols=more) if more else nodes.entry()
    if text:
        entry += nodes.paragraph("", "", nodes.Text(text))
    return entry


class WideColumns(SphinxPostTransform):
    """Columns of other tables in plain text, made as wide as their longest word.

    Sphinx's writer treats a column's relative width as a number of characters. A column of one
    character would get a line per character, and before Sphinx 9.0 writing it might never end,
    because ``TextWrapper._break_word`` needs space for two double-width characters.
    """

    default_priority = 990  # after all tables have been made
    formats = ("text",)
    MIN_CHARS = 4

    def run(self, **kwargs: Any) -> None:
        """Widen the columns."""
        if not may_change(self.env, self.env.current_document.docname):
            return
        for tgroup in self.document.findall(nodes.tgroup):
            columns = [part for part in tgroup.children if isinstance(part, nodes.colspec)]
            for column in columns:
                column["colwidth"] = max(column["colwidth"], self.MIN_CHARS)
            for row in tgroup.findall(nodes.row):
                if len(row) != len(columns):
                    continue  # some cells span several rows or columns
                for column, cell in zip(columns, row, strict=True):
                    longest = max(map(len, cell.astext().split()), default=0)
                    column["colwidth"] = max(column["colwidth"], min(longest, MAX_CELL_CHARS))


def setup(app: Sphinx) -> None:
    """Register the post-transforms."""
    app.add_post_transform(PlainTables)
    app.add_post_transform(WideColumns)

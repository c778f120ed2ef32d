"""A table of figures as docutils' own nodes, for formats other than HTML."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes

from . import footnotes, html_table


def group(leaf: nodes.Element, columns: Sequence[int] | None = None) -> nodes.tgroup:
    """The cells as docutils' own nodes, for formats other than HTML; all, or those of
    some columns, with every row key among them."""
    shown = range(len((leaf["header"] or leaf["body"])[0])) if columns is None else columns
    header, width = [[row[c] for c in shown] for row in leaf["header"]], len(shown)
    out = nodes.tgroup(cols=width)
    for column in shown:
        text = max((len(row[column]) for row in [*leaf["header"][-1:], *leaf["body"]]), default=1)
        share = leaf["widths"][column] if leaf["widths"] else max(1, min(text, 40))
        out += nodes.colspec(colwidth=share, stub=int(column < leaf["stub"]))
    if header:
        head = nodes.thead()
        for level, row in enumerate(header):
            line = nodes.row()
            column = 0
            while column < width:
                end = column + 1
                while (
                    leaf["stub"] <= column
                    and level < len(header) - 1
                    and end < width
                    and html_table.joined(header, level, column, end)
                ):
                    end += 1
                line += _entry(row[column], end - column - 1)
                column = end
            head += line
        out += head
    body = nodes.tbody()
    for number, row in enumerate(leaf["body"]):
        marks = leaf["marks"].get(number, {})
        cells = (row[c] + footnotes.sign(marks.get(c, ())) for c in shown)
        body += nodes.row("", *(_entry(text) for text in cells))
    out += body
    return out


def _entry(text: str, more: int = 0) -> nodes.entry:
    entry = nodes.entry(morecols=more) if more else nodes.entry()
    if text:
        entry += nodes.paragraph("", "", nodes.Text(text))
    return entry

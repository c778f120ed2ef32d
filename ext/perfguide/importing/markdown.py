"""Tables of Markdown, with MyST's fenced directives that hold tables of reStructuredText."""

from __future__ import annotations

import itertools
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from . import html, rst
from .model import Cell, Opener, Table, joined_head, plain


def read(file: str, text: str, opener: Opener) -> list[Table]:
    """The tables of a file, in its order."""
    tables: list[Table] = []
    headings: list[tuple[int, str]] = []
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    at = 0
    while at < len(tokens):
        token = tokens[at]
        line = (token.map[0] if token.map else 0) + 1
        above = tuple(title for _, title in headings)
        if token.type == "heading_open":
            level = int(token.tag[1:])
            headings = [*((n, title) for n, title in headings if n < level)]
            headings.append((level, plain(_text(tokens[at + 1]))))
        elif token.type == "table_open":
            end = next(n for n in range(at, len(tokens)) if tokens[n].type == "table_close")
            rows = _rows(tokens[at:end])
            tables.append(Table(file, line, above, "", joined_head(rows[:1]), tuple(rows[1:])))
            at = end
        elif token.type == "html_block" and "<t" in token.content:
            tables += _moved(html.read(file, token.content, opener), line - 1, above)
        elif token.type == "fence" and token.info.startswith("{"):
            name, _, title = token.info[1:].partition("}")
            body = token.content
            if name != "eval-rst":
                own = body.split("\n")
                options = sum(1 for _ in itertools.takewhile(lambda x: x.startswith(":"), own))
                blank = [] if options < len(own) and not own[options].strip() else [""]
                indented = [f"   {each}" for each in (*own[:options], *blank, *own[options:])]
                body = "\n".join((f".. {name}:: {title.strip()}", *indented, ""))
            if name in ("eval-rst", "csv-table", "list-table", "table"):
                shift = line if name == "eval-rst" else line - 1
                tables += _moved(rst.read(file, body, opener), shift, above)
        at += 1
    return tables


def _rows(tokens: list[Token]) -> list[tuple[Cell, ...]]:
    rows: list[list[Cell]] = []
    line = 1
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
            line = token.map[0] + 1 if token.map else line
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(Cell(plain(_text(tokens[at + 1])), line))
    return [tuple(row) for row in rows]


def _text(token: Token) -> str:
    """The text of inline markup."""
    parts = [
        each.content if each.type in ("text", "code_inline") else " "
        for each in token.children or ()
        if not each.type.endswith(("_open", "_close")) and each.type != "html_inline"
    ]
    return "".join(parts)


def _moved(tables: list[Table], shift: int, above: tuple[str, ...]) -> list[Table]:
    """Tables of a part of a file, at the lines of the whole."""
    return [
        replace(
            table,
            line=table.line + shift,
            headings=(*above, *table.headings),
            rows=tuple(
                tuple(replace(cell, line=cell.line + shift) for cell in row) for row in table.rows
            ),
        )
        for table in tables
    ]

"""Tables in Markdown, and in MyST's fenced directives with reStructuredText tables."""

from __future__ import annotations

import itertools
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from ..common.diagnostics import Diagnostic
from . import html, rst
from .model import Cell, Opener, Reading, Table, joined_head, plain

_DIRECTIVES = ("csv-table", "list-table", "table")
_MAX_NESTED_BLOCKS = 50


def _parser(reading: Reading) -> MarkdownIt:
    """Return a parser of blocks; inline markup is parsed by :func:`_text`."""

    # A rule that never matches but records the line, in case a limit ends parsing.
    def note_line(state: StateBlock, first: int, last: int, silent: bool) -> bool:
        reading.line = first + 1
        return False

    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTED_BLOCKS}).enable("table")
    parser.core.ruler.disable("inline")
    parser.block.ruler.before("table", "note_line", note_line)
    return parser


def read(file: str, text: str, opener: Opener, reading: Reading) -> None:
    """Read the tables of a Markdown file into ``reading``, in document order."""
    headings: list[tuple[int, str]] = []
    parser = _parser(reading)
    tokens = parser.parse(text)
    table_end = -1
    is_deep = False
    for at, token in enumerate(tokens):
        is_within_deep, is_deep = is_deep, token.level >= _MAX_NESTED_BLOCKS - 1
        if at <= table_end or (is_within_deep and is_deep):
            continue
        line = (token.map[0] if token.map else 0) + 1
        reading.line = line if token.map else reading.line
        above = tuple(title for _, title in headings)
        if token.type == "heading_open":
            level = int(token.tag[1:])
            headings = [heading for heading in headings if heading[0] < level]
            title = _text(parser, tokens[at + 1], reading)
            headings.append((level, title))
            reading.title = reading.title or title
        elif token.type == "table_open":
            closing = (n for n in range(at, len(tokens)) if tokens[n].type == "table_close")
            table_end = next(closing)
            rows = _rows(parser, tokens[at:table_end], reading)
            reading.add_table(Table(file, line, above, "", joined_head(rows[:1]), tuple(rows[1:])))
        elif token.type == "html_block" and "<t" in token.content:
            # Most HTML blocks have no table and need no parsing.
            part = Reading(reading.limits)
            html.read(file, token.content, opener, part)
            _add_part(reading, part, file, line - 1, above)
        elif token.type == "fence" and token.info.startswith("{"):
            name, _, title = token.info[1:].partition("}")
            part = Reading(reading.limits)
            if name == "eval-rst":
                rst.read(file, token.content, opener, part)
                _add_part(reading, part, file, line, above)
            elif name in _DIRECTIVES:
                rst.read(file, _as_rst(name, title, token.content), opener, part)
                # The line of the directive is that of the fence.
                _add_part(reading, part, file, line - 1, above)
        if is_deep:
            message = f"blocks nested more than {_MAX_NESTED_BLOCKS} levels deep are left out"
            reading.add_fault(
                Diagnostic("limit", file, message, "nest them less deeply", line=line)
            )


def _as_rst(name: str, title: str, body: str) -> str:
    """Return a directive of MyST in reStructuredText: options, a blank line, content."""
    lines = body.split("\n")
    options = [*itertools.takewhile(lambda line: line.startswith(":"), lines)]
    content = lines[len(options) :]
    blank = [] if content and not content[0].strip() else [""]
    indented = [f"   {line}" for line in (*options, *blank, *content)]
    return "\n".join((f".. {name}:: {title.strip()}", *indented, ""))


def _rows(parser: MarkdownIt, tokens: list[Token], reading: Reading) -> list[tuple[Cell, ...]]:
    rows: list[list[Cell]] = []
    line = 1
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
            line = token.map[0] + 1 if token.map else line
            reading.line = line
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(Cell(_text(parser, tokens[at + 1], reading), line))
    return [tuple(row) for row in rows]


def _text(parser: MarkdownIt, token: Token, reading: Reading) -> str:
    """Return the text of inline markup, or unparsed text if it exceeds the limit of a cell."""
    if len(token.content) > reading.limits.cell:
        return plain(token.content)
    children: list[Token] = []
    parser.inline.parse(token.content, parser, {}, children)
    parts = [
        child.content if child.type in ("text", "text_special", "code_inline") else " "
        for child in children
        if not child.type.endswith(("_open", "_close")) and child.type != "html_inline"
    ]
    return plain("".join(parts))


def _add_part(
    reading: Reading, part: Reading, file: str, shift: int, above: tuple[str, ...]
) -> None:
    """Add the tables and faults of part of a file: below the headings ``above`` it, and with line
    numbers relative to the entire file, which are higher by ``shift``."""
    for table in part.tables:
        table = replace(table, headings=(*above, *table.headings))
        if table.file == file:
            moved = (
                tuple(replace(cell, line=cell.line + shift) for cell in row) for row in table.rows
            )
            table = replace(table, line=table.line + shift, rows=tuple(moved))
        reading.add_table(table)
    for fault in part.faults:
        line = (fault.line or 1) + shift if fault.origin == file else fault.line
        reading.add_fault(replace(fault, line=line))
    reading.unlisted += part.unlisted

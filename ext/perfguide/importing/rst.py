"""Tables in reStructuredText (csv-table, list-table, grid and simple tables), and the text around
them.

docutils parses the text without access to the machine: no raw HTML, no inclusion, no configuration
files. Its transforms do not run; substitutions are replaced here, within a limit. The content of
directives unknown to docutils (those of Sphinx and of extensions) is read too, and their titles
count as headings. A paragraph ``Table: CPU load`` below or above a table is its caption. Tables in
separate files (``:file:``) are read if the file belongs to the same guide. Tables on perfguide's
own pages have rounded figures; the exact ones, with their spread, are taken from the page's data
file.
"""

from __future__ import annotations

import codecs
import csv
import importlib
import io
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePosixPath
from typing import Any, ClassVar

import msgspec
from docutils import nodes
from docutils.frontend import Values, get_default_settings
from docutils.languages import get_language
from docutils.parsers.rst import Directive, Parser, directives, roles, states
from docutils.parsers.rst.directives import tables as docutils_tables
from docutils.utils import new_document

from ..common.diagnostics import Diagnostic, visible
from .model import (
    Cell,
    Opener,
    Passage,
    PassageKind,
    Reading,
    Span,
    Table,
    caption_in,
    joined_head,
    limit_hint,
    path_below,
    plain,
    spread,
)

_CODE_DIRECTIVES = frozenset({"code-block", "code", "sourcecode"})
_IGNORED_DIRECTIVES = frozenset({"literalinclude", "toctree", "image", "figure", "raw"})
_CONDITION_DIRECTIVES = frozenset({"ifconfig", "only"})
"""Directives whose argument is a condition rather than a heading."""
_SUBSTITUTION_CHARS = 1000
_SUBSTITUTION_DEPTH = 20
_INVISIBLE = (
    *(nodes.footnote_reference, nodes.system_message, nodes.comment),
    nodes.substitution_definition,
)
_WORDS = (
    *(nodes.paragraph, nodes.bullet_list, nodes.enumerated_list, nodes.definition_list),
    *(nodes.Admonition, nodes.literal_block, nodes.line_block),
)
"""Elements whose text is kept."""
_KIND = "log-row"


@cache
def _settings() -> Values:
    """Return docutils settings that ignore its configuration files and open no files."""
    settings = get_default_settings(Parser)
    vars(settings).update(
        # Beyond all docutils levels, so that it neither prints nor raises.
        report_level=5,
        halt_level=6,
        warning_stream="",
        file_insertion_enabled=False,
        raw_enabled=False,
        syntax_highlight="none",
        # Long lines are refused before parsing, naming the option that allows them.
        line_length_limit=1 << 30,
    )
    return settings


@cache
def prepare() -> None:
    """Import the modules that docutils otherwise imports when a document needs them."""
    for module in pkgutil.iter_modules(directives.__path__, f"{directives.__name__}."):
        if not module.name.endswith(".html"):  # moved to misc, and deprecated
            importlib.import_module(module.name)
    get_language("en", None)
    codecs.lookup("utf-8-sig")
    # Parsing a little of everything imports what the loop above does not list.
    reading = Reading()
    read("", ".. note:: a |b| :sup:`c` `d`_\n\n.. |b| replace:: d\n", lambda name: None, reading)


def read(file: str, text: str, opener: Opener, reading: Reading) -> None:
    """Read the tables of a reStructuredText file into ``reading``, in document order."""
    max_chars = reading.limits.line
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > max_chars:
            message = f"a line has {len(line):,} characters, over {max_chars:,}: nothing is read"
            reading.add_fault(Diagnostic("limit", file, message, limit_hint("line"), line=number))
            return
    document = new_document(file, _settings())
    parser = Parser(inliner=_inliner(reading.limits.cell))
    captions: dict[int, str] = {}
    try:
        text, captions = _separated(text)
        exact = _page_tables(file, opener) if text.startswith(".. perfguide: ") else {}
        with _directives(_Source(file, opener, reading, exact)):
            parser.parse(text, document)
    finally:
        # Tables before a fault are kept, and the line of the last one locates the fault.
        _Tables(document, file, reading, captions).read()


_TABLE_DIRECTIVE = re.compile(r"\.\. (?:csv-table|list-table|table)::")


def _separated(text: str) -> tuple[str, dict[int, str]]:
    """Return the text without captions directly above a table, and these captions by the lines of
    their tables. Without a blank line in between, docutils would take the table for a part of the
    paragraph."""
    lines = text.split("\n")
    captions: dict[int, str] = {}
    for at in range(1, len(lines)):
        if _TABLE_DIRECTIVE.match(lines[at]) and lines[at - 1][:1].isalnum():
            caption = caption_in(plain(lines[at - 1].replace("*", "")))
            if caption:
                captions[at + 1], lines[at - 1] = caption, ""
    return "\n".join(lines), captions


def _inliner(max_chars: int) -> states.Inliner:
    """Return an inline parser that leaves paragraphs longer than a cell unparsed."""
    inliner = states.Inliner()
    parse = inliner.parse

    def short(text: str, *rest: Any) -> Any:
        return parse(text, *rest) if len(text) <= max_chars else ([nodes.Text(text)], [])

    inliner.parse = short  # type: ignore[method-assign, assignment]
    return inliner


class _Tables:
    """The tables and passages of a document."""

    def __init__(
        self, document: nodes.document, file: str, reading: Reading, captions: Mapping[int, str]
    ) -> None:
        self._captions = captions
        """Captions by the lines of their tables."""
        self._document = document
        self._file = file
        self._reading = reading
        self._expanded: dict[str, str | None] = {}
        self._caption = ""
        """The text of a caption that has no table yet."""
        self._is_below_table = False
        """True if the next paragraph may be the caption of the last table."""
        self._are_captions_above: bool | None = None
        """True if the first caption in a paragraph has no table above it."""

    def read(self) -> None:
        self._read(self._document, ())

    def _read(self, parent: nodes.Element, headings: tuple[str, ...]) -> None:
        """Read the elements below some headings."""
        # Including the rubric that applies until the next section.
        current = headings
        for child in parent.children:
            if isinstance(child, nodes.title | nodes.rubric):
                self._caption, self._is_below_table = "", False
                # A rubric replaces the previous one.
                current = (*headings, self._text(child, child.line or 1))
                self._reading.title = self._reading.title or current[-1]
                headings = current if isinstance(child, nodes.title) else headings
            elif isinstance(child, nodes.table):
                self._table(child, current)
            elif isinstance(child, nodes.system_message):
                # Parser messages may occur between the guide's own words.
                continue
            elif isinstance(child, _WORDS) and not any(child.findall(nodes.table)):
                self._words(child, current)
            elif isinstance(child, nodes.Element):
                current = headings if isinstance(child, nodes.section) else current
                self._read(child, current)

    def _words(self, node: nodes.Element, headings: tuple[str, ...]) -> None:
        """Add a paragraph, list, admonition or block of code; a caption goes to its table."""
        line = _first_line(node) or self._reading.line or 1
        if isinstance(node, nodes.literal_block):
            # docutils gives the line after the block, and the text keeps its own lines.
            text = node.astext().strip()
            self._passage(line, headings, "command", text)
            return
        kind: PassageKind = "text"
        if isinstance(node, nodes.bullet_list | nodes.enumerated_list | nodes.definition_list):
            kind = "list"
            items = [self._text(child, line) for child in node.children]
            text = "; ".join(filter(None, items))
        else:
            kind = "warning" if isinstance(node, nodes.Admonition) else "text"
            text = self._text(node, line)
        # Guides have all captions above their tables or all below, as the first one shows.
        caption = caption_in(text) if kind == "text" else ""
        tables = self._reading.tables
        if caption and self._are_captions_above is None:
            self._are_captions_above = not self._is_below_table
        if (
            caption
            and self._is_below_table
            and not self._are_captions_above
            and tables
            and not tables[-1].caption
        ):
            tables[-1] = replace(tables[-1], caption=caption)
            self._is_below_table = False
        elif caption:
            self._caption = caption
        else:
            self._caption = ""
            self._passage(line, headings, kind, text)

    def _passage(self, line: int, headings: tuple[str, ...], kind: PassageKind, text: str) -> None:
        if any(map(str.isalnum, text)):
            self._is_below_table = False
            self._reading.add_passage(Passage(self._file, line, headings, kind, text))

    def _table(self, node: nodes.table, headings: tuple[str, ...]) -> None:
        line = int(node.get("perf_line") or node.line or 1)
        titles = (child for child in node.children if isinstance(child, nodes.title))
        title = next((self._text(title, line) for title in titles), "")
        caption = title or self._captions.get(line, "") or self._caption
        self._caption, self._is_below_table = "", True
        if raw := node.get("perf_rows"):
            rows = [tuple(self._cell(cell, at) for cell in row) for at, row in raw]
            count, file = int(node["perf_head"]), str(node["perf_file"])
        else:
            group = next((c for c in node.children if isinstance(c, nodes.tgroup)), None)
            if group is None:
                return
            head = [row for part in group.children if isinstance(part, nodes.thead) for row in part]
            body = [row for part in group.children if isinstance(part, nodes.tbody) for row in part]
            count, file = len(head), self._file
            rows = spread(self._reading, file, line, self._spans([*head, *body], line))
            if not rows:
                return
        self._reading.line = max([self._reading.line, line, *(c.line for row in rows for c in row)])
        count = count or 1  # without a head, the first row names the columns
        head_texts = joined_head(rows[:count])
        self._reading.add_table(
            Table(file, line, headings, caption, head_texts, tuple(rows[count:]))
        )

    def _cell(self, content: str | nodes.Element, line: int) -> Cell:
        text = content if isinstance(content, str) else self._text(content, line)
        return Cell(text, line)

    def _spans(self, rows: list[Any], line: int) -> list[list[Span]]:
        """Return the cells in rows of nodes."""
        out: list[list[Span]] = []
        for row in rows:
            out.append([])
            for entry in row.children:
                line = _first_line(entry) or line
                cell = Cell(self._text(entry, line), line)
                out[-1].append((cell, 1 + entry.get("morerows", 0), 1 + entry.get("morecols", 0)))
        return out

    def _text(self, node: nodes.Node, line: int) -> str:
        """Return the text of a node without footnote references."""
        parts: list[str] = []
        stack: list[nodes.Node | str] = [node]
        while stack:
            inner = stack.pop()
            if isinstance(inner, nodes.Text | nodes.image):
                parts.append(inner.astext())
            elif isinstance(inner, str):
                parts.append(inner)
            elif isinstance(inner, nodes.substitution_reference):
                parts.append(self._substituted(inner, line))
            elif isinstance(inner, nodes.Element) and not isinstance(inner, _INVISIBLE):
                gap = "" if isinstance(inner, nodes.TextElement) else " "
                for child in reversed(inner.children):
                    stack += [gap, child]
        return plain("".join(parts))

    def _substituted(self, reference: nodes.Node, line: int) -> str:
        name = str(reference["refname"]) if isinstance(reference, nodes.Element) else ""
        text = self._expand(name, 0)
        if text is not None:
            return text
        message = f"the substitution |{name}| is undefined, too long or nested too deeply"
        hint = f"at most {_SUBSTITUTION_CHARS} characters, nested at most {_SUBSTITUTION_DEPTH} levels deep"
        self._reading.add_fault(Diagnostic("log-note", self._file, message, hint, line=line))
        return f"|{name}|"

    def _expand(self, name: str, depth: int) -> str | None:
        """Return the text of a substitution, or ``None`` if it is undefined or exceeds a limit."""
        names, definitions = self._document.substitution_names, self._document.substitution_defs
        name = name if name in definitions else names.get(nodes.fully_normalize_name(name), "")
        if name not in definitions or depth > _SUBSTITUTION_DEPTH:
            return None
        if name not in self._expanded:
            self._expanded[name] = None  # so that a self-reference ends
            self._expanded[name] = self._definition(definitions[name], depth)
        return self._expanded[name]

    def _definition(self, node: nodes.Element, depth: int) -> str | None:
        parts: list[str] = []
        chars_left = _SUBSTITUTION_CHARS
        for child in node.findall():
            part: str | None = ""
            if isinstance(child.parent, nodes.substitution_reference):
                continue
            elif isinstance(child, nodes.substitution_reference):
                part = self._expand(str(child["refname"]), depth + 1)
            elif isinstance(child, nodes.Text | nodes.image):
                part = child.astext()
            # Count empty parts too, or a definition of nothing but references would never end.
            chars_left -= 1 if part is None else max(1, len(part))
            if part is None or chars_left < 0:
                return None
            parts.append(part)
        return "".join(parts)


def _first_line(node: nodes.Node) -> int:
    """Return the line of a node or of its first descendant that has one, else 0."""
    return next((int(child.line) for child in node.findall() if child.line), 0)


class _Through(Directive):
    """A directive unknown to docutils, whose content is read."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True

    # Any option is accepted, as the directive's own ones are unknown. Not empty, which means none.
    option_spec: ClassVar[Any] = defaultdict(
        lambda: directives.unchanged, name=directives.unchanged
    )

    def run(self) -> list[nodes.Node]:
        if self.name in _IGNORED_DIRECTIVES:
            return []
        if self.name in _CODE_DIRECTIVES:
            text = "\n".join(self.content)
            block = nodes.literal_block(text, text)
            block.line = self.content_offset + 1
            return [block]
        holder = nodes.container()
        if self.arguments and self.content and self.name not in _CONDITION_DIRECTIVES:
            holder += nodes.rubric("", self.arguments[0])
        self.state.nested_parse(self.content, self.content_offset, holder)
        return [holder]


_Row = tuple[int, list[Any]]
"""The line of a row, and its cells as text or nodes."""
_Figures = list[tuple[int, int, int | float | bool, str]]
"""Row and column of a figure, its value, and the text of its spread."""


class _PageTable(msgspec.Struct):
    figures: _Figures = []


class _PageFigures(msgspec.Struct):
    """The subset of :mod:`perfguide.tables.page_tables`' data file that is read here."""

    tables: dict[str, _PageTable] = {}


@dataclass(frozen=True, slots=True)
class _Source:
    """The document being read: its file, how to open others, and the figures of its tables."""

    file: str
    opener: Opener
    reading: Reading
    exact: Mapping[str, _PageTable]

    def leave_out(self, line: int, message: str, hint: str = "") -> list[nodes.Node]:
        """Report a table that is left out, and return no nodes, for its directive to return."""
        self.reading.add_fault(Diagnostic(_KIND, self.file, message, hint, line=line))
        return []


class _CsvTable(docutils_tables.CSVTable):
    """A csv-table that keeps the line of each row."""

    # docutils would look up the encoding, for which Python imports a module.
    option_spec = docutils_tables.CSVTable.option_spec | {"encoding": str}
    source: ClassVar[_Source]

    def run(self) -> list[Any]:
        content, where, first = "\n".join(self.content), self.source.file, self.content_offset + 1
        line = self.lineno
        if "url" in self.options:
            return self.source.leave_out(
                line, "a table's address is never opened", "write its rows here"
            )
        if "file" in self.options:
            name = self.options["file"]
            path = path_below(where, name)
            data = self.source.opener(path) if path else None
            if path is None or data is None:
                message = f"the table's file “{name[:200]}” is not in the guide, or too large"
                hint = "name it by its path from this document"
                return self.source.leave_out(line, message, hint)
            where, content = path, data.decode("utf-8-sig", "replace")
            first = line = 1
        rows = self._rows(content, where, first)
        head = int(self.options.get("header-rows", 0))
        if page_table := self.source.exact.get(str(self.options.get("file", ""))):
            _make_exact(rows[head:], self.options.get("stub-columns", 0), page_table.figures)
        if "header" in self.options:
            extra = self._rows(self.options["header"], self.source.file, self.lineno)
            rows, head = [*extra, *rows], head + len(extra)
        title, _ = self.make_title()  # type: ignore[no-untyped-call]
        table = nodes.table("", *([title] if title else []))
        table["perf_rows"], table["perf_head"] = rows, head
        table["perf_file"], table["perf_line"] = where, line
        return [table]

    def _rows(self, content: str, where: str, first: int) -> list[_Row]:
        dialect: Any = self.DocutilsDialect(self.options)
        reader = csv.reader(io.StringIO(content, newline=""), dialect=dialect)
        return [
            (line, [self._inline(text, line) for text in row])
            for line, row in _csv(reader, where, first, self.source.reading)
        ]

    def _inline(self, text: str, line: int) -> str | nodes.Element:
        # Most cells have no markup, and parsing it would take most of the time.
        if not set(text) & set("*`_|:\\["):
            return plain(text)
        nodes_within, _ = self.state.inline_text(text, line)
        return nodes.paragraph("", "", *nodes_within)


class _Include(Directive):
    """An include directive, which is not followed."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = _Through.option_spec
    source: ClassVar[_Source]

    def run(self) -> list[nodes.Node]:
        message = f"“{visible(self.arguments[0][:200])}” is not included"
        hint = "if it has tables, import it as a separate guide"
        fault = Diagnostic("log-note", self.source.file, message, hint, line=self.lineno)
        self.source.reading.add_fault(fault)
        return []


@contextmanager
def _directives(source: _Source) -> Iterator[None]:
    """Register our directives with docutils while a file is read."""
    docutils_directive, docutils_role = directives.directive, roles.role

    # Classes of this document, as docutils makes the directives itself.
    table = type("CsvTable", (_CsvTable,), {"source": source})
    include = type("Include", (_Include,), {"source": source})
    ours = {"csv-table": table, "perf-csv-table": table, "include": include}

    def find(name: str, language: Any, document: Any) -> Any:
        if name in ours:
            return ours[name], []
        directive, messages = docutils_directive(name, language, document)
        if directive is None or name in _IGNORED_DIRECTIVES | _CODE_DIRECTIVES:
            return _Through, []
        return directive, messages

    def find_role(name: str, language: Any, lineno: int, reporter: Any) -> Any:
        role, messages = docutils_role(name, language, lineno, reporter)
        return (_plain_role, []) if role is None else (role, messages)

    # docutils has no registry per parse, so its lookups are replaced temporarily.
    directives.directive, roles.role = find, find_role  # type: ignore[assignment]
    try:
        yield
    finally:
        directives.directive, roles.role = docutils_directive, docutils_role


def _page_tables(file: str, opener: Opener) -> dict[str, _PageTable]:
    """Return the exact figures of the tables on a perfguide page, by file name."""
    path = path_below(file, f"{PurePosixPath(file).stem}/figures.js")
    data = opener(path) if path else None
    if data is None or not data.isascii():
        return {}
    try:
        content = data.removeprefix(b"perfguideFigures=")
        return msgspec.json.decode(content, type=_PageFigures).tables
    except msgspec.DecodeError:
        return {}


def _make_exact(rows: list[_Row], keys: int, figures: _Figures) -> None:
    """Replace rounded figures by exact ones; the leftmost ``keys`` columns hold no figures."""
    for row, column, value, rest in figures:
        if 0 <= row < len(rows) and keys <= column < len(rows[row][1]):
            spread = re.sub(r"(?<=\d),(?=\d{3})", "", rest)
            rows[row][1][column] = f"{value!r}{spread}"


def _csv(reader: Any, file: str, first: int, reading: Reading) -> list[_Row]:
    """Return the rows of CSV, each with the line on which it begins, up to the first fault."""
    rows: list[_Row] = []
    begins = 0
    try:
        for row in reader:
            if row:
                rows.append((first + begins, [text.strip() for text in row]))
            begins = reader.line_num
    except csv.Error as error:
        message = f"the rows from here on are not CSV and are left out: {error}"
        reading.add_fault(Diagnostic(_KIND, file, message, "close the quotes", line=first + begins))
    return rows


def _plain_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any,
    options: Any = None, content: Any = (),
) -> tuple[list[nodes.Node], list[nodes.system_message]]:  # fmt: skip
    label = text.rpartition("<")[0].strip() if text.endswith(">") and "<" in text else text
    return [nodes.Text(label)], []

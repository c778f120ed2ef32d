"""Tables of reStructuredText: csv-table, list-table, grid and simple tables.

docutils reads the text, with nothing of the machine within reach: no raw HTML, no inclusion, no
configuration. Directives and roles that it does not know (those of Sphinx and of extensions) are
passed through: what they hold is read, and a title that they have counts as a heading. Tables in
files of their own (``:file:``, and ``perf-table`` of perfguide's pages) are read where the file is
in the same guide.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.directives import tables as docutils_tables

from .model import Cell, Opener, Table, below, joined_head, plain

_SILENT = frozenset({"code-block", "code", "literalinclude", "toctree", "image", "figure", "raw"})
_SETTINGS = {
    "report_level": 5,
    "halt_level": 5,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "doctitle_xform": False,
    "line_length_limit": 100_000,
    "input_encoding": "unicode",
}


def read(file: str, text: str, opener: Opener) -> list[Table]:
    """The tables of a file, in its order."""
    with _reading(file, opener):
        document = publish_doctree(text, source_path=file, settings_overrides=_SETTINGS)
    return list(_tables(document, file, ()))


def _tables(parent: nodes.Element, file: str, headings: tuple[str, ...]) -> Iterator[Table]:
    """The tables below a node; a heading holds until its section ends."""
    own = headings
    for child in parent.children:
        if isinstance(child, nodes.title | nodes.rubric) and not isinstance(parent, nodes.table):
            # A rubric takes the place of the one before it.
            own = (*headings, plain(child.astext()))
            if isinstance(child, nodes.title):
                headings = own
        elif isinstance(child, nodes.table):
            if table := _table(child, file, own):
                yield table
        elif isinstance(child, nodes.Element):
            yield from _tables(child, file, own)


def _table(node: nodes.table, file: str, headings: tuple[str, ...]) -> Table | None:
    caption = next(
        (plain(each.astext()) for each in node.children if isinstance(each, nodes.title)), ""
    )
    line = int(node.get("perf_line") or node.line or 1)
    if rows := node.get("perf_rows"):
        count = int(node["perf_head"])
        where = str(node["perf_file"])
    else:
        group = next(iter(node.findall(nodes.tgroup)), None)
        if group is None:
            return None
        head = [row for part in group.children if isinstance(part, nodes.thead) for row in part]
        body = [row for part in group.children if isinstance(part, nodes.tbody) for row in part]
        rows, count, where = _spread([*head, *body], line), len(head), file
    count = count or 1  # without a head the first row says what the columns are
    return Table(where, line, headings, caption, joined_head(rows[:count]), tuple(rows[count:]))


def _spread(rows: list[Any], line: int) -> list[tuple[Cell, ...]]:
    """Rows of nodes as rows of cells, each spanning cell in all its places."""
    pending: dict[tuple[int, int], Cell] = {}
    out: list[tuple[Cell, ...]] = []
    for number, row in enumerate(rows):
        cells: list[Cell] = []
        for entry in row.children:
            while (number, len(cells)) in pending:
                cells.append(pending[number, len(cells)])
            line = next((n.line for n in entry.findall() if getattr(n, "line", None)), line)
            cell = Cell(_text(entry), line)
            for _ in range(1 + entry.get("morecols", 0)):
                for below_it in range(1, 1 + entry.get("morerows", 0)):
                    pending[number + below_it, len(cells)] = cell
                cells.append(cell)
        while (number, len(cells)) in pending:
            cells.append(pending[number, len(cells)])
        out.append(tuple(cells))
    return out


def _text(node: nodes.Element) -> str:
    """The text of a cell without its references to footnotes."""
    copy = node.deepcopy()
    for each in [*copy.findall(nodes.footnote_reference), *copy.findall(nodes.system_message)]:
        each.parent.remove(each)
    return plain(copy.astext())


class _Through(Directive):
    """A directive that docutils does not know: what it holds is read."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True

    class _Any(dict):  # type: ignore[type-arg]
        def __getitem__(self, key: str) -> Any:
            return directives.unchanged

        def __bool__(self) -> bool:
            return True

    option_spec = _Any()

    def run(self) -> list[nodes.Node]:
        if self.name in _SILENT:
            return []
        holder = nodes.container()
        if self.arguments and self.content:
            holder += nodes.rubric("", self.arguments[0])
        self.state.nested_parse(self.content, self.content_offset, holder)
        return [holder]


@contextmanager
def _reading(file: str, opener: Opener) -> Iterator[None]:
    """docutils with our directives, for as long as a file is read."""

    class CsvTable(docutils_tables.CSVTable):
        """A csv-table whose rows keep their lines."""

        def run(self) -> list[Any]:
            content, where, first = "\n".join(self.content), file, self.content_offset + 1
            if "url" in self.options:
                return []
            if "file" in self.options:
                path = below(file, self.options["file"])
                data = opener(path) if path else None
                if path is None or data is None:
                    return []
                content, where, first = data.decode("utf-8-sig", "replace"), path, 1
            rows, head = _csv_rows(self, content, first)
            if "header" in self.options:
                extra, _ = _csv_rows(self, self.options["header"], self.lineno)
                rows, head = [*extra, *rows], head + len(extra)
            title, _ = self.make_title()  # type: ignore[no-untyped-call]
            table = nodes.table("", *([title] if title else []))
            table.update_basic_atts({})
            table["perf_rows"], table["perf_head"] = rows, head
            table["perf_file"], table["perf_line"] = where, self.lineno
            return [table]

    class PerfTable(_Through):
        """A table of perfguide's own pages: its CSV file stands beside the one that it names."""

        def run(self) -> list[nodes.Node]:
            name = self.options.get("file", "")
            path = below(file, name.removesuffix(".table.json") + ".csv") if name else None
            data = opener(path) if path else None
            if path is None or data is None:
                return []
            content = data.decode("utf-8-sig", "replace")
            rows = _rows(csv.reader(io.StringIO(content)), 1)
            head = 2 if len(rows) > 1 and not rows[1][0].text else 1
            table = nodes.table("", nodes.title("", self.arguments[0] if self.arguments else ""))
            table["perf_rows"], table["perf_head"] = rows, head
            table["perf_file"], table["perf_line"] = path, self.lineno
            return [table]

    def _csv_rows(
        directive: CsvTable, content: str, first: int
    ) -> tuple[list[tuple[Cell, ...]], int]:
        dialect: Any = directive.DocutilsDialect(directive.options)
        source = io.StringIO(content, newline="")
        rows = _rows(csv.reader(source, dialect=dialect), first)
        marked = [tuple(Cell(_inline(directive, cell), cell.line) for cell in row) for row in rows]
        return marked, int(directive.options.get("header-rows", 0))

    def _inline(directive: Directive, cell: Cell) -> str:
        if not set(cell.text) & set("*`_|:\\["):
            return plain(cell.text)
        found, _ = directive.state.inline_text(cell.text, cell.line)
        return _text(nodes.paragraph("", "", *found))

    known = directives.directive
    known_role = roles.role

    def find(name: str, language: Any, document: Any) -> Any:
        if name in own_names:
            return own_names[name], []
        found = known(name, language, document)
        return found if found[0] is not None and name not in _SILENT else (_Through, [])

    def find_role(name: str, language: Any, lineno: int, reporter: Any) -> Any:
        found = known_role(name, language, lineno, reporter)
        return found if found[0] is not None else (_plain_role, [])

    own_names = {"csv-table": CsvTable, "perf-csv-table": CsvTable, "perf-table": PerfTable}
    directives.directive, roles.role = find, find_role  # type: ignore[assignment]
    try:
        yield
    finally:
        directives.directive, roles.role = known, known_role


def _rows(reader: Any, first: int) -> list[tuple[Cell, ...]]:
    """Rows of CSV with the lines on which they begin."""
    rows: list[tuple[Cell, ...]] = []
    begins = 0
    try:
        for row in reader:
            if row:
                rows.append(tuple(Cell(text.strip(), first + begins) for text in row))
            begins = reader.line_num
    except csv.Error:
        pass
    return rows


def _plain_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any,
    options: Any = None, content: Any = (),
) -> tuple[list[nodes.Node], list[nodes.system_message]]:  # fmt: skip
    shown = text.rpartition("<")[0].strip() if text.endswith(">") and "<" in text else text
    return [nodes.Text(shown)], []

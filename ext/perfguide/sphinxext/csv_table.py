"""The ``perf-csv-table`` directive: tables on hand-written pages whose cells are plain text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import msgspec
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.parsers.rst.directives.tables import CSVTable
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import OptionSpec

from ..common import csv_text, units
from ..common.units import TableCell
from ..tables import grids
from ..tables.grids import Grid
from ..tables.remarks import shown_text
from .config import warn_at
from .file_links import download
from .table_nodes import perf_leaf


def table_of(directive: SphinxDirective, leaf: nodes.Element) -> list[nodes.Node]:
    """Return a directive's table, and messages about its title."""
    options = directive.options
    table = nodes.table(classes=["perf-csv-table", *options.get("class", [])])
    directive.set_source_info(table)
    messages: Sequence[nodes.Node] = []
    if directive.arguments:
        title = directive.arguments[0]
        inline, messages = directive.state.inline_text(title, directive.lineno)
        table += nodes.title(title, "", *inline)
    for option in ("align", "width"):
        if option in options:
            table[option] = options[option]
    table += leaf
    directive.add_name(table)
    return [table, *messages]


def _widths(argument: str) -> list[int]:
    """Return relative widths; empty for ``auto`` and ``grid``, where cells determine the widths."""
    if argument.strip() in ("auto", "grid"):
        return []
    return directives.positive_int_list(argument)


class PerfCsvTable(SphinxDirective):
    """A ``csv-table`` whose cells are never parsed as markup."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[OptionSpec] = {
        **{name: read for name, read in CSVTable.option_spec.items() if name != "url"},
        "widths": _widths,
        "marked": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """Return the table, with a download link if it is from a file."""
        source, text = self._text()
        if text is None:
            return []
        header_rows = self.options.get("header-rows", 0)
        stub = self.options.get("stub-columns", 0)
        rows = self._rows(text, CSVTable.DocutilsDialect(self.options), source)
        header: list[list[str]] | None = []
        if "header" in self.options:
            header = self._rows(self.options["header"], CSVTable.HeaderDialect(), source)
        if rows is None or header is None:
            return []
        header, body = [*header, *rows[:header_rows]], rows[header_rows:]
        width = max((len(row) for row in [*header, *body]), default=0)
        if not body or width <= stub:
            fault = "has no row of figures" if not body else "has no column besides row keys"
            return warn_at(self, "table", source, fault, "check “header-rows” and “stub-columns”")
        widths = self.options.get("widths", [])
        if widths and len(widths) != width:
            fault = f"has {width} columns, and “widths” names {len(widths)}"
            # Wrong widths are no reason to leave out the figures.
            warn_at(self, "table", source, fault, "name one width for each column")
            widths = []
        # Spreadsheets omit empty cells at the end of a row.
        empty = [""] * width
        head = tuple((*row, *empty[len(row) :]) for row in header)
        cells = (
            (_read(text, c < stub) for c, text in enumerate((*row, *empty[len(row) :])))
            for row in body
        )
        grid = Grid(head, tuple(map(tuple, cells)), stub)
        if header and "Unit" in grid.header[0][:stub]:
            column = grid.header[0].index("Unit")
            names = dict.fromkeys(units.whole(row[column]) for row in grid.rows)
            scales = grids.unit_scales((name, name.rstrip(" ↑↓")) for name in names)
            grid = msgspec.structs.replace(grid, units=scales)
        out = table_of(self, perf_leaf(grid, self.config.perfguide_output, widths))
        if "file" in self.options:
            out.append(download(self.env.docname, {source: "CSV"}))
        return out

    def _text(self) -> tuple[str, str | None]:
        """Return the source of the table's text, and the text; after a warning, ``None``."""
        if "file" not in self.options:
            if not self.content:
                message = "has neither content nor “file”"
                warn_at(self, "table", "perf-csv-table", message, "give one of them")
                return "", None
            return self.get_source_info()[0], "\n".join(self.content)
        name, path = self.env.relfn2path(self.options["file"])
        if self.content:
            warn_at(self, "table", name, "has both content and “file”", "give one of them")
            return name, None
        try:
            data = Path(path).read_bytes()
            self.env.note_dependency(name)
            return name, data.decode(self.options.get("encoding", "utf-8-sig"))
        except (OSError, UnicodeDecodeError, LookupError) as error:
            hint = "check the path and the encoding"
            warn_at(self, "table", name, f"cannot be read: {error}", hint)
            return name, None

    def _rows(self, text: str, dialect: csv.Dialect, source: str) -> list[list[str]] | None:
        try:
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), dialect) if row]
        except csv.Error as error:
            hint = "check quotes and separators"
            warn_at(self, "table", source, f"is not CSV: {error}", hint)
            return None
        if "marked" in self.options:
            # One of our files: texts from bundles are escaped for spreadsheets.
            return [[shown_text(csv_text.plain(cell)) for cell in row] for row in rows]
        return rows


_FIGURE = re.compile(r"([-+−]?[0-9][^ ;]*(?: %)?)(( \(|;| n=).*)?", re.DOTALL)
_KEY = re.compile(r"(.*?)([kmg]?)", re.IGNORECASE)


def _read(text: str, key: bool) -> TableCell:
    """Return the number in a hand-written cell, or its text. A row key may be a size: ``4k``."""
    match = (_KEY if key else _FIGURE).fullmatch(text)
    number = units.read(match[1].removesuffix("%")) if match else None
    if match is None or number is None:
        return text
    if key:
        return number * 1024 ** " kmg".index(match[2].lower() or " "), text, ""
    return number, match[1], match[2] or ""


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("perf-csv-table", PerfCsvTable)

"""The directives and the role that generated and hand-written pages use."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.parsers.rst.directives.tables import CSVTable, align
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.typing import ExtensionMetadata, OptionSpec

from ..catalog import benchmarks
from ..common import csv_text, rst_text
from ..common.diagnostics import Diagnostic, visible
from . import cell_links, origin_link
from .cell_info import behind
from .config import settings, warn
from .footnotes import NOTE
from .table_nodes import download, perf_rows


def _widths(argument: str) -> list[int]:
    """Relative widths; nothing for ``auto`` and ``grid``, which the cells decide."""
    if argument.strip() in ("auto", "grid"):
        return []
    return directives.positive_int_list(argument)


class PerfCsvTable(SphinxDirective):
    """A ``csv-table`` whose cells are text, whatever they hold."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[OptionSpec] = {
        "file": directives.path,
        "header": directives.unchanged,
        "header-rows": directives.nonnegative_int,
        "stub-columns": directives.nonnegative_int,
        "widths": _widths,
        "width": directives.length_or_percentage_or_unitless,
        "align": align,
        "class": directives.class_option,
        "name": directives.unchanged,
        "delim": directives.single_char_or_whitespace_or_unicode,
        "quote": directives.single_char_or_unicode,
        "escape": directives.single_char_or_unicode,
        "keepspace": directives.flag,
        "encoding": directives.encoding,
        "tabs": directives.flag,
        "marked": directives.flag,
        "marks": directives.path,
        "links": directives.path,
        "origin": directives.unchanged,
        "behind": directives.path,
    }

    def run(self) -> list[nodes.Node]:
        """Make the nodes."""
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
            wrong = "has no row of figures" if not body else "has no column besides row keys"
            self._fault(source, wrong, "check “header-rows” and “stub-columns”")
            return []
        widths = self.options.get("widths", [])
        if widths and len(widths) != width:
            wrong = f"has {width} columns, and “widths” names {len(widths)}"
            self._fault(source, wrong, "name one width for each column")
            widths = []
        table = nodes.table(classes=["perf-csv-table", *self.options.get("class", [])])
        self.set_source_info(table)
        messages: Sequence[nodes.Node] = []
        if self.arguments:
            inline, messages = self.state.inline_text(self.arguments[0], self.lineno)
            table += nodes.title(self.arguments[0], "", *inline)
        for option in ("align", "width"):
            if option in self.options:
                table[option] = self.options[option]
        table += perf_rows(
            header=[_padded(row, width) for row in header],
            body=[_padded(row, width) for row in body],
            stub=stub,
            tabs="tabs" in self.options,
            widths=widths,
            **self._marks(),
            links=self._links(),
        )
        self.add_name(table)
        out: list[nodes.Node] = [table, *messages]
        if "file" in self.options:
            line = download(self.env.docname, source, "CSV")
            if "origin" in self.options:
                line += origin_link.link(self.options["origin"], self.env.docname)
            out.append(line)
        if "behind" in self.options:
            out.append(behind(self.env.docname, self.env.relfn2path(self.options["behind"])[0]))
        return out

    def _text(self) -> tuple[str, str | None]:
        """Where the table's text is from, and the text; ``None`` after a warning."""
        if "file" not in self.options:
            if not self.content:
                self._fault("", "has neither content nor “file”", "give one of them")
                return "", None
            return self.get_source_info()[0], "\n".join(self.content)
        name, path = self.env.relfn2path(self.options["file"])
        if self.content:
            self._fault(name, "has both content and “file”", "give one of them")
            return name, None
        try:
            data = Path(path).read_bytes()
            self.env.note_dependency(name)
            return name, data.decode(self.options.get("encoding", "utf-8-sig"))
        except (OSError, UnicodeDecodeError, LookupError) as error:
            self._fault(name, f"cannot be read: {error}", "check the path and the encoding")
            return name, None

    def _marks(self) -> dict[str, Any]:
        """What stands beside cells: by row and column the notes and their words."""
        cells: dict[int, dict[int, list[tuple[int, str]]]] = {}
        notes: list[dict[str, str]] = []
        if "marks" in self.options:
            name, path = self.env.relfn2path(self.options["marks"])
            try:
                content = json.loads(Path(path).read_bytes())
                notes = [{key: str(note[key]) for key in NOTE} for note in content["notes"]]
                for row, column, found in content["cells"]:
                    own = [(range(len(notes))[n], str(detail)) for n, detail in found]
                    cells.setdefault(int(row), {})[int(column)] = own
            except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
                self._fault(name, f"holds no marks: {error}", "generate it anew")
                return {"marks": {}, "notes": []}
            self.env.note_dependency(name)
        return {"marks": cells, "notes": notes}

    def _links(self) -> list[cell_links.Link]:
        """What cells lead to: the number of the row and the column, page, fragment."""
        if "links" not in self.options:
            return []
        name, path = self.env.relfn2path(self.options["links"])
        try:
            given = json.loads(Path(path).read_bytes())
        except (OSError, ValueError) as error:
            self._fault(name, f"cannot be read: {error}", "generate it anew")
            return []
        self.env.note_dependency(name)
        return cell_links.links(given, self.config.perfguide_output)

    def _rows(self, text: str, dialect: csv.Dialect, source: str) -> list[list[str]] | None:
        try:
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), dialect) if row]
        except csv.Error as error:
            self._fault(source, f"is not CSV: {error}", "check quotes and separators")
            return None
        if "marked" in self.options:
            # A file of ours: its texts are from bundles, and marked for spreadsheets.
            return [[_shown(cell) for cell in row] for row in rows]
        return rows

    def _fault(self, origin: str, message: str, hint: str) -> None:
        finding = Diagnostic("table", origin or "perf-csv-table", message, hint)
        warn([finding], location=self.get_location())


def _shown(cell: str) -> str:
    """The text of a marked cell, with an escape for what would not show or would
    move other text."""
    text = csv_text.plain(cell)
    return visible(text, len(text))


def _padded(row: Sequence[str], width: int) -> tuple[str, ...]:
    return (*row, *[""] * (width - len(row)))


class PerfProse(SphinxDirective):
    """What a benchmark's own text says, in its place on the page."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[OptionSpec] = {}

    def run(self) -> list[nodes.Node]:
        """Make the nodes."""
        path = benchmarks.prose(
            settings(self.config, Path(self.env.srcdir)).benchmarks, self.arguments[0]
        )
        if path is None:
            hint = f"write {self.arguments[0]}.toml and {self.arguments[0]}.rst"
            finding = Diagnostic("catalog-prose", self.arguments[0], "has no text", hint)
            warn([finding], location=self.get_location())
            return []
        self.env.note_dependency(str(path))
        lines = StringList(path.read_text("utf-8").splitlines(), source=str(path))
        holder = nodes.Element()
        values = self.state.document.settings
        here = (values.raw_enabled, values.file_insertion_enabled)
        # This text is the site's own, and may do what the site's own pages may.
        values.raw_enabled, values.file_insertion_enabled = getattr(values, "perf_owner", here)
        try:
            self.state.nested_parse(lines, 0, holder)
        finally:
            values.raw_enabled, values.file_insertion_enabled = here
        return holder.children


class PerfGenerated(SphinxDirective):
    """Begins a generated page: on it neither raw markup nor files can be inserted."""

    option_spec: ClassVar[OptionSpec] = {}

    def run(self) -> list[nodes.Node]:
        """Switch them off for the rest of this page."""
        values = self.state.document.settings
        values.perf_owner = (values.raw_enabled, values.file_insertion_enabled)
        values.raw_enabled = values.file_insertion_enabled = False
        return []


class PerfAnchor(SphinxDirective):
    """Gives the section that it stands in its one lasting address."""

    required_arguments = 1
    option_spec: ClassVar[OptionSpec] = {}

    def run(self) -> list[nodes.Node]:
        """Make the nodes."""
        section = self.state.parent
        if isinstance(section, nodes.section):
            section["ids"] = [nodes.make_id(self.arguments[0]) or self.arguments[0]]
        return []


class PerfOverview(SphinxDirective):
    """The SoCs with the newest release of each, and the newest guides."""

    option_spec: ClassVar[OptionSpec] = {}

    def run(self) -> list[nodes.Node]:
        """Make the nodes."""
        name, path = self.env.relfn2path(f"/{self.config.perfguide_output}/guides/overview.json")
        try:
            overview = json.loads(Path(path).read_bytes())
        except FileNotFoundError:
            return [nodes.paragraph("", "There are no guides yet.")]
        self.env.note_dependency(name)
        if not overview["platforms"]:
            return [nodes.paragraph("", "There are no guides yet.")]
        head = ["SoC", "System", "Newest guide", "Boards", "Figures", "Measured"]
        lines: list[list[nodes.Node]] = []
        for entry in overview["platforms"]:
            cells = [
                self._link(entry["soc"], entry["page"]),
                nodes.Text(entry["family"]),
                self._link(entry["release"], entry["guide"]),
                nodes.Text(", ".join(entry["boards"])),
                nodes.Text(str(entry["figures"])),
                nodes.Text(entry["measured"]),
            ]
            lines.append(cells)
        recent = nodes.bullet_list()
        for entry in overview["recent"]:
            text = f"{entry['soc']}, {entry['family']} {entry['release']}"
            rest = f": measured {entry['measured']} on {', '.join(entry['boards'])}"
            link = self._link(text, entry["guide"])
            recent += nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(rest)))
        new = nodes.rubric("", "What is new")
        return [_node_table(head, lines), new, recent]

    def _link(self, text: str, page: str) -> addnodes.pending_xref:
        shown = nodes.inline(text, text, support_smartquotes=False)
        target = f"/{self.config.perfguide_output}/{page}"
        return addnodes.pending_xref(
            "",
            shown,
            refdomain="std",
            reftype="doc",
            refexplicit=True,
            refwarn=True,
            reftarget=target,
            refdoc=self.env.docname,
        )


def _node_table(head: Sequence[str], lines: Sequence[Sequence[nodes.Node]]) -> nodes.table:
    """A small table whose cells may be links."""
    group = nodes.tgroup(cols=len(head))
    group.extend(nodes.colspec(colwidth=1) for _ in head)
    top = nodes.row("", *(nodes.entry("", nodes.paragraph("", text)) for text in head))
    group += nodes.thead("", top)
    body = nodes.tbody()
    for cells in lines:
        body += nodes.row("", *(nodes.entry("", nodes.paragraph("", "", c)) for c in cells))
    group += body
    return nodes.table("", group, classes=["perf-overview"])


class PerfText(SphinxRole):
    """Text exactly as it is; see :mod:`perfguide.markup`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the node."""
        shown = rst_text.decoded(self.text)
        # The class keeps text that runs right to left from moving what stands beside it.
        inline = nodes.inline(shown, shown, classes=[rst_text.ROLE], support_smartquotes=False)
        return [inline], []


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives and the role."""
    app.add_directive("perf-csv-table", PerfCsvTable)
    app.add_directive("perf-prose", PerfProse)
    app.add_directive("perf-generated", PerfGenerated)
    app.add_directive("perf-anchor", PerfAnchor)
    app.add_directive("perf-overview", PerfOverview)
    app.add_role(rst_text.ROLE, PerfText())
    return {"parallel_read_safe": True, "parallel_write_safe": True}

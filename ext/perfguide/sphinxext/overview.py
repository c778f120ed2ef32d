"""The front page: a search form, the matrix of SoCs and their headline results, regressions, and
the most recent guides."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ..common import units
from ..common.diagnostics import APART_SIGN, visible
from ..common.grouping import grouped
from ..figures import engines
from ..figures.scales import full_bar
from ..health.finding import APART, DOUBTFUL
from ..pages.lists import (
    LOSS_NOTE,
    SIGNS,
    Overview,
    RecentRelease,
    ResultOfGuide,
    SharedMoveOverview,
    SocOverview,
    Worse,
    state_class,
    usual_conditions,
)
from .answers import bars_note, plain_figure
from .config import page_name
from .screen_nodes import Links, ScreenNode, printed_table, words, write_html
from .table_widths import zero_classes

MAX_COLUMNS = 8
"""The maximum number of headline results in the matrix: those with a rank in the catalog, then
those with the most SoCs."""
MAX_EXAMPLES = 3
"""The maximum number of sample queries below the search form."""
MAX_NAMED_SOCS = 3
"""The maximum number of SoCs that a note names; more are counted."""
CAPTION = (
    "Best board of each SoC in its newest guide or, where that has no figure or one in doubt, in the older "
    "one named beside it. Higher is better, unless ↓."
)
LOAD_NOTE = "CPU is the load of the same run{}: compare rates only at similar loads."
MAX_CONDITION_LENGTH = 18
"""The number of characters of a condition for which the head of a column has room; a note has
longer ones."""
SHORT_RELEASE = len("12.00")
"""The length of a release that fits into the room of a bar."""


@dataclass(frozen=True, slots=True)
class Column:
    """A headline result of several SoCs: its benchmark and label, the unit of its figures, its rank
    in the catalog, whether they depend on an engine and thus need their CPU load beside them, the
    condition under which most SoCs have it, and whether the load is ``of one core``."""

    benchmark: str
    label: str
    unit: str
    better: units.Better
    rank: int = sys.maxsize
    has_load: bool = False
    condition: str = ""
    load_of: str = ""

    @property
    def name(self) -> str:
        """The part of the label before its details."""
        return self.label.partition(", ")[0]

    @property
    def detail(self) -> str:
        """The rest of the label, the condition if it is short, and the unit."""
        condition = self.condition if len(self.condition) <= MAX_CONDITION_LENGTH else ""
        return words(self.label.partition(", ")[2], condition, self.unit)

    @property
    def in_block(self) -> str:
        """The name above each figure on narrow screens."""
        unit = "" if self.unit == units.SCORE else self.unit
        return f"{words(self.name, unit)}{' ↓' if self.better == 'lower' else ''}"


@dataclass(frozen=True, slots=True)
class Best:
    """A SoC's result in the column's unit, the release if it is not the SoC's newest, its share of
    a full bar, and the range of runs that are far apart."""

    result: ResultOfGuide
    number: float | None
    older: str = ""
    share: float | None = None
    runs: str = ""

    @property
    def load(self) -> str:
        """The CPU load in per cent as text, or empty if it is unknown."""
        return "" if self.result.load is None else f"{self.result.load:.0f}"

    @property
    def text(self) -> str:
        """The figure as text."""
        return self.result.text if self.number is None else units.number(self.number)

    @property
    def run(self) -> str:
        """The parameters and the engine of the run."""
        # The parameters name a recorded engine too.
        condition = self.result.detail.split(", ")
        return words(*condition, "" if self.result.engine in condition else self.result.engine)

    @property
    def described(self) -> str:
        """Everything about the figure that the matrix has no room for."""
        load = engines.at_load(self.result.load, self.result.load_of).strip()
        conditions = words(self.result.board, self.older, self.run, load)
        return "; ".join(filter(None, (conditions, self.result.before)))


Line = tuple[SocOverview, list[Best | None]]
"""A row of the matrix."""


class perf_overview(ScreenNode):
    """The matrix with its ``columns`` and ``lines``; ``top`` is the folder of generated pages."""

    template = "overview"

    def values(self, builder: Any) -> dict[str, Any]:
        """Return the variables of the template."""
        columns, lines = self["columns"], self["lines"]
        cells = [cell for _, cells in lines for cell in cells if cell]
        loaded = [column for column in columns if column.has_load]
        shares = [f", % {each.load_of} for {each.name}" for each in loaded if each.load_of]
        notes = [LOAD_NOTE.format("".join(shares))] if loaded else []
        notes += run_notes(columns, lines)
        notes += [f"{APART_SIGN} {APART}."] if any(cell.runs for cell in cells) else []
        notes += [f"{DOUBTFUL}."] if any(cell.result.doubt for cell in cells) else []
        # The figures of a column end at one edge if all have room for a mark, and for a bar or a release.
        by_column = [[cell for _, row in lines if (cell := row[at])] for at in range(len(columns))]
        marks = [any(cell.runs or cell.result.doubt for cell in cells) for cells in by_column]
        rooms = [_room(cells) for cells in by_column]
        return {
            "columns": columns,
            "lines": lines,
            "marks": marks,
            "digits": [zero_classes([cell.text for cell in cells]) for cells in by_column],
            "rooms": rooms,
            "caption": CAPTION,
            "bars": bars_note(cell.share for cell in cells),
            "notes": notes,
            "measured": _measured,
            "link": Links(builder, self["top"]),
        }

    def printed(self) -> list[nodes.Node]:
        """Return a table with links to guides."""
        return [_plain(self)]


class perf_search(ScreenNode):
    """A search form. ``examples`` are queries that have results."""

    template = "search"

    def values(self, builder: Any) -> dict[str, Any]:
        """Return the variables of the template."""
        has_search = getattr(builder, "search", False)
        page = builder.get_relative_uri(builder.current_docname, "search") if has_search else ""
        return {"page": page, "examples": [(urlencode({"q": q}), q) for q in self["examples"]]}

    def printed(self) -> list[nodes.Node]:
        """Return nothing: only a site has a search."""
        return []


def columns(socs: Sequence[SocOverview]) -> list[Column]:
    """Return the headline results with a rank in the catalog, filled up with those of the most
    SoCs: those where more is better first, and last those on engines."""
    candidates: dict[tuple[str, str], Column] = {}
    socs_of: dict[tuple[str, str], set[str]] = {}
    for soc in socs:
        for row in soc.results:
            key = (row.benchmark, row.label)
            column = Column(row.benchmark, row.label, row.unit, row.better, row.rank)
            column = candidates.setdefault(key, column)
            has_load = column.has_load or bool(row.engine)
            candidates[key] = replace(column, has_load=has_load, load_of=row.load_of)
            socs_of.setdefault(key, set()).add(soc.soc)
    order, conditions = _in_order(socs), usual_conditions(soc.results for soc in socs)
    # Ties go to the result that guides show first.
    chosen = sorted(
        candidates, key=lambda key: (candidates[key].rank, -len(socs_of[key]), order.index(key))
    )[:MAX_COLUMNS]
    out = [
        replace(candidates[key], condition=conditions[key])
        for key in sorted(chosen, key=order.index)
    ]
    return sorted(out, key=lambda column: (column.has_load, column.better != "higher"))


def _in_order(socs: Sequence[SocOverview]) -> list[tuple[str, str]]:
    """Return all headline results, each after those that precede it in a guide."""
    order: list[tuple[str, str]] = []
    for soc in socs:
        index = 0
        for row in soc.results:
            key = (row.benchmark, row.label)
            if key in order:
                index = order.index(key) + 1
            else:
                order.insert(index, key)
                index += 1
    return order


def lines(socs: Sequence[SocOverview], matrix_columns: Sequence[Column]) -> list[Line]:
    """Return the rows of the matrix. In columns in which more is better on any engine, cells have
    their share of a full bar."""
    out = [(soc, [_best(soc, column) for column in matrix_columns]) for soc in socs]
    for index, column in enumerate(matrix_columns):
        # A doubtful figure must not set the scale for the others.
        trusted = [cell for _, cells in out if (cell := cells[index]) and not cell.result.doubt]
        full = full_bar(cell.number for cell in trusted if cell.number is not None)
        # Bars would compare engines that use the CPU with others.
        if column.better != "higher" or column.has_load or not full:
            continue
        for _, cells in out:
            cell = cells[index]
            if cell is not None and cell.number is not None and not cell.result.doubt:
                cells[index] = replace(cell, share=abs(cell.number) / full)
    return out


def run_notes(matrix_columns: Sequence[Column], rows: Sequence[Line]) -> list[str]:
    """Return a sentence for each column whose condition is too long for its head, or whose figures
    differ in their conditions or engines."""
    out = []
    for index, column in enumerate(matrix_columns):
        groups: dict[str, list[str]] = {}
        for soc, cells in rows:
            cell = cells[index]
            if cell and cell.number is not None:
                other = cell.result.condition
                run = words(other if other != column.condition else "", cell.result.engine)
                groups.setdefault(run, []).append(soc.soc)
        usual = column.condition if column.condition not in column.detail else ""
        if len(groups) < 2:
            groups.clear()
        elif not column.has_load:
            # These are under the column's condition.
            groups.pop("", None)
        phrases = [
            f"{run or 'engine not stated'} on {_named_socs(group)}"
            for run, group in sorted(groups.items(), key=lambda group: -len(group[1]))
        ]
        if usual or phrases:
            out.append(f"{column.name}: {'; '.join(filter(None, (usual, *phrases)))}.")
    return out


def _named_socs(socs: Sequence[str]) -> str:
    few = len(socs) <= MAX_NAMED_SOCS
    return units.enumeration([*socs]) if few else f"{len(socs)} SoCs"


def _room(cells: Sequence[Best]) -> str:
    """Return the classes of the place for bars and releases beside a column's figures, if any."""
    longest = max((len(cell.older) for cell in cells), default=0)
    if longest > SHORT_RELEASE:
        return "perf-room perf-room-long"
    has_bars = any(cell.share is not None for cell in cells)
    return "perf-room" if longest or has_bars else ""


def _best(soc: SocOverview, column: Column) -> Best | None:
    """Return a SoC's result for a column, under the column's condition if it has that; ``None`` if
    it has none in a convertible unit."""
    rows = [
        row
        for row in soc.results
        if (row.benchmark, row.label) == (column.benchmark, column.label)
        # Only figures in the same unit can be compared down a column.
        and (row.unit == column.unit or units.factor(row.unit, column.unit) is not None)
    ]
    if not rows:
        return None
    row = min(rows, key=lambda row: row.condition != column.condition)
    scale = 1.0 if row.unit == column.unit else units.factor(row.unit, column.unit) or 1.0
    number = None if row.number is None else row.number * scale
    older = row.release if row.guide != soc.guide else ""
    runs = "–".join(units.number(end * scale) for end in row.runs or ())
    return Best(row, number, older, runs=runs)


def divided(rows: Sequence[Line]) -> tuple[list[Line], list[SocOverview]]:
    """Return the rows that have a result, and the SoCs that have none."""
    measured = [(soc, cells) for soc, cells in rows if any(cells)]
    if not measured:
        # Without any results, the matrix still lists all SoCs.
        return [*rows], []
    return measured, [soc for soc, cells in rows if not any(cells)]


class PerfOverview(SphinxDirective):
    """The directive for the contents of the front page."""

    def run(self) -> list[nodes.Node]:
        """Return the contents, or a sentence if there are no guides."""
        overview = self._overview()
        if not overview.socs:
            return [nodes.paragraph("", "There are no guides yet.")]
        matrix_columns = columns(overview.socs)
        rows, others = divided(lines(overview.socs, matrix_columns))
        matrix = perf_overview(
            columns=matrix_columns,
            lines=rows,
            top=self.config.perfguide_output,
            docname=self.env.docname,
        )
        worse = list[nodes.Node]()
        if overview.worse:
            note = nodes.paragraph("", "", classes=["perf-answers-note", "perf-overview-note"])
            if overview.more_worse:
                text = f"{overview.more_worse} more in the list of comparisons"
                note += [self._link(text, "compare/index"), nodes.Text(". ")]
            note += nodes.Text(LOSS_NOTE)
            worse += [nodes.rubric("", "Got worse"), self._worse(overview.worse), note]
        lists = list[nodes.Node]()
        for title, listed, described in (
            ("New guides", overview.recent, self._new),
            ("Moved on several SoCs", overview.shared, self._shared),
        ):
            if listed:
                lists += [nodes.rubric("", title), self._list(listed, described)]
        rest: list[nodes.Node] = [self._others(others)] if others else []
        # Beside each other where there is room for both.
        parts = [nodes.container("", *part) for part in (worse, lists) if part]
        if parts:
            rest.append(nodes.container("", *parts, classes=["perf-overview-news"]))
        return [perf_search(examples=_examples(matrix_columns, rows)), matrix, *rest]

    def _overview(self) -> Overview:
        path = f"/{self.config.perfguide_output}/guides/overview.json"
        name, file = self.env.relfn2path(path)
        self.env.note_dependency(name)
        try:
            return msgspec.json.decode(Path(file).read_bytes(), type=Overview)
        except (FileNotFoundError, msgspec.DecodeError):
            return Overview([], [], [], [])

    def _list(self, entries: Sequence[Any], make: Any) -> nodes.bullet_list:
        items = (nodes.list_item("", nodes.paragraph("", "", *make(entry))) for entry in entries)
        return nodes.bullet_list("", *items)

    def _others(self, socs: Sequence[SocOverview]) -> nodes.paragraph:
        """Return a line with the guides that have none of the headline results."""
        out = nodes.paragraph("", "Other guides: ")
        for soc in socs:
            name = f"{soc.soc}, {soc.family} {soc.release}"
            out += [self._link(name, soc.guide), nodes.Text("; ")]
        out[-1] = nodes.Text(".")
        return out

    def _worse(self, entries: Sequence[Worse]) -> nodes.table:
        """Return a table with each guide's verdict and largest loss, as in the list of
        comparisons."""
        rows = []
        for entry in entries:
            name = nodes.inline("", "", self._link(entry.name, entry.page), nodes.Text(" "))
            name += nodes.inline("", entry.measured, classes=["perf-small"])
            sign = nodes.inline("", SIGNS[entry.state], classes=[state_class(entry.state)])
            change = nodes.strong("", visible(entry.change, 100))
            fall = nodes.inline("", "", nodes.Text(f"{visible(entry.fall, 200)}: "), change)
            if not entry.is_proved:
                fall += nodes.inline("", " not proved", classes=["perf-small"])
            rows.append([name, nodes.inline("", "", sign, nodes.Text(f" {entry.tag}")), fall])
        head = ("SoC and release", "Verdict", "Main loss")
        return printed_table(head, rows, (27, 17, 56), ["perf-list", "perf-compared"])

    def _new(self, release: RecentRelease) -> list[nodes.Node]:
        out: list[nodes.Node] = [nodes.strong("", release.name), nodes.Text(": ")]
        for soc, guide in release.guides:
            out += [self._link(soc, guide), nodes.Text(", ")]
        return [*out[:-1], nodes.Text(f"; last measured {release.measured}")]

    def _shared(self, entry: SharedMoveOverview) -> list[nodes.Node]:
        out: list[nodes.Node] = [nodes.Text(f"{visible(entry.sentence, 300)}: ")]
        # A system that several SoCs have is named once.
        for system, pages in grouped(entry.pages, lambda page: page[0].rpartition(", ")[2]).items():
            for name, page in pages:
                out += [self._link(name.rpartition(", ")[0], page), nodes.Text(", ")]
            out[-1] = nodes.Text(f" with {system}; ")
        out[-1] = nodes.Text(f"{out[-1].astext().removesuffix('; ')}.")
        return out

    def _link(self, text: str, page: str) -> addnodes.pending_xref:
        return link(text, f"/{page_name(self.config.perfguide_output, page)}", self.env.docname)


def _examples(matrix_columns: Sequence[Column], rows: Sequence[Line]) -> list[str]:
    """Return queries that have results, each for a different SoC and benchmark."""
    out, used = list[str](), set[str]()
    for soc, cells in rows:
        for column, cell in zip(matrix_columns, cells, strict=True):
            if cell is not None and column.benchmark not in used and len(out) < MAX_EXAMPLES:
                used.add(column.benchmark)
                out.append(f"{column.benchmark} {soc.soc}")
                break
    return out


def link(text: str, page: str, docname: str) -> addnodes.pending_xref:
    """Return a link to a page of the project."""
    return addnodes.pending_xref(
        "",
        # Show names verbatim.
        nodes.inline(text, text, support_smartquotes=False),
        refdomain="std",
        reftype="doc",
        refexplicit=True,
        refwarn=True,
        reftarget=page,
        refdoc=docname,
    )


def _measured(soc: SocOverview) -> str:
    """Return the figures, boards and date of a SoC's newest guide, in words."""
    figures = f"{units.number(soc.figures)} figures on {', '.join(soc.boards)}"
    return f"{figures}; measured {soc.measured}"


def _plain(node: perf_overview) -> nodes.table:
    matrix_columns: list[Column] = node["columns"]
    head = [words(column.label, column.unit) for column in matrix_columns]
    lines: list[list[nodes.Node | str]] = []
    for soc, cells in node["lines"]:
        guide = link(
            f"{soc.family} {soc.release}",
            f"/{page_name(node['top'], soc.guide)}",
            node["docname"],
        )
        name = link(soc.soc, f"/{page_name(node['top'], soc.page)}", node["docname"])
        lines.append([name, guide, *map(_text, cells)])
    return printed_table(["SoC", "Guide", *head], lines)


def _text(cell: Best | None) -> str:
    if cell is None:
        return units.MISSING
    runs = f"runs {cell.runs}" if cell.runs else ""
    load = f"{cell.load} % {cell.result.load_of or 'CPU'}" if cell.load else ""
    more = words(cell.older, cell.run, load, runs)
    return f"{plain_figure(cell.text, cell.result.doubt)}{f' ({more})' if more else ''}"


def setup(app: Sphinx) -> None:
    """Register the directive and its nodes."""
    app.add_node(perf_overview, html=(write_html, None))
    app.add_node(perf_search, html=(write_html, None))
    app.add_directive("perf-overview", PerfOverview)

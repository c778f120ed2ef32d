"""The front page: a search form, the matrix of SoCs and headline results of their newest guides,
regressions, and the guides with the newest runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

import msgspec
from docutils import nodes
from msgspec import structs
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import OptionSpec

from ..common import units
from ..common.diagnostics import visible
from ..figures.scales import full_bar
from ..pages.answers import Answer, Answers, Value
from ..tables import page_tables
from .answers import CUT_NOTE, DOUBT_NOTE, Links, bar, doubt_mark, plain_figure, plain_row
from .config import page_name
from .html_table import NOT_MEASURED

MAX_COLUMNS = 8
"""Headline results in the matrix: those of the most SoCs."""
MAX_EXAMPLES = 3
"""Queries below the search form."""
NOTE = (
    "Newest guide of each SoC, its best board and engine; higher is better, unless ↓. Bars are shares of the "
    "largest in the column. Crypto depends on its engine: point at a figure, or follow it."
)


@dataclass(frozen=True, slots=True)
class Column:
    """A headline result of several SoCs: its benchmark and label, and the unit of its figures."""

    benchmark: str
    label: str
    unit: str
    better: units.Better


@dataclass(frozen=True, slots=True)
class Best:
    """A SoC's result: the value of its best board in the column's unit, that board's short name, the
    distinguishing parameters, and the share of a full bar."""

    value: Value
    board: str
    detail: str
    number: float | None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Platform:
    """One row: the entry of a SoC and system in the overview, and the answers of its newest guide."""

    entry: dict[str, Any]
    answers: Answers


class perf_overview(nodes.General, nodes.Element):  # noqa: N801
    """The matrix with its ``columns`` and ``lines``; ``top`` is the folder of generated pages."""


class perf_search(nodes.General, nodes.Element):  # noqa: N801
    """A search form. ``examples`` are queries with results."""


def best(rows: Sequence[Answer], answers: Answers, column: Column) -> Best | None:
    """Return the best result of all boards and of rows that differ in a parameter, such as the
    engine, in the unit of a column; ``None`` if there is none."""
    results: list[Best] = []
    for row in rows:
        scale = 1.0 if row.unit == column.unit else units.factor(row.unit, column.unit)
        for value, (short, _) in zip(row.values, answers.boards, strict=True):
            if value is not None and scale is not None:
                number = None if value.number is None else value.number * scale
                results.append(Best(value, short, row.detail, number))
    measured = [one for one in results if one.number is not None]
    # A figure in doubt is only used if there is no other.
    measured = [one for one in measured if not one.value.doubt] or measured
    if not measured:
        return results[0] if results else None
    first = max if column.better == "higher" else min
    return first(measured, key=lambda one: one.number or 0.0)


def columns(platforms: Sequence[Platform]) -> list[Column]:
    """Return the headline results of the most SoCs, in the order of guides."""
    candidates: dict[tuple[str, str], Column] = {}
    counts = Counter[tuple[str, str]]()
    for platform in platforms:
        # Reversed, so that of rows with one label the first counts.
        own = {(row.benchmark, row.label): row for row in reversed(platform.answers.rows)}
        for key, row in own.items():
            candidates.setdefault(key, Column(row.benchmark, row.label, row.unit, row.better))
            counts[key] += 1
    order = _in_order(platforms)
    commonest = sorted(candidates, key=lambda key: (-counts[key], order.index(key)))[:MAX_COLUMNS]
    return [candidates[key] for key in sorted(commonest, key=order.index)]


def _in_order(platforms: Sequence[Platform]) -> list[tuple[str, str]]:
    """Return all headline results, each after those that precede it in a guide."""
    order: list[tuple[str, str]] = []
    for platform in platforms:
        index = 0
        for row in platform.answers.rows:
            key = (row.benchmark, row.label)
            if key in order:
                index = order.index(key) + 1
            else:
                order.insert(index, key)
                index += 1
    return order


def lines(
    platforms: Sequence[Platform], matrix_columns: Sequence[Column]
) -> list[tuple[Platform, list[Best | None]]]:
    """Return the rows of the matrix. Cells have shares of a full bar in columns in which more is
    better."""
    out = []
    for platform in platforms:
        rows = platform.answers.rows
        cells = [
            best(
                [row for row in rows if (row.benchmark, row.label) == key], platform.answers, column
            )
            for column in matrix_columns
            for key in [(column.benchmark, column.label)]
        ]
        out.append((platform, cells))
    for index, column in enumerate(matrix_columns):
        trusted = [cell for _, cells in out if (cell := cells[index]) and not cell.value.doubt]
        full = full_bar(cell.number for cell in trusted if cell.number is not None)
        if column.better != "higher" or not full:
            continue
        for _, cells in out:
            cell = cells[index]
            if cell is not None and cell.number is not None and not cell.value.doubt:
                share = abs(cell.number) / full
                cells[index] = Best(cell.value, cell.board, cell.detail, cell.number, share)
    return out


def divided(
    every: Sequence[tuple[Platform, list[Best | None]]],
) -> tuple[list[tuple[Platform, list[Best | None]]], list[Platform]]:
    """Return the rows with a result, and the platforms without one."""
    rows = [(platform, cells) for platform, cells in every if any(cells)]
    if not rows:
        # Without any result, the matrix is still the list of all SoCs.
        return [*every], []
    return rows, [platform for platform, cells in every if not any(cells)]


class PerfOverview(SphinxDirective):
    """The directive for the contents of the front page."""

    option_spec: ClassVar[OptionSpec] = {}

    def run(self) -> list[nodes.Node]:
        """Return the nodes."""
        overview = self._file("guides/overview.json")
        if not overview or not overview["platforms"]:
            return [nodes.paragraph("", "There are no guides yet.")]
        platforms = [
            Platform(entry, self._answers(entry["guide"])) for entry in overview["platforms"]
        ]
        matrix_columns = columns(platforms)
        rows, others = divided(lines(platforms, matrix_columns))
        matrix = perf_overview(
            columns=matrix_columns,
            lines=rows,
            top=self.config.perfguide_output,
            docname=self.env.docname,
        )
        rest: list[nodes.Node] = []
        if others:
            rest.append(self._others(others))
        if worse := [each for each in platforms if each.answers.worse]:
            rest += [nodes.rubric("", "Got worse"), self._list(worse, self._worse)]
        if shared := overview.get("shared"):
            rest += [nodes.rubric("", "Moved on several SoCs"), self._list(shared, self._shared)]
        rest += [nodes.rubric("", "New guides"), self._list(overview["recent"], self._new)]
        return [perf_search(examples=_examples(matrix_columns, rows)), matrix, *rest]

    def _file(self, path: str) -> Any:
        name, file = self.env.relfn2path(f"/{self.config.perfguide_output}/{path}")
        self.env.note_dependency(name)
        try:
            return json.loads(Path(file).read_bytes())
        except FileNotFoundError:
            return None

    def _answers(self, guide: str) -> Answers:
        path = f"/{self.config.perfguide_output}/{guide}/{page_tables.FILE}"
        name, file = self.env.relfn2path(path)
        self.env.note_dependency(name)
        try:
            tables = page_tables.read_page_file(Path(file).read_bytes()).tables.values()
        except (FileNotFoundError, msgspec.DecodeError):
            return Answers((), (), "", "", ())
        answers = (table.answers for table in tables if table.answers)
        return msgspec.convert(next(answers, Answers((), (), "", "", ())), Answers)

    def _list(self, entries: Sequence[Any], make: Any) -> nodes.bullet_list:
        items = (nodes.list_item("", nodes.paragraph("", "", *make(each))) for each in entries)
        return nodes.bullet_list("", *items)

    def _others(self, platforms: Sequence[Platform]) -> nodes.paragraph:
        """Return a line with the guides that have none of the headline results."""
        out = nodes.paragraph("", "Other guides: ")
        for platform in platforms:
            entry = platform.entry
            name = f"{entry['soc']}, {entry['family']} {entry['release']}"
            out += [self._link(name, entry["guide"]), nodes.Text("; ")]
        out[-1] = nodes.Text(".")
        return out

    def _worse(self, platform: Platform) -> list[nodes.Node]:
        entry, worse = platform.entry, platform.answers.worse
        assert worse is not None  # the caller selected those that have one
        name = f"{entry['soc']}, {entry['family']} {entry['release']}"
        return [self._link(name, worse.page), nodes.Text(f": {visible(worse.text, 300)}")]

    def _new(self, entry: dict[str, Any]) -> list[nodes.Node]:
        name = f"{entry['soc']}, {entry['family']} {entry['release']}"
        rest = f": measured {entry['measured']} on {', '.join(entry['boards'])}"
        return [self._link(name, entry["guide"]), nodes.Text(rest)]

    def _shared(self, entry: dict[str, Any]) -> list[nodes.Node]:
        out: list[nodes.Node] = [nodes.Text(f"{visible(entry['sentence'], 300)}: ")]
        for name, page in entry["pages"]:
            out += [self._link(name, page), nodes.Text("; ")]
        return [*out[:-1], nodes.Text(".")]

    def _link(self, text: str, page: str) -> addnodes.pending_xref:
        return link(text, f"/{page_name(self.config.perfguide_output, page)}", self.env.docname)


def _examples(
    matrix_columns: Sequence[Column], rows: Sequence[tuple[Platform, list[Best | None]]]
) -> list[str]:
    """Return queries with results, each for another SoC and another benchmark."""
    out, used = list[str](), set[str]()
    for platform, cells in rows:
        for column, cell in zip(matrix_columns, cells, strict=True):
            if cell is not None and column.benchmark not in used and len(out) < MAX_EXAMPLES:
                used.add(column.benchmark)
                out.append(f"{column.benchmark} {platform.entry['soc']}")
                break
    return out


def link(text: str, page: str, docname: str) -> addnodes.pending_xref:
    """Return a link to a page of the project."""
    return addnodes.pending_xref(
        "",
        nodes.inline(text, text, support_smartquotes=False),
        refdomain="std",
        reftype="doc",
        refexplicit=True,
        refwarn=True,
        reftarget=page,
        refdoc=docname,
    )


def _visit_html(translator: Any, node: perf_overview) -> None:
    uri = Links(translator.builder, node["top"])
    head = "".join(map(_head, node["columns"]))
    body = "".join(_row(platform, cells, node["columns"], uri) for platform, cells in node["lines"])
    cells = [cell for _, own in node["lines"] for cell in own if cell]
    notes = [NOTE]
    notes += [CUT_NOTE] if any(cell.share and cell.share > 1 for cell in cells) else []
    notes += [DOUBT_NOTE] if any(cell.value.doubt for cell in cells) else []
    translator.body.append(
        '<div class="perf-scroll perf-answers-box" role="region" tabindex="0" '
        'aria-label="Headline results of all SoCs"><table class="perf-answers perf-overview">'
        f'<thead><tr><th scope="col">SoC<small>newest guide</small></th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>\n"
        f'<p class="perf-answers-note perf-overview-note">{" ".join(notes)}</p>\n'
    )
    raise nodes.SkipNode


def _head(column: Column) -> str:
    arrow = " ↓" if column.better == "lower" else ""
    unit = f"<small><bdi>{escape(visible(column.unit))}</bdi></small>" if column.unit else ""
    name = escape(visible(column.label))
    return f'<th scope="col" class="perf-n"><bdi>{name}</bdi>{arrow}{unit}</th>'


def _row(
    platform: Platform, cells: Sequence[Best | None], matrix_columns: Sequence[Column], uri: Links
) -> str:
    entry = platform.entry
    soc, guide = escape(uri(entry["page"])), escape(uri(entry["guide"]))
    release = escape(visible(f"{entry['family']} {entry['release']}"))
    title = (
        f"{units.number(entry['figures'])} figures on {', '.join(entry['boards'])}; "
        f"measured {entry['measured']}"
    )
    first = (
        f'<th scope="row"><a href="{soc}">{escape(visible(entry["soc"]))}</a> '
        f'<small><a href="{guide}" title="{escape(visible(title, 300))}">{release}</a></small></th>'
    )
    rest = (_cell(c, b, entry, uri) for c, b in zip(matrix_columns, cells, strict=True))
    return f"<tr>{first}{''.join(rest)}</tr>"


def _cell(column: Column, result: Best | None, entry: dict[str, Any], uri: Links) -> str:
    head = escape(visible(", ".join(filter(None, (column.label, column.unit)))))
    if result is None:
        return f'<td class="perf-n" data-h="{head}">{NOT_MEASURED}</td>'
    text = escape(result.value.text)
    if result.number is not None:
        number = escape(units.number(result.number))
        text = f'<data value="{units.exact(result.number)}">{number}</data>'
    title = escape(visible(", ".join(filter(None, (result.board, result.detail))), 200))
    target = escape(uri(entry["guide"], result.value.place))
    inner = f'<a href="{target}" title="{title}">{text}</a>{doubt_mark(result.value)}'
    return f'<td class="perf-n" data-h="{head}">{inner}{bar(result.share)}</td>'


def _visit_search(translator: Any, node: perf_search) -> None:
    builder = translator.builder
    if getattr(builder, "search", False):
        page = escape(builder.get_relative_uri(builder.current_docname, "search"))
        tries = ", ".join(
            f'<a href="{page}?{escape(urlencode({"q": each}))}">{escape(visible(each))}</a>'
            for each in node["examples"]
        )
        translator.body.append(
            f'<form class="perf-search" role="search" action="{page}" method="get">'
            '<input type="search" name="q" aria-label="Find a figure" '
            'placeholder="Find a figure: benchmark, SoC, board, release">'
            '<button type="submit">Search</button></form>\n'
            + (f'<p class="perf-answers-note">Try {tries}.</p>\n' if tries else "")
        )
    raise nodes.SkipNode


class Plain(SphinxPostTransform):
    """Formats other than HTML: a table with links to guides, and no search."""

    default_priority = 9  # before references are resolved

    def run(self, **kwargs: Any) -> None:
        """Replace the matrix."""
        if self.app.builder.format == "html":
            return
        for node in list(self.document.findall(perf_search)):
            node.parent.remove(node)
        for matrix in list(self.document.findall(perf_overview)):
            matrix.replace_self(_plain(matrix))


def _plain(node: perf_overview) -> nodes.table:
    matrix_columns: list[Column] = node["columns"]
    head = [", ".join(filter(None, (column.label, column.unit))) for column in matrix_columns]
    group = nodes.tgroup(cols=len(head) + 2)
    group.extend(nodes.colspec(colwidth=1) for _ in range(len(head) + 2))
    group += nodes.thead("", plain_row([nodes.Text(text) for text in ("SoC", "Guide", *head)]))
    body = nodes.tbody()
    for platform, cells in node["lines"]:
        entry = platform.entry
        guide = link(
            f"{entry['family']} {entry['release']}",
            f"/{page_name(node['top'], entry['guide'])}",
            node["docname"],
        )
        soc = link(entry["soc"], f"/{page_name(node['top'], entry['page'])}", node["docname"])
        body += plain_row([soc, guide, *(nodes.Text(_text(cell)) for cell in cells)])
    group += body
    return nodes.table("", group)


def _text(cell: Best | None) -> str:
    if cell is None:
        return units.MISSING
    text = cell.value.text if cell.number is None else units.number(cell.number)
    return plain_figure(structs.replace(cell.value, text=text))


def setup(app: Sphinx) -> None:
    """Register the directive, its nodes and the transform."""
    app.add_node(perf_overview, html=(_visit_html, None))
    app.add_node(perf_search, html=(_visit_search, None))
    app.add_directive("perf-overview", PerfOverview)
    app.add_post_transform(Plain)

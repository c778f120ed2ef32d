"""The front page: a search for figures, the SoCs with the headline results of their newest
guides, what got worse, and the guides with the newest runs."""

from __future__ import annotations

import json
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

MOST_COLUMNS = 8
"""Headline results that have room beside each other; those of the most SoCs."""
EXAMPLES = 3
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
    """A SoC's result: the value of its best board in the column's unit, that board's short name,
    what tells the result from others of its kind, and its share of the largest."""

    value: Value
    board: str
    detail: str
    number: float | None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Platform:
    """One row: what the overview says of a SoC and system, and what its newest guide opens with."""

    entry: dict[str, Any]
    answers: Answers


class perf_overview(nodes.General, nodes.Element):  # noqa: N801
    """The matrix. ``columns`` and ``lines`` are its parts, ``top`` the folder of the pages."""


class perf_search(nodes.General, nodes.Element):  # noqa: N801
    """A search form. ``examples`` are queries that find something."""


def best(rows: Sequence[Answer], answers: Answers, column: Column) -> Best | None:
    """Return the best result over boards and over rows that differ in a parameter, such as the
    engine, in the unit of a column; ``None`` where none was measured."""
    found: list[Best] = []
    for row in rows:
        scale = 1.0 if row.unit == column.unit else units.factor(row.unit, column.unit)
        for value, (short, _) in zip(row.values, answers.boards, strict=True):
            if value is not None and scale is not None:
                number = None if value.number is None else value.number * scale
                found.append(Best(value, short, row.detail, number))
    measured = [one for one in found if one.number is not None]
    # A figure in doubt is shown only where there is no other.
    measured = [one for one in measured if not one.value.doubt] or measured
    if not measured:
        return found[0] if found else None
    first = max if column.better == "higher" else min
    return first(measured, key=lambda one: one.number or 0.0)


def columns(platforms: Sequence[Platform]) -> list[Column]:
    """The headline results of the most SoCs, in the order in which guides show them."""
    found: dict[tuple[str, str], Column] = {}
    count: dict[tuple[str, str], int] = {}
    for platform in platforms:
        own = {(row.benchmark, row.label): row for row in reversed(platform.answers.rows)}
        for key, row in own.items():
            found.setdefault(key, Column(row.benchmark, row.label, row.unit, row.better))
            count[key] = count.get(key, 0) + 1
    order = _in_order(platforms)
    kept = sorted(found, key=lambda key: (-count[key], order.index(key)))[:MOST_COLUMNS]
    return [found[key] for key in sorted(kept, key=order.index)]


def _in_order(platforms: Sequence[Platform]) -> list[tuple[str, str]]:
    """All headline results, each behind those that stand before it in a guide."""
    order: list[tuple[str, str]] = []
    for platform in platforms:
        at = 0
        for row in platform.answers.rows:
            key = (row.benchmark, row.label)
            if key in order:
                at = order.index(key) + 1
            else:
                order.insert(at, key)
                at += 1
    return order


def lines(
    platforms: Sequence[Platform], shown: Sequence[Column]
) -> list[tuple[Platform, list[Best | None]]]:
    """The rows of the matrix, with shares of a full bar in each column where more is better."""
    out = []
    for platform in platforms:
        rows = platform.answers.rows
        cells = [
            best(
                [row for row in rows if (row.benchmark, row.label) == key], platform.answers, column
            )
            for column in shown
            for key in [(column.benchmark, column.label)]
        ]
        out.append((platform, cells))
    for at, column in enumerate(shown):
        found = [cell.number for _, cells in out if (cell := cells[at]) and not cell.value.doubt]
        full = full_bar(number for number in found if number is not None)
        if column.better != "higher" or not full:
            continue
        for _, cells in out:
            cell = cells[at]
            if cell is not None and cell.number is not None and not cell.value.doubt:
                share = abs(cell.number) / full
                cells[at] = Best(cell.value, cell.board, cell.detail, cell.number, share)
    return out


def divided(
    every: Sequence[tuple[Platform, list[Best | None]]],
) -> tuple[list[tuple[Platform, list[Best | None]]], list[Platform]]:
    """The rows that have a result, and the guides that have none. Where none has one, the matrix
    is still the list of all SoCs."""
    told = [(platform, cells) for platform, cells in every if any(cells)]
    if not told:
        return [*every], []
    return told, [platform for platform, cells in every if not any(cells)]


class PerfOverview(SphinxDirective):
    """The SoCs with the newest release of each, and the newest guides."""

    option_spec: ClassVar[OptionSpec] = {}

    def run(self) -> list[nodes.Node]:
        """Make the nodes."""
        overview = self._file("guides/overview.json")
        if not overview or not overview["platforms"]:
            return [nodes.paragraph("", "There are no guides yet.")]
        platforms = [
            Platform(entry, self._answers(entry["guide"])) for entry in overview["platforms"]
        ]
        shown = columns(platforms)
        told, others = divided(lines(platforms, shown))
        matrix = perf_overview(
            columns=shown,
            lines=told,
            top=self.config.perfguide_output,
            docname=self.env.docname,
        )
        rest: list[nodes.Node] = []
        if others:
            rest.append(self._others(others))
        if worse := [each for each in platforms if each.answers.worse]:
            rest += [nodes.rubric("", "Got worse"), self._list(worse, self._worse)]
        rest += [nodes.rubric("", "New guides"), self._list(overview["recent"], self._new)]
        return [perf_search(examples=_examples(shown, matrix["lines"])), matrix, *rest]

    def _file(self, path: str) -> Any:
        name, found = self.env.relfn2path(f"/{self.config.perfguide_output}/{path}")
        self.env.note_dependency(name)
        try:
            return json.loads(Path(found).read_bytes())
        except FileNotFoundError:
            return None

    def _answers(self, guide: str) -> Answers:
        path = f"/{self.config.perfguide_output}/{guide}/{page_tables.FILE}"
        name, found = self.env.relfn2path(path)
        self.env.note_dependency(name)
        try:
            tables = page_tables.read_page_file(Path(found).read_bytes()).tables.values()
        except (FileNotFoundError, msgspec.DecodeError):
            return Answers((), (), "", "", ())
        held = (table.answers for table in tables if table.answers)
        return msgspec.convert(next(held, Answers((), (), "", "", ())), Answers)

    def _list(self, entries: Sequence[Any], make: Any) -> nodes.bullet_list:
        items = (nodes.list_item("", nodes.paragraph("", "", *make(each))) for each in entries)
        return nodes.bullet_list("", *items)

    def _others(self, platforms: Sequence[Platform]) -> nodes.paragraph:
        """The guides that have none of the headline results, in one line."""
        out = nodes.paragraph("", "Other guides: ")
        for platform in platforms:
            entry = platform.entry
            name = f"{entry['soc']}, {entry['family']} {entry['release']}"
            out += [self._link(name, entry["guide"]), nodes.Text("; ")]
        out[-1] = nodes.Text(".")
        return out

    def _worse(self, platform: Platform) -> list[nodes.Node]:
        entry, worse = platform.entry, platform.answers.worse
        assert worse is not None  # they are those that have one
        name = f"{entry['soc']}, {entry['family']} {entry['release']}"
        return [self._link(name, worse.page), nodes.Text(f": {visible(worse.text, 300)}")]

    def _new(self, entry: dict[str, Any]) -> list[nodes.Node]:
        name = f"{entry['soc']}, {entry['family']} {entry['release']}"
        rest = f": measured {entry['measured']} on {', '.join(entry['boards'])}"
        return [self._link(name, entry["guide"]), nodes.Text(rest)]

    def _link(self, text: str, page: str) -> addnodes.pending_xref:
        return link(text, f"/{page_name(self.config.perfguide_output, page)}", self.env.docname)


def _examples(
    shown: Sequence[Column], found: Sequence[tuple[Platform, list[Best | None]]]
) -> list[str]:
    """Queries for results that there are, each for another SoC and another benchmark."""
    out, used = list[str](), set[str]()
    for platform, cells in found:
        for column, cell in zip(shown, cells, strict=True):
            if cell is not None and column.benchmark not in used and len(out) < EXAMPLES:
                used.add(column.benchmark)
                out.append(f"{column.benchmark} {platform.entry['soc']}")
                break
    return out


def link(text: str, page: str, docname: str) -> addnodes.pending_xref:
    """A link to a page of the project by words that are text."""
    shown = nodes.inline(text, text, support_smartquotes=False)
    return addnodes.pending_xref(
        "",
        shown,
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
    platform: Platform, cells: Sequence[Best | None], shown: Sequence[Column], uri: Links
) -> str:
    entry = platform.entry
    soc, guide = escape(uri(entry["page"])), escape(uri(entry["guide"]))
    release = escape(visible(f"{entry['family']} {entry['release']}"))
    told = (
        f"{units.number(entry['figures'])} figures on {', '.join(entry['boards'])}; "
        f"measured {entry['measured']}"
    )
    first = (
        f'<th scope="row"><a href="{soc}">{escape(visible(entry["soc"]))}</a> '
        f'<small><a href="{guide}" title="{escape(visible(told, 300))}">{release}</a></small></th>'
    )
    return f"<tr>{first}{''.join(_cell(c, b, entry, uri) for c, b in zip(shown, cells, strict=True))}</tr>"


def _cell(column: Column, found: Best | None, entry: dict[str, Any], uri: Links) -> str:
    head = escape(visible(", ".join(filter(None, (column.label, column.unit)))))
    if found is None:
        return f'<td class="perf-n" data-h="{head}">{NOT_MEASURED}</td>'
    text = escape(found.value.text)
    if found.number is not None:
        shown = units.number(found.number)
        text = f'<data value="{units.exact(found.number)}">{escape(shown)}</data>'
    of = escape(visible(", ".join(filter(None, (found.board, found.detail))), 200))
    to = escape(uri(entry["guide"], found.value.place))
    inner = f'<a href="{to}" title="{of}">{text}</a>{doubt_mark(found.value)}'
    return f'<td class="perf-n" data-h="{head}">{inner}{bar(found.share)}</td>'


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
    """For all formats but HTML: a table whose rows lead to guides, and no search."""

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
    shown: list[Column] = node["columns"]
    head = [", ".join(filter(None, (column.label, column.unit))) for column in shown]
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

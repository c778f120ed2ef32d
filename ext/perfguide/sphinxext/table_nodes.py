"""Tables of figures as nodes, and how HTML writes them.

While pages are read, a table is an ordinary ``table`` node with its title and anchor, so that
numbering and references work, and a single leaf with the cells. When the page is written,
:mod:`.screen_tables` and :mod:`.printed_tables` replace the leaf.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from docutils import nodes
from msgspec import structs
from sphinx.application import Sphinx

from ..common import units
from ..common.diagnostics import APART_SIGN, SEVERITIES, SIGNS
from ..common.slugs import anchor
from ..health.finding import APART, KIND_WORDS
from ..tables.grids import Grid, Note
from . import html_table
from .config import page_name, page_uri
from .screen_nodes import no_visitor, writes
from .table_heads import block_labels, shortened
from .table_widths import phone_columns, steps


class perf_rows(nodes.General, nodes.Element):
    """The cells of one table: a ``grid``, whose links point to pages below ``top``. ``widths`` of
    its columns are relative, or empty. An optional child is the download of the file with the
    details of the cells."""


def perf_leaf(grid: Grid, top: str, widths: Sequence[int] = ()) -> perf_rows:
    """Return the leaf of a table.

    Raises :class:`IndexError` if a mark has no note.
    """
    for number in {number for *_, marks in grid.marks for number, _ in marks}:
        grid.notes[number]
    return perf_rows(grid=grid, top=top, widths=widths)


class perf_figure(nodes.General, nodes.Element):
    """A table for HTML: the caption, and one table or one per tab. ``cells`` is the copy of the
    file with the details of its cells, and ``file`` names the table there."""


class perf_grid(nodes.General, nodes.Element):
    """One HTML table: a ``grid``, whose rows have anchors that start with ``prefix``, and
    ``stated`` attributes that describe how it differs from the table's file."""


def _open_figure(translator: Any, node: perf_figure) -> None:
    """Open the figure, and write its caption with number and permalink."""
    ids = f' id="{escape(node["ids"][0])}"' if node["ids"] else ""
    classes = " ".join(["perf-table", *node["classes"]])
    file = ""
    if node["cells"] and translator.builder.download_support:
        address = posixpath.join(translator.builder.dlpath, quote(node["cells"]))
        file = f' data-cells="{escape(address)}" data-file="{escape(node["file"])}"'
    translator.body.append(f'<figure class="{escape(classes)}"{ids}{file}>\n')
    translator.body.extend(f'<span id="{escape(extra)}"></span>' for extra in node["ids"][1:])
    if node["caption"]:
        translator.body.append("<figcaption>")
        if node["ids"]:
            # Sphinx looks up the number by the anchor of a table node.
            translator.add_fignumber(nodes.table(ids=list(node["ids"])))
        text = escape(node["caption"])
        translator.body.append(f'<span class="caption-text">{text}</span>')
        translator.add_permalink_ref(node, "Link to this table")
        translator.body.append("</figcaption>\n")


def _write_grid(translator: Any, node: perf_grid) -> None:
    """Write a table in a box that scrolls if the table is too wide."""
    grid: Grid = node["grid"]
    label, stub, builder = escape(node["label"]), grid.stub, translator.builder
    short = with_short_heads(grid)
    boards = in_heads(node["boards"], grid.shorts)
    widths, labels = steps(short, boards), block_labels(short)
    on_phones = phone_columns(short, boards) if node["long"] else None
    is_empty = html_table.has_no_figures(grid)
    first = first_blocks = None
    if is_empty or node["repeats"]:
        first = first_blocks = set[int]()
    elif node["long"]:
        first = html_table.first_rows(grid.rows, widths.is_stacked)
        first_blocks = html_table.first_rows(grid.rows, True, on_phones is not None)
    groups = on_phones.groups if on_phones else ()
    kind = on_phones.classes if on_phones else ""
    translator.body.append(
        (html_table.choice(on_phones, node["label"]) if on_phones else "")
        + f'<div class="perf-scroll perf-from-{widths.whole} perf-to-{widths.small}{kind}" role="region" tabindex="0" '
        f'aria-label="{label}">'
        f'<table class="perf-grid no-search" aria-label="{label}" '
        f'data-perf-stub="{stub}"{node["stated"]}{scales(grid)}'
        f"{html_table.style(labels, on_phones)}>"
        + html_table.columns(node["widths"])
        + html_table.head(grid, node["boards"], node["joined"], groups)
        + html_table.body(
            *(short, labels.columns, node["prefix"], _marks(builder, grid)),
            _targets(builder, node["top"], grid),
            _hidden(len(grid.rows), first, first_blocks),
            *(groups, boards),
        )
        + "</table></div>\n"
        + (_all_rows(len(grid.rows), first, is_empty) if first_blocks is not None else "")
        # Only the first part of a table has a prefix.
        + (_unmarked(builder, grid) if node["prefix"] else "")
    )
    raise nodes.SkipNode


def with_short_heads(grid: Grid) -> Grid:
    """Return a table whose heads are replaced by short names."""
    return structs.replace(grid, header=shortened(grid.header, grid.shorts))


def in_heads(boards: Mapping[str, int], shorts: Mapping[str, str]) -> set[str]:
    """Return the names of boards as they appear in heads."""
    return {shorts.get(board, board) for board in boards}


def _hidden(
    count: int, first: Collection[int] | None, first_blocks: Collection[int] | None
) -> dict[int, str]:
    """Return the classes of the rows that are hidden until a reader asks for all: anywhere if they
    are not among the ``first``, and in a stacked table if they are not among ``first_blocks``."""
    hidden = dict.fromkeys(range(count), "perf-later") if first_blocks is not None else {}
    for row in first_blocks or ():
        del hidden[row]
    rows = range(count) if first is not None else ()
    return hidden | {row: "perf-more" for row in rows if row not in (first or ())}


def _all_rows(count: int, first: Collection[int] | None, is_empty: bool) -> str:
    """Return the checkbox that shows all rows of a long table without a script. If none is hidden
    unless the table is stacked (``first`` is ``None``), it only appears there."""
    kind = " perf-all-blocks" if first is None else ""
    rows = "1 row" if count == 1 else f"{count:,} rows"
    words = (
        f"{rows}, without a figure in this part"
        if is_empty
        else f"{'Show' if first == set() else 'All'} {rows}"
    )
    return f'<label class="perf-all{kind}"><input type="checkbox"> {words}</label>\n'


def scales(grid: Grid) -> str:
    """Return the attribute with the scales of a table's units, if its rows have several. With it,
    sorting compares figures of one kind by value and keeps kinds apart."""
    keys = list(grid.header[0][: grid.stub]) if grid.header else []
    if "Unit" not in keys or not grid.units:
        return ""
    column = keys.index("Unit")
    names = dict.fromkeys(units.whole(row[column]) for row in grid.rows)
    if len(names) < 2:
        return ""
    text = json.dumps({name: grid.units[name] for name in names}, ensure_ascii=False)
    return f' data-perf-units="{escape(text)}"'


def _marks(builder: Any, grid: Grid) -> dict[tuple[int, int], str]:
    """Return the signs of a table's cells as markup, with links to their worst findings."""
    out = dict.fromkeys(
        grid.apart, f'<abbr class="perf-mark perf-mark-note" title="{APART}">{APART_SIGN}</abbr>'
    )
    signs = grid.signs()
    for row, column, marks in grid.marks:
        noted = [(grid.notes[number], detail) for number, detail in marks]
        noted.sort(key=lambda each: SEVERITIES.index(each[0].severity))
        worst = noted[0][0]
        texts = [(f"{kind(note)}: {note.title}", detail) for note, detail in noted]
        uri = _finding_uri(builder, worst.id)
        out[row, column] = html_table.mark(signs[row, column], worst.severity, uri, texts)
    return out


def _unmarked(builder: Any, grid: Grid) -> str:
    """Return as markup the notes that apply to most figures of a table, which are not marked one by
    one."""
    return "".join(
        f'<p class="perf-unmarked">{SIGNS[note.severity]} <a href="{escape(_finding_uri(builder, note.id))}">'
        f"{escape(kind(note))}: {escape(note.title)}</a>: {escape(note.most)}; "
        "none of them is marked.</p>\n"
        for note in grid.notes
        if note.most
    )


def _finding_uri(builder: Any, finding: str) -> str:
    """Return the address of a finding in the report, relative to the page being written."""
    report = page_name(builder.config.perfguide_output, "reports/health")
    labels = builder.env.domains.standard_domain.anonlabels
    return page_uri(builder, labels.get(finding.lower(), (report, ""))[0], finding)


def kind(note: Note) -> str:
    """Return the kind of a note, for a sentence."""
    return units.capital(KIND_WORDS[note.severity])


def _targets(builder: Any, top: str, grid: Grid) -> dict[tuple[int, int], str]:
    """Return the addresses that cells link to, relative to the page being written."""
    return {
        (row, column): page_uri(builder, name, anchor(table) + end)
        for row, column, page, table, end in grid.links
        if (name := page_name(top, page)) in builder.env.found_docs
    }


def setup(app: Sphinx) -> None:
    """Register the nodes."""
    for node in (perf_rows, perf_figure, perf_grid):
        app.add_node(node, latex=(no_visitor, None), text=(no_visitor, None))
    app.add_node(perf_figure, override=True, html=(_open_figure, writes("</figure>\n")))
    app.add_node(perf_grid, override=True, html=(_write_grid, None))

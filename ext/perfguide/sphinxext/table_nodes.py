"""Tables of figures as nodes. HTML is written here, other formats by docutils.

While pages are read, a table is an ordinary ``table`` node with its title and anchor, so that
numbering and references work, and a single leaf with the cells. The leaf becomes markup when the
page is written.
"""

from __future__ import annotations

import base64
import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate, chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from docutils import nodes
from msgspec import structs
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_tabs.tabs import SphinxTabsPanel, SphinxTabsTab, SphinxTabsTablist

from ..charts import gallery
from ..common import units
from ..common.diagnostics import SIGNS
from ..common.grouping import grouped
from ..common.slugs import anchor, slug
from ..common.units import TableCell
from ..health.finding import KIND_WORDS
from ..tables.grids import DATA, Grid, Note, picked
from . import html_table
from .answers import perf_answers
from .config import page_name, page_uri
from .guest import may_change
from .screen_nodes import NotHtmlTransform, writes

UNPRINTED = {"perf-data", "perf-elsewhere"}
"""Classes of lines of links, which are useless on paper."""

KINDS_OF_PAGES = ("guides", "by-benchmark", "compare", "reports")
"""The folders of generated pages."""

MAX_CELL_CHARS = 40
"""The width of a column in plain text; longer text is wrapped."""

MAX_FLOAT_ROWS = 30
"""A longer table may continue on the next page."""


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
    """A table for HTML: the caption, and one table or one per tab."""


class perf_use(nodes.General, nodes.Element):
    """The folded controls of an HTML table, added by a script, and its line of links to files."""


class perf_grid(nodes.General, nodes.Element):
    """One HTML table: a ``grid``, whose rows have anchors that start with ``prefix``, and ``stated``
    attributes that describe how it differs from the table's file."""


class perf_picture(nodes.General, nodes.Element):
    """One picture of a chart; ``label`` is the name of its tab, and ``size`` its width and height
    in CSS pixels, or ``None`` if there is no SVG file."""


class perf_download(nodes.General, nodes.Element):
    """A line of links to files, for formats that have links."""


def download(docname: str, files: Mapping[str, str]) -> perf_download:
    """Return the line of links below a table or chart; ``files`` maps names to link texts."""
    return perf_download("", *(file_link(docname, name, text) for name, text in files.items()))


def file_link(docname: str, name: str, text: str = "") -> addnodes.download_reference:
    """Return a link to a file, which makes Sphinx copy it into the site."""
    return addnodes.download_reference(
        "", "", *([nodes.Text(text)] if text else []), reftarget=f"/{name}", refdoc=docname
    )


def sized(image: nodes.image, srcdir: Path) -> tuple[int, int] | None:
    """Return a drawn picture's width and height in CSS pixels, or ``None`` if there is no SVG
    file."""
    candidates: dict[str, str] = image.get("candidates", {})
    # A picture named with its suffix has no other format.
    name = candidates.get("image/svg+xml") or candidates.get("*", "")
    return gallery.size(srcdir / name) if name.endswith(".svg") else None


def visit_figure_html(translator: Any, node: perf_figure) -> None:
    """Open the figure, and write its caption with number and permalink."""
    ids = f' id="{escape(node["ids"][0])}"' if node["ids"] else ""
    classes = " ".join(["perf-table", *node["classes"]])
    file = ""
    if node["behind"] and translator.builder.download_support:
        address = posixpath.join(translator.builder.dlpath, quote(node["behind"]))
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


def visit_use_html(translator: Any, node: perf_use) -> None:
    """Open the controls of a table, with an empty element for a script to fill, or those of a
    chart."""
    summary = node.get("summary", "")
    translator.body.append(
        f'<details class="perf-use"><summary>{summary or "Copy, sort, CSV"}</summary>'
        + ("" if summary else '<div class="perf-tools"></div>')
    )


def visit_grid_html(translator: Any, node: perf_grid) -> None:
    """Write a table in a box that scrolls if the table is too wide."""
    grid: Grid = node["grid"]
    label, stub, builder = escape(node["label"]), grid.stub, translator.builder
    header = html_table.shortened(grid.header, grid.shorts)
    squares, steps = _in_heads(node["boards"], grid.shorts), _steps(node)
    chosen = blocks = on_phones = None
    if node["long"]:
        on_phones = html_table.phone_columns(header, grid.rows, stub, squares)
        chosen = html_table.first_rows(grid.rows, steps.is_stacked)
        blocks = html_table.first_rows(grid.rows, True, on_phones is not None)
    is_empty = html_table.has_no_figures(grid.rows, stub)
    if is_empty or node["repeats"]:
        chosen = blocks = set[int]()
    groups = on_phones.groups if on_phones else ()
    kind = on_phones.classes if on_phones else ""
    translator.body.append(
        (html_table.choice(on_phones, node["label"]) if on_phones else "")
        + f'<div class="perf-scroll perf-from-{steps.whole} perf-to-{steps.small}{kind}" role="region" tabindex="0" '
        f'aria-label="{label}">'
        f'<table class="perf-grid no-search" aria-label="{label}" '
        f'data-perf-stub="{stub}"{node["stated"]}{scales(grid)}'
        f"{html_table.heads(header, stub, grid.rows, on_phones)}>"
        + html_table.columns(node["widths"])
        + html_table.head(
            *(grid.header, stub, grid.shorts),
            html_table.figure_columns(grid.rows, stub),
            node["boards"],
            grid.head_names,
            node["joined"],
            groups,
        )
        + html_table.body(
            grid.rows,
            stub,
            node["prefix"],
            header,
            _marks(builder, grid),
            _targets(builder, node["top"], grid),
            chosen,
            {(row, column): name for row, column, name in grid.names},
            blocks,
            groups,
        )
        + "</table></div>\n"
        + (_all_rows(len(grid.rows), chosen is not None, is_empty) if blocks is not None else "")
        # Only the first part of a table has a prefix.
        + (_unmarked(builder, grid) if node["prefix"] else "")
    )
    raise nodes.SkipNode


def _steps(node: perf_grid) -> html_table.Steps:
    grid: Grid = node["grid"]
    header = html_table.shortened(grid.header, grid.shorts)
    return html_table.steps(header, grid.rows, grid.stub, _in_heads(node["boards"], grid.shorts))


def _in_heads(boards: Mapping[str, int], shorts: Mapping[str, str]) -> set[str]:
    """Return the names of boards as they appear in heads."""
    return {shorts.get(board, board) for board in boards}


def _all_rows(count: int, is_always: bool, is_empty: bool = False) -> str:
    """Return the checkbox that shows all rows of a long table without a script. Unless it
    ``is_always`` needed, it only appears where the table is stacked. For a table that ``is_empty``,
    it shows the rows that are all hidden."""
    kind = "" if is_always else " perf-all-blocks"
    rows = "1 row" if count == 1 else f"{count:,} rows"
    words = f"{rows}, without a figure in this part" if is_empty else f"All {rows}"
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


def positions(rows: Sequence[int], columns: Sequence[int]) -> str:
    """Return the attributes with the numbers of the file's rows and columns that a table has: none
    if it has all, and only the first number if the others follow it."""
    out = ""
    for name, numbers in (("rows", rows), ("columns", columns)):
        if numbers and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
            numbers = numbers[:1]
        if numbers and list(numbers) != [0]:
            out += f' data-perf-{name}="{",".join(map(str, numbers))}"'
    return out


def _marks(builder: Any, grid: Grid) -> dict[tuple[int, int], str]:
    """Return the marks of a table's cells as markup, with links to their findings."""
    return {
        (row, column): "".join(
            html_table.mark(
                _finding_uri(builder, note.id),
                note.severity,
                f"{_kind(note)}: {note.title}",
                detail,
            )
            for note, detail in ((grid.notes[number], words) for number, words in marks)
        )
        for row, column, marks in grid.marks
    }


def _unmarked(builder: Any, grid: Grid) -> str:
    """Return as markup the notes that apply to most figures of a table, which are not marked one by
    one."""
    return "".join(
        f'<p class="perf-unmarked">{SIGNS[note.severity]} <a href="{escape(_finding_uri(builder, note.id))}">'
        f"{escape(_kind(note))}: {escape(note.title)}</a>: {escape(note.most)}; "
        "none of them is marked.</p>\n"
        for note in grid.notes
        if note.most
    )


def _finding_uri(builder: Any, finding: str) -> str:
    """Return the address of a finding in the report, relative to the page being written."""
    report = page_name(builder.config.perfguide_output, "reports/health")
    labels = builder.env.domains.standard_domain.anonlabels
    return page_uri(builder, labels.get(finding.lower(), (report, ""))[0], finding)


def _kind(note: Note) -> str:
    return units.capital(KIND_WORDS[note.severity])


def _targets(builder: Any, top: str, grid: Grid) -> dict[tuple[int, int], str]:
    """Return the addresses that cells link to, relative to the page being written."""
    return {
        (row, column): page_uri(builder, name, anchor(table) + end)
        for row, column, page, table, end in grid.links
        if (name := page_name(top, page)) in builder.env.found_docs
    }


class perf_file(addnodes.download_reference):
    """A link to a file, with a more telling name to save it under: ``saved_as``."""


def visit_file_html(translator: Any, node: perf_file) -> None:
    """Open the link if files have copies beside the pages."""
    if translator.builder.download_support:
        address = posixpath.join(translator.builder.dlpath, quote(node["filename"]))
        translator.body.append(
            f'<a class="reference download internal" download="{escape(node["saved_as"])}" '
            f'href="{escape(address)}">'
        )


def depart_file_html(translator: Any, node: perf_file) -> None:
    """Close the link."""
    if translator.builder.download_support:
        translator.body.append("</a>")


class NamedFiles(SphinxPostTransform):
    """Links to CSV files that are saved under a name with SoC, system and release, as the files of
    all guides have the same names."""

    default_priority = 170
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Replace the links to files of generated pages."""
        for link in list(self.document.findall(addnodes.download_reference)):
            kind, _, rest = link.get("filename", "").partition("/")
            if kind in KINDS_OF_PAGES:
                named = perf_file("", "", *link.children, **link.attributes)
                named["saved_as"] = rest.replace("/", "-").replace(DATA, ".csv")
                link.replace_self(named)


class HtmlTables(SphinxPostTransform):
    """Replace each table's leaf with nodes for HTML, with alternatives one after another."""

    default_priority = 181
    formats = ("html",)
    has_tabs = False

    def run(self, **kwargs: Any) -> None:
        """Replace every table that has a leaf."""
        tops = [*self.document.findall(perf_answers)]
        boards = self._boards(tops)
        for leaf in list(self.document.findall(perf_rows)):
            table = leaf.parent
            leaf["boards"], leaf["long"] = boards, "perf-long" in table["classes"]
            leaf["repeats"] = "perf-repeats" in table["classes"]
            leaf["in_guide"] = bool(tops) or leaf["long"]
            title = next((c for c in table.children if isinstance(c, nodes.title)), None)
            caption = title.astext() if title else ""
            classes = list(table["classes"])
            if "align" in table:
                classes.append(f"align-{table['align']}")
            figure = perf_figure(ids=table["ids"], classes=classes, caption=caption)
            files = leaf.findall(addnodes.download_reference)
            figure["file"] = leaf.get("file", "")
            figure["behind"] = next((file.get("filename", "") for file in files), "")
            figure += perf_use("", *_line_below(table))
            prefix = table["ids"][0] if table["ids"] else ""
            rows: dict[str, list[int]] = {}
            grid: Grid = leaf["grid"]
            for number, row in enumerate(grid.rows if grid.tabs else ()):
                rows.setdefault(units.whole(row[0]), []).append(number)
            texts_by_name = {name: grid.shorts.get(name, name) for name in rows}
            several = [
                (
                    name,
                    grids(
                        leaf,
                        f"{caption}: {texts_by_name[name]}",
                        _prefix(prefix, grid, own, name),
                        own,
                    ),
                )
                for name, own in rows.items()
            ]
            if len(rows) < 2:
                figure.extend(grids(leaf, caption, prefix))
            elif self.has_tabs:
                figure += tab_set(several, caption, prefix, texts_by_name)
            else:
                for name, own_grids in several:
                    figure += nodes.paragraph("", "", nodes.strong("", texts_by_name[name]))
                    figure.extend(own_grids)
            own_tables = [*figure.findall(perf_grid)]
            # Tables that divide their columns are too wide for half a page.
            if leaf["long"] and len(own_tables) == max(1, len(rows)) and not leaf["repeats"]:
                is_half = all(_steps(each).is_half for each in own_tables)
                figure["classes"] += ["perf-half"] if is_half else []
            table.replace_self(figure)
        for drawn in list(self.document.findall(nodes.figure)):
            if "perf-chart" in drawn["classes"]:
                _chart_for_html(drawn, self.has_tabs, Path(self.env.srcdir))

    @staticmethod
    def _boards(tops: Sequence[perf_answers]) -> dict[str, int]:
        """Return the numbers of a guide's boards, in the order of its first table."""
        boards = tops[0]["answers"].boards if len(tops) == 1 else ()
        names = (board for _, board in boards)
        return {board: number for number, board in enumerate(names)} if len(boards) > 1 else {}


class TabbedTables(HtmlTables):
    """The same with alternatives on tabs, for builders whose pages have scripts."""

    default_priority = 180
    builders = (
        *("html", "dirhtml", "singlehtml"),
        *("readthedocs", "readthedocsdirhtml", "readthedocssinglehtml"),
    )
    has_tabs = True


def _prefix(prefix: str, grid: Grid, rows: Sequence[int], name: str) -> str:
    """Return the prefix of row addresses on a tab."""
    raw = next((raw for row, column, raw in grid.names if (row, column) == (rows[0], 0)), name)
    return f"{prefix}--{slug(raw)}" if prefix else ""


def _line_below(table: nodes.Element) -> list[nodes.Node]:
    """Detach the line of file links below a table, and return it."""
    following = table.next_node(descend=False, siblings=True)
    if isinstance(following, nodes.paragraph) and "perf-download" in following["classes"]:
        following.parent.remove(following)
        return [following]
    return []


def _chart_for_html(figure: nodes.figure, tabs: bool, srcdir: Path) -> None:
    """Put the pictures of a chart on tabs, or one after another under their names."""
    pictures = [child for child in figure.children if isinstance(child, perf_picture)]
    for picture in pictures:
        for image in picture.findall(nodes.image):
            if size := picture["size"] or sized(image, srcdir):
                # A known size keeps the page from shifting when the file arrives.
                image["width"], image["height"] = map(str, size)
                # On paper, a tall chart with many rows gets a page, or it would be too small to read.
                image["classes"] += ["perf-tall"] if size[1] > size[0] else []
    if line := _line_below(figure):
        figure += perf_use("", *line, summary="CSV, sources")
    if "perf-small" in figure["classes"]:
        container = nodes.container(classes=["perf-pictures"])
        for picture in pictures:
            figure.remove(picture)
            name = nodes.paragraph("", picture["label"], classes=["perf-picture-name"])
            container += nodes.container("", name, picture[0], classes=["perf-picture"])
        figure.insert(0, container)
        return
    if len(pictures) > 1 and tabs:
        named = [(picture["label"], picture.children) for picture in pictures]
        label = next(c.astext() for c in figure.children if isinstance(c, nodes.caption))
        for picture in pictures:
            figure.remove(picture)
        figure.insert(0, tab_set(named, label, (figure["ids"] or ["chart"])[0]))
        return
    _spread_pictures(figure, pictures)


def _spread_pictures(figure: nodes.figure, pictures: Sequence[nodes.Element]) -> None:
    """Put the pictures one after another under their names.

    All but the last move in front of the figure, which on paper cannot be longer than a page.
    """
    for picture in pictures:
        image = picture[0]
        assert isinstance(image, nodes.image)  # the directive makes no other node
        if "perf-small" in figure["classes"]:
            image["width"] = "48%"
        title = []
        if len(pictures) > 1:
            name = picture["label"]
            title = [nodes.paragraph("", "", nodes.strong(name, name))]
        if picture is pictures[-1]:
            for node in title:
                figure.insert(figure.index(picture), node)
            picture.replace_self(picture.children)
        else:
            figure.remove(picture)
            figure.parent.insert(figure.parent.index(figure), [*title, *picture.children])


class WideColumns(SphinxPostTransform):
    """Columns of other tables in plain text, made as wide as their longest word.

    Sphinx's writer treats a column's relative width as a number of characters. A column of one
    character would get a line per character, and before Sphinx 9.0 writing it might never end,
    because ``TextWrapper._break_word`` needs space for two double-width characters.
    """

    default_priority = 990  # after all tables have been made
    formats = ("text",)
    MIN_CHARS = 4

    def run(self, **kwargs: Any) -> None:
        """Widen the columns."""
        if not may_change(self.env, self.env.current_document.docname):
            return
        for tgroup in self.document.findall(nodes.tgroup):
            columns = [part for part in tgroup.children if isinstance(part, nodes.colspec)]
            for column in columns:
                column["colwidth"] = max(column["colwidth"], self.MIN_CHARS)
            for row in tgroup.findall(nodes.row):
                cells = [cell for cell in row.children if isinstance(cell, nodes.entry)]
                ends = [*accumulate(1 + cell.get("morecols", 0) for cell in cells)]
                if ends[-1:] != [len(columns)]:
                    continue  # cells of earlier rows span this one
                for cell, end in zip(cells, ends, strict=True):
                    if "morecols" not in cell:
                        longest = max(map(len, cell.astext().split()), default=0)
                        column = columns[end - 1]
                        column["colwidth"] = max(column["colwidth"], min(longest, MAX_CELL_CHARS))


class PlainTables(NotHtmlTransform):
    """Tables as docutils nodes for all other formats, without links to files."""

    default_priority = 182

    def run(self, **kwargs: Any) -> None:
        """Expand the leaves that no other transform has replaced."""
        for leaf in list(self.document.findall(perf_rows)):
            table = leaf.parent
            if len(leaf["grid"].rows) > MAX_FLOAT_ROWS:
                table["classes"].append("longtable")
            table.replace(leaf, group(leaf))
            table.parent.insert(table.parent.index(table) + 1, listed(leaf["grid"]))
        for figure in list(self.document.findall(nodes.figure)):
            pictures = [child for child in figure.children if isinstance(child, perf_picture)]
            for picture in pictures:
                del picture[1:]  # drawn for phones
            _spread_pictures(figure, pictures)
        for line in list(self.document.findall(perf_download)):
            line.parent.remove(line)


class PaperLines(NotHtmlTransform):
    """Lines of links in formats other than HTML: they keep no links to files, and spell out the
    title of the page with the figures' origin, since links cannot be followed on paper."""

    default_priority = 5  # while references still have their targets

    def run(self, **kwargs: Any) -> None:
        """Replace the lines of links."""
        for paragraph in list(self.document.findall(nodes.paragraph)):
            if UNPRINTED & {*paragraph["classes"]}:
                paragraph.parent.remove(paragraph)
            elif "perf-download" in paragraph["classes"]:
                self._print_origin(paragraph)

    def _print_origin(self, line: nodes.paragraph) -> None:
        """Reduce the line below a table to a link to the figures' origin, with the title of that
        page."""
        files = [each for each in line.children if isinstance(each, addnodes.download_reference)]
        rest = line.children[line.index(files[-1]) + 1 :] if files else line.children
        if rest and isinstance(rest[0], nodes.Text):
            rest = [nodes.Text(rest[0].astext().removeprefix(" · ")), *rest[1:]]
        if not "".join(each.astext() for each in rest).strip():
            line.parent.remove(line)
            return
        line.children = []
        line.extend(rest)
        link = next(iter(line.findall(addnodes.pending_xref)), None)
        labels = self.env.domains.standard_domain.anonlabels
        page = labels.get(link["reftarget"], ("", ""))[0] if link else ""
        if page in self.env.titles:
            line += nodes.Text(f": {self.env.titles[page].astext()}")


def grids(
    leaf: perf_rows, label: str, prefix: str, rows: Sequence[int] | None = None
) -> list[perf_grid]:
    """Return the HTML tables of a leaf: one, or several that divide the columns if a guide's table
    is too wide for its page. With ``rows``, they are those of one alternative, without the column
    that names it and without columns in which it has no figures."""
    grid: Grid = leaf["grid"]
    header, body, stub = grid.header, grid.rows, grid.stub
    width = len(header[0]) if header else max(map(len, body), default=0)
    own_rows = range(len(body)) if rows is None else rows
    columns = [
        column
        for column in range(0 if rows is None else 1, width)
        if column < stub
        or rows is None
        or any(body[row][column] != units.MISSING for row in own_rows)
    ]
    parts, is_turned, stated = [columns], False, ""
    if leaf["in_guide"] and header:
        keys, header, stated = _with_unit_in_head(grid, columns, own_rows)
        parts, is_turned = _divided(leaf, header, keys, columns)
    # A copy of the table has these as columns.
    same = grid.same + ([] if rows is None else [(header[0][0], units.whole(body[rows[0]][0]))])
    same_attribute = f' data-perf-same="{escape(json.dumps(same))}"' if same else ""
    out = []
    for number, own in enumerate(parts):
        # A row's only address is that in the first part. Regions of a page need unique names.
        first, name = ("", f"{label}, part {number + 1}") if number else (prefix, label)
        levels, shared = _levels(header, own, stub, is_turned)
        part = picked(grid, own_rows, own)
        out.append(
            perf_grid(
                grid=structs.replace(part, header=_head(header, own, part.stub, levels)),
                label=name,
                prefix=first,
                widths=[leaf["widths"][column] for column in own] if leaf["widths"] else [],
                joined=shared if leaf["in_guide"] else 0,
                stated=f"{stated}{_level_order(levels)}{same_attribute}{positions(own_rows, own)}",
                **{key: leaf[key] for key in ("top", "boards", "long", "repeats")},
            )
        )
    return out


Header = tuple[tuple[str, ...], ...]


def _with_unit_in_head(
    grid: Grid, columns: Sequence[int], rows: Sequence[int]
) -> tuple[list[int], Header, str]:
    """Return the row keys to show, the head, and an attribute. If all rows have one unit, it takes
    the place of "Metric" in the head and is stated in the attribute instead of in a column."""
    keys, header = [column for column in columns if column < grid.stub], grid.header
    unit = next((column for column in keys if header[0][column] == "Unit"), 0)
    names = {units.whole(grid.rows[row][unit]) for row in rows}
    if not unit or header[0][unit - 1] != "Metric" or len(names) != 1:
        return keys, header, ""
    keys.remove(unit)
    above = list(header[0])
    above[unit - 1] = names.pop() or above[unit - 1]
    stated = f' data-perf-unit="{escape(above[unit - 1])}"'
    return keys, (tuple(above), *header[1:]), stated


def _divided(
    leaf: perf_rows, header: Header, keys: list[int], columns: Sequence[int]
) -> tuple[list[list[int]], bool]:
    """Return the columns of each table that a guide's table is divided into, and whether the head is
    turned: the metric is its first level, with its boards side by side."""
    grid: Grid = leaf["grid"]
    figures = [column for column in columns if column >= grid.stub]
    boards, metrics = ({row[c] for c in figures} for row in (header[0], header[-1]))
    is_turned = len(boards) > 1 or len(metrics) == 1
    varying = [row for row in header if len({row[column] for column in figures}) > 1]
    # By metric or, if there is only one, by the first level that varies, such as the engine.
    level = next((row for row in varying if header[-1] not in varying), header[-1])
    groups = grouped(figures, lambda column: level[column] if len(header) > 1 else "")
    heads = html_table.shortened(header, grid.shorts)
    squares = _in_heads(leaf["boards"], grid.shorts)
    return _fitting(heads, grid.rows, keys, list(groups.values()), is_turned, squares), is_turned


def _levels(
    header: Sequence[Sequence[str]], columns: Sequence[int], stub: int, is_turned: bool
) -> tuple[list[int], int]:
    """Return the levels of a head in the order in which a guide shows them, and how many of the
    leading ones all columns of figures share. If the head ``is_turned``, the metric, which is the
    file's last level, precedes the others."""
    levels = list(range(len(header)))
    figures = [column for column in columns if column >= stub]
    shared = [n for n in levels if len({header[n][column] for column in figures}) == 1]
    turned = [*levels[-1:], *levels[:-1]] if is_turned else levels
    order = [*shared, *(n for n in turned if n not in shared)]
    # Each column needs a head of its own.
    return order, min(len(shared), len(header) - 1)


def _level_order(levels: Sequence[int]) -> str:
    """Return the attribute with which scripts restore the file's order of head levels."""
    if list(levels) == sorted(levels):
        return ""
    return f' data-perf-levels="{",".join(str(levels.index(n)) for n in sorted(levels))}"'


_UNIT = re.compile(r"\(([^()]+)\)")


def _fitting(
    header: Sequence[Sequence[str]],
    body: Sequence[Sequence[TableCell]],
    keys: list[int],
    groups: list[list[int]],
    is_turned: bool,
    boards: set[str],
) -> list[list[int]]:
    """Return the columns of as few tables as fit on a page. Each has the keys and some groups of
    columns; groups of one unit follow one another."""
    order: dict[str, int] = {}
    for group in groups:
        order.setdefault(_unit_of(header, group), len(order))
    groups = sorted(groups, key=lambda group: order[_unit_of(header, group)])

    def fits(columns: list[int]) -> bool:
        levels, _ = _levels(header, columns, len(keys), is_turned)
        head = _head(header, columns, len(keys), levels)
        rows = [[row[column] for column in columns] for row in body]
        return not html_table.steps(head, rows, len(keys), boards).is_stacked

    parts = [keys]
    # Give each part the same number of groups, so that none is left alone below the others.
    for count in range(1, len(groups) + 1):
        size = -(-len(groups) // count)
        parts = [
            [*keys, *chain.from_iterable(groups[start : start + size])]
            for start in range(0, len(groups), size)
        ]
        if all(map(fits, parts)):
            break
    return parts


def _unit_of(header: Sequence[Sequence[str]], group: Sequence[int]) -> str:
    match = _UNIT.search(header[-1][group[0]])
    return match[1] if match else ""


def _head(
    header: Sequence[Sequence[str]], columns: Sequence[int], stub: int, levels: Sequence[int]
) -> tuple[tuple[str, ...], ...]:
    """Return the head of some columns, with its ``levels`` in this order."""
    # The heads of keys stay on the first level.
    return tuple(
        tuple(header[n if number < stub else levels[n]][c] for number, c in enumerate(columns))
        for n in range(len(header))
    )


def tab_set(
    named: Sequence[tuple[str, Sequence[nodes.Node]]],
    label: str,
    prefix: str,
    texts_by_name: Mapping[str, str] | None = None,
) -> nodes.container:
    """Return a tab for each alternative, labelled with its text in ``texts_by_name`` or else its
    name. Choosing a tab also selects that name in every other set on the page."""
    outer = nodes.container(type="tab-element", classes=["sphinx-tabs", "perf-tabs"])
    tabs = SphinxTabsTablist(role="tablist", classes=["closeable"])
    tabs["aria-label"] = label
    texts = [(texts_by_name or {}).get(name, name) for name, _ in named]
    panels, titles = [], distinct_parts(texts)
    for number, (name, content) in enumerate(named):
        own = f"{prefix or 'table'}--{slug(name)}"
        # As sphinx-tabs does: its script uses this name to select tabs in all sets of a page.
        group = base64.b64encode(name.encode("utf-8", "replace")).decode("ascii")
        tab = SphinxTabsTab(name, titles[number], classes=["sphinx-tabs-tab", "group-tab"])
        tab["ids"], tab["name"], tab["role"] = [f"tab-{own}"], group, "tab"
        tab["tabindex"] = "0" if number == 0 else "-1"
        tab["aria-selected"] = "true" if number == 0 else "false"
        tab["aria-controls"] = f"panel-{own}"
        tabs += tab
        panel = SphinxTabsPanel(classes=["sphinx-tabs-panel", "group-tab"])
        panel["ids"], panel["name"], panel["role"] = [f"panel-{own}"], group, "tabpanel"
        panel["tabindex"], panel["aria-labelledby"] = 0, f"tab-{own}"
        panel["data-label"] = texts[number]  # the heading on paper and without scripts
        if number:
            panel["hidden"] = "true"
        panel.extend(content)
        panels.append(panel)
    outer += tabs
    outer.extend(panels)
    return outer


def distinct_parts(names: Sequence[str]) -> list[str]:
    """Return names without the comma-separated parts that all of them share."""
    parts = [name.split(", ") for name in names]
    if len(names) < 2 or len({*map(len, parts)}) > 1:
        return list(names)
    own = [n for n, column in enumerate(zip(*parts, strict=True)) if len({*column}) > 1]
    return [", ".join(each[n] for n in own) for each in parts]


def texts(grid: Grid) -> tuple[list[list[str]], list[list[str]]]:
    """Return the rows of head and body as text, with the marks of notes."""
    body = [list(map(units.whole, row)) for row in grid.rows]
    for row, column, marks in grid.marks:
        signs = (f"{SIGNS[grid.notes[note].severity]}{note + 1}" for note, _ in marks)
        body[row][column] += f" {', '.join(signs)}"
    return [list(row) for row in grid.header], body


def listed(grid: Grid) -> list[nodes.Node]:
    """Return a table's notes as a list, for formats without links."""
    items = nodes.bullet_list()
    for number, note in enumerate(grid.notes, 1):
        text = f"{SIGNS[note.severity]}{number} {_kind(note)}: {note.title}. {note.reason}"
        items += nodes.list_item("", nodes.paragraph("", "", nodes.Text(text)))
    return [items] if grid.notes else []


def group(leaf: nodes.Element, columns: Sequence[int] | None = None) -> nodes.tgroup:
    """Return the cells as docutils nodes: all, or those of some columns plus all row keys.

    Of all columns, each repeats the head that it shares with its neighbours: manual pages have no
    cells that span several.
    """
    grid, spans = leaf["grid"], columns is not None
    header, rows = texts(grid)
    columns = range(len((header or rows)[0])) if columns is None else columns
    out = nodes.tgroup(cols=len(columns))
    for column in columns:
        width = max((len(row[column]) for row in [*header[-1:], *rows]), default=1)
        share = leaf["widths"][column] if leaf["widths"] else max(1, min(width, MAX_CELL_CHARS))
        out += nodes.colspec(colwidth=share, stub=int(column < grid.stub))
    header = [[row[c] for c in columns] for row in header]
    if header:
        head = nodes.thead()
        for level, row in enumerate(header):
            line = nodes.row()
            for start, end in html_table.spans(header, level, grid.stub):
                if spans:
                    line += _entry(row[start], end - start - 1)
                else:
                    line += [_entry(row[start]) for _ in range(start, end)]
            head += line
        out += head
    out += nodes.tbody("", *(nodes.row("", *(_entry(row[c]) for c in columns)) for row in rows))
    return out


def _entry(text: str, more: int = 0) -> nodes.entry:
    entry = nodes.entry(morecols=more) if more else nodes.entry()
    if text:
        entry += nodes.paragraph("", "", nodes.Text(text))
    return entry


def _never(translator: Any, node: nodes.Element) -> None:
    raise AssertionError(f"{type(node).__name__} outlived the post-transforms")


def setup(app: Sphinx) -> None:
    """Register the nodes and the post-transforms."""
    for node in (perf_rows, perf_figure, perf_use, perf_grid, perf_picture, perf_download):
        app.add_node(node, latex=(_never, None), text=(_never, None))
    app.add_node(perf_figure, override=True, html=(visit_figure_html, writes("</figure>\n")))
    app.add_node(perf_use, override=True, html=(visit_use_html, writes("</details>\n")))
    app.add_node(perf_grid, override=True, html=(visit_grid_html, None))
    line = (writes('<p class="perf-download">'), writes("</p>\n"))
    app.add_node(perf_download, override=True, html=line)
    app.add_node(perf_file, html=(visit_file_html, depart_file_html))
    for transform in (
        *(PaperLines, NamedFiles, TabbedTables, HtmlTables, PlainTables, WideColumns),
    ):
        app.add_post_transform(transform)

"""How a table of figures is written: HTML and plain text by hand, other formats by docutils.

While pages are read, a table is an ordinary ``table`` node with its title and
its address, so that numbering and references work, and one leaf that holds the
cells. Only when a page is written does the leaf become markup.
"""

from __future__ import annotations

import base64
import json
import posixpath
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import Any
from urllib.parse import quote

from docutils import nodes
from docutils.utils import column_width
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata
from sphinx_tabs.tabs import SphinxTabsPanel, SphinxTabsTab, SphinxTabsTablist

from ..charts import gallery
from ..common import units
from ..common.slugs import anchor, slug
from ..tables.grids import Grid
from . import html_table
from .config import page_name
from .guest import may_change

UNPRINTED = {"perf-data", "perf-elsewhere"}
"""Lines of links that lead nowhere on paper."""

WIDEST = 40
"""Characters of a line in a cell of a table of plain text."""


class perf_rows(nodes.General, nodes.Element):  # noqa: N801
    """The cells of one table: what a :class:`Grid` has, with ``header`` and ``body`` (rows of
    cells), ``stub``, ``tabs``, ``units``, ``shorts`` and ``notes``; besides ``widths`` (relative widths,
    or nothing), ``marks`` (by row and column of the body pairs of a note's number and words)
    and ``links`` (row, column, page and fragment of each cell that leads somewhere). Its one
    child, if it has one, is the file that says what is behind the cells, so that it is copied."""


def perf_leaf(grid: Grid, top: str, widths: Sequence[int] = ()) -> perf_rows:
    """The leaf of a table whose links are to pages below ``top``.

    Raises :class:`IndexError` where a mark is of a note that is not there.
    """
    marks: dict[int, dict[int, list[tuple[int, str]]]] = {}
    for row, column, found in grid.marks:
        own = [(range(len(grid.notes))[note], words) for note, words in found]
        marks.setdefault(row, {})[column] = own
    return perf_rows(
        header=grid.header,
        body=grid.rows,
        stub=grid.stub,
        tabs=grid.tabs,
        units=grid.units,
        shorts=grid.shorts,
        notes=grid.notes,
        widths=widths,
        marks=marks,
        links=[
            (r, c, page_name(top, page), anchor(table) + end)
            for r, c, page, table, end in grid.links
        ],
    )


class perf_figure(nodes.General, nodes.Element):  # noqa: N801
    """A table as HTML shows it: caption, then one table or one in each tab."""


class perf_grid(nodes.General, nodes.Element):  # noqa: N801
    """The rows of one HTML table. ``prefix`` begins the addresses of its rows."""


class perf_picture(nodes.General, nodes.Element):  # noqa: N801
    """One picture of a chart; ``label`` names the alternative that it shows, ``size``
    is its width and height in CSS pixels, or ``None`` where the SVG is not there."""


class perf_download(nodes.General, nodes.Element):  # noqa: N801
    """The link to a table's file; it is for formats that can follow it."""


def download(docname: str, files: Mapping[str, str]) -> perf_download:
    """The line under a table or chart that leads to its files, each with its words."""
    return perf_download("", *(file_link(docname, name, text) for name, text in files.items()))


def file_link(docname: str, name: str, text: str = "") -> addnodes.download_reference:
    """What leads to a file beside the pages, and has it copied there."""
    return addnodes.download_reference(
        "", "", *([nodes.Text(text)] if text else []), reftarget=f"/{name}", refdoc=docname
    )


def sized(image: nodes.image, srcdir: Path) -> tuple[int, int] | None:
    """Return the width and height of a drawn picture, or ``None`` where it is not there."""
    candidates: dict[str, str] = image.get("candidates", {})
    name = candidates.get("image/svg+xml")
    return gallery.size(srcdir / name) if name else None


def visit_figure_html(translator: Any, node: perf_figure) -> None:
    """Open the figure and write its caption with number and link."""
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
            # The number belongs to a table node with this address.
            translator.add_fignumber(nodes.table(ids=list(node["ids"])))
        text = escape(node["caption"])
        translator.body.append(f'<span class="caption-text">{text}</span>')
        translator.add_permalink_ref(node, "Link to this table")
        translator.body.append("</figcaption>\n")
    # Room for what script adds, so that nothing moves when it does.
    translator.body.append('<div class="perf-tools"></div>\n')


def depart_figure_html(translator: Any, node: perf_figure) -> None:
    """Close the figure."""
    translator.body.append("</figure>\n")


def visit_grid_html(translator: Any, node: perf_grid) -> None:
    """Write a whole table in a box of its own that scrolls where it is wide."""
    label, stub = escape(node["label"]), node["stub"]
    shorts: dict[str, str] = node.get("shorts", {})
    header = html_table.shortened(node["header"], shorts)
    step = html_table.step(header, node["body"], stub)
    translator.body.append(
        f'<div class="perf-scroll perf-from-{step}" role="region" tabindex="0" '
        f'aria-label="{label}">'
        f'<table class="perf-grid no-search" aria-label="{label}" '
        f'data-perf-stub="{stub}"{node["places"]}{scales(node)}'
        f"{html_table.heads(header, stub, node['body'])}>"
        + html_table.columns(node["widths"])
        + html_table.head(
            node["header"], stub, shorts, html_table.figure_columns(node["body"], stub)
        )
        + html_table.body(
            node["body"],
            stub,
            node["prefix"],
            header,
            _marks(translator.builder, node),
            _targets(translator.builder, node["links"]),
        )
        + "</table></div>\n"
    )
    raise nodes.SkipNode


def scales(node: nodes.Element) -> str:
    """What a table says of its units where its rows have several. Sorting compares figures of
    one kind by value, and keeps kinds apart."""
    keys = list(node["header"][0][: node["stub"]]) if node["header"] else []
    if "Unit" not in keys or not node["units"]:
        return ""
    column = keys.index("Unit")
    shown = dict.fromkeys(units.whole(row[column]) for row in node["body"])
    if len(shown) < 2:
        return ""
    text = json.dumps({unit: node["units"][unit] for unit in shown}, ensure_ascii=False)
    return f' data-perf-units="{escape(text)}"'


def places(rows: Sequence[int], columns: Sequence[int]) -> str:
    """Which rows and columns of its file a table shows, where these are not all: the
    numbers, or the first one where the others follow it."""
    out = ""
    for name, numbers in (("rows", rows), ("columns", columns)):
        if numbers and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
            numbers = numbers[:1]
        if numbers and list(numbers) != [0]:
            out += f' data-perf-{name}="{",".join(map(str, numbers))}"'
    return out


def _marks(builder: Any, node: nodes.Element) -> dict[int, dict[int, str]]:
    """The marks of a table as markup, each with the address of its finding."""
    if not node["marks"]:
        return {}
    report = page_name(builder.config.perfguide_output, "reports/health")
    labels = builder.env.domains.standard_domain.anonlabels

    def base(finding: str) -> str:
        page = labels.get(finding.lower(), (report, ""))[0]
        uri: str = builder.get_relative_uri(builder.current_docname, page)
        # On a single page the address of another page is an anchor already.
        return "" if uri.startswith("#") else uri

    out: dict[int, dict[int, str]] = {}
    for row, cells in node["marks"].items():
        for column, found in cells.items():
            out.setdefault(row, {})[column] = "".join(
                html_table.mark(
                    f"{base(note['id'])}#{note['id']}",
                    note["severity"],
                    f"{note['severity'].capitalize()}: {note['title']}: {detail}",
                )
                for note, detail in ((node["notes"][number], words) for number, words in found)
            )
    return out


def _targets(
    builder: Any, links: Sequence[tuple[int, int, str, str]]
) -> dict[tuple[int, int], str]:
    """The addresses that cells lead to, as seen from the page that is being written."""
    here, out = builder.current_docname, {}
    for row, column, page, fragment in links:
        if page in builder.env.found_docs:
            uri = builder.get_relative_uri(here, page)
            # Where all pages are one, each has a fragment for an address already.
            out[row, column] = f"{uri.partition('#')[0]}#{fragment}"
    return out


def visit_download_html(translator: Any, node: perf_download) -> None:
    """Open the line under a table."""
    translator.body.append('<p class="perf-download">')


def depart_download_html(translator: Any, node: perf_download) -> None:
    """Close the line under a table."""
    translator.body.append("</p>\n")


class _HtmlTables(SphinxPostTransform):
    """Turns the leaf of each table into HTML's own nodes."""

    tabs = False

    def run(self, **kwargs: Any) -> None:
        """Replace every table that has a leaf."""
        for leaf in list(self.document.findall(perf_rows)):
            table = leaf.parent
            title = next((c for c in table.children if isinstance(c, nodes.title)), None)
            caption = title.astext() if title else ""
            classes = list(table["classes"])
            if "align" in table:
                classes.append(f"align-{table['align']}")
            figure = perf_figure(ids=table["ids"], classes=classes, caption=caption)
            files = leaf.findall(addnodes.download_reference)
            figure["file"] = leaf.get("file", "")
            figure["behind"] = next((file.get("filename", "") for file in files), "")
            prefix = table["ids"][0] if table["ids"] else ""
            rows: dict[str, list[int]] = {}
            for number, row in enumerate(leaf["body"] if leaf["tabs"] else ()):
                rows.setdefault(units.whole(row[0]), []).append(number)
            if len(rows) < 2:
                figure += grid(leaf, caption, prefix)
            elif self.tabs:
                named = [(n, alternative(leaf, n, own, caption, prefix)) for n, own in rows.items()]
                figure += tab_set(named, caption, prefix)
            else:
                for name, own in rows.items():
                    figure += nodes.paragraph("", "", nodes.strong(name, name))
                    figure += alternative(leaf, name, own, caption, prefix)
            table.replace_self(figure)
        for drawn in list(self.document.findall(nodes.figure)):
            if "perf-chart" in drawn["classes"]:
                _chart_for_html(drawn, self.tabs, Path(self.env.srcdir))
        for download in self.document.findall(perf_download):
            download["kept"] = True


def _chart_for_html(figure: nodes.figure, tabs: bool, srcdir: Path) -> None:
    """Put the pictures of a chart into tabs, or one after another under their names."""
    pictures = [child for child in figure.children if isinstance(child, perf_picture)]
    for picture in pictures:
        image = picture[0]
        if isinstance(image, nodes.image) and (size := picture["size"] or sized(image, srcdir)):
            # Known before the file is: nothing on the page moves when it comes.
            image["width"], image["height"] = map(str, size)
    if "perf-small" in figure["classes"]:
        beside = nodes.container(classes=["perf-pictures"])
        for picture in pictures:
            figure.remove(picture)
            name = nodes.paragraph("", picture["label"], classes=["perf-picture-name"])
            beside += nodes.container("", name, picture[0], classes=["perf-picture"])
        figure.insert(0, beside)
        return
    if len(pictures) > 1 and tabs:
        named = [(picture["label"], picture[0]) for picture in pictures]
        label = next(c.astext() for c in figure.children if isinstance(c, nodes.caption))
        for picture in pictures:
            figure.remove(picture)
        figure.insert(0, tab_set(named, label, (figure["ids"] or ["chart"])[0]))
        return
    _spread_pictures(figure, pictures)


def _spread_pictures(figure: nodes.figure, pictures: Sequence[nodes.Element]) -> None:
    """Put the pictures one after another under their names.

    All but the last go before the figure: on paper a figure cannot be longer than a page.
    """
    for picture in pictures:
        image = picture[0]
        assert isinstance(image, nodes.image)  # as the directive made it
        if "perf-small" in figure["classes"]:
            image["width"] = "48%"
        title = []
        if len(pictures) > 1:
            name = picture["label"]
            title = [nodes.paragraph("", "", nodes.strong(name, name))]
        if picture is pictures[-1]:
            for node in title:
                figure.insert(figure.index(picture), node)
            picture.replace_self(image)
        else:
            figure.remove(picture)
            place = figure.parent.index(figure)
            figure.parent.insert(place, [*title, image])


class TabbedTables(_HtmlTables):
    """For the builders whose pages can show one alternative at a time."""

    default_priority = 180
    builders = (
        "html",
        "dirhtml",
        "singlehtml",
        "readthedocs",
        "readthedocsdirhtml",
        "readthedocssinglehtml",
    )
    tabs = True


class HtmlTables(_HtmlTables):
    """For other HTML, such as EPUB: the alternatives one after another."""

    default_priority = 181
    formats = ("html",)


class TextTables(SphinxPostTransform):
    """For plain text: Sphinx takes the square of a table's length for one of docutils' own."""

    default_priority = 181
    formats = ("text",)

    def run(self, **kwargs: Any) -> None:
        """Replace every table that has a leaf by its text."""
        for leaf in list(self.document.findall(perf_rows)):
            title = "".join(c.astext() for c in leaf.parent.children if isinstance(c, nodes.title))
            above = f"\n{title}\n{'^' * column_width(title)}\n\n" if title else ""
            text = above + "\n".join(plain_text(leaf))
            leaf.parent.replace_self([nodes.raw("", text, format="text"), *listed(leaf)])


class WideColumns(SphinxPostTransform):
    """Makes each column of a table in text as wide as its longest word, up to ``WIDEST``.

    Sphinx's writer takes the relative width of a column for a number of characters. A column
    of one character has a line for each, and before Sphinx 9.0 writing one never ends: its
    ``TextWrapper._break_word`` needs room for two characters of two columns each.
    """

    default_priority = 990  # when all tables are there
    formats = ("text",)
    NARROWEST, WIDEST = 4, 40

    def run(self, **kwargs: Any) -> None:
        """Widen the columns."""
        if not may_change(self.app, self.env.current_document.docname):
            return
        for group in self.document.findall(nodes.tgroup):
            columns = [part for part in group.children if isinstance(part, nodes.colspec)]
            for column in columns:
                column["colwidth"] = max(column["colwidth"], self.NARROWEST)
            for row in group.findall(nodes.row):
                cells = [cell for cell in row.children if isinstance(cell, nodes.entry)]
                ends = [*accumulate(1 + cell.get("morecols", 0) for cell in cells)]
                if ends[-1:] != [len(columns)]:
                    continue  # cells of rows above are beside these
                for cell, end in zip(cells, ends, strict=True):
                    if "morecols" not in cell:
                        longest = max(map(len, cell.astext().split()), default=0)
                        column = columns[end - 1]
                        column["colwidth"] = max(column["colwidth"], min(longest, self.WIDEST))


class PlainTables(SphinxPostTransform):
    """For all other formats: docutils' own table, and no links to files."""

    default_priority = 182

    def run(self, **kwargs: Any) -> None:
        """Expand the leaves that no HTML transform has taken."""
        for leaf in list(self.document.findall(perf_rows)):
            table = leaf.parent
            if len(leaf["body"]) > 30:
                table["classes"].append("longtable")
            table.replace(leaf, group(leaf, spanning=self.app.builder.format != "man"))
            table.parent.insert(table.parent.index(table) + 1, listed(leaf))
        for figure in list(self.document.findall(nodes.figure)):
            _spread_pictures(
                figure, [child for child in figure.children if isinstance(child, perf_picture)]
            )
        for line in list(self.document.findall(perf_download)):
            if not line.get("kept"):
                line.parent.remove(line)


class PaperLines(SphinxPostTransform):
    """For all formats but HTML: no links to files, and the name of the page where figures come
    from, which nobody can follow on paper."""

    default_priority = 5  # while references still have their targets

    def run(self, **kwargs: Any) -> None:
        """Go through the lines of links."""
        if self.app.builder.format == "html":
            return
        for paragraph in list(self.document.findall(nodes.paragraph)):
            if UNPRINTED & {*paragraph["classes"]}:
                paragraph.parent.remove(paragraph)
            elif "perf-download" in paragraph["classes"]:
                self._print_origin(paragraph)

    def _print_origin(self, line: nodes.paragraph) -> None:
        """Leave of the line under a table the words that lead to where its figures come from."""
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


def grid(leaf: perf_rows, label: str, prefix: str, **changed: object) -> perf_grid:
    """One HTML table over all rows of a leaf, or over what has been ``changed`` of it."""
    own = {"label": label, "prefix": prefix, "places": "", **changed}
    return perf_grid("", **leaf.non_default_attributes() | own)


def alternative(
    leaf: perf_rows, name: str, numbers: Sequence[int], label: str, prefix: str
) -> perf_grid:
    """The table of one alternative, which has the rows of these numbers, without the column that
    names it, and without columns of figures in which it has none."""
    rows = [leaf["body"][number] for number in numbers]
    stub, width = leaf["stub"], len(leaf["header"][0])
    kept = [
        column
        for column in range(1, width)
        if column < stub or any(row[column] != units.MISSING for row in rows)
    ]
    return grid(
        leaf,
        f"{label}: {name}",
        f"{prefix}--{slug(name)}" if prefix else "",
        header=[tuple(row[c] for c in kept) for row in leaf["header"]],
        body=[tuple(row[c] for c in kept) for row in rows],
        marks={
            new: {kept.index(c): found for c, found in leaf["marks"][old].items() if c in kept}
            for new, old in enumerate(numbers)
            if old in leaf["marks"]
        },
        stub=stub - 1,
        widths=[leaf["widths"][c] for c in kept] if leaf["widths"] else [],
        links=[],
        places=places(numbers, kept),
    )


def tab_set(named: Sequence[tuple[str, nodes.Node]], label: str, prefix: str) -> nodes.container:
    """A tab for each alternative. The same name is chosen in all tab sets of a page."""
    outer = nodes.container(type="tab-element", classes=["sphinx-tabs", "perf-tabs"])
    tabs = SphinxTabsTablist(role="tablist", classes=["closeable"])
    tabs["aria-label"] = label
    panels, called = [], told_apart([name for name, _ in named])
    for number, (name, content) in enumerate(named):
        own = f"{prefix or 'table'}--{slug(name)}"
        group = base64.b64encode(name.encode("utf-8", "replace")).decode("ascii")
        tab = SphinxTabsTab(name, called[number], classes=["sphinx-tabs-tab", "group-tab"])
        tab["ids"], tab["name"], tab["role"] = [f"tab-{own}"], group, "tab"
        tab["tabindex"] = "0" if number == 0 else "-1"
        tab["aria-selected"] = "true" if number == 0 else "false"
        tab["aria-controls"] = f"panel-{own}"
        tabs += tab
        panel = SphinxTabsPanel(classes=["sphinx-tabs-panel", "group-tab"])
        panel["ids"], panel["name"], panel["role"] = [f"panel-{own}"], group, "tabpanel"
        panel["tabindex"], panel["aria-labelledby"] = 0, f"tab-{own}"
        panel["data-label"] = name  # shown on paper and without script, where no tab is
        if number:
            panel["hidden"] = "true"
        panel += content
        panels.append(panel)
    outer += tabs
    outer.extend(panels)
    return outer


def told_apart(names: Sequence[str]) -> list[str]:
    """Names without those of their parts that are in all of them, in the same place."""
    parts = [name.split(", ") for name in names]
    if len(names) < 2 or len({*map(len, parts)}) > 1:
        return list(names)
    own = [n for n, column in enumerate(zip(*parts, strict=True)) if len({*column}) > 1]
    return [", ".join(each[n] for n in own) for each in parts]


def texts(leaf: nodes.Element) -> tuple[list[list[str]], list[list[str]]]:
    """The rows of the head and of the body as text, with the signs of the notes."""
    body = [list(map(units.whole, row)) for row in leaf["body"]]
    for number, cells in leaf["marks"].items():
        for column, found in cells.items():
            body[number][column] += f" {', '.join(f'†{note + 1}' for note, _ in found)}"
    return [list(row) for row in leaf["header"]], body


def listed(leaf: nodes.Element) -> list[nodes.Node]:
    """What the signs in a table's cells stand for, where they lead nowhere."""
    items = nodes.bullet_list()
    for number, note in enumerate(leaf["notes"], 1):
        text = f"†{number} {note['severity'].capitalize()}: {note['title']}. {note['reason']}"
        items += nodes.list_item("", nodes.paragraph("", "", nodes.Text(text)))
    return [items] if leaf["notes"] else []


def plain_text(leaf: nodes.Element) -> Iterator[str]:
    """The lines of a table as plain text, in time that grows as its length does."""
    header, body = texts(leaf)
    cells = [[_wrapped(text) for text in row] for row in (*header, *body)]
    widths = [
        max(column_width(line) for row in cells for line in row[c]) for c in range(len(cells[0]))
    ]
    ends = {char: f"+{'+'.join(char * (width + 2) for width in widths)}+" for char in "-="}
    yield ends["-"]
    for number, row in enumerate(cells, 1):
        for place in range(max(map(len, row))):
            line = (cell[place] if place < len(cell) else "" for cell in row)
            padded = (
                f" {x}{' ' * (w - column_width(x))} " for x, w in zip(line, widths, strict=True)
            )
            yield f"|{'|'.join(padded)}|"
        yield ends["=" if number == len(header) else "-"]


def _wrapped(text: str) -> list[str]:
    if len(text) <= WIDEST and "\n" not in text:
        return [text]
    return textwrap.wrap(text, WIDEST, break_long_words=False, break_on_hyphens=False) or [""]


def group(
    leaf: nodes.Element, columns: Sequence[int] | None = None, spanning: bool = True
) -> nodes.tgroup:
    """The cells as docutils' own nodes, for formats other than HTML; all, or those of
    some columns, with every row key among them. A manual page has no cells that are
    ``spanning`` columns: what stands over several stands over each of them."""
    header, rows = texts(leaf)
    shown = range(len((header or rows)[0])) if columns is None else columns
    out = nodes.tgroup(cols=len(shown))
    for column in shown:
        width = max((len(row[column]) for row in [*header[-1:], *rows]), default=1)
        share = leaf["widths"][column] if leaf["widths"] else max(1, min(width, WIDEST))
        out += nodes.colspec(colwidth=share, stub=int(column < leaf["stub"]))
    header = [[row[c] for c in shown] for row in header]
    if header:
        head = nodes.thead()
        for level, row in enumerate(header):
            line = nodes.row()
            for start, end in html_table.spans(header, level, leaf["stub"]):
                if spanning:
                    line += _entry(row[start], end - start - 1)
                else:
                    line += [_entry(row[start]) for _ in range(start, end)]
            head += line
        out += head
    body = nodes.tbody()
    for row in rows:
        body += nodes.row("", *(_entry(row[c]) for c in shown))
    out += body
    return out


def _entry(text: str, more: int = 0) -> nodes.entry:
    entry = nodes.entry(morecols=more) if more else nodes.entry()
    if text:
        entry += nodes.paragraph("", "", nodes.Text(text))
    return entry


def _never(translator: Any, node: nodes.Element) -> None:
    raise AssertionError(f"{type(node).__name__} outlived the post-transforms")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the nodes and the post-transform."""
    for node in (perf_rows, perf_figure, perf_grid, perf_picture, perf_download):
        app.add_node(node, latex=(_never, None), text=(_never, None))
    app.add_node(perf_figure, override=True, html=(visit_figure_html, depart_figure_html))
    app.add_node(perf_grid, override=True, html=(visit_grid_html, None))
    app.add_node(perf_download, override=True, html=(visit_download_html, depart_download_html))
    for transform in (PaperLines, TabbedTables, HtmlTables, TextTables, PlainTables, WideColumns):
        app.add_post_transform(transform)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

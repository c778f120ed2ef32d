"""How a table of figures is written: HTML by hand, other formats by docutils.

While pages are read, a table is an ordinary ``table`` node with its title and
its address, so that numbering and references work, and one leaf that holds the
cells. Only when a page is written does the leaf become markup.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata
from sphinx_tabs.tabs import SphinxTabsPanel, SphinxTabsTab, SphinxTabsTablist

from ..common import units
from ..common.slugs import slug
from . import cell_info, cell_links, footnotes, html_table, origin_link, plain_table


class perf_rows(nodes.General, nodes.Element):  # noqa: N801
    """The cells of one table: ``header`` and ``body`` (rows of text), ``stub``
    (how many columns are row keys), ``tabs`` (whether the first key says which
    alternative a row belongs to), ``widths`` (relative widths, or nothing),
    ``notes`` (dictionaries of ``NOTE``), ``marks`` (by row and column of the body
    pairs of a note's number and words) and ``links`` (row, column, page and fragment
    of each cell that leads somewhere)."""


class perf_figure(nodes.General, nodes.Element):  # noqa: N801
    """A table as HTML shows it: caption, then one table or one in each tab."""


class perf_grid(nodes.General, nodes.Element):  # noqa: N801
    """The rows of one HTML table. ``prefix`` begins the addresses of its rows."""


class perf_picture(nodes.General, nodes.Element):  # noqa: N801
    """One picture of a chart; ``label`` names the alternative that it shows, ``size``
    is its width and height in CSS pixels, or ``None`` where the SVG is not there."""


class perf_download(nodes.General, nodes.Element):  # noqa: N801
    """The link to a table's file; it is for formats that can follow it."""


def download(docname: str, name: str, text: str) -> perf_download:
    """The line under a table or chart that leads to its file."""
    link = addnodes.download_reference(
        "", "", nodes.Text(text), reftarget=f"/{name}", refdoc=docname
    )
    return perf_download("", link)


def visit_figure_html(translator: Any, node: perf_figure) -> None:
    """Open the figure and write its caption with number and link."""
    ids = f' id="{escape(node["ids"][0])}"' if node["ids"] else ""
    classes = " ".join(["perf-table", *node["classes"]])
    file = cell_info.attribute(translator, node["behind"])
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
    label = escape(node["label"])
    scales = cell_info.scales(node["header"], node["body"], node["stub"])
    translator.body.append(
        f'<div class="perf-scroll" role="region" tabindex="0" aria-label="{label}">'
        f'<table class="perf-grid no-search" aria-label="{label}" '
        f'data-perf-stub="{node["stub"]}"{node["places"]}{scales}>'
        + html_table.columns(node["widths"])
        + html_table.head(node["header"], node["stub"])
        + html_table.body(
            node["body"],
            node["stub"],
            node["prefix"],
            node["header"],
            footnotes.links(translator, node),
            cell_links.targets(translator.builder, node["links"]),
        )
        + "</table></div>\n"
    )
    raise nodes.SkipNode


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
            figure["behind"] = cell_info.taken(table)
            prefix = table["ids"][0] if table["ids"] else ""
            names = list(dict.fromkeys(row[0] for row in leaf["body"])) if leaf["tabs"] else []
            if len(names) < 2:
                whole = grid(leaf, caption, prefix)
                whole["links"] = leaf["links"]
                figure += whole
            elif self.tabs:
                named = [(name, alternative(leaf, name, caption, prefix)) for name in names]
                figure += tab_set(named, caption, prefix)
            else:
                for name in names:
                    figure += nodes.paragraph("", "", nodes.strong(name, name))
                    figure += alternative(leaf, name, caption, prefix)
            table.replace_self(figure)
        for drawn in list(self.document.findall(nodes.figure)):
            if "perf-chart" in drawn["classes"]:
                _chart_for_html(drawn, self.tabs)
        for download in self.document.findall(perf_download):
            download["kept"] = True


def _chart_for_html(figure: nodes.figure, tabs: bool) -> None:
    """Put the pictures of a chart into tabs, or one after another under their names."""
    pictures = [child for child in figure.children if isinstance(child, perf_picture)]
    for picture in pictures:
        image = picture[0]
        if picture["size"] and isinstance(image, nodes.image):
            # Known before the file is: nothing on the page moves when it comes.
            image["width"], image["height"] = map(str, picture["size"])
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


class PlainTables(SphinxPostTransform):
    """For all other formats: docutils' own table, and no links to files."""

    default_priority = 182

    def run(self, **kwargs: Any) -> None:
        """Expand the leaves that no HTML transform has taken."""
        for leaf in list(self.document.findall(perf_rows)):
            table = leaf.parent
            if len(leaf["body"]) > 30:
                table["classes"].append("longtable")
            table.replace(leaf, plain_table.group(leaf))
            if leaf["notes"]:
                table.parent.insert(table.parent.index(table) + 1, footnotes.listed(leaf))
        for figure in list(self.document.findall(nodes.figure)):
            _spread_pictures(
                figure, [child for child in figure.children if isinstance(child, perf_picture)]
            )
        for download in list(self.document.findall(perf_download)):
            if not download.get("kept"):
                download.replace_self(origin_link.on_paper(download))


def grid(leaf: perf_rows, label: str, prefix: str) -> perf_grid:
    """One HTML table over all rows of a leaf."""
    return perf_grid(
        header=leaf["header"],
        body=leaf["body"],
        marks=leaf["marks"],
        notes=leaf["notes"],
        stub=leaf["stub"],
        widths=leaf["widths"],
        label=label,
        prefix=prefix,
        links=[],
        places="",
    )


def alternative(leaf: perf_rows, name: str, label: str, prefix: str) -> perf_grid:
    """The table of one alternative, without the column that names it, and
    without columns of figures in which it has none."""
    numbers = [number for number, row in enumerate(leaf["body"]) if row[0] == name]
    rows = [leaf["body"][number] for number in numbers]
    stub, width = leaf["stub"], len(leaf["header"][0])
    kept = [
        column
        for column in range(1, width)
        if column < stub or any(row[column] != units.MISSING for row in rows)
    ]
    return perf_grid(
        header=[tuple(row[c] for c in kept) for row in leaf["header"]],
        body=[tuple(row[c] for c in kept) for row in rows],
        marks={
            new: {kept.index(c): found for c, found in leaf["marks"][old].items() if c in kept}
            for new, old in enumerate(numbers)
            if old in leaf["marks"]
        },
        notes=leaf["notes"],
        stub=stub - 1,
        widths=[leaf["widths"][c] for c in kept] if leaf["widths"] else [],
        label=f"{label}: {name}",
        prefix=f"{prefix}--{slug(name)}" if prefix else "",
        links=[],
        places=cell_info.places(numbers, kept),
    )


def tab_set(named: Sequence[tuple[str, nodes.Node]], label: str, prefix: str) -> nodes.container:
    """A tab for each alternative. The same name is chosen in all tab sets of a page."""
    outer = nodes.container(type="tab-element", classes=["sphinx-tabs", "perf-tabs"])
    tabs = SphinxTabsTablist(role="tablist", classes=["closeable"])
    tabs["aria-label"] = label
    panels = []
    for number, (name, content) in enumerate(named):
        own = f"{prefix or 'table'}--{slug(name)}"
        group = base64.b64encode(name.encode("utf-8", "replace")).decode("ascii")
        tab = SphinxTabsTab(name, name, classes=["sphinx-tabs-tab", "group-tab"])
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


def _never(translator: Any, node: nodes.Element) -> None:
    raise AssertionError(f"{type(node).__name__} outlived the post-transforms")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the nodes and the post-transform."""
    for node in (perf_rows, perf_figure, perf_grid, perf_picture, perf_download):
        app.add_node(node, latex=(_never, None), text=(_never, None))
    app.add_node(perf_figure, override=True, html=(visit_figure_html, depart_figure_html))
    app.add_node(perf_grid, override=True, html=(visit_grid_html, None))
    app.add_node(perf_download, override=True, html=(visit_download_html, depart_download_html))
    for transform in (TabbedTables, HtmlTables, PlainTables):
        app.add_post_transform(transform)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Lines of links to files below tables and charts."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import quote

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..tables.grids import DATA
from .screen_nodes import NotHtmlTransform, no_visitor, writes

UNPRINTED = {"perf-data", "perf-elsewhere"}
"""Classes of lines of links, which are useless on paper."""

KINDS_OF_PAGES = ("guides", "by-benchmark", "compare", "reports")
"""The folders of generated pages."""


class perf_use(nodes.General, nodes.Element):
    """The folded controls of an HTML table, added by a script, and its line of links to files."""


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


def line_below(table: nodes.Element) -> list[nodes.Node]:
    """Detach the line of file links below a table, and return it."""
    following = table.next_node(descend=False, siblings=True)
    if isinstance(following, nodes.paragraph) and "perf-download" in following["classes"]:
        following.parent.remove(following)
        return [following]
    return []


def _open_use(translator: Any, node: perf_use) -> None:
    """Open the controls of a table, with an empty element for a script to fill, or those of a
    chart."""
    summary = node.get("summary", "")
    translator.body.append(
        f'<details class="perf-use"><summary>{summary or "Copy, sort, CSV"}</summary>'
        + ("" if summary else '<div class="perf-tools"></div>')
    )


class perf_file(addnodes.download_reference):
    """A link to a file, with a more telling name to save it under: ``saved_as``."""


def _open_file(translator: Any, node: perf_file) -> None:
    """Open the link if files have copies beside the pages."""
    if translator.builder.download_support:
        address = posixpath.join(translator.builder.dlpath, quote(node["filename"]))
        translator.body.append(
            f'<a class="reference download internal" download="{escape(node["saved_as"])}" '
            f'href="{escape(address)}">'
        )


def _close_file(translator: Any, node: perf_file) -> None:
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
        files = [child for child in line.children if isinstance(child, addnodes.download_reference)]
        rest = line.children[line.index(files[-1]) + 1 :] if files else line.children
        if rest and isinstance(rest[0], nodes.Text):
            rest = [nodes.Text(rest[0].astext().removeprefix(" · ")), *rest[1:]]
        if not "".join(child.astext() for child in rest).strip():
            line.parent.remove(line)
            return
        line.children = []
        line.extend(rest)
        link = next(iter(line.findall(addnodes.pending_xref)), None)
        labels = self.env.domains.standard_domain.anonlabels
        page = labels.get(link["reftarget"], ("", ""))[0] if link else ""
        if page in self.env.titles:
            line += nodes.Text(f": {self.env.titles[page].astext()}")


def setup(app: Sphinx) -> None:
    """Register the nodes and the post-transforms."""
    for node in (perf_use, perf_download):
        app.add_node(node, latex=(no_visitor, None), text=(no_visitor, None))
    app.add_node(perf_use, override=True, html=(_open_use, writes("</details>\n")))
    line = (writes('<p class="perf-download">'), writes("</p>\n"))
    app.add_node(perf_download, override=True, html=line)
    app.add_node(perf_file, html=(_open_file, _close_file))
    app.add_post_transform(PaperLines)
    app.add_post_transform(NamedFiles)

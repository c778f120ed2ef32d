"""The link under a table to where its figures come from."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from . import markup


class perf_origin(nodes.General, nodes.Inline, nodes.TextElement):  # noqa: N801
    """In the line under a table, the link to where its figures come from; on
    paper it is all that is left of that line."""


def link(option: str, docname: str) -> perf_origin:
    """The link. ``option`` is the target's name and, in percent-encoding, the
    title of its page, which paper shows."""
    name, _, title = option.partition(" ")
    to = addnodes.pending_xref(
        "",
        nodes.inline("", "Where these figures come from"),
        refdomain="std",
        reftype="ref",
        refexplicit=True,
        refwarn=True,
        reftarget=name,
        refdoc=docname,
    )
    page = nodes.inline("", f": {markup.decoded(title)}", classes=["perf-on-paper"])
    return perf_origin("", "", to, page)


def on_paper(line: nodes.Element) -> list[nodes.Node]:
    """What is left of the line under a table where no file can be followed."""
    links = [part for part in line.children if isinstance(part, perf_origin)]
    return [nodes.paragraph("", "", *part.children) for part in links]


def _visit_html(translator: Any, node: perf_origin) -> None:
    translator.body.append('<span class="perf-origin">')


def _depart_html(translator: Any, node: perf_origin) -> None:
    translator.body.append("</span>")


def _never(translator: Any, node: nodes.Element) -> None:
    raise AssertionError("perf_origin outlived the post-transforms")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the node."""
    html = (_visit_html, _depart_html)
    app.add_node(perf_origin, html=html, latex=(_never, None), text=(_never, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The link under a table or a chart to where its figures come from."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from ..common import rst_text

WORDS = "Where these figures come from"


class perf_origin(nodes.General, nodes.Inline, nodes.TextElement):  # noqa: N801
    """In the line under a table or a chart, the link to where its figures come from; on
    paper it is all that is left of that line."""


def link(option: str, docname: str) -> perf_origin:
    """The link. ``option`` is the target's name, or several joined by commas, and, in
    percent-encoding, the title of their page, which paper shows. Several targets are
    tables, and each is called by its caption."""
    names, _, title = option.partition(" ")
    first, *more = names.split(",")
    shown = f" ({rst_text.decoded(title)})" if more else f": {rst_text.decoded(title)}"
    page = nodes.inline("", shown, classes=["perf-on-paper"])
    if not more:
        return perf_origin("", "", _reference(first, docname, WORDS), page)
    out = perf_origin("", "", nodes.Text(f"{WORDS}: "))
    for number, name in enumerate((first, *more)):
        out += [nodes.Text(", ")] if number else []
        out += _reference(name, docname)
    out += page
    return out


def _reference(name: str, docname: str, words: str = "") -> addnodes.pending_xref:
    return addnodes.pending_xref(
        "",
        nodes.inline("", words or name),
        refdomain="std",
        reftype="ref",
        refexplicit=bool(words),
        refwarn=True,
        reftarget=name,
        refdoc=docname,
    )


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

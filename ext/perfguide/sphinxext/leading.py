"""Pages that lead on to other pages, and links from a section to the same one elsewhere."""

from __future__ import annotations

import json
import posixpath
from html import escape
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata, OptionSpec

from ..common import slugs
from .config import page_name

SCRIPT = "perfguide-redirect.js"


class perf_elsewhere(nodes.Invisible, nodes.Element):  # noqa: N801
    """A line of links, each a text, a page and a section there; only HTML shows it.
    ``moved``: whether they lead to tables that have left this page for one of their own."""


class PerfRedirect(SphinxDirective):
    """Sends the reader on to another page, named as seen from this one."""

    required_arguments = 1
    option_spec: ClassVar[OptionSpec] = {}

    def run(self) -> list[nodes.Node]:
        """Remember the target; it is written into the head of the page."""
        self.env.metadata[self.env.docname]["perf-redirect"] = self.arguments[0]
        return []


class PerfElsewhere(SphinxDirective):
    """Links to the same section in other guides, as JSON on one line; with ``tables`` to
    tables by their names, which have left this page for one of their own."""

    has_content = True
    option_spec: ClassVar[OptionSpec] = {"tables": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Make the node."""
        top = self.config.perfguide_output
        moved = "tables" in self.options
        links = [
            (str(words), page_name(top, page), slugs.anchor(to) if moved else str(to))
            for words, page, to in json.loads("\n".join(self.content))
        ]
        return [perf_elsewhere(links=links, moved=moved)] if links else []


def visit_elsewhere_html(translator: Any, node: perf_elsewhere) -> None:
    """Write the line."""
    builder = translator.builder
    written = []
    for words, page, section in node["links"]:
        uri = builder.get_relative_uri(builder.current_docname, page)
        # Where all pages are one, each has a fragment for an address already.
        target = f"{uri.partition('#')[0]}#{section}" if section else uri
        written.append(f'<a href="{escape(target)}">{escape(words)}</a>')
    kind = "perf-moved" if node["moved"] else "perf-elsewhere no-search"
    translator.body.append(f'<p class="{kind}">{" · ".join(written)}</p>\n')
    raise nodes.SkipNode


def _skip(_translator: Any, _node: nodes.Element) -> None:
    raise nodes.SkipNode


def _page_context(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document
) -> None:
    """Send the reader on from a page that leads to another one.

    A browser sends on by itself, but forgets the section that was asked for; the script
    keeps it. It goes first, before the page has shown anything.
    """
    target = app.env.metadata[pagename].get("perf-redirect")
    if not target or not doctree or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    page, sign, section = target.partition("#")
    folder = pagename.rpartition("/")[0]
    page = posixpath.normpath(posixpath.join(folder, page))
    uri = f"{app.builder.get_relative_uri(pagename, page)}{sign}{section}"
    context["metatags"] = (
        f'{context.get("metatags", "")}\n<meta http-equiv="refresh" content="0; url={escape(uri)}">'
    )
    attributes: dict[str, Any] = {"data-target": uri}
    app.add_js_file(SCRIPT, priority=1, **attributes)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives, the node, and what is written into the head of a page."""
    app.add_directive("perf-redirect", PerfRedirect)
    app.add_directive("perf-elsewhere", PerfElsewhere)
    others: dict[str, Any] = dict.fromkeys(("latex", "text", "man", "texinfo"), (_skip, None))
    app.add_node(perf_elsewhere, html=(visit_elsewhere_html, None), **others)
    app.connect("html-page-context", _page_context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

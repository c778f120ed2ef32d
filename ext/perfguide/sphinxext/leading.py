"""Pages that lead on to other pages, which their field ``perf-redirect`` names."""

from __future__ import annotations

import posixpath
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.typing import ExtensionMetadata

SCRIPT = "perfguide-redirect.js"


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
    """Register what is written into the head of a page."""
    app.connect("html-page-context", _page_context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Redirects: a page with the field ``perf-redirect`` leads to the page that it names."""

from __future__ import annotations

import posixpath
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from .config import page_name
from .feeds import address

REDIRECT = "perf-redirect"
"""The metadata key of a page that redirects."""

REDIRECT_SCRIPT = "perfguide-redirect.js"


def _redirect(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document
) -> None:
    """Redirect from a page that has the field ``perf-redirect`` to the page it names."""
    target = app.env.metadata[pagename].get(REDIRECT)
    if not target or not doctree or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    page, sign, section = target.partition("#")
    page = page_name(posixpath.dirname(pagename), page)
    uri = f"{app.builder.get_relative_uri(pagename, page)}{sign}{section}"
    # Make search engines credit links to this page to the other one.
    context["pageurl"] = address(app, page) or context.get("pageurl")
    context["metatags"] = (
        f'{context.get("metatags", "")}\n<meta http-equiv="refresh" content="0; url={escape(uri)}">'
    )
    # A refresh drops the address's fragment. The script preserves it, and has to run first.
    attributes: dict[str, Any] = {"data-target": uri}
    app.add_js_file(REDIRECT_SCRIPT, priority=1, **attributes)


def setup(app: Sphinx) -> None:
    """Register the listener."""
    # After extensions that write the same tags.
    app.connect("html-page-context", _redirect)

"""Room for wide tables, known before a page shows its first line.

A style that asks what the page holds further down (``:has``) gets another answer when that
part arrives, and all that was already read moves. So pages with tables name a style sheet of
their own in the head.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.typing import ExtensionMetadata

SHEET = "perfguide-wide.css"

_WIDE = re.compile(
    r'<(?:figure|table|div)\s[^>]*class="(?:[^"]* )?perf-(?:table|overview|explorer)[ "]'
)


def is_wide(body: str) -> bool:
    """Whether the HTML of a page holds tables of figures, a list of guides, or the explorer.

    Text cannot look like one of them: its quotation marks are escaped."""
    return _WIDE.search(body) is not None


def _page_context(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: nodes.document
) -> None:
    if isinstance(app.builder, StandaloneHTMLBuilder) and is_wide(context.get("body") or ""):
        app.add_css_file(SHEET, priority=800)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register what asks for the style sheet."""
    app.connect("html-page-context", _page_context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

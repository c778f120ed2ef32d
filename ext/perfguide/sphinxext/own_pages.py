"""The pages on which the extension may add to what their authors wrote.

In a project of somebody else these are the generated pages alone; a project that chose our theme is
ours throughout. Style sheets and scripts also go on pages that hold a table, a chart or another
node of ours.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from . import guest, theme

PACKAGE = __name__.partition(".")[0]
SHEETS = ("perfguide.css", "perfguide-guide.css")


def is_own(app: Sphinx, page: str) -> bool:
    """Return whether a page was generated, or is of a site with our theme."""
    return guest.is_generated(app, page) or theme.in_use(app.builder)


def needs_files(app: Sphinx, page: str, doctree: nodes.document | None) -> bool:
    """Return whether our style sheets and scripts have something to do on a page."""
    return is_own(app, page) or (doctree is not None and _has_own_node(doctree))


def _has_own_node(doctree: nodes.document) -> bool:
    return any(
        type(node).__module__.partition(".")[0] == PACKAGE
        for node in doctree.findall(nodes.Element)
    )


def _add_sheets(
    app: Sphinx, page: str, _template: str, _context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if needs_files(app, page, doctree):
        for sheet in SHEETS:
            app.add_css_file(sheet)


def setup(app: Sphinx) -> None:
    """Add the style sheets to the pages that need them."""
    app.connect("html-page-context", _add_sheets)

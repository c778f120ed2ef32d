"""The page that other sites embed, which shows one of this site's tables or charts in a frame.

It is a static file. Its script takes the names of a page and of a table or chart from the address,
loads that page and shows the part, so the figures in a frame always match the page. A server has to
allow framing for this page only.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sphinx.application import Sphinx

from . import theme
from .internals import is_site, way_to_top

FILE = "perfguide-embed.html"
"""The name of the page, in ``_static`` so that it cannot clash with a page of the project."""

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
{sheets}
<script src="perfguide-embed.js" defer></script>
</head>
<body class="perf-embed">
<main class="rst-content perf-guide-page">
<noscript><p>Scripts are off in this frame. <a href="../{start}" target="_blank">{title}</a> has this table or chart.</p></noscript>
</main>
</body>
</html>
"""


def address(app: Sphinx, docname: str) -> str:
    """Return the address that embeds parts of a page, relative to that page; empty if the site does
    not allow embedding."""
    builder = app.builder
    if not app.config.perfguide_embedding or not is_site(builder):
        return ""
    uri = builder.get_target_uri(docname)
    # With the singlehtml builder, the address of a page is a fragment.
    return "" if "#" in uri else f"{way_to_top(builder, docname)}_static/{FILE}?page={quote(uri)}"


def _write(app: Sphinx) -> None:
    if not is_site(app.builder):
        return
    path = Path(app.outdir, "_static", FILE)
    if not app.config.perfguide_embedding:
        path.unlink(missing_ok=True)
        return
    own = (theme.BASE, "perfguide-theme.css") if theme.in_use(app.builder) else ()
    values: dict[str, Any] = {
        "policy": escape(theme.POLICY),
        "title": escape(app.config.html_title),
        "sheets": "\n".join(
            f'<link rel="stylesheet" href="{name}">' for name in (*own, *theme.SHEETS)
        ),
        "start": escape(app.builder.get_target_uri(app.config.root_doc)),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_PAGE.format(**values), "utf-8")


def setup(app: Sphinx) -> None:
    """Register the listener that writes the page."""
    app.connect("builder-inited", _write)

"""The feed of a site: its file beside the index, and its name in the head of each page."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from ..export import feed
from ..publishing.output_folder import Writer

FEED = "feed.xml"
SITES = ("html", "dirhtml", "readthedocs", "readthedocsdirhtml")


def _entries(app: Sphinx) -> list[dict[str, Any]]:
    """What the generator wrote for the feed, for the builders that make a site."""
    if app.builder.name not in SITES:
        return []
    path = Path(app.srcdir) / app.config.perfguide_output / "reports/feed.json"
    try:
        entries: list[dict[str, Any]] = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    return entries


def _feed(app: Sphinx, exception: Exception | None) -> None:
    """Write the feed beside the index, also where no page has changed."""
    entries = _entries(app) if exception is None else []
    if not entries:
        return
    base = str(app.config.html_baseurl or "")
    base = f"{base.rstrip('/')}/" if base else ""

    def address(page: str) -> str:
        name = (PurePosixPath(app.config.perfguide_output) / page).as_posix()
        return base + app.builder.get_target_uri(name)

    own = f"{base}{FEED}" if base else ""
    title = app.config.html_title
    data = feed.atom(entries, title, app.config.author or app.config.project, address, own)
    Writer(Path(app.outdir)).write(FEED, data)


def _link(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document
) -> None:
    if app.builder.name in SITES:
        href = context["pathto"](FEED, 1)
        context["metatags"] = (
            f'{context.get("metatags", "")}\n<link rel="alternate" '
            f'type="application/atom+xml" title="Releases and errata" href="{href}">'
        )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the events."""
    app.connect("build-finished", _feed)
    app.connect("html-page-context", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

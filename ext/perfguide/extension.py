"""The Sphinx shell: what happens at which moment of a build."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.display import status_iterator
from sphinx.util.fileutil import copy_asset
from sphinx.util.typing import ExtensionMetadata

from . import (
    chartdirective,
    config,
    csp,
    dataset,
    directives,
    feed,
    folding,
    freshness,
    numbering,
    originlink,
    pages,
    rendering,
)
from .diagnostics import visible
from .writer import Writer

T = TypeVar("T")

STATIC = Path(__file__).with_name("static")


def _progress(items: Sequence[T], label: str) -> Iterable[T]:
    return status_iterator(items, f"{label}... ", "darkgreen", len(items), 0, _label)


def _label(item: object) -> str:
    return visible(str(item))


def _generate(app: Sphinx) -> None:
    """Write the pages before Sphinx looks for files."""
    formats = ("pdf",) if app.builder.format == "latex" else ("svg",)
    settings = config.settings(app.config, Path(app.srcdir), formats)
    if app.config.perfguide_own_output:
        vars(app.builder)["epilog"] = ""  # it would name a folder that moves away
    try:
        outcome = pages.generate(settings, _progress)
    except OSError as error:
        raise ExtensionError(f"cannot write the pages: {error}") from error
    config.warn(outcome.diagnostics)
    if any(d.kind == "missing-path" for d in outcome.diagnostics):
        # The pages are as they were; whoever asked for others must not think he got them.
        app.statuscode = 2


def _assets(app: Sphinx) -> None:
    """Copy our own; a path in the configuration would show in the site's ``.buildinfo``."""
    if app.builder.format == "html":
        copy_asset(STATIC, Path(app.outdir, "_static"), force=True)


def _page_context(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document
) -> None:
    """Name the feed, and send the reader on from a page that leads to another one."""
    if app.builder.name in SITES:
        href = context["pathto"](FEED, 1)
        context["metatags"] = (
            f'{context.get("metatags", "")}\n<link rel="alternate" '
            f'type="application/atom+xml" title="Releases and errata" href="{href}">'
        )
    target = app.env.metadata[pagename].get("perf-redirect")
    if not target or not doctree:
        return
    folder = pagename.rpartition("/")[0]
    uri = app.builder.get_relative_uri(pagename, f"{folder}/{target}")
    context["metatags"] = (
        f'{context.get("metatags", "")}\n<meta http-equiv="refresh" content="0; url={uri}">'
    )


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


def setup(app: Sphinx, version: str) -> ExtensionMetadata:
    """Register all parts of the extension."""
    app.setup_extension("sphinx_tabs.tabs")
    for part in (
        config,
        csp,
        directives,
        chartdirective,
        dataset,
        folding,
        freshness,
        numbering,
        originlink,
        rendering,
    ):
        part.setup(app)
    app.connect("builder-inited", _generate)
    app.connect("builder-inited", _assets)
    app.connect("build-finished", _feed)
    app.connect("html-page-context", _page_context)
    app.add_css_file("perfguide.css")
    return {
        "version": version,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        "env_version": 3,
    }

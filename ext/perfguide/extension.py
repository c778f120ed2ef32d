"""The Sphinx shell: what happens at which moment of a build."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
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
    directives,
    folding,
    freshness,
    numbering,
    pages,
    rendering,
)
from .diagnostics import visible
from .workers import WorkersError

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
    except WorkersError as error:
        raise ExtensionError(visible(str(error))) from error
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
    """Send the reader on from a page that leads to another one."""
    target = app.env.metadata[pagename].get("perf-redirect")
    if not target or not doctree:
        return
    folder = pagename.rpartition("/")[0]
    uri = app.builder.get_relative_uri(pagename, f"{folder}/{target}")
    context["metatags"] = (
        f'{context.get("metatags", "")}\n<meta http-equiv="refresh" content="0; url={uri}">'
    )


def setup(app: Sphinx, version: str) -> ExtensionMetadata:
    """Register all parts of the extension."""
    app.setup_extension("sphinx_tabs.tabs")
    for part in (config, csp, directives, chartdirective, folding, freshness, numbering, rendering):
        part.setup(app)
    app.connect("builder-inited", _generate)
    app.connect("builder-inited", _assets)
    app.connect("html-page-context", _page_context)
    app.add_css_file("perfguide.css")
    return {
        "version": version,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        "env_version": 3,
    }

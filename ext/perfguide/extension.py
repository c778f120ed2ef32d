"""The Sphinx shell: what happens at which moment of a build."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.display import status_iterator
from sphinx.util.fileutil import copy_asset
from sphinx.util.typing import ExtensionMetadata

from . import (
    browsing,
    cellinfo,
    chartdirective,
    config,
    copying,
    csp,
    dataset,
    directives,
    discovery,
    feedfile,
    folding,
    freshness,
    glossary,
    inline,
    leading,
    menu,
    numbering,
    originlink,
    orphans,
    pages,
    paper,
    referencepages,
    rendering,
    site,
    sphinxphases,
    theme,
    wide,
)
from .diagnostics import visible
from .package import ROOT
from .phases import Phases
from .workers import WorkersError

T = TypeVar("T")

PARTS = (
    *(config, copying, csp, dataset, directives, chartdirective, folding, freshness, glossary),
    *(cellinfo, discovery, feedfile, leading, menu, numbering, originlink, paper, referencepages),
    *(rendering, theme, browsing, wide),
)

STATIC = ROOT / "static"


def _progress(items: Sequence[T], label: str) -> Iterable[T]:
    # A line for each of many items would take longer than most of them do.
    step = -(-len(items) // 100) or 1
    parts = [items[start : start + step] for start in range(0, len(items), step)]
    for part in status_iterator(parts, f"{label}... ", "darkgreen", len(parts), 0, _label):
        yield from part


def _label(part: Sequence[object]) -> str:
    return visible(str(part[0]))


def _generate(app: Sphinx, figures: inline.Inline, phases: Phases) -> None:
    """Write the pages before Sphinx looks for files."""
    settings = config.settings(app.config, Path(app.srcdir), config.picture_formats(app))
    if app.config.perfguide_own_output:
        orphans.end_with_parent()
        vars(app.builder)["epilog"] = ""  # it would name a folder that moves away
    try:
        outcome = pages.generate(settings, _progress, phases.mark)
    except OSError as error:
        raise ExtensionError(f"cannot write the pages: {error}") from error
    except WorkersError as error:
        raise ExtensionError(visible(str(error))) from error
    config.warn(outcome.diagnostics)
    figures.hold(outcome.read, outcome.inputs)
    if app.builder.format == "latex" and app.config.perfguide_pdf:
        pool = outcome.holdings.pool
        planned = site.plan(pool.guides(), pool.benchmarks())
        faults = paper.choose(app.config.perfguide_pdf, app.config, pool.guides(), planned)
        config.warn(faults)
        app.statuscode = 2 if faults else app.statuscode
    if any(d.kind == "missing-path" for d in outcome.diagnostics):
        # The pages are as they were; whoever asked for others must not think he got them.
        app.statuscode = 2


def _assets(app: Sphinx) -> None:
    """Copy our own; a path in the configuration would show in the site's ``.buildinfo``."""
    if app.builder.format == "html":
        copy_asset(STATIC, Path(app.outdir, "_static"), force=True)


def setup(app: Sphinx, version: str) -> ExtensionMetadata:
    """Register all parts of the extension."""
    app.setup_extension("sphinx_tabs.tabs")
    for part in PARTS:
        part.setup(app)
    figures = inline.setup(app)
    phases = Phases()
    sphinxphases.setup(app, phases)
    app.connect("builder-inited", lambda app: _generate(app, figures, phases))
    app.connect("builder-inited", _assets)
    app.add_css_file("perfguide.css")
    return {
        "version": version,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        "env_version": 5,
    }

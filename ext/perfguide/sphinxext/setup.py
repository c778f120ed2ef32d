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

from ..common.diagnostics import visible
from ..common.package import ROOT
from ..common.parallel import WorkersError
from ..common.timing import Phases
from ..figures import dataset
from ..pages import build
from . import (
    browsing,
    cell_info,
    chart,
    config,
    copying,
    csp,
    csv_table,
    dataset_metadata,
    feed_file,
    figure_role,
    fold,
    glossary,
    latex,
    leading,
    menu,
    metadata,
    numbering,
    origin_link,
    orphans,
    rebuild,
    reference_pages,
    sphinx_phases,
    table_nodes,
    theme,
    wide,
)

T = TypeVar("T")

PARTS = (
    *(config, copying, csp, dataset_metadata, csv_table, chart, fold, rebuild, glossary),
    *(
        cell_info,
        metadata,
        feed_file,
        leading,
        menu,
        numbering,
        origin_link,
        latex,
        reference_pages,
    ),
    *(table_nodes, theme, browsing, wide),
)

STATIC = ROOT / "sphinxext" / "static"


def _progress(items: Sequence[T], label: str) -> Iterable[T]:
    # A line for each of many items would take longer than most of them do.
    step = -(-len(items) // 100) or 1
    parts = [items[start : start + step] for start in range(0, len(items), step)]
    for part in status_iterator(parts, f"{label}... ", "darkgreen", len(parts), 0, _label):
        yield from part


def _label(part: Sequence[object]) -> str:
    return visible(str(part[0]))


def _generate(app: Sphinx, figures: figure_role.Inline, phases: Phases) -> None:
    """Write the pages before Sphinx looks for files."""
    settings = config.settings(app.config, Path(app.srcdir), config.picture_formats(app))
    if app.config.perfguide_own_output:
        orphans.end_with_parent()
        vars(app.builder)["epilog"] = ""  # it would name a folder that moves away
    try:
        outcome = build.generate(settings, _progress, phases.mark)
    except OSError as error:
        raise ExtensionError(f"cannot write the pages: {error}") from error
    except WorkersError as error:
        raise ExtensionError(visible(str(error))) from error
    config.warn(outcome.diagnostics)
    figures.hold(outcome.read, outcome.inputs)
    if app.builder.format == "latex" and app.config.perfguide_pdf:
        pool = outcome.holdings.pool
        planned = dataset.plan(pool.guides(), pool.benchmarks())
        faults = latex.choose(app.config.perfguide_pdf, app.config, pool.guides(), planned)
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
    figures = figure_role.setup(app)
    phases = Phases()
    sphinx_phases.setup(app, phases)
    app.connect("builder-inited", lambda app: _generate(app, figures, phases))
    app.connect("builder-inited", _assets)
    app.add_css_file("perfguide.css")
    return {
        "version": version,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        "env_version": 5,
    }

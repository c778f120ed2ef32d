"""Registration of the extension, and the build steps that concern all of it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.display import status_iterator
from sphinx.util.fileutil import copy_asset
from sphinx.util.typing import ExtensionMetadata

from ..common import orphans
from ..common.diagnostics import visible
from ..common.package import ROOT
from ..common.parallel import WorkersError
from ..common.path_hints import explained
from ..figures import dataset
from ..pages import build
from ..publishing import output_folder
from ..publishing.store import Store
from . import (
    answers,
    chart,
    config,
    csv_table,
    failed_pages,
    figure_role,
    file_links,
    generated,
    glossary,
    guest,
    html_table,
    internals,
    latex,
    menu,
    metadata,
    numbering,
    overview,
    pictures,
    printed_tables,
    ranking,
    rebuild,
    redirects,
    reference,
    screen_nodes,
    screen_tables,
    table_nodes,
    table_scripts,
    theme,
)

T = TypeVar("T")

logger = logging.getLogger(__name__)

PARTS = (
    *(config, csv_table, generated, chart, screen_nodes, answers, ranking, overview, glossary),
    *(redirects, metadata, menu, numbering, latex, reference, file_links, table_nodes, pictures),
    *(screen_tables, printed_tables, theme, table_scripts, guest, failed_pages),
)
"""The modules to register. Their order determines that of the tags in a page's head."""

STATIC = ROOT / "sphinxext" / "static"
SHEET = "perfguide.css"
STACKED = ROOT / "sphinxext" / "stacked.css"
"""Rules for tables that are too wide for their container."""


def _progress(items: Sequence[T], label: str) -> Iterable[T]:
    # With many items, printing a line for each would take longer than most of the work itself.
    step = -(-len(items) // 100) or 1
    parts = [items[start : start + step] for start in range(0, len(items), step)]
    for part in status_iterator(parts, f"{label}... ", "darkgreen", len(parts), 0, _label):
        yield from part


def _label(part: Sequence[object]) -> str:
    return visible(str(part[0]))


def _take_turns(output: Path) -> None:
    def report_waiting() -> None:
        text = f"another build is writing pages into {visible(str(output))}; waiting for it"
        print(f"perfguide: {text}", file=sys.stderr)

    output_folder.lock_folder(output, report_waiting)


def _generate(app: Sphinx, figures: figure_role.Lookup, rebuilding: rebuild.Rebuild) -> None:
    """Write the pages before Sphinx looks for source files."""
    settings = config.settings(app.config, Path(app.srcdir), config.picture_formats(app))
    if app.config.perfguide_own_output:
        _take_turns(settings.output)
    store = Store(settings.cache)
    if app.config.perfguide_own_output:
        # Sphinx's worker processes would otherwise outlive a killed build and keep its lock.
        orphans.end_forks()
        internals.suppress_epilog(app.builder)
    try:
        outcome = build.generate(settings, _progress, store)
    except OSError as error:
        raise ExtensionError(f"the pages cannot be written: {explained(error)}") from error
    except WorkersError as error:
        raise ExtensionError(visible(str(error))) from error
    rebuilding.begin(store, outcome.listings)
    config.warn(outcome.diagnostics)
    figures.prepare(outcome.quoted_from, outcome.inputs)
    if app.builder.format == "latex" and app.config.perfguide_pdf:
        keys = list(outcome.keys)
        faults = latex.choose(app.config.perfguide_pdf, app.config, keys, dataset.plan(keys, ()))
        config.warn(faults)
        if faults:
            internals.end_with_status(app, 2)
    if any(d.kind == "missing-path" for d in outcome.diagnostics):
        # The pages are those of the last build, which must not look like success.
        internals.end_with_status(app, 2)


def _assets(app: Sphinx) -> None:
    """Copy style sheets and scripts."""
    # A path in html_static_path would become part of the site's .buildinfo.
    if app.builder.format == "html":
        target = Path(app.outdir, "_static")
        copy_asset(STATIC, target, force=True)
        with (target / SHEET).open("a", encoding="utf-8") as sheet:
            sheet.write(html_table.stacked(STACKED.read_text("utf-8")))


def setup(app: Sphinx, version: str) -> ExtensionMetadata:
    """Register all parts of the extension."""
    app.setup_extension("sphinx_tabs.tabs")
    for part in PARTS:
        part.setup(app)
    rebuilding, figures = rebuild.setup(app), figure_role.setup(app)
    app.connect("builder-inited", lambda app: _generate(app, figures, rebuilding))
    app.connect("builder-inited", _assets)
    return {
        "version": version,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        # When this number changes, Sphinx re-reads all pages: raise it if doctrees change.
        "env_version": 10,
    }

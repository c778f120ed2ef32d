"""The Sphinx shell: what happens at which moment of a build."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
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
from ..common.timing import Phases
from ..figures import dataset
from ..pages import build
from ..publishing import output_folder
from ..publishing.store import Store
from . import (
    answers,
    browsing,
    chart,
    config,
    csv_table,
    figure_role,
    generated,
    generated_nodes,
    glossary,
    guest,
    html_table,
    internals,
    latex,
    leading,
    menu,
    metadata,
    numbering,
    overview,
    own_pages,
    rebuild,
    reference,
    table_nodes,
    text_columns,
    theme,
    unmade,
)

T = TypeVar("T")

logger = logging.getLogger(__name__)

PARTS = (
    *(config, csv_table, generated, chart, answers, overview, generated_nodes, rebuild, glossary),
    *(metadata, leading, menu, numbering, latex, reference, table_nodes, text_columns, theme),
    *(own_pages, browsing, guest, unmade),
)
"""What is registered, in this order: it is that of tags in the head of a page."""

STATIC = ROOT / "sphinxext" / "static"
SHEET = "perfguide.css"
STACKED = ROOT / "sphinxext" / "stacked.css"
"""How a table looks that is too wide for its place."""

FIRST, LAST = -10_000, 10_000
"""Before, and after, all other listeners of an event."""

FEW = 30
"""Each process that reads has to begin, copies the memory that it looks at, and sends back what it
found; where fewer than one page in so many is to be read, that takes longer than reading them."""


def _progress(items: Sequence[T], label: str) -> Iterable[T]:
    # A line for each of many items would take longer than most of them do.
    step = -(-len(items) // 100) or 1
    parts = [items[start : start + step] for start in range(0, len(items), step)]
    for part in status_iterator(parts, f"{label}... ", "darkgreen", len(parts), 0, _label):
        yield from part


def _label(part: Sequence[object]) -> str:
    return visible(str(part[0]))


def _take_turns(output: Path) -> None:
    def say() -> None:
        text = f"another build is writing pages into {visible(str(output))}; waiting for it"
        print(f"perfguide: {text}", file=sys.stderr)

    output_folder.keep_to_ourselves(output, say)


def _generate(app: Sphinx, figures: figure_role.Lookup, phases: Phases) -> None:
    """Write the pages before Sphinx looks for files."""
    settings = config.settings(app.config, Path(app.srcdir), config.picture_formats(app))
    if app.config.perfguide_own_output:
        _take_turns(settings.output)
    store = Store(settings.cache)
    if app.config.perfguide_own_output:
        orphans.end_forks()
        internals.say_nothing_at_the_end(app.builder)
    try:
        outcome = build.generate(settings, _progress, phases.mark, store)
    except OSError as error:
        raise ExtensionError(f"the pages cannot be written: {explained(error)}") from error
    except WorkersError as error:
        raise ExtensionError(visible(str(error))) from error
    rebuild.begin(app, store, outcome.is_current)
    config.warn(outcome.diagnostics)
    figures.prepare(outcome.read, outcome.inputs)
    if app.builder.format == "latex" and app.config.perfguide_pdf:
        keys = list(outcome.keys)
        faults = latex.choose(app.config.perfguide_pdf, app.config, keys, dataset.plan(keys, ()))
        config.warn(faults)
        if faults:
            internals.end_with_status(app, 2)
    if any(d.kind == "missing-path" for d in outcome.diagnostics):
        # The pages are as they were; whoever asked for others must not think he got them.
        internals.end_with_status(app, 2)


def _read_few_alone(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    if len(docnames) * FEW < len(env.found_docs):
        vars(env)["perfguide_processes"] = internals.use_processes(app, 1)


def _write_with_all(app: Sphinx, env: BuildEnvironment) -> list[str]:
    processes = vars(env).pop("perfguide_processes", app.parallel)
    # One of them hands out the pages, and has done so long before the others have written them.
    internals.use_processes(app, processes + 1 if processes > 1 else 1)
    return []


def _share_work(app: Sphinx, config: Config) -> None:
    """Choose how many processes read and write, where the build is ours alone."""
    if config.perfguide_own_output:
        # Other listeners may name pages themselves: count pages after them, write all before them.
        app.connect("env-before-read-docs", _read_few_alone, priority=LAST)
        app.connect("env-updated", _write_with_all, priority=FIRST)


def _assets(app: Sphinx) -> None:
    """Copy our own; a path in the configuration would show in the site's ``.buildinfo``."""
    if app.builder.format == "html":
        target = Path(app.outdir, "_static")
        copy_asset(STATIC, target, force=True)
        with (target / SHEET).open("a", encoding="utf-8") as sheet:
            sheet.write(html_table.stacked(STACKED.read_text("utf-8")))


def _profile(app: Sphinx, phases: Phases) -> None:
    """Mark the ends of Sphinx's own phases among those of ``phases``, and tell all of them
    where ``perfguide_profile`` asks for it."""

    def ending(name: str) -> Callable[..., Sequence[str]]:
        def mark(*_given: object) -> Sequence[str]:
            phases.mark(name)
            return ()  # of some events, the listeners name pages to write besides

        return mark

    def tell(app: Sphinx, _exception: Exception | None) -> None:
        if app.config.perfguide_profile:
            phases.mark("Sphinx: index and other files")
            logger.info("\nwhere the time went\n%s", phases.text().rstrip())

    for event, name, priority in (
        ("builder-inited", "Sphinx: starting", FIRST),
        ("env-before-read-docs", "Sphinx: looking for what changed", LAST),
        ("env-updated", "Sphinx: reading sources", FIRST),
        ("env-check-consistency", "Sphinx: putting pages in relation", LAST),
        ("html-collect-pages", "Sphinx: writing pages", FIRST),
    ):
        app.connect(event, ending(name), priority=priority)
    app.connect("build-finished", tell, priority=LAST)


def setup(app: Sphinx, version: str) -> ExtensionMetadata:
    """Register all parts of the extension."""
    app.setup_extension("sphinx_tabs.tabs")
    app.connect("config-inited", _share_work)
    for part in PARTS:
        part.setup(app)
    figures = figure_role.setup(app)
    phases = Phases()
    _profile(app, phases)
    app.connect("builder-inited", lambda app: _generate(app, figures, phases))
    app.connect("builder-inited", _assets)
    return {
        "version": version,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        "env_version": 9,
    }

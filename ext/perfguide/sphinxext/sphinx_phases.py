"""Tells where the time of a build went, where ``perfguide_profile`` asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from ..common.timing import Phases

logger = logging.getLogger(__name__)

FIRST, LAST = -10_000, 10_000
"""Before, and after, all other listeners of an event."""


def setup(app: Sphinx, phases: Phases) -> ExtensionMetadata:
    """Mark the ends of Sphinx's own phases among those of ``phases``."""

    def at(event: str, name: str, priority: int) -> None:
        app.connect(event, _listener(phases, name), priority=priority)

    at("builder-inited", "Sphinx: starting", FIRST)
    at("env-before-read-docs", "Sphinx: looking for what changed", LAST)
    at("env-updated", "Sphinx: reading sources", FIRST)
    at("env-check-consistency", "Sphinx: putting pages in relation", LAST)
    at("html-collect-pages", "Sphinx: writing pages", FIRST)
    app.connect("build-finished", lambda app, _: _tell(app, phases), priority=LAST)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _listener(phases: Phases, name: str) -> Callable[..., Sequence[str]]:
    def mark(*_given: object) -> Sequence[str]:
        phases.mark(name)
        return ()  # of some events, the listeners name pages to write besides

    return mark


def _tell(app: Sphinx, phases: Phases) -> None:
    if app.config.perfguide_profile:
        phases.mark("Sphinx: index and other files")
        logger.info("\nwhere the time went\n%s", phases.text().rstrip())

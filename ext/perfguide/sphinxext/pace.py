"""How Sphinx works through pages: by how many processes, and how often memory is looked through."""

from __future__ import annotations

import atexit
import gc

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

FEW = 10
"""Each process that reads sends back what is known of all pages; where fewer than one in so
many is to be read, that takes longer than reading them."""

FRESH, ROUNDS = 10_000, (10, 10)
"""New objects after which Python looks for some that nobody uses. Nearly all that a build makes
stays in use, and each look goes through all of it."""


def _begin(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    if len(docnames) * FEW < len(env.found_docs):
        vars(env)["perfguide_processes"], app.parallel = app.parallel, 1


def _end(app: Sphinx, env: BuildEnvironment) -> list[str]:
    app.parallel = vars(env).pop("perfguide_processes", app.parallel)
    return []


def setup(app: Sphinx) -> ExtensionMetadata:
    """Set the pace of all that follows."""
    gc.set_threshold(FRESH, *ROUNDS)
    # The end of a process is no reason to look once more.
    atexit.register(gc.freeze)
    # After and before all other listeners, which may name pages themselves.
    app.connect("env-before-read-docs", _begin, priority=10_000)
    app.connect("env-updated", _end, priority=-10_000)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

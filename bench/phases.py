"""A Sphinx extension that records the CPU time of each phase of a build.

It writes ``phases.json`` beside ``conf.py``: the CPU seconds of the process at the end of each phase.
It is meant for one process (``-j 1``), so that no other works for the build.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from sphinx.application import Sphinx

FIRST_PRIORITY, LAST_PRIORITY = -10_000, 10_000
"""Priorities before and after all other listeners of an event."""
NAMES = ("start", "generate", "look for files", "read", "join", "write", "index and copy")


def setup(app: Sphinx) -> dict[str, bool]:
    """Record the time at the events between phases."""
    ends: dict[str, float] = {}

    def note(name: str) -> None:
        ends[name] = time.process_time()

    def written(app: Sphinx, name: str, *_: object) -> None:
        # Pages without a source, such as the search, come after all others.
        if name in app.env.all_docs:
            note("write")

    def finished(app: Sphinx, _exception: Exception | None) -> None:
        note("index and copy")
        Path(app.confdir, "phases.json").write_text(json.dumps(ends), "utf-8")

    app.connect("builder-inited", lambda _: note("start"), priority=FIRST_PRIORITY)
    app.connect("builder-inited", lambda _: note("generate"), priority=LAST_PRIORITY)
    app.connect("env-before-read-docs", lambda *_: note("look for files"), priority=LAST_PRIORITY)
    app.connect("env-updated", lambda *_: note("read"), priority=FIRST_PRIORITY)
    app.connect("env-check-consistency", lambda *_: note("join"), priority=LAST_PRIORITY)
    app.connect("html-page-context", written, priority=LAST_PRIORITY)
    app.connect("build-finished", finished, priority=LAST_PRIORITY)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def taken(folder: Path) -> dict[str, float]:
    """Return the CPU seconds of each phase of a completed build."""
    ends = json.loads((folder / "phases.json").read_bytes())
    before = 0.0
    out = {}
    for name in NAMES:
        out[name] = ends[name] - before
        before = ends[name]
    return out

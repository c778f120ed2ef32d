"""Bundles read from files, here or by workers elsewhere, in the order of the files."""

from __future__ import annotations

import gc
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..common import parallel
from ..common.diagnostics import Diagnostic
from ..publishing.store import Store
from .containers import Source
from .decode import Loaded, upload
from .decompress import Limits

Items = list[Loaded | Diagnostic]


@dataclass(frozen=True, slots=True)
class Reading:
    """A function that reads one file; it can be sent to workers."""

    limits: Limits
    store: Store | None = None

    def __call__(self, source: Source) -> Items:
        """Return the bundles in a file and every diagnostic about it."""
        # Decoded JSON has no cycles, and the collector would traverse it many times.
        collects = gc.isenabled()
        gc.disable()
        try:
            if self.store is None:
                return list(upload(source, self.limits))
            if digest := self.store.recognise(source.path):
                source = replace(source, digest=digest)
            return list(upload(source, self.limits, self.store.made))
        finally:
            if collects:
                gc.enable()


def outcomes(
    sources: Sequence[Source], limits: Limits, run: parallel.Run, store: Store | None = None
) -> Iterator[Items]:
    """Yield the bundles and diagnostics of each file. Those read here are kept in the store.

    Workers are sent the content of files and need no folder in common with this machine. A file
    larger than the limit of one document is read here, so that the pieces queued for workers fit
    into memory.
    """
    here = Reading(limits, store)
    if run is parallel.here:
        yield from map(here, sources)
        return
    away = [_travels(source, limits) for source in sources]
    pieces = (_with_content(s) for s, travels in zip(sources, away, strict=True) if travels)
    items = run(Reading(limits), pieces)
    for source, travels in zip(sources, away, strict=True):
        yield next(items) if travels else here(source)


def _travels(source: Source, limits: Limits) -> bool:
    try:
        state = source.path.stat()
    except OSError:
        return False
    return stat.S_ISREG(state.st_mode) and state.st_size <= limits.document


def _with_content(source: Source) -> Source:
    try:
        return replace(source, content=source.path.read_bytes())
    except OSError:
        return source  # reading it fails in the same way, with a diagnostic

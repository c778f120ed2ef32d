"""Files to bundles, here or by workers elsewhere, in the order of the files."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..common import parallel
from ..common.diagnostics import Diagnostic
from . import decode
from .containers import Source
from .decode import Loaded
from .decompress import Limits
from .patterns import Patterns
from .sharing import Shared

Found = list[Loaded | Diagnostic]


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads the bundles of one file and every finding about it, wherever this runs."""

    limits: Limits
    patterns: Patterns | None = None
    """Those of the files that were read here before."""

    def __call__(self, source: Source) -> Found:
        """What is in a file."""
        return list(decode.upload(source, self.limits, self.patterns))


def outcomes(sources: Sequence[Source], limits: Limits, run: parallel.Run) -> Iterator[Found]:
    """What is in each file; names and parameters that are equal are kept once.

    Workers get the content of files and need no folder in common with this
    machine. A file larger than one text may be is read here, so that what waits for
    workers fits into memory.
    """
    shared = Shared()
    for found in _outcomes(sources, limits, run):
        for item in found:
            if isinstance(item, Loaded):
                shared.take(item.bundle)
        yield found


def _outcomes(sources: Sequence[Source], limits: Limits, run: parallel.Run) -> Iterator[Found]:
    if run is parallel.here:
        yield from map(Reading(limits, Patterns()), sources)
        return
    reading = Reading(limits)
    away = [_travels(source, limits) for source in sources]
    pieces = (_with_content(s) for s, travels in zip(sources, away, strict=True) if travels)
    found = run(reading, pieces)
    for source, travels in zip(sources, away, strict=True):
        yield next(found) if travels else reading(source)


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
        return source  # who reads it meets the same, and says so

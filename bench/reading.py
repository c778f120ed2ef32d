"""The cost of reading bundles, compared with reading and decoding their bytes."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import synthetic
from measuring import Figure, apart, seconds

from perfguide.bundles import containers, decode, read_files, supersede
from perfguide.bundles.decompress import Limits
from perfguide.common import parallel
from perfguide.common.diagnostics import Diagnostic
from perfguide.figures import rows as frame
from perfguide.publishing.store import Store

RESULTS = 500
"""Results of one bundle, as in the archives of a board farm."""
MEMORY_ROWS = 5_000_000
"""Results of the archive whose memory has a goal."""
ENOUGH_ROWS = 100_000
"""The least number of results for which memory is reported."""


def bytes_alone(files: Sequence[Path]) -> None:
    """Read all files and decode them into plain values."""
    for file in files:
        msgspec.json.decode(file.read_bytes())


def framed(folder: Path, store: Store | None = None) -> frame.Frame:
    """Find, read, validate and frame all bundles of a folder, using a store if given."""
    sources, _ = containers.find([folder])
    loaded: list[decode.Loaded] = []
    if store:
        for source in sources:
            store.digest(source.path)  # as each build does, to detect changes
    for items_of_file in read_files.outcomes(sources, Limits(), parallel.here, store):
        for item in items_of_file:
            if isinstance(item, Diagnostic):
                raise ValueError(item.text())
            loaded.append(item)
    return frame.build(supersede.settle(loaded).bundles)


def ingest_times(folder: Path, turns: int) -> tuple[float, float, float]:
    """Return the least CPU time for reading the bytes, for everything that is done with them, and for
    the same from a store with every bundle."""
    files = sorted(folder.rglob("*.json"))
    bytes_alone(files)  # so that both sides read the files from the cache
    with tempfile.TemporaryDirectory() as kept:
        first = Store(Path(kept))
        framed(folder, first)
        first.save()
        works = (
            lambda: bytes_alone(files),
            lambda: framed(folder),
            lambda: framed(folder, Store(Path(kept))),
        )
        times = [[seconds(work) for work in works] for _ in range(turns)]
    alone, ours, again = (min(column) for column in zip(*times, strict=True))
    return alone, ours, again


def peak(folder: Path) -> tuple[int, int]:
    """Return the rows of the frame, and the bytes that they add to the peak of the memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows = len(framed(folder).table)
    return rows, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024


def figures(counts: Sequence[int], turns: int) -> list[Figure]:
    """Compare reading bundles with reading and decoding their bytes."""
    out = []
    for count in counts:
        with tempfile.TemporaryDirectory() as given:
            folder = Path(given)
            synthetic.write(folder, count, max(1, count // 10), RESULTS, unlike=True)
            size = f"{count} bundles, {count * RESULTS} results"
            alone, ours, again = apart(ingest_times, folder, turns)
            what = "Decode, validate and frame, to reading and decoding the bytes alone"
            out.append(Figure(what, size, ours / alone, "times", 3.0))
            what = "The same from the store, to reading and decoding the bytes alone"
            out.append(Figure(what, size, again / alone, "times", 0.5))
            rows, memory = apart(peak, folder)
        if rows < ENOUGH_ROWS:
            continue  # Python's own memory would hide it
        gib = memory / rows * MEMORY_ROWS / 2**30
        what = "Peak memory of reading"
        out.append(Figure(what, size, memory / 2**30, "GiB", 1.5))
        if rows != MEMORY_ROWS:
            what += f", carried forward to {MEMORY_ROWS} results"
        out.append(Figure(what, size, gib, "GiB"))
    return out

"""What reading bundles costs, against their bytes read and decoded alone."""

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
"""The archive whose memory is asked for."""
ENOUGH_ROWS = 100_000
"""From so many results on the memory is told."""


def bytes_alone(files: Sequence[Path]) -> None:
    """Read all files and decode them into plain values, and nothing else."""
    for file in files:
        msgspec.json.decode(file.read_bytes())


def framed(folder: Path, store: Store | None = None) -> frame.Frame:
    """Find, read, validate and frame all bundles of a folder, with what a store has of them."""
    sources, _ = containers.find([folder])
    loaded: list[decode.Loaded] = []
    if store:
        for source in sources:
            store.digest(source.path)  # as each build does, to see what changed
    for found in read_files.outcomes(sources, Limits(), parallel.here, store):
        for item in found:
            if isinstance(item, Diagnostic):
                raise ValueError(item.text())
            loaded.append(item)
    return frame.build(supersede.settle(loaded).bundles)


def ingest_times(folder: Path, turns: int) -> tuple[float, float, float]:
    """The least CPU time of the bytes alone, of all that is done with them, and of the same
    from a store that has every bundle."""
    files = sorted(folder.rglob("*.json"))
    bytes_alone(files)  # so that both sides find the files in memory
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
    """The rows of the frame, and what they add to the peak of the memory, in bytes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows = len(framed(folder).table)
    return rows, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024


def figures(counts: Sequence[int], turns: int) -> list[Figure]:
    """Bundles read, against their bytes read and decoded alone."""
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
            continue  # what Python itself takes would hide it
        gib = memory / rows * MEMORY_ROWS / 2**30
        what = "Peak memory of reading"
        out.append(Figure(what, size, memory / 2**30, "GiB", 1.5))
        if rows != MEMORY_ROWS:
            what += f", carried forward to {MEMORY_ROWS} results"
        out.append(Figure(what, size, gib, "GiB"))
    return out

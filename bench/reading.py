"""The cost of reading bundles, compared with just reading and decoding their bytes."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import synthetic
from measuring import Figure, apart, seconds

from perfguide.bundles import containers, decode, heads, supersede
from perfguide.bundles.decompress import Limits
from perfguide.common.diagnostics import Diagnostic
from perfguide.figures import rows as frame
from perfguide.publishing.store import Store

RESULTS = 500
"""The number of results per bundle, as in the archives of a board farm."""
MEMORY_ROWS = 5_000_000
"""The number of results in the archive whose memory has a goal."""
ENOUGH_ROWS = 100_000
"""The minimum number of results for which memory is reported."""


def bytes_alone(files: Sequence[Path]) -> None:
    """Read all files and decode them into plain values."""
    for file in files:
        msgspec.json.decode(file.read_bytes())


def framed(folder: Path) -> frame.Frame:
    """Find, read, validate and frame all bundles of a folder."""
    sources, _ = containers.find([folder])
    loaded: list[decode.Loaded] = []
    for source in sources:
        for item in decode.upload(source, Limits()):
            if isinstance(item, Diagnostic):
                raise ValueError(item.text())
            loaded.append(item)
    return frame.build(supersede.settle(loaded).bundles)


def headed(folder: Path, store: Store) -> None:
    """Read the heads of all bundles of a folder, as each build does."""
    for _ in heads.read(containers.find([folder])[0], Limits(), store):
        pass


def ingest_times(folder: Path, turns: int) -> tuple[float, float, float]:
    """Return the least CPU time for reading the bytes, for the full processing, and for reading
    heads of bundles that an earlier build has cached."""
    files = sorted(folder.rglob("*.json"))
    bytes_alone(files)  # so that both sides read the files from the cache
    with tempfile.TemporaryDirectory() as kept:
        first = Store(Path(kept))
        headed(folder, first)
        first.save()
        works = (
            lambda: bytes_alone(files),
            lambda: framed(folder),
            lambda: headed(folder, Store(Path(kept))),
        )
        times = [[seconds(work) for work in works] for _ in range(turns)]
    alone, ours, again = (min(column) for column in zip(*times, strict=True))
    return alone, ours, again


def peak(folder: Path) -> tuple[int, int]:
    """Return the rows of the frame, and the bytes that they add to peak memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows = len(framed(folder).table)
    # Linux counts in KiB.
    return rows, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024


def figures(counts: Sequence[int], turns: int) -> list[Figure]:
    """Compare reading bundles with just reading and decoding their bytes."""
    out = []
    for count in counts:
        with tempfile.TemporaryDirectory() as given:
            folder = Path(given)
            synthetic.write(folder, count, max(1, count // 10), RESULTS, unlike=True)
            size = f"{count} bundles, {count * RESULTS} results"
            alone, ours, again = apart(ingest_times, folder, turns)
            what = "Decode, validate and frame, to reading and decoding the bytes alone"
            out.append(Figure(what, size, ours / alone, "times", 3.0))
            what = "Heads that were kept, to reading and decoding the bytes alone"
            out.append(Figure(what, size, again / alone, "times", 0.5))
            # In a separate process, whose peak nothing else has raised.
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

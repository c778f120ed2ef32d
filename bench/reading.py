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


def framed(folder: Path) -> frame.Frame:
    """Find, read, validate and frame all bundles of a folder."""
    sources, _ = containers.find([folder])
    loaded: list[decode.Loaded] = []
    for found in read_files.outcomes(sources, Limits(), parallel.here):
        for item in found:
            if isinstance(item, Diagnostic):
                raise ValueError(item.text())
            loaded.append(item)
    return frame.build(supersede.settle(loaded).bundles)


def ingest_times(folder: Path, turns: int) -> tuple[float, float]:
    """The least CPU time of the bytes alone, and of all that is done with them."""
    files = sorted(folder.rglob("*.json"))
    bytes_alone(files)  # so that both sides find the files in memory
    times = [(seconds(lambda: bytes_alone(files)), seconds(lambda: framed(folder)))]
    times += [
        (seconds(lambda: bytes_alone(files)), seconds(lambda: framed(folder)))
        for _ in range(turns - 1)
    ]
    return min(t[0] for t in times), min(t[1] for t in times)


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
            synthetic.write(folder, count, max(1, count // 10), RESULTS)
            size = f"{count} bundles, {count * RESULTS} results"
            alone, ours = apart(ingest_times, folder, turns)
            what = "Decode, validate and frame, to reading and decoding the bytes alone"
            out.append(Figure(what, size, ours / alone, "times", 2.0))
            rows, memory = apart(peak, folder)
        if rows < ENOUGH_ROWS:
            continue  # what Python itself takes would hide it
        gib = memory / rows * MEMORY_ROWS / 2**30
        what = "Peak memory of reading"
        if rows != MEMORY_ROWS:
            what += f", carried forward to {MEMORY_ROWS} results"
        out.append(Figure(what, size, gib, "GiB", 2.0))
    return out

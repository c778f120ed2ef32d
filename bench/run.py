"""How fast it is: each figure beside its goal; the exit status is 1 where one is missed.

Run it with ``make bench``; ``BENCH=full`` takes the large archives. Times are CPU time of
this process and its children, because other work on a machine disturbs the clock; both
sides of a ratio are measured in turns, and the least of each counts.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import synthetic

from perfguide import archive, frame, ledger, pages, site, validate
from perfguide.diagnostics import Diagnostic
from perfguide.streams import Limits

TOP = Path(__file__).resolve().parent.parent
TABLE = TOP / "build" / "speed.csv"
RESULTS = 500
"""Results of one bundle, as in the archives of a board farm."""
MEMORY_ROWS = 5_000_000
"""The archive whose memory is asked for."""
ENOUGH_ROWS = 100_000
"""From so many results on the memory is told."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure and the most that it should be; ``None`` where nothing is asked."""

    what: str
    size: str
    value: float
    unit: str
    goal: float | None = None

    @property
    def missed(self) -> bool:
        """Whether the goal is not reached."""
        return self.goal is not None and self.value > self.goal

    def cells(self) -> tuple[str, str, str, str, str]:
        """A row of the table."""
        goal = "—" if self.goal is None else f"at most {self.goal:g}"
        met = "—" if self.goal is None else ("missed" if self.missed else "met")
        return self.what, self.size, f"{self.value:.2f} {self.unit}".strip(), goal, met


HEAD = ("Figure", "Size", "Measured", "Goal", "Outcome")


def cpu() -> float:
    """CPU time of this process and its children that have ended, in seconds."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(each) for each in who]
    return sum(each.ru_utime + each.ru_stime for each in used)


def seconds(work: Callable[[], object]) -> float:
    """The CPU time of some work."""
    start = cpu()
    work()
    return cpu() - start


def apart(work: Callable[..., Any], *given: object) -> Any:
    """The result of some work in a fresh process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, *given).result()


def bytes_alone(files: Sequence[Path]) -> None:
    """Read all files and decode them into plain values, and nothing else."""
    for file in files:
        msgspec.json.decode(file.read_bytes())


def framed(folder: Path) -> frame.Frame:
    """Find, read, validate and frame all bundles of a folder."""
    sources, _ = archive.find([folder])
    limits = Limits()
    loaded: list[validate.Loaded] = []
    for source in sources:
        for item in validate.upload(source, limits):
            if isinstance(item, Diagnostic):
                raise ValueError(item.text())
            loaded.append(item)
    return frame.build(ledger.settle(loaded).bundles)


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


def ingest(counts: Sequence[int], turns: int) -> list[Figure]:
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


def generation(folder: Path, output: Path) -> tuple[float, float]:
    """The CPU time of writing all pages, and of doing so again. Charts are drawn by
    processes whose time is not counted."""
    settings = site.Settings((folder,), (TOP / "source" / "benchmarks",), output)
    first = seconds(lambda: pages.generate(settings))
    return first, seconds(lambda: pages.generate(settings))


def growth(guides: Sequence[int], results: int) -> list[Figure]:
    """What pages cost with few and with many guides, and where nothing changed."""
    out: list[Figure] = []
    times: list[tuple[int, float]] = []
    for count in guides:
        with tempfile.TemporaryDirectory() as given:
            folder = Path(given)
            synthetic.write(folder / "results", count, count, results)
            first, again = apart(generation, folder / "results", folder / "source")
        size = f"{count} guides, {count * results} results"
        out.append(Figure("Writing all pages, charts not counted", size, first, "s"))
        out.append(Figure("Writing them again, nothing changed", size, again, "s", 1.0))
        times.append((count, again))
    (few, short), (many, long) = times[0], times[-1]
    grown = (long / short) / (many / few)
    what = "Growth of the time for pages, to that of the guides"
    out.append(Figure(what, f"{few} to {many} guides", grown, "times", 1.1))
    return out


def parts(size: str) -> list[Figure]:
    """All figures of one size of the bench: ``quick``, ``usual`` or ``full``."""
    counts, turns = {"quick": ([4], 2), "usual": ([2_000], 3), "full": ([2_000, 10_000], 3)}[size]
    guides, results = {
        "quick": ([2, 4], 20),
        "usual": ([20, 60], 250),
        "full": ([20, 200], 250),
    }[size]
    return [*ingest(counts, turns), *growth(guides, results)]


def main() -> int:
    """Measure, print, and keep the table."""
    parser = argparse.ArgumentParser(description="How fast it is, beside its goals.")
    sizes = ("quick", "usual", "full")
    usual = os.environ.get("BENCH") or "usual"
    parser.add_argument("--size", choices=sizes, default=usual, help="default: $BENCH, or usual")
    parser.add_argument("--output", type=Path, default=TABLE, help="the table, as CSV")
    options = parser.parse_args()
    start = time.monotonic()
    found = parts(options.size)
    with options.output.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *(f.cells() for f in found)])
    for figure in found:
        what, size, value, goal, met = figure.cells()
        print(f"{met:<7} {value:>14}  {goal:<14} {what}; {size}")
    missed = sum(figure.missed for figure in found)
    print(f"{missed} of {len(found)} missed; {time.monotonic() - start:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

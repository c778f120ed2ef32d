"""Measure speed: the exit status is 1 if a figure misses its goal.

Run it with ``make bench``; ``BENCH=full`` uses the large archives. Times are CPU times of all
processes involved, because other work on the machine distorts elapsed time. The two sides of a
ratio are measured in turns, and the least of each counts. The table is written to
``build/bench/speed.csv``.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from operator import itemgetter
from pathlib import Path

import changing
import charts
import counts
import long_lines
import reading
from measuring import HEAD, TOP, Figure, cpu

from perfguide.common.grouping import grouped

TABLE = TOP / "build" / "bench" / "speed.csv"
SIZES = ("quick", "usual", "full")
PARTS = ("reading", "changing", "growth", "charts", "logs")


def figures(part: str, size: str) -> list[Figure]:
    """Return the figures of one part of the bench in one of its sizes."""
    at = SIZES.index(size)
    if part == "reading":
        return reading.figures(([4], [2_000], [2_000, 10_000])[at], (2, 3, 3)[at])
    if part == "changing":
        sizes = ([(2, 2)], [(1_000, 100)], [(1_000, 100), (10_000, 1_000)])[at]
        return changing.figures(sizes, 20, (1, 3, 2)[at])
    if part == "growth":
        return counts.figures(([1, 2, 3], [20, 60, 180], counts.SIZES)[at])
    if part == "logs":
        return long_lines.figures((2**12, 2**20, 2**20)[at])
    return charts.figures((4, 200, 200)[at], (1, 3, 5)[at])


def measured(part: str, size: str) -> list[Figure]:
    """Return the figures of one part, printing each as soon as it is measured."""
    part_figures = figures(part, size)
    for figure in part_figures:
        what, of, value, goal, met = figure.cells()
        print(f"{met:<7} {value:>14}  {goal:<14} {what}; {of}", flush=True)
    return part_figures


def keep(table: Path, figures_by_part: dict[str, list[Figure]]) -> None:
    """Write the table; parts that were not measured keep their rows."""
    rows: dict[str, list[list[str]]] = {}
    if table.exists() and set(figures_by_part) != set(PARTS):
        with table.open(encoding="utf-8", newline="") as file:
            rows = grouped(list(csv.reader(file))[1:], itemgetter(0))
    rows |= {part: [[part, *f.cells()] for f in each] for part, each in figures_by_part.items()}
    table.parent.mkdir(parents=True, exist_ok=True)
    with table.open("w", encoding="utf-8", newline="") as file:
        lines = [row for part in PARTS for row in rows.get(part, [])]
        csv.writer(file, lineterminator="\n").writerows([HEAD, *lines])


def main() -> int:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description="Measure speed, and compare it with the goals.")
    # An empty variable means the same as none.
    usual = os.environ.get("BENCH") or "usual"
    parser.add_argument("--size", choices=SIZES, default=usual, help="default: $BENCH, or usual")
    parser.add_argument("--output", type=Path, default=TABLE, help="the table, as CSV")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this; may be repeated")
    options = parser.parse_args()
    start = time.monotonic()
    figures_by_part: dict[str, list[Figure]] = {}
    for part in options.part or PARTS:
        figures_by_part[part] = measured(part, options.size)
        # Write after each part, so that an interrupted run keeps what it has measured.
        keep(options.output, figures_by_part)
    all_figures = [figure for each in figures_by_part.values() for figure in each]
    missed = sum(figure.missed for figure in all_figures)
    taken = f"{time.monotonic() - start:.0f} s, {cpu():.0f} s of CPU time"
    print(f"{missed} of {len(all_figures)} missed; {taken}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

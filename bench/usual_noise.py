"""Learn from an archive how much single figures usually scatter between releases.

python bench/usual_noise.py ARCHIVE...        writes ext/perfguide/compare/usual_noise.csv
"""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path

from archive import Archive, read

from perfguide.compare import usual_noise
from perfguide.compare.judge import scaled
from perfguide.compare.noise import MIN_DEVIATION, learnt, release_noise
from perfguide.compare.usual_noise import Scatter, Table

TABLE_FILE = Path(__file__).parents[1] / "ext" / "perfguide" / "compare" / "usual_noise.csv"

MIN_ROWS = 5
"""The number of rows that a benchmark or metric needs for its own line."""

DECIMALS = 2


def learn(archive: Archive, without: str = "") -> Table:
    """Learn from all rows with more than ``MIN_ROWS`` releases; one SoC may be left out."""
    rows = []
    for row in archive.rows:
        releases = archive.releases[row.platform]
        measured = [release for release in releases if release in row.figures]
        if row.platform[1] != without and len(measured) > MIN_ROWS:
            # Treat all figures as the past of a figure that does not exist.
            last = row.figures[measured[-1]]
            history = tuple(row.figures[release] for release in measured)
            pair = replace(row.template, old=last, new=last, history=history[:-1])
            rows.append(scaled(pair))
    variance, freedom = release_noise(rows)
    variance = variance + [row.rounding + MIN_DEVIATION**2 for row in rows]
    table = learnt([row.key for row in rows], variance, freedom)
    return {name: measured for name, measured in table.items() if measured.rows >= MIN_ROWS}


def write(table: Table, path: Path) -> None:
    """Write a line for all rows, for each benchmark, and for each metric whose scatter differs from
    its benchmark's."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(usual_noise.HEAD)
        for name, noise in sorted(table.items()):
            if len(name) == 2 and _alike(noise, table[name[:1]]):
                continue
            numbers = (f"{value:.{DECIMALS}f}" for value in (noise.centre, noise.excess))
            writer.writerow([*(*name, "", "")[:2], *numbers, noise.rows])


def _alike(one: Scatter, above: Scatter) -> bool:
    return abs(one.centre - above.centre) < 1.2 and abs(one.excess - above.excess) < 2.0


if __name__ == "__main__":
    write(learn(read([Path(name) for name in sys.argv[1:]])), TABLE_FILE)

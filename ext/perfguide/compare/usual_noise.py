"""Usual scatter of single figures from release to release, learnt from public history.

``usual_noise.csv`` has a line for each benchmark and each of its metrics, and one for all.
``bench/usual_noise.py`` writes it from an archive of bundles.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

HEAD = ("benchmark", "metric", "centre", "excess", "rows")


@dataclass(frozen=True, slots=True)
class Scatter:
    """The distribution of the variances of some rows: the mean of their logarithms, by how much more
    those vary than so few figures explain, and from how many rows that was learnt."""

    centre: float
    excess: float
    rows: int


Table = Mapping[tuple[str, ...], Scatter]
"""By nothing, by benchmark, and by benchmark and metric."""


@cache
def usual() -> Table:
    """Return the table in the package."""
    text = files(__package__).joinpath("usual_noise.csv").read_text("utf-8")
    # The line for all benchmarks has neither name, so its key is empty.
    return {
        tuple(part for part in (row["benchmark"], row["metric"]) if part): Scatter(
            float(row["centre"]), float(row["excess"]), int(row["rows"])
        )
        for row in csv.DictReader(text.splitlines())
    }

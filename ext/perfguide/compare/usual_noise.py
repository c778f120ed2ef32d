"""The usual scatter of single figures from release to release, learnt from public history.

``usual_noise.csv`` has a line for each benchmark, for each of its metrics, and for all benchmarks.
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
    """The distribution of the variances of rows: the mean of their logs, the variance of these logs
    in excess of sampling error, and the number of rows."""

    centre: float
    excess: float
    rows: int


Table = Mapping[tuple[str, ...], Scatter]
"""Scatter by benchmark and metric, by benchmark, and, under the empty key, of all benchmarks."""


@cache
def usual() -> Table:
    """Return the table that ships with the package."""
    text = files(__package__).joinpath("usual_noise.csv").read_text("utf-8")
    # The line for all benchmarks has neither name, so its key is empty.
    return {
        tuple(part for part in (row["benchmark"], row["metric"]) if part): Scatter(
            float(row["centre"]), float(row["excess"]), int(row["rows"])
        )
        for row in csv.DictReader(text.splitlines())
    }

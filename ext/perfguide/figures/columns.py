"""All pooled figures as columns of numbers, for rules that look at many at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..bundles.guide_key import GuideKey, version
from ..catalog.benchmarks import Catalog, Metric, Scalar
from ..common import units
from .pool import Pool

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

GUIDE = ("sdk", "soc", "os", "release")
OWNER = ("sdk", "soc", "os", "board")
SERIES = (*OWNER, "benchmark", "metric", "unit", "params")
"""What stays the same when one measurement is followed from release to release."""


class Figures:
    """The table of :meth:`Pool.figures` with its names as numbers.

    All arrays have one entry for each figure; an entry's place is the
    *position* that rules speak of.
    """

    def __init__(self, pool: Pool, catalog: Catalog) -> None:
        self.pool = pool
        self.catalog = catalog
        self.table: pd.DataFrame = pool.figures()
        self.mean: Floats = self.table["mean"].to_numpy(dtype="float64")
        self.low: Floats = self.table["low"].to_numpy(dtype="float64")
        self.high: Floats = self.table["high"].to_numpy(dtype="float64")
        self.spread: Flags = self.table["spread"].to_numpy(dtype="bool")
        self._codes: dict[str, Ints] = {}
        self._names: dict[str, list[str]] = {}
        self._groups: dict[tuple[str, ...], Ints] = {}
        for name in (*GUIDE, "board", "benchmark", "metric", "unit", "params"):
            column = self.table[name]
            self._codes[name] = column.cat.codes.to_numpy().astype("int64")
            self._names[name] = [str(c) for c in column.cat.categories]

    def __len__(self) -> int:
        return len(self.table)

    def code(self, column: str) -> Ints:
        """A column of names as numbers."""
        return self._codes[column]

    def names(self, column: str) -> list[str]:
        """The name that each number of :meth:`code` stands for."""
        return self._names[column]

    def name(self, column: str, position: int) -> str:
        """One figure's name in a column."""
        return self._names[column][int(self._codes[column][position])]

    def guide(self, position: int) -> GuideKey:
        """The guide that a figure belongs to."""
        return GuideKey(*(self.name(column, position) for column in GUIDE))

    def params(self, position: int) -> dict[str, Scalar]:
        """A figure's parameters, with the defaults."""
        return self.pool.params(self.name("params", position))

    def groups(self, *columns: str) -> Ints:
        """A number for each figure; figures that agree in all columns share it."""
        known = self._groups.get(columns)
        if known is None:
            known = self._groups[columns] = together(*(self._codes[name] for name in columns))
        return known

    @cached_property
    def lines(self) -> list[list[int]]:
        """Every series (:data:`SERIES`) as the positions of its figures that have a mean, the
        oldest release first."""
        series = self.groups(*SERIES)
        order = np.lexsort((self.release_rank, series))
        order = order[~np.isnan(self.mean[order])]
        ends = np.flatnonzero(np.diff(series[order])) + 1
        return [part.tolist() for part in np.split(order, ends)] if len(order) else []

    @cached_property
    def newest(self) -> Flags:
        """Which figures are of the newest release of their board (:data:`OWNER`)."""
        owner = self.groups(*OWNER)
        last = np.full(int(owner.max(initial=-1)) + 1, -1)
        np.maximum.at(last, owner, self.release_rank)
        newest: Flags = self.release_rank == last[owner]
        return newest

    @cached_property
    def release_rank(self) -> Ints:
        """For each figure where its release stands among all, the oldest first."""
        names = self._names["release"]
        order = sorted(range(len(names)), key=lambda code: version(names[code]))
        rank = np.empty(len(names), dtype="int64")
        rank[order] = np.arange(len(names))
        return rank[self._codes["release"]]

    @cached_property
    def kinds(self) -> tuple[Ints, list[tuple[str, Metric | None, str]]]:
        """For each figure its sort, and each sort's benchmark, what the catalog
        knows of its metric, and its unit."""
        number = self.groups("benchmark", "metric", "unit")
        sorts: list[tuple[str, Metric | None, str]] = []
        for position in firsts(number):
            benchmark = self.name("benchmark", position)
            entry = self.catalog.get(benchmark)
            unit = self.name("unit", position)
            metric = entry.metric(self.name("metric", position)) if entry else None
            if metric and units.parse(metric.unit).name != unit:
                metric = None
            sorts.append((benchmark, metric, unit))
        return number, sorts

    def of_kind(self, wanted: Sequence[bool]) -> Flags:
        """The figures of some sorts, as flags for ``kinds``, as flags for figures."""
        return np.asarray(wanted, dtype="bool")[self.kinds[0]] if len(self) else self.spread

    def metric(self, position: int) -> Metric | None:
        """What the catalog knows of a figure's metric."""
        number, sorts = self.kinds
        return sorts[int(number[position])][1]


def together(*columns: Ints) -> Ints:
    """Numbers from 0 in order of appearance; equal where all columns are equal."""
    if not len(columns[0]):
        return np.empty(0, dtype="int64")
    frame = pd.DataFrame(dict(enumerate(columns)))
    numbers = frame.groupby(list(frame.columns), sort=False).ngroup()
    return numbers.to_numpy().astype("int64")


def firsts(numbers: Ints) -> list[int]:
    """The first place of each number of :func:`together`, in their order."""
    positions: list[int] = np.unique(numbers, return_index=True)[1].tolist()
    return positions


def digits(value: float) -> int:
    """How many significant digits a figure is written with; trailing zeros do not count."""
    mantissa = f"{abs(value):.12g}".partition("e")[0]
    return len(mantissa.replace(".", "").lstrip("0").rstrip("0"))

"""All pooled figures as numeric columns, for rules that compare many figures at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bundles.guide_key import GuideKey, version
from ..catalog.benchmarks import Catalog, Metric, Scalar
from ..common import units
from .pool import Pool
from .rows import together

if TYPE_CHECKING:
    import pandas as pd

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

GUIDE = ("sdk", "soc", "os", "release")
OWNER = ("sdk", "soc", "os", "board")
ROW = ("sdk", "soc", "os", "benchmark", "metric", "unit", "params")
"""The columns that identify one measurement across releases and boards."""
SERIES = (*OWNER, "benchmark", "metric", "unit", "params")
"""The columns that identify one measurement across releases."""


class Figures:
    """The table of :meth:`Pool.figures`, with names encoded as integers.

    Every array has one entry per figure; the index is the figure's *position*. ``socs`` are the
    names of all SoCs, by default those in the pool.
    """

    def __init__(self, pool: Pool, catalog: Catalog, socs: Collection[str] = ()) -> None:
        self.pool = pool
        self.catalog = catalog
        self.table: pd.DataFrame = pool.figures()
        self.socs = socs or frozenset(map(str, pool.frame.table["soc"].cat.categories))
        self.mean: Floats = self.table["mean"].to_numpy(dtype="float64")
        self.low: Floats = self.table["low"].to_numpy(dtype="float64")
        self.high: Floats = self.table["high"].to_numpy(dtype="float64")
        self.spread: Flags = self.table["spread"].to_numpy(dtype="bool")
        self._codes: dict[str, Ints] = {}
        self._names: dict[str, list[str]] = {}
        self._groups: dict[tuple[str, ...], Ints] = {}
        for name in (*GUIDE, "board", "benchmark", "metric", "unit", "params"):
            # Comparing integers is many times faster than comparing strings.
            column = self.table[name]
            self._codes[name] = column.cat.codes.to_numpy().astype("int64")
            self._names[name] = [str(c) for c in column.cat.categories]

    def __len__(self) -> int:
        return len(self.table)

    def code(self, column: str) -> Ints:
        """Return a column's codes, one per figure."""
        return self._codes[column]

    def names(self, column: str) -> list[str]:
        """Return the names in a column, indexed by the codes that :meth:`code` returns."""
        return self._names[column]

    def name(self, column: str, position: int) -> str:
        """Return one figure's entry in a column."""
        return self._names[column][int(self._codes[column][position])]

    def guide(self, position: int) -> GuideKey:
        """Return the guide that contains a figure."""
        return GuideKey(*(self.name(column, position) for column in GUIDE))

    def params(self, position: int) -> dict[str, Scalar]:
        """Return a figure's parameters, including defaults."""
        return self.pool.params(self.name("params", position))

    def groups(self, *columns: str) -> Ints:
        """Return a group number per figure; figures that agree in all the columns share one."""
        numbers = self._groups.get(columns)
        if numbers is None:
            numbers = self._groups[columns] = together(*(self._codes[name] for name in columns))
        return numbers

    @cached_property
    def lines(self) -> list[list[int]]:
        """Each series (:data:`SERIES`) as the positions of its figures with a mean, oldest
        release first."""
        series = self.groups(*SERIES)
        # The last key of lexsort is the primary one: sort by series, then by release.
        order = np.lexsort((self.release_rank, series))
        order = order[~np.isnan(self.mean[order])]
        ends = np.flatnonzero(np.diff(series[order])) + 1
        return [part.tolist() for part in np.split(order, ends)] if len(order) else []

    @cached_property
    def newest(self) -> Flags:
        """Flags for the figures in the newest release of their board (:data:`OWNER`)."""
        owner = self.groups(*OWNER)
        # Unlike plain indexing, maximum.at handles repeated owners.
        last = np.full(int(owner.max(initial=-1)) + 1, -1)
        np.maximum.at(last, owner, self.release_rank)
        newest: Flags = self.release_rank == last[owner]
        return newest

    @cached_property
    def release_rank(self) -> Ints:
        """The rank of each figure's release among all releases, 0 for the oldest."""
        names = self._names["release"]
        order = sorted(range(len(names)), key=lambda code: version(names[code]))
        rank = np.empty(len(names), dtype="int64")
        rank[order] = np.arange(len(names))
        return rank[self._codes["release"]]

    @cached_property
    def kinds(self) -> tuple[Ints, list[tuple[str, Metric | None, str]]]:
        """The kind number of each figure, and for each kind its benchmark, its metric in the
        catalog (or ``None``) and its unit."""
        number = self.groups("benchmark", "metric", "unit")
        kind_list: list[tuple[str, Metric | None, str]] = []
        for position in firsts(number):
            benchmark = self.name("benchmark", position)
            unit = self.name("unit", position)
            metric = self.catalog.benchmark(benchmark).metric(self.name("metric", position))
            # The limits and steps of an entry in another unit do not apply, and old tables lack units.
            if metric and unit not in (units.parse(metric.unit).name, "1"):
                metric = None
            kind_list.append((benchmark, metric, unit))
        return number, kind_list

    def of_kind(self, wanted: Sequence[bool]) -> Flags:
        """Expand flags per kind (see ``kinds``) to flags per figure."""
        return np.asarray(wanted, dtype="bool")[self.kinds[0]] if len(self) else self.spread

    @cached_property
    def steady(self) -> Flags:
        """Flags for the figures on which releases and boards should agree."""

        def is_steady(metric: Metric | None, unit: str) -> bool:
            if metric and metric.steady is not None:
                return metric.steady
            return unit != "%" and (metric is None or metric.better != "neither")

        return self.of_kind([is_steady(metric, unit) for _, metric, unit in self.kinds[1]])

    @cached_property
    def logs(self) -> list[float]:
        """The natural logarithm of each mean; NaN unless the mean is positive."""
        logs = np.full(len(self), np.nan)
        np.log(self.mean, out=logs, where=self.mean > 0)
        return logs.tolist()

    def samples(self, least: int) -> dict[int, list[float]]:
        """Return the samples from all runs, in the figure's unit, for each figure with at least
        ``least`` of them."""
        samples, positions = self.pool.frame.samples, self.pool.positions()
        sizes = np.diff(samples.ends)
        of_figure = np.bincount(positions, sizes, len(self))
        out: dict[int, list[float]] = {}
        for row in np.flatnonzero((sizes > 0) & (of_figure[positions] >= least)).tolist():
            out.setdefault(int(positions[row]), []).extend(self.pool.samples_of(row))
        return out

    def metric_label(self, position: int) -> str:
        """Return the label of a figure's metric, or its name if it has no label."""
        benchmark = self.catalog.benchmark(self.name("benchmark", position))
        return benchmark.metric_label(self.name("metric", position))

    def metric(self, position: int) -> Metric | None:
        """Return a figure's metric in the catalog, or ``None``."""
        number, kind_list = self.kinds
        return kind_list[int(number[position])][1]


def firsts(numbers: Ints) -> list[int]:
    """Return the first position of each number that :func:`together` gave, in numeric order."""
    positions: list[int] = np.unique(numbers, return_index=True)[1].tolist()
    return positions


def digits(value: float) -> int:
    """Return the number of significant digits of a figure, not counting trailing zeros."""
    # Rounding to twelve digits hides floating-point errors.
    mantissa = f"{abs(value):.12g}".partition("e")[0]
    return len(mantissa.replace(".", "").lstrip("0").rstrip("0"))

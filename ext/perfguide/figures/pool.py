"""Results of one measurement, from however many runs, made one figure each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, version
from ..catalog.benchmarks import Catalog, Scalar
from ..common import units
from . import terms
from .conditions import Taken
from .rows import NAMES, Frame


@dataclass(frozen=True, slots=True)
class Cell:
    """One pooled figure, in the unit of its record.

    ``mean`` is ``None`` where every run failed. ``low`` and ``high`` are given
    where more than one sample is behind the mean; ``count`` is their number
    where it is known. ``failed`` of ``runs`` results were failures.
    ``differs`` names conditions that were not the same in all pooled runs.
    ``members`` are rows of the frame.
    """

    mean: float | None
    low: float | None
    high: float | None
    count: int | None
    failed: int
    runs: int
    differs: tuple[str, ...]
    samples: tuple[float, ...]
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A pooled figure with all that identifies it. ``params`` has the defaults."""

    guide: GuideKey
    board: str
    benchmark: str
    metric: str
    unit: str
    params: dict[str, Scalar]
    cell: Cell


def measured(record: Record) -> dict[str, Any]:
    """What was measured, for programs; every format has it under the same names."""
    cell = record.cell
    return {
        "params": record.params,
        "unit": record.unit,
        "mean": cell.mean,
        "min": cell.low,
        "max": cell.high,
        "count": cell.count,
        "failed": cell.failed,
        "runs": cell.runs,
    }


class Pool:
    """All pooled figures, grouped once, read a guide or a benchmark at a time.

    ``spelt`` says, by benchmark, metric and kind, which units follow from how all bundles spell them.
    """

    def __init__(self, frame: Frame, catalog: Catalog) -> None:
        self.frame = frame
        table = frame.table
        params, self._params = terms.defaulted(table, catalog)
        unit, self._factor, spelt = terms.target_units(table, catalog)
        self.spelt = sorted(spelt.items())
        self._value = table["value"].to_numpy(dtype="float64") * self._factor
        self._low = table["low"].to_numpy(dtype="float64") * self._factor
        self._high = table["high"].to_numpy(dtype="float64") * self._factor
        self._weight = table["weight"].to_numpy(dtype="int64")
        self._failed = table["failed"].to_numpy(dtype="bool")
        self._spread = table["spread"].to_numpy(dtype="bool")
        self._counted = table["counted"].to_numpy(dtype="bool")
        self._bundle = table["bundle"].to_numpy(dtype="int64")
        self._result = table["result"].to_numpy(dtype="int64")
        self._samples = frame.samples
        self._taken = Taken(frame)
        keys = {name: table[name] for name in NAMES if name not in ("params", "unit")}
        keys |= {"params": params, "unit": unit}
        keyed = pd.DataFrame(keys)
        # A group's number is the place of its first result, so nothing is sorted.
        group = keyed.groupby(list(keys), observed=True, sort=False).ngroup().to_numpy()
        self._group = group
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(group[order]) > 0]) if len(order) else order
        self._order = order
        self._ends = np.append(starts, len(order))
        self._identity = keyed.iloc[order[starts]].reset_index(drop=True)
        self._by_guide = self._indices(["sdk", "soc", "os", "release"])
        self._by_benchmark = self._indices(["benchmark"])

    def _indices(self, names: list[str]) -> dict[tuple[str, ...], np.ndarray[Any, Any]]:
        if self._identity.empty:
            return {}
        grouped = self._identity.groupby(names, observed=True, sort=True)
        return {
            key if isinstance(key, tuple) else (key,): np.asarray(rows)
            for key, rows in grouped.indices.items()
        }

    def __len__(self) -> int:
        return len(self._identity)

    def guides(self) -> list[GuideKey]:
        """Every guide, by SDK, SoC and OS, its releases in version order."""
        keys = [GuideKey(*key) for key in self._by_guide]
        return sorted(keys, key=lambda k: (k.sdk, units.natural(k.soc), k.os, version(k.release)))

    def benchmarks(self) -> list[str]:
        """The names of all benchmarks that have a result."""
        return sorted(key[0] for key in self._by_benchmark)

    def of_guide(
        self, key: GuideKey, wanted: Callable[[str, str], bool] | None = None
    ) -> list[Record]:
        """All figures of one guide, or those whose benchmark and metric are ``wanted``."""
        rows = self._rows(key)
        if wanted is not None:
            columns = [self._identity[name].iloc[rows] for name in ("benchmark", "metric")]
            sorts = list(zip(*columns, strict=True))
            known = {sort: wanted(*sort) for sort in set(sorts)}
            rows = rows[np.array([known[sort] for sort in sorts], dtype="bool")]
        return list(self._records(rows))

    def count(self, key: GuideKey) -> int:
        """How many figures a guide has."""
        return len(self._rows(key))

    def _rows(self, key: GuideKey) -> np.ndarray[Any, Any]:
        none = np.empty(0, dtype="int64")
        return self._by_guide.get((key.sdk, key.soc, key.os, key.release), none)

    def of_benchmark(self, name: str, guides: Collection[GuideKey] | None = None) -> list[Record]:
        """All figures of one benchmark, over all guides or over some."""
        rows = self._by_benchmark.get((name,), np.empty(0, dtype="int64"))
        if guides is not None:
            chosen = [self._rows(key) for key in guides]
            rows = np.intersect1d(rows, np.concatenate([rows[:0], *chosen]), assume_unique=True)
        return list(self._records(rows))

    def held(self, benchmark: str) -> list[tuple[GuideKey, str]]:
        """The guides that have figures of a benchmark, each with each of its boards that do."""
        rows = self._by_benchmark.get((benchmark,), np.empty(0, dtype="int64"))
        names = self._identity[["sdk", "soc", "os", "release", "board"]].iloc[rows]
        return [
            (GuideKey(*key), board)
            for *key, board in names.drop_duplicates().itertuples(index=False)
        ]

    def figures(self) -> pd.DataFrame:
        """All pooled figures as numbers, without a :class:`Record` for each.

        A row for each figure; its position is what :meth:`take` takes. Columns:
        ``sdk soc os release board benchmark metric unit params`` (categories;
        ``params`` is canonical JSON with the defaults), ``mean low high`` (NaN
        where failed; the extremes are the mean where nothing else is known),
        ``spread``, whether extremes are known, and ``runs``.
        """
        out = self._identity.copy()
        for name in ("mean", "low", "high"):
            out[name] = np.full(len(out), np.nan)
        out["spread"] = False
        out["runs"] = np.diff(self._ends).astype("int64")
        if not len(out):
            return out
        rows = self._order
        sound = ~self._failed[rows]
        rows = rows[sound]
        owner = np.repeat(np.arange(len(out)), out["runs"])[sound]
        if not len(rows):
            return out
        held, starts, count = np.unique(owner, return_index=True, return_counts=True)
        weight = self._weight[rows]
        total = np.add.reduceat(weight, starts)
        mean = np.add.reduceat(self._value[rows] * weight, starts) / total
        mean[count == 1] = self._value[rows][starts[count == 1]]
        columns = {
            "mean": mean,
            "low": np.minimum.reduceat(self._low[rows], starts),
            "high": np.maximum.reduceat(self._high[rows], starts),
            "spread": (count > 1) | np.maximum.reduceat(self._spread[rows], starts),
        }
        for name, values in columns.items():
            out.loc[held, name] = values
        return out

    def positions(self) -> np.ndarray[Any, Any]:
        """For each row of the frame the position in :meth:`figures` it is pooled into."""
        return self._group

    def params(self, text: str) -> dict[str, Scalar]:
        """What the canonical text of parameters in :meth:`figures` means."""
        return self._params[text]

    def take(self, positions: Iterable[int]) -> list[Record]:
        """The figures at some positions of :meth:`figures`."""
        return list(self._records(positions))

    def bundles(self, records: Iterable[Record]) -> list[Loaded]:
        """The bundles behind figures, by board, date and id."""
        rows = sorted({row for record in records for row in record.cell.members})
        return self._bundles(np.asarray(rows, dtype="int64"))

    def bundles_of(self, keys: Iterable[GuideKey]) -> list[Loaded]:
        """The bundles behind all figures of guides, by board, date and id."""
        positions = np.concatenate([np.empty(0, dtype="int64"), *map(self._rows, keys)])
        return self._bundles(self._members(positions)[0])

    def _bundles(self, rows: np.ndarray[Any, Any]) -> list[Loaded]:
        found = [self.frame.bundles[position] for position in np.unique(self._bundle[rows])]
        return sorted(
            found,
            key=lambda b: (units.natural(b.bundle.board.name), b.bundle.created, b.bundle.id),
        )

    def places(self, members: Iterable[int]) -> list[tuple[int, int]]:
        """For rows of the frame the bundle's position in it, and the result's in the bundle."""
        rows = list(members)
        return list(zip(self._bundle[rows].tolist(), self._result[rows].tolist(), strict=True))

    def only(self, record: Record, bundles: Collection[int]) -> Cell | None:
        """A figure as it is where only bundles at some positions count; ``None``
        where none of them holds it."""
        rows = [row for row in record.cell.members if self._bundle[row] in bundles]
        return self._cell(np.asarray(rows, dtype="int64")) if rows else None

    def commands(self, records: Iterable[Record]) -> list[str]:
        """The different commands behind figures, in natural order."""
        rows = sorted({row for record in records for row in record.cell.members})
        return self._taken.commands(rows)

    def conditions(self, record: Record) -> dict[str, frozenset[str]]:
        """Under which conditions a figure was taken: what its results state of each
        of ``CONDITIONS``, and as ``tool NAME`` the versions of programs. What nobody
        states is left out; more than one text where the pooled results differ."""
        return self._taken.of(record.cell.members)

    def _members(
        self, positions: np.ndarray[Any, Any]
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The rows of the frame behind some figures, one figure's after another's, and
        how many each has."""
        starts = self._ends[positions]
        sizes = self._ends[positions + 1] - starts
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self._order[np.repeat(starts, sizes) + within], sizes

    def _records(self, positions: Iterable[int]) -> Iterator[Record]:
        places = np.asarray(list(positions), dtype="int64")
        chosen = self._identity.iloc[places]
        columns = [chosen[name].tolist() for name in (*NAMES[:7], "unit", "params")]
        guides: dict[tuple[str, ...], GuideKey] = {}
        for cell, sdk, soc, os, release, board, benchmark, metric, unit, params in zip(
            self._cells(places), *columns, strict=True
        ):
            names = (sdk, soc, os, release)
            if names not in guides:
                guides[names] = GuideKey(*names)
            own = self._params[params]
            yield Record(guides[names], board, benchmark, metric, unit, own, cell)

    def _cells(self, positions: np.ndarray[Any, Any]) -> Iterator[Cell]:
        """The pooled figures at some positions; most are one result each, and quickly made."""
        rows, sizes = self._members(positions)
        kept = (self._value, self._low, self._high, self._weight, self._failed)
        columns = [rows.tolist(), *(column[rows].tolist() for column in kept)]
        begin = 0
        for size in sizes.tolist():
            if size == 1 and not columns[5][begin]:
                row, value, low, high, weight, _ = (column[begin] for column in columns)
                spread = self._spread[row]
                yield Cell(
                    value,
                    low if spread else None,
                    high if spread else None,
                    weight if self._counted[row] else None,
                    0,
                    1,
                    (),
                    self._samples_of(row),
                    (row,),
                )
            else:
                yield self._cell(rows[begin : begin + size])
            begin += size

    def _samples_of(self, row: int) -> tuple[float, ...]:
        given = self._samples.of(row)
        factor = float(self._factor[row])
        return given if factor == 1.0 else tuple(x * factor for x in given)

    def _cell(self, members: np.ndarray[Any, Any]) -> Cell:
        rows = tuple(members.tolist())
        sound = [row for row in rows if not self._failed[row]]
        failed = len(rows) - len(sound)
        if not sound:
            return Cell(None, None, None, None, failed, len(rows), (), (), rows)
        if len(sound) == 1:
            mean = float(self._value[sound[0]])
        else:
            weights = self._weight[sound]
            mean = float(np.dot(self._value[sound], weights) / weights.sum())
        low = high = None
        if len(sound) > 1 or self._spread[sound[0]]:
            low, high = float(self._low[sound].min()), float(self._high[sound].max())
        count = int(self._weight[sound].sum()) if self._counted[sound].all() else None
        samples = tuple(x for row in sound for x in self._samples_of(row))
        differs = self._taken.differs(rows) if len(rows) > 1 else ()
        return Cell(mean, low, high, count, failed, len(rows), differs, samples, rows)

"""Results of one measurement, from however many runs, made one figure each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress
from operator import not_
from typing import Any

import numpy as np
import pandas as pd

from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, version
from ..catalog.benchmarks import Catalog, Scalar
from ..catalog.board_names import GuideNote, about
from ..common import units
from . import terms
from .conditions import Taken
from .rows import NAMES, Floats, Frame, Ints


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
    ``by_hand`` are notes that people have written about guides.
    """

    def __init__(self, frame: Frame, catalog: Catalog, by_hand: Sequence[GuideNote] = ()) -> None:
        self.frame = frame
        self._catalog, self._by_hand = catalog, by_hand
        self._words = bool(by_hand) or any(b.entry.notes for b in catalog.benchmarks.values())
        self._written: dict[tuple[str, ...], list[str]] = {}
        table = frame.table
        params, self._params = terms.defaulted(frame, catalog)
        unit, self._factor, spelt = terms.target_units(frame.measured, catalog)
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
        keys: dict[str, Any] = {
            name: table[name] for name in NAMES if name not in ("params", "unit")
        }
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

    @cached_property
    def boards(self) -> dict[GuideKey, frozenset[str]]:
        """The boards that have a result in each guide."""
        if self._identity.empty:
            return {}
        found: dict[GuideKey, set[str]] = {}
        for *key, board in self._identity[list(NAMES[:5])].drop_duplicates().to_numpy().tolist():
            found.setdefault(GuideKey(*key), set()).add(board)
        return {key: frozenset(boards) for key, boards in found.items()}

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

    def bundles_with(self, benchmark: str) -> frozenset[int]:
        """The positions of the bundles that have a result of a benchmark."""
        groups = self._by_benchmark.get((benchmark,), np.empty(0, dtype="int64"))
        return frozenset(np.unique(self._bundle[self._members(groups)[0]]).tolist())

    def figures(self) -> pd.DataFrame:
        """All pooled figures as numbers, without a :class:`Record` for each.

        A row for each figure; its position is what :meth:`take` takes. Columns:
        ``sdk soc os release board benchmark metric unit params`` (categories;
        ``params`` is canonical JSON with the defaults), ``mean low high`` (NaN
        where failed; the extremes are the mean where nothing else is known),
        ``spread``, whether extremes are known, and ``runs``.
        """
        pooled = self._pooled
        out = self._identity.copy()
        out["mean"], out["low"], out["high"] = pooled.mean, pooled.low, pooled.high
        out["spread"], out["runs"] = pooled.spread, pooled.runs
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
            key=lambda b: (units.natural(b.bundle.board.name), b.bundle.created, b.bundle.owned_id),
        )

    def places(self, members: Iterable[int]) -> list[tuple[int, int]]:
        """For rows of the frame the bundle's position in it, and the result's in the bundle."""
        rows = list(members)
        return list(zip(self._bundle[rows].tolist(), self._result[rows].tolist(), strict=True))

    def among(self, records: Sequence[Record], bundles: Collection[int]) -> list[Cell | None]:
        """Figures as they are where only bundles at some positions count; ``None``
        where none of them holds a figure."""
        wanted = np.isin(self._bundle, list(bundles))
        members = [[row for row in record.cell.members if wanted[row]] for record in records]
        sizes = np.array([len(each) for each in members], dtype="int64")
        rows = np.array([row for each in members for row in each], dtype="int64")
        pooled = self._pool(rows, sizes)
        cells = self._cells(rows, sizes, pooled)
        return [cell if cell.runs else None for cell in cells]

    def commands(self, records: Iterable[Record]) -> list[str]:
        """The different commands behind figures, in natural order."""
        rows = sorted({row for record in records for row in record.cell.members})
        return self._taken.commands(rows)

    def conditions(self, record: Record) -> dict[str, frozenset[str]]:
        """Under which conditions a figure was taken: what its results state of each
        of ``CONDITIONS``, and as ``tool NAME`` the versions of programs. What nobody
        states is left out; more than one text where the pooled results differ."""
        return self._taken.of(record.cell.members)

    def setup(self, rows: Sequence[int]) -> dict[str, list[str]]:
        """The facts of the setup of rows of the frame, each with its different values."""
        return self._taken.setup(rows)

    def own_setup(self, row: int) -> dict[str, str]:
        """The facts that one row of the frame states itself, and not for its whole bundle."""
        return self._taken.own_setup(row)

    def notes_of(self, rows: Sequence[int], own: bool = False) -> list[str]:
        """The notes about rows of the frame of one benchmark and metric, those of descriptions
        and of the list of boards first; with ``own`` only those that their bundles have of this
        metric."""
        words = self._words and not own
        if not (self._taken.noted or words):
            return []
        benchmark, metric = self.measured(rows[0])
        said = self._written_about(rows[0]) if words else []
        return list(dict.fromkeys([*said, *self._taken.notes(rows, benchmark, metric, own)]))

    def measured(self, row: int) -> tuple[str, str]:
        """Return the benchmark and the metric of a row of the frame."""
        benchmark, metric = (names[self._group[row]] for names in self._noted[3:])
        return benchmark, metric

    def stated_facts(self, rows: Sequence[int]) -> dict[str, list[str | int]]:
        """Return the facts of the setup that some rows of the frame state themselves, which go
        before those of their runs. Each has its different values; the position of a bundle is
        there for the value of a run, where a row states none of its own."""
        return self._taken.stated_facts(rows)

    def stated_notes(self, rows: Sequence[int]) -> list[str]:
        """Return the notes about rows of one figure that are not about their runs: those of
        descriptions and of the list of boards, and the results' own."""
        said = self._written_about(rows[0]) if self._words else []
        return list(dict.fromkeys([*said, *self._taken.stated_notes(rows)]))

    def _written_about(self, row: int) -> list[str]:
        """Return what people have written about the guide and the benchmark of a row."""
        soc, release, board, benchmark = (names[self._group[row]] for names in self._noted[:4])
        if (soc, release, board, benchmark) not in self._written:
            both = [self.words(soc, release, {board}, of) for of in ("", benchmark)]
            self._written[soc, release, board, benchmark] = [*both[0], *both[1]]
        return self._written[soc, release, board, benchmark]

    @cached_property
    def _noted(self) -> list[list[str]]:
        """What notes are about, each as a column of all figures."""
        columns = ("soc", "release", "board", "benchmark", "metric")
        return [self._identity[name].tolist() for name in columns]

    def words(
        self, soc: str, release: str, boards: Collection[str], benchmark: str = ""
    ) -> list[str]:
        """What people have written about a guide of some boards, or about one benchmark in it: in
        the description of the benchmark, and in the list of boards."""
        known = self._catalog.get(benchmark) if benchmark else None
        out = [n.text for n in known.entry.notes if n.holds(soc, release)] if known else []
        return out + [
            note.text
            for note in self._by_hand
            if note.benchmark == benchmark and about(note, soc, release, boards)
        ]

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
        cells = self._cells(*self._members(places), self._pooled.take(places))
        guides: dict[tuple[str, ...], GuideKey] = {}
        for cell, sdk, soc, os, release, board, benchmark, metric, unit, params in zip(
            cells, *columns, strict=True
        ):
            names = (sdk, soc, os, release)
            if names not in guides:
                guides[names] = GuideKey(*names)
            own = self._params[params]
            yield Record(guides[names], board, benchmark, metric, unit, own, cell)

    def _cells(self, rows: Ints, sizes: Ints, pooled: Pooled) -> Iterator[Cell]:
        """Pooled figures with what is behind them: rows of the frame, one figure's after
        another's, of which each figure has ``sizes``."""
        whole, failures = rows.tolist(), self._failed[rows].tolist()
        begin = 0
        for mean, low, high, spread, count, failed, size in zip(
            *(column.tolist() for column in pooled.columns()), sizes.tolist(), strict=True
        ):
            end = begin + size
            members = tuple(whole[begin:end])
            sound = compress(members, map(not_, failures[begin:end])) if failed else members
            yield Cell(
                None if failed == size else mean,
                low if spread else None,
                high if spread else None,
                count or None,
                failed,
                size,
                self._taken.differs(members) if size > 1 and failed < size else (),
                tuple(chain.from_iterable(map(self._samples_of, sound))),
                members,
            )
            begin = end

    @cached_property
    def _pooled(self) -> Pooled:
        return self._pool(self._order, np.diff(self._ends))

    def _pool(self, rows: Ints, sizes: Ints) -> Pooled:
        """Figures of rows of the frame, one figure's after another's, of which each has
        ``sizes``."""
        sound = ~self._failed[rows]
        owner = np.repeat(np.arange(len(sizes)), sizes)[sound]
        rows = rows[sound]
        mean, low, high = (np.full(len(sizes), np.nan) for _ in range(3))
        spread, count = np.zeros(len(sizes), dtype="bool"), np.zeros(len(sizes), dtype="int64")
        held, starts, runs = np.unique(owner, return_index=True, return_counts=True)
        if len(rows):
            weight = self._weight[rows]
            mean[held] = weighted_means(self._value[rows], weight, starts)
            low[held] = np.minimum.reduceat(self._low[rows], starts)
            high[held] = np.maximum.reduceat(self._high[rows], starts)
            spread[held] = (runs > 1) | np.logical_or.reduceat(self._spread[rows], starts)
            known = np.logical_and.reduceat(self._counted[rows], starts)
            count[held] = np.where(known, np.add.reduceat(weight, starts), 0)
        failed = sizes - np.bincount(owner, minlength=len(sizes))
        return Pooled(mean, low, high, spread, count, failed, sizes)

    def _samples_of(self, row: int) -> tuple[float, ...]:
        given = self._samples.of(row)
        factor = float(self._factor[row])
        return given if factor == 1.0 else tuple(x * factor for x in given)


@dataclass(frozen=True, slots=True)
class Pooled:
    """Pooled figures as columns: NaN where all results failed. The extremes are the mean where
    nothing else is known, which ``spread`` says; ``count`` is 0 where not every result says how
    many samples are behind it. ``failed`` of ``runs`` results were failures."""

    mean: Floats
    low: Floats
    high: Floats
    spread: np.ndarray[Any, np.dtype[np.bool]]
    count: Ints
    failed: Ints
    runs: Ints

    def columns(self) -> tuple[np.ndarray[Any, Any], ...]:
        """All but ``runs``."""
        return self.mean, self.low, self.high, self.spread, self.count, self.failed

    def take(self, positions: Ints) -> Pooled:
        """The figures at some positions."""
        return Pooled(*(column[positions] for column in (*self.columns(), self.runs)))


def weighted_means(values: Floats, weights: Ints, starts: Ints) -> Floats:
    """The mean of each group of figures, of which each weighs as much as the samples that it
    stands for. A group ends where the next one starts; a figure alone is its own mean."""
    sizes = np.diff(np.append(starts, len(values)))
    out = values[starts]
    for size in np.unique(sizes[sizes > 1]).tolist():
        groups = np.flatnonzero(sizes == size)
        rows = starts[groups][:, None] + np.arange(size)
        own = weights[rows]
        sums = np.matmul(values[rows][:, None, :], own[:, :, None].astype("float64"))
        out[groups] = sums[:, 0, 0] / own.sum(axis=1)
    return out

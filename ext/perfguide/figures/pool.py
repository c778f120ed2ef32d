"""Pooling: all results of one measurement, from any number of runs, make one figure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, in_order
from ..catalog.benchmarks import Catalog, Scalar
from ..catalog.board_names import GuideNote, about
from ..common import units
from ..common.grouping import grouped
from . import terms
from .conditions import Conditions
from .copies import repeated_rows
from .rows import NAMES, Floats, Frame, Ints, together

if TYPE_CHECKING:
    import pandas as pd


MIN_SPREAD = 1.5
"""The ratio of the largest to the smallest sample from which runs are far apart."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A pooled figure, in the unit of its record.

    ``mean`` is ``None`` if every run failed. ``low`` and ``high`` are only set if the mean covers
    more than one sample; ``count`` is the number of samples, or ``None`` if unknown. ``failed`` of
    ``runs`` results were failures; those that repeat another upload are not counted. ``differs``
    names conditions that differed between the pooled runs. ``members`` are rows of the frame.
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

    @property
    def ends_apart(self) -> tuple[float, float] | None:
        """The smallest and the largest sample if they are far apart, otherwise ``None``."""
        if self.low and self.high and self.high >= MIN_SPREAD * self.low > 0:
            return self.low, self.high
        return None


@dataclass(frozen=True, slots=True)
class Record:
    """A pooled figure with its full identity. ``params`` includes defaults."""

    guide: GuideKey
    board: str
    benchmark: str
    metric: str
    unit: str
    params: dict[str, Scalar]
    cell: Cell


def measured(record: Record) -> dict[str, Any]:
    """Return the measured values for programs, under the same names in all formats."""
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
    """All pooled figures, grouped once and accessible by guide or benchmark.

    ``by_hand`` are hand-written notes about guides. ``spelt`` are the units of undescribed metrics,
    as :func:`terms.spellings` gives them for an entire archive; by default they follow from these
    figures.
    """

    def __init__(
        self,
        frame: Frame,
        catalog: Catalog,
        by_hand: Sequence[GuideNote] = (),
        spelt: terms.Spelt | None = None,
    ) -> None:
        # Imported on demand: a build with nothing to do saves half a second.
        import pandas as pd

        self.frame = frame
        self._catalog, self._by_hand = catalog, by_hand
        self._has_written_notes = bool(by_hand) or any(
            b.entry.notes for b in catalog.benchmarks.values()
        )
        self._written_notes: dict[tuple[str, ...], list[str]] = {}
        table = frame.table
        # Defaults and units are applied before grouping, so that different spellings pool.
        params, self._params = terms.defaulted(frame, catalog)
        unit, self._factor, _ = terms.target_units(frame.measured, catalog, spelt)
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
        self.stated = Conditions(frame)
        keys: dict[str, Any] = {
            name: table[name] for name in NAMES if name not in ("params", "unit")
        }
        keys |= {"params": params, "unit": unit}
        keyed = pd.DataFrame(keys)
        # Numbering groups by first appearance avoids sorting strings.
        group = together(*(keyed[name].cat.codes.to_numpy().astype("int64") for name in keys))
        self._group = group
        order = np.argsort(group, kind="stable")
        # A group starts wherever the group number changes.
        starts = np.flatnonzero(np.r_[True, np.diff(group[order]) > 0]) if len(order) else order
        self._order = order
        self._ends = np.append(starts, len(order))
        self._identity = keyed.iloc[order[starts]].reset_index(drop=True)
        self._by_guide = self._indices(["sdk", "soc", "os", "release"])
        self._by_benchmark = self._indices(["benchmark"])
        self._records: dict[int, Record] = {}

    def _indices(self, names: list[str]) -> dict[tuple[str, ...], np.ndarray[Any, Any]]:
        if self._identity.empty:
            return {}
        by_name = self._identity.groupby(names, observed=True, sort=True)
        return {
            key if isinstance(key, tuple) else (key,): np.asarray(rows)
            for key, rows in by_name.indices.items()
        }

    def __len__(self) -> int:
        return len(self._identity)

    def guides(self) -> list[GuideKey]:
        """Return all guides, by SDK, SoC and OS, with releases in version order."""
        return in_order(GuideKey(*key) for key in self._by_guide)

    @cached_property
    def boards(self) -> dict[GuideKey, frozenset[str]]:
        """The boards with results in each guide."""
        rows = self._identity[list(NAMES[:5])].drop_duplicates().to_numpy().tolist()
        by_guide = grouped(rows, lambda row: GuideKey(*row[:4]))
        return {key: frozenset(row[4] for row in of_key) for key, of_key in by_guide.items()}

    def benchmarks(self) -> list[str]:
        """Return the names of all benchmarks with results."""
        return sorted(key[0] for key in self._by_benchmark)

    def of_guide(
        self, key: GuideKey, is_wanted: Callable[[str, str], bool] | None = None
    ) -> list[Record]:
        """Return the figures of one guide, optionally only those for which
        ``is_wanted(benchmark, metric)`` holds."""
        rows = self._rows(key)
        if is_wanted is not None:
            # Call it once per kind: there are far more figures than kinds.
            columns = [self._identity[name].iloc[rows] for name in ("benchmark", "metric")]
            kinds = list(zip(*columns, strict=True))
            chosen = {kind for kind in set(kinds) if is_wanted(*kind)}
            rows = rows[np.array([kind in chosen for kind in kinds], dtype="bool")]
        return self.take(rows)

    def count(self, key: GuideKey) -> int:
        """Return the number of figures in a guide."""
        return len(self._rows(key))

    def _rows(self, key: GuideKey) -> np.ndarray[Any, Any]:
        none = np.empty(0, dtype="int64")
        return self._by_guide.get((key.sdk, key.soc, key.os, key.release), none)

    def of_benchmark(self, name: str, guides: Collection[GuideKey] | None = None) -> list[Record]:
        """Return the figures of one benchmark, in all guides or the given ones."""
        rows = self._by_benchmark.get((name,), np.empty(0, dtype="int64"))
        if guides is not None:
            chosen = [self._rows(key) for key in guides]
            rows = np.intersect1d(rows, np.concatenate([rows[:0], *chosen]), assume_unique=True)
        return self.take(rows)

    def guides_and_boards(self, benchmark: str) -> list[tuple[GuideKey, str]]:
        """Return each guide and board with figures of a benchmark."""
        rows = self._by_benchmark.get((benchmark,), np.empty(0, dtype="int64"))
        names = self._identity[["sdk", "soc", "os", "release", "board"]].iloc[rows]
        return [
            (GuideKey(*key), board)
            for *key, board in names.drop_duplicates().itertuples(index=False)
        ]

    def figures(self) -> pd.DataFrame:
        """Return all pooled figures as numbers, without creating a :class:`Record` for each.

        There is one row per figure; its position is the argument of :meth:`take`. Columns: ``sdk
        soc os release board benchmark metric unit params`` (categories; ``params`` is canonical
        JSON with defaults), ``mean low high`` (NaN if failed; unknown extremes equal the mean),
        ``spread`` (whether extremes are known), and ``runs``.
        """
        pooled = self._pooled
        out = self._identity.copy()
        out["mean"], out["low"], out["high"] = pooled.mean, pooled.low, pooled.high
        out["spread"], out["runs"] = pooled.spread, pooled.runs
        return out

    def positions(self) -> np.ndarray[Any, Any]:
        """Return, for each row of the frame, the position of its figure in :meth:`figures`."""
        return self._group

    def params(self, text: str) -> dict[str, Scalar]:
        """Return the parameters for a canonical text in :meth:`figures`."""
        return self._params[text]

    def take(self, positions: Iterable[int]) -> list[Record]:
        """Return the figures at some positions of :meth:`figures`."""
        positions = np.fromiter(positions, "int64").tolist()
        # Pages and rules need each figure several times, so create it once.
        missing = [position for position in positions if position not in self._records]
        if missing:
            self._records.update(zip(missing, self._new(missing), strict=True))
        return [self._records[position] for position in positions]

    def bundles(self, records: Iterable[Record]) -> list[Loaded]:
        """Return the bundles that contributed to figures, by board, date and id."""
        rows = sorted({row for record in records for row in record.cell.members})
        return self._bundles(np.asarray(rows, dtype="int64"))

    def bundles_of(self, keys: Iterable[GuideKey]) -> list[Loaded]:
        """Return the bundles that contributed to guides, by board, date and id."""
        positions = np.concatenate([np.empty(0, dtype="int64"), *map(self._rows, keys)])
        return self._bundles(self._members(positions)[0])

    def _bundles(self, rows: np.ndarray[Any, Any]) -> list[Loaded]:
        loaded = [self.frame.bundles[position] for position in np.unique(self._bundle[rows])]
        return sorted(
            loaded,
            key=lambda b: (units.natural(b.bundle.board.name), b.bundle.created, b.bundle.owned_id),
        )

    def positions_of(self, members: Iterable[int]) -> list[tuple[int, int]]:
        """Return, for each of some rows of the frame, the positions of its bundle and of its result
        there."""
        rows = list(members)
        return list(zip(self._bundle[rows].tolist(), self._result[rows].tolist(), strict=True))

    def restricted_to(
        self, records: Sequence[Record], bundles: Collection[int]
    ) -> list[Cell | None]:
        """Return figures as they would be with only the given bundles, by position; ``None`` where
        none of these contributed."""
        is_kept = np.isin(self._bundle, list(bundles))
        members = [[row for row in record.cell.members if is_kept[row]] for record in records]
        sizes = np.array([*map(len, members)], dtype="int64")
        rows = np.array([*chain.from_iterable(members)], dtype="int64")
        pooled = self._pool(rows, sizes)
        cells = self._cells(rows, sizes, pooled)
        return [cell if cell.runs else None for cell in cells]

    def commands(self, records: Iterable[Record]) -> list[str]:
        """Return the distinct commands behind some figures, in natural order."""
        rows = sorted({row for record in records for row in record.cell.members})
        return self.stated.commands(rows)

    def conditions(self, record: Record) -> dict[str, frozenset[str]]:
        """Return the conditions of a figure: the values that its results state for each of
        ``CONDITIONS``, and program versions as ``tool NAME``. Unstated conditions are left out; a
        condition has several values if the pooled results differ."""
        return self.stated.of(record.cell.members)

    def stated_unit(self, record: Record) -> str:
        """Return the unit in which the first result of a figure was recorded."""
        measured = self.frame.measured
        return str(measured.distinct[measured.codes[record.cell.members[0]]][2])

    def notes_of(self, rows: Sequence[int], about_metric: bool = False) -> list[str]:
        """Return the notes about rows of one benchmark and metric, hand-written ones first;
        ``about_metric`` limits them to notes in bundles about this very metric."""
        has_written_notes = self._has_written_notes and not about_metric
        if not (self.stated.has_notes or has_written_notes):
            return []
        written = self._written_about(rows[0]) if has_written_notes else []
        notes = self.stated.notes(rows, *self.measured(rows[0]), about_metric)
        return list(dict.fromkeys([*written, *notes]))

    def measured(self, row: int) -> tuple[str, str]:
        """Return the benchmark and metric of a row of the frame."""
        benchmark, metric = (names[self._group[row]] for names in self._note_columns[3:])
        return benchmark, metric

    def stated_notes(self, rows: Sequence[int]) -> list[str]:
        """Return the notes about rows of one figure, except those about their runs: hand-written
        ones first, then those of the results."""
        written = self._written_about(rows[0]) if self._has_written_notes else []
        return list(dict.fromkeys([*written, *self.stated.own_notes(rows)]))

    def _written_about(self, row: int) -> list[str]:
        """Return the hand-written notes about the guide and benchmark of a row."""
        soc, release, board, benchmark = (
            names[self._group[row]] for names in self._note_columns[:4]
        )
        if (soc, release, board, benchmark) not in self._written_notes:
            about_guide = self.hand_written_notes(soc, release, {board})
            about_benchmark = self.hand_written_notes(soc, release, {board}, benchmark)
            self._written_notes[soc, release, board, benchmark] = about_guide + about_benchmark
        return self._written_notes[soc, release, board, benchmark]

    @cached_property
    def _note_columns(self) -> list[list[str]]:
        """The names that notes are selected by, each as a column of all figures."""
        columns = ("soc", "release", "board", "benchmark", "metric")
        return [self._identity[name].tolist() for name in columns]

    def hand_written_notes(
        self, soc: str, release: str, boards: Collection[str], benchmark: str = ""
    ) -> list[str]:
        """Return the hand-written notes about a guide with some boards, or about one benchmark in
        it, from the benchmark's description and the list of boards."""
        described = self._catalog.benchmark(benchmark).entry.notes
        return [note.text for note in described if note.holds(soc, release)] + [
            note.text
            for note in self._by_hand
            if note.benchmark == benchmark and about(note, soc, release, boards)
        ]

    def _members(
        self, positions: np.ndarray[Any, Any]
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return the rows of the frame behind some figures, concatenated, and the number of rows
        per figure."""
        starts = self._ends[positions]
        sizes = self._ends[positions + 1] - starts
        # Count within each group (0, 1, 2, 0, 1, …) without a loop over groups.
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self._order[np.repeat(starts, sizes) + within], sizes

    def _new(self, positions: Sequence[int]) -> Iterator[Record]:
        indices = np.asarray(positions, dtype="int64")
        # One lookup for all figures: accessing single rows of a DataFrame is slow.
        chosen = self._identity.iloc[indices]
        columns = [chosen[name].tolist() for name in (*NAMES[:7], "unit", "params")]
        cells = self._cells(*self._members(indices), self._pooled.take(indices))
        guides: dict[tuple[str, ...], GuideKey] = {}
        for cell, sdk, soc, os, release, board, benchmark, metric, unit, params in zip(
            cells, *columns, strict=True
        ):
            # Sharing one GuideKey per guide saves memory and speeds up comparisons.
            names = (sdk, soc, os, release)
            if names not in guides:
                guides[names] = GuideKey(*names)
            yield Record(guides[names], board, benchmark, metric, unit, self._params[params], cell)

    def _cells(self, rows: Ints, sizes: Ints, pooled: Pooled) -> Iterator[Cell]:
        """Yield a cell for each pooled figure. ``rows`` are the rows of all figures, concatenated;
        ``sizes`` is the number of rows per figure."""
        row_numbers = rows.tolist()
        is_valid = (~self._failed[rows] & self._are_counted(rows)).tolist()
        begin = 0
        for mean, low, high, spread, count, failed, runs, size in zip(
            *(column.tolist() for column in pooled.columns()), sizes.tolist(), strict=True
        ):
            end = begin + size
            members = tuple(row_numbers[begin:end])
            valid = compress(members, is_valid[begin:end]) if failed or runs < size else members
            yield Cell(
                None if failed == runs else mean,
                low if spread else None,
                high if spread else None,
                count or None,
                failed,
                runs,
                self.stated.differs(members) if size > 1 and failed < runs else (),
                tuple(chain.from_iterable(map(self.samples_of, valid))),
                members,
            )
            begin = end

    @cached_property
    def _repeated(self) -> Ints:
        return repeated_rows(self)

    def _are_counted(self, rows: Ints) -> np.ndarray[Any, np.dtype[np.bool]]:
        """Return whether each of some rows of the frame repeats none of the others."""
        return ~np.isin(self._repeated[rows], rows)

    @cached_property
    def _pooled(self) -> Pooled:
        return self._pool(self._order, np.diff(self._ends))

    def _pool(self, rows: Ints, sizes: Ints) -> Pooled:
        """Pool rows of the frame. ``rows`` are those of all figures, concatenated; ``sizes`` is
        their number per figure."""
        owner = np.repeat(np.arange(len(sizes)), sizes)
        is_counted = self._are_counted(rows)
        runs = np.bincount(owner[is_counted], minlength=len(sizes))
        valid = ~self._failed[rows] & is_counted
        rows, owner = rows[valid], owner[valid]
        mean, low, high = (np.full(len(sizes), np.nan) for _ in range(3))
        spread, count = np.zeros(len(sizes), dtype="bool"), np.zeros(len(sizes), dtype="int64")
        # Figures whose results all failed have no rows here and stay NaN.
        figures, starts, valid_runs = np.unique(owner, return_index=True, return_counts=True)
        if len(rows):
            weight = self._weight[rows]
            mean[figures] = weighted_means(self._value[rows], weight, starts)
            low[figures] = np.minimum.reduceat(self._low[rows], starts)
            high[figures] = np.maximum.reduceat(self._high[rows], starts)
            spread[figures] = (valid_runs > 1) | np.logical_or.reduceat(self._spread[rows], starts)
            all_counted = np.logical_and.reduceat(self._counted[rows], starts)
            count[figures] = np.where(all_counted, np.add.reduceat(weight, starts), 0)
        failed = runs - np.bincount(owner, minlength=len(sizes))
        return Pooled(mean, low, high, spread, count, failed, runs)

    def by_run(self, cell: Cell) -> tuple[float, ...]:
        """Return the mean of each bundle behind a cell, in chronological order and the unit of the
        cell. Results that failed or repeat others are left out; it is empty for fewer than two
        bundles."""
        rows = np.array(cell.members, dtype="int64")
        rows = rows[~self._failed[rows] & self._are_counted(rows)]
        bundles, values, weights = self._bundle[rows], self._value[rows], self._weight[rows]
        chosen = np.unique(bundles).tolist()
        if len(chosen) < 2:
            return ()
        # Chronological order shows drift between runs.
        chosen.sort(key=lambda number: self.frame.bundles[number].bundle.created)
        pooled = float(np.average(values, weights=weights))
        # The record may have been converted to another unit.
        scale = cell.mean / pooled if cell.mean and pooled else 1.0
        scale = 1.0 if abs(scale - 1) < 1e-9 else scale
        return tuple(
            scale * float(np.average(values[is_run], weights=weights[is_run]))
            for is_run in (bundles == number for number in chosen)
        )

    def samples_of(self, row: int) -> tuple[float, ...]:
        """Return the samples of one row of the frame, in the unit of its figure."""
        given = self._samples.of(row)
        factor = float(self._factor[row])
        return given if factor == 1.0 else tuple(x * factor for x in given)


@dataclass(frozen=True, slots=True)
class Pooled:
    """Pooled figures as columns; ``mean`` is NaN if all results failed.

    Unknown extremes equal the mean, with ``spread`` false; ``count`` is 0 unless every result
    states its number of samples. ``failed`` of ``runs`` results were failures.
    """

    mean: Floats
    low: Floats
    high: Floats
    spread: np.ndarray[Any, np.dtype[np.bool]]
    count: Ints
    failed: Ints
    runs: Ints

    def columns(self) -> tuple[np.ndarray[Any, Any], ...]:
        """Return all columns."""
        return self.mean, self.low, self.high, self.spread, self.count, self.failed, self.runs

    def take(self, positions: Ints) -> Pooled:
        """Return the figures at some positions."""
        return Pooled(*(column[positions] for column in self.columns()))


def weighted_means(values: Floats, weights: Ints, starts: Ints) -> Floats:
    """Return the mean of each group of figures, weighted by their numbers of samples. A group ends
    where the next one starts; a group of one keeps its value."""
    sizes = np.diff(np.append(starts, len(values)))
    out = values[starts]
    # One matrix product per group size is faster than one per group.
    for size in np.unique(sizes[sizes > 1]).tolist():
        groups = np.flatnonzero(sizes == size)
        rows = starts[groups][:, None] + np.arange(size)
        group_weights = weights[rows]
        sums = np.matmul(values[rows][:, None, :], group_weights[:, :, None].astype("float64"))
        out[groups] = sums[:, 0, 0] / group_weights.sum(axis=1)
    return out

"""Engines that seem to have changed while a benchmark was not measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ..bundles.guide_key import GuideKey, family
from ..catalog.benchmarks import Catalog, Scalar
from ..common import units
from ..figures import engines, labels
from ..figures.pool import Pool, Record
from .history import History
from .match import Names
from .not_compared import ENGINE_CHANGED
from .row import Row

CIPHERS = ("cipher or hash", "ciphers or hashes")
"""The singular and plural words for runs of a benchmark with engines."""

RunParams = frozenset[tuple[str, Scalar]]
"""The parameters of a run without its block size."""


class Rates(NamedTuple):
    """A rate in the release that last measured it, and the newer one in the same unit."""

    was: float
    now: float
    unit: str

    @property
    def size(self) -> float:
        """The log of the factor by which the rate moved, positive if it fell."""
        return math.log(self.was / self.now)

    @property
    def words(self) -> str:
        """Both rates in the most readable unit."""
        return units.from_to(self.was, self.now, self.unit)


@dataclass(frozen=True, slots=True)
class EngineChange:
    """A benchmark of a board for which the processor, judging by its load, waited for an engine in
    only one of two releases.

    ``runs`` show the change. ``loads`` (in %) and ``rates`` are those of the run whose rate with
    the largest blocks changed most, and ``record`` is its newer figure. ``has_stayed`` is true
    unless the next release contradicts the change.
    """

    board: str
    release: str
    record: Record
    loads: tuple[float, float]
    rates: Rates | None
    runs: frozenset[RunParams]
    has_stayed: bool

    @property
    def ground(self) -> str:
        """Why the figures of both releases are not compared."""
        states = ("did the work itself", "waits for an engine")
        if not engines.is_waiting(self.loads[1]):
            states = ("waited for an engine", "does the work itself")
        return (
            f"{ENGINE_CHANGED} since {self.release}: by its load, the processor {states[0]} then and "
            f"{states[1]} now"
        )

    @property
    def load_words(self) -> str:
        """The CPU load in both releases."""
        old, new = (f"{load:.0f}" for load in self.loads)
        return f"CPU load {old} → {new} %"

    def figure(self, catalog: Catalog) -> str:
        """Return the label of the figure without the title of its benchmark."""
        benchmark = catalog.benchmark(self.record.benchmark)
        return labels.in_benchmark(benchmark, self.record)

    def sentence(self, names: Names) -> str:
        """Return the change in words."""
        guide = self.record.guide
        example = f"{self.figure(names.catalog)}: {self.rates.words}, " if self.rates else ""
        count = len(self.runs)
        return (
            f"{guide.soc}, {family(guide)}, {names.boards.short(guide.soc, self.board)}, "
            f"{names.catalog.title(self.record.benchmark)}: {self.ground}, with {count} "
            f"{CIPHERS[count > 1]}; {example}{self.load_words}"
        )


def engine_changes(
    judged: Sequence[Row], pool: Pool, history: History, names: Names
) -> tuple[EngineChange, ...]:
    """Return the changes of engine, at most one for each board and benchmark, since a benchmark
    that OLD lacks was last measured."""
    measured_again: dict[tuple[str, str], list[Record]] = {}
    for row in judged:
        if row.verdict == "only-new" and row.new and engines.ENGINE in row.params:
            measured_again.setdefault((row.board, row.benchmark), []).append(row.new)
    out = []
    for (board, benchmark), records in measured_again.items():
        guide = records[0].guide
        guides = history.guides_with(guide.platform, board) if _waiting(records) else []
        if guide not in guides:
            continue
        figures = partial(_figures, board, benchmark, pool, names)
        position = guides.index(guide)
        earlier = next(filter(None, map(figures, reversed(guides[:position]))), None)
        later = figures(guides[position + 1]) if position + 1 < len(guides) else []
        if earlier and (change := _change(board, earlier, records, later)):
            out.append(change)
    return tuple(out)


def _figures(board: str, benchmark: str, pool: Pool, names: Names, guide: GuideKey) -> list[Record]:
    """Return the figures of a benchmark on a board in one guide."""
    return [
        record
        for record in pool.of_guide(guide)
        if record.benchmark == benchmark and names.boards.today(guide.soc, record.board) == board
    ]


def _change(
    board: str, earlier: Sequence[Record], records: Sequence[Record], later: Sequence[Record]
) -> EngineChange | None:
    old_waits, new_waits, later_waits = _waiting(earlier), _waiting(records), _waiting(later)
    runs = [run for run in new_waits if run in old_waits and new_waits[run] != old_waits[run]]
    if not runs:
        return None
    rates = {run: _rates(run, earlier, records) for run in runs}

    def moved(run: RunParams) -> float:
        rate = rates[run]
        return abs(rate[1].size) if rate else 0.0

    farthest = max(runs, key=moved)
    chosen, loads = rates[farthest], [_loads(each)[farthest] for each in (earlier, records)]
    record = (
        chosen[0] if chosen else next(r for r in records if engines.run_of(r).params == farthest)
    )
    return EngineChange(
        board,
        earlier[0].guide.release,
        record,
        (loads[0], loads[1]),
        chosen[1] if chosen else None,
        frozenset(runs),
        2 * sum(later_waits.get(run, new_waits[run]) == new_waits[run] for run in runs) > len(runs),
    )


def _rates(
    run: RunParams, earlier: Sequence[Record], records: Sequence[Record]
) -> tuple[Record, Rates] | None:
    """Return the newer record and both rates of a run, at the largest block size that both releases
    measured."""
    old_by_size, new_by_size = (
        {
            float(size): record
            for record in records_of_side
            if record.metric == engines.RATE
            and engines.run_of(record).params == run
            and isinstance(size := record.params.get(engines.SIZE), (int, float))
            and record.cell.mean
        }
        for records_of_side in (earlier, records)
    )
    for size in sorted(old_by_size.keys() & new_by_size.keys(), reverse=True):
        old, new = old_by_size[size], new_by_size[size]
        factor = units.factor(new.unit, old.unit)
        if factor and old.cell.mean and new.cell.mean and min(old.cell.mean, new.cell.mean) > 0:
            return new, Rates(old.cell.mean, new.cell.mean * factor, old.unit)
    return None


def _loads(records: Sequence[Record]) -> dict[RunParams, float]:
    return {run[3]: load for run, load in engines.loads(records).items()}


def _waiting(records: Sequence[Record]) -> Mapping[RunParams, bool]:
    """Return whether the processor waited for an engine, for each run whose load shows it."""
    states = {run: engines.is_waiting(load) for run, load in _loads(records).items()}
    return {run: state for run, state in states.items() if state is not None}

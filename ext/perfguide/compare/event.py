"""An event of a comparison: one change that affected some rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import median
from typing import Literal

from ..common import units
from ..common.grouping import grouped
from .event_parts import MAX_SIZES_RATIO
from .not_compared import ENGINE_CHANGED
from .row import Row, Verdict, points
from .row_moves import MIN_POINTS, measures_own, over_scatter


@dataclass(frozen=True, slots=True)
class Inference:
    """A possible cause that no record names but the moves of other rows suggest."""

    kind: Literal["device", "test", "compiler"]
    """The thing that may be another one."""
    text: str
    """The cause and the reason to infer it, as a sentence."""


@dataclass(frozen=True, slots=True)
class Event:
    """One change that affected some rows, reported once."""

    kind: Verdict
    """The verdict of its rows. Unproved rows of the same metric that moved as far belong to it,
    too."""
    what: str
    """The words for the things that its rows have in common."""
    boards: tuple[str, ...]
    benchmark: str
    rows: tuple[Row, ...]
    change: float | None
    """The median relative change in the better direction, if there is one."""
    shared: bool
    """True if any row moved with a common shift."""
    recorded: tuple[str, ...]
    """Possible explanations from recorded conditions, as sentences."""
    is_cause: bool = False
    """True if the event names something that changed around its rows, such as a clock."""
    unproved: tuple[Row, ...] = ()
    """Further rows with the same likely cause, mostly those that cannot be judged."""
    is_back: bool = False
    """True if the rows are back at an earlier level and either got better or are unproved."""
    is_minor: bool = False
    """True if the rows are unproved and moved little, or as such rows often do."""
    since: str = ""
    """The release to which the rows are compared, if OLD did not measure them."""
    is_old: bool = False
    """True if an unproved event or a cause may have happened in any of several releases since, or
    happened to others of its kind before OLD was compared with NEW."""
    already: str = ""
    """The other runs of its benchmark that failed or moved as it did before NEW, in words."""
    also: tuple[Event, ...] = ()
    """Events of rows compared with an earlier release, which probably have the same cause."""
    inferred: tuple[Inference, ...] = ()
    """Possible explanations from the moves of other rows."""

    @property
    def perhaps(self) -> tuple[str, ...]:
        """All possible explanations, as sentences."""
        return (*self.recorded, *(inference.text for inference in self.inferred))

    @property
    def leading(self) -> list[Row]:
        """The rows that measure something of their own, such as rates and times, without second
        names of a row; or the loads of rates, if these moved much farther than the rates."""
        return leading_of(self.rows)

    @property
    def counted(self) -> list[Row]:
        """The rows counted in the title, without clocks: all rows of a cause, else those whose
        moves the title gives."""
        rows = list(self.rows) if self.is_cause else self.leading
        return [row for row in rows if not row.is_clock] or list(self.rows)

    @property
    def every_row(self) -> tuple[Row, ...]:
        """All rows of the event and of those that probably have the same cause."""
        also = (row for each in self.also for row in each.every_row)
        return (*self.rows, *self.unproved, *also)

    @property
    def judged(self) -> list[Row]:
        """The rows that prove the event; all rows of a cause, or if it is unproved."""
        proved = [row for row in self.rows if row.verdict != "noisy" and not self.is_cause]
        return proved or list(self.rows)

    @property
    def accepted(self) -> bool:
        """True if all rows are accepted, apart from clocks, which raise no alarm themselves."""
        rows = [row for row in self.judged if not row.is_clock]
        return bool(rows) and all(row.accepted for row in rows)

    @property
    def of_engine(self) -> bool:
        """True if the event is a change of engine."""
        return self.is_cause and self.rows[0].ground.startswith(ENGINE_CHANGED)

    @property
    def of_failing_runs(self) -> bool:
        """True if the event is that some runs fail which did not before."""
        return self.is_cause and self.kind == "failed-after"

    @property
    def worse_by(self) -> float:
        """The log of the factor by which the worst row got worse."""
        return max((row.worse_by or 0.0 for row in self.rows), default=0.0)

    @property
    def over_scatter(self) -> float:
        """The largest move of any row as a multiple of the scatter of such rows."""
        return max(map(over_scatter, self.rows))

    @property
    def weight(self) -> float:
        """The sort key of events: how far the rows moved and, to a lesser degree, how many there
        are."""
        # A move to or from 0 has no logarithm; 9, a factor of 8,000, ranks it above usual moves.
        size = abs(math.log1p(self.change)) if self.change is not None and self.change > -1 else 9.0
        return size * math.sqrt(len(self.rows))


def leading_of(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that show how far a group moved: rates and times, each measurement once, or
    loads and other shares if they moved much farther."""
    own: list[Row] = []
    loads: list[Row] = []
    for row in rows:
        if not row.follows:
            is_share = row.work is not None or units.parse(row.unit).kind == "share"
            (loads if is_share else own).append(row)
    # The ratio of two small shares says little.
    if own and loads and median(map(points, loads)) >= MIN_POINTS:
        moves = [median(abs(row.worse_by or 0.0) for row in each) for each in (own, loads)]
        if moves[1] > MAX_SIZES_RATIO * moves[0]:
            return loads
    firmest = {
        id(min(of, key=_firmness)) for of in grouped(own, attrgetter("measurement")).values()
    }
    return [row for row in own if id(row) in firmest] or loads or list(rows)


def _firmness(row: Row) -> tuple[bool, bool, bool]:
    """Return a sort key: packets count the same work as bytes, with fewer digits, but may prove what
    these do not, or show by a rate of 0 that the run failed."""
    got_through = row.verdict == "failed-after" and bool(row.new and row.new.cell.mean)
    return row.verdict == "noisy", got_through, not measures_own(row)


def tally(events: Sequence[Event]) -> Mapping[Verdict, int]:
    """Count the events that are not accepted, by kind."""
    return Counter(event.kind for event in events if not event.accepted)

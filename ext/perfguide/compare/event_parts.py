"""Division of rows that moved into parts that are an event each: figures of one benchmark, on all
boards, that moved the same way and about as far."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from statistics import median
from typing import NamedTuple

from ..bundles.guide_key import Platform
from ..common import units
from ..common.grouping import grouped
from .match import Names
from .moves import RECENT_RELEASES
from .row import Row, Verdict, direction
from .row_moves import (
    MIN_FAR_LOG,
    MIN_PRECEDENT_RATIO,
    figures_before,
    is_among_old_runs,
    is_back,
    log_range,
    measures_own,
    swings,
)

MAX_SIZES_RATIO = 2.0
"""The largest ratio of moves, as logs, that are about as far, as moves of one cause are."""

MAX_PART_RATIO = 2.5
"""The largest ratio of the median moves, as logs, of two kinds of figures of one event."""

EVENT_VERDICTS: tuple[Verdict, ...] = ("regressed", "failed-after", "improved", "changed")
"""Verdicts that make an event."""


class Way(NamedTuple):
    """The common traits of all rows of an event.

    They are their benchmark (or the board, if all of its benchmarks moved), the verdict that they
    have or would have if proved, and whether they are back at an earlier level or accepted.
    """

    platform: Platform
    part: str
    verdict: Verdict
    is_back: bool
    accepted: bool


def way_of(row: Row) -> Way:
    """Return in which way a row moved."""
    verdict = row.verdict
    if verdict == "noisy":
        verdict = "regressed" if (row.worse_by or 0.0) > 0 else "improved"
    wide = row.shift is not None and row.shift.name == row.board
    # A proved fall counts, wherever it leads.
    returns = is_back(row) and (row.verdict == "noisy" or verdict == "improved")
    part = row.board if wide else row.benchmark
    return Way(row.guide.platform, part, verdict, returns, row.accepted)


@dataclass(slots=True)
class Part:
    """Rows of one event, with the kinds of their figures and the subject of the first."""

    kinds: set[object]
    subject: str | None
    rows: list[Row]

    def takes(self, rows: Sequence[Row], names: Names) -> bool:
        """Return whether rows of a board that differ only in numbers belong to this part: they
        moved about as far in no other direction, and are of a kind that it has or share one of its
        boards and its subject."""
        if not (are_as_far(rows, self.rows) and are_of_one_direction([*rows, *self.rows])):
            return False
        subject = subject_of(rows[0], names)
        is_near = subject is None or self.subject is None or subject == self.subject
        boards = {row.board for row in self.rows}
        return kind_of(rows[0], names) in self.kinds or (is_near and rows[0].board in boards)


def parts(rows: Iterable[Row], names: Names) -> Iterator[list[Row]]:
    """Yield the rows of each event. Packet rates, loads and second names of a figure go with the
    rate of their run; loads and names do not if they prove what it does not. If a load is worse for
    the work done but did not rise, the rate fell."""
    for way, of_way in grouped(rows, way_of).items():
        # All benchmarks of a board that moved by one shift are one event.
        if way.part == of_way[0].board:
            yield list(of_way)
            continue
        leading, rest = list[Row](), list[Row]()
        rates = {row.measurement for row in of_way if measures_own(row) and not row.follows}
        for row in of_way:
            is_share = units.parse(row.unit).kind == "share"
            is_beside = row.follows or is_share or _is_second(row, rates)
            (rest if is_beside else leading).append(row)
        out = _alike(leading, names)
        by_run = {key: part for part in out for row in part for key in _keys(row, row.metric)}
        alone = []
        for row in rest:
            part = next((by_run[key] for key in _keys(row, row.follows) if key in by_run), None)
            is_of_rate = row.work is not None and (row.worse_by or 0.0) > 0 >= (row.change or 0.0)
            is_of_rate = is_of_rate or _is_second(row, rates)
            if part is None or (is_proved([row]) and not (is_of_rate or is_proved(part))):
                alone.append(row)
            else:
                part.append(row)
        yield from (*out, *_alike(alone, names))


def _is_second(row: Row, rates: Collection[object]) -> bool:
    """Return whether a row is the packet rate of a run whose byte rate is among ``rates``."""
    return units.parse(row.unit).kind == "packet rate" and row.measurement in rates


def _keys(row: Row, metric: str) -> list[tuple[object, ...]]:
    """Return what rows of one run share, the surest first: a figure has several names or even
    labels."""
    named_by = (*filter(None, (metric, direction(row.metric))), "")
    named = [(*row.observation, each) for each in named_by]
    return [*named, *[(row.guide.platform, row.board, row.benchmark, metric)] * bool(metric)]


def _alike(rows: Iterable[Row], names: Names) -> list[list[Row]]:
    """Return rows that moved the same way, in parts: proved ones first, then series of many
    rows."""
    series = grouped(rows, lambda row: (row.board, kind_of(row, names)))
    out: list[Part] = []
    for (_, kind), of_kind in sorted(
        series.items(), key=lambda item: (not is_proved(item[1]), -len(item[1]), -size(item[1]))
    ):
        part = next((part for part in out if part.takes(of_kind, names)), None)
        if part is None:
            out.append(Part({kind}, subject_of(of_kind[0], names), of_kind))
        else:
            part.kinds.add(kind)
            part.rows += of_kind
    return [part.rows for part in out]


def is_proved(rows: Iterable[Row]) -> bool:
    """Return whether any row has a verdict that makes an event."""
    return any(row.verdict in EVENT_VERDICTS for row in rows)


def without_swings(rows: Sequence[Row]) -> tuple[Sequence[Row], list[Row]]:
    """Return the rows that an event is about, and those that swing and moved much farther than all
    others, so that they do not give its size, unless they moved as far from all of their swings. If
    they are most rows or its only proof, it is about them, too."""
    most = max((abs(row.worse_by or 0.0) for row in rows if not swings(row)), default=math.inf)
    swinging = {
        id(row)
        for row in rows
        if MIN_PRECEDENT_RATIO * abs(row.worse_by or 0.0) > most > beyond_swings(row)
    }
    steady = [row for row in rows if id(row) not in swinging]
    if 2 * len(steady) < len(rows) or is_proved(steady) != is_proved(rows):
        return rows, []
    return steady, [row for row in rows if id(row) in swinging]


def beyond_swings(row: Row) -> float:
    """Return how far a row moved beyond its last figures up to OLD, as the log of a factor."""
    before = [value for value in figures_before(row)[-RECENT_RELEASES:] if value > 0]
    now = row.new.cell.mean if row.new else None
    return log_range((*before, now)) - log_range(before) if before and now else 0.0


def size(rows: Sequence[Row]) -> float:
    """Return how far most rows moved, as the log of a factor."""
    return median(abs(row.worse_by or 0.0) for row in rows)


def are_as_far(rows: Sequence[Row], others: Sequence[Row]) -> bool:
    """Return whether rows moved about as far as others."""
    sizes = sorted((size(rows), size(others)))
    return sizes[1] <= MAX_PART_RATIO * sizes[0]


def are_of_one_direction(rows: Sequence[Row]) -> bool:
    """Return whether rows are of one direction, such as ingress, or all moved by one shift. Those
    of two directions rarely have one cause."""
    shifts = {row.shift for row in rows}
    directions = {row.params["direction"] for row in rows if "direction" in row.params}
    return len(directions) < 2 or (len(shifts) == 1 and None not in shifts)


def kind_of(row: Row, names: Names) -> tuple[object, ...]:
    """Return what a row measures on any board and with any number: figures of one kind differ in
    sizes, or in what their labels have behind a comma."""
    benchmark = names.catalog.get(row.benchmark)
    label = benchmark.metric_label(row.metric) if benchmark else row.metric
    texts = frozenset((n, v) for n, v in row.params.items() if isinstance(v, str | bool))
    return (row.guide.platform, row.benchmark, label.partition(", ")[0], texts)


def figure_of(row: Row) -> tuple[object, ...]:
    """Return the identity of a row on any board."""
    params = frozenset((name, str(value)) for name, value in row.params.items())
    return (row.guide.platform, row.benchmark, row.metric, params)


def subject_of(row: Row, names: Names) -> str | None:
    """Return the subsystem of the table of a metric without parameters, or the table.

    It is "" if the metric has parameters or no description, and ``None`` if its table repeats
    others.
    """
    described = names.catalog.get(row.benchmark)
    if row.params or described is None:
        return ""
    for table in described.entry.tables:
        if any(fnmatchcase(row.metric, each) for each in table.metrics):
            return None if table.repeats else table.subsystem or table.id
    return ""


def moved_with(part: Sequence[Row], rows: Iterable[Row], names: Names) -> list[Row]:
    """Return the open rows that moved the same way as the leading rows of an event.

    They are its figures that moved about as far, or far, on whichever board, even back to a level
    there, and, on these boards, others of its kinds that moved as far as the median or far. Left
    out, they would have moved farther than the title says, or on boards that it does not name.
    Rows in doubt are not of it.
    """
    moves = [row.worse_by for row in part if row.worse_by]
    if len({move > 0 for move in moves}) != 1:
        return []
    way = math.copysign(1.0, moves[0])
    median_move = median(map(abs, moves))
    sizes = {
        figure: min(map(_size_as_measured, of_figure)) / MAX_PART_RATIO
        for figure, of_figure in grouped(part, figure_of).items()
    }
    are_per_work = {row.work is None for row in part}
    back = is_back(part[0])
    as_far = [
        row
        for row in rows
        if not row.doubt
        if (row.worse_by or 0.0) * way >= min(MIN_FAR_LOG, sizes.get(figure_of(row), median_move))
        if (row.work is None) in are_per_work
        if is_back(row) is back or (figure_of(row) in sizes and not back)
        if not is_among_old_runs(row)
    ]
    elsewhere = (row for row in as_far if figure_of(row) in sizes and not back)
    series = {(row.board, kind_of(row, names)) for row in (*part, *elsewhere)}
    return [row for row in as_far if (row.board, kind_of(row, names)) in series]


def _size_as_measured(row: Row) -> float:
    """Return how far a row moved, as the log of a factor: as measured rather than at equal clock,
    as boards that kept their clock moved."""
    return abs(math.log1p(row.change or 0.0) if row.past else row.worse_by or 0.0)

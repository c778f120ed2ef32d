"""Verdicts as events: one cause, its rows and metrics, the largest first.

Rows that moved with a common shift are one event; of the others those of one benchmark that
went one way on one board are one, because a benchmark's rows share a program, a run and
mostly a cause. Like events of several boards are one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from statistics import median

from ..bundles.guide_key import Platform
from ..common import units
from ..figures import labels
from ..figures.failed_runs import RATES
from .causes import EXCHANGED, cause_of, followers
from .drift import drifting
from .match import BY_DESIGN, Conditions, Names
from .verdicts import (
    ALARMS,
    ENGINE_CHANGED,
    IMPOSSIBLE,
    OTHER_UNIT,
    Row,
    SideFigures,
    Verdict,
    direction,
    points,
)

EVENT_VERDICTS: tuple[Verdict, ...] = ("regressed", "failed-after", "improved", "changed")
"""Verdicts with an event."""

FAR = math.log(1.5)
"""The move from which a figure is listed though it may be scatter, as the logarithm of a factor."""

SMALL_MOVE = math.log(1.1)
"""The least median move of unproved rows that are an event of their own, as the logarithm of a factor."""

MANY_ROWS = 5
"""Rows of a benchmark from which on a move that is just not small is an event without proof."""

SINGLE_FALL = math.log(1.2)
"""The least fall of one unproved row that is an event where little is known of the row, and the least median
move of few rows, as the logarithm of a factor."""

FEW_MOVES, MIN_AS_FAR, MIN_AS_FAR_OF_FEW = 4, 2, 1
"""Earlier moves nearly as far as the present one, from which on it is usual for a row; of fewer moves than
``FEW_MOVES`` one is enough."""

SINGLE_RETURN = math.log(2)
"""The least move of one unproved row back to an earlier level that is an event, as the logarithm of a factor."""

NEARLY_AS_FAR = 2 / 3
"""The share of a move that an earlier one has to reach to be nearly as far, as logarithms."""

QUIET, MAX_QUIET_SHARE = math.log(1.1), 0.25
"""The distance of the last two earlier figures, as a logarithm and as a share of the move, up to which they
agree, so that no move away from them is usual."""

SETTLED = math.log(1.5)
"""The range of the last earlier figures of a share below which few of them are an event without proof."""

MIN_POINTS = 10.0
"""The least move of a load, or of another share, that is an event without proof, in percentage points."""

MIN_OVER_KIND = 1.5
"""The least move of a row with two earlier figures, over the scatter of rows of its metric, that is
listed: about three standard deviations of a usual row."""

MIN_ALIKE_ROWS, MAX_PAIR_RATIO = 3, 1.25
"""Rows from which on some of them can be unlike, and the largest ratio of the moves of two, as logarithms."""

UNKNOWN_SCATTER = 0.2
"""The relative scatter by which moves are ordered of rows whose own is not known."""

NO_POWER = 0.01
"""The share of the largest power of a benchmark below which another one is next to nothing."""

NOTHING = 1.0
"""A load in per cent below which it is next to nothing."""

MAX_LEVEL_RELEASES, LEAST_LEVEL_RELEASES = 3, 2
"""The releases before OLD that can show an earlier level, and how many of them have to."""

MAX_SIZES_RATIO = 2.0
"""The largest ratio of moves, as logarithms, that are about as far, as those of one cause are."""

MAX_COARSE_STEPS = 3
"""Steps of a program's counting that a change may be of."""

RETURN = "a return to the level of"
"""The beginning of what explains an event whose figures came back."""

NAMED = 3
"""Metrics, or benchmarks, at most that an event names; of more it has the number."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to some rows, reported once.

    ``kind`` is the verdict of its rows. ``what`` names what they have in common. ``change``
    is the median relative change in the better direction, ``None`` where there is none,
    ``least`` and ``most`` are its ends. ``perhaps`` is what may explain it. ``accepted`` says that
    all rows are accepted, and ``is_cause`` that it names something that changed around the rows.
    ``unproved`` are rows of its benchmark that moved far too and cannot be judged, and loads that fell with
    its rates;
    ``is_back`` says that its rows are not proved and back at an earlier level, and ``is_minor`` that they
    are not proved and moved little, or as such rows do.
    """

    kind: Verdict
    what: str
    boards: tuple[str, ...]
    benchmark: str
    rows: tuple[Row, ...]
    change: float | None
    least: float | None
    most: float | None
    shared: bool
    perhaps: tuple[str, ...]
    is_cause: bool = False
    unproved: tuple[Row, ...] = ()
    is_back: bool = False
    is_minor: bool = False

    @property
    def leading(self) -> list[Row]:
        """Return the rows that are measurements of their own: no second name or price of another one, but for
        prices that moved much farther than the work."""
        return _leading(self.rows)

    @property
    def accepted(self) -> bool:
        """Return whether somebody has accepted all of it; a clock is no alarm by itself."""
        rows = [row for row in self.rows if not row.is_clock]
        return bool(rows) and all(row.accepted for row in rows)

    @property
    def of_engine(self) -> bool:
        """Return whether it is the change of an engine."""
        return self.is_cause and self.rows[0].ground.startswith(ENGINE_CHANGED)

    @property
    def worse_by(self) -> float:
        """Return how far the row that fell farthest got worse, as the logarithm of a factor."""
        return max((row.worse_by or 0.0 for row in self.rows), default=0.0)

    @property
    def over_scatter(self) -> float:
        """Return the farthest move of a row, over the scatter of rows like it."""
        return max(map(over_scatter, self.rows))

    @property
    def weight(self) -> float:
        """By what events are ordered: how far the rows moved, and a little how many there are."""
        # A move to or from 0 has no logarithm; 9, a factor of 8,000, puts it before all usual ones.
        size = abs(math.log1p(self.change)) if self.change is not None and self.change > -1 else 9.0
        return size * math.sqrt(len(self.rows))


def events(
    rows: Sequence[Row], old: SideFigures, new: SideFigures, names: Names
) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Return all events of a comparison, and beside them what moved far and cannot be judged.

    Of events those that speak against the newer release come first, then by how much happened. Of
    far moves it is falls, then by distance over the scatter; those that go the way of an event of
    their benchmark are a part of it, and minor ones, by board and benchmark, come last.
    """
    clocks = _clock_events(rows, names)
    # Rows that followed a clock are a part of its event, and would be reported twice.
    explained = {id(row) for event in clocks for row in (*event.rows, *event.unproved)}
    others = [row for row in rows if id(row) not in explained]
    proved = _proved_rows(others, rows)
    far, alone = _far_rows(others, rows)
    beside, far = _beside(proved, far)
    far, minor = _without_usual(far, alone, _least_powers(rows), rows)
    _attach(far, proved, beside)
    event_of = partial(_event, rows=rows, old=old, new=new, names=names, drifts=drifting(rows))
    out = [event_of(own, unproved=beside[key]) for key, own in proved.items() if own]
    out += clocks + _causes([row for row in rows if not _is_of_clock(row, rows, names)], names)
    out.sort(key=lambda e: (e.accepted, ORDER[e.kind], -e.weight, e.what))
    unjudged = [
        replace(event_of(own, unproved=beside[key]), is_back=_are_back(own))
        for key, own in far.items()
        if own
    ]
    unjudged += [replace(event_of(own), is_minor=True) for own in minor.values()]
    unjudged.sort(
        key=lambda e: (e.is_minor, e.is_back, e.worse_by <= 0, -e.over_scatter, e.what, e.boards)
    )
    # What an engine did is a part of its event, so this comes first.
    ordered = sorted([*out, *unjudged], key=lambda event: not event.of_engine)
    joined = _of_one_cause(ordered, names)
    joined.sort(key=lambda e: (e.kind == "noisy", e.accepted, ORDER.get(e.kind, 0)))
    return (
        tuple(event for event in joined if event.kind != "noisy"),
        tuple(event for event in joined if event.kind == "noisy"),
    )


ORDER: Mapping[Verdict, int] = {"failed-after": 0, "regressed": 0, "improved": 1, "changed": 2}
"""The ranks of events by the verdict of their rows."""

Groups = dict[tuple[object, ...], list[Row]]
"""Rows that are an event together. A key has the platform, the benchmark (or the board, where all benchmarks moved),
the verdict, where the rows are proved whether they are accepted, and the number of a part whose boards moved alike."""


def _clock_events(rows: Sequence[Row], names: Names) -> list[Event]:
    """Return each change of clocks as an event, with the rows that followed."""
    same_clocks: Groups = {}
    for row in rows:
        if row.is_clock and row.change is not None and row.change > -1 and row.old and row.new:
            change = (row.guide.platform, row.metric, row.old.cell.mean, row.new.cell.mean)
            same_clocks.setdefault(change, []).append(row)
    return [_of_clock(own, rows, names) for own in same_clocks.values()]


def _proved_rows(rows: Sequence[Row], all_rows: Sequence[Row]) -> Groups:
    """Return the rows with a verdict that is an event, by event."""
    prices = _prices(all_rows)
    failed_runs = {
        row.observation
        for row in all_rows
        if row.verdict == "failed-after" and units.parse(row.unit).kind in RATES
    }
    fell = {
        (row.board, row.benchmark)
        for row in all_rows
        if row.verdict == "regressed" and row.observation in failed_runs
    }
    groups: Groups = {}
    for row in rows:
        if row.verdict not in EVENT_VERDICTS:
            continue
        # The same on another board, or the rest of a benchmark beside its shift, is one event.
        wide = row.shift is not None and row.shift.name == row.board
        part = row.board if wide else row.benchmark
        rate = prices.get(id(row))
        verdict = rate.verdict if rate and rate.verdict in EVENT_VERDICTS else row.verdict
        if verdict == "failed-after" and (row.board, row.benchmark) in fell:
            verdict = "regressed"
        groups.setdefault((row.guide.platform, part, verdict, row.accepted), []).append(row)
    return {
        (*key, number): own
        for key, rows_of_key in groups.items()
        for number, own in enumerate(_by_boards(rows_of_key))
    }


def _beside(proved: Groups, far: Groups) -> tuple[Groups, Groups]:
    """Return the unproved rows that belong to each group of proved ones, and all others."""
    beside, rest = Groups(), dict(far)
    for key, own in proved.items():
        # Beside an accepted event, rows would pass for accepted.
        rows = [] if key[3] else rest.pop(key[:3], [])
        boards = _boards_that_go_with(own, rows)
        beside[key] = [row for row in rows if row.board in boards]
        if others := [row for row in rows if row.board not in boards]:
            rest[key[:3]] = others
    return beside, rest


def _least_powers(rows: Sequence[Row]) -> dict[tuple[object, ...], float]:
    """Return for each board and benchmark the power below which a supply draws next to nothing."""
    out: dict[tuple[object, ...], float] = {}
    for row in rows:
        if row.new and row.new.cell.mean and units.parse(row.unit).kind == "power":
            key = (row.board, row.benchmark, row.unit)
            out[key] = max(out.get(key, 0.0), NO_POWER * row.new.cell.mean)
    return out


def _without_usual(
    far: Groups,
    alone: Sequence[Row],
    least: Mapping[tuple[object, ...], float],
    all_rows: Sequence[Row],
) -> tuple[Groups, Groups]:
    """Return the unproved rows of each group that are an event, and all others by benchmark and board."""
    kept: Groups = {}
    for key, own in far.items():
        rows = [
            row
            for row in own
            if max(figure.cell.mean or 0.0 for figure in (row.old, row.new) if figure)
            >= least.get((row.board, row.benchmark, row.unit), -math.inf)
        ]
        for number, part in enumerate(_by_boards([row for row in rows if not _is_usual(row)])):
            together = _unusual(part)
            alone_of_metric = len(together) == 1 and _is_usual_of_others(together[0], all_rows)
            kept[*key, number] = [] if alone_of_metric else together
    minor: Groups = {}
    for row in alone:
        minor.setdefault((row.guide.platform, row.benchmark, row.board), []).append(row)
    unusual = {id(row) for own in kept.values() for row in own}
    for key, own in far.items():
        for row in own:
            if id(row) not in unusual:
                minor.setdefault((*key[:2], row.board), []).append(row)
    return kept, minor


def _by_boards(rows: Sequence[Row]) -> list[list[Row]]:
    """Return rows in parts whose boards have nothing in common: on boards of one part the same figure moved, or on
    one of them and a third one. Other figures on another board have another cause."""
    of_board: dict[str, set[tuple[object, ...]]] = {}
    for row in rows:
        of_board.setdefault(row.board, set()).add(_figure_of(row))
    parts: list[tuple[set[str], set[tuple[object, ...]]]] = []
    for board, figures in of_board.items():
        joined = [part for part in parts if part[1] & figures]
        parts = [part for part in parts if part not in joined]
        boards = {board}.union(*(part[0] for part in joined))
        parts.append((boards, figures.union(*(part[1] for part in joined))))
    return [[row for row in rows if row.board in boards] for boards, _ in parts]


def _unusual(unusual: list[Row]) -> list[Row]:
    """Return those rows of a group that are an event together; all are unproved and moved as they seldom do."""
    shares = [row for row in unusual if _is_unsettled_share(row)]
    if len(shares) < MANY_ROWS and 2 * len(shares) > len(unusual):
        unusual = [row for row in unusual if row not in shares]
    return _worth_an_event(unusual)


def _of_one_cause(all_events: Sequence[Event], names: Names) -> list[Event]:
    """Return events with those joined that are likely to have one cause: it is reported with the first of
    them."""
    out: list[Event] = []
    for event in all_events:
        at = next((n for n, first in enumerate(out) if _is_same_cause(first, event, names)), None)
        if at is None:
            out.append(event)
        else:
            beside = (*out[at].unproved, *event.rows, *event.unproved)
            kind = out[at].kind
            # A cause that made something worse is no mere change.
            if out[at].is_cause and kind == "changed" and event.kind in ALARMS:
                kind = "regressed"
            out[at] = replace(out[at], unproved=beside, kind=kind)
    return out


def _is_same_cause(first: Event, event: Event, names: Names) -> bool:
    """Return whether an event is likely to be about the cause of one before it, in another benchmark: what
    one subsystem did on the same boards, up or down, or the CPU load of several benchmarks, about as far, or figures that
    came back to the level of one release together."""
    if first.rows[0].guide.platform != event.rows[0].guide.platform or any(
        each.accepted or each.is_minor for each in (first, event)
    ):
        return False
    same_benchmark = first.benchmark == event.benchmark
    if not same_benchmark and not {*event.boards} <= {*first.boards}:
        return False
    # Another engine moves the rates of all ciphers and their loads.
    if first.of_engine and same_benchmark and not event.is_cause:
        return {*event.boards} <= {*first.boards}
    if first.is_cause or event.is_cause:
        return False
    # A far fall that is not proved must not hide behind a small one.
    if first.kind == "noisy" and first.worse_by < FAR <= event.worse_by:
        return False
    if first.is_back != event.is_back:
        return False
    if same_benchmark:
        is_apart = len(_by_boards([*first.rows, *event.rows])) > 1
        return _way(first) == _way(event) != 0 and not is_apart
    if first.worse_by <= 0 and event.worse_by <= 0:
        level = returned(event.rows)
        if level and level in (returned(first.rows), returned(first.unproved)):
            return True
    subsystems = [
        set(described.entry.subsystems)
        if (described := names.catalog.get(each.benchmark))
        else set()
        for each in (first, event)
    ]
    if subsystems[0] & subsystems[1]:
        is_rise_beside_fall = first.worse_by > 0 >= event.worse_by
        return _are_as_far((*first.rows, *first.unproved), event.rows) or (
            is_rise_beside_fall and _is_as_far(event.rows, first.rows)
        )
    loads = [[row for row in each.rows if not _leads(row)] for each in (first, event)]
    if any(2 * len(own) <= len(each.rows) for own, each in zip(loads, (first, event), strict=True)):
        return False
    return _are_as_far(*loads)


def _way(event: Event) -> int:
    """Return 1 if most rows of an event got worse, -1 if they got better, 0 where that is not known."""
    ways = [row.worse_by for row in event.leading if row.worse_by]
    return 0 if event.kind == "failed-after" or not ways else int(math.copysign(1, median(ways)))


def _are_as_far(first: Sequence[Row], rows: Sequence[Row]) -> bool:
    """Return whether rows went about as far as those of others on their boards that went their way."""
    moves = [row.worse_by for row in rows if row.worse_by and math.isfinite(row.worse_by)]
    if not moves or not (move := median(moves)):
        return False
    boards = {row.board for row in rows}
    others = [
        row.worse_by
        for row in first
        if row.worse_by and math.isfinite(row.worse_by) and row.worse_by * move > 0
        if row.board in boards
    ]
    return bool(others) and 1 / MAX_SIZES_RATIO <= median(others) / move <= MAX_SIZES_RATIO


def _of_clock(clocks: Sequence[Row], rows: Sequence[Row], names: Names) -> Event:
    """Return the same change of the clocks of some boards as one event, with the benchmarks that
    followed."""
    clock = clocks[0]
    assert clock.change is not None and clock.old and clock.new
    own: list[Row] = [*clocks]
    for each in clocks:
        own += [row for fitting, _ in followers(each, rows).values() for row in fitting]
    counts = Counter(row.benchmark for row in own[len(clocks) :])
    boards = {(each.guide.platform, each.board) for each in clocks}
    beyond_others = _with_clock_beyond_others(clock, boards, own, rows)
    # On all of the boards, also where a benchmark did not follow.
    rated = Counter(
        row.benchmark
        for row in rows
        if (row.guide.platform, row.board) in boards and row.worse_by is not None
    )
    was, now = (units.number(record.cell.mean or 0.0) for record in (clock.old, clock.new))
    what = (
        f"Clock {was} → {now} {units.parse(clock.unit).symbol} ({units.change_text(clock.change)})"
    )
    ratios = sorted(row.ratio for row in own if row.ratio)
    called = {row.verdict for row in own} & {"regressed", "improved"}
    kind: Verdict = "changed"
    if called:
        kind = "regressed" if "regressed" in called else "improved"
    beyond = any(_is_of_clock(row, clocks, names) for row in rows)
    listed = [f"{names.catalog.title(name)} {n} of {rated[name]}" for name, n in counts.items()]
    words = f"Rows moved with it: {', '.join(listed)}"
    return Event(
        kind,
        what,
        tuple(sorted({each.board for each in clocks}, key=units.natural)),
        clock.benchmark,
        (*clocks, *sorted(own[len(clocks) :], key=_farthest)),
        median(ratios) - 1 if ratios else None,
        ratios[0] - 1 if ratios else None,
        ratios[-1] - 1 if ratios else None,
        False,
        (
            words if counts else "No benchmark moved with it, so it may have been recorded wrongly",
            *([_said_of_beyond(beyond_others, names)] if beyond_others else []),
            *["With one of them a figure per MHz is beyond what is possible"] * beyond,
        ),
        is_cause=True,
        unproved=tuple(sorted(beyond_others, key=_farthest)),
    )


def _with_clock_beyond_others(
    clock: Row, boards: set[tuple[Platform, str]], own: Sequence[Row], rows: Sequence[Row]
) -> list[Row]:
    """Return the listed rows that moved as far as the clock of their boards beyond what they did on boards with the
    same clock: another compiler moved all boards, and this clock some."""
    assert clock.change is not None
    wanted, followed = math.log1p(clock.change), {row.benchmark for row in own}
    there: dict[tuple[object, ...], list[float]] = {}
    changed = {(row.guide.platform, row.board) for row in rows if row.is_clock}
    for row in rows:
        is_finite = row.worse_by is not None and math.isfinite(row.worse_by)
        if is_finite and (row.guide.platform, row.board) not in changed:
            there.setdefault(_figure_of(row), []).append(-(row.worse_by or 0.0))
    taken = set(map(id, own))
    return [
        row
        for row in rows
        if (row.guide.platform, row.board) in boards and id(row) not in taken
        if row.benchmark in followed and _is_listed(row) and row.worse_by is not None
        if (others := there.get(_figure_of(row)))
        if abs(-row.worse_by - median(others) - wanted) <= abs(wanted) / 3
    ]


def _figure_of(row: Row) -> tuple[object, ...]:
    """Return what a row is of, on whichever board."""
    params = frozenset((name, str(value)) for name, value in row.params.items())
    return (row.guide.platform, row.benchmark, row.metric, params)


def _said_of_beyond(rows: Sequence[Row], names: Names) -> str:
    counts = Counter(names.catalog.title(row.benchmark) for row in rows)
    listed = ", ".join(f"{title} {number}" for title, number in counts.items())
    return f"Rows that moved as far beyond what other boards did, whose clock is the same: {listed}"


def _is_of_clock(row: Row, rows: Sequence[Row], names: Names) -> bool:
    """Return whether a figure is impossible that is computed with a clock which changed, and so is a part of
    the event of that clock."""
    if not cause_of(row).startswith(IMPOSSIBLE):
        return False
    benchmark = names.catalog.get(row.benchmark)
    metric = benchmark.metric(row.metric) if benchmark else None
    own = (row.guide.platform, row.board, row.benchmark)
    return metric is not None and any(
        clock.is_clock
        and clock.metric in metric.computed_from
        and (clock.guide.platform, clock.board, clock.benchmark) == own
        for clock in rows
    )


def _causes(rows: Sequence[Row], names: Names) -> list[Event]:
    """Return each cause for which rows are not compared as one event with these rows."""
    by: dict[tuple[Platform, str, str], list[Row]] = {}
    for row in rows:
        if cause := cause_of(row):
            # An engine and the columns of a table belong to a benchmark, a condition to the board.
            of_benchmark = cause.startswith((ENGINE_CHANGED, EXCHANGED, IMPOSSIBLE, OTHER_UNIT))
            key = (row.guide.platform, row.benchmark if of_benchmark else "", cause)
            by.setdefault(key, []).append(row)
    out = []
    for (_, benchmark, cause), own in by.items():
        titles = dict.fromkeys(names.catalog.title(row.benchmark) for row in own)
        what = f"{names.catalog.title(benchmark)}: {cause}" if benchmark else units.capital(cause)
        boards = tuple(sorted({row.board for row in own}, key=units.natural))
        more = [f"{len(titles) - NAMED} more benchmarks"] * (len(titles) > NAMED + 1)
        named = ", ".join([*titles][: NAMED if more else None] + more)
        said = _moves(own) if benchmark else f"{_moves(own)}; these are of {named}"
        perhaps = (f"Not compared: {said}",)
        first = own[0].benchmark
        out.append(
            Event(
                "changed", what, boards, first, tuple(own), None, None, None, False, perhaps, True
            )
        )
    return out


def _moves(rows: Sequence[Row]) -> str:
    """Return how the rates and the loads of some rows moved: ``rates ÷2 to ×5, loads 37 to 99 %``."""
    parts = [f"{len(rows)} rows" if len(rows) > 1 else "1 row"]
    pairs = [
        (row, row.old.cell.mean, row.new.cell.mean)
        for row in rows
        if row.old and row.new and row.old.cell.mean and row.new.cell.mean
    ]
    ratios = [
        new / old
        for row, old, new in pairs
        if units.parse(row.unit).kind != "share" and min(old, new) > 0
    ]
    if ratios:
        ends = [units.change_text(end - 1) for end in (min(ratios), max(ratios))]
        parts.append(f"from {ends[0]} to {ends[1]}" if ends[0] != ends[1] else ends[0])
    # Loads end at 100 %, so a ratio would say little of them, and of swapped ones a middle says nothing.
    loads = [
        (old, new)
        for row, old, new in pairs
        if units.parse(row.unit).kind == "share" and not row.ground.startswith(EXCHANGED)
    ]
    if loads:
        before, after = (median(side) for side in zip(*loads, strict=True))
        parts.append(f"loads mostly {units.number(before)} → {units.number(after)} %")
    return ", ".join(parts)


def _attach(far: Groups, proved: Groups, beside: Groups) -> None:
    """Put rises beside the fall of their benchmark on one of their boards, unproved falls beside what fails,
    unproved loads beside what its rates did, and loads that fell beside the fall of its rates: one set-up that
    changed moves some rows up and others down."""
    rises = [key for key in proved if key[2:4] == ("improved", False)]
    for key in (*far, *rises):
        groups = far if key in far else proved
        own = groups[key]
        platform, benchmark, verdict = key[:3]
        is_load = not any(map(_leads, own))
        if not own or (_are_back(own) and not is_load):
            continue
        boards = {row.board for row in own}
        for other in (*proved, *far):
            rows = proved[other] if other in proved else far[other]
            falls = (verdict, other[2]) in (
                ("improved", "regressed"),
                ("regressed", "failed-after"),
            )
            rates = is_load and any(map(_leads, rows))
            if not rows or other[:2] != (platform, benchmark) or other == key:
                continue
            if not (falls or rates):
                continue
            # A proved rise must not hide behind a fall that is not proved and much smaller.
            if groups is proved and other in far and (not falls or not _is_as_far(own, rows)):
                continue
            shared = {row.board for row in rows} & boards
            is_accepted = other in proved and other[3]
            if not is_accepted and (shared if falls else shared == boards):
                beside.setdefault(other, []).extend([*own, *beside.pop(key, [])])
                groups[key] = []
                break
    for key in (*far, *proved):
        beside.setdefault(key, [])


def _worth_an_event(rows: Sequence[Row]) -> list[Row]:
    """Return those of some unproved rows of a benchmark that went one way which are an event: those that
    left their level, or else those that came back to an earlier one, if they moved enough."""
    # Metrics that have nothing in common and did not move alike show nothing together.
    if any(not row.params for row in rows) and not _are_alike(rows):
        rows = [row for row in rows if not _is_small([row])]
    # A mean of samples that scatter came back to no level.
    back = [row for row in rows if is_back(row) and not row.spread]
    onward = [row for row in rows if not is_back(row)]
    # Rows on their way back must not make an event of small moves.
    if not _is_small(onward) and not _is_odd_rise(onward):
        return list(rows) if len(back) > len(onward) else onward
    count = len({row.measurement for row in back if not row.follows})
    least = FAR if count > 1 else SINGLE_RETURN
    far = any(abs(row.worse_by or 0.0) >= least for row in back if _leads(row))
    # That a load is back, or a few rows by a little, is no news.
    return back if far or (count >= MANY_ROWS and any(map(_leads, back))) else []


def _is_odd_rise(rows: Sequence[Row]) -> bool:
    """Return whether rows got better, but are loads alone, did not move alike, or are few, whose earlier figures
    do not agree: then nothing but scatter is known of them."""
    if any((row.worse_by or 0.0) > 0 for row in rows):
        return False
    if not any(map(_leads, rows)):
        return True
    if len({row.measurement for row in rows if not row.follows}) >= MIN_ALIKE_ROWS:
        return not _are_alike(rows)
    # Runs of one release that are far apart are sorted out before.
    if any(row.new and row.new.cell.runs > 1 for row in rows):
        return False
    for row in rows:
        before, size = _before(row), abs(row.worse_by or 0.0)
        is_quiet = len(before) > 1 and _range_log(before[-2:]) <= QUIET
        if size >= FAR and is_quiet and _range_log(before) < NEARLY_AS_FAR * size:
            return False
    return True


def _are_alike(rows: Sequence[Row]) -> bool:
    """Return whether at least half of some rows moved about as far as the middle one, or two nearly as far."""
    moves = sorted(abs(row.worse_by or 0.0) for row in rows if not row.follows)
    if len(moves) < MIN_ALIKE_ROWS:
        return len(moves) > 1 and moves[-1] <= MAX_PAIR_RATIO * moves[0]
    middle = median(moves)
    near = [middle / MAX_SIZES_RATIO <= move <= middle * MAX_SIZES_RATIO for move in moves]
    return 2 * sum(near) >= len(near)


def _is_as_far(rises: Sequence[Row], falls: Sequence[Row]) -> bool:
    """Return whether falls are about as far as rises, or farther."""
    up, down = (median(abs(row.worse_by or 0.0) for row in own) for own in (rises, falls))
    return MAX_SIZES_RATIO * down >= up


def _is_small(rows: Sequence[Row]) -> bool:
    """Return whether unproved rows moved too little for an event of their own: one row by less than
    ``FAR``, or several whose middle one moved by less than ``SMALL_MOVE``. A fall of one row may be smaller where
    its earlier figures agree, or its scatter is not known."""
    moves = [abs(row.worse_by or 0.0) for row in rows]
    # A figure with two names is one.
    count = len({row.measurement for row in rows if not row.follows})
    if count > 1 or not moves:
        least = SMALL_MOVE if count >= MANY_ROWS else SINGLE_FALL
        return not moves or (max(moves) < FAR and median(moves) < least)
    row = min(rows, key=_farthest)
    # Samples of one load that overlap are too little to look at.
    if row.spread and units.parse(row.unit).kind == "share":
        return True
    if not is_back(row) and _is_usual(row, is_alone=True):
        return True
    is_odd = (row.worse_by or 0.0) > 0 and (is_beyond_kind(row) or row.scatter is None)
    return moves[0] < (SINGLE_FALL if is_odd else FAR)


def _is_usual(row: Row, is_alone: bool = False) -> bool:
    """Return whether a row moved as far several times before, is a share that moved by few points, or a mean
    of samples that lie at one level and did not begin to scatter. The return of one row alone from one move
    is a second one."""
    if row.doubt:
        return False
    if row.spread and (row.spread != "scatters more" or (row.worse_by or 0.0) <= 0):
        return True
    size = abs(row.worse_by or 0.0)
    sides = [each.cell for each in (row.old, row.new) if each]
    # Runs of one release that are as far apart show nothing but their scatter.
    if not row.spread and any(
        cell.low is not None
        and cell.high is not None
        and _range_log((cell.low, cell.high)) >= NEARLY_AS_FAR * size
        for cell in sides
    ):
        return True
    is_share = units.parse(row.unit).kind == "share"
    if is_share and (points(row) < MIN_POINTS or math.isinf(row.worse_by or 0.0)):
        return True
    # Falls are listed sooner than rises.
    is_rise = (row.worse_by or 0.0) <= 0
    is_beyond = row.scatter is None or size > math.log1p(row.scatter) or is_beyond_kind(row)
    # The scatter of a row that comes back is that of the way there.
    if is_rise and not is_beyond and not _left(row):
        return True
    before = _before(row)
    if len(before) < 2:
        # Without a level before, only the scatter of such rows is known.
        usual = MIN_OVER_KIND * math.log1p(row.scatter or 0.0)
        return is_alone and size < usual
    # A row that wandered as far has no level that it left.
    wandered = len(before) > 2 and _range_log(before) >= NEARLY_AS_FAR * size
    if is_alone and wandered and _range_log(before[-2:]) > QUIET:
        return True
    moves = [_range_log(pair) for pair in pairwise(before)]
    if sum(move >= size for move in moves) >= MIN_AS_FAR:
        return True
    if not is_share and _range_log(before[-2:]) <= min(QUIET, MAX_QUIET_SHARE * size):
        return False
    if not _left(row) and _was_there(row, before):
        return True
    # The way back is as far as the way there.
    if is_return := bool(_left(row)) and not is_alone:
        moves.pop()
    least = MIN_AS_FAR_OF_FEW if len(moves) < FEW_MOVES else MIN_AS_FAR
    if sum(move >= NEARLY_AS_FAR * size for move in moves) >= least:
        return True
    if not is_rise or is_return or row.new is None or row.new.cell.mean is None:
        return False
    return len(before) > 2 and min(before) <= row.new.cell.mean <= max(before)


def _is_usual_of_others(row: Row, rows: Sequence[Row]) -> bool:
    """Return whether half of the other rows of a metric on the board moved nearly as far before: then it is no news
    that this one does so for the first time, unless its last figures agreed, or it is back."""
    before = _before(row)[-2:]
    is_quiet = len(before) == 2 and _range_log(before) <= QUIET
    if row.doubt or not row.params or is_quiet or is_back(row):
        return False
    own = metric_on_board(row)
    others = [
        each
        for each in rows
        if metric_on_board(each) == own and each is not row and each.old and each.new
    ]
    least = NEARLY_AS_FAR * abs(row.worse_by or 0.0)
    restless = sum(
        any(_range_log(pair) >= least for pair in pairwise(_before(each))) for each in others
    )
    return bool(others) and 2 * restless >= len(others)


def metric_on_board(row: Row) -> tuple[object, ...]:
    """Return what rows have in common that differ in parameters alone."""
    return (row.guide.platform, row.board, row.benchmark, row.metric)


def _was_there(row: Row, before: Sequence[float]) -> bool:
    """Return whether NEW is at a level that several earlier releases had before the row left it."""
    if row.new is None or not row.new.cell.mean or min(*before, row.new.cell.mean) <= 0:
        return False
    new, away = math.log(row.new.cell.mean), abs(row.worse_by or 0.0)
    # A quarter of the way: clearly nearer to that level than to OLD.
    near = [abs(math.log(value) - new) <= away / 4 for value in before]
    return sum(near) >= LEAST_LEVEL_RELEASES


def _is_unsettled_share(row: Row) -> bool:
    """Return whether a row is a share, such as a load, and too few earlier figures agree."""
    before = _before(row)[-MAX_LEVEL_RELEASES:]
    return units.parse(row.unit).kind == "share" and (
        len(before) < 2 or _range_log(before) > SETTLED
    )


def _before(row: Row) -> list[float]:
    """Return the figures of a row up to OLD."""
    releases = [release for release, _ in row.line]
    if row.old is None or row.old.guide.release not in releases:
        return []
    return [value for _, value in row.line[: releases.index(row.old.guide.release) + 1]]


def _range_log(figures: Sequence[float]) -> float:
    """Return the logarithm of the largest of some figures over the least, infinite where one is 0."""
    if min(figures) <= 0:
        return 0.0 if min(figures) == max(figures) else math.inf
    return math.log(max(figures)) - math.log(min(figures))


def _boards_that_go_with(proved: Sequence[Row], rows: Sequence[Row]) -> set[str]:
    """Return the boards on which rows are proved, and those of other rows where one of these moved too."""
    same = set(map(_figure_of, proved))
    boards = {row.board for row in proved}
    return boards | {row.board for row in rows if _figure_of(row) in same}


def _prices(rows: Sequence[Row]) -> dict[int, Row]:
    """Return for each load that was called the rate of its run that moved as far: the load is what the
    new rate costs, and no change of its own."""
    rates = {
        (*row.observation, direction(row.metric)): row
        for row in rows
        # Metrics without parameters may be of several runs.
        if row.params and _leads(row) and row.worse_by is not None and _is_listed(row)
    }
    return {
        id(row): rate
        for row in rows
        if row.work is not None and (rate := rates.get((*row.observation, direction(row.metric))))
        if abs(rate.worse_by or 0.0) >= abs(row.worse_by or 0.0)
    }


def _is_listed(row: Row) -> bool:
    return row.verdict in EVENT_VERDICTS or moved_far(row)


def _leading(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that say how far some moved: rates and times, or their loads if these moved much farther."""
    own = [row for row in rows if not row.follows and row.work is None]
    loads = [row for row in rows if not row.follows and row.work is not None]
    # The ratio of two small loads says little.
    if own and loads and median(map(points, loads)) >= MIN_POINTS:
        moves = [median(abs(row.worse_by or 0.0) for row in each) for each in (own, loads)]
        if moves[1] > MAX_SIZES_RATIO * moves[0]:
            return loads
    return own or list(rows)


def _far_rows(rows: Sequence[Row], all_rows: Sequence[Row]) -> tuple[Groups, list[Row]]:
    """Return what moved far and cannot be judged, by platform, benchmark and the verdict that it would
    have if it were proved; and rates of packets that moved where the rate of their run did not."""
    moves: dict[tuple[object, ...], float] = {}
    for row in all_rows:
        if _leads(row) and row.worse_by is not None and row.params:
            key = (*row.observation, direction(row.metric))
            size = abs(row.worse_by) if _is_listed(row) else 0.0
            moves[key] = max(moves.get(key, 0.0), size)
    out: Groups = {}
    alone: list[Row] = []
    for row in filter(moved_far, rows):
        ways = {direction(row.metric), ""}
        of_run = [moves[key] for way in ways if (key := (*row.observation, way)) in moves]
        if _leads(row) or not of_run or _says_more(row, max(of_run)):
            verdict: Verdict = "regressed" if (row.worse_by or 0.0) > 0 else "improved"
            out.setdefault((row.guide.platform, row.benchmark, verdict), []).append(row)
        elif not max(of_run):
            alone.append(row)
    return out, alone


def _says_more(row: Row, of_rate: float) -> bool:
    """Return whether a load, or a rate of packets, says more than the rate of its run, which moved by
    ``of_rate``, as a logarithm, or is not listed and moved by 0."""
    # Packets count the same work as bytes, with fewer digits.
    if units.parse(row.unit).kind == "packet rate":
        return False
    is_far = abs(row.worse_by or 0.0) > MAX_SIZES_RATIO * of_rate and points(row) >= MIN_POINTS
    return not of_rate or is_far


def moved_far(row: Row) -> bool:
    """Return whether a row cannot be judged and moved by more than its scatter, very far, or well beyond
    the scatter of rows of its metric."""
    if row.verdict != "noisy" or row.alternates or row.worse_by is None:
        return False
    if row.change is not None and abs(row.change) <= row.floor:
        return False
    # A rise that is in doubt is no good news, and a load is one of its run.
    if row.doubt:
        return row.worse_by > 0 and _leads(row)
    size = abs(row.worse_by)
    # Ranges of samples that overlap show no new level unless it is far away.
    if row.spread:
        return size >= FAR
    # Without a known scatter, only a move beyond a usual one is worth a line.
    beyond_own = size > math.log1p(UNKNOWN_SCATTER if row.scatter is None else row.scatter)
    return size >= FAR or beyond_own or is_beyond_kind(row)


def is_beyond_kind(row: Row) -> bool:
    """Return whether a row with two earlier figures moved well beyond the scatter of rows of its metric."""
    if row.kind_scatter is None:
        return False
    return abs(row.worse_by or 0.0) >= MIN_OVER_KIND * math.log1p(row.kind_scatter)


def over_scatter(row: Row) -> float:
    """Return how far a row moved, over the scatter of such rows."""
    scatter = known_scatter(row)
    return abs(row.worse_by or 0.0) / math.log1p(UNKNOWN_SCATTER if scatter is None else scatter)


def known_scatter(row: Row) -> float | None:
    """Return the relative scatter of such rows, or ``None`` where it is not known."""
    scatter = row.kind_scatter if is_beyond_kind(row) else row.scatter
    # Without a least scatter, a row that never moved before would lead all others.
    return None if scatter is None else max(scatter, 1e-3)


def _leads(row: Row) -> bool:
    return units.parse(row.unit).kind not in ("share", "packet rate")


def _event(
    own: Sequence[Row],
    rows: Sequence[Row],
    old: SideFigures,
    new: SideFigures,
    names: Names,
    drifts: set[tuple[str, str]],
    unproved: Sequence[Row] = (),
) -> Event:
    own = sorted(own, key=_farthest)
    leading = _leading(own)
    own = [*leading, *(row for row in own if row not in leading)]
    first = own[0]
    plain = first.verdict == "changed"
    moves = (row.change if plain else row.ratio and row.ratio - 1 for row in leading)
    ratios = sorted(1 + move for move in moves if move is not None)
    boards = tuple(sorted({row.board for row in own}, key=units.natural))
    shared = any(row.shift for row in own)
    wide = all(row.shift is not None and row.shift.name == row.board for row in own)
    siblings = [row for row in rows if row.benchmark == first.benchmark and row.board in boards]
    what = "all benchmarks" if wide else names.catalog.title(first.benchmark)
    if not wide:
        metric, _, more = (narrow := _narrow(leading, siblings, names)).partition(", ")
        # “UDP throughput: throughput, ingress” would say it twice.
        narrow = more if what.casefold().endswith(f" {metric.casefold()}") else narrow
        what = f"{what}: {narrow}" if narrow else what
    perhaps = [*_conditions(own, old, new)]
    if back := returned(own):
        perhaps.append(back)
    if any((row.board, row.benchmark) in drifts for row in own):
        perhaps.append("samples that drift within a run")
    if first.verdict == "improved" and all(map(_vanished, own)):
        perhaps.append("a load that was not measured: there is next to nothing left of it")
    if first.verdict == "regressed" and _coarse(own):
        perhaps.append("coarse steps of the program: the change is few of them")
    return Event(
        first.verdict,
        what,
        boards,
        first.benchmark,
        tuple(own),
        median(ratios) - 1 if ratios else None,
        ratios[0] - 1 if ratios else None,
        ratios[-1] - 1 if ratios else None,
        shared,
        tuple(perhaps),
        unproved=tuple(sorted(unproved, key=_farthest)),
    )


def returned(rows: Sequence[Row]) -> str:
    """Return to which release's level most rows came back, and that the one between was an
    exception; "" where they did not."""
    releases = Counter((own[-2][0], own[-1][0]) for row in rows if (own := _left(row)))
    if not releases:
        return ""
    (level, exception), count = releases.most_common(1)[0]
    # A figure that keeps jumping has no level to come back to.
    if 2 * count <= len(rows):
        return ""
    return f"{RETURN} {level}, from which {exception} differed"


def _left(row: Row) -> list[tuple[str, float]]:
    """Return the releases up to OLD that show a level, which OLD left and NEW is at again; the last is
    OLD. Nothing where it is not so."""
    if row.old is None or row.new is None or not row.old.cell.mean or not row.new.cell.mean:
        return []
    names = [release for release, _ in row.line]
    if row.old.guide.release not in names:
        return []
    before = row.line[: names.index(row.old.guide.release) + 1]
    old, new = row.old.cell.mean, row.new.cell.mean
    if len(before) < 2 or min(old, new, *(value for _, value in before)) <= 0:
        return []
    away = abs(math.log(new) - math.log(old))
    level = [
        each
        for each in before[-1 - MAX_LEVEL_RELEASES : -1]
        # A quarter of the way: clearly nearer to that level than to OLD.
        if abs(math.log(new) - math.log(each[1])) <= away / 4
    ]
    return [*level, before[-1]] if level and level[-1] == before[-2] else []


def is_back(row: Row) -> bool:
    """Return whether NEW is at a level that several releases had, and that OLD alone had left; of a row that got
    better one release is enough, as what was bad once is over."""
    least = LEAST_LEVEL_RELEASES if (row.worse_by or 0.0) > 0 else 1
    return len(_left(row)) > least


def _are_back(rows: Sequence[Row]) -> bool:
    """Return whether most of some rows are back at an earlier level."""
    return 2 * sum(map(is_back, rows)) > len(rows)


def _farthest(row: Row) -> tuple[bool, float]:
    """Return a key by which rows that moved farthest come first, and those that follow others, as loads
    follow their work, last. Where moves are not proved, it is how far they are over the scatter."""
    if row.verdict == "noisy":
        return bool(row.follows) or row.work is not None, -over_scatter(row)
    ratio = row.ratio if row.ratio is not None else 1 + (row.change or 0.0)
    return bool(row.follows) or row.work is not None, -abs(
        math.log(ratio)
    ) if ratio > 0 else -math.inf


def _vanished(row: Row) -> bool:
    """Return whether hardly anything is left of a load."""
    if units.parse(row.unit).kind != "share" or row.better != "lower" or not (row.old and row.new):
        return False
    was, now = row.old.cell.mean or 0.0, row.new.cell.mean or 0.0
    # A load that was next to nothing before has not vanished.
    return now < NOTHING and now < was / 10


def _narrow(own: Sequence[Row], siblings: Sequence[Row], names: Names) -> str:
    """Return what the rows share that other rows of the benchmark do not: metric, engine, size."""
    parts = []
    benchmark = names.catalog.get(own[0].benchmark)
    metrics = sorted({row.metric for row in _leading(own)})
    if len({row.metric for row in siblings}) > len(metrics):
        full = [benchmark.metric_label(m) if benchmark else m for m in metrics]
        inner = [labels.within(name) for name in full]
        parts.append(_joined(inner if len({*inner}) == len(inner) else full))
    for name, value in sorted(own[0].params.items()):
        default = benchmark.param(name).default if benchmark else None
        # A default is what a reader assumes, and no news.
        if value == default or any(row.params.get(name) != value for row in own):
            continue
        if any(row.params.get(name) != value for row in siblings):
            plain = labels.params_text({name: value})
            parts.append(labels.param(benchmark, name, value) if benchmark else plain)
    return ", ".join(parts)


def _joined(names: Sequence[str]) -> str:
    """Return names with what they begin with said once: ``context switch: 2 of 64 KiB; 4 of 64 KiB``."""
    if len(names) > NAMED:
        return f"{len(names)} metrics"
    begins = {name.partition(", ")[0] for name in names}
    if len(names) > 1 and len(begins) == 1 and all(", " in name for name in names):
        return f"{begins.pop()}: {'; '.join(name.partition(', ')[2] for name in names)}"
    return ("; " if any(", " in name for name in names) else ", ").join(dict.fromkeys(names))


def _conditions(own: Sequence[Row], old: SideFigures, new: SideFigures) -> list[str]:
    """Return what was different around all rows of an event that are on both sides."""
    counts: Counter[str] = Counter()
    both = [row for row in own if row.old and row.new]
    for row in both:
        assert row.old and row.new
        counts.update(_changed(old.pool.conditions(row.old), new.pool.conditions(row.new)))
    return [text for text, count in counts.items() if count == len(both)]


def _changed(was: Conditions, now: Conditions) -> list[str]:
    out = []
    for name in sorted({*was, *now}):
        a, b = (" and ".join(sorted(side.get(name, ()))) for side in (was, now))
        # A fact that only one side states may not have changed.
        if not a or not b or a == b:
            continue
        if name in (*BY_DESIGN, "governor", "cpu_mhz") or name.startswith("tool "):
            word = {"cpu_mhz": "clock"}.get(name, name.removeprefix("tool "))
            out.append(f"{word} {a} → {b}")
    return out


def _coarse(own: Sequence[Row]) -> bool:
    """Return whether all rows changed by few steps of what their program counts in."""
    return all(
        row.step
        and row.old
        and row.new
        and abs((row.new.cell.mean or 0.0) - (row.old.cell.mean or 0.0))
        <= MAX_COARSE_STEPS * row.step
        for row in own
    )


def tally(events: Sequence[Event]) -> Mapping[Verdict, int]:
    """Return how many events of each kind are not accepted."""
    return Counter(event.kind for event in events if not event.accepted)

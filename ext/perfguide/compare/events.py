"""Grouping of rows with a verdict into events, each with one likely cause, largest first.

Rows that moved with a common shift form one event. Of the others, rows of one benchmark that moved
the same way on one board do, because they share a program, a run and usually a cause. Similar events
on several boards are merged.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import groupby
from operator import itemgetter
from statistics import median

from ..bundles.guide_key import Platform, version
from ..catalog.benchmarks import Benchmark
from ..common import units
from ..figures import labels
from .causes import EXCHANGED, cause_of
from .explanations import other_part, other_test
from .failed_rows import FAILED_RUN
from .failing_runs import failing_runs
from .judged_rows import followers
from .match import BY_DESIGN, Conditions, Names
from .not_compared import ENGINE_CHANGED, IMPOSSIBLE, OTHER_UNIT
from .packet_bytes import OTHER_BYTES
from .row import ALARMS, Row, Verdict, direction, is_load, points
from .row_moves import (
    MAX_QUIET_LOG,
    MIN_EVENT_LOG,
    MIN_FAR_LOG,
    MIN_POINTS,
    MIN_PRECEDENT_RATIO,
    are_back,
    figures_before,
    has_left_level,
    has_left_mean,
    is_back,
    is_beyond_kind,
    is_far_back,
    is_open,
    is_unsettled_share,
    is_usual,
    level_left,
    log_range,
    measures_own,
    moved_far,
    over_scatter,
)
from .verdicts import SideFigures

EVENT_VERDICTS: tuple[Verdict, ...] = ("regressed", "failed-after", "improved", "changed")
"""Verdicts that make an event."""

MANY_ROWS = 5
"""The fewest rows of a benchmark for which a move of ``MIN_EVENT_LOG`` is an event without proof."""

SINGLE_FALL = math.log(1.2)
"""The log of the smallest fall that makes an event of a single unproved row about which little is
known, and of the smallest median move of fewer than ``MANY_ROWS`` rows."""

SINGLE_RETURN = math.log(2)
"""The log of the smallest return of a single unproved row to an earlier level that is an event."""

SINGLE_RISE = math.log(5)
"""The log of the smallest rise of a row with a single earlier figure that is an event."""

MIN_MANY_POINTS = 1.0
"""The least median move, in percentage points, of many loads that moved together."""

MIN_ALIKE_ROWS, MAX_PAIR_RATIO = 3, 1.25
"""The fewest rows among which some may differ, and the largest ratio of moves, as logs, for two rows to
be alike."""

MAX_SIZES_RATIO = 2.0
"""The largest ratio of moves, as logs, that are about as far, as moves of one cause are."""

RETURN = "a return to the level of"
"""The start of the explanation of an event whose figures came back."""

NAMED = 3
"""The most metrics or benchmarks that an event names; more are only counted."""


@dataclass(frozen=True, slots=True)
class Event:
    """One change that affected some rows, reported once.

    ``kind`` is the verdict of its rows, and ``what`` names what they have in common. Some rows may be
    unproved beside proved ones, as :func:`_covering` adds those of the same series that moved as far.
    ``change`` is the median relative change in the better direction, ``None`` if there is none.
    ``shared`` is true if any row moved with a common shift. ``perhaps`` are possible explanations.
    ``is_cause`` is true if the event names something that changed around its rows. ``unproved`` are
    further rows with the same likely cause, mostly those that cannot be judged.
    ``is_back`` means that the rows are back at an earlier level and either got better or are unproved,
    ``is_minor`` that they are unproved and moved little, or as such rows often do. ``since`` is the
    release to which the rows are compared if OLD did not measure them. ``failed_already`` says which other
    run of a benchmark that fails since then had failed before. ``also`` are events of such rows that
    probably have the same cause.
    """

    kind: Verdict
    what: str
    boards: tuple[str, ...]
    benchmark: str
    rows: tuple[Row, ...]
    change: float | None
    shared: bool
    perhaps: tuple[str, ...]
    is_cause: bool = False
    unproved: tuple[Row, ...] = ()
    is_back: bool = False
    is_minor: bool = False
    since: str = ""
    failed_already: str = ""
    also: tuple[Event, ...] = ()

    @property
    def leading(self) -> list[Row]:
        """The rows that measure something of their own, such as rates and times, without second names of
        a row; or the loads of rates, if these moved much farther than the rates."""
        return _leading(self.rows)

    @property
    def counted(self) -> list[Row]:
        """The rows counted in the title, without clocks: all rows of a cause, else those whose moves the
        title gives."""
        rows = list(self.rows) if self.is_cause else self.leading
        return [row for row in rows if not row.is_clock] or list(self.rows)

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
        """The sort key of events: how far the rows moved and, to a lesser degree, how many there are."""
        # A move to or from 0 has no logarithm; 9, a factor of 8,000, ranks it above usual moves.
        size = abs(math.log1p(self.change)) if self.change is not None and self.change > -1 else 9.0
        return size * math.sqrt(len(self.rows))


def events(
    rows: Sequence[Row],
    old: SideFigures,
    new: SideFigures,
    names: Names,
    among: Sequence[Row] = (),
) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Return all events of a comparison, and far moves that cannot be judged.

    Events against the newer release come first, then larger ones. Far moves start with falls, then
    those farthest beyond their scatter; minor ones, by benchmark and board, come last. Far moves in
    the direction of an event of their benchmark are part of it. Names of events say what their rows share
    but others ``among`` which they are do not; if not given, these are ``rows``.
    """
    clocks = clock_events(rows, names)
    # Rows that followed a clock are part of its event and must not be reported twice.
    explained = {id(row) for event in clocks for row in event.rows}
    event_of = partial(_event, rows=among or rows, old=old, new=new, names=names)
    failing = _of_failing_runs(rows, names, event_of)
    explained |= {id(row) for event in failing for row in event.rows}
    others = [row for row in rows if id(row) not in explained]
    proved = _proved_rows(others, names)
    together = _loads_together(rows)
    far, alone = _far_rows(others, rows, together)
    beside, far = _beside(proved, far, names)
    far, minor = _without_usual(far, alone, together, names)
    _attach(far, proved, beside)
    out = [event_of(own, unproved=beside[key]) for key, own in proved.items() if own]
    out += clocks + failing + causes(rows, names)
    out.sort(key=lambda e: (e.accepted, ORDER[e.kind], -e.weight, e.what))
    unjudged = []
    for key, rows_of_key in far.items():
        if rows_of_key:
            own, farther, odd = _typical(rows_of_key, names)
            event = event_of(own, unproved=[*odd, *beside[key]])
            unjudged.append(replace(event, is_back=are_back(own)))
            if farther:
                unjudged.append(replace(event_of(farther), is_back=are_back(farther)))
    unjudged += [replace(event_of(own), is_minor=True) for own in minor.values() if own]
    unjudged.sort(
        key=lambda e: (e.is_minor, e.is_back, e.worse_by <= 0, -e.over_scatter, e.what, e.boards)
    )
    # Changes of engine and recoveries come first, as their effects become part of them.
    ordered = sorted(
        [*out, *unjudged], key=lambda e: (not e.of_engine, not (e.is_back or _is_recovery(e)))
    )
    # Only now, as whether a proved rise is a recovery does not decide which events share its cause.
    joined = [
        replace(event, is_back=True) if _is_recovery(event) else event
        for event in _of_one_cause(ordered, names)
    ]
    joined.sort(key=lambda e: (e.kind == "noisy", e.accepted, ORDER.get(e.kind, 0)))
    # Only now, as rows that are back may still turn out to be part of another event.
    parts = [
        part
        for event in _covering(joined, rows, names, event_of)
        for part in (_minor_parts(event, event_of) if event.is_minor else [event])
    ]
    joined = [_explained(event, rows, among or rows, names) for event in parts]
    return (
        tuple(event for event in joined if event.kind != "noisy"),
        tuple(event for event in joined if event.kind == "noisy"),
    )


ORDER: Mapping[Verdict, int] = {"failed-after": 0, "regressed": 0, "improved": 1, "changed": 2}
"""The ranks of events by the verdict of their rows."""

Groups = dict[tuple[object, ...], list[Row]]
"""Rows that form an event, by key. A key has the platform, the benchmark (or the board, if all its
benchmarks moved), the verdict, whether the rows are accepted (if proved), and the number of a part
whose boards moved alike."""


def clock_events(rows: Sequence[Row], names: Names) -> list[Event]:
    """Return an event for each change of clocks, with the rows that followed it."""
    same_clocks: Groups = {}
    for row in rows:
        if row.is_clock and row.change is not None and row.change > -1 and row.old and row.new:
            change = (row.guide.platform, row.metric, row.old.cell.mean, row.new.cell.mean)
            same_clocks.setdefault(change, []).append(row)
    return [_of_clock(own, rows, names) for own in same_clocks.values()]


def _of_failing_runs(
    rows: Sequence[Row], names: Names, event_of: Callable[..., Event]
) -> list[Event]:
    """Return an event for each benchmark with runs that fail."""
    return [
        replace(
            event_of(each.rates),
            kind="failed-after" if each.is_new else "changed",
            what=f"{event_of(each.rates).what}: {each.words}",
            rows=each.rows,
            boards=tuple(sorted({row.board for row in each.rows}, key=units.natural)),
            change=None,
            perhaps=each.samples,
            is_cause=True,
        )
        for each in failing_runs(rows, names)
    ]


def _proved_rows(rows: Sequence[Row], names: Names) -> Groups:
    """Return the rows whose verdict makes an event, grouped by event."""
    groups: Groups = {}
    for row in rows:
        if row.verdict not in EVENT_VERDICTS:
            continue
        # The same move on another board, or other rows beside a shift, belong to one event.
        wide = row.shift is not None and row.shift.name == row.board
        part = row.board if wide else row.benchmark
        groups.setdefault((row.guide.platform, part, row.verdict, row.accepted), []).append(row)
    return {
        (*key, number): own
        for key, rows_of_key in groups.items()
        for number, own in enumerate(_parts(rows_of_key, names))
    }


def _beside(proved: Groups, far: Groups, names: Names) -> tuple[Groups, Groups]:
    """Return the unproved rows that belong to each proved group, and the remaining groups."""
    beside, rest = Groups(), dict(far)
    for key, own in proved.items():
        # Rows within an accepted event would look accepted.
        rows = [] if key[3] else rest.pop(key[:3], [])
        boards = _boards_that_go_with(own, rows)
        # Rows back at an earlier level have another cause than those that left theirs.
        # As such they are put apart if several make an event: a single one is often back by chance.
        are_split = (
            key[2] == "regressed"
            and not are_back(own)
            and _are_several(_worth_an_event([row for row in rows if is_back(row)]))
        )
        most = max((abs(row.worse_by or 0.0) for row in own), default=0.0)
        subjects, series = ({name(row, names) for row in own} for name in (_table_of, series_of))
        beside[key] = [
            row
            for row in rows
            if row.board in boards and not (are_split and is_back(row))
            if _table_of(row, names) in {*subjects, None}
            # A far fall must not hide behind a small one of something else.
            if most >= MIN_FAR_LOG
            or (row.worse_by or 0.0) < MIN_FAR_LOG
            or is_back(row)
            or series_of(row, names) in series
        ]
        if others := [row for row in rows if row not in beside[key]]:
            rest[key[:3]] = others
    return beside, rest


def _without_usual(
    far: Groups,
    alone: Sequence[Row],
    together: Collection[int],
    names: Names,
) -> tuple[Groups, Groups]:
    """Return the unproved rows of each group that form an event, and the rest by benchmark and board."""
    kept: Groups = {}
    for key, own in far.items():
        on_boards = _alike_on_boards(own)
        unusual_rows = [
            row
            for row in own
            if id(row) in together or _figure_of(row) in on_boards or not is_usual(row)
        ]
        parts = []
        for part in _parts(unusual_rows, names):
            alike = [row for row in part if id(row) in together]
            parts.append([*alike, *_unusual([row for row in part if id(row) not in together])])
        kept.update({(*key, number): part for number, part in enumerate(parts)})
    minor: Groups = {}
    unusual = {id(row) for own in kept.values() for row in own}
    usual = (row for own in far.values() for row in own if id(row) not in unusual)
    for row in (*alone, *usual):
        key = (row.guide.platform, row.benchmark, row.board, bool(row.past))
        minor.setdefault(key, []).append(row)
    return kept, minor


def _alike_on_boards(rows: Sequence[Row]) -> set[tuple[object, ...]]:
    """Return the figures that got worse by ``SINGLE_FALL`` and nearly as far on several boards, which is
    hardly chance."""
    sizes: dict[tuple[object, ...], list[float]] = {}
    for row in rows:
        if (row.worse_by or 0.0) >= SINGLE_FALL and measures_own(row):
            sizes.setdefault(_figure_of(row), []).append(row.worse_by or 0.0)
    return {
        figure
        for figure, own in sizes.items()
        if len(own) > 1 and max(own) <= MAX_PAIR_RATIO * min(own)
    }


def _loads_together(rows: Sequence[Row]) -> set[int]:
    """Return, by ``id()``, loads that had settled and then moved together: ``MANY_ROWS`` of a benchmark on
    its board moved the same way, and hardly any the other way.

    One such load proves little, as a few points are soon gained or lost. In public history, 19 of
    26 rows of such groups lasted in the next release.
    """
    ways: dict[tuple[object, ...], tuple[list[Row], list[Row]]] = {}
    for row in rows:
        if is_load(row) and has_left_level(row):
            key = (row.guide.platform, row.board, row.benchmark)
            ways.setdefault(key, ([], []))[(row.worse_by or 0.0) > 0].append(row)
    out: set[int] = set()
    for both in ways.values():
        for own, others in (both, both[::-1]):
            are_many = len(own) >= MANY_ROWS and len(others) * MANY_ROWS <= len(own)
            if are_many and median(map(points, own)) >= MIN_MANY_POINTS:
                out.update(id(row) for row in own if row.verdict == "noisy")
    return out


def _parts(rows: Sequence[Row], names: Names) -> list[list[Row]]:
    """Split rows of a benchmark that moved the same way into those that share a subject and boards."""
    return [part for own in _by_subject(rows, names) for part in _by_boards(own)]


def _by_subject(rows: Sequence[Row], names: Names) -> list[list[Row]]:
    """Split rows by what they measure. Metrics without parameters in unlike tables of a benchmark, such
    as arithmetic and files, share one subject only if they moved as far as many of the others did."""
    tables: dict[str, list[Row]] = {}
    repeated: list[Row] = []
    for row in rows:
        table = _table_of(row, names)
        if table is None:
            repeated.append(row)
        else:
            tables.setdefault(table, []).append(row)
    for row in repeated:
        alike = [own for own in tables.values() if own[0].unit == row.unit]
        # The other name of a row moved as far.
        nearest = min(alike, key=lambda own: min(_apart(row, each) for each in own), default=None)
        if nearest is None:
            tables.setdefault(row.unit, []).append(row)
        else:
            nearest.append(row)
    parts: list[list[Row]] = []
    for own in sorted(tables.values(), key=len, reverse=True):
        first = next((part for part in parts if _moved_as_many(part, own)), None)
        if first is None:
            parts.append(own)
        else:
            first += own
    return parts


def _table_of(row: Row, names: Names) -> str | None:
    """Return the table of a metric without parameters, or the subsystem that tables have in their ids; ""
    if the metric has parameters or no description, and ``None`` if its table repeats others."""
    described = names.catalog.get(row.benchmark)
    if row.params or described is None:
        return ""
    for metric in (row.metric, row.follows):
        for table in described.entry.tables if metric else ():
            if any(fnmatchcase(metric, each) for each in table.metrics):
                if table.repeats:
                    break
                words = table.id.split("-")
                return next(
                    (each for each in described.entry.subsystems if each in words), table.id
                )
    return None


def _moved_as_many(rows: Sequence[Row], others: Sequence[Row]) -> bool:
    """Return whether at least ``MIN_ALIKE_ROWS`` rows moved alike, and others nearly as far as these."""
    sizes = [
        [abs(row.worse_by or 0.0) for row in own if not row.follows] or [0.0]
        for own in (rows, others)
    ]
    middle, other = map(median, sizes)
    is_near = max(middle, other) <= MAX_PAIR_RATIO * min(middle, other)
    return is_near and len(sizes[0]) >= MIN_ALIKE_ROWS and _are_alike(rows)


def _apart(row: Row, other: Row) -> float:
    """Return how unlike the moves of two rows are, as a difference of logs."""
    moves = [row.worse_by or 0.0, other.worse_by or 0.0]
    return abs(moves[0] - moves[1]) if all(map(math.isfinite, moves)) else math.inf


def _by_boards(rows: Sequence[Row]) -> list[list[Row]]:
    """Split rows into parts by board. Boards are in one part if the same figure moved on both, directly
    or through other boards; different figures on another board have another cause."""
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
    """Return the rows that form an event, given the unproved rows of a group whose moves are unusual."""
    shares = [row for row in unusual if is_unsettled_share(row)]
    if len(shares) < MANY_ROWS and 2 * len(shares) > len(unusual):
        unusual = [row for row in unusual if row not in shares]
    return _worth_an_event(unusual)


def _of_one_cause(all_events: Sequence[Event], names: Names) -> list[Event]:
    """Merge events that probably have one cause into the first of them."""
    out: list[Event] = []
    for event in all_events:
        at = next((n for n, first in enumerate(out) if _is_same_cause(first, event, names)), None)
        if at is None:
            out.append(event)
        else:
            beside = (*out[at].unproved, *event.rows, *event.unproved)
            kind = out[at].kind
            # A cause that made something worse is more than a change.
            if out[at].is_cause and kind == "changed" and event.kind in ALARMS:
                kind = "regressed"
            out[at] = replace(out[at], unproved=beside, kind=kind)
    return out


def _is_same_cause(first: Event, event: Event, names: Names) -> bool:
    """Return whether an event probably has the cause of an earlier one.

    Across benchmarks, that is the work of one subsystem on the same boards that moved the same way about
    as far; or figures that came back to the level of the same release.
    """
    if first.rows[0].guide.platform != event.rows[0].guide.platform or any(
        each.accepted or each.is_minor for each in (first, event)
    ):
        return False
    same_benchmark = first.benchmark == event.benchmark
    if not same_benchmark and not {*event.boards} <= {*first.boards}:
        return False
    # A change of engine moves the rates and loads of all ciphers.
    if first.of_engine and same_benchmark and not event.is_cause:
        return {*event.boards} <= {*first.boards}
    if (first.is_cause and not first.of_failing_runs) or event.is_cause:
        return False
    # A benchmark that fails may fail in part.
    if first.kind == "failed-after" and event.kind == "noisy" and event.worse_by > 0:
        return same_benchmark and {*event.boards} <= {*first.boards}
    if first.is_cause:
        return False
    if first.is_back or (first.worse_by <= 0 and event.worse_by <= 0):
        level = level_returned_to(event.rows)
        is_one_way = (first.worse_by <= 0) == (event.worse_by <= 0) and event.kind != "regressed"
        if (
            level[0]
            and is_one_way
            and level in map(level_returned_to, (first.rows, first.unproved))
        ):
            return True
    if same_benchmark or first.is_back != event.is_back:
        return False
    subsystems = [
        set(described.entry.subsystems)
        if (described := names.catalog.get(each.benchmark))
        else set()
        for each in (first, event)
    ]
    return bool(subsystems[0] & subsystems[1]) and _are_as_far(first.leading, event.rows)


def _are_as_far(first: Sequence[Row], rows: Sequence[Row]) -> bool:
    """Return whether rows moved about as far as other rows on their boards that moved the same way."""
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
    """Return one event for the same change of clock on some boards, with the rows that followed."""
    clock = clocks[0]
    assert clock.change is not None and clock.old and clock.new
    own: list[Row] = [*clocks]
    for each in clocks:
        own += [row for fitting, _ in followers(each, rows).values() for row in fitting]
    counts = Counter(row.benchmark for row in own[len(clocks) :])
    boards = {(each.guide.platform, each.board) for each in clocks}
    # Counted on all of these boards, even where a benchmark did not follow.
    rated = Counter(
        row.benchmark
        for row in rows
        if (row.guide.platform, row.board) in boards and row.worse_by is not None
    )
    was, now = (units.number(record.cell.mean or 0.0) for record in (clock.old, clock.new))
    symbol, change = units.parse(clock.unit).symbol, units.change_text(clock.change)
    before = _when_so_before(clock)
    moved = f"back at {now} {symbol}, from {was}" if before else f"{was} → {now} {symbol}"
    ratios = sorted(row.ratio for row in own if row.ratio)
    called = {row.verdict for row in own} & {"regressed", "improved"}
    kind: Verdict = "changed"
    if called:
        kind = "regressed" if "regressed" in called else "improved"
    listed = [f"{names.catalog.title(name)} {n} of {rated[name]}" for name, n in counts.items()]
    words = f"Rows moved with it: {', '.join(listed)}"
    return Event(
        kind,
        f"Clock {moved} ({change})",
        tuple(sorted({each.board for each in clocks}, key=units.natural)),
        clock.benchmark,
        (*clocks, *sorted(own[len(clocks) :], key=_farthest)),
        median(ratios) - 1 if ratios else None,
        False,
        (
            words if counts else "No benchmark moved with it, so it may have been recorded wrongly",
            *[f"it was {now} {symbol} {before}"] * bool(before),
        ),
        is_cause=True,
        is_back=bool(before) and kind != "regressed",
    )


def _when_so_before(clock: Row) -> str:
    """Return in which releases before OLD, the last that follow one another, a clock was like that of NEW: ``in
    9.2``, ``from 9.0 to 9.2``; "" if it never was."""
    assert clock.old and clock.new
    now, last = clock.new.cell.mean, version(clock.old.guide.release)
    past = [(release, value == now) for release, value in clock.line if version(release) < last]
    spans = [[*own] for is_like_now, own in groupby(past, key=itemgetter(1)) if is_like_now]
    if not spans:
        return ""
    (start, _), (end, _) = spans[-1][0], spans[-1][-1]
    return f"in {end}" if start == end else f"from {start} to {end}"


def _explained(event: Event, rows: Sequence[Row], among: Sequence[Row], names: Names) -> Event:
    """Return an event with the explanations that other rows suggest; those ``among`` which they are may be of
    the same device."""
    if event.is_cause or event.is_back or event.is_minor:
        return event
    leading = [*filter(measures_own, event.leading)]
    more = (other_part(leading, among, names), other_test(leading, rows)) if leading else ()
    return replace(event, perhaps=(*event.perhaps, *filter(None, more)))


def series_of(row: Row, names: Names) -> tuple[object, ...]:
    """Return the identity of a series: rows of a board that differ only in numbers, such as sizes, or in
    what their labels have behind a comma."""
    benchmark = names.catalog.get(row.benchmark)
    label = benchmark.metric_label(row.metric) if benchmark else row.metric
    texts = frozenset((n, v) for n, v in row.params.items() if isinstance(v, str | bool))
    return (row.guide.platform, row.board, row.benchmark, label.partition(", ")[0], texts)


def _covering(
    all_events: Sequence[Event], rows: Sequence[Row], names: Names, event_of: Callable[..., Event]
) -> list[Event]:
    """Return events with all open rows that went the same way as far as those that they count, so that none
    moved farther than a title says."""
    taken = {
        id(row)
        for event in all_events
        if not event.is_minor
        for row in (*event.rows, *(event.unproved if event.is_cause else ()))
    }
    series = {id(row): series_of(row, names) for row in rows if is_open(row)}
    joined = set[int]()
    out = []
    for event in all_events:
        free = [row for row in rows if id(row) in series and id(row) not in taken | joined]
        if more := _as_far(event, free, series, names):
            joined.update(map(id, more))
            whole = event_of([*event.rows, *more], unproved=event.unproved)
            event = replace(whole, kind=event.kind, is_back=event.is_back)
        out.append(event)
    return [each for event in out if (each := _without(event, joined)).rows]


def _as_far(
    event: Event, rows: Sequence[Row], series: Mapping[int, tuple[object, ...]], names: Names
) -> list[Row]:
    """Return the rows that went the same way as far as the median row of an event, or far: those of its
    series and, on other boards, of the series of its figures if several moved or one beyond its scatter.
    ``series`` is by ``id()`` of the row."""
    moves = [row.worse_by for row in event.leading if row.worse_by]
    is_closed = event.is_minor or event.is_cause or event.accepted
    if is_closed or len({move > 0 for move in moves}) != 1:
        return []
    middle = median(map(abs, moves))
    least, way = min(MIN_FAR_LOG, middle), math.copysign(1.0, moves[0])
    # One cause may move the same figure half as far on another board.
    least_elsewhere = min(least, middle / MAX_SIZES_RATIO)
    are_per_work = {row.work is None for row in event.leading}
    figures = set(map(_figure_of, event.leading))
    rows = [
        row
        for row in rows
        if (row.worse_by or 0.0) * way >= (least_elsewhere if _figure_of(row) in figures else least)
        if (row.work is None) in are_per_work
        # What left its level is not back there.
        if is_back(row) or not event.is_back
    ]
    elsewhere: dict[str, list[Row]] = {}
    for row in rows if not event.is_back else ():
        if row.board not in event.boards and _figure_of(row) in figures:
            elsewhere.setdefault(row.board, []).append(row)
    own = {series_of(row, names) for row in event.leading}
    for of_board in elsewhere.values():
        if _are_several(of_board) or any(map(moved_far, of_board)):
            own |= {series[id(row)] for row in of_board}
    return [row for row in rows if series[id(row)] in own]


def _without(event: Event, joined: Collection[int]) -> Event:
    """Return an event without the rows that joined another, or that it now counts."""
    unproved = tuple(row for row in event.unproved if id(row) not in joined)
    rows = tuple(row for row in event.rows if not (event.is_minor and id(row) in joined))
    return replace(event, rows=rows, unproved=unproved)


def _figure_of(row: Row) -> tuple[object, ...]:
    """Return the identity of a row on any board."""
    params = frozenset((name, str(value)) for name, value in row.params.items())
    return (row.guide.platform, row.benchmark, row.metric, params)


def causes(rows: Sequence[Row], names: Names) -> list[Event]:
    """Return an event for each cause that keeps rows from being compared."""
    by: dict[tuple[Platform, str, str], list[Row]] = {}
    for row in rows:
        if cause := cause_of(row):
            # Engines and columns of tables belong to a benchmark, other conditions to the board.
            of_benchmark = cause.startswith(
                (ENGINE_CHANGED, EXCHANGED, IMPOSSIBLE, OTHER_BYTES, OTHER_UNIT)
            )
            key = (row.guide.platform, row.benchmark if of_benchmark else "", cause)
            by.setdefault(key, []).append(row)
    out = []
    for (_, benchmark, cause), own in by.items():
        titles = dict.fromkeys(names.catalog.title(row.benchmark) for row in own)
        what = (
            f"{names.catalog.title(benchmark)}: {own[0].ground}"
            if benchmark
            else units.capital(cause)
        )
        boards = tuple(sorted({row.board for row in own}, key=units.natural))
        more = [f"{len(titles) - NAMED} more benchmarks"] * (len(titles) > NAMED + 1)
        named = ", ".join([*titles][: NAMED if more else None] + more)
        said = _moves(own) if benchmark else f"{_moves(own)}; these are of {named}"
        perhaps = (f"Not compared: {said}",)
        first = own[0].benchmark
        out.append(
            Event("changed", what, boards, first, tuple(own), None, False, perhaps, is_cause=True)
        )
    return out


def _moves(rows: Sequence[Row]) -> str:
    """Return in words how rows moved: ``8 rows, from ÷2 to ×5, loads mostly 37 → 99 %``."""
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
    # Loads end at 100 %, so ratios say little about them; nor does a median if they were swapped.
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
    """Move unproved rises into ``beside`` where they belong to a fall of their benchmark on one of their
    boards: one change of set-up can move some rows up and others down."""
    # Rows within an accepted event would look accepted.
    falls = {key: rows for key, rows in proved.items() if not key[3]} | far
    for key, own in far.items():
        if key[2] != "improved" or not own or are_back(own) or not _have_params(own):
            continue
        boards = {row.board for row in own}
        for fall, rows in falls.items():
            if fall[:3] == (*key[:2], "regressed") and boards & {row.board for row in rows}:
                beside.setdefault(fall, []).extend([*own, *beside.pop(key, [])])
                far[key] = []
                break
    for key in (*far, *proved):
        beside.setdefault(key, [])


def _are_several(rows: Sequence[Row]) -> bool:
    """Return whether rows show more than one measurement."""
    return len({row.measurement for row in rows}) > 1


def _have_params(rows: Sequence[Row]) -> bool:
    """Return whether rows have parameters: rises of metrics with nothing in common have causes of their
    own, and are no part of a fall."""
    return any(row.params for row in rows)


def _worth_an_event(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that form an event, given unproved rows of a benchmark that moved the same way:
    those that left their level or, failing that, those back at an earlier one, if they moved enough."""
    # Metrics with nothing in common that did not move alike prove nothing together.
    if any(not row.params for row in rows) and not _are_alike(rows):
        rows = [row for row in rows if not _is_small([row])]
    back = [row for row in rows if is_back(row)]
    onward = [row for row in rows if not is_back(row)]
    # Rows on their way back must not turn small moves into an event.
    if not _is_small(onward) and not _is_odd_rise(onward):
        return onward
    count = len({row.measurement for row in back if not row.follows})
    least = MIN_FAR_LOG if count > 1 else SINGLE_RETURN
    far = any(abs(row.worse_by or 0.0) >= least for row in back if measures_own(row))
    # A load that is back is no news, nor are a few rows that moved a little.
    return back if far or (count >= MANY_ROWS and any(map(measures_own, back))) else []


def _minor_parts(event: Event, event_of: Callable[..., Event]) -> list[Event]:
    """Return a minor event, and before it one of its rows that moved far, back to their level."""
    back = [row for row in event.rows if is_far_back(row)]
    rest = [row for row in event.rows if row not in back]
    returned_events = [replace(event_of(back), is_back=True)] if back else []
    return [*returned_events, *([replace(event_of(rest), is_minor=True)] if rest else [])]


def _is_odd_rise(rows: Sequence[Row]) -> bool:
    """Return whether rises are probably scatter: rows that did not move alike, or a few rows whose earlier
    figures do not agree."""
    if any((row.worse_by or 0.0) > 0 for row in rows):
        return False
    if len({row.measurement for row in rows if not row.follows}) >= MIN_ALIKE_ROWS:
        return not _are_alike(rows)
    # Runs of one release that are far apart were excluded earlier.
    if any(row.new and row.new.cell.runs > 1 for row in rows):
        return False
    for row in rows:
        before, size = figures_before(row), abs(row.worse_by or 0.0)
        is_quiet = len(before) > 1 and log_range(before[-2:]) <= MAX_QUIET_LOG
        if len(before) == 1 and size >= SINGLE_RISE:
            return False
        if size >= MIN_FAR_LOG and is_quiet and log_range(before) < MIN_PRECEDENT_RATIO * size:
            return False
    return True


def _typical(rows: list[Row], names: Names) -> tuple[list[Row], list[Row], list[Row]]:
    """Split many rows that nothing proves into those whose series moved about as far as the median row,
    those of others that moved much farther and are an event of their own, and the rest. Few or unlike rows
    are not split."""
    lead = [row for row in _leading(rows) if not row.follows]
    sizes = [abs(row.worse_by or 0.0) for row in lead]
    if len(lead) < MANY_ROWS or not _are_alike(lead):
        return rows, [], []
    least, most = median(sizes) / MAX_SIZES_RATIO, median(sizes) * MAX_SIZES_RATIO
    usual = {
        series_of(row, names)
        for row, size in zip(lead, sizes, strict=True)
        if least <= size <= most
    }
    odd = [row for row in lead if series_of(row, names) not in usual]
    measured = {(*row.observation, row.metric) for row in odd}
    odd += [row for row in rows if (*row.observation, row.follows) in measured]
    farther = [row for row in odd if abs(row.worse_by or 0.0) > most]
    # A far move is not put beside small ones.
    if farther and not _worth_an_event(farther):
        return rows, [], []
    apart = set(map(id, odd))
    kept = [row for row in rows if id(row) not in apart]
    return kept, farther, [row for row in odd if row not in farther]


def _are_alike(rows: Sequence[Row]) -> bool:
    """Return whether at least half of the rows moved about as far as the median one or, of two rows, both
    nearly as far."""
    moves = sorted(abs(row.worse_by or 0.0) for row in rows if not row.follows)
    if len(moves) < MIN_ALIKE_ROWS:
        return len(moves) > 1 and moves[-1] <= MAX_PAIR_RATIO * moves[0]
    middle = median(moves)
    near = [middle / MAX_SIZES_RATIO <= move <= middle * MAX_SIZES_RATIO for move in moves]
    return 2 * sum(near) >= len(near)


def _is_small(rows: Sequence[Row]) -> bool:
    """Return whether unproved rows moved too little for an event.

    A single row must move by ``MIN_FAR_LOG``, or fall by ``SINGLE_FALL`` if its earlier figures agree or its
    scatter is unknown. Of several rows, one must move by ``MIN_FAR_LOG``, or their median by ``MIN_EVENT_LOG``
    (``SINGLE_FALL`` if they are few).
    """
    if rows and all(has_left_mean(row) or row.doubt.startswith(FAILED_RUN) for row in rows):
        return False
    moves = [abs(row.worse_by or 0.0) for row in rows]
    # A figure with two names counts once.
    count = len({row.measurement for row in rows if not row.follows})
    if count > 1 or not moves:
        least = MIN_EVENT_LOG if count >= MANY_ROWS else SINGLE_FALL
        return not moves or (max(moves) < MIN_FAR_LOG and median(moves) < least)
    row = min(rows, key=_farthest)
    if not is_back(row) and is_usual(row, is_alone=True):
        return True
    is_odd = (row.worse_by or 0.0) > 0 and (is_beyond_kind(row) or row.scatter is None)
    return moves[0] < (SINGLE_FALL if is_odd else MIN_FAR_LOG)


def _boards_that_go_with(proved: Sequence[Row], rows: Sequence[Row]) -> set[str]:
    """Return the boards of proved rows, and those of other rows on which a proved figure moved too."""
    same = set(map(_figure_of, proved))
    boards = {row.board for row in proved}
    return boards | {row.board for row in rows if _figure_of(row) in same}


def _is_listed(row: Row) -> bool:
    return row.verdict in EVENT_VERDICTS or moved_far(row)


def _leading(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that show how far a group moved: rates and times, or loads and other shares if
    they moved much farther."""
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
    return own or loads or list(rows)


def _far_rows(
    rows: Sequence[Row], all_rows: Sequence[Row], together: Collection[int]
) -> tuple[Groups, list[Row]]:
    """Return far moves that cannot be judged and loads that moved ``together``, by platform, benchmark and
    the verdict that they would have if proved; and packet rates that moved although the rate of their
    run did not."""
    moves: dict[tuple[object, ...], float] = {}
    for row in all_rows:
        if measures_own(row) and row.worse_by is not None and row.params:
            key = (*row.observation, direction(row.metric))
            size = abs(row.worse_by) if _is_listed(row) else 0.0
            moves[key] = max(moves.get(key, 0.0), size)
    out: Groups = {}
    alone: list[Row] = []
    for row in rows:
        if not (moved_far(row) or id(row) in together):
            continue
        ways = {direction(row.metric), ""}
        of_run = [moves[key] for way in ways if (key := (*row.observation, way)) in moves]
        if measures_own(row) or not of_run or _says_more(row, max(of_run)):
            verdict: Verdict = "regressed" if (row.worse_by or 0.0) > 0 else "improved"
            out.setdefault((row.guide.platform, row.benchmark, verdict), []).append(row)
        elif not max(of_run):
            alone.append(row)
    return out, alone


def _says_more(row: Row, of_rate: float) -> bool:
    """Return whether a load or a packet rate says more than the rate of its run. ``of_rate`` is the log
    of that rate's move, 0 if it is not listed."""
    # Packets count the same work as bytes, with fewer digits.
    if units.parse(row.unit).kind == "packet rate":
        return False
    is_far = abs(row.worse_by or 0.0) > MAX_SIZES_RATIO * of_rate and points(row) >= MIN_POINTS
    return not of_rate or is_far


def _event(
    own: Sequence[Row],
    rows: Sequence[Row],
    old: SideFigures,
    new: SideFigures,
    names: Names,
    unproved: Sequence[Row] = (),
) -> Event:
    own = sorted(own, key=_firmest_of(own))
    leading = _leading(own)
    own = [*leading, *(row for row in own if row not in leading)]
    first = own[0]
    plain = first.verdict == "changed"
    moves = (row.change if plain else row.ratio and row.ratio - 1 for row in leading)
    ratios = sorted(1 + move for move in moves if move is not None)
    boards = tuple(sorted({row.board for row in leading}, key=units.natural))
    shared = any(row.shift for row in own)
    wide = all(
        row.shift is not None and row.shift.name == row.board
        for row in own
        if row.verdict == first.verdict
    )
    siblings = [row for row in rows if row.benchmark == first.benchmark and row.board in boards]
    what = "all benchmarks" if wide else names.catalog.title(first.benchmark)
    if not wide:
        metric, _, more = (narrow := _narrow(leading, siblings, names)).partition(", ")
        # “UDP throughput: throughput, ingress” would be redundant.
        narrow = more if what.casefold().endswith(f" {metric.casefold()}") else narrow
        what = f"{what}: {narrow}" if narrow else what
    perhaps = [*_conditions(own, old, new)]
    if back := returned(own):
        perhaps.append(back)
    return Event(
        first.verdict,
        what,
        boards,
        first.benchmark,
        tuple(own),
        median(ratios) - 1 if ratios else None,
        shared,
        tuple(perhaps),
        unproved=tuple(sorted(unproved, key=_farthest)),
    )


def returned(rows: Sequence[Row]) -> str:
    """Return in words to which release's level most rows came back, which release differed from it, and
    how many rows did if not all; "" if most did not."""
    pair = level, exception = level_returned_to(rows)
    count = sum((own[-2][0], own[-1][0]) == pair for row in rows if (own := level_left(row)))
    part = f", in {count:,} of the {len(rows):,} rows" if count < len(rows) else ""
    at_clock = " at equal clock" if any(row.past for row in rows) else ""
    return f"{RETURN} {level}{at_clock}, from which {exception} differed{part}" if level else ""


def level_returned_to(rows: Sequence[Row]) -> tuple[str, str]:
    """Return to which release's level most rows came back, and which release differed from it; "" twice
    if they did not."""
    releases = Counter((own[-2][0], own[-1][0]) for row in rows if (own := level_left(row)))
    pair, count = next(iter(releases.most_common(1)), (("", ""), 0))
    # A figure that keeps jumping has no level to come back to.
    return pair if 2 * count > len(rows) else ("", "")


def _is_recovery(event: Event) -> bool:
    """Return whether all that an event reports as better is back at an earlier level."""
    is_proved_rise = event.kind == "improved" and not event.is_cause
    return is_proved_rise and bool(returned(event.rows)) and all(map(is_back, event.leading))


def _farthest(row: Row) -> tuple[bool, float]:
    """Return a sort key: rows that moved farthest come first, and those that follow others, as loads
    follow their work, last. Unproved moves count as multiples of their scatter."""
    if row.verdict == "noisy":
        return bool(row.follows) or row.work is not None, -over_scatter(row)
    ratio = row.ratio if row.ratio is not None else 1 + (row.change or 0.0)
    return bool(row.follows) or row.work is not None, -abs(
        math.log(ratio)
    ) if ratio > 0 else -math.inf


def _firmest_of(rows: Sequence[Row]) -> Callable[[Row], tuple[object, ...]]:
    """Return a sort key for the rows of an event: proved ones come first, then figures that moved on more
    boards, those that moved far on each of them before others, and rows that moved farthest."""
    sizes: dict[tuple[object, ...], list[float]] = {}
    for row in rows:
        sizes.setdefault(_figure_of(row), []).append(abs(row.worse_by or 0.0))

    def key(row: Row) -> tuple[object, ...]:
        own = sizes[_figure_of(row)]
        return row.verdict == "noisy", -len(own), len(own) > 1 and -min(own), *_farthest(row)

    return key


def _narrow(own: Sequence[Row], siblings: Sequence[Row], names: Names) -> str:
    """Return in words what the rows share but other rows of the benchmark do not: metric, engine, size."""
    parts = []
    benchmark = names.catalog.get(own[0].benchmark)
    metrics = list(dict.fromkeys(row.metric for row in _leading(own)))
    if len(metrics) <= NAMED:
        metrics.sort()
    if len({row.metric for row in siblings}) > len(metrics):
        full = [benchmark.metric_label(m) if benchmark else m for m in metrics]
        inner = [labels.within(name) for name in full]
        parts.append(_joined(inner if len({*inner}) == len(inner) else [inner[0], *full[1:]]))
    for name, value in sorted(own[0].params.items()):
        default = benchmark.param(name).default if benchmark else None
        # Readers assume the default, so it is not worth mentioning.
        if any(row.params.get(name) != value for row in own):
            parts += _several_values(name, own, siblings, benchmark)
            continue
        if value == default:
            continue
        if any(row.params.get(name) != value for row in siblings):
            plain = labels.params_text({name: value})
            parts.append(labels.param(benchmark, name, value) if benchmark else plain)
    return ", ".join(parts)


def _several_values(
    name: str, own: Sequence[Row], siblings: Sequence[Row], benchmark: Benchmark | None
) -> list[str]:
    """Return the few words that a parameter has in these rows but not in all others of the benchmark or,
    of many, their common start: ``AES`` of ``AES-128-CBC`` and others."""
    words = dict.fromkeys(
        value for row in own if isinstance(value := row.params.get(name), str) and value
    )
    is_all = {row.params[name] for row in siblings if name in row.params} <= {*words}
    if benchmark is None or is_all or any(row.params.get(name) not in words for row in own):
        return []
    texts = [labels.param(benchmark, name, word) for word in words]
    begins = {text.partition("-")[0] for text in texts}
    if len(begins) == 1 and all("-" in text for text in texts):
        return [*begins]
    return [" and ".join(sorted(texts))] if len(texts) < NAMED else []


def _joined(names: Sequence[str]) -> str:
    """Join names, with a common start given once: ``context switch: 2 of 64 KiB; 4 of 64 KiB``."""
    begins = dict.fromkeys(name.partition(", ")[0] for name in names)
    if len(names) > NAMED:
        if len(begins) <= NAMED:
            return ", ".join(begins)
        return f"{next(iter(begins))} and {len(names) - 1} more metrics"
    if len(names) > 1 and len(begins) == 1 and all(", " in name for name in names):
        return f"{next(iter(begins))}: {'; '.join(name.partition(', ')[2] for name in names)}"
    return ("; " if any(", " in name for name in names) else ", ").join(dict.fromkeys(names))


def _conditions(own: Sequence[Row], old: SideFigures, new: SideFigures) -> list[str]:
    """Return the conditions that changed for all rows of an event that both sides have."""
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
        # A fact stated by only one side may not have changed.
        if not a or not b or a == b:
            continue
        if name in (*BY_DESIGN, "governor", "cpu_mhz") or name.startswith("tool "):
            word = {"cpu_mhz": "clock"}.get(name, name.removeprefix("tool "))
            out.append(f"{word} {a} → {b}")
    return out


def tally(events: Sequence[Event]) -> Mapping[Verdict, int]:
    """Count the events that are not accepted, by kind."""
    return Counter(event.kind for event in events if not event.accepted)

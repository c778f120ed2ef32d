"""Grouping of rows with a verdict into events, each with one likely cause, largest first.

An event has the figures of one benchmark, on all boards, that moved the same way and about as far.
What changed around the rows, such as a clock or an engine, takes the rows that it explains.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

from ..common import units
from ..common.grouping import grouped
from .event import Event
from .event_causes import causes, clock_events, failing_events
from .event_names import event_of, level_returned_to
from .event_parts import (
    EVENT_VERDICTS,
    MAX_SIZES_RATIO,
    are_of_one_direction,
    is_proved,
    moved_with,
    parts,
    way_of,
    without_swings,
)
from .event_worth import is_worth_an_event, split_far_moves, stepped_together
from .explanations import (
    compiled_otherwise,
    other_compiler,
    other_device,
    other_test,
)
from .failing_runs import slower_best_runs
from .match import Names
from .row import ALARMS, Row, Verdict, is_rate
from .row_moves import is_open, over_scatter
from .verdicts import SideFigures

ORDER: Mapping[Verdict, int] = {
    "failed-after": 0,
    "regressed": 0,
    "improved": 1,
    "changed": 2,
    "failed-both": 2,
}
"""The ranks of events by the verdict of their rows."""


def events(
    rows: Sequence[Row],
    old: SideFigures,
    new: SideFigures,
    names: Names,
    among: Sequence[Row] = (),
) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Return all events of a comparison, and far moves that cannot be judged.

    Events against the newer release come first, then larger ones. Far moves start with falls, then
    those farthest beyond their scatter; minor ones, by benchmark and board, come last. Names of
    events say what their rows share and others ``among`` which they are, by default ``rows``, do
    not.
    """
    make = partial(event_of, rows=among or rows, old=old, new=new, names=names)
    explaining = [*clock_events(rows, names), *failing_events(rows, names, make)]
    # Rows that followed a clock are part of its event and must not be reported twice.
    taken = {id(row) for event in explaining for row in event.rows}
    compiled = compiled_otherwise([row for row in rows if id(row) not in taken], names)
    first = _leading_compiled(compiled)
    taken |= {id(row) for row in compiled if first}
    groups, minor = _grouped(rows, [row for row in rows if id(row) not in taken], names)
    out = []
    for group in groups:
        part, swinging = without_swings(group.rows)
        event = make(part, unproved=[*swinging, *group.beside])
        event = replace(event, is_back=way_of(part[0]).is_back)
        out.append(_explained(event, rows, among or rows, names))
    # Returns come first, as those of too few releases to show one may join them.
    out.sort(key=lambda event: (not event.is_back, *_order(event)))
    out = _of_one_cause([*explaining, *causes(rows, names)], out, names)
    if first:
        event = make(first, unproved=[row for row in compiled if row not in first])
        out.append(replace(event, inferred=(other_compiler(compiled, names),)))
    out += map(make, slower_best_runs(rows))
    out = sorted(_of_one_explanation(out), key=_order)
    out += [replace(make(part), is_minor=True) for part in minor]
    return (
        tuple(event for event in out if event.kind != "noisy"),
        tuple(event for event in out if event.kind == "noisy"),
    )


def _of_one_explanation(events: Sequence[Event]) -> list[Event]:
    """Return the events. Those that the same other storage device or test may explain are one, named
    by a fall; so are unproved ones of a benchmark that moved the same way on the same boards."""

    def explanation(event: Event) -> tuple[object, ...]:
        platform = event.rows[0].guide.platform
        inferred = next((each for each in event.inferred if each.kind != "compiler"), None)
        if inferred:
            of = event.benchmark if inferred.kind == "test" else event.boards
            return (inferred, platform, of, event.accepted)
        # In public history, there were two such pairs, both of what the kernel does.
        if event.kind == "noisy" and len(event.boards) > 1:
            directions = frozenset(row.params.get("direction") for row in event.rows)
            return (event.benchmark, platform, event.boards, way_of(event.rows[0]), directions)
        return (id(event),)

    out = []
    for alike in grouped(events, explanation).values():
        first, *others = sorted(alike, key=lambda event: event.worse_by <= 0)
        out.append(replace(first, also=tuple(others)))
    return out


def _order(event: Event) -> tuple[object, ...]:
    if event.kind == "noisy":
        return (
            1,
            event.is_back,
            event.worse_by <= 0,
            -event.over_scatter,
            event.what,
            event.boards,
        )
    return (0, event.accepted, ORDER[event.kind], -event.weight, event.what)


@dataclass(slots=True)
class _Group:
    """The rows of an event, and its smaller moves, which are not proved."""

    rows: list[Row]
    beside: list[Row] = field(default_factory=list)


class _Unreported:
    """The rows that are in no event yet. Rows are compared by identity, as equal ones occur."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._by_id = {id(row): row for row in rows}

    def among(self, rows: Iterable[Row]) -> list[Row]:
        """Return those of ``rows`` that are in no event."""
        return [row for row in rows if id(row) in self._by_id]

    def take(self, rows: Iterable[Row]) -> list[Row]:
        """Return those of ``rows`` that are in no event, which are now in one."""
        taken = self.among(rows)
        for row in taken:
            del self._by_id[id(row)]
        return taken

    def open_rows(self) -> list[Row]:
        """Return the rows that have no verdict but moved."""
        return [row for row in self._by_id.values() if is_open(row)]


def _grouped(
    rows: Sequence[Row], free: Sequence[Row], names: Names
) -> tuple[list[_Group], list[list[Row]]]:
    """Return the events of the rows that nothing explains, and the rest of the rows that moved far,
    by benchmark and board."""
    unreported = _Unreported(free)
    unusual, minor = map(unreported.among, split_far_moves(rows))
    proved = [row for row in free if row.verdict in EVENT_VERDICTS]
    unusual += _rates_of_packets(proved, unusual, free)
    large, small = list[list[Row]](), list[list[Row]]()
    for part in parts([*proved, *unusual], names):
        is_event = is_proved(part) or is_worth_an_event(part)
        (large if is_event else small).append(part)
    groups = [*_joined(large, unreported, names)]
    groups += _steps(rows, groups, unreported, names)
    for part in small:
        left = unreported.among(part)
        group = next((group for group in groups if left and _is_beside(left, group.rows)), None)
        if group is None:
            minor += left
        else:
            group.beside += unreported.take(left)
    of_boards = grouped(
        unreported.among(minor),
        lambda row: (row.guide.platform, row.benchmark, row.board, bool(row.past)),
    )
    return groups, [*of_boards.values()]


def _rates_of_packets(
    proved: Sequence[Row], unusual: Sequence[Row], free: Sequence[Row]
) -> Iterator[Row]:
    """Yield the open byte rates whose packet rates are proved: packets may prove what the rate of
    their run does not."""
    runs = {row.measurement for row in proved if units.parse(row.unit).kind == "packet rate"}
    runs -= {row.measurement for row in unusual}
    return (row for row in free if row.measurement in runs and is_open(row) and is_rate(row))


def _joined(
    large: Sequence[Sequence[Row]], unreported: _Unreported, names: Names
) -> Iterator[_Group]:
    """Yield each event with the open rows that moved with it. Those that are back at a level come
    last, as the same figures may have left it on another board."""
    ways = grouped(large, lambda part: way_of(part[0]).is_back)
    for returns in (False, True):
        for rows in [*filter(None, map(unreported.take, ways.get(returns, ())))]:
            more = [] if rows[0].accepted else moved_with(rows, unreported.open_rows(), names)
            yield _Group([*rows, *unreported.take(more)])


def _steps(
    rows: Sequence[Row], groups: Sequence[_Group], unreported: _Unreported, names: Names
) -> Iterator[_Group]:
    """Yield the events of rows that stepped together, if neither they nor other figures of their
    runs are in one of the ``groups``."""
    measured = {row.measurement for group in groups for row in group.rows}
    stepped = unreported.among(stepped_together(rows, names))
    for part in parts((row for row in stepped if row.measurement not in measured), names):
        if is_worth_an_event(part) and (own := unreported.take(part)):
            yield _Group([*own, *unreported.take(moved_with(own, unreported.open_rows(), names))])


def _leading_compiled(compiled: Sequence[Row]) -> list[Row]:
    """Return the rows that name the event of another compiler, of the benchmark with the clearest
    move: those that got worse or, if nothing shows that any did, better; else nothing."""
    for is_worse in (True, False):
        moved = [row for row in compiled if ((row.worse_by or 0.0) > 0) is is_worse]
        if is_proved(moved) or (moved and is_worth_an_event(moved)):
            clearest = max(moved, key=lambda row: (is_proved([row]), over_scatter(row)))
            return [row for row in moved if row.benchmark == clearest.benchmark]
    return []


def _is_beside(rows: Sequence[Row], group: Sequence[Row]) -> bool:
    """Return whether small moves went the way of an event, on its boards."""
    boards = {row.board for row in group}
    is_same_way = way_of(rows[0]) == way_of(group[0]) and are_of_one_direction([*rows, *group])
    return is_same_way and {row.board for row in rows} <= boards


def _of_one_cause(causing: Sequence[Event], others: Sequence[Event], names: Names) -> list[Event]:
    """Return all events, each beside the first one that probably has its cause, if there is any."""
    # Changes of engine come first, as their effects become part of them.
    out = sorted(causing, key=lambda event: not event.of_engine)
    for event in others:
        at = next((n for n, first in enumerate(out) if _is_same_cause(first, event, names)), None)
        if at is None:
            out.append(event)
            continue
        kind = out[at].kind
        # A cause that made something worse is more than a change.
        if out[at].is_cause and kind == "changed" and event.kind in ALARMS:
            kind = "regressed"
        out[at] = replace(
            out[at], unproved=(*out[at].unproved, *event.rows, *event.unproved), kind=kind
        )
    return out


def _is_same_cause(first: Event, event: Event, names: Names) -> bool:
    """Return whether an event probably has the cause of an earlier one."""
    rows = (first.rows[0], event.rows[0])
    is_open = not (first.accepted or event.accepted) and {*event.boards} <= {*first.boards}
    if rows[0].guide.platform != rows[1].guide.platform or not is_open:
        return False
    same_benchmark = first.benchmark == event.benchmark
    is_fall = event.worse_by > 0
    # An engine moves the rates and loads of all ciphers, and a benchmark that fails may fail in part.
    if first.is_cause or first.kind == "failed-after":
        fails = first.kind == "failed-after" and event.kind == "noisy" and is_fall
        fails = fails and are_of_one_direction([*first.rows, *event.rows])
        return same_benchmark and (first.of_engine or fails)
    if same_benchmark or (first.worse_by > 0) != is_fall:
        return False
    if first.is_back and event.kind == "noisy" and (level := level_returned_to(first.rows))[0]:
        return level == level_returned_to(event.rows)
    if first.is_back or event.is_back:
        return False
    subsystems = [
        set(described.entry.subsystems)
        if (described := names.catalog.get(each.benchmark))
        else set()
        for each in (first, event)
    ]
    return bool(subsystems[0] & subsystems[1]) and _are_as_far(first.leading, event.rows)


def _are_as_far(first: Sequence[Row], rows: Sequence[Row]) -> bool:
    """Return whether rows moved about as far as other rows on their boards."""
    boards = {row.board for row in rows}
    sizes = [
        median(moves)
        for each in ([row for row in first if row.board in boards], rows)
        if (
            moves := [
                abs(row.worse_by) for row in each if row.worse_by and math.isfinite(row.worse_by)
            ]
        )
    ]
    return len(sizes) == 2 and max(sizes) <= MAX_SIZES_RATIO * min(sizes)


def _explained(event: Event, rows: Sequence[Row], among: Sequence[Row], names: Names) -> Event:
    """Return an event with the explanations that other rows suggest; those ``among`` which they are
    may be of the same device."""
    if event.is_back:
        return event
    leading = event.leading
    inferred = (other_device(leading, among, names), other_test(leading, rows, names))
    return replace(event, inferred=tuple(filter(None, inferred)))

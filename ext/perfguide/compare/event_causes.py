"""Events that name what changed around their rows: clocks, runs that fail, and other causes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter
from statistics import median

from ..bundles.guide_key import Platform, version
from ..common import units
from ..common.grouping import grouped
from .causes import EXCHANGED, cause_of, spans
from .event import Event
from .event_names import NAMED, farthest_first
from .failing_runs import failing_runs
from .judged_rows import followers
from .match import Names
from .not_compared import ENGINE_CHANGED, IMPOSSIBLE, OTHER_UNIT
from .packet_bytes import OTHER_BYTES
from .row import Row, Verdict


def clock_events(rows: Sequence[Row], names: Names) -> list[Event]:
    """Return an event for each change of clocks, with the rows that followed it."""
    clocks = (
        (row, (row.guide.platform, row.metric, row.old.cell.mean, row.new.cell.mean))
        for row in rows
        if row.is_clock and row.change is not None and row.change > -1 and row.old and row.new
    )
    return [
        _of_clock([row for row, _ in pairs], rows, names)
        for pairs in grouped(clocks, itemgetter(1)).values()
    ]


def failing_events(
    rows: Sequence[Row], names: Names, event_of: Callable[..., Event]
) -> list[Event]:
    """Return an event for each benchmark with runs that fail."""
    return [
        replace(
            event_of(each.rates),
            kind=each.kind,
            what=f"{event_of(each.rates).what}: {each.words}",
            rows=each.rows,
            boards=tuple(sorted({row.board for row in each.rows}, key=units.natural)),
            change=None,
            recorded=each.samples,
            is_cause=True,
        )
        for each in failing_runs(rows, names)
    ]


def _of_clock(clocks: Sequence[Row], rows: Sequence[Row], names: Names) -> Event:
    """Return one event for the same change of clock on some boards, with the rows that followed."""
    clock = clocks[0]
    assert clock.change is not None and clock.old and clock.new
    moved_rows: list[Row] = [*clocks]
    for each in clocks:
        moved_rows += [row for fitting, _ in followers(each, rows).values() for row in fitting]
    counts = Counter(row.benchmark for row in moved_rows[len(clocks) :])
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
    ratios = sorted(row.ratio for row in moved_rows if row.ratio)
    called = {row.verdict for row in moved_rows} & {"regressed", "improved"}
    kind: Verdict = "improved" if called else "changed"
    # A board that is slower with its clock is slower, even if no single figure proves it.
    if "regressed" in called or (counts and clock.change < 0):
        kind = "regressed"
    listed = [f"{names.catalog.title(name)} {n} of {rated[name]}" for name, n in counts.items()]
    words = f"Rows moved with it: {', '.join(listed)}"
    return Event(
        kind,
        f"Clock {moved} ({change})",
        tuple(sorted({each.board for each in clocks}, key=units.natural)),
        clock.benchmark,
        (*clocks, *sorted(moved_rows[len(clocks) :], key=farthest_first)),
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
    """Return in which releases before OLD, the last that follow one another, a clock was like that
    of NEW: ``in 9.2``, ``from 9.0 to 9.2``; "" if it never was."""
    assert clock.old and clock.new
    now, last = clock.new.cell.mean, version(clock.old.guide.release)
    past = ((release, value == now) for release, value in clock.line if version(release) < last)
    return next(reversed(spans(past)), "")


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
    for (_, benchmark, cause), of_cause in by.items():
        titles = dict.fromkeys(names.catalog.title(row.benchmark) for row in of_cause)
        what = (
            f"{names.catalog.title(benchmark)}: {of_cause[0].ground}"
            if benchmark
            else units.capital(cause)
        )
        boards = tuple(sorted({row.board for row in of_cause}, key=units.natural))
        more = [f"{len(titles) - NAMED} more benchmarks"] * (len(titles) > NAMED + 1)
        named = ", ".join([*titles][: NAMED if more else None] + more)
        said = _moves(of_cause) if benchmark else f"{_moves(of_cause)}; these are of {named}"
        out.append(
            Event(
                kind="changed",
                what=what,
                boards=boards,
                benchmark=of_cause[0].benchmark,
                rows=tuple(of_cause),
                change=None,
                shared=False,
                recorded=(f"Not compared: {said}",),
                is_cause=True,
            )
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

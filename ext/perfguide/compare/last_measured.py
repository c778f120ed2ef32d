"""Events of what OLD did not measure, from a comparison with the last release that did."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from operator import attrgetter

from ..bundles.guide_key import GuideKey, version
from ..common import units
from ..common.grouping import grouped
from ..figures import labels
from ..figures.engines import run_of
from ..figures.failed_runs import in_mean
from ..figures.pool import Pool, Record
from .causes import EXCHANGED, exchanged
from .engine_changes import EngineChange
from .event import Event
from .event_causes import causes, clock_events
from .event_parts import are_of_one_direction, figure_of, kind_of
from .events import events
from .failed_rows import at_zero, failed_run, without_failed_runs
from .history import History, scaled
from .judged_rows import clock, since_at_equal_clock
from .match import Names, metric_of, tools_of
from .not_compared import impossible, too_small
from .packet_bytes import PACKETS, RATE
from .row import Row
from .row_moves import MIN_EVENT_LOG, MIN_FAR_LOG, measures_own
from .verdicts import SideFigures, counted_once

MAX_RELEASES_BETWEEN = 2
"""The most releases between two figures, with OLD, for their difference to be about NEW."""


def events_since(
    judged: Sequence[Row],
    of_new_boards: Sequence[Row],
    sides: tuple[SideFigures, SideFigures],
    engines: Iterable[EngineChange],
    history: History,
    names: Names,
) -> list[Event]:
    """Return the changes of clock and engine, new lows and new highs of figures that NEW but not
    OLD measured, also on boards that OLD lacks, ``of_new_boards``; unproved ones come last.

    New lows are figures that are worse than in any earlier release. They are events if one of their
    benchmark is worse by ``MIN_FAR_LOG`` than when last measured or fails now. New highs are those
    that are better. Rows with swapped labels are left out.
    """
    benchmarks = {row.benchmark for row in judged}
    every = [*judged, *(row for row in of_new_boards if row.benchmark in benchmarks)]
    of_engines, others = _against_last(every, sides[1].pool, engines, history, names)
    out = [
        _since(event, release, history)
        for release, rows in grouped(of_engines, _old_release).items()
        for event in causes(rows, names)
    ]
    by_release = grouped(others, _old_release)
    of_clocks = _clock_events_since(by_release, names)
    out += of_clocks
    explained, clocks = set[int](), dict[tuple[str, str], Row]()
    for event in of_clocks:
        explained.update(map(id, event.rows))
        of_boards = {row.board: row for row in event.rows if row.is_clock}
        clocks |= {(row.board, row.benchmark): of_boards[row.board] for row in event.rows}
    # A packet rate says no more than the rate of its run, unless that counts other bytes now.
    rated = {row.observation for row in others if units.parse(row.unit).kind == RATE}
    for release, rows in by_release.items():
        unexplained = (
            since_at_equal_clock(row, clock, names) if clock else row
            for row in rows
            if id(row) not in explained
            for clock in [clocks.get((row.board, row.benchmark))]
        )
        for of_benchmark in grouped(unexplained, attrgetter("benchmark")).values():
            telling = [
                row
                for row in without_failed_runs(of_benchmark)
                if row.verdict == "failed-after"
                or units.parse(row.unit).kind != PACKETS
                or row.observation not in rated
            ]
            extremes = _lows_and_highs(telling, sides, [*every, *others], names)
            out += [_since(event, release, history) for event in extremes]
    return sorted(out, key=lambda event: event.kind == "noisy")


def _clock_events_since(by_release: Mapping[str, Sequence[Row]], names: Names) -> list[Event]:
    """Return the changes of clock. The rows that followed a clock show that it had not changed yet
    when most of them were measured."""
    out = []
    for release, rows in by_release.items():
        # The rows measured without the clock in between had it.
        later = [
            row
            for other, of_release in by_release.items()
            if version(other) > version(release)
            for row in of_release
            if not row.is_clock
        ]
        for event in clock_events([*rows, *later], names):
            measured = sorted(map(_old_release, event.rows), key=version)
            since = measured[len(measured) // 2]
            out.append(replace(event, what=f"{event.what} since {since}", since=since))
    return out


def _since(event: Event, release: str, history: History) -> Event:
    """Return an event since an earlier release, which is old if several others lie between, or if
    its kind moved in one of these."""
    between = history.releases_between(release, event.rows[0].guide)
    is_old = event.kind in ("noisy", "changed") and (
        between > MAX_RELEASES_BETWEEN or bool(event.already)
    )
    return replace(event, since=release, is_old=is_old)


def _old_release(row: Row) -> str:
    assert row.old is not None
    return row.old.guide.release


def _against_last(
    rows: Sequence[Row],
    pool: Pool,
    engines: Iterable[EngineChange],
    history: History,
    names: Names,
) -> tuple[list[Row], list[Row]]:
    """Return the rows that only NEW has, compared with the last release that had them: those that a
    change of engine explains, and the others."""
    changes = {(change.board, change.record.benchmark): change for change in engines}
    mislabelled = exchanged(rows)
    swapped = {(row.board, row.benchmark) for row in rows if row.ground.startswith(EXCHANGED)}
    impossible_in = cache(partial(_impossible, pool=pool, names=names))
    of_engines, others = list[Row](), list[Row]()
    for row in rows:
        table = (row.board, row.benchmark)
        if row.verdict != "only-new" or id(row) in mislabelled or table in swapped:
            continue
        last = _last(row, pool, history, names)
        if last is None or id(last) in impossible_in(last.guide):
            continue
        if (against := _against(row, last, history)) is None:
            continue
        # Only what ran with another engine is explained by it.
        change = changes.get(table)
        if not (change and row.new and run_of(row.new).params in change.runs):
            others.append(clock(against, names))
        elif change.release == last.guide.release:
            of_engines.append(replace(against, verdict="incomparable", ground=change.ground))
    return of_engines, counted_once(others)


def _lows_and_highs(
    rows: Sequence[Row],
    sides: tuple[SideFigures, SideFigures],
    every: Sequence[Row],
    names: Names,
) -> Iterator[Event]:
    """Yield the events of a benchmark's rows worse or better than in any earlier release, those
    whose kind moved before NEW apart from others."""
    of_kinds = grouped(every, partial(kind_of, names=names))
    for extremes in ([*filter(is_new_low, rows)], [*filter(is_new_high, rows)]):
        moved_in = grouped(extremes, lambda row: _moved_in(row, of_kinds[kind_of(row, names)]))
        for release, moved in moved_in.items():
            if not _are_worth_an_event(moved):
                continue
            for event in chain(*events(moved, *sides, names, among=every)):
                if event.is_minor or event.is_back:
                    continue
                already = _failed_already(event, every, names)
                if release:
                    already = f"others of its kind moved as far in {release} already"
                yield replace(event, already=already)


def _moved_in(row: Row, alike: Iterable[Row]) -> str:
    """Return the release, after the older one of a row, in which most figures ``alike`` that have
    moved at least half as far since had done so, and not again with NEW; "" if there is none."""
    assert row.old and row.new
    since, now = (version(each.guide.release) for each in (row.old, row.new))
    size = row.worse_by or 0.0
    way = math.copysign(1.0, size) * (1 if row.better == "lower" else -1)
    releases, moved = Counter[str](), 0
    for other in alike:
        line = [(version(r), r, way * math.log(value)) for r, value in other.line if value > 0]
        start = [at for release, _, at in line if release <= since][-1:]
        between = [(r, at - start[0]) for release, r, at in line if start and since < release < now]
        end = [at - start[0] for release, _, at in line if start and release == now]
        if not between or not end or end[0] < abs(size) / 2:
            continue
        moved += 1
        if between[-1][1] >= abs(size) / 2 > end[0] - between[-1][1]:
            releases[next(r for r, by in between if by >= abs(size) / 2)] += 1
    (release, _), *_ = [*releases.most_common(1), ("", 0)]
    return release if 2 * releases.total() > moved else ""


def joined_events(earlier: Sequence[Event], since: Sequence[Event]) -> list[Event]:
    """Return all events, those ``since`` an earlier release as part of the first of their benchmark
    that went the same way on their boards. Metrics without parameters may have causes of their own,
    unless they were last measured together."""
    out = [*earlier]
    for event in since:
        fitting = (n for n, first in enumerate(out) if _is_part_of(event, first))
        # A fall is part of one of its figures, or of another fall, rather than of a failure.
        at = min(
            fitting,
            key=lambda n: (not _has_figures_of(out[n], event), out[n].kind == "failed-after"),
            default=None,
        )
        if at is None:
            # A return to a level on one board may be new on another.
            returns = [each for each in out if each.is_back and _has_returns_of(event, each)]
            out = [each for each in out if not any(each is other for other in returns)]
            out.append(replace(event, also=(*event.also, *returns)))
        else:
            out[at] = replace(out[at], also=(*out[at].also, event))
    return out


def _is_part_of(event: Event, first: Event) -> bool:
    is_closed = first.is_cause or first.is_back or first.is_minor or first.accepted
    if (
        is_closed
        or event.is_cause
        or first.benchmark != event.benchmark
        or first.rows[0].guide.platform != event.rows[0].guide.platform
        or not are_of_one_direction([*first.rows, *event.rows])
    ):
        return False
    # What fails on one board may have failed on others before, or fail in part.
    if first.kind == "failed-after":
        return event.kind == "failed-after" or (event.worse_by > 0 and not event.already)
    # A far fall must not hide behind a small one.
    return (
        event.kind == "noisy"
        and event.already == first.already
        and (first.worse_by > 0) == (event.worse_by > 0)
        and not first.worse_by < MIN_FAR_LOG <= event.worse_by
        and (event.since == first.since or all(row.params for row in event.rows))
        and ({*event.boards} <= {*first.boards} or _has_figures_of(first, event))
    )


def _has_returns_of(event: Event, back: Event) -> bool:
    """Return whether an event since a release has the figures of a return, which went its way."""
    is_same_way = (event.worse_by > 0) == (back.worse_by > 0) and not back.is_cause
    return is_same_way and {*map(figure_of, back.rows)} <= {*map(figure_of, event.rows)}


def _has_figures_of(first: Event, event: Event) -> bool:
    """Return whether an event since a release has the figures of another, on whichever boards."""
    figures = [set(map(figure_of, each.rows)) for each in (first, event)]
    return event.since == first.since and figures[1] <= figures[0]


def _are_worth_an_event(rows: Sequence[Row]) -> bool:
    return any(
        row.verdict == "failed-after" or abs(row.worse_by or 0.0) >= MIN_FAR_LOG for row in rows
    )


def _impossible(guide: GuideKey, pool: Pool, names: Names) -> set[int]:
    """Return, by ``id()``, the figures of a guide that are impossible."""
    records = pool.of_guide(guide)
    beyond = {
        id(record)
        for record in records
        if impossible(metric_of(names, record), names.params(record), [record])
    }
    return beyond | too_small(records, names).keys()


def is_new_low(row: Row) -> bool:
    """Return whether a rate fails, or a rate or a time is worse than all earlier figures, and than
    the last one by more than ``MIN_EVENT_LOG``."""
    return row.verdict == "failed-after" or _is_extreme(row, 1)


def is_new_high(row: Row) -> bool:
    """Return whether a rate or a time is better than all earlier figures, and than the last one by
    more than ``MIN_EVENT_LOG``."""
    return _is_extreme(row, -1)


def _is_extreme(row: Row, way: int) -> bool:
    assert row.new is not None
    is_small = way * (row.worse_by or 0.0) < MIN_EVENT_LOG
    if units.parse(row.unit).kind == "share" or is_small:
        return False
    last = version(row.new.guide.release)
    before = [value for release, value in row.past or row.line if version(release) < last]
    now = row.new.cell.mean or 0.0
    return now < min(before) if (row.better == "higher") == (way > 0) else now > max(before)


def _failed_already(event: Event, rows: Iterable[Row], names: Names) -> str:
    """Return in words which other run of a failing event's benchmark and boards fails as it did
    when last measured: ``throughput, AES-128, failed in 08.02 already``; "" if none does."""
    observations = {row.observation for row in event.rows}
    for row in rows if event.kind == "failed-after" else ():
        is_beside = row.benchmark == event.benchmark and row.board in event.boards
        if not (is_beside and row.new and row.better == "higher" and measures_own(row)):
            continue
        now = version(row.new.guide.release)
        before = [each for each in row.line if version(each[0]) < now]
        if not before or row.observation in observations:
            continue
        ends, most = (before[-1][1], row.new.cell.mean), max(value for _, value in before)
        if all(in_mean(row.unit, end, most) for end in ends):
            described = names.catalog.benchmark(row.benchmark)
            label = labels.within(labels.in_benchmark(described, row.new))
            return f"{label}, failed in {before[-1][0]} already"
    return ""


def _last(row: Row, pool: Pool, history: History, names: Names) -> Record | None:
    """Return the figure of a row in the last earlier release with the same conditions."""
    if row.new is None or row.new.cell.mean is None:
        return None
    compared = {row.new.guide.release}
    earlier = history.of(pool, row.new, compared, tools_of(names, row.benchmark))
    return history.in_release(row.new, [*earlier][-1]) if earlier else None


def _against(row: Row, last: Record, history: History) -> Row | None:
    """Return a row with its last earlier figure as the older one, without a verdict."""
    assert row.new is not None
    factor = units.factor(last.unit, row.new.unit)
    if factor is None or not last.cell.mean or row.new.cell.mean is None or failed_run(row, last):
        return None
    against = replace(
        row,
        old=replace(last, cell=scaled(last.cell, factor), unit=row.new.unit),
        verdict="noisy",
        ground=f"last measured with {last.guide.release}",
        change=row.new.cell.mean / (factor * last.cell.mean) - 1,
    )
    return at_zero(against, factor * last.cell.mean, row.new.cell.mean)

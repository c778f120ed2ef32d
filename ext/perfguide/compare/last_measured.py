"""Falls of figures that OLD did not measure, against the last release that did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..bundles.guide_key import version
from ..common import units
from ..figures.pool import Pool, Record
from .causes import exchanged
from .engine_changes import EngineChange
from .events import SINGLE_FALL, Event, events
from .history import History, scaled
from .match import Names
from .row_moves import FAR, SMALL_MOVE, figures_before, log_range
from .verdicts import Row, SideFigures, failed_run, tools_of

MIN_IN_RANGE, MIN_BEYOND_RANGE = 3, 2.0
"""The fewest earlier figures that show a range, and the least distance from it, as a multiple of the range
in logs, for a figure to have left it."""


def falls_since(
    judged: Sequence[Row],
    sides: tuple[SideFigures, SideFigures],
    engines: Iterable[EngineChange],
    history: History,
    names: Names,
) -> tuple[Event, ...]:
    """Return the events of figures that only NEW measured, and that are worse than in any release before,
    if any of their benchmark are worse by ``FAR`` than in the last release that measured them, or several
    fell far below a narrow range. Nothing proves them. Changes of engine and exchanged labels are other
    causes."""
    others = {(change.board, change.record.benchmark) for change in engines}
    wrong = exchanged(judged, lambda row: history.line(row.new) if row.new else ())
    by_benchmark: dict[tuple[str, str], list[Row]] = {}
    for row in judged:
        if row.verdict != "only-new" or (row.board, row.benchmark) in others or id(row) in wrong:
            continue
        last = _last(row, sides[1].pool, history, names)
        against = _against(row, last, history) if last else None
        if against and last and is_new_low(against):
            by_benchmark.setdefault((last.guide.release, row.benchmark), []).append(against)
    return tuple(
        replace(event, since=release)
        for (release, _), rows in by_benchmark.items()
        if any((row.worse_by or 0.0) >= FAR for row in rows)
        or len({row.measurement for row in rows if has_left_range(row)}) > 1
        for event in events(rows, *sides, names, among=judged)[1]
        if not (event.is_minor or event.is_back)
    )


def is_new_low(row: Row) -> bool:
    """Return whether a rate or a time is worse than its older figure, by more than ``SMALL_MOVE``, and than
    all before."""
    assert row.new is not None
    if units.parse(row.unit).kind in ("share", "packet rate") or (row.worse_by or 0.0) < SMALL_MOVE:
        return False
    last = version(row.new.guide.release)
    before = [value for release, value in row.line if version(release) < last]
    now = row.new.cell.mean or 0.0
    return now < min(before) if row.better == "higher" else now > max(before)


def has_left_range(row: Row) -> bool:
    """Return whether a row is worse than all of several earlier figures, by more than ``SINGLE_FALL`` and by
    a multiple of their range."""
    before, now = figures_before(row), row.new.cell.mean if row.new else None
    if len(before) < MIN_IN_RANGE or not now or min(*before, now) <= 0:
        return False
    ends = (now, min(before)) if row.better == "higher" else (max(before), now)
    return log_range(ends) >= max(SINGLE_FALL, MIN_BEYOND_RANGE * log_range(before))


def _last(row: Row, pool: Pool, history: History, names: Names) -> Record | None:
    """Return the figure of a row in the last earlier release that measured it under like conditions."""
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
    old = replace(last, cell=scaled(last.cell, factor), unit=row.new.unit)
    return replace(
        row,
        old=old,
        verdict="noisy",
        ground=f"last measured with {last.guide.release}",
        change=row.new.cell.mean / (factor * last.cell.mean) - 1,
        line=history.line(row.new),
    )

"""Moves of single rows, compared with their figures in earlier releases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from ..common import units
from ..figures.failed_runs import in_mean
from . import moves
from .moves import RECENT_RELEASES
from .noise import MIN_DEVIATION
from .row import Row, points

MIN_FAR_LOG = math.log(1.5)
"""The least log ratio of a move that is listed even if it may be scatter."""

MIN_EVENT_LOG = math.log(1.1)
"""The least log ratio, by the median, of a move of unproved rows that is an event of its own."""

MIN_LONG_HISTORY_MOVES, MIN_PRECEDENTS, MIN_EARLY_PRECEDENTS = 4, 2, 1
"""A move is usual for a row if ``MIN_PRECEDENTS`` earlier moves were nearly as large, or
``MIN_EARLY_PRECEDENTS`` if there are fewer than ``MIN_LONG_HISTORY_MOVES``."""

MIN_PRECEDENT_RATIO = 2 / 3
"""The least ratio of an earlier move to the present one, as logs, to be nearly as large."""

MAX_QUIET_LOG, MAX_QUIET_SHARE = math.log(1.1), 0.25
"""The last two earlier figures agree, so that no move away from them is usual, if their log ratio
is at most ``MAX_QUIET_LOG`` and at most this share of the move."""

MAX_SETTLED_LOG = math.log(1.5)
"""The largest log ratio between the last earlier figures of a share for a few such rows to be an
event without proof."""

MIN_POINTS = 10.0
"""The least move of a load or another share, in percentage points, of an unproved event."""

MIN_METRIC_SCATTERS = 1.5
"""The smallest listed move of a row with two earlier figures, as a multiple of the scatter of rows
of its metric: about three standard deviations of a typical row."""

MIN_LEVEL_MOVES = 3.0
"""The least distance of NEW from the last figures, as a multiple of a row's median move, that leaves
all of its levels."""

MAX_OUTSIDE_SHARE = 0.5
"""The largest distance of NEW from scattered runs of OLD that shows no change, as a share of their
log range: nearly half of all third runs are farther outside the range of two."""

UNKNOWN_SCATTER = 0.2
"""The relative scatter assumed for rows whose own is unknown."""

MAX_LEVEL_RELEASES, LEAST_LEVEL_RELEASES = 3, 2
"""The most and the fewest releases before OLD that can show an earlier level."""

MAX_FROM_LEVEL = math.log(1.5)
"""The largest log ratio of NEW to a level for it to be back there, however far OLD was."""


def has_left_level(row: Row) -> bool:
    """Return whether the last two earlier figures of a row agree, and it moved far beyond their
    range and its scatter."""
    before, size = figures_before(row)[-2:], abs(row.worse_by or 0.0)
    if len(before) < 2 or not max(MIN_EVENT_LOG, math.log1p(row.scatter or 0.0)) < size < math.inf:
        return False
    return log_range(before) <= min(MAX_QUIET_LOG, MAX_QUIET_SHARE * size)


def is_open(row: Row) -> bool:
    """Return whether a row moved without a verdict, has no two states, and does not share the
    verdict of another metric."""
    return row.verdict == "noisy" and bool(row.worse_by) and not (row.alternates or row.follows)


def moved_far(row: Row) -> bool:
    """Return whether a row without a verdict moved by ``MIN_FAR_LOG``, by more than its scatter, or
    well beyond the scatter of its metric."""
    if row.verdict != "noisy" or row.alternates or row.worse_by is None:
        return False
    change = row.judged_change if row.past else row.change
    if (change is not None and abs(change) <= row.floor) or is_among_old_runs(row):
        return False
    # A doubtful improvement is no news, and a load is reported with its run.
    if row.doubt:
        return row.worse_by > 0 and measures_own(row)
    size = abs(row.worse_by)
    # Overlapping ranges of samples show no new level unless it is far away, or all new samples are
    # on one side of the old mean.
    if row.spread:
        return size >= MIN_FAR_LOG or has_left_mean(row)
    # If the scatter is unknown, the move must exceed a usual one.
    beyond_own = size > math.log1p(UNKNOWN_SCATTER if row.scatter is None else row.scatter)
    return size >= MIN_FAR_LOG or beyond_own or is_beyond_kind(row)


def has_left_mean(row: Row) -> bool:
    """Return whether the mean of samples got worse by ``MIN_EVENT_LOG``, all samples are worse than
    the mean of OLD, and their mean is worse than those of several earlier releases."""
    before, now = figures_before(row), row.new.cell if row.new else None
    if not row.spread or now is None or now.low is None or now.high is None or now.mean is None:
        return False
    if len(before) < LEAST_LEVEL_RELEASES or (row.worse_by or 0.0) < MIN_EVENT_LOG:
        return False
    if row.better == "higher":
        return before[-1] > now.high and min(before) > now.mean
    return before[-1] < now.low and max(before) < now.mean


def has_stepped(row: Row) -> bool:
    """Return whether a row got worse by ``MIN_EVENT_LOG``, and all of NEW is worse than each of its
    last ``RECENT_RELEASES`` figures."""
    return (row.worse_by or 0.0) >= MIN_EVENT_LOG and _beyond_recent(row) > 0


def has_left_levels(row: Row) -> bool:
    """Return whether a row stepped by ``MIN_LEVEL_MOVES`` times the median of its last moves: a few
    steps do not raise it, however far they were. Packet rates have too few digits."""
    recent = figures_before(row)[-2 * RECENT_RELEASES :]
    before = [math.log(value) for value in recent if value > 0]
    is_packets = units.parse(row.unit).kind == "packet rate"
    if is_packets or not has_stepped(row) or len(before) < RECENT_RELEASES:
        return False
    usual = median(abs(after - earlier) for earlier, after in pairwise(before))
    return _beyond_recent(row) >= MIN_LEVEL_MOVES * max(usual, MIN_DEVIATION)


def _beyond_recent(row: Row) -> float:
    """Return by how much all of NEW is worse than each of the last ``RECENT_RELEASES`` figures, as
    the log of a factor: below 0 if it is not, or if they are fewer."""
    before, now = figures_before(row)[-RECENT_RELEASES:], row.new.cell if row.new else None
    if now is None or now.mean is None or len(before) < RECENT_RELEASES:
        return -math.inf
    if row.better == "higher":
        ends = (now.mean if now.high is None else now.high, min(before))
    else:
        ends = (max(before), now.mean if now.low is None else now.low)
    return math.copysign(log_range(ends), ends[1] - ends[0])


def is_among_old_runs(row: Row) -> bool:
    """Return whether the runs of OLD are far apart, and NEW is between them or not far outside."""
    if row.old is None or row.new is None or row.old.cell.runs < 2:
        return False
    low, now, high = row.old.cell.low, row.new.cell.mean, row.old.cell.high
    if low is None or now is None or high is None or min(low, now) <= 0:
        return False
    old_range = log_range((low, high))
    return (
        old_range >= MIN_FAR_LOG
        and log_range((low, now, high)) <= (1 + MAX_OUTSIDE_SHARE) * old_range
    )


def is_beyond_kind(row: Row) -> bool:
    """Return whether a row with two earlier figures moved well beyond the scatter of its metric."""
    if row.kind_scatter is None:
        return False
    return abs(row.worse_by or 0.0) >= MIN_METRIC_SCATTERS * math.log1p(row.kind_scatter)


def over_scatter(row: Row) -> float:
    """Return the move of a row as a multiple of its scatter."""
    scatter = known_scatter(row)
    return abs(row.worse_by or 0.0) / math.log1p(UNKNOWN_SCATTER if scatter is None else scatter)


def swings(row: Row) -> bool:
    """Return whether a row moves nearly as far anyway. Figures of a load up to OLD say little about
    its change per unit of work."""
    levels = [math.log(value) for value in figures_before(row) if value > 0]
    return not row.per and moves.swings(levels, row.worse_by or math.inf)


def known_scatter(row: Row) -> float | None:
    """Return the relative scatter of a row or of its metric, 0.1 % or more, or ``None``."""
    scatter = row.kind_scatter if is_beyond_kind(row) else row.scatter
    # Without a lower bound, a row that never moved before would rank above all others.
    return None if scatter is None else max(scatter, 1e-3)


def measures_own(row: Row) -> bool:
    """Return whether a row is a result of its own rather than a load, or a packet rate that counts
    the work of its run again."""
    return units.parse(row.unit).kind not in ("share", "packet rate")


def is_usual(row: Row, is_alone: bool = False) -> bool:
    """Return whether the move of a row is usual: it moved as far several times before, is a share
    that moved by few points, or is a mean of samples that show no new level. If it moves alone, a
    return to an earlier level is a move like others."""
    if row.doubt or row.changed_state:
        return False
    scatters_more = row.spread == "scatters more" and (row.worse_by or 0.0) > 0
    if row.spread and not scatters_more and not has_left_mean(row):
        return True
    size = abs(row.worse_by or 0.0)
    sides = [each.cell for each in (row.old, row.new) if each]
    # If runs of one release are nearly as far apart, the move is only their scatter.
    if not row.spread and any(
        cell.runs > 1
        and cell.low is not None
        and cell.high is not None
        and log_range((cell.low, cell.high)) >= MIN_PRECEDENT_RATIO * size
        for cell in sides
    ):
        return True
    is_share = units.parse(row.unit).kind == "share"
    if is_share and points(row) < MIN_POINTS:
        return True
    # Improvements need more evidence than regressions.
    is_improvement = (row.worse_by or 0.0) <= 0
    is_beyond = row.scatter is None or size > math.log1p(row.scatter) or is_beyond_kind(row)
    # The scatter of a row that came back includes the move that it takes back.
    if is_improvement and not is_beyond and not level_left(row):
        return True
    before = figures_before(row)
    if len(before) < 2:
        # With a single earlier figure, only the scatter of such rows is known.
        return is_alone and size < MIN_METRIC_SCATTERS * math.log1p(row.scatter or 0.0)
    # A row that wandered nearly as far has not left any level.
    wandered = len(before) > 2 and log_range(before) >= MIN_PRECEDENT_RATIO * size
    if is_alone and wandered and log_range(before[-2:]) > MAX_QUIET_LOG:
        return True
    # A single spike, long ago, is no precedent for a new extreme.
    recent = before[-MAX_LEVEL_RELEASES:]
    is_level = len(recent) == MAX_LEVEL_RELEASES and log_range(recent) <= MAX_QUIET_LOG
    if is_level and not is_share and _is_extreme(row, before):
        return False
    moves = [log_range(pair) for pair in pairwise(before)]
    if sum(move >= size for move in moves) >= MIN_PRECEDENTS:
        return True
    if not is_share and log_range(before[-2:]) <= min(MAX_QUIET_LOG, MAX_QUIET_SHARE * size):
        return False
    if not level_left(row) and _was_there(row, before):
        return True
    # A return is as far as the move that it takes back, which is therefore no precedent.
    if is_return := bool(level_left(row)) and not is_alone:
        moves.pop()
    least = MIN_EARLY_PRECEDENTS if len(moves) < MIN_LONG_HISTORY_MOVES else MIN_PRECEDENTS
    if sum(move >= MIN_PRECEDENT_RATIO * size for move in moves) >= least:
        return True
    is_between = len(before) > 2 and not _is_extreme(row, before)
    return is_improvement and not is_return and is_between


def _is_extreme(row: Row, before: Sequence[float]) -> bool:
    """Return whether NEW is outside the range of the earlier figures."""
    now = row.new.cell.mean if row.new else None
    return now is not None and not min(before) <= now <= max(before)


def _was_there(row: Row, before: Sequence[float]) -> bool:
    """Return whether NEW is at a level that several earlier releases had."""
    if row.new is None or not row.new.cell.mean or min(*before, row.new.cell.mean) <= 0:
        return False
    new, away = math.log(row.new.cell.mean), abs(row.worse_by or 0.0)
    # A quarter of the way: clearly nearer to that level than to OLD.
    near = [abs(math.log(value) - new) <= away / 4 for value in before]
    return sum(near) >= LEAST_LEVEL_RELEASES


def is_unsettled_share(row: Row) -> bool:
    """Return whether a row is a share, such as a load, with too few or varied earlier figures."""
    before = figures_before(row)[-MAX_LEVEL_RELEASES:]
    return units.parse(row.unit).kind == "share" and (
        len(before) < 2 or log_range(before) > MAX_SETTLED_LOG
    )


def figures_before(row: Row) -> list[float]:
    """Return the figures of a row up to and including OLD, without failed runs before it."""
    before = [value for _, value in _line_before(row)]
    return [
        value
        for at, value in enumerate(before, 1)
        if at == len(before) or row.better != "higher" or not in_mean(row.unit, value, max(before))
    ]


def _line_before(row: Row) -> Sequence[tuple[str, float]]:
    """Return the releases up to and including OLD with the figures of a row, at the clock of NEW if
    it is judged so; empty if OLD has none."""
    if row.past:
        return row.past
    names = [release for release, _ in row.line]
    if row.old is None or row.old.guide.release not in names:
        return ()
    return row.line[: names.index(row.old.guide.release) + 1]


def log_range(figures: Sequence[float]) -> float:
    """Return the log ratio of the largest figure to the smallest: infinite if any is 0 or below,
    but 0 if all are equal."""
    if min(figures) <= 0:
        return 0.0 if min(figures) == max(figures) else math.inf
    return math.log(max(figures)) - math.log(min(figures))


def level_left(row: Row) -> list[tuple[str, float]]:
    """Return the releases at the level that OLD left and to which NEW returned, followed by OLD;
    nothing if there is no such level."""
    if row.old is None or row.new is None or not row.old.cell.mean or not row.new.cell.mean:
        return []
    before = _line_before(row)
    old, new = row.past[-1][1] if row.past else row.old.cell.mean, row.new.cell.mean
    if len(before) < 2 or min(old, new, *(value for _, value in before)) <= 0:
        return []
    away = abs(math.log(new) - math.log(old))
    # A quarter of the way: clearly nearer to that level than to OLD.
    near = min(away / 4, MAX_FROM_LEVEL)
    level = [
        each
        for each in before[-1 - MAX_LEVEL_RELEASES : -1]
        if abs(math.log(new) - math.log(each[1])) <= near
    ]
    return [*level, before[-1]] if level and level[-1] == before[-2] else []


MAX_AT_LEVEL_LOG = math.log(1.25)
"""The largest log ratio of figures at one level."""


def releases_at_level(row: Row) -> list[str]:
    """Return the releases before OLD whose figure is at the level of NEW: at most a third of the
    move, and ``MAX_AT_LEVEL_LOG``, away from it."""
    if row.work is not None or row.past or not (row.new and row.new.cell.mean and row.worse_by):
        return []
    now, most = row.new.cell.mean, min(abs(row.worse_by) / 3, MAX_AT_LEVEL_LOG)
    past = [(release, value) for release, value in _line_before(row)[:-1] if min(value, now) > 0]
    return [release for release, value in past if log_range((value, now)) <= most]


def is_back(row: Row) -> bool:
    """Return whether NEW is back at a level that several releases had and only OLD had left. If NEW
    is better, one release is enough, as only OLD was bad. A change of state is no return."""
    least = LEAST_LEVEL_RELEASES if (row.worse_by or 0.0) > 0 else 1
    return len(level_left(row)) > least and not row.changed_state


def is_far_back(row: Row) -> bool:
    """Return whether NEW moved by ``MIN_FAR_LOG``, back to the last level, which only OLD left."""
    is_far = MIN_FAR_LOG <= abs(row.worse_by or 0.0) < math.inf
    left = level_left(row)[-1 - LEAST_LEVEL_RELEASES :]
    # A figure that keeps jumping has no level.
    return (
        is_far
        and not row.per
        and len(left) > LEAST_LEVEL_RELEASES
        and left == [*_line_before(row)[-len(left) :]]
    )


def fell_with_old(row: Row) -> Sequence[tuple[str, float]]:
    """Return the last two releases up to OLD of a row that got worse, with its figures, if it had
    got worse by ``MIN_FAR_LOG`` between these already; else nothing."""
    is_fall = row.verdict == "failed-after" or (row.worse_by or 0.0) > 0
    before = () if row.past or row.per or is_back(row) else _line_before(row)[-2:]
    if not is_fall or len(before) < 2 or min(value for _, value in before) <= 0:
        return ()
    (_, start), (_, end) = before
    fall = start / end if row.better == "higher" else end / start
    return before if math.log(fall) >= MIN_FAR_LOG else ()


def failed_earlier(row: Row) -> list[str]:
    """Return the releases before OLD in which a rate that fails now was 0 too."""
    if row.verdict != "failed-after" or row.better != "higher":
        return []
    return [release for release, value in _line_before(row) if value == 0]

"""Selection of the unproved moves that are worth an event."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import median

from ..common import units
from ..common.grouping import grouped
from .event_parts import EVENT_VERDICTS, MAX_SIZES_RATIO, figure_of, kind_of, way_of
from .failed_rows import FAILED_RUN
from .match import Names
from .row import Row, direction, is_load, points
from .row_moves import (
    MAX_QUIET_SHARE,
    MIN_EVENT_LOG,
    MIN_FAR_LOG,
    MIN_POINTS,
    MIN_PRECEDENT_RATIO,
    figures_before,
    has_left_level,
    has_left_levels,
    has_left_mean,
    has_stepped,
    is_beyond_kind,
    is_far_back,
    is_open,
    is_unsettled_share,
    is_usual,
    log_range,
    measures_own,
    moved_far,
)

MIN_RISEN_ROWS = 3
"""The fewest rows that rose to be an event although none left a level."""

MIN_STEPPED_ROWS = 3
"""The fewest rows of a kind that stepped to be an event, however far such rows scatter."""

MIN_LEVEL_ROWS = 2
"""The fewest rows of a kind without samples that left all of their levels to be an event."""

MANY_ROWS = 5
"""The fewest rows that are an event although none moved by ``MIN_FAR_LOG``."""

MIN_FALL_LOG = math.log(1.2)
"""The log of the smallest fall of a single row, and of the smallest median move of several, that
is an event without proof."""

MIN_MANY_POINTS = 1.0
"""The least median move, in percentage points, of many loads that moved together."""

MAX_PAIR_RATIO = 1.25
"""The largest ratio of moves, as logs, of one figure on several boards that are hardly chance."""

MIN_CONSTANT_FALL, MIN_CONSTANT_RATIO, MIN_CONSTANT_RELEASES = math.log(1.03), 10.0, 6
"""The least fall, as a log and in ranges of all earlier figures, that is an event although its
benchmark usually scatters as far; and the fewest earlier releases if one board alone shows it."""


def split_far_moves(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Divide the unproved rows that moved far into those that do not often do so, and others.

    Loads and packet rates that say no more than the rate of their run are in neither."""
    together = _loads_together(rows)
    rates = grouped(
        (row for row in rows if measures_own(row) and row.worse_by is not None), _run_of
    )
    sizes = {
        run: max(abs(row.worse_by or 0.0) if _is_listed(row) else 0.0 for row in of_run)
        for run, of_run in rates.items()
    }
    far = [row for row in rows if moved_far(row) or id(row) in together]
    alike = _alike_on_boards(far)
    unusual, others = list[Row](), list[Row]()
    for row in far:
        size = sizes.get(_run_of(row)) if row.params and not measures_own(row) else None
        if size is not None and not _says_more(row, size):
            # Packets of a rate that has not moved have no event to belong to.
            if not size:
                others.append(row)
        elif (
            id(row) in together
            or figure_of(row) in alike
            or is_far_back(row)
            or not (is_usual(row) or is_unsettled_share(row))
        ):
            unusual.append(row)
        else:
            others.append(row)
    return unusual, others


def _is_listed(row: Row) -> bool:
    return row.verdict in EVENT_VERDICTS or moved_far(row)


def _run_of(row: Row) -> tuple[object, ...]:
    return (*row.observation, direction(row.metric))


def _says_more(row: Row, of_rate: float) -> bool:
    """Return whether a load says more than the rate of its run, which moved by ``of_rate``. Packets
    count the same work as bytes, with fewer digits."""
    if units.parse(row.unit).kind == "packet rate":
        return False
    is_far = abs(row.worse_by or 0.0) > MAX_SIZES_RATIO * of_rate and points(row) >= MIN_POINTS
    return is_far or not of_rate


def _loads_together(rows: Sequence[Row]) -> set[int]:
    """Return, by ``id()``, loads that left settled levels together: ``MANY_ROWS`` of a benchmark on
    its board moved the same way, and hardly any the other way.

    One such load proves little, as a few points are soon gained or lost. In public history, 19 of
    26 rows of such groups lasted in the next release.
    """
    loads = [row for row in rows if is_load(row) and has_left_level(row)]
    out: set[int] = set()
    for of_board in grouped(
        loads, lambda row: (row.guide.platform, row.board, row.benchmark)
    ).values():
        ways = [
            [row for row in of_board if ((row.worse_by or 0.0) > 0) is worse]
            for worse in (True, False)
        ]
        fewer, more = sorted(ways, key=len)
        are_many = len(more) >= MANY_ROWS and len(fewer) * MANY_ROWS <= len(more)
        if are_many and median(map(points, more)) >= MIN_MANY_POINTS:
            out.update(id(row) for row in more if row.verdict == "noisy")
    return out


def stepped_together(rows: Sequence[Row], names: Names) -> list[Row]:
    """Return the unproved rows that stepped, as others of their kind did on any boards, or samples
    of their own show.

    In public history, seven of eight events that this adds by many rows lasted in the next release,
    and two of four others.
    """
    steps = (
        row
        for row in rows
        if has_stepped(row) and (is_open(row) or row.verdict == "regressed")
        if not (row.follows or row.doubt)
        if has_left_levels(row) or units.parse(row.unit).kind != "share"
    )
    of_kinds = grouped(steps, lambda row: kind_of(row, names)).values()
    stepped = [of_kind for of_kind in of_kinds if _have_stepped(of_kind)]
    return [row for of_kind in stepped for row in of_kind if row.verdict == "noisy"]


def _have_stepped(rows: Sequence[Row]) -> bool:
    """Return whether rows of a kind stepped: many did, or several left all of their levels, or all
    samples of one did."""
    left = [row for row in rows if has_left_levels(row) and not row.follows]
    is_sampled = any(row.new and row.new.cell.low != row.new.cell.high for row in left)
    return (
        is_sampled
        or _measured(left) >= MIN_LEVEL_ROWS
        or _measured(filter(has_stepped, rows)) >= MIN_STEPPED_ROWS
    )


def _measured(rows: Iterable[Row]) -> int:
    """Count rows, and a figure with two names once."""
    return len({row.measurement for row in rows})


def _alike_on_boards(rows: Sequence[Row]) -> set[tuple[object, ...]]:
    """Return the figures that got worse by ``MIN_FALL_LOG`` on several boards, and nearly as far on
    each, which is hardly chance."""
    fallen = (row for row in rows if (row.worse_by or 0.0) >= MIN_FALL_LOG and measures_own(row))
    falls = {
        figure: sorted(row.worse_by or 0.0 for row in boards)
        for figure, boards in grouped(fallen, figure_of).items()
    }
    return {
        figure for figure, by in falls.items() if len(by) > 1 and by[-1] <= MAX_PAIR_RATIO * by[0]
    }


def is_worth_an_event(rows: Sequence[Row]) -> bool:
    """Return whether unproved rows that moved the same way, about as far, are worth an event.

    The first rule that fits decides:

    - Rows that left the mean of their samples, or whose runs failed in part, are worth one.
    - Rows are if ``MIN_STEPPED_ROWS`` of them stepped, or fewer left all of their levels.
    - Rows that left a constant level, on several boards or after many releases, are.
    - Rows back at an earlier level are if one moved by ``MIN_FAR_LOG``, or there are ``MANY_ROWS``.
    - Rows that rose are not if they are fewer than ``MIN_RISEN_ROWS`` and none left a level.
    - Several rows are if one moved by ``MIN_FAR_LOG``, ``MANY_ROWS`` by ``MIN_EVENT_LOG``, or their
      median by ``MIN_FALL_LOG``.
    - A single row that often moves as far is not.
    - Another is if it moved by ``MIN_FAR_LOG``, or fell by ``MIN_FALL_LOG`` and either lies beyond
      the scatter of its kind or has none known.
    """
    if all(has_left_mean(row) or row.doubt.startswith(FAILED_RUN) for row in rows):
        return True
    if _have_stepped(rows):
        return True
    least = 2 if len({row.board for row in rows}) > 1 else MIN_CONSTANT_RELEASES
    if all(_left_constant(row, least) for row in rows):
        return True
    # A figure with two names counts once.
    moves = [abs(row.worse_by or 0.0) for row in {row.measurement: row for row in rows}.values()]
    if way_of(rows[0]).is_back:
        return max(moves) >= MIN_FAR_LOG or len(moves) >= MANY_ROWS
    is_fall = (rows[0].worse_by or 0.0) > 0
    if not is_fall and len(moves) < MIN_RISEN_ROWS and not any(map(_has_risen, rows)):
        return False
    if len(moves) > 1:
        is_far = max(moves) >= MIN_FAR_LOG or median(moves) >= MIN_FALL_LOG
        return is_far or sum(move >= MIN_EVENT_LOG for move in moves) >= MANY_ROWS
    row = rows[0]
    if is_usual(row, is_alone=True):
        return False
    is_odd = is_fall and (is_beyond_kind(row) or row.scatter is None)
    return moves[0] >= (MIN_FALL_LOG if is_odd else MIN_FAR_LOG)


def _left_constant(row: Row, releases: int) -> bool:
    """Return whether a row of at least so many earlier releases fell far beyond their range."""
    before, fall = figures_before(row), row.worse_by or 0.0
    return (
        len(before) >= releases
        and measures_own(row)
        and not row.spread
        and fall >= max(MIN_CONSTANT_RATIO * log_range(before), MIN_CONSTANT_FALL)
    )


def _has_risen(row: Row) -> bool:
    """Return whether a row left, by ``MIN_FAR_LOG``, the level of its last figures, or has several
    new runs, which were compared with each other earlier."""
    if row.new and row.new.cell.runs > 1:
        return True
    before, size = figures_before(row), abs(row.worse_by or 0.0)
    is_quiet = len(before) > 1 and log_range(before[-2:]) <= MAX_QUIET_SHARE * size
    return size >= MIN_FAR_LOG and is_quiet and log_range(before) < MIN_PRECEDENT_RATIO * size

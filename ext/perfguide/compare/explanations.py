"""Possible explanations of events from the moves of other rows of a device, metric or processor."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..catalog.chart_spec import is_number
from ..common import units
from ..common.grouping import grouped
from ..figures import labels
from .event_parts import EVENT_VERDICTS, figure_of, subject_of
from .match import Names
from .row import Row
from .row_moves import figures_before, is_back, log_range, measures_own, moved_far

INFERRED = "another "
"""The start of each explanation: conditions that are recorded have a name and two values instead."""

STORAGE_DEVICES = ("eMMC", "SD card", "UFS")
"""The subsystems with a part that may be replaced unnoticed."""

OTHER_DEVICES = tuple(f"{INFERRED}{device}, as " for device in STORAGE_DEVICES)
"""The starts of explanations by another one."""

OTHER_TEST = f"{INFERRED}way of testing, as "
"""The start of an explanation by another test."""

# In public history, SD cards have two levels: those that write large blocks twice as fast write
# small ones slower.
MIN_BOTH_WAYS_LOG = math.log(1.25)
"""The log of the least factor by which rates moved if their device may be another one."""

MIN_ONE_WAY_RATES = 3
"""The fewest of these rates that moved one way."""

MIN_OTHER_WAY_RATES = 1
"""The fewest of these rates that moved the other way."""

MIN_TEST_LOG = math.log(3)
"""The log of the least factor by which all rows of a metric moved if its test may have changed."""

MIN_TEST_ROWS = 4
"""The fewest of these rows."""

MIN_STEADY_RELEASES = 3
"""The fewest releases that show a steady level."""

MAX_STEADY_SHARE = 0.2
"""The largest range of the figures of a steady level, as a share of the move away from it."""

MAX_BOARDS_LOG = math.log(1.01)
"""The largest difference, as logs, of a figure's moves on several boards that a compiler
explains."""

MIN_COMPILED_FIGURES = 3
"""The fewest figures that left steady levels if a compiler explains them."""


def other_part(leading: Sequence[Row], rows: Sequence[Row], names: Names) -> str:
    """Return in words that a storage device may be another one, as its rates moved both ways on
    each board; "" if it probably is not."""
    subsystems = names.catalog.benchmark(leading[0].benchmark).entry.subsystems
    devices = [device for device in STORAGE_DEVICES if device in subsystems]
    if not devices or any(not measures_own(row) for row in leading):
        return ""
    better = worse = 0
    for board in {row.board for row in leading}:
        moves = [
            row.worse_by
            for row in rows
            if row.board == board and row.worse_by is not None and measures_own(row)
            if devices[0] in names.catalog.benchmark(row.benchmark).entry.subsystems
            and abs(row.worse_by) >= MIN_BOTH_WAYS_LOG
        ]
        falls = sum(move > 0 for move in moves)
        ways = sorted((falls, len(moves) - falls))
        if ways[0] < MIN_OTHER_WAY_RATES or ways[1] < MIN_ONE_WAY_RATES:
            return ""
        better, worse = better + len(moves) - falls, worse + falls
    return (
        f"another {devices[0]}, as {units.with_noun(better, 'rate')} of it got better and {worse} worse by a "
        "factor of 1.25 or more"
    )


def other_test(leading: Sequence[Row], rows: Sequence[Row]) -> str:
    """Return in words that a test may have changed, as all rows of a metric of its benchmark moved
    far the same way on all boards; "" if it probably did not."""
    first, boards = leading[0], {row.board for row in leading}
    if first.doubt or units.parse(first.unit).kind == "share":
        return ""
    rated = (
        row
        for row in rows
        if (row.guide.platform, row.benchmark) == (first.guide.platform, first.benchmark)
        if row.worse_by is not None and measures_own(row)
    )
    for alike in grouped(rated, family_of).values():
        moves = [row.worse_by or 0.0 for row in alike]
        on = {row.board for row in alike}
        is_far = max(moves) <= -MIN_TEST_LOG or min(moves) >= MIN_TEST_LOG
        if is_far and len(moves) >= MIN_TEST_ROWS and boards <= on:
            on_all = f" on all {len(on)} boards" if len(on) > 1 else ""
            return (
                f"{OTHER_TEST}all {len(moves)} rates of one kind moved by a factor of 3 or more"
                f"{on_all}"
            )
    return ""


def compiled_otherwise(rows: Sequence[Row], names: Names) -> list[Row]:
    """Return, worst first, the rows that another compiler may have moved: of benchmarks of the
    processor alone, alike on all boards, if some left steady levels both ways; else nothing."""
    of_processor = [
        row for row in rows if _is_of_processor(row, names) and row.worse_by is not None
    ]
    alike = [
        boards
        for boards in grouped(of_processor, figure_of).values()
        if max(row.worse_by or 0.0 for row in boards) - min(row.worse_by or 0.0 for row in boards)
        <= MAX_BOARDS_LOG
    ]
    left = [boards[0] for boards in alike if any(map(_has_left_steady_level, boards))]
    if len(left) < MIN_COMPILED_FIGURES or len({(row.worse_by or 0.0) > 0 for row in left}) == 1:
        return []
    moved = (
        row
        for boards in alike
        for row in boards
        if _has_left_steady_level(row) or row.verdict in EVENT_VERDICTS or moved_far(row)
        if not (row.accepted or row.doubt or is_back(row))
    )
    return sorted(moved, key=lambda row: -(row.worse_by or 0.0))


def other_compiler(compiled: Sequence[Row], names: Names) -> str:
    """Return in words that another compiler may have moved rows, given worst first."""
    ends = []
    for row in (compiled[0], compiled[-1]):
        benchmark = names.catalog.benchmark(row.benchmark)
        label = labels.within(benchmark.metric_label(row.metric))
        change = units.change_text(row.judged_change or 0.0)
        ends.append(f"{change} ({benchmark.entry.title}, {label})")
    boards = len({row.board for row in compiled})
    alike = f", alike on {boards} boards" if boards > 1 else ""
    moved = f"steady figures of the processor moved both ways{alike}"
    return f"another compiler or other options of it, as {moved}: from {' to '.join(ends)}"


def _is_of_processor(row: Row, names: Names) -> bool:
    subsystems = names.catalog.benchmark(row.benchmark).entry.subsystems
    is_of_it = subsystems == ("processor",) or subject_of(row, names) == "processor"
    return is_of_it and units.parse(row.unit).kind != "share"


def _has_left_steady_level(row: Row) -> bool:
    before, size = figures_before(row)[-MIN_STEADY_RELEASES:], abs(row.worse_by or 0.0)
    is_open = row.verdict in (*EVENT_VERDICTS, "noisy") and not row.spread
    is_far = is_open and abs(row.judged_change or 0.0) > row.floor
    return (
        is_far
        and len(before) == MIN_STEADY_RELEASES
        and log_range(before) <= MAX_STEADY_SHARE * size
    )


def family_of(row: Row) -> tuple[object, ...]:
    """Return a key that rows on all boards share if they differ in sizes only."""
    texts = frozenset((n, str(v)) for n, v in row.params.items() if not is_number(v))
    return (row.guide.platform, row.benchmark, row.metric, texts)

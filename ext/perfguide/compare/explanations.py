"""Possible explanations of events from the moves of other rows of a device, metric or processor."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..catalog.chart_spec import is_number
from ..common import units
from ..common.grouping import grouped
from ..figures import labels
from .event import Inference
from .event_names import shared_words
from .event_parts import EVENT_VERDICTS, figure_of, subject_of
from .match import Names
from .row import Row
from .row_moves import figures_before, is_back, log_range, measures_own, moved_far

STORAGE_DEVICES = ("eMMC", "SD card", "UFS")
"""The subsystems with a part that may be replaced unnoticed."""

# In public history, SD cards have two levels: those that write large blocks twice as fast write
# small ones slower.
MIN_DEVICE_FACTOR = 1.25
"""The smallest factor by which a rate moves if its storage device was replaced."""

MIN_DEVICE_RATES = (1, 3)
"""The fewest rates that moved by ``MIN_DEVICE_FACTOR`` one way, and the other way, if their device
was replaced."""

MIN_TEST_FACTOR = 3
"""The smallest factor by which all rates of a metric move if their test changed."""

MIN_TEST_RATES = 4
"""The fewest rates of a metric that show a change of their test."""

MIN_STEADY_RELEASES = 3
"""The fewest releases that show a steady level."""

MAX_STEADY_SHARE = 0.2
"""The largest range of the figures of a steady level, as a share of the move away from it."""

MAX_BOARDS_LOG = math.log(1.01)
"""The largest difference, as logs, between a figure's moves on several boards that a compiler
explains."""

MIN_COMPILED_FIGURES = 3
"""The fewest figures that left steady levels if a compiler explains them."""


def other_device(leading: Sequence[Row], rows: Sequence[Row], names: Names) -> Inference | None:
    """Infer another storage device, if its rates moved both ways on each board of an event whose
    rates are ``leading``."""
    subsystems = names.catalog.benchmark(leading[0].benchmark).entry.subsystems
    device = next((device for device in STORAGE_DEVICES if device in subsystems), None)
    if device is None or not all(map(measures_own, leading)):
        return None
    moves_by_board = {
        board: [
            row.worse_by
            for row in rows
            if row.board == board and row.worse_by is not None and measures_own(row)
            if device in names.catalog.benchmark(row.benchmark).entry.subsystems
            and abs(row.worse_by) >= math.log(MIN_DEVICE_FACTOR)
        ]
        for board in {row.board for row in leading}
    }
    for moves in moves_by_board.values():
        worse = sum(move > 0 for move in moves)
        fewer, more = sorted((worse, len(moves) - worse))
        if fewer < MIN_DEVICE_RATES[0] or more < MIN_DEVICE_RATES[1]:
            return None
    every_move = [move for moves in moves_by_board.values() for move in moves]
    worse = sum(move > 0 for move in every_move)
    better = units.with_noun(len(every_move) - worse, "rate")
    text = f"another {device}, as {better} of it got better and {worse} worse by a factor of"
    return Inference("device", f"{text} {MIN_DEVICE_FACTOR} or more")


def other_test(leading: Sequence[Row], rows: Sequence[Row], names: Names) -> Inference | None:
    """Infer another test, if all rates of a metric of the benchmark moved far the same way on all
    boards of an event whose figures are ``leading``."""
    first = leading[0]
    if first.doubt or units.parse(first.unit).kind == "share":
        return None
    of_benchmark = [
        row
        for row in rows
        if (row.guide.platform, row.benchmark) == (first.guide.platform, first.benchmark)
        if row.worse_by is not None and measures_own(row)
    ]
    for rates in grouped(of_benchmark, family_of).values():
        boards = {row.board for row in rates}
        if len(rates) < MIN_TEST_RATES or any(row.board not in boards for row in leading):
            continue
        moves = [row.worse_by or 0.0 for row in rates]
        if max(min(moves), -max(moves)) >= math.log(MIN_TEST_FACTOR):
            on_all = f" on all {len(boards)} boards" if len(boards) > 1 else ""
            name = shared_words(rates, of_benchmark, names)
            kind = f"all {len(rates)} rates of one kind{f' ({name})' if name else ''}"
            text = (
                f"another way of testing, as {kind} moved by a factor of {MIN_TEST_FACTOR} or more"
            )
            return Inference("test", f"{text}{on_all}")
    return None


def compiled_otherwise(rows: Sequence[Row], names: Names) -> list[Row]:
    """Return the rows that another compiler may have moved, worst first.

    They are figures of the processor that moved alike on all boards. There are none unless several
    of these left steady levels, and not all the same way.
    """
    of_processor = (
        row for row in rows if row.worse_by is not None and _is_of_processor(row, names)
    )
    figures = [
        boards
        for boards in grouped(of_processor, figure_of).values()
        if max(map(_worse_by, boards)) - min(map(_worse_by, boards)) <= MAX_BOARDS_LOG
    ]
    off_level = [boards[0] for boards in figures if any(map(_has_left_steady_level, boards))]
    ways = {_worse_by(row) > 0 for row in off_level}
    if len(off_level) < MIN_COMPILED_FIGURES or len(ways) == 1:
        return []
    moved = (
        row
        for boards in figures
        for row in boards
        if _has_left_steady_level(row) or row.verdict in EVENT_VERDICTS or moved_far(row)
        if not (row.accepted or row.doubt or is_back(row))
    )
    return sorted(moved, key=_worse_by, reverse=True)


def other_compiler(compiled: Sequence[Row], names: Names) -> Inference:
    """Infer another compiler from the rows that it may have moved, given worst first."""
    ends = []
    for row in (compiled[0], compiled[-1]):
        benchmark = names.catalog.benchmark(row.benchmark)
        label = labels.within(benchmark.metric_label(row.metric))
        change = units.change_text(row.judged_change or 0.0)
        ends.append(f"{change} ({benchmark.entry.title}, {label})")
    boards = len({row.board for row in compiled})
    on_boards = f", alike on {boards} boards" if boards > 1 else ""
    reason = f"steady figures of the processor moved both ways{on_boards}: from {' to '.join(ends)}"
    return Inference("compiler", f"another compiler or other options of it, as {reason}")


def _worse_by(row: Row) -> float:
    return row.worse_by or 0.0


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

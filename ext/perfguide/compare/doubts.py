"""Doubtful figures of NEW, from which no change is proved until they are measured again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

from ..common import units
from ..figures.pool import Record
from ..figures.rows import TABLE_NUMBER
from .failed_rows import FAILED_RUN, failed_run
from .judged_rows import MIN_RATE_CHANGE
from .match import Names
from .row import CALLED, Row, direction, is_load, is_rate

MIN_BOARDS, MIN_APART_LOG = 3, math.log(1.5)
"""The fewest boards among which one is in doubt if all others agree, and the least log ratio of its
figure to their median."""

MIN_DISTANCE_RATIO, MAX_DISTANCE_SHARE = 4.0, 2 / 3
"""The least ratio of its distance to that of the next board, and the largest share of its distance
that it had in OLD: a board that was nearly as far off differs by design."""

MAX_DOUBTFUL_RUNS = 2
"""The most runs of a benchmark on a board that may be bad measurements; more are no accident."""


OTHER_WORK = "the rate of its run"
"""The start of the doubt about a load of 0 whose rate changed."""


def doubted(rows: Sequence[Row], newer: Iterable[Record], names: Names) -> list[Row]:
    """Return the rows, without the verdicts of those in doubt. ``newer`` are the figures of NEW on
    all boards."""
    means_by_board: dict[tuple[object, ...], dict[object, float]] = {}
    for record in newer:
        if record.cell.mean and record.cell.mean > 0:
            board, identity = _key(record, names)
            means_by_board.setdefault(identity, {})[board] = record.cell.mean
    doubts: dict[tuple[object, ...], str] = {}
    of_loads: dict[tuple[object, ...], str] = {}
    unlike_others: dict[tuple[object, ...], set[tuple[object, ...]]] = {}
    rates = {(*row.observation, direction(row.metric)): row for row in rows if is_rate(row)}
    for row in rows:
        if row.new is None or row.verdict not in (*CALLED, "noisy"):
            continue
        if reason := failed_run(row, row.new):
            doubts[row.measurement] = f"{FAILED_RUN}; {reason}"
        elif row.verdict in CALLED and (reason := _unlike_boards(row, means_by_board, names)):
            unlike_others.setdefault((row.guide.platform, row.board, row.benchmark), set()).add(
                row.measurement
            )
            # A load unlike others says nothing about the rate of its run.
            (of_loads if is_load(row) else doubts).setdefault(row.measurement, reason)
        elif is_load(row):
            rate = rates.get((*row.observation, direction(row.metric)))
            if reason := _of_other_work(row, rate):
                of_loads.setdefault(row.measurement, reason)
    for runs in unlike_others.values():
        for run in runs if len(runs) > MAX_DOUBTFUL_RUNS else ():
            of_loads.pop(run, None)
            if not doubts.get(run, FAILED_RUN).startswith(FAILED_RUN):
                del doubts[run]
    out = []
    for row in rows:
        doubt = doubts.get(row.measurement) or (
            of_loads.get(row.measurement) if is_load(row) else ""
        )
        if doubt and row.verdict in (*CALLED, "noisy"):
            # The figures of other boards should be those of this row, not of another of its run.
            if not doubt.startswith((FAILED_RUN, OTHER_WORK)):
                doubt = _unlike_boards(row, means_by_board, names) or doubt
            # More runs like these would not settle it.
            row = replace(row, verdict="noisy", doubt=doubt, ground=doubt, shift=None)
            row = replace(row, detectable=None, more_runs=None)
        out.append(row)
    return out


def _of_other_work(load: Row, rate: Row | None) -> str:
    """Describe how the rate of a run changed if its load, which is 0 on one side and so cannot be
    divided by it, changed the same way, else ""."""
    if rate is None or abs(rate.change or 0.0) < MIN_RATE_CHANGE:
        return ""
    (was, now), rates = (
        [each.cell.mean or 0.0 for each in (row.old, row.new) if each] for row in (load, rate)
    )
    if min(was, now) > 0 or (now > was) != (rates[1] > rates[0]):
        return ""
    said = f"{'rose' if now > was else 'fell'}, too, from {' to '.join(map(units.number, rates))}"
    return f"{OTHER_WORK} {said} {units.parse(rate.unit).symbol}"


def _key(record: Record, names: Names) -> tuple[object, tuple[object, ...]]:
    """Return the board of a figure, and its identity on any board: table numbers vary by board."""
    platform, board, benchmark, metric, *_ = names.key(record)
    params = frozenset((n, v) for n, v in names.params(record).items() if n != TABLE_NUMBER)
    return board, (platform, benchmark, metric, params, record.unit)


def _unlike_boards(
    row: Row, means_by_board: dict[tuple[object, ...], dict[object, float]], names: Names
) -> str:
    """Describe the figures of the other boards if they agree and this one moved away, else ""."""
    if not row.new or not row.old or not row.new.cell.mean or not row.old.cell.mean:
        return ""
    board, identity = _key(row.new, names)
    means = means_by_board.get(identity, {})
    if len(means) < MIN_BOARDS or min(row.new.cell.mean, row.old.cell.mean) <= 0:
        return ""
    middle = median(map(math.log, means.values()))
    distances = {name: abs(math.log(mean) - middle) for name, mean in means.items()}
    distance = distances.pop(board, 0.0)
    if distance <= max(MIN_APART_LOG, MIN_DISTANCE_RATIO * max(distances.values())):
        return ""
    if abs(math.log(row.old.cell.mean) - middle) > MAX_DISTANCE_SHARE * distance:
        return ""
    ends = units.ends([means[name] for name in distances])
    figures = f"{ends} {units.parse(row.unit).symbol}".rstrip()
    return f"the {len(distances)} other boards have {figures}, so it may be a bad measurement"

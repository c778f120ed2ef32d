"""Figures of NEW that are in doubt: a change that rests on one proves nothing until it is measured again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

from ..common import units
from ..figures.pool import Record
from ..figures.rows import TABLE_NUMBER
from .match import Names
from .verdicts import CALLED, FAILED_RUN, Row, failed_run, is_load

MIN_BOARDS, MIN_APART = 3, math.log(1.5)
"""The fewest boards among which one is in doubt if all others agree, and the least log ratio of that
one to the others."""

MIN_OVER_OTHERS, MAX_BEFORE_PART = 4.0, 2 / 3
"""The least ratio of its distance to that of the next board, and the largest part of its distance that
it had before: a board that was nearly as far off differs by design."""

MAX_RUNS_APART = 2
"""The most runs of a benchmark on one board that may be bad measurements; more are due to the board."""


def doubted(rows: Sequence[Row], newer: Iterable[Record], names: Names) -> list[Row]:
    """Return rows, with those in doubt stripped of their verdict. ``newer`` are the figures of NEW on
    all boards."""
    others: dict[tuple[object, ...], dict[object, float]] = {}
    for record in newer:
        if record.cell.mean and record.cell.mean > 0:
            board, of = _key(record, names)
            others.setdefault(of, {})[board] = record.cell.mean
    doubts: dict[tuple[object, ...], str] = {}
    of_loads: dict[tuple[object, ...], str] = {}
    apart: dict[tuple[object, ...], set[tuple[object, ...]]] = {}
    for row in rows:
        if row.new is None or row.verdict not in (*CALLED, "noisy"):
            continue
        if said := failed_run(row, row.new):
            doubts[row.measurement] = f"{FAILED_RUN}; {said}"
        elif row.verdict in CALLED and (said := _unlike_boards(row, others, names)):
            apart.setdefault((row.guide.platform, row.board, row.benchmark), set()).add(
                row.measurement
            )
            # A load unlike others says nothing about the rate of its run.
            (of_loads if is_load(row) else doubts).setdefault(row.measurement, said)
    for runs in apart.values():
        for run in runs if len(runs) > MAX_RUNS_APART else ():
            of_loads.pop(run, None)
            if not doubts.get(run, FAILED_RUN).startswith(FAILED_RUN):
                del doubts[run]
    out = []
    for row in rows:
        doubt = doubts.get(row.measurement) or (
            of_loads.get(row.measurement) if is_load(row) else ""
        )
        if doubt and row.verdict in (*CALLED, "noisy"):
            # The figures of other boards are those of the row, in its unit, if these are unlike it too.
            if not doubt.startswith(FAILED_RUN):
                doubt = _unlike_boards(row, others, names) or doubt
            # More runs like these would not settle it.
            row = replace(row, verdict="noisy", doubt=doubt, ground=doubt, shift=None)
            row = replace(row, detectable=None, more_runs=None)
        out.append(row)
    return out


def _key(record: Record, names: Names) -> tuple[object, tuple[object, ...]]:
    """Return the board of a figure, and its identity on any board: table numbers vary by board."""
    platform, board, benchmark, metric, *_ = names.key(record)
    params = frozenset((n, v) for n, v in names.params(record).items() if n != TABLE_NUMBER)
    return board, (platform, benchmark, metric, params, record.unit)


def _unlike_boards(
    row: Row, others: dict[tuple[object, ...], dict[object, float]], names: Names
) -> str:
    """Return in words what the other boards have if they agree and this one moved away, else ""."""
    if not row.new or not row.old or not row.new.cell.mean or not row.old.cell.mean:
        return ""
    board, of = _key(row.new, names)
    means = others.get(of, {})
    if len(means) < MIN_BOARDS or min(row.new.cell.mean, row.old.cell.mean) <= 0:
        return ""
    middle = median(map(math.log, means.values()))
    far = {name: abs(math.log(mean) - middle) for name, mean in means.items()}
    own = far.pop(board, 0.0)
    if own <= max(MIN_APART, MIN_OVER_OTHERS * max(far.values())):
        return ""
    if abs(math.log(row.old.cell.mean) - middle) > MAX_BEFORE_PART * own:
        return ""
    unit = units.parse(row.unit).symbol
    return (
        f"the {len(far)} other boards have {units.ends([means[name] for name in far])} {unit}".rstrip()
        + ", so it may be a bad measurement"
    )

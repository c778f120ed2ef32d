"""Verdicts on rows of runs that failed: figures of 0, and means that include a failed run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..common import units
from ..figures.failed_runs import in_mean
from ..figures.pool import Record
from .relative import Side
from .resolution import printed
from .row import RATED, Row, Verdict, direction, is_rate, is_time

FAILED_RUN, FAILED_RUN_BEFORE = "some new runs failed", "some old runs failed"
"""The starts of grounds of rows whose mean includes a failed run."""

FAILED_BOTH = "it failed before and fails now"

MIN_RATE_STEPS = 5
"""A rate that is larger than so many printed steps cannot have been rounded to 0."""

FAILED_RATE_LOG = math.log(5)
"""The log of the factor from which the other rate of a failed run counts as failed too."""


def failed_row(row: Row, old: Record, new: Record) -> Row:
    """Return a row with its verdict if all runs of a side failed."""
    if new.cell.mean is not None:
        return replace(row, verdict="failed-before", ground=_all_failed(old, "old"))
    if old.cell.mean is not None:
        return replace(row, verdict="failed-after", ground=_all_failed(new, "new"))
    return replace(row, verdict="failed-both", ground=FAILED_BOTH)


def _all_failed(record: Record, side: str) -> str:
    runs = record.cell.runs
    return f"all {runs} {side} runs failed" if runs > 1 else f"the {side} run failed"


def at_zero(row: Row, old: float, new: float) -> Row:
    """Return a row with its verdict if one figure is 0 and thus invalid, else unchanged."""
    if old == new or 0 not in (old, new):
        return row
    zero, side = f"0 {units.parse(row.unit).symbol}", "new" if new == 0 else "old"
    # A rate of only a few steps may be rounded to 0.
    if is_rate(row) and old + new > MIN_RATE_STEPS * printed((old, new)):
        verdict: Verdict = "failed-after" if new == 0 else "failed-before"
        return replace(
            row, verdict=verdict, ground=f"a result of {zero} means that the {side} run failed"
        )
    if is_time(row):
        ground = f"{zero} is no time: the {side} run measured nothing"
        return replace(row, verdict="incomparable", ground=ground)
    return row


def still_at_zero(row: Row, earlier: Iterable[Side]) -> Row:
    """Return a row as failing with both releases if it is a rate of 0 in both that ``earlier``
    releases measured, else unchanged."""
    if not is_rate(row) or any(record and record.cell.mean for record in (row.old, row.new)):
        return row
    # A rate of only a few steps may be rounded to 0.
    if not any(side.mean > MIN_RATE_STEPS * side.step for side in earlier):
        return row
    return replace(row, verdict="failed-both", ground=FAILED_BOTH)


def failed_run(row: Row, record: Record) -> str:
    """Return the range of samples in words if it includes a failed run, else "": a rate close to 0,
    or a time of 0 that only one release has, unless the other one is above all of these samples."""
    cell = record.cell
    if is_time(row):
        if cell.low != 0 or not cell.high:
            return ""
        others = [each.cell for each in (row.old, row.new) if each and each is not record]
        if any(each.low == 0 or (each.mean or 0.0) > cell.high for each in others):
            return ""
    elif row.better != "higher" or not in_mean(record.unit, cell.low, cell.high):
        return ""
    return f"its samples are {_samples(record)} {units.parse(record.unit).symbol}"


def fails_in_part(row: Row) -> bool:
    """Return whether some runs failed with NEW, while none did with OLD."""
    return row.doubt.startswith(FAILED_RUN)


def _samples(record: Record) -> str:
    return " to ".join(units.number(end or 0.0) for end in (record.cell.low, record.cell.high))


def without_failed_runs(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, without the verdicts on the load and the other rate of a run in which one
    rate failed."""
    failed = {
        (*row.observation, direction(row.metric)): row
        for row in rows
        if is_rate(row)
        if row.verdict in ("failed-after", "failed-before")
        or row.ground.startswith(FAILED_RUN_BEFORE)
    }
    if not failed:
        return [*rows]
    return [
        _beside_failed(row, rate)
        if (rate := failed.get((*row.observation, direction(row.metric))))
        else row
        for row in rows
    ]


def _beside_failed(row: Row, rate: Row) -> Row:
    """Return a row of a run in which a rate failed."""
    ground = f"the {'new' if rate.verdict == 'failed-after' else 'old'} run failed"
    if rate.verdict == "incomparable":
        ground = FAILED_RUN_BEFORE
    if units.parse(row.unit).kind == "share" and row.verdict in RATED:
        return replace(row, verdict="incomparable", ground=ground)
    if rate.verdict == "incomparable":
        is_rated = is_rate(row) and row.verdict in RATED
        return replace(row, verdict="incomparable", ground=rate.ground) if is_rated else row
    if row.params and is_rate(row):
        worse_by = row.worse_by or 0.0
        # A few packets per second may be printed as 0 while their bytes are not.
        if (worse_by if rate.verdict == "failed-after" else -worse_by) >= FAILED_RATE_LOG:
            return replace(row, verdict=rate.verdict, ground=ground, change=None)
    return row

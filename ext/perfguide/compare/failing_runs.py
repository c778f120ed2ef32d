"""Rates with runs that fail: their means say nothing, but their samples do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..bundles.guide_key import version
from ..catalog.benchmarks import undescribed
from ..common import units
from ..common.grouping import grouped
from ..figures import labels
from ..figures.failed_runs import RATES, in_mean
from ..figures.pool import Record
from .failed_rows import FAILED_RUN, FAILED_RUN_BEFORE, failed_run
from .match import Names
from .row import Row, direction
from .row_moves import measures_own

MAX_LISTED_RATES = 5
"""The most rates of a benchmark whose samples are listed."""


@dataclass(frozen=True, slots=True)
class FailingRuns:
    """Rates of a benchmark with runs that fail.

    ``rows`` are these rates, with packet rates and loads of the same runs, and ``rates`` those that fail
    with NEW or, if none does, with OLD. ``words`` say with which release runs fail, and ``samples`` what
    they measured. ``is_new`` is true if a rate did not fail with OLD.
    """

    rows: tuple[Row, ...]
    rates: tuple[Row, ...]
    words: str
    is_new: bool
    samples: tuple[str, ...]


def failing_runs(rows: Sequence[Row], names: Names) -> Iterator[FailingRuns]:
    """Yield the rates of each benchmark that has runs that fail beside others."""
    has_boards = len({row.board for row in rows}) > 1
    rates = [row for row in rows if _is_rate(row)]
    # A packet rate of 0 shows that the run failed, however many of its bytes got through.
    old, new = (
        {_run_of(row) for row, record in ends if record and failed_run(row, record)}
        for ends in ([(row, row.old) for row in rates], [(row, row.new) for row in rates])
    )
    withheld = [row for row in rows if _run_of(row) in old | new and _is_withheld(row)]
    for own in grouped(withheld, lambda row: (row.guide.platform, row.benchmark)).values():
        own_rates = [row for row in own if _is_rate(row)]
        # Packets count the work of their run again.
        own_rates = [*filter(measures_own, own_rates)] or own_rates
        failing = [
            row for row in own_rates if _run_of(row) in new or (row.new and row.new.cell.mean == 0)
        ]
        is_new = any(row.doubt for row in failing)
        release = next(row.old.guide.release for row in own if row.old)
        words = f"some runs failed with {release}"
        if failing:
            boards = dict.fromkeys(row.board for row in failing)
            shorts = [names.boards.short(own[0].guide.soc, board) for board in boards]
            is_partly = len(shorts) < len({row.board for row in own})
            words = f"some runs fail{f' on {units.enumeration(shorts)}' if is_partly else ''}"
            words += "" if is_new else f", as with {release}"
        samples = [_samples(row, names, has_boards) for row in own_rates[:MAX_LISTED_RATES]]
        if unlisted := len(own_rates) - len(samples):
            samples.append(f"runs of {units.count(unlisted, 'more rate')} failed")
        rest = [row for row in own if row not in own_rates]
        yield FailingRuns(
            (*own_rates, *rest), tuple(failing or own_rates), words, is_new, tuple(samples)
        )


def _is_rate(row: Row) -> bool:
    return row.better == "higher" and units.parse(row.unit).kind in RATES


def _run_of(row: Row) -> tuple[object, ...]:
    return (*row.observation, direction(row.metric))


def _is_withheld(row: Row) -> bool:
    """Return whether a row has no verdict because runs failed."""
    return (
        row.verdict == "failed-before"
        or row.doubt.startswith(FAILED_RUN)
        or (row.verdict == "incomparable" and row.ground.startswith(FAILED_RUN_BEFORE))
    )


def _samples(row: Row, names: Names, has_boards: bool) -> str:
    """Return the samples of a rate in words, and in which earlier releases it failed: ``throughput,
    AES-128, sk: 2.3 to 305.5 Mbit/s with 11.02, 80.5 Mbit/s with 12.00; failed in 11.00 too``."""
    assert row.old and row.new
    described = names.catalog.get(row.benchmark) or undescribed(row.benchmark)
    label = labels.within(labels.in_benchmark(described, row.new))
    where = [names.boards.short(row.guide.soc, row.board)] * has_boards
    said = ", ".join(_range(record) for record in (row.old, row.new))
    most = max((value for _, value in row.line), default=0.0)
    before = version(row.old.guide.release)
    failed = [
        release
        for release, value in row.line
        if version(release) < before and in_mean(row.unit, value, most)
    ]
    too = f"; failed in {units.enumeration(failed)} too" if failed else ""
    return f"{', '.join([label, *where])}: {said}{too}"


def _range(record: Record) -> str:
    """Return the samples of a release in words."""
    cell = record.cell
    ends = [cell.mean] if cell.low is None or cell.high is None else [cell.low, cell.high]
    texts = dict.fromkeys(units.number(end or 0.0) for end in ends)
    unit = units.parse(record.unit).symbol
    return f"{' to '.join(texts)} {unit} with {record.guide.release}"

"""Rates with runs that fail: their means say nothing, but their samples do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..bundles.guide_key import version
from ..common import units
from ..common.grouping import grouped
from ..figures import labels
from ..figures.failed_runs import in_mean
from ..figures.pool import Record
from .failed_rows import FAILED_RUN, FAILED_RUN_BEFORE, MIN_RATE_STEPS, failed_run
from .history import History
from .match import Names
from .relative import Side
from .row import BEST_RUNS, Row, Verdict, direction, is_rate, is_time
from .row_moves import MIN_FAR_LOG, measures_own

MAX_LISTED_RATES = 5
"""The most rates of a benchmark whose samples are listed."""

MIN_SLOWER_LOG = math.log(1.25)
"""The log of the smallest ratio at which the best run of a rate is slower."""


@dataclass(frozen=True, slots=True)
class FailingRuns:
    """Rates of a benchmark with runs that fail.

    ``rows`` are these rates, with packet rates and loads of the same runs, and ``rates`` those that
    fail with NEW or, if none does, with OLD. ``words`` say with which release runs fail, and
    ``samples`` what they measured. ``kind`` is ``changed`` if runs failed with OLD alone.
    """

    rows: tuple[Row, ...]
    rates: tuple[Row, ...]
    words: str
    kind: Verdict
    samples: tuple[str, ...]


def failing_runs(rows: Sequence[Row], names: Names) -> Iterator[FailingRuns]:
    """Yield the rates of each benchmark that has runs that fail beside others."""
    has_boards = len({row.board for row in rows}) > 1
    rates = [row for row in rows if is_rate(row)]
    # A packet rate of 0 shows that the run failed, however many of its bytes got through.
    old, new = (
        {_run_of(row) for row, record in ends if record and failed_run(row, record)}
        for ends in ([(row, row.old) for row in rates], [(row, row.new) for row in rates])
    )
    withheld = [row for row in rows if _run_of(row) in old | new and _is_withheld(row)]
    gone = grouped(
        (row for row in rates if row.verdict == "only-old" and measures_own(row)),
        lambda row: (row.guide.platform, row.benchmark),
    )
    slower = {row.measurement for of_benchmark in slower_best_runs(rows) for row in of_benchmark}
    # Runs that fail as before are no news beside those that fail only now, or no longer.
    groups = grouped(
        withheld,
        lambda row: (row.guide.platform, row.benchmark, _run_of(row) in old, _run_of(row) in new),
    )
    for key, group in sorted(groups.items(), key=lambda item: not item[0][-1]):
        group_rates = [row for row in group if is_rate(row)]
        # Packets count the work of their run again.
        group_rates = [*filter(measures_own, group_rates)] or group_rates
        failing = [
            row
            for row in group_rates
            if _run_of(row) in new or (row.new and row.new.cell.mean == 0)
        ]
        # Where the best runs are an event, it says that others failed.
        is_event = all(row.measurement in slower for row in group_rates)
        if is_event and not failing and not gone.get(key[:2]):
            continue
        kind: Verdict = "changed"
        release = next(row.old.guide.release for row in group if row.old)
        words = f"some runs failed with {release}"
        if failing:
            kind = "failed-after" if any(row.doubt for row in failing) else "failed-both"
            words = "some runs fail" if kind == "failed-after" else "some runs still fail"
        samples = [_samples(row, names, has_boards) for row in group_rates[:MAX_LISTED_RATES]]
        if unlisted := len(group_rates) - len(samples):
            samples.append(f"runs of {units.with_noun(unlisted, 'more rate')} failed")
        # Named once for each benchmark.
        samples += [_samples(row, names, has_boards) for row in gone.pop(key[:2], ())]
        rest = [row for row in group if row not in group_rates]
        yield FailingRuns(
            (*group_rates, *rest), tuple(failing or group_rates), words, kind, tuple(samples)
        )
    yield from _failing_still(rows)


def slower_best_runs(rows: Sequence[Row]) -> list[list[Row]]:
    """Return, by benchmark, the rates with failed runs of OLD whose best run got slower, with the
    best run of each release as its figure; nothing if none got far slower."""
    best = filter(None, map(of_best_runs, rows))
    slower = [row for row in best if (row.worse_by or 0.0) >= MIN_SLOWER_LOG]
    by_benchmark = grouped(slower, lambda row: (row.guide.platform, row.benchmark)).values()
    return [
        of_benchmark
        for of_benchmark in by_benchmark
        if max(row.worse_by or 0.0 for row in of_benchmark) >= MIN_FAR_LOG
    ]


def of_best_runs(row: Row) -> Row | None:
    """Return a row with the best run of each release as its figure, if it is a rate with failed
    runs of OLD that works with NEW."""
    old, new = row.old, row.new
    if not (row.ground.startswith(FAILED_RUN_BEFORE) and is_rate(row) and measures_own(row)):
        return None
    if not (old and new and _best(old) and new.cell.mean):
        return None
    best = [replace(each, cell=replace(each.cell, mean=_best(each))) for each in (old, new)]
    return replace(
        row,
        verdict="noisy",
        ground=f"{BEST_RUNS}, as others failed: {_range(old)}",
        old=best[0],
        new=best[1],
        change=_best(new) / _best(old) - 1,
        # Earlier figures may be means of runs that failed, too.
        line=(),
        past=(),
        scatter=None,
        kind_scatter=None,
        spread="",
    )


def _best(record: Record) -> float:
    return record.cell.high or record.cell.mean or 0.0


def _failing_still(rows: Sequence[Row]) -> Iterator[FailingRuns]:
    """Yield the figures of each benchmark that failed with OLD and fail again, and say when they
    last worked."""
    failed = [row for row in rows if row.verdict == "failed-both"]
    for of_benchmark in grouped(failed, lambda row: (row.guide.platform, row.benchmark)).values():
        before = next(row.old.guide.release for row in of_benchmark if row.old)
        worked = [
            release
            for row in of_benchmark
            for release, value in row.line
            if value and version(release) < version(before)
        ]
        last = f"last worked in {max(worked, key=version)}" if worked else ""
        rates = [*filter(is_rate, of_benchmark)] or of_benchmark
        yield FailingRuns(
            (*rates, *(row for row in of_benchmark if row not in rates)),
            tuple(rates),
            f"still {'fails' if len(rates) == 1 else 'fail'}",
            "failed-both",
            (last,) if last else (),
        )


def with_lines(rows: Sequence[Row], history: History) -> list[Row]:
    """Return rows with the figures of all releases up to the next one that has them.

    The next one is left out if runs of it failed, as it shows neither that a change lasted nor that
    it was reverted. A failure, though, lasts if all runs of the next release fail as well, and if
    any run of its test does, it is not reverted.
    """
    rows = [replace(row, line=history.line(row.new)) if row.new else row for row in rows]
    failed_now, failed_next, worked_next = set[object](), set[object](), set[object]()
    tests = set[object]()
    for at, row in enumerate(rows):
        if not _has_next(row):
            continue
        assert row.new is not None  # rows have lines by their newer figure
        sides, run = history.releases_of(row.new), _run_of(row)
        if after := sides[row.line[-1][0]]:
            rows[at] = replace(row, next_ends=after.ends)
        if not (is_rate(row) or is_time(row)):
            continue
        if (now := sides.get(row.guide.release)) and _fails(row, now, now.ends[1]):
            failed_now.add(run)
        if after and _fails(row, after, after.ends[0]):
            failed_next.add(run)
            tests.add(_test_of(row))
            if not _fails(row, after, after.ends[1]):
                worked_next.add(run)
    failing_still = failed_next & (failed_now - worked_next)
    return [
        replace(row, line=row.line[:-1])
        if _has_next(row)
        and (run := _run_of(row)) not in failing_still
        and (run in failed_next or (_is_failure(row) and _test_of(row) in tests))
        else row
        for row in rows
    ]


def _has_next(row: Row) -> bool:
    """Return whether a later release than the newer one has a figure."""
    return bool(row.line) and version(row.line[-1][0]) > version(row.guide.release)


def _is_failure(row: Row) -> bool:
    is_at_zero = row.new is not None and row.new.cell.mean == 0
    return row.verdict == "failed-after" or is_at_zero


def _test_of(row: Row) -> tuple[object, ...]:
    """Return the identity of a row's test in the next release, whichever sizes it runs with."""
    way = str(row.params.get("direction", "")) or direction(row.metric)
    return (row.guide.platform, row.board, row.benchmark, way, row.line[-1][0])


def _fails(row: Row, side: Side, sample: float) -> bool:
    """Return whether a sample of a release is from a failed run, rather than 0 as it is rounded."""
    if not is_rate(row):
        return side.mean == 0
    most = max(side.ends[1], *(value for _, value in row.line))
    return in_mean(row.unit, sample, most) and most > MIN_RATE_STEPS * side.step


def _run_of(row: Row) -> tuple[object, ...]:
    """Return the identity of a row's run, or of the row if nothing says which rows share a run."""
    return (*row.observation, direction(row.metric) if row.params else row.metric)


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
    assert row.old
    described = names.catalog.benchmark(row.benchmark)
    label = labels.within(labels.in_benchmark(described, row.new or row.old))
    where = [names.boards.short(row.guide.soc, row.board)] * has_boards
    said = f"{_range(row.old)}, {_range(row.new) if row.new else 'no longer measured'}"
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

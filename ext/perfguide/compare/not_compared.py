"""Grounds on which two figures are not compared although their conditions agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from ..catalog.benchmarks import Metric, Scalar
from ..common import units
from ..common.grouping import grouped
from ..figures import engines
from ..figures.engines import Inferred
from ..figures.pool import Pool, Record
from .copies import are_repeated, repeats
from .failed_rows import failed_run
from .history import History
from .match import Match, Names, metric_of
from .packet_bytes import of_other_bytes
from .relative import EQUAL
from .row import MIN_SHOWN_CHANGE, Row

ENGINE_CHANGED = "the engine seems to have changed"
"""The start of the ground of a row whose sides had different classes of engine."""

REPEATED = "the figures are those of"
"""The start of the ground of a row that repeats the figure of the older release."""

OTHER_UNIT = "perhaps a unit is misnamed"
"""The start of the ground of a row whose figures fit another unit better than their own."""

IMPOSSIBLE = "a figure is impossible"
"""The start of the ground of a row with an impossible figure."""

MAX_OVER_LIMIT = 1.1
"""The largest accepted ratio of a figure to the limit of its metric: measured loads exceed 100 % by
up to 1.5 % in public history, and impossible figures exceed their limit by 20 % or more."""

BINARY_FACTOR = 1.024**2
"""The ratio of MiB to MB."""

MIN_OTHER_UNIT_ROWS, OTHER_UNIT_SHARE, UNIT_RATIO_TOLERANCE_LOG = 3, 0.7, 0.003
"""A table has a wrong unit if it has at least so many rows, and so large a share of them moved less
in their digits than the units differ, or all moved by the ratio of units, give or take so much."""


def limit_of(metric: Metric | None, params: Mapping[str, Scalar], unit: str) -> float | None:
    """Return the largest possible figure of a metric in ``unit``, ``None`` if there is no limit."""
    limit = metric.limit(params) if metric else None
    if metric is None or limit is None:
        return None
    return limit * (units.factor(metric.unit, unit) or 1.0)


def impossible(
    metric: Metric | None, params: Mapping[str, Scalar], records: Iterable[Record]
) -> str:
    """Return the ground for the first figure beyond what its metric and parameters allow, or ""."""
    for record in records:
        limit = limit_of(metric, params, record.unit)
        ends = (record.cell.mean, record.cell.high)
        most = max((end for end in ends if end is not None), default=0.0)
        if limit is not None and most > MAX_OVER_LIMIT * limit:
            symbol = units.parse(record.unit).symbol
            return _impossible(record, most, f"more than {units.number(limit)} {symbol}")
    return ""


def _impossible(record: Record, figure: float, limit: str) -> str:
    """Return the ground for a figure beyond a limit; :func:`.causes.cause_of` takes its end."""
    value = f"{units.number(figure)} {units.parse(record.unit).symbol}"
    return f"{IMPOSSIBLE}: {value} in {record.guide.release}, {limit}"


def too_small(records: Sequence[Record], names: Names) -> dict[int, str]:
    """Return the ground, by ``id()``, for each figure less than other metrics of its run allow."""

    def key(record: Record, metric: str) -> tuple[object, ...]:
        return *engines.run_of(record), record.unit, metric

    means = {key(record, record.metric): record.cell.mean or 0.0 for record in records}
    out = {}
    for record in records:
        benchmark, metric = names.catalog.benchmark(record.benchmark), metric_of(names, record)
        for name, times in metric.no_less_than.items() if metric else ():
            if (record.cell.mean or math.inf) < times * means.get(key(record, name), 0.0):
                part = "" if times == 1 else f"{times:g} times "
                # Drop the words in common: rows with the same limit are reported as one event.
                common = f"{benchmark.metric_label(record.metric).partition(', ')[0]}, "
                label = benchmark.metric_label(name).removeprefix(common)
                of = units.number(means[key(record, name)])
                limit = f"shorter than {part}“{label}” ({of} {units.parse(record.unit).symbol})"
                out[id(record)] = _impossible(record, record.cell.mean or 0.0, limit)
                break
    return out


def below_least(matched: Match, small: Mapping[int, str]) -> str:
    """Return the ground if just one of two figures is less than its run allows, else "": if both
    are, they can be compared with each other."""
    grounds = [ground for side in (matched.old, matched.new) if (ground := small.get(id(side)))]
    return grounds[0] if len(grounds) == 1 else ""


def engine_changed(
    matched: Match, old: Mapping[engines.Run, Inferred], new: Mapping[engines.Run, Inferred]
) -> str:
    """Return the ground if the inferred engines of two figures differ in class, else ""."""
    assert matched.old is not None and matched.new is not None  # rows of one side are not judged
    was, now = old.get(engines.run_of(matched.old)), new.get(engines.run_of(matched.new))
    if was is None or now is None or was.name == now.name:
        return ""
    return f"{ENGINE_CHANGED}: {was.name} before, {now.name} now (inferred)"


def without_faulty_tables(
    compared: Sequence[Row], before: Pool, after: Pool, history: History
) -> list[Row]:
    """Return the rows, those as incomparable whose table seems to have another unit, whose rates
    count other bytes of a packet, or whose board repeats the older release."""
    open_rows = [row for row in compared if row.verdict == "same"]
    grounds = _of_other_units(open_rows, before, after) | of_other_bytes(open_rows, history)
    grounds |= _repeated(open_rows)
    return [
        replace(row, verdict="incomparable", ground=ground)
        if (ground := grounds.get(id(row)))
        else row
        for row in compared
    ]


def _repeated(open_rows: Sequence[Row]) -> dict[int, str]:
    """Return, by ``id()``, the ground of each row that repeats the older release, if at least half
    of the rows of its board do."""
    grounds = {}
    for board_rows in grouped(open_rows, lambda row: (row.guide.platform, row.board)).values():
        same = [repeats(row.old.cell, row.new.cell) for row in board_rows if row.old and row.new]
        for row, is_same in zip(board_rows, same, strict=True) if are_repeated(same) else ():
            if is_same and row.old and not _has_new_failure(row):
                release = row.old.guide.release
                grounds[id(row)] = f"{REPEATED} {release}, alone or with more samples"
    return grounds


def _has_new_failure(row: Row) -> bool:
    """Return whether a sample of NEW is that of a failed run, and no sample of OLD is."""
    assert row.old and row.new
    return bool(failed_run(row, row.new)) and not failed_run(row, row.old)


def _of_other_units(open_rows: Sequence[Row], before: Pool, after: Pool) -> dict[int, str]:
    """Return, by ``id()``, the grounds of rows in tables whose unit seems wrong in one release: the
    digits hardly changed although the unit did, or all changed by the ratio of two units."""
    tables: dict[tuple[tuple[object, ...], float], list[tuple[Row, float]]] = {}
    for row in open_rows:
        assert row.old and row.new
        old, new = row.old.cell.mean, row.new.cell.mean
        if old and new and min(old, new) > 0 and units.parse(row.unit).kind == "data rate":
            # Use the units in the bundles, because those of the records may be converted.
            factor = units.factor(before.stated_unit(row.old), after.stated_unit(row.new)) or 1.0
            table = (row.guide.platform, row.board, row.benchmark)
            move = math.log(new) - math.log(old)
            tables.setdefault((table, math.log(factor)), []).append((row, move))
    grounds = {}
    for (_, apart), members in tables.items():
        if len(members) < MIN_OTHER_UNIT_ROWS:
            continue
        near = [
            (row, move)
            for row, move in members
            if move * apart < 0 and abs(move + apart) <= min(abs(move), abs(apart))
        ]
        if 0 < abs(apart) < math.log(1.1) and len(near) >= OTHER_UNIT_SHARE * len(members):
            members, moves = near, [move for _, move in near]
            digits = math.expm1(median(move + apart for move in moves))
            digits_moved = (
                "hardly moved"
                if EQUAL <= abs(digits) < MIN_SHOWN_CHANGE
                else "are the same"
                if abs(digits) < EQUAL
                else f"moved by {units.change_text(digits)}"
            )
            ground = f"{OTHER_UNIT}: the numbers {digits_moved}, but differ if converted, by "
            ground += units.change_text(math.expm1(median(moves)))
        else:
            ratio = math.copysign(math.log(BINARY_FACTOR), members[0][1])
            if any(abs(move - ratio) > UNIT_RATIO_TOLERANCE_LOG for _, move in members):
                continue
            ground = f"{OTHER_UNIT}: all rows moved by the ratio of MB and MiB"
        grounds.update(dict.fromkeys((id(row) for row, _ in members), ground))
    return grounds

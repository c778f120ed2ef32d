"""Rows without a verdict yet, each with the evidence to judge it by."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..catalog.benchmarks import Metric
from ..common import units
from ..figures.failed_runs import in_mean
from ..figures.labels import params_text
from ..figures.pool import Pool, Record
from .accepted import since
from .history import History, side
from .judge import Pair
from .match import Names, metric_of, tools_of
from .moves import DIGIT
from .relative import Side
from .resolution import timer_step
from .row import Row, Rules, is_rate, is_time

MIN_LOAD_POINTS = 3.0
"""The smallest change of a load that matters, in percentage points."""


@dataclass(frozen=True, slots=True)
class OpenRow:
    """A row without a verdict yet, its pair to judge, and its figures in earlier releases and, if
    looking ahead is allowed, in later ones."""

    row: Row
    pair: Pair
    earlier: Mapping[str, Side]
    later: Mapping[str, Side]


def open_row(row: Row, before: Pool, after: Pool, history: History, rules: Rules) -> OpenRow:
    """Return a row with its pair to judge, and with the former names of its figure."""
    old, new = row.old, row.new
    assert old is not None and new is not None
    metric = metric_of(rules.names, new)
    compared = {old.guide.release, new.guide.release}
    tools = tools_of(rules.names, row.benchmark)
    earlier = history.of(after, new, compared, tools, since(row, rules.annotations.levels))
    # An earlier rate or time of 0, or with a sample of 0, is a failed run rather than scatter.
    if (is_rate(row) or is_time(row)) and old.cell.mean:
        earlier = {
            release: past
            for release, past in earlier.items()
            if past.mean and not in_mean(row.unit, past.low, past.high)
        }
    later = history.later(after, new, compared, tools) if rules.look_ahead else {}
    pair = replace(
        pair_of(new, rules.names),
        old=side(old.cell, before),
        new=side(new.cell, after),
        floor=_floor(row, metric, rules.threshold),
        history=tuple(earlier.values()),
        later=tuple(later.values()),
    )
    figures = [past.mean for past in (*pair.history, pair.old, pair.new)]
    if row.better == "higher" and not pair.step and (step := timer_step(figures)):
        # A change can be read either way, so the smaller figure counts.
        least = min(abs(pair.old.mean), abs(pair.new.mean))
        pair = replace(pair, step=step, floor=max(pair.floor, _part(DIGIT * step, least)))
    # A load that went from 1 to 2 % has doubled, but that hardly matters.
    if pair.load and not pair.sampled and pair.old.mean and rules.threshold is None:
        pair = replace(pair, floor=max(pair.floor, _part(MIN_LOAD_POINTS, abs(pair.old.mean))))
    row = replace(row, aliases=(*row.aliases, *history.former_names(new)))
    return OpenRow(row, pair, earlier, later)


def pair_of(record: Record, names: Names) -> Pair:
    """Return a pair that describes the row of a figure, with this figure on both sides."""
    metric = metric_of(names, record)
    name = names.metric(record)
    better = metric.better if metric else "neither"
    board = names.boards.today(record.guide.soc, record.board)
    assert record.cell.mean is not None
    only = Side(record.cell.mean)
    return Pair(
        only,
        only,
        f"{record.benchmark}/{name}/{record.unit}",
        (),
        max(metric.threshold, metric.noise_floor) / 100 if metric else 0.02,
        record.benchmark,
        f"{name} {record.unit}",
        _step(record.unit, metric),
        units.parse(record.unit).kind == units.parse("%").kind,
        {"higher": 1, "lower": -1, "neither": 0}[better],
        _shared(record, board, names),
        figure="/".join((record.benchmark, name, record.unit, params_text(names.params(record)))),
    )


def _shared(record: Record, board: str, names: Names) -> tuple[str, ...]:
    """Return the groups that a row may have moved with, widest first: its board, its benchmark
    there, its metric, and rows that share a parameter."""
    benchmark = names.catalog.benchmark(record.benchmark)
    title = benchmark.entry.title
    out = [board, f"{board}, {title}", f"{board}, {title}: {names.metric(record)}"]
    for name, value in sorted(names.params(record).items()):
        label = benchmark.param(name).label or name
        out.append(f"{out[2]}, {label} {benchmark.value_label(name, value)}")
    return tuple(out)


def _step(unit: str, metric: Metric | None) -> float:
    """Return the resolution of a metric's program in ``unit``, 0 if unknown."""
    if metric is None or not metric.step:
        return 0.0
    return metric.step * (units.factor(metric.unit, unit) or 0.0)


def _floor(row: Row, metric: Metric | None, threshold: float | None) -> float:
    """Return the relative change from which a change matters."""
    step = _step(row.unit, metric)
    metric = metric or Metric(name=row.metric, unit=row.unit, better="neither")
    floors = [metric.threshold / 100 if threshold is None else threshold, metric.noise_floor / 100]
    means = [abs(r.cell.mean) for r in (row.old, row.new) if r and r.cell.mean]
    # A change can be read either way, so the smaller figure counts.
    if step and means:
        floors.append(_part(DIGIT * step, min(means)))
    return max(floors)


def _part(amount: float, of: float) -> float:
    """Return an amount as a share of a figure, at most the largest float."""
    # Division by a tiny figure can overflow.
    return min(amount / of, sys.float_info.max)

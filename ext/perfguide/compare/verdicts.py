"""Verdicts on all rows of a comparison, in steps: figures are paired, those that cannot be compared
are set apart, and the others are judged together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..common import units
from ..figures import engines
from ..figures.pool import Pool, Record
from .accepted import accepted, annotated
from .failed_rows import (
    FAILED_RUN_BEFORE,
    at_zero,
    failed_row,
    failed_run,
    still_at_zero,
    without_failed_runs,
)
from .history import History, scaled
from .judged_rows import at_equal_clock, clock, judged_rows
from .match import Match, match, metric_of, obstacles, tools_of
from .not_compared import below_least, engine_changed, impossible, too_small, without_faulty_tables
from .odd_figures import unlike_curves
from .open_rows import open_row
from .row import ALARMS, RATED, Row, Rules


@dataclass(frozen=True, slots=True)
class SideFigures:
    """The figures of one side, from one release for each board, and their pool."""

    pool: Pool
    records: tuple[Record, ...]


CONVERTED = "the unit was"
"""The start of the note on a row whose unit changed."""

MIN_CONCLUSIVE_DIGITS = 3
"""Two equal figures with fewer digits may agree by chance."""


def rows(old: SideFigures, new: SideFigures, history: History, rules: Rules) -> tuple[Row, ...]:
    """Return every figure of both sides with its verdict, largest change first."""
    compared = without_faulty_tables(_compared(old, new, rules), old.pool, new.pool, history)
    open_rows = {
        at: open_row(row, old.pool, new.pool, history, rules)
        for at, row in enumerate(compared)
        if row.verdict == "same"
    }
    judged = dict(
        zip(open_rows, judged_rows([*open_rows.values()], rules.usual_noise), strict=True)
    )
    out = [
        still_at_zero(judged[at], open_rows[at].earlier.values()) if at in judged else row
        for at, row in enumerate(compared)
    ]
    no_past = [
        judged[at] for at, each in open_rows.items() if not (each.pair.history or each.pair.sampled)
    ]
    odd = unlike_curves(out, no_past)
    out = [replace(row, odd=odd[id(row)]) if id(row) in odd else row for row in out]
    out = without_failed_runs([clock(row, rules.names) for row in out])
    out = at_equal_clock(counted_once(out), open_rows, rules)
    # Waivers come first: a new level is only considered if no waiver accepts the change.
    out = [annotated(accepted(row, rules.waivers), rules.annotations) for row in out]
    return tuple(sorted(out, key=_order))


def _compared(old: SideFigures, new: SideFigures, rules: Rules) -> list[Row]:
    """Return every figure of both sides with the verdict that needs no statistics; ``same`` means
    that it is still open."""
    old_engines, new_engines = (
        engines.inferred(side.records, rules.names.catalog) for side in (old, new)
    )
    small = too_small((*old.records, *new.records), rules.names)
    out = []
    for matched in match(old.records, new.records, rules.names):
        row = _row(matched, old.pool, new.pool, rules)
        if row.verdict == "same" and (
            ground := below_least(matched, small)
            or engine_changed(matched, old_engines, new_engines)
        ):
            row = replace(row, verdict="incomparable", ground=ground)
        out.append(row)
    return out


def _row(matched: Match, before: Pool, after: Pool, rules: Rules) -> Row:
    """Return a row with the verdict that needs no statistics; ``same`` means still open."""
    old, new, names = matched.old, matched.new, rules.names
    record = new or old
    assert record is not None
    metric = metric_of(names, record)
    row = Row(
        board=names.boards.today(record.guide.soc, record.board),
        benchmark=record.benchmark,
        metric=names.metric(record),
        params=names.params(record),
        unit=record.unit,
        better=metric.better if metric else "neither",
        old=old,
        new=new,
        verdict="same",
        ground="",
        aliases=matched.aliases,
    )
    if old is None:
        return replace(row, verdict="only-new", ground="the older release did not measure it")
    if new is None:
        return replace(row, verdict="only-old", ground="it was measured before and is not now")
    factor = units.factor(old.unit, new.unit)
    if factor is not None:
        old = replace(old, cell=scaled(old.cell, factor), unit=new.unit)
        row = replace(row, old=old)
    was, now = (
        units.parse(pool.stated_unit(each)).symbol for pool, each in ((before, old), (after, new))
    )
    if was != now and factor is not None:
        said = f"{CONVERTED} {was} and is {now}, and the figures are converted"
        row = replace(row, aliases=(*row.aliases, said))
    tools = tools_of(names, record.benchmark)
    against = matched.differs or obstacles(
        before.conditions(old),
        after.conditions(new),
        tools,
        partial(names.matters, record.benchmark),
    )
    ground = "; ".join(dict.fromkeys(against)) or impossible(metric, row.params, (old, new))
    if ground:
        return replace(row, verdict="incomparable", ground=ground)
    if old.cell.mean is None or new.cell.mean is None:
        return failed_row(row, old, new)
    if said := failed_run(row, old):
        return replace(row, verdict="incomparable", ground=f"{FAILED_RUN_BEFORE}; {said}")
    return at_zero(row, old.cell.mean, new.cell.mean)


def counted_once(rows: Sequence[Row]) -> list[Row]:
    """Return the rows. Equal figures of one run, and all figures of a run that equals another one,
    follow the first of them, so that each counts once."""
    figures_of_runs: dict[tuple[object, ...], set[tuple[object, ...]]] = {}
    for row in rows:
        if row.new and _is_conclusive(row.new.cell.mean):
            figures = (row.metric, row.old and row.old.cell.mean, row.new.cell.mean)
            figures_of_runs.setdefault(row.observation, set()).add(figures)
    first_runs: dict[tuple[object, ...], tuple[object, ...]] = {}
    first_metrics: dict[tuple[object, ...], str] = {}
    out = []
    for row in rows:
        figures_of_run = figures_of_runs.get(row.observation, set())
        contents = (*row.observation[:3], frozenset(figures_of_run))
        if (
            len(figures_of_run) > 1
            and first_runs.setdefault(contents, row.observation) != row.observation
        ):
            row = replace(row, follows=row.metric)
        means = [side.cell.mean if side else None for side in (row.old, row.new)]
        if row.change and any(map(_is_conclusive, means)):
            pair = (*row.observation, row.unit, *means)
            lead = first_metrics.setdefault(pair, row.metric)
            if lead != row.metric and not row.follows and row.verdict in (*ALARMS, *RATED):
                row = replace(row, follows=lead)
        out.append(row)
    return out


def _is_conclusive(mean: float | None) -> bool:
    return len(f"{mean:g}".replace(".", "").strip("0")) >= MIN_CONCLUSIVE_DIGITS if mean else False


def _order(row: Row) -> tuple[object, ...]:
    size = -1.0 if row.judged_change is None else abs(row.judged_change)
    names = (units.natural(row.board), row.benchmark, units.natural(row.metric))
    key = row.guide
    return (-size, key.soc, key.os, key.sdk, names, units.natural(repr(sorted(row.params.items()))))

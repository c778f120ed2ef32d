"""Judgement of open rows: as measured, per unit of work, or at equal clock."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..bundles.guide_key import version
from ..common import units
from ..figures.failed_runs import RATES
from .judge import Judgement, Pair, judge, ranges_overlap
from .match import CLOCK_TOLERANCE, Names, metric_of
from .odd_figures import unlike_past
from .open_rows import OpenRow
from .relative import Side
from .row import MIN_SHOWN_CHANGE, Row, Rules, Verdict, direction
from .usual_noise import Table

MIN_RATE_CHANGE = 0.05
"""The smallest relative change of a rate for which a load with samples is judged per unit of the
rate. A load of single runs always is."""

MIN_STATES_LOG = math.log(2)
"""The log of the smallest ratio between two states of a figure."""


def judged_rows(open_rows: Sequence[OpenRow], usual_noise: Table | None) -> list[Row]:
    """Return the rows with verdicts, those on loads per unit of the rate reached with them."""
    rates = _rates_of_loads(open_rows)
    pairs = [
        _scaled_to_rate(open_row, rate) if rate else open_row.pair
        for open_row, rate in zip(open_rows, rates, strict=True)
    ]
    judgements = judge(pairs, table=usual_noise)
    judged = []
    for open_row, rate, pair, judgement in zip(open_rows, rates, pairs, judgements, strict=True):
        row = _judged(open_row.row, pair, judgement)
        judged.append(_of_load(row, open_row.pair, rate) if rate else row)
    return judged


def _judged(row: Row, pair: Pair, judgement: Judgement) -> Row:
    grounds = [judgement.ground]
    for record, side in ((row.old, "old"), (row.new, "new")):
        if record and record.cell.failed:
            grounds.append(f"{record.cell.failed} of {record.cell.runs} {side} runs failed")
    verdict: Verdict = "noisy"
    if judgement.outcome in ("same", "steady"):
        verdict = judgement.outcome
    elif judgement.outcome == "different":
        assert row.old is not None and row.new is not None
        more = pair.new.mean > pair.old.mean
        verdict = "improved" if more == (row.better == "higher") else "regressed"
        verdict = "changed" if row.better == "neither" else verdict
    past = [] if pair.sampled else [side.mean for side in pair.history]
    return replace(
        row,
        verdict=verdict,
        ground="; ".join(filter(None, grounds)),
        change=judgement.change,
        floor=pair.floor,
        p=judgement.p,
        q=judgement.q,
        detectable=judgement.detectable,
        scatter=judgement.scatter,
        kind_scatter=judgement.kind_scatter,
        # More runs cannot settle a figure that goes back and forth between two states.
        more_runs=None if _has_states(pair) else judgement.more_runs,
        shift=judgement.shift,
        level=judgement.level,
        step=pair.step,
        kinds_of_figures=judgement.kinds_of_figures,
        single=judgement.single,
        spread=judgement.spread,
        odd=unlike_past(past, pair.old.mean, pair.new.mean, row.unit),
    )


def _has_states(pair: Pair) -> bool:
    """Return whether the earlier figures of a row are as far apart as two states."""
    before = [side.mean for side in (*pair.history, pair.old)]
    if min(before) <= 0:
        return min(before) < max(before)
    return math.log(max(before)) - math.log(min(before)) >= MIN_STATES_LOG


def _rates_of_loads(open_rows: Sequence[OpenRow]) -> list[OpenRow | None]:
    """Return for each row the rate that was reached with it, if it is a load that is judged per
    unit of that rate."""
    rates: dict[tuple[object, ...], OpenRow | None] = {}
    for open_row in open_rows:
        row, kind = open_row.row, units.parse(open_row.row.unit).kind
        if kind in RATES and row.better == "higher":
            name = (*row.observation, kind, direction(row.metric))
            # If a run has two rates of one kind, it is unknown to which one the load belongs.
            rates[name] = None if name in rates else open_row
    return [_rate_of_load(open_row.row, open_row.pair, rates) for open_row in open_rows]


def _rate_of_load(
    row: Row, pair: Pair, rates: Mapping[tuple[object, ...], OpenRow | None]
) -> OpenRow | None:
    # A packet loss is a share too, but does not depend on the rate.
    if not pair.load or row.better != "lower" or "load" not in row.metric:
        return None
    names = [(*row.observation, kind, way) for kind in RATES for way in (direction(row.metric), "")]
    rate = next(filter(None, map(rates.get, names)), None)
    if rate is None or ranges_overlap(rate.pair):
        return None
    old, new = rate.pair.old.mean, rate.pair.new.mean
    if not all(map(units.measurable, (old, new, pair.old.mean, pair.new.mean))):
        return None
    return rate if not pair.sampled or abs(new / old - 1) >= MIN_RATE_CHANGE else None


def _scaled_to_rate(load: OpenRow, rate: OpenRow) -> Pair:
    """Return a load's pair with all loads scaled to the rate of the older release."""
    return replace(_scaled(load, rate, rate.pair.old).pair, load=False)


def _scaled(of: OpenRow, by: OpenRow, base: Side, is_inverse: bool = False) -> OpenRow:
    """Return a row with all figures scaled, in proportion or inversely, from what another row has
    in their release to ``base``."""

    def at_base(side: Side, other: Side) -> Side:
        return _over(side, base, other) if is_inverse else _over(side, other, base)

    before, later = (
        {
            release: at_base(side, others[release])
            for release, side in sides.items()
            if release in others
            and units.measurable(others[release].mean)
            and units.measurable(side.mean)
        }
        for sides, others in ((of.earlier, by.earlier), (of.later, by.later))
    )
    pair = replace(
        of.pair,
        old=at_base(of.pair.old, by.pair.old),
        new=at_base(of.pair.new, by.pair.new),
        history=tuple(before.values()),
        later=tuple(later.values()),
    )
    return OpenRow(of.row, pair, before, later)


def _over(figure: Side, rate: Side, base: Side) -> Side:
    """Return a figure scaled from the rate reached with it to another one."""
    factor = base.mean / rate.mean
    return replace(
        figure,
        mean=figure.mean * factor,
        low=None if figure.low is None else figure.low * factor,
        high=None if figure.high is None else figure.high * factor,
        samples=tuple(sample * factor for sample in figure.samples),
        step=figure.step * factor,
    )


def _of_load(row: Row, pair: Pair, rate: OpenRow) -> Row:
    """Return a load that was judged per unit of work, with its own change restored."""
    assert rate.row.old and rate.row.new
    old_rate, new_rate = rate.row.old.cell.mean or 0.0, rate.row.new.cell.mean or 0.0
    was, now, unit = (
        units.number(old_rate),
        units.number(new_rate),
        units.parse(rate.row.unit).symbol,
    )
    change = None if not pair.old.mean else pair.new.mean / pair.old.mean - 1
    rates, base = (*rate.pair.history, rate.pair.new), rate.pair.old.mean
    if any(abs(side.mean / base - 1) >= MIN_SHOWN_CHANGE for side in rates if side.mean):
        scaling = f"loads scaled to {was} {unit}"
        odd = f"{row.odd}; {scaling}" if row.odd else ""
        row = replace(row, ground=f"{row.ground}; {scaling}", odd=odd)
    if abs(new_rate / (old_rate or 1.0) - 1) < MIN_RATE_CHANGE:
        return replace(row, change=change, work=row.change)
    return replace(
        row,
        change=change,
        work=row.change,
        per=unit,
        ground=f"{units.change_text(row.change or 0.0)} per {unit}; the rate went from {was} to {now} "
        f"{unit}; {row.ground}",
    )


def clock(row: Row, names: Names) -> Row:
    """Return a row. The verdict on a clock only says whether it was set to another frequency."""
    metric = metric_of(names, row.new) if row.old and row.new else None
    if metric is None or not metric.clock or row.change is None or row.verdict == "incomparable":
        return row
    if abs(row.change) <= CLOCK_TOLERANCE:
        return replace(row, verdict="same", ground="the clock is the same")
    return replace(
        row, verdict="changed", ground="the clock was set to another frequency", is_clock=True
    )


MIN_FOLLOWING_SHARE = 0.2
"""A benchmark follows a clock if at least this share of its rows does: fewer may by chance."""


def followers(clock: Row, rows: Sequence[Row]) -> dict[str, tuple[list[Row], int]]:
    """Return the benchmarks that followed a clock, each with the rows that did and its row count.

    A row follows if its change is within a third of the clock's; one judged at equal clock did not.
    If half the rows of any benchmark follow, so do those of the others.
    """
    assert clock.change is not None
    wanted = math.log1p(clock.change)
    rated: dict[str, list[tuple[Row, float]]] = {}
    for row in rows:
        is_on_board = (row.guide.platform, row.board) == (clock.guide.platform, clock.board)
        if is_on_board and row.worse_by is not None:
            # Negated, because a faster clock makes rows better.
            rated.setdefault(row.benchmark, []).append((row, -row.worse_by))
    following = {
        name: (
            [row for row, by in moves if abs(by - wanted) <= abs(wanted) / 3 and not row.past],
            len(moves),
        )
        for name, moves in rated.items()
    }
    follows = any(fitting and 2 * len(fitting) >= count for fitting, count in following.values())
    return {
        name: (fitting, count)
        for name, (fitting, count) in following.items()
        if follows and fitting and len(fitting) >= MIN_FOLLOWING_SHARE * count
    }


def scales_with_clock(row: Row, names: Names) -> bool:
    """Return whether a figure scales with the clock of the processor: the results of benchmarks of
    processors and, of those that measure memory too, the times of system calls and the like. They
    are printed in microseconds, and those of memory in nanoseconds."""
    described = names.catalog.benchmark(row.benchmark)
    metric, subsystems = described.metric(row.metric), described.entry.subsystems
    unit = units.parse(row.unit)
    if "processor" not in subsystems or unit.kind == "share" or (metric and metric.computed_from):
        return False
    return len(subsystems) == 1 or unit.symbol == "µs"


def at_equal_clock(
    judged: Sequence[Row], open_rows: Mapping[int, OpenRow], rules: Rules
) -> list[Row]:
    """Return the rows. Those that scale with a clock that changed, but moved otherwise than it, are
    judged at the newer clock. ``open_rows`` are by position."""
    scaled: dict[int, OpenRow] = {}
    clock_of: dict[int, Row] = {}
    for at, row in enumerate(judged):
        if not row.is_clock or at not in open_rows or not row.change or row.change <= -1:
            continue
        following = followers(row, judged)
        like_it = {id(each) for fitting, _ in following.values() for each in fitting}
        base = open_rows[at].pair.new
        for n, each in enumerate(judged):
            is_on_board = (each.guide.platform, each.board) == (row.guide.platform, row.board)
            has_followed = is_on_board and each.ratio and each.benchmark in following
            if has_followed and scales_with_clock(each, rules.names):
                is_inverse = each.better == "lower"
                scaled[n] = _scaled(open_rows[n], open_rows[at], base, is_inverse)
                if id(each) not in like_it:
                    clock_of[n] = row
    if not clock_of:
        return [*judged]
    every = [scaled.get(at, open_row) for at, open_row in open_rows.items()]
    again = dict(zip(open_rows, judged_rows(every, rules.usual_noise), strict=True))
    return [
        _of_clock(row, again[at], scaled[at], clock_of[at]) if at in clock_of else row
        for at, row in enumerate(judged)
    ]


def _of_clock(row: Row, judged: Row, scaled: OpenRow, clock: Row) -> Row:
    """Return a row as it was judged at the newer clock, with its own change restored."""
    assert row.old and clock.new
    past = [(release, side.mean) for release, side in scaled.earlier.items()]
    now = f"{units.number(clock.new.cell.mean or 0.0)} {units.parse(clock.unit).symbol}"
    change = units.change_text(judged.change or 0.0)
    return replace(
        judged,
        change=row.change,
        past=(*past, (row.old.guide.release, scaled.pair.old.mean)),
        follows=row.follows,
        odd=row.odd,
        ground=f"{change} at equal clock: earlier figures are scaled to {now}; {judged.ground}",
    )


def since_at_equal_clock(row: Row, clock: Row, names: Names) -> Row:
    """Return a row that OLD lacks. If it scales with a clock that changed, its earlier figures are
    at the newer clock; releases that did not record the clock had the last recorded one."""
    if not (row.old and clock.new and clock.new.cell.mean and scales_with_clock(row, names)):
        return row
    now, way = clock.new.cell.mean, 1 if row.better == "higher" else -1
    past = []
    for release, figure in row.line:
        before = [mhz for each, mhz in clock.line if version(each) <= version(release)]
        if version(release) <= version(row.old.guide.release):
            past.append((release, figure * (now / (before or [clock.line[0][1]])[-1]) ** way))
    scaled = f"earlier figures are scaled to {units.number(now)} {units.parse(clock.unit).symbol}"
    return replace(row, past=tuple(past), ground=f"{row.ground}; {scaled}")

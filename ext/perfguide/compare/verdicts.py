"""Rows of a comparison: each figure of two releases, with a verdict. All output is made of them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from typing import Literal

from ..bundles.guide_key import GuideKey, version
from ..catalog.benchmarks import Metric, Scalar
from ..catalog.waivers import Annotation, Annotations, AnyEntry, Level, Note, Waiver
from ..common import units
from ..figures import engines
from ..figures.engines import Inferred
from ..figures.failed_runs import RATES, in_mean
from ..figures.labels import params_text
from ..figures.pool import Pool, Record
from .copies import are_repeated, repeats
from .history import History, scaled
from .judge import Judgement, Pair, Spread, judge, ranges_overlap
from .match import CLOCK_TOLERANCE, Match, Names, match, obstacles
from .moves import DIGIT
from .odd_figures import unlike_curves, unlike_past
from .relative import EQUAL, Side
from .resolution import printed, timer_step
from .shifts import Shift
from .usual_noise import Table

Verdict = Literal[
    "regressed",
    "failed-after",
    "improved",
    "changed",
    "incomparable",
    "noisy",
    "steady",
    "same",
    "failed-before",
    "failed-both",
    "only-old",
    "only-new",
]

WORDS: dict[Verdict, str] = {
    "regressed": "regressed",
    "failed-after": "failed after",
    "improved": "improved",
    "changed": "changed",
    "incomparable": "not comparable",
    "noisy": "too noisy to tell",
    "steady": "no change",
    "same": "same",
    "failed-before": "failed before",
    "failed-both": "failed before and after",
    "only-old": "only old",
    "only-new": "only new",
}
"""Words for verdicts, in the order in which readers see them."""

ALARMS: tuple[Verdict, ...] = ("regressed", "failed-after")
"""Verdicts against the newer release."""

JUDGED_CHANGE = 0.5
"""The relative change that would be detected in any figure that counts as judged: a rise by half, or a
fall by a third."""

WORK = "throughput"
"""The metric, without its direction, that has the byte rate of a run with a packet rate or a load."""

CALLED: tuple[Verdict, ...] = ("regressed", "improved", "changed")
"""Verdicts on figures that differ."""

RATED: tuple[Verdict, ...] = ("regressed", "improved", "same", "steady", "noisy")
"""Verdicts on rows whose figures can be compared as better and worse."""

MIN_LOAD_POINTS = 3.0
"""The smallest change of a load that matters, in percentage points."""


@dataclass(frozen=True, slots=True)
class SideFigures:
    """The figures of one side, from one release for each board, and their pool."""

    pool: Pool
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings of a comparison.

    ``threshold`` replaces the smallest relative change that matters of each metric. ``annotations`` are
    maintainers' notes and new levels. With ``look_ahead``, later releases are evidence too.
    ``usual_noise`` replaces the package's table of the usual scatter of single figures.
    """

    names: Names
    waivers: tuple[Waiver, ...] = ()
    threshold: float | None = None
    annotations: Annotations = field(default_factory=Annotations)
    look_ahead: bool = False
    usual_noise: Table | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One figure before and after.

    ``board``, ``metric`` and ``params`` are today's names, and both figures are in ``unit``. ``change``
    is new/old - 1, and ``floor`` the relative change from which it matters. ``ground`` gives the reason
    for the verdict. For ``p``, ``q``, ``detectable``, ``scatter``, ``kind_scatter``, ``more_runs``,
    ``level``, ``shift``, ``figures`` and ``spread`` see :class:`.judge.Judgement`.

    ``work`` is the change of a load per unit of work; if it is known, the verdict is about it. ``per``
    is the unit of the work. ``follows`` is the metric of the same run whose verdict the row shares.
    ``line`` has the figure of each release. ``waiver`` is the entry that accepts the change,
    ``settled`` the one that declares it a new level, and ``notes`` are about it. ``is_clock`` marks a
    clock that was set to another frequency, and ``alternates`` a figure with two states. ``step`` is
    the resolution of the program, 0 if unknown. ``doubt`` says why the newer figure proves nothing,
    and ``odd`` why the older one may prove nothing; both are usually empty.
    """

    board: str
    benchmark: str
    metric: str
    params: dict[str, Scalar]
    unit: str
    better: units.Better
    old: Record | None
    new: Record | None
    verdict: Verdict
    ground: str
    change: float | None = None
    floor: float = 0.0
    p: float | None = None
    q: float | None = None
    detectable: float | None = None
    scatter: float | None = None
    kind_scatter: float | None = None
    more_runs: int | None = None
    aliases: tuple[str, ...] = ()
    waiver: Waiver | None = None
    settled: Annotation[Level] | None = None
    notes: tuple[Annotation[Note], ...] = ()
    shift: Shift | None = None
    level: int = 0
    work: float | None = None
    follows: str = ""
    line: tuple[tuple[str, float], ...] = ()
    is_clock: bool = False
    alternates: bool = False
    figures: str = "one run each"
    spread: Spread = ""
    per: str = ""
    step: float = 0.0
    doubt: str = ""
    odd: str = ""

    @property
    def guide(self) -> GuideKey:
        """The guide of the newer or only figure."""
        record = self.new or self.old
        assert record is not None  # a match has at least one side
        return record.guide

    @property
    def alarming(self) -> bool:
        """True if the row counts against the newer release and is not accepted."""
        return self.verdict in ALARMS and not self.accepted

    @property
    def accepted(self) -> bool:
        """True if a maintainer has accepted the change."""
        return self.waiver is not None or self.settled is not None

    @property
    def judged(self) -> bool:
        """True if a change by ``JUDGED_CHANGE`` was, or would have been, detected."""
        if self.verdict == "noisy":
            return self.detectable is not None and self.detectable <= JUDGED_CHANGE
        return self.verdict != "incomparable" and self.old is not None and self.new is not None

    @property
    def ratio(self) -> float | None:
        """The ratio in the better direction: 1.1 is 10 % better; ``None`` if there is none."""
        change = self.change if self.work is None else self.work
        if self.verdict not in RATED or change is None or self.better == "neither" or change <= -1:
            return None
        return 1 + change if self.better == "higher" else 1 / (1 + change)

    @property
    def worse_by(self) -> float | None:
        """The log of the factor by which the row got worse: negative if it got better, infinite if one
        figure is 0, ``None`` if neither figure is better."""
        if self.ratio:
            return -math.log(self.ratio)
        if self.verdict not in RATED or self.better == "neither" or not (self.old and self.new):
            return None
        old, new = self.old.cell.mean, self.new.cell.mean
        if old is None or new is None or min(old, new) != 0 or old == new:
            return None
        return math.inf if (new < old) == (self.better == "higher") else -math.inf

    @property
    def observation(self) -> tuple[object, ...]:
        """The identity of the run, which all metrics measured in one run of a benchmark share."""
        params = frozenset((name, str(value)) for name, value in self.params.items())
        return (self.guide.platform, self.board, self.benchmark, params)

    @property
    def measurement(self) -> tuple[object, ...]:
        """The identity of the measurement. Packets, bytes and load of one run are one measurement of the
        same work; other metrics, and those without parameters, are measurements of their own."""
        if not self.params or units.parse(self.unit).kind not in ("packet rate", "share"):
            return (*self.observation, self.metric)
        return (*self.observation, "_".join(filter(None, (direction(self.metric), WORK))))


def rows(old: SideFigures, new: SideFigures, history: History, rules: Rules) -> tuple[Row, ...]:
    """Return every figure of both sides with its verdict, largest change first."""
    out: list[Row] = []
    judged: dict[int, Pair] = {}
    pasts: dict[int, Others] = {}
    factors: dict[int, float] = {}
    catalog = rules.names.catalog
    engines_of = [engines.inferred(side.records, catalog) for side in (old, new)]
    small = too_small((*old.records, *new.records), rules.names)
    for matched in match(old.records, new.records, rules.names):
        row = _row(matched, old.pool, new.pool, rules)
        if row.verdict == "same" and (reason := _below_least(matched, small)):
            row = replace(row, verdict="incomparable", ground=reason)
        # “same” means that nothing has ruled the row out so far.
        if row.verdict == "same" and (changed := _engine_changed(matched, *engines_of)):
            row = replace(row, verdict="incomparable", ground=changed)
        out.append(row)
        # Use the units in the bundles, because those of the records may be converted.
        if matched.old and matched.new and row.verdict == "same":
            stated = old.pool.stated_unit(matched.old), new.pool.stated_unit(matched.new)
            factors[len(out) - 1] = units.factor(*stated) or 1.0
    for position, ground in {**_of_other_units(out, factors), **_repeated(out, factors)}.items():
        out[position] = replace(out[position], verdict="incomparable", ground=ground)
    for position in factors:
        if out[position].verdict == "same":
            judged[position], pasts[position] = _pair(
                out[position], old.pool, new.pool, history, rules
            )
            if (record := out[position].new) and (former := history.former_names(record)):
                out[position] = replace(out[position], aliases=(*out[position].aliases, *former))
    work = _work(out, judged)
    loads = {
        position: _scaled_to_rate(judged, pasts, position, own) for position, own in work.items()
    }
    verdicts = judge([loads.get(i) or pair for i, pair in judged.items()], table=rules.usual_noise)
    for (position, pair), judgement in zip(judged.items(), verdicts, strict=True):
        out[position] = _judged(out[position], loads.get(position) or pair, judgement)
        if loads.get(position):
            rate_position = work[position]
            out[position] = _of_load(out[position], out[rate_position], pair, judged[rate_position])
    no_past = {position for position, pair in judged.items() if not (pair.history or pair.sampled)}
    for position, odd in unlike_curves(out, no_past).items():
        out[position] = replace(out[position], odd=odd)
    out = [_clock(row, rules.names) for row in out]
    without_run(out)
    _two_names(out)
    # Waivers come first: a new level is only considered if no waiver accepts the change.
    accepted = [_annotated(_accepted(row, rules.waivers), rules.annotations) for row in out]
    return tuple(sorted(accepted, key=_order))


ENGINE_CHANGED = "the engine seems to have changed"
"""The start of the ground of a row whose two sides were measured with different classes of engine."""


def _engine_changed(
    matched: Match, old: Mapping[engines.Run, Inferred], new: Mapping[engines.Run, Inferred]
) -> str:
    """Return the ground if the inferred engines of two figures are of different classes, else ""."""
    assert matched.old is not None and matched.new is not None  # rows of one side are not judged
    was, now = old.get(engines.run_of(matched.old)), new.get(engines.run_of(matched.new))
    if was is None or now is None or was.name == now.name:
        return ""
    return f"{ENGINE_CHANGED}: {was.name} before, {now.name} now (inferred)"


REPEATED = "the figures are those of"
"""The start of the ground of a row that repeats the figure of the older release."""


def _repeated(out: Sequence[Row], rated: Iterable[int]) -> dict[int, str]:
    """Return, by position, the ground of each row that repeats the older release, if at least half of the
    rows of its board do."""
    boards: dict[tuple[object, ...], list[tuple[int, bool | None]]] = {}
    for position in rated:
        row = out[position]
        assert row.old and row.new  # rated rows have two sides
        same = repeats(row.old.cell, row.new.cell)
        boards.setdefault((row.guide.platform, row.board), []).append((position, same))
    return {
        position: f"{REPEATED} {old.guide.release}, alone or with more samples"
        for own in boards.values()
        if are_repeated([same for _, same in own])
        for position, same in own
        if same and (old := out[position].old) and not _has_new_failure(out[position])
    }


def _has_new_failure(row: Row) -> bool:
    """Return whether a sample of NEW is that of a failed run, and no sample of OLD is."""
    assert row.old and row.new
    return bool(failed_run(row, row.new)) and not failed_run(row, row.old)


OTHER_UNIT = "the unit may be another one in name alone"
"""The start of the ground of a row whose figures fit another unit better than their own."""

BINARY_FACTOR = 1.024**2
"""The ratio of MiB to MB."""

MIN_SHOWN_CHANGE = 0.0005
"""Smaller relative changes are shown as 0.0 %."""

MIN_OTHER_UNIT_ROWS, OTHER_UNIT_SHARE, UNIT_RATIO_TOLERANCE_LOG = 3, 0.7, 0.003
"""A table has a wrong unit if it has at least so many rows, and so large a share of them moved less in
their digits than the units differ, or all moved by the ratio of units, give or take so much."""


def _of_other_units(out: Sequence[Row], factors: Mapping[int, float]) -> dict[int, str]:
    """Return, by position, the grounds of rows in tables whose unit seems to be wrong in one release:
    the digits hardly changed although the unit did, or all rows changed by the ratio of two units."""
    tables: dict[tuple[object, ...], list[tuple[int, float, float]]] = {}
    for position, factor in factors.items():
        row = out[position]
        assert row.old and row.new
        old, new = row.old.cell.mean, row.new.cell.mean
        if old and new and min(old, new) > 0 and units.parse(row.unit).kind == "data rate":
            table = (row.guide.platform, row.board, row.benchmark, factor)
            move = math.log(new) - math.log(old)
            tables.setdefault(table, []).append((position, move, math.log(factor)))
    grounds = {}
    for members in tables.values():
        moves, apart = [move for _, move, _ in members], members[0][2]
        if len(members) < MIN_OTHER_UNIT_ROWS:
            continue
        near = [
            (position, move)
            for position, move, _ in members
            if move * apart < 0 and abs(move + apart) <= min(abs(move), abs(apart))
        ]
        if 0 < abs(apart) < math.log(1.1) and len(near) >= OTHER_UNIT_SHARE * len(members):
            moves = [move for _, move in near]
            members = [(position, move, apart) for position, move in near]
            digits = math.expm1(median(move + apart for move in moves))
            digits_moved = (
                "hardly moved"
                if EQUAL <= abs(digits) < MIN_SHOWN_CHANGE
                else "are the same"
                if abs(digits) < EQUAL
                else f"moved by {units.change_text(digits)}"
            )
            ground = f"{OTHER_UNIT}: the digits {digits_moved}, converted they moved by "
            ground += units.change_text(math.expm1(median(moves)))
        else:
            apart = math.copysign(math.log(BINARY_FACTOR), moves[0])
            if any(abs(move - apart) > UNIT_RATIO_TOLERANCE_LOG for move in moves):
                continue
            ground = f"{OTHER_UNIT}: all rows moved by the ratio of MB and MiB"
        grounds.update(dict.fromkeys((position for position, *_ in members), ground))
    return grounds


# ---------------------------------------------------------------- metrics of one run

Others = tuple[dict[str, Side], dict[str, Side]]
"""A row in earlier releases and, if looking ahead is allowed, in later ones, by release."""

MIN_RATE_CHANGE = 0.05
"""The smallest relative change of a rate for which a load with samples is judged per unit of the rate. A
load of single runs always is."""


def _work(out: Sequence[Row], judged: Mapping[int, Pair]) -> dict[int, int]:
    """Return the position of the rate that was reached with each load, by the load's position."""
    rates: dict[tuple[object, ...], int] = {}
    for position in judged:
        kind = units.parse(out[position].unit).kind
        if kind in RATES and out[position].better == "higher":
            name = (*out[position].observation, kind, direction(out[position].metric))
            # If a run has two rates of one kind, it is unknown to which one the load belongs.
            rates[name] = -1 if name in rates else position
    positions = {}
    for position, pair in judged.items():
        row = out[position]
        # A packet loss is a share too, but does not depend on the rate.
        if not pair.load or row.better != "lower" or "load" not in row.metric:
            continue
        own = [
            (*row.observation, kind, way) for kind in RATES for way in (direction(row.metric), "")
        ]
        at = next((rates[name] for name in own if rates.get(name, -1) >= 0), -1)
        if (
            at < 0
            or ranges_overlap(judged[at])
            or not all(units.measurable(side.mean) for side in (judged[at].old, judged[at].new))
        ):
            continue
        moved = abs(judged[at].new.mean / judged[at].old.mean - 1)
        both = all(units.measurable(side.mean) for side in (pair.old, pair.new))
        if both and (not pair.sampled or moved >= MIN_RATE_CHANGE):
            positions[position] = at
    return positions


def direction(metric: str) -> str:
    """Return the direction in a metric's name, ``read`` for ``read_cpu_load``, or ""."""
    word = metric.split("_")[0]
    return word if word in ("read", "write", "rx", "tx", "ingress", "egress") else ""


def _scaled_to_rate(
    judged: Mapping[int, Pair], pasts: Mapping[int, Others], position: int, own: int
) -> Pair:
    """Return a load's pair with all loads scaled to the rate of the older release."""
    load, rate = judged[position], judged[own]
    before, later = (
        tuple(
            _over(side, rates[release], rate.old)
            for release, side in loads.items()
            if release in rates
            and units.measurable(rates[release].mean)
            and units.measurable(side.mean)
        )
        for loads, rates in zip(pasts[position], pasts[own], strict=True)
    )
    old, new = _over(load.old, rate.old, rate.old), _over(load.new, rate.new, rate.old)
    return replace(load, old=old, new=new, load=False, history=before, later=later)


def _over(load: Side, rate: Side, at: Side) -> Side:
    by = at.mean / rate.mean
    return replace(
        load,
        mean=load.mean * by,
        low=None if load.low is None else load.low * by,
        high=None if load.high is None else load.high * by,
        samples=tuple(sample * by for sample in load.samples),
        step=load.step * by,
    )


def _of_load(row: Row, rate: Row, pair: Pair, rates: Pair) -> Row:
    """Return a load that was judged per unit of work, with its own change restored."""
    assert rate.old and rate.new and row.old and row.new
    was, now = (units.number(r.cell.mean or 0.0) for r in (rate.old, rate.new))
    unit = units.parse(rate.unit).symbol
    change = None if not pair.old.mean else pair.new.mean / pair.old.mean - 1
    others = (*rates.history, rates.new)
    if any(abs(side.mean / rates.old.mean - 1) >= MIN_SHOWN_CHANGE for side in others if side.mean):
        scaling = f"loads scaled to {was} {unit}"
        odd = f"{row.odd}; {scaling}" if row.odd else ""
        row = replace(row, ground=f"{row.ground}; {scaling}", odd=odd)
    if abs((rate.new.cell.mean or 0.0) / (rate.old.cell.mean or 1.0) - 1) < MIN_RATE_CHANGE:
        return replace(row, change=change, work=row.change)
    return replace(
        row,
        change=change,
        work=row.change,
        per=unit,
        ground=f"{units.change_text(row.change or 0.0)} per {unit}; the rate went from {was} to {now} "
        f"{unit}; {row.ground}",
    )


def _clock(row: Row, names: Names) -> Row:
    """Return a row. The verdict on a clock only says whether it was set to another frequency."""
    metric = metric_of(names, row.new) if row.old and row.new else None
    if metric is None or not metric.clock or row.change is None or row.verdict == "incomparable":
        return row
    if abs(row.change) <= CLOCK_TOLERANCE:
        return replace(row, verdict="same", ground="the clock is the same")
    return replace(
        row, verdict="changed", ground="the clock was set to another frequency", is_clock=True
    )


MIN_CONCLUSIVE_DIGITS = 3
"""Two equal figures with fewer digits may agree by chance."""


def _two_names(out: list[Row]) -> None:
    """Make equal figures of one run, and all figures of a run that equals another one, follow the first of
    them, so that each counts once."""
    first: dict[tuple[object, ...], str] = {}
    runs: dict[tuple[object, ...], set[tuple[object, ...]]] = {}
    for row in out:
        if row.new and _is_conclusive(row.new.cell.mean):
            means = (row.old and row.old.cell.mean, row.new.cell.mean)
            runs.setdefault(row.observation, set()).add((row.metric, *means))
    same: dict[tuple[object, ...], tuple[object, ...]] = {}
    for position, row in enumerate(out):
        own = runs.get(row.observation, set())
        if len(own) > 1 and row.observation != same.setdefault(
            (*row.observation[:3], frozenset(own)), row.observation
        ):
            out[position] = row = replace(row, follows=row.metric)
        if not row.old or not row.new or row.change in (None, 0.0):
            continue
        figures = (row.unit, row.old.cell.mean, row.new.cell.mean)
        if not _is_conclusive(row.new.cell.mean):
            continue
        lead = first.setdefault((*row.observation, *figures), row.metric)
        if lead != row.metric and not row.follows and row.verdict in (*ALARMS, *RATED):
            out[position] = replace(row, follows=lead)


def _is_conclusive(mean: float | None) -> bool:
    return len(f"{mean:g}".replace(".", "").strip("0")) >= MIN_CONCLUSIVE_DIGITS if mean else False


def _order(row: Row) -> tuple[object, ...]:
    # Sort a load that rose with its rate by its change per unit of work, which its verdict is about.
    moved = row.change if row.work is None else row.work
    size = -1.0 if moved is None else abs(moved)
    names = (units.natural(row.board), row.benchmark, units.natural(row.metric))
    key = row.guide
    return (-size, key.soc, key.os, key.sdk, names, units.natural(repr(sorted(row.params.items()))))


def _row(matched: Match, before: Pool, after: Pool, rules: Rules) -> Row:
    """Return a row with the verdict that needs no statistics; ``same`` means that it is still open."""
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
    against = against or impossible(metric, row.params, (old, new))
    if against:
        return replace(row, verdict="incomparable", ground="; ".join(dict.fromkeys(against)))
    if old.cell.mean is None or new.cell.mean is None:
        return _failed(row, old, new)
    if said := failed_run(row, old):
        return replace(row, verdict="incomparable", ground=f"{FAILED_RUN_BEFORE}; {said}")
    return at_zero(row, old.cell.mean, new.cell.mean)


def at_zero(row: Row, old: float, new: float) -> Row:
    """Return a row with its verdict if one figure is 0 and thus invalid, else unchanged."""
    if old == new or 0 not in (old, new):
        return row
    zero, side = f"0 {units.parse(row.unit).symbol}", "new" if new == 0 else "old"
    # A rate of only a few steps may be rounded to 0.
    if _is_rate(row) and old + new > MIN_RATE_STEPS * printed((old, new)):
        verdict: Verdict = "failed-after" if new == 0 else "failed-before"
        return replace(row, verdict=verdict, ground=f"{zero} is no result: the {side} run failed")
    if _is_time(row):
        ground = f"{zero} is no time: the {side} run measured nothing"
        return replace(row, verdict="incomparable", ground=ground)
    return row


FAILED_RUN, FAILED_RUN_BEFORE = "some new runs failed", "some old runs failed"
"""The starts of grounds of rows whose mean includes a failed run."""


def failed_run(row: Row, record: Record) -> str:
    """Return the range of samples in words if it includes a failed run, else "": a rate close to 0, or a
    time of 0 that only one release has."""
    cell = record.cell
    if _is_time(row):
        zeros = [each.cell.low == 0 for each in (row.old, row.new) if each]
        if cell.low != 0 or not cell.high or all(zeros):
            return ""
    elif row.better != "higher" or not in_mean(record.unit, cell.low, cell.high):
        return ""
    return f"its samples are {_samples(record)} {units.parse(record.unit).symbol}"


def _samples(record: Record) -> str:
    return " to ".join(units.number(end or 0.0) for end in (record.cell.low, record.cell.high))


def is_load(row: Row) -> bool:
    """Return whether a row is a load, such as that of a processor, for which less is better."""
    return row.better == "lower" and units.parse(row.unit).kind == "share" and "load" in row.metric


def points(row: Row) -> float:
    """Return the absolute change of a figure in its unit: percentage points for a share."""
    assert row.old and row.new
    return abs((row.new.cell.mean or 0.0) - (row.old.cell.mean or 0.0))


MIN_RATE_STEPS = 5
"""A rate that is larger than so many printed steps cannot have been rounded to 0."""


def _is_rate(row: Row) -> bool:
    """Return whether a row is a rate of work, for which 0 is no result."""
    return row.better == "higher" and units.parse(row.unit).kind in RATES


def _is_time(row: Row) -> bool:
    """Return whether a row is a duration, which is never 0."""
    return row.better == "lower" and units.parse(row.unit).kind == "time"


CONVERTED = "the unit was"
"""The start of the note on a row whose unit changed."""

IMPOSSIBLE = "a figure is beyond what is possible"
"""The start of the ground of a row with an impossible figure."""

MAX_OVER_LIMIT = 1.1
"""The largest accepted ratio of a figure to the limit of its metric: measured loads exceed 100 % by up to
1.5 % in public history, and impossible figures exceed their limit by 20 % or more."""


def limit_of(metric: Metric | None, params: Mapping[str, Scalar], unit: str) -> float | None:
    """Return the largest possible figure of a metric in ``unit``, ``None`` if there is no limit."""
    limit = metric.limit(params) if metric else None
    if metric is None or limit is None:
        return None
    return limit * (units.factor(metric.unit, unit) or 1.0)


def impossible(
    metric: Metric | None, params: Mapping[str, Scalar], records: Iterable[Record]
) -> tuple[str, ...]:
    """Return the ground for each figure that exceeds what its metric and parameters allow."""
    grounds = []
    for record in records:
        limit = limit_of(metric, params, record.unit)
        most = max(
            (end for end in (record.cell.mean, record.cell.high) if end is not None), default=0.0
        )
        if limit is not None and most > MAX_OVER_LIMIT * limit:
            symbol = units.parse(record.unit).symbol
            grounds.append(f"{IMPOSSIBLE}, {units.number(limit)} {symbol}")
    return tuple(grounds)


def too_small(records: Sequence[Record], names: Names) -> dict[int, str]:
    """Return the ground, by ``id()``, for each figure that is less than another metric of its run allows."""

    def key(record: Record, metric: str) -> tuple[object, ...]:
        return *engines.run_of(record), record.unit, metric

    means = {key(record, record.metric): record.cell.mean or 0.0 for record in records}
    out = {}
    for record in records:
        benchmark, metric = names.catalog.get(record.benchmark), metric_of(names, record)
        for name, times in metric.no_less_than.items() if benchmark and metric else ():
            if (record.cell.mean or math.inf) < times * means.get(key(record, name), 0.0):
                assert benchmark  # its description has the limit
                part = "" if times == 1 else f"{times:g} times what "
                # Drop the words in common: rows with the same ground are reported as one event.
                common = f"{benchmark.metric_label(record.metric).partition(', ')[0]}, "
                label = benchmark.metric_label(name).removeprefix(common)
                out[id(record)] = f"{IMPOSSIBLE}: less than {part}“{label}” takes"
                break
    return out


def _below_least(matched: Match, small: Mapping[int, str]) -> str:
    """Return the ground if just one of two figures is less than its run allows, else "": if both are, they
    can be compared with each other."""
    grounds = [ground for side in (matched.old, matched.new) if (ground := small.get(id(side)))]
    return grounds[0] if len(grounds) == 1 else ""


def _failed(row: Row, old: Record, new: Record) -> Row:
    if new.cell.mean is not None:
        return replace(row, verdict="failed-before", ground=_all_failed(old, "old"))
    if old.cell.mean is not None:
        return replace(row, verdict="failed-after", ground=_all_failed(new, "new"))
    return replace(row, verdict="failed-both", ground="it failed before and fails now")


def _all_failed(record: Record, side: str) -> str:
    runs = record.cell.runs
    return f"all {runs} {side} runs failed" if runs > 1 else f"the {side} run failed"


def metric_of(names: Names, record: Record) -> Metric | None:
    """Return the description of a figure's metric, if there is one."""
    benchmark = names.catalog.get(record.benchmark)
    return benchmark.metric(names.metric(record)) if benchmark else None


def tools_of(names: Names, benchmark: str) -> tuple[str, ...]:
    """Return the programs whose versions are conditions of a benchmark's figures."""
    described = names.catalog.get(benchmark)
    return described.entry.tools if described else (benchmark,)


def _pair(
    row: Row, before: Pool, after: Pool, history: History, rules: Rules
) -> tuple[Pair, Others]:
    """Return the pair to judge, and its earlier and later figures by release."""
    old, new = row.old, row.new
    assert old is not None and new is not None
    metric = metric_of(rules.names, new)
    compared = {old.guide.release, new.guide.release}
    tools = tools_of(rules.names, row.benchmark)
    others = history.of(after, new, compared, tools, _since(row, rules.annotations.levels))
    # An earlier rate or time of 0, or with a sample of 0, is a failed run rather than scatter.
    if (_is_rate(row) or _is_time(row)) and old.cell.mean:
        others = {
            release: side
            for release, side in others.items()
            if side.mean and not in_mean(row.unit, side.low, side.high)
        }
    later = history.later(after, new, compared, tools) if rules.look_ahead else {}
    pair = replace(
        pair_of(new, rules.names),
        old=history.side(before, old),
        new=history.side(after, new),
        floor=_floor(row, metric, rules.threshold),
        history=tuple(others.values()),
        later=tuple(later.values()),
    )
    figures = [side.mean for side in (*pair.history, pair.old, pair.new)]
    if row.better == "higher" and not pair.step and (step := timer_step(figures)):
        # A change can be read either way, so the smaller figure counts.
        least = min(abs(pair.old.mean), abs(pair.new.mean))
        pair = replace(pair, step=step, floor=max(pair.floor, _part(DIGIT * step, least)))
    # A load that went from 1 to 2 % has doubled, but that hardly matters.
    if pair.load and not pair.sampled and pair.old.mean and rules.threshold is None:
        pair = replace(pair, floor=max(pair.floor, _part(MIN_LOAD_POINTS, abs(pair.old.mean))))
    return pair, (others, later)


FAILED_RATE_LOG = math.log(5)
"""The log of the factor from which the other rate of a failed run counts as failed too."""


def without_run(out: list[Row]) -> None:
    """Withdraw the verdicts on the load and the other rate of a run in which one rate failed."""
    failed = {
        (*row.observation, direction(row.metric)): row
        for row in out
        if _is_rate(row)
        if row.verdict in ("failed-after", "failed-before")
        or row.ground.startswith(FAILED_RUN_BEFORE)
    }
    for position, row in enumerate(out) if failed else ():
        rate = failed.get((*row.observation, direction(row.metric)))
        verdict = rate.verdict if rate else "same"
        ground = f"the {'new' if verdict == 'failed-after' else 'old'} run failed"
        if rate and units.parse(row.unit).kind == "share" and row.verdict in RATED:
            out[position] = replace(row, verdict="incomparable", ground=ground)
        elif rate and verdict == "incomparable" and _is_rate(row) and row.verdict in RATED:
            out[position] = replace(row, verdict=verdict, ground=rate.ground)
        elif verdict in ("failed-after", "failed-before") and row.params and _is_rate(row):
            worse_by = row.worse_by or 0.0
            # A few packets per second may be printed as 0 while their bytes are not.
            if (worse_by if verdict == "failed-after" else -worse_by) >= FAILED_RATE_LOG:
                out[position] = replace(row, verdict=verdict, ground=ground, change=None)


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
    """Return the groups that a row may have moved with, widest first: its board, its benchmark there, its
    metric, and rows that share a parameter."""
    benchmark = names.catalog.get(record.benchmark)
    title = names.catalog.title(record.benchmark)
    out = [board, f"{board}, {title}", f"{board}, {title}: {names.metric(record)}"]
    for name, value in sorted(names.params(record).items()):
        label = benchmark.param(name).label if benchmark else ""
        label_of_value = benchmark.value_label(name, value) if benchmark else units.plain(value)
        out.append(f"{out[2]}, {label or name} {label_of_value}")
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


NOTHING = 1.0
"""A load below this, in per cent, is negligible."""

MIN_STATES_LOG = math.log(2)
"""The log of the smallest ratio between two states of a figure."""


def _has_states(pair: Pair) -> bool:
    """Return whether the earlier figures of a row are as far apart as two states."""
    before = [side.mean for side in (*pair.history, pair.old)]
    if min(before) <= 0:
        return min(before) < max(before)
    return math.log(max(before)) - math.log(min(before)) >= MIN_STATES_LOG


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
        figures=judgement.figures,
        spread=judgement.spread,
        odd=unlike_past(past, pair.old.mean, pair.new.mean, row.unit),
    )


def _accepted(row: Row, waivers: Sequence[Waiver]) -> Row:
    # Improvements need no acceptance.
    if row.verdict not in ALARMS:
        return row
    for waiver in waivers:
        if (
            about(waiver, row)
            and waiver.accepts(row.change)
            and row.new is not None
            and not waiver.lapsed(row.new.guide.release)
        ):
            return replace(row, waiver=waiver)
    return row


def _since(row: Row, levels: Sequence[Annotation[Level]]) -> str:
    """Return the first release whose figures still count for a row, that of its latest new level at or
    before OLD, or "" if there is none."""
    assert row.old is not None
    old = version(row.old.guide.release)
    releases = [x.spec.since for x in levels if about(x, row) and version(x.spec.since) <= old]
    return max(releases, key=version, default="")


def _annotated(row: Row, annotations: Annotations) -> Row:
    """Return a row with its notes, and with the entry that declares its change a new level, if any."""
    if row.new is None:
        return row
    release = row.new.guide.release
    notes = tuple(
        note
        for note in annotations.notes
        if about(note, row) and (note.spec.release in ("*", release))
    )
    settled = None
    if row.verdict in ALARMS and row.old is not None and row.waiver is None:
        old, new = version(row.old.guide.release), version(release)
        # A level only counts in comparisons that cross its first release.
        spanned = (x for x in annotations.levels if old < version(x.spec.since) <= new)
        settled = next((x for x in spanned if about(x, row)), None)
    return replace(row, notes=notes, settled=settled) if notes or settled else row


def about(waiver: AnyEntry, row: Row) -> bool:
    """Return whether an entry is about a row, whatever its verdict."""
    key = row.guide
    # An entry may use a former name of the board.
    boards = {row.board, *(r.board for r in (row.old, row.new) if r)}
    named = any(waiver.covers(key.soc, key.os, b, row.benchmark, row.metric) for b in boards)
    return named and waiver.fits(row.params)

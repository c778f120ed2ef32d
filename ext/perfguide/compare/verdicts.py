"""The rows of two releases with their verdicts, from which all output is made."""

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
from .match import CLOCK, Match, Names, match, obstacles
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

JUDGED = 0.5
"""The relative change that would have been called of any figure said to be judged: a rise by half or a
fall by a third."""

WORK = "throughput"
"""The name, after a direction, of the byte rate of a run that also has a packet rate or a load."""

CALLED: tuple[Verdict, ...] = ("regressed", "improved", "changed")
"""Verdicts on figures that differ."""

RATED: tuple[Verdict, ...] = ("regressed", "improved", "same", "steady", "noisy")
"""Verdicts on rows whose figures can be compared as better and worse."""

POINT = 3.0
"""The change of a load, in percentage points, below which it does not matter."""


@dataclass(frozen=True, slots=True)
class SideFigures:
    """One side: its figures, from one release for each board, and their pool."""

    pool: Pool
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """Decisions made in advance.

    ``threshold`` is the smallest relative change that matters, if it is not each metric's own.
    ``annotations`` are maintainers' notes and new levels. ``look_ahead`` allows looking at releases
    after the newer one. ``usual_noise`` is the usual scatter of single figures, if it is not that of
    the package.
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

    ``work`` is the change of a load per unit of work done, if known, and the verdict is then about
    that; ``per`` is the unit of the work. ``follows`` is the metric of the same run whose verdict the
    row shares. ``line`` is the figure by release. ``waiver`` is the entry that
    accepts the change, ``settled`` the one that declares it a new level, and ``notes`` are about it.
    ``is_clock`` marks a clock that was set to another frequency, and ``alternates`` a figure with two
    states. ``step`` is the resolution of the program, 0 if unknown. ``doubt`` says why the newer
    figure proves nothing, and ``odd`` why the older one may not; both are usually empty.
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
        """True if a change by ``JUDGED`` was called or would have been."""
        if self.verdict == "noisy":
            return self.detectable is not None and self.detectable <= JUDGED
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
        """The log of the factor by which the row got worse: negative if it got better, infinite to or
        from zero, ``None`` if the figures cannot be compared as better and worse."""
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
        """The identity of the run: it is shared by all metrics measured in one run of a benchmark."""
        params = frozenset((name, str(value)) for name, value in self.params.items())
        return (self.guide.platform, self.board, self.benchmark, params)

    @property
    def measurement(self) -> tuple[object, ...]:
        """The identity of the measurement: packets and bytes of one run count the same work, and a load
        is its price. Other metrics, and those without parameters, are measurements of their own."""
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
        if row.verdict == "same" and (least := _below_least(matched, small)):
            row = replace(row, verdict="incomparable", ground=least)
        # “same” means that nothing has ruled the row out so far.
        if row.verdict == "same" and (changed := _engine_changed(matched, *engines_of)):
            row = replace(row, verdict="incomparable", ground=changed)
        out.append(row)
        # The units stated in the bundles, as those of the records may have been converted.
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
            at = work[position]
            out[position] = _of_load(out[position], out[at], pair, judged[at])
    first = {position for position, pair in judged.items() if not (pair.history or pair.sampled)}
    for position, odd in unlike_curves(out, first).items():
        out[position] = replace(out[position], odd=odd)
    out = [_clock(row, rules.names) for row in out]
    _without_run(out)
    _two_names(out)
    # Waivers first, as a new level is only considered if no waiver accepts the change.
    accepted = [_annotated(_accepted(row, rules.waivers), rules.annotations) for row in out]
    return tuple(sorted(accepted, key=_order))


ENGINE_CHANGED = "the engine seems to have changed"
"""The start of the ground of a row for which different classes of engine ran on the two sides."""


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
    """Return, by position, the ground of each row that repeats the older release, if half of its board
    does."""
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
        if same and (old := out[position].old)
    }


OTHER_UNIT = "the unit may be another one in name alone"
"""The start of the ground of a row whose digits fit another unit better than its own."""

BINARY_FACTOR = 1.024**2
"""The ratio of MiB to MB."""

HARDLY = 0.0005
"""Smaller relative changes are shown as 0.0 %."""

MIN_OTHER_UNIT_ROWS, OTHER_UNIT_SHARE, SAME_FACTOR = 3, 0.7, 0.003
"""The fewest rows of a table that show a wrong unit, the least share of them whose digits moved less
than the units differ, and the tolerance, as a log, of moves by the ratio of units."""


def _of_other_units(out: Sequence[Row], factors: Mapping[int, float]) -> dict[int, str]:
    """Return, by position, the grounds of rows of tables whose unit seems to be wrong in one release:
    either the digits hardly moved although the unit did, or all rows moved by a ratio of units."""
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
    for own in tables.values():
        moves, apart = [move for _, move, _ in own], own[0][2]
        if len(own) < MIN_OTHER_UNIT_ROWS:
            continue
        near = [
            (position, move)
            for position, move, _ in own
            if move * apart < 0 and abs(move + apart) <= min(abs(move), abs(apart))
        ]
        if 0 < abs(apart) < math.log(1.1) and len(near) >= OTHER_UNIT_SHARE * len(own):
            own, moves = [(position, move, apart) for position, move in near], [m for _, m in near]
            digits = math.expm1(median(move + apart for move in moves))
            said = (
                "hardly moved"
                if EQUAL <= abs(digits) < HARDLY
                else "are the same"
                if abs(digits) < EQUAL
                else f"moved by {units.change_text(digits)}"
            )
            ground = f"{OTHER_UNIT}: the digits {said}, converted they moved by "
            ground += units.change_text(math.expm1(median(moves)))
        else:
            apart = math.copysign(math.log(BINARY_FACTOR), moves[0])
            if any(abs(move - apart) > SAME_FACTOR for move in moves):
                continue
            ground = f"{OTHER_UNIT}: all rows moved by the ratio of MB and MiB"
        grounds.update(dict.fromkeys((position for position, *_ in own), ground))
    return grounds


# ---------------------------------------------------------------- metrics of one run

Others = tuple[dict[str, Side], dict[str, Side]]
"""A row in earlier releases and, if looking ahead is allowed, in later ones, by release."""

MOVED = 0.05
"""The least relative change of a rate for which a load with samples is judged per unit of the rate; with
single runs it always is."""

SEEN = 0.0005
"""The least relative change of a rate at which a scaled load differs from the recorded one in print."""


def _work(out: Sequence[Row], judged: Mapping[int, Pair]) -> dict[int, int]:
    """Return the position of the rate that was reached with each load, by the load's position."""
    rates: dict[tuple[object, ...], int] = {}
    for position in judged:
        kind = units.parse(out[position].unit).kind
        if kind in RATES and out[position].better == "higher":
            name = (*out[position].observation, kind, direction(out[position].metric))
            # With two rates of one kind in a run, there is no telling which the load belongs to.
            rates[name] = -1 if name in rates else position
    positions = {}
    for position, pair in judged.items():
        row = out[position]
        # A packet loss is a share too, but not the price of work.
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
        if both and (not pair.sampled or moved >= MOVED):
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
    if any(abs(side.mean / rates.old.mean - 1) >= SEEN for side in others if side.mean):
        said = f"loads scaled to {was} {unit}"
        odd = f"{row.odd}; {said}" if row.odd else ""
        row = replace(row, ground=f"{row.ground}; {said}", odd=odd)
    if abs((rate.new.cell.mean or 0.0) / (rate.old.cell.mean or 1.0) - 1) < MOVED:
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
    """Return a row; if it is a clock, its verdict only says whether the clock was set differently."""
    metric = metric_of(names, row.new) if row.old and row.new else None
    if metric is None or not metric.clock or row.change is None or row.verdict == "incomparable":
        return row
    if abs(row.change) <= CLOCK:
        return replace(row, verdict="same", ground="the clock is the same")
    return replace(
        row, verdict="changed", ground="the clock was set to another frequency", is_clock=True
    )


MIN_TELLING_DIGITS = 3
"""The fewest digits in which two figures do not agree by chance."""


def _two_names(out: list[Row]) -> None:
    """Make the second name of a figure follow the first, so that the figure counts once, and all figures
    of a run those of another one that has the same."""
    first: dict[tuple[object, ...], str] = {}
    runs: dict[tuple[object, ...], set[tuple[object, ...]]] = {}
    for row in out:
        if row.new and _is_telling(row.new.cell.mean):
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
        if not _is_telling(row.new.cell.mean):
            continue
        lead = first.setdefault((*row.observation, *figures), row.metric)
        if lead != row.metric and not row.follows and row.verdict in (*ALARMS, *RATED):
            out[position] = replace(row, follows=lead)


def _is_telling(mean: float | None) -> bool:
    return len(f"{mean:g}".replace(".", "").strip("0")) >= MIN_TELLING_DIGITS if mean else False


def _order(row: Row) -> tuple[object, ...]:
    # A load that rose with its rate comes by what it costs per unit of work, as it is judged.
    moved = row.change if row.work is None else row.work
    size = -1.0 if moved is None else abs(moved)
    names = (units.natural(row.board), row.benchmark, units.natural(row.metric))
    key = row.guide
    return (-size, key.soc, key.os, key.sdk, names, units.natural(repr(sorted(row.params.items()))))


def _row(matched: Match, before: Pool, after: Pool, rules: Rules) -> Row:
    """Return a row whose verdict needs no statistics, or is still open (``same``)."""
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
    return _at_zero(row, old.cell.mean, new.cell.mean)


def _at_zero(row: Row, old: float, new: float) -> Row:
    """Return a row with its verdict if one figure is 0 and can be no result, else as it is."""
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
    """Return the range of samples in words if one is that of a failed run, else "": a rate next to
    nothing, or a time of 0 that the other release has not."""
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
    """Return by how many units a figure moved, up or down: percentage points for a share."""
    assert row.old and row.new
    return abs((row.new.cell.mean or 0.0) - (row.old.cell.mean or 0.0))


MIN_RATE_STEPS = 5
"""A rate of more printed steps than this is not rounded to 0."""


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
"""The largest ratio of a figure to the limit of its metric that is accepted, as meters of loads overshoot
a little: in public history by up to 1.5 %. Other figures beyond a limit are so by 20 % or more."""


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
    """Return, by ``id()``, why figures are less than another metric of their run allows."""

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
                # What both have in common would part the rows of one cause.
                alike = f"{benchmark.metric_label(record.metric).partition(', ')[0]}, "
                label = benchmark.metric_label(name).removeprefix(alike)
                out[id(record)] = f"{IMPOSSIBLE}: less than {part}“{label}” takes"
                break
    return out


def _below_least(matched: Match, small: Mapping[int, str]) -> str:
    """Return the ground if one of two figures is less than the least possible one of its run, else "".

    If both are, they measure the same, whatever it is.
    """
    said = [said for side in (matched.old, matched.new) if (said := small.get(id(side)))]
    return said[0] if len(said) == 1 else ""


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
    # Earlier rates that are 0 or have a sample of 0 are failed runs rather than scatter; times are never 0.
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
        # One step of the smaller figure, as a change can be read either way.
        least = min(abs(pair.old.mean), abs(pair.new.mean))
        pair = replace(pair, step=step, floor=max(pair.floor, _part(DIGIT * step, least)))
    # A load that goes from 1 to 2 % has doubled, but that hardly matters.
    if pair.load and not pair.sampled and pair.old.mean and rules.threshold is None:
        pair = replace(pair, floor=max(pair.floor, _part(POINT, abs(pair.old.mean))))
    return pair, (others, later)


FAILED_TOO = math.log(5)
"""The log of the factor from which the other rate of a failed run has failed too."""


def _without_run(out: list[Row]) -> None:
    """Withdraw verdicts on loads of a run whose rate failed, and on its other rate if next to nothing or
    a mean with a failed run of OLD."""
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
            fell = row.worse_by or 0.0
            # A few packets per second may be printed as 0 while their bytes are not.
            if (fell if verdict == "failed-after" else -fell) >= FAILED_TOO:
                out[position] = replace(row, verdict=verdict, ground=ground, change=None)


def pair_of(record: Record, names: Names) -> Pair:
    """Return a pair that describes a row, with the same figure on both sides."""
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
    # The smaller figure, because a change can be read either way.
    if step and means:
        floors.append(_part(DIGIT * step, min(means)))
    return max(floors)


def _part(amount: float, of: float) -> float:
    """Return an amount as a share of a figure, at most the largest float."""
    # Division by a tiny figure can overflow.
    return min(amount / of, sys.float_info.max)


NOTHING = 1.0
"""A load below this, in per cent, is next to nothing."""

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
    # Good news needs no acceptance.
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
    """Return the first release whose figures still count for a row: that of its latest new level up to
    OLD, or ""."""
    assert row.old is not None
    old = version(row.old.guide.release)
    releases = [x.spec.since for x in levels if about(x, row) and version(x.spec.since) <= old]
    return max(releases, key=version, default="")


def _annotated(row: Row, annotations: Annotations) -> Row:
    """Return a row with its notes, and with the entry that declares its change a new level."""
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

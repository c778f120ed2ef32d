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
from ..common.grouping import grouped
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
from .odd_figures import negligible_loads, unlike_curves, unlike_past
from .packet_bytes import of_other_bytes
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
    ``level``, ``shift``, ``figures``, ``single`` and ``spread`` see :class:`.judge.Judgement`.

    ``work`` is the change of a load per unit of work; if it is known, the verdict is about it. ``per``
    is the unit of the work. ``past`` has the figures up to OLD at the clock of NEW if the verdict is about
    the change at equal clock. ``follows`` is the metric of the same run whose verdict the row shares.
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
    single: tuple[bool, bool] = (True, True)
    spread: Spread = ""
    per: str = ""
    past: tuple[tuple[str, float], ...] = ()
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
    def judged_change(self) -> float | None:
        """The relative change that the verdict is about: per unit of work, at equal clock, or as measured."""
        if self.past and self.new and self.new.cell.mean is not None:
            return self.new.cell.mean / self.past[-1][1] - 1
        return self.change if self.work is None else self.work

    @property
    def judged_by(self) -> str:
        """The basis of the change that the verdict is about: ``per MB/s``, ``at equal clock``, or "" if measured."""
        return "at equal clock" if self.past else f"per {self.per}" if self.per else ""

    @property
    def ratio(self) -> float | None:
        """The ratio in the better direction: 1.1 is 10 % better; ``None`` if there is none."""
        change = self.judged_change
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
    compared = _without_faulty_tables(_compared(old, new, rules), old.pool, new.pool, history)
    open_rows = [
        _open_row(row, old.pool, new.pool, history, rules)
        for row in compared
        if row.verdict == "same"
    ]
    judged = _judged_rows(open_rows, rules.usual_noise)
    in_order = iter(judged)
    out = [next(in_order) if row.verdict == "same" else row for row in compared]
    no_past = [
        row
        for row, open_row in zip(judged, open_rows, strict=True)
        if not (open_row.pair.history or open_row.pair.sampled)
    ]
    odd = unlike_curves(out, no_past) | negligible_loads(no_past)
    out = [replace(row, odd=odd[id(row)]) if id(row) in odd else row for row in out]
    out = without_failed_runs([clock(row, rules.names) for row in out])
    at_open = [at for at, row in enumerate(compared) if row.verdict == "same"]
    out = _at_equal_clock(_followers(out), dict(zip(at_open, open_rows, strict=True)), rules)
    # Waivers come first: a new level is only considered if no waiver accepts the change.
    accepted = (_accepted(row, rules.waivers) for row in out)
    return tuple(sorted((_annotated(row, rules.annotations) for row in accepted), key=_order))


def _compared(old: SideFigures, new: SideFigures, rules: Rules) -> list[Row]:
    """Return every figure of both sides with the verdict that needs no statistics; ``same`` means that
    it is still open."""
    old_engines, new_engines = (
        engines.inferred(side.records, rules.names.catalog) for side in (old, new)
    )
    small = too_small((*old.records, *new.records), rules.names)
    out = []
    for matched in match(old.records, new.records, rules.names):
        row = _row(matched, old.pool, new.pool, rules)
        if row.verdict == "same" and (
            ground := _below_least(matched, small)
            or _engine_changed(matched, old_engines, new_engines)
        ):
            row = replace(row, verdict="incomparable", ground=ground)
        out.append(row)
    return out


def _without_faulty_tables(
    compared: Sequence[Row], before: Pool, after: Pool, history: History
) -> list[Row]:
    """Return the rows, those as incomparable whose table seems to have another unit, whose rates count
    other bytes of a packet, or whose board repeats the older release."""
    open_rows = [row for row in compared if row.verdict == "same"]
    grounds = _of_other_units(open_rows, before, after) | of_other_bytes(open_rows, history)
    grounds |= _repeated(open_rows)
    return [
        replace(row, verdict="incomparable", ground=ground)
        if (ground := grounds.get(id(row)))
        else row
        for row in compared
    ]


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


def _repeated(open_rows: Sequence[Row]) -> dict[int, str]:
    """Return, by ``id()``, the ground of each row that repeats the older release, if at least half of the
    rows of its board do."""
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


OTHER_UNIT = "perhaps a unit is misnamed"
"""The start of the ground of a row whose figures fit another unit better than their own."""

BINARY_FACTOR = 1.024**2
"""The ratio of MiB to MB."""

MIN_SHOWN_CHANGE = 0.0005
"""Smaller relative changes are shown as 0.0 %."""

MIN_OTHER_UNIT_ROWS, OTHER_UNIT_SHARE, UNIT_RATIO_TOLERANCE_LOG = 3, 0.7, 0.003
"""A table has a wrong unit if it has at least so many rows, and so large a share of them moved less in
their digits than the units differ, or all moved by the ratio of units, give or take so much."""


def _of_other_units(open_rows: Sequence[Row], before: Pool, after: Pool) -> dict[int, str]:
    """Return, by ``id()``, the grounds of rows in tables whose unit seems to be wrong in one release:
    the digits hardly changed although the unit did, or all rows changed by the ratio of two units."""
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


# ---------------------------------------------------------------- metrics of one run


@dataclass(frozen=True, slots=True)
class _OpenRow:
    """A row without a verdict yet, its pair to judge, and its figures in earlier releases and, if looking
    ahead is allowed, in later ones."""

    row: Row
    pair: Pair
    earlier: Mapping[str, Side]
    later: Mapping[str, Side]


MIN_RATE_CHANGE = 0.05
"""The smallest relative change of a rate for which a load with samples is judged per unit of the rate. A
load of single runs always is."""


def _judged_rows(open_rows: Sequence[_OpenRow], usual_noise: Table | None) -> list[Row]:
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


def _rates_of_loads(open_rows: Sequence[_OpenRow]) -> list[_OpenRow | None]:
    """Return for each row the rate that was reached with it, if it is a load that is judged per unit of
    that rate."""
    rates: dict[tuple[object, ...], _OpenRow | None] = {}
    for open_row in open_rows:
        row, kind = open_row.row, units.parse(open_row.row.unit).kind
        if kind in RATES and row.better == "higher":
            name = (*row.observation, kind, direction(row.metric))
            # If a run has two rates of one kind, it is unknown to which one the load belongs.
            rates[name] = None if name in rates else open_row
    return [_rate_of_load(open_row.row, open_row.pair, rates) for open_row in open_rows]


def _rate_of_load(
    row: Row, pair: Pair, rates: Mapping[tuple[object, ...], _OpenRow | None]
) -> _OpenRow | None:
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


def direction(metric: str) -> str:
    """Return the direction in a metric's name, ``read`` for ``read_cpu_load``, or ""."""
    word = metric.split("_")[0]
    return word if word in ("read", "write", "rx", "tx", "ingress", "egress") else ""


def _scaled_to_rate(load: _OpenRow, rate: _OpenRow) -> Pair:
    """Return a load's pair with all loads scaled to the rate of the older release."""
    return replace(_scaled(load, rate, rate.pair.old).pair, load=False)


def _scaled(of: _OpenRow, by: _OpenRow, base: Side, is_inverse: bool = False) -> _OpenRow:
    """Return a row with all figures scaled, in proportion or inversely, from what another row has in their
    release to ``base``."""

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
    return _OpenRow(of.row, pair, before, later)


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


def _of_load(row: Row, pair: Pair, rate: _OpenRow) -> Row:
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
"""A benchmark follows a clock if at least this share of its rows changed like it: fewer may by chance."""


def followers(clock: Row, rows: Sequence[Row]) -> dict[str, tuple[list[Row], int]]:
    """Return the benchmarks that followed a clock, each with the rows that did and its number of rows.

    A row follows if its change is within a third of the clock's; one judged at equal clock did not. If half
    the rows of any benchmark follow, so do those of the others.
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
    """Return whether a figure scales with the clock of the processor: the results of benchmarks of processors
    and, of those that measure memory too, the times of system calls and the like. They are printed in
    microseconds, and those of memory in nanoseconds."""
    described = names.catalog.get(row.benchmark)
    metric = described.metric(row.metric) if described else None
    subsystems = described.entry.subsystems if described else ()
    unit = units.parse(row.unit)
    if "processor" not in subsystems or unit.kind == "share" or (metric and metric.computed_from):
        return False
    return len(subsystems) == 1 or unit.symbol == "µs"


def _at_equal_clock(
    judged: Sequence[Row], open_rows: Mapping[int, _OpenRow], rules: Rules
) -> list[Row]:
    """Return the rows. Those that scale with a clock that changed, but moved otherwise than it, are judged at
    the newer clock. ``open_rows`` are by position."""
    scaled: dict[int, _OpenRow] = {}
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
    again = dict(zip(open_rows, _judged_rows(every, rules.usual_noise), strict=True))
    return [
        _of_clock(row, again[at], scaled[at], clock_of[at]) if at in clock_of else row
        for at, row in enumerate(judged)
    ]


def _of_clock(row: Row, judged: Row, scaled: _OpenRow, clock: Row) -> Row:
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
        ground=f"{judged.ground}; {change} at equal clock: earlier figures are scaled to {now}",
    )


MIN_CONCLUSIVE_DIGITS = 3
"""Two equal figures with fewer digits may agree by chance."""


def _followers(rows: Sequence[Row]) -> list[Row]:
    """Return the rows. Equal figures of one run, and all figures of a run that equals another one, follow
    the first of them, so that each counts once."""
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
        if row.old and row.new and row.change and _is_conclusive(row.new.cell.mean):
            pair = (*row.observation, row.unit, row.old.cell.mean, row.new.cell.mean)
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
        return replace(
            row, verdict=verdict, ground=f"a result of {zero} means that the {side} run failed"
        )
    if _is_time(row):
        ground = f"{zero} is no time: the {side} run measured nothing"
        return replace(row, verdict="incomparable", ground=ground)
    return row


FAILED_RUN, FAILED_RUN_BEFORE = "some new runs failed", "some old runs failed"
"""The starts of grounds of rows whose mean includes a failed run."""


def failed_run(row: Row, record: Record) -> str:
    """Return the range of samples in words if it includes a failed run, else "": a rate close to 0, or a
    time of 0 that only one release has, unless the other one is above all of these samples."""
    cell = record.cell
    if _is_time(row):
        if cell.low != 0 or not cell.high:
            return ""
        others = [each.cell for each in (row.old, row.new) if each and each is not record]
        if any(each.low == 0 or (each.mean or 0.0) > cell.high for each in others):
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

IMPOSSIBLE = "a figure is impossible"
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
            grounds.append(f"{IMPOSSIBLE}: more than {units.number(limit)} {symbol}")
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
                part = "" if times == 1 else f"{times:g} times "
                # Drop the words in common: rows with the same ground are reported as one event.
                common = f"{benchmark.metric_label(record.metric).partition(', ')[0]}, "
                label = benchmark.metric_label(name).removeprefix(common)
                out[id(record)] = f"{IMPOSSIBLE}: shorter than {part}“{label}”"
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


def _open_row(row: Row, before: Pool, after: Pool, history: History, rules: Rules) -> _OpenRow:
    """Return a row with its pair to judge, and with the former names of its figure."""
    old, new = row.old, row.new
    assert old is not None and new is not None
    metric = metric_of(rules.names, new)
    compared = {old.guide.release, new.guide.release}
    tools = tools_of(rules.names, row.benchmark)
    earlier = history.of(after, new, compared, tools, _since(row, rules.annotations.levels))
    # An earlier rate or time of 0, or with a sample of 0, is a failed run rather than scatter.
    if (_is_rate(row) or _is_time(row)) and old.cell.mean:
        earlier = {
            release: side
            for release, side in earlier.items()
            if side.mean and not in_mean(row.unit, side.low, side.high)
        }
    later = history.later(after, new, compared, tools) if rules.look_ahead else {}
    pair = replace(
        pair_of(new, rules.names),
        old=history.side(before, old),
        new=history.side(after, new),
        floor=_floor(row, metric, rules.threshold),
        history=tuple(earlier.values()),
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
    row = replace(row, aliases=(*row.aliases, *history.former_names(new)))
    return _OpenRow(row, pair, earlier, later)


FAILED_RATE_LOG = math.log(5)
"""The log of the factor from which the other rate of a failed run counts as failed too."""


def without_failed_runs(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, without the verdicts on the load and the other rate of a run in which one rate
    failed."""
    failed = {
        (*row.observation, direction(row.metric)): row
        for row in rows
        if _is_rate(row)
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
        is_rated = _is_rate(row) and row.verdict in RATED
        return replace(row, verdict="incomparable", ground=rate.ground) if is_rated else row
    if row.params and _is_rate(row):
        worse_by = row.worse_by or 0.0
        # A few packets per second may be printed as 0 while their bytes are not.
        if (worse_by if rate.verdict == "failed-after" else -worse_by) >= FAILED_RATE_LOG:
            return replace(row, verdict=rate.verdict, ground=ground, change=None)
    return row


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
        single=judgement.single,
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

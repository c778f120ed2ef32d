"""Two releases' samples to a judgement: did the figure change, and what could have been seen?

All rows of a comparison are judged together. The noise of one row is learnt from its own
samples, from the other rows of its family and from other releases (:mod:`.noise`); the
tests are calibrated on the samples (:mod:`.scores`); and the share of false alarms among
all rows that are called different is held.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from .noise import Family, family, spikes
from .relative import EQUAL, Place, Row, scaled
from .scores import MANY, Tested, calibrated, deal_rows, ratio, scored, with_tail

Outcome = Literal["different", "same", "noisy"]

KEPT = 0.9
"""The part of the held rate that is spent; the rest is kept for what the noise hides of itself."""

SURE = 0.8
"""The chance with which a change of the size ``detectable`` is seen."""

MOST_RUNS = 1000
"""More runs than this are not proposed."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one release has for one row, in one unit.

    ``low`` and ``high`` are the least and the greatest sample. ``count`` is the
    number of samples, ``None`` where it was not published. ``samples`` is empty
    where only mean, minimum and maximum are known.
    """

    mean: float
    low: float | None = None
    high: float | None = None
    count: int | None = None
    samples: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of a comparison: both releases' figures, and what helps to judge them.

    Rows of one ``family`` (a benchmark's metric) are expected to have like relative
    noise. ``history`` is the same row in other releases, in version order, without
    the two that are compared. ``floor`` is the relative change below which a
    change does not matter: ``0.02`` is two per cent.
    """

    old: Side
    new: Side
    family: str
    history: tuple[Side, ...] = ()
    floor: float = 0.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What can be said of one row.

    ``change`` is new/old - 1, ``None`` where old is 0. ``p`` is the probability of a
    difference at least as large when nothing changed, ``q`` the same adjusted for the
    number of rows; both are ``None`` where no test was possible. ``detectable`` is the
    smallest relative change that this row would have seen with a chance of ``SURE``;
    ``more_runs`` how many more runs of each side would do so for a change of the size that
    matters (the pair's floor, or where that is 0 the change itself), ``None`` where no
    number would or nothing is known, 0 where the row is settled. ``ground`` says in words which test was made, and why.

    ``different`` is a change that the held rate allows to be named and that is not below
    the floor. ``same`` are equal figures, and changes that are below the floor for sure.
    All else is ``noisy``.
    """

    change: float | None
    p: float | None
    q: float | None
    outcome: Outcome
    detectable: float | None
    more_runs: int | None
    ground: str


def adjusted(p: Sequence[float]) -> tuple[float, ...]:
    """Benjamini-Hochberg's adjusted p-values, in the order given.

    Calling every row with an adjusted value of at most ``r`` different holds the
    expected share of false ones among them at ``r``. Source: Benjamini and Hochberg,
    "Controlling the false discovery rate", J. R. Statist. Soc. B 57 (1995) 289-300.
    """
    values = np.asarray(p, dtype=float)
    if not values.size:
        return ()
    order = np.argsort(values, kind="stable")[::-1]
    ranks = np.arange(values.size, 0, -1)
    stepped = np.minimum.accumulate(values[order] * values.size / ranks)
    out = np.empty_like(values)
    out[order] = np.minimum(stepped, 1.0)
    return tuple(float(v) for v in out)


def judge(pairs: Sequence[Pair], rate: float = 0.05) -> tuple[Judgement, ...]:
    """Judge all rows of a comparison together, in the order given.

    ``rate`` is the held false discovery rate: the expected share of rows that did not
    change among those called different. Figures have to be finite.
    """
    rows = [scaled(pair.old, pair.new, pair.history) for pair in pairs]
    learnt = _learn(pairs, rows)
    p = _test(pairs, rows, learnt)
    tested = [i for i, value in enumerate(p) if value is not None]
    q: list[float | None] = [None] * len(rows)
    for i, value in zip(tested, adjusted([v for v in p if v is not None]), strict=True):
        q[i] = min(1.0, value / KEPT)
    found = sum(1 for value in q if value is not None and value <= rate)
    level = KEPT * rate * max(found, 1) / max(len(tested), 1)
    return tuple(
        _judgement(pair, row, noise, p[i], q[i], rate, level)
        for i, (pair, row, noise) in enumerate(zip(pairs, rows, learnt, strict=True))
    )


@dataclass(frozen=True, slots=True)
class _Noise:
    """What the family says of one row; see :class:`perfguide.noise.Family`."""

    family: Family
    variance: float
    freedom: float

    def error(self, old: int, new: int) -> tuple[float, float]:
        """Standard error of the shift with so many figures, and its degrees of freedom."""
        return self.family.error(self.variance, self.freedom, 1 / old + 1 / new)

    @property
    def known(self) -> bool:
        return self.freedom > 0


def _learn(pairs: Sequence[Pair], rows: Sequence[Row]) -> list[_Noise]:
    members: dict[str, list[int]] = {}
    for i, pair in enumerate(pairs):
        members.setdefault(pair.family, []).append(i)
    out: dict[int, _Noise] = {}
    for chosen in members.values():
        made = family([rows[i] for i in chosen])
        for i, variance, freedom in zip(chosen, made.variance, made.freedom, strict=True):
            out[i] = _Noise(made, float(variance), float(freedom))
    return [out[i] for i in range(len(rows))]


def _test(
    pairs: Sequence[Pair], rows: Sequence[Row], learnt: Sequence[_Noise]
) -> list[float | None]:
    p: list[float | None] = []
    groups: dict[tuple[int, int], list[int]] = {}
    for i, (row, noise) in enumerate(zip(rows, learnt, strict=True)):
        if not noise.known:
            p.append(None)
            continue
        error, freedom = noise.error(row.old.count, row.new.count)
        t = float(ratio(np.array(row.shift), np.array(error)))
        p.append(1.0 if _overlap(row) else float(2 * special.stdtr(freedom, -abs(t))))
        first, second = sorted((len(row.old.values), len(row.new.values)))
        if first and first + second > 2:
            groups.setdefault((first, second), []).append(i)
    _heed_history(rows, learnt, p)
    parts: dict[bool, list[tuple[list[int], Tested]]] = {True: [], False: []}
    for (first, second), chosen in sorted(groups.items()):
        turned: dict[bool, list[int]] = {}
        for i in chosen:
            turned.setdefault(len(rows[i].old.values) > len(rows[i].new.values), []).append(i)
        for some in turned.values():
            names = [pairs[i].family for i in some]
            priors = {pairs[i].family: learnt[i].family.prior for i in some}
            between = np.array([learnt[i].family.between for i in some])
            test = deal_rows([rows[i] for i in some], names, priors, between)
            many = math.comb(first + second, first) // (1 + (first == second)) >= MANY
            parts[many].append((some, test))
    for many, made in parts.items():
        if not made:
            continue
        for (some, _), values in zip(made, calibrated([t for _, t in made], not many), strict=True):
            for i, value in zip(some, values, strict=True):
                p[i] = (
                    max(float(value), p[i] or 0.0)
                    if _runs_differ(rows[i], learnt[i])
                    else float(value)
                )
    return p


def _heed_history(rows: Sequence[Row], learnt: Sequence[_Noise], p: list[float | None]) -> None:
    """Widen the p-values of single figures by what other releases' figures show."""
    members: dict[int, list[int]] = {}
    for i, noise in enumerate(learnt):
        if noise.family.source == "history" and p[i] is not None:
            members.setdefault(id(noise.family), []).append(i)
    if not members:
        return
    null = np.concatenate(
        [spikes([rows[i] for i in some], learnt[some[0]].family) for some in members.values()]
    )
    chosen = [i for some in members.values() for i in some]
    for i, value in zip(chosen, with_tail(np.array([p[i] for i in chosen]), null), strict=True):
        p[i] = float(value)


def _overlap(row: Row) -> bool:
    """Do published ranges overlap, with numbers of runs that are not known?"""
    if row.old.known and row.new.known:
        return False
    return row.old.low <= row.new.high and row.new.low <= row.old.high


def _runs_differ(row: Row, noise: _Noise) -> bool:
    """Is a fifth or more of the error from the releases' own levels, and so not in the samples?"""
    extra = 2 * noise.family.between
    return extra > 0.2 * (extra + 1 / row.old.count + 1 / row.new.count)


def _judgement(
    pair: Pair, row: Row, noise: _Noise, p: float | None, q: float | None, rate: float, level: float
) -> Judgement:
    change = _change(pair)
    ground = _ground(row, noise)
    equal = abs(row.shift) <= EQUAL
    if p is None or q is None:
        outcome: Outcome = "same" if equal else "noisy"
        return Judgement(change, None, None, outcome, None, None, ground)
    error, freedom = noise.error(row.old.count, row.new.count)
    needed = _needed(freedom, level)
    detectable = _relative(needed * error, row)
    # The interval in which the change lies, at the held rate for this row alone.
    reach = abs(row.shift) + float(-special.stdtrit(freedom, rate / 2)) * error
    farthest = _relative(reach, row)
    outcome = "noisy"
    if q <= rate:
        outcome = "different" if change is None or abs(change) >= pair.floor else "same"
        if outcome == "same":
            ground += "; it differs, but by less than matters"
    elif (
        equal
        or (farthest is not None and farthest <= pair.floor)
        or (detectable is not None and detectable <= pair.floor)
    ):
        outcome = "same"
    more = _more(pair, row, noise, level) if outcome == "noisy" else 0
    return Judgement(change, p, q, outcome, detectable, more, ground)


def _needed(freedom: float, level: float) -> float:
    """Standard errors that a shift needs to be seen with a chance of ``SURE`` at this level."""
    needed = float(-special.stdtrit(freedom, level / 2)) + float(special.stdtrit(freedom, SURE))
    return min(needed, 1e9)


def _change(pair: Pair) -> float | None:
    if pair.old.mean == 0:
        return None
    if pair.old.mean == pair.new.mean:
        return 0.0
    with_limit = pair.new.mean / pair.old.mean - 1
    return max(min(with_limit, sys.float_info.max), -sys.float_info.max)


def _relative(shift: float, row: Row) -> float | None:
    """A shift of the row's scale as relative change, ``None`` where old is 0."""
    if row.logs:
        return math.expm1(min(shift, 700.0))
    return shift / row.unit if row.unit > 1e-300 else None


def _more(pair: Pair, row: Row, noise: _Noise, level: float) -> int | None:
    size = pair.floor
    if size <= 0:
        size = abs(_change(pair) or 0.0)
    wanted = math.log1p(size) if row.logs else size * row.unit
    if wanted <= EQUAL:
        return None
    _, freedom = noise.error(row.old.count, row.new.count)

    def settled(more: int) -> bool:
        error, _ = noise.error(row.old.count + more, row.new.count + more)
        return _needed(freedom + 2 * more, level) * error <= wanted

    if settled(0):
        return 0
    if not settled(MOST_RUNS):
        return None
    low, high = 0, MOST_RUNS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if settled(middle) else (middle, high)
    return high


def _ground(row: Row, noise: _Noise) -> str:
    made = noise.family
    if not noise.known:
        if abs(row.shift) <= EQUAL:
            return "the figures are equal"
        return (
            "one figure each and no other runs or releases of this metric to learn the noise from"
        )
    figures = "relative" if row.logs else "scaled"
    sides = (row.old, row.new)
    if made.source == "shifts":
        return (
            f"one figure each: {figures} change against the changes of all {made.rows} rows "
            "of this metric, of which most are taken not to have changed"
        )
    rows = f"{made.rows} rows" if made.rows != 1 else "one row"
    where = {
        "samples": f"the scatter within runs over {rows} of this metric",
        "history": f"the scatter over other releases in {rows} of this metric",
        "samples and history": f"the scatter within and between releases over {rows} of this metric",
    }[made.source]
    if all(side.values for side in sides) and row.old.count + row.new.count > 2:
        tests = "moderated t-test"
        if scored(len(row.old.values), len(row.new.values)):
            tests += " and scores of the differences"
        return (
            f"{row.old.count} samples against {row.new.count}: {tests}, calibrated on "
            f"dealt samples, with {where}"
        )
    if _overlap(row):
        return "the published ranges overlap, and how many runs are behind them is not known"
    if any(_ranged(side) for side in sides):
        return f"mean, minimum and maximum: t-test on ranges, with {where}"
    return f"one figure against one: {figures} change against {where}"


def _ranged(side: Place) -> bool:
    return not side.values and side.high > side.low

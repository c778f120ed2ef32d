"""Two releases' samples to a judgement: did the figure change, and what could have been seen?

All rows of a comparison are judged together, and what many of them moved by in common is
taken out first. Of rows with samples the noise is learnt from these, from the other rows of
the family and from other releases (:mod:`.noise`), and the tests are calibrated on the
samples (:mod:`.scores`). Rows with one figure a side are judged by :mod:`.single`. The share
of false alarms among all rows that are called different is held.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..common import extras
from . import single
from .noise import Family, family
from .relative import EQUAL, Floats, ScaledRow, ScaledSide, Side, scaled
from .scores import MANY, Tested, calibrated, deal_rows, ratio, scored
from .single import Shift
from .usual_noise import Table, usual

Outcome = Literal["different", "same", "steady", "noisy"]

STEADY_SCATTER = 0.1
"""The largest scatter with which a change inside it is none; with a larger one it is not known."""

UNCALLED: tuple[Outcome, ...] = ("steady", "noisy")
"""Outcomes that more runs could still change to different."""

KEPT, RUNS_KEPT = 0.9, 0.7
"""The parts of the held rate that are spent, with single figures and with several runs; the rest is
kept for what the noise hides of itself, such as far outliers that no run here has shown."""

SURE = 0.8
"""The chance with which a change of the size ``detectable`` is seen."""

MOST_RUNS = 1000
"""More runs than this are not proposed."""

MOST_SEEN = 10.0
"""The largest ``detectable`` change that a reader can use; above it is ``None``."""

SMALL, CAREFUL = 0.05, 0.2
"""A change below this, with one run each, is called at this share of the rate only: a second
run costs less than looking for its cause."""

LOCAL = 2.5
"""The local rate at which a first single figure is called, over the held rate: among rows with
at most that local rate, about half of it is wrong on average. Where there is a first one, others
are called at the held rate itself, as the share of all that is called: a comparison in which
nothing changed raises no more alarms by that, and one in which much did misses less."""

COMMON = 20
"""Rows with samples that a common shift is learnt from, at least."""

COMPATIBLE = 0.7
"""The share of rows with samples that have to lie within twice their error of a common shift."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of a comparison: both releases' figures, and what helps to judge them.

    Rows of one ``family`` (a benchmark's metric) are expected to have like relative
    noise. ``history`` is the same row in earlier releases, in version order, without
    the two that are compared. ``floor`` is the relative change below which a
    change does not matter: ``0.02`` is two per cent. ``step`` is what a program counts in,
    in the unit of the figures, or 0; ``load`` says that they are shares in per cent of what
    there is. ``upward`` is 1 where more is better, -1 where less is, else 0. ``shared`` names
    what the row may have moved with: its board, its benchmark there, and narrower groups.
    ``later`` is the row in releases after NEW, where they are to be looked at.
    """

    old: Side
    new: Side
    family: str
    history: tuple[Side, ...] = ()
    floor: float = 0.0
    benchmark: str = ""
    metric: str = ""
    step: float = 0.0
    load: bool = False
    upward: int = 0
    shared: tuple[str, ...] = ()
    later: tuple[Side, ...] = ()

    @property
    def sampled(self) -> bool:
        """Return whether its own samples show how it scatters."""
        behind = [len(side.samples) or side.count or 1 for side in (self.old, self.new)]
        return sum(behind) > 3 or max(behind) > 2


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome for one row.

    ``change`` is new/old - 1, ``None`` where old is 0. ``p`` is the probability of a
    difference at least as large when nothing changed, ``q`` the same adjusted for the
    number of rows; both are ``None`` where no test was possible. ``detectable`` is the
    smallest relative change that would have been called here, ``scatter`` the one within which 19
    of 20 changes of such a row stay where nothing changed;
    ``more_runs`` how many more runs of each side would do so for a change of the size that
    matters (the pair's floor, or where that is 0 the change itself), ``None`` where no
    number would or nothing is known, 0 where the row is settled. ``ground`` says in words which
    test was made, and why. ``shift`` is what the row moved with, where many did. ``level`` is
    the number of earlier figures that agree with OLD, where one figure was set against them.

    ``different`` is a change that the held rate allows to be named and that is not below
    the floor. ``same`` are equal figures, and changes that are below the floor for sure.
    ``steady`` is a change within a scatter of at most ``STEADY_SCATTER``.
    All else is ``noisy``.
    """

    change: float | None
    p: float | None
    q: float | None
    outcome: Outcome
    detectable: float | None
    more_runs: int | None
    ground: str
    shift: Shift | None = None
    level: int = 0
    scatter: float | None = None


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


def judge(
    pairs: Sequence[Pair], rate: float = 0.05, table: Table | None = None
) -> tuple[Judgement, ...]:
    """Judge all rows of a comparison together, in the order given.

    ``rate`` is the held false discovery rate: the expected share of rows that did not
    change among those called different. Figures have to be finite. ``table`` says how much
    single figures usually scatter; left out, it is the one that the package carries. Raises
    :class:`extras.MissingExtraError`.
    """
    extras.require("compare")
    sampled = [i for i, pair in enumerate(pairs) if pair.sampled]
    others = [i for i, pair in enumerate(pairs) if not pair.sampled]
    out: dict[int, Judgement] = {}
    out.update(zip(sampled, _sampled([pairs[i] for i in sampled], rate), strict=True))
    one_each = _one_each([pairs[i] for i in others], rate, usual() if table is None else table)
    out.update(zip(others, one_each, strict=True))
    return tuple(out[i] for i in range(len(pairs)))


# ---------------------------------------------------------------- one figure a side


def _one_each(pairs: Sequence[Pair], rate: float, table: Table) -> list[Judgement]:
    rows = [single_row(pair) for pair in pairs]
    results = single.tested(rows, table)
    for i, (pair, row, result) in enumerate(zip(pairs, rows, results, strict=True)):
        if len(row.past) < single.LASTING and result.p is not None and _lap(pair):
            results[i] = replace(result, p=1.0)
    known = [i for i, result in enumerate(results) if result.p is not None]
    p = np.array([results[i].p for i in known], dtype=float)
    small = np.array([_small(rows[i]) for i in known], dtype=bool)
    bar = _bar(p, small, rate)
    q = dict(zip(known, bar.q(p, small).tolist(), strict=True))
    return [
        _of_one(pair, row, result, q.get(i), rate, bar)
        for i, (pair, row, result) in enumerate(zip(pairs, rows, results, strict=True))
    ]


@dataclass(frozen=True, slots=True)
class _Bar:
    """The largest p-values with which rows are called: ``large`` of those that moved by ``SMALL``
    or more, ``small`` of others. ``fitted`` is the mixture of all rows, ``None`` where they are
    too few to fit one, and then ``p`` are adjusted."""

    large: float
    small: float
    fitted: single.Mixture | None
    shared: bool
    p: Floats

    def q(self, p: Floats, small: NDArray[np.bool_]) -> Floats:
        """Return the adjusted p-values, of ``self.p`` or, with a mixture, of any."""
        if self.fitted is None:
            return np.array(adjusted(p.tolist()))
        false = self.fitted.false(p) / LOCAL
        if self.shared:
            # Something changed for sure, so the promise is about all that is called together.
            shared = self.fitted.false_below(p) / KEPT
            false = np.where(small, false, np.minimum(false, shared))
        return false


def _bar(p: Floats, small: NDArray[np.bool_], rate: float) -> _Bar:
    rates = rate, CAREFUL * rate
    if p.size < single.FEW:
        q = np.array(adjusted(p.tolist()))
        several = max(p.size, 1)
        # A row that is not called would have been the next one.
        large, least = (own * min(int((q <= own).sum()) + 1, several) / several for own in rates)
        return _Bar(large, least, None, False, p)
    fitted = single.mixture(p)
    bar = _Bar(1.0, 1.0, fitted, bool((fitted.false(p) / LOCAL <= rate).any()), p)
    grid = np.logspace(-12, 0, 1201)
    found = []
    for own, few in zip(rates, (False, True), strict=True):
        called = grid[bar.q(grid, np.full(grid.size, few)) <= own]
        left = p[(bar.q(p, small) > own) & (small == few)]
        # Where nothing changed the mixture has no threshold: a row that moves far would make one.
        alone = min(own / p.size, 0.99 * float(left.min(initial=1.0)))
        found.append(max(float(called.max(initial=0.0)), alone))
    return replace(bar, large=found[0], small=found[1])


def single_row(pair: Pair) -> single.SingleRow:
    """A pair as the tests of single figures take it."""
    key = (pair.benchmark or pair.family, pair.metric or pair.family)
    given = (pair.old, pair.new, pair.history, pair.step, pair.load, key, pair.upward, pair.shared)
    return single.row(*given, pair.later)


def _small(row: single.SingleRow) -> bool:
    """Is the change, told either way round, so small that one run each hardly shows it?"""
    return row.logs and -math.expm1(-abs(row.new - row.past[-1])) < SMALL


def _lap(pair: Pair) -> bool:
    """Do published ranges overlap, with numbers of runs that are not known?"""
    sides = (pair.old, pair.new)
    if any(side.low is None or side.high is None or side.count is not None for side in sides):
        return False
    old, new = ((side.low or 0.0, side.high or 0.0) for side in sides)
    return old[0] < old[1] and new[0] < new[1] and old[0] <= new[1] and new[0] <= old[1]


def _of_one(
    pair: Pair,
    row: single.SingleRow,
    test: single.Tested,
    q: float | None,
    rate: float,
    bar: _Bar,
) -> Judgement:
    from scipy import special

    change, shift = _change(pair), test.shift
    equal = abs(row.new - row.past[-1]) <= max(EQUAL, single.STEP * row.step)
    ground = _ground_of_one(pair, row, test, equal)
    if test.p is None or q is None:
        outcome: Outcome = "same" if pair.old.mean == pair.new.mean else "noisy"
        return Judgement(change, None, None, outcome, None, None, ground)

    def relative(move: float) -> float | None:
        """Return a move on the row's scale as relative change, ``None`` where that says nothing."""
        if row.logs:
            size = math.expm1(min(move, 700.0))
        elif pair.load and pair.old.mean > 0:
            ends = min(math.asin(math.sqrt(min(pair.old.mean, 100.0) / 100)) + move, math.pi / 2)
            size = 100 * math.sin(ends) ** 2 / pair.old.mean - 1
            size = size if ends < math.pi / 2 else MOST_SEEN * 2
        elif pair.old.mean:
            every = (pair.old.mean, pair.new.mean, *(side.mean for side in pair.history))
            size = move * max(map(abs, every)) / abs(pair.old.mean)
        else:
            return None
        return size if size <= MOST_SEEN else None

    def reached(p: float, beyond: float = test.beyond) -> float | None:
        return relative(max(float(-special.stdtrit(test.freedom, p / 2)) * test.error, beyond))

    matters = change is None or abs(change) >= pair.floor
    detectable, scatter = _called_from(reached, bar), reached(0.05, 0.0)
    outcome = "noisy"
    together = shift is not None and math.expm1(abs(shift.by)) >= pair.floor
    if q <= rate * (CAREFUL if _small(row) else 1.0):
        outcome = "different" if matters else "same"
        shift = None if abs(test.move) > abs(shift.by if shift else 0.0) else shift
        if outcome == "same":
            ground += "; it differs, but by less than matters"
    elif together and matters:
        outcome = "different"
    elif equal or (detectable is not None and detectable <= pair.floor):
        outcome = "same"
    else:
        outcome = _steady(change, scatter)
    shift = shift if outcome == "different" else None
    more = _more_of_one(pair, row, test, bar.large) if outcome in UNCALLED else 0
    return Judgement(
        change, test.p, min(q, 1.0), outcome, detectable, more, ground, shift, test.level, scatter
    )


def _called_from(reached: Callable[[float], float | None], bar: _Bar) -> float | None:
    """Return the smallest relative change that is called."""
    large, small = reached(bar.large), reached(bar.small)
    # A change is small by how it looks told either way round.
    limit = 1 / (1 - SMALL) - 1
    if large is None or large >= limit:
        return large
    return limit if small is None else min(limit, small)


def _steady(change: float | None, scatter: float | None) -> Outcome:
    """Return ``steady`` for a change within a small scatter."""
    if change is None or change <= -1 or scatter is None or scatter > STEADY_SCATTER:
        return "noisy"
    return "steady" if max(change, 1 / (1 + change) - 1) <= scatter else "noisy"


def _more_of_one(
    pair: Pair, row: single.SingleRow, test: single.Tested, level: float
) -> int | None:
    """More runs of each side, as if all that a figure wanders by came anew with each run."""
    size = max(pair.floor, abs(_change(pair) or 0.0))
    wanted = math.log1p(size) if row.logs else abs(row.new - row.past[-1])
    if wanted <= EQUAL or test.deviation <= 0:
        return None

    def settled(more: int) -> bool:
        ends = 1 / (test.level + more) + 1 / (1 + more)
        needed = _needed(test.freedom + 2 * more, level)
        return needed * test.deviation * math.sqrt(ends) <= wanted

    runs = bisect_left(range(1, MOST_RUNS + 1), True, key=settled) + 1
    return runs if runs <= MOST_RUNS else None


def _ground_of_one(pair: Pair, row: single.SingleRow, test: single.Tested, equal: bool) -> str:
    if equal and len(row.past) == 1:
        return "the figures are equal"
    if test.p is None:
        return "one run each, and no earlier release or second run to learn from how much such runs differ"
    if len(row.past) < single.LASTING and _lap(pair):
        return "the published ranges overlap, and how many runs are behind them is not known"
    before = len(row.past)
    after = f"; the {test.after - 1} after NEW agree with it" if test.after > 1 else ""
    if before == 1:
        others = "public history says" if test.public else "other rows say"
        alone = f"one run each, and no earlier release of this row; {others} how it scatters"
        return f"{alone}{after}"
    wide = max(row.past) - min(row.past)
    if wide <= EQUAL:
        return f"one run each; the {before} releases before were all equal{after}"
    size = math.expm1(min(wide, 700.0)) if row.logs else None
    spread = f" within {100 * size:.2g} %" if size is not None and size < MOST_SEEN else ""
    if test.level == min(before, single.STRETCH):
        return f"one run each; the {before} releases before lay{spread or ' on one level'}{after}"
    if test.returned:
        return f"one run each; it has been there in the {before} releases before"
    alike = f"the last {test.level} agree" if test.level > 1 else "the last is unlike the others"
    return f"one run each; {before} releases before, of which {alike}{after}"


# ---------------------------------------------------------------- samples


def _sampled(pairs: Sequence[Pair], rate: float) -> list[Judgement]:
    rows, shifts = _levelled(pairs, [scaled(pair.old, pair.new, pair.history) for pair in pairs])
    learnt = _learn(pairs, rows)
    p = _test(pairs, rows, learnt)
    tested = [i for i, value in enumerate(p) if value is not None]
    q: list[float | None] = [None] * len(rows)
    for i, value in zip(tested, adjusted([v for v in p if v is not None]), strict=True):
        q[i] = min(1.0, value / RUNS_KEPT)
    different = sum(1 for value in q if value is not None and value <= rate)
    level = RUNS_KEPT * rate * min(different + 1, len(tested)) / max(len(tested), 1)
    return [
        _judgement(pair, row, noise, p[i], q[i], rate, level, shifts[i])
        for i, (pair, row, noise) in enumerate(zip(pairs, rows, learnt, strict=True))
    ]


def _levelled(
    pairs: Sequence[Pair], rows: list[ScaledRow]
) -> tuple[list[ScaledRow], list[Shift | None]]:
    """Rows with what they moved by in common taken out, in this release and in earlier ones."""
    shifts: list[Shift | None] = [None] * len(rows)
    members: dict[tuple[int, str], list[int]] = {}
    for i, (pair, row) in enumerate(zip(pairs, rows, strict=True)):
        if pair.upward and row.logs:
            for depth, name in enumerate(pair.shared):
                members.setdefault((depth, name), []).append(i)
    for (_, name), own in sorted(members.items()):
        if len(own) < COMMON:
            continue
        by = _common([rows[i].shift * pairs[i].upward for i in own], [_error(rows[i]) for i in own])
        before = _common_before([rows[i] for i in own], [pairs[i].upward for i in own])
        for i in own:
            mine = before[len(before) - len(rows[i].past) :] if rows[i].past else []
            if by or any(mine):
                up = pairs[i].upward
                rows[i] = rows[i].without(by * up, [step * up for step in mine])
            known = shifts[i]
            if by and (known is None or abs(by) > abs(known.by)):
                shifts[i] = Shift(name, by, len(own))
    return rows, shifts


def _error(row: ScaledRow) -> float:
    worth = row.old.freedom + row.new.freedom
    squares = row.old.squares + row.new.squares
    return math.sqrt(squares / max(worth, 1.0) * (1 / row.old.count + 1 / row.new.count))


def _common(moves: Sequence[float], errors: Sequence[float]) -> float:
    """Return what rows moved by together: the median where it is far off zero and most rows are
    compatible with it, else 0."""
    values, error = np.array(moves), np.array(errors)
    by = float(np.median(values))
    spread = 1.4826 * float(np.median(np.abs(values - by)))
    if abs(by) <= single.FAR * 1.2533 * spread / math.sqrt(values.size):
        return 0.0
    near = np.abs(values - by) <= 2 * error + 0.1 * abs(by)
    return by if near.mean() >= COMPATIBLE else 0.0


def _common_before(rows: Sequence[ScaledRow], upward: Sequence[int]) -> list[float]:
    """For each earlier release, the oldest first, how far its common level was from OLD's."""
    most = max(len(row.past) for row in rows)
    out = []
    for back in range(1, most + 1):
        known = [(r, up) for r, up in zip(rows, upward, strict=True) if len(r.past) >= back]
        moves = [(r.past[-back].at - r.old.at) * up for r, up in known]
        errors = [_error(replace(r, new=r.past[-back])) for r, _ in known]
        out.append(_common(moves, errors) if len(known) >= COMMON else 0.0)
    return out[::-1]


@dataclass(frozen=True, slots=True)
class _Noise:
    """The noise of one row by its family; see :class:`.noise.Family`."""

    family: Family
    variance: float
    freedom: float

    def error(self, old: int, new: int) -> tuple[float, float]:
        """Standard error of the shift with so many figures, and its degrees of freedom."""
        return self.family.error(self.variance, self.freedom, 1 / old + 1 / new)

    @property
    def known(self) -> bool:
        return self.freedom > 0


def _learn(pairs: Sequence[Pair], rows: Sequence[ScaledRow]) -> list[_Noise]:
    members: dict[str, list[int]] = {}
    for i, pair in enumerate(pairs):
        members.setdefault(pair.family, []).append(i)
    out: dict[int, _Noise] = {}
    for chosen in members.values():
        noise = family([rows[i] for i in chosen])
        for i, variance, freedom in zip(chosen, noise.variance, noise.freedom, strict=True):
            out[i] = _Noise(noise, float(variance), float(freedom))
    return [out[i] for i in range(len(rows))]


def _test(
    pairs: Sequence[Pair], rows: Sequence[ScaledRow], learnt: Sequence[_Noise]
) -> list[float | None]:
    from scipy import special

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
    for many, tested in parts.items():
        if not tested:
            continue
        p_values = calibrated([test for _, test in tested], not many)
        for (some, _), values in zip(tested, p_values, strict=True):
            for i, value in zip(some, values, strict=True):
                p[i] = (
                    max(float(value), p[i] or 0.0)
                    if _runs_differ(rows[i], learnt[i])
                    else float(value)
                )
    return p


def _overlap(row: ScaledRow) -> bool:
    """Do published ranges overlap, with numbers of runs that are not known?"""
    if row.old.counted and row.new.counted:
        return False
    return row.old.low <= row.new.high and row.new.low <= row.old.high


def _runs_differ(row: ScaledRow, noise: _Noise) -> bool:
    """Is a fifth or more of the error from the releases' own levels, and so not in the samples?"""
    extra = 2 * noise.family.between
    return extra > 0.2 * (extra + 1 / row.old.count + 1 / row.new.count)


def _judgement(
    pair: Pair,
    row: ScaledRow,
    noise: _Noise,
    p: float | None,
    q: float | None,
    rate: float,
    level: float,
    shift: Shift | None,
) -> Judgement:
    from scipy import special

    change = _change(pair)
    ground = _ground(row, noise)
    equal = abs(row.shift) <= EQUAL
    if p is None or q is None:
        outcome: Outcome = "same" if equal else "noisy"
        return Judgement(change, None, None, outcome, None, None, ground)
    error, freedom = noise.error(row.old.count, row.new.count)
    needed, usual = (float(-special.stdtrit(freedom, p / 2)) for p in (level, 0.05))
    detectable, scatter = (_readable(_relative(size * error, row)) for size in (needed, usual))
    # The interval in which the change lies, at the held rate for this row alone.
    reach = abs(row.shift) + float(-special.stdtrit(freedom, rate / 2)) * error
    farthest = _relative(reach, row)
    outcome = "noisy"
    matters = change is None or abs(change) >= pair.floor
    if q <= rate:
        outcome, shift = "different" if matters else "same", None
        if outcome == "same":
            ground += "; it differs, but by less than matters"
    elif shift and matters and math.expm1(abs(shift.by)) >= pair.floor:
        outcome = "different"
    elif (
        equal
        or (farthest is not None and farthest <= pair.floor)
        or (detectable is not None and detectable <= pair.floor)
    ):
        outcome = "same"
    else:
        outcome = _steady(change, scatter)
    more = _more_runs(pair, row, noise, level) if outcome in UNCALLED else 0
    shift = shift if outcome == "different" else None
    return Judgement(change, p, q, outcome, detectable, more, ground, shift, scatter=scatter)


def _readable(size: float | None) -> float | None:
    return size if size is not None and size <= MOST_SEEN else None


def _needed(freedom: float, level: float) -> float:
    """Standard errors that a shift needs to be seen with a chance of ``SURE`` at this level."""
    from scipy import special

    needed = float(-special.stdtrit(freedom, level / 2)) + float(special.stdtrit(freedom, SURE))
    return min(needed, 1e9)


def _change(pair: Pair) -> float | None:
    if pair.old.mean == 0:
        return None
    if pair.old.mean == pair.new.mean:
        return 0.0
    with_limit = pair.new.mean / pair.old.mean - 1
    return max(min(with_limit, sys.float_info.max), -sys.float_info.max)


def _relative(shift: float, row: ScaledRow) -> float | None:
    """A shift of the row's scale as relative change, ``None`` where old is 0."""
    if row.logs:
        return math.expm1(min(shift, 700.0))
    return shift / row.unit if row.unit > 1e-300 else None


def _more_runs(pair: Pair, row: ScaledRow, noise: _Noise, level: float) -> int | None:
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

    runs = bisect_left(range(MOST_RUNS + 1), True, key=settled)
    return runs if runs <= MOST_RUNS else None


def _ground(row: ScaledRow, noise: _Noise) -> str:
    family = noise.family
    if not noise.known:
        if abs(row.shift) <= EQUAL:
            return "the figures are equal"
        return (
            "one figure each and no other runs or releases of this metric to learn the noise from"
        )
    figures = "relative" if row.logs else "scaled"
    sides = (row.old, row.new)
    rows = f"{family.rows} rows" if family.rows != 1 else "one row"
    where = {
        "samples": f"the scatter between runs over {rows} of this metric",
        "samples and history": f"the scatter between runs and releases over {rows} of this metric",
    }[family.source]
    if all(side.values for side in sides) and row.old.count + row.new.count > 2:
        tests = "moderated t-test"
        if scored(len(row.old.values), len(row.new.values)):
            tests += " and scores of the differences"
        return (
            f"{row.old.count} runs against {row.new.count}: {tests}, calibrated on "
            f"dealt runs, with {where}"
        )
    if _overlap(row):
        return "the published ranges overlap, and how many runs are behind them is not known"
    if any(_ranged(side) for side in sides):
        return f"mean, minimum and maximum: t-test on ranges, with {where}"
    return f"{row.old.count} figures against {row.new.count}: {figures} change against {where}"


def _ranged(side: ScaledSide) -> bool:
    return not side.values and side.high > side.low

"""Tests of single figures: one figure a release, set against the figures of earlier releases.

The noise of a row is learnt from how its own figures wandered, and from the rows of its
metric, its benchmark and the whole comparison; where a row has hardly a past, from public
history besides (:mod:`.usual_noise`). The two figures that are compared say nothing about
noise, unless nothing else is there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .noise import inverse_trigamma
from .relative import Floats, Side
from .usual_noise import Scatter, Table

MOST = 28
"""Earlier figures, the latest ones, from which the noise of a row is learnt."""

TRIMMED = (
    *(2.232, 1.929, 1.764, 2.799, 2.491, 2.275, 2.113, 1.995, 1.901, 1.827, 1.766, 1.709, 1.668),
    *(1.625, 1.593, 1.563, 1.533, 1.512, 1.490, 1.469, 1.453, 1.435, 1.419, 1.407, 1.393, 1.380),
)
"""For 3 to ``MOST`` normal figures: their variance over half the mean square of their
successive differences without the largest (from six figures on, the two largest)."""

TWO = 6
"""Figures from which on two differences are left out: one that stood out makes two."""

BASE = 0.003
"""The relative standard deviation that every figure has at least."""

ALIKE = 9.0
"""Degrees of freedom at most that other rows are worth for one row."""

PARENT = 5.0
"""As many rows the level above counts for where the noise of a benchmark or metric is learnt."""

EVEN = 10.0
"""Rows from which on a benchmark hardly counts more for the noise of all rows."""

FREEDOM, PER_OWN = 4.0, 0.2
"""Degrees of freedom at most of a test, and by how much that rises with each that a row's own
figures are worth: the noise of real figures has heavy tails."""

STRETCH = 8
"""Figures at most from which the present level is taken."""

WITHIN = 2.5
"""Standard deviations that a figure may lie off the present level and still belong to it."""

LASTING = 3
"""Figures from which on the present level counts, and not what the row was before it."""

OWN, ENOUGH = 4, 20
"""Earlier figures from which on a row needs no public history, and rows of its benchmark that
show their noise here."""

STEP = 1.001
"""A difference of one printed digit is none, however it is rounded."""

FEW = 20
"""Below so many rows their p-values are adjusted: a mixture cannot be fitted to them."""

SHIFT = 5
"""Rows that a common shift has at least."""

ONE_WAY, NEAR, NEAR_BY = 0.85, 0.5, 0.35
"""The share of rows that moved one way, and the share of those whose move is within
``NEAR_BY`` of the median's."""

WANDER = 0.03
"""The relative standard deviation of the common level of many rows where no release before shows it."""

FAR = 4.0
"""Standard errors that the median of many moves is off zero where it is a common shift."""

_WINSORISED = 0.6787
"""The variance of a standard normal figure that is cut at its 10 % and 90 % quantiles."""


@dataclass(frozen=True, slots=True)
class SingleRow:
    """A row on its scale: earlier figures in order of release, of which the last is OLD, and NEW.

    ``rounding`` is the variance that printed digits add to a figure, ``step`` the distance of
    two neighbouring ones. ``inner`` is the variance of one run's mean by its own samples. ``key`` is benchmark and metric, ``upward`` 1 where more is better,
    -1 where less is, else 0. ``logs`` says that the scale is logarithmic. ``shared`` names what
    the row may have moved with, the widest first. ``later`` are figures after NEW, where they
    are to be looked at.
    """

    past: tuple[float, ...]
    new: float
    rounding: float
    step: float
    inner: float
    key: tuple[str, str]
    upward: int
    logs: bool
    shared: tuple[str, ...]
    later: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Shift:
    """A move that many rows share: ``by`` is on the logarithmic scale, above 0 is better."""

    name: str
    by: float
    rows: int


@dataclass(frozen=True, slots=True)
class Tested:
    """The result of a test of a single figure.

    ``move`` is NEW, or the level of ``after`` figures that begins with it, against the present
    level, in which ``level`` figures were; ``error`` its
    standard error and ``deviation`` that of one figure. ``p`` is ``None`` where nothing is
    known of the noise. ``returned`` says that NEW lies within what the row showed before, and has
    to be ``beyond`` the present level by more to leave that. ``public`` says that nothing but public
    history showed the noise.
    """

    p: float | None
    move: float
    error: float
    deviation: float
    freedom: float
    level: int
    shift: Shift | None = None
    after: int = 1
    beyond: float = 0.0
    returned: bool = False
    public: bool = False


def scale(figures: Sequence[float], load: bool) -> tuple[Floats, bool]:
    """Figures on the scale on which their noise is alike, and whether that is logarithmic.

    Loads, in per cent, as the arcsine of the root of the share; figures with zeros or of both
    signs divided by the greatest.
    """
    values = np.array(figures, dtype=float)
    if load and values.min() >= 0 and values.max() <= 100:
        return np.arcsin(np.sqrt(values / 100)), False
    if (values > 0).all() or (values < 0).all():
        return np.log(np.abs(values)), True
    return values / (float(np.abs(values).max()) or 1.0), False


def row(
    old: Side,
    new: Side,
    history: Sequence[Side],
    step: float,
    load: bool,
    key: tuple[str, str],
    upward: int,
    shared: tuple[str, ...],
    later: Sequence[Side] = (),
) -> SingleRow:
    """A row from its figures. ``step`` is what its program counts in, in the row's unit, or 0."""
    before, later = (*history, old)[-MOST:], later[:MOST]
    means = [side.mean for side in before]
    values, logs = scale([*means, new.mean, *(side.mean for side in later)], load)
    # Printed digits are those of earlier releases: the pair under test does not choose them.
    printed = [side.step for side in before if side.step > 0]
    digit = max(step, min(printed, default=0.0))
    smaller = min(abs(old.mean), abs(new.mean))
    if logs:
        # One digit more than the smaller figure, which may itself be less than a digit.
        distance = math.log1p(digit / smaller)
    elif load and 0 <= smaller <= 100:
        ends = np.sqrt(np.minimum([smaller, smaller + digit], 100.0) / 100)
        distance = float(np.diff(np.arcsin(ends))[0])
    else:
        distance = digit / (max(abs(v) for v in (*means, new.mean)) or 1.0)
    return SingleRow(
        tuple(values[: len(means)].tolist()),
        float(values[len(means)]),
        min(distance, 0.3) ** 2 / 12,
        distance,
        max(old.inner, new.inner) if logs else 0.0,
        key,
        upward if logs else 0,
        logs,
        shared,
        tuple(values[len(means) + 1 :].tolist()),
    )


# ---------------------------------------------------------------- noise


def own_noise(rows: Sequence[SingleRow]) -> tuple[Floats, Floats]:
    """For each row the variance of its earlier figures, and its degrees of freedom.

    Half the mean square of successive differences, without the one or two largest, which may
    be a lasting change or a figure that stood out. Figures after NEW count as those before OLD do,
    but for what lies between. Fewer than three figures say nothing: how much one run's samples
    scatter is not how much releases do.
    """
    variance, freedom = np.zeros(len(rows)), np.zeros(len(rows))
    for i, one in enumerate(rows):
        moves = np.diff(one.past)
        if one.later:
            moves = np.concatenate([moves, np.diff((one.new, *one.later))])[: MOST - 1]
        count = moves.size + 1
        if count >= 3:
            squares = np.sort(moves**2)
            kept = squares[: -1 if count < TWO else -2].mean()
            variance[i] = TRIMMED[count - 3] * float(kept) / 2
            freedom[i] = (0.665 if count < TWO else 0.649) * count - (1.31 if count < TWO else 2.07)
        variance[i] += one.rounding + BASE**2
    return variance, freedom


def learnt(
    keys: Sequence[tuple[str, str]], variance: Floats, freedom: Floats
) -> dict[tuple[str, ...], Scatter]:
    """Return how the variances of rows lie: of all, of each benchmark, of each metric.

    Each is drawn towards the level above, the more the fewer rows it has. Of all rows those
    of small benchmarks count as much as others, because the next unknown row is of a
    benchmark like any other. Source: G. K. Smyth, "Linear models and empirical Bayes methods
    for assessing differential expression", Statist. Appl. Genet. Mol. Biol. 3 (2004)
    article 3; made robust by cutting the logarithms at their 10 % and 90 % quantiles, after
    B. Phipson et al., Ann. Appl. Statist. 10 (2016) 946-963.
    """
    from scipy import special

    known = np.flatnonzero(freedom > 0)
    if not known.size:
        return {}
    half = freedom[known] / 2
    logs = np.log(variance[known]) - special.digamma(half) + np.log(half)
    chance = special.polygamma(1, half)
    members: dict[tuple[str, ...], list[int]] = {}
    for place, i in enumerate(known.tolist()):
        names: tuple[tuple[str, ...], ...] = (keys[i][:1], keys[i])
        for name in names:
            members.setdefault(name, []).append(place)
    weights = np.array([1 / (len(members[keys[i][:1]]) + EVEN) for i in known.tolist()])
    out: dict[tuple[str, ...], Scatter] = {(): _scatter(logs, chance, weights)}
    for name, places in sorted(members.items(), key=lambda item: len(item[0])):
        above = out[name[:-1]]
        if len(places) < 2:
            # A row that stands alone shows nothing of how unlike its like are.
            out[name] = Scatter(above.centre, above.excess, 1)
            continue
        own = _scatter(logs[places], chance[places], np.ones(len(places)))
        share = len(places) / (len(places) + PARENT)
        out[name] = Scatter(
            share * own.centre + (1 - share) * above.centre,
            share * own.excess + (1 - share) * above.excess,
            len(places),
        )
    return out


def _scatter(logs: Floats, chance: Floats, weights: Floats) -> Scatter:
    """The mean of logarithms, and by how much more they vary than by chance."""
    weights = weights / weights.sum()
    cut = 1.0
    if logs.size >= 5:
        order = np.argsort(logs, kind="stable")
        reached = np.cumsum(weights[order])
        ends = np.searchsorted(reached, (0.1, 0.9)).clip(0, logs.size - 1)
        logs = np.clip(logs, *logs[order][ends])
        cut = _WINSORISED
    centre = float((weights * logs).sum())
    free = 1 - float((weights**2).sum())
    varied = float((weights * (logs - centre) ** 2).sum()) / max(free, 1e-9) / cut
    return Scatter(centre, varied - float((weights * chance).sum()), int(logs.size))


def _priors(table: Table, rows: Sequence[SingleRow]) -> tuple[Floats, Floats]:
    """For each row the variance that its like have, and how many degrees of freedom that is
    worth; 0 where the table has nothing."""
    from scipy import special

    by_scatter: dict[Scatter, tuple[float, float]] = {}
    variance, freedom = np.zeros(len(rows)), np.zeros(len(rows))
    for i, one in enumerate(rows):
        scatter = table.get(one.key) or table.get(one.key[:1]) or table.get(())
        if scatter is None:
            continue
        if scatter not in by_scatter:
            worth = ALIKE
            if scatter.excess > 1e-3:
                worth = max(min(2 * inverse_trigamma(scatter.excess), ALIKE), 0.2)
            size = scatter.centre + float(special.digamma(worth / 2)) - math.log(worth / 2)
            by_scatter[scatter] = math.exp(size), worth
        size, freedom[i] = by_scatter[scatter]
        variance[i] = size + one.rounding
    return variance, freedom


# ---------------------------------------------------------------- tests


def tested(rows: Sequence[SingleRow], usual: Table) -> list[Tested]:
    """Test all single figures of a comparison together, common shifts first."""
    if not rows:
        return []
    shifts = common_shifts(rows, usual)
    # The widest shift comes first, so what a narrower one adds is on top of it.
    total = [
        sum(shift.by for shift in own) * one.upward for own, one in zip(shifts, rows, strict=True)
    ]
    rest = _tests(rows, usual, np.array(total))
    out = []
    for one, own, test in zip(rows, shifts, rest, strict=True):
        main = max(own, key=lambda shift: abs(shift.by), default=None)
        away = (one.new - one.past[-1]) * one.upward
        moved = main is not None and away * main.by > 0
        out.append(test if not moved else _with_shift(test, main))
    return out


def _with_shift(test: Tested, shift: Shift | None) -> Tested:
    return replace(test, shift=shift)


def _tests(rows: Sequence[SingleRow], usual: Table, shift: Floats) -> list[Tested]:
    """Each row's test, with what it moved by in common taken out."""
    variance, freedom = own_noise(rows)
    keys = [one.key for one in rows]
    here = learnt(keys, variance, freedom)
    local = _priors(here, rows)
    public = _priors(usual, rows)
    out = []
    for i, one in enumerate(rows):
        mine = here.get(one.key[:1])
        young = len(one.past) < OWN and (mine.rows < ENOUGH if mine else True)
        results = []
        for prior, wanted in ((local, True), (public, young or not local[1][i])):
            worth = float(prior[1][i] + freedom[i])
            if not here and one.key[:1] not in usual:
                # The line for all benchmarks alone says nothing of one that nobody knows.
                continue
            if not wanted or worth <= 0 or not prior[1][i]:
                continue
            moderated = (prior[1][i] * prior[0][i] + freedom[i] * variance[i]) / worth
            moderated = max(float(moderated), one.inner)
            test = _test(one, moderated, worth, freedom[i], shift[i])
            results.append(replace(test, public=not local[1][i] and not freedom[i]))
        lone = Tested(None, one.new - one.past[-1], 0.0, 0.0, 0.0, 1)
        # The more careful of both.
        out.append(max(results, key=lambda test: (test.p or 0.0, test.error), default=lone))
    return out


def _test(one: SingleRow, variance: float, freedom: float, own: float, shift: float) -> Tested:
    """One row against its present level; NEW with what follows it, where that is looked at.

    The level goes back from OLD while figures stay near. NEW inside all that the row
    showed before is a return, and no change, unless the present level has lasted.
    """
    from scipy import special

    deviation = math.sqrt(variance)
    past, new = np.array(one.past), one.new - shift
    level, total = 1, float(past[-1])
    while level < min(STRETCH, past.size):
        earlier = float(past[-1 - level])
        if abs(earlier - total / level) > WITHIN * deviation:
            break
        total, level = total + earlier, level + 1
    after, sum_after = 1, new
    for figure in one.later[: STRETCH - 1]:
        if abs(figure - shift - sum_after / after) > WITHIN * deviation:
            break
        sum_after, after = sum_after + figure - shift, after + 1
    move = sum_after / after - total / level
    error = deviation * math.sqrt(1 / after + 1 / level)
    worth = min(freedom, FREEDOM + PER_OWN * own)
    still = abs(new - past[-1]) <= STEP * one.step or move * (new - past[-1]) <= 0
    young = max(level, after) < LASTING
    back = young and past.min() <= new <= past.max()
    beyond = max(past.max() - total / level, total / level - past.min()) if young else 0.0
    p = 1.0 if still or back else 2 * float(special.stdtr(worth, -abs(move) / error))
    return Tested(p, float(move), error, deviation, worth, level, None, after, beyond, back)


def common_shifts(rows: Sequence[SingleRow], usual: Table) -> list[list[Shift]]:
    """For each row the shifts that it shares with others, the widest first.

    Each is judged like a row of its own, whose past is how the same rows moved together
    before. What a wide one explains is taken out before a narrower one is looked at.
    """
    out: list[list[Shift]] = [[] for _ in rows]
    members: dict[tuple[int, str], list[int]] = {}
    for i, one in enumerate(rows):
        if one.upward:
            for depth, name in enumerate(one.shared):
                members.setdefault((depth, name), []).append(i)
    moves = np.array([(one.new - one.past[-1]) * one.upward for one in rows])
    for depth in sorted({depth for depth, _ in members}):
        groups = {
            name: own for (at, name), own in members.items() if at == depth and len(own) >= SHIFT
        }
        index = {
            name: _index([rows[i] for i in own], moves[own], name) for name, own in groups.items()
        }
        called = _called([one for one in index.values() if one])
        for name, own in groups.items():
            by = float(np.median(moves[own]))
            if name not in called or not _alike(moves[own], by):
                continue
            shift = Shift(name, by, len(own))
            for i in own:
                out[i].append(shift)
                moves[i] -= by
    return out


def _index(rows: Sequence[SingleRow], moves: Floats, name: str) -> SingleRow | None:
    """Return how some rows moved together, as a row; ``None`` where they did not."""
    if not _alike(moves, float(np.median(moves))):
        return None
    steps = []
    for back in range(1, MOST):
        known = [
            (one.past[-back] - one.past[-back - 1]) * one.upward
            for one in rows
            if len(one.past) > back
        ]
        if len(known) < max(3, len(rows) / 2):
            break
        steps.append(float(np.median(known)))
    past = np.concatenate([-np.cumsum(steps)[::-1], [0.0]])
    spread = 1.4826 * float(np.median(np.abs(moves - np.median(moves))))
    error = 1.2533 * spread / math.sqrt(len(rows))
    return SingleRow(
        tuple(past.tolist()), float(np.median(moves)), error**2, FAR * error, 0.0,
        ("", ""), 1, True, (name,),
    )  # fmt: skip


def _called(rows: Sequence[SingleRow]) -> set[str]:
    """The names of the indices that moved."""
    if not rows:
        return set()
    variance, freedom = own_noise(rows)
    pooled = float(freedom.sum())
    mean = float((freedom * variance).sum() / pooled) if pooled else WANDER**2
    out = set()
    for i, one in enumerate(rows):
        worth = float(freedom[i]) + 3.0
        prior = mean + one.rounding
        test = _test(one, float(freedom[i] * variance[i] + 3.0 * prior) / worth, worth, 0.0, 0.0)
        if test.p is not None and test.p < 0.01:
            out.add(one.shared[0])
    return out


def _alike(moves: Floats, by: float) -> bool:
    """Did rows move one way, and about as far?"""
    few = moves.size < 2 * SHIFT
    if by == 0 or (np.sign(moves) == np.sign(by)).mean() < (1.0 if few else ONE_WAY):
        return False
    # Of a few rows some move alike by chance, and there are many such groups.
    near = float((np.abs(moves - by) <= NEAR_BY * abs(by)).mean())
    return near >= (ONE_WAY if few else NEAR)


# ---------------------------------------------------------------- all rows at once


@dataclass(frozen=True, slots=True)
class Mixture:
    """p-values of rows that did not change, evenly spread, among others that are small.

    The density of a p-value is share + (1 - share) power p^(power - 1). Source: S. Pounds and
    S. W. Morris, "Estimating the occurrence of false positives and false negatives in
    microarray studies", Bioinformatics 19 (2003) 1236-1242.
    """

    share: float
    power: float

    @property
    def even(self) -> float:
        """The part of the density that is even: rows that did not change at most."""
        return self.share + (1 - self.share) * self.power

    def false(self, p: Floats) -> Floats:
        """The local false discovery rate at some p-values."""
        log = np.log(np.clip(p, 1e-12, 1.0))
        density = self.share + (1 - self.share) * self.power * np.exp((self.power - 1) * log)
        return np.minimum(self.even / density, 1.0)

    def false_below(self, p: Floats) -> Floats:
        """The share of rows that did not change among all with at most some p-values."""
        log = np.log(np.clip(p, 1e-12, 1.0))
        below = self.share * np.exp(log) + (1 - self.share) * np.exp(self.power * log)
        return np.minimum(self.even * np.exp(log) / below, 1.0)

    def threshold(self, rate: float) -> float:
        """The largest p-value with a local false discovery rate of at most ``rate``."""
        wanted = (self.even / rate - self.share) / ((1 - self.share) * self.power)
        return float(min(max(wanted ** (1 / (self.power - 1)), 1e-12), rate))


def mixture(p: Floats) -> Mixture:
    """The mixture that fits some p-values best."""
    log = np.log(np.clip(p, 1e-12, 1.0))[None, :]
    shares = np.linspace(0, 0.995, 60)[:, None]
    best = (-math.inf, 0.0, 0.0)
    for power in np.linspace(0.02, 0.98, 49).tolist():
        density = shares + (1 - shares) * power * np.exp((power - 1) * log)
        fit: NDArray[np.float64] = np.log(density).sum(axis=1)
        at = int(fit.argmax())
        best = max(best, (float(fit[at]), float(shares[at, 0]), power))
    return Mixture(best[1], best[2])

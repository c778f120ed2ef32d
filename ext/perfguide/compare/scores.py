"""Tests of two sets of samples, calibrated on the samples themselves.

Each test sums an odd function of all pairwise differences. The identity gives the
t-test, the sign Wilcoxon's; between and beyond them lie functions that heed outliers
less, or that tell two modes apart. Which one sees most is asked of the pooled samples
without looking at which release they are from.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .noise import Prior, prior
from .relative import EQUAL, Floats, ScaledRow

Kernel = Callable[[Floats], Floats]

MILD: Kernel = np.tanh
"""The kernel that is tried on all families: it finds nearly the same as the t-test where noise
is normal, and so costs next to nothing there."""

KERNELS: tuple[Kernel, ...] = (
    lambda u: np.tanh(2 * u),
    lambda u: u * np.exp(-u * u / 8),
    lambda u: u * np.exp(-u * u / 2),
)
"""Odd functions of a difference in standard deviations, from heeding rank to strictly local."""

_EDGE = 3.3
"""Standard errors that a shift has to have to be seen among many rows."""

_SHARES = tuple(0.85**step for step in range(9, 0, -1))
"""Sizes of shifts at which kernels are compared, as shares of the least that the t-test sees.

Even the greatest is a seventh smaller, because one more test costs something too."""

SPLITS = 200
"""Ways to split the samples of a row that are drawn where not all are looked at."""

_ALL = 1000
"""Ways to split up to which all are looked at."""

MANY = 100
"""Splits from which on they alone show how the test behaves without a change."""

_CARE = 1.0
"""Standard errors added to a share of splits."""

_WIDEST = 400
"""Samples of a row up to which all pairwise differences are formed."""


@dataclass(frozen=True, slots=True)
class Tested:
    """p-values of rows before calibration: ``seen``, and of ``split`` samples (rows × splits)."""

    seen: Floats
    split: Floats


def splits(first: int, second: int) -> Floats:
    """Ways to deal ``first + second`` samples into two releases: splits × samples, 1 is second.

    All of them where they are few, else a fixed choice. Of two that only swap the
    releases one is enough where both have as many.
    """
    size = first + second
    if math.comb(size, second) <= _ALL:
        chosen = list(itertools.combinations(range(size), second))
        if first == second:
            chosen = chosen[: len(chosen) // 2]
    else:
        random = np.random.default_rng(20040212)
        chosen = [tuple(random.permutation(size)[:second].tolist()) for _ in range(SPLITS)]
    out = np.zeros((len(chosen), size))
    for i, members in enumerate(chosen):
        out[i, list(members)] = 1.0
    return out


def scored(first: int, second: int) -> bool:
    """Return whether so many samples a side are tested by scores besides the t-test."""
    ways = math.comb(first + second, second)
    ways = SPLITS if ways > _ALL else ways // 2 if first == second else ways
    return ways >= MANY and first + second <= _WIDEST


def deal_rows(
    rows: Sequence[ScaledRow], families: Sequence[str], priors: dict[str, Prior], between: Floats
) -> Tested:
    """Test rows that all have as many samples on each side as one another.

    ``priors`` says for each family how the samples scatter, ``between`` for each row what
    share of that a release's own level adds.
    """
    small, large = (len(rows[0].old.values), len(rows[0].new.values))
    swap = small > large
    if swap:
        small, large = large, small
    values = np.empty((len(rows), small + large))
    truth = np.zeros((len(rows), small + large))
    for i, row in enumerate(rows):
        one, two = (row.new, row.old) if swap else (row.old, row.new)
        both = np.array([*one.values, *two.values])
        # In order of size, so that nothing depends on the order of the runs.
        order = np.lexsort((np.arange(both.size) >= small, both))
        values[i] = both[order]
        truth[i] = (np.arange(both.size) >= small)[order]
    values = values - values.mean(axis=1, keepdims=True)
    if math.comb(small + large, small) > _ALL:
        # Each row is dealt its own way: the same ranks in all rows would be one draw.
        random = np.random.default_rng(1936)
        for i in np.lexsort(values.T):
            turn = random.permutation(small + large)
            values[i], truth[i] = values[i][turn], truth[i][turn]
    ways = splits(small, large)
    names = np.array(families)
    past = np.array([[r.squares - r.old.squares - r.new.squares for r in rows]]).T
    worth = np.array([[r.freedom - r.old.freedom - r.new.freedom for r in rows]]).T
    rounding = np.array([[r.rounding for r in rows]]).T
    sizes = (small, large)
    plain = _t_test(values, truth, ways, sizes, between)
    seen, split = plain.p(names, priors, past, worth, rounding)
    if not scored(small, large):
        return Tested(seen, split)
    exact = rounding[:, 0] == 0
    for name in dict.fromkeys(families):
        mine = (names == name) & exact
        if not mine.any():
            continue
        scale = _scale(values[mine], truth[mine])
        best = best_kernel(values[mine], truth[mine], sizes)
        for kernel in (MILD,) if best is None else (MILD, best):
            scores = _scores(values[mine], kernel, scale)
            test = _t_test(scores, truth[mine], ways, sizes, between[mine])
            none = np.zeros((int(mine.sum()), 1))
            more_seen, more_split = test.p(names[mine], {}, none, none, none)
            seen[mine] = np.minimum(seen[mine], more_seen)
            split[mine] = np.minimum(split[mine], more_split)
    return Tested(seen, split)


@dataclass(frozen=True, slots=True)
class _Test:
    """Shifts and squares within releases, in the first column as seen, then for each split."""

    shift: Floats
    squares: Floats
    sizes: tuple[int, int]
    between: Floats

    def p(
        self,
        names: np.ndarray[tuple[int], np.dtype[np.str_]],
        priors: dict[str, Prior],
        past: Floats,
        worth: Floats,
        rounding: Floats,
    ) -> tuple[Floats, Floats]:
        """Two-sided p-values as seen and for each split, by moderated t."""
        from scipy import special

        own = float(sum(self.sizes) - 2)
        variance = np.empty_like(self.squares)
        freedom = np.empty((len(names), 1))
        for name in np.unique(names):
            mine = names == name
            given = priors.get(str(name))
            if given is None:
                first = self.squares[mine, 0]
                given = prior(first, np.full(first.shape, own))
            squares = self.squares[mine] + past[mine]
            variance[mine], freedom[mine] = given.with_own(squares, own + worth[mine])
        ends = np.full((len(names), self.shift.shape[1]), sum(1 / n for n in self.sizes))
        ends[:, 0] += 2 * self.between
        t = ratio(self.shift, np.sqrt((variance + rounding) * ends))
        p = 2 * special.stdtr(np.maximum(freedom, 1e-9), -np.abs(t))
        return p[:, 0], p[:, 1:]


def ratio(shift: Floats, error: Floats) -> Floats:
    """Shift over its error: 0 where nothing shifted, at most 1e9."""
    still = np.abs(shift) <= EQUAL
    return np.where(still, 0.0, shift / np.maximum(error, np.abs(shift) * 1e-9 + EQUAL * 1e-9))


def _t_test(
    values: Floats, truth: Floats, ways: Floats, sizes: tuple[int, int], between: Floats
) -> _Test:
    values = values - values.mean(axis=1, keepdims=True)
    inverse = 1 / sizes[0] + 1 / sizes[1]
    second = np.concatenate([(values * truth).sum(axis=1, keepdims=True), values @ ways.T], axis=1)
    squares = (values**2).sum(axis=1, keepdims=True) - second**2 * inverse
    return _Test(second * inverse, np.maximum(squares, 0.0), sizes, between)


def _scale(values: Floats, truth: Floats) -> float:
    """The scatter of a family's samples about their side's median, robust, at least EQUAL."""
    parts = []
    for side in (0.0, 1.0):
        one = np.where(truth == side, values, np.nan)
        parts.append(np.abs(one - np.nanmedian(one, axis=1, keepdims=True)).ravel())
    away = np.concatenate(parts)
    away = away[~np.isnan(away)]
    middle = 1.4826 * float(np.median(away))
    return max(middle, EQUAL) if middle > EQUAL else max(float(np.sqrt((away**2).mean())), EQUAL)


def _scores(values: Floats, kernel: Kernel, scale: float) -> Floats:
    """Each sample's sum of the kernel over its differences from all samples of its row."""
    out = np.empty_like(values)
    step = max(1, 2_000_000 // values.shape[1] ** 2)
    for start in range(0, len(values), step):
        part = values[start : start + step] / scale
        out[start : start + step] = kernel(part[:, :, None] - part[:, None, :]).mean(axis=2)
    return out


def best_kernel(values: Floats, truth: Floats, sizes: tuple[int, int]) -> Kernel | None:
    """The kernel that sees the smallest shift, ``None`` where the t-test sees about as small ones.

    A shift is seen once the mean of the kernel over all pairs, one of each shifted, is as many
    standard errors of the samples' scores as a test of many rows needs. Strictly local
    kernels see much smaller shifts where the samples lie in narrow modes or have far
    outliers, and lose larger ones: so the smallest that each sees is compared, not the gain
    at one size.
    """
    wanted = _EDGE * math.sqrt(sum(1 / n for n in sizes))
    # Rows evenly over those that scatter least to most, so that their order does not matter.
    count = min(len(values), max(12, 40_000 // values.shape[1] ** 2))
    order = np.argsort(values.std(axis=1), kind="stable")
    some = values[order[np.linspace(0, len(values) - 1, count).astype(int)]]
    some = some / _scale(values, truth)
    pairs = some[:, :, None] - some[:, None, :]
    plain = wanted * float(np.median(some.std(axis=1)))
    errors = [np.sqrt((kernel(pairs).mean(axis=2) ** 2).mean(axis=1)) for kernel in KERNELS]
    for share in _SHARES:
        best, most = None, wanted
        for kernel, error in zip(KERNELS, errors, strict=True):
            moved = kernel(pairs + share * plain).mean(axis=(1, 2))
            seen = float(np.median(moved / np.maximum(error, EQUAL)))
            if seen >= most:
                best, most = kernel, seen
        if best is not None:
            return best
    return None


def calibrated(tests: Sequence[Tested], careful: bool) -> list[Floats]:
    """p-values as the samples themselves show them when releases are dealt at random.

    The share of all splits of all rows with a p-value as small, and a standard error more,
    because the splits are a sample too; in the tail where they are few, the p-value is
    stretched as at the edge of it. Rows that differ clearly are left out of the splits.
    ``careful`` takes the greater of both p-values.

    Pooling over rows keeps the expected number of false alarms whatever the shape of
    each row's noise is. Source: J. D. Storey and R. Tibshirani, "Statistical
    significance for genomewide studies", PNAS 100 (2003) 9440-9445; leaving out the
    rows that differ: Y. Xie, W. Pan, A. B. Khodursky, Bioinformatics 21 (2005) 4280-4288.
    """
    null = np.sort(np.concatenate([t.split[t.seen > 0.01].ravel() for t in tests]))
    if null.size < 50:
        return [t.seen for t in tests]
    edge = min(max(10, null.size // 10_000), null.size - 1)
    stretch = float(_bound(np.array(edge + 1.0), null.size) / max(null[edge], 1e-300))
    out = []
    for test in tests:
        count = np.searchsorted(null, test.seen * (1 + 1e-6), side="right").astype(float)
        p = np.where(count > edge, _bound(count, null.size), test.seen * stretch)
        p = np.minimum(p, 1.0)
        out.append(np.maximum(p, test.seen) if careful else p)
    return out


def _bound(count: Floats, size: int) -> Floats:
    """A share of which ``count`` of ``size`` were seen, with ``_CARE`` standard errors more."""
    bound: Floats = (count + _CARE * np.sqrt(count) + 1) / size
    return bound

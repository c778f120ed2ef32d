"""The figures of one row on a relative scale, from samples or from published ranges.

Everything is relative: figures of one sign are taken as logarithms, so that a
difference of two is the logarithm of their ratio; rows with zeros or both signs are
divided by their greatest figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EQUAL = 1e-9
"""Relative figures closer than this are one figure that was rounded twice."""


@dataclass(frozen=True, slots=True)
class Side:
    """Figures of one release for one row, in one unit.

    ``low`` and ``high`` are the least and the greatest figure. ``count`` is the number of runs,
    ``None`` where a range was published without it. ``samples`` has a figure of each run, and is empty
    where there is one run or they are not known; ``inner`` is the relative variance of one run's mean
    by its own samples. ``step`` is the distance of two
    neighbouring figures with as many decimals as were printed, 0 where that is not known.
    """

    mean: float
    low: float | None = None
    high: float | None = None
    count: int | None = None
    samples: tuple[float, ...] = ()
    step: float = 0.0
    inner: float = 0.0


@dataclass(frozen=True, slots=True)
class ScaledSide:
    """Figures of one release on the row's relative scale.

    ``squares`` is the sum of squared deviations, worth ``freedom`` degrees of freedom.
    ``count`` is the number of figures behind ``at``; where that was not published, the
    least number that the range allows. ``counted`` says whether it was.
    """

    at: float
    count: int
    squares: float = 0.0
    freedom: float = 0.0
    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 0.0
    counted: bool = True

    def moved(self, by: float) -> ScaledSide:
        """The same figures elsewhere on the scale."""
        if not by:
            return self
        values = tuple(value + by for value in self.values)
        return replace(self, at=self.at + by, values=values, low=self.low + by, high=self.high + by)


@dataclass(frozen=True, slots=True)
class ScaledRow:
    """One row on its relative scale: both releases, and the other releases.

    ``logs`` says that the scale is logarithmic. ``unit`` is, for a scale that is not,
    the size of the old figure on it. ``step`` is the least step between figures where
    some repeat exactly, which shows that they are rounded, else 0.
    """

    old: ScaledSide
    new: ScaledSide
    past: tuple[ScaledSide, ...]
    logs: bool
    unit: float
    step: float
    repeats: int

    @property
    def shift(self) -> float:
        """New against old: the logarithm of the ratio, or the scaled difference."""
        return self.new.at - self.old.at

    @property
    def squares(self) -> float:
        """Squared deviations within releases, summed."""
        return self.old.squares + self.new.squares + sum(p.squares for p in self.past)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of :attr:`squares`."""
        return self.old.freedom + self.new.freedom + sum(p.freedom for p in self.past)

    @property
    def rounding(self) -> float:
        """The variance that the step adds, as if it were due about once in all figures seen."""
        return self.step**2 / (self.repeats + 2)

    def without(self, shift: float, past: Sequence[float]) -> ScaledRow:
        """The row with a shift of NEW, and of each earlier release, taken out."""
        before = [side.moved(-by) for side, by in zip(self.past, past, strict=True)]
        return replace(self, new=self.new.moved(-shift), past=tuple(before))

    def residuals(self) -> Floats:
        """Return what each middle one of three releases in order departs from the median of the three.

        A lasting change leaves none, so that what was improved is not taken for noise.
        """
        at = np.array([p.at for p in self.past])
        if at.size < 3:
            return np.zeros(0)
        middle: Floats = np.median(np.stack([at[:-2], at[1:-1], at[2:]]), axis=0)
        return at[1:-1] - middle


def scaled(old: Side, new: Side, history: Sequence[Side] = ()) -> ScaledRow:
    """The figures of one row, brought to its relative scale."""
    sides = (old, new, *history)
    every = np.array([v for side in sides for v in _figures(side)])
    logs = bool((every > 0).all() or (every < 0).all())
    top = float(np.abs(every).max()) or 1.0
    log_top = math.log(top)

    def onto(value: float) -> float:
        return math.log(abs(value)) - log_top if logs else value / top

    scaled_sides = [_scaled_side(side, onto) for side in sides]
    unit = 1.0 if logs else abs(old.mean) / top
    figures = np.sort([onto(v) for side in sides for v in (side.samples or (side.mean,))])
    gaps = np.diff(figures)
    real = gaps[gaps > EQUAL]
    tied = real.size < gaps.size and real.size > 0
    return ScaledRow(
        scaled_sides[0],
        scaled_sides[1],
        tuple(scaled_sides[2:]),
        logs,
        unit,
        float(real.min()) if tied else 0.0,
        int(figures.size),
    )


def _figures(side: Side) -> tuple[float, ...]:
    ends = tuple(v for v in (side.low, side.high) if v is not None)
    return side.samples or (side.mean, *ends)


def _scaled_side(side: Side, onto: Callable[[float], float]) -> ScaledSide:
    if len(side.samples) == 1:
        at = onto(side.samples[0])
        return ScaledSide(at, 1, values=(at,), low=at, high=at)
    if side.samples:
        # Sorted, so that sums do not depend on the order of the runs.
        values = np.array(sorted(onto(v) for v in side.samples))
        at = float(values.mean())
        squares = float(((values - at) ** 2).sum())
        size = values.size
        low, high = float(values[0]), float(values[-1])
        if high - low <= EQUAL:
            at, squares = (low + high) / 2, 0.0
        return ScaledSide(at, size, squares, size - 1.0, tuple(values.tolist()), low, high)
    at = onto(side.mean)
    if side.low is None or side.high is None or side.count == 1:
        return ScaledSide(at, 1, low=at, high=at)
    low, high = sorted((onto(side.low), onto(side.high)))
    width = high - low
    counted = side.count is not None
    if side.count is not None:
        count = max(side.count, 2)
    elif width <= EQUAL:
        return ScaledSide(at, 1, low=low, high=high, counted=False)
    else:
        middle = (side.low / 2 + side.high / 2) if side.low != side.high else side.mean
        near = abs(onto(side.mean) - onto(middle)) if middle else abs(at)
        count = 2 if near <= 1e-3 * width else 3
    freedom = 0.9 * (count - 1)
    spread = width / range_width(min(count, 100))
    return ScaledSide(at, count, spread**2 * freedom, freedom, (), low, high, counted)


@lru_cache(maxsize=128)
def range_width(count: int) -> float:
    """The mean range of ``count`` standard normal figures, in standard deviations.

    Source: L. H. C. Tippett, "On the extreme individuals and the range of samples taken
    from a normal population", Biometrika 17 (1925) 364-387: the integral over x of
    1 - F(x)**count - (1 - F(x))**count. Two figures give 1.128, five 2.326, ten 3.078.
    """
    from scipy import special

    x = np.linspace(-9.0, 9.0, 4001)
    below = special.ndtr(x)
    inside = 1 - below**count - (1 - below) ** count
    return float(inside.sum() * (x[1] - x[0]))

"""The figures of one row on a relative scale, from samples or from published ranges.

Everything is relative: figures of one sign are taken as logarithms, so that a
difference of two is the logarithm of their ratio; rows with zeros or both signs are
divided by their greatest figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

EQUAL = 1e-9
"""Relative figures closer than this are one figure that was rounded twice."""


class Figures(Protocol):
    """What is read of one release's row; see :class:`perfguide.stats.Side`."""

    @property
    def mean(self) -> float: ...  # noqa: D102
    @property
    def low(self) -> float | None: ...  # noqa: D102
    @property
    def high(self) -> float | None: ...  # noqa: D102
    @property
    def count(self) -> int | None: ...  # noqa: D102
    @property
    def samples(self) -> tuple[float, ...]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Place:
    """Where one release's figures lie on the row's relative scale.

    ``squares`` is the sum of squared deviations, worth ``freedom`` degrees of freedom.
    ``count`` is the number of figures behind ``at``; where that was not published, the
    least number that the range allows. ``known`` says whether it was.
    """

    at: float
    count: int
    squares: float = 0.0
    freedom: float = 0.0
    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 0.0
    known: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One row on its relative scale: both releases, and the other releases.

    ``logs`` says that the scale is logarithmic. ``unit`` is, for a scale that is not,
    the size of the old figure on it. ``step`` is the least step between figures where
    some repeat exactly, which shows that they are rounded, else 0.
    """

    old: Place
    new: Place
    past: tuple[Place, ...]
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

    def residuals(self) -> Floats:
        """What each middle one of three releases in order departs from the median of the three.

        A lasting change leaves none, so that what was improved is not taken for noise.
        """
        at = np.array([p.at for p in self.past])
        if at.size < 3:
            return np.zeros(0)
        middle: Floats = np.median(np.stack([at[:-2], at[1:-1], at[2:]]), axis=0)
        return at[1:-1] - middle


def scaled(old: Figures, new: Figures, history: Sequence[Figures] = ()) -> Row:
    """The figures of one row, brought to its relative scale."""
    sides = (old, new, *history)
    every = np.array([v for side in sides for v in _figures(side)])
    logs = bool((every > 0).all() or (every < 0).all())
    top = float(np.abs(every).max()) or 1.0
    log_top = math.log(top)

    def onto(value: float) -> float:
        return math.log(abs(value)) - log_top if logs else value / top

    places = [_place(side, onto) for side in sides]
    unit = 1.0 if logs else abs(old.mean) / top
    shown = np.sort([onto(v) for side in sides for v in (side.samples or (side.mean,))])
    gaps = np.diff(shown)
    real = gaps[gaps > EQUAL]
    tied = real.size < gaps.size and real.size > 0
    return Row(
        places[0],
        places[1],
        tuple(places[2:]),
        logs,
        unit,
        float(real.min()) if tied else 0.0,
        int(shown.size),
    )


def _figures(side: Figures) -> tuple[float, ...]:
    known = tuple(v for v in (side.low, side.high) if v is not None)
    return side.samples or (side.mean, *known)


class _Scale(Protocol):
    def __call__(self, value: float) -> float: ...


def _place(side: Figures, onto: _Scale) -> Place:
    if len(side.samples) == 1:
        at = onto(side.samples[0])
        return Place(at, 1, values=(at,), low=at, high=at)
    if side.samples:
        # Sorted, so that sums do not depend on the order of the runs.
        values = np.array(sorted(onto(v) for v in side.samples))
        at = float(values.mean())
        squares = float(((values - at) ** 2).sum())
        size = values.size
        low, high = float(values[0]), float(values[-1])
        if high - low <= EQUAL:
            at, squares = (low + high) / 2, 0.0
        return Place(at, size, squares, size - 1.0, tuple(values.tolist()), low, high)
    at = onto(side.mean)
    if side.low is None or side.high is None or side.count == 1:
        return Place(at, 1, low=at, high=at)
    low, high = sorted((onto(side.low), onto(side.high)))
    width = high - low
    known = side.count is not None
    if side.count is not None:
        count = max(side.count, 2)
    elif width <= EQUAL:
        return Place(at, 1, low=low, high=high, known=False)
    else:
        middle = (side.low / 2 + side.high / 2) if side.low != side.high else side.mean
        near = abs(onto(side.mean) - onto(middle)) if middle else abs(at)
        count = 2 if near <= 1e-3 * width else 3
    freedom = 0.9 * (count - 1)
    spread = width / range_width(min(count, 100))
    return Place(at, count, spread**2 * freedom, freedom, (), low, high, known)


@lru_cache(maxsize=128)
def range_width(count: int) -> float:
    """The mean range of ``count`` standard normal figures, in standard deviations.

    Source: L. H. C. Tippett, "On the extreme individuals and the range of samples taken
    from a normal population", Biometrika 17 (1925) 364-387: the integral over x of
    1 - F(x)**count - (1 - F(x))**count. Two figures give 1.128, five 2.326, ten 3.078.
    """
    x = np.linspace(-9.0, 9.0, 4001)
    below = special.ndtr(x)
    inside = 1 - below**count - (1 - below) ** count
    return float(inside.sum() * (x[1] - x[0]))

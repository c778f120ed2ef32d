"""The figures of one row, by release and run, on a scale on which their noise is uniform.

A run is a bundle: one boot, one build, one temperature. A single figure is a release with one run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .successive_differences import Ratio, successive_ratio

Floats = NDArray[np.float64]

EQUAL = 1e-9
"""Scaled figures closer than this count as equal: they differ only by rounding."""

MAX_RELEASES = 28
"""The noise of a row is learnt from at most this many releases, the nearest ones."""

TRIMMED_SHARE = 0.1
"""The share of runs at either end that is left out of their mean."""

MAX_STEP = 0.3
"""The largest step on the scale: one digit of a figure near zero would dwarf all others."""


@dataclass(frozen=True, slots=True)
class Side:
    """The figures of one row in one release, in one unit.

    ``low`` and ``high`` are the smallest and the largest figure. ``count`` is the number of runs,
    ``None`` if a range was published without it. ``samples`` has a figure for each run, and is
    empty if there is only one or they are unknown; ``inner`` is the relative variance of one run's
    mean, from its own samples. ``step`` is the unit of the last printed decimal, 0 if unknown.
    """

    mean: float
    low: float | None = None
    high: float | None = None
    count: int | None = None
    samples: tuple[float, ...] = ()
    step: float = 0.0
    inner: float = 0.0

    @property
    def runs(self) -> int:
        """The number of runs whose figures are known."""
        return len(self.samples) or 1

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest sample if known, else the figure twice."""
        if self.low is None or self.high is None:
            return self.mean, self.mean
        return self.low, self.high

    @property
    def has_range(self) -> bool:
        """True if the figure is the mean of differing samples."""
        return self.ends[0] < self.ends[1]

    @property
    def width(self) -> float:
        """The range as a share of the figure."""
        return (self.ends[1] - self.ends[0]) / abs(self.mean) if self.mean else 0.0


@dataclass(frozen=True, slots=True)
class Release:
    """The runs of one release: their mean, their number, the sum of their squared deviations from
    the mean, and the ratio that shows whether they drift."""

    at: float
    runs: int = 1
    squares: float = 0.0
    order: Ratio | None = None


@dataclass(frozen=True, slots=True)
class ScaledRow:
    """A row on its scale, with releases in order; the last of ``past`` is OLD.

    ``rounding`` is the variance that printed digits add to a figure, and ``step`` the distance
    between neighbouring figures. ``inner`` is the variance of one run's mean, from its own samples.
    ``key`` is benchmark and metric; ``upward`` is 1 if more is better, -1 if less is, else 0.
    ``logs`` is true if the scale is logarithmic. ``shared`` names the groups that the row may have
    moved with, widest first. ``later`` are releases after NEW, if looking ahead is allowed.
    """

    past: tuple[Release, ...]
    new: Release
    key: tuple[str, str]
    rounding: float = 0.0
    step: float = 0.0
    inner: float = 0.0
    upward: int = 0
    logs: bool = True
    shared: tuple[str, ...] = ()
    later: tuple[Release, ...] = ()

    @property
    def old(self) -> Release:
        """The older one of the two releases compared."""
        return self.past[-1]

    @property
    def sampled(self) -> bool:
        """True if the row's own runs show how they scatter."""
        return runs_scatter(self.old.runs, self.new.runs)

    @property
    def move(self) -> float:
        """NEW minus OLD."""
        return self.new.at - self.old.at

    def without(self, shift: float, earlier: Sequence[float] = ()) -> ScaledRow:
        """Return the row with ``shift`` subtracted from NEW and later releases, and ``earlier``,
        latest first, from the releases before OLD."""
        past = list(self.past)
        for back, by in enumerate(earlier[: len(past) - 1], start=2):
            past[-back] = _moved(past[-back], -by)
        later = tuple(_moved(release, -shift) for release in self.later)
        return replace(self, past=tuple(past), new=_moved(self.new, -shift), later=later)


def runs_scatter(old: int, new: int) -> bool:
    """Return whether this many runs of two releases show their scatter; one and two hardly do."""
    return old + new > 3 or max(old, new) > 2


def _moved(release: Release, by: float) -> Release:
    return replace(release, at=release.at + by) if by else release


def scaled_row(
    before: Sequence[Side],
    new: Side,
    later: Sequence[Side],
    load: bool,
    step: float,
    key: tuple[str, str],
    upward: int,
    shared: tuple[str, ...],
) -> ScaledRow:
    """Return a row from its figures; the last of ``before`` is OLD. ``step`` is the resolution of
    its program, in the row's unit, or 0."""
    before, later = before[-MAX_RELEASES:], later[:MAX_RELEASES]
    sides = [*before, new, *later]
    # Runs are sorted, so that no sum depends on their order.
    figures = [sorted(side.samples) or [side.mean] for side in sides]
    orders = [successive_ratio(side.samples) for side in sides]
    values, logs = scale([figure for of_side in figures for figure in of_side], load)
    ends = np.cumsum([len(of_side) for of_side in figures])[:-1]
    releases = tuple(map(_release, np.split(values, ends), orders))
    # The step is learnt from releases up to OLD, as NEW is under test.
    printed = [side.step for side in before if side.step > 0]
    digit = max(step, min(printed, default=0.0))
    smaller = min(abs(before[-1].mean), abs(new.mean))
    if logs:
        # From the smaller figure, which may itself be less than a digit, to one digit above it.
        distance = math.log1p(digit / smaller)
    elif load and 0 <= smaller <= 100:
        around = np.sqrt(np.minimum([smaller, smaller + digit], 100.0) / 100)
        distance = float(np.diff(np.arcsin(around))[0])
    else:
        distance = digit / (max(abs(figure) for of_side in figures for figure in of_side) or 1.0)
    count = len(before)
    return ScaledRow(
        releases[:count],
        releases[count],
        key,
        # The variance of a uniform distribution over one step.
        max(min(distance, MAX_STEP) ** 2 / 12, _rounding_of_runs(figures, values)),
        distance,
        # This is the variance of logs, which has no meaning on other scales.
        max(before[-1].inner, new.inner) if logs else 0.0,
        upward if logs else 0,
        logs,
        shared,
        releases[count + 1 :],
    )


def scale(figures: Sequence[float], load: bool) -> tuple[Floats, bool]:
    """Return figures on a scale on which their noise is uniform, and whether it is logarithmic.

    Loads, in per cent, become the arcsine of the square root of their share; figures that are zero
    or of both signs are divided by the one of largest magnitude.
    """
    values = np.array(figures, dtype=float)
    # A load may be reported as 101 %, which has no arcsine.
    if load and values.min() >= 0 and values.max() <= 100:
        return np.arcsin(np.sqrt(values / 100)), False
    if (values > 0).all() or (values < 0).all():
        # Noise of rates and times is proportional to the figure.
        return np.log(np.abs(values)), True
    return values / (float(np.abs(values).max()) or 1.0), False


def _release(values: Floats, order: Ratio | None) -> Release:
    """Combine the runs of a release, given in ascending order.

    With ten or more runs the mean is trimmed, because a disturbed run may be far off. Source: K. K.
    Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 61 (1974) 165-170.
    """
    if values.size == 1:
        return Release(float(values[0]))
    if abs(values[-1] - values[0]) <= EQUAL:
        return Release(float(values[0] + values[-1]) / 2, values.size)
    count, cut = values.size, int(TRIMMED_SHARE * values.size)
    kept = values[cut : count - cut]
    # Trimmed runs count as the outermost of those kept (Yuen 1974).
    clipped = values.clip(kept[0], kept[-1])
    squares = float(((clipped - clipped.mean()) ** 2).sum())
    # Scaled so that squares / (count - 1) / count is the variance of the trimmed mean.
    squares *= count * (count - 1) / (kept.size * (kept.size - 1))
    return Release(float(kept.mean()), count, squares, order)


def _rounding_of_runs(figures: Sequence[Sequence[float]], values: Floats) -> float:
    """Return the variance that rounding adds if some runs are exactly equal, else 0.

    It is that of one smallest step between figures, spread over all figures.
    """
    if max(map(len, figures)) < 2:
        return 0.0
    gaps = np.diff(np.sort(values))
    steps = gaps[gaps > EQUAL]
    if not steps.size or steps.size == gaps.size:
        return 0.0
    return float(steps.min()) ** 2 / (values.size + 2)

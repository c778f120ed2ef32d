"""The figures of one row on a scale on which their noise is alike, by release and run.

A run is a bundle: one boot, one build, one temperature. A single figure is a release of one run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .order import Ratio, successive_ratio

Floats = NDArray[np.float64]

EQUAL = 1e-9
"""Relative figures closer than this are one figure that was rounded twice."""

MAX_RELEASES = 28
"""Releases, the nearest ones, from which the noise of a row is learnt."""

TRIMMED_SHARE = 0.1
"""The share of runs at each end that their mean leaves out."""

MAX_STEP = 0.3
"""The largest step on a scale that counts: one digit of a figure near zero is beyond all others."""


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

    @property
    def runs(self) -> int:
        """Return the number of runs whose figures are known."""
        return len(self.samples) or 1

    @property
    def ends(self) -> tuple[float, float]:
        """Return the least and the greatest sample as far as they are known, else the figure twice."""
        if self.low is None or self.high is None:
            return self.mean, self.mean
        return self.low, self.high

    @property
    def has_range(self) -> bool:
        """Return whether it is the mean of samples that differ."""
        return self.ends[0] < self.ends[1]

    @property
    def width(self) -> float:
        """Return the range over the figure."""
        return (self.ends[1] - self.ends[0]) / abs(self.mean) if self.mean else 0.0


@dataclass(frozen=True, slots=True)
class Release:
    """The runs of one release: their mean, their number and their squared deviations from it, and
    the ratio that says whether they drift."""

    at: float
    runs: int = 1
    squares: float = 0.0
    order: Ratio | None = None


@dataclass(frozen=True, slots=True)
class ScaledRow:
    """A row on its scale: releases in order, the last of ``past`` is OLD, then NEW.

    ``rounding`` is the variance that printed digits add to a figure, ``step`` the distance of two
    neighbouring ones. ``inner`` is the variance of one run's mean by its own samples. ``key`` is
    benchmark and metric, ``upward`` 1 where more is better, -1 where less is, else 0. ``logs`` says
    that the scale is logarithmic. ``shared`` names what the row may have moved with, the widest
    first. ``later`` are releases after NEW, where they may be looked at.
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
        """Return the older release of the two that are compared."""
        return self.past[-1]

    @property
    def sampled(self) -> bool:
        """Return whether its own runs show how they scatter."""
        return runs_scatter(self.old.runs, self.new.runs)

    @property
    def move(self) -> float:
        """Return NEW against OLD."""
        return self.new.at - self.old.at

    def without(self, shift: float, earlier: Sequence[float] = ()) -> ScaledRow:
        """Return the row with a shift of NEW and of what follows it taken out, and with those of the
        latest releases before OLD."""
        past = list(self.past)
        for back, by in enumerate(earlier[: len(past) - 1], start=2):
            past[-back] = _moved(past[-back], -by)
        later = tuple(_moved(release, -shift) for release in self.later)
        return replace(self, past=tuple(past), new=_moved(self.new, -shift), later=later)


def runs_scatter(old: int, new: int) -> bool:
    """Return whether so many runs of two releases show how they scatter: one beside two hardly do."""
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
    """Return a row from its figures; the last of ``before`` is OLD. ``step`` is what its
    program counts in, in the row's unit, or 0."""
    before, later = before[-MAX_RELEASES:], later[:MAX_RELEASES]
    sides = [*before, new, *later]
    # Runs in order of size, so that no sum depends on their order.
    figures = [sorted(side.samples) or [side.mean] for side in sides]
    orders = [successive_ratio(side.samples) for side in sides]
    values, logs = scale([figure for own in figures for figure in own], load)
    ends = np.cumsum([len(own) for own in figures])[:-1]
    releases = tuple(map(_release, np.split(values, ends), orders))
    # Printed digits are those of earlier releases: the pair under test does not choose them.
    printed = [side.step for side in before if side.step > 0]
    digit = max(step, min(printed, default=0.0))
    smaller = min(abs(before[-1].mean), abs(new.mean))
    if logs:
        # One digit more than the smaller figure, which may itself be less than a digit.
        distance = math.log1p(digit / smaller)
    elif load and 0 <= smaller <= 100:
        around = np.sqrt(np.minimum([smaller, smaller + digit], 100.0) / 100)
        distance = float(np.diff(np.arcsin(around))[0])
    else:
        distance = digit / (max(abs(figure) for own in figures for figure in own) or 1.0)
    count = len(before)
    return ScaledRow(
        releases[:count],
        releases[count],
        key,
        # The variance of figures spread evenly over one step.
        max(min(distance, MAX_STEP) ** 2 / 12, _rounding_of_runs(figures, values)),
        distance,
        # Samples are taken as logarithms, which no other scale can use.
        max(before[-1].inner, new.inner) if logs else 0.0,
        upward if logs else 0,
        logs,
        shared,
        releases[count + 1 :],
    )


def scale(figures: Sequence[float], load: bool) -> tuple[Floats, bool]:
    """Return figures on the scale on which their noise is alike, and whether that is logarithmic.

    Loads, in per cent, are taken as the arcsine of the root of the share; figures with zeros or of both
    signs are divided by the greatest.
    """
    values = np.array(figures, dtype=float)
    # A meter may show 101 %, for which there is no arcsine.
    if load and values.min() >= 0 and values.max() <= 100:
        return np.arcsin(np.sqrt(values / 100)), False
    if (values > 0).all() or (values < 0).all():
        # Noise of rates and times is proportional to the figure.
        return np.log(np.abs(values)), True
    return values / (float(np.abs(values).max()) or 1.0), False


def _release(values: Floats, order: Ratio | None) -> Release:
    """Return the runs of a release, in order of size, as one value.

    The mean leaves out the outer ones of ten and more, as one run that was disturbed may be far off.
    Source: K. K. Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 61
    (1974) 165-170.
    """
    if values.size == 1:
        return Release(float(values[0]))
    if abs(values[-1] - values[0]) <= EQUAL:
        return Release(float(values[0] + values[-1]) / 2, values.size)
    count, cut = values.size, int(TRIMMED_SHARE * values.size)
    kept = values[cut : count - cut]
    # Runs that the mean leaves out count as the outermost of those that it has (Yuen 1974).
    clipped = values.clip(kept[0], kept[-1])
    squares = float(((clipped - clipped.mean()) ** 2).sum())
    # So that squares / (count - 1) / count is the variance of the trimmed mean.
    squares *= count * (count - 1) / (kept.size * (kept.size - 1))
    return Release(float(kept.mean()), count, squares, order)


def _rounding_of_runs(figures: Sequence[Sequence[float]], values: Floats) -> float:
    """Return the variance that rounding adds where runs repeat exactly; 0 where none do.

    The least step between figures counts as if it were due about once in all figures seen.
    """
    if max(map(len, figures)) < 2:
        return 0.0
    gaps = np.diff(np.sort(values))
    steps = gaps[gaps > EQUAL]
    if not steps.size or steps.size == gaps.size:
        return 0.0
    return float(steps.min()) ** 2 / (values.size + 2)

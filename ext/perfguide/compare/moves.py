"""The move of a row against its present level, and how likely it is without a change."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from .noise import Noise
from .relative import EQUAL, Release, ScaledRow

MAX_LEVEL_RELEASES = 8
"""Releases at most from which the present level is taken."""

LEVEL_DEVIATIONS = 2.5
"""Standard deviations that a release may lie off the present level and still belong to it."""

LASTING_RUNS = 3
"""Runs from which on the present level counts, and not what the row was before it."""

DIGIT = 1.001
"""A difference of one printed digit is none, however it is rounded."""


@dataclass(frozen=True, slots=True)
class Level:
    """The mean of some successive releases that agree, and its variance."""

    at: float
    variance: float
    releases: int
    runs: int


@dataclass(frozen=True, slots=True)
class Move:
    """The result of the test of one row.

    ``by`` is the level that begins with NEW against the ``level`` that ends with OLD, ``error`` its
    standard error, worth ``freedom`` degrees of freedom. ``after`` is the number of releases that
    agree with NEW, with itself. ``equal`` says that OLD and NEW are one figure, ``returned``
    that NEW lies within what the row showed before; it has to be ``beyond`` the present level by
    more to leave that.
    """

    p: float
    by: float
    error: float
    freedom: float
    level: Level
    after: int = 1
    beyond: float = 0.0
    equal: bool = False
    returned: bool = False

    def bound(self, p: float) -> float:
        """Return how far off the present level NEW is at a p-value."""
        from scipy import special

        return max(float(-special.stdtrit(self.freedom, p / 2)) * self.error, self.beyond)


def move_of(row: ScaledRow, noise: Noise) -> Move:
    """Test a row against its present level; NEW with what follows it, where that is looked at.

    NEW inside all that the row showed before is a return, and no change, unless the present
    level has lasted.
    """
    from scipy import special

    level = level_of(reversed(row.past), noise)
    after = level_of((row.new, *row.later), noise)
    by = after.at - level.at
    error = math.sqrt(level.variance + after.variance)
    # The side with fewer runs limits the certainty.
    freedom = noise.worth(min(row.old.runs, row.new.runs))
    equal = abs(row.move) <= (EQUAL if row.sampled else max(EQUAL, DIGIT * row.step))
    figures = [release.at for release in row.past]
    young = max(level.runs, after.runs) < LASTING_RUNS
    returned = young and min(figures) <= row.new.at <= max(figures)
    beyond = max(max(figures) - level.at, level.at - min(figures)) if young else 0.0
    # The levels have to differ the same way as the two releases themselves.
    unmoved = equal or returned or by * row.move <= 0
    p = 1.0 if unmoved else 2 * float(special.stdtr(freedom, -abs(by) / error))
    return Move(p, by, error, freedom, level, after.releases, beyond, equal, returned)


def level_of(releases: Iterable[Release], noise: Noise) -> Level:
    """Return the level of the first of some releases and of those after it that stay near."""
    total = weight = 0.0
    count = runs = 0
    for release in islice(releases, MAX_LEVEL_RELEASES):
        variance = noise.of_release(release.runs)
        if count and abs(release.at - total / weight) > LEVEL_DEVIATIONS * math.sqrt(variance):
            break
        total, weight = total + release.at / variance, weight + 1 / variance
        count, runs = count + 1, runs + release.runs
    return Level(total / weight, 1 / weight, count, runs)

"""The move of a row from its present level, and how likely it is if nothing changed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from .noise import Noise
from .relative import EQUAL, Release, ScaledRow

MAX_LEVEL_RELEASES = 8
"""The most releases from which the present level is taken."""

LEVEL_DEVIATIONS = 2.5
"""The most standard deviations between a release and the level that it belongs to."""

LASTING_RUNS = 3
"""The fewest runs of a level for which it replaces everything that the row showed before."""

NEAR_PART = 0.25
"""The largest part of the way from an earlier release to the present level within which NEW is back at
that release."""

DIGIT = 1.001
"""The largest difference, in printed digits, that counts as none: one digit, allowing for rounding."""


@dataclass(frozen=True, slots=True)
class Level:
    """The mean of consecutive releases that agree, and its variance."""

    at: float
    variance: float
    releases: int
    runs: int


@dataclass(frozen=True, slots=True)
class Move:
    """The result of the test of one row.

    ``by`` is the level that starts with NEW minus the ``level`` that ends with OLD, and ``error`` its
    standard error with ``freedom`` degrees of freedom. ``after`` is the number of releases in the
    level of NEW, including NEW. ``equal`` is set if OLD and NEW are the same figure, ``returned`` if
    NEW lies within the range that the row showed before, and near its ends; ``beyond`` is how far that
    range extends from the present level, 0 once a level has lasted.
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
        """Return the distance from the present level at which NEW has this p-value."""
        from scipy import special

        return max(float(-special.stdtrit(self.freedom, p / 2)) * self.error, self.beyond)


def move_of(row: ScaledRow, noise: Noise) -> Move:
    """Test NEW, with later releases if there are any, against the present level of its row.

    Unless the present level has lasted, a NEW within the range that the row showed before, or near an
    earlier level, is a return to it, not a change.
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
    slack = LEVEL_DEVIATIONS * math.sqrt(noise.of_release(row.new.runs))
    for release in row.past[: -level.releases]:
        near = min(slack, NEAR_PART * abs(release.at - level.at))
        figures += [release.at - near, release.at + near]
    young = max(level.runs, after.runs) < LASTING_RUNS
    returned = young and min(figures) <= row.new.at <= max(figures)
    beyond = max(max(figures) - level.at, level.at - min(figures)) if young else 0.0
    # The levels must differ in the same direction as the two releases themselves.
    unmoved = equal or returned or by * row.move <= 0
    p = 1.0 if unmoved else 2 * float(special.stdtr(freedom, -abs(by) / error))
    return Move(p, by, error, freedom, level, after.releases, beyond, equal, returned)


def level_of(releases: Iterable[Release], noise: Noise) -> Level:
    """Return the level of the first release and those after it, up to the first one that leaves it."""
    total = weight = 0.0
    count = runs = 0
    for release in islice(releases, MAX_LEVEL_RELEASES):
        variance = noise.of_release(release.runs)
        if count and abs(release.at - total / weight) > LEVEL_DEVIATIONS * math.sqrt(variance):
            break
        total, weight = total + release.at / variance, weight + 1 / variance
        count, runs = count + 1, runs + release.runs
    return Level(total / weight, 1 / weight, count, runs)

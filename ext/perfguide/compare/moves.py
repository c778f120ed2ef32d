"""The test of one row: how far NEW is from the present level, and how likely that is by chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from .noise import Noise
from .relative import EQUAL, Release, ScaledRow

MAX_LEVEL_RELEASES = 8
"""The most releases that make up the present level."""

LEVEL_DEVIATIONS = 2.5
"""The most standard deviations between a level and a release that belongs to it."""

LASTING_RUNS = 3
"""A level with this many runs replaces all earlier ones."""

NEAR_SHARE = 0.25
"""NEW is back at an earlier release if it is within this share of the distance from there to the
present level."""

RECENT_RELEASES = 5
"""The most releases up to OLD that show whether a figure swings, and the fewest that show that it
stepped: it may have left an older level."""

MIN_SWINGS = 2
"""The fewest moves between these releases of a figure that swings."""

MIN_SWING_SHARE = 0.5
"""The least size of each of them as a share of the present move."""

DIGIT = 1.001
"""Figures are equal if they differ by at most this many printed digits: one, for rounding."""


def swings(levels: Sequence[float], move: float) -> bool:
    """Return whether a row moves nearly as far as ``move`` anyway, given the logs of its figures up
    to OLD."""
    moves = (abs(after - before) for before, after in pairwise(levels[-RECENT_RELEASES:]))
    return sum(size >= MIN_SWING_SHARE * abs(move) for size in moves) >= MIN_SWINGS


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

    ``by`` is the level that starts with NEW minus the ``level`` that ends with OLD, and ``error``
    its standard error with ``freedom`` degrees of freedom. ``after`` is the number of releases in
    the level of NEW, including NEW. ``equal`` is true if OLD and NEW are the same figure,
    ``returned`` if NEW is within or near the range of earlier figures. ``beyond`` is the distance
    of the far end of that range from the present level, or 0 once a level has lasted.
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
        """Return the distance of NEW from the present level that has this p-value."""
        from scipy import special

        return max(float(-special.stdtrit(self.freedom, p / 2)) * self.error, self.beyond)


def move_of(row: ScaledRow, noise: Noise) -> Move:
    """Test NEW, and later releases if any, against the present level of its row.

    Unless the present level has lasted, a figure within the range of earlier ones, or near an
    earlier level, is a return to it and no change.
    """
    from scipy import special

    level = level_of(reversed(row.past), noise)
    after = level_of((row.new, *row.later), noise)
    by = after.at - level.at
    error = math.sqrt(level.variance + after.variance)
    # The side with fewer runs limits the degrees of freedom.
    freedom = noise.worth(min(row.old.runs, row.new.runs))
    equal = abs(row.move) <= (EQUAL if row.sampled else max(EQUAL, DIGIT * row.step))
    figures = [release.at for release in row.past]
    slack = LEVEL_DEVIATIONS * math.sqrt(noise.of_release(row.new.runs))
    for release in row.past[: -level.releases]:
        margin = min(slack, NEAR_SHARE * abs(release.at - level.at))
        figures += [release.at - margin, release.at + margin]
    young = max(level.runs, after.runs) < LASTING_RUNS
    returned = young and min(figures) <= row.new.at <= max(figures)
    beyond = max(max(figures) - level.at, level.at - min(figures)) if young else 0.0
    # The levels must differ in the same direction as the two releases themselves.
    unmoved = equal or returned or by * row.move <= 0
    p = 1.0 if unmoved else 2 * float(special.stdtr(freedom, -abs(by) / error))
    return Move(p, by, error, freedom, level, after.releases, beyond, equal, returned)


def level_of(releases: Iterable[Release], noise: Noise) -> Level:
    """Return the level of the first release and the next ones, up to the first one off it."""
    total = weight = 0.0
    count = runs = 0
    for release in islice(releases, MAX_LEVEL_RELEASES):
        variance = noise.of_release(release.runs)
        if count and abs(release.at - total / weight) > LEVEL_DEVIATIONS * math.sqrt(variance):
            break
        total, weight = total + release.at / variance, weight + 1 / variance
        count, runs = count + 1, runs + release.runs
    return Level(total / weight, 1 / weight, count, runs)

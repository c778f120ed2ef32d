"""Figures taken one after another: is each like the one before it, so that they drift?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

MIN_ERRORS = 4.0
"""Standard errors by which the ratio of figures that drift is off that of others at least."""

Ratio = tuple[float, int]
"""The ratio of some figures that :func:`successive_ratio` gives, and their number."""


def successive_ratio(figures: Sequence[float]) -> Ratio | None:
    """Return the squares of successive differences over those of the deviations from the mean;
    ``None`` where that says nothing of their order."""
    if len(figures) < 3:
        return None
    # All figures are 0: any divisor will do.
    largest = max(map(abs, figures)) or 1.0
    # As shares of the largest, so that no square is beyond all numbers.
    shares = [figure / largest for figure in figures]
    mean = math.fsum(shares) / len(shares)
    total = math.fsum((share - mean) ** 2 for share in shares)
    if total <= 0:
        return None
    return math.fsum((b - a) ** 2 for a, b in pairwise(shares)) / total, len(figures)


def is_smooth(ratios: Sequence[Ratio]) -> bool:
    """Return whether figures drift, by the ratios of several sets of them.

    A ratio is 2 on average, with variance 4 (n - 2) / (n² - 1), where the order of n normal figures
    means nothing. Source: J. von Neumann, "Distribution of the ratio of the mean square successive
    difference to the variance", Ann. Math. Statist. 12 (1941) 367-395. It is about 10 / (n + 2.7)
    where each is the one before it and noise (by simulation); figures drift if they are nearer to that.
    """
    away = math.fsum(2 - ratio for ratio, _ in ratios)
    half_way = math.fsum(1 - 5 / (number + 2.7) for _, number in ratios)
    error = math.sqrt(math.fsum(4 * (number - 2) / (number**2 - 1) for _, number in ratios))
    return away > max(half_way, MIN_ERRORS * error)

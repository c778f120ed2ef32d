"""Detection of drift: each of several figures in a row resembles the one before it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

MIN_ERRORS = 4.0
"""Figures drift if their ratio is this many standard errors from that of independent ones."""

Ratio = tuple[float, int]
"""A ratio from :func:`successive_ratio`, and the number of figures."""


def successive_ratio(figures: Sequence[float]) -> Ratio | None:
    """Return the ratio of the sum of squared successive differences to that of squared deviations
    from the mean, and the number of figures, or ``None`` if these say nothing about their order."""
    if len(figures) < 3:
        return None
    # If all figures are 0, any divisor will do.
    largest = max(map(abs, figures)) or 1.0
    # Take shares of the largest, so that no square overflows.
    shares = [figure / largest for figure in figures]
    mean = math.fsum(shares) / len(shares)
    total = math.fsum((share - mean) ** 2 for share in shares)
    if total <= 0:
        return None
    return math.fsum((b - a) ** 2 for a, b in pairwise(shares)) / total, len(figures)


def is_smooth(ratios: Sequence[Ratio]) -> bool:
    """Return whether figures drift, given the ratios of several sets of them.

    For n independent normal figures the ratio has mean 2 and variance 4 (n - 2) / (n² - 1). Source:
    J. von Neumann, "Distribution of the ratio of the mean square successive difference to the
    variance", Ann. Math. Statist. 12 (1941) 367-395. For a random walk it is about 10 / (n + 2.7),
    by simulation; figures drift if their ratios are closer to that.
    """
    away = math.fsum(2 - ratio for ratio, _ in ratios)
    half_way = math.fsum(1 - 5 / (number + 2.7) for _, number in ratios)
    error = math.sqrt(math.fsum(4 * (number - 2) / (number**2 - 1) for _, number in ratios))
    return away > max(half_way, MIN_ERRORS * error)

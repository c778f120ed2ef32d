"""Rates with a meaningless mean, because one of their samples is from a failed run."""

from __future__ import annotations

from ..common import units

RATES = ("data rate", "packet rate")
"""The kinds of units of rates of work, for which a figure close to 0 means a failure."""

MAX_FAILED_SHARE = 0.01
"""A sample up to this share of the largest one is from a failed run. In public history, these runs
hung or lost their link; other samples of a rate rarely differ by more than a factor of 10."""


def in_mean(unit: str, low: float | None, high: float | None) -> bool:
    """Return whether the extremes of some samples show that their mean includes a failed run."""
    if low is None or high is None or units.parse(unit).kind not in RATES:
        return False
    return 0 <= low <= MAX_FAILED_SHARE * high and high > 0

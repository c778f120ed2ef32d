"""Rates whose samples show that a run failed, so that their mean says nothing of those that did not."""

from __future__ import annotations

from ..common import units

RATES = ("data rate", "packet rate")
"""Kinds of unit of a rate at which work is done: next to none of it is no result."""

MAX_FAILED_SHARE = 0.01
"""The share of the largest sample of a rate up to which another one is of a run that failed. In public
history such samples are of runs that hung or lost their link; of other rates the range is hardly
wider than a factor of 10."""


def in_mean(unit: str, low: float | None, high: float | None) -> bool:
    """Return whether a run that failed is in the mean of some samples, by the least and the greatest."""
    if low is None or high is None or units.parse(unit).kind not in RATES:
        return False
    return 0 <= low <= MAX_FAILED_SHARE * high and high > 0

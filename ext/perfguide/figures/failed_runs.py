"""Rates whose samples include a failed run, which makes their mean meaningless."""

from __future__ import annotations

from ..common import units

RATES = ("data rate", "packet rate")
"""Kinds of unit for rates of work, where next to nothing means a failure."""

MAX_FAILED_SHARE = 0.01
"""The share of the largest sample up to which another sample comes from a failed run. In public
history such samples come from runs that hung or lost their link; otherwise samples of a rate rarely
differ by more than a factor of 10."""


def in_mean(unit: str, low: float | None, high: float | None) -> bool:
    """Return whether the extremes of some samples show that their mean includes a failed run."""
    if low is None or high is None or units.parse(unit).kind not in RATES:
        return False
    return 0 <= low <= MAX_FAILED_SHARE * high and high > 0

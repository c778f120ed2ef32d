"""Releases that repeat figures of the one before."""

from __future__ import annotations

from collections.abc import Sequence

from ..figures.pool import Cell
from .relative import Side
from .resolution import digits

MIN_CONCLUSIVE_RANGES = 10
"""The fewest ranges of a board that can show whether a release repeats the one before."""

MIN_END_DIGITS = 3
"""Ends of ranges with fewer digits may be equal by chance."""


def are_repeated(figures: Sequence[bool | None]) -> bool:
    """Return whether at least half of the figures, without ``None``, repeat an earlier release."""
    conclusive = [same for same in figures if same is not None]
    return len(conclusive) >= MIN_CONCLUSIVE_RANGES and 2 * sum(conclusive) >= len(conclusive)


def repeats(old: Side | Cell, new: Side | Cell) -> bool | None:
    """Return whether a figure contains the samples of an earlier one, or ``None`` without published
    ranges: single figures can be equal just because nothing changed."""
    # If the samples are known, runs are compared instead.
    if old.count is not None or new.count is not None:
        return None
    if old.low is None or old.high is None or new.low is None or new.high is None:
        return None
    if old.low >= old.high or max(map(digits, (new.low, new.high))) < MIN_END_DIGITS:
        return None
    holds = new.low <= old.low and old.high <= new.high
    return holds and (new.low == old.low or new.high == old.high)

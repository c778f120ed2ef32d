"""The scale of bars in tables: the figure that corresponds to a full bar."""

from __future__ import annotations

from collections.abc import Iterable

MIN_FLATTENING_RATIO = 8.0
"""The least ratio of a figure to the next smaller one at which it flattens their bars."""

MIN_FLATTENED_BARS = 2
"""If at least this many bars would be flattened, they get a scale of their own."""


def full_bar(figures: Iterable[float]) -> float:
    """Return the figure of a full bar: normally the largest, but if up to half of the figures would
    flatten the rest, the largest of the rest. Bars with a share above 1 are then drawn cut off."""
    sizes = sorted(map(abs, figures), reverse=True)
    for cut in range(1, len(sizes) // 2 + 1):
        others = sizes[cut:]
        flattens = sizes[cut - 1] >= MIN_FLATTENING_RATIO * others[0] > 0
        if flattens and len(others) >= MIN_FLATTENED_BARS:
            return others[0]
    return sizes[0] if sizes else 0.0

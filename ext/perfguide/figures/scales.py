"""The figure at which a bar is full."""

from __future__ import annotations

from collections.abc import Iterable

MIN_FLATTENING_RATIO = 8.0
"""The largest figure over the second from which it would flatten the bars of all others."""

MIN_FLATTENED_BARS = 2
"""The number of other bars from which these are worth a scale of their own."""


def full_bar(figures: Iterable[float]) -> float:
    """Return the figure of a full bar: the largest, or the second where the largest would flatten
    all others. A share above 1 is then that of a bar to be drawn cut off."""
    sizes = sorted(map(abs, figures), reverse=True)
    if not sizes:
        return 0.0
    if len(sizes) > MIN_FLATTENED_BARS and sizes[0] >= MIN_FLATTENING_RATIO * sizes[1] > 0:
        return sizes[1]
    return sizes[0]

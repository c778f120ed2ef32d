"""The figure that corresponds to a full bar."""

from __future__ import annotations

from collections.abc import Iterable

MIN_FLATTENING_RATIO = 8.0
"""The ratio of a figure to the next smaller one from which it would flatten the bars below it."""

MIN_FLATTENED_BARS = 2
"""The fewest flattened bars for which they are drawn to their own scale."""


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

"""The figure at which a bar is full."""

from __future__ import annotations

from collections.abc import Iterable

MIN_FLATTENING_RATIO = 8.0
"""The ratio of a figure to the next one from which it would flatten the bars of all below it."""

MIN_FLATTENED_BARS = 2
"""The number of other bars from which these are worth a scale of their own."""


def full_bar(figures: Iterable[float]) -> float:
    """Return the figure of a full bar: the largest, or the largest of the others where up to half of
    the figures would flatten these. A share above 1 is then that of a bar to be drawn cut off."""
    sizes = sorted(map(abs, figures), reverse=True)
    for cut in range(1, len(sizes) // 2 + 1):
        others = sizes[cut:]
        flattens = sizes[cut - 1] >= MIN_FLATTENING_RATIO * others[0] > 0
        if flattens and len(others) >= MIN_FLATTENED_BARS:
            return others[0]
    return sizes[0] if sizes else 0.0

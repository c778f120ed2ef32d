"""Free places in a panel for the names of its lines: beside their own line, on nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .canvas import Place

STEP = 2.0
"""Points between two places of a line that are looked at."""

EVERY = 5
"""A name is tried at one of so many of these places."""

AWAY = 4.0
"""Points between a name and its line."""

CLEAR = 2.0
"""Points that are kept free around a name."""

Points = NDArray[np.float64]


def beside(
    curves: Sequence[Sequence[Place]],
    bars: Sequence[tuple[Place, Place]],
    names: Sequence[tuple[int, float]],
    high: float,
    room: Place,
) -> list[Place] | None:
    """The lower left corner of each name, or ``None`` where one has no place.

    ``curves`` are the lines of a panel from (0, 0) to ``room`` in points, and ``bars`` the strokes
    at their figures. A name is the number of its line and its width; all are ``high``. It is
    where it is farthest from all lines but its own.
    """
    dense = [_dense(curve) for curve in curves]
    taken = np.concatenate([*dense, *(_dense(bar) for bar in bars)])
    out: list[Place] = []
    for number, wide in names:
        corners = _corners(dense[number][::EVERY], wide, high)
        low, top = corners - CLEAR, corners + (wide + CLEAR, high + CLEAR)
        free = (low >= 0).all(axis=1) & (top <= room).all(axis=1)
        within = (taken >= low[:, None]) & (taken <= top[:, None])
        free &= np.logical_not(np.any(np.all(within, axis=2), axis=1))
        if not free.any():
            return None
        corners = corners[free]
        middles = corners + (wide / 2, high / 2)
        others = np.concatenate([d for n, d in enumerate(dense) if n != number] or [taken])
        apart = np.linalg.norm(middles[:, None] - others, axis=2).min(axis=1)
        x, y = corners[int(apart.argmax())]
        out.append((float(x), float(y)))
        taken = np.concatenate([taken, _box(float(x), float(y), wide, high)])
    return out


def _dense(curve: Sequence[Place]) -> Points:
    """Places on a line, each near the next."""
    parts = [np.array(curve[:1], dtype=float).reshape(-1, 2)]
    for first, second in pairwise(curve):
        count = max(2, int(np.hypot(second[0] - first[0], second[1] - first[1]) / STEP) + 1)
        parts.append(np.linspace(first, second, count)[1:])
    return np.concatenate(parts)


def _corners(places: Points, wide: float, high: float) -> Points:
    """For each place of a line the corners of names on all four sides of it."""
    left, right = -AWAY - wide, AWAY
    below, above = -AWAY - high, AWAY
    sides = np.array([(right, above), (left, below), (left, above), (right, below)])
    corners: Points = places[:, None] + sides
    return corners.reshape(-1, 2)


def _box(x: float, y: float, wide: float, high: float) -> Points:
    """Places all over a name."""
    across, up = (np.arange(0, size + STEP, STEP) for size in (wide, high))
    grid: Points = np.stack(np.meshgrid(x + across, y + up), axis=-1)
    return grid.reshape(-1, 2)

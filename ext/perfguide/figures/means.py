"""Means of many short groups of figures at once, each exactly that of ``math.fsum``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

MANY = 8
"""Groups of one size from which on they are added side by side."""


def means(flat: Floats, starts: Ints, sizes: Ints) -> Floats:
    """The mean of each group of figures: ``sizes[i]`` of them, at least one, from
    ``flat[starts[i]]`` on. The sum of a group is rounded once, and so is its mean.
    """
    out = np.empty(len(starts))
    for size in np.unique(sizes).tolist():
        groups = np.flatnonzero(sizes == size)
        first = starts[groups]
        if size == 1:
            out[groups] = flat[first]
            continue
        rest = groups
        if len(groups) >= MANY * math.sqrt(size):
            total, exact = _sums(flat, first, size)
            out[groups] = total / size
            rest = groups[~exact]
        for group in rest.tolist():
            start = starts[group]
            out[group] = math.fsum(flat[start : start + size].tolist()) / size
    return out


def _sums(
    flat: Floats, first: Ints, size: int
) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool]]]:
    """The sums of groups of one size, and which of them are known to be rounded once only.

    What each addition loses is itself a float (D. E. Knuth, The Art of Computer
    Programming, volume 2, 4.2.2, theorem B); where adding up those losses loses nothing
    in turn, the last addition is the only one that rounds.
    """
    total, lost = flat[first], np.zeros(len(first))
    exact = np.ones(len(first), dtype="bool")
    for step in range(1, size):
        total, error = _added(total, flat[first + step])
        lost, further = _added(lost, error)
        exact &= further == 0
    # A sum of zeros is 0.0 and never -0.0, as it is of fsum.
    return total + lost + 0.0, exact


def _added(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sum and what it loses."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)

"""What a chart says in words and figures: cross-overs, shares, verdicts.

Everything is worked out from measured points, and never outside them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Curve = Sequence[tuple[float, float]]
"""Measured points (x, y), sorted by x, one for each x."""


def cross_overs(first: Curve, second: Curve) -> list[float]:
    """Where the first of two curves begins or ceases to be above the second.

    Both are taken as straight lines between neighbouring points on two log axes,
    over the x that both have: there a cost per call and a cost per byte bend
    least. Points with a y of zero or less are left out. A point where both are
    equal counts where the order differs before and after it.
    """
    mine, other = dict(first), dict(second)
    shared = sorted(x for x in mine.keys() & other.keys() if x > 0 < mine[x] and other[x] > 0)
    gaps = [(math.log(x), math.log(mine[x]) - math.log(other[x])) for x in shared]
    gaps = [gap for gap in gaps if gap[1] != 0]
    out = []
    for (x0, d0), (x1, d1) in pairwise(gaps):
        if (d0 < 0) != (d1 < 0):
            out.append(math.exp(x0 + (x1 - x0) * d0 / (d0 - d1)))
    return out


def at(curve: Curve, x: float) -> float | None:
    """The y at ``x`` on straight lines between the points; ``None`` outside them.

    Several points of one x count as their mean.
    """
    merged: dict[float, list[float]] = {}
    for px, py in curve:
        merged.setdefault(px, []).append(py)
    points = sorted((px, math.fsum(ys) / len(ys)) for px, ys in merged.items())
    for px, py in points:
        if px == x:
            return py
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 < x < x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return None


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine's curve over block sizes (bytes, kB/s) and its CPU load in %
    over the whole run, where that was measured."""

    name: str
    curve: Curve
    cpu: float | None = None


ALIKE = 0.05
"""Throughputs that differ by less than this share at every size look the same."""

BUSY = 85.0
"""The CPU load, in %, from which a run kept its core for itself."""


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio < 100 else f"{ratio:.0f} times"


def _bytes(size: float) -> str:
    """A block size that lies between two measured ones, not more exact than it is."""
    if size >= 1000:
        return f"{round(size, -2):.0f} bytes"
    return f"{round(size, -1) if size >= 100 else round(size):.0f} bytes"


def verdict(tested: Engine, base: Engine) -> str:
    """One or two sentences: from which block size ``tested`` is faster than
    ``base``, by how much at the largest, and at what cost of CPU."""
    mine, other = dict(tested.curve), dict(base.curve)
    shared = sorted(mine.keys() & other.keys())
    if not shared:
        return f"{tested.name} and {base.name} have no block size in common."
    last = shared[-1]
    crossings = cross_overs(tested.curve, base.curve)
    ratio = mine[last] / other[last] if other[last] else math.inf
    wins = mine[last] > other[last]
    if not crossings:
        faster, slower = (tested, base) if wins else (base, tested)
        begin = f"The {faster.name} is faster than the {slower.name} at every block size"
    elif len(crossings) == 1:
        above = tested if wins else base
        begin = f"Above about {_bytes(crossings[0])} the {above.name} is faster"
    else:
        places = ", ".join(_bytes(x) for x in crossings)
        begin = f"The {tested.name} and the {base.name} change places at about {places}"
    parts = [f"at {last:.0f} bytes the {tested.name} has {_times(ratio)} the throughput"]
    if tested.cpu and base.cpu:
        share = tested.cpu / base.cpu
        parts.append(f"at {_times(share)} the CPU load over the whole run")
        spent = (mine[last] / tested.cpu) / (other[last] / base.cpu) if other[last] else math.inf
        tail = f" For each second of CPU time it moves {_times(spent)} as much there."
    else:
        tail = ""
    return f"{begin}; {', '.join(parts)}.{tail}"


def not_in_use(tested: Engine, base: Engine) -> str:
    """A warning where an accelerator's figures look like software's, or nothing."""
    mine, other = dict(tested.curve), dict(base.curve)
    shared = sorted(mine.keys() & other.keys())
    alike = all(other[x] and abs(mine[x] / other[x] - 1) < ALIKE for x in shared)
    if len(shared) > 1 and alike and tested.cpu is not None and tested.cpu >= BUSY:
        return (
            f"The {tested.name} has the throughput of the {base.name} at every block size, and "
            f"{tested.cpu:.0f} % CPU load: it was most likely not in use."
        )
    return ""

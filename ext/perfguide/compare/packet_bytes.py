"""Rates that count other bytes of a packet in some releases: its payload in one, all of its frame
in another.

A rate divided by the packet rate of the same run gives the bytes that were counted for a packet. If
these step by the same number for packets of several sizes, another part of each packet is counted.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..catalog.chart_spec import is_number
from ..common import units
from .match import Key
from .relative import Side
from .row import Row

if TYPE_CHECKING:
    from .history import History

RATE, PACKETS = "data rate", "packet rate"

OTHER_BYTES = "the rate counts other bytes of a packet"
"""The start of the ground of a row whose two rates count other bytes of a packet."""

MIN_SIZES, MIN_STEP = 2, 8
"""The fewest packet sizes at which the bytes step by one number, and the least number: a UDP
header, the smallest one. In public history, steps are by 40 bytes or more, and those that are due
to a failed run or a truncated packet are at one size."""


class Bounds(NamedTuple):
    """The fewest and the most bytes of a packet that a rate may count: packet rates are rounded."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The bytes if the packet rate is exact."""
        return 2 / (1 / self.low + 1 / self.high)

    def differ(self, other: Bounds) -> bool:
        """Return whether the bytes certainly differ by a header or more."""
        return max(self.low - other.high, other.low - self.high) >= MIN_STEP

    def overlap(self, other: Bounds) -> Bounds | None:
        """Return the common part of both, ``None`` if there is none."""
        both = Bounds(max(self.low, other.low), min(self.high, other.high))
        return both if both.low <= both.high else None


Counts = Mapping[Key, Mapping[int, Bounds]]
"""The bytes of a packet that each rate counts, by the rank of the release."""


def counted_otherwise(lines: Mapping[Key, Mapping[int, Side]]) -> Counts:
    """Return the counts of those rates of a platform that count other bytes in some releases.

    Figures are in base units. A release without a packet rate counts like the nearest with one.
    """
    packets = {_run(key): line for key, line in lines.items() if key[5] == PACKETS}
    counts: dict[Key, dict[int, Bounds]] = {}
    steps: dict[object, list[_Step]] = defaultdict(list)
    for key, line in lines.items():
        packet_rate = packets.get(_run(key), {}) if key[5] == RATE and _sizes(key) else {}
        # The mean of several runs has more digits than each of them.
        digit = max((each.step for each in packet_rate.values()), default=0.0)
        bounds_by_rank = {
            rank: bounds
            for rank, rate in line.items()
            if rank in packet_rate and (bounds := _bounds(rate, packet_rate[rank], digit))
        }
        if len(bounds_by_rank) < 2:
            continue
        counts[key] = {
            rank: bounds_by_rank[min(bounds_by_rank, key=lambda r: abs(r - rank))] for rank in line
        }
        for before, after in pairwise(sorted(bounds_by_rank)):
            was, now = bounds_by_rank[before], bounds_by_rank[after]
            by = Bounds(now.low - was.high, now.high - was.low)
            steps[key[2]].append(_Step(key, before, after, by))
    stepped = {key for of_benchmark in steps.values() for key in _with_one_step(of_benchmark)}
    return {key: counts[key] for key in stepped}


class _Step(NamedTuple):
    """The bytes by which a rate may have stepped between two releases that follow each other."""

    key: Key
    before: int
    after: int
    by: Bounds


def _with_one_step(steps: Sequence[_Step]) -> set[Key]:
    """Return the rates of a benchmark whose bytes may have stepped by a number that is certain in
    one release at several sizes."""
    groups: dict[int, list[tuple[Bounds, set[Key]]]] = defaultdict(list)
    certain = (step for step in steps if max(step.by.low, -step.by.high) >= MIN_STEP)
    # The narrowest come first.
    for step in sorted(certain, key=lambda each: each.by.high - each.by.low):
        of_release = groups[step.after]
        for at, (common, keys) in enumerate(of_release):
            if both := common.overlap(step.by):
                of_release[at] = (both, keys | {step.key})
                break
        else:
            of_release.append((step.by, {step.key}))
    shared = {
        rank: bounds
        for rank, of_release in groups.items()
        for bounds, keys in of_release
        # Where rates and packets are unlike each other, many steps are certain, but few are alike.
        if len({*map(_sizes, keys)}) >= MIN_SIZES
        if 2 * len(keys) > sum(len(others) for _, others in of_release)
    }
    return {
        step.key
        for rank, bounds in shared.items()
        for step in steps
        if step.before < rank <= step.after and bounds.overlap(step.by)
    }


def _run(key: Key) -> Key:
    platform, board, benchmark, _, params, _ = key
    return (platform, board, benchmark, params)


def _sizes(key: Key) -> frozenset[tuple[object, ...]]:
    """Return the parameters of a figure that are numbers."""
    assert isinstance(key[4], frozenset)  # as Names.table_key() makes it
    return frozenset(each for each in key[4] if is_number(each[2]))


def _bounds(rate: Side, packets: Side, digit: float) -> Bounds | None:
    """Return the bytes of a packet, given the last digit of packet rates; ``None`` if unknown."""
    if min(rate.mean, packets.mean) <= 0:
        return None
    # Programs round or cut the last digit.
    least = packets.mean - digit
    most = (rate.mean + rate.step) / least if least > 0 else math.inf
    return Bounds((rate.mean - rate.step) / (packets.mean + digit), most)


def of_other_bytes(open_rows: Sequence[Row], history: History) -> dict[int, str]:
    """Return, by ``id()``, the ground of each row whose rates count other bytes of a packet: one
    for all of a benchmark with more, or with fewer, bytes, with its smallest and surest row."""
    groups: dict[object, list[tuple[Row, Bounds, Bounds]]] = defaultdict(list)
    for row in open_rows:
        if row.old and row.new and (both := history.packet_bytes(row.old, row.new)):
            is_more = both[1].low > both[0].high
            groups[row.guide.platform, row.benchmark, is_more].append((row, *both))
    out = {}
    for group in groups.values():
        row, was, now = min(
            group, key=lambda each: (min(_numbers(each[0])), each[1].high + each[2].high)
        )
        old, new = (units.number(round(each.middle)) for each in (was, now))
        name, size = min((n, v) for n, v in row.params.items() if is_number(v))
        example = f"{old} → {new} bytes with a {name.replace('_', ' ')} of {units.plain(size)}"
        out.update(dict.fromkeys((id(row) for row, *_ in group), f"{OTHER_BYTES}: {example}"))
    return out


def _numbers(row: Row) -> list[float]:
    return [float(value) for value in row.params.values() if is_number(value)]

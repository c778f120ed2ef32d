"""Older figures that are the odd ones themselves: what moved away from one of them shows nothing."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..catalog.chart_spec import is_number
from ..common import units

if TYPE_CHECKING:
    from .verdicts import Row

MIN_ODD = math.log(1.5)
"""The least log ratio of an odd figure to those that it is unlike."""

MAX_LEFT = 0.5
"""The largest distance of NEW beyond earlier figures, as a share of that of the odd one."""

MAX_PAST, MIN_PAST, FEW_PAST_RANGE = 4, 3, 0.5
"""The most earlier figures, the nearest ones, that show one to be odd, and the fewest: they do if it is
farther from them than their range. Two do if their range is at most this share of that distance."""

RETURN_RELEASES, RETURN_PART, MAX_RETURN = 2, 0.25, math.log(1.25)
"""NEW is back at a level, which is news, if its log ratio to so many earlier releases is at most this part
of the way and at most ``MAX_RETURN``."""

ODD = "the older figure may be a bad measurement"
"""The start of the ground of a row whose older figure is odd."""


def unlike_past(past: Sequence[float], old: float, new: float, unit: str) -> str:
    """Return in words what earlier releases had if only OLD is far from them, else "".

    The row then moved towards its past, though not clearly back to a level that several releases had.
    """
    past = past[-MAX_PAST:]
    if len(past) < 2 or min(*past, old, new) <= 0:
        return ""
    least, most = min(past), max(past)
    odd = max(math.log(old / most), math.log(least / old))
    left = max(math.log(new / most), math.log(least / new), 0.0)
    widest = odd if len(past) >= MIN_PAST else FEW_PAST_RANGE * odd
    if odd < MIN_ODD or math.log(most / least) > widest:
        return ""
    if (old > new) != (old > most) or left > MAX_LEFT * odd:
        return ""
    near = min(RETURN_PART * abs(math.log(new / old)), MAX_RETURN)
    if all(abs(math.log(new / each)) <= near for each in past[-RETURN_RELEASES:]):
        return ""
    return (
        f"{ODD}: the last {len(past)} before it were {units.ends(past)} "
        f"{units.parse(unit).symbol}".rstrip()
    )


MAX_NEAR = 0.25
"""The largest distance of a figure from the line between its neighbours for it to fit a curve, and the
largest move of these neighbours, as shares of the distance of the odd figure."""

MIN_LEVEL_ROWS, MIN_LEVEL_SHARE = 3, 0.75
"""The fewest rows of a kind, and the least share of them that went the same way by ``MIN_ODD`` from the
release before OLD, for OLD to be a level of its own: a measurement rarely goes wrong for all of them. In
public history, either 0.75 or more of a kind went the same way, or 0.6 or less."""


def withdrawn(rows: Sequence[Row]) -> list[Row]:
    """Return rows, without the verdicts of those whose older figure is odd, unless most figures of their
    kind went the same way in that release."""
    odd_rows = [row for row in rows if row.odd and row.verdict in WITHDRAWN]
    kinds: dict[object, list[float]] = {_kind(row): [] for row in odd_rows}
    for row in rows:
        if (kind := _kind(row)) in kinds and (way := _way_there(row)):
            kinds[kind].append(way)
    odd = {id(row) for row in odd_rows if not _is_level(kinds[_kind(row)], _way_there(row))}
    return [
        replace(row, verdict="incomparable", ground=row.odd, detectable=None, more_runs=None)
        if id(row) in odd
        else row
        for row in rows
    ]


WITHDRAWN = ("regressed", "improved", "changed", "noisy")
"""Verdicts that an odd older figure takes back."""


def _is_level(ways: Sequence[float], own: float) -> bool:
    """Return whether most of the rows of a kind went to OLD the same way as one of them."""
    alike = sum(math.copysign(way, way * own) >= MIN_ODD for way in ways)
    return own != 0 and len(ways) >= MIN_LEVEL_ROWS and alike >= MIN_LEVEL_SHARE * len(ways)


def _kind(row: Row) -> tuple[object, ...]:
    """Return a key that rows share if they differ only in numbers, such as the sampling rate."""
    texts = frozenset((n, str(v)) for n, v in row.params.items() if not is_number(v))
    return (row.guide.platform, row.board, row.benchmark, row.metric, row.unit, texts)


def _way_there(row: Row) -> float:
    """Return the log ratio of OLD to the release before it, 0 if there is none."""
    names = [release for release, _ in row.line]
    if row.old is None or row.old.guide.release not in names[1:]:
        return 0.0
    at = names.index(row.old.guide.release)
    before, old = row.line[at - 1][1], row.line[at][1]
    return math.log(old / before) if min(before, old) > 0 else 0.0


def unlike_curves(rows: Sequence[Row], first: Collection[int]) -> dict[int, str]:
    """Return, by position, the rows whose older figure alone is off the curve of its neighbours, such as
    those at the next smaller and larger block size, with these in words.

    ``first`` are the positions of rows without earlier figures, which would show more.
    """
    curves: dict[tuple[object, ...], dict[float, int]] = {}
    for position, row in enumerate(rows):
        if min(_old(row), _new(row)) > 0:
            for name, value in row.params.items():
                if is_number(value) and float(value) > 0:
                    others = frozenset((n, str(v)) for n, v in row.params.items() if n != name)
                    table = (row.guide.platform, row.board, row.benchmark, row.metric, row.unit)
                    curves.setdefault((name, others, table), {})[float(value)] = position
    out = {}
    for key, points in curves.items():
        places = sorted(points)
        for near in zip(places, places[1:], places[2:], strict=False):
            if points[near[1]] in first and _is_off(near, [rows[points[each]] for each in near]):
                ends = " and ".join(
                    units.number(_old(rows[points[each]])) for each in (near[0], near[2])
                )
                where = f"at the next smaller and larger {str(key[0]).replace('_', ' ')}"
                unit = units.parse(rows[points[near[1]]].unit).symbol
                out[points[near[1]]] = f"{ODD}: those {where} were {ends} {unit}".rstrip()
    return out


def _old(row: Row) -> float:
    return (row.old and row.old.cell.mean) or 0.0


def _new(row: Row) -> float:
    return (row.new and row.new.cell.mean) or 0.0


def _is_off(places: Sequence[float], rows: Sequence[Row]) -> bool:
    """Return whether the older figure at the middle one of three places is off the line between its
    neighbours, on which the newer one lies."""
    first, middle, last = map(math.log, places)
    part = (middle - first) / (last - first)
    old, new = ([math.log(side(row)) for row in rows] for side in (_old, _new))
    off, left = (own[1] - own[0] - part * (own[2] - own[0]) for own in (old, new))
    moves = new[0] - old[0], new[2] - old[2]
    return abs(off) >= MIN_ODD and max(map(abs, (left, *moves))) <= MAX_NEAR * abs(off)

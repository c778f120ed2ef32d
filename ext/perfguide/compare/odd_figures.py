"""Outliers among the older figures: a move away from one of them shows nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ..catalog.chart_spec import is_number
from ..common import units
from .row import Row

MIN_OUTLIER_LOG = math.log(1.5)
"""The least log ratio of an outlier to the figures around it."""

MAX_NEW_SHARE = 0.5
"""The largest distance of NEW from earlier figures, as a share of that of the outlier."""

MAX_PAST_FIGURES, MIN_PAST_FIGURES, MAX_RANGE_OF_TWO = 4, 3, 0.5
"""The most and the fewest earlier figures that show OLD to be an outlier, if it is farther from
them than their range. Two are enough if their range is at most this share of that distance."""

RETURN_RELEASES, MAX_RETURN_SHARE, MAX_RETURN_LOG = 2, 0.25, math.log(1.25)
"""NEW is back at a level, which is news, if its log ratio to each of the last so many earlier
figures is at most this share of its move, and at most ``MAX_RETURN_LOG``."""

BAD_MEASUREMENT = "the older figure may be a bad measurement"
"""The start of the ground of a row whose older figure is an outlier."""


def unlike_past(past: Sequence[float], old: float, new: float, unit: str) -> str:
    """Describe the earlier figures if OLD is far from them and NEW is not; return "" otherwise, or
    if NEW is clearly back at a level that several releases had."""
    past = past[-MAX_PAST_FIGURES:]
    if len(past) < 2 or min(*past, old, new) <= 0:
        return ""
    least, most = min(past), max(past)
    old_distance = max(math.log(old / most), math.log(least / old))
    new_distance = max(math.log(new / most), math.log(least / new), 0.0)
    enough = len(past) >= MIN_PAST_FIGURES
    max_range = old_distance if enough else MAX_RANGE_OF_TWO * old_distance
    if old_distance < MIN_OUTLIER_LOG or math.log(most / least) > max_range:
        return ""
    if (old > new) != (old > most) or new_distance > MAX_NEW_SHARE * old_distance:
        return ""
    near = min(MAX_RETURN_SHARE * abs(math.log(new / old)), MAX_RETURN_LOG)
    if all(abs(math.log(new / figure)) <= near for figure in past[-RETURN_RELEASES:]):
        return ""
    return (
        f"{BAD_MEASUREMENT}: the last {len(past)} before it were {units.ends(past)} "
        f"{units.parse(unit).symbol}".rstrip()
    )


MAX_CURVE_SHARE = 0.25
"""The largest distance of NEW from the line between its neighbours, and the largest move of these
neighbours, as shares of the distance of the outlier from their line."""

MIN_LEVEL_ROWS, MIN_LEVEL_SHARE = 3, 0.75
"""OLD is a new level rather than an outlier if at least so many rows of a kind, and at least this
share of them, moved to it in one direction by ``MIN_OUTLIER_LOG``: rarely are all of them measured
badly. In public history, that share is either 0.75 or more, or 0.6 or less."""


def withdrawn(rows: Sequence[Row]) -> list[Row]:
    """Return rows, without the verdicts of those whose older figure is an outlier, unless most
    figures of their kind moved the same way in that release."""
    odd_rows = [row for row in rows if row.odd and row.verdict in WITHDRAWN_VERDICTS]
    kinds: dict[object, list[float]] = {_kind(row): [] for row in odd_rows}
    for row in rows:
        if (kind := _kind(row)) in kinds and (move := _move_to_old(row)):
            kinds[kind].append(move)
    odd = {id(row) for row in odd_rows if not _is_level(kinds[_kind(row)], _move_to_old(row))}
    return [
        replace(row, verdict="incomparable", ground=row.odd, detectable=None, more_runs=None)
        if id(row) in odd
        else row
        for row in rows
    ]


WITHDRAWN_VERDICTS = ("regressed", "improved", "changed", "noisy")
"""Verdicts that are withdrawn if the older figure is an outlier."""


def _is_level(moves: Sequence[float], this_move: float) -> bool:
    """Return whether most rows of a kind moved to OLD in the same direction as one of them."""
    alike = sum(math.copysign(move, move * this_move) >= MIN_OUTLIER_LOG for move in moves)
    return this_move != 0 and len(moves) >= MIN_LEVEL_ROWS and alike >= MIN_LEVEL_SHARE * len(moves)


def _kind(row: Row) -> tuple[object, ...]:
    """Return a key that rows share if they differ only in numbers, such as the sampling rate."""
    texts = frozenset((n, str(v)) for n, v in row.params.items() if not is_number(v))
    return (row.guide.platform, row.board, row.benchmark, row.metric, row.unit, texts)


def _move_to_old(row: Row) -> float:
    """Return the log ratio of OLD to the release before it, 0 if there is none."""
    names = [release for release, _ in row.line]
    if row.old is None or row.old.guide.release not in names[1:]:
        return 0.0
    at = names.index(row.old.guide.release)
    before, old = row.line[at - 1][1], row.line[at][1]
    return math.log(old / before) if min(before, old) > 0 else 0.0


def unlike_curves(rows: Sequence[Row], no_past: Sequence[Row]) -> dict[int, str]:
    """Describe the neighbours of each older figure that is off their curve, by the ``id()`` of its
    row: the figures at the next smaller and larger block size, for example.

    Only rows with ``no_past`` are considered: others are better judged by their earlier figures.
    """
    curves: dict[tuple[object, ...], dict[float, Row]] = {}
    for row in rows:
        if min(_old(row), _new(row)) > 0:
            for name, value in row.params.items():
                if is_number(value) and float(value) > 0:
                    others = frozenset((n, str(v)) for n, v in row.params.items() if n != name)
                    table = (row.guide.platform, row.board, row.benchmark, row.metric, row.unit)
                    curves.setdefault((name, others, table), {})[float(value)] = row
    considered, out = {*map(id, no_past)}, {}
    for key, points in curves.items():
        values = sorted(points)
        for three in zip(values, values[1:], values[2:], strict=False):
            below, row, above = (points[value] for value in three)
            if id(row) in considered and _is_off(three, (below, row, above)):
                ends = f"{units.number(_old(below))} and {units.number(_old(above))}"
                where = f"at the next smaller and larger {str(key[0]).replace('_', ' ')}"
                unit = units.parse(row.unit).symbol
                out[id(row)] = f"{BAD_MEASUREMENT}: those {where} were {ends} {unit}".rstrip()
    return out


def _old(row: Row) -> float:
    return (row.old and row.old.cell.mean) or 0.0


def _new(row: Row) -> float:
    return (row.new and row.new.cell.mean) or 0.0


def _is_off(values: Sequence[float], rows: Sequence[Row]) -> bool:
    """Return whether, at the middle one of three values of a parameter, the older figure is off the
    line between its neighbours but the newer one is on it."""
    first, middle, last = map(math.log, values)
    part = (middle - first) / (last - first)
    old, new = ([math.log(side(row)) for row in rows] for side in (_old, _new))
    off_old, off_new = (logs[1] - logs[0] - part * (logs[2] - logs[0]) for logs in (old, new))
    rest = off_new, new[0] - old[0], new[2] - old[2]
    return abs(off_old) >= MIN_OUTLIER_LOG and max(map(abs, rest)) <= MAX_CURVE_SHARE * abs(off_old)

"""Tables with misplaced figures: swapped columns, or rows shifted by one."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import median

from ..catalog.benchmarks import Scalar
from ..catalog.chart_spec import is_number
from ..common import units

MIN_APART_LOG = math.log(1.25)
"""The log of the smallest ratio of two rows that distinguishes them."""

MIN_MOVE_LOG = MIN_APART_LOG / 1.5
"""The log of the smallest ratio by which a row with another's figure moves: the two rows are
``MIN_APART_LOG`` apart, and the rest is less than half of the move."""

MAX_FIT_LOG = math.log(2)
"""The log of the largest ratio of a figure to the row that it fits. It must also be much closer to
that row than to its own."""

MIN_FITTING_SHARE, MIN_FITTING_SHARE_AGAIN = 0.8, 0.6
"""The share of distinguishable rows that must fit, and the share that is enough if another board
has the same exchange."""

MIN_EXCHANGED_FIGURES = 4
MIN_SHIFTED_FIGURES = 4

MAX_VALUES = 16
"""The most values of one parameter for which all pairs are compared."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A row of a table: its names, and the logarithms of its old and new figure."""

    metric: str
    unit: str
    params: Mapping[str, Scalar]
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """The indices of rows whose new figures fit the old figures of other rows, with a description
    in ``words``. ``param`` is the parameter with two swapped values, or empty."""

    words: str
    rows: tuple[int, ...]
    param: str = ""


def exchanges(rows: Sequence[Moved], elsewhere: Collection[str] = ()) -> list[Exchange]:
    """Return the exchanges that explain the figures of one table, without overlaps.

    Of two exchanges that share a row, the one with more rows wins. ``elsewhere`` are the ``words``
    of exchanges in the same table for other boards: these are likely here too, so fewer rows have
    to fit.
    """
    # In most tables, too few rows moved.
    if not elsewhere and sum(abs(row.after - row.before) >= MIN_MOVE_LOG for row in rows) < min(
        MIN_EXCHANGED_FIGURES, MIN_SHIFTED_FIGURES
    ):
        return []
    candidates = [
        Exchange(words, tuple(sorted(indices)), param)
        for words, param, mapping, least in _candidates(rows)
        if (indices := _fitting(rows, mapping, least, words in elsewhere))
    ]
    out, used = list[Exchange](), set[int]()
    for exchange in sorted(candidates, key=lambda exchange: (-len(exchange.rows), exchange.words)):
        if not used & {*exchange.rows}:
            out.append(exchange)
            used |= {*exchange.rows}
    return out


def are_swapped(
    before: Mapping[object, Mapping[object, float]], after: Mapping[object, Mapping[object, float]]
) -> bool:
    """Return whether the new figures of tables fit the old ones of each other better than those of
    any other table. Both have the logarithms of figures by table and row."""
    for table, figures in after.items():
        distances = {}
        for other, lines in before.items():
            both = figures.keys() & lines.keys()
            if 2 * len(both) > len(figures):
                distances[other] = median(abs(figures[line] - lines[line]) for line in both)
        nearest = [other for other in distances if distances[other] == min(distances.values())]
        if len(nearest) != 1 or nearest[0] == table or nearest[0] not in after:
            return False
    return True


_Mapping = list[tuple[int, int]]
"""Pairs of a row and the row whose figure it may have received."""


def _candidates(rows: Sequence[Moved]) -> Iterator[tuple[str, str, _Mapping, int]]:
    """Yield each possible exchange as words, swapped parameter, pairs of rows, and the number of
    figures that must fit."""
    by_metric: dict[tuple[str, str], dict[tuple[object, ...], int]] = {}
    for index, row in enumerate(rows):
        by_metric.setdefault((row.unit, row.metric), {})[_key(row.params)] = index
    for (one, first), (two, second) in combinations(sorted(by_metric.items()), 2):
        if one[0] == two[0]:
            yield f"{one[1]} and {two[1]}", "", _both_ways(first, second), MIN_EXCHANGED_FIGURES
    for name in sorted({name for row in rows for name in row.params}):
        columns: dict[Scalar, dict[tuple[object, ...], int]] = {}
        lines: dict[tuple[object, ...], dict[float, int]] = {}
        for index, row in enumerate(rows):
            if name not in row.params:
                continue
            value = row.params[name]
            others = {other: v for other, v in row.params.items() if other != name}
            rest = (row.unit, row.metric, *_key(others))
            columns.setdefault(value, {})[rest] = index
            if is_number(value):
                lines.setdefault(rest, {})[float(value)] = index
        if len(columns) <= MAX_VALUES:
            for a, b in combinations(sorted(columns, key=units.plain), 2):
                words = f"{name} {units.plain(a)} and {units.plain(b)}"
                yield words, name, _both_ways(columns[a], columns[b]), MIN_EXCHANGED_FIGURES
        ordered = [[line[value] for value in sorted(line)] for line in lines.values()]
        for words, step in ((f"{name}, by one step up", 1), (f"{name}, by one step down", -1)):
            yield words, "", _shifted(ordered, step), MIN_SHIFTED_FIGURES
    # Rows without parameters keep the order of the program's output.
    plain = [index for index, row in enumerate(rows) if not row.params]
    for unit in sorted({rows[index].unit for index in plain}):
        listed = [index for index in plain if rows[index].unit == unit]
        for words, step in (("rows, by one up", 1), ("rows, by one down", -1)):
            yield words, "", _shifted([listed], step), MIN_SHIFTED_FIGURES


def _key(params: Mapping[str, Scalar]) -> tuple[object, ...]:
    return tuple(sorted((name, str(value)) for name, value in params.items()))


def _both_ways(
    first: Mapping[tuple[object, ...], int], second: Mapping[tuple[object, ...], int]
) -> _Mapping:
    pairs = [(first[key], second[key]) for key in first if key in second]
    return [*pairs, *((b, a) for a, b in pairs)]


def _shifted(lines: Sequence[Sequence[int]], step: int) -> _Mapping:
    pairs = [pair for line in lines for pair in pairwise(line)]
    return pairs if step > 0 else [(b, a) for a, b in pairs]


def _fitting(rows: Sequence[Moved], mapping: _Mapping, least: int, is_elsewhere: bool) -> list[int]:
    """Return the rows that fit the old figure of their counterpart, or none if too few of the
    distinguishable rows do."""
    distinct = [
        (rows[mine], rows[other], mine)
        for mine, other in mapping
        if abs(rows[mine].before - rows[other].before) >= MIN_APART_LOG
    ]
    if len(distinct) < least:
        return []
    fitting = [
        mine
        for row, other, mine in distinct
        if (
            abs(row.after - other.before) <= MAX_FIT_LOG
            and abs(row.after - other.before) < abs(row.after - row.before) / 2
        )
        # Widely scattered figures may fit nothing, but a swap still reverses their order.
        or (is_elsewhere and (row.before - other.before) * (row.after - other.after) < 0)
    ]
    share = MIN_FITTING_SHARE_AGAIN if is_elsewhere else MIN_FITTING_SHARE
    if len(fitting) < max(least, share * len(distinct)):
        return []
    if is_elsewhere:
        return fitting
    # If all rows move, some may land near their neighbours, but not as near as in an exchange.
    rest = median(abs(row.after - other.before) for row, other, _ in distinct)
    moves = [row.after - row.before for row, _, _ in distinct]
    if rest >= median(map(abs, moves)) / 3:
        return []
    # On a smooth curve, a common factor explains moves as well as a shift by one row.
    middle = median(moves)
    return fitting if rest < median(abs(move - middle) for move in moves) / 2 else []

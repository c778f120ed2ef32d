"""Mislabelled figures of earlier releases, such as those of two tables that a release swapped."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from ..catalog.benchmarks import Scalar
from ..common import units
from ..figures.exchanges import Exchange, Moved, exchanges
from .match import Key

Line = Mapping[int, float]
"""One figure by the rank of its release."""

SHARE = units.parse("%").kind

Place = tuple[Key, int]
"""A figure and the rank of a release."""


def misplaced(lines: Mapping[Key, Line]) -> set[Place]:
    """Return the figures of a platform that a release published under the label of another one.

    Keys are those of :meth:`.match.Names.table_key`. Each release is compared with the last figures
    that are not misplaced. Of the two, the one farther from the figures before both is wrong.
    """
    by_benchmark: dict[object, dict[Key, Line]] = defaultdict(dict)
    for key, line in lines.items():
        by_benchmark[key[2]][key] = line
    return {each for figures in by_benchmark.values() for each in _of_benchmark(figures)}


def _of_benchmark(lines: Mapping[Key, Line]) -> set[Place]:
    wrong: set[Place] = set()
    # The logs of figures before a release that have the right label, oldest first.
    before: dict[Key, list[float]] = {key: [] for key in lines}
    params = {key: _params(key) for key in lines}
    last: dict[Key, int] = {}
    for rank in sorted({rank for line in lines.values() for rank in line}):
        tables: dict[object, list[tuple[Key, Moved]]] = defaultdict(list)
        for key, line in lines.items():
            # Shares, such as loads, are often alike in both tables.
            if before[key] and line.get(rank, 0.0) > 0 and key[5] != SHARE:
                ends = before[key][-1], math.log(line[rank])
                tables[key[1]].append((key, Moved(str(key[3]), str(key[5]), params[key], *ends)))
        alone = [exchanges([each for _, each in rows]) for rows in tables.values()]
        words = {exchange.words for in_table in alone for exchange in in_table}
        for rows in tables.values() if words else ():
            for exchange in exchanges([each for _, each in rows], words):
                exchanged = [rows[number] for number in exchange.rows]
                is_wrong = _is_wrong(exchanged, before, lines, rank)
                for key in _tables_of(exchanged, params, exchange) if is_wrong is not None else ():
                    if is_wrong and rank in lines[key]:
                        wrong.add((key, rank))
                    elif not is_wrong and before[key]:
                        wrong.add((key, last[key]))
                        before[key].pop()
        for key, line in lines.items():
            if line.get(rank, 0.0) > 0 and (key, rank) not in wrong:
                before[key].append(math.log(line[rank]))
                last[key] = rank
    return wrong


def _is_wrong(
    rows: Sequence[tuple[Key, Moved]],
    before: Mapping[Key, Sequence[float]],
    lines: Mapping[Key, Line],
    rank: int,
) -> bool | None:
    """Return whether a release has wrong labels rather than the one before; ``None`` if unknown."""
    votes: Counter[bool] = Counter()
    for key, moved in rows:
        others = before[key][:-1]
        if not others:
            # Without an earlier release, the next one shows which of the two is the exception.
            later = [r for r, value in lines[key].items() if r > rank and value > 0]
            others = [math.log(lines[key][min(later)])] if later else []
        if others:
            middle = median(others)
            votes[abs(moved.after - middle) > abs(moved.before - middle)] += 1
    return None if votes[True] == votes[False] else votes[True] > votes[False]


def _tables_of(
    rows: Sequence[tuple[Key, Moved]],
    params: Mapping[Key, Mapping[str, Scalar]],
    exchange: Exchange,
) -> list[Key]:
    """Return all rows of two swapped tables, such as the loads that go with rates: they share the
    parameters that all swapped rows have in common."""
    if not exchange.param:
        return [key for key, _ in rows]
    values = {moved.params[exchange.param] for _, moved in rows}
    alike = set.intersection(*({*moved.params.items()} for _, moved in rows))
    board = rows[0][0][1]
    return [
        key
        for key, key_params in params.items()
        if key[1] == board
        and key_params.get(exchange.param) in values
        and alike <= {*key_params.items()}
    ]


def _params(key: Key) -> Mapping[str, Scalar]:
    typed = key[4]
    assert isinstance(typed, frozenset)  # as Names.table_key() makes it
    return {name: value for name, _, value in typed}

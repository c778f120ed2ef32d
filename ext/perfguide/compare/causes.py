"""Causes that take rows out of judgement: tables in each other's place, and figures that alternate
between two states."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from ..bundles.guide_key import Platform, version
from ..catalog.benchmarks import Benchmark, Catalog, Scalar
from ..common import units
from ..figures import labels
from ..figures.exchanges import Moved, exchanges
from .verdicts import (
    ENGINE_CHANGED,
    IMPOSSIBLE,
    MIN_STATES_LOG,
    OTHER_UNIT,
    RATED,
    REPEATED,
    Row,
)

EXCHANGED = "labels are wrong"
"""The beginning of the ground of a row whose figure fits another row of its table."""

WRONG_CLOCK = "it is computed with a clock that changed alone and may have been recorded wrongly"

CONDITIONS = ("the clock was", "the memory was", "the governor was", "the version of ")
"""Beginnings of grounds that name a condition which changed."""

MIN_FOLLOWING_SHARE = 0.2
"""The share of a benchmark's rows that move as far as a clock by more than chance."""

MIN_STATES_GAP = 2.5
"""The least gap between two states over the range of either."""

MIN_IN_STATE, MIN_STATE_CHANGES = 2, 2
"""The releases that have to be in each state, and the changes from one to the other, before the
newer release."""

Line = Callable[[Row], Sequence[tuple[str, float]]]
"""The figure of a row in all releases, by release."""


def explained(rows: Sequence[Row], line: Line, catalog: Catalog) -> list[Row]:
    """Return rows with those that a cause explains left without a verdict of their own."""
    places = _of_wrong_clocks(rows, catalog)
    tables: dict[tuple[Platform, str, str], dict[int, Moved]] = {}
    for index, row in enumerate(rows):
        if index not in places and (before := _figure_before(row, line)):
            key = (row.guide.platform, row.board, row.benchmark)
            tables.setdefault(key, {})[index] = _moved(row, before)
    moved = {key: [*own.values()] for key, own in tables.items()}
    elsewhere: dict[tuple[object, ...], set[str]] = {}
    for (platform, _, benchmark), own_moves in moved.items():
        words = {exchange.words for exchange in exchanges(own_moves)}
        elsewhere.setdefault((platform, benchmark), set()).update(words)
    for table, own in tables.items():
        indexes = [*own]
        for exchange in exchanges(moved[table], elsewhere[table[0], table[2]]):
            # What OLD has not measured shows an exchange, and has no verdict to take back.
            exchanged = [at for n in exchange.rows if rows[at := indexes[n]].old]
            exchanged += _rest_of_tables(rows, exchanged, exchange.param)
            values = {rows[indexes[n]].params.get(exchange.param) for n in exchange.rows}
            said = _sides(catalog.get(table[2]), exchange.param, values) or exchange.words
            # A row keeps the cause that was found first.
            swapped = "" if ", by one" in exchange.words else " are swapped"
            where = _release_with_wrong_labels([rows[at] for at in exchanged], line)
            places = dict.fromkeys(exchanged, f"{EXCHANGED} in {where}: {said}{swapped}") | places
    return [
        replace(row, verdict="incomparable", ground=places[index])
        if index in places
        else _of_two_states(row, line)
        for index, row in enumerate(rows)
    ]


def followers(clock: Row, rows: Sequence[Row]) -> dict[str, tuple[list[Row], int]]:
    """Return the benchmarks that followed a clock, with the rows that did and the number of all.

    A benchmark follows where half of its rows moved within a third of what the clock did. If one
    does, rows of others that moved as far have the same cause.
    """
    assert clock.change is not None
    wanted = math.log1p(clock.change)
    rated: dict[str, list[tuple[Row, float]]] = {}
    for row in rows:
        is_own = (row.guide.platform, row.board) == (clock.guide.platform, clock.board)
        if is_own and row.worse_by is not None:
            # With the sign turned, as a faster clock makes rows better.
            rated.setdefault(row.benchmark, []).append((row, -row.worse_by))
    out = {
        benchmark: ([row for row, move in own if abs(move - wanted) <= abs(wanted) / 3], len(own))
        for benchmark, own in rated.items()
    }
    follows = any(fitting and 2 * len(fitting) >= of for fitting, of in out.values())
    return {
        name: (fitting, of)
        for name, (fitting, of) in out.items()
        if follows and fitting and len(fitting) >= MIN_FOLLOWING_SHARE * of
    }


def _of_wrong_clocks(rows: Sequence[Row], catalog: Catalog) -> dict[int, str]:
    """Return for each figure per clock that changed because of the clock alone why it says nothing."""
    out = {}
    for clock in rows:
        if not clock.is_clock or clock.change is None or clock.change <= -1:
            continue
        # Rows moved with it, so the record of the clock is right.
        if followers(clock, rows):
            continue
        for index, row in enumerate(rows):
            described = catalog.get(row.benchmark)
            metric = described.metric(row.metric) if described else None
            if (
                metric is not None
                and clock.metric in metric.computed_from
                and row.worse_by is not None
                and (row.guide.platform, row.board, row.benchmark)
                == (clock.guide.platform, clock.board, clock.benchmark)
                and abs(row.worse_by - math.log1p(clock.change))
                <= abs(math.log1p(clock.change)) / 3
            ):
                out[index] = WRONG_CLOCK
    return out


def _release_with_wrong_labels(exchanged: Sequence[Row], line: Line) -> str:
    """Return the release whose figures are in each other's place: that which is farther from those before both."""
    votes: Counter[str] = Counter()
    for row in exchanged:
        if not (row.old and row.new and row.old.cell.mean and row.new.cell.mean):
            continue
        last = version(row.old.guide.release)
        past = [value for release, value in line(row) if version(release) < last and value > 0]
        ends = (row.old.cell.mean, row.new.cell.mean)
        if not past or min(ends) <= 0 or ends[0] == ends[1]:
            continue
        middle = median(map(math.log, past))
        is_new_near = abs(math.log(ends[1]) - middle) < abs(math.log(ends[0]) - middle)
        votes[(row.old if is_new_near else row.new).guide.release] += 1
    (release, most), *_ = [*votes.most_common(1), ("", 0)]
    return release if 2 * most > votes.total() else "one of the two releases"


def _sides(benchmark: Benchmark | None, param: str, values: Collection[Scalar | None]) -> str:
    """Return the names of the tables that are in each other's place; "" without a description of them."""
    if benchmark is None or not param:
        return ""
    ordered = sorted((value for value in values if value is not None), key=units.plain)
    names = [labels.param(benchmark, param, value) for value in ordered]
    # A bare value does not say what it is of.
    return " and ".join(names) if names != [*map(units.plain, ordered)] else ""


def _rest_of_tables(rows: Sequence[Row], exchanged: Sequence[int], param: str) -> list[int]:
    """Return the other rows of two tables that are exchanged, such as the loads of their rates: those
    with the same parameters but for those by which the rows of a table differ."""
    # Rows that OLD has not measured have no verdict, and nothing beside them to take back.
    if not param or not exchanged:
        return []
    own = [rows[index] for index in exchanged]
    values = {row.params[param] for row in own}
    alike = set.intersection(*({*row.params.items()} for row in own))
    table = (own[0].guide.platform, own[0].board, own[0].benchmark)
    return [
        index
        for index, row in enumerate(rows)
        if index not in exchanged
        and (row.guide.platform, row.board, row.benchmark) == table
        and row.verdict in RATED
        and row.old
        and row.new
        and row.params.get(param) in values
        and alike <= {*row.params.items()}
    ]


def cause_of(row: Row) -> str:
    """Return the cause for which a row is not compared, or ""."""
    if row.verdict != "incomparable" or not (row.old and row.new):
        return ""
    beginnings = (EXCHANGED, ENGINE_CHANGED, IMPOSSIBLE, OTHER_UNIT, REPEATED, *CONDITIONS)
    return row.ground if row.ground.startswith(beginnings) else ""


def _figure_before(row: Row, line: Line) -> float:
    """Return the figure before NEW of a row that can be in another one's place: that of OLD, or of an
    earlier release where OLD did not measure it; 0 where there is none."""
    if not row.new or not row.new.cell.mean or row.new.cell.mean < 0 or row.accepted:
        return 0.0
    if units.parse(row.unit).kind == "share":
        return 0.0
    if row.verdict == "only-new":
        last = version(row.new.guide.release)
        past = [value for release, value in line(row) if version(release) < last]
        return max(past[-1], 0.0) if past else 0.0
    if row.verdict not in RATED or not row.old:
        return 0.0
    return max(row.old.cell.mean or 0.0, 0.0)


def _moved(row: Row, before: float) -> Moved:
    assert row.new and row.new.cell.mean
    return Moved(row.metric, row.unit, row.params, math.log(before), math.log(row.new.cell.mean))


def _of_two_states(row: Row, line: Line) -> Row:
    """Return a row without a verdict if its figure went from one of two states to the other."""
    if row.better == "neither" or row.accepted or not (row.old and row.new):
        return row
    old, new = row.old.cell.mean, row.new.cell.mean
    if (
        not old
        or not new
        or min(old, new) <= 0
        or abs(math.log(new) - math.log(old)) < MIN_STATES_LOG
    ):
        return row
    # Later releases were not known when this one was judged.
    last = version(row.new.guide.release)
    past = [value for release, value in line(row) if version(release) < last]
    if not (states := alternating([*past, new])):
        return row
    low, high = (
        f"{units.number(own[0])} to {units.number(own[-1])}"
        if own[0] < own[-1]
        else units.number(own[0])
        for own in states
    )
    ground = f"it alternates between two states, {low} and {high}"
    row = replace(row, verdict="noisy", ground=ground, alternates=True)
    # More runs would show both states, and not which is the usual one.
    return replace(row, detectable=None, more_runs=None)


def alternating(values: Sequence[float]) -> tuple[list[float], list[float]] | None:
    """Return the two states between which figures alternated before the last of them, ascending."""
    if len(values) < 2 * MIN_IN_STATE + 1 or min(values) <= 0:
        return None
    logs = sorted(map(math.log, values))
    gaps = [after - before for before, after in pairwise(logs)]
    cut = max(range(len(gaps)), key=gaps.__getitem__)
    # Beside figures that repeat exactly, any gap would be wide enough.
    widest = max(logs[cut] - logs[0], logs[-1] - logs[cut + 1], 0.02)
    if gaps[cut] < max(MIN_STATES_LOG, MIN_STATES_GAP * widest):
        return None
    limit = (logs[cut] + logs[cut + 1]) / 2
    # The newer figure, the last one, must not prove the states that it is judged by.
    is_high = [math.log(value) > limit for value in values]
    changes = sum(before != after for before, after in pairwise(is_high[:-1]))
    if min(is_high[:-1].count(True), is_high[:-1].count(False)) < MIN_IN_STATE:
        return None
    if changes < MIN_STATE_CHANGES:
        return None
    ordered = sorted(values)
    return ordered[: cut + 1], ordered[cut + 1 :]

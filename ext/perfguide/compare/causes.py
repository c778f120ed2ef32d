"""Causes for which a row loses its verdict: swapped tables, and figures with two states."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter
from statistics import median

from ..bundles.guide_key import Platform, version
from ..catalog.benchmarks import Benchmark, Catalog, Scalar
from ..common import units
from ..figures import labels
from ..figures.exchanges import Moved, are_swapped, exchanges
from .judged_rows import MIN_STATES_LOG
from .not_compared import ENGINE_CHANGED, IMPOSSIBLE, OTHER_UNIT, REPEATED
from .packet_bytes import OTHER_BYTES
from .row import RATED, Row
from .row_moves import MIN_FAR_LOG, measures_own

EXCHANGED = "labels are wrong"
"""The start of the ground of a row whose figures seem to have the label of another row."""

UNKNOWN_EXCHANGE = "figures fit those of other rows"
"""The end of that ground if two tables seem swapped, but one of them fits a third one better."""

CONDITIONS = ("the clock was", "the memory was", "the governor was", "the version of ")
"""The starts of grounds that name a changed condition."""

MIN_STATES_GAP_RATIO = 2.5
"""The smallest ratio of the gap between two states to the range of either."""

MIN_NEAR_STATES_LOG, MIN_NEAR_STATES_GAP_RATIO, MIN_NEAR_STATE_CHANGES = math.log(1.1), 5.0, 3
"""The log of the least ratio between two states of narrow ranges, the least ratio of the gap to
these, and the fewest changes between them."""

MIN_IN_STATE, MIN_STATE_CHANGES = 2, 2
"""The fewest releases in each state, and the fewest changes between states, before the newer
release."""

MAX_RARE_CHANGES_SHARE = 0.5
"""The most changes between states, as a share of the releases that could have changed, of a figure
that rarely does."""


def explained(rows: Sequence[Row], catalog: Catalog) -> list[Row]:
    """Return the rows, without the verdict on those that a cause explains."""
    ground_by_index: dict[int, str] = {}
    tables: dict[tuple[Platform, str, str], dict[int, Moved]] = {}
    for index, row in enumerate(rows):
        if before := _figure_before(row):
            key = (row.guide.platform, row.board, row.benchmark)
            tables.setdefault(key, {})[index] = _moved(row, before)
    elsewhere: dict[tuple[object, ...], set[str]] = {}
    for (platform, _, benchmark), moves in tables.items():
        words = {exchange.words for exchange in exchanges([*moves.values()])}
        elsewhere.setdefault((platform, benchmark), set()).update(words)
    for (platform, _, benchmark), moves in tables.items():
        indexes = [*moves]
        for exchange in exchanges([*moves.values()], elsewhere[platform, benchmark]):
            members = [indexes[n] for n in exchange.rows]
            # Rows that OLD did not measure help to detect a swap, but have no verdict to withdraw.
            exchanged = [index for index in members if rows[index].old]
            exchanged += _rest_of_tables(rows, exchanged, exchange.param)
            values = {rows[index].params.get(exchange.param) for index in members}
            names = _sides(catalog.get(benchmark), exchange.param, values) or exchange.words
            how = names
            if ", by one" not in exchange.words:
                is_swap = _is_swap([rows[index] for index in members], exchange.param, rows)
                how = f"{names} are swapped" if is_swap else UNKNOWN_EXCHANGE
            where = _release_with_wrong_labels([rows[index] for index in exchanged])
            # A row keeps the first cause.
            ground = f"{EXCHANGED} in {where}: {how}"
            ground_by_index = dict.fromkeys(exchanged, ground) | ground_by_index
    return [
        replace(row, verdict="incomparable", ground=ground_by_index[index])
        if index in ground_by_index
        else _of_two_states(row)
        for index, row in enumerate(rows)
    ]


def exchanged(rows: Sequence[Row]) -> set[int]:
    """Return, by ``id()``, the rows that seem to have swapped labels in one release."""
    tables: dict[tuple[object, ...], list[tuple[int, Moved]]] = {}
    for row in rows:
        if before := _figure_before(row):
            key = (row.guide.platform, row.board, row.benchmark)
            tables.setdefault(key, []).append((id(row), _moved(row, before)))
    return {
        table[number][0]
        for table in tables.values()
        for exchange in exchanges([moved for _, moved in table])
        for number in exchange.rows
    }


def _is_swap(swapped: Sequence[Row], param: str, rows: Sequence[Row]) -> bool:
    """Return whether the new figures of two tables, which differ in ``param`` or in the metric, fit
    the old ones of each other better than those of any other table, even of OLD alone."""
    alike = set.intersection(*({*row.params.items()} for row in swapped))
    names = {param, *(name for name, _ in alike)}
    board = (swapped[0].guide.platform, swapped[0].board, swapped[0].benchmark)
    ids = set(map(id, swapped))
    before: dict[object, dict[object, float]] = {}
    after: dict[object, dict[object, float]] = {}
    for row in rows:
        if (row.guide.platform, row.board, row.benchmark) != board:
            continue
        columns = frozenset(item for item in row.params.items() if item[0] in names)
        rest = (row.unit, frozenset(row.params.items()) - columns)
        table: object = columns if param else (row.metric, columns)
        line = (row.metric, *rest) if param else rest
        figure = _figure_before(row) or (row.old and row.old.cell.mean) or 0.0
        if figure > 0:
            before.setdefault(table, {})[line] = math.log(figure)
        if id(row) in ids and row.new and row.new.cell.mean:
            after.setdefault(table, {})[line] = math.log(row.new.cell.mean)
    return are_swapped(before, after)


def _release_with_wrong_labels(exchanged: Sequence[Row]) -> str:
    """Return the release with swapped labels: the one farther from the releases before both."""
    votes: Counter[str] = Counter()
    for row in exchanged:
        if not (row.old and row.new and row.old.cell.mean and row.new.cell.mean):
            continue
        last = version(row.old.guide.release)
        past = [value for release, value in row.line if version(release) < last and value > 0]
        ends = (row.old.cell.mean, row.new.cell.mean)
        if not past or min(ends) <= 0 or ends[0] == ends[1]:
            continue
        middle = median(map(math.log, past))
        is_new_near = abs(math.log(ends[1]) - middle) < abs(math.log(ends[0]) - middle)
        votes[(row.old if is_new_near else row.new).guide.release] += 1
    (release, count), *_ = [*votes.most_common(1), ("", 0)]
    return release if 2 * count > votes.total() else "one of the two releases"


def _sides(benchmark: Benchmark | None, param: str, values: Collection[Scalar | None]) -> str:
    """Return the names of the swapped tables, or "" without a description."""
    if benchmark is None or not param:
        return ""
    ordered = sorted((value for value in values if value is not None), key=units.plain)
    names = [labels.param(benchmark, param, value) for value in ordered]
    # A bare value would not say which parameter it is of.
    return " and ".join(names) if names != [*map(units.plain, ordered)] else ""


def _rest_of_tables(rows: Sequence[Row], exchanged: Sequence[int], param: str) -> list[int]:
    """Return the other rows of two swapped tables, such as the loads that go with rates: they share
    the parameters that all swapped rows have in common."""
    # Without rows that OLD measured, there is no verdict to withdraw.
    if not param or not exchanged:
        return []
    swapped = [rows[index] for index in exchanged]
    values = {row.params[param] for row in swapped}
    alike = set.intersection(*({*row.params.items()} for row in swapped))
    table = (swapped[0].guide.platform, swapped[0].board, swapped[0].benchmark)
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
    """Return why a row is not compared, in words that rows with one cause share, or ""."""
    if row.verdict != "incomparable" or not (row.old and row.new):
        return ""
    beginnings = (
        EXCHANGED,
        ENGINE_CHANGED,
        OTHER_BYTES,
        OTHER_UNIT,
        *CONDITIONS,
        REPEATED,
    )
    if row.ground.startswith(IMPOSSIBLE):
        limit = row.ground.partition(", ")[2].partition(" (")[0]
        return f"{IMPOSSIBLE}: {limit}"
    return row.ground if row.ground.startswith(beginnings) else ""


def _figure_before(row: Row) -> float:
    """Return the last figure before NEW of a row whose label may be swapped, 0 if there is none."""
    if not row.new or not row.new.cell.mean or row.new.cell.mean < 0 or row.accepted:
        return 0.0
    if units.parse(row.unit).kind == "share":
        return 0.0
    if row.verdict == "only-new":
        last = version(row.new.guide.release)
        past = [value for release, value in row.line if version(release) < last]
        return max(past[-1], 0.0) if past else 0.0
    if row.verdict not in RATED or not row.old:
        return 0.0
    return max(row.old.cell.mean or 0.0, 0.0)


def _moved(row: Row, before: float) -> Moved:
    assert row.new and row.new.cell.mean
    return Moved(row.metric, row.unit, row.params, math.log(before), math.log(row.new.cell.mean))


def _of_two_states(row: Row) -> Row:
    """Return a row, without its verdict if the figure went from one of two states to the other."""
    if row.better == "neither" or row.accepted or not (row.old and row.new):
        return row
    old, new = row.old.cell.mean, row.new.cell.mean
    if not old or not new or min(old, new) <= 0:
        return row
    # Later releases are not known when NEW is judged.
    now = row.new.guide.release
    line = [*(each for each in row.line if version(each[0]) < version(now)), (now, new)]
    states = alternating([value for _, value in line])
    if not states or (old > states[0][-1]) == (new > states[0][-1]):
        return row
    low, high = (
        f"{units.number(state[0])} to {units.number(state[-1])}"
        if state[0] < state[-1]
        else units.number(state[0])
        for state in states
    )
    # More runs would show both states, but not which one is usual.
    row = replace(row, verdict="noisy", detectable=None, more_runs=None)
    were_high = [(release, value > states[0][-1]) for release, value in line]
    changes = sum(before[1] != after[1] for before, after in pairwise(were_high[:-1]))
    is_far = abs(math.log(new) - math.log(old)) >= MIN_FAR_LOG and measures_own(row)
    if is_far and changes <= MAX_RARE_CHANGES_SHARE * (len(line) - 2):
        when_high, when_low = (
            units.enumeration(
                spans((release, was_high == wanted) for release, was_high in were_high)
            )
            for wanted in (True, False)
        )
        ground = f"it changed state: high ({high}) {when_high}, low ({low}) {when_low}"
        return replace(row, ground=ground, changed_state=True)
    ground = f"it alternates between two states, {low} and {high}"
    return replace(row, ground=ground, alternates=True)


def spans(releases: Iterable[tuple[str, bool]]) -> list[str]:
    """Return in words the releases, in order, for which something is true, together if they follow
    one another: ``from 9.0 to 9.2``, ``in 9.4``."""
    true = [[*span] for is_true, span in groupby(releases, key=itemgetter(1)) if is_true]
    ends = [(span[0][0], span[-1][0]) for span in true]
    return [f"in {end}" if start == end else f"from {start} to {end}" for start, end in ends]


def alternating(values: Sequence[float]) -> tuple[list[float], list[float]] | None:
    """Return the figures of each state, ascending, if figures alternated between two states before
    the last figure, else ``None``."""
    if len(values) < 2 * MIN_IN_STATE + 1 or min(values) <= 0:
        return None
    logs = sorted(map(math.log, values))
    gaps = [after - before for before, after in pairwise(logs)]
    cut = max(range(len(gaps)), key=gaps.__getitem__)
    # If figures repeat exactly, any gap would be large next to their range.
    widest = max(logs[cut] - logs[0], logs[-1] - logs[cut + 1], 0.02)
    is_near = gaps[cut] < MIN_STATES_LOG
    ratio = MIN_NEAR_STATES_GAP_RATIO if is_near else MIN_STATES_GAP_RATIO
    if gaps[cut] < max(MIN_NEAR_STATES_LOG, ratio * widest):
        return None
    limit = (logs[cut] + logs[cut + 1]) / 2
    # The states that judge the last figure must be proved without it.
    is_high = [math.log(value) > limit for value in values]
    changes = sum(before != after for before, after in pairwise(is_high[:-1]))
    if min(is_high[:-1].count(True), is_high[:-1].count(False)) < MIN_IN_STATE:
        return None
    if changes < (MIN_NEAR_STATE_CHANGES if is_near else MIN_STATE_CHANGES):
        return None
    ordered = sorted(values)
    return ordered[: cut + 1], ordered[cut + 1 :]

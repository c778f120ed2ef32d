"""Rules about the newest release of a board, which is about to be published.

No later release can reveal a fault in it, so its figures are compared with all earlier ones and
with those of other boards.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from statistics import fmean, median
from typing import NamedTuple

import numpy as np

from ..catalog.benchmarks import Scalar
from ..common import units
from ..figures import engines
from ..figures.columns import GUIDE, OWNER, Figures, digits
from .finding import Hit, amount

MIN_BOARDS_OF_SOC = 3
"""The fewest boards of one SoC among which one can be called unlike the others."""

MIN_FAR_LOG = math.log(1.5)
"""The log of the smallest ratio of a figure to earlier ones that is reported."""

MIN_UNLIKE_LOG = math.log(5)
"""The log of the smallest ratio of a figure to those of other boards that is reported."""

MIN_LONE_LOG = math.log(1.3)
"""The log of the smallest ratio of a sample to the others that is reported."""

MIN_LONE_RATIO, MAX_LONE_SHARE = 1.5, 0.1
"""The least ratio of an extreme to the mean, and the largest distance of the mean from the other
extreme as a share of the range, that show a single run far from the others."""

MIN_FAR_SPANS = 5.0
"""A newest figure is far off from this multiple of the range of earlier releases."""

UNIT_FACTORS = (10.0, 100.0, 1000.0, 1024.0, 1024.0**2, 1e6)
SLIP_TOLERANCE_LOG = math.log(1.15)
"""The most by which the log of a ratio may differ from that of a factor of units."""

MAX_LEVEL_RELEASES = 5
"""The most releases that show the present level of a figure."""

MIN_SURE_SLIP_LOG = math.log(50)
"""The log of the smallest ratio that is a slip of units whatever else moved."""

MAX_AGREEING_LOG = math.log(1.6)
"""The log of the largest ratio of figures that agree; a factor of ten is far beyond it."""

MIN_REPEATED_SHARE, MAX_USUAL_SHARE, MIN_REPEATED_FIGURES = 0.5, 0.25, 4
"""A copy repeats at least this share of the figures, where at most that share is usual, and at
least this many of them."""

MIN_FITTING_SHARE, MIN_ROWS_APART, MIN_APART_LOG = 0.8, 6, math.log(1.04)
"""Two boards are swapped if at least this share of rows fit the other board better, among at least
this many rows in which the log ratio of the two boards is large enough to distinguish them."""


def far(figures: Figures) -> Iterator[Hit]:
    """Yield newest figures far from those of all earlier releases, by a factor of units or not."""
    newest, candidates = figures.newest, list[tuple[Hit, list[float]]]()
    moved: dict[tuple[int, bool], list[float]] = {}
    table = figures.groups(*OWNER, "benchmark")
    means = figures.mean.tolist()
    for line in figures.lines:
        last = line[-1]
        if len(line) < 2 or not newest[last]:
            continue
        before = [means[position] for position in line[:-1]]
        if means[last] <= 0 or min(before) <= 0 or not figures.steady[last]:
            continue
        logs, log = [figures.logs[position] for position in line[:-1]], figures.logs[last]
        # Only the last releases, as small changes add up over a long history.
        level = logs[-MAX_LEVEL_RELEASES:]
        level_range, move = max(level) - min(level), log - median(level)
        slip = _slip(move)
        is_slip = slip and level_range <= MAX_AGREEING_LOG and abs(move) > 3 * level_range
        # The moves of the same benchmark in the same direction.
        alike = moved.setdefault((int(table[last]), move > 0), [])
        alike.append(move)
        if not is_slip and abs(move) < MIN_FAR_LOG:
            continue
        past = f"{len(before)} releases before had {units.number(min(before))} to {units.number(max(before))}"
        if len(before) == 1:
            past = f"the release before had {units.number(before[0])}"
        detail = f"{amount(means[last], figures.name('unit', last))}, where {past}"
        if is_slip:
            # A real change can be tenfold; no processor or memory gets a thousand times faster.
            may_lead = abs(move) < MIN_SURE_SLIP_LOG
            text = f"{detail}: {slip}"
            hit = Hit("unit-slip", last, text, weight=abs(move), may_lead=may_lead)
            candidates.append((hit, alike))
        elif len(before) >= 2 and _is_outlier(logs, log):
            hit = Hit("newest-far", last, detail, weight=abs(move))
            candidates.append((hit, alike))
    yield from (hit for hit, alike in candidates if not _moved_with_others(hit, alike))


def _moved_with_others(hit: Hit, moves: Sequence[float]) -> bool:
    """Return whether other figures of its benchmark moved far in the same direction. If these moved
    by different factors, they did change, which comparisons report."""
    if hit.rule == "newest-far":
        # The next row of a curve may have moved a little less.
        return sum(abs(move) >= hit.weight / 2 for move in moves) > 1
    return hit.may_lead and any(
        abs(move) >= MIN_FAR_LOG and abs(abs(move) - hit.weight) > SLIP_TOLERANCE_LOG
        for move in moves
    )


def _slip(away: float) -> str:
    """Return in words the factor between units to which a log ratio is close, or ""."""
    factor = min(UNIT_FACTORS, key=lambda factor: abs(abs(away) - math.log(factor)))
    if abs(abs(away) - math.log(factor)) > SLIP_TOLERANCE_LOG:
        return ""
    number = units.number(factor, 0)
    return f"about {number} times as much" if away > 0 else f"about a {number}th of it"


def _is_outlier(logs: Sequence[float], log: float) -> bool:
    """Return whether a figure is far from every earlier one, beyond their own scatter."""
    if min(abs(earlier - log) for earlier in logs) < MIN_FAR_LOG:
        return False
    # The present level: the last figures, going back for as long as they agree.
    stretch = [logs[-1]]
    for earlier in logs[-2::-1][:7]:
        if abs(earlier - stretch[0]) > 0.25:
            break
        stretch.append(earlier)
    if len(stretch) < 2:
        return False
    # After figures that repeat exactly, the slightest change would be many times their range.
    wide = max(max(stretch) - min(stretch), 0.01)
    # The second largest change shows whether a row often jumps.
    steps = sorted(abs(after - before) for before, after in pairwise(logs))
    usual = steps[-2] if len(steps) >= 2 else 0.0
    away = abs(log - fmean(stretch))
    return away >= MIN_FAR_SPANS * wide and away >= 2 * usual


def unlike_boards(figures: Figures) -> Iterator[Hit]:
    """Yield first figures of a board that are far from those of all other boards."""
    groups = figures.groups("benchmark", "metric", "unit", "params").tolist()
    kind = list(zip(groups, _waiting(figures), strict=True))
    soc, means = figures.code("soc").tolist(), figures.mean.tolist()
    # The newest figures of each kind, for all boards and for those of each SoC, ascending.
    latest: dict[tuple[object, ...], list[float]] = {}
    for line in figures.lines:
        last = line[-1]
        for key in ((kind[last],), (kind[last], soc[last])):
            latest.setdefault(key, []).append(means[last])
    for of_kind in latest.values():
        of_kind.sort()
    for line in figures.lines:
        last = line[-1]
        # A figure with a past is judged by that instead; see :func:`far`.
        is_first = len(line) == 1 and figures.newest[last]
        if not is_first or not figures.steady[last] or means[last] <= 0:
            continue
        near, everywhere = latest[kind[last], soc[last]], latest[(kind[last],)]
        values = _comparable(means[last], near, everywhere)
        if not values or values[0] <= 0:
            continue
        index, log = bisect_left(values, means[last]), math.log(means[last])
        neighbours = [values[n] for n in (index - 1, index + 1) if 0 <= n < len(values)]
        others = len(values) - 1
        low = values[1] if index == 0 else values[0]
        high = values[-2] if index == len(values) - 1 else values[-1]
        away = min(abs(math.log(value) - log) for value in neighbours)
        if away < MIN_UNLIKE_LOG or math.log(high) - math.log(low) > 2 * MIN_UNLIKE_LOG / 3:
            continue
        like = " with a CPU load like its own" if kind[last][1] is not None else ""
        span = f"{others} other boards{like} have {units.ends([*values[:index], *values[index + 1 :]])}"
        if others == 1:
            span = f"the other board has {units.number(low)}"
        detail = f"{amount(means[last], figures.name('unit', last))}, where {span}"
        yield Hit("unlike-boards", last, detail, weight=away)


def _comparable(mean: float, near: Sequence[float], everywhere: Sequence[float]) -> Sequence[float]:
    """Return the figures of boards that can show that a figure, one of them, is unlike the others:
    those ``near`` it, on the same SoC, or those of all boards. Empty if there are too few."""
    if len(near) >= MIN_BOARDS_OF_SOC:
        return near
    if len(near) == 2 and near[0] > 0 and math.log(near[1] / near[0]) >= MIN_SURE_SLIP_LOG:
        # One other board of the SoC suffices if the difference is too large to be real. If boards
        # of other SoCs are like this one, the other board is the odd one.
        close = math.exp(MIN_UNLIKE_LOG)
        return near if [v for v in everywhere if 1 / close < v / mean < close] == [mean] else ()
    return everywhere if len(everywhere) > 4 else ()


def _waiting(figures: Figures) -> list[bool | None]:
    """Return for each figure whether the CPU load of its run shows that the processor waited for an
    engine; ``None`` if the engine is recorded or the load does not show it."""
    params = figures.code("params").tolist()
    benchmark, board = figures.code("benchmark").tolist(), figures.groups(*GUIDE, "board").tolist()
    runs: dict[int, tuple[bool, frozenset[tuple[str, Scalar]]]] = {}
    loads: dict[tuple[object, ...], float] = {}
    out: list[bool | None] = []
    load_codes = {code for code, name in enumerate(figures.names("metric")) if name == engines.LOAD}
    run_keys: list[tuple[object, ...] | None] = []
    for position, metric in enumerate(figures.code("metric").tolist()):
        described = figures.catalog.benchmark(figures.name("benchmark", position))
        param = described.param(engines.ENGINE)
        if not param.classes:
            run_keys.append(None)
            continue
        if params[position] not in runs:
            own_params = figures.params(position)
            is_open = own_params.get(engines.ENGINE, param.default) == param.default
            rest = frozenset((n, v) for n, v in own_params.items() if n != engines.SIZE)
            runs[params[position]] = is_open, rest
        is_open, rest = runs[params[position]]
        key = (board[position], benchmark[position], rest)
        run_keys.append(key if is_open else None)
        if metric in load_codes:
            loads[key] = float(figures.mean[position])
    for run_key in run_keys:
        load = loads.get(run_key) if run_key else None
        out.append(None if load is None else engines.is_waiting(load))
    return out


def stale_copy(figures: Figures) -> Iterator[Hit]:
    """Yield the newest figures of benchmarks that repeat those of the release before."""
    means, rank = figures.mean.tolist(), figures.release_rank.tolist()
    table = figures.groups(*OWNER, "benchmark").tolist()
    shares: dict[int, dict[int, list[tuple[int, bool]]]] = {}
    for line in figures.lines:
        for before, after in pairwise(line):
            value = means[after]
            # Figures with fewer digits repeat by chance.
            if digits(value) >= 4:
                pair = (after, value == means[before])
                shares.setdefault(table[after], {}).setdefault(rank[after], []).append(pair)
    for by_release in shares.values():
        last = next((pairs for pairs in by_release.values() if figures.newest[pairs[0][0]]), None)
        if last is None or len(last) < MIN_REPEATED_FIGURES:
            continue
        same = [p for p, equal in last if equal]
        others = (pairs for pairs in by_release.values() if pairs is not last)
        earlier = [equal for pairs in others for _, equal in pairs]
        usual = float(np.mean(earlier)) if earlier else 0.0
        if (
            len(same) >= MIN_REPEATED_SHARE * len(last)
            and len(same) >= MIN_REPEATED_FIGURES
            and usual < MAX_USUAL_SHARE
        ):
            detail = f"{len(same)} of {len(last)} figures repeat those of the release before"
            for position in same:
                yield Hit("stale-copy", position, detail, weight=len(same) / len(last))


def swapped_boards(figures: Figures) -> Iterator[Hit]:
    """Yield the newest figures of pairs of boards that fit each other's past."""
    owner, guide = figures.groups(*OWNER), figures.groups(*GUIDE)
    kind = figures.groups("benchmark", "metric", "unit", "params")
    means, logs = figures.mean.tolist(), figures.logs
    # Grouped by guide, as only boards measured together can be swapped.
    boards: dict[int, dict[int, dict[int, _NewestFigure]]] = {}
    for line in figures.lines:
        last = line[-1]
        if len(line) < 2 or not figures.steady[last] or not figures.newest[last]:
            continue
        if min(means[position] for position in line) > 0:
            # The median of three releases is the present level, even if one of them is bad.
            before = median(logs[position] for position in line[:-1][-3:])
            of_guide = boards.setdefault(int(guide[last]), {})
            of_board = of_guide.setdefault(int(owner[last]), {})
            of_board[int(kind[last])] = _NewestFigure(last, before)
    for of_guide in boards.values():
        for one, two in combinations(sorted(of_guide), 2):
            yield from _swapped(figures, of_guide[one], of_guide[two])


class _NewestFigure(NamedTuple):
    """A newest figure of a board, and the log of the level that it had before."""

    position: int
    before: float


def _swapped(
    figures: Figures, one: Mapping[int, _NewestFigure], two: Mapping[int, _NewestFigure]
) -> Iterator[Hit]:
    """Yield the figures of two boards, by kind, if each fits the past of the other."""
    pairs = [
        (one[kind], two[kind])
        for kind in sorted(one.keys() & two.keys())
        if abs(one[kind].before - two[kind].before) >= MIN_APART_LOG
    ]
    reverse = [(second, first) for first, second in pairs]
    if len(pairs) < MIN_ROWS_APART or not (_fits(figures, pairs) and _fits(figures, reverse)):
        return
    for pair in pairs:
        for swapped, other in (pair, pair[::-1]):
            board = figures.name("board", other.position)
            detail = f"{len(pairs)} rows fit what {board} had before"
            yield Hit("swapped-boards", swapped.position, detail, weight=3.0)


def _fits(figures: Figures, pairs: Sequence[tuple[_NewestFigure, _NewestFigure]]) -> bool:
    """Return whether most figures of the first board clearly fit the past of the other board better
    than their own."""
    logs = figures.logs
    better = sum(
        abs(logs[first.position] - second.before) < abs(logs[first.position] - first.before) / 2
        for first, second in pairs
    )
    return better >= MIN_FITTING_SHARE * len(pairs)


def lone_sample(figures: Figures) -> Iterator[Hit]:
    """Yield figures with one sample unlike the others."""
    for position, samples in figures.samples(least=4).items():
        if min(samples) <= 0:
            continue
        logs = sorted(math.log(value) for value in samples)
        for rest, gap, value in (
            (logs[1:], logs[1] - logs[0], min(samples)),
            (logs[:-1], logs[-1] - logs[-2], max(samples)),
        ):
            # Beside samples that agree to the last digit, any gap would look large.
            if gap >= MIN_LONE_LOG and gap >= MIN_FAR_SPANS * max(rest[-1] - rest[0], 0.002):
                unit = figures.name("unit", position)
                close = [v for v in samples if v != value]
                ends = f"{units.number(min(close))} to {units.number(max(close))}"
                others = f"the other {len(rest)} are {ends}"
                detail = f"a sample of {amount(value, unit)}, where {others}"
                yield Hit("lone-sample", position, detail, weight=gap)


def lone_extreme(figures: Figures) -> Iterator[Hit]:
    """Yield figures whose mean lies so near to one extreme that the other must be a single run."""
    mean, low, high = figures.mean, figures.low, figures.high
    is_range = (low > 0) & (low <= mean) & (mean <= high) & (low < high)
    span = np.where(is_range, MAX_LONE_SHARE * (high - low), np.nan)
    slow = (mean - low <= span) & (high >= MIN_LONE_RATIO * mean)
    fast = (high - mean <= span) & (mean >= MIN_LONE_RATIO * low)
    for position in np.flatnonzero(slow | fast).tolist():
        unit = figures.name("unit", position)
        lone, other = (high, low) if slow[position] else (low, high)
        detail = (
            f"a sample of {amount(lone[position], unit)}, where the mean is "
            f"{units.number(mean[position])} and the other end {units.number(other[position])}"
        )
        weight = abs(math.log(lone[position]) - math.log(mean[position]))
        yield Hit("lone-sample", position, detail, weight=weight)


CHECKS = (far, stale_copy, swapped_boards, lone_sample, lone_extreme)
ACROSS_SOCS = (unlike_boards,)

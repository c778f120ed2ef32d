"""Judgement of the figures of two releases: did a figure change, and how large a change would show?

All rows of a comparison are judged together, with the run as the unit: a single figure is a release
with one run. Changes that many rows share are removed first (:mod:`.shifts`). The noise is learnt
from the figures themselves and from other releases (:mod:`.noise`), each row is tested against its
present level (:mod:`.moves`), and the false discovery rate among rows called different is bounded
(:mod:`.multiple_testing`)."""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from statistics import median
from typing import Literal

import numpy as np

from ..common import extras, units
from .moves import DIGIT, LASTING_RUNS, LEVEL_DEVIATIONS, MAX_LEVEL_RELEASES, Move, move_of, swings
from .multiple_testing import CAREFUL_SHARE, Thresholds, thresholds
from .noise import Noise, learn
from .relative import EQUAL, ScaledRow, Side, runs_scatter, scaled_row
from .shifts import Shift, without_shifts
from .usual_noise import Table, usual

Outcome = Literal["different", "same", "steady", "noisy"]

Spread = Literal["", "scatters more", "scatters less", "ranges overlap"]
"""The change in the scatter of samples that are at one level; empty if they are not, or are
unknown."""

STEADY_SCATTER = 0.1
"""The largest scatter within which a change counts as none; within a larger one it is undecided."""

UNDECIDED: tuple[Outcome, ...] = ("steady", "noisy")
"""Outcomes that more runs could turn into “different”."""

DETECTION_CHANCE = 0.8
"""The chance of detecting a change that matters with the proposed number of further runs."""

MAX_MORE_RUNS = 1000
"""The most further runs that are proposed."""

BETWEEN_RELEASES_SHARE = 0.5
"""The share of the variance of single figures that is assumed to be between releases, not runs."""

MAX_DETECTABLE = 10.0
"""The largest ``detectable`` change that is useful to readers; larger ones become ``None``."""

SURE_SHARE = 0.5
"""The share of the largest p-value called at which a change counts as detectable. It is below 1
because one more changed row would itself move that p-value."""

NORMAL_95_DEVIATIONS = 1.96
"""The number of standard deviations within which 19 of 20 normal figures lie."""

MAX_BOARD_P = 0.05
"""Boards together can prove a change only if the p-value on each is at most this."""

BOARD_CORRELATION = 0.25
"""The correlation between small changes of a row on two boards, in public history."""

MAX_BOARDS_RATIO = 3.0
"""The largest ratio of moves of a row on boards, as logs, that are judged together."""

MAX_AGREEING_RATIO = 1.1
"""The largest ratio of earlier figures at one level that are said to agree."""

AGREEING_FIGURES = 2
"""The number of equal earlier figures that show a level, but too little of a row's scatter."""

MIN_SHARED_RANGE_SHARE = 0.5
"""Samples are at one level if at least this share of the narrower range is within the wider one."""

MIN_SCATTERS_MORE_RATIO = 2.0
"""The smallest ratio of two ranges at which samples are said to scatter more."""

MIN_WIDER_RATIO, MAX_GAP_SHARE = 4.0, 0.05
"""It is enough that two ranges touch if one is wider by at least this ratio: a gap of at most this
share of the wider one counts as touching."""

MAX_MOVE_SHARE, MAX_WIDER_RATIO = 0.1, 2.0
"""Means do not scatter like their samples if they move from release to release by at most this
share of their ranges, and the newer range is at most this many times wider."""

SMALL_CHANGE = 0.05
"""A smaller change between single runs is called only at ``CAREFUL_SHARE`` of the rate."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of a comparison: the figures of both releases, and the evidence to judge them by."""

    old: Side
    new: Side
    family: str
    """A metric of a benchmark; rows of one family are expected to have similar relative noise."""
    history: tuple[Side, ...] = ()
    """The row in earlier releases, in version order, without OLD."""
    floor: float = 0.0
    """The smallest relative change that matters: ``0.02`` is 2 %."""
    benchmark: str = ""
    metric: str = ""
    step: float = 0.0
    """The resolution of the program, in the unit of the figures, or 0."""
    load: bool = False
    """True if the figures are loads in per cent."""
    upward: int = 0
    """1 if more is better, -1 if less is, else 0."""
    shared: tuple[str, ...] = ()
    """The groups that the row may have changed with: its board, its benchmark there, narrower
    ones."""
    later: tuple[Side, ...] = ()
    """The row in releases after NEW, if looking ahead is allowed."""
    figure: str = ""
    """The identity of the row across boards, if it is known."""

    @property
    def sampled(self) -> bool:
        """True if the row's own runs show how it scatters."""
        return runs_scatter(self.old.runs, self.new.runs)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome for one row. ``detectable`` and ``scatter`` are ratios of the larger figure to
    the smaller, less 1."""

    change: float | None
    """new/old - 1, or ``None`` if old is 0."""
    p: float | None
    """The probability of a difference at least as large if nothing changed, if it was tested."""
    q: float | None
    """``p`` adjusted for the number of rows."""
    outcome: Outcome
    """``different`` is a change of at least the floor that the false discovery rate allows to be
    called; ``same`` are equal figures, and changes that are certainly below the floor; ``steady``
    is a change within a scatter of at most ``STEADY_SCATTER``. Any other row is ``noisy``."""
    detectable: float | None
    """The smallest change in the direction of the row that would have been called."""
    more_runs: int | None
    """The number of further runs on each side that would settle a change that matters (the floor
    or, if that is 0, the change itself): 0 if the row is settled, ``None`` if no number would or
    nothing is known."""
    ground: str
    """The test and its reason, in words."""
    shift: Shift | None = None
    """The common change that the row took part in."""
    level: int = 0
    """The number of earlier figures that agree with OLD, for rows of single runs."""
    scatter: float | None = None
    """A bound for 19 of 20 changes if nothing changed."""
    kind_scatter: float | None = None
    """The scatter of the median row of its metric, if the row has just two earlier figures that
    agree."""
    kinds_of_figures: str = ""
    """The kinds of figures on both sides, in words."""
    single: tuple[bool, bool] = (False, False)
    """True for each side, old and new, that is one run without samples."""
    spread: Spread = ""
    """The change in scatter of samples at one level."""


@dataclass(frozen=True, slots=True)
class _Test:
    """A row, as measured and without the changes that many rows share, with the most conservative
    of its tests, and the noise that this test assumed."""

    pair: Pair
    as_measured: ScaledRow
    row: ScaledRow
    noise: Noise
    move: Move
    is_at_one_level: bool
    """The result of :func:`ranges_overlap` or :func:`runs_disagree`."""
    boards: int = 1
    """The number of boards with a change in the same direction, if together they prove more than
    this."""

    @property
    def swings(self) -> bool:
        """True if the row moves like this anyway."""
        row = self.as_measured
        return swings([release.at for release in row.past], row.move)

    @property
    def small(self) -> bool:
        """True if the change, up or down, is too small for single runs to show it reliably."""
        if self.row.sampled or not self.row.logs:
            return False
        return -math.expm1(-abs(self.as_measured.move)) < SMALL_CHANGE


def judge(
    pairs: Sequence[Pair], rate: float = 0.05, table: Table | None = None
) -> tuple[Judgement, ...]:
    """Judge all rows of a comparison together, and return their judgements in the same order.

    ``rate`` bounds the false discovery rate: the expected share of unchanged rows among those
    called different. Figures must be finite. ``table`` is the usual scatter of single figures, by
    default that of the package. Raises :class:`extras.MissingExtraError` without the extra
    ``compare``."""
    extras.require("compare")
    table = usual() if table is None else table
    as_measured = [scaled(pair) for pair in pairs]
    noises = learn(as_measured, table)
    rows, shifts = without_shifts(as_measured, noises)
    if any(row is not before for row, before in zip(rows, as_measured, strict=True)):
        # Rows scatter less without the common changes.
        noises = learn(rows, table)
    tests: dict[int, _Test] = {}
    for i, noise in enumerate(noises):
        at_one_level = ranges_overlap(pairs[i]) or runs_disagree(pairs[i])
        every = [
            _Test(pairs[i], as_measured[i], rows[i], learnt, move_of(rows[i], learnt), at_one_level)
            for learnt in noise
        ]
        if every:
            # Take the most conservative test: each way to learn the noise can miss some of it.
            test = max(every, key=lambda test: (test.move.p, test.move.error))
            # If the samples are at one level, a difference of their means is only scatter.
            tests[i] = replace(test, move=replace(test.move, p=1.0)) if at_one_level else test
    _join_boards(tests)
    p = np.array([test.move.p for test in tests.values()])
    small = np.array([test.small for test in tests.values()], dtype=bool)
    limits = thresholds(p, rate)
    q = dict(zip(tests, np.minimum(limits.q(p, small), 1.0).tolist(), strict=True))
    return tuple(
        _judgement(tests[i], q[i], rate, limits, _main_shift(as_measured[i], shifts[i]))
        if i in tests
        else _untested(pair, as_measured[i])
        for i, pair in enumerate(pairs)
    )


def _join_boards(tests: dict[int, _Test]) -> None:
    """Give rows that changed in the same direction on several boards, on each hardly by chance,
    their joint p-value if it is smaller than their own.

    The normal scores of correlated tests are added. Source: M. J. Strube, "Combining and comparing
    significance levels from nonindependent hypothesis tests", Psychol. Bull. 97 (1985) 334-341."""
    from scipy import special

    by_figure: dict[tuple[str, bool], dict[tuple[float, float], list[int]]] = {}
    for i, test in tests.items():
        # Without a common shift, the rest of a change can have the other sign: readers would not
        # see it.
        goes_on = test.move.by * test.as_measured.move > 0
        if test.pair.figure and goes_on and test.move.p <= MAX_BOARD_P:
            # Boards with identical figures are one measurement under two names.
            figures = (test.pair.old.mean, test.pair.new.mean)
            key = (test.pair.figure, test.move.by > 0)
            by_figure.setdefault(key, {}).setdefault(figures, []).append(i)
    for boards in by_figure.values():
        count = len(boards)
        firsts = [tests[indices[0]] for indices in boards.values()]
        sizes = [abs(test.as_measured.move) for test in firsts]
        # Boards that moved by unlike factors do not confirm each other.
        if count < 2 or max(sizes) > MAX_BOARDS_RATIO * min(sizes):
            continue
        scores = [-special.ndtri(test.move.p / 2) for test in firsts]
        spread = math.sqrt(count + count * (count - 1) * BOARD_CORRELATION)
        joint = 2 * float(special.ndtr(-sum(scores) / spread))
        for i in chain.from_iterable(boards.values()):
            if joint < tests[i].move.p:
                tests[i] = replace(tests[i], move=replace(tests[i].move, p=joint), boards=count)


def scaled(pair: Pair) -> ScaledRow:
    """Return a pair as a row on its scale."""
    key = (pair.benchmark or pair.family, pair.metric or pair.family)
    before = (*pair.history, pair.old)
    return scaled_row(
        before, pair.new, pair.later, pair.load, pair.step, key, pair.upward, pair.shared
    )


def ranges_overlap(pair: Pair) -> bool:
    """Return whether the samples of two sides, at least one with a known range, are at one level.

    They are if half of the narrower range, or a figure without one, lies within the other range, or
    if a much wider range at least touches it. Ranges prove nothing if earlier means agree far
    better than such samples would."""
    if pair.sampled or not (pair.old.has_range or pair.new.has_range) or _means_repeat(pair):
        return False
    old, new = pair.old.ends, pair.new.ends
    shared = min(old[1], new[1]) - max(old[0], new[0])
    narrow, wide = sorted((old[1] - old[0], new[1] - new[0]))
    if wide >= MIN_WIDER_RATIO * narrow and shared >= -MAX_GAP_SHARE * wide:
        return True
    return shared >= MIN_SHARED_RANGE_SHARE * narrow and shared >= 0


def runs_disagree(pair: Pair) -> bool:
    """Return whether the two runs of a release differ by more than the releases do: the mean of a
    good and a bad run is no new level. Three or more runs show their scatter."""
    if pair.sampled:
        return False
    old, new = (sorted(side.samples or (side.mean,)) for side in (pair.old, pair.new))
    gap = max(new[0] - old[-1], old[0] - new[-1])
    return gap < max(old[-1] - old[0], new[-1] - new[0])


def _means_repeat(pair: Pair) -> bool:
    """Return whether earlier means repeat too well to scatter like their ranges. Those of many
    samples do, and those of two unlike figures, which are in the middle of their range."""
    past = [side for side in (*pair.history, pair.old) if side.has_range and side.mean > 0]
    if len(past) < LASTING_RUNS:
        return False
    usual_width = median(side.width for side in past)
    moves = [abs(math.log(now.mean / was.mean)) for was, now in pairwise(past)]
    if median(moves) > MAX_MOVE_SHARE * usual_width:
        return False
    halves = all(
        math.isclose(sum(each.ends) / 2, each.mean, rel_tol=1e-4) for each in (*past, pair.new)
    )
    return halves or pair.new.width <= MAX_WIDER_RATIO * usual_width


def _main_shift(row: ScaledRow, shifts: Sequence[Shift]) -> Shift | None:
    """Return the largest shift if the row changed in its direction, else ``None``."""
    main = max(shifts, key=lambda shift: abs(shift.by), default=None)
    return main if main and row.move * row.upward * main.by > 0 else None


def _untested(pair: Pair, row: ScaledRow) -> Judgement:
    before = len(row.past) - 1
    past = (
        f"{before} earlier, which is too little to show"
        if before
        else "no earlier release or second run that shows"
    )
    ground = f"{_runs(pair)}, and {past} how much such runs differ"
    if abs(row.move) <= EQUAL:
        ground = "the figures are equal"
    elif row.sampled:
        ground = "runs drift, each is like the one before it; measure old and new in turns"
    outcome: Outcome = "same" if pair.old.mean == pair.new.mean else "noisy"
    return Judgement(_change(pair), None, None, outcome, None, None, ground)


def _judgement(
    test: _Test, q: float, rate: float, limits: Thresholds, shift: Shift | None
) -> Judgement:
    pair, move = test.pair, test.move
    change, ground = _change(pair), _ground(test)
    detectable = _called_from(test, limits)
    # 19 of 20 changes stay within this.
    scatter = _relative(test, replace(move, beyond=0.0).bound(0.05), 1.0)
    matters = change is None or abs(change) >= pair.floor
    together = shift is not None and math.expm1(abs(shift.by)) >= pair.floor
    outcome: Outcome
    if q <= rate * (CAREFUL_SHARE if test.small else 1.0):
        # A certain change may still be too small to matter.
        outcome = "different" if matters else "same"
        shift = None if shift is None or abs(move.by) > abs(shift.by) else shift
        if outcome == "same":
            ground += "; it differs, but by less than matters"
    # The group has provably changed, and this row with it, unless it moves like this anyway.
    elif together and matters and not (test.is_at_one_level or test.swings):
        outcome = "different"
    # Figures within one step do not prove that a row is steady if one step is a large change.
    elif move.equal and change and math.expm1(test.row.step) > STEADY_SCATTER:
        outcome = "noisy"
    elif _is_step(test) or (detectable is not None and detectable <= pair.floor):
        outcome = "same"
    else:
        outcome = _steady(change, scatter)
    spread = _spread(pair) if test.is_at_one_level and not runs_disagree(pair) else ""
    if test.boards > 1:
        ground += f"; it moved alike on {test.boards} boards, which were judged as one"
        detectable = None if outcome == "different" else detectable
    if spread and outcome == "noisy":
        width = max(scatter or 0.0, pair.old.width, pair.new.width)
        # The ratio of samples on both sides of zero is infinite.
        scatter = width if math.isfinite(width) else None
    return Judgement(
        change=change,
        p=move.p,
        q=q,
        outcome=outcome,
        detectable=detectable,
        more_runs=_more_runs(test, limits.large) if outcome in UNDECIDED else 0,
        ground=ground,
        shift=shift if outcome == "different" else None,
        level=0 if test.row.sampled else move.level.releases,
        scatter=scatter,
        kind_scatter=_kind_scatter(test),
        kinds_of_figures=_runs(pair),
        single=(_is_single(pair.old), _is_single(pair.new)),
        spread=spread,
    )


def _spread(pair: Pair) -> Spread:
    """Return the change in the scatter of samples at one level."""
    if pair.new.width > MIN_SCATTERS_MORE_RATIO * pair.old.width:
        return "scatters more"
    return (
        "scatters less"
        if pair.old.width > MIN_SCATTERS_MORE_RATIO * pair.new.width
        else "ranges overlap"
    )


def _kind_scatter(test: _Test) -> float | None:
    """Return the scatter of the median row of the metric if a row has only two earlier figures,
    which agree, else ``None``."""
    level = test.move.level.releases
    if not test.noise.of_kind or not len(test.row.past) == level == AGREEING_FIGURES:
        return None
    error = math.sqrt(test.noise.of_kind * (1 + 1 / level))
    return _relative(test, NORMAL_95_DEVIATIONS * error, 1.0)


def _relative(test: _Test, size: float, way: float) -> float | None:
    """Return a change on the row's scale as the ratio of the larger figure to the smaller, less 1,
    or ``None`` if there is none or it exceeds ``MAX_DETECTABLE``. ``way`` is 1 for up, -1 for
    down."""
    old, new = test.pair.old.mean, test.pair.new.mean
    if test.row.logs:
        # exp(710) overflows.
        share = math.expm1(min(size, 700.0))
    elif test.pair.load and old > 0:
        end = math.asin(math.sqrt(min(old, 100.0) / 100)) + way * size
        # The scale of loads ends at 0 and 100 %.
        moved = 100 * math.sin(end) ** 2 if 0 < end < math.pi / 2 else 0.0
        share = max(moved / old, old / moved) - 1 if moved else math.inf
    elif old:
        figures = (old, new, *(side.mean for side in test.pair.history))
        share = size * (float(max(map(abs, figures))) / abs(float(old)))
        # A fall by a share is a larger factor, and one to zero has none.
        if way < 0:
            share = share / (1 - share) if share < 1 else math.inf
    else:
        return None
    return share if share <= MAX_DETECTABLE else None


def _called_from(test: _Test, limits: Thresholds) -> float | None:
    """Return the smallest relative change in the direction of the row that would be called."""
    move, as_measured = test.move, test.as_measured
    way = math.copysign(1.0, as_measured.move)
    # The distance from OLD to the present level, plus the common change that was removed.
    offset = (move.level.at - as_measured.old.at + as_measured.new.at - test.row.new.at) * way
    share = SURE_SHARE if limits.fitted else 1.0
    large, small = (
        _relative(test, max(move.bound(p * share) + offset, 0.0), way)
        for p in (limits.large, limits.small)
    )
    # The factor up to which a change is small, whether up or down.
    limit = (1 / (1 - SMALL_CHANGE) - 1) * (1 + EQUAL)
    if test.row.sampled or not test.row.logs or large is None or large >= limit:
        return large
    return limit if small is None else min(limit, small)


def _steady(change: float | None, scatter: float | None) -> Outcome:
    """Return ``steady`` for a change within a small scatter, else ``noisy``."""
    if change is None or change <= -1 or scatter is None or scatter > STEADY_SCATTER:
        return "noisy"
    return "steady" if max(change, 1 / (1 + change) - 1) <= scatter else "noisy"


def _more_runs(test: _Test, level: float) -> int | None:
    """Return the number of further runs on each side that would settle a change that matters, or
    ``None``. More runs do not reduce the share ``BETWEEN_RELEASES_SHARE`` of the variance of single
    figures."""
    from scipy import special

    pair, row, noise, move = test.pair, test.row, test.noise, test.move
    if not row.sampled:
        share = BETWEEN_RELEASES_SHARE / (1 - BETWEEN_RELEASES_SHARE)
        noise = replace(noise, variance=noise.variance / (1 + share), between=share)
    # Samples with overlapping ranges do not show how the means of runs scatter.
    if test.is_at_one_level and not runs_disagree(pair):
        return None
    size = max(pair.floor, 0.0 if row.sampled and pair.floor else abs(_change(pair) or 0.0))
    wanted = math.log1p(size) if row.logs else abs(row.move)
    if wanted <= EQUAL or noise.variance <= 0:
        return None

    def settled(more: int) -> bool:
        ends = (move.level.runs + more, row.new.runs + more)
        # Until a level has lasted, a figure within the earlier range may be a return to it.
        if max(ends) < LASTING_RUNS and (move.returned or move.beyond >= wanted):
            return False
        freedom = move.freedom + 2 * more
        needed = -special.stdtrit(freedom, level / 2) + special.stdtrit(freedom, DETECTION_CHANCE)
        error = math.sqrt(sum(map(noise.of_release, ends)))
        # The quantile of a tiny level is infinite.
        return bool(min(float(needed), 1e9) * error <= wanted)

    least = 0 if row.sampled else 1
    # More runs always help, so bisection finds the smallest number.
    runs = bisect_left(range(least, MAX_MORE_RUNS + 1), True, key=settled) + least
    return runs if runs <= MAX_MORE_RUNS else None


def _change(pair: Pair) -> float | None:
    if pair.old.mean == 0:
        return None
    if pair.old.mean == pair.new.mean:
        return 0.0
    change = pair.new.mean / pair.old.mean - 1
    # Division by a tiny figure can overflow, and JSON has no infinity.
    return max(min(change, sys.float_info.max), -sys.float_info.max)


def _ground(test: _Test) -> str:
    """Return in words why the test of a row cannot count, or what it compared: runs and history."""
    return _no_test(test) or f"{_runs(test.pair)}{_history(test)}"


def _no_test(test: _Test) -> str:
    """Return why the test of a row cannot count, "" if it does."""
    pair, runs = test.pair, _runs(test.pair)
    if _is_step(test) and pair.old.mean != pair.new.mean:
        return f"{runs}; the change is no more than one step in which it is counted or printed"
    if _is_step(test) and len(test.as_measured.past) == 1:
        return "the figures are equal"
    if runs_disagree(pair):
        return f"{runs}; runs of one release differ by more than the releases do"
    if not test.is_at_one_level:
        return ""
    now, was = (_span(*side.ends) for side in (pair.new, pair.old))
    gap = pair.old.ends[1] < pair.new.ends[0] or pair.new.ends[1] < pair.old.ends[0]
    # With a larger gap, the samples would not be at one level.
    lie = "nearly meet" if gap else "overlap"
    return f"the ranges of their samples {lie}: {now} against {was} before"


def _history(test: _Test) -> str:
    """Return what earlier and later releases show, to follow the kinds of runs."""
    before, move = len(test.as_measured.past), test.move
    after = f"; the {move.after - 1} after NEW agree with it" if move.after > 1 else ""
    if before == 1:
        others = "public history" if test.noise.public else "other rows"
        scatter = "" if test.as_measured.sampled else f"; its scatter is that of {others}"
        return f", and no earlier release to compare with{scatter}{after}"
    # Quote means, which readers see, although the test is of single runs.
    means = [side.mean for side in (*test.pair.history, test.pair.old)][-before:]
    if max(means) - min(means) <= EQUAL * abs(max(means)):
        return f"; {before} earlier releases were all equal{after}"
    is_level = _is_one_level(test)
    if move.returned and min(means) <= test.pair.new.mean <= max(means) and not is_level:
        return f"; within the range of {before} earlier releases"
    if is_level or before == 2:
        levels = f" {_range(means, test.as_measured.logs)}"
    else:
        levels = f", of which {_last_level(test, means)}"
    return f"; {before} earlier releases{levels}{after}"


def _is_one_level(test: _Test) -> bool:
    """Return whether all earlier figures that count are at the level of the last."""
    past, releases = test.as_measured.past, test.move.level.releases
    # Removing a common change can separate two equal figures.
    are_parted = releases == 1 and abs(past[-1].at - past[-2].at) <= EQUAL
    return are_parted or releases == min(len(past), MAX_LEVEL_RELEASES)


def _range(means: Sequence[float], are_logs: bool) -> str:
    """Return by how much figures differed or, if that says little, between which they lay."""
    smaller, larger = sorted((abs(min(means)), abs(max(means))))
    size = larger / smaller - 1 if are_logs else math.inf
    if size > MAX_DETECTABLE:
        return f"lay between {units.number(min(means))} and {units.number(max(means))}"
    if size >= 1:
        return f"differed by up to ×{units.number(1 + size, digits=3)}"
    return f"differed by up to {units.number(100 * size, digits=2)} %"


def _last_level(test: _Test, means: Sequence[float]) -> str:
    """Return which of the last figures are at one level."""
    releases = test.move.level.releases
    if releases == 1:
        # The one before the last may be the outlier.
        return "the last is unlike the others" if _is_last_unlike(test) else "the last 2 differ"
    level = sorted(map(abs, means[-releases:]))
    # Figures that usually scatter more are one level, too, but readers would not say that they
    # agree.
    if level[-1] > MAX_AGREEING_RATIO * level[0]:
        return f"the last {len(level)} lay between {units.number(level[0])} and {units.number(level[-1])}"
    return f"the last {releases} agree"


def _is_step(test: _Test) -> bool:
    """Return whether a row changed by no more than one step in which it is counted or printed."""
    # A row that changed far with others can be equal once the common change is removed.
    return test.move.equal and abs(test.as_measured.move) <= max(
        EQUAL, DIGIT * test.as_measured.step
    )


def _is_last_unlike(test: _Test) -> bool:
    """Return whether OLD is far from each earlier release, with common changes included."""
    *others, last = (release.at for release in test.as_measured.past)
    far = LEVEL_DEVIATIONS * math.sqrt(test.noise.of_release(test.as_measured.old.runs))
    return all(abs(other - last) > far for other in others)


def _runs(pair: Pair) -> str:
    """Return the kinds of figures of both sides: ``one run each``, ``2 runs against 3``."""
    if pair.sampled:
        return f"{pair.old.runs} runs against {pair.new.runs}"
    old, new = (_behind(side) for side in (pair.old, pair.new))
    return f"{old} each" if old == new else f"{old} before, {new} now"


def _is_single(side: Side) -> bool:
    return side.runs == 1 and not side.has_range


def _behind(side: Side) -> str:
    if side.runs > 1:
        return f"{side.runs} runs ({', '.join(map(units.number, sorted(side.samples)))})"
    if _is_single(side):
        return "one run"
    return "one mean of samples" if side.count is None else "one run of several samples"


def _span(least: float, most: float) -> str:
    """Return a range in words: ``1.5 to 9``, or one figure if both ends read the same."""
    # Ends are single samples, which rarely have more than six digits.
    ends = dict.fromkeys(units.number(end, digits=6) for end in (least, most))
    return " to ".join(ends)

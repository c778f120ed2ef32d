"""What is said of two releases' samples: by hand, by properties, and at the held rate."""

from __future__ import annotations

import csv
import math
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from profiles import examples
from scipy import special

from perfguide.compare.judge import Judgement, Pair, judge
from perfguide.compare.moves import move_of
from perfguide.compare.multiple_testing import adjusted
from perfguide.compare.noise import inverse_trigamma, learn
from perfguide.compare.relative import ScaledRow, Side, scaled_row
from perfguide.compare.successive_differences import Ratio, is_smooth, successive_ratio

ROOT = Path(__file__).parents[2]


def runs(*samples: float) -> Side:
    return Side(
        float(np.mean(samples)) if len(set(samples)) > 1 else samples[0],
        min(samples),
        max(samples),
        len(samples),
        tuple(samples),
    )


def one(mean: float) -> Side:
    return Side(mean)


def only(pair: Pair) -> Judgement:
    (judgement,) = judge([pair])
    return judgement


# ---------------------------------------------------------------- by hand


def test_the_adjustment_is_that_of_the_published_example() -> None:
    # Benjamini and Hochberg 1995, section 3.2: of 15 tests, four are kept at 5 %.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    q = adjusted(np.array(p))
    assert [value <= 0.05 for value in q] == [True] * 4 + [False] * 11
    assert q[0] == pytest.approx(0.0001 * 15)
    assert q[3] == pytest.approx(0.0095 * 15 / 4)
    assert adjusted(np.zeros(0)).size == 0
    assert adjusted(np.array(p[::-1])).tolist() == q[::-1].tolist()


def test_inverse_trigamma_inverts() -> None:
    for x in (0.1, 0.5, 1.0, 7.0, 300.0):
        assert inverse_trigamma(float(special.polygamma(1, x))) == pytest.approx(x)


def row_of(*releases: Side, metric: str = "m") -> ScaledRow:
    """A row of releases, the last two of which are compared."""
    return scaled_row(releases[:-1], releases[-1], (), False, 0.0, ("b", metric), 1, ())


def test_a_moderated_variance_lies_between_the_familys_and_the_rows() -> None:
    random = np.random.default_rng(7)
    spread = np.array([0.01] * 40 + [0.05])
    drawn = 100 * np.exp(spread[:, None, None] * random.standard_normal((41, 2, 4)))
    noises = learn([row_of(runs(*a), runs(*b)) for a, b in drawn.tolist()], {})
    own = np.log(drawn[-1]).var(axis=1, ddof=1).mean()
    (wild,), (calm,) = noises[-1], noises[0]
    assert calm.variance < wild.variance < own
    # Six degrees of freedom of the row's own, and at most nine of the others.
    assert 6 < wild.freedom <= 15


def test_like_rows_support_each_other_and_unlike_rows_do_not() -> None:
    random = np.random.default_rng(7)
    unlike = np.exp(1.5 * random.standard_normal(200))
    freedoms = []
    for spread in (np.ones(200), unlike):
        drawn = 100 * np.exp(0.01 * spread[:, None, None] * random.standard_normal((200, 2, 3)))
        noises = learn([row_of(runs(*a), runs(*b)) for a, b in drawn.tolist()], {})
        freedoms.append(noises[0][0].freedom)
    assert freedoms[0] == pytest.approx(4 + 9)
    assert freedoms[1] < 4 + 3


def test_the_test_of_one_row_alone_is_students() -> None:
    first, second = [100.0, 101.0, 102.5], [140.0, 143.0, 139.0]
    row = row_of(runs(*first), runs(*second))
    ((noise,),) = learn([row], {})
    logs = np.log([first, second])
    pooled = logs.var(axis=1, ddof=1).mean() + 0.003**2
    t = (logs[1].mean() - logs[0].mean()) / math.sqrt(pooled * 2 / 3)
    assert move_of(row, noise).p == pytest.approx(2 * special.stdtr(4, -abs(t)))


def test_noise_between_releases_is_learnt_from_history_and_a_lasting_change_is_not_noise() -> None:
    def between(levels: Sequence[float]) -> float:
        sides = [runs(v * 0.98, v, v * 1.02) for v in (*levels, 100, 100)]
        return learn([row_of(*sides)], {})[0][0].between

    assert between([100, 124, 92, 118, 90, 120]) > 10
    assert between([100, 100, 100, 130, 130, 130]) == 0


# ---------------------------------------------------------------- one row, or few


def test_clear_and_unclear_changes_of_single_rows() -> None:
    clear = only(Pair(runs(100, 101, 99, 100.5, 99.5), runs(80, 81, 79, 80.5, 79.5), "f"))
    assert clear.outcome == "different"
    assert clear.change == pytest.approx(-0.2)
    assert clear.more_runs == 0
    unclear = only(Pair(runs(100, 140, 80), runs(110, 150, 85), "f"))
    assert unclear.outcome == "noisy"
    assert unclear.detectable is not None and unclear.detectable > 0.5
    assert unclear.more_runs is not None and unclear.more_runs > 10


def test_a_change_below_the_floor_is_none_and_a_quiet_row_is_the_same() -> None:
    small = only(
        Pair(runs(100, 100.01, 99.99, 100.02), runs(101, 101.01, 101.02, 100.99), "f", (), 0.02)
    )
    assert small.outcome == "same"
    assert small.q is not None and small.q < 0.05
    quiet = only(Pair(runs(100, 100.1, 99.9, 100.2), runs(100.05, 100, 99.9, 100.1), "f", (), 0.05))
    assert quiet.outcome == "same"
    assert quiet.detectable is not None and quiet.detectable < 0.05


def test_more_runs_are_as_many_as_settle_it() -> None:
    random = np.random.default_rng(3)
    made = 100 * (1 + 0.03 * random.standard_normal((20, 2, 3)))
    pairs = [Pair(runs(*a), runs(*b), "f", (), 0.05) for a, b in made.tolist()]
    first = judge(pairs)
    more = max(j.more_runs for j in first if j.more_runs is not None)
    assert more > 0
    made = 100 * (1 + 0.03 * random.standard_normal((20, 2, 3 + more)))
    pairs = [Pair(runs(*a), runs(*b), "f", (), 0.05) for a, b in made.tolist()]
    settled = [j for j in judge(pairs) if j.outcome == "same"]
    assert len(settled) >= 15


def test_equal_samples_on_both_sides_are_the_same() -> None:
    still = only(Pair(runs(5, 5, 5), runs(5, 5, 5), "f"))
    assert (still.outcome, still.change, still.p) == ("same", 0.0, 1.0)


def test_figures_that_repeat_exactly_on_each_side_differ_once_there_are_enough() -> None:
    assert only(Pair(runs(*[5] * 5), runs(*[6] * 5), "f")).outcome == "different"
    assert only(Pair(runs(5, 5), runs(6, 6), "f")).outcome == "noisy"


def test_a_step_of_a_quantised_figure_is_no_change() -> None:
    steps = tuple(one(v) for v in (5000, 10000, 5000, 5000, 10000, 5000, 5000))
    assert only(Pair(one(5000), one(10000), "whetstone", steps)).outcome == "noisy"


def test_zero_and_mixed_signs_are_figures_like_others() -> None:
    zero = only(Pair(runs(0, 0, 0), runs(1, 1.1, 0.9), "loss"))
    assert zero.change is None
    assert only(Pair(runs(0, 0), runs(0, 0), "loss")).outcome == "same"
    negative = only(Pair(runs(-10, -10.1, -9.9, -10.05), runs(-20, -20.1, -19.9, -20.05), "t"))
    assert negative.outcome == "different"
    assert negative.change == pytest.approx(1.0, rel=0.01)


def test_one_figure_each_and_nothing_else_is_not_tested() -> None:
    lone = only(Pair(one(100), one(120), "f"))
    assert (lone.p, lone.q, lone.outcome) == (None, None, "noisy")
    assert "no earlier release or second run" in lone.ground
    assert only(Pair(one(100), one(100), "f")).outcome == "same"


def test_one_figure_each_is_judged_by_the_history_of_the_family() -> None:
    random = np.random.default_rng(11)

    def past() -> tuple[Side, ...]:
        return tuple(one(v) for v in (100 * (1 + 0.01 * random.standard_normal(8))).tolist())

    pairs = [Pair(one(100), one(100.5), "f", past()) for _ in range(30)]
    pairs.append(Pair(one(100), one(130), "f", past()))
    judged = judge(pairs)
    assert judged[-1].outcome == "different"
    assert judged[-1].ground.startswith("one run each; 9 earlier releases differed by up to ")
    assert all(j.outcome != "different" for j in judged[:-1])


@pytest.mark.parametrize(
    ("past", "said"),
    [
        ((5.85, 5.71, 5.78, 6.79, 5.84), "the last 2 differ"),  # 6.79 is the odd one
        ((5.85, 5.71, 5.78, 5.79, 6.84), "the last is unlike the others"),
    ],
)
def test_the_last_release_is_unlike_the_others_only_if_it_is_unlike_each(
    past: Sequence[float], said: str
) -> None:
    quiet = [Pair(one(100), one(100), "f", (one(100.3), one(99.8), one(100.1))) for _ in range(30)]
    sides = tuple(map(one, past))
    judged = judge([*quiet, Pair(sides[-1], one(8.43), "f", sides[:-1])])
    assert judged[-1].ground == f"one run each; 5 earlier releases, of which {said}"


@pytest.mark.parametrize(
    ("others", "together"),
    [
        ((), False),
        ((0.879, 0.882), True),
        ((0.88, 0.88), False),
        ((1.13, 1.14), False),
        ((0.67, 0.68), False),  # as logs, three times as far
    ],
)
def test_a_row_that_moved_alike_on_several_boards_is_judged_with_all_of_them(
    others: tuple[float, ...], together: bool
) -> None:
    """A fall by an eighth is no proof on one board, on boards that moved the other way or much farther, or
    on those with the same figures."""
    drawn = 100 * np.exp(0.02 * np.random.default_rng(3).standard_normal((60, 9)))
    pairs = [
        Pair(one(own[-2]), one(own[-1]), "f", tuple(map(one, own[:-2])), 0.02, "f", "f")
        for own in drawn.tolist()
    ]
    past = drawn[0, :-1] / drawn[0, -2]
    boards = [
        replace(
            pairs[0],
            old=one(100.0),
            new=one(100 * move),
            history=tuple(map(one, (100 * past[:-1]).tolist())),
            figure="rate",
        )
        for move in (0.88, *others)
    ]
    first = judge([*pairs, *boards])[60]
    alone = judge([*pairs, *(replace(each, figure="") for each in boards)])[60]
    assert alone.outcome != "different" and alone.p is not None and alone.p < 0.05
    assert (first.outcome == "different") is together
    assert ("moved alike on 3 boards" in first.ground) is together


def test_one_run_each_without_any_past_calls_nothing() -> None:
    random = np.random.default_rng(12)
    shifts = np.exp(0.01 * random.standard_normal(40)).tolist()
    judged = judge([*(Pair(one(7), one(7 * s), "f") for s in shifts), Pair(one(7), one(14), "f")])
    assert {(j.outcome, j.p) for j in judged} == {("noisy", None)}
    assert "no earlier release or second run" in judged[-1].ground


def test_ranges_that_overlap_are_no_difference_where_runs_are_not_counted() -> None:
    lap = only(Pair(Side(100, 90, 110), Side(105, 95, 115), "lmbench", benchmark="lmbench"))
    assert lap.outcome == "noisy" and lap.p == 1.0
    assert "overlap" in lap.ground
    apart = only(Pair(Side(100, 90, 110), Side(125, 115, 135), "lmbench", benchmark="lmbench"))
    assert apart.p is not None and apart.p < 1
    assert "overlap" not in apart.ground


def test_two_runs_of_a_release_that_disagree_prove_no_new_level() -> None:
    """AM335X with 08.02 read memory once as fast as ever, and once slower by a seventh."""
    past = tuple(map(one, (283.1, 284.4, 283.5, 284.2, 283.9)))
    calm = [Pair(one(100), one(100), "f", past) for _ in range(10)]
    *_, one_bad, both_bad = judge(
        [
            *calm,
            Pair(one(284.0), runs(242.8, 283.7), "f", past),
            Pair(one(284.0), runs(242.8, 243.7), "f", past),
        ]
    )
    assert one_bad.outcome == "noisy"
    assert one_bad.ground.endswith(
        "(242.8, 283.7) now; runs of one release differ by more than the releases do"
    )
    assert both_bad.outcome == "different"


def test_an_outlier_does_not_hide_a_change_of_the_other_samples() -> None:
    random = np.random.default_rng(5)
    made = 100 * (1 + 0.01 * random.standard_normal((40, 2, 12)))
    made[:, 0, 0] *= 1.5
    made[:5, 1, :] *= 1.05
    judged = judge([Pair(runs(*a), runs(*b), "f") for a, b in made.tolist()])
    assert [j.outcome == "different" for j in judged] == [True] * 5 + [False] * 35


# ---------------------------------------------------------------- properties

figure = st.one_of(
    st.integers(1, 4000).map(lambda v: v / 100),
    st.integers(9900, 10100).map(lambda v: v / 100),
)
wild = st.one_of(
    figure,
    st.floats(-1e200, 1e200, allow_nan=False),
    st.sampled_from([0.0, -0.0, 5e-324, 1e200, -1e200, 1e-300, 1.0]),
)


@st.composite
def sides(draw: st.DrawFn, values: st.SearchStrategy[float]) -> Side:
    samples = draw(st.lists(values, min_size=1, max_size=6))
    mean = math.fsum(v / len(samples) for v in samples)
    mean = max(min(mean, max(samples)), min(samples))
    kind = draw(st.sampled_from(["samples", "range", "counted", "mean"]))
    if kind == "samples":
        return Side(mean, min(samples), max(samples), len(samples), tuple(samples))
    if kind == "mean":
        return Side(mean)
    count = len(samples) if kind == "counted" else None
    return Side(mean, min(samples), max(samples), count)


def pairs_of(values: st.SearchStrategy[float]) -> st.SearchStrategy[list[Pair]]:
    pair = st.builds(
        Pair,
        sides(values),
        sides(values),
        st.sampled_from(["f", "g"]),
        st.lists(sides(values), max_size=4).map(tuple),
        st.sampled_from([0.0, 0.02]),
    )
    return st.lists(pair, max_size=8)


quietly = examples(30, heavy=60, suppress_health_check=[HealthCheck.too_slow])


@quietly
@given(pairs_of(wild))
def test_whatever_the_figures_nothing_is_nan_and_nothing_warns(pairs: list[Pair]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judged = judge(pairs)
    assert len(judged) == len(pairs)
    for judgement in judged:
        for value in (judgement.change, judgement.p, judgement.q, judgement.detectable):
            assert value is None or math.isfinite(value)
        assert judgement.p is None or 0 <= judgement.p <= 1
        assert judgement.q is None or 0 <= judgement.q <= 1
        assert judgement.more_runs is None or judgement.more_runs >= 0
        assert judgement.ground


def turned(side: Side, factor: float = 1.0, order: int = 0) -> Side:
    samples = list(side.samples)
    random.Random(order).shuffle(samples)
    return Side(
        side.mean * factor,
        None if side.low is None else side.low * factor,
        None if side.high is None else side.high * factor,
        side.count,
        tuple(v * factor for v in samples),
    )


def agree(first: Sequence[Judgement], second: Sequence[Judgement]) -> None:
    for a, b in zip(first, second, strict=True):
        assert (a.p is None) == (b.p is None)
        if a.p is not None:
            assert b.p == pytest.approx(a.p, rel=1e-4, abs=1e-12)
            assert b.q == pytest.approx(a.q, rel=1e-4, abs=1e-12)
        assert a.outcome == b.outcome


@quietly
@given(pairs_of(figure), st.integers(0, 99))
def test_neither_the_order_of_samples_nor_the_unit_matters(pairs: list[Pair], order: int) -> None:
    other = [
        Pair(
            turned(p.old, 1024, order),
            turned(p.new, 1024, order),
            p.family,
            tuple(turned(h, 1024) for h in p.history),
            p.floor,
        )
        for p in pairs
    ]
    agree(judge(pairs), judge(other))


@quietly
@given(pairs_of(figure))
def test_swapping_the_releases_swaps_only_the_direction(pairs: list[Pair]) -> None:
    # What was before counts from the older release, so here nothing was.
    whole = [Pair(p.old, p.new, p.family) for p in pairs]
    other = [Pair(p.new, p.old, p.family) for p in pairs]
    agree(judge(whole), judge(other))
    for a, b in zip(judge(whole), judge(other), strict=True):
        assert a.change is not None and b.change is not None
        assert (1 + a.change) * (1 + b.change) == pytest.approx(1)


@quietly
@given(pairs_of(figure))
def test_the_order_of_rows_does_not_matter(pairs: list[Pair]) -> None:
    agree(judge(pairs)[::-1], judge(pairs[::-1]))


# ---------------------------------------------------------------- at the held rate


def noisy(seed: int, rows: int, samples: int, heavy: bool) -> np.ndarray:
    random = np.random.default_rng(seed)
    made = random.standard_normal((rows, 2, samples))
    if heavy:
        made += 7 * (random.random(made.shape) < 0.05)
    return np.maximum(1 + 0.03 * made, 0.1) * 50


@pytest.mark.parametrize(("samples", "heavy"), [(2, False), (3, True), (6, True), (12, False)])
def test_pure_noise_alarms_hardly_ever(samples: int, heavy: bool) -> None:
    alarms = 0
    for seed in range(12):
        made = noisy(seed, 120, samples, heavy).tolist()
        pairs = [Pair(runs(*a), runs(*b), f"f{i % 3}") for i, (a, b) in enumerate(made)]
        alarms += any(j.outcome == "different" for j in judge(pairs))
    # At 5 % the chance of more than three in twelve is 0.2 %.
    assert alarms <= 3


def test_clear_changes_are_found_among_noise() -> None:
    made = noisy(99, 120, 5, heavy=False)
    made[:12, 1] *= 1.15
    pairs = [Pair(runs(*a), runs(*b), f"f{i % 3}") for i, (a, b) in enumerate(made.tolist())]
    judged = judge(pairs)
    assert sum(j.outcome == "different" for j in judged[:12]) >= 11
    assert sum(j.outcome == "different" for j in judged[12:]) <= 2


def test_only_runs_that_resemble_the_run_before_drift() -> None:
    chance = np.random.default_rng(41)

    def ratios(steps: np.ndarray) -> list[Ratio]:
        return [ratio for row in steps.tolist() if (ratio := successive_ratio(row))]

    # Squared differences 1 and 4 over squared deviations 16/9, 1/9 and 25/9.
    assert successive_ratio((1.0, 2.0, 4.0)) == (pytest.approx(5 * 9 / 42), 3)
    for runs_per_release in (5, 10, 20):
        independent = chance.normal(100, 5, (40, runs_per_release))
        assert not is_smooth(ratios(independent))
        assert is_smooth(ratios(100 + np.cumsum(independent - 100, axis=1)))


# ---------------------------------------------------------------- the bench


def test_simulated_verdicts_are_measured_with_and_without_earlier_releases(tmp_path: Path) -> None:
    output = tmp_path / "table.csv"
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / "simulated_verdicts.py", "--quick", "--output", output],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "ext")},
        timeout=600,
    )
    assert done.returncode in (0, 1), done.stderr
    written = list(csv.reader(output.read_text("utf-8").splitlines()))
    assert all(row[:-1] in list(csv.reader(done.stdout.splitlines())) for row in written)
    cases = {row[0]: row for row in csv.reader(done.stdout.splitlines()) if row}
    assert cases["normal, 1 run"][2] == "nothing called"
    # Five runs see all changes of a fifth, and what earlier releases show makes them see no less.
    assert cases["normal, 5 runs"][3].endswith(", 100")
    assert cases["normal, 5 runs"][6].endswith(", 100")

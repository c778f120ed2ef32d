"""What is said of two releases' samples: by hand, by properties, and at the held rate."""

from __future__ import annotations

import csv
import math
import os
import random
import shutil
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from profiles import examples
from scipy import special, stats

from perfguide.compare.judge import Judgement, Pair, adjusted, judge
from perfguide.compare.noise import Prior, family, inverse_trigamma, prior
from perfguide.compare.relative import Side, range_width, scaled
from perfguide.compare.scores import best_kernel, deal_rows, splits

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
    q = adjusted(p)
    assert [value <= 0.05 for value in q] == [True] * 4 + [False] * 11
    assert q[0] == pytest.approx(0.0001 * 15)
    assert q[3] == pytest.approx(0.0095 * 15 / 4)
    assert adjusted([]) == ()
    assert adjusted(p[::-1]) == q[::-1]


def test_mean_ranges_are_those_of_the_tables() -> None:
    # Tippett 1925, and every table of control charts (d2).
    for count, expected in {2: 1.128, 3: 1.693, 5: 2.326, 10: 3.078, 20: 3.735}.items():
        assert range_width(count) == pytest.approx(expected, abs=5e-4)


def test_inverse_trigamma_inverts() -> None:
    for x in (0.1, 0.5, 1.0, 7.0, 300.0):
        assert inverse_trigamma(float(special.polygamma(1, x))) == pytest.approx(x)


def test_a_moderated_variance_lies_between_the_familys_and_the_rows() -> None:
    variance, worth = Prior(4.0, 6.0).with_own(np.array([2.0]), np.array([2.0]))
    assert variance[0] == pytest.approx((6 * 4 + 2) / 8)
    assert worth[0] == 8


def test_like_rows_support_each_other_and_unlike_rows_do_not() -> None:
    random = np.random.default_rng(7)
    like = random.chisquare(4, 200)
    unlike = like * np.exp(2 * random.standard_normal(200))
    freedom = np.full(200, 4.0)
    assert prior(like, freedom).freedom == 9
    assert prior(like, freedom).variance == pytest.approx(1, rel=0.15)
    assert prior(unlike, freedom).freedom < 5


def test_all_ways_to_deal_are_taken_where_they_are_few() -> None:
    assert len(splits(3, 3)) == 10
    assert len(splits(2, 3)) == 10
    assert len(splits(1, 4)) == 5
    assert splits(10, 10).sum(axis=1).tolist() == [10.0] * len(splits(10, 10))


def test_the_test_of_one_row_alone_is_students() -> None:
    # Variance 1 on both sides, means 0 and 10: t = 10 / sqrt(2/3), four degrees of freedom.
    row = scaled(runs(-1.0, 0.0, 1.0), runs(9.0, 10.0, 11.0))
    tested = deal_rows([row], ["f"], {"f": family([row]).prior}, np.zeros(1))
    assert tested.seen[0] == pytest.approx(2 * special.stdtr(4, -10 / math.sqrt(2 / 3)))


def test_many_samples_are_dealt_in_another_way_in_each_row() -> None:
    random = np.random.default_rng(4)
    made = (10 + random.standard_normal((50, 2, 15))).tolist()
    rows = [scaled(runs(*a), runs(*b)) for a, b in made]
    tested = deal_rows(rows, ["f"] * 50, {"f": family(rows).prior}, np.zeros(50))
    # With the same ranks in all rows a split would give like p-values in all of them.
    assert np.abs(np.corrcoef(tested.split.T)).mean() < 0.2


def test_noise_between_releases_is_learnt_from_history_and_a_lasting_change_is_not_noise() -> None:
    def past(levels: Sequence[float]) -> tuple[Side, ...]:
        return tuple(runs(v * 0.999, v, v * 1.001) for v in levels)

    now = runs(99.9, 100, 100.1)
    jumping = family([scaled(now, now, past([100, 104, 99, 103, 98, 105]))])
    stepping = family([scaled(now, now, past([100, 100, 100, 130, 130, 130]))])
    assert jumping.between > 100
    assert stepping.between == 0


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
    assert judged[-1].ground.startswith("one run each; the 9 releases before lay within ")
    assert all(j.outcome != "different" for j in judged[:-1])


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
    counted = only(Pair(Side(100, 99, 101, 10), Side(120, 119, 121, 10), "f"))
    assert counted.outcome == "different"


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


def two_modes(seed: int, rows: int, samples: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    made = 0.25 * random.standard_normal((rows, 2, samples))
    made += 2.1 * (random.random(made.shape) < 0.3)
    return (1 + 0.1 * made) * 50


def test_a_local_kernel_is_chosen_for_narrow_modes_and_none_for_normal_noise() -> None:
    truth = np.repeat([[0.0, 1.0]], 20, axis=1).repeat(40, axis=0)
    normal = noisy(3, 40, 20, heavy=False).reshape(40, 40)
    modes = two_modes(3, 40, 20).reshape(40, 40)
    assert best_kernel(normal, truth, (20, 20)) is None
    chosen = best_kernel(modes, truth, (20, 20))
    assert chosen is not None
    # It loses sight of samples in the other mode: that is what local means.
    assert abs(chosen(np.array(12.0))) < 0.01 < chosen(np.array(1.0))


def test_changes_within_narrow_modes_are_found_and_others_not_named() -> None:
    made = two_modes(21, 120, 20)
    made[:12, 1] *= 1.05
    pairs = [Pair(runs(*a), runs(*b), f"f{i % 3}") for i, (a, b) in enumerate(made.tolist())]
    rank = [stats.mannwhitneyu(a, b, method="exact").pvalue for a, b in made]
    judged = judge(pairs)
    ours = [i for i, j in enumerate(judged) if j.outcome == "different"]
    theirs = [i for i, q in enumerate(adjusted(rank)) if q <= 0.05]
    assert sum(i < 12 for i in ours) >= 11
    assert sum(i >= 12 for i in ours) <= 2
    assert sum(i < 12 for i in theirs) <= 8


# ---------------------------------------------------------------- the bench


def quick(tmp_path: Path, path: str) -> tuple[str, str, list[dict[str, str]]]:
    output = tmp_path / "quality.csv"
    tools = ROOT / "build" / "bench" if shutil.which("go", path=path) else tmp_path / "tools"
    done = subprocess.run(
        # With this seed no samples repeat: benchstat and asv count ties in different ways.
        [sys.executable, ROOT / "bench" / "compare_quality.py", "--quick", "--seed", "5002"]
        + ["--output", output, "--tools", tools],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "ext")},
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    head, *rows = csv.reader(output.read_text("utf-8").splitlines())
    return done.stdout, done.stderr, [dict(zip(head, row, strict=True)) for row in rows]


def test_the_bench_measures_without_go_and_says_so(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "git").symlink_to(str(shutil.which("git")))
    said, told, rows = quick(tmp_path, str(tools))
    assert "Go is not installed" in told
    assert "otherwise than asv's functions in 0 of" in said
    assert len(rows) >= 5
    assert all(float(row["Wrong (%)"]) >= 0 for row in rows)


@pytest.mark.skipif(shutil.which("go") is None, reason="benchstat needs Go, which is not here")
def test_the_bench_runs_benchstat_and_its_test_is_asvs(tmp_path: Path) -> None:
    said, told, _ = quick(tmp_path, os.environ["PATH"])
    assert "benchstat's p-values are not asv's in 0 of" in said
    assert "Go is not installed" not in told

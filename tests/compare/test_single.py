"""What is said where each release has one figure of a row: by hand, and on archives in small."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from making import TOML, described, loaded, pooled, result
from test_verdicts import compared

from perfguide.bundles.decode import Loaded
from perfguide.compare.comparison import Comparison
from perfguide.compare.judge import UNDECIDED, Judgement, Pair, judge
from perfguide.compare.multiple_testing import mixture
from perfguide.compare.noise import release_noise
from perfguide.compare.relative import Release, ScaledRow, Side
from perfguide.compare.row import Row
from perfguide.compare.usual_noise import usual
from perfguide.figures.pool import Pool


def copied(pool: Pool) -> dict[int, set[str]]:
    """The benchmarks of which each bundle repeats figures, by its position."""
    copies: dict[int, set[str]] = {}
    for record in pool.take(range(len(pool))):
        behind = [bundle for bundle, _ in pool.positions_of(record.cell.members)]
        if record.cell.runs < len(behind):
            copies.setdefault(behind[-1], set()).add(record.benchmark)
    return copies


def releases(rows: dict[str, Sequence[float]], unit: str = "us") -> list[Loaded]:
    """A release for each figure of the rows: 9.1, 9.2 and so on."""
    count = len(next(iter(rows.values())))
    return [
        loaded(
            *(result(name, unit, value=figures[n]) for name, figures in rows.items()),
            id=f"run-{n + 1}",
            sdk__version=f"9.{n + 1}",
        )
        for n in range(count)
    ]


def last(rows: dict[str, Sequence[float]], unit: str = "us") -> Comparison:
    """The two newest releases of the rows side by side."""
    count = len(next(iter(rows.values())))
    found = (f"9.{count - 1}", f"9.{count}")
    return compared(*releases(rows, unit), releases=found)


def row(both: Comparison, metric: str) -> Row:
    (found,) = (one for one in both.rows if one.metric == metric)
    return found


def quiet(count: int, number: int = 30, seed: int = 1) -> dict[str, list[float]]:
    """Rows that scatter by one per cent, printed with two decimals."""
    random = np.random.default_rng(seed)
    made = 50 * (1 + 0.01 * random.standard_normal((number, count)))
    return {f"quiet_{n:02}": figures for n, figures in enumerate(made.round(2).tolist())}


def test_a_jump_after_a_past_that_never_moved_is_called() -> None:
    both = last(quiet(9) | {"steady": [1.96] * 8 + [9.16]})
    found = row(both, "steady")
    assert found.verdict == "changed"
    assert found.ground.startswith("one run each; 8 earlier releases were all equal")
    assert sum(one.verdict == "changed" for one in both.rows) == 1


def test_a_steadier_past_never_makes_a_row_blinder() -> None:
    sharp = row(last(quiet(9) | {"steady": [1.96] * 8 + [2.4]}), "steady")
    blurred = [1.95, 1.97, 1.96, 1.97, 1.95, 1.96, 1.97, 1.96, 2.4]
    loose = row(last(quiet(9) | {"steady": blurred}), "steady")
    assert sharp.p is not None and loose.p is not None and sharp.p <= loose.p


def test_one_printed_digit_is_no_change() -> None:
    both = last(quiet(9) | {"coarse": [0.02] * 8 + [0.03]})
    assert row(both, "coarse").verdict in ("same", "noisy")
    assert row(both, "coarse").p == 1.0


def test_the_digits_are_those_of_earlier_releases_and_not_of_the_pair() -> None:
    both = last(quiet(9) | {"fine": [5.0, 5.02, 5.0, 5.01, 5.02, 5.0, 5.01, 5.0, 9.0]})
    assert row(both, "fine").verdict == "changed"


def test_what_can_be_seen_is_a_size_that_means_something() -> None:
    random = np.random.default_rng(2)
    wild = np.exp(3 * random.standard_normal((30, 4))).round(3) + 0.001
    both = last({f"wild_{n:02}": figures for n, figures in enumerate(wild.tolist())})
    for one in both.rows:
        assert one.detectable is None or 0 < one.detectable <= 10
    steady = [one.detectable for one in last(quiet(9)).rows]
    assert all(size is not None and size < 0.25 for size in steady)


def test_a_return_to_what_the_row_showed_before_is_no_change() -> None:
    both = last(quiet(9) | {"spike": [10.0, 10.1, 14.0, 10.0, 10.1, 9.9, 10.0, 14.0, 10.05]})
    assert row(both, "spike").p == 1.0


@pytest.mark.parametrize(("new", "is_back"), [(9.8, True), (5.0, False)])
def test_a_return_need_not_hit_what_the_row_showed_before(new: float, is_back: bool) -> None:
    both = last(quiet(9) | {"dip": [10.0, 10.1, 10.0, 10.0, 10.1, 9.9, 10.0, 19.0, new]})
    assert (row(both, "dip").p == 1.0) is is_back
    assert (row(both, "dip").verdict == "changed") is not is_back


def test_a_step_back_counts_once_the_present_level_has_lasted() -> None:
    both = last(quiet(9) | {"step": [10.0, 10.1, 10.0, 10.1, 20.1, 20.0, 20.1, 20.0, 10.05]})
    assert row(both, "step").verdict == "changed"


@pytest.mark.parametrize("releases_of_level", [2, 3])
def test_a_level_of_three_releases_has_lasted(releases_of_level: int) -> None:
    before = [10.0, 10.1, 10.0, 10.1, 10.0, 10.1][: 8 - releases_of_level]
    level = [20.1, 20.0, 20.1][:releases_of_level]
    one = row(last(quiet(9) | {"step": [*before, *level, 10.05]}), "step")
    assert (one.p == 1.0) is (releases_of_level < 3)


def test_later_releases_do_not_change_what_was_said() -> None:
    rows = quiet(12) | {"jump": [5.0] * 8 + [9.0, 5.0, 5.0, 5.0]}
    then = compared(*releases({k: v[:9] for k, v in rows.items()}), releases=("9.8", "9.9"))
    now = compared(*releases(rows), releases=("9.8", "9.9"))
    assert [(one.metric, one.verdict, one.p) for one in then.rows] == [
        (one.metric, one.verdict, one.p) for one in now.rows
    ]


def test_a_change_between_two_releases_far_apart_is_seen() -> None:
    rows = quiet(12) | {"step": [5.02] * 7 + [9.03] * 5}
    both = compared(*releases(rows), releases=("9.6", "9.12"))
    assert row(both, "step").verdict == "changed"


def test_two_uploads_of_the_same_figures_are_one_run() -> None:
    random = np.random.default_rng(3)
    wander = {f"w{n}": (50 * np.exp(0.2 * random.standard_normal(8))).round(2).tolist() for n in range(25)}  # fmt: skip
    bundles = releases(wander)
    again = loaded(
        *(result(name, "us", value=figures[-1]) for name, figures in wander.items()),
        id="again",
        sdk__version="9.8",
    )
    once = compared(*bundles, releases=("9.7", "9.8"))
    twice = compared(*bundles, again, releases=("9.7", "9.8"))
    assert [(r.metric, r.verdict, r.p) for r in once.rows] == [
        (r.metric, r.verdict, r.p) for r in twice.rows
    ]
    assert [*copied(pooled([*bundles, again]))] == [8]


def test_a_benchmark_that_a_second_upload_repeats_is_one_run_of_it() -> None:
    rows = [
        result(f"w{n}", "us", value=10.5 + n) | {"benchmark": name}
        for name in ("speed", "other")
        for n in range(4)
    ]
    again = [{**row, "value": row["value"] + (row["benchmark"] == "other")} for row in rows]
    assert copied(pooled([loaded(*rows, id="one"), loaded(*again, id="two")])) == {1: {"speed"}}


@pytest.mark.parametrize(
    ("figures", "again", "is_copy"),
    [
        ([1845.0, 27.81], [1845.0, 27.81], True),
        ([18.0, 27.8], [18.0, 27.8], False),  # few digits, which may agree by chance
        ([1845.13], [1845.13], False),  # one figure
        ([10.5 + n for n in range(60)], [10.5 + n for n in range(59)] + [99.9], True),  # corrected
    ],
)
def test_a_small_or_corrected_table_that_is_published_twice_is_one_run(
    figures: list[float], again: list[float], is_copy: bool
) -> None:
    def upload(name: str, values: list[float], other: float) -> Loaded:
        rows = [result(f"w{n}", "us", value=value) for n, value in enumerate(values)]
        alone = result("alone", "us", value=other) | {"benchmark": "other"}
        return loaded(*rows, alone, id=name)

    one, two = upload("one", figures, 7.0), upload("two", again, 7.0)
    # One equal figure of another benchmark is enough then.
    assert copied(pooled([one, two])) == ({1: {"speed", "other"}} if is_copy else {})
    # A figure that the copy corrects counts itself.
    assert copied(pooled([one, upload("two", again, 8.0)])) == ({1: {"speed"}} if is_copy else {})


def test_two_uploads_of_which_one_figure_differs_are_two_runs() -> None:
    figures = {f"w{n}": 10.5 + n for n in range(6)}
    one = loaded(*(result(n, "us", value=v) for n, v in figures.items()), id="one")
    two = loaded(*(result(n, "us", value=v + (n == "w3")) for n, v in figures.items()), id="two")
    assert copied(pooled([one, two])) == {}


def test_rows_with_one_earlier_figure_that_fall_together_are_one_shift(tmp_path: Path) -> None:
    toml = TOML.replace("[params.engine]", '[params.contexts]\nlabel = "Contexts"\n[params.engine]')
    rows = quiet(6, 60)

    def release(number: int, scores: float = 0.0) -> Loaded:
        own = [result(name, "us", value=figures[number]) for name, figures in rows.items()]
        more = [
            result(value=round((100 + 7 * n) * (scores if contexts == 2 else 1.0), 2),
                   params={"contexts": contexts, "block_size": n + 1})
            for n in range(9) for contexts in (1, 2) if scores
        ]  # fmt: skip
        return loaded(*own, *more, id=f"run-{number}", sdk__version=f"9.{number + 1}")

    bundles = [*(release(n) for n in range(4)), release(4, 1.0), release(5, 0.58)]
    both = compared(*bundles, releases=("9.5", "9.6"), catalog=described(tmp_path, toml))
    fallen = [one for one in both.rows if one.params.get("contexts") == 2]
    assert [one.verdict for one in fallen] == ["regressed"] * 9
    assert {one.shift.name for one in fallen if one.shift} == {"sk, Speed: rate, Contexts 2"}
    still = [one for one in both.rows if one.params.get("contexts") == 1]
    assert {one.verdict for one in still} == {"same"}


def pairs_of(moves: np.ndarray, past: np.ndarray, upward: int = 1) -> list[Pair]:
    """Rows that share a board, of which each has its past and then moves."""
    out = []
    for number, (move, before) in enumerate(zip(moves, past, strict=True)):
        sides = [Side(float(v)) for v in before]
        new = Side(float(before[-1] * math.exp(move)))
        out.append(
            Pair(sides[-1], new, f"f{number % 4}", tuple(sides[:-1]), 0.02, f"f{number % 4}", "m",
                 upward=upward, shared=("board",))
        )  # fmt: skip
    return out


def test_a_board_that_is_slower_as_a_whole_is_one_shift() -> None:
    random = np.random.default_rng(4)
    past = 100 * np.exp(0.004 * random.standard_normal((80, 8)))
    moves = -0.05 + 0.004 * random.standard_normal(80)
    moves[7] = -0.4
    judged = judge(pairs_of(moves, past))
    shifts = {one.shift for one in judged if one.shift}
    (shift,) = shifts
    assert shift.name == "board" and shift.rows == 80
    assert shift.by == pytest.approx(-0.05, abs=0.004)
    assert judged[7].outcome == "different" and judged[7].shift is None


def test_a_row_that_keeps_jumping_is_not_proved_by_the_others_of_its_board() -> None:
    random = np.random.default_rng(4)
    past = 100 * np.exp(0.004 * random.standard_normal((80, 8)))
    past[0] *= [1, 1.2, 1, 1.3, 1.1, 1.3, 1, 1.2]
    judged = judge(pairs_of(np.full(80, -0.15), past))
    assert [one.outcome for one in judged] == ["noisy"] + ["different"] * 79


def test_a_shift_that_is_not_there_is_not_found() -> None:
    random = np.random.default_rng(5)
    past = 100 * np.exp(0.02 * random.standard_normal((80, 8)))
    judged = judge(pairs_of(0.02 * random.standard_normal(80), past))
    assert all(one.shift is None for one in judged)


def test_the_constants_of_trimmed_differences_are_those_of_normal_figures() -> None:
    random = np.random.default_rng(6)
    for count in (3, 5, 6, 9, 28):
        rows = [
            ScaledRow(tuple(map(Release, v)), Release(0.0), ("", ""))
            for v in random.standard_normal((6000, count)).tolist()
        ]
        variance, freedom = release_noise(rows)
        assert variance.mean() == pytest.approx(1, rel=0.06)
        worth = 2 * variance.mean() ** 2 / variance.var()
        assert freedom[0] == pytest.approx(worth, rel=0.12)


def test_a_mixture_is_found_again() -> None:
    random = np.random.default_rng(7)
    p = np.concatenate([random.random(900), random.random(100) ** 12])
    fitted = mixture(p)
    assert fitted.uniform_density == pytest.approx(0.9, abs=0.06)
    assert mixture(random.random(400)).uniform_density > 0.9
    low = p <= 0.002
    wrong = float((np.flatnonzero(low) < 900).sum()) / int(low.sum())
    assert fitted.false_below(np.array([0.002]))[0] == pytest.approx(wrong, abs=0.04)


def beside(doubled: int, moved: float) -> Judgement:
    """A row that moved a little in a comparison in which some others doubled."""
    random = np.random.default_rng(1)
    figures = 100 * np.exp(0.03 * random.standard_normal((300, 9)))
    figures[1 : 1 + doubled, -1] *= 2
    figures[0, -1] = figures[0, :-1].mean() * moved
    rows = [[Side(value) for value in row] for row in figures.tolist()]
    return judge([
        Pair(row[-2], row[-1], f"f{i % 5}", tuple(row[:-2]), 0.02, f"f{i % 5}", "m")
        for i, row in enumerate(rows)
    ])[0]  # fmt: skip


def test_where_much_changed_a_smaller_change_is_called_and_where_nothing_did_it_is_not() -> None:
    assert beside(40, 1.22).outcome == "different"
    assert beside(0, 1.22).outcome == "noisy"
    assert beside(40, 1.04).outcome in UNDECIDED


def test_the_shipped_table_has_all_benchmarks_and_no_more_lines_than_it_needs() -> None:
    table = usual()
    assert () in table and 60 <= len(table) <= 160
    assert all(name[:1] in table for name in table if name)
    assert table["lmbench",].rows > 500


def one_each(old: float, new: float, past: Sequence[float] = ()) -> Judgement:
    before = tuple(Side(v) for v in past)
    (judged,) = judge([Pair(Side(old), Side(new), "f", before)])
    return judged


def test_one_row_alone_is_judged_by_its_own_past() -> None:
    past = [100, 101, 99, 100, 101, 100, 99.5]
    assert one_each(100, 180, past).outcome == "different"
    assert one_each(100, 101.5, past).outcome == "steady"


def test_loads_are_judged_on_their_own_scale_and_never_by_less_than_a_point() -> None:
    rows: dict[str, Sequence[float]] = {f"load_{n}": [0.4] * 8 + [0.4] for n in range(25)}
    both = last(rows | {"rare": [0.4] * 8 + [0.9]}, unit="%")
    assert row(both, "rare").verdict != "changed"
    both = last(rows | {"rare": [0.4] * 8 + [9.0]}, unit="%")
    assert row(both, "rare").verdict == "changed"


def test_an_archive_is_measured_as_before_each_release_was_published(tmp_path: Path) -> None:
    import archive
    import single_figures

    from perfguide.bundle import encode

    for bundle in releases(quiet(8, 25) | {"steps": [10.02] * 5 + [14.03] * 3}, "s"):
        (tmp_path / f"{bundle.bundle.id}.json").write_bytes(encode(bundle.bundle))
    read = archive.read([tmp_path])
    (found,) = (one for one in read.rows if one.metric == "steps")
    names = next(iter(read.releases.values()))
    assert single_figures.step_kind(found, names, 5) == "lasting > 20 %"
    assert single_figures.step_kind(found, names, 4) == ""
    goals = single_figures.real(read, {"AM62X": usual()})
    lasting = goals[0]
    assert (lasting.of, lasting.value, lasting.missed) == (1, 100.0, False)


def test_thousands_of_runs_of_one_board_are_not_held_against_each_other() -> None:
    bundles = [
        loaded(*(result(f"m{n}", value=number + n / 10) for n in range(12)), id=f"run-{number}")
        for number in range(1500)
    ]
    begun = time.process_time()
    assert copied(pooled(bundles)) == {}
    # A pair takes a millisecond, and there are a million.
    assert time.process_time() - begun < 20

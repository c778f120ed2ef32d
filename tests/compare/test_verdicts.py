"""Which figures are compared, which cannot be, and what is said of the others."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from making import SHIPPED, TOML, described, loaded, loaded_runs, only, pooled, result

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks, waivers
from perfguide.catalog.benchmarks import Catalog
from perfguide.catalog.board_names import Boards
from perfguide.compare import as_data, overview
from perfguide.compare.comparison import Comparison, compare
from perfguide.compare.history import MAX_PAST_RELEASES, History
from perfguide.compare.match import Names
from perfguide.compare.overview import summary
from perfguide.compare.row import Row, Rules
from perfguide.compare.select import Filter, choose

SLOW, FAST = [100.0, 100.2, 99.8, 100.1, 99.9], [150.0, 150.3, 149.7, 150.1, 149.9]
OLDER: dict[str, Any] = {"id": "old", "sdk__version": "09.01"}
NEWER: dict[str, Any] = {"id": "new", "sdk__version": "09.02"}


def compared(
    *bundles: Loaded,
    catalog: Catalog | None = None,
    boards: dict[tuple[str, str], str] | None = None,
    accepted: Sequence[waivers.Waiver] = (),
    threshold: float | None = None,
    releases: tuple[str, str] = ("09.01", "09.02"),
    narrowed: Filter | None = None,
    whole: bool = False,
) -> Comparison:
    """Two releases of some bundles side by side; each sample is a run, but where bundles are whole."""
    pool = pooled(bundles if whole else loaded_runs(*bundles), catalog)
    names = Names(catalog or Catalog({}), Boards(boards or {}))
    history = History([pool], names)
    wanted = narrowed or Filter()
    old, new = (choose(pool, release, wanted, names) for release in releases)
    return compare(old, new, history, Rules(names, tuple(accepted), threshold), wanted)


def pair(
    old: dict[str, Any], new: dict[str, Any], catalog: Catalog | None = None, **more: Any
) -> Row:
    """The one row of two releases with one figure each."""
    both = compared(loaded(old, **OLDER), loaded(new, **NEWER), catalog=catalog, **more)
    found: Row = only(both.rows)
    return found


@pytest.fixture
def speed(tmp_path: Path) -> Catalog:
    return described(tmp_path)


@pytest.mark.parametrize(
    ("metric", "unit", "old", "new", "verdict"),
    [
        ("rate", "MB/s", SLOW, FAST, "improved"),
        ("rate", "MB/s", FAST, SLOW, "regressed"),
        ("lat_a", "us", SLOW, FAST, "regressed"),
        ("lat_a", "us", FAST, SLOW, "improved"),
        ("clock", "MHz", SLOW, FAST, "changed"),
    ],
)
def test_a_change_is_judged_in_the_better_direction(
    speed: Catalog, metric: str, unit: str, old: list[float], new: list[float], verdict: str
) -> None:
    row = pair(result(metric, unit, samples=old), result(metric, unit, samples=new), speed)
    assert row.verdict == verdict
    assert row.change == pytest.approx(sum(new) / sum(old) - 1)
    assert row.q is not None and row.q < 0.05
    assert row.ground


def test_units_of_one_kind_are_converted_first() -> None:
    row = pair(
        result("other", "kB/s", samples=[100_000.0, 100_100.0, 99_900.0]),
        result("other", "MB/s", samples=[100.0, 100.1, 99.9]),
    )
    assert row.verdict in ("same", "noisy")
    assert row.change == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ({"board__cpu_mhz": 1400}, {"board__cpu_mhz": 1250}, "the clock was “1400” and is “1250”"),
        ({"board__memory": "DDR4"}, {"board__memory": "LPDDR4"}, "the memory was “DDR4”"),
        ({"board__governor": "performance"}, {"board__governor": "ondemand"}, "the governor was"),
    ],
)
def test_other_conditions_on_the_board_are_a_reason_not_to_compare(
    speed: Catalog, old: dict[str, Any], new: dict[str, Any], reason: str
) -> None:
    both = compared(
        loaded(result(samples=SLOW), **OLDER, **old),
        loaded(result(samples=FAST), **NEWER, **new),
        catalog=speed,
    )
    row = only(both.rows)
    assert row.verdict == "incomparable"
    assert reason in row.ground
    assert both.groups[0].of == 0


def test_another_command_is_a_reason_not_to_compare(speed: Catalog) -> None:
    row = pair(
        result(samples=SLOW, command="speed -a"), result(samples=FAST, command="speed -b"), speed
    )
    assert row.verdict == "incomparable"
    assert "the command was “speed -a” and is “speed -b”" in row.ground


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("speed  -a ", "speed -a"),
        ("/usr/bin/speed -a", "/opt/bench/bin/speed -a"),
        ("speed -H 192.168.0.1 -l 60", "speed -H 10.0.0.7 -l 60"),
        ("speed -a;", "speed -a"),
        ("", "speed -a"),
    ],
)
def test_a_command_written_otherwise_is_the_same_command(
    speed: Catalog, old: str, new: str
) -> None:
    row = pair(result(samples=SLOW, command=old), result(samples=FAST, command=new), speed)
    assert row.verdict == "improved"


@pytest.mark.parametrize(
    ("old", "new"), [("24105 MiB", "24098 MiB"), ("512 MB  LPDDR4", "512 MB LPDDR4")]
)
def test_memory_that_a_kernel_keeps_to_itself_does_not_count(
    speed: Catalog, old: str, new: str
) -> None:
    both = compared(
        loaded(result(samples=SLOW), **OLDER, board__memory=old),
        loaded(result(samples=FAST), **NEWER, board__memory=new),
        catalog=speed,
    )
    assert only(both.rows).verdict == "improved"


def test_kernel_and_image_change_with_the_release_and_are_told_once(speed: Catalog) -> None:
    lines = [result(params={"block_size": n}, samples=SLOW) for n in (16, 64, 256)]
    both = compared(
        loaded(*lines, **OLDER, sdk__kernel="6.1", sdk__image="default"),
        loaded(*lines, **NEWER, sdk__kernel="6.6", sdk__image="default"),
        catalog=speed,
    )
    assert "incomparable" not in {row.verdict for row in both.rows}
    told = "AM62X, Linux, sk: the kernel changed: “6.1” before, “6.6” now"
    assert both.notes == (told,)


def test_another_version_of_the_measuring_program_is_a_reason_not_to_compare() -> None:
    old = loaded(result(samples=SLOW), **OLDER, tools={"speed": "1.0", "gcc": "12"})
    new = loaded(result(samples=FAST), **NEWER, tools={"speed": "2.0", "gcc": "13"})
    both = compared(old, new)
    assert only(both.rows).ground == "the version of speed was “1.0” and is “2.0”"


def test_the_description_says_which_programs_measure(tmp_path: Path) -> None:
    old = loaded(result(samples=SLOW), **OLDER, tools={"speed": "1.0", "gcc": "12"})
    new = loaded(result(samples=FAST), **NEWER, tools={"speed": "1.0", "gcc": "13"})
    catalog = described(tmp_path, TOML.replace("command =", 'tools = ["gcc"]\ncommand ='))
    assert only(compared(old, new, catalog=catalog).rows).verdict == "incomparable"
    both = compared(old, new, catalog=described(tmp_path))
    assert only(both.rows).verdict == "improved"
    assert "the version of gcc changed: “12” before, “13” now" in only(both.notes)


def test_a_figure_that_pools_different_clocks_is_not_compared(speed: Catalog) -> None:
    both = compared(
        loaded(result(samples=SLOW), **OLDER, board__cpu_mhz=1000),
        loaded(result(samples=SLOW), **(OLDER | {"id": "too"}), board__cpu_mhz=1400),
        loaded(result(samples=FAST), **NEWER, board__cpu_mhz=1000),
        catalog=speed,
    )
    row = only(both.rows)
    assert row.verdict == "incomparable"
    assert "the clock differs between the old runs that one figure pools" in row.ground


def test_units_of_two_kinds_stand_side_by_side_uncompared() -> None:
    row = pair(result("other", "MB/s", value=5.0), result("other", "ns", value=7.0))
    assert row.verdict == "incomparable"
    assert row.ground == "the unit was MB/s and is ns"
    assert row.old and row.new and row.change is None


def test_another_block_size_alone_stands_side_by_side_uncompared(speed: Catalog) -> None:
    row = pair(
        result(samples=SLOW, params={"block_size": 1024}),
        result(samples=FAST, params={"block_size": 4096}),
        speed,
    )
    assert row.verdict == "incomparable"
    assert row.ground == "the block size was 1 KiB and is 4 KiB"


def test_other_points_of_a_curve_are_not_put_side_by_side(speed: Catalog) -> None:
    """Both sides have one size that the other has not; it is no size that was set differently."""
    sides = [
        loaded(*(result(samples=SLOW, params={"block_size": size}) for size in sizes), **side)
        for sizes, side in (((16, 1024), OLDER), ((16, 4096), NEWER))
    ]
    verdicts = {
        row.params["block_size"]: row.verdict for row in compared(*sides, catalog=speed).rows
    }
    assert verdicts == {16: "same", 1024: "only-old", 4096: "only-new"}


def test_what_is_measured_is_no_condition(tmp_path: Path) -> None:
    speed = described(tmp_path, TOML + '[params.algorithm]\nlabel = "Algorithm"\n')
    both = compared(
        loaded(result(samples=SLOW, params={"algorithm": "md5"}), **OLDER),
        loaded(result(samples=FAST, params={"algorithm": "sha1"}), **NEWER),
        catalog=speed,
    )
    assert [row.verdict for row in both.rows] == ["only-old", "only-new"]


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ({"status": "fail"}, {"value": 5.0}, "failed-before"),
        ({"value": 5.0}, {"status": "fail"}, "failed-after"),
        ({"status": "fail"}, {"status": "fail"}, "failed-both"),
    ],
)
def test_a_failure_is_neither_missing_nor_zero(
    speed: Catalog, old: dict[str, Any], new: dict[str, Any], verdict: str
) -> None:
    row = pair(result(**old), result(**new), speed)
    assert row.verdict == verdict
    assert row.change is None
    assert row.alarming == (verdict == "failed-after")


def test_runs_that_failed_beside_others_are_told(speed: Catalog) -> None:
    both = compared(
        loaded(result(samples=SLOW), **OLDER),
        loaded(result(samples=FAST), **NEWER),
        loaded(result(status="fail"), **(NEWER | {"id": "bad"})),
        catalog=speed,
    )
    assert "1 of 6 new runs failed" in only(both.rows).ground


def test_a_zero_before_has_no_relative_change(speed: Catalog) -> None:
    row = pair(result(samples=[0.0, 0.0]), result(samples=SLOW), speed)
    assert row.change is None
    assert row.ratio is None


def test_rows_stand_by_the_size_of_their_change_as_numbers(speed: Catalog) -> None:
    factors = {1: 1.09, 2: 0.875, 3: 1.4, 4: 0.4}
    old = [result(params={"block_size": n}, samples=SLOW) for n in factors]
    new = [
        result(params={"block_size": n}, samples=[x * f for x in SLOW]) for n, f in factors.items()
    ]
    both = compared(loaded(*old, **OLDER), loaded(*new, **NEWER), catalog=speed)
    assert [row.params["block_size"] for row in both.rows] == [4, 3, 2, 1]


def test_a_benchmark_has_the_geometric_mean_in_the_better_direction(speed: Catalog) -> None:
    both = compared(
        loaded(
            result(samples=SLOW), result("lat_a", "us", samples=SLOW),
            result("lat_b", "us", status="fail"), result("lat_c", "us", samples=SLOW), **OLDER,
        ),
        loaded(
            result(samples=[2 * x for x in SLOW]), result("lat_a", "us", samples=SLOW),
            result("lat_b", "us", samples=SLOW), **NEWER,
        ),
        catalog=speed,
    )  # fmt: skip
    group = only(both.groups)
    assert group.title == "Speed"
    assert group.of == 2
    assert group.ratio == pytest.approx(math.sqrt(2))
    assert group.counts["failed-before"] == group.counts["only-old"] == 1


def test_a_renamed_metric_value_and_board_are_matched_and_told(tmp_path: Path) -> None:
    toml = TOML.replace('label = "Rate" }', 'label = "Rate", aliases = ["speed_rate"] }')
    toml = toml.replace("[params.engine]", '[params.engine]\naliases = { ACC = "hw" }')
    both = compared(
        loaded(
            result("speed_rate", samples=SLOW, params={"engine": "ACC"}),
            **OLDER,
            board__name="sk-old",
        ),
        loaded(result(samples=FAST, params={"engine": "hw"}), **NEWER),
        catalog=described(tmp_path, toml),
        boards={("AM62X", "sk-old"): "sk"},
    )
    row = only(both.rows)
    assert row.verdict == "improved"
    assert (row.board, row.metric, row.params) == ("sk", "rate", {"engine": "hw"})
    assert row.aliases == (
        "board “sk-old” is now “sk”",
        "metric “speed_rate” is now “rate”",
        "engine “ACC” is now “hw”",
    )


def test_the_same_name_goes_before_an_alias(tmp_path: Path) -> None:
    toml = TOML.replace('label = "Rate" }', 'label = "Rate", aliases = ["speed_rate"] }')
    both = compared(
        loaded(result(samples=SLOW), result("speed_rate", samples=FAST), **OLDER),
        loaded(result(samples=SLOW), **NEWER),
        catalog=described(tmp_path, toml),
    )
    assert [(row.old.metric if row.old else "", row.verdict) for row in both.rows][1:] == [
        ("speed_rate", "only-old")
    ]
    assert both.rows[0].old and both.rows[0].old.metric == "rate"


def test_two_old_names_of_one_thing_are_not_taken_for_it(speed: Catalog) -> None:
    boards = {("AM62X", "a"): "sk", ("AM62X", "b"): "sk"}
    both = compared(
        loaded(result(samples=SLOW), **OLDER, board__name="a"),
        loaded(result(samples=FAST), **(OLDER | {"id": "x"}), board__name="b"),
        loaded(result(samples=FAST), **NEWER),
        catalog=speed,
        boards=boards,
    )
    assert sorted(row.verdict for row in both.rows) == ["only-new", "only-old", "only-old"]


def test_coverage_is_a_finding_of_its_own(speed: Catalog) -> None:
    both = compared(
        loaded(result(), result("lat_a", "us"), **OLDER),
        loaded(result(), **(OLDER | {"id": "b"}), board__name="gone"),
        loaded(result(), result("lat_b", "us"), result("lat_c", "us"), **NEWER),
        catalog=speed,
    )
    assert overview.coverage(both) == [
        "AM62X, Linux: the board gone (1 figure) is no longer measured",
        "AM62X, Linux, sk, Speed: 1 of 2 figures is no longer measured",
        "AM62X, Linux, sk, Speed: 2 of 3 figures were not measured in the older release",
    ]
    assert {row.board for row in both.rows} == {"sk"}


def test_history_is_the_nearest_releases_and_no_more_than_count(speed: Catalog) -> None:
    sides = [
        loaded(result("rate", "MB/s", value=float(n)), id=f"run-{n}", sdk__version=f"9.{n}")
        for n in range(1, 61)
    ]
    pool, names = pooled(sides, speed), Names(speed, Boards())
    history = History([pool], names)
    for old, new in ((29, 30), (1, 2), (59, 60), (20, 40)):
        newest = only([r for r in pool.of_benchmark("speed") if r.guide.release == f"9.{new}"])
        found = history.of(pool, newest, {f"9.{old}", f"9.{new}"}, ())
        assert [past.mean for past in found.values()] == list(range(1, old))[-MAX_PAST_RELEASES:]


def test_history_is_the_same_figure_under_the_same_conditions(speed: Catalog) -> None:
    def run(release: str, value: float, **more: Any) -> Loaded:
        return loaded(result(value=value), id=release, sdk__version=release, **more)

    pool = pooled(
        [
            run("10.0", 10.0),
            run("9.3", 3.0),
            run("9.1", 1.0, board__cpu_mhz=1000),
            run("9.2", 2.0, board__cpu_mhz=2000),
            run("9.4", 4.0, board__cpu_mhz=1000),
        ],
        speed,
    )
    names = Names(speed, Boards())
    newest = only([r for k in pool.guides() for r in pool.of_guide(k) if k.release == "9.4"])
    found = History([pool], names).of(pool, newest, {"9.4", "9.3"}, ())
    assert [side.mean for side in found.values()] == [1.0]


def test_the_threshold_of_a_metric_its_noise_and_its_step_have_to_be_passed(
    tmp_path: Path,
) -> None:
    toml = TOML.replace('label = "Rate" }', 'label = "Rate", threshold = 60 }')
    toml = toml.replace('"us", better = "lower" }', '"us", better = "lower", noise_floor = 70 }')
    toml = toml.replace("decimals = 1 }", "decimals = 1, step = 60 }")
    catalog = described(tmp_path, toml)
    metrics = [("rate", "MB/s"), ("lat_a", "us"), ("load", "%")]
    old = loaded(*(result(m, u, samples=SLOW) for m, u in metrics), **OLDER)
    new = loaded(*(result(m, u, samples=FAST) for m, u in metrics), **NEWER)
    both = compared(old, new, catalog=catalog)
    floors = {row.metric: row.floor for row in both.rows}
    assert floors == {
        "rate": pytest.approx(0.6), "lat_a": pytest.approx(0.7), "load": pytest.approx(0.6, 0.01)
    }  # fmt: skip
    given = {row.metric: row.floor for row in compared(
        old, new, catalog=catalog, threshold=0.05
    ).rows}  # fmt: skip
    assert given["rate"] == pytest.approx(0.05)
    assert given["lat_a"] == pytest.approx(0.7)


def test_the_least_change_that_counts_is_finite_where_a_figure_is_next_to_nothing(
    tmp_path: Path,
) -> None:
    catalog = described(tmp_path, TOML.replace("decimals = 1 }", "decimals = 1, step = 60 }"))
    old = loaded(result("load", "%", value=5e-324), **OLDER)
    both = compared(old, loaded(result("load", "%", value=1.0), **NEWER), catalog=catalog)
    assert math.isfinite(only(both.rows).floor or 0.0)
    json.loads(as_data.to_json(both), parse_constant=pytest.fail)


def waiver(most: str = "", **more: Any) -> waivers.Waiver:
    spec = {"benchmark": "speed", "metric": "*", "reason": "known", "until": "10.00"}
    made = waivers.Spec(**(spec | {"most": most} | more))
    return waivers.Waiver(made, "waivers.toml", waivers.NAME, 1, 3, float(most or 0) / 100 or None)


def regression(speed: Catalog, accepted: waivers.Waiver) -> Comparison:
    old, new = loaded(result(samples=FAST), **OLDER), loaded(result(samples=SLOW), **NEWER)
    return compared(old, new, catalog=speed, accepted=[accepted])


def test_an_accepted_regression_is_shown_and_is_no_alarm(speed: Catalog) -> None:
    both = regression(speed, waiver())
    row = only(both.rows)
    assert row.verdict == "regressed"
    assert row.waiver is not None and not row.alarming
    assert both.findings == ()
    assert "1 regressed, 0 failed after (1 accepted)" in summary(both)[1]


@pytest.mark.parametrize(
    ("accepted", "said"),
    [
        (waiver(until="09.02"), "lapsed with 09.02, and the change is still there"),
        (waiver(most="10"), "accepts less than what is found now"),
        (waiver(metric="lat_*"), "is not used: no figure has these names"),
        (waiver(board="other"), "is not used: no figure has these names"),
        (waiver(params={"engine": "hw"}), "is not used: no figure has these names"),
    ],
)
def test_a_waiver_that_does_not_hold_is_reported(
    speed: Catalog, accepted: waivers.Waiver, said: str
) -> None:
    both = regression(speed, accepted)
    assert only(both.rows).alarming
    assert said in only(both.findings).message
    assert only(both.findings).line == 3


def test_a_waiver_that_is_needed_no_longer_is_reported(speed: Catalog) -> None:
    old, new = loaded(result(samples=SLOW), **OLDER), loaded(result(samples=FAST), **NEWER)
    both = compared(old, new, catalog=speed, accepted=[waiver()])
    assert "nothing that it accepts was found" in only(both.findings).message
    both = compared(old, new, catalog=speed, accepted=[waiver(until="09.02")])
    assert "lapsed with 09.02 and is not needed" in only(both.findings).message


def test_a_waiver_for_what_was_not_asked_about_is_left_alone(speed: Catalog) -> None:
    old, new = loaded(result(samples=SLOW), **OLDER), loaded(result(samples=FAST), **NEWER)
    narrowed = Filter(soc="AM62X")
    both = compared(old, new, catalog=speed, accepted=[waiver(soc="AM64X")], narrowed=narrowed)
    assert both.findings == ()


def test_the_beginning_of_a_name_takes_the_newest_of_each_board_and_says_so(
    speed: Catalog,
) -> None:
    both = compared(
        loaded(result(), id="1", sdk__version="09.01.00", board__name="a"),
        loaded(result(), id="2", sdk__version="09.01.02", board__name="a"),
        loaded(result(), id="3", sdk__version="09.01.00", board__name="b"),
        loaded(result(), id="4", sdk__version="09.02", board__name="a"),
        loaded(result(), id="5", sdk__version="09.02", board__name="b"),
        loaded(result(), id="6", sdk__version="09.02.01", board__name="a"),
        catalog=speed,
    )
    assert [(s.board, s.old, s.new) for s in both.spans] == [
        ("a", "09.01.02", "09.02"),
        ("b", "09.01.00", "09.02"),
    ]
    assert only(both.notes) == (
        "AM62X, Linux: “09.01” is 2 releases (09.01.00, 09.01.02); "
        "of each board the newest was taken"
    )


def test_several_socs_are_compared_at_once(speed: Catalog) -> None:
    both = compared(
        *(
            loaded(result(samples=SLOW), id=f"{soc}{release}", sdk__version=release,
                   board__soc=soc, board__name=f"{soc}-sk")
            for soc in ("AM62X", "AM64X") for release in ("09.01", "09.02")
        ),
        catalog=speed,
    )  # fmt: skip
    assert [span.title for span in both.spans] == ["AM62X, Linux", "AM64X, Linux"]
    assert len(both.rows) == 2


def test_the_summary_has_three_lines_that_fit(speed: Catalog) -> None:
    both = compared(
        loaded(result(), **(OLDER | {"sdk__version": "9" * 200})),
        loaded(result(), **(NEWER | {"sdk__version": "8" * 200})),
        catalog=speed,
        releases=("9" * 200, "8" * 200),
    )
    lines = summary(both)
    assert len(lines) == 3
    assert all(len(line) <= 80 for line in lines), lines
    assert json.dumps(lines)


# -- what stands beside the parameters of a description ----------------------------


def cards(*cards: str, more: float = 0.0) -> list[dict[str, Any]]:
    """Three sizes for each card; no card where its name is empty."""
    return [
        result(params={"block_size": s} | ({"card": c} if c else {}), value=s + more)
        for s in (16, 64, 256)
        for c in cards
    ]


def in_tables(*tables: tuple[str, int]) -> list[dict[str, Any]]:
    """A figure of each of some tables, with the title and the number of the table."""
    return [
        result(params={"block_size": 16, "table": title, "table_no": number}, value=float(at))
        for at, (title, number) in enumerate(tables, 10)
    ]


def test_tables_are_told_apart_by_their_titles_and_not_by_their_numbers(speed: Catalog) -> None:
    both = compared(
        loaded(*in_tables(("Card A", 7), ("Card B", 8)), **OLDER),
        loaded(*in_tables(("Card A", 9), ("Card B", 10)), **NEWER),
        catalog=speed,
    )
    pairs = {(row.old.cell.mean, row.new.cell.mean) for row in both.rows if row.old and row.new}
    assert pairs == {(10.0, 10.0), (11.0, 11.0)}
    assert {row.verdict for row in both.rows} == {"same"}
    other = compared(
        loaded(*in_tables(("Card A", 7)), **OLDER),
        loaded(*in_tables(("Card C", 9)), **NEWER),
        catalog=speed,
    )
    assert [row.ground for row in other.rows] == ["the title of the table was Card A and is Card C"]


@pytest.mark.parametrize(("twice", "known"), [(None, 5), (2, 4)])
def test_a_table_with_another_number_has_the_past_of_its_title(
    speed: Catalog, twice: int | None, known: int
) -> None:
    """Its number changes in each release. Where a release has two tables of one title, nothing but the number says
    which is which, so that release is left out."""
    bundles = []
    for release, number in enumerate((24, 25, 23, 26, 22)):
        tables = [("Card A", number), ("Card B", number + 10)]
        tables += [("Card A", number + 20)] * (release == twice)
        bundles.append(loaded(*in_tables(*tables), id=f"r{release}", sdk__version=f"09.0{release}"))
    pool = pooled(bundles, speed)
    past = History([pool], Names(speed, Boards({})))
    newest = [each for each in pool.of_guide(pool.guides()[-1]) if each.params["table"] == "Card A"]
    line = past.line(only(newest))
    assert len(line) == known and {value for _, value in line} == {10.0}


@pytest.mark.parametrize("has_both", [False, True])
def test_a_row_that_is_spelt_in_another_way_keeps_its_past(speed: Catalog, has_both: bool) -> None:
    """Where one release has both spellings, they are two rows."""
    titles = ["SLAVE READ", "SLAVE READ", "Slave_read", "slave-read", "slave-read"]
    bundles = []
    for release, title in enumerate(titles):
        tables = [(title, 24 + release)] + [("SLAVE READ", 40)] * (has_both and release == 2)
        bundles.append(loaded(*in_tables(*tables), id=f"r{release}", sdk__version=f"09.0{release}"))
    pool = pooled(bundles, speed)
    past = History([pool], Names(speed, Boards({})))
    (newest,) = pool.of_guide(pool.guides()[-1])
    assert len(past.line(newest)) == (2 if has_both else 5)
    both = compared(*bundles, releases=("09.02", "09.03"), catalog=speed)
    paired = [row for row in both.rows if row.verdict == "same"]
    assert len(paired) == (not has_both)
    if not has_both:
        assert "table “Slave_read” is now “slave-read”" in paired[0].aliases
        assert "published as “SLAVE READ” until 09.01" in paired[0].aliases


def test_a_parameter_that_one_side_leaves_out_loses_no_figure(speed: Catalog) -> None:
    both = compared(loaded(*cards(""), **OLDER), loaded(*cards("SanDisk"), **NEWER), catalog=speed)
    assert both.coverage == ()
    assert [row.verdict for row in both.rows] == ["same"] * 3
    assert {row.aliases for row in both.rows} == {("card “SanDisk” is stated now alone",)}


def test_a_card_that_differs_is_named_and_nothing_is_lost(speed: Catalog) -> None:
    both = compared(
        loaded(*cards("SanDisk"), **OLDER), loaded(*cards("Kingston"), **NEWER), catalog=speed
    )
    assert both.coverage == ()
    assert {(row.verdict, row.ground) for row in both.rows} == {
        ("incomparable", "the card was SanDisk and is Kingston")
    }


def test_one_card_before_and_two_now_loses_no_figure(speed: Catalog) -> None:
    both = compared(
        loaded(*cards("SanDisk"), **OLDER),
        loaded(*cards("SanDisk", "Kingston"), **NEWER),
        catalog=speed,
    )
    assert [finding.kind for finding in both.coverage] == ["gained"]
    neither = compared(
        loaded(*cards(""), **OLDER), loaded(*cards("SanDisk", "Kingston"), **NEWER), catalog=speed
    )
    assert {row.verdict for row in neither.rows} == {"incomparable", "only-new"}
    grounds = {row.ground for row in neither.rows if row.verdict == "incomparable"}
    assert grounds == {"the card was not stated and is Kingston"}


def test_the_parameters_of_a_benchmark_that_nobody_described_tell_figures_apart() -> None:
    both = compared(loaded(*cards("A"), **OLDER), loaded(*cards("B"), **NEWER))
    assert {row.verdict for row in both.rows} == {"only-old", "only-new"}


# -- the setup of runs -------------------------------------------------------------


def test_figures_of_two_cards_are_not_compared_and_a_commit_is_told_once(speed: Catalog) -> None:
    sizes = [result(params={"block_size": s}) for s in (16, 64)]
    both = compared(
        loaded(*sizes, setup={"card": "SanDisk", "commit": "abc"}, **OLDER),
        loaded(*sizes, setup={"card": "Kingston", "commit": "def"}, **NEWER),
        catalog=speed,
    )
    assert {(row.verdict, row.ground) for row in both.rows} == {
        ("incomparable", "the card was “SanDisk” and is “Kingston”")
    }
    same = compared(
        loaded(*sizes, setup={"card": "SanDisk", "commit": "abc"}, **OLDER),
        loaded(*sizes, setup={"card": "SanDisk", "commit": "def"}, **NEWER),
        catalog=speed,
    )
    assert {row.verdict for row in same.rows} == {"same"}
    assert [note for note in same.notes if "commit" in note] == [
        "AM62X, Linux, sk: the commit changed: “abc” before, “def” now"
    ]


def test_a_description_says_which_facts_matter(tmp_path: Path) -> None:
    toml = TOML + "[facts]\ncard = { matters = false }\ncommit = { matters = true }\n"
    catalog = described(tmp_path, toml)
    item = result(params={"block_size": 16})
    for fact, verdict in (("card", "same"), ("commit", "incomparable"), ("peer", "incomparable")):
        row = pair({**item, "setup": {fact: "a"}}, {**item, "setup": {fact: "b"}}, catalog)
        assert row.verdict == verdict, fact


def test_a_fact_that_one_side_states_is_no_obstacle(speed: Catalog) -> None:
    item = result(params={"block_size": 16})
    assert pair(item, {**item, "setup": {"card": "SanDisk"}}, speed).verdict == "same"


@pytest.mark.parametrize(("benchmark", "param"), [("mmcsd", "card"), ("sata", "medium")])
def test_storage_with_another_medium_is_named_and_nothing_is_lost(
    benchmark: str, param: str
) -> None:
    shipped, _ = benchmarks.load([SHIPPED])
    metrics = ("write_throughput", "read_throughput")

    def figures(**more: Any) -> list[dict[str, Any]]:
        return [
            {"benchmark": benchmark, "metric": metric, "unit": "MB/s", "value": 40.0}
            | {"params": {"filesystem": fs, "buffer_size": size, **more}}
            for metric in metrics
            for fs in ("ext4", "vfat", "raw")
            for size in (4096, 102400, 262144, 524288, 1048576, 4194304)
        ]

    for before, now, verdict, words in (
        ({}, {param: "SanDisk"}, "same", f"{param} “SanDisk” is stated now alone"),
        ({param: "SSD"}, {param: "HDD"}, "incomparable", f"{param} was SSD and is HDD"),
    ):
        both = compared(
            loaded(*figures(**before), **OLDER), loaded(*figures(**now), **NEWER), catalog=shipped
        )
        assert len(both.rows) == 36 and both.coverage == ()
        assert {row.verdict for row in both.rows} == {verdict}
        assert all(words in "; ".join([row.ground, *row.aliases]) for row in both.rows)


def test_samples_of_one_run_do_not_count_as_runs(speed: Catalog) -> None:
    """Each boot has a level of its own, as far from the others as 3 %, and ten samples close to it."""
    random = np.random.default_rng(4)

    def runs(boots: int) -> Comparison:
        bundles = []
        for release in ("09.01", "09.02"):
            for boot in range(boots):
                levels = 100 * np.exp(0.03 * random.standard_normal(40))
                rows = [
                    result(params={"block_size": 2 + n}, samples=(level * noise).round(4).tolist())
                    for n, level in enumerate(levels)
                    for noise in [np.exp(0.001 * random.standard_normal(10))]
                ]
                more = {"id": f"{release}-{boot}", "sdk__version": release}
                bundles.append(loaded(*rows, **more))
        return compared(*bundles, catalog=speed, whole=True)

    for boots in (1, 2, 5):
        assert not runs(boots).alarms, f"{boots} boots, in which nothing changed"
    ground = runs(1).rows[0].ground
    assert "no earlier release or second run" in ground
    assert runs(2).rows[0].ground.startswith("2 runs against 2")


@pytest.mark.parametrize("header", [0, 46])
def test_rates_that_count_other_bytes_of_a_packet_have_no_verdict(header: int) -> None:
    """Rates count payload, then whole frames; packet rates are whole thousands of packets per second. A
    rate of few packets may hide the step, and is judged."""

    def udp(release: str, counted: int) -> Loaded:
        rows = [
            result(metric, unit, value=value, params={"frame_size": size})
            for size, kpps in ((64, 191), (128, 173), (256, 189), (1024, 8))
            for metric, unit, value in (
                ("rate", "Mbit/s", round(kpps * (size - counted) * 8 / 1000, 2)),
                ("packets", "kPPS", kpps),
            )
        ]
        return loaded(*rows, id=release, sdk__version=release)

    before = [udp(f"08.0{number}", 46) for number in (4, 5, 6)]
    after = [udp(f"09.0{number}", 46 - header) for number in (1, 2)]
    both = compared(*before, *after, releases=("08.06", "09.01"))
    ground = "the rate counts other bytes of a packet: 18 → 64 bytes with a frame size of 64"
    sizes = {row.params["frame_size"] for row in both.rows if row.ground == ground}
    assert sizes == ({64, 128, 256} if header else set())
    (cause,) = both.events if header else [None]
    assert not cause or (cause.is_cause and cause.what.endswith(ground))
    # Later comparisons look no further back than the step.
    later = compared(*before, *after, releases=("09.01", "09.02"))
    lines = {len(row.line) for row in later.rows if row.params["frame_size"] == 64}
    assert lines == ({2, 5} if header else {5})

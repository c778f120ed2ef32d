"""Causes above rows: exchanged tables, clocks, figures with two states, and dips that are over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from making import SHIPPED, TOML, described, loaded, result

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.compare import event_evidence, event_groups, event_titles, fates, row_texts
from perfguide.compare.causes import alternating
from perfguide.compare.comparison import Comparison
from perfguide.compare.event import Event
from perfguide.compare.event_names import returned
from perfguide.compare.fates import kept
from perfguide.compare.headline import headline

from test_events import WITH_CLOCK, history, newest, releases, speed  # isort: skip  # noqa: F401
from test_verdicts import compared  # isort: skip

ENGINES = {"hw": 400.0, "sw": 20.0}


def engines(release: str, swapped: bool = False, board: str = "sk", failing: int = 0) -> Loaded:
    """Rates of two engines at four sizes; one of them is twenty times as fast. In the exchanged table
    ``failing`` of the sizes reach a rate of their own."""
    rows: list[dict[str, Any]] = []
    other = {"hw": "sw", "sw": "hw"}
    for engine, rate in ENGINES.items():
        for step in range(4):
            params = {"engine": other[engine] if swapped else engine, "block_size": 2**step}
            reached = 90.0 if swapped and step < failing else rate + step
            rows.append(result(value=reached, params=params))
            rows.append(result("load", "%", value=30.0 if rate > 100 else 99.0, params=params))
    return loaded(*rows, id=f"{board}-{release}", board__name=board, sdk__version=release)


def causes(comparison: Comparison) -> list[Event]:
    return [event for event in comparison.events if event.is_cause]


@pytest.mark.parametrize("swapped", ["9.3", "9.4"])
def test_exchanged_columns_are_one_cause_and_no_regression(tmp_path: Path, swapped: str) -> None:
    """Both in the release that has them exchanged and in the one that has them right again; the loads
    belong to the same two tables."""
    names = ("9.1", "9.2", "9.3", "9.4")
    both = compared(
        *(engines(name, name == swapped) for name in names),
        releases=("9.3", "9.4"),
        catalog=described(tmp_path),
    )
    (event,) = both.events
    assert event.is_cause and len(event.rows) == 16
    assert f"labels are wrong in {swapped}: accelerator and software are swapped" in event.what
    assert [name for name, _ in event_groups.by_action(both)] == ["Causes"]
    assert {row.verdict for row in both.rows} == {"incomparable"} and not both.far
    said, of = headline(both), len(both.rows)
    assert said.state == "too little"
    assert said.facts == [
        f"Labels of Speed are wrong in {swapped}: {of} of {of} figures are not compared."
    ]
    assert said.sentence.startswith(said.facts[0])


@pytest.mark.parametrize("releases", [("9.2", "9.3"), ("9.3", "9.4")])
def test_tables_that_moved_on_by_one_are_not_said_to_be_swapped(
    tmp_path: Path, releases: tuple[str, str]
) -> None:
    """The figures of one engine look like those of the other one, but are exactly those of a third table,
    which the release lacks."""
    sides = {("out", "sw"): 270.0, ("in", "sw"): 20.0, ("in", "hw"): 400.0}
    shifted = {("in", "sw"): 270.0, ("in", "hw"): 20.0, ("?", "sw"): 400.0}
    bundles = []
    for name in ("9.1", "9.2", "9.3", "9.4"):
        rates = shifted if name == "9.3" else sides
        rows = [
            result(value=rate + step, params={"way": way, "engine": engine, "block_size": 2**step})
            for (way, engine), rate in rates.items()
            for step in range(4)
        ]
        bundles.append(loaded(*rows, id=name, sdk__version=name))
    both = compared(*bundles, releases=releases, catalog=described(tmp_path))
    (event,) = causes(both)
    assert "labels are wrong in 9.3: figures fit those of other rows" in event.what
    assert not [row for row in both.rows if row.alarming]


@pytest.mark.parametrize("swapped", ["9.1", "9.3", "9.4"])
def test_a_release_with_exchanged_columns_is_neither_past_nor_proof(
    tmp_path: Path, swapped: str
) -> None:
    """All rates fall by a fifth in 9.3 and stay there; the next release in its place shows it."""
    names = [f"9.{number}" for number in range(1, 8)]
    catalog = described(tmp_path)
    bundles = []
    for number, name in enumerate(names, 1):
        rows = [
            result(each.metric, each.unit, value=each.value * factor, params=dict(each.params))
            for each in engines(name, name == swapped).bundle.results
            for factor in [0.8 if number >= 3 and each.metric == "rate" else 1.0]
        ]
        bundles.append(loaded(*rows, id=name, board__name="sk", sdk__version=name))
    both = compared(*bundles, releases=("9.6", "9.7"), catalog=catalog)
    own = [name for name in names if name != swapped]
    assert all(f"{len(own) - 1} earlier releases" in row.ground for row in both.rows)
    assert {row.verdict for row in both.rows} == {"same"}
    if swapped != "9.3":
        fell = compared(*bundles, releases=("9.2", "9.3"), catalog=catalog)
        rates = [row for row in fell.rows if row.metric == "rate"]
        after = own[own.index("9.3") + 1]
        assert {fates.of_most([row])[0] for row in rates if row.line} == {"lasted"}
        assert {kept(row)[0] for row in rates if row.line} == {after}


@pytest.mark.parametrize("is_exchanged", [True, False])
def test_an_exchange_of_one_board_is_recognised_by_fewer_rows_of_another(
    tmp_path: Path, is_exchanged: bool
) -> None:
    bundles = [engines("9.1"), engines("9.2", True, failing=1)]
    if is_exchanged:
        bundles += [engines("9.1", board="evm"), engines("9.2", True, board="evm")]
    both = compared(*bundles, releases=("9.1", "9.2"), catalog=described(tmp_path))
    exchanged = {row.board for event in causes(both) for row in event.rows}
    assert exchanged == ({"evm", "sk"} if is_exchanged else set())


@pytest.mark.parametrize("is_measured_earlier", [True, False])
def test_an_exchange_shows_by_figures_that_only_an_earlier_release_has(
    tmp_path: Path, is_measured_earlier: bool
) -> None:
    """OLD has one engine alone, so that its figures seem to have changed in NEW."""
    before, alone = engines("9.1"), engines("9.2")
    rows = [
        result(each.metric, each.unit, value=each.value, params=dict(each.params))
        for each in alone.bundle.results
        if each.params["engine"] == "hw"
    ]
    both = compared(
        *([before] if is_measured_earlier else []),
        loaded(*rows, id="sk-9.2", sdk__version="9.2"),
        engines("9.3", True),
        releases=("9.2", "9.3"),
        catalog=described(tmp_path),
    )
    named = {row.params["engine"] for event in causes(both) for row in event.rows}
    assert named == ({"hw"} if is_measured_earlier else set())
    assert bool(both.events or both.far) and both.counts["only-new"] == 8


def test_engines_that_changed_alone_are_no_exchange(tmp_path: Path) -> None:
    slower = engines("9.4")
    rows = [
        result(value=20.0 + n % 4, params=dict(each.params))
        for n, each in enumerate(slower.bundle.results)
        if each.metric == "rate"
    ]
    both = compared(
        *(engines(name) for name in ("9.1", "9.2", "9.3")),
        loaded(*rows, id="sk-9.4", sdk__version="9.4"),
        releases=("9.3", "9.4"),
        catalog=described(tmp_path),
    )
    assert not causes(both)
    fallen = {row.params["engine"] for event in (*both.events, *both.far) for row in event.rows}
    assert fallen == {"hw"}


def test_a_uniform_slowdown_along_a_curve_is_no_shift(tmp_path: Path) -> None:
    """Each size is twice as fast as the one before, so half of each is the next one's figure."""
    rates = {2**n: [2.0**n] * 8 + [2.0 ** (n - 1)] for n in range(4, 12)}
    both = newest(releases(rates), described(tmp_path))
    assert not causes(both)


def test_the_same_clock_change_of_two_boards_is_one_event(tmp_path: Path) -> None:
    bundles = [
        loaded(
            result("clock", "MHz", value=mhz),
            *(
                result(value=rate * mhz, params={"block_size": n})
                for n, rate in ((1, 2.0), (2, 3.0))
            ),
            id=f"{board}-{release}",
            board__name=board,
            sdk__version=release,
        )
        for board in ("evm", "sk")
        for release, mhz in (("9.1", 1200), ("9.2", 1200), ("9.3", 1200), ("9.4", 1400))
    ]
    both = compared(*bundles, releases=("9.3", "9.4"), catalog=described(tmp_path, WITH_CLOCK))
    (event,) = causes(both)
    assert event.boards == ("evm", "sk")
    assert event.what == "Clock 1,200 → 1,400 MHz (+16.7 %)"
    assert event.perhaps == ("Rows moved with it: Speed 4 of 4",)


def test_what_moved_otherwise_than_a_clock_is_judged_at_equal_clock(tmp_path: Path) -> None:
    """Sizes 1 to 6 follow the clock; size 7 is twice as fast besides, and size 8 stays as it was."""
    clocks = [1400] * 2 + [1200] * 6 + [1400]
    bundles = [
        loaded(
            result("clock", "MHz", value=mhz),
            *(result(value=n * mhz, params={"block_size": n}) for n in range(1, 7)),
            result(value=7 * mhz * (2 if at == 8 else 1), params={"block_size": 7}),
            result(value=8 * min(mhz, clocks[at - 1]), params={"block_size": 8}),
            id=f"c{at}",
            sdk__version=f"9.{at + 1}",
        )
        for at, mhz in enumerate(clocks)
    ]
    of_processor = f'subsystems = ["processor"]\n{WITH_CLOCK}'
    both = newest(bundles, described(tmp_path, of_processor))
    (clock,) = causes(both)
    assert clock.what == "Clock back at 1,400 MHz, from 1,200 (+16.7 %)" and clock.is_back
    assert clock.perhaps == ("Rows moved with it: Speed 6 of 8", "it was 1,400 MHz from 9.1 to 9.2")
    moves = (event for event in (*both.events, *both.far) if not event.is_cause)
    assert [event_titles.event_title(event, both).partition(": ")[2] for event in moves] == [
        "rate, block size 8 bytes: 14.3 % worse at equal clock (9,600 → 9,600 MB/s, clock +16.7 %)",
        "rate, block size 7 bytes: 2 times better at equal clock (8,400 → 19,600 MB/s, clock +16.7 %)",
    ]
    (stayed,) = (row for row in both.rows if row.params.get("block_size") == 8)
    assert row_texts.outcome(stayed) == "regressed +0.0 %, −14.3 % at equal clock"
    assert stayed.ground.startswith(
        "−14.3 % at equal clock: earlier figures are scaled to 1,400 MHz; "
    )


@pytest.mark.parametrize(("fell_to", "first"), [(0.86, "sk"), (0.9, "evm")])
def test_a_board_that_kept_its_clock_shows_the_size_of_a_move(
    fell_to: float, first: str, tmp_path: Path
) -> None:
    clocks = {"evm": [1200] * 8 + [1400], "sk": [1400] * 9}
    bundles = [
        loaded(
            result("clock", "MHz", value=mhz),
            *(result(value=n * mhz, params={"block_size": n}) for n in range(1, 8)),
            result(
                value=8 * min(mhz, 1200) if board == "evm" else 11200 * fall,
                params={"block_size": 8},
            ),
            id=f"{board}-{at}",
            board__name=board,
            sdk__version=f"9.{at + 1}",
        )
        for board, own in clocks.items()
        for at, mhz in enumerate(own)
        for fall in [fell_to if at == 8 else 1.0]
    ]
    of_processor = f'subsystems = ["processor"]\n{WITH_CLOCK}'
    both = newest(bundles, described(tmp_path, of_processor))
    (event,) = (event for event in both.events if event.kind == "regressed")
    assert event_titles.farthest(event).board == first and len(event.rows) == 2


TWO_STATES = (5.3, 88.0, 6.1, 7.0, 90.0)


def test_a_figure_that_alternates_between_two_states_has_no_verdict_and_no_rank(
    tmp_path: Path,
) -> None:
    """Another figure stays in one of them."""
    rates = history()
    rates[64] = [*TWO_STATES, 84.0, 6.0, 86.0, 5.5]
    rates[128] = [*TWO_STATES, 84.0, 6.0, 14.2, 5.5]
    both = newest(releases(rates), described(tmp_path))
    assert [row.params["block_size"] for row in both.rows if row.alternates] == [64]
    (row,) = (row for row in both.rows if row.alternates)
    assert row.verdict == "noisy" and not row.judged
    assert row.ground == "it alternates between two states, 5.3 to 7 and 84 to 90"
    listed = [each for event in both.far for each in event.rows]
    assert not both.events and [each.params["block_size"] for each in listed] == [128]


def test_a_far_and_rare_change_of_state_is_listed_with_the_releases_of_both(
    tmp_path: Path,
) -> None:
    rates = history()
    rates[64] = [88.0, 31.0, 32.0, 31.5, 31.2, 84.0, 86.0, 85.0, 30.8]
    both = newest(releases(rates), described(tmp_path))
    (event,) = both.far
    (row,) = event.rows
    assert event_groups.action(event) == "Worse, not proved" and row.changed_state
    assert row.verdict == "noisy" and row.ground == (
        "it changed state: high (84 to 88) in 9.1 and from 9.6 to 9.8, "
        "low (30.8 to 32) from 9.2 to 9.5 and in 9.9"
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((*TWO_STATES, 6.0), True),
        ((88.0, 90.0, 89.0, 91.0, 6.0), False),  # one step, of which no one knows whether it lasts
        ((88.0, 6.0, 90.0, 89.0, 6.2), False),  # one dip so far
        ((5.0, 10.0, 20.0, 40.0, 80.0, 5.0), False),  # all between too
        ((5.0, 88.0, 6.0, 90.0), False),
        ((88.0, 90.0, 6.0, 6.5, 89.0), False),  # came back once
        ((88.0, 6.0, 6.5, 90.0, 6.2), True),
        ((0.0, 88.0, 6.0, 90.0, 6.0), False),
        ((63.0, 63.4, 77.1, 63.5, 78.5, 62.2), True),  # near each other, in narrow ranges
        ((63.0, 66.9, 77.1, 63.5, 78.5, 62.2), False),
        ((63.0, 63.4, 77.1, 63.5, 62.2), False),
    ],
)
def test_two_states_are_those_that_both_came_back(
    values: tuple[float, ...], expected: bool
) -> None:
    assert (alternating(values) is not None) == expected


@pytest.mark.parametrize(("first", "said"), [(30.2, True), (24.0, False)])
def test_an_event_says_which_release_was_at_its_level_before(
    first: float, said: bool, tmp_path: Path
) -> None:
    rates = history()
    rates[64] = [first, *(50.0 + n / 10 for n in range(7)), 30.0]
    both = newest(releases(rates), described(tmp_path))
    (event,) = both.events
    lines = event_evidence.event_lines(event, both)
    assert ("The row was at this level before, in 9.1." in lines) is said


def test_a_recovery_is_tied_to_its_dip(tmp_path: Path) -> None:
    rates = history()
    for size in (64, 128):
        rates[size][-2:] = [20.0, rates[size][0]]
    both = newest(releases(rates), described(tmp_path))
    told = [event for event in (*both.events, *both.far) if event.kind in ("improved", "noisy")]
    assert told and all(
        "a return to the level of 9.7, from which 9.8 differed" in event.perhaps for event in told
    )
    # The dip itself is no return.
    dip = compared(*releases(rates), releases=("9.7", "9.8"), catalog=described(tmp_path))
    assert not any("return" in text for event in dip.events for text in event.perhaps)


@pytest.mark.parametrize(
    ("third", "said"),
    [
        ((50.0, 2.5, 51.0), ""),
        ((50.0, 20.0, 30.0), ", in 2 of the 3 rows"),
        (
            (50.0, 2.5, 95.0),
            ", in 2 of the 3 rows",
        ),  # near for the long way, but not the same level
    ],
)
def test_rows_far_from_an_earlier_level_are_not_counted_as_back_there(
    third: tuple[float, float, float], said: str, tmp_path: Path
) -> None:
    sizes = {64: [50.0, 2.5, 50.0], 128: [60.0, 3.0, 61.0], 256: [*third]}
    # Releases after the first three are not known.
    bundles = releases({size: own * 3 for size, own in sizes.items()})[:3]
    both = compared(*bundles, releases=("9.2", "9.3"), catalog=described(tmp_path))
    assert returned(both.rows) == f"a return to the level of 9.1, from which 9.2 differed{said}"


@pytest.mark.parametrize("times", [1.45, 1.8, 2.4])
def test_a_fall_to_the_level_that_one_release_had_left_is_no_news(
    times: float, tmp_path: Path
) -> None:
    """Of one row it is a line of its own from a factor of 1.5 on."""
    rates = history()
    rates[64][-2] *= times
    both = newest(releases(rates), described(tmp_path))
    ((action, (event,)),) = event_groups.by_action(both)
    if times < 1.5:
        assert action == event_groups.MINOR
        return
    assert action == "Back at an earlier level" and event.worse_by > 0
    assert event_evidence.event_lines(event, both) == [
        "A return to the level of 9.7, from which 9.8 differed."
    ]
    assert headline(both).state == "ship"


@pytest.mark.parametrize(("before", "is_one"), [(30.2, True), (61.0, False)])
def test_a_fall_joins_one_that_is_back_where_the_same_release_had_left(
    before: float, is_one: bool, tmp_path: Path
) -> None:
    """What has a single earlier release is back there as the rest of its board is, or fell."""
    rates = history()
    rates[64][-2] *= 2.4
    bundles = releases(rates)
    for n, rate in enumerate((before, 61.5, 30.0), 7):
        more = [
            result(value=rate + at / 10, benchmark="other", params={"block_size": at})
            for at in (8, 9)
        ]
        bundles.append(loaded(*more, id=f"more-{n}", sdk__version=f"9.{n}"))
    described(tmp_path, TOML.replace('title = "Speed"', 'title = "Other"'), "other")
    both = newest(bundles, described(tmp_path))
    listed = [event for event in both.far if not event.is_minor]
    assert [event.benchmark for event in listed if event.is_back] == ["speed"]
    assert len(listed) == (1 if is_one else 2)
    if is_one:
        assert [row.benchmark for row in listed[0].unproved] == ["other"] * 2
        said = "Two figures of Other (rate, 62.3 → 30.8 MB/s; rate, 62.4 → 30.9 MB/s) got worse by"
        assert said in headline(both).sentence


def test_a_figure_beyond_its_limit_is_no_regression(tmp_path: Path) -> None:
    toml = TOML.replace('{ name = "load", ', '{ name = "load", at_most = 100, ')
    assert toml != TOML
    loads = {size: [30.0] * 8 + [2618.0] for size in (64, 128)}
    both = newest(releases(history(), loads), described(tmp_path, toml))
    (event,) = causes(both)
    assert event.what == "Speed: a figure is impossible: 2,618 % in 9.9, more than 100 %"
    assert {row.verdict for row in event.rows} == {"incomparable"}
    assert headline(both).state == "ship"


@pytest.mark.parametrize(
    ("first", "least"), [(0.32, "“Integer, add” (0.5 ns)"), (0.6, "0.4 times “mul” (2 ns)")]
)
def test_an_operation_shorter_than_a_clock_cycle_or_far_shorter_than_another_proves_no_fall(
    first: float, least: str
) -> None:
    """The compiler left it out until the newest release, whose figure is the first one that can be."""
    add = [first] * 8 + [1.96]
    cycles = [0.5] * 9
    bundles = [
        loaded(
            *(
                result(f"lat_ops-{name}", "ns", benchmark="lmbench", value=own[number])
                for name, own in (
                    ("int-add", cycles),
                    *(("double-add", add), ("float-add", add)),
                    *(("double-mul", [2.0] * 9), ("float-mul", [2.0] * 9)),
                )
            ),
            id=f"9.{number}",
            board__name="sk",
            sdk__version=f"9.{number}",
        )
        for number in range(9)
    ]
    both = compared(*bundles, releases=("9.7", "9.8"), catalog=benchmarks.load([SHIPPED])[0])
    (event,) = both.events
    assert event.is_cause and len(event.rows) == 2
    assert event.what.endswith(f"a figure is impossible: {first} ns in 9.7, shorter than {least}")
    before = compared(*bundles, releases=("9.6", "9.7"), catalog=benchmarks.load([SHIPPED])[0])
    assert {row.verdict for row in before.rows} == {"same"} and not before.events


def test_one_figure_with_two_names_is_one_measurement(tmp_path: Path) -> None:
    """Two rows that fall by a third hold a release back, and one does not."""
    more = {"lat_a": [300.0] * 8 + [481.2], "lat_b": [300.0] * 8 + [481.2]}
    both = newest(releases(history(), more=more), described(tmp_path))
    (event,) = both.events
    assert [row.follows for row in event.rows] == ["", "lat_a"]
    assert headline(both).state == "look"
    more["lat_b"][-1] = 483.1
    both = newest(releases(history(), more=more), described(tmp_path))
    assert headline(both).state == "do not ship"
    # Times that grow by less than a tenth of a millisecond do not.
    short = {name: [own / 10 for own in line] for name, line in more.items()}
    both = newest(releases(history(), more=short), described(tmp_path))
    assert headline(both).state == "look"


@pytest.mark.parametrize(("load", "is_one"), [(30.12, True), (31.05, False)])
def test_one_run_with_two_labels_is_one_measurement(
    load: float, is_one: bool, tmp_path: Path
) -> None:
    """Runs of two sizes have the same rates, and the same load or another one."""
    bundles = [
        loaded(
            *(
                result(metric, unit, value=value, params={"block_size": size})
                for size, own in ((7, 30.12), (8, load))
                for metric, unit, value in (("rate", "MB/s", rate), ("load", "%", own))
            ),
            id=name,
            board__name="sk",
            sdk__version=name,
        )
        for name, rate in (("9.1", 929.07), ("9.2", 474.78))
    ]
    both = compared(*bundles, releases=("9.1", "9.2"), catalog=described(tmp_path))
    (event,) = both.far
    lines = event_evidence.event_lines(event, both)
    assert len(event.counted) == 2 - is_one
    assert ("1 more row is the same figure under another name: rate." in lines) is is_one


@pytest.mark.parametrize(("title", "expected"), [("eMMC, raw", 0), ("SD, raw", 2)])
def test_a_table_is_the_same_by_its_title_and_not_by_its_number(
    tmp_path: Path, title: str, expected: int
) -> None:
    def run(release: str, rate: float, title: str, number: int) -> Loaded:
        tables = [
            result(value=rate, params={"block_size": size, "table": title, "table_no": number})
            for size in (64, 128)
        ]
        return loaded(*tables, id=release, sdk__version=release)

    both = compared(
        run("9.1", 84.0, "eMMC, raw", 24),
        run("9.2", 11.0, title, 25),
        releases=("9.1", "9.2"),
        catalog=described(tmp_path),
    )
    assert both.counts["incomparable"] == expected


def test_exchanged_columns_that_the_older_release_has_not_measured_are_no_event(
    tmp_path: Path,
) -> None:
    other = loaded(result("lat_a", "us", value=3.0), id="sk-9.2", sdk__version="9.2")
    newest_one = loaded(result("lat_a", "us", value=3.0), id="sk-more", sdk__version="9.3")
    both = compared(
        engines("9.1"), other, engines("9.3", swapped=True), newest_one,
        releases=("9.2", "9.3"),
        catalog=described(tmp_path),
    )  # fmt: skip
    assert {row.verdict for row in both.rows} == {"only-new", "same"}
    assert not both.events and not both.far

"""Figures that are in doubt prove nothing: means with a run that failed, and boards unlike all others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import pytest
from making import SHIPPED, described, loaded, only, result

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.catalog.benchmarks import Catalog
from perfguide.compare import event_evidence, event_groups, event_titles, row_texts
from perfguide.compare.comparison import Comparison
from perfguide.compare.headline import headline
from perfguide.compare.row import points

from test_verdicts import compared  # isort: skip

BOARDS = {"evm": 800.0, "sk": 810.0, "lp": 790.0}
"""Rates in MB/s."""

PAST = ("9.1", "9.2", "9.3", "9.4")


@pytest.fixture
def speed(tmp_path: Path) -> Catalog:
    return described(tmp_path)


def release(board: str, name: str, *results: dict[str, object]) -> Loaded:
    return loaded(*results, id=f"{board}-{name}", board__name=board, sdk__version=name)


def lab(speed: Catalog, newest: dict[str, float], sizes: int = 1) -> Comparison:
    """Boards over five quiet releases; in the newest some have another rate, at so many sizes."""

    def rates(board: str, factor: float) -> list[dict[str, object]]:
        return [
            result(value=BOARDS[board] * factor * (1 + n / 10), params={"block_size": 64 * 2**n})
            for n in range(sizes)
        ]

    bundles = [
        release(board, name, *rates(board, 1 + number / 1000))
        for board in BOARDS
        for number, name in enumerate(PAST)
    ]
    bundles += [release(board, "9.5", *rates(board, newest.get(board, 1.0))) for board in BOARDS]
    return compared(*bundles, releases=("9.4", "9.5"), catalog=speed)


@pytest.mark.parametrize(
    ("fell", "is_in_doubt"),
    [
        ({"sk": 0.15}, True),
        ({"sk": 0.7}, False),  # less far off than a half
        ({"sk": 0.15, "lp": 0.15}, False),  # the only one that stayed is not the odd one
        ({"sk": 0.15, "lp": 0.15, "evm": 0.15}, False),
    ],
)
def test_a_fall_of_one_board_that_all_others_contradict_is_measured_again(
    fell: dict[str, float], is_in_doubt: bool, speed: Catalog
) -> None:
    both = lab(speed, fell)
    row = next(row for row in both.rows if row.board == "sk")
    assert bool(row.doubt) is is_in_doubt
    assert row.verdict == ("noisy" if is_in_doubt else "regressed")
    said = headline(both)
    if not is_in_doubt:
        assert "First repeat" not in said.more
        return
    least, most = sorted(BOARDS[board] for board in BOARDS if board != "sk")
    assert row.doubt == (
        f"the 2 other boards have {least:g} and {most:g} MB/s, so it may be a bad measurement"
    )
    assert said.state == "look" and "First repeat Speed (sk): its" in said.more
    (event,) = both.far
    assert event_groups.action(event) == "Worse, not proved"


@pytest.mark.parametrize(("rate", "is_in_doubt"), [(1.2, False), (0.15, True)])
def test_a_load_unlike_those_of_other_boards_says_nothing_about_its_rate(
    rate: float, is_in_doubt: bool, speed: Catalog
) -> None:
    both = compared(
        *(
            release(
                board,
                name,
                result(value=by * of * (1 + n / 1000), params={"block_size": 64}),
                result("load", "%", value=load, params={"block_size": 64}),
            )
            for board, of in BOARDS.items()
            for n, name in enumerate((*PAST, "9.5"))
            for by, load in [(rate, 90.0) if (board, name) == ("sk", "9.5") else (1.0, 30.0)]
        ),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    doubts = {row.metric: bool(row.doubt) for row in both.rows if row.board == "sk"}
    assert doubts == {"rate": is_in_doubt, "load": True}


def test_where_many_runs_of_a_board_fell_the_board_is_the_cause(speed: Catalog) -> None:
    both = lab(speed, {"sk": 0.15}, sizes=3)
    assert not any(row.doubt for row in both.rows)
    assert headline(both).state == "do not ship"


@pytest.mark.parametrize("side", [None, "old", "new", "past"])
def test_a_mean_with_a_run_that_failed_proves_nothing(side: str | None, speed: Catalog) -> None:
    good, failed = [700.0, 705.0, 710.0], [0.4, 250.0, 310.0]

    def samples(name: str) -> list[float]:
        broken = {"old": "9.4", "new": "9.5", "past": "9.2"}.get(side or "")
        return failed if name == broken else good

    both = compared(
        *(
            release(
                "sk",
                name,
                result(value=fmean(own), min=min(own), max=max(own), params={"block_size": 64}),
            )
            for name in (*PAST, "9.5")
            for own in [samples(name)]
        ),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    row = only(both.rows)
    assert row.verdict == {"old": "incomparable", "new": "noisy"}.get(side or "", "same")
    if side == "old":
        assert row.ground == "some old runs failed; its samples are 0.4 to 310 MB/s"
    if side in ("old", "new"):
        # A mean with failed runs in it is no figure, but their samples are.
        (event,) = both.events
        said = {"old": "some runs failed with 9.4", "new": "some runs fail"}[side]
        assert event_titles.event_title(event, both) == f"Speed: {said}"
        assert event_groups.action(event) == {"old": "Causes", "new": "Worse"}[side]
        ends = (
            {"old": "0.4 to 310", "new": "700 to 710"},
            {"old": "700 to 710", "new": "0.4 to 310"},
        )
        samples = f"{ends[0][side]} MB/s with 9.4, {ends[1][side]} MB/s with 9.5"
        assert event_evidence.event_lines(event, both) == [f"Rate, block size 64 bytes: {samples}."]
    else:
        assert not both.events and not both.far


def test_where_runs_failed_the_best_ones_are_compared(speed: Catalog) -> None:
    def rate(size: int, *own: float) -> dict[str, object]:
        ends = {"min": min(own), "max": max(own)}
        return result(value=fmean(own), **ends, params={"block_size": size})

    both = compared(
        release("sk", "9.4", rate(1, 2.3, 60, 305), rate(2, 1.3, 302), rate(3, 0.2, 229)),
        release("sk", "9.5", rate(1, 73, 80), rate(2, 0.4, 205)),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    (fall,) = event_groups.against(both)
    title = "Speed: 1.47 to 3.81 times worse in the best run (2 rows)"
    assert event_titles.event_title(fall, both) == title
    assert [row_texts.from_to(row) for row in fall.rows] == ["305 → 80 MB/s", "302 → 205 MB/s"]
    (still,) = both.events
    lines = event_evidence.event_lines(still, both)
    assert "Rate, block size 3 bytes: 0.2 to 229 MB/s with 9.4, no longer measured." in lines
    ground = "the best runs are compared, as others failed: 2.3 to 305 MB/s with 9.4"
    assert event_evidence.event_lines(fall, both) == [f"Not proved (first row): {ground}."]


def test_runs_that_fail_as_before_are_no_news_beside_those_that_fail_only_now(
    speed: Catalog,
) -> None:
    good, failed = [700.0, 705.0, 710.0], [0.4, 250.0, 310.0]
    both = compared(
        *(
            release(
                "sk",
                name,
                *(
                    result(
                        value=fmean(own), min=min(own), max=max(own), params={"block_size": size}
                    )
                    for size in range(1, 8)
                    for own in [good if size == 7 and name != "9.5" else failed]
                ),
            )
            for name in (*PAST, "9.5")
        ),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    titles = {
        title: [event_titles.event_title(event, both) for event in events]
        for title, events in event_groups.by_action(both)
    }
    as_before = "some runs still fail (6 rows)"
    assert titles == {
        "Worse": ["Speed: block size 7 bytes: some runs fail"],
        event_groups.FAILING_STILL: [f"Speed: {as_before}"],
    }
    still = next(event for event in both.events if event.kind == "failed-both")
    assert event_evidence.event_lines(still, both)[-1] == "Runs of 1 more rate failed."


@pytest.mark.parametrize(
    ("old", "now", "new", "verdict", "doubt"),
    [
        (0.0, 11.0, 8.0, "incomparable", "some old runs failed; its samples are 0 to 12 µs"),
        (0.0, 50.0, 8.0, "noisy", ""),  # longer than any sample, with or without that of 0
        (8.0, 50.0, 0.0, "noisy", "some new runs failed; its samples are 0 to 90 µs"),
        (0.0, 50.0, 0.0, "noisy", ""),  # as the program prints in every release
    ],
)
def test_a_time_of_zero_in_one_release_puts_its_mean_in_doubt(
    old: float, now: float, new: float, verdict: str, doubt: str, speed: Catalog
) -> None:
    both = compared(
        release("sk", "9.4", result("lat_a", "us", value=9.0, min=old, max=12.0)),
        release("sk", "9.5", result("lat_a", "us", value=now, min=new, max=90.0)),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    row = only(both.rows)
    assert row.verdict == verdict
    assert row.ground == doubt or (not doubt and "failed" not in row.ground)


@pytest.mark.parametrize(
    ("before", "old", "new", "is_odd"),
    [
        ([20.1, 18.0, 18.4, 15.0], 0.6, 22.0, True),
        ([20.1, 18.0, 18.4, 15.0], 0.6, 2.0, False),  # still far from all before
        ([20.1, 18.0, 18.4, 15.0], 60.0, 90.0, False),  # goes on, the other way
        ([20.1, 1.8, 18.4, 5.0], 0.6, 22.0, False),  # earlier figures wandered as far
        ([20.1], 0.6, 22.0, False),  # one figure may be the odd one itself
        ([18.1, 18.0, 18.4, 18.2], 0.6, 18.1, False),  # a return, which is reported as such
    ],
)
def test_a_move_away_from_an_odd_older_figure_shows_nothing(
    before: list[float], old: float, new: float, is_odd: bool, speed: Catalog
) -> None:
    names = [f"9.{number}" for number in range(1, len(before) + 3)]
    both = compared(
        *(
            release("sk", name, result(value=rate, params={"block_size": 64}))
            for name, rate in zip(names, (*before, old, new), strict=True)
        ),
        releases=(names[-2], names[-1]),
        catalog=speed,
    )
    row = only(both.rows)
    least, most = min(before), max(before)
    assert (row.verdict == "incomparable") is is_odd
    if is_odd:
        said = f"the last {len(before)} before it were {least:g} to {most:g} MB/s"
        assert row.ground == f"the older figure may be a bad measurement: {said}"
        assert not both.events and not both.far


@pytest.mark.parametrize(
    ("dips", "odd"),
    [
        ((1, 0, 0, 0), 1),
        ((1, 1, 0, 0), 2),  # half of them is no level
        ((1, 1, 1, 0), 0),
        ((1, 1, 1, -1), 1),  # the last one is odd
        ((1, 1, -1, -1), 4),  # not the same way
    ],
)
def test_older_figures_of_a_kind_that_went_the_same_way_are_a_level(
    dips: Sequence[int], odd: int, speed: Catalog
) -> None:
    levels = {"9.1": (20.1, 0), "9.2": (18.0, 0), "9.3": (18.4, 0), "9.4": (18.0, 1)}
    both = compared(
        *(
            release(
                "sk",
                name,
                *(
                    result(
                        value=round(rate * 30.0 ** (-dip * away), 2), params={"block_size": size}
                    )
                    for size, dip in enumerate(dips, start=1)
                ),
            )
            for name, (rate, away) in {**levels, "9.5": (14.0, 0)}.items()
        ),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    assert sum(row.verdict == "incomparable" for row in both.rows) == odd


@pytest.mark.parametrize(
    ("old", "new", "is_odd"),
    [
        ((1.0, 3.9, 79.4, 53.2, 182.0), (1.1, 4.6, 17.5, 52.8, 179.0), True),
        ((1.0, 3.9, 14.4, 53.2, 182.0), (1.1, 4.6, 79.4, 52.8, 179.0), False),  # NEW is odd
        ((1.0, 3.9, 79.4, 53.2, 182.0), (1.1, 4.6, 40.0, 52.8, 179.0), False),  # both are
        ((1.0, 3.9, 79.4, 253.2, 382.0), (0.2, 1.0, 17.5, 52.8, 79.0), False),  # all fell
        ((79.4, 3.9, 14.4, 53.2, 182.0), (1.0, 3.9, 14.4, 53.2, 182.0), False),  # at the end
    ],
)
@pytest.mark.parametrize("has_past", [False, True])
def test_an_older_figure_off_the_curve_of_its_neighbours_shows_nothing(
    old: Sequence[float], new: Sequence[float], is_odd: bool, has_past: bool, speed: Catalog
) -> None:
    sides = {"9.3": old, "9.4": old, "9.5": new} if has_past else {"9.4": old, "9.5": new}
    both = compared(
        *(
            release(
                "sk",
                name,
                *(
                    result(value=rate, params={"block_size": 4 ** (n + 2)})
                    for n, rate in enumerate(rates)
                ),
            )
            for name, rates in sides.items()
        ),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    odd = [row for row in both.rows if row.verdict == "incomparable"]
    # An earlier release with the same figure shows that it was right.
    assert [row.params["block_size"] for row in odd] == [4**4] * (is_odd and not has_past)
    for row in odd:
        said = f"block size were {old[1]:g} and {old[3]:g} MB/s"
        assert row.ground.endswith(f"those at the next smaller and larger {said}")


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        (31.2, "the rate of its run fell, too, from 82.5 to 31.2 MB/s"),
        (81.9, ""),  # hardly less work
        (99.9, ""),  # more work
    ],
)
def test_a_load_that_fell_to_0_with_its_rate_is_not_better(
    rate: float, said: str, speed: Catalog
) -> None:
    params = {"block_size": 64}
    both = compared(
        *(
            release(
                "sk",
                name,
                result(value=each, params=params),
                result("load", "%", value=load, params=params),
            )
            for name, each, load in (*((name, 82.5, 33.3) for name in PAST), ("9.5", rate, 0.0))
        ),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    (load,) = (row for row in both.rows if row.metric == "load")
    titles = [event_titles.event_title(event, both) for event in (*both.events, *both.far)]
    assert load.doubt == said and any("to 0" in title for title in titles) is (not said)


def listed(both: Comparison) -> list[str]:
    """The titles of events, without those of small or usual moves."""
    return [
        event_titles.event_title(event, both)
        for event in (*both.events, *both.far)
        if not event.is_minor
    ]


LOADS = {"lat_a": 20.0, "lat_b": 30.0}


@pytest.mark.parametrize(
    ("load", "is_event"), [(3.9, False), (4.0, False), (5.0, True), (9.0, True)]
)
def test_a_load_that_moves_by_less_than_three_points_is_no_event(
    load: float, is_event: bool, speed: Catalog
) -> None:
    both = compared(
        *(
            release(
                "sk",
                name,
                *(result("load", "%", value=1.5, params={"block_size": s}) for s in SIZES),
            )
            for name in PAST
        ),
        release(
            "sk", "9.5", *(result("load", "%", value=load, params={"block_size": s}) for s in SIZES)
        ),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    assert bool(listed(both)) is (load - 1.5 > 3) is is_event


@pytest.mark.parametrize(
    ("fallen", "named"),
    [
        (("aes-128-cbc", "aes-192-cbc", "aes-256-cbc"), ", AES"),
        (("sha1", "md5"), ", MD5 and SHA-1"),
        (("aes-128-cbc", "aes-192-cbc", "aes-256-cbc", "sha1", "md5"), ""),  # all there are
    ],
)
def test_an_event_names_the_ciphers_that_fell(fallen: tuple[str, ...], named: str) -> None:
    algorithms = ("aes-128-cbc", "aes-192-cbc", "aes-256-cbc", "sha1", "md5")
    rates = {
        name: [
            result(
                unit="kB/s",
                metric="throughput",
                benchmark="openssl",
                value=(5000 + 10 * at) * (0.6 if at == 4 and algorithm in fallen else 1.0),
                params={"algorithm": algorithm, "block_size": size},
            )
            for algorithm in algorithms
            for size in (1024, 8192)
        ]
        for at, name in enumerate((*PAST, "9.5"))
    }
    both = compared(
        *(release("sk", name, *own) for name, own in rates.items()),
        releases=("9.4", "9.5"),
        catalog=benchmarks.load([SHIPPED])[0],
    )
    event = only([*both.events, *(each for each in both.far if not each.is_minor)])
    assert len(event.rows) == 2 * len(fallen)
    assert event.what in (f"OpenSSL: throughput{named}", f"OpenSSL{named and ': '}{named[2:]}") or (
        event.what == "all benchmarks" and not named
    )


SETTLED = (
    ((14.96, 14.86), 23.1),
    ((14.75, 14.7), 22.1),
    ((12.3, 12.24), 19.2),
    ((14.3, 14.28), 22.4),
    ((12.77, 12.78), 18.8),
    ((12.73, 12.7), 18.5),
)
"""Loads in two releases that agree, and then."""

RESTLESS = (
    ((10.3, 14.0), 14.1),
    ((17.8, 13.1), 12.8),
    ((20.0, 15.2), 15.8),
    ((11.4, 15.5), 15.1),
    ((12.3, 16.7), 17.0),
)


@pytest.mark.parametrize(
    ("rows", "scale", "count"),
    [
        (SETTLED, 1.0, 6),
        (SETTLED[:4], 1.0, 0),  # few
        ((*SETTLED, ((9.7, 9.7), 6.1), ((9.8, 9.8), 6.2)), 1.0, 0),  # both ways
        (SETTLED, 0.1, 0),  # less than a point
    ],
)
def test_loads_that_had_settled_and_rose_together_are_an_event(
    rows: Sequence[tuple[Sequence[float], float]], scale: float, count: int, speed: Catalog
) -> None:
    """None moved by ten points, and most had moved as far before."""
    bundles = [
        release(
            "sk",
            name,
            *(
                result("load", "%", value=scale * (*own, new)[at], params={"block_size": n})
                for n, (own, new) in enumerate((*rows, *RESTLESS), 1)
            ),
        )
        for at, name in enumerate(("9.3", "9.4", "9.5"))
    ]
    both = compared(*bundles, releases=("9.4", "9.5"), catalog=speed)
    rose = [event for event in both.far if event.worse_by > 0 and not event.is_minor]
    assert [len(event.rows) for event in rose] == [count] * bool(count)
    factors = sorted(new / own[-1] for own, new in SETTLED)
    for event in rose:
        assert all(row.verdict == "noisy" and points(row) < 10 for row in event.rows)
        ends = [f"{100 * factor - 100:.1f}" for factor in (factors[0], factors[-1])]
        title = event_titles.event_title(event, both)
        assert title.endswith(f": {ends[0]} to {ends[1]} % worse (6 rows)")


@pytest.mark.parametrize(("rate", "state"), [(100.0, "look"), (10.0, "do not ship")])
def test_loads_alone_do_not_hold_a_release_back(rate: float, state: str, speed: Catalog) -> None:
    """All loads of a benchmark become eight times what they were; its rates stay or fall to a tenth."""

    def both_of(name: str, load: float, value: float) -> Loaded:
        loads = (result("load", "%", value=load, params={"block_size": s}) for s in SIZES)
        rates = (result(value=value, params={"block_size": s}) for s in SIZES)
        return release("sk", name, *loads, *rates)

    both = compared(
        *(both_of(name, 9.0 + n / 100, 100.0 + n / 10) for n, name in enumerate(PAST)),
        both_of("9.5", 72.0, rate),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    loads = [row for row in both.rows if row.metric == "load"]
    assert {row.verdict for row in loads} == {"regressed"} or rate < 100
    assert headline(both).state == state


SIZES = (64, 128, 256, 512, 1024, 2048)


@pytest.mark.parametrize(
    ("factors", "is_event"),
    [
        ((1.6, 1.5, 1.7, 1.6), True),  # alike
        ((1.25, 9.0, 2.1, 1.2), False),  # each another one
        ((1.6,), False),
    ],
)
def test_rises_that_nothing_proves_are_an_event_if_they_are_alike(
    factors: tuple[float, ...], is_event: bool, speed: Catalog
) -> None:
    """Latencies with one figure before."""
    both = compared(
        release(
            "sk", "9.4", *(result(f"lat_{n}", "us", value=9.13 * f) for n, f in enumerate(factors))
        ),
        release(
            "sk", "9.5", *(result(f"lat_{n}", "us", value=9.13) for n, _ in enumerate(factors))
        ),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    assert {row.verdict for row in both.rows} == {"noisy"}
    assert bool(listed(both)) is is_event


@pytest.mark.parametrize("sizes", [SIZES[1:4], SIZES[3:]])
def test_a_fall_is_one_event_on_boards_where_it_is_proved_and_where_it_is_not(
    speed: Catalog, sizes: Sequence[int]
) -> None:
    """One board is quiet, and the other scatters, with the same sizes or others."""
    bundles = [
        release(
            "evm",
            name,
            *(result(value=90.0 + n / 100, params={"block_size": s}) for s in SIZES[:3]),
        )
        for n, name in enumerate(PAST)
    ]
    bundles += [
        release(
            "sk",
            name,
            *(result(value=rate + n, params={"block_size": s}) for n, s in enumerate(sizes)),
        )
        for name, rate in zip((*PAST, "9.5"), (78.0, 99.0, 84.0, 90.0, 55.0), strict=True)
    ]
    bundles.append(
        release("evm", "9.5", *(result(value=30.0, params={"block_size": s}) for s in SIZES[:3]))
    )
    both = compared(*bundles, releases=("9.4", "9.5"), catalog=speed)
    verdicts = {row.board: row.verdict for row in both.rows}
    assert verdicts == {"evm": "regressed", "sk": "noisy"}
    assert len(listed(both)) == 1
    (event,) = both.events
    assert event.boards == ("evm", "sk") and not event.unproved


@pytest.mark.parametrize(
    ("before", "new", "is_event"),
    [
        ([50.0, 50.1], 40.0, True),  # a fifth
        ([50.0, 50.1], 42.5, False),
        ([28.9, 13.9, 5.1, 11.8, 5.5, 7.3], 1.7, False),  # it wandered as far
        ([7.2, 7.3, 7.1, 7.2, 7.2, 7.3], 1.7, True),
    ],
)
def test_one_fall_is_an_event_if_it_left_a_level(
    before: list[float], new: float, is_event: bool, speed: Catalog
) -> None:
    names = [f"9.{n}" for n in range(10 - len(before), 11)]
    rates = [*before, new]
    both = compared(
        *(
            release("sk", name, result(value=rate, params={"block_size": 64}))
            for name, rate in zip(names, rates, strict=True)
        ),
        releases=(names[-2], names[-1]),
        catalog=speed,
    )
    row = only(both.rows)
    range_before = max(before) / min(before)
    wandered = range_before**1.5 >= before[-1] / new
    assert (before[-1] / new > 1.2 and not wandered) is is_event
    if row.verdict == "noisy":
        assert bool(listed(both)) is is_event


@pytest.mark.parametrize(("other", "is_event"), [(2.8, True), (4.2, False)])
def test_a_usual_fall_is_an_event_if_several_boards_have_it(
    other: float, is_event: bool, speed: Catalog
) -> None:
    """Each board fell as far before: in other releases, and from other rates."""
    rates = {"sk": (3.1, 5.3, 7.0, 4.3, 2.8), "lp": (5.2, 3.2, 6.1, 4.4, other)}
    both = compared(
        *(
            release(board, name, result(value=rate, params={"block_size": 64}))
            for board, own in rates.items()
            for name, rate in zip((*PAST, "9.5"), own, strict=True)
        ),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    assert {row.verdict for row in both.rows} == {"noisy"}
    assert len(listed(both)) == is_event and all("2 rows" in each for each in listed(both))


@pytest.mark.parametrize(("undirected", "state"), [(0, "ship"), (3, "ship"), (4, "too little")])
def test_nothing_is_fit_to_ship_by_figures_without_a_better_direction(
    undirected: int, state: str, speed: Catalog
) -> None:
    """Six figures, some of a metric that no description has; one of these moved by 30 %."""
    names = [f"m_{n}" if n < undirected else f"lat_{n}" for n in range(6)]
    bundles = [
        release(
            "sk", name, *(result(m, "us", value=50.0 + n + step / 100) for n, m in enumerate(names))
        )
        for step, name in enumerate(PAST)
    ]
    moved = {"m_0": 35.0}
    bundles.append(
        release(
            "sk",
            "9.5",
            *(result(m, "us", value=moved.get(m, 50.0 + n)) for n, m in enumerate(names)),
        )
    )
    both = compared(*bundles, releases=("9.4", "9.5"), catalog=speed)
    said = headline(both)
    assert said.state == state
    changed = sum(row.verdict == "changed" for row in both.rows)
    assert changed == (undirected > 0)
    if state != "ship":
        assert "For 4 of 6 figures, no description says whether higher is better." in said.sentence


@pytest.mark.parametrize("factor", [0.5, 0.8, 0.97, 0.99, 1.0, 1.01, 1.03, 1.2, 2.0])
def test_a_change_that_would_have_been_seen_is_larger_than_the_one_that_was_not(
    factor: float, speed: Catalog
) -> None:
    rates = (50.11, 50.95, 49.87, 50.45)
    both = compared(
        *(
            release(
                "sk",
                name,
                *(result(value=rate + n, params={"block_size": s}) for n, s in enumerate(SIZES)),
            )
            for name, rate in zip(PAST, rates, strict=True)
        ),
        release(
            "sk",
            "9.5",
            *(
                result(
                    value=(rates[-1] + n) * (factor if n == 2 else 1.0), params={"block_size": s}
                )
                for n, s in enumerate(SIZES)
            ),
        ),
        releases=("9.4", "9.5"),
        catalog=speed,
    )
    row = next(row for row in both.rows if row.params["block_size"] == SIZES[2])
    said = re.findall(
        r"only a (?:fall|rise) of ([\d.]+) % or more would have shown", row_texts.ground(row)
    )
    assert bool(said) is (row.verdict in ("noisy", "steady", "same") and factor not in (0.5, 2.0))
    if said:
        assert 100 * abs(factor - 1) < float(said[0])


@pytest.mark.parametrize(
    ("loads", "said"),
    [
        ((98.0, None, 35.0), "the processor did the work itself then and waits for an engine now"),
        (
            (35.0, None, 98.0),
            "the processor waited for an engine then and does the work itself now",
        ),
        ((98.0, None, 97.0), ""),
        ((98.0, 35.0, 35.0), ""),  # OLD has it, so the rows are compared
    ],
)
def test_an_engine_that_changed_while_nothing_was_measured_is_a_note(
    loads: tuple[float | None, ...], said: str
) -> None:
    params = {"algorithm": "aes-256-cbc", "engine": "default", "threads": 1}
    load = {"benchmark": "openssl", "metric": "cpu_load", "unit": "%", "params": params}
    other = {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 900.0}
    both = compared(
        *(
            release("sk", name, other, *([load | {"value": value}] if value else []))
            for name, value in zip(PAST[:3], loads, strict=True)
        ),
        releases=("9.2", "9.3"),
        catalog=benchmarks.load([SHIPPED])[0],
    )
    notes = [note for note in both.around if "changed since 9.1" in note]
    causes = [event for event in both.events if event.is_cause and event.since == "9.1"]
    assert len(notes) == len(causes) == bool(said)
    assert all(said in note and "with 1 cipher or hash" in note for note in notes)

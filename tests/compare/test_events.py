"""Verdicts as events: what is one cause, what to do, and in which words."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from making import SHIPPED, TOML, described, loaded, only, result

from perfguide.bundles.decode import Loaded
from perfguide.catalog.benchmarks import Catalog, load
from perfguide.compare import (
    as_markdown,
    as_text,
    event_evidence,
    event_groups,
    event_titles,
    overview,
    row_texts,
    sparkline,
    waiver_entries,
)
from perfguide.compare.comparison import Comparison
from perfguide.compare.event_worth import is_worth_an_event
from perfguide.compare.headline import headline

from test_verdicts import compared  # isort: skip

SIZES = tuple(2**n for n in range(4, 16))
COUNT = 9
"""Releases; the newest is 9.9."""


@pytest.fixture
def speed(tmp_path: Path) -> Catalog:
    return described(tmp_path)


def history(seed: int = 1, noise: float = 0.004) -> dict[int, list[float]]:
    """A rate in MB/s for each block size, by release."""
    random = np.random.default_rng(seed)
    return {
        size: (50 + size / 100 * np.ones(COUNT) * np.exp(noise * random.standard_normal(COUNT)))
        .round(2)
        .tolist()
        for size in SIZES
    }


def releases(rates: dict[int, list[float]], loads: dict[int, list[float]] | None = None,
             more: dict[str, list[float]] | None = None) -> list[Loaded]:  # fmt: skip
    out = []
    for n in range(COUNT):
        figures: list[dict[str, Any]] = [
            result(value=own[n], params={"block_size": size}) for size, own in rates.items()
        ]
        figures += [
            result("load", "%", value=own[n], params={"block_size": size})
            for size, own in (loads or {}).items()
        ]
        figures += [result(name, "us", value=own[n]) for name, own in (more or {}).items()]
        out.append(loaded(*figures, id=f"run-{n}", sdk__version=f"9.{n + 1}"))
    return out


def newest(bundles: list[Loaded], catalog: Catalog) -> Comparison:
    return compared(*bundles, releases=("9.8", "9.9"), catalog=catalog)


def test_a_shift_of_a_board_is_told_once(speed: Catalog) -> None:
    rates = history()
    for own in rates.values():
        own[-1] = round(own[-1] * 0.9, 2)
    both = newest(releases(rates), speed)
    (event,) = both.events
    assert len(event.rows) == len(SIZES)
    assert (
        headline(both).sentence
        == "Look at 1 event before you ship. 12 of 12 figures are steady enough to show a change of 50 %."
    )
    assert event_titles.event_title(event, both) == "all benchmarks: 9.8 to 10.4 % worse (12 rows)"
    assert (
        "; all 12 rows moved together, so they are one event."
        in event_evidence.event_lines(event, both)[0]
    )


def test_a_load_that_rose_with_its_throughput_is_no_regression(speed: Catalog) -> None:
    rates, loads = history(), {size: [13.5] * COUNT for size in SIZES}
    rates[64] = [18.0] * 8 + [100.0]
    loads[64] = [13.5] * 8 + [31.7]
    both = newest(releases(rates, loads), speed)
    load = next(r for r in both.rows if r.metric == "load" and r.params["block_size"] == 64)
    assert load.verdict == "improved"
    assert load.change == pytest.approx(31.7 / 13.5 - 1)
    assert "per MB/s" in load.ground and "the rate went from 18 to 100 MB/s" in load.ground
    assert not any(event.kind == "regressed" for event in both.events)


def test_a_load_that_fell_because_nothing_went_through_is_no_improvement(speed: Catalog) -> None:
    rates, loads = history(), {size: [29.0] * COUNT for size in SIZES}
    rates[64] = [41.0] * 8 + [5.8]
    loads[64] = [29.0] * 8 + [11.0]
    both = newest(releases(rates, loads), speed)
    load = next(r for r in both.rows if r.metric == "load" and r.params["block_size"] == 64)
    assert load.verdict == "regressed"
    assert not any(event.kind == "improved" for event in both.events)


@pytest.mark.parametrize(("load", "metric"), [(28.0, "rate"), (35.0, "load")])
def test_a_rate_that_fell_at_the_same_load_names_the_event(
    load: float, metric: str, speed: Catalog
) -> None:
    rates, loads = history(), {size: [29.0] * COUNT for size in SIZES}
    scattered = [41.0, 30.0, 47.0, 33.0, 43.0, 29.0, 46.0, 41.0]
    rates[64] = [*scattered, 20.0]
    loads[64] = [*(0.7 * rate for rate in scattered), load]
    both = newest(releases(rates, loads), speed)
    (event,) = (event for event in both.events if event.kind == "regressed")
    assert event.rows[0].metric == metric
    proof = "1 more row moved with it and proved the move: CPU load."
    assert (proof in event_evidence.event_lines(event, both)) is (metric == "rate")


@pytest.mark.parametrize(("subsystem", "other_fall", "is_one"), [
    ("memory", 0.87, True),
    ("processor", 0.87, False),
    ("memory", 0.3, False),  # much farther
    ("memory", 1.25, False),  # the other way
])  # fmt: skip
def test_what_benchmarks_of_one_subsystem_did_is_one_event(
    tmp_path: Path, subsystem: str, other_fall: float, is_one: bool
) -> None:
    named = "order = 5\nsubsystems"
    described(tmp_path, TOML.replace("order = 5", f'{named} = ["memory"]'))
    other = TOML.replace('title = "Speed"', 'title = "Other"', 1).replace(
        "order = 5", f'{named} = ["{subsystem}"]'
    )
    catalog = described(tmp_path, other.replace("order = 5", "order = 6"), "other")
    bundles = []
    for n, (rates, others) in enumerate(
        zip(
            zip(*history(1).values(), strict=True),
            zip(*history(2).values(), strict=True),
            strict=True,
        )
    ):
        is_last = n == COUNT - 1
        figures = [
            result(value=round(value * (factor if is_last and size in SIZES[:6] else 1.0), 2), benchmark=name,
                   params={"block_size": size})
            for name, factor, own in (("speed", 0.78, rates), ("other", other_fall, others))
            for size, value in zip(SIZES, own, strict=True)
        ]  # fmt: skip
        bundles.append(loaded(*figures, id=f"run-{n}", sdk__version=f"9.{n + 1}"))
    both = newest(bundles, catalog)
    assert len(both.events) == (1 if is_one else 2)
    rows = [row for event in both.events for row in (*event.rows, *event.unproved)]
    # Each row that moved is listed, whichever event has it.
    assert {(row.benchmark, row.params["block_size"]) for row in rows} == {
        (name, size) for name in ("speed", "other") for size in SIZES[:6]
    }
    if is_one:
        lines = event_evidence.event_lines(both.events[0], both)
        assert any(
            re.match(r"Also moved: (Speed|Other), \w+, [\d.]+ % (worse|better)", line)
            for line in lines
        )


def test_one_row_that_fell_alone_is_set_against_the_others(speed: Catalog) -> None:
    rates = history()
    rates[64][-1] = 20.0
    both = newest(releases(rates), speed)
    (event,) = both.events
    assert headline(both).state == "look"
    said = " ".join(event_evidence.event_lines(event, both))
    assert "One run each; nine in ten of the other 11 rows moved by less than " in said


def test_what_became_of_a_change_is_told_once_the_next_release_is_there(speed: Catalog) -> None:
    rates = history()
    rates[64][-2] = 20.0
    both = compared(*releases(rates), releases=("9.7", "9.8"), catalog=speed)
    (event,) = both.events
    assert "It reverted in 9.9." in event_evidence.event_lines(event, both)
    rates[64][-1] = 20.1
    both = compared(*releases(rates), releases=("9.7", "9.8"), catalog=speed)
    (event,) = both.events
    assert "It is still there in 9.9." in event_evidence.event_lines(event, both)


def test_a_change_is_reverted_only_if_no_sample_of_the_next_release_shows_it(
    speed: Catalog,
) -> None:
    rates = history()
    rates[64][-2] = 20.0
    *before, last = releases(rates)
    for samples, words in (([20.0, 56.0, 60.0], "has both levels"), ([49.0, 52.0], "reverted")):
        figure = result(samples=samples, params={"block_size": 64})
        bundles = [*before, loaded(figure, id=last.bundle.id, sdk__version="9.9")]
        both = compared(*bundles, releases=("9.7", "9.8"), catalog=speed)
        (event,) = both.events
        assert f"It {words} in 9.9." in event_evidence.event_lines(event, both)


def test_an_event_names_what_moved_the_other_way_with_other_sizes(speed: Catalog) -> None:
    rates = history()
    for size in SIZES[:4]:
        rates[size][-1] *= 0.5
    rates[SIZES[-1]][-1] *= 2
    fall, rise = (*(both := newest(releases(rates), speed)).events, *both.far)
    for event, other in ((fall, rise), (rise, fall)):
        said = f"The other way: {event_titles.event_title(other, both)}."
        assert said in event_evidence.event_lines(event, both)


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ((20.0, 5.0), ["It had got worse before: 50.82 in 9.7, 20 in 9.8, 5 MB/s now."]),
        ((45.0, 5.0), []),
    ],
)
def test_a_fall_that_goes_on_from_one_with_the_older_release_says_so(
    last: tuple[float, float], said: list[str], speed: Catalog
) -> None:
    rates = history()
    rates[64][-3:] = [50.82, *last]
    both = newest(releases(rates), speed)
    (event,) = (*both.events, *both.far)
    lines = event_evidence.event_lines(event, both)
    assert [line for line in lines if "before:" in line] == said


@pytest.mark.parametrize("other", [50.0, 0.0])
def test_a_failure_is_reverted_only_if_no_run_of_its_test_fails(
    other: float, speed: Catalog
) -> None:
    rates = history()
    rates[64][-2], rates[128][-1] = 0.0, other
    both = compared(*releases(rates), releases=("9.7", "9.8"), catalog=speed)
    (event,) = both.events
    said = "It reverted in 9.9." in event_evidence.event_lines(event, both)
    assert event.kind == "failed-after" and said is bool(other)


def test_a_large_change_is_told_as_a_factor_and_a_small_one_as_its_rows_show_it(
    speed: Catalog,
) -> None:
    rates = history()
    rates[64] = [50.0] * 8 + [10.0]
    both = newest(releases(rates), speed)
    title = event_titles.event_title(both.events[0], both)
    assert title.endswith("block size 64 bytes: 50 → 10 MB/s, 5 times worse")
    both = newest(releases(history(), more={"lat_a": [30.0] * 8 + [33.0]}), speed)
    title = event_titles.event_title(both.events[0], both)
    assert title.endswith("lat_a: 30 → 33 µs, 10.0 % longer")


@pytest.mark.parametrize(
    "of_other",
    [
        [50.0, 90.0, 45.0, 70.0, 100.0, 62.0, 75.0, 58.0, 38.0],
        [50.0, 90.0, 45.0, 70.0, 100.0, 62.0, 75.0, 58.0, 40.0],
        [20.0, 20.1, 20.4, 20.2, 20.3, 20.1, 20.0, 50.0, 20.1],
    ],
)
def test_rows_that_cannot_be_judged_belong_to_the_event_of_their_benchmark(
    of_other: list[float], speed: Catalog
) -> None:
    """One size falls on two boards. That of one is too uneven to prove it, or back at a level."""
    rates, uneven = history(), history(2)
    rates[64] = [50.0] * 8 + [20.0]
    uneven[64] = of_other
    bundles = [
        replace_board(bundle, board)
        for board, own in (("evm", rates), ("sk", uneven))
        for bundle in releases(own)
    ]
    both = newest(bundles, speed)
    ((action, (event,)),) = event_groups.by_action(both)
    assert action == "Worse" and not both.far
    assert [(row.board, row.verdict) for row in event.rows] == [
        ("evm", "regressed"),
        ("sk", "noisy"),
    ]
    assert event_titles.event_title(event, both).endswith(" on evm and sk (2 rows, 1 proved)")
    assert [row.board for row in event_evidence.listed(event)] == ["evm", "sk"]


@pytest.mark.parametrize(
    ("before", "said", "sizes"),
    [
        (
            [50.0, 90.0, 30.0, 60.0, 51.0, 40.0, 35.0, 58.0],
            "2 to 8.29 times worse (2 rows)",
            [96, 64],
        ),
        ([50.0, 90.0, 30.0, 12.0, 51.0, 80.0, 20.0, 58.0], "50 → 25 MB/s, 2 times worse", [64, 96]),
    ],
)
def test_the_range_of_an_event_has_the_row_that_moved_farthest_unless_it_swings(
    before: list[float], said: str, sizes: list[int], speed: Catalog
) -> None:
    """A size falls by a half for certain, and another falls farther."""
    rates = history()
    rates[64] = [50.0] * 8 + [25.0]
    rates[96] = [*before, 7.0]
    both = newest(releases(rates), speed)
    event = only([*both.events, *both.far])
    assert event_titles.event_title(event, both).endswith(f": {said}")
    listed = [row.params["block_size"] for row in event_evidence.listed(event)]
    assert listed == sizes
    swinging = "Also moved, but not proved: 8.29 times worse, 1 more row."
    assert (swinging in event_evidence.event_lines(event, both)) is bool(event.unproved)
    assert "block_size = 96" not in waiver_entries.of_event(event)


@pytest.mark.parametrize(
    ("sizes", "now", "said"),
    [
        ((48,), 20.0, "block size 48 bytes: 60.06 → 20 MB/s, 3 times worse than in 9.7"),
        ((48,), 45.0, ""),
        ((48, 56), 20.0, "3 times worse than in 9.7 (2 rows)"),
        ((48,), 0.0, "block size 48 bytes: fails; last measured with 9.7"),
    ],
)
def test_a_figure_that_the_older_release_lacks_is_compared_with_the_last_one(
    sizes: tuple[int, ...], now: float, said: str, speed: Catalog
) -> None:
    """These sizes are measured in all releases but 9.8."""
    bundles = releases(history())
    for n in (*range(COUNT - 2), COUNT - 1):
        rate = now if n == COUNT - 1 else 60.0 + n / 100
        more = [result(value=rate, params={"block_size": size}) for size in sizes]
        bundles.append(loaded(*more, id=f"more-{n}", sdk__version=f"9.{n + 1}"))
    both = newest(bundles, speed)
    assert both.counts["only-new"] == len(sizes) and bool(both.events) is (now == 0)
    titles = [event_titles.event_title(event, both) for event in (*both.events, *both.far)]
    assert [title.partition("Speed: ")[2] for title in titles] == [said] * bool(said)
    state = "do not ship" if now == 0 else "look" if said else "ship"
    assert headline(both).state == state


@pytest.mark.parametrize(("then", "now"), [(20.0, 20.0), (60.0, 20.0), (60.0, 60.0)])
def test_a_step_that_others_of_its_kind_took_in_a_release_in_between_is_of_that_release(
    then: float, now: float, speed: Catalog
) -> None:
    """The size of 48 bytes fell since 9.7, and that of 56 bytes with 9.8, with 9.9 or not at all."""
    bundles = releases(history())
    for n in range(COUNT):
        rate = then if n == COUNT - 2 else now if n == COUNT - 1 else 60.0 + n / 100
        more = [result(value=rate, params={"block_size": 56})]
        if n != COUNT - 2:
            fallen = 20.0 if n == COUNT - 1 else 60.0
            more.append(result(value=fallen, params={"block_size": 48}))
        bundles.append(loaded(*more, id=f"more-{n}", sdk__version=f"9.{n + 1}"))
    both = newest(bundles, speed)
    events = [event for event in both.far if event.since]
    events += [each for event in both.events for each in event.also]
    said = "Others of its kind moved as far in 9.8 already."
    is_old = then == 20.0
    assert (said in event_evidence.event_lines(only(events), both)) is is_old
    assert (event_groups.action(only(events)) == event_groups.OLDER) is is_old
    assert (headline(both).state == "ship") is is_old


@pytest.mark.parametrize(("now", "is_one"), [(20.0, True), (180.0, False)])
def test_a_move_since_an_earlier_release_is_part_of_one_that_went_the_same_way(
    now: float, is_one: bool, speed: Catalog
) -> None:
    """The size of 48 bytes is measured in all releases but 9.8."""
    rates = history()
    rates[64][-1] *= 0.4
    bundles = releases(rates)
    for n in (*range(COUNT - 2), COUNT - 1):
        more = result(value=now if n == COUNT - 1 else 60.0, params={"block_size": 48})
        bundles.append(loaded(more, id=f"more-{n}", sdk__version=f"9.{n + 1}"))
    both = newest(bundles, speed)
    fall, *others = (*both.events, *both.far)
    said = "Also Speed: block size 48 bytes: 60 → 20 MB/s, 3 times worse than in 9.7."
    assert (said in event_evidence.event_lines(fall, both)) is is_one is (not others)


@pytest.mark.parametrize(("name", "events"), [("direction", 2), ("place", 1)])
def test_what_ingress_and_egress_did_is_two_events(name: str, events: int, speed: Catalog) -> None:
    bundles = []
    for n, factors in enumerate([{}] * (COUNT - 1) + [{"egress": 0.3, "ingress": 0.25}]):
        figures = [
            result(
                value=round((50 + size + n / 9) * (factors.get(way, 1.0) if size > 5 else 1.0), 2),
                params={"block_size": size, name: way},
            )
            for way in ("egress", "ingress")
            for size in range(9)
        ]
        bundles.append(loaded(*figures, id=f"run-{n}", sdk__version=f"9.{n + 1}"))
    both = newest(bundles, speed)
    assert [len(event.rows) for event in both.events] == [6 // events] * events


def of_packets(falls: dict[int, float]) -> Comparison:
    """Return a comparison of a test that counts bytes and packets: both fell by these factors
    at some frame sizes of egress, and ingress is six times faster at all."""
    bundles = []
    for n in range(COUNT):
        figures = []
        for way in ("egress", "ingress"):
            for size in (64, 128, 256, 512, 1024):
                factor = falls.get(size, 1.0) if way == "egress" else 6.0
                kpps = (60.3 + n % 2 / 5) * (factor if n == COUNT - 1 else 1.0)
                params = {"frame_size": size, "direction": way}
                for metric, unit, value in (
                    # A byte rate that swung before proves nothing.
                    (
                        "throughput",
                        "Mbit/s",
                        kpps * size * (0.002 if n == 2 and size == 64 else 0.008),
                    ),
                    ("packet_rate", "kPPS", kpps),
                ):
                    figures.append(
                        result(metric, unit, value=value, params=params, benchmark="ethernet-udp")
                    )
        bundles.append(loaded(*figures, id=f"run-{n}", sdk__version=f"9.{n + 1}"))
    return newest(bundles, load([SHIPPED])[0])


def test_the_packets_and_the_bytes_of_one_run_count_once_and_another_test_is_one_event() -> None:
    both = of_packets({64: 0.4, 128: 0.45})
    (event,) = (*both.events, *both.far)
    assert {row.metric for row in event.rows} == {"throughput", "packet_rate"}
    assert event.kind == "regressed" and len(event.counted) == 2 < len(event.rows)
    assert "egress" in event.what and "packet rate" not in event.what
    lines = event_evidence.event_lines(event, both)
    assert "more rows moved with them: packet rate" in " ".join(lines)
    (better,) = event.also
    assert "ingress" in better.what and len(better.counted) == 5 == len(better.rows) / 2
    assert any("Perhaps: another way of testing" in line for line in lines)


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        (
            [4.0] * 12,
            "another way of testing, as all 12 rates of one kind moved by a factor of 3 or more",
        ),
        ([4.0] * 11 + [2.0], ""),
        (
            [2.0] * 4 + [0.7] * 8,
            "another SD card, as 4 rates of it got better and 8 worse by a factor of 1.25 or more",
        ),
        ([2.0] * 4 + [1.0] * 8, ""),
        ([2.0] * 2 + [0.7] * 2 + [1.0] * 8, ""),
    ],
)
def test_another_test_or_another_part_may_explain_an_event(
    factors: list[float], said: str, tmp_path: Path
) -> None:
    rates = history()
    for size, factor in zip(SIZES, factors, strict=True):
        rates[size][-1] *= factor
    text = TOML.replace("order = 5", 'order = 5\nsubsystems = ["SD card"]')
    both = newest(releases(rates), described(tmp_path, text))
    for event in (*both.events, *both.far):
        perhaps = [line for line in event_evidence.event_lines(event, both) if "another" in line]
        assert perhaps == [f"Perhaps: {said}."] * bool(said)
    if "SD card" in said:
        # One cause is one event, named by what got worse.
        (event,) = (*both.events, *both.far)
        assert event.worse_by > 0 and [each.kind for each in event.also] == ["improved"]
        assert re.search(
            r"^Also Speed: .+ times better", event_evidence.event_lines(event, both)[-2]
        )


@pytest.mark.parametrize(
    ("subsystem", "factors", "is_one"),
    [
        ("processor", [0.8, 0.9, 0.7, 1.2, 1.4], True),
        ("processor", [0.8, 0.9, 0.7], False),
        ("processor", [0.8, 1.2], False),  # too few
        ("memory", [0.8, 0.9, 0.7, 1.2, 1.4], False),
    ],
)
def test_another_compiler_may_explain_what_got_better_and_worse_at_once(
    subsystem: str, factors: list[float], is_one: bool, tmp_path: Path
) -> None:
    rates = {size: [own[0]] * (COUNT - 1) + own[-1:] for size, own in history().items()}
    for size, factor in zip(SIZES, factors, strict=False):
        rates[size][-1] *= factor
    text = TOML.replace("order = 5", f'order = 5\nsubsystems = ["{subsystem}"]')
    both = newest(releases(rates), described(tmp_path, text))
    every = (*both.events, *both.far)
    told = [event for event in every if any("another compiler" in said for said in event.perhaps)]
    assert bool(told) is is_one
    for event in told:
        # What got worse counts, and nothing is told twice.
        assert (
            every == (event,) and event.kind == "regressed" and event in event_groups.against(both)
        )
        title = event_titles.event_title(event, both)
        assert re.search(r"to (29|30)\.\d % worse \(3 rows\)", title)
        assert "both ways: from −" in event.perhaps[-1] and len(event.unproved) == 2


def test_a_compiler_explains_arithmetic_in_benchmarks_that_measure_memory_too() -> None:
    factors = {"int-mul": 1.2, "int-div": 1.25, "int64-add": 0.8}
    bundles = []
    for n in range(COUNT):
        figures = [
            result(f"lat_ops-{name}", "ns", value=10 * (factor if n == COUNT - 1 else 1.0),
                   benchmark="lmbench")
            for name, factor in factors.items()
        ]  # fmt: skip
        bundles.append(loaded(*figures, id=f"run-{n}", sdk__version=f"9.{n + 1}"))
    catalog, _ = load([SHIPPED])
    (event,) = newest(bundles, catalog).events
    assert event.perhaps[-1].startswith("another compiler")
    assert [row.metric for row in event.unproved] == ["lat_ops-int64-add"]


@pytest.mark.parametrize(("by", "count"), [(1.0, 1), (1.001, 2)])
def test_an_upload_that_repeats_another_is_shown_as_one_run(
    by: float, count: int, speed: Catalog
) -> None:
    rates = history()
    again = [
        result(value=round(own[-1] * by, 2), params={"block_size": size})
        for size, own in rates.items()
    ]
    both = newest([*releases(rates), loaded(*again, id="again", sdk__version="9.9")], speed)
    row = next(row for row in both.rows if row.params["block_size"] == 64)
    assert row.new and row.new.cell.count == row.new.cell.runs == count
    assert row_texts.row_words(row, both, speed).new_spread.endswith(f"n={count}")


@pytest.mark.parametrize(("now", "is_listed"), [(40.0, False), (15.0, True)])
def test_a_figure_at_one_of_two_runs_that_are_far_apart_has_not_moved(
    now: float, is_listed: bool, speed: Catalog
) -> None:
    rates = history()
    rates[64][-2:] = [110.0, now]
    again = loaded(result(value=40.0, params={"block_size": 64}), id="again", sdk__version="9.8")
    both = newest([*releases(rates), again], speed)
    listed = [row.params["block_size"] for each in (*both.events, *both.far) for row in each.rows]
    assert (64 in listed) is is_listed


@pytest.mark.parametrize(("by", "is_one"), [(0.5, True), (0.9, False), (2.0, False)])
def test_an_event_has_the_rows_of_all_boards_that_moved_as_far(
    by: float, is_one: bool, speed: Catalog
) -> None:
    """On the board evm, figures scatter too much to prove a fall."""
    quiet, uneven = history(), history(2, noise=0.8)
    for size in SIZES[-3:]:
        quiet[size][-1] = round(0.6 * quiet[size][-2], 2)
        uneven[size][-1] = round(by * uneven[size][-2], 2)
    others = [
        loaded(
            *(result(value=own[n], params={"block_size": size}) for size, own in uneven.items()),
            id=f"evm-{n}",
            board__name="evm",
            sdk__version=f"9.{n + 1}",
        )
        for n in range(COUNT)
    ]
    both = newest([*releases(quiet), *others], speed)
    event = next(event for event in both.events if event.kind == "regressed")
    assert (event.boards == ("evm", "sk")) is is_one
    title = event_titles.event_title(event, both)
    assert title.endswith("(6 rows, 3 proved)") is is_one


def test_an_event_has_the_same_figure_of_a_board_that_moved_half_as_far_and_leads_with_it(
    speed: Catalog,
) -> None:
    """One figure moved farther than all, but on one board only."""
    rates = {board: history(n, noise=0.0004) for n, board in enumerate(("sk", "evm"), 1)}
    fallen = (
        ("sk", 64, 0.7),
        ("sk", 128, 0.6),
        ("sk", 256, 0.5),
        ("evm", 64, 0.74),
        ("evm", 128, 0.75),
    )
    for board, size, by in fallen:
        own = rates[board][size]
        own[-1] = round(by * own[-2], 2)
        if board == "evm":
            own[:-2] = [round(own[-2] * by, 2) for by in (1.0, 1.5, 0.8, 1.3, 0.9, 1.1, 1.0)]
    both = newest(
        [
            loaded(
                *(result(value=own[n], params={"block_size": size}) for size, own in of.items()),
                id=f"{board}-{n}",
                board__name=board,
                sdk__version=f"9.{n + 1}",
            )
            for board, of in rates.items()
            for n in range(COUNT)
        ],
        speed,
    )
    (event,) = both.events
    rows = [(row.board, row.params["block_size"]) for row in event.rows]
    assert rows == [("sk", 64), ("sk", 128), ("sk", 256), ("evm", 64), ("evm", 128)]
    assert [row.verdict for row in event.rows] == ["regressed"] * 3 + ["noisy"] * 2


@pytest.mark.parametrize(("level", "is_apart"), [(166.0, True), (299.0, False)])
def test_unproved_falls_back_to_a_level_are_no_part_of_a_fall_from_another(
    level: float, is_apart: bool, speed: Catalog
) -> None:
    """One rate falls for the first time, and others after one release that was twice as fast."""
    rates = history()
    rates[16] = [299.0, 298.8, 299.1, 298.9, 299.2, 299.0, 298.9, 299.1, 160.0]
    for n, size in enumerate(SIZES[1:5]):
        rates[size] = [level + n + step for step in (0, 9, 60, 20, 45, 0, 2, 1)]
        rates[size][-1:] = [340.0 + n, 167.0 + n]
    both = newest(releases(rates), speed)
    sizes = [
        [row.params["block_size"] for row in event.rows] for event in (*both.events, *both.far)
    ]
    assert ([16] in sizes) is is_apart


MORE_TABLE = """[[tables]]
id = "more"
title = "More latency"
metrics = ["lat_z*"]
rows = ["metric"]
[[tables]]
id = "latency\""""


@pytest.mark.parametrize("factor", [1.3, 2.0])
def test_metrics_of_two_tables_are_two_events(tmp_path: Path, factor: float) -> None:
    toml = TOML.replace('[[tables]]\nid = "latency"', MORE_TABLE)
    # A default would be a parameter of all rows.
    catalog = described(tmp_path, toml.replace('default = "sw"', ""))
    times = {
        f"lat_{name}": [20.0 + n] * 8 + [round((20 + n) * by, 2)]
        for n, (name, by) in enumerate((("a", 1.3), ("b", 1.3), ("c", 1.3), ("z", factor)))
    }
    both = newest(releases(history(), more=times), catalog)
    metrics = sorted(sorted({row.metric[-1] for row in event.rows}) for event in both.events)
    assert metrics == [["a", "b", "c"], ["z"]]


@pytest.mark.parametrize(("now", "is_listed"), [(80.0, True), (93.0, False)])
def test_a_fall_after_two_equal_figures_is_listed_by_the_scatter_of_rows_of_its_metric(
    speed: Catalog, now: float, is_listed: bool
) -> None:
    """Most rows are quiet and a few are not, so a row with two earlier figures can be either."""
    quiet, uneven = history(noise=0.012), history(2, noise=0.8)
    rates = {size: (quiet if n % 3 else uneven)[size] for n, size in enumerate(SIZES[::-1])}
    rates = {size: [*own[:-1], own[-2]] for size, own in rates.items()}
    before, since = rates, {**rates, 48: [1.0] * 6 + [100.0, 100.0, now]}
    both = newest([*releases(before)[:6], *releases(since)[6:]], speed)
    (row,) = [row for row in both.rows if row.params["block_size"] == 48]
    assert (
        row.verdict == "noisy" and row.scatter and abs(row.worse_by or 0) < math.log1p(row.scatter)
    )
    assert [event.rows for event in both.far] == ([(row,)] if is_listed else [])
    if is_listed:
        assert re.search(r"half of such rows scatter within ±\d", event_evidence.unproved(row))
    assert not both.events and headline(both).state == ("look" if is_listed else "ship")


@pytest.mark.parametrize("boards", [("sk",), ("sk", "evm")])
@pytest.mark.parametrize("releases_before", [2, 6])
@pytest.mark.parametrize("wander", [0.02, 1.0])
def test_a_small_fall_from_a_constant_level_is_an_event(
    speed: Catalog, boards: tuple[str, ...], releases_before: int, wander: float
) -> None:
    """On several boards or after many releases."""
    figures = [100.0 + wander * (n % 2) for n in range(releases_before)] + [93.0]
    both = newest(
        [replace_board(own, name) for own in lately({64: figures}) for name in boards], speed
    )
    is_event = wander < 0.1 and (len(boards) > 1 or releases_before == 6)
    assert is_worth_an_event([replace(row, verdict="noisy") for row in both.rows]) is is_event


@pytest.mark.parametrize(
    ("rows", "fall", "is_listed"),
    [
        (3, 0.87, True),
        (2, 0.87, False),
        (3, 0.93, False),  # no step, by less than a tenth
    ],
)
def test_rows_of_a_kind_that_step_are_listed_however_far_they_scatter(
    rows: int, fall: float, is_listed: bool, speed: Catalog
) -> None:
    rates = {
        size: [round(own * factor, 2) for factor in (1.3, 0.7, 1.2, 1.0, 1.12, 1.02, 1.13, 1.0)]
        for size, own in zip(SIZES, (50.0, 60.0, 70.0, 80.0, 90.0), strict=False)
    }
    for number, own in enumerate(rates.values()):
        own.append(round(own[-1] * (fall if number < rows else 1.01), 2))
    both = newest(releases(rates), speed)
    listed = [event for event in both.far if not event.is_minor]
    assert not both.events and [len(event.rows) for event in listed] == [rows] * is_listed
    for event in listed:
        (said,) = event_evidence.event_lines(event, both)
        assert said.endswith("; worse than each of the last 5 releases.")


@pytest.mark.parametrize(("boards", "events"), [(("lp", "sk"), 1), (("sk",), 2)])
def test_unproved_moves_of_a_benchmark_that_several_boards_share_are_one_event(
    boards: tuple[str, ...], events: int, speed: Catalog
) -> None:
    """Two engines got worse by unlike factors."""
    wander = (1.3, 0.7, 1.2, 1.0, 1.12, 1.02, 1.13, 1.0)
    bundles = [
        loaded(
            *(
                result(value=round(size * factor, 3), params={"block_size": size, "engine": engine})
                for size in (50, 60, 70)
                for engine, factor in factors.items()
            ),
            id=f"{board}-{number}",
            board__name=board,
            sdk__version=f"9.{number}",
        )
        for board in boards
        for number, factors in enumerate(
            [*({"hw": each, "sw": each} for each in wander), {"hw": 0.87, "sw": 0.62}], 1
        )
    ]
    both = newest(bundles, speed)
    assert not both.events and len(both.far) == events
    every = [row for event in both.far for row in event.every_row]
    assert len(every) == 6 * len(boards) and {event.boards for event in both.far} == {boards}
    said = "Also Speed: accelerator: 13.0 % worse on lp and sk (6 rows)."
    assert (said in event_evidence.event_lines(both.far[0], both)) is (events == 1)


@pytest.mark.parametrize(
    ("rows", "later", "is_listed"),
    [
        (2, 1.01, True),
        (1, 1.01, False),  # a single row without samples
        (2, 1.09, False),  # within three usual moves
    ],
)
def test_steps_long_ago_do_not_hide_that_rows_left_all_of_their_levels(
    rows: int, later: float, is_listed: bool, speed: Catalog
) -> None:
    factors = (2.0, 1.0, later, 1.5, 1.0, later, 1.0, later)
    rates = {size: [round(size * each, 3) for each in factors] for size in SIZES[2:7]}
    for number, own in enumerate(rates.values()):
        own.append(round(own[1] * (0.87 if number < rows else 1.005), 3))
    both = newest(releases(rates), speed)
    listed = [event for event in both.far if not event.is_minor]
    assert not both.events and [len(event.rows) for event in listed] == [rows] * is_listed


@pytest.mark.parametrize(("level", "state"), [(166.0, "look"), (299.0, "do not ship")])
def test_what_is_back_at_its_level_holds_no_release_back(
    speed: Catalog, level: float, state: str
) -> None:
    """Two rates fall to a half: after one release that was twice as fast, or after all."""
    rates = history(noise=0.0004)
    for n, size in enumerate(SIZES[:2]):
        rates[size] = [level + step + n for step in (0.0, 0.4, 0.2, 0.5, 0.1, 0.4, 0.3)] + [299.0, 160.0 + n]  # fmt: skip
    both = newest(releases(rates), speed)
    assert headline(both).state == state
    assert max(event.worse_by for event in (*both.events, *both.far)) > math.log(1.8)


@pytest.mark.parametrize(
    ("newer", "action"), [(315.0, "Back at an earlier level"), (450.0, "Better")]
)
def test_the_end_of_a_dip_is_no_improvement(speed: Catalog, newer: float, action: str) -> None:
    rates = history(noise=0.0004)
    for n, size in enumerate(SIZES[:2]):
        rates[size] = [300.0 + step + n for step in (0.0, 0.4, 0.2, 0.5, 0.1, 0.4, 0.3)] + [160.0, newer + n]  # fmt: skip
    both = newest(releases(rates), speed)
    event = only(both.events)
    assert event.kind == "improved" and event_groups.action(event) == action
    assert event_groups.improvements(both) == (action == "Better")
    back = "A return to the level of 9.7, from which 9.8 differed."
    assert (back in event_evidence.event_lines(event, both)) is (action != "Better")


def test_a_row_that_went_the_other_way_is_told_and_not_listed_with_an_event(
    speed: Catalog,
) -> None:
    rates = history()
    for n, own in enumerate(rates.values()):
        own[-1] = round(own[-2] * (0.7 if n < 3 else 1.9 if n > 9 else 1.0), 2)
    both = newest(releases(rates), speed)
    fall, rise = sorted(both.events, key=event_groups.action, reverse=True)
    event = replace(fall, unproved=tuple(replace(row, verdict="noisy") for row in rise.rows))
    assert all((row.worse_by or 0.0) > 0 for row in event_evidence.listed(event))
    assert any("better" in line for line in event_evidence.beside(event, both))


def replace_board(bundle: Loaded, board: str) -> Loaded:
    """Return a bundle of another board."""
    rows = [
        result(each.metric, each.unit, value=each.value, params=dict(each.params))
        for each in bundle.bundle.results
    ]
    release = bundle.bundle.sdk.version
    return loaded(*rows, id=f"{board}-{release}", board__name=board, sdk__version=release)


def test_a_change_of_a_size_that_nothing_has_is_told_without_its_digits(speed: Catalog) -> None:
    rates = history()
    rates[64] = [50.0] * 8 + [1e10]
    both = newest(releases(rates), speed)
    (event,) = both.events
    for most in (event.change, sys.float_info.max, math.inf):
        far = replace(event, change=most)  # the mean of two ratios can be more than any float
        title = event_titles.event_title(far, both)
        assert "1,000,000 and more times better" in title and "inf" not in title


def test_rows_that_follow_others_stand_behind_those_that_lead(speed: Catalog) -> None:
    rates, loads = history(), {size: [20.0] * COUNT for size in SIZES}
    rates[64] = [40.0] * 8 + [10.0]
    both = newest(releases(rates, loads), speed)
    (event,) = both.events
    assert [row.metric for row in event.rows] == ["rate", "load"]


def test_what_boards_have_alike_is_said_once(speed: Catalog) -> None:
    def lab(release: str, *sizes: int) -> list[Loaded]:
        return [
            loaded(*(result(value=1.0, params={"block_size": size}) for size in sizes),
                   id=f"{board}-{release}", board__name=board, sdk__version=release)
            for board in ("evm", "sk")
        ]  # fmt: skip

    both = compared(
        *lab("9.8", 16, 64, 256), *lab("9.9", 16), releases=("9.8", "9.9"), catalog=speed
    )
    assert overview.coverage(both) == [
        "AM62X, Linux, Speed: 2 of 3 figures are no longer measured, on each of evm, sk"
    ]


def test_many_rows_that_are_not_comparable_are_a_line_for_each_reason(speed: Catalog) -> None:
    def run(release: str, command: str) -> Loaded:
        rows = [
            result(value=1.0, params={"block_size": size}, command=command) for size in SIZES[:5]
        ]
        return loaded(*rows, id=release, sdk__version=release)

    both = compared(
        run("9.8", "speed -a"), run("9.9", "speed -b"), releases=("9.8", "9.9"), catalog=speed
    )
    said = as_text.render(both, speed, False, False)
    assert "- sk, Speed: 5 rows: the command was “speed -a” and is “speed -b”" in said
    assert "5 rows not listed; --all lists them" in said
    assert said.count("block_size") == 0
    assert as_text.render(both, speed, True, False).count("block_size") == 5


def test_a_history_is_drawn_at_the_row_in_text_and_markdown(speed: Catalog) -> None:
    rates = history()
    rates[64] = [50.0] * 8 + [20.0]
    both = newest(releases(rates), speed)
    assert sparkline.characters(both.events[0].rows[0]) == "████████▁"
    assert "████████▁" in as_text.render(both, speed, False, False)
    assert "████████▁" in as_markdown.render(both, speed)


def test_nothing_that_got_worse_ships(speed: Catalog) -> None:
    both = newest(releases(history(noise=0.0001)), speed)
    said = headline(both)
    assert (said.state, said.judged, said.comparable) == ("ship", 12, 12)
    assert said.sentence == "Ship what was judged: 100 % of 12 figures; nothing got worse."


@pytest.mark.parametrize(("figures", "judged"), [
    (1, "The only figure is not steady enough to show a change of 50 %."),
    (2, "None of 2 figures is steady enough to show a change of 50 %."),
])  # fmt: skip
def test_one_run_each_and_nothing_before_cannot_be_judged(
    speed: Catalog, figures: int, judged: str
) -> None:
    def run(value: float, release: str) -> Loaded:
        rows = [result(value=value, params={"block_size": size}) for size in SIZES[:figures]]
        return loaded(*rows, id=release, sdk__version=release)

    both = compared(run(100.0, "09.01"), run(90.0, "09.02"), catalog=speed)
    said = headline(both)
    assert (
        said.sentence == f"Too little to say: fewer than half of the figures are judged. {judged}"
    )
    assert "Run both releases again" in said.more


def test_a_condition_that_changed_for_all_rows_may_explain_an_event(speed: Catalog) -> None:
    rates = history()
    for own in rates.values():
        own[-1] = round(own[-1] * 0.8, 2)
    bundles = releases(rates)
    last = loaded(
        *(result(value=own[-1], params={"block_size": s}) for s, own in rates.items()),
        id="last", sdk__version="9.9", sdk__kernel="6.6",
    )  # fmt: skip
    before = loaded(
        *(result(value=own[-2], params={"block_size": s}) for s, own in rates.items()),
        id="before", sdk__version="9.8", sdk__kernel="6.1",
    )  # fmt: skip
    both = newest([*bundles[:-2], before, last], speed)
    assert both.events[0].perhaps == ("kernel 6.1 → 6.6",)


WITH_CLOCK = TOML.replace(
    "metrics = [",
    'metrics = [\n  { name = "clock", unit = "MHz", better = "neither", clock = true },',
    1,
)


@pytest.mark.parametrize(
    ("factor", "kind", "state"), [(1.12, "improved", "ship"), (0.5, "regressed", "do not ship")]
)
def test_what_moved_with_the_clock_is_one_event_under_it(
    tmp_path: Path, factor: float, kind: str, state: str
) -> None:
    """Ten rates follow the clock, two stay, and one goes the other way."""
    catalog, rates = described(tmp_path, WITH_CLOCK), history()
    for number, own in enumerate(rates.values()):
        own[-1] = round(own[-1] * (factor if number < 10 else 1.0), 2)
    bundles = releases(rates, more={"lat_a": [30.0] * 9})
    clocks = [
        loaded(result("clock", "MHz", value=mhz), id=f"c{n}", sdk__version=f"9.{n + 1}")
        for n, mhz in enumerate([1250.0] * 8 + [1250.0 * factor])
    ]
    both = newest([*bundles, *clocks], catalog)
    (event,) = both.events
    assert event.kind == kind and event.rows[0].metric == "clock"
    moved = {row.params.get("block_size") for row in event.rows[1:]}
    assert moved == set(SIZES[:10])
    title = event_titles.event_title(event, both)
    assert title.startswith(
        f"Clock 1,250 → {1250 * factor:,.0f} MHz ({'+12' if factor > 1 else '÷2'}"
    )
    assert event_evidence.event_lines(event, both)[0] == "Rows moved with it: Speed 10 of 13."
    assert headline(both).state == state


def test_a_clock_that_nothing_followed_may_be_a_wrong_record(tmp_path: Path) -> None:
    clocks = [
        loaded(result("clock", "MHz", value=mhz), id=f"c{n}", sdk__version=f"9.{n + 1}")
        for n, mhz in enumerate([1250.0] * 8 + [1400.0])
    ]
    both = newest([*releases(history()), *clocks], described(tmp_path, WITH_CLOCK))
    (event,) = both.events
    assert event.kind == "changed"
    assert event_evidence.event_lines(event, both) == [
        "No benchmark moved with it, so it may have been recorded wrongly."
    ]


def lately(
    rates: dict[int, list[float]], loads: dict[int, list[float]] | None = None
) -> list[Loaded]:
    """Bundles of the last releases, as many as there are figures."""
    count = len(next(iter(rates.values())))
    own = (rates, loads or {})
    padded = [
        {size: [0.0] * (COUNT - count) + list(figures) for size, figures in each.items()}
        for each in own
    ]
    return releases(*padded)[COUNT - count :]


@pytest.mark.parametrize(("rate", "load", "leads"), [
    (0.75, 95.0, "load"),
    (0.75, 7.0, "rate"),  # a few points more
    (0.05, 95.0, "rate"),  # the rate moved as far
])  # fmt: skip
def test_a_load_that_moved_much_farther_than_its_rate_leads(
    speed: Catalog, rate: float, load: float, leads: str
) -> None:
    rates = {
        size: [100.0 + n, 100.5 + n, 100.0 + n, (100.0 + n) * rate]
        for n, size in enumerate(SIZES[:4])
    }
    loads = {size: [5.0, 5.1, 5.0, load] for size in SIZES[:4]}
    both = newest(lately(rates, loads), speed)
    (event,) = (event for event in (*both.events, *both.far) if not event.is_minor)
    assert {row.metric for row in event.leading} == {leads} == {event.rows[0].metric}
    title = event_titles.event_title(event, both)
    if leads == "load":
        assert f": {load / 5.0 / rate:.2g} times worse per MB/s" in title
    else:
        said = f"{1 / rate:.3g} times" if rate < 0.5 else f"{100 * (1 - rate):.1f} %"
        assert f": {said} worse" in title


def test_a_proved_rise_is_an_event_beside_a_smaller_fall_of_fewer_rows(speed: Catalog) -> None:
    rates = history()
    for number, size in enumerate(SIZES):
        rates[size][-1] = round(rates[size][-1] * (0.8 if number < 2 else 3), 2)
    both = newest(releases(rates), speed)
    assert {(event.kind, len(event.rows)) for event in both.events} == {
        ("regressed", 2),
        ("improved", len(SIZES) - 2),
    }


def test_a_proved_rise_is_no_part_of_an_unproved_fall(speed: Catalog) -> None:
    """Half of the rates scatter widely and fall to a half; the others never moved before they rose."""
    rates = history()
    for number, size in enumerate(SIZES):
        if number % 2:
            rates[size] = [100.0, 130.0, 95.0, 140.0, 105.0, 125.0, 90.0, 135.0, 50.0 + number]
        else:
            rates[size][-1] = round(rates[size][-1] * 1.8, 2)
    both = newest(releases(rates), speed)
    (rise,), (fall,) = both.events, both.far
    assert (rise.kind, fall.kind) == ("improved", "noisy")
    assert len(rise.rows) == len(fall.rows) == len(SIZES) // 2


@pytest.mark.parametrize(("values", "is_listed"), [
    ([936.0, 112.0, 84.0, 212.0, 936.0, 83.0], False),  # it was there twice
    ([936.0, 930.0, 940.0, 935.0, 936.0, 83.0], True),
])  # fmt: skip
def test_a_figure_that_was_there_before_is_a_usual_move(
    speed: Catalog, values: list[float], is_listed: bool
) -> None:
    rates = {size: [100.0 + n for n in range(6)] for size in SIZES} | {SIZES[0]: values}
    both = newest(lately(rates), speed)
    named = [
        event
        for event in (*both.events, *both.far)
        if not event.is_minor and any(row.params["block_size"] == SIZES[0] for row in event.rows)
    ]
    assert bool(named) is is_listed


@pytest.mark.parametrize("of_second_run", [8.0, 61.0])
def test_runs_of_one_release_that_are_as_far_apart_make_no_event(
    speed: Catalog, of_second_run: float
) -> None:
    again = loaded(
        result(value=of_second_run, params={"block_size": 64}), id="again", sdk__version="9.9"
    )
    both = newest([*lately({64: [5.0, 60.0]}), again], speed)
    listed = [event for event in (*both.events, *both.far) if not event.is_minor]
    assert bool(listed) is (of_second_run == 61.0)


def test_the_other_rows_of_a_benchmark_are_all_of_them(speed: Catalog) -> None:
    """What is too noisy to tell moved too, and that the others moved by less has to hold for it."""
    rates = history()
    rates[64][-1] = 20.0
    noisy = np.random.default_rng(5).uniform(0.8, 1.2, COUNT)
    rates[128] = (rates[128] * noisy).round(2).tolist()
    both = newest(releases(rates), speed)
    event = next(event for event in both.events if event.kind == "regressed")
    lines = " ".join(event_evidence.event_lines(event, both))
    said = re.search(r"the other (\d+) rows moved by less than (\d+) %", lines)
    assert said
    own = {id(row) for row in (*event.rows, *event.unproved)}
    moves = [abs(row.change or 0.0) for row in both.rows if id(row) not in own]
    assert len(moves) == int(said[1])
    assert sum(move < int(said[2]) / 100 for move in moves) >= 0.9 * len(moves)


@pytest.mark.parametrize(
    ("more", "what"), [(None, "Speed"), ({"lat": [5.0] * COUNT}, "Speed: rate")]
)
def test_an_event_names_its_metric_where_there_are_others(
    speed: Catalog, more: dict[str, list[float]] | None, what: str
) -> None:
    rates = history()
    for size in (64, 128):
        rates[size][-1] = round(rates[size][-1] / 2, 2)
    (event,) = newest(releases(rates, more=more), speed).events
    assert event.what == what


@pytest.mark.parametrize(("rate", "events"), [(100.0, 1), (18.9, 2)])
def test_a_load_that_rose_more_than_its_rate_is_an_event_of_its_own(
    speed: Catalog, rate: float, events: int
) -> None:
    rates, loads = history(), {size: [13.5] * COUNT for size in SIZES}
    rates[64] = [18.0] * 8 + [rate]
    loads[64] = [13.5] * 8 + [31.7 if events == 1 else 40.0]
    both = newest(releases(rates, loads), speed)
    of_load = [
        event
        for event in (*both.events, *both.far)
        if any(row.metric == "load" and row.params["block_size"] == 64 for row in event.rows)
    ]
    assert [len(event.rows) for event in of_load] == [2 if events == 1 else 1]


def test_rows_that_are_not_compared_are_given_with_the_ends_of_their_changes() -> None:
    def run(number: int, engine: str, load_percent: float, *rates: float) -> Loaded:
        base = {"benchmark": "openssl", "unit": "kB/s", "metric": "throughput"}
        params = {"algorithm": "aes-128-cbc", "engine": engine}
        rows = [
            {**base, "value": rate, "params": {**params, "block_size": size}}
            for size, rate in zip((16, 16384), rates, strict=True)
        ]
        own = {"benchmark": "openssl", "unit": "%", "metric": "cpu_load", "value": load_percent}
        return loaded(
            *rows, {**own, "params": params}, id=f"run-{number}", sdk__version=f"9.{number}"
        )

    # A low load is that of an accelerator, and a high one beside fast small blocks that of software.
    bundles = [
        run(1, "default", 31.0, 500.0, 80_000.0),
        run(2, "default", 99.0, 30_000.0, 40_000.0),
    ]
    both = compared(*bundles, releases=("9.1", "9.2"), catalog=load([SHIPPED])[0])
    (event,) = both.events
    assert event.is_cause
    assert event.perhaps == ("Not compared: 3 rows, from ÷2 to ×60, loads mostly 31 → 99 %",)


@pytest.mark.parametrize(
    ("moved", "words"),
    [
        (SIZES[:3], ": rate, block size up to 64 bytes"),
        (SIZES[-3:], ": rate, block size from 8 KiB"),
        (SIZES[4:7], ": rate"),
        ((SIZES[0], SIZES[2]), ": rate"),
    ],
)
def test_a_title_says_up_to_or_from_which_size_rows_moved(
    speed: Catalog, moved: tuple[int, ...], words: str
) -> None:
    rates = history()
    for size in moved:
        rates[size][-1] = round(rates[size][-1] * 0.6, 2)
    more = {"other": [5.0] * COUNT}
    (event, *_) = newest(releases(rates, more=more), speed).events
    assert len(event.rows) == len(moved) and event.what == f"Speed{words}"

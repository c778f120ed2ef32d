"""Figures that are no evidence of a change: each truth is worked out here from the figures."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from making import TOML, described, loaded, only, result

from perfguide.bundles.decode import Loaded
from perfguide.catalog.benchmarks import Catalog
from perfguide.compare import event_evidence, event_titles, row_texts
from perfguide.compare.comparison import Comparison
from perfguide.compare.headline import headline
from perfguide.compare.resolution import timer_step

from test_verdicts import compared  # isort: skip

QUIET = (50.11, 50.32, 49.87, 50.05, 49.94, 50.21, 50.02, 49.9, 50.13)
"""A figure over nine releases; the newest is 9.9."""

SIZES = tuple(2**n for n in range(4, 14))


@pytest.fixture
def speed(tmp_path: Path) -> Catalog:
    return described(tmp_path)


def release(number: int, *results: dict[str, Any], board: str = "sk") -> Loaded:
    return loaded(*results, id=f"{board}-{number}", board__name=board, sdk__version=f"9.{number}")


def newest(bundles: list[Loaded], catalog: Catalog) -> Comparison:
    return compared(*bundles, releases=("9.8", "9.9"), catalog=catalog)


def quiet(number: int) -> list[dict[str, Any]]:
    """Rates that do not change."""
    return [
        result(value=round(QUIET[number - 1] * (1 + n / 10), 2), params={"block_size": size})
        for n, size in enumerate(SIZES)
    ]


def ranged(samples: tuple[float, ...], is_counted: bool = False) -> dict[str, Any]:
    """A mean time with its range, as guides publish it."""
    mean = round(fmean(samples), 2)
    more = {"count": len(samples)} if is_counted else {}
    return result("lat_a", "us", value=mean, min=min(samples), max=max(samples), **more)


TIGHT = (1.4, 1.5, 1.6, 2.1)


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ((1.5, 1.6, 8.0, 9.0), "overlap: 1.5 to 9 against 1.4 to 2.1"),
        ((2.2, 2.3, 9.0, 14.0), "nearly meet: 2.2 to 14 against 1.4 to 2.1"),
        ((7.0, 8.0, 8.0, 9.0), ""),
    ],
)
@pytest.mark.parametrize("is_counted", [False, True])
def test_a_mean_that_is_worse_by_some_samples_is_not_proved(
    samples: tuple[float, ...], said: str, is_counted: bool, speed: Catalog
) -> None:
    """The least sample is as good as before, so the level did not change for sure."""
    bundles = []
    for number in range(1, 10):
        own = samples if number == 9 else TIGHT
        bundles.append(release(number, *quiet(number), ranged(own, is_counted)))
    both = newest(bundles, speed)
    row = only([row for row in both.rows if row.metric == "lat_a"])
    at_one_level = min(samples) < max(TIGHT) + (max(samples) - min(samples)) / 20
    assert at_one_level is bool(said)
    assert row.verdict == ("noisy" if said else "regressed")
    event = only(both.far if said else both.events)
    lines = " ".join(event_evidence.event_lines(event, both))
    if said:
        assert f"the ranges of their samples {said} before" in lines
        title = event_titles.event_title(event, both)
        assert re.search(
            r", [\d.]+ times longer on average, and the samples scatter more$",
            title,
        )
        assert headline(both).state == "look"
        assert (
            "Look at 1 event before you ship. It is not proved: each release has only one set of measurements."
            in headline(both).sentence
        )
    else:
        begin = "One run of several samples each;" if is_counted else "One mean of samples each;"
        assert lines.startswith(begin)


def test_a_range_of_two_unlike_figures_is_no_scatter_of_their_mean(speed: Catalog) -> None:
    """A mean of a slow and a fast figure that repeats to a hundredth moves by more than its past did,
    though the slow figure stays."""
    bundles = [
        release(number, *quiet(number), ranged((4.0 + number / 100, 14.0 if number < 9 else 24.0)))
        for number in range(1, 10)
    ]
    row = only([row for row in newest(bundles, speed).rows if row.metric == "lat_a"])
    assert row.verdict == "regressed"


def test_two_runs_that_differ_far_are_both_said(speed: Catalog) -> None:
    """Their mean is no level: one of them is at that of the newer release."""
    bundles = [release(n, *quiet(n), result("lat_a", "us", value=700.0 + n)) for n in range(1, 8)]
    for run, value in enumerate((735.3, 1438.0)):
        bundles.append(loaded(result("lat_a", "us", value=value), id=f"r{run}", sdk__version="9.8"))
    bundles.append(release(9, *quiet(9), result("lat_a", "us", value=740.0)))
    row = only([row for row in newest(bundles, speed).rows if row.metric == "lat_a"])
    assert row.verdict == "noisy" and "2 runs (735.3, 1,438) before" in row.ground
    assert row.kinds_of_figures == "2 runs (735.3, 1,438) before, one run now"


def test_loads_of_unlike_size_lay_at_their_ends_and_on_no_level(speed: Catalog) -> None:
    loads = (0.5, 12.0, 3.0, 8.0, 1.5, 9.5, 4.0, 11.0, 60.0)
    bundles = [
        release(n, *quiet(n), result("load", "%", value=load, params={"block_size": 3}))
        for n, load in enumerate(loads, 1)
    ]
    row = only([row for row in newest(bundles, speed).rows if row.metric == "load"])
    before = loads[:-1]
    assert "on one level" not in row.ground
    if "earlier releases lay" in row.ground:
        assert f"lay between {min(before):g} and {max(before):g}" in row.ground


LOOPS = 200_000_000


@pytest.mark.parametrize(("ticks", "verdict"), [(26, "same"), (29, "same"), (40, "regressed")])
def test_one_tick_of_the_timer_of_a_program_proves_nothing(
    ticks: int, verdict: str, speed: Catalog
) -> None:
    """The program divides its loops by whole ticks, and took 27 or 28 of them in each release."""
    counts = [27, 27, 27, 28, 27, 28, 28, 28, ticks]
    bundles = [
        release(n, *quiet(n), result(value=round(LOOPS / own, 1), params={"block_size": 7}))
        for n, own in enumerate(counts, 1)
    ]
    row = only([row for row in newest(bundles, speed).rows if row.params.get("block_size") == 7])
    if abs(ticks - counts[-2]) > 1 and verdict == "same":
        verdict = "noisy"  # two ticks may be a change, and are not proved
    assert row.verdict in (verdict, "steady") if verdict != "regressed" else row.verdict == verdict
    assert row.step == pytest.approx(LOOPS / min(counts) / (min(counts) + 1))


@pytest.mark.parametrize("scale", [1.0, 1e-3])
@pytest.mark.parametrize("kibibytes", [2**8, 2**14, 2**16])
def test_rates_of_a_boot_loader_are_whole_milliseconds(kibibytes: int, scale: float) -> None:
    ticks = [31, 31, 29, 31, 27]
    rates = [round(scale * kibibytes * 1000 / own, 6) for own in ticks]
    assert timer_step(rates) == pytest.approx(scale * kibibytes * 1000 / 27 / 28)
    # Rates that are alike, but were timed more finely, have no steps.
    finer = [round(rate * (1 + n / 997), 6) for n, rate in enumerate(rates, 1)]
    assert timer_step(finer) == 0


def test_figures_at_random_have_no_timer() -> None:
    random = np.random.default_rng(7)
    drawn = np.exp(random.uniform(10, 14, (500, 1)) + 0.05 * random.standard_normal((500, 5)))
    assert not any(timer_step([round(own, 2) for own in row]) for row in drawn.tolist())


PACKETS = TOML.replace(
    "metrics = [", 'metrics = [\n  { name = "packets", unit = "kPPS", better = "higher" },', 1
)


@pytest.mark.parametrize("is_old", [False, True])
@pytest.mark.parametrize(("left", "fails"), [(0.01, True), (170.0, False)])
def test_a_rate_next_to_nothing_of_a_run_without_packets_failed_too(
    is_old: bool, left: float, fails: bool, tmp_path: Path
) -> None:
    """A run that counts no packet and as many bytes as before has a wrong number of packets."""
    good, bad = (173.0, 15.0), (left, 0.0)
    sides = [bad, good] if is_old else [good, bad]
    bundles = [
        release(
            number,
            *quiet(number),
            result(value=rate, params={"block_size": 7}),
            result("packets", "kPPS", value=packets, params={"block_size": 7}),
        )
        for number, (rate, packets) in enumerate([good] * 7 + sides, 1)
    ]
    both = newest(bundles, described(tmp_path, PACKETS))
    verdicts = {row.metric: row.verdict for row in both.rows if row.params.get("block_size") == 7}
    failed = "failed-before" if is_old else "failed-after"
    assert verdicts["packets"] == failed and (verdicts["rate"] == failed) is fails
    again = f"{'2 figures' if fails else '1 figure'} that failed before work{'s' * (not fails)} again (Speed)."
    assert (again in headline(both).besides) is is_old
    titles = [event_titles.event_title(event, both) for event in (*both.events, *both.far)]
    assert len(titles) == (not is_old) and not [each for each in titles if "÷" in each]


@pytest.mark.parametrize(("low", "verdict"), [(0.0, "incomparable"), (3.0, "noisy")])
def test_a_run_of_old_that_counts_no_packets_is_a_failed_one_of_bytes_too(
    low: float, verdict: str, tmp_path: Path
) -> None:
    """The bytes of old runs are far apart, but none of them next to nothing."""
    bundles = [
        release(
            number,
            result(value=rate, min=4.8, max=2 * rate, params={"block_size": 7}),
            result("packets", "kPPS", value=15.0, min=least, max=30.0, params={"block_size": 7}),
        )
        for number, rate, least in ((8, 165.0, low), (9, 89.0, 3.0))
    ]
    rows = newest(bundles, described(tmp_path, PACKETS)).rows
    rate = next(row for row in rows if row.metric == "rate")
    assert rate.verdict == verdict
    assert (rate.ground == "some old runs failed; its samples are 0 to 30 kPPS") is (low == 0)


@pytest.mark.parametrize(
    ("before", "least", "is_listed"),
    [((22.7, 22.4), 22.45, True), ((22.7, 22.4), 22.3, False), ((28.8, 22.4), 22.45, False)],
)
def test_a_mean_is_listed_whose_samples_are_all_worse_than_the_mean_before(
    before: tuple[float, float], least: float, is_listed: bool, speed: Catalog
) -> None:
    """Their ranges overlap, as of many boots."""
    past = [(mean - 0.8, mean, mean + 0.9) for mean in (21.6, 21.3, before[0])]
    boots = [*past, (20.6, before[1], 27.4), (least, 28.7, 36.7)]
    bundles = [
        release(n, *quiet(n), result("lat_a", "us", value=mean, min=low, max=high))
        for n, (low, mean, high) in enumerate(boots, 5)
    ]
    both = newest(bundles, speed)
    (row,) = (row for row in both.rows if row.metric == "lat_a")
    assert row.verdict == "noisy" and "overlap" in row.ground
    listed = [event for event in both.far if not event.is_minor]
    assert [event_titles.event_title(event, both) for event in listed] == [
        "Speed: lat_a: 22.4 → 28.7 µs, 28.1 % longer"
    ] * is_listed


@pytest.mark.parametrize("is_old", [False, True])
def test_a_time_of_zero_is_no_time(is_old: bool, speed: Catalog) -> None:
    sides = [0.0, 5.5] if is_old else [5.5, 0.0]
    bundles = [
        release(n, *quiet(n), result("lat_a", "us", value=own))
        for n, own in enumerate([5.5, 5.6] * 3 + [5.5, *sides], 1)
    ]
    both = newest(bundles, speed)
    (row,) = (row for row in both.rows if row.metric == "lat_a")
    which = "old" if is_old else "new"
    assert row.verdict == "incomparable"
    assert row.ground == f"0 µs is no time: the {which} run measured nothing"
    assert not both.events and not both.far


@pytest.mark.parametrize(
    ("jump", "fall", "is_promised"),
    [(2.2, 1.0, False), (1.3, 1.0, False), (1.1, 0.82, True)],
)
def test_no_number_of_runs_settles_a_figure_that_only_wanders_between_releases(
    jump: float, fall: float, is_promised: bool, speed: Catalog
) -> None:
    figures = [round(50 * jump ** (n % 2) * (1 + n / 1000), 2) for n in range(9)]
    figures[-1] = round(fall * figures[-1], 2)
    bundles = [
        release(n, *quiet(n), result(value=own, params={"block_size": 7}))
        for n, own in enumerate(figures, 1)
    ]
    (row,) = (row for row in newest(bundles, speed).rows if row.params.get("block_size") == 7)
    assert row.verdict == "noisy"
    assert ("could settle it" in row_texts.ground(row)) is is_promised


@pytest.mark.parametrize(("is_old", "earlier"), [(False, 0), (True, 0), (False, 3)])
def test_a_rate_of_zero_is_a_failed_run_and_no_fall_of_all(
    is_old: bool, earlier: int, speed: Catalog
) -> None:
    """The run of an ``earlier`` release failed too."""

    def run(number: int, rate: float, load: float) -> Loaded:
        rows = [
            result(value=own, params={"block_size": size})
            for size, own in ((7, rate), (9, rate and rate + 9))
        ]
        rows += [result("load", "%", value=load, params={"block_size": 7})]
        rows += [result(value=5.0, params={"block_size": 8})] * (number < 9)
        return release(number, *quiet(number), *rows)

    sides = [(0.0, 0.4), (173.0, 30.0)] if is_old else [(173.0, 30.0), (0.0, 0.4)]
    before = [run(n, (173.0 + n / 10) * (n != earlier), 30.0) for n in range(1, 8)]
    both = newest([*before, *(run(8 + n, *side) for n, side in enumerate(sides))], speed)
    by_metric = {row.metric: row for row in both.rows if row.params.get("block_size") == 7}
    which = "old" if is_old else "new"
    assert by_metric["rate"].verdict == ("failed-before" if is_old else "failed-after")
    assert by_metric["rate"].ground == f"a result of 0 MB/s means that the {which} run failed"
    assert by_metric["load"].verdict == "incomparable"
    assert by_metric["load"].ground == f"the {which} run failed"
    titles = [event_titles.event_title(event, both) for event in both.events]
    as_before = f", as in 9.{earlier}" if earlier else ""
    assert titles == ([] if is_old else [f"Speed: rate: fails now{as_before} (2 rows)"])
    if not is_old:
        assert headline(both).state == "do not ship"


@pytest.mark.parametrize(
    ("unit", "digits", "is_other_unit"),
    [("MiB/s", 0.99, True), ("MiB/s", 1.0, True), ("MiB/s", 0.6, False), ("kB/s", 1.0, False)],
)
def test_the_same_digits_in_another_unit_are_no_change(
    unit: str, digits: float, is_other_unit: bool, speed: Catalog
) -> None:
    old = release(8, *(result(value=400.0 + n, params={"block_size": n}) for n in range(4)))
    new = release(
        9,
        *(
            result(unit=unit, value=round((400.0 + n) * digits, 1), params={"block_size": n})
            for n in range(4)
        ),
    )
    both = newest([old, new], speed)
    assert {row.verdict == "incomparable" for row in both.rows} == {is_other_unit}
    assert all(f"the unit was MB/s and is {unit}" in row_texts.ground(row) for row in both.rows)
    if is_other_unit:
        event = only(both.events)
        moved = digits * 2**20 / 10**6 - 1
        said = "are the same" if digits == 1 else "moved by −1.0 %"
        title = event_titles.event_title(event, both)
        assert f"the numbers {said}, but differ if converted, by +{100 * moved:.1f} %" in title


@pytest.mark.parametrize(("added", "fails"), [(0.2, True), (430.0, False)])
def test_a_failed_run_that_was_added_to_the_older_ones_is_told(
    added: float, fails: bool, speed: Catalog
) -> None:
    """All means of the newer release hold the runs of the older one."""

    first = {size: [520.3 + size, 555.7 + size, 601.9 + size] for size in range(12)}
    pooled = {size: [*own, added if size == 4 else 560.1] for size, own in first.items()}
    both = newest(
        [
            release(
                number,
                *(
                    result(
                        value=fmean(own), min=min(own), max=max(own), params={"block_size": size}
                    )
                    for size, own in samples.items()
                ),
            )
            for number, samples in ((8, first), (9, pooled))
        ],
        speed,
    )
    (row,) = (row for row in both.rows if row.params["block_size"] == 4)
    assert row.doubt == ("some new runs failed; its samples are 0.2 to 605.9 MB/s" if fails else "")
    titles = [
        event_titles.event_title(event, both) for event in both.events if event.kind != "changed"
    ]
    assert titles == ["Speed: block size 4 bytes: some runs fail"] * fails
    assert (row.ground == "the figures are those of 9.8, alone or with more samples") is not fails


def test_a_failed_run_of_an_earlier_release_is_no_precedent_for_a_fall(speed: Catalog) -> None:
    rates = [750.0, 444.0, 697.0, 456.0, 0.0, 640.0, 655.0, 652.0, 77.3]
    bundles = [
        release(n, *quiet(n), result(value=rate, params={"block_size": 7}))
        for n, rate in enumerate(rates, 1)
    ]
    both = newest(bundles, speed)
    (row,) = (row for row in both.rows if row.params["block_size"] == 7)
    listed = [event for event in (*both.events, *both.far) if not event.is_minor]
    assert [event.rows for event in listed] == [(row,)]


def test_a_fall_of_a_benchmark_that_fails_is_part_of_its_failure(speed: Catalog) -> None:
    sides = {7: [300.0] * 8 + [0.0], 9: [115.0, 180.0, 90.0, 140.0] * 2 + [31.0]}
    bundles = [
        release(
            n,
            *quiet(n),
            *(result(value=own[n - 1], params={"block_size": size}) for size, own in sides.items()),
        )
        for n in range(1, 10)
    ]
    both = newest(bundles, speed)
    (event,) = (event for event in (*both.events, *both.far) if not event.is_minor)
    assert event.kind == "failed-after"
    assert [row.params["block_size"] for row in event.unproved] == [9]


@pytest.mark.parametrize("repeated", [7, 3])
def test_figures_with_the_samples_of_the_older_release_are_no_evidence(
    repeated: int, speed: Catalog
) -> None:
    """The newer release has the older samples and one more; three rows of ten may do so by chance."""

    def run(number: int, samples: list[list[float]]) -> Loaded:
        rows = [
            result(f"lat_{n}", "us", value=round(fmean(own), 3), min=min(own), max=max(own))
            for n, own in enumerate(samples)
        ]
        return release(number, *rows)

    first = [[101.37 + n, 103.86 + n, 102.91 + n] for n in range(10)]
    others = [[101.41 + n, 103.92 + n, 102.77 + n] for n in range(10)]
    pooled = [[*own, 104.15] for own in first[:repeated]] + others[repeated:]
    both = newest([run(8, first), run(9, pooled)], speed)
    shares = [
        row
        for row, old, new in zip(
            sorted(both.rows, key=lambda row: row.metric), first, pooled, strict=True
        )
        if {*old} <= {*new}
    ]
    repeats = {row.metric for row in shares} if len(shares) >= 5 else set()
    marked = [row for row in both.rows if row.verdict == "incomparable"]
    assert {row.metric for row in marked} == repeats
    assert {row.ground for row in marked} <= {
        "the figures are those of 9.8, alone or with more samples"
    }
    judged = headline(both)
    assert judged.judged <= 10 - len(repeats)
    counted = f"{len(repeats)} of 10 figures are not compared"
    assert judged.facts == [f"9.9 publishes figures of 9.8 again: {counted}."] * bool(repeats)
    # A third release is not judged by two that are one.
    past = [
        run(number, [[sample * (1 + number / 1000) for sample in own] for own in first])
        for number in (4, 5, 6)
    ]
    third = run(10, [[1.5 * sample for sample in own] for own in first])
    later = compared(
        *past, run(8, first), run(9, pooled), third, releases=("9.9", "9.10"), catalog=speed
    )
    row = only([row for row in later.rows if row.metric == "lat_0"])
    assert f"{4 if repeats else 5} earlier releases" in row.ground


def test_a_rate_that_works_again_is_told_with_its_runs_that_still_fail(speed: Catalog) -> None:
    again = [0.0, 920.0], [0.0, 703.0]
    bundles = [
        release(
            number,
            *quiet(number),
            *(
                result(value=own[number - 8], params={"block_size": size}, **ends)
                for own, size, ends in zip(
                    again,
                    (7, 8),
                    ({}, {"min": 0.0, "max": 939.0} if number == 9 else {}),
                    strict=True,
                )
            ),
        )
        for number in (8, 9)
    ]
    said = headline(newest(bundles, speed)).besides
    assert (
        "2 figures that failed before work again (Speed), but some new runs of 1 of them failed."
        in said
    )

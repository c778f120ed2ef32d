"""What comparisons say in words, against figures worked out here from the samples."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from making import described, loaded, only, result
from scipy import special

from perfguide.bundles.decode import Loaded
from perfguide.catalog.benchmarks import Catalog
from perfguide.compare import as_ci, event_evidence, event_groups, event_titles, row_texts
from perfguide.compare.headline import headline

from test_verdicts import compared  # isort: skip

OLD_SAMPLES = (97.1345, 103.2468, 99.3579, 101.8642, 98.2213, 100.4321)
NEW_SAMPLES = (98.4123, 101.5937, 100.8315, 97.7531, 102.3579)
"""Samples in MB/s that scatter by some per cent and do not differ."""


@pytest.fixture
def speed(tmp_path: Path) -> Catalog:
    return described(tmp_path)


def release(number: int, *results: dict[str, object]) -> Loaded:
    return loaded(*results, id=f"run-{number}", sdk__version=f"9.{number}")


@pytest.mark.parametrize("turned", [False, True])
def test_the_change_that_would_have_been_seen_is_that_of_the_t_test(
    turned: bool, speed: Catalog
) -> None:
    sides = (NEW_SAMPLES, OLD_SAMPLES) if turned else (OLD_SAMPLES, NEW_SAMPLES)
    both = compared(
        *(release(number, result(samples=list(own))) for number, own in enumerate(sides, 1)),
        releases=("9.1", "9.2"),
        catalog=speed,
    )
    row = only(both.rows)
    old, new = map(np.log, sides)
    freedom = len(old) + len(new) - 2
    # Every figure scatters by 0.3 % at least.
    pooled = math.sqrt((old.var() * len(old) + new.var() * len(new)) / freedom + 0.003**2)
    error = pooled * math.sqrt(1 / len(old) + 1 / len(new))
    bound = float(special.stdtrit(freedom, 1 - 0.05 / 2)) * error
    rose = new.mean() > old.mean()
    seen = 100 * (math.expm1(bound) if rose else -math.expm1(-bound))
    pattern = rf"a {'rise' if rose else 'fall'} of ([\d.]+) % or more would have shown"
    (said,) = re.findall(pattern, row_texts.ground(row))
    assert seen <= float(said) < seen + 0.1  # rounded up, so that it would have been


SIZES = tuple(2**n for n in range(4, 16))
QUIET_RATES = (50.11, 50.32, 49.87, 50.05, 49.94, 50.21, 50.02, 49.9, 50.13)
"""A rate in MB/s over nine releases."""


@pytest.mark.parametrize("jumps", [1, 2, 3])
def test_a_row_that_often_moves_as_far_is_one_line_with_others_of_its_benchmark(
    jumps: int, speed: Catalog
) -> None:
    """Its figure was twice as large in the last release, and larger in some before."""
    figures = [30.0 + n / 10 for n in range(9)]
    for at in range(jumps):
        figures[7 - 2 * at] *= 2.2 ** (at + 1)
    bundles = [
        release(
            number,
            *(
                result(value=round(rate * (1 + n / 10), 2), params={"block_size": size})
                for n, size in enumerate(SIZES)
            ),
            result("lat_a", "us", value=round(figure, 2)),
        )
        for number, (rate, figure) in enumerate(zip(QUIET_RATES, figures, strict=True), 1)
    ]
    both = compared(*bundles, releases=("9.8", "9.9"), catalog=speed)
    row = only([row for row in both.rows if row.metric == "lat_a"])
    factor = figures[7] / figures[8]
    as_far = sum(max(a / b, b / a) >= factor for a, b in pairwise(figures[:8]))
    event = only([event for event in (*both.events, *both.far) if row in event.rows])
    assert event.is_minor is (row.verdict == "noisy" and as_far >= 2)
    if event.is_minor:
        title = event_titles.event_title(event, both)
        assert title == f"Speed: ÷{factor:.3g}, better"
        assert event_groups.action(event) == event_groups.MINOR
        assert headline(both).state == "ship"


@pytest.mark.parametrize(("kept", "lasted"), [(0.6, 0), (0.75, 1)])
def test_a_far_move_lasted_if_the_next_release_kept_more_than_two_thirds_of_it(
    kept: float, lasted: int, speed: Catalog
) -> None:
    """It rose by a half in the fifth of eight releases."""
    figures = [100.0, 100.2, 99.9, 100.0, 150.0, *[100 + kept * 50] * 2, 101.0]
    bundles = [release(number, result(value=figure)) for number, figure in enumerate(figures, 1)]
    both = compared(*bundles, releases=("9.7", "9.8"), catalog=speed)
    assert both.jumps["speed"] == (lasted, 1)


@pytest.mark.parametrize("moved", [1, 3, 4])
def test_an_event_names_up_to_three_metrics_and_counts_more(moved: int, speed: Catalog) -> None:
    names = [f"lat_{letter}" for letter in "abcde"]
    scatter = (-0.002, -0.001, 0.0, 0.001, 0.002)
    bundles = [
        release(
            number,
            *(
                result(name, "us", samples=[10 * factor * (1 + part) for part in scatter])
                for name, factor in zip(names, factors, strict=True)
            ),
        )
        for number, factors in enumerate(([1.0] * 5, [1.5] * moved + [1.0] * (5 - moved)), 1)
    ]
    both = compared(*bundles, releases=("9.1", "9.2"), catalog=speed)
    event = only(both.events)
    rows = f" 50.0 % longer{f' ({moved} rows)' if moved > 1 else ''}"
    title = event_titles.event_title(event, both)
    metrics = f"lat_a and {moved - 1} more metrics" if moved > 3 else ", ".join(names[:moved])
    # More time is worse: 1.5 times the time is a third less speed.
    assert title.startswith(f"Speed: {metrics}")
    assert title.endswith(rows)
    assert {row.verdict for row in event.rows} == {"regressed"}
    assert event.change == pytest.approx(1 / 1.5 - 1)


def test_reports_for_services_give_each_event_and_the_runs_behind_it(speed: Catalog) -> None:
    falls = [0.8 * sample for sample in OLD_SAMPLES]
    both = compared(
        release(1, result(samples=[50 + sample / 100 for sample in OLD_SAMPLES])),
        release(2, result(samples=[40 + sample / 100 for sample in falls])),
        releases=("9.1", "9.2"),
        catalog=speed,
    )
    title = event_titles.event_title(only(both.events), both)
    old, new = (fmean(row) for row in (OLD_SAMPLES, falls))
    fall = 100 * (1 - (40 + new / 100) / (50 + old / 100))
    assert title.endswith(f" MB/s, {fall:.1f} % worse")
    runs = f"Runs: {len(OLD_SAMPLES)} against {len(falls)}"
    (sarif,) = json.loads(as_ci.to_sarif(both))["runs"][0]["results"]
    (issue,) = json.loads(as_ci.to_gitlab(both))
    for text in (sarif["message"]["text"], issue["description"]):
        assert text.startswith(f"{title}. ") and runs in text
    first, *_ = as_ci.to_github(both).splitlines()
    assert runs in first and first.startswith("::error title=Speed")


def test_the_fates_of_rows_count_those_that_were_measured_again(speed: Catalog) -> None:
    """One of three rows is missing in the next release, and says nothing of what lasted."""
    rates = {size: [*([100.0 + size % 7] * 5), 50.0 + size % 3] for size in SIZES[:3]}
    bundles = [
        release(
            number,
            *(
                result(value=own[number - 1], params={"block_size": size})
                for size, own in rates.items()
            ),
        )
        for number in range(1, 7)
    ]
    after = {size: rates[size][-1] for size in SIZES[:2]}
    bundles.append(
        release(7, *(result(value=own, params={"block_size": size}) for size, own in after.items()))
    )
    both = compared(*bundles, releases=("9.5", "9.6"), catalog=speed)
    event = only([each for each in (*both.events, *both.far) if not each.is_minor])
    assert len(event.rows) == len(rates)
    lines = event_evidence.event_lines(event, both)
    assert "Both rows that can be followed to 9.7 still show it." in lines
    assert not any("of 3" in line for line in lines)


@pytest.mark.parametrize(("old", "new", "said"), [
    (0.01, 63.57, "below 1 % before, up to 63.57 % now"),
    (40.0, 0.5, "up to 40 % before, below 1 % now"),
    (20.0, 63.57, None),
])  # fmt: skip
def test_a_ratio_to_a_share_that_is_next_to_nothing_is_not_said(
    old: float, new: float, said: str | None, speed: Catalog
) -> None:
    bundles = [
        release(
            number, *(result("load", "%", value=own, params={"block_size": size}) for size in SIZES)
        )
        for number, own in enumerate((old, old * 1.01, old, new), 1)
    ]
    both = compared(*bundles, releases=("9.3", "9.4"), catalog=speed)
    titles = " ".join(event_titles.event_title(each, both) for each in (*both.events, *both.far))
    assert titles
    ratio = max(old, new) / min(old, new)
    assert (said is not None) is ("below 1 %" in titles)
    if said:
        assert said in titles and f"{ratio:,.3g}" not in titles
    else:
        assert f"{ratio:.3g}" in titles


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_the_usual_scatter_is_said_the_way_that_the_figure_went(
    factor: float, speed: Catalog
) -> None:
    """The scatter is a factor, and a fall by it is a smaller share than a rise."""
    scattering = (100.0, 121.0, 95.0, 118.0, 99.0, 120.0, 97.0, 110.0)
    bundles = [
        release(
            number,
            *(
                result(value=round(own * (1 + size / 1e4), 2), params={"block_size": size})
                for size in SIZES
            ),
        )
        for number, own in enumerate((*scattering, 110.0 * factor), 1)
    ]
    both = compared(*bundles, releases=("9.8", "9.9"), catalog=speed)
    rows = [row for row in both.rows if row.verdict == "noisy" and row.scatter and row.scatter < 1]
    assert rows
    for row in rows:
        assert row.scatter is not None
        fall, rise = 100 * row.scatter / (1 + row.scatter), 100 * row.scatter
        size = fall if factor < 1 else rise
        digits = f"{size:.2g}" if size < 100 else f"{size:.0f}"
        assert f"usually ±{float(digits):g} %" in row_texts.usual(row)


def test_a_load_is_listed_with_what_it_is_for_the_work_done(speed: Catalog) -> None:
    bundles = [
        release(
            number,
            *(
                each
                for size in SIZES
                for each in (
                    result(value=rate * (1 + size / 1e6), params={"block_size": size}),
                    result("load", "%", value=load, params={"block_size": size}),
                )
            ),
        )
        for number, (rate, load) in enumerate([(100.0, 20.0)] * 5 + [(50.0, 20.0 * 3)], 1)
    ]
    both = compared(*bundles, releases=("9.5", "9.6"), catalog=speed)
    loads = [row for row in both.rows if row.metric == "load" and row.per]
    assert loads
    for row in loads:
        assert row.old and row.new and row.old.cell.mean and row.new.cell.mean
        each = (row.new.cell.mean / row.old.cell.mean) * (100.0 / 50.0)
        own = f"×{row.new.cell.mean / row.old.cell.mean:.3g}"
        assert row_texts.listed_change(row) == (own, f"×{each:.3g} per MB/s")
        assert row_texts.change_words(row) == own


def of_values(values: dict[int, list[float]]) -> list[Loaded]:
    count = len(next(iter(values.values())))
    return [
        release(
            number + 1,
            *(
                result(value=own[number], params={"block_size": size})
                for size, own in values.items()
            ),
        )
        for number in range(count)
    ]


def test_falls_that_are_usual_are_counted_in_the_headline(speed: Catalog) -> None:
    restless = [100.0, 50.0, 98.0, 52.0, 101.0, 75.0, 99.0, 49.0]
    values = {size: [50.0 + size % 7 + number * 1e-3 for number in range(8)] for size in SIZES}
    values |= {size: [each * (1 + size / 1e4) for each in restless] for size in SIZES[:2]}
    both = compared(*of_values(values), releases=("9.7", "9.8"), catalog=speed)
    fallen = sum(own[-2] >= 1.5 * own[-1] for own in values.values())
    assert fallen == 2 and not [each for each in both.far if not each.is_minor]
    said = headline(both)
    assert said.state == "too little"
    assert (
        "Two figures of Speed (rate, 99.32 → 49.16 MB/s; rate, 99.16 → 49.08 MB/s) got worse by a "
        "factor of 1.5 or more, which they often do." in said.sentence
    )
    judged = sum(row.judged for row in both.rows)
    assert (
        said.advice
        == f"Nothing judged got worse: {100 * judged // len(both.rows)} % of {len(both.rows)} figures."
    )


def test_an_unproved_fall_is_said_to_be_one_with_what_was_before_it(speed: Catalog) -> None:
    """A row alone with two earlier figures has nothing that shows how much it scatters."""
    values = [100.0, 103.0, 41.0]
    both = compared(*of_values({SIZES[0]: values}), releases=("9.2", "9.3"), catalog=speed)
    event = only([each for each in both.far if not each.is_minor])
    earlier = len(values) - 2
    assert event_evidence.event_lines(event, both) == [
        f"Not proved: one run each, and {earlier} earlier, which is too little to show how much such runs differ."
    ]
    factor = values[1] / values[2]
    title = event_titles.event_title(event, both)
    assert title == f"Speed: 103 → 41 MB/s, {factor:.3g} times worse"
    said = headline(both)
    assert said.sentence.startswith(
        "Look at 1 event before you ship. It is not proved: each release has only one set of measurements. "
    )
    assert "Run Speed again after a reboot, twice or more with each release" in said.more

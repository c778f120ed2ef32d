"""What findings say in words, against figures worked out here."""

from __future__ import annotations

from typing import Any

import pytest
from making import SHIPPED, loaded, only, pooled

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.health import rules

CATALOG = benchmarks.load([SHIPPED])[0]
RATES = (1000.0, 1010.0, 1005.0, 300.0, 1007.0)
"""Rates in MB/s of five releases, of which the fourth stands out."""


def run(result: dict[str, Any], board: str = "sk", release: str = "09.01") -> Loaded:
    return loaded(result, id=f"{board}-{release}", board__name=board, sdk__version=release)


def copy(value: float) -> dict[str, Any]:
    return {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": value}


def reasons(rule: str, *bundles: Loaded) -> list[str]:
    """The sentences of one rule about some bundles."""
    findings, *_ = rules.examine(pooled(bundles, CATALOG), CATALOG)
    return [finding.reason for finding in findings if finding.rule.id == rule]


def over_releases(*rates: float) -> list[Loaded]:
    return [run(copy(rate), release=f"09.0{n}") for n, rate in enumerate(rates, 1)]


def test_a_jump_gives_the_figures_around_it_and_their_ratio() -> None:
    _, _, before, jump, after = RATES
    assert only(reasons("one-release-jump", *over_releases(*RATES))) == (
        f"sk, Copy: {jump:g} MB/s, {before / jump:.2f} times lower than {before:,g} in 09.03, "
        f"and {after:,g} again in 09.05"
    )
    high = [rate if rate != jump else 4000.0 for rate in RATES]
    assert f"{4000 / before:.2f} times higher than {before:,g}" in only(
        reasons("one-release-jump", *over_releases(*high))
    )


def test_a_step_that_the_next_release_keeps_is_no_jump() -> None:
    assert reasons("one-release-jump", *over_releases(*RATES[:4], RATES[3])) == []


def test_a_board_apart_is_compared_with_the_others() -> None:
    for others, said, nearest in (
        ((1000.0, 1000.0), "2 other boards have 1,000", 1000.0),
        ((833.0, 936.6), "2 other boards have 833 and 936.6", 833.0),
        ((850.0, 800.0, 900.0), "3 other boards have 800 to 900", 800.0),
    ):
        bundles = [run(copy(rate), board) for board, rate in zip("abd", others, strict=False)]
        assert only(reasons("board-apart", *bundles, run(copy(3.0), "c"))) == (
            f"c, Copy: 3 MB/s where the {said}, {nearest / 3:.0f} times lower at least"
        )


@pytest.mark.parametrize(
    ("load", "rule"),
    [
        (99.5, ""),
        (100.0, ""),
        (100.5, "load-over-limit"),
        (105.0, "load-over-limit"),
        (105.5, "over-limit"),
    ],
)
def test_a_load_is_over_its_limit_above_all_there_is(load: float, rule: str) -> None:
    params = {"algorithm": "sha256", "engine": "hw"}
    result = {"benchmark": "openssl", "metric": "cpu_load", "unit": "%", "params": params}
    said = [f"sk, CPU load, SHA-256, accelerator: it is {load:g} %, and 100 % is all there is"]
    for each in ("load-over-limit", "over-limit"):
        assert reasons(each, run(result | {"value": load})) == (said if each == rule else [])


@pytest.mark.parametrize(("rate", "is_wrong"), [(0.5, False), (0.0, True), (-5.0, True)])
def test_a_rate_of_nothing_or_less_is_wrong(rate: float, is_wrong: bool) -> None:
    said = [f"sk, Copy: the figure is {rate:g} MB/s".replace("-", "−")]
    assert reasons("not-positive", run(copy(rate))) == (said if is_wrong else [])


@pytest.mark.parametrize(
    ("benchmark", "metric", "unit"),
    [("stream", "copy", "MB/s"), ("ipsec", "packet_rate", "kPPS"), ("lmbench", "lat_pipe", "us")],
)
@pytest.mark.parametrize("least", [0.0, 0.3, 6.0, 6.1, 400.0])
def test_a_rate_with_a_run_that_failed_in_its_mean_is_found_and_leads_nothing(
    least: float, benchmark: str, metric: str, unit: str
) -> None:
    """A rate of which one sample is a hundredth or less of another one: 6 of 600."""
    samples = [600.0, least, 580.5]
    figure = {"benchmark": benchmark, "metric": metric, "unit": unit, "samples": samples}
    rule = "failed-run" if least else "not-positive"
    findings, *_ = rules.examine(pooled([run(figure)], CATALOG), CATALOG)
    suspects = [s for f in findings if f.rule.id == rule for s in f.suspects]
    has_failed = unit != "us" and 100 * min(samples) <= max(samples)
    assert any(suspect.disqualified for suspect in suspects) is has_failed
    if has_failed and least:
        mean = sum(samples) / 3
        said = f"its samples are {least:g} to 600 {unit}, and the mean is {mean:g}"
        assert [suspect.detail for suspect in suspects] == [said]

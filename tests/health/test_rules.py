"""Each health rule finds its fault, and is silent where there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from making import SHIPPED, loaded, only, pooled

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.health import rules
from perfguide.health.finding import Finding
from perfguide.health.pair_rules import steps

CATALOG = benchmarks.load([SHIPPED])[0]
RESULTS = SHIPPED.parents[1] / "results"


def figure(
    benchmark: str, metric: str, unit: str, value: float | None, **more: Any
) -> dict[str, Any]:
    out = {"benchmark": benchmark, "metric": metric, "unit": unit, **more}
    return out if value is None else {**out, "value": value}


def run(
    *results: dict[str, Any], board: str = "sk", release: str = "09.01", **changes: Any
) -> Loaded:
    """A bundle of one board and release."""
    name = f"{board}-{release}-{changes.get('sdk__os', 'linux')}"
    return loaded(*results, id=name, board__name=board, sdk__version=release, **changes)


def found(rule: str, *bundles: Loaded) -> list[Finding]:
    """What one rule says of bundles."""
    return [f for f in rules.examine(pooled(bundles, CATALOG), CATALOG)[0] if f.rule.id == rule]


def copy(value: float | None, **more: Any) -> dict[str, Any]:
    return figure("stream", "copy", "MB/s", value, **more)


def test_every_rule_says_what_it_is_and_what_to_do() -> None:
    assert len(rules.RULES) == 37
    for name, rule in rules.RULES.items():
        assert name == rule.id and rule.title and rule.about and rule.advice
        assert rule.severity in ("error", "warning", "note")


# -- one figure --------------------------------------------------------------------


def test_a_mean_below_its_minimum_is_found() -> None:
    finding = only(found("outside-range", run(copy(3.43, min=4.26, max=4.36))))
    assert finding.severity == "error"
    assert finding.reason == "sk, Copy: the mean 3.43 MB/s is below its minimum 4.26"


def test_a_mean_above_its_maximum_is_found_in_each_pooled_run() -> None:
    one, two = (
        run(copy(2.0, min=1.0, max=3.0)),
        loaded(copy(5.0, min=1.0, max=4.0), id="b", board__name="sk", sdk__version="09.01"),
    )
    assert "above its maximum 4" in only(found("outside-range", one, two)).reason


def test_one_published_end_is_enough_and_swapped_ends_are_a_fault() -> None:
    assert found("outside-range", run(copy(3.2, min=4.0)))
    assert found("outside-range", run(copy(4.8, max=4.0)))
    with pytest.raises(ValueError, match="contradicts itself"):
        run(copy(3.2, min=4.0, max=3.0))
    assert not found("outside-range", run(copy(3.5, min=3.0)))


@pytest.mark.parametrize("mean", [4.26, 4.3, 4.36, 4.255, 4.364])
def test_a_mean_in_its_range_but_for_rounding_is_fine(mean: float) -> None:
    assert found("outside-range", run(copy(mean, min=4.26, max=4.36))) == []


def test_a_published_average_that_its_samples_contradict_is_found() -> None:
    finding = only(found("samples-contradict", run(copy(14.52, samples=[13.52, 13.52, 13.51]))))
    assert "14.52 MB/s was published" in finding.reason and "is 13.52" in finding.reason


def test_two_published_extremes_of_two_samples_are_the_samples() -> None:
    assert found("samples-contradict", run(copy(12.0, min=10.0, max=20.0, count=2)))
    assert not found("samples-contradict", run(copy(15.0, min=10.0, max=20.0, count=2)))
    assert not found("samples-contradict", run(copy(14.0, min=10.0, max=20.0, count=3)))


@pytest.mark.parametrize("value", [13.51, 13.52, 13.5, 14.0, 13.516667])
def test_a_published_average_that_is_rounded_or_cut_is_fine(value: float) -> None:
    assert found("samples-contradict", run(copy(value, samples=[13.52, 13.52, 13.51]))) == []


@pytest.mark.parametrize(
    "more", [{"samples": [0.0]}, {"samples": [-1.0]}, {"samples": [0.0, 500.0]}]
)
def test_a_rate_of_zero_or_less_is_found(more: dict[str, Any]) -> None:
    assert found("not-positive", run(figure("stream", "copy", "MB/s", None, **more)))


def test_a_zero_that_can_be_or_a_failure_is_fine() -> None:
    udp = {"driver": "cpsw", "direction": "egress", "frame_size": 64}
    fine = run(
        figure("ethernet-udp", "packet_loss", "%", 0.0, params=udp),
        figure("ethernet-udp", "cpu_load", "%", 0.0, params=udp),
        figure("thermal", "ambient", "degC", -5.0),
        copy(None, status="fail"),
    )
    assert found("not-positive", fine) == []


def test_a_minimum_of_zero_is_called_a_sample() -> None:
    bundle = run(figure("lmbench", "latency_for_1.00_mb_block_size", "ns", 27.0, min=0.0, max=54.0))
    assert "a sample of 0 ns is in the mean" in only(found("not-positive", bundle)).reason


@pytest.mark.parametrize(
    ("values", "is_coarse"),
    [
        ((4.0, 0.0, 1.0, 0.0), True),  # whole numbers, of which the next smaller one is 0
        ((0.04, 0.0, 0.1), True),
        ((0.0, 0.0, 0.0), True),
        ((0.0, 0.0), False),  # too few to say that the row is like that
        ((58.0, 0.0, 60.0), False),
        ((4.5, 0.0, 1.2), False),
    ],
)
def test_a_zero_below_the_last_digit_is_a_note(values: Sequence[float], is_coarse: bool) -> None:
    runs = releases(*values, metric="packet_rate", benchmark="ipsec", unit="kPPS")
    zeros = [f"09.{n:02}" for n, value in enumerate(values) if value == 0]
    rules_of = {True: "printed-as-zero", False: "not-positive"}
    findings = found(rules_of[is_coarse], *runs)
    assert sorted(finding.guide.release for finding in findings) == zeros
    assert all(finding.suspects[0].disqualified for finding in findings)
    assert not found(rules_of[not is_coarse], *runs)


def test_a_sample_of_zero_among_small_ones_is_a_note_and_its_mean_may_lead() -> None:
    small = run(figure("stream", "copy", "MB/s", None, samples=[0.0, 5.0]))
    assert not only(found("printed-as-zero", small)).suspects[0].disqualified
    assert not found("not-positive", small)


def openssl_load(value: float, **params: Any) -> dict[str, Any]:
    return figure("openssl", "cpu_load", "%", value, params={"algorithm": "a", **params})


def test_a_load_above_all_there_is_is_found() -> None:
    assert found("over-limit", run(openssl_load(110)))
    assert "for 2 threads" in only(found("over-limit", run(openssl_load(220, threads=2)))).reason
    assert found("over-limit", run(figure("new", "cpu_load", "%", 120)))


def test_a_load_of_several_threads_is_fine() -> None:
    assert not found("over-limit", run(openssl_load(100), openssl_load(196, threads=2)))
    new = figure("new", "cpu_load", "%", 380, params={"threads": 4})
    assert not found("over-limit", run(new, figure("new", "gain", "%", 250)))


@pytest.mark.parametrize(
    ("ends", "is_found"),
    [
        *[((5.36, 28.6, 52.0), True), ((18.0, 28.6, 52.0), False), ((5.36, 49.0, 52.0), False)],
        *[((5.36, 5.5, 52.0), False), ((0.5, 28.6, 52.0), False), ((0.0, 28.6, 52.0), False)],
    ],
)
def test_a_mean_of_samples_far_apart_leads_nothing(
    ends: tuple[float, float, float], is_found: bool
) -> None:
    low, value, high = ends
    findings = found("samples-apart", run(copy(value, min=low, max=high)))
    said = f"its samples are {low:g} to {high:g} MB/s, and the mean is {value:g}"
    assert [s.detail for f in findings for s in f.suspects if s.disqualified] == [said] * is_found


# -- the board ---------------------------------------------------------------------

LTP = "cd /opt/ltp && ./runltp -P {} -f ddt/lmbench -s LMBENCH_L_PERF_0001"


@pytest.mark.parametrize("platform", ["j721e-idk-gw", "am335x-evm", "am64xx_sk-fs"])
def test_a_command_for_another_soc_is_found(platform: str) -> None:
    bundle = run(copy(1.0, command=LTP.format(platform)))
    assert f"names “{platform}”, and the SoC is AM62X" in only(found("other-soc", bundle)).reason


@pytest.mark.parametrize(
    "command", [LTP.format("am62xx_sk-fs"), "stream_c", "openssl speed -evp aes-128-cbc", ""]
)
def test_a_command_for_the_boards_own_soc_is_fine(command: str) -> None:
    assert found("other-soc", run(copy(1.0, command=command))) == []


def test_a_soc_that_is_called_as_a_program_puts_no_other_board_in_doubt() -> None:
    command = "openssl speed -P ultra -evp aes-128-cbc"
    own = run(copy(1.0, command=command.replace("-P ultra ", "")))
    named = [
        run(copy(1.0), board=name, board__soc=name) for name in ("openssl", "aes-128-cbc", "ultra")
    ]
    assert found("other-soc", own, *named) == []
    other = only(found("other-soc", run(copy(1.0, command=command)), *named))
    assert "names “ultra”, and the SoC is AM62X" in other.reason


def mhz(value: float) -> dict[str, Any]:
    return figure("dhrystone", "cpu_clock", "MHz", value)


# -- metrics beside each other -----------------------------------------------------


def mem(metric: str, value: float, **more: Any) -> dict[str, Any]:
    return figure("lmbench", metric, "MB/s", value, **more)


def test_an_extreme_that_is_another_metrics_figure_is_found() -> None:
    finding = only(
        found(
            "pooled-metrics",
            run(
                mem("bw_mem-bzero-1mb", 1194.63, min=723.98, max=1665.28),
                mem("bw_mem-bcopy-1mb", 723.98),
            ),
        )
    )
    assert [s.record.metric for s in finding.suspects] == ["bw_mem-bzero-1mb"]
    assert "its minimum 723.98 MB/s is also the figure of Copy by library, 1 MiB" in finding.reason


def test_pooled_metrics_of_a_guide_are_one_finding() -> None:
    results = []
    for size in ("1mb", "2mb", "4mb"):
        low, high = 700 + len(results) + 0.37, 1600 + len(results) + 0.29
        results += [
            mem(f"bw_mem-bzero-{size}", (low + high) / 2, min=low, max=high),
            mem(f"bw_mem-fcp-{size}", high - 300, min=high - 600, max=high),
            mem(f"bw_mem-bcopy-{size}", low),
        ]
    finding = only(found("pooled-metrics", run(*results), run(*results, board="lp")))
    assert len(finding.suspects) == 12


def test_figures_that_agree_in_few_digits_or_of_other_units_or_runs_are_fine() -> None:
    assert not found(
        "pooled-metrics",
        run(mem("bw_mem-a", 150.0, min=125.0, max=175.0), mem("bw_mem-b", 125.0)),
        run(mem("bw_mem-a", 1194.63, min=723.98, max=1665.28)),
        run(mem("bw_mem-b", 723.98), board="lp"),
    )
    other = figure("lmbench", "lat_b", "us", 723.98)
    assert not found("pooled-metrics", run(mem("a", 1194.63, min=723.98, max=1665.28), other))


@pytest.mark.parametrize(
    ("low", "high", "others", "is_pooled"),
    [
        (723.9, 1665.3, (723.9,), False),  # four digits
        (723.98, 1665.28, (723.98,), True),
        (723.98, 904.97, (723.98,), False),  # less than 1.25 apart
        (800.24, 1000.3, (800.24,), True),  # exactly 1.25
        (723.9, 745.3, (723.9, 745.3), True),  # both ends
        (723.9, 740.1, (723.9, 740.1), False),  # both ends, too close to each other
    ],
)
def test_one_agreement_needs_five_digits_and_ends_far_apart(
    low: float, high: float, others: tuple[float, ...], is_pooled: bool
) -> None:
    copies = [mem(f"bw_mem-bcopy{letter}", v) for letter, v in zip("ab", others, strict=False)]
    bundle = run(mem("bw_mem-bzero", (low + high) / 2, min=low, max=high), *copies)
    assert bool(found("pooled-metrics", bundle)) == is_pooled


def test_two_metrics_with_the_same_two_ends_are_not_pooled() -> None:
    ends = {"min": 723.98, "max": 1665.28}
    assert not found("pooled-metrics", run(mem("a", 1200.0, **ends), mem("b", 1300.0, **ends)))


def test_two_sizes_of_one_metric_that_agree_need_four_digits() -> None:
    results = []
    for size, low, high in (("1mb", 723.9, 1665.3), ("2mb", 612.7, 1587.1)):
        results += [mem(f"bw_mem-bzero-{size}", 1200.0, min=low, max=high)]
        results += [mem(f"bw_mem-bcopy-{size}", low)]
    assert len(only(found("pooled-metrics", run(*results))).suspects) == 2


def names(*pairs: tuple[float, float]) -> list[Loaded]:
    """Runs in which a latency stands under its short and its long name."""
    return [
        run(
            figure("lmbench", "lat_unix", "us", short),
            figure("lmbench", "af_unix_sock_stream_latency", "us", long),
            release=f"09.0{n}",
        )
        for n, (short, long) in enumerate(pairs)
    ]


def test_one_measurement_under_two_names_is_told_once() -> None:
    finding = only(found("two-names", *names(*[(x, x) for x in (26.96, 22.33, 22.46, 25.6)])))
    assert finding.severity == "note" and finding.guide.release == "09.03"
    assert "the same figures as “Unix socket, round trip” in all 4 runs" in finding.reason
    assert {s.record.guide.release for s in finding.suspects} == {"09.03"}


def test_two_metrics_that_sometimes_agree_are_two_metrics() -> None:
    assert not found("two-names", *names((26.96, 26.96), (22.33, 22.33), (22.46, 22.47)))
    assert not found("two-names", *names((1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)))
    assert not found("two-names", *names((26.96, 26.96), (22.33, 22.33)))


@pytest.mark.parametrize(
    ("again", "is_found"),
    [((26.96, 22.33, 1.257), True), ((26.97, 22.34, 1.258), False), ((26.96,), False)],
)
def test_an_upload_that_repeats_another_is_found_once(
    again: tuple[float, ...], is_found: bool
) -> None:
    def upload(name: str, day: int, values: Sequence[float]) -> Loaded:
        own = [figure("lmbench", f"lat_{n}", "ns", value) for n, value in enumerate(values)]
        own.append(copy(1000.0 + day))
        return loaded(*own, id=name, created=f"2024-04-{day:02}T09:30:00Z")

    first = upload("first", 2, (26.96, 22.33, 1.257))
    findings = found("repeated-upload", upload("again", 8, again), first)
    assert len(findings) == is_found
    for finding in findings:
        assert (finding.benchmark, finding.figures) == ("lmbench", 1)
        assert finding.suspects[0].detail == (
            "counted once, as upload “again” repeats “first”: 3 of 4 figures that both have are the same"
        )


@pytest.mark.parametrize(("second", "is_found"), [(75.87, True), (91.0, False)])
def test_two_tables_of_one_figure_that_disagree_are_found(second: float, is_found: bool) -> None:
    size = {"buffer_size": 1 << 20, "filesystem": "ext4"}
    rates = [
        figure("emmc", "write_throughput", "MB/s", rate, params={**size, **table})
        for rate, table in ((91.63, {}), (second, {"table": "EMMC EXT4"}), (9.0, {"table": "x"}))
    ]
    findings = found("two-tables", run(*rates))
    assert len(findings) == is_found
    assert not findings or [suspect.detail for suspect in findings[0].suspects] == [
        "91.63 MB/s, where another table of the guide has 75.87 MB/s",
        "75.87 MB/s, where the main table of the guide has 91.63 MB/s",
    ]


def whetstones(*values: float) -> list[Loaded]:
    return [
        run(figure("whetstone", "whetstone", "MIPS", v), board=f"b{n}")
        for n, v in enumerate(values)
    ]


@pytest.mark.parametrize("values", [(5000, 10000, 5000, 5000), (5000, 3333.3, 2500, 3333.3, 5000)])
def test_results_in_steps_are_found(values: Sequence[float]) -> None:
    finding = only(found("coarse-steps", *whetstones(*values)))
    assert len(finding.suspects) == len(values)
    assert found("board-apart", *whetstones(*values)) == []


@pytest.mark.parametrize(
    "values",
    [(5000, 10000), (5000, 5000, 5000, 5000), (5000, 9800, 5000, 5000), (4998, 4999, 4999, 4999)],
)
def test_results_that_are_no_steps_are_fine(values: Sequence[float]) -> None:
    assert found("coarse-steps", *whetstones(*values)) == []


@pytest.mark.parametrize(
    ("times", "is_found"),
    [
        ((27, 28, 28, 30, 31, 34), True),
        ((10, 11, 12, 13, 10, 10), True),
        ((27, 28, 28, 30, 30), False),  # three figures can have a common multiple by chance
        ((27, 28, 29.3, 30, 31, 31), False),
        ((127, 128, 128, 130, 131), False),
    ],
)
def test_small_steps_are_found_where_enough_figures_are_whole_parts_of_one_amount(
    times: Sequence[float], is_found: bool
) -> None:
    runs = whetstones(*(round(2e8 / each, 1) for each in times))
    findings = found("small-steps", *runs)
    assert len(findings) == is_found
    if findings:
        low, high = 100 / (max(times) - 1), 100 / min(times)
        said = re.search(r"are ([\d.]+) to ([\d.]+) % apart", findings[0].reason)
        assert said and [float(n) for n in said.groups()] == pytest.approx([low, high], abs=0.06)
        assert findings[0].figures == len(times) and not found("coarse-steps", *runs)
    assert not found("small-steps", *whetstones(5, 6, 9, 12, 5)), "small numbers divide many"


def test_a_finding_begins_with_figures_of_its_own_guide_and_names_the_release_of_others() -> None:
    figures = [
        *(("evm", "09.01", 5000), ("evm", "09.02", 10_000)),
        *(("evm", "09.03", 5000), ("sk", "10.00", 5000)),
    ]
    runs = [
        run(figure("whetstone", "whetstone", "MIPS", value), board=board, release=release)
        for board, release, value in figures
    ]
    finding = only(found("coarse-steps", *runs))
    named = "sk, Whetstone; evm in 09.01, Whetstone; evm in 09.02, Whetstone; and 1 more "
    assert finding.guide.release == "10.00" and finding.reason.startswith(named)


@pytest.mark.filterwarnings("error")
def test_steps_of_extreme_figures_are_looked_for_without_a_warning() -> None:
    assert steps(np.array([1e-200, 1e-200, 1e200, 1e200])) is None
    assert steps(np.array([1000.0, 1000.0, 12000.0, 12000.0])) == [1000.0, 12000.0]


# -- figures in a row --------------------------------------------------------------


def boards(release: str, **values: float) -> list[Loaded]:
    return [run(copy(value), board=name, release=release) for name, value in values.items()]


def test_one_board_far_from_its_siblings_is_found() -> None:
    finding = only(found("board-apart", *boards("09.01", a=100.0, b=103.0, c=30.0)))
    assert (
        "30 MB/s where the 2 other boards have 100 and 103, 3.33 times lower at least"
        in finding.reason
    )


def test_a_board_that_stays_while_the_others_move_is_not_the_one_apart() -> None:
    before = boards("09.01", a=100.0, b=100.0, c=100.0)
    assert not found("board-apart", *before, *boards("09.02", a=30.0, b=30.0, c=100.0))
    assert found("board-apart", *before, *boards("09.02", a=100.0, b=100.0, c=30.0))


def test_a_first_figure_beside_others_that_moved_is_not_the_one_apart() -> None:
    before = boards("09.01", a=100.0, b=100.0)
    assert not found("board-apart", *before, *boards("09.02", a=30.0, b=30.0, c=100.0))
    assert found("board-apart", *before, *boards("09.02", a=100.0, b=100.0, c=30.0))


def test_boards_that_are_often_apart_in_turn_are_fine() -> None:
    usual = [
        b
        for n, odd in enumerate("abcabc")
        for b in boards(f"09.0{n}", **{name: 30.0 if name == odd else 100.0 for name in "abc"})
    ]
    assert not found("board-apart", *usual)
    once = [b for n in range(5) for b in boards(f"09.0{n}", a=100.0, b=103.0, c=98.0)]
    assert found("board-apart", *once, *boards("09.06", a=100.0, b=103.0, c=30.0))


def test_a_board_that_always_differs_or_boards_that_all_differ_are_fine() -> None:
    usual = [
        b for n in range(3) for b in boards(f"09.0{n}", a=100.0 + n, b=103.0 + n, c=30.0 + n / 10)
    ]
    assert found("board-apart", *usual) == []
    assert found("board-apart", *boards("09.01", a=100.0, b=60.0, c=30.0)) == []
    assert found("board-apart", *boards("09.01", a=100.0, c=30.0)) == []
    assert found("board-apart", *boards("09.01", a=100.0, b=99.0, c=60.0)) == []


def releases(*values: float, metric: str = "copy", **more: Any) -> list[Loaded]:
    return [
        run(figure(more.get("benchmark", "stream"), metric, more.get("unit", "MB/s"), value),
            release=f"09.{n:02}")
        for n, value in enumerate(values)
    ]  # fmt: skip


def test_a_jump_that_the_next_release_takes_back_is_found() -> None:
    finding = only(found("one-release-jump", *releases(100, 101, 50, 100.5, 101)))
    assert finding.guide.release == "09.02"
    assert "2.02 times lower than 101 in 09.01, and 100.5 again in 09.03" in finding.reason


@pytest.mark.parametrize(("value", "leads"), [(13.0, True), (12.0, False), (0.01, False)])
def test_a_figure_that_jumped_by_eight_leads_nothing(value: float, leads: bool) -> None:
    (suspect,) = only(found("one-release-jump", *releases(100, 100, value, 100, 100))).suspects
    assert suspect.disqualified == (not leads)


@pytest.mark.parametrize(
    "values",
    [
        (100, 101, 50, 50, 50),
        (100, 60, 105, 55, 110, 60),
        (100, 80, 100),
        (100, 50),
        (38, 38, 39, 263, 263, 263),
        (2, 1, 2),
    ],
)
def test_a_change_that_stays_or_is_usual_or_small_is_fine(values: Sequence[float]) -> None:
    assert found("one-release-jump", *releases(*values)) == []


@pytest.mark.parametrize(
    ("values", "fallen"),
    [
        ((180, 187, 1.8, 0.7, 0.4), ["09.02", "09.03", "09.04"]),
        ((180, 187, 1.9, 100), []),
        ((18700, 187, 180, 175, 190), []),
        ((0.5, 187, 180), []),
    ],
)
def test_a_hundredth_of_an_earlier_rate_leads_nothing(
    values: Sequence[float], fallen: Sequence[str]
) -> None:
    hits = found("rate-collapsed", *releases(*values))
    assert sorted(finding.guide.release for finding in hits) == fallen
    assert all(suspect.disqualified for finding in hits for suspect in finding.suspects)
    for finding in hits:
        release = int(finding.guide.release[-2:])
        since = ", as little as that since 09.02" if release > 2 else ""
        assert finding.reason.endswith(f": {values[release]:g} MB/s, where 09.01 had 187{since}")


@pytest.mark.parametrize(("engine", "is_found"), [("sw", True), ("hw", False)])
def test_a_rate_of_the_cpu_is_compared_with_all_engines_if_few_socs_have_its_own(
    engine: str, is_found: bool
) -> None:
    own = [0.593, *[200.0] * 5]
    bundles = [
        run(
            figure("ipsec", "throughput", "Mbit/s", rate, params={"algorithm": "aes128", **more}),
            board=f"evm-{number}",
            board__soc=f"AM{number}",
        )
        for number, rate in enumerate(own)
        for more in [{} if number else {"engine": engine}]
    ]
    hits = found("rate-collapsed", *bundles)
    assert len(hits) == is_found
    for finding in hits:
        said = "0.593 Mbit/s, where half of 5 other SoCs had 200 or more with any engine"
        assert said in finding.reason and all(each.disqualified for each in finding.suspects)


@pytest.mark.parametrize(
    ("latencies", "of_caches"),
    [((5.26, 11.97), True), ((7.37, 46.99), False), ((5.0, 20.0), False), ((5.0, 19.9), True)],
)
def test_a_size_that_caches_hold_is_no_latency_of_memory(
    latencies: Sequence[float], of_caches: bool
) -> None:
    sizes = ("62k", "1000k")
    own = [
        figure("lmbench", f"lat_mem_rd-stride128-sz{size}", "ns", value)
        for size, value in zip(sizes, latencies, strict=True)
    ]
    hits = found("in-caches", run(*own))
    assert len(hits) == of_caches
    for finding in hits:
        (suspect,) = finding.suspects
        assert suspect.record.metric.endswith(sizes[1]) and suspect.disqualified


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ((0.5, 0.32, 2.0), "0.32 ns, where Integer, add takes 0.5 ns"),
        ((0.5, 0.7, 2.0), "0.7 ns, where Double precision, mul takes 2 ns"),
        *(((first, 0.32 + first, 0.0), "") for first in (0.5, 0.0)),
        ((0.5, 0.8, 2.0), ""),
    ],
)
def test_a_dependent_operation_shorter_than_a_clock_cycle_or_far_shorter_than_another_is_impossible(
    times: Sequence[float], said: str
) -> None:
    names = ("lat_ops-int-add", "lat_ops-double-add", "lat_ops-double-mul")
    own = [figure("lmbench", name, "ns", time) for name, time in zip(names, times, strict=True)]
    hits = found("under-limit", run(*own))
    assert [each.record.metric for hit in hits for each in hit.suspects] == [names[1]] * bool(said)
    for hit in hits:
        assert hit.reason.endswith(f": {said}")
        assert hit.rule.disqualifies and hit.severity == "error"


@pytest.mark.parametrize(("tcp", "is_found"), [(0.76, True), (10.9, False), (0.0, False)])
def test_a_tcp_round_trip_far_shorter_than_that_of_a_pipe_is_impossible(
    tcp: float, is_found: bool
) -> None:
    times = {"lat_tcp": tcp, "lat_pipe": 21.7}
    own = [figure("lmbench", name, "us", time) for name, time in times.items()]
    details = [s.detail for hit in found("under-limit", run(*own)) for s in hit.suspects]
    assert (
        details
        == [f"{tcp:g} us, where Pipe, round trip takes 21.7 us".replace("us", "µs")] * is_found
    )


@pytest.mark.parametrize(
    ("rate", "size", "is_found"),
    [(11.2, 4096, True), (60.0, 4096, False), (11.2, 1024, False), (50.0, 8192, True)],
)
def test_a_raw_read_far_slower_than_through_a_file_system_is_found(
    rate: float, size: int, is_found: bool
) -> None:
    def read(rate: float, size: int, filesystem: str) -> dict[str, Any]:
        params = {"buffer_size": size, "filesystem": filesystem}
        return figure("mmcsd", "read_throughput", "MB/s", rate, params=params)

    findings = found("raw-read-slow", run(read(84.5, 4096, "ext4"), read(rate, size, "raw")))
    details = [suspect.detail for finding in findings for suspect in finding.suspects]
    assert details == [f"{rate:g} MB/s, where EXT4 reads 84.5 MB/s"] * is_found


def test_the_limit_of_a_metric_is_that_of_its_figures_without_a_unit_too() -> None:
    rates = {"720p": 59_940.0, "720x480": 24.17}
    videos = (
        figure("multimedia-decode", "Fps", "1", rate, params={"row": row})
        for row, rate in rates.items()
    )
    (suspect,) = only(found("over-limit", run(*videos))).suspects
    assert suspect.record.cell.mean == 59_940 and suspect.disqualified
    assert found("load-over-limit", run(figure("ethernet-udp", "cpu_load", "1", 102.9)))


def test_only_tables_of_high_speed_usb_have_its_limit() -> None:
    tables = [
        {"table": f"USBDEVICE {speed} READ", "row": "150"} for speed in ("HIGHSPEED", "SUPER")
    ]
    own = [figure("usb-device", "Throughput", "MB/s", 63.85, params=each) for each in tables]
    (suspect,) = only(found("over-limit", run(*own))).suspects
    assert suspect.record.params == tables[0]


def test_of_two_jumps_in_turn_the_one_that_later_releases_take_back_is_found() -> None:
    finding = only(found("one-release-jump", *releases(38, 38, 38, 38, 263, 38, 200, 210)))
    assert finding.guide.release == "09.05", "09.04 had the level of later releases already"


def test_what_need_not_be_steady_is_not_followed() -> None:
    noisy = releases(
        100, 101, 50, 100, 101, metric="latency_max", benchmark="cyclictest", unit="us"
    )
    assert found("one-release-jump", *noisy) == []


def udp(**by_size: float) -> Loaded:
    params = {"driver": "cpsw", "direction": "ingress"}
    return run(
        *(
            figure("ethernet-udp", "throughput", "Mbit/s", value,
                   params={**params, "frame_size": int(size[1:])})
            for size, value in by_size.items()
        )
    )  # fmt: skip


def test_a_curve_that_dips_is_found() -> None:
    finding = only(found("curve-dips", udp(f64=12.0, f256=29.9, f1024=12.52, f1518=932.85)))
    assert [s.record.params["frame_size"] for s in finding.suspects] == [1024]
    assert "12.52 Mbit/s at frame size 1024 bytes, after 29.9 at 256" in finding.reason


def ciphers(*falls: float, size: int = 256) -> Loaded:
    """The rates of ciphers, each with its fall at one block size."""
    return run(
        *(
            figure("openssl", "throughput", "kB/s", value,
                   params={"algorithm": f"aes-{n}", "block_size": block})
            for n, fall in enumerate(falls)
            for block, value in ((16, 500.0 + n), (64, 1000.0 + n), (size, 1000.0 * fall), (1024, 3000.0))
        )
    )  # fmt: skip


def test_curves_that_fall_alike_where_the_driver_takes_another_path_are_fine() -> None:
    assert not found("curve-dips", ciphers(0.63, 0.66, 0.7))
    # Two curves, or three that fall by different shares, are no property of a driver.
    assert len(only(found("curve-dips", ciphers(0.63, 0.66))).suspects) == 2
    assert len(only(found("curve-dips", ciphers(0.3, 0.66, 0.7))).suspects) == 3


@pytest.mark.filterwarnings("error")
def test_a_curve_that_dips_beyond_all_numbers_is_found() -> None:
    finding = only(found("curve-dips", udp(f64=1e200, f256=1e-200)))
    assert [s.record.params["frame_size"] for s in finding.suspects] == [256]


def test_a_curve_that_rises_or_flattens_is_fine() -> None:
    assert found("curve-dips", udp(f64=12.0, f256=29.9, f1024=940.0, f1518=932.0)) == []
    sizes = [
        figure("openssl", "throughput", "kB/s", value,
               params={"algorithm": "a", "engine": engine, "block_size": size})
        for engine, values in (("hw", (5, 50)), ("sw", (90, 91)))
        for size, value in zip((16, 8192), values, strict=True)
    ]  # fmt: skip
    assert found("curve-dips", run(*sizes)) == []


# -- what is not there -------------------------------------------------------------


def nbench(*metrics: str) -> list[dict[str, Any]]:
    return [figure("nbench", m, "iterations/s", 5.0 + n) for n, m in enumerate(metrics)]


def test_a_benchmark_that_a_release_lost_is_found() -> None:
    one = run(copy(1.0), *nbench("idea", "huffman"))
    finding = only(found("lost-table", one, run(copy(1.0), release="09.02")))
    assert (finding.guide.release, finding.benchmark, len(finding.suspects)) == (
        "09.02",
        "nbench",
        2,
    )
    assert {s.record.guide.release for s in finding.suspects} == {"09.01"}
    assert "in 09.01, and none of this benchmark in 09.02" in finding.reason


def test_rows_that_a_release_lost_are_found() -> None:
    runs = run(*nbench("idea", "huffman")), run(*nbench("idea"), release="09.02")
    finding = only(found("lost-rows", *runs))
    assert [s.record.metric for s in finding.suspects] == ["huffman"]
    assert found("lost-table", *runs) == []


def test_a_failed_or_new_row_a_board_that_went_and_an_older_release_lost_nothing() -> None:
    failed = figure("nbench", "idea", "iterations/s", None, status="fail")
    for later in (
        [run(failed, *nbench("huffman"), release="9.2")],
        [run(copy(1.0), board="lp", release="9.2")],
    ):
        bundles = [run(*nbench("huffman"), *nbench("idea")), *later]
        assert not found("lost-rows", *bundles) and not found("lost-table", *bundles)


def test_a_bin_of_a_histogram_and_a_setting_are_missed_by_nobody() -> None:
    def bins(*latencies: int) -> list[dict[str, Any]]:
        return [
            figure("cyclictest", "histogram", "1", 9.0, params={"core": 0, "latency": latency})
            for latency in latencies
        ]

    assert found("lost-rows", run(*bins(5, 6, 7)), run(*bins(5, 6), release="09.02")) == []


def test_rows_under_another_value_of_a_parameter_are_not_lost() -> None:
    def rows(**more: Any) -> list[dict[str, Any]]:
        return [
            figure("disk", "rate", "MB/s", 1.0 + size, params={"size": size, **more})
            for size in (1, 2)
        ]

    first = run(*rows(table=7))
    assert found("lost-rows", first, run(*rows(table=8), release="09.02")) == []
    assert found("lost-rows", first, run(*rows(), release="09.02")) == []
    assert found("lost-rows", run(*rows()), run(*rows(table=8), release="09.02")) == []
    # What the release after that has makes no difference.
    gone = run(copy(1.0), release="09.03")
    assert found("lost-rows", first, run(*rows(table=8), release="09.02"), gone) == []
    assert found("lost-rows", first, run(*rows(table=8)[:1], release="09.02"))


def test_rows_in_another_unit_are_not_lost() -> None:
    first = run(figure("disk", "rate", "1", 7.8), figure("disk", "delay", "1", 7.8))
    now = figure("disk", "rate", "MB/s", 7.9)
    assert not found(
        "lost-rows", first, run(now, figure("disk", "delay", "ms", 8), release="09.02")
    )
    (suspect,) = only(found("lost-rows", first, run(now, release="09.02"))).suspects
    assert suspect.record.metric == "delay"


def ipsec(board: str, *algorithms: str) -> Loaded:
    return run(
        *(
            figure("ipsec", metric, unit, 100.0, params={"algorithm": a})
            for a in algorithms
            for metric, unit in (("throughput", "Mbit/s"), ("cpu_load", "%"))
        ),
        board=board,
    )


# -- all together ------------------------------------------------------------------


def published() -> list[Loaded]:
    """The bundles of published figures that the project carries."""
    out = []
    for path in sorted(RESULTS.rglob("*.json")):
        plain = json.loads(path.read_bytes())
        if plain["board"]["soc"] != "X86-64":
            out.append(loaded(**plain))
    return out


@pytest.fixture(scope="module")
def known() -> list[Finding]:
    return rules.examine(pooled(published(), CATALOG), CATALOG)[0]


@pytest.mark.parametrize(
    ("rule", "benchmark", "metric", "words"),
    [
        ("samples-contradict", "dm-crypt", "buffered_read", "14.52 MB/s was published"),
        ("pooled-metrics", "lmbench", "bw_mem-bzero-1mb", "minimum 723.98 MB/s is also the figure of Copy by library, 1 MiB"),
        ("not-positive", "lmbench", "latency_for_1.00_mb_block_size", "a sample of 0 ns"),
        ("not-positive", "lmbench", "lat_ctx-4-256k", "the figure is 0 µs"),
        ("two-names", "lmbench", "af_unix_sock_stream_latency", "the same figures as “Unix socket, round trip”"),
        ("curve-dips", "ethernet-udp", "throughput", "12.52 Mbit/s at frame size 1024 bytes, after 29.9 at 256"),
        ("coarse-steps", "whetstone", "whetstone", "5,000 or 10,000 MIPS"),
        ("lost-rows", "ipsec", "throughput", "in 09.00.00.03, and not in 09.01.00.08"),
    ],
)  # fmt: skip
def test_the_known_faults_of_published_figures_are_found(
    known: list[Finding], rule: str, benchmark: str, metric: str, words: str
) -> None:
    details = [
        s.detail
        for f in known
        if (f.rule.id, f.benchmark) == (rule, benchmark)
        for s in f.suspects
        if s.record.metric == metric
    ]
    assert any(words in detail for detail in details)


def test_findings_are_few_and_the_worst_come_first(known: list[Finding]) -> None:
    ranks = [("error", "warning", "note").index(f.severity) for f in known]
    assert ranks == sorted(ranks) and len(known) < 20
    assert len({f.id for f in known}) == len(known)


def test_the_order_of_bundles_changes_no_finding(known: list[Finding]) -> None:
    again = rules.examine(pooled(reversed(published()), CATALOG), CATALOG)[0]
    assert [(f.id, f.reason) for f in again] == [(f.id, f.reason) for f in known]


def test_no_bundle_or_failures_alone_give_no_finding() -> None:
    assert rules.examine(pooled([], CATALOG), CATALOG)[0] == []
    assert rules.examine(pooled([run(copy(None, status="fail"))], CATALOG), CATALOG)[0] == []


# -- what follows from a doubt ----------------------------------------------------


def dhrystone(clock: float, rate: float, per_clock: float) -> list[dict[str, Any]]:
    return [
        figure("dhrystone", "cpu_clock", "MHz", clock),
        figure("dhrystone", "dhrystone_per_second", "Dhrystones/s", rate),
        figure("dhrystone", "dhrystone_per_mhz", "DMIPS/MHz", per_clock),
    ]


def test_a_figure_per_clock_with_a_clock_that_was_not_that_of_the_run_is_found() -> None:
    usual = [run(*dhrystone(1000, 5_263_158, 3.0), release=f"08.{n:02}") for n in range(3)]
    slow = run(*dhrystone(400, 5_128_205, 7.3), release="08.04")
    finding = only(found("wrong-clock", *usual, slow))
    assert finding.severity == "error" and finding.rule.disqualifies
    assert "7.3 DMIPS/MHz is for 400 MHz" in finding.reason
    assert "400 MHz, where other releases have 1,000 MHz" in finding.reason, "said here alone"
    assert not found("one-release-jump", *usual, slow, usual[0])
    # A processor that does run at less does less work in a second.
    throttled = run(*dhrystone(400, 2_105_263, 3.0), release="08.04")
    assert not found("wrong-clock", *usual, throttled)
    # A board that was measured twice has too few releases; the other boards of its SoC show the clock.
    own = [
        run(*dhrystone(*each), board="other", release=f"08.0{n}")
        for n, each in enumerate(((984.41, 5_193_600, 2.9638), (407.89, 5_026_000, 7.3263)))
    ]
    finding = only(found("wrong-clock", *usual, *own))
    assert [each.record.board for each in finding.suspects] == ["other", "other"]
    assert "407.9 MHz, where other boards and releases have 1,000 MHz" in finding.reason
    assert not found("wrong-clock", *own)


def test_a_clock_that_was_typed_without_its_zeros_is_more_than_is_possible() -> None:
    finding = only(found("over-limit", run(*dhrystone(10, 6_060_000, 344.9))))
    assert "344.9 DMIPS/MHz, and 20 DMIPS/MHz is all there is" in finding.reason

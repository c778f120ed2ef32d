"""Faults in the release that is about to be published, before anything comes after it."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from making import only, pooled
from test_rules import CATALOG, copy, figure, found, mem, run

from perfguide.bundles.decode import Loaded
from perfguide.catalog import waivers
from perfguide.health import acknowledged, report, rules
from perfguide.health.marks import Marks
from perfguide.tables.assign import Layout


def releases(*values: float, **more: Any) -> list[Loaded]:
    return [run(copy(value), release=f"09.{n:02}", **more) for n, value in enumerate(values)]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (20240.0, "about 10 times as much"),
        (2_010_000.0, "about 1000 times as much"),
        (1.97, "about a 1024th of it"),
        (2_070_000.0, "about 1024 times as much"),
    ],
)
def test_a_newest_figure_in_another_unit_is_found(value: float, said: str) -> None:
    finding = only(found("unit-slip", *releases(2010.0, 2024.0, 2019.0, value)))
    assert finding.severity == "warning", "one figure alone can be a real change"
    leads = abs(math.log(value / 2019)) < math.log(50)
    assert finding.suspects[0].disqualified == (not leads)
    assert said in finding.reason and "3 releases before had 2,010 to 2,024" in finding.reason


def test_one_release_before_is_enough_for_a_factor_of_units() -> None:
    assert found("unit-slip", *releases(2010.0, 20240.0))


@pytest.mark.parametrize("values", [(2010.0, 2024.0, 2019.0), (200.0, 2000.0, 20.0, 2000.0)])
def test_a_figure_like_those_before_or_of_a_row_that_jumps_is_fine(values: Sequence[float]) -> None:
    assert not found("unit-slip", *releases(*values))
    assert not found("newest-far", *releases(*values))


def test_a_figure_far_from_all_before_is_a_note() -> None:
    finding = only(found("newest-far", *releases(2010.0, 2024.0, 2019.0, 5000.0)))
    assert finding.severity == "note"
    assert "5,000 MB/s, where 3 releases before had 2,010 to 2,024" in finding.reason


@pytest.mark.parametrize(
    ("level", "explains"),
    [
        ('since = "09.03"', True),
        ('since = "09.02"\nmetric = "co*"', True),
        ('since = "09.04"', False),
        ('since = "09.03"\nmetric = "triad"', False),
        ('since = "09.03"\nparams = {cores = 2}', False),
    ],
)
def test_a_new_level_that_somebody_wrote_down_accepts_a_far_figure(
    tmp_path: Path, level: str, explains: bool
) -> None:
    far = found("newest-far", *releases(2010.0, 2024.0, 2019.0, 5000.0))
    path = tmp_path / "waivers.toml"
    path.write_text(f'[[levels]]\nbenchmark = "*"\nreason = "new memory"\n{level}\n', "utf-8")
    annotations, faults = waivers.load_annotations(path)
    (settled,) = acknowledged.apply(far, [], annotations.levels)[0]
    reason = f"new level since {annotations.levels[0].spec.since}: new memory"
    assert not faults and settled.acknowledged == (reason if explains else "")
    assert settled.id.startswith(far[0].id) and settled.suspects == far[0].suspects


def test_figures_of_a_benchmark_that_moved_together_are_a_change_and_no_fault() -> None:
    bundles = [
        run(mem("lat_a", value), mem("lat_b", value * 2), release=f"09.{n:02}")
        for n, value in enumerate((10.0, 10.1, 10.2, 25.0))
    ]
    assert not found("newest-far", *bundles)


@pytest.mark.parametrize(("neighbour", "is_lone"), [(12.5, True), (14.0, True), (17.0, False)])
def test_a_figure_whose_neighbour_moved_half_as_far_is_a_change(
    neighbour: float, is_lone: bool
) -> None:
    def rows(release: str, first: float, second: float) -> Loaded:
        return run(mem("lat_a", first), mem("lat_b", second), release=release)

    usual = [rows(f"09.{n:02}", 10.0 + n / 50, 10.0 + n / 50) for n in range(3)]
    finding = found("newest-far", *usual, rows("09.03", 25.0, neighbour))
    assert bool(finding) == is_lone


def test_a_long_past_that_changed_slowly_hides_no_factor_of_units() -> None:
    slow = [8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 14.4, 14.5, 14.6, 14.4]
    assert "about a 1024th of it" in only(found("unit-slip", *releases(*slow, 14.5 / 1024))).reason


def test_an_older_release_is_not_judged_as_if_it_were_the_newest() -> None:
    assert not found("newest-far", *releases(2010.0, 2024.0, 2019.0, 5000.0, 5010.0))


def test_a_rate_above_what_its_bus_can_do_is_an_error() -> None:
    emmc = figure("emmc", "read_throughput", "MB/s", 311_500.0)
    finding = only(found("over-limit", run(emmc)))
    assert finding.severity == "error"
    assert "it is 311,500 MB/s, and 400 MB/s is all there is" in finding.reason


def test_a_first_figure_unlike_that_of_all_boards_is_a_note() -> None:
    boards = [run(copy(value), board=name) for name, value in (("a", 1000.0), ("b", 1100.0))]
    finding = only(found("unlike-boards", *boards, run(copy(9000.0), board="c")))
    assert "9,000 MB/s, where 2 other boards have 1,000 and 1,100" in finding.reason
    assert not found("unlike-boards", *boards, run(copy(3000.0), board="c"))


@pytest.mark.parametrize(("value", "is_unlike"), [(49_000.0, False), (51_000.0, True)])
def test_one_other_board_is_enough_where_no_two_boards_differ_so_much(
    value: float, is_unlike: bool
) -> None:
    usual = releases(990.0, 1010.0, 1000.0, board="a")
    findings = found("unlike-boards", *usual, run(copy(value), board="b", release="09.02"))
    assert bool(findings) == is_unlike
    if findings:
        assert f"b, Copy: {value:,g} MB/s, where the other board has 1,000" == findings[0].reason
    elsewhere = run(copy(20_000.0), board="z", board__soc="AM62P")
    again = found("unlike-boards", *usual, run(copy(value), board="b", release="09.02"), elsewhere)
    assert not again, "a board of another SoC is like it"


@pytest.mark.parametrize(("load", "is_unlike"), [(40.0, True), (98.0, False), (None, True)])
def test_a_rate_on_the_processor_is_not_compared_with_those_of_accelerators(
    load: float | None, is_unlike: bool
) -> None:
    """By the load, as the engine is not recorded."""
    cipher = {"algorithm": "aes-128-cbc"}

    def ciphers(rate: float, load: float | None, board: str) -> Loaded:
        size = {**cipher, "block_size": 1024}
        own = [figure("openssl", "throughput", "kB/s", rate, params=size)]
        own += [figure("openssl", "cpu_load", "%", load, params=cipher)] if load else []
        return run(*own, board=board)

    others = [ciphers(rate, load and 40.0, name) for name, rate in (("a", 2000.0), ("b", 2100.0))]
    findings = found("unlike-boards", *others, ciphers(256_000.0, load, "c"))
    assert [only(f.suspects).record.board for f in findings] == ["c"] * is_unlike


def noisy(seed: int, count: int = 12) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    return [mem(f"lat_{n}", round(20 + n + chance.gauss(0, 0.3), 3)) for n in range(count)]


def test_a_release_that_repeats_the_one_before_is_found() -> None:
    older = [run(*noisy(n), release=f"09.{n:02}") for n in range(4)]
    again = run(*noisy(3)[:8], *noisy(9)[8:], release="09.04")
    finding = only(found("stale-copy", *older, again))
    assert "8 of 12 figures repeat those of the release before" in finding.reason
    assert finding.severity == "warning"
    every = run(*noisy(3), release="09.04")
    assert found("table-copied", *older, every) and not found("stale-copy", *older, every)
    assert not found("stale-copy", *older, run(*noisy(9), release="09.04"))


@pytest.mark.parametrize(("count", "is_copy"), [(3, False), (4, True)])
def test_four_repeated_figures_are_enough(count: int, is_copy: bool) -> None:
    older = [run(*noisy(n, 4), release=f"09.{n:02}") for n in range(4)]
    short = run(*noisy(3, 4)[:count], release="09.04")
    assert (
        bool(found("stale-copy", *older, short) or found("table-copied", *older, short)) == is_copy
    )


def test_a_benchmark_that_repeats_itself_always_is_no_copy() -> None:
    assert not found("stale-copy", *(run(*noisy(1), release=f"09.{n:02}") for n in range(5)))


def test_two_boards_whose_figures_are_exchanged_are_found() -> None:
    def board(name: str, factor: float, release: str, seed: int) -> Loaded:
        chance = random.Random(seed)
        figures = [mem(f"lat_{n}", round((20 + n) * factor + chance.gauss(0, 0.1), 3)) for n in range(10)]  # fmt: skip
        return run(*figures, board=name, release=release)

    older = [board(b, f, f"09.0{n}", n) for n in range(3) for b, f in (("one", 1.0), ("two", 1.3))]
    swapped = [board("one", 1.3, "09.03", 7), board("two", 1.0, "09.03", 8)]
    finding = only(found("swapped-boards", *older, *swapped))
    assert "10 rows fit what two had before" in finding.reason
    right = [board("one", 1.0, "09.03", 7), board("two", 1.3, "09.03", 8)]
    assert not found("swapped-boards", *older, *right)


def test_one_sample_unlike_the_others_is_found() -> None:
    bad = figure("stream", "copy", "MB/s", None, samples=[2010.0, 2015.0, 2012.0, 2011.0, 1000.0])
    finding = only(found("lone-sample", run(bad)))
    assert "a sample of 1,000 MB/s, where the other 4 are 2,010 to 2,015" in finding.reason
    good = figure("stream", "copy", "MB/s", None, samples=[2010.0, 2115.0, 1912.0, 2011.0, 1800.0])
    assert not found("lone-sample", run(good))
    # The others differ by a tenth, so that one 1.4 times off is not far from them.
    wide = figure("stream", "copy", "MB/s", None, samples=[2000.0, 2100.0, 2200.0, 2050.0, 1430.0])
    assert not found("lone-sample", run(wide))


def test_a_published_extreme_far_from_a_mean_at_the_other_end_is_found() -> None:
    def boot(mean: float, low: float, high: float) -> Loaded:
        return run(figure("boot-time", "boot_time", "s", mean, min=low, max=high))

    finding = only(found("lone-sample", boot(18.2, 17.3, 36.3)))
    assert "a sample of 36.3 s, where the mean is 18.2 and the other end 17.3" in finding.reason
    assert only(found("lone-sample", boot(17.9, 9.1, 18.5))).reason.count("a sample of 9.1 s") == 1
    # Several slow runs, or one that is not far off, are scatter.
    assert not found("lone-sample", boot(20.1, 17.3, 36.3))
    assert not found("lone-sample", boot(17.8, 17.3, 25.0))


def test_a_rate_that_its_setting_cannot_give_is_found() -> None:
    def audio(rate: float, hz: int, unit: str = "bit/s") -> Loaded:
        return run(figure("alsa", "throughput", unit, rate, params={"sampling_rate": hz}))

    finding = only(found("off-setting", audio(705_594.0, 24_000)))
    assert "705,594 bit/s, where its setting gives 768,000 bit/s" in finding.reason
    assert only(found("off-setting", audio(705.594, 24_000, "kbit/s"))).suspects[0].disqualified
    # Four bytes a sample, and six of another format.
    for rate in (768_000.0, 767_000.0, 1_152_000.0, 740_000.0):
        assert not found("off-setting", audio(rate, 24_000))


def test_a_rail_in_standby_that_draws_nothing_is_fine() -> None:
    assert not found("not-positive", run(figure("power", "vdd_core", "mW", 0.0)))
    assert found("not-positive", run(figure("power", "vdd_core", "mW", -1.0)))


def test_rails_that_share_the_steps_of_a_meter_are_no_mixed_metrics() -> None:
    rails = [
        figure("power", f"rail_{n}", "mW", 120.25 + n, min=101.75, max=160.25) for n in range(6)
    ]
    assert not found("pooled-metrics", run(*rails, figure("power", "vdd", "mW", 101.75)))


def test_a_dip_that_every_release_has_is_told_once() -> None:
    def sweep(release: str) -> Loaded:
        return run(*udp_results(), release=release)

    def udp_results() -> list[dict[str, Any]]:
        params = {"driver": "cpsw", "direction": "ingress"}
        return [
            figure("ethernet-udp", "throughput", "Mbit/s", value, params={**params, "frame_size": size})
            for size, value in ((64, 100.0), (256, 60.0), (1024, 120.0))
        ]  # fmt: skip

    finding = only(found("curve-dips", *(sweep(f"09.0{n}") for n in range(1, 5))))
    assert finding.guide.release == "09.01" and len(finding.suspects) == 1


def test_lost_rows_are_one_line() -> None:
    bundles = [
        run(*(mem(f"lat_{n}", 10.0 + n) for n in range(6)), release="09.01"),
        run(mem("lat_0", 10.0), release="09.02"),
    ]
    findings = rules.examine(pooled(bundles, CATALOG), CATALOG)[0]
    checked = report.Health(tuple(findings), ())
    assert not any(f.rule.id.startswith("lost-") for f in checked.open)
    assert report.lost_line(checked) == [
        "1 release lacks 5 figures that the release before had; the comparisons list them"
    ]
    assert "1 release lacks 5 figures" in report.as_text(checked)


def test_a_finding_about_most_of_a_table_is_told_below_it_and_marks_no_cell() -> None:
    def notes(wrong: int) -> tuple[list[dict[str, str]], int]:
        bundles = [
            run(*(mem(f"lat_{n}", -1.0 if n < wrong else 10.0 + n) for n in range(12)))
        ]  # fmt: skip
        pool = pooled(bundles, CATALOG)
        marks = Marks(f for f in rules.examine(pool, CATALOG)[0] if f.rule.id == "not-positive")
        (view,) = Layout(CATALOG).general("lmbench", pool.of_guide(pool.guides()[0]))
        told, cells = marks.of(view)
        return told, len(cells)

    told, cells = notes(12)
    assert cells == 0 and told[0].reason.startswith("12 of 12 figures of this table, so none is")
    assert told[0].most == "12 of 12 figures of this table"
    # Readers must know which figures are right.
    told, cells = notes(9)
    assert cells == 9 and not told[0].most


def test_a_factor_of_a_thousand_is_a_slip_whatever_else_moved() -> None:
    def rows(release: str, first: float, second: float) -> Loaded:
        return run(mem("lat_a", first), mem("lat_b", second), release=release)

    usual = [rows(f"09.{n:02}", 100.0 + n, 200.0 + n) for n in range(3)]
    assert only(found("unit-slip", *usual, rows("09.03", 101_000.0, 700.0)))
    # A figure ten times as high beside one that rose by another factor is a change.
    assert not found("unit-slip", *usual, rows("09.03", 1010.0, 700.0))

"""Faults of tables in the release that is about to be published."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from making import only, pooled
from test_rules import CATALOG, figure, found, mem, run

from perfguide.bundles.decode import Loaded
from perfguide.figures.exchanges import Moved, exchanges
from perfguide.health import rules
from perfguide.health.marks import Marks

RELEASES = ("09.00", "09.01", "09.02")


def storage(seed: int, factor: float = 1.0) -> list[dict[str, Any]]:
    """Figures of one release: reading is three times as fast as writing, and grows with the size."""
    chance = random.Random(seed)
    return [
        figure(
            "emmc",
            f"{way}_throughput",
            "MB/s",
            round(rate * 1.5**size * chance.uniform(0.98, 1.02) * factor, 3),
            params={"buffer_size": 2**size * 1024, "filesystem": "ext4"},
        )
        for size in range(5)
        for way, rate in (("read", 60.0), ("write", 20.0))
    ]


def of_three_releases(newest: list[dict[str, Any]]) -> list[Loaded]:
    older = [run(*storage(seed), release=r) for seed, r in enumerate(RELEASES[:2])]
    return [*older, run(*newest, release=RELEASES[2])]


@pytest.mark.parametrize("factor", [8.0, 1024.0, 1 / 1000, 0.125])
def test_a_table_in_another_unit_is_an_error(factor: float) -> None:
    finding = only(found("table-scaled", *of_three_releases(storage(7, factor))))
    assert finding.severity == "error" and len(finding.suspects) == 10
    assert all(suspect.disqualified for suspect in finding.suspects)
    assert not found("unit-slip", *of_three_releases(storage(7, factor))), "said once"


@pytest.mark.parametrize("factor", [1.0, 2.0, 5.0, 9.0])
def test_a_table_that_is_faster_is_no_fault(factor: float) -> None:
    assert not found("table-scaled", *of_three_releases(storage(7, factor)))
    assert not found("rows-exchanged", *of_three_releases(storage(7, factor)))


def test_rows_that_are_faster_by_different_factors_are_no_fault_of_units() -> None:
    newest = storage(7)
    for number, each in enumerate(newest):
        each["value"] *= 5 + number
    assert not found("table-scaled", *of_three_releases(newest))


def test_a_first_table_in_another_unit_than_that_of_another_board_is_an_error() -> None:
    usual = [run(*storage(seed), board="sk", release=r) for seed, r in enumerate(RELEASES)]
    new = run(*storage(7, 1.2 / 1000), board="lp", release=RELEASES[-1])
    finding = only(found("table-scaled", *usual, new))
    assert (
        "10 of 10 figures are about a 1000th of those of the SoC's other boards" in finding.reason
    )
    assert {suspect.record.board for suspect in finding.suspects} == {"lp"}
    # A board that is nine times as fast need not be wrong.
    assert not found(
        "table-scaled", *usual, run(*storage(7, 9.0), board="lp", release=RELEASES[-1])
    )


def test_a_table_a_thousand_times_as_large_may_have_changed_too() -> None:
    newest = storage(7, 1000.0)
    for each, factor in zip(
        newest, (0.2, 0.3, 1.1, 1.2, 1.0, 0.9, 5.0, 1.1, 1.2, 1.0), strict=True
    ):
        each["value"] *= factor
    assert "7 of 10 figures" in only(found("table-scaled", *of_three_releases(newest))).reason
    # Off by eight, so much else would have to be a change.
    eight = [each | {"value": each["value"] / 125} for each in newest]
    assert not found("table-scaled", *of_three_releases(eight))


def test_small_whole_numbers_in_another_unit_are_found_in_spite_of_their_rounding() -> None:
    def latencies(*values: int) -> list[dict[str, Any]]:
        return [mem(f"lat_{n}", value) for n, value in enumerate(values)]

    older = [run(*latencies(6, 6, 9, 9), release=r) for r in RELEASES[:2]]
    scaled = run(*latencies(*(8 * value for value in (5, 5, 7, 8))), release=RELEASES[2])
    assert "4 of 4 figures are about 8 times" in only(found("table-scaled", *older, scaled)).reason


def test_most_rows_in_another_unit_are_not_nearly_all() -> None:
    newest = [
        each | {"value": each["value"] * (8 if n < 6 else 1)} for n, each in enumerate(storage(7))
    ]
    assert not found("table-scaled", *of_three_releases(newest))


def exchange(newest: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for each in newest:
        way = {"read": "write", "write": "read"}[each["metric"].partition("_")[0]]
        each["metric"] = f"{way}_throughput"
    return newest


def shift(newest: list[dict[str, Any]]) -> list[dict[str, Any]]:
    values = [each["value"] for each in newest]
    for number, each in enumerate(newest):
        each["value"] = values[(number + 2) % len(values)]
    return newest


@pytest.mark.parametrize(
    ("fault", "words", "count"),
    [
        (exchange, "read_throughput and write_throughput", 10),
        (shift, "buffer_size, by one step up", 4),
    ],
)
def test_figures_in_each_others_place_are_an_error(
    fault: Callable[[list[dict[str, Any]]], list[dict[str, Any]]], words: str, count: int
) -> None:
    finding = only(found("rows-exchanged", *of_three_releases(fault(storage(7)))))
    assert words in finding.reason and len(finding.suspects) >= count
    # Samples that are far apart have a mean that may be near any row.
    far_apart = [each | {"min": 0.0, "max": 3 * each["value"]} for each in fault(storage(7))]
    assert not found("rows-exchanged", *of_three_releases(far_apart))


def test_rows_without_parameters_that_moved_by_one_are_found() -> None:
    def listed(values: list[float]) -> list[dict[str, Any]]:
        return [mem(f"lat_{n}", value) for n, value in enumerate(values)]

    usual = [10.0, 20.0, 40.0, 15.0, 90.0, 33.0, 61.0]
    older = [run(*listed(usual), release=r) for r in RELEASES[:2]]
    shifted = run(*listed([*usual[1:], 10.0]), release=RELEASES[2])
    assert "rows, by one up" in only(found("rows-exchanged", *older, shifted)).reason


def test_columns_of_a_parameter_in_each_others_place_are_an_exchange() -> None:
    rows = [
        Moved("rate", "MB/s", {"lossless": flag, "size": size}, before, after)
        for size in range(4)
        for flag, before, after in ((True, 1.0 + size, 4.1 + size), (False, 4.0 + size, 1.1 + size))
    ]
    exchange = only(exchanges(rows))
    assert exchange.words == "lossless no and yes" and exchange.rows == tuple(range(8))
    # Two columns that come nearer to each other are none.
    nearer = [Moved(r.metric, r.unit, r.params, r.before, (r.before + r.after) / 2) for r in rows]
    assert not exchanges(nearer)


def test_a_row_that_stayed_is_no_part_of_an_exchange() -> None:
    rows = [
        Moved("rate", "MB/s", {"lossless": flag, "size": size}, before, after)
        for size in range(4)
        for flag, before, after in ((True, 1.0, 4.1), (False, 4.0, 1.1))
    ]
    stayed = [
        Moved("rate", "MB/s", {"lossless": True, "size": 9}, math.log(4.0), math.log(4.6)),
        Moved("rate", "MB/s", {"lossless": False, "size": 9}, math.log(5.2), math.log(5.2)),
    ]
    assert only(exchanges([*rows, *stayed])).rows == tuple(range(8))


def test_an_accepted_figure_may_lead() -> None:
    finding = only(found("over-limit", run(figure("alsa", "cpu_load", "%", 120.0))))
    record = finding.suspects[0].record
    assert Marks([finding]).doubt(record).startswith("more than is possible: it is 120 %")
    assert Marks([replace(finding, acknowledged="two cores")]).doubt(record) == ""


def noisy(seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    return [mem(f"lat_{n}", round(200 + n + chance.gauss(0, 3), 2)) for n in range(8)]


def test_a_copy_of_an_earlier_release_is_an_error() -> None:
    older = [run(*noisy(n), release=f"09.{n:02}") for n in range(4)]
    finding = only(found("table-copied", *older, run(*noisy(1), release="09.04")))
    assert "8 of 8 figures are those in 09.01" in finding.reason
    assert not found("table-copied", *older, run(*noisy(9), release="09.04"))
    # What repeats itself anyway is no copy.
    assert not found("table-copied", *(run(*noisy(1), release=f"09.{n:02}") for n in range(5)))


def test_a_copy_of_another_board_is_an_error_in_both() -> None:
    boards = [run(*noisy(3), board=name, release="09.04") for name in ("lp", "sk")]
    older = [run(*noisy(n), board="sk", release=f"09.{n:02}") for n in range(3)]
    finding = only(found("table-copied", *older, *boards))
    assert "8 of 8 figures are those of lp" in finding.reason
    assert "8 of 8 figures are those of sk" in finding.reason


def test_a_copy_of_another_board_is_found_in_older_releases_and_one_of_a_release_before_is_not() -> (
    None
):
    boards = [run(*noisy(3), board=name, release="09.01") for name in ("lp", "sk")]
    newest = [run(*noisy(n), board=name, release="09.02") for n, name in enumerate(("lp", "sk"))]
    finding = only(found("table-copied", *boards, *newest))
    assert finding.guide.release == "09.01" and "are those of lp" in finding.reason
    older = [run(*noisy(n), release=f"09.{n:02}") for n in (1, 2)]
    again = run(*noisy(1), release="09.03")
    assert found("table-copied", *older, again)
    assert not found("table-copied", *older, again, run(*noisy(9), release="09.04"))


def test_a_part_of_a_table_that_is_a_copy_is_found_if_its_figures_are_many() -> None:
    def of_board(board: str, count: int) -> Loaded:
        own = [mem(f"lat_{n}", 200.25 + 3 * n) for n in range(count)]
        rest = [mem(f"bw_{n}", 100.0 + ord(board) + n) for n in range(20)] if board == "b" else []
        return run(*own, *rest, board=board, release="09.04")

    # Figures with four and five digits, of which the first two agree by chance.
    (many,) = found("table-copied", of_board("a", 8), of_board("b", 8))
    assert "b, Latency, 0; and 7 more figures: 8 of 26 figures are those of a" in many.reason
    (few,) = found("table-copied", of_board("a", 5), of_board("b", 5))
    assert {suspect.record.board for suspect in few.suspects} == {"a"}, "5 of 23 prove nothing"


def test_a_copy_of_another_soc_is_found_among_the_newest_figures_of_all() -> None:
    own = [run(*noisy(n), release=f"09.{n:02}") for n in range(3)]
    other = run(*noisy(2), board="evm", board__soc="AM64X")
    newest = pooled([own[-1], other], CATALOG)
    distant = rules.across(newest, CATALOG)
    assert {hit.guide.soc for hit in distant} == {"AM62X", "AM64X"}
    beyond = rules.Beyond(frozenset({"AM62X", "AM64X"}), tuple(distant))
    findings, _ = rules.examine(pooled(own, CATALOG), CATALOG, beyond)
    finding = only([each for each in findings if each.rule.id == "table-copied"])
    assert finding.guide.soc == "AM62X" and "of evm in AM64X, Linux 09.01" in finding.reason

"""The front page: SoCs by the headline results of their newest guides."""

from __future__ import annotations

from typing import Any

import pytest

from perfguide.common import units
from perfguide.pages.answers import Answer, Answers, Value
from perfguide.sphinxext import answers, overview
from perfguide.sphinxext.overview import Column, Platform


def answer(
    label: str, unit: str, *numbers: float | None, better: units.Better = "higher", detail: str = ""
) -> Answer:
    values = tuple(
        None if number is None else Value(units.number(number), "table", "row", number)
        for number in numbers
    )
    return Answer(f"about-{label}", label, detail, unit, better, values, (), "")


def platform(soc: str, *rows: Answer) -> Platform:
    entry: dict[str, Any] = {"soc": soc, "family": "Linux", "release": "1", "guide": soc}
    boards = (("one", "board-one"), ("two", "board-two"))
    return Platform(entry, Answers((), boards, "", "", rows))


def best_of(unit: str, *rows: Answer) -> overview.Best | None:
    column = overview.Column(rows[0].benchmark, rows[0].label, unit, rows[0].better)
    return overview.best(rows, platform("A", *rows).answers, column)


def test_the_best_engine_counts_and_not_the_first() -> None:
    rows = [
        answer("aes", "MB/s", *numbers) for numbers in ((23.8, 20.0), (897.5, 880.0), (69.0, 70.0))
    ]
    found = best_of("MB/s", *rows)
    assert found is not None and (found.board, found.number) == ("one", 897.5)


def test_the_best_board_of_a_soc_stands_in_the_unit_of_the_column() -> None:
    row = answer("copy", "MB/s", 2.0, 3.0)
    found = best_of("kB/s", row)
    assert found is not None and (found.board, found.number) == ("two", 3000.0)
    row = answer("boot", "s", 20.0, 25.0, better="lower")
    found = best_of("s", row)
    assert found is not None and (found.board, found.number) == ("one", 20.0)


def test_missing_and_failed_are_told_apart() -> None:
    failed = Answer(
        "b", "copy", "", "s", "higher", (Value(units.FAILED, "table", "row"), None), (), ""
    )
    found = best_of("s", failed)
    assert found is not None and found.value.text == units.FAILED and found.number is None
    missing = answer("copy", "s", None, None)
    assert best_of("s", missing) is None
    # Of another kind of unit it is not the same result.
    assert best_of("MB/s", answer("copy", "s", 1.0, 2.0)) is None


def test_results_of_the_most_socs_stand_in_the_order_of_guides() -> None:
    labels = [f"r{number}" for number in range(overview.MAX_COLUMNS + 3)]
    whole = platform("A", *(answer(label, "s", 1.0, 1.0) for label in labels))
    some = platform("B", *(answer(label, "s", 1.0, 1.0) for label in labels[-3:]))
    shown = [column.label for column in overview.columns([whole, some])]
    assert shown == [*labels[: overview.MAX_COLUMNS - 3], *labels[-3:]]


def test_a_bar_is_the_share_of_the_largest_where_more_is_better() -> None:
    fast = platform(
        "A", answer("copy", "MB/s", 4.0, 8.0), answer("boot", "s", 2.0, 2.0, better="lower")
    )
    slow = platform("B", answer("copy", "kB/s", 2000.0, 1000.0))
    shown = [
        Column("about-copy", "copy", "MB/s", "higher"),
        Column("about-boot", "boot", "s", "lower"),
    ]
    first, second = (cells for _, cells in overview.lines([fast, slow], shown))
    assert first[0] is not None and first[0].share == 1.0
    assert second[0] is not None and second[0].share == 0.25
    assert first[1] is not None and first[1].share is None and second[1] is None


def test_guides_without_a_headline_result_stand_in_a_line_of_their_own() -> None:
    timed, plain = platform("A", answer("copy", "MB/s", 4.0, 8.0)), platform("B")
    shown = overview.columns([timed, plain])
    told, others = overview.divided(overview.lines([plain, timed], shown))
    assert [row[0] for row in told] == [timed] and others == [plain]
    # Without any headline the matrix is the list of all SoCs.
    told, others = overview.divided(overview.lines([plain], []))
    assert [row[0] for row in told] == [plain] and others == []


def doubtful(number: float) -> Value:
    return Value(units.number(number), "table", "row", number, doubt="more than is possible")


def test_a_figure_in_doubt_is_not_the_best_and_scales_no_bar() -> None:
    def row(*values: Value | None) -> Answer:
        return Answer("b", "Dhrystone", "", "DMIPS/MHz", "higher", values, (), "")

    sound = [Value(str(number), "table", "row", number) for number in (2.0, 3.0)]
    shown = [Column("b", "Dhrystone", "DMIPS/MHz", "higher")]
    socs = [
        platform("A", row(sound[0], doubtful(344.9))),
        platform("B", row(sound[1], None)),
        platform("C", row(doubtful(344.9), None)),
    ]
    first, second, third = (cells[0] for _, cells in overview.lines(socs, shown))
    assert first and (first.number, first.share) == (2.0, pytest.approx(2 / 3))
    assert second and second.share == 1.0
    assert third and (third.number, third.share) == (344.9, None)


def test_a_bar_that_would_flatten_all_others_is_cut_off() -> None:
    socs = [platform(name, answer("aes", "MB/s", rate, None)) for name, rate in
            (("A", 900.0), ("B", 70.0), ("C", 35.0))]  # fmt: skip
    shares = [
        cells[0] and cells[0].share
        for _, cells in overview.lines(socs, [Column("about-aes", "aes", "MB/s", "higher")])
    ]
    assert shares == [pytest.approx(900 / 70), 1.0, 0.5]
    assert " x=" in answers.bar(shares[0]) and " x=" not in answers.bar(shares[1])

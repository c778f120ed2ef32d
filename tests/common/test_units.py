"""Units convert within their kind, and figures become text in one way only."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfguide.common import units


def test_every_spelling_of_a_unit_is_the_same_unit() -> None:
    assert {units.parse(t).name for t in ("KB/s", "KBytes/Sec", "kbytes/s", "kB/s")} == {"kB/s"}
    assert units.parse("DhrystoneP").name == "Dhrystones/s"
    assert units.parse("μs").name == units.parse("µs").name == units.parse("usec").name == "us"
    assert units.parse(" MB/s ").name == "MB/s"


def test_case_tells_bits_from_bytes() -> None:
    assert units.factor("Mbps", "MBps") == 0.125
    assert units.factor("Kbits/sec", "Kbytes/sec") == 0.125


def test_decimal_and_binary_prefixes_are_told_apart() -> None:
    assert units.factor("KiB/s", "kB/s") == 1.024
    assert units.factor("GiB", "MiB") == 1024.0


def test_units_of_two_kinds_do_not_convert() -> None:
    assert units.factor("s", "MB/s") is None
    assert units.factor("B", "B/s") is None
    assert units.factor("furlongs", "B") is None


def test_an_unknown_unit_is_its_own_kind_and_shows_as_written() -> None:
    assert units.factor("furlongs", "furlongs") == 1.0
    assert units.factor("furlongs", "leagues") is None
    assert units.parse("furlongs").symbol == "furlongs"


@pytest.mark.parametrize("a", units.known_units())
def test_a_factor_there_and_back_is_one(a: str) -> None:
    for b in units.known_units():
        there, back = units.factor(a, b), units.factor(b, a)
        if there is None or back is None:
            assert there is back is None
            assert units.parse(a).kind != units.parse(b).kind
        else:
            assert there > 0
            assert math.isclose(there * back, 1.0, rel_tol=1e-12)


def test_the_same_unit_under_another_spelling_has_a_factor_of_exactly_one() -> None:
    assert units.factor("usec", "microseconds") == 1.0


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (1252.05, 2, "1252.05"),
        (1252.0, 2, "1252.00"),
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (0.004, 2, "0.004"),
        (-0.0042, 2, "-0.0042"),
        (0.4, 0, "0.4"),
        (0.6, 0, "1"),
        (1e-9, 2, "1e-09"),
        (1e15, 2, "1.000000e+15"),
        (999999999999999.0, 0, "999999999999999"),
        (-3.5, 1, "-3.5"),
    ],
)
def test_a_number_shows_with_its_decimals(value: float, decimals: int, shown: str) -> None:
    assert units.number(value, decimals) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (284939.13, "284,939"),
        (1252.05, "1,252"),
        (24.7123, "24.71"),
        (37.0, "37"),
        (0.4674, "0.4674"),
        (999.96, "1,000"),
        (1000.5, "1,001"),
        (-3.5, "−3.5"),
        (0.0, "0"),
        (-0.0, "0"),
        (0.00012346, "0.0001235"),
        (1e-5, "1e-05"),
        (123456789012345.6, "123,456,789,012,346"),
        (1e15, "1e+15"),
    ],
)
def test_a_page_shows_four_digits_and_all_before_the_point(value: float, shown: str) -> None:
    assert units.number(value) == shown


@given(st.floats(-1e308, 1e308))
def test_what_a_page_shows_is_near_the_figure_and_zero_is_zero(value: float) -> None:
    text = units.number(value)
    shown = float(text.replace(",", "").replace("−", "-"))
    assert abs(shown - value) <= abs(value) * 0.50001e-3
    assert (shown == 0) == (value == 0)
    if 1000 <= abs(value) < 1e15:
        assert abs(shown - value) <= 0.5


def test_a_page_shows_the_ends_of_a_spread_and_leaves_words_alone() -> None:
    figure = units.figure(1252.0533, 773.99, 1730.10, 3)
    assert units.on_pages(figure) == "1,252"
    assert units.ends_on_pages(figure[2]) == " (min 773.99, max 1,730.1) n=3"
    assert units.on_pages(units.change(0.123)) == units.change(0.123)[1]
    words = " (min 1.00, max 3.00); 2 of 3 runs failed"
    assert units.ends_on_pages(words) == " (min 1, max 3); 2 of 3 runs failed"


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 4))
def test_only_zero_shows_as_zero(value: float, decimals: int) -> None:
    assert (float(units.number(value, decimals)) == 0) == (value == 0)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 4))
def test_what_shows_is_within_half_of_the_last_digit(value: float, decimals: int) -> None:
    shown = float(units.number(value, decimals))
    assert abs(shown - value) <= max(0.5000001 * 10**-decimals, abs(value) * 1e-6)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_figure_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not a finite figure"):
        units.number(value)


def test_a_mean_shows_what_is_known_of_its_samples() -> None:
    spread = " (min 773.99, max 1730.10)"
    assert units.figure(1252.05, 773.99, 1730.10, None, 2) == (1252.05, "1252.05", spread)
    assert units.whole(units.figure(2.0, 1.0, 3.0, 3, 2)) == "2.00 (min 1.00, max 3.00) n=3"
    assert units.whole(units.figure(2.0, None, None, 1, 2)) == "2.00"
    assert units.whole(units.figure(2.0, None, None, 7, 2)) == "2.00 n=7"
    assert units.whole(units.figure(2.0, 1.0, None, None, 0)) == "2 (min 1)"
    assert units.figure(1 / 3, 0.25, 0.5, 2) == (
        1 / 3,
        "0.333333333333",
        " (min 0.25, max 0.5) n=2",
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", 1.5),
        ("−2", -2.0),
        (" 3 ", 3.0),
        ("1,234,567.5", 1234567.5),
        ("1e-05", 1e-05),
        *(
            (text, None)
            for text in ("", "—", "1,5", "12,34", "5.10.168", "4k", "nan", "inf", "1e999")
        ),
    ],
)
def test_a_number_by_hand_is_read_and_nothing_else(text: str, number: float | None) -> None:
    assert units.read(text) == number


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 bytes"),
        (1000, "1000 bytes"),
        (1024, "1 KiB"),
        (4096, "4 KiB"),
        (262144, "256 KiB"),
        (1048576, "1 MiB"),
        (4194304, "4 MiB"),
        (1073741824, "1 GiB"),
        (1536, "1536 bytes"),
        (4096.0, "4 KiB"),
        (0.5, "0.5 bytes"),
    ],
)
def test_sizes_are_shortened_only_where_nothing_is_rounded(count: float, shown: str) -> None:
    assert units.size(count) == shown


def test_parameters_show_exactly() -> None:
    shown = [units.plain(v) for v in (16, 16.0, 0.5, True, False, "aes-128-cbc", "16")]
    assert shown == ["16", "16", "0.5", "yes", "no", "aes-128-cbc", "16"]


def test_natural_order_is_by_the_numbers_in_a_name() -> None:
    names = ["bw-16mb", "bw", "bw-2mb", "Bw-1mb", "bw-2mb-x"]
    assert sorted(names, key=units.natural) == ["bw", "Bw-1mb", "bw-2mb", "bw-2mb-x", "bw-16mb"]
    releases = ["10.00", "9.2", "09.02.01", "09.02"]
    assert sorted(releases, key=units.natural)[-1] == "10.00"
    assert units.natural("09.02") < units.natural("09.02.01")


@given(st.lists(st.text(max_size=12), max_size=8))
def test_natural_order_does_not_depend_on_the_order_of_the_input(names: list[str]) -> None:
    turned = list(reversed(names))
    assert sorted(names, key=units.natural) == sorted(turned, key=units.natural)


@given(st.text(max_size=12), st.text(max_size=12))
def test_two_names_never_have_one_place(a: str, b: str) -> None:
    assert (units.natural(a) == units.natural(b)) == (a == b)


def test_numbers_of_any_length_have_a_place() -> None:
    assert units.natural("9" * 200) < units.natural("1" + "0" * 200)
    assert units.natural("9" * 10_000) != units.natural("9" * 10_001)


def test_heads_name_unit_and_direction() -> None:
    assert units.heading("Throughput", "KB/s", "higher") == "Throughput (kB/s) ↑"
    assert units.heading("Latency", "us", "lower") == "Latency (µs) ↓"
    assert units.heading("Ratio", "1") == "Ratio"
    assert units.unit_cell("us", "lower") == "µs ↓"
    assert units.unit_cell("1", "neither") == ""


def test_the_ends_of_figures_say_whether_there_are_more_between() -> None:
    assert units.ends([936.6, 833.0]) == "833 and 936.6"
    assert units.ends([936.6, 850.0, 833.0]) == "833 to 936.6"
    assert units.ends([5.0, 5.0]) == units.ends([5.0]) == "5"


def test_missing_failed_and_zero_are_three_texts() -> None:
    assert len({units.MISSING, units.FAILED, units.number(0.0)}) == 3


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.1234, "+12.3 %"), (-0.5, "−50.0 %"), (0.0, "+0.0 %"), (-0.0, "+0.0 %"), (2.0, "+200.0 %")],
)
def test_a_change_has_its_sign(share: float, text: str) -> None:
    assert units.percent(share) == text


def test_a_change_that_is_not_zero_never_shows_as_zero() -> None:
    assert units.percent(0.00012) == "+0.012 %"


@pytest.mark.parametrize(("text", "share"), [("5%", 0.05), (" 2.5 % ", 0.025), ("0%", 0.0)])
def test_a_percentage_is_read(text: str, share: float) -> None:
    assert units.share(text) == share


@pytest.mark.parametrize("text", ["5", "", "%", "-5%", "5%%", "١%", "1e9%", "nan%"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a percentage"):
        units.share(text)

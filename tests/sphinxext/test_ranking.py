"""Rankings on pages: dots of CPU loads, whose colour and form say what is known of the engine, and labels."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from perfguide.pages.ranking import RankedRow, with_axis
from perfguide.sphinxext import ranking


def row(engine: str, load: float | None) -> RankedRow:
    return RankedRow("A", "", "", "", "", 1.0, None, None, engine, load, [])


@pytest.mark.parametrize(
    ("engine", "load", "classes"),
    [
        ("accelerator", 40.0, "perf-f0"),
        ("software", 99.0, "perf-f1"),
        ("software", 70.0, "perf-f6"),
        ("likely the accelerator", 40.0, "perf-open perf-l0"),
        ("likely plain software", 99.0, "perf-open perf-l1"),
        ("engine not recorded", 70.0, "perf-open perf-l6"),
        ("", 99.0, "perf-f6"),
    ],
)
def test_a_dot_is_hollow_where_no_engine_was_recorded_and_its_colour_is_the_load(
    engine: str, load: float, classes: str
) -> None:
    own = row(engine, load)
    assert ranking._dot(own) == classes
    legend = ranking._legend(with_axis("x", "MB/s", "higher", [own, row("", 50.0)]))
    assert ("hollow" in legend) == bool(engine)


@pytest.mark.parametrize(
    ("loads", "full"),
    [((2.0, 0.4), 2.0), ((38.0, 45.3), 50.0), ((96.0, 101.7), 100.0), ((None, 0.0), 100.0)],
)
def test_an_axis_of_loads_ends_at_the_next_round_one_but_at_most_at_100(
    loads: tuple[float | None, float], full: float
) -> None:
    assert ranking._full_load([row("software", load) for load in loads]) == full


@pytest.mark.parametrize(
    ("figures", "labels"),
    [
        ((10.0, 45.0), ["0", "20", "40", "60"]),
        ((96.0, 100.0), ["0", "25", "50", "75", "100"]),
        ((0.5, 900.0), ["0.1", "10", "1,000"]),
        ((22.0, 232.0), ["10", "100", "250"]),
        ((150_000.0, 352_800.0), ["0", "200,000", "400,000"]),
    ],
)
def test_labels_of_an_axis_have_room_for_each_other(
    figures: tuple[float, ...], labels: list[str]
) -> None:
    rows = [RankedRow("A", "", "", "", "", each, None, None, "", None, []) for each in figures]
    drawn = ranking._labels(with_axis("x", "MB/s", "higher", rows))
    assert [text for _, text in drawn] == labels


@pytest.mark.parametrize(
    ("low", "high", "has_range"),
    [(None, None, False), (5.0, 5.0, False), (0.0, 5.0, True), (4.9, 5.0, True)],
)
def test_a_row_has_a_range_only_if_its_runs_differ(
    low: float | None, high: float | None, has_range: bool
) -> None:
    assert ranking._has_range(replace(row("", None), low=low, high=high)) is has_range

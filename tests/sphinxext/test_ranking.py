"""Dots of CPU loads in rankings: their colour and form say what is known of the engine."""

from __future__ import annotations

import pytest

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

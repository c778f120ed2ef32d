"""Means of many groups at once are those of one group alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfguide.figures import means

FIGURES = st.one_of(
    st.floats(-1e200, 1e200),
    st.decimals(-1000, 1000, places=2).map(float),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 0.1, 1e16, -1e16, 1.0, 2.0**-53, 1e200]),
)
GROUPS = st.lists(FIGURES, min_size=1, max_size=6)


def one_by_one(groups: Sequence[Sequence[float]]) -> list[float]:
    """The means as they are defined; a figure alone is its own."""
    return [math.fsum(g) / len(g) if len(g) > 1 else g[0] for g in groups]


def together(groups: Sequence[Sequence[float]]) -> list[float]:
    """The means of all groups at once."""
    sizes = np.array([len(g) for g in groups], dtype="int64")
    flat = np.array([figure for g in groups for figure in g])
    return means.means(flat, np.cumsum(sizes) - sizes, sizes).tolist()


@settings(max_examples=300, deadline=None)
@given(groups=st.lists(GROUPS, min_size=1, max_size=40), times=st.integers(1, 8))
def test_means_are_exactly_those_of_groups_alone(groups: list[list[float]], times: int) -> None:
    groups = groups * times
    assert list(map(repr, together(groups))) == list(map(repr, one_by_one(groups)))


@pytest.mark.parametrize("group", [[1e16, 1.0, -1e16], [1.0, 2.0**-53, 2.0**-106], [-0.0, -0.0]])
def test_sums_in_which_much_is_lost_are_rounded_once(group: list[float]) -> None:
    assert list(map(repr, together([group] * 50))) == [repr(math.fsum(group) / len(group))] * 50


def test_figures_as_they_are_measured_are_added_side_by_side() -> None:
    chance = np.random.default_rng(3)
    flat = chance.lognormal(5, 2, 30_000).round(4)
    total, exact = means._sums(flat, np.arange(0, 30_000, 3), 3)
    assert exact.mean() > 0.99
    wanted = [math.fsum(flat[i : i + 3].tolist()) for i in range(0, 30_000, 3)]
    assert total[exact].tolist() == [w for w, sure in zip(wanted, exact, strict=True) if sure]

"""The lists of guides and of comparisons."""

from __future__ import annotations

import datetime

import pytest

from perfguide.bundles.guide_key import GuideKey
from perfguide.pages import lists
from perfguide.pages.search_words import FindablePage
from perfguide.pages.summary import GuideSummary


def guide(release: str, figures: int, os: str = "linux", month: int = 1) -> GuideSummary:
    key = GuideKey("", "AM62X", os, release)
    measured = datetime.datetime(2026, month, 1, tzinfo=datetime.UTC)
    page = FindablePage("page", "title", (), ())
    return GuideSummary(key, page, ["board"], figures, measured, None, [], [])


@pytest.mark.parametrize(
    ("figures", "newest"),
    [((400, 410), 1), ((400, 24), 0), ((400, 200), 1), ((400, 24, 20), 2), ((7,), 0)],
)
def test_the_newest_guide_has_at_least_half_of_the_figures_before(
    figures: tuple[int, ...], newest: int
) -> None:
    guides = [guide(f"12.{number:02}", count) for number, count in enumerate(figures)]
    assert lists.newest_guide(guides) == guides[newest]


def test_a_soc_is_listed_by_the_system_that_was_measured_last() -> None:
    old, new, rt = guide("11.00", 9), guide("12.00", 9, month=5), guide("10.00", 9, "rt-linux", 3)
    assert lists.by_platform([new, rt, old]) == [[old, new], [rt]]

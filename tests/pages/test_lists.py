"""The lists of guides and of comparisons."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from making import SHIPPED
from msgspec.structs import replace

from perfguide.bundles.guide_key import GuideKey
from perfguide.common import parallel
from perfguide.figures.dataset import Settings
from perfguide.pages import lists
from perfguide.pages.build import generate
from perfguide.pages.search_words import FindablePage
from perfguide.pages.summary import GuideSummary, Result


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


def test_the_page_of_a_soc_begins_with_the_last_system_and_a_full_release(
    tmp_path: Path, write_bundle: Callable[..., Path]
) -> None:
    runs = (
        ("linux", "09.01", 4, "2024-01"),
        ("linux", "09.02", 1, "2024-09"),
        ("rt-linux", "08.06", 4, "2024-05"),
        ("qnx", "08.00", 4, "2022-01"),
    )
    for system, release, count, month in runs:
        own = [
            {"benchmark": "stream", "metric": metric, "unit": "MB/s", "value": 1000.0}
            for metric in ("copy", "scale", "add", "triad")[-count:]
        ]
        names = {"id": f"{system}-{release}", "sdk__os": system, "sdk__version": release}
        created = f"{month}-01T00:00:00Z"
        path = tmp_path / f"results/{system}-{release}.json"
        write_bundle(path, own, created=created, **names)
    generate(
        Settings((tmp_path / "results",), (SHIPPED,), tmp_path / "out", formats=()),
        run=parallel.here,
    )
    (page,) = tmp_path.glob("out/guides/*/index.rst")
    text = page.read_text("utf-8")
    heads = ["RT-Linux 08.06, the newest release", "Linux 09.01", "qnx 08.00, measured in 2022"]
    places = [text.index(f"\n{head}\n{'-' * len(head)}\n") for head in heads]
    assert places == sorted(places)
    assert "\nA newer guide, 09.02, has only 1 figure.\n\n.. rst-class" in text
    assert text.count(":name: ") > text.count("perf-releases") == 3
    # A system that was measured years before the newest has its links only.
    old = text.partition(heads[2])[2].partition("Over all releases")[0]
    assert ":doc:`08.00 <" in old and "results.csv" not in old and "Changed" not in old
    assert text.partition(heads[2])[0].count("results.csv") == 2


def test_a_board_has_one_colour_in_the_charts_of_a_soc(
    tmp_path: Path, write_bundle: Callable[..., Path]
) -> None:
    for system, boards in (("linux", ("lp", "sk")), ("rt-linux", ("sk",))):
        for release in ("09.01", "09.02", "10.00"):
            for board in boards:
                name = f"{system}-{release}-{board}"
                own = [{"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 1000.0}]
                names = {"id": name, "sdk__os": system, "sdk__version": release}
                path = tmp_path / f"results/{name}.json"
                write_bundle(path, own, board__name=board, **names)
    generate(
        Settings((tmp_path / "results",), (SHIPPED,), tmp_path / "out", formats=("svg",)),
        run=parallel.here,
    )
    both, alone = sorted(tmp_path.glob("out/guides/*/index/trend-*.svg"))
    lines = [re.split('id="line-0-', path.read_text("utf-8"))[1:] for path in (both, alone)]
    colours = [re.findall("stroke: (#[0-9a-f]{6})", line)[0] for of_one in lines for line in of_one]
    lp, sk, sk_of_rt = colours
    assert lp != sk == sk_of_rt


def test_the_front_page_takes_a_figure_in_doubt_only_where_no_release_has_another() -> None:
    def result(label: str, number: float | None, doubt: str = "") -> Result:
        return Result(
            "ipsec", label, "", "Mbit/s", "higher", "sk", str(number), "row", number, doubt, 1
        )

    old = replace(guide("10.00", 9), best=[result("AES", 52.8), result("3DES", 0.0, "zero")])
    new = replace(guide("11.00", 9), best=[result("AES", 0.0, "zero"), result("3DES", 0.0, "zero")])
    addresses = {each.key: each.key.release for each in (old, new)}
    aes, triple = lists.newest_results([old, new], addresses)
    assert (aes.number, aes.release, aes.doubt) == (52.8, "10.00", "")
    assert (triple.number, triple.release, triple.doubt) == (0.0, "11.00", "zero")
    # A failed run is a result, which no older figure hides.
    failed = replace(new, best=[result("AES", None)])
    (aes,) = lists.newest_results([old, failed], addresses)[:1]
    assert (aes.number, aes.release) == (None, "11.00")

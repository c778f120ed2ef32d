"""What guides, pages of SoCs and benchmarks, the front page and lists say of archives at random is true."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import page_truth
from fault_archives import planted
from making import SHIPPED, loaded
from truth import Checked

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.common import parallel
from perfguide.figures.dataset import Settings
from perfguide.pages.build import generate

SEEDS = (203, 208)
KINDS = {
    *("crypto", "sizes", "in doubt", "careful", "worth", "worth of a SoC"),
    *("likely", "figures of a guide", "figures of a chapter", "previous release"),
    *(
        "cell of the matrix",
        "row of the matrix",
        "shared move",
        "largest fall",
        "new guide",
        "row of a SoC",
    ),
    *(
        "new: ",
        "gone: ",
        "lasting move",
        "fates of events for the worse",
        "findings",
        "kinds",
        "lost figures",
    ),
}
"""Kinds of sentences that the archives have."""


def check(bundles: list[Loaded], top: Path, checked: Checked) -> None:
    """Check all pages of some bundles."""
    catalog = benchmarks.load([SHIPPED])[0]
    (top / "results").mkdir(parents=True)
    for number, item in enumerate(bundles):
        path = top / "results" / f"{number}.json"
        path.write_bytes(msgspec.json.encode(item.bundle))
    settings = Settings((top / "results",), (SHIPPED,), top / "pages", formats=())
    generate(settings, run=parallel.here)
    page_truth.check_all(page_truth.Site(bundles, catalog), top / "pages", checked)


def test_every_sentence_of_pages_about_archives_at_random_is_true(tmp_path: Path) -> None:
    checked = Checked(Counter(), [])
    for seed in SEEDS:
        bundles, _ = planted(seed, 1, is_for_pages=True)
        known = len(checked.false)
        check(bundles, tmp_path / str(seed), checked)
        checked.false[known:] = [f"seed {seed}: {text}" for text in checked.false[known:]]
    assert checked.false == []
    assert KINDS - {*checked.met} == set()


def test_first_figures_of_the_only_two_boards_are_in_doubt_if_they_are_far_apart(
    tmp_path: Path,
) -> None:
    bundles = [
        loaded(
            {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": rate},
            id=board,
            board__name=board,
            created="2024-04-02T23:30:00-05:00",
        )
        for board, rate in (("sk", 4660.0), ("evm", 246073344.0))
    ]
    checked = Checked(Counter(), [])
    check(bundles, tmp_path, checked)
    # Nothing says which of the two is wrong.
    assert checked.false == [] and checked.met["in doubt"] == 2

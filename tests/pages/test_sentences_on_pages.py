"""What the sentences of pages say, against figures worked out here from the bundles."""

from __future__ import annotations

import csv
import json
import math
import operator
import re
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from making import SHIPPED, plain

from perfguide.common import parallel
from perfguide.figures.dataset import Settings
from perfguide.pages.build import generate

THROUGHPUTS = {
    "alpha": (99_000.0, 101_000.0),
    "beta": (290_000.0, 310_000.0),
    "gamma": (200_000.0,),
    "delta": (),  # it failed
}
"""Samples of each board in kB/s. The fastest is neither first nor last."""
LOADS = {"alpha": 20.0, "beta": 60.0, "gamma": 40.0, "delta": 50.0}
"""In per cent of the time of the processor."""
OLD = {"copy": 1000.0, "scale": 2000.0, "add": 3000.0, "triad": 4000.0}
NEW = {"copy": 800.0, "scale": 1500.0, "add": 4500.0}
"""Means of two releases in MB/s. Of the newer one, triad is missing."""
SCATTER = (-0.001, 0.0, 0.001, 0.0005, -0.0005)
"""What the samples are beside their mean, relative to it."""


def of_board(board: str) -> dict[str, Any]:
    """A run of OpenSSL on one board. For small blocks one board has another engine, which is in
    no headline."""
    crypto = {"algorithm": "aes-128-cbc", "engine": "hw"}
    rate = {"benchmark": "openssl", "metric": "throughput", "unit": "kB/s"}
    rate |= {"params": {**crypto, "block_size": 1024}}
    rate |= {"samples": list(THROUGHPUTS[board])} if THROUGHPUTS[board] else {"status": "fail"}
    load = {"benchmark": "openssl", "metric": "cpu_load", "unit": "%", "params": crypto}
    results = [rate, load | {"value": LOADS[board]}]
    if board == "gamma":
        software = {**rate["params"], "engine": "sw", "block_size": 16}
        results.append({**rate, "params": software, "samples": [50_000.0]})
    return plain(*results, id=board, board__name=board)


def of_release(release: str, means: dict[str, float], *more: dict[str, Any]) -> dict[str, Any]:
    """A run of STREAM on one board with one release."""
    results = [
        {"benchmark": "stream", "metric": metric, "unit": "MB/s"}
        | {"samples": [mean * (1 + part) for part in SCATTER]}
        for metric, mean in means.items()
    ]
    return plain(
        *results, *more, id=release, sdk__version=release, board__name="one", board__soc="X1"
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of four boards of one SoC, and of two releases of two others."""
    top = tmp_path_factory.mktemp("sentences")
    idea = {"benchmark": "nbench", "metric": "idea", "unit": "iterations/s", "value": 5.0}
    bundles = [*map(of_board, THROUGHPUTS), of_release("09.01", OLD)]
    bundles.append(of_release("09.02", NEW, idea))
    for release, outcome in (("09.01", {"value": 7.0}), ("09.02", {"status": "fail"})):
        result = {"benchmark": "nbench", "metric": "fourier", "unit": "iterations/s", **outcome}
        known = {"id": f"failing {release}", "sdk__version": release, "board__soc": "X2"}
        bundles.append(plain(result, **known))
    (top / "results").mkdir()
    for number, bundle in enumerate(bundles):
        (top / f"results/{number}.json").write_text(json.dumps(bundle), "utf-8")
    generate(
        Settings((top / "results",), (SHIPPED,), top / "pages", formats=("svg",)), run=parallel.here
    )
    return top / "pages"


def words(page: Path) -> str:
    """The text of a page on one line, without the targets of links and without stars."""
    text = re.sub(r"\s<[^<>]*>`", "`", page.read_text("utf-8"))
    text = re.sub(":(ref|perf-from|perf-change):|[`*]", "", text)
    return " ".join(text.split())


def mean_rates() -> dict[str, float]:
    """The mean throughput of each board that was measured, in MB/s, the fastest first."""
    means = {board: fmean(values) / 1000 for board, values in THROUGHPUTS.items() if values}
    return dict(sorted(means.items(), key=lambda item: -item[1]))


GUIDE = "guides/AM62X/linux/09.01.rst"


@pytest.mark.parametrize("page", [GUIDE, "guides/AM62X/index.rst"])
def test_the_fastest_board_is_the_one_with_the_highest_mean(pages: Path, page: str) -> None:
    means = mean_rates()
    fastest = max(means, key=lambda board: means[board])
    said = f"AES-128-CBC, 1 KiB: {means[fastest]:g} MB/s at {LOADS[fastest]:g} % of one core over all sizes"
    assert f"{said} ({fastest}, the fastest of {len(means)} boards; accelerator)." in words(
        pages / page
    )


@pytest.mark.parametrize(
    ("rates", "who"),
    [
        ({"one": 5.0, "three": 7.0, "two": 7.0}, "three and two, the fastest of 3 boards"),
        ({"one": 7.0, "two": 7.0}, "one and two"),
        ({"one": 7.0}, "one"),
    ],
)
def test_boards_that_are_as_fast_are_named_together(
    tmp_path: Path, rates: dict[str, float], who: str
) -> None:
    params = {"algorithm": "aes-128-cbc", "engine": "sw", "block_size": 1024}
    rate = {"benchmark": "openssl", "metric": "throughput", "unit": "MB/s", "params": params}
    (tmp_path / "results").mkdir()
    for board, value in rates.items():
        own = plain({**rate, "value": value}, id=board, board__name=board)
        (tmp_path / f"results/{board}.json").write_text(json.dumps(own), "utf-8")
    generate(
        Settings((tmp_path / "results",), (SHIPPED,), tmp_path / "pages", formats=()),
        run=parallel.here,
    )
    assert f"AES-128-CBC, 1 KiB: 7 MB/s ({who}; software)." in words(tmp_path / "pages" / GUIDE)


def test_a_chart_of_boards_says_which_leads_and_by_what(pages: Path) -> None:
    page = words(pages / "by-benchmark/openssl.rst")
    means = mean_rates()
    first = next(iter(means))
    bars = [f"{mean:g}, {LOADS[board]:g} % CPU for {board}, 09.01" for board, mean in means.items()]
    assert ", ".join(bars) in page
    said = f"{first} leads with {means[first]:g} MB/s at {LOADS[first]:g} % of one core over all sizes."
    assert f"AES-128-CBC, 1 KiB: {said}" in page


def test_a_table_has_no_column_without_a_figure_and_none_is_lost(pages: Path) -> None:
    with (pages / GUIDE.removesuffix(".rst") / "openssl-throughput.csv").open() as file:
        boards, engines, _, *rows = list(csv.reader(file))
    columns = list(zip(boards, engines, *rows, strict=True))[2:]
    assert all(any(cell not in ("", "—") for cell in column[2:]) for column in columns)
    engines_of = {
        board: [column[1].partition(" (")[0] for column in columns if column[0] == board]
        for board in THROUGHPUTS
    }
    other = ["accelerator"]
    assert engines_of == {
        **dict.fromkeys(THROUGHPUTS, other),
        "gamma": ["accelerator", "plain software"],
    }


def test_the_words_above_a_comparison_count_its_figures(pages: Path) -> None:
    page = words(pages / "compare/X1/linux/09.01-vs-09.02.rst")
    both = OLD.keys() & NEW.keys()
    counts = {
        "worse": sum(NEW[metric] < OLD[metric] for metric in both),
        "better": sum(NEW[metric] > OLD[metric] for metric in both),
        "gone": len(OLD.keys() - NEW.keys()),
        "new": 1,
    }
    assert f"- {len(both)} figures on 1 board" in page
    for words_of, count in counts.items():
        assert f"- {count} {words_of}" in page


def test_an_event_gives_the_ends_of_its_changes(pages: Path) -> None:
    page = words(pages / "compare/X1/linux/09.01-vs-09.02.rst")
    falls = sorted(100 * (1 - NEW[name] / OLD[name]) for name in ("copy", "scale"))
    moved = f"{falls[0]:.1f} to {falls[1]:.1f} % worse"
    assert f"STREAM: copy, scale {moved} :perf-small:({len(falls)} rows)" in page
    gain = 100 * (NEW["add"] / OLD["add"] - 1)
    figures = f"{OLD['add']:,g} → {NEW['add']:,g} MB/s"
    assert f"STREAM: add {figures}, {gain:.1f} % better" in page
    # The figure that fell farthest is the first of its event, and rises come last.
    moves = re.findall(r":(\w+): ([\d,]+) → ([\d,]+) MB/s ↑ ([−+\d.]+) %", page)
    assert [move[0] for move in moves] == ["Scale", "Copy", "Add"]
    for label, old, new, change in moves:
        metric = label.lower()
        ratio = 100 * (NEW[metric] / OLD[metric] - 1)
        assert change.replace("−", "-").replace("+", "") == f"{ratio:.1f}"
        assert (old, new) == (f"{OLD[metric]:,g}", f"{NEW[metric]:,g}")


def test_the_mean_of_a_benchmark_is_the_geometric_one_of_its_ratios(pages: Path) -> None:
    folder = pages / "compare/X1/linux/09.01-vs-09.02"
    with (folder / "benchmarks.data.csv").open() as file:
        (_, _, stream) = list(csv.reader(file))
    logs = [math.log(NEW[name] / OLD[name]) for name in NEW]
    expected = 100 * math.expm1(fmean(logs))
    assert stream[0] == "STREAM"
    assert float(stream[1]) == pytest.approx(expected, abs=1e-4)
    assert stream[2] == "2 regressed, 1 improved, 1 only old"
    alternative = words(pages / "compare/X1/linux/09.01-vs-09.02.rst")
    assert f"Changes of {len(logs)} figures by benchmark" in alternative
    assert "2 regressed, 1 improved; geometric means from −3.5 % (STREAM)" in alternative


def test_a_guide_sums_up_what_changed_since_the_release_before(pages: Path) -> None:
    page = words(pages / "guides/X1/linux/09.02.rst")
    gone, came = len(OLD.keys() - NEW.keys()), 1
    assert "Look at 1 event: STREAM: copy, scale: 20.0 to 25.0 % worse (2 rows)." in page
    assert f"{gone} figure is no longer measured, {came} is new." in page
    assert f"{len(NEW) + came} figures on 1 board" in page
    older = words(pages / "guides/X1/linux/09.01.rst")
    assert f"{len(OLD)} figures on 1 board" in older
    assert "This is the first release with figures here." in older


def test_health_counts_what_a_release_lost(pages: Path) -> None:
    page = words(pages / "reports/health.rst")
    assert "1 release lacks 1 figure that the release before had" in page


def test_a_guide_leads_to_the_release_before_and_after_it(pages: Path) -> None:
    newer = (pages / "guides/X1/linux/09.02.rst").read_text("utf-8")
    assert ":doc:`previous release, 09.01 <09.01>`" in newer
    older = (pages / "guides/X1/linux/09.01.rst").read_text("utf-8")
    assert re.search(r":doc:`[^`]*09\.02 <09\.02>`", older)
    assert "previous release" not in older


def test_what_fails_since_a_release_is_counted_and_is_in_no_fold_but_its_table(
    pages: Path,
) -> None:
    page = pages / "compare/X2/linux/09.01-vs-09.02.rst"
    assert "- 1 failed after" in words(page)
    text = page.read_text("utf-8")
    event, table = re.findall(r"^( *)(?::Fourier series:|:file: .*/failed-after.csv)", text, re.M)
    assert len(event) < len(table)
    with (page.with_suffix("") / "failed-after.csv").open() as file:
        (_, row) = list(csv.reader(file))
    assert row[:5] == ["NBench, Fourier series", "sk", "iterations/s ↑", "7", "failed"]


@pytest.mark.parametrize(
    ("benchmark", "releases"),
    [("openssl", "1 release"), ("stream", "2 releases"), ("nbench", "3 releases")],
)
def test_a_benchmark_counts_the_releases_of_its_figures(
    pages: Path, benchmark: str, releases: str
) -> None:
    page = words(pages / f"by-benchmark/{benchmark}.rst")
    assert f"side by side, and all figures of {releases}." in page


def test_the_data_of_a_comparison_has_each_change_in_per_cent(pages: Path) -> None:
    changes = {}
    for verdict in ("regressed", "improved"):
        file = pages / f"compare/X1/linux/09.01-vs-09.02/{verdict}.data.csv"
        for row in csv.DictReader(file.read_text("utf-8").splitlines()):
            changes[row["Figure"]] = float(row["Change (%)"])
    worked_out = {f"stream: {name}": 100 * (NEW[name] - OLD[name]) / OLD[name] for name in NEW}
    assert changes == pytest.approx(worked_out)


def test_an_event_lists_the_rows_that_went_its_way(pages: Path) -> None:
    text = (pages / "compare/X1/linux/09.01-vs-09.02.rst").read_text("utf-8")
    worse, better = text.split(".. container:: perf-event")[1:]
    for event, went_that_way in ((worse, operator.lt), (better, operator.gt)):
        listed = re.findall(r"^ +:(\w+): :perf-from:", event, re.MULTILINE)
        moved = [name for name in NEW if went_that_way(NEW[name], OLD[name])]
        assert sorted(map(str.lower, listed)) == sorted(moved)


def test_addresses_name_the_soc_and_the_system(pages: Path) -> None:
    assert (pages / "guides/AM62X/index/headline-am62x-linux.csv").is_file()
    text = (pages / "by-benchmark/stream.rst").read_text("utf-8")
    assert ":name: over-releases-x1-linux of stream" in text

"""The report on the health of figures says how many findings are on other pages, and in which tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from making import SHIPPED, plain, text

from perfguide.common import parallel
from perfguide.figures.dataset import Settings
from perfguide.health import report
from perfguide.pages import health
from perfguide.pages.build import generate

WRONG = {"X1": ("stream",), "X2": ("stream", "nbench"), "X3": ("nbench",)}
"""Benchmarks of each SoC whose figure is less than nothing; each is a finding."""
METRICS = {"stream": ("copy", "MB/s"), "nbench": ("idea", "iterations/s")}


def written(top: Path, *bundles: dict[str, Any]) -> Path:
    """Return the folder of the pages of some bundles."""
    (top / "results").mkdir()
    for number, bundle in enumerate(bundles):
        (top / f"results/{number}.json").write_bytes(text(bundle))
    settings = Settings(
        *((top / "results",), (SHIPPED,), top / "pages"),
        formats=(),
        acknowledged=top / "accepted.toml",
    )
    generate(settings, run=parallel.here)
    return top / "pages"


def negative(benchmark: str, metric: str, unit: str, **more: Any) -> dict[str, Any]:
    return {"benchmark": benchmark, "metric": metric, "unit": unit, "value": -1.0, **more}


def test_the_report_counts_the_findings_that_have_another_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MAX_FINDINGS", 1)
    pages = written(
        tmp_path,
        *(
            plain(*(negative(name, *METRICS[name]) for name in names), id=soc, board__soc=soc)
            for soc, names in WRONG.items()
        ),
    )
    page = (pages / "reports/health.rst").read_text("utf-8")
    counts = re.findall(r"`(X\d), Linux 09\.01: (\d+) findings? <", page)
    moved = {"X2": 2, "X3": 1}
    assert {soc: int(count) for soc, count in counts} == moved
    assert page.count("What to do:") == len(WRONG["X1"])
    assert not re.search(r"^and \d+ more", page, re.MULTILINE)
    for soc, count in moved.items():
        own = (pages / f"reports/health/{soc}/linux/09.01.rst").read_text("utf-8")
        assert own.count("What to do:") == count
    for soc in WRONG:
        guide = (pages / f"guides/{soc}/linux/09.01.rst").read_text("utf-8")
        (section,) = re.findall(r":Careful:.+ <(findings-.+ of health)>`", guide)
        assert f":name: {section}\n" in page


def test_a_page_of_accepted_findings_leads_to_the_others_of_its_guide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MAX_FINDINGS", 1)
    entry = '[[acknowledged]]\nrule = "not-positive"\nbenchmark = "nbench"\nreason = "so"\n'
    (tmp_path / "accepted.toml").write_text(entry, "utf-8")
    pages = written(tmp_path, plain(*(negative(name, *METRICS[name]) for name in METRICS)))
    own = (pages / "reports/health/AM62X/linux/09.01.rst").read_text("utf-8")
    others, accepted = own.split("Acknowledged\n")
    assert "STREAM, AM62X sk, Copy: the figure is −1 MB/s <not-positive-" in others
    assert "Accepted: so" in accepted and "NBench" not in others


def test_a_finding_leads_to_some_tables_and_counts_the_others(tmp_path: Path) -> None:
    tables = health.MAX_TABLE_LINKS + 3
    results = [negative("odd", f"m{n}", "MB/s", params={f"p{n}": n}) for n in range(tables)]
    pages = written(tmp_path, plain(*results))
    page = (pages / "reports/health.rst").read_text("utf-8")
    assert f"and {tables - health.MAX_TABLE_LINKS} more" in page


def test_the_report_begins_with_what_would_change_a_decision(tmp_path: Path) -> None:
    leading, other = negative("stream", *METRICS["stream"]), negative("odd", "m", "MB/s")
    pages = written(tmp_path, plain(leading, other))
    page = (pages / "reports/health.rst").read_text("utf-8")
    parts = re.findall(r":ref:`(\d+) ([^<]+) <", page)
    assert parts == [("1", "could change a decision"), ("1", "stands alone")]
    assert page.startswith("2 findings: :ref:", page.index("2 findings"))
    assert "By kind: 2 wrong." in page


def test_a_finding_bears_on_a_decision_if_the_first_table_of_its_guide_has_the_figure(
    tmp_path: Path,
) -> None:
    def emmc(size: int, rate: float) -> dict[str, Any]:
        params = {"buffer_size": size, "filesystem": "ext4"}
        return (
            {"value": rate}
            | negative("emmc", "read_throughput", "MB/s", params=params)
            | {"value": rate}
        )

    rates = {"X1": (170.0, -1.0), "X2": (-1.0, 90.0), "X3": (170.0, 90.0)}
    pages = written(
        tmp_path,
        *(
            plain(emmc(4 << 20, large), emmc(4 << 10, small), id=soc, board__soc=soc)
            for soc, (large, small) in rates.items()
        ),
    )
    page = (pages / "reports/health.rst").read_text("utf-8")
    folds = r"`Wrong` \*\*.+\*\* .+: (X\d), Linux 09\.01\n(?:.*\n)+?   Why it matters: (.+): in the first table"
    deciding = re.findall(folds, page)
    assert [soc for soc, _ in deciding] == ["X2"]
    for soc, name in deciding:
        shown = (pages / f"guides/{soc}/linux/09.01/results.csv").read_text("utf-8")
        assert f"{name}, MB/s ↑" in shown and "−1" in shown


def test_the_parts_of_all_findings_add_up_and_newer_guides_come_first(tmp_path: Path) -> None:
    bundles = [
        plain(
            negative("stream", *METRICS["stream"]),
            negative("nbench", *METRICS["nbench"]),
            id=f"X{n}",
            board__soc=f"X{n}",
            created=f"2024-01-{30 - n:02}T00:00:00Z",
        )
        for n in range(1, report.MIN_SHARING_GUIDES + 1)
    ]
    page = (written(tmp_path, *bundles) / "reports/health.rst").read_text("utf-8")
    total = int(re.search(r"^(\d+) findings", page, re.MULTILINE)[1])
    first = next(line for line in page.splitlines() if line.startswith(f"{total} findings"))
    parts = [int(count) for count in re.findall(r":ref:`(\d+) [^`]*<", first)]
    assert total == sum(parts) == 2 * len(bundles)
    # A link opens one finding, in the fold of its guide, in that of its SoC.
    assert (
        len(re.findall(r"^ {6}\.\. _.+:\n\n {6}\.\. container:: perf-fold$", page, re.M)) == total
    )
    socs = [f"X{n}" for n in range(1, len(bundles) + 1)]
    assert re.findall(r"\*\*(X\d+)\*\* 2 findings in 1 guide", page) == socs
    # Each cause is said once, with its newest SoCs as examples.
    deciding, shared = page.partition("\nOne cause, many guides\n")[::2]
    for part, most in ((deciding, health.MAX_SOCS), (shared, health.MAX_EXAMPLES)):
        examples = re.findall(r"^   - :ref:`(X\d+), Linux", part, re.MULTILINE)
        assert examples == socs[: min(most, len(socs))]


def test_a_guide_says_that_figures_are_those_of_the_release_before(tmp_path: Path) -> None:
    def release(number: int, seeds: list[int]) -> dict[str, Any]:
        results = [
            negative("nbench", f"m{n}", "iterations/s") | {"value": 1000.25 + 37 * n + 3 * seed}
            for n, seed in enumerate(seeds)
        ]
        return plain(*results, id=f"r{number}", sdk__version=f"09.0{number}")

    fresh = [[seed] * 12 for seed in range(4)]
    bundles = [release(n, seeds) for n, seeds in enumerate([*fresh, [3] * 8 + [9] * 4])]
    pages = written(tmp_path, *bundles)
    before, last = ({r["metric"]: r["value"] for r in b["results"]} for b in bundles[-2:])
    same = sum(value == before[metric] for metric, value in last.items())
    said = (
        f"{same} of {len(last)} figures repeat those of the release before; the older results may"
    )
    guides = [(pages / f"guides/AM62X/linux/09.0{n}.rst").read_text("utf-8") for n in range(5)]
    assert [said in guide for guide in guides] == [False] * 4 + [True]


def test_a_guide_says_that_it_has_the_samples_of_the_release_before(tmp_path: Path) -> None:
    def release(number: int, samples: list[list[float]]) -> dict[str, Any]:
        results = [
            {
                "benchmark": "nbench",
                "metric": f"m{n}",
                "unit": "iterations/s",
                "value": round(sum(own) / len(own), 3),
                "min": min(own),
                "max": max(own),
            }
            for n, own in enumerate(samples)
        ]
        copy = {"benchmark": "stream", "metric": "copy", "unit": "MB/s"}
        last = samples[-1]
        mean = {"value": round(sum(last) / len(last), 3), "min": min(last), "max": max(last)}
        return plain(copy | mean, *results, id=f"r{number}", sdk__version=f"09.0{number}")

    first = [[101.37 + n, 103.86 + n, 102.91 + n] for n in range(10)]
    bundles = [release(1, first), release(2, [[*own, 104.15 + n] for n, own in enumerate(first)])]
    pages = written(tmp_path, *bundles)
    same = sum(
        old["min"] == new["min"] and old["max"] <= new["max"]
        for old, new in zip(bundles[0]["results"], bundles[1]["results"], strict=True)
    )
    guide = (pages / "guides/AM62X/linux/09.02.rst").read_text("utf-8")
    assert (
        f"{same} figures are repeated from 09.01, alone or with more samples, so they cannot show"
        in guide
    )
    shown = (pages / "guides/AM62X/linux/09.02/results.csv").read_text("utf-8")
    assert "Against 09.01" in shown and ",repeated" in shown

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
    settings = Settings((top / "results",), (SHIPPED,), top / "pages", formats=())
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
    assert "1 finding would change what a reader decides; 1 would not." in page

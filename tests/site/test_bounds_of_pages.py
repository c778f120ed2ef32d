"""No page grows without bound with the boards or the releases of a SoC, and no figure is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import page_bounds
import pytest
from conftest import bare_project, run_sphinx
from page_bounds import MAX_ELEMENTS, PageSize
from playwright.sync_api import expect
from windows import Windows, unfolded

BOARDS, RELEASES = 700, 66
GUIDE = "source/guides/MANY/linux/09.02"
COMPARISON = "source/compare/MANY/linux/09.01-vs-09.02"

EXCLUDED = """
exclude_patterns += [
    "source/guides/LONG/linux/*.*",
    "source/compare/LONG/linux/*-vs-*",
    "source/reports/provenance/LONG/linux/*",
]
"""
"""Keeps 200 small pages out of the site: one for each release of a SoC with many."""


def rate(number: int) -> float:
    """A figure that no other board has."""
    return 1_000 + number / 8


def bundles() -> Iterator[dict[str, Any]]:
    """Runs of a SoC with many boards and of one with many releases."""
    further = [stream(name, value=800.0) for name in ("scale", "add", "triad")]
    further += [{"benchmark": "odd", "metric": "gain", "unit": "dB", "value": 3.0}]
    for release, more in (("09.01", []), ("09.02", further)):
        for number in range(BOARDS):
            results = [stream("copy", value=rate(number)), *more]
            yield bundle("MANY", release, f"board-{number:04}", results)
    for number in range(RELEASES):
        # Each third release moves the figure to another level.
        level = 500.0 + 100 * (number // 3 % 2)
        samples = [level, level * 1.0005, level * 0.9995]
        results = [stream("copy", samples=samples)]
        yield bundle("LONG", f"{number // 10 + 1}.{number % 10}", "board", results)


def stream(metric: str, **figures: Any) -> dict[str, Any]:
    return {"benchmark": "stream", "metric": metric, "unit": "MB/s", **figures}


def bundle(soc: str, release: str, board: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "format": "perfguide-bundle",
        "version": 1,
        "id": f"{soc}-{release}-{board}",
        "created": "2024-04-02T09:30:00Z",
        "runner": {"name": "farm"},
        "sdk": {"version": release, "os": "linux"},
        "board": {"name": board, "soc": soc},
        "results": results,
    }


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bounds")
    project = bare_project(folder / "project")
    lines = "".join(f"{json.dumps(each)}\n" for each in bundles())
    (project / "results/runs.jsonl").write_text(lines, "utf-8")
    with (project / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(EXCLUDED)
    run = run_sphinx(project, folder / "html", "-q")
    assert run.returncode == 0, run.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def sizes(site: Path) -> list[PageSize]:
    """How much HTML each page is, the heaviest first."""
    return page_bounds.sizes(site)


def test_each_page_is_within_its_bound(sizes: list[PageSize]) -> None:
    assert sizes[0].elements > 10_000, "there is enough to divide"
    assert [each for each in sizes if not each.is_bounded] == []


def test_the_heaviest_pages_are_within_it_in_a_browser(
    site: Path, sizes: list[PageSize], windows: Windows
) -> None:
    for each in sizes[:4]:
        page = unfolded(windows.open(f"file://{site}/{each.name}"))
        assert page.evaluate("document.querySelectorAll('*').length") <= MAX_ELEMENTS, each.name


def test_the_parts_of_a_table_lead_to_each_other(site: Path, windows: Windows) -> None:
    """Without script, too."""
    page = windows.open(f"file://{site}/{GUIDE}.html", java_script_enabled=False)
    table = page.locator("figure.perf-table:has(.caption-text:text-is('STREAM'))")
    part = page.locator("a[href='09.02/stream-stream/2.html']").first
    words = re.fullmatch(r"(board-\d+) to board-\d+", part.inner_text())
    assert words
    expect(table.get_by_text(words[1])).to_have_count(0)
    part.click()
    expect(page.locator("th", has_text=words[1]).first).to_be_visible()
    page.get_by_role("link", name="STREAM: board-0000 to").click()
    assert page.url.split("#")[0].endswith(f"{GUIDE}.html")


def values(pages: list[Path]) -> set[float]:
    """The exact figures of pages."""
    text = "".join(page.read_text("utf-8") for page in pages)
    return {float(each) for each in re.findall(r'<data value="([^"]+)"', text)}


def test_each_figure_is_on_a_page_and_in_the_file_of_its_table(site: Path) -> None:
    every = {rate(number) for number in range(BOARDS)}
    parts = [site / f"{GUIDE}.html", *(site / GUIDE / "stream-stream").glob("*.html")]
    assert values(parts) >= every
    files = [*(site / "_downloads").rglob("stream-stream.data.csv")]
    cells = [set(file.read_text("utf-8").replace("\n", ",").split(",")) for file in files]
    assert any({repr(each) for each in every} <= each for each in cells)


def test_each_row_of_a_comparison_and_of_a_provenance_is_on_a_page(site: Path) -> None:
    boards = {f"board-{number:04}" for number in range(BOARDS)}
    for page in (COMPARISON, "source/reports/provenance/MANY/linux/09.02"):
        pages = [site / f"{page}.html", *(site / page).rglob("*.html")]
        rows = re.findall(r"<tr\b.*?</tr>", "".join(p.read_text("utf-8") for p in pages))
        named = [re.findall(r"board-\d{4}", row) for row in rows if "copy" in row.lower()]
        assert {name for names in named for name in names} >= boards


def test_what_moved_in_the_oldest_releases_is_on_pages_that_stay(site: Path) -> None:
    newest, oldest = (
        (site / f"source/compare/LONG/linux/{name}.html").read_text("utf-8")
        for name in ("moves", "moves/1")
    )
    assert "1.0 → 1.1" in oldest
    assert "1.0 → 1.1" not in newest
    assert 'href="moves/1.html"' in newest

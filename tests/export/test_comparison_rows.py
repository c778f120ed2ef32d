"""All rows of a comparison in a real browser: filtered, ordered, and the choice in the address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import bare_project, run_sphinx
from making import plain, result
from playwright.sync_api import Page, expect
from windows import Windows

COMPARISON = "source/compare/AM62X/linux/09.03-vs-10.00.html"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose newest release lost half of a rate on one board, and has new and no longer some rows."""
    folder = tmp_path_factory.mktemp("rows")
    project = bare_project(folder / "project")
    for at, release in enumerate(("09.00", "09.01", "09.02", "09.03", "10.00")):
        for board in ("fast", "slow"):
            is_new = release == "10.00"
            factor = 0.5 if is_new and board == "slow" else 1
            rates = {"copy": 2000 * factor, "scale": 1000.0, "add" if is_new else "triad": 1500.0}
            results = [
                result(name, "MB/s", benchmark="stream", samples=[rate + at % 2, rate + 1 - at % 2])
                for name, rate in rates.items()
            ]
            name = f"{board}-{release}"
            run = plain(*results, id=name, board__name=board, sdk__version=release)
            (project / f"results/{name}.json").write_text(json.dumps(run), "utf-8")
    done = run_sphinx(project, folder / "html", "-q", "-W", "-n")
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture
def page(windows: Windows, site: Path) -> Page:
    page = windows.open("about:blank", 1280, 900)
    page.goto((site / COMPARISON).as_uri())
    page.get_by_role("button", name="Filter and order all rows").click()
    expect(page.locator(".perf-rows table")).to_be_visible()
    return page


def rows(page: Page) -> list[list[str]]:
    """Return figure, board, change and verdict of each row."""
    cells: list[list[str]] = page.evaluate(
        "[...document.querySelectorAll('.perf-rows tbody tr')].map((row) => "
        "[0, 1, 5, 7].map((at) => row.cells[at].textContent.replaceAll('\\u00a0', ' ')))"
    )
    return cells


def test_the_rows_are_those_of_the_tables(page: Page) -> None:
    in_tables = page.evaluate(
        "[...document.querySelectorAll('table.perf-grid[aria-label]')]"
        ".filter((table) => !table.closest('.perf-rows') && table.ariaLabel !== 'Benchmarks')"
        ".flatMap((table) => [...table.tBodies[0].rows]).length"
    )
    assert len(rows(page)) == in_tables == 8
    assert {row[3] for row in rows(page)} >= {"No longer measured", "Not measured before"}
    expect(page.locator(".perf-rows .perf-count")).to_have_text("8 of 8 rows, 2 of them gone.")


def test_a_choice_is_in_the_address(page: Page) -> None:
    page.get_by_label("Verdict").select_option("No longer measured")
    assert [row[:2] for row in rows(page)] == [["STREAM, Triad", "fast"], ["STREAM, Triad", "slow"]]
    page.get_by_label("Board").select_option("slow")
    assert "verdict=No+longer+measured&board=slow#all-rows" in page.url
    page.reload()
    expect(page.locator(".perf-rows tbody tr")).to_have_count(1)
    page.get_by_label("Verdict").select_option("")
    assert {row[1] for row in rows(page)} == {"slow"} and len(rows(page)) == 4


def test_the_largest_changes_come_first_where_that_is_asked(page: Page) -> None:
    page.get_by_label("Order").select_option("by change")
    first = rows(page)[0]
    assert first[:3] == ["STREAM, Copy", "slow", "−50.0 %"]
    page.get_by_label("Rows with").fill("stream scale")
    assert [row[0] for row in rows(page)] == ["STREAM, Scale"] * 2
    page.locator(".perf-rows tbody a").first.click()
    assert "/source/guides/AM62X/linux/09.03.html#" in page.url and "stream" in page.url

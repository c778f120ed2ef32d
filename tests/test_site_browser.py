"""The built pages in a real browser, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import copy_project, run_sphinx
from playwright.sync_api import Browser, Page, sync_playwright

PAGES = (
    "index.html",
    "source/guides/index.html",
    "source/guides/AM62X/index.html",
    "source/guides/AM62X/linux/09.01.00.08.html",
    "source/guides/AM335X/linux/06.00.00.00.html",
    "source/by-benchmark/ethernet-udp.html",
    "source/by-benchmark/openssl.html",
    "source/reports/provenance.html",
    "source/methods.html",
    "source/reading.html",
    "source/explore.html",
    "source/data.html",
)
GUIDE = PAGES[3]
OPENSSL = PAGES[4]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    run = run_sphinx(copy_project(folder / "project"), folder / "html", "-j2", "-q")
    assert run.returncode == 0, run.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield started
        started.close()


def _open(browser: Browser, site: Path, page: str, width: int, height: int = 844) -> Page:
    opened = browser.new_page(viewport={"width": width, "height": height})
    opened.goto(f"file://{site}/{page}")
    return opened


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_window(browser: Browser, site: Path, width: int) -> None:
    for name in PAGES:
        page = _open(browser, site, name, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        page.close()


def test_no_section_is_empty_and_no_markup_shows(browser: Browser, site: Path) -> None:
    for name in PAGES:
        page = _open(browser, site, name, 1280)
        empty = page.evaluate(
            "[...document.querySelectorAll('section')].filter(s => s.children.length < 2)"
            ".map(s => s.innerText)"
        )
        assert empty == [], name
        text = page.inner_text("[role=main]")
        for markup in (".. ", ":ref:", ":doc:", "``", "perf-text", "%20", "system-message"):
            assert markup not in text, (name, markup)
        page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_head_and_row_key_stay_in_view_while_a_table_scrolls(
    browser: Browser, site: Path, width: int
) -> None:
    page = _open(browser, site, GUIDE, width, 500)
    box = page.locator("figure:has-text('UDP ingress, loss possible') .perf-scroll").first
    box.scroll_into_view_if_needed()
    key, head = box.locator("tbody tr").last.locator("th"), box.locator("thead th").first
    outer = box.bounding_box()
    assert outer is not None
    sideways = box.evaluate("e => e.scrollWidth - e.clientWidth")
    assert sideways > 0, "the table is wide enough to scroll at both widths"
    box.evaluate("e => { e.scrollLeft = 10000; }")
    after = key.bounding_box()
    assert after is not None and abs(after["x"] - outer["x"]) <= 2
    long = page.locator("figure:has-text('LMBench: memory bandwidth') .perf-scroll").first
    long.scroll_into_view_if_needed()
    down = long.evaluate("e => { e.scrollTop = 400; return e.scrollTop; }")
    assert down > 0
    head = long.locator("thead th").first
    long_box, head_box = long.bounding_box(), head.bounding_box()
    assert long_box is not None and head_box is not None
    assert abs(head_box["y"] - long_box["y"]) <= 2


def test_a_tab_shows_its_alternative_and_nothing_else(browser: Browser, site: Path) -> None:
    page = _open(browser, site, OPENSSL, 1280)
    first = page.locator(".perf-table .perf-tabs").first
    assert first.locator("[role=tabpanel]:visible").count() == 1
    first.get_by_role("tab", name="aes-256-cbc").click()
    shown = first.locator("[role=tabpanel]:visible")
    assert shown.count() == 1
    assert "33120.26" in shown.inner_text() and "32702.46" not in shown.inner_text()


def test_symbols_have_names_and_cells_have_scopes(browser: Browser, site: Path) -> None:
    page = _open(browser, site, GUIDE, 1280)
    unnamed = page.evaluate(
        "[...document.querySelectorAll('.perf-better, .perf-missing')]"
        ".filter(e => !e.getAttribute('aria-label')).length"
    )
    assert unnamed == 0
    assert page.locator(".perf-better").count() > 20
    scopes = page.evaluate(
        "[...document.querySelectorAll('.perf-grid th')].map(e => e.getAttribute('scope'))"
    )
    assert set(scopes) == {"col", "colgroup", "row"}


def test_ids_are_unique_on_each_page(browser: Browser, site: Path) -> None:
    for name in PAGES:
        page = _open(browser, site, name, 1280)
        twice = page.evaluate(
            "(() => { const all = [...document.querySelectorAll('[id]')].map(e => e.id);"
            " return all.filter((id, i) => all.indexOf(id) !== i); })()"
        )
        assert twice == [], name
        page.close()

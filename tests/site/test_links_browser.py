"""The built pages in a real browser, on a desk and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from kinds import BENCHMARK, GUIDE, KINDS, LONG_TABLE
from playwright.sync_api import Browser, Page, expect

SHOWN = ("landing page", "SoC", "guide", "benchmark", "uploads", "errata of a guide", "explorer")
OPENSSL = "source/guides/AM335X/linux/06.00.00.00.html"
PAGES = [*(KINDS[kind] for kind in SHOWN), OPENSSL, "source/data.html"]


def _open(browser: Browser, real_site: Path, page: str, width: int, height: int = 844) -> Page:
    opened = browser.new_page(viewport={"width": width, "height": height})
    opened.goto(f"file://{real_site}/{page}")
    return opened


def test_no_section_is_empty_and_no_markup_shows(browser: Browser, real_site: Path) -> None:
    for name in PAGES:
        page = _open(browser, real_site, name, 1280)
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
    browser: Browser, real_site: Path, width: int
) -> None:
    page = _open(browser, real_site, GUIDE, width, 500)
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


def test_a_tab_shows_its_alternative_and_nothing_else(browser: Browser, real_site: Path) -> None:
    page = _open(browser, real_site, OPENSSL, 1280)
    first = page.locator(".perf-table .perf-tabs").first
    assert first.locator("[role=tabpanel]:visible").count() == 1
    first.get_by_role("tab", name="aes-256-cbc").click()
    shown = first.locator("[role=tabpanel]:visible")
    assert shown.count() == 1
    assert "33120.26" in shown.inner_text() and "32702.46" not in shown.inner_text()


def test_symbols_have_names_and_cells_have_scopes(browser: Browser, real_site: Path) -> None:
    page = _open(browser, real_site, GUIDE, 1280)
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


def test_ids_are_unique_on_each_page(browser: Browser, real_site: Path) -> None:
    for name in PAGES:
        page = _open(browser, real_site, name, 1280)
        twice = page.evaluate(
            "(() => { const all = [...document.querySelectorAll('[id]')].map(e => e.id);"
            " return all.filter((id, i) => all.indexOf(id) !== i); })()"
        )
        assert twice == [], name
        page.close()


def test_a_row_that_moved_to_a_page_of_its_table_is_found_at_its_old_address(
    browser: Browser, real_site: Path
) -> None:
    page = _open(browser, real_site, LONG_TABLE, 1280)
    row = page.locator("tr[id]").nth(40).get_attribute("id")
    page.goto(f"file://{real_site}/{BENCHMARK}?x=1#{row}")
    page.wait_for_url(f"file://{real_site}/{LONG_TABLE}?x=1#{row}")
    expect(page.locator("tr:target")).to_be_in_viewport()
    page.locator(".perf-elsewhere a").first.click()
    page.wait_for_url(f"**/{BENCHMARK}#over-releases-x86-64-linux")
    page.close()


def test_tables_and_charts_fit_the_paper(browser: Browser, real_site: Path) -> None:
    """A sheet of A4 between the margins of a browser is 718 by 1047 CSS pixels."""
    for name in (OPENSSL, KINDS["benchmark"]):
        page = _open(browser, real_site, name, 718)
        page.emulate_media(media="print")
        wide = page.locator("table.perf-grid").evaluate_all(
            "all => all.filter(e => e.getBoundingClientRect().right > 718).length"
        )
        assert wide == 0, name
        charts = page.locator("figure.perf-chart img").evaluate_all(
            "all => all.map(e => [e.offsetWidth, e.offsetHeight])"
        )
        assert charts and all(0 < x <= 718 and 0 < y < 400 for x, y in charts), name
        page.close()

"""Each kind of page, measured: no fault that axe knows, nothing that moves or is too wide,
and light enough to show its text at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import TOP
from kinds import GUIDE, KINDS, LARGEST_GUIDE, LONG_TABLE
from playwright.sync_api import Browser, Page, expect
from serving import served

ALL = (*KINDS.values(), GUIDE)
LOOKS: list[tuple[Any, int]] = [("light", 1280), ("dark", 390), ("dark", 1280), ("light", 390)]
OFTEN = ("landing page", "SoC", "benchmark", "explorer", "errata of a guide")
"""These are looked at in all looks; the others, which are made of the same parts, in two."""

FEW_ROWS = """() => {
  document.querySelectorAll("details").forEach(each => { each.open = true; });
  document.querySelectorAll("tbody tr:nth-child(n+6)").forEach(each => each.remove());
}"""
"""Makes a page quick to look at: a row is like those before it, and there are thousands."""


def _open(browser: Browser, url: str, width: int, **options: Any) -> Page:
    page = browser.new_context(viewport={"width": width, "height": 800}, **options).new_page()
    page.goto(url, wait_until="load")
    return page


def _no_fault(page: Page) -> None:
    page.evaluate(FEW_ROWS)
    found = Axe().run(page, options={"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(browser: Browser, real_address: str, kind: str) -> None:
    """A page is opened once, and then seen as the window and the reader's system change."""
    (scheme, width), *others = LOOKS if kind in OFTEN else LOOKS[:2]
    page = _open(browser, f"{real_address}/{KINDS[kind]}", width, color_scheme=scheme)
    if kind == "search":
        page.wait_for_selector("#perf-found a")
        page.wait_for_selector("#search-results li p.context")
    if kind == "explorer":
        page.wait_for_selector(".perf-explorer-chart svg[role=img]")
    _no_fault(page)
    for scheme, width in others:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        _no_fault(page)
    page.context.close()


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_axe_finds_nothing_in_the_tools_of_a_table(
    browser: Browser, real_address: str, scheme: Any, width: int
) -> None:
    page = _open(browser, f"{real_address}/{KINDS['benchmark']}", width, color_scheme=scheme)
    figure = page.locator("figure.perf-table").first
    figure.get_by_role("button", name="Sort, filter").click()
    expect(figure.get_by_role("searchbox")).to_be_visible()
    figure.get_by_text("Choose boards and columns").click()
    figure.locator("thead th").first.click()
    expect(figure.locator("[aria-sort]")).to_have_count(1)
    figure.locator("tbody td.perf-n").first.click()
    expect(page.locator("#perf-behind")).to_contain_text("Bundle")
    _no_fault(page)
    page.context.close()


SHIFT = """() => new Promise(done => {
  const inTable = ({node}) => node && (node.closest ? node : node.parentElement)?.closest("table");
  let sum = 0;
  new PerformanceObserver(list => {
    for (const each of list.getEntries())
      if (!each.sources.length || !each.sources.every(inTable)) sum += each.value;
  }).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 30);
})"""
"""How much has moved, but for columns that grow while more rows of their table come."""


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves_while_a_page_loads(browser: Browser, real_site: Path, width: int) -> None:
    """On a slow line, where the beginning is on the screen before the rest has come."""
    context = browser.new_context(viewport={"width": width, "height": 800})
    with served(real_site, slow=True) as address:
        opened = {kind: context.new_page() for kind in KINDS}
        for kind, page in opened.items():
            page.goto(f"{address}/{KINDS[kind]}", wait_until="commit")
        for kind, page in opened.items():
            page.wait_for_load_state("load")
            if kind == "search":
                page.wait_for_selector("#search-results li p.context")
            if kind == "explorer":
                page.wait_for_selector(".perf-explorer-chart svg[role=img]")
        page.wait_for_timeout(300)
        moved = {kind: page.evaluate(SHIFT) for kind, page in opened.items()}
    context.close()
    assert {kind: value for kind, value in moved.items() if value >= 0.001} == {}


def test_nothing_is_wider_than_the_window(browser: Browser, real_address: str) -> None:
    """640 pixels are a desk of 1280 at 200 % zoom."""
    page = _open(browser, f"{real_address}/index.html", 1280)
    for name in ALL:
        page.goto(f"{real_address}/{name}")
        for width in (1280, 640, 390, 360):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
    page.context.close()


def test_every_page_of_figures_weighs_less_than_150_kb(real_site: Path) -> None:
    """Reports are for who checks the figures, and may be longer."""
    names = [path.relative_to(real_site) for path in sorted(real_site.rglob("*.html"))]
    names = [name for name in names if not name.is_relative_to("source/reports")]
    heavy = [name for name in names if (real_site / name).stat().st_size > 200_000]
    assert {Path(LARGEST_GUIDE), Path(LONG_TABLE)} <= set(heavy)
    tool = [sys.executable, TOP / "bench/page_weight.py", real_site, *heavy]
    run = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(run.stdout.splitlines()) == len(heavy) + 1

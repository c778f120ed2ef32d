"""From a small phone to a large screen: no text is cut, and no page scrolls sideways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kinds import GUIDE, KINDS
from playwright.sync_api import Page
from windows import Windows, unfolded

PAGES = {
    **KINDS,
    "guide of three boards": GUIDE,
    "guide with tabs": "source/guides/AM335X/linux/06.00.00.00.html",
    "data": "source/data.html",
    "formats": "source/formats.html",
    "commands": "source/commands.html",
}
WIDTHS = (320, 390, 768, 1280, 1920)

CUT = """() => {
  const hidden = new Set(), boxes = new Map(), cut = [];
  const style = new Map();
  const look = each => {
    if (!style.has(each)) {
      const found = getComputedStyle(each);
      style.set(each, { clips: found.overflowX !== "visible", away: found.clipPath !== "none" });
    }
    return style.get(each);
  };
  const boxOf = each => {
    if (!boxes.has(each)) boxes.set(each, each.getBoundingClientRect());
    return boxes.get(each);
  };
  const aside = ".wy-nav-side, .perf-skip, .perf-aside, .perf-behind, .perf-status, svg, select, script";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim() || node.parentElement.closest(aside)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(rect => rect.width > 0.5);
    if (!rects.length) continue;
    const left = Math.min(...rects.map(rect => rect.left));
    const right = Math.max(...rects.map(rect => rect.right));
    let ends = [0, innerWidth], away = false;
    for (let each = node.parentElement; each && each !== document.body; each = each.parentElement) {
      const found = look(each);
      away ||= found.away;
      if (found.clips) {
        const box = boxOf(each);
        ends = [Math.max(ends[0], box.left), Math.min(ends[1], box.right)];
      }
    }
    if (!away && (left < ends[0] - 1 || right > ends[1] + 1)) {
      cut.push(`${node.parentElement.tagName} ${node.data.trim().slice(0, 60)}`);
    }
  }
  return cut;
}"""
"""The texts of which a part is outside the window, or outside a box that shows no more: that
it could be scrolled there is no help to who does not know that there is more."""

SIDEWAYS = "() => document.scrollingElement.scrollWidth - innerWidth"

OVERLAP = """() => [...document.querySelectorAll(".perf-grid")].flatMap(table => {
  if (!table.offsetParent) return [];
  const found = [];
  for (const row of table.tBodies[0].rows) {
    const cells = [...row.cells].map(cell => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getBoundingClientRect();
    });
    for (let at = 1; at < cells.length; at += 1) {
      const [a, b] = [cells[at - 1], cells[at]];
      if (a.width && b.width && a.right > b.left + 1 && a.left < b.right && a.bottom > b.top + 1
          && b.bottom > a.top + 1) found.push(row.innerText.slice(0, 80));
    }
  }
  return found;
})"""
"""The rows of tables in which the text of a cell lies on that of its neighbour."""


def faults(page: Page) -> list[Any]:
    """What is cut or lies on something on a page, and by how much the page scrolls."""
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    sideways = page.evaluate(SIDEWAYS)
    return [
        *page.evaluate(CUT)[:5],
        *page.evaluate(OVERLAP)[:5],
        *([sideways] if sideways > 0 else []),
    ]


@pytest.mark.parametrize("kind", PAGES)
def test_no_text_is_cut_and_no_page_scrolls_sideways(
    windows: Windows, real_address: str, kind: str
) -> None:
    page = windows.open(f"{real_address}/{PAGES[kind]}", WIDTHS[0], 844)
    if kind == "explorer":
        page.wait_for_selector(".perf-explorer-result table")
    if kind == "search":
        page.wait_for_selector("#search-results li")
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_timeout(50)
        if wrong := faults(page):
            found[width] = wrong
    assert found == {}


@pytest.mark.parametrize("width", WIDTHS)
def test_without_script_nothing_is_cut_either(
    windows: Windows, real_site: Path, width: int
) -> None:
    page = windows.open(f"file://{real_site}/{GUIDE}", width, 844, java_script_enabled=False)
    hidden = page.locator(".perf-scroll").evaluate_all(
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).length"
    )
    assert hidden == 0


@pytest.mark.parametrize("width", [320, 1280])
def test_what_looks_for_cut_text_finds_it(windows: Windows, real_site: Path, width: int) -> None:
    page = unfolded(windows.open(f"file://{real_site}/{GUIDE}", width, 844))
    narrow = "e => { e.style.width = '9rem'; e.className = 'perf-scroll'; }"
    page.locator(".perf-scroll").evaluate_all(f"all => all.forEach({narrow})")
    assert page.evaluate(CUT)


def test_a_figure_of_a_stacked_table_has_its_head_beside_it(
    windows: Windows, real_site: Path
) -> None:
    page = windows.open(f"file://{real_site}/{GUIDE}", 390, 844)
    table = page.locator(".perf-grid").first
    assert table.locator("tbody tr").first.evaluate("e => getComputedStyle(e).display") == "grid"
    heads = table.locator("thead tr").last.locator("th").all_inner_texts()
    cell = table.locator("tbody tr").first.locator("td").last
    shown = cell.evaluate("e => getComputedStyle(e, '::before').content")
    assert heads[-1].split(" ")[0].casefold() in shown.casefold()


IN_CHARTS = """pictures => pictures.flatMap(({ name, svg }) => {
  document.body.innerHTML = svg;
  const root = document.querySelector("svg");
  root.style.width = "640px";
  const whole = root.getBoundingClientRect();
  const faults = [];
  const texts = [...root.querySelectorAll("text")].filter(each => each.textContent.trim());
  const boxes = texts.map(each => each.getBoundingClientRect());
  boxes.forEach((a, at) => {
    const words = texts[at].textContent.trim();
    if (a.left < whole.left - 1 || a.right > whole.right + 1 || a.top < whole.top - 1
        || a.bottom > whole.bottom + 1) faults.push(`${name}: ${words} is cut`);
    boxes.slice(at + 1).forEach((b, more) => {
      // The box of a text is higher than its letters are.
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 0.35 * Math.min(a.height, b.height))
        faults.push(`${name}: ${words} and ${texts[at + 1 + more].textContent.trim()}`);
    });
  });
  return faults;
})"""
"""The labels of charts that are cut or lie on each other."""


def test_no_label_of_a_chart_is_cut_or_lies_on_another(windows: Windows, real_site: Path) -> None:
    page = windows.open("about:blank")
    charts = [
        {"name": path.name, "svg": path.read_text("utf-8").partition("?>")[2]}
        for path in sorted((real_site / "_images").glob("*.svg"))
    ]
    assert len(charts) > 20
    assert page.evaluate(IN_CHARTS, charts) == []


def test_what_looks_for_labels_that_collide_finds_them(windows: Windows) -> None:
    page = windows.open("about:blank")
    text = '<text x="{}" y="20" font-size="12">label</text>'
    wrong = f'<svg viewBox="0 0 640 40">{text.format(10)}{text.format(20)}{text.format(630)}</svg>'
    found = page.evaluate(IN_CHARTS, [{"name": "a", "svg": wrong}])
    assert found == ["a: label and label", "a: label is cut"]

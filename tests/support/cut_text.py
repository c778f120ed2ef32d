"""Find text on pages that is cut off or overlaps other text."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

CUT = """() => {
  const boxes = new Map(), cut = [];
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
"""Returns texts that are partly outside the window or outside a box that clips them. Boxes that
scroll count as clipping: readers do not know that they contain more."""

SIDEWAYS = "() => document.scrollingElement.scrollWidth - innerWidth"

OVERLAP = """() => [...document.querySelectorAll(".perf-grid, .perf-list")].flatMap(table => {
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
"""Returns the rows of tables in which a cell's text overlaps its neighbour's."""


def faults(page: Page) -> list[Any]:
    """Return texts that are cut off or overlap, and by how many pixels the page scrolls
    sideways."""
    sideways = page.evaluate(SIDEWAYS)
    return [
        # One mistake in a style sheet affects hundreds of texts, and a few are enough to find it.
        *page.evaluate(CUT)[:5],
        *page.evaluate(OVERLAP)[:5],
        *([sideways] if sideways > 0 else []),
    ]

"""Guides in a browser: the first screen has results, and words do not stand before figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from kinds import GUIDE
from windows import Windows

SCREEN = 800
MAX_WORDS = 80

GUIDES = (
    GUIDE,
    "source/guides/AM335X/linux/06.00.00.00.html",
    "source/guides/AM64X/rt-linux/08.06.00.42.html",
    "source/guides/X86-64/linux/12.11.html",
)

WORDS = """() => [...document.querySelectorAll('#guide section')].map(section => {
  let words = 0;
  const walk = (node) => {
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE)
        words += (child.data.match(/\\S+/g) || []).length;
      else if (child.nodeType === Node.ELEMENT_NODE) {
        if (child.matches('table, img, svg')) return true;
        if (!child.matches('h1, h2, h3, h4, section, .perf-tools') && walk(child)) return true;
      }
    }
    return false;
  };
  return walk(section) ? [section.id, words] : [section.id, 0];
})"""
"""How many words stand before the first figure of each section; what is folded counts."""


UNDER_LOAD = "source/guides/X86-64/linux/12.11.html"
"""A guide whose figures were all measured beside a load, which are no headlines."""


@pytest.mark.parametrize("guide", GUIDES)
def test_a_guide_opens_with_results_that_no_window_cuts(
    windows: Windows, real_site: Path, guide: str
) -> None:
    page = windows.open(f"file://{real_site}/{guide}", 1280, SCREEN)
    if guide == UNDER_LOAD:
        assert not page.locator(".perf-answers").count()
        return
    box = page.locator(".perf-answers tbody tr").first.bounding_box()
    assert box is not None and box["y"] + box["height"] < SCREEN
    counted = dict(page.evaluate(WORDS))
    assert any(counted.values())
    assert {name: words for name, words in counted.items() if words > MAX_WORDS} == {}
    for width in (320, 390, 768, 1280, 1920):
        page.set_viewport_size({"width": width, "height": SCREEN})
        over = page.locator(".perf-answers-box").evaluate("e => e.scrollWidth - e.clientWidth")
        assert over <= 0, width


def test_a_large_guide_with_open_tables_is_at_most_18_screens(
    windows: Windows, real_site: Path
) -> None:
    page = windows.open(f"file://{real_site}/{GUIDE}", 1280, SCREEN)
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height <= 18 * SCREEN


def test_a_headline_leads_to_its_cell(windows: Windows, real_site: Path) -> None:
    page = windows.open(f"file://{real_site}/{GUIDE}", 1280, SCREEN)
    broken = page.evaluate(
        "[...document.querySelectorAll('.perf-answers td a, .perf-facts a[href^=\"#\"]')]"
        ".filter(a => !document.getElementById(decodeURIComponent(a.hash.slice(1))))"
        ".map(a => a.hash)"
    )
    assert broken == []


@pytest.mark.parametrize("width", [390, 1280])
def test_chapters_stay_in_view_where_there_is_room_and_hide_no_place(
    windows: Windows, real_site: Path, width: int
) -> None:
    page = windows.open(f"file://{real_site}/{GUIDE}#chapter-crypto", width, SCREEN)
    page.wait_for_function("scrollY > 1000")
    line = page.locator("#guide > nav.contents").bounding_box()
    place = page.locator("#chapter-crypto > h2").bounding_box()
    assert line is not None and place is not None
    if width == 390:
        assert line["y"] < 0, "it would take a third of the screen"
    else:
        assert -1 < line["y"] < 1 and line["y"] + line["height"] <= place["y"] + 1

"""Each kind of page, opened once and measured: no fault that axe knows, no rule of its policy
broken, nothing that moves or is too wide, and light enough to show its text at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import TOP
from cut_text import faults
from kinds import GUIDE, KINDS, LARGEST_GUIDE, LONG_TABLE
from playwright.sync_api import Page, expect
from profiles import count
from serving import served
from windows import Windows

PAGES = {
    **KINDS,
    "guide of three boards": GUIDE,
    "guide with tabs": "source/guides/AM335X/linux/06.00.00.00.html",
    "data": "source/data.html",
    "formats": "source/formats.html",
    "commands": "source/commands.html",
}
"""And some of the same kinds that hold other things; axe need not see those."""
SAME_PARTS = ("guide", "benchmark with many tables")
"""Kinds made of the parts of other kinds, the largest guide and the benchmark. axe needs not check
these parts again; on the longest pages that takes longest."""
AXE_KINDS = [kind for kind in KINDS if kind not in SAME_PARTS]
LOOKS: list[tuple[Any, int]] = [("light", 1280), ("dark", 390)]
LOOKS += [("dark", 1280), ("light", 390)] * count(0, heavy=1)
OFTEN = ("landing page", "explorer")
"""axe sees these in all looks, and a table with its tools, with all its rules in the first two; the
others, which are made of the same parts, in two looks, with all its rules in the first one. In the
rest it applies the rules that depend on colours and on the width of the window. Dark in a wide
window and light in a narrow one are left to a thorough run."""
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that take axe longest, for which it looks below and above each text. It applies them to
two texts of each kind: a table has hundreds that are alike in all that these rules ask for."""
OF_WIDTH = ("scrollable-region-focusable",)
WIDTHS = (320, 768, 1280, *([390, 1920] * count(0, heavy=1)))
"""What is cut on a large screen, which has more room, test_widths.py looks for. What fits into 320
fits into the 390 of a large phone, which a thorough run looks at."""
UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true; })"
LOADING = ("landing page", "guide", "largest guide, with charts", "benchmark with many tables")
LOADING += ("comparison", "health", "explorer", "glossary", "search")
"""What these are made of is all that can move: tables and their tools, charts, tabs, marks,
the explorer, plain text, what is found."""

MARKUP = (".. ", ":ref:", ":doc:", "``", "csv-table", "perf-", "system-message", "\\x")
"""What the words of a page do not hold: markup, and escapes of characters in our own words. Pages
that quote markup are not looked at."""
QUOTING = ("data", "glossary", "methods", "publishing", "search", "index")

FEW_PARTS = """() => {
  document.querySelectorAll("details").forEach(each => { each.open = true; });
  const formsOf = () => {
    const seen = new Map();
    return part => {
      const inside = [part, ...part.querySelectorAll("*")];
      const names = new Set(inside.map(each => `${each.tagName}.${each.className}`));
      const form = [...names].sort().join();
      seen.set(form, (seen.get(form) ?? 0) + 1);
      return seen.get(form);
    };
  };
  const rows = formsOf(), figures = formsOf();
  document.querySelectorAll("tbody").forEach(body => {
    body.replaceChildren(...[...body.rows].filter((row, place) => rows(row) <= 2 || !place));
  });
  document.querySelectorAll("figure").forEach(each => { if (figures(each) > 2) each.remove(); });
}"""
"""Makes a page quick to look at: of rows, and of tables and charts, that are made of the same
elements it keeps two, and of each table the first row. There are thousands."""

MARK_KINDS = """() => {
  document.querySelectorAll("[data-kind]").forEach(each => delete each.dataset.kind);
  const seen = new Map();
  for (const each of document.body.querySelectorAll("*")) {
    if (![...each.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
    const {color, fontSize, fontWeight} = getComputedStyle(each);
    const grounds = new Set();
    for (let below = each; below; below = below.parentElement) {
      const {opacity, backgroundColor, backgroundImage} = getComputedStyle(below);
      grounds.add(opacity + backgroundColor + backgroundImage);
    }
    const names = [each.tagName, each.className, each.parentElement.className];
    const kind = [...names, color, fontSize, fontWeight, ...grounds].join();
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    if (seen.get(kind) <= 2) each.dataset.kind = "";
  }
}"""
"""Marks two texts of each kind: of the same classes, in the same colour, size and weight, and on the
same grounds."""

PICTURES = """() => Promise.all([...document.images].map(async each => {
  each.loading = "eager";  // also those in folds, and those for other screens
  await each.decode();
  return each.naturalWidth;
}))"""

EMPTY = """() => [...document.querySelectorAll("section")]
  .filter(each => each.children.length < 2).map(each => each.innerText)"""

TWICE = """() => {
  const all = [...document.querySelectorAll("[id]")].map(each => each.id);
  return all.filter((id, place) => all.indexOf(id) !== place);
}"""


@dataclass(frozen=True)
class Visit:
    """What was seen on a page that was opened once, while the window and the reader's system
    changed."""

    complaints: list[str]
    """Errors and warnings in its console."""
    requests: set[str]
    pictures: list[int]
    """The width of each, in pixels of its own."""
    empty: list[str]
    """Sections with nothing but a heading."""
    twice: list[str]
    """Ids that two elements have, after all scripts."""
    words: str
    wrong: dict[int, list[Any]]
    """What is cut or lies on other text, and how far it scrolls sideways; by the window's width."""
    faults: list[str]
    """The reports of axe."""


Visiting = Callable[[str], Visit]


@pytest.fixture(scope="module")
def visit(kept_windows: Windows, real_address: str) -> Visiting:
    """Visits a kind of page, or tells of the visit that there was."""
    visits: dict[str, Visit] = {}

    def visiting(kind: str) -> Visit:
        if kind not in visits:
            visits[kind] = _visit(kept_windows, f"{real_address}/{PAGES[kind]}", kind)
        return visits[kind]

    return visiting


def _visit(windows: Windows, url: str, kind: str) -> Visit:
    page = windows.open(url)
    _wait(page, kind)
    pictures, empty, twice = map(page.evaluate, (PICTURES, EMPTY, TWICE))
    words = page.inner_text("[role=main]")
    wrong = {}
    for width in (640, *WIDTHS):  # 640, with all folded, is a desk of 1280 at 200 % zoom
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(50)  # for scripts; to measure needs no picture of a long page
        if found := faults(page):
            wrong[width] = found
        page.evaluate(UNFOLD)
    heard = windows.heard(page)
    complaints, requests = list(heard.complaints), set(heard.requests)
    reports = []
    if kind in AXE_KINDS:
        reports = _faults(page, 2, LOOKS) if kind in OFTEN else _faults(page, 1, LOOKS[:2])
    windows.release()
    return Visit(complaints, requests, pictures, empty, twice, words, wrong, reports)


SETTLED = """async () => {
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  await frame();
  document.getAnimations().forEach(each => each.finish());
  await frame();
}"""


def _look(page: Page, width: int, scheme: Any = None) -> None:
    """Change the window and the reader's system, and wait until that shows."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.evaluate(SETTLED)


def _wait(page: Page, kind: str) -> None:
    """Until what scripts put on a page is there."""
    if kind == "search":
        page.wait_for_selector("#perf-found a")
        page.wait_for_selector("#search-results li p.context")
    if kind == "explorer":
        page.wait_for_selector(".perf-explorer-chart svg[role=img]")


AXE = "([where, options]) => axe.run(where ?? document, options).then(found => found.violations)"


def _faults(page: Page, full: int, looks: Sequence[tuple[Any, int]]) -> list[str]:
    """Return what axe reports of some looks of a page, of the first ones by all its rules."""
    page.evaluate(FEW_PARTS)
    page.evaluate(Axe().axe_script)
    every: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    marked = {"include": [["[data-kind]"]]}
    reports = []
    for number, (scheme, width) in enumerate(looks):
        _look(page, width, scheme)
        page.evaluate(MARK_KINDS)
        others = {"rules": {rule: {"enabled": False} for rule in OF_COLOURS}}
        runs: list[tuple[Any, Any]] = [
            (None, every | (others if number < full else {"runOnly": OF_WIDTH})),
            (marked, every | {"runOnly": OF_COLOURS}),
        ]
        for each in (fault for run in runs for fault in page.evaluate(AXE, run)):
            nodes = "".join(f"\n{node['html']}\n{node['failureSummary']}" for node in each["nodes"])
            reports.append(f"{each['id']} ({scheme}, {width} wide): {each['help']}{nodes}")
    return reports


@pytest.mark.parametrize("kind", AXE_KINDS)
def test_axe_finds_nothing(visit: Visiting, kind: str) -> None:
    assert visit(kind).faults == []


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_breaks_no_rule_of_its_policy(visit: Visiting, real_address: str, kind: str) -> None:
    seen = visit(kind)
    assert seen.complaints == []
    assert all(url.startswith((real_address, "data:")) for url in seen.requests)
    assert all(seen.pictures)


@pytest.mark.parametrize("kind", PAGES)
def test_no_text_is_cut_and_no_page_scrolls_sideways(visit: Visiting, kind: str) -> None:
    assert visit(kind).wrong == {}


@pytest.mark.parametrize("kind", PAGES)
def test_no_section_is_empty_no_id_stands_twice_and_no_markup_shows(
    visit: Visiting, kind: str
) -> None:
    seen = visit(kind)
    assert (seen.empty, seen.twice) == ([], [])
    assert kind in QUOTING or [markup for markup in MARKUP if markup in seen.words] == []


def test_axe_finds_nothing_in_the_tools_of_a_table(windows: Windows, real_address: str) -> None:
    page = windows.open(f"{real_address}/{KINDS['benchmark']}")
    figure = page.locator("figure.perf-table").first
    figure.locator(".perf-use > summary").click()
    figure.get_by_role("button", name="Sort and filter").click()
    expect(figure.get_by_role("searchbox")).to_be_visible()
    figure.get_by_text("Choose boards and columns").click()
    figure.locator("thead th").first.click()
    expect(figure.locator("[aria-sort]")).to_have_count(1)
    figure.locator("tbody td.perf-n").first.click()
    expect(page.locator("#perf-behind")).to_contain_text("Bundle")
    assert _faults(page, 2, LOOKS) == []


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


@pytest.mark.parametrize("turn", range(count(1, heavy=2)))
def test_nothing_moves_while_a_page_loads(
    kept_windows: Windows, real_site: Path, turn: int
) -> None:
    """On a slow line, where the beginning is on the screen before the rest has come; each second
    page in a narrow window, and in a thorough run in both."""
    moved: dict[str, float] = {}
    with served(real_site, slow=True) as address:
        for number, some in enumerate((LOADING[::2], LOADING[1::2])):
            width = (390, 1280)[(number + turn) % 2]
            opened = {
                kind: kept_windows.open(f"{address}/{KINDS[kind]}", width, until="commit")
                for kind in some
            }
            for kind, page in opened.items():
                page.wait_for_load_state("load")
                _wait(page, kind)
            page.wait_for_timeout(300)
            moved |= {kind: page.evaluate(SHIFT) for kind, page in opened.items()}
            kept_windows.release()
    assert {kind: value for kind, value in moved.items() if value >= 0.001} == {}


def test_every_page_of_figures_weighs_less_than_150_kb(real_site: Path) -> None:
    """Reports are for who checks the figures, and may be longer."""
    names = [path.relative_to(real_site) for path in sorted(real_site.rglob("*.html"))]
    names = [name for name in names if not name.is_relative_to("source/reports")]
    heavy = [name for name in names if (real_site / name).stat().st_size > 200_000]
    assert {Path(LARGEST_GUIDE), Path(LONG_TABLE)} <= set(heavy)
    compared = real_site.joinpath("source/compare").rglob("*.html")
    assert max(path.stat().st_size for path in compared) <= 600_000
    tool = [sys.executable, TOP / "bench/page_weight.py", real_site, *heavy]
    run = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(run.stdout.splitlines()) == len(heavy) + 1

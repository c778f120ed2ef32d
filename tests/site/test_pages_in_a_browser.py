"""The built pages in a real browser: tables that scroll, tabs, paper, a folder, the policy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from conftest import TOP
from kinds import BENCHMARK, GUIDE, KINDS, LONG_TABLE
from playwright.sync_api import Page, expect
from windows import Windows, unfolded

OPENSSL = "source/guides/AM335X/linux/06.00.00.00.html"


def _open(windows: Windows, real_site: Path, page: str, width: int, height: int = 844) -> Page:
    return unfolded(windows.open(f"file://{real_site}/{page}", width, height))


def test_head_and_row_key_stay_in_view_while_a_table_scrolls(
    windows: Windows, real_site: Path
) -> None:
    page = _open(windows, real_site, GUIDE, 1280, 500)
    box = page.locator("figure:has-text('UDP ingress, loss possible') .perf-scroll").first
    box.scroll_into_view_if_needed()
    key, head = box.locator("tbody tr").last.locator("th"), box.locator("thead th").first
    # As a browser shows it that knows no container queries; others stack such a table.
    box.evaluate("e => { e.className = 'perf-scroll'; e.style.width = '20rem'; }")
    outer = box.bounding_box()
    assert outer is not None
    sideways = box.evaluate("e => e.scrollWidth - e.clientWidth")
    assert sideways > 0, "the table is too wide for its place"
    box.evaluate("e => { e.scrollLeft = 10000; }")
    after = key.bounding_box()
    assert after is not None and abs(after["x"] - outer["x"]) <= 2
    long = page.locator("figure:has-text('LMBench: memory bandwidth') .perf-scroll").first
    long.scroll_into_view_if_needed()
    page.locator("figure:has-text('LMBench: memory bandwidth') input[type=checkbox]").first.check()
    down = long.evaluate("e => { e.scrollTop = 400; return e.scrollTop; }")
    assert down > 0
    head = long.locator("thead th").first
    long_box, head_box = long.bounding_box(), head.bounding_box()
    assert long_box is not None and head_box is not None
    assert abs(head_box["y"] - long_box["y"]) <= 2


def test_a_tab_shows_its_alternative_and_nothing_else(windows: Windows, real_site: Path) -> None:
    page = _open(windows, real_site, OPENSSL, 1280)
    first = page.locator(".perf-table .perf-tabs").first
    assert first.locator("[role=tabpanel]:visible").count() == 1
    first.get_by_role("tab", name="aes-256-cbc").click()
    shown = first.locator("[role=tabpanel]:visible")
    assert shown.count() == 1
    assert "33,120" in shown.inner_text() and "32,702" not in shown.inner_text()


def test_symbols_have_names_and_cells_have_scopes(windows: Windows, real_site: Path) -> None:
    page = _open(windows, real_site, GUIDE, 1280)
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


def test_a_row_that_moved_to_a_page_of_its_table_is_found_at_its_old_address(
    windows: Windows, real_site: Path
) -> None:
    page = _open(windows, real_site, LONG_TABLE, 1280)
    row = page.locator("tr[id]").nth(40).get_attribute("id")
    page.goto(f"file://{real_site}/{BENCHMARK}?x=1#{row}")
    page.wait_for_url(f"file://{real_site}/{LONG_TABLE}?x=1#{row}")
    expect(page.locator("tr:target")).to_be_in_viewport()
    page.locator(".perf-elsewhere a").first.click()
    page.wait_for_url("**/openssl/X86-64.html#over-releases-x86-64-linux")
    page.goto(f"file://{real_site}/{BENCHMARK}#over-releases-x86-64-linux")
    page.wait_for_url("**/openssl/X86-64.html#over-releases-x86-64-linux")


def test_tables_and_charts_fit_the_paper(windows: Windows, real_site: Path) -> None:
    """A sheet of A4 between the margins of a browser is 718 by 1047 CSS pixels."""
    for name in (OPENSSL, KINDS["benchmark"]):
        page = _open(windows, real_site, name, 718)
        page.emulate_media(media="print")
        wide = page.locator("table.perf-grid").evaluate_all(
            "all => all.filter(e => e.getBoundingClientRect().right > 718).length"
        )
        assert wide == 0, name
        charts = page.locator("figure.perf-chart img").evaluate_all(
            "all => all.filter(e => e.offsetParent).map(e => [e.offsetWidth, e.offsetHeight])"
        )
        assert charts and all(0 < x <= 718 and 0 < y < 400 for x, y in charts), name
    # Folds are printed, but not the texts of all findings of a site.
    page = windows.open(f"file://{real_site}/{KINDS['health']}", 718, 844)
    page.emulate_media(media="print")
    every, below = (
        page.locator(f"{where} p").evaluate_all("all => all.map(e => e.checkVisibility())")
        for where in (".perf-fold", "#all-findings details")
    )
    assert True in every and below and True not in below


def test_readers_choose_findings_by_benchmark_and_release(
    windows: Windows, real_site: Path
) -> None:
    page = windows.open(f"file://{real_site}/{KINDS['health']}")
    guides = page.locator("#all-findings > details > details")
    counts = guides.locator("> summary small").all_text_contents()
    of_benchmark = [re.search(r"LMBench (\d+)", each) for each in counts]
    numbers = [int(found[1]) for found in of_benchmark if found]
    page.get_by_label("Benchmark").select_option("LMBench")
    expect(page.locator("#all-findings [role=status]")).to_have_text(
        f"{sum(numbers)} findings in {len(numbers)} guides"
    )
    page.get_by_label("Release").select_option(index=1)
    findings = guides.locator("> details:not([hidden]) > summary").all_text_contents()
    assert findings and all(" LMBench, " in each for each in findings)


def test_a_page_works_from_a_folder_too(windows: Windows, real_site: Path) -> None:
    for kind in ("largest guide, with charts", "benchmark"):
        page = windows.open(f"file://{real_site}/{KINDS[kind]}")
        assert page.locator("h1").first.is_visible()


def test_tabs_and_navigation_are_alive(windows: Windows, real_address: str) -> None:
    page = windows.open(f"{real_address}/{KINDS['benchmark with many tables']}")
    page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
    tabs = page.locator(".perf-tabs").first
    second = tabs.get_by_role("tab").nth(1)
    second.click()
    assert second.get_attribute("aria-selected") == "true"
    assert tabs.locator("[role=tabpanel]:visible").count() == 1
    # The theme's own script puts a button to unfold into its menu, and follows the scroll.
    assert page.locator(".wy-menu-vertical button.toctree-expand").count() > 0
    page.set_viewport_size({"width": 400, "height": 800})
    page.locator("[data-toggle=wy-nav-top]").first.click()
    assert "shift" in str(page.locator(".wy-nav-side").get_attribute("class"))


def test_search_finds(windows: Windows, real_address: str) -> None:
    page = windows.open(f"{real_address}/index.html")
    page.locator("#rtd-search-form input[name=q]").fill("provenance")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results li a")
    links = page.locator("#search-results li a").all()
    assert any("provenance" in str(link.get_attribute("href")) for link in links)
    page.wait_for_selector("#search-results li p.context")  # read from the pages found


def test_a_search_from_the_front_page_gives_the_figure_and_leads_to_its_row(
    windows: Windows, real_address: str
) -> None:
    page = windows.open(f"{real_address}/index.html")
    page.locator(".perf-search input").fill("aes-256-cbc 1 KiB am62x")
    page.keyboard.press("Enter")
    first = page.locator(".perf-found-rows li").first
    first.wait_for()
    assert "AES-256-CBC, 1 KiB" in first.inner_text() and "AM62X" in first.inner_text()
    shown = first.locator("data").first.get_attribute("value")
    # What follows is there, and directly below.
    following = page.locator(".perf-found-rows + ul")
    gap = "e => e.getBoundingClientRect().top - e.previousElementSibling.lastChild.getBoundingClientRect().bottom"
    assert 0 <= following.evaluate(gap) < 40
    first.locator("a").click()
    page.wait_for_load_state()
    row = page.locator(":target")
    assert row.locator("data").evaluate_all("all => all.map(e => e.value)").count(shown) == 1
    assert row.locator("th").first.inner_text() == "1 KiB"


def test_rows_that_a_search_finds_in_several_guides_are_of_more_than_one_of_them(
    windows: Windows, real_address: str
) -> None:
    page = windows.open(f"{real_address}/search.html?q=aes-128-cbc+throughput")
    page.locator(".perf-found-rows li").first.wait_for()
    pages = [
        str(link.get_attribute("href")).partition("#")[0]
        for link in page.locator(".perf-found-rows li > a").all()
    ]
    assert len(set(pages)) > 1 and max(pages.count(each) for each in pages) <= 2
    titles = page.locator("#perf-found > ul:not(.perf-found-rows) > li").all_inner_texts()
    socs = [title.partition(", in ")[2].split()[0] for title in titles if "guide" in title]
    assert len(socs) == len(set(socs)), "each SoC has one place"
    assert "sections" in page.locator("#perf-found > details > summary").inner_text()


def test_a_question_about_hardware_crypto_leads_to_its_answer(
    windows: Windows, real_address: str
) -> None:
    page = windows.open(f"{real_address}/search.html?q=hardware+crypto+worth+am335x")
    links = page.locator("#perf-found > ul:not(.perf-found-rows) a")
    assert "openssl.html#accelerator" in str(links.first.get_attribute("href"))
    links.nth(1).click()
    page.wait_for_load_state()
    assert page.url.endswith("#chapter-crypto")
    assert "Hardware crypto is faster from" in page.locator("[role=main]").inner_text()


def _check_explorer(page: Page) -> None:
    """Check the figures of two sides, their ratios, and what is said of these, by the bundles."""
    sides = parse_qs(urlsplit(page.url).query)["side"]
    measured = []
    for side in sides:
        path, _, board = side.partition(":")
        results = json.loads((TOP / f"results/{path}/{board}.json").read_bytes())["results"]
        samples = [each.get("samples") or [each["value"]] for each in results]
        measured.append({round(sum(own) / len(own), 6) for own in samples})
    towards = []
    rows = page.locator(".perf-explorer-result table").first.locator("tbody tr").all()
    for row in rows:
        cells = [
            [float(each.get_attribute("value") or "nan") for each in cell.locator("data").all()]
            for cell in row.locator("td").all()
        ]
        assert all(round(own[0], 6) in known for own, known in zip(cells, measured, strict=True))
        (one,), (other, ratio) = cells
        assert abs(ratio - other / one) < 1e-9
        arrow = row.locator("th").inner_text()[-1]
        towards += {"↑": [ratio], "↓": [1 / ratio]}.get(arrow, [])
    said = page.locator(".perf-explorer-status").inner_text()
    better = sum(each > 1 for each in towards)
    assert towards and re.search(rf" beats \S.* in {better} of {len(towards)} results", said), said


def _best_of_newest(soc: str, benchmark: str) -> tuple[str, set[float]]:
    """The newest release of a SoC that measured a benchmark, whatever the system, and the largest
    figure of all boards in each unit."""
    runs: dict[tuple[int, ...], list[tuple[str, dict[str, Any]]]] = {}
    for path in TOP.glob(f"results/{soc}/*/*/*.json"):
        bundle = json.loads(path.read_bytes())
        release = bundle["sdk"]["version"]
        results = [each for each in bundle["results"] if each["benchmark"] == benchmark]
        own = [(release, each) for each in results if each["unit"] != "MHz"]
        if own:
            runs.setdefault(tuple(map(int, release.split("."))), []).extend(own)
    best: dict[str, float] = {}
    for _, each in (newest := runs[max(runs)]):
        samples = each.get("samples") or [each["value"]]
        mean = round(sum(samples) / len(samples), 6)
        best[each["unit"]] = max(mean, best.get(each["unit"], 0.0))
    return newest[0][0], set(best.values())


def test_a_search_for_two_socs_has_their_figures_side_by_side_and_leads_to_all_of_them(
    windows: Windows, real_address: str
) -> None:
    page = windows.open(f"{real_address}/search.html?q=dhrystone+am62x+am64x")
    table = page.locator(".perf-found-sides table")
    table.wait_for()
    assert table.locator("thead th").all_inner_texts() == ["Figure", "AM62X", "AM64X"]
    for column, soc in enumerate(("AM62X", "AM64X"), 1):
        release, best = _best_of_newest(soc, "dhrystone")
        cells = table.locator(f"tbody tr > :nth-child({column + 1})")
        values = cells.locator("data").evaluate_all("all => all.map(each => Number(each.value))")
        assert {round(value, 6) for value in values} == best
        assert all(
            text.endswith(f" {release}") for text in cells.locator("small").all_inner_texts()
        )
    page.get_by_role("link", name="All of Dhrystone side by side").click()
    page.locator(".perf-explorer-result table").first.wait_for()
    heads = page.locator(".perf-explorer-result thead").first.inner_text()
    assert "AM62X" in heads and "AM64X" in heads
    _check_explorer(page)
    # What was found in the search, with its board and release, is there too.
    page.go_back()
    chosen = page.locator(".perf-found-sides a[href*='explore']").get_attribute("href") or ""
    assert "side=AM62X/linux/09.01.00.08:am62x" in chosen
    assert "side=AM64X/rt-linux/08.06.00.42:am64x" in chosen
    assert windows.heard(page).messages == []


def test_two_releases_chosen_in_the_list_of_comparisons_open_their_comparison(
    windows: Windows, real_address: str
) -> None:
    page = windows.open(f"{real_address}/source/compare/index.html")
    form = page.get_by_role("form", name="Compare two releases")
    form.get_by_label("SoC and system").select_option("AM62X Linux")
    assert form.get_by_label("Older").input_value() == "09.00.00.03"
    form.get_by_role("button", name="Compare").click()
    page.wait_for_url("**/compare/AM62X/linux/09.00.00.03-vs-09.01.00.08.html")
    assert windows.heard(page).messages == []


def test_the_front_page_has_the_headline_results_of_each_soc(
    windows: Windows, real_address: str
) -> None:
    page = windows.open(f"{real_address}/index.html")
    rows = page.locator(".perf-overview tbody tr")
    socs = rows.locator("th > a").all_inner_texts()
    assert [soc for soc in socs if soc != "SOC1"] == ["AM62X", "AM64X", "AM335X"]
    # All of its figures were measured under load, and stand beside no idle board.
    assert page.locator("a", has_text="X86-64").count()
    cell = rows.first.locator("td a").first
    shown = cell.locator("data").get_attribute("value")
    cell.click()
    page.wait_for_load_state()
    held = page.locator(":target").locator("xpath=ancestor-or-self::tr").locator("data")
    assert shown in held.evaluate_all("all => all.map(e => e.value)")


def test_the_policy_is_in_force(windows: Windows, real_site: Path, tmp_path: Path) -> None:
    """A script and a style put into a page by hand do not run."""
    planted = tmp_path / "planted.html"
    (tmp_path / "_static").symlink_to(real_site / "_static")
    text = (real_site / "index.html").read_text("utf-8")
    evil = "<style>body{color:red}</style><script>document.title='taken'</script>"
    evil += "<img src=x onerror=\"document.title='taken'\">"
    planted.write_text(text.replace('<div role="main"', f'{evil}<div role="main"'), "utf-8")
    page = windows.open(f"file://{planted}")
    assert page.title() != "taken"
    said = windows.heard(page).complaints
    assert len([line for line in said if "Content Security Policy" in line]) >= 2
    said.clear()

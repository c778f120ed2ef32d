"""The built site for every reader: keyboard, screen reader, phone, dark, paper, no script."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from conftest import BASE, TOP
from kinds import GUIDE, LARGEST_GUIDE
from playwright.sync_api import Browser, Page
from profiles import count
from site_links import NAMESPACE, broken, ids, pages
from windows import Windows

Pages = dict[Path, Element]


def _colour(page: Page, selector: str, name: str = "background-color") -> list[int]:
    value = page.evaluate(
        "([s, n]) => getComputedStyle(document.querySelector(s)).getPropertyValue(n)",
        [selector, name],
    )
    return [int(part) for part in re.findall(r"\d+", value)[:3]]


def test_html_is_sound_and_every_link_and_anchor_leads_somewhere(
    real_site: Path, real_pages: Pages
) -> None:
    assert len(real_pages) > 30
    assert list(broken(real_site, real_pages)) == []
    for path, root in real_pages.items():
        names = ids(root)
        assert len(names) == len(set(names)), path


def test_the_checker_of_links_sees_what_is_broken(tmp_path: Path) -> None:
    text = (
        '<!DOCTYPE html><title>x</title><a href="no.html">a</a><a href="#no">b</a><img src="p.png">'
    )
    (tmp_path / "a.html").write_text(text + '<p aria-labelledby="z" id="y">c</p>', "utf-8")
    found = pages(tmp_path)
    assert len(list(broken(tmp_path, found))) == 4
    (tmp_path / "a.html").write_text("<p>no doctype<b></p>", "utf-8")
    with pytest.raises(AssertionError, match=r"a\.html"):
        pages(tmp_path)


def test_no_page_holds_a_script_a_handler_or_another_host(real_pages: Pages) -> None:
    assert len(real_pages) > 20
    for path, root in real_pages.items():
        text = path.read_text("utf-8")
        head = text.index("Content-Security-Policy")
        assert head < text.index("<script") and head < text.index("<link")
        for node in root.iter():
            if node.tag == f"{NAMESPACE}script":
                assert node.get("src") and not (node.text or "").strip(), path
            for name, value in node.items():
                assert not name.lower().startswith("on"), (path, name)
                loads = name in ("src", "data", "poster") or (
                    name == "href"
                    and node.tag == f"{NAMESPACE}link"
                    and node.get("rel") not in ("canonical", "alternate")
                )
                assert not (loads and re.match(r"(https?:)?//", value)), (path, value)
                assert not value.strip().lower().startswith("javascript:"), (path, value)


def test_the_keyboard_alone_is_enough(windows: Windows, real_address: str) -> None:
    page = windows.open(f"{real_address}/{LARGEST_GUIDE}")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "perf-skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#perf-main"
    page.keyboard.press("Tab")
    inside = "document.querySelector('[role=main]').contains(document.activeElement)"
    assert page.evaluate(inside)
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.locator("details.perf-fold > summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details.perf-fold[open]").count() == 1
    tabs = page.locator(".perf-table .perf-tabs").first.get_by_role("tab")
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert tabs.nth(1).get_attribute("aria-selected") == "true"
    panel = page.locator(f"[id='{tabs.nth(1).get_attribute('aria-controls')}']")
    assert panel.is_visible()


def test_the_menu_of_a_phone_is_a_button(windows: Windows, real_address: str) -> None:
    page = windows.open(f"{real_address}/index.html", 390)
    page.get_by_role("button", name="Navigation menu").focus()
    page.keyboard.press("Enter")
    assert "shift" in str(page.locator(".wy-nav-side").get_attribute("class"))


def test_dark_follows_the_system_and_the_switch_is_remembered(
    windows: Windows, real_address: str
) -> None:
    page = windows.open(f"{real_address}/{GUIDE}", scheme="dark")
    button = page.locator(".perf-scheme")
    assert max(_colour(page, ".wy-nav-content-wrap")) < 60
    assert button.inner_text() == "Light colours"
    button.click()
    assert min(_colour(page, ".wy-body-for-nav")) > 200
    page.goto(f"{real_address}/index.html")
    assert min(_colour(page, ".wy-body-for-nav")) > 200
    assert page.locator(".perf-scheme").inner_text() == "Dark colours"
    page.locator(".perf-scheme").click()  # back to the system's: nothing is kept
    assert page.evaluate("Object.keys(localStorage)") == []
    page.emulate_media(color_scheme="light")
    assert min(_colour(page, ".wy-body-for-nav")) > 200
    page.locator(".perf-scheme").click()
    assert max(_colour(page, ".wy-body-for-nav")) < 60
    # Charts have the page's ground, and their black lines become light ones.
    page.goto(f"{real_address}/{LARGEST_GUIDE}")
    own = "getComputedStyle(document.querySelector('figure.perf-chart img'))"
    assert page.evaluate(f"{own}.backgroundColor") == "rgba(0, 0, 0, 0)"
    assert "invert" in page.evaluate(f"{own}.filter")


def test_everything_can_be_read_without_script(windows: Windows, real_address: str) -> None:
    for width in (390, 1280):
        page = windows.open(f"{real_address}/{LARGEST_GUIDE}", width, java_script_enabled=False)
        folded = page.locator("details.perf-fold:not([open]) > summary")
        while folded.count():
            folded.first.click()
        panels = page.locator(".perf-tabs > [role=tabpanel]")
        assert panels.count() > 10
        assert all(panel.is_visible() for panel in panels.all())
        assert page.locator(".wy-menu-vertical a").first.is_visible()
        assert not page.locator(".perf-scheme").is_visible()


def test_paper_is_white_and_has_every_alternative(windows: Windows, real_address: str) -> None:
    page = windows.open(f"{real_address}/{LARGEST_GUIDE}", scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    assert max(_colour(page, ".perf-grid td", "color")) < 120
    assert not page.locator(".wy-nav-side").is_visible()
    panels = page.locator(".perf-tabs > [role=tabpanel]")
    assert all(panel.is_visible() for panel in panels.all())


def test_nothing_moves_for_those_who_want_no_motion(windows: Windows, real_address: str) -> None:
    page = windows.open(f"{real_address}/index.html", motion="reduce")
    longest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('*')].map("
        "e => parseFloat(getComputedStyle(e).transitionDuration)))"
    )
    assert longest <= 0.001


def test_every_chart_says_its_size_before_it_is_there(real_pages: Pages) -> None:
    charts = 0
    for path, root in real_pages.items():
        for image in root.iter(f"{NAMESPACE}img"):
            assert int(image.get("width", 0)) > 100 and int(image.get("height", 0)) > 50, path
            charts += 1
    assert charts > 20


def _search(page: Page, real_address: str, query: str) -> list[tuple[str, str]]:
    page.goto(f"{real_address}/index.html")
    page.locator("#rtd-search-form input[name=q]").fill(query)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?*")
    page.wait_for_selector("#search-results p")
    links = page.locator("#perf-found ul:not(.perf-found-rows) a").all()
    return [(str(link.get_attribute("href")), link.inner_text()) for link in links]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("aes 128 cbc am62", "source/guides/AM62X/linux/09.01.00.08.html#openssl"),
        ("AM62 aes-128-cbc", "source/guides/AM62X/linux/09.01.00.08.html#openssl"),
        ("lat_mem_rd", "source/by-benchmark/lmbench.html#newest"),
        ("lat_mem_rd am62", "source/guides/AM62X/linux/09.01.00.08.html#lmbench"),
        ("lmbench 09.00", "source/guides/AM62X/linux/09.00.00.03.html#lmbench"),
        ("am62xxsip_sk-fs dhrystone", "source/guides/AM62X/linux/09.01.00.08.html#dhrystone"),
    ][:: count(2, heavy=1)],
)
def test_search_leads_to_the_section(
    windows: Windows, real_address: str, real_site: Path, query: str, first: str
) -> None:
    page = windows.open(f"{real_address}/index.html")
    found = _search(page, real_address, query)
    assert found[0][0].removeprefix("./") == first
    page.locator("#perf-found ul:not(.perf-found-rows) a").first.click()
    page.wait_for_url(f"**/{first}")
    assert page.evaluate("document.getElementById(location.hash.slice(1)) !== null")
    assert windows.heard(page).messages == []


def test_search_works_from_a_folder_and_says_nothing_where_nothing_is(
    browser: Browser, real_site: Path
) -> None:
    # Not one of the windows, which may complain of nothing: Sphinx fetches the pages that it has
    # found for an excerpt of each, and from a folder the browser refuses that.
    page = browser.new_page()
    page.goto(f"file://{real_site}/search.html?q=lat_mem_rd")
    assert page.locator("#perf-found a").count() > 1
    page.goto(f"file://{real_site}/search.html?q=zzzzqq")
    assert not page.locator("#perf-found").is_visible()
    page.close()


def test_the_index_has_names_and_no_figures(real_site: Path, real_pages: Pages) -> None:
    words = (real_site / "_static/perfguide-words.js").read_text("utf-8")
    whole = words + (real_site / "searchindex.js").read_text("utf-8")
    assert "1252" not in whole and "32702" not in whole
    index = json.loads(words.partition("=")[2].rstrip(";\n"))
    anchors = {
        path.relative_to(real_site).as_posix(): set(ids(root)) for path, root in real_pages.items()
    }
    assert len(index["places"]) > 40
    for page, section, anchor in index["places"]:
        assert anchor in anchors[index["pages"][page][0]]
        assert index["sections"][section][0]


MOVED = dict.fromkeys(
    ("source/speed.html", "source/compare-quality.html"), "source/speed-and-accuracy.html"
)
"""Old addresses of hand-written pages, and where they lead."""


def test_pages_say_what_they_are(real_site: Path, real_pages: Pages) -> None:
    described = set()
    for path, root in real_pages.items():
        name = path.relative_to(real_site).as_posix()
        metas = {
            n.get("name") or n.get("property"): n.get("content")
            for n in root.iter(f"{NAMESPACE}meta")
        }
        links = {n.get("rel"): n.get("href") for n in root.iter(f"{NAMESPACE}link")}
        if name.startswith(("genindex", "search")):
            continue
        leads = name
        if path.name == "latest.html":
            guides = [p for p in path.parent.glob("*.html") if p.name != "latest.html"]
            newest = max(guides, key=lambda p: [int(part) for part in p.stem.split(".")])
            leads = newest.relative_to(real_site).as_posix()
        if name in MOVED:
            leads = MOVED[name]
        assert links["canonical"] == f"{BASE}/{leads}"
        assert metas.get("description"), name
        described.add(metas["description"])
    assert len(described) > 30
    guide = (real_site / GUIDE).read_text("utf-8")
    assert "1014 figures of LMBench" in guide and "measured on am62xx_lp_sk-fs" in guide


def test_each_soc_has_a_feed_of_its_own_releases(real_site: Path) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    every = ET.parse(real_site / "feed.xml").getroot().findall(f"{atom}entry/{atom}id")
    of_socs = []
    for path in sorted(real_site.glob("source/guides/*/feed.xml")):
        feed = ET.parse(path).getroot()
        assert {link.get("href", "").split("/")[-3] for link in feed.iter(f"{atom}link")} >= {
            path.parent.name
        }
        of_socs += [entry.text for entry in feed.findall(f"{atom}entry/{atom}id")]
        # What RFC 4287 asks of a feed and of its entries.
        for part in (feed, *feed.iter(f"{atom}entry")):
            assert all(part.findtext(f"{atom}{name}") for name in ("title", "id"))
            assert datetime.fromisoformat(part.findtext(f"{atom}updated", "")).tzinfo
        assert feed.findtext(f"{atom}author/{atom}name")
        for link in feed.iter(f"{atom}link"):
            page = link.attrib["href"].removeprefix(f"{BASE}/").partition("#")[0]
            assert (real_site / page).is_file(), page
        page = (path.parent / "index.html").read_text("utf-8")
        assert 'href="feed.xml"' in page
    assert sorted(of_socs) == sorted(entry.text for entry in every)


def test_the_feed_has_each_release_by_day(real_site: Path) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ET.parse(real_site / "feed.xml").getroot()
    entries = feed.findall(f"{atom}entry")
    assert len(entries) == 8, "the guides and what was corrected"
    days = [entry.findtext(f"{atom}updated") for entry in entries]
    assert days == sorted(days, reverse=True) and feed.findtext(f"{atom}updated") == days[0]
    _check_releases({each.findtext(f"{atom}title", ""): each for each in entries}, atom, real_site)


def _check_releases(entries: dict[str, Element], atom: str, real_site: Path) -> None:
    """Check what entries say of releases by the bundles, and their advice by their SoC's comparisons."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for path in TOP.glob("results/*/*/*/*.json"):
        run = json.loads(path.read_bytes())
        system = {"linux": "Linux", "rt-linux": "RT-Linux"}[run["sdk"]["os"]]
        runs.setdefault(f"{run['board']['soc']}, {system} {run['sdk']['version']}", []).append(run)
    assert len(runs) > 3
    for title, own in runs.items():
        entry = entries.pop(title)
        days = sorted(datetime.fromisoformat(run["created"]) for run in own)
        said = [
            datetime.fromisoformat(entry.findtext(f"{atom}{name}", ""))
            for name in ("published", "updated")
        ]
        assert said == [days[0], days[-1]], title
        boards = ", ".join(sorted({run["board"]["name"] for run in own}))
        count, _, advice = entry.findtext(f"{atom}summary", "").partition(f" of {boards}")
        assert count == f"{len(own)} bundle{'s' if len(own) > 1 else ''}", title
        if advice := advice.strip(". "):
            soc = title.partition(",")[0]
            listed = (real_site / f"source/compare/{soc}/index.html").read_text("utf-8")
            assert advice in listed and title.rpartition(" ")[2] in listed

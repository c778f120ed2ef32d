"""Every kind of page works under the strict policy that it states, in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import html5lib
import pytest
from conftest import run_sphinx
from html_tables import NAMESPACE
from kinds import KINDS
from playwright.sync_api import Browser, ConsoleMessage, Page

from perfguide.sphinxext.csp import POLICY


def _open(browser: Browser, url: str) -> tuple[Page, list[str], set[str]]:
    """A page, what it complains of, and what it asked for, both growing as it lives."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    said: list[str] = []
    asked: set[str] = set()

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            said.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.add(request.url))
    page.goto(url, wait_until="load")
    return page, said, asked


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_breaks_no_rule_of_its_policy(
    browser: Browser, real_address: str, kind: str
) -> None:
    page, said, asked = _open(browser, f"{real_address}/{KINDS[kind]}")
    for image in page.locator("img").all():
        assert image.evaluate("async e => { await e.decode(); return e.naturalWidth; }") > 0
    assert said == []
    assert all(url.startswith((real_address, "data:")) for url in asked)
    page.close()


def test_a_page_works_from_a_folder_too(browser: Browser, real_site: Path) -> None:
    for kind in ("largest guide, with charts", "benchmark"):
        page, said, _ = _open(browser, f"file://{real_site}/{KINDS[kind]}")
        assert said == []
        page.close()


def test_tabs_and_navigation_are_alive(browser: Browser, real_address: str) -> None:
    page, said, _ = _open(browser, f"{real_address}/{KINDS['benchmark with many tables']}")
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
    assert said == []
    page.close()


def test_search_finds(browser: Browser, real_address: str) -> None:
    page, said, _ = _open(browser, f"{real_address}/index.html")
    page.locator("#rtd-search-form input[name=q]").fill("provenance")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results li a")
    links = page.locator("#search-results li a").all()
    assert any("provenance" in str(link.get_attribute("href")) for link in links)
    page.wait_for_selector("#search-results li p.context")  # read from the pages found
    assert said == []
    page.close()


def test_the_policy_is_in_force(browser: Browser, real_site: Path, tmp_path: Path) -> None:
    """A script and a style put into a page by hand do not run."""
    planted = tmp_path / "planted.html"
    (tmp_path / "_static").symlink_to(real_site / "_static")
    text = (real_site / "index.html").read_text("utf-8")
    evil = "<style>body{color:red}</style><script>document.title='taken'</script>"
    evil += "<img src=x onerror=\"document.title='taken'\">"
    planted.write_text(text.replace('<div role="main"', f'{evil}<div role="main"'), "utf-8")
    page, said, _ = _open(browser, f"file://{planted}")
    assert page.title() != "taken"
    assert len([line for line in said if "Content Security Policy" in line]) >= 2
    page.close()


def test_no_page_holds_a_script_a_handler_or_another_host(real_site: Path) -> None:
    pages = list(real_site.rglob("*.html"))
    assert len(pages) > 20
    for path in pages:
        text = path.read_text("utf-8")
        head = text.index("Content-Security-Policy")
        assert head < text.index("<script") and head < text.index("<link")
        for node in html5lib.parse(text).iter():
            if node.tag == f"{NAMESPACE}script" and node.get("type") == "application/ld+json":
                json.loads(node.text)  # data, which no browser runs
            elif node.tag == f"{NAMESPACE}script":
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


def test_the_policy_of_the_documentation_is_the_one_of_the_pages() -> None:
    security = (Path(__file__).parents[2] / "SECURITY.md").read_text("utf-8")
    assert POLICY in " ".join(security.split())


def test_without_the_value_pages_are_the_themes_own(tmp_path: Path) -> None:
    (tmp_path / "p/results").mkdir(parents=True)
    (tmp_path / "p/conf.py").write_text(
        'extensions = ["perfguide"]\nhtml_theme = "sphinx_rtd_theme"\n', "utf-8"
    )
    (tmp_path / "p/index.rst").write_text("Title\n=====\n", "utf-8")
    assert run_sphinx(tmp_path / "p", tmp_path / "html").returncode == 0
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert "Content-Security-Policy" not in page and "perfguide-page.js" not in page
    assert run_sphinx(tmp_path / "p", tmp_path / "csp", "-Dperfguide_csp=1").returncode == 0
    page = (tmp_path / "csp/index.html").read_text("utf-8")
    assert "Content-Security-Policy" in page and "<script>" not in page

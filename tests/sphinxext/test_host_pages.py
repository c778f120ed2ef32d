"""The pages of another project stay as they are, byte for byte, when it loads the extension."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import hosts
import pytest
from profiles import count

from perfguide.common.package import ROOT
from perfguide.sphinxext import html_table

THEMES = {
    "alabaster": "sphinxext.opengraph",
    "classic": "sphinx.ext.githubpages",
    "furo": "sphinx.ext.autodoc",
    "pydata_sphinx_theme": "sphinx_tabs.tabs",
    "sphinx_rtd_theme": "sphinx_sitemap",
}
"""Themes of others, each with an extension of others."""
GUIDE = f"{hosts.FIGURES}/guides/AM62X/linux/09.02.html"


@pytest.mark.parametrize("theme", [*THEMES][count(-2, heavy=0) :])
def test_pages_of_a_host_are_those_that_it_has_without_us(theme: str, tmp_path: Path) -> None:
    other = THEMES[theme]
    ours = hosts.build(hosts.write(tmp_path / "ours", theme, other), tmp_path / "with")
    doctrees = tmp_path / "with.doctrees"
    project = hosts.write_without(tmp_path / "plain", theme, doctrees, other)
    plain = hosts.build(project, tmp_path / "without")
    wanted, found = hosts.files(plain), hosts.files(ours)
    assert {f"{name}.html" for name in hosts.PAGES} <= {*wanted}
    assert {name for name in wanted if found.get(name) != wanted[name]} == set()
    added = {name for name in {*found} - {*wanted} if not name.startswith(("_static/", "api/v1/"))}
    # Beside the folder of our pages there are their files for download and pictures.
    beside = ("_downloads/", "_images/")
    others = {name for name in added if not name.startswith(beside)}
    assert {name for name in others if not name.endswith("/feed.xml")} <= {"feed.xml"}
    page = (ours / GUIDE).read_text("utf-8")
    assert "perfguide.css" in page and "perfguide-tables.js" in page
    assert page.count('name="description"') == 1
    before = _times(ours)
    again = hosts.build(tmp_path / "ours", ours)
    assert _times(again) == before
    assert hosts.files(again) == found


def _times(site: Path) -> dict[str, int]:
    """When each page was written that Sphinx does not write in every build."""
    pages = (path for path in site.rglob("*.html") if path.stem not in ("genindex", "search"))
    return {str(path): path.stat().st_mtime_ns for path in pages}


def test_text_of_a_host_is_what_it_has_without_us(tmp_path: Path) -> None:
    text = ("-b", "text")
    ours = hosts.build(hosts.write(tmp_path / "ours", "basic"), tmp_path / "with", *text)
    project = hosts.write_without(tmp_path / "plain", "basic", tmp_path / "with.doctrees")
    plain = hosts.build(project, tmp_path / "without", *text)
    wanted, found = hosts.files(plain), hosts.files(ours)
    assert found == wanted and {f"{name}.txt" for name in hosts.PAGES} <= {*wanted}


def test_a_page_with_a_directive_of_ours_has_the_files_that_it_needs(tmp_path: Path) -> None:
    project = hosts.write(tmp_path / "host", "alabaster")
    with (project / "tables.rst").open("a", encoding="utf-8") as page:
        page.write("\n.. perf-csv-table:: Ours\n   :header-rows: 1\n\n   a,b\n   1,2\n")
    site = hosts.build(project, tmp_path / "site")
    text = (site / "tables.html").read_text("utf-8")
    assert "perfguide.css" in text and "perfguide-tables.js" in text
    # But it is not ours: others write what is in its head.
    assert 'name="description"' not in text and "feed.xml" not in text
    assert "perfguide-" not in (site / "guide.html").read_text("utf-8")


def test_what_heads_of_pages_say_can_be_left_out(tmp_path: Path) -> None:
    project = hosts.write(tmp_path / "host", "basic")
    told = hosts.build(project, tmp_path / "told")
    head = (told / GUIDE).read_text("utf-8")
    for part in ('name="description"', "application/atom+xml"):
        assert part in head
    assert (told / "feed.xml").is_file()
    with (project / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write("perfguide_description = perfguide_feed = False\n")
    silent = hosts.build(project, tmp_path / "silent")
    head = (silent / GUIDE).read_text("utf-8")
    for part in ('name="description"', "application/atom+xml"):
        assert part not in head
    assert not (silent / "feed.xml").exists()


def test_one_entry_leads_to_all_of_our_pages_until_it_is_taken_out(tmp_path: Path) -> None:
    project = hosts.write(tmp_path / "host", "basic")
    site = hosts.build(project, tmp_path / "site")
    menu = (site / "index.html").read_text("utf-8")
    assert re.findall(rf'<a [^>]*href="({hosts.FIGURES}/[^"]*)">([^<]*)', menu)[0] == (
        f"{hosts.FIGURES}/guides/index.html",
        "Figures of our boards",
    )
    body = menu.partition('<div class="toctree-wrapper compound">')[2]
    assert len(re.findall(rf'<li [^>]*><a [^>]*href="{hosts.FIGURES}/', body)) == 1
    lead = site / hosts.FIGURES / "guides/index.html"
    rest = {f"../{name}/index.html" for name in ("by-benchmark", "compare", "reports")}
    assert rest <= {*re.findall(r'href="([^"]*)"', lead.read_text("utf-8"))}
    # A project with a menu of its own has none of them twice.
    index = project / "index.rst"
    pages = "".join(f"   {hosts.FIGURES}/{name}/index\n" for name in ("guides", "by-benchmark"))
    pages += f"   {hosts.FIGURES}/reports/index\n"
    text = index.read_text("utf-8").replace(hosts.MENU, f"\n.. toctree::\n\n{pages}")
    index.write_text(text, "utf-8")
    own = hosts.build(project, site)
    between = (own / lead.relative_to(site)).read_text("utf-8")
    assert (
        "../reports/index.html" not in between.partition('id="guides"')[2].partition("<footer")[0]
    )


def _selectors(css: str) -> Iterator[str]:
    """Each selector of a style sheet, also those within other rules."""
    for prelude in re.findall(r"([^{};]+)\{", re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)):
        if not prelude.strip().startswith("@"):
            for selector in re.split(r",(?![^()]*\))", prelude):
                yield selector.strip()


@pytest.mark.parametrize("name", ["perfguide.css", "perfguide-guide.css"])
def test_each_selector_begins_with_a_class_of_ours(name: str) -> None:
    css = (ROOT / "sphinxext/static" / name).read_text("utf-8")
    if name == "perfguide.css":
        css += html_table.stacked((ROOT / "sphinxext/stacked.css").read_text("utf-8"))
    found = [*_selectors(css)]
    assert len(found) > 50
    assert [selector for selector in found if not selector.startswith(".perf-")] == []

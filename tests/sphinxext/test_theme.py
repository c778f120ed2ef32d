"""The theme's style sheet: no web fonts, and a dark value for every colour."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sphinx_rtd_theme
from conftest import run_sphinx

from perfguide.sphinxext import theme

WHOLE = Path(sphinx_rtd_theme.__path__[0], "static", "css", "theme.css").read_text("utf-8")
PALETTE = (theme.FOLDER / "palette.css").read_text("utf-8")
USED = re.compile(r"var\((--(?:fg|bg|bd)-[0-9a-z-]+),")


def test_fonts_go_and_the_readers_own_come() -> None:
    css = theme.light(
        "@font-face{font-family:Lato;src:url(x.woff)}body{font-family:Lato,sans-serif}"
        "code{font-family:SFMono-Regular,monospace}i{font:normal 14px/1 FontAwesome}"
    )
    assert "url(" not in css and "Lato" not in css and "Awesome" not in css
    assert "body{font-family:var(--perf-sans" in css and "code{font-family:var(--perf-mono" in css
    assert css.endswith("i{font:inherit}")


def test_icons_become_characters_of_every_font_or_go() -> None:
    css = theme.light(
        '.a:before{content:"\uf015"}.b:before{content:"\\f015"}.c:before{content:"\uf1fd"}'
    )
    assert css == '.a:before{content:"⌂"}.b:before{content:"⌂"}'


def test_a_colour_says_its_role_and_falls_back_to_itself() -> None:
    css = theme.light("a{color:#404040;background:#FFF;border-left:1px solid rgba(0,0,0,.1)}")
    assert css == (
        "a{color:var(--fg-404040,#404040);background:var(--bg-fff,#FFF);"
        "border-left:1px solid var(--bd-rgba-0-0-0-1,rgba(0,0,0,.1))}"
    )


def test_rules_inside_media_queries_are_seen() -> None:
    css = theme.light("@media print{a{color:#000}@page{margin:.5cm}}b{top:0}")
    assert css == "@media print{a{color:var(--fg-000,#000)}@page{margin:.5cm}}b{top:0}"


def test_nothing_of_the_installed_theme_needs_a_web_font() -> None:
    css = theme.light(WHOLE)
    assert "@font-face" in WHOLE and "@font-face" not in css
    assert re.findall(r"[\ue000-\uf8ff]|url\(|Lato|Roboto|FontAwesome", css) == []
    assert css.count("{") == css.count("}")


def test_every_colour_of_the_installed_theme_has_a_dark_value() -> None:
    used = set(USED.findall(theme.light(WHOLE)))
    assert len(used) > 50
    assert used - set(re.findall(r"(--[a-z0-9-]+):", PALETTE)) == set()


def test_the_palette_is_for_the_system_and_for_the_switch_and_not_for_paper() -> None:
    css = theme.dark(":root { --a: #000; }")
    assert css.count("--a: #000;") == 2 and css.count("@media screen") == 2
    assert ":root:not([data-scheme=light])" in css and ":root[data-scheme=dark]" in css
    with pytest.raises(ValueError, match="one rule"):
        theme.dark("nothing")


def test_a_page_is_wide_for_what_it_holds_and_not_for_what_it_says() -> None:
    assert theme.is_wide('<p>a</p>\n<figure class="perf-table perf-csv-table" id="x">')
    assert theme.is_wide('<table class="docutils perf-overview align-default">')
    assert theme.is_wide('<div class="perf-explorer" data-files="a">')
    assert not theme.is_wide("<p>&lt;div class=&quot;perf-table&quot;&gt;</p>")
    assert not theme.is_wide('<div class="perf-tables"><figure class="a" id="perf-table">')


def _site(tmp_path: Path, name: str) -> Path:
    (tmp_path / "p/results").mkdir(parents=True)
    conf = f'extensions = ["perfguide"]\nhtml_theme = "{name}"\n'
    (tmp_path / "p/conf.py").write_text(conf, "utf-8")
    (tmp_path / "p/index.rst").write_text("Title\n=====\n\nText.\n", "utf-8")
    run = run_sphinx(tmp_path / "p", tmp_path / "html")
    assert run.returncode == 0, run.stderr
    return tmp_path / "html"


def test_a_site_with_the_theme_ships_no_font(tmp_path: Path) -> None:
    site = _site(tmp_path, "perfguide")
    fonts = [p for p in site.rglob("*") if p.suffix in {".woff", ".woff2", ".ttf", ".eot"}]
    assert fonts == [] and not (site / "_static/css/theme.css").exists()
    assert (site / "_static" / theme.BASE).is_file()


def test_another_theme_is_left_alone(tmp_path: Path) -> None:
    site = _site(tmp_path, "sphinx_rtd_theme")
    assert (site / "_static/css/theme.css").is_file() and any(site.rglob("*.woff2"))
    assert not (site / "_static" / theme.BASE).exists()
    assert "perf-skip" not in (site / "index.html").read_text("utf-8")


CLASSES = re.compile(r"""class=["']([^"']*)["']|addClass\(["']([^"']*)["']\)""")


def written(folder: Path, *endings: str) -> set[str]:
    """The classes that templates, scripts or pages in a folder write."""
    texts = (path.read_text("utf-8") for ending in endings for path in folder.rglob(f"*.{ending}"))
    return {
        name
        for text in texts
        for found in CLASSES.findall(text)
        for name in " ".join(found).split()
    }


def test_no_rule_goes_for_a_class_that_a_template_or_a_page_holds(real_site: Path) -> None:
    used = written(Path(sphinx_rtd_theme.__path__[0]), "html", "js")
    used |= written(theme.FOLDER, "html") | written(real_site, "html")
    assert {"btn", "wy-nav-side", "fa-arrow-circle-left", "rst-content"} <= used
    hosts = {"fa-github", "fa-gitlab", "fa-bitbucket"}  # icons that no font of ours has
    assert {name for name in used if theme.UNUSED_CLASSES.search(f".{name}")} <= hosts


def test_rules_for_what_no_page_holds_go_and_their_neighbours_stay() -> None:
    css = theme.light(".wy-alert,.wy-menu{top:0}.wy-tray-item{top:1px}a{-o-top:0;top:2px;*zoom:1}")
    assert css == ".wy-menu{top:0}a{top:2px}"
    assert len(theme.light(WHOLE)) < 0.75 * len(WHOLE)

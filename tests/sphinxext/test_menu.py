"""The menu beside the pages: line by line Sphinx's own, and of long lists a part."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import run_sphinx

from perfguide.common import rst_text
from perfguide.sphinxext import menu

CONF = """
import json
from pathlib import Path
from perfguide.sphinxext import menu

found = {}
extensions = ["perfguide"]
html_theme = "perfguide"
kept = Path(__file__).with_name("menus.json")


def compare(app, page, template, context, doctree):
    asked = dict(maxdepth=3, collapse=True, titles_only=True, includehidden=True)
    theirs = str(app.builder._get_local_toctree(page, **asked))
    shown = menu.menu_of(app, 3, hidden=True)
    known = repr(shown.lists(page)) if shown else ""
    found[page] = [str(context["toctree"](**asked)), theirs, known]


def setup(app):
    app.connect("html-page-context", compare, priority=900)
    app.connect("build-finished", lambda *_: kept.write_text(json.dumps(found)))
"""


def _site(folder: Path, lists: dict[str, str]) -> dict[str, list[str]]:
    """The menus of all pages, ours and Sphinx's."""
    folder.mkdir()
    (folder / "conf.py").write_text(CONF, "utf-8")
    (folder / "results").mkdir()
    for page, text in lists.items():
        path = folder / f"{page}.rst"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    done = run_sphinx(folder, folder / "html", "-q", "-D", "perfguide_results=results")
    assert done.returncode == 0, done.stderr
    menus: dict[str, list[str]] = json.loads((folder / "menus.json").read_text("utf-8"))
    return menus


def _page(title: str, *below: str, caption: str = "", hidden: bool = False) -> str:
    rule = "=" * len(title)
    text = f"{title}\n{rule}\n\nText\n\nA section\n---------\n\n"
    if below:
        options = f"   :caption: {caption}\n" if caption else ""
        options += "   :hidden:\n" if hidden else ""
        text += f".. toctree::\n{options}\n" + "".join(f"   {page}\n" for page in below)
    return text


def _plain(html: str) -> str:
    return re.sub(r"\s*(</?(?:ul|li|p)\b)", r"\n\1", html).strip()


@pytest.fixture(scope="module")
def menus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    many = [f"d/{number}" for number in range(50)]
    few = [f"e/{number}" for number in range(12)]
    index = _page("Home & more", "a/index", "Given <title> <b>", caption='Of "A" & B')
    pages = {
        "index": index + "\n" + _page("More", "c", "d", "e").partition("------\n\n")[2],
        "a/index": _page("A <list>", "one", "two"),
        "a/one": _page("One ``*`` of *two*", "deep/index"),
        "a/two": _page(rst_text.text("Two *boards* <b> & 2 GHz, Linux")),
        "a/deep/index": _page("Deep", "deeper", hidden=True),
        "a/deep/deeper": _page("Deeper", "deepest"),
        "a/deep/deepest": _page("Deepest"),
        "b": _page("B"),
        "c": _page("C", "twice", "a/two"),
        "twice": _page("Twice"),
        "lone": ":orphan:\n\n" + _page("Lone"),
        "d": _page("D", *many),
        **{name: _page(f"Number {name[2:]}") for name in many},
        "e": _page("E", *few),
        **{name: _page(f"Line {name[2:]}", f"{name[2:]}/below") for name in few},
        **{f"{name}/below": _page("Below") for name in few},
    }
    return _site(tmp_path_factory.mktemp("menu") / "site", pages)


def test_every_menu_is_that_of_sphinx_but_for_long_lists(menus: dict[str, list[str]]) -> None:
    short = {page: both for page, both in menus.items() if page.partition("/")[0] not in "de"}
    assert len(short) > 12
    for page, (ours, theirs, _) in short.items():
        assert _plain(ours) == _plain(theirs), page
    assert ">Given &lt;title&gt;</a>" in menus["index"][0]
    assert "toctree-l3 current" in menus["a/deep/deeper"][0]
    text = "Two *boards* &lt;b&gt; &amp; 2 GHz, Linux"
    assert f">{text}</a>" in menus["a/one"][0]
    assert all(known for _, _, known in menus.values()), "each menu was ours"


@pytest.mark.parametrize(
    ("page", "first", "last"),
    [("d", 0, 7), ("d/0", 0, 7), ("d/25", 21, 28), ("d/49", 42, 49)],
)
def test_a_long_list_shows_what_stands_around_the_page(
    menus: dict[str, list[str]], page: str, first: int, last: int
) -> None:
    html = menus[page][0]
    numbers = [int(found) for found in re.findall(r"Number (\d+)<", html)]
    assert numbers == list(range(first, last + 1)) and len(numbers) == menu.MAX_LINES
    target = "#" if page == "d" else "../d.html"
    assert f'<a class="reference internal" href="{target}">All 50 …</a>' in html
    assert html.count('class="current reference internal" href="#"') == 1


@pytest.mark.parametrize("page", ["e/10", "e/10/below"])
def test_a_list_above_an_open_one_is_as_short(menus: dict[str, list[str]], page: str) -> None:
    html = menus[page][0]
    lines = [int(found) for found in re.findall(r"Line (\d+)<", html)]
    assert lines == list(range(4, 12)) and len(lines) == menu.MAX_LINES
    assert ">All 12 …</a>" in html and ">Below</a>" in html


def test_what_a_menu_shows_of_a_long_list_changes_with_its_length(
    menus: dict[str, list[str]], tmp_path: Path
) -> None:
    more = [f"d/{number}" for number in range(51)]
    pages = {"index": _page("Home", "d"), "d": _page("D", *more)}
    longer = _site(tmp_path / "site", pages | {name: _page(f"Number {name[2:]}") for name in more})
    assert "All 51 …" in longer["d/0"][0]
    assert "'d', 50, " in menus["d/0"][2] and "'d', 51, " in longer["d/0"][2]


def test_numbered_sections_are_left_to_sphinx(tmp_path: Path) -> None:
    index = _page("Home", "one").replace(".. toctree::", ".. toctree::\n   :numbered:")
    menus = _site(tmp_path / "site", {"index": index, "one": _page("One")})
    for page, (ours, theirs, _) in menus.items():
        assert ours == theirs, page
    assert "1. One" in menus["one"][0]

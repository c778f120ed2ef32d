"""Guides in the documentation of somebody else, built again and again by ``-c ROOT source``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from making import plain, result
from sphinx.cmd.build import build_main

CONF = """\
from pathlib import Path

extensions = ["perfguide"]
perfguide_results = "results"
perfguide_output = "OUTPUT"
html_theme = "THEME"
html_context = {"display_github": True, "github_user": "u", "github_repo": "r",
                "github_version": "main", "conf_py_path": "/source/"}
top = Path(__file__).parent / "source"
# Whatever is there and is not in the list is left out, as of the time when this file is read.
listed = {"index.rst", "chapter.rst"}
exclude_patterns = EXCLUDED
"""
BY_FILE = """[
    path.relative_to(top).as_posix() for path in top.rglob("*.rst")
    if path.relative_to(top).as_posix() not in listed
]"""
BY_FOLDER = "[path.name for path in top.iterdir() if path.name not in listed]"
INDEX = """\
Host
====

.. toctree::

   chapter

.. perf-toctree::
   :caption: Figures
"""


def _project(top: Path, excluded: str, output: str = "figures", theme: str = "basic") -> Path:
    """A project whose ``conf.py`` is above its source folder, with bundles of three guides."""
    (top / "source").mkdir(parents=True)
    conf = CONF.replace("OUTPUT", output).replace("THEME", theme).replace("EXCLUDED", excluded)
    (top / "conf.py").write_text(conf, "utf-8")
    (top / "source/index.rst").write_text(INDEX, "utf-8")
    (top / "source/chapter.rst").write_text("Chapter\n=======\n\nBy hand.\n", "utf-8")
    (top / "results").mkdir()
    for number, release in enumerate(("09.01", "09.02", "10.00")):
        bundle = plain(result(value=float(number + 1)), id=release, sdk__version=release)
        (top / f"results/{release}.json").write_text(json.dumps(bundle), "utf-8")
    return top


def _build(top: Path, *options: str) -> int:
    where = ["-c", str(top), str(top / "source"), str(top / "site")]
    return build_main(["-q", *options, *where])


def _pages(top: Path) -> dict[str, str]:
    found = {p.relative_to(top / "site").as_posix(): p for p in (top / "site").rglob("*.html")}
    return {name: path.read_text("utf-8") for name, path in found.items()}


def test_pages_stay_where_conf_leaves_out_the_files_that_it_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = _project(tmp_path / "host", BY_FILE, theme="sphinx_rtd_theme")
    monkeypatch.chdir(tmp_path)
    assert _build(top, "-W") == 0
    first = _pages(top)
    guide = "figures/guides/AM62X/linux/10.00.html"
    assert guide in first and "figures/compare/index.html" in first
    assert _build(top, "-W") == 0
    second = _pages(top)
    # A new release is a page that conf.py has not seen, among others that it leaves out.
    later = plain(result(value=9.0), id="later", sdk__version="10.01")
    (top / "results/later.json").write_text(json.dumps(later), "utf-8")
    assert _build(top, "-W") == 0
    third = _pages(top)
    assert first == second
    assert 'class="contents' in first[guide]
    assert {*third} - {*first} >= {"figures/guides/AM62X/linux/10.01.html"}
    assert {*first} <= {*third}
    # Every page by hand leads to its source, and no generated one to what is in no repository.
    assert "github.com/u/r/blob/main/source/chapter.rst" in third["chapter.html"]
    assert not [n for n, text in third.items() if "figures/" in n and "github.com/u/r" in text]
    # One line leads to all of them, and git passes over them.
    assert re.search(r"Figures.*figures/guides/index\.html", third["index.html"], re.DOTALL)
    ignored = (top / "source/figures/.gitignore").read_text("utf-8").splitlines()
    there = {f"/{path.name}" for path in (top / "source/figures").iterdir()}
    assert {*ignored} >= there
    assert not (top / "source/build").exists() and (top / "build/cache").is_dir()


def test_a_pattern_that_leaves_pages_out_is_an_error_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    top = _project(tmp_path / "host", BY_FOLDER)
    monkeypatch.chdir(tmp_path)
    assert _build(top) == 0
    before = _pages(top)
    capsys.readouterr()
    assert _build(top) == 2
    said = capsys.readouterr().err
    assert "generated pages are not in the build" in said
    assert "“figures” in exclude_patterns of conf.py leaves it out" in said
    assert _pages(top) == before


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('source_suffix = {".txt": "restructuredtext"}', 'source_suffix in conf.py has no ".rst"'),
        ('include_patterns = ["*.rst"]', 'add "figures/**"'),
    ],
)
def test_each_way_to_lose_pages_has_its_reason(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    line: str,
    reason: str,
) -> None:
    top = _project(tmp_path / "host", "[]")
    with (top / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(f"{line}\n")
    (top / "source/index.txt").write_text("Host\n====\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert _build(top) == 2
    assert reason in capsys.readouterr().err


def test_the_releases_that_conf_names_are_all_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    top = _project(tmp_path / "host", "[]")
    with (top / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('perfguide_releases = ["AM62X/linux/09.*", "AM64X"]\n')
    monkeypatch.chdir(tmp_path)
    assert _build(top) == 0
    assert "no guide is named “AM64X”" in capsys.readouterr().err
    names = {path.stem for path in (top / "site/figures/guides/AM62X/linux").glob("*.html")}
    assert names == {"09.01", "09.02", "latest"}
    text = "".join(_pages(top).values())
    assert "10.00" not in text


def test_pages_can_be_in_the_source_folder_itself_and_have_no_second_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = _project(tmp_path / "host", "[]", output="source", theme="furo")
    # What it is called decides: the real one has an error box for each list of contents.
    (top / "themes/furo").mkdir(parents=True)
    (top / "themes/furo/theme.conf").write_text("[theme]\ninherit = basic\n", "utf-8")
    with (top / "source/index.rst").open("a", encoding="utf-8") as index:
        index.write(
            "\n.. perf-overview::\n\n.. perf-chart:: Own figures\n\n   x,y\n   1,2\n   2,3\n"
        )
    with (top / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('html_theme_path = ["themes"]\n')
    monkeypatch.chdir(tmp_path)
    assert _build(top, "-W") == 0
    pages = _pages(top)
    assert not [name for name, text in pages.items() if 'class="contents' in text]
    assert "guides/AM62X/linux/10.00.html" in pages
    assert 'href="guides/index.html"' in pages["index.html"]
    # What belongs to pages is found there too: pictures, and the feed of each SoC.
    (picture,) = re.findall(r'src="(_images/[^"]+)"', pages["index.html"])
    assert (top / "site" / picture).is_file()
    assert 'href="../feed.xml"' in pages["guides/AM62X/linux/10.00.html"]
    feed = top / "site/guides/AM62X/feed.xml"
    entries = re.findall(r'href="([^"#]+\.html)', feed.read_text("utf-8"))
    assert entries and all((feed.parent / entry).is_file() for entry in entries)


def test_an_output_that_sphinx_cannot_see_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    top = _project(tmp_path / "host", "[]", output="../elsewhere")
    monkeypatch.chdir(tmp_path)
    assert _build(top) == 2
    assert "“../elsewhere” is not in the source folder" in capsys.readouterr().err
    assert not (tmp_path / "elsewhere").exists()


def test_a_manual_page_has_each_head_over_each_of_its_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = _project(tmp_path / "host", "[]")
    with (top / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('man_pages = [("index", "host", "Figures", ["me"], 1)]\n')
    every = [
        result(params={"algorithm": name, "engine": engine, "size": size}, value=float(size))
        for name in ("aes", "sha")
        for engine in ("hw", "sw")
        for size in (16, 64, 256, 1024)
    ]
    (top / "results/more.json").write_text(json.dumps(plain(*every, id="more")), "utf-8")
    monkeypatch.chdir(tmp_path)
    # Not every format has cells that span columns; Sphinx warns where one has not.
    assert _build(top, "-W", "-b", "man") == 0
    page = (top / "site/host.1").read_text("utf-8")
    assert all(figure in page for figure in ("16", "64", "256", "1,024"))

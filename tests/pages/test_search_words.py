"""What pages tell of themselves: words for the search, descriptions, hostile names as text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import run_sphinx
from making import described, loaded, plain, records, result
from site_links import NAMESPACE, broken, pages

from perfguide.common import slugs, units
from perfguide.pages import search_words
from perfguide.pages.search_words import FindablePage, FindableSection
from perfguide.sphinxext.metadata import MAX_DESCRIPTION_CHARS, shortened

EVIL = '</script><script>alert("1")</script>&amp;"><b>'


def test_words_are_names_and_never_numbers(tmp_path: Path) -> None:
    catalog = described(tmp_path)
    made = loaded(result(params={"block_size": 4096, "engine": "hw"}), result("lat_mem_rd", "us"))
    figures = records(made, described=catalog)
    words = set(search_words.of_records(catalog.benchmark("speed"), figures))
    assert {"speed", "rate", "lat", "mem", "rd", "engine", "hw", "accelerator"} <= words
    assert {"block", "size", "software", "system"} <= words
    assert not any("4096" in word or word == "1" for word in words)


def test_a_word_is_split_as_the_search_page_splits_it() -> None:
    assert search_words.split("lat_mem_rd") == ("lat", "mem", "rd")
    assert search_words.split("AES-128-CBC Über") == ("128", "aes", "cbc", "über")
    assert search_words.split("ﬁo") == ("fio",)


def test_equal_sections_are_kept_once_and_pages_in_natural_order() -> None:
    section = FindableSection("a", "Title", ("x", "y"))
    two = [FindablePage(f"guides/S/{n}", n, (n,), (section,)) for n in ("10", "9")]
    index = json.loads(search_words.index(two))
    assert [page[0] for page in index["pages"]] == ["guides/S/9", "guides/S/10"]
    assert index["sections"] == [["Title", "x y"]]
    assert index["places"] == [[0, 0, "a"], [1, 0, "a"]]
    assert [page[4] for page in index["pages"]] == ["", ""] and index["answers"] == []
    assert search_words.index(two) == search_words.index(reversed(two))


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c", "d", "e"], "a, b, c, d and e"),
        (list("abcdefg"), "a, b, c, d and 3 more"),
        ([], ""),
    ],
)
def test_long_enumerations_are_counted(names: list[str], text: str) -> None:
    assert units.enumeration(names) == text


def test_a_description_is_cut_between_words() -> None:
    assert shortened("one\n two") == "one two"
    cut = shortened("word " * 100)
    assert len(cut) <= MAX_DESCRIPTION_CHARS + 2 and cut.endswith("word …")


@pytest.mark.parametrize("name", ["openssl", "openssl--aes-128", "9-lives", "a--b--c"])
def test_an_anchor_is_what_docutils_makes_of_it(name: str) -> None:
    from docutils import nodes

    assert slugs.anchor(name) == nodes.make_id(name)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    top = tmp_path / "p"
    for name in ("results", "source/benchmarks"):
        (top / name).mkdir(parents=True)
    described(top / "source/benchmarks")
    bundle = plain(
        result(params={"block_size": 16}),
        {"benchmark": EVIL, "metric": EVIL, "unit": "MB/s", "value": 1.5},
        board={"name": EVIL, "soc": "AM62X"},
    )
    (top / "results/a.json").write_text(json.dumps(bundle), "utf-8")
    (top / "conf.py").write_text(
        'extensions = ["perfguide"]\nhtml_theme = "perfguide"\nperfguide_csp = True\n'
        'exclude_patterns = ["source/benchmarks"]\nhtml_baseurl = "https://x.example"\n'
        'author = "A & B <c>"\n',
        "utf-8",
    )
    (top / "index.rst").write_text(
        "Title\n=====\n\n.. toctree::\n   :glob:\n\n   source/**\n", "utf-8"
    )
    return top


@pytest.mark.parametrize("builder", ["html", "dirhtml"])
def test_hostile_names_stay_text_in_heads_and_indexes(
    hostile: Path, tmp_path: Path, builder: str
) -> None:
    run = run_sphinx(hostile, tmp_path / "out", "-b", builder, "-W")
    assert run.returncode == 0, run.stderr
    found = pages(tmp_path / "out")
    assert list(broken(tmp_path / "out", found)) == []
    for path, root in found.items():
        assert all(script.get("src") for script in root.iter(f"{NAMESPACE}script")), path
    words = (tmp_path / "out/_static/perfguide-words.js").read_text("utf-8")
    index = json.loads(words.partition("=")[2].rstrip(";\n"))
    root = tmp_path / "out"
    ranked = [address for _, address, *_ in index["rankings"] if address]
    for address in (*(page[0] for page in index["pages"]), *ranked):
        assert (root / address).is_file() or (root / address / "index.html").is_file()
    assert any(EVIL in title for title, _ in index["sections"])


def test_without_the_sites_address_nothing_absolute_is_written(
    hostile: Path, tmp_path: Path
) -> None:
    run = run_sphinx(hostile, tmp_path / "out", "-D", "html_baseurl=")
    assert run.returncode == 0, run.stderr
    for path in (tmp_path / "out").rglob("*.html"):
        assert "canonical" not in path.read_text("utf-8")


def test_a_paragraph_of_ones_own_or_a_meta_directive_is_the_description(
    hostile: Path, tmp_path: Path
) -> None:
    (hostile / "source/own.rst").write_text("Own\n===\n\nSays *it* <all> & more.\n", "utf-8")
    (hostile / "source/given.rst").write_text(
        ".. meta::\n   :description: Given.\n\nGiven\n=====\n\nNot this.\n", "utf-8"
    )
    assert run_sphinx(hostile, tmp_path / "out").returncode == 0
    own = (tmp_path / "out/source/own.html").read_text("utf-8")
    assert '<meta name="description" content="Says it &lt;all&gt; &amp; more.">' in own
    given = (tmp_path / "out/source/given.html").read_text("utf-8")
    (content,) = re.findall(r'<meta [^>]*name="description"[^>]*>', given)
    assert "Given." in content

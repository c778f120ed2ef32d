"""The directive on a page written by hand: csv-table's options, cells that are text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import run_sphinx
from html_tables import figures

CELLS = [
    "*bold*",
    "|x|",
    "`a`",
    "x_",
    ".. raw:: html",
    "<b>",
    ":ref:`x`",
    "--",
    "'q' \"q\"",
    "1. a",
]


def _page(folder: Path, body: str, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "results").mkdir(exist_ok=True)
    (folder / "conf.py").write_text(
        'extensions = ["perfguide"]\nnumfig = True\nsuppress_warnings = ["perfguide.no-results"]\n'
        'exclude_patterns = ["source"]\n',
        "utf-8",
    )
    (folder / "index.rst").write_text(f"Title\n=====\n\n{body}\n", "utf-8")
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, "utf-8")
    return folder


def _csv(rows: list[list[str]]) -> str:
    return "".join(
        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows
    )


def test_cells_are_text_in_every_format(tmp_path: Path) -> None:
    body = ".. perf-csv-table:: Figures\n   :file: a.csv\n   :header-rows: 1\n   :stub-columns: 1\n"
    rows = [["Key", *CELLS], ["*k*", *CELLS]]
    project = _page(tmp_path / "p", body, a=_csv(rows))
    for builder in ("html", "latex", "text"):
        run = run_sphinx(project, tmp_path / builder, "-b", builder, "-W", "-n")
        assert run.returncode == 0, run.stderr
    found = list(figures(tmp_path / "html/index.html"))
    assert [f.text for f in found] == CELLS
    assert [f.heads[0] for f in found] == CELLS
    assert {f.keys for f in found} == {("*k*",)}
    text = (tmp_path / "text/index.txt").read_text("utf-8")
    for cell in CELLS:
        assert text.count(cell) >= 2, cell


def test_it_numbers_has_an_address_and_is_its_own_download(tmp_path: Path) -> None:
    body = (
        ".. perf-csv-table:: First\n   :file: a.csv\n   :header-rows: 1\n\n"
        ".. perf-csv-table:: Second\n   :file: a.csv\n   :header-rows: 1\n   :name: the-second\n"
        "   :class: mine\n   :align: center\n\nSee :numref:`the-second`.\n"
    )
    source = "A,B\n1.50,2\n"
    project = _page(tmp_path / "p", body, a=source)
    run = run_sphinx(project, tmp_path / "html", "-W", "-n")
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert '<span class="caption-number">Table 2 </span>' in page
    assert re.search(
        r'See <a [^>]*href="#the-second"[^>]*><span class="std std-numref">Table 2<', page
    )
    assert re.search(r'<figure class="[^"]*mine[^"]*align-center" id="the-second">', page)
    (download,) = set(re.findall(r'href="(_downloads/[^"]+/a\.csv)"', page))
    assert (tmp_path / "html" / download).read_text("utf-8") == source


def test_options_of_csv_table_work(tmp_path: Path) -> None:
    body = (
        ".. perf-csv-table:: Inline\n   :header: A; B\n   :delim: ;\n   :stub-columns: 1\n"
        "   :widths: 30 70\n   :quote: '\n\n   'k;1'; 2.50\n   x; —\n"
    )
    project = _page(tmp_path / "p", body)
    run = run_sphinx(project, tmp_path / "html", "-W", "-n")
    # The header is read by csv-table's own rule: commas, whatever “delim” says.
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert '<col style="width: 30.0%"><col style="width: 70.0%">' in page
    found = list(figures(tmp_path / "html/index.html"))
    assert [(f.keys, f.text) for f in found] == [(("k;1",), "2.50"), (("x",), "—")]


def test_equal_heads_side_by_side_become_one(tmp_path: Path) -> None:
    body = ".. perf-csv-table:: T\n   :file: a.csv\n   :header-rows: 2\n   :stub-columns: 1\n"
    rows = [["Size", "one", "one", "two"], ["", "Read", "Write", "Read"], ["4k", "1", "2", "3"]]
    project = _page(tmp_path / "p", body, a=_csv(rows))
    assert run_sphinx(project, tmp_path / "html", "-W").returncode == 0
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert '<th scope="colgroup" colspan="2">one</th>' in page
    assert '<th scope="col" rowspan="2" class="perf-key">Size</th>' in page
    found = {(f.heads, f.text) for f in figures(tmp_path / "html/index.html")}
    assert found == {(("one", "Read"), "1"), (("one", "Write"), "2"), (("two", "Read"), "3")}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("   :file: nowhere.csv\n", "cannot be read"),
        ("   :file: a.csv\n   :header-rows: 9\n", "has no row of figures"),
        ("   :file: a.csv\n   :stub-columns: 2\n", "has no column besides row keys"),
        ("   :file: a.csv\n   :widths: 1 2 3\n", "“widths” names 3"),
        ("   :file: bad.csv\n", "is not CSV"),
        ("", "has neither content nor “file”"),
        ("   :file: a.csv\n\n   1,2\n", "has both content and “file”"),
    ],
)
def test_a_mistake_is_a_warning_with_its_place(tmp_path: Path, options: str, words: str) -> None:
    body = f".. perf-csv-table:: T\n{options}"
    project = _page(tmp_path / "p", body, a="A,B\n1,2\n", bad='A,"B\n1,2\n')
    run = run_sphinx(project, tmp_path / "html")
    assert run.returncode == 0
    assert words in run.stderr, run.stderr
    assert "index.rst:4: WARNING:" in run.stderr and "[perfguide.table]" in run.stderr


def test_a_page_is_read_again_when_its_table_changed_and_only_then(tmp_path: Path) -> None:
    body = ".. perf-csv-table:: T\n   :file: a.csv\n   :header-rows: 1\n"
    project = _page(tmp_path / "p", body, a="A,B\n1,2\n")
    run_sphinx(project, tmp_path / "html")
    assert "0 added, 0 changed" in run_sphinx(project, tmp_path / "html").stdout
    (project / "a.csv").write_text("A,B\n1,3\n", "utf-8")
    assert "0 added, 1 changed" in run_sphinx(project, tmp_path / "html").stdout


def test_only_a_table_that_says_so_is_read_as_marked(tmp_path: Path) -> None:
    body = "".join(
        f".. perf-csv-table:: {name}\n   :file: a.csv\n   :header-rows: 1\n{option}\n"
        for name, option in (("Ours", "   :marked:\n"), ("By hand", ""))
    )
    project = _page(tmp_path / "p", body, a="A,B\nk,'=1\nk,''-x\nk,\u202eab\n")
    assert run_sphinx(project, tmp_path / "html", "-W").returncode == 0
    found = {(f.caption, f.text) for f in figures(tmp_path / "html/index.html") if f.text != "k"}
    ours = {("Ours", "=1"), ("Ours", "'-x"), ("Ours", "\\u202eab")}
    assert found == ours | {("By hand", "'=1"), ("By hand", "''-x"), ("By hand", "\u202eab")}

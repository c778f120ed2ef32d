"""Figures in prose: looked up, checked, and read anew when they change."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP, run_sphinx
from making import described, plain, result

from perfguide.common.diagnostics import Diagnostic
from perfguide.export.quoted_figures import FigureFinder, QuotedFigure
from perfguide.figures import dataset

RATE = "AM62X/09.01/sk/speed/rate"


def _bundle(value: float = 1234.567, **changes: Any) -> str:
    rows = [result(value=value, params={"block_size": 16}), result("load", "%", value=12.34)]
    rows.append(result(value=99.0, params={"block_size": 64}))
    rows.append(result("lat_pipe", "us", status="fail"))
    return json.dumps(plain(*rows, **changes))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    top = tmp_path / "p"
    for name in ("results", "source/benchmarks"):
        (top / name).mkdir(parents=True)
    described(top / "source/benchmarks")
    (top / "results/a.json").write_text(_bundle(), "utf-8")
    (top / "results/b.json").write_text(
        _bundle(2000, id="run-2", sdk__version="09.02", sdk__os="linux"), "utf-8"
    )
    (top / "conf.py").write_text(
        'extensions = ["perfguide"]\nhtml_theme = "perfguide"\n'
        'exclude_patterns = ["source/benchmarks"]\n',
        "utf-8",
    )
    (top / "index.rst").write_text(
        f"Title\n=====\n\nIt moves :perf:`{RATE}?block_size=16` there.\n\n"
        ".. toctree::\n   :glob:\n\n   source/**\n",
        "utf-8",
    )
    return top


def _figures(project: Path) -> FigureFinder:
    found = dataset.Settings((project / "results",), (project / "source/benchmarks",), project)
    return FigureFinder(dataset.read(found))


def _found(figures: FigureFinder, text: str) -> QuotedFigure:
    found = figures.find(text)
    assert isinstance(found, QuotedFigure), found
    return found


def test_a_query_gives_the_figure_as_its_table_shows_it(project: Path) -> None:
    figures = _figures(project)
    found = _found(figures, f"{RATE}?block_size=16")
    assert found.text == "1234.57 MB/s"
    assert "AM62X, Linux 09.01, sk" in found.words and "1234.57 MB/s" in found.words
    assert _found(figures, "AM62X/09.01/sk/speed/load").text == "12.3 %"
    assert _found(figures, "AM62X/09.01/sk/speed/lat_pipe").text == "failed"


def test_latest_is_the_newest_release(project: Path) -> None:
    found = _found(_figures(project), "AM62X/latest/sk/speed/rate?block_size=16&os=linux")
    assert found.text == "2000.00 MB/s" and found.anchor.page.endswith("linux/09.02")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RATE, "matches 2 figures (be specific: ?block_size=16 or ?block_size=64)"),
        ("AM62X/09.01/sk/speed/rat", "there is no metric “rat”; did you mean “rate”?"),
        ("AM62X/09.01/sk/sped/rate", "there is no benchmark “sped”; did you mean “speed”?"),
        (f"{RATE}?blocksize=16", "did you mean “block_size”?"),
        (f"{RATE}?block_size=17", "no figure combines them all"),
        ("AM62X//sk", "a part of the query is empty"),
        ("AM62X/*/sk/speed/load", "matches 2 figures"),
    ],
)
def test_a_query_that_names_not_just_one_figure_says_why(
    project: Path, text: str, message: str
) -> None:
    found = _figures(project).find(text)
    assert isinstance(found, Diagnostic) and message in found.text()


def test_the_role_shows_the_figure_and_leads_to_its_row(project: Path, tmp_path: Path) -> None:
    run = run_sphinx(project, tmp_path / "html", "-W")
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "html/index.html").read_text("utf-8")
    start = page.index("It moves <a ")
    link = page[start : page.index("</p>", start)]
    assert "1234.57 MB/s" in link
    target, _, anchor = link.partition('href="')[2].partition('"')[0].partition("#")
    assert f'id="{anchor}"' in (tmp_path / "html" / target).read_text("utf-8")


def test_a_wrong_query_warns_with_its_place_and_the_page_is_made(
    project: Path, tmp_path: Path
) -> None:
    text = (project / "index.rst").read_text("utf-8").replace("speed/rate", "speed/rat")
    (project / "index.rst").write_text(text, "utf-8")
    run = run_sphinx(project, tmp_path / "html")
    assert run.returncode == 0
    assert "index.rst:4: ERROR" in run.stderr or "index.rst:4: WARNING" in run.stderr
    assert "did you mean “rate”?" in run.stderr and "[perfguide.figure]" in run.stderr


def test_a_page_is_read_anew_when_its_figure_changes_and_only_then(
    project: Path, tmp_path: Path
) -> None:
    assert run_sphinx(project, tmp_path / "html").returncode == 0
    again = run_sphinx(project, tmp_path / "html")
    assert "0 added, 0 changed" in again.stdout
    (project / "results/a.json").write_text(_bundle(4321), "utf-8")
    assert run_sphinx(project, tmp_path / "html", "-j2").returncode == 0
    assert "4321.00 MB/s" in (tmp_path / "html/index.html").read_text("utf-8")


def test_the_example_of_the_documentation_names_a_published_figure() -> None:
    (text,) = re.findall(
        r"^ +It runs :perf:`([^`]+)`", (TOP / "source/guest.rst").read_text("utf-8"), re.M
    )
    settings = dataset.Settings((TOP / "results/AM62X",), (TOP / "source/benchmarks",), TOP)
    assert isinstance(FigureFinder(dataset.read(settings)).find(text), QuotedFigure)

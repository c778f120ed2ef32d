"""What a build reads, writes and leaves alone; formats; other projects; hostile text."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import html5lib
import pytest
from conftest import (
    GENERATED,
    TOP,
    bare_project,
    real_sources,
    run_sphinx,
    sample_of_each_benchmark,
    sound_bundle,
    take_pictures,
)
from html_tables import figures
from profiles import count

Bundle = Callable[..., Path]


def _tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in (".buildinfo", "environment.pickle")
    }


def _small(project: Path, write_bundle: Bundle) -> Path:
    """The project with two small guides instead of its own results."""
    shutil.rmtree(project / "results")
    write_bundle(project / "results/a.json")
    write_bundle(
        project / "results/b.json",
        id="run-2",
        sdk__version="09.03",
        board__name="board-b",
        results=[
            {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "samples": [2000.0, 2001.0]},
            {"benchmark": "nbench", "metric": "idea", "unit": "iterations/s", "status": "fail"},
        ],
    )
    return project


@pytest.fixture(scope="module")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """That project, and its site: look, and touch nothing."""
    top = tmp_path_factory.mktemp("small")

    def write(path: Path, **changes: Any) -> Path:
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(sound_bundle(**changes)), "utf-8")
        return path

    project = _small(bare_project(top / "project"), write)
    assert run_sphinx(project, top / "html").returncode == 0
    return project, top / "html"


def _read_pages(run: subprocess.CompletedProcess[str]) -> tuple[int, int, int]:
    found = re.search(r"(\d+) added, (\d+) changed, (\d+) removed", run.stdout)
    assert found, run.stdout + run.stderr
    return int(found[1]), int(found[2]), int(found[3])


def _pages_read(run: subprocess.CompletedProcess[str]) -> set[str]:
    assert _read_pages(run)[2] == 0, run.stdout
    return set(re.findall(r"reading sources... \[ *\d+%\] (\S+)", run.stdout))


def test_later_builds_read_only_the_pages_of_what_changed_and_leave_files_of_others(
    project: Path, write_bundle: Bundle, tmp_path: Path
) -> None:
    _small(project, write_bundle)
    mine, page = (project / "source/guides/SOC1" / name for name in ("mine.txt", "linux/09.03.rst"))
    mine.parent.mkdir(parents=True)
    mine.write_text("keep", encoding="utf-8")

    def build() -> subprocess.CompletedProcess[str]:
        run = run_sphinx(project, tmp_path / "html")
        assert run.returncode == 0, run.stderr
        return run

    assert build().stderr == ""
    assert page.exists()
    (project / "results/a.json").touch()
    again = build()
    assert _read_pages(again) == (0, 0, 0)
    assert "no targets are out of date" in again.stdout
    write_bundle(
        project / "results/a.json",
        [{"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 4321.0}],
    )
    assert _pages_read(build()) == {
        "source/guides/SOC1/linux/09.02",
        "source/guides/SOC1/index",
        "source/by-benchmark/stream",
        "source/by-benchmark/stream/SOC1",
        "source/reports/provenance/SOC1/linux/09.02",
    }
    guide = (tmp_path / "html/source/guides/SOC1/linux/09.02.html").read_text("utf-8")
    assert "4,321" in guide and "1,235" not in guide
    (project / "results/b.json").unlink()
    assert build().stderr == ""
    assert not page.exists() and not page.with_suffix("").exists()
    (project / "results/a.json").unlink()
    assert "no valid bundle was found" in build().stderr
    assert "There are no guides yet" in (tmp_path / "html/index.html").read_text("utf-8")
    assert mine.read_text(encoding="utf-8") == "keep"


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory, real_project: Path) -> Path:
    """A project with a sample of the results in which there are all benchmarks, for several
    builders in turn. Hand-written pages are on the real site, and in test_versions.py in text
    and on paper."""
    top = tmp_path_factory.mktemp("sampled")
    project = take_pictures(bare_project(top / "project"), real_project)
    results = sample_of_each_benchmark(project / "results")
    # All else of these SoCs, also long sweeps, is in text and on paper in test_plain_sources.py.
    (results / "AM335X/linux/05.07.00.00/am335x-800mhz.json").unlink()
    shutil.rmtree(results / "X86-64")
    path = results / "AM335X/linux/06.00.00.00/am335x-1ghz.json"
    bundle = json.loads(path.read_bytes())
    bundle["results"] = [each for each in bundle["results"] if each["benchmark"] == "dm-crypt"]
    path.write_text(json.dumps(bundle), "utf-8")
    return project


def test_other_builders_end_without_a_warning(
    sampled: Path, real_project: Path, tmp_path: Path
) -> None:
    """Those that show the same pictures take the pages that the first of them has read. Without a
    theme, some benchmarks are enough for most runs: tests of comparisons, marks, provenance,
    hostile text and lowest versions build text and paper, and test_plain_sources.py a sample."""
    for builder in ("dirhtml", "singlehtml", "text", "latex")[: count(2, heavy=4)]:
        doctrees = tmp_path / ("for paper" if builder == "latex" else "for screens")
        options = ("-b", builder, "-d", str(doctrees), "-W", "-n")
        run = run_sphinx(sampled, tmp_path / builder, *options)
        assert (run.returncode, run.stderr) == (0, ""), builder
    folder = "source/by-benchmark"
    pages = {path.stem for path in (sampled / folder).glob("*.rst")}
    assert pages == {path.stem for path in (real_project / folder).glob("*.rst")} | {"odd"}
    assert list((sampled / folder / "odd").glob("*.rst")), "a page of one long table"


def test_nothing_is_written_outside_the_generated_folders(
    real_project: Path, tmp_path: Path
) -> None:
    before = _tree(real_sources(tmp_path / "project"))
    after = _tree(real_project)
    assert {name: after[name] for name in before} == before
    own = ("ext/", "build/")
    new = {name for name in after if name not in before and not name.startswith(own)}
    assert new
    # Git passes over them by a file that is generated too.
    new.remove("source/.gitignore")
    # So are redirects: they lie where the pages were.
    new -= {"source/speed.rst", "source/compare-quality.rst"}
    assert all(name.split("/")[:2][1:] and name.split("/")[1] in GENERATED for name in new), new


def test_one_bad_bundle_is_refused_with_its_faults_and_stops_nothing(
    small_site: tuple[Path, Path], project: Path, write_bundle: Bundle, tmp_path: Path
) -> None:
    _small(project, write_bundle)
    bad = [{"benchmark": "stream", "metrc": "copy", "unit": "MB/s", "samples": ["fast"]}]
    write_bundle(project / "results/bad.json", bad, id="run-3")
    run = run_sphinx(project, tmp_path / "html")
    assert run.returncode == 0
    for part in ("bad.json", "/results/0", "“metric” is missing", "did you mean “metric”?"):
        assert part in run.stderr
    assert "[perfguide.schema]" in run.stderr
    report = (tmp_path / "html/source/reports/provenance.html").read_text("utf-8")
    assert "bad.json" in report and "/results/0/samples/0" in report
    clean, html = _tree(small_site[1]), _tree(tmp_path / "html")
    changed = {n for n in html if clean.get(n) != html[n]}
    assert all(
        "provenance" in n
        or n in ("searchindex.js", "objects.inv", ".buildinfo")
        or n.startswith(("_downloads/", "_sources/source/reports"))
        for n in changed
    ), changed
    assert run_sphinx(project, tmp_path / "html", "-W").returncode != 0, "said in each build"


def test_failed_missing_and_zero_are_three_things(
    project: Path, write_bundle: Bundle, tmp_path: Path
) -> None:
    shutil.rmtree(project / "results")
    result = {"benchmark": "stream", "unit": "MB/s"}
    write_bundle(
        project / "results/a.json",
        [result | {"metric": "copy", "status": "fail"}, result | {"metric": "add", "value": 0}],
    )
    write_bundle(
        project / "results/b.json",
        [result | {"metric": "copy", "value": 5.0}, result | {"metric": "triad", "value": 7}],
        id="run-2",
        board__name="board-b",
    )
    run_sphinx(project, tmp_path / "html")
    shown = {
        (f.keys[0], f.heads[0]): f.text
        for f in figures(tmp_path / "html/source/guides/SOC1/linux/09.02.html")
        if f.caption.startswith("STREAM")
    }
    assert shown["Copy", "board-a"] == "failed"
    assert shown["Add", "board-a"] == "0"
    assert shown["Triad", "board-a"] == "—"
    page = (tmp_path / "html/source/guides/SOC1/linux/09.02.html").read_text("utf-8")
    assert 'aria-label="not measured"' in page


HOSTILE = [
    "*bold*",
    "|x|",
    "`a`",
    "x_",
    ".. raw:: html",
    "<script>alert(1)</script>",
    ":doc:`index`",
    "- 1.5",
    "--x",
    "C:\\t",
    "“q” \"q\" 'q' ... --- --",
    "[1]_",
    "a::",
    "=====",
    "$x$ \\LaTeX{} %d & # ~ ^",
    "../../../etc/passwd",
    "מדידה שמאלה",
    "名前",
]


def _label(name: str) -> str:
    """What pages call a parameter that nobody has described."""
    return name.replace("_", " ").capitalize()


def test_whatever_a_bundle_holds_shows_as_written(
    project: Path, write_bundle: Bundle, tmp_path: Path
) -> None:
    shutil.rmtree(project / "results")
    for number, text in enumerate(HOSTILE):
        write_bundle(
            project / f"results/{number}.json",
            [
                {
                    "benchmark": text,
                    "metric": text,
                    "unit": text,
                    "value": number + 1.25,
                    "params": {text: text},
                    "command": text,
                }
            ],
            id=text,
            sdk={"version": text, "os": text, "name": text, "kernel": text},
            board={"name": text, "soc": text, "description": text},
        )
    run = run_sphinx(project, tmp_path / "html", "-W", "-n")
    assert run.returncode == 0, run.stderr
    by_value: dict[str, Any] = {}
    heads = set[str]()
    for page in (tmp_path / "html/source/guides").rglob("*.html"):
        tree = html5lib.parse(page.read_text("utf-8"), namespaceHTMLElements=False)
        of_keys = tree.iterfind(".//thead//th[@class='perf-key']")
        heads |= {" ".join("".join(head.itertext()).split()) for head in of_keys}
        for figure in figures(page):
            # The one table with a figure: all else are lists.
            if figure.text.endswith(".25"):
                by_value[figure.text] = figure
    assert len(by_value) == len(HOSTILE)
    for number, text in enumerate(HOSTILE):
        figure = by_value[f"{number + 1}.25"]
        shown, label = (" ".join(words.split()) for words in (text, _label(text)))
        assert shown in heads
        assert figure.heads == (shown,)
        assert figure.keys == (shown,)  # The unit, that of all rows, is the head of this column.
        assert figure.caption == f"{shown}: {label}"
    pages = "".join(p.read_text("utf-8") for p in (tmp_path / "html/source").rglob("*.html"))
    assert "<script>alert(1)" not in pages
    assert not (tmp_path.parent / "etc").exists()


def test_another_project_gets_guides_by_naming_the_installed_extension(
    tmp_path: Path, write_bundle: Bundle
) -> None:
    wheel = tmp_path / "wheel"
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        + ["--wheel-dir", wheel, TOP],
        check=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    installed = tmp_path / "installed"
    (archive,) = wheel.glob("*.whl")
    zipfile.ZipFile(archive).extractall(installed)
    other = tmp_path / "other"
    write_bundle(other / "results/a.json")
    (other / "conf.py").write_text('extensions = ["perfguide"]\nproject = "Other"\n', "utf-8")
    (other / "index.rst").write_text(
        textwrap.dedent(
            """\
            Other
            =====

            .. perf-overview::

            .. toctree::

               source/guides/index
               source/by-benchmark/index
               source/reports/index
            """
        ),
        "utf-8",
    )
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-n", other, tmp_path / "html"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        cwd=tmp_path,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "html/source/guides/SOC1/linux/09.02.html").read_text("utf-8")
    assert "1,235" in page
    # The descriptions of benchmarks came with the package.
    described = (TOP / "source/benchmarks/stream.rst").read_text("utf-8")
    method = (tmp_path / "html/source/by-benchmark/stream.html").read_text("utf-8")
    assert " ".join(described.split()[:8]) in " ".join(re.sub("<[^>]*>", "", method).split())
    assert "Other results" not in page
    index = (tmp_path / "html/index.html").read_text("utf-8")
    assert 'href="source/guides/SOC1/linux/09.02.html"' in index


def test_latest_leads_to_the_newest_release(small_site: tuple[Path, Path], tmp_path: Path) -> None:
    project, site = small_site
    page = (site / "source/guides/SOC1/linux/latest.html").read_text("utf-8")
    assert 'http-equiv="refresh" content="0; url=09.03.html"' in page
    run_sphinx(project, tmp_path / "dir", "-b", "dirhtml")
    page = (tmp_path / "dir/source/guides/SOC1/linux/latest/index.html").read_text("utf-8")
    assert 'content="0; url=../09.03/"' in page


def test_the_json_schema_takes_every_bundle_of_the_repository() -> None:
    from perfguide import bundle

    schema = bundle.schema()
    assert schema["$defs"]["Result"]["required"] == ["benchmark", "metric", "unit"]
    for path in (TOP / "results").rglob("*.json"):
        assert set(json.loads(path.read_text("utf-8"))) <= set(
            schema["$defs"]["Bundle"]["properties"]
        )


def test_a_mistyped_results_folder_ends_the_build_and_empties_nothing(
    project: Path, write_bundle: Bundle, tmp_path: Path
) -> None:
    _small(project, write_bundle)
    assert run_sphinx(project, tmp_path / "html").returncode == 0
    index = project / "build/cache/index"
    index.unlink()  # a later build is surer of files that were new
    before = _tree(project)
    run = run_sphinx(project, tmp_path / "html", "-D", "perfguide_results=resluts")
    assert run.returncode != 0
    assert "resluts" in run.stderr and "there is no such file or folder" in run.stderr
    assert "Traceback" not in run.stderr
    index.unlink(missing_ok=True)
    assert _tree(project) == before


def test_a_new_benchmark_needs_two_files_and_no_python(
    project: Path, write_bundle: Bundle, tmp_path: Path
) -> None:
    shutil.rmtree(project / "results")
    results = [
        {"benchmark": "stress", "metric": "rate", "unit": "1", "value": 7.25, "params": {"n": n}}
        for n in (16, 2)
    ]
    write_bundle(project / "results/a.json", results)
    run_sphinx(project, tmp_path / "before")
    page = "source/guides/SOC1/linux/09.02.html"
    before = (tmp_path / "before" / page).read_text("utf-8")
    assert "Other benchmarks" in before and "Other results" not in before
    (project / "source/benchmarks/stress.toml").write_text(
        textwrap.dedent(
            """\
            title = "Stress test"
            chapter = "System benchmarks"
            order = 95
            metrics = [{ name = "rate", label = "Rate", unit = "1", better = "higher" }]
            params = { n = { label = "Workers" } }

            [[tables]]
            id = "rate"
            title = "Stress rate"
            rows = ["n"]
            """
        ),
        "utf-8",
    )
    (project / "source/benchmarks/stress.rst").write_text("How *hard* it works.\n", "utf-8")
    run = run_sphinx(project, tmp_path / "after", "-W", "-n")
    assert run.returncode == 0, run.stderr
    text = (tmp_path / "after" / page).read_text("utf-8")
    assert "Other benchmarks" not in text
    method = (tmp_path / "after/source/by-benchmark/stress.html").read_text("utf-8")
    assert "How <em>hard</em> it works." in method
    found = [f for f in figures(tmp_path / "after" / page) if f.caption == "Stress rate"]
    assert [(f.keys, f.heads, f.text) for f in found] == [
        (("2",), ("board-a", "Rate ↑"), "7.25"),
        (("16",), ("board-a", "Rate ↑"), "7.25"),
    ]

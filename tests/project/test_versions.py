"""The lowest versions of Sphinx, docutils and themes that pyproject.toml allows make the same
pages as the newest, which are those of requirements.txt."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP, copy_project, once, run_sphinx, sound_bundle
from html_tables import figures
from packaging.requirements import Requirement
from packaging.version import Version

NAMES = ("docutils", "sphinx", "sphinx-rtd-theme", "sphinx-tabs")
PAGES = (
    *("index", "search", "genindex", "source/glossary", "source/explore", "source/extending"),
    *("source/guides/index", "source/guides/SOC1/index", "source/guides/SOC1/linux/latest"),
    *("source/guides/SOC1/linux/09.01", "source/guides/SOC1/linux/09.02"),
    *("source/by-benchmark/index", "source/by-benchmark/stream", "source/by-benchmark/openssl"),
    *("source/compare/index", "source/compare/SOC1/linux/09.01-vs-09.02"),
    *("source/reports/health", "source/reports/provenance", "source/reports/errata"),
    "source/reports/verdicts",
    *("source/reports/provenance/SOC1/linux/09.02", "source/reports/errata/SOC1/linux/09.02"),
)
"""A page of each kind."""
FIGURE = "1,357"
"""A figure of the newest guide as pages show it."""


def requirements() -> dict[str, Requirement]:
    """What pyproject.toml asks for, by name."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    return {r.name: r for r in map(Requirement, project["dependencies"])}


def lowest(name: str) -> str:
    """The version after ``>=``."""
    (given,) = [s.version for s in requirements()[name].specifier if s.operator == ">="]
    return given


@pytest.mark.parametrize("name", NAMES)
def test_the_installed_version_is_the_newest_that_is_allowed(name: str) -> None:
    installed, allowed = Version(version(name)), requirements()[name].specifier
    assert installed in allowed
    assert Version(f"{installed.major}.{installed.minor + 1}") not in allowed


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the lowest versions; it stays for the next run."""
    wanted = [f"{name}=={lowest(name)}" for name in NAMES]
    folder = TOP / "build" / "lowest" / "-".join(wanted)
    with once(tmp_path_factory, "lowest"):
        if not folder.is_dir():
            aside = folder.with_suffix(".part")
            shutil.rmtree(aside, ignore_errors=True)
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            subprocess.run([*pip, "--target", aside, *wanted], check=True)
            aside.rename(folder)
    return folder


def bundles() -> Iterator[dict[str, Any]]:
    """Two releases of a board, the newer one with a run that was corrected, and a chart."""
    lines = [
        {
            "benchmark": "openssl",
            "metric": "throughput",
            "unit": "kB/s",
            "params": {"algorithm": "sha256", "block_size": size, "engine": engine},
            "samples": [100.0 * size, 101.0 * size],
        }
        for size in (16, 1024, 8192)
        for engine in ("hw", "sw")
    ]
    stream = {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 1234.0}
    failed = {"benchmark": "stream", "metric": "triad", "unit": "MB/s", "status": "fail"}
    yield sound_bundle([*lines, stream], id="old", sdk__version="09.01")
    yield sound_bundle([stream], id="wrong")
    correction = sound_bundle([*lines, stream | {"value": 1357.0}, failed], id="right")
    correction |= {
        "created": "2024-04-03T09:30:00Z",
        "supersedes": ["wrong"],
        "reason": "Worn card",
    }
    yield correction


def make_project(folder: Path, count: int) -> Path:
    """The project with its hand-written pages and some of the bundles."""
    if not folder.is_dir():
        copy_project(folder)
        shutil.rmtree(folder / "results")
        (folder / "results").mkdir()
    for bundle in list(bundles())[:count]:
        (folder / f"results/{bundle['id']}.json").write_text(json.dumps(bundle), "utf-8")
    return folder


def build(project: Path, target: Path, builder: str, packages: Path | None) -> Path:
    """Build with every warning an error but that of the correction, into a folder of its own."""
    values = ("perfguide_own_output=1", "suppress_warnings=perfguide.supersedes")
    # Pages that show the same pictures are read once, as where somebody builds both.
    shared = target.with_name("paper" if builder == "latex" else "screens")
    options = ("-b", builder, "-d", str(shared), "-W", "-n", *(f"-D{value}" for value in values))
    done = run_sphinx(project, target, *options, packages=packages)
    assert (done.returncode, done.stderr) == (0, "")
    return target


@pytest.fixture(scope="module")
def sites(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folders of what the lowest and the newest versions have built. The lowest builds the
    pages on top of earlier ones, to which one bundle was added."""
    top = tmp_path_factory.mktemp("versions")
    low, new = top / "low", top / "new"
    build(make_project(top / "project", 2), low / "html", "html", packages)
    project = make_project(top / "project", 3)
    for builder in ("html", "text", "latex"):
        build(project, low / builder, builder, packages)
        build(project, new / builder, builder, None)
    return low, new


def words(page: Path) -> list[str]:
    """What a reader sees of a page, and the names of the files that it shows."""
    text = page.read_text("utf-8")
    return re.sub(r"<script.*?</script>|<[^>]*>", " ", text, flags=re.DOTALL).split()


def test_pages_say_and_show_the_same(sites: tuple[Path, Path]) -> None:
    low, new = (folder / "html" for folder in sites)
    pages = {path.relative_to(new) for path in new.rglob("*.html")}
    assert {path.relative_to(low) for path in low.rglob("*.html")} == pages
    assert {Path(f"{name}.html") for name in PAGES} <= pages
    shown = 0
    for page in sorted(pages):
        assert words(low / page) == words(new / page), page
        rows = list(figures(new / page))
        assert list(figures(low / page)) == rows, page
        shown += len(rows)
    assert shown > 100
    assert FIGURE in words(new / "source/guides/SOC1/linux/09.02.html")
    pictures = {path.name for path in (new / "_images").iterdir()}
    assert pictures == {path.name for path in (low / "_images").iterdir()}
    assert len(pictures) > 3


def test_text_shows_the_figures(sites: tuple[Path, Path]) -> None:
    low, new = (folder / "text" for folder in sites)
    for page in new.rglob("*.txt"):
        # A word wider than any column is broken at another letter.
        texts = (path.read_text("utf-8") for path in (page, low / page.relative_to(new)))
        ours, theirs = (Counter(re.sub(r"[-|+=\s]", "", text)) for text in texts)
        assert ours == theirs, page
    assert FIGURE in (new / "source/guides/SOC1/linux/09.02.txt").read_text("utf-8")


def test_paper_shows_the_figures(sites: tuple[Path, Path]) -> None:
    for folder in sites:
        (document,) = (folder / "latex").glob("*.tex")
        assert FIGURE in document.read_text("utf-8")
        assert list((folder / "latex").glob("*.pdf"))

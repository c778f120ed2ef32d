"""What several test modules need: the project copied aside, and Sphinx run on it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from debian import library, program
from playwright.sync_api import Browser, sync_playwright
from prepared import run_module
from serving import served
from site_links import pages
from small_site import leave_aside

TOP = Path(__file__).resolve().parent.parent
SHARED = TOP.parent / "shared"
GENERATED = ("guides", "by-benchmark", "compare", "reports", "api")


LONGEST = ("site_build", "whole_site", "every_kind_of_page", "readme", "full_disk", "reproducible")
LONGEST += ("bombs", "hostile_text", "csp", "browse_browser", "for_everyone", "compare_pages")
LONGEST += ("errata", "report", "explorer", "bench", "parallel", "inbox_faults")
"""The tests that take longest, by file. The first one makes the site that others look at."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: a process is given whole files, so that sites that
    the tests of a file share are built once, and none shall be left alone with a long one."""
    order = {f"test_{name}": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


def run_sphinx(source: Path, target: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run sphinx-build as a user does; the doctrees go beside the target."""
    # Where CI is set, Sphinx colours its output, which tests read.
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext"), "LC_ALL": "C.UTF-8"}
    environment["NO_COLOR"] = "1"
    return run_module(
        "sphinx", "-d", f"{target}.doctrees", *options, source, target, environment=environment
    )


def copy_project(target: Path) -> Path:
    """The project's own files without what was built or generated."""
    target.mkdir(parents=True)
    for name in ("conf.py", "index.rst"):
        shutil.copy(TOP / name, target / name)
    shutil.copytree(TOP / "results", target / "results")
    shutil.copytree(TOP / "source", target / "source", ignore=shutil.ignore_patterns(*GENERATED))
    (target / "ext").symlink_to(TOP / "ext")
    return target


def take_pictures(project: Path, earlier: Path) -> Path:
    """Give a project the pictures of an earlier build of another. Those that show what
    this one has to show are right, as the hashes beside them say; others are drawn anew."""
    for path in earlier.joinpath("source").rglob("*"):
        name = path.relative_to(earlier).as_posix()
        own = name.startswith("source/reports/drawn/") or name == "source/reports/pictures.json"
        if path.is_file() and (own or _is_picture(name)):
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, project / name)
    return project


def _is_picture(name: str) -> bool:
    return name.endswith((".svg", ".pdf")) and name.split("/")[1] in GENERATED


SAMPLE = {
    "AM335X": ("openssl", "aes-128-cbc", "sha256", "dm-crypt"),
    "AM62X/linux/09.00.00.03": ("stream", "ethernet-udp", "openssl", "aes-128-cbc", "sha256"),
    "AM62X/linux/09.01.00.08/am62xxsip_sk-fs": (
        *("stream", "ethernet-udp", "openssl", "aes-128-cbc", "sha256", "alsa"),
    ),
    "AM64X": ("cyclictest", "ethernet-udp", "openssl", "aes-128-cbc", "sha256", "ipsec"),
    "X86-64": ("openssl", "aes-128-cbc"),
}
"""Bundles of the project, and the benchmarks and algorithms that a sample takes from them:
there is still every kind of page, of chart and of comparison."""


WHOLE = (
    "AM62X/linux/09.01.00.08/am62xxsip_sk-fs.json",
    "AM64X/rt-linux/08.06.00.42/am64xx-hsevm.json",
)
"""Two of them that together have every benchmark of the results."""


def sample_results(target: Path) -> Path:
    """Some of the project's own results."""
    for path in sorted(TOP.joinpath("results").rglob("*.json")):
        name = path.relative_to(TOP / "results").as_posix()
        for wanted in (found for start, found in SAMPLE.items() if name.startswith(start)):
            bundle = json.loads(path.read_bytes())
            bundle["results"] = [
                result
                for result in bundle["results"]
                if result["benchmark"] in wanted
                and result.get("params", {}).get("algorithm", wanted[0]) in wanted
            ]
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_text(json.dumps(bundle), "utf-8")
    return target


@contextlib.contextmanager
def once(tmp_path_factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A folder that the processes of a run share, for one of them at a time."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield base / name


def bare_project(target: Path) -> Path:
    """The project without results, and without pages that are on no way of a figure."""
    copy_project(target)
    shutil.rmtree(target / "results")
    (target / "results").mkdir()
    leave_aside(target)
    return target


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project to change at will, without its results."""
    return bare_project(tmp_path / "project")


def sound_bundle(results: list[dict[str, Any]] | None = None, **changes: Any) -> dict[str, Any]:
    """A sound bundle as plain values, with whatever a test wants otherwise."""
    bundle: dict[str, Any] = {
        "format": "perfguide-bundle",
        "version": 1,
        "id": "run-1",
        "created": "2024-04-02T09:30:00Z",
        "runner": {"name": "lab"},
        "sdk": {"version": "09.02", "os": "linux"},
        "board": {"name": "board-a", "soc": "SOC1"},
        "results": results
        or [{"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 1234.5}],
    }
    for key, value in changes.items():
        part, _, inner = key.partition("__")
        if inner:
            bundle[part] = {**bundle[part], inner: value}
        else:
            bundle[part] = value
    return bundle


@pytest.fixture
def make_bundle() -> Callable[..., dict[str, Any]]:
    """A sound bundle as plain values, with whatever a test wants otherwise."""
    return sound_bundle


@pytest.fixture
def write_bundle(make_bundle: Callable[..., dict[str, Any]]) -> Callable[..., Path]:
    """Write a bundle into a file."""

    def write(path: Path, *arguments: Any, **changes: Any) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(make_bundle(*arguments, **changes)), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def chromium() -> Path:
    """Debian's Chromium, and the library that its driver is linked to."""
    library("libatomic.so.1", "libatomic1")
    return Path(program("chromium"))


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    """One browser for the tests of a module; each has a page or a context of its own.

    Its event loop runs until it ends, and the tests of other modules want loops of theirs."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield started
        started.close()


BASE = "https://guides.example/perf"


@pytest.fixture(scope="session")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the project (``project``) and the site of its own results (``html``), made
    from nothing with every warning an error. Built once for all processes: touch nothing."""
    with once(tmp_path_factory, "own-site") as folder:
        if not (folder / "html").is_dir():
            shutil.rmtree(folder, ignore_errors=True)
            run = run_sphinx(
                copy_project(folder / "project"), folder / "building", "-W", "-n", "-j2"
            )
            assert (run.returncode, run.stderr) == (0, "")
            (folder / "building").rename(folder / "html")
    return folder


@pytest.fixture(scope="session")
def own_paper(tmp_path_factory: pytest.TempPathFactory, own_site: Path) -> Path:
    """The same for LaTeX, of a sample and of all benchmarks of two boards: pictures for paper
    take long to draw, and others are of the same kinds."""
    with once(tmp_path_factory, "own-paper") as folder:
        if not (folder / "latex").is_dir():
            shutil.rmtree(folder, ignore_errors=True)
            project = take_pictures(copy_project(folder / "project"), own_site / "project")
            shutil.rmtree(project / "results")
            sample_results(project / "results")
            for name in WHOLE:
                shutil.copy(TOP / "results" / name, project / "results" / name)
            run = run_sphinx(project, folder / "building", "-b", "latex", "-W", "-n", "-j2")
            assert (run.returncode, run.stderr) == (0, "")
            shown = {path.stem for path in (project / "source/by-benchmark").glob("*.rst")}
            own = {path.stem for path in (own_site / "project/source/by-benchmark").glob("*.rst")}
            assert shown == own
            (folder / "building").rename(folder / "latex")
    return folder


@pytest.fixture(scope="session")
def real_site(tmp_path_factory: pytest.TempPathFactory, own_site: Path) -> Path:
    """The site of the project's own results, and of a SoC with a run that was withdrawn and
    an upload that was refused. It is built once for all workers: look, and touch nothing."""
    with once(tmp_path_factory, "real-site") as folder:
        if not (folder / "html").is_dir():
            shutil.rmtree(folder, ignore_errors=True)
            project = take_pictures(copy_project(folder / "project"), own_site / "project")
            corrected = sound_bundle(id="run-2", supersedes=["run-1"], reason="A worn card")
            corrected["created"] = "2024-04-03T09:30:00Z"
            corrected["results"] = [corrected["results"][0] | {"value": 1111.0}]
            for bundle in (sound_bundle(), corrected):
                text = json.dumps(bundle)
                (project / f"results/{bundle['id']}.json").write_text(text, "utf-8")
            (project / "results/refused.json").write_text("{", "utf-8")
            target = folder / "building"
            run = run_sphinx(project, target, "-j2", "-q", "-D", f"html_baseurl={BASE}/")
            assert run.returncode == 0, run.stderr
            target.rename(folder / "html")
    return folder / "html"


@pytest.fixture(scope="session")
def real_address(real_site: Path) -> Iterator[str]:
    """The same site on a server, with the headers that SECURITY.md asks for."""
    with served(real_site) as found:
        yield found


@pytest.fixture(scope="session")
def real_pages(real_site: Path) -> dict[Path, Element]:
    """Every page of that site as a browser understands it."""
    return pages(real_site)

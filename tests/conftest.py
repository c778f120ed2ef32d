"""What several test modules need: the project copied aside, and Sphinx run on it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import gc
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
import xdist.plugin
from debian import library, program
from playwright.sync_api import Browser, sync_playwright
from prepared import run_module, share, start_no_processes
from profiles import register_profiles
from serving import served
from site_links import pages
from small_site import leave_aside
from temporary import leave_no_memory, write_into_memory
from windows import Windows

from perfguide.figures import dataset

register_profiles()  # before a test module asks how many examples it is to try
write_into_memory()  # before anything asks for a folder
CORES = start_no_processes()
"""The class that makes pages in several processes, as in test_parallel.py."""

TOP = Path(__file__).resolve().parent.parent
SHARED = TOP.parent / "shared"
GENERATED = ("guides", "by-benchmark", "compare", "reports", "api")


LONGEST = (
    "every_kind_of_page", "bounds_of_pages", "builds", "reused_parts", "true_sentences", "site_build",
    "runner", "bombs", "hostile_text", "tables_in_a_browser", "readme", "versions",
    "hostile_documents", "for_everyone", "explorer", "full_disk", "incremental", "reproducible",
    "sound_uploads", "damage", "object_store", "words_of_runs",
    "programs", "downloads", "compare_pages", "atomic_swap",
    "parallel", "provenance", "failed_pages",
    "growth", "drawing", "host_pages", "emulated_example",
    "sound_and_graphics", "ci_comment", "plain_sources", "bad_among_many", "media_and_peers",
    "verdict_pages", "site_figures", "finder", "inbox_faults", "answers", "init_and_serve",
    "report", "lab", "import_guides", "tutorial", "formats", "errata", "pdf", "farm",
    "random_archives", "pages_in_a_browser", "compare_command", "draw", "shares", "extras",
    "envelope", "guest", "mcp_server", "inbox", "long_tables", "hardware_crypto", "rules", "fuzz",
    "judge", "csv_table", "bench", "ci", "hostile_repository", "quoted_figures", "widths", "contributing",
    "documentation", "example", "round_trip", "data_files", "lab_page", "comparison_rows",
)  # fmt: skip
"""The tests that take longest, by file. The first one makes the site that others look at; those
that need LaTeX come when it is installed, where it is missing."""


def pytest_sessionfinish(exitstatus: int) -> None:
    """Leave nothing in memory; what a failed test has written stays for who looks for the cause."""
    if exitstatus == 0:
        leave_no_memory()


def pytest_configure(config: pytest.Config) -> None:
    """Let each of several processes begin to collect in another folder. All compile the test
    modules then, each a part, and read what others have compiled; else each compiles all.

    The process that begins those begins another, from which all of them fork programs."""
    if config.getoption("tx", None):
        share()
    if hasattr(config, "workerinput") and config.args == ["tests"]:
        folders = sorted({os.fspath(path.parent) for path in TOP.glob("tests/*/test_*.py")})
        number, of = int(config.workerinput["workerid"][2:]), config.workerinput["workercount"]
        first = len(folders) * number // of
        config.args[:] = [*folders[first:], *folders[:first]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: a process is given whole files, so that sites that
    the tests of a file share are built once, and none shall be left alone with a long one.
    All processes have to have the same order, wherever they began to collect."""
    order = {f"test_{name}": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (order.get(item.path.stem, len(order)), item.path))


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two processes more than cores. A third of the time one waits for what sleeps: a server that
    is slow on purpose, a program that is measured, a page in a browser, a file that has to grow
    old. On two cores, four processes took 8:27 minutes and 594 seconds of CPU, three 8:50 and 655.
    """
    return int(xdist.plugin.pytest_xdist_auto_num_workers(config)) + 2


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among what is imported, and afterwards seldom, and not among the
    thousands of tests."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
    return collected


def run_sphinx(
    source: Path, target: Path, *options: str, packages: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run sphinx-build as a user does, with other versions of some ``packages`` where a folder
    is given; the doctrees go beside the target."""
    # Where CI is set, Sphinx colours its output, which tests read.
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext"), "LC_ALL": "C.UTF-8"}
    environment["NO_COLOR"] = "1"
    words = ("-d", f"{target}.doctrees", *options, source, target)
    return run_module("sphinx", *words, environment=environment, packages=packages)


def copy_project(target: Path) -> Path:
    """The project's own files without what was built or generated."""
    target.mkdir(parents=True)
    for name in ("conf.py", "index.rst"):
        shutil.copy(TOP / name, target / name)
    shutil.copytree(TOP / "results", target / "results")
    shutil.copytree(
        TOP / "source", target / "source", ignore=shutil.ignore_patterns(*GENERATED, ".gitignore")
    )
    (target / "ext").symlink_to(TOP / "ext")
    return target


def take_pictures(project: Path, earlier: Path) -> Path:
    """Give a project the pictures of an earlier build of another, and the store that says what
    they show. Those that show what this one has to show are right; others are drawn anew, as
    is all else: the parts of a site are kept under the paths of its project."""
    for path in earlier.joinpath("source").rglob("*"):
        name = path.relative_to(earlier).as_posix()
        if path.is_file() and (name.startswith("source/reports/drawn/") or _is_picture(name)):
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, project / name)
    if (earlier / "build/cache").is_dir():
        shutil.copytree(earlier / "build/cache", project / "build/cache")
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
LEVELS = (-20, 0, 19)
"""The nice levels that it takes from a sweep over forty of them."""


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
                and result.get("params", {}).get("nice", 0) in LEVELS
            ]
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_text(json.dumps(bundle), "utf-8")
    return target


MAX_SAMPLED_RESULTS = 8
"""The results of a benchmark that ``sample_of_each_benchmark`` adds to the sample."""


def sample_of_each_benchmark(target: Path) -> Path:
    """The same, and all other benchmarks of two bundles, which together have every one; and a
    table that is so long that it has a page of its own."""
    sample_results(target)
    for name in (
        "AM62X/linux/09.01.00.08/am62xxsip_sk-fs.json",
        "AM64X/rt-linux/08.06.00.42/am64xx-hsevm.json",
    ):
        bundle, sample = (
            json.loads((top / name).read_bytes()) for top in (TOP / "results", target)
        )
        taken = {result["benchmark"] for result in sample["results"]}
        more: dict[str, list[Any]] = {}
        for result in bundle["results"]:
            if result["benchmark"] not in taken:
                more.setdefault(result["benchmark"], []).append(result)
        sample["results"] += [r for each in more.values() for r in each[:MAX_SAMPLED_RESULTS]]
        (target / name).write_text(json.dumps(sample), "utf-8")
    odd = {"benchmark": "odd", "unit": "MB/s"}
    many = [odd | {"metric": f"{'long-' * 30}{n}", "value": n} for n in range(600)]
    (target / "many.json").write_text(json.dumps(sound_bundle(many)), "utf-8")
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
    """A valid bundle as plain values, with whatever a test wants otherwise."""
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
    """A valid bundle as plain values, with whatever a test wants otherwise."""
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
    """Debian's Chromium without windows, which takes two thirds of the time of the one with them,
    and the library that its driver is linked to."""
    library("libatomic.so.1", "libatomic1")
    return Path(program("chromium-headless-shell"))


BROWSER_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# One process less, and one thread for drawing: the other cores are at work on other tests.
BROWSER_OPTIONS += ["--in-process-gpu", "--num-raster-threads=1"]


@pytest.fixture(scope="session")
def started_browser(chromium: Path) -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """One browser for all tests of a process, and the event loop that runs as long as it does."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium,
            args=BROWSER_OPTIONS,
        )
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield started, loop
        asyncio._set_running_loop(loop)
        started.close()


@pytest.fixture(scope="module")
def browser(started_browser: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """That browser for the tests of a module, most of which take its pages by ``windows``.

    The tests of other modules want loops of theirs, and are not to see that one."""
    started, loop = started_browser
    asyncio._set_running_loop(loop)
    yield started
    for context in started.contexts:
        context.close()
    asyncio._set_running_loop(None)


@pytest.fixture(scope="module")
def kept_windows(browser: Browser) -> Windows:
    """The pages of that browser."""
    return Windows(browser)


@pytest.fixture
def windows(kept_windows: Windows) -> Iterator[Windows]:
    """Opens pages for one test, none of which may have an error in its console."""
    yield kept_windows
    assert kept_windows.release() == []


BASE = "https://guides.example/perf"


def real_sources(target: Path) -> Path:
    """The project with its own results, and two more uploads of another SoC: a run that was
    withdrawn, and what withdrew it. A third one is no bundle."""
    copy_project(target)
    corrected = sound_bundle(id="run-2", supersedes=["run-1"], reason="A worn card")
    corrected["created"] = "2024-04-03T09:30:00Z"
    corrected["results"] = [corrected["results"][0] | {"value": 1111.0}]
    for bundle in (sound_bundle(), corrected):
        text = json.dumps(bundle)
        (target / f"results/{bundle['id']}.json").write_text(text, "utf-8")
    (target / "results/refused.json").write_text("{", "utf-8")
    return target


@pytest.fixture(scope="session")
def real_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of ``real_sources`` with the pages that were generated in it, and beside it
    in ``html`` its site, made from nothing. It is the one site of all results that is built in
    a run of the tests, once for all processes: look, and touch nothing."""
    with once(tmp_path_factory, "real") as folder:
        if not (folder / "html").is_dir():
            shutil.rmtree(folder, ignore_errors=True)
            project, target = real_sources(folder / "project"), folder / "building"
            run = run_sphinx(project, target, "-n", "-j2", "-D", f"html_baseurl={BASE}/")
            assert run.returncode == 0, run.stderr
            only_the_refused_one = run.stderr.count("WARNING") == 1 == run.stderr.count("\n")
            assert only_the_refused_one and "results/refused.json" in run.stderr, run.stderr
            target.rename(folder / "html")
    return folder / "project"


@pytest.fixture(scope="session")
def real_holdings(real_project: Path) -> dataset.Holdings:
    """The figures of that project, read apart from its pages."""
    source = real_project / "source"
    return dataset.read(
        dataset.Settings((real_project / "results",), (source / "benchmarks",), source)
    )


@pytest.fixture(scope="session")
def real_site(real_project: Path) -> Path:
    """The site of that project."""
    return real_project.with_name("html")


@pytest.fixture(scope="session")
def real_address(real_site: Path) -> Iterator[str]:
    """The same site on a server, with the headers that SECURITY.md asks for."""
    with served(real_site) as found:
        yield found


@pytest.fixture(scope="session")
def real_pages(real_site: Path) -> dict[Path, Element]:
    """Every page of that site as a browser understands it."""
    return pages(real_site)

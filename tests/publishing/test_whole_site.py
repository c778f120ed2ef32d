"""A build on top of an earlier one equals a clean build, and what is published is whole."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import (
    GENERATED,
    TOP,
    bare_project,
    sample_results,
    sound_bundle,
    take_pictures,
)
from debian import program
from prepared import run_module

Bundle = Callable[..., Path]
STREAM = {"benchmark": "stream", "metric": "copy", "unit": "MB/s"}


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "perfguide", "build", *options]


def environment(**changes: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(TOP / "ext"), "NO_COLOR": "1"} | changes


def run_build(project: Path, *options: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Build as ``make html`` does."""
    known = environment(**changes)
    return run_module("perfguide", "build", *options, environment=known, folder=project)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def site(project: Path) -> dict[str, bytes]:
    return tree(project / "build/html")


def clean_site(project: Path, elsewhere: Path) -> dict[str, bytes]:
    """What a build from nothing but drawn pictures gives in another folder."""
    shutil.rmtree(elsewhere, ignore_errors=True)
    ignored = shutil.ignore_patterns(*GENERATED, "build", "ext")
    shutil.copytree(project, elsewhere, symlinks=True, ignore=ignored)
    (elsewhere / "ext").symlink_to(TOP / "ext")
    take_pictures(elsewhere, project)
    # What publishes need not be proved each time; it takes as long as a small site.
    options = ("-q", "-b", "html", "-D", "perfguide_own_output=1", "-d", "build/doctrees")
    known = environment()
    run = run_module("sphinx", *options, ".", "build/html", environment=known, folder=elsewhere)
    assert run.returncode == 0, run.stderr
    return site(elsewhere)


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> set[str]:
    return {name for name in one | other if one.get(name) != other.get(name)}


def pages_read(run: subprocess.CompletedProcess[str]) -> int:
    added, changed = re.findall(r"(\d+) added, (\d+) changed", run.stdout)[-1]
    return int(added) + int(changed)


def pages_written(run: subprocess.CompletedProcess[str]) -> set[str]:
    """With one process, which names each page."""
    return set(re.findall(r"writing output\.\.\. \[ *\d+%\] (\S+)", run.stdout))


def guides(project: Path) -> Path:
    """Two small guides instead of the project's own results."""
    results = [STREAM | {"samples": [1.0, 2.0]}]
    later = sound_bundle(results, id="run-2", sdk__version="09.03")
    for name, bundle in (("a", sound_bundle()), ("b", later)):
        (project / f"results/{name}.json").write_text(json.dumps(bundle), "utf-8")
    return project


@pytest.fixture
def small(project: Path) -> Path:
    """The project with two small guides instead of its own results."""
    return guides(project)


@dataclass(frozen=True)
class Once:
    """A project that was built once, what that said, and where its state then is kept."""

    project: Path
    run: subprocess.CompletedProcess[str]
    kept: Path


@pytest.fixture(scope="module")
def once_built(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """The same, built from nothing."""
    folder = tmp_path_factory.mktemp("built")
    project = guides(bare_project(folder / "project"))
    run = run_build(project)
    assert run.returncode == 0, run.stderr
    shutil.copytree(project, folder / "kept", symlinks=True)
    return Once(project, run, folder / "kept")


@pytest.fixture
def built(once_built: Once) -> Path:
    """That project as it was after the build, whatever an earlier test did to it."""
    shutil.rmtree(once_built.project)
    shutil.copytree(once_built.kept, once_built.project, symlinks=True)
    return once_built.project


def change(path: Path, old: str, new: str) -> None:
    """Edit a file and give it a time of long ago, as some copying programs do."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    os.utime(path, (1_000_000_000, 1_000_000_000))


def _with_charts(project: Path) -> None:
    """Add a bundle of another SoC, of which charts are drawn."""
    some = sample_results(project.parent / "some") / "AM335X/linux/06.00.00.00"
    shutil.copytree(some, project / "results/AM335X")


def steps(project: Path, write_bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Changes to a project one after another: what was done, and a page
    that need not be written for it, if there is one."""
    other = "source/guides/SOC1/linux/09.03"
    change(project / "results/a.json", "1234.5", "4321.0")
    (project / "results/a.json").rename(project / "results/c.json")
    yield "a figure changed, and its bundle was renamed", other
    write_bundle(
        project / "results/deep/d.json",
        [STREAM | {"value": 7.0}, {"benchmark": "odd", "metric": "m", "unit": "1", "value": 1}],
        id="run-4",
        board={"name": "x", "soc": "SOC2"},
    )
    _with_charts(project)
    yield "bundles of other SoCs came, one with charts", ""
    change(project / "source/benchmarks/stream.toml", 'title = "STREAM"', 'title = "Stream"')
    path = project / "source/benchmarks/stream.rst"
    change(path, path.read_text("utf-8").split()[0], "Seemingly")
    yield "a benchmark got another title and text", ""
    change(project / "source/reading.rst", ".. _reading:", ".. _reading2:\n.. _reading:")
    path = project / "source/reading.rst"
    title = re.search(r"(.+)\n=+\n", path.read_text("utf-8"))
    assert title is not None
    change(path, title[0], "Other words\n===========\n")
    yield "a page got another title", ""
    (project / "source/new.rst").write_text(
        ":orphan:\n\nNew\n===\n\n.. index:: gnu\n\n:rfc:`1` zebra :ref:`reading`\n\n"
        ":download:`own.txt` :download:`two.txt`\n",
        "utf-8",
    )
    for name in ("own.txt", "two.txt"):
        (project / "source" / name).write_text("first", "utf-8")
    yield "a page came", ""
    change(project / "source/new.rst", "zebra", "tapir")
    change(project / "source/new.rst", ".. index:: gnu\n", "")
    change(project / "source/own.txt", "first", "other")
    yield "a page lost an index entry, and a word that no other page has", other
    (project / "source/new.rst").unlink()
    (project / "source/_static/guide.png").rename(project / "source/_static/other.png")
    yield "a page went, and a file of the assets was renamed", ""
    shutil.rmtree(project / "results/AM335X")
    (project / "results/deep/d.json").unlink()
    yield "bundles went, and their guides with them", ""


def test_a_build_upon_an_earlier_one_equals_a_clean_one(
    small: Path, write_bundle: Bundle, tmp_path: Path
) -> None:
    with (small / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('html_static_path = ["source/_static"]\n')
    run = run_build(small)
    assert run.returncode == 0, run.stderr
    for done, stays in steps(small, write_bundle):
        run = run_build(small, "-j1")
        assert run.returncode == 0, run.stderr
        assert differing(site(small), clean_site(small, tmp_path / "clean")) == set(), done
        assert stays not in pages_written(run), (done, run.stdout)


def test_without_a_change_no_page_is_read_or_written(built: Path, once_built: Once) -> None:
    assert pages_read(once_built.run) > 10
    before = (built / "build/html").stat().st_ino
    # Something to look at, so that there is a build.
    (built / "source/boards.toml").touch()
    again = run_build(built)
    assert pages_read(again) == 0 and pages_written(again) == set()
    assert (built / "build/html").stat().st_ino == before


def test_a_build_after_plain_sphinx_builds_took_turns_with_it(built: Path, tmp_path: Path) -> None:
    plain = run_module("sphinx", ".", "build/html", environment=environment(), folder=built)
    assert plain.returncode == 0
    assert run_build(built).returncode == 0
    assert differing(site(built), clean_site(built, tmp_path / "clean")) == set()


def test_a_build_with_a_fault_leaves_the_site(built: Path) -> None:
    before = site(built)
    (built / "results/bad.json").write_text("{", "utf-8")
    change(built / "results/a.json", "1234.5", "4321.0")
    strict = run_build(built, "--strict")
    assert strict.returncode == 1
    assert "build/html is as it was" in strict.stderr and site(built) == before
    missing = run_build(built, "--results", "resluts")
    assert missing.returncode == 2
    assert "resluts" in missing.stderr and site(built) == before
    broken = run_build(built, "--", "-D", "html_theme=none")
    assert broken.returncode == 2 and site(built) == before
    assert run_build(built, "--", "--version").returncode == 0 and site(built) == before
    assert run_build(built).returncode == 0 and site(built) != before


class Planted:
    """Leaves a file behind where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


def test_a_planted_cache_is_not_loaded_and_a_damaged_one_is_made_anew(
    built: Path, tmp_path: Path
) -> None:
    import pickle

    before = site(built)
    cache = built / "build/.html/doctrees/environment.pickle"
    cache.write_bytes(pickle.dumps(Planted(tmp_path / "ran")))
    assert run_build(built).returncode == 0
    assert not (tmp_path / "ran").exists() and site(built) == before
    for name in ("build/.html/doctrees/index.doctree", "build/html/searchindex.js"):
        (built / name).write_bytes((built / name).read_bytes()[:100])
        assert run_build(built).returncode == 0
        assert site(built) == before


def test_what_was_damaged_is_written_anew_and_a_changed_picture_is_copied(small: Path) -> None:
    _with_charts(small)
    run_build(small)
    before = site(small)
    generated = [p for p in (small / "source/guides").rglob("*") if p.is_file()]
    assert {p.suffix for p in generated} == {".rst", ".csv", ".svg", ".json", ".js"}
    for path in generated:
        path.write_bytes(path.read_bytes()[:-20])
    for name in ("pictures.json", "manifest.json"):
        (small / "source/reports" / name).write_bytes(b"{")
    assert run_build(small).returncode == 0
    assert site(small) == before
    change(next((small / "results/AM335X").iterdir()), "32702.46", "31702.46")
    assert run_build(small).returncode == 0
    shown, drawn = small / "build/html/_images", small / "source/guides"
    copies = {path.name: path.read_bytes() for path in shown.glob("*.svg")}
    pictures = {path.name: path.read_bytes() for path in drawn.rglob("*.svg")}
    assert copies.items() >= pictures.items() and len(pictures) > 2
    changed = {name for name, data in copies.items() if before[f"_images/{name}"] != data}
    assert changed and changed < set(copies)


def test_two_builds_take_turns(small: Path) -> None:
    first = subprocess.Popen(
        command(), cwd=small, env=environment(), stdout=subprocess.PIPE, text=True
    )
    with first:
        assert first.stdout is not None
        first.stdout.readline()
        change(small / "results/a.json", "1234.5", "4321.0")
        second = run_build(small)
        first.stdout.read()
    assert (first.returncode, second.returncode) == (0, 0)
    assert f"another build is running (process {first.pid}" in second.stderr
    assert b"4321.00" in site(small)["source/guides/SOC1/linux/09.02.html"]


def test_an_interrupted_build_leaves_the_site_and_says_so(built: Path) -> None:
    before = site(built)
    change(built / "results/a.json", "1234.5", "4321.0")
    build = subprocess.Popen(
        command(),
        cwd=built,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Where the tests run in the background, interrupts may be ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with build:
        assert build.stdout is not None and build.stderr is not None
        build.stdout.readline()
        os.killpg(build.pid, signal.SIGINT)
        assert "interrupted" in build.stderr.read()
    assert build.returncode == 130
    assert site(built) == before


def test_a_bundle_that_is_replaced_all_the_time_is_read_once(
    small: Path, write_bundle: Bundle, tmp_path: Path
) -> None:
    """The page, the table's file and the report of its origin tell of one and the same."""
    versions = []
    for number in (1, 2):
        path = write_bundle(
            tmp_path / f"{number}.json",
            [STREAM | {"value": 1000.0 + number}] * 1
            + [STREAM | {"metric": "add", "value": number}],
            created=f"2024-04-0{number}T00:00:00Z",
        )
        versions.append(path.read_bytes())
    (small / "results/a.json").write_bytes(versions[0])
    sites = []
    for content in versions:
        (small / "results/a.json").write_bytes(content)
        sites.append(clean_site(small, tmp_path / "clean"))
    build = subprocess.Popen(command(), cwd=small, env=environment(), stdout=subprocess.DEVNULL)
    turns = 0
    with build:
        while build.poll() is None:
            (tmp_path / "new").write_bytes(versions[turns % 2])
            (tmp_path / "new").replace(small / "results/a.json")
            turns += 1
            time.sleep(0.001)
    assert build.returncode == 0 and turns > 100
    assert site(small) in sites


def test_the_folder_of_results_is_only_read(small: Path) -> None:
    program("mount")
    folder = small / "results"
    bind = ["mount", "--bind", str(folder), str(folder)]
    if os.geteuid() == 0 and subprocess.run(bind, check=False, capture_output=True).returncode == 0:
        try:
            subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
            with pytest.raises(OSError, match="Read-only"):
                (folder / "x").touch()
            assert run_build(small).returncode == 0
        finally:
            subprocess.run(["umount", str(folder)], check=True)
        return
    folder.chmod(0o555)
    assert run_build(small).returncode == 0


def test_a_build_folder_that_cannot_be_written_is_named(small: Path) -> None:
    (small / "build").write_text("a file", "utf-8")
    run = run_build(small)
    assert run.returncode == 2
    assert run.stderr.startswith("perfguide: build: ") and "Traceback" not in run.stderr
    assert json.dumps(str(small)) not in run.stderr

"""What is published is whole whatever happens to a build, and a build does only what it has to."""

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
from prepared import put_command, run_module
from profiles import count

Bundle = Callable[..., Path]
STREAM = {"benchmark": "stream", "metric": "copy", "unit": "MB/s"}


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "perfguide", "build", "-v", *options]


def environment(**changes: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(TOP / "ext"), "NO_COLOR": "1"} | changes


def run_build(project: Path, *options: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Build as ``make html`` does, with one process, as the pages are few."""
    known = environment(**changes)
    return run_module(
        "perfguide", "build", "-j1", "-v", *options, environment=known, folder=project
    )


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def site(project: Path) -> dict[str, bytes]:
    return tree(project / "build/html")


def clean_site(project: Path, elsewhere: Path, builder: str = "html") -> dict[str, bytes]:
    """What a build from nothing but drawn pictures gives in another folder."""
    shutil.rmtree(elsewhere, ignore_errors=True)
    ignored = shutil.ignore_patterns(*GENERATED, ".gitignore", "build", "ext")
    shutil.copytree(project, elsewhere, symlinks=True, ignore=ignored)
    (elsewhere / "ext").symlink_to(TOP / "ext")
    take_pictures(elsewhere, project)
    # What publishes need not be proved each time; it takes as long as a small site.
    options = ("-q", "-b", builder, "-D", "perfguide_own_output=1", "-d", "build/doctrees")
    known, target = environment(), f"build/{builder}"
    run = run_module("sphinx", *options, ".", target, environment=known, folder=elsewhere)
    assert run.returncode == 0, run.stderr
    return tree(elsewhere / target)


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


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same, built, and a copy of all its files."""
    top = tmp_path_factory.mktemp("built")
    project = guides(bare_project(top / "project"))
    run = run_build(project)
    assert run.returncode == 0, run.stderr
    assert pages_read(run) > 10
    return project, shutil.copytree(project, top / "copy", symlinks=True)


@pytest.fixture
def built(built_once: tuple[Path, Path]) -> Path:
    """The same, as that build left it."""
    project, copy = built_once
    shutil.rmtree(project)
    return shutil.copytree(copy, project, symlinks=True)


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


NOTHING = "Nothing changed since build/html was built.\n"


def settled(project: Path, *options: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Build when all files are old enough for a change to show in their times."""
    time.sleep(0.3)
    done = run_build(project, *options, **changes)
    assert done.returncode == 0, done.stderr
    return done


def test_only_what_changed_is_read_and_written(small: Path) -> None:
    assert pages_read(run_build(small)) > 10
    before = (small / "build/html").stat().st_ino
    # Something to look at, so that there is a build.
    (small / "source/boards.toml").touch()
    again = run_build(small)
    assert pages_read(again) == 0 and pages_written(again) == set()
    assert (small / "build/html").stat().st_ino == before
    change(small / "results/a.json", "1234.5", "4321.0")
    again = run_build(small)
    assert {"source/guides/SOC1/linux/09.02"} <= pages_written(again)
    # The guide of the next release says what changed since this one.
    assert not {"source/reading", "source/glossary"} & pages_written(again)


HELPED = """
import os, sys
sys.path.insert(0, os.path.dirname(__file__))
import helping
html_title = os.environ.get("TITLE", helping.title)
"""


@pytest.fixture(scope="module")
def helped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose title comes from a module, or from the environment; built until a build
    knows that there is nothing to do."""
    project = guides(bare_project(tmp_path_factory.mktemp("helped") / "project"))
    (project / "helping.py").write_text("title = 'First'\n", "utf-8")
    with (project / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(HELPED)
    # A build of files that are new does not know yet that they stay as they are.
    assert NOTHING in (settled(project).stdout for _ in range(3))
    return project


def test_where_nothing_changed_nothing_is_done(helped: Path) -> None:
    top = helped / "build/html"
    before = top.stat().st_ino, (top / "index.html").stat().st_mtime_ns
    (helped / "said.log").write_text("what somebody keeps of an earlier build", "utf-8")
    for options in ((), ("--", "-q"), ("-v",), ("-j", "1")):
        again = settled(helped, *options)
        assert (again.stdout, again.stderr) == (NOTHING, "")
    assert (top.stat().st_ino, (top / "index.html").stat().st_mtime_ns) == before
    assert NOTHING not in settled(helped, "--", "-E").stdout


def test_whatever_changed_there_is_a_build(helped: Path) -> None:
    top, page = helped / "build/html", next((helped / "source/guides").rglob("*.rst"))
    right = page.read_bytes()

    def build(**changes: str) -> None:
        assert NOTHING not in settled(helped, **changes).stdout
        assert settled(helped, **changes).stdout == NOTHING

    (top / "index.html").unlink()
    build()
    (top / "planted.html").touch()
    build()
    assert (top / "index.html").exists() and not (top / "planted.html").exists()
    page.write_text("spoilt", "utf-8")
    build()
    assert page.read_bytes() == right
    (helped / "new.rst").write_text(":orphan:\n\nNew\n===\n", "utf-8")
    (helped / "results/a.json").rename(helped / "results/gone.txt")
    build()
    assert (top / "new.html").exists()
    (helped / "build/.html/stamp").write_bytes(b"damaged")
    build()
    (helped / "helping.py").write_text("title = 'Second'\n", "utf-8")
    build()
    assert "Second" in (top / "index.html").read_text("utf-8")
    build(TITLE="Third")
    assert "Third" in (top / "index.html").read_text("utf-8")


def test_a_warning_is_said_in_each_build(built: Path) -> None:
    (built / "results/bad.json").write_text("{", "utf-8")
    assert all("bad.json" in settled(built).stderr for _ in range(2))


def test_a_build_after_plain_sphinx_builds_took_turns_with_it(built: Path, tmp_path: Path) -> None:
    plain = run_module("sphinx", ".", "build/html", environment=environment(), folder=built)
    assert plain.returncode == 0
    assert run_build(built).returncode == 0
    assert differing(site(built), clean_site(built, tmp_path / "clean")) == set()


def test_a_format_without_pages_of_a_site_is_written_as_a_whole(
    small: Path, tmp_path: Path
) -> None:
    assert run_build(small, "--builder", "text").returncode == 0
    (small / "results/b.json").unlink()
    assert run_build(small, "--builder", "text").returncode == 0
    texts = tree(small / "build/text")
    assert texts and texts == clean_site(small, tmp_path / "clean", "text")


def test_a_build_with_a_fault_leaves_the_site(built: Path) -> None:
    before = site(built)
    (built / "results/bad.json").write_text("{", "utf-8")
    change(built / "results/a.json", "1234.5", "4321.0")
    strict = run_build(built, "--strict")
    assert strict.returncode == 1
    assert "build/html is unchanged" in strict.stderr and site(built) == before
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
    for name in (
        "build/.html/doctrees/index.doctree",
        "build/html/searchindex.js",
    ):
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
    for path in (small / "source/reports/manifest.json", small / "build/cache/index"):
        path.write_bytes(b"{")
    assert run_build(small).returncode == 0
    assert site(small) == before
    change(next((small / "results/AM335X").iterdir()), "32702.46", "31702.46")
    assert run_build(small).returncode == 0
    shown, drawn = small / "build/html/_images", small / "source/guides"
    copies = {path.name: path.read_bytes() for path in shown.glob("*.svg")}
    pictures = {path.name: path.read_bytes() for path in drawn.rglob("*.svg")}
    assert copies.items() >= pictures.items() and len(pictures) > 1
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
    assert b'<data value="4321.0">' in site(small)["source/guides/SOC1/linux/09.02.html"]


def test_builds_of_other_bundles_for_other_folders_do_not_mix(small: Path) -> None:
    """They share the generated pages."""
    shutil.copytree(small / "results", small / "others")
    change(small / "others/a.json", "1234.5", "4321.0")
    change(small / "others/b.json", "09.03", "09.04")
    put_command(small.parent)
    first = [str(small.parent / "perfguide"), "build", "-v"]
    second = [*first, "--results", "others", "--output", "elsewhere/html"]
    texts = []
    builds = [
        subprocess.Popen(
            each, cwd=small, env=environment(), text=True, stdout=-1, stderr=subprocess.STDOUT
        )
        for each in (first, second)
    ]
    for build in builds:
        texts.append(build.communicate()[0])
        assert build.returncode == 0, texts[-1]
        assert "WARNING" not in texts[-1]
    assert "another build is writing pages into" in "".join(texts)
    for folder, figure, releases in (
        ("build", b"1234.5", {"09.02.html", "09.03.html"}),
        ("elsewhere", b"4321.0", {"09.02.html", "09.04.html"}),
    ):
        guides = tree(small / folder / "html/source/guides/SOC1/linux")
        assert releases == {name for name in guides if name.startswith("09") and "/" not in name}
        assert b'<data value="%s">' % figure in guides["09.02.html"]


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
    put_command(tmp_path)
    line = [str(tmp_path / "perfguide"), "build"]
    build = subprocess.Popen(line, cwd=small, env=environment(), stdout=subprocess.DEVNULL)
    turns = 0
    with build:
        while build.poll() is None:
            (tmp_path / "new").write_bytes(versions[turns % 2])
            (tmp_path / "new").replace(small / "results/a.json")
            turns += 1
            time.sleep(0.001)
    assert build.returncode == 0 and turns > 100
    assert site(small) in sites


@pytest.fixture
def disk(small: Path) -> Iterator[Callable[[str], Path]]:
    """Makes a folder of the project a file system of its own, which only root can mount."""
    mounted: list[Path] = []

    def mount(folder: str) -> Path:
        at, aside = small / folder, small.parent / "aside"
        at.mkdir(parents=True, exist_ok=True)
        shutil.copytree(at, aside)
        command = ["mount", "-t", "tmpfs", "tmpfs", str(at)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
        mounted.append(at)
        shutil.copytree(aside, at, dirs_exist_ok=True)
        return at

    yield mount
    for at in mounted:
        subprocess.run(["umount", str(at)], check=True)


@pytest.mark.parametrize(
    ("folder", "state"), [("source", "full"), ("build", "read-only")][: count(1, heavy=2)]
)
def test_a_disk_that_takes_no_more_is_one_line_and_the_next_build_a_clean_one(
    small: Path, tmp_path: Path, disk: Callable[[str], Path], folder: str, state: str
) -> None:
    at = disk(folder)
    assert run_build(small).returncode == 0
    before = site(small)
    change(small / "results/a.json", "1234.5", "4321.0")
    used_kib = (os.statvfs(at).f_blocks - os.statvfs(at).f_bfree) * os.statvfs(at).f_frsize // 1024
    less = {"full": f"size={used_kib}k", "read-only": "ro"}[state]
    subprocess.run(["mount", "-o", f"remount,{less}", str(at)], check=True)
    run = run_build(small)
    subprocess.run(["mount", "-o", "remount,rw,size=1g", str(at)], check=True)
    assert run.returncode == 2
    first, *rest = run.stderr.splitlines()
    reason = {"full": "No space left on device (", "read-only": "Read-only file system ("}[state]
    assert first.startswith("perfguide: ") and reason in first, run.stderr
    assert len(rest) <= 1, run.stderr
    assert site(small) == before
    assert run_build(small).returncode == 0
    assert site(small) == clean_site(small, tmp_path / "clean")


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

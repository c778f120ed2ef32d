"""A site is put into place wholly or not at all, and only what is whole is used again."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import TOP

from perfguide.publishing import atomic_swap, last_build
from perfguide.publishing.atomic_swap import Place, build, locked, place_of
from perfguide.publishing.last_build import Inputs

INPUTS = Inputs({}, (), (), "", {}, is_complete=False)


def fill(folder: Path, *names: str, text: str = "x") -> Path:
    """A folder with these files."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name} {text}", "utf-8")
    return folder


def names(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def site(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names(folder)}


def make(at: Place, *pages: str, text: str = "x", status: int = 0, depends: str = "1") -> bool:
    """A build that writes these pages and a cache; whether it had the site before to begin with."""
    begun = False

    def run() -> tuple[int, Inputs]:
        nonlocal begun
        begun = at.site.exists() and any(at.site.iterdir())
        for name in names(at.site) - set(pages):
            (at.site / name).unlink()
        fill(at.site, *pages, "_static/style.css", text=text)
        fill(at.doctrees, *pages, text=text)
        return status, INPUTS

    assert build(at, last_build.last(at), depends, depends, run)[0] == status
    return begun


@pytest.fixture
def at(tmp_path: Path) -> Place:
    """A place with a published site of two pages."""
    at = place_of(tmp_path / "build/html")
    at.target.parent.mkdir()
    make(at, "a.html", "b/c.html")
    return at


def test_a_first_build_publishes_what_it_wrote_and_nothing_else(at: Place) -> None:
    assert names(at.target) == {"a.html", "b/c.html", "_static/style.css"}
    assert not at.site.exists()


def test_an_empty_folder_is_replaced(tmp_path: Path) -> None:
    at = place_of(tmp_path / "html")
    at.target.mkdir()
    make(at, "a.html")
    assert "a.html" in names(at.target)


def test_a_folder_that_was_built_otherwise_is_replaced_whole(tmp_path: Path) -> None:
    at = place_of(tmp_path / "html")
    fill(at.target, "stale.html", "a.html")
    assert make(at, "a.html") is False
    assert names(at.target) == {"a.html", "_static/style.css"}


def test_a_second_build_begins_with_the_site_before_but_for_its_assets(at: Place) -> None:
    def run() -> tuple[int, None]:
        assert names(at.site) == {"a.html", "b/c.html"}
        assert names(at.doctrees) == {"a.html", "b/c.html"}
        return 1, None

    assert build(at, last_build.last(at), "1", "1", run) == (1, {})


def test_a_build_that_changes_nothing_leaves_the_very_folder(at: Place) -> None:
    before = at.target.stat().st_ino
    assert make(at, "a.html", "b/c.html") is True
    assert at.target.stat().st_ino == before
    make(at, "a.html", "b/c.html", text="y")
    assert at.target.stat().st_ino != before


def test_a_failed_build_leaves_the_site_and_is_not_built_upon(at: Place) -> None:
    before = site(at.target)
    make(at, "a.html", text="half", status=2)
    assert site(at.target) == before
    assert make(at, "a.html") is False
    assert names(at.target) == {"a.html", "_static/style.css"}


def test_a_program_that_ended_well_without_building_publishes_nothing(at: Place) -> None:
    before = site(at.target)
    assert build(at, last_build.last(at), "1", "1", lambda: (0, None)) == (0, {})
    assert site(at.target) == before


def test_a_build_that_raises_leaves_the_site(at: Place) -> None:
    before = site(at.target)

    def run() -> tuple[int, None]:
        fill(at.site, "a.html", text="half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(at, last_build.last(at), "1", "1", run)
    assert site(at.target) == before


def harm(file: Path, damage: str) -> None:
    """Do something to a file, and leave its size and its times as they were where that can be."""
    state = file.stat()
    match damage:
        case "cut":
            file.write_bytes(file.read_bytes()[:-1])
        case "altered":
            file.write_bytes(file.read_bytes()[:-1] + b"!")
            os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
        case "more":
            fill(file.parent, "planted.html")
        case "fewer":
            file.unlink()
        case "link":
            shutil.copy(file, file.parent.parent / "elsewhere")
            file.unlink()
            file.symlink_to(file.parent.parent / "elsewhere")


DAMAGE = ("cut", "altered", "more", "fewer", "link")


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_cache_is_not_built_upon(at: Place, damage: str) -> None:
    harm(at.doctrees / "a.html", damage)
    assert make(at, "a.html", "b/c.html") is False
    assert names(at.target) == {"a.html", "b/c.html", "_static/style.css"}
    assert make(at, "a.html", "b/c.html") is True


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_site_is_published_again(at: Place, damage: str) -> None:
    before = site(at.target)
    harm(at.target / "a.html", damage)
    assert make(at, "a.html", "b/c.html") is False
    assert site(at.target) == before
    assert not any(path.is_symlink() for path in at.target.rglob("*"))


def test_who_reads_a_file_that_was_published_reads_it_to_its_end(at: Place) -> None:
    with (at.target / "a.html").open() as reader:
        make(at, "a.html", text="other")
        make(at, "a.html", "b/c.html")
        assert reader.read() == "a.html x"


def test_pages_that_sphinx_does_not_write_keep_their_times(at: Place) -> None:
    os.utime(at.target / "b/c.html", ns=(5, 5))
    make(at, "b/c.html")

    def run() -> tuple[int, Inputs]:
        fill(at.site, "a.html", text="new")
        return 0, INPUTS

    before = (at.target / "b/c.html").stat()
    build(at, last_build.last(at), "1", "1", run)
    after = (at.target / "b/c.html").stat()
    assert after.st_mtime_ns == before.st_mtime_ns and after.st_ino != before.st_ino


def test_what_a_killed_build_left_is_not_published(at: Place) -> None:
    fill(at.site, "a.html", "stray.html", text="half")
    (at.site / "folder").symlink_to("/etc")
    make(at, "a.html", "d.html", text="new")
    assert names(at.target) == {"a.html", "d.html", "_static/style.css"}
    assert not (at.target / "folder").exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"5", b"\xff", b"x" * 100])
def test_a_damaged_stamp_is_none(at: Place, content: bytes) -> None:
    at.stamp.write_bytes(content)
    assert make(at, "a.html") is False


def test_a_stamp_that_cannot_be_written_costs_time_alone(
    at: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(last_build, "write", full)
        make(at, "a.html", text="new")
    assert site(at.target)["a.html"] == b"a.html new"
    assert make(at, "a.html", text="new") is False


def test_another_version_does_not_build_upon_the_cache(at: Place) -> None:
    assert make(at, "a.html", depends="2") is False
    assert make(at, "a.html", depends="2") is True


def test_a_link_of_the_users_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    (tmp_path / "build").mkdir()
    (tmp_path / "build/html").symlink_to(tmp_path / "www")
    make(place_of(tmp_path / "build/html"), "a.html")
    make(place_of(tmp_path / "build/html"), "b.html")
    assert (tmp_path / "build/html").is_symlink()
    assert names(tmp_path / "www") == {"b.html", "_static/style.css"}


def test_where_names_cannot_be_exchanged_a_link_is_turned(tmp_path: Path) -> None:
    at = place_of(tmp_path / "html")
    fill(at.target, "0.html")
    at.work.mkdir()
    for number in range(1, 5):
        new = fill(at.site, f"{number}.html")
        if at.target.is_symlink():
            atomic_swap.swap(new, at.target, at.work)
        else:
            atomic_swap.link(new, at.target, at.work)
        assert place_of(tmp_path / "html") == at
        assert at.target.is_symlink() and names(at.target) == {f"{number}.html"}
        shutil.rmtree(at.site, ignore_errors=True)
    assert len([p for p in at.work.iterdir() if p.is_dir()]) == 1
    assert make(at, "a.html") is False
    assert make(at, "a.html") is True
    assert names(at.target) == {"a.html", "_static/style.css"}


HOLD = """
import sys, time
from pathlib import Path
from perfguide.publishing.atomic_swap import locked
with locked(Path(sys.argv[1]), lambda holder: print("waits:", holder, flush=True)):
    print("has it", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def _holder(folder: Path, seconds: float) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext")}
    command = [sys.executable, "-c", HOLD, str(folder), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_the_second_build_says_who_is_first_and_waits(tmp_path: Path) -> None:
    with _holder(tmp_path, 1) as first:
        assert first.stdout is not None and first.stdout.readline() == "has it\n"
        said: list[str] = []
        begun = time.monotonic()
        with locked(tmp_path, said.append):
            assert time.monotonic() - begun > 0.5
            assert first.wait() == 0
    assert said and said[0].startswith(f"process {first.pid} on ")


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    with _holder(tmp_path, 60) as first:
        assert first.stdout is not None and first.stdout.readline() == "has it\n"
        first.kill()
        first.wait()
        said: list[str] = []
        with locked(tmp_path, said.append):
            assert said == []


def test_what_a_killed_build_started_holds_the_lock_until_it_has_ended(tmp_path: Path) -> None:
    with locked(tmp_path, lambda _: None) as lock:
        child = subprocess.Popen(["sleep", "1"], pass_fds=[lock])
    said: list[str] = []
    with child, locked(tmp_path, said.append):
        assert len(said) == 1
        assert child.wait(timeout=5) == 0


ALTERNATE = """
import sys
from pathlib import Path
from perfguide.publishing import atomic_swap, last_build
at = atomic_swap.place_of(Path(sys.argv[1]))
def run(text):
    at.site.mkdir(exist_ok=True)
    for number in range(40):
        (at.site / f"{number}.html").write_text(text)
    return 0, last_build.Inputs({}, (), (), "", {}, False)
while True:
    for text in ("old", "new"):
        atomic_swap.build(at, last_build.last(at), "1", "1", lambda: run(text))
        print(text, flush=True)
"""


@pytest.mark.parametrize("way", ["exchange", "link"])
def test_a_site_is_whole_whenever_its_publisher_is_killed(tmp_path: Path, way: str) -> None:
    at = place_of(tmp_path / "html")
    chance = random.Random(7)
    if way == "link":
        at.target.mkdir()
        at.site.mkdir(parents=True)
        for number in range(40):
            (at.site / f"{number}.html").write_text("new", "utf-8")
        atomic_swap.link(at.site, at.target, at.work)
        shutil.rmtree(at.site)
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext")}
    seen = set()
    for turn in range(16):
        command = [sys.executable, "-c", ALTERNATE, str(at.target)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as run:
            assert run.stdout is not None and run.stdout.readline() == "old\n"
            begun = time.monotonic()
            for _ in range(turn % 3):
                run.stdout.readline()
            time.sleep(chance.random() * max(0.05, time.monotonic() - begun))
            run.send_signal(signal.SIGKILL)
        texts = {path.read_text("utf-8") for path in at.target.iterdir()}
        assert len(texts) == 1
        assert len(list(at.target.iterdir())) == 40
        seen |= texts
    assert {"old", "new"} <= seen


def test_a_site_takes_its_room_on_the_disk_once_between_builds(at: Place) -> None:
    make(at, "index.html", "a/b.html", text="new")
    make(at, "index.html", "a/b.html", status=1)
    assert {path.name for path in at.work.iterdir()} == {"doctrees", "stamp"}


def test_a_build_writes_in_place_and_into_no_published_file(at: Place) -> None:
    published = site(at.target)
    seen = []

    def run() -> tuple[int, Inputs | None]:
        for path in [p for p in at.site.rglob("*") if p.is_file()]:
            with path.open("r+b") as file:  # as a writer that opens what is there
                file.write(b"half a page")
        seen.append(site(at.target))
        return 1, None

    build(at, last_build.last(at), "1", "1", run)
    assert seen == [published]
    assert site(at.target) == published

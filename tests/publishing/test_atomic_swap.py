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
from perfguide.publishing.atomic_swap import Place, build, locked, place
from perfguide.publishing.last_build import Inputs

INPUTS = Inputs({}, (), (), "", {}, False)


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
    at = place(tmp_path / "build/html")
    at.target.parent.mkdir()
    make(at, "a.html", "b/c.html")
    return at


def test_a_first_build_publishes_what_it_wrote_and_nothing_else(at: Place) -> None:
    assert names(at.target) == {"a.html", "b/c.html", "_static/style.css"}
    assert not at.next.exists()


def test_an_empty_folder_is_replaced(tmp_path: Path) -> None:
    at = place(tmp_path / "html")
    at.target.mkdir()
    make(at, "a.html")
    assert "a.html" in names(at.target)


def test_a_folder_that_was_built_otherwise_is_replaced_whole(tmp_path: Path) -> None:
    at = place(tmp_path / "html")
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
@pytest.mark.parametrize("where", ["doctrees", "site"])
def test_a_damaged_cache_is_not_built_upon(at: Place, where: str, damage: str) -> None:
    harm(getattr(at, where) / "a.html", damage)
    assert make(at, "a.html", "b/c.html") is False
    assert names(at.target) == {"a.html", "b/c.html", "_static/style.css"}
    assert make(at, "a.html", "b/c.html") is True


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_site_is_published_again(at: Place, damage: str) -> None:
    before = site(at.target)
    harm(at.target / "a.html", damage)
    # A published file is Sphinx's own too: where one is damaged, neither is built upon.
    assert make(at, "a.html", "b/c.html") is (damage == "more")
    assert site(at.target) == before
    assert not any(path.is_symlink() for path in at.target.rglob("*"))


def test_who_reads_a_file_that_was_published_reads_it_to_its_end(at: Place) -> None:
    """What is the same is the very file in the next site; nothing is ever written into one."""
    inode = (at.target / "b/c.html").stat().st_ino
    with (at.target / "a.html").open() as reader:
        make(at, "a.html", text="other")
        make(at, "a.html", "b/c.html", text="x")
        make(at, "a.html", "b/c.html", "d.html", text="x")
        assert reader.read() == "a.html x"
    make(at, "a.html", "b/c.html", text="x")
    kept = (at.target / "b/c.html").stat()
    make(at, "b/c.html", "e.html", text="x")
    assert (at.target / "b/c.html").stat().st_ino == kept.st_ino != inode
    assert names(at.target) == {"b/c.html", "e.html", "_static/style.css"}
    # Only Sphinx's own pages and the site before have them too, under further names.
    assert {path.stat().st_nlink for path in at.target.rglob("*.html")} <= {2, 3}


def test_what_lies_in_the_site_before_is_not_published(at: Place) -> None:
    make(at, "a.html", "b/c.html", text="other")
    assert names(at.next) == {"a.html", "b/c.html", "_static/style.css"}
    (at.next / "b/link.html").symlink_to("/etc/passwd")
    (at.next / "folder").symlink_to("/etc")
    (at.next / "b/stray.html").write_text("stray", "utf-8")
    (at.next / "a.html").unlink()
    (at.next / "a.html").mkdir()
    (at.next / "empty").mkdir()
    make(at, "a.html", "b", text="a third", depends="2")
    assert names(at.target) == {"a.html", "b", "_static/style.css"}
    assert {p.name for p in at.target.iterdir()} == {"a.html", "b", "_static"}
    assert (at.target / "a.html").read_text("utf-8") == "a.html a third"
    assert {path.stat().st_nlink for path in at.site.rglob("*.html")} == {2}


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
    make(place(tmp_path / "build/html"), "a.html")
    make(place(tmp_path / "build/html"), "b.html")
    assert (tmp_path / "build/html").is_symlink()
    assert names(tmp_path / "www") == {"b.html", "_static/style.css"}


def test_where_names_cannot_be_exchanged_a_link_is_turned(tmp_path: Path) -> None:
    at = place(tmp_path / "html")
    fill(at.target, "0.html")
    at.work.mkdir()
    for number in range(1, 5):
        new = fill(at.next, f"{number}.html")
        if at.target.is_symlink():
            atomic_swap.swap(new, at.target, at.work)
        else:
            atomic_swap.link(new, at.target, at.work)
        assert place(tmp_path / "html") == at
        assert at.target.is_symlink() and names(at.target) == {f"{number}.html"}
        shutil.rmtree(at.next, ignore_errors=True)
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
at = atomic_swap.place(Path(sys.argv[1]))
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
    at = place(tmp_path / "html")
    chance = random.Random(7)
    if way == "link":
        at.target.mkdir()
        at.next.mkdir(parents=True)
        for number in range(40):
            (at.next / f"{number}.html").write_text("new", "utf-8")
        atomic_swap.link(at.next, at.target, at.work)
        shutil.rmtree(at.next)
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
    assert names(at.site) == names(at.target)
    for name in names(at.target):
        assert (at.site / name).samefile(at.target / name), name


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

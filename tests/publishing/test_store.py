"""What the store keeps is true or is not there; what is wrong with it costs time alone."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import pytest
from conftest import TOP

from perfguide.publishing import store
from perfguide.publishing.store import ABSENT, TICK_NS, UNSURE, Store, below, identify, put


def settle() -> None:
    """Let files become old enough that a change of them must show in their times."""
    time.sleep(1.5 * TICK_NS / 1e9)


def same_size(path: Path, old: bytes, new: bytes) -> None:
    """Edit a file in place, and give it the size and the times that it had."""
    state, data = path.stat(), path.read_bytes()
    assert len(old) == len(new) and old in data
    with path.open("r+b") as file:
        file.write(data.replace(old, new))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files of which bytes were read to hash them."""
    found: list[str] = []
    real = store._hash

    def read(name: str, own: store.Identity) -> tuple[str, bool]:
        found.append(Path(name).name)
        return real(name, own)

    monkeypatch.setattr(store, "_hash", read)
    return found


# Hashes of files


def test_a_file_that_nobody_touched_is_read_once(tmp_path: Path, reads: list[str]) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    settle()
    first = Store(tmp_path / "kept")
    digest = first.digest(path)
    first.save()
    assert Store(tmp_path / "kept").digest(path) == digest != ""
    path.rename(tmp_path / "other")
    assert reads == ["file"]


@pytest.mark.parametrize("how", ["edit", "copy", "move"])
def test_whatever_a_change_leaves_as_it_was_it_is_seen(tmp_path: Path, how: str) -> None:
    path, other = tmp_path / "file", tmp_path / "other"
    for each, data in ((path, b"one"), (other, b"two")):
        each.write_bytes(data)
        os.utime(each, (1_000_000_000, 1_000_000_000))
    settle()
    first = Store(tmp_path / "kept")
    digest = first.digest(path)
    first.save()
    match how:
        case "edit":
            same_size(path, b"one", b"two")
        case "copy":
            shutil.copy2(other, path)
        case "move":
            other.replace(path)
    assert Store(tmp_path / "kept").digest(path) not in ("", digest)


def test_a_file_that_changed_just_now_is_hashed_when_a_change_would_show(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    kept = Store(tmp_path / "kept")
    digest = kept.digest(path)
    same_size(path, b"one", b"two")
    assert not kept.is_current([str(path)])
    kept.save()
    assert Store(tmp_path / "kept").digest(path) not in ("", digest)


def test_a_file_that_changes_while_it_is_read_is_never_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    hash_of_file = hashlib.file_digest

    def replaced(file: BinaryIO, name: str) -> object:
        put(path, b"two")
        return hash_of_file(file, name)

    monkeypatch.setattr(hashlib, "file_digest", replaced)
    kept = Store()
    assert kept.digest(path) == hashlib.sha256(b"one").hexdigest()
    assert kept.seen[str(path)] == UNSURE and not kept.is_current([str(path)])


def test_what_is_no_file_has_no_hash(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "nowhere").symlink_to(tmp_path / "none")
    kept = Store()
    assert {kept.digest(tmp_path / name) for name in ("pipe", ".", "none", "nowhere")} == {""}
    assert kept.seen[str(tmp_path / "none")] == ABSENT
    names = [str(tmp_path / name) for name in ("pipe", "none", "nowhere")]
    assert kept.is_current(names)
    (tmp_path / "none").touch()
    assert not kept.is_current(names)


@pytest.mark.parametrize("when", ["1969-12-31", "2099-01-01", "2199-01-01"])
def test_a_time_far_away_delays_nothing_and_hides_no_change(tmp_path: Path, when: str) -> None:
    """A file that was copied with its time, or written before the clock was put back."""
    path = tmp_path / "file"
    path.write_bytes(b"one")
    then = datetime.fromisoformat(when).timestamp()
    os.utime(path, (then, then))
    began = time.monotonic()
    store.settle([identify(path)])
    assert time.monotonic() - began < 5
    kept = Store(tmp_path / "kept")
    first = kept.digest(path)
    same_size(path, b"one", b"two")
    assert kept.digest(path) != first


def test_a_file_of_before_the_clock_was_put_back_is_settled(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one")
    of, now = identify(tmp_path / "file"), time.time_ns()
    day = 86_400 * 10**9
    assert not store.is_settled(of, now)
    assert store.is_settled(of, now + day) and store.is_settled(of, now - day)


def test_it_is_seen_that_a_file_changed_since_it_was_looked_at(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_bytes(b"one")
    settle()
    kept = Store()
    for path in paths:
        kept.digest(path)
    names = [str(path) for path in paths]
    assert kept.is_current(names)
    same_size(paths[1], b"one", b"two")
    assert not kept.is_current(names) and kept.is_current([names[0], names[2]])


# Values


def test_what_is_kept_under_a_key_is_there_in_a_later_build(tmp_path: Path) -> None:
    first = Store(tmp_path)
    first.keep("small", b"1")
    first.save()
    later = Store(tmp_path)
    assert later.recall("small") == b"1" and later.recall("other") is None


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kept = Store()
    kept.keep("a", b"1")
    assert kept.recall("a") == b"1"
    kept.save()
    assert list(tmp_path.iterdir()) == []


def test_a_build_of_the_site_drops_what_it_did_not_use(tmp_path: Path, reads: list[str]) -> None:
    for name in ("used", "unused"):
        (tmp_path / name).write_bytes(b"one")
    first = Store(tmp_path / "kept")
    for name in ("used", "unused"):
        first.digest(tmp_path / name)
        first.keep(name, b"1")
    first.save()
    for only_used in (False, True):
        kept = Store(tmp_path / "kept")
        kept.digest(tmp_path / "used")
        assert kept.recall("used")
        kept.save(only_used=only_used)
        last = Store(tmp_path / "kept")
        assert bool(last.recall("unused")) is not only_used
        reads.clear()
        for name in ("used", "unused"):
            last.digest(tmp_path / name)
        assert reads == ["unused"] * only_used


# Damage


def fill(folder: Path) -> None:
    kept = Store(folder)
    kept.keep("a", b"1")
    kept.digest(TOP / "conf.py")
    kept.save()


def damages(path: Path) -> Iterator[Callable[[], object]]:
    yield lambda: path.write_bytes(path.read_bytes()[:-1])
    yield lambda: path.write_bytes(path.read_bytes() + b"!")
    yield lambda: path.write_bytes(path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1]))
    yield lambda: path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:])
    yield lambda: path.write_bytes(b"")
    yield lambda: path.write_bytes(b"\0" * 5000)
    yield path.unlink
    yield lambda: (path.unlink(), path.mkdir())


@pytest.mark.parametrize("number", range(8))
def test_what_was_damaged_counts_as_not_there(tmp_path: Path, number: int) -> None:
    fill(tmp_path)
    [*damages(tmp_path / "index")][number]()
    kept = Store(tmp_path)
    assert kept.recall("a") is None
    assert kept.digest(TOP / "conf.py") == Store().digest(TOP / "conf.py")
    kept.keep("a", b"1")
    kept.save()


def test_an_index_of_another_shape_is_none(tmp_path: Path) -> None:
    for wrong in (b"", b"\x90", b"\x93\x90\x90\xc0", b"null"):
        store.write(tmp_path / "index", wrong)
        assert Store(tmp_path).recall("a") is None


def test_a_place_that_cannot_be_written_costs_time_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"no folder")
    kept = Store(tmp_path / "file")
    kept.keep("a", b"1")
    kept.save()
    assert (tmp_path / "file").read_bytes() == b"no folder"


WRITE = """
import sys
from pathlib import Path
from perfguide.publishing.store import Store
number = 0
while True:
    kept = Store(Path(sys.argv[1]))
    for each in range(50):
        value = f"{each} " * 2000
        found = kept.recall(f"{each}")
        assert found in (None, value.encode()), found
        kept.keep(f"{each}", value.encode())
    kept.save(only_used=True)
    print(number := number + 1, flush=True)
"""


def test_several_write_at_once_and_are_killed_and_nothing_wrong_is_there(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext")}
    command = [sys.executable, "-c", WRITE, str(tmp_path / "kept")]
    for _ in range(3):
        builds = [
            subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) for _ in range(2)
        ]
        for build in builds:
            assert build.stdout is not None and build.stdout.readline() == b"1\n"
        time.sleep(0.05)
        for build in builds:
            assert build.poll() is None
            build.kill()
            build.communicate()
    kept = Store(tmp_path / "kept")
    assert kept.recall("7") == b"7 " * 2000


# Walking through folders


def test_links_to_folders_are_entered_only_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").touch()
    (tmp_path / "a/link").symlink_to("b/file")
    (tmp_path / "a/loop").symlink_to(".")
    (tmp_path / "a/itself").symlink_to("itself")
    (tmp_path / "a/elsewhere").symlink_to("../c")
    (tmp_path / "c").mkdir()
    (tmp_path / "c/other").touch()

    def found(**more: Callable[[os.DirEntry[str]], bool]) -> set[str]:
        return {os.path.relpath(path, tmp_path) for path in below(tmp_path / "a", **more)}

    assert found() == {"a/b/file", "a/link", "a/itself"}
    assert found(enter=lambda _: True) == {"a/b/file", "a/link", "a/itself", "a/elsewhere/other"}
    assert found(enter=lambda folder: folder.name != "b") >= {"a/link", "a/elsewhere/other"}
    assert list(below(tmp_path / "none")) == []


def test_a_file_is_in_place_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "deep/file"
    of = put(path, b"one", durable=True)
    assert of == identify(path) and path.read_bytes() == b"one"
    with pytest.raises(OSError):
        put(tmp_path / "deep", b"two")  # a folder is there
    assert [p.name for p in tmp_path.rglob("*")] == ["deep", "file"]

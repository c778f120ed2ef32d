"""Files are written only when they change, and only our own are removed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from perfguide.publishing.output_folder import LEFTOVER_AGE_S, MANIFEST, Writer


def run(root: Path, **files: bytes) -> Writer:
    """One run that wants these files; ``__`` stands for ``/``, ``_`` before it for a dot."""
    writer = Writer(root)
    for name, data in files.items():
        writer.write(name.replace("__", "/") + ".rst", data)
    writer.finish()
    return writer


OWN = {MANIFEST}


def there(root: Path) -> set[str]:
    return {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()}


def test_the_first_run_writes_all_and_lists_it(tmp_path: Path) -> None:
    writer = run(tmp_path, guides__a=b"1", guides__b__c=b"2")
    assert writer.written == ["guides/a.rst", "guides/b/c.rst", MANIFEST]
    assert json.loads((tmp_path / MANIFEST).read_bytes()) == [
        "guides/a.rst",
        "guides/b/c.rst",
        MANIFEST,
    ]
    assert there(tmp_path) == {"guides/a.rst", "guides/b/c.rst", *OWN}


def test_what_is_right_already_is_not_touched(tmp_path: Path) -> None:
    run(tmp_path, a=b"1", b=b"2")
    for name in there(tmp_path):
        os.utime(tmp_path / name, (1, 1))
    writer = run(tmp_path, a=b"1", b=b"3")
    assert (writer.written, writer.removed) == (["b.rst"], [])
    assert (tmp_path / "a.rst").stat().st_mtime == 1
    assert (tmp_path / MANIFEST).stat().st_mtime == 1
    assert (tmp_path / "b.rst").read_bytes() == b"3"
    assert (tmp_path / "b.rst").stat().st_mtime > 1


def test_what_is_stale_goes_with_its_empty_folder(tmp_path: Path) -> None:
    run(tmp_path, a=b"1", old__deep__b=b"2", old__c=b"3")
    writer = run(tmp_path, a=b"1", old__c=b"3")
    assert writer.removed == ["old/deep/b.rst"]
    assert there(tmp_path) == {"a.rst", "old/c.rst", *OWN}
    assert not (tmp_path / "old" / "deep").exists()
    run(tmp_path)
    assert there(tmp_path) == OWN
    assert not (tmp_path / "old").exists()
    assert tmp_path.is_dir()


def test_files_of_others_stay(tmp_path: Path) -> None:
    run(tmp_path, ours__a=b"1")
    (tmp_path / "ours" / "theirs.rst").write_bytes(b"x")
    (tmp_path / "theirs.rst").write_bytes(b"x")
    run(tmp_path)
    assert there(tmp_path) == {*OWN, "ours/theirs.rst", "theirs.rst"}


def test_what_has_gone_by_itself_is_no_trouble(tmp_path: Path) -> None:
    run(tmp_path, a=b"1", b__c=b"2")
    (tmp_path / "a.rst").unlink()
    assert run(tmp_path).removed == ["b/c.rst"]
    run(tmp_path, a=b"1")
    assert (tmp_path / "a.rst").read_bytes() == b"1"


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "", ".."])
def test_a_name_outside_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="below the output folder"):
        Writer(tmp_path / "out").write(name, b"")
    assert there(tmp_path) == set()


def test_a_file_is_wanted_once(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.write("a", b"1")
    with pytest.raises(ValueError, match="written twice"):
        writer.write("a", b"1")


def test_a_manifest_that_names_files_outside_removes_nothing_there(tmp_path: Path) -> None:
    root = tmp_path / "out"
    (tmp_path / "precious").write_bytes(b"x")
    run(root, a=b"1")
    evil = ["../precious", str(tmp_path / "precious"), "a/../../precious"]
    (root / MANIFEST).write_text(json.dumps(evil, indent=0))
    assert run(root, a=b"1").removed == []
    assert (tmp_path / "precious").exists()


@pytest.mark.parametrize("broken", [b"", b"{", b"\xff", b"5", b"[[1]]", b"{}"])
def test_with_a_broken_manifest_nothing_is_removed(tmp_path: Path, broken: bytes) -> None:
    run(tmp_path, a=b"1")
    (tmp_path / MANIFEST).write_bytes(broken)
    assert run(tmp_path, b=b"1").removed == []
    assert there(tmp_path) == {"a.rst", "b.rst", *OWN}


def test_a_line_that_is_broken_takes_no_other_with_it(tmp_path: Path) -> None:
    run(tmp_path, a=b"1", b=b"1", c=b"1")
    lines = (tmp_path / MANIFEST).read_bytes().splitlines()
    assert len(lines) == 6
    (tmp_path / MANIFEST).write_bytes(b"\n".join([*lines[:2], lines[2][:-3], *lines[3:]]))
    assert run(tmp_path).removed == ["a.rst", "c.rst"]


def test_what_a_stopped_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    stopped = Writer(tmp_path)
    stopped.write("old/a.rst", b"1")
    stopped.write("old/b.rst", b"1")
    with (tmp_path / MANIFEST).open("ab") as manifest:
        manifest.write(b'\n"old/c.r')
    assert run(tmp_path, b=b"1").removed == ["old/a.rst", "old/b.rst"]
    assert there(tmp_path) == {"b.rst", *OWN}


def test_half_a_file_of_a_run_that_was_killed_goes_when_it_is_old(tmp_path: Path) -> None:
    for number, age in ((1, 0), (2, 2 * LEFTOVER_AGE_S)):
        path = tmp_path / f".perfguide-{number}.part"
        path.write_bytes(b"half")
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    run(tmp_path, a=b"1")
    assert there(tmp_path) == {"a.rst", ".perfguide-1.part", *OWN}


def test_no_half_written_file_is_left(tmp_path: Path) -> None:
    run(tmp_path, a=b"1" * 100_000)
    run(tmp_path, a=b"2" * 100_000)
    assert there(tmp_path) == {"a.rst", *OWN}


def test_names_in_other_scripts_are_listed_and_removed(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.write("é/日本.rst", b"1")
    writer.finish()
    assert run(tmp_path).removed == ["é/日本.rst"]

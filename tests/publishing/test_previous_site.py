"""A former site that was put right is what a copy of the published one would be."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfguide.publishing import atomic_swap, memo, trees
from perfguide.publishing.atomic_swap import Place, build, place
from perfguide.publishing.memo import Memo
from perfguide.publishing.previous_site import put_right

LATER = 4_000_000_000_000_000_000
"""Nanoseconds; a time at which nothing is young."""

NAMES = st.sampled_from(["a", "b", "c", "é ü", "_static"])
FILES = st.tuples(
    st.just("file"),
    st.sampled_from([b"", b"1", b"2", b"33"]),
    st.sampled_from([0o644, 0o600, 0o755]),
    st.sampled_from([10**18, 10**18 + 1]),
)
LINKS = st.tuples(st.just("link"), st.sampled_from(["a", "../b", "nowhere"]))
CONTENTS = st.recursive(
    st.dictionaries(NAMES, FILES | LINKS, max_size=4),
    lambda inner: st.dictionaries(NAMES, FILES | LINKS | inner, max_size=4),
    max_leaves=12,
)


def make(folder: Path, content: dict[str, object]) -> None:
    """A folder of files, links and folders."""
    folder.mkdir()
    for name, what in content.items():
        match what:
            case dict():
                make(folder / name, what)
            case ("file", bytes(data), int(mode), int(changed)):
                (folder / name).write_bytes(data)
                (folder / name).chmod(mode)
                os.utime(folder / name, ns=(changed, changed))
            case (_, str(target)):
                (folder / name).symlink_to(target)


def shown(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that a copy takes over, and that nothing has a second name."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [folder, *folder.rglob("*")]:
        state = path.lstat()
        what = path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        links = 1 if path.is_dir() else state.st_nlink
        name = path.relative_to(folder).as_posix()
        found[name] = (what, state.st_mode, state.st_mtime_ns, links)
    return found


def known(*folders: Path) -> Memo:
    """A memo that has every file, as if they were old."""
    found = Memo()
    for folder in folders:
        for entry in trees.tree(folder, Memo()).values():
            if entry.kind == trees.FILE:
                found.note(memo.identity(entry.state), entry.content, LATER)
    return found


def tampered(path: Path) -> None:
    """Other bytes in as many, with the time of before."""
    state = path.stat()
    path.write_bytes(bytes(byte ^ 1 for byte in path.read_bytes()))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


@settings(max_examples=80, deadline=None)
@given(CONTENTS, CONTENTS, st.integers(0, 3))
def test_whatever_the_spare_holds_it_becomes_a_copy(
    before: dict[str, object], now: dict[str, object], every: int
) -> None:
    with tempfile.TemporaryDirectory() as given:
        top = Path(given)
        make(top / "spare", before)
        make(top / "site", now)
        found = known(top / "spare", top / "site")
        if every:
            time.sleep(0.02)  # for a change to show in the times of a file
            files = [p for p in sorted((top / "spare").rglob("*")) if p.is_file()]
            for path in files[::every]:
                tampered(path)
        shutil.copytree(top / "site", top / "copy", symlinks=True)
        _put_right(top, found)
        assert shown(top / "spare") == shown(top / "copy")


def test_what_is_the_same_stays_the_very_file(tmp_path: Path) -> None:
    same = ("file", b"same", 0o644, 10**18)
    make(tmp_path / "spare", {"a": same, "b": ("file", b"1", 0o644, 10**18), "c": {"d": same}})
    make(tmp_path / "site", {"a": same, "b": ("file", b"2", 0o644, 10**18), "c": {"d": same}})
    before = {name: (tmp_path / "spare" / name).stat().st_ino for name in ("a", "b", "c/d")}
    found = known(tmp_path / "spare", tmp_path / "site")
    with (tmp_path / "spare/b").open("rb") as reader:
        _put_right(tmp_path, found)
        assert reader.read() == b"1"
        stay = {name for name, inode in before.items() if _inode(tmp_path, name) == inode}
    assert stay == {"a", "c/d"}


def _put_right(top: Path, found: Memo) -> None:
    put_right(top / "spare", top / "site", trees.tree(top / "site", found), found)


def _inode(top: Path, name: str) -> int:
    return (top / "spare" / name).stat().st_ino


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no attributes here")
def test_an_attribute_that_somebody_gave_a_file_or_folder_is_that_of_a_copy(tmp_path: Path) -> None:
    same = {"a": ("file", b"same", 0o644, 10**18), "c": {}}
    make(tmp_path / "spare", same)
    make(tmp_path / "site", same)
    try:
        os.setxattr(tmp_path / "spare/a", "user.of", b"spare")
        os.setxattr(tmp_path / "site/c", "user.of", b"site")
    except OSError as error:
        pytest.skip(f"no attributes here: {error}")
    found = known(tmp_path / "spare", tmp_path / "site")
    _put_right(tmp_path, found)
    assert os.listxattr(tmp_path / "spare/a") == []
    assert os.getxattr(tmp_path / "spare/c", "user.of") == b"site"
    os.setxattr(tmp_path / "spare", "user.of", b"spare")
    with pytest.raises(PermissionError):
        _put_right(tmp_path, found)


PAGES = ("a.html", "b/c.html", "b/d.html")


def published(at: Place, text: str, *more: str) -> dict[str, int]:
    """A build that writes one page, and all where there is nothing; the inodes of what it
    began with."""
    began: dict[str, int] = {}

    def run() -> int:
        began.update(
            {p.relative_to(at.next).as_posix(): p.stat().st_ino for p in at.next.rglob("*.html")}
        )
        for folder in (at.next, at.doctrees):
            for name in PAGES if not (folder / "a.html").exists() else ():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(name, "utf-8")
            for name in ("a.html", *more):
                (folder / name).write_text(text, "utf-8")
        (at.next / "_static").mkdir()
        (at.next / "_static/style.css").write_text(text, "utf-8")
        (at.doctrees / atomic_swap.FINISHED).touch()
        time.sleep(1.5 * memo.TICK / 1e9)
        return 0

    assert build(at, "1", run) == 0
    return began


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The place of a site."""
    return place(tmp_path_factory.mktemp("spare") / "build/html")


@pytest.fixture
def at(shared: Place) -> Place:
    """A place with a site and a spare whose files are known, whatever an earlier test did."""
    shutil.rmtree(shared.work / "outside", ignore_errors=True)
    (shared.work / "outside").unlink(missing_ok=True)
    if not shared.spare.is_dir():
        shutil.rmtree(shared.target.parent, ignore_errors=True)
        for text in ("1", "2", "3"):
            published(shared, text)
    return shared


def test_the_former_site_is_what_the_next_build_begins_with(at: Place) -> None:
    spare = {name: (at.spare / name).stat().st_ino for name in PAGES}
    assert (at.spare / "a.html").read_bytes() != (at.target / "a.html").read_bytes()
    began = published(at, "first")
    assert {name for name in PAGES if began[name] == spare[name]} >= {"b/c.html", "b/d.html"}
    kept = {path.name for path in at.work.iterdir()}
    assert kept == {"doctrees", "hashes.json", "spare", "stamp.json"}


def _other_bytes(spare: Path) -> None:
    tampered(spare / "b/c.html")


def _more(spare: Path) -> None:
    (spare / "b/planted.html").write_text("planted", "utf-8")
    (spare / "planted").mkdir()


def _fewer(spare: Path) -> None:
    (spare / "b/c.html").unlink()


def _folder_for_file(spare: Path) -> None:
    (spare / "b/c.html").unlink()
    (spare / "b/c.html/deep").mkdir(parents=True)


def _file_for_folder(spare: Path) -> None:
    shutil.rmtree(spare / "b")
    (spare / "b").write_text("no folder", "utf-8")


def _link_for_file(spare: Path) -> None:
    (spare / "b/c.html").rename(spare.parent / "outside")
    (spare / "b/c.html").symlink_to(spare.parent / "outside")


def _link_for_folder(spare: Path) -> None:
    (spare / "b").rename(spare.parent / "outside")
    (spare / "b").symlink_to(spare.parent / "outside")


def _link_for_all(spare: Path) -> None:
    spare.rename(spare.parent / "outside")
    spare.symlink_to(spare.parent / "outside")


def _file_for_all(spare: Path) -> None:
    shutil.rmtree(spare)
    spare.write_text("no folder", "utf-8")


def _pipe(spare: Path) -> None:
    os.mkfifo(spare / "b/pipe")


def _mode(spare: Path) -> None:
    (spare / "b/c.html").chmod(0o600)


def _second_name(spare: Path) -> None:
    os.link(spare / "a.html", spare.parent / "outside")


HARMS = [_other_bytes, _more, _fewer, _folder_for_file, _file_for_folder, _link_for_file]
HARMS += [_link_for_folder, _link_for_all, _file_for_all, _pipe, _mode, _second_name]


@pytest.mark.parametrize("harm", HARMS)
def test_nothing_that_was_done_to_the_spare_shows(at: Place, harm: Callable[[Path], None]) -> None:
    harm(at.spare)
    outside = at.work / "outside"
    before = shown(outside) if outside.is_dir() else outside.exists() and outside.read_bytes()
    assert set(published(at, harm.__name__)) == set(PAGES)
    after = shown(outside) if outside.is_dir() else outside.exists() and outside.read_bytes()
    assert after == before
    now = {name: (at.target / name).read_text("utf-8") for name in PAGES}
    assert now == {"a.html": harm.__name__, "b/c.html": "b/c.html", "b/d.html": "b/d.html"}
    assert set(shown(at.target)) == {".", *PAGES, "b", "_static", "_static/style.css"}
    assert len({(at.target / name).stat().st_mode for name in PAGES}) == 1


@pytest.mark.parametrize("where", ["target", "doctrees"])
def test_other_bytes_with_the_time_of_before_are_not_built_upon(at: Place, where: str) -> None:
    file: Path = getattr(at, where) / "b/c.html"
    assert Memo(at.hashes).recall(memo.identity(file.stat()))
    tampered(file)
    assert published(at, "last") == {}
    assert not at.spare.exists()


@pytest.mark.parametrize("harm", ["none", "cut", "altered", "other", "folder"])
def test_what_is_wrong_with_the_hashes_costs_time_and_nothing_else(at: Place, harm: str) -> None:
    held = at.hashes.read_bytes()
    match harm:
        case "none":
            at.hashes.unlink()
        case "cut":
            at.hashes.write_bytes(held[:-20])
        case "altered":
            digest = trees.tree(at.target, Memo())["b/c.html"].content.encode()
            assert held.count(digest) > 0
            at.hashes.write_bytes(held.replace(digest, digest[::-1]))
        case "other":
            at.hashes.write_bytes(b'["", {"path": 1}]')
        case "folder":
            at.hashes.unlink()
            at.hashes.mkdir()
    assert set(published(at, harm)) == set(PAGES)
    assert (at.target / "a.html").read_text("utf-8") == harm


def test_a_build_that_fails_leaves_no_spare(at: Place) -> None:
    before = shown(at.target)
    assert build(at, "1", lambda: 2) == 2
    assert not at.spare.exists() and not at.next.exists()
    assert shown(at.target) == before


def test_another_version_uses_no_spare(at: Place) -> None:
    def run() -> int:
        assert list(at.next.iterdir()) == [] and not at.spare.exists()
        return 2

    build(at, "2", run)


def test_a_spare_is_kept_where_a_link_is_turned(tmp_path: Path) -> None:
    at = place(tmp_path / "html")
    published(at, "1")
    at.target.rename(at.next)
    at.target.mkdir()
    atomic_swap.link(at.next, at.target, at.work)
    shutil.rmtree(at.next)
    for text in ("2", "3", "4", "5"):
        spare = {p.name: p.stat().st_ino for p in at.spare.rglob("*.html")}
        began = published(at, text)
        assert at.target.is_symlink() and (at.target / "a.html").read_text("utf-8") == text
        assert text in "23" or began["b/c.html"] == spare["c.html"]
    assert len([path for path in at.work.iterdir() if path.name.startswith("site-")]) == 1


def test_a_spare_is_kept_only_where_the_disk_has_room_for_a_further_site(tmp_path: Path) -> None:
    held = (tmp_path.stat().st_mode, *[0] * 9)
    huge = os.stat_result(held, {"st_blocks": 2**52})
    assert not atomic_swap.has_room(tmp_path, {"a": trees.Entry(trees.FILE, huge, "")})
    assert atomic_swap.has_room(tmp_path, {})


def test_a_pipe_in_a_site_is_no_reason_to_wait(at: Place) -> None:
    os.mkfifo(at.target / "pipe")
    assert published(at, "last") == {}
    assert not (at.target / "pipe").exists()

"""Where nothing changed nothing is read again, and nothing that is kept can change a figure."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP

from perfguide.figures import dataset
from perfguide.pages import build, unchanged
from perfguide.publishing import memo

Bundle = Callable[..., Path]


@pytest.fixture
def settings(tmp_path: Path, write_bundle: Bundle) -> dataset.Settings:
    """Two guides, generated, with what spares work the next time."""
    write_bundle(tmp_path / "results/a.json")
    write_bundle(tmp_path / "results/deep/b.json", id="run-2", sdk__version="09.03")
    shutil.copytree(TOP / "source/benchmarks", tmp_path / "benchmarks")
    (tmp_path / "redirects.toml").write_text('[moved]\n"old" = "hand"\n', "utf-8")
    made = dataset.Settings(
        (tmp_path / "results",),
        (tmp_path / "benchmarks",),
        tmp_path / "source",
        formats=(),
        redirects=tmp_path / "redirects.toml",
        cache=tmp_path / "cache",
    )
    settle()
    assert build.generate(made).written
    return made


def settle() -> None:
    """Let files become old enough that a change of them must show in their times."""
    time.sleep(1.5 * memo.TICK / 1e9)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


class ReadError(Exception):
    """Bundles were read."""


@pytest.fixture
def reads_nothing(monkeypatch: pytest.MonkeyPatch) -> Callable[[dataset.Settings], build.Outcome]:
    def generate(settings: dataset.Settings) -> build.Outcome:
        def read(*_: Any) -> None:
            raise ReadError

        with monkeypatch.context() as patched:
            patched.setattr(build, "read", read)
            return build.generate(settings)

    return generate


def test_where_nothing_changed_no_bundle_is_read_and_all_is_told_as_before(
    settings: dataset.Settings, reads_nothing: Callable[[dataset.Settings], build.Outcome]
) -> None:
    bad = settings.results[0] / Path("bad.json")
    bad.write_text("{", "utf-8")
    settle()
    before = build.generate(settings)
    assert {"bad.json", str(settings.redirects)} == {d.origin for d in before.diagnostics}
    kept = tree(settings.output)
    again = reads_nothing(settings)
    assert (again.diagnostics, again.written, again.removed) == (before.diagnostics, (), ())
    assert (again.guides, again.figures) == (2, 2) and tree(settings.output) == kept
    with_holdings = build.generate(settings)
    assert len(with_holdings.holdings.pool) == 2


def test_a_bundle_with_another_time_and_the_same_bytes_is_not_read_again(
    settings: dataset.Settings, reads_nothing: Callable[[dataset.Settings], build.Outcome]
) -> None:
    path = settings.results[0] / Path("a.json")
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.replace(path)
    assert reads_nothing(settings).written == ()


def same_size(path: Path, old: bytes, new: bytes) -> None:
    """Edit a file in place, and give it the size and the times that it had."""
    state, data = path.stat(), path.read_bytes()
    assert len(old) == len(new) and old in data
    with path.open("r+b") as file:
        file.write(data.replace(old, new))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def changes(settings: dataset.Settings) -> Iterator[tuple[str, Callable[[], object]]]:
    """What has to be seen: what it is, and how it is done."""
    top = settings.output.parent
    bundle, described = top / "results/a.json", top / "benchmarks/stream.toml"
    page = top / "source/guides/SOC1/linux/09.02.rst"
    table = next((top / "source/guides/SOC1/linux/09.02").glob("*.csv"))
    yield "a figure", lambda: same_size(bundle, b"1234.5", b"4321.0")
    yield "a description", lambda: same_size(described, b"STREAM", b"Stream")
    yield "a page that was damaged", lambda: same_size(page, b"SOC1", b"SOC2")
    yield "a table that was damaged", lambda: table.write_bytes(b"")
    yield "a page that went", page.unlink
    yield "a log beside a bundle", lambda: (top / "results/x.log").write_bytes(b"new")
    yield "a bundle that went", (top / "results/deep/b.json").unlink
    yield "a page by hand to which an old address leads", (top / "source/hand.rst").touch


def test_whatever_changed_the_pages_are_those_of_a_run_from_nothing(
    settings: dataset.Settings, reads_nothing: Callable[[dataset.Settings], build.Outcome]
) -> None:
    for what, change in changes(settings):
        settle()
        build.generate(settings)
        reads_nothing(settings)
        change()
        with pytest.raises(ReadError):
            reads_nothing(settings)
        build.generate(settings)
        clean = dataclasses.replace(settings, output=settings.output.parent / "clean", cache=None)
        shutil.rmtree(clean.output, ignore_errors=True)
        if what.startswith("a page by hand"):
            clean.output.mkdir()
            (clean.output / "hand.rst").touch()
        build.generate(clean)
        assert tree(settings.output) == tree(clean.output), what


def damage(name: str, settings: dataset.Settings) -> Iterator[Callable[[], object]]:
    path = settings.cache / name if settings.cache else Path()
    yield lambda: path.write_bytes(path.read_bytes()[:-20])
    yield lambda: path.write_bytes(b"")
    yield lambda: path.write_bytes(b"[]")
    yield lambda: path.write_bytes(b"null")
    yield lambda: path.write_bytes(path.read_bytes().replace(b'0"', b'1"'))
    yield path.unlink


@pytest.mark.parametrize("name", [unchanged.NOTE, unchanged.HASHES])
def test_what_is_kept_is_left_alone_where_it_is_damaged(
    settings: dataset.Settings, name: str
) -> None:
    before = tree(settings.output)
    for harm in damage(name, settings):
        harm()
        (settings.output / "guides/index.rst").write_bytes(b"damaged")
        build.generate(settings)
        assert tree(settings.output) == before


def test_a_bundle_that_changes_while_it_is_read_is_read_again(
    settings: dataset.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is as it was before the run when the run has ended, and the pages are not."""
    bundle = settings.results[0] / Path("a.json")
    before = tree(settings.output)
    settle()
    with monkeypatch.context() as patched:

        def read(*given: Any) -> dataset.Holdings:
            same_size(bundle, b"1234.5", b"4321.0")
            held = dataset.read(*given)
            same_size(bundle, b"4321.0", b"1234.5")
            return held

        patched.setattr(build, "read", read)
        (settings.results[0] / Path("x.log")).touch()
        build.generate(settings)
    assert tree(settings.output) != before
    build.generate(settings)
    assert tree(settings.output) == before


def test_the_hash_of_a_file_is_known_by_all_that_a_change_leaves_behind(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    settle()
    first = memo.Memo(tmp_path / "kept")
    digest = first.digest(path)
    first.save()
    held = json.loads((tmp_path / "kept").read_bytes())[1]
    assert held == [[list(memo.identity(path.stat())), digest]]
    same_size(path, b"one", b"two")
    assert memo.Memo(tmp_path / "kept").digest(path) != digest
    fresh = memo.Memo(tmp_path / "fresh")
    path.write_bytes(b"one")
    assert fresh.digest(path) == digest
    fresh.save()
    assert json.loads((tmp_path / "fresh").read_bytes())[1] == []

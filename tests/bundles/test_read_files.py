"""What a store knows of a file is what reading it would give, and a file that changed is read."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from making import plain, result

from perfguide.bundles import containers, read_files
from perfguide.bundles.decode import MIN_KEPT_BYTES, Loaded
from perfguide.bundles.decompress import Limits
from perfguide.bundles.read_files import Items
from perfguide.common import parallel
from perfguide.common.diagnostics import Diagnostic
from perfguide.publishing.store import TICK, Store

TEXT = json.dumps(plain(*(result(params={"size": n}, value=n + 0.5) for n in range(300)))).encode()
assert len(TEXT) > MIN_KEPT_BYTES

Read = Callable[..., Items]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files of which the content was read for their bundles."""
    found: list[str] = []
    real = containers._opened

    def noted(source: containers.Source) -> IO[bytes]:
        found.append(source.name)
        return real(source)

    monkeypatch.setattr(containers, "_opened", noted)
    return found


@pytest.fixture
def read(tmp_path: Path, opened: list[str]) -> Read:
    """Reads a folder as one build of several does, and sees that a store changes nothing."""
    folder = tmp_path / "results"
    folder.mkdir()

    def build(**limits: int) -> Items:
        time.sleep(1.5 * TICK / 1e9)  # so that a change of a file must show in its times
        store = Store(tmp_path / "kept")
        sources, _ = containers.find([folder])
        for source in sources:
            store.digest(source.path)
        clean = [*read_files.outcomes(sources, Limits(**limits), parallel.here)]
        opened.clear()
        found = [*read_files.outcomes(sources, Limits(**limits), parallel.here, store)]
        assert found == clean
        store.save()
        return [item for items in found for item in items]

    return build


def test_a_file_that_is_known_is_not_opened(read: Read, tmp_path: Path, opened: list[str]) -> None:
    (tmp_path / "results/a.json").write_bytes(TEXT)
    assert [type(item) for item in read()] == [Loaded]
    assert opened == ["a.json"]
    assert [type(item) for item in read()] == [Loaded]
    assert opened == []
    (tmp_path / "results/copy.JSON").write_bytes(TEXT)
    assert [item.origin for item in read()] == ["a.json", "copy.JSON"]
    assert opened == []


def test_a_file_that_changed_is_opened(read: Read, tmp_path: Path, opened: list[str]) -> None:
    path = tmp_path / "results/a.json"
    path.write_bytes(TEXT)
    read()
    path.write_bytes(TEXT.replace(b'"value": 7.5', b'"value": 8.5'))
    (found,) = read()
    assert isinstance(found, Loaded) and found.bundle.results[7].value == 8.5
    assert opened == ["a.json"]


def test_a_file_that_nobody_hashed_is_opened(tmp_path: Path, opened: list[str]) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(TEXT)
    (source,), _ = containers.find([path])
    for _ in range(2):
        store = Store(tmp_path / "kept")
        ((found,),) = read_files.outcomes([source], Limits(), parallel.here, store)
        assert isinstance(found, Loaded)
    assert opened == ["a.json"] * 2


@pytest.mark.parametrize("limit", ["document", "values"])
def test_a_known_file_that_is_beyond_a_new_limit_is_refused(
    read: Read, tmp_path: Path, limit: str
) -> None:
    (tmp_path / "results/a.json").write_bytes(TEXT)
    assert [type(item) for item in read()] == [Loaded]
    (found,) = read(**{limit: 1000})
    assert isinstance(found, Diagnostic) and found.kind == "limit"


def test_where_a_bundle_stands_is_not_kept_with_it(read: Read, tmp_path: Path) -> None:
    for name in ("a.json", "lines.jsonl", "list.json"):
        text = b"[%b]" % TEXT if name == "list.json" else TEXT
        (tmp_path / "results" / name).write_bytes(text)
    wanted = ["a.json", "lines.jsonl#1", "list.json#1"]
    assert [[item.origin for item in read()] for _ in range(2)] == [wanted] * 2


def test_what_is_refused_is_refused_each_time(
    read: Read, tmp_path: Path, opened: list[str]
) -> None:
    (tmp_path / "results/a.json").write_bytes(TEXT.replace(b"7.5", b'"7.5"'))
    first, again = read(), read()
    assert first == again and [type(item) for item in first] == [Diagnostic]
    assert opened == ["a.json"]

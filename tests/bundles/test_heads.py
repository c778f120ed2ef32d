"""Kept heads of bundles are what reading gives, and a file that changed is read."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from making import plain, result

from perfguide.bundles import containers, decode, heads
from perfguide.bundles.decompress import Limits
from perfguide.bundles.heads import Head, Items
from perfguide.common.diagnostics import Diagnostic
from perfguide.publishing.store import TICK_NS, Store

TEXT = json.dumps(plain(*(result(params={"size": n}, value=n + 0.5) for n in range(300)))).encode()

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
        time.sleep(1.5 * TICK_NS / 1e9)  # so that a change of a file must show in its times
        store = Store(tmp_path / "kept")
        sources, _ = containers.find([folder])
        clean = [items for _, items in heads.read(sources, Limits(**limits), Store())]
        opened.clear()
        found = [items for _, items in heads.read(sources, Limits(**limits), store)]
        assert found == clean
        store.save()
        return [item for items in found for item in items]

    return build


def test_a_file_that_is_known_is_not_opened(read: Read, tmp_path: Path, opened: list[str]) -> None:
    (tmp_path / "results/a.json").write_bytes(TEXT)
    assert [type(item) for item in read()] == [Head]
    assert opened == ["a.json"]
    assert [type(item) for item in read()] == [Head]
    assert opened == []
    (tmp_path / "results/copy.JSON").write_bytes(TEXT)
    assert [item.origin for item in read()] == ["a.json", "copy.JSON"]
    assert opened == ["copy.JSON"]


def test_a_file_that_changed_is_opened(read: Read, tmp_path: Path, opened: list[str]) -> None:
    path = tmp_path / "results/a.json"
    path.write_bytes(TEXT)
    read()
    path.write_bytes(TEXT.replace(b'"value": 7.5', b'"value": 8.5'))
    (found,) = read()
    assert isinstance(found, Head)
    (loaded,) = decode.upload(containers.find([path])[0][0], Limits())
    assert isinstance(loaded, decode.Loaded) and heads.head(loaded) == found
    assert opened == ["a.json", "a.json"]


def test_a_head_says_what_a_bundle_has(tmp_path: Path) -> None:
    own = [result("copy", value=1.0), result("add", value=2.0), result("copy", value=3.0)]
    (tmp_path / "a.json").write_text(json.dumps(plain(*own)), "utf-8")
    ((_, (found,)),) = heads.read(containers.find([tmp_path / "a.json"])[0], Limits(), Store())
    assert isinstance(found, Head) and found.rows() == 3 and not found.bundle.results
    counts = {metric: count for (_, metric, _), count in found.measured}
    assert counts == {"copy": 2, "add": 1}
    # Three figures can be those of another run by chance.
    assert found.hash_of_figures() == ""


@pytest.mark.parametrize("limit", ["document", "values"])
def test_a_known_file_that_is_beyond_a_new_limit_is_refused(
    read: Read, tmp_path: Path, limit: str
) -> None:
    (tmp_path / "results/a.json").write_bytes(TEXT)
    assert [type(item) for item in read()] == [Head]
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

"""Bad uploads and look-alike names: nothing else changes, and nothing is overwritten."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import shutil
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import run_sphinx
from making import plain, result
from profiles import count

from perfguide.common import parallel
from perfguide.figures.dataset import BUILT_IN, Settings
from perfguide.pages import build

Bundle = Callable[..., Path]


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return buffer.getvalue()


BAD: dict[str, bytes] = {
    "00-first.json": b'{"format": "perfguide-bundle", "id": "run-1"}',
    "a.json": b"not JSON",
    "deep.json": b"[" * 100_000,
    "nan.json": b'{"format": "perfguide-bundle", "version": NaN}',
    "latin.json": '{"id": "é"}'.encode("latin-1"),
    "utf16.json": '{"id": "é"}'.encode("utf-16"),
    "twice.json": b'{"id": 1, "id": 2}',
    "surrogate.json": b'{"id": "\\ud800"}',
    "bomb.json.gz": gzip.compress(bytes(30 * 1024**2)),
    "cut.zip": _zip({"a.json": b"{}" * 1000})[:90],
    "evil.zip": _zip({"../../x.json": b"{}", "in.zip": b"", "a.json": b"[1]"}),
    "zz-\udcff.json": b"\xff\xfe\xff",
    "lines.jsonl": b"1\n2\n",
}


def _tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _search(index: bytes) -> dict[str, Any]:
    """What the search index says of every page but the report on uploads."""
    loaded = json.loads(index.removeprefix(b"Search.setIndex(").removesuffix(b")"))
    report = loaded["docnames"].index("source/reports/provenance")
    out: dict[str, Any] = {"docnames": loaded["docnames"], "titles": loaded["titles"]}
    for part in ("terms", "titleterms"):
        for term, places in loaded[part].items():
            others = [p for p in (places if isinstance(places, list) else [places]) if p != report]
            if others:
                out[f"{part} {term}"] = others
    return out


def test_bad_uploads_change_nothing_but_the_list_of_them(
    project: Path, write_bundle: Bundle, tmp_path: Path
) -> None:
    shutil.rmtree(project / "results")
    sweep = [
        {
            "benchmark": "openssl",
            "metric": "throughput",
            "unit": "kB/s",
            "params": {"algorithm": "aes-128-cbc", "block_size": size, "engine": engine},
            "value": size * speed,
        }
        for size in (16, 64)
        for engine, speed in (("hw", 3.5), ("sw", 2.5))
    ]
    write_bundle(project / "results/good.json", sweep)
    write_bundle(project / "results/more.json", id="run-2", board__name="board-b")
    address = "-Dhtml_baseurl=https://farm.example/"
    first = run_sphinx(project, tmp_path / "without", address)
    assert first.returncode == 0
    for name, data in BAD.items():
        (project / "results" / name).write_bytes(data)
    # An upload with one bad bundle among sound ones; the sound ones are there already.
    sound = (project / "results/good.json").read_bytes()
    (project / "results/mixed.jsonl").write_bytes(b"{}\n" + sound + b"\n[]\n")
    shutil.rmtree(project / "source/guides")
    run = run_sphinx(project, tmp_path / "with", address)
    assert run.returncode == 0
    without, with_ = _tree(tmp_path / "without"), _tree(tmp_path / "with")
    for kind in (".svg", ".json", "feed.xml", "/explore.html", "findings.json"):
        assert any(name.endswith(kind) for name in without), kind
    index = "searchindex.js"
    assert _search(without.pop(index)) == _search(with_.pop(index))
    changed = {n for n in {*without, *with_} if without.get(n) != with_.get(n)}
    report = ("source/reports/provenance.html",)
    listed = {n for n in changed if n.startswith("_downloads/") and n.endswith("/refused.data.csv")}
    assert len(listed) == 1
    assert changed == {*report, "objects.inv", *listed}, changed
    page = with_[report[0]].decode()
    for name in BAD:
        shown = name.replace("\udcff", "\\udcff")
        assert shown in page and shown in run.stderr, name
    assert "mixed.jsonl#1" in page and "mixed.jsonl#3" in page
    assert page.count("good.json") == without[report[0]].decode().count("good.json")


ALIKE = ("AM62X", "am62x", "Am62x", "AM62X.", "AM62X ", "AM-62X", "AM_62X", "AM 62X", "AM/62X")
ALIKE += ("ＡＭ62Ｘ", "AM62X\u0301", "AM62\u1e8a", "AM62\u1e8b", "index", "INDEX", "latest")
ALIKE += ("..", ".", "../AM62X", "AM62X/index", "AM62X.csv", "CON", "con.x", "a\\b", "~", "-")
PLACES = (
    ("board", "soc"),
    ("sdk", "os"),
    ("sdk", "version"),
    ("board", "name"),
    ("", "benchmark"),
    ("", "unit"),
    ("params", "algorithm"),
    ("sdk", "name"),
    ("", "metric"),
)
"""Each second one is enough for most runs: of addresses, of files and of tables."""


def _alike(place: tuple[str, str], number: int, name: str) -> dict[str, Any]:
    made = plain(
        result(**{"benchmark": "openssl", "metric": "throughput", "unit": "kB/s"}),
        id=f"{place[1]} {number}",
    )
    first = made["results"][0]
    first |= {"value": number + 1, "params": {"algorithm": "x", "block_size": 16, "engine": "sw"}}
    points = [first, {**first, "params": {**first["params"], "block_size": 64}}]
    for point in points:
        if place[0] == "params":
            point["params"] = {**point["params"], place[1]: name}
        elif not place[0]:
            point[place[1]] = name
    made["results"] = points
    if place[0] in ("sdk", "board"):
        made[place[0]][place[1]] = name
    return made


@pytest.mark.parametrize("place", PLACES[:: count(2, heavy=1)], ids=lambda place: place[1])
def test_names_that_look_alike_never_share_a_file(tmp_path: Path, place: tuple[str, str]) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    for number, name in enumerate(ALIKE):
        text = json.dumps(_alike(place, number, name))
        (folder / f"{number}.json").write_text(text, "utf-8")
    shipped = Path(__file__).parents[2] / "source/benchmarks"
    settings = Settings((folder,), (BUILT_IN, shipped), tmp_path / "deep/er/source", ())
    outcome = build.generate(settings, run=parallel.here)
    assert [d for d in outcome.diagnostics if d.severity == "error"] == []
    files = [p for p in tmp_path.rglob("*") if p.is_file() and folder not in p.parents]
    assert all(p.is_relative_to(tmp_path / "deep/er/source") for p in files)
    names = [p.relative_to(tmp_path).as_posix() for p in files]
    folded = [unicodedata.normalize("NFKC", n.casefold()) for n in names]
    assert len(set(folded)) == len(folded)
    assert all(n.isascii() for n in names)
    # Each figure is there: none was written over by that of a name like its own.
    guides = [p for p in files if "/guides/" in p.as_posix() and p.suffix == ".csv"]
    shown = set(
        itertools.chain.from_iterable(
            p.read_text("utf-8").replace("\n", ",").split(",") for p in guides
        )
    )
    assert {f"{number + 1}.0" for number in range(len(ALIKE))} <= shown
    # Labels of tables are one world over all pages, and know no case.
    labels = [
        line.partition(":name:")[2].strip().lower()
        for p in files
        if p.suffix == ".rst"
        for line in p.read_text("utf-8").splitlines()
        if line.strip().startswith(":name:")
    ]
    assert len(set(labels)) == len(labels)

"""The example of emulated figures: read from its logs, built, and said to be emulated on each page."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import box
import pytest
import zstandard
from conftest import TOP
from followed import search_path
from profiles import count

from perfguide.cli import main

EXAMPLE = TOP / "examples/emulated-board"
BUNDLES = sorted(EXAMPLE.glob("results/*.json.zst"))


def plain(path: Path) -> bytes:
    with zstandard.open(path) as file:
        return file.read()


def thin(path: Path) -> None:
    """Leave the first result of each metric in a bundle: each table, and no chart, which has no
    page of its own and takes longest. A thorough run builds all."""
    bundle = json.loads(plain(path))
    firsts = {(each["benchmark"], each["metric"]): each for each in bundle["results"][::-1]}
    bundle["results"] = [*firsts.values()][::-1]
    text = json.dumps(bundle)
    path.write_bytes(zstandard.compress(text.encode()))


@pytest.mark.parametrize("path", BUNDLES, ids=[path.name for path in BUNDLES])
def test_its_logs_are_read_as_they_were(path: Path, tmp_path: Path) -> None:
    bundle = json.loads(plain(path))
    logs = path.with_name(path.name.replace(".json.zst", ".logs.tar.zst"))
    with tarfile.open(fileobj=io.BytesIO(plain(logs))) as archive:
        archive.extractall(tmp_path / "logs", filter="data")
    about = {
        "soc": bundle["board"]["soc"],
        "board": bundle["board"]["name"],
        "sdk": "emulated",
        "os": bundle["sdk"]["os"],
    }
    options = [word for name, value in about.items() for word in (f"--{name}", value)]
    out = tmp_path / "again.json"
    assert main(["pack", str(tmp_path / "logs"), "-o", str(out), *options]) == 0
    assert json.loads(out.read_bytes())["results"] == bundle["results"]
    texts = [note["text"] for note in bundle["notes"]]
    assert texts[0] == bundle["board"]["description"] == box.NOTE
    assert bundle["sdk"]["version"] == "emulated"


def test_each_of_its_pages_says_that_it_is_emulated(tmp_path: Path) -> None:
    project = tmp_path / "own"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("build", "pages"))
    if not count(0, heavy=1):
        for path in (project / "results").glob("*.json.zst"):
            thin(path)
    known = os.environ | {"PATH": search_path(), "NO_COLOR": "1"}
    run = subprocess.run(
        ["perfguide", "build", "--strict"],
        cwd=project,
        env=known,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    pages = {
        path.relative_to(project / "build/html").as_posix(): path.read_text("utf-8")
        for path in (project / "build/html").rglob("*.html")
    }
    bare = [name for name, text in pages.items() if "not the speed of any hardware" not in text]
    assert bare == [name for name in bare if "http-equiv" in pages[name]]  # leads to another page
    guides = [
        text
        for name, text in pages.items()
        if name.startswith("pages/guides/") and name.endswith("linux/emulated.html")
    ]
    assert len(guides) == len(BUNDLES) == 3
    assert all(box.NOTE in text for text in guides)
    assert any("UBIFS" in text for text in guides)
    assert any("TensorFlow Lite" in text and "rtla timerlat" in text for text in guides)
    assert any("dm-crypt" in text and "IPsec" in text and "LMBench" in text for text in guides)


def test_no_emulated_figure_is_among_those_of_boards() -> None:
    for path in (TOP / "results").rglob("*.json"):
        assert b'"emulated"' not in path.read_bytes(), path

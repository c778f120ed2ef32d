"""Pages go into a folder of their own, which an export updates, and into no other."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from prepared import run_module

Bundle = Callable[..., Path]


@pytest.fixture
def results(tmp_path: Path, write_bundle: Bundle) -> Path:
    for soc in ("SOC1", "SOC[2]"):
        write_bundle(tmp_path / f"results/{soc}.json", id=soc, board__soc=soc)
    return tmp_path


def export(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_module("perfguide", "export", *words, environment=os.environ, folder=folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_an_export_is_updated_and_keeps_what_was_edited(results: Path) -> None:
    # Neither the folder nor the one above it is there yet.
    run = export(results, "--rst", "new/pages")
    assert (run.returncode, run.stderr) == (0, "")
    assert "2 guides with 2 figures in new/pages" in run.stdout
    pages = results / "new/pages"
    first = contents(pages)
    assert {"conf.py", "index.rst", "guides/SOC1/linux/09.02.rst"} <= {*first}
    assert len(first["conf.py"].splitlines()) <= 12
    # Where the folder is put under version control, its pages are.
    assert "guides" not in first[".gitignore"].decode()
    (pages / "conf.py").write_bytes(first["conf.py"] + b"html_title = 'Ours'\n")
    (pages / "own.rst").write_text("Ours\n====\n", "utf-8")
    (pages / "guides/SOC1/linux/09.02.rst").write_text("changed", "utf-8")
    run = export(results, "--rst", "new/pages", "--soc", "SOC[2]")
    assert run.returncode == 0 and "1 guide with 1 figure " in run.stdout
    again = contents(pages)
    assert again["conf.py"].endswith(b"html_title = 'Ours'\n") and "own.rst" in again
    assert not [name for name in again if "SOC1" in name]
    assert export(results, "--rst", "new/pages").returncode == 0
    whole = contents(pages)
    assert whole.pop("own.rst") and whole.pop("conf.py")
    assert whole == {name: data for name, data in first.items() if name != "conf.py"}


def test_a_folder_of_something_else_is_left_alone(results: Path) -> None:
    (results / "docs").mkdir()
    (results / "docs/conf.py").write_text("extensions = []\n", "utf-8")
    (results / "notes").mkdir()
    (results / "notes/a.txt").write_text("a", "utf-8")
    before = contents(results)
    for name, words in (
        ("docs", "has other files"),
        ("notes", "has other files"),
        ("results/SOC1.json", "is a file"),
    ):
        run = export(results, "--rst", name)
        assert run.returncode == 2 and f"{name} {words}" in run.stderr, run.stderr
        assert "name a new or empty folder" in run.stderr
    assert contents(results) == before


def test_a_soc_without_results_changes_nothing(results: Path) -> None:
    assert export(results, "--rst", "pages").returncode == 0
    before = contents(results / "pages")
    run = export(results, "--rst", "pages", "--soc", "SOC1", "--soc", "soc3")
    assert run.returncode == 3
    assert "there are no results of soc3; there are some of: SOC1, SOC[2]" in run.stderr
    assert contents(results / "pages") == before


def test_socs_belong_to_pages(results: Path) -> None:
    run = export(results, "--parquet", "data", "--soc", "SOC1")
    assert run.returncode == 2 and "--soc is only for --rst" in run.stderr
    run = export(results, "--rst", "pages", "--format", "csv")
    assert run.returncode == 2 and "--rst already names the folder and the format" in run.stderr
    assert not (results / "pages").exists()

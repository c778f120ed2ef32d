"""What several test modules need: the project copied aside, and Sphinx run on it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from debian import library, program

TOP = Path(__file__).resolve().parent.parent
SHARED = TOP.parent / "shared"
GENERATED = ("guides", "by-benchmark", "compare", "reports", "api")


LONGEST = ("faults", "hostile_text", "bombs", "compare_pages", "whole_site", "intake_faults")
"""The tests that take longest, by file."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: a process is given whole files, so that sites that
    the tests of a file share are built once, and none shall be left alone with a long one."""
    order = {f"test_{name}": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


def run_sphinx(source: Path, target: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run sphinx-build as a user does; the doctrees go beside the target."""
    # Where CI is set, Sphinx colours its output, which tests read.
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext"), "LC_ALL": "C.UTF-8"}
    environment["NO_COLOR"] = "1"
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-d", f"{target}.doctrees", *options, source, target],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def copy_project(target: Path) -> Path:
    """The project's own files without what was built or generated."""
    target.mkdir(parents=True)
    for name in ("conf.py", "index.rst"):
        shutil.copy(TOP / name, target / name)
    shutil.copytree(TOP / "results", target / "results")
    shutil.copytree(TOP / "source", target / "source", ignore=shutil.ignore_patterns(*GENERATED))
    (target / "ext").symlink_to(TOP / "ext")
    return target


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project to change at will."""
    return copy_project(tmp_path / "project")


@pytest.fixture
def make_bundle() -> Callable[..., dict[str, Any]]:
    """A sound bundle as plain values, with whatever a test wants otherwise."""

    def make(results: list[dict[str, Any]] | None = None, **changes: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = {
            "format": "perfguide-bundle",
            "version": 1,
            "id": "run-1",
            "created": "2024-04-02T09:30:00Z",
            "runner": {"name": "lab"},
            "sdk": {"version": "09.02", "os": "linux"},
            "board": {"name": "board-a", "soc": "SOC1"},
            "results": results
            or [{"benchmark": "stream", "metric": "copy", "unit": "MB/s", "value": 1234.5}],
        }
        for key, value in changes.items():
            part, _, inner = key.partition("__")
            if inner:
                bundle[part] = {**bundle[part], inner: value}
            else:
                bundle[part] = value
        return bundle

    return make


@pytest.fixture
def write_bundle(make_bundle: Callable[..., dict[str, Any]]) -> Callable[..., Path]:
    """Write a bundle into a file."""

    def write(path: Path, *arguments: Any, **changes: Any) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(make_bundle(*arguments, **changes)), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def chromium() -> Path:
    """Debian's Chromium, and the library that its driver is linked to."""
    library("libatomic.so.1", "libatomic1")
    return Path(program("chromium"))

"""Edited code of the package makes the pages anew, wherever in the package it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from making import plain, result, text

import perfguide

PACKAGE = Path(perfguide.__file__).parent


def build(package: Path, project: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "perfguide", "build", "--results", "results"],
        env={**os.environ, "PYTHONPATH": str(package.parent)},
        cwd=project,
        check=True,
        capture_output=True,
    )


def test_an_edited_module_of_the_package_is_seen_by_the_next_build(tmp_path: Path) -> None:
    copy, project = tmp_path / "ext" / "perfguide", tmp_path / "project"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (project / "results").mkdir(parents=True)
    (project / "results" / "one.json").write_bytes(text(plain(result())))
    (project / "conf.py").write_text('extensions = ["perfguide"]\n', "utf-8")
    (project / "index.rst").write_text("Site\n====\n\n* :doc:`source/guides/index`\n", "utf-8")
    build(copy, project)
    module = next(p for p in copy.rglob("*.py") if 'f"{soc} boards"' in p.read_text("utf-8"))
    module.write_text(module.read_text("utf-8").replace('{soc} boards"', '{soc} devices"'), "utf-8")
    build(copy, project)
    page = next((project / "build" / "html" / "source" / "guides").glob("*/index.html"))
    assert " devices" in page.read_text("utf-8")

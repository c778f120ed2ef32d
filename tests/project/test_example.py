"""The example project builds by its own two commands, from a folder with nothing around it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path

from conftest import TOP
from prepared import run_module

EXAMPLE = TOP / "examples/board-farm"


def test_the_readme_of_the_example_builds_its_site(tmp_path: Path) -> None:
    readme = (EXAMPLE / "README.md").read_text("utf-8")
    (block,) = re.findall(r"```sh\n(.*?)```", readme, re.DOTALL)
    install, build = block.splitlines()
    # The package that tests run on stands for the one that pip would install.
    assert shlex.split(install) == ["pip", "install", "../..[compare]"]
    assert (EXAMPLE / "../../pyproject.toml").is_file()
    project = tmp_path / "own"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("build", "pages"))
    before = {path.name for path in project.iterdir()}
    command = [*shlex.split(build), "--strict"]
    environment = os.environ | {"PYTHONPATH": str(TOP / "ext"), "NO_COLOR": "1"}
    run = run_module(*command, environment=environment, folder=project)
    assert run.returncode == 0, run.stderr
    site = project / "build/html"
    # 98405.03 is the figure of the newest bundle, looked up by its query.
    assert "98405.03 kB/s" in (site / "index.html").read_text("utf-8")
    guide = (site / "pages/guides/AM62X/linux/09.01.00.08.html").read_text("utf-8")
    assert "112377.86" in guide and "AES throughput by block size" in guide
    assert "other results" not in guide
    assert list((site / "_images").glob("*openssl*.svg"))
    assert list((site / "pages/compare/AM62X/linux").glob("*.html"))
    # What is generated is what git passes over there.
    ignored = (EXAMPLE / ".gitignore").read_text("utf-8").split()
    assert {f"/{path.name}/" for path in project.iterdir() if path.name not in before} == {*ignored}


def test_its_figures_are_those_of_the_bundles_that_it_names() -> None:
    bundles = sorted((EXAMPLE / "results").glob("*.json"))
    assert len(bundles) == 2
    for path in bundles:
        excerpt = json.loads(path.read_bytes())
        release, board = excerpt["sdk"]["version"], excerpt["board"]["name"]
        whole = json.loads((TOP / f"results/AM62X/linux/{release}/{board}.json").read_bytes())
        assert excerpt["id"] == f"excerpt-of-{whole['id']}"
        assert all(result in whole["results"] for result in excerpt["results"])
        assert {**excerpt, "id": "", "results": []} == {**whole, "id": "", "results": []}

"""A site builds without the packages of extras, and says where it would show more how to add them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import TOP
from packaging.requirements import Requirement
from prepared import run_module
from site_links import broken, pages

from perfguide.common import extras

BLOCK = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""
LIBRARIES = ("scipy", "pyarrow", "s3fs", "fsspec", "dask", "distributed", "watchfiles")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project with two releases, built by a Python in which no extra can be imported."""
    top = tmp_path_factory.mktemp("without") / "project"
    run(top.parent, "init", "project")
    first = json.loads((top / "results/example.json").read_bytes())
    first |= {"id": "second", "sdk": first["sdk"] | {"version": "1.1"}}
    (top / "results/second.json").write_text(json.dumps(first), "utf-8")
    built = run(top, "build", "--strict")
    assert built.returncode == 0, built.stderr
    assert 'pip install "perfguide[compare]"' in built.stdout
    assert 'pip install "perfguide[parquet]"' in built.stdout
    return top


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command where the modules of extras cannot be imported."""
    blocking = folder.parent / "blocking"
    blocking.mkdir(exist_ok=True)
    (blocking / "sitecustomize.py").write_text(BLOCK.format(names=LIBRARIES), "utf-8")
    start = {"PYTHONPATH": os.pathsep.join([str(blocking), str(TOP / "ext")])}
    environment = os.environ | start | {"NO_COLOR": "1"}
    return run_module("perfguide", *arguments, environment=environment, folder=folder, start=start)


def test_the_modules_are_really_blocked(project: Path) -> None:
    code = f"""
for name in {LIBRARIES}:
    try:
        __import__(name)
    except ModuleNotFoundError:
        print(name)
"""
    env = os.environ | {"PYTHONPATH": str(project.parent / "blocking")}
    command = [sys.executable, "-c", code]
    missing = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert tuple(missing.split()) == LIBRARIES


def test_pages_say_how_to_add_what_they_lack(project: Path) -> None:
    site = project / "build/html"
    guide = (site / "pages/guides/EXAMPLE/linux/1.1.html").read_text("utf-8")
    compare = extras.advice("compare").replace('"', "&quot;")
    assert compare in guide and compare in (site / "pages/compare/index.html").read_text("utf-8")
    assert extras.advice("parquet").replace('"', "&quot;") in guide
    assert ".xlsx" in guide and ".parquet" not in guide
    assert "first release" in (site / "pages/guides/EXAMPLE/linux/1.0.html").read_text("utf-8")
    assert not list(site.rglob("*.parquet"))
    assert [p.name for p in (site / "pages/compare").rglob("*.html")] == ["index.html"]


def test_no_link_is_broken(project: Path) -> None:
    site = project / "build/html"
    assert [*broken(site, pages(site))] == []


def test_lists_of_data_name_no_file_that_is_not_there(project: Path) -> None:
    data = project / "build/html/api/v1"
    (listed,) = [json.loads(p.read_bytes()) for p in (data / "socs").glob("*.json")]
    assert [guide["parquet"] for guide in listed["guides"]] == [None, None]
    resources = json.loads((data / "datapackage.json").read_bytes())["resources"]
    assert [each["name"] for each in resources] == ["metrics", "units"]


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("compare 1.0 1.1", "compare"),
        ("export -o out", "parquet"),
        ("serve", "serve"),
        ("check s3://farm/results", "s3"),
        ("generate --scheduler tcp://127.0.0.1:1", "dask"),
    ],
)
def test_a_command_that_needs_an_extra_says_how_to_install_it(
    project: Path, command: str, extra: str
) -> None:
    said = run(project, *command.split())
    assert said.returncode == 2 and "Traceback" not in said.stderr
    assert f'pip install "perfguide[{extra}]"' in said.stdout + said.stderr


@pytest.mark.parametrize(
    "command",
    [
        "check",
        "list",
        "health",
        "show EXAMPLE",
        "export -o all.csv",
        "export -o all.json",
        "export -o all.xlsx",
    ],
)
def test_the_other_commands_need_no_extra(project: Path, command: str) -> None:
    said = run(project, *command.split())
    assert said.returncode == 0, said.stdout + said.stderr


def test_the_extras_are_those_of_the_package() -> None:
    given = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    optional = given["optional-dependencies"]
    assert {*optional} == {*extras.EXTRAS, "all"}
    (whole,) = map(Requirement, optional["all"])
    assert whole.extras == {*extras.EXTRAS}
    required = {Requirement(text).name for text in given["dependencies"]}
    for name, extra in extras.EXTRAS.items():
        assert {Requirement(text).name for text in optional[name]} == {extra.module}
        assert extra.module not in required

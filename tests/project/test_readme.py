"""The README's commands and examples do what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import GENERATED, TOP
from debian import program, wait
from prepared import put_command

from perfguide.bundles.faults import validate
from perfguide.cli import command_line

README = (TOP / "README.md").read_text("utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def _clone(target: Path) -> Path:
    """A fresh clone of what is committed, with what is changed since on top."""
    program("git")
    wait()  # where it is missing, ``make pdf`` installs LaTeX, and apt runs once at a time
    subprocess.run(["git", "clone", "--quiet", TOP, target], check=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=TOP, capture_output=True, check=True).stdout
    for name in names.decode("utf-8").split("\0"):
        if name and (TOP / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, target / name)
    return target


FEW = "results/AM335X/linux/06.00.00.00"


def test_make_builds_the_site_in_a_fresh_clone_and_leaves_git_clean(tmp_path: Path) -> None:
    """With few results: the site of all is built for other tests. What make hands over where
    nobody names any, it says."""
    clone = _clone(tmp_path / "clone")
    status = ["git", "status", "--porcelain"]
    before = subprocess.run(status, cwd=clone, capture_output=True, text=True, check=True).stdout
    # The environment is the one that these tests run in: its making is part of
    # every run of `make test`, and takes a minute and the network.
    commands_of_it = clone / "build/env/bin"
    commands_of_it.mkdir(parents=True)
    for path in [*(TOP / "build/env").iterdir(), *(TOP / "build/env/bin").iterdir()]:
        link = clone / path.relative_to(TOP)
        if path.name != "bin":
            link.symlink_to(path)
    for name in ("requirements.txt", "pyproject.toml"):
        os.utime(clone / name, (1, 1))  # or the clone would be installed into it
    environment = os.environ | {"MAKEFLAGS": "", "MAKELEVEL": "", "PYTHONPATH": str(clone / "ext")}
    lines = [*_blocks("sh")[0].splitlines(), *_blocks("sh")[1].splitlines()]
    commands = [line.split("#")[0].strip() for line in lines]
    assert commands[0] == "make html" and "make html STRICT=1" in commands
    for number, command in enumerate(commands):
        if number == 1:  # by now it was run as it is installed; forked, it starts sooner
            (commands_of_it / "perfguide").unlink()
            put_command(commands_of_it, clone / "ext")
        if command not in ("", "make test", "make serve"):
            command = command.replace("=folder", f"={FEW}")
            few = {} if "compare" in command else {"RESULTS": FEW}
            subprocess.run(
                command.split(), cwd=clone, env=environment | few, check=True, timeout=300
            )
    assert list((clone / "build/pdf").glob("*.pdf"))
    assert (clone / "build/html/index.html").is_file()
    whole = subprocess.run(
        ["make", "-n", "html"],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "perfguide build --results 'results' " in whole.stdout
    after = subprocess.run(status, cwd=clone, capture_output=True, text=True, check=True).stdout
    assert after == before


def test_the_example_bundle_is_sound() -> None:
    (example,) = _blocks("json")
    found, faults = validate(json.dumps(json.loads(example)).encode())
    assert found is not None and faults == []


MAX_LINES = 120
"""As long as the README may be for a newcomer; details belong to the pages that it names."""
FIRST_SCREEN_LINES = 20


def test_the_readme_is_short_and_leads_to_the_tutorial_on_its_first_screen() -> None:
    lines = README.splitlines()
    assert len(lines) <= MAX_LINES
    assert "](source/tutorial.rst)" in "\n".join(lines[:FIRST_SCREEN_LINES])


def test_every_page_that_the_readme_links_exists() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 10
    for link in links:
        assert (TOP / link).is_file(), link


def test_every_place_that_the_readme_names_is_there() -> None:
    for place in re.findall(r"^\| `([^`]+)`", README, re.MULTILINE):
        name = place.split("*")[0].rstrip("/")
        if name.rpartition("/")[2] not in GENERATED:
            assert (TOP / name).exists(), name


@pytest.mark.parametrize("command", ["check", "schema", "list", "generate", "show", "build"])
def test_each_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        command_line.main([command, "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert "exit status" in text and "usage: perfguide" in text


def test_no_folder_stands_for_the_outcome_of_a_target() -> None:
    """``make bench`` has to run, although there is a folder of this name."""
    text = (TOP / "Makefile").read_text("utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.+)$", text, re.M)
    targets = {
        name for names in re.findall(r"^([a-z -]+):(?!=)", text, re.M) for name in names.split()
    }
    assert {"html", "bench", "test"} <= targets == set(phony.split())

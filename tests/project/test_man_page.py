"""``make man`` makes a manual page of every command and option, and writes nothing else."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import TOP
from debian import program

from perfguide.cli.command_line import parser
from perfguide.sphinxext import reference


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the page is made of, and the page, made by the line of the Makefile."""
    top = tmp_path_factory.mktemp("man")
    (top / "source/man").mkdir(parents=True)
    (top / "ext").symlink_to(TOP / "ext")
    for name in ("commands.rst", "man/conf.py"):
        shutil.copy2(TOP / "source" / name, top / "source" / name)
    makefile = (TOP / "Makefile").read_text("utf-8")
    (line,) = [line for line in makefile.splitlines() if " -b man " in line]
    command = shlex.split(line.replace("@$(BIN)/sphinx-build", "sphinx-build"))
    command[:1] = [sys.executable, "-m", "sphinx"]
    quiet = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(command, cwd=top, env=quiet, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    return top


def test_it_has_every_command_and_option_and_is_all_that_is_written(project: Path) -> None:
    written = {path.relative_to(project).as_posix() for path in (project / "source").rglob("*.*")}
    assert written == {"source/commands.rst", "source/man/conf.py"}
    assert [path.name for path in (project / "build/man").iterdir()] == ["perfguide.1"]
    plain = (project / "build/man/perfguide.1").read_text("utf-8").replace("\\-", "-")
    assert plain.count(".SH NAME") == 1
    for command in reference.commands(parser()):
        assert f".SH PERFGUIDE {command.name.upper()}" in plain
        for option in command.options:
            assert option in plain, option


def test_a_terminal_shows_every_line_whole(project: Path) -> None:
    page = str(project / "build/man/perfguide.1")
    environment = os.environ | {"MANWIDTH": "90", "LC_ALL": "C.UTF-8"}
    command = [program("man", "man-db"), "--warnings=w", "-l", page]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert run.stderr == ""
    assert max(map(len, run.stdout.splitlines())) <= 90

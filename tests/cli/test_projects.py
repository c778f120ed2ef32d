"""What stands in the way of a build is said with its fix, and never by a traceback."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from conftest import TOP
from making import plain, result

from perfguide.cli import build
from perfguide.cli.check import explained
from perfguide.cli.command_line import main
from perfguide.common.diagnostics import KINDS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_build_outside_a_project_says_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build"]) == 2
    said = capsys.readouterr().err
    assert "there is no conf.py in" in said and 'extensions = ["perfguide"]' in said
    assert not list(folder.iterdir())
    (folder / "docs").mkdir()
    (folder / "docs/conf.py").write_text("", "utf-8")
    assert main(["build"]) == 2
    assert "but in docs: run cd docs first" in capsys.readouterr().err


def test_a_build_without_a_terminal_says_now_and_then_that_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "FIRST_LINE_S", 0.05)
    monkeypatch.setattr(build, "NEXT_LINE_S", 0.05)
    # Not capsys.readouterr(): it loses what another thread prints while it reads.
    with redirect_stdout(io.StringIO()) as out, build._progress(Path("build/html")):
        deadline = time.monotonic() + 60
        while out.getvalue().count("\n") < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    first, second, *_ = out.getvalue().splitlines()
    assert first == "Building build/html …"
    assert re.fullmatch(r"Building build/html: [0-9]+ s …", second)
    with build._progress(Path("build/html")):
        pass
    assert capsys.readouterr().out == ""


def test_a_build_without_a_terminal_ends_with_a_short_summary(folder: Path) -> None:
    (folder / "conf.py").write_text('extensions = ["perfguide"]\n', "utf-8")
    (folder / "index.rst").write_text("Ours\n====\n\n.. perf-toctree::\n", "utf-8")
    (folder / "results").mkdir()
    (folder / "results/a.json").write_text(json.dumps(plain(result(value=1.0))), "utf-8")
    command = [sys.executable, "-m", "perfguide", "build"]
    known = os.environ | {"PYTHONPATH": str(TOP / "ext")}
    run = subprocess.run(
        command, cwd=folder, env=known, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    # On a busy machine it also says that it goes on.
    first, second = (x for x in run.stdout.splitlines() if not x.startswith("Building "))
    assert re.fullmatch(r"build/html: \d+ files, [\d.]+ MB, \d+ s", first)
    assert second == "1 figure, 1 guide, 1 SoC"


def test_check_explains_each_kind_that_it_found_and_no_other(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "results").mkdir()
    (folder / "results/bad.json").write_text("{", "utf-8")
    assert main(["check"]) == 1
    plainly = capsys.readouterr().out
    assert main(["check", "--explain"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(plainly)
    kinds = re.findall(r"^\[([a-z-]+)\], \w+$", out, re.MULTILINE)
    assert "syntax" in kinds and len(kinds) == len({*kinds}) <= 2
    assert "To do: Look at the line" in " ".join(out.split())
    assert main(["check", "--explain", "gone"]) == 2
    assert "the folder in which you run the command" in " ".join(capsys.readouterr().out.split())


def test_kinds_with_an_effect_say_what_to_do() -> None:
    assert all(bool(kind.effect) == bool(kind.advice) for kind in KINDS.values())
    text = explained(KINDS)
    assert all(f"[{kind}], " in text for kind in KINDS)
    assert " ".join(text.split()).count("To do: ") == sum(
        bool(kind.advice) for kind in KINDS.values()
    )

"""A shell completes what the parser knows, by the script that the command prints."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from perfguide.cli.command_line import main, parser
from perfguide.cli.completion import SHELLS
from perfguide.sphinxext import reference

ASK = """
source "$1"; shift
complete -p perfguide >&2
words=("$@")
COMP_WORDS=(perfguide "${words[@]}"); COMP_CWORD=${#words[@]}; COMPREPLY=()
handler=$(complete -p perfguide | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$handler" perfguide "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
"""What bash does when somebody presses the key, with the words typed until then."""


@pytest.fixture
def script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["completion", "bash"]) == 0
    path = tmp_path / "perfguide.bash"
    path.write_text(capsys.readouterr().out, "utf-8")
    return path


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["co"], {"compare", "completion"}),
        (["compare", "--format", "j"], {"json", "junit"}),
        (["compare", "--fail-on", ""], {"regression", "never"}),
        (["compare", "--lo"], {"--look-ahead"}),
        (["completion", ""], set(SHELLS)),
        (["check", "res"], {"results", "results.json"}),
        (["compare", "09.01", "res"], {"results", "results.json"}),
        (["pack", "logs", "--output", "results."], {"results.json"}),
        (["check", "--benchmarks", "res"], {"results"}),
        (["export", "--parquet", "res"], {"results"}),
    ],
)
def test_bash_completes_commands_choices_and_paths(
    typed: list[str], offered: set[str], script: Path, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    (place / "results").mkdir(parents=True)
    (place / "results.json").write_text("{}", "utf-8")
    command = ["bash", "--norc", "-c", ASK, "bash", str(script), *typed]
    run = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == offered, run.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_each_script_knows_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    said = capsys.readouterr().out
    for command in reference.commands(parser()):
        assert command.name in said
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=said, text=True, check=True)

"""``perfguide compare``: what it takes, what it prints, and its exit status."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from making import ROOT, TOML, plain, result, run_by_run, text
from prepared import put_command

from perfguide.cli.command_line import main

SLOW, FAST = [100.0, 100.2, 99.8, 100.1, 99.9], [150.0, 150.3, 149.7, 150.1, 149.9]


class Farm:
    """A folder with two releases, and the command run in it."""

    def __init__(
        self, top: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.top = top
        self._capsys = capsys
        monkeypatch.chdir(top)
        monkeypatch.delenv("NO_COLOR", raising=False)
        self.benchmarks = top / "source/benchmarks"
        self.benchmarks.mkdir(parents=True)
        (self.benchmarks / "speed.toml").write_text(TOML, "utf-8")
        (self.benchmarks / "speed.rst").write_text("Prose.\n", "utf-8")
        self.release("09.01.00", FAST, "results/old.jsonl")
        self.release("09.02.00", SLOW, "results/new.jsonl")

    def release(self, release: str, samples: list[float], name: str, **more: Any) -> Path:
        """Upload a run of a release for each sample, all in one file."""
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        run = plain(result(samples=samples), id=f"{release}{name}", sdk__version=release, **more)
        path.write_bytes(b"\n".join(map(text, run_by_run(run))))
        return path

    def compare(self, *arguments: str | Path) -> tuple[int, str, str]:
        """Exit status, stdout and stderr."""
        status = main(["compare", *map(str, arguments)])
        said = self._capsys.readouterr()
        return status, said.out, said.err


@pytest.fixture
def farm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Farm:
    return Farm(tmp_path, capsys, monkeypatch)


def test_a_regression_is_an_exit_status_but_where_it_is_not_wanted(farm: Farm) -> None:
    status, out, _ = farm.compare("09.01", "09.02")
    assert status == 1
    assert "1 regressed" in out and "AM62X, Linux, sk: 09.01.00 → 09.02.00" in out
    assert farm.compare("09.01", "09.02", "--fail-on", "regression")[0] == 1
    assert farm.compare("09.01", "09.02", "--fail-on", "never")[0] == 0


def test_latest_is_the_newest_release(farm: Farm) -> None:
    status, out, _ = farm.compare("09.01", "latest")
    assert status == 1 and "AM62X, Linux, sk: 09.01.00 → 09.02.00" in out


def test_a_name_that_is_not_known_is_named(farm: Farm) -> None:
    status, _, err = farm.compare("09.01", "09.02", "--soc", "AM62")
    assert status == 3 and "there is no SoC “AM62”" in err and "AM62X" in err
    status, _, err = farm.compare("09.01", "09.02", "--benchmark", "sped")
    assert status == 3 and "there is no benchmark “sped”" in err and "speed" in err


def test_figures_that_nothing_describes_are_an_error_and_not_all_well(farm: Farm) -> None:
    (farm.benchmarks / "speed.toml").unlink()
    (farm.benchmarks / "speed.rst").unlink()
    status, out, err = farm.compare("09.01", "09.02")
    assert (status, out) == (2, "")
    assert "no description of speed, so it is unknown what is better" in err


def test_the_built_in_descriptions_are_found_from_any_folder(
    farm: Farm, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for release, samples in (("09.01", FAST), ("09.02", SLOW)):
        figure = {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "samples": samples}
        run = plain(figure, id=release, sdk__version=release)
        (elsewhere / f"{release}.json").write_bytes(text(run))
    monkeypatch.chdir(tmp_path_factory.mktemp("away"))
    status, out, _ = farm.compare("09.01", "09.02", "--results", elsewhere)
    assert status == 1 and "1 regressed" in out


def test_services_of_builds_get_events(farm: Farm) -> None:
    _, out, _ = farm.compare("09.01", "09.02", "--format", "github")
    assert out.startswith(
        "::error title=Speed%3A 150 → 100 MB/s%2C 33.3 %25 worse::Runs: 5 against 5"
    )
    (issue,) = json.loads(farm.compare("09.01", "09.02", "--format", "gitlab")[1])
    assert issue["severity"] == "major" and len(issue["fingerprint"]) == 64
    sarif = json.loads(farm.compare("09.01", "09.02", "--format", "sarif")[1])
    (found,) = sarif["runs"][0]["results"]
    assert (sarif["version"], found["ruleId"], found["level"]) == ("2.1.0", "regressed", "error")


def test_an_improvement_is_no_regression(farm: Farm) -> None:
    status, out, _ = farm.compare("09.02", "09.01", "--fail-on", "regression")
    assert status == 0
    assert "1 improved" in out


def test_what_fails_now_is_a_regression(farm: Farm) -> None:
    run = plain(result(status="fail"), id="f", sdk__version="09.03")
    (farm.top / "results/f.json").write_bytes(text(run))
    assert farm.compare("09.02", "09.03", "--fail-on", "regression")[0] == 1


def test_a_waiver_accepts_a_regression(farm: Farm) -> None:
    accepted = '[[waivers]]\nbenchmark = "speed"\nmetric = "rate"\nreason = "r"\nuntil = "09.03"\n'
    path = farm.top / "source/waivers.toml"
    path.write_text(accepted, "utf-8")
    status, out, err = farm.compare("09.01", "09.02", "--fail-on", "regression")
    assert (status, err) == (0, "")
    assert "1 accepted" in out and "Accepted until 09.03: r." in " ".join(out.split())
    other = farm.top / "other.toml"
    other.write_text(accepted.replace("09.03", "09.02"), "utf-8")
    status, out, err = farm.compare("09.01", "09.02", "--fail-on", "regression", "--waivers", other)
    assert status == 1
    assert "lapsed with 09.02, and the change is still there" in err
    assert "lapsed with 09.02" in " ".join(out.split())


def test_a_snippet_accepts_its_event_once_a_person_has_completed_it(farm: Farm) -> None:
    _, out, _ = farm.compare("09.01", "09.02", "--snippets")
    entry = out[out.index("[[waivers]]") :]
    markdown = farm.compare("09.01", "09.02", "--format", "markdown")[1]
    assert f"```toml\n{entry}```" in markdown
    path = farm.top / "source/waivers.toml"
    path.write_text(entry, "utf-8")
    status, _, err = farm.compare("09.01", "09.02")
    assert status == 2 and "“reason” is empty" in err
    whole = entry.replace('reason = ""', 'reason = "r"').replace('until = ""', 'until = "09.03"')
    path.write_text(whole, "utf-8")
    status, out, err = farm.compare("09.01", "09.02", "--snippets")
    assert (status, err) == (0, "") and "[[waivers]]" not in out


def test_a_snippet_of_hostile_names_is_still_toml_that_fits(farm: Farm) -> None:
    board = 's"k\\*[x]'
    farm.release("09.04", FAST, "results/p.jsonl", board__name=board)
    farm.release("09.05", SLOW, "results/q.jsonl", board__name=board)
    _, out, _ = farm.compare("09.04", "09.05", "--snippets")
    entry = out[out.index("[[waivers]]") :]
    whole = entry.replace('reason = ""', 'reason = "r"').replace('until = ""', 'until = "09.06"')
    (farm.top / "source/waivers.toml").write_text(whole, "utf-8")
    assert farm.compare("09.04", "09.05")[0] == 0


def test_a_note_is_shown_and_changes_nothing(farm: Farm) -> None:
    path = farm.top / "source/waivers.toml"
    path.write_text('[[notes]]\nbenchmark = "speed"\nrelease = "09.02.00"\ntext = "<b>"\n', "utf-8")
    status, out, _ = farm.compare("09.01", "09.02")
    assert status == 1 and "Note: <b>" in out
    assert "Note&#58; &#60;b&#62;" in farm.compare("09.01", "09.02", "--format", "markdown")[1]
    (row,) = json.loads(farm.compare("09.01", "09.02", "--format", "json")[1])["rows"]
    assert row["notes"] == ["<b>"]
    path.write_text('[[notes]]\nbenchmark = "sped"\ntext = "t"\n', "utf-8")
    _, out, err = farm.compare("09.01", "09.02")
    assert "entry 1 of “notes” (sped, *): is not used: no figure has these names" in err
    path.write_text('[[notes]]\nbenchmark = "speed"\n', "utf-8")
    assert "entry 1 of “notes”: “text” is missing" in farm.compare("09.01", "09.02")[2]


def test_a_new_level_is_accepted_and_what_was_before_it_is_no_past(farm: Farm) -> None:
    for number, value in enumerate((80.0, 95.0, 70.0, 90.0, 200.0, 200.2, 199.9, 200.1, 185.0)):
        run = plain(result(value=value), id=f"l{number}", sdk__version=f"10.{number:02}")
        (farm.top / f"results/l{number}.json").write_bytes(text(run))
    level = '[[levels]]\nbenchmark = "speed"\nsince = "10.04"\nreason = "a new clock"\n'

    def judged(old: str, new: str) -> dict[str, Any]:
        out = farm.compare(old, new, "--format", "json")[1]
        (row,) = json.loads(out)["rows"]
        assert isinstance(row, dict)
        return row

    before = judged("10.07", "10.08")
    (farm.top / "source/waivers.toml").write_text(level, "utf-8")
    after = judged("10.07", "10.08")
    assert "10 earlier releases" in before["ground"] and "4 earlier releases" in after["ground"]
    assert after["detectable"] < before["detectable"]
    # Where it spans the two releases, the change itself is what a level accepts.
    (farm.top / "source/waivers.toml").write_text(level.replace("10.04", "09.02"), "utf-8")
    status, out, err = farm.compare("09.01", "09.02")
    assert (status, err) == (0, "")
    assert "A new level since 09.02: a new clock." in " ".join(out.split())


def test_a_faulty_waiver_is_named_and_nothing_is_compared(farm: Farm) -> None:
    path = farm.top / "w.toml"
    path.write_text('[[waivers]]\nbenchmark = "speed"\n', "utf-8")
    status, out, err = farm.compare("09.01", "09.02", "--waivers", path)
    assert (status, out) == (2, "")
    assert re.search(r"w\.toml:1: error: entry 1 of “waivers”: “\w+” is missing", err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("no/such.json", "09.02"),
        ("09.01", "missing.tar.gz"),
        ("09.01", "09.02", "--waivers", "none.toml"),
        ("09.01", "09.02", "--results", "nowhere"),
        ("09.01", "09.02", "--benchmarks", "nowhere"),
    ],
)
def test_a_path_that_is_not_there_is_wrong_usage(farm: Farm, arguments: tuple[str, ...]) -> None:
    status, out, err = farm.compare(*arguments)
    assert (status, out) == (2, "")
    assert "there is no such" in err or "nowhere" in err


@pytest.mark.parametrize(
    "arguments",
    [("09.01",), ("09.01", "09.02", "--threshold", "5"), ("09.01", "09.02", "--format", "pdf")],
)
def test_wrong_usage_is_refused(farm: Farm, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as refused:
        farm.compare(*arguments)
    assert refused.value.code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("09.01", "10.00"), "“10.00”"),
        (("09.01", "09.02", "--soc", "AM64X"), "there is no SoC “AM64X”"),
        (("09.01", "09.02", "--benchmark", "none"), "nothing to compare"),
        (("09.01", "09.01.00"), "both sides are 09.01.00"),
    ],
)
def test_nothing_to_compare_has_a_status_of_its_own(
    farm: Farm, arguments: tuple[str, ...], said: str
) -> None:
    status, out, err = farm.compare(*arguments)
    assert (status, out) == (3, "")
    assert said in err


def test_two_releases_without_a_board_in_common_are_nothing_to_compare(farm: Farm) -> None:
    farm.release("09.03", SLOW, "results/x.jsonl", board__name="other")
    status, _, err = farm.compare("09.02", "09.03")
    assert status == 3
    assert "no figure in common" in err


def test_a_bundle_that_is_refused_does_not_stop_the_others(farm: Farm) -> None:
    (farm.top / "results/bad.json").write_text("{", "utf-8")
    status, out, err = farm.compare("09.01", "09.02")
    assert status == 1 and "1 regressed" in out
    assert "bad.json" in err


def test_folders_files_and_archives_can_be_compared(farm: Farm) -> None:
    folder = farm.top / "folder"
    farm.release("09.01.00", FAST, "folder/deep/a.jsonl")
    file = farm.release("09.01.00", SLOW, "run.jsonl")
    with ZipFile(farm.top / "run.zip", "w") as archive:
        archive.write(file, "run.jsonl")
    for new in ("run.jsonl", "run.zip", "./run.jsonl", "09.02"):
        status, out, err = farm.compare(folder, new, "--fail-on", "regression")
        assert (status, err) == (1, ""), new
        assert "1 regressed" in out


def test_boards_of_an_old_name_are_matched(farm: Farm) -> None:
    (farm.top / "source/boards.toml").write_text(
        '[[boards]]\nsoc = "AM62X"\nname = "sk"\naliases = ["sk-old"]\n', "utf-8"
    )
    farm.release("09.00", FAST, "results/older.jsonl", board__name="sk-old")
    status, out, _ = farm.compare("09.00", "09.02", "--board", "sk-old", "--format", "json")
    assert status == 1
    row = json.loads(out)["rows"][0]
    assert row["aliases"] == ["board “sk-old” is now “sk”"]


def test_a_threshold_above_the_change_silences_it(farm: Farm) -> None:
    arguments = ("09.01", "09.02", "--format", "json", "--threshold", "80%")
    assert json.loads(farm.compare(*arguments)[1])["rows"][0]["floor"] == 0.8


@pytest.mark.parametrize("form", ["text", "markdown", "json", "csv", "html", "junit", "sarif"])
def test_a_file_gets_the_bytes_that_the_terminal_gets(farm: Farm, form: str) -> None:
    status, out, _ = farm.compare("09.01", "09.02", "--format", form)
    again, nothing, _ = farm.compare("09.01", "09.02", "--format", form, "-o", "out")
    assert (status, again, nothing) == (1, 1, "")
    assert (farm.top / "out").read_text("utf-8") == out != ""


def on_terminal(folder: Path, **environment: str) -> str:
    """What the command writes to a terminal."""
    parent, child = pty.openpty()
    put_command(folder)
    run = [str(folder / "perfguide"), "compare", "09.01", "09.02"]
    known = os.environ | {"TERM": "xterm"} | environment
    if "NO_COLOR" not in environment:
        known.pop("NO_COLOR", None)
    with subprocess.Popen(run, cwd=folder, stdout=child, stderr=child, env=known) as process:
        os.close(child)
        written = b""
        while True:
            try:
                more = os.read(parent, 65536)
            except OSError:  # Linux says so when the other end has gone
                break
            if not more:
                break
            written += more
    os.close(parent)
    assert process.returncode == 1, written
    return written.decode("utf-8")


def test_colours_are_for_terminals_that_want_them(farm: Farm) -> None:
    assert "\x1b[" in on_terminal(farm.top).rpartition("\x1b[?25h")[2]
    assert "\x1b[31m" not in on_terminal(farm.top, NO_COLOR="1")
    assert "\x1b[31m" not in on_terminal(farm.top, TERM="dumb")
    assert "\x1b" not in farm.compare("09.01", "09.02")[1]


@pytest.mark.parametrize("results", ["my results", "a;touch x", "it's", 'a"b$(touch x)', "a,b"])
def test_make_gives_the_command_paths_and_releases_as_they_are(results: str) -> None:
    given = ["OLD=09.00", "NEW=x y", f"RESULTS={results.replace('$', '$$')}"]
    # Where make runs the tests, another one below it prints in which folder it is.
    alone = os.environ | {"MAKEFLAGS": "", "MAKELEVEL": ""}
    command = ["make", "-n", "compare", *given]
    run = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True, check=True)
    words = shlex.split(run.stdout.replace("\\\n", "").splitlines()[-1])
    assert words[1:6] == ["compare", "09.00", "x y", "--results", results]

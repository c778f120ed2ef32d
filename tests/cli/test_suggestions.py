"""Mistyped words are answered with what was probably meant, and folders are named alike everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from making import TOML, plain, result

from perfguide.cli.command_line import main


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for place in ("results", "source/benchmarks"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "source/benchmarks/speed.toml").write_text(TOML, "utf-8")
    (tmp_path / "source/benchmarks/speed.rst").write_text("Prose.\n", "utf-8")
    for release in ("09.00", "09.01"):
        run = plain(result(samples=[1, 2]), id=release, sdk__version=release, board__name="sk")
        (tmp_path / f"results/{release}.json").write_text(json.dumps(run), "utf-8")
    return tmp_path / "results"


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of a command, also where its parser ends it."""
    try:
        status = main(words)
    except SystemExit as end:
        assert isinstance(end.code, int)
        status = end.code
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["chek"], "did you mean “check”?"),
        (["compre", "1", "2"], "did you mean “compare”?"),
        (["check", "--benchmarcks", "x"], "did you mean “--benchmarks”?"),
        (["list", "--result=x"], ""),
        (["compare", "1", "2", "--frmat", "json"], "did you mean “--format”?"),
        (["compare", "1", "2", "--format", "jsn"], "did you mean “json”?"),
        (["health", "--format", "jsno"], "did you mean “json”?"),
        (["health", "--fail-on", "eror"], "did you mean “error”?"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_nearest_one(
    words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = said(capsys, *words)
    assert status == (2 if hint else status) and hint in err


@pytest.mark.parametrize("command", ["check", "health", "list", "export --format csv"])
def test_bundles_are_named_as_arguments_or_by_the_option(
    command: str, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [str(path) for path in sorted(results.iterdir())]
    as_paths = said(capsys, *command.split(), *named)
    assert as_paths[0] == 0
    by_option = [word for path in named for word in ("--results", path)]
    assert said(capsys, *command.split(), *by_option) == as_paths
    assert said(capsys, *command.split(), named[0], "--results", named[1]) == as_paths
    if command != "health":  # it has no finding in either
        assert said(capsys, *command.split(), named[0]) != as_paths


def test_a_query_is_followed_by_bundles(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(results / "09.00.json")
    shown = said(capsys, "show", "AM62X/latest", path)
    assert shown[0] == 0 and "09.00" in shown[1]
    assert said(capsys, "show", "AM62X/latest", "--results", path) == shown
    assert said(capsys, "show", "am62x/latest/SK/Speed/RATE", path) == shown


@pytest.mark.parametrize(
    ("query", "suggested"),
    [
        ("AM62X/latest/speed", "'AM62X/latest/*/speed'"),
        ("AM62X/latest/rate", "'AM62X/latest/*/*/rate'"),
        ("AM62/09.00/sk", "AM62X/09.00/sk"),
        ("AM62X/09.0/sk", "AM62X/09.00/sk"),
        ("AM62X/09.00/sk/sped/rate", "AM62X/09.00/sk/speed/rate"),
    ],
)
def test_a_query_that_finds_nothing_is_answered_with_queries_that_do(
    query: str, suggested: str, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = said(capsys, "show", query)
    assert (status, out) == (3, "")
    assert "a query is SOC/RELEASE/BOARD/BENCHMARK/METRIC" in err
    tried = [line.split(" show ")[1] for line in err.splitlines() if line.startswith("try: ")]
    assert suggested in tried and len(tried) <= 3
    for each in tried:
        assert said(capsys, "show", each.strip("'"))[0] == 0


def test_a_comparison_takes_the_soc_first_and_parts_in_any_order(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = said(capsys, "compare", "09.00", "09.01", "--soc", "AM62X", "--format", "csv")
    assert usual[0] == 0
    assert said(capsys, "compare", "AM62X", "09.00", "09.01", "--format", "csv") == usual
    either = [
        said(capsys, "compare", old, "09.01", "--format", "csv")
        for old in (
            "09.00,soc=AM62X,board=sk",
            "soc=AM62X,09.00,board=sk",
            "soc=AM62X,board=sk,09.00",
        )
    ]
    assert either == [usual] * 3


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["AM62X", "09.00", "09.01", "--soc", "AM62X"], "perfguide compare OLD NEW --soc SOC"),
        (["results", "09.00", "09.01"], "perfguide compare OLD NEW --soc SOC"),
        (["AM26X", "09.00", "09.01"], "there is no SoC “AM26X” (did you mean “AM62X”?)"),
        (["09.00,09.01", "09.01"], "names 2 releases; write one"),
        (["09.00,chip=AM62X", "09.01"], "“chip=AM62X” is not one of soc=NAME"),
    ],
)
def test_a_comparison_that_cannot_be_meant_says_how_to_write_it(
    words: list[str], hint: str, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = said(capsys, "compare", *words)
    assert status in (2, 3) and hint in err


def test_check_names_a_withdrawn_bundle_its_successor_and_the_reason(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in results.iterdir():
        run = json.loads(path.read_bytes()) | {"runner": {"name": "lab"}}
        path.write_text(json.dumps(run), "utf-8")
    again = json.loads((results / "09.01.json").read_bytes())
    again |= {"id": "again", "supersedes": ["09.01"], "reason": "half its clock"}
    again["created"] = "2026-05-01T00:00:00Z"
    (results / "again.json").write_text(json.dumps(again), "utf-8")
    status, out, _ = said(capsys, "check")
    assert status == 0
    *_, line, summary = out.splitlines()
    assert line == "results/09.01.json: withdrawn by “again”: half its clock"
    assert summary == "2 valid bundles with 2 results; 1 withdrawn by others; none refused"
    assert "withdrawn" not in said(capsys, "check", "--quiet")[1]

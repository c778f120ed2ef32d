"""Judging a middle release with those after it: only where it is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from making import described, plain, result, text

from perfguide.cli.command_line import main
from perfguide.compare.judge import Pair, judge
from perfguide.compare.relative import Side

BEFORE, AFTER = 6, 6


def drawn(seed: int, changed: int, ahead: bool, by: float = 0.2) -> list[bool]:
    """Which of 60 rows are called different; the first ones changed for good by a share."""
    numbers = np.random.default_rng(seed)
    deviations = np.exp(numbers.normal(np.log(0.02), 0.7, 60))
    pairs = []
    for number, deviation in enumerate(deviations):
        moves = numbers.standard_normal(BEFORE + AFTER + 2) * deviation
        moves[BEFORE + 1 :] += np.log1p(by) if number < changed else 0.0
        sides = [Side(round(float(100 * np.exp(move)), 2), step=0.01) for move in moves]
        pairs.append(
            Pair(
                sides[BEFORE],
                sides[BEFORE + 1],
                "family",
                tuple(sides[:BEFORE]),
                0.02,
                "benchmark",
                f"metric {number % 6}",
                upward=1,
                later=tuple(sides[BEFORE + 2 :]) if ahead else (),
            )
        )
    return [judgement.outcome == "different" for judgement in judge(pairs)]


def test_releases_after_show_more_lasting_changes_and_no_more_false_ones() -> None:
    seen, false = {}, {}
    for ahead in (False, True):
        called = [drawn(seed, 8, ahead) for seed in range(20)]
        seen[ahead] = sum(sum(one[:8]) for one in called) / 160
        false[ahead] = sum(sum(one[8:]) for one in called) / max(1, sum(map(sum, called)))
    assert seen[True] > seen[False] + 0.1
    assert false[True] <= 0.05


def test_drawn_nulls_stay_without_alarm() -> None:
    assert sum(any(drawn(seed, 0, True)) for seed in range(40)) <= 2


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One figure that wandered for some releases, then dropped for good."""
    monkeypatch.chdir(tmp_path)
    described(tmp_path / "source/benchmarks")
    (tmp_path / "results").mkdir()
    for number, value in enumerate((100, 104, 97, 102, 98, 87, 86.5, 87.3, 86.8, 87.1)):
        run = plain(result(value=float(value)), id=f"r{number}", sdk__version=f"09.{number:02}")
        (tmp_path / f"results/r{number}.json").write_bytes(text(run))
    return tmp_path


def judged(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    main(["compare", "09.04", "09.05", "--format", "json", *options])
    held: dict[str, Any] = json.loads(capsys.readouterr().out)
    return held


@pytest.mark.usefixtures("archive")
def test_only_the_option_looks_at_later_releases_and_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plainly, ahead = judged(capsys), judged(capsys, "--look-ahead")
    assert (plainly["rows"][0]["verdict"], ahead["rows"][0]["verdict"]) == ("noisy", "regressed")
    assert "the 4 after NEW agree with it" in ahead["rows"][0]["ground"]
    assert any("later releases were looked at" in note for note in ahead["notes"])
    assert not any("later releases" in note for note in plainly["notes"])


def test_a_verdict_without_the_option_is_the_same_with_and_without_later_releases(
    archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = judged(capsys)["rows"][0]
    for number in range(6, 10):
        (archive / f"results/r{number}.json").unlink()
    after = judged(capsys)["rows"][0]
    assert before == after
    assert judged(capsys, "--look-ahead")["rows"][0] == after

"""What ``perfguide compare`` prints of archives with one figure for each row and release."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from making import described, plain, result, text

from perfguide.cli.command_line import main

TOML = """
title = "Net"
chapter = "System"
order = 5
command = "net"
metrics = [
  { name = "throughput", unit = "Mbit/s", better = "higher" },
  { name = "packet_rate", unit = "kPPS", better = "higher" },
  { name = "cpu_load", unit = "%", better = "lower" },
  { name = "lat_*", unit = "ns", better = "lower" },
]
[params.size]
label = "Size"
[[tables]]
id = "all"
title = "Net"
rows = ["size"]
"""

Figures = Mapping[tuple[str, str, int], Sequence[float]]
"""By metric, unit and size the figures of all releases."""


class Archive:
    """A folder with a release for each figure, and the command over the last two."""

    def __init__(
        self, top: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self._top, self._capsys = top, capsys
        monkeypatch.chdir(top)
        described(top / "source/benchmarks", TOML, "net")
        (top / "results").mkdir()

    def last(self, figures: Figures, *options: str) -> tuple[int, str]:
        """The exit status, and what is printed without its line breaks."""
        count = max(map(len, figures.values()))
        for place in range(count):
            results = [
                result(metric, unit, benchmark="net", params={"size": size}, value=own[place])
                for (metric, unit, size), own in figures.items()
            ]
            run = plain(*results, id=f"r{place}", sdk__version=f"09.{place:02}")
            (self._top / f"results/r{place}.json").write_bytes(text(run))
        status = main(["compare", f"09.{count - 2:02}", f"09.{count - 1:02}", *options])
        said = self._capsys.readouterr()
        assert said.err == ""
        return status, " ".join(said.out.split())


@pytest.fixture
def archive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Archive:
    return Archive(tmp_path, capsys, monkeypatch)


def quiet(count: int, rows: int = 24, seed: int = 1) -> dict[tuple[str, str, int], list[float]]:
    """Rows that scatter by half a per cent."""
    numbers = np.random.default_rng(seed)
    return {
        ("throughput", "Mbit/s", 64 + row): [
            round(float(x), 2) for x in (300 + row) * (1 + 0.005 * numbers.standard_normal(count))
        ]
        for row in range(rows)
    }


def test_a_jump_after_eight_equal_releases_ends_with_status_1(archive: Archive) -> None:
    jump = {("lat_mem", "ns", 1): [1.96] * 8 + [9.16]}
    status, out = archive.last(quiet(9) | jump, "--all")
    assert status == 1
    assert "1 regressed" in out and "×4.67 1.96 → 9.16 ns" in out
    assert "8 earlier releases were all equal" in out


def test_nothing_that_is_printed_is_beyond_what_a_person_can_use(archive: Archive) -> None:
    wild = {
        ("lat_wild", "ns", size): [10.0 ** (place % 5) for place in range(9)] for size in (1, 2)
    }
    _, out = archive.last(quiet(9) | wild, "--format", "json")
    seen = [row["detectable"] for row in json.loads(out)["rows"]]
    assert all(size is None or size <= 10 for size in seen) and None in seen


def test_a_load_that_rose_with_its_throughput_and_one_that_fell_with_it(archive: Archive) -> None:
    def run(rates: Sequence[float], packets: Sequence[float], loads: Sequence[float]) -> Figures:
        return quiet(9) | {
            ("throughput", "Mbit/s", 1): [rates[0]] * 8 + [rates[1]],
            ("packet_rate", "kPPS", 1): [packets[0]] * 8 + [packets[1]],
            ("cpu_load", "%", 1): [loads[0]] * 8 + [loads[1]],
        }

    status, out = archive.last(run((18.0, 100.0), (11.0, 59.0), (13.5, 31.7)))
    assert status == 0 and "0 regressed" in out
    status, out = archive.last(run((41.0, 5.8), (62.0, 9.0), (29.0, 11.0)))
    assert status == 1
    # One run: throughput, packets and load are one event, and none of them improved.
    assert "0 improved" in out and "Worse (1)" in out
    assert out.startswith("Do not ship: ")


def test_a_board_that_is_slower_as_a_whole_is_one_event(archive: Archive) -> None:
    figures = quiet(9, rows=47)
    slower = {key: [*own[:-1], round(own[-1] * 0.9, 2)] for key, own in figures.items()}
    status, out = archive.last(slower)
    assert status == 1
    assert "Worse (1)" in out and "47 rows moved together, so they are one event." in out


def test_a_change_beyond_all_reason_has_no_percentage_of_billions(
    archive: Archive,
) -> None:
    figures = quiet(9) | {("throughput", "Mbit/s", 1): [311.0] * 8 + [311_500_000_000.0]}
    _, out = archive.last(figures)
    assert "×1,000,000 and more" in out and "000 %" not in out


def test_drawn_nulls_with_a_shared_level_and_no_past_alarm_nobody(
    tmp_path: Path, archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five samples each, and a board that is 2 % slower as a whole in one of the two releases."""
    numbers = np.random.default_rng(5)
    alarms = 0
    for _ in range(5):
        for release, level in (("10.00", 1.0), ("10.01", 0.98)):
            results: list[dict[str, Any]] = [
                result(
                    "throughput",
                    "Mbit/s",
                    benchmark="net",
                    params={"size": size},
                    samples=[
                        round(float(x), 3)
                        for x in 300 * level * (1 + 0.002 * numbers.standard_normal(5))
                    ],
                )
                for size in range(40)
            ]
            run = plain(*results, id=release, sdk__version=release)
            (tmp_path / f"results/{release}.json").write_bytes(text(run))
        main(["compare", "10.00", "10.01", "--format", "json", "--threshold", "3%"])
        alarms += json.loads(capsys.readouterr().out)["alarms"]
    assert archive and alarms == 0

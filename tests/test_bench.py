"""The bench measures what it says, and its exit status says whether a goal is missed."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_bench_tells_each_figure_and_fails_where_a_goal_is_missed(tmp_path: Path) -> None:
    table = tmp_path / "speed.csv"
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / "run.py", "--size", "quick", "--output", table],
        env=os.environ | {"PYTHONPATH": str(ROOT / "ext")},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert not done.stderr
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    for row in rows:
        measured = float(row["Measured"].split()[0])
        assert measured > 0
        if row["Outcome"] != "—":
            most = float(row["Goal"].removeprefix("at most "))
            assert (row["Outcome"] == "missed") == (measured > most)
    sizes = [row["Size"] for row in rows if row["Figure"].startswith("Writing")]
    assert [size.split()[0] for size in sizes] == ["2", "2", "4", "4"]
    assert any(row["Figure"].startswith("Decode") for row in rows)
    missed = any(row["Outcome"] == "missed" for row in rows)
    assert done.returncode == (1 if missed else 0)

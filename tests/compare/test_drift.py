"""Samples that drift within a run are warned of; those in any order are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from making import described, plain, result, text

from perfguide.cli.command_line import main


def upload(folder: Path, release: str, samples: np.ndarray[Any, Any]) -> None:
    results = [
        result(params={"block_size": 2**size}, samples=[round(float(x), 3) for x in own])
        for size, own in enumerate(samples)
    ]
    run = plain(*results, id=release, sdk__version=release)
    (folder / f"results/{release}.json").write_bytes(text(run))


def wandering(numbers: np.random.Generator, rows: int, count: int, keeps: float) -> Any:
    """Samples of rows, each of which keeps a part of the one before it."""
    out = np.empty((rows, count))
    out[:, 0] = numbers.standard_normal(rows)
    for place in range(1, count):
        fresh = numbers.standard_normal(rows)
        out[:, place] = keeps * out[:, place - 1] + (1 - keeps**2) ** 0.5 * fresh
    return 100 + 2 * out


@pytest.fixture
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    described(tmp_path / "source/benchmarks")
    (tmp_path / "results").mkdir()
    return tmp_path


@pytest.mark.parametrize(("keeps", "count"), [(0.9, 5), (0.9, 10), (0.0, 5), (0.0, 20)])
def test_only_samples_that_drift_are_warned_of(
    farm: Path, capsys: pytest.CaptureFixture[str], keeps: float, count: int
) -> None:
    numbers = np.random.default_rng(3)
    for release in ("09.01", "09.02"):
        upload(farm, release, wandering(numbers, 20, count, keeps))
    main(["compare", "09.01", "09.02"])
    out = " ".join(capsys.readouterr().out.split())
    assert ("sk, Speed: samples drift within a run" in out) == (keeps > 0)

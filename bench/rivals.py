"""benchstat and asv, run on simulated samples."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from asv import _stats
from asv.commands import compare
from asv_runner.statistics import compute_stats
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# A fixed version, so that figures can be reproduced.
BENCHSTAT = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"


def benchstat(folder: Path) -> Path | None:
    """Install benchstat into a folder and return its path; ``None`` if Go is missing."""
    go = shutil.which("go")
    if go is None:
        return None
    program = folder / "benchstat"
    if not program.exists():
        environment = {**os.environ, "GOBIN": str(folder.resolve())}
        subprocess.run([go, "install", BENCHSTAT], check=True, env=environment)
    return program


def benchstat_p(program: Path, old: Floats, new: Floats, folder: Path) -> list[str]:
    """Return the p-values printed by benchstat, with three decimals, one for each row."""
    files = []
    for name, values in (("old.txt", old), ("new.txt", new)):
        lines = [
            f"BenchmarkRow{i} 1 {value!r} ns/op\n"
            for i, samples in enumerate(values.tolist())
            for value in samples
        ]
        files.append(folder / name)
        files[-1].write_text("".join(lines))
    done = subprocess.run(
        [program, "-format", "csv", *files], check=True, capture_output=True, text=True
    )
    p_by_row: dict[str, str] = {}
    for line in csv.reader(done.stdout.splitlines()):
        if line and line[0].startswith("Row"):
            p_by_row[line[0]] = line[-1].split()[0].removeprefix("p=")
    return [p_by_row[f"Row{i}"] for i in range(len(old))]


def asv_p(old: Floats, new: Floats) -> Floats:
    """Return the p-values by which asv decides, from asv's own function."""
    pairs = zip(old.tolist(), new.tolist(), strict=True)
    return np.array([_u_test(a, b)[1] for a, b in pairs])


_ASV_TEST = _stats.mann_whitney_u
_P: dict[tuple[int, int, float], float] = {}


def _u_test(a: list[float], b: list[float], method: str = "auto") -> tuple[float, float]:
    """Run asv's own test once for each value of its statistic: it takes 10 ms with 20 samples."""
    u = _stats.mann_whitney_u_u(a, b)
    key = (len(a), len(b), u)
    # With ties, the p-value depends on more than the statistic.
    if len({*a, *b}) < len(a) + len(b):
        return _ASV_TEST(a, b, method)  # type: ignore[no-any-return]
    if key not in _P:
        _P[key] = _ASV_TEST(a, b, method)[1]
    return u, _P[key]


def asv_decides(old: Floats, new: Floats) -> NDArray[np.bool_]:
    """Return which rows ``asv compare`` marks as changed at its defaults, by its own functions."""
    out = []
    # asv has no option for it, and its own test would take most of the time.
    _stats.mann_whitney_u = _u_test
    try:
        for a, b in zip(old.tolist(), new.tolist(), strict=True):
            (first, one), (second, two) = compute_stats(a, 1), compute_stats(b, 1)
            ways = ((first, second, (one, a), (two, b)), (second, first, (two, b), (one, a)))
            out.append(any(compare._is_result_better(*way, 1.1) for way in ways))
    finally:
        _stats.mann_whitney_u = _ASV_TEST
    return np.array(out)


def asv_project(folder: Path, rows: Sequence[str]) -> None:
    """Write the files that asv needs beside the repository and its results: the machine, one
    benchmark with the rows as values of a parameter, and the settings."""
    machine = {"machine": "farm", "version": 1}
    _write(folder / "results" / "farm" / "machine.json", machine)
    described = {
        "name": "bench.row", "code": "", "version": "1", "type": "time", "unit": "seconds",
        "param_names": ["row"], "params": [list(rows)], "number": 1, "timeout": 60,
    }  # fmt: skip
    _write(folder / "results" / "benchmarks.json", {"bench.row": described, "version": 2})
    settings = {
        "version": 1, "project": "bench", "repo": "repository", "branches": ["main"],
        "results_dir": "results", "environment_type": "existing",
    }  # fmt: skip
    _write(folder / "asv.conf.json", settings)


def asv_compare(old: Floats, new: Floats, folder: Path) -> NDArray[np.bool_]:
    """Return which rows ``asv compare`` marks as changed at its defaults.

    Writes a repository with two commits and the result files of both, as left by ``asv run``: one
    benchmark with the rows as values of a parameter.
    """
    # A repository of an earlier call would have other commits.
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "results" / "farm").mkdir(parents=True)
    repository = folder / "repository"
    git = ["git", "-C", str(repository), "-c", "user.name=bench", "-c", "user.email=bench"]
    subprocess.run(["git", "init", "-q", "-b", "main", str(repository)], check=True)
    commits = []
    for name in ("old", "new"):
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", name], check=True)
        head = subprocess.run(
            [*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
        )
        commits.append(head.stdout.strip())
    rows = [str(i) for i in range(len(old))]
    for commit, values in zip(commits, (old, new), strict=True):
        _write(
            folder / "results" / "farm" / f"{commit[:8]}-env.json", _results(commit, rows, values)
        )
    asv_project(folder, rows)
    command = [sys.executable, "-m", "asv", "compare", "--machine", "farm", *commits]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    marks: dict[int, bool] = {}
    for line in done.stdout.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 5 and cells[4].startswith("bench.row("):
            marks[int(cells[4][len("bench.row(") : -1])] = cells[0] in ("+", "-")
    return np.array([marks[i] for i in range(len(old))])


def _results(commit: str, rows: Sequence[str], values: Floats) -> dict[str, object]:
    computed = [compute_stats(samples, 1) for samples in values.tolist()]
    names = ("ci_99_a", "ci_99_b", "q_25", "q_75", "number", "repeat")
    columns = ["result", "params", "version", *(f"stats_{name}" for name in names), "samples"]
    stats = [[one[name] for _, one in computed] for name in names]
    result = [[value for value, _ in computed], [list(rows)], "1", *stats, values.tolist()]
    return {
        "commit_hash": commit, "env_name": "env", "date": 0, "params": {"machine": "farm"},
        "python": "", "requirements": {}, "env_vars": {}, "result_columns": columns,
        "results": {"bench.row": result}, "durations": {}, "version": 2,
    }  # fmt: skip


def _write(path: Path, data: object) -> None:
    path.write_text(json.dumps(data))

"""``asv publish`` on as many results as a site of ours has."""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import rivals
from measuring import Cost, Figure, least, ran


def write(folder: Path, commits: int, results: int, seed: int = 1) -> None:
    """Write a repository with that many commits, and for each a result file as left by ``asv run``:
    one figure for each row, without samples."""
    (folder / "results" / "farm").mkdir(parents=True)
    rows = [str(row) for row in range(results)]
    rivals.asv_project(folder, rows)
    hashes = _repository(folder / "repository", commits)
    chance = random.Random(seed)
    for number, commit in enumerate(hashes):
        values = [round(1 + row / 100 + chance.uniform(-0.03, 0.03), 6) for row in range(results)]
        results_file = {
            "commit_hash": commit,
            "env_name": "env",
            # asv counts in milliseconds.
            "date": (1_700_000_000 + number * 86_400) * 1000,
            "params": {"machine": "farm"},
            "python": "",
            "requirements": {},
            "env_vars": {},
            "result_columns": ["result", "params", "version"],
            "results": {"bench.row": [values, [rows], "1"]},
            "durations": {},
            "version": 2,
        }
        path = folder / "results" / "farm" / f"{commit[:12]}-env.json"
        path.write_text(json.dumps(results_file), "utf-8")


def _repository(folder: Path, commits: int) -> list[str]:
    """Make a repository of empty commits, a day apart; return their hashes, the oldest first."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    lines = []
    for number in range(commits):
        when = f"bench <bench> {1_700_000_000 + number * 86_400} +0000"
        lines += ["commit refs/heads/main", f"author {when}", f"committer {when}", "data 1", "c"]
        lines += [""]
    # One process writes all commits; git commit would need some for each.
    git = ["git", "-C", str(folder)]
    subprocess.run(
        [*git, "fast-import", "--quiet"], input="\n".join(lines) + "\n", check=True, text=True
    )
    listed = ["rev-list", "--reverse", "main"]
    done = subprocess.run([*git, *listed], check=True, capture_output=True, text=True)
    return done.stdout.split()


def published(commits: int, results: int, turns: int) -> Cost:
    """Return the cost of ``asv publish``."""
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given, "asv")
        write(folder, commits, results)
        cost = least([ran(["-m", "asv", "publish"], folder) for _ in range(turns)])
        graphs = (folder / "html" / "graphs").rglob("bench.row.json")
        # asv also writes a summary under the same name.
        graph = next(path for path in graphs if "summary" not in path.parts)
        points = json.loads(graph.read_bytes())
        # A program that publishes nothing would look fast.
        if [len(values) for _, values in points] != [results] * commits:
            raise RuntimeError("asv did not publish all results")
        return cost


def figures(sizes: Sequence[tuple[int, int]], turns: int) -> list[Figure]:
    """Return a figure for each size: a number of releases, or commits, and of results of each."""
    out = []
    for commits, results in sizes:
        cost = published(commits, results, turns)
        size = f"{commits} commits of {results} results, {commits * results} in all"
        out.append(Figure("asv publish: CPU", size, cost.cpu, "s"))
        out.append(Figure("asv publish: memory", size, cost.memory, "MiB"))
    return out

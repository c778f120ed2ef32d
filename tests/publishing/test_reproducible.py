"""The same bundles give the same bytes, wherever and however the site is built."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import GENERATED, TOP, copy_project, sample_results
from debian import program
from test_builds import command, differing, environment, tree


def shuffled(source: Path, target: Path, seed: int) -> Path:
    """A copy whose files came in another order and have other times."""
    chance = random.Random(seed)
    files = [path for path in source.rglob("*") if path.is_file()]
    chance.shuffle(files)
    for path in files:
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        time = chance.randrange(1_000_000_000, 1_700_000_000)
        os.utime(copy, (time, time))
    (target / "ext").symlink_to(TOP / "ext")
    return target


def run_build(project: Path, *options: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Build in a fresh process, as an interpreter reads some variables when it starts."""
    return subprocess.run(
        command(*options),
        cwd=project,
        env=environment(**changes),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def turkish(tmp_path: Path) -> dict[str, str]:
    """A locale with its own rules for capital letters, commas and sorting."""
    folder = tmp_path / "locales"
    folder.mkdir()
    made = folder / "tr_TR.UTF-8"
    source = Path("/usr/share/i18n/locales/tr_TR")
    if not source.exists():
        program("validlocale", "locales")
    subprocess.run(
        [program("localedef"), "-i", "tr_TR", "-f", "UTF-8", made], check=True, capture_output=True
    )
    return {"LOCPATH": str(folder), "LC_ALL": "tr_TR.UTF-8"}


def test_folder_locale_zone_hash_seed_jobs_order_and_times_do_not_show(
    tmp_path: Path, turkish: dict[str, str]
) -> None:
    first = copy_project(tmp_path / "first")
    shutil.rmtree(first / "results")
    sample_results(first / "results")
    second = shuffled(first, tmp_path / "другой путь" / "deep er", 1)
    epoch = {"SOURCE_DATE_EPOCH": "1700000000"}
    one = {"LC_ALL": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "0"}
    two = {**turkish, "TZ": "America/St_Johns", "PYTHONHASHSEED": "4242"}
    # Drawing for paper is slow, and these have every kind and size of chart.
    few = ("--results", "results/AM335X", "--results", "results/AM62X")
    for builder, taken in (("html", ()), ("latex", few)):
        choice = ("--builder", builder, *taken)
        run = run_build(first, *choice, "-j1", **epoch, **one)
        assert run.returncode == 0, run.stderr
        run = run_build(second, *choice, "-j2", **epoch, **two)
        assert run.returncode == 0, run.stderr
        sites = [tree(project / "build" / builder) for project in (first, second)]
        assert differing(*sites) == set()
        suffixes = {Path(name).suffix for name in sites[0]}
        assert suffixes >= ({".html", ".svg", ".csv"} if builder == "html" else {".tex", ".pdf"})
        for name, content in sites[0].items():
            for folder in (first, TOP):
                assert str(folder).encode() not in content, name
        generated = [
            {name: data for name, data in tree(p / "source").items() if name.startswith(GENERATED)}
            for p in (first, second)
        ]
        assert differing(*generated) == set()
    # Pictures for paper beside those for screens change nothing on the screen.
    again = run_build(first, "--builder", "html", **epoch, **two)
    assert again.returncode == 0
    assert tree(first / "build/html") == tree(second / "build/html")

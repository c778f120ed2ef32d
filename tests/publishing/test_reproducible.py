"""The same bundles give the same bytes, wherever and however the site is built."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import GENERATED, TOP, bare_project, sample_results
from debian import program
from prepared import run_module
from test_builds import differing, environment, tree


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


def run_build(
    project: Path, *options: str, start: dict[str, str], **changes: str
) -> subprocess.CompletedProcess[str]:
    """Build in a process that was forked from one started with some variables, as an interpreter
    reads them when it starts."""
    known = environment(**start, **changes)
    words = ("build", "-v", *options)
    return run_module("perfguide", *words, environment=known, folder=project, start=start)


def made(project: Path, other: str) -> dict[str, bytes]:
    """All that was generated but pictures with the suffix of another builder, of which the
    manifest may speak."""
    files = {
        name: data
        for name, data in tree(project / "source").items()
        if name.startswith(GENERATED) and not name.endswith(other)
    }
    lines = files["reports/manifest.json"].splitlines()
    named = [line for line in lines if not line.rstrip(b'",').endswith(other.encode())]
    assert len(named) > 100
    return files | {"reports/manifest.json": b"\n".join(named)}


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
    first = bare_project(tmp_path / "first")
    shutil.rmtree(first / "results")
    sample_results(first / "results")
    second = shuffled(first, tmp_path / "другой путь" / "deep er", 1)
    epoch = {"SOURCE_DATE_EPOCH": "1700000000"}
    # Forked from the process of other tests, whose seed is another in each run.
    one = {"LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu"}
    two = {**turkish, "TZ": "America/St_Johns", "PYTHONHASHSEED": "4242"}
    # These have two releases to compare, and charts.
    few = ("--results", "results/AM335X")
    # One project has pictures for paper beside those for screens when it builds for screens.
    turns = (
        (first, "-j1", {}, epoch | one, ("html", "latex")),
        (second, "-j2", epoch | two, {}, ("latex", "html")),
    )
    built: dict[str, list[dict[str, bytes]]] = {"html": [], "latex": []}
    generated: dict[str, list[dict[str, bytes]]] = {"html": [], "latex": []}
    for project, jobs, start, changes, builders in turns:
        for builder in builders:
            options = ("--builder", builder, *few, jobs)
            run = run_build(project, *options, start=start, **changes)
            assert run.returncode == 0, run.stderr
            built[builder].append(tree(project / "build" / builder))
            generated[builder].append(made(project, ".pdf" if builder == "html" else ".svg"))
    for builder, wanted in (("html", {".html", ".svg", ".csv"}), ("latex", {".tex", ".pdf"})):
        assert differing(*built[builder]) == set()
        assert differing(*generated[builder]) == set()
        assert {Path(name).suffix for name in built[builder][0]} >= wanted
        for name, content in built[builder][0].items():
            for folder in (first, TOP):
                assert str(folder).encode() not in content, name
    assert list((second / "source").rglob("*.pdf")), "beside the pictures for screens"

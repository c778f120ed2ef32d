"""What an upload would make is counted before anything is written, and refused where it is too much."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from making import ROOT, plain, result

from perfguide.bundles import object_store
from perfguide.bundles.containers import Source
from perfguide.bundles.decode import Loaded, upload
from perfguide.bundles.decompress import Limits, changed
from perfguide.bundles.page_estimate import FILES_OF_FIGURE, PageEstimate
from perfguide.common.diagnostics import Diagnostic

LIMITS = Limits()


def read(
    path: Path, bundles: list[dict[str, Any]], limits: Limits = LIMITS
) -> tuple[int, list[Diagnostic]]:
    """How many bundles an upload of some gives, and what is said of it."""
    path.write_text(json.dumps(bundles), "utf-8")
    items = list(upload(Source(str(path.parent), path.name, path), limits))
    loaded = [item for item in items if isinstance(item, Loaded)]
    return len(loaded), [item for item in items if isinstance(item, Diagnostic)]


def numbered(field: str, count: int) -> list[dict[str, Any]]:
    """Bundles with one result each, of which one field has a value of its own."""
    return [plain(id=f"run-{n}", **{field: f"x{n}"}) for n in range(count)]


EXCESSIVE = {
    "benchmarks": ([plain(*(result(benchmark=f"b{n}") for n in range(3000)))], "files"),
    "parameters": ([plain(*(result(params={f"k{n}": n}) for n in range(1600)))], "files"),
    "releases": (numbered("sdk__version", 400), "files"),
    "SoCs": (numbered("board__soc", 400), "files"),
    "notes": (
        [
            plain(
                *(result(benchmark=f"b{n % 300}", params={"n": n}) for n in range(1200)),
                notes=[{"text": f"{n} {'x' * 80}"} for n in range(1200)],
            )
        ],
        "copied",
    ),
    "facts": (
        [
            plain(
                *(result(params={"n": n}) for n in range(1200)),
                setup={f"fact {n} {'x' * 80}": n for n in range(600)},
            )
        ],
        "copied",
    ),
    "withdrawals": (
        [plain(id=f"run-{n}", supersedes=[f"run-{m}" for m in range(200)]) for n in range(60)],
        "withdrawals",
    ),
}


@pytest.mark.parametrize("name", EXCESSIVE)
def test_what_makes_too_much_is_refused_with_count_limit_and_setting(
    name: str, tmp_path: Path
) -> None:
    bundles, limit = EXCESSIVE[name]
    taken, findings = read(tmp_path / "a.json", bundles)
    assert taken < len(bundles)
    assert [(d.kind, d.severity) for d in findings] == [("limit", "error")]
    assert f"where the limit “{limit}”" in findings[0].message
    assert any(word.replace(",", "").isdigit() for word in findings[0].message.split())
    assert "perfguide_limits or --limit" in findings[0].hint
    raised = changed({limit: 10**9})
    assert read(tmp_path / "a.json", bundles, raised) == (len(bundles), [])


def test_words_of_a_run_do_not_count_for_each_figure(tmp_path: Path) -> None:
    results = [result(params={"n": n}) for n in range(1200)]
    notes = [{"text": f"{n} {'x' * 80}"} for n in range(1200)]
    setup = {f"fact {n}": "x" * 80 for n in range(600)}
    assert read(tmp_path / "a.json", [plain(*results, notes=notes, setup=setup)]) == (1, [])


def test_an_upload_with_more_figures_may_make_more(tmp_path: Path) -> None:
    few = [result(benchmark=f"b{n}") for n in range(400)]
    more = [result(benchmark=f"b{n % 400}", params={"n": n}) for n in range(4000)]
    assert read(tmp_path / "a.json", [plain(*few)])[0] == 0
    assert read(tmp_path / "b.json", [plain(*more)])[0] == 1


def test_boards_and_runs_of_one_guide_make_no_more_files(tmp_path: Path) -> None:
    results = [result(benchmark=f"b{n}") for n in range(100)]
    bundles = [plain(*results, id=f"run-{n}", board__name=f"board {n}") for n in range(100)]
    assert read(tmp_path / "a.json", bundles) == (100, [])


def test_results_of_boards_are_far_from_all_limits() -> None:
    """All of the project's own as one upload: a fifth of what it may make at most."""
    boundless = Limits(files=10**9, copied=10**9, withdrawals=10**9)
    folder = ROOT / "results"
    sources, _, _ = object_store.find((folder,), folder, boundless, lambda items, _label: items)
    estimate = PageEstimate(boundless)
    for source in sources:
        for item in upload(source, boundless):
            if isinstance(item, Loaded):
                estimate.add(item.bundle, item.results.columns)
    assert estimate.figures > 1000
    assert estimate.files < (LIMITS.files + FILES_OF_FIGURE * estimate.figures) / 5
    assert estimate.copied < LIMITS.copied / 5

"""The CSV that programs take is tidy for each kind of table on any page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest
from conftest import sample_results
from making import ROOT, SHIPPED, plain, text

from perfguide.common import parallel
from perfguide.figures.dataset import Settings
from perfguide.pages.build import generate

NAMES = ("Run", "Releases", "Value")
"""Columns of names, some of which look like numbers: a run has a number or is the mean."""
PAGES = ("guides", "by-benchmark", "compare", "reports")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a sample, with a run that failed, one that was withdrawn, and odd names."""
    folder = tmp_path_factory.mktemp("tidy")
    results = sample_results(folder / "results")
    copy = {"benchmark": "stream", "metric": "copy", "unit": "MB/s"}
    odd = {"benchmark": "=odd", "metric": "- 1.5", "unit": "%", "params": {"a|b": "*x*", "n": -20}}
    for number, bundle in enumerate(
        (
            plain(copy | {"samples": [1.0, 2.5, 6.0]}, odd | {"value": -1.5}, id="run-1"),
            plain(copy | {"status": "fail"}, id="run-2", board__name="lp"),
            plain(copy | {"value": 0.0}, id="run-3", sdk__version="09.02"),
            plain(copy | {"status": "fail"}, id="run-4", sdk__version="09.03"),
            plain(copy | {"value": 7.0}, id="run-5", supersedes=["run-3"], reason="A worn card")
            | {"created": "2024-05-02T09:30:00Z"},
            plain(copy | {"samples": [5.0, 6.0, 7.0]}, id="old", board__soc="S1"),
            plain(
                copy | {"samples": [7.0, 7.5, 9.0]}, id="new", board__soc="S1", sdk__version="09.02"
            ),
        )
    ):
        (results / f"own-{number}.json").write_bytes(text(bundle))
    boards = ROOT / "source" / "boards.toml"
    generate(
        Settings((results,), (SHIPPED,), folder / "out", formats=(), boards=boards),
        run=parallel.here,
    )
    return folder / "out"


def data_files(sources: Path) -> list[Path]:
    return [path for name in PAGES for path in sorted((sources / name).rglob("*.data.csv"))]


def test_each_table_of_a_page_has_a_file_for_programs(sources: Path) -> None:
    shown = 0
    for page in (path for name in PAGES for path in (sources / name).rglob("*.rst")):
        source = page.read_text("utf-8")
        for line in source.splitlines():
            name = line.strip()
            if name.startswith(":file: "):
                table = name.removeprefix(":file: ")
                data = f"{table.removesuffix('.csv')}.data.csv"
                assert (page.parent / table).is_file()
                if f":download:`All of this for programs (JSON) <{page.stem}/" in source:
                    continue  # the figures' provenance is in that one file
                assert (page.parent / data).is_file()
                assert f":download:`CSV <{data}>`" in source
                shown += 1
    assert shown > 80


def test_pandas_reads_each_without_an_option_as_names_and_numbers(sources: Path) -> None:
    files = data_files(sources)
    assert len(files) > 80
    for path in files:
        with path.open(encoding="utf-8", newline="") as file:
            head = next(csv.reader(file))
        frame = pd.read_csv(path)
        assert list(frame.columns) == head, f"{path}: names that are empty or not unique"
        assert not any("\u2191" in name or "\u2193" in name for name in head), path
        for name, column in frame.items():
            if pd.api.types.is_numeric_dtype(column) or name in NAMES:
                continue
            texts = column.dropna().astype(str)
            numbers = pd.to_numeric(texts, errors="coerce").notna()
            assert numbers.all() or not numbers.any(), (path, name, set(texts[~numbers]))
            assert not texts.isin(["\u2014", "failed"]).any(), (path, name)


def test_missing_failed_and_zero_are_three_things(sources: Path) -> None:
    (path,) = (sources / "by-benchmark/stream").glob("*am62x-linux*.data.csv")
    frame = pd.read_csv(path)
    failed = [name for name in frame.columns if name.endswith("failed runs")]
    assert failed and all(name.removesuffix(", failed runs") in frame.columns for name in failed)


def test_a_comparison_has_both_sides_with_their_spread(sources: Path) -> None:
    frames = [pd.read_csv(path) for path in (sources / "compare").rglob("*.data.csv")]
    rows = [frame for frame in frames if {"Old", "New"} <= set(frame.columns)]
    assert rows
    columns = {name for frame in rows for name in frame.columns}
    spread = {f"{side}, {what}" for side in ("Old", "New") for what in ("min", "max", "samples")}
    assert spread <= columns
    for frame in rows:
        both = frame.dropna(subset=["Old", "New", "Change (%)"])
        expected = (both["New"] / both["Old"] - 1) * 100
        assert both["Change (%)"].tolist() == pytest.approx(expected.tolist(), rel=1e-5)


def test_a_page_has_one_file_besides_pictures_and_csv(sources: Path) -> None:
    pages = [path for name in PAGES for path in (sources / name).rglob("*.rst")]
    for page in pages:
        folder = page.with_suffix("") if page.name.count(".") == 1 else page.parent / page.stem
        files = [path.name for path in folder.glob("*") if path.is_file()]
        others = [n for n in files if not n.endswith((".csv", ".svg", ".pdf", ".rst", ".json"))]
        assert others in ([], ["figures.js"]), page
    for guide in (sources / "guides").rglob("figures.js"):
        files = [path for path in guide.parent.rglob("*") if path.is_file()]
        assert len([p for p in files if p.suffix not in (".csv", ".svg", ".pdf")]) <= 14
        json.loads(guide.read_bytes().removeprefix(b"perfguideFigures="))

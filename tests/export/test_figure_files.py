"""CSV, JSON, Excel and Parquet of one export have the same columns and the same figures."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.dataset as ds
import pytest
from conftest import TOP

from perfguide.cli.command_line import main
from perfguide.common import csv_text
from perfguide.export import figure_files, figure_rows
from perfguide.export.figure_rows import FIGURES, RUNS

NAMES = [column.name for column in FIGURES.columns]
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RESULTS = [
    {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "samples": [0.1, 0.2, 0.4]},
    {"benchmark": "stream", "metric": "scale", "unit": "MB/s", "status": "fail"},
    {"benchmark": "=1+1", "metric": "m", "unit": "s", "params": {"a": "ü"}, "value": 0},
]


@pytest.fixture
def results(write_bundle: Callable[..., Path], tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    write_bundle(folder / "1.json", RESULTS, id="one", board__cpu_mhz=1400)
    write_bundle(folder / "2.json", RESULTS[:1], id="two", sdk__version="09.10")
    return folder


def _csv(data: bytes) -> list[dict[str, Any]]:
    """The rows of a CSV file, with the types that JSON has."""
    rows = []
    for line in csv.DictReader(io.StringIO(data.decode())):
        row: dict[str, Any] = {}
        for column in FIGURES.columns:
            text = csv_text.plain(line[column.name])
            row[column.name] = text
            if column.kind in ("number", "integer"):
                row[column.name] = json.loads(text) if text else None
            elif column.kind == "array" or column.name in FIGURES.objects:
                empty = "[]" if column.kind == "array" else "{}"
                row[column.name] = json.loads(text or empty)
        rows.append(row)
    return rows


def _excel(data: bytes) -> list[list[str]]:
    book = zipfile.ZipFile(io.BytesIO(data))
    tree = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    assert not list(tree.iter(f"{MAIN}f")), "a formula"
    lines = []
    for row in tree.iter(f"{MAIN}row"):
        line = [""] * len(NAMES)
        for cell in row.iter(f"{MAIN}c"):
            letters = re.sub("[0-9]", "", cell.attrib["r"])
            place = 0
            for letter in letters:
                place = 26 * place + ord(letter) - 64
            line[place - 1] = "".join(cell.itertext())
        lines.append(line)
    return lines


def test_every_format_has_the_same_columns_and_figures(results: Path, tmp_path: Path) -> None:
    for name in ("all.csv", "all.json", "all.xlsx", "all"):
        assert main(["export", str(results), "-o", str(tmp_path / name)]) == 0
    rows = json.loads((tmp_path / "all.json").read_bytes())
    assert len(rows) == 4 and all(list(row) == NAMES for row in rows)
    assert _csv((tmp_path / "all.csv").read_bytes()) == rows
    head, *lines = _excel((tmp_path / "all.xlsx").read_bytes())
    assert head == NAMES and len(lines) == 4
    assert [line[NAMES.index("benchmark")] for line in lines] == [r["benchmark"] for r in rows]
    means = [line[NAMES.index("mean")] for line in lines]
    assert means == ["" if r["mean"] is None else f"{r['mean']:.16g}" for r in rows]
    table = ds.dataset(tmp_path / "all", partitioning="hive").to_table()
    assert {*table.column_names} == {*NAMES, "param"}
    key = ("release", "benchmark", "metric", "mean", "samples", "bundles", "setup")
    in_parquet = [[row[name] for name in key] for row in table.to_pylist()]
    in_json = [[*(row[n] for n in key[:-1]), figure_rows.text(row["setup"])] for row in rows]
    assert sorted(in_parquet, key=str) == sorted(in_json, key=str)
    (zero,) = [row for row in rows if row["benchmark"] == "=1+1"]
    assert (zero["mean"], zero["params"], zero["bundles"]) == (0, {"a": "ü"}, ["one"])
    (failed,) = [row for row in rows if row["failed"]]
    assert failed["mean"] is None and failed["samples"] == []


def test_every_format_has_the_same_runs_which_figures_name(results: Path, tmp_path: Path) -> None:
    for name in ("runs.csv", "runs.json", "runs.xlsx", "runs"):
        assert main(["export", str(results), "--runs", "-o", str(tmp_path / name)]) == 0
    names = [column.name for column in RUNS.columns]
    runs = json.loads((tmp_path / "runs.json").read_bytes())
    assert [run["bundle"] for run in runs] == ["one", "two"]
    assert all(list(run) == names for run in runs)
    assert (runs[0]["cpu_mhz"], runs[0]["guide"]) == (1400, "SOC1/linux/09.02")
    lines = list(csv.DictReader(io.StringIO((tmp_path / "runs.csv").read_text("utf-8"))))
    assert [line["sha256"] for line in lines] == [run["sha256"] for run in runs]
    head, *_ = _excel((tmp_path / "runs.xlsx").read_bytes())
    assert head[: len(names)] == names
    table = ds.dataset(tmp_path / "runs", partitioning="hive").to_table()
    assert {*table.column_names} == {*names}
    assert sorted(table["bundle"].to_pylist()) == ["one", "two"]
    assert main(["export", str(results), "-o", str(tmp_path / "all.json")]) == 0
    figures = json.loads((tmp_path / "all.json").read_bytes())
    known = {(run["guide"], run["bundle"]) for run in runs}
    assert {(each["guide"], name) for each in figures for name in each["bundles"]} == known


def test_csv_and_json_are_printed_where_no_file_is_named(
    results: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["export", str(results), "--format", "csv"]) == 0
    assert len(_csv(capfdbinary.readouterr().out)) == 4
    assert main(["export", "--results", str(results), "--format", "json"]) == 0
    assert len(json.loads(capfdbinary.readouterr().out)) == 4


def test_an_export_to_nowhere_says_what_to_write(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(results)]) == 2
    assert "-o figures.csv" in capsys.readouterr().err
    assert main(["export", str(results), "--format", "excel"]) == 2
    assert "-o figures.xlsx" in capsys.readouterr().err


def test_more_figures_than_a_sheet_has_rows_are_refused(
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(figure_files, "MAX_SHEET_ROWS", 4)
    assert main(["export", str(results), "-o", str(tmp_path / "all.xlsx")]) == 2
    assert "4 figures are more than the 3 rows of a sheet" in capsys.readouterr().err
    assert not (tmp_path / "all.xlsx").exists()


def test_every_column_is_documented() -> None:
    text = (TOP / "source/data.rst").read_text("utf-8")
    for name in (*NAMES, *(column.name for column in RUNS.columns)):
        assert f"``{name}``" in text, name

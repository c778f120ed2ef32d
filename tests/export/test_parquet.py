"""The Parquet dataset, read by two engines that know nothing of us."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from conftest import TOP

from perfguide.cli.command_line import main
from perfguide.figures import dataset

RESULTS = [
    {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "samples": [0.1, 0.2, 0.4]},
    {"benchmark": "stream", "metric": "add", "unit": "MB/s", "value": 5.5, "min": 1, "max": 9},
    {"benchmark": "stream", "metric": "scale", "unit": "MB/s", "status": "fail"},
    {"benchmark": "x", "metric": "m", "unit": "s", "params": {"b": 1, "a": "ü"}, "samples": [0]},
]
NAMED = ds.partitioning(
    pa.schema([("soc", pa.string()), ("os", pa.string()), ("release", pa.string())]),
    flavor="hive",
)


@pytest.fixture
def results(write_bundle: Callable[..., Path], tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    odd = {"board__soc": "A/B ü%=..", "sdk__version": "10"}
    write_bundle(folder / "1.json", RESULTS, id="one")
    write_bundle(folder / "2.json", RESULTS[:1], id="two", sdk__version="09.10")
    write_bundle(folder / "3.json", RESULTS[:1], id="three", sdk__os="rt-linux", **odd)
    return folder


def export(results: Path, folder: Path) -> int:
    return main(["export", "--results", str(results), "--parquet", str(folder)])


def digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def test_both_engines_read_every_result_as_it_was_uploaded(results: Path, tmp_path: Path) -> None:
    assert export(results, tmp_path / "out") == 0
    frame = dataset.read(dataset.Settings((results,), (), Path())).pool.frame
    params = [frame.params.distinct[code] for code in frame.params.codes.tolist()]
    samples = map(frame.samples.of, range(len(frame.table)))
    wanted = [
        (row.soc, row.os, row.release, row.metric, own, numbers or None, bool(row.failed))
        for row, own, numbers in zip(frame.table.itertuples(), params, samples, strict=True)
    ]
    names = ["soc", "os", "release", "metric", "params", "samples", "failed"]
    found = ds.dataset(tmp_path / "out", partitioning=NAMED).to_table(columns=names)
    by_arrow = [tuple(row.values()) for row in found.to_pylist()]
    files = f"'{tmp_path}/out/**/*.parquet', hive_partitioning = true, hive_types_autocast = false"
    by_duckdb = duckdb.sql(f"select {', '.join(names)} from read_parquet({files})").fetchall()

    def plain(rows: list[Any]) -> list[Any]:
        return [(*r[:5], None if r[5] is None else tuple(r[5]), r[6]) for r in rows]

    assert sorted(plain(by_arrow), key=repr) == sorted(wanted, key=repr)
    assert sorted(plain(by_duckdb), key=repr) == sorted(wanted, key=repr)
    assert {row[0] for row in by_duckdb} == {"SOC1", "A/B ü%=.."}
    assert {row[2] for row in by_duckdb} == {"09.02", "09.10", "10"}


def test_missing_failed_and_zero_are_three_things(results: Path, tmp_path: Path) -> None:
    export(results, tmp_path / "out")
    files = f"'{tmp_path}/out/soc=SOC1/os=linux/release=09.02/*.parquet'"
    query = f"select metric, value, failed, samples from read_parquet({files}) order by result"
    assert duckdb.sql(query).fetchall() == [
        ("copy", pytest.approx(0.7 / 3), False, [0.1, 0.2, 0.4]),
        ("add", 5.5, False, None),
        ("scale", None, True, None),
        ("m", 0.0, False, [0.0]),
    ]


def test_the_same_results_give_the_same_bytes(results: Path, tmp_path: Path) -> None:
    export(results, tmp_path / "one")
    export(results, tmp_path / "two")
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    assert "soc=SOC1/os=linux/release=09.10/part-0.parquet" in digests(tmp_path / "one")


def test_what_is_gone_is_gone_from_the_next_export(results: Path, tmp_path: Path) -> None:
    export(results, tmp_path / "out")
    (results / "2.json").unlink()
    assert export(results, tmp_path / "out") == 0
    assert not [name for name in digests(tmp_path / "out") if "09.10" in name]


def test_a_folder_of_other_files_is_left_alone(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes").write_text("keep")
    assert export(results, mine) == 2
    assert "is not an earlier export" in capsys.readouterr().err
    assert digests(mine).keys() == {"notes"}


def test_a_name_too_long_for_a_folder_is_shortened_and_the_rest_goes_on(
    write_bundle: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, out = tmp_path / "results", tmp_path / "out"
    long = ["ü" * 99 + end for end in "ab"]
    write_bundle(results / "0.json", RESULTS, id="plain")
    for name in long:
        write_bundle(results / f"{name[-1]}.json", RESULTS[:1], id=f"of {name}", board__soc=name)
    assert export(results, out) == 0
    said = capsys.readouterr().err
    assert said.count("too long for the name of a folder") == 2
    assert f"{results}/a.json at /board/soc: warning" in said
    assert ds.dataset(out, partitioning=NAMED).count_rows() == len(RESULTS) + 2
    about = json.loads((out / "_perfguide.json").read_text("utf-8"))
    folders = {path.name for path in out.iterdir() if path.is_dir()}
    assert folders == {"soc=SOC1", *about["shortened"]}
    assert sorted(about["shortened"].values()) == long
    assert all(len(name.encode()) <= 255 for name in folders)
    # A name of the same characters has a folder of its own.
    (short, *_) = about["shortened"]
    write_bundle(results / "c.json", RESULTS[:1], board__soc=unquote(short).partition("=")[2])
    assert export(results, out) == 0
    assert len([path for path in out.iterdir() if path.is_dir()]) == 4


def test_all_our_own_results_are_in_it(tmp_path: Path) -> None:
    results = TOP / "results/AM335X"
    assert export(results, tmp_path / "out") == 0
    held = dataset.read(dataset.Settings((results,), (), Path()))
    found = ds.dataset(tmp_path / "out", partitioning=NAMED)
    assert found.count_rows() == len(held.pool.frame.table)

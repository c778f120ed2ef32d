"""The Parquet dataset, read by two engines that know nothing of us."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from conftest import TOP
from making import SHIPPED

from perfguide.cli.command_line import main
from perfguide.common import parallel
from perfguide.figures import dataset
from perfguide.pages import build

RESULTS = [
    {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "samples": [0.1, 0.2, 0.4]},
    {"benchmark": "stream", "metric": "add", "unit": "MB/s", "value": 5.5, "min": 1, "max": 9},
    {"benchmark": "stream", "metric": "scale", "unit": "MB/s", "status": "fail"},
    {"benchmark": "x", "metric": "m", "unit": "s", "params": {"b": 1, "a": "ü"}, "samples": [0]},
]
NAMED = ds.partitioning(
    pa.schema([("soc", pa.string()), ("os", pa.string())]),
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


def test_both_engines_read_every_figure_of_every_release(results: Path, tmp_path: Path) -> None:
    assert export(results, tmp_path / "out") == 0
    pool = dataset.read(dataset.Settings((results,), (SHIPPED,), Path())).pool
    wanted = [
        (*(r.guide.soc, r.guide.os, r.guide.release, r.metric, json.dumps(r.params)), r.cell.failed)
        for key in pool.guides()
        for r in pool.of_guide(key)
    ]
    wanted = [
        (*r[:4], json.dumps(json.loads(r[4]), sort_keys=True, ensure_ascii=False), r[5])
        for r in wanted
    ]
    names = ["soc", "os", "release", "metric", "params", "failed"]
    found = ds.dataset(tmp_path / "out", partitioning=NAMED).to_table(columns=names)
    by_arrow = [tuple(row.values()) for row in found.to_pylist()]
    files = f"'{tmp_path}/out/**/*.parquet', hive_partitioning = true, hive_types_autocast = false"
    by_duckdb = duckdb.sql(f"select {', '.join(names)} from read_parquet({files})").fetchall()
    assert sorted(by_arrow) == sorted(wanted)
    assert sorted(by_duckdb) == sorted(wanted)
    assert {row[0] for row in by_duckdb} == {"SOC1", "A/B ü%=.."}
    # A folder release=09.10 would be read as the number 9.1; a column stays text.
    assert {row[2] for row in by_duckdb} == {"09.02", "09.10", "10"}
    by_pandas = pd.read_parquet(tmp_path / "out")
    assert {*by_pandas["release"]} == {"09.02", "09.10", "10"}


def test_missing_failed_and_zero_are_three_things(results: Path, tmp_path: Path) -> None:
    export(results, tmp_path / "out")
    files = f"'{tmp_path}/out/soc=SOC1/os=linux/09.02.parquet'"
    query = f"select metric, mean, failed, samples from read_parquet({files}) order by metric"
    assert duckdb.sql(query).fetchall() == [
        ("add", 5.5, 0, []),
        ("copy", pytest.approx(0.7 / 3), 0, [0.1, 0.2, 0.4]),
        ("m", 0.0, 0, [0.0]),
        ("scale", None, 1, []),
    ]


def test_the_folder_is_that_of_the_site(results: Path, tmp_path: Path) -> None:
    build.generate(dataset.Settings((results,), (), tmp_path / "pages"), run=parallel.here)
    described = str(tmp_path / "none")
    (tmp_path / "none").mkdir()
    told = ["export", str(results), "-o", str(tmp_path / "out"), "--benchmarks", described]
    assert main(told) == 0
    site, out = digests(tmp_path / "pages/api/v1/parquet"), digests(tmp_path / "out")
    assert out.pop("_perfguide.json")
    assert out.keys() == site.keys() and len(out) == 3
    # The command adds the descriptions of its package, which change no figure here.
    assert out == site


def test_the_same_results_give_the_same_bytes(results: Path, tmp_path: Path) -> None:
    export(results, tmp_path / "one")
    export(results, tmp_path / "two")
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    assert "soc=SOC1/os=linux/09.10.parquet" in digests(tmp_path / "one")


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
    assert found.count_rows() == len(held.pool)

"""The files of the site's data say what the bundles say, and change only with them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import textwrap
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import jsonschema
import pandas as pd
import pyarrow.parquet as pq
import pytest
from making import SHIPPED, TOML, loaded, only, plain, pooled, result
from serving import served

from perfguide.common import csv_text, parallel
from perfguide.export import explorer, json_api, parquet
from perfguide.export.figure_rows import FIGURES, RUNS
from perfguide.figures.dataset import Settings
from perfguide.pages import build

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def _settings(folder: Path) -> Settings:
    described = folder / "described"
    described.mkdir(exist_ok=True)
    (described / "speed.toml").write_text(TOML, "utf-8")
    (described / "speed.rst").write_text("What it measures.\n", "utf-8")
    return Settings((folder / "results",), (described,), folder / "out")


def _put(folder: Path, name: str, *results: dict[str, Any], **changes: Any) -> None:
    (folder / "results").mkdir(exist_ok=True)
    text = json.dumps(plain(*results, id=name, **changes))
    (folder / "results" / f"{name}.json").write_text(text, "utf-8")


def _json(folder: Path, name: str) -> Any:
    return json.loads((folder / "out" / json_api.ROOT / name).read_bytes())


def _parquet(folder: Path, name: str) -> Path:
    return folder / "out" / json_api.ROOT / parquet.FOLDER / f"{name}.parquet"


def _script(path: Path) -> tuple[str, Any]:
    """The name and the value that a file of the explorer hands over."""
    text = path.read_text("ascii")
    assert text.startswith("perfguideData(") and text.endswith(");\n")
    inner = text.removeprefix("perfguideData(").removesuffix(");\n")
    name, value = json.loads(f"[{inner}]")
    return name, value


def _sheets(data: bytes) -> dict[str, dict[str, tuple[str, str]]]:
    """By sheet and cell: the kind of a cell (``s`` for text, ``n`` for a number) and its
    content. A formula is no kind that is expected."""
    book = zipfile.ZipFile(io.BytesIO(data))
    shared = [
        "".join(t.text or "" for t in item.iter(f"{MAIN}t"))
        for item in ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
    ]
    listed = ElementTree.fromstring(book.read("xl/workbook.xml")).iter(f"{MAIN}sheet")
    out: dict[str, dict[str, tuple[str, str]]] = {}
    for number, sheet in enumerate(listed, 1):
        tree = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))
        assert not list(tree.iter(f"{MAIN}f")), "a formula"
        cells = out.setdefault(sheet.attrib["name"], {})
        for cell in tree.iter(f"{MAIN}c"):
            value = cell.find(f"{MAIN}v")
            assert value is not None and value.text is not None
            kind = cell.get("t", "n")
            text = shared[int(value.text)] if kind == "s" else value.text
            cells[cell.attrib["r"]] = (kind, text)
    return out


def _site(top: Path) -> Path:
    """A site with two guides: a mean, a single figure, a failure and a zero."""
    _put(
        top,
        "one",
        result(samples=[1.5, 2.5, 3.25], params={"block_size": 16}),
        result(value=0.0, params={"block_size": 64}),
        result(status="fail", params={"block_size": 256}),
        result("lat_mem", "us", value=0.1, min=0.05, max=0.2),
    )
    _put(top, "two", result(value=7.125, params={"block_size": 16}), sdk__version="09.02")
    build.generate(_settings(top), run=parallel.here)
    return top


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That site: look, and touch nothing."""
    return _site(tmp_path_factory.mktemp("downloads"))


@pytest.fixture
def changing(tmp_path: Path) -> Path:
    """That site, to be changed."""
    return _site(tmp_path)


def test_each_guide_is_one_json_file_that_the_lists_lead_to(site: Path) -> None:
    soc = only(_json(site, "index.json")["socs"])
    guides = _json(site, soc["file"])["guides"]
    assert [g["release"] for g in guides] == ["09.01", "09.02"]
    assert [g["figures"] for g in guides] == [4, 1]
    for listed in guides:
        guide = _json(site, listed["file"])
        assert (guide["soc"], guide["release"]) == (listed["soc"], listed["release"])
        assert len(guide["figures"]) == listed["figures"]
        assert (site / "out" / f"{guide['page']}.rst").is_file()
        for kind in ("spreadsheet", "parquet", "csv", "runs", "parquet_runs"):
            assert (site / "out" / json_api.ROOT / listed[kind]).is_file()


def test_a_mean_a_zero_and_a_failure_are_told_apart(site: Path) -> None:
    guide = _json(site, "results/AM62X/linux/09.01.json")
    by_size = {f["params"].get("block_size"): f for f in guide["figures"]}
    mean, zero, failed, published = (by_size[key] for key in (16, 64, 256, None))
    assert (mean["mean"], mean["min"], mean["max"], mean["count"]) == (7.25 / 3, 1.5, 3.25, 3)
    assert mean["text"] == "2.42 (min 1.50, max 3.25) n=3"
    assert mean["params"] == {"block_size": 16, "engine": "sw"}
    assert (zero["mean"], zero["failed"], zero["text"]) == (0.0, 0, "0.00")
    assert (failed["mean"], failed["failed"], failed["text"]) == (None, 1, "failed")
    assert (published["min"], published["max"], published["unit"]) == (0.05, 0.2, "us")


def test_every_figure_leads_to_its_bundle(site: Path) -> None:
    guide = _json(site, "results/AM62X/linux/09.01.json")
    bundle = only(guide["bundles"])
    assert (bundle["id"], bundle["file"]) == ("one", "one.json")
    given = json.loads((site / "results/one.json").read_bytes())["results"]
    for figure in guide["figures"]:
        position, pointer = only(figure["sources"])
        assert position == 0
        source = given[int(pointer.removeprefix("/results/"))]
        assert source["metric"] == figure["metric"]
        assert source.get("params", {}).get("block_size") == figure["params"].get("block_size")


def test_parquet_has_the_figures_and_the_data_package_describes_its_columns(site: Path) -> None:
    package = _json(site, "datapackage.json")
    figures, _, metrics, used = package["resources"]
    fields = {f["name"]: f for f in figures["schema"]["fields"]}
    rows = []
    for path in figures["path"]:
        table = pq.read_table(site / "out" / json_api.ROOT / path)
        assert table.column_names == list(fields)
        for field in table.schema:
            assert field.metadata[b"description"].decode() == fields[field.name]["description"]
        rows += table.to_pylist()
    assert len(rows) == 5
    mean = only([r for r in rows if r["samples"] == [1.5, 2.5, 3.25]])
    assert (mean["mean"], mean["count"], mean["unit"]) == (7.25 / 3, 3, "MB/s")
    assert json.loads(mean["params"]) == {"block_size": 16, "engine": "sw"}
    assert mean["bundles"] == ["one"]
    failed = only([r for r in rows if r["failed"]])
    assert (failed["mean"], failed["samples"]) == (None, [])
    named = {(m["benchmark"], m["metric"], m["unit"]) for m in metrics["data"]}
    assert named == {(r["benchmark"], r["metric"], r["unit"]) for r in rows}
    assert {u["unit"] for u in used["data"]} == {r["unit"] for r in rows}
    key = figures["schema"]["primaryKey"]
    assert len({tuple(r[k] for k in key) for r in rows}) == len(rows)


def test_a_spreadsheet_has_figures_as_numbers_with_their_unit_in_the_head(site: Path) -> None:
    data = (site / "out" / json_api.ROOT / "results/AM62X/linux/09.01.xlsx").read_bytes()
    sheets = _sheets(data)
    assert list(sheets) == ["All figures", "About", "Runs", "Speed"]
    speed = sheets["Speed"].values()
    assert ("s", "Rate (MB/s) ↑") in speed
    # The format's own programs keep fifteen digits; the file has sixteen.
    assert {text for kind, text in speed if kind == "n"} == {f"{7.25 / 3:.16g}", "0", "0.1"}
    assert ("s", "failed") in speed
    listed = sheets["All figures"]
    heads = {text: cell[0] for cell, (_, text) in listed.items() if cell[1:] == "1"}
    means = [listed.get(f"{heads['Mean']}{row}") for row in range(2, 6)]
    assert sorted(means, key=str) == sorted(
        [("n", "2.416666666666667"), ("n", "0"), None, ("n", "0.1")], key=str
    )
    assert [listed.get(f"{heads['Failed runs']}{row}") for row in range(2, 6)].count(
        ("n", "1")
    ) == 1


def test_every_file_of_a_guide_has_its_setup_and_its_notes(tmp_path: Path) -> None:
    boards = tmp_path / "boards.toml"
    boards.write_text('[[notes]]\ntext = "By hand, *all*."\nsoc = "AM62X"\n', "utf-8")
    settings = replace(_settings(tmp_path), boards=boards)
    described = tmp_path / "described/speed.toml"
    described.write_text(f'{TOML}\n[[notes]]\ntext = "Of the benchmark."\n', "utf-8")
    bare = result(value=2.0, params={"block_size": 64})
    own = result(value=0.1 + 0.2, params={"block_size": 16}, setup={"card": "=X"}, notes=["One."])
    _put(tmp_path, "one", own, setup={"mount": "async"}, notes=[{"text": "Run."}])
    _put(tmp_path, "two", bare, sdk__version="09.02", sdk__name="Other")
    build.generate(settings, run=parallel.here)
    about_figure = ["By hand, *all*.", "Of the benchmark.", "One."]
    base = tmp_path / "out" / json_api.ROOT / "results/AM62X/linux/09.01"
    guide = _json(tmp_path, "results/AM62X/linux/09.01.json")
    figure, run = only(guide["figures"]), only(guide["bundles"])
    assert (figure["setup"], figure["notes"]) == ({"card": ["=X"]}, about_figure)
    assert (run["setup"], run["notes"]) == ({"mount": "async"}, [{"text": "Run."}])
    row = only(pq.read_table(_parquet(tmp_path, "soc=AM62X/os=linux/09.01")).to_pylist())
    assert (json.loads(row["setup"]), row["notes"]) == ({"card": ["=X"]}, about_figure)
    runs = tmp_path / "out" / json_api.ROOT / parquet.RUNS_FOLDER / "soc=AM62X/os=linux"
    of_run = only(pq.read_table(runs / "09.01.parquet").to_pylist())
    assert row["bundles"] == [of_run["bundle"]] == ["one"]
    assert json.loads(of_run["setup"]) == {"mount": "async"}
    assert json.loads(of_run["notes"]) == [{"text": "Run."}]
    for table, folder in ((FIGURES, "results"), (RUNS, "runs")):
        files = sorted((tmp_path / "out" / json_api.ROOT / folder).rglob("*.csv"))
        tables = [list(csv.reader(io.StringIO(path.read_text("utf-8")))) for path in files]
        head = tuple(column.name for column in table.columns)
        assert len(files) == 2 and {tuple(each[0]) for each in tables} == {head}
        (line,) = [
            row for row in (dict(zip(*each, strict=True)) for each in tables) if row["setup"]
        ]
        if table is FIGURES:
            assert (float(line["mean"]), json.loads(line["notes"])) == (0.1 + 0.2, about_figure)
            assert json.loads(csv_text.plain(line["setup"])) == {"card": ["=X"]}
        assert (
            json.loads(line["bundles"])[0] == "one" if table is FIGURES else line["bundle"] == "one"
        )
    sheets = _sheets(base.with_name("09.01.xlsx").read_bytes())
    about = [text for _, text in sheets["About"].values()]
    assert {"By hand, *all*.", "Speed: Of the benchmark.", "Run.", "async"} <= {*about}
    assert sheets["All figures"]["N2"][1] == "; ".join(about_figure)
    assert sheets["All figures"]["O2"][1] == "one"
    assert {"one", '{"mount": "async"}', '[{"text": "Run."}]'} <= {
        text for _, text in sheets["Runs"].values()
    }
    folder = tmp_path / "out" / json_api.ROOT / "explore/AM62X"
    words = _script(folder / "linux/09.01/words.js")[1]
    part = _script(only([*folder.rglob("1.js")]))[1]
    (figure,) = part["lines"][0][3]
    place, of_runs = figure[10:12]
    assert part["remarks"][place] == [[["card", "Card", ["=X"]]], about_figure]
    assert [words["runs"][run] for run in of_runs] == [[[[0, 0]], [[1]]]]
    assert (words["facts"], words["texts"]) == ([["mount", "Mount"]], ["async", "Run."])


def test_no_text_becomes_a_formula_a_link_or_a_key(tmp_path: Path) -> None:
    hostile = '=HYPERLINK("http://example.org","x")'
    _put(
        tmp_path,
        "one",
        result(hostile, "@SUM(1)", params={"__proto__": "</script>", "-1": "https://a.example"}),
        board__name=hostile,
        board__description="+1",
    )
    assert build.generate(_settings(tmp_path), run=parallel.here).diagnostics == ()
    top = tmp_path / "out" / json_api.ROOT
    sheets = _sheets(only(list(top.rglob("*.xlsx"))).read_bytes())
    texts = [text for cells in sheets.values() for kind, text in cells.values() if kind == "s"]
    assert hostile in texts and "+1" in texts
    book = zipfile.ZipFile(only(list(top.rglob("*.xlsx"))))
    assert not [n for n in book.namelist() if "rels" in n and b"example.org" in book.read(n)]
    _, value = _script(only(list(top.rglob("explore/AM62X/*/1.js"))))
    assert [p[0] for p in value["params"]] == ["-1", "__proto__", "engine"]

    def keys(item: Any) -> set[str]:
        if isinstance(item, dict):
            return set(item) | {k for v in item.values() for k in keys(v)}
        return {k for v in item for k in keys(v)} if isinstance(item, list) else set()

    lists = ("metrics", "params", "rows", "engines", "conditions", "stated", "verdicts", "sections")
    assert keys(value) == {*lists, "remarks", "doubts", "lines"}


def test_sheets_are_called_as_near_to_their_benchmarks_as_the_format_allows(
    tmp_path: Path,
) -> None:
    flags, quoted, long = "\U0001f3c1" * 40, "q" * 30 + "'b", "x" * 40
    names = [flags, flags + "2", quoted, long, long.upper(), "[:]", "History", "'"]
    _put(tmp_path, "one", *(result() | {"benchmark": name} for name in names))
    assert build.generate(_settings(tmp_path), run=parallel.here).diagnostics == ()
    book = only(list((tmp_path / "out" / json_api.ROOT).rglob("*.xlsx")))
    listed = set(_sheets(book.read_bytes())) - {"About", "All figures", "Runs"}
    assert listed == {
        *("\U0001f3c1" * 15, "\U0001f3c1" * 14 + " 2", "q" * 30),
        *("X" * 31, "x" * 29 + " 2", "Sheet", "History 2", "Sheet 2"),
    }


def test_the_explorer_has_every_figure_of_a_guide_once(site: Path) -> None:
    top = site / "out" / json_api.ROOT
    shown = []
    page = (site / "out/guides/AM62X/linux/09.01.rst").read_text("utf-8")
    guides = [each[2] for each in _script(top / "explore/AM62X/index.js")[1]["guides"]]
    for path in sorted((top / "explore/AM62X").rglob("[0-9].js")):
        name, part = _script(path)
        assert path == top / "explore" / f"{name}.js"
        for row, _, board, figures, _, *_ in part["lines"]:
            metric, pairs, *_ = part["rows"][row]
            keys = [(part["params"][p][0], part["params"][p][2][v]) for p, v in pairs]
            names = (board, part["metrics"][metric][1], part["metrics"][metric][4])
            for place, mean, low, high, _, section, *_ in figures:
                if guides[place] == "AM62X/linux/09.01":
                    assert f".. _{part['sections'][section]} of am62x/linux/09.01:\n" in page
                    shown.append((*names, keys, mean, low, high))
    guide = _json(site, "results/AM62X/linux/09.01.json")
    expected = [
        (
            *(f["board"], f["metric"], f["unit"]),
            sorted((name, explorer.address_key(value)) for name, value in f["params"].items()),
            *(f["mean"], f["min"], f["max"]),
        )
        for f in guide["figures"]
    ]
    assert sorted(shown, key=repr) == sorted(expected, key=repr)


def test_no_file_of_the_explorer_is_above_its_limit(tmp_path: Path) -> None:
    many = [
        result(
            f"{'metric with quite a long name ' * 5}{n}", value=n / 7, params={"case": f"case {n}"}
        )
        for n in range(1500)
    ]
    _put(tmp_path, "big", *many)
    build.generate(_settings(tmp_path), run=parallel.here)
    files = sorted((tmp_path / "out" / json_api.ROOT / "explore").rglob("*.js"))
    assert max(path.stat().st_size for path in files) <= 300_000
    parts = [_script(path)[1] for path in files if path.stem.isdigit()]
    assert len(parts) > 2
    metrics = [part["metrics"][part["rows"][f[0]][0]][1] for part in parts for f in part["lines"]]
    assert sorted(metrics) == sorted(item["metric"] for item in many)
    _, soc = _script(tmp_path / "out" / json_api.ROOT / "explore/AM62X/index.js")
    assert only(soc["benchmarks"])[3] == len(parts)


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (16, "16"),
        (0.5, "0.5"),
        (True, "true"),
        ("aes-128-cbc", "aes-128-cbc"),
        ("16", '"16"'),
        ("true", '"true"'),
        ("*", '"*"'),
        ("", '""'),
        ("[1]", '"[1]"'),
        (" " + "[" * 9999, '" ' + "[" * 9999 + '"'),
    ],
    ids=lambda value: str(value)[:20],
)
def test_values_of_different_kinds_have_different_keys_in_addresses(value: Any, key: str) -> None:
    assert explorer.address_key(value) == key


def _times(folder: Path) -> dict[str, int]:
    top = folder / "out" / json_api.ROOT
    return {
        p.relative_to(top).as_posix(): p.stat().st_mtime_ns for p in top.rglob("*") if p.is_file()
    }


def test_a_new_bundle_changes_its_guide_and_the_lists_alone(changing: Path) -> None:
    before = _times(changing)
    assert build.generate(_settings(changing), run=parallel.here).written == ()
    _put(changing, "three", result(value=8.0, params={"block_size": 64}), sdk__version="09.02")
    build.generate(_settings(changing), run=parallel.here)
    after = _times(changing)
    changed = {name for name in after if before.get(name) != after[name]}
    assert before.keys() == after.keys()
    assert changed == {
        "index.json",
        "find/AM62X/speed.js",
        "socs/AM62X.json",
        "results/AM62X/linux/09.02.json",
        "results/AM62X/linux/09.02.xlsx",
        "parquet/soc=AM62X/os=linux/09.02.parquet",
        "results/AM62X/linux/09.02.csv",
        "runs/AM62X/linux/09.02.csv",
        "parquet-runs/soc=AM62X/os=linux/09.02.parquet",
        "compare/AM62X/linux/09.01-vs-09.02.js",
        "explore/AM62X/speed/1.js",
    }


def test_files_of_a_guide_that_is_gone_go_too(changing: Path) -> None:
    (changing / "results/two.json").unlink()
    build.generate(_settings(changing), run=parallel.here)
    assert not [name for name in _times(changing) if "09.02" in name]
    assert _json(changing, "datapackage.json")["resources"][0]["path"] == [
        "parquet/soc=AM62X/os=linux/09.01.parquet"
    ]


def test_damaged_files_are_made_anew_and_only_they(changing: Path) -> None:
    whole = {n: (changing / "out" / json_api.ROOT / n).read_bytes() for n in _times(changing)}
    damaged = [n for n in whole if "09.01" in n or n.endswith("speed/1.js")]
    assert {n.rpartition(".")[2] for n in damaged} == {"json", "js", "parquet", "xlsx", "csv"}
    for name in damaged:
        (changing / "out" / json_api.ROOT / name).write_bytes(whole[name][:-20])
    written = build.generate(_settings(changing), run=parallel.here).written
    assert sorted(written) == sorted(f"{json_api.ROOT}/{name}" for name in damaged)
    assert {
        n: (changing / "out" / json_api.ROOT / n).read_bytes() for n in _times(changing)
    } == whole


def test_the_documented_files_are_those_that_are_written(site: Path) -> None:
    text = (SHIPPED.parent / "data.rst").read_text("utf-8")
    for name in ("index.json", "socs/SOC.json", "benchmarks.json", "datapackage.json"):
        assert f"``{name}``" in text
        assert (site / "out" / json_api.ROOT / name.replace("SOC", "AM62X")).is_file()
    for suffix in ("json", "xlsx", "csv"):
        assert f"``results/SOC/OS/RELEASE.{suffix}``" in text
    for folder in (parquet.FOLDER, parquet.RUNS_FOLDER):
        assert f"``{folder}/soc=SOC/os=OS/RELEASE.parquet``" in text
    assert "``runs/SOC/OS/RELEASE.csv``" in text
    assert "``schemas/KIND.json``" in text
    assert f"``{json_api.ROOT}/``" in text
    guide = _json(site, "results/AM62X/linux/09.01.json")
    for member in guide["figures"][0]:
        assert f"``{member}``" in text, member


def test_a_badge_has_the_advice_on_a_release(tmp_path: Path) -> None:
    _put(tmp_path, "a", result(value=7.5), sdk__version="09.01")
    _put(tmp_path, "b", result(status="fail"), sdk__version="09.02")
    build.generate(_settings(tmp_path), run=parallel.here)
    assert _json(tmp_path, "badges/AM62X/linux/09.02.json") == {
        "schemaVersion": 1,
        "label": "AM62X, Linux 09.02",
        "message": "do not ship",
        "color": "red",
    }
    assert not (tmp_path / "out" / json_api.ROOT / "badges/AM62X/linux/09.01.json").exists()


def test_a_guide_without_figures_is_an_empty_table() -> None:
    pool = pooled([loaded()])
    for table in (FIGURES, RUNS):
        read = pq.read_table(io.BytesIO(parquet.make(table, "", [], pool)))
        assert (read.num_rows, read.num_columns) == (0, len(parquet.columns(table)))


def _blocks(language: str) -> list[str]:
    """The documented lines of a language, each block as one text."""
    text = (SHIPPED.parent / "data.rst").read_text("utf-8")
    found = re.findall(rf"\.\. code-block:: {language}\n\n((?:   .*\n|\n)+)", text)
    return [textwrap.dedent(block) for block in found]


@pytest.fixture
def documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site that has the files that the documentation names; the working folder is its top."""
    speed = {"benchmark": "openssl", "metric": "throughput", "unit": "kB/s", "samples": [0.1, 0.2]}
    speed["params"] = {"algorithm": "aes-128-cbc", "block_size": 16}
    memory = result("bw_mem-rd-16mb", value=7.5) | {"benchmark": "lmbench"}
    _put(tmp_path, "a", memory, speed, sdk__version="09.01.00.08")
    _put(tmp_path, "b", memory, sdk__version="09.10")
    _put(tmp_path, "c", memory, sdk__version="10", board__soc="7 X/%", sdk__name="Other")
    build.generate(_settings(tmp_path), run=parallel.here)
    monkeypatch.chdir(tmp_path / "out")
    return tmp_path


def test_the_documented_lines_of_python_run(documented: Path) -> None:
    cited, pandas, whole, arrow, files, joined = (dict[str, Any]() for _ in range(6))
    every = (cited, pandas, whole, arrow, files, joined)
    for block, names in zip(_blocks("python"), every, strict=True):
        exec(block, names)
    page = Path("guides/AM62X/linux/09.01.00.08.rst").read_text("utf-8")
    assert f"data SHA-256\n``{cited['data_sha256']}``" in page
    assert pandas["reads"]["mean"].tolist() == [7.5]
    assert pandas["by_release"].columns.tolist() == ["09.01.00.08", "09.10"]
    everything = whole["everything"]
    assert sorted(everything["release"]) == ["09.01.00.08", "09.01.00.08", "09.10", "10"]
    assert {*everything["soc"]} == {"AM62X", "7 X/%"}
    assert whole["openssl"][["algorithm", "block_size"]].values.tolist() == [["aes-128-cbc", "16"]]
    assert arrow["table"]["release"].to_pylist() == ["09.01.00.08", "09.01.00.08", "09.10"]
    assert [*joined["with_runs"]["board_of_run"]] == [*joined["figures"]["board"]]
    lines = files["lines"]
    assert lines["mean"].dtype == "float64" and sorted(lines["mean"]) == [0.15000000000000002, 7.5]
    assert sorted(files["figures"]["mean"]) == sorted(lines["mean"])


def test_the_documented_query_of_duckdb_runs_in_a_folder_of_parquet_alone(documented: Path) -> None:
    (query,) = _blocks("sql")
    rows = duckdb.sql(query).fetchall()
    assert rows == [
        ("AM62X", "09.01.00.08", rows[0][2], "aes-128-cbc", 0.15000000000000002, "kB/s")
    ]
    top = documented / "out" / json_api.ROOT / parquet.FOLDER
    files = {path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file()}
    plain = {f"soc=AM62X/os=linux/{name}.parquet" for name in ("09.01.00.08", "09.10")}
    (other,) = files - plain
    assert plain < files and other.startswith("soc=7%20X%2F%25/os=linux/7-x-")


@pytest.mark.skipif(not shutil.which("Rscript"), reason="Rscript is not installed")
def test_the_documented_lines_of_r_run(documented: Path) -> None:
    (lines,) = _blocks("r")
    run = subprocess.run(["Rscript", "-e", lines], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    head, row = run.stdout.splitlines()
    assert head.split() == ["board", "mean", "unit"]
    assert row.split()[2:] == ["7.5", "MB/s"]


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_documented_line_of_curl_fetches_the_file(documented: Path, tmp_path: Path) -> None:
    (line,) = _blocks("bash")
    target = tmp_path / "fetched"
    target.mkdir()
    with served(documented / "out") as site:
        environment = {**os.environ, "SITE": site, "no_proxy": "127.0.0.1"}
        subprocess.run(["sh", "-c", line], cwd=target, env=environment, check=True)
    (path,) = target.iterdir()
    original = documented / "out" / json_api.ROOT / "results/AM62X/linux" / path.name
    assert path.read_bytes() == original.read_bytes()


def test_the_csv_of_a_table_is_numbers_under_one_head_row(site: Path) -> None:
    folder = site / "out/guides/AM62X/linux/09.01"
    table = pd.read_csv(folder / "speed-rate.data.csv")
    board = "sk, Rate (MB/s)"
    assert [c.split(", ", 1)[-1] for c in table.columns if c.startswith("sk")] == [
        *("Rate (MB/s)", "Rate (MB/s), min", "Rate (MB/s), max"),
        *("Rate (MB/s), samples", "Rate (MB/s), failed runs"),
    ]
    facts = table[["SoC", "System", "Release"]].astype(str).drop_duplicates().values.tolist()
    assert facts == [["AM62X", "Linux", "9.01"]]
    assert table[table.columns[3]].tolist() == [16, 64, 256]
    assert table[board].tolist()[:2] == [7.25 / 3, 0.0]
    assert table[board].isna().tolist() == [False, False, True]
    assert table[f"{board}, samples"].fillna(0).tolist() == [3, 0, 0]
    assert table[f"{board}, failed runs"].fillna(0).tolist() == [0, 0, 1]
    assert "failed" in (folder / "speed-rate.csv").read_text("utf-8")
    text = (folder / "speed-rate.data.csv").read_text("utf-8")
    assert not re.search("[—↑]", text)


def test_each_json_file_is_as_its_schema_says(site: Path) -> None:
    index = _json(site, "index.json")
    schemas = {kind: _json(site, name) for kind, name in index["schemas"].items()}
    assert {*schemas} == {"index", "soc", "guide", "benchmarks"}
    seen = set()
    top = site / "out" / json_api.ROOT
    for path in sorted(top.rglob("*.json")):
        value = json.loads(path.read_bytes())
        if str(value.get("format", "")).startswith("perfguide-"):
            kind = value["format"].removeprefix("perfguide-")
            seen.add(kind)
            jsonschema.Draft202012Validator(schemas[kind]).validate(value)
            for member in schemas[kind]["required"]:
                less = {name: each for name, each in value.items() if name != member}
                assert not jsonschema.Draft202012Validator(schemas[kind]).is_valid(less)
    assert seen == {*schemas}

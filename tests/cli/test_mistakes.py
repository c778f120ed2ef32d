"""Sixty mistakes that people make, each of which is told with its place and how to fix it."""

from __future__ import annotations

import gzip
import io
import json
import shlex
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from making import ROOT, TOML, plain, result

from perfguide.cli.command_line import main


def run_of(*results: dict[str, Any], **changes: Any) -> str:
    """The text of a bundle as a runner writes it, on many lines."""
    return json.dumps(plain(*results, **changes), indent=1)


def without(part: str, name: str) -> str:
    """A bundle in which a key is missing."""
    made = plain()
    del (made["results"][0] if part == "results" else made[part])[name]
    return json.dumps(made, indent=1)


def zipped(members: Mapping[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as container:
        for name, data in members.items():
            container.writestr(name, data)
    return out.getvalue()


class Link(NamedTuple):
    """A symbolic link, instead of a file."""

    to: str


class Mistake(NamedTuple):
    """What is there, the command, its exit status, and what it has to say."""

    files: Mapping[str, bytes | str | Link]
    command: str
    status: int
    says: tuple[str, ...]


SOUND = run_of()
LOG = (ROOT / "tests/adapters/data/linpack/200x200.log").read_bytes()
RUN, DESCRIPTION = "results/run.json", "source/benchmarks/speed.toml"
CHECK = "check results"
COMPARE = "compare 09.00 09.01"
PACK = "pack logs -o out/run.json --board sk --soc AM62X --sdk 09.01 --os linux"
TWO = {RUN: SOUND, "results/old.json": run_of(result(value=2.0), id="old", sdk__version="09.00")}
SIZES = {RUN: run_of(*(result(params={"block_size": size}) for size in (16, 64)))}
GUIDE = {"guide.rst": ".. csv-table:: x\n   :header: a,b\n\n   1,2\n"}


def bundle(data: bytes | str, *says: str, status: int = 1) -> Mistake:
    """A file in the results that is not as it should be."""
    return Mistake({RUN: data}, CHECK, status, (RUN, *says))


def description(old: str, new: str, *says: str) -> Mistake:
    """A description of a benchmark in which something was mistyped."""
    assert old in TOML
    files = {RUN: SOUND, DESCRIPTION: TOML.replace(old, new, 1)}
    return Mistake(files, CHECK, 1, (DESCRIPTION, *says))


def listed(name: str, text: str, *says: str) -> Mistake:
    """A list beside the descriptions, read by a comparison."""
    return Mistake(TWO | {f"source/{name}": text}, COMPARE, 2, (f"source/{name}", *says))


MISTAKES = {
    # -- bundles that are no JSON ---------------------------------------------------
    "two commas": bundle(
        SOUND.replace('"run-1",', '"run-1",,'), "line 4, column", "remove one of the two commas"
    ),
    "comma at the end": bundle(
        f"{SOUND[:-2]},\n}}", "line 22, column 1", "remove the comma before the end"
    ),
    "cut short": bundle(SOUND[:-40], "the file is cut short; upload it again"),
    "Python instead of JSON": bundle(repr(plain()), "JSON uses double quotes"),
    "decimal comma": bundle(
        SOUND.replace("1.0", "1,5"), "line 19", "write the number with a decimal point"
    ),
    "empty": bundle("", "it is empty", "upload it again"),
    "a page that says 404": bundle("<html>", "a bundle is a JSON object"),
    "two bundles in a row": bundle(SOUND + SOUND, "as an array, or one per line into a .jsonl"),
    "UTF-16": bundle(SOUND.encode("utf-16"), "is UTF-16", "save it as UTF-8"),
    "Latin-1": bundle(
        SOUND.replace("MB/s", "µs").encode("latin-1"), "line 18 is not UTF-8", "save it as UTF-8"
    ),
    "compressed without its ending": bundle(gzip.compress(b"{}"), ".gz", "end in .json.gz"),
    # -- containers -----------------------------------------------------------------
    "not compressed, with the ending": Mistake(
        {"results/run.json.gz": SOUND}, CHECK, 1, ("run.json.gz", "its content is .json")
    ),
    "half of an upload": Mistake(
        {"results/run.json.gz": gzip.compress(SOUND.encode())[:-20]},
        CHECK, 1, ("run.json.gz", "ends too early", "upload it again"),
    ),
    "zip in a zip": Mistake(
        {"results/a.zip": zipped({"b.zip": zipped({"run.json": SOUND})})},
        CHECK, 1, ("results/a.zip!b.zip", "a container in a container", "into one container"),
    ),
    "rar called zip": Mistake(
        {"results/run.zip": b"Rar!\x1a\x07"}, CHECK, 1, ("run.zip", "it is a .rar file", ".tar.gz")
    ),
    "7z": Mistake(
        {"results/run.7z": b"7z\xbc\xaf"}, CHECK, 3, ("run.7z", "bundles are in .json", ".tar.gz")
    ),
    # -- bundles with wrong content -------------------------------------------------
    "NaN": bundle(SOUND.replace("1.0", "NaN"), "at /results/0/value", "“status”: “fail”"),
    "number as text": bundle(
        SOUND.replace("1.0", '"1.0"'), "at /results/0/value", "is the text “1.0”", "a number"
    ),
    "key mistyped": bundle(
        SOUND.replace('"metric"', '"metrik"'), "/results/0/metrik", "did you mean “metric”?"
    ),
    "no unit": bundle(without("results", "unit"), "at /results/0", "“unit” is missing (add it"),
    "no release": bundle(without("sdk", "version"), "at /sdk", "“version” is missing (add it"),
    "unit of something else": bundle(
        SOUND.replace("MB/s", "us"), "/results/0/unit", "write “MB/s”", status=0
    ),
    "time without its zone": bundle(
        SOUND.replace("00Z", "00"), "at /created", "such as 2024-04-02T09:30:00Z, with an offset"
    ),
    "day before month": bundle(
        SOUND.replace("2024-04-02T09:30:00Z", "02.04.2024"), "at /created", "such as 2024-04-02"
    ),
    "samples as a number": bundle(
        run_of(result(samples=5)), "/results/0/samples", "is the number 5 (allowed: a list)"
    ),
    "another word for failed": bundle(
        run_of(result(status="failed")), "/results/0/status", "did you mean “fail”?"
    ),
    "release as text": bundle(run_of(sdk="09.01"), "at /sdk", "(allowed: an object)"),
    "parameter in a parameter": bundle(
        run_of(result(params={"a": {"b": 1}})), "/results/0/params/a", "is an object (allowed: text"
    ),
    "key twice": bundle(
        SOUND.replace('"id"', '"id": "a", "id"'), "at /id", "appears here twice (keep one of them)"
    ),
    "newer schema": bundle(
        SOUND.replace('"version": 1', '"version": 2'), "at /version", "use a newer perfguide"
    ),
    "same figure twice": bundle(
        run_of(result(), result(value=3)), "/results/0 is 1 and /results/1 is 3", "name what differs",
        status=0,
    ),
    "withdraws what is not there": bundle(
        run_of(supersedes=["nope"], reason="x"), "/supersedes/0", "no valid bundle has this id",
        status=0,
    ),
    "benchmark mistyped": bundle(
        SOUND.replace('"speed"', '"sped"'), "/results/0/benchmark", "did you mean “speed”?", status=0
    ),
    "id twice": Mistake(
        {RUN: run_of(runner__name="lab"), "results/b.json": run_of(result(value=2), runner__name="lab")},
        CHECK, 1, ("results/b.json at /id", "is also in run.json", "its own id"),
    ),
    "SoC in small letters": Mistake(
        {RUN: SOUND, "results/b.json": run_of(id="b", board__soc="am62x")},
        CHECK, 0, ("results/b.json at /board/soc", "spelled differently", "write “AM62X”"),
    ),
    # -- folders and paths ----------------------------------------------------------
    "no bundle yet": Mistake(
        {"results/README.md": "x"}, CHECK, 3, ("results: warning", "put bundles there")
    ),
    "path mistyped": Mistake(
        {RUN: SOUND}, "check resluts", 2, ("resluts: error", "did you mean “results”?")
    ),
    "link to itself": Mistake(
        {RUN: SOUND, "results/loop.json": Link("loop.json")},
        CHECK, 1, ("results/loop.json", "points back to itself"),
    ),
    "link to nothing": Mistake(
        {RUN: SOUND, "results/x.json": Link("gone.json")},
        CHECK, 1, ("results/x.json", "points to gone.json, which does not exist"),
    ),
    "limit mistyped": Mistake(
        {RUN: SOUND}, f"{CHECK} --limit member=3", 2, ("there is no limit “member”", "members")
    ),
    "build outside of a project": Mistake(
        {}, "build", 2, ("there is no conf.py in", "perf-toctree")
    ),
    "build beside the documentation": Mistake(
        {"docs/conf.py": ""}, "build", 2, ("but in docs: run cd docs first",)
    ),
    # -- descriptions and lists -----------------------------------------------------
    "title without quotes": description(
        'title = "Speed"', "title = Speed", ":2: error", "text goes in double quotes"
    ),
    "key twice in a description": description(
        "order = 5", "order = 5\norder = 6", ":5: error", "each key must be unique"
    ),
    "key of a description mistyped": description(
        "chapter", "chaptre", "“chaptre” is unknown", "did you mean “chapter”?"
    ),
    "another word for better": description(
        '"higher"', '"more"', "metrics[0].better", "write one of higher, lower, neither"
    ),
    "threshold as text": description(
        'label = "Rate"', 'threshold = "5%"', "metrics[0].threshold", "write a number"
    ),
    "table of another metric": description(
        '["rate", "load"]', '["rat"]', "table “rate”", "did you mean “rate”?"
    ),
    "two tables with an id": description(
        '"latency"', '"rate"', "2 tables have this id", "use each only once"
    ),
    "no text beside a description": Mistake(
        {RUN: SOUND, "source/benchmarks/other.toml": TOML},
        CHECK, 0, ("source/benchmarks/other.toml", "there is no other.rst beside it", "write what"),
    ),
    "boards with one s too few": listed(
        "boards.toml", '[[board]]\nsoc = "A"\nname = "sk"\n', "“board” has no", "write [[boards]]"
    ),
    "one old name as text": listed(
        "boards.toml", '[[boards]]\nsoc = "A"\nname = "sk"\naliases = "x"\n',
        ":1: error: entry 1", "“aliases” is text where a list is required (write aliases = […]",
    ),
    "waiver without a reason": listed(
        "waivers.toml", '[[waivers]]\nbenchmark = "speed"\nmetric = "rate"\nuntil = "09.02"\n',
        "entry 1", 'write reason = "…"',
    ),
    "release as a number": listed(
        "waivers.toml",
        '[[waivers]]\nbenchmark = "speed"\nmetric = "rate"\nuntil = 9.02\nreason = "x"\n',
        "“until” is a number where text is required", 'write until = "…"',
    ),
    "rule mistyped": Mistake(
        TWO | {"source/acknowledged.toml": '[[acknowledged]]\nrule = "two-name"\nreason = "x"\n'},
        "health results", 2, ("source/acknowledged.toml:1", "did you mean “two-names”?"),
    ),
    # -- comparisons and other questions ------------------------------------
    "release that is not there": Mistake(
        TWO, "compare 08.00 09.01", 3, ("is named or begins with “08.00”", "did you mean “09.00”?")
    ),
    "release compared with itself": Mistake(
        TWO, "compare 09.01 latest", 3, ("both sides are 09.01", "name two of these releases: 09.00, 09.01")
    ),
    "file to compare mistyped": Mistake(
        TWO, "compare results/old.jsn 09.01", 2, ("results/old.jsn", "did you mean “old.json”?")
    ),
    "format that is none": Mistake(
        TWO, f"{COMPARE} --format pdf", 2, ("--format: invalid choice: 'pdf'", "'markdown'")
    ),
    "report into a folder that is not there": Mistake(
        TWO, f"{COMPARE} -o nowhere/x.md", 2, ("there is no folder nowhere; create it first",)
    ),
    "report with the name of a folder": Mistake(
        TWO, f"{COMPARE} -o results", 2, ("results: Is a directory (it is a folder; name a file)",)
    ),
    "release written otherwise": Mistake(
        SIZES, "show AM62X/9.1", 3, ("there is no release “9.1”", "did you mean “09.01”?")
    ),
    "export over other files": Mistake(
        SIZES | {"data/x.txt": "x"}, "export --parquet data", 2, ("data is not an earlier export", "name a new")
    ),
    "pages into a file": Mistake(
        SIZES | {"out": "x"}, "generate --output out", 2, ("out is a file where a folder must be",)
    ),
    # -- logs, uploads and imports --------------------------------------------------
    "empty log": Mistake(
        {"logs/a.log": ""}, PACK, 3, ("a.log  empty", "perfguide adapters lists the formats")
    ),
    "log of a Windows terminal, without figures": Mistake(
        {"logs/a.log": "x".encode("utf-16")}, PACK, 3, ("a.log  not understood", "no figure in the logs was understood")
    ),
    "no board": Mistake(
        {"logs/a.log": LOG}, "pack logs -o run.json", 2, ("“board” is missing", "--board, --soc")
    ),
    "format mistyped": Mistake(
        {"logs/a.log": LOG}, f"{PACK} --as linpak", 2, ("did you mean “linpack”?",)
    ),
    "two folders in one": Mistake(
        {"results/inbox/a.json": SOUND}, "intake results/inbox results", 2,
        ("inbox and results must not be inside each other",),
    ),
    "map that was completed already": Mistake(
        GUIDE | {"map.toml": "x"}, "import guide.rst --propose map.toml", 2,
        ("map.toml already exists; name another file",),
    ),
    "guide of another kind": Mistake(
        {"guide.pdf": b"%PDF-1.4"}, "import guide.pdf --propose map.toml", 3,
        ("tables are read from .rst, .rst.inc, .md, .html, .htm files",),
    ),
}  # fmt: skip


def test_there_are_sixty_of_them() -> None:
    assert len(MISTAKES) >= 60


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_its_place_and_how_to_mend_it(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    mistake = MISTAKES[name]
    described = {DESCRIPTION: TOML, "source/benchmarks/speed.rst": "Words.\n"}
    for place, data in {**described, **mistake.files}.items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(data, Link):
            path.symlink_to(data.to)
        else:
            path.write_bytes(data.encode() if isinstance(data, str) else data)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.chdir(tmp_path)
    try:
        status = main(shlex.split(mistake.command))
    except SystemExit as end:
        status = int(end.code or 0)
    said = "".join(capsys.readouterr())
    assert status == mistake.status, said
    for words in mistake.says:
        assert words in said
    assert all(path.read_bytes() == data for path, data in before.items()), "a file was changed"

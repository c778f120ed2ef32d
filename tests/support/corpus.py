"""The recorded logs with which adapters are tested, and the results expected of them.

Run as a program, it writes these results, and the table of recorded logs.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from msgspec import UNSET

from perfguide.adapters import Context, Format, Reading, read_log
from perfguide.adapters.envelope import opened
from perfguide.adapters.registry import BUILT_IN, named
from perfguide.bundle import Result
from perfguide.common.grouping import grouped

DATA = Path(__file__).parents[1] / "adapters" / "data"
PROGRAMS_FILE = DATA.parents[2] / "source" / "recorded-logs.csv"
"""The table of programs on the page of formats."""
PARAMS = {
    "aes-128-cbc-parsed.txt": {"algorithm": "aes-128-cbc"},
    "evp-40.txt": {"algorithm": "aes-256-cbc", "threads": 8},
}
"""Parameters that logs do not contain, so they have to be stated."""

Row = tuple[int, str, str, str, float | None, tuple[tuple[str, object], ...]]


def logs() -> list[Path]:
    """Return every log, in a fixed order."""
    return sorted(
        path
        for path in DATA.glob("*/*")
        if path.parent.name in BUILT_IN and not path.name.endswith(".expected.json")
    )


@cache
def built_in(name: str) -> Format:
    """Return a format of the package, without loading those of third parties."""
    adapter = named(name)
    assert isinstance(adapter, Format)
    return adapter


def read(path: Path, data: bytes | None = None) -> Reading:
    """Read the log, or other bytes in its place, with its own adapter."""
    # Many tests read complete logs, so these are cached; variants are not.
    return _cached_reading(path) if data is None else _read(path, data)


@cache
def _cached_reading(path: Path) -> Reading:
    return _read(path, path.read_bytes())


def _read(path: Path, data: bytes) -> Reading:
    adapter = built_in(path.parent.name)
    context = Context(path.name, PARAMS.get(path.name, {}))
    return read_log.read(opened(data), [adapter], context)[0]


def row(result: Result) -> Row:
    """Return a result as plain values."""
    assert result.log is not None
    value = None if result.samples is UNSET else result.samples[0]
    params = tuple(sorted(result.params.items()))
    return (result.log.line, result.benchmark, result.metric, result.unit, value, params)


def figures(reading: Reading) -> Counter[tuple[object, ...]]:
    """Count the figures of a reading, ignoring their lines, and without failures."""
    rows = (row(result) for result in reading.results)
    return Counter(each[1:] for each in rows if each[4] is not None)


@cache
def expected(path: Path) -> tuple[Row, ...]:
    """Return the results expected of a log."""
    lines = json.loads(expected_file(path).read_text("utf-8"))
    return tuple((*line[:5], tuple(sorted(line[5].items()))) for line in lines)


def expected_setups(path: Path) -> list[dict[str, object]]:
    """Return the setup facts expected for each result of a log."""
    lines = json.loads(expected_file(path).read_text("utf-8"))
    return [line[6] if len(line) > 6 else {} for line in lines]


def expected_file(path: Path) -> Path:
    """Return the file with the results expected of a log."""
    return path.with_name(path.name + ".expected.json")


ORIGINS = ("measured for this", "written after the program's own layout")
"""The origins of logs, in the order of the tables in the README beside them."""


def origin(path: Path) -> str:
    """Return how a log was made, according to the README beside the logs."""
    name = path.relative_to(DATA).as_posix()
    best = "", ""
    tables = (DATA / "README.md").read_text("utf-8").split("Written by hand")
    for kind, table in zip(ORIGINS, tables, strict=True):
        for cell in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE):
            folder = ""
            for pattern in re.findall("`([^`]*)`", cell):
                # A bare name belongs to the folder before it.
                folder = pattern.partition("/")[0] if "/" in pattern else folder
                full = pattern if "/" in pattern else f"{folder}/{pattern}"
                if fnmatch(name, full + "*" * full.endswith("/")):
                    best = max(best, (full, kind), key=lambda each: len(each[0]))
    return best[1]


def programs() -> list[list[str]]:
    """Return a table of the recorded logs by format, with the figures in them and the lines not
    read."""
    table = [
        ["Program", "Versions", "Logs", "Figures", "Failed", "Refused", "Left over", "Reasons"]
    ]
    for name, paths in grouped(logs(), lambda path: path.parent.name).items():
        readings = [read(path) for path in paths]
        results = [result for reading in readings for result in reading.results]
        refused = [
            each for reading in readings for each in reading.diagnostics if each.kind == "log-row"
        ]
        left_over = sum(
            bool(re.search(r"(?<![A-Za-z0-9_])[0-9]", line)) and number not in reading.lines
            for path, reading in zip(paths, readings, strict=True)
            for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), 1)
        )
        failed = sum(result.status == "fail" for result in results)
        origins = Counter(map(origin, paths))
        versions = {
            match[0]
            for path in paths
            if (match := re.match(r"[0-9]+(?:\.[0-9]+)*[a-z]?(?=-|$)", path.stem))
        }
        table.append(
            [
                built_in(name).title,
                ", ".join(sorted(versions)),
                "; ".join(f"{origins[kind]} {kind}" for kind in ORIGINS if origins[kind]),
                str(len(results) - failed),
                str(failed),
                str(len(refused)),
                str(left_over),
                "; ".join(sorted({each.message for each in refused})),
            ]
        )
    return table


def write(path: Path) -> None:
    """Write the results read from a log as the expected ones, and print those that changed."""
    lines = []
    for result in read(path).results:
        each = row(result)
        setup = [result.setup] if result.setup else []
        lines.append(json.dumps([*each[:5], dict(each[5]), *setup], ensure_ascii=False))
    text = "[" + ",\n".join(lines) + "]\n"
    file = expected_file(path)
    if not file.exists() or file.read_text("utf-8") != text:
        faults = [str(each) for each in read(path).diagnostics]
        print(f"{path.relative_to(DATA)}: {len(lines)} results", *faults, sep="\n  ")
    file.write_text(text, "utf-8")


if __name__ == "__main__":
    for log in logs():
        write(log)
    with PROGRAMS_FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(programs())

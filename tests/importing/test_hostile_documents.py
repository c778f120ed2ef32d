"""Documents that are written to exhaust the importer, or to lead it out of the guide."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from guide_tables import tables
from hostile_documents import DOCUMENTS, text
from msgspec import structs

from perfguide.cli import main
from perfguide.importing import isolated, rst
from perfguide.importing.limits import Limits, changed

SECONDS, MEGABYTES = 5, 300
NO_TABLE_LEFT = {
    # An open comment, script, tag or declaration holds all that follows it.
    *("open-tags.html", "comments.html", "declarations.html", "scripts.html"),
}
READ_ALL = """
import json, resource, sys
from hostile_documents import DOCUMENTS, text
from msgspec import structs
from perfguide.importing import isolated
from perfguide.importing.limits import Limits, changed

for name in DOCUMENTS:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # This one is read as long as it may be.
    limits = changed({"seconds": 1}) if name == "grid-wide.rst" else Limits()
    reading = isolated.read(name, text(name).encode(), lambda name: None, limits)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Not by getrusage: what that says of a process includes who has begun it.
    status = open("/proc/self/status").read()
    own = int(status.partition("VmHWM:")[2].split()[0])
    print(json.dumps({
        "name": name,
        "seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "megabytes": max(after.ru_maxrss, own) / 1024,
        "table": any(
            [cell.text for cell in row] == ["copy", "1.5"] for t in reading.tables for row in t.rows
        ),
        "faults": [[fault.line, str(fault)] for fault in reading.faults],
    }))
"""


@pytest.fixture(scope="module")
def readings() -> dict[str, Any]:
    """What reading each document gave and cost, in a process that has read nothing else."""
    support = Path(__file__).parents[1] / "support"
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL],
        env={**os.environ, "PYTHONPATH": str(support)},
        capture_output=True,
        check=True,
    )
    return {each["name"]: each for each in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_costs_little_and_its_faults_are_located(
    readings: dict[str, Any], name: str
) -> None:
    reading = readings[name]
    assert reading["seconds"] <= SECONDS
    assert reading["megabytes"] <= MEGABYTES
    if name not in NO_TABLE_LEFT:
        # The table behind the hostile part is read, or the fault that ends the reading is told.
        assert reading["table"] or any(
            "no table is taken from" in fault or "nothing is read" in fault or "left out" in fault
            for _, fault in reading["faults"]
        )
    assert all(line for line, _ in reading["faults"])


def test_a_document_that_ends_early_keeps_the_tables_before_that_place() -> None:
    document = text("class.rst") + "\n\n" + text("bullets.rst")
    reading = isolated.read("g.rst", document.encode(), lambda name: None, Limits())
    assert [cell.text for row in reading.tables[0].rows for cell in row] == ["copy", "1.5"]
    (fault,) = reading.faults
    row, bullets = (document[: document.index(word)].count("\n") + 1 for word in ("copy", "- - -"))
    assert fault.line is not None and row <= fault.line <= bullets
    assert "nested too deep" in fault.message


@pytest.mark.parametrize(
    ("name", "limit", "number"),
    [
        ("grid.rst", "seconds", 1),
        ("class.rst", "document", 10),
        ("class.rst", "line", 20),
        ("class.rst", "cells", 1),
        ("class.rst", "characters", 3),
        ("class.rst", "columns", 1),
        ("class.rst", "cell", 3),
    ],
)
def test_a_fault_names_the_limit_that_it_is_about(name: str, limit: str, number: int) -> None:
    limits = changed({limit: number})
    reading = isolated.read(name, text(name).encode(), lambda name: None, limits)
    assert any(f"--limit {limit}=NUMBER" in str(fault) for fault in reading.faults)
    assert all(fault.kind == "limit" for fault in reading.faults)
    assert reading.tables == []


def test_a_fault_names_the_limit_of_memory() -> None:
    # In a process of its own: memory that other tests have freed is used first, and does not count.
    script = (
        "import sys; from pathlib import Path; from test_hostile_documents import isolated, text\n"
        "from perfguide.importing.limits import changed\n"
        "document = text('quotes.rst').encode()\n"
        "reading = isolated.read('quotes.rst', document, lambda _: None, changed({'memory': 5_000_000}))\n"
        "print(*reading.faults, len(reading.tables), sep='\\n')\n"
    )
    paths = os.pathsep.join(filter(None, [str(Path(__file__).parent), *sys.path]))
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    *faults, tables_read = done.stdout.splitlines()
    assert any("--limit memory=NUMBER" in fault for fault in faults)
    assert tables_read == "0"


def test_substitutions_are_replaced() -> None:
    definitions = ".. |x| replace:: |Y|\n.. |y| replace:: c *d*\n"
    document = f"=== ==\nA   B\n=== ==\n|x| 1\n=== ==\n\n{definitions}"
    (table,) = tables(rst.read, "g.rst", document)
    assert [cell.text for cell in table.rows[0]] == ["c d", "1"]


OUTSIDE = 'Name,"evm: rate (MB/s)"\nLEAKED,99.5\n'


def test_nothing_outside_the_guide_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guide, secret, out = tmp_path / "guide", tmp_path / "secret", tmp_path / "out"
    guide.mkdir()
    for path in (secret, tmp_path / "secret.csv"):
        path.write_text(OUTSIDE, "utf-8")
    (tmp_path / "secret.rst").write_text(f".. csv-table::\n\n   {OUTSIDE}".replace("\nL", "\n   L"))
    for name in DOCUMENTS:
        document = text(name)
        if len(document) < 1000:
            (guide / name).write_text(document.replace("{secret}", str(secret)), "utf-8")
    (guide / "link.csv").symlink_to(secret)
    (guide / "link.rst").symlink_to(tmp_path / "secret.rst")
    (guide / "folder").symlink_to(tmp_path)
    os.mkfifo(guide / "pipe.rst")
    meaning = tmp_path / "map.toml"
    assert main(["import", str(guide), "--propose", str(meaning), "--soc", "X"]) == 0
    date = ["--created", "2024-03-28T00:00:00Z", "--sdk", "1.0"]
    assert main(["import", str(guide), "--map", str(meaning), "-o", str(out), *date]) == 0
    printed = capsys.readouterr()
    written = "".join(path.read_text("utf-8") for path in [meaning, *out.iterdir()])
    assert "LEAKED" not in written + printed.out + printed.err
    assert '"copy"' in written
    assert "link.rst: error: is not a regular file" in printed.err
    assert "pipe.rst: error: is not a regular file" in printed.err


def test_reading_cannot_open_or_write_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even a reader that tries gets no file: the process may have none."""
    target = tmp_path / "opened"

    def reader(file: str, document: str, opener: object, reading: object) -> None:
        target.write_text("x")

    monkeypatch.setitem(isolated.READERS, ".rst", reader)
    reading = isolated.read("g.rst", b"", lambda name: None, Limits())
    assert not target.exists()
    assert [fault.kind for fault in reading.faults] == ["unreadable"]


def test_security_lists_the_limits_of_imports() -> None:
    promised = (Path(__file__).parents[2] / "SECURITY.md").read_text("utf-8")
    section = promised.partition("## What is promised of imports")[2].partition("\n## ")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| ([0-9,]+) \|", section, re.M))
    assert listed == {each.name: f"{each.default:,}" for each in structs.fields(Limits)}

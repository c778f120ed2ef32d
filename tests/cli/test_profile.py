"""Where the time went is told where it is asked for, and a short command loads little."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import TOP

from perfguide.cli import command_line
from perfguide.common.timing import Phases

LINE = re.compile(r"^(.+?) +(\d+\.\d\d) s +(\d+) % +(\d+\.\d\d) s CPU$")


def test_phases_add_up_and_one_that_is_named_again_goes_on() -> None:
    spent = Phases()
    time.sleep(0.03)
    spent.mark("sleeping")
    sum(range(10**6))
    spent.mark("adding")
    time.sleep(0.03)
    spent.mark("sleeping")
    assert list(spent.spent) == ["sleeping", "adding"]
    clock, cpu = spent.spent["sleeping"]
    assert clock >= 0.06 > cpu
    assert spent.spent["adding"][1] > 0
    rows = [LINE.match(line) for line in spent.text().splitlines()]
    names = [row[1] for row in rows if row]
    assert names == ["sleeping", "adding", "total"]
    shares = [int(row[3]) for row in rows if row]
    assert shares[-1] == 100 and abs(sum(shares[:-1]) - 100) <= 1


def test_generate_tells_each_phase_on_stderr(
    tmp_path: Path,
    write_bundle: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_bundle(tmp_path / "results/a.json")
    monkeypatch.chdir(tmp_path)
    assert command_line.main(["generate"]) == 0
    assert capsys.readouterr().err == ""
    write_bundle(tmp_path / "results/b.json", id="run-2", sdk__version="09.03")
    assert command_line.main(["generate", "--profile"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("2 guides with 2 figures in source: ")
    rows = [LINE.match(line) for line in told.err.splitlines()]
    names = [row[1] for row in rows if row]
    assert len(names) == len(rows)
    assert {"reading bundles", "writing SoCs", "writing benchmarks", "total"} <= set(names)


def test_help_loads_nothing_that_reads_figures() -> None:
    code = (
        "import sys\nfrom perfguide import cli\n"
        "try:\n    cli.main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'pandas', 'scipy', 'pyarrow', 'matplotlib', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=TOP / "ext",
    )
    assert done.stderr.splitlines()[-1] == "[]" and "compare" in done.stdout

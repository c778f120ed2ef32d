"""A command loads what it needs: help and the version little, no command what only others need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from making import SHIPPED, plain

ALWAYS_LATE = ("docutils", "jinja2", "matplotlib", "sphinx")
"""Packages that no command loads to print text."""

TABLES = ("numpy", "pandas", "pyarrow", "scipy")
"""Packages by which figures are read and judged."""

READING = ("importlib.metadata", "msgspec", "tqdm", "zstandard")
"""What it takes to read bundles."""

CODE = """
import sys
from perfguide.cli import main
try:
    main(sys.argv[2:])
except SystemExit:
    pass
print(*sorted({*sys.argv[1].split()} & {*sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "late"),
    [
        (["--version"], (*ALWAYS_LATE, *TABLES, *READING)),
        (["--help"], (*ALWAYS_LATE, *TABLES, *READING)),
        (["schema"], (*ALWAYS_LATE, *TABLES, "tqdm", "zstandard")),
        (["check"], (*ALWAYS_LATE, "pandas", "pyarrow", "scipy")),
        (["list"], (*ALWAYS_LATE, "pandas", "pyarrow", "scipy")),
        (["compare", "09.00", "09.01"], ALWAYS_LATE),
        (["compare", "board=a", "board=b", "--format", "csv"], ALWAYS_LATE),
    ],
    ids=lambda value: " ".join(value[:3]),
)
def test_a_command_has_not_loaded_what_only_others_need(
    arguments: list[str], late: tuple[str, ...], tmp_path: Path
) -> None:
    result = {"benchmark": "stream", "metric": "copy", "unit": "MB/s", "samples": [1.0, 1.1]}
    for release in ("09.00", "09.01"):
        for board in ("a", "b"):
            run = plain(result, id=f"{release}-{board}", sdk__version=release, board__name=board)
            path = tmp_path / f"results/{release}-{board}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(run), "utf-8")
    reading = arguments[0] in ("check", "list", "compare")
    options = ["--benchmarks", str(SHIPPED)] if reading else []
    done = subprocess.run(
        [sys.executable, "-c", CODE, " ".join(late), *arguments, *options],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout, done.stderr
    assert done.stderr.splitlines()[-1] == "", done.stderr


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_help_and_the_version_load_no_module_of_a_command(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom perfguide.cli import main\ntry:\n    main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        "print(*sorted(n for n in sys.modules if n.startswith('perfguide.')), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    folders = {name.split(".")[1] for name in done.stderr.split()}
    assert folders == {"cli", "common"}
    own = {name for name in done.stderr.split() if name.startswith("perfguide.cli.")}
    assert own == {f"perfguide.cli.{name}" for name in ("command_line", "shared")}

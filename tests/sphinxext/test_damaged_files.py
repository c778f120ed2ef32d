"""A file of a generated page that is damaged or gone is named, and the rest of the page is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import run_sphinx

CONF = 'extensions = ["perfguide"]\nsuppress_warnings = ["perfguide.no-results"]\n'
PAGE = """.. perfguide: page

Title
=====

.. csv-table:: Figures
   :file: page/t.csv
   :header-rows: 1

The rest.
"""
FIGURES, TABLE = b"perfguideFigures={}", b"Name,Value\na,1\n"
NO_ROW = b'perfguideFigures={"tables":{"page/t.csv":{"figures":[[7,1,1.5,""]]}}}'


@pytest.mark.parametrize(
    ("figures", "table", "named"),
    [
        (b"perfguideFigures={", TABLE, "source/page/figures.js"),
        (b'perfguideFigures={"tables": 3}', TABLE, "source/page/figures.js"),
        (NO_ROW, TABLE, "source/page/t.csv"),
        (FIGURES, b"\xff", "source/page/t.csv"),
        (FIGURES, b"", "source/page/t.csv"),
        (FIGURES, None, "source/page/t.csv"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_warning(
    tmp_path: Path, figures: bytes, table: bytes | None, named: str
) -> None:
    project = tmp_path / "project"
    (project / "results").mkdir(parents=True)
    (project / "source/page").mkdir(parents=True)
    (project / "conf.py").write_text(CONF, "utf-8")
    (project / "index.rst").write_text("Home\n====\n\n.. toctree::\n\n   source/page\n", "utf-8")
    (project / "source/page.rst").write_text(PAGE, "utf-8")
    (project / "source/page/figures.js").write_bytes(figures)
    if table is not None:
        (project / "source/page/t.csv").write_bytes(table)
    run = run_sphinx(project, tmp_path / "html")
    assert run.returncode == 0, run.stderr
    [line] = [line for line in run.stderr.splitlines() if "cannot be read" in line]
    assert "source/page.rst" in line and f"WARNING: {named}: cannot be read: " in line
    assert "generate it again" in line
    assert "The rest." in (tmp_path / "html/source/page.html").read_text("utf-8")

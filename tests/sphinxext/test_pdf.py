"""Guides on paper: every figure is in the PDF, tables fit, heads are repeated."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import debian
import pytest
from conftest import bare_project, run_sphinx

from perfguide.sphinxext import latex


def farm(project: Path, write: Callable[..., Path]) -> Path:
    """A site of two guides: the newer one has a long table and a wide one."""
    shutil.rmtree(project / "results")
    write(project / "results/old.json", id="old", sdk__version="09.01")
    long = [
        {
            "benchmark": "lmbench",
            "metric": f"bw_probe-{number:03d}",
            "unit": "MB/s",
            "value": 2000 + number + 0.25,
        }
        for number in range(120)
    ]
    for board in range(12):
        wide = [
            {
                "benchmark": "boxes",
                "metric": metric,
                "unit": "MB/s",
                "value": 5000 + board + shift,
                "min": 1000 + board,
                "max": 12345678.25 + board,
            }
            for shift, metric in ((0.25, "read"), (100.25, "write"))
        ]
        name = f"a_board_with_a_name_{board:02d}"
        write(
            project / f"results/{board}.json",
            [*wide, *(long if board == 0 else [])],
            id=f"b{board}",
            board__name=name,
        )
    return project


def test_a_guide_as_pdf_holds_every_figure_and_cuts_none(
    tmp_path: Path, write_bundle: Callable[..., Path]
) -> None:
    project = farm(bare_project(tmp_path / "project"), write_bundle)
    out = tmp_path / "latex"
    run = run_sphinx(project, out, "-b", "latex", "-D", "perfguide_pdf=SOC1/linux/09.02", "-W")
    assert run.returncode == 0, run.stderr
    assert [path.name for path in out.glob("*.tex")] == ["soc1-linux-09-02.tex"]
    debian.latex()
    command = ["latexmk", "-pdfxe", "-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run(
        [*command, "soc1-linux-09-02.tex"], cwd=out, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    log = (out / "soc1-linux-09-02.log").read_text("utf-8", "replace")
    wide = [float(size) for size in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert max(wide, default=0.0) < 6, "text runs out of a column or of the page"
    assert "Missing character" not in log
    text = subprocess.run(
        [debian.program("pdftotext", "poppler-utils"), "-layout", "soc1-linux-09-02.pdf", "-"],
        cwd=out,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    pages = text.split("\f")
    assert "SOC1 performance guide" in pages[0] and "09.02" in pages[0]
    assert "CONTENTS" in pages[1].upper() and "Sources" in text.title()
    # Behind the guide stands where its figures come from.
    assert "Provenance of SOC1, Linux 09.02" in " ".join(text.split())
    assert "/results/0" in text and "/results/1" in text
    # With the digits that pages show, which are all those before the point.
    rows = dict(re.findall(r"(probe-\d+) +MB/s ↑ +(\S+)\n", text))
    assert rows == {f"probe-{n:03d}": f"2,{n:03d}" for n in range(120)}
    for board in range(12):
        ends = f"(min 1,{board:03d}, max {12345678 + board:,})"
        for mean in (f"5,{board:03d}", f"5,{100 + board}"):
            assert text.count(f" {mean} {ends}") == 1
    probes = [page for page in pages if "probe-" in page]
    assert len(probes) > 1
    assert all("Metric" in page and "a_board_with_a_name_00" in page for page in probes)
    # The page on which a chapter begins has none.
    assert all("SOC1 performance guide" in page for page in probes[1:]), "running heads"


def test_a_guide_that_is_not_there_is_named_with_the_way_to_find_others(
    project: Path, tmp_path: Path, write_bundle: Callable[..., Path]
) -> None:
    farm(project, write_bundle)
    run = run_sphinx(project, tmp_path / "out", "-b", "latex", "-D", "perfguide_pdf=NONE/linux/1")
    assert "no guide is named “NONE/linux/1”" in run.stderr
    assert "perfguide list" in run.stderr
    assert run.returncode == 2


def test_the_newest_guide_of_each_platform_is_a_document_of_its_own(
    project: Path, tmp_path: Path, write_bundle: Callable[..., Path]
) -> None:
    farm(project, write_bundle)
    write_bundle(project / "results/rt.json", id="rt", sdk__os="rt-linux")
    for wanted, names in (
        ("newest", {"soc1-linux-09-02.tex", "soc1-rt-linux-09-02.tex"}),
        ("SOC1/linux/*", {"soc1-linux-09-01.tex", "soc1-linux-09-02.tex"}),
    ):
        out = tmp_path / f"out-{len(names)}-{wanted[:3]}"
        run = run_sphinx(project, out, "-b", "latex", "-D", f"perfguide_pdf={wanted}", "-W")
        assert run.returncode == 0, run.stderr
        assert {path.name for path in out.glob("*.tex")} == names


ROWS: list[list[str]] = [
    ["Size", *[f"board-{board}" for board in range(9) for _ in range(2)]],
    ["", *["Throughput (MB/s)", "CPU load (%)"] * 9],
    ["64", *["1252.05 (min 773.99, max 1730.10) n=3", "50.00"] * 9],
]


def test_every_column_is_in_one_part_and_the_keys_in_all() -> None:
    found = latex.parts(ROWS, 1, ROWS[0])
    assert len(found) > 1
    assert all(part.columns[0] == 0 for part in found)
    assert [c for part in found for c in part.columns[1:]] == list(range(1, 19))
    assert all(sum(part.shares()) <= 1.001 for part in found)


def test_columns_of_one_board_stay_together() -> None:
    for part in latex.parts(ROWS, 1, ROWS[0]):
        boards = [ROWS[0][column] for column in part.columns[1:]]
        assert all(boards.count(board) == 2 for board in boards)


def test_a_narrow_table_is_one_part_with_no_broken_cell() -> None:
    rows: list[list[str]] = [row[:3] for row in ROWS]
    (part,) = latex.parts(rows, 1, rows[0])
    assert part.size == "small" and not part.long
    assert all(max(len(row[c]) for row in rows) <= part.widths[c] for c in range(3))


@pytest.mark.parametrize("text", ["", "  a  b ", "x" * 300, f"{'y' * 60} 1.25", "abc def"])
def test_a_broken_word_loses_nothing(text: str) -> None:
    found: list[Any] = latex.pieces(text)
    assert "".join(found) == text
    assert all(len(word) <= latex.MAX_WORD_CHARS for piece in found for word in piece.split(" "))

"""The bench measures what it says, and its exit status says whether a goal is missed."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from profiles import count

ROOT = Path(__file__).resolve().parents[2]
# A third of the time of all parts goes into changes of an archive.
CHANGING = ("changing",) * count(0, heavy=1)
PARTS = ("reading", *CHANGING, "logs")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, list[dict[str, str]]]:
    """The exit status and the table of its smallest size."""
    table = tmp_path_factory.mktemp("bench") / "speed.csv"
    parts = [word for part in PARTS for word in ("--part", part)]
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / "run.py", "--size", "quick", "--output", table, *parts],
        env=os.environ | {"PYTHONPATH": str(ROOT / "ext")},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert not done.stderr
    return done.returncode, list(csv.DictReader(table.read_text("utf-8").splitlines()))


def test_the_bench_tells_each_figure_and_fails_where_a_goal_is_missed(
    bench: tuple[int, list[dict[str, str]]],
) -> None:
    status, rows = bench
    for row in rows:
        measured = float(row["Measured"].split()[0])
        if not row["Figure"].startswith(("Power", "One new", "Nothing changed")):
            assert measured >= 0, row
        if row["Outcome"] != "—":
            most = float(row["Goal"].removeprefix("at most "))
            # What is shown is rounded.
            assert abs(measured - most) < 0.01 or (row["Outcome"] == "missed") == (measured > most)
    assert status == (1 if any(row["Outcome"] == "missed" for row in rows) else 0)


@pytest.mark.parametrize(
    "figure",
    [
        "Decode, validate and frame",
        "Reading a log: hackbench",
        *("The site, to plain Sphinx", "One new bundle", "Nothing changed") * len(CHANGING),
    ],
)
def test_the_bench_has_a_figure_of_each_kind(
    bench: tuple[int, list[dict[str, str]]], figure: str
) -> None:
    assert any(row["Figure"].startswith(figure) for row in bench[1])


def test_a_program_renews_its_own_rows_of_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "bench")
    import page_rows

    def rows() -> list[list[str]]:
        return [line[:2] for line in csv.reader(table.read_text("utf-8").splitlines())]

    table, head = tmp_path / "table.csv", ("Case", "Result")
    page_rows.write(table, head, [["one", 1], ["two", 2]])
    page_rows.write(table, head, [["three", 3], ["one", 4]])
    assert rows() == [["Case", "Result"], ["one", "4"], ["two", "2"], ["three", "3"]]
    page_rows.write(table, ("Case", "Other"), [["two", 5]])
    assert rows() == [["Case", "Other"], ["two", "5"]]


@pytest.mark.parametrize("name", ["CHANGES", "SAMPLED_VERDICTS", "SINGLE_VERDICTS"])
def test_tables_of_the_page_have_the_columns_and_rows_that_programs_write(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "bench")
    import page_rows
    import planted_faults
    import publishing
    import simulated_verdicts
    import single_figures

    table = getattr(page_rows, name)
    head, *rows = csv.reader(table.read_text("utf-8").splitlines())
    columns, cases = {
        "CHANGES": (
            publishing.PUBLISHED,
            {publishing.FIRST_BUILD, *publishing.CHANGES} - publishing.NOT_PUBLISHED,
        ),
        "SAMPLED_VERDICTS": (
            simulated_verdicts.HEAD,
            {*filter(simulated_verdicts.on_page, simulated_verdicts.scenarios())},
        ),
        "SINGLE_VERDICTS": (
            page_rows.SINGLE_HEAD,
            {*single_figures.PUBLISHED.values(), *planted_faults.PUBLISHED.values()},
        ),
    }[name]
    assert head == [*columns, page_rows.MEASURED]
    assert {row[0] for row in rows} == cases and len(rows) == len(cases)
    pages = ("source/speed-and-accuracy.rst", "source/methods.rst")
    texts = [(ROOT / page).read_text("utf-8") for page in pages]
    assert sum(f":file: {table.name}\n" in text for text in texts) == 1


def test_growth_is_told_apart_from_what_the_fewest_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "bench")
    import counts

    sizes = [20, 60, 180, 540]
    straight = [7.0 + 0.3 * size for size in sizes]
    square = [100.0 + 0.01 * (size - 20) ** 2 for size in sizes]
    assert counts.power(sizes, straight) == pytest.approx(1.0)
    assert counts.power(sizes, square) == pytest.approx(2.0)
    assert counts.power(sizes, [5.0, 4.0, 6.0, 7.0]) != counts.power(sizes, straight)

"""Cells read as the guides promise, and the CSV holds them exactly."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import described, loaded, only, records, result

from perfguide.catalog.board_names import Boards
from perfguide.common import csv_text, units
from perfguide.figures.pool import Cell
from perfguide.tables import summaries
from perfguide.tables.assign import Layout
from perfguide.tables.grids import (
    Grid,
    cell_text,
    figure,
    grid,
    listing,
    shorts,
    to_csv,
)


def text(*results: dict[str, Any], decimals: int = 2, **changes: Any) -> str:
    """The cell of results that pool."""
    items = [loaded(r, id=f"r{n}", **changes) for n, r in enumerate(results)]
    return cell_text(only(records(*items)).cell, decimals)


@pytest.mark.parametrize(
    ("results", "shown"),
    [
        ([result(value=1252.05)], "1252.05"),
        (
            [result(value=1252.05, min=773.99, max=1730.10)],
            "1252.05 (min 773.99, max 1730.10)",
        ),
        ([result(samples=[1, 2, 6])], "3.00 (min 1.00, max 6.00) n=3"),
        ([result(value=3, count=3)], "3.00 n=3"),
        ([result(samples=[4])], "4.00"),
        ([result(value=0)], "0.00"),
        ([result(value=0.001)], "0.001"),
        ([result(status="fail")], "failed"),
        (
            [result(samples=[4]), result(status="fail"), result(value=6)],
            "5.00 (min 4.00, max 6.00) n=2; 1 of 3 runs failed",
        ),
        ([result(value=1, min=-1, max=2)], "1.00 (min -1.00, max 2.00)"),
    ],
)
def test_a_cell_says_what_is_known(results: list[dict[str, Any]], shown: str) -> None:
    assert text(*results) == shown


def test_a_cell_names_conditions_that_differ() -> None:
    one = loaded(id="a", sdk__kernel="5")
    two = loaded(id="b", sdk__kernel="6")
    both = loaded(id="c", sdk__kernel="6", board__cpu_mhz=800)
    more = loaded(id="d", sdk__kernel="5", board__cpu_mhz=900)
    tail = "(min 1.00, max 1.00) n=2; "
    assert cell_text(only(records(one, two)).cell) == f"1.00 {tail}kernel differs between the runs"
    assert cell_text(only(records(both, more)).cell) == (
        f"1.00 {tail}clock and kernel differ between the runs"
    )


def test_a_figure_is_a_number_with_all_its_digits_beside_its_text() -> None:
    cell = only(records(loaded(result(samples=[1, 1, 2])))).cell
    assert figure(cell, 1) == (4 / 3, "1.3", " (min 1.0, max 2.0) n=3")
    assert (
        figure(None) == "—"
        and figure(only(records(loaded(result(status="fail")))).cell) == "failed"
    )


def test_missing_is_told_apart_from_failed_and_zero() -> None:
    shown = {cell_text(None), text(result(status="fail")), text(result(value=0))}
    assert shown == {"—", "failed", "0.00"}


def test_decimals_hold_for_the_spread_too() -> None:
    assert text(result(samples=[1, 2]), decimals=0) == "2 (min 1, max 2) n=2"
    assert text(result(value=12.3456), decimals=3) == "12.346"


def test_a_view_becomes_header_rows_and_rows_with_their_keys(tmp_path: Path) -> None:
    catalog = described(tmp_path)
    found = records(
        loaded(
            result(value=2, params={"block_size": 16}),
            result("load", "%", value=50, params={"block_size": 16}),
            result(value=3, params={"block_size": 4096, "engine": "hw"}),
        ),
        described=catalog,
    )
    sections, other = Layout(catalog).sections(found)
    assert other == {}
    assert grid(only(only(sections).views)) == Grid(
        (
            ("Block size", "sk", "sk", "sk"),
            ("", "accelerator", "software", "software"),
            ("", "Rate (MB/s) ↑", "Rate (MB/s) ↑", "CPU load (%) ↓"),
        ),
        (
            ((16, "16 bytes", ""), "—", (2.0, "2.00", ""), (50.0, "50.0", "")),
            ((4096, "4 KiB", ""), (3.0, "3.00", ""), "—", "—"),
        ),
        1,
        # Addresses do not depend on labels.
        names=[(0, 0, "16"), (1, 0, "4k")],
        head_names={"accelerator": "hw", "software": "sw", "CPU load (%) ↓": "load (%) ↓"},
    )


CELLS = st.text(st.characters(codec="utf-8"), max_size=8)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.tuples(*[CELLS] * n), min_size=1)))
def test_csv_comes_back_exactly(rows: list[tuple[str, ...]]) -> None:
    data = to_csv(listing(rows[0], rows[1:]))
    back = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
    assert [tuple(map(csv_text.plain, row)) for row in back] == rows


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=8)))
def test_csv_is_what_the_standard_writer_makes(row: list[str]) -> None:
    buffer = io.StringIO(newline="")
    row = [cell for cell in row if csv_text.marked(f"x {cell}") == f"x {cell}"]
    row = ["x", *(cell for cell in row if csv_text.marked(cell) == cell)]
    csv.writer(buffer, lineterminator="\n").writerow(row)
    assert to_csv(Grid((tuple(row),), (), 0)) == buffer.getvalue().encode()


@pytest.mark.parametrize("awkward", ["a\rb", "\r", 'a"b', "a,b", "a\nb", "", " a ", "=1+1", "\x00"])
def test_awkward_cells_come_back(awkward: str) -> None:
    data = to_csv(listing(("x", awkward), [(awkward, "y"), (awkward, awkward)]))
    back = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
    texts = [[csv_text.plain(cell) for cell in row] for row in back]
    assert texts == [["x", awkward], [awkward, "y"], [awkward, awkward]]


def test_csv_has_plain_line_ends_and_no_needless_quotes() -> None:
    assert to_csv(listing(("A", "B"), [("1", "2.00"), ("—", "x y")])) == (
        "A,B\n1,2.00\n—,x y\n".encode()
    )


def test_a_name_that_no_text_can_hold_shows_as_an_escape() -> None:
    assert to_csv(listing(("\udcff.json",), [])) == b"\\udcff.json\n"


def test_no_cell_is_ever_empty() -> None:
    cells = [None, Cell(None, None, None, None, 1, 1, (), (), ()), only(records(loaded())).cell]
    assert all(cell_text(c).strip() for c in cells)
    assert cell_text(cells[1]) == units.FAILED


def test_a_head_has_short_names_where_columns_can_still_be_told_apart() -> None:
    head = ("Metric", "Unit", "am_lp", "am_sk", "other")
    table = Grid((head,), (), 2)
    known = {"am_lp": "SK LP", "am_sk": "SK", "Metric": "M", "other": "other"}
    assert shorts(table, known) == {"am_lp": "SK LP", "am_sk": "SK"}
    assert shorts(table, known | {"am_lp": "SK"}) == {}, "two columns would be SK"
    two = Grid((("Key", "A", "B"), ("", "am_sk", "am_old")), (), 1)
    score = Grid((("Key", "am_sk", "Score (score) ↑", "Rate (MB/s) ↑"),), (), 1)
    assert shorts(score, {}) == {"Score (score) ↑": "Score ↑"}
    assert shorts(two, {"am_sk": "SK", "am_old": "SK"}) == {"am_sk": "SK", "am_old": "SK"}


def test_tabs_have_the_short_names_of_boards_but_none_twice() -> None:
    rows = tuple((board, "1") for board in ("am_lp", "am_sk", "am_old", "am_lp"))
    table = Grid((("Board", "09.02"),), rows, 1, tabs=True)
    known = {"am_lp": "SK LP", "am_sk": "SK", "am_old": "SK"}
    assert shorts(table, known) == {"am_lp": "SK LP"}
    assert shorts(Grid(table.header, rows, 1), known) == {}


def test_a_list_of_boards_has_no_empty_column_and_is_no_bare_list_of_names() -> None:
    plain, described_one, known = (
        loaded(result(), board__name=name, **stated).bundle
        for name, stated in (
            ("a", {}),
            ("b", {"board__description": "with a fan"}),
            ("c", {"board__memory": "2 GB"}),
        )
    )
    for bundles, head, rows in (
        ([plain], ("Board", "Description"), [("a", "not stated")]),
        ([plain, known], ("Board", "Memory"), [("a", units.MISSING), ("c", "2 GB")]),
        ([described_one], ("Board", "Description"), [("b", "with a fan")]),
    ):
        table = summaries.boards(bundles)
        assert (table.header, [tuple(row) for row in table.rows]) == ((head,), rows)


def test_a_list_of_boards_says_which_names_are_taken_for_one_board() -> None:
    known = Boards({("AM62X", "sk-old"): "sk"}, {("AM62X", "sk"): "SK"})
    bundles = [loaded(result(), board__name=name).bundle for name in ("sk-old", "sk")]
    table = summaries.boards(bundles, known)
    assert table.header == (("Board", "In heads", "Same board as"),)
    assert [tuple(row) for row in table.rows] == [
        ("sk", "SK", units.MISSING),
        ("sk-old", "SK", "sk"),
    ]

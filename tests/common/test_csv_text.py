"""CSV downloads: nothing that a spreadsheet would compute, and nothing lost."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from profiles import examples

from perfguide.common import csv_text
from perfguide.tables.grids import Grid, listing, to_csv

FORMULAS = [
    "=1+1",
    "=cmd|'/C calc'!A0",
    "+1+1",
    "-2+3+cmd|'/C calc'!A0",
    "@SUM(1;1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "\u00a0=1",
    "\ufeff=1",
    "'=1",
    "''=1",
    "a;=1",
    "a,=1",
    'a"=1',
    "a\n=1",
    "a\t-x",
    "a; +x",
    "x;'=1",
    "＝1",
    "-1.50 (min =1, max 2)",
    "-1;=1",
    "-",
    "--x",
    '";=1',
    '=HYPERLINK("http://x","y")',
]
FIGURES = [
    "-1.50",
    "0",
    "1e-05",
    "-1e-05",
    "-1.50 (min -2.00, max -1.00) n=3",
    "-1.50 (min -2.00)",
    "-1.50 (max 2.00); 3 runs",
    "-0.25; 1 of 3 runs failed; clock and memory differ between the runs",
    "-1.234560e+20",
]
TEXTS = st.one_of(
    st.text("=+-@'\t\r\n ;,\"a1\ufeff＝", max_size=10),
    st.text(st.characters(codec="utf-8"), max_size=8),
    st.sampled_from(FORMULAS + FIGURES),
)


SIGNS = set("=+-@\t\r\n＝＋－＠")


def begins_a_formula(cell: str) -> bool:
    """What a spreadsheet may compute, as OWASP lists it, whatever it trims before."""
    cell = cell.strip(" \u00a0\ufeff\u2003\u3000\r\n")
    number = r"-[0-9][0-9.e+-]*( \([a-z0-9., -]*\))?( n=[0-9]+)?(; [a-z0-9 ]+)*"
    return cell[:1] in SIGNS and cell != "" and not re.fullmatch(number, cell)


@given(TEXTS)
@example("'\t'\t=1")
@examples(200, heavy=2000)
def test_what_is_marked_comes_back(text: str) -> None:
    assert csv_text.plain(csv_text.marked(text)) == text


@given(TEXTS, TEXTS)
@examples(100, heavy=1000)
def test_two_texts_are_never_marked_alike(one: str, other: str) -> None:
    assert (csv_text.marked(one) == csv_text.marked(other)) == (one == other)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@given(rows=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4))
@example([("-1", "5*cmd|'/C calc'!A0", "")])
@examples(80, heavy=400)
def test_no_cell_begins_a_formula_whatever_the_separator(
    separator: str, rows: list[tuple[str, str, str]]
) -> None:
    text = to_csv(Grid((), tuple(rows), 0)).decode()
    read = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    cells = [cell for row in read for cell in row]
    if separator != ",":
        # Quotes that do not begin a cell are characters like others, or are left out.
        cells += re.split(f"[\r\n{separator}]", text)
        cells += re.split(f"[\r\n{separator}]", text.replace('"', ""))
    for cell in cells:
        assert not begins_a_formula(cell), (separator, cell)


@pytest.mark.parametrize("text", FORMULAS)
def test_every_formula_is_marked(text: str) -> None:
    assert not begins_a_formula(csv_text.marked(text))
    assert csv_text.plain(csv_text.marked(text)) == text


@pytest.mark.parametrize("text", FIGURES)
def test_figures_stay_numbers_and_texts_that_look_like_them_do_not(text: str) -> None:
    mean, space, rest = text.partition(" ")
    figure = (float(mean.partition(";")[0]), mean, space + rest)
    table = listing(("key", "figure"), [("key", figure), (figure, text)])
    _, one, other = csv.reader(io.StringIO(to_csv(table).decode()))
    assert one == ["key", text]
    marked = f"'{text}" if text.startswith("-") else text
    assert other == [marked, marked]


@pytest.mark.parametrize("text", ["it's", "'a'", "a='b'", "1,5", "x-y", "a@b", "a = b", "—", "'"])
def test_ordinary_text_has_no_mark(text: str) -> None:
    assert csv_text.marked(text) == text


def test_a_row_is_the_same_whichever_way_it_is_written() -> None:
    for cell in [*FORMULAS, *FIGURES, "a,b", 'a"b', "plain", ""]:
        row = ("x", cell, "-1.5")
        whole = next(csv.reader(io.StringIO(csv_text.line(row), newline="")))
        assert whole == [csv_text.marked(c) for c in row]

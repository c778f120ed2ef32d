"""A table on a page is CSV that shows its texts, and the page's file has all else of it."""

from __future__ import annotations

import csv
import io
from typing import Any

import msgspec
import pytest
from docutils import nodes
from docutils.core import publish_doctree
from hypothesis import given
from hypothesis import strategies as st
from making import only
from profiles import examples

from perfguide.common import rst_text, units
from perfguide.common.diagnostics import Severity, visible
from perfguide.tables import page_tables
from perfguide.tables.grids import Grid, Note, listing
from perfguide.tables.page_tables import Behind, CellWords, Extra, Run

HOSTILE = [
    *["", " ", "a  b", "*x*", "`a`_", "|x|", ".. raw:: html", "- 1.5", "-", "\\", "\\\\", "a\\"],
    *['a"b', "a,b", "a\nb", "\r", "\x00", "\u202e", "\ud800", "†", "1 †", "=1+1", "1. x", "::"],
    *[
        "—",
        "failed",
        "% ↓",
        "/results/0",
        "<b>",
        "http://x.y",
        "x_",
        "日本",
        ":a: b",
        "+--+",
        ">>> x",
    ],
]
TEXTS = st.sampled_from(HOSTILE) | st.text(st.characters(), max_size=8)
NUMBERS = st.floats(-1e9, 1e9, allow_nan=False) | st.integers(-(10**9), 10**9)
SPREADS = st.tuples(NUMBERS, NUMBERS, NUMBERS, st.integers(2, 40)).map(
    lambda t: units.figure(float(t[0]), float(min(t[1:3])), float(max(t[1:3])), t[3], 2)
)
CELLS = TEXTS | NUMBERS.map(lambda n: units.figure(float(n))) | SPREADS


@st.composite
def tables(draw: st.DrawFn) -> Grid:
    columns = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[CELLS] * columns), min_size=1, max_size=4))
    header = draw(st.lists(st.tuples(*[TEXTS] * columns), min_size=1, max_size=3))
    places = st.tuples(st.integers(0, len(rows) - 1), st.integers(0, columns - 1))
    nonempty = places.filter(lambda at: not isinstance(c := rows[at[0]][at[1]], str) or shown(c))
    marked = draw(st.lists(nonempty, unique=True, max_size=2))
    linked = draw(st.lists(places, unique=True, max_size=2))
    return Grid(
        tuple(header),
        tuple(rows),
        draw(st.integers(0, columns)),
        tabs=draw(st.booleans()),
        units={"s": ("time", 1.0)},
        notes=[Note("n", "error", "t", draw(TEXTS.map(shown)))],
        marks=[(row, column, [(0, "words")]) for row, column in marked],
        links=[(row, column, "guides/a", "t", "--x") for row, column in linked],
        shorts={"am62xx": "SK"},
    )


def shown(text: str) -> str:
    return visible(text, len(text)).strip()


def read(table: Grid, behind: Behind | None = None) -> Grid:
    """A table written and read as a page does it."""
    content = page_tables.page_file({"a/t.csv": (page_tables.extra(table), behind)})
    own = page_tables.read_page_file(content or b"{}").tables.get("a/t.csv", Extra())
    rows = page_tables.read_csv(page_tables.to_csv(page_tables.texts(table)))
    return page_tables.grid(rows, len(table.header), table.stub, own)


@given(tables())
@examples(60, heavy=400)
def test_a_table_comes_back_as_pages_show_it(table: Grid) -> None:
    back = read(table)
    assert back.header == tuple(tuple(map(shown, row)) for row in table.header)
    for row, old in zip(back.rows, table.rows, strict=True):
        for column, (cell, before) in enumerate(zip(row, old, strict=True)):
            if isinstance(before, str):
                assert cell == shown(before)
            else:
                ends = units.ends_on_pages(before[2])
                on_page = before[0], units.on_pages(before), ends
                assert cell == (before if column < table.stub else on_page)
    for name in ("stub", "tabs", "units", "notes", "marks", "links", "shorts"):
        assert getattr(back, name) == getattr(table, name)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=3))
@examples(40, heavy=200)
def test_the_csv_shows_its_texts_without_perfguide(rows: list[tuple[units.TableCell, ...]]) -> None:
    """As docutils alone reads it."""
    table = listing(("a", "b"), rows)
    data = page_tables.to_csv(page_tables.texts(table)).decode("utf-8")
    lines = "".join(f"   {line}\n" for line in data.split("\n"))
    stream = io.StringIO()
    document = publish_doctree(
        f".. csv-table:: T\n   :header-rows: 1\n\n{lines}",
        settings_overrides={"warning_stream": stream, "report_level": 1},
    )
    assert stream.getvalue() == ""
    entries = [entry.astext() for entry in document.findall(nodes.entry)]
    expected = [
        shown(cell if isinstance(cell, str) else cell[1] + cell[2] if place == 0 else
              units.on_pages(cell))
        for row in rows for place, cell in enumerate(row)
    ]  # fmt: skip
    assert entries == ["a", "b", *expected]
    allowed = (nodes.Text, nodes.paragraph, nodes.Structural, nodes.Part, nodes.Root, nodes.table)
    assert all(isinstance(node, (*allowed, nodes.title)) for node in document.findall())


def test_a_figure_is_exact_in_the_file_and_short_on_the_page() -> None:
    figure = units.figure(1446.123456, 1400.0, 1500.5, 3, None)
    table = Grid((("Key", "am62x"),), (("copy", figure),), 1)
    assert page_tables.to_csv(page_tables.texts(table)) == b'Key,am62x\ncopy,"1,446"\n'
    (cell,) = read(table).rows[0][1:]
    assert not isinstance(cell, str)
    assert cell[:2] == (1446.123456, "1,446") and "min 1,400, max 1,500.5" in cell[2]


@pytest.mark.parametrize(
    ("severities", "cell"),
    [(("error",), "0 ‡"), (("note", "warning"), "0 †"), (("note",), r"0 \*")],
)
def test_the_sign_behind_a_figure_is_that_of_its_worst_finding(
    severities: tuple[Severity, ...], cell: str
) -> None:
    table = Grid(
        (("Key", "a"),), (("k", units.figure(0.0)),), 1,
        notes=[Note("n", each) for each in severities],
        marks=[(0, 1, [(number, "w") for number, _ in enumerate(severities)])],
    )  # fmt: skip
    assert page_tables.to_csv(page_tables.texts(table)) == f"Key,a\nk,{cell}\n".encode()
    assert read(table).rows == (("k", units.figure(0.0)),)


def test_runs_are_in_the_file_of_a_page_once() -> None:
    run, other = (
        Run(name, [name, "sk", "09.01", "2024-04-02"], [("card", "Card", "x")], [(0, "y", "", "")])
        for name in ("run-1", "run-2")
    )
    of_load = Run(run.digest, run.labels, run.facts, [*run.notes, (1, "of load", "speed", "load")])
    rate, load = [("speed", "rate")], [("speed", "load")]
    first = Behind([[0, 1, [0], [0], ["1.5"], 1, 1, 0]], [CellWords(0, [], [])], [run], ["a"], rate)
    own = CellWords(0, [("card", "Card", ["z", 1])], ["x"])
    second = Behind([[0, 1, [0, 1], [0], ["2"], 1, 1, 0]], [own], [other, of_load], ["a"], load)
    table = listing(("k", "v"), [("k", units.figure(1.5))])
    content = page_tables.read_page_file(
        page_tables.page_file(
            {name: (page_tables.extra(table), of) for name, of in (("a", first), ("b", second))}
        )
    )
    assert (content.facts, content.commands) == ([["card", "Card"]], ["a"])
    x, y, z, of_last = (content.remarks.index(text) for text in ("x", "y", "z", "of load"))
    assert len(content.remarks) == 4
    assert content.bundles == [
        [*run.labels, [[0, x]], [[y], [of_last, "speed", "load"]]],
        [*other.labels, [[0, x]], [[y]]],
    ]
    assert content.tables["a"].cells == first.cells
    assert content.tables["b"].cells == [
        [0, 1, [1, 0], [0], ["2"], 1, 1, 0, [[x], [[0, [z, -1]]], "speed", "load"]]
    ]


@given(st.dictionaries(TEXTS.filter(lambda t: t.isprintable()), TEXTS.map(shown), max_size=3))
def test_the_file_is_a_script_of_ascii_that_ends_nowhere_else(about: dict[str, str]) -> None:
    data = page_tables.page_file({}, about)
    assert data.isascii() and data.count(b"\n") == (1 if about else 0)
    assert page_tables.read_page_file(data or b"{}").about == about
    assert page_tables.read_about(data or b"{}") == about


def test_a_page_whose_tables_have_nothing_besides_csv_has_no_file() -> None:
    texts = listing(("a", "b"), [("x", "y")])
    assert page_tables.page_file({"a/t.csv": (page_tables.extra(texts), None)}) == b""
    assert read(texts) == texts


@pytest.mark.parametrize("wrong", ["figures", "marks"])
def test_a_file_of_another_table_is_refused(wrong: str) -> None:
    own: dict[str, Any] = {
        "figures": {"figures": [(7, 1, 1.0, "")]},
        "marks": {"marks": [(0, 9, [])]},
    }
    with pytest.raises(IndexError):
        page_tables.grid([["a", "b"], ["k", "1"]], 1, 1, msgspec.convert(own[wrong], Extra))


@pytest.mark.parametrize("sign", ["x", "\\", "*", "日"])
def test_a_cell_that_no_reader_of_csv_takes_is_cut_and_says_so(sign: str) -> None:
    table = listing(("a", "b"), [("k", sign * 200_000)])
    data = page_tables.to_csv(page_tables.texts(table)).decode("utf-8")
    assert csv.field_size_limit() == page_tables.MAX_CELL_CHARS, "Python's own"
    cell = list(csv.reader(io.StringIO(data, newline="")))[1][1]
    assert len(cell) > page_tables.MAX_CELL_CHARS - 100
    (_, text) = page_tables.read_csv(data.encode("utf-8"))[1]
    assert text.removesuffix(page_tables.CUT).strip(sign) == ""
    assert text.endswith(page_tables.CUT)
    paragraph = only(publish_doctree(f"{cell}\n", settings_overrides=LONG_LINES).children)
    assert paragraph.astext() == text


LONG_LINES = {"line_length_limit": 2_000_000, "report_level": 1, "halt_level": 1}


def test_a_text_of_a_megabyte_is_one_paragraph() -> None:
    value = "*a* `b`_ " * 110_000
    markup = rst_text.text(value[: rst_text.MAX_TEXT_CHARS - 10])
    document = publish_doctree(f"{markup}\n", settings_overrides=LONG_LINES)
    assert only(document.children).astext() == value[: rst_text.MAX_TEXT_CHARS - 10].strip()

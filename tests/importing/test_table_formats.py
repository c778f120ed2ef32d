"""What is read of tables in each format: heads, spans, footnotes, headings, lines."""

from __future__ import annotations

import pytest
from guide_tables import tables as tables_of

from perfguide.importing import html, markdown, rst
from perfguide.importing.model import Table

GRID = """\
Guide 09.02
===========

Storage
-------

.. tabs::

   .. tab:: EVM

      +------+-----------+
      | Size | Rates     |
      |      +-----+-----+
      |      | HW  | SW  |
      +======+=====+=====+
      | 16   | 1.5 | 2.5 |
      +------+-----+-----+
      | 64         | 4   |
      +------------+-----+

After
-----

====== ===== =====
Algo   HW    SW
====== ===== =====
aes    1.25  2.5
====== ===== =====
"""


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_merged_heads_and_spanning_cells_of_grid_tables_stand_in_each_place() -> None:
    grid, simple = tables_of(rst.read, "g.rst", GRID)
    assert grid.head == ("Size", "Rates / HW", "Rates / SW")
    assert texts(grid) == [["16", "1.5", "2.5"], ["64", "64", "4"]]
    assert grid.headings == ("Guide 09.02", "Storage", "EVM")
    assert [row[0].line for row in grid.rows] == [16, 18]
    assert simple.headings == ("Guide 09.02", "After")
    assert texts(simple) == [["aes", "1.25", "2.5"]]
    assert simple.rows[0][0].line == 27


def test_markup_and_footnotes_are_no_part_of_a_cell() -> None:
    text = (
        '.. csv-table:: Rates\n   :header: "Name","evm: rate (MB/s)"\n\n'
        '   "``copy``","**1.50** [1]_"\n   "`x <https://example.org>`_",":ref:`two <three>`"\n\n'
        ".. [1] A note.\n"
    )
    (table,) = tables_of(rst.read, "g.rst", text)
    assert texts(table) == [["copy", "1.50"], ["x", "two"]]
    assert (table.caption, [row[0].line for row in table.rows]) == ("Rates", [4, 5])


def test_a_table_of_a_file_is_read_at_its_lines_and_only_from_the_guide() -> None:
    asked: list[str] = []

    def opener(name: str) -> bytes | None:
        asked.append(name)
        return b"Name,Rate\ncopy,1.5\n"

    text = ".. csv-table:: A\n   :file: t/a.csv\n   :header-rows: 1\n"
    (table,) = tables_of(rst.read, "docs/g.rst", text, opener)
    assert (table.file, table.rows[0][1].line, texts(table)) == (
        "docs/t/a.csv",
        2,
        [["copy", "1.5"]],
    )
    assert not tables_of(
        rst.read, "docs/g.rst", text.replace("t/a.csv", "../../etc/passwd"), opener
    )
    assert asked == ["docs/t/a.csv"]
    assert not tables_of(
        rst.read, "g.rst", ".. include:: /etc/hostname\n.. raw:: html\n\n   <b>x</b>\n", opener
    )


def test_a_rubric_holds_until_the_next_heading() -> None:
    text = "A\n=\n\n.. rubric:: One\n\n== ==\nx  y\n== ==\na  1\n== ==\n\nB\n=\n\n== ==\nx  y\n== ==\na  2\n== ==\n"
    assert [table.headings for table in tables_of(rst.read, "g.rst", text)] == [
        ("A", "One"),
        ("B",),
    ]


def test_markdown_with_directives_and_html_inside() -> None:
    text = (
        "# Guide\n## STREAM\n| Kernel | `evm`: rate |\n|---|---|\n| copy | 12.5 |\n\n"
        "<table><tr><th>A</th></tr>\n<tr><td>2</td></tr></table>\n\n"
        "```{list-table} T\n:header-rows: 1\n* - A\n  - B\n* - x\n  - 4.5\n```\n"
    )
    tables = tables_of(markdown.read, "g.md", text)
    assert [(t.headings, t.head, texts(t)) for t in tables] == [
        (("Guide", "STREAM"), ("Kernel", "evm: rate"), [["copy", "12.5"]]),
        (("Guide", "STREAM"), ("A",), [["2"]]),
        (("Guide", "STREAM"), ("A", "B"), [["x", "4.5"]]),
    ]
    assert tables[0].rows[0][0].line == 5


def test_html_with_spans_captions_and_notes() -> None:
    text = (
        "<h1>Guide</h1><h2>Rates<a>¶</a></h2><table><caption>C</caption>\n"
        "<tr><th rowspan=2>N</th><th colspan=2>evm</th></tr><tr><th>a</th><th>b</th></tr>\n"
        "<tr><td rowspan=2>x</td><td>1<sup>2</sup></td><td>3</td></tr>\n<tr><td>4</td><td>5</td></tr></table>"
    )
    (table,) = tables_of(html.read, "g.html", text)
    assert (table.headings, table.caption) == (("Guide", "Rates"), "C")
    assert table.head == ("N", "evm / a", "evm / b")
    assert texts(table) == [["x", "1", "3"], ["x", "4", "5"]]
    assert [row[1].line for row in table.rows] == [3, 4]


@pytest.mark.parametrize(
    "text", ["<table><tr><td colspan=999999999>1", "<table>", "<td>", "</table>"]
)
def test_broken_html_gives_no_more_than_it_holds(text: str) -> None:
    assert (
        sum(len(row) for table in tables_of(html.read, "g.html", text) for row in table.rows) < 2000
    )

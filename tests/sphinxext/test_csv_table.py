"""The directive on a page written by hand: csv-table's options, cells that are text."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import run_sphinx
from html_tables import figures

from perfguide.common import units
from perfguide.common.units import TableCell
from perfguide.sphinxext import html_table
from perfguide.sphinxext.printed_tables import texts
from perfguide.sphinxext.table_heads import block_labels
from perfguide.sphinxext.table_widths import phone_columns, steps, zero_classes
from perfguide.sphinxext.tabs import distinct_parts
from perfguide.tables.grids import Grid, Note

CELLS = [
    "*bold*",
    "|x|",
    "`a`",
    "x_",
    ".. raw:: html",
    "<b>",
    ":ref:`x`",
    "--",
    "'q' \"q\"",
    "1. a",
]


def _page(folder: Path, body: str, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "results").mkdir(exist_ok=True)
    (folder / "conf.py").write_text(
        'extensions = ["perfguide"]\nnumfig = True\nsuppress_warnings = ["perfguide.no-results"]\n'
        'exclude_patterns = ["source"]\n',
        "utf-8",
    )
    (folder / "index.rst").write_text(f"Title\n=====\n\n{body}\n", "utf-8")
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, "utf-8")
    return folder


def _csv(rows: list[list[str]]) -> str:
    return "".join(
        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows
    )


def test_cells_are_text_in_every_format(tmp_path: Path) -> None:
    body = ".. perf-csv-table:: Figures\n   :file: a.csv\n   :header-rows: 1\n   :stub-columns: 1\n"
    rows = [["Key", *CELLS], ["*k*", *CELLS]]
    project = _page(tmp_path / "p", body, a=_csv(rows))
    for builder in ("html", "latex", "text"):
        run = run_sphinx(project, tmp_path / builder, "-b", builder, "-W", "-n")
        assert run.returncode == 0, run.stderr
    found = list(figures(tmp_path / "html/index.html"))
    assert [f.text for f in found] == CELLS
    assert [f.heads[0] for f in found] == CELLS
    assert {f.keys for f in found} == {("*k*",)}
    text = (tmp_path / "text/index.txt").read_text("utf-8")
    for cell in CELLS:
        assert text.count(cell) >= 2, cell


def test_it_numbers_has_an_address_and_is_its_own_download(tmp_path: Path) -> None:
    body = (
        ".. perf-csv-table:: First\n   :file: a.csv\n   :header-rows: 1\n\n"
        ".. perf-csv-table:: Second\n   :file: a.csv\n   :header-rows: 1\n   :name: the-second\n"
        "   :class: mine\n   :align: center\n\nSee :numref:`the-second`.\n"
    )
    source = "A,B\n1.50,2\n"
    project = _page(tmp_path / "p", body, a=source)
    run = run_sphinx(project, tmp_path / "html", "-W", "-n")
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert '<span class="caption-number">Table 2 </span>' in page
    assert re.search(
        r'See <a [^>]*href="#the-second"[^>]*><span class="std std-numref">Table 2<', page
    )
    assert re.search(r'<figure class="[^"]*mine[^"]*align-center" id="the-second">', page)
    (download,) = set(re.findall(r'href="(_downloads/[^"]+/a\.csv)"', page))
    assert (tmp_path / "html" / download).read_text("utf-8") == source


def test_options_of_csv_table_work(tmp_path: Path) -> None:
    body = (
        ".. perf-csv-table:: Inline\n   :header: A; B\n   :delim: ;\n   :stub-columns: 1\n"
        "   :widths: 30 70\n   :quote: '\n\n   'k;1'; 2.50\n   x; —\n"
    )
    project = _page(tmp_path / "p", body)
    run = run_sphinx(project, tmp_path / "html", "-W", "-n")
    # The header is read by csv-table's own rule: commas, whatever “delim” says.
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert '<col style="width: 30.0%"><col style="width: 70.0%">' in page
    found = list(figures(tmp_path / "html/index.html"))
    assert [(f.keys, f.text) for f in found] == [(("k;1",), "2.50"), (("x",), "—")]


def test_a_number_by_hand_is_one_for_scripts_and_all_else_is_text(tmp_path: Path) -> None:
    body = ".. perf-csv-table:: T\n   :file: a.csv\n   :header-rows: 1\n   :stub-columns: 2\n"
    rows = [
        ["Size", "Unit", "Figure"],
        ["4k", "MB/s ↑", "−1.50 (min −2.00, max −1.00) n=3"],
        ["16", "GB/s ↑", "1,234.5"],
        ["x", "GB/s ↑", "+12.5 %"],
        ["5.10.168", "GB/s ↑", "5.10.168"],
        ["k", "GB/s ↑", "—"],
    ]
    project = _page(tmp_path / "p", body, a=_csv(rows))
    run = run_sphinx(project, tmp_path / "html", "-W", "-n")
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert re.findall("<data[^>]*>.*?</data>", page) == [
        '<data value="4096.0">4k</data>',
        '<data value="-1.5">−1.50</data>',
        '<data value="16.0">16</data>',
        '<data value="1234.5">1,234.5</data>',
        '<data value="12.5">+12.5 %</data>',
    ]
    assert '</data><span class="perf-spread"> (min −2.00, max −1.00) n=3</span></td>' in page
    assert re.search("<td[^>]*>5.10.168</td>", page)
    assert "data-perf-units=" in page and "1000000000.0" in page
    assert [f.text for f in figures(tmp_path / "html/index.html")] == [row[2] for row in rows[1:]]


def test_equal_heads_side_by_side_become_one(tmp_path: Path) -> None:
    body = ".. perf-csv-table:: T\n   :file: a.csv\n   :header-rows: 2\n   :stub-columns: 1\n"
    rows = [["Size", "one", "one", "two"], ["", "Read", "Write", "Read"], ["4k", "1", "2", "3"]]
    project = _page(tmp_path / "p", body, a=_csv(rows))
    assert run_sphinx(project, tmp_path / "html", "-W").returncode == 0
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert '<th scope="colgroup" colspan="2">one</th>' in page
    assert '<th scope="col" rowspan="2" class="perf-key">Size</th>' in page
    found = {(f.heads, f.text) for f in figures(tmp_path / "html/index.html")}
    assert found == {(("one", "Read"), "1"), (("one", "Write"), "2"), (("two", "Read"), "3")}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("   :file: nowhere.csv\n", "cannot be read"),
        ("   :file: a.csv\n   :header-rows: 9\n", "has no row of figures"),
        ("   :file: a.csv\n   :stub-columns: 2\n", "has no column besides row keys"),
        ("   :file: a.csv\n   :widths: 1 2 3\n", "“widths” names 3"),
        ("   :file: bad.csv\n", "is not CSV"),
        ("", "has neither content nor “file”"),
        ("   :file: a.csv\n\n   1,2\n", "has both content and “file”"),
    ],
)
def test_a_mistake_is_a_warning_with_its_place(tmp_path: Path, options: str, words: str) -> None:
    body = f".. perf-csv-table:: T\n{options}"
    project = _page(tmp_path / "p", body, a="A,B\n1,2\n", bad='A,"B\n1,2\n')
    run = run_sphinx(project, tmp_path / "html")
    assert run.returncode == 0
    assert words in run.stderr, run.stderr
    assert "index.rst:4: WARNING:" in run.stderr and "[perfguide.table]" in run.stderr


def test_a_page_is_read_again_when_its_table_changed_and_only_then(tmp_path: Path) -> None:
    body = ".. perf-csv-table:: T\n   :file: a.csv\n   :header-rows: 1\n"
    project = _page(tmp_path / "p", body, a="A,B\n1,2\n")
    run_sphinx(project, tmp_path / "html")
    assert "0 added, 0 changed" in run_sphinx(project, tmp_path / "html").stdout
    (project / "a.csv").write_text("A,B\n1,3\n", "utf-8")
    assert "0 added, 1 changed" in run_sphinx(project, tmp_path / "html").stdout


def test_a_table_on_paper_numbers_its_marks() -> None:
    note = Note("f", "error", "wrong", "because")
    rows = (("key", (1 / 3, "0.33", " n=2"), "—"),)
    grid = Grid((("Key", "one", "two"),), rows, 1, marks=[(0, 1, [(0, "w")])], notes=[note])
    assert texts(grid) == ([["Key", "one", "two"]], [["key", "0.33 n=2 ‡1", "—"]])


def test_only_a_table_that_says_so_is_read_as_marked(tmp_path: Path) -> None:
    body = "".join(
        f".. perf-csv-table:: {name}\n   :file: a.csv\n   :header-rows: 1\n{option}\n"
        for name, option in (("Ours", "   :marked:\n"), ("By hand", ""))
    )
    project = _page(tmp_path / "p", body, a="A,B\nk,'=1\nk,''-x\nk,\u202eab\n")
    assert run_sphinx(project, tmp_path / "html", "-W").returncode == 0
    found = {(f.caption, f.text) for f in figures(tmp_path / "html/index.html") if f.text != "k"}
    ours = {("Ours", "=1"), ("Ours", "'-x"), ("Ours", "\\u202eab")}
    assert found == ours | {("By hand", "'=1"), ("By hand", "''-x"), ("By hand", "\u202eab")}


def test_the_heads_of_a_stacked_table_are_text_in_a_style() -> None:
    hostile = "a'; } body { display: none } /* \\ \n\" <b>"
    style = html_table.style(block_labels(Grid((("Key", hostile), ("", "")), (), 1)))
    (found,) = re.findall(r'^ style="([^"]*)"$', style)
    quoted = re.fullmatch(r"--h1:'Key';--h2:'([^'\x00-\x1f]*)'", html.unescape(found))
    assert quoted is not None
    said = re.sub(r"\\([0-9a-f]+) ", lambda code: chr(int(code[1], 16)), quoted[1])
    assert said == hostile, "as a browser reads it"


def test_only_columns_beyond_the_style_sheet_say_their_heads_in_each_cell() -> None:
    header = (tuple(f"h{number}" for number in range(html_table.MAX_TABLE_HEADS + 2)),)
    table = Grid(header, ((units.count_cell(1),) * len(header[0]),), 0)
    body = html_table.body(table, block_labels(table).columns)
    assert re.findall(r'data-head="([^"]*)"', body) == ["h24", "h25"]
    style = html_table.style(block_labels(table))
    assert f"--h{html_table.MAX_TABLE_HEADS}:" in style
    assert f"--h{html_table.MAX_TABLE_HEADS + 1}:" not in style


def test_a_short_name_of_a_board_stands_with_the_whole_one() -> None:
    shorts = {"am_sk": "SK", "Key": "K"}
    written = html_table.head(Grid((("Key", "am_sk"),), (), 1, shorts=shorts))
    assert '<th scope="col" title="am_sk" data-name="am_sk">SK</th>' in written
    assert ">Key</th>" in written, "row keys stay"


def test_a_head_ends_where_the_figures_below_it_do() -> None:
    rows = (("a", units.count_cell(1), "why", units.count_cell(2)), ("b", "—", "—", "and words"))
    table = Grid((("Key", "SK", "Why", "Both"),), rows, 1)
    assert html_table.figure_columns(table) == {1}
    written = html_table.head(table)
    assert re.findall(r'class="perf-n"[^>]*>(\w+)<', written) == ["SK"]


def test_a_stacked_table_says_once_what_is_over_all_its_columns() -> None:
    header = (("Size", *["AM"] * 4), ("", "SK", "SK", "LP", "LP"), ("", *"abab"))
    labels = block_labels(Grid(header, (), 1))
    assert labels.columns == ["Size", "SK\na", "\nb", "LP\na", "\nb"]
    assert (labels.over_all, labels.beside) == ("AM", 2)
    rates = (("Metric", "Unit", "SK", "LP"), ("", "", "Rate", "Rate"))
    labels = block_labels(Grid(rates, (), 2))
    assert labels.columns == ["", "", "SK", "LP"]
    assert (labels.over_all, labels.beside) == ("Rate", 0)
    long = html_table.style(block_labels(Grid(header, (("a", (1e6, "1,000,000.5", "")),), 1)))
    assert "--hn:2;--hs:pre;--hw:" in long
    assert "--hw" not in html_table.style(block_labels(Grid(header, (("a", "b"),), 1)))
    one = block_labels(Grid((("Size", "SK"), ("", "Rate")), (), 1))
    assert one.over_all == "", "one column has its heads"


def test_tabs_say_what_tells_them_apart() -> None:
    names = ["CPSW, egress, loss no", "CPSW, ingress, loss no", "CPSW, ingress, loss yes"]
    assert distinct_parts(names) == ["egress, loss no", "ingress, loss no", "ingress, loss yes"]
    assert distinct_parts(["one", "two, more"]) == ["one", "two, more"]
    assert distinct_parts(["only, this"]) == ["only, this"]


def test_heads_that_all_columns_share_are_one_row_and_keep_their_names() -> None:
    header = (("Block", "am_sk", "am_sk"), ("", "hw", "hw"), ("", "16", "64"))
    written = html_table.head(Grid(header, (), 1, shorts={"am_sk": "SK"}), joined=2)
    assert written.count("<tr>") == 2 and 'rowspan="2"' in written
    shared = '<span class="perf-level" title="am_sk" data-name="am_sk">SK</span>'
    assert f'colspan="2">{shared} <span class="perf-level">hw</span></th>' in written


def test_short_names_and_no_spreads_decide_how_wide_a_table_is() -> None:
    row = ("1 KiB", *[(1.25, "1.25", "min 1.20, max 1.30")] * 9)
    heads = ("Size", *["SK SiP"] * 9)
    full = steps(Grid((("Size", *["am62xxsip_sk-fs"] * 9),), (row,), 1))
    short = steps(Grid((heads,), (row,), 1))
    assert full.is_stacked and not short.is_stacked
    bare = (row[0], *[(1.25, "1.25", "")] * 9)
    assert short == steps(Grid((heads,), (bare,), 1))
    assert 0 < short.small < short.whole


def test_a_stacked_table_shows_fewer_rows_the_more_figures_a_row_has() -> None:
    def first(figures: int, rows: int) -> int | None:
        shown = html_table.first_rows(
            [[str(n), *[(1.0, "1", "")] * figures] for n in range(rows)], True
        )
        return None if shown is None else len(shown)

    assert (first(3, 4), first(3, 5), first(9, 3), first(9, 4)) == (None, 3, None, 2)


def test_rows_without_a_figure_are_no_table_to_open_with() -> None:
    row, empty = ("sk", (1.0, "1", "")), ("evm", units.MISSING)

    def is_empty(*rows: tuple[TableCell, ...]) -> bool:
        return html_table.has_no_figures(Grid((("Board", "Figure"),), rows, 1))

    assert is_empty(empty, empty) and not is_empty(empty, row)
    assert not is_empty(empty), "one row takes less room than a box"


def test_in_blocks_a_metric_is_named_once_above_the_figures_of_its_boards() -> None:
    metrics, boards = ("Read (MB/s) ↑", "Write (MB/s) ↑"), ("SK", "SK LP", "SK SiP")
    header = (("Size", *(m for m in metrics for _ in boards)), ("", *boards, *boards))
    labels = block_labels(Grid(header, (), 1))
    assert labels.columns == [
        "Size",
        *(f"{m if n == 0 else ''}\n{b}" for m in metrics for n, b in enumerate(boards)),
    ]
    assert "--hs:pre" in html_table.style(labels)
    long = (header[0], ("", *(f"beagle_bone_{n}" for n in range(6))))
    columns = block_labels(Grid(long, (), 1)).columns
    assert "\n" not in "".join(columns), "it would run into its neighbour"


def test_a_table_keeps_its_columns_on_a_phone_if_a_group_of_them_fits() -> None:
    metrics, boards = ("Read (MB/s) ↑", "Write (MB/s) ↑"), ("SK", "SK LP", "SK SiP")
    header = (("Size", *(m for m in metrics for _ in boards)), ("", *boards, *boards))
    rows = (("4 KiB", *[(51.2, "51.2", "")] * 6), ("1 MiB", *[(174.8, "174.8", "")] * 6))
    two = phone_columns(Grid(header, rows, 1), boards)
    assert two is not None and two.classes == " perf-columns"
    assert (two.heads, two.groups, two.beside) == (metrics, (0, 1, 1, 1, 2, 2, 2), 3)
    written = html_table.choice(two, "eMMC")
    assert written.count("<input") == 2 and written.count(" checked") == 1

    with_ratio = phone_columns(Grid(tuple((*h[:-1], "Ratio") for h in header), rows, 1), boards)
    assert with_ratio is None, "a group in the middle is the shorter one"
    ratio = Grid((header[0][:5], header[1][:5]), tuple(row[:5] for row in rows), 1)
    last = phone_columns(ratio, boards)
    assert last is not None and last.groups == (0, 1, 1, 1, 2), "only the last may be shorter"

    def of_boards(*rows: tuple[TableCell, ...], names: Sequence[str] = boards) -> Any:
        return phone_columns(Grid((("Size", *names),), rows, 1), boards)

    one = of_boards(*(row[:4] for row in rows))
    assert one is not None and html_table.choice(one, "eMMC") == "", "nothing to choose from"
    million = (6_027_184.0, "6,027,184", "")
    wide = of_boards(("a", *[million] * 3))
    assert wide is not None and wide.classes.endswith("perf-below-small")
    assert of_boards(("a", *["words"] * 3)) is None
    assert of_boards(("a", *[million] * 5), names="abcde") is None


def test_numbers_get_the_zeros_of_their_column_up_to_the_digits_of_pages() -> None:
    numbers = [38.06, 76.0, 593.8, 833.0, 1430.0, 0.5]
    rows = tuple((str(n), (n, units.number(n), "")) for n in numbers)
    body = html_table.body(Grid((("Size", "SK"),), rows, 1), ["", ""])
    zeros = {"p1": ".0", "p2": ".00", "z1": "0"}
    shown = [
        text + zeros.get(kind, "")
        for kind, text in re.findall(r'<data[^>]*?(?: class="perf-(..)")?>(.*?)</data>', body)
    ]
    assert shown == ["38.06", "76.00", "593.8", "833.0", "1,430", "0.50"]
    row = ("a", (54.0, "54", ""), (57.5, "57.5", ""))
    boards = Grid((("Size", "SK", "EVM"),), (row,), 1)
    assert '"perf-p1">54<' in html_table.body(boards, [""] * 3, boards={"SK", "EVM"})
    assert "perf-p1" not in html_table.body(boards, [""] * 3), "it may be another metric"
    mixed_rows = (("a", "n", rows[1][1]), ("b", "s", rows[0][1]))
    mixed = html_table.body(Grid((("Metric", "Unit", "SK"),), mixed_rows, 2), [""] * 3)
    assert ">76</data>" in mixed and "perf-p" not in mixed, "it may be a count"


def test_figures_of_a_column_get_the_zeros_that_they_lack_up_to_four_digits() -> None:
    classes = zero_classes(["43.15", "60", "68.3", "180.2", "1,234", "failed"])
    assert {text: name for text, name in classes.items() if name} == {
        "60": "perf-p2",
        "68.3": "perf-z1",
    }

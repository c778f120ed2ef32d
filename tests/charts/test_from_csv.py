"""``perf-chart`` on pages that somebody wrote, from their own table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import pytest
from conftest import run_sphinx
from svg_points import corners, on_one_scale, words

from perfguide.charts import draw, from_csv, kinds
from perfguide.charts.from_csv import TableFault

TABLE = "Size,Alpha,Beta\n16,1.5,3\n64,2.5,\n256,4.5,9\n"


def test_columns_become_lines_and_an_empty_cell_a_gap() -> None:
    view = from_csv.view(TABLE, "Title", y_label="MB/s")
    first, second = view.panels[0].lines
    assert [(p.x, p.y) for p in first.points] == [(16, 1.5), (64, 2.5), (256, 4.5)]
    assert [(p.x, p.y) for p in second.points] == [(16, 3), (256, 9)]
    chosen = from_csv.view(TABLE, "Title", x="Alpha", lines=("Beta",))
    assert [(p.x, p.y) for p in chosen.panels[0].lines[0].points] == [(1.5, 3), (4.5, 9)]


def test_a_kind_that_is_drawn_as_containers_has_a_group_for_each_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def draw_stems(axes: Any, view: Any, panel: Any) -> list[Any]:
        return [
            axes.stem([p.x for p in line.points], [p.y for p in line.points])
            for line in panel.lines
        ]

    monkeypatch.setitem(cast(dict[str, Any], kinds.DRAW_KIND), "lines", draw_stems)
    svg = draw.draw(from_csv.view(TABLE, "Title")).decode()
    for number in (0, 1):
        assert [svg.count(f'id="line-0-{number}-{part}"') for part in range(4)] == [1, 1, 1, 0]


def test_names_on_the_x_axis_keep_their_order() -> None:
    view = from_csv.view("Board,Figure\nzeta,1\nalpha,2\n", "Title")
    assert view.ticks == ("zeta", "alpha")


@pytest.mark.parametrize(
    ("text", "x", "message", "hint"),
    [
        ("a,b\n", "", "no row of figures", "at least one"),
        ("a,b\n1,x\n", "", "row 2, column “b”: “x” is not a number", "empty for a gap"),
        ("a,b\n1,1e999\n", "", "“1e999” is not a number", ""),
        ("Size,b\n1,2\n", "size", "no column “size”", "Size"),
        ("a\n1\n", "", "no column for a line", "besides"),
        ("a,b\n1,\n", "", "no figure", ""),
    ],
)
def test_a_table_that_cannot_be_drawn_says_why(text: str, x: str, message: str, hint: str) -> None:
    with pytest.raises(TableFault) as caught:
        from_csv.view(text, "Title", x=x)
    assert message in str(caught.value) and hint in caught.value.hint


PAGE = """
Page
====

.. perf-chart:: My <own> chart
   :name: mine
   :y-label: MB/s
   :x-scale: log2

   Size,Alpha,Beta
   16,1.5,3
   64,2.5,
   256,4.5,9

See :numref:`mine`.

.. perf-chart:: From a file
   :data: own.csv
   :kind: bars
"""


def test_a_hand_written_page_shows_its_own_chart(tmp_path: Path) -> None:
    out = tmp_path / "out"

    (tmp_path / "conf.py").write_text(
        "extensions = ['perfguide']\nnumfig = True\nexclude_patterns = ['out*']\n"
    )
    (tmp_path / "results").mkdir()
    (tmp_path / "index.rst").write_text(PAGE, "utf-8")
    (tmp_path / "own.csv").write_text("Board,Figure\nsk,7\nlp,5\n", "utf-8")
    built = run_sphinx(tmp_path, out)
    assert "chart" not in built.stderr
    page = (out / "index.html").read_text("utf-8")
    assert "My &lt;own&gt; chart" in page and "Fig. 1" in page
    assert "Line chart: My &lt;own&gt; chart." in page
    drawn = sorted((out / "_images").glob("*.svg"))
    assert len(drawn) == 2
    (lines,) = [path.read_bytes() for path in drawn if b"Alpha" in path.read_bytes()]
    found = corners(lines, "line-0-0")
    on_one_scale([16, 64, 256], [x for x, _ in found], "log")
    on_one_scale([1.5, 2.5, 4.5], [y for _, y in found])
    (bars,) = [path.read_bytes() for path in drawn if b"Alpha" not in path.read_bytes()]
    assert {"7", "5", "sk", "lp"} <= set(words(bars))
    charts = re.findall(r"_downloads/[^\"]+\.csv", page)
    assert len({*charts}) == 2 and all((out / each).exists() for each in charts)
    (tmp_path / "index.rst").write_text(PAGE.replace("4.5", "4.75"), "utf-8")
    run_sphinx(tmp_path, out)
    kept = list((tmp_path / "source/reports/drawn").glob("*.svg"))
    assert len(kept) == 2, "the picture that no page shows any more is gone"

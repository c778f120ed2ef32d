"""Setup and notes stand once above what they concern, and with each figure."""

from __future__ import annotations

from pathlib import Path

from making import described, loaded, only, pooled, result

from perfguide.bundles.decode import Loaded
from perfguide.catalog.benchmarks import Catalog
from perfguide.figures.pool import Pool
from perfguide.tables import cells, remarks
from perfguide.tables.assign import Layout
from perfguide.tables.model import View


def shown(catalog: Catalog, *items: Loaded) -> tuple[View, Pool]:
    """The one table of bundles."""
    pool = pooled(items, catalog)
    records = [record for key in pool.guides() for record in pool.of_guide(key)]
    sections, _ = Layout(catalog).sections(records)
    return only([view for section in sections for view in section.views]), pool


def test_a_fact_of_some_figures_stands_above_their_table_with_their_number(tmp_path: Path) -> None:
    sizes = [result(params={"block_size": s}) for s in (16, 64, 256)]
    sizes[0] |= {"setup": {"card": "SanDisk"}, "notes": ["measured *without* printk"]}
    view, pool = shown(described(tmp_path), loaded(*sizes))
    assert remarks.above(view, pool) == [
        ("Card (1 of 3 figures)", "SanDisk"),
        ("Note (1 of 3 figures)", "measured *without* printk"),
    ]


def test_what_boards_say_differently_is_told_of_each(tmp_path: Path) -> None:
    item = result(params={"block_size": 16})
    items = [
        loaded({**item, "setup": {"card": card}}, id=board, board__name=board)
        for board, card in (("a", "SanDisk"), ("b", "Kingston"))
    ]
    view, pool = shown(described(tmp_path), *items)
    assert remarks.above(view, pool) == [("Card", "SanDisk (a); Kingston (b)")]


def test_notes_are_about_a_run_a_benchmark_or_a_metric(tmp_path: Path) -> None:
    noted = loaded(
        result(params={"block_size": 16}),
        result("load", "%", params={"block_size": 16}),
        notes=[
            {"text": "of the run"},
            {"text": "of speed", "benchmark": "speed"},
            {"text": "of the rate", "benchmark": "speed", "metric": "rate"},
            {"text": "of another", "benchmark": "other"},
        ],
    )
    other = loaded(id="b", board__name="b")
    view, pool = shown(described(tmp_path), noted)
    assert remarks.above(view, pool) == [("Note (1 of 2 figures)", "of the rate")]
    assert remarks.notes([noted.__class__("", "", noted.bundle, "")]) == ["of the run"]
    assert remarks.notes([noted, other], "speed") == ["sk: of speed"]
    behind = cells.behind(view, pool)
    assert behind is not None
    assert [behind.measured[each.measured] for each in behind.words] == [
        ("speed", "rate"),
        ("speed", "load"),
    ]
    assert only(behind.runs).notes == [
        (0, "of the run", "", ""),
        (1, "of speed", "speed", ""),
        (2, "of the rate", "speed", "rate"),
    ]


def test_the_setup_of_runs_is_told_once_where_boards_agree() -> None:
    a = loaded(id="a", board__name="a", setup={"mount": "async", "power_supply": 5})
    b = loaded(id="b", board__name="b", setup={"mount": "async", "power_supply": 12})
    grid = remarks.setup([a, b])
    assert grid is not None and grid.rows == (
        ("Mount", "all boards", "async"),
        ("Power supply", "a", "5"),
        ("Power supply", "b", "12"),
    )
    assert remarks.setup([loaded()]) is None


def test_runs_whose_setup_differs_are_marked_where_they_are_pooled(tmp_path: Path) -> None:
    item = result(params={"block_size": 16})
    view, pool = shown(
        described(tmp_path),
        loaded(item, id="a", setup={"card": "SanDisk"}),
        loaded(item, id="b", setup={"card": "Kingston"}),
    )
    cell = only(only(view.rows).cells)
    assert cell is not None and cell.differs == ("card",)
    assert pool.stated.setup_facts(cell.members) == {"card": ["SanDisk", "Kingston"]}

"""Every figure stands in exactly one table, in its row and under its head."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from making import SHIPPED, TOML, described, loaded, only, records, result
from profiles import examples

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.catalog.benchmarks import Catalog
from perfguide.common import units
from perfguide.figures.pool import Record
from perfguide.tables import grids
from perfguide.tables.assign import Layout
from perfguide.tables.model import (
    MAX_EXTRA_PARAMS,
    OVER_RELEASES,
    SIDE_BY_SIDE,
    Shape,
    View,
)

SIZES = [16384, 16, 256, 64, 8192, 1024]


def views(found: Catalog, *items: Loaded, shape: Shape | None = None) -> list[View]:
    """All tables of the catalog that bundles give."""
    sections, _ = Layout(found).sections(records(*items, described=found), shape)
    return [view for section in sections for view in section.views]


def keys(view: View) -> list[tuple[str, ...]]:
    return [tuple(map(units.whole, row.keys)) for row in view.rows]


# -- which table -------------------------------------------------------------------


def test_the_first_table_that_fits_takes_a_record(tmp_path: Path) -> None:
    again = (
        '[[tables]]\nid = "again"\ntitle = "Again"\nrows = ["block_size"]\ncolumns = ["engine"]\n'
    )
    found = described(tmp_path, TOML + again)
    item = loaded(
        result(params={"block_size": 1}),
        result("lat_a", "us"),
        result("lat_a", "us", params={"block_size": 1}),
    )
    assert [v.id for v in views(found, item)] == ["rate", "latency", "again"]


@pytest.mark.parametrize(
    "left_over",
    [
        result("unheard-of", params={"block_size": 1}),
        result(params={}),
        result("lat_a", "us", params={"engine": "hw"}),
        {**result(params={"block_size": 1}), "benchmark": "unheard-of"},
    ],
)
def test_what_no_table_takes_goes_to_the_general_table(
    tmp_path: Path, left_over: dict[str, Any]
) -> None:
    found = described(tmp_path)
    item = loaded(left_over, result("lat_b", "us"))
    sections, other = Layout(found).sections(records(item, described=found))
    assert len(only(sections).records) == 1
    assert only(other[left_over["benchmark"]]).metric == left_over["metric"]


@pytest.mark.parametrize(("value", "taken"), [(True, True), (1, False), ("yes", False)])
def test_where_tells_true_from_one(tmp_path: Path, value: Any, taken: bool) -> None:
    toml = TOML.replace('where = { engine = "sw" }', 'where = { engine = "sw", on = true }')
    found = described(tmp_path, toml)
    items = records(loaded(result("lat_a", "us", params={"on": value})), described=found)
    assert (Layout(found).claim(items[0]) is not None) is taken


def test_a_claim_does_not_depend_on_what_was_asked_before(tmp_path: Path) -> None:
    toml = TOML.replace('where = { engine = "sw" }', 'where = { engine = "sw", on = true }')
    found = described(tmp_path, toml)
    items = records(
        loaded(*(result("lat_a", "us", params={"on": v}) for v in (1, True, "1", 1.5))),
        described=found,
    )
    layout = Layout(found)
    for order in (items, items[::-1]):
        assert [layout.claim(r) for r in order] == [Layout(found).claim(r) for r in order]


# -- order and labels --------------------------------------------------------------


def test_sizes_stand_in_numeric_order(tmp_path: Path) -> None:
    toml = TOML.replace('show = "size"\n', "")
    found = described(tmp_path, toml)
    item = loaded(*(result(params={"block_size": s}) for s in SIZES))
    assert [k for (k,) in keys(only(views(found, item)))] == [
        "16",
        "64",
        "256",
        "1024",
        "8192",
        "16384",
    ]


def test_sizes_shown_short_stand_in_numeric_order(tmp_path: Path) -> None:
    found = described(tmp_path)
    item = loaded(*(result(params={"block_size": s * 1024}) for s in (4096, 4, 1024, 256)))
    view = only(views(found, item))
    assert [k for (k,) in keys(view)] == ["4 KiB", "256 KiB", "1 MiB", "4 MiB"]
    assert [row.keys for row in view.rows][:2] == [
        ((4096, "4 KiB", ""),),
        ((262144, "256 KiB", ""),),
    ]


def test_names_stand_in_natural_order_and_listed_values_first(tmp_path: Path) -> None:
    toml = TOML.replace('show = "size"', 'values = { last = "Last", first = "First" }')
    found = described(tmp_path, toml)
    values = ["x10", "first", 3, "x2", "last", 20]
    item = loaded(*(result(params={"block_size": v}) for v in values))
    assert [k for (k,) in keys(only(views(found, item)))] == [
        "Last",
        "First",
        "3",
        "20",
        "x2",
        "x10",
    ]


def test_metrics_as_rows_stand_in_the_order_of_the_catalog(tmp_path: Path) -> None:
    found = described(tmp_path)
    item = loaded(*(result(m, "us") for m in ("lat_b10", "lat_a", "lat_b2")))
    view = only(views(found, item))
    assert view.key_labels == ("Metric", "Unit")
    assert keys(view) == [("lat_a", "µs ↓"), ("lat_b2", "µs ↓"), ("lat_b10", "µs ↓")]


def test_boards_are_columns_in_natural_order(tmp_path: Path) -> None:
    found = described(tmp_path)
    items = [
        loaded(result("lat_a", "us", value=n), id=f"r{n}", board__name=f"sk-{n}") for n in (10, 2)
    ]
    view = only(views(found, *items))
    assert view.columns == (("sk-2",), ("sk-10",))
    assert [c.mean for c in only(view.rows).cells if c] == [2, 10]


def test_several_metrics_give_a_head_of_two_levels(tmp_path: Path) -> None:
    found = described(tmp_path)
    params = {"block_size": 16}
    items = [
        loaded(result(params=params), id="a", board__name="a"),
        loaded(result(params=params), result("load", "%", params=params), id="b", board__name="b"),
    ]
    view = only(views(found, *items))
    assert view.columns == (
        ("a", "Rate (MB/s) ↑"),
        ("b", "Rate (MB/s) ↑"),
        ("b", "CPU load (%) ↓"),
    )
    assert [row.decimals for row in view.rows] == [(2, 2, 1)]


def test_a_level_that_holds_the_default_alone_is_left_out(tmp_path: Path) -> None:
    found = described(tmp_path)
    one = [loaded(result(params={"block_size": 16}))]
    two = [
        loaded(result(params={"block_size": 16}), result(params={"block_size": 16, "engine": "hw"}))
    ]
    assert only(views(found, *one)).columns == (("sk", "Rate (MB/s) ↑"),)
    assert [c[1] for c in only(views(found, *two)).columns] == ["accelerator", "software"]


def test_tabs_are_the_first_key_and_say_so(tmp_path: Path) -> None:
    toml = TOML.replace('columns = ["engine"]', 'tabs = "engine"')
    found = described(tmp_path, toml)
    item = loaded(
        *(result(params={"block_size": s, "engine": e}) for s in (64, 16) for e in ("sw", "hw"))
    )
    view = only(views(found, item))
    assert view.tabbed
    assert keys(view) == [
        ("accelerator", "16 bytes"),
        ("accelerator", "64 bytes"),
        ("software", "16 bytes"),
        ("software", "64 bytes"),
    ]


def test_runs_have_a_row_each_before_the_mean(tmp_path: Path) -> None:
    toml = TOML.replace('rows = ["block_size"]', 'rows = ["block_size"]\nruns = true', 1)
    found = described(tmp_path, toml)
    items = [
        loaded(result(samples=[3, 1, 2], params={"block_size": 16}), id="a", board__name="a"),
        loaded(result(samples=[5, 7], params={"block_size": 16}), id="b", board__name="b"),
        loaded(result(value=9, params={"block_size": 32}), id="c", board__name="b"),
    ]
    view = only(views(found, *items))
    assert view.key_labels[-1] == "Run"
    means = [[cell.mean if cell else None for cell in row.cells] for row in view.rows]
    shown = [(*labels, *cells) for labels, cells in zip(keys(view), means, strict=True)]
    assert shown == [
        ("16 bytes", "1", 3, 5),
        ("16 bytes", "2", 1, 7),
        ("16 bytes", "3", 2, None),
        ("16 bytes", "mean", 2, 6),
        ("32 bytes", "mean", None, 9),
    ]


def test_a_split_gives_a_part_for_each_value(tmp_path: Path) -> None:
    toml = TOML.replace("order = 5", 'order = 5\nsplit = "fs"')
    found = described(tmp_path, toml)
    item = loaded(
        *(result("lat_a", "us", params={"fs": f}) for f in ("vfat", "ext4", 1, "1", True))
    )
    sections, other = Layout(found).sections(records(item, described=found))
    assert other == {}
    assert [s.part for s in sections] == ["yes", "1", "1", "ext4", "vfat"]
    assert [len(s.records) for s in sections] == [1] * 5


def test_sections_stand_in_catalog_order(tmp_path: Path) -> None:
    for name, order in (("late", 30), ("soon", 20)):
        described(tmp_path, TOML.replace("order = 5", f"order = {order}"), name)
    found, _ = benchmarks.load([tmp_path])
    item = loaded(*({**result("lat_a", "us"), "benchmark": b} for b in ("late", "soon")))
    sections, _ = Layout(found).sections(records(item, described=found))
    assert [s.benchmark.name for s in sections] == ["soon", "late"]


# -- other shapes ------------------------------------------------------------------


def test_over_releases_the_newest_comes_first_with_a_tab_for_each_board(tmp_path: Path) -> None:
    found = described(tmp_path)
    items = [
        loaded(result(params={"block_size": 16}), id=v + b, sdk__version=v, board__name=b)
        for v in ("9.2", "10.0", "9.10")
        for b in ("sk-10", "sk-2")
    ]
    view = only(views(found, *items, shape=OVER_RELEASES))
    assert view.columns == (("10.0",), ("9.10",), ("9.2",))
    assert view.tabbed
    assert [k[0] for k in keys(view)] == ["sk-2", "sk-10"]
    assert view.key_labels == ("Board", "Block size", "Metric", "Unit")


def test_over_releases_the_boards_of_newer_releases_come_first(tmp_path: Path) -> None:
    found = described(tmp_path)
    items = [
        loaded(result(params={"block_size": 16}), id=v + b, sdk__version=v, board__name=b)
        for b, versions in {"evm": ("9.2",), "sk": ("9.2", "9.10"), "sip": ("9.10",)}.items()
        for v in versions
    ]
    view = only(views(found, *items, shape=OVER_RELEASES))
    assert [k[0] for k in keys(view)] == ["sip", "sk", "evm"]


def test_the_main_one_of_several_published_tables_comes_first(tmp_path: Path) -> None:
    found = described(tmp_path)
    items = [
        loaded(result(params={"block_size": 16, **extra}), id=str(n))
        for n, extra in enumerate(({"table": "Second", "table_no": 26}, {}))
    ]
    view = only(views(found, *items))
    assert [heads[-2] for heads in view.columns] == ["Main table", "Second"]
    assert "Published table 26" in view.columns[1]
    assert "Main table" not in view.column_names[0], "links to it stay as they were"


def test_side_by_side_has_platform_release_and_board_as_heads(tmp_path: Path) -> None:
    found = described(tmp_path)
    items = [
        loaded(result("lat_a", "us"), id=s + o, board__soc=s, sdk__os=o)
        for s in ("AM64X", "AM62X")
        for o in ("rt-linux", "linux", "Linux")
    ]
    view = only(views(found, *items, shape=SIDE_BY_SIDE))
    assert len(view.columns) == 6
    assert view.columns[0][1:] == ("09.01", "sk")
    systems = ("“Linux”", "Linux", "RT-Linux")
    heads = [f"{soc}, {system}" for soc in ("AM62X", "AM64X") for system in systems]
    assert [column[0] for column in view.columns] == heads
    assert all(cell is not None for cell in only(view.rows).cells)


# -- what no description knows -----------------------------------------------------


def general(*results: dict[str, Any], **changes: Any) -> list[View]:
    """The tables of a benchmark that nobody has described."""
    found = records(loaded(*results, **changes))
    return Layout(Catalog({})).general("speed", found)


def heads(view: View) -> list[str]:
    return [column[-1] for column in view.columns]


def test_general_tables_have_a_row_for_each_metric_where_parameters_are_alike() -> None:
    bare, by_size = general(
        result("m10"),
        result("m2", unit="foo", params={"b": 10, "a": "x"}),
        result("m2", unit="foo", params={"b": 9, "a": "x"}),
        result("m2", unit="bar"),
    )
    assert (bare.title, bare.key_labels) == ("speed", ("Metric", "Unit"))
    assert keys(bare) == [("m2", "bar"), ("m10", "MB/s")]
    assert (by_size.title, by_size.above) == ("speed: A, B", (("A", "x"),))
    assert by_size.key_labels == ("B",) and keys(by_size) == [("9",), ("10",)]
    assert by_size.columns == (("sk", "m2 (foo)"),)


def test_a_benchmark_without_a_description_is_pivoted_as_its_figures_suggest() -> None:
    view = only(
        general(
            *(
                result(m, u, params={"rw": rw, "bs": bs, "device": "/dev/sda"})
                for m, u in (("bandwidth", "MB/s"), ("iops", "1"))
                for rw in ("randread", "read", "write")
                for bs in (4096, 65536, 1048576)
            )
        )
    )
    assert view.above == (("Device", "/dev/sda"),)
    assert view.key_labels == ("Bs",) and keys(view) == [("4096",), ("65536",), ("1048576",)]
    assert view.columns[:3] == (
        ("sk", "randread", "bandwidth (MB/s)"),
        ("sk", "randread", "iops"),
        ("sk", "read", "bandwidth (MB/s)"),
    )
    assert all(cell for row in view.rows for cell in row.cells)


def test_a_long_general_table_has_a_tab_for_each_word_of_few() -> None:
    rails = [f"rail_{n}" for n in range(12)]
    view = only(
        general(
            *(
                result(clock, "mW", params={"case": case, "rail": rail})
                for clock in ("300M", "1000M")
                for case in ("idle", "video", "network")
                for rail in ["total", *rails]
            )
        )
    )
    assert view.tabbed and view.key_labels == ("Case", "Rail")
    assert heads(view) == ["300M (mW)", "1000M (mW)"]
    first = [rail for case, rail in keys(view) if case == "idle"]
    assert first == [*rails, "total"], "a total stands last"


def test_one_unknown_parameter_with_one_value_is_a_line_above_the_table(tmp_path: Path) -> None:
    found = described(tmp_path)
    plain = [result(params={"block_size": s}) for s in (16, 64)]
    known = only(views(found, loaded(*plain)))
    card = [{**r, "params": {**r["params"], "card": "SanDisk"}} for r in plain]
    view = only(views(found, loaded(*card)))
    assert view.above == (("Card", "SanDisk"),)
    assert (view.key_labels, view.columns, keys(view)) == (
        (known.key_labels, known.columns, keys(known))
    )


def test_an_unknown_parameter_becomes_what_its_number_of_values_makes_readable(
    tmp_path: Path,
) -> None:
    found = described(tmp_path)

    def of(count: int) -> View:
        cards = [f"card-{n}" for n in range(count)]
        item = loaded(
            *(result(params={"block_size": s, "card": c}) for s in (16, 64) for c in cards)
        )
        return only(views(found, item))

    assert [column[1] for column in of(3).columns] == ["card-0", "card-1", "card-2"]
    tabbed = of(8)
    assert tabbed.tabbed and tabbed.key_labels == ("Card", "Block size")
    rows = of(30)
    assert not rows.tabbed and rows.key_labels == ("Block size", "Card")
    assert len(rows.rows) == 60 and len(rows.columns) == 1


def test_a_card_that_only_some_figures_name_is_told_from_none(tmp_path: Path) -> None:
    found = described(tmp_path)
    item = loaded(result(params={"block_size": 16}), result(params={"block_size": 16, "card": "A"}))
    assert [column[1] for column in only(views(found, item)).columns] == ["A", "not stated"]


def test_boards_with_a_value_each_cost_no_cell(tmp_path: Path) -> None:
    found = described(tmp_path)
    items = [
        loaded(
            result(params={"block_size": 16, "card": f"card {n}"}),
            id=f"r{n}",
            board__name=f"sk-{n}",
        )
        for n in range(40)
    ]
    for shape in (Shape(), SIDE_BY_SIDE, OVER_RELEASES):
        view = only(views(found, *items, shape=shape))
        assert sum(len(row.cells) for row in view.rows) == 40


def test_of_hundreds_of_unknown_parameters_most_stand_together_as_one(tmp_path: Path) -> None:
    given = [
        result(value=float(n), params={"block_size": 16, "same": 1, f"odd-{n}": n % 2, "card": n})
        for n in range(300)
    ]
    view = only(views(described(tmp_path, TOML), loaded(*given)))
    assert len(view.key_labels) == 1 + MAX_EXTRA_PARAMS + 1
    assert {"Card", "Odd-0", "Other parameters"} <= {*view.key_labels}
    assert ("Same", "1") in view.above
    cells = [cell.mean for row in view.rows for cell in row.cells if cell]
    assert sorted(cells) == [float(n) for n in range(300)]
    rest = view.key_labels.index("Other parameters")
    texts = {row[rest] for row in keys(view)}
    assert '{"odd-299": 1}' in texts and len(texts) == 300 - (MAX_EXTRA_PARAMS - 1) + 1


def test_a_parameter_may_have_the_name_of_a_column(tmp_path: Path) -> None:
    found = described(tmp_path)
    item = loaded(
        *(
            result(params={"block_size": 16, "board": b, "metric": m, "release": "1"})
            for b in "xy"
            for m in "pq"
        )
    )
    view = only(views(found, item))
    assert {column[0] for column in view.columns} == {"sk"}
    assert sum(cell is not None for row in view.rows for cell in row.cells) == 4
    assert ("Release", "1") in view.above


def test_a_sparse_table_becomes_a_list(tmp_path: Path) -> None:
    found = described(tmp_path)
    items = [
        loaded(
            *(result(params={"block_size": 1000 * n + k}) for k in range(3)),
            id=f"r{n}",
            board__name=f"sk-{n}",
        )
        for n in range(120)
    ]
    view = only(views(found, *items))
    assert view.key_labels[:2] == ("Board", "Block size")
    assert len(view.rows) == 360 and len(view.columns) == 1


def test_a_metric_or_unit_that_is_not_described_stands_beside_those_that_are(
    tmp_path: Path,
) -> None:
    toml = TOML.replace('metrics = ["rate", "load"]\n', "")
    found = described(tmp_path, toml)
    params = {"block_size": 16}
    item = loaded(
        result(params=params), result(unit="us", params=params), result("depth", "1", params=params)
    )
    assert heads(only(views(found, item))) == ["Rate (MB/s) ↑", "Rate (µs) ↑", "depth"]


# -- nothing is dropped ------------------------------------------------------------

SCALARS = st.one_of(
    st.sampled_from([0, 1, 16, 4096, 1.5, True, False, "hw", "sw", "1", "16", "yes", ""]),
    st.integers(-3, 3),
    st.text(max_size=3),
)
RESULTS = st.fixed_dictionaries(
    {
        "benchmark": st.sampled_from(["speed", "runs", "parts", "unknown"]),
        "metric": st.sampled_from(["rate", "load", "lat_a", "lat_b", "else"]),
        "unit": st.sampled_from(["MB/s", "kB/s", "%", "us", "ms", "foo"]),
        "params": st.dictionaries(
            st.sampled_from(["block_size", "engine", "fs", "other"]), SCALARS, max_size=3
        ),
        "samples": st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=3),
    }
)
BUNDLES = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from(["AM62X", "AM64X"]),
        st.sampled_from(["linux", "rt-linux", "Linux"]),
        st.sampled_from(["09.01", "9.1", "10"]),
        st.lists(RESULTS, max_size=8),
    ),
    max_size=4,
)


def filled(view: View, runs: bool) -> int:
    """The cells of a table that hold a pooled figure."""
    rows = [row for row in view.rows if not runs or row.keys[-1] == "mean"]
    return sum(cell is not None for row in rows for cell in row.cells)


def shown(found: Catalog, items: list[Record], shape: Shape) -> tuple[int, Counter[int]]:
    """How many cells hold a figure, and how often each result is behind one."""
    sections, other = Layout(found).sections(items, shape)
    count, members = 0, Counter[int]()
    pages = [
        (view, section.benchmark.name == "runs" and view.id == "rate")
        for section in sections
        for view in section.views
    ]
    pages += [
        (view, False)
        for name, left in other.items()
        for view in Layout(found).general(name, left, shape)
    ]
    for view, runs in pages:
        count += filled(view, runs)
        keys_of = [row.keys for row in view.rows]
        assert all(len(row.cells) == len(view.columns) for row in view.rows)
        assert all(len(k) == len(view.key_labels) for k in keys_of)
        assert all(any(row.cells) for row in view.rows)
        for row in view.rows:
            if not runs or row.keys[-1] == "mean":
                for cell in row.cells:
                    members.update(cell.members if cell else ())
    return count, members


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    folder = tmp_path_factory.mktemp("catalog")
    described(folder)
    described(
        folder, TOML.replace('rows = ["block_size"]', 'rows = ["block_size"]\nruns = true'), "runs"
    )
    described(folder, TOML.replace("order = 5", 'order = 5\nsplit = "fs"'), "parts")
    found, faults = benchmarks.load([folder])
    assert faults == []
    return found


@given(uploads=BUNDLES)
@examples(20, heavy=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_figure_is_dropped_or_shown_twice(several: Catalog, uploads: list[Any]) -> None:
    items = [
        loaded(
            *(results or [result()]),
            id=f"r{n}",
            board__name=b,
            board__soc=s,
            sdk__os=o,
            sdk__version=v,
        )
        for n, (b, s, o, v, results) in enumerate(uploads)
    ]
    everything = records(*items, described=several)
    total = sum(len(item.bundle.results) for item in items)
    guides: dict[Any, list[Record]] = {}
    families: dict[Any, list[Record]] = {}
    for record in everything:
        key = record.guide
        guides.setdefault(key, []).append(record)
        families.setdefault((key.sdk, key.soc, key.os), []).append(record)
    for shape, groups in (
        (Shape(), list(guides.values())),
        (OVER_RELEASES, list(families.values())),
        (SIDE_BY_SIDE, [everything]),
    ):
        counts = [shown(several, group, shape) for group in groups]
        assert sum(count for count, _ in counts) == len(everything)
        members = sum((m for _, m in counts), Counter[int]())
        assert members == Counter(range(total))


def test_the_shipped_catalog_drops_nothing_of_its_own_parameters() -> None:
    found, _ = benchmarks.load([SHIPPED])
    results = []
    for name, benchmark in found.benchmarks.items():
        for table in benchmark.entry.tables:
            params = dict(table.where)
            free = [*table.rows, *table.columns, *filter(None, [table.tabs, benchmark.entry.split])]
            for number, param in enumerate(p for p in free if p != "metric"):
                params[param] = 16 + number
            for metric in benchmark.entry.metrics:
                sample = metric.name.replace("*", "x").replace("?", "x")
                results.append(
                    {
                        "benchmark": name,
                        "metric": sample,
                        "unit": metric.unit,
                        "params": params,
                        "value": 1,
                    }
                )
    everything = records(loaded(*results), described=found)
    sections, other = Layout(found).sections(everything)
    cells = [
        text
        for view in [
            *(v for s in sections for v in s.views),
            *(v for n, rs in other.items() for v in Layout(found).general(n, rs)),
        ]
        for row in grids.grid(view).rows
        for text in row[len(view.key_labels) :]
    ]
    assert len(sections) >= len(found.benchmarks)
    assert sum(text != units.MISSING for text in cells) == len(everything)


def test_many_values_of_each_board_are_rows_and_cost_no_cell(tmp_path: Path) -> None:
    found = described(tmp_path)
    items = [
        loaded(
            *(result(params={"block_size": 16, "serial": f"{n}-{k}"}) for k in range(5)),
            id=f"r{n}",
            board__name=f"sk-{n}",
        )
        for n in range(150)
    ]
    for shape in (Shape(), SIDE_BY_SIDE, OVER_RELEASES):
        view = only(views(found, *items, shape=shape))
        assert len(view.columns) == 1 and len(view.rows) == 750


# -- columns that are worked out ---------------------------------------------------

DERIVED = """
derived = [
  { label = "Rate per load", of = "rate", per = "load", unit = "MB/s per %" },
  { label = "Of the link", of = "rate", limit = 125, decimals = 1 },
]
"""


def test_derived_columns_stand_behind_all_others_and_say_so(tmp_path: Path) -> None:
    toml = TOML.replace('columns = ["engine"]\n', f'columns = ["engine"]{DERIVED}', 1)
    found = described(tmp_path, toml)
    params = {"block_size": 16}
    item = loaded(
        result(params=params, value=50),
        result("load", "%", params=params, value=20),
        result(params={"block_size": 64}, value=100),
        result(params={"block_size": 256}, status="fail"),
    )
    grid = grids.grid(only(views(found, item)))
    assert grid.header[-1][1:] == (
        *("Rate (MB/s) ↑", "CPU load (%) ↓"),
        *("Rate per load, derived (MB/s per %)", "Of the link, derived (%)"),
    )
    assert [[units.whole(cell) for cell in row] for row in grid.rows] == [
        ["16 bytes", "50.00", "20.0", "2.50", "40.0"],
        ["64 bytes", "100.00", "—", "—", "80.0"],
        ["256 bytes", "failed", "—", "—", "—"],
    ]


def test_what_cannot_be_divided_is_missing(tmp_path: Path) -> None:
    toml = TOML.replace('columns = ["engine"]\n', f'columns = ["engine"]{DERIVED}', 1)
    params = [{"block_size": 16}, {"block_size": 64}]
    item = loaded(
        result(params=params[0], value=1e200),
        result("load", "%", params=params[0], value=1e-200),
        result(params=params[1], value=1),
        result("load", "%", params=params[1], value=0),
    )
    view = only(views(described(tmp_path, toml), item))
    assert [row.derived[0] for row in view.rows] == [units.MISSING] * 2


def test_a_parameter_that_repeats_the_metric_makes_no_tabs_of_one_row(tmp_path: Path) -> None:
    rails = ["vdd_core", "vdd_mpu", "vdds_ddr", "vdda", "vdds_pll", "Total"]
    own = [result(rail, "mW", params={"row": rail}) for rail in rails]
    view = only(general(*own))
    assert not view.tabbed and len(view.rows) == 6
    assert view.rows[-1].keys[0] == "Total"
    toml = TOML.replace("lat_*", "*").replace('unit = "us"', 'unit = "mW"')
    other = only(views(described(tmp_path, toml), loaded(*own)))
    assert not other.tabbed and len(other.rows) == 6

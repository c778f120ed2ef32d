"""Runs of one measurement pool into one figure, and nothing else pools."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHIPPED, described, loaded, only, pooled, records, result
from profiles import examples

from perfguide import bundle
from perfguide.bundles import containers, decode
from perfguide.bundles.decode import Loaded
from perfguide.bundles.decompress import Limits
from perfguide.bundles.guide_key import GuideKey, family, version
from perfguide.catalog import benchmarks
from perfguide.catalog.benchmarks import Catalog
from perfguide.figures import dataset, rows, terms
from perfguide.figures.pool import Cell, Pool, Record


def runs(*results: dict[str, Any], **changes: Any) -> list[Loaded]:
    """Each result in a bundle of its own."""
    return [loaded(r, id=f"run-{n}", **changes) for n, r in enumerate(results)]


def cell(*results: dict[str, Any], catalog: Catalog | None = None) -> Cell:
    """The one figure that results in bundles of their own pool into."""
    found: Record = only(records(*runs(*results), described=catalog))
    return found.cell


def known(c: Cell) -> tuple[float | None, float | None, float | None, int | None]:
    return c.mean, c.low, c.high, c.count


# -- mean, extremes, count ---------------------------------------------------------


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ([{"value": 5}], (5, None, None, 1)),
        ([{"value": 5, "count": 4}], (5, None, None, 4)),
        ([{"value": 5, "min": 1, "max": 9}], (5, 1, 9, None)),
        ([{"value": 5, "min": 1, "max": 9, "count": 3}], (5, 1, 9, 3)),
        ([{"value": 5, "max": 9}], (5, 5, 9, None)),
        ([{"samples": [5]}], (5, None, None, 1)),
        ([{"samples": [1, 2, 6]}], (3, 1, 6, 3)),
        ([{"samples": [1, 2, 6], "value": 99}], (3, 1, 6, 3)),
        ([{"samples": [1, 2, 6]}, {"value": 11}], (5, 1, 11, 4)),
        ([{"value": 2, "count": 3}, {"value": 10, "count": 1}], (4, 2, 10, 4)),
        ([{"value": 2, "count": 3}, {"value": 10}], (4, 2, 10, 4)),
        ([{"value": 2, "min": 1, "max": 3}, {"value": 10}], (6, 1, 10, None)),
        ([{"samples": [1, 3]}, {"value": 5, "min": 0, "max": 9}], (3, 0, 9, None)),
    ],
)
def test_means_weigh_by_count_and_extremes_are_kept(
    figures: list[dict[str, Any]], expected: tuple[float | None, ...]
) -> None:
    assert known(cell(*(result(**f) for f in figures))) == expected


def test_results_of_one_bundle_pool_like_those_of_two() -> None:
    one = only(records(loaded(result(samples=[1, 2]), result(samples=[6])))).cell
    two = cell(result(samples=[1, 2]), result(samples=[6]))
    assert known(one) == known(two) == (3, 1, 6, 3)
    assert one.samples == (1, 2, 6)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=8))
@examples(10, heavy=20)
def test_the_mean_lies_between_the_extremes_of_all_samples(samples: list[float]) -> None:
    whole = cell(result(samples=samples))
    split = cell(*(result(samples=[s]) for s in samples))
    assert whole.mean is not None
    assert split.mean is not None
    assert math.isclose(whole.mean, split.mean, rel_tol=1e-9, abs_tol=1e-6)
    if len(samples) > 1:
        assert whole.low == split.low == min(samples)
        assert whole.high == split.high == max(samples)
    assert whole.count == split.count == len(samples)


WEIGHED = st.tuples(st.floats(-1e9, 1e9), st.integers(1, 9), st.sampled_from(["a", "b", "c"]))


@given(st.lists(WEIGHED, min_size=1, max_size=12))
@settings(deadline=None, max_examples=30)
def test_a_figure_has_one_mean_alone_and_among_all(found: list[tuple[float, int, str]]) -> None:
    results = (result(metric, value=value, count=count) for value, count, metric in found)
    pool = pooled(runs(*results))
    every = pool.figures()["mean"].tolist()
    assert every == [each.cell.mean for each in pool.take(range(len(pool)))]
    for metric in {name for _, _, name in found}:
        own = [(value, count) for value, count, name in found if name == metric]
        weight = sum(count for _, count in own)
        mean = math.fsum(value * count for value, count in own) / weight
        ((_, shown),) = [
            (name, each)
            for name, each in zip(pool.figures()["metric"], every, strict=True)
            if name == metric
        ]
        assert math.isclose(shown, mean, rel_tol=1e-9, abs_tol=1e-6)


# -- failed, missing, zero ---------------------------------------------------------


def test_failed_zero_and_missing_are_three_things() -> None:
    found = {
        r.metric: r.cell for r in records(loaded(result("f", status="fail"), result("z", value=0)))
    }
    assert found["f"].mean is None
    assert (found["f"].failed, found["f"].runs) == (1, 1)
    assert (found["z"].mean, found["z"].failed) == (0.0, 0)
    assert "missing" not in found


def test_a_failure_beside_figures_is_counted_and_does_not_weigh() -> None:
    found = cell(result(samples=[4, 6]), result(status="fail"), result(value=8))
    assert known(found) == (6, 4, 8, 3)
    assert (found.failed, found.runs) == (1, 3)


def test_failures_alone_have_no_figure() -> None:
    found = cell(result(status="fail"), result(status="fail"))
    assert known(found) == (None, None, None, None)
    assert (found.failed, found.runs) == (2, 2)


# -- what pools --------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"sdk__name": "Edge AI"},
        {"sdk__version": "09.02"},
        {"sdk__os": "rt-linux"},
        {"board__name": "evm"},
        {"board__soc": "AM64X"},
        {"results": [result("load")]},
        {"results": [{**result(), "benchmark": "stream"}]},
        {"results": [result(params={"block_size": 16})]},
        {"results": [result(unit="files")]},
    ],
)
def test_what_differs_in_its_name_does_not_pool(changes: dict[str, Any]) -> None:
    assert len(records(loaded(), loaded(id="run-2", **changes))) == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"created": "2025-01-01T00:00:00Z"},
        {"runner__name": "lab"},
        {"board__description": "Starter Kit"},
        {"results": [result(log={"file": "x", "line": 1})]},
        {"results": [result(unit="kB/s", value=1000)]},
    ],
)
def test_what_else_differs_pools_and_is_not_remarked(changes: dict[str, Any]) -> None:
    found = only(records(loaded(), loaded(id="run-2", **changes)))
    assert (found.cell.runs, found.cell.differs) == (2, ())


def test_parameters_tell_numbers_texts_and_booleans_apart() -> None:
    values: list[Any] = [1, "1", True, 0, "0", False, 0.5, "yes", 2**53, 1e300]
    found = records(loaded(*(result(params={"p": v}) for v in values)))
    assert len(found) == len(values)
    assert sorted((type(r.params["p"]).__name__, r.params["p"]) for r in found) == sorted(
        (type(v).__name__, v) for v in values
    )


def test_a_whole_number_is_the_same_with_a_point_and_in_any_order() -> None:
    one = result(params={"a": 1, "b": 2})
    two = result(params={"b": 2.0, "a": 1.0})
    assert cell(one, two).runs == 2
    assert cell(result(params={"a": 0}), result(params={"a": -0.0})).runs == 2


@given(
    st.dictionaries(
        st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=4),
        st.one_of(
            st.text(st.characters(codec="utf-8"), max_size=4),
            st.booleans(),
            st.integers(-(2**53), 2**53),
            st.floats(allow_nan=False, allow_infinity=False),
        ),
        max_size=3,
    )
)
@examples(10, heavy=20)
def test_parameters_come_out_as_they_went_in(params: dict[str, Any]) -> None:
    found = only(records(loaded(result(params=params))))
    assert found.params == params
    for name, value in params.items():
        assert isinstance(found.params[name], bool) == isinstance(value, bool)


# -- units -------------------------------------------------------------------------


def test_units_of_one_kind_pool_in_the_commonest_of_them() -> None:
    found = only(
        records(
            *runs(
                result(unit="kB/s", samples=[1000, 3000]),
                result(unit="MB/s", value=2),
                result(unit="MBps", value=4),
            )
        )
    )
    assert found.unit == "MB/s"
    assert known(found.cell) == (2.5, 1, 4, 4)
    assert found.cell.samples == (1.0, 3.0)


def test_the_catalog_names_the_unit(tmp_path: Path) -> None:
    found = records(*runs(result(unit="kB/s", value=2500)), described=described(tmp_path))
    assert (only(found).unit, only(found).cell.mean) == ("MB/s", 2.5)


def test_a_unit_of_another_kind_than_the_catalogs_stays_apart(tmp_path: Path) -> None:
    found = records(
        loaded(result(value=1), result(unit="us", value=7)), described=described(tmp_path)
    )
    assert {(r.unit, r.cell.mean) for r in found} == {("MB/s", 1.0), ("us", 7.0)}


def test_unknown_units_pool_only_with_themselves() -> None:
    found = records(loaded(result(unit="foo"), result(unit="foo"), result(unit="bar")))
    assert sorted((r.unit, r.cell.runs) for r in found) == [("bar", 1), ("foo", 2)]


def test_a_figure_in_the_shown_unit_is_not_touched() -> None:
    assert cell(result(unit="MBps", value=0.1)).mean == 0.1
    assert cell(result(unit="MB/s", samples=[0.1])).mean == 0.1


# -- defaults and conditions -------------------------------------------------------


def test_parameters_left_out_take_the_default(tmp_path: Path) -> None:
    catalog = described(tmp_path)
    found = cell(
        result(params={"block_size": 16}),
        result(params={"block_size": 16, "engine": "sw"}),
        catalog=catalog,
    )
    assert found.runs == 2
    assert len(records(loaded(result(), result(params={"engine": "hw"})), described=catalog)) == 2
    assert only(records(loaded(), described=catalog)).params == {"engine": "sw"}
    other = {**result(), "benchmark": "else"}
    assert only(records(loaded(other), described=catalog)).params == {}


@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        ({"board__cpu_mhz": 800}, {"board__cpu_mhz": 1400}, ("clock",)),
        ({"board__memory": "DDR3"}, {"board__memory": "DDR4"}, ("memory",)),
        ({"board__governor": "a"}, {"board__governor": "b"}, ("governor",)),
        ({"sdk__kernel": "5.10"}, {"sdk__kernel": "6.1"}, ("kernel",)),
        ({"sdk__image": "a"}, {"sdk__image": "b"}, ("image",)),
        (
            {"results": [result(command="a")]},
            {"results": [result(command="b")]},
            ("command",),
        ),
        (
            {"sdk__kernel": "5.10", "board__cpu_mhz": 800},
            {"sdk__kernel": "6.1", "board__cpu_mhz": 1400},
            ("clock", "kernel"),
        ),
        ({"sdk__kernel": "5.10"}, {}, ()),
        ({"board__cpu_mhz": 1400}, {"board__cpu_mhz": 1400.0}, ()),
    ],
)
def test_conditions_that_differ_are_named(
    one: dict[str, Any], two: dict[str, Any], words: tuple[str, ...]
) -> None:
    assert only(records(loaded(**one), loaded(id="run-2", **two))).cell.differs == words


def test_conditions_that_differ_elsewhere_do_not_count() -> None:
    found = records(
        loaded(sdk__kernel="5.10"), loaded(id="run-2", sdk__kernel="6.1", board__name="evm")
    )
    assert [r.cell.differs for r in found] == [(), ()]


# -- the table and the way back ----------------------------------------------------


def test_each_figure_knows_its_bundle_and_place() -> None:
    items = [loaded(result("a"), result("b")), loaded(result("b", value=3), id="run-2")]
    pool = pooled(items)
    found = {r.metric: r for r in records(*items)}
    table = pool.frame.table
    places = [
        (int(table["bundle"].iloc[m]), int(table["result"].iloc[m]))
        for m in found["b"].cell.members
    ]
    assert places == [(0, 1), (1, 0)]
    assert [b.bundle.id for b in pool.bundles([found["b"]])] == ["run-1", "run-2"]
    assert [b.bundle.id for b in pool.bundles([found["a"]])] == ["run-1"]


def test_commands_are_listed_once_in_natural_order() -> None:
    items = runs(*(result(command=c) for c in ("run 10", "run 2", "", "  ", "run 10")))
    pool = pooled(items)
    assert pool.commands(records(*items)) == ["run 2", "run 10"]


def test_guides_come_in_the_order_of_their_versions() -> None:
    items = [
        loaded(id=f"r{n}", sdk__version=v, board__soc=s)
        for n, (s, v) in enumerate(
            [("AM62X", "10.0"), ("AM62X", "9.2"), ("AM6X", "1"), ("AM62X", "9.10")]
        )
    ]
    assert [(k.soc, k.release) for k in pooled(items).guides()] == [
        ("AM6X", "1"),
        ("AM62X", "9.2"),
        ("AM62X", "9.10"),
        ("AM62X", "10.0"),
    ]
    assert version("09.02") < version("09.02.01") < version("10")


def test_nothing_at_all_is_an_empty_pool() -> None:
    for items in ([], [loaded(results=[])]):
        pool = pooled(items)
        assert (len(pool), pool.guides(), pool.benchmarks()) == (0, [], [])


def test_every_result_is_a_row_and_every_figure_is_reached_both_ways() -> None:
    items = [
        loaded(*(result(f"m{n}") for n in range(5)), id="a"),
        loaded({**result(), "benchmark": "x"}, result("m1"), id="b", board__soc="AM64X"),
    ]
    pool = pooled(items)
    assert len(rows.build(items).table) == 7
    by_guide = [r for k in pool.guides() for r in pool.of_guide(k)]
    by_benchmark = [r for n in pool.benchmarks() for r in pool.of_benchmark(n)]
    assert len(pool) == len(by_guide) == len(by_benchmark) == 7
    assert sorted(r.cell.members for r in by_guide) == sorted(r.cell.members for r in by_benchmark)
    assert sorted(m for r in by_guide for m in r.cell.members) == list(range(7))


def test_families_read_differently_where_they_are_different() -> None:
    names = ["linux", "rt-linux", "Linux", "RT-Linux", "zephyr"]
    keys = [GuideKey(sdk, "S", os, "1") for sdk in ("Processor SDK", "Edge AI") for os in names]
    assert len({family(key) for key in keys}) == len(keys)
    assert family(keys[0]) == "Linux"
    assert family(keys[-1]) == "Edge AI, zephyr"


def test_a_row_has_its_own_parameters_whatever_other_bundles_have(
    tmp_path: Path, write_bundle: Callable[..., Path]
) -> None:
    flags: list[Any] = [True, 1, "1", 0, False, 1.5, "", 2.0, "2.0,"]
    results = [
        {"benchmark": "b", "metric": "m", "unit": "s", "params": {"p": flag}, "samples": [n + 0.5]}
        for n, flag in enumerate(flags, 1)
    ]
    turned = [
        {**each, "params": {"p": flag}} for each, flag in zip(results, flags[::-1], strict=True)
    ]
    for name, own in (("a", results), ("b", results), ("c", turned), ("d", [result()])):
        write_bundle(tmp_path / f"{name}.json", own, id=name)
    sources, _ = containers.find([tmp_path])
    bundles = [
        item
        for each in sources
        for item in decode.upload(each, Limits())
        if isinstance(item, Loaded)
    ]
    for item, own in zip(bundles, (flags, flags, flags[::-1]), strict=False):
        assert item.digest == bundle.digest(item.bundle)
        assert [repr(r.params["p"]) for r in item.bundle.results] == [repr(flag) for flag in own]
        assert [r.samples for r in item.bundle.results] == [
            [n + 0.5] for n in range(1, len(own) + 1)
        ]
    params = rows.build(bundles).params
    assert [params.distinct[code] for code in params.codes] == [
        *(rows.canonical({"p": flag}) for flag in (*flags, *flags, *flags[::-1])),
        "{}",
    ]
    assert len(params.distinct) == len(flags) + 1 == len(set(params.distinct))


def test_figures_are_counted_as_they_pool(tmp_path: Path) -> None:
    """Without a table of all results, for the list of guides."""
    measured = {"benchmark": "openssl", "metric": "throughput", "value": 1.0}
    written = (
        {"unit": "kB/s", "params": {"algorithm": "sha256"}},
        {"unit": "kB/s", "params": {"algorithm": "sha256", "engine": "cpu"}},
        {"unit": "MB/s", "params": {"algorithm": "sha256"}},
        {"unit": "MiB/s", "metric": "own"},
        {"unit": "MB/s", "metric": "own"},
        {"unit": "s", "metric": "own", "params": {"size": 2.0}},
        {"unit": "s", "metric": "own", "params": {"size": 2}},
    )
    given = runs(*(measured | each for each in written))
    given += runs(measured | {"unit": "kB/s"}, board__name="other")
    real = dataset.Settings((TOP / "results",), (dataset.BUILT_IN, SHIPPED), tmp_path)
    holdings = dataset.read(real)
    for bundles in (given, holdings.ledger.bundles, []):
        pool = Pool(rows.build(bundles), holdings.catalog)
        counted = terms.figures_by_guide(bundles, holdings.catalog)
        assert counted == {key: pool.count(key) for key in pool.guides()}


# -- tables of published guides ----------------------------------------------------


TITLED = {"table": "EMMC EXT4", "table_no": 25}


def column(metric: str, *sizes: int | tuple[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """The results of a table's column; sizes are alone or with further parameters."""
    pairs = [each if isinstance(each, tuple) else (each, {}) for each in sizes]
    return [result(metric, params={"block_size": size, **more}) for size, more in pairs]


def of_second_table(*results: dict[str, Any]) -> dict[str, list[int]]:
    """The sizes with the title of a table, by metric, and a check that the count agrees."""
    bundles = [loaded(*results)]
    frame = rows.build(bundles)
    pool = Pool(frame, Catalog({}))
    counted = terms.figures_by_guide(bundles, Catalog({}))
    assert counted == {key: pool.count(key) for key in pool.guides()}
    out: dict[str, list[int]] = {}
    for record in pool.of_benchmark("speed"):
        if record.params.get("table") == TITLED["table"]:
            assert record.params["table_no"] == TITLED["table_no"]
            out.setdefault(record.metric, []).append(int(record.params["block_size"]))
    return out


def test_all_rows_of_a_published_table_have_its_title_if_those_named_before_have() -> None:
    second = (100, (256, TITLED), 512, (1024, TITLED), 5120)
    tables = [(4, 256, 1024), second]
    given = [each for own in tables for name in ("read", "write") for each in column(name, *own)]
    sizes = [100, 256, 512, 1024, 5120]
    assert of_second_table(*given) == {"read": sizes, "write": sizes}


@pytest.mark.parametrize(
    "given",
    [
        column("read", 4, 256, (256, TITLED)),
        column("read", 4, (256, TITLED), (512, {"table": "Other", "table_no": 26})),
        column("read", (256, {"filesystem": "vfat"}), (1024, {"filesystem": "ext4", **TITLED})),
        column("read", (4, {"filesystem": "ext4"}), (256, TITLED)),
    ],
)
def test_rows_that_may_belong_to_another_table_keep_their_names(
    given: list[dict[str, Any]],
) -> None:
    expected = [each["params"]["block_size"] for each in given if "table" in each["params"]]
    named = of_second_table(*given).get("read", [])
    assert named == [size for size in expected if size != 512]


def test_a_title_of_a_published_table_is_read_as_the_engine_that_it_names() -> None:
    catalog, _ = benchmarks.load([SHIPPED])
    title = {"table": "08.02 / CRYPTO Driver / IPSec Software Performance", "table_no": 61}

    def engine(benchmark: str = "ipsec", **params: Any) -> dict[str, Any]:
        own = {"algorithm": "aes128", **params}
        given = {"benchmark": benchmark, "metric": "throughput", "unit": "Mbit/s", "value": 1.0}
        found: Record = only(records(loaded(given | {"params": own}), described=catalog))
        return {n: v for n, v in found.params.items() if n != "algorithm"}

    assert engine(**title) == {"engine": "sw"}
    assert engine() == {"engine": "default"}
    assert engine(engine="hw", **title) == {"engine": "hw", **title}, "what is stated counts"
    other = {"table": "IPSec Hardware Performance", "table_no": 60}
    assert engine(**other) == {"engine": "default", **other}
    assert engine("emmc", **TITLED) == {"table": "EMMC EXT4"}, "a described title needs no number"
    assert engine("emmc", **title) == title

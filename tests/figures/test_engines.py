"""The class of an engine that nobody recorded is inferred, marked, and not mixed with recorded."""

from __future__ import annotations

from typing import Any

import pytest
from making import SHIPPED, loaded, only, pooled

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.catalog.board_names import Boards
from perfguide.charts.from_figures import with_figures
from perfguide.compare import event_groups
from perfguide.compare.comparison import compare
from perfguide.compare.headline import headline
from perfguide.compare.history import History
from perfguide.compare.match import Names
from perfguide.compare.row import Rules
from perfguide.compare.select import Filter, choose
from perfguide.figures import engines
from perfguide.figures.pool import Record
from perfguide.tables.assign import Layout

CATALOG, _ = benchmarks.load([SHIPPED])

RATES = {
    "offload": (400.0, 1500.0, 6000.0, 20000.0, 60000.0, 71600.0),
    "CPU instructions": (60000.0, 200000.0, 400000.0, 600000.0, 700000.0, 710000.0),
    "plain software": (38000.0, 50000.0, 62000.0, 68000.0, 70000.0, 70800.0),
}


def run(rates: tuple[float, ...], load: float | None, **params: Any) -> list[dict[str, Any]]:
    """A run of one algorithm over block sizes, with its CPU load where there is one."""
    base = {"benchmark": "openssl", "params": {"algorithm": "aes-128-cbc", **params}}
    sizes = zip((16, 64, 256, 1024, 8192, 16384), rates, strict=True)
    out = [
        {**base, "metric": "throughput", "unit": "kB/s", "value": rate}
        | {"params": {**base["params"], "block_size": size}}
        for size, rate in sizes
    ]
    if load is not None:
        out.append({**base, "metric": "cpu_load", "unit": "%", "value": load})
    return out


def records(*items: Loaded) -> list[Record]:
    pool = pooled(items, CATALOG)
    return [record for key in pool.guides() for record in pool.of_guide(key)]


@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("offload", 31.0),
        ("CPU instructions", 99.0),
        ("CPU instructions", None),
        ("plain software", 99.0),
    ],
)
def test_the_class_follows_from_small_blocks_and_the_cpu_load(name: str, load: float) -> None:
    found = engines.inferred(records(loaded(*run(RATES[name], load))), CATALOG)
    assert only(list(found.values())).name == name


@pytest.mark.parametrize("load", [None, 98.0])
def test_calls_through_the_kernel_say_nothing_without_a_low_load(load: float | None) -> None:
    # The kernel itself may use instructions of the processor.
    assert engines.inferred(records(loaded(*run(RATES["offload"], load))), CATALOG) == {}


def test_what_is_recorded_is_never_inferred_and_a_nice_level_says_nothing() -> None:
    for params in ({"engine": "hw"}, {"engine": "sw"}, {"nice": 10}, {"workload": "dm-crypt"}):
        found = engines.inferred(records(loaded(*run(RATES["offload"], 31.0, **params))), CATALOG)
        assert found == {}, params


def test_what_lies_between_two_classes_is_not_told() -> None:
    between = (24000.0, *RATES["plain software"][1:])
    assert engines.inferred(records(loaded(*run(between, 99.0))), CATALOG) == {}


def test_tables_say_that_the_engine_was_not_recorded() -> None:
    sections, _ = Layout(CATALOG).sections(records(loaded(*run(RATES["offload"], 31.0))))
    for view in only(sections).views:
        assert {column[1] for column in view.columns} == {"engine not recorded"}


def test_the_words_name_boards_algorithms_and_grounds() -> None:
    both = records(
        loaded(*run(RATES["offload"], 31.0), *run(RATES["offload"], 33.0, algorithm="aes-256-cbc")),
        loaded(*run(RATES["plain software"], 99.0), id="b", board__name="b"),
    )
    assert engines.words(both, engines.inferred(both, CATALOG)) == [
        "likely the accelerator on sk for aes-128-cbc and aes-256-cbc (aes-128-cbc: CPU load 31 %)",
        "likely plain software on b for aes-128-cbc (aes-128-cbc: 16-byte blocks at 54 % of "
        "the rate of the largest, CPU load 99 %)",
    ]


def test_an_engine_that_seems_to_have_changed_is_one_finding() -> None:
    pool = pooled(
        [
            loaded(*run(RATES["offload"], 31.0), id="old"),
            loaded(*run(RATES["plain software"], 99.0), id="new", sdk__version="09.02"),
        ],
        CATALOG,
    )
    names = Names(CATALOG, Boards({}))
    history = History([pool], names)
    old, new = (choose(pool, r, Filter(), names) for r in ("09.01", "09.02"))
    both = compare(old, new, history, Rules(names), Filter())
    assert {row.verdict for row in both.rows} == {"incomparable"} and len(both.rows) == 7
    said = "the engine seems to have changed: offload before, plain software now (inferred)"
    assert {row.ground for row in both.rows} == {said}
    assert len(only(both.events).rows) == 7


@pytest.mark.parametrize(("fallen", "state"), [(2, "look"), (5, "do not ship")])
def test_a_change_of_engine_holds_a_release_back_if_most_rates_fell(
    fallen: int, state: str
) -> None:
    """``fallen`` of six rates of a digest go down to a third with it, and the others up threefold."""
    bundles = []
    for number in range(9):
        is_last = number == 8
        software = [rate * (1.0137 + number % 3 / 700) for rate in RATES["plain software"]]
        by = [1 / 3 if at < fallen else 3.0 for at in range(6)] if is_last else [1.0] * 6
        digest = tuple(round(a * b, 1) for a, b in zip(software, by, strict=True))
        aes = run(RATES["plain software" if is_last else "offload"], 99.0 if is_last else 31.0)
        rows = [*aes, *run(digest, None, algorithm="sha256")]
        bundles.append(loaded(*rows, id=f"{number}", sdk__version=f"9.{number}"))
    pool, names = pooled(bundles, CATALOG), Names(CATALOG, Boards({}))
    history = History([pool], names)
    old, new = (choose(pool, r, Filter(), names) for r in ("9.7", "9.8"))
    both = compare(old, new, history, Rules(names), Filter())
    (event,) = both.events
    assert event.of_engine and event_groups.action(event) == "Causes"
    assert headline(both).state == state


def test_recorded_engines_show_their_class_and_one_that_frees_no_cpu_is_told() -> None:
    found = records(loaded(*run(RATES["CPU instructions"], 99.0, engine="hw")))
    sections, _ = Layout(CATALOG).sections(found)
    heads = {column[1] for view in only(sections).views for column in view.columns}
    assert heads == {"accelerator (offload)"}
    assert engines.busy(found, CATALOG) == [
        "the accelerator on sk kept the CPU busy (99 %): it frees none"
    ]
    assert engines.busy(records(loaded(*run(RATES["offload"], 31.0, engine="hw"))), CATALOG) == []


def test_a_chart_says_that_its_engine_was_not_recorded() -> None:
    openssl = CATALOG.benchmarks["openssl"]
    spec = next(chart for chart in openssl.entry.charts if chart.id == "chart")
    for params, said in (({}, True), ({"engine": "hw"}, False)):
        found = records(loaded(*run(RATES["offload"], 31.0, **params)))
        view, _ = only(with_figures(openssl, spec, found))
        assert view.subtitle.endswith("; engine not recorded") == said


@pytest.mark.parametrize(
    ("benchmark", "words"),
    [
        ("openssl", "CPU load of one core"),
        ("ethernet-tcp", "CPU load of all cores"),
        # Without a largest load, as a program may load several cores.
        ("iperf3", "CPU load of one core"),
        ("onnxruntime", "CPU load of all cores"),
        ("iperf2", "CPU load"),
    ],
)
def test_a_load_says_of_what_it_is_a_share_where_that_is_known(benchmark: str, words: str) -> None:
    assert engines.metric_label(CATALOG.benchmark(benchmark), "cpu_load") == words

"""A benchmark is data: its faults are named, and a new one needs no Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from making import ROOT, SHIPPED, TOML, described, loaded, only, records, result

from perfguide.catalog import benchmarks
from perfguide.common import units
from perfguide.common.diagnostics import Diagnostic
from perfguide.figures import labels
from perfguide.tables import grids
from perfguide.tables.assign import Layout


def load(
    folder: Path, toml: str, prose: bool = True
) -> tuple[benchmarks.Catalog, list[Diagnostic]]:
    (folder / "speed.toml").write_text(toml, "utf-8")
    if prose:
        (folder / "speed.rst").write_text("Prose.\n", "utf-8")
    return benchmarks.load([folder])


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ('title = "Speed"\nchapter', "titel = 1\nchapter", "titel", ""),
        ("order = 5", 'order = "5"', "“order” is text", "write a whole number"),
        ("order = 5", "order = ", "is not TOML", "fix this line"),
        (
            'unit = "%"',
            'unit = "%", threshold = -1',
            "“metrics[1].threshold” is out of range",
            "write a number of at least 0.0",
        ),
        (
            '"us", better = "lower"',
            '"us", better = "lower", aliases = ["old"]',
            "metric “lat_*”: a pattern cannot have “aliases”",
            "the full name",
        ),
        ('unit = "%"', 'unit = "%", aliases = ["rate"]', "“rate” also belongs to another", "once"),
        ('default = "sw"', 'aliases = { a = "b", b = "sw" }', "“a” leads to another", "today"),
        ('better = "higher"', 'better = "more"', "more", ""),
        ('metrics = ["rate", "load"]', 'metrics = ["rat"]', "“rat”", "did you mean “rate”?"),
        ('id = "latency"', 'id = "rate"', "table “rate”: 2 tables have", "only once"),
        ('id = "latency"', 'id = "La Tency"', "“La Tency”: its id", "lower-case letters"),
        ('rows = ["block_size"]', "rows = []", "“rows” is empty", "name a parameter"),
        ('rows = ["block_size"]', 'rows = ["engine"]', "“engine” is used twice", ""),
        ('where = { engine = "sw" }', "where = { metric = 1 }", "“metric” is used twice", ""),
        ('columns = ["engine"]', 'columns = ["metric"]', "among “columns”", "leave it out"),
        ('columns = ["engine"]', 'tabs = "metric"', "among “columns” or “tabs”", "leave it out"),
        (
            'columns = ["engine"]',
            'derived = [{ label = "x", of = "rat" }]',
            "needs either “per” or “limit”",
            "divisor",
        ),
        (
            'columns = ["engine"]',
            'derived = [{ label = "x", of = "rat", limit = 5 }]',
            "column “x”: no metric is named “rat”",
            "did you mean “rate”?",
        ),
        ('columns = ["engine"]', 'columns = ["board"]', "“board” is a reserved name", ""),
    ],
)
def test_a_fault_names_file_and_place_and_leaves_the_entry_out(
    tmp_path: Path, old: str, new: str, message: str, hint: str
) -> None:
    assert old in TOML
    found, faults = load(tmp_path, TOML.replace(old, new, 1))
    assert found.benchmarks == {}
    assert {d.kind for d in faults} == {"catalog"}
    assert {d.origin for d in faults} == {str(tmp_path / "speed.toml")}
    assert any(message in d.message and hint in d.hint for d in faults), faults


def test_all_faults_of_tables_are_found_at_once(tmp_path: Path) -> None:
    toml = TOML.replace('id = "latency"', 'id = "rate"').replace('rows = ["metric"]', "rows = []")
    assert len(load(tmp_path, toml)[1]) == 3


def test_text_that_is_not_utf8_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "speed.toml").write_bytes(b'title = "\xff"')
    found, faults = benchmarks.load([tmp_path])
    assert found.benchmarks == {}
    assert only(faults).kind == "catalog"


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        (
            'rises_with = "blok_size"',
            "no parameter is named “blok_size” (did you mean “block_size”?",
        ),
        ('at_most = 100, at_most_per = "thread"', "no parameter is named “thread”"),
        ('at_most_per = "engine"', "“at_most_per” has no effect without “at_most”"),
        ('at_most_for = { engine = "hw" }', "“at_most_for” has no effect without “at_most”"),
        ("clock = true", "a clock cannot be in “MB/s”"),
        ('positive = "yes"', "“metrics[0].positive” is text where true or false is required"),
    ],
)
def test_what_a_metric_must_be_has_to_make_sense(tmp_path: Path, spoilt: str, message: str) -> None:
    _, faults = load(tmp_path, TOML.replace('label = "Rate"', f'label = "Rate", {spoilt}'))
    assert message in only(faults).text()


def test_a_bad_entry_does_not_stop_the_others(tmp_path: Path) -> None:
    described(tmp_path, name="good")
    (tmp_path / "bad.toml").write_text("nonsense", "utf-8")
    found, faults = benchmarks.load([tmp_path])
    assert list(found.benchmarks) == ["good"]
    assert only(faults).origin.endswith("bad.toml")


def test_results_of_a_bad_entry_show_under_other_results(tmp_path: Path) -> None:
    found, _ = load(tmp_path, "nonsense")
    sections, other = Layout(found).sections(records(loaded(), described=found))
    assert sections == []
    assert list(other) == ["speed"]


def test_missing_prose_is_a_warning_and_the_entry_stays(tmp_path: Path) -> None:
    found, faults = load(tmp_path, TOML, prose=False)
    assert (only(faults).kind, only(faults).severity) == ("catalog-prose", "warning")
    assert found.benchmarks["speed"].prose is None
    assert benchmarks.prose([tmp_path], "speed") is None


def test_a_later_folder_replaces_an_entry_and_its_prose(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        described(tmp_path / name, TOML.replace('title = "Speed"', f'title = "{name}"', 1))
    folders = [tmp_path / "one", tmp_path / "two", tmp_path / "nowhere"]
    found, faults = benchmarks.load(folders)
    assert faults == []
    assert found.benchmarks["speed"].entry.title == "two"
    assert benchmarks.prose(folders, "speed") == tmp_path / "two" / "speed.rst"


def test_entries_come_in_the_order_of_a_guide(tmp_path: Path) -> None:
    for name, order in (("a", 30), ("b", 10), ("c", 10)):
        described(tmp_path, TOML.replace("order = 5", f"order = {order}"), name)
    assert list(benchmarks.load([tmp_path])[0].benchmarks) == ["b", "c", "a"]


def test_an_exact_metric_goes_before_a_pattern(tmp_path: Path) -> None:
    toml = TOML.replace(
        '{ name = "lat_*", unit = "us", better = "lower" },',
        '{ name = "lat_*", unit = "us", better = "lower" },\n'
        '{ name = "lat_x", unit = "ns", better = "lower" },',
    )
    speed = described(tmp_path, toml).benchmarks["speed"]
    assert [getattr(speed.metric(n), "unit", None) for n in ("lat_x", "lat_y", "else")] == [
        "ns",
        "us",
        None,
    ]


# -- the catalog that is shipped ---------------------------------------------------


def test_the_shipped_catalog_is_sound() -> None:
    found, faults = benchmarks.load([SHIPPED])
    assert faults == []
    assert len(found.benchmarks) > 20
    assert {p.stem for p in SHIPPED.glob("*.rst")} == set(found.benchmarks)


def test_each_shipped_entry_is_whole() -> None:
    spoilt = []
    for name, benchmark in benchmarks.load([SHIPPED])[0].benchmarks.items():
        entry = benchmark.entry
        assert benchmark.prose is not None
        whole = {
            "prose": len(benchmark.prose.read_text("utf-8")) > 100,
            "title": bool(entry.title.strip() and entry.chapter.strip()),
            "captions": all(t.title.strip() for t in entry.tables),
            "units": all(units.parse(m.unit).name == m.unit for m in entry.metrics),
            "kinds": not any(units.parse(m.unit).kind.startswith("unknown") for m in entry.metrics),
            "metrics": len({m.name for m in entry.metrics}) == len(entry.metrics),
        }
        spoilt += [(name, what) for what, sound in whole.items() if not sound]
    assert spoilt == []


def test_captions_tell_shipped_tables_apart() -> None:
    titles = [
        t.title for b in benchmarks.load([SHIPPED])[0].benchmarks.values() for t in b.entry.tables
    ]
    assert sorted(set(titles)) == sorted(titles)


def test_orders_of_shipped_entries_keep_chapters_together() -> None:
    chapters = [b.entry.chapter for b in benchmarks.load([SHIPPED])[0].benchmarks.values()]
    changes = [c for c, before in zip(chapters, [None, *chapters], strict=False) if c != before]
    assert len(changes) == len(set(changes))


# -- a new benchmark ---------------------------------------------------------------


def test_a_new_benchmark_is_a_toml_and_an_rst_and_no_python(tmp_path: Path) -> None:
    (tmp_path / "espresso.toml").write_text(
        """
        title = "Espresso"
        chapter = "Kitchen"
        order = 1000
        metrics = [{ name = "brew", unit = "s", better = "lower", label = "Brewing", decimals = 1 }]
        [params.cups]
        label = "Cups"
        [[tables]]
        id = "brewing"
        title = "Time to brew"
        rows = ["cups"]
        """,
        "utf-8",
    )
    (tmp_path / "espresso.rst").write_text("How long coffee takes.\n", "utf-8")
    found, faults = benchmarks.load([SHIPPED, tmp_path])
    assert faults == []
    brewed = [
        {"benchmark": "espresso", "metric": "brew", "unit": "ms", "value": v, "params": {"cups": n}}
        for n, v in ((10, 90000), (2, 30000))
    ]
    shown, other = Layout(found).sections(records(loaded(*brewed, result()), described=found))
    section = only(shown)
    assert section.benchmark.entry.title == "Espresso"
    assert section.benchmark.prose == tmp_path / "espresso.rst"
    grid = grids.grid(only(section.views))
    assert grid.header == (("Cups", "sk"), ("", "Brewing (s) ↓"))
    assert [tuple(map(units.whole, row)) for row in grid.rows] == [("2", "30.0"), ("10", "90.0")]
    assert list(other) == ["speed"]


def test_every_shipped_metric_has_a_label() -> None:
    catalog, _ = benchmarks.load([SHIPPED])
    unlabelled = [
        (name, metric.name)
        for name, benchmark in catalog.benchmarks.items()
        for metric in benchmark.entry.metrics
        if not metric.label
    ]
    assert unlabelled == []


def test_labels_of_measured_metrics_are_no_names_of_programs() -> None:
    catalog, _ = benchmarks.load([SHIPPED])
    measured = {
        (result["benchmark"], result["metric"])
        for path in (ROOT / "results").rglob("*.json")
        for result in json.loads(path.read_bytes())["results"]
    }
    raw = {
        (name, metric, label)
        for name, metric in measured
        if (benchmark := catalog.get(name)) and benchmark.metric(metric)
        if "_" in (label := benchmark.metric_label(metric)) or label[:1].islower()
    }
    assert len(measured) > 100 and {each for each in raw if each[0] != "low-power"} == set()


def test_a_number_has_the_name_of_its_parameter_also_where_a_table_has_it_as_text() -> None:
    described = benchmarks.load([SHIPPED])[0].benchmarks
    assert labels.param(described["pcie-ethernet"], "row", "32") == "TCP window 32 kbytes"
    assert labels.param(described["ipc"], "row_1", "1") == "message size 1 byte"
    assert labels.param(described["ipc"], "row", "M4F") == "M4F"
    assert labels.param(described["emmc"], "filesystem", "ext4") == "EXT4"


def test_a_label_has_what_the_wildcards_of_its_name_take() -> None:
    catalog, _ = benchmarks.load([SHIPPED])
    lmbench, pro = catalog.benchmarks["lmbench"], catalog.benchmarks["coremark-pro"]
    assert lmbench.metric_label("bw_mem-frd-16mb") == "Read, every word, 16 MiB"
    assert lmbench.metric_label("lat_ctx-2-128k") == "Context switch, 2 processes of 128 KiB"
    assert lmbench.metric_label("select_on_200_tcp_fds") == "Select on 200 tcp descriptors"
    assert pro.metric_label("new_test-10k") == "New test-10k"

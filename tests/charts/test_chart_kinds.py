"""Each kind of chart, from bundles to the points in the picture.

The figures of these bundles are made up: nobody has published such measurements. They
stand here only, never among the results that the site publishes.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from making import SHIPPED, loaded, only, pooled
from svg_points import corners, on_one_scale, paths, words

from perfguide.bundles.decode import Loaded
from perfguide.catalog import benchmarks
from perfguide.catalog.board_names import Boards
from perfguide.catalog.chart_spec import Chart, Page
from perfguide.charts import draw, gallery, trends
from perfguide.charts.from_figures import Scene, with_figures
from perfguide.charts.model import ChartView
from perfguide.common import units
from perfguide.figures.pool import Record
from perfguide.tables import assign
from perfguide.tables.model import OVER_RELEASES, SIDE_BY_SIDE, Shape


@pytest.fixture(scope="module")
def shipped() -> benchmarks.Catalog:
    found, faults = benchmarks.load([SHIPPED])
    assert faults == []
    return found


def views(
    known: benchmarks.Catalog,
    chart: str,
    *bundles: Loaded,
    on: Page = "guide",
    scene: Scene | None = None,
) -> list[ChartView]:
    """The pictures of one chart of the shipped descriptions, over all these bundles."""
    pool = pooled(bundles, known)
    records = [record for key in pool.guides() for record in pool.of_guide(key)]
    shape = {"guide": Shape(), "releases": OVER_RELEASES, "newest": SIDE_BY_SIDE}[on]
    sections, other = assign.Layout(known).sections(records, shape)
    assert not other
    out = []
    for name, benchmark in known.benchmarks.items():
        for spec in benchmark.entry.charts:
            if spec.id == chart:
                assert spec.on == on
                mine = [r for s in sections if s.benchmark.name == name for r in s.records]
                out += [view for view, _ in with_figures(benchmark, spec, mine, scene)]
    return out


def check_lines(view: ChartView) -> bytes:
    """Every point of every line stands in the picture where its figures say."""
    svg = draw.draw(view)
    for position, panel in enumerate(view.panels):
        xs, ys = [], []
        for number, line in enumerate(panel.lines):
            found = corners(svg, f"line-{position}-{number}")
            assert len(found) == len(line.points)
            xs += [(p.x, place[0]) for p, place in zip(line.points, found, strict=True)]
            ys += [(p.y, place[1]) for p, place in zip(line.points, found, strict=True)]
        on_one_scale([x for x, _ in xs], [place for _, place in xs], view.x_scale)
        on_one_scale([y for y, _ in ys], [place for _, place in ys], view.y_scale)
    return svg


def check_bars(view: ChartView) -> bytes:
    """Every bar is as long as its figure, and no two stand in one place."""
    svg = draw.draw(view)
    for position, panel in enumerate(view.panels):
        lengths, places = [], set()
        for number, line in enumerate(panel.lines):
            for bar, point in enumerate(line.points):
                found = corners(svg, f"line-{position}-{number}-{bar}")
                left, right = min(x for x, _ in found), max(x for x, _ in found)
                lengths.append((point.y, right - left))
                places.add(round(sum(y for _, y in found[:4]) / 4, 1))
        assert len(places) == len(lengths)
        on_one_scale([y for y, _ in lengths], [length for _, length in lengths])
        (longest, width) = max(lengths)
        assert width / longest == pytest.approx(lengths[0][1] / lengths[0][0], rel=1e-3)
    return svg


def forwarding(soc: str, board: str, limit: float, scale: float) -> Loaded:
    results: list[dict[str, Any]] = [
        {"benchmark": "ipsec", "metric": "link_rate", "unit": "Mbit/s", "value": limit}
    ]
    for rank, stack in enumerate(("strongswan", "openswan", "commercial")):
        for size in (64, 256, 512, 1024, 1456):
            value = min(limit, scale * size * (1 + rank) / 8)
            params = {"algorithm": "3des-sha1", "stack": stack, "packet_size": size, "engine": "hw"}
            results.append(
                {
                    "benchmark": "ipsec",
                    "metric": "throughput",
                    "unit": "Mbit/s",
                    "params": params,
                    "value": value,
                }
            )
    return loaded(*results, id=f"made-up-{board}", board__soc=soc, board__name=board)


def test_ipsec_forwarding_has_a_line_for_each_stack_and_the_links_limit(
    shipped: benchmarks.Catalog,
) -> None:
    view = only(views(shipped, "chart-forwarding", forwarding("MPC8313E", "rdb", 200.0, 1.0)))
    (panel,) = view.panels
    assert [line.label for line in panel.lines] == ["commercial", "openswan", "strongswan"]
    assert panel.limits == ((200.0, "Link limit 200 Mbit/s"),)
    svg = check_lines(view)
    (limit,) = {y for _, y in corners(svg, "limit-0-0")}
    points = [
        (p.y, c[1]) for p, c in zip(panel.lines[0].points, corners(svg, "line-0-0"), strict=True)
    ]
    on_one_scale([200.0, *(y for y, _ in points)], [limit, *(place for _, place in points)])
    assert "Link limit 200 Mbit/s" in words(svg)


def test_ipsec_forwarding_has_a_panel_for_each_platform(shipped: benchmarks.Catalog) -> None:
    bundles = [forwarding("MPC8313E", "rdb", 200.0, 1.0), forwarding("MPC8323E", "mds", 100.0, 0.6)]
    view = only(views(shipped, "chart-forwarding-platforms", *bundles, on="newest"))
    assert [p.title for p in view.panels] == [
        "MPC8313E, Linux, rdb, 09.01",
        "MPC8323E, Linux, mds, 09.01",
    ]
    assert [p.limits[0][0] for p in view.panels] == [200.0, 100.0]
    check_lines(view)


def sweep(workload: str) -> Loaded:
    """A nice sweep of two engines: the accelerator is fast at little CPU."""
    results: list[dict[str, Any]] = []
    for engine, rate, load in (("hw", 900.0, 0.4), ("sw", 300.0, 0.98)):
        for nice in (-20, -10, -5, 0, 5, 10, 19):
            share = (20 - nice) / 40
            params = {
                "algorithm": "aes-128-cbc",
                "engine": engine,
                "nice": nice,
                "workload": workload,
            }
            params |= {"background": "busy-loop"}
            results.append(
                {
                    "benchmark": "openssl",
                    "metric": "cpu_load",
                    "unit": "%",
                    "params": params,
                    "value": 100 * load * share,
                }
            )
            results += [
                {
                    "benchmark": "openssl",
                    "metric": "throughput",
                    "unit": "kB/s",
                    "params": params | {"block_size": size},
                    "samples": [rate * share * size * 0.9, rate * share * size * 1.1],
                }
                for size in (16, 1024, 8192)
            ]
    return loaded(*results, id="made-up-sweep", board__name="evm")


@pytest.mark.parametrize(
    ("chart", "workload"), [("chart-nice", "alone"), ("chart-nice-dm-crypt", "dm-crypt")]
)
def test_the_nice_sweep_has_all_engines_and_block_sizes_on_the_same_axes(
    shipped: benchmarks.Catalog, chart: str, workload: str
) -> None:
    view = only(views(shipped, chart, sweep(workload)))
    (panel,) = view.panels
    names = [(line.group, line.step) for line in panel.lines]
    sizes = ["16 bytes", "1 KiB", "8 KiB"]
    assert names == [(engine, size) for engine in ("accelerator", "software") for size in sizes]
    svg = check_lines(view)
    assert {"nice level -20", "19", "0"} <= set(words(svg))
    drawn = " ".join(words(svg))
    for name in ("accelerator, 1 KiB", "accelerator, 8 KiB", "software, 8 KiB"):
        assert name in drawn
    assert view.y_label == "Throughput (MB/s) ↑"
    assert {p.y for line in panel.lines for p in line.points} >= {900.0 * 8.192, 300.0 * 8.192}
    assert view.x_label == "CPU left (%)"
    assert [p.x for p in panel.lines[0].points][:2] == [60.0, 70.0], "what the load leaves of 100"
    found = "The accelerator has 3.0 times the throughput of software at every level"
    assert view.finding == found and "evm" in view.subtitle and "1 run of each" in view.subtitle
    assert found in drawn


def test_lines_of_one_order_that_end_together_have_one_name(shipped: benchmarks.Catalog) -> None:
    view = only(views(shipped, "chart-nice", sweep("alone")))
    last = [line for line in view.panels[0].lines if line.step == "8 KiB"]
    alike = tuple(replace(line, step=step) for line in last for step in ("64 bytes", line.step))
    panel = replace(view.panels[0], lines=alike)
    drawn = " ".join(words(draw.draw(replace(view, panels=(panel,)))))
    assert "accelerator, 64 B to 8 KiB" in drawn and "software, 64 B to 8 KiB" in drawn


def test_measured_levels_stand_in_the_table_and_nothing_between(
    shipped: benchmarks.Catalog,
) -> None:
    view = only(views(shipped, "chart-nice", sweep("alone")))
    grid, left_out = gallery.levels([view])
    assert grid.header[0] == (
        "Picture",
        view.mark,
        *["accelerator, 8 KiB"] * 2,
        *["software, 8 KiB"] * 2,
        "8 KiB",
    )
    assert grid.header[1] == ("", "", *[view.x_label, view.y_label] * 2, "Ratio")
    largest = [line for line in view.panels[0].lines if line.step == "8 KiB"]
    for number, row in enumerate(grid.rows):
        points = [line.points[number] for line in largest]
        assert [cell[0] for cell in row[2:-1]] == [each for p in points for each in (p.x, p.y)]
        assert row[-1] == (pytest.approx(3), "×3", ""), "a number, as those beside it"
    assert len(grid.rows) == 7 and left_out == 2 * 2 * 7, "those of the other two sizes"


def test_the_share_that_a_sweep_leaves_and_what_it_does_there_are_named(
    shipped: benchmarks.Catalog,
) -> None:
    view = only(views(shipped, "chart-nice", sweep("alone")))
    rates = [900 * 8.192 / 2, 300 * 8.192 / 2]
    assert [point.y for point in view.panels[0].labelled] == rates
    left = "With 51 to 80 % of the CPU left for everything else (nice level 0)"
    does = "the accelerator does 3,686 MB/s at 8 KiB, 3.0 times the 1,229 MB/s of software"
    assert view.says == (f"{left}, {does}.",)
    assert {"3,686", "1,229"} <= set(words(draw.draw(view)))


def test_a_long_line_has_its_ends_and_round_levels_in_the_table(
    shipped: benchmarks.Catalog,
) -> None:
    view = only(views(shipped, "chart-nice", sweep("alone")))
    line = view.panels[0].lines[0]
    points = tuple(
        replace(line.points[0], x=float(nice), mark=units.figure(float(nice)))
        for nice in range(-20, 20)
    )
    panel = replace(view.panels[0], lines=(replace(line, points=points),))
    grid, left_out = gallery.levels([replace(view, panels=(panel,))])
    shown = [row[1][0] for row in grid.rows]
    assert shown == [-20.0, -15.0, -10.0, -5.0, 0.0, 5.0, 10.0, 15.0, 19.0]
    assert left_out == 40 - len(shown)


def test_levels_stand_on_top_where_all_lines_have_them_at_one_place(
    shipped: benchmarks.Catalog,
) -> None:
    both = only(views(shipped, "chart-nice", sweep("alone")))
    assert both.ramp and "Nice level" not in words(draw.draw(both))
    one = tuple(line for line in both.panels[0].lines if line.group == "software")
    alone = replace(both, panels=(replace(both.panels[0], lines=one),))
    assert "Nice level" in words(draw.draw(alone))


def latency() -> Loaded:
    results: list[dict[str, Any]] = []
    for core, worst in ((0, 58.0), (1, 63.0), (2, 41.0)):
        for metric, value in (
            ("latency_min", 6.0),
            ("latency_avg", 9.0 + core),
            ("latency_max", worst),
        ):
            results.append(
                {
                    "benchmark": "cyclictest",
                    "metric": metric,
                    "unit": "us",
                    "params": {"core": core},
                    "value": value,
                }
            )
        for step, count in enumerate((3, 410, 9000, 77, 1, 2)):
            params = {"core": core, "latency": 6 + step}
            results.append(
                {
                    "benchmark": "cyclictest",
                    "metric": "histogram",
                    "unit": "1",
                    "params": params,
                    "value": float(count + core),
                }
            )
    return loaded(*results, id="made-up-latency")


def test_latencies_of_each_core_stand_side_by_side(shipped: benchmarks.Catalog) -> None:
    view = only(views(shipped, "chart-cores", latency()))
    assert [line.label for line in view.panels[0].lines] == ["Minimum", "Average", "Maximum"]
    assert view.ticks == ("core 0", "core 1", "core 2")
    svg = check_bars(view)
    assert "58" in words(svg) and view.y_label == "Latency (µs) ↓"


def test_a_histogram_has_a_step_for_each_latency(shipped: benchmarks.Catalog) -> None:
    view = only(views(shipped, "chart-histogram", latency()))
    assert [line.label for line in view.panels[0].lines] == ["core 0", "core 1", "core 2"]
    svg = draw.draw(view)
    for number, line in enumerate(view.panels[0].lines):
        found = corners(svg, f"line-0-{number}")
        # Corners come in pairs: up to the middle between two latencies, and on from there.
        heights = [found[0][1], *(found[at][1] for at in range(2, len(found) - 1, 2)), found[-1][1]]
        heights = list(dict.fromkeys(heights))
        assert len(heights) == len(line.points)
        on_one_scale([p.y for p in line.points], heights, "log")
        middles = sorted({x for (x, _), (x2, _) in pairwise(found) if x == x2})
        between = [(a.x + b.x) / 2 for a, b in pairwise(line.points)]
        on_one_scale(between, middles)


def release(version: str, mhz: float, *rates: float, board: str = "sk") -> Loaded:
    results = (
        [{"benchmark": "stream", "metric": "copy", "unit": "MB/s", "samples": list(rates)}]
        if rates
        else [{"benchmark": "linpack", "metric": "linpack", "unit": "Kflops", "value": 5.0}]
    )
    return loaded(
        *results,
        id=f"made-up-{board}-{version}",
        sdk__version=version,
        board__name=board,
        board__cpu_mhz=mhz,
    )


def test_a_trend_has_releases_in_order_with_gaps_ranges_and_changes_of_the_board(
    shipped: benchmarks.Catalog,
) -> None:
    bundles = [
        release("9.2", 1000, 100.0, 110.0),
        release("10.0", 1000, 120.0),
        release("9.10", 1000),
        release("11.0", 1250, 150.0, 130.0),
        release("11.1", 1250, 140.0),
        release("10.0", 800, 80.0, board="lp"),
        release("11.0", 800, 85.0, board="lp"),
    ]
    scene = trends.scene([b.bundle.sdk.version for b in bundles], [b.bundle for b in bundles])
    assert scene.releases == ("9.2", "9.10", "10.0", "11.0", "11.1")
    pool = pooled(bundles, shipped)
    records = [r for key in pool.guides() for r in pool.of_guide(key) if r.metric == "copy"]
    view, _ = only(trends.over_releases(shipped, records, scene))
    (panel,) = view.panels
    lp, sk = panel.lines
    assert (lp.label, [p.mark for p in lp.points]) == ("lp", ["10.0", "11.0"])
    assert view.y_label == "MB/s ↑"
    assert [(p.x, p.y, p.low, p.high) for p in sk.points] == [
        (0.0, 105.0, 100.0, 110.0),
        (2.0, 120.0, None, None),
        (3.0, 140.0, 130.0, 150.0),
        (4.0, 140.0, None, None),
    ]
    assert view.says == ("sk: clock 1000 MHz → 1250 MHz from 11.0 on.",)
    svg = draw.draw(view)
    first, rest = paths(svg, "line-0-1")
    assert len(first) == 1 and len(rest) == 3, "the release without a figure is a gap"
    places = [*first, *rest]
    on_one_scale([p.x for p in sk.points], [x for x, _ in places])
    on_one_scale([p.y for p in sk.points], [y for _, y in places])
    change = corners(svg, "vertical-0-0")[0][0]
    on_one_scale([p.x for p in sk.points] + [2.5], [x for x, _ in places] + [change])
    named = Boards(shorts={("AM62X", "lp"): "Low power", ("AM62X", "sk"): "Starter"})
    short = trends.scene(scene.releases, [b.bundle for b in bundles], named)
    view, _ = only(trends.over_releases(shipped, records, short))
    assert [line.label for line in view.panels[0].lines] == ["Low power", "Starter"]
    assert view.styles == ("Starter", "Low power"), "the newest release has no other board"
    assert view.says == ("Starter: clock 1000 MHz → 1250 MHz from 11.0 on.",)


def test_boards_stand_side_by_side_each_with_its_newest_release(
    shipped: benchmarks.Catalog,
) -> None:
    bundles = [release("9.2", 1000, 100.0, 120.0), release("10.0", 800, 80.0, board="lp")]
    pool = pooled(bundles, shipped)
    boards = Boards(shorts={("AM62X", "lp"): "Low power"})
    records = pool.of_benchmark("stream")
    view = only(trends.of_boards(shipped, records, records, pool.guides()[-1:], boards))
    assert view.ticks == ("sk\n9.2 (older)", "AM62X Low power\n10.0"), "the best first"
    assert view.finding == "Memory copy: sk leads with 110 MB/s"
    svg = check_bars(view)
    assert {"80", "110", "9.2 (older)"} <= set(words(svg))


def test_of_many_boards_the_best_are_drawn_and_the_picture_says_so(
    shipped: benchmarks.Catalog,
) -> None:
    names = [f"board-{number:03}" for number in range(60)]
    boards = [release("9.2", 1000, 1.0 + n, board=name) for n, name in enumerate(names)]
    pool = pooled(boards, shipped)
    records = pool.of_benchmark("stream")
    view = only(trends.of_boards(shipped, records, records, pool.guides(), Boards()))
    assert view.says == ("The best 50 of 60 bars are drawn; the tables have all.",)
    assert [tick.split("\n")[0] for tick in view.ticks] == names[:9:-1]
    check_bars(view)
    described = shipped.benchmarks["stream"]
    spec = Chart(
        **{"id": "boards", "title": "Boards", "kind": "bars", "on": "newest"},
        **{"x": "board", "y": "copy", "where": records[0].params},
    )
    described_view, _ = only(with_figures(described, spec, records))
    assert described_view.says == ("The best 50 of 60 boards are drawn; the tables have all.",)
    assert [tick.split(",")[0] for tick in described_view.ticks] == names[:9:-1]
    check_bars(described_view)


def test_a_figure_in_doubt_has_no_bar_and_is_named(shipped: benchmarks.Catalog) -> None:
    boards = [release("9.2", 1000, rate, board=name) for name, rate in
              (("a", 100.0), ("b", 80.0), ("c", 34_490.0))]  # fmt: skip
    pool = pooled(boards, shipped)
    records = pool.of_benchmark("stream")

    def doubt(record: Record) -> str:
        return "more than is possible" if record.board == "c" else ""

    view = only(trends.of_boards(shipped, records, records, pool.guides(), Boards(), doubt))
    assert [point.y for point in view.panels[0].lines[0].points] == [100.0, 80.0]
    assert view.finding == "Memory copy: a leads with 100 MB/s"
    assert view.warnings == ("Left out: c with 34,490 MB/s (more than is possible)",)


def test_no_figure_in_doubt_sets_the_scale_of_a_trend(shipped: benchmarks.Catalog) -> None:
    rates = (30.0, 34_490.0, 100.0, 80.0)
    bundles = [release(f"{n}.0", 1000, rate) for n, rate in enumerate(rates, 9)]
    scene = trends.scene([b.bundle.sdk.version for b in bundles], [])
    pool = pooled(bundles, shipped)
    records = [r for key in pool.guides() for r in pool.of_guide(key) if r.metric == "copy"]

    def doubt(record: Record) -> str:
        return "in doubt" if record.cell.mean in (30.0, 34_490.0) else ""

    view, _ = only(trends.over_releases(shipped, records, scene, doubt))
    assert [point.y for point in view.panels[0].lines[0].points] == [30.0, 100.0, 80.0]
    assert view.warnings == ("Left out: STREAM, Copy of sk in 10.0 with 34,490 MB/s (in doubt)",)
    every, _ = only(trends.over_releases(shipped, records, scene, lambda _: "in doubt"))
    assert len(every.panels[0].lines[0].points) == 4 and not every.warnings


def test_boards_with_the_same_figure_are_first_together(shipped: benchmarks.Catalog) -> None:
    boards = [release("9.2", 1000, rate, board=name) for name, rate in
              (("a", 100.0), ("b", 80.0), ("c", 100.0))]  # fmt: skip
    pool = pooled(boards, shipped)
    records = pool.of_benchmark("stream")
    view = only(trends.of_boards(shipped, records, records, pool.guides(), Boards()))
    assert view.finding == "Memory copy: a and c are first with 100 MB/s"


def test_a_trend_names_the_unit_that_its_figures_are_in(shipped: benchmarks.Catalog) -> None:
    rates = {"9.1": 240_000.0, "9.2": 250_000.0, "10.0": 245_000.0}
    bundles = [
        loaded(
            {"benchmark": "linpack", "metric": "linpack", "unit": "Kflops", "value": rate},
            id=f"made-up-{version}",
            sdk__version=version,
        )
        for version, rate in rates.items()
    ]
    scene = trends.scene(list(rates), [b.bundle for b in bundles])
    view, _ = only(
        trends.over_releases(shipped, pooled(bundles, shipped).of_benchmark("linpack"), scene)
    )
    assert [point.y for point in view.panels[0].lines[0].points] == [240.0, 250.0, 245.0]
    assert view.y_label == "Mflop/s ↑"


def test_engines_stand_beside_each_other_with_the_cpu_load_of_their_runs(
    shipped: benchmarks.Catalog,
) -> None:
    params = {"algorithm": "aes-128-cbc"}
    results = [
        {"benchmark": "openssl", "unit": unit, "metric": metric, "params": own, "value": value}
        for engine, rate, load in (("hw", 24_600.0, 37.0), ("sw", 9_264.6, 99.0))
        for metric, unit, own, value in (
            ("throughput", "kB/s", params | {"engine": engine, "block_size": 1024}, rate),
            ("cpu_load", "%", params | {"engine": engine}, load),
        )
    ]
    pool = pooled([loaded(*results, id="made-up-engines", board__name="evm")], shipped)
    records = pool.of_benchmark("openssl")
    rates = [record for record in records if record.metric == "throughput"]
    view = only(trends.of_boards(shipped, rates, records, pool.guides(), Boards()))
    assert [point.words for point in view.panels[0].lines[0].points] == [
        "24.6, 37 % CPU",
        "9.265, 99 % CPU",
    ]
    assert (
        view.finding
        == "AES-128-CBC, 1 KiB: evm leads with 24.6 MB/s at 37 % of one core over all sizes (accelerator)"
    )
    assert view.name == "AES-128-CBC, 1 KiB"


def test_an_engine_that_most_boards_share_is_named_once(shipped: benchmarks.Catalog) -> None:
    params = {"algorithm": "aes-128-cbc", "block_size": 1024}
    bundles = [
        loaded(
            {
                **{"benchmark": "openssl", "metric": "throughput", "unit": "kB/s", "value": rate},
                "params": params | {"engine": engine},
            },
            id=f"made-up-{board}",
            board__name=board,
        )
        for board, engine, rate in (("a", "sw", 9e3), ("b", "sw", 8e3), ("c", "hw", 30e3))
    ]
    pool = pooled(bundles, shipped)
    records = pool.of_benchmark("openssl")
    view = only(trends.of_boards(shipped, records, records, pool.guides(), Boards()))
    assert view.subtitle.endswith("; software unless said otherwise")
    assert [tick.splitlines()[0] for tick in view.ticks] == ["c, accelerator", "a", "b"]


def test_no_letter_of_a_board_is_left_out_beside_its_bar(shipped: benchmarks.Catalog) -> None:
    name = "a-board-whose-name-is-longer-than-a-line-beside-its-bar"
    pool = pooled([release("9.2", 1000, 100.0), release("10.0", 800, 80.0, board=name)], shipped)
    records = pool.of_benchmark("stream")
    view = only(trends.of_boards(shipped, records, records, pool.guides(), Boards()))
    svg = check_bars(view)
    assert name in "".join("".join(words(svg)).split())


def engines(version: str, hw: float, **changes: Any) -> Loaded:
    def results(engine: str, scale: float, cost: float) -> list[dict[str, Any]]:
        return [
            {
                "benchmark": "openssl",
                "metric": "throughput",
                "unit": "kB/s",
                "params": {"algorithm": "aes-128-cbc", "block_size": size, "engine": engine},
                "value": scale * size / (1 + cost * size / 1000),
            }
            for size in (16, 64, 256, 1024, 8192)
        ]

    every = [*results("hw", hw, 0.1), *results("arm-ce", 40.0, 0.5), *results("sw", 20.0, 3.0)]
    named = "-".join(["made-up", version, *changes.values()])
    return loaded(*every, id=named, sdk__version=version, **changes)


def test_a_picture_with_too_many_panels_is_one_for_each_board(shipped: benchmarks.Catalog) -> None:
    bundles = [
        engines(f"{release}.0", 10.0, board__name=board)
        for board in ("one", "two")
        for release in range(1, 27 if board == "two" else 4)
    ]
    first, second = views(shipped, "chart-releases", *bundles, on="releases")
    assert first.name.endswith(", one") and second.name.endswith(", two")
    assert [p.title for p in first.panels] == ["one, 1.0", "one, 2.0", "one, 3.0"]
    assert [p.title for p in second.panels] == [f"two, {n}.0" for n in range(3, 27)]
    left_out = "The newest 24 of 26 panels are drawn; the tables have all."
    assert left_out in second.says and left_out not in first.says
    whole = only(views(shipped, "chart-releases", *bundles[:4], on="releases"))
    assert len(whole.panels) == 4


def test_more_than_two_engines_and_several_releases_share_one_figure(
    shipped: benchmarks.Catalog,
) -> None:
    view = only(
        views(shipped, "chart-releases", engines("9.2", 10.0), engines("10.0", 15.0), on="releases")
    )
    assert [p.title for p in view.panels] == ["sk, 9.2", "sk, 10.0"]
    for panel in view.panels:
        assert [line.label for line in panel.lines] == [
            "accelerator",
            "Arm Crypto Extension",
            "software",
        ]
    assert len(view.says) == 2, "a sentence on all engines for each release"
    assert view.panels[0].verticals != view.panels[1].verticals
    check_lines(view)


def test_of_many_releases_only_the_newest_says_something(shipped: benchmarks.Catalog) -> None:
    releases = [f"9.{number}" for number in range(10)]
    made = [engines(release, 10.0 + number) for number, release in enumerate(releases)]
    view = only(views(shipped, "chart-releases", *made, on="releases"))
    assert len(view.panels) == len(releases)
    newest, more = view.says
    assert newest.startswith("sk, 9.9: ") and "older releases" in more


def test_a_description_in_words_goes_with_each_kind(shipped: benchmarks.Catalog) -> None:
    cores = only(views(shipped, "chart-cores", latency())).text()
    assert cores.startswith("Bar chart: Wake-up latency of each core") and "58 for core 0" in cores
    histogram = only(views(shipped, "chart-histogram", latency())).text()
    assert "most 9,000 at 8" in histogram


def test_boards_near_to_the_one_drawn_are_named_with_how_far_they_differ(
    shipped: benchmarks.Catalog,
) -> None:
    rates = {64: 100.0, 256: 200.0, 1024: 400.0}

    def of_board(name: str, *factors: float) -> Loaded:
        params = {"algorithm": "3des-sha1", "stack": "openswan", "engine": "hw"}
        rate = {"benchmark": "ipsec", "metric": "throughput", "unit": "Mbit/s"}
        results = [
            {**rate, "params": params | {"packet_size": size}, "value": value * factor}
            for (size, value), factor in zip(rates.items(), factors, strict=True)
        ]
        return loaded(*results, id=name, board__name=name)

    factors = {"alpha": (1, 1, 1), "beta": (0.96, 1.03, 1.09), "far": (2, 2, 2)}
    pool = pooled([of_board(name, *own) for name, own in factors.items()], shipped)
    axes = {"x": "packet_size", "y": "throughput", "series": ("stack", "engine")}
    spec = Chart(id="rates", title="Rates", where={"algorithm": "3des-sha1"}, **axes)
    pictures = with_figures(shipped.benchmarks["ipsec"], spec, pool.of_benchmark("ipsec"))
    (first, _), (second, _) = pictures
    # The best of the boards that are near to each other is drawn.
    assert first.subtitle.endswith("; other boards differ: alpha by −8 to +4 %")
    assert [point.y for point in second.panels[0].lines[0].points] == [200.0, 400.0, 800.0]


@pytest.mark.parametrize(
    ("engines", "ticks", "about"),
    [
        ({"a": "hw", "b": "sw"}, ["a, accelerator", "b, software"], ""),
        ({"a": "hw", "b": "hw"}, ["a", "b"], "; accelerator"),
    ],
)  # fmt: skip
def test_bars_name_their_engines_unless_all_have_one(
    shipped: benchmarks.Catalog, engines: dict[str, str], ticks: list[str], about: str
) -> None:
    rates = [
        loaded(
            {"benchmark": "openssl", "metric": "throughput", "unit": "kB/s", "value": 9000.0 - rank}
            | {"params": {"algorithm": "aes-128-cbc", "block_size": 1024, "engine": engine}},
            **{"id": board, "board__name": board},
        )
        for rank, (board, engine) in enumerate(engines.items())
    ]
    pool = pooled(rates, shipped)
    records = pool.of_benchmark("openssl")
    view = only(trends.of_boards(shipped, records, records, pool.guides(), Boards()))
    assert [tick.partition("\n")[0] for tick in view.ticks] == ticks
    assert view.subtitle == f"The newest release of each board{about}"

"""Charts: what they say, what they draw, and that both are the figures."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import TOP
from svg_points import SVG, corners, on_one_scale

from perfguide.charts import crossovers, draw, line_names, palette
from perfguide.charts import gallery as pictures
from perfguide.charts.from_figures import with_figures
from perfguide.charts.model import MAX_DESCRIBED, ChartView, Line, Panel, Point
from perfguide.common import parallel
from perfguide.common.package import ROOT
from perfguide.figures import dataset
from perfguide.pages import build
from perfguide.publishing.output_folder import Writer
from perfguide.tables import assign


@pytest.fixture(scope="module")
def held() -> dataset.Holdings:
    settings = dataset.Settings((TOP / "results",), (TOP / "source/benchmarks",), Path("unused"))
    return dataset.read(settings)


def _views(held: dataset.Holdings, soc: str, release: str, chart: str) -> list[ChartView]:
    (key,) = [k for k in held.pool.guides() if (k.soc, k.release) == (soc, release)]
    sections, _ = assign.Layout(held.catalog).sections(held.pool.of_guide(key))
    (section,) = [s for s in sections if s.benchmark.name == "openssl"]
    (spec,) = [c for c in section.benchmark.entry.charts if c.id == chart]
    return [view for view, _ in with_figures(section.benchmark, spec, section.records)]


# Published figures of the AM335x guides: throughput in kB/s of accelerator and
# software on both sides of the cross-over, worked out here by hand as the
# crossing of two straight lines on log axes.
CROSSINGS = [
    ("05.07.00.00", "chart", "aes-128-cbc", (256, 6234.37, 6341.89), (1024, 13145.77, 9264.47)),
    ("05.07.00.00", "chart", "aes-192-cbc", (64, 1987.71, 2642.50), (256, 6275.67, 5709.82)),
    ("05.07.00.00", "chart", "aes-256-cbc", (64, 1987.99, 2523.03), (256, 6311.94, 5177.17)),
    ("06.00.00.00", "chart", "aes-128-cbc", (256, 8151.38, 9577.64), (1024, 19412.65, 13022.21)),
    ("06.00.00.00", "chart", "aes-192-cbc", (256, 8185.26, 8387.84), (1024, 20320.94, 11181.40)),
    ("06.00.00.00", "chart", "aes-256-cbc", (64, 3263.25, 3978.35), (256, 8047.10, 7599.02)),
    (
        "06.00.00.00",
        "chart-dm-crypt",
        "aes-128-cbc",
        (256, 4163.7, 5249.96),
        (1024, 9231.02, 7467.01),
    ),
    (
        "05.07.00.00",
        "chart-dm-crypt",
        "aes-256-cbc",
        (64, 1137.58, 1296.26),
        (256, 3275.78, 2518.67),
    ),
]


@pytest.mark.parametrize(("release", "chart", "algorithm", "below", "above"), CROSSINGS)
def test_the_cross_over_is_where_the_figures_put_it(
    held: dataset.Holdings,
    release: str,
    chart: str,
    algorithm: str,
    below: tuple[float, float, float],
    above: tuple[float, float, float],
) -> None:
    (view,) = _views(held, "AM335X", release, chart)
    panels = {panel.title: panel for panel in view.panels}
    assert [*panels] == ["AES-128-CBC", "AES-192-CBC", "AES-256-CBC"]
    label = algorithm.upper()
    ((x, words),) = panels[label].verticals
    gap = [math.log(hw / sw) for _, hw, sw in (below, above)]
    share = -gap[0] / (gap[1] - gap[0])
    by_hand = below[0] * (above[0] / below[0]) ** share
    assert x == pytest.approx(by_hand, rel=1e-9)
    assert 64 < x < 1024
    assert f"{x:.0f}" in words
    (said,) = [text for text in view.says if text.startswith(f"{label}: ")]
    assert "the accelerator is faster; at 8 KiB" in said


def test_the_verdict_says_throughput_and_load() -> None:
    hw = crossovers.Engine("accelerator", ((16, 100.0), (1024, 4000.0)), cpu=40.0)
    sw = crossovers.Engine("software", ((16, 200.0), (1024, 2000.0)), cpu=80.0)
    said = crossovers.verdict(hw, sw)
    # On log axes the lines cross half way up the three doublings of the ratio's 1/2 … 2.
    assert said == (
        "Above about 130 bytes the accelerator is faster; at 1 KiB the accelerator has "
        "2.0 times the throughput at 0.5 times the CPU load, so it processes 4.0 times as much data "
        "per second of CPU time."
    )
    always = crossovers.verdict(sw, crossovers.Engine("plain", ((16, 1.0), (1024, 1.0))))
    assert "faster than the plain at every block size" in always


def test_of_three_engines_the_fastest_and_the_thriftiest_are_named_by_size() -> None:
    sizes = (16, 1024, 16384)
    sw = crossovers.Engine("software", tuple(zip(sizes, (30.0, 60.0, 64.0), strict=True)), 100.0)
    hw = crossovers.Engine("accelerator", tuple(zip(sizes, (1.0, 40.0, 128.0), strict=True)), 25.0)
    ce = crossovers.Engine(
        "extension", tuple(zip(sizes, (20.0, 900.0, 1536.0), strict=True)), 100.0
    )
    fastest, thrift, loads = crossovers.standings([hw, ce, sw])
    assert fastest.startswith("Software is the fastest up to about 28 bytes, the extension above")
    # ln(30 / 20) to ln(900 / 60): at 16 * 64 ** (0.405 / 3.114). 1536 / 128 and 1536 / 64; for each second of CPU 15.36 against 5.12 and 0.64.
    assert fastest.endswith(
        "12.0 times as fast as the accelerator and 24.0 times as fast as software."
    )
    assert "the extension above" in thrift
    assert thrift.endswith(
        "3.0 times as much as the accelerator and 24.0 times as much as software."
    )
    assert loads == "CPU load: accelerator 25 %, extension 100 %, software 100 %."


def test_an_accelerator_that_looks_like_software_is_called_out() -> None:
    sw = crossovers.Engine("software", ((16, 100.0), (64, 200.0)), cpu=98.0)
    same = crossovers.Engine("accelerator", ((16, 101.0), (64, 199.0)), cpu=98.0)
    assert "most likely not in use" in crossovers.not_in_use(same, sw)
    free = crossovers.Engine("accelerator", ((16, 101.0), (64, 199.0)), cpu=30.0)
    fast = crossovers.Engine("accelerator", ((16, 101.0), (64, 400.0)), cpu=98.0)
    assert crossovers.not_in_use(free, sw) == crossovers.not_in_use(fast, sw) == ""


@pytest.mark.parametrize(
    ("cpu", "busy"), [(80.0, False), (84.9, False), (85.0, True), (90.0, True)]
)
def test_an_accelerator_counts_as_unused_from_85_per_cent_load_on(cpu: float, busy: bool) -> None:
    curve = ((16, 100.0), (64, 200.0))
    tested = crossovers.Engine("accelerator", curve, cpu)
    warning = crossovers.not_in_use(tested, crossovers.Engine("software", curve, 99.0))
    assert warning.endswith(f"{cpu:.0f} % CPU load: it was most likely not in use.") == busy


def _sweep() -> ChartView:
    """A made-up sweep of two engines, for drawing only."""
    panels = tuple(
        Panel(
            engine,
            tuple(
                Line(
                    f"{size} bytes",
                    tuple(
                        Point(cpu, cpu * size * factor, cpu * size * factor * 0.9, None, str(cpu))
                        if cpu % 2
                        else Point(cpu, cpu * size * factor, cpu * size, cpu * size * 4.0, str(cpu))
                        for cpu in (2.0, 11.0, 50.0, 97.0)
                    ),
                )
                for size in (16, 64, 256)
            ),
        )
        for engine, factor in (("accelerator", 3.0), ("software", 1.5))
    )
    return ChartView(
        "c", "A sweep", "aes", "CPU load (%)", "Throughput (kB/s)", "linear", "linear", panels
    )


def _log() -> ChartView:
    line = Line(
        "one", tuple(Point(x, x**1.5 + 3, None, None, str(x)) for x in (16.0, 64.0, 1024.0))
    )
    other = Line("two", tuple(Point(x, x + 90, None, None, str(x)) for x in (16.0, 64.0, 1024.0)))
    panel = Panel("", (line, other), ((99.0, "here"),))
    return ChartView("l", "By size", "", "Size", "Rate", "log2", "log", (panel,))


def test_the_explorer_draws_in_the_same_colours() -> None:
    css = ROOT.joinpath("sphinxext/static/perfguide.css").read_text("utf-8")
    series = re.findall(r"\.perf-series-(\d) \{ --perf-series: (#[0-9a-f]{6}); \}", css)
    assert tuple(colour for _, colour in series) == palette.SERIES
    assert [int(number) for number, _ in series] == list(range(len(palette.SERIES)))
    light = r"@property --perf-([a-z]+) \{[^}]* initial-value: (#[0-9a-f]{6})"
    named = dict(re.findall(light, css))
    words = ("ink", "quiet", "line", "head", "alarm")
    assert [named[word] for word in words] == [
        *(palette.INK, palette.QUIET, palette.LINE, palette.HEAD, palette.ALARM)
    ]
    for part, colour in (
        (".perf-axis, .perf-cross", palette.INK),
        (".perf-cross", palette.ALARM),
        (".perf-gridline", palette.LINE),
    ):
        assert re.search(rf"^{re.escape(part)} {{[^}}]*{colour};", css, re.MULTILINE), part


@pytest.mark.parametrize("view", [_sweep(), _log()], ids=["linear", "log"])
def test_the_points_in_the_picture_are_the_views_own(view: ChartView) -> None:
    svg = draw.draw(view)
    for position, panel in enumerate(view.panels):
        wanted, found = [], []
        for number, line in enumerate(panel.lines):
            places = corners(svg, f"line-{position}-{number}")
            assert len(places) == len(line.points)
            found += places
            wanted += [(p.x, p.y) for p in line.points]
        for axis, scale in ((0, view.x_scale), (1, view.y_scale)):
            on_one_scale([w[axis] for w in wanted], [f[axis] for f in found], scale)


def test_panels_share_their_axes() -> None:
    svg = draw.draw(_sweep())
    left, right = corners(svg, "line-0-0"), corners(svg, "line-1-0")
    # The second engine has half of the first one's throughput: half the height over zero.
    zero = left[0][1] + (left[0][1] - left[1][1]) / (11 - 2) * 2
    assert (zero - right[3][1]) * 2 == pytest.approx(zero - left[3][1], abs=0.05)


def test_the_same_view_gives_the_same_bytes() -> None:
    for form in ("svg", "pdf"):
        assert draw.draw(_log(), form) == draw.draw(_log(), form)
    assert draw.draw(_log(), "pdf").startswith(b"%PDF")


def test_the_last_digits_of_the_layout_change_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    before = draw.draw(_log())
    lay_out = draw.ConstrainedLayoutEngine.execute

    def with_other_digits(engine: draw.ConstrainedLayoutEngine, figure: draw.Figure) -> None:
        lay_out(engine, figure)
        for axes in figure.axes:
            axes.set_position(axes.get_position().translated(3e-16, 3e-16))

    monkeypatch.setattr(draw.ConstrainedLayoutEngine, "execute", with_other_digits)
    assert draw.draw(_log()) == before


HOSTILE = [
    "$x$ $\\frac{",
    "<b>&amp;</b>",
    "_hidden",
    "100 %",
    "a" * 5000,
    "مرحبا بالعالم",
    "\x01\x02",
    "a\nb",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_labels_from_data_break_nothing_and_show(text: str) -> None:
    view = _log()
    line = Line(text, view.panels[0].lines[0].points)
    other = Line("other", view.panels[0].lines[1].points)
    panel = Panel(text, (line, other), ((50.0, text),))
    hostile = ChartView("h", text, text, text, text, "log2", "log", (panel,))
    root = ElementTree.fromstring(draw.draw(hostile))
    shown = [("".join(t.itertext())).strip() for t in root.iter(f"{SVG}text")]
    expected = draw.text(text).strip()
    assert shown.count(expected) >= 3, "axis labels, title and legend"
    assert draw.draw(hostile, "pdf").startswith(b"%PDF")
    assert not [e for e in root.iter() if e.tag.endswith("script")]


def test_pictures_are_drawn_again_only_when_their_view_changed(tmp_path: Path) -> None:
    view = _log()
    made = [pictures.Picture("guides/a/one", view), pictures.Picture("guides/a/two", _sweep())]

    def run(these: list[pictures.Picture], formats: tuple[str, ...] = ("svg",)) -> int:
        writer = Writer(tmp_path)
        there = {n: own for n, own in looks.items() if (tmp_path / n).is_file()}
        drawn = pictures.draw_all(writer, these, formats, there)
        writer.finish()
        looks.clear()
        looks.update(drawn.looks)
        return len([name for name in writer.written if not name.endswith(".json")])

    looks: dict[str, str] = {}

    assert run(made) == 2
    assert run(made) == 0
    changed = ChartView(
        **{f: getattr(view, f) for f in view.__slots__} | {"title": "new", "y_label": "z"}
    )
    assert run([pictures.Picture("guides/a/one", changed), made[1]]) == 1
    (tmp_path / "guides/a/two.svg").unlink()
    assert run([pictures.Picture("guides/a/one", changed), made[1]]) == 1
    assert run([made[1]], ("pdf",)) == 1
    assert sorted(p.name for p in (tmp_path / "guides/a").iterdir()) == ["two.pdf", "two.svg"]


def test_a_guides_charts_have_pictures_data_and_words(tmp_path: Path) -> None:
    name = "AM335X/linux/05.07.00.00"
    described = TOP / "source/benchmarks"
    settings = dataset.Settings((TOP / "results" / name,), (described,), tmp_path)
    build.generate(settings, run=parallel.here)
    folder = tmp_path / "guides" / name
    page = (folder.parent / "05.07.00.00.rst").read_text("utf-8")
    chart, _, after = page.partition("\n   OpenSSL throughput by block size and engine\n")
    assert after.partition(":download:")[2].startswith("`CSV <05.07.00.00/openssl-chart.csv>`")
    ((file, alt),) = re.findall(
        r"figure:: (.+)\n(?: +:(?:figclass|name): .+\n)* +:alt: (.+)\n", chart.rpartition("..")[2]
    )
    assert (folder.parent / file.replace("*", "svg")).is_file()
    assert (folder.parent / file.replace(".*", pictures.NARROW)).is_file()
    assert "accelerator" in alt and "AES-192-CBC" in alt
    data = (folder / "openssl-chart.csv").read_text("utf-8")
    assert "AES-128-CBC,accelerator,16,0.50388" in data


@pytest.mark.parametrize("figures", [[5e-324, 1e200], [5e-324], [1e-323, 1e-322], [1e-200, 1e200]])
def test_a_log_axis_has_numbers_above_zero_for_figures_of_any_size(figures: list[float]) -> None:
    points = tuple(Point(x, y, None, None, str(x)) for x, y in enumerate(figures, 1))
    panel = Panel("", (Line("one", points), Line("two", points[:1])))
    view = ChartView("l", "Extremes", "", "", "", "linear", "log", (panel,))
    svg = draw.draw(view)
    assert len(corners(svg, "line-0-0")) == len(figures)
    root = ElementTree.fromstring(svg)
    groups = {group.get("id", ""): group for group in root.iter(f"{SVG}g")}
    ticks = [
        "".join(text.itertext())
        for name, group in groups.items()
        if name.startswith("ytick")
        for text in group.iter(f"{SVG}text")
    ]
    # Around the least of all floating-point numbers there is no round one.
    assert ticks or figures == [5e-324]
    assert all(float(tick.translate({ord(","): "", ord("−"): "-"})) > 0 for tick in ticks)


def _places(view: ChartView) -> dict[str, tuple[float, float]]:
    """Where each text of a picture begins."""
    return {
        "".join(text.itertext()): (float(text.get("x", "")), float(text.get("y", "")))
        for text in _texts(view)
        if text.get("x")
    }


def _texts(view: ChartView) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(draw.draw(view)).iter(f"{SVG}text"))


LEVEL_LOADS = (("first", 20.0), ("second", 50.0), ("third", 97.0))
"""Marks, and the load in per cent at each."""


def test_lines_that_end_together_have_names_apart_from_each_other() -> None:
    names = [f"board {number}" for number in range(6)]
    lines = tuple(
        Line(name, tuple(Point(x, 100 + number / 10, None, None, "") for x in (1.0, 2.0)))
        for number, name in enumerate(names)
    )
    view = ChartView("n", "Alike", "", "", "", "linear", "linear", (Panel("", lines),))
    places = _places(view)
    heights = [places[name][1] for name in names]
    assert heights == sorted(heights, reverse=True), "in the order of their lines"
    assert min(below - above for below, above in pairwise(heights)) > 10, "no two overlap"
    right = max(x for x, _ in corners(draw.draw(view), "line-0-0"))
    assert all(places[name][0] > right for name in names)


def test_a_reversed_axis_begins_with_its_largest_x_and_names_lines_at_its_least() -> None:
    lines = tuple(
        Line(name, (Point(0.0, y, None, None, ""), Point(100.0, 1.0, None, None, "")))
        for name, y in (("high", 90.0), ("low", 20.0))
    )
    view = ChartView("f", "Rising", "", "", "MB/s", "reversed", "linear", (Panel("", lines),))
    places, svg = _places(view), draw.draw(view)
    (end, height), (begin, _) = corners(svg, "line-0-0")
    assert places["80"][0] < begin < end < min(places["high"][0], places["low"][0])
    assert places["high"][1] == pytest.approx(height, abs=8), "beside the end of its line"


def test_wide_panels_of_the_same_lines_name_them_once_beside_the_last() -> None:
    def panel(title: str, *names: str) -> Panel:
        lines = enumerate(names, 1)
        return Panel(
            title, tuple(Line(n, (Point(1.0, 9.0 * y, None, None, ""),)) for y, n in lines)
        )

    both = (panel("Write", "SK", "LP"), panel("Read", "SK", "LP"))
    view = ChartView("p", "Both", "", "Size", "MB/s", "linear", "linear", both, wide=True)
    right = max(x for x, _ in corners(draw.draw(view), "line-1-0"))
    places = _places(view)
    assert min(places["SK"][0], places["LP"][0]) > right
    assert places["SK"][1] > places["LP"][1], "each beside its end, and not in a legend"
    other = _places(replace(view, panels=(both[0], panel("Read", "SK"))))
    assert other["LP"][1] > other["Size"][1], "a line that one panel lacks needs the legend"


def test_marks_are_named_above_the_mean_of_their_points() -> None:
    """Levels of several lines at loads that differ little have one axis, above the panel."""
    lines = tuple(
        Line(name, tuple(Point(load + more, load, None, None, mark) for mark, load in LEVEL_LOADS))
        for name, more in (("one", 0.0), ("other", 0.4))
    )
    view = ChartView(
        "l", "Levels", "", "Load (%)", "MB/s", "linear", "linear", (Panel("", lines),), mark="Nice"
    )
    places, svg = _places(view), draw.draw(view)
    corners_of_lines = [corners(svg, f"line-0-{number}") for number in range(len(lines))]
    highest = min(y for line in corners_of_lines for _, y in line)
    for number, (mark, _) in enumerate(LEVEL_LOADS):
        x, y = places[mark]
        mean = sum(line[number][0] for line in corners_of_lines) / len(lines)
        assert y < highest and x == pytest.approx(mean, abs=0.01)


def test_small_pictures_name_the_first_and_last_release_and_some_between() -> None:
    names = tuple(f"{9 + n // 5:02}.{n % 5:02}.0{n % 9}" for n in range(14))
    points = tuple(Point(n, 40.0 + n, None, None, name) for n, name in enumerate(names))
    panel = Panel("", (Line("SK", points),))
    axes = ("Release", "MB/s", "linear", "linear")
    view = ChartView("id", "", "", *axes, (panel,), ticks=names, small=True)
    shown = [name for name in names if name in _places(view)]
    assert shown[0] == names[0] and shown[-1] == names[-1] and 3 <= len(shown) <= 5


def test_lines_that_end_alike_share_a_name_with_the_ends_of_their_figures() -> None:
    ends = {
        "AES-a": 100.0,
        "AES-b": 108.0,
        "AES-c": 116.0,
        "SHA": 104.0,
        "DES": 300.0,
        "MD5": 500.0,
    }
    lines = tuple(
        Line(name, (Point(1.0, end / 2, None, None, ""), Point(2.0, end, None, None, "")))
        for name, end in ends.items()
    )
    panels = (Panel("", lines),)
    view = ChartView("m", "Many", "", "Threads", "", "linear", "linear", panels, wide=True)
    texts = {"".join(text.itertext()).strip() for text in _texts(view)}
    # One of another family has a name of its own wherever it ends.
    named = {"AES, 3 lines", "100 to 116", "SHA", "104", "DES", "300", "MD5", "500"}
    assert named <= texts


def test_more_lines_than_can_be_named_have_a_legend() -> None:
    points = tuple(Point(x, x, None, None, "") for x in (1.0, 2.0))
    lines = tuple(Line(f"_{number}", points) for number in range(line_names.MAX_NAMED_LINES + 1))
    view = ChartView("m", "Many", "", "Threads", "", "linear", "linear", (Panel("", lines),))
    places, svg = _places(view), draw.draw(view)
    bottom = max(y for _, y in corners(svg, "line-0-0"))
    assert all(places[line.label][1] > bottom for line in lines)
    first, second, *_ = sorted({places[line.label][1] for line in lines})
    assert first - places["Threads"][1] > second - first, "the legend is not over the axis's name"


@pytest.mark.parametrize(
    ("others", "words"), [(-1, ""), (0, ""), (1, "; 1 more line."), (2, "; 2 more lines.")]
)
def test_alternative_text_gives_the_ends_of_lines_and_counts_those_left_out(
    others: int, words: str
) -> None:
    rates = range(100, 100 * (MAX_DESCRIBED + others + 1), 100)
    size = (4096.0, "4 KiB", "")
    lines = tuple(
        Line(
            f"board {rate}",
            (Point(1.0, rate, None, None, ""), Point(4096.0, rate / 4, None, None, size)),
        )
        for rate in rates
    )
    view = ChartView("t", "T", "", "Threads", "MB/s", "linear", "linear", (Panel("", lines),))
    described = [
        f"board {rate} {rate:,} at 1 to {rate / 4:g} at 4 KiB" for rate in rates[:MAX_DESCRIBED]
    ]
    assert view.text() == f"Line chart: T. MB/s over Threads. {'; '.join(described)}{words or '.'}"


@pytest.mark.parametrize(
    ("heights", "rows", "places"),
    [
        ([0.2, 0.8], [1, 1], [0.2, 0.8]),
        ([0.5, 0.5], [1, 1], [0.5, 0.6]),
        ([0.98, 0.99, 1.0], [1, 1, 1], [0.8, 0.9, 1.0]),
        ([0.5, 0.5], [2, 1], [0.5, 0.68]),
    ],
)
def test_names_are_moved_no_further_than_they_have_to_be(
    heights: list[float], rows: list[int], places: list[float]
) -> None:
    assert line_names.spread(heights, rows, 0.1) == pytest.approx(places)

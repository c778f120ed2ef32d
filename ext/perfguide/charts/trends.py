"""Pictures of headline figures: small ones of trends over releases, and bars of all boards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import UNSET

from ..bundle import Bundle
from ..bundles.guide_key import GuideKey, version
from ..catalog.benchmarks import Benchmark, Catalog
from ..catalog.board_names import Boards
from ..catalog.chart_spec import Chart
from ..common import units
from ..common.diagnostics import visible
from ..common.grouping import grouped
from ..figures import engines, labels
from ..figures.engines import ENGINE, Identity
from ..figures.pool import Record
from .from_figures import (
    MAX_BARS,
    Change,
    Scene,
    ViewAndFigures,
    bars_left_out,
    shown_unit,
    with_figures,
)
from .model import MAX_TICK_CHARS, ChartView, Line, Panel, Point

MAX_PICTURES = 24
"""The maximum number of small pictures on a page; the tables have all figures."""


def scene(
    releases: Iterable[str], bundles: Collection[Bundle], boards: Boards | None = None
) -> Scene:
    """Return a platform's releases, the changes to its boards between them, and its boards, those
    in the newest release first; ``boards`` has their short names.

    A release whose bundles disagree about a board, or do not state a value, counts as no change.
    """
    ordered = tuple(sorted(set(releases), key=version))
    by_board: dict[tuple[str, str], dict[str, set[str]]] = {}
    for bundle in bundles:
        clock = "" if bundle.board.cpu_mhz is UNSET else f"{bundle.board.cpu_mhz:g} MHz"
        for part, text in (("clock", clock), ("memory", bundle.board.memory)):
            if text:
                by_release = by_board.setdefault((bundle.board.name, part), {})
                by_release.setdefault(bundle.sdk.version, set()).add(text)
    changes = []
    for (board, part), by_release in by_board.items():
        before = ""
        for release in ordered:
            texts = by_release.get(release, set())
            if len(texts) == 1:
                (text,) = texts
                if before and text != before:
                    changes.append(Change(board, release, part, f"{part} {before} → {text}"))
                before = text
    changes.sort(key=lambda c: (version(c.release), units.natural(c.board), c.what))
    newest = {bundle.board.name for bundle in bundles if bundle.sdk.version in ordered[-1:]}
    older = {bundle.board.name for bundle in bundles} - newest
    order = (*sorted(newest, key=units.natural), *sorted(older, key=units.natural))
    return Scene(ordered, tuple(changes), boards or Boards(), order)


def breaks(
    scene: Scene, soc: str, board: str, points: Sequence[tuple[str, float | None]]
) -> dict[int, str]:
    """Return the indices of points at which one figure's line restarts, each with the reason: a
    change of clock, memory or engine since the previous point. ``points`` are releases and the CPU
    loads of their runs, oldest first. The engine changed if the CPU waits in only one of two
    runs."""
    today, ranks = scene.boards.today, {name: n for n, name in enumerate(scene.releases)}
    out: dict[int, str] = {}
    before, last_load = -1, None
    for number, (release, load) in enumerate(points):
        passed = scene.releases[before + 1 : ranks[release] + 1]
        reasons = [
            change.words
            for change in scene.changes
            if change.release in passed and today(soc, change.board) == today(soc, board)
        ]
        if load is not None and (is_waiting := engines.is_waiting(load)) is not None:
            if last_load and last_load[0] != is_waiting:
                reasons.append(f"engine: CPU load {last_load[1]:.0f} % → {load:.0f} %")
            last_load = is_waiting, load
        if number and reasons:
            out[number] = ", ".join(dict.fromkeys(reasons))
        before = ranks[release]
    return out


def over_releases(
    catalog: Catalog,
    records: Sequence[Record],
    scene: Scene,
    doubt: Callable[[Record], str] = lambda _: "",
) -> list[ViewAndFigures]:
    """Return a small trend of each figure measured in at least three releases, with a line per
    board, and the figures in it.

    A figure for which ``doubt`` gives a reason must not set the scale: above all others, it is not
    drawn but named."""
    spec: dict[str, Any] = {"title": "Over releases", "x": "release", "series": "board"}
    order = {name: rank for rank, name in enumerate(catalog.benchmarks)}

    def rank(record: Record) -> tuple[Any, ...]:
        benchmark = catalog.benchmarks[record.benchmark]
        return order[record.benchmark], *benchmark.figure_rank(record.metric, record.params)

    views = list[ViewAndFigures]()
    for _, members in sorted(grouped(records, rank).items()):
        benchmark, like = catalog.benchmarks[members[0].benchmark], members[0]
        # Escape the metric's name, so that the pattern matches nothing else.
        y = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in like.metric)
        chart = Chart(id="small", on="releases", y=y, where=dict(like.params), **spec)
        tops = {r.unit: 0.0 for r in members}
        for record in members:
            if not doubt(record):
                tops[record.unit] = max(tops[record.unit], record.cell.mean or 0.0)
        # If all are in doubt, none is more so than the others.
        beyond = [r for r in members if doubt(r) and 0 < tops[r.unit] < (r.cell.mean or 0.0)]
        drawn = with_figures(benchmark, chart, [r for r in members if r not in beyond], scene)
        warnings = [
            _left_out(
                r,
                f"{labels.full(benchmark, r)} of {_board_name(r, scene.boards)} in {r.guide.release}",
                doubt,
            )
            for r in beyond
        ]
        for view, figures in drawn:
            first = figures[0]
            name, unit = _headline(benchmark, first), labels.unit(benchmark, first)
            name = f"{name} ({unit})" if len(drawn) > 1 else name
            y_label = units.unit_cell(shown_unit(figures)[0], benchmark.better(first.metric))
            small = replace(view, name=name, y_label=y_label, subtitle="", small=True)
            views.append((replace(small, warnings=(*view.warnings, *warnings)), figures))
    return views


def of_boards(
    catalog: Catalog,
    headlines: Sequence[Record],
    records: Sequence[Record],
    newest: Collection[GuideKey],
    boards: Boards,
    doubt: Callable[[Record], str] = lambda _: "",
) -> list[ChartView]:
    """Return a bar chart of each headline that has at least two bars.

    There is a bar per board and engine, best first, with its release and, if in ``records``, the
    CPU load of the same run. ``newest`` are the newest guides of all platforms; figures from other
    guides are marked as older. A figure for which ``doubt`` gives a reason gets no bar but is named
    below the finding.
    """
    order = {name: rank for rank, name in enumerate(catalog.benchmarks)}

    def rank(record: Record) -> tuple[Any, ...]:
        benchmark = catalog.benchmarks[record.benchmark]
        params = engines.without_engine(benchmark, record).params
        figure = benchmark.figure_rank(record.metric, params)
        return order[record.benchmark], *figure, record.unit

    groups = grouped((record for record in headlines if record.cell.mean is not None), rank)
    by_identity = {engines.identity(record): record.cell.mean for record in records}
    views = []
    for _, members in sorted(groups.items()):
        sound = [record for record in members if not doubt(record)]
        if len(sound) > 1:
            view = _bars(
                catalog.benchmarks[members[0].benchmark], sound, by_identity, newest, boards
            )
            left_out = (
                _left_out(record, _board_name(record, boards), doubt)
                for record in members
                if doubt(record)
            )
            views.append(replace(view, warnings=(*view.warnings, *left_out)))
    return views


def _left_out(record: Record, name: str, doubt: Callable[[Record], str]) -> str:
    """Return a sentence on a figure that is not drawn."""
    figure = f"{units.number(record.cell.mean or 0.0)} {units.parse(record.unit).symbol}"
    return f"Left out: {name} with {figure} ({visible(doubt(record))})"


def _board_name(record: Record, boards: Boards) -> str:
    short = boards.short(record.guide.soc, record.board)
    return f"{record.guide.soc} {short}" if short != record.board else record.board


@dataclass(frozen=True, slots=True)
class _Bar:
    """A bar: its point, with x still to be set; its board; the label of its engine, if any; the
    lines beside it; and the CPU load of the run in %."""

    point: Point
    board: str
    engine: str
    name: str
    load: float | None


def _bar(
    record: Record, board: str, engine: str, usual: str, scale: float, load: float | None, age: str
) -> _Bar:
    """Return the bar of a figure. ``usual`` is an engine that is not named, ``load`` the CPU load
    of the run in %, and ``age`` follows the release."""
    cell, release = record.cell, record.guide.release + age
    assert cell.mean is not None  # failed measurements have no bar
    parts = [board, engine if engine != usual else ""]
    name = ", ".join(filter(None, parts))
    low, high = (None if end is None else units.scaled(end, scale) for end in (cell.low, cell.high))
    beside = "" if load is None else f"{units.number(load)} % CPU"
    point = Point(0.0, units.scaled(cell.mean, scale), low, high, f"{name}, {release}", beside)
    # Break a long name before its engine, not within it.
    lines = [*([name] if len(name) <= MAX_TICK_CHARS else parts), release]
    return _Bar(point, board, engine, "\n".join(map(visible, filter(None, lines))), load)


def _finding(bars: Sequence[_Bar], headline: str, unit: str, share: str) -> str:
    """Return a sentence on the first of all bars, with its engine if there are several. ``share``
    says of what its load is a share."""
    best = bars[0]
    figure = f"{units.number(best.point.y)} {units.parse(unit).symbol}".rstrip()
    equal = list(dict.fromkeys(bar.board for bar in bars if bar.point.y == best.point.y))
    if len(equal) > 1:
        return f"{headline}: {units.enumeration(equal)} are first with {figure}"
    has_several = len({bar.engine for bar in bars}) > 1
    engine = f" ({best.engine})" if best.engine and has_several else ""
    return (
        f"{headline}: {best.board} leads with {figure}{engines.at_load(best.load, share)}{engine}"
    )


def _bars(
    benchmark: Benchmark,
    records: Sequence[Record],
    by_identity: Mapping[Identity, float | None],
    newest: Collection[GuideKey],
    boards: Boards,
) -> ChartView:
    """Return a picture with a bar per board and engine, at most ``MAX_BARS``."""
    like = records[0]
    better = benchmark.better(like.metric)
    means = [record.cell.mean for record in records if record.cell.mean is not None]
    unit, scale = units.readable(like.unit, means)
    counts = Counter(_engine_label(benchmark, record) for record in records)
    # An engine that most bars share is named once, above them.
    usual, count = counts.most_common(1)[0]
    usual = usual if 2 * count > len(records) and all(counts) else ""
    bars = [
        _bar(
            record,
            _board_name(record, boards),
            _engine_label(benchmark, record),
            usual,
            scale,
            engines.load_beside(record, by_identity),
            "" if record.guide in newest else " (older)",
        )
        for record in records
    ]
    share = engines.load_of(benchmark, like.metric)
    sign = 1 if better == "lower" else -1
    bars.sort(key=lambda bar: (bar.point.y * sign, units.natural(bar.name)))
    drawn = bars[:MAX_BARS]
    points = tuple(replace(bar.point, x=float(number)) for number, bar in enumerate(drawn))
    headline = _headline(benchmark, like)
    about = "The newest release of each board"
    if usual:
        about += f"; {usual}{' unless said otherwise' if len(counts) > 1 else ''}"
    return ChartView(
        "boards",
        "Boards side by side",
        headline,
        "Board",
        units.unit_cell(unit, better),
        "linear",
        "linear",
        (Panel("", (Line("", points),)),),
        tuple(bars_left_out(len(bars), "bars", better)),
        kind="bars",
        ticks=tuple(bar.name for bar in drawn),
        finding="" if better == "neither" else _finding(bars, headline, unit, share),
        subtitle=f"{about}; CPU load {f'(% {share}) ' if share else ''}beside the rate"
        if any(p.beside for p in points)
        else about,
    )


def _engine_label(benchmark: Benchmark, record: Record) -> str:
    """Return the label of a figure's engine; empty if the benchmark has no engines."""
    has_engine = ENGINE in record.params and benchmark.param(ENGINE).classes
    return benchmark.value_label(ENGINE, record.params[ENGINE]) if has_engine else ""


def _headline(benchmark: Benchmark, record: Record) -> str:
    """Return the name of a headline without its engine: the short one if the catalog has it."""
    metric, of_any_engine = (
        benchmark.metric(record.metric),
        engines.without_engine(benchmark, record),
    )
    name = labels.headline if metric and metric.short else labels.full
    return name(benchmark, of_any_engine)

"""A chart of the catalog applied to figures: panels, lines and points as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import units
from .answers import Engine, cross_overs, not_in_use, verdict
from .catalog import Benchmark, Chart, Scalar
from .pool import Record
from .views import OUTER

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One measured point. ``low`` and ``high`` are the extremes of y, where there
    are several samples; ``mark`` is the value of what changes along the line."""

    x: float
    y: float
    low: float | None
    high: float | None
    mark: str


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one line, in the order in which they are joined."""

    label: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ChartView:
    """One picture as numbers. ``name`` says which alternative it shows.

    ``verticals`` are x positions to mark, with their words. ``says`` are
    sentences to stand above it, ``warnings`` those that call for a look.
    """

    id: str
    title: str
    name: str
    x_label: str
    y_label: str
    x_scale: str
    y_scale: str
    panels: tuple[Panel, ...]
    verticals: tuple[tuple[float, str], ...] = ()
    says: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def text(self) -> str:
        """The chart in words and figures, for who cannot see it."""
        parts = [
            f"Line chart: {self.title}, {self.name}." if self.name else f"Line chart: {self.title}."
        ]
        parts.append(f"{self.y_label} over {self.x_label}.")
        for panel in self.panels:
            lead = f"{panel.title}: " if panel.title else ""
            shown = []
            for line in panel.lines:
                first, last = line.points[0], line.points[-1]
                ends = f"{units.number(first.y)} at {units.number(first.x)}"
                if len(line.points) > 1:
                    ends += f" to {units.number(last.y)} at {units.number(last.x)}"
                shown.append(f"{line.label or 'values'} {ends}")
            parts.append(f"{lead}{'; '.join(shown)}.")
        return " ".join([*parts, *self.says, *self.warnings])


def charts(benchmark: Benchmark, spec: Chart, records: Sequence[Record]) -> list[ChartView]:
    """The pictures of one chart over the figures of a guide.

    One for each board, and for each value of ``each``; a picture without at
    least one line of two points is left out, as it would show nothing.
    """
    xs = _metric_index(spec.x, records)
    groups: dict[Key, list[Record]] = {}
    for record in records:
        if record.metric == spec.y and record.cell.mean is not None and _takes(spec, xs, record):
            each = tuple(benchmark.value_rank(name, record.params[name]) for name in spec.each)
            groups.setdefault((units.natural(record.board), each), []).append(record)
    several = len({record.board for found in groups.values() for record in found}) > 1
    out = []
    for _, found in sorted(groups.items()):
        made = _chart(benchmark, spec, found, xs, records, several)
        if any(len(line.points) > 1 for panel in made.panels for line in panel.lines):
            out.append(made)
    return out


Index = dict[tuple[str, frozenset[tuple[str, Scalar]]], Record]


def _metric_index(metric: str, records: Sequence[Record]) -> Index:
    return {
        (r.board, frozenset(r.params.items())): r
        for r in records
        if r.metric == metric and r.cell.mean is not None
    }


def _x_record(xs: Index, record: Record) -> Record | None:
    """The x metric's figure of the same run: of the same parameters, or of all but
    one of them (a load that was taken over all block sizes at once)."""
    own = frozenset(record.params.items())
    found = xs.get((record.board, own))
    if found is None:
        for item in sorted(own, key=str):
            found = found or xs.get((record.board, own - {item}))
    return found


def _takes(spec: Chart, xs: Index, record: Record) -> bool:
    used = {spec.series, spec.panels, *spec.each, spec.along, *spec.where} - {""}
    by_metric = bool(spec.along)
    if not by_metric:
        used.add(spec.x)
    if used != set(record.params):
        return False
    if not all(_same(record.params[k], v) for k, v in spec.where.items()):
        return False
    if spec.unless and all(_same(record.params.get(k), v) for k, v in spec.unless.items()):
        return False
    if by_metric:
        return _x_record(xs, record) is not None
    return isinstance(record.params[spec.x], int | float)


def _same(a: Scalar | None, b: Scalar) -> bool:
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def _chart(
    benchmark: Benchmark,
    spec: Chart,
    found: Sequence[Record],
    xs: Index,
    records: Sequence[Record],
    several: bool,
) -> ChartView:
    panels: dict[Key, tuple[str, dict[Key, tuple[str, list[tuple[Key, Point]]]]]] = {}
    along = spec.along or spec.x
    x_unit = y_unit = ""
    for record in found:
        cell = record.cell
        assert cell.mean is not None  # only figures are taken
        x_record = _x_record(xs, record) if spec.along else None
        x = x_record.cell.mean if x_record else float(record.params[spec.x])
        assert x is not None  # the index holds figures only
        x_unit, y_unit = x_record.unit if x_record else "", record.unit
        place = _rank(benchmark, spec.panels, record)
        _, lines = panels.setdefault(place, (_label(benchmark, spec.panels, record), {}))
        line = _rank(benchmark, spec.series, record)
        _, points = lines.setdefault(line, (_label(benchmark, spec.series, record), []))
        mark = benchmark.value_label(along, record.params[along])
        point = Point(x, cell.mean, cell.low, cell.high, mark)
        points.append((benchmark.value_rank(along, record.params[along]), point))
    shown = tuple(
        Panel(
            title,
            tuple(
                Line(label, tuple(p for _, p in sorted(points, key=lambda each: each[0])))
                for _, (label, points) in sorted(lines.items())
            ),
        )
        for _, (title, lines) in sorted(panels.items())
    )
    first = found[0]
    names = [first.board] if several else []
    for name in spec.each:
        label = benchmark.value_label(name, first.params[name])
        is_word = isinstance(first.params[name], str)
        names.append(label if is_word else f"{label} {benchmark.param_label(name).lower()}")
    verticals, says, warnings = _answers(benchmark, spec, found, records)
    return ChartView(
        spec.id,
        spec.title,
        ", ".join(names),
        _axis(benchmark, spec.x, x_unit) if spec.along else benchmark.param_label(spec.x),
        _axis(benchmark, spec.y, y_unit),
        spec.x_scale,
        spec.y_scale,
        shown,
        verticals,
        says,
        warnings,
    )


def _axis(benchmark: Benchmark, metric: str, unit: str) -> str:
    known = benchmark.metric(metric)
    return units.heading(known.label if known and known.label else metric, unit)


def _rank(benchmark: Benchmark, name: str, record: Record) -> Key:
    return benchmark.value_rank(name, record.params[name]) if name else ()


def _label(benchmark: Benchmark, name: str, record: Record) -> str:
    if not name or name in OUTER:
        return ""
    text = benchmark.value_label(name, record.params[name])
    return f"{text} bytes" if name == "block_size" else text


def _answers(
    benchmark: Benchmark, spec: Chart, found: Sequence[Record], records: Sequence[Record]
) -> tuple[tuple[tuple[float, str], ...], tuple[str, ...], tuple[str, ...]]:
    """Cross-overs to mark, and what is said of each engine against software."""
    if spec.answer != "cross-over" or not spec.series:
        return (), (), ()
    curves: dict[Scalar, list[tuple[float, float]]] = {}
    for record in found:
        if record.cell.mean is not None:
            x = float(record.params[spec.x])
            curves.setdefault(record.params[spec.series], []).append((x, record.cell.mean))
    if "sw" not in curves or len(curves) < 2:
        return (), (), ()
    engines = {
        value: Engine(
            benchmark.value_label(spec.series, value),
            tuple(sorted(points)),
            _load(spec, value, found[0], records),
        )
        for value, points in curves.items()
    }
    verticals, says, warnings = [], [], []
    base = engines.pop("sw")
    for value in sorted(engines, key=lambda v: benchmark.value_rank(spec.series, v)):
        tested = engines[value]
        verticals += [(x, f"cross-over at {x:.0f}") for x in cross_overs(tested.curve, base.curve)]
        says.append(verdict(tested, base))
        warnings += [text for text in [not_in_use(tested, base)] if text]
    return tuple(verticals), tuple(says), tuple(warnings)


def _load(spec: Chart, engine: Scalar, like: Record, records: Sequence[Record]) -> float | None:
    """The CPU load of an engine's whole run, in %."""
    wanted = {k: v for k, v in like.params.items() if k != spec.x} | {spec.series: engine}
    for record in records:
        if record.metric == "cpu_load" and record.board == like.board and record.params == wanted:
            return record.cell.mean
    return None

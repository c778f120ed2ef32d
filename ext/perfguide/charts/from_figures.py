"""A chart of the catalog applied to figures: which points, on which lines and panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from ..bundles.guide_key import family, version
from ..catalog.benchmarks import Benchmark
from ..catalog.board_names import Boards
from ..catalog.chart_spec import OUTER, Chart, is_number, names, same
from ..common import units
from ..common.units import TableCell
from ..figures.pool import Record
from . import crossovers
from .model import ChartView, Line, Panel, Point

Key = tuple[Any, ...]
"""A sort key."""

MOST_PANELS = 24
"""Panels of one picture; more cannot be read, and take ever longer to lay out."""

LEAST_RELEASES = 3
"""Two points are no trend: a table says as much."""

MOST_SENTENCES = 8
"""Sentences above one picture; more are not read."""


@dataclass(frozen=True, slots=True)
class Change:
    """A board's clock or memory was another one from ``release`` on: ``what``
    changed, and how, in words."""

    board: str
    release: str
    what: str
    words: str


@dataclass(frozen=True, slots=True)
class Scene:
    """What charts of a platform show besides its figures: its releases in version order, also
    those without a figure; what its boards changed between them; and what its ``boards`` are
    called where there is little room."""

    releases: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    boards: Boards = field(default_factory=Boards)


def with_figures(
    benchmark: Benchmark, spec: Chart, records: Sequence[Record], scene: Scene | None = None
) -> list[tuple[ChartView, list[Record]]]:
    """The pictures of one chart over the figures of a page, each with the figures that are its
    points, on both axes.

    One for each value of ``each``, and of what the axes do not name of platform,
    release and board. A picture with nothing to compare is left out.
    """
    plot = _Plot(benchmark, spec, records, scene or Scene())
    points = [record for record in records if plot.takes(record)]
    apart = (*plot.free(points), *spec.each, *plot.unplaced(points))
    groups: dict[Key, list[Record]] = {}
    for record in points:
        groups.setdefault((*plot.key(apart, record), record.unit), []).append(record)
    pictures = [
        (plot.view(members, (*apart, *more)), [*members, *plot.x_figures(members)])
        for _, group in sorted(groups.items())
        for members, more in plot.split(group)
    ]
    return [(view, figures) for view, figures in pictures if _compares(view, spec)]


def _compares(view: ChartView, spec: Chart) -> bool:
    lines = max(len(panel.lines) for panel in view.panels)
    if spec.x == "release" and spec.kind != "bars":
        places = {p.x for panel in view.panels for line in panel.lines for p in line.points}
        return len(places) >= LEAST_RELEASES and lines >= spec.lines
    points = [len(line.points) for panel in view.panels for line in panel.lines]
    return lines >= spec.lines and (sum(points) if view.kind == "bars" else max(points)) > 1


class _Plot:
    """One chart's description with the figures that it may take.

    A *dimension* is what an axis, a line, a panel or a picture can stand for: a parameter,
    ``metric``, ``board``, ``release`` or ``platform``.
    """

    def __init__(
        self, benchmark: Benchmark, spec: Chart, records: Sequence[Record], scene: Scene
    ) -> None:
        self.benchmark = benchmark
        self.spec = spec
        self.records = records
        self.scene = scene
        self.load_of = crossovers.loads(records) if spec.answer else {}
        self.series, self.panels = names(spec.series), names(spec.panels)
        self.dimensions = {spec.along or spec.x, *self.series, *self.panels, *spec.each}
        self.params = (self.dimensions | {*spec.where}) - {*OUTER, "metric"}
        self.placed = benchmark.entry.placed()
        self.on_x = {
            (r.guide, r.board, frozenset(r.params.items())): r
            for r in (records if spec.along else ())
            if r.metric == spec.x and r.cell.mean is not None
        }

    def takes(self, record: Record) -> bool:
        """Whether a figure is a point of this chart."""
        spec, params = self.spec, record.params
        return (
            record.cell.mean is not None
            and params.keys() & (self.placed | self.params) == self.params
            and any(fnmatchcase(record.metric, y) for y in names(spec.y))
            and all(same(params[name], value) for name, value in spec.where.items())
            and not (spec.unless and all(same(params[n], v) for n, v in spec.unless.items()))
            and (not spec.along or self.x_figure(record) is not None)
        )

    def x_figure(self, record: Record) -> Record | None:
        """The x metric's figure of the same run: of the same parameters, or of all
        but one of them (a load that was taken over all block sizes at once)."""
        own = frozenset(record.params.items())
        tried = [own, *(own - {item} for item in sorted(own, key=str))]
        figures = (self.on_x.get((record.guide, record.board, params)) for params in tried)
        return next(filter(None, figures), None)

    def x_figures(self, records: Sequence[Record]) -> list[Record]:
        """The figures that say where others stand on the x axis."""
        return [x for x in map(self.x_figure, records) if x] if self.spec.along else []

    def free(self, records: Sequence[Record]) -> tuple[str, ...]:
        """What of platform, release and board differs and is on no axis."""
        if self.spec.on == "newest" and "board" in self.dimensions:
            return ()
        return tuple(
            name
            for name in ("platform", "release", "board")
            if name not in self.dimensions and len({self.rank(name, r) for r in records}) > 1
        )

    def unrecorded(self, records: Sequence[Record]) -> list[str]:
        """A sentence where no figure of a picture says what tables always show of it, such as
        the engine."""
        out = []
        for name in (*self.series, *self.panels):
            param = self.benchmark.param(name)
            if param.always and param.default is not None:
                words = self.benchmark.value_label(name, param.default)
                if all(record.params.get(name) == param.default for record in records):
                    out.append(f"{words[:1].upper()}{words[1:]}.")
        return out

    def unplaced(self, records: Sequence[Record]) -> tuple[str, ...]:
        """The parameters that no table and no chart names, and that differ."""
        names = {name for record in records for name in record.params} - self.placed
        return tuple(
            name
            for name in sorted(names - {*OUTER, "metric"})
            if len({self.rank(name, record) for record in records}) > 1
        )

    def rank(self, dimension: str, record: Record) -> Key:
        """Where a record stands in the order of one dimension."""
        platform = (units.natural(record.guide.soc), record.guide.sdk, record.guide.os)
        match dimension:
            case "metric":
                place = self.benchmark.metric_rank(record.metric)[0]
                return place, units.natural(record.metric)
            case "platform":
                return platform
            case "release":
                return version(record.guide.release)
            case "board":
                board = units.natural(record.board)
                return (platform, board) if self.spec.on == "newest" else board
        if dimension not in record.params:
            return (10**9,)
        return self.benchmark.value_rank(dimension, record.params[dimension])

    def word(self, dimension: str, record: Record) -> str:
        """What pages call a record's value of one dimension."""
        match dimension:
            case "metric":
                return self.benchmark.metric_label(record.metric)
            case "platform":
                return f"{record.guide.soc}, {family(record.guide)}"
            case "release":
                return record.guide.release
            case "board":
                soc, release = record.guide.soc, record.guide.release
                short = self.scene.boards.short(soc, record.board)
                if self.spec.on != "newest":
                    return short
                known = f"{soc} {short}" if short != record.board else record.board
                return f"{known}, {release}"
        if dimension not in record.params:
            return f"{self.benchmark.param_label(dimension).lower()} not stated"
        value = record.params[dimension]
        text = self.benchmark.value_label(dimension, value)
        if isinstance(value, str):
            return text
        label, _, unit = self.benchmark.param_label(dimension).partition(" (")
        return f"{text} {unit.removesuffix(')')}" if unit else f"{label.lower()} {text}"

    def key(self, dimensions: Sequence[str], record: Record) -> Key:
        """Where a record stands among lines, panels or pictures."""
        return tuple(self.rank(name, record) for name in dimensions)

    def words(self, dimensions: Sequence[str], record: Record) -> str:
        """What a line, a panel or a picture is called."""
        return ", ".join(self.word(name, record) for name in dimensions)

    def head(self, dimensions: Sequence[str]) -> str:
        """What a column with the names of lines or panels is called."""
        heads = {"metric": "Metric", "board": "Board", "release": "Release", "platform": "SoC"}
        return ", ".join(heads.get(n) or self.benchmark.param_label(n) for n in dimensions)

    def view(self, records: Sequence[Record], apart: Sequence[str]) -> ChartView:
        """One picture over the figures that belong to it; ``apart`` tells it from others."""
        spec = self.spec
        ticks = self.ticks(records)
        series = self.telling_apart(records)
        unit, scale = shown_unit(records)
        ramp = self.is_ramp(series, records)
        by_panel: dict[Key, list[Record]] = {}
        for record in records:
            by_panel.setdefault(self.key(self.panels, record), []).append(record)
        drawn, left_out = _most_panels(sorted(by_panel.items()), "release" in self.panels)
        panels, said, warnings = [], list[tuple[Key, list[str]]](), list[str]()
        lasting = [name for name in self.panels if name != "release"]
        for _, members in drawn:
            title = self.words(self.panels, members[0])
            lead = f"{title}: " if title and len(by_panel) > 1 else ""
            answer = crossovers.answer(self.benchmark, spec, members, self.load_of)
            said.append((self.key(lasting, members[0]), [lead + text for text in answer.says]))
            warnings += [lead + text for text in answer.warnings]
            lines = self.lines(members, [*ticks], series, scale, ramp)
            panels.append(Panel(title, lines, answer.verticals, self.limits(members, unit)))
        along = bool(spec.along)
        sentences = [*_most_sentences(said), *left_out, *self.unrecorded(records)]
        on_axis = tuple(ticks.values())
        if spec.x == "release":
            boards = {record.board for record in records}
            changes = [c for c in self.scene.changes if c.board in boards and c.release in on_axis]
            marks = tuple((on_axis.index(c.release) - 0.5, f"{c.what} changed") for c in changes)
            panels = [replace(panel, verticals=(*panel.verticals, *marks)) for panel in panels]
            called = {
                board: self.scene.boards.short(records[0].guide.soc, board) for board in boards
            }
            sentences += [f"{called[c.board]}: {c.words} from {c.release} on." for c in changes]
        return ChartView(
            spec.id,
            spec.title,
            self.words(apart, records[0]),
            self.x_label(records[0]),
            self.y_label(records[0], unit),
            "linear" if ticks else spec.x_scale,
            spec.y_scale,
            tuple(panels),
            tuple(sentences),
            tuple(warnings),
            spec.kind,
            on_axis,
            self.benchmark.param_label(spec.along) if spec.along else "",
            line_head=self.head(series),
            panel_head=self.head(self.panels),
            finding=crossovers.at_equal_marks(panels[0].lines)
            if len(panels) == 1 and along
            else "",
            subtitle=self.subtitle(records),
            ramp=ramp,
        )

    def is_ramp(self, series: Sequence[str], records: Sequence[Record]) -> bool:
        """Whether the last of the dimensions that lines stand for has an order of numbers."""
        return bool(series) and all(is_number(r.params.get(series[-1])) for r in records)

    def subtitle(self, records: Sequence[Record]) -> str:
        """Of which boards and releases figures are, where neither lines nor panels say so, and of
        how many runs."""
        if self.spec.on == "newest":
            return "The newest release of each board"
        if self.spec.on == "releases":
            owners = dict.fromkeys(f"{r.guide.soc}, {family(r.guide)}" for r in records)
            return "; ".join(owners)
        return _subtitle(records, self.scene.boards)

    def split(self, records: list[Record]) -> list[tuple[list[Record], tuple[str, ...]]]:
        """The figures of a picture, as several pictures where one had too many panels: one for
        each value of the first dimension of the panels. With each, what tells these apart."""
        panels = {self.key(self.panels, record) for record in records}
        if len(self.panels) < 2 or len(panels) <= MOST_PANELS:
            return [(records, ())]
        first, pictures = self.panels[0], dict[Key, list[Record]]()
        for record in records:
            pictures.setdefault(self.rank(first, record), []).append(record)
        return [(members, (first,)) for _, members in sorted(pictures.items())]

    def telling_apart(self, records: Sequence[Record]) -> tuple[str, ...]:
        """Of the dimensions that lines stand for, those that differ in this picture."""
        if len(self.series) < 2:
            return self.series
        differ = [n for n in self.series if len({self.rank(n, r) for r in records}) > 1]
        return tuple(differ) or self.series[:1]

    def ticks(self, records: Sequence[Record]) -> dict[Key, str]:
        """The names along the x axis in their order, or nothing where it has numbers."""
        x = self.spec.x
        if self.spec.along:
            return {}
        if x == "release" and self.scene.releases:
            return {version(release): release for release in self.scene.releases}
        numbers = x not in (*OUTER, "metric") and all(is_number(r.params[x]) for r in records)
        if numbers and self.spec.kind != "bars":
            return {}
        named = dict(sorted({self.rank(x, r): self.word(x, r) for r in records}.items()))
        if x != "board" or self.spec.kind != "bars":
            return named
        # Boards stand beside each other to be compared: the best one first.
        best: dict[Key, float] = {}
        higher = self.benchmark.better(records[0].metric) == "higher"
        for record in records:
            assert record.cell.mean is not None  # only figures are taken
            rank, mean = self.rank(x, record), record.cell.mean
            best[rank] = (max if higher else min)(mean, best.get(rank, mean))
        order = sorted(named, key=lambda rank: best[rank], reverse=higher)
        return {rank: named[rank] for rank in order}

    def lines(
        self,
        records: Sequence[Record],
        ticks: Sequence[Key],
        series: Sequence[str],
        scale: float,
        ramp: bool,
    ) -> tuple[Line, ...]:
        """The lines of one panel, in the order of what tells them apart, their figures times
        ``scale``."""
        lines: dict[Key, tuple[tuple[str, str, str], list[tuple[Key, Point]]]] = {}
        along = self.spec.along or self.spec.x
        for record in records:
            cell = record.cell
            assert cell.mean is not None  # only figures are taken
            mark: TableCell = self.word(along, record)
            if along in record.params and not ticks:
                value = record.params[along]
                mark = units.labelled(value, self.benchmark.value_label(along, value))
            low, high = (
                None if end is None else units.scaled(end, scale) for end in (cell.low, cell.high)
            )
            point = Point(self.x(record, ticks), units.scaled(cell.mean, scale), low, high, mark)
            of_ramp = (self.words(series[:-1], record), self.words(series[-1:], record))
            names = (self.words(series, record), *(of_ramp if ramp else ("", "")))
            _, points = lines.setdefault(self.key(self.series, record), (names, []))
            points.append((self.rank(along, record), point))
        return tuple(
            Line(label, tuple(p for _, p in sorted(points, key=lambda each: each[0])), group, step)
            for _, ((label, group, step), points) in sorted(lines.items())
        )

    def x(self, record: Record, ticks: Sequence[Key]) -> float:
        """Where a figure stands on the x axis."""
        if self.spec.along:
            x_figure = self.x_figure(record)
            assert x_figure is not None and x_figure.cell.mean is not None  # see takes
            mean = x_figure.cell.mean
            return self.spec.left_of - mean if self.spec.left_of else mean
        if ticks:
            return float(ticks.index(self.rank(self.spec.x, record)))
        return float(record.params[self.spec.x])

    def limits(self, records: Sequence[Record], unit: str) -> tuple[tuple[float, str], ...]:
        """What the figures of a panel cannot pass, in a unit."""
        if not self.spec.limit:
            return ()
        owners = {(r.guide, r.board) for r in records}
        limits = {}
        for limit in self.records:
            if limit.metric != self.spec.limit or (limit.guide, limit.board) not in owners:
                continue
            # A parameter that the limit leaves out has its default here.
            own = {
                name: value
                for name, value in limit.params.items()
                if value != self.benchmark.param(name).default
            }
            of_these = any(own.items() <= r.params.items() for r in records)
            scale = units.factor(limit.unit, unit)
            if of_these and scale is not None and limit.cell.mean is not None:
                shown = units.parse(limit.unit).symbol
                words = f"{self.word('metric', limit)} {units.number(limit.cell.mean, 0)} {shown}"
                limits[limit.cell.mean * scale] = words
        return tuple(sorted(limits.items()))

    def x_label(self, like: Record) -> str:
        """What the x axis is called."""
        x = self.spec.x
        if self.spec.x_label:
            return self.spec.x_label
        if self.spec.along:
            x_figure = self.x_figure(like)
            unit = x_figure.unit if x_figure else ""
            return units.heading(self.benchmark.metric_label(x), unit)
        labels = {"release": "SDK release", "board": "Board", "platform": "SoC", "metric": ""}
        return labels[x] if x in labels else self.benchmark.param_label(x)

    def y_label(self, like: Record, unit: str) -> str:
        """What the y axis is called: the metric with the unit, and which way is better."""
        label = self.spec.y_label or self.benchmark.metric_label(like.metric)
        return units.heading(label, unit, self.benchmark.better(like.metric))


IN_CHARTS = 10_000
"""From here on the largest figure of a chart reads better in the next unit."""


def shown_unit(records: Sequence[Record]) -> tuple[str, float]:
    """The unit of a picture of figures of one unit, and what they are multiplied with."""
    largest = max((abs(r.cell.mean) for r in records if r.cell.mean is not None), default=0.0)
    own = records[0].unit
    return units.readable(own, [largest]) if largest >= IN_CHARTS else (own, 1.0)


def _subtitle(records: Sequence[Record], boards: Boards) -> str:
    """Of which boards and releases figures are, and how many runs stand behind each."""
    guides: dict[str, dict[str, dict[str, None]]] = {}
    for r in records:
        guide = f"{family(r.guide)} {r.guide.release}"
        own = guides.setdefault(guide, {}).setdefault(r.guide.soc, {})
        own[boards.short(r.guide.soc, r.board)] = None
    named = [
        ", ".join([*(f"{soc} {', '.join(own)}" for soc, own in socs.items()), guide])
        for guide, socs in guides.items()
    ]
    runs = sorted({record.cell.runs for record in records})
    count = f"{runs[0]} to {runs[-1]} runs" if len(runs) > 1 else f"{runs[0]} runs"
    return f"{'; '.join(named)}; {'1 run' if runs == [1] else count} of each"


def _most_panels(
    panels: list[tuple[Key, list[Record]]], newest_last: bool
) -> tuple[list[tuple[Key, list[Record]]], list[str]]:
    """The panels of a picture that are drawn, and what to say of those that are not."""
    if len(panels) <= MOST_PANELS:
        return panels, []
    drawn = panels[-MOST_PANELS:] if newest_last else panels[:MOST_PANELS]
    which = "newest" if newest_last else "first"
    words = f"The {which} {MOST_PANELS} of {len(panels)} panels are drawn; the tables have all."
    return drawn, [words]


def _most_sentences(panels: Sequence[tuple[Key, list[str]]]) -> list[str]:
    """The sentences that stand above a picture, of those on each panel. Panels of several
    releases, the newest last, have one key; where there are too many sentences, only those of
    the newest panel of each key that has any stand there."""
    every = [text for _, sentences in panels for text in sentences]
    if len(every) <= MOST_SENTENCES:
        return every
    newest = {key: sentences for key, sentences in panels if sentences}
    kept = [text for sentences in newest.values() for text in sentences]
    older = ["Their guides say more about older releases."]
    return [*kept, *(older if len(kept) < len(every) else [])]

"""A chart of the catalog applied to figures: which points, on which lines and panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from ..bundles.guide_key import family, version
from ..catalog.benchmarks import Benchmark
from ..catalog.chart_spec import OUTER, Chart, Scalar, names
from ..common import units
from ..figures.pool import Record
from . import crossovers
from .model import MOST_PANELS, ChartView, Line, Panel, Point, readable, told

Key = tuple[Any, ...]


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
    """What is known besides the figures: the releases of the platform, in version
    order, also those without a figure; and what changed between them."""

    releases: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


def charts(
    benchmark: Benchmark, spec: Chart, records: Sequence[Record], scene: Scene | None = None
) -> list[ChartView]:
    """The pictures of one chart over the figures of a page.

    One for each value of ``each``, and of what the axes do not name of platform,
    release and board. A picture with nothing to compare is left out.
    """
    return [view for view, _ in with_figures(benchmark, spec, records, scene)]


def with_figures(
    benchmark: Benchmark, spec: Chart, records: Sequence[Record], scene: Scene | None = None
) -> list[tuple[ChartView, list[Record]]]:
    """The same, each picture with the figures that are its points, on both axes."""
    plot = _Plot(benchmark, spec, records, scene or Scene())
    groups: dict[Key, list[Record]] = {}
    found = [record for record in records if plot.takes(record)]
    free = plot.free(found)
    for record in found:
        key = tuple(plot.place(name, record) for name in (*free, *spec.each))
        groups.setdefault((*key, record.unit), []).append(record)
    made = [
        (plot.view(part, (*free, *spec.each, *more)), [*part, *plot.across(part)])
        for _, members in sorted(groups.items())
        for part, more in plot.apart(members)
    ]
    return [(view, figures) for view, figures in made if _shows(view, spec.lines)]


def _shows(view: ChartView, lines: int) -> bool:
    most = max(len(panel.lines) for panel in view.panels)
    points = [len(line.points) for panel in view.panels for line in panel.lines]
    return most >= lines and (sum(points) if view.kind == "bars" else max(points)) > 1


class _Plot:
    """One chart's description with the figures that it may take."""

    def __init__(
        self, benchmark: Benchmark, spec: Chart, records: Sequence[Record], scene: Scene
    ) -> None:
        self.benchmark = benchmark
        self.spec = spec
        self.records = records
        self.loads = crossovers.loads(records) if spec.answer else {}
        self.scene = scene
        self.series, self.panels = names(spec.series), names(spec.panels)
        self.ys = names(spec.y)
        x = () if spec.along else (spec.x,)
        self.axes = {*x, spec.along, *self.series, *self.panels, *spec.each} - {""}
        self.params = (self.axes | {*spec.where}) - {*OUTER, "metric"}
        self.xs = {
            (r.guide, r.board, frozenset(r.params.items())): r
            for r in (records if spec.along else ())
            if r.metric == spec.x and r.cell.mean is not None
        }

    def takes(self, record: Record) -> bool:
        """Whether a figure is a point of this chart."""
        spec = self.spec
        return (
            record.cell.mean is not None
            and record.params.keys() == self.params
            and any(fnmatchcase(record.metric, y) for y in self.ys)
            and all(_same(record.params[k], v) for k, v in spec.where.items())
            and not (
                spec.unless and all(_same(record.params[k], spec.unless[k]) for k in spec.unless)
            )
            and (not spec.along or self.x_record(record) is not None)
        )

    def x_record(self, record: Record) -> Record | None:
        """The x metric's figure of the same run: of the same parameters, or of all
        but one of them (a load that was taken over all block sizes at once)."""
        own = frozenset(record.params.items())
        found = self.xs.get((record.guide, record.board, own))
        if found is None:
            for item in sorted(own, key=str):
                found = found or self.xs.get((record.guide, record.board, own - {item}))
        return found

    def across(self, found: Sequence[Record]) -> list[Record]:
        """The figures that are the places of others on the x axis."""
        if not self.spec.along:
            return []
        return [x for x in map(self.x_record, found) if x]

    def free(self, found: Sequence[Record]) -> tuple[str, ...]:
        """What of platform, release and board differs and is on no axis."""
        named = set(self.axes)
        if self.spec.on == "newest" and "board" in named:
            named |= set(OUTER)
        values = {name: {self.place(name, r) for r in found} for name in OUTER}
        return tuple(
            name
            for name in ("platform", "release", "board")
            if name not in named and len(values[name]) > 1
        )

    def place(self, name: str, record: Record) -> Key:
        """Where a record stands in the order of one dimension."""
        if name == "metric":
            return self.benchmark.metric_rank(record.metric)[0], units.natural(record.metric)
        platform = (units.natural(record.guide.soc), record.guide.sdk, record.guide.os)
        if name == "platform":
            return platform
        if name == "release":
            return version(record.guide.release)
        if name == "board":
            own = units.natural(record.board)
            return (platform, own) if self.spec.on == "newest" else own
        return self.benchmark.value_rank(name, record.params[name])

    def word(self, name: str, record: Record) -> str:
        """What pages call a record's value of one dimension."""
        if name == "metric":
            known = self.benchmark.metric(record.metric)
            return known.label if known and known.label else record.metric
        if name == "platform":
            return f"{record.guide.soc}, {family(record.guide)}"
        if name == "release":
            return record.guide.release
        if name == "board":
            newest = self.spec.on == "newest"
            return f"{record.board}, {record.guide.release}" if newest else record.board
        value = record.params[name]
        text = self.benchmark.value_label(name, value)
        if isinstance(value, str):
            return text
        label, _, unit = self.benchmark.param_label(name).partition(" (")
        return f"{text} {unit.removesuffix(')')}" if unit else f"{label.lower()} {text}"

    def view(self, found: Sequence[Record], named: Sequence[str]) -> ChartView:
        """One picture over the figures that belong to it."""
        spec = self.spec
        places = self.places(found)
        series = self.telling(found)
        ticks = tuple(places.values())
        panels: dict[Key, list[Record]] = {}
        for record in found:
            panels.setdefault(self.key(self.panels, record), []).append(record)
        shown, says, warnings = [], list[tuple[Key, list[str]]](), list[str]()
        lasting = [name for name in self.panels if name != "release"]
        ordered = [members for _, members in sorted(panels.items())]
        drawn, left_out = readable(ordered, "release" in self.panels)
        for members in drawn:
            title = self.words(self.panels, members[0])
            answer = crossovers.answers(self.benchmark, spec, members, self.loads)
            lead = f"{title}: " if title and len(panels) > 1 else ""
            says.append((self.key(lasting, members[0]), [lead + text for text in answer.says]))
            warnings += [lead + text for text in answer.warnings]
            verticals, limits = answer.verticals, self.limits(members)
            shown.append(Panel(title, self.lines(members, list(places), series), verticals, limits))
        said = [*told(says), *left_out]
        if spec.x == "release":
            boards = {record.board for record in found}
            changes = [c for c in self.scene.changes if c.board in boards and c.release in ticks]
            marks = tuple((ticks.index(c.release) - 0.5, f"{c.what} changed") for c in changes)
            shown = [Panel(p.title, p.lines, (*p.verticals, *marks), p.limits) for p in shown]
            said += [f"{c.board}: {c.words} from {c.release} on." for c in changes]
        return ChartView(
            spec.id,
            spec.title,
            self.words(named, found[0]),
            self.x_label(found[0]),
            self.y_label(found[0]),
            "linear" if ticks else spec.x_scale,
            spec.y_scale,
            tuple(shown),
            tuple(said),
            tuple(warnings),
            spec.kind,
            ticks,
            self.benchmark.param_label(spec.along) if spec.along else "",
            line_head=self.head(series),
            panel_head=self.head(self.panels),
        )

    def apart(self, found: list[Record]) -> list[tuple[list[Record], tuple[str, ...]]]:
        """The figures of a picture, as several pictures where one had too many panels: one for
        each value of the first name that tells panels apart. With each, the names that tell
        these pictures apart."""
        if len(self.panels) < 2 or len({self.key(self.panels, r) for r in found}) <= MOST_PANELS:
            return [(found, ())]
        first, parts = self.panels[0], dict[Any, list[Record]]()
        for record in found:
            parts.setdefault(self.place(first, record), []).append(record)
        return [(members, (first,)) for _, members in sorted(parts.items())]

    def telling(self, found: Sequence[Record]) -> tuple[str, ...]:
        """Of what tells lines apart, that which differs in this picture."""
        if len(self.series) < 2:
            return self.series
        differ = [n for n in self.series if len({self.place(n, r) for r in found}) > 1]
        return tuple(differ) or self.series[:1]

    def places(self, found: Sequence[Record]) -> dict[Key, str]:
        """The names along the x axis in their order, or nothing where it has numbers."""
        x = self.spec.x
        if self.spec.along:
            return {}
        if x == "release" and self.scene.releases:
            return {version(release): release for release in self.scene.releases}
        numbers = x not in (*OUTER, "metric") and all(_number(r.params[x]) for r in found)
        if numbers and self.spec.kind != "bars":
            return {}
        words = {self.place(x, record): self.word(x, record) for record in found}
        return {place: words[place] for place in sorted(words)}

    def lines(
        self, found: Sequence[Record], places: Sequence[Key], told: Sequence[str]
    ) -> tuple[Line, ...]:
        """The lines of one panel, in the order of what tells them apart."""
        lines: dict[Key, tuple[str, list[tuple[Key, Point]]]] = {}
        along = self.spec.along or self.spec.x
        for record in found:
            cell = record.cell
            assert cell.mean is not None  # only figures are taken
            label = self.words(told, record)
            _, points = lines.setdefault(self.key(self.series, record), (label, []))
            mark = self.word(along, record)
            if along in record.params and not places:
                mark = self.benchmark.value_label(along, record.params[along])
            point = Point(self.x(record, places), cell.mean, cell.low, cell.high, mark)
            points.append((self.place(along, record), point))
        return tuple(
            Line(label, tuple(p for _, p in sorted(points, key=lambda each: each[0])))
            for _, (label, points) in sorted(lines.items())
        )

    def x(self, record: Record, places: Sequence[Key]) -> float:
        """The place of a figure on the x axis."""
        if self.spec.along:
            x_record = self.x_record(record)
            assert x_record is not None and x_record.cell.mean is not None  # see takes
            return x_record.cell.mean
        if places:
            return float(places.index(self.place(self.spec.x, record)))
        return float(record.params[self.spec.x])

    def limits(self, found: Sequence[Record]) -> tuple[tuple[float, str], ...]:
        """What the figures of a panel cannot pass, in their unit."""
        if not self.spec.limit:
            return ()
        places = {(r.guide, r.board) for r in found}
        out = {}
        for limit in self.records:
            if limit.metric != self.spec.limit or (limit.guide, limit.board) not in places:
                continue
            # A parameter that the limit leaves out has its default here.
            own = {
                name: value
                for name, value in limit.params.items()
                if value != self.benchmark.param(name).default
            }
            of_these = any(own.items() <= r.params.items() for r in found)
            scale = units.factor(limit.unit, found[0].unit)
            if of_these and scale is not None and limit.cell.mean is not None:
                shown = units.parse(limit.unit).shown
                words = f"{self.word('metric', limit)} {units.number(limit.cell.mean, 0)} {shown}"
                out[limit.cell.mean * scale] = words
        return tuple(sorted(out.items()))

    def x_label(self, like: Record) -> str:
        """What the x axis is called."""
        x = self.spec.x
        if self.spec.along:
            x_record = self.x_record(like)
            return self.axis(x, x_record.unit if x_record else "", arrow=False)
        known = {"release": "SDK release", "board": "Board", "platform": "SoC", "metric": ""}
        return known[x] if x in known else self.benchmark.param_label(x)

    def y_label(self, like: Record) -> str:
        """What the y axis is called."""
        label = self.spec.y_label
        known = self.benchmark.metric(like.metric)
        better = known.better if known else "neither"
        if label:
            return units.heading(label, like.unit, better)
        return self.axis(like.metric, like.unit)

    def axis(self, metric: str, unit: str, arrow: bool = True) -> str:
        """A metric with its unit, and which way is better."""
        known = self.benchmark.metric(metric)
        label = known.label if known and known.label else metric
        return units.heading(label, unit, known.better if known and arrow else "neither")

    def key(self, dimensions: Sequence[str], record: Record) -> Key:
        """Where a record stands among lines or panels."""
        return tuple(self.place(name, record) for name in dimensions)

    def words(self, dimensions: Sequence[str], record: Record) -> str:
        """What a line, a panel or a picture is called."""
        return ", ".join(self.word(name, record) for name in dimensions)

    def head(self, dimensions: Sequence[str]) -> str:
        """What a column with the names of lines or panels is called."""
        known = {"metric": "Metric", "board": "Board", "release": "Release", "platform": "SoC"}
        return ", ".join(known.get(n) or self.benchmark.param_label(n) for n in dimensions)


def _number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(a: Scalar | None, b: Scalar) -> bool:
    return isinstance(a, bool) == isinstance(b, bool) and a == b

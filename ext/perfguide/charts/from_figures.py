"""Charts described in the catalog, applied to figures: points, lines and panels, ready to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

import msgspec

from ..bundles.guide_key import family, version
from ..catalog.benchmarks import Benchmark
from ..catalog.board_names import Boards
from ..catalog.chart_spec import OUTER, Chart, is_number, names, same
from ..common import units
from ..common.grouping import grouped
from ..common.units import TableCell
from ..figures import engines
from ..figures.pool import Record
from . import crossovers
from .model import KINDS, ChartView, Line, Panel, Point

Key = tuple[Any, ...]
"""A sort key."""

MAX_PANELS = 24
"""More panels in one picture would be unreadable."""

MAX_MERGED_PANELS = 6
"""Up to this many panels replace separate pictures on tabs."""

NEAR_SHARE = 0.25
"""A board gets no picture of its own if all its figures are within this of a drawn board's."""

MAX_BARS = 50
"""More bars in one picture would be unreadable and slow to draw."""

MIN_RELEASES = 3
"""A trend needs at least this many releases; for two, a table is enough."""

MAX_SENTENCES = 8
"""More sentences above one picture would go unread."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a board's clock or memory in ``release``: ``what`` names it, and ``words`` give
    both values."""

    board: str
    release: str
    what: str
    words: str


@dataclass(frozen=True, slots=True)
class Scene:
    """Facts about a platform that charts show besides figures: its releases in version order, the
    changes to its boards between them, and the boards' short names. ``order`` lists the boards in
    colour order, those of the newest release first."""

    releases: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    boards: Boards = field(default_factory=Boards)
    order: tuple[str, ...] = ()


def with_figures(
    benchmark: Benchmark, spec: Chart, records: Sequence[Record], scene: Scene | None = None
) -> list[tuple[ChartView, list[Record]]]:
    """Return the pictures of one chart for a page's figures, each with the figures behind its
    points on both axes.

    There is one per value of ``each``, and per platform, release and board unless an axis shows
    them. Pictures with nothing to compare are left out.
    """
    plot = _Plot(benchmark, spec, records, scene or Scene())
    points = [record for record in records if plot.takes(record)]
    if spec.on == "guide" and (merged := plot.merged(points)) != spec:
        return with_figures(benchmark, merged, records, scene)
    apart = (*plot.free(points), *spec.each, *plot.unplaced(points))
    # Figures in different units cannot share an axis.
    groups = grouped(points, lambda record: (*plot.key(apart, record), record.unit))
    pictures = [
        (plot.view(members, (*apart, *more)), [*members, *plot.x_figures(members)])
        for _, group in sorted(groups.items())
        for members, more in plot.split(group)
    ]
    pictures = [(view, figures) for view, figures in pictures if _compares(view, spec)]
    if spec.on == "guide" and "board" in apart:
        return plot.of_unlike_boards(pictures)
    return pictures


def _compares(view: ChartView, spec: Chart) -> bool:
    lines = max(len(panel.lines) for panel in view.panels)
    if spec.x == "release" and not view.has_rows:
        places = {p.x for panel in view.panels for line in panel.lines for p in line.points}
        return len(places) >= MIN_RELEASES and lines >= spec.lines
    points = [len(line.points) for panel in view.panels for line in panel.lines]
    return lines >= spec.lines and (sum(points) if view.has_rows else max(points)) > 1


class _Plot:
    """The description of a chart, applied to a page's figures.

    A *dimension* is a parameter, ``metric``, ``board``, ``release`` or ``platform``. Each is
    assigned to an axis, the lines, the panels or separate pictures.
    """

    def __init__(
        self, benchmark: Benchmark, spec: Chart, records: Sequence[Record], scene: Scene
    ) -> None:
        self.benchmark = benchmark
        self.spec = spec
        self.has_rows = KINDS[spec.kind].has_rows
        self.records = records
        self.scene = scene
        self.loads = engines.loads(records) if spec.answer else {}
        self.series, self.panels = names(spec.series), names(spec.panels)
        self.dimensions = {spec.along or spec.x, *self.series, *self.panels, *spec.each}
        self.params = (self.dimensions | {*spec.where}) - {*OUTER, "metric"}
        self.placed = benchmark.entry.placed
        self.on_x = {
            engines.identity(r): r
            for r in (records if spec.along else ())
            if r.metric == spec.x and r.cell.mean is not None
        }

    def merged(self, records: Sequence[Record]) -> Chart:
        """Return the description with alternatives on shared axes instead of in separate pictures:
        as lines if every picture would have just one, otherwise as panels."""
        spec = self.spec
        if not spec.each or spec.along or not KINDS[spec.kind].has_lines:
            return spec
        owners = self.free(records)
        lines: dict[Key, set[Key]] = {}
        for record in records:
            own = lines.setdefault(self.key((*owners, *spec.each), record), set())
            own.add((*self.key((*self.series, *self.panels), record), record.unit))
        several = len({key[len(owners) :] for key in lines}) > 1
        if several and all(len(own) == 1 for own in lines.values()):
            return msgspec.structs.replace(spec, series=(*spec.each, *self.series), each=())
        if several and not self.panels and len(lines) <= MAX_MERGED_PANELS:
            return msgspec.structs.replace(spec, panels=spec.each, each=())
        return spec

    def of_unlike_boards(
        self, pictures: list[tuple[ChartView, list[Record]]]
    ) -> list[tuple[ChartView, list[Record]]]:
        """Drop pictures of boards whose figures are all close to those of the first picture. Its
        subtitle names those boards and by how much they differ."""
        if not pictures:
            return pictures
        first, records = max(pictures, key=lambda picture: len(picture[1]))
        kept, near = [], dict[str, list[str]]()
        for view, own in pictures:
            ratios = self._ratios(records, own) if view is not first else []
            if ratios and max(ratios) < NEAR_SHARE and min(ratios) > -NEAR_SHARE:
                board = self.word("board", own[0])
                ends = [f"{100 * end:+.0f}".replace("-", "−") for end in (min(ratios), max(ratios))]
                near.setdefault(f"{' to '.join(dict.fromkeys(ends))} %", []).append(board)
            else:
                kept.append((view, own))
        if near:
            others = (f"{' and '.join(boards)} by {ends}" for ends, boards in near.items())
            about = f"{first.subtitle}; other boards differ: {', '.join(others)}"
            named = replace(first, subtitle=about)
            kept = [(named if view is first else view, own) for view, own in kept]
        return kept

    def _ratios(self, base: Sequence[Record], other: Sequence[Record]) -> list[float]:
        """Return the relative difference (0.1 is 10 % more) of each figure in ``other`` to the one in
        ``base`` with equal parameters, or nothing if one has no counterpart."""

        def by_identity(records: Sequence[Record]) -> dict[Key, float]:
            return {
                (r.metric, r.unit, frozenset(r.params.items())): r.cell.mean or 0.0 for r in records
            }

        figures, others = by_identity(base), by_identity(other)
        if not others.keys() <= figures.keys() or not all(figures.values()):
            return []
        return [others[key] / figures[key] - 1 for key in others]

    def takes(self, record: Record) -> bool:
        """Return whether a figure is a point of this chart."""
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
        """Return the figure of the x metric from the same run."""
        return engines.beside(record, self.spec.x, self.on_x)

    def x_figures(self, records: Sequence[Record]) -> list[Record]:
        """Return the figures that give others their x position."""
        return [x for x in map(self.x_figure, records) if x] if self.spec.along else []

    def free(self, records: Sequence[Record]) -> tuple[str, ...]:
        """Return which of platform, release and board vary without being shown on an axis."""
        if self.spec.on == "newest" and "board" in self.dimensions:
            return ()  # here a board implies its platform and release
        return tuple(
            name
            for name in ("platform", "release", "board")
            if name not in self.dimensions and len({self.rank(name, r) for r in records}) > 1
        )

    def unrecorded(self, records: Sequence[Record]) -> list[str]:
        """Return the default of each dimension, such as the engine, that tables always show although
        no figure of the picture differs from it."""
        defaults = []
        for name in (*self.series, *self.panels):
            param = self.benchmark.param(name)
            if param.always and param.default is not None:
                words = self.benchmark.value_label(name, param.default)
                if all(record.params.get(name) == param.default for record in records):
                    defaults.append(words)
        return defaults

    def unplaced(self, records: Sequence[Record]) -> tuple[str, ...]:
        """Return the parameters that vary although no table or chart mentions them."""
        names = {name for record in records for name in record.params} - self.placed
        return tuple(
            name
            for name in sorted(names - {*OUTER, "metric"})
            if len({self.rank(name, record) for record in records}) > 1
        )

    def rank(self, dimension: str, record: Record) -> Key:
        """Return the sort key of a record's value in one dimension."""
        platform = (units.natural(record.guide.soc), record.guide.sdk, record.guide.os)
        match dimension:
            case "metric":
                rank = self.benchmark.metric_rank(record.metric)[0]
                return rank, units.natural(record.metric)
            case "platform":
                return platform
            case "release":
                return version(record.guide.release)
            case "board":
                board = units.natural(record.board)
                return (platform, board) if self.spec.on == "newest" else board
        if dimension not in record.params:
            # After every value that a description lists or sorts.
            return (10**9,)
        return self.benchmark.value_rank(dimension, record.params[dimension])

    def word(self, dimension: str, record: Record) -> str:
        """Return the displayed name of a record's value in one dimension."""
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
                board = f"{soc} {short}" if short != record.board else record.board
                return f"{board}, {release}"
        if dimension not in record.params:
            return f"{self.benchmark.param_label(dimension).lower()} not stated"
        value, param = record.params[dimension], self.benchmark.param(dimension)
        text = self.benchmark.value_label(dimension, value)
        if isinstance(value, str) or units.plain(value) in param.values or param.show == "size":
            return text
        label, _, unit = self.benchmark.param_label(dimension).partition(" (")
        return f"{text} {unit.removesuffix(')')}" if unit else f"{label.lower()} {text}"

    def key(self, dimensions: Sequence[str], record: Record) -> Key:
        """Return the sort key of the line, panel or picture that a record belongs to."""
        return tuple(self.rank(name, record) for name in dimensions)

    def words(self, dimensions: Sequence[str], record: Record) -> str:
        """Return the name of the line, panel or picture that a record belongs to."""
        return ", ".join(self.word(name, record) for name in dimensions)

    def head(self, dimensions: Sequence[str]) -> str:
        """Return the heading of a column of line or panel names."""
        heads = {"metric": "Metric", "board": "Board", "release": "Release", "platform": "SoC"}
        return ", ".join(heads.get(n) or self.benchmark.param_label(n) for n in dimensions)

    def view(self, records: Sequence[Record], apart: Sequence[str]) -> ChartView:
        """Return a picture of the given figures; the dimensions ``apart`` name it."""
        spec = self.spec
        ticks, records, boards_left_out = self._of_best_boards(self.ticks(records), records)
        series = self.line_dimensions(records)
        unit, scale = shown_unit(records)
        ramp = self.is_ramp(series, records)
        by_panel = grouped(records, lambda record: self.key(self.panels, record))
        drawn, left_out = _drawn_panels(sorted(by_panel.items()), "release" in self.panels)
        left_out += boards_left_out
        panels, says, warnings = [], list[tuple[Key, list[str]]](), list[str]()
        # Panels that differ only in the release share their sentences.
        lasting = [name for name in self.panels if name != "release"]
        for _, members in drawn:
            title = self.words(self.panels, members[0])
            lead = f"{title}: " if title and len(by_panel) > 1 else ""
            answer = crossovers.answer(self.benchmark, spec, members, self.loads)
            says.append((self.key(lasting, members[0]), [lead + text for text in answer.says]))
            warnings += [lead + text for text in answer.warnings]
            lines = self.lines(members, [*ticks], series, scale, ramp)
            labelled = crossovers.at_level_zero(lines) if spec.along else {}
            if spec.left_of and labelled:
                level = self.benchmark.param_label(spec.along).lower()
                text = crossovers.what_is_left(labelled, level, unit)
                says.append((self.key(lasting, members[0]), [lead + text]))
            own = Panel(title, lines, answer.verticals, self.limits(members, unit))
            panels.append(replace(own, labelled=tuple(labelled.values())))
        sentences = [*_shown_sentences(says), *left_out]
        on_axis = tuple(ticks.values())
        if spec.x == "release":
            panels, changes = self._with_changes(panels, records, on_axis)
            sentences += changes
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
            styles=self.styles(series),
            finding=self.finding(panels, unit),
            subtitle="; ".join([self.subtitle(records), *self.unrecorded(records)]),
            ramp=ramp,
            wide=spec.on == "guide",
        )

    def _of_best_boards(
        self, ticks: dict[Key, str], records: Sequence[Record]
    ) -> tuple[dict[Key, str], Sequence[Record], list[str]]:
        """Return the names and figures of at most ``MAX_BARS`` boards if each has a bar, and a
        sentence on the others, if any."""
        if not (self.has_rows and self.spec.x == "board" and len(ticks) > MAX_BARS):
            return ticks, records, []
        sentences = bars_left_out(len(ticks), "boards", self.benchmark.better(records[0].metric))
        # A thousand bars are illegible and take seconds to draw.
        ticks = dict(islice(ticks.items(), MAX_BARS))
        return ticks, [r for r in records if self.rank("board", r) in ticks], sentences

    def _with_changes(
        self, panels: Sequence[Panel], records: Sequence[Record], releases: Sequence[str]
    ) -> tuple[list[Panel], list[str]]:
        """Return the panels with a mark at each change of a board, and sentences on the changes."""
        boards = {record.board for record in records}
        changes = [c for c in self.scene.changes if c.board in boards and c.release in releases]
        marks = tuple((releases.index(c.release) - 0.5, f"{c.what} changed") for c in changes)
        soc = records[0].guide.soc
        sentences = [
            f"{self.scene.boards.short(soc, c.board)}: {c.words} from {c.release} on."
            for c in changes
        ]
        marked = [replace(panel, verticals=(*panel.verticals, *marks)) for panel in panels]
        return marked, sentences

    def styles(self, series: Sequence[str]) -> tuple[str, ...]:
        """Return line names in colour order if the lines are the boards of one SoC."""
        if self.spec.on == "newest" or tuple(series) != ("board",):
            return ()
        soc = self.records[0].guide.soc
        named = sorted({record.board for record in self.records}, key=units.natural)
        # A board may have had several names.
        shorts = (self.scene.boards.short(soc, board) for board in (*self.scene.order, *named))
        return tuple(dict.fromkeys(shorts))

    def finding(self, panels: Sequence[Panel], unit: str) -> str:
        """Return a sentence with the picture's main result if it has a single panel."""
        if len(panels) != 1:
            return ""
        lines = panels[0].lines
        if self.spec.along:
            return crossovers.at_equal_marks(lines)
        if self.spec.on != "guide" or not KINDS[self.spec.kind].has_lines or len(lines) < 2:
            return ""
        last = max(point.x for line in lines for point in line.points)
        ends = sorted(
            ((p.y, line.label, p.mark) for line in lines for p in line.points if p.x == last),
            key=lambda end: end[0],
        )
        if len(ends) < 2 or ends[0][0] <= 0 or ends[-1][0] < 1.05 * ends[0][0]:
            return ""
        symbol = units.parse(unit).symbol
        best, worst = (f"{units.number(y)} {symbol}".strip() for y, *_ in (ends[-1], ends[0]))
        where = self.at(ends[-1][2])
        return f"{where}, {ends[-1][1]} has {best} and {ends[0][1]} {worst}"

    def at(self, mark: TableCell) -> str:
        """Return the words for a position on the x axis: ``At 1 KiB``, ``At frame size 64 bytes``."""
        text = units.whole(mark)
        if isinstance(mark, str) or self.benchmark.param(self.spec.x).show == "size":
            return f"At {text}"
        label, _, unit = self.benchmark.param_label(self.spec.x).partition(" (")
        return f"At {label.lower()} {text} {unit.removesuffix(')')}".rstrip()

    def is_ramp(self, series: Sequence[str], records: Sequence[Record]) -> bool:
        """Return whether the last dimension of the lines has numeric values, and hence an order."""
        return bool(series) and all(is_number(r.params.get(series[-1])) for r in records)

    def subtitle(self, records: Sequence[Record]) -> str:
        """Return the boards, releases and number of runs of the figures, unless the lines or panels
        name them."""
        if self.spec.on == "newest":
            return "The newest release of each board"
        if self.spec.on == "releases":
            owners = dict.fromkeys(f"{r.guide.soc}, {family(r.guide)}" for r in records)
            return "; ".join(owners)
        return _subtitle(records, self.scene.boards)

    def split(self, records: list[Record]) -> list[tuple[list[Record], tuple[str, ...]]]:
        """Split a picture with too many panels into one per value of the panels' first dimension.
        Returns the figures of each, and the dimensions that were split off."""
        panels = {self.key(self.panels, record) for record in records}
        if len(self.panels) < 2 or len(panels) <= MAX_PANELS:
            return [(records, ())]
        first = self.panels[0]
        pictures = grouped(records, lambda record: self.rank(first, record))
        return [(members, (first,)) for _, members in sorted(pictures.items())]

    def line_dimensions(self, records: Sequence[Record]) -> tuple[str, ...]:
        """Return the line dimensions whose values differ in this picture."""
        if len(self.series) < 2:
            return self.series
        differ = [n for n in self.series if len({self.rank(n, r) for r in records}) > 1]
        return tuple(differ) or self.series[:1]

    def ticks(self, records: Sequence[Record]) -> dict[Key, str]:
        """Return the names along the x axis in order; empty if the axis is numeric."""
        x = self.spec.x
        if self.spec.along:
            return {}
        # Trends include releases without a figure, as gaps.
        if x == "release" and self.scene.releases:
            return {version(release): release for release in self.scene.releases}
        numbers = x not in (*OUTER, "metric") and all(is_number(r.params[x]) for r in records)
        if numbers and not self.has_rows:
            return {}
        named = dict(sorted({self.rank(x, r): self.word(x, r) for r in records}.items()))
        if x != "board" or not self.has_rows:
            return named
        # Readers want to compare boards, so the best one comes first.
        best: dict[Key, float] = {}
        higher = self.benchmark.better(records[0].metric) == "higher"
        for record in records:
            assert record.cell.mean is not None  # see takes
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
        """Return one panel's lines in order, with all figures multiplied by ``scale``."""
        lines: dict[Key, tuple[tuple[str, str, str], list[tuple[Key, Point]]]] = {}
        along = self.spec.along or self.spec.x
        for record in records:
            cell = record.cell
            assert cell.mean is not None  # see takes
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
        """Return a figure's x position."""
        if self.spec.along:
            x_figure = self.x_figure(record)
            assert x_figure is not None and x_figure.cell.mean is not None  # see takes
            mean = x_figure.cell.mean
            return self.spec.left_of - mean if self.spec.left_of else mean
        if ticks:
            return float(ticks.index(self.rank(self.spec.x, record)))
        return float(record.params[self.spec.x])

    def limits(self, records: Sequence[Record], unit: str) -> tuple[tuple[float, str], ...]:
        """Return the values that a panel's figures cannot exceed, in the given unit, with their
        labels."""
        if not self.spec.limit:
            return ()
        owners = {(r.guide, r.board) for r in records}
        limits = {}
        for limit in self.records:
            if limit.metric != self.spec.limit or (limit.guide, limit.board) not in owners:
                continue
            # Parameters that the limit does not state have their defaults here.
            stated = {
                name: value
                for name, value in limit.params.items()
                if value != self.benchmark.param(name).default
            }
            applies = any(stated.items() <= r.params.items() for r in records)
            scale = units.factor(limit.unit, unit)
            if applies and scale is not None and limit.cell.mean is not None:
                symbol = units.parse(limit.unit).symbol
                figure = f"{units.number(limit.cell.mean, 0)} {symbol}"
                words = f"{self.word('metric', limit)} {figure}"
                limits[limit.cell.mean * scale] = words
        return tuple(sorted(limits.items()))

    def x_label(self, like: Record) -> str:
        """Return the label of the x axis."""
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
        """Return the label of the y axis: the metric, its unit, and which direction is better."""
        label = self.spec.y_label or self.benchmark.metric_label(like.metric)
        return units.heading(label, unit, self.benchmark.better(like.metric))


MAX_AXIS_FIGURE = 10_000
"""A picture with a figure at or above this switches to a larger unit."""


def shown_unit(records: Sequence[Record]) -> tuple[str, float]:
    """Return the unit to draw figures of one unit in, and the factor to it."""
    largest = max((abs(r.cell.mean) for r in records if r.cell.mean is not None), default=0.0)
    unit = records[0].unit
    return units.readable(unit, [largest]) if largest >= MAX_AXIS_FIGURE else (unit, 1.0)


def _subtitle(records: Sequence[Record], boards: Boards) -> str:
    """Return the figures' boards and releases, and the number of runs of each."""
    guides: dict[str, dict[str, dict[str, None]]] = {}
    for r in records:
        guide = f"{family(r.guide)} {r.guide.release}"
        names = guides.setdefault(guide, {}).setdefault(r.guide.soc, {})
        names[boards.short(r.guide.soc, r.board)] = None
    named = [
        ", ".join([*(f"{soc} {', '.join(names)}" for soc, names in socs.items()), guide])
        for guide, socs in guides.items()
    ]
    runs = sorted({record.cell.runs for record in records})
    count = f"{runs[0]} to {runs[-1]} runs" if len(runs) > 1 else f"{runs[0]} runs"
    return f"{'; '.join(named)}; {'1 run' if runs == [1] else count} of each"


def _drawn_panels(
    panels: list[tuple[Key, list[Record]]], newest_last: bool
) -> tuple[list[tuple[Key, list[Record]]], list[str]]:
    """Return the panels to draw, and a sentence if some are left out."""
    if len(panels) <= MAX_PANELS:
        return panels, []
    drawn = panels[-MAX_PANELS:] if newest_last else panels[:MAX_PANELS]
    which = "newest" if newest_last else "first"
    words = f"The {which} {MAX_PANELS} of {len(panels)} panels are drawn; the tables have all."
    return drawn, [words]


def bars_left_out(count: int, noun: str, better: units.Better) -> list[str]:
    """Return a sentence on the bars left out, if there are more than fit in a picture."""
    which = "first" if better == "neither" else "best"
    words = f"The {which} {MAX_BARS} of {count:,} {noun} are drawn; the tables have all."
    return [words] if count > MAX_BARS else []


def _shown_sentences(panels: Sequence[tuple[Key, list[str]]]) -> list[str]:
    """Return the sentences above a picture, given each panel's key and sentences.

    Panels of the same thing in several releases, newest last, share a key. If there are too many
    sentences, only those of each key's newest panel are kept.
    """
    every = [text for _, sentences in panels for text in sentences]
    if len(every) <= MAX_SENTENCES:
        return every
    newest = {key: sentences for key, sentences in panels if sentences}
    kept = [text for sentences in newest.values() for text in sentences]
    older = ["Their guides say more about older releases."]
    return [*kept, *(older if len(kept) < len(every) else [])]

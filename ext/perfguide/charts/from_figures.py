"""Charts described in the catalog, applied to figures: points, lines and panels, ready to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice

import msgspec

from ..bundles.guide_key import family, version
from ..catalog.benchmarks import Benchmark
from ..catalog.board_names import Boards
from ..catalog.chart_spec import OUTER, Chart, is_number, names, same
from ..common import units
from ..common.grouping import grouped
from ..common.units import TableCell
from ..figures import engines
from ..figures.engines import Identity, Run
from ..figures.pool import Record
from . import crossovers
from .dimensions import Dimensions, Key
from .model import KINDS, ChartView, Line, Panel, Point

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


ViewAndFigures = tuple[ChartView, list[Record]]
"""A picture, and the figures behind its points on both axes."""


@dataclass(frozen=True, slots=True)
class _Chart:
    """A chart's description, and what it needs from a page: the dimensions with a line or panel for
    each value; that from point to point of a line; all figures of the page, by identity those that
    give others their x position, and the CPU load of each run in %."""

    benchmark: Benchmark
    spec: Chart
    scene: Scene
    dimensions: Dimensions
    series: tuple[str, ...]
    panels: tuple[str, ...]
    along: str
    records: Sequence[Record]
    x_figures: Mapping[Identity, Record]
    loads: Mapping[Run, float]

    @property
    def assigned(self) -> set[str]:
        """The dimensions that the description assigns to an axis, lines, panels or pictures."""
        return {self.along, *self.series, *self.panels, *self.spec.each}


def with_figures(
    benchmark: Benchmark, spec: Chart, records: Sequence[Record], scene: Scene | None = None
) -> list[ViewAndFigures]:
    """Return the pictures of one chart for a page's figures.

    There is one per value of ``each``, and per platform, release and board unless an axis shows
    them. Pictures with nothing to compare are left out.
    """
    scene = scene or Scene()
    dimensions = Dimensions(benchmark, scene.boards, spec.on)
    measured = [r for r in records if spec.along and r.metric == spec.x and r.cell.mean is not None]
    x_figures = {engines.identity(record): record for record in measured}
    series, panels, along = names(spec.series), names(spec.panels), spec.along or spec.x
    loads = engines.loads(records) if spec.answer else {}
    chart = _Chart(
        benchmark, spec, scene, dimensions, series, panels, along, records, x_figures, loads
    )
    figures = _matching(chart)
    if spec.on == "guide" and (shared := _with_shared_axes(chart, figures)) != spec:
        return with_figures(benchmark, shared, records, scene)
    apart = (*_free_owners(chart, figures), *spec.each, *_undescribed(chart, figures))
    pictures = []
    # Figures in different units cannot share an axis.
    groups = grouped(figures, lambda r: (*dimensions.ranks(apart, r), r.unit))
    for _, group in sorted(groups.items()):
        divided = _dividing_panels(chart, group)
        for _, members in sorted(grouped(group, partial(dimensions.ranks, divided)).items()):
            view = _view(chart, members, (*apart, *divided))
            if _compares(view, spec):
                x_members = (_x_figure(chart, r) for r in members if spec.along)
                pictures.append((view, [*members, *filter(None, x_members)]))
    if spec.on == "guide" and "board" in apart:
        return _without_similar_boards(chart, pictures)
    return pictures


def _compares(view: ChartView, spec: Chart) -> bool:
    """Return whether a picture has something to compare."""
    line_count = max(len(panel.lines) for panel in view.panels)
    if spec.x == "release" and not view.has_rows:
        releases = {p.x for panel in view.panels for line in panel.lines for p in line.points}
        return len(releases) >= MIN_RELEASES and line_count >= spec.lines
    counts = [len(line.points) for panel in view.panels for line in panel.lines]
    return line_count >= spec.lines and (sum(counts) if view.has_rows else max(counts)) > 1


def _matching(chart: _Chart) -> list[Record]:
    """Return the figures that are points of a chart."""
    spec = chart.spec
    named = {*chart.assigned, *spec.where} - {*OUTER, "metric"}
    described = chart.benchmark.entry.placed | named

    def matches(record: Record) -> bool:
        params = record.params
        return (
            record.cell.mean is not None
            and params.keys() & described == named
            and any(fnmatchcase(record.metric, y) for y in names(spec.y))
            and all(same(params[name], value) for name, value in spec.where.items())
            and not (spec.unless and all(same(params.get(n), v) for n, v in spec.unless.items()))
            and (not spec.along or _x_figure(chart, record) is not None)
        )

    return [record for record in chart.records if matches(record)]


def _x_figure(chart: _Chart, record: Record) -> Record | None:
    """Return the figure of the x metric from the same run."""
    return engines.beside(record, chart.spec.x, chart.x_figures)


def _free_owners(chart: _Chart, records: Sequence[Record]) -> tuple[str, ...]:
    """Return which of platform, release and board vary without being shown on an axis."""
    if chart.spec.on == "newest" and "board" in chart.assigned:
        return ()  # here a board implies its platform and release
    free = [name for name in ("platform", "release", "board") if name not in chart.assigned]
    return chart.dimensions.varying(free, records)


def _undescribed(chart: _Chart, records: Sequence[Record]) -> tuple[str, ...]:
    """Return the parameters that vary although no table or chart mentions them."""
    params = {name for record in records for name in record.params}
    undescribed = params - chart.benchmark.entry.placed - {*OUTER, "metric"}
    return chart.dimensions.varying(sorted(undescribed), records)


def _with_shared_axes(chart: _Chart, records: Sequence[Record]) -> Chart:
    """Return the description with alternatives on shared axes instead of in separate pictures: as
    lines if every picture would have just one, otherwise as panels."""
    spec, ranks = chart.spec, chart.dimensions.ranks
    if not spec.each or spec.along or not KINDS[spec.kind].has_lines:
        return spec
    owners = _free_owners(chart, records)
    lines: dict[tuple[Key, Key], set[Key]] = {}  # by owner and alternative
    for record in records:
        line = (*ranks((*chart.series, *chart.panels), record), record.unit)
        lines.setdefault((ranks(owners, record), ranks(spec.each, record)), set()).add(line)
    if len({alternative for _, alternative in lines}) < 2:
        return spec
    if all(len(lines_of_one) == 1 for lines_of_one in lines.values()):
        return msgspec.structs.replace(spec, series=(*spec.each, *chart.series), each=())
    if not chart.panels and len(lines) <= MAX_MERGED_PANELS:
        return msgspec.structs.replace(spec, panels=spec.each, each=())
    return spec


def _dividing_panels(chart: _Chart, records: Sequence[Record]) -> tuple[str, ...]:
    """Return the panels' first dimension if a picture has too many panels, to be split by it."""
    panels = {chart.dimensions.ranks(chart.panels, record) for record in records}
    return chart.panels[:1] if len(chart.panels) > 1 and len(panels) > MAX_PANELS else ()


def _without_similar_boards(
    chart: _Chart, pictures: Sequence[ViewAndFigures]
) -> list[ViewAndFigures]:
    """Drop pictures of boards whose figures are all close to those of the picture with the most
    figures or, of several such, the one that is close to most and then the best one. Its subtitle
    names those boards and by how much they differ."""
    if not pictures:
        return []
    sign = -1 if chart.benchmark.better(pictures[0][1][0].metric) == "lower" else 1

    def is_similar(records: Sequence[Record], base: Sequence[Record]) -> bool:
        differences = _relative_differences(base, records)
        return bool(differences) and max(map(abs, differences)) < NEAR_SHARE

    def stands_for_most(picture: ViewAndFigures) -> tuple[int, int, float]:
        _, members = picture
        similar = sum(is_similar(records, members) for _, records in pictures)
        return len(members), similar, max(sign * _mean(record) for record in members)

    main, main_records = max(pictures, key=stands_for_most)
    kept, similar = [], dict[str, list[str]]()
    for view, records in pictures:
        differences = [] if view is main else _relative_differences(main_records, records)
        if differences and min(differences) > -NEAR_SHARE and max(differences) < NEAR_SHARE:
            ends = [f"{100 * end:+.0f}" for end in (min(differences), max(differences))]
            span = f"{' to '.join(dict.fromkeys(ends))} %".replace("-", "−")
            similar.setdefault(span, []).append(chart.dimensions.label("board", records[0]))
        else:
            kept.append((view, records))
    if not similar:
        return kept
    others = ", ".join(f"{' and '.join(boards)} by {span}" for span, boards in similar.items())
    noted = replace(main, subtitle=f"{main.subtitle}; other boards differ: {others}")
    return [(noted if view is main else view, records) for view, records in kept]


def _relative_differences(base: Sequence[Record], other: Sequence[Record]) -> list[float]:
    """Return the relative difference (0.1 is 10 % more) of each figure in ``other`` to the one in
    ``base`` with equal parameters, or nothing if one has no counterpart."""

    def by_params(records: Sequence[Record]) -> dict[Key, float]:
        return {
            (r.metric, r.unit, frozenset(r.params.items())): r.cell.mean or 0.0 for r in records
        }

    figures, others = by_params(base), by_params(other)
    if not others.keys() <= figures.keys() or not all(figures.values()):
        return []
    return [others[key] / figures[key] - 1 for key in others]


@dataclass(frozen=True, slots=True)
class _Layout:
    """The choices that all panels of a picture share: the names along the x axis by sort key, empty
    if it is numeric; the dimensions that name its lines; whether these have an order; and the unit
    of its figures with the factor to it."""

    x_names: dict[Key, str]
    series: tuple[str, ...]
    ramp: bool
    unit: str
    scale: float


@dataclass(frozen=True, slots=True)
class _PanelWithText:
    """A panel with the sentences about it and those that need attention. ``key`` is the same for
    panels that differ only in the release."""

    panel: Panel
    key: Key
    sentences: tuple[str, ...]
    warnings: tuple[str, ...]


def _view(chart: _Chart, records: Sequence[Record], apart: Sequence[str]) -> ChartView:
    """Return a picture of the given figures; the dimensions ``apart`` name it."""
    benchmark, spec, dimensions = chart.benchmark, chart.spec, chart.dimensions
    x_names, bars_sentences = _x_names(chart, records), list[str]()
    if KINDS[spec.kind].has_rows and spec.x == "board" and len(x_names) > MAX_BARS:
        bars_sentences = bars_left_out(len(x_names), "boards", benchmark.better(records[0].metric))
        # A thousand bars are illegible and take seconds to draw.
        x_names = dict(islice(x_names.items(), MAX_BARS))
        records = [r for r in records if dimensions.rank("board", r) in x_names]
    series = chart.series
    if len(series) > 1:
        series = dimensions.varying(series, records) or series[:1]
    # Numeric values have an order.
    ramp = bool(series) and all(is_number(r.params.get(series[-1])) for r in records)
    layout = _Layout(x_names, series, ramp, *shown_unit(records))
    by_panel = sorted(grouped(records, partial(dimensions.ranks, chart.panels)).items())
    is_newest_last = "release" in chart.panels
    groups = by_panel[-MAX_PANELS:] if is_newest_last else by_panel[:MAX_PANELS]
    drawn = [_panel(chart, layout, members, len(by_panel) > 1) for _, members in groups]
    panels_sentences = _panels_left_out(len(by_panel), is_newest_last)
    panels = [part.panel for part in drawn]
    sentences = [*_shown_sentences(drawn), *panels_sentences, *bars_sentences]
    if spec.x == "release":
        panels, changes = _with_changes(chart.scene, panels, records, [*x_names.values()])
        sentences += changes
    first, better = records[0], benchmark.better(records[0].metric)
    y_label = spec.y_label or benchmark.metric_label(first.metric)
    return ChartView(
        spec.id,
        spec.title,
        dimensions.labels(apart, first),
        _x_label(chart, first),
        units.heading(y_label, layout.unit, better),
        "linear" if x_names else "reversed" if spec.left_of else spec.x_scale,
        spec.y_scale,
        tuple(panels),
        tuple(sentences),
        tuple(warning for part in drawn for warning in part.warnings),
        spec.kind,
        tuple(x_names.values()),
        benchmark.param_label(spec.along) if spec.along else "",
        line_head=dimensions.heading(series),
        panel_head=dimensions.heading(chart.panels),
        styles=_colour_order(chart, series),
        finding=_finding(chart, panels, layout.unit),
        subtitle="; ".join([_subtitle(chart, records), *_shared_defaults(chart, records)]),
        ramp=ramp,
        wide=spec.on == "guide",
    )


def _x_names(chart: _Chart, records: Sequence[Record]) -> dict[Key, str]:
    """Return the names along the x axis by sort key, in order; empty if the axis is numeric."""
    spec, x, dimensions = chart.spec, chart.spec.x, chart.dimensions
    if spec.along:
        return {}
    # Trends include releases without a figure, as gaps.
    if x == "release" and chart.scene.releases:
        return {version(release): release for release in chart.scene.releases}
    is_numeric = x not in (*OUTER, "metric") and all(is_number(r.params[x]) for r in records)
    if is_numeric and not KINDS[spec.kind].has_rows:
        return {}
    x_names = dict(sorted({dimensions.rank(x, r): dimensions.label(x, r) for r in records}.items()))
    if x != "board" or not KINDS[spec.kind].has_rows:
        return x_names
    # Readers want to compare boards, so the best one comes first.
    higher = chart.benchmark.better(records[0].metric) == "higher"
    best = {
        rank: (max if higher else min)(_mean(record) for record in members)
        for rank, members in grouped(records, partial(dimensions.rank, x)).items()
    }
    return {rank: x_names[rank] for rank in sorted(x_names, key=best.__getitem__, reverse=higher)}


def _mean(record: Record) -> float:
    assert record.cell.mean is not None  # see _matching
    return record.cell.mean


def _panel(
    chart: _Chart, layout: _Layout, records: Sequence[Record], several: bool
) -> _PanelWithText:
    """Return the panel of some figures. Sentences name it if there are ``several``."""
    spec, dimensions = chart.spec, chart.dimensions
    title = dimensions.labels(chart.panels, records[0])
    by_line = sorted(grouped(records, partial(dimensions.ranks, chart.series)).items())
    lines = tuple(_line(chart, layout, members) for _, members in by_line)
    answer = crossovers.answer(chart.benchmark, spec, records, chart.loads)
    sentences = [*answer.says]
    labelled = crossovers.at_level_zero(lines) if spec.along else {}
    if spec.left_of and labelled:
        level = chart.benchmark.param_label(spec.along).lower()
        sentences.append(crossovers.what_is_left(labelled, lines, level, layout.unit))
    limits = _limits(chart, records, layout.unit)
    lead = f"{title}: " if title and several else ""
    return _PanelWithText(
        Panel(title, lines, answer.verticals, limits, tuple(labelled.values())),
        dimensions.ranks([name for name in chart.panels if name != "release"], records[0]),
        tuple(lead + text for text in sentences),
        tuple(lead + text for text in answer.warnings),
    )


def _line(chart: _Chart, layout: _Layout, records: Sequence[Record]) -> Line:
    """Return the line of some figures."""
    first, series, dimensions = records[0], layout.series, chart.dimensions
    ordered = sorted(records, key=partial(dimensions.rank, chart.along))
    return Line(
        dimensions.labels(series, first),
        tuple(_point(chart, layout, record) for record in ordered),
        group=dimensions.labels(series[:-1], first) if layout.ramp else "",
        step=dimensions.labels(series[-1:], first) if layout.ramp else "",
    )


def _point(chart: _Chart, layout: _Layout, record: Record) -> Point:
    """Return the point of a figure."""
    along, cell, scale = chart.along, record.cell, layout.scale
    mark: TableCell = chart.dimensions.label(along, record)
    if along in record.params and not layout.x_names:
        value = record.params[along]
        mark = units.labelled(value, chart.benchmark.value_label(along, value))
    low, high = (None if end is None else units.scaled(end, scale) for end in (cell.low, cell.high))
    y = units.scaled(_mean(record), scale)
    return Point(_x_position(chart, layout, record), y, low, high, mark)


def _x_position(chart: _Chart, layout: _Layout, record: Record) -> float:
    spec = chart.spec
    if spec.along:
        x_figure = _x_figure(chart, record)
        assert x_figure is not None  # see _matching
        return spec.left_of - _mean(x_figure) if spec.left_of else _mean(x_figure)
    if layout.x_names:
        return float([*layout.x_names].index(chart.dimensions.rank(spec.x, record)))
    return float(record.params[spec.x])


def _limits(chart: _Chart, records: Sequence[Record], unit: str) -> tuple[tuple[float, str], ...]:
    """Return the values that a panel's figures cannot exceed, in a unit, with their labels."""
    if not chart.spec.limit:
        return ()
    owners = {(r.guide, r.board) for r in records}
    limits = {}
    for limit in chart.records:
        if limit.metric != chart.spec.limit or (limit.guide, limit.board) not in owners:
            continue
        # Parameters that the limit does not state have their defaults here.
        stated = {
            name: value
            for name, value in limit.params.items()
            if value != chart.benchmark.param(name).default
        }
        applies = any(stated.items() <= r.params.items() for r in records)
        scale = units.factor(limit.unit, unit)
        if applies and scale is not None and limit.cell.mean is not None:
            figure = f"{units.number(limit.cell.mean, 0)} {units.parse(limit.unit).symbol}"
            label = f"{chart.dimensions.label('metric', limit)} {figure}"
            limits[limit.cell.mean * scale] = label
    return tuple(sorted(limits.items()))


def _with_changes(
    scene: Scene, panels: Sequence[Panel], records: Sequence[Record], releases: Sequence[str]
) -> tuple[list[Panel], list[str]]:
    """Return the panels with a mark at each change of a board, and sentences on the changes."""
    boards = {record.board for record in records}
    changes = [c for c in scene.changes if c.board in boards and c.release in releases]
    marks = tuple((releases.index(c.release) - 0.5, f"{c.what} changed") for c in changes)
    soc = records[0].guide.soc
    sentences = [
        f"{scene.boards.short(soc, c.board)}: {c.words} from {c.release} on." for c in changes
    ]
    return [replace(panel, verticals=(*panel.verticals, *marks)) for panel in panels], sentences


def _x_label(chart: _Chart, like: Record) -> str:
    """Return the label of the x axis."""
    x = chart.spec.x
    if chart.spec.x_label:
        return chart.spec.x_label
    if chart.spec.along:
        x_figure = _x_figure(chart, like)
        return units.heading(chart.benchmark.metric_label(x), x_figure.unit if x_figure else "")
    labels = {"release": "SDK release", "board": "Board", "platform": "SoC", "metric": ""}
    return labels[x] if x in labels else chart.benchmark.param_label(x)


def _colour_order(chart: _Chart, series: Sequence[str]) -> tuple[str, ...]:
    """Return line names in colour order if the lines are the boards of one SoC."""
    if chart.spec.on == "newest" or tuple(series) != ("board",):
        return ()
    soc, scene = chart.records[0].guide.soc, chart.scene
    boards = sorted({record.board for record in chart.records}, key=units.natural)
    # A board may have had several names.
    short_names = (scene.boards.short(soc, board) for board in (*scene.order, *boards))
    return tuple(dict.fromkeys(short_names))


def _finding(chart: _Chart, panels: Sequence[Panel], unit: str) -> str:
    """Return a sentence with the picture's main result if it has a single panel."""
    if len(panels) != 1:
        return ""
    lines = panels[0].lines
    if chart.spec.along:
        return crossovers.at_equal_marks(lines)
    if chart.spec.on != "guide" or not KINDS[chart.spec.kind].has_lines or len(lines) < 2:
        return ""
    last_x = max(point.x for line in lines for point in line.points)
    ends = [(p, line.label) for line in lines for p in line.points if p.x == last_x]
    ends.sort(key=lambda end: end[0].y)
    (low, low_label), (high, high_label) = ends[0], ends[-1]
    if len(ends) < 2 or low.y <= 0 or high.y < 1.05 * low.y:
        return ""
    symbol = units.parse(unit).symbol
    lowest, highest = (f"{units.number(point.y)} {symbol}".strip() for point in (low, high))
    position = _position_words(chart, high.mark)
    return f"{position}, {high_label} has {highest} and {low_label} {lowest}"


def _position_words(chart: _Chart, mark: TableCell) -> str:
    """Return the words for a position on the x axis: ``At 1 KiB``, ``At frame size 64 bytes``."""
    text, x = units.whole(mark), chart.spec.x
    if isinstance(mark, str) or chart.benchmark.param(x).show == "size":
        return f"At {text}"
    label, _, unit = chart.benchmark.param_label(x).partition(" (")
    return f"At {label.lower()} {text} {unit.removesuffix(')')}".rstrip()


def _subtitle(chart: _Chart, records: Sequence[Record]) -> str:
    """Return the boards and releases of a picture's figures and the number of runs of each, unless
    the lines or panels name them."""
    if chart.spec.on == "newest":
        return "The newest release of each board"
    if chart.spec.on == "releases":
        return "; ".join(dict.fromkeys(f"{r.guide.soc}, {family(r.guide)}" for r in records))
    guides: dict[str, dict[str, dict[str, None]]] = {}
    for r in records:
        boards_by_soc = guides.setdefault(f"{family(r.guide)} {r.guide.release}", {})
        short_name = chart.scene.boards.short(r.guide.soc, r.board)
        boards_by_soc.setdefault(r.guide.soc, {})[short_name] = None
    owners = [
        ", ".join([*(f"{soc} {', '.join(boards)}" for soc, boards in by_soc.items()), guide])
        for guide, by_soc in guides.items()
    ]
    runs = sorted({record.cell.runs for record in records})
    count = f"{runs[0]} to {runs[-1]} runs" if len(runs) > 1 else f"{runs[0]} runs"
    return f"{'; '.join(owners)}; {'1 run' if runs == [1] else count} of each"


def _shared_defaults(chart: _Chart, records: Sequence[Record]) -> list[str]:
    """Return the default of each dimension, such as the engine, that tables always show although
    no figure of the picture differs from it."""
    return [
        chart.benchmark.value_label(name, param.default)
        for name in (*chart.series, *chart.panels)
        if (param := chart.benchmark.param(name)).always
        and param.default is not None
        and all(record.params.get(name) == param.default for record in records)
    ]


MAX_AXIS_FIGURE = 10_000
"""A picture with a figure at or above this switches to a larger unit."""


def shown_unit(records: Sequence[Record]) -> tuple[str, float]:
    """Return the unit to draw figures of one unit in, and the factor to it."""
    largest = max((abs(r.cell.mean) for r in records if r.cell.mean is not None), default=0.0)
    unit = records[0].unit
    return units.readable(unit, [largest]) if largest >= MAX_AXIS_FIGURE else (unit, 1.0)


def _panels_left_out(count: int, newest_last: bool) -> list[str]:
    """Return a sentence on the panels left out, if there are more than fit in a picture."""
    end = "newest" if newest_last else "first"
    words = f"The {end} {MAX_PANELS} of {count} panels are drawn; the tables have all."
    return [words] if count > MAX_PANELS else []


def bars_left_out(count: int, noun: str, better: units.Better) -> list[str]:
    """Return a sentence on the bars left out, if there are more than fit in a picture."""
    end = "first" if better == "neither" else "best"
    words = f"The {end} {MAX_BARS} of {count:,} {noun} are drawn; the tables have all."
    return [words] if count > MAX_BARS else []


def _shown_sentences(panels: Sequence[_PanelWithText]) -> list[str]:
    """Return the sentences above a picture.

    Panels of the same thing in several releases, newest last, share a key. If there are too many
    sentences, only those of each key's newest panel are kept.
    """
    every = [text for panel in panels for text in panel.sentences]
    if len(every) <= MAX_SENTENCES:
        return every
    newest = {panel.key: panel.sentences for panel in panels if panel.sentences}
    kept = [text for sentences in newest.values() for text in sentences]
    older = ["Their guides say more about older releases."]
    return [*kept, *(older if len(kept) < len(every) else [])]

"""Search for boards that meet conditions on figures, and how far each board is from them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from ..bundles.guide_key import GuideKey, Platform, families
from ..catalog.benchmarks import Benchmark, Catalog, Scalar
from ..catalog.board_names import Boards
from ..catalog.chart_spec import is_number
from ..common import units
from ..common.diagnostics import nearest, visible
from ..common.grouping import grouped
from .engines import ENGINE
from .pool import Pool, Record

FORM = "BENCHMARK/METRIC?NAME=VALUE&NAME=VALUE >= NUMBER UNIT"
"""The syntax of a condition; the parameters and the unit are optional."""

MIN_MARGIN = 1.10
"""The least ratio of a figure to the bound of a condition that its board meets with margin."""

MAX_EARLIER_FIGURES = 3
"""The most earlier releases whose figures are listed."""

MEETS, JUST, CANNOT = "meets", "just", "cannot"
"""The groups of boards with figures: at least 10 % margin, less margin, and below the bound."""

_CONDITION = re.compile(
    r"(?P<benchmark>[^/?<>≤≥]+)/(?P<metric>[^?<>≤≥]+?)\s*(\?(?P<params>[^<>≤≥]*?))?\s*"
    r"(?P<bound><=|>=|≤|≥)\s*(?P<number>[-+−]?[0-9][0-9.,]*+(?:e[-+]?[0-9]+)?|[^\s0-9]\S*+)\s*"
    r"(?P<unit>\S+)?"
)


OpenParams = frozenset[tuple[str, Scalar]]
"""The parameters that a condition leaves open, with a figure's values."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A bound on a metric. ``params`` are names and values as text; parameters not listed may have
    any value. An empty ``unit`` means that ``bound`` is in the usual unit of the figures."""

    benchmark: str
    metric: str
    params: tuple[tuple[str, str], ...]
    at_least: bool
    bound: float
    unit: str

    def __str__(self) -> str:
        params = "&".join(f"{name}={value}" for name, value in self.params)
        sign = ">=" if self.at_least else "<="
        name = f"{self.benchmark}/{self.metric}" + (f"?{params}" if params else "")
        return f"{name} {sign} {units.exact(self.bound)} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Reading:
    """A board's figure for one condition, in the unit of its record.

    ``between`` are the figures at the nearest measured values below and above a numeric parameter
    whose requested value was not measured; ``record`` is the worse of the two. ``ratio`` is at
    least 1 if the condition holds. ``earlier`` are the same figure in earlier releases, newest
    first.
    """

    record: Record
    between: tuple[Record, ...]
    ratio: float
    earlier: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A board under its current name, with one figure per condition."""

    platform: Platform
    board: str
    readings: tuple[Reading, ...]

    @property
    def ratio(self) -> float:
        """The lowest ratio of a figure to its bound."""
        return min(reading.ratio for reading in self.readings)

    @property
    def group(self) -> str:
        """One of ``MEETS``, ``JUST`` and ``CANNOT``."""
        if self.ratio >= MIN_MARGIN:
            return MEETS
        return JUST if self.ratio >= 1 else CANNOT


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A board that lacks figures. ``missing`` are the conditions without a figure in any release;
    it is empty if every condition has figures, but never from the same run."""

    platform: Platform
    board: str
    missing: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """All boards of an archive: those with figures, best first, and the rest. ``conditions`` are
    those requested, with units filled in; ``notes`` say which figures are left out."""

    conditions: tuple[Condition, ...]
    measured: tuple[Answer, ...]
    unmeasured: tuple[Unmeasured, ...]
    notes: tuple[str, ...]


def parse(text: str) -> Condition:
    """Parse a condition in the form of :data:`FORM`. Raises :class:`ValueError`."""
    match = _CONDITION.fullmatch(text.strip())
    if not match:
        raise ValueError(f"“{visible(text)}” is not of the form {FORM}; <= works too")
    bound = units.read(match["number"])
    if bound is None or not math.isfinite(bound):
        raise ValueError(f"“{visible(match['number'])}” in “{visible(text)}” is not a number")
    pairs = []
    for pair in filter(None, (match["params"] or "").split("&")):
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals and value):
            raise ValueError(
                f"“{visible(pair)}” in “{visible(text)}” is not of the form NAME=VALUE"
            )
        pairs.append((name, value))
    return Condition(
        match["benchmark"].strip(),
        match["metric"].strip(),
        tuple(pairs),
        match["bound"] in (">=", "≥"),
        bound,
        match["unit"] or "",
    )


def answers(
    pool: Pool,
    catalog: Catalog,
    boards: Boards,
    conditions: Sequence[Condition],
    guides: Iterable[GuideKey],
) -> Answers:
    """Return how each board of some guides meets the conditions.

    The figures of one benchmark come from the newest release that has them all, and agree in every
    parameter that they share, such as the engine. Each engine of a board gives a separate answer,
    and so does each value of a parameter that no condition names. Figures measured along with other
    work are left out unless a condition names it.

    Raises :class:`ValueError` if a name or unit in a condition does not occur.
    """
    resolved = [_resolved(pool, catalog, condition) for condition in conditions]
    conditions = [condition for condition, _ in resolved]
    chosen = set(guides)
    measured: list[Answer] = []
    unmeasured: list[Unmeasured] = []
    for platform, keys in families(key for key in pool.guides() if key in chosen).items():
        for board, releases in _by_board(pool, boards, conditions, keys).items():
            answers_of_board = [
                Answer(platform, board, readings)
                for readings in _readings(releases, catalog, conditions)
            ]
            measured += answers_of_board
            if not answers_of_board:
                missing = [
                    condition
                    for condition in conditions
                    if not any(
                        _candidates(records, catalog, condition)
                        for records in releases.get(condition.benchmark, ())
                    )
                ]
                unmeasured.append(Unmeasured(platform, board, tuple(missing)))
    return Answers(
        tuple(conditions),
        tuple(sorted(measured, key=_rank)),
        tuple(sorted(unmeasured, key=lambda board: (*_sort_key(board.platform), board.board))),
        tuple(note for _, notes in resolved for note in notes),
    )


def _by_board(
    pool: Pool, boards: Boards, conditions: Sequence[Condition], guides: Sequence[GuideKey]
) -> dict[str, dict[str, list[list[Record]]]]:
    """Return the figures of a platform that conditions name, by board, which is the same in all
    releases even if it was renamed, and by benchmark: those of each release, newest first."""
    names = {(condition.benchmark, condition.metric) for condition in conditions}
    out: dict[str, dict[str, list[list[Record]]]] = {}
    for key in reversed(guides):
        for board in pool.boards[key]:
            out.setdefault(boards.today(key.soc, board), {})
        records = pool.of_guide(key, lambda *name: name in names)
        of_guide = grouped(records, lambda r: (boards.today(r.guide.soc, r.board), r.benchmark))
        for (board, benchmark), members in of_guide.items():
            out[board].setdefault(benchmark, []).append(members)
    return out


def _rank(answer: Answer) -> tuple[object, ...]:
    """Return the sort key of an answer: its group, then the ratio of the first condition. Boards
    that fail are ordered by their lowest ratio."""
    fails = answer.group == CANNOT
    ratio = answer.ratio if fails else answer.readings[0].ratio
    group = (MEETS, JUST, CANNOT).index(answer.group)
    return group, -ratio, *_sort_key(answer.platform), units.natural(answer.board)


def _sort_key(platform: Platform) -> tuple[object, ...]:
    # Sort by SoC first, as in lists of guides; the SDK family rarely differs.
    return units.natural(platform.soc), platform.sdk, platform.os


def _resolved(pool: Pool, catalog: Catalog, condition: Condition) -> tuple[Condition, list[str]]:
    """Return a condition with its unit filled in, and notes on figures that it cannot be compared
    with."""
    benchmarks = pool.benchmarks()
    if condition.benchmark not in benchmarks:
        raise ValueError(_unknown("benchmark", condition.benchmark, benchmarks))
    figures = pool.figures()
    rows = figures[figures["benchmark"] == condition.benchmark]
    metrics = sorted(rows["metric"].unique())
    if condition.metric not in metrics:
        raise ValueError(_unknown("metric", condition.metric, metrics))
    rows = rows[rows["metric"] == condition.metric]
    names = sorted({name for text in rows["params"].unique() for name in pool.params(text)})
    for name, _ in condition.params:
        if name not in names:
            raise ValueError(_unknown("parameter", name, names))
    measured = sorted(rows["unit"].unique())
    metric, unit = f"{condition.benchmark}/{condition.metric}", condition.unit
    quoted = " and ".join(f"“{visible(unit)}”" for unit in measured)
    if not unit:
        unit = usual_unit(catalog, condition.benchmark, condition.metric, measured)
        if not unit and len(measured) > 1:
            raise ValueError(f"{metric} is measured in {quoted}: add the unit to the number")
    others = [other for other in measured if units.factor(unit, other) is None]
    if len(others) == len(measured):
        raise ValueError(
            f"{metric} is measured in {quoted}, to which “{visible(unit)}” cannot be converted"
        )
    notes = [
        f"figures of {metric} in “{visible(other)}” are left out: "
        f"they cannot be converted to “{visible(unit)}”"
        for other in others
    ]
    return replace(condition, unit=unit), notes


def usual_unit(catalog: Catalog, benchmark: str, metric: str, measured: Sequence[str]) -> str:
    """Return the unit to assume for a bare number: that of the description, else the only measured
    one, else an empty string."""
    described = catalog.benchmark(benchmark).metric(metric)
    if described and described.unit in measured:
        return described.unit
    return measured[0] if len(measured) == 1 else ""


def _unknown(kind: str, name: str, names: Sequence[str]) -> str:
    listed = ", ".join(map(visible, names)) or "none"
    hint = visible(nearest(name, names)) or f"there are {listed}"
    return f"there is no {kind} “{visible(name)}”; {hint}"


def _readings(
    releases: Mapping[str, Sequence[Sequence[Record]]],
    catalog: Catalog,
    conditions: Sequence[Condition],
) -> Iterator[tuple[Reading, ...]]:
    """Yield one board's figures for all conditions, in the order of the conditions. ``releases``
    maps benchmarks to the board's figures by release, newest first."""
    by_benchmark = grouped(range(len(conditions)), lambda n: conditions[n].benchmark)
    runs = [
        list(_runs(releases.get(name, ()), catalog, [conditions[n] for n in positions]))
        for name, positions in by_benchmark.items()
    ]
    order = [position for positions in by_benchmark.values() for position in positions]
    for chosen in product(*runs):
        readings = dict(zip(order, (reading for run in chosen for reading in run), strict=True))
        yield tuple(readings[position] for position in range(len(conditions)))


def _runs(
    releases: Sequence[Sequence[Record]], catalog: Catalog, conditions: Sequence[Condition]
) -> Iterator[tuple[Reading, ...]]:
    """Yield the figures of one benchmark that answer some conditions together: for each set of
    parameters, those of the newest release that has them."""
    # An older release only answers for parameters that no newer one measured.
    answered = set[tuple[OpenParams, ...]]()
    for position, records in enumerate(releases):
        of_release = set[tuple[OpenParams, ...]]()
        candidates = [_candidates(records, catalog, condition) for condition in conditions]
        for readings in filter(_of_one_run, product(*candidates)):
            measured = tuple(map(_open_params, (r.record for r in readings), conditions))
            if measured not in answered:
                of_release.add(measured)
                yield tuple(_with_earlier(r, releases[position + 1 :]) for r in readings)
        answered |= of_release


def _candidates(records: Sequence[Record], catalog: Catalog, condition: Condition) -> list[Reading]:
    """Return the figures of one board and release to which a condition applies."""
    benchmark = catalog.benchmark(condition.benchmark)
    requested = dict(condition.params)
    exact, others = list[Record](), list[tuple[str, Record]]()
    for record in records:
        if (record.benchmark, record.metric) != (condition.benchmark, condition.metric):
            continue
        if record.cell.mean is None or not requested.keys() <= record.params.keys():
            continue
        if units.factor(condition.unit, record.unit) is None:
            continue  # reported in a note
        free = record.params.keys() - requested.keys()
        if not all(_is_usual(benchmark, name, record.params[name]) for name in free):
            continue
        wrong = [
            n for n, v in requested.items() if not _is_value(benchmark, n, record.params[n], v)
        ]
        # Neighbours in one parameter bound a figure; neighbours in two do not.
        if not wrong:
            exact.append(record)
        elif len(wrong) == 1 and is_number(record.params[wrong[0]]):
            others.append((wrong[0], record))
    measured = {_open_params(record, condition) for record in exact}
    return [
        *(Reading(record, (), _ratio(record, condition), ()) for record in exact),
        *(
            reading
            for reading in _between(others, condition)
            if _open_params(reading.record, condition) not in measured
        ),
    ]


def _open_params(record: Record, condition: Condition) -> OpenParams:
    """Return the parameters that a condition leaves open; different ones are different answers."""
    names = record.params.keys() - dict(condition.params).keys()
    return frozenset((name, record.params[name]) for name in names)


def _is_usual(benchmark: Benchmark, name: str, value: Scalar) -> bool:
    """Return whether a parameter that no condition names has the value of an ordinary run, such as
    one thread and no background work. Any engine is ordinary."""
    default = benchmark.param(name).default
    return name == ENGINE or default is None or value == default


def _is_value(benchmark: Benchmark, name: str, value: Scalar, text: str) -> bool:
    """Return whether ``text`` is a value as written in bundles or as shown on pages."""
    return text in (units.plain(value), benchmark.value_label(name, value))


def _between(others: Sequence[tuple[str, Record]], condition: Condition) -> Iterator[Reading]:
    """Yield the worse of the two figures around the requested value, for each series over a numeric
    parameter whose range includes that value."""
    requested = dict(condition.params)
    series: dict[tuple[str, frozenset[tuple[str, Scalar]]], dict[float, Record]] = {}
    for name, record in others:
        rest = frozenset((n, v) for n, v in record.params.items() if n != name)
        value = record.params[name]
        assert is_number(value)
        series.setdefault((name, rest), {})[float(value)] = record
    for (name, _), by_value in series.items():
        at = units.read(requested[name])
        if at is None or not min(by_value) < at < max(by_value):
            continue
        sides = (
            by_value[max(value for value in by_value if value < at)],
            by_value[min(value for value in by_value if value > at)],
        )
        # Assume the worse neighbour, as the figure in between is unknown.
        worse = min(sides, key=lambda record: _ratio(record, condition))
        yield Reading(worse, sides, _ratio(worse, condition), ())


def _ratio(record: Record, condition: Condition) -> float:
    """Return the ratio of a figure to the bound of a condition, inverted if lower is better."""
    assert record.cell.mean is not None
    scale = units.factor(condition.unit, record.unit)
    assert scale is not None  # others are not candidates
    value, bound = record.cell.mean, units.scaled(condition.bound, scale)
    if condition.at_least:
        return value / bound if bound > 0 else (math.inf if value >= bound else 0.0)
    return bound / value if value > 0 else (math.inf if value <= bound else 0.0)


def _of_one_run(readings: Sequence[Reading]) -> bool:
    """Return whether figures of one benchmark agree in all parameters that they share."""
    return all(
        one.record.params[name] == other.record.params[name]
        for one, other in combinations(readings, 2)
        for name in one.record.params.keys() & other.record.params.keys()
    )


def _with_earlier(reading: Reading, releases: Iterable[Sequence[Record]]) -> Reading:
    record = reading.record
    earlier = [
        r
        for records in releases
        for r in records
        if (r.benchmark, r.metric, r.params) == (record.benchmark, record.metric, record.params)
        and r.unit == record.unit
        and r.cell.mean is not None
    ]
    return replace(reading, earlier=tuple(earlier[:MAX_EARLIER_FIGURES]))

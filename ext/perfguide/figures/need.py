"""The boards that meet a need: conditions on figures, and how far each board is from them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from ..bundles.guide_key import GuideKey, families
from ..catalog.benchmarks import Benchmark, Catalog, Scalar, undescribed
from ..catalog.chart_spec import is_number
from ..common import units
from ..common.diagnostics import nearest, visible
from .engines import ENGINE
from .pool import Pool, Record

FORM = "BENCHMARK/METRIC?NAME=VALUE&NAME=VALUE >= NUMBER UNIT"
"""The form of a condition; the parameters and the unit may be left out."""

MIN_MARGIN = 1.10
"""The ratio of a figure to its bound from which a board meets a condition with room to spare."""

MAX_EARLIER_FIGURES = 3
"""The number of earlier releases whose figures show how one moved."""

MEETS, JUST, CANNOT = "meets", "just", "cannot"
"""The groups of boards with figures: those with at least 10 % to spare, those with less, others."""

_CONDITION = re.compile(
    r"(?P<benchmark>[^/?<>≤≥]+)/(?P<metric>[^?<>≤≥]+?)\s*(\?(?P<params>[^<>≤≥]*?))?\s*"
    r"(?P<bound><=|>=|≤|≥)\s*(?P<number>[-+−]?[0-9][0-9.,]*+(?:e[-+]?[0-9]+)?|[^\s0-9]\S*+)\s*"
    r"(?P<unit>\S+)?"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A bound on a metric. ``params`` are names and values as text; a parameter that is left out
    may have any value. ``bound`` is in ``unit``, which is empty for the unit of the figures."""

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
    """The figure of a board for one condition, in the unit of its record.

    ``between`` are the figures at the nearest smaller and larger measured value of a numeric
    parameter, if the value that was asked for was not measured; ``record`` is the worse of the two.
    ``ratio`` is at least 1 if the condition holds. ``earlier`` are the same figure in earlier
    releases, the newest first.
    """

    record: Record
    between: tuple[Record, ...]
    ratio: float
    earlier: tuple[Record, ...]

    def params(self) -> dict[str, Scalar]:
        """Return the parameters of the figure, without one that differs from the value asked for."""
        if not self.between:
            return self.record.params
        one, other = (each.params for each in self.between)
        return {name: value for name, value in one.items() if other[name] == value}


@dataclass(frozen=True, slots=True)
class Answer:
    """A board, with one figure for each condition, all of the newest release that has them."""

    guide: GuideKey
    board: str
    readings: tuple[Reading, ...]

    @property
    def ratio(self) -> float:
        """The ratio of the condition that the board is farthest from, or nearest to failing."""
        return min(reading.ratio for reading in self.readings)

    @property
    def group(self) -> str:
        """One of ``MEETS``, ``JUST`` and ``CANNOT``."""
        if self.ratio >= MIN_MARGIN:
            return MEETS
        return JUST if self.ratio >= 1 else CANNOT


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A board without a figure for some condition in any release; ``missing`` are those conditions,
    and empty if there are figures for each, but not of one run or release."""

    guide: GuideKey
    board: str
    missing: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """All boards of an archive: those with figures, best first, and the others."""

    measured: tuple[Answer, ...]
    unmeasured: tuple[Unmeasured, ...]

    def group(self, name: str) -> list[Answer]:
        """Return the answers of one group."""
        return [answer for answer in self.measured if answer.group == name]


def parse(text: str) -> Condition:
    """Return the condition of a text in the form of :data:`FORM`. Raises :class:`ValueError`."""
    match = _CONDITION.fullmatch(text.strip())
    if not match:
        raise ValueError(f"“{visible(text)}” is not of the form {FORM}; <= is possible too")
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
    pool: Pool, catalog: Catalog, conditions: Sequence[Condition], guides: Iterable[GuideKey]
) -> Answers:
    """Return how each board of some guides meets the conditions.

    All figures of an answer are of one release; those of one benchmark are of one run, so they agree
    in each parameter that both have, such as the engine. Each engine of a board is an answer of its
    own, and so is each value of a parameter that no condition names. Figures measured beside other work are left out unless a condition asks for them.

    Raises :class:`ValueError` if a name or unit of a condition does not occur.
    """
    if not conditions:
        raise ValueError("no condition is given")
    _check(pool, catalog, conditions)
    names = {(each.benchmark, each.metric) for each in conditions}
    chosen = set(guides)
    measured: list[Answer] = []
    unmeasured: list[Unmeasured] = []
    for family in families(key for key in pool.guides() if key in chosen).values():
        # For each board, from the oldest release to the newest.
        records: dict[str, dict[GuideKey, list[Record]]] = {}
        for key in family:
            for board in sorted(pool.boards[key], key=units.natural):
                records.setdefault(board, {})[key] = []
            for record in pool.of_guide(key, lambda *name: name in names):
                records[record.board][key].append(record)
        for board, by_guide in records.items():
            own = list(_newest(by_guide, catalog, conditions))
            measured += own
            if not own:
                every = [record for each in by_guide.values() for record in each]
                missing = [c for c in conditions if not _candidates(every, catalog, c)]
                unmeasured.append(Unmeasured(list(by_guide)[-1], board, tuple(missing)))
    order = {MEETS: 0, JUST: 1, CANNOT: 2}
    measured.sort(
        key=lambda a: (
            order[a.group],
            -a.readings[0].ratio if a.group != CANNOT else -a.ratio,
            units.natural(a.guide.soc),
            units.natural(a.board),
        )
    )
    return Answers(tuple(measured), tuple(unmeasured))


def _check(pool: Pool, catalog: Catalog, conditions: Sequence[Condition]) -> None:
    figures = pool.figures()
    for condition in conditions:
        benchmarks = pool.benchmarks()
        if condition.benchmark not in benchmarks:
            raise ValueError(_unknown("benchmark", condition.benchmark, benchmarks))
        own = figures[figures["benchmark"] == condition.benchmark]
        metrics = sorted(own["metric"].unique())
        if condition.metric not in metrics:
            raise ValueError(_unknown("metric", condition.metric, metrics))
        own = own[own["metric"] == condition.metric]
        names = sorted({name for text in own["params"].unique() for name in pool.params(text)})
        for name, _ in condition.params:
            if name not in names:
                raise ValueError(_unknown("parameter", name, names))
        for unit in own["unit"].unique():
            if condition.unit and units.factor(condition.unit, unit) is None:
                raise ValueError(
                    f"{condition.benchmark}/{condition.metric} is measured in “{visible(unit)}”, "
                    f"of which “{visible(condition.unit)}” is no other spelling or multiple"
                )


def _unknown(kind: str, name: str, names: Sequence[str]) -> str:
    listed = ", ".join(map(visible, names)) or "none"
    hint = visible(nearest(name, names)) or f"there are {listed}"
    return f"there is no {kind} “{visible(name)}”; {hint}"


def _newest(
    by_guide: dict[GuideKey, list[Record]], catalog: Catalog, conditions: Sequence[Condition]
) -> Iterator[Answer]:
    """Yield the answers of one board: for each of its engines, and each value of a parameter that no
    condition names, that of the newest release with figures for all conditions."""
    newest_first = list(reversed(by_guide))
    answered = set[tuple[frozenset[tuple[str, Scalar]], ...]]()
    for position, key in enumerate(newest_first):
        earlier = [by_guide[each] for each in newest_first[position + 1 :]]
        candidates = [_candidates(by_guide[key], catalog, each) for each in conditions]
        of_release = set[tuple[frozenset[tuple[str, Scalar]], ...]]()
        for readings in filter(_of_one_run, product(*candidates)):
            measured = tuple(frozenset(reading.params().items()) for reading in readings)
            if measured not in answered:
                of_release.add(measured)
                with_earlier = tuple(_with_earlier(each, earlier) for each in readings)
                yield Answer(key, readings[0].record.board, with_earlier)
        answered |= of_release


def _candidates(records: Sequence[Record], catalog: Catalog, condition: Condition) -> list[Reading]:
    """Return the figures of one board in one release to which a condition applies."""
    benchmark = catalog.get(condition.benchmark) or undescribed(condition.benchmark)
    asked = dict(condition.params)
    exact, others = list[Record](), list[tuple[str, Record]]()
    for record in records:
        if (record.benchmark, record.metric) != (condition.benchmark, condition.metric):
            continue
        if record.cell.mean is None or not asked.keys() <= record.params.keys():
            continue
        free = record.params.keys() - asked.keys()
        if not all(_is_usual(benchmark, name, record.params[name]) for name in free):
            continue
        wrong = [n for n, v in asked.items() if not _is_value(benchmark, n, record.params[n], v)]
        if not wrong:
            exact.append(record)
        elif len(wrong) == 1 and is_number(record.params[wrong[0]]):
            others.append((wrong[0], record))
    readings = [Reading(each, (), _ratio(each, condition), ()) for each in exact]
    return readings or list(_between(others, condition))


def _is_usual(benchmark: Benchmark, name: str, value: Scalar) -> bool:
    """Return whether a parameter that was not asked for has the value of an ordinary run: one thread,
    nothing beside it. Each engine is one."""
    default = benchmark.param(name).default
    return name == ENGINE or default is None or value == default


def _is_value(benchmark: Benchmark, name: str, value: Scalar, text: str) -> bool:
    """Return whether a text names a value: as bundles write it, or as pages do."""
    return text in (units.plain(value), benchmark.value_label(name, value))


def _between(others: Sequence[tuple[str, Record]], condition: Condition) -> Iterator[Reading]:
    """Yield for each series over one numeric parameter the worse of the figures on both sides of the
    value that was asked for; nothing is said beyond the measured values."""
    asked = dict(condition.params)
    series: dict[tuple[str, frozenset[tuple[str, Scalar]]], dict[float, Record]] = {}
    for name, record in others:
        rest = frozenset((n, v) for n, v in record.params.items() if n != name)
        value = record.params[name]
        assert is_number(value)
        series.setdefault((name, rest), {})[float(value)] = record
    for (name, _), by_value in series.items():
        at = units.read(asked[name])
        if at is None or not min(by_value) < at < max(by_value):
            continue
        sides = (
            by_value[max(value for value in by_value if value < at)],
            by_value[min(value for value in by_value if value > at)],
        )
        worse = min(sides, key=lambda record: _ratio(record, condition))
        yield Reading(worse, sides, _ratio(worse, condition), ())


def _ratio(record: Record, condition: Condition) -> float:
    """Return the ratio of a figure to the bound of a condition, inverted if lower is better."""
    assert record.cell.mean is not None
    scale = units.factor(condition.unit, record.unit) if condition.unit else 1.0
    assert scale is not None  # checked for all figures before
    value, bound = record.cell.mean, units.scaled(condition.bound, scale)
    if condition.at_least:
        return value / bound if bound > 0 else (math.inf if value >= bound else 0.0)
    return bound / value if value > 0 else (math.inf if value <= bound else 0.0)


def _of_one_run(readings: Sequence[Reading]) -> bool:
    """Return whether figures of the same benchmark agree in the parameters that both have."""
    for index, one in enumerate(readings):
        for other in readings[index + 1 :]:
            a, b = one.record, other.record
            if a.benchmark == b.benchmark and any(
                a.params[name] != b.params[name] for name in a.params.keys() & b.params.keys()
            ):
                return False
    return True


def _with_earlier(reading: Reading, releases: Iterable[Sequence[Record]]) -> Reading:
    name = reading.record
    earlier = [
        each
        for records in releases
        for each in records
        if (each.benchmark, each.metric, each.params) == (name.benchmark, name.metric, name.params)
        and each.cell.mean is not None
    ]
    return Reading(name, reading.between, reading.ratio, tuple(earlier[:MAX_EARLIER_FIGURES]))

"""Sentences about charts: cross-overs, ratios, and verdicts on engines.

All of them follow from measured points; nothing is extrapolated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..catalog.benchmarks import Benchmark
from ..catalog.chart_spec import Chart, Scalar, is_number, names
from ..common import units
from ..figures.engines import BUSY_LOAD_PERCENT, Run, run_of
from ..figures.pool import Record
from .model import Line, Point

SOFTWARE = "sw"
"""The baseline engine: the CPU itself."""

EQUAL_SHARE = 0.05
"""Two throughputs count as equal if they differ by less than this share at every size."""

RATIO_LIMIT = 1e6
"""A larger ratio cannot be that of two rates or loads of one board."""

Curve = Sequence[tuple[float, float]]
"""Measured points (x, y), sorted by x, with at most one per x."""


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine's curve over block sizes (bytes, kB/s), and its CPU load in per cent over the
    complete run, if that was measured."""

    name: str
    curve: Curve
    cpu: float | None = None

    @property
    def the(self) -> str:
        """The name as it reads within a sentence."""
        return the(self.name)


def the(name: str) -> str:
    """Return an engine's name with its article; abbreviations and software take none."""
    return name if name.isupper() or name.split()[-1:] == ["software"] else f"the {name}"


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of comparing engines: labelled x positions, sentences and warnings."""

    verticals: tuple[tuple[float, str], ...] = ()
    says: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def answer(
    benchmark: Benchmark,
    spec: Chart,
    records: Sequence[Record],
    loads: Mapping[Run, float],
) -> Answer:
    """Return the cross-overs of engines with software in one panel, and sentences about them.

    The answer is empty unless the chart's description has ``answer = "cross-over"``. ``loads`` are
    the CPU loads of runs in per cent."""
    series = names(spec.series)
    if spec.answer != "cross-over" or len(series) != 1:
        return Answer()
    curves: dict[Scalar, list[tuple[float, float]]] = {}
    for record in records:
        x = record.params[spec.x]
        if not is_number(x):
            return Answer()  # names have no distances between them
        # An unrecorded engine could be any of the others.
        unrecorded = record.params[series[0]] == benchmark.param(series[0]).default
        if record.cell.mean is not None and not unrecorded:
            curves.setdefault(record.params[series[0]], []).append((float(x), record.cell.mean))
    if SOFTWARE not in curves or len(curves) < 2:
        return Answer()
    # A run covers every x and has a single load.
    params = {name: value for name, value in records[0].params.items() if name != spec.x}
    engines = {
        value: Engine(
            benchmark.value_label(series[0], value),
            sorted(curves[value]),
            loads.get(run_of(replace(records[0], params=params | {series[0]: value}))),
        )
        for value in sorted(curves, key=lambda value: benchmark.value_rank(series[0], value))
    }
    every = [*engines.values()]
    software = engines.pop(SOFTWARE)
    tested = engines.values()
    unused = tuple(filter(None, (not_in_use(engine, software) for engine in tested)))
    if len(every) > 2:
        changes = ((size, f"cross-over at {size:.0f}") for size, _ in _fastest(every)[1:])
        return Answer(tuple(changes), tuple(standings(every)), unused)
    verticals = (
        (x, f"cross-over at {x:.0f}")
        for engine in tested
        for x in cross_overs(engine.curve, software.curve)
    )
    return Answer(
        tuple(verticals),
        tuple(verdict(engine, software) for engine in tested),
        unused,
    )


def _fastest(engines: Sequence[Engine]) -> list[tuple[float, Engine]]:
    """Return the fastest engines, each with the block size from which it leads (0 for the first).
    Empty if no block size was measured with every engine."""
    out: list[tuple[float, Engine]] = []
    before = 0.0
    for size in _shared_sizes(engines):
        best = max(engines, key=lambda engine: dict(engine.curve)[size])
        if not out:
            out.append((0.0, best))
        # A tie does not change the lead.
        elif dict(best.curve)[size] > dict(out[-1][1].curve)[size]:
            crossed = [x for x in cross_overs(best.curve, out[-1][1].curve) if before <= x <= size]
            out.append((crossed[-1] if crossed else size, best))
        before = size
    return out


def _shared_sizes(engines: Sequence[Engine]) -> list[float]:
    return sorted(set.intersection(*({x for x, _ in engine.curve} for engine in engines)))


def standings(engines: Sequence[Engine]) -> list[str]:
    """Return a sentence on which engine is fastest at which block sizes, and one on which processes
    most per second of CPU time. Each ends with the winner's ratio to the others at the largest
    size."""
    out = [_standing(engines, "is the fastest", "as fast as")]
    # A ranking by load needs the load of every engine.
    if all(engine.cpu for engine in engines):
        thrift = [
            Engine(engine.name, [(x, y / (engine.cpu or 1.0)) for x, y in engine.curve], engine.cpu)
            for engine in engines
        ]
        loads = ", ".join(
            f"{engine.name} {units.number(engine.cpu or 0.0)} %" for engine in engines
        )
        out.append(_standing(thrift, "moves most per second of CPU time", "as much as"))
        out.append(f"CPU load: {loads}.")
    return [text for text in out if text]


def _standing(engines: Sequence[Engine], leads_in: str, as_fast_as: str) -> str:
    spans = _fastest(engines)
    if not spans:
        return ""
    first, last = spans[0][1], spans[-1][1]
    if len(spans) == 1:
        begin = f"{units.capital(first.the)} {leads_in} at every block size"
    else:
        later = ", ".join(f"{engine.the} above about {_bytes(at)}" for at, engine in spans[1:])
        begin = f"{units.capital(first.the)} {leads_in} up to about {_bytes(spans[1][0])}, {later}"
    size = _shared_sizes(engines)[-1]
    others = [
        f"{_times(ratio)} {as_fast_as} {engine.the}"
        for engine in engines
        if engine != last and (ratio := _ratio(dict(last.curve)[size], dict(engine.curve)[size]))
    ]
    return f"{begin}; at {units.size(size)} {' and '.join(others)}." if others else f"{begin}."


def cross_overs(first: Curve, second: Curve) -> list[float]:
    """Return each x at which the first curve rises above the second or drops below it.

    Curves are interpolated linearly on log-log axes, where a fixed cost per call plus a cost per
    byte bends least, and only over the x range they share. Points with y ≤ 0 are ignored. A point
    at which the curves are equal counts if the order changes there.
    """
    mine, other = dict(first), dict(second)
    shared = sorted(x for x in mine.keys() & other.keys() if x > 0 < mine[x] and other[x] > 0)
    gaps = [(math.log(x), math.log(mine[x]) - math.log(other[x])) for x in shared]
    unequal = [gap for gap in gaps if gap[1] != 0]
    return [
        math.exp(x0 + (x1 - x0) * d0 / (d0 - d1))
        for (x0, d0), (x1, d1) in pairwise(unequal)
        if (d0 < 0) != (d1 < 0)
    ]


def at_equal_marks(lines: Sequence[Line]) -> str:
    """Return a sentence with the ratio between two lines, or two groups of lines, at equal marks
    such as nice levels; empty unless one is above the other at every mark."""
    groups: dict[str, dict[tuple[str, str], float]] = {}
    for line in lines:
        figures = groups.setdefault(line.group or line.label, {})
        figures |= {(line.step, units.whole(p.mark)): p.y for p in line.points}
    if len(groups) != 2:
        return ""
    (first_name, first), (second_name, second) = groups.items()
    ratios = [_ratio(first[mark], second[mark]) for mark in first.keys() & second.keys()]
    valid = sorted(ratio for ratio in ratios if ratio is not None)
    if len(valid) < 2 or len(valid) < len(ratios) or valid[0] <= 1 <= valid[-1]:
        return ""
    names = first_name, second_name
    above, below = names if valid[0] > 1 else names[::-1]
    least, most = sorted((valid[0], valid[-1]) if valid[0] > 1 else (1 / valid[-1], 1 / valid[0]))
    span = _times(least) if _times(least) == _times(most) else f"{least:.1f} to {_times(most)}"
    return f"{units.capital(the(above))} has {span} the throughput of {the(below)} at every level"


def at_level_zero(lines: Sequence[Line]) -> dict[str, Point]:
    """Return the point at level 0 of the last line of each group."""
    return {
        line.group or line.label: point
        for line in lines
        for point in line.points
        if units.whole(point.mark) == "0"
    }


def what_is_left(points: Mapping[str, Point], lines: Sequence[Line], level: str, unit: str) -> str:
    """Return a sentence on the rate of each engine at level 0, for two with their ratio, and on the
    share of the CPU that is left."""
    symbol, left = units.parse(unit).symbol, sorted(round(point.x) for point in points.values())
    span = " to ".join(dict.fromkeys(map(str, (left[0], left[-1]))))
    steps = {line.step for line in lines if points.get(line.group or line.label) in line.points}
    step = f" at {steps.pop()}" if len(steps) == 1 and all(steps) else ""
    rates = {name: f"{units.number(point.y, digits=3)} {symbol}" for name, point in points.items()}
    clauses = [f"{the(name)} does {rate}{step}" for name, rate in rates.items()]
    fastest_first = sorted(points, key=lambda name: -points[name].y)
    if len(points) == 2:
        first, second = fastest_first
        if ratio := _ratio(points[first].y, points[second].y):
            times = f"{_times(ratio)} the {rates[second]} of {the(second)}"
            clauses = [f"{the(first)} does {rates[first]}{step}, {times}"]
    return f"With {span} % of the CPU left for everything else ({level} 0), {units.enumeration(clauses)}."


def verdict(tested: Engine, base: Engine) -> str:
    """Return sentences on the block size from which ``tested`` is faster than ``base``, and on
    throughput and CPU load at the largest shared size."""
    mine, other = dict(tested.curve), dict(base.curve)
    shared = mine.keys() & other.keys()
    if not shared:
        return f"{tested.name} and {base.name} have no block size in common."
    last = max(shared)
    crossings = cross_overs(tested.curve, base.curve)
    # If the largest blocks tie, the other sizes decide.
    ahead = mine[last] - other[last] or sum(mine[x] - other[x] for x in shared)
    faster, slower = (tested, base) if ahead > 0 else (base, tested)
    if not crossings:
        is_faster = all(mine[x] != other[x] for x in shared)
        than = "faster than" if is_faster else "at least as fast as"
        begin = f"{units.capital(faster.the)} is {than} {slower.the} at every block size"
    elif len(crossings) == 1:
        begin = f"Above about {_bytes(crossings[0])} {faster.the} is faster"
    else:
        sizes = ", ".join(_bytes(x) for x in crossings)
        begin = f"{units.capital(tested.the)} and {base.the} change places at about {sizes}"
    ratio = _ratio(mine[last], other[last])
    if ratio is None:
        return f"{begin}."
    text = f"{begin}; at {units.size(last)} {tested.the} has {_times(ratio)} the throughput"
    cost = _ratio(tested.cpu or 0, base.cpu or 0)
    if cost is None:
        return f"{text}."
    return (
        f"{text} at {_times(cost)} the CPU load, so it processes {_times(ratio / cost)} as much data "
        "per second of CPU time."
    )


def _ratio(mine: float, other: float) -> float | None:
    """Return the ratio of two figures, or ``None`` if either is zero or less, or the ratio exceeds
    the limit."""
    # Compare logarithms: the ratio itself may overflow.
    if not (
        mine > 0 and other > 0 and abs(math.log(mine) - math.log(other)) < math.log(RATIO_LIMIT)
    ):
        return None
    return mine / other


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio < 100 else f"{ratio:.0f} times"


def _bytes(size: float) -> str:
    """Return an interpolated block size, rounded so that it does not look exact."""
    if size >= 1000:
        return f"{round(size, -2):.0f} bytes"
    return f"{round(size, -1) if size >= 100 else round(size):.0f} bytes"


def not_in_use(tested: Engine, base: Engine) -> str:
    """Return a warning if an accelerator performs just like software, or an empty string."""
    mine, other = dict(tested.curve), dict(base.curve)
    shared = mine.keys() & other.keys()
    alike = all(other[x] and abs(mine[x] / other[x] - 1) < EQUAL_SHARE for x in shared)
    if len(shared) > 1 and alike and tested.cpu is not None and tested.cpu >= BUSY_LOAD_PERCENT:
        return (
            f"{units.capital(tested.the)} has the throughput of {base.the} at every block size, and "
            f"{tested.cpu:.0f} % CPU load: it was most likely not in use."
        )
    return ""

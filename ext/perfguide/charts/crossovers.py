"""What a chart's description asks to have worked out, from the figures of one panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..bundles.guide_key import GuideKey
from ..catalog.benchmarks import Benchmark
from ..catalog.chart_spec import Chart, Scalar, names
from ..figures.pool import Record
from .answers import Engine, cross_overs, not_in_use, verdict

SOFTWARE = "sw"
"""The engine that the others are measured against."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Positions on the x axis with their words; sentences; sentences that warn."""

    verticals: tuple[tuple[float, str], ...] = ()
    says: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


Run = tuple[GuideKey, str, frozenset[tuple[str, Scalar]]]
"""The guide, the board and the parameters of a figure."""


def loads(records: Sequence[Record]) -> dict[Run, float | None]:
    """The CPU load of each run, in %."""
    found: dict[Run, float | None] = {}
    for record in records:
        if record.metric == "cpu_load":
            found.setdefault(_run(record, record.params), record.cell.mean)
    return found


def _run(like: Record, params: Mapping[str, Scalar]) -> Run:
    return like.guide, like.board, frozenset(params.items())


def answers(
    benchmark: Benchmark, spec: Chart, found: Sequence[Record], load: Mapping[Run, float | None]
) -> Answer:
    """Cross-overs to mark, and what is said of each engine against software; ``load`` is
    what :func:`loads` gives."""
    series = names(spec.series)
    if spec.answer != "cross-over" or len(series) != 1:
        return Answer()
    curves: dict[Scalar, list[tuple[float, float]]] = {}
    for record in found:
        if record.cell.mean is not None:
            x = float(record.params[spec.x])
            curves.setdefault(record.params[series[0]], []).append((x, record.cell.mean))
    if SOFTWARE not in curves or len(curves) < 2:
        return Answer()
    whole = {name: value for name, value in found[0].params.items() if name != spec.x}
    engines = {
        value: Engine(
            benchmark.value_label(series[0], value),
            tuple(sorted(points)),
            load.get(_run(found[0], whole | {series[0]: value})),
        )
        for value, points in curves.items()
    }
    base = engines.pop(SOFTWARE)
    ordered = sorted(engines, key=lambda value: benchmark.value_rank(series[0], value))
    tested = [engines[value] for value in ordered]
    return Answer(
        tuple(
            (x, f"cross-over at {x:.0f}")
            for engine in tested
            for x in cross_overs(engine.curve, base.curve)
        ),
        tuple(verdict(engine, base) for engine in tested),
        tuple(text for engine in tested if (text := not_in_use(engine, base))),
    )

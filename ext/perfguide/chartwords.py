"""What a chart's description asks to have worked out, from the figures of one panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .answers import Engine, cross_overs, not_in_use, verdict
from .catalog import Benchmark
from .chartspec import Chart, Scalar, names
from .pool import Record

SOFTWARE = "sw"
"""The engine that the others are measured against."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Positions on the x axis with their words; sentences; sentences that warn."""

    verticals: tuple[tuple[float, str], ...] = ()
    says: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def answers(
    benchmark: Benchmark, spec: Chart, found: Sequence[Record], records: Sequence[Record]
) -> Answer:
    """Cross-overs to mark, and what is said of each engine against software."""
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
    engines = {
        value: Engine(
            benchmark.value_label(series[0], value),
            tuple(sorted(points)),
            _load(spec.x, {series[0]: value}, found[0], records),
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


def _load(
    x: str, engine: dict[str, Scalar], like: Record, records: Sequence[Record]
) -> float | None:
    """The CPU load of an engine's whole run, in %."""
    wanted = {name: value for name, value in like.params.items() if name != x} | engine
    for record in records:
        same = record.guide == like.guide and record.board == like.board
        if record.metric == "cpu_load" and same and record.params == wanted:
            return record.cell.mean
    return None

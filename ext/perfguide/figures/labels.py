"""What pages call a figure where it stands among figures of other kinds."""

from __future__ import annotations

from collections.abc import Mapping

from ..catalog.benchmarks import Benchmark
from ..catalog.chart_spec import Scalar
from ..common import units
from .pool import Record


def label(benchmark: Benchmark, record: Record) -> str:
    """Benchmark and metric; the one name where both have the same."""
    own = benchmark.metric_label(record.metric)
    title = benchmark.entry.title
    return title if own.casefold() == title.casefold() else f"{title}, {own}"


def params(benchmark: Benchmark, record: Record) -> str:
    """The parameters that are not the usual ones; a word stands alone, a number has
    its name."""

    def words(name: str, value: Scalar) -> str:
        shown = benchmark.value_label(name, value)
        is_word = isinstance(value, str)
        return shown if is_word else f"{benchmark.param_label(name).lower()} {shown}"

    return ", ".join(
        words(name, value)
        for name, value in sorted(record.params.items())
        if value != benchmark.param(name).default
    )


def full(benchmark: Benchmark, record: Record) -> str:
    """A figure's label with its parameters."""
    return ", ".join(filter(None, [label(benchmark, record), params(benchmark, record)]))


def unit(benchmark: Benchmark, record: Record) -> str:
    """A figure's unit, and which way is better."""
    return units.unit_cell(record.unit, benchmark.better(record.metric))


def params_text(params: Mapping[str, Scalar]) -> str:
    """Parameters for people: ``frame_size 64, role sender``."""
    return ", ".join(f"{name} {units.plain(value)}" for name, value in sorted(params.items()))

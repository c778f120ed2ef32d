"""What pages call a figure where it stands among figures of other kinds."""

from __future__ import annotations

import re
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
    """The parameters that are not the usual ones."""
    return ", ".join(
        param(benchmark, name, value)
        for name, value in sorted(record.params.items())
        if value != benchmark.param(name).default
    )


def param(benchmark: Benchmark, name: str, value: Scalar) -> str:
    """A parameter in a sentence: ``frame size 64 bytes``. A word stands alone, without its name."""
    shown = benchmark.value_label(name, value)
    if isinstance(value, str):
        return shown
    found = _WITH_UNIT.fullmatch(benchmark.param_label(name))
    return (
        f"{within(found[1])} {shown} {found[2]}"
        if found
        else f"{within(benchmark.param_label(name))} {shown}"
    )


_WITH_UNIT = re.compile(r"(.+) \(([^()]+)\)")


def within(name: str) -> str:
    """A label as it is written within a sentence: ``Packet rate`` as ``packet rate``, but ``CPU load``
    as it is."""
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def full(benchmark: Benchmark, record: Record) -> str:
    """A figure's label with its parameters. A metric that the title ends with is not repeated:
    ``UDP throughput, ingress``."""
    title, own = benchmark.entry.title, benchmark.metric_label(record.metric)
    name = title if title.casefold().endswith(f" {own.casefold()}") else label(benchmark, record)
    return ", ".join(filter(None, [name, params(benchmark, record)]))


def unit(benchmark: Benchmark, record: Record) -> str:
    """A figure's unit, and which way is better."""
    return units.unit_cell(record.unit, benchmark.better(record.metric))


def params_text(params: Mapping[str, Scalar]) -> str:
    """Parameters for people: ``frame_size 64, role sender``."""
    return ", ".join(f"{name} {units.plain(value)}" for name, value in sorted(params.items()))

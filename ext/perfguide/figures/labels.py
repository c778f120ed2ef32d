"""Labels of figures on pages where figures of other kinds are shown too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ..catalog.benchmarks import Benchmark
from ..catalog.chart_spec import Scalar
from ..common import units
from .pool import Record

TABLE, TABLE_NUMBER = "table", "table_no"
"""Parameters of figures from a guide that was published with several tables for one thing: the title of
each table but the main one, and its number in the document, which changes with each table before it."""


def label(benchmark: Benchmark, record: Record) -> str:
    """Return the title of the benchmark and the label of the metric, once if they are equal."""
    own = benchmark.metric_label(record.metric)
    title = benchmark.entry.title
    # “Dhrystone, Dhrystone” would say nothing more.
    return title if own.casefold() == title.casefold() else f"{title}, {own}"


def params(benchmark: Benchmark, record: Record) -> str:
    """Return the parameters that differ from their defaults, as text."""
    return ", ".join(
        param(benchmark, name, value)
        for name, value in sorted(record.params.items())
        if value != benchmark.param(name).default
    )


def headline(benchmark: Benchmark, record: Record, without: str = "") -> str:
    """Return the short name of a figure that has one, with the parameters that it does not fix but for one."""
    metric = benchmark.metric(record.metric)
    short = metric.short if metric else ""
    more = headline_params(benchmark, record, without)
    return ", ".join(dict.fromkeys(filter(None, (short, more))))


def headline_params(benchmark: Benchmark, record: Record, without: str = "") -> str:
    """Return as text the parameters that the short name of a figure does not fix, without one."""
    metric = benchmark.metric(record.metric)
    at = metric.at if metric else {}
    fixed = {without, *(name for name, value in at.items() if not isinstance(value, tuple))}
    free = {name: value for name, value in record.params.items() if name not in fixed}
    return params(benchmark, replace(record, params=free))


def param(benchmark: Benchmark, name: str, value: Scalar) -> str:
    """Return a parameter for a sentence: ``frame size 64 bytes``, ``table 22``. A word is given without
    the parameter's name."""
    text = benchmark.value_label(name, value)
    if name == TABLE_NUMBER:
        return f"table {text}"
    # “Loss possible” says what it is about; “on” and “off” do not.
    if isinstance(value, str) or (isinstance(value, bool) and " " in text):
        return text
    # “Frame size (bytes)” names the unit for a heading; here it follows the number.
    label = benchmark.param_label(name)
    if match := _WITH_UNIT.fullmatch(label):
        return f"{within(match[1])} {text} {match[2]}"
    return f"{within(label)} {text}"


_WITH_UNIT = re.compile(r"(.+) \(([^()]+)\)")


def within(name: str) -> str:
    """Return a label as written within a sentence: ``packet rate`` for ``Packet rate``, but ``CPU
    load`` as it is."""
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def full(benchmark: Benchmark, record: Record) -> str:
    """Return a figure's label with its parameters. A metric with which the title ends is not
    repeated: ``UDP throughput, ingress``."""
    title, own = benchmark.entry.title, benchmark.metric_label(record.metric)
    name = title if title.casefold().endswith(f" {own.casefold()}") else label(benchmark, record)
    return ", ".join(filter(None, [name, params(benchmark, record)]))


def in_benchmark(benchmark: Benchmark, record: Record) -> str:
    """Return a figure's label with its parameters, for a list of the figures of one benchmark."""
    return units.capital(full(benchmark, record).removeprefix(f"{benchmark.entry.title}, "))


def unit(benchmark: Benchmark, record: Record) -> str:
    """Return a figure's unit, and the arrow for the better direction."""
    return units.unit_cell(record.unit, benchmark.better(record.metric))


def params_text(params: Mapping[str, Scalar]) -> str:
    """Return parameters as text: ``frame_size 64, role sender``."""
    return ", ".join(f"{name} {units.plain(value)}" for name, value in sorted(params.items()))

"""Labels of figures on pages that mix several kinds of figures."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..catalog.benchmarks import Benchmark
from ..catalog.chart_spec import Scalar
from ..common import units
from .pool import Record
from .rows import TABLE_NUMBER


def label(benchmark: Benchmark, record: Record) -> str:
    """Return the benchmark's title and the metric's label, or just the title if they are equal."""
    metric = benchmark.metric_label(record.metric)
    title = benchmark.entry.title
    # “Dhrystone, Dhrystone” would add nothing.
    return title if metric.casefold() == title.casefold() else f"{title}, {metric}"


def params(benchmark: Benchmark, record: Record) -> str:
    """Return the parameters that differ from their defaults, as text."""
    return ", ".join(
        param(benchmark, name, value)
        for name, value in sorted(record.params.items())
        if value != benchmark.param(name).default
    )


def headline(benchmark: Benchmark, record: Record) -> str:
    """Return a figure's short name, if any, and the parameters that it leaves open."""
    metric = benchmark.metric(record.metric)
    short = metric.short if metric else ""
    more = headline_params(benchmark, record)
    return ", ".join(dict.fromkeys(filter(None, (short, more))))


def headline_params(benchmark: Benchmark, record: Record) -> str:
    """Return as text the parameters that a figure's short name leaves open. Whether something was
    on or off is said even of the default, if figures with either may be called so."""
    metric = benchmark.metric(record.metric)
    at = metric.at if metric else {}
    fixed = {name for name, value in at.items() if not isinstance(value, tuple)}
    return ", ".join(
        param(benchmark, name, value)
        for name, value in sorted(record.params.items())
        if name not in fixed
        and (value != benchmark.param(name).default or (name in at and isinstance(value, bool)))
    )


def param(benchmark: Benchmark, name: str, value: Scalar) -> str:
    """Return a parameter as part of a sentence: ``frame size 64 bytes``, ``table 22``. Values that
    are words need no parameter name."""
    text = benchmark.value_label(name, value)
    if name == TABLE_NUMBER:
        return f"table {text}"
    # “Loss possible” is clear without the name; “on”, “off” and numbers are not.
    is_word = isinstance(value, str) and not _NUMBER.fullmatch(text)
    if is_word or (isinstance(value, bool) and " " in text):
        return text
    # The heading “Frame size (bytes)” includes the unit; in a sentence it follows the number.
    label = benchmark.param_label(name)
    if match := _WITH_UNIT.fullmatch(label):
        unit = match[2].removesuffix("s") if text == "1" else match[2]
        return f"{within(match[1])} {text} {unit}"
    return f"{within(label)} {text}"


_NUMBER = re.compile(r"\d+(\.\d+)?")
_WITH_UNIT = re.compile(r"(.+) \(([^()]+)\)")


def within(name: str) -> str:
    """Return a label as written mid-sentence: ``packet rate`` for ``Packet rate``, but ``CPU load``
    and ``CoreMark-Pro`` unchanged."""
    first_word = name.partition(" ")[0]
    return name if first_word[1:] != first_word[1:].lower() else name[:1].lower() + name[1:]


def full(benchmark: Benchmark, record: Record) -> str:
    """Return a figure's label with its parameters. A metric that already ends the title is not
    repeated: ``UDP throughput, ingress``."""
    title, metric = benchmark.entry.title, benchmark.metric_label(record.metric)
    name = title if title.casefold().endswith(f" {metric.casefold()}") else label(benchmark, record)
    return ", ".join(filter(None, [name, params(benchmark, record)]))


def in_benchmark(benchmark: Benchmark, record: Record) -> str:
    """Return a figure's label with its parameters, for lists within one benchmark."""
    return units.capital(full(benchmark, record).removeprefix(f"{benchmark.entry.title}, "))


def unit(benchmark: Benchmark, record: Record) -> str:
    """Return a figure's unit with an arrow towards better values."""
    return units.unit_cell(record.unit, benchmark.better(record.metric))


def params_text(params: Mapping[str, Scalar]) -> str:
    """Return parameters as text: ``frame_size 64, role sender``."""
    return ", ".join(f"{name} {units.plain(value)}" for name, value in sorted(params.items()))

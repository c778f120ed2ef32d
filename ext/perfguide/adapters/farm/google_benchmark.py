"""Google Benchmark's JSON (``--benchmark_format=json``, ``--benchmark_out``).

Layout: ``src/json_reporter.cc`` of google/benchmark: ``context`` and
``benchmarks``, one object for each repetition and each aggregate.

The names: the benchmark is the file name of ``context.executable``, or
``google-benchmark`` where it is not stated; the metric is ``run_name``. One run gives
several figures, distinguished by the parameter ``measure``: ``real_time`` and
``cpu_time`` in the run's ``time_unit``, ``bytes_per_second`` in B/s,
``items_per_second`` in items/s, ``max_bytes_used`` and the like in B, and the
program's own counters, which have no unit.

Repetitions are samples. Where a file holds aggregates only, the ``mean`` is the
value; other aggregates, complexity and RMS are no measurements and are left out.
"""

from __future__ import annotations

import re
from dataclasses import replace

from .. import Context, Format, Reading, Scalar
from ..json_nodes import Node, Source, documents
from ..log_lines import holds
from .collector import Collector, Row, Run
from .text import moment, not_finite, number, stated

EXAMPLE = """\
{
  "context": {
    "date": "2024-04-02T09:30:00+00:00",
    "host_name": "am62xx-evm",
    "executable": "./copy_bench",
    "num_cpus": 4,
    "mhz_per_cpu": 1400,
    "library_build_type": "release"
  },
  "benchmarks": [
    {
      "name": "copy/1024",
      "run_name": "copy/1024",
      "run_type": "iteration",
      "repetitions": 1,
      "repetition_index": 0,
      "threads": 1,
      "iterations": 2528312,
      "real_time": 3.1670371378207353e+01,
      "cpu_time": 1.1092774546812262e+01,
      "time_unit": "ns",
      "bytes_per_second": 9.2312342207862457e+10
    }
  ]
}
"""

_AGGREGATES = frozenset({"mean", "median", "stddev", "cv"})
_COMPUTED = frozenset({"big_o", "rms", "cpu_coefficient"})
_TIMES = ("real_time", "cpu_time")
_UNITS = {
    "bytes_per_second": "B/s",
    "items_per_second": "items/s",
    "max_bytes_used": "B",
    "total_allocated_bytes": "B",
    "net_heap_growth": "B",
}
_SETTINGS = frozenset(
    {
        "name",
        "run_name",
        "run_type",
        "family_index",
        "per_family_instance_index",
        "repetitions",
        "repetition_index",
        "threads",
        "iterations",
        "time_unit",
        "label",
        "aggregate_name",
        "aggregate_unit",
        "big_o",
        "rms",
        "cpu_coefficient",
        "real_coefficient",
        "error_occurred",
        "error_message",
        "skipped",
        "skip_message",
    }
)


def read(data: bytes, context: Context) -> Reading:
    """Return the figures of every report in the text."""
    parsed = documents(data)
    collector = Collector(context)
    for line, message in parsed.faults:
        collector.broken(line, message)
    for root in parsed.roots:
        setup = root.child("context")
        if "benchmarks" in root.members and {"num_cpus", "library_build_type"} & set(setup.members):
            first, last = parsed.source.line(root.at), parsed.source.line(root.end - 1)
            collector.understood(first, last)
            _report(root, setup, parsed.source, collector)
    return collector.reading()


def _report(root: Node, setup: Node, parsed: Source, collector: Collector) -> None:
    run = collector.run(_run(setup))
    if setup.string("library_build_type") == "debug":
        message = "the library was built for debugging: its timings may be slower"
        collector.note(parsed.line(setup.members["library_build_type"].at), message)
    program = re.split(r"[/\\]", setup.string("executable"))[-1] or "google-benchmark"
    runs = root.list("benchmarks")
    names = frozenset(each.string("name") for each in runs if not each.string("run_type"))
    kinds = {each.at: _kind(each, names) for each in runs}
    repeated = {_name(each) for each in runs if kinds[each.at] == "iteration"}
    left_out = 0
    for each in runs:
        line = parsed.line(each.at)
        kind, name = kinds[each.at], _name(each)
        if kind == "iteration":
            _take(each, program, parsed, run, collector, mean=False)
        elif kind == "aggregate":
            if each.string("aggregate_name") == "mean" and name not in repeated:
                _take(each, program, parsed, run, collector, mean=True)
            else:
                left_out += 1
        else:
            message = "an aggregate without its repetitions, which does not say how many they are"
            collector.broken(line, message, "Google Benchmark says so since 1.5")
    if left_out:
        collector.note(None, f"{left_out} aggregates that are no measurements were left out")


def _name(each: Node) -> str:
    """Return the name of the benchmark. Before 1.5 a run has no ``run_name``, and its ``name`` is that."""
    return each.string("run_name") or each.string("name")


def _kind(each: Node, names: frozenset[str]) -> str:
    """Return ``iteration`` or ``aggregate``; nothing where the report names neither.

    Before 1.5 aggregates are recognised by their names, ``NAME_mean`` and so on, behind the
    repetitions of ``NAME``, or, where these were not reported, behind one another.
    ``names`` are those of all runs that say nothing.
    """
    if (kind := each.string("run_type")) or "run_name" in each.members:
        return kind
    if not _COMPUTED.isdisjoint(each.members):
        return "aggregate"
    base, line, word = each.string("name").rpartition("_")
    if not line or word not in _AGGREGATES:
        return "iteration"
    if base in names:
        return "aggregate"
    return "" if {f"{base}_mean", f"{base}_stddev"} <= names else "iteration"


def _take(
    each: Node, program: str, parsed: Source, run: Run, collector: Collector, *, mean: bool
) -> None:
    name = _name(each)
    line = parsed.line(each.at)
    for word, reason in (("error_occurred", "error_message"), ("skipped", "skip_message")):
        flag = each.get(word)
        if flag is None or flag.text != "true":
            continue
        said = each.string(reason) or "without a reason"
        if word == "skipped":
            collector.note(line, f"{program} {name} was skipped: {said}")
            return
        unit = each.string("time_unit")
        for measure in _TIMES:
            params: dict[str, Scalar] = {"measure": measure}
            collector.row(Row(program, name, line, unit, failed=said, params=params), run)
        return
    for key, value in each.members.items():
        if key in _SETTINGS or (value.kind != "number" and key not in _TIMES):
            continue
        unit = each.string("time_unit") if key in _TIMES else _UNITS.get(key, "1")
        row = Row(program, name, parsed.line(value.at), unit, params={"measure": key})
        if key in _TIMES and not unit:
            collector.broken(row.line, f"{name}: {key} without a time_unit")
        elif not mean or not_finite(value.text):
            collector.case(row, run, "done", value.text)
        else:
            _mean(row, value, each, run, collector)


def _mean(row: Row, value: Node, each: Node, run: Run, collector: Collector) -> None:
    repetitions = each.get("repetitions")
    count = number(repetitions.text) if repetitions is not None else None
    figure = number(value.text)
    if figure is None or count is None or not 1 <= count <= 2**53 or count != int(count):
        collector.broken(row.line, f"{row.metric}: a mean without the number of repetitions")
        return
    collector.row(replace(row, value=figure, count=int(count)), run)


def _run(setup: Node) -> Run:
    facts: dict[str, Scalar] = {
        "created": moment(setup.string("date")),
        "tools.google-benchmark": setup.string("library_version"),
    }
    mhz = setup.get("mhz_per_cpu")
    clock = number(mhz.text) if mhz is not None and mhz.kind == "number" else None
    if clock is not None and clock > 0:
        facts["board.cpu_mhz"] = clock
    facts |= stated((k, v.text) for k, v in setup.members.items() if v.kind == "string")
    return Run(facts={k: v for k, v in facts.items() if v})


FORMAT = Format(
    name="google-benchmark",
    title="Google Benchmark since 1.1, JSON (--benchmark_format=json)",
    example=EXAMPLE,
    recognises=holds(
        rb'"context"\s*:\s*\{', rb'"benchmarks"\s*:\s*\[', rb'"library_build_type"|"num_cpus"'
    ),
    read=read,
)

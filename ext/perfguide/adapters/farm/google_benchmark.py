"""Google Benchmark's JSON (``--benchmark_format=json``, ``--benchmark_out``).

The benchmark is the file name of ``context.executable``, or else ``google-benchmark``; the metric
is ``run_name``. One run has several figures, distinguished by the parameter ``measure``:
``real_time`` and ``cpu_time`` in the run's ``time_unit``, ``bytes_per_second`` in B/s,
``items_per_second`` in items/s, ``max_bytes_used`` and the like in B, and the program's own
counters, which have no unit.

Repetitions are samples. If a file has only aggregates, the ``mean`` is the value. Other aggregates,
complexity and RMS are not measurements and are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .. import Context, Format, Reading, Scalar
from ..json_nodes import Node, Source
from ..log_lines import holds
from .collector import Collector, Row, Run, read_documents
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

# Layout: ``src/json_reporter.cc`` of google/benchmark: ``context``, and in ``benchmarks`` one object per
# repetition and aggregate.
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
_SETTINGS = {
    *("name", "run_name", "run_type", "family_index", "per_family_instance_index", "repetitions"),
    *("repetition_index", "threads", "iterations", "time_unit", "label", "skipped", "skip_message"),
    *("aggregate_name", "aggregate_unit", "big_o", "rms", "cpu_coefficient", "real_coefficient"),
    *("error_occurred", "error_message"),
}
"""The keys of a run that are not its figures."""


def read(data: bytes, context: Context) -> Reading:
    """Return the figures of every report in the text."""
    parsed, collector = read_documents(data, context)
    for root in parsed.roots:
        setup = root.child("context")
        if "benchmarks" in root.members and {"num_cpus", "library_build_type"} & set(setup.members):
            collector.understood(*parsed.source.lines(root))
            _read_report(root, setup, parsed.source, collector)
    return collector.reading()


def _read_report(root: Node, setup: Node, source: Source, collector: Collector) -> None:
    if setup.string("library_build_type") == "debug":
        message = "the library was built for debugging: its timings may be slower"
        collector.note(source.line(setup.members["library_build_type"].at), message)
    program = re.split(r"[/\\]", setup.string("executable"))[-1] or "google-benchmark"
    report = _Report(program, source, collector.run(_run(setup)), collector)
    entries = root.list("benchmarks")
    untyped = frozenset(entry.string("name") for entry in entries if not entry.string("run_type"))
    kinds = [_kind(entry, untyped) for entry in entries]
    repeated = {
        _name(entry) for entry, kind in zip(entries, kinds, strict=True) if kind == "iteration"
    }
    left_out = 0
    for entry, kind in zip(entries, kinds, strict=True):
        is_mean = entry.string("aggregate_name") == "mean" and _name(entry) not in repeated
        if kind == "iteration" or (kind == "aggregate" and is_mean):
            report.add(entry, is_mean=kind == "aggregate")
        elif kind == "aggregate":
            left_out += 1
        else:
            message = "an aggregate without its repetitions, which does not say how many they are"
            line = source.line(entry.at)
            collector.broken(line, message, "Google Benchmark says so since 1.5")
    if left_out:
        collector.note(None, f"{left_out} aggregates that are not measurements were left out")


def _name(entry: Node) -> str:
    """Return the name of the benchmark. Before 1.5, runs have no ``run_name``, only a ``name``."""
    return entry.string("run_name") or entry.string("name")


def _kind(entry: Node, untyped: frozenset[str]) -> str:
    """Return ``iteration`` or ``aggregate``, or an empty text if the report does not say which.

    Before 1.5, aggregates are recognised by their names, such as ``NAME_mean``, next to ``NAME`` or
    to one another. ``untyped`` are the names of all entries without a ``run_type``."""
    if (kind := entry.string("run_type")) or "run_name" in entry.members:
        return kind
    if not _COMPUTED.isdisjoint(entry.members):
        return "aggregate"
    base, line, word = entry.string("name").rpartition("_")
    if not line or word not in _AGGREGATES:
        return "iteration"
    if base in untyped:
        return "aggregate"
    return "" if {f"{base}_mean", f"{base}_stddev"} <= untyped else "iteration"


@dataclass(frozen=True, slots=True)
class _Report:
    """A report whose entries go to a collector."""

    program: str
    source: Source
    run: Run
    collector: Collector

    def add(self, entry: Node, *, is_mean: bool) -> None:
        """Add the figures of one run, or of the mean of several; or report why there are none."""
        name, line = _name(entry), self.source.line(entry.at)
        if _is_true(entry, "error_occurred"):
            reason = entry.string("error_message") or "without a reason"
            unit = entry.string("time_unit")
            for measure in _TIMES:
                params = {"measure": measure}
                row = Row(self.program, name, line, unit, failed=reason, params=params)
                self.collector.row(row, self.run)
        elif _is_true(entry, "skipped"):
            reason = entry.string("skip_message") or "without a reason"
            self.collector.note(line, f"{self.program} {name} was skipped: {reason}")
        else:
            for measure, value in entry.members.items():
                if measure in _TIMES or (measure not in _SETTINGS and value.kind == "number"):
                    self._add_figure(entry, measure, value, is_mean=is_mean)

    def _add_figure(self, entry: Node, measure: str, value: Node, *, is_mean: bool) -> None:
        unit = entry.string("time_unit") if measure in _TIMES else _UNITS.get(measure, "1")
        line, params = self.source.line(value.at), {"measure": measure}
        row = Row(self.program, _name(entry), line, unit, params=params)
        if not unit:
            self.collector.broken(line, f"{row.metric}: {measure} without a time_unit")
        elif not is_mean or not_finite(value.text):
            self.collector.case(row, self.run, "done", value.text)
        else:
            repetitions = entry.get("repetitions")
            count = number(repetitions.text) if repetitions is not None else None
            figure = number(value.text)
            if figure is None or count is None or not 1 <= count <= 2**53 or count != int(count):
                message = f"{row.metric}: a mean without the number of repetitions"
                self.collector.broken(line, message)
            else:
                self.collector.row(replace(row, value=figure, count=int(count)), self.run)


def _is_true(entry: Node, key: str) -> bool:
    value = entry.get(key)
    return value is not None and value.text == "true"


def _run(setup: Node) -> Run:
    facts: dict[str, Scalar] = {
        "created": moment(setup.string("date")),
        "tools.google-benchmark": setup.string("library_version"),
    }
    mhz = setup.get("mhz_per_cpu")
    clock = number(mhz.text) if mhz is not None and mhz.kind == "number" else None
    if clock is not None and clock > 0:
        facts["board.cpu_mhz"] = clock
    return Run(facts | stated(setup))


FORMAT = Format(
    name="google-benchmark",
    title="Google Benchmark since 1.1, JSON (--benchmark_format=json)",
    example=EXAMPLE,
    recognises=holds(
        rb'"context"\s*:\s*\{', rb'"benchmarks"\s*:\s*\[', rb'"library_build_type"|"num_cpus"'
    ),
    read=read,
)

"""pytest-benchmark's JSON (``--benchmark-json``, ``--benchmark-save``).

The test file (``fullname`` before ``::``) is the benchmark, the test's ``name`` with its parameters
the metric. The seconds of each round in ``stats.data`` are the samples, with ``mean`` as the
program's own value. In files saved without data, the value is ``mean`` with ``min``, ``max`` and
``rounds``. Tests that failed are not in the file."""

from __future__ import annotations

from dataclasses import replace

from .. import Context, Format, Reading, Scalar
from ..json_nodes import Node
from ..log_lines import holds
from .collector import Row, Run, read_documents
from .text import moment, not_finite, number, stated

EXAMPLE = """\
{
    "machine_info": {"node": "am62xx-evm", "machine": "aarch64", "system": "Linux",
                     "release": "6.1.80", "python_version": "3.11.7"},
    "benchmarks": [
        {
            "group": null,
            "name": "test_sum",
            "fullname": "tests/test_sum.py::test_sum",
            "stats": {"min": 1.2e-05, "max": 1.4e-05, "mean": 1.3e-05, "rounds": 2,
                      "data": [1.2e-05, 1.4e-05]}
        }
    ],
    "datetime": "2024-04-02T09:30:00.123456+00:00",
    "version": "5.3.1"
}
"""


def read(data: bytes, context: Context) -> Reading:
    """Return the timings of every benchmark of every report."""
    parsed, collector = read_documents(data, context)
    line = parsed.source.line
    for root in parsed.roots:
        if "machine_info" not in root.members or "benchmarks" not in root.members:
            continue
        collector.understood(*parsed.source.lines(root))
        run = collector.run(_run(root))
        for benchmark in root.list("benchmarks"):
            suite, separator, _ = benchmark.string("fullname").partition("::")
            stats = benchmark.child("stats")
            round_nodes = stats.list("data")
            first_node = round_nodes[0] if round_nodes else stats.get("mean") or benchmark
            metric = benchmark.string("name")
            row = Row(suite if separator else "", metric, line(first_node.at), unit="s")
            row, fault = _with_figures(row, stats)
            if fault:
                collector.broken(row.line, f"{row.metric or 'a benchmark'}: {fault}")
            else:
                collector.row(row, run)
    return collector.reading()


def _with_figures(row: Row, stats: Node) -> tuple[Row, str]:
    """Return the row with its figures, and a fault or an empty string."""
    written = {name: stats.get(name) for name in ("mean", "min", "max", "rounds")}
    texts = {k: v.text for k, v in written.items() if v is not None and v.kind == "number"}
    data = stats.list("data")
    if any(not_finite(text) for text in (*texts.values(), *(d.text for d in data))):
        return replace(row, failed="a timing is not finite"), ""
    timings = [number(d.text) if d.kind == "number" else None for d in data]
    samples = tuple(timing for timing in timings if timing is not None)
    mean = number(texts.get("mean", ""))
    low = number(texts.get("min", ""))
    high = number(texts.get("max", ""))
    rounds = number(texts.get("rounds", ""))
    if mean is None:
        return row, "“mean” is not a decimal number"
    if len(samples) < len(timings):
        return row, "a round in “data” is not a decimal number"
    if rounds is None or rounds != int(rounds) or not 1 <= rounds <= 2**53:
        return row, "“rounds” is not a positive whole number"
    if samples:
        is_complete = len(samples) == rounds
        fault = f"{len(samples)} timings of {int(rounds)} rounds: cut or broken"
        return replace(row, samples=samples, value=mean), "" if is_complete else fault
    if low is None or high is None:
        return row, "no minimum or no maximum"
    return replace(row, value=mean, low=low, high=high, count=int(rounds)), ""


def _run(root: Node) -> Run:
    machine = root.child("machine_info")
    facts: dict[str, Scalar] = {
        "created": moment(root.string("datetime")),
        "tools.pytest-benchmark": root.string("version"),
        "tools.python": machine.string("python_version"),
    }
    if machine.string("system") == "Linux":
        facts["sdk.kernel"] = machine.string("release")
    return Run(facts | stated(machine))


FORMAT = Format(
    name="pytest-benchmark",
    title="pytest-benchmark, JSON (--benchmark-json, --benchmark-save)",
    example=EXAMPLE,
    recognises=holds(rb'"machine_info"\s*:\s*\{', rb'"benchmarks"\s*:\s*\['),
    read=read,
)

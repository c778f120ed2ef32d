"""Results of asv (airspeed velocity), as it keeps them for each commit.

Layout: ``Results.save`` in asv/results.py, version 2: ``result_columns`` name the members of
each benchmark's list. A benchmark with parameters has a list of results, in the order of the
product of its parameters' values; their names are in another file, so
here they are ``param1``, ``param2`` and so on.

The names: the benchmark is ``asv``, the metric the name of asv's benchmark. The unit
follows from the name of its function: ``time_…`` in s, ``mem_…`` and ``peakmem_…`` in B; ``track_…`` has
no unit here. Where asv kept the samples, they are the samples. Results of ``null`` failed.

Facts: the commit, the Python, and the date of the commit as ``created``, because asv keeps no
other time.
"""

from __future__ import annotations

import datetime
import itertools
import re

from .. import Context, Format, Reading, Scalar
from ..json_nodes import Node
from ..log_lines import holds
from .collector import Collector, Row, Run, read_documents
from .text import not_finite, number

EXAMPLE = """\
{"commit_hash": "3f2a", "env_name": "virtualenv-py3.11", "date": 1712050200000,
 "params": {"machine": "am62xx-evm", "python": "3.11"}, "python": "3.11",
 "result_columns": ["result", "params", "version"],
 "results": {"copy.time_block": [[0.00125, 0.0025], [["1024", "65536"]], "ab12"]},
 "version": 2}
"""
_UNITS = {"time": "s", "timeraw": "s", "mem": "B", "peakmem": "B"}


def read(data: bytes, context: Context) -> Reading:
    """Return the results of every benchmark of every document."""
    parsed, collector = read_documents(data, context)
    for root in parsed.roots:
        if "result_columns" not in root.members or "commit_hash" not in root.members:
            continue
        line = parsed.source.line
        collector.understood(line(root.at), line(root.end - 1))
        run = collector.run(_run(root))
        columns = [column.text for column in root.list("result_columns")]
        for name, holder in root.child("results").members.items():
            values = dict(zip(columns, holder.items, strict=False))
            _benchmark(name, values, line(holder.at), collector, run)
    return collector.reading()


def _benchmark(
    name: str, values: dict[str, Node], line: int, collector: Collector, run: Run
) -> None:
    kind = re.match(r"([a-z]+)_", name.rpartition(".")[2])
    unit = _UNITS.get(kind[1], "") if kind else ""
    results, params = values.get("result"), values.get("params")
    samples = values.get("samples")
    if results is None or results.kind != "array":
        collector.diagnose("log-failed", line, f"asv {name}: it failed as a whole")
        return
    axes = [[value.text for value in axis.items] for axis in params.items] if params else []
    count = 1
    for axis in axes:
        count *= len(axis)
    if count != len(results.items):
        collector.broken(line, f"{name} has {len(results.items)} results for {count} parameters")
        return
    for at, (result, chosen) in enumerate(
        zip(results.items, itertools.product(*axes), strict=True)
    ):
        said: dict[str, Scalar] = {
            f"param{n}": _plain(text) for n, text in enumerate(chosen, start=1)
        }
        kept = samples.items[at].items if samples and at < len(samples.items) else ()
        figures = [number(each.text) if each.kind == "number" else None for each in kept]
        value = number(result.text) if result.kind == "number" else None
        if (result.kind, result.text) == ("word", "null") or not_finite(result.text):
            reason = "asv has no result: it failed or was skipped"
            collector.row(Row("asv", name, line, unit, failed=reason, params=said), run)
        elif value is None or None in figures:
            collector.broken(line, f"{name}: a result that is not a decimal number")
        elif figures:
            own = tuple(figure for figure in figures if figure is not None)
            collector.row(Row("asv", name, line, unit, own, params=said), run)
        else:
            collector.row(Row("asv", name, line, unit, value=value, params=said), run)


def _plain(text: str) -> str:
    """Return the text of a parameter value, which asv stores as its ``repr``."""
    quoted = re.fullmatch(r"'([^'\\]*)'|\"([^\"\\]*)\"", text)
    return text if quoted is None else quoted[1] or quoted[2] or ""


def _run(root: Node) -> Run:
    facts: dict[str, Scalar] = {
        "tools.python": root.string("python"),
        "tools.commit": root.string("commit_hash"),
    }
    date = root.get("date")
    if date is not None and re.fullmatch(r"[0-9]{12,14}", date.text):
        when = datetime.datetime.fromtimestamp(int(date.text) // 1000, datetime.UTC)
        facts["created"] = when.isoformat()
    return Run(facts={key: value for key, value in facts.items() if value})


FORMAT = Format(
    name="asv",
    title="asv results of a commit, version 2 (JSON)",
    example=EXAMPLE,
    recognises=holds(rb'"result_columns"\s*:', rb'"commit_hash"\s*:'),
    read=read,
)

"""SQUAD metrics and the metadata of the test run they belong to.

- ``metrics`` as uploaded to ``/api/submit``: an object whose keys are ``suite/metric`` and whose values
  are a number, an array of numbers, or an object with ``value`` (either of them) and ``unit``.
- ``metadata`` as uploaded: an object with ``job_id`` and others.
- The output of ``/api/metrics/``: objects with ``name``, ``short_name``, ``result``,
  ``measurement_list`` and ``unit``, alone, in an array, or in the ``results`` of a page.
- The output of ``/api/data/``: ``suite/metric``, then environment, then points with time, value and
  build.

The text before the last ``/`` is the benchmark, the text after it the metric; a ``/`` within
``[…]`` at the end does not count. A metric without a suite has the benchmark ``/``, as in SQUAD.
The default unit is 1.

``created`` and ``runner.job_url`` are the metadata's ``datetime`` and ``job_url``,
``tools.<suite>`` its ``suite_versions``. Other keys count if they are spelled as in a bundle
(``sdk.version``). In ``/api/data/``, the environment is the board and the build the release;
``/api/metrics/`` only has the addresses of both, which suffice to distinguish several."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import replace

from .. import Context, Format, Reading, Scalar
from ..json_nodes import Documents, Node, documents
from .collector import Collector, Row, Run, read_documents
from .text import moment, not_finite, number, stated

EXAMPLE = """\
{"lmbench/bw_mem-bcopy-1mb": {"value": [1252.05, 1250.5], "unit": "MB/s"},
 "whetstone/mips": 5000}
{"job_id": "1109234", "job_url": "https://lava.example.org/scheduler/job/1109234",
 "datetime": "2024-04-02T09:30:00+00:00", "suite_versions": {"lmbench": "3.0-a9"}}
"""

# Layout: the documentation and source of SQUAD (https://github.com/Linaro/squad).
_HINT = re.compile(
    rb'^[ \t]*\{\s*"[^"/\n]+/[^"\n]*"\s*:\s*(?:[-0-9\["N]|\{\s*"value")', re.MULTILINE
)
_PLAIN = re.compile(rb'\s*\{\s*"[^"\n]+"\s*:\s*[-0-9\[]')
_METADATA = {"datetime", "job_url", "job_status", "build_url", "resubmit_url", "suite_versions"}
_LISTED = {"name", "short_name", "result", "measurement_list"}
_SPECIAL = re.compile(r":[a-z_]+:")


def recognises(data: bytes) -> bool:
    """Return whether a document has the form of metrics or of their metadata. Metrics without a
    suite only count if the file holds nothing else, as an object of names and numbers could be
    anything."""
    if _HINT.search(data):
        return True
    if b"/" not in data and b"job_id" not in data and not _PLAIN.match(data):
        return False
    parsed = documents(data)
    return _is_plain(parsed) or any(
        _is_metadata(root) or _listed(root) or _is_data(root) or _is_metrics(root)
        for root in parsed.roots
    )


def _is_plain(parsed: Documents) -> bool:
    """Return whether the file is just one object that maps names to numbers."""
    if len(parsed.roots) != 1 or parsed.faults:
        return False
    root, text = parsed.roots[0], parsed.source.text
    whole = not (text[: root.at] + text[root.end :]).strip()
    return whole and bool(root.members) and all(map(_is_figures, root.members.values()))


def _is_figures(value: Node) -> bool:
    numbers = value.items if value.kind == "array" else (value,)
    return bool(numbers) and all(item.kind == "number" for item in numbers)


def _is_metrics(root: Node) -> bool:
    named = any("/" in key.strip("/") for key in root.members)
    return named and all(_is_metric(value) for value in root.members.values())


def _is_metric(value: Node) -> bool:
    if value.kind == "object":
        inner = value.members.get("value")
        return inner is not None and set(value.members) <= {"value", "unit"} and _is_metric(inner)
    if value.kind == "array":
        return all(item.kind == "number" for item in value.items)
    if value.kind == "string":
        return number(value.text) is not None or not_finite(value.text)
    return value.kind == "number"


def _is_metadata(root: Node) -> bool:
    return "job_id" in root.members and not _METADATA.isdisjoint(root.members)


def _is_data(root: Node) -> bool:
    series = [v for k, v in root.members.items() if not _SPECIAL.fullmatch(k)]
    return bool(series) and all(
        node.kind == "object" and node.members and all(map(_is_series, node.members.values()))
        for node in series
    )


def _is_series(series: Node) -> bool:
    return series.kind == "array" and all(
        point.kind == "array"
        and len(point.items) >= 3
        and [item.kind for item in point.items[:3]] == ["number", "number", "string"]
        for point in series.items
    )


def _listed(root: Node) -> tuple[Node, ...]:
    """Return the metrics on a page, or a single metric, of ``/api/metrics/``."""
    if set(root.members) >= _LISTED:
        return (root,)
    return tuple(item for item in root.list("results") if set(item.members) >= _LISTED)


def split(name: str) -> tuple[str, str]:
    """Split a full name into suite and metric; the suite is ``/`` if there is none."""
    end = name.find("[") if name.endswith("]") and "[" in name else len(name)
    suite, slash, metric = name[:end].rpartition("/")
    return (suite or "/", metric + name[end:]) if slash else ("/", name)


def read(data: bytes, context: Context) -> Reading:
    """Return the metrics and the facts of every document that has any."""
    parsed, collector = read_documents(data, context)
    reader = _Reader(collector, parsed.source.line)
    for root in parsed.roots:
        if not root.members:
            continue
        if listed := _listed(root):
            for metric in listed:
                reader.listed(metric)
        elif _is_data(root):
            reader.data(root)
        elif "job_id" in root.members:
            reader.metadata(root)
        elif any("/" in key for key in root.members) or all(map(_is_metric, root.members.values())):
            reader.metrics(root)
        else:
            continue
        reader.collector.understood(*parsed.source.lines(root))
    return reader.collector.reading()


class _Reader:
    def __init__(self, collector: Collector, line: Callable[[int], int]) -> None:
        self.collector = collector
        self._line = line

    def metrics(self, root: Node) -> None:
        run = self.collector.run(Run())
        for name, value in root.members.items():
            inner, unit = value, ""
            if value.kind == "object":
                inner, unit = value.get("value") or value, value.string("unit")
            items = inner.items if inner.kind == "array" else (inner,)
            self._add(name, unit, items, inner, run)

    def listed(self, metric: Node) -> None:
        run = Run(board=metric.string("environment"), release=metric.string("build"))
        self.collector.run(run)
        result = metric.members["result"]
        items = metric.list("measurement_list") or (result,)
        outlier = metric.get("is_outlier")
        if outlier is not None and outlier.text == "true":
            self.collector.note(self._line(metric.at), "SQUAD marks this metric as an outlier")
        self._add(metric.string("name"), metric.string("unit"), items, result, run)

    def data(self, root: Node) -> None:
        for name, environments in root.members.items():
            if _SPECIAL.fullmatch(name):
                continue  # SQUAD's own counts of passed tests
            for environment, series in environments.members.items():
                for point in series.items:
                    build = point.items[2].text
                    created = _epoch(point.items[0].text)
                    facts = {"board.name": environment, "sdk.version": build, "created": created}
                    run = self.collector.run(Run(facts))
                    self._add(name, "", (point.items[1],), point, run)

    def metadata(self, root: Node) -> None:
        facts: dict[str, Scalar] = {
            "created": moment(root.string("datetime")),
            "runner.job_url": root.string("job_url"),
        }
        for suite, version in root.child("suite_versions").members.items():
            facts[f"tools.{suite}"] = version.text if version.kind == "string" else ""
        self.collector.run(Run(facts | stated(root)))

    def _add(self, name: str, unit: str, items: tuple[Node, ...], whole: Node, run: Run) -> None:
        """Add the samples of one metric. A sample that is not a figure invalidates all of them, as
        it would be chance which of them remain."""
        benchmark, metric = split(name)
        row = Row(benchmark, metric, self._line(items[0].at if items else whole.at), unit=unit)
        samples: list[float] = []
        for item in items:
            text = item.text if item.kind in ("number", "string") else ""
            if not_finite(text):
                reason = f"the measurement is {text.strip()}"
                self.collector.row(replace(row, line=self._line(item.at), failed=reason), run)
                return
            value = number(text)
            if value is None:
                message = f"{name}: a value that is not a decimal number"
                self.collector.broken(self._line(item.at), message)
                return
            samples.append(value)
        if not samples:
            self.collector.note(row.line, f"{name} has no measurements")
            return
        self.collector.row(replace(row, samples=tuple(samples)), run)


def _epoch(text: str) -> str:
    """Convert seconds since 1970 to RFC 3339."""
    seconds = number(text)
    try:
        when = datetime.datetime.fromtimestamp(seconds or 0, datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return when.isoformat() if seconds else ""


FORMAT = Format(
    name="squad",
    title="SQUAD metrics and metadata, as uploaded or as the API gives them (JSON)",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)

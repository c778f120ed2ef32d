"""KernelCI test results in the KCIDB format, schema versions 4 and 5 (kcidb-io, v4.0 to v5.3).

The first part of a test's dotted ``path`` is the benchmark, the rest the metric
(``lmbench.bw_mem-bcopy-1mb``); a path of one part is both. ``number`` counts if the test ran
(``PASS``, ``DONE``), ``FAIL`` and ``ERROR`` are failures, and ``MISS``, ``SKIP`` or no status give
a note. ``prefix`` is a hint for viewers on scaling, so it is ignored. ``misc`` and ``output_files``
hold no figures.

The board is ``environment.misc.platform``, or else the first of ``environment.compatible``.
``sdk.kernel`` is the ``git_commit_name`` of the build's checkout. Keys of ``misc`` count if they
are spelled as in a bundle (``sdk.version``)."""

from __future__ import annotations

from .. import Context, Format, Reading, Scalar
from ..json_nodes import Node
from ..log_lines import holds
from .collector import Collector, Row, Run, read_documents
from .text import moment, stated

EXAMPLE = """\
{"version": {"major": 5, "minor": 3},
 "tests": [
  {"id": "lab3:1", "origin": "lab3", "build_id": "lab3:b1", "path": "lmbench.bw_mem-bcopy-1mb",
   "status": "DONE", "number": {"value": 1252.05, "unit": "MB/s"},
   "environment": {"misc": {"platform": "am62xx_sk-fs"}}}]}
"""

_MAJORS = ("4", "5")


def read(data: bytes, context: Context) -> Reading:
    """Return the figures of every test of every report."""
    parsed, collector = read_documents(data, context)
    line = parsed.source.line
    for root in parsed.roots:
        major = root.child("version").get("major")
        if major is None or major.kind != "number" or "tests" not in root.members:
            continue
        if major.text not in _MAJORS:
            hint = "versions 4 and 5 are read"
            collector.broken(line(major.at), f"schema version {major.text[:20]}: {hint}")
            continue
        collector.understood(*parsed.source.lines(root))
        kernels = _kernels(root)
        for test in root.list("tests"):
            if test.kind != "object":
                collector.broken(line(test.at), "a test that is not an object")
                continue
            run = collector.run(_run(test, kernels))
            measured = test.child("number").get("value")
            at = line((measured or test.get("status") or test).at)
            _take(test, measured, at, run, collector)
    return collector.reading()


def _take(test: Node, measured: Node | None, line: int, run: Run, collector: Collector) -> None:
    benchmark, dot, metric = test.string("path").partition(".")
    if not benchmark:
        collector.note(line, "a test with no path is a summary of others")
        return
    row = Row(benchmark, metric if dot else benchmark, line, test.child("number").string("unit"))
    if measured is not None and measured.kind not in ("number", "string"):
        collector.broken(line, f"{test.string('path')}: the value is not a number")
        return
    if measured is None and test.get("number") is not None:
        collector.broken(line, f"{test.string('path')}: a number without a value")
        return
    collector.case(row, run, test.string("status"), None if measured is None else measured.text)


def _run(test: Node, kernels: dict[str, str]) -> Run:
    environment = test.child("environment")
    compatible = environment.list("compatible")
    platform = environment.child("misc").string("platform")
    if not platform and compatible and compatible[0].kind == "string":
        platform = compatible[0].text
    facts: dict[str, Scalar] = {
        "board.name": platform,
        "runner.name": test.string("origin"),
        "sdk.kernel": kernels.get(test.string("build_id"), ""),
        "created": moment(test.string("start_time")),
    }
    return Run(facts | stated(test.child("misc")))


def _kernels(root: Node) -> dict[str, str]:
    """Return the commit name of each build that states one."""
    commits = {c.string("id"): c.string("git_commit_name") for c in root.list("checkouts")}
    builds = root.list("builds")
    return {b.string("id"): commits.get(b.string("checkout_id"), "") for b in builds}


FORMAT = Format(
    name="kcidb",
    title="KernelCI KCIDB test results, schema versions 4 and 5 (JSON)",
    example=EXAMPLE,
    recognises=holds(
        rb'"version"\s*:\s*\{\s*"m(?:ajor|inor)"\s*:\s*[0-9]+',
        rb'"(?:tests|builds|checkouts)"\s*:\s*\[',
    ),
    read=read,
)

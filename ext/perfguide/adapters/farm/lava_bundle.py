"""LAVA dashboard bundles, "Dashboard Bundle Format 1.0" to "1.7.1".

The names: ``test_id`` is the benchmark, ``test_case_id`` the metric, both as
written; a test result's own ``attributes`` are parameters. The run ``lava`` is
LAVA's own and is left out, as in :mod:`.lava`.

Facts: the board is the run's attribute ``target.device_type``, or ``target``
where there is none; ``sdk.image`` is the software context's image; other
attributes count where their key is spelt as a bundle's (``sdk.version``).
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..json_nodes import Node
from ..log_lines import holds
from .collector import Collector, Row, Run, read_documents
from .text import moment, stated

EXAMPLE = """\
{"format": "Dashboard Bundle Format 1.7.1",
 "test_runs": [
  {"test_id": "lmbench",
   "analyzer_assigned_date": "2014-04-02T09:30:00Z",
   "analyzer_assigned_uuid": "466e5444-bae3-11e5-ae7a-3ca82a9f2df0",
   "time_check_performed": true,
   "attributes": {"target": "am62xx_sk-fs"},
   "test_results": [
    {"test_case_id": "bw_mem-bcopy-1mb", "result": "pass",
     "measurement": "1252.05", "units": "MB/s"}]}]}
"""

# Layout: the JSON schemas of linaro-dashboard-bundle, 1.0 to 1.7 (1.7.1 is as 1.7, with
# ``measurement`` as text). ``test_runs`` hold ``test_results`` with ``test_case_id``, ``result``,
# ``measurement`` and ``units``.
_VERSION = re.compile(r"Dashboard Bundle Format 1\.[0-7](?:\.[0-9]{1,3})?")


def read(data: bytes, context: Context) -> Reading:
    """Return the measurements of every test run of every bundle."""
    parsed, collector = read_documents(data, context)
    own = 0
    for root in parsed.roots:
        if not _VERSION.fullmatch(root.string("format")):
            continue
        collector.understood(parsed.source.line(root.at), parsed.source.line(root.end - 1))
        for test_run in root.list("test_runs"):
            if test_run.string("test_id") == "lava":
                own += len(test_run.list("test_results"))
                continue
            run = collector.run(_run(test_run, collector, parsed.source.line(test_run.at)))
            for result in test_run.list("test_results"):
                measured = result.get("measurement")
                line = parsed.source.line((measured or result).at)
                _take(test_run.string("test_id"), result, line, run, collector)
    if own:
        collector.note(None, f"{own} cases of LAVA's own run “lava” measure the farm: left out")
    return collector.reading()


def _take(test: str, result: Node, line: int, run: Run, collector: Collector) -> None:
    if result.kind != "object" or not test:
        collector.broken(line, "a test result outside a test, or one that is no object")
        return
    measured = result.get("measurement")
    status = result.string("result")
    case = result.string("test_case_id")
    if not case and measured is None and status == "pass":
        return  # the schema lets a result that measured nothing go without a name
    params = {k: v.text for k, v in result.child("attributes").members.items()}
    row = Row(test, case, line, unit=result.string("units"), params=params)
    text = None if measured is None else measured.text
    if measured is not None and measured.kind not in ("number", "string"):
        collector.broken(line, f"{test} {case}: the measurement is not a number")
        return
    collector.case(row, run, status, text if text is None or text.strip() else None)


def _run(test_run: Node, collector: Collector, line: int) -> Run:
    attributes = {
        k: v.text for k, v in test_run.child("attributes").members.items() if v.kind == "string"
    }
    software = test_run.child("software_context")
    image = software.child("image").string("name")
    if not image:  # the name in 1.0 and 1.0.1
        older = test_run.child("sw_context") if not software.members else software
        image = older.child("sw_image").string("desc")
    version = test_run.child("testdef_metadata").string("version")
    test = test_run.string("test_id")
    facts: dict[str, Scalar] = {
        "board.name": attributes.get("target.device_type") or attributes.get("target", ""),
        "created": moment(test_run.string("analyzer_assigned_date")),
        "sdk.image": image,
        f"tools.{test}": version,
    }
    facts |= stated(attributes.items())
    checked = test_run.get("time_check_performed")
    if facts["created"] and checked is not None and checked.text == "false":
        collector.note(line, f"{test or 'a run'}: nobody checked the clock that “created” is of")
    return Run(facts={k: v for k, v in facts.items() if v})


FORMAT = Format(
    name="lava-bundle",
    title="LAVA dashboard bundles, Dashboard Bundle Format 1.0 to 1.7.1 (JSON)",
    example=EXAMPLE,
    recognises=holds(rb'"format"\s*:\s*"Dashboard Bundle Format 1\.[0-7](?:\.[0-9]+)?"'),
    read=read,
)

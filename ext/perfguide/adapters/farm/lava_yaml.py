"""LAVA's export of test cases as YAML.

Each item of the list is read by itself, so that a broken one spoils no other. A
text that ends within a line is cut; one that is cut between two lines of the last
case's metadata cannot be distinguished from a complete one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import Context, Format, Reading
from ..json_nodes import Source, source
from ..log_lines import holds
from ..yaml_nodes import Item, YamlError, parse
from .collector import Collector
from .lava import FIELDS, Case, Cases

EXAMPLE = """\
- name: bw_mem-bcopy-1mb
  job: '1109234'
  suite: 0_lmbench
  result: pass
  measurement: '1252.0500000000'
  unit: MB/s
  level: ''
  url: /results/testcase/98213
  id: '98213'
  logged: '2024-04-02 09:30:00.123456+00:00'
  log_start_line: '480'
  log_end_line: '482'
  metadata:
    definition: 0_lmbench
    case: bw_mem-bcopy-1mb
    result: pass
"""

# Layout: ``lava_results_app`` of LAVA (``export_testcase`` and the views that stream it): a list
# with one mapping for each test case, or one such mapping by itself
# (``/results/testcase/<id>/yaml``). How names map: :mod:`.lava`.
_BEGIN = re.compile(r"^(?:- |-\r?$|[a-z_]+:[ \r\n])", re.MULTILINE)
_NEXT = re.compile(r"^[^ \t\r\n]", re.MULTILINE)


def _blocks(log: Source) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each item of top-level lists, or of a mapping at the left
    margin."""
    text = log.text
    at = 0
    while begin := _BEGIN.search(text, at):
        listed = text.startswith("-", begin.start())
        at = begin.end()
        while (after := _NEXT.search(text, at)) and not listed:
            # A mapping at the margin continues as long as its keys do.
            if not _BEGIN.match(text, after.start()) or text.startswith("-", after.start()):
                break
            at = after.end()
        at = max(after.start() if after else len(text), begin.end())
        yield begin.start(), at


def read(data: bytes, context: Context) -> Reading:
    """Return the measurements of every test case in the text."""
    log = source(data.removeprefix(b"\xef\xbb\xbf"))
    collector = Collector(context)
    cases = Cases(collector)
    for start, end in _blocks(log):
        first = log.line(start)
        block = log.text[start:end]
        if not all(f"{name}:" in block for name in ("suite", "result")):
            if "measurement:" in block:
                collector.broken(first, "a test case that is cut: its suite or result is missing")
            continue
        if not block.endswith("\n"):  # LAVA ends every line, the last one too
            collector.broken(log.line(end - 1), "the text ends within this line: it may be cut")
            continue
        try:
            item = parse(block)
        except YamlError as fault:
            collector.broken(first + fault.line - 1, f"a test case is broken: {fault.message}")
            continue
        for each in item.items if item.items else (item,):
            _take(each, log, start, cases, collector)
        collector.understood(first, log.line(start + len(block.rstrip()) - 1))
    cases.finish()
    return collector.reading()


def _take(item: Item, log: Source, start: int, cases: Cases, collector: Collector) -> None:
    fields = {k: v.text for k, v in item.members.items() if v.text is not None}
    for name in FIELDS:
        if name in fields and not item.members[name].whole:
            line = log.line(start + item.members[name].at)
            collector.broken(line, f"the field {name} goes on over a line end")
            return
    measured = item.members.get("measurement", item)
    metadata = item.members.get("metadata")
    named = metadata.members.get("set") if metadata is not None else None
    test_set = (named.text or "") if named is not None else ""
    cases.take(Case(fields, log.line(start + measured.at), test_set))


FORMAT = Format(
    name="lava-yaml",
    title="LAVA test results, YAML export (/results/<job>/yaml)",
    example=EXAMPLE,
    recognises=holds(*(rb"^(?:- |  |)%s:" % name.encode() for name in FIELDS)),
    read=read,
)

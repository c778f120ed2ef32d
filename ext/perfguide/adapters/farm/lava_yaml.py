"""LAVA's export of test cases as YAML; :mod:`.lava` explains their names.

Each item of the list is read by itself, so that a broken one affects no other. Text that ends
within a line is truncated; a text truncated between two lines of the last case's metadata looks
complete.

Nothing is constructed from the text: scalars stay as written. Tags, duplicate keys, and more nodes,
levels or aliases than a test case has are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from .. import Context, Format, Reading
from ..json_nodes import MalformedError, Node, Source, source
from ..log_lines import holds
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

MAX_NODES = 5_000
MAX_ALIASES = 20
MAX_LEVELS = 20

# Layout: ``export_testcase`` in ``lava_results_app`` of LAVA: a list with one mapping per test case, or a
# single such mapping (``/results/testcase/<id>/yaml``).
_BEGIN = re.compile(r"^(?:- |-\r?$|[a-z_]+:[ \r\n])", re.MULTILINE)
_NEXT = re.compile(r"^[^ \t\r\n]", re.MULTILINE)

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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
            item = _parsed(block)
        except MalformedError as fault:
            line = first + block.count("\n", 0, fault.at)
            collector.broken(line, f"a test case is broken: {fault}")
            continue
        for case in item.items or (item,):
            _take(case, log, start, cases, collector)
        collector.understood(*range(first, log.line(start + len(block.rstrip()) - 1) + 1))
    cases.finish()
    return collector.reading()


def _take(item: Node, log: Source, start: int, cases: Cases, collector: Collector) -> None:
    fields = {k: v.text for k, v in item.members.items() if v.kind == "string"}
    for name in (name for name in FIELDS if name in fields):
        scalar = item.members[name]
        if "\n" in log.text[start + scalar.at : start + scalar.end].rstrip():
            line = log.line(start + scalar.at)
            collector.broken(line, f"the field {name} spans several lines")
            return
    measured = item.members.get("measurement", item)
    test_set = item.child("metadata").string("set")
    cases.take(Case(fields, log.line(start + measured.at), test_set))


def _parsed(text: str) -> Node:
    """Return the only document of a text. Raises :class:`MalformedError` if it is refused."""
    try:
        return _Composer(text).document()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        at = mark.index if mark is not None else 0
        raise MalformedError(str(fault.problem or "not well-formed YAML"), at) from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as fault:
        # Among these: characters that YAML forbids, and escapes beyond Unicode.
        raise MalformedError(f"not well-formed YAML: {str(fault).splitlines()[:1]}", 0) from None


class _Composer:
    """Makes nodes from the events of one text, within the limits; scalars are strings. PyYAML's own
    composer in C would exhaust the stack on deeply nested values."""

    def __init__(self, text: str) -> None:
        self._events = yaml.parse(text, Loader=_Loader)
        self._anchors: dict[str, Node] = {}
        self._nodes = 0
        self._aliases = 0

    def document(self) -> Node:
        """Return the only document."""
        root: Node | None = None
        for event in self._events:
            if not isinstance(event, yaml.NodeEvent):
                continue
            if root is not None:
                raise MalformedError("more than one document", _at(event))
            root = self._node(event, 0)
        return root or Node("string", 0, 0)

    def _node(self, event: yaml.Event, level: int) -> Node:
        self._nodes += 1
        at = _at(event)
        # Aliases of aliases could expand a few lines to gigabytes.
        if self._nodes > MAX_NODES or level > MAX_LEVELS:
            raise MalformedError("more values, or deeper nesting, than a test case has", at)
        if isinstance(event, yaml.AliasEvent):
            self._aliases += 1
            if self._aliases > MAX_ALIASES or event.anchor not in self._anchors:
                raise MalformedError("an undefined alias, or too many aliases", at)
            return self._anchors[event.anchor]
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag:
            raise MalformedError(f"the tag {str(event.tag)[:80]}: tags are not supported", at)
        if isinstance(event, yaml.ScalarEvent):
            end = event.end_mark.index if event.end_mark is not None else at
            item = Node("string", at, end, event.value)
        elif isinstance(event, yaml.SequenceStartEvent):
            items: list[Node] = []
            while not isinstance(part := next(self._events), yaml.SequenceEndEvent):
                items.append(self._node(part, level + 1))
            item = Node("array", at, at, items=tuple(items))
        else:
            item = Node("object", at, at, members=self._members(level))
        if isinstance(event, yaml.NodeEvent) and event.anchor:
            self._anchors[event.anchor] = item
        return item

    def _members(self, level: int) -> dict[str, Node]:
        members: dict[str, Node] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._node(event, level + 1)
            if key.kind != "string":
                raise MalformedError("a key that is not plain text", _at(event))
            if key.text in members:
                raise MalformedError(f"the key “{key.text[:80]}” occurs twice", _at(event))
            members[key.text] = self._node(next(self._events), level + 1)
        return members


def _at(event: yaml.Event) -> int:
    return event.start_mark.index if event.start_mark is not None else 0


FORMAT = Format(
    name="lava-yaml",
    title="LAVA test results, YAML export (/results/<job>/yaml)",
    example=EXAMPLE,
    recognises=holds(*(rb"^(?:- |  |)%s:" % name.encode() for name in FIELDS)),
    read=read,
)

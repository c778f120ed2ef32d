"""Phoronix Test Suite result files (``composite.xml``).

Layout: ``pts_result_file::get_xml`` of phoronix-test-suite: below
``PhoronixTestSuite`` are ``Generated``, ``System`` elements, and ``Result`` elements
with ``Identifier Title Arguments Description Scale DisplayFormat`` and
``Data/Entry`` with ``Identifier``, ``Value``, ``RawString`` (the single runs with
colons between them) and ``JSON`` (run times, errors). How names map:
:mod:`.phoronix`.
"""

from __future__ import annotations

from .. import Context, Format, Reading
from ..json_nodes import documents
from ..xml_nodes import Element, XmlError, line_at, line_ends, parse, pieces
from .collector import Collector
from .phoronix import Entry, System, Test, kernel, runs, take

EXAMPLE = """\
<?xml version="1.0"?>
<PhoronixTestSuite>
  <System>
    <Identifier>am62xx_sk-fs</Identifier>
    <Software>OS: Arago 2023.10, Kernel: 6.1.80 (aarch64)</Software>
    <TestClientVersion>10.8.4</TestClientVersion>
  </System>
  <Result>
    <Identifier>pts/stream-1.3.4</Identifier>
    <Title>Stream</Title>
    <Arguments>Copy</Arguments>
    <Description>Type: Copy</Description>
    <Scale>MB/s</Scale>
    <Proportion>HIB</Proportion>
    <DisplayFormat>BAR_GRAPH</DisplayFormat>
    <Data>
      <Entry>
        <Identifier>am62xx_sk-fs</Identifier>
        <Value>2502.5</Value>
        <RawString>2500.0:2505.0</RawString>
      </Entry>
    </Data>
  </Result>
</PhoronixTestSuite>
"""

_ROOT = "PhoronixTestSuite"


def recognises(data: bytes) -> bool:
    """Return whether the bytes contain the root element with results or systems."""
    return f"<{_ROOT}".encode() in data and (b"<Result>" in data or b"<System>" in data)


def read(data: bytes, context: Context) -> Reading:
    """Return the figures of every result file in the text."""
    collector = Collector(context)
    ends = line_ends(data)
    before = 0
    for piece in pieces(data, _ROOT):
        first = line_at(ends, piece.start)
        prolog = data.find(b"<?xml", before, piece.start)
        before = piece.end
        if not piece.is_complete:
            collector.broken(first, "a result file that is cut: its end is missing")
            continue
        try:
            root = parse(data, piece, ends)
        except XmlError as fault:
            collector.broken(fault.line, fault.message)
            continue
        top = line_at(ends, prolog) if prolog >= 0 else first
        collector.understood(top, line_at(ends, piece.end))
        systems = {system.name: system for system in map(_system, root.all("System"))}
        for result in root.all("Result"):
            _result(result, systems, collector)
    return collector.reading()


def _system(element: Element) -> System:
    text = element.text
    return System(text("Identifier"), kernel(text("Software")), text("TestClientVersion"))


def _result(result: Element, systems: dict[str, System], collector: Collector) -> None:
    test = Test(
        result.text("Identifier"),
        result.text("Title"),
        result.text("Arguments"),
        result.text("Description"),
        result.text("Scale"),
        result.text("DisplayFormat"),
    )
    for data in result.all("Data"):
        for entry in data.all("Entry"):
            value = entry.find("Value")
            line = value.line if value is not None else entry.line
            name = entry.text("Identifier")
            if value is None or not name:
                collector.broken(line, "an entry without one value and the name of a system")
                continue
            run = collector.run(runs(systems, name))
            take(test, _entry(entry, line), run, collector)


def _entry(entry: Element, line: int) -> Entry:
    raw = entry.text("RawString")
    roots = documents(entry.text("JSON").encode("utf-8", errors="surrogateescape")).roots
    error = low = high = ""
    if roots:
        error = roots[0].string("error")
        low, high = (
            member.text if (member := roots[0].get(key)) is not None else ""
            for key in ("min-result", "max-result")
        )
    return Entry(entry.text("Value"), tuple(raw.split(":")) if raw else (), line, error, low, high)


FORMAT = Format(
    name="phoronix-xml",
    title="Phoronix Test Suite result file (composite.xml)",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)

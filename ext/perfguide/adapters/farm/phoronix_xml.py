"""Phoronix Test Suite result files (``composite.xml``).

The test profile without its repository and version is the benchmark (``pts/stream-1.3.4`` is
``stream``); the description of the options (``Type: Copy``), or else the test's title, is the
metric. The parameters ``profile`` (the full identifier) and ``arguments`` distinguish what the
suite distinguishes. The unit is the scale as written, and the board is the system's identifier.

The suite reports the mean, maximum or minimum of the raw values, and the file does not say which.
If it equals their mean up to its last digit, the raw values are samples; otherwise it is a value
with the range and number of the raw ones.

Pictures, series over time and counts are noted and left out. The catalog decides whether higher or
lower is better, not ``HIB`` or ``LIB``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from xml.parsers import expat

from .. import Context, Format, Reading, Scalar
from ..json_nodes import Node, documents
from .collector import Collector, Row, Run
from .text import not_finite, number

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

MAX_LEVELS = 20
MAX_ELEMENTS = 2_000_000

# Layout: ``pts_result_file::get_xml`` of phoronix-test-suite. ``RawString`` has the single runs with
# colons between them, and ``JSON`` of an entry run times and errors.
_ROOT = "PhoronixTestSuite"
_VERSION = re.compile(r"-[0-9]+(?:\.[0-9]+)*\Z")
_KERNEL = re.compile(r"(?:\A|, )Kernel: ([^,]*)")
_FIGURES = ("", "BAR_GRAPH")
_VERDICTS = ("PASS_FAIL", "MULTI_PASS_FAIL")
_PASSED = ("PASS", "PASSED", "TRUE", "1")


def benchmark(identifier: str) -> str:
    """Return the name of a test profile without its repository and version."""
    return _VERSION.sub("", identifier.rpartition("/")[2])


def recognises(data: bytes) -> bool:
    """Return whether the bytes contain the root element with results or systems."""
    return f"<{_ROOT}".encode() in data and (b"<Result>" in data or b"<System>" in data)


def read(data: bytes, context: Context) -> Reading:
    """Return the figures of every result file in the text."""
    collector = Collector(context)
    ends = [match.start() for match in re.finditer(b"\n", data)]
    before = 0
    for piece in _pieces(data):
        first = _line_at(ends, piece.start)
        prolog = data.find(b"<?xml", before, piece.start)
        before = piece.end
        if not piece.is_complete:
            collector.broken(first, "a result file that is cut: its end is missing")
            continue
        try:
            root = _parsed(data, piece, ends)
        except _XmlError as fault:
            collector.broken(fault.line, str(fault))
            continue
        top = _line_at(ends, prolog) if prolog >= 0 else first
        collector.understood(*range(top, _line_at(ends, piece.end) + 1))
        runs = {system.text("Identifier"): _run(system) for system in root.all("System")}
        for result in root.all("Result"):
            _result(result, runs, collector)
    return collector.reading()


def _run(system: _Element) -> Run:
    name, kernel = system.text("Identifier"), _KERNEL.search(system.text("Software"))
    facts: dict[str, Scalar] = {
        "board.name": name,
        "sdk.kernel": kernel[1].partition(" (")[0] if kernel else "",
        "tools.phoronix-test-suite": system.text("TestClientVersion"),
    }
    return Run(facts, board=name)


def _result(result: _Element, runs: dict[str, Run], collector: Collector) -> None:
    """Pass the entries of a test with one set of options, one for each system, to the collector."""
    for data in result.all("Data"):
        for entry in data.all("Entry"):
            value = entry.find("Value")
            line = value.line if value is not None else entry.line
            name = entry.text("Identifier")
            if value is None or not name:
                collector.broken(line, "an entry without one value and the name of a system")
                continue
            # An entry's system may not be described.
            run = collector.run(runs.get(name) or Run({"board.name": name}, board=name))
            _entry(result, entry, line, run, collector)


def _entry(result: _Element, entry: _Element, line: int, run: Run, collector: Collector) -> None:
    identifier, kind = result.text("Identifier"), result.text("DisplayFormat")
    name = result.text("Description") or result.text("Title")
    if not identifier:
        collector.note(
            line, f"{name}: recorded along with the tests, but belongs to none: left out"
        )
        return
    params: dict[str, Scalar] = {"profile": identifier}
    if arguments := result.text("Arguments"):
        params["arguments"] = arguments
    row = Row(benchmark(identifier), name, line, result.text("Scale"), params=params)
    written, raw = entry.text("Value"), entry.text("RawString")
    runs = raw.split(":") if raw else []
    roots = documents(entry.text("JSON").encode("utf-8", errors="surrogateescape")).roots
    details = roots[0] if roots else Node("object", 0, 0)
    if error := details.string("error"):
        collector.row(replace(row, failed=error), run)
    elif kind in _VERDICTS:
        if written.upper() not in _PASSED:
            collector.row(replace(row, failed=f"the test reports “{written[:80]}”"), run)
    elif kind not in _FIGURES:
        collector.note(line, f"{name}: {kind[:80]} is not a figure: left out")
    elif not written:
        collector.note(line, f"{name}: no value: the test did not complete")
    elif not_finite(written) or any(map(not_finite, runs)):
        collector.row(replace(row, failed="the value is not finite"), run)
    elif (filled := _with_figures(row, written, runs, details)) is None:
        collector.broken(line, f"{name}: a value that is not a decimal number")
    else:
        collector.row(filled, run)


def _with_figures(row: Row, written: str, raw: list[str], details: Node) -> Row | None:
    """Return the row with its figures, or ``None`` if one is not a decimal number."""
    value = number(written)
    numbers = [number(text) for text in raw]
    values = tuple(value for value in numbers if value is not None)
    if value is None or len(values) < len(numbers):
        return None
    if not values:
        low, high = (_stated(details, key) for key in ("min-result", "max-result"))
        if low is None or high is None or not low <= value <= high:
            return replace(row, value=value)
        return replace(row, value=value, low=low, high=high)
    digits = len(written.partition(".")[2]) if "e" not in written.lower() else 0
    # Compared term by term, because a sum of large figures could overflow.
    mean = sum(figure / len(values) for figure in values)
    if abs(mean - value) <= 10.0**-digits:
        return replace(row, samples=values, value=value)
    return replace(row, value=value, low=min(values), high=max(values), count=len(values))


def _stated(details: Node, key: str) -> float | None:
    member = details.get(key)
    return number(member.text) if member is not None else None


# XML with the line of every element's text


class _XmlError(Exception):
    """Text that is not the XML that is read here, and its line in the file."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(slots=True)
class _Element:
    """One element while and after it is read; ``line`` is that of its text."""

    tag: str
    line: int
    parts: list[str] = field(default_factory=list)
    children: list[_Element] = field(default_factory=list)
    is_blank: bool = True

    def all(self, tag: str) -> Iterator[_Element]:
        """Yield the children of a name."""
        return (child for child in self.children if child.tag == tag)

    def find(self, tag: str) -> _Element | None:
        """Return the only child of a name; ``None`` for none or several."""
        children = list(self.all(tag))
        return children[0] if len(children) == 1 else None

    def text(self, tag: str) -> str:
        """Return the text of the only child of a name, without spaces around it."""
        child = self.find(tag)
        return "".join(child.parts).strip() if child is not None else ""


@dataclass(frozen=True, slots=True)
class _Piece:
    """The offsets of one document in a file, and whether it has its end tag."""

    start: int
    end: int
    is_complete: bool


def _pieces(data: bytes) -> Iterator[_Piece]:
    """Yield the result files within other text."""
    opening, closing = f"<{_ROOT}".encode(), f"</{_ROOT}>".encode()
    start = data.find(opening)
    while start >= 0:
        following = data.find(opening, start + 1)
        end = data.find(closing, start, following if following >= 0 else len(data))
        yield _Piece(start, end + len(closing) if end >= 0 else start, end >= 0)
        start = following


def _line_at(ends: list[int], at: int) -> int:
    """Return the line of an offset, counted from 1; ``ends`` are the offsets of all line feeds."""
    return bisect_left(ends, at) + 1


def _parsed(data: bytes, piece: _Piece, ends: list[int]) -> _Element:
    """Return the root of one document.

    Raises :class:`_XmlError` if it is not well-formed or declares a document type: entities can
    expand to gigabytes, and external ones read local files."""
    top = _Element("", 0)
    open_elements = [top]
    count = 0
    parser = expat.ParserCreate("utf-8")
    # Each piece of text comes with its own line.
    parser.buffer_text = False

    def line() -> int:
        return _line_at(ends, piece.start + max(parser.CurrentByteIndex, 0))

    def refuse(*_: object) -> None:
        raise _XmlError("a document type or an entity is declared: not read", line())

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if len(open_elements) > MAX_LEVELS or count > MAX_ELEMENTS:
            raise _XmlError("more elements, or deeper nested, than a result file has", line())
        element = _Element(tag, line())
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def characters(text: str) -> None:
        element = open_elements[-1]
        if element.is_blank and text.strip():
            element.line, element.is_blank = line(), False
        element.parts.append(text)

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_elements.pop()
    parser.CharacterDataHandler = characters
    try:
        parser.Parse(data[piece.start : piece.end], True)
    except expat.ExpatError as fault:
        at = _line_at(ends, piece.start + max(parser.ErrorByteIndex, 0))
        raise _XmlError(f"not well-formed XML: {expat.ErrorString(fault.code)}", at) from None
    return top.children[0]


FORMAT = Format(
    name="phoronix-xml",
    title="Phoronix Test Suite result file (composite.xml)",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)

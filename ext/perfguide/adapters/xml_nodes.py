"""XML as board farms store it, with the line of every element's text.

expat reads it without ever acting on a document type: one that is declared is
refused, and with it every entity but XML's own five.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

MAX_LEVELS = 20
MAX_ELEMENTS = 2_000_000


class XmlError(Exception):
    """Text that is not the XML that is read here, and its line in the file."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(slots=True)
class Element:
    """One element while and after it is read; ``line`` is that of its text."""

    tag: str
    line: int
    parts: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)
    blank: bool = True

    def all(self, tag: str) -> Iterator[Element]:
        """Yield the children of a name."""
        return (child for child in self.children if child.tag == tag)

    def find(self, tag: str) -> Element | None:
        """Return the only child of a name; ``None`` for none or several."""
        children = list(self.all(tag))
        return children[0] if len(children) == 1 else None

    def text(self, tag: str) -> str:
        """Return the text of the only child of a name, without spaces around it."""
        child = self.find(tag)
        return "".join(child.parts).strip() if child is not None else ""


@dataclass(frozen=True, slots=True)
class Piece:
    """The offsets of one document in a file, and whether it has its end tag."""

    start: int
    end: int
    is_complete: bool


def pieces(data: bytes, root: str) -> Iterator[Piece]:
    """Yield the documents whose root has a name, in the midst of other text."""
    opening, closing = b"<" + root.encode(), b"</" + root.encode() + b">"
    start = data.find(opening)
    while start >= 0:
        following = data.find(opening, start + 1)
        end = data.find(closing, start, following if following >= 0 else len(data))
        yield Piece(start, end + len(closing) if end >= 0 else start, end >= 0)
        start = following


def line_ends(data: bytes) -> list[int]:
    """Return the offsets of all line feeds."""
    return [match.start() for match in re.finditer(b"\n", data)]


def line_at(ends: list[int], at: int) -> int:
    """Return the line of an offset, counted from 1."""
    return bisect_left(ends, at) + 1


def parse(data: bytes, piece: Piece, ends: list[int]) -> Element:
    """Return the root of one document.

    Raises :class:`XmlError` for whatever is not well-formed or is refused.
    """
    top = Element("", 0)
    open_elements = [top]
    count = 0
    parser = expat.ParserCreate("utf-8")
    # Each piece of text comes with its own line.
    parser.buffer_text = False

    def line() -> int:
        return line_at(ends, piece.start + max(parser.CurrentByteIndex, 0))

    # Entities can expand to gigabytes, and external ones read local files.
    def refuse(*_: object) -> None:
        raise XmlError("a document type or an entity is declared: not read", line())

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if len(open_elements) > MAX_LEVELS or count > MAX_ELEMENTS:
            raise XmlError("more elements, or deeper nested, than a result file has", line())
        element = Element(tag, line())
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def characters(text: str) -> None:
        element = open_elements[-1]
        if element.blank and text.strip():
            element.line, element.blank = line(), False
        element.parts.append(text)

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_elements.pop()
    parser.CharacterDataHandler = characters
    try:
        parser.Parse(data[piece.start : piece.end], True)
    except expat.ExpatError as fault:
        at = line_at(ends, piece.start + max(parser.ErrorByteIndex, 0))
        raise XmlError(f"not well-formed XML: {expat.ErrorString(fault.code)}", at) from None
    return top.children[0]

"""JSON as stored by board farms, with the offset of every value.

The standard decoder does not say where a value is, silently takes the last of two equal keys, and
rounds numbers. Here numbers remain the text that was written, duplicate keys in an object are
faults, and every node has its offset. ``NaN`` and ``Infinity`` are read as numbers: Google
Benchmark and Python write them for failed measurements.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

MAX_LEVELS = 60
"""The formats read here need fewer than ten levels."""

_NO_KEYS: Mapping[str, str] = {}

Kind = Literal["object", "array", "string", "number", "word"]


class MalformedError(Exception):
    """Malformed text, and the offset of the fault."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A value: where it begins and ends, and its content.

    ``text`` is the content of a string, or a number or keyword as written.
    """

    kind: Kind
    at: int
    end: int
    text: str = ""
    items: tuple[Node, ...] = ()
    members: Mapping[str, Node] = field(default_factory=dict)

    def get(self, key: str) -> Node | None:
        """Return the member of this name, or ``None`` if it is missing or ``null``."""
        member = self.members.get(key)
        return None if member is None or (member.kind, member.text) == ("word", "null") else member

    def string(self, key: str) -> str:
        """Return the string of a member, or an empty one if it is not a string."""
        member = self.members.get(key)
        return member.text if member is not None and member.kind == "string" else ""

    def child(self, key: str) -> Node:
        """Return a member that is an object, or else an empty object."""
        member = self.members.get(key)
        if member is not None and member.kind == "object":
            return member
        return Node("object", self.at, self.at)

    def list(self, key: str) -> tuple[Node, ...]:
        """Return the items of a member that is an array, or nothing."""
        member = self.members.get(key)
        return member.items if member is not None and member.kind == "array" else ()


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the offsets at which its lines begin."""

    text: str
    breaks: tuple[int, ...]

    def line(self, at: int) -> int:
        """Return the line of an offset, counting from 1. Only line feeds end lines."""
        return bisect_right(self.breaks, at - 1) + 1

    def lines(self, node: Node) -> range:
        """Return the lines of a value."""
        return range(self.line(node.at), self.line(node.end - 1) + 1)


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents in one file, and the faults that kept others from being read."""

    source: Source
    roots: tuple[Node, ...]
    faults: tuple[tuple[int, str], ...]


def source(data: bytes) -> Source:
    """Decode bytes as text. Bytes that are not UTF-8 become lone surrogates, which names must not
    contain, so anything they damaged is refused."""
    text = data.decode("utf-8", errors="surrogateescape")
    return Source(text, tuple(m.start() for m in re.finditer("\n", text)))


_START = re.compile(r"^[ \t]*+(?=[\[{])", re.MULTILINE)
_FOLLOWS = re.compile(r"[ \t]*(?=[\[{])")
_TOKEN = re.compile(
    r'[ \t\r\n]*+(?:("(?:[^"\\\x00-\x1f]++|\\.)*+")'
    r"|(-?(?:(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|NaN|Infinity))"
    r"|([\[\]{},:])|(true|false|null))"
)


def documents(data: bytes, repeated: Mapping[str, str] = _NO_KEYS) -> Documents:
    """Return every JSON object that begins on a line of its own or follows another one.

    ``repeated`` maps keys that a program writes several times into an object to the text to put
    between their strings; of values that are the same number, one is kept.

    Other lines are skipped. The objects of an array count as documents. The rest after a malformed
    document is not read, because its inner objects could pass for documents. Only if it began and
    ended on one line, as in JSON Lines, does the next line certainly belong to another document.
    """
    log = source(data)
    roots: list[Node] = []
    faults: list[tuple[int, str]] = []
    start = _START.search(log.text)
    while start:
        begin = start.end()
        try:
            root = _value(log.text, begin, 0, repeated)
        except MalformedError as fault:
            line = log.line(fault.at)
            faults.append((line, str(fault)))
            end = log.text.find("\n", begin)
            closed = log.text[begin : max(end, begin)].rstrip()[-1:] in ("]", "}")
            if line != log.line(begin) or not closed:
                break
            start = _START.search(log.text, end + 1)
            continue
        roots += [root] if root.kind == "object" else [i for i in root.items if i.kind == "object"]
        start = _FOLLOWS.match(log.text, root.end) or _START.search(log.text, root.end)
    return Documents(log, tuple(roots), tuple(faults))


def _value(text: str, at: int, level: int, repeated: Mapping[str, str]) -> Node:
    token = _TOKEN.match(text, at)
    if token is None:
        raise MalformedError("this is not JSON, or it is cut here", _past_space(text, at))
    # Earlier than Python's own limit, whose error could be raised anywhere.
    if level > MAX_LEVELS:
        raise MalformedError(f"values nest deeper than {MAX_LEVELS} levels", token.end() - 1)
    group = token.lastindex or 0
    start, end = token.span(group)
    if group == 1:
        return Node("string", start, end, _unquote(text, start, end))
    if group == 2:
        return Node("number", start, end, token[2])
    if group == 4:
        return Node("word", start, end, token[4])
    if token[3] == "{":
        return _object(text, start, level, repeated)
    if token[3] == "[":
        return _array(text, start, level, repeated)
    raise MalformedError(f"“{token[3]}” is where a value belongs", start)


def _array(text: str, start: int, level: int, repeated: Mapping[str, str]) -> Node:
    items: list[Node] = []
    mark, at = _mark(text, start + 1)
    if mark == "]":
        return Node("array", start, at)
    at = start + 1
    while True:
        items.append(_value(text, at, level + 1, repeated))
        mark, at = _mark(text, items[-1].end)
        if mark == "]":
            return Node("array", start, at, items=tuple(items))
        if mark != ",":
            raise MalformedError("a comma or “]” is missing", at)


def _object(text: str, start: int, level: int, repeated: Mapping[str, str]) -> Node:
    members: dict[str, Node] = {}
    mark, at = _mark(text, start + 1)
    if mark == "}":
        return Node("object", start, at)
    at = start + 1
    while True:
        key = _TOKEN.match(text, at)
        if key is None or not key[1]:
            raise MalformedError("a key is missing", _past_space(text, at))
        name = _unquote(text, *key.span(1))
        mark, at = _mark(text, key.end())
        if mark != ":":
            raise MalformedError("a colon is missing", at)
        value = _value(text, at, level + 1, repeated)
        if name in members:
            merged = _merged(members[name], value, repeated.get(name))
            # One of the two values would be lost.
            if merged is None:
                raise MalformedError(f"the key “{name}” appears twice in one object", key.start(1))
            members[name] = merged
        else:
            members[name] = value
        mark, at = _mark(text, value.end)
        if mark == "}":
            return Node("object", start, at, members=members)
        if mark != ",":
            raise MalformedError("a comma or “}” is missing", at)


def _merged(old: Node, new: Node, between: str | None) -> Node | None:
    """Merge two values under a key that may be repeated; return ``None`` if they cannot be
    merged."""
    if between is None or old.kind != new.kind:
        return None
    if old.kind == "string":
        return Node("string", old.at, new.end, f"{old.text}{between}{new.text}")
    return new if old.kind == "number" and old.text == new.text else None


def _mark(text: str, at: int) -> tuple[str, int]:
    """Return the punctuation at an offset and its end, or an empty text if there is none."""
    token = _TOKEN.match(text, at)
    if token is None or not token[3]:
        return "", _past_space(text, at)
    return token[3], token.end()


def _past_space(text: str, at: int) -> int:
    """Return the offset of the fault itself, after any spaces."""
    while at < len(text) - 1 and text[at] in " \t\r\n":
        at += 1
    return min(at, max(len(text) - 1, 0))


def _unquote(text: str, start: int, end: int) -> str:
    quoted = text[start:end]
    if "\\" not in quoted:
        return quoted[1:-1]
    try:
        return str(json.loads(quoted))
    except ValueError:
        raise MalformedError("a string holds a bad escape", start) from None

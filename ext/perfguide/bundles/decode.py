"""Text to bundles, and every fault of a bad one with its place.

The fast path is the decoder of the types. Where it refuses, a slow pass over
the same types finds all faults at once, so that an upload is mended in one go.
"""

from __future__ import annotations

import codecs
import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from .. import bundle as schema
from ..bundle import Bundle, pointer
from ..common.diagnostics import KINDS, Diagnostic, visible
from . import containers, keys
from .containers import Document, Source
from .decompress import Limits
from .faults import BUNDLE, Fault, NotFinite, check, contradictions, of_form, without_unknown
from .patterns import Patterns

MOST_FAULTS = 100
"""Faults of one bundle that are listed; the rest is counted."""

MOST_COUNTED = 1000
"""Faults of one bundle after which no more are looked for."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A sound bundle with where it came from and the hash of its content."""

    root: str
    origin: str
    bundle: Bundle
    digest: str


@dataclass(slots=True)
class Effort:
    """How much is still spent on finding faults in one upload, in bytes of faulty text."""

    left: int


def upload(
    source: Source, limits: Limits, patterns: Patterns | None = None
) -> Iterator[Loaded | Diagnostic]:
    """The bundles of one file, and every finding about it, with its root."""
    effort = Effort(limits.faulty)
    findings = 0
    for document in containers.read(source, limits):
        for item in _items(document, limits, effort, patterns):
            if isinstance(item, Loaded):
                yield item
                continue
            yield replace(item, root=source.root)
            findings += 1
            if findings >= limits.findings:
                message = f"has {findings} findings; the rest of it is not read"
                hint = "mend those above first"
                yield Diagnostic("limit", source.name, message, hint, root=source.root)
                return
        # Two texts of the largest size at once would be one too many.
        del document


def _items(
    document: Document | Diagnostic, limits: Limits, effort: Effort, patterns: Patterns | None
) -> Iterator[Loaded | Diagnostic]:
    if isinstance(document, Diagnostic):
        return iter((document,))
    return load(document, limits, effort, patterns)


def load(
    document: Document,
    limits: Limits | None = None,
    effort: Effort | None = None,
    patterns: Patterns | None = None,
) -> Iterator[Loaded | Diagnostic]:
    """The bundles of one text: one object, an array of them, or one a line.

    ``patterns`` are those of the texts that were read before it.
    """
    limits = limits or Limits()
    effort = effort or Effort(limits.faulty)
    if document.lines:
        if document.data.count(b"\n") > limits.values:
            message = f"has more than {limits.values} lines"
            yield Diagnostic("limit", document.origin, message, "split the upload")
            return
        for number, line in enumerate(_lines(document.data), start=1):
            if line.strip():
                origin = f"{document.origin}#{number}"
                yield from _one(document, origin, line, number, limits, effort, patterns)
    elif document.data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"[":
        yield from _array(document, limits, effort, patterns)
    else:
        yield from _one(document, document.origin, document.data, None, limits, effort, patterns)


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines of a text, one at a time: there can be as many as bytes."""
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end]
        start = end + 1
    yield data[start:]


def _too_many(data: bytes, limits: Limits) -> bool:
    """Whether a text can hold more values than it may; marks in strings count too."""
    # Two bytes are the least that a value takes.
    return len(data) > 2 * limits.values and sum(map(data.count, _MARKS)) > limits.values


_MARKS = (b",", b":", b"[", b"{")


def _refused(origin: str, line: int | None, limits: Limits) -> Diagnostic:
    message = f"holds more than {limits.values} values"
    hint = "write one bundle a line into a .jsonl file, split the upload, or raise the limits"
    return Diagnostic("limit", origin, message, hint, line=line)


def _array(
    document: Document, limits: Limits, effort: Effort, patterns: Patterns | None
) -> Iterator[Loaded | Diagnostic]:
    """The bundles of an array, where a bad one does not stop the others."""
    if _too_many(document.data, limits):
        yield _refused(document.origin, None, limits)
        return
    try:
        items = msgspec.json.decode(document.data, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        if effort.left <= 0:
            yield _in_short(document.origin, error, None)
            return
    else:
        for number, item in enumerate(items, start=1):
            origin = f"{document.origin}#{number}"
            yield from _one(document, origin, bytes(item), None, limits, effort, patterns)
        return
    # NaN and half a surrogate pair are faults of one bundle, but not JSON to the decoder.
    effort.left -= len(document.data)
    tree, faults = _tree(document.data)
    if faults or not isinstance(tree, list):
        yield from _outcome(document, document.origin, None, None, faults)
        return
    for number, item in enumerate(tree, start=1):
        yield from _outcome(document, f"{document.origin}#{number}", None, *_judge(item, []))


def _one(
    document: Document,
    origin: str,
    data: bytes,
    line: int | None,
    limits: Limits,
    effort: Effort,
    patterns: Patterns | None,
) -> Iterator[Loaded | Diagnostic]:
    if _too_many(data, limits):
        yield _refused(origin, line, limits)
        return
    if patterns and (quick := patterns.read(data)):
        yield Loaded(document.source.root, origin, quick.bundle, quick.digest)
        return
    reason = "it may name a key twice"
    try:
        bundle = schema.decode(data)
        encoded = schema.encode(bundle)
        once = keys.named_once(data, encoded)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        reason, once = str(error), False
    if once:
        if patterns:
            patterns.learn(data, encoded, bundle)
        yield Loaded(document.source.root, origin, bundle, schema.content_hash(encoded))
        return
    if effort.left <= 0:
        yield _in_short(origin, reason, line)
        return
    found, faults = validate(data)
    if found is None:
        effort.left -= len(data) + 100
    yield from _outcome(document, origin, line, found, faults)


def _in_short(origin: str, reason: object, line: int | None) -> Diagnostic:
    """A refusal in an upload of which too much is faulty to look at every fault."""
    message = f"is refused, and not looked at in full: {visible(str(reason), 200)}"
    return Diagnostic("schema", origin, message, "mend what is said above first", line=line)


def _outcome(
    document: Document, origin: str, line: int | None, found: Bundle | None, faults: list[Fault]
) -> Iterator[Loaded | Diagnostic]:
    """What the slow pass has found, as diagnostics with the place, and the bundle."""
    shown = faults[:MOST_FAULTS]
    for fault in shown:
        yield Diagnostic(fault.kind, origin, fault.message, fault.hint, fault.pointer, line)
    if len(faults) > len(shown):
        at_least = "at least " if len(faults) >= MOST_COUNTED else ""
        more = f"and {at_least}{len(faults) - len(shown)} more faults of this bundle"
        yield Diagnostic("schema", origin, more, "mend those above first", line=line)
    if found is not None:
        yield Loaded(document.source.root, origin, found, schema.digest(found))


def validate(data: bytes) -> tuple[Bundle | None, list[Fault]]:
    """The bundle where it can be published, and every fault found.

    A bundle with nothing worse than keys nobody knows is returned without them.
    """
    tree, faults = _tree(data)
    if tree is None and faults:
        return None, faults
    return _judge(tree, faults)


def _judge(tree: Any, faults: list[Fault]) -> tuple[Bundle | None, list[Fault]]:
    """The bundle of a parsed text, and its faults after those that are known."""
    try:
        plain = _plain(tree, "", faults)
    except RecursionError:
        return None, [_TOO_DEEP]
    if isinstance(plain, dict) and plain.get("format") == schema.FORMAT:
        version = plain.get("version")
        if isinstance(version, int) and version > schema.VERSION:
            message = f"schema version {version}; this release reads {schema.VERSION}"
            return None, [Fault("version", "/version", message, "use a newer perfguide")]
    further = itertools.chain(check(plain, BUNDLE, ""), contradictions(plain))
    faults += itertools.islice(further, max(0, MOST_COUNTED - len(faults)))
    if any(KINDS[f.kind].severity == "error" for f in faults):
        return None, faults
    try:
        found = msgspec.convert(without_unknown(plain, BUNDLE), Bundle)
    except (msgspec.ValidationError, OverflowError) as error:
        return None, [*faults, Fault("schema", "", str(error))]
    if not schema.consistent(found):
        return None, [*faults, Fault("schema", "", "contradicts itself")]
    return found, faults


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of an object as written, repeated keys and all."""


_WHOLE = "write the whole character, or leave it out"
_TOO_DEEP = Fault("syntax", "", "is nested too deeply", "a bundle has five levels")


def _tree(data: bytes) -> tuple[Any, list[Fault]]:
    """The text as values with repeated keys and all; faults of form."""
    if data[:4] in (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff") or data[:2] in (
        b"\xff\xfe",
        b"\xfe\xff",
    ):
        return None, [Fault("syntax", "", "is UTF-16 or UTF-32 text", "save it as UTF-8")]
    if not data.strip():
        return None, [
            Fault("syntax", "", "is not JSON: it is empty (line 1, column 1)", "upload it again")
        ]
    try:
        text = data.decode("utf-8")
        tree = json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=_Pairs,
            parse_constant=NotFinite,
            parse_float=lambda t: float(t) if math.isfinite(float(t)) else NotFinite(t),
            parse_int=lambda t: int(t) if math.isfinite(float(t)) else NotFinite(t),
        )
    except UnicodeDecodeError as error:
        place = data[: error.start].count(b"\n") + 1
        return None, [Fault("syntax", "", f"line {place} is not UTF-8 text", "save it as UTF-8")]
    except json.JSONDecodeError as error:
        return None, [of_form(text.removeprefix("\ufeff"), error)]
    except RecursionError:
        return None, [_TOO_DEEP]
    if text.startswith("\ufeff"):
        return tree, [Fault("syntax", "", "begins with a byte order mark", "save it without")]
    return tree, []


def _plain(value: Any, place: str, faults: list[Fault]) -> Any:
    if len(faults) >= MOST_COUNTED:
        return None
    if isinstance(value, _Pairs):
        out: dict[str, Any] = {}
        for key, inner in value:
            step = f"{place}/{pointer(key)}"
            if key in out:
                message = f"“{key}” stands here twice"
                faults.append(Fault("duplicate-key", step, message, "keep one of them"))
            if not _is_text(key):
                faults.append(Fault("syntax", step, "a key with half a surrogate pair", _WHOLE))
            out[key] = _plain(inner, step, faults)
        return out
    if isinstance(value, list):
        return [_plain(inner, f"{place}/{i}", faults) for i, inner in enumerate(value)]
    if isinstance(value, NotFinite):
        message = f"{visible(value, 40)} is not a finite number"
        hint = "a failed measurement is “status”: “fail”"
        faults.append(Fault("schema", place, message, hint))
    elif isinstance(value, str) and not _is_text(value):
        faults.append(Fault("syntax", place, "text with half a surrogate pair", _WHOLE))
    return value


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True

"""Text to bundles, and every fault of a bad one with its place.

The fast path is the decoder of the types. Where it refuses, a slow pass over
the same types finds all faults at once, so that an upload is mended in one go.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from . import bundle as schema
from .archive import Document
from .bundle import Bundle, pointer
from .diagnostics import KINDS, Diagnostic, visible
from .faults import BUNDLE, Fault, NotFinite, check, contradictions, without_unknown

MOST_FAULTS = 100
"""Faults of one bundle that are listed; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A sound bundle with where it came from and the hash of its content."""

    root: str
    origin: str
    bundle: Bundle
    digest: str


def load(document: Document) -> Iterator[Loaded | Diagnostic]:
    """The bundles of one text: one object, an array of them, or one a line."""
    if document.lines:
        for number, line in enumerate(document.data.split(b"\n"), start=1):
            if line.strip():
                yield from _one(document, f"{document.origin}#{number}", line, number)
    elif document.data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"[":
        yield from _array(document)
    else:
        yield from _one(document, document.origin, document.data, None)


def _array(document: Document) -> Iterator[Loaded | Diagnostic]:
    """The bundles of an array, where a bad one does not stop the others."""
    try:
        items = msgspec.json.decode(document.data, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        pass
    else:
        for number, item in enumerate(items, start=1):
            yield from _one(document, f"{document.origin}#{number}", bytes(item), None)
        return
    # NaN and half a surrogate pair are faults of one bundle, but not JSON to the decoder.
    tree, faults = _tree(document.data)
    if faults or not isinstance(tree, list):
        yield from _outcome(document, document.origin, None, None, faults)
        return
    for number, item in enumerate(tree, start=1):
        yield from _outcome(document, f"{document.origin}#{number}", None, *_judge(item, []))


def _one(
    document: Document, origin: str, data: bytes, line: int | None
) -> Iterator[Loaded | Diagnostic]:
    try:
        bundle = schema.decode(data)
        if not _may_repeat_keys(data, bundle):
            yield Loaded(document.source.root, origin, bundle, schema.digest(bundle))
            return
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    yield from _outcome(document, origin, line, *validate(data))


def _outcome(
    document: Document, origin: str, line: int | None, found: Bundle | None, faults: list[Fault]
) -> Iterator[Loaded | Diagnostic]:
    """What the slow pass has found, as diagnostics with the place, and the bundle."""
    shown = faults[:MOST_FAULTS]
    for fault in shown:
        yield Diagnostic(fault.kind, origin, fault.message, fault.hint, fault.pointer, line)
    if len(faults) > len(shown):
        more = f"and {len(faults) - len(shown)} more faults of this bundle"
        yield Diagnostic("schema", origin, more, "mend those above first", line=line)
    if found is not None:
        yield Loaded(document.source.root, origin, found, schema.digest(found))


_KEY = re.compile(rb'"\s*:')


def _may_repeat_keys(data: bytes, bundle: Bundle) -> bool:
    """Whether the text holds more keys than the decoded bundle can account for.

    The decoder lets the last of two equal keys win. Each key of the text is one
    match of the pattern, and text in strings can only add matches; so where the
    numbers agree no key stands there twice. Where they differ the slow pass
    decides.
    """
    return len(_KEY.findall(data)) != _count_keys(msgspec.json.decode(data))


def _count_keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(
            _count_keys(v) for v in value.values() if isinstance(v, dict | list)
        )
    if isinstance(value, list):
        return sum(_count_keys(v) for v in value if isinstance(v, dict | list))
    return 0


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
    faults += check(plain, BUNDLE, "")
    faults += contradictions(plain)
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
        where = f"line {error.lineno}, column {error.colno}"
        return None, [Fault("syntax", "", f"is not JSON: {error.msg} ({where})")]
    except RecursionError:
        return None, [_TOO_DEEP]
    if text.startswith("\ufeff"):
        return tree, [Fault("syntax", "", "begins with a byte order mark", "save it without")]
    return tree, []


def _plain(value: Any, place: str, faults: list[Fault]) -> Any:
    if isinstance(value, _Pairs):
        out: dict[str, Any] = {}
        for key, inner in value:
            step = f"{place}/{pointer(key)}"
            if key in out:
                message = f"“{key}” stands here twice"
                faults.append(Fault("duplicate-key", step, message, "keep one of them"))
            if not _is_text(key):
                faults.append(Fault("syntax", step, "a key with half a surrogate pair"))
            out[key] = _plain(inner, step, faults)
        return out
    if isinstance(value, list):
        return [_plain(inner, f"{place}/{i}", faults) for i, inner in enumerate(value)]
    if isinstance(value, NotFinite):
        message = f"{visible(value, 40)} is not a finite number"
        hint = "a failed measurement is “status”: “fail”"
        faults.append(Fault("schema", place, message, hint))
    elif isinstance(value, str) and not _is_text(value):
        faults.append(Fault("syntax", place, "text with half a surrogate pair"))
    return value


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True

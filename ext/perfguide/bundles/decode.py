"""Decoding bundles from JSON, with the location of every fault in an invalid one.

Text is decoded into columns, which are checked one at a time. If that fails, a slow pass over the
schema types finds all faults, so that an upload can be fixed in one go. The outcome depends only on
the bytes of a bundle.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import asdict, fields, force_setattr

from .. import bundle as schema
from ..bundle import Bundle
from ..common.diagnostics import Diagnostic, visible
from . import containers
from .containers import Document, Source
from .decompress import Limits
from .faults import MAX_FAULTS, Fault, parse, validate, validate_tree
from .page_estimate import PageEstimate
from .results import Results, Written, adjacent, as_columns, columns, encode

MAX_LISTED_FAULTS = 100
"""The most faults listed for one bundle; the rest are counted."""

MIN_DIFFERENT_FIGURES = 8
"""The fewest distinct figures that cannot coincide between two runs by chance."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A valid bundle with its origin and content hash."""

    root: str
    origin: str
    bundle: Bundle
    digest: str

    @property
    def results(self) -> Results:
        """The results of the bundle, as columns."""
        return as_columns(self.bundle.results)

    def rows(self) -> int:
        """Return the number of results."""
        return self.results.columns.rows

    def hash_of_figures(self) -> str:
        """Return a hash shared by bundles with the same figures, or an empty string if there are
        too few distinct figures for it to be meaningful."""
        columns = self.results.columns
        if columns.distinct() < MIN_DIFFERENT_FIGURES:
            return ""
        return hashlib.sha256(msgspec.msgpack.encode(columns.figures())).hexdigest()


@dataclass(slots=True)
class _Upload:
    """The limits of one upload, and how many bytes of faulty text may still be examined."""

    limits: Limits
    effort: int


def upload(source: Source, limits: Limits) -> Iterator[Loaded | Diagnostic]:
    """Yield the bundles of one file and all diagnostics about it, with their root."""
    reading = _Upload(limits, limits.faulty)
    findings, estimate = 0, PageEstimate(limits)
    for items in _items(source, reading):
        for item in items:
            if isinstance(item, Loaded):
                # Earlier bundles are kept: an upload is cut off where it becomes too large.
                if excess := estimate.add(item.bundle, item.results.columns):
                    message = f"would produce {excess}; this bundle and the rest are not read"
                    hint = "split the upload, or raise the limit: perfguide_limits or --limit"
                    yield Diagnostic("limit", item.origin, message, hint, root=source.root)
                    return
                yield item
                continue
            yield replace(item, root=source.root)
            findings += 1
            if findings >= limits.findings:
                message = f"has {findings} findings; the rest is not read"
                hint = "fix those above first"
                yield Diagnostic("limit", source.name, message, hint, root=source.root)
                return


def _items(source: Source, reading: _Upload) -> Iterator[Iterable[Loaded | Diagnostic]]:
    """Yield the bundles and diagnostics of each document in one file."""
    for document in containers.read(source, reading.limits):
        yield [document] if isinstance(document, Diagnostic) else _load(document, reading)
        # Hold only one document of maximal size in memory, not two.
        del document


def load(document: Document, limits: Limits | None = None) -> Iterator[Loaded | Diagnostic]:
    """Yield the bundles of one document: an object, an array of objects, or one object per line."""
    limits = limits or Limits()
    return _load(document, _Upload(limits, limits.faulty))


def _load(document: Document, reading: _Upload) -> Iterator[Loaded | Diagnostic]:
    if document.lines:
        if document.data.count(b"\n") > reading.limits.values:
            message = f"has more than {reading.limits.values} lines"
            yield Diagnostic("limit", document.origin, message, "split the upload")
            return
        for number, line in enumerate(_lines(document.data), start=1):
            if line.strip():
                yield from _one(document, f"{document.origin}#{number}", line, number, reading)
    elif document.data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"[":
        yield from _array(document, reading)
    else:
        yield from _one(document, document.origin, document.data, None, reading)


def _lines(data: bytes) -> Iterator[bytes]:
    """Yield the lines of a text lazily, as there can be as many as bytes."""
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end]
        start = end + 1
    yield data[start:]


def _too_many(data: bytes, limits: Limits) -> bool:
    """Return whether a text may hold more values than allowed, counting punctuation in strings
    too."""
    # A value takes at least two bytes.
    return len(data) > 2 * limits.values and sum(map(data.count, _MARKS)) > limits.values


_MARKS = (b",", b":", b"[", b"{")


def _refused(origin: str, line: int | None, limits: Limits) -> Diagnostic:
    message = f"holds more than {limits.values} values"
    hint = "write one bundle per line into a .jsonl file, split the upload, or raise the limits"
    return Diagnostic("limit", origin, message, hint, line=line)


def _array(document: Document, reading: _Upload) -> Iterator[Loaded | Diagnostic]:
    """Yield the bundles of an array; an invalid one does not affect the others."""
    if _too_many(document.data, reading.limits):
        yield _refused(document.origin, None, reading.limits)
        return
    try:
        items = msgspec.json.decode(document.data, type=list[Raw])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        if reading.effort <= 0:
            yield _in_short(document.origin, str(error), None)
            return
    else:
        for number, item in enumerate(items, start=1):
            yield from _one(document, f"{document.origin}#{number}", bytes(item), None, reading)
        return
    # NaN or a lone surrogate is the fault of a single bundle, but the decoder does not accept it as
    # JSON and refuses the entire array.
    reading.effort -= len(document.data)
    tree, faults = parse(document.data)
    if faults or not isinstance(tree, list):
        yield from _findings(document.origin, None, faults)
        return
    for number, item in enumerate(tree, start=1):
        origin = f"{document.origin}#{number}"
        bundle, faults = validate_tree(item, [])
        yield from _findings(origin, None, faults)
        if bundle is not None:
            yield Loaded(document.source.root, origin, *_decoded(schema.encode(bundle)))


def _one(
    document: Document, origin: str, data: bytes, line: int | None, reading: _Upload
) -> Iterator[Loaded | Diagnostic]:
    if _too_many(data, reading.limits):
        yield _refused(origin, line, reading.limits)
        return
    decoded, faults = None, list[Fault]()
    # On failure, the slow pass finds the reason or tolerates unknown keys.
    with suppress(msgspec.MsgspecError, ValueError, RecursionError):
        decoded = None if _has_tiny(data) else _decoded(data)
    if decoded is None:
        if reading.effort <= 0:
            yield _in_short(origin, _first_fault(data), line)
            return
        bundle, faults = validate(data)
        if bundle is None:
            # The constant charges for many tiny faulty bundles.
            reading.effort -= len(data) + 100
            yield from _findings(origin, line, faults)
            return
        decoded = _decoded(schema.encode(bundle))
    yield from _findings(origin, line, faults)
    yield Loaded(document.source.root, origin, *decoded)


def _in_short(origin: str, reason: str, line: int | None) -> Diagnostic:
    """Return the diagnostic for a bundle in an upload with too much faulty text to list it."""
    message = f"is refused without a full check: {visible(reason, 200)}"
    return Diagnostic("schema", origin, message, "fix the faults above first", line=line)


def _first_fault(data: bytes) -> str:
    try:
        schema.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return str(error)
    return "it may contain a duplicate key"


def _findings(origin: str, line: int | None, faults: Sequence[Fault]) -> Iterator[Diagnostic]:
    """Yield the faults of one bundle as diagnostics with locations."""
    listed = faults[:MAX_LISTED_FAULTS]
    for fault in listed:
        yield Diagnostic(fault.kind, origin, fault.message, fault.hint, fault.pointer, line)
    if len(faults) > len(listed):
        at_least = "at least " if len(faults) >= MAX_FAULTS else ""
        more = f"and {at_least}{len(faults) - len(listed)} more faults of this bundle"
        yield Diagnostic("schema", origin, more, "fix those above first", line=line)


_WrittenBundle: Any = msgspec.defstruct(
    "_WrittenBundle",
    [
        ("results", list[Written]),
        *((f.name, Raw | UnsetType, UNSET) for f in fields(Bundle) if f.name != "results"),
    ],
    kw_only=True,
    forbid_unknown_fields=True,
)
"""A bundle as written; everything but the results stays undecoded."""

_DECODE = msgspec.json.Decoder(_WrittenBundle).decode


def _decoded(data: bytes) -> tuple[Bundle, str]:
    """Decode a faultless bundle, and return it with its content hash. Raises
    :class:`msgspec.MsgspecError`, :class:`ValueError` or :class:`RecursionError` for any other
    text, and for a few valid ones."""
    written = _DECODE(data)
    given = {name: text for name, text in asdict(written).items() if text is not UNSET}
    head = encode(given | {"results": []})
    bundle = schema.decode(head)
    table, spelt_out = columns(written.results)
    body = encode(written.results)
    escaped = b"\\" in data and b"\\u003" in data and _ESCAPED_COLON.search(data)
    if escaped or _colons(data) != _colons(head) + _colons(body) + spelt_out:
        raise ValueError("it may contain a duplicate key")
    if _colons(encode(msgspec.json.decode(head))) != _colons(head):
        raise ValueError("it contains a duplicate key")
    force_setattr(bundle, "results", Raw(body))
    digest = schema.digest(bundle)
    force_setattr(bundle, "results", Results(table))
    return bundle, digest


def _has_tiny(data: bytes) -> bool:
    """Return whether a number in a text may underflow to zero; the slow pass decides."""
    far = (_FAR.match(data, position + 2) for position in adjacent(data, b"eE", b"-"))
    # A run of 300 zeros includes two adjacent ones at some multiple of 128.
    return any(far) or (b"00" in data[::128] and b"0" * 300 in data)


_FAR = re.compile(rb"0*([3-9][0-9]{2}|[1-9][0-9]{3})")
"""The exponent, after ``e-``, of a number that may be too small."""
_ESCAPED_COLON = re.compile(rb"(?<!\\)(?:\\\\)*\\u003[aA]")


def _colons(text: bytes) -> int:
    """Count the colons in a text.

    The decoder silently drops duplicate keys. Outside strings, colons only occur after keys. So if
    the re-encoded result has as many colons as the text, and no string escapes one, no key was
    lost.
    """
    import numpy as np  # imported late: commands that read no bundle do without it

    codes = np.frombuffer(text, dtype="uint8")
    # In chunks, so that the result of the comparison stays in the CPU cache.
    return sum(
        int(np.count_nonzero(codes[start : start + _CHUNK_BYTES] == ord(":")))
        for start in range(0, len(codes), _CHUNK_BYTES)
    )


_CHUNK_BYTES = 65536

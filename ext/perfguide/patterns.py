"""Bundles whose text differs from one before in figures only, read by their figures.

Where all of a text but its figures is the same as that of a bundle that has been found
sound, byte for byte, only what differs is decoded and checked. What is not quite the
same is left to the decoder, which can say what is wrong with it.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import force_setattr

from . import bundle as schema
from . import keys
from .bundle import Bundle, Count, Figure
from .results import WHOLE, Place, Results, Shape

KEPT = 8
"""How many patterns are known at a time; each holds about as much as its bundle's text."""
Ints = np.ndarray[Any, np.dtype[np.int64]]

LARGEST = 4 * 1024**2
"""Bytes of a text from which no pattern is made."""
TRIED = 4
"""So many patterns are made before one has been of use."""
COST, WORTH = 256, 16
"""A further one is made after so many texts, of which each that followed a pattern counts
``WORTH`` times. Making one takes as long as reading some twenty bundles."""
IDLE = 64
"""Texts after which a pattern is let go where none of them has followed it."""


@dataclass(frozen=True, slots=True)
class Quick:
    """A bundle that was read by a pattern, and the hash of its content."""

    bundle: Bundle
    digest: str


class Patterns:
    """The patterns of the bundles that were read last."""

    def __init__(self) -> None:
        self._known: list[_Pattern] = []
        self._used: dict[_Pattern, int] = {}
        self._texts = 0
        self._seen: set[tuple[object, ...]] = set()
        self._left = TRIED * COST

    def read(self, data: bytes) -> Quick | None:
        """The bundle of a text, or ``None`` where the text follows no pattern or where
        what differs is not sound."""
        begin = _RESULTS.search(data)
        if begin is None:
            return None
        self._left += 1
        self._texts += 1
        for pattern in [*self._known]:
            found = pattern.read(data, begin.end())
            if found:
                self._left += WORTH - 1
                self._used[pattern] = self._texts
                if pattern is not self._known[0]:
                    self._known.remove(pattern)
                    self._known.insert(0, pattern)
                return found
            if self._texts - self._used[pattern] > IDLE:
                self._forget(pattern)
        return None

    def _forget(self, pattern: _Pattern) -> None:
        self._known.remove(pattern)
        del self._used[pattern]

    def learn(self, data: bytes, encoded: bytes, bundle: Bundle) -> None:
        """Make a pattern of a sound bundle, where a like one was seen before. ``encoded``
        is the bundle as :func:`bundle.encode` gives it."""
        results = bundle.results
        if not results or len(data) > LARGEST or self._left < COST:
            return
        ends = results[0], results[-1]
        like = len(results), *((r.benchmark, r.metric, r.unit) for r in ends)
        if like not in self._seen:
            self._seen.add(like)
            return
        self._left -= COST
        begin, pattern = _RESULTS.search(data), _pattern(data, encoded, results)
        if begin is None or pattern is None:
            return
        # What a pattern says of its own text has to be what the decoder has said.
        again = pattern.read(data, begin.end())
        if again and again.digest == schema.content_hash(encoded) and again.bundle == bundle:
            if len(self._known) == KEPT:
                self._forget(self._known[-1])
            self._known.insert(0, pattern)
            self._used[pattern] = self._texts


_SPACE = rb"[ \t\r\n]*"
_RESULTS = re.compile(rb'"results"' + _SPACE + b":" + _SPACE + rb"(?=\[)")
_FIGURES = msgspec.json.Decoder(list[Figure])
_COUNTS = msgspec.json.Decoder(list[Count])


@dataclass(frozen=True, slots=True, eq=False)
class _Pattern:
    """The text of a bundle's results around its figures, as written and as encoded."""

    shape: Shape
    written: tuple[bytes, ...]
    """One more than there are figures; so are those of ``encoded``."""
    lengths: Ints
    """The length of the piece before each figure."""
    stops: tuple[int, ...]
    """The bytes that end a figure."""
    ends: Ints
    """Which one of all such bytes of the results ends each figure."""
    encoded: tuple[bytes, ...]
    order: tuple[int, ...]
    """For each figure of the encoded text its place in the shape."""
    floats: tuple[int, ...]
    """The figures in the order of the written text that are no whole numbers; the shape
    has them first, and after them the whole numbers."""
    wholes: tuple[int, ...]

    def read(self, data: bytes, start: int) -> Quick | None:
        """The bundle of a text whose results begin at ``start``.

        Before ``start`` stands ``"results":``. If the text is sound with ``[]`` for what
        the pattern covers, then that quotation mark ends a key, for nothing that could
        stand before an opening one ends in ``results``; and the key is that of the
        bundle, for no other one ends so and takes an array. So the pattern covers the
        bundle's results, and they are those of the sound bundle with other figures.
        """
        found = self._texts(data, start)
        if found is None:
            return None
        texts, end = found
        around = data[:start] + b"[]" + data[end:]
        try:
            figures, again = _numbers(_FIGURES, [texts[i] for i in self.floats])
            if self.wholes:
                wholes, more = _numbers(_COUNTS, [texts[i] for i in self.wholes])
                figures, again = figures + wholes, again + more
            bundle = schema.decode(around)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        if not keys.named_once(around, schema.encode(bundle)):
            return None
        whole = _between(self.encoded, [again[i] for i in self.order])
        force_setattr(bundle, "results", msgspec.Raw(whole))
        digest = schema.digest(bundle)
        force_setattr(bundle, "results", Results(self.shape, array("d", figures)))
        return Quick(bundle, digest)

    def _texts(self, data: bytes, start: int) -> tuple[list[bytes], int] | None:
        """What stands for the figures in a text, and where the results end."""
        stops = _places(data, start, self.stops)
        if len(stops) <= self.ends[-1]:
            return None
        ends = stops[self.ends]
        if not data.startswith(self.written[-1], int(ends[-1])):
            return None  # without comparing all before it
        begins = np.concatenate([[start], ends[:-1]]) + self.lengths
        texts = [data[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]
        whole = _between(self.written, texts)
        return (texts, start + len(whole)) if data.startswith(whole, start) else None


def _between(pieces: Sequence[bytes], texts: Sequence[bytes]) -> bytes:
    """A text of pieces, with other texts between them."""
    parts = [b""] * (2 * len(texts) + 1)
    parts[::2] = pieces
    parts[1::2] = texts
    return b"".join(parts)


def _places(text: bytes, start: int, stops: Sequence[int]) -> Ints:
    """Where some bytes stand in a text from a place on."""
    own = np.frombuffer(text, dtype="uint8", offset=start)
    found = own == stops[0]
    for stop in stops[1:]:
        found |= own == stop
    return np.flatnonzero(found) + start


def _numbers(
    decoder: msgspec.json.Decoder[list[Any]], texts: list[bytes]
) -> tuple[list[Any], list[bytes]]:
    """The numbers of some texts, and each of them as it is encoded.

    Each text has to be one number: an empty text is a fault, so what holds two makes
    more numbers than there are texts.
    """
    written = b"[" + b",".join(texts) + b"]"
    numbers = decoder.decode(written) if texts else []
    if len(numbers) != len(texts):
        raise ValueError("is not one number")
    encoded = msgspec.json.encode(numbers)
    return numbers, texts if encoded == written else encoded[1:-1].split(b",")


_TOKEN = re.compile(rb'("(?:[^"\\]|\\.)*")(\s*:)?|([\[{])|([\]}])|(-?[0-9][-+.0-9eE]*)')

_Slot = tuple[int, str, int]
"""The row of a figure, its field, and which one of it: of samples there can be several."""


def _slots(text: bytes) -> tuple[int, int, dict[_Slot, tuple[int, int]]] | None:
    """Where the results of a bundle begin and end in its text, and each of their figures.

    A key that is written in another way than plainly is not seen as one of a figure.
    """
    path: list[bytes] = [b""] * 5
    depth, row, begin = 0, -1, -1
    slots: dict[_Slot, tuple[int, int]] = {}
    counts: defaultdict[tuple[int, str], int] = defaultdict(int)
    for token in _TOKEN.finditer(text):
        kind = token.lastindex
        if kind == 2 and depth < 5:
            path[depth] = token[1]
        elif kind == 3:
            if depth == 1 and path[1] == b'"results"':
                begin = token.start()
            row += depth == 2 and begin >= 0
            depth += 1
            if depth < 5:
                path[depth] = b""
        elif kind == 4:
            depth -= 1
            if depth == 1 and begin >= 0:
                return begin, token.end(), slots
        elif kind == 5 and begin >= 0 and depth < 5:
            field = _FIELDS.get(tuple(path[3 : depth + 1]))
            if field:
                slots[row, field, counts[row, field]] = token.span()
                counts[row, field] += 1
    return None


_FIELDS: dict[tuple[bytes, ...], str] = {
    **{(f'"{name}"'.encode(),): name for name in ("value", "min", "max", "count")},
    (b'"samples"', b""): "samples",
    (b'"log"', b'"line"'): "line",
}
"""The keys that lead to a figure from a result on; an item of an array has none."""


def _pattern(data: bytes, encoded: bytes, results: Sequence[schema.Result]) -> _Pattern | None:
    """The pattern of a sound bundle's text; ``None`` where its figures are not found."""
    written, again = _slots(data), _slots(encoded)
    if written is None or again is None or not written[2] or set(written[2]) != set(again[2]):
        return None
    slots = list(written[2])
    floats = tuple(i for i, slot in enumerate(slots) if slot[1] not in WHOLE)
    wholes = tuple(i for i, slot in enumerate(slots) if slot[1] in WHOLE)
    place = {slots[i]: position for position, i in enumerate((*floats, *wholes))}
    places: list[list[Place]] = [[] for _ in results]
    for (row, field), count in Counter(slot[:2] for slot in slots).items():
        places[row].append(Place(field, place[row, field, 0], count))
    pieces = _around(data, *written)
    stops = tuple({piece[0] for piece in pieces[1:]})
    ends = np.array([end for _, end in written[2].values()], dtype="int64")
    return _Pattern(
        Shape(results, tuple(map(tuple, places))),
        pieces,
        np.array([len(piece) for piece in pieces[:-1]], dtype="int64"),
        stops,
        np.searchsorted(_places(data, written[0], stops), ends),
        _around(encoded, *again),
        tuple(place[slot] for slot in again[2]),
        floats,
        wholes,
    )


def _around(
    text: bytes, begin: int, end: int, slots: dict[_Slot, tuple[int, int]]
) -> tuple[bytes, ...]:
    """The pieces of a text's results before, between and behind the figures."""
    starts = [begin, *(stop for _, stop in slots.values())]
    stops = [*(start for start, _ in slots.values()), end]
    return tuple(text[a:b] for a, b in zip(starts, stops, strict=True))

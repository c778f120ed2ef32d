"""Bundles whose text differs from one before in figures only, read by their figures.

Where all of a text but its figures is the same as that of a bundle that has been found
sound, byte for byte, only what differs is decoded and checked. What is not quite the
same is left to the decoder, which can say what is wrong with it.
"""

from __future__ import annotations

import itertools
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import force_setattr

from .. import bundle as schema
from ..bundle import Bundle, Count, Figure
from . import keys
from .results import WHOLE, Place, Results, Shape, Starts

if TYPE_CHECKING:
    import numpy as np

    Ints = np.ndarray[Any, np.dtype[np.int64]]

# What works on arrays imports numpy itself: commands that read no bundle need not wait for it.

KEPT = 8
"""How many patterns are known at a time; each holds about as much as its bundle's text."""
LARGEST = 1024**2
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
    """One more than there are slots; so are those of ``encoded``."""
    colons: Ints
    """Which colon of the results is the last one before each slot; none is in a slot."""
    behind: Ints
    """For each slot how far behind that colon it begins."""
    before: Ints
    """For each slot but the last how far before the next colon it ends."""
    encoded: tuple[bytes, ...]
    order: tuple[int, ...]
    """For each slot of the encoded text that of the shape; none where they are the same."""
    floats: tuple[int, ...]
    """Which slots of the written text hold no whole numbers; the shape has them first, and
    after them the others, ``wholes``."""
    wholes: tuple[int, ...]
    sampled: tuple[int, ...]
    """The slots of the shape that hold samples."""
    sizes: list[int]
    """How many they hold in the shape's own results."""

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
            floats = [texts[i] for i in self.floats] if self.wholes else texts
            figures, again, sizes = _numbers(_FIGURES, floats, self.sampled)
            if self.wholes:
                wholes, more, _ = _numbers(_COUNTS, [texts[i] for i in self.wholes], ())
                figures, again = figures + wholes, again + more
            bundle = schema.decode(around)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        encoded = schema.encode(bundle)
        if not keys.named_once(around, encoded):
            return None
        if self.order:
            again = [again[i] for i in self.order]
        # The first one is that key: all keys before it are the schema's own, and a string
        # that is no key has no colon behind it.
        head, key, tail = encoded.partition(b'"results":')
        whole = _between(self.encoded, again, head + key, tail.removeprefix(b"[]"))
        starts = self.shape.starts
        if sizes != self.sizes:
            starts = _starts(len(texts), self.sampled, sizes)
        force_setattr(bundle, "results", Results(self.shape, array("d", figures), starts))
        return Quick(bundle, schema.content_hash(whole))

    def _texts(self, data: bytes, start: int) -> tuple[list[bytes], int] | None:
        """What stands for the figures in a text, and where the results end."""
        colons = _colons(data, start)
        if len(colons) <= self.colons[-1]:
            return None
        begins = (colons[self.colons] + self.behind).tolist()
        if not data.endswith(self.written[-2], start, begins[-1]):
            return None  # without comparing all before it
        ends = (colons[self.colons[:-1] + 1] - self.before).tolist()
        ends.append(data.find(self.written[-1], begins[-1]))
        texts = [data[a:b] for a, b in zip(begins, ends, strict=True)]
        whole = _between(self.written, texts)
        return (texts, start + len(whole)) if data.startswith(whole, start) else None


def _between(
    pieces: Sequence[bytes], texts: Sequence[bytes], head: bytes = b"", tail: bytes = b""
) -> bytes:
    """A text of pieces, with other texts between them."""
    parts = [head] * (2 * len(texts) + 3)
    parts[1:-1:2] = pieces
    parts[2:-1:2] = texts
    parts[-1] = tail
    return b"".join(parts)


def _colons(text: bytes, start: int) -> Ints:
    """Where the colons of a text are, from a place on."""
    import numpy as np

    return np.flatnonzero(np.frombuffer(text, dtype="uint8", offset=start) == ord(":")) + start


def _numbers(
    decoder: msgspec.json.Decoder[list[Any]], texts: list[bytes], sampled: Sequence[int]
) -> tuple[list[Any], list[bytes], list[int]]:
    """The numbers of some texts, each text as it is encoded, and how many samples there are.

    A text has to be one number, or several with commas between them where it is one of
    ``sampled``. An empty text is a fault, so no text makes fewer numbers than that.
    """
    written = b",".join(texts)
    numbers = decoder.decode(b"[" + written + b"]") if texts else []
    sizes = [texts[i].count(b",") + 1 for i in sampled]
    if len(numbers) != len(texts) - len(sizes) + sum(sizes):
        raise ValueError("is not one number")
    encoded = msgspec.json.encode(numbers)[1:-1]
    if encoded == written:
        return numbers, texts, sizes
    again = [*texts]
    for i in sampled:
        again[i] = again[i].translate(None, b" \t\r\n")
    if encoded != b",".join(again):
        each = encoded.split(b",")
        starts = _starts(len(texts), sampled, sizes)
        again = [b",".join(each[a:b]) for a, b in itertools.pairwise(starts)]
    return numbers, again, sizes


def _starts(slots: int, sampled: Sequence[int], sizes: Sequence[int]) -> Starts:
    """Where the numbers of each slot start, and where the last one's end."""
    every = [1] * slots
    for slot, size in zip(sampled, sizes, strict=True):
        every[slot] = size
    return array("q", itertools.accumulate(every, initial=0))


_TOKEN = re.compile(
    rb'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|([\[{])|([\]}])|(-?[0-9][-+.0-9eE]*)', re.DOTALL
)

_Slot = tuple[int, str]
"""The row and the field of a figure, or of all samples of a result."""


def _slots(text: bytes) -> tuple[int, int, dict[_Slot, tuple[int, int]]] | None:
    """Where the results of a bundle begin and end in its text, and each of their figures.

    A key that is written in another way than plainly is not seen as one of a figure.
    """
    path: list[bytes] = [b""] * 5
    depth, row, begin, opened = 0, -1, -1, -1
    slots: dict[_Slot, tuple[int, int]] = {}
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
            opened = token.end()
        elif kind == 4:
            if depth == 4 and path[3] == b'"samples"' and begin >= 0:
                slots[row, "samples"] = opened, token.start()
            depth -= 1
            if depth == 1 and begin >= 0:
                return begin, token.end(), slots
        elif kind == 5 and begin >= 0 and depth < 5:
            field = _FIELDS.get(tuple(path[3 : depth + 1]))
            if field:
                slots[row, field] = token.span()
    return None


_FIELDS: dict[tuple[bytes, ...], str] = {
    **{(f'"{name}"'.encode(),): name for name in ("value", "min", "max", "count")},
    (b'"log"', b'"line"'): "line",
}
"""The keys that lead to a figure from a result on."""


def _pattern(data: bytes, encoded: bytes, results: Sequence[schema.Result]) -> _Pattern | None:
    """The pattern of a sound bundle's text; ``None`` where its figures are not found."""
    import numpy as np

    written, again = _slots(data), _slots(encoded)
    if written is None or again is None or not written[2] or set(written[2]) != set(again[2]):
        return None
    slots = list(written[2])
    floats = tuple(i for i, slot in enumerate(slots) if slot[1] not in WHOLE)
    wholes = tuple(i for i, slot in enumerate(slots) if slot[1] in WHOLE)
    place = {slots[i]: position for position, i in enumerate((*floats, *wholes))}
    places: list[list[Place]] = [[] for _ in results]
    for (row, field), slot in place.items():
        places[row].append(Place(field, slot))
    sampled = tuple(slot for (_, field), slot in place.items() if field == "samples")
    sizes = [len(results[row].samples or ()) for row, field in place if field == "samples"]
    colons = _colons(data, written[0])
    begins, ends = zip(*written[2].values(), strict=True)
    last = np.searchsorted(colons, begins) - 1
    order = [place[slot] for slot in again[2]]
    pieces = _around(data, *written)
    return _Pattern(
        Shape(results, tuple(map(tuple, places)), _starts(len(slots), sampled, sizes)),
        pieces,
        last,
        np.array(begins, dtype="int64") - colons[last],
        colons[last[:-1] + 1] - np.array(ends[:-1], dtype="int64"),
        _around(encoded, *again),
        () if order == [*range(len(slots))] else tuple(order),
        floats,
        wholes,
        sampled,
        sizes,
    )


def _around(
    text: bytes, begin: int, end: int, slots: dict[_Slot, tuple[int, int]]
) -> tuple[bytes, ...]:
    """The pieces of a text's results before, between and behind the figures."""
    starts = [begin, *(stop for _, stop in slots.values())]
    stops = [*(start for start, _ in slots.values()), end]
    return tuple(text[a:b] for a, b in zip(starts, stops, strict=True))

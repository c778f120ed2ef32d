"""The results of one bundle as columns, and a :class:`Result` made of them where one is asked for.

An archive has millions of results. As columns they take a fifth of the memory of as many
objects, are checked a column at a time, and are kept and loaded in one piece.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import accumulate, chain, compress, count, filterfalse, repeat
from operator import eq, or_, truediv
from typing import Any, Literal, TypeVar, overload

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import astuple, fields

from .. import bundle as schema
from ..bundle import Log, Result

T = TypeVar("T")

_ABSENT: dict[str, Any] = {
    **{"params": None, "command": None, "log": UNSET, "status": None},
    **{"setup": None, "notes": None},
    **{"samples": (), "value": math.nan, "min": math.nan, "max": math.nan, "count": 0},
}
"""What a :data:`Written` has where a key is left out: something that no text can say, and
what its column has there where possible."""

_SPELT_OUT: dict[str, Any] = {"params": {}, "command": "", "log": None, "setup": {}, "notes": []}
"""What a text can say in place of leaving a key out."""

_KEYED: dict[str, Any] = dict.fromkeys(("params", "setup"), dict[str, schema.Value])
"""What has names as keys. The decoder makes each plain key once and finds it again, but not one
whose length it has to look at; ``columns`` does that."""

Written: Any = msgspec.defstruct(
    "Written",
    [
        (each.name, each.type)
        if each.required
        else (each.name, _KEYED.get(each.name, each.type) | UnsetType, _ABSENT[each.name])
        for each in fields(Result)
    ],
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,
)
"""A :class:`Result` as a text says it: a default that is spelt out differs from one that is
left out."""

_ENCODER = msgspec.json.Encoder(order="deterministic")
encode = _ENCODER.encode
"""Any value as JSON; the same value always gives the same bytes."""

_WRITTEN = msgspec.json.Decoder(list[Written])
_PARAMS = msgspec.json.Decoder(dict[str, Any] | None)


_Whole = Literal["B", "H", "I", "Q"]
_KINDS: dict[int, _Whole] = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""What arrays of whole numbers of so many bytes are called."""


class Columns(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The results of a bundle, a row for each.

    A column of texts has each different one once, and beside it their places there. Whole
    numbers, such as these places, are an array, which :meth:`whole` opens. Other numbers are an array
    of ``float64``, with NaN for what is not there: figures are finite.
    """

    rows: int
    names: str
    """Each different benchmark, metric and unit, a line for each with tabs between the three;
    there is neither in a name."""
    named: bytes
    params: str
    """The parameters of each row as JSON with sorted keys, or ``null``, a line for each."""
    commands: list[str]
    commanded: bytes
    logs: list[str]
    """The names of logs, and an empty text for rows that have none."""
    logged: bytes
    line: bytes
    """The line of the log; 0 where there is none."""
    sizes: bytes
    """How many samples each row has."""
    samples: bytes
    """The samples of all rows, one row's after another's."""
    means: bytes
    """The mean of the samples of each row that has more than one. Their sum is rounded once,
    and so is the mean."""
    value: bytes
    min: bytes
    max: bytes
    count: bytes
    """A whole number; 0 where it is not there."""
    failed: bytes
    """1 for each row that has a status, else 0."""
    beside: list[str]
    """Each different setup with its notes as JSON, and an empty text for rows with neither."""
    besides: bytes
    sections: list[str]
    """Each different benchmark with the names of its parameters, with tabs between them: what a page
    has a table of its own for."""

    def kind(self, column: bytes) -> _Whole:
        """What an array with a whole number for each row is called."""
        return _KINDS[len(column) // self.rows] if self.rows else "B"

    def whole(self, column: bytes) -> memoryview[int]:
        """A column of whole numbers."""
        return memoryview(column).cast(self.kind(column))

    def triples(self) -> list[tuple[str, str, str]]:
        """Each different benchmark, metric and unit."""
        lines = self.names.split("\n") if self.rows else []
        return [(b, m, u) for b, m, u in (line.split("\t") for line in lines)]

    def figures(self) -> tuple[object, ...]:
        """What of it says which figures it has; equal where all figures are equal."""
        names = self.names, self.named, self.params, tuple(self.beside), self.besides
        ends = self.value, self.min, self.max, self.count
        return (*names, self.sizes, self.samples, *ends, self.failed)

    def distinct(self) -> int:
        """How many different figures it has."""
        given = (*memoryview(self.samples).cast("d"), *memoryview(self.value).cast("d"))
        return len({figure for figure in given if figure == figure})


def columns(written: Sequence[Any]) -> tuple[Columns, int]:
    """Results as columns, and how many keys they spell out that are left out otherwise.

    ``written`` leaves them out then. Raises :class:`ValueError` where a result contradicts itself
    or a name does not show.
    """
    given = list(zip(*map(astuple, written), strict=True)) or [()] * len(fields(Result))
    benchmark, metric, unit, params, samples, value, low, high, counts, status, *rest = given
    command, log, setups, notes = rest
    rows, optional = len(written), {"params": params, "command": command, "log": log}
    if has_beside := not setups.count(None) == notes.count(None) == rows:
        optional |= {"setup": setups, "notes": notes}
    if spelt_out := sum(_leave_out(written, name, own) for name, own in optional.items()):
        return columns(written)[0], spelt_out
    names, named = _coded(map("\t".join, zip(benchmark, metric, unit, strict=True)))
    lines = _ENCODER.encode_lines(params)
    commands, commanded = _coded(command)
    logs, logged = _coded([own.file if own else "" for own in log])
    line = [own.line if own else 0 for own in log]
    beside, besides, keys = [""][:rows], bytes(rows), set[str]()
    if has_beside:
        beside, besides = _coded(map(_beside, setups, notes))
        keys.update(*filter(None, setups))
    sizes = [*map(len, samples)]
    several = [own for own, size in zip(samples, sizes, strict=True) if size > 1]
    out = Columns(
        rows=rows,
        names="\n".join(names),
        named=named,
        params=lines[:-1].decode(),
        commands=[own or "" for own in commands],
        commanded=commanded,
        logs=logs,
        logged=logged,
        line=_whole(line, max(line, default=0)),
        sizes=_whole(sizes, max(sizes, default=0)),
        samples=_packed("d", [*chain.from_iterable(samples)]),
        means=_packed("d", [*map(truediv, map(math.fsum, several), map(len, several))]),
        value=_packed("d", value),
        min=_packed("d", low),
        max=_packed("d", high),
        count=_whole(counts, max(counts, default=0)),
        failed=bytes(map(bool, status)) if any(status) else bytes(rows),
        beside=beside,
        besides=besides,
        sections=sorted(
            "\t".join((name, *sorted(of)))
            for name, of in {*zip(benchmark, map(tuple, _filled(params)), strict=True)}
        ),
    )
    # Plain ASCII shows, a text that is only spaces begins with one, and an empty one with its end.
    odd = b"\\" in lines or b"\x7f" in lines or pairs(lines, b'"', b' "')
    if odd or not lines.isascii() or _longest(lines) > schema.LONGEST:
        keys.update(*filter(None, params))
    if " " in out.names or len(out.names.encode().translate(None, _PLAIN)) >= 3 * len(names):
        keys.update(chain.from_iterable(zip(benchmark, metric, unit, strict=True)))
    if not (schema.names_show(keys) and schema.files_show(logs)):
        raise ValueError("a name does not show")
    if max(map(len, keys), default=0) > schema.LONGEST:
        raise ValueError("a name is too long")
    if not _consistent(out):
        raise ValueError("a result contradicts itself")
    return out, spelt_out


def _filled(params: Iterable[dict[str, Any] | None]) -> Iterator[dict[str, Any]]:
    return (own or {} for own in params)


def _leave_out(written: Sequence[Any], name: str, column: Sequence[Any]) -> int:
    """Leave a key out of the results that spell out its default, and say how many did."""
    empty = [*filterfalse(None, column)]
    if number := len(empty) - empty.count(_ABSENT[name]):
        for each in compress(written, map(eq, column, repeat(_SPELT_OUT[name]))):
            setattr(each, name, _ABSENT[name])
    return number


def pairs(text: bytes, first: bytes, second: bytes) -> list[int]:
    """Where in a text one of some bytes is followed by one of others."""
    import numpy as np  # commands that read no bundle need not wait for it

    before, after = np.frombuffer(text, "uint8")[:-1], np.frombuffer(text, "uint8")[1:]
    found = reduce(or_, [before == each for each in first])
    return np.flatnonzero(found & reduce(or_, [after == each for each in second])).tolist()


def _longest(lines: bytes) -> int:
    """The bytes of the longest of some lines."""
    import numpy as np

    ends = np.flatnonzero(np.frombuffer(lines, "uint8") == ord("\n"))
    return int(np.max(np.diff(ends), initial=lines.find(b"\n")))


_PLAIN = bytes(range(ord("!"), ord("~") + 1))
"""The ASCII characters that show."""


def _beside(setup: dict[str, Any] | None, notes: list[str] | None) -> str:
    """What a result says besides its figures, as JSON; an empty text where that is nothing."""
    if not setup and not notes:
        return ""
    return encode({"setup": setup or {}, "notes": notes or []}).decode()


def beside(text: str) -> tuple[dict[str, Any], list[str]]:
    """The setup and the notes that a text of ``Columns.beside`` holds."""
    own = msgspec.json.decode(text) if text else {"setup": {}, "notes": []}
    return own["setup"], own["notes"]


def _coded(column: Iterable[T]) -> tuple[list[T], bytes]:
    """The different values of a column, and for each row the place of its value there."""
    places: defaultdict[T, int] = defaultdict(count().__next__)
    codes = [*map(places.__getitem__, column)]
    return [*places], _whole(codes, len(places))


def _packed(kind: str, column: Sequence[float]) -> bytes:
    return struct.pack(f"{len(column)}{kind}", *column)


def _whole(column: Sequence[int], largest: int) -> bytes:
    """Whole numbers up to some, each in as few bytes as that one needs."""
    if not largest:
        return bytes(len(column))
    return _packed(next(kind for size, kind in _KINDS.items() if largest < 256**size), column)


def _consistent(given: Columns) -> bool:
    """Whether each result has either figures or a failure."""
    import numpy as np  # commands that read no bundle need not wait for it

    low, high, value = (np.frombuffer(each) for each in (given.min, given.max, given.value))
    sampled, counted = (
        np.frombuffer(each, given.kind(each)) > 0 for each in (given.sizes, given.count)
    )
    published, failed = value == value, np.frombuffer(given.failed, "bool")
    ranged = (low == low) | (high == high) | counted
    agree = schema.figures_agree(sampled, published, ranged, failed)
    return bool(np.all(agree) and not np.any(low > high))


class Results(Sequence[Result]):
    """The results of a bundle, of which each is made when it is asked for."""

    __slots__ = ("_ends", "_lines", "_triples", "columns")

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._triples: Sequence[tuple[str, str, str]] = ()
        self._lines: Sequence[str] = ()
        self._ends: Sequence[int] = ()

    def __len__(self) -> int:
        return self.columns.rows

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        rows = range(len(self))[index]
        return self._made(rows) if isinstance(rows, int) else [self._made(row) for row in rows]

    def __iter__(self) -> Iterator[Result]:
        return map(self._made, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Results, (self.columns,)

    def command(self, row: int) -> str:
        """The command of one result."""
        return self.columns.commands[self.columns.whole(self.columns.commanded)[row]]

    def log(self, row: int) -> Log | None:
        """Where one result stands in a log."""
        file = self.columns.logs[self.columns.whole(self.columns.logged)[row]]
        return Log(file=file, line=self.columns.whole(self.columns.line)[row]) if file else None

    def ranged(self) -> list[int]:
        """The results with a value that stands beside its extremes or its samples."""
        import numpy as np

        own = self.columns
        value, low, high = (np.frombuffer(each) for each in (own.value, own.min, own.max))
        sampled = np.frombuffer(own.sizes, own.kind(own.sizes)) > 0
        beside = (low == low) | (high == high) | sampled
        return np.flatnonzero((value == value) & beside).tolist()

    def restated(self) -> list[int]:
        """The results with a value that can be held against their samples, or against the two
        extremes of two samples."""
        import numpy as np

        own = self.columns
        value = np.frombuffer(own.value)
        behind = np.frombuffer(own.count, own.kind(own.count))
        sampled = np.frombuffer(own.sizes, own.kind(own.sizes)) > 0
        return np.flatnonzero((value == value) & (sampled | (behind == 2))).tolist()

    def _made(self, row: int) -> Result:
        own = self.columns
        if not self._lines:
            self._triples, self._lines = own.triples(), own.params.split("\n")
            self._ends = array("Q", accumulate(own.whole(own.sizes)))
        benchmark, metric, unit = self._triples[own.whole(own.named)[row]]
        figures: dict[str, Any] = {}
        for name in ("value", "min", "max"):
            figure = memoryview(getattr(own, name)).cast("d")[row]
            if figure == figure:
                figures[name] = figure
        if number := own.whole(own.count)[row]:
            figures["count"] = number
        if own.failed[row]:
            figures["status"] = "fail"
        if size := own.whole(own.sizes)[row]:
            end = self._ends[row]
            figures["samples"] = memoryview(own.samples).cast("d")[end - size : end].tolist()
        setup, notes = beside(own.beside[own.whole(own.besides)[row]])
        return Result(
            benchmark=benchmark,
            metric=metric,
            unit=unit,
            params=_PARAMS.decode(self._lines[row]) or {},
            command=self.command(row),
            log=self.log(row),
            setup=setup,
            notes=notes,
            **figures,
        )


def as_columns(results: Sequence[Result]) -> Results:
    """Results as columns. Raises :class:`msgspec.ValidationError` or :class:`ValueError` for what
    no bundle may hold."""
    if isinstance(results, Results):
        return results
    return Results(columns(_WRITTEN.decode(encode(results)))[0])

"""The results of one bundle as columns, and a :class:`Result` made of them where one is asked for.

An archive has millions of results. As columns they take a fifth of the memory of as many
objects, are checked a column at a time, and are kept and loaded in one piece.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, compress, count, repeat
from operator import eq, truediv
from typing import Any, TypeVar, overload

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

Written: Any = msgspec.defstruct(
    "Written",
    [
        (each.name, each.type)
        if each.required
        else (each.name, each.type | UnsetType, _ABSENT[each.name])
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


class Columns(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The results of a bundle, a row for each.

    A column of texts has each different one once, and beside it their places there, as an
    array of ``uint32``. A column of numbers is an array of ``float64``, with NaN for what is
    not there, where nothing else is said: figures are finite.
    """

    rows: int
    names: list[tuple[str, str, str]]
    """Each different benchmark, metric and unit."""
    named: bytes
    params: str
    """The parameters of each row as JSON with sorted keys, or ``null``, a line for each."""
    commands: list[str]
    commanded: bytes
    logs: list[str]
    """The names of logs, and an empty text for rows that have none."""
    logged: bytes
    line: bytes
    """The line of the log, ``uint64``; 0 where there is none."""
    sizes: bytes
    """How many samples each row has, ``uint32``."""
    samples: bytes
    """The samples of all rows, one row's after another's."""
    means: bytes
    """The mean of the samples of each row that has more than one. Their sum is rounded once,
    and so is the mean."""
    value: bytes
    min: bytes
    max: bytes
    count: bytes
    """0 where it is not there."""
    failed: bytes
    """1 for each row that has a status, else 0; ``uint8``."""
    beside: list[str]
    """Each different setup with its notes as JSON, and an empty text for rows with neither."""
    besides: bytes

    def figures(self) -> tuple[object, ...]:
        """What of it says which figures it has; equal where all figures are equal."""
        names = tuple(self.names), self.named, self.params, tuple(self.beside), self.besides
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
    optional = {"params": params, "command": command, "log": log, "setup": setups, "notes": notes}
    spelt_out = sum(_leave_out(written, name, column) for name, column in optional.items())
    said = map(_beside, setups, notes) if any(setups) or any(notes) else repeat("", len(written))
    beside, besides = _coded([*said])
    names, named = _coded([*zip(benchmark, metric, unit, strict=True)])
    lines = _ENCODER.encode_lines(params).decode().removesuffix("\n")
    commands, commanded = _coded([own or "" for own in command])
    logs, logged = _coded([own.file if own else "" for own in log])
    sizes = [*map(len, samples)]
    several = [*compress(samples, map((1).__lt__, sizes))]
    out = Columns(
        rows=len(written),
        names=names,
        named=named,
        params=lines,
        commands=commands,
        commanded=commanded,
        logs=logs,
        logged=logged,
        line=_packed("Q", [own.line if own else 0 for own in log]),
        sizes=_packed("I", sizes),
        samples=_packed("d", [*chain.from_iterable(samples)]),
        means=_packed("d", [*map(truediv, map(math.fsum, several), map(len, several))]),
        value=_packed("d", value),
        min=_packed("d", low),
        max=_packed("d", high),
        count=_packed("d", counts),
        failed=bytes([own is not None for own in status]),
        beside=beside,
        besides=besides,
    )
    shown = set(chain.from_iterable(names))
    shown.update(*[own for own in setups if own])
    # Plain ASCII shows, and a text that is only spaces begins with one.
    if not lines.isascii() or any(map(lines.__contains__, ("\\", "\x7f", '" '))):
        shown.update(*[own for own in params if own])
    if not (schema.names_show(shown) and schema.files_show(logs)):
        raise ValueError("a name does not show")
    if not _consistent(out):
        raise ValueError("a result contradicts itself")
    return out, spelt_out


def _leave_out(written: Sequence[Any], name: str, column: Sequence[Any]) -> int:
    """Leave a key out of the results that spell out its default, and say how many did."""
    default = _SPELT_OUT[name]
    if number := column.count(default):
        for each in compress(written, map(eq, column, repeat(default))):
            setattr(each, name, _ABSENT[name])
    return number


def _beside(setup: dict[str, Any] | None, notes: list[str] | None) -> str:
    """What a result says besides its figures, as JSON; an empty text where that is nothing."""
    if not setup and not notes:
        return ""
    return encode({"setup": setup or {}, "notes": notes or []}).decode()


def beside(text: str) -> tuple[dict[str, Any], list[str]]:
    """The setup and the notes that a text of ``Columns.beside`` holds."""
    own = msgspec.json.decode(text) if text else {"setup": {}, "notes": []}
    return own["setup"], own["notes"]


def _coded(column: Sequence[T]) -> tuple[list[T], bytes]:
    """The different values of a column, and for each row the place of its value there."""
    places: defaultdict[T, int] = defaultdict(count().__next__)
    codes = _packed("I", [*map(places.__getitem__, column)])
    return [*places], codes


def _packed(kind: str, column: Sequence[float]) -> bytes:
    return struct.pack(f"{len(column)}{kind}", *column)


def _consistent(given: Columns) -> bool:
    """Whether each result has either figures or a failure."""
    import numpy as np  # commands that read no bundle need not wait for it

    low, high, value = (np.frombuffer(each) for each in (given.min, given.max, given.value))
    sampled, published = np.frombuffer(given.sizes, "uint32") > 0, value == value
    ranged = (low == low) | (high == high) | (np.frombuffer(given.count) > 0)
    failed = np.frombuffer(given.failed, "bool")
    if (low > high).any():
        return False
    states = sampled + 2 * published + 4 * ranged + 8 * failed
    return all(
        schema.figures_agree(*(bool(state & bit) for bit in (1, 2, 4, 8)))
        for state in np.flatnonzero(np.bincount(states)).tolist()
    )


class Results(Sequence[Result]):
    """The results of a bundle, of which each is made when it is asked for."""

    __slots__ = ("_ends", "_lines", "columns")

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
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
        place: int = _at("I", self.columns.commanded, row)
        return self.columns.commands[place]

    def log(self, row: int) -> Log | None:
        """Where one result stands in a log."""
        file = self.columns.logs[_at("I", self.columns.logged, row)]
        return Log(file=file, line=_at("Q", self.columns.line, row)) if file else None

    def ranged(self) -> list[int]:
        """The results with a value that stands beside its extremes or its samples."""
        import numpy as np

        own = self.columns
        value, low, high = (np.frombuffer(each) for each in (own.value, own.min, own.max))
        beside = (low == low) | (high == high) | (np.frombuffer(own.sizes, "uint32") > 0)
        return np.flatnonzero((value == value) & beside).tolist()

    def restated(self) -> list[int]:
        """The results with a value that can be held against their samples, or against the two
        extremes of two samples."""
        import numpy as np

        own = self.columns
        value, behind = np.frombuffer(own.value), np.frombuffer(own.count)
        sampled = np.frombuffer(own.sizes, "uint32") > 0
        return np.flatnonzero((value == value) & (sampled | (behind == 2))).tolist()

    def _made(self, row: int) -> Result:
        own = self.columns
        if not self._lines:
            self._lines = own.params.split("\n")
            self._ends = array("Q", accumulate(memoryview(own.sizes).cast("I")))
        benchmark, metric, unit = own.names[_at("I", own.named, row)]
        figures: dict[str, Any] = {}
        for name in ("value", "min", "max"):
            figure = _at("d", getattr(own, name), row)
            if figure == figure:
                figures[name] = figure
        if number := _at("d", own.count, row):
            figures["count"] = int(number)
        if own.failed[row]:
            figures["status"] = "fail"
        if size := _at("I", own.sizes, row):
            end = self._ends[row]
            figures["samples"] = memoryview(own.samples).cast("d")[end - size : end].tolist()
        setup, notes = beside(own.beside[_at("I", own.besides, row)])
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


def _at(kind: Any, column: bytes, row: int) -> Any:
    """One number of a column."""
    return memoryview(column).cast(kind)[row]


def as_columns(results: Sequence[Result]) -> Results:
    """Results as columns. Raises :class:`msgspec.ValidationError` or :class:`ValueError` for what
    no bundle may hold."""
    if isinstance(results, Results):
        return results
    return Results(columns(_WRITTEN.decode(encode(results)))[0])

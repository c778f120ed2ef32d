"""The results of one bundle, stored as columns; a :class:`Result` is created on access.

An archive has millions of results. Columns take a fifth of the memory of objects, and are checked,
stored and loaded in bulk.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
"""The values of omitted keys in a :data:`Written`. No JSON text can yield them, and most also mark
a missing value in the column."""

_SPELT_OUT: dict[str, Any] = {"params": {}, "command": "", "log": None, "setup": {}, "notes": []}
"""The defaults that a text may spell out instead of omitting the key."""

_KEYED: dict[str, Any] = dict.fromkeys(("params", "setup"), dict[str, schema.Value])
"""The types of mappings from names, without the limit on a name's length: the decoder only reuses
strings of unconstrained keys, so ``columns`` checks their length."""

Written: Any = msgspec.defstruct(
    "Written",
    [
        (key.name, key.type)
        if key.required
        else (key.name, _KEYED.get(key.name, key.type) | UnsetType, _ABSENT[key.name])
        for key in fields(Result)
    ],
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,
)
"""A :class:`Result` as written, which distinguishes an explicit default from an omitted key."""

_ENCODER = msgspec.json.Encoder(order="deterministic")
encode = _ENCODER.encode
"""Encode a value as JSON; equal values always give equal bytes."""

_WRITTEN = msgspec.json.Decoder(list[Written])
_PARAMS = msgspec.json.Decoder(dict[str, Any] | None)


_IntCode = Literal["B", "H", "I", "Q"]
_INT_CODES: dict[int, _IntCode] = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Type codes of unsigned integers by size in bytes, as in ``struct`` and ``array``."""


class Columns(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The results of a bundle, one row each.

    A string column lists each distinct string once, with an array of indices next to it. Integers,
    such as these indices, are arrays to be opened with :meth:`integers`. Other numbers are arrays
    of ``float64``; as figures are finite, NaN marks missing ones."""

    rows: int
    names: str
    """Each distinct benchmark, metric and unit: one combination per line, separated by tabs. Names
    contain neither."""
    name_indices: bytes
    params: str
    """The parameters of each row as JSON with sorted keys, or ``null``, one row per line."""
    commands: list[str]
    command_indices: bytes
    logs: list[str]
    """The names of logs; an empty string for rows without one."""
    log_indices: bytes
    line: bytes
    """The line in the log, or 0 without a log."""
    sizes: bytes
    """The number of samples in each row."""
    samples: bytes
    """The samples of all rows, concatenated."""
    means: bytes
    """The mean of each row with several samples: their exact sum, rounded, by their number."""
    value: bytes
    min: bytes
    max: bytes
    count: bytes
    """An integer, or 0 if missing."""
    failed: bytes
    """1 for each row with a status, else 0."""
    annotations: list[str]
    """Each distinct setup with its notes as JSON; an empty string for rows with neither."""
    annotation_indices: bytes
    sections: list[str]
    """Each distinct benchmark with its parameter names, separated by tabs: the sections of pages,
    each with its own table."""

    def integers(self, column: bytes) -> memoryview[int]:
        """Return a column of integers."""
        code = _INT_CODES[len(column) // self.rows] if self.rows else "B"
        return memoryview(column).cast(code)

    def triples(self) -> list[tuple[str, str, str]]:
        """Return each distinct benchmark, metric and unit."""
        lines = self.names.split("\n") if self.rows else []
        return [(b, m, u) for b, m, u in (line.split("\t") for line in lines)]

    def figures(self) -> tuple[object, ...]:
        """Return a key that is equal for bundles with the same figures."""
        names = self.names, self.name_indices, self.params
        annotations = tuple(self.annotations), self.annotation_indices
        values = self.value, self.min, self.max, self.count
        return (*names, *annotations, self.sizes, self.samples, *values, self.failed)

    def distinct(self) -> int:
        """Return the number of distinct figures."""
        given = (*memoryview(self.samples).cast("d"), *memoryview(self.value).cast("d"))
        return len({figure for figure in given if figure == figure})


def columns(written: Sequence[Any]) -> tuple[Columns, int]:
    """Convert results to columns; also return the number of keys that spelled out their default.

    These keys are removed from ``written``. Raises :class:`ValueError` if a result contradicts
    itself or a name has invisible characters.
    """
    # Transpose in one step: this runs for every result of an archive.
    given = list(zip(*map(astuple, written), strict=True)) or [()] * len(fields(Result))
    benchmark, metric, unit, params, samples, value, low, high, counts, status, *rest = given
    command, log, setups, notes = rest
    rows, optional = len(written), {"params": params, "command": command, "log": log}
    if has_annotations := not setups.count(None) == notes.count(None) == rows:
        optional |= {"setup": setups, "notes": notes}
    if spelt_out := sum(_leave_out(written, name, column) for name, column in optional.items()):
        # Once these keys are removed, the same results spell out none.
        return columns(written)[0], spelt_out
    names, name_indices = _coded(map("\t".join, zip(benchmark, metric, unit, strict=True)))
    lines = _ENCODER.encode_lines(params)
    commands, command_indices = _coded(command)
    logs, log_indices = _coded([location.file if location else "" for location in log])
    line = [location.line if location else 0 for location in log]
    annotations, annotation_indices, keys = [""][:rows], bytes(rows), set[str]()
    if has_annotations:
        annotations, annotation_indices = _coded(map(_annotation, setups, notes))
        keys.update(*filter(None, setups))
    sizes = [*map(len, samples)]
    several = [values for values in samples if len(values) > 1]
    out = Columns(
        rows=rows,
        names="\n".join(names),
        name_indices=name_indices,
        params=lines[:-1].decode(),
        commands=[text or "" for text in commands],
        command_indices=command_indices,
        logs=logs,
        log_indices=log_indices,
        line=_packed_integers(line, max(line, default=0)),
        sizes=_packed_integers(sizes, max(sizes, default=0)),
        samples=_packed("d", [*chain.from_iterable(samples)]),
        # fsum is exact, so the mean does not depend on the order of the samples.
        means=_packed("d", [*map(truediv, map(math.fsum, several), map(len, several))]),
        value=_packed("d", value),
        min=_packed("d", low),
        max=_packed("d", high),
        count=_packed_integers(counts, max(counts, default=0)),
        failed=bytes(map(bool, status)) if any(status) else bytes(rows),
        annotations=annotations,
        annotation_indices=annotation_indices,
        sections=_sections(benchmark, params),
    )
    # Checking every name is slow, so only look at names of results that may have more than visible
    # ASCII, or a space at the start, as blank names do.
    may_hide = b"\\" in lines or b"\x7f" in lines or adjacent(lines, b'"', b' "')
    if may_hide or not lines.isascii() or _longest(lines) > schema.MAX_NAME_CHARS:
        keys.update(*filter(None, params))
    separators = out.names.encode().translate(None, _VISIBLE_ASCII)
    if " " in out.names or len(separators) >= 3 * len(names):
        keys.update(chain.from_iterable(zip(benchmark, metric, unit, strict=True)))
    _check(out, keys)
    return out, spelt_out


def _check(results: Columns, names: Collection[str]) -> None:
    """Check results, and those of their names that may be invalid; raise :class:`ValueError`."""
    if not (schema.names_show(names) and schema.files_show(results.logs)):
        raise ValueError("a name has an invisible character")
    if max(map(len, names), default=0) > schema.MAX_NAME_CHARS:
        raise ValueError("a name is too long")
    if not _consistent(results):
        raise ValueError("a result contradicts itself")


def _sections(benchmarks: Iterable[str], params: Iterable[Mapping[str, Any] | None]) -> list[str]:
    distinct = {*zip(benchmarks, (tuple(names or ()) for names in params), strict=True)}
    return sorted("\t".join((benchmark, *sorted(names))) for benchmark, names in distinct)


def _leave_out(written: Sequence[Any], name: str, column: Sequence[Any]) -> int:
    """Remove a key from the results that spell out its default; return their number."""
    empty = [*filterfalse(None, column)]
    if number := len(empty) - empty.count(_ABSENT[name]):
        for result in compress(written, map(eq, column, repeat(_SPELT_OUT[name]))):
            setattr(result, name, _ABSENT[name])
    return number


def adjacent(text: bytes, first: bytes, second: bytes) -> list[int]:
    """Return the positions where one of the bytes in ``first`` precedes one of those in
    ``second``."""
    import numpy as np  # imported late: commands that read no bundle do without it

    before, after = np.frombuffer(text, "uint8")[:-1], np.frombuffer(text, "uint8")[1:]
    is_first = reduce(or_, [before == byte for byte in first])
    return np.flatnonzero(is_first & reduce(or_, [after == byte for byte in second])).tolist()


def _longest(lines: bytes) -> int:
    """Return the length of the longest line, in bytes."""
    import numpy as np

    ends = np.flatnonzero(np.frombuffer(lines, "uint8") == ord("\n"))
    return int(np.max(np.diff(ends), initial=lines.find(b"\n")))


_VISIBLE_ASCII = bytes(range(ord("!"), ord("~") + 1))
"""The visible characters of ASCII."""


def _annotation(setup: dict[str, Any] | None, notes: list[str] | None) -> str:
    """Return a result's setup and notes as JSON, or an empty string if it has neither."""
    if not setup and not notes:
        return ""
    return encode({"setup": setup or {}, "notes": notes or []}).decode()


def decode_annotation(text: str) -> tuple[dict[str, Any], list[str]]:
    """Decode the setup and the notes from an entry of ``Columns.annotations``."""
    annotation = msgspec.json.decode(text) if text else {"setup": {}, "notes": []}
    return annotation["setup"], annotation["notes"]


def _coded(column: Iterable[T]) -> tuple[list[T], bytes]:
    """Return the distinct values of a column, and each row's index into them."""
    # A missing key gets the next number, so keys are in order of first occurrence.
    indices: defaultdict[T, int] = defaultdict(count().__next__)
    row_indices = [*map(indices.__getitem__, column)]
    return [*indices], _packed_integers(row_indices, len(indices))


def _packed(kind: str, column: Sequence[float]) -> bytes:
    return struct.pack(f"{len(column)}{kind}", *column)


def _packed_integers(column: Sequence[int], largest: int) -> bytes:
    """Pack integers up to ``largest`` in as few bytes each as possible."""
    if not largest:
        return bytes(len(column))
    return _packed(next(kind for size, kind in _INT_CODES.items() if largest < 256**size), column)


def _consistent(given: Columns) -> bool:
    """Return whether each result has either figures or a failure."""
    import numpy as np  # imported late: commands that read no bundle do without it

    low, high, value = map(np.frombuffer, (given.min, given.max, given.value))
    sampled = np.asarray(given.integers(given.sizes)) > 0
    counted = np.asarray(given.integers(given.count)) > 0
    published, failed = value == value, np.frombuffer(given.failed, "bool")
    ranged = (low == low) | (high == high) | counted
    agree = schema.figures_agree(sampled, published, ranged, failed)
    return bool(np.all(agree) and not np.any(low > high))


class Results(Sequence[Result]):
    """The results of a bundle, each created on access."""

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
        return self._result(rows) if isinstance(rows, int) else [self._result(row) for row in rows]

    def __iter__(self) -> Iterator[Result]:
        return map(self._result, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Results, (self.columns,)

    def command(self, row: int) -> str:
        """Return the command of one result."""
        return self.columns.commands[self.columns.integers(self.columns.command_indices)[row]]

    def log(self, row: int) -> Log | None:
        """Return the log location of one result."""
        file = self.columns.logs[self.columns.integers(self.columns.log_indices)[row]]
        return Log(file=file, line=self.columns.integers(self.columns.line)[row]) if file else None

    def rows_with_value_and_range(self) -> list[int]:
        """Return the rows that have a value together with extremes or samples."""
        import numpy as np

        columns = self.columns
        value, low, high = map(np.frombuffer, (columns.value, columns.min, columns.max))
        sampled = np.asarray(columns.integers(columns.sizes)) > 0
        has_range = (low == low) | (high == high) | sampled
        return np.flatnonzero((value == value) & has_range).tolist()

    def rows_with_verifiable_value(self) -> list[int]:
        """Return the rows whose value can be verified, from their samples or from the extremes of
        just two samples."""
        import numpy as np

        columns = self.columns
        value = np.frombuffer(columns.value)
        sample_count = np.asarray(columns.integers(columns.count))
        sampled = np.asarray(columns.integers(columns.sizes)) > 0
        return np.flatnonzero((value == value) & (sampled | (sample_count == 2))).tolist()

    def _result(self, row: int) -> Result:
        columns = self.columns
        if not self._lines:
            self._triples, self._lines = columns.triples(), columns.params.split("\n")
            self._ends = array("Q", accumulate(columns.integers(columns.sizes)))
        benchmark, metric, unit = self._triples[columns.integers(columns.name_indices)[row]]
        figures: dict[str, Any] = {}
        for name in ("value", "min", "max"):
            figure = memoryview(getattr(columns, name)).cast("d")[row]
            # Only NaN, which marks a missing number, differs from itself.
            if figure == figure:
                figures[name] = figure
        if number := columns.integers(columns.count)[row]:
            figures["count"] = number
        if columns.failed[row]:
            figures["status"] = "fail"
        if size := columns.integers(columns.sizes)[row]:
            end = self._ends[row]
            figures["samples"] = memoryview(columns.samples).cast("d")[end - size : end].tolist()
        annotation = columns.annotations[columns.integers(columns.annotation_indices)[row]]
        setup, notes = decode_annotation(annotation)
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
    """Convert results to columns. Raises :class:`msgspec.ValidationError` or :class:`ValueError`
    for results that are invalid in a bundle."""
    if isinstance(results, Results):
        return results
    return Results(columns(_WRITTEN.decode(encode(results)))[0])

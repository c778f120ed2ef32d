"""Bundles to one long table, a row for each result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
import pandas as pd
from msgspec import UNSET

from ..bundle import Bundle
from ..bundles.decode import Loaded
from ..bundles.results import Columns, encode

T = TypeVar("T")

NAMES = ("sdk", "soc", "os", "release", "board", "benchmark", "metric", "unit", "params")
"""The columns that say what a figure is of; ``params`` is canonical JSON."""

CONDITIONS = ("cpu_mhz", "memory", "governor", "kernel", "image", "command")
"""The columns that say under which conditions it was taken."""


Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Codes = np.ndarray[Any, np.dtype[np.integer[Any]]]


@dataclass(frozen=True, slots=True)
class Coded(Generic[T]):
    """A column of few different values: each of them once, and for each row its place there."""

    distinct: list[T]
    codes: Codes


@dataclass(frozen=True, slots=True)
class Samples:
    """The samples of all rows, one row's after another's: those of row ``i`` are
    ``flat[ends[i]:ends[i + 1]]``, none where a result has none."""

    flat: Floats
    ends: Ints

    def of(self, row: int) -> tuple[float, ...]:
        """The samples of one row."""
        return tuple(self.flat[self.ends[row] : self.ends[row + 1]].tolist())


@dataclass(frozen=True)
class Frame:
    """All results as a table, and the bundles they came from.

    Columns of ``table``: those of ``NAMES``, but for ``params``, and of ``CONDITIONS``
    (categories; an empty text where a bundle says nothing); ``bundle`` and ``result``, the
    positions in ``bundles`` and in its ``results``; ``value``, the mean of the
    samples or the published value in ``unit`` (NaN where failed); ``weight``,
    the number of samples that it stands for, 1 where that is not known;
    ``low`` and ``high``, the extremes that are known; ``counted``, whether
    ``weight`` is known; ``spread``, whether extremes were measured or
    published; ``failed``. ``samples`` are those of each row, ``measured`` its
    benchmark, metric and unit.
    """

    table: pd.DataFrame
    bundles: tuple[Loaded, ...]
    samples: Samples
    measured: Coded[tuple[str, str, str]]

    @cached_property
    def params(self) -> Coded[str]:
        """The parameters of each row as canonical JSON."""
        # There can be as many texts as rows, and who looks at bundles alone needs none of them.
        lines = [loaded.results.columns.params for loaded in self.bundles]
        written, _ = _coded(line.split("\n") if line else [] for line in lines)
        of_text, _ = _coded([[_canonical(text) for text in written.distinct]])
        return Coded(of_text.distinct, of_text.codes[written.codes])

    @cached_property
    def beside(self) -> Coded[str]:
        """What each row says of its setup, with its notes, as ``Columns.beside``."""
        columns = [loaded.results.columns for loaded in self.bundles]
        return _merged([each.beside for each in columns], _whole(columns, "besides"), columns)


def build(bundles: Sequence[Loaded]) -> Frame:
    """One row for each result of the bundles, in their order."""
    results = [loaded.results.columns for loaded in bundles]
    counts = np.array([each.rows for each in results], dtype="int64")
    owner = np.repeat(np.arange(len(bundles)), counts)
    said = [_said(loaded.bundle) for loaded in bundles]
    columns = {
        name: named([texts[place] for texts in said], owner)
        for place, name in enumerate(_OF_BUNDLES)
    }
    lines = (each.names.split("\n") if each.rows else [] for each in results)
    names = _merged(lines, _whole(results, "named"), results)
    triples = [(b, m, u) for b, m, u in (line.split("\t") for line in names.distinct)]
    for place, name in enumerate(("benchmark", "metric", "unit")):
        columns[name] = named([each[place] for each in triples], names.codes)
    commands = _merged([each.commands for each in results], _whole(results, "commanded"), results)
    columns["command"] = named(commands.distinct, commands.codes)
    table = pd.DataFrame({name: columns[name] for name in (*NAMES[:-1], *CONDITIONS)})
    table["bundle"] = owner
    table["result"] = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    sizes = _whole(results, "sizes")
    samples = Samples(
        _numbers([each.samples for each in results]),
        np.append(0, np.cumsum(sizes, dtype="int64")),
    )
    for name, values in _figures(results, samples).items():
        table[name] = values
    return Frame(table, tuple(bundles), samples, Coded(triples, names.codes))


def _coded(columns: Iterable[Sequence[T]]) -> tuple[Coded[T], list[int]]:
    """The values of several columns, one column's after another's, and how many each has."""
    places: defaultdict[T, int] = defaultdict(count().__next__)
    sizes: list[int] = []

    def noted(column: Sequence[T]) -> Sequence[T]:
        sizes.append(len(column))
        return column

    # One column at a time, since there can be millions of texts.
    values = chain.from_iterable(map(noted, columns))
    codes = np.fromiter(map(places.__getitem__, values), "int32")
    return Coded([*places], codes), sizes


def _merged(columns: Iterable[Sequence[T]], codes: Ints, results: Sequence[Columns]) -> Coded[T]:
    """The columns of several bundles as one: those of each have its different values, and
    ``codes`` the places of all rows there."""
    values, sizes = _coded(columns)
    starts = np.cumsum([0, *sizes])[:-1]
    places = codes + np.repeat(starts, [each.rows for each in results])
    return Coded(values.distinct, values.codes[places])


def _whole(results: Sequence[Columns], name: str) -> Ints:
    """The whole numbers of the same column of several bundles."""
    given = [(each, getattr(each, name)) for each in results]
    arrays = [np.frombuffer(column, each.kind(column)) for each, column in given]
    return np.concatenate([np.empty(0, "uint8"), *arrays])


def _numbers(arrays: Sequence[bytes], kind: str = "float64") -> np.ndarray[Any, Any]:
    """The numbers of the same column of several bundles."""
    return np.frombuffer(b"".join(arrays), dtype=kind)


def _figures(results: Sequence[Columns], samples: Samples) -> dict[str, np.ndarray[Any, Any]]:
    """The columns of a :class:`Frame` that hold figures. Figures are finite, so NaN can stand
    for what is not said."""
    value, bottom, top = (
        _numbers([getattr(each, name) for each in results]) for name in ("value", "min", "max")
    )
    number = _whole(results, "count")
    sizes, starts = np.diff(samples.ends), samples.ends[:-1]
    sampled, several = sizes > 0, sizes > 1
    stated, published = ~np.isnan(value), ~(np.isnan(bottom) & np.isnan(top))
    low, high = (np.where(np.isnan(end), value, end) for end in (bottom, top))
    mean = value.copy()
    if sampled.any():
        mean[sampled] = samples.flat[starts[sampled]]
        mean[several] = _numbers([each.means for each in results])
        low[sampled] = np.minimum.reduceat(samples.flat, starts[sampled])
        high[sampled] = np.maximum.reduceat(samples.flat, starts[sampled])
    known = number > 0
    behind = np.where(stated, np.where(known, number, 1), 0)
    return {
        "value": mean,
        "weight": np.where(sampled, sizes, behind).astype("int64"),
        "low": low,
        "high": high,
        "counted": sampled | known | ~published,
        "spread": np.where(sampled, several, published),
        "failed": _numbers([each.failed for each in results], "bool"),
    }


_OF_BUNDLES = (
    *("sdk", "soc", "os", "release", "board", "cpu_mhz", "memory", "governor", "kernel", "image"),
)


def _said(bundle: Bundle) -> tuple[str, ...]:
    """What a bundle says of all its results, in the order of ``_OF_BUNDLES``."""
    sdk, board = bundle.sdk, bundle.board
    mhz = "" if board.cpu_mhz is UNSET else f"{board.cpu_mhz:g}"
    names = (sdk.name, board.soc, sdk.os, sdk.version, board.name)
    return (*names, mhz, board.memory, board.governor, sdk.kernel, sdk.image)


def named(texts: Sequence[str], codes: Codes) -> pd.Categorical[str]:
    """A column of texts as categories in their order; ``codes`` says for each row which of
    the texts it has."""
    distinct = sorted(set(texts))
    place = {text: number for number, text in enumerate(distinct)}
    places = np.array([place[text] for text in texts], dtype="int64")
    # Codes of few texts are small; those of millions of rows are not to be large first.
    return pd.Categorical.from_codes(places, categories=pd.Index(distinct)).take(codes)


def canonical(params: Mapping[str, Any]) -> str:
    """Parameters as JSON: sorted, and a whole number the same with or without ``.0``."""
    plain = {
        key: int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        else value
        for key, value in params.items()
    }
    return encode(plain).decode()


def _canonical(text: str) -> str:
    """The same of parameters as the columns of a bundle have them."""
    if ".0," in text or ".0}" in text or text == "null":
        return canonical(msgspec.json.decode(text) or {})
    return text

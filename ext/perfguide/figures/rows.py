"""The results of all bundles as one table, with a row per result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, groupby
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
import numpy as np
from msgspec import UNSET

from ..bundle import Bundle
from ..bundles.decode import Loaded
from ..bundles.results import Columns, encode

if TYPE_CHECKING:
    import pandas as pd

# Import pandas on demand: without it, counting figures takes half a second less.

T = TypeVar("T")

NAMES = ("sdk", "soc", "os", "release", "board", "benchmark", "metric", "unit", "params")
"""The columns that identify a figure; ``params`` is canonical JSON."""

CONDITIONS = ("cpu_mhz", "memory", "governor", "kernel", "image", "command")
"""The columns of measurement conditions."""

TABLE, TABLE_NUMBER = "table", "table_no"
"""Parameters of figures from a published guide with several tables on one subject: the title of the
table unless it is the main one, and its number in the document, which changes if tables are
added."""


Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Codes = np.ndarray[Any, np.dtype[np.integer[Any]]]


@dataclass(frozen=True, slots=True)
class Coded(Generic[T]):
    """A column with few distinct values: the values, and for each row an index into them."""

    distinct: list[T]
    codes: Codes


@dataclass(frozen=True, slots=True)
class Samples:
    """The samples of all rows, concatenated: row ``i`` has ``flat[ends[i]:ends[i + 1]]``, which may
    be empty."""

    flat: Floats
    ends: Ints

    def of(self, row: int) -> tuple[float, ...]:
        """Return the samples of one row."""
        return tuple(self.flat[self.ends[row] : self.ends[row + 1]].tolist())


@dataclass(frozen=True)
class Frame:
    """All results as a table, with the bundles that they came from.

    Columns of ``table``: those of ``NAMES`` except ``params``, and those of ``CONDITIONS``
    (categories; an empty string if unstated); ``bundle`` and ``result``, the positions in
    ``bundles`` and in its ``results``; ``value``, the mean of the samples or the published value in
    ``unit`` (NaN if failed); ``weight``, the number of samples, 1 if unknown; ``low`` and ``high``,
    the extremes, or the value; ``counted``, whether ``weight`` is known; ``spread``, whether
    extremes were measured or published; ``failed``. ``samples`` and ``measured`` (benchmark, metric
    and unit) have an entry per row.
    """

    table: pd.DataFrame
    bundles: tuple[Loaded, ...]
    samples: Samples
    measured: Coded[tuple[str, str, str]]

    @cached_property
    def params(self) -> Coded[str]:
        """The parameters of each row as canonical JSON."""
        # There can be as many texts as rows, so decode them only on demand.
        written, _ = _coded(params_of_rows(loaded.results.columns) for loaded in self.bundles)
        of_text, _ = _coded([[_canonical(text) for text in written.distinct]])
        return Coded(of_text.distinct, of_text.codes[written.codes])

    @cached_property
    def annotations(self) -> Coded[str]:
        """The setup and notes of each row, as in ``Columns.annotations``."""
        columns = [loaded.results.columns for loaded in self.bundles]
        indices = _integers(columns, "annotation_indices")
        return _merged([column.annotations for column in columns], indices, columns)


def build(bundles: Sequence[Loaded]) -> Frame:
    """Return a table with one row per result, in the order of the bundles."""
    import pandas as pd

    results = [loaded.results.columns for loaded in bundles]
    counts = np.array([c.rows for c in results], dtype="int64")
    owner = np.repeat(np.arange(len(bundles)), counts)
    bundle_texts = [_bundle_texts(loaded.bundle) for loaded in bundles]
    columns = {
        name: named([texts[index] for texts in bundle_texts], owner)
        for index, name in enumerate(_OF_BUNDLES)
    }
    lines = (c.names.split("\n") if c.rows else [] for c in results)
    names = _merged(lines, _integers(results, "name_indices"), results)
    triples = [(b, m, u) for b, m, u in (line.split("\t") for line in names.distinct)]
    for index, name in enumerate(("benchmark", "metric", "unit")):
        columns[name] = named([triple[index] for triple in triples], names.codes)
    commands = _merged(
        [c.commands for c in results], _integers(results, "command_indices"), results
    )
    columns["command"] = named(commands.distinct, commands.codes)
    table = pd.DataFrame({name: columns[name] for name in (*NAMES[:-1], *CONDITIONS)})
    table["bundle"] = owner
    # The position within the bundle: the row minus the bundle's first row.
    table["result"] = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    sizes = _integers(results, "sizes")
    samples = Samples(
        _numbers([c.samples for c in results]),
        np.append(0, np.cumsum(sizes, dtype="int64")),
    )
    for name, values in _figures(results, samples).items():
        table[name] = values
    return Frame(table, tuple(bundles), samples, Coded(triples, names.codes))


def _coded(columns: Iterable[Sequence[T]]) -> tuple[Coded[T], list[int]]:
    """Concatenate several columns into one coded column; also return the length of each."""
    indices: defaultdict[T, int] = defaultdict(count().__next__)
    sizes: list[int] = []

    def counted(column: Sequence[T]) -> Sequence[T]:
        sizes.append(len(column))
        return column

    # There can be millions of strings, so read one column at a time, and record its length
    # meanwhile, because it can be read only once.
    values = chain.from_iterable(map(counted, columns))
    codes = np.fromiter(map(indices.__getitem__, values), "int32")
    return Coded([*indices], codes), sizes


def _merged(columns: Iterable[Sequence[T]], codes: Ints, results: Sequence[Columns]) -> Coded[T]:
    """Merge the coded columns of several bundles. ``columns`` are the distinct values of each
    bundle; ``codes`` are the indices of all rows into the values of their bundle."""
    values, sizes = _coded(columns)
    starts = np.cumsum([0, *sizes])[:-1]
    positions = codes + np.repeat(starts, [c.rows for c in results])
    return Coded(values.distinct, values.codes[positions])


def _integers(results: Sequence[Columns], name: str) -> Ints:
    """Concatenate one integer column of several bundles."""
    arrays = [np.asarray(columns.integers(getattr(columns, name))) for columns in results]
    return np.concatenate([np.empty(0, "uint8"), *arrays])


def _numbers(arrays: Sequence[bytes], kind: str = "float64") -> np.ndarray[Any, Any]:
    """Concatenate one numeric column of several bundles."""
    return np.frombuffer(b"".join(arrays), dtype=kind)


def _figures(results: Sequence[Columns], samples: Samples) -> dict[str, np.ndarray[Any, Any]]:
    """Return the columns of a :class:`Frame` that hold figures. Figures are finite, so NaN marks
    missing ones."""
    value, bottom, top = (
        _numbers([getattr(c, name) for c in results]) for name in ("value", "min", "max")
    )
    number = _integers(results, "count")
    sizes, starts = np.diff(samples.ends), samples.ends[:-1]
    sampled, several = sizes > 0, sizes > 1
    stated, published = ~np.isnan(value), ~(np.isnan(bottom) & np.isnan(top))
    low, high = (np.where(np.isnan(end), value, end) for end in (bottom, top))
    # The mean of the samples is more precise than the program's rounded mean.
    mean = value.copy()
    if sampled.any():
        mean[sampled] = samples.flat[starts[sampled]]
        mean[several] = _numbers([c.means for c in results])
        low[sampled] = np.minimum.reduceat(samples.flat, starts[sampled])
        high[sampled] = np.maximum.reduceat(samples.flat, starts[sampled])
    has_count = number > 0
    behind = np.where(stated, np.where(has_count, number, 1), 0)
    return {
        "value": mean,
        "weight": np.where(sampled, sizes, behind).astype("int64"),
        "low": low,
        "high": high,
        "counted": sampled | has_count | ~published,
        "spread": np.where(sampled, several, published),
        "failed": _numbers([c.failed for c in results], "bool"),
    }


_OF_BUNDLES = (
    *("sdk", "soc", "os", "release", "board", "cpu_mhz", "memory", "governor", "kernel", "image"),
)


def _bundle_texts(bundle: Bundle) -> tuple[str, ...]:
    """Return the strings that a bundle states for all its results, in the order of
    ``_OF_BUNDLES``."""
    sdk, board = bundle.sdk, bundle.board
    mhz = "" if board.cpu_mhz is UNSET else f"{board.cpu_mhz:g}"
    names = (sdk.name, board.soc, sdk.os, sdk.version, board.name)
    return (*names, mhz, board.memory, board.governor, sdk.kernel, sdk.image)


def named(texts: Sequence[str], codes: Codes) -> pd.Categorical[str]:
    """Return a categorical column with sorted categories; ``codes`` holds for each row an index
    into ``texts``."""
    import pandas as pd

    distinct = sorted(set(texts))
    index = {text: number for number, text in enumerate(distinct)}
    indices = np.array([index[text] for text in texts], dtype="int64")
    # Taking rows by small codes avoids a large temporary array for millions of rows.
    return pd.Categorical.from_codes(indices, categories=pd.Index(distinct)).take(codes)


def params_of_rows(columns: Columns) -> list[str]:
    """Return the parameters of each row of a bundle as JSON, with the title and the number of a
    published table in all of its rows.

    Imported bundles may have them only in the rows whose names were taken by an earlier table.
    Results are in the order of the document, column by column, so the rows beside these in a column
    belong to the same table.
    """
    lines = columns.params.split("\n") if columns.rows else []
    if _NUMBERED not in columns.params:
        return lines
    start = 0
    for _, column in groupby(columns.integers(columns.name_indices)):
        end = start + len(list(column))
        if any(_NUMBERED in line for line in lines[start:end]):
            lines[start:end] = _in_one_table(lines[start:end])
        start = end
    return lines


_NUMBERED = f'"{TABLE_NUMBER}"'


def _in_one_table(lines: list[str]) -> list[str]:
    """Return the parameters of consecutive rows of one metric. If they are a column, that is, each
    has another value of one parameter, all get the table that some of them name."""
    rows: list[dict[str, Any]] = [msgspec.json.decode(line) or {} for line in lines]
    numbered = [row for row in rows if TABLE_NUMBER in row]
    tables = [{n: row.pop(n) for n in (TABLE, TABLE_NUMBER) if n in row} for row in rows]
    table, names = tables[rows.index(numbered[0])], rows[0].keys()
    is_one = all(t in (table, {}) for t in tables) and all(row.keys() == names for row in rows)
    differing = [n for n in names if is_one and len({str(row[n]) for row in rows}) > 1]
    if len(differing) != 1 or len({str(row[differing[0]]) for row in rows}) < len(rows):
        return lines
    return [encode(row | table).decode() for row in rows]


def canonical(params: Mapping[str, Any]) -> str:
    """Return parameters as sorted JSON, with integral numbers written without ``.0``."""
    plain = {
        # From 2**53 on, a float no longer distinguishes neighbouring integers.
        key: int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        else value
        for key, value in params.items()
    }
    return encode(plain).decode()


def _canonical(text: str) -> str:
    """Return the canonical form of parameters that are already sorted JSON."""
    # Parsing is only needed if a number may be integral.
    if ".0," in text or ".0}" in text or text == "null":
        return canonical(msgspec.json.decode(text) or {})
    return text


def together(*columns: Ints) -> Ints:
    """Number rows from 0 in order of first appearance; rows equal in all columns share a number."""
    import pandas as pd

    if not len(columns[0]):
        return np.empty(0, dtype="int64")
    numbers = np.zeros(len(columns[0]), dtype="int64")
    for column in columns:
        codes, distinct = pd.factorize(column)
        # Each pair of numbers is another number.
        numbers = pd.factorize(numbers * len(distinct) + codes)[0].astype("int64")
    return numbers

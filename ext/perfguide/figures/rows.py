"""Bundles to one long table, a row for each result."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from msgspec import UNSET

from ..bundle import Bundle, Result
from ..bundles import sharing
from ..bundles.decode import Loaded
from ..bundles.results import Listed, Results, Shape, Starts
from .means import means

NAMES = ("sdk", "soc", "os", "release", "board", "benchmark", "metric", "unit", "params")
"""The columns that say what a figure is of; ``params`` is canonical JSON."""

CONDITIONS = ("cpu_mhz", "memory", "governor", "kernel", "image", "command")
"""The columns that say under which conditions it was taken."""


Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Samples:
    """The samples of all rows, one row's after another's: those of row ``i`` are
    ``flat[ends[i]:ends[i + 1]]``, none where a result has none."""

    flat: Floats
    ends: Ints

    def of(self, row: int) -> tuple[float, ...]:
        """The samples of one row."""
        return tuple(self.flat[self.ends[row] : self.ends[row + 1]].tolist())


@dataclass(frozen=True, slots=True)
class Frame:
    """All results as a table, and the bundles they came from.

    Columns of ``table``: those of ``NAMES`` and ``CONDITIONS`` (categories;
    an empty text where a bundle says nothing); ``bundle`` and ``result``, the
    positions in ``bundles`` and in its ``results``; ``value``, the mean of the
    samples or the published value in ``unit`` (NaN where failed); ``weight``,
    the number of samples that it stands for, 1 where that is not known;
    ``low`` and ``high``, the extremes that are known; ``counted``, whether
    ``weight`` is known; ``spread``, whether extremes were measured or
    published; ``failed``. ``samples`` are those of each row.
    """

    table: pd.DataFrame
    bundles: tuple[Loaded, ...]
    samples: Samples


def build(bundles: Sequence[Loaded]) -> Frame:
    """One row for each result of the bundles, in their order."""
    per_bundle: dict[str, list[str]] = {name: [] for name in _OF_BUNDLES}
    counts = np.array([len(loaded.bundle.results) for loaded in bundles], dtype="int64")
    kinds = _Kinds()
    kind: list[Ints] = [np.empty(0, dtype="int64")]
    figures = _Figures()
    for loaded in bundles:
        for name, text in zip(_OF_BUNDLES, _said(loaded.bundle), strict=True):
            per_bundle[name].append(text)
        kind.append(kinds.of(loaded.bundle.results))
        figures.add(loaded.bundle.results)
    owner = np.repeat(np.arange(len(bundles)), counts)
    columns = {name: _named(texts, owner) for name, texts in per_bundle.items()}
    numbers = np.concatenate(kind)
    by_kind = zip(*kinds.named, strict=True) if kinds.named else [()] * len(_OF_RESULTS)
    columns |= {
        name: _named(texts, numbers=numbers)
        for name, texts in zip(_OF_RESULTS, by_kind, strict=True)
    }
    table = pd.DataFrame({name: columns[name] for name in (*NAMES, *CONDITIONS)})
    table["bundle"] = owner
    table["result"] = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    for name, values in figures.columns().items():
        table[name] = values
    return Frame(table, tuple(bundles), figures.samples())


class _Kinds:
    """What results are of, each different one with a number.

    Bundles of one farm measure the same things in the same order, so what a whole bundle's
    results are of is looked up at once.
    """

    def __init__(self) -> None:
        self.named: list[tuple[str, ...]] = []
        self._numbers: dict[tuple[object, ...], int] = {}
        self._whole: dict[object, Ints] = {}

    def of(self, results: Sequence[Result]) -> Ints:
        """The number of each result's kind."""
        place: object
        if isinstance(results, Results):
            place = results.shape
            results = results.shape.results
        else:
            place = results.kind if isinstance(results, Listed) else sharing.kind(results)
        if place not in self._whole:
            found = [self._of(result) for result in results]
            self._whole[place] = np.array(found, dtype="int64")
        return self._whole[place]

    def _of(self, result: Result) -> int:
        params = result.params
        # True equals 1 in Python, so the types are a part of the identity.
        what = (*params.items(), *map(type, params.values())) if params else ()
        key = (result.benchmark, result.metric, result.unit, result.command, what)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.named)
            self.named.append((*key[:4], canonical(params)))
        return number


class _Figures:
    """The figures of results, gathered into columns. Figures are finite, so NaN can
    stand for what is not said."""

    def __init__(self) -> None:
        self._sizes = array("q")
        self._flat = array("d")
        self._said = [array("d") for _ in ("value", "min", "max", "count")]
        self._failed = array("b")
        self._slots: dict[Shape, _Slots] = {}
        self._layouts: dict[Shape, _Layout] = {}

    def add(self, results: Sequence[Result]) -> None:
        """Add the figures of a bundle's results."""
        if isinstance(results, Results):
            self._add(self._layout(results), results)
            return
        given = [r.samples for r in results]
        if UNSET not in given:
            self._sizes.extend(map(len, given))  # type: ignore[arg-type]
            self._flat.extend(chain.from_iterable(given))  # type: ignore[arg-type]
            return
        self._sizes.extend([0 if s is UNSET else len(s) for s in given])
        self._flat.extend([x for s in given if s is not UNSET for x in s])
        plain = [r for r in results if r.samples is UNSET]
        self._failed.extend([r.status is not UNSET for r in plain])
        nan, (values, lows, highs, counts) = math.nan, self._said
        values.extend([nan if r.value is UNSET else r.value for r in plain])
        lows.extend([nan if r.min is UNSET else r.min for r in plain])
        highs.extend([nan if r.max is UNSET else r.max for r in plain])
        counts.extend([nan if r.count is UNSET else r.count for r in plain])

    def _layout(self, results: Results) -> _Layout:
        shape = results.shape
        if shape not in self._slots:
            self._slots[shape] = slots = _slots(shape)
            self._layouts[shape] = slots.layout(shape.starts)
        if results.starts is shape.starts:
            return self._layouts[shape]
        return self._slots[shape].layout(results.starts)

    def _add(self, layout: _Layout, results: Results) -> None:
        self._sizes.frombytes(layout.sizes)
        self._failed.frombytes(layout.failed)
        # The last one is that of all figures that are not there.
        figures = np.append(np.frombuffer(results.figures), math.nan)
        self._flat.frombytes(figures[layout.samples].tobytes())
        for said, places in zip(self._said, layout.said, strict=True):
            said.frombytes(figures[places].tobytes())

    def samples(self) -> Samples:
        """The samples of all results."""
        return Samples(np.array(self._flat), self._ends())

    def _ends(self) -> Ints:
        sizes = np.array(self._sizes, dtype="int64")
        return np.concatenate([np.zeros(1, dtype="int64"), np.cumsum(sizes)])

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The columns of a :class:`Frame` that hold figures."""
        sizes, flat, ends = np.array(self._sizes, dtype="int64"), np.array(self._flat), self._ends()
        starts, sampled = ends[:-1], sizes > 0
        value, low, high = (np.full(len(sizes), np.nan) for _ in range(3))
        weight, counted, spread = sizes.copy(), np.ones(len(sizes), dtype="bool"), sizes > 1
        failed = np.zeros(len(sizes), dtype="bool")
        if sampled.any():
            value[sampled] = means(flat, starts[sampled], sizes[sampled])
            low[sampled] = np.minimum.reduceat(flat, starts[sampled])
            high[sampled] = np.maximum.reduceat(flat, starts[sampled])
        mean, bottom, top, count = (np.array(column) for column in self._said)
        sound, published = ~np.isnan(mean), ~(np.isnan(bottom) & np.isnan(top))
        known, failures = ~np.isnan(count), np.array(self._failed, dtype="bool")
        plain = ~sampled
        value[plain] = mean
        low[plain], high[plain] = (np.where(np.isnan(e), mean, e) for e in (bottom, top))
        weight[plain] = np.where(sound, np.where(known, np.nan_to_num(count), 1), 0)
        counted[plain] = known | ~published
        spread[plain] = published
        failed[plain] = failures & ~sound
        return {
            **{"value": value, "weight": weight, "low": low, "high": high},
            **{"counted": counted, "spread": spread, "failed": failed},
        }


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the columns of a shape's results find their figures; -1 where there is none."""

    sizes: bytes
    failed: bytes
    samples: Ints
    said: tuple[Ints, ...]


@dataclass(frozen=True, slots=True)
class _Slots:
    """The slots of a shape's figures by rows and columns."""

    rows: int
    sampled: Ints
    """The rows that have samples, and their slots."""
    samples: Ints
    failed: bytes
    said: tuple[Ints, ...]

    def layout(self, starts: Starts) -> _Layout:
        """Where the figures of these slots are."""
        at = np.frombuffer(starts, dtype="int64")
        lengths = np.diff(at)
        sizes = np.zeros(self.rows, dtype="int64")
        sizes[self.sampled] = lengths[self.samples]
        own = np.zeros(len(lengths), dtype="bool")
        own[self.samples] = True
        samples = np.flatnonzero(np.repeat(own, lengths))
        said = tuple(np.where(slots < 0, -1, at[slots]) for slots in self.said)
        return _Layout(sizes.tobytes(), self.failed, samples, said)


def _slots(shape: Shape) -> _Slots:
    of = [dict(places) for places in shape.places]
    plain = [row for row, result in enumerate(shape.results) if result.samples is UNSET]
    sampled = [row for row, slots in enumerate(of) if "samples" in slots]
    said = [[of[row].get(name, -1) for row in plain] for name in ("value", "min", "max", "count")]
    return _Slots(
        len(of),
        np.array(sampled, dtype="int64"),
        np.array([of[row]["samples"] for row in sampled], dtype="int64"),
        array("b", [shape.results[row].status is not UNSET for row in plain]).tobytes(),
        tuple(np.array(slots, dtype="int64") for slots in said),
    )


_OF_BUNDLES = (
    *("sdk", "soc", "os", "release", "board", "cpu_mhz", "memory", "governor", "kernel", "image"),
)
_OF_RESULTS = ("benchmark", "metric", "unit", "command", "params")


def _said(bundle: Bundle) -> tuple[str, ...]:
    """What a bundle says of all its results, in the order of ``_OF_BUNDLES``."""
    sdk, board = bundle.sdk, bundle.board
    mhz = "" if board.cpu_mhz is UNSET else f"{board.cpu_mhz:g}"
    names = (sdk.name, board.soc, sdk.os, sdk.version, board.name)
    return (*names, mhz, board.memory, board.governor, sdk.kernel, sdk.image)


def _named(texts: Sequence[str], numbers: Ints) -> pd.Categorical[str]:
    """A column of texts, given by their numbers, as categories in their order."""
    distinct = sorted(set(texts))
    rank = {text: place for place, text in enumerate(distinct)}
    codes = np.array([rank[text] for text in texts], dtype="int64")
    # Codes of few texts are small; those of millions of rows are not to be large first.
    return pd.Categorical.from_codes(codes, categories=pd.Index(distinct)).take(numbers)


def canonical(params: dict[str, Any]) -> str:
    """Parameters as text: sorted, and a whole number the same with or without ``.0``."""
    plain = {
        key: int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        else value
        for key, value in params.items()
    }
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

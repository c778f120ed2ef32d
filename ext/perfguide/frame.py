"""Bundles to one long table, a row for each result."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from msgspec import UNSET

from .bundle import Bundle, Result
from .validate import Loaded

NAMES = ("sdk", "soc", "os", "release", "board", "benchmark", "metric", "unit", "params")
"""The columns that say what a figure is of; ``params`` is canonical JSON."""

CONDITIONS = ("cpu_mhz", "memory", "governor", "kernel", "image", "command")
"""The columns that say under which conditions it was taken."""


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
    published; ``failed``; ``samples``, a tuple or ``None``.
    """

    table: pd.DataFrame
    bundles: tuple[Loaded, ...]


def build(bundles: Sequence[Loaded]) -> Frame:
    """One row for each result of the bundles, in their order."""
    per_bundle: dict[str, list[str]] = {name: [] for name in _OF_BUNDLES}
    counts = np.array([len(loaded.bundle.results) for loaded in bundles], dtype="int64")
    sorts: dict[object, int] = {}
    named: list[tuple[str, ...]] = []
    sort, figures = array("q"), array("d")
    samples: list[tuple[float, ...] | None] = []
    for loaded in bundles:
        bundle = loaded.bundle
        for name, text in zip(_OF_BUNDLES, _said(bundle), strict=True):
            per_bundle[name].append(text)
        for result in bundle.results:
            params = result.params
            # True equals 1 in Python, so the types are a part of the identity.
            what = (*params.items(), *map(type, params.values())) if params else ()
            key = (result.benchmark, result.metric, result.unit, result.command, what)
            number = sorts.get(key)
            if number is None:
                number = sorts[key] = len(sorts)
                named.append((*key[:4], canonical(params)))
            sort.append(number)
            samples.append(None if result.samples is UNSET else tuple(result.samples))
            figures.extend(_figures(result, samples[-1]))
    owner = np.repeat(np.arange(len(bundles)), counts)
    columns = {name: _named(texts, owner) for name, texts in per_bundle.items()}
    numbers = np.frombuffer(sort, dtype="int64")
    by_sort = zip(*named, strict=True) if named else [()] * len(_OF_RESULTS)
    columns |= {
        name: _named(texts, numbers) for name, texts in zip(_OF_RESULTS, by_sort, strict=True)
    }
    table = pd.DataFrame({name: columns[name] for name in (*NAMES, *CONDITIONS)})
    table["bundle"] = owner
    table["result"] = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    by_name = zip(_FIGURES, np.frombuffer(figures).reshape(-1, len(_FIGURES)).T, strict=True)
    for name, values in by_name:
        table[name] = values.astype(_FIGURES[name])
    table["samples"] = pd.Series(samples, dtype="object")
    return Frame(table, tuple(bundles))


_OF_BUNDLES = (
    *("sdk", "soc", "os", "release", "board", "cpu_mhz", "memory", "governor", "kernel", "image"),
)
_OF_RESULTS = ("benchmark", "metric", "unit", "command", "params")
_FIGURES = {
    **{"value": "float64", "weight": "int64", "low": "float64", "high": "float64"},
    **{"counted": "bool", "spread": "bool", "failed": "bool"},
}


def _said(bundle: Bundle) -> tuple[str, ...]:
    """What a bundle says of all its results, in the order of ``_OF_BUNDLES``."""
    sdk, board = bundle.sdk, bundle.board
    mhz = "" if board.cpu_mhz is UNSET else f"{board.cpu_mhz:g}"
    names = (sdk.name, board.soc, sdk.os, sdk.version, board.name)
    return (*names, mhz, board.memory, board.governor, sdk.kernel, sdk.image)


def _named(texts: Sequence[str], numbers: np.ndarray[Any, Any]) -> pd.Categorical[str]:
    """A column of texts, given by their numbers, as categories in their order."""
    distinct = sorted(set(texts))
    rank = {text: place for place, text in enumerate(distinct)}
    codes = np.array([rank[text] for text in texts], dtype="int64")
    return pd.Categorical.from_codes(codes[numbers], categories=pd.Index(distinct))


def _figures(result: Result, samples: tuple[float, ...] | None) -> tuple[float, ...]:
    """What one result adds to the columns of figures, in the order of ``_FIGURES``."""
    if samples is not None:
        count = len(samples)
        if count == 1:
            return samples[0], 1, samples[0], samples[0], True, False, False
        mean = math.fsum(samples) / count
        return mean, count, min(samples), max(samples), True, True, False
    value = result.value
    if value is UNSET:
        return math.nan, 0, math.nan, math.nan, True, False, result.status is not UNSET
    low = value if result.min is UNSET else result.min
    high = value if result.max is UNSET else result.max
    published = result.min is not UNSET or result.max is not UNSET
    counted = result.count is not UNSET
    weight = 1 if result.count is UNSET else result.count
    return value, weight, low, high, counted or not published, published, False


def canonical(params: dict[str, Any]) -> str:
    """Parameters as text: sorted, and a whole number the same with or without ``.0``."""
    plain = {
        key: int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        else value
        for key, value in params.items()
    }
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

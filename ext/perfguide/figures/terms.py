"""The terms in which results are pooled: parameters with their defaults, and one unit."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pandas as pd

from ..catalog.benchmarks import Catalog, Scalar
from ..common import units
from .rows import Coded, Frame, canonical, named

CONDITION_WORDS = {
    "cpu_mhz": "clock",
    "memory": "memory",
    "governor": "governor",
    "kernel": "kernel",
    "image": "image",
    "command": "command",
}


def defaulted(
    frame: Frame, catalog: Catalog
) -> tuple[pd.Categorical[str], dict[str, dict[str, Scalar]]]:
    """Each row's parameters with the catalog's defaults, as canonical text, and
    what each such text means."""
    decoded: dict[str, dict[str, Scalar]] = {}
    texts: list[str] = []
    benchmark, params = frame.table["benchmark"], frame.params
    pairs = benchmark.cat.codes.to_numpy(dtype="int64") * len(params.distinct) + params.codes
    different, codes = np.unique(pairs, return_inverse=True)
    for pair in different.tolist():
        number, place = divmod(pair, len(params.distinct))
        own: dict[str, Scalar] = msgspec.json.decode(params.distinct[place])
        if entry := catalog.get(benchmark.cat.categories[number]):
            for name, param in entry.entry.params.items():
                if param.default is not None:
                    own.setdefault(name, param.default)
        texts.append(canonical(own))
        decoded[texts[-1]] = msgspec.json.decode(texts[-1])
    return named(texts, codes), decoded


Spelt = dict[tuple[str, str, str], str]
"""For a benchmark, a metric and a kind of unit the unit that is shown, where it follows from
how all bundles spell it."""


def target_units(
    measured: Coded[tuple[str, str, str]], catalog: Catalog
) -> tuple[pd.Categorical[str], np.ndarray[Any, Any], Spelt]:
    """The unit that each row is shown in, the factor into it, and what follows from spellings.
    ``measured`` has the benchmark, the metric and the unit of each row.

    The catalog's unit where the row's unit is of that kind; else the commonest
    spelling of its kind for this metric, so that one kind pools.
    """
    counts = np.bincount(measured.codes, minlength=len(measured.distinct)).tolist()
    commonest: dict[tuple[str, str, str], tuple[int, str]] = {}
    for (benchmark, metric, text), count in zip(measured.distinct, counts, strict=True):
        unit = units.parse(text)
        place = (benchmark, metric, unit.kind)
        commonest[place] = min(commonest.get(place, (0, "")), (-count, unit.name))
    shown: list[str] = []
    factors: list[float] = []
    spelt: Spelt = {}
    for benchmark, metric, text in measured.distinct:
        entry = catalog.get(benchmark)
        known = entry.metric(metric) if entry else None
        if known and units.factor(text, known.unit) is not None:
            target = units.parse(known.unit).name
        else:
            place = (benchmark, metric, units.parse(text).kind)
            target = spelt[place] = commonest[place][1]
        factor = units.factor(text, target)
        assert factor is not None  # both are of one kind
        shown.append(target)
        factors.append(factor)
    return named(shown, measured.codes), np.array(factors)[measured.codes], spelt


def codes(column: pd.Series[Any]) -> tuple[np.ndarray[Any, Any], int]:
    """A condition as numbers, and the number that stands for "not stated"."""
    categories = list(column.cat.categories)
    return column.cat.codes.to_numpy(), categories.index("") if "" in categories else -1

"""The terms in which results are pooled: parameters with their defaults, and one unit."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from ..catalog.benchmarks import Catalog, Scalar
from ..common import units
from .rows import canonical

CONDITION_WORDS = {
    "cpu_mhz": "clock",
    "memory": "memory",
    "governor": "governor",
    "kernel": "kernel",
    "image": "image",
    "command": "command",
}


def defaulted(
    table: pd.DataFrame, catalog: Catalog
) -> tuple[pd.Series[Any], dict[str, dict[str, Scalar]]]:
    """Each row's parameters with the catalog's defaults, as canonical text, and
    what each such text means."""
    decoded: dict[str, dict[str, Scalar]] = {}
    texts: dict[tuple[str, str], str] = {}
    pairs = table[["benchmark", "params"]].drop_duplicates()
    for benchmark, text in zip(pairs["benchmark"], pairs["params"], strict=True):
        params: dict[str, Scalar] = json.loads(text)
        if entry := catalog.get(benchmark):
            for name, param in entry.entry.params.items():
                if param.default is not None:
                    params.setdefault(name, param.default)
        full = canonical(params)
        texts[benchmark, text] = full
        decoded[full] = json.loads(full)
    full_texts = [texts[pair] for pair in zip(table["benchmark"], table["params"], strict=True)]
    return pd.Series(pd.Categorical(full_texts), index=table.index), decoded


Spelt = dict[tuple[str, str, str], str]
"""For a benchmark, a metric and a kind of unit the unit that is shown, where it follows from
how all bundles spell it."""


def target_units(
    table: pd.DataFrame, catalog: Catalog
) -> tuple[pd.Series[Any], np.ndarray[Any, Any], Spelt]:
    """The unit that each row is shown in, the factor into it, and what follows from spellings.

    The catalog's unit where the row's unit is of that kind; else the commonest
    spelling of its kind for this metric, so that one kind pools.
    """
    named = zip(table["benchmark"], table["metric"], table["unit"], strict=True)
    triples = Counter(named)
    commonest: dict[tuple[str, str, str], tuple[int, str]] = {}
    for (benchmark, metric, text), count in triples.items():
        unit = units.parse(text)
        place = (benchmark, metric, unit.kind)
        commonest[place] = min(commonest.get(place, (0, "")), (-count, unit.name))
    chosen: dict[tuple[str, str, str], tuple[str, float]] = {}
    spelt: Spelt = {}
    for benchmark, metric, text in triples:
        entry = catalog.get(benchmark)
        known = entry.metric(metric) if entry else None
        if known and units.factor(text, known.unit) is not None:
            target = units.parse(known.unit).name
        else:
            place = (benchmark, metric, units.parse(text).kind)
            target = spelt[place] = commonest[place][1]
        factor = units.factor(text, target)
        assert factor is not None  # both are of one kind
        chosen[benchmark, metric, text] = (target, factor)
    rows = [
        chosen[row] for row in zip(table["benchmark"], table["metric"], table["unit"], strict=True)
    ]
    target_units = pd.Series(pd.Categorical([r[0] for r in rows]), index=table.index)
    return target_units, np.array([r[1] for r in rows], dtype="float64"), spelt


def codes(column: pd.Series[Any]) -> tuple[np.ndarray[Any, Any], int]:
    """A condition as numbers, and the number that stands for "not stated"."""
    categories = list(column.cat.categories)
    return column.cat.codes.to_numpy(), categories.index("") if "" in categories else -1

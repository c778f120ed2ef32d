"""The form in which results are pooled: parameters with their defaults, and one unit per metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, guide_key
from ..catalog import phrases
from ..catalog.benchmarks import Benchmark, Catalog, Scalar
from ..common import units
from .rows import TABLE, TABLE_NUMBER, Coded, Frame, canonical, named, params_of_rows

if TYPE_CHECKING:
    import pandas as pd

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
    """Return each row's parameters as canonical text, with the catalog's defaults and the SoC's
    meanings of values applied; and the parameters behind each distinct text."""
    decoded: dict[str, dict[str, Scalar]] = {}
    texts: list[str] = []
    benchmark, soc, params = frame.table["benchmark"], frame.table["soc"], frame.params
    # Each distinct combination of benchmark, SoC and parameters is decoded only once.
    owners = benchmark.cat.codes.to_numpy(dtype="int64") * len(soc.cat.categories)
    owners += soc.cat.codes.to_numpy()
    different, codes = np.unique(owners * len(params.distinct) + params.codes, return_inverse=True)
    # Accessing a column's categories takes longer than decoding the parameters.
    benchmarks, socs = benchmark.cat.categories.tolist(), soc.cat.categories.tolist()
    for combination in different.tolist():
        owner, index = divmod(combination, len(params.distinct))
        number, code = divmod(owner, len(socs))
        texts.append(
            _normalized(params.distinct[index], catalog.benchmark(benchmarks[number]), socs[code])
        )
        decoded[texts[-1]] = msgspec.json.decode(texts[-1])
    return named(texts, codes), decoded


def _normalized(params: str, described: Benchmark, soc: str) -> str:
    """Return parameters as canonical text, with the benchmark's defaults and the SoC's meanings of
    values applied."""
    values: dict[str, Scalar] = msgspec.json.decode(params) or {}
    if TABLE in values:
        values = _with_title_read(values, described)
    for name, param in described.entry.params.items():
        if param.default is not None:
            values.setdefault(name, param.default)
        meanings = param.on.get(soc)
        if meanings and name in values:
            values[name] = meanings.get(str(values[name]), values[name])
    return canonical(values)


def _with_title_read(params: dict[str, Scalar], described: Benchmark) -> dict[str, Scalar]:
    """Return parameters without the number of their published table if the description lists its
    title. If the description has no titles, replace the table by the parameters that its title
    states, in words that an import would read."""
    title = str(params[TABLE])
    if titles := described.entry.params.get(TABLE):
        return {n: v for n, v in params.items() if n != TABLE_NUMBER or title not in titles.values}
    stated = {
        name: value
        for name, param in described.entry.params.items()
        # An empty word gives a value to titles that state none.
        if name not in params and "" not in param.value_words
        if (value := phrases.value([title], param)) is not None
    }
    kept = {n: v for n, v in params.items() if not stated or n not in (TABLE, TABLE_NUMBER)}
    return kept | stated


def figures_by_guide(bundles: Iterable[Loaded], catalog: Catalog) -> dict[GuideKey, int]:
    """Return the number of figures in each guide, as a :class:`pool.Pool` would count them."""
    counted = Counter[tuple[str, str, str]]()
    distinct = list[tuple[Loaded, set[tuple[tuple[str, str, str], str]]]]()
    for item in bundles:
        columns = item.results.columns
        triples, params = columns.triples(), params_of_rows(columns)
        names = (
            [triples[code] for code in columns.integers(columns.name_indices)]
            if columns.rows
            else []
        )
        counted.update(names)
        distinct.append((item, set(zip(names, params, strict=False))))
    spelt = spellings(counted, catalog)

    @cache
    def unit_of(benchmark: str, metric: str, text: str) -> str:
        described = _described_unit(benchmark, metric, text, catalog)
        return described or spelt[benchmark, metric, units.parse(text).kind]

    @cache
    def normalized(params: str, benchmark: str, soc: str) -> str:
        return _normalized(params, catalog.benchmark(benchmark), soc)

    figures: dict[GuideKey, set[tuple[str, ...]]] = {}
    for item, pairs in distinct:
        board = item.bundle.board
        if pairs:
            figures.setdefault(guide_key(item.bundle), set()).update(
                (board.name, *names[:2], unit_of(*names), normalized(params, names[0], board.soc))
                for names, params in pairs
            )
    return {key: len(of_guide) for key, of_guide in figures.items()}


Spelt = dict[tuple[str, str, str], str]
"""The display unit by benchmark, metric and kind of unit, where it was chosen among the spellings
in bundles."""


def spellings(counted: Mapping[tuple[str, str, str], int], catalog: Catalog) -> Spelt:
    """Return the unit of each metric that the catalog does not describe: the most common spelling
    of its kind, so that all results of one kind pool. ``counted`` is the number of results by
    benchmark, metric and unit."""
    commonest: dict[tuple[str, str, str], tuple[int, str]] = {}
    for (benchmark, metric, text), count in counted.items():
        if _described_unit(benchmark, metric, text, catalog):
            continue
        unit = units.parse(text)
        key = (benchmark, metric, unit.kind)
        commonest[key] = min(commonest.get(key, (0, "")), (-count, unit.name))
    # Sorted, so that page keys do not depend on the order of bundles.
    return {key: name for key, (_, name) in sorted(commonest.items())}


def _described_unit(benchmark: str, metric: str, unit: str, catalog: Catalog) -> str:
    """Return the catalog's unit if ``unit`` is of the same kind, else an empty string."""
    described = catalog.benchmark(benchmark).metric(metric)
    if described and units.factor(unit, described.unit) is not None:
        return units.parse(described.unit).name
    return ""


def target_units(
    measured: Coded[tuple[str, str, str]], catalog: Catalog, spelt: Spelt | None = None
) -> tuple[pd.Categorical[str], np.ndarray[Any, Any], Spelt]:
    """Return each row's display unit, the factor to convert to it, and the units chosen by
    spelling. ``measured`` holds the benchmark, metric and unit of each row.

    The display unit is the catalog's if the row's unit is of the same kind, else that in ``spelt``,
    which defaults to :func:`spellings` of these rows.
    """
    if spelt is None:
        counts = np.bincount(measured.codes, minlength=len(measured.distinct)).tolist()
        spelt = spellings(dict(zip(measured.distinct, counts, strict=True)), catalog)
    targets: list[str] = []
    factors: list[float] = []
    used: Spelt = {}
    for benchmark, metric, text in measured.distinct:
        target = _described_unit(benchmark, metric, text, catalog)
        if not target:
            key = (benchmark, metric, units.parse(text).kind)
            target = used[key] = spelt[key]
        factor = units.factor(text, target)
        assert factor is not None  # both units are of the same kind
        targets.append(target)
        factors.append(factor)
    return named(targets, measured.codes), np.array(factors)[measured.codes], used


def codes(column: pd.Series[Any]) -> tuple[np.ndarray[Any, Any], int]:
    """Return a condition as codes, and the code of "not stated", or -1 if every row states it."""
    categories = list(column.cat.categories)
    return column.cat.codes.to_numpy(), categories.index("") if "" in categories else -1

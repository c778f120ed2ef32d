"""Rules about metrics: samples pooled from two, one under two names or in two tables, results in
steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..common import units
from ..common.grouping import grouped
from ..common.units import last_digit
from ..figures.columns import GUIDE, OWNER, ROW, Figures, Floats, digits
from ..figures.rows import TABLE, TABLE_NUMBER, canonical, together
from .finding import Hit, amount, exact_amount

MIN_TABLES_RATIO = 1.15
"""The least ratio between the figures of two tables that disagree."""

MAX_COARSE_TIMES, MAX_SMALL_TIMES = 12, 60
"""The most units of time that a run takes, for steps to be coarse or small."""

MIN_SMALL_STEPS = 4
"""The fewest distinct figures that prove small steps: two or three numbers always have some common
multiple."""

MIN_WIDE_RATIO = 1.25
"""The least ratio of maximum to minimum at which they are far apart."""

MIN_RATIO_OF_BOTH = 1.025
"""The least ratio of maximum to minimum at which both hardly equal other figures by chance."""

MIN_SHARING_METRICS = 4
"""A figure shared by more metrics of a run than this is a step of a meter."""

_RUN = (*OWNER, "release", "benchmark", "params", "unit")
"""The columns that agree for metrics measured together, in one unit."""

_NUMBER = re.compile(r"\d+")
_RANK = re.compile(r"(.+)_(?:min|max|p[0-9.]+)")
_OTHER_END = {"minimum": "maximum", "maximum": "minimum"}


@dataclass(frozen=True, slots=True)
class _Match:
    """An extreme that equals a figure of another metric: the position of each, and which end of
    each it is (empty for the mean)."""

    position: int
    end: str
    other: int
    other_end: str


def pooled_metrics(figures: Figures) -> Iterator[Hit]:
    """Yield extremes that equal a figure of another metric of the same run and unit.

    To exclude coincidences, both extremes must equal other metrics' figures and not be close
    together; or the extremes must be far apart, and five digits agree, or four if metrics that
    differ only in a size match in the same way.
    """
    matches = _matches(figures)
    run = figures.groups(*_RUN)

    def family(match: _Match) -> tuple[int, str, str, str, str]:
        # The same for matches of one run whose metrics differ only in the sizes in their names.
        names = (figures.name("metric", p) for p in (match.position, match.other))
        name, other = (_NUMBER.sub("0", name) for name in names)
        return int(run[match.position]), name, match.end, other, match.other_end

    families = Counter(map(family, matches.values()))
    for (position, end), match in matches.items():
        low, high = float(figures.low[position]), float(figures.high[position])
        value = low if end == "minimum" else high
        repeated = families[family(match)] > 1
        apart = high / low >= MIN_WIDE_RATIO and (repeated or digits(value) >= 5)
        are_both = high / low >= MIN_RATIO_OF_BOTH and (position, _OTHER_END[end]) in matches
        if apart or are_both:
            name = figures.metric_label(match.other)
            whose = (
                f"the {match.other_end} of {name}" if match.other_end else f"the figure of {name}"
            )
            figure = exact_amount(value, figures.name("unit", position))
            detail = f"its {end} {figure} is also {whose}"
            yield Hit("pooled-metrics", position, detail, weight=high / low)


def _matches(figures: Figures) -> dict[tuple[int, str], _Match]:
    """Return extremes, by position and end, that equal a figure of another metric of the same run
    in all of at least four digits."""
    import pandas as pd

    mean, low, high, metric = figures.mean, figures.low, figures.high, figures.code("metric")
    run = figures.groups(*_RUN)
    wide = np.flatnonzero(figures.spread & (high > low) & (low > 0))
    every = pd.concat(
        pd.DataFrame({"run": run[at], "figure": values[at], "position": at, "end": end})
        for end, values, at in (
            ("", mean, np.flatnonzero(mean == mean)),
            ("minimum", low, wide),
            ("maximum", high, wide),
        )
    )
    # A figure shared by many metrics is a step of a meter and proves nothing.
    every["metric"] = metric[every["position"].to_numpy(dtype="int64")]
    shared = every.groupby(["run", "figure"])["metric"].transform("nunique")
    every = every[shared <= MIN_SHARING_METRICS]
    ends = every[every["end"] != ""]
    # Join each extreme with the equal figures of its run.
    pairs = ends.merge(every, on=["run", "figure"], suffixes=("", "_other"))
    mine, other = (pairs[c].to_numpy(dtype="int64") for c in ("position", "position_other"))
    same = (low[mine] == low[other]) & (high[mine] == high[other])
    pairs = pairs[~same & (metric[mine] != metric[other])]
    names = {frozenset(pair) for pair in _pairs(figures)}
    matches = {}
    # Means sort last, as their end is empty, and so replace extremes as the match.
    for pair in pairs.sort_values("end_other", ascending=False, kind="stable").itertuples():
        position, other_position = pair.position, pair.position_other
        both = frozenset((int(metric[position]), int(metric[other_position])))
        if digits(pair.figure) >= 4 and both not in names:
            match = _Match(position, pair.end, other_position, pair.end_other)
            matches[position, pair.end] = match
    return matches


def _same_figures(figures: Figures) -> dict[tuple[int, int], list[int]]:
    """Return, for each pair of metrics, the positions of figures of the first that equal the
    second's exactly in the same run."""
    sound = np.flatnonzero((figures.mean == figures.mean) & (figures.mean != 0))
    # Equal figures get equal numbers; adding zero merges the two floating-point zeros.
    bits = ((v[sound] + 0.0).view("int64") for v in (figures.mean, figures.low, figures.high))
    number = together(figures.groups(*_RUN)[sound], *bits)
    size = np.bincount(number) if len(number) else number
    # A figure shared by many metrics is a setting or a step, not a second name.
    repeated = np.flatnonzero((size[number] > 1) & (size[number] < 8)).tolist()
    alike = grouped(repeated, lambda index: int(number[index]))
    metric, names = figures.code("metric"), figures.names("metric")
    # Ranks of one metric may coincide: the 99.9 % quantile of 100 samples is their maximum.
    ranked = {code: match[1] for code, name in enumerate(names) if (match := _RANK.fullmatch(name))}
    by_pair: dict[tuple[int, int], list[int]] = {}
    for indices in alike.values():
        positions = sound[indices].tolist()
        for a, b in combinations(sorted(positions, key=lambda p: metric[p]), 2):
            if (stem := ranked.get(int(metric[a]))) and stem == ranked.get(int(metric[b])):
                continue
            by_pair.setdefault((int(metric[a]), int(metric[b])), []).append(a)
    return by_pair


def _pairs(figures: Figures) -> dict[tuple[int, int], tuple[int, list[int]]]:
    """Return pairs of metrics that are the same measurement, each with the number of runs that have
    both, and the positions of the first one's equal figures.

    All figures must be equal, or at least 95 % of them if they have three digits or more; and
    together they must have too many digits for a coincidence.
    """
    by_pair = _same_figures(figures)
    run, metric = figures.groups(*_RUN), figures.code("metric")
    involved = np.isin(metric, list({name for pair in by_pair for name in pair}))
    runs: dict[int, set[int]] = {}
    zeros: dict[int, set[int]] = {}
    for position in np.flatnonzero(involved & (figures.mean == figures.mean)).tolist():
        for seen in (runs, zeros) if figures.mean[position] == 0 else (runs,):
            seen.setdefault(int(metric[position]), set()).add(int(run[position]))
    pairs = {}
    for (a, b), positions in by_pair.items():
        # A run in which both are zero does not show that they are the same.
        both = len((runs[a] & runs[b]) - (zeros.get(a, set()) & zeros.get(b, set())))
        distinct = {float(figures.mean[p]) for p in positions}
        count = sum(map(digits, distinct))
        share, typical = len(positions) / both, count / len(distinct)
        if both >= 3 and count >= 9 and (share == 1 or (share >= 0.95 and typical >= 3)):
            pairs[a, b] = (both, positions)
    return pairs


def two_names(figures: Figures) -> Iterator[Hit]:
    """Yield the newest figures of each measurement that has two names, under one of them."""
    names, rank = figures.names("metric"), figures.release_rank
    pairs = _pairs(figures)
    every = [position for _, positions in pairs.values() for position in positions]
    newest = max((rank[p] for p in every), default=0)
    # A finding about a benchmark belongs to the guide with its newest figure.
    home: dict[str, int] = {}
    for position in sorted(every, key=lambda p: (rank[p], -p)):
        home[figures.name("benchmark", position)] = position
    for (_, b), (both, positions) in pairs.items():
        last = max(rank[p] for p in positions)
        where = f"all {both}" if both == len(positions) else f"{len(positions)} of {both}"
        benchmark = figures.name("benchmark", positions[0])
        other = figures.catalog.benchmark(benchmark).metric_label(names[b])
        detail = f"the same figures as “{other}” in {where} runs"
        guide = home[benchmark]
        for position in positions:
            if rank[position] == last:
                weight = 1.0 + last / (newest + 1)
                yield Hit("two-names", position, detail, weight, guide=guide)


def two_tables(figures: Figures) -> Iterator[Hit]:
    """Yield the figures of main tables, which have no title as a parameter, and of described other
    tables of their guides, where the two disagree. Any other title may name a condition."""
    params = [figures.pool.params(name) for name in figures.names("params")]
    rest = [
        {n: v for n, v in values.items() if n not in (TABLE, TABLE_NUMBER)} for values in params
    ]
    number_of = dict[str, int]()
    numbers = [number_of.setdefault(canonical(values), len(number_of)) for values in rest]
    codes = figures.code("params")
    same = together(
        *(figures.groups(*GUIDE, "board", "benchmark", "metric", "unit"), np.array(numbers)[codes])
    ).tolist()
    judged = np.flatnonzero(figures.steady & (figures.mean > 0)).tolist()
    main = {same[p]: p for p in judged if params[codes[p]] == rest[codes[p]]}
    for position in judged:
        first, table = main.get(same[position], position), params[codes[position]].get(TABLE)
        described = figures.catalog.benchmark(figures.name("benchmark", position)).param(TABLE)
        if first == position or table not in described.values:
            continue
        one, other = float(figures.mean[first]), float(figures.mean[position])
        ratio, unit = max(one, other) / min(one, other), figures.name("unit", position)
        pairs = ((first, one, "another", other), (position, other, "the main", one))
        for at, mean, which, in_table in pairs if ratio >= MIN_TABLES_RATIO else ():
            detail = f"{amount(mean, unit)}, where {which} table of the guide has {amount(in_table, unit)}"
            yield Hit("two-tables", at, detail, weight=ratio)


def coarse_steps(figures: Figures) -> Iterator[Hit]:
    """Yield rates that are all the same amount of work divided by a few full seconds."""
    kinds = figures.kinds[1]
    rates = figures.of_kind([m is not None and m.better == "higher" for _, m, _ in kinds])
    sound = np.flatnonzero(rates & (figures.low > 0))
    series = figures.groups(*ROW)
    order = sound[np.argsort(series[sound], kind="stable")]
    starts = np.flatnonzero(np.diff(series[order], prepend=-1))
    for positions in np.split(order, starts[1:]) if len(order) else []:
        low, high = figures.low[positions], figures.high[positions]
        every = np.concatenate([low, high[high > low]])
        values = steps(every)
        if values is None:
            yield from _small_steps(figures, positions.tolist(), every)
            continue
        newest = max(positions.tolist(), key=lambda p: (figures.release_rank[p], -p))
        # Numbers have commas of their own.
        listed = " or ".join(units.exact_words(value) for value in values)
        detail = (
            f"{listed} {units.parse(figures.name('unit', newest)).symbol}, which are one "
            "amount of work over whole numbers of seconds; no figure between them is possible"
        )
        for position in positions.tolist():
            yield Hit("coarse-steps", position, detail, guide=newest)


def _small_steps(figures: Figures, positions: list[int], values: Floats) -> Iterator[Hit]:
    distinct = np.unique(values)
    if not MIN_SMALL_STEPS <= len(distinct) < len(values) or not _is_exact(distinct):
        return
    for factor in range(1, MAX_SMALL_TIMES):
        times = _whole_times(distinct, factor, MAX_SMALL_TIMES, 0.002)
        if times is None:
            continue
        small, large = (units.number(100 / n, 1) for n in (max(times) - 1, min(times)))
        apart = " to ".join(dict.fromkeys((small, large)))
        detail = (
            "one amount of work over whole units of time: neighbouring results are "
            f"{apart} % apart, and no single run gives one between them"
        )
        newest = max(positions, key=lambda p: (figures.release_rank[p], -p))
        for position in positions:
            yield Hit("small-steps", position, detail, guide=newest)
        return


def _is_exact(values: Floats) -> bool:
    """Return whether all figures are exact to 0.1 %; rougher ones agree by chance."""
    return all(last_digit(value) <= 1e-3 * value for value in values.tolist())


def _whole_times(distinct: Floats, factor: int, most: int, slack: float) -> list[int] | None:
    """Return for each rate, ascending, the units of time that it takes for the work that the
    fastest does in ``factor`` units; ``None`` if they are not distinct integers up to ``most``."""
    over = distinct[-1] * factor / distinct
    whole = np.round(over)
    if np.all(np.abs(over - whole) <= np.minimum(2e-4 * whole, slack)) and whole.max() <= most:
        times = [int(number) for number in whole]
        return times if len({*times}) == len(distinct) else None
    return None


def steps(values: Floats) -> list[float] | None:
    """Return the distinct values of rates that are all ``work / n`` for integers ``n`` up to 12, or
    ``None``.

    There must be at least four values, with at least two distinct and two repeats, and each must
    fit to within 2 in 10,000, the effect of rounding 3333.33.
    """
    distinct = np.unique(values)
    if len(values) < 4 or not 2 <= len(distinct) <= min(6, len(values) - 2):
        return None
    if not _is_exact(distinct):
        return None
    # As n is at most 12, no amount of work fits a larger ratio.
    if distinct[-1] > 12.5 * distinct[0]:
        return None
    # Even the fastest run may have taken two or three seconds.
    for factor in (1, 2, 3):
        if _whole_times(distinct, factor, MAX_COARSE_TIMES, 1.0) is not None:
            return [float(v) for v in distinct]
    return None


CHECKS = (pooled_metrics, two_names, two_tables, coarse_steps)

"""Rules about one figure: its range, its samples, its limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import UNSET

from ..bundles.results import alike
from ..catalog.benchmarks import Metric
from ..common import units
from ..figures.columns import Figures, last_digit
from .finding import Hit, Rule, amount

RULES = (
    Rule(
        "outside-range",
        "error",
        "mean outside its own range",
        "a published mean is below its own minimum or above its own maximum",
        "compute the mean anew from the samples, and upload them instead of the mean",
    ),
    Rule(
        "samples-contradict",
        "error",
        "published figure contradicted by its samples",
        "a published mean differs from the mean of its samples by more than rounding",
        "look for a typing error in the published figure; the mean of the samples is shown",
    ),
    Rule(
        "not-positive",
        "error",
        "zero or negative where that cannot be",
        "a rate, a time or another quantity that is always above zero is not, or has such a sample",
        'leave the failed sample out, or upload it as "status": "fail"',
    ),
    Rule(
        "over-limit",
        "error",
        "more than there can be",
        "a share is above 100 %, or a load above 100 % for each thread",
        "check how the load was taken and what it is a share of",
    ),
    Rule(
        "two-groups",
        "warning",
        "samples in two groups",
        "the samples of one figure fall into two groups far from each other, so that their mean "
        "is a figure that was never measured",
        "find what differed between the runs, and upload the groups as two measurements",
    ),
)

_ALWAYS_POSITIVE = {
    *{"data rate", "time", "frequency", "packet rate", "floating-point rate", "instruction rate"},
    *{"DMIPS per MHz", "Dhrystone rate", "iteration rate", "workload rate", "operation rate"},
    *{"files", "score", "frame rate", "power", "size"},
}
"""Kinds of unit in which nothing that was measured is zero."""


def outside_range(figures: Figures) -> Iterator[Hit]:
    """Means that are outside what they were published with, by more than rounding."""
    table = figures.pool.frame.table
    value, low, high = (table[c].to_numpy(dtype="float64") for c in ("value", "low", "high"))
    slack = 1e-9 * np.abs(value)
    found = table["spread"].to_numpy(dtype="bool") & (
        (value < low - slack) | (value > high + slack)
    )
    positions = figures.pool.positions()
    for row in np.flatnonzero(found).tolist():
        unit = str(table["unit"].iloc[row])
        mean, bottom, top = value[row], low[row], high[row]
        if (
            max(bottom - mean, mean - top)
            <= max(last_digit(mean), last_digit(bottom), last_digit(top)) / 2
        ):
            continue
        side = f"below its minimum {units.exact(bottom)}"
        if mean > top:
            side = f"above its maximum {units.exact(top)}"
        detail = f"the mean {amount(mean, unit)} is {side}"
        yield Hit("outside-range", int(positions[row]), detail, weight=2.0)


def samples_contradict(figures: Figures) -> Iterator[Hit]:
    """Published figures that are not the mean of their samples, beyond rounding.

    Two published extremes of two samples are those samples.
    """
    positions = figures.pool.positions()
    row = -1
    for loaded in figures.pool.frame.bundles:
        results = loaded.bundle.results
        for index, like in enumerate(alike(results)):
            row += 1
            if like.samples is UNSET and like.count is UNSET:
                continue
            result = results[index]
            if result.value is UNSET:
                continue
            if result.samples is not UNSET:
                samples = list(result.samples)
            elif result.count == 2 and result.min is not UNSET and result.max is not UNSET:
                samples = [result.min, result.max]
            else:
                continue
            mean = sum(samples) / len(samples)
            # A published figure may be rounded or cut off; each sample may be rounded.
            slack = last_digit(result.value) + max(map(last_digit, samples)) / 2
            if abs(mean - result.value) <= slack * 1.000001:
                continue
            shown = ", ".join(units.exact(s) for s in samples[:6])
            more = f" and {len(samples) - 6} more" if len(samples) > 6 else ""
            detail = (
                f"{amount(result.value, result.unit)} was published, and the mean of "
                f"{shown}{more} is {units.number(mean)}"
            )
            yield Hit("samples-contradict", int(positions[row]), detail, weight=2.0)


def _positive(sort: tuple[str, Metric | None, str]) -> bool:
    _, metric, unit = sort
    if metric and metric.positive is not None:
        return metric.positive
    return units.parse(unit).kind in _ALWAYS_POSITIVE


def not_positive(figures: Figures) -> Iterator[Hit]:
    """Figures at or below zero, or with such a sample, that never can be."""
    wanted = figures.of_kind([_positive(sort) for sort in figures.kinds[1]])
    mean, low = figures.mean, figures.low
    for position in np.flatnonzero(wanted & ((mean <= 0) | (low <= 0))).tolist():
        unit = figures.name("unit", position)
        if mean[position] <= 0:
            detail = f"the figure is {amount(mean[position], unit)}"
            yield Hit("not-positive", position, detail, weight=2.0)
            continue
        ends = (
            f"minimum {units.exact(low[position])}, maximum {units.exact(figures.high[position])}"
        )
        detail = f"a sample of {amount(low[position], unit)} is in the mean ({ends})"
        yield Hit("not-positive", position, detail)


_LOAD = re.compile(r"(^|[_ -])(cpu|load|loss|util|utilisation|utilization)", re.IGNORECASE)


def over_limit(figures: Figures) -> Iterator[Hit]:
    """Figures above what can be."""
    number, sorts = figures.kinds
    limits = np.full(len(sorts), np.inf)
    for place, (_, metric, unit) in enumerate(sorts):
        if metric:
            limits[place] = np.inf if metric.at_most is None else metric.at_most
        elif unit == "%":
            limits[place] = 100.0
    if not len(figures):
        return
    for position in np.flatnonzero(figures.high > limits[number] * (1 + 1e-9)).tolist():
        _, metric, unit = sorts[number[position]]
        params = figures.params(position)
        limit, reason = float(limits[number[position]]), ""
        if metric and metric.at_most_per:
            each = params.get(metric.at_most_per)
            if isinstance(each, int | float) and each > 1:
                limit, reason = limit * each, f" for {units.plain(each)} {metric.at_most_per}"
        elif not metric and not _plainly_a_share(figures.name("metric", position), params):
            continue
        top = float(figures.high[position])
        if top <= limit * (1 + 1e-9):
            continue
        what = "it is" if top == figures.mean[position] else "its largest sample is"
        detail = f"{what} {amount(top, unit)}, and {amount(limit, unit)}{reason} is all there is"
        yield Hit("over-limit", position, detail, weight=2.0)


def _plainly_a_share(metric: str, params: dict[str, str | int | float | bool]) -> bool:
    """Whether a metric that no description knows is a load of one thread, or a loss."""
    several = {"threads", "cores", "contexts", "processes", "jobs"} & set(params)
    return bool(_LOAD.search(metric)) and not several


def two_groups(figures: Figures) -> Iterator[Hit]:
    """Figures whose samples, of all runs, fall into two groups."""
    given = figures.pool.frame.samples
    positions = figures.pool.positions()
    sizes = np.diff(given.ends)
    whole = np.bincount(positions, sizes, len(figures))
    held: dict[int, list[float]] = {}
    for row in np.flatnonzero((sizes > 0) & (whole[positions] >= FEWEST)).tolist():
        held.setdefault(int(positions[row]), []).extend(given.of(row))
    for position, samples in held.items():
        if found := split(samples):
            lower, upper = found
            ends = [f"{units.exact(g[0])} to {units.exact(g[-1])}" for g in found]
            detail = (
                f"{len(lower)} samples are {ends[0]} and {len(upper)} are {ends[1]}, none between"
            )
            yield Hit("two-groups", position, detail, weight=(upper[0] - lower[-1]) / abs(upper[0]))


FEWEST = 6
"""Samples that can be two groups."""


def split(samples: Sequence[float]) -> tuple[list[float], list[float]] | None:
    """Samples as two groups, each of three or more and of a quarter of all.

    The gap is at least a twentieth of the middle, and three times what either group
    spans, or six times where there are fewer than ten samples: of 20,000 draws of 6
    to 20 samples from one normal or exponential population 1 in 800 or fewer split.
    """
    ordered = sorted(samples)
    least = max(FEWEST // 2, -(-len(ordered) // 4))
    if len(ordered) < 2 * least:
        return None
    gaps = np.diff(ordered)[least - 1 : len(ordered) - least]
    cut = int(np.argmax(gaps)) + least
    lower, upper = ordered[:cut], ordered[cut:]
    gap = upper[0] - lower[-1]
    widest = max(lower[-1] - lower[0], upper[-1] - upper[0])
    if (
        gap > 0
        and gap >= (3 if len(ordered) >= 10 else 6) * widest
        and gap >= 0.05 * abs(upper[0] + lower[-1]) / 2
    ):
        return lower, upper
    return None


CHECKS = (
    outside_range,
    samples_contradict,
    not_positive,
    over_limit,
    two_groups,
)

"""Rules about a single figure: its range, its samples, its limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np
from msgspec import UNSET

from ..bundle import WARNED
from ..bundles import results
from ..catalog import agreement
from ..catalog.benchmarks import Metric
from ..catalog.chart_spec import is_number
from ..common import units
from ..common.grouping import grouped
from ..common.units import last_digit
from ..figures import failed_runs
from ..figures.columns import Figures
from .finding import Hit, amount, exact_amount

MIN_SAMPLES_RATIO, MIN_MEAN_RATIO = 3.0, 1.1
"""The least ratio of the largest sample to the smallest at which they are far apart, and of the
mean to either. In public history the largest is usually 1.08 times the smallest; one figure in
twelve has three times, mostly because it mixes metrics."""

MAX_COARSE_STEPS = 10
"""A figure of up to this many units of its last digit is so small that others may print as 0."""

MIN_ALL_ZERO = 3
"""The fewest releases, all printed as 0, that show that a row is too small for its digits."""

MAX_OFF_SETTING = 0.05
"""The largest share by which a figure may differ from what its setting gives."""

MAX_LOAD_EXCESS = 1.05
"""The ratio to its limit up to which a load may just have been sampled at other times."""

_ALWAYS_POSITIVE = {
    *{"data rate", "time", "frequency", "packet rate", "floating-point rate", "instruction rate"},
    *{"DMIPS per MHz", "Dhrystone rate", "iteration rate", "workload rate", "operation rate"},
    *{"files", "score", "frame rate", "power", "size"},
}
"""Kinds of unit in which a measured value is never zero."""


def outside_range(figures: Figures) -> Iterator[Hit]:
    """Yield means that lie outside their published range by more than rounding."""
    table = figures.pool.frame.table
    means, lows, highs = (table[c].to_numpy(dtype="float64") for c in ("value", "low", "high"))
    # The mean of equal samples can differ from them by a floating-point error.
    slack = 1e-9 * np.abs(means)
    outside = (means < lows - slack) | (means > highs + slack)
    positions = figures.pool.positions()
    for row in np.flatnonzero(outside & table["spread"].to_numpy(dtype="bool")).tolist():
        mean, low, high = means[row], lows[row], highs[row]
        # All three were rounded for printing, each by at most half its last digit.
        if max(low - mean, mean - high) <= max(map(last_digit, (mean, low, high))) / 2:
            continue
        above = f"above its maximum {units.exact_words(high)}"
        side = above if mean > high else f"below its minimum {units.exact_words(low)}"
        detail = f"the mean {exact_amount(mean, str(table['unit'].iloc[row]))} is {side}"
        yield Hit("outside-range", int(positions[row]), detail, weight=2.0)


def samples_contradict(figures: Figures) -> Iterator[Hit]:
    """Yield published figures that differ from the mean of their samples by more than rounding.

    With two samples, the published extremes are the samples.
    """
    positions = figures.pool.positions()
    begin = 0
    for loaded in figures.pool.frame.bundles:
        for index in loaded.results.rows_with_verifiable_value():
            result = loaded.results[index]
            if result.value is UNSET:
                continue
            if result.samples is not UNSET:
                samples = list(result.samples)
            elif result.count == 2 and result.min is not UNSET and result.max is not UNSET:
                samples = [result.min, result.max]
            else:
                continue
            mean = sum(samples) / len(samples)
            # A published figure may be rounded or truncated; each sample may be rounded.
            slack = last_digit(result.value) + max(map(last_digit, samples)) / 2
            if abs(mean - result.value) <= slack * 1.000001:
                continue
            listed_samples = ", ".join(units.exact_words(s) for s in samples[:6])
            more = f" and {len(samples) - 6} more" if len(samples) > 6 else ""
            detail = (
                f"{exact_amount(result.value, result.unit)} was published, and the mean of "
                f"{listed_samples}{more} is {units.number(mean)}"
            )
            yield Hit("samples-contradict", int(positions[begin + index]), detail, weight=2.0)
        begin += len(loaded.results)


def _must_be_positive(kind: tuple[str, Metric | None, str]) -> bool:
    _, metric, unit = kind
    if metric and metric.positive is not None:
        return metric.positive
    return units.parse(unit).kind in _ALWAYS_POSITIVE


def not_positive(figures: Figures) -> Iterator[Hit]:
    """Yield figures and samples that must be positive but are zero, negative or printed as zero."""
    positive = figures.of_kind([_must_be_positive(kind) for kind in figures.kinds[1]])
    mean, low = figures.mean, figures.low
    rows = {position: line for line in figures.lines for position in line}
    for position in np.flatnonzero(positive & ((mean <= 0) | (low <= 0))).tolist():
        unit = figures.name("unit", position)
        if mean[position] == 0 and units.parse(unit).kind == "power":
            continue  # a rail in standby draws less than the meter's resolution
        # A sample of 0 is judged only by the other samples of its figure.
        row = rows[position] if mean[position] == 0 else [position]
        if low[position] == 0 and _is_coarse(figures, row):
            detail = f"it is printed as {amount(low[position], unit)}"
            yield Hit("printed-as-zero", position, detail, may_lead=mean[position] != 0)
        elif mean[position] <= 0:
            detail = f"the figure is {amount(mean[position], unit)}"
            yield Hit("not-positive", position, detail, weight=2.0)
        else:
            least, most = low[position], figures.high[position]
            ends = f"minimum {units.number(least)}, maximum {units.number(most)}"
            detail = f"a sample of {amount(least, unit)} is in the mean ({ends})"
            may_lead = not failed_runs.in_mean(unit, least, most)
            yield Hit("not-positive", position, detail, may_lead=may_lead)


def samples_differ(figures: Figures) -> Iterator[Hit]:
    """Yield rates whose mean includes a failed run, and rates and times that are the mean of
    samples far apart. Runs of zero have a rule of their own."""
    kinds = (*failed_runs.RATES, "time")
    judged = figures.of_kind([units.parse(unit).kind in kinds for *_, unit in figures.kinds[1]])
    mean, low, high = figures.mean, figures.low, figures.high
    are_apart = (high >= MIN_SAMPLES_RATIO * low) & (low > 0) & judged
    between = (mean >= MIN_MEAN_RATIO * low) & (high >= MIN_MEAN_RATIO * mean)
    for position in np.flatnonzero(are_apart).tolist():
        unit = figures.name("unit", position)
        is_failed = failed_runs.in_mean(unit, low[position], high[position])
        if is_failed or between[position]:
            detail = (
                f"its samples are {units.number(low[position])} to {amount(high[position], unit)}, and the mean "
                f"is {units.number(mean[position])}"
            )
            rule, weight = ("failed-run", 2.0) if is_failed else ("samples-apart", 1.0)
            yield Hit(rule, position, detail, weight)


def _is_coarse(figures: Figures, row: Sequence[int]) -> bool:
    """Return whether the figures of a row are so small that a 0 among them was rounded down."""
    positive = [high for high in figures.high[list(row)].tolist() if high > 0]
    # A single release does not show that 0 is usual.
    if not positive:
        return len(row) >= MIN_ALL_ZERO
    return bool(median(positive) <= MAX_COARSE_STEPS * min(map(last_digit, positive)))


_LOAD = re.compile(r"(^|[_ -])(cpu|load|loss|util|utilisation|utilization)", re.IGNORECASE)


def over_limit(figures: Figures) -> Iterator[Hit]:
    """Yield figures above their upper limit."""
    number, kinds = figures.kinds
    limits = np.array([_limit(metric, unit) for _, metric, unit in kinds], dtype="float64")
    for position in np.flatnonzero(figures.high > limits[number] * (1 + 1e-9)).tolist():
        _, metric, unit = kinds[number[position]]
        params = figures.params(position)
        limit, reason = float(limits[number[position]]), ""
        if metric:
            if (own_limit := metric.limit(params)) is None:
                continue
            if own_limit > limit:
                count = units.plain(params[metric.at_most_per])
                limit, reason = own_limit, f" for {count} {metric.at_most_per}"
        elif not _is_plain_share(figures.name("metric", position), params):
            continue
        top = float(figures.high[position])
        if top > limit * (1 + 1e-9):
            largest = "it is" if top == figures.mean[position] else "its largest sample is"
            most = f"{exact_amount(limit, unit)}{reason} is all there is"
            detail = f"{largest} {exact_amount(top, unit)}, and {most}"
            within = bool(figures.mean[position] <= limit * (1 + 1e-9))
            is_load = _LOAD.search(figures.name("metric", position))
            rule = "load-over-limit" if is_load and top <= limit * MAX_LOAD_EXCESS else "over-limit"
            yield Hit(rule, position, detail, weight=2.0, may_lead=within)


def off_setting(figures: Figures) -> Iterator[Hit]:
    """Yield figures that are no multiple of what their setting gives."""
    wanted = figures.of_kind([bool(m and m.multiple_of) for _, m, _ in figures.kinds[1]])
    for position in np.flatnonzero(wanted & (figures.mean > 0)).tolist():
        metric, params = figures.metric(position), figures.params(position)
        unit, mean = figures.name("unit", position), float(figures.mean[position])
        scale = (units.factor(metric.unit, unit) or 0.0) if metric else 0.0
        for name, factor in metric.multiple_of.items() if metric else ():
            value = params.get(name)
            step = scale * factor * value if is_number(value) else 0.0
            if step <= 0:
                continue
            due = step * max(1, round(mean / step))
            if abs(mean - due) > MAX_OFF_SETTING * due:
                detail = f"{amount(mean, unit)}, where its setting gives {amount(due, unit)}"
                yield Hit("off-setting", position, detail, weight=2.0)


def _limit(metric: Metric | None, unit: str) -> float:
    """Return the largest possible figure, infinity if there is no limit."""
    if metric:
        return np.inf if metric.at_most is None else metric.at_most
    return 100.0 if unit == "%" else np.inf


def _is_plain_share(metric: str, params: dict[str, str | int | float | bool]) -> bool:
    """Return whether an undescribed metric is named as a load of one thread or a loss."""
    # With several threads, 100 % could mean one of them or all.
    several = {"threads", "cores", "contexts", "processes", "jobs"} & set(params)
    return bool(_LOAD.search(metric)) and not several


def same_key(figures: Figures) -> Iterator[Hit]:
    """Yield figures pooled from results of one bundle that contradict each other."""
    frame, positions = figures.pool.frame, figures.pool.positions()
    bundle = frame.table["bundle"].to_numpy(dtype="int64")
    keys = np.stack([positions, bundle, frame.annotations.codes])
    _, inverse, counts = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
    repeated = np.flatnonzero(counts[inverse.ravel()] > 1).tolist()
    for rows in grouped(repeated, lambda row: int(inverse.ravel()[row])).values():
        places = figures.pool.positions_of(rows)
        pooled = [frame.bundles[item].bundle.results[index] for item, index in places]
        if pair := agreement.two_groups(pooled):
            values = [
                amount(agreement.figure_of(pooled[index]), pooled[index].unit) for index in pair
            ]
            detail = f"{values[0]} and {values[1]} are results of one bundle, averaged as one"
            yield Hit("same-key", int(positions[rows[0]]), detail)


def runner_warned(figures: Figures) -> Iterator[Hit]:
    """Yield figures that the runner itself flagged as doubtful."""
    annotations = figures.pool.frame.annotations
    warnings = [
        [note.removeprefix(WARNED) for note in notes if note.startswith(WARNED)]
        for _, notes in map(results.decode_annotation, annotations.distinct)
    ]
    if not any(warnings):
        return
    positions = figures.pool.positions()
    doubtful = np.array([bool(texts) for texts in warnings])[annotations.codes]
    seen: set[tuple[int, str]] = set()
    for row in np.flatnonzero(doubtful).tolist():
        # Several results pooled into one figure can carry the same warning.
        for words in warnings[int(annotations.codes[row])]:
            if (key := (int(positions[row]), words)) not in seen:
                seen.add(key)
                yield Hit("runner-warned", *key)


CHECKS = (
    outside_range,
    samples_contradict,
    not_positive,
    samples_differ,
    over_limit,
    off_setting,
    same_key,
    runner_warned,
)

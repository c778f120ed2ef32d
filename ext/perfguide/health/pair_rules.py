"""Rules about metrics beside each other: pooled ones, one under two names, steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from ..common import units
from ..figures.columns import OWNER, Figures, Floats, Ints, digits, last_digit, together
from .finding import Hit, Rule, amount

RULES = (
    Rule(
        "pooled-metrics",
        "error",
        "samples of two metrics in one figure",
        "the minimum or maximum of a figure is, to the last digit, a figure of another metric",
        "take each sample's metric from the program's own output; a name may have been cut short",
    ),
    Rule(
        "two-names",
        "note",
        "one measurement under two names",
        "two metrics have the same figures on all boards and in all releases",
        "publish it under one name",
    ),
    Rule(
        "coarse-steps",
        "note",
        "results in coarse steps",
        "all figures of a metric are small multiples of one step, so a difference between two "
        "of them may be no difference between the boards",
        "measure for longer, so that the step becomes small beside the figure",
    ),
)

WIDE = 1.25
"""The ratio of maximum to minimum from which extremes are far apart."""

_NUMBER = re.compile(r"\d+")
_OTHER_END = {"minimum": "maximum", "maximum": "minimum"}
_RUN = (*OWNER, "release", "benchmark", "params")


def pooled_metrics(figures: Figures) -> Iterator[Hit]:
    """Extremes that are figures of another metric of the same run and unit.

    A coincidence is ruled out: both extremes agree with other metrics' figures; or the
    extremes are far apart, and five digits agree, or four in two metrics of one kind.
    """
    wide = figures.spread & (figures.high > figures.low) & (figures.low > 0)
    run = figures.groups(*_RUN, "unit")
    pieces = []
    for what, values, chosen in (
        ("", figures.mean, figures.mean == figures.mean),
        ("minimum", figures.low, wide),
        ("maximum", figures.high, wide),
    ):
        places = np.flatnonzero(chosen)
        piece = pd.DataFrame({"run": run[places], "figure": values[places], "position": places})
        pieces.append(piece.assign(what=what))
    known = pd.concat(pieces)
    ends = known[known["what"] != ""]
    # Only figures that occur in more than one metric are worth a join.
    pairs = ends.merge(known, on=["run", "figure"], suffixes=("", "_other"))
    pairs = pairs[pairs["position"] != pairs["position_other"]]
    mine, other = (pairs[c].to_numpy(dtype="int64") for c in ("position", "position_other"))
    same = (figures.low[mine] == figures.low[other]) & (figures.high[mine] == figures.high[other])
    metric = figures.code("metric")
    alias = _aliases(figures)
    distinct = ~same & (metric[mine] != metric[other])
    ranked = pairs[distinct].sort_values("what_other", ascending=False, kind="stable")
    matches: dict[tuple[int, str], _Match] = {}
    for position, end, other_position, other_end, value in zip(
        *(ranked[c] for c in ("position", "what", "position_other", "what_other", "figure")),
        strict=True,
    ):
        pair = frozenset((int(metric[position]), int(metric[other_position])))
        if digits(value) >= 4 and pair not in alias:
            matches[position, end] = _Match(other_position, other_end, value)
    families = Counter(
        _family(figures, run, position, end, match) for (position, end), match in matches.items()
    )
    for (position, end), match in matches.items():
        ratio = float(figures.high[position] / figures.low[position])
        repeated = families[_family(figures, run, position, end, match)] > 1
        sure = (position, _OTHER_END[end]) in matches or (
            ratio >= WIDE and (repeated or digits(match.value) >= 5)
        )
        if not sure:
            continue
        name = figures.name("metric", match.position)
        whose = f"the {match.end} of {name}" if match.end else f"the figure of {name}"
        unit = figures.name("unit", position)
        detail = f"its {end} {amount(match.value, unit)} is also {whose}"
        yield Hit("pooled-metrics", position, detail, weight=ratio)


@dataclass(frozen=True, slots=True)
class _Match:
    """A figure of another metric that an extreme is equal to: where it is, which of
    its ends it is (empty for its mean), and the figure."""

    position: int
    end: str
    value: float


def _family(
    figures: Figures, run: Ints, position: int, end: str, match: _Match
) -> tuple[int, str, str, str, str]:
    """What two matches of one run share where only the sizes in names differ."""
    names = [_NUMBER.sub("0", figures.name("metric", p)) for p in (position, match.position)]
    return int(run[position]), names[0], end, names[1], match.end


def _same_figures(figures: Figures) -> dict[tuple[int, int], list[int]]:
    """For two metrics of one benchmark the positions of the first one's figures that
    are those of the second to the last digit, in the same run."""
    sound = np.flatnonzero((figures.mean == figures.mean) & (figures.mean != 0))
    keys = [figures.groups(*_RUN, "unit")[sound]]
    keys += [_bits(values[sound]) for values in (figures.mean, figures.low, figures.high)]
    number = together(*keys)
    size = np.bincount(number) if len(number) else np.empty(0, dtype="int64")
    # Where many metrics share a figure it is a setting or a step, not a name.
    held: dict[int, list[int]] = {}
    for place in np.flatnonzero((size[number] > 1) & (size[number] < 8)).tolist():
        held.setdefault(int(number[place]), []).append(int(sound[place]))
    metric = figures.code("metric")
    out: dict[tuple[int, int], list[int]] = {}
    for positions in held.values():
        ordered = sorted(positions, key=lambda p: metric[p])
        for a, b in combinations(ordered, 2):
            out.setdefault((int(metric[a]), int(metric[b])), []).append(a)
    return out


def _bits(values: Floats) -> Ints:
    """Figures as numbers that are equal where the figures are."""
    return (values + 0.0).view("int64")


def _pairs(figures: Figures) -> dict[tuple[int, int], tuple[int, list[int]]]:
    """Metrics that are one measurement: for two names the number of runs that have
    both, and where the first one's equal figures are.

    All figures must be the same, or at least 95 of 100 with three digits or more;
    and together they must hold so many different digits that it is no accident.
    """
    found = _same_figures(figures)
    run = figures.groups(*_RUN, "unit")
    metric = figures.code("metric")
    involved = {name for pair in found for name in pair}
    runs: dict[int, set[int]] = {}
    places = np.flatnonzero(np.isin(metric, list(involved)) & (figures.mean == figures.mean))
    for position in places.tolist():
        runs.setdefault(int(metric[position]), set()).add(int(run[position]))
    out = {}
    for (a, b), positions in found.items():
        both = len(runs[a] & runs[b])
        distinct = {float(figures.mean[p]) for p in positions}
        held = sum(digits(value) for value in distinct)
        typical = held / len(distinct)
        share = len(positions) / both
        if both >= 3 and held >= 9 and (share == 1 or (share >= 0.95 and typical >= 3)):
            out[a, b] = (both, positions)
    return out


def _aliases(figures: Figures) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in _pairs(figures)}


def two_names(figures: Figures) -> Iterator[Hit]:
    """Each measurement that has two names, told once, at its newest figures."""
    names = figures.names("metric")
    rank = figures.release_rank
    found = _pairs(figures)
    newest = max((rank[p] for _, own in found.values() for p in own), default=0)
    by_benchmark: dict[str, int] = {}
    for _, positions in found.values():
        for position in positions:
            benchmark = figures.name("benchmark", position)
            best = by_benchmark.get(benchmark, position)
            by_benchmark[benchmark] = max(best, position, key=lambda p: (rank[p], -p))
    for (_, b), (both, positions) in found.items():
        last = max(rank[p] for p in positions)
        home = by_benchmark[figures.name("benchmark", positions[0])]
        where = (
            f"in all {both} runs"
            if both == len(positions)
            else (f"in {len(positions)} of {both} runs")
        )
        detail = f"the same figures as {names[b]} {where}"
        weight = 1.0 + last / (newest + 1)
        for position in positions:
            if rank[position] == last:
                yield Hit("two-names", position, detail, weight, guide=home)


def coarse_steps(figures: Figures) -> Iterator[Hit]:
    """Rates all of which are one amount of work over a few whole seconds."""
    wanted = figures.of_kind(
        [metric is not None and metric.better == "higher" for _, metric, _ in figures.kinds[1]]
    )
    sound = np.flatnonzero(wanted & (figures.low > 0))
    series = figures.groups("sdk", "soc", "os", "benchmark", "metric", "unit", "params")
    order = sound[np.argsort(series[sound], kind="stable")]
    starts = np.flatnonzero(np.diff(series[order], prepend=-1))
    for positions in np.split(order, starts[1:]) if len(order) else []:
        low, high = figures.low[positions], figures.high[positions]
        found = steps(np.concatenate([low, high[high > low]]))
        if found is None:
            continue
        newest = max(positions.tolist(), key=lambda p: (figures.release_rank[p], -p))
        shown = ", ".join(units.exact(v) for v in found)
        unit = units.parse(figures.name("unit", newest)).shown
        detail = (
            f"one of {shown} {unit}, which are one amount of work over whole numbers of "
            "seconds; no figure between them is possible"
        )
        for position in positions.tolist():
            yield Hit("coarse-steps", position, detail, guide=newest)


def steps(values: Floats) -> list[float] | None:
    """The different values of rates that are all ``work / n`` for whole ``n`` up to 12.

    There are four values or more, two of them different and two repeated, and each
    fits to two in 10,000, which is what rounding leaves of 3333.33.
    """
    distinct = np.unique(values)
    if len(values) < 4 or not 2 <= len(distinct) <= min(6, len(values) - 2):
        return None
    if any(last_digit(v) > 1e-3 * v for v in distinct.tolist()):
        return None  # with so few digits any two figures are multiples of something
    for factor in (1, 2, 3):
        over = distinct[-1] * factor / distinct
        whole = np.round(over)
        fits = np.all(np.abs(over - whole) <= 2e-4 * whole)
        if fits and whole.max() <= 12 and len(set(whole.tolist())) == len(distinct):
            return [float(v) for v in distinct]
    return None


CHECKS = (pooled_metrics, two_names, coarse_steps)

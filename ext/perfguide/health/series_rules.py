"""Rules about figures in a row: boards side by side, releases, growing sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from ..catalog.benchmarks import Metric
from ..common import units
from ..figures.columns import GUIDE, SERIES, Figures, Flags, Floats, Ints, together
from .finding import Hit, Rule, amount

RULES = (
    Rule(
        "board-apart",
        "warning",
        "one board far from its siblings",
        "of three boards or more all but one agree, and that one is 1.5 times higher or lower, "
        "which it is not in other releases; twice, where there are no other releases",
        "compare the board's set-up with that of the others, and measure again",
    ),
    Rule(
        "one-release-jump",
        "warning",
        "a jump that the next release takes back",
        "a figure of one release is at least 1.3 times higher or lower than both the release "
        "before and the one after, which agree",
        "measure that release again; if it stays, say in its notes what was different",
    ),
    Rule(
        "curve-dips",
        "warning",
        "a curve that dips where it must rise",
        "a throughput falls by more than a tenth where the block or packet size grows",
        "measure that size again; a search for a rate may have stopped early",
    ),
)

APART = math.log(1.5)
APART_UNKNOWN = math.log(2)
"""How far a board is apart, and how far where no other release says what is usual."""
JUMP = math.log(1.3)
DIP = 0.9
"""What is left of the highest figure so far where a curve has dipped."""


def _steady(sort: tuple[str, Metric | None, str]) -> bool:
    _, metric, unit = sort
    if metric and metric.steady is not None:
        return metric.steady
    return unit != "%" and (metric is None or metric.better != "neither")


def _logs(figures: Figures) -> tuple[Floats, Flags]:
    """Logarithms of the means, and for which figures they can be compared."""
    steady = figures.of_kind([_steady(sort) for sort in figures.kinds[1]])
    usable = steady & (figures.mean > 0)
    return np.log(np.where(usable, figures.mean, 1.0)), usable


def board_apart(figures: Figures) -> Iterator[Hit]:
    """Boards whose figure is far from what all others of the guide agree on."""
    logs, usable = _logs(figures)
    places = np.flatnonzero(usable)
    if not len(places):
        return
    row = figures.groups(*GUIDE, "benchmark", "metric", "unit", "params")
    frame = pd.DataFrame({"row": row[places], "log": logs[places], "position": places})
    grouped = frame.groupby("row", sort=False)["log"]
    frame["boards"] = grouped.transform("size")
    frame["apart"] = frame["log"] - grouped.transform("median")
    frame = frame[frame["boards"] >= 3]
    frame = frame.assign(size=frame["apart"].abs())
    # What the others differ by: the second largest distance from the median.
    ordered = frame.sort_values(["row", "size"], kind="stable")
    worst = ordered.groupby("row", sort=False).tail(1).set_index("row")
    second = ordered.groupby("row", sort=False)["size"].nth(-2).to_numpy()
    worst = worst.assign(second=second)
    found = worst[(worst["size"] > APART) & (worst["size"] > 4 * worst["second"])]
    if found.empty:
        return
    usual = _usual_distance(figures, frame)
    series = figures.groups(*SERIES)
    for position, apart, boards in zip(
        found["position"].tolist(), found["apart"].tolist(), found["boards"].tolist(), strict=True
    ):
        others = [a for p, a in usual.get(int(series[position]), ()) if p != position]
        typical = abs(float(np.median(others))) if others else 0.0
        if typical > abs(apart) / 3 or (not others and abs(apart) < APART_UNKNOWN):
            continue
        middle = figures.mean[position] / math.exp(apart)
        unit = figures.name("unit", position)
        detail = (
            f"{amount(figures.mean[position], unit)} where the {boards - 1} other boards "
            f"have about {units.number(middle)}, {_times(apart)}"
        )
        yield Hit("board-apart", position, detail, weight=abs(apart))


def _usual_distance(figures: Figures, frame: pd.DataFrame) -> dict[int, list[tuple[int, float]]]:
    """For each measurement of one board its distances from the median of the boards."""
    series = figures.groups(*SERIES)
    out: dict[int, list[tuple[int, float]]] = {}
    for position, apart in zip(frame["position"].tolist(), frame["apart"].tolist(), strict=True):
        out.setdefault(int(series[position]), []).append((position, apart))
    return out


def _times(log: float) -> str:
    """A difference of logarithms in words: ``2.10 times higher``."""
    return f"{math.exp(abs(log)):.2f} times {'higher' if log > 0 else 'lower'}"


def one_release_jump(figures: Figures) -> Iterator[Hit]:
    """Figures that differ from the releases on both sides, which agree."""
    logs, usable = _logs(figures)
    places = np.flatnonzero(usable)
    if len(places) < 3:
        return
    series = figures.groups(*SERIES)[places]
    order = np.lexsort((figures.release_rank[places], series))
    places, series = places[order], series[order]
    values = logs[places]
    change = np.diff(values)
    within = series[1:] == series[:-1]
    noise = _noise(series, change, within)
    before, after = change[:-1], change[1:]
    both = within[:-1] & within[1:]
    least = np.minimum(np.abs(before), np.abs(after))
    back = np.abs(before + after)
    found = both & (before * after < 0) & (least > JUMP) & (back < least / 4)
    found &= least > 5 * noise[series[1:-1]]
    for middle in (np.flatnonzero(found) + 1).tolist():
        first, position, last = (int(places[middle + step]) for step in (-1, 0, 1))
        unit = figures.name("unit", position)
        names = [figures.name("release", p) for p in (first, last)]
        detail = (
            f"{amount(figures.mean[position], unit)}, {_times(float(before[middle - 1]))} than "
            f"{units.exact(figures.mean[first])} in {names[0]}, and "
            f"{units.exact(figures.mean[last])} again in {names[1]}"
        )
        yield Hit("one-release-jump", position, detail, weight=float(least[middle - 1]))


def _noise(series: Ints, change: Floats, within: Flags) -> Floats:
    """For each series what it usually changes by from release to release: the median
    without the two largest changes, which a jump is; 0 where there are no others."""
    frame = pd.DataFrame({"series": series[1:][within], "change": np.abs(change[within])})
    frame = frame.sort_values(["series", "change"], kind="stable")
    usual = frame[frame.groupby("series").cumcount(ascending=False) >= 2]
    median = usual.groupby("series")["change"].median()
    out = np.zeros(int(series.max()) + 1)
    out[median.index] = median
    return out


def curve_dips(figures: Figures) -> Iterator[Hit]:
    """Points of a curve below a point before them, where the catalog says it rises."""
    number, sorts = figures.kinds
    rising = figures.of_kind([bool(m and m.rises_with) for _, m, _ in sorts])
    places = np.flatnonzero(rising & (figures.mean > 0))
    if not len(places):
        return
    size, rest = _curve_places(figures, places)
    known = size == size
    places, size, rest = places[known], size[known], rest[known]
    if not len(places):
        return
    owner = figures.groups(*GUIDE, "board", "benchmark", "metric", "unit")[places]
    curve = together(owner, rest)
    order = np.lexsort((size, curve))
    places, size, curve = places[order], size[order], curve[order]
    mean = figures.mean[places]
    highest = pd.Series(mean).groupby(curve).cummax().to_numpy()
    # The first point of a curve is its highest so far, so this never looks past it.
    peak = np.maximum.accumulate(np.where(mean == highest, np.arange(len(mean)), 0))
    for place in np.flatnonzero(mean < DIP * highest).tolist():
        position, top = int(places[place]), int(peak[place])
        metric = sorts[number[position]][1]
        assert metric is not None  # only what the catalog knows is said to rise
        unit = figures.name("unit", position)
        detail = (
            f"{amount(float(mean[place]), unit)} at {metric.rises_with} "
            f"{units.exact(float(size[place]))}, after {units.exact(float(highest[place]))} "
            f"at {units.exact(float(size[top]))}"
        )
        yield Hit("curve-dips", position, detail, weight=float(highest[place]) / float(mean[place]))


def _curve_places(figures: Figures, places: Ints) -> tuple[Floats, Ints]:
    """For some figures the size on the curve (NaN where it has none), and a number
    that curves with the same other parameters share."""
    number, sorts = figures.kinds
    code = figures.code("params")
    names = figures.names("params")
    known: dict[tuple[str, int], tuple[float, int]] = {}
    rests: dict[frozenset[tuple[str, str]], int] = {}
    size = np.full(len(places), np.nan)
    rest = np.zeros(len(places), dtype="int64")
    for index, position in enumerate(places.tolist()):
        metric = sorts[number[position]][1]
        axis = metric.rises_with if metric else ""
        place = (axis, int(code[position]))
        if place not in known:
            params = dict(figures.pool.params(names[place[1]]))
            value = params.pop(axis, None)
            other = frozenset((k, f"{type(v).__name__}:{v}") for k, v in params.items())
            plain = isinstance(value, int | float) and not isinstance(value, bool)
            own = rests.setdefault(other, len(rests))
            known[place] = (float(value) if plain else math.nan, own)  # type: ignore[arg-type]
        size[index], rest[index] = known[place]
    return size, rest


CHECKS = (board_apart, one_release_jump, curve_dips)

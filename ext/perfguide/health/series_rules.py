"""Rules about series of figures: across boards, releases and sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from ..catalog.chart_spec import is_number
from ..common import units
from ..common.units import last_digit
from ..figures import engines, failed_runs, labels
from ..figures.columns import GUIDE, ROW, SERIES, Figures, Flags, Floats, Ints
from ..figures.rows import together
from .finding import Hit, amount

if TYPE_CHECKING:
    import pandas as pd

MAX_LOG_RATIO = math.log(1e6)
"""The log of the largest ratio that is written out."""

MIN_OTHER_SOCS = 4
"""The fewest other SoCs that show what rate is usual."""

MIN_APART_LOG = math.log(1.5)
MIN_APART_ALONE_LOG = math.log(2)
"""The least log ratio between a board and the others: with other releases, and without."""
MIN_JUMP_LOG, MIN_JUMP_STEPS = math.log(1.3), 3
"""The smallest jump, as a log ratio and in units of the last digit."""
MIN_SUSPECT_JUMP_LOG = math.log(8)
"""The smallest jump, as a log ratio, that keeps a figure from leading a sentence."""

MAX_RAW_SHARE = 2 / 3
"""A raw read is slow below this share of one through a file system. In public history they have at
least 80 % of it where all is well, and 10 to 55 % elsewhere."""

MAX_DIP_SHARE = 0.9
"""A curve dips where it falls below this share of its highest figure so far."""

MIN_CURVES_OF_A_PATH, MAX_PATH_RATIO = 3, 1.2
"""The driver takes another path for a size if at least this many curves dip there, by shares that
differ by at most this ratio."""

MIN_USUAL_DISTANCES, MIN_USUAL_SHARE = 2, 0.2
"""The number and the share of similar distances in other releases that make one usual."""


def _logs(figures: Figures) -> tuple[Ints, Floats]:
    """Return the positions of comparable figures, and the logs of their means."""
    positions = np.flatnonzero(figures.steady & (figures.mean > 0))
    return positions, np.log(figures.mean[positions])


def _farthest(figures: Figures) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the figures of rows with three boards or more, with their distance from the row's
    median as ``apart``, and those of them that are far away while all others agree."""
    import pandas as pd

    positions, logs = _logs(figures)
    row = figures.groups(*GUIDE, "benchmark", "metric", "unit", "params")[positions]
    frame = pd.DataFrame({"row": row, "log": logs, "position": positions})
    by_row = frame.groupby("row", sort=False)["log"]
    frame["boards"] = by_row.transform("size")
    frame["apart"] = frame["log"] - by_row.transform("median")
    frame["size"] = frame["apart"].abs()
    frame = frame[frame["boards"] >= 3]
    # The second largest distance from the median shows how far the other boards differ.
    ranked = frame.sort_values(["row", "size"], kind="stable").groupby("row", sort=False)
    worst = ranked.tail(1).assign(second=ranked["size"].nth(-2).to_numpy())
    return frame, worst[(worst["size"] > MIN_APART_LOG) & (worst["size"] > 4 * worst["second"])]


def _others_moved(
    figures: Figures, others: Sequence[int], before: Mapping[int, int], apart: float
) -> bool:
    """Return whether the median of the other boards left a board since the release before."""
    moves = [
        figures.logs[other] - figures.logs[before[other]]
        for other in others
        if other in before and figures.mean[before[other]] > 0
    ]
    return bool(moves) and median(moves) * apart < 0 and abs(median(moves)) > abs(apart) / 2


def board_apart(figures: Figures) -> Iterator[Hit]:
    """Yield figures of a board far from those of all other boards of the guide, which agree."""
    frame, worst = _farthest(figures)
    if worst.empty:
        return
    series = figures.groups(*SERIES)
    # The distances of each measurement of a board in all releases, by position.
    distances: dict[int, dict[int, float]] = {}
    for position, apart in zip(frame["position"].tolist(), frame["apart"].tolist(), strict=True):
        distances.setdefault(int(series[position]), {})[position] = apart
    spread = _spread(figures, distances)
    siblings: dict[int, list[int]] = {}
    for number, position in zip(frame["row"].tolist(), frame["position"].tolist(), strict=True):
        siblings.setdefault(number, []).append(position)
    before = {after: first for line in figures.lines for first, after in pairwise(line)}
    columns = (worst[name].tolist() for name in ("position", "row", "apart", "boards"))
    for position, number, apart, boards in zip(*columns, strict=True):
        others = [a for p, a in distances[int(series[position])].items() if p != position]
        # A board that is slower by design is equally far from the others in every release.
        usual = abs(float(np.median(others))) if others else 0.0
        if usual > abs(apart) / 3 or (not others and abs(apart) < MIN_APART_ALONE_LOG):
            continue
        # If this board stayed and the others moved, it is not the odd one.
        log = figures.logs[position]
        earlier = float(figures.mean[before[position]]) if position in before else 0.0
        if earlier > 0 and abs(log - figures.logs[before[position]]) < abs(apart) / 3:
            continue
        neighbours = [other for other in siblings[number] if other != position]
        if not earlier and _others_moved(figures, neighbours, before, apart):
            continue
        # If boards are often this far apart in this row, the distance means nothing.
        in_row = spread[_row(figures, position)].items()
        away = [distance for p, distance in in_row if p not in siblings[number]]
        usual_count = sum(distance > abs(apart) / 2 for distance in away)
        if usual_count >= max(MIN_USUAL_DISTANCES, MIN_USUAL_SHARE * len(away)):
            continue
        means = [float(figures.mean[other]) for other in neighbours]
        nearest = min((log - figures.logs[other] for other in neighbours), key=abs)
        detail = (
            f"{amount(figures.mean[position], figures.name('unit', position))} where the "
            f"{boards - 1} other boards have {units.ends(means)}, {_times(nearest)} at least"
        )
        yield Hit("board-apart", position, detail, weight=abs(apart))


def _row(figures: Figures, position: int) -> int:
    return int(figures.groups(*ROW)[position])


def _spread(
    figures: Figures, distances: Mapping[int, Mapping[int, float]]
) -> dict[int, dict[int, float]]:
    """Return for each row how far each figure is from its board's usual distance to the others."""
    spread: dict[int, dict[int, float]] = {}
    for of_board in distances.values():
        middle = median(of_board.values())
        for position, apart in of_board.items():
            spread.setdefault(_row(figures, position), {})[position] = abs(apart - middle)
    return spread


def _times(log: float) -> str:
    """Return a log ratio in words: ``2.10 times higher``."""
    ratio = math.exp(min(abs(log), MAX_LOG_RATIO))
    times = f"{ratio:,.{2 if ratio < 10 else 0}f}" if abs(log) < MAX_LOG_RATIO else "over a million"
    return f"{times} times {'higher' if log > 0 else 'lower'}"


def one_release_jump(figures: Figures) -> Iterator[Hit]:
    """Yield figures that differ from those of the releases before and after, which agree."""
    positions, logs = _logs(figures)
    if len(positions) < 3:
        return
    series = figures.groups(*SERIES)[positions]
    order = np.lexsort((figures.release_rank[positions], series))
    positions, series = positions[order], series[order]
    change = np.diff(logs[order])
    within = series[1:] == series[:-1]
    noise = _noise(series, change, within)
    before, after = change[:-1], change[1:]
    least = np.minimum(np.abs(before), np.abs(after))
    jumps = within[:-1] & within[1:] & (before * after < 0) & (least > MIN_JUMP_LOG)
    # The jump must return to the old level and far exceed the usual change: some series always
    # jump.
    jumps &= (np.abs(before + after) < least / 4) & (least > 5 * noise[series[1:-1]])
    # A figure that jumps again in the release after has two levels, and this may be the right one.
    onward = np.append(np.where(within[2:], change[2:], 0.0), 0.0)
    jumps &= np.abs(onward + after) >= np.abs(onward)
    for index in np.flatnonzero(jumps).tolist():
        first, position, last = (int(p) for p in positions[index : index + 3])
        three = figures.mean[[first, position, last]].tolist()
        # Consecutive integers may differ only by rounding.
        if abs(three[1] - three[0]) < MIN_JUMP_STEPS * min(map(last_digit, three)):
            continue
        detail = (
            f"{amount(figures.mean[position], figures.name('unit', position))}, "
            f"{_times(float(before[index]))} than {units.number(figures.mean[first])} "
            f"in {figures.name('release', first)}, and {units.number(figures.mean[last])} "
            f"again in {figures.name('release', last)}"
        )
        weight = float(least[index])
        may_lead = weight < MIN_SUSPECT_JUMP_LOG
        yield Hit("one-release-jump", position, detail, weight, may_lead=may_lead)


def _noise(series: Ints, change: Floats, within: Flags) -> Floats:
    """Return the usual change between releases of each series: the median of all changes but the
    two largest, as a jump is two changes; 0 if there are no others."""
    import pandas as pd

    frame = pd.DataFrame({"series": series[1:][within], "change": np.abs(change[within])})
    frame = frame.sort_values(["series", "change"], kind="stable")
    usual = frame[frame.groupby("series").cumcount(ascending=False) >= 2]
    median = usual.groupby("series")["change"].median()
    noise = np.zeros(int(series.max()) + 1)
    noise[median.index] = median
    return noise


def _lines_of_rates(figures: Figures) -> list[list[int]]:
    is_rate = figures.of_kind(
        [
            units.parse(unit).kind in failed_runs.RATES
            and (not metric or metric.better == "higher")
            for _, metric, unit in figures.kinds[1]
        ]
    )
    return [line for line in figures.lines if is_rate[line[0]]]


def below_other_socs(figures: Figures) -> Iterator[Hit]:
    """Yield rates that are next to nothing compared with those of other SoCs with the same engine.
    If few SoCs have that engine, a rate of the CPU is compared with those of all engines;
    accelerators are not, since they are slow with small blocks."""
    soc, kind = figures.code("soc").tolist(), figures.kinds[0].tolist()
    best: dict[tuple[object, ...], dict[int, float]] = {}
    rates: list[tuple[int, list[tuple[tuple[object, ...], str]]]] = []
    for position in (position for line in _lines_of_rates(figures) for position in line):
        params = figures.params(position)
        any_engine = frozenset((n, v) for n, v in params.items() if n != engines.ENGINE)
        of_same, of_any = (kind[position], *sorted(params.items())), (kind[position], any_engine)
        for key in (of_same, of_any):
            of_key = best.setdefault(key, {})
            of_key[soc[position]] = max(float(figures.mean[position]), of_key.get(soc[position], 0))
        described = figures.catalog.benchmark(figures.name("benchmark", position))
        engine = described.param(engines.ENGINE).classes.get(str(params.get(engines.ENGINE)))
        is_on_cpu = engine in (engines.INSTRUCTIONS, engines.SOFTWARE)
        rates.append((position, [(of_same, ""), *([(of_any, " with any engine")] * is_on_cpu)]))
    for position, keys in rates:
        mean = float(figures.mean[position])
        for key, words in keys:
            others = [rate for name, rate in best[key].items() if name != soc[position]]
            if len(others) < MIN_OTHER_SOCS:
                continue
            usual = median(others)
            if 0 < mean <= failed_runs.MAX_FAILED_SHARE * usual:
                unit = figures.name("unit", position)
                detail = f"{amount(mean, unit)}, where half of {len(others)} other SoCs had {units.number(usual)} or more{words} in their best release"
                yield Hit("rate-collapsed", position, detail, weight=math.log(usual / mean))
            break


def rate_collapsed(figures: Figures) -> Iterator[Hit]:
    """Yield rates that are next to nothing compared with earlier releases."""
    lines = _lines_of_rates(figures)
    of_row: dict[int, list[float]] = {}
    for line in lines:
        of_row.setdefault(_row(figures, line[0]), []).extend(figures.mean[line].tolist())
    for line in lines:
        # The second highest, as a single high figure may itself be the fault.
        usual = sorted(of_row[_row(figures, line[0])])[-2:][0]
        best = line[0]
        since = ""
        for position in line[1:]:
            mean, before = float(figures.mean[position]), float(figures.mean[best])
            if mean > failed_runs.MAX_FAILED_SHARE * min(before, usual):
                since = ""
                best = position if mean > before else best
                continue
            history = f", as little as that since {since}" if since else ""
            since = since or figures.name("release", position)
            # Another rule reports figures of 0.
            if mean > 0:
                detail = (
                    f"{amount(mean, figures.name('unit', position))}, where "
                    f"{figures.name('release', best)} had {units.number(before)}{history}"
                )
                yield Hit("rate-collapsed", position, detail, weight=math.log(before / mean))


def beside_another(figures: Figures) -> Iterator[Hit]:
    """Yield figures that are too small beside another one of their run: latencies that should be
    those of memory but are those of caches, and times that are shorter than is possible."""
    number, kinds = figures.kinds
    for rule, wanted in (
        ("in-caches", [metric.beyond_caches if metric else {} for _, metric, _ in kinds]),
        ("under-limit", [metric.no_less_than if metric else {} for _, metric, _ in kinds]),
    ):
        for position, name, other in _too_small(figures, wanted, number):
            unit = figures.name("unit", position)
            benchmark = figures.catalog.benchmarks[figures.name("benchmark", position)]
            mean = amount(float(figures.mean[position]), unit)
            detail = f"{mean}, where {benchmark.metric_label(name)} takes {amount(other, unit)}"
            yield Hit(rule, position, detail)


def _too_small(
    figures: Figures, wanted: Sequence[Mapping[str, float]], number: Ints
) -> Iterator[tuple[int, str, float]]:
    """Yield figures that are less than the ``wanted`` multiple of another metric of their run, with
    its name and its figure. ``number`` is the kind of each figure."""
    limited = np.flatnonzero(
        figures.of_kind([bool(limits) for limits in wanted]) & (figures.mean > 0)
    )
    if not len(limited):
        return
    table = figures.groups(*GUIDE, "board", "benchmark", "unit", "params")
    other_names = {name for limits in wanted for name in limits}
    metric_codes = [
        code for code, name in enumerate(figures.names("metric")) if name in other_names
    ]
    others = {
        (int(table[position]), figures.name("metric", position)): float(figures.mean[position])
        for position in np.flatnonzero(np.isin(figures.code("metric"), metric_codes)).tolist()
    }
    for position in limited.tolist():
        for name, times in wanted[int(number[position])].items():
            other = others.get((int(table[position]), name), 0.0)
            if figures.mean[position] < times * other:
                yield position, name, other
                break


def raw_read_slow(figures: Figures) -> Iterator[Hit]:
    """Yield reads of a raw device that are much slower than those through a file system on it."""
    is_read = figures.of_kind(
        [
            bool(m and m.name.startswith("read") and m.better == "higher")
            for _, m, _ in figures.kinds[1]
        ]
    )
    table = figures.groups(*GUIDE, "board", "benchmark", "metric", "unit")
    by_table: dict[int, list[tuple[str, float, int]]] = {}
    for position in np.flatnonzero(is_read & (figures.mean > 0)).tolist():
        params = figures.params(position)
        size = params.get("buffer_size")
        if "filesystem" in params and is_number(size):
            read = str(params["filesystem"]), float(size), position
            by_table.setdefault(int(table[position]), []).append(read)
    for reads in by_table.values():
        for _, size, position in (read for read in reads if read[0] == "raw"):
            through = [
                (figures.mean[p], name) for name, s, p in reads if name != "raw" and s <= size
            ]
            rate, name = max(through, default=(0.0, ""))
            if figures.mean[position] < MAX_RAW_SHARE * rate:
                unit, benchmark = (
                    figures.name("unit", position),
                    figures.name("benchmark", position),
                )
                label = figures.catalog.benchmarks[benchmark].value_label("filesystem", name)
                detail = f"{amount(figures.mean[position], unit)}, where {label} reads {amount(rate, unit)}"
                yield Hit("raw-read-slow", position, detail, weight=rate / figures.mean[position])


def curve_dips(figures: Figures) -> Iterator[Hit]:
    """Yield points well below an earlier point of a curve that rises according to the catalog."""
    import pandas as pd

    number, kinds = figures.kinds
    axes = [metric.rises_with if metric else "" for _, metric, _ in kinds]
    rising = np.flatnonzero(figures.of_kind([bool(axis) for axis in axes]) & (figures.mean > 0))
    size, curve = _curves(figures, rising, [axes[kind] for kind in number[rising].tolist()])
    order = np.lexsort((size, curve))
    order = order[~np.isnan(size[order])]
    positions, size, curve = rising[order], size[order], curve[order]
    mean = figures.mean[positions]
    highest = pd.Series(mean).groupby(curve).cummax().to_numpy(dtype="float64")
    # The first point of a curve is its highest so far, so the peak is never one of another curve.
    peak = np.maximum.accumulate(np.where(mean == highest, np.arange(len(mean)), 0))
    paths: dict[tuple[int, float, float], list[int]] = {}
    owner = figures.groups(*GUIDE, "board", "benchmark", "metric", "unit")
    for index in np.flatnonzero(mean < MAX_DIP_SHARE * highest).tolist():
        step = int(owner[positions[index]]), float(size[peak[index]]), float(size[index])
        paths.setdefault(step, []).append(index)
    dips = sorted(
        index
        for path in paths.values()
        if not _is_path(mean[path] / highest[path])
        for index in path
    )
    series, rank = figures.groups(*SERIES), figures.release_rank
    # A dip that repeats in later releases is reported only once, in the first of them.
    first_rank: dict[int, int] = {}
    for index in dips:
        line, release = int(series[positions[index]]), int(rank[positions[index]])
        first_rank[line] = min(first_rank.get(line, release), release)
    for index in dips:
        if rank[positions[index]] > first_rank[int(series[positions[index]])]:
            continue
        position, low, high = int(positions[index]), float(mean[index]), float(highest[index])
        axis = axes[number[position]]
        benchmark = figures.catalog.benchmarks[figures.name("benchmark", position)]
        size_words = labels.param(benchmark, axis, _scalar(size[index]))
        at_peak = benchmark.value_label(axis, _scalar(size[peak[index]]))
        figure = amount(low, figures.name("unit", position))
        detail = f"{figure} at {size_words}, after {units.number(high)} at {at_peak}"
        yield Hit("curve-dips", position, detail, weight=high / low)


def _is_path(shares: Floats) -> bool:
    """Return whether dips of several curves at one size, as shares of their peaks, are so alike
    that they are a property of the driver."""
    return len(shares) >= MIN_CURVES_OF_A_PATH and bool(
        shares.max() <= MAX_PATH_RATIO * shares.min()
    )


def _scalar(size: float) -> int | float:
    return int(size) if size == int(size) else float(size)


def _curves(figures: Figures, positions: Ints, axes: Sequence[str]) -> tuple[Floats, Ints]:
    """Return the size of each figure along its axis (NaN if it has none), and the number of its
    curve, along which only the size changes."""
    code, names = figures.code("params"), figures.names("params")
    numbers: dict[frozenset[tuple[str, str]], int] = {}
    by_params: dict[tuple[str, int], tuple[float, int]] = {}
    keys = list(zip(axes, code[positions].tolist(), strict=True))
    for axis, text in dict.fromkeys(keys):
        params = dict(figures.pool.params(names[text]))
        size = params.pop(axis, None)
        others = frozenset((k, f"{type(v).__name__}:{v}") for k, v in params.items())
        number = numbers.setdefault(others, len(numbers))
        by_params[axis, text] = (float(size) if is_number(size) else math.nan, number)
    sizes = np.array([by_params[key][0] for key in keys], dtype="float64")
    rest = np.array([by_params[key][1] for key in keys], dtype="int64")
    owner = figures.groups(*GUIDE, "board", "benchmark", "metric", "unit")[positions]
    return sizes, together(owner, rest)


CHECKS = (board_apart, one_release_jump, rate_collapsed, beside_another, raw_read_slow, curve_dips)
ACROSS_SOCS = (below_other_socs,)

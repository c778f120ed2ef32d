"""Copies: bundles that repeat another one, and releases that repeat figures of the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..figures.pool import Cell, Pool
from .relative import Side
from .resolution import digits

if TYPE_CHECKING:
    import pandas as pd

MIN_SHARED_FIGURES, FEW_SHARED_FIGURES, MIN_SHARED_DIGITS = 3, 2, 7
"""The fewest equal figures that show that one upload is a copy of another, and the fewest if
together they have at least the third number of digits."""

MANY_SHARED_FIGURES, MAX_CORRECTED_SHARE = 20, 0.05
"""The fewest equal figures of a copy with corrections, and the largest share of these."""

MIN_CONCLUSIVE_RANGES = 10
"""The fewest ranges of a board that can show whether a release repeats the one before."""

MIN_END_DIGITS = 3
"""Ends of ranges with fewer digits may be equal by chance."""


def are_repeated(figures: Sequence[bool | None]) -> bool:
    """Return whether at least half of the figures, without ``None``, repeat an earlier release."""
    conclusive = [same for same in figures if same is not None]
    return len(conclusive) >= MIN_CONCLUSIVE_RANGES and 2 * sum(conclusive) >= len(conclusive)


def repeats(old: Side | Cell, new: Side | Cell) -> bool | None:
    """Return whether a figure contains the samples of an earlier one, or ``None`` without published
    ranges: single figures can be equal just because nothing changed."""
    # If the samples are known, runs are compared instead.
    if old.count is not None or new.count is not None:
        return None
    if old.low is None or old.high is None or new.low is None or new.high is None:
        return None
    if old.low >= old.high or max(map(digits, (new.low, new.high))) < MIN_END_DIGITS:
        return None
    holds = new.low <= old.low and old.high <= new.high
    return holds and (new.low == old.low or new.high == old.high)


def copied(pool: Pool) -> dict[str, frozenset[int]]:
    """Return, by benchmark, the positions of bundles that only repeat its figures in another bundle
    of the same guide and board.

    The two share at least ``MIN_SHARED_FIGURES`` equal figures, not counting single-digit integers,
    or fewer with many digits, and nearly all common figures are equal. A benchmark with too few
    figures counts as copied if they are all equal and the same two bundles share another benchmark.
    """
    table = pool.frame.table
    if not len(table):
        return {}
    frame = table[["bundle", "sdk", "soc", "os", "release", "board", "benchmark", "value"]].copy()
    frame["figure"] = pool.positions()
    keys = ["sdk", "soc", "os", "release", "board"]
    # Skip boards with one bundle of a release, as most have.
    frame = frame[frame.groupby(keys, observed=True)["bundle"].transform("nunique") > 1]
    copies: dict[str, set[int]] = {name: set() for name in pool.benchmarks()}
    for _, of_release in frame.groupby(keys, observed=True, sort=True):
        copies_of_all = _copies(_values(of_release))
        tables = {
            str(name): _values(of) for name, of in of_release.groupby("benchmark", observed=True)
        }
        parts = {name: _copies(values) for name, values in tables.items()}
        pairs = set(copies_of_all.items()).union(*(part.items() for part in parts.values()))
        for name, values in tables.items():
            alike = {later for later, earlier in pairs if _are_alike(values, later, earlier)}
            copies[name] |= {*copies_of_all, *parts[name], *alike}
    return {name: frozenset(bundles) for name, bundles in copies.items() if bundles}


def _are_alike(
    bundles: Mapping[int, Mapping[int, tuple[float, ...]]], later: int, earlier: int
) -> bool:
    """Return whether two bundles have figures in common, and all of them are equal."""
    of_later, of_earlier = bundles.get(later, {}), bundles.get(earlier, {})
    common = of_later.keys() & of_earlier.keys()
    return bool(common) and all(of_later[each] == of_earlier[each] for each in common)


def _values(frame: pd.DataFrame) -> dict[int, dict[int, tuple[float, ...]]]:
    """Return the values of each figure, by bundle."""
    values: dict[int, dict[int, list[float]]] = {}
    for number, figure, value in zip(frame["bundle"], frame["figure"], frame["value"], strict=True):
        values.setdefault(number, {}).setdefault(figure, []).append(value)
    return {
        number: {figure: tuple(each) for figure, each in figures.items()}
        for number, figures in values.items()
    }


def _copies(bundles: Mapping[int, Mapping[int, tuple[float, ...]]]) -> dict[int, int]:
    """Return each bundle that repeats an earlier one with that one, given the figures by bundle.

    Only bundles that share a value are compared, as one board can have thousands.
    """
    copies: dict[int, int] = {}
    having: dict[tuple[int, tuple[float, ...]], list[int]] = {}
    for later in sorted(bundles):
        figures = bundles[later]
        conclusive = {each: _conclusive_digits(values) for each, values in figures.items()}
        if not _show_copy(sum(map(bool, conclusive.values())), sum(conclusive.values())):
            continue
        shared: Counter[int] = Counter()
        digits: Counter[int] = Counter()
        for each, values in figures.items():
            for earlier in having.setdefault((each, values), []):
                shared[earlier] += bool(conclusive[each])
                digits[earlier] += conclusive[each]
            having[each, values].append(later)
        for earlier, count in shared.items():
            if not _show_copy(count, digits[earlier]):
                continue
            other = bundles[earlier]
            differing = sum(other.get(e, values) != values for e, values in figures.items())
            if not differing or (
                count >= MANY_SHARED_FIGURES and differing <= MAX_CORRECTED_SHARE * count
            ):
                copies[later] = earlier
                break
    return copies


def _show_copy(figures: int, digits: int) -> bool:
    """Return whether this number of equal figures, with this number of digits, shows a copy."""
    return figures >= MIN_SHARED_FIGURES or (
        figures >= FEW_SHARED_FIGURES and digits >= MIN_SHARED_DIGITS
    )


def _conclusive_digits(values: Iterable[float]) -> int:
    """Return the number of digits of values that are not single-digit integers."""
    digits = (len(format(value, "g").strip("-0.").replace(".", "")) for value in values)
    return sum(number for number in digits if number > 1)

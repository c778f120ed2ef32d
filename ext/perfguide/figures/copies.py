"""Copies: bundles that repeat another one of the same guide and board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .rows import Ints

if TYPE_CHECKING:
    import pandas as pd

    from .pool import Pool

MIN_SHARED_FIGURES, FEW_SHARED_FIGURES, MIN_SHARED_DIGITS = 3, 2, 7
"""The fewest equal figures that show that one upload is a copy of another, and the fewest if
together they have at least the third number of digits."""

MANY_SHARED_FIGURES, MAX_CORRECTED_SHARE = 20, 0.05
"""The fewest equal figures of a copy with corrections, and the largest share of these."""


class Repeated(NamedTuple):
    """A bundle that repeats an earlier one, by their positions: the positions of their equal
    figures, and the number of figures that both have."""

    later: int
    earlier: int
    equal: list[int]
    common: int


def repeated_bundles(pool: Pool) -> Iterator[Repeated]:
    """Yield each bundle with copies of benchmarks of another one; see :func:`repeated_rows`."""
    for values, copies in _copies_by_board(pool):
        pairs = {pair for of_benchmark in copies.values() for pair in of_benchmark.items()}
        for later, earlier in sorted(pairs):
            common = sorted(values[later].keys() & values[earlier].keys())
            equal = [at for at in common if values[later][at] == values[earlier][at]]
            yield Repeated(later, earlier, equal, len(common))


def repeated_rows(pool: Pool) -> Ints:
    """Return, for each row of the frame, the row of another upload that it repeats, or -1.

    The two uploads share at least ``MIN_SHARED_FIGURES`` equal figures, not counting single-digit
    integers, or fewer with many digits, and nearly all common figures are equal. They also do so in
    a benchmark with too few figures if all of these are equal and they share another benchmark.
    """
    # Imported on demand, like everywhere in this folder.
    import pandas as pd

    table = pool.frame.table
    repeated = np.full(len(table), -1)
    pairs = [
        (benchmark, *pair)
        for _, copies in _copies_by_board(pool)
        for benchmark, of_benchmark in copies.items()
        for pair in of_benchmark.items()
    ]
    wanted = pd.DataFrame(pairs, columns=["benchmark", "bundle", "earlier"])
    same = ["value", "low", "high", "weight"]
    rows = table[["bundle", "benchmark", *same]].assign(figure=pool.positions(), row=table.index)
    rows = rows[rows["bundle"].isin({*wanted["bundle"], *wanted["earlier"]})]
    if not len(rows):
        return repeated
    rows["benchmark"] = rows["benchmark"].astype("str")
    rows["at"] = rows.groupby(["bundle", "figure"]).cumcount()
    same += ["figure", "at"]
    later = rows.merge(wanted, on=["benchmark", "bundle"])
    both = later.merge(rows, left_on=["earlier", *same], right_on=["bundle", *same])
    repeated[both["row_x"]] = both["row_y"]
    return repeated


_Values = dict[int, dict[int, tuple[float, ...]]]
"""The values of each figure, by bundle."""


def _copies_by_board(pool: Pool) -> Iterator[tuple[_Values, dict[str, dict[int, int]]]]:
    """Yield, for each board with several bundles of a release, their values and, by benchmark, the
    bundles that repeat it, each with the one that it repeats."""
    table = pool.frame.table
    if not len(table):
        return
    frame = table[["bundle", "sdk", "soc", "os", "release", "board", "benchmark", "value"]].copy()
    frame["figure"] = pool.positions()
    keys = ["sdk", "soc", "os", "release", "board"]
    # Skip boards with one bundle of a release, as most have.
    frame = frame[frame.groupby(keys, observed=True)["bundle"].transform("nunique") > 1]
    for _, of_release in frame.groupby(keys, observed=True, sort=True):
        all_values = _values(of_release)
        copies_of_all = _copies(all_values)
        tables = {
            str(name): _values(of) for name, of in of_release.groupby("benchmark", observed=True)
        }
        parts = {name: _copies(values) for name, values in tables.items()}
        pairs = set(copies_of_all.items()).union(*(part.items() for part in parts.values()))
        yield (
            all_values,
            {
                name: dict(pair for pair in sorted(pairs) if _are_alike(values, *pair))
                | parts[name]
                | copies_of_all
                for name, values in tables.items()
            },
        )


def _are_alike(
    bundles: Mapping[int, Mapping[int, tuple[float, ...]]], later: int, earlier: int
) -> bool:
    """Return whether two bundles have figures in common, and all of them are equal."""
    of_later, of_earlier = bundles.get(later, {}), bundles.get(earlier, {})
    common = of_later.keys() & of_earlier.keys()
    return bool(common) and all(of_later[at] == of_earlier[at] for at in common)


def _values(frame: pd.DataFrame) -> _Values:
    """Return the values of each figure, by bundle."""
    values: dict[int, dict[int, list[float]]] = {}
    for number, figure, value in zip(frame["bundle"], frame["figure"], frame["value"], strict=True):
        values.setdefault(number, {}).setdefault(figure, []).append(value)
    return {
        number: {figure: tuple(of_figure) for figure, of_figure in figures.items()}
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
        conclusive = {at: _conclusive_digits(values) for at, values in figures.items()}
        if not _show_copy(sum(map(bool, conclusive.values())), sum(conclusive.values())):
            continue
        shared: Counter[int] = Counter()
        digits: Counter[int] = Counter()
        for at, values in figures.items():
            for earlier in having.setdefault((at, values), []):
                shared[earlier] += bool(conclusive[at])
                digits[earlier] += conclusive[at]
            having[at, values].append(later)
        for earlier, count in shared.items():
            if not _show_copy(count, digits[earlier]):
                continue
            other = bundles[earlier]
            differing = sum(other.get(at, values) != values for at, values in figures.items())
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

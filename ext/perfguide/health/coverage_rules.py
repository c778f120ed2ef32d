"""Rules about missing figures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..catalog.benchmarks import Scalar
from ..common.grouping import grouped
from ..figures.columns import OWNER, SERIES, Figures, Flags, Ints, firsts
from ..figures.rows import together
from .finding import Hit


def lost(figures: Figures) -> Iterator[Hit]:
    """Yield figures of a board that its next release lacks.

    The finding belongs to the guide that lost them, but the figures are those of the release
    before, as there are no others.
    """
    owner = figures.groups(*OWNER)
    runs = together(owner, figures.release_rank)
    first = np.array(firsts(runs))
    order = np.lexsort((figures.release_rank[first], owner[first]))
    # Runs are sorted by board and release, so a run is followed by its successor if the next one
    # is of the same board.
    newest = np.diff(owner[first][order], append=-1) != 0
    steps = np.empty(len(first), dtype="int64")
    steps[order] = np.arange(len(first))
    step = steps[runs]
    series, table = figures.groups(*SERIES), figures.groups(*OWNER, "benchmark")
    gone = ~newest[step] & ~_present(series, step, after=1)
    whole = gone & ~_present(table, step, after=1)
    added = _by_table(table, step, np.flatnonzero((step > 0) & ~_present(series, step, after=-1)))
    lost_rows = _by_table(table, step + 1, np.flatnonzero(gone & ~whole))
    renamed = _renamed(figures, lost_rows, added)
    kind = figures.groups("metric", "params")
    # Not missed: settings, and counts that histograms only give for non-empty bins.
    missed = figures.of_kind([m is None or m.better != "neither" for _, m, _ in figures.kinds[1]])
    for position in np.flatnonzero(gone & missed).tolist():
        if position in renamed:
            continue
        home = int(first[order[step[position] + 1]])
        release, next_release = (figures.name("release", p) for p in (position, home))
        if whole[position]:
            detail = f"in {release}, and none of this benchmark in {next_release}"
            yield Hit("lost-table", position, detail, weight=2.0, guide=home)
            continue
        detail = f"in {release}, and not in {next_release}"
        at = int(table[position]), int(step[position]) + 1
        # A figure whose unit changed or vanished is still the same figure.
        if count := len({*kind[added.get(at, [])].tolist()} - {*kind[lost_rows[at]].tolist()}):
            new = "is 1 figure" if count == 1 else f"are {count} figures"
            detail += f", where there {new} that {release} did not have"
        yield Hit("lost-rows", position, detail, guide=home)


def _present(key: Ints, step: Ints, after: int) -> Flags:
    """Return for each figure whether one with the same key exists ``after`` steps later."""
    # Leave room for a step on either side, so that the numbers of two keys never overlap.
    width = int(step.max()) + 3
    present: Flags = np.isin(key * width + step + 1 + after, key * width + step + 1)
    return present


def _by_table(table: Ints, step: Ints, positions: Ints) -> dict[tuple[int, int], list[int]]:
    """Group positions by table and step."""
    return grouped(positions.tolist(), lambda p: (int(table[p]), int(step[p])))


def _renamed(
    figures: Figures,
    gone: dict[tuple[int, int], list[int]],
    added: dict[tuple[int, int], list[int]],
) -> set[int]:
    """Return positions of figures that were renamed: given another unit, or another value of one
    parameter, or that parameter dropped.

    A value was renamed if all figures with the old value are gone, and the same figures with one
    other value are new: a table was numbered or spelt differently.
    """
    renamed: set[int] = set()
    kind = figures.groups("metric", "params")
    for key, positions in gone.items():
        new = added.get(key, [])
        kinds = set(kind[new].tolist())
        renamed.update(position for position in positions if int(kind[position]) in kinds)
        names = {name for position in (*positions, *new) for name in figures.params(position)}
        before, after = (_by_value(figures, side, names) for side in (positions, new))
        present = {(name, frozenset(others)) for (name, _), others in after.items()}
        for (name, _), others in before.items():
            if (name, frozenset(others)) in present:
                renamed.update(others.values())
    return renamed


def _by_value(
    figures: Figures, positions: list[int], names: set[str]
) -> dict[tuple[str, Scalar | None], dict[tuple[object, ...], int]]:
    """Return, for each parameter and value, positions by the rest of the figure's key."""
    by_value: dict[tuple[str, Scalar | None], dict[tuple[object, ...], int]] = {}
    for position in positions:
        params = figures.params(position)
        figure = figures.name("metric", position), figures.name("unit", position)
        for name in names:
            others = sorted((k, str(v)) for k, v in params.items() if k != name)
            by_value.setdefault((name, params.get(name)), {})[(*figure, *others)] = position
    return by_value


CHECKS = (lost,)

"""Division of a guide's table that is too wide for its page into several tables, one below another.

Each has all row keys and some groups of columns, such as the boards of a metric. Columns are given
by their numbers in the undivided table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import escape
from itertools import chain

from ..common import units
from ..common.grouping import grouped
from ..tables.grids import Grid
from .table_heads import Header, shortened
from .table_widths import steps

_UNIT = re.compile(r"\(([^()]+)\)")


def with_unit_in_head(
    table: Grid, keys: Sequence[int], rows: Sequence[int]
) -> tuple[list[int], Header, str]:
    """Return the row keys to show, the head, and an attribute. If all rows have one unit, it takes
    the place of "Metric" in the head and is stated in the attribute instead of in a column."""
    top, *rest = table.header
    unit = next((column for column in keys if top[column] == "Unit"), 0)
    names = {units.whole(table.rows[row][unit]) for row in rows}
    if not unit or top[unit - 1] != "Metric" or len(names) != 1:
        return [*keys], table.header, ""
    name = names.pop() or "Metric"
    header = ((*top[: unit - 1], name, *top[unit:]), *rest)
    return [key for key in keys if key != unit], header, f' data-perf-unit="{escape(name)}"'


def divided(
    table: Grid, header: Header, keys: list[int], figures: Sequence[int], boards: Collection[str]
) -> tuple[list[list[int]], bool]:
    """Return the columns of each part, and whether the metric is the first level of the head, with
    its boards side by side. ``boards`` are named as in heads."""
    first, last = ({row[column] for column in figures} for row in (header[0], header[-1]))
    metric_first = len(first) > 1 or len(last) == 1
    varying = [row for row in header if len({row[column] for column in figures}) > 1]
    # By metric or, if there is only one, by the first level that varies, such as the engine.
    level = next((row for row in varying if header[-1] not in varying), header[-1])
    groups = [*grouped(figures, lambda c: level[c] if len(header) > 1 else "").values()]
    heads = shortened(header, table.shorts)
    # Groups of one unit follow one another.
    order = [*dict.fromkeys(_unit_of(heads, group) for group in groups)]
    groups.sort(key=lambda group: order.index(_unit_of(heads, group)))

    def fits(columns: list[int]) -> bool:
        levels, _ = levels_of(heads, columns, len(keys), metric_first)
        rows = tuple(tuple(row[column] for column in columns) for row in table.rows)
        part = Grid(head_of(heads, columns, len(keys), levels), rows, len(keys))
        return not steps(part, boards).is_stacked

    parts = [keys]
    # Give each part the same number of groups, so that none is left alone below the others.
    for count in range(1, len(groups) + 1):
        size = -(-len(groups) // count)
        parts = [
            [*keys, *chain.from_iterable(groups[start : start + size])]
            for start in range(0, len(groups), size)
        ]
        if all(map(fits, parts)):
            break
    return parts, metric_first


def _unit_of(header: Header, group: Sequence[int]) -> str:
    match = _UNIT.search(header[-1][group[0]])
    return match[1] if match else ""


def levels_of(
    header: Header, columns: Sequence[int], stub: int, metric_first: bool
) -> tuple[list[int], int]:
    """Return the levels of a head in the order in which a guide shows them, and how many of the
    leading ones all columns of figures share. With ``metric_first``, the metric, which is the
    file's last level, precedes the others that vary."""
    levels = list(range(len(header)))
    figures = [column for column in columns if column >= stub]
    shared = [n for n in levels if len({header[n][column] for column in figures}) == 1]
    turned = [*levels[-1:], *levels[:-1]] if metric_first else levels
    order = [*shared, *(n for n in turned if n not in shared)]
    # Each column needs a head of its own.
    return order, min(len(shared), len(header) - 1)


def head_of(
    header: Header, columns: Sequence[int], stub: int, levels: Sequence[int]
) -> tuple[tuple[str, ...], ...]:
    """Return the head of some columns, with its ``levels`` in this order."""
    # The heads of keys stay on the first level.
    return tuple(
        tuple(header[n if number < stub else levels[n]][c] for number, c in enumerate(columns))
        for n in range(len(header))
    )

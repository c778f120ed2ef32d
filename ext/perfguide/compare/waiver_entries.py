"""Entries for the file of waivers that accept an event."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from glob import escape

from ..catalog.benchmarks import Scalar
from ..common.diagnostics import visible
from .event import Event
from .row import Row


def of_event(event: Event) -> str:
    """Return entries for ``waivers.toml`` that accept an event, by board and metric. The release
    with which they lapse, and the reason, are left for a person to fill in."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in event.judged:
        groups.setdefault((row.board, row.benchmark, row.metric), []).append(row)
    if len(groups) > MOST_ENTRIES:
        # One entry for each benchmark on a board, with the common prefix of its metrics.
        wide: dict[tuple[str, str], list[Row]] = {}
        for row in event.judged:
            wide.setdefault((row.board, row.benchmark), []).append(row)
        groups = {(*key, _begin([row.metric for row in rows])): rows for key, rows in wide.items()}
    return "\n".join(
        _entry(rows, board, metric if rows[0].metric == metric else None, metric)
        for (board, _, metric), rows in groups.items()
    )


def _entry(rows: Sequence[Row], board: str, metric: str | None, begin: str) -> str:
    """Return an entry for rows of a benchmark on a board: for one metric, or all with a prefix."""
    first = rows[0]
    # Entries are patterns, so brackets in names must be escaped.
    names = escape(metric) if metric is not None else f"{escape(begin)}*"
    lines = [
        "[[waivers]]",
        f"benchmark = {_toml(escape(first.benchmark))}",
        f"metric = {_toml(names)}",
        f"soc = {_toml(escape(first.guide.soc))}",
        f"os = {_toml(escape(first.guide.os))}",
        f"board = {_toml(escape(board))}",
    ]
    shared = [
        f"{_toml(name)} = {_toml(value)}"
        for name, value in sorted(first.params.items())
        if all(row.params.get(name) == value for row in rows)
    ]
    if shared:
        lines.append(f"params = {{ {', '.join(shared)} }}")
    moves = [abs(row.change) for row in rows if row.change is not None]
    # A row without a change, such as a failed one, has no size to limit.
    if len(moves) == len(rows) and max(moves) < MOST_WAIVED:
        per = next((row.per for row in rows if row.per), "")
        of = f"of the loads themselves, not per {per}" if per else "of the figures, up or down"
        # Above the largest move, as a limit must let it pass.
        lines.append(f'most = "{math.floor(100 * max(moves)) + 1}%"  # {of}')
    return (
        "\n".join([*lines, 'until = ""  # the release with which it lapses', 'reason = ""']) + "\n"
    )


def _begin(names: Sequence[str]) -> str:
    """Return the common prefix of names."""
    # The prefix shared by the first and the last name in order is shared by all.
    least, most = min(names), max(names)
    ends = (i for i, (a, b) in enumerate(zip(least, most, strict=False)) if a != b)
    return least[: next(ends, min(len(least), len(most)))]


MOST_ENTRIES = 6
"""The most entries for single metrics of an event; beyond it, they cover prefixes of metrics."""

MOST_WAIVED = 100.0
"""The relative change from which a limit on its size would be pointless."""


def _toml(value: Scalar) -> str:
    """Return a value as TOML, with text escaped."""
    if isinstance(value, str):
        return json.dumps(visible(value), ensure_ascii=False)
    return json.dumps(value)

"""A ranking of SoCs as a table with a drawn axis, with a rate and a load in each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from ..common import units
from ..figures import engines
from ..figures.pool import MIN_SPREAD
from ..pages.ranking import RankedRow, Ranking, round_up
from .screen_nodes import Links, ScreenNode, printed_table, words, write_html
from .table_widths import zero_classes

MAX_LABELS_LENGTH, LABEL_GAP = 20, 2
"""The number of characters that fit below the narrowest axis, and between two labels."""


class perf_ranking(ScreenNode):
    """The table; ``ranking`` is a :class:`Ranking`, and ``top`` the folder of generated pages."""

    template = "ranking"

    def values(self, builder: Any) -> dict[str, Any]:
        """Return the variables of the template."""
        ranking: Ranking = self["ranking"]
        return {
            "ranking": ranking,
            "labels": _labels(ranking),
            "has_loads": any(row.load is not None for row in ranking.rows),
            "full_load": _full_load(ranking.rows),
            "has_runs": any(map(_has_range, ranking.rows)),
            "has_range": _has_range,
            "zeros": zero_classes([units.number(row.number) for row in ranking.rows]),
            "min_spread": MIN_SPREAD,
            "load": _load,
            "dot": _dot,
            "legend": _legend(ranking),
            "link": Links(builder, self["top"]),
        }

    def printed(self) -> list[nodes.Node]:
        """Return the ranking as an ordinary table."""
        return [_plain(self["ranking"])]


def _labels(ranking: Ranking) -> Sequence[tuple[float, str]]:
    """Return the ticks that are labelled: every second one, with the zero or the end of a
    logarithmic axis, if all labels would not fit side by side."""
    ticks = ranking.ticks
    needed = sum(len(text) + LABEL_GAP for _, text in ticks)
    if needed <= MAX_LABELS_LENGTH:
        return ticks
    return ticks[::-2][::-1] if ranking.is_log else ticks[::2]


def _full_load(rows: Sequence[RankedRow]) -> float:
    """Return the load in per cent at the end of the axis: 100, or less if all are far below."""
    every = [row.load for row in rows] + [other.load for row in rows for other in row.others]
    most = max((load for load in every if load is not None), default=0.0)
    return min(100.0, round_up(most) or 100.0)


def _has_range(row: RankedRow) -> bool:
    return row.low is not None and row.high is not None and row.low != row.high


def _load(row: RankedRow) -> str:
    return "—" if row.load is None else f"{units.number(row.load)} %"


def _is_recorded(row: RankedRow) -> bool:
    return bool(row.engine) and not row.engine.startswith(("likely", "engine not"))


def _dot(row: RankedRow) -> str:
    """Return the classes of a load's dot: its colour shows whether the load is low, as with an
    accelerator."""
    if not row.engine:
        return "perf-f6"
    waiting = None if row.load is None else engines.is_waiting(row.load)
    number = {True: 0, False: 1, None: 6}[waiting]
    return f"perf-f{number}" if _is_recorded(row) else f"perf-open perf-l{number}"


def _legend(ranking: Ranking) -> str:
    """Return an explanation of the loads' dots, or an empty string if no engines ran."""
    if not any(row.engine and row.load is not None for row in ranking.rows):
        return ""
    waits, works = engines.WAITING_LOAD_PERCENT, engines.BUSY_LOAD_PERCENT
    others = any(row.others for row in ranking.rows)
    return (
        f"Blue: the CPU was loaded below {waits:.0f} %; orange: from {works:.0f} %; grey: between. A hollow "
        f"dot: the engine was not recorded.{' A small grey ring: another engine.' if others else ''}"
    )


def _plain(ranking: Ranking) -> nodes.table:
    lines = [
        (
            row.soc,
            ", ".join(filter(None, (row.board, row.part, row.release, row.year))),
            words(
                units.number(row.number),
                row.engine,
                sign=" ",
            ),
            _load(row),
        )
        for row in ranking.rows
    ]
    figure, load = words(ranking.title, ranking.unit), words("CPU load", ranking.load_of, sign=" ")
    return printed_table(["SoC", "Board and release", figure, load], lines)


def setup(app: Sphinx) -> None:
    """Register the node."""
    app.add_node(perf_ranking, html=(write_html, None))

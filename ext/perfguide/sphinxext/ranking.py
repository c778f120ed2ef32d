"""A ranking of SoCs as a table with a drawn axis, in which each row has its rate and its load."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from ..common import units
from ..pages.ranking import MIN_SPREAD, RankedRow, Ranking
from .screen_nodes import Links, ScreenNode, printed_table, words, write_html


class perf_ranking(ScreenNode):
    """The table; ``ranking`` is a :class:`Ranking`, and ``top`` the folder of generated pages."""

    template = "ranking"

    def values(self, builder: Any) -> dict[str, Any]:
        """Return the values of the template."""
        ranking: Ranking = self["ranking"]
        return {
            "ranking": ranking,
            "has_loads": any(row.load is not None for row in ranking.rows),
            "has_runs": any(row.low is not None for row in ranking.rows),
            "min_spread": MIN_SPREAD,
            "load": _load,
            "link": Links(builder, self["top"]),
        }

    def printed(self) -> list[nodes.Node]:
        """Return the ranking as an ordinary table."""
        return [_plain(self["ranking"])]


def _load(row: RankedRow) -> str:
    return "—" if row.load is None else f"{units.number(row.load)} %"


def _plain(ranking: Ranking) -> nodes.table:
    lines = [
        (
            row.soc,
            ", ".join(filter(None, (row.board, row.part, row.release))),
            words(units.number(row.number), row.engine, sign=" "),
            _load(row),
        )
        for row in ranking.rows
    ]
    head = ["SoC", "Board and release", words(ranking.title, ranking.unit), "CPU load"]
    return printed_table(head, lines)


def setup(app: Sphinx) -> None:
    """Register the node."""
    app.add_node(perf_ranking, html=(write_html, None))

"""Health of the figures themselves: all rules, applied to a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..catalog.benchmarks import Catalog
from ..figures.columns import Figures
from ..figures.pool import Pool
from . import board_rules, cell_rules, coverage_rules, pair_rules, series_rules
from .finding import Finding, Hit, Rule, gather

_FAMILIES = (cell_rules, board_rules, pair_rules, series_rules, coverage_rules)

RULES: dict[str, Rule] = {rule.id: rule for family in _FAMILIES for rule in family.RULES}
"""Every rule by its id."""

CHECKS: tuple[Callable[[Figures], Iterator[Hit]], ...] = tuple(
    check for family in _FAMILIES for check in family.CHECKS
)

EXPLAINING = {"coarse-steps", "not-positive"}
EXPLAINED = {"board-apart", "one-release-jump"}
"""A figure that a rule of the first set finds is no news to one of the second."""


def examine(pool: Pool, catalog: Catalog) -> list[Finding]:
    """All findings about the figures, the most important first.

    Each rule looks once at all figures; the time is that of sorting them.
    """
    figures = Figures(pool, catalog)
    hits = [hit for check in CHECKS for hit in check(figures)]
    explained = {hit.position for hit in hits if hit.rule in EXPLAINING}
    told = (h for h in hits if h.rule not in EXPLAINED or h.position not in explained)
    return gather(figures, told, RULES)

"""Health of the figures themselves: all rules, applied to a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ..catalog.benchmarks import Catalog
from ..common.containment import attempt
from ..common.diagnostics import Diagnostic
from ..figures.columns import Figures
from ..figures.pool import Pool
from . import board_rules, cell_rules, coverage_rules, newest_rules, pair_rules, series_rules
from .finding import Finding, Hit, Rule, gather

_FAMILIES = (cell_rules, board_rules, pair_rules, series_rules, newest_rules, coverage_rules)

RULES: dict[str, Rule] = {rule.id: rule for family in _FAMILIES for rule in family.RULES}
"""Every rule by its id."""

CHECKS: tuple[Callable[[Figures], Iterator[Hit]], ...] = tuple(
    check for family in _FAMILIES for check in family.CHECKS
)

Check = Callable[[Figures], Iterator[Hit]]

EXPLAINING = {"coarse-steps", "not-positive", "over-limit", "unit-slip", "swapped-boards"}
EXPLAINED = {"board-apart", "one-release-jump", "newest-far", "unlike-boards"}
"""What these say of a figure is no news where one of the others has found it."""


def _hits(check: Check, figures: Figures) -> list[Hit]:
    return list(check(figures))


def examine(pool: Pool, catalog: Catalog) -> tuple[list[Finding], list[Diagnostic]]:
    """All findings about the figures, the most important first, and which rules failed.

    Each rule looks once at all figures; the time is that of sorting them.
    """
    figures, unmade = Figures(pool, catalog), list[Diagnostic]()

    def failed(finding: Diagnostic) -> list[Hit]:
        unmade.append(finding)
        return []

    hits: list[Hit] = []
    for check in CHECKS:
        name = f"the findings of “{check.__name__.replace('_', ' ')}”"
        hits += attempt(name, "health", partial(_hits, check, figures), failed)
    explained = {hit.position for hit in hits if hit.rule in EXPLAINING}
    news = (h for h in hits if h.rule not in EXPLAINED or h.position not in explained)
    return gather(figures, news, RULES), unmade

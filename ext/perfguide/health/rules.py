"""Health of the figures themselves: all rules, applied to a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from ..bundles.guide_key import GuideKey
from ..catalog.benchmarks import Catalog
from ..common.containment import attempt
from ..common.diagnostics import Diagnostic
from ..figures.columns import Figures
from ..figures.pool import Pool
from . import (
    board_rules,
    cell_rules,
    coverage_rules,
    newest_rules,
    pair_rules,
    series_rules,
    table_rules,
)
from .finding import Finding, Hit, Rule, gather

_FAMILIES = (
    *(cell_rules, board_rules, pair_rules, series_rules),
    *(newest_rules, table_rules, coverage_rules),
)

RULES: dict[str, Rule] = {rule.id: rule for family in _FAMILIES for rule in family.RULES}
"""Every rule by its id."""

Check = Callable[[Figures], Iterator[Hit]]

CHECKS: tuple[Check, ...] = tuple(check for family in _FAMILIES for check in family.CHECKS)
"""Checks of the figures of one SoC."""

ACROSS_SOCS: tuple[Check, ...] = (*newest_rules.ACROSS_SOCS, *table_rules.ACROSS_SOCS)
"""Checks that compare the newest figures of several SoCs."""

_APART = {"board-apart", "one-release-jump", "newest-far", "unlike-boards"}

EXPLANATIONS = (
    ({"coarse-steps", "not-positive", "over-limit", "unit-slip", "swapped-boards"}, _APART),
    ({"one-release-jump", "unit-slip"}, {"rate-collapsed"}),
    ({"rate-collapsed"}, {"board-apart", "newest-far", "curve-dips"}),
    ({"wrong-clock"}, _APART | {"clock", "over-limit"}),
    (
        {rule.id for rule in table_rules.RULES},
        _APART | {"unit-slip", "stale-copy", "swapped-boards", "curve-dips", "rate-collapsed"},
    ),
)
"""Explaining rules and explained ones: a figure with a hit of one of the first needs none of the second,
which follows from it."""


NAMES = ("board", "benchmark", "metric", "unit", "params")
"""The names of a figure within its guide; parameters are canonical JSON."""


class DistantHit(msgspec.Struct, frozen=True):
    """A :class:`Hit` of a rule that compares SoCs, with the guide and the ``NAMES`` of the figure in
    place of its position."""

    rule: str
    guide: GuideKey
    names: tuple[str, ...]
    detail: str
    weight: float


class Beyond(msgspec.Struct, frozen=True):
    """Facts about other SoCs for the rules about one: the names of all SoCs, and the hits of rules
    that compare them."""

    socs: frozenset[str]
    hits: tuple[DistantHit, ...]


def across(pool: Pool, catalog: Catalog) -> list[DistantHit]:
    """Return the hits of rules that compare SoCs in a pool of their newest figures."""
    figures = Figures(pool, catalog)

    hits = (hit for check in ACROSS_SOCS for hit in check(figures)) if len(figures) else ()
    return [
        DistantHit(hit.rule, *_identity(figures, hit.position), hit.detail, hit.weight)
        for hit in hits
    ]


def _identity(figures: Figures, position: int) -> tuple[GuideKey, tuple[str, ...]]:
    return figures.guide(position), tuple(figures.name(column, position) for column in NAMES)


def _own_hits(figures: Figures, beyond: Beyond) -> Iterator[Hit]:
    """Yield the distant hits on these figures."""
    has_past = {own[-1]: len(own) > 1 for own in figures.lines if figures.newest[own[-1]]}
    positions = {_identity(figures, position): position for position in has_past}
    for hit in beyond.hits:
        position = positions.get((hit.guide, hit.names))
        # A figure with earlier releases is judged by those, and not by those of other SoCs.
        if position is None or (hit.rule == "unlike-boards" and has_past[position]):
            continue
        yield Hit(hit.rule, position, hit.detail, weight=hit.weight)


def _hits(check: Check, figures: Figures) -> list[Hit]:
    return list(check(figures))


def examine(
    pool: Pool, catalog: Catalog, beyond: Beyond | None = None
) -> tuple[list[Finding], list[Diagnostic]]:
    """Return all findings about the figures, the most important first, and the rules that failed.

    With ``beyond`` the figures are those of one SoC of several.
    """
    figures = Figures(pool, catalog, beyond.socs if beyond else frozenset())
    unmade = list[Diagnostic]()

    def failed(finding: Diagnostic) -> list[Hit]:
        unmade.append(finding)
        return []

    # Most SoCs have no hits from beyond, and naming all of their newest figures takes time.
    hits = list(_own_hits(figures, beyond)) if beyond and beyond.hits else []
    # With several SoCs, the hits of checks across them came with `beyond`.
    checks = CHECKS if beyond else (*CHECKS, *ACROSS_SOCS)
    for check in checks if len(figures) else ():
        name = f"the findings of “{check.__name__.replace('_', ' ')}”"
        # A rule that fails costs its own findings and no others.
        hits += attempt(name, "health", partial(_hits, check, figures), failed)
    explained = {
        (rule, hit.position)
        for explaining, rules in EXPLANATIONS
        for hit in hits
        if hit.rule in explaining
        for rule in rules
    }
    remaining = (hit for hit in hits if (hit.rule, hit.position) not in explained)
    return gather(figures, remaining, RULES), unmade

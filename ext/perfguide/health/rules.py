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
from . import board_rules, cell_rules, coverage_rules, newest_rules, pair_rules, series_rules
from .finding import Finding, Hit, Rule, gather

_FAMILIES = (cell_rules, board_rules, pair_rules, series_rules, newest_rules, coverage_rules)

RULES: dict[str, Rule] = {rule.id: rule for family in _FAMILIES for rule in family.RULES}
"""Every rule by its id."""

Check = Callable[[Figures], Iterator[Hit]]

CHECKS: tuple[Check, ...] = tuple(check for family in _FAMILIES for check in family.CHECKS)
"""Checks that look at the figures of one SoC at a time."""

ACROSS_SOCS: tuple[Check, ...] = newest_rules.ACROSS_SOCS
"""Checks that compare the figures of SoCs, each with its newest ones."""

EXPLAINING = {"coarse-steps", "not-positive", "over-limit", "unit-slip", "swapped-boards"}
EXPLAINED = {"board-apart", "one-release-jump", "newest-far", "unlike-boards"}
"""What these say of a figure is no news where one of the others has found it."""


class DistantHit(msgspec.Struct, frozen=True):
    """A suspicious figure among those of all SoCs: its names (``params`` is canonical JSON), with the
    words and the weight of :class:`Hit`."""

    rule: str
    guide: GuideKey
    board: str
    benchmark: str
    metric: str
    unit: str
    params: str
    detail: str
    weight: float


class Beyond(msgspec.Struct, frozen=True):
    """All that rules about the figures of one SoC need to know of others: the names of all SoCs, and
    hits of rules that compare SoCs."""

    socs: frozenset[str]
    hits: tuple[DistantHit, ...]


def across(pool: Pool, catalog: Catalog) -> list[DistantHit]:
    """Return the hits of rules that compare SoCs, in a pool of their newest figures."""
    figures = Figures(pool, catalog)

    def distant(hit: Hit) -> DistantHit:
        names = ("board", "benchmark", "metric", "unit", "params")
        board, benchmark, metric, unit, params = (figures.name(n, hit.position) for n in names)
        guide = figures.guide(hit.position)
        return DistantHit(
            hit.rule, guide, board, benchmark, metric, unit, params, hit.detail, hit.weight
        )

    return [distant(hit) for check in ACROSS_SOCS for hit in check(figures)]


def _here(figures: Figures, beyond: Beyond) -> Iterator[Hit]:
    """Yield the distant hits on some figures. A figure with a past is no news among other SoCs."""
    first = {own[0] for own in figures.lines if len(own) == 1 and figures.newest[own[0]]}
    columns = ("sdk", "soc", "os", "release", "board", "benchmark", "metric", "unit", "params")
    places = {tuple(figures.name(c, position) for c in columns): position for position in first}
    for hit in beyond.hits:
        key = hit.guide
        names = (key.sdk, key.soc, key.os, key.release)
        place = places.get((*names, hit.board, hit.benchmark, hit.metric, hit.unit, hit.params))
        if place is not None:
            yield Hit(hit.rule, place, hit.detail, weight=hit.weight)


def _hits(check: Check, figures: Figures) -> list[Hit]:
    return list(check(figures))


def examine(
    pool: Pool, catalog: Catalog, beyond: Beyond | None = None
) -> tuple[list[Finding], list[Diagnostic]]:
    """Return all findings about the figures, the most important first, and which rules failed.

    With ``beyond`` the figures are those of one SoC of several. Each rule looks once at all figures;
    the time is that of sorting them.
    """
    figures = Figures(pool, catalog, beyond.socs if beyond else frozenset())
    unmade = list[Diagnostic]()

    def failed(finding: Diagnostic) -> list[Hit]:
        unmade.append(finding)
        return []

    hits = list(_here(figures, beyond)) if beyond and beyond.hits else []
    for check in CHECKS if beyond else (*CHECKS, *ACROSS_SOCS):
        name = f"the findings of “{check.__name__.replace('_', ' ')}”"
        hits += attempt(name, "health", partial(_hits, check, figures), failed)
    explained = {hit.position for hit in hits if hit.rule in EXPLAINING}
    news = (h for h in hits if h.rule not in EXPLAINED or h.position not in explained)
    return gather(figures, news, RULES), unmade

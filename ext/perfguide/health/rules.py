"""All health rules, and their application to a pool of figures."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

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

_TEXTS = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))

RULES: dict[str, Rule] = {name: Rule(name, **values) for name, values in _TEXTS.items()}
"""All rules by id."""

Check = Callable[[Figures], Iterator[Hit]]

CHECKS: tuple[Check, ...] = tuple(check for family in _FAMILIES for check in family.CHECKS)
"""Checks of the figures of one SoC."""

ACROSS_SOCS: tuple[Check, ...] = (
    *(*newest_rules.ACROSS_SOCS, *table_rules.ACROSS_SOCS, *series_rules.ACROSS_SOCS),
)
"""Checks that compare the newest figures of several SoCs."""

_APART = {"board-apart", "one-release-jump", "newest-far", "unlike-boards"}
_OUT_OF_BOUNDS = {"not-positive", "over-limit", "under-limit"}

EXPLANATIONS = (
    (_OUT_OF_BOUNDS | {"coarse-steps", "unit-slip", "swapped-boards"}, _APART),
    ({"one-release-jump", "unit-slip"}, {"rate-collapsed"}),
    ({"rate-collapsed"}, {"board-apart", "newest-far", "curve-dips"}),
    ({"pooled-metrics", "over-limit", "outside-range"}, {"samples-apart"}),
    ({"wrong-clock"}, _APART | {"over-limit"}),
    (
        {"table-scaled", "rows-exchanged", "table-copied"},
        _APART | {"unit-slip", "stale-copy", "swapped-boards", "curve-dips", "rate-collapsed"},
    ),
)
"""Pairs of explaining and explained rules: if a figure has a hit of an explaining rule, hits of the
explained ones are its consequences and are dropped."""


NAMES = ("board", "benchmark", "metric", "unit", "params")
"""The columns that identify a figure within its guide; parameters are canonical JSON."""


class DistantHit(msgspec.Struct, frozen=True):
    """A :class:`Hit` of a rule that compares SoCs, with the guide and the ``NAMES`` of the figure
    instead of its position."""

    rule: str
    guide: GuideKey
    names: tuple[str, ...]
    detail: str
    weight: float


class Beyond(msgspec.Struct, frozen=True):
    """Facts about all SoCs for the check of a single one: their names, and the hits of rules that
    compare them."""

    socs: frozenset[str]
    hits: tuple[DistantHit, ...]


def across(pool: Pool, catalog: Catalog) -> list[DistantHit]:
    """Return the hits of rules that compare SoCs, given a pool of their newest figures."""
    figures = Figures(pool, catalog)

    hits = (hit for check in ACROSS_SOCS for hit in check(figures)) if len(figures) else ()
    return [
        DistantHit(hit.rule, *_identity(figures, hit.position), hit.detail, hit.weight)
        for hit in hits
    ]


def _identity(figures: Figures, position: int) -> tuple[GuideKey, tuple[str, ...]]:
    return figures.guide(position), tuple(figures.name(column, position) for column in NAMES)


def _own_hits(figures: Figures, beyond: Beyond) -> Iterator[Hit]:
    """Yield those hits of cross-SoC rules that are on these figures."""
    has_past = {line[-1]: len(line) > 1 for line in figures.lines if figures.newest[line[-1]]}
    # What hardly works is no past that a figure could be judged by.
    low = {hit.names[1] for hit in beyond.hits if hit.rule == "rate-collapsed"}
    every = (
        p for line in figures.lines for p in line if low and figures.name("benchmark", p) in low
    )
    positions = {_identity(figures, position): position for position in (*has_past, *every)}
    for hit in beyond.hits:
        position = positions.get((hit.guide, hit.names))
        # A figure with a past is judged by that, not by other SoCs.
        if position is None or (hit.rule == "unlike-boards" and has_past[position]):
            continue
        yield Hit(hit.rule, position, hit.detail, weight=hit.weight)


def _hits(check: Check, figures: Figures) -> list[Hit]:
    # A rule need not be a generator: it fails in here, where that is expected.
    return list(check(figures))


def examine(
    pool: Pool, catalog: Catalog, beyond: Beyond | None = None
) -> tuple[list[Finding], list[Diagnostic]]:
    """Return all findings about the figures, most important first, and diagnostics for rules that
    failed.

    If ``beyond`` is given, the figures are those of one of several SoCs.
    """
    figures = Figures(pool, catalog, beyond.socs if beyond else frozenset())
    unmade = list[Diagnostic]()

    def failed(finding: Diagnostic) -> list[Hit]:
        unmade.append(finding)
        return []

    # Identifying all newest figures takes time, and most SoCs have no cross-SoC hits.
    hits = list(_own_hits(figures, beyond)) if beyond and beyond.hits else []
    # With several SoCs, `beyond` already has the hits of cross-SoC checks.
    checks = CHECKS if beyond else (*CHECKS, *ACROSS_SOCS)
    for check in checks if len(figures) else ():
        name = f"the findings of “{check.__name__.replace('_', ' ')}”"
        # A failing rule costs only its own findings.
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

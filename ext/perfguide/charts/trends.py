"""Many small pictures side by side: figures over releases, and of all boards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from msgspec import UNSET

from ..bundle import Bundle
from ..bundles.guide_key import version
from ..catalog.benchmarks import Catalog
from ..catalog.chart_spec import Chart
from ..common import units
from ..figures import labels
from ..figures.pool import Record
from .from_figures import Change, Scene, charts
from .model import ChartView

MOST = 24
"""So many pictures a page shows side by side; the tables have all figures."""


def scene(releases: Iterable[str], bundles: Iterable[Bundle]) -> Scene:
    """The releases of a platform, and what its boards changed between them.

    A board whose bundles of one release differ, or say nothing, changes nothing.
    """
    ordered = tuple(sorted(set(releases), key=version))
    by_board: dict[tuple[str, str], dict[str, set[str]]] = {}
    for bundle in bundles:
        clock = "" if bundle.board.cpu_mhz is UNSET else f"{bundle.board.cpu_mhz:g} MHz"
        for what, text in (("clock", clock), ("memory", bundle.board.memory)):
            if text:
                place = by_board.setdefault((bundle.board.name, what), {})
                place.setdefault(bundle.sdk.version, set()).add(text)
    out = []
    for (board, what), texts in by_board.items():
        before = ""
        for release in ordered:
            if len(now := texts.get(release, set())) != 1:
                continue
            (text,) = now
            if before and text != before:
                out.append(Change(board, release, what, f"{what} {before} → {text}"))
            before = text
    out.sort(key=lambda c: (version(c.release), units.natural(c.board), c.what))
    return Scene(ordered, tuple(out))


def over_releases(catalog: Catalog, records: Sequence[Record], known: Scene) -> list[ChartView]:
    """A small picture for each figure that at least two releases have: its trend, a
    line for each board."""
    spec = {"x": "release", "series": "board", "on": "releases"}
    return _small(catalog, records, spec, "Over releases", known)


def of_boards(catalog: Catalog, records: Sequence[Record]) -> list[ChartView]:
    """A small picture for each figure that at least two boards have: a bar for each."""
    spec = {"x": "board", "on": "newest", "kind": "bars"}
    return _small(catalog, records, spec, "Boards side by side", Scene())


def _small(
    catalog: Catalog, records: Sequence[Record], spec: dict[str, Any], title: str, known: Scene
) -> list[ChartView]:
    groups: dict[tuple[Any, ...], list[Record]] = {}
    order = {name: rank for rank, name in enumerate(catalog.benchmarks)}
    for record in records:
        benchmark = catalog.benchmarks[record.benchmark]
        params = tuple((n, benchmark.value_rank(n, v)) for n, v in sorted(record.params.items()))
        metric = benchmark.metric_rank(record.metric)[0], units.natural(record.metric)
        groups.setdefault((order[record.benchmark], *metric, params), []).append(record)
    out = []
    for _, found in sorted(groups.items()):
        benchmark, first = catalog.benchmarks[found[0].benchmark], found[0]
        name, unit = labels.full(benchmark, first), labels.unit(benchmark, first)
        chart = Chart(
            id="small", title=title, y=escaped(first.metric), where=dict(first.params), **spec
        )
        made = charts(benchmark, chart, found, known)
        out += [replace(view, name=name, y_label=unit, small=True) for view in made]
    lines = {line.label for view in out for panel in view.panels for line in panel.lines}
    styles = tuple(sorted(lines, key=units.natural))
    return [replace(view, styles=styles) for view in out]


def escaped(metric: str) -> str:
    """A metric's name as a pattern that takes only itself."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in metric)

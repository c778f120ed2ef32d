"""Many small pictures side by side: figures over releases, and of all boards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from msgspec import UNSET

from ..bundle import Bundle
from ..bundles.guide_key import version
from ..catalog.benchmarks import Catalog
from ..catalog.board_names import Boards
from ..catalog.chart_spec import Chart
from ..common import units
from ..figures import labels
from ..figures.pool import Record
from .from_figures import Change, Scene, with_figures
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
        for part, text in (("clock", clock), ("memory", bundle.board.memory)):
            if text:
                by_release = by_board.setdefault((bundle.board.name, part), {})
                by_release.setdefault(bundle.sdk.version, set()).add(text)
    changes = []
    for (board, part), by_release in by_board.items():
        before = ""
        for release in ordered:
            texts = by_release.get(release, set())
            if len(texts) == 1:
                (text,) = texts
                if before and text != before:
                    changes.append(Change(board, release, part, f"{part} {before} → {text}"))
                before = text
    changes.sort(key=lambda c: (version(c.release), units.natural(c.board), c.what))
    return Scene(ordered, tuple(changes))


def over_releases(catalog: Catalog, records: Sequence[Record], scene: Scene) -> list[ChartView]:
    """A small picture for each figure that at least two releases have: its trend, a
    line for each board."""
    spec = {"title": "Over releases", "x": "release", "series": "board", "on": "releases"}
    return _small(catalog, records, spec, scene)


def of_boards(
    catalog: Catalog, records: Sequence[Record], boards: Boards | None = None
) -> list[ChartView]:
    """A picture for each figure that at least two boards have: a bar for each, the best first."""
    spec = {"title": "Boards side by side", "x": "board", "on": "newest", "kind": "bars"}
    views = _small(catalog, records, spec, Scene(boards=boards or Boards()))
    return [replace(view, small=False) for view in views]


def _small(
    catalog: Catalog, records: Sequence[Record], spec: dict[str, Any], scene: Scene
) -> list[ChartView]:
    order = {name: rank for rank, name in enumerate(catalog.benchmarks)}
    by_figure: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        benchmark = catalog.benchmarks[record.benchmark]
        params = tuple((n, benchmark.value_rank(n, v)) for n, v in sorted(record.params.items()))
        metric = benchmark.metric_rank(record.metric)[0], units.natural(record.metric)
        by_figure.setdefault((order[record.benchmark], *metric, params), []).append(record)
    views = []
    for _, members in sorted(by_figure.items()):
        benchmark, like = catalog.benchmarks[members[0].benchmark], members[0]
        # A metric's name as a pattern that takes only itself.
        y = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in like.metric)
        chart = Chart(id="small", y=y, where=dict(like.params), **spec)
        drawn = with_figures(benchmark, chart, members, scene)
        for view, (first, *_) in drawn:
            name, unit = labels.full(benchmark, first), labels.unit(benchmark, first)
            name = f"{name} ({unit})" if len(drawn) > 1 else name
            views.append(replace(view, name=name, y_label=unit, small=True))
    lines = {line.label for view in views for panel in view.panels for line in panel.lines}
    styles = tuple(sorted(lines, key=units.natural))
    return [replace(view, styles=styles) for view in views]

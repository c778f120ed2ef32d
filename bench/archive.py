"""An archive of published bundles as rows over releases, for measuring how single figures behave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perfguide.bundles.guide_key import Platform
from perfguide.catalog import board_names
from perfguide.compare.history import History
from perfguide.compare.judge import Pair
from perfguide.compare.match import Names
from perfguide.compare.relative import Side
from perfguide.compare.verdicts import metric_of, pair_of
from perfguide.figures import dataset

TOP = Path(__file__).parents[1]


@dataclass(frozen=True)
class Row:
    """One row of a platform: its figure by release, and what a pair of it is made from."""

    platform: Platform
    benchmark: str
    metric: str
    unit: str
    figures: dict[str, Side]
    template: Pair

    def pair(self, old: str, new: str, releases: Sequence[str]) -> Pair:
        """Two of its releases, with those before the newer one as its past."""
        past = [r for r in releases[: releases.index(new)] if r in self.figures and r != old]
        before, after = self.figures[old], self.figures[new]
        floor = self.template.floor
        smaller = min(abs(before.mean), abs(after.mean)) or 1e-12
        if self.template.load and before.mean:
            floor = max(floor, 1 / abs(before.mean))
        if self.template.step:
            floor = max(floor, 1.001 * self.template.step / smaller)
        history = tuple(self.figures[r] for r in past)
        return replace(self.template, old=before, new=after, history=history, floor=floor)


@dataclass(frozen=True)
class Archive:
    """All rows, and by platform the releases in version order."""

    rows: tuple[Row, ...]
    releases: dict[Platform, list[str]]

    def pairs(self, platform: Platform, number: int) -> tuple[list[Row], list[Pair]]:
        """The rows that a release and the one before it both have."""
        releases = self.releases[platform]
        old, new = releases[number - 1], releases[number]
        rows = [
            row
            for row in self.rows
            if row.platform == platform and old in row.figures and new in row.figures
        ]
        return rows, [row.pair(old, new, releases) for row in rows]


def read(folders: Sequence[Path]) -> Archive:
    """Every figure of some folders of bundles."""
    settings = dataset.Settings(tuple(folders), (TOP / "source" / "benchmarks",), Path("build"))
    held = dataset.read(settings)
    boards, _ = board_names.load(TOP / "source" / "boards.toml")
    names = Names(held.catalog, boards)
    history = History([held.pool], names)
    figures: dict[object, dict[str, Side]] = {}
    made: dict[object, Row] = {}
    releases: dict[Platform, list[str]] = {}
    for guide in held.pool.guides():
        releases.setdefault(guide.platform, []).append(guide.release)
        for record in held.pool.of_guide(guide):
            if record.cell.mean is None:
                continue
            key = names.key(record)
            figures.setdefault(key, {})[guide.release] = history.side(held.pool, record)
            metric = metric_of(names, record)
            name = metric.name if metric else record.metric
            template = pair_of(record, names)
            made[key] = Row(
                guide.platform, record.benchmark, name, record.unit, figures[key], template
            )
    return Archive(tuple(made.values()), releases)

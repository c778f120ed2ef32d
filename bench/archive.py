"""An archive of published bundles as rows over releases, to measure verdicts on single figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perfguide.bundles.guide_key import Platform
from perfguide.catalog import board_names
from perfguide.compare.history import side
from perfguide.compare.judge import Pair
from perfguide.compare.match import Names, metric_of
from perfguide.compare.open_rows import pair_of
from perfguide.compare.relative import Side
from perfguide.figures import dataset

TOP = Path(__file__).parents[1]


@dataclass(frozen=True)
class Row:
    """One row of a platform: its figure by release, and the data for pairs of releases."""

    platform: Platform
    benchmark: str
    metric: str
    unit: str
    figures: dict[str, Side]
    template: Pair

    def pair(self, old: str, new: str, releases: Sequence[str]) -> Pair:
        """Return the pair of two releases, with the releases before the newer one as its past."""
        past = [r for r in releases[: releases.index(new)] if r in self.figures and r != old]
        before, after = self.figures[old], self.figures[new]
        floor = self.template.floor
        smaller = min(abs(before.mean), abs(after.mean)) or 1e-12
        # Loads have to change by at least one percentage point to count.
        if self.template.load and before.mean:
            floor = max(floor, 1 / abs(before.mean))
        # A single step of the program's resolution is no change.
        if self.template.step:
            floor = max(floor, 1.001 * self.template.step / smaller)
        history = tuple(self.figures[r] for r in past)
        return replace(self.template, old=before, new=after, history=history, floor=floor)


@dataclass(frozen=True)
class Archive:
    """All rows, and the releases of each platform in version order."""

    rows: tuple[Row, ...]
    releases: dict[Platform, list[str]]

    def pairs(self, platform: Platform, number: int) -> tuple[list[Row], list[Pair]]:
        """Return the rows with figures in both a release and the one before it, and their pairs."""
        releases = self.releases[platform]
        old, new = releases[number - 1], releases[number]
        rows = [
            row
            for row in self.rows
            if row.platform == platform and old in row.figures and new in row.figures
        ]
        return rows, [row.pair(old, new, releases) for row in rows]


def read(folders: Sequence[Path]) -> Archive:
    """Read every figure in some folders of bundles."""
    settings = dataset.Settings(tuple(folders), (TOP / "source" / "benchmarks",), Path("build"))
    holdings = dataset.read(settings)
    boards, _ = board_names.load(TOP / "source" / "boards.toml")
    names = Names(holdings.catalog, boards)
    figures: dict[object, dict[str, Side]] = {}
    rows_by_key: dict[object, Row] = {}
    releases: dict[Platform, list[str]] = {}
    for guide in holdings.pool.guides():
        releases.setdefault(guide.platform, []).append(guide.release)
        for record in holdings.pool.of_guide(guide):
            if record.cell.mean is None:
                continue
            key = names.key(record)
            figures.setdefault(key, {})[guide.release] = side(record.cell, holdings.pool)
            metric = metric_of(names, record)
            name = metric.name if metric else record.metric
            template = pair_of(record, names)
            rows_by_key[key] = Row(
                guide.platform, record.benchmark, name, record.unit, figures[key], template
            )
    return Archive(tuple(rows_by_key.values()), releases)

"""Dimensions of charts: the sort keys and displayed names of figures' values in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..bundles.guide_key import family, version
from ..catalog.benchmarks import Benchmark
from ..catalog.board_names import Boards
from ..catalog.chart_spec import Page
from ..common import units
from ..figures.pool import Record

Key = tuple[Any, ...]
"""A sort key."""


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The *dimensions* of a chart on a page: ``metric``, ``board``, ``release``, ``platform`` and
    the parameters. The chart assigns each to an axis, the lines, the panels or separate
    pictures."""

    benchmark: Benchmark
    boards: Boards
    page: Page

    def rank(self, name: str, record: Record) -> Key:
        """Return the sort key of a figure's value in one dimension."""
        platform = (units.natural(record.guide.soc), record.guide.sdk, record.guide.os)
        match name:
            case "metric":
                rank = self.benchmark.metric_rank(record.metric)[0]
                return rank, units.natural(record.metric)
            case "platform":
                return platform
            case "release":
                return version(record.guide.release)
            case "board":
                board = units.natural(record.board)
                return (platform, board) if self.page == "newest" else board
        if name not in record.params:
            # After every value that a description lists or sorts.
            return (10**9,)
        return self.benchmark.value_rank(name, record.params[name])

    def ranks(self, names: Sequence[str], record: Record) -> Key:
        """Return the sort key of the line, panel or picture of a figure."""
        return tuple(self.rank(name, record) for name in names)

    def varying(self, names: Sequence[str], records: Sequence[Record]) -> tuple[str, ...]:
        """Return the dimensions in which some figures differ."""
        return tuple(n for n in names if len({self.rank(n, record) for record in records}) > 1)

    def label(self, name: str, record: Record) -> str:
        """Return the displayed name of a figure's value in one dimension."""
        match name:
            case "metric":
                return self.benchmark.metric_label(record.metric)
            case "platform":
                return f"{record.guide.soc}, {family(record.guide)}"
            case "release":
                return record.guide.release
            case "board":
                soc, release = record.guide.soc, record.guide.release
                short = self.boards.short(soc, record.board)
                if self.page != "newest":
                    return short
                board = f"{soc} {short}" if short != record.board else record.board
                return f"{board}, {release}"
        if name not in record.params:
            return f"{self.benchmark.param_label(name).lower()} not stated"
        value, param = record.params[name], self.benchmark.param(name)
        text = self.benchmark.value_label(name, value)
        if isinstance(value, str) or units.plain(value) in param.values or param.show == "size":
            return text
        label, _, unit = self.benchmark.param_label(name).partition(" (")
        return f"{text} {unit.removesuffix(')')}" if unit else f"{label.lower()} {text}"

    def labels(self, names: Sequence[str], record: Record) -> str:
        """Return the displayed name of the line, panel or picture of a figure."""
        return ", ".join(self.label(name, record) for name in names)

    def heading(self, names: Sequence[str]) -> str:
        """Return the heading of a column of line or panel names."""
        headings = {"metric": "Metric", "board": "Board", "release": "Release", "platform": "SoC"}
        return ", ".join(headings.get(n) or self.benchmark.param_label(n) for n in names)

"""Detection of samples that drift within a run, so that each resembles the one before.

A warming board, a filling cache or a wearing card moves all samples of a run one way. The tests
assume independent samples; if they are not, a difference between two runs may be drift.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..common import units
from ..figures.pool import Record
from .row import Row
from .successive_differences import Ratio, is_smooth, successive_ratio

MIN_SAMPLES = 5
"""The fewest samples of a run whose order is evidence."""


def drifting(rows: Iterable[Row]) -> set[tuple[str, str]]:
    """Return the boards and benchmarks whose samples drift."""
    ratios: dict[tuple[str, str], list[Ratio]] = {}
    for row in rows:
        for record in (row.old, row.new):
            ratio = _ratio(record) if record else None
            if ratio:
                ratios.setdefault((row.board, row.benchmark), []).append(ratio)
    return {key for key, own in ratios.items() if is_smooth(own)}


def _ratio(record: Record) -> Ratio | None:
    """Return the :func:`successive_ratio` of one run's samples; ``None`` if it shows nothing."""
    samples = record.cell.samples
    # Samples pooled from several runs have no meaningful order.
    if record.cell.runs != 1 or len(samples) < MIN_SAMPLES:
        return None
    return successive_ratio(samples)


def words(drifts: Iterable[tuple[str, str]], titles: dict[str, str]) -> list[str]:
    """Return warnings about drifting samples, one for each board and benchmark."""
    return [
        f"{board}, {titles.get(benchmark, benchmark)}: samples drift within a run, so a change may "
        "be drift; let the board settle, and measure old and new in turns"
        for board, benchmark in sorted(drifts, key=lambda key: (units.natural(key[0]), key[1]))
    ]

"""Samples of a run that drift: each is like the one before it, so they show less than they seem.

A warm board, a filling cache or a card that wears moves all samples of a run one way. The
tests take samples for independent; where they are not, a difference of two runs may be drift.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ..common import units
from ..figures.pool import Record
from .verdicts import Row

FEWEST = 5
"""Samples of a run from which on their order says something."""

SMOOTH, SURE = 1.4, 4.0
"""The mean ratio below which samples drift (2 where they do not), and by how many standard
errors it has to lie below 2."""


def drifting(rows: Iterable[Row]) -> set[tuple[str, str]]:
    """The boards and benchmarks whose samples drift.

    The squares of successive differences over those of the deviations from the mean are 2 on
    average, with variance 4 (n - 2) / (n² - 1), where the order of n normal samples means
    nothing. Source: J. von Neumann, "Distribution of the ratio of the mean square successive
    difference to the variance", Ann. Math. Statist. 12 (1941) 367-395.
    """
    ratios: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in rows:
        for record in (row.old, row.new):
            found = _ratio(record) if record else None
            if found:
                ratios.setdefault((row.board, row.benchmark), []).append(found)
    return {key for key, own in ratios.items() if _smooth(own)}


def _ratio(record: Record) -> tuple[float, float] | None:
    """The ratio of one run's samples and its variance; ``None`` where they say nothing."""
    samples = record.cell.samples
    if record.cell.runs != 1 or len(samples) < FEWEST:
        return None
    largest, number = max(map(abs, samples)) or 1.0, len(samples)
    # As shares of the largest, so that no square is beyond all numbers.
    shares = [sample / largest for sample in samples]
    mean = math.fsum(shares) / number
    total = math.fsum((share - mean) ** 2 for share in shares)
    if total <= 0:
        return None
    moves = math.fsum((b - a) ** 2 for a, b in pairwise(shares))
    return moves / total, 4 * (number - 2) / (number**2 - 1)


def _smooth(ratios: Sequence[tuple[float, float]]) -> bool:
    away = math.fsum(2 - ratio for ratio, _ in ratios)
    error = math.sqrt(math.fsum(variance for _, variance in ratios))
    return away / len(ratios) > 2 - SMOOTH and away > SURE * error


def words(found: Iterable[tuple[str, str]], titles: dict[str, str]) -> list[str]:
    """Return what is said of samples that drift, a sentence for each board and benchmark."""
    return [
        f"{board}, {titles.get(benchmark, benchmark)}: samples drift within a run, so a change may "
        "be drift; let the board settle, and measure old and new in turns"
        for board, benchmark in sorted(found, key=lambda key: (units.natural(key[0]), key[1]))
    ]

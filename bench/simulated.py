"""Releases with known changes, for measuring how well a comparison detects them."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfguide.compare.judge import Pair
from perfguide.compare.relative import Side

Floats = NDArray[np.float64]

ROWS = 500
FAMILIES = 10

PERSISTENCE = 0.9
"""The correlation between successive runs of a row that drifts."""

INNER = 0.5
"""The scatter of samples within a run, as a share of that between runs."""


@dataclass(frozen=True)
class Scenario:
    """A kind of comparison.

    ``samples`` is the number of runs per release, and ``inner`` the number of samples per run.
    ``between`` is the noise of a release's level, as a share of that of a run, and ``level`` that
    of all rows of a release together. ``history`` is the number of earlier releases, and
    ``scatter`` the relative standard deviations of families. ``unlike`` bounds how different rows
    of one family are, as the standard deviation of the logarithm of their noise. ``sizes`` are
    relative changes; each applies to the same number of changed rows, up or down.
    """

    shape: str
    samples: int
    changed: float
    history: int = 0
    between: float = 0.0
    level: float = 0.0
    inner: int = 1
    scatter: tuple[float, ...] = ()
    unlike: tuple[float, float] = (0.0, 0.0)
    sizes: tuple[float, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """A simulated pair of releases. ``change`` is the true relative change of each row, and
    ``scatter`` the relative variance of a run's mean estimated from its own samples."""

    old: Floats
    new: Floats
    change: Floats
    families: NDArray[np.int64]
    past: tuple[Floats, ...]
    scatter: Floats

    def pairs(self) -> list[Pair]:
        """Return the rows as a comparison judges them, all on one board."""
        return [
            Pair(
                side(self.old[i], self.scatter[i]),
                side(self.new[i], self.scatter[i]),
                f"family {self.families[i]}",
                tuple(side(release[i], self.scatter[i]) for release in self.past),
                benchmark=f"family {self.families[i]}",
                metric="figure",
                upward=1,
                shared=("board",),
            )
            for i in range(len(self.old))
        ]


def side(runs: Floats, inner: float = 0.0) -> Side:
    """Return a release's runs of one row in the form that comparisons take."""
    values = tuple(runs.tolist())
    if len(values) == 1:
        return Side(values[0], count=1, inner=inner)
    return Side(float(np.mean(values)), min(values), max(values), len(values), values)


def noise(random: np.random.Generator, shape: str, size: tuple[int, ...]) -> Floats:
    """Return noise of mean 0 and standard deviation 1."""
    normal = random.standard_normal(size)
    if shape in ("normal", "drift"):
        return normal
    if shape == "t3":
        # The variance of t with three degrees of freedom is 3.
        return random.standard_t(3, size) / np.sqrt(3)
    if shape == "bimodal":
        slow = random.random(size) < 0.3
        two = 0.25 * normal + 2.1 * slow
        # Mean and variance for a second mode, 2.1 higher, in 0.3 of the runs: 0.63, and 2.1² ·
        # 0.21.
        return (two - 0.63) / np.sqrt(0.25**2 + 2.1**2 * 0.21)
    raise ValueError(f"no noise of the shape {shape!r}")


def compare(scenario: Scenario, seed: int) -> Comparison:
    """Return a comparison, always the same for the same scenario and seed."""
    # Unlike hash(), a checksum is the same in each run of Python.
    random = np.random.default_rng([seed, zlib.crc32(repr(scenario).encode())])
    families = np.arange(ROWS) % FAMILIES
    unlike = random.uniform(*scenario.unlike) * random.standard_normal(ROWS)
    spread = np.array(scenario.scatter)[families % len(scenario.scatter)] * np.exp(unlike)
    level = 10 ** random.uniform(-2, 6, ROWS)
    wander = random.standard_normal(ROWS)
    inner = INNER * spread / np.sqrt(scenario.inner)

    def deviations() -> Floats:
        nonlocal wander
        runs = noise(random, scenario.shape, (ROWS, scenario.samples))
        if scenario.shape == "drift":
            for number in range(scenario.samples):
                fresh = np.sqrt(1 - PERSISTENCE**2) * runs[:, number]
                wander = runs[:, number] = PERSISTENCE * wander + fresh
        return runs

    def release() -> Floats:
        own = np.exp(scenario.between * spread * random.standard_normal(ROWS))
        own *= np.exp(scenario.level * random.choice([-1.0, 1.0]))
        away = spread[:, None] * deviations()
        if scenario.inner > 1:
            away += inner[:, None] * random.standard_normal((ROWS, scenario.samples))
        # Figures must stay above zero.
        values: Floats = (level * own)[:, None] * np.maximum(1 + away, 0.02)
        return values

    def changes(share: float) -> Floats:
        out = np.zeros(ROWS)
        count = round(share * ROWS)
        chosen = random.permutation(ROWS)[:count]
        sizes = np.resize(scenario.sizes, count)
        out[chosen] = random.permutation(sizes) * random.choice([-1, 1], count)
        return out

    past = []
    for _ in range(scenario.history):
        past.append(release())
        level = level * (1 + changes(0.02))
    old = release()
    change = changes(scenario.changed)
    level = level * (1 + change)
    scatter = np.zeros(ROWS)
    if scenario.inner > 1:
        # A comparison only has an estimate of the scatter, from the samples themselves.
        scatter = inner**2 * random.chisquare(scenario.inner - 1, ROWS) / (scenario.inner - 1)
    return Comparison(old, release(), change, families, tuple(past), scatter)

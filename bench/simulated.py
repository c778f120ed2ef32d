"""Releases with known changes, to measure how well a comparison detects them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfguide.compare.judge import Pair
from perfguide.compare.relative import Side

Floats = NDArray[np.float64]

SIZES = np.array([0.01, 0.02, 0.05, 0.10, 0.20, 0.30])
"""Relative changes; each applies to the same number of changed rows, up or down."""

LEVELS = (0.01, 0.02, 0.05, 0.10, 0.20)
"""Relative standard deviations; two families of rows have each."""

UNLIKE = (0.1, 0.6)
"""The spread of noise within a family, as the standard deviation of its logarithm; each comparison
has one between these."""

ROWS = 500
FAMILIES = 10
SHAPES = ("normal", "log-normal", "bimodal", "outliers")


@dataclass(frozen=True)
class Scenario:
    """A kind of comparison. ``between`` is the noise of a release's level as a share of that of a
    sample; ``history`` the number of earlier releases."""

    shape: str
    samples: int
    changed: float
    history: int = 0
    between: float = 0.0


@dataclass(frozen=True)
class Comparison:
    """A simulated pair of releases. ``change`` is the true relative change of each row."""

    old: Floats
    new: Floats
    change: Floats
    families: NDArray[np.int64]
    past: tuple[Floats, ...]

    def pairs(self) -> list[Pair]:
        return [
            Pair(
                side(self.old[i]),
                side(self.new[i]),
                f"family {self.families[i]}",
                tuple(side(release[i]) for release in self.past),
            )
            for i in range(len(self.old))
        ]


def side(samples: Floats) -> Side:
    values = tuple(samples.tolist())
    return Side(float(np.mean(values)), min(values), max(values), len(values), values)


def noise(random: np.random.Generator, shape: str, size: tuple[int, int]) -> Floats:
    """Return noise of mean 0 and standard deviation 1, not counting outliers."""
    normal = random.standard_normal(size)
    if shape == "normal":
        return normal
    if shape == "log-normal":
        width = 0.75
        mean = np.exp(width**2 / 2)
        return (np.exp(width * normal) - mean) / (mean * np.sqrt(np.exp(width**2) - 1))
    if shape == "bimodal":
        slow = random.random(size) < 0.3
        two = 0.25 * normal + 2.1 * slow
        return (two - 0.63) / np.sqrt(0.25**2 + 2.1**2 * 0.21)
    if shape == "outliers":
        away = 6 + 2 * random.standard_normal(size)
        return normal + away * (random.random(size) < 0.05)
    raise ValueError(f"no noise of the shape {shape!r}")


def compare(scenario: Scenario, seed: int) -> Comparison:
    """Return a comparison, always the same for the same scenario and seed."""
    key = [seed, scenario.samples, round(1000 * scenario.changed), SHAPES.index(scenario.shape)]
    random = np.random.default_rng([*key, scenario.history, round(100 * scenario.between)])
    families = np.arange(ROWS) % FAMILIES
    unlike = random.uniform(*UNLIKE) * random.standard_normal(ROWS)
    spread = np.array(LEVELS)[families % len(LEVELS)] * np.exp(unlike)
    level = 10 ** random.uniform(-2, 6, ROWS)

    def release() -> Floats:
        own = np.exp(scenario.between * spread * random.standard_normal(ROWS))
        deviations = noise(random, scenario.shape, (ROWS, scenario.samples))
        values: Floats = (level * own)[:, None] * np.maximum(1 + spread[:, None] * deviations, 0.02)
        return values

    def changes(share: float) -> Floats:
        out = np.zeros(ROWS)
        count = round(share * ROWS)
        chosen = random.permutation(ROWS)[:count]
        out[chosen] = random.permutation(np.resize(SIZES, count)) * random.choice([-1, 1], count)
        return out

    past = []
    for _ in range(scenario.history):
        past.append(release())
        level = level * (1 + changes(0.02))
    old = release()
    change = changes(scenario.changed)
    level = level * (1 + change)
    return Comparison(old, release(), change, families, tuple(past))

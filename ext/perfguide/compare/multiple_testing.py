"""Multiple testing: which p-values are small enough to *call* a row (report a change)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .relative import Floats

MIN_ROWS = 20
"""The fewest rows to which a mixture can be fitted; with fewer, p-values are adjusted instead."""

SPENT_SHARE = 0.9
"""The share of the allowed false discovery rate that is used. The rest is a reserve for noise that
the figures do not show, such as outliers."""

ALONE_SHARE = 0.4
"""The share of the allowed rate up to which a row may be called alone, by its p-value times the
number of rows. More raises too many alarms in shuffled releases (``bench/single_figures.py``)."""

LOCAL_FACTOR = 2.5
"""The ratio of the local false discovery rate at which a first row is called to the allowed rate:
rows up to a local rate are wrong about half as often on average. Once there is a first row, others
are called by the rate among all calls. This raises no more alarms if nothing changed, and misses
fewer changes if much did."""

CAREFUL_SHARE = 0.2
"""The share of the allowed rate at which small changes of single runs are called: a second run is
cheaper than a search for the cause."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """A mixture of uniform p-values, those of unchanged rows, with small ones.

    The density of a p-value is share + (1 - share) power p^(power - 1). Source: S. Pounds and
    S. W. Morris, "Estimating the occurrence of false positives and false negatives in
    microarray studies", Bioinformatics 19 (2003) 1236-1242.
    """

    share: float
    power: float

    @property
    def uniform_density(self) -> float:
        """The uniform part of the density, which bounds the share of unchanged rows from above."""
        return self.share + (1 - self.share) * self.power

    def false(self, p: Floats) -> Floats:
        """Return the local false discovery rate at each p-value."""
        # Zero has no logarithm.
        log = np.log(np.clip(p, 1e-12, 1.0))
        density = self.share + (1 - self.share) * self.power * np.exp((self.power - 1) * log)
        return np.minimum(self.uniform_density / density, 1.0)

    def false_below(self, p: Floats) -> Floats:
        """Return the share of unchanged rows among all rows up to each p-value."""
        log = np.log(np.clip(p, 1e-12, 1.0))
        below = self.share * np.exp(log) + (1 - self.share) * np.exp(self.power * log)
        return np.minimum(self.uniform_density * np.exp(log) / below, 1.0)


def mixture(p: Floats) -> Mixture:
    """Return the mixture that best fits the p-values, by maximum likelihood."""
    log = np.log(np.clip(p, 1e-12, 1.0))[None, :]
    shares = np.linspace(0, 0.995, 60)[:, None]
    best = (-math.inf, 0.0, 0.0)
    for power in np.linspace(0.02, 0.98, 49).tolist():
        density = shares + (1 - shares) * power * np.exp((power - 1) * log)
        fit: NDArray[np.float64] = np.log(density).sum(axis=1)
        at = int(fit.argmax())
        best = max(best, (float(fit[at]), float(shares[at, 0]), power))
    return Mixture(best[1], best[2])


def adjusted(p: Floats) -> Floats:
    """Return p-values adjusted for multiple testing by the Benjamini–Hochberg procedure (1995).

    If rows with an adjusted value of at most ``r`` are called different, the expected share of
    false ones among them is at most ``r``.
    """
    from scipy import stats

    q: Floats = stats.false_discovery_control(p) if p.size else p
    return q


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The largest p-values at which rows are called: ``small`` for small changes of single runs,
    and ``large`` for all others. ``fitted`` is the mixture of all ``rows``, ``None`` if they are
    too few; ``shared`` is true if a first row is called by its local rate."""

    large: float
    small: float
    fitted: Mixture | None
    shared: bool
    rows: int

    def q(self, p: Floats, small: NDArray[np.bool_]) -> Floats:
        """Return q-values, which are compared with the rate. Without a mixture, ``p`` must be the
        p-values of all rows."""
        if self.fitted is None:
            return adjusted(p)
        false = self.fitted.false(p) / LOCAL_FACTOR
        if self.shared:
            # At least one row certainly changed, so the rate applies to all calls together.
            shared = self.fitted.false_below(p) / SPENT_SHARE
            false = np.where(small, false, np.minimum(false, shared))
        # One clearly changed row among unchanged ones is too few for the fit to detect.
        return np.minimum(false, p * self.rows / ALONE_SHARE)


def thresholds(p: Floats, rate: float) -> Thresholds:
    """Return the thresholds that keep the expected share of false calls within ``rate``."""
    rates = rate, CAREFUL_SHARE * rate
    if p.size < MIN_ROWS:
        q = adjusted(p)
        count = max(p.size, 1)
        # The largest p-value at which one more row would be called.
        large, small = (each * min(int((q <= each).sum()) + 1, count) / count for each in rates)
        return Thresholds(large, small, None, False, p.size)
    fitted = mixture(p)
    is_shared = bool((fitted.false(p) / LOCAL_FACTOR <= rate).any())
    out = Thresholds(1.0, 1.0, fitted, is_shared, p.size)
    # Search a grid, because the rate has no inverse in closed form.
    grid = np.logspace(-12, 0, 1201)
    large, small = (
        float(grid[out.q(grid, np.full(grid.size, is_small)) <= each].max(initial=0.0))
        for each, is_small in zip(rates, (False, True), strict=True)
    )
    return replace(out, large=large, small=small)

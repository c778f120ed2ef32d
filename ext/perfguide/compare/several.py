"""Many rows tested at once: which p-values are small enough to call a row different."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .relative import Floats

MIN_ROWS = 20
"""Rows below which p-values are adjusted: a mixture cannot be fitted to them."""

SPENT_SHARE = 0.9
"""The part of the held rate that is spent; the rest is kept for what the noise hides of itself,
such as far outliers that no run here has shown."""

ALONE_SHARE = 0.4
"""The part of the held rate at which one row is called alone, counted as one of all: with more, releases
that were shuffled, and drawn ones, have too many alarms (``bench/single_figures.py``)."""

LOCAL_FACTOR = 2.5
"""The local rate at which a first row is called, over the held rate: among rows with at most that
local rate, about half of it is wrong on average. Where there is a first one, others are called at
the held rate itself, as the share of all calls: a comparison in which nothing changed
raises no more alarms by that, and one in which much did misses less."""

CAREFUL_SHARE = 0.2
"""The part of the rate at which small changes of single runs are called: a second run costs less
than looking for their cause."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """p-values of rows that did not change, evenly spread, among others that are small.

    The density of a p-value is share + (1 - share) power p^(power - 1). Source: S. Pounds and
    S. W. Morris, "Estimating the occurrence of false positives and false negatives in
    microarray studies", Bioinformatics 19 (2003) 1236-1242.
    """

    share: float
    power: float

    @property
    def even(self) -> float:
        """The part of the density that is even: rows that did not change at most."""
        return self.share + (1 - self.share) * self.power

    def false(self, p: Floats) -> Floats:
        """Return the local false discovery rate at some p-values."""
        # A p-value of 0 has no logarithm.
        log = np.log(np.clip(p, 1e-12, 1.0))
        density = self.share + (1 - self.share) * self.power * np.exp((self.power - 1) * log)
        return np.minimum(self.even / density, 1.0)

    def false_below(self, p: Floats) -> Floats:
        """Return the share of rows that did not change among all with at most some p-values."""
        log = np.log(np.clip(p, 1e-12, 1.0))
        below = self.share * np.exp(log) + (1 - self.share) * np.exp(self.power * log)
        return np.minimum(self.even * np.exp(log) / below, 1.0)


def mixture(p: Floats) -> Mixture:
    """Return the mixture that fits some p-values best."""
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
    """Return the p-values adjusted for their number after Benjamini and Hochberg (1995).

    Calling every row with an adjusted value of at most ``r`` different holds the
    expected share of false ones among them at ``r``.
    """
    from scipy import stats

    q: Floats = stats.false_discovery_control(p) if p.size else p
    return q


@dataclass(frozen=True, slots=True)
class Bar:
    """The largest p-values with which rows are called: ``small`` those of small changes that single
    runs show, ``large`` all others. ``fitted`` is the mixture of all ``rows``, ``None`` where they are
    too few to fit one; ``shared`` says that a first row is called by itself."""

    large: float
    small: float
    fitted: Mixture | None
    shared: bool
    rows: int

    def q(self, p: Floats, small: NDArray[np.bool_]) -> Floats:
        """Return what share of rows is false at p-values; without a mixture they are all of them."""
        if self.fitted is None:
            return adjusted(p)
        false = self.fitted.false(p) / LOCAL_FACTOR
        if self.shared:
            # Something changed for sure, so the held rate applies to all calls together.
            shared = self.fitted.false_below(p) / SPENT_SHARE
            false = np.where(small, false, np.minimum(false, shared))
        # One row that is sure even if all others did not change is too little to show in a mixture.
        return np.minimum(false, p * self.rows / ALONE_SHARE)


def bar(p: Floats, small: NDArray[np.bool_], rate: float) -> Bar:
    """Return the bar that holds the rate of false rows among all that are called."""
    rates = rate, CAREFUL_SHARE * rate
    if p.size < MIN_ROWS:
        q = adjusted(p)
        several = max(p.size, 1)
        # A row that is not called would have been the next one.
        large, least = (own * min(int((q <= own).sum()) + 1, several) / several for own in rates)
        return Bar(large, least, None, False, p.size)
    fitted = mixture(p)
    is_shared = bool((fitted.false(p) / LOCAL_FACTOR <= rate).any())
    out = Bar(1.0, 1.0, fitted, is_shared, p.size)
    # The rate has no inverse in closed form.
    grid = np.logspace(-12, 0, 1201)
    large, least = (
        float(grid[out.q(grid, np.full(grid.size, few)) <= own].max(initial=0.0))
        for own, few in zip(rates, (False, True), strict=True)
    )
    return replace(out, large=large, small=least)

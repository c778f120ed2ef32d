"""Scatter of the runs of a family's rows: within releases, and between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .relative import Floats, ScaledRow

_MEDIAN_OF_THREE = 0.7821
"""E[(x2 - median(x1, x2, x3))²] for three standard normal x: 1/3 + 0.4488."""

_WORTH = 0.36
"""Degrees of freedom that one residual from a running median of three is worth: 2 E[s]²/Var[s]
of the sum of their squares, for each, in ten or so normal figures (by simulation)."""


_ALIKE = 9.0
"""Degrees of freedom at most that a family is worth for one of its rows. Standard deviations
that differ by a quarter from row to row give this; a few dozen rows cannot show that they
differ by less."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Knowledge of a family about the variance of one of its rows.

    ``variance`` is worth ``freedom`` degrees of freedom, beside the row's own.
    """

    variance: float = 0.0
    freedom: float = 0.0

    def with_own(self, squares: Floats, freedom: Floats) -> tuple[Floats, Floats]:
        """Variances moderated by the prior, and their degrees of freedom.

        Source: G. K. Smyth, "Linear models and empirical Bayes methods for assessing
        differential expression", Statist. Appl. Genet. Mol. Biol. 3 (2004) article 3:
        (d0 s0² + d s²) / (d0 + d).
        """
        total = self.freedom + freedom
        return (self.freedom * self.variance + squares) / np.maximum(total, 1e-9), total


def prior(squares: Floats, freedom: Floats) -> Prior:
    """Learn from rows of one family how large their variances are, and how alike.

    ``squares`` and ``freedom`` are sums of squares and their degrees of freedom, one of
    each a row. Two estimates of how alike the variances are, from the mean and
    variance of their logarithms (Smyth 2004) and from their first two moments, and the
    more careful one of each is taken: the first overlooks rare large variances (outliers),
    the second rare small ones (two modes).
    """
    from scipy import special

    some = freedom > 0
    squares, freedom = squares[some], freedom[some]
    total = float(freedom.sum())
    if squares.size < 2 or total <= 0 or squares.sum() <= 0:
        return Prior()
    variance = squares / freedom
    mean = float(squares.sum() / total)
    half = freedom / 2
    low = max(float(np.median(variance)) * 1e-4, mean * 1e-8)
    logs = np.log(np.maximum(variance, low)) - special.digamma(half) + np.log(half)
    excess = float(logs.var(ddof=1) - special.polygamma(1, half).mean())
    alike = 2 * inverse_trigamma(excess) if excess > 1e-3 else np.inf
    weights = freedom / total
    # Divided first: the square of a small mean could be too small for a float.
    ratio = float((weights * (variance / mean) ** 2).sum()) / (
        1 + 2 * float((weights / freedom).sum())
    )
    if ratio > 1.02:
        alike = min(alike, (4 * ratio - 2) / (ratio - 1))
    share = alike / 2
    size = np.exp(
        float(logs.mean()) + (special.digamma(share) - np.log(share) if share < 1e6 else 0.0)
    )
    size = max(float(size), mean * (1.0 if share > 1e6 else max((share - 1) / share, 0.5)))
    # The rows cannot say more together than the degrees of freedom of the others.
    return Prior(size, float(min(alike, _ALIKE, total * (1 - 1 / squares.size))))


def inverse_trigamma(value: float) -> float:
    """The x at which the trigamma function has this positive value (Smyth 2004, appendix)."""
    from scipy import special

    x = 0.5 + 1 / value
    for _ in range(50):
        here = special.polygamma(1, x)
        step = here * (1 - here / value) / special.polygamma(2, x)
        x = float(x + step)
        if abs(step) < 1e-9 * x:
            break
    return x


@dataclass(slots=True)
class Family:
    """The noise of one family's rows, moderated over all of them.

    Shapes: one figure a row. ``variance`` is of one figure within a release, worth
    ``freedom``; ``between`` is the extra variance of a release's own level, as a share of
    ``variance``, worth ``between_freedom``. ``source`` is where the noise was learnt.
    """

    variance: Floats
    freedom: Floats
    between: float = 0.0
    between_freedom: float = np.inf
    source: str = "samples"
    rows: int = 0
    prior: Prior = field(default_factory=Prior)

    def error(self, variance: float, freedom: float, ends: float) -> tuple[float, float]:
        """Standard error of a row's shift, and its degrees of freedom.

        ``ends`` is 1/n of the old plus 1/n of the new side. Source of the second: F. E.
        Satterthwaite, "An approximate distribution of estimates of variance components",
        Biometrics Bulletin 2 (1946) 110-114.
        """
        whole = ends + 2 * self.between
        share = 2 * self.between / whole
        worth = 1 / (1 / max(freedom, 1e-9) + share**2 / self.between_freedom)
        return math.sqrt(variance * whole), worth


def family(rows: Sequence[ScaledRow]) -> Family:
    """Learn the noise of a family's rows from their samples, and from other releases."""
    squares = np.array([r.squares for r in rows])
    freedom = np.array([r.freedom for r in rows])
    residuals = [r.residuals() for r in rows]
    past_squares = np.array([float((e**2).sum()) for e in residuals]) / _MEDIAN_OF_THREE
    past_count = np.array([float(e.size) for e in residuals])
    rounding = np.array([r.rounding for r in rows])
    ours = prior(squares, freedom)
    variance, worth = ours.with_own(squares, freedom)
    learnt = Family(variance + rounding, worth, rows=int((freedom > 0).sum()), prior=ours)
    both = (past_count > 0) & (learnt.variance > 0)
    if both.any():
        ends = np.array([np.mean([1 / p.count for p in r.past]) if r.past else 0.0 for r in rows])
        spread = (past_squares / np.maximum(past_count, 1))[both] / learnt.variance[both]
        weights = past_count[both] / past_count[both].sum()
        learnt.between = max(0.0, float(((spread - ends[both]) * weights).sum()))
        learnt.between_freedom = float(past_count[both].sum()) * _WORTH
        learnt.source = "samples and history"
    return learnt

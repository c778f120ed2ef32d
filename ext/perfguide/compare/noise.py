"""The noise of figures: their scatter between runs of a release, and between releases.

Both are learnt from a row's own figures and from the rows of its metric, its benchmark and the
entire comparison; for rows with little past, also from public history (:mod:`.usual_noise`). With
one run per release, they are the same: the scatter of single figures from release to release.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..common.grouping import grouped
from .relative import MAX_RELEASES, Floats, ScaledRow
from .successive_differences import Ratio, is_smooth
from .usual_noise import Scatter, Table

TRIMMED_FACTORS = (
    *(2.232, 1.929, 1.764, 2.799, 2.491, 2.275, 2.113, 1.995, 1.901, 1.827, 1.766, 1.709, 1.668),
    *(1.625, 1.593, 1.563, 1.533, 1.512, 1.490, 1.469, 1.453, 1.435, 1.419, 1.407, 1.393, 1.380),
)
"""The ratio of the variance of 3 to ``MAX_RELEASES`` normal figures to half the mean square of
their successive differences without the largest one (with six figures or more, the two largest)."""

MIN_TWO_TRIMMED_FIGURES = 6
"""From this many figures on, two differences are left out, because one outlier causes two."""

MIN_DEVIATION = 0.003
"""The smallest relative standard deviation that any figure is assumed to have."""

MAX_PRIOR_FREEDOM = 9.0
"""The most degrees of freedom that other rows contribute to the noise of one. It corresponds to
standard deviations that differ by a quarter from row to row."""

PARENT_ROWS = 5.0
"""In the noise of a benchmark or metric, the level above counts as much as this number of rows."""

EVEN_ROWS = 10.0
"""With more rows than this, a benchmark hardly gains weight in the noise of all rows."""

FREEDOM, FREEDOM_PER_OWN = 3.1, 0.2
"""The most degrees of freedom if releases scatter, and the increase with each degree of freedom of
a row's own figures: real noise has heavy tails."""

OWN_FIGURES, ENOUGH_ROWS = 4, 20
"""A row needs no public history if it has this many earlier figures, or if its benchmark has this
many rows that show their noise."""

MIN_ORDERED_RELEASES = 20
"""The fewest releases of three runs or more that show whether a benchmark's runs drift."""

WINSORISED_VARIANCE = 0.6787
"""The variance of a standard normal figure clipped to its 10 % and 90 % quantiles."""


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of one row.

    ``variance`` is that of one run, with ``freedom`` degrees of freedom; ``between`` is the
    variance of the level of a release, as a share of it. ``tail`` limits the degrees of freedom per
    run. ``public`` is true if only public history shows the noise. ``of_kind`` is the variance of
    the median row of the metric, or 0 if the row's own runs show its noise.
    """

    variance: float
    freedom: float
    between: float = 0.0
    tail: float = FREEDOM
    public: bool = False
    of_kind: float = 0.0

    def of_release(self, runs: int) -> float:
        """Return the variance of the mean of a release with this many runs."""
        return self.variance * (self.between + 1 / runs)

    def worth(self, runs: int) -> float:
        """Return the degrees of freedom of :meth:`of_release`.

        Source: F. E. Satterthwaite, "An approximate distribution of estimates of variance
        components", Biometrics Bulletin 2 (1946) 110-114.
        """
        # The share of the variance that more runs do not reduce.
        share = self.between / (self.between + 1 / runs)
        return 1 / (1 / max(min(self.freedom, self.tail * runs), 1e-9) + share**2 / FREEDOM)


def learn(rows: Sequence[ScaledRow], usual: Table) -> list[list[Noise]]:
    """Return the noise of each row, for each way to learn it, or an empty list if unknown."""
    sampled = [i for i, row in enumerate(rows) if row.sampled]
    single = [i for i, row in enumerate(rows) if not row.sampled]
    out = dict(zip(sampled, _of_runs([rows[i] for i in sampled]), strict=True))
    out |= dict(zip(single, _of_single([rows[i] for i in single], usual), strict=True))
    return [out[i] for i in range(len(rows))]


def _of_runs(rows: Sequence[ScaledRow]) -> list[list[Noise]]:
    """Return the noise of rows that have enough runs to show it."""
    releases = [(*row.past, row.new, *row.later) for row in rows]
    squares = np.array([sum(release.squares for release in of_row) for of_row in releases])
    freedom = np.array([sum(release.runs - 1.0 for release in of_row) for of_row in releases])
    # A row whose runs happen to be equal may still scatter.
    added = np.array([row.rounding + MIN_DEVIATION**2 for row in rows])
    keys = [row.key for row in rows]
    prior, worth = priors(learnt(keys, squares / np.maximum(freedom, 1) + added, freedom), rows)
    # For one row, the prior is worth no more than all other rows together.
    prior_freedom = np.minimum(worth, freedom.sum() - freedom)
    total = freedom + prior_freedom
    variance = (squares + freedom * added + prior_freedom * prior) / total
    between, drifts = _between(rows, variance), _drifting(rows)
    return [
        # If runs drift, only earlier releases show how far their mean scatters.
        [Noise(float(variance[i]), float(total[i]), between[row.key])]
        if row.key[0] not in drifts or between[row.key]
        else []
        for i, row in enumerate(rows)
    ]


def _drifting(rows: Sequence[ScaledRow]) -> set[str]:
    """Return the benchmarks whose runs drift, and so show too little scatter."""
    ratios: dict[str, list[Ratio]] = {}
    for row in rows:
        orders = [release.order for release in (*row.past, row.new) if release.order]
        ratios.setdefault(row.key[0], []).extend(orders)
    return {
        benchmark
        for benchmark, orders in ratios.items()
        if len(orders) >= MIN_ORDERED_RELEASES and is_smooth(orders)
    }


def _between(rows: Sequence[ScaledRow], variance: Floats) -> dict[tuple[str, str], float]:
    """Return, by metric, the variance of the levels of releases as a share of that of a run."""
    across, freedom = release_noise(rows)
    runs = [np.mean([1 / release.runs for release in row.past]) for row in rows]
    spread = across / variance - runs
    return {
        key: max(0.0, float((freedom[i] * spread[i]).sum()) / max(freedom[i].sum(), 1e-9))
        for key, i in grouped(range(len(rows)), lambda i: rows[i].key).items()
    }


def _of_single(rows: Sequence[ScaledRow], usual: Table) -> list[list[Noise]]:
    """Return the noise of rows with one run per release, learnt from this comparison and, if a row
    needs it, from public history."""
    variance, freedom = release_noise(rows)
    variance = variance + [row.rounding + MIN_DEVIATION**2 for row in rows]
    here = learnt([row.key for row in rows], variance, freedom)
    by_table = [(*priors(table, rows), of_kind(table, rows)) for table in (here, usual)]
    local, public = by_table
    out: list[list[Noise]] = []
    for i, row in enumerate(rows):
        benchmark = here.get(row.key[:1])
        young = len(row.past) < OWN_FIGURES and (not benchmark or benchmark.rows < ENOUGH_ROWS)
        wanted = [local]
        if young or not local[1][i]:
            wanted.append(public)
        if not here and row.key[:1] not in usual:
            # The scatter of all benchmarks says too little about an unknown one.
            wanted = []
        out.append([])
        for prior, prior_freedom, middle in wanted:
            worth = float(prior_freedom[i] + freedom[i])
            if prior_freedom[i] <= 0:
                continue
            moderated = float(prior_freedom[i] * prior[i] + freedom[i] * variance[i]) / worth
            alone = not local[1][i] and not freedom[i]
            tail = FREEDOM + FREEDOM_PER_OWN * float(freedom[i])
            out[i].append(
                # A release is at most as certain as the samples of its only run.
                Noise(max(moderated, row.inner), worth, 0.0, tail, alone, float(middle[i]))
            )
    return out


def release_noise(rows: Sequence[ScaledRow]) -> tuple[Floats, Floats]:
    """Return the variance of each row between releases, and its degrees of freedom.

    It is half the mean square of successive differences, without the one or two largest, which may
    be a lasting change or an outlier, and without the difference of OLD and NEW. Both are 0 with
    fewer than three figures.
    """
    variance, freedom = np.zeros(len(rows)), np.zeros(len(rows))
    for i, row in enumerate(rows):
        moves = np.diff([release.at for release in row.past])
        # Leave out the step from OLD to NEW, which is under test.
        if row.later:
            after = np.diff([release.at for release in (row.new, *row.later)])
            moves = np.concatenate([moves, after])[: MAX_RELEASES - 1]
        count = moves.size + 1
        if count >= 3:
            two = count >= MIN_TWO_TRIMMED_FIGURES
            squares = np.sort(moves**2)[: -2 if two else -1]
            variance[i] = TRIMMED_FACTORS[count - 3] * float(squares.mean()) / 2
            # Fitted to simulated normal figures with one or two differences left out.
            freedom[i] = 0.649 * count - 2.07 if two else 0.665 * count - 1.31
    return variance, freedom


def learnt(
    keys: Sequence[tuple[str, str]], variance: Floats, freedom: Floats
) -> dict[tuple[str, ...], Scatter]:
    """Return the distributions of the variances of all rows, and of each benchmark and metric.

    Each is shrunk towards the level above, more so the fewer rows it has. Among all rows, small
    benchmarks count about as much as large ones, because an unknown row may belong to any. Source:
    G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential expression",
    Statist. Appl. Genet. Mol. Biol. 3 (2004) article 3; made robust by clipping the logs to their
    10 % and 90 % quantiles, after B. Phipson et al., Ann. Appl. Statist. 10 (2016) 946-963.
    """
    from scipy import special

    some = np.flatnonzero(freedom > 0)
    if not some.size:
        return {}
    half = freedom[some] / 2
    # Corrects the bias of the log of a sample variance (Smyth 2004).
    logs = np.log(variance[some]) - special.digamma(half) + np.log(half)
    chance = special.polygamma(1, half)
    members: dict[tuple[str, ...], list[int]] = {}
    for position, i in enumerate(some.tolist()):
        names: tuple[tuple[str, ...], ...] = (keys[i][:1], keys[i])
        for name in names:
            members.setdefault(name, []).append(position)
    weights = np.array([1 / (len(members[keys[i][:1]]) + EVEN_ROWS) for i in some.tolist()])
    out: dict[tuple[str, ...], Scatter] = {(): _scatter(logs, chance, weights)}
    for name, positions in sorted(members.items(), key=lambda item: len(item[0])):
        above = out[name[:-1]]
        if len(positions) < 2:
            # A single row does not show how rows differ.
            out[name] = Scatter(above.centre, above.excess, 1)
            continue
        scatter = _scatter(logs[positions], chance[positions], np.ones(len(positions)))
        share = len(positions) / (len(positions) + PARENT_ROWS)
        out[name] = Scatter(
            share * scatter.centre + (1 - share) * above.centre,
            share * scatter.excess + (1 - share) * above.excess,
            len(positions),
        )
    return out


def _scatter(logs: Floats, chance: Floats, weights: Floats) -> Scatter:
    """Return the weighted mean of logs, and how much more they vary than by chance."""
    weights = weights / weights.sum()
    cut = 1.0
    # Fewer rows have no 10 % and 90 % quantiles.
    if logs.size >= 5:
        order = np.argsort(logs, kind="stable")
        reached = np.cumsum(weights[order])
        ends = np.searchsorted(reached, (0.1, 0.9)).clip(0, logs.size - 1)
        logs = np.clip(logs, *logs[order][ends])
        cut = WINSORISED_VARIANCE
    centre = float((weights * logs).sum())
    # For weights, this corresponds to n - 1, because the mean is that of the same rows.
    free = 1 - float((weights**2).sum())
    varied = float((weights * (logs - centre) ** 2).sum()) / max(free, 1e-9) / cut
    return Scatter(centre, varied - float((weights * chance).sum()), int(logs.size))


def priors(table: Table, rows: Sequence[ScaledRow]) -> tuple[Floats, Floats]:
    """Return for each row the variance of similar rows, and its degrees of freedom; 0 if the table
    has none."""
    variance, freedom = np.zeros(len(rows)), np.zeros(len(rows))
    for i, row in enumerate(rows):
        if scatter := _nearest(table, row):
            size, freedom[i] = _variance_and_freedom(scatter)
            variance[i] = size + row.rounding
    return variance, freedom


def of_kind(table: Table, rows: Sequence[ScaledRow]) -> Floats:
    """Return for each row the variance of the median similar row; 0 if the table has none."""
    kinds = ((row, _nearest(table, row)) for row in rows)
    return np.array([math.exp(kind.centre) + row.rounding if kind else 0.0 for row, kind in kinds])


def _nearest(table: Table, row: ScaledRow) -> Scatter | None:
    """Return the entry for the row's metric, else for its benchmark, else for all rows."""
    return table.get(row.key) or table.get(row.key[:1]) or table.get(())


# The same entries of public history are used in every comparison.
@lru_cache(4096)
def _variance_and_freedom(scatter: Scatter) -> tuple[float, float]:
    from scipy import special

    worth = MAX_PRIOR_FREEDOM
    if scatter.excess > 1e-3:
        # The trigamma function links the excess to the prior's degrees of freedom (Smyth 2004).
        worth = max(min(2 * inverse_trigamma(scatter.excess), worth), 0.2)
    size = scatter.centre + float(special.digamma(worth / 2)) - math.log(worth / 2)
    return math.exp(size), worth


def inverse_trigamma(value: float) -> float:
    """Return the x at which the trigamma function has ``value``, which must be positive."""
    from scipy import optimize, special

    # The trigamma function, zeta(2, x), lies between 1/x and 1/x + 1/x².
    ends = 1 / value, 1 / value + 1 / math.sqrt(value) + 1
    return float(optimize.brentq(lambda x: special.zeta(2.0, x) - value, *ends))

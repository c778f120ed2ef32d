"""Two releases' samples to a judgement: did the figure change, and what could have been seen?

All rows of a comparison are judged together: the noise of one row is learnt from
its own samples and from the other rows of its family, and the share of false
alarms among all rows that are called different is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

Outcome = Literal["different", "same", "noisy"]


@dataclass(frozen=True, slots=True)
class Side:
    """What one release has for one row, in one unit.

    ``low`` and ``high`` are the least and the greatest sample. ``count`` is the
    number of samples, ``None`` where it was not published. ``samples`` is empty
    where only mean, minimum and maximum are known.
    """

    mean: float
    low: float | None = None
    high: float | None = None
    count: int | None = None
    samples: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of a comparison: both releases' figures, and what helps to judge them.

    Rows of one ``family`` (a benchmark's metric) are expected to have like relative
    noise. ``history`` is the same row in other releases, in version order, without
    the two that are compared. ``floor`` is the relative change below which a
    change does not matter: ``0.02`` is two per cent.
    """

    old: Side
    new: Side
    family: str
    history: tuple[Side, ...] = ()
    floor: float = 0.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What can be said of one row.

    ``change`` is new/old - 1, ``None`` where old is 0. ``p`` is the probability of a
    difference at least as large when nothing changed, ``q`` the same adjusted for the
    number of rows; both are ``None`` where no test was possible. ``detectable`` is the
    smallest relative change that this row could have seen at the held rate,
    ``more_runs`` how many more runs of each side would settle a change of the size
    that matters. ``ground`` says in words which test was made, and why.
    """

    change: float | None
    p: float | None
    q: float | None
    outcome: Outcome
    detectable: float | None
    more_runs: int | None
    ground: str


def adjusted(p: Sequence[float]) -> tuple[float, ...]:
    """Benjamini-Hochberg's adjusted p-values, in the order given.

    Calling every row with an adjusted value of at most ``r`` different holds the
    expected share of false ones among them at ``r``. Source: Benjamini and Hochberg,
    "Controlling the false discovery rate", J. R. Statist. Soc. B 57 (1995) 289-300.
    """
    values = np.asarray(p, dtype=float)
    if not values.size:
        return ()
    order = np.argsort(values, kind="stable")[::-1]
    ranks = np.arange(values.size, 0, -1)
    stepped = np.minimum.accumulate(values[order] * values.size / ranks)
    out = np.empty_like(values)
    out[order] = np.minimum(stepped, 1.0)
    return tuple(float(v) for v in out)


def judge(pairs: Sequence[Pair], rate: float = 0.05) -> tuple[Judgement, ...]:
    """Judge all rows of a comparison together, in the order given.

    ``rate`` is the held false discovery rate: the expected share of rows that did not
    change among those called different.
    """
    spread: dict[str, tuple[float, int]] = {}
    logs = [(_logs(pair.old), _logs(pair.new)) for pair in pairs]
    for pair, sides in zip(pairs, logs, strict=True):
        total, freedom = spread.get(pair.family, (0.0, 0))
        for side in sides:
            if side is not None and side.size > 1:
                total += float(((side - side.mean()) ** 2).sum())
                freedom += side.size - 1
        spread[pair.family] = (total, freedom)
    tested: list[float | None] = []
    for pair, (old, new) in zip(pairs, logs, strict=True):
        total, freedom = spread[pair.family]
        if old is None or new is None or not freedom or not total:
            tested.append(None)
            continue
        error = (total / freedom * (1 / old.size + 1 / new.size)) ** 0.5
        t = abs(float(new.mean() - old.mean())) / error
        tested.append(float(2 * special.stdtr(freedom, -t)))
    q = iter(adjusted([p for p in tested if p is not None]))
    out = []
    for pair, p in zip(pairs, tested, strict=True):
        change = pair.new.mean / pair.old.mean - 1 if pair.old.mean else None
        if p is None:
            ground = "no spread is known for figures of this kind, so no test was possible"
            out.append(Judgement(change, None, None, "noisy", None, None, ground))
            continue
        share = next(q)
        outcome: Outcome = "different" if share <= rate else "noisy"
        ground = "t-test on logarithms, with the noise pooled over the metric's rows"
        out.append(Judgement(change, p, share, outcome, None, None, ground))
    return tuple(out)


def _logs(side: Side) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    values = side.samples or (side.mean,)
    return np.log(np.asarray(values)) if min(values) > 0 else None

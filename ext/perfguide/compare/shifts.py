"""Changes that many rows of a comparison share, such as those of a board that became slower."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .moves import move_of
from .noise import MIN_DEVIATION, Noise, release_noise
from .relative import MAX_RELEASES, Floats, Release, ScaledRow

MIN_ROWS = 5
"""The fewest rows of a common shift."""

ONE_WAY_SHARE, NEAR_SHARE, NEAR_RATIO = 0.85, 0.5, 0.35
"""In a common shift, at least the first share of rows moved in the same direction, and at least the
second by the median move, give or take ``NEAR_RATIO`` of it."""

UNKNOWN_DEVIATION = 0.03
"""The relative standard deviation of a group's level if no earlier release shows it."""

PRIOR_FREEDOM = 3.0
"""The degrees of freedom that the levels of all groups contribute to that of one."""

MAX_P = 0.01
"""The p-value below which a common move is a change rather than scatter of the group's level."""

MIN_FAR_ERRORS = 4.0
"""The least distance of the median of many moves from zero, in standard errors, if it is common."""

MANY_ROWS = 20
"""From this many rows on, a common move is removed even if it is scatter of their level."""

COMPATIBLE_SHARE = 0.7
"""At least this share of rows must be within twice their error of a common move."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A change that many rows share. ``by`` is the log of a factor; above 0 is better."""

    name: str
    by: float
    rows: int


def without_shifts(
    rows: Sequence[ScaledRow], noise: Sequence[Sequence[Noise]]
) -> tuple[list[ScaledRow], list[list[Shift]]]:
    """Return the rows without common moves, in this release and earlier ones, and the common
    changes that each row took part in, widest group first.

    The move of a wide group is removed before narrower groups are examined.
    """
    out = list(rows)
    shifts: list[list[Shift]] = [[] for _ in rows]
    errors = np.array([_error(row, kinds) for row, kinds in zip(rows, noise, strict=True)])
    by_depth: dict[int, dict[str, list[int]]] = {}
    for i, row in enumerate(rows):
        if row.upward:
            for depth, name in enumerate(row.shared):
                by_depth.setdefault(depth, {}).setdefault(name, []).append(i)
    # The widest groups come first, so that narrower ones show only their additional moves.
    for _, by_name in sorted(by_depth.items()):
        groups = {name: members for name, members in by_name.items() if len(members) >= MIN_ROWS}
        indices = [_index([out[i] for i in members], name) for name, members in groups.items()]
        changed = _changed([index for index in indices if index])
        for name, members in groups.items():
            group = [out[i] for i in members]
            moves = _moves(group)
            by = float(np.median(moves))
            if name in changed:
                for i in members:
                    shifts[i].append(Shift(name, by, len(members)))
            # A scattering level of the group is noise that its rows share.
            elif not _common(moves, errors[members]):
                by = 0.0
            earlier = _earlier(group, errors[members])
            if by or any(earlier):
                for i in members:
                    up = rows[i].upward
                    out[i] = out[i].without(by * up, [step * up for step in earlier])
    return out, shifts


def _error(row: ScaledRow, noise: Sequence[Noise]) -> float:
    runs = (row.old.runs, row.new.runs)
    return math.sqrt(max((sum(map(kind.of_release, runs)) for kind in noise), default=0.0))


def _moves(rows: Sequence[ScaledRow]) -> Floats:
    return np.array([row.move * row.upward for row in rows])


def _common(moves: Floats, errors: Floats) -> bool:
    """Return whether the median of many moves is far from zero and most rows agree with it."""
    if moves.size < MANY_ROWS:
        return False
    by = float(np.median(moves))
    near = np.abs(moves - by) <= 2 * errors + 0.1 * abs(by)
    return abs(by) > MIN_FAR_ERRORS * _error_of_median(moves) and near.mean() >= COMPATIBLE_SHARE


def _error_of_median(moves: Floats) -> float:
    # This factor converts a median deviation of normal figures to a standard deviation.
    spread = 1.4826 * float(np.median(np.abs(moves - np.median(moves))))
    # The standard error of a median is √(π/2) times that of a mean.
    return 1.2533 * spread / math.sqrt(moves.size)


def _earlier(rows: Sequence[ScaledRow], errors: Floats) -> list[float]:
    """Return the common move from OLD to each release before it, latest first."""
    out = []
    for back in range(2, max(len(row.past) for row in rows) + 1):
        old_enough = [i for i, row in enumerate(rows) if len(row.past) >= back]
        steps = [(rows[i].past[-back].at - rows[i].old.at) * rows[i].upward for i in old_enough]
        moves = np.array(steps)
        out.append(float(np.median(moves)) if _common(moves, errors[old_enough]) else 0.0)
    return out


def _index(rows: Sequence[ScaledRow], name: str) -> ScaledRow | None:
    """Return the common moves of a group as a row, or ``None`` if it did not move together."""
    moves = _moves(rows)
    if not _alike(moves):
        return None
    steps = []
    for back in range(1, MAX_RELEASES):
        before = [
            (row.past[-back].at - row.past[-back - 1].at) * row.upward
            for row in rows
            if len(row.past) > back
        ]
        # The median of fewer rows does not represent the group.
        if len(before) < max(3, len(rows) / 2):
            break
        steps.append(float(np.median(before)))
    past = (*(-np.cumsum(steps)[::-1]).tolist(), 0.0)
    error = _error_of_median(moves)
    return ScaledRow(
        tuple(map(Release, past)),
        Release(float(np.median(moves))),
        ("", ""),
        # The uncertainty of the median itself.
        rounding=error**2,
        step=MIN_FAR_ERRORS * error,
        upward=1,
        shared=(name,),
    )


def _changed(indices: Sequence[ScaledRow]) -> set[str]:
    """Return the names of groups whose level changed rather than scattered."""
    variance, freedom = release_noise(indices)
    pooled = float(freedom.sum())
    prior = float((freedom * variance).sum() / pooled) if pooled else UNKNOWN_DEVIATION**2
    out = set()
    for row, scatter, worth in zip(indices, variance.tolist(), freedom.tolist(), strict=True):
        total = worth + PRIOR_FREEDOM
        moderated = (worth * scatter + PRIOR_FREEDOM * prior) / total + row.rounding
        moderated += MIN_DEVIATION**2
        if move_of(row, Noise(moderated, total)).p < MAX_P:
            out.add(row.shared[0])
    return out


def _alike(moves: Floats) -> bool:
    """Return whether rows moved in the same direction and about as far."""
    by = float(np.median(moves))
    few = moves.size < 2 * MIN_ROWS
    if by == 0 or (np.sign(moves) == np.sign(by)).mean() < (1.0 if few else ONE_WAY_SHARE):
        return False
    # Of many small groups, some move alike by chance.
    near = float((np.abs(moves - by) <= NEAR_RATIO * abs(by)).mean())
    return near >= (ONE_WAY_SHARE if few else NEAR_SHARE)

"""The same figure in other releases, and under which conditions figures were taken."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..bundles.guide_key import GuideKey, version
from ..common import units
from ..figures.pool import Cell, Pool, Record
from .judge import Side
from .match import Conditions, Key, Names, obstacles

Platform = tuple[str, str, str]


PAST = 27
"""Releases of which a figure is looked at besides the two that are compared. So many give
as much as a family is worth for one of its rows (25 residuals of 0.36 degrees of freedom,
see :mod:`perfguide.noise`), and the time does not grow with the square of the releases."""


@dataclass(frozen=True, slots=True)
class _Past:
    """A figure in one release: where the release stands among those of its platform, and
    the number of the conditions under which the figure was taken."""

    rank: int
    release: str
    unit: str
    side: Side
    conditions: int


class History:
    """Every figure of some pools, found by what it is of. Each platform is read once, until it
    is let go."""

    def __init__(self, pools: Sequence[Pool], names: Names) -> None:
        self._pools = list({id(pool): pool for pool in pools}.values())
        self._names = names
        self._guides: dict[Platform, list[tuple[Pool, GuideKey]]] = {}
        for pool in self._pools:
            for key in pool.guides():
                self._guides.setdefault((key.sdk, key.soc, key.os), []).append((pool, key))
        self._ranks: dict[Platform, dict[str, int]] = {}
        self._read: dict[Platform, dict[Key, list[_Past]]] = {}
        self._records: dict[tuple[int, GuideKey], list[Record]] = {}
        self._numbers: dict[frozenset[tuple[str, frozenset[str]]], int] = {}
        self._distinct: list[Conditions] = []
        self._apart: dict[tuple[int, int, tuple[str, ...]], bool] = {}

    def records(self, pool: Pool, key: GuideKey) -> list[Record]:
        """All figures of one guide."""
        place = (id(pool), key)
        if place not in self._records:
            self._records[place] = pool.of_guide(key)
        return self._records[place]

    def forget(self, platform: Platform) -> None:
        """Let go of what was read of one platform; it is read again where it is asked for."""
        self._read.pop(platform, None)
        for pool, key in self._guides.get(platform, ()):
            self._records.pop((id(pool), key), None)

    def conditions(self, pool: Pool, record: Record) -> Conditions:
        """Under which conditions a figure was taken."""
        return pool.conditions(record)

    def of(
        self, pool: Pool, record: Record, without: set[str], tools: Sequence[str]
    ) -> tuple[Side, ...]:
        """The same figure, in the unit of ``record``, in the ``PAST`` releases nearest to those
        of ``without``, in version order; what was measured under other conditions is left out."""
        guide = record.guide
        platform = (guide.sdk, guide.soc, guide.os)
        if platform not in self._read:
            self._read[platform] = self._index(platform)
        ranks = self._ranks[platform]
        ends = [ranks[release] for release in without if release in ranks]
        mine = self._number(pool, record)
        watched = tuple(tools)
        out: list[int] = []
        found = self._read[platform].get(self._names.key(record), ())
        for place in _nearest_first(found, min(ends, default=0), max(ends, default=0)):
            past = found[place]
            if past.release in without or self._kept_apart(past.conditions, mine, watched):
                continue
            out.append(place)
            if len(out) == PAST:
                break
        return tuple(_in_unit(found[place], record.unit) for place in sorted(out))

    def _number(self, pool: Pool, record: Record) -> int:
        """A number for the conditions of a figure; equal conditions share it."""
        taken = self.conditions(pool, record)
        number = self._numbers.setdefault(frozenset(taken.items()), len(self._distinct))
        if number == len(self._distinct):
            self._distinct.append(taken)
        return number

    def _kept_apart(self, theirs: int, mine: int, tools: tuple[str, ...]) -> bool:
        if theirs == mine:
            return False
        place = theirs, mine, tools
        if place not in self._apart:
            a, b = self._distinct[theirs], self._distinct[mine]
            self._apart[place] = bool(obstacles(a, b, tools))
        return self._apart[place]

    def _index(self, platform: Platform) -> dict[Key, list[_Past]]:
        found: dict[Key, list[_Past]] = {}
        seen: set[tuple[GuideKey, Key, frozenset[str]]] = set()
        guides = sorted(self._guides.get(platform, []), key=lambda g: version(g[1].release))
        ranks = self._ranks[platform] = {}
        orders = {
            order: rank
            for rank, order in enumerate(dict.fromkeys(version(g.release) for _, g in guides))
        }
        for pool, guide in guides:
            rank = ranks[guide.release] = orders[version(guide.release)]
            for record in self.records(pool, guide):
                key = self._names.key(record)
                if len(self._pools) > 1:
                    # One bundle can have been read by two ways, and is one run all the same.
                    place = guide, key, frozenset(b.digest for b in pool.bundles([record]))
                    if place in seen:
                        continue
                    seen.add(place)
                if record.cell.mean is not None:
                    number = self._number(pool, record)
                    past = _Past(rank, guide.release, record.unit, side(record.cell), number)
                    found.setdefault(key, []).append(past)
        return found


def _rank(past: _Past) -> int:
    return past.rank


def _nearest_first(found: Sequence[_Past], first: int, last: int) -> Iterator[int]:
    """The places of figures in the order of their releases' distance from some releases, the
    older ones first; those between the releases are nearest."""
    before = bisect_left(found, first, key=_rank)
    after = bisect_right(found, last, key=_rank)
    yield from range(before, after)
    before -= 1
    while before >= 0 or after < len(found):
        older = first - found[before].rank if before >= 0 else None
        newer = found[after].rank - last if after < len(found) else None
        if newer is None or (older is not None and older <= newer):
            yield before
            before -= 1
        else:
            yield after
            after += 1


def _in_unit(past: _Past, unit: str) -> Side:
    factor = units.factor(past.unit, unit)
    assert factor is not None  # the kind of the unit is a part of the key
    if factor == 1.0:
        return past.side
    given = past.side
    return Side(
        given.mean * factor,
        None if given.low is None else given.low * factor,
        None if given.high is None else given.high * factor,
        given.count,
        tuple(sample * factor for sample in given.samples),
    )


def side(cell: Cell) -> Side:
    """A figure as the statistics take it."""
    assert cell.mean is not None  # failed measurements are not judged
    # Where a published mean is pooled with samples, the samples alone are not the figure.
    whole = cell.samples if cell.count == len(cell.samples) else ()
    return Side(cell.mean, cell.low, cell.high, cell.count, whole)


def scaled(cell: Cell, factor: float) -> Cell:
    """A figure in another unit of its kind."""
    if factor == 1.0 or cell.mean is None:
        return cell
    return Cell(
        cell.mean * factor,
        None if cell.low is None else cell.low * factor,
        None if cell.high is None else cell.high * factor,
        cell.count,
        cell.failed,
        cell.runs,
        cell.differs,
        tuple(sample * factor for sample in cell.samples),
        cell.members,
    )

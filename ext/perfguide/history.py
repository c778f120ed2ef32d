"""The same figure in other releases, and under which conditions figures were taken."""

from __future__ import annotations

from collections.abc import Sequence

from . import units
from .guidekeys import GuideKey, version
from .pairing import Conditions, Key, Names, obstacles
from .pool import Cell, Pool, Record
from .stats import Side

Platform = tuple[str, str, str]


class History:
    """Every figure of some pools, found by what it is of. Each platform is read once."""

    def __init__(self, pools: Sequence[Pool], names: Names) -> None:
        self._pools = list({id(pool): pool for pool in pools}.values())
        self._names = names
        self._guides: dict[Platform, list[tuple[Pool, GuideKey]]] = {}
        for pool in self._pools:
            for key in pool.guides():
                self._guides.setdefault((key.sdk, key.soc, key.os), []).append((pool, key))
        self._read: dict[Platform, dict[Key, list[tuple[Pool, Record]]]] = {}
        self._records: dict[tuple[int, GuideKey], list[Record]] = {}
        self._conditions: dict[tuple[int, tuple[int, ...]], Conditions] = {}

    def records(self, pool: Pool, key: GuideKey) -> list[Record]:
        """All figures of one guide."""
        place = (id(pool), key)
        if place not in self._records:
            self._records[place] = pool.of_guide(key)
        return self._records[place]

    def conditions(self, pool: Pool, record: Record) -> Conditions:
        """Under which conditions a figure was taken."""
        place = (id(pool), record.cell.members)
        if place not in self._conditions:
            self._conditions[place] = pool.conditions(record)
        return self._conditions[place]

    def of(
        self, pool: Pool, record: Record, without: set[str], tools: Sequence[str]
    ) -> tuple[Side, ...]:
        """The same figure, in the unit of ``record``, in all releases but ``without``,
        in version order; what was measured under other conditions is left out."""
        guide = record.guide
        platform = (guide.sdk, guide.soc, guide.os)
        if platform not in self._read:
            self._read[platform] = self._index(platform)
        mine = self.conditions(pool, record)
        out: list[Side] = []
        for other, found in self._read[platform].get(self._names.key(record), ()):
            if found.guide.release in without or found.cell.mean is None:
                continue
            theirs = self.conditions(other, found)
            if theirs == mine or not obstacles(theirs, mine, tools):
                factor = units.factor(found.unit, record.unit)
                assert factor is not None  # the kind of the unit is a part of the key
                out.append(side(scaled(found.cell, factor)))
        return tuple(out)

    def _index(self, platform: Platform) -> dict[Key, list[tuple[Pool, Record]]]:
        found: dict[Key, list[tuple[Pool, Record]]] = {}
        seen: set[tuple[GuideKey, Key, frozenset[str]]] = set()
        guides = self._guides.get(platform, [])
        for pool, guide in sorted(guides, key=lambda g: version(g[1].release)):
            for record in self.records(pool, guide):
                key = self._names.key(record)
                if len(self._pools) > 1:
                    # One bundle can have been read by two ways, and is one run all the same.
                    place = guide, key, frozenset(b.digest for b in pool.bundles([record]))
                    if place in seen:
                        continue
                    seen.add(place)
                found.setdefault(key, []).append((pool, record))
        return found


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

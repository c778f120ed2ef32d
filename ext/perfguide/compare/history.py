"""The history of a figure over releases, in the form that the statistics need."""

from __future__ import annotations

import math
import statistics
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice, pairwise
from typing import TypeVar

from ..bundles.guide_key import GuideKey, Platform, version
from ..common import units
from ..common.grouping import grouped
from ..figures.pool import Cell, Pool, Record
from ..figures.rows import TABLE, TABLE_NUMBER
from .copies import are_repeated, repeats
from .match import Key, Names, obstacles, spelt_alike, untitled
from .packet_bytes import PACKETS, RATE, Bounds, counted_otherwise
from .relative import Side
from .resolution import printed
from .wrong_labels import misplaced

ConditionSet = frozenset[tuple[str, frozenset[str]]]
"""The result of :meth:`Pool.conditions` as a hashable value."""

Figure = TypeVar("Figure", Cell, Side)

MAX_PAST_RELEASES = 27
"""The noise of a figure is learnt from at most this many releases besides OLD and NEW. More add
little (see :mod:`.noise`), and the time would grow with their square."""


MIN_RETITLED_ROWS = 2
"""The fewest rows that a table has under two titles if these are of one table."""


@dataclass(frozen=True, slots=True)
class _Past:
    """A figure in one release. ``rank`` is the position of the release among those of its platform,
    and ``conditions`` are those of the measurement."""

    rank: int
    release: str
    unit: str
    side: Side
    conditions: ConditionSet
    is_repeated: bool = False


class History:
    """All figures of some pools by key, without mislabelled ones. A platform is read when needed
    and kept until :meth:`forget`. Rates that count other bytes of a packet are other figures."""

    def __init__(self, pools: Sequence[Pool], names: Names) -> None:
        # OLD, NEW and all others often share one pool.
        self._pools = list({id(pool): pool for pool in pools}.values())
        self._names = names
        self._guides: dict[Platform, list[tuple[Pool, GuideKey]]] = {}
        for pool in self._pools:
            for key in pool.guides():
                self._guides.setdefault(key.platform, []).append((pool, key))
        for guides in self._guides.values():
            guides.sort(key=lambda guide: version(guide[1].release))
        self._ranks: dict[Platform, dict[str, int]] = {}
        self._past: dict[Platform, dict[Key, list[_Past]]] = {}
        self._spellings: dict[Platform, dict[Key, list[tuple[Key, str]]]] = {}
        self._packet_bytes: dict[Key, Mapping[int, Bounds]] = {}
        self._in_tables_of_one_title: set[tuple[GuideKey, Key]] = set()
        self._conditions: dict[ConditionSet, ConditionSet] = {}
        # Thousands of figures share a few conditions.
        self._comparable = cache(partial(_comparable, names))

    def forget(self, platform: Platform) -> None:
        """Free the memory for one platform, which is read again when needed."""
        self._past.pop(platform, None)

    def of(
        self,
        pool: Pool,
        record: Record,
        compared: set[str],
        tools: Sequence[str],
        first: str = "",
    ) -> dict[str, Side]:
        """Return the same figure in earlier releases, by release in order, in ``record``'s unit.

        These are the last ``MAX_PAST_RELEASES`` from release ``first`` to before the first of
        ``compared``: later ones did not exist then, and may contain the change that the comparison
        looks for. Figures measured under other conditions are left out.
        """
        figures, ranks = self._figures(record), self._ranks[record.guide.platform]
        conditions = self._conditions_of(pool, record)
        end = min((ranks[release] for release in compared if release in ranks), default=len(ranks))
        near = (
            past
            # Newest first, so that the limit keeps the nearest releases.
            for past in reversed(figures)
            if past.rank < end and not past.is_repeated
            if not first or version(past.release) >= version(first)
            if self._comparable(past.conditions, conditions, tuple(tools), record.benchmark)
        )
        chosen = [*islice(near, MAX_PAST_RELEASES)]
        return {past.release: _in_unit(past, record.unit) for past in reversed(chosen)}

    def later(
        self, pool: Pool, record: Record, compared: set[str], tools: Sequence[str]
    ) -> dict[str, Side]:
        """Return the same figure in releases after the last of ``compared``, in ``record``'s unit:
        at most ``MAX_PAST_RELEASES``, without figures measured under other conditions."""
        past = self._figures(record)
        ranks = self._ranks[record.guide.platform]
        end = max((ranks[release] for release in compared if release in ranks), default=len(ranks))
        conditions = self._conditions_of(pool, record)
        near = (
            figure
            for figure in past
            if figure.rank > end
            and self._comparable(figure.conditions, conditions, tuple(tools), record.benchmark)
        )
        return {
            each.release: _in_unit(each, record.unit) for each in islice(near, MAX_PAST_RELEASES)
        }

    def line(self, record: Record) -> tuple[tuple[str, float], ...]:
        """Return the same figure in all releases up to that of ``record`` and in the next one that
        has it, as pairs of release and mean in version order, in ``record``'s unit."""
        past = self._figures(record)
        rank = self._ranks[record.guide.platform][record.guide.release]
        last = bisect_right(past, rank, key=lambda figure: figure.rank)
        return tuple((p.release, _in_unit(p, record.unit).mean) for p in past[: last + 1])

    def in_release(self, record: Record, release: str) -> Record | None:
        """Return the same figure in another release, ``None`` if there is none."""
        key = self._row_key(record)
        guides = self._guides.get(record.guide.platform, ())
        return next(
            (
                each
                for pool, guide in guides
                if guide.release == release
                for each in pool.of_guide(guide)
                if each.benchmark == record.benchmark and self._row_key(each) == key
            ),
            None,
        )

    def releases_of(self, record: Record) -> dict[str, Side | None]:
        """Return the same figure in all releases, in version order, in ``record``'s unit; ``None``
        where a rate counts other bytes of a packet."""
        alike = {each.rank for each in self._figures(record)}
        past = self._past[record.guide.platform].get(self._row_key(record), ())
        return {p.release: _in_unit(p, record.unit) if p.rank in alike else None for p in past}

    def releases_between(self, release: str, key: GuideKey) -> int:
        """Return how many releases of a guide's platform are between one and the guide's own."""
        ranks = self._ranks[key.platform]
        return ranks[key.release] - ranks[release] - 1

    def is_newest(self, key: GuideKey) -> bool:
        """Return whether no later guide of its platform exists."""
        return self._guides[key.platform][-1][1] == key

    def guides_with(self, platform: Platform, board: str) -> list[GuideKey]:
        """Return the guides that measured a board, under any of its names, in version order."""
        names = self._names.boards.all_names(platform.soc, board)
        return [
            guide for pool, guide in self._guides.get(platform, ()) if names & pool.boards[guide]
        ]

    def _figures(self, record: Record) -> Sequence[_Past]:
        platform = record.guide.platform
        if platform not in self._past:
            self._past[platform] = self._read(platform)
        key = self._row_key(record)
        past = self._past[platform].get(key, ())
        if (counts := self._packet_bytes.get(key)) is None:
            return past
        rank = self._ranks[platform][record.guide.release]
        if (now := counts.get(rank)) is None:
            return past
        others = [each.rank for each in past if now.differ(counts[each.rank])]
        first = max((other for other in others if other < rank), default=-1)
        last = min((other for other in others if other > rank), default=sys.maxsize)
        return [each for each in past if first < each.rank < last]

    def packet_bytes(self, old: Record, new: Record) -> tuple[Bounds, Bounds] | None:
        """Return the bytes of a packet that both figures count if they differ, else ``None``."""
        platform = new.guide.platform
        if old.guide.platform != platform or not self._figures(new):
            return None
        counts, ranks = self._packet_bytes.get(self._row_key(new), {}), self._ranks[platform]
        was, now = (counts.get(ranks.get(each.guide.release, -1)) for each in (old, new))
        return (was, now) if was and now and was.differ(now) else None

    def _row_key(self, record: Record) -> Key:
        """Return the identity of a row in all releases, under its latest spelling."""
        key = self._key(record)
        spellings = self._spellings[record.guide.platform].get(key)
        return spellings[-1][0] if spellings else key

    def former_names(self, record: Record) -> tuple[str, ...]:
        """Return, in words, other spellings under which earlier releases published a figure."""
        self._figures(record)
        key, platform = self._key(record), record.guide.platform
        ranks = self._ranks[platform]
        return tuple(
            f"published as {_names_apart(former, key)} until {last}"
            for former, last in self._spellings[platform].get(key, ())
            if ranks[last] < ranks[record.guide.release] and _names_apart(former, key)
        )

    def _key(self, record: Record) -> Key:
        """Return the identity of a figure across releases.

        It includes the number of its table only if several tables of the release share a title,
        because the number depends on the tables before it.
        """
        of_table = self._names.table_key(record)
        if (record.guide, of_table) in self._in_tables_of_one_title:
            return self._names.key(record)
        return of_table

    def _conditions_of(self, pool: Pool, record: Record) -> ConditionSet:
        """Return the conditions of a figure's measurement; equal sets are the same object."""
        stated = frozenset(pool.conditions(record).items())
        # Sharing saves memory, and caches compare shared sets by identity.
        return self._conditions.setdefault(stated, stated)

    def _read(self, platform: Platform) -> dict[Key, list[_Past]]:
        out: dict[Key, list[_Past]] = {}
        seen: set[tuple[GuideKey, Key, frozenset[str]]] = set()
        guides = self._guides.get(platform, ())
        releases = dict.fromkeys(guide.release for _, guide in guides)
        ranks = self._ranks[platform] = {name: rank for rank, name in enumerate(releases)}
        for pool, guide in guides:
            numbered = (each for each in pool.of_guide(guide) if TABLE_NUMBER in each.params)
            counts = Counter(map(self._names.table_key, numbered))
            self._in_tables_of_one_title |= {(guide, key) for key, n in counts.items() if n > 1}
            for record in pool.of_guide(guide):
                key = self._key(record)
                if len(self._pools) > 1:
                    # A bundle can be in two pools, but is still only one run.
                    run = guide, key, frozenset(b.digest for b in pool.bundles([record]))
                    if run in seen:
                        continue
                    seen.add(run)
                # A failure says nothing about how the figure scatters.
                if record.cell.mean is not None:
                    conditions = self._conditions_of(pool, record)
                    rank, unit = ranks[guide.release], record.unit
                    past = _Past(rank, guide.release, unit, side(record.cell, pool), conditions)
                    out.setdefault(key, []).append(past)
        self._join_spellings(platform, out)
        _mark_repeated(out)
        first = {key: line[0].unit for key, line in out.items()}
        wrong = misplaced(
            {key: {p.rank: _in_unit(p, first[key]).mean for p in line} for key, line in out.items()}
        )
        right = {
            key: [past for past in line if (key, past.rank) not in wrong]
            for key, line in out.items()
        }
        self._packet_bytes |= counted_otherwise(
            {
                key: {p.rank: scaled(p.side, units.parse(p.unit).scale) for p in line}
                for key, line in right.items()
                if key[5] in (RATE, PACKETS)
            }
        )
        return right

    def _join_spellings(self, platform: Platform, figures: dict[Key, list[_Past]]) -> None:
        """Join rows that no release has both of, under the latest spelling: those that are spelt
        alike, and those of a table that got another title."""
        spellings = self._spellings[platform] = {}
        for is_retitled, spelling in ((False, spelt_alike), (True, untitled)):
            alike = [
                sorted(keys, key=lambda key: figures[key][-1].rank)
                for keys in grouped([*figures], spelling).values()
                if len(keys) > 1
                and len({past.rank for key in keys for past in figures[key]})
                == sum(len(figures[key]) for key in keys)
            ]
            rows_by_titles = Counter(map(_titles, alike))
            for keys in alike:
                if is_retitled and rows_by_titles[_titles(keys)] < MIN_RETITLED_ROWS:
                    continue
                key_releases = [
                    each
                    for key in keys
                    for each in spellings.get(key, [(key, figures[key][-1].release)])
                ]
                joined = [past for key in keys for past in figures.pop(key)]
                figures[keys[-1]] = sorted(joined, key=lambda past: past.rank)
                spellings |= dict.fromkeys([key for key, _ in key_releases], key_releases)


def _titles(keys: Sequence[Key]) -> tuple[object, ...]:
    """Return the board, the benchmark and the titles of tables with these rows."""
    titles: list[list[object]] = []
    for key in keys:
        assert isinstance(key[4], frozenset)  # as Names.table_key() makes it
        titles.append([value for name, _, value in key[4] if name == TABLE])
    return (*keys[0][1:3], *map(tuple, titles))


def _names_apart(former: Key, key: Key) -> str:
    """Return the names in one key that are not in the other, in quotes."""
    assert isinstance(former[4], frozenset) and isinstance(key[4], frozenset)
    params = sorted((name, value) for name, _, value in former[4] - key[4])
    names = [str(former[3])] * (former[3] != key[3]) + [units.plain(value) for _, value in params]
    return " and ".join(f"“{name}”" for name in names)


def _mark_repeated(figures: Mapping[Key, list[_Past]]) -> None:
    """Mark figures that the next release repeats, if it repeats half of their board. Both are the
    same measurement, and the later one may have more samples."""
    repeated: dict[tuple[object, str, str], list[tuple[list[_Past], int, bool | None]]] = {}
    for key, line in figures.items():
        for at, (before, after) in enumerate(pairwise(line), start=1):
            pair = (key[1], before.release, after.release)
            same = repeats(before.side, after.side) if before.unit == after.unit else False
            repeated.setdefault(pair, []).append((line, at, same))
    for rows in repeated.values():
        if are_repeated([same for *_, same in rows]):
            for line, at, same in rows:
                line[at - 1] = replace(line[at - 1], is_repeated=bool(same))


def _comparable(
    names: Names, old: ConditionSet, new: ConditionSet, tools: tuple[str, ...], benchmark: str
) -> bool:
    matters = partial(names.matters, benchmark)
    return old == new or not obstacles(dict(old), dict(new), tools, matters)


def _in_unit(past: _Past, unit: str) -> Side:
    factor = units.factor(past.unit, unit)
    assert factor is not None  # the kind of the unit is a part of the key
    return scaled(past.side, factor)


def side(cell: Cell, pool: Pool | None = None) -> Side:
    """Return a figure in the form that the statistics need: by run, that is, by bundle.

    Samples of one run share its boot, build and temperature, so many say no more about a release
    than one.
    """
    assert cell.mean is not None  # failed measurements are not judged
    step = printed(cell.samples or (cell.mean,))
    runs = pool.by_run(cell) if pool is not None and len(cell.members) > 1 else ()
    if len(runs) > 1:
        return Side(cell.mean, min(runs), max(runs), len(runs), runs, step)
    # If the number of runs was not published, the range may cover several.
    count = None if cell.count is None and cell.low is not None else 1
    return Side(cell.mean, cell.low, cell.high, count, (), step, _inner(cell.samples))


def _inner(samples: Sequence[float]) -> float:
    """Return the relative variance of the mean of one run's samples; 0 if it is unknown."""
    if len(samples) < 2 or min(samples) <= 0:
        return 0.0
    return statistics.variance(map(math.log, samples)) / len(samples)


def scaled(figure: Figure, factor: float) -> Figure:
    """Return a figure multiplied by ``factor``, in another unit of its kind."""
    if factor == 1.0 or figure.mean is None:
        return figure
    out = replace(
        figure,
        mean=figure.mean * factor,
        low=None if figure.low is None else figure.low * factor,
        high=None if figure.high is None else figure.high * factor,
        samples=tuple(sample * factor for sample in figure.samples),
    )
    return replace(out, step=out.step * factor) if isinstance(out, Side) else out

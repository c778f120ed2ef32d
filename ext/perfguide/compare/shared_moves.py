"""Changes that several SoCs share in one release: they have one cause and are reported once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from ..bundles.guide_key import version
from ..common import units
from . import event_groups, event_titles
from .event_fates import Entry
from .select import ReleasePair

MIN_SOCS, MIN_UNPROVED_SOCS = 2, 4
"""The fewest SoCs that share a move, and a move that none of them proves."""

MIN_MOVE_LOG = math.log(1.05)
"""The log of the smallest factor that is reported."""

MAX_MOVES_RATIO = 3.0
"""The largest ratio between moves, as logs, that still count as the same move."""

MAX_AGAINST_SHARE = 1 / 3
"""The largest number of boards that may go the other way, as a share of those of a move."""

_Key = tuple[str, str, str, bool, bool]
"""The line of releases, the benchmark, what events are about (or "" for all of the benchmark),
whether that is a load, and whether it got better."""


@dataclass(frozen=True, slots=True)
class SharedMove:
    """Events of one benchmark with the same direction on several SoCs, in releases of one ``line``.

    ``moves`` are the median moves of the largest event of each system, as the log of a factor;
    above 0 is better. ``ends`` are the smallest and the largest move of every event. ``proved`` is
    the number of proved ``rows``, ``boards`` that of boards with an event, and ``against`` that of
    boards on which figures of the same name went the other way. ``basis`` says what the events are
    judged by, if not as measured. ``entries`` are the events themselves.
    """

    title: str
    line: str
    pairs: tuple[ReleasePair, ...]
    moves: tuple[float, ...]
    ends: tuple[tuple[float, float], ...]
    proved: int
    rows: int
    boards: int
    against: int
    basis: str
    entries: tuple[Entry, ...]

    @property
    def sentence(self) -> str:
        """The move in words: ``… 10.2 to 12 % worse with 11.02.x on 3 systems (7 boards; better on
        1 board), 3 of 20 rows proved``."""
        ordered = sorted(self.moves, key=abs)
        word, other = ("better", "worse") if ordered[0] > 0 else ("worse", "better")
        evidence = f"{self.proved or 'none'} of {self.rows} rows proved"
        if self.proved == self.rows:
            evidence = f"{'both' if self.rows == 2 else f'all {self.rows}'} rows proved"
        releases = {pair.new.release for pair in self.pairs}
        release = releases.pop() if len(releases) == 1 else f"{self.line}.x"
        counts = [f"{self.boards} boards"] if self.boards > len(self.pairs) else []
        counts += [f"{other} on {units.with_noun(self.against, 'board')}"] if self.against else []
        boards = f" ({'; '.join(counts)})" if counts else ""
        word = " ".join(filter(None, (word, self.basis)))
        return (
            f"{self.title}: {event_titles.span(self.ends)} {word} with {release} on "
            f"{len(self.pairs)} systems{boards}, {evidence}"
        )


def shared_moves(compared: Iterable[tuple[ReleasePair, Sequence[Entry]]]) -> list[SharedMove]:
    """Return the moves that SoCs share: regressions first, and those on most systems first."""
    groups: dict[_Key, list[tuple[ReleasePair, Entry]]] = {}
    for pair, entries in compared:
        for entry in filter(_is_move, entries):
            # Without the sizes that its rows share.
            subject = ": ".join(entry.what.split(": ")[:2])
            is_better = (entry.move or 0.0) > 0
            for name in dict.fromkeys(("", subject)):
                key = (_line(pair.new.release), entry.benchmark, name, entry.is_load, is_better)
                groups.setdefault(key, []).append((pair, entry))
    out, reported = list[SharedMove](), set[int]()
    # Events with the same subject are a move of their own if the one of their benchmark has others.
    for key in sorted(groups, key=lambda key: key[2] != ""):
        systems: dict[ReleasePair, Entry] = {}
        # Keep one event per system: a proved one if possible, then the one with most rows.
        for pair, entry in sorted(groups[key], key=lambda each: _rank(each[1]), reverse=True):
            systems.setdefault(pair, entry)
        alike = _alike(
            {pair: entry for pair, entry in systems.items() if id(entry) not in reported}
        )
        others = groups.get((*key[:2], "", key[3], not key[4]), [])
        if shared := _shared(key, alike, groups[key], others):
            out.append(shared)
            reported |= set(map(id, shared.entries))
    return sorted(out, key=lambda each: (each.moves[0] > 0, -len(each.pairs), each.sentence))


def _is_move(entry: Entry) -> bool:
    """Return whether an event is a far move of this release, not a return to an earlier level."""
    is_back = entry.action in (event_groups.BACK, event_groups.MINOR)
    is_far = entry.ends and abs(entry.move or 0.0) >= MIN_MOVE_LOG
    return bool(is_far) and not is_back and not entry.is_cause


def _shared(
    key: _Key,
    alike: dict[ReleasePair, Entry],
    same_way: Iterable[tuple[ReleasePair, Entry]],
    others: Iterable[tuple[ReleasePair, Entry]],
) -> SharedMove | None:
    """Return the move of events that are alike, with those of the same figures that went the
    ``same_way`` on these systems, if they are enough and fewer boards saw it among the ``others``,
    which went the other way."""
    entries = [*alike.values()]
    proved = sum(map(_is_proved, entries))
    if len({pair.new.soc for pair in alike}) < (MIN_SOCS if proved else MIN_UNPROVED_SOCS):
        return None
    benchmark = entries[0].benchmark_title
    common = _common([key[2] or entry.what for entry in entries], benchmark)
    # Different rows on each system are different moves.
    if not common and any(any(_parts(entry.what, benchmark)) for entry in entries):
        return None
    named = _words(common)
    every = [
        (pair, entry)
        for pair, entry in same_way
        if pair in alike and named <= _words(_parts(entry.what, benchmark))
    ]
    boards = {(pair.new.platform, board) for pair, entry in every for board in entry.boards}
    against, of_some = set[object](), set[object]()
    for pair, entry in others:
        words = _words(_parts(entry.what, benchmark))
        on_boards = {(pair.new.platform, board) for board in entry.boards}
        against |= on_boards if named <= words else set()
        # An event of one of two metrics, or of more figures.
        of_some |= on_boards if words <= named else set()
    # Where many boards went the other way, this is not what happened.
    if len(against) > MAX_AGAINST_SHARE * len(boards):
        return None
    bases = sorted({entry.basis or "as measured" for _, entry in every})
    # Each basis once: that of an event may be one of two.
    basis = " or ".join(dict.fromkeys(" or ".join(bases).split(" or ")))
    return SharedMove(
        ": ".join(filter(None, (benchmark, ", ".join(common)))),
        key[0],
        tuple(alike),
        tuple(entry.move or 0.0 for entry in entries),
        tuple(end for _, entry in every for end in entry.ends),
        sum(entry.proved for _, entry in every),
        sum(entry.counted for _, entry in every),
        len(boards),
        len(against | of_some),
        "" if basis == "as measured" else basis,
        tuple(entry for _, entry in every),
    )


def _parts(name: str, title: str) -> list[str]:
    return name.removeprefix(title).removeprefix(": ").split(", ")


def _words(parts: Iterable[str]) -> set[str]:
    return {word for part in parts for word in part.split(": ") if word}


def _common(names: Sequence[str], title: str) -> list[str]:
    """Return the parts that the names of a benchmark's events have in common, without its title."""
    first, *others = (_parts(name, title) for name in names)
    return [part for part in first if part and all(part in parts for parts in others)]


def _line(release: str) -> str:
    """Return the first two parts of a release; the others differ by SoC (``11.02.05``)."""
    return ".".join(release.split(".")[:2])


def _is_proved(entry: Entry) -> bool:
    return entry.kind in ("regressed", "improved")


def _rank(entry: Entry) -> tuple[bool, int]:
    return _is_proved(entry), entry.rows


def _alike(moves: dict[ReleasePair, Entry]) -> dict[ReleasePair, Entry]:
    """Return the moves near the median, ordered by SoC and release."""
    if not moves:
        return {}
    # The root of the ratio to either side of the median, so that the ends differ by the ratio at
    # most.
    reach = math.sqrt(MAX_MOVES_RATIO)
    usual = median(abs(entry.move or 0.0) for entry in moves.values())
    near = {
        pair: entry
        for pair, entry in moves.items()
        if usual / reach <= abs(entry.move or 0.0) <= usual * reach
    }
    order = sorted(near, key=lambda pair: (units.natural(pair.new.soc), version(pair.new.release)))
    return {pair: near[pair] for pair in order}

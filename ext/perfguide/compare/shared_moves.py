"""Moves that several SoCs share in one release, which have one cause and are reported once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from ..bundles.guide_key import version
from ..common import units
from . import wording
from .ledger import Entry
from .select import ReleasePair

MIN_SOCS = 2

MIN_MOVE_LOG = math.log(1.05)
"""The log of the smallest factor worth a line."""

MAX_MOVES_RATIO = 3.0
"""The largest ratio of moves, as logs, that count as the same."""


@dataclass(frozen=True, slots=True)
class SharedMove:
    """Events of one benchmark that went the same way on several SoCs, in releases of one line.

    ``moves`` has the median move of each event, as the log of a factor; above 0 is better. ``shares``
    has the usual change of its figures, without sign. ``boards`` is the number of boards that moved this way, and
    ``against`` that of boards on which figures of the same name went the other way, both at least one for each
    event.
    """

    title: str
    line: str
    pairs: tuple[ReleasePair, ...]
    moves: tuple[float, ...]
    shares: tuple[float, ...]
    proved: int
    boards: int
    against: int

    @property
    def sentence(self) -> str:
        """The move with its range, on how many systems it is proved, and on how many boards figures went
        the other way: ``… worse by 10 to 12 % with 11.02 on 3 systems, all proved; better on 1 board``."""
        ordered = sorted(self.moves, key=abs)
        word, other = ("better", "worse") if ordered[0] > 0 else ("worse", "better")
        once = len(self.pairs) - self.proved
        evidence = f"proved on {self.proved}, not proved on {once}" if once else "all proved"
        systems = f"{len(self.pairs)} systems"
        on = systems if self.boards == len(self.pairs) else f"{self.boards} boards of {systems}"
        against = f"; {other} on {wording.count(self.against, 'board')}" if self.against else ""
        return (
            f"{self.title}: {word}{_span(ordered, self.shares)} with {self.line} "
            f"on {on}, {evidence}{against}"
        )


def shared_moves(compared: Iterable[tuple[ReleasePair, Sequence[Entry]]]) -> list[SharedMove]:
    """Return the moves that several SoCs share: first those for the worse, those on most systems
    first."""
    by: dict[tuple[str, str, bool], dict[ReleasePair, Entry]] = {}
    every: dict[tuple[str, str, bool], list[tuple[ReleasePair, Entry]]] = {}
    titles: dict[str, str] = {}
    for pair, entries in compared:
        for entry in entries:
            # A return to an earlier level was caused by the release before.
            is_back = entry.action in (wording.BACK, wording.MINOR)
            if is_back or entry.is_cause or entry.move is None or abs(entry.move) < MIN_MOVE_LOG:
                continue
            key = (_line(pair.new.release), entry.benchmark, entry.move > 0)
            own = by.setdefault(key, {})
            every.setdefault(key, []).append((pair, entry))
            titles[entry.benchmark] = entry.benchmark_title
            # One event per system: a proved one if there is any, then the one with most rows.
            if pair not in own or _rank(entry) > _rank(own[pair]):
                own[pair] = entry
    out = []
    for (line, benchmark, is_better), own in by.items():
        alike = _alike(own)
        proved = sum(_is_proved(entry) for entry in alike.values())
        if proved and len({pair.new.soc for pair in alike}) >= MIN_SOCS:
            moves = tuple(entry.move or 0.0 for entry in alike.values())
            shares = tuple(
                abs(math.expm1(move)) if entry.share is None else entry.share
                for move, entry in zip(moves, alike.values(), strict=True)
            )
            common = _common([entry.what for entry in alike.values()], titles[benchmark])
            title = _title(common, titles[benchmark], alike.values())
            against = {
                (pair.new.platform, board)
                for pair, entry in every.get((line, benchmark, not is_better), ())
                if {*common} <= {*_parts(entry.what, titles[benchmark])}
                for board in entry.boards
            }
            boards = sum(len(entry.boards) for entry in alike.values())
            pairs = tuple(alike)
            out.append(SharedMove(title, line, pairs, moves, shares, proved, boards, len(against)))
    return sorted(out, key=lambda each: (each.moves[0] > 0, -len(each.pairs), each.sentence))


def _parts(name: str, title: str) -> list[str]:
    return name.removeprefix(title).removeprefix(": ").split(", ")


def _common(names: Sequence[str], title: str) -> list[str]:
    """Return what the names of a benchmark's events have in common, without its title."""
    first, *others = (_parts(name, title) for name in names)
    return [part for part in first if part and all(part in own for own in others)]


def _title(common: Sequence[str], title: str, entries: Iterable[Entry]) -> str:
    """Return a benchmark's title with what its events have in common: ``OpenSSL: throughput, SHA-512``."""
    if common:
        return f"{title}: {', '.join(common)}"
    # The bare title would read as if all of the benchmark had moved.
    is_named = any(any(_parts(entry.what, title)) for entry in entries)
    return f"{title} (different rows on each system)" if is_named else title


def _line(release: str) -> str:
    """Return the first two parts of a release, which SoCs get as, say, ``11.02.05`` or ``11.02.08``."""
    return ".".join(release.split(".")[:2])


def _is_proved(entry: Entry) -> bool:
    return entry.kind in ("regressed", "improved")


def _rank(entry: Entry) -> tuple[bool, int]:
    return _is_proved(entry), entry.rows


def _alike(own: dict[ReleasePair, Entry]) -> dict[ReleasePair, Entry]:
    """Return the moves near the median, ordered by SoC and release."""
    # Within the root of the ratio around the median, so that both ends differ by at most the ratio.
    middle = math.sqrt(MAX_MOVES_RATIO)
    usual = median(abs(entry.move or 0.0) for entry in own.values())
    near = {
        pair: entry
        for pair, entry in own.items()
        if usual / middle <= abs(entry.move or 0.0) <= usual * middle
    }
    order = sorted(near, key=lambda pair: (units.natural(pair.new.soc), version(pair.new.release)))
    return {pair: near[pair] for pair in order}


def _span(moves: Sequence[float], shares: Sequence[float]) -> str:
    """Return the range of moves: `` by 12 to 15 %``, or `` by a factor of 1.9 to 5`` if the largest is a
    factor of two or more. ``moves`` are ordered by their size."""
    if abs(moves[-1]) >= math.log(2):
        ends = [units.factor_text(math.exp(move))[1:] for move in (moves[0], moves[-1])]
        return f" by a factor of {' to '.join(dict.fromkeys(ends))}"
    ends = [units.number(100 * share, digits=2) for share in (min(shares), max(shares))]
    return f" by {' to '.join(dict.fromkeys(ends))} %"

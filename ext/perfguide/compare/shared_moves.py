"""The same move on several SoCs with one release, which has one cause and is reported once."""

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
"""The least move, as the logarithm of a factor, that is worth a line."""

MAX_MOVES_RATIO = 3.0
"""The largest move over the least, as logarithms, of moves that are the same."""


@dataclass(frozen=True, slots=True)
class SharedMove:
    """Events of one benchmark that went one way on several SoCs with releases of one line.

    ``moves`` has the median move of each, as the logarithm of a factor, above 0 is better.
    """

    title: str
    line: str
    pairs: tuple[ReleasePair, ...]
    moves: tuple[float, ...]
    proved: int

    @property
    def sentence(self) -> str:
        """The move with its range, and how much of it is proved: ``10 to 12 % worse with 11.02``."""
        ordered = sorted(self.moves, key=abs)
        word = "better" if ordered[0] > 0 else "worse"
        once = len(self.pairs) - self.proved
        evidence = f"proved on {self.proved}, not proved on {once}" if once else "all proved"
        return (
            f"{self.title}: {word}{_span(ordered[0], ordered[-1])} with {self.line} "
            f"on {len(self.pairs)} systems, {evidence}"
        )


def shared_moves(compared: Iterable[tuple[ReleasePair, Sequence[Entry]]]) -> list[SharedMove]:
    """Return the moves that several SoCs share, those for the worse and on most systems first."""
    by: dict[tuple[str, str, bool], dict[ReleasePair, Entry]] = {}
    titles: dict[str, str] = {}
    for pair, entries in compared:
        for entry in entries:
            # A return to an earlier level has the release before as its cause.
            is_back = entry.action in (wording.BACK, wording.MINOR)
            if is_back or entry.is_cause or entry.move is None or abs(entry.move) < MIN_MOVE_LOG:
                continue
            key = (_line(pair.new.release), entry.benchmark, entry.move > 0)
            own = by.setdefault(key, {})
            titles[entry.benchmark] = entry.benchmark_title
            # One line a system: the event with most rows, a proved one first.
            if pair not in own or _rank(entry) > _rank(own[pair]):
                own[pair] = entry
    out = []
    for (line, benchmark, _), own in by.items():
        alike = _alike(own)
        proved = sum(_is_proved(entry) for entry in alike.values())
        if proved and len({pair.new.soc for pair in alike}) >= MIN_SOCS:
            moves = tuple(entry.move or 0.0 for entry in alike.values())
            title = _common([entry.what for entry in alike.values()], titles[benchmark])
            out.append(SharedMove(title, line, tuple(alike), moves, proved))
    return sorted(out, key=lambda each: (each.moves[0] > 0, -len(each.pairs), each.sentence))


def _common(names: Sequence[str], title: str) -> str:
    """Return the title of a benchmark with what events have in common: ``OpenSSL: throughput, SHA-512``."""
    parts = [name.removeprefix(title).removeprefix(": ").split(", ") for name in names]
    common = [part for part in parts[0] if part and all(part in own for own in parts)]
    if common:
        return f"{title}: {', '.join(common)}"
    # A benchmark as a title would read as if all of it had moved.
    return title if not any(map(any, parts)) else f"{title}, different rows on each"


def _line(release: str) -> str:
    """Return the first two parts of a release: SoCs get it as ``11.02.05`` and ``11.02.08``."""
    return ".".join(release.split(".")[:2])


def _is_proved(entry: Entry) -> bool:
    return entry.kind in ("regressed", "improved")


def _rank(entry: Entry) -> tuple[bool, int]:
    return _is_proved(entry), entry.rows


def _alike(own: dict[ReleasePair, Entry]) -> dict[ReleasePair, Entry]:
    """Return the moves near the median one, the newest releases of all systems first."""
    # Within its root of the median, so that the ends differ by at most the ratio.
    middle = math.sqrt(MAX_MOVES_RATIO)
    usual = median(abs(entry.move or 0.0) for entry in own.values())
    near = {
        pair: entry
        for pair, entry in own.items()
        if usual / middle <= abs(entry.move or 0.0) <= usual * middle
    }
    order = sorted(near, key=lambda pair: (units.natural(pair.new.soc), version(pair.new.release)))
    return {pair: near[pair] for pair in order}


def _span(least: float, largest: float) -> str:
    """Return the range of moves: `` by 12 to 15 %``, or `` by a factor of 1.9 to 5`` if one is a factor of two
    or more."""
    if abs(largest) >= math.log(2):
        ends = [units.factor_text(math.exp(move))[1:] for move in (least, largest)]
        return f" by a factor of {' to '.join(dict.fromkeys(ends))}"
    shares = [units.number(100 * abs(math.expm1(move)), digits=2) for move in (least, largest)]
    return f" by {' to '.join(dict.fromkeys(shares))} %"

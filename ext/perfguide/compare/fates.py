"""The fates of moves: whether the next release that measured a figure kept its change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Literal

from ..bundles.guide_key import version
from ..common import units
from ..common.grouping import grouped
from .comparison import Jumps
from .row import Row

Fate = Literal["lasted", "went back", "both", "neither", "open"]
"""The fate of most rows of an event in the next release, which may have both levels; ``open`` if no
later release has them."""

MIN_JUMPS = 10
"""The fewest far moves in earlier releases for which the share that lasted is mentioned."""

MOSTLY_LASTED = 0.75
"""The share of lasting far moves above which no second measurement is advised."""


def lasted(jumps: Iterable[Jumps]) -> str:
    """Return a sentence on how many far moves in earlier releases lasted; "" if there were few."""
    counts = list(jumps)
    still_there, total = sum(each.lasted for each in counts), sum(each.of for each in counts)
    if total < MIN_JUMPS:
        return ""
    far_jumps = f"Of {total} far jumps of single figures in earlier releases"
    if still_there >= MOSTLY_LASTED * total:
        return f"{far_jumps}, {still_there} were still there in the next one."
    return f"{far_jumps}, {total - still_there} were gone in the next one: measure again before you act."


def fate(row: Row) -> str:
    """Return in words whether the next release kept a change; "" if there is none yet."""
    # What cannot be compared has not moved.
    after = None if row.verdict == "incomparable" else kept(row)
    return f"{_WORDS[after[1]]} {after[0]}" if after and after[1] else ""


_WORDS: Mapping[str, str] = {
    "lasted": "still there in",
    "went back": "reverted in",
    "both": "at both levels in",
}


def of_most(rows: Sequence[Row]) -> tuple[Fate, str]:
    """Return the fate of more than half of the rows that a later release has, and in words the
    release that most of these were measured in next, with their number unless these are all rows:
    ``3 reverted in 05.01``; "" if there is none or they did neither."""
    after = [each for row in rows if (each := kept(row))]
    if not after:
        return "open", ""
    (word, count), *_ = Counter(word for _, word in after).most_common(1)
    if not word or 2 * count <= len(after):
        return "neither", ""
    ((release, count),) = Counter(name for name, each in after if each == word).most_common(1)
    said = f"{_WORDS[word]} {release}"
    return word, said if count == len(rows) else f"{count} {said}"


def kept(row: Row) -> tuple[str, Literal["lasted", "went back", "both", ""]] | None:
    """Return the next release and the fate of a change in it, "" if it kept a part, or ``None``
    without one. A change went back only if no sample of the next release still shows it."""
    # The clocks of later releases are not known here.
    if row.past or row.new is None or row.old is None or row.old.cell.mean is None:
        return None
    now = row.new.guide.release
    if now not in dict(row.line):
        return None
    later = [each for each in row.line if version(each[0]) > version(now)]
    new, old = row.new.cell.mean, row.old.cell.mean
    # Without a move, there is nothing to keep.
    if not later or new is None or new == old:
        return None
    part, *ends = ((value - old) / (new - old) for value in (later[0][1], *row.next_ends))
    if part > 2 / 3:
        return later[0][0], "lasted"
    if part >= 1 / 3:
        return later[0][0], ""
    return later[0][0], "both" if max(ends, default=part) > 2 / 3 else "went back"


def in_words(rows: Sequence[Row], which: str = "") -> list[str]:
    """Return sentences on the fate of rows in the releases that measured them next: ``6 of 10
    reverted and 4 are still there in 05.01.`` or, if only some rows were measured in that release,
    ``All 19 rows that can be followed to 11.01 still show it.`` ``which`` says which rows these
    are, if the event has others."""
    by_release = grouped(filter(None, map(kept, rows)), itemgetter(0))
    out = []
    for release, after in by_release.items():
        counts = Counter(word for _, word in after)
        # Rows between the two come last.
        fates = sorted(counts.items(), key=lambda each: (not each[0], -each[1]))
        if fates[0][0]:
            sentence = _of_all if len(after) == len(rows) else _of_some
            out.append(sentence(fates, len(after), which, release))
    return out


def _of_all(fates: Sequence[tuple[str, int]], total: int, which: str, release: str) -> str:
    (fate, number), *rest = fates
    subject = of_all(number, total)
    if which:
        subject = f"The row{which}" if total == 1 else f"{subject} rows{which}"
    others = [f"{more} {_IS_THERE[word][more > 1]}" for word, more in rest]
    clauses = units.enumeration([f"{subject} {_IS_THERE[fate][number > 1]}", *others])
    return f"{clauses} in {release}."


def _of_some(fates: Sequence[tuple[str, int]], total: int, which: str, release: str) -> str:
    # Others failed in that release, or it did not measure them.
    followed_rows = f"{which} that can be followed to {release}"
    if len(fates) == 1:
        subject = "The row" if total == 1 else f"{of_all(total, total)} rows"
        return f"{subject}{followed_rows} {_SHOWS[fates[0][0]][total > 1]}."
    clauses = units.enumeration([f"{number} {_SHOWS[word][number > 1]}" for word, number in fates])
    return f"Of {total} rows{followed_rows}, {clauses}."


_BETWEEN = ("lies between the two", "lie between the two")
_REVERTED = ("reverted", "reverted")
_AT_BOTH = ("has both levels", "have both levels")
_IS_THERE = {
    "lasted": ("is still there", "are still there"),
    "went back": _REVERTED,
    "both": _AT_BOTH,
    "": _BETWEEN,
}
"""The words for one and several rows, if the next release measured all of them."""

_SHOWS = _IS_THERE | {"lasted": ("still shows it", "still show it")}
"""The words for one and several rows, if the next release measured some of them."""


def of_all(number: int, total: int) -> str:
    """Return the start of a sentence on some of several things: ``All 4``, ``3 of 4``."""
    if total == 1:
        return "It"
    if number < total:
        return f"{number} of {total}"
    return "Both" if total == 2 else f"All {total}"

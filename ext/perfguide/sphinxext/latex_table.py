"""How wide the columns of a table are on paper, and how a wide table is divided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LINE = (("small", 96), ("footnotesize", 108), ("scriptsize", 124))
"""Sizes of type, the largest first, and about how many characters of it a line of A4
paper holds between its margins."""
BETWEEN = 2
"""Characters that the space between two columns takes."""
LONGEST = 26
"""A word of more characters may be broken within a cell."""
PAGE = 30
"""A table of more lines begins where it stands and goes over the page."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some columns of a table that stand beside each other on paper."""

    columns: tuple[int, ...]
    """Their numbers in the table; the row keys are in every part."""
    widths: tuple[int, ...]
    """Their widths in characters."""
    size: str
    """The size of type, as LaTeX calls it."""
    line: int
    """How many characters of this size a line holds."""
    long: bool
    """Whether it may go over the page."""

    def shares(self) -> list[float]:
        """The share of the line that each column takes with the space around it."""
        return [(width + BETWEEN) / self.line for width in self.widths]


def parts(rows: Sequence[Sequence[str]], stub: int, groups: Sequence[str]) -> list[Part]:
    """Divide a table of text so that every part fits on the paper.

    ``rows`` are heads and body, ``stub`` says how many columns are row keys, and
    ``groups`` what stands above each column: those of one board stay together where
    they can. One part with the largest type is taken that fits with no cell broken
    into lines; else one with small type and broken cells; else several.
    """
    width = len(rows[0])
    texts = [[row[column] for row in rows] for column in range(width)]
    whole = [max(map(len, column)) for column in texts]
    least = [max(map(_longest, column)) for column in texts]
    every = tuple(range(width))
    for size, line in LINE[:2]:
        if _taken(whole, every) <= line:
            return [_part(rows, every, whole, size, line)]
    for size, line in LINE[1:]:
        if _taken(least, every) <= line:
            return [_part(rows, every, _shared(whole, least, every, line), size, line)]
    size, line = LINE[1]
    out = []
    for columns in _divided(least, stub, groups, line):
        out.append(_part(rows, columns, _shared(whole, least, columns, line), size, line))
    return out


def _longest(text: str) -> int:
    """The room that a text needs where it is broken between words: a figure with its
    spread into three lines, a text of many words into more."""
    word = min(max(map(len, text.split()), default=0), LONGEST)
    return max(word, -(-len(text) // 3) + 1) if len(text) <= 2 * LONGEST else word


def _taken(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[column] + BETWEEN for column in columns)


def _shared(
    whole: Sequence[int], least: Sequence[int], columns: Sequence[int], line: int
) -> list[int]:
    """What each column needs, and of the rest of the line a share of what it would like."""
    left = max(0, line - _taken(least, columns))
    wished = sum(whole[column] - least[column] for column in columns)
    share = min(1.0, left / wished) if wished else 0.0
    return [low + int((high - low) * share) for high, low in zip(whole, least, strict=True)]


def _divided(
    least: Sequence[int], stub: int, groups: Sequence[str], line: int
) -> list[tuple[int, ...]]:
    """The columns of each part: the keys, then as many whole groups as fit, or, where
    not even one does, as many columns."""
    keys = tuple(range(stub))
    together: list[list[int]] = []
    for column in range(stub, len(least)):
        if together and groups[column] == groups[together[-1][-1]]:
            together[-1].append(column)
        else:
            together.append([column])
    out: list[list[int]] = [[]]
    for group in together:
        fits = _taken(least, (*keys, *group)) <= line
        for step in [group] if fits else [[column] for column in group]:
            if out[-1] and _taken(least, (*keys, *out[-1], *step)) > line:
                out.append([])
            out[-1] += step
    return [(*keys, *columns) for columns in out]


def _part(
    rows: Sequence[Sequence[str]],
    columns: tuple[int, ...],
    widths: Sequence[int],
    size: str,
    line: int,
) -> Part:
    lines = sum(max(_lines(row[column], widths[column]) for column in columns) for row in rows)
    return Part(columns, tuple(widths[column] for column in columns), size, line, lines > PAGE)


def _lines(text: str, width: int) -> int:
    """About how many lines a text takes in a column."""
    return max(1, -(-len(text) // max(1, width)))


def pieces(text: str) -> list[str]:
    """A text cut where a line may end inside a word that is too long for a column."""
    out = [""]
    for number, word in enumerate(text.split(" ")):
        lead = " " if number else ""
        cut = [word[start : start + 8] for start in range(0, len(word), 8)]
        first, *rest = cut if len(word) > LONGEST else [word]
        out[-1] += lead + first
        out += rest
    return out

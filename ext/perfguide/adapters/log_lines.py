"""A log as lines that are safe to match, and conversion of text to numbers.

Nothing here depends on a format, and :mod:`.envelope` has removed whatever a terminal would hide.
Damage (bytes that are not UTF-8, control characters) stays visible as U+FFFD, which no adapter's
pattern allows, so that a damaged row is noticed and never read as a figure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

DAMAGED = "\ufffd"
"""The replacement for bytes that are not text."""

MAX_LINE_BYTES = 20_000
"""The length at which lines are truncated. The longest from a known program, a command with all its
arguments, has a tenth of it."""

# These move the cursor or hide text, so it is unknown what a reader would have seen.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_NUMBER = re.compile(r"[-+]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?")
_WORD = re.compile(r"[^ \t]+")
_NOT_FINITE = re.compile(r"[-+]?(?:nan|inf|infinity)", re.IGNORECASE)
LIKE_FIGURE = re.compile(r"[0-9][.,][0-9]")
"""Anything that looks like a figure with decimals, in any locale."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log: its number, counting from 1, and its text."""

    number: int
    text: str


def holds(*patterns: bytes) -> Callable[[bytes], bool]:
    """Return a function that is true for bytes in which every pattern matches somewhere. In a
    pattern, ``^`` and ``$`` match at the ends of lines."""
    compiled = [re.compile(pattern, re.MULTILINE) for pattern in patterns]
    return lambda data: all(pattern.search(data) for pattern in compiled)


def typed(*programs: str, argument: str = "[!-~]{1,100}") -> re.Pattern[str]:
    """Return a pattern for shell input that runs one of the programs. Its groups are the command,
    without prompt and path, and the program."""
    return re.compile(
        r"(?:[^#$>+]{0,100}[#$>+] ?)?(?:[^;&]{1,100}(?:;|&&) ?){0,5}(?:(?:sudo|time) ){0,2}"
        rf"(?:[!-<>-~]{{0,100}}/)?(({'|'.join(programs)})(?: {argument}){{0,40}})[ \t]*"
    )


def lines(data: bytes) -> Iterator[Line]:
    """Yield the lines of a log. Only line feeds end lines, so that the numbers are those of the
    file. A line longer than ``MAX_LINE_BYTES`` is truncated and ends in ``DAMAGED``."""
    pieces = data.split(b"\n")
    if not pieces[-1]:
        del pieces[-1]  # the end of the last line begins no other
    for number, raw in enumerate(pieces, start=1):
        # This bounds time and memory if a binary file was given as a log.
        if len(raw) > MAX_LINE_BYTES:
            raw = raw[:MAX_LINE_BYTES] + DAMAGED.encode()
        text = raw.decode("utf-8", errors="replace")
        yield Line(number, text if text.isprintable() else _CONTROL.sub(DAMAGED, text))


def figure(text: str) -> float | None:
    """Parse a number as printed by C, including ``nan`` and ``inf``; return ``None`` for anything
    else.

    Decimal commas, digit grouping and digits of other scripts are not accepted.
    """
    if _NUMBER.fullmatch(text):
        return float(text)
    return float(text) if _NOT_FINITE.fullmatch(text) else None


def thousandth(text: str) -> float:
    """Return the number divided by 1000, exact to the digits printed."""
    value = figure(text)
    if value is None or not math.isfinite(value):
        return math.nan if value is None else value
    return float(Decimal(text).scaleb(-3))


def words(text: str) -> list[str]:
    """Return the words of a line, separated only by spaces and tabs."""
    return _WORD.findall(text)

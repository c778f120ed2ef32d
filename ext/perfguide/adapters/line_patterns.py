"""Patterns for lines of a log, with values that are numbers, texts and times.

In a description, ``{name:kind}`` is a value, any blanks match any blanks, ``{? … ?}`` is a part
that some lines lack, and all other characters match themselves. A value never gives back characters
that it has matched, so each line is read in a single pass.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from . import Scalar, log_dates
from .log_lines import figure

KINDS = (
    "number, number.2, int, scaled, size, size.MiB, span, date, word, text, numbers, words"
    " and choices (yes|no)"
)
"""The kinds of values, as listed in messages."""

_PIECE = re.compile(r"\{\?|\?\}|\{([A-Za-z_][A-Za-z0-9_.-]{0,60})?:([^{}]{1,400})\}")
# Quantifiers with + behind them, and (?>…), never give back characters. The time for a line
# grows with its length alone, even for lines that nearly match.
_NUMBER = r"[-+]?+[0-9]{1,30}+%s(?:[eE][-+]?+[0-9]{1,3}+)?+|-?+(?:nan|inf)"
# The number of decimals varies, so truncation would go unnoticed.
_ANY_DECIMALS = r"(?:\.[0-9]++)?+"
_SPAN_OF_TIME = r"(?:[0-9]{1,3}h )?+(?:[0-9]{1,2}min )?+[0-9]{1,6}+(?:\.[0-9]{1,6}+)?+(?:ms|us|s)"
# Programs print a dash for a column without a figure.
_COLUMN_NUMBER = r"(?:[0-9]{1,30}+(?:\.[0-9]{1,9}+)?+|-)(?![^ \t])"
_BUILT_IN = {
    "number": _NUMBER % _ANY_DECIMALS,
    "int": r"[-+]?+[0-9]{1,30}+",
    # k after a number is a prefix; in "5 kernels" it begins a word.
    "scaled": r"[0-9]{1,15}+(?:\.[0-9]{1,9}+)?+(?: ?[kKMGTP](?![A-Za-z]))?+",
    "size": r"[0-9]{1,15}+(?:\.[0-9]{1,9}+)?+(?: ?(?:[kKmMGT]i?B?|B)(?![A-Za-z]))?+",
    "span": _SPAN_OF_TIME,
    "numbers": rf"{_COLUMN_NUMBER}(?:[ \t]++{_COLUMN_NUMBER})*+",
    "words": r"[^ \t\ufffd]++(?:[ \t]++[^ \t\ufffd]++)*+",
    # Wider than any date, so that an impossible one gets its own message.
    "date": r"[0-9]{9,10}+(?![0-9])|[A-Z0-9][A-Za-z0-9:,.+() -]{14,59}",
}
KINDS_OF_COLUMNS = ("numbers", "words")
"""The kinds of values with a part for each column."""
BUILT_IN_KINDS = frozenset({*_BUILT_IN, "word", "text"})
"""The names that a description cannot give to kinds of its own."""

_SIZE_IN = re.compile(r"size\.(B|KiB|MiB|GiB)(?:\.([0-9]))?")
_THOUSANDS = " kMGTP"
_MICROSECONDS = {"h": 3_600_000_000, "min": 60_000_000, "s": 1_000_000, "ms": 1000, "us": 1}


Extent: TypeAlias = Literal["line", "front", "words"]
_AROUND: Mapping[Extent, tuple[str, str]] = {
    "line": (r"[ \t]*+", r"[ \t]*+"),
    "front": (r"[ \t]*+", ".*"),
    "words": (r"(?<![^ \t])", r"(?![^ \t])"),
}


@dataclass(frozen=True, slots=True)
class LinePattern:
    """The pattern of a line: its expression, and the kinds of its values by name, in order."""

    expression: re.Pattern[str]
    kinds: Mapping[str, str]
    front: str
    """The text before the first value, empty if that is too short to recognise the line."""

    def values(self, text: str) -> dict[str, str] | None:
        """Return the values of a line that looks like this, or ``None`` for any other line.

        Values in a missing optional part are empty strings.
        """
        match = self.expression.fullmatch(text)
        return dict(zip(self.kinds, match.groups(""), strict=True)) if match else None


def compile_pattern(
    template: str, custom_kinds: Mapping[str, str], extent: Extent = "line"
) -> LinePattern:
    """Return the pattern that a description writes as ``template``: a line, the front of a line, or
    words in a line. ``custom_kinds`` are expressions by the name of their kind.

    Raises :class:`ValueError` for an invalid template.
    """
    before, behind = _AROUND[extent]
    parts = [before]
    kinds: dict[str, str] = {}
    end = 0
    is_optional = False
    for piece in _PIECE.finditer(template):
        parts.append(_literal(template[end : piece.start()], template))
        end = piece.end()
        name, kind = piece[1], piece[2]
        if piece[0] == "{?":
            if is_optional:
                raise ValueError(f"“{template}” has {{? within another {{? … ?}}")
            is_optional = True
            parts.append("(?:")
        elif piece[0] == "?}":
            if not is_optional:
                raise ValueError(f"“{template}” has ?}} without its {{?")
            is_optional = False
            parts.append(")?+")
        else:
            value = _expression(kind, template, template[end:].removeprefix("{?")[:1], custom_kinds)
            parts.append(f"({value})" if name else f"(?:{value})")
            if name:
                if name in kinds:
                    # The later value would silently replace the earlier one.
                    raise ValueError(
                        f"“{template}” has two values “{name}”; give each a name of its own"
                    )
                kinds[name] = kind
    if is_optional:
        raise ValueError(f"“{template}” has {{? without its ?}}")
    parts += [_literal(template[end:], template), behind]
    front = " ".join(template.partition("{")[0].split())
    try:
        expression = re.compile("".join(parts))
    except re.error as error:
        # Such a kind is a valid expression by itself, but not as part of another.
        raise ValueError(f"“{template}” has a kind that cannot be used: {error}") from None
    return LinePattern(expression, kinds, front if len(front) > 2 else "")


def prefix_expression(front: str) -> str:
    """Return an expression for lines that begin with this text."""
    return r"[ \t]*+" + _blanks(front)


def _expression(
    kind: str, template: str, next_character: str, custom_kinds: Mapping[str, str]
) -> str:
    if kind in custom_kinds:
        return f"(?>{custom_kinds[kind]})"
    if match := re.fullmatch(r"number\.([0-9])", kind):
        return _NUMBER % rf"\.[0-9]{{{match[1]}}}+(?![0-9])"
    if match := _SIZE_IN.fullmatch(kind):
        return rf"[0-9]{{1,15}}+(?:\.[0-9]{{{match[2] or '1,9'}}}+)?+(?![0-9])"
    if kind in _BUILT_IN:
        return f"(?>{_BUILT_IN[kind]})"
    if kind in ("word", "text"):
        stop = "" if next_character in ("", "{") else re.escape(next_character)
        return rf"[^ \t\ufffd{stop}]++" if kind == "word" else rf"[^\ufffd{stop}]++"
    if "|" in kind:
        # Longest first, as no choice is given back for a longer one.
        choices = sorted(kind.split("|"), key=len, reverse=True)
        return f"(?>{'|'.join(map(_blanks, choices))})"
    raise ValueError(_no_value(template))


def _literal(text: str, template: str) -> str:
    if "{" in text:
        raise ValueError(_no_value(template))
    return _blanks(text)


def _no_value(template: str) -> str:
    return f"“{template}” has a {{ that begins no value, as {{rate:number}} does; kinds are {KINDS}"


def _blanks(text: str) -> str:
    """Return literal text as an expression in which blanks match any blanks."""
    return r"[ \t]++".join(re.escape(word) for word in re.split(r"[ \t]+", text))


_BYTES = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
_BYTES_BY_PREFIX = {"": 1, "b": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}


def scalar(text: str, kind: str) -> Scalar | None:
    """Convert a value that is not a figure: to an integer if written as one, sizes to bytes, dates
    to RFC 3339; others stay text.

    ``None`` means that the date does not exist.
    """
    if text and (match := _SIZE_IN.fullmatch(kind)):
        return round(Decimal(text) * _BYTES[match[1]])
    if text and kind == "size":
        digits, prefix = text.rstrip("iBkKmMGT "), text.lstrip("0123456789. ")[:1]
        return round(Decimal(digits) * _BYTES_BY_PREFIX[prefix.lower()])
    if kind == "date" and text:
        return date.created if (date := log_dates.parse(text.strip())) else None
    is_number = kind.partition(".")[0] in ("number", "int")
    return number_or_text(text) if is_number else text.strip()


def number_or_text(text: str) -> Scalar:
    """Return an integer if the text is one, or else the text itself."""
    return int(text) if re.fullmatch("-?[0-9]{1,15}", text) else text.strip()


def figure_and_unit(text: str, kind: str, power: int) -> tuple[float, str] | None:
    """Return the figure that a text states, with its unit or an empty string, or ``None`` if the
    text is not a number.

    ``power`` is the power of ten by which the printed number is multiplied, exactly.
    """
    if kind == "span":
        return _duration_and_unit(text)
    if kind == "scaled" and text[-1:].isalpha():
        power += 3 * _THOUSANDS.index(text[-1].replace("K", "k"))
        text = text[:-1].rstrip()
    value = figure(text)
    if value is not None and power and abs(value) < float("inf"):
        value = float(Decimal(text).scaleb(power))
    return None if value is None else (value, "")


NAME_IN_EQUATION = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_TERM = re.compile(r"(//|[*/]|^) *([A-Za-z0-9_.-]+) *")


def agrees(equation: str, numbers: Mapping[str, tuple[float, float]]) -> bool:
    """Return whether both sides of an equation such as ``size / time = rate`` agree, give or take
    0.1 %. ``numbers`` has the value of each name, and by how much it may be wrong."""
    (low, high), (other_low, other_high) = (
        _range(side.strip(), numbers) for side in equation.split("=")
    )
    return low <= 1.001 * other_high and other_low <= 1.001 * high


def _range(side: str, numbers: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    """Return the least and greatest value of a side, or an empty range if a number is not
    positive."""
    low = high = 1.0
    for sign, name in _TERM.findall(side):
        value, margin = numbers[name] if name in numbers else (float(name), 0.0)
        if value <= margin:
            return math.inf, -math.inf
        if "/" in sign:
            low, high = low / (value + margin), high / (value - margin)
        else:
            low, high = low * (value - margin), high * (value + margin)
        if sign == "//":
            low, high = float(low // 1), float(high // 1)
    return low, high


def _duration_and_unit(span: str) -> tuple[float, str]:
    """Return a duration and its unit: as written if the text has one unit, else in seconds."""
    parts = re.findall(r"([0-9.]+)(h|min|ms|us|s)", span)
    if len(parts) == 1:
        return float(parts[0][0]), parts[0][1]
    # Integers of microseconds preserve every digit.
    return sum(round(float(text) * _MICROSECONDS[unit]) for text, unit in parts) / 1e6, "s"

"""Units: their names and scales, and the one place where numbers become text."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from pathlib import Path
from typing import Literal

Better = Literal["higher", "lower", "neither"]

ARROWS: dict[Better, str] = {"higher": "↑", "lower": "↓", "neither": ""}
"""The arrow that a table head shows next to a unit."""

MISSING = "—"
"""The text of a cell without a measurement."""

FAILED = "failed"
"""The text of a cell whose measurement failed."""

Figure = tuple[float, str, str]
"""A number in a table: its exact value, in the unit of its row or column; its text; and the text
that follows, such as the spread of the samples."""

TableCell = str | Figure
"""The content of a table cell: text or a figure."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its name in bundles, its symbol on pages, and its scale.

    A figure in this unit times ``scale`` is the figure in the base unit of its ``kind``. Only units
    of the same kind can be converted into each other.
    """

    name: str
    kind: str
    scale: float
    symbol: str


SCORE = "score"
"""The unit that is left out when figures appear in a sentence."""


def _unit_table() -> dict[str, Unit]:
    """Return each unit of ``units.toml`` by its name and its other spellings."""
    kinds = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    table: dict[str, Unit] = {}
    for kind, units_of_kind in kinds.items():
        for name, values in units_of_kind.items():
            unit = Unit(name, kind, values["scale"], values.get("symbol", name))
            table |= dict.fromkeys((name, *values.get("spellings", "").split()), unit)
    return table


_UNITS = _unit_table()


def spellings(name: str) -> list[str]:
    """Return all spellings of a known unit, including its name."""
    unit = _UNITS.get(name)
    return [spelling for spelling, entry in _UNITS.items() if entry is unit] or [name]


def known_units() -> list[str]:
    """Return the canonical names, in table order."""
    return list(dict.fromkeys(u.name for u in _UNITS.values()))


def parse(text: str) -> Unit:
    """Return the unit that a bundle's ``unit`` names.

    A unit that is not in the table is a kind of its own: it is shown as written and cannot be
    converted.
    """
    return _UNITS.get(text.strip()) or Unit(text, f"unknown: {text}", 1.0, text)


def factor(source: str, target: str) -> float | None:
    """Return the factor that converts a figure from ``source`` to ``target``.

    It is ``None`` if their kinds differ, and exactly ``1.0`` for two spellings of the same unit.
    """
    a, b = parse(source), parse(target)
    if a.kind != b.kind:
        return None
    return 1.0 if a.name == b.name else a.scale / b.scale


def heading(label: str, unit: str, better: Better = "neither") -> str:
    """Return a label with its unit and direction: ``Throughput (kB/s) ↑``."""
    symbol = parse(unit).symbol
    text = f"{label} ({symbol})" if symbol else label
    return f"{text} {ARROWS[better]}".rstrip()


def unit_cell(unit: str, better: Better) -> str:
    """Return the text of the "Unit" column: ``MB/s ↑``."""
    return f"{parse(unit).symbol} {ARROWS[better]}".strip()


READABLE = {"kB/s": "MB/s", "Kflops": "Mflops"}
"""The unit in which figures read better if all of them are at least 1000."""


def readable(unit: str, values: Collection[float]) -> tuple[str, float]:
    """Return the unit that suits a group of figures best, and the factor to convert to it."""
    best = READABLE.get(parse(unit).name, "")
    scale = factor(unit, best) if best and values and min(values) >= 1000 else None
    return (best, scale) if scale else (unit, 1.0)


def scaled(value: float, scale: float) -> float:
    """Convert a figure without rounding noise: up to 15 significant digits are preserved."""
    return value if scale == 1.0 else float(f"{value * scale:.15g}")


DIGITS = 4
"""The minimum number of significant digits on pages."""


def number(value: float, decimals: int | None = None, digits: int = DIGITS) -> str:
    """Format a finite figure, for pages or, with ``decimals`` decimal places, for files.

    Pages show ``digits`` significant digits but never round the integer part, with commas between
    thousands and no trailing zeros: ``284,939``, ``1,252``, ``24.71``, ``37``. Halves are rounded
    up. Files show a fixed number of decimal places and no commas; a nonzero figure that would read
    as zero gets two significant digits instead, because zero is a result in its own right. Figures
    from 1e15 use powers of ten. The explorer's script formats figures like pages.

    Raises :class:`ValueError` if ``value`` is not finite.
    """
    if not math.isfinite(value):
        raise ValueError(f"not a finite figure: {value!r}")
    if decimals is None:
        return _for_pages(value, digits)
    if abs(value) >= 1e15:
        return f"{value:.6e}"
    text = f"{value:.{decimals}f}"
    if value != 0 and not any(c in "123456789" for c in text):
        return f"{value:.2g}"
    return text.removeprefix("-") if float(text) == 0 else text


def _for_pages(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    size = Decimal(abs(value))
    sign = "−" if value < 0 else ""
    last_place = size.adjusted() - digits + 1
    # The integer part is never rounded, unless shown with a power of ten.
    if size.adjusted() < 15:
        last_place = min(last_place, 0)
    rounded = size.quantize(Decimal(1).scaleb(last_place), ROUND_HALF_UP, _EXACT)
    power = rounded.adjusted()
    if -4 <= power < 15:
        text = f"{rounded:,f}"
        return sign + (text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa = f"{rounded.scaleb(-power, _EXACT):f}"
    return f"{sign}{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{power:+03}"


_EXACT = Context(prec=1100)
"""A context with enough precision to represent any float exactly."""

_IN_FILES = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?")
_END = re.compile(rf"\b(min|max) ({_IN_FILES.pattern})")


def on_pages(figure: Figure) -> str:
    """Return the text of a figure on pages. Text for files that is no plain number, such as
    ``+12.3 %``, is kept."""
    value, text, _ = figure
    return number(value) if _IN_FILES.fullmatch(text) else text


def ends_on_pages(behind: str) -> str:
    """Return the text behind a figure on pages. The ends of its spread get six digits: they are
    single samples, rarely recorded with more."""
    return _END.sub(lambda end: f"{end[1]} {number(float(end[2]), digits=6)}", behind)


def exact(value: float) -> str:
    """Format a figure with all its digits, at most twelve for a computed mean."""
    return f"{value:.12g}"


def exact_words(value: float) -> str:
    """Format a figure as :func:`exact` does, with commas between thousands, for a sentence."""
    return f"{value:,.12g}"


def figure(
    mean: float,
    low: float | None = None,
    high: float | None = None,
    count: int | None = None,
    decimals: int | None = None,
) -> Figure:
    """Format a mean with the range and number of its samples, in full precision unless ``decimals``
    is given.

    The result is ``1252.05 (min 773.99, max 1730.10)``, followed by `` n=3`` if the number of
    samples is known and is not one.
    """

    def text(value: float) -> str:
        return exact(value) if decimals is None else number(value, decimals)

    ends = [f"{name} {text(x)}" for name, x in (("min", low), ("max", high)) if x is not None]
    spread = f" ({', '.join(ends)})" if ends else ""
    samples = f" n={count}" if count is not None and count != 1 else ""
    return mean, text(mean), spread + samples


def optional_figure(value: float | None) -> TableCell:
    """Return the cell of a figure in full precision, an empty one for ``None``."""
    return "" if value is None else figure(value)


def with_noun(number: int, noun: str) -> str:
    """Return a count with its noun: ``1 figure``, ``2,000 figures``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def in_letters(number: int) -> str:
    """Return a number as written in a sentence: in letters up to twelve."""
    return LETTERS[number] if number < len(LETTERS) else f"{number:,}"


LETTERS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def count_cell(number: int) -> Figure:
    """Return the cell of a count, which sorts as a number."""
    return number, str(number), ""


def labelled(value: str | float | bool | None, text: str) -> TableCell:
    """Return the cell that shows a parameter value as ``text``, and sorts by it if it is a
    number; ``None`` means no value."""
    return text if value is None or isinstance(value, str | bool) else (value, text, "")


def whole(cell: TableCell) -> str:
    """Return the full text of a cell."""
    return cell if isinstance(cell, str) else cell[1] + cell[2]


def measurable(value: float) -> bool:
    """Return whether a figure is positive and of plausible size. Beyond these bounds, a quotient of
    two figures may overflow."""
    return 1e-100 < value < 1e100


MAX_RELATIVE_CHANGE = 1e6
"""The largest relative change shown; beyond it, two figures are not comparable."""


def percent(share: float, decimals: int = 1) -> str:
    """Format a relative change in per cent, always with a sign: ``+12.3 %``, ``−5.0 %``."""
    if abs(100 * share) > 100 * MAX_RELATIVE_CHANGE:
        return f"over {'+' if share > 0 else '−'}{100 * MAX_RELATIVE_CHANGE:,.0f} %"
    text = number(100 * share, decimals)
    return f"{text.replace('-', '−') if text.startswith('-') else '+' + text} %"


MIN_FACTOR = 2.0
"""The ratio from which changes are written as factors: “+150 %” next to “−60 %” is misleading."""


def factor_text(ratio: float) -> str:
    """Format a positive ratio as a factor: ``×5.5``, ``÷7``."""
    # The inverse of a tiny ratio overflows.
    size = max(ratio, 1 / ratio)
    if size > MAX_RELATIVE_CHANGE:
        text = f"{number(MAX_RELATIVE_CHANGE)} and more"
    else:
        text = number(size, digits=3 if size < 10 else 2)
    return f"{'×' if ratio > 1 else '÷'}{text}"


def change_text(share: float) -> str:
    """Format a relative change: in per cent with a sign, as a factor from ``MIN_FACTOR`` on, or as
    ``to 0``."""
    ratio = 1 + share
    if ratio == 0:
        return "to 0"
    if ratio > 0 and abs(math.log(ratio)) >= math.log(MIN_FACTOR):
        return factor_text(ratio)
    return percent(share)


def change(share: float) -> Figure:
    """Return a relative change as a figure in per cent, with six digits to keep pages small."""
    limit = 100 * MAX_RELATIVE_CHANGE
    return max(-limit, min(limit, float(f"{100 * share:.6g}"))), change_text(share), ""


_IN_THOUSANDS = re.compile(r"[-+]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?")


def read(text: str) -> float | None:
    """Parse a number that a person wrote in a table; return ``None`` if it is not a number."""
    plain = text.strip().replace("−", "-")
    if _IN_THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if abs(value) <= 1e200 else None


def share(text: str) -> float:
    """Parse a percentage: 0.05 for ``5%``, 0.025 for ``2.5 %``.

    Raises :class:`ValueError` if it is not a percentage of zero or more.
    """
    match = re.fullmatch(r"\s*(\d{1,6}(?:\.\d{1,9})?)\s*%\s*", text, re.ASCII)
    if not match:
        raise ValueError("it is not a percentage, such as 5% or 2.5%")
    return float(match[1]) / 100


def size(count: int | float) -> str:
    """Format a number of bytes: ``16 bytes``, ``4 KiB``, ``1 MiB``.

    Only exact multiples of 1024 are shortened, so nothing is rounded.
    """
    if isinstance(count, float) and not count.is_integer():
        return f"{count!r} bytes"
    total = int(count)
    for power, prefix in ((3, "G"), (2, "M"), (1, "K")):
        scale = 1024**power
        if total and total % scale == 0:
            return f"{total // scale:,} {prefix}iB"
    return "1 byte" if total == 1 else f"{total} bytes"


def short_size(count: int | float) -> str:
    """Format a number of bytes as tools on boards do: ``16``, ``4k``, ``1m``."""
    number, _, unit = size(count).partition(" ")
    return number.replace(",", "") + (unit[0].lower() if unit.endswith("iB") else "")


MAX_NAMES = 4
"""The number of names that a sentence lists; it counts the rest."""


def enumeration(names: Sequence[str]) -> str:
    """Return ``A, B and C``, or ``A, B, C, D and 7 more``."""
    if len(names) > MAX_NAMES + 1:
        return f"{', '.join(names[:MAX_NAMES])} and {len(names) - MAX_NAMES} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def from_to(old: float, new: float, unit: str) -> str:
    """Format two figures in the unit that reads best: ``654.1 → 116.4 MB/s``."""
    chosen, factor = readable(unit, (old, new))
    was, now = (number(scaled(value, factor)) for value in (old, new))
    return f"{was} → {now} {parse(chosen).symbol}".rstrip()


def ends(values: Sequence[float]) -> str:
    """Format the smallest and largest of several figures: ``5 and 6`` for two, ``5 to 6`` for more,
    or ``5`` if they read the same."""
    texts = dict.fromkeys(number(value) for value in (min(values), max(values)))
    return (" and " if len(values) == 2 else " to ").join(texts)


def capital(text: str) -> str:
    """Capitalize the first letter of a text, leaving the rest unchanged."""
    return f"{text[:1].upper()}{text[1:]}"


_SIZE = re.compile(r"([0-9]+)([kmg])b?", re.IGNORECASE)


def in_words(name: str) -> str:
    """Make part of a program's name readable: ``1mb`` becomes a size, separators become blanks."""
    if match := _SIZE.fullmatch(name):
        return size(int(match[1]) * 1024 ** ("kmg".index(match[2].lower()) + 1))
    return name.replace("_", " ").strip(" -/")


def plain(value: str | int | float | bool) -> str:
    """Format a parameter value exactly: ``16``, ``0.5``, ``yes``, ``aes-128-cbc``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else repr(value)


def last_digit(value: float) -> float:
    """Return the value of one unit in the last digit of a figure as written: 0.01 for 14.52."""
    mantissa, _, power = repr(float(value)).partition("e")
    decimals = mantissa.partition(".")[2]
    places = 0 if decimals == "0" else len(decimals)
    return float(10.0 ** (int(power or 0) - places))


_DIGITS = re.compile(r"(\d+)")


@lru_cache(maxsize=2**16)
def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts ``bw-2mb`` before ``bw-16mb``.

    Names that differ only in leading zeros or case get different keys, so that the resulting order
    never depends on the order of the input.
    """
    parts: list[tuple[int, int, str]] = []
    for part in _DIGITS.split(text):
        if part.isdigit() and part.isascii():
            # Longer digit strings are slow to convert, and Python refuses them.
            parts.append((0, int(part[:4000]), ""))
        elif part:
            parts.append((1, 0, part.casefold()))
    return (*parts, (-1, 0, text))

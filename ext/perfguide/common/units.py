"""Names and scales of units, and the one place where a number becomes text."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Literal

Better = Literal["higher", "lower", "neither"]

ARROWS: dict[Better, str] = {"higher": "↑", "lower": "↓", "neither": ""}
"""The sign that a table head shows beside a unit."""

MISSING = "—"
"""What a cell shows where nothing was measured."""

FAILED = "failed"
"""What a cell shows where the measurement was tried and failed."""

Figure = tuple[float, str, str]
"""A number as a table shows it: the number with all its digits, in the unit of its row or
column; its text; and what the cell says behind that, such as the spread of the samples."""

TableCell = str | Figure
"""What stands in a cell of a table: a text or a figure."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: how bundles write it, how pages show it, and its scale.

    A figure in this unit times ``scale`` is the figure in the base unit of its
    ``kind``. Only units of one kind can be converted into each other.
    """

    name: str
    kind: str
    scale: float
    shown: str


SCORE = "score"
"""The unit of figures that a sentence gives without a unit."""


def _unit_table() -> dict[str, Unit]:
    rows: list[tuple[str, str, float, str, str]] = [
        # name, kind, scale, shown, other spellings
        ("B/s", "data rate", 1.0, "B/s", "Bytes/s bytes/sec Bytes/sec byte/s"),
        (
            "kB/s",
            "data rate",
            1e3,
            "kB/s",
            "KB/s KBytes/Sec Kbytes/sec kbytes/s KBps kB/sec KBytes/s",
        ),
        (
            "MB/s",
            "data rate",
            1e6,
            "MB/s",
            "MBs MBytes/sec Mbytes/sec MBytes/s Mbytes/s mb\\s MBps MB/sec",
        ),
        ("GB/s", "data rate", 1e9, "GB/s", "GBs GBytes/sec Gbytes/sec GBytes/s GBps GB/sec"),
        ("KiB/s", "data rate", 1024.0, "KiB/s", "KiBps KiB/sec"),
        ("MiB/s", "data rate", 1024.0**2, "MiB/s", "MiBps MiB/sec"),
        ("GiB/s", "data rate", 1024.0**3, "GiB/s", "GiBps GiB/sec"),
        ("bit/s", "data rate", 0.125, "bit/s", "bits/s bits/sec bps"),
        ("kbit/s", "data rate", 125.0, "kbit/s", "Kbit/s Kbits/sec kbits/s Kbps kbps"),
        ("Mbit/s", "data rate", 125e3, "Mbit/s", "Mbits/sec Mbits/s Mbps 10^6bits/s"),
        ("Gbit/s", "data rate", 125e6, "Gbit/s", "Gbits/sec Gbits/s Gbps"),
        ("s", "time", 1.0, "s", "sec secs second seconds"),
        ("ms", "time", 1e-3, "ms", "msec millisec millisecond milliseconds"),
        ("us", "time", 1e-6, "µs", "usec microsec microsecond microseconds µs μs"),
        ("ns", "time", 1e-9, "ns", "nsec nanosec nanosecond nanoseconds"),
        ("Hz", "frequency", 1.0, "Hz", ""),
        ("kHz", "frequency", 1e3, "kHz", "KHz"),
        ("MHz", "frequency", 1e6, "MHz", "Mhz"),
        ("GHz", "frequency", 1e9, "GHz", "Ghz"),
        ("B", "size", 1.0, "bytes", "byte bytes Bytes"),
        ("kB", "size", 1e3, "kB", "KB"),
        ("MB", "size", 1e6, "MB", "Mbytes MBytes"),
        ("KiB", "size", 1024.0, "KiB", ""),
        ("MiB", "size", 1024.0**2, "MiB", ""),
        ("GiB", "size", 1024.0**3, "GiB", ""),
        ("%", "share", 1.0, "%", "percent"),
        ("PPS", "packet rate", 1.0, "PPS", "pps packets/s packets/sec"),
        ("kPPS", "packet rate", 1e3, "kPPS", "kpps KPPS"),
        ("flops", "floating-point rate", 1.0, "flop/s", "FLOPS flop/s"),
        ("Kflops", "floating-point rate", 1e3, "Kflop/s", "KFLOPS kflops Kflop/s"),
        ("Mflops", "floating-point rate", 1e6, "Mflop/s", "MFLOPS mflops Mflop/s"),
        ("Gflops", "floating-point rate", 1e9, "Gflop/s", "GFLOPS gflops Gflop/s"),
        ("MIPS", "instruction rate", 1.0, "MIPS", "mips"),
        ("DMIPS/MHz", "DMIPS per MHz", 1.0, "DMIPS/MHz", ""),
        ("Dhrystones/s", "Dhrystone rate", 1.0, "Dhrystones/s", "DhrystoneP dhrystones/s"),
        ("iterations/s", "iteration rate", 1.0, "iterations/s", "Iterations/s iterations/sec"),
        ("iterations/min", "iteration rate", 1 / 60, "iterations/min", "lpm"),
        ("H/s", "hash rate", 1.0, "hashes/s", ""),
        ("kH/s", "hash rate", 1e3, "khashes/s", ""),
        ("MH/s", "hash rate", 1e6, "Mhashes/s", ""),
        ("GH/s", "hash rate", 1e9, "Ghashes/s", ""),
        ("workloads/s", "workload rate", 1.0, "workloads/s", "workloads/sec workloads/"),
        ("operations/s", "operation rate", 1.0, "operations/s", "ops/s"),
        ("files", "files", 1.0, "files", ""),
        (SCORE, "score", 1.0, SCORE, "Score"),
        ("fps", "frame rate", 1.0, "frames/s", "FPS frames/s"),
        ("W", "power", 1.0, "W", ""),
        ("mW", "power", 1e-3, "mW", ""),
        ("degC", "temperature", 1.0, "°C", "°C"),
        ("1", "number", 1.0, "", ""),
    ]
    table: dict[str, Unit] = {}
    for name, kind, scale, shown, others in rows:
        unit = Unit(name, kind, scale, shown)
        for spelling in (name, *others.split()):
            table[spelling] = unit
    return table


_UNITS = _unit_table()


def known_units() -> list[str]:
    """Canonical names, in the order of the table."""
    return list(dict.fromkeys(u.name for u in _UNITS.values()))


def parse(text: str) -> Unit:
    """The unit that a bundle's ``unit`` names.

    A unit that is not in the table is its own kind: it shows as written, and
    converts into nothing else.
    """
    return _UNITS.get(text.strip()) or Unit(text, f"unknown: {text}", 1.0, text)


def factor(source: str, target: str) -> float | None:
    """What a figure in ``source`` is multiplied with to be in ``target``.

    ``None`` where the two are not of one kind. Exactly ``1.0`` where they are
    the same unit, however it is spelt.
    """
    a, b = parse(source), parse(target)
    if a.kind != b.kind:
        return None
    return 1.0 if a.name == b.name else a.scale / b.scale


def heading(label: str, unit: str, better: Better = "neither") -> str:
    """A label with its unit and direction: ``Throughput (kB/s) ↑``."""
    shown = parse(unit).shown
    text = f"{label} ({shown})" if shown else label
    return f"{text} {ARROWS[better]}".rstrip()


def unit_cell(unit: str, better: Better) -> str:
    """What the column "Unit" shows: ``MB/s ↑``."""
    return f"{parse(unit).shown} {ARROWS[better]}".strip()


READABLE = {"kB/s": "MB/s", "Kflops": "Mflops"}
"""The unit in which figures read better, where all of them are 1000 and more."""


def readable(unit: str, values: Collection[float]) -> tuple[str, float]:
    """The unit in which figures read best side by side, and what they are multiplied with."""
    best = READABLE.get(parse(unit).name, "")
    scale = factor(unit, best) if best and values and min(values) >= 1000 else None
    return (best, scale) if scale else (unit, 1.0)


def scaled(value: float, scale: float) -> float:
    """A figure times the factor between two units, without the noise of the multiplication: a
    figure of up to 15 digits has the same ones in both units."""
    return value if scale == 1.0 else float(f"{value * scale:.15g}")


DIGITS = 4
"""The significant digits that pages show at least."""


def number(value: float, decimals: int | None = None, digits: int = DIGITS) -> str:
    """A finite figure as text: for pages, or for files with ``decimals`` digits behind the point.

    Pages show ``digits`` significant digits and all those before the point, thousands apart,
    and no zero behind the point that ends a figure: ``284,939``, ``1,252``, ``24.71``, ``37``.
    Halves are rounded up. Files have the same number of digits behind the point in every row,
    and no commas; where those would show a figure other than zero as zero, two significant
    digits are shown instead, because zero is a result of its own. Figures of 1e15 and more
    are in powers of ten. The script of the explorer has the rule for pages too.

    Raises :class:`ValueError` where ``value`` is not finite.
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
    place = size.adjusted() - digits + 1
    if size.adjusted() < 15:
        place = min(place, 0)
    rounded = size.quantize(Decimal(1).scaleb(place), ROUND_HALF_UP, _ENOUGH)
    power = rounded.adjusted()
    if -4 <= power < 15:
        text = f"{rounded:,f}"
        return sign + (text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa = f"{rounded.scaleb(-power, _ENOUGH):f}"
    return f"{sign}{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{power:+03}"


_ENOUGH = Context(prec=1100)
"""Every float has fewer digits than this."""

_IN_FILES = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?")
_END = re.compile(rf"\b(min|max) ({_IN_FILES.pattern})")


def for_pages(figure: Figure) -> Figure:
    """A figure with the text that pages show, where that in files is a plain number.

    The ends of a spread have six digits: they are single samples, and mostly recorded with no
    more. A text such as ``+12.3 %`` stays as it is.
    """
    value, text, behind = figure
    if _IN_FILES.fullmatch(text):
        text = number(value)
    ends = _END.sub(lambda found: f"{found[1]} {number(float(found[2]), digits=6)}", behind)
    return value, text, ends


def exact(value: float) -> str:
    """A figure with every digit that it has, at most twelve for a computed mean."""
    return f"{value:.12g}"


def figure(
    mean: float,
    low: float | None = None,
    high: float | None = None,
    count: int | None = None,
    decimals: int | None = None,
) -> Figure:
    """A mean as text with what is known of the samples behind it, all digits of each number
    without ``decimals``.

    ``1252.05 (min 773.99, max 1730.10)``, with `` n=3`` behind where the
    number of samples is known and is not one.
    """

    def text(value: float) -> str:
        return exact(value) if decimals is None else number(value, decimals)

    ends = [f"{name} {text(x)}" for name, x in (("min", low), ("max", high)) if x is not None]
    spread = f" ({', '.join(ends)})" if ends else ""
    samples = f" n={count}" if count is not None and count != 1 else ""
    return mean, text(mean), spread + samples


def counted(number: int) -> Figure:
    """A number of things."""
    return number, str(number), ""


def labelled(value: str | float | bool | None, text: str) -> TableCell:
    """What a page calls a parameter's value, which may be a number; ``None`` is no value."""
    return text if value is None or isinstance(value, str | bool) else (value, text, "")


def whole(cell: TableCell) -> str:
    """All of the text of a cell."""
    return cell if isinstance(cell, str) else cell[1] + cell[2]


def measurable(value: float) -> bool:
    """Whether a figure is more than nothing, and of a size that something can have: the quotient
    of two that are not may be no number."""
    return 1e-100 < value < 1e100


MOST_CHANGE = 1e6
"""The largest relative change that is said as it is; a larger one is no change of one thing."""


def percent(share: float, decimals: int = 1) -> str:
    """A relative change in per cent, always with its sign: ``+12.3 %``, ``−5.0 %``.

    The script of the explorer has the same rule, for changes between releases that no page
    compares.
    """
    if abs(100 * share) > 100 * MOST_CHANGE:
        return f"over {'+' if share > 0 else '−'}{100 * MOST_CHANGE:,.0f} %"
    text = number(100 * share, decimals)
    return f"{text.replace('-', '−') if text.startswith('-') else '+' + text} %"


def change(share: float) -> Figure:
    """A relative change as a figure in per cent. It is no measurement, and six digits of it
    keep pages light."""
    most = 100 * MOST_CHANGE
    return max(-most, min(most, float(f"{100 * share:.6g}"))), percent(share), ""


_IN_THOUSANDS = re.compile(r"[-+]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?")


def read(text: str) -> float | None:
    """The number that a person has written; ``None`` where the text is none.

    Tables by hand are all that this is for: our own hand over their numbers.
    """
    plain = text.strip().replace("−", "-")
    if _IN_THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if abs(value) <= 1e200 else None


def share(text: str) -> float:
    """What ``5%`` or ``2.5 %`` stands for: 0.05, 0.025.

    Raises :class:`ValueError` where it is not a percentage of zero or more.
    """
    found = re.fullmatch(r"\s*(\d{1,6}(?:\.\d{1,9})?)\s*%\s*", text, re.ASCII)
    if not found:
        raise ValueError("it is not a percentage, such as 5% or 2.5%")
    return float(found[1]) / 100


def size(count: int | float) -> str:
    """A number of bytes as boards' tools write it: ``4k``, ``256k``, ``1m``.

    Only exact multiples of 1024 are shortened, so that nothing is rounded.
    """
    if isinstance(count, float) and not count.is_integer():
        return repr(count)
    whole = int(count)
    for power, suffix in ((3, "g"), (2, "m"), (1, "k")):
        scale = 1024**power
        if whole and whole % scale == 0:
            return f"{whole // scale}{suffix}"
    return str(whole)


def plain(value: str | int | float | bool) -> str:
    """A parameter's value as text, exact: ``16``, ``0.5``, ``yes``, ``aes-128-cbc``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else repr(value)


def last_digit(value: float) -> float:
    """One unit of the last digit that a figure is written with: 0.01 for 14.52."""
    mantissa, _, power = repr(float(value)).partition("e")
    decimals = mantissa.partition(".")[2]
    places = 0 if decimals == "0" else len(decimals)
    return float(10.0 ** (int(power or 0) - places))


_DIGITS = re.compile(r"(\d+)")


@lru_cache(maxsize=2**16)
def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key under which ``bw-2mb`` stands before ``bw-16mb``.

    Names that differ only in leading zeros or case stay told apart, so that an
    order made with it never depends on the order of the input.
    """
    parts: list[tuple[int, int, str]] = []
    for part in _DIGITS.split(text):
        if part.isdigit() and part.isascii():
            parts.append((0, int(part[:4000]), ""))
        elif part:
            parts.append((1, 0, part.casefold()))
    return (*parts, (-1, 0, text))

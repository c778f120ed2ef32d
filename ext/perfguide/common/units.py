"""Names and scales of units, and the one place where a number becomes text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Better = Literal["higher", "lower", "neither"]

ARROWS: dict[Better, str] = {"higher": "↑", "lower": "↓", "neither": ""}
"""The sign that a table head shows beside a unit."""

MISSING = "—"
"""What a cell shows where nothing was measured."""

FAILED = "failed"
"""What a cell shows where the measurement was tried and failed."""


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
        ("workloads/s", "workload rate", 1.0, "workloads/s", "workloads/sec workloads/"),
        ("operations/s", "operation rate", 1.0, "operations/s", "ops/s"),
        ("files", "files", 1.0, "files", ""),
        ("score", "score", 1.0, "score", "Score"),
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


def number(value: float, decimals: int = 2) -> str:
    """A finite figure as text.

    ``decimals`` digits behind the point. Where those would show a figure other
    than zero as zero, two significant digits are shown instead, because zero
    is a result of its own. Figures of 1e15 and more are in powers of ten.

    Raises :class:`ValueError` where ``value`` is not finite.
    """
    if not math.isfinite(value):
        raise ValueError(f"not a finite figure: {value!r}")
    if abs(value) >= 1e15:
        return f"{value:.6e}"
    text = f"{value:.{decimals}f}"
    if value != 0 and not any(c in "123456789" for c in text):
        return f"{value:.2g}"
    return text.removeprefix("-") if float(text) == 0 else text


def exact(value: float) -> str:
    """A figure with every digit that it has, at most twelve for a computed mean."""
    return f"{value:.12g}"


def spread(
    mean: float,
    low: float | None,
    high: float | None,
    count: int | None,
    decimals: int = 2,
) -> str:
    """A mean with what is known of the samples behind it.

    ``1252.05 (min 773.99, max 1730.10)``, with `` n=3`` behind where the
    number of samples is known and is not one.
    """
    text = number(mean, decimals)
    if low is not None or high is not None:
        parts = []
        if low is not None:
            parts.append(f"min {number(low, decimals)}")
        if high is not None:
            parts.append(f"max {number(high, decimals)}")
        text += f" ({', '.join(parts)})"
    if count is not None and count != 1:
        text += f" n={count}"
    return text


def percent(share: float, decimals: int = 1) -> str:
    """A relative change in per cent, always with its sign: ``+12.3 %``, ``−5.0 %``."""
    text = number(100 * share, decimals)
    return f"{text.replace('-', '−') if text.startswith('-') else '+' + text} %"


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

"""Dhrystone, Whetstone, Linpack and NBench as they print their one table or line.

Layouts: dhry_1.c (2.1 and 2.2), whetstone.c of netlib and whets.c of UnixBench,
linpack.c of netlib, and nbench0.c of the Linux port of BYTEmark.

- Dhrystone: ``dhrystone_per_second``; ``dhrystone_per_mhz`` and ``cpu_clock`` where a
  wrapper prints them is not read, as no two wrappers agree.
- Whetstone: ``whetstone`` in MIPS, which some programs call MWIPS.
- Linpack repeats with twice the rounds until they take 10 s: that row, the last of a
  table, is ``linpack`` in Kflops.
- NBench: iterations/s of each test, five significant digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import Context, Reading
from ..log_lines import Line, figure, lines, thousandth
from ..log_sheet import Sheet

_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,9})?|-?inf|-?nan"
# The end of the figure is its one decimal, or the space that is always behind it.
_DHRYSTONES = re.compile(
    r"Dhrystones per Second:[ \t]+([0-9]{1,15}\.[0-9]|[0-9]{1,15}(?= )|-?inf|-?nan)[ \t]*"
)
_DHRYSTONE_HEAD = re.compile(r"Dhrystone Benchmark, Version [12]\.[0-9]")
_PASSES = re.compile(r"This machine benchmarks at ([0-9]{1,12}) dhrystones/second[ \t]*")
_WHETSTONES = re.compile(
    rf"C Converted [Dd]ouble Precision Whetstones: ({_NUMBER}) ([MK])IPS[ \t]*"
)
_MWIPS = re.compile(
    r"MWIPS[ \t]+([0-9]{1,12}\.[0-9]{3}|-?inf|-?nan)[ \t]+[0-9]{1,9}\.[0-9]{3}[ \t]*"
)
_LINPACK_HEAD = re.compile(
    r"[ \t]*Reps[ \t]+Time\(s\)[ \t]+DGEFA[ \t]+DGESL[ \t]+OVERHEAD[ \t]+KFLOPS[ \t]*"
)
_LINPACK_ROW = re.compile(
    r"[ \t]*[0-9]{1,12}[ \t]+([0-9]{1,9})\.[0-9]{2}(?:[ \t]+-?[0-9]{1,3}\.[0-9]{2}%){3}"
    r"[ \t]+([0-9]{1,12}\.[0-9]{3}|-?inf|-?nan)[ \t]*"
)
_NBENCH_ROW = re.compile(
    r"([A-Z][A-Z -]{2,18}?|[ ]{20})[ \t]*:[ \t]+([0-9.]{1,12}(?:e[+-]?[0-9]{1,3})?|-?inf|-?nan)[ \t]+:"
    r"[ \t]+(?:[0-9]+\.[0-9]{2}|inf|nan)[ \t]+:[ \t]+(?:[0-9]+\.[0-9]{2}|inf|nan)[ \t]*"
)
_NBENCH_LIKE = re.compile(
    r"^(?!.*INDEX)[A-Z ]{4,19}[ \t]*:[ \t]+[0-9]|[0-9][ \t]+:[ \t]+[0-9.]*[ \t]*:"
)
_NBENCH_NAMES = (
    "NUMERIC SORT", "STRING SORT", "BITFIELD", "FP EMULATION", "FOURIER",
    "ASSIGNMENT", "IDEA", "HUFFMAN", "NEURAL NET", "LU DECOMPOSITION",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Failure:
    """What a program prints where it measured nothing."""

    sign: str
    benchmark: str
    metric: str
    unit: str


def read_dhrystone(data: bytes, context: Context) -> Reading:
    """Dhrystones a second."""
    sheet = Sheet(context)
    short = _Failure(
        "Measured time too small to obtain", "dhrystone", "dhrystone_per_second", "Dhrystones/s"
    )
    started = 0
    for line in lines(data):
        if _DHRYSTONE_HEAD.match(line.text):
            _unfinished(started, sheet)
            started = line.number
        elif found := _DHRYSTONES.fullmatch(line.text) or _PASSES.fullmatch(line.text):
            started = 0
            _give(line, "dhrystone", "dhrystone_per_second", "Dhrystones/s", found[1], sheet)
        elif re.search(r"Dhrystones per Second|dhrystones/second", line.text):
            started = 0
            sheet.broken(line.number, "the line of Dhrystones a second is cut or damaged")
        elif _failed(line, short, sheet):
            started = 0
    _unfinished(started, sheet)
    return sheet.reading()


def read_whetstone(data: bytes, context: Context) -> Reading:
    """Millions of Whetstone instructions a second."""
    sheet = Sheet(context)
    short = _Failure("Insufficient duration", "whetstone", "whetstone", "MIPS")
    for line in lines(data):
        if found := _WHETSTONES.fullmatch(line.text):
            text = found[1]
            value = figure(text) if found[2] == "M" else thousandth(text)
            if value is not None:
                sheet.figure(line.number, "whetstone", "whetstone", "MIPS", value)
        elif found := _MWIPS.fullmatch(line.text):
            _give(line, "whetstone", "whetstone", "MIPS", found[1], sheet)
        elif re.search(r"Precision Whetst|^MWIPS\b| [MK]?IPS[ \t]*$", line.text):
            sheet.broken(line.number, "the line of Whetstone is cut or damaged")
        else:
            _failed(line, short, sheet)
    return sheet.reading()


def read_linpack(data: bytes, context: Context) -> Reading:
    """The last row of each table, in Kflops."""
    sheet = Sheet(context)
    last: tuple[Line, str] | None = None
    waiting, inside = 0, False
    for line in lines(data):
        text = line.text
        if _LINPACK_HEAD.fullmatch(text):
            sheet.understood(line.number)
            last, inside = None, True
            waiting = line.number
        elif inside and (found := _LINPACK_ROW.fullmatch(text)):
            sheet.understood(line.number)
            # It ends with the first row that took ten seconds.
            last = (line, found[2]) if int(found[1]) >= 10 else None
            waiting = line.number
            if last:
                _give(last[0], "linpack", "linpack", "Kflops", last[1], sheet)
                waiting, inside = 0, False
        elif inside and text.strip("-"):
            sheet.broken(line.number, "the table of Linpack is cut or damaged here")
            waiting, inside = 0, False
    if waiting:
        sheet.broken(waiting, "the table of Linpack is cut: its last row took less than 10 s")
    return sheet.reading()


def read_nbench(data: bytes, context: Context) -> Reading:
    """Iterations a second of each test.

    Where a test's runs vary too much, a warning stands between name and figures.
    """
    sheet = Sheet(context)
    pending = ""
    for line in lines(data):
        text = line.text
        if (found := _NBENCH_ROW.fullmatch(text)) and (found[1].strip() or pending):
            name = found[1].strip() or pending
            if name in _NBENCH_NAMES:
                if pending:
                    sheet.note(line.number, "NBench says that a test's runs vary too much")
                metric = name.lower().replace(" ", "_")
                _give(line, "nbench", metric, "iterations/s", found[2], sheet)
            pending = ""
        elif text.startswith(_NBENCH_NAMES) and re.fullmatch(r"[A-Z ]+:[ \t]*", text):
            pending = text.partition(":")[0].strip()
        elif _NBENCH_LIKE.search(text):
            sheet.broken(line.number, "a row of NBench is cut or damaged")
            pending = ""
        elif pending and not text.startswith("** WARNING: "):
            sheet.broken(line.number, f"the figures of NBench's “{pending}” are missing or damaged")
            pending = ""
    return sheet.reading()


def _give(line: Line, benchmark: str, metric: str, unit: str, text: str, sheet: Sheet) -> None:
    value = figure(text)
    if value is None:
        sheet.broken(line.number, f"“{text[:40]}” is not a number")
    else:
        sheet.figure(line.number, benchmark, metric, unit, value)


def _unfinished(started: int, sheet: Sheet) -> None:
    if started:
        sheet.broken(started, "this run of Dhrystone has no figure: it is cut or damaged")


def _failed(line: Line, sign: _Failure, sheet: Sheet) -> bool:
    if line.text.lstrip().startswith(sign.sign):
        why = f"{sign.benchmark}: {line.text.strip()[:100]}"
        sheet.failure(line.number, sign.benchmark, sign.metric, sign.unit, None, why)
        return True
    return False

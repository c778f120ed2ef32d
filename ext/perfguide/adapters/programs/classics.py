"""Dhrystone, Whetstone, Linpack and NBench as they print their one table or line.

Layouts: dhry_1.c (2.1 and 2.2), whetstone.c of netlib and whets.c of UnixBench,
linpack.c of netlib, and nbench0.c of the Linux port of BYTEmark.

- Dhrystone: ``dhrystone_per_second``; ``dhrystone_per_mhz`` and ``cpu_clock`` where a
  wrapper prints them is not read, as no two wrappers agree. A whole number has no end that
  could show a cut, and is held against the microseconds for one run on the line before.
- Whetstone: ``whetstone`` in MIPS, which some programs call MWIPS; in single precision with
  ``precision``.
- Linpack repeats with twice the rounds until they take 10 s: that row, the last of a
  table, is ``linpack`` in Kflops. Ports stop earlier: their last row counts where another line
  ends the table. Single precision and sizes other than 200 are told by ``precision`` and
  ``array_size``.
- NBench: iterations/s of each test, five significant digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, holds, lines, thousandth
from ..log_sheet import Sheet

_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,9})?|-?inf|-?nan"
# The end of the figure is its one decimal, or the space that is always behind it.
_DHRYSTONES = re.compile(
    r"Dhrystones per Second:[ \t]+([0-9]{1,15}\.[0-9]|[0-9]{1,15}|-?inf|-?nan)([ \t]*)"
)
_ONE_RUN = re.compile(
    r"Microseconds for one run through Dhrystone:[ \t]+([0-9]{1,9}\.([0-9]{1,6}))[ \t]*"
)
_DHRYSTONE_HEAD = re.compile(r"Dhrystone Benchmark, Version [12]\.[0-9]")
_PASSES = re.compile(r"This machine benchmarks at ([0-9]{1,12}) dhrystones/second[ \t]*")
_WHETSTONES = re.compile(
    rf"C Converted ([Dd]ouble|[Ss]ingle) Precision Whetstones: ({_NUMBER}) ([MK])IPS[ \t]*"
)
_MWIPS = re.compile(
    r"MWIPS[ \t]+([0-9]{1,12}\.[0-9]{3}|-?inf|-?nan)[ \t]+[0-9]{1,9}\.[0-9]{3}[ \t]*"
)
_LINPACK_HEAD = re.compile(
    r"[ \t]*Reps[ \t]+Time\(s\)[ \t]+([DS])GEFA[ \t]+\1GESL[ \t]+OVERHEAD[ \t]+KFLOPS[ \t]*"
)
_LINPACK_ROW = re.compile(
    r"[ \t]*[0-9]{1,12}[ \t]+([0-9]{1,9}\.[0-9]{2})(?:[ \t]+-?[0-9]{1,3}\.[0-9]{2}%){3}"
    r"[ \t]+([0-9]{1,12}\.[0-9]{3}|-?inf|-?nan)[ \t]*"
)
# A row that is cut or damaged. What else stands behind a table ends it.
_LINPACK_LIKE = re.compile(r"[ \t\ufffd]*[-+0-9.\ufffd]|[ \t]+$|.*[0-9]%")
_LINPACK_SIZE = re.compile(r"Array size ([0-9]{1,6}) X \1\.[ \t]*")
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
    one_run: re.Match[str] | None = None
    unended = data.count(b"\n") + 1
    for line in lines(data):
        if _DHRYSTONE_HEAD.match(line.text):
            _unfinished(started, sheet)
            started, one_run = line.number, None
        elif found := _ONE_RUN.fullmatch(line.text):
            one_run = found
        elif found := _DHRYSTONES.fullmatch(line.text) or _PASSES.fullmatch(line.text):
            started = 0
            ended = "." in found[1] or not found[1].isdigit() or found[found.lastindex or 1] == " "
            if ended or (line.number != unended and _agrees(found[1], one_run)):
                _give(line, "dhrystone", "dhrystone_per_second", "Dhrystones/s", found[1], sheet)
            else:
                sheet.broken(line.number, "the figure of Dhrystones a second is cut")
            one_run = None
        elif re.search(r"Dhrystones per Second|dhrystones/second", line.text):
            started = 0
            sheet.broken(line.number, "the line of Dhrystones a second is cut or damaged")
        elif _failed(line, short, sheet):
            started = 0
    _unfinished(started, sheet)
    return sheet.reading()


def _agrees(rate: str, one_run: re.Match[str] | None) -> bool:
    """Whether a rate is one by the time of a run, as far as its decimals show."""
    if one_run is None:
        return True
    half = 0.5 * 10.0 ** -len(one_run[2])
    least, most = float(one_run[1]) - half, float(one_run[1]) + half
    return int(rate) * least <= 1.001e6 and int(rate) * most >= 0.999e6


def read_whetstone(data: bytes, context: Context) -> Reading:
    """Millions of Whetstone instructions a second."""
    sheet = Sheet(context)
    short = _Failure("Insufficient duration", "whetstone", "whetstone", "MIPS")
    for line in lines(data):
        if found := _WHETSTONES.fullmatch(line.text):
            text = found[2]
            value = figure(text) if found[3] == "M" else thousandth(text)
            params = _precision(found[1])
            if value is not None:
                sheet.figure(line.number, "whetstone", "whetstone", "MIPS", value, params)
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
    tables: list[_Linpack] = []
    table: _Linpack | None = None
    size = ""
    for line in lines(data):
        text = line.text
        if found := _LINPACK_SIZE.fullmatch(text):
            size = found[1]
        elif found := _LINPACK_HEAD.fullmatch(text):
            params = _precision({"S": "single", "D": "double"}[found[1]])
            if size not in ("", "200"):
                params["array_size"] = int(size)
            table = _Linpack(params, line)
            tables.append(table)
        elif found := _LINPACK_ROW.fullmatch(text):
            if table is None or table.ended or table.broken:
                message = "a row of Linpack is outside its table, which is cut or damaged"
                sheet.broken(line.number, message)
                if table:
                    table.broken = True
            else:
                table.last, table.rate = line, found[2]
                # Netlib's ends with the first row that took ten seconds.
                table.ended = float(found[1]) >= 10
        elif table and not table.ended and (text.strip("-") or not text):
            if _LINPACK_LIKE.match(text):
                sheet.broken(line.number, "the table of Linpack is cut or damaged here")
                table.broken = True
            table.ended = True
        else:
            continue
        sheet.understood(line.number)
    for each in tables:
        if each.rate and each.ended and not each.broken:
            _give(each.last, "linpack", "linpack", "Kflops", each.rate, sheet, each.params)
        elif not each.broken:
            sheet.broken(each.last.number, "the table of Linpack is cut: nothing follows it")
    return sheet.reading()


@dataclass(slots=True)
class _Linpack:
    """A table as far as it was read: its last row, and whether more can follow."""

    params: dict[str, Scalar]
    last: Line
    rate: str = ""
    ended: bool = False
    broken: bool = False


def _precision(word: str) -> dict[str, Scalar]:
    """Double precision is what the two programs are known for, and goes without saying."""
    return {"precision": "single"} if word.lower() == "single" else {}


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


def _give(
    line: Line,
    benchmark: str,
    metric: str,
    unit: str,
    text: str,
    sheet: Sheet,
    params: dict[str, Scalar] | None = None,
) -> None:
    value = figure(text)
    if value is None:
        sheet.broken(line.number, f"“{text[:40]}” is not a number")
    else:
        sheet.figure(line.number, benchmark, metric, unit, value, params)


def _unfinished(started: int, sheet: Sheet) -> None:
    if started:
        sheet.broken(started, "this run of Dhrystone has no figure: it is cut or damaged")


def _failed(line: Line, sign: _Failure, sheet: Sheet) -> bool:
    if line.text.lstrip().startswith(sign.sign):
        why = f"{sign.benchmark}: {line.text.strip()[:100]}"
        sheet.failure(line.number, sign.benchmark, sign.metric, sign.unit, None, why)
        return True
    return False


DHRYSTONE = Format(
    name="dhrystone",
    title="Dhrystone 2.1, 2.2",
    example="Dhrystones per Second:                      5000000.0 \n",
    recognises=holds(rb"Dhrystones per Second:|dhrystones/second|Dhrystone Benchmark, Version"),
    read=read_dhrystone,
)
WHETSTONE = Format(
    name="whetstone",
    title="Whetstone: netlib's whetstone.c, UnixBench's whets.c",
    example="C Converted Double Precision Whetstones: 5000.0 MIPS\n",
    recognises=holds(
        rb"Precision Whetstones:|^MWIPS +[0-9]|^Insufficient duration- Increase the LOOP"
    ),
    read=read_whetstone,
)
LINPACK = Format(
    name="linpack",
    title="Linpack, netlib's linpack.c",
    example="""\
    Reps Time(s) DGEFA   DGESL  OVERHEAD    KFLOPS
----------------------------------------------------
    4096   8.52  84.41%   2.37%  13.22%  757920.102
    8192  17.03  84.40%   2.38%  13.22%  758310.274

""",
    recognises=holds(rb"Reps +Time\(s\) +[DS]GEFA +[DS]GESL +OVERHEAD +KFLOPS"),
    read=read_linpack,
)
NBENCH = Format(
    name="nbench",
    title="NBench (BYTEmark), port for Linux",
    example="""\
TEST                : Iterations/sec.  : Old Index   : New Index
                    :                  : Pentium 90* : AMD K6/233*
--------------------:------------------:-------------:------------
NUMERIC SORT        :          1135.5  :      29.12  :       9.56
STRING SORT         :          640.23  :     286.07  :      44.28
""",
    recognises=holds(rb"^TEST +: Iterations/sec\.|^BYTEmark\*"),
    read=read_nbench,
)

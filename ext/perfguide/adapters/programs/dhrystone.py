"""Dhrystone 2.1 and 2.2: Dhrystones per second."""

from __future__ import annotations

import re

from .. import Context, Format, Reading
from ..log_lines import holds, lines
from ..log_sheet import Sheet

_RESULT = ("dhrystone", "dhrystone_per_second", "Dhrystones/s")
# Layout: dhry_1.c. ``dhrystone_per_mhz`` and ``cpu_clock`` of wrappers are not read, because no
# two wrappers agree on them.
# A complete figure ends with its one decimal, or with the space that the program always prints after it.
_DHRYSTONES = re.compile(
    r"Dhrystones per Second:[ \t]+([0-9]{1,15}\.[0-9]|[0-9]{1,15}|-?inf|-?nan)([ \t]*)"
)
_ONE_RUN = re.compile(
    r"Microseconds for one run through Dhrystone:[ \t]+([0-9]{1,9}\.([0-9]{1,6}))[ \t]*"
)
_DHRYSTONE_HEAD = re.compile(r"Dhrystone Benchmark, Version [12]\.[0-9]")
_PASSES = re.compile(r"This machine benchmarks at ([0-9]{1,12}) dhrystones/second[ \t]*")


def read(data: bytes, context: Context) -> Reading:
    """Return the Dhrystones per second of each run."""
    sheet = Sheet(context)
    head_line = 0
    one_run: re.Match[str] | None = None
    unended_line = data.count(b"\n") + 1
    for line in lines(data):
        if _DHRYSTONE_HEAD.match(line.text):
            _report_unfinished(head_line, sheet)
            head_line, one_run = line.number, None
        elif match := _ONE_RUN.fullmatch(line.text):
            one_run = match
        elif match := _DHRYSTONES.fullmatch(line.text) or _PASSES.fullmatch(line.text):
            head_line = 0
            ended = "." in match[1] or not match[1].isdigit() or match[match.lastindex or 1] == " "
            if ended or (line.number != unended_line and _agrees(match[1], one_run)):
                sheet.figure(line.number, *_RESULT, float(match[1]))
            else:
                sheet.broken(line.number, "the figure of Dhrystones a second is cut")
            one_run = None
        elif re.search(r"Dhrystones per Second|dhrystones/second", line.text):
            head_line = 0
            sheet.broken(line.number, "the line of Dhrystones a second is cut or damaged")
        elif line.text.lstrip().startswith("Measured time too small to obtain"):
            head_line = 0
            sheet.failure(line.number, *_RESULT, None, f"dhrystone: {line.text.strip()[:100]}")
    _report_unfinished(head_line, sheet)
    return sheet.reading()


def _agrees(rate: str, one_run: re.Match[str] | None) -> bool:
    """Return whether a rate is the inverse of the time per run, within its decimals."""
    if one_run is None:
        return True
    # Both numbers are rounded; a lost digit changes their product by far more.
    half = 0.5 * 10.0 ** -len(one_run[2])
    least, most = float(one_run[1]) - half, float(one_run[1]) + half
    return int(rate) * least <= 1.001e6 and int(rate) * most >= 0.999e6


def _report_unfinished(head_line: int, sheet: Sheet) -> None:
    if head_line:
        sheet.broken(head_line, "this run of Dhrystone has no figure: it is cut or damaged")


FORMAT = Format(
    name="dhrystone",
    title="Dhrystone 2.1, 2.2",
    example="Dhrystones per Second:                      5000000.0 \n",
    recognises=holds(rb"Dhrystones per Second:|dhrystones/second|Dhrystone Benchmark, Version"),
    read=read,
)

"""ramlat of ramspeed: the latency of each way to access a buffer, by its size."""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, words
from ..log_rows import row, scan
from ..log_sheet import Sheet

# Layout: ramlat.c.
_SIZE = re.compile(r"([0-9]{1,9})([kKmM]?)")


def read(data: bytes, context: Context) -> Reading:
    """The latency of each way to access a buffer, by its size."""
    sheet = Sheet(context)
    kinds: list[str] = []

    def head(line: Line, match: re.Match[str]) -> None:
        kinds[:] = words(match[1])

    def latencies(line: Line, match: re.Match[str]) -> None:
        cells = words(match[2])
        if len(cells) != len(kinds):
            sheet.broken(line.number, "a row of ramlat has not as many figures as its head")
            return
        size = _bytes(match[1])
        for kind, text in zip(kinds, cells, strict=True):
            params: dict[str, Scalar] = {"buffer_size": size, "access": kind}
            sheet.figure(line.number, "ramlat", "latency", "ns", float(text), params)

    rows = (
        row(r" +size: +1x", r" +size:((?: +[1-8]x(?:32|64|PTR)){1,16})[ \t]*", head),
        # The space behind the last figure, or its four digits, show that it was not cut.
        row(
            r" {0,12}[0-9]{1,9}[kKmM]: [0-9]",
            r" *([0-9]{1,9}[kKmM]?):((?: +[0-9]{1,6}(?:\.[0-9]{1,3})?){0,15} +"
            r"(?:[0-9]{1,6}(?:\.[0-9]{1,3})? |(?=[0-9.]{5})[0-9]{1,4}\.[0-9]{1,3}))[ \t]*",
            latencies,
        ),
    )
    scan(data, "ramlat", rows, sheet)
    return sheet.reading()


def _bytes(text: str) -> int:
    match = _SIZE.fullmatch(text)
    assert match, text
    return int(match[1]) * {"": 1, "k": 1024, "m": 1024**2}[match[2].lower()]


FORMAT = Format(
    name="ramlat",
    title="ramlat of ramspeed",
    example=(
        "   size:  1x32  2x32  1x64  2x64 1xPTR 2xPTR 4xPTR 8xPTR\n"
        "     4k: 1.678 1.669 1.668 1.667 1.667 1.669 1.667 3.173 \n"
    ),
    recognises=holds(rb"^ +size: +1x32 +2x32 "),
    read=read,
)

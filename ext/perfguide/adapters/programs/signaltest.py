"""signaltest of rt-tests: the minimum, mean and maximum latency of each thread, in µs.

Layout: signaltest.c. Only the last line of each thread counts.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds
from ..log_rows import row, scan
from ..log_sheet import Sheet


def read(data: bytes, context: Context) -> Reading:
    """Return the minimum, mean and maximum latency of each thread, from its last line."""
    sheet = Sheet(context)
    last: dict[str, tuple[Line, re.Match[str]]] = {}
    # If the screen is redrawn, the last line of a thread may appear twice.
    redrawn = re.search(rb"\x1b\[[0-9]{1,4}A", data) is not None

    def thread(line: Line, match: re.Match[str]) -> None:
        before = last.get(match[1])
        if before and int(before[1][2]) - redrawn >= int(match[2]):
            give(last.pop(match[1]))
        last[match[1]] = (line, match)

    def beginning(line: Line, match: re.Match[str]) -> None:
        if match[1] in last:
            for final in last.values():
                give(final)
            last.clear()

    def give(final: tuple[Line, re.Match[str]]) -> None:
        line, match = final
        params: dict[str, Scalar] = {"thread": int(match[1])}
        for text, name in ((match[3], "min"), (match[4], "avg"), (match[5], "max")):
            metric = f"latency_{name}"
            sheet.figure(line.number, "signaltest", metric, "us", float(text), params, zero=True)

    # Figures are padded to seven characters, so truncated ones are too short.
    whole = (
        r"T:[ 0-9]{0,2}?([0-9]{1,3}) \([ 0-9]{1,9}\) P:[ 0-9]{2,4} C:(?= *[0-9])[ ]{0,7}([0-9]{1,12})"
        r" Min:(?=[ 0-9]{7})[ ]{0,7}([0-9]{1,12}) Act:[ ]{0,7}-?[0-9]{1,12}"
        r" Avg:[ ]{0,7}([0-9]{1,12}) Max:(?=[ 0-9]{8})[ ]{0,8}([0-9]{1,12})[ \t]*"
    )
    begins = r"T:[ 0-9]{1,4} \([ 0-9]{1,9}\) P:[ 0-9]{2,4} C:"
    # Before its first signal a thread has what its counters begin with: where it had other ones
    # before, this is the next run.
    front = r"T:[ 0-9]{0,2}?([0-9]{1,3}) \([ 0-9]{1,9}\) P:[ 0-9]{2,4} C:"
    none_yet = rf"{front} {{6}}0 Min:1000000 Act: {{4}}0 Avg: {{4}}0 Max:-1000000[ \t]*"
    rows = (row(none_yet, none_yet, beginning), row(begins, whole, thread))
    scan(data, "signaltest", rows, sheet)
    for final in last.values():
        give(final)
    return sheet.reading()


FORMAT = Format(
    name="signaltest",
    title="signaltest of rt-tests",
    example="T: 0 ( 2708) P:80 C:    200 Min:     29 Act:   32 Avg:  151 Max:    8259\n",
    recognises=holds(rb"^T: *[0-9]+ \( *[0-9]+\) P: *[0-9]+ C: *[0-9]+ Min: "),
    read=read,
)

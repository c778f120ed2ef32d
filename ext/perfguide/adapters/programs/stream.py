"""STREAM's table, versions 5.x.

Layout: stream.c. The best rate of each kernel is in MB/s (10^6 bytes), bytes read and
bytes written both counted. Up to 5.8 the column is called ``Rate (MB/s)``.
A table is a result only where STREAM says that its arrays hold what they should.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .. import Context, Format, Reading
from ..log_lines import figure, holds, lines
from ..log_sheet import Sheet

EXAMPLE = """\
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:            1144.2     0.036576     0.027967     0.049050
Scale:           2664.4     0.031594     0.012010     0.056005
Add:             1997.8     0.037904     0.024027     0.044006
Triad:           1781.9     0.033927     0.026938     0.054142
-------------------------------------------------------------
Solution Validates: avg error less than 1.000000e-13 on all three arrays
"""

_HEAD = re.compile(r"Function[ \t]+(?:Best )?Rate[ \t]+\(?MB/s\)?[ \t]+.*")
_ROW = re.compile(
    r"(Copy|Scale|Add|Triad):[ \t]+([0-9]{1,9}\.[0-9]{1,4}|-?inf|-?nan)"
    r"((?:[ \t]+(?:[0-9]{1,9}\.[0-9]{4,6}|-?inf|-?nan)){3})[ \t]*"
)
_VERSION = re.compile(r"STREAM version \$Revision: ([0-9.]{1,20}) \$")


@dataclass(slots=True)
class _Table:
    rows: list[tuple[int, str, float]] = field(default_factory=list)
    broken: bool = False


def read(data: bytes, context: Context) -> Reading:
    """The four rates of each table."""
    sheet = Sheet(context)
    table: _Table | None = None
    for line in lines(data):
        text = line.text
        if _HEAD.fullmatch(text):
            _unproven(table, sheet)
            table = _Table()
        elif found := _VERSION.fullmatch(text):
            sheet.fact("tools.stream", found[1])
        elif table is not None and (found := _ROW.fullmatch(text)):
            value = figure(found[2])
            if value is not None:
                table.rows.append((line.number, found[1].lower(), value))
        elif table is not None and re.match(r".{0,3}(?:Copy|Scale|Add|Triad)\b", text):
            sheet.broken(line.number, "a row of STREAM's table is cut or damaged")
            table.broken = True
            continue
        elif text.startswith("Solution Validates"):
            _give(table, sheet)
            table = None
        elif text.lstrip().startswith("Failed Validation on array"):
            for number, metric, _ in table.rows if table else []:
                why = "STREAM's arrays do not hold what they should"
                sheet.failure(number, "stream", metric, "MB/s", None, why)
            table = None
        else:
            continue
        sheet.understood(line.number)
    _unproven(table, sheet)
    return sheet.reading()


def _give(table: _Table | None, sheet: Sheet) -> None:
    for number, metric, value in table.rows if table else []:
        sheet.figure(number, "stream", metric, "MB/s", value)
    if (
        table
        and not table.broken
        and {row[1] for row in table.rows} != {"copy", "scale", "add", "triad"}
    ):
        sheet.broken(None, "a table of STREAM lacks rows: they are cut or damaged")


def _unproven(table: _Table | None, sheet: Sheet) -> None:
    if table and table.rows:
        number = table.rows[0][0]
        sheet.broken(number, "STREAM's table has no word on whether its solution validates")


FORMAT = Format(
    name="stream",
    title="STREAM 5.x",
    example=EXAMPLE,
    recognises=holds(rb"^Function +(?:Best )?Rate +\(?MB/s|^STREAM version \$Revision"),
    read=read,
)

"""Linpack, netlib's linpack.c: Kflops.

The program doubles the number of repetitions until they take 10 s: that row, the last of a table,
is the result. Ports stop earlier; their last row counts if another line ends the table. Single
precision and sizes other than 200 become the parameters ``precision`` and ``array_size``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, lines
from ..log_sheet import Sheet

_LINPACK_HEAD = re.compile(
    r"[ \t]*Reps[ \t]+Time\(s\)[ \t]+([DS])GEFA[ \t]+\1GESL[ \t]+OVERHEAD[ \t]+KFLOPS[ \t]*"
)
_LINPACK_ROW = re.compile(
    r"[ \t]*[0-9]{1,12}[ \t]+([0-9]{1,9}\.[0-9]{2})(?:[ \t]+-?[0-9]{1,3}\.[0-9]{2}%){3}"
    r"[ \t]+([0-9]{1,12}\.[0-9]{3}|-?inf|-?nan)[ \t]*"
)
# A truncated or damaged row. Any other line after a table ends it.
_LINPACK_LIKE = re.compile(r"[ \t\ufffd]*[-+0-9.\ufffd]|[ \t]+$|.*[0-9]%")
_LINPACK_SIZE = re.compile(r"Array size ([0-9]{1,6}) X \1\.[ \t]*")


def read(data: bytes, context: Context) -> Reading:
    """Return the last row of each table, in Kflops."""
    sheet = Sheet(context)
    tables: list[_Linpack] = []
    table: _Linpack | None = None
    size = ""
    has_lost_size = False
    for line in lines(data):
        text = line.text
        if match := _LINPACK_SIZE.fullmatch(text):
            size = match[1]
            has_lost_size = False
        elif text.lstrip().startswith("Array s"):
            sheet.broken(line.number, "the size of the arrays of Linpack is cut or damaged")
            has_lost_size = True
        elif match := _LINPACK_HEAD.fullmatch(text):
            # Double precision is the usual one.
            params: dict[str, Scalar] = {"precision": "single"} if match[1] == "S" else {}
            if size not in ("", "200"):
                params["array_size"] = int(size)
            table = _Linpack(params, line, broken=has_lost_size)
            tables.append(table)
        elif match := _LINPACK_ROW.fullmatch(text):
            if table is None or table.ended or table.broken:
                message = "a row of Linpack is outside its table, which is cut or damaged"
                sheet.broken(line.number, message)
                if table:
                    table.broken = True
            else:
                table.last, table.rate = line, match[2]
                # Netlib's ends with the first row that took ten seconds.
                table.ended = float(match[1]) >= 10
        elif table and not table.ended and (text.strip("-") or not text):
            if _LINPACK_LIKE.match(text):
                sheet.broken(line.number, "the table of Linpack is cut or damaged here")
                table.broken = True
            table.ended = True
        else:
            continue
        sheet.understood(line.number)
    for rows in tables:
        # Earlier rows ran for a shorter time and only show how the rounds grew.
        if rows.rate and rows.ended and not rows.broken:
            number, rate = rows.last.number, float(rows.rate)
            sheet.figure(number, "linpack", "linpack", "Kflops", rate, rows.params)
        elif not rows.broken:
            sheet.broken(rows.last.number, "the table of Linpack is cut: nothing follows it")
    return sheet.reading()


@dataclass(slots=True)
class _Linpack:
    """A table as far as it was read: its last row, and whether more can follow."""

    params: dict[str, Scalar]
    last: Line
    rate: str = ""
    ended: bool = False
    broken: bool = False


FORMAT = Format(
    name="linpack",
    title="Linpack, netlib's linpack.c",
    example="""\
    Reps Time(s) DGEFA   DGESL  OVERHEAD    KFLOPS
----------------------------------------------------
    4096   8.52  84.41%   2.37%  13.22%  757920.102
    8192  17.03  84.40%   2.38%  13.22%  758310.274

""",
    recognises=holds(rb"Reps +Time\(s\) +[DS]GEFA +[DS]GESL +OVERHEAD +KFLOPS"),
    read=read,
)

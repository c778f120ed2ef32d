"""U-Boot's transfers: ``4194304 bytes read in 200 ms (20 MiB/s)``.

The line does not name the device, so the benchmark is ``u-boot`` or the one stated in the context
(``benchmark=u-boot-emmc``).
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading
from ..log_lines import figure, holds, lines
from ..log_sheet import Sheet

EXAMPLE = """\
=> load mmc 1:1 ${loadaddr} 4m.bin
4194304 bytes read in 200 ms (20 MiB/s)
"""

# Layout: ``do_load`` and ``do_save`` in fs/fs.c, ``print_size`` in lib/display_options.c, which
# writes one decimal and the units of 1024 (MiB, KiB, Bytes). The figure that is printed is the
# result; where the time is 0 ms there is none.
_LINE = re.compile(
    r"([0-9]{1,15}) bytes (read|written) in ([0-9]{1,9}) ms"
    r"(?: \(([0-9]{1,9}(?:\.[0-9])?) (Bytes|KiB|MiB|GiB)/s\))?[ \t]*"
)
_UNITS = {"Bytes": "B/s", "KiB": "KiB/s", "MiB": "MiB/s", "GiB": "GiB/s"}


def read(data: bytes, context: Context) -> Reading:
    """Return the rate of each transfer, with the size of the file."""
    sheet = Sheet(context)
    for line in lines(data):
        match = _LINE.fullmatch(line.text)
        if match is None:
            if re.search(r"bytes (?:read|written)\b|[0-9] ms \(|iB/s\)", line.text):
                sheet.broken(line.number, "the line of a transfer is cut or damaged")
            continue
        sheet.understood(line.number)
        size, milliseconds = int(match[1]), int(match[3])
        metric = "read_throughput" if match[2] == "read" else "write_throughput"
        rate = figure(match[4] or "")
        if rate is None:
            sheet.broken(line.number, "the transfer has no rate: it was too short, or is cut")
            continue
        unit = _UNITS[match[5]]
        if not _agrees(size, milliseconds, rate, unit):
            sheet.broken(line.number, "size, time and rate do not agree: the line is damaged")
            continue
        benchmark = sheet.benchmark("u-boot")
        sheet.figure(line.number, benchmark, metric, unit, rate, {"file_size": size})
    return sheet.reading()


def _agrees(size: int, milliseconds: int, rate: float, unit: str) -> bool:
    """Return whether the rate equals size divided by time, given U-Boot's rounding."""
    scale = {"B/s": 1, "KiB/s": 1024, "MiB/s": 1024**2, "GiB/s": 1024**3}[unit]
    # U-Boot prints no rate then, so the figure is damaged.
    if milliseconds == 0:
        return False
    # fs.c divides integers: bytes by ms, times 1000.
    exact = size // milliseconds * 1000 / scale
    return abs(exact - rate) <= 0.06 + 0.001 * exact


FORMAT = Format(
    name="u-boot",
    title="U-Boot: bytes read or written in ms",
    example=EXAMPLE,
    recognises=holds(rb"[0-9] bytes (?:read|written) in [0-9]+ ms"),
    read=read,
)

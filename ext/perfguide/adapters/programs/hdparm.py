"""``hdparm -tT``: how fast a device is read, cached and from the medium.

Layout: ``time_cache`` and ``time_device`` in hdparm.c. The figures are in what
hdparm calls ``MB/sec`` (or ``kB/sec`` for slow devices) and are given as printed,
as published figures of it are; hdparm itself counts 1,048,576 bytes as one MB.

What the device is, hdparm cannot know: the benchmark is ``hdparm`` with the
parameter ``device``, or what the context states (``benchmark=dm-crypt``). Each trial
is a result of its own; they pool as samples.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import figure, holds, lines
from ..log_sheet import Sheet

EXAMPLE = """\
/dev/mapper/crypt:
 Timing cached reads:   550 MB in  2.00 seconds = 274.86 MB/sec
 Timing buffered disk reads:  42 MB in  3.11 seconds =  13.52 MB/sec
"""

_DEVICE = re.compile(r"[ \t]*(/[!-9;-~]{1,200}):[ \t]*")
_ROW = re.compile(
    r"[ \t]*Timing (O_DIRECT )?(cached reads|buffered disk reads|disk reads)"
    r"(?: \(offset [0-9]+ GB\))?:"
    r"[ \t]+[0-9]+ MB in[ \t]+[0-9]+\.[0-9]{2} seconds[ \t]*=[ \t]*"
    r"([0-9]{1,9}\.[0-9]{2}|-?inf|-?nan) (MB|kB)/sec[ \t]*"
)
_LIKE = re.compile(r"[0-9] MB in |[kM]B/sec")
_TRIAL = re.compile(r"reads|MB")
"""What follows ``Timing`` on a line that is cut or damaged."""
_METRICS = {"cached reads": "cached_read"}
_FAILED = re.compile(r"[ \t]*(?:read\(\) failed|HDIO_DRIVE|BLKGETSIZE).*|.*: Permission denied.*")


def read(data: bytes, context: Context) -> Reading:
    """The cached and the buffered reads of each trial."""
    sheet = Sheet(context)
    device = ""
    for line in lines(data):
        if found := _DEVICE.fullmatch(line.text):
            device = found[1]
        elif found := _ROW.fullmatch(line.text):
            params: dict[str, Scalar] = {"direct": True} if found[1] else {}
            if device and not sheet.stated("benchmark"):
                params["device"] = device
            value = figure(found[3])
            if value is not None:
                metric = _METRICS.get(found[2], "buffered_read")
                sheet.figure(
                    line.number,
                    sheet.benchmark("hdparm"),
                    metric,
                    f"{found[4]}/s",
                    value,
                    params,
                )
        elif _LIKE.search(line.text) or _TRIAL.search(line.text.partition("Timing ")[2]):
            sheet.broken(line.number, "a line of hdparm is cut or damaged")
            continue
        elif _FAILED.fullmatch(line.text):
            sheet.failed(line.number, f"hdparm: {line.text.strip()[:200]}")
        else:
            continue
        sheet.understood(line.number)
    return sheet.reading()


FORMAT = Format(
    name="hdparm",
    title="hdparm -tT: cached and buffered reads",
    example=EXAMPLE,
    recognises=holds(rb"^[ \t]*Timing (?:O_DIRECT )?(?:cached|buffered disk|disk) "),
    read=read,
)

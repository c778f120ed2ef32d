"""ALSA's arecord and aplay under ``time -v``, with the number of bytes transferred."""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, holds, lines
from ..log_sheet import Sheet

EXAMPLE = """\
Recording raw data '/tmp/a.raw' : Signed 16 bit Little Endian, Rate 48000 Hz, Stereo
\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:10.01
1920000 /tmp/a.raw
"""

# Layout: ``header`` in aplay.c of alsa-utils, the elapsed time of GNU and BusyBox ``time -v``, and
# ``wc -c`` on the resulting file. The throughput is the bytes divided by the time, which includes opening
# and closing the device: it shows the real rate of the hardware. The CPU load is read by the format
# ``gnu-time``. Only 16 bits and two channels are supported, as in the guides.
_HEAD = re.compile(
    r"(Recording|Playing) [A-Za-z.]{2,20} (?:data )?'([^']{1,200})' : (.{1,60}), Rate ([0-9]{3,6}) Hz, (.{4,20})"
)
_LIKE_HEAD = re.compile(r"(?:Recording|Playing) [A-Za-z.]{2,20} (?:data )?'.*")
_ELAPSED = re.compile(
    r"[ \t]*Elapsed \(wall clock\) time \(h:mm:ss or m:ss\): (?:([0-9]{1,4})(?::|h ))?"
    r"([0-9]{1,2})(?::|m )([0-9]{1,2}\.[0-9]{2})s?[ \t]*"
)
_BYTES = re.compile(r" *([0-9]{1,15}) (\S{1,200})")
# The rest of a count that another stream's output interrupted; the text after it can look like a
# count of its own. A line with a date or a time is not one.
_BEGUN = re.compile(r" *[0-9]{1,14}(?![0-9:.-]).*")
_LOST = re.compile(r"(?:under|over)run!!!.*")
_OTHER_RATE = re.compile(r"Warning: rate is not accurate .*")
_FORMAT = ("Signed 16 bit Little Endian", "Stereo")


def read(data: bytes, context: Context) -> Reading:
    """Return the throughput of each run, with its direction and sampling rate."""
    sheet = Sheet(context)
    head: tuple[Line, re.Match[str]] | None = None
    seconds: float | None = None
    lost = 0
    for line in lines(data):
        text = line.text
        if match := _HEAD.fullmatch(text.rstrip(" \t")):
            _report_cut(head, sheet)
            head, seconds, lost = (line, match), None, 0
        elif _LIKE_HEAD.fullmatch(text):
            _report_cut(head, sheet)
            sheet.broken(line.number, "the first line of this run of ALSA is cut or damaged")
            head = None
        elif head and (match := _ELAPSED.fullmatch(text)):
            minutes = int(match[1] or 0) * 60 + int(match[2])
            # Integer hundredths, as 0.1 + 0.2 would not be 0.3.
            seconds = round(minutes * 6000 + float(match[3]) * 100) / 100
        elif head and _OTHER_RATE.fullmatch(text):
            sheet.failed(line.number, f"ALSA: {text[:200]}")
            head = None
        elif head and _LOST.fullmatch(text):
            lost += 1
        elif head and (match := _BYTES.fullmatch(text)) and match[2] == head[1][2]:
            _add_throughput(line, head[1], figure(match[1]), seconds, lost, sheet)
            head = None
        elif head and seconds is not None and _BEGUN.fullmatch(text):
            _report_cut(head, sheet)
            head = None
        else:
            continue
        sheet.understood(line.number)
    _report_cut(head, sheet)
    return sheet.reading()


def _add_throughput(
    line: Line,
    head: re.Match[str],
    size: float | None,
    seconds: float | None,
    lost: int,
    sheet: Sheet,
) -> None:
    if (head[3], head[5]) != _FORMAT:
        sheet.broken(line.number, f"only {' and '.join(_FORMAT)} is read, not {head[3]}, {head[5]}")
    elif size is None or not seconds:
        sheet.broken(line.number, "the duration of this run of ALSA is missing or damaged")
    else:
        params: dict[str, Scalar] = {
            "direction": "capture" if head[1] == "Recording" else "playback",
            "sampling_rate": int(head[4]),
        }
        if lost:
            sheet.note(
                line.number, f"a buffer overran or underran {lost} times: frames are missing"
            )
        name = sheet.benchmark("alsa")
        sheet.figure(line.number, name, "throughput", "bit/s", size * 8 / seconds, params)


def _report_cut(head: tuple[Line, re.Match[str]] | None, sheet: Sheet) -> None:
    if head:
        message = "this run of ALSA has no count of bytes: it is cut or damaged"
        sheet.broken(head[0].number, message, "run wc -c on its file afterwards")


FORMAT = Format(
    name="alsa",
    title="ALSA's arecord and aplay, timed",
    example=EXAMPLE,
    recognises=holds(
        rb"^(?:Recording|Playing) .{1,200}' : .{1,60}, Rate [0-9]+ Hz, ",
        rb"Elapsed \(wall clock\) time",
    ),
    read=read,
)

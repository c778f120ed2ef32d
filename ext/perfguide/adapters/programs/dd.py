"""dd of coreutils and BusyBox: the throughput and duration of each copy."""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, holds, typed
from ..log_rows import row, scan
from ..log_sheet import Sheet

# Layout: ``print_xfer_stats`` in dd.c. BusyBox writes powers of 1024 as ``kB``, ``MB`` and ``GB``.
# What was copied is known from the command, if it is on a line before; ``elapsed`` has more digits
# than the rate.
_SIZE = re.compile(r"([0-9]{1,12})([kKMG]?)(?:iB)?")
_OPTION = re.compile(r"(?:if|of|bs|ibs|obs|count|conv|iflag|oflag)=[!-~]{1,200}")


def read(data: bytes, context: Context) -> Reading:
    """Return the throughput and duration of each copy."""
    sheet = Sheet(context)
    command = ""
    counted = False
    params: dict[str, Scalar] = {}

    def begin(line: Line, match: re.Match[str]) -> None:
        nonlocal command, counted
        command, counted = match[1], False
        params.clear()
        params.update(_dd_params(command))

    def records(line: Line, match: re.Match[str]) -> None:
        nonlocal counted
        if counted:  # the previous command's output has lost its last line
            forget()
        counted = True

    def forget() -> None:
        nonlocal command, counted
        command, counted = "", False
        params.clear()

    def copied(line: Line, match: re.Match[str], busybox: bool) -> None:
        said: dict[str, Scalar] = {"file_size": int(match[1]), **params}
        unit = match[4].replace("B", "iB").replace("k", "K") if busybox else match[4]
        scale = (1024 if busybox else 1000) ** ("kMGT".find(match[4][0]) + 1)
        seconds, rate = float(figure(match[2]) or 0), float(match[3]) * scale
        # dd rounds the rate to three digits; a lost digit changes it by far more.
        if seconds and abs(int(match[1]) / seconds - rate) > 0.07 * rate:
            sheet.broken(line.number, "bytes, seconds and rate do not agree: the line is damaged")
            forget()
            return
        give(line, "throughput", f"{unit}/s", match[3], said)
        give(line, "elapsed", "s", match[2], said)
        forget()

    def give(line: Line, metric: str, unit: str, text: str, said: dict[str, Scalar]) -> None:
        value = figure(text)
        if value is not None:
            name = sheet.benchmark("dd")
            sheet.figure(line.number, name, metric, unit, value, said, command=command)

    scan(
        data,
        "dd",
        (
            row("", typed("dd", argument="[a-z]{1,10}=[!-~]{1,200}"), begin),
            row("", r"[0-9]{1,15}\+[0-9]{1,9} records in[ \t]*", records),
            row(
                "",
                r"([0-9]{1,18}) bytes \([^()]{1,40}\) copied, ([0-9.e-]{1,20}) s,"
                r" ([0-9]{1,6}(?:\.[0-9]{1,3})?) ([kMGT]?B)/s[ \t]*",
                lambda line, match: copied(line, match, False),
            ),
            row(
                r"[0-9]{1,18} bytes \(|[0-9]{1,18} bytes.{0,50} copied, ",
                r"([0-9]{1,18}) bytes (?:\([^()]{1,40}\) )?copied, ([0-9.]{1,20}) seconds,"
                r" ([0-9]{1,6}(?:\.[0-9]{1,3})?)([kMGT]?B)/s[ \t]*",
                lambda line, match: copied(line, match, True),
                forget,
            ),
        ),
        sheet,
    )
    return sheet.reading()


def _dd_params(command: str) -> dict[str, Scalar]:
    """Return the parameters in a command: the block size, both ends and the flags."""
    options = dict(each[0].split("=", 1) for each in _OPTION.finditer(command))
    params: dict[str, Scalar] = {}
    if size := _SIZE.fullmatch(options.get("bs", "")):
        params["buffer_size"] = int(size[1]) * 1024 ** " kMG".index(
            size[2].replace("K", "k") or " "
        )
    names = {"if": "input", "of": "output", "conv": "conv", "iflag": "iflag", "oflag": "oflag"}
    return params | {name: options[key] for key, name in names.items() if key in options}


FORMAT = Format(
    name="dd",
    title="dd of coreutils and BusyBox",
    example="""\
$ dd if=/dev/zero of=/run/media/mmcblk0p1/file bs=1M count=32 conv=fsync
33554432 bytes (34 MB, 32 MiB) copied, 1.85812 s, 18.1 MB/s
""",
    recognises=holds(rb"^[0-9]+ bytes (?:\([^()\n]+\) )?copied, [0-9.e-]+ s"),
    read=read,
)

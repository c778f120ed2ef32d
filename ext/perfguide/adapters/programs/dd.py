"""dd of coreutils and BusyBox: the throughput and duration of each copy."""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, holds, typed
from ..log_rows import row, scan
from ..log_sheet import Sheet

# Layout: ``print_xfer_stats`` in dd.c. BusyBox writes powers of 1024 as ``kB``, ``MB`` and ``GB``.
# Only the command, if a line before has it, says what was copied. The duration has more digits than
# the rate.
_SIZE = re.compile(r"([0-9]{1,12})([kKMG]?)(?:iB)?")
_OPTION = re.compile(r"(?:if|of|bs|ibs|obs|count|conv|iflag|oflag)=[!-~]{1,200}")


_GNU = (
    r"([0-9]{1,18}) bytes \([^()]{1,40}\) copied, ([0-9.e-]{1,20}) s,"
    r" ([0-9]{1,6}(?:\.[0-9]{1,3})?) ([kMGT]?B)/s[ \t]*"
)
_BUSYBOX = (
    r"([0-9]{1,18}) bytes (?:\([^()]{1,40}\) )?copied, ([0-9.]{1,20}) seconds,"
    r" ([0-9]{1,6}(?:\.[0-9]{1,3})?)([kMGT]?B)/s[ \t]*"
)


def read(data: bytes, context: Context) -> Reading:
    """Return the throughput and duration of each copy."""
    reader = _Reader(Sheet(context))
    rows = (
        row("", typed("dd", argument="[a-z]{1,10}=[!-~]{1,200}"), reader.begin),
        row("", r"[0-9]{1,15}\+[0-9]{1,9} records in[ \t]*", reader.count),
        row("", _GNU, reader.copied),
        row(
            r"[0-9]{1,18} bytes \(|[0-9]{1,18} bytes.{0,50} copied, ",
            _BUSYBOX,
            reader.copied_by_busybox,
            reader.forget,
        ),
    )
    scan(data, "dd", rows, reader.sheet)
    return reader.sheet.reading()


class _Reader:
    """Reads one copy after another."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._command = ""
        self._is_counted = False

    def begin(self, line: Line, match: re.Match[str]) -> None:
        """Read a command."""
        self._command, self._is_counted = match[1], False

    def count(self, line: Line, match: re.Match[str]) -> None:
        """Read the number of records."""
        if self._is_counted:  # the previous command's output has lost its last line
            self.forget()
        self._is_counted = True

    def forget(self) -> None:
        """Forget the command."""
        self._command, self._is_counted = "", False

    def copied(self, line: Line, match: re.Match[str]) -> None:
        """Read the last line of a copy by coreutils."""
        self._add(line, match, match[4], 1000)

    def copied_by_busybox(self, line: Line, match: re.Match[str]) -> None:
        """Read the last line of a copy by BusyBox."""
        self._add(line, match, match[4].replace("B", "iB").replace("k", "K"), 1024)

    def _add(self, line: Line, match: re.Match[str], unit: str, thousand: int) -> None:
        seconds = float(figure(match[2]) or 0)
        rate = float(match[3]) * float(thousand ** ("kMGT".find(match[4][0]) + 1))
        # dd rounds the rate to three digits; a lost digit changes it by far more.
        if seconds and abs(int(match[1]) / seconds - rate) > 0.07 * rate:
            message = "bytes, seconds and rate do not agree: the line is damaged"
            self.sheet.broken(line.number, message)
        else:
            params: dict[str, Scalar] = {"file_size": int(match[1]), **_dd_params(self._command)}
            for metric, own_unit, text in (
                ("throughput", f"{unit}/s", match[3]),
                ("elapsed", "s", match[2]),
            ):
                if (value := figure(text)) is not None:
                    name, command = self.sheet.benchmark("dd"), self._command
                    self.sheet.figure(
                        line.number, name, metric, own_unit, value, params, command=command
                    )
        self.forget()


def _dd_params(command: str) -> dict[str, Scalar]:
    """Return the parameters in a command: the block size, source, destination and flags."""
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

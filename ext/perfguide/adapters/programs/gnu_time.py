"""``time -v`` of GNU and of BusyBox: how much of the CPU a benchmark got.

Layout: ``longstats`` in GNU time's time.c and BusyBox's miscutils/time.c. The block
begins with the command and ends with its exit status; the share of the CPU is a
whole number in %, over all cores together, so that it can be above 100.

The share is a result where the command is a benchmark that is known
(``log_command``). ``openssl speed -multi`` is one from 3.0 on: before, it does not wait
for its children, and their time is not counted. The log has to show which version ran.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .. import Context, Format, Reading, Scalar
from ..log_command import Command, understand
from ..log_lines import Line, lines
from ..log_sheet import Sheet

EXAMPLE = """\
\tCommand being timed: "openssl speed -elapsed -evp aes-128-cbc"
\tUser time (seconds): 17.93
\tSystem time (seconds): 0.00
\tPercent of CPU this job got: 98%
\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:18.02
\tExit status: 0
"""

_COMMAND = re.compile(r'[ \t]*Command being timed: "(.*)"[ \t]*')
_SHARE = re.compile(r"[ \t]*Percent of CPU this job got: (?:([0-9]{1,7})|\?)%[ \t]*")
_STATUS = re.compile(r"[ \t]*Exit status: ([0-9]{1,3})[ \t]*")
_FAILED = re.compile(r"Command (?:exited with non-zero status|terminated by signal|stopped by).*")
_REFUSED = re.compile(r'[Ii]nvalid engine "')
_VERSION = re.compile(r"(?:OpenSSL |version: )([0-9]{1,2})\.[0-9]+\.[0-9]+[!-~]*(?:[ \t].*)?")
_OTHER = re.compile(
    r"[ \t]*(?:User time|System time|Elapsed \(wall|Average |Maximum resident|Major \(|Minor \("
    r"|Voluntary context|Involuntary context|Swaps|File system|Socket messages|Signals|Page size)"
)
_OF_VALUES = "0123456789hms:. "
"""The characters that the values of these lines are made of."""


@dataclass(slots=True)
class _Block:
    """One command's figures as far as they were read."""

    text: str
    at: int
    failed: bool
    software: bool
    version: int
    share: Line | None = None
    percent: str | None = None


def recognises(data: bytes) -> bool:
    """Whether a command was timed."""
    return b"Command being timed: " in data or b"Percent of CPU this job got: " in data


def read(data: bytes, context: Context) -> Reading:
    """The CPU load of each benchmark that was timed, in %."""
    sheet = Sheet(context)
    block: _Block | None = None
    failed = software = False
    version = 0
    for line in lines(data):
        if found := _COMMAND.fullmatch(line.text):
            _cut(block, sheet)
            block = _Block(found[1], line.number, failed, software, version)
            failed = software = False
        elif found := _SHARE.fullmatch(line.text):
            if block is None or block.share is not None:
                sheet.broken(line.number, "a CPU share without the command that it belongs to")
                continue
            block.share, block.percent = line, found[1]
        elif found := _STATUS.fullmatch(line.text):
            if block is not None:
                block.failed |= found[1] != "0"
                _finish(block, sheet)
            block = None
        elif _FAILED.fullmatch(line.text):
            failed = True
        elif found := _VERSION.fullmatch(line.text):
            version = int(found[1])
            continue
        elif _REFUSED.search(line.text):
            software = True
            continue
        elif "Command being timed" in line.text or "Percent of CPU" in line.text:
            sheet.broken(line.number, "a line of time -v is cut or damaged")
            continue
        elif not _is_other(line.text):
            continue
        sheet.understood(line.number)
    _cut(block, sheet)
    return sheet.reading()


def _is_other(text: str) -> bool:
    """Whether this is one of the lines of ``time -v`` that no metric comes from."""
    label, colon, value = text.rstrip(" \t").rpartition(": ")
    return bool(colon and value and _OTHER.match(label)) and not value.strip(_OF_VALUES)


def _cut(block: _Block | None, sheet: Sheet) -> None:
    if block is not None:
        sheet.broken(block.at, "the output of time -v is cut: it has no exit status")


def _finish(block: _Block, sheet: Sheet) -> None:
    """Give the share of a block that was read to its end."""
    if block.share is None:
        sheet.broken(block.at, "the output of time -v has no CPU share that can be read")
        return
    line = block.share.number
    command = understand(block.text)
    if command is None:
        sheet.note(
            line,
            f"what “{block.text[:200]}” measures is not known: its CPU load is left out",
        )
        return
    benchmark = "openssl" if command.benchmark == "openssl" else sheet.benchmark(command.benchmark)
    params = _params(command, block, sheet)
    if block.failed:
        why = f"“{block.text[:200]}” failed"
        sheet.failure(line, benchmark, "cpu_load", "%", params, why)
    elif not command.whole and block.version < 3:
        sheet.note(
            line,
            "before OpenSSL 3.0, time -v does not count the CPU time of -multi's children,"
            " and no later version is told here: the CPU load is left out",
        )
    elif block.percent is None:
        sheet.failure(line, benchmark, "cpu_load", "%", params, "time -v could not tell the share")
    else:
        sheet.figure(line, benchmark, "cpu_load", "%", float(block.percent), params, zero=True)


def _params(command: Command, block: _Block, sheet: Sheet) -> Mapping[str, Scalar]:
    params = dict(command.params)
    if block.software:
        params["engine"] = "sw"
    elif command.engine and "engine" not in params:
        sheet.note(
            block.at, f"whether the engine “{command.engine[:100]}” is an accelerator is not known"
        )
    if command.benchmark == "hdparm" and sheet.stated("benchmark"):
        # The device says nothing where the benchmark has been named.
        params.pop("device", None)
    return params


FORMAT = Format(
    name="gnu-time",
    title="time -v of GNU and BusyBox: CPU load of a known benchmark",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)

"""The kernel's scheduler and the start of the system: hackbench, signaltest, systemd-analyze.

Layouts: hackbench.c and signaltest.c of rt-tests, ``pretty_boot_time`` in systemd's
analyze-time-data.c. hackbench prints seconds for all messages, signaltest µs. systemd counts
firmware and loader only where the machine tells them; ``boot_time`` is the sum of what it counts.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds
from ..log_rows import row, scan
from ..log_sheet import Sheet

_SPAN = r"(?:[0-9]{1,3}h )?(?:[0-9]{1,2}min )?[0-9]{1,6}(?:\.[0-9]{1,6})?(?:ms|us|s)"
_STAGE = rf"{_SPAN} \((?:firmware|loader|kernel|initrd|userspace)\)"
_PART = re.compile(rf"({_SPAN}) \(([a-z]+)\)")


def read_hackbench(data: bytes, context: Context) -> Reading:
    """The time of each run, with how many groups sent how many messages."""
    sheet = Sheet(context)
    params: dict[str, Scalar] = {}
    begun = 0

    def mode(line: Line, found: re.Match[str]) -> None:
        nonlocal begun
        cut()
        begun = line.number
        params.clear()
        params.update(mode=found[1], groups=int(found[2]), tasks=int(found[4]))

    def messages(line: Line, found: re.Match[str]) -> None:
        params.update(messages=int(found[1]), message_size=int(found[2]))

    def time(line: Line, found: re.Match[str]) -> None:
        nonlocal begun
        if begun and "messages" in params:
            sheet.figure(line.number, "hackbench", "time", "s", float(found[1]), params)
        elif begun:
            sheet.broken(line.number, "what hackbench sent is not stated: a line is damaged")
        begun = 0

    def cut() -> None:
        if begun:
            sheet.broken(begun, "this run of hackbench has no time: it is cut or damaged")

    scan(
        data,
        "hackbench",
        (
            row(
                "Running in (?:process|threaded) mode",
                r"Running in (process|threaded) mode with ([0-9]{1,6}) groups using ([0-9]{1,6})"
                r" file descriptors each \(== ([0-9]{1,9}) tasks\)[ \t]*",
                mode,
            ),
            row(
                "Each sender will pass",
                r"Each sender will pass ([0-9]{1,9}) messages of ([0-9]{1,9}) bytes[ \t]*",
                messages,
            ),
            row("Time: [0-9]", r"Time: ([0-9]{1,9}\.[0-9]{3})[ \t]*", time),
        ),
        sheet,
    )
    cut()
    return sheet.reading()


def read_signaltest(data: bytes, context: Context) -> Reading:
    """The least, mean and greatest latency of each thread, as its last line says."""
    sheet = Sheet(context)
    last: dict[str, tuple[Line, re.Match[str]]] = {}
    # Where the screen is drawn anew, the last line of a thread may stand there twice.
    redrawn = re.search(rb"\x1b\[[0-9]{1,4}A", data) is not None

    def thread(line: Line, found: re.Match[str]) -> None:
        before = last.get(found[1])
        if before and int(before[1][2]) - redrawn >= int(found[2]):
            give(last.pop(found[1]))
        last[found[1]] = (line, found)

    def beginning(line: Line, found: re.Match[str]) -> None:
        if found[1] in last:
            for final in last.values():
                give(final)
            last.clear()

    def give(final: tuple[Line, re.Match[str]]) -> None:
        line, found = final
        params: dict[str, Scalar] = {"thread": int(found[1])}
        for text, name in ((found[3], "min"), (found[4], "avg"), (found[5], "max")):
            metric = f"latency_{name}"
            sheet.figure(line.number, "signaltest", metric, "us", float(text), params, zero=True)

    # Figures fill seven places, so that one that is cut is too short.
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


def read_systemd_analyze(data: bytes, context: Context) -> Reading:
    """The time of each stage of the start, and all of it."""
    sheet = Sheet(context)

    def startup(line: Line, found: re.Match[str]) -> None:
        for part in _PART.finditer(found[1]):
            give(line, f"{part[2]}_time", part[1])
        give(line, "boot_time", found[2])

    def reached(line: Line, found: re.Match[str]) -> None:
        give(line, "target_time", found[2], {"target": found[1]})

    def give(line: Line, metric: str, span: str, params: dict[str, Scalar] | None = None) -> None:
        value, unit = _seconds(span)
        sheet.figure(line.number, "boot-time", metric, unit, value, params)

    scan(
        data,
        "systemd-analyze",
        (
            row(
                "Startup finished in ",
                rf"Startup finished in ({_STAGE}(?: \+ {_STAGE}){{0,5}})"
                rf" = ({_SPAN})[ \t]*",
                startup,
            ),
            row(
                r"[a-z-]{1,40}\.target reac",
                rf"((?:graphical|multi-user|default|basic|rescue)\.target) reached after ({_SPAN}) in userspace\.?[ \t]*",
                reached,
            ),
        ),
        sheet,
    )
    return sheet.reading()


def _seconds(span: str) -> tuple[float, str]:
    """A span of time as a figure and its unit: that of its text where it has only one."""
    parts = re.findall(r"([0-9.]+)(h|min|ms|us|s)", span)
    if len(parts) == 1 and parts[0][1] in ("ms", "us", "s"):
        return float(parts[0][0]), parts[0][1]
    scales = {"h": 3_600_000_000, "min": 60_000_000, "s": 1_000_000, "ms": 1000, "us": 1}
    # Whole microseconds, which hold every digit.
    return sum(round(float(text) * scales[unit]) for text, unit in parts) / 1e6, "s"


HACKBENCH = Format(
    name="hackbench",
    title="hackbench of rt-tests",
    example="""\
Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)
Each sender will pass 100 messages of 100 bytes
Time: 0.327
""",
    recognises=holds(rb"^Running in (?:process|threaded) mode with [0-9]+ groups"),
    read=read_hackbench,
)
SIGNALTEST = Format(
    name="signaltest",
    title="signaltest of rt-tests",
    example="T: 0 ( 2708) P:80 C:    200 Min:     29 Act:   32 Avg:  151 Max:    8259\n",
    recognises=holds(rb"^T: *[0-9]+ \( *[0-9]+\) P: *[0-9]+ C: *[0-9]+ Min: "),
    read=read_signaltest,
)
SYSTEMD_ANALYZE = Format(
    name="systemd-analyze",
    title="systemd-analyze time",
    example="Startup finished in 2.345s (kernel) + 5.678s (userspace) = 8.023s \n",
    recognises=holds(rb"^Startup finished in [0-9]"),
    read=read_systemd_analyze,
)

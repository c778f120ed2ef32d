"""LMBench: its programs' lines, ``bw_mem``, the curves of ``lat_mem_rd``, the summary.

Layout: lib_timing.c (``micro``, ``nano``, ``mb``), lat_mem_rd.c, lat_ctx.c and, for the
summary, scripts/getsummary. MB are 10^6 bytes.

The metrics are named as the programs and their arguments: ``bw_mem-bcopy-1mb``,
``lat_ctx-2-128k``, ``lat_mem_rd-stride128-sz31k`` (thousandths of the 2^20 bytes that the
curve prints). ``bw_mem``, ``bw_file_rd`` and ``bw_mmap_rd`` print only size and rate, so
that the command must stand on the line before, as a shell's prompt shows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import Context, Format, Reading
from ..log_lines import LIKE_FIGURE, Line, figure, lines
from ..log_sheet import Sheet
from .summary import Summary

EXAMPLE = """\
# bw_mem 1m bcopy
1.05 13010.99
"stride=128
0.00049 3.072
0.03125 5.288

Simple syscall: 0.5044 microseconds
Pipe bandwidth: 1252.05 MB/sec
"""

_NUMBER = r"([0-9]{1,12}(?:\.[0-9]{1,6})?|-?inf|-?nan)"
_LABELLED = re.compile(
    rf"([A-Za-z][A-Za-z0-9_+/' -]{{2,60}}?(?: on [!-~]{{1,200}})?): {_NUMBER}"
    r" (microseconds|nanoseconds|MB/sec)[ \t]*"
)
_NAMES = {
    "Simple syscall": "lat_syscall-null",
    "Simple read": "lat_syscall-read",
    "Simple write": "lat_syscall-write",
    "Simple stat": "lat_syscall-stat",
    "Simple fstat": "lat_syscall-fstat",
    "Simple open/close": "lat_syscall-open",
    "Signal handler installation": "lat_sig-install",
    "Signal handler overhead": "lat_sig-catch",
    "Protection fault": "lat_sig-prot",
    "Procedure call": "lat_proc-proccall",
    "Process fork+exit": "lat_proc-fork",
    "Process fork+execve": "lat_proc-exec",
    "Process fork+/bin/sh -c": "lat_proc-shell",
    "Pipe latency": "lat_pipe",
    "Pipe bandwidth": "bw_pipe",
    "AF_UNIX sock stream latency": "lat_unix",
    "AF_UNIX sock stream bandwidth": "bw_unix",
    "Semaphore latency": "lat_sem",
    "Fifo latency": "lat_fifo",
    "TCP latency using localhost": "lat_tcp",
    "UDP latency using localhost": "lat_udp",
    "TCP/IP connection cost to localhost": "lat_connect",
    "Select on 200 tcp fd's": "lat_select",
}
_OPERATION = re.compile(r"(integer|u?int64|float|double) (bit|add|mul|div|mod|bogomflops)")
_SELECT = re.compile(r"Select on ([0-9]{1,6})( tcp)? fd's")
_UNITS = {"microseconds": "us", "nanoseconds": "ns", "MB/sec": "MB/s"}
_STRIDE = re.compile(r'"stride=([0-9]{1,9})[ \t]*')
_SWITCH = re.compile(r'"size=([0-9]{1,9}k?) ovr=[0-9.]{1,12}[ \t]*')
# Each with the decimals that its program prints, so that a cut figure shows.
_POINT = re.compile(r"([0-9]{1,6}\.[0-9]{5}) ([0-9]{1,9}\.[0-9]{3}|-?inf|-?nan)[ \t]*")
_PROCESSES = re.compile(r"([0-9]{1,6}) ([0-9]{1,9}\.[0-9]{2}|-?inf|-?nan)[ \t]*")
_RATE = re.compile(
    r"([0-9]{1,9}\.(?:[0-9]{6}|[0-9]{2})) ((?!0\.[0-9]{2}[ \t]*$)[0-9]{1,9}\.(?:[0-9]{6}|[0-9]{2})"
    r"|-?inf|-?nan)[ \t]*"
)
_COMMAND = re.compile(
    r"(?:.*[$#>][ \t]*)?(?:[!-~]*/)?(bw_mem|bw_file_rd|bw_mmap_rd)(?:[ \t]+-[NPW][ \t]*[0-9]+)*"
    r"[ \t]+([0-9]{1,9})([kKmM]?)[ \t]+"
    r"(rd|wr|rdwr|cp|fwr|frd|fcp|bzero|bcopy|io_only|mmap_only|open2close)(?:[ \t]+[!-~]+)?[ \t]*"
)
_SHORT = {"io_only": "io", "mmap_only": "mo", "open2close": "o2c"}
_HINT = re.compile(
    rb'^"stride=[0-9]|^"size=[0-9]+k? ovr=|^Simple (?:syscall|read|write|f?stat|open/close): '
    rb"|^Signal handler (?:inst|over)|^AF_UNIX sock stream|^Pipe (?:latency|bandwidth): "
    rb"|^Process fork\+|^Procedure call: |^(?:integer|u?int64|float|double) (?:bit|add|mul|div): "
    rb"|L M B E N C H|\bbw_(?:mem|file_rd|mmap_rd) .*\n[0-9.]+ [0-9.]+[ \t\r]*$"
    rb"|^Select on [0-9]+ |^Semaphore latency: |^TCP latency using",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class _Block:
    """What rows of two numbers mean until the block ends."""

    kind: str
    name: str
    size: int = 0


def recognises(data: bytes) -> bool:
    """Whether one of LMBench's programs printed something."""
    return _HINT.search(data) is not None


def read(data: bytes, context: Context) -> Reading:
    """Every latency and bandwidth."""
    sheet = Sheet(context)
    summary = Summary(sheet)
    block: _Block | None = None
    for line in lines(data):
        if summary.line(line):
            sheet.understood(line.number)
            continue
        begun = _begin(line.text)
        if block and block.kind == "rate" and (begun or not _RATE.fullmatch(line.text)):
            sheet.broken(line.number, f"the figure of {block.name} is missing or damaged")
            block = None
        if begun:
            block = begun
            sheet.understood(line.number)
        elif not line.text.strip(" \t"):
            block = None
        elif block and _row(line, block, sheet):
            block = None if block.kind == "rate" else block
        else:
            _labelled(line, sheet)
    return sheet.reading()


def _begin(text: str) -> _Block | None:
    if found := _STRIDE.fullmatch(text):
        return _Block("curve", f"lat_mem_rd-stride{found[1]}", int(found[1]))
    if found := _SWITCH.fullmatch(text):
        return _Block("switch", found[1])
    if found := _COMMAND.fullmatch(text):
        scale = {"k": 1024, "m": 1024**2}.get(found[3].lower(), 1)
        size = f"{found[2]}{found[3].lower()}b"
        operation = _SHORT.get(found[4], found[4])
        return _Block("rate", f"{found[1]}-{operation}-{size}", int(found[2]) * scale)
    return None


def _row(line: Line, block: _Block, sheet: Sheet) -> bool:
    """Read a line as a row of the block; false where it is none."""
    pattern = {"curve": _POINT, "switch": _PROCESSES, "rate": _RATE}[block.kind]
    found = pattern.fullmatch(line.text)
    if found is None:
        if re.match(r"[ \t]*[0-9\ufffd]", line.text) or (
            block.kind == "curve" and not _LABELLED.fullmatch(line.text)
        ):
            sheet.broken(line.number, f"a row of {block.name} is cut or damaged")
            return True
        return False
    value = figure(found[2])
    if value is None:
        sheet.broken(line.number, f"a row of {block.name} is cut or damaged")
    elif block.kind == "curve":
        name = f"{block.name}-{_size(float(found[1]), block.size)}"
        sheet.figure(line.number, "lmbench", name, "ns", value)
    elif block.kind == "switch":
        sheet.figure(line.number, "lmbench", f"lat_ctx-{found[1]}-{block.name}", "us", value)
    elif abs(float(found[1]) * 1e6 - block.size) > 0.01 * block.size + 5000:
        sheet.broken(line.number, f"{found[1]} MB is not the size that {block.name} moves")
    else:
        sheet.figure(line.number, "lmbench", block.name, "MB/s", value)
    return True


def _size(megabytes: float, stride: int) -> str:
    """A size of the curve as published names have it: 0.03125 is ``sz31k``."""
    if megabytes * 1000 >= 1:
        return f"sz{int(round(megabytes * 1e5) // 100)}k"
    return f"sz{round(megabytes * 1024**2 / max(stride, 1)) * stride}"


def _labelled(line: Line, sheet: Sheet) -> None:
    found = _LABELLED.fullmatch(line.text)
    if found is None:
        label = line.text.partition(":")[0]
        cut = len(label) > 9 and any(name.startswith(label.rstrip()) for name in _NAMES)
        like = _name(label) and LIKE_FIGURE.search(line.text)
        if cut or like or re.search(r"[0-9] (?:microseconds|nanoseconds|MB/sec)[ \t]*$", line.text):
            sheet.broken(line.number, f"the line “{label}” is cut or damaged")
        return
    name = _name(found[1])
    value = figure(found[2])
    if name is None or value is None:
        sheet.broken(line.number, f"“{found[1][:80]}” is none of LMBench's names: damaged?")
        return
    sheet.figure(line.number, "lmbench", name, _UNITS[found[3]], value)


def _name(label: str) -> str | None:
    if label in _NAMES:
        return _NAMES[label]
    if label.startswith("Pagefaults on "):
        return "lat_pagefault"
    if found := _SELECT.fullmatch(label):
        return f"lat_select-{found[1]}{'-tcp' if found[2] else ''}"
    if found := _OPERATION.fullmatch(label):
        kind = {"integer": "int", "uint64": "int64"}.get(found[1], found[1])
        return f"lat_ops-{kind}-{found[2]}"
    return None


FORMAT = Format(
    name="lmbench",
    title="LMBench 3: bw_mem, lat_mem_rd, the lat_ and bw_ programs, the summary",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)

"""LMBench: the output of its programs, ``bw_mem``, the curves of ``lat_mem_rd``, and the summary.

Metrics are named after the programs and their arguments: ``bw_mem-bcopy-1mb``, ``lat_ctx-2-128k``,
``lat_mem_rd-stride128-sz31k`` (in thousandths of the 2^20 bytes that the curve prints). ``bw_mem``,
``bw_file_rd`` and ``bw_mmap_rd`` only print size and rate, so the line before has to be the
command, as after a shell prompt. The number of concurrent processes (``-P``) is the parameter
``parallelism``, if the command states it. Builds that count 2^20 bytes as a MB print such sizes;
their rates are kept as printed.

In LMBench's own results file, a title such as ``"read bandwidth`` precedes the rows of a program.

Each table of the summary (``make see``) has a title, a head, a ruler of dashes, and one row per
run. The ruler determines the cells, as they may be empty. Figures are rounded there to four to
seven characters, with ``K`` and ``M`` for thousands and millions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from .. import Context, Format, Reading, Scalar
from ..log_lines import LIKE_FIGURE, Line, figure, holds, lines, words
from ..log_sheet import Sheet

EXAMPLE = """\
# bw_mem 1m bcopy
1.05 13010.99
"stride=128
0.00049 3.072
0.03125 5.288

Simple syscall: 0.5044 microseconds
Pipe bandwidth: 1252.05 MB/sec
"""

_NAMES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_LABELS: dict[str, str] = _NAMES["labels"]
_SECTIONS: dict[str, str] = _NAMES["sections"]

_NUMBER = r"([0-9]{1,12}(?:\.[0-9]{1,6})?|-?inf|-?nan)"
# Layout: lib_timing.c (``micro``, ``nano``, ``mb``), lat_mem_rd.c, lat_ctx.c and, for the summary,
# scripts/getsummary. MB are 10^6 bytes.
_LABELLED = re.compile(
    rf"([A-Za-z][A-Za-z0-9_+/' -]{{2,60}}?(?: on [!-~]{{1,200}})?): {_NUMBER}"
    r" (microseconds|nanoseconds|MB/sec)[ \t]*"
)
_OPERATION = re.compile(r"(integer|u?int64|float|double) (bit|add|mul|div|mod|bogomflops)")
_STREAMED = re.compile(r"(STREAM2?) (copy|scale|add|triad|fill|daxpy|sum) (latency|bandwidth)")
_SELECT = re.compile(r"Select on ([0-9]{1,6})( tcp)? fd's")
_UNITS = {"microseconds": "us", "nanoseconds": "ns", "MB/sec": "MB/s"}
_STRIDE = re.compile(r'"stride=([0-9]{1,9})[ \t]*')
_SWITCH = re.compile(r'"size=([0-9]{1,9}k?) ovr=[0-9.]{1,12}[ \t]*')
_LIKE_TITLE = re.compile(r'"(?:strid|size=).*')
# With exactly the decimals that each program prints, to detect truncated figures.
_POINT = re.compile(r"([0-9]{1,6}\.[0-9]{5}) ([0-9]{1,9}\.[0-9]{3}|-?inf|-?nan)[ \t]*")
_PROCESSES = re.compile(r"([0-9]{1,6}) ([0-9]{1,9}\.[0-9]{2}|-?inf|-?nan)[ \t]*")
_RATE = re.compile(
    r"([0-9]{1,9}\.(?:[0-9]{6}|[0-9]{2})) ((?!0\.[0-9]{2}[ \t]*$)[0-9]{1,9}\.(?:[0-9]{6}|[0-9]{2})"
    r"|-?inf|-?nan)[ \t]*"
)
_COMMAND = re.compile(
    r"(?:.*[$#>][ \t]*)?(?:[!-~]*/)?(bw_mem|bw_file_rd|bw_mmap_rd)((?:[ \t]+-[NPW][ \t]*[0-9]+)*)"
    r"[ \t]+([0-9]{1,9})([kKmM]?)[ \t]+"
    r"(rd|wr|rdwr|cp|fwr|frd|fcp|bzero|bcopy|io_only|mmap_only|open2close)(?:[ \t]+[!-~]+)?[ \t]*"
)
_STREAM = re.compile(
    r"(?:.*[$#>][ \t]*)?(?:[!-~]*/)?stream((?:[ \t]+-[vMPWN][ \t]*[0-9]{1,12}[kKmM]?)*)[ \t]*"
)
_PARALLEL = re.compile(r"-P[ \t]*([0-9]{1,6})\b")
_ARRAY = re.compile(r"-M[ \t]*([0-9]{1,12}[kKmM]?)\b")
_MAX_COMMAND_CHARS = 300
# scripts/lmbench, which writes the results file.
_RESULTS_FILE = re.compile(r"\[lmbench[0-9.]{1,5} results for .*")
_SYNC_MAX = re.compile(r"\[SYNC_MAX: ([0-9]{1,6})\]")
_MOVED_SIZES = {
    "0.000512": "512b",
    **{f"{2**power * 1024 / 1e6:.6f}": f"{2**power}kb" for power in range(10)},
    **{f"{count * 2**20 / 1e6:.2f}": f"{count}mb" for count in range(1, 4097)},
}
"""The sizes requested by the script of the results file, by the number of MB printed for them."""
_SHORT = {"io_only": "io", "mmap_only": "mo", "open2close": "o2c"}


@dataclass(frozen=True, slots=True)
class _Block:
    """The meaning of two-number rows until the block ends."""

    kind: str
    name: str
    size: int = 0
    params: Mapping[str, Scalar] = field(default_factory=dict)


def read(data: bytes, context: Context) -> Reading:
    """Return every latency and bandwidth."""
    sheet = Sheet(context)
    summary = _Summary(sheet)
    block: _Block | None = None
    stream: dict[str, Scalar] = {}
    processes: dict[str, Scalar] | None = None
    for line in lines(data):
        if match := _STREAM.fullmatch(line.text[-_MAX_COMMAND_CHARS:]):
            stream = _parallelism(match[1]) | _array(match[1])
        if summary.line(line):
            sheet.understood(line.number)
            continue
        begun = _begin(line.text)
        if _RESULTS_FILE.fullmatch(line.text):
            processes = {}
        elif processes is not None and (match := _SYNC_MAX.fullmatch(line.text)):
            processes = _parallelism(f"-P {match[1]}")
            sheet.understood(line.number)
        elif processes is not None and line.text.rstrip() in _SECTIONS:
            begun = _Block("section", _SECTIONS[line.text.rstrip()], params=processes)
        # bw_mem prints a single line, directly after its command.
        if block and block.kind == "rate" and (begun or not _RATE.fullmatch(line.text)):
            sheet.broken(line.number, f"the figure of {block.name} is missing or damaged")
            block = None
        if begun:
            block = begun
            sheet.understood(line.number)
        elif _LIKE_TITLE.fullmatch(line.text):
            sheet.broken(line.number, "the title of a curve is cut or damaged")
            block = None
        # A curve ends with an empty line; numbers after it belong to other programs.
        elif not line.text.strip(" \t"):
            block = None
        elif block and _row(line, block, sheet):
            block = None if block.kind == "rate" else block
        elif processes is not None and _RATE.fullmatch(line.text):
            sheet.broken(line.number, "the program of this row is not stated: a title is damaged")
        else:
            _labelled(line, sheet, stream)
    return sheet.reading()


_BARE_COMMAND = re.compile(r"\$ (?:[!-~]*/)?(lat_fs|lat_mmap)(?:[ \t]+[!-~]+)*")
_FILES = re.compile(r"([0-9]{1,6}k)\t([0-9]{1,9})\t([0-9]{1,9})\t([0-9]{1,9})")
_FILE_METRICS = ("lat_fs", "fs_create", "fs_delete")
_MAPPED = re.compile(r"([0-9]{1,6}\.[0-9]{6}) ([0-9]{2,9}|[0-9]\.[0-9]{3})")


def read_bare(data: bytes, context: Context) -> Reading:
    """Return the figures of ``lat_fs`` and ``lat_mmap`` below a line with ``$`` and their command.

    They end in an integer, so a truncated line would go unnoticed: only for logs known to be
    complete. The figures of ``lat_fs`` are the number of files, and how many were created and
    removed per second."""
    sheet = Sheet(context)
    program = size = ""
    for line in lines(data):
        if begun := _BARE_COMMAND.fullmatch(line.text):
            program = begun[1]
            option = re.search(r"[ \t]([0-9]{1,6}[km])\b", line.text, re.IGNORECASE)
            size = option[1].lower() if option else ""
            sheet.understood(line.number)
        elif program == "lat_fs" and (row := _FILES.fullmatch(line.text)):
            for name, text in zip(_FILE_METRICS, row.groups()[1:], strict=True):
                unit = "files" if name == "lat_fs" else "operations/s"
                sheet.figure(line.number, "lmbench", f"{name}-{row[1]}", unit, float(text))
        elif program == "lat_mmap" and size and (row := _MAPPED.fullmatch(line.text)):
            sheet.figure(line.number, "lmbench", f"lat_mmap-{size}", "us", float(row[2]))
        elif program and re.match("[0-9]", line.text):
            sheet.broken(line.number, f"a row of {program} is cut or damaged")
    return sheet.reading()


def _begin(text: str) -> _Block | None:
    if match := _STRIDE.fullmatch(text):
        return _Block("curve", f"lat_mem_rd-stride{match[1]}", int(match[1]))
    if match := _SWITCH.fullmatch(text):
        return _Block("switch", match[1])
    if match := _COMMAND.fullmatch(text):
        scale = {"k": 1024, "m": 1024**2}.get(match[4].lower(), 1)
        size = f"{match[3]}{match[4].lower()}b"
        operation = _SHORT.get(match[5], match[5])
        name = f"{match[1]}-{operation}-{size}"
        return _Block("rate", name, int(match[3]) * scale, _parallelism(match[2]))
    return None


def _parallelism(options: str) -> dict[str, Scalar]:
    """Return the number of processes that ran concurrently, if more than one."""
    match = _PARALLEL.search(options)
    return {"parallelism": int(match[1])} if match and int(match[1]) != 1 else {}


def _array(options: str) -> dict[str, Scalar]:
    """Return the size of STREAM's arrays if the command states it."""
    match = _ARRAY.search(options)
    return {"size": match[1].lower()} if match else {}


def _row(line: Line, block: _Block, sheet: Sheet) -> bool:
    """Read a line as a row of the block; return false if it is not one."""
    pattern = {"curve": _POINT, "switch": _PROCESSES}.get(block.kind, _RATE)
    match = pattern.fullmatch(line.text)
    if match is None:
        if re.match(r"[ \t]*[0-9\ufffd]", line.text) or (
            block.kind in ("curve", "section") and not _LABELLED.fullmatch(line.text)
        ):
            sheet.broken(line.number, f"a row of {block.name} is cut or damaged")
            return True
        return False
    value = figure(match[2])
    if value is None:
        sheet.broken(line.number, f"a row of {block.name} is cut or damaged")
    elif block.kind == "curve":
        name = f"{block.name}-{_size(float(match[1]), block.size)}"
        sheet.figure(line.number, "lmbench", name, "ns", value)
    elif block.kind == "switch":
        sheet.figure(line.number, "lmbench", f"lat_ctx-{match[1]}-{block.name}", "us", value)
    elif block.kind == "section":
        if (size := _MOVED_SIZES.get(match[1])) is None:
            sheet.broken(line.number, f"{match[1]} MB is not a size of {block.name}")
        else:
            name = f"{block.name}-{size}"
            sheet.figure(line.number, "lmbench", name, "MB/s", value, block.params)
    elif not any(
        abs(float(match[1]) * megabyte - block.size) <= 0.01 * block.size + 5000
        for megabyte in (10**6, 1024**2)
    ):
        sheet.broken(line.number, f"{match[1]} MB is not the size of {block.name}")
    else:
        if abs(float(match[1]) * 1e6 - block.size) > 0.01 * block.size + 5000:
            sheet.note(
                line.number, "this LMBench has sizes, and perhaps rates, in MB of 2^20 bytes"
            )
        sheet.figure(line.number, "lmbench", block.name, "MB/s", value, block.params)
    return True


def _size(megabytes: float, stride: int) -> str:
    """Return a size on the curve as in published names: 0.03125 is ``sz31k``."""
    if megabytes * 1000 >= 1:
        return f"sz{int(round(megabytes * 1e5) // 100)}k"
    return f"sz{round(megabytes * 1024**2 / max(stride, 1)) * stride}"


def _labelled(line: Line, sheet: Sheet, stream: Mapping[str, Scalar]) -> None:
    match = _LABELLED.fullmatch(line.text)
    if match is None:
        label = line.text.partition(":")[0]
        cut = len(label) > 9 and (
            label.startswith("STREAM") or any(name.startswith(label.rstrip()) for name in _LABELS)
        )
        like = _name(label) and LIKE_FIGURE.search(line.text)
        if cut or like or re.search(r"[0-9] (?:microseconds|nanoseconds|MB/sec)[ \t]*$", line.text):
            sheet.broken(line.number, f"the line “{label}” is cut or damaged")
        return
    name = _name(match[1])
    value = figure(match[2])
    if name is None or value is None:
        sheet.broken(line.number, f"“{match[1][:80]}” is none of LMBench's names: damaged?")
        return
    params = stream if name.startswith("stream") else None
    sheet.figure(line.number, "lmbench", name, _UNITS[match[3]], value, params)


def _name(label: str) -> str | None:
    if label in _LABELS:
        return _LABELS[label]
    if label.startswith("Pagefaults on "):
        return "lat_pagefault"
    if match := _SELECT.fullmatch(label):
        return f"lat_select-{match[1]}{'-tcp' if match[2] else ''}"
    if match := _STREAMED.fullmatch(label):
        return f"{match[1].lower()}-{match[2]}-{match[3]}"
    if match := _OPERATION.fullmatch(label):
        kind = {"integer": "int", "uint64": "int64"}.get(match[1], match[1])
        return f"lat_ops-{kind}-{match[2]}"
    return None


_UNIT_WORDS = {"us": "microseconds", "ns": "nanoseconds", "MB/s": "MB/s"}
_RULER = re.compile(r"-{9} -{13}(?: +-{3,23})+[ \t]*")
# The length of a row of memory latencies up to its last figure.
_MEMORY_ROW = 62
_CELL = re.compile(r"([0-9]{1,7}(?:\.[0-9]{0,6})?)([KM]?)")


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of the summary: its unit, the metrics of its columns, and where its cells are if its
    ruler was read."""

    unit: str
    metrics: Sequence[str]
    spans: tuple[tuple[int, int], ...] = ()


_TABLES = {title: _Table(**table) for title, table in _NAMES["tables"].items()}


class _Summary:
    """Reads the summary's tables line by line."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._table: _Table | None = None

    def line(self, line: Line) -> bool:
        """Return whether the line belongs to a table, and add its figures to the sheet."""
        text = line.text
        for title, table in _TABLES.items():
            # The title includes the unit; a different one would mean a different version.
            if text.startswith(title) and f"in {_UNIT_WORDS[table.unit]}" in text:
                self._table = table
                return True
        if self._table is None:
            return False
        if _RULER.fullmatch(text):
            spans = tuple(m.span() for m in re.finditer("-+", text))[2:]
            self._table = replace(self._table, spans=spans)
            return True
        if not self._table.spans:
            return True
        if not text.strip() or not LIKE_FIGURE.search(text):
            self._table = None
            return False
        self._row(line, self._table)
        return True

    def _row(self, line: Line, table: _Table) -> None:
        if "lat_mem_rd-main" in table.metrics:
            # Its rows are not aligned with the ruler, and have no empty cells.
            cells = words(line.text[23:])[: len(table.metrics)]
            is_complete = len(cells) == len(table.metrics) and len(line.text) >= _MEMORY_ROW
        else:
            cells = [line.text[a:b].strip() for a, b in table.spans]
            gaps = [line.text[end:begin] for (_, end), (begin, _) in pairwise(table.spans)]
            is_complete = len(line.text) >= table.spans[-1][1] and not "".join(gaps).strip()
        is_complete = is_complete and re.match(r"[!-~][ -~]{8} [ -~]{13} ", line.text) is not None
        matches = [_CELL.fullmatch(cell) for cell in cells]
        are_figures = all(match or not cell for match, cell in zip(matches, cells, strict=True))
        # Cells are located by column, so a shorter row was truncated.
        if not is_complete or not are_figures or len(cells) != len(table.metrics):
            self._sheet.broken(line.number, "a row of LMBench's summary is cut or damaged")
            return
        for metric, match in zip(table.metrics, matches, strict=True):
            if match and metric:
                scale = {"": 0, "K": 3, "M": 6}[match[2]]
                value = float(Decimal(match[1]).scaleb(scale))
                self._sheet.figure(line.number, "lmbench", metric, table.unit, value)


# One alternation after a single ^ takes a fifth of the time of separate ones.
_begins = holds(
    rb'^(?:"stride=[0-9]|"size=[0-9]+k? ovr=|Simple (?:syscall|read|write|f?stat|open/close): '
    rb"|Signal handler (?:inst|over)|AF_UNIX sock stream|Pipe (?:latency|bandwidth): "
    rb"|Process fork\+|Procedure call: |(?:integer|u?int64|float|double) (?:bit|add|mul|div): "
    rb"|STREAM2? (?:copy|scale|add|triad|fill|daxpy|sum) (?:latency|bandwidth): "
    rb"|Select on [0-9]+ |Semaphore latency: |TCP latency using|\[lmbench[0-9.]+ results for )"
)
_has_bandwidth = holds(rb"\bbw_(?:mem|file_rd|mmap_rd) .*\n[0-9.]+ [0-9.]+[ \t\r]*$")


def _recognises(data: bytes) -> bool:
    return b"L M B E N C H" in data or _begins(data) or (b"bw_" in data and _has_bandwidth(data))


FORMAT = Format(
    name="lmbench",
    title="LMBench 3: bw_mem, lat_mem_rd, the lat_ and bw_ programs, the summary",
    example=EXAMPLE,
    recognises=_recognises,
    read=read,
)

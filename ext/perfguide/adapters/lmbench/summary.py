"""The tables of LMBench's summary (``make see``, scripts/getsummary).

Each table has a title, a head, a ruler of dashes and one row for each run. Cells are cut
by the ruler, since a cell can be empty. The figures are as rounded there: four to seven
characters, with ``K`` and ``M`` for thousands and millions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from ..log_lines import LIKE_FIGURE, Line, words
from ..log_sheet import Sheet

_CTX = "2-0k 2-16k 2-64k 8-16k 8-64k 16-16k 16-64k"


def _ops(kind: str, names: str) -> tuple[str, ...]:
    return tuple(f"lat_ops-{kind}-{name}" for name in names.split())


_TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    # title: unit, metrics of the columns behind host and OS; no name: left out
    "Processor, Processes": (
        "us",
        (
            "-",
            "lat_syscall-null",
            "-",
            "lat_syscall-stat",
            "lat_syscall-open",
            "lat_select-100-tcp",
            "lat_sig-install",
            "lat_sig-catch",
            "lat_proc-fork",
            "lat_proc-exec",
            "lat_proc-shell",
        ),
    ),
    "Basic integer operations": ("ns", _ops("int", "bit add mul div mod")),
    "Basic uint64 operations": ("ns", _ops("int64", "bit add mul div mod")),
    "Basic float operations": ("ns", _ops("float", "add mul div bogomflops")),
    "Basic double operations": ("ns", _ops("double", "add mul div bogomflops")),
    "Context switching": ("us", tuple(f"lat_ctx-{name}" for name in _CTX.split())),
    "*Local* Communication latencies": (
        "us",
        (
            "-",
            "lat_pipe",
            "lat_unix",
            "lat_udp",
            "lat_rpc-udp",
            "lat_tcp",
            "lat_rpc-tcp",
            "lat_connect",
        ),
    ),
    "*Local* Communication bandwidths": (
        "MB/s",
        (
            "bw_pipe",
            "bw_unix",
            "bw_tcp",
            "bw_file_rd-reread",
            "bw_mmap_rd-reread",
            "bw_mem-bcopy-libc",
            "bw_mem-bcopy-hand",
            "bw_mem-rd",
            "bw_mem-wr",
        ),
    ),
    "File & VM system latencies": (
        "us",
        (
            "lat_fs-0k-create",
            "lat_fs-0k-delete",
            "lat_fs-10k-create",
            "lat_fs-10k-delete",
            "lat_mmap",
            "lat_sig-prot",
            "lat_pagefault",
            "lat_select-100",
        ),
    ),
    "Memory latencies": (
        "ns",
        ("-", "lat_mem_rd-l1", "lat_mem_rd-l2", "lat_mem_rd-main", "lat_mem_rd-random"),
    ),
}
_UNIT_WORDS = {"us": "microseconds", "ns": "nanoseconds", "MB/s": "MB/s"}
_RULER = re.compile(r"-{9} -{13}(?: +-{3,23})+[ \t]*")
_MEMORY_ROW = 62
"""How long a row of memory latencies is up to its last figure."""
_CELL = re.compile(r"([0-9]{1,7}(?:\.[0-9]{0,6})?)([KM]?)")


@dataclass(frozen=True, slots=True)
class _Open:
    """The table whose rows follow."""

    unit: str
    metrics: tuple[str, ...]
    spans: tuple[tuple[int, int], ...] = ()


class Summary:
    """Reads the summary's tables line by line."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._table: _Open | None = None

    def line(self, line: Line) -> bool:
        """Whether the line belongs to a table; its figures are given to the sheet."""
        text = line.text
        for title, (unit, metrics) in _TABLES.items():
            # The title says the unit too: another one would be another version.
            if text.startswith(title) and f"in {_UNIT_WORDS[unit]}" in text:
                self._table = _Open(unit, metrics)
                return True
        if self._table is None:
            return False
        if _RULER.fullmatch(text):
            spans = tuple(m.span() for m in re.finditer("-+", text))[2:]
            self._table = _Open(self._table.unit, self._table.metrics, spans)
            return True
        if not self._table.spans:
            return True
        if not text.strip() or not LIKE_FIGURE.search(text):
            self._table = None
            return False
        self._row(line, self._table)
        return True

    def _row(self, line: Line, table: _Open) -> None:
        if "lat_mem_rd-main" in table.metrics:
            # Its rows do not keep to their ruler, and have no empty cells.
            cells = words(line.text[23:])[: len(table.metrics)]
            ends_well = len(cells) == len(table.metrics) and len(line.text) >= _MEMORY_ROW
        else:
            cells = [line.text[a:b].strip() for a, b in table.spans]
            between = [
                line.text[a:b] for (_, a), (b, _) in zip(table.spans, table.spans[1:], strict=False)
            ]
            ends_well = len(line.text) >= table.spans[-1][1] and not "".join(between).strip()
        ends_well = ends_well and re.match(r"[!-~][ -~]{8} [ -~]{13} ", line.text) is not None
        found = [_CELL.fullmatch(cell) for cell in cells]
        sound = all(match or not cell for match, cell in zip(found, cells, strict=True))
        if not ends_well or not sound or len(cells) != len(table.metrics):
            self._sheet.broken(line.number, "a row of LMBench's summary is cut or damaged")
            return
        for metric, match in zip(table.metrics, found, strict=True):
            if match and metric != "-":
                scale = {"": 0, "K": 3, "M": 6}[match[2]]
                value = float(Decimal(match[1]).scaleb(scale))
                self._sheet.figure(line.number, "lmbench", metric, table.unit, value)

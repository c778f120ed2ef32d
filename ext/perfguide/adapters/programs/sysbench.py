"""sysbench 0.4 and 1.0."""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, holds, lines
from ..log_rows import Row, Take, row, take_line
from ..log_sheet import Sheet

_Rows = list[Row]

# Layout: ``print_run_mode`` and the reports of the tests, in C until 0.4 and in Lua's default
# reports from 1.0 on. sysbench 1.0 prints the test's name only for cpu, memory and fileio; for others,
# it is in the command above. 0.4 always prints the name, but no events per second: its figure for cpu,
# threads and mutex is the time for a number of events. Its MB and Mb are 2^20 bytes, and its block sizes
# are converted to the form of 1.0.
_TEST = re.compile(
    r"\bsysbench\b(?: [!-~]{1,80}){0,20}? (?:[!-~]{1,80}/)?"
    r"(cpu|memory|threads|mutex|fileio|oltp_[a-z_]{3,30}|bulk_insert|select_random_(?:points|ranges))\b"
)
_DATABASE = re.compile(r" --(db-driver|tables|table-size)=([a-z]{1,20}|[0-9]{1,12})(?= |$)")
_OPENING = re.compile(r"sysbench ([0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}[!-9;-~]{0,20}):? .*")
_LIKE_OPENING = re.compile(r"sysbench [0-9][0-9.]{0,20}:?")
_NUMBER = r"([0-9]{1,15}\.[0-9]{2})"
_SIZE_04 = r"[0-9]{1,12}(?:\.[0-9]{1,12})?[KMG]?b"

_ZERO_METRICS = {"reads", "writes", "fsyncs", "read", "written", "ignored_errors", "reconnects"}
"""The metrics that may be zero without a failure."""

_MEMORY_PARAMS = {"block_size", "operation", "scope"}
"""The parameters that both versions print for the memory test."""


def read(data: bytes, context: Context) -> Reading:
    """Return rates, times and latencies of each run, with its test and number of threads."""
    reader = _Reader(Sheet(context))
    for line in lines(data):
        reader.line(line)
    reader.cut()
    return reader.sheet.reading()


class _Reader:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._params: dict[str, Scalar] = {}
        self._has_lost_params = False
        """True below a damaged line with a parameter."""
        self._typed = ""
        self._database: dict[str, Scalar] = {}
        """Options of the command that define the tables for database tests."""
        self._rows: _Rows = []
        """The rows of the version whose report is being read; none outside a report."""
        self._time: tuple[Line, re.Match[str]] | None = None
        """The total time in a report of 0.4, until the number of its events is confirmed."""

    def line(self, line: Line) -> None:
        text = line.text
        if match := _OPENING.fullmatch(text):
            self._open(line, match[1])
            return
        if _LIKE_OPENING.fullmatch(text):
            self.cut()
            self.sheet.broken(line.number, "the first line of a run of sysbench is cut or damaged")
            self._rows = []
            return
        # Searching a longer line takes long, and no command is that long.
        if len(text) < 600 and (command := _TEST.search(text)):
            # A command that a terminal wrapped is treated as broken where it is understood.
            self.sheet.understood(line.number)
            self._typed = command[1]
            self._database = {
                name.replace("-", "_"): int(value) if value.isdigit() else value
                for name, value in _DATABASE.findall(text)
            }
        take_line(line, "sysbench", self._rows, self.sheet)

    def cut(self) -> None:
        """Report a run of 0.4 that ended before its time could be checked."""
        if self._time:
            number = self._time[0].number
            self.sheet.broken(number, "this run of sysbench is cut: its last lines are missing")
        self._time = None

    def _open(self, line: Line, version: str) -> None:
        self.cut()
        self.sheet.understood(line.number)
        self.sheet.fact("tools.sysbench", version)
        self._rows = self._rows_of_04() if version.startswith("0.") else self._rows_of_10()
        self._params = {"test": self._typed, **self._database} if self._typed else {}
        self._has_lost_params = False

    def _close(self, line: Line, match: re.Match[str]) -> None:
        self._rows, self._typed, self._database = [], "", {}

    def _lose(self) -> None:
        self._has_lost_params = True

    def _param(self, start: str, pattern: str, name: str, test: str = "") -> Row:
        """Return a row that states a parameter, and the test that alone prints it, if one does."""

        def take(line: Line, match: re.Match[str]) -> None:
            self._params["test"] = test or self._params.get("test", "")
            text = match[1].strip()
            if name == "block_size":
                # 0.4 writes 1K or 1Kb where 1.0 writes 1KiB.
                text = re.sub("(?<=[0-9])([KMG])b?$", r"\1iB", text)
            if name:
                self._params[name] = int(text) if text.isdigit() else text

        return row(start, pattern + r"[ \t]*", take, self._lose)

    def _figure(self, metric: str, unit: str) -> Take:
        """Return a function that adds a figure to the sheet."""

        def take(line: Line, match: re.Match[str]) -> None:
            if self._has_lost_params:
                return  # reported with that line
            # Figures of different tests would be pooled under one name.
            if not self._params.get("test"):
                hint = "keep the command on the line before it, or state test=…"
                self.sheet.broken(line.number, "this figure's test of sysbench is not stated", hint)
                return
            if self._params["test"] == "memory" and not self._params.keys() >= _MEMORY_PARAMS:
                message = "the kind of memory access is not stated: a line above is damaged"
                self.sheet.broken(line.number, message)
                return
            zero = unit == "ms" or metric in _ZERO_METRICS
            value = figure(match[1])
            if value is not None:
                params = dict(self._params)
                self.sheet.figure(line.number, "sysbench", metric, unit, value, params, zero=zero)

        return take

    def _rows_of_10(self) -> _Rows:
        param, add = self._param, self._figure
        rows = [
            *self._shared_rows(),
            param("Prime n", r"Prime numbers limit: ([0-9]{1,9})", "max_prime", "cpu"),
            param("Running mem", r"(Running memory speed test) with .*", "", "memory"),
            param("  block size:", r"  block size: ([!-~]{1,20})", "block_size"),
            param("  operation:", r"  operation: ([a-z]{1,20})", "operation"),
            param("  scope:", r"  scope: ([a-z]{1,20})", "scope"),
            _row(" +events p", rf" +events per second: +{_NUMBER}", add("events", "operations/s")),
            _row(
                "Total operations:",
                rf"Total operations: [0-9]{{1,15}} \( *{_NUMBER} per second\)",
                add("operations", "operations/s"),
            ),
            _row(
                r"[0-9.]{1,15} MiB t",
                rf"[0-9]{{1,12}}\.[0-9]{{2}} MiB transferred \({_NUMBER} MiB/sec\)",
                add("throughput", "MiB/s"),
            ),
        ]
        for name in ("transactions", "queries", "ignored errors", "reconnects"):
            pattern = rf" +{name}: +[0-9]{{1,15}} +\({_NUMBER} per sec\.\)"
            take = add(name.replace(" ", "_"), "operations/s")
            rows.append(_row(f" +{name}:", pattern, take))
        for name in ("reads", "writes", "fsyncs"):
            pattern = rf" +{name}/s: +{_NUMBER}"
            rows.append(_row(f" +{name}/s:", pattern, add(name, "operations/s")))
        for name in ("read", "written"):
            pattern = rf" +{name}, MiB/s: +{_NUMBER}"
            rows.append(_row(f" +{name}, MiB/s:", pattern, add(name, "MiB/s")))
        for name, metric in (
            ("min", "min"),
            ("avg", "avg"),
            ("max", "max"),
            ("95th percentile", "p95"),
        ):
            take = add(f"latency_{metric}", "ms")
            rows.append(_row(rf" +{name}: ", rf" +{name}: +{_NUMBER}", take))
        return [*rows, _row("(?!)", "Threads fairness:.*", self._close)]

    def _rows_of_04(self) -> _Rows:
        param, add = self._param, self._figure
        rows = [
            param("Doing CPU ", "Doing (CPU) performance benchmark", "", "cpu"),
            param("Doing memory ", "Doing (memory) operations speed test", "", "memory"),
            param("Doing thread ", "Doing (thread) subsystem performance test", "", "threads"),
            param("Doing mutex ", "Doing (mutex) performance test", "", "mutex"),
            *self._shared_rows(),
            param(
                "Primer |Maximum p",
                r"(?:Primer numbers limit|Maximum prime number checked in CPU test): ([0-9]{1,9})",
                "max_prime",
                "cpu",
            ),
            param("Memory b", r"Memory block size: ([0-9]{1,9}[KMG]?)", "block_size"),
            param("Memory o", r"Memory operations type: ([a-z]{1,20})", "operation"),
            param("Memory s", r"Memory scope type: ([a-z]{1,20})", "scope"),
            _row(
                "Operations performed: [0-9]",
                rf"Operations performed: [0-9]{{1,15}} \( *{_NUMBER} ops/sec\)",
                add("operations", "operations/s"),
            ),
            _row(
                r"[0-9.]{1,15} MB t",
                rf"[0-9]{{1,12}}\.[0-9]{{2}} MB transferred \({_NUMBER} MB/sec\)",
                add("throughput", "MiB/s"),
            ),
            _row(
                "Read [0-9]",
                rf"Read {_SIZE_04}  Written {_SIZE_04}  Total transferred {_SIZE_04}  "
                r"\(([0-9]{1,9}(?:\.[0-9]{1,9})?)([KMG])b/sec\)",
                self._transferred,
            ),
            _row(
                r" *[0-9.]{1,15} Req",
                rf" *{_NUMBER} Requests/sec executed",
                add("operations", "operations/s"),
            ),
            _row(" +total time:", r" +total time: +([0-9]{1,12}\.[0-9]{4})s", self._keep_time),
            param(" +total number", r" +total number of events: +([0-9]{1,15})", "events"),
            _row(
                r" +events \(",
                r" +events \(avg/stddev\): +([0-9]{1,15}\.[0-9]{4})/[0-9]{1,15}\.[0-9]{2}",
                self._fairness,
            ),
        ]
        for start, name, metric in (
            (" +min:", "min", "min"),
            (" +avg:", "avg", "avg"),
            (" +max:", "max", "max"),
            (" +appr", r"approx\.  95 percentile", "p95"),
        ):
            take = self._without_events(add(f"latency_{metric}", "ms"))
            rows.append(_row(start, rf" +{name}: +{_NUMBER}ms", take))
        return rows

    def _shared_rows(self) -> _Rows:
        param = self._param
        return [
            param("Number of t", r"Number of threads: ([0-9]{1,6})", "threads"),
            param("Block s", r"Block size ([!-~]{1,20})", "block_size", "fileio"),
            param("Doing ", r"Doing ([a-z/() ]{3,60}) test", "operation", "fileio"),
        ]

    def _transferred(self, line: Line, match: re.Match[str]) -> None:
        self._figure("throughput", f"{match[2]}iB/s")(line, match)

    def _keep_time(self, line: Line, match: re.Match[str]) -> None:
        self._time = (line, match)

    def _without_events(self, take: Take) -> Take:
        """Hide the number of events, a parameter of the time only, from another figure."""

        def taken(line: Line, match: re.Match[str]) -> None:
            count = self._params.pop("events", None)
            take(line, match)
            if count is not None:
                self._params["events"] = count

        return taken

    def _fairness(self, line: Line, match: re.Match[str]) -> None:
        """Add the time, if the mean over threads confirms the number of events."""
        count, threads = self._params.get("events"), self._params.get("threads")
        is_stated = isinstance(count, int) and isinstance(threads, int)
        if (
            self._time is None
            or not is_stated
            or abs(float(match[1]) * int(threads or 0) - int(count or 0)) > int(threads or 0) * 1e-4
        ):
            self.sheet.broken(line.number, "the time of these events, or their number, is damaged")
        elif self._params.get("test") in ("cpu", "threads", "mutex"):
            self._figure("total_time", "s")(*self._time)
        self._time = None
        self._close(line, match)


def _row(start: str, pattern: str, take: Take) -> Row:
    return row(start, pattern + r"[ \t]*", take)


FORMAT = Format(
    name="sysbench",
    title="sysbench 0.4 and 1.0",
    example="""\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
Number of threads: 2
Prime numbers limit: 10000
CPU speed:
    events per second:  1990.50
""",
    recognises=holds(rb"^sysbench [0-9]+\.[0-9]+\.[0-9]+:? "),
    read=read,
)

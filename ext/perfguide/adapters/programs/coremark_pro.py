"""CoreMark-Pro and MultiBench of EEMBC, which share their harness (MITH).

The output of the two suites is alike. CoreMark-Pro's workloads are recognised by name; all others
belong to MultiBench.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, lines
from ..log_sheet import Sheet

EXAMPLE = """\
-- Workload:core=246760423
-- core:contexts=2
-- core:iterations=1
-- core:workloads/sec= 1.30208
"""

COREMARK_PRO = frozenset(
    (
        *("cjpeg-rose7-preset", "core", "linear_alg-mid-100x100-sp", "loops-all-mid-10k-sp"),
        *("nnet_test", "parser-125k", "radix2-big-64k", "sha-test", "zip-test"),
    )
)

# Layout: ``mith_report_results`` in mith_lib.c, results_parser.pl and cert_mark.pl. Each run of a
# workload prints lines ``-- NAME:KEY=VALUE``; workloads/s is the result, and a run with ``ERRORS``
# failed. The last tables of CoreMark-Pro have workloads/s and the mark for many contexts and for one.
# Their number in the first column is in the runs or in make's option (``XCMD='-c4'``), if the log has
# these, or it is stated; otherwise ``contexts`` is ``MultiCore``, the name of the column.
_PAIR = re.compile(r"-- ([!-9;-~]{1,100}):([!-<>-~]{1,40})=[ \t]*+(.+)")
_ROW = re.compile(
    r"([!-~]{1,100})[ \t]+([0-9]{1,12}\.[0-9]{2}|n/a|inf|nan)[ \t]+([0-9]{1,12}\.[0-9]{2}|n/a|inf|nan)"
    r"[ \t]+(?:[0-9]{1,9}\.[0-9]{2}|n/a|inf|nan)[ \t]*"
)
_HEAD = re.compile(r"(?:Workload|Mark) Name[ \t]+(?:\(iter/s\)|MultiCore).*")
_LIKE_HEAD = re.compile(r"(?:Workload|Mark) Name.*")
_OPTION = re.compile(r"\bXCMD=[\"']?-c([1-9][0-9]{0,3})\b")
_WARNED = re.compile(
    r"Info: This run was executed with (?:verification|kernel debug|harness debug) turned on!.*"
)


def recognises(data: bytes) -> bool:
    """Return whether the bytes contain a workload of CoreMark-Pro or one of its tables."""
    return (
        any(
            name.decode("ascii", "replace") in COREMARK_PRO
            for name in re.findall(rb"^-- Workload:([^=\n]+)=", data, re.M)
        )
        or re.search(rb"^Workload Name +\(iter/s\)|^Mark Name +MultiCore", data, re.M) is not None
    )


def recognises_multibench(data: bytes) -> bool:
    """Return whether the bytes contain a workload of another suite."""
    names = re.findall(rb"^-- Workload:([!-~]+)=", data, re.MULTILINE)
    return any(name.decode("ascii", "replace") not in COREMARK_PRO for name in names)


def read(data: bytes, context: Context) -> Reading:
    """Return the rates of CoreMark-Pro's workloads, and its mark."""
    return _Reader(Sheet(context), "coremark-pro").read(data)


def read_multibench(data: bytes, context: Context) -> Reading:
    """Return the rates of all other workloads."""
    return _Reader(Sheet(context), "multibench").read(data)


class _Reader:
    def __init__(self, sheet: Sheet, benchmark: str) -> None:
        self._sheet = sheet
        self._benchmark = benchmark
        self._contexts: dict[str, int] = {}
        self._values: dict[str, str] = {}
        """The iterations and the time of the current workload, as printed."""
        self._workload = ""
        self._max_contexts = 0
        self._option_contexts = 0
        self._errors: set[str] = set()
        self._is_in_table = False
        self._runs: set[tuple[str, int]] = set()

    def read(self, data: bytes) -> Reading:
        for line in lines(data):
            if match := _PAIR.fullmatch(line.text.rstrip(" \t")):
                self._pair(line, match)
            elif line.text.startswith("-- ") and re.search(r"workloads/se?c?", line.text):
                self._sheet.broken(line.number, "a line of the harness is cut or damaged")
            elif self._workload and line.text.startswith(f"-- {self._workload}:"):
                # It may be the one with the contexts or the errors of this run.
                self._sheet.broken(line.number, "a line of the harness is cut or damaged")
                self._workload = ""
            elif _WARNED.fullmatch(line.text):
                self._sheet.note(
                    line.number, "the harness ran with verification or debugging: not at its best"
                )
            elif self._benchmark != "coremark-pro":
                continue
            elif _HEAD.fullmatch(line.text):
                self._is_in_table = True
                self._sheet.understood(line.number)
            elif _LIKE_HEAD.fullmatch(line.text):
                self._sheet.broken(line.number, "the head of a table is cut or damaged")
                self._is_in_table = False
            elif match := _OPTION.search(line.text):
                self._option_contexts = int(match[1])
                self._sheet.understood(line.number)
            elif self._is_in_table:
                self._row(line)
        if self._workload:
            self._sheet.broken(None, f"{self._workload} has no workloads/sec: the log is cut")
        return self._sheet.reading()

    def _ours(self, name: str) -> bool:
        return (name in COREMARK_PRO) == (self._benchmark == "coremark-pro")

    def _pair(self, line: Line, match: re.Match[str]) -> None:
        name, key, value = match[1], match[2], match[3]
        workload = value if name == "Workload" else name
        if name == "Workload":
            workload = key
            self._missing(line)
            self._workload = workload if self._ours(workload) else ""
            self._values.clear()
            self._errors.discard(workload)
            self._contexts.pop(workload, None)
        if name == "Done":
            self._missing(line)
        if not self._ours(workload):
            return
        if key == "contexts" and re.fullmatch(r"[0-9]{1,6}", value):
            self._contexts[name] = int(value)
            self._max_contexts = max(self._max_contexts, int(value))
        elif key == "ERRORS" and value != "0":
            self._errors.add(name)
        elif key in ("iterations", "time(secs)"):
            self._values[key] = value
        elif key == "workloads/sec":
            self._rate(line, name, value)
        self._sheet.understood(line.number)

    def _missing(self, line: Line) -> None:
        """Report that the current workload produced no figure."""
        if self._workload:
            self._sheet.broken(
                line.number, f"before this line, {self._workload} has no workloads/sec: cut?"
            )
        self._workload = ""

    def _rate(self, line: Line, name: str, value: str) -> None:
        contexts = self._contexts.get(name, 0)
        self._runs.add((name, contexts))
        params: dict[str, Scalar] = {}
        if contexts and self._benchmark == "coremark-pro":
            params = {"contexts": contexts}
        rate = figure(value)
        # The first lines of this workload are lost, so contexts and errors may be those of another one.
        if name != self._workload:
            self._sheet.broken(line.number, f"“{name}” is not the workload that was begun")
            return
        self._workload = ""
        if rate is None or not _agrees(value, self._values):
            self._sheet.broken(line.number, "a line of the harness is cut or damaged")
        elif name in self._errors:
            why = f"{name} reports errors"
            self._sheet.failure(line.number, self._benchmark, name, "workloads/s", params, why)
        else:
            self._sheet.figure(line.number, self._benchmark, name, "workloads/s", rate, params)

    def _row(self, line: Line) -> None:
        match = _ROW.fullmatch(line.text)
        name = match[1] if match else line.text.partition(" ")[0]
        is_mark = name.lower() == "coremark-pro"
        if not is_mark and name not in COREMARK_PRO:
            return
        if match is None:
            self._sheet.broken(line.number, "a row of CoreMark-Pro is cut or damaged")
            return
        self._sheet.understood(line.number)
        stated = str(self._sheet.stated("contexts") or "")
        many = self._option_contexts or self._max_contexts
        many = int(stated) if stated.isdecimal() else many
        metric, unit = (name.lower(), "score") if is_mark else (name, "workloads/s")
        for text, contexts in ((match[2], many), (match[3], 1)):
            if (name, contexts) in self._runs or text == "n/a":
                continue  # the run itself is in this log
            value = figure(text)
            if contexts < 1:
                self._sheet.note(
                    line.number,
                    "the number of contexts of the column MultiCore is not stated",
                    "state contexts=…",
                )
            if value is not None:
                params: dict[str, Scalar] = {"contexts": contexts or "MultiCore"}
                self._sheet.figure(line.number, "coremark-pro", metric, unit, value, params)


def _agrees(rate: str, printed: dict[str, str]) -> bool:
    """Return whether the rate equals iterations divided by time, within its six digits.

    Its number of digits varies (``%8g``), so truncation would go unnoticed otherwise.
    """
    count, seconds = figure(printed.get("iterations", "")), figure(printed.get("time(secs)", ""))
    if not count or not seconds or rate == f"{count / seconds:.6g}":
        return True
    # A time of six digits is itself rounded.
    rounded = len(printed["time(secs)"].replace(".", "").lstrip("0")) >= 6
    value = figure(rate)
    return rounded and value is not None and abs(value * seconds / count - 1) <= 1.05e-5


FORMAT = Format(
    name="coremark-pro",
    title="CoreMark-Pro: runs and the tables of results",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)

MULTIBENCH = Format(
    name="multibench",
    title="MultiBench: runs of its workloads",
    example="""\
-- Workload:4m-check=1048823331
-- 4m-check:contexts=1
-- 4m-check:iterations=1000
-- 4m-check:workloads/sec= 402.576
""",
    recognises=recognises_multibench,
    read=read_multibench,
)

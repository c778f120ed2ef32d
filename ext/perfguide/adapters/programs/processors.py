"""Processors: CoreMark, 7-zip, cpuminer, UnixBench and stress-ng.

Layouts: core_main.c of CoreMark, ``Bench`` in 7-zip's Bench.cpp (p7zip 9.20 to 7-zip 26), the
``applog`` lines of cpu-miner.c, UnixBench's Run, and ``stress_metrics_dump`` of stress-ng.

- CoreMark counts where it validated itself and ran for ten seconds.
- 7-zip: the means of all dictionaries as ratings in MIPS, and each dictionary's speed.
- cpuminer prints a total every few seconds: each is a sample.
- UnixBench: the result of each test with the number of its copies, and the indices.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, lines, words
from ..log_rows import row, scan, skip
from ..log_sheet import Sheet

_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,6})?"


# CoreMark
_PAIR = re.compile(r"(Iterations/Sec|Total time \(secs\)|Iterations|Compiler (?:version|flags)|"
                   r"Parallel [A-Za-z]{2,12}) *: (.{1,400})")  # fmt: skip
_MARK = re.compile(r"CoreMark 1\.0 : ([0-9]{1,12}\.[0-9]{6}) / .*")
_RATE = re.compile(r"[0-9]{1,12}(?:\.[0-9]{6})?")


@dataclass(slots=True)
class _CoreMark:
    """A run as far as it was read."""

    line: Line | None = None
    rate: str = ""
    seconds: str = ""
    iterations: str = ""
    threads: int = 1
    failed: str = ""

    def agrees(self) -> bool:
        """Whether the rate is iterations by time; a whole number has no end that shows a cut."""
        if "." in self.rate:
            return True
        whole = self.iterations.isdigit() and self.seconds.isdigit() and int(self.seconds) > 0
        return whole and int(self.iterations) // int(self.seconds) == int(self.rate)


def read_coremark(data: bytes, context: Context) -> Reading:
    """Iterations a second of each run that is valid."""
    sheet = Sheet(context)
    run = _CoreMark()

    def give(line: Line, rate: str) -> None:
        params: dict[str, Scalar] = {"threads": run.threads} if run.threads != 1 else {}
        sheet.figure(line.number, "coremark", "coremark", "iterations/s", float(rate), params)

    for line in lines(data):
        text = line.text.rstrip(" \t")
        if text.endswith("run parameters for coremark.") or text == "CoreMark Size    : 666":
            if run.rate:
                _unproven(run, sheet)
            if not text.startswith("CoreMark Size") or run.rate:
                run = _CoreMark()
        elif found := _MARK.fullmatch(text):
            if not run.rate and not run.failed:
                give(line, found[1])
            run = _CoreMark()
        elif text.startswith("CoreMark 1.0 : "):
            sheet.broken(line.number, "the line of CoreMark's result is cut or damaged")
        elif found := _PAIR.fullmatch(text):
            if found[1] == "Iterations/Sec":
                run.line, run.rate = line, found[2].strip()
            elif found[1] == "Iterations":
                run.iterations = found[2].strip()
            elif found[1].startswith("Total"):
                run.seconds = found[2].strip()
            elif found[1].startswith("Compiler"):
                sheet.fact(f"tools.coremark.{found[1].lower().replace(' ', '_')}", found[2].strip())
            elif found[2].strip().isdigit():
                run.threads = int(found[2])
        elif text.startswith("ERROR! ") or text == "Errors detected":
            run.failed = run.failed or text
            if text == "Errors detected" and run.line:
                why = f"CoreMark: {run.failed}"
                unit = "iterations/s"
                sheet.failure(run.line.number, "coremark", "coremark", unit, None, why)
                run.rate = ""
        elif text.startswith("Correct operation validated"):
            if run.line and run.rate and not run.failed:
                if _RATE.fullmatch(run.rate) and run.agrees():
                    give(run.line, run.rate)
                else:
                    sheet.broken(run.line.number, "the line Iterations/Sec is cut or damaged")
                run.failed = "given"
                run.rate = ""
            elif not run.failed:
                sheet.broken(line.number, "before this line CoreMark's Iterations/Sec is missing")
        else:
            continue
        sheet.understood(line.number)
    _unproven(run, sheet)
    return sheet.reading()


def _unproven(run: _CoreMark, sheet: Sheet) -> None:
    if run.rate and run.line:
        sheet.broken(run.line.number, "CoreMark does not say whether this run was valid")


# 7-zip
_ZIP_HEAD = re.compile(r"(?:Dict)? *Speed +Usage +R/U +Rating +\| +Speed +Usage +R/U +Rating *")
_ZIP_ROW = re.compile(
    r"([0-9]{1,2}|Avr):((?: +[0-9]{1,9}){3,4})(?: +\||(?= {8}))((?: +[0-9]{1,9}){3,4}) *"
)
_ZIP_TOTAL = re.compile(r"Tot:((?: +[0-9]{1,9}){3}) *((?: +[0-9]{1,9}){3})? *")
_ZIP_THREADS = re.compile(r".*Benchmark threads: +([0-9]{1,5}).*")
_ZIP_VERSION = re.compile(r"7-Zip (?:\([a-z]\) )?(?:\[[0-9]{2}\] )?([0-9]{1,2}\.[0-9]{2})\b.*")


def read_7zip(data: bytes, context: Context) -> Reading:
    """The ratings of packing, unpacking and both, and the speeds by dictionary."""
    sheet = Sheet(context)
    params: dict[str, Scalar] = {}
    width = half = open_row = 0

    def give(line: Line, metric: str, unit: str, text: str, power: str = "") -> None:
        said = params | ({"dictionary": 2 ** int(power)} if power else {})
        sheet.figure(line.number, "7-zip", metric, unit, float(text), said)

    for line in lines(data):
        text = line.text.rstrip(" \t")
        if found := _ZIP_VERSION.fullmatch(text):
            sheet.fact("tools.7-zip", found[1])
        elif found := _ZIP_THREADS.fullmatch(text):
            params["threads"] = int(found[1])
        elif _ZIP_HEAD.fullmatch(text):
            # Numbers end where the words of the head do: a row that is cut is shorter.
            width, half, open_row = len(text), text.index("|") - 2, line.number
        elif not width or not re.match(r" ?(?:[0-9]{1,2}|Avr|Tot):", text):
            continue
        elif text.startswith("Tot"):
            found = _ZIP_TOTAL.fullmatch(text)
            if found and len(text) >= (width if found[2] else half):
                give(line, "total_rating", "MIPS", words(found[2] or found[1])[2])
            else:
                sheet.broken(line.number, "a row of 7-zip is cut or damaged")
            open_row = width = 0
        else:
            found = _ZIP_ROW.fullmatch(text)
            if found is None or len(text) < width:
                sheet.broken(line.number, "a row of 7-zip is cut or damaged")
                continue
            for cells, way in (
                (words(found[2]), "compression"),
                (words(found[3]), "decompression"),
            ):
                if found[1] == "Avr":
                    give(line, f"{way}_rating", "MIPS", cells[-1])
                elif len(cells) == 4:
                    give(line, f"{way}_speed", "KiB/s", cells[0], found[1])
        sheet.understood(line.number)
    if open_row:
        sheet.broken(open_row, "this table of 7-zip has no row “Tot”: it is cut")
    return sheet.reading()


# cpuminer
def read_cpuminer(data: bytes, context: Context) -> Reading:
    """The hash rate of all threads, each time that it was printed."""
    sheet = Sheet(context)
    params: dict[str, Scalar] = {}

    def started(line: Line, found: re.Match[str]) -> None:
        params.update(threads=int(found[1]), algorithm=found[2])

    def total(line: Line, found: re.Match[str]) -> None:
        sheet.figure(line.number, "cpuminer", "hash_rate", found[2], float(found[1]), params)

    def version(line: Line, found: re.Match[str]) -> None:
        sheet.fact("tools.cpuminer", found[1])

    stamp = r"\[[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}\] "
    scan(
        data,
        "cpuminer",
        (
            row(r" *\*\* cpuminer", r" *\*\* (cpuminer[!-~]{0,40} [!-~]{1,40}) by .*", version),
            row(
                stamp + "[0-9]{1,5} miner threads",
                stamp
                + r"([0-9]{1,5}) miner threads started, using '([!-&(-~]{1,60})' algorithm\.[ \t]*",
                started,
            ),
            row(
                stamp + "Total: ",
                stamp + r"Total: ([0-9]{1,9}\.[0-9]{1,3}) ([kMGT]?H/s)[ \t]*",
                total,
            ),
            row(
                # The front of such a line, or its end.
                r"\[[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{4,8}(?:\]?(?: T?)?$|\] T)"
                r"|.{0,60}Total: {1,4}[0-9.]{1,12} [kMGT]?H/s",
                r"(?!)",
                skip,
            ),
            row(
                stamp + r"(?:CPU|thread) #?[0-9]",
                stamp + r"(?:CPU|thread) #?[0-9]{1,5}: [^\ufffd]*",
                skip,
            ),
        ),
        sheet,
    )
    return sheet.reading()


# UnixBench
_UNITS = {
    "lps": "iterations/s",
    "lpm": "iterations/min",
    "MWIPS": "MIPS",
    "KBps": "KiB/s",
    "MFLOPS": "Mflops",
}


_UNIXBENCH_TEST = (
    "(?:Dhrystone 2 using register variables|Double-Precision Whetstone|Execl Throughput"
    "|File Copy (?:1024 bufsize 2000|256 bufsize 500|4096 bufsize 8000) maxblocks|File (?:Read|Write) "
    "[0-9]{3,4} bufsize [0-9]{3,4} maxblocks|Pipe Throughput|Pipe-based Context Switching"
    r"|Process Creation|Shell Scripts \((?:1|8|16) concurrent\)|System Call Overhead"
    r"|Arithmetic Test \([a-z]{3,8}\)|Recursion Test -- Tower of Hanoi|Arithoh|C Compiler Throughput)"
)


def read_unixbench(data: bytes, context: Context) -> Reading:
    """The result of each test, its index, and the index of all."""
    sheet = Sheet(context)
    params: dict[str, Scalar] = {}

    def copies(line: Line, found: re.Match[str]) -> None:
        params["copies"] = int(found[1])

    def result(line: Line, found: re.Match[str]) -> None:
        if found[3] not in _UNITS:
            sheet.broken(line.number, f"“{found[3]}” is no unit of UnixBench")
        else:
            value = float(found[2])
            sheet.figure(line.number, "unixbench", found[1], _UNITS[found[3]], value, params)

    def index(line: Line, found: re.Match[str]) -> None:
        name = f"{found[1]}, index"
        sheet.figure(line.number, "unixbench", name, "score", float(found[2]), params)

    def version(line: Line, found: re.Match[str]) -> None:
        sheet.fact("tools.unixbench", found[1])

    def score(line: Line, found: re.Match[str]) -> None:
        sheet.figure(line.number, "unixbench", found[1], "score", float(found[2]), params)

    name = f"({_UNIXBENCH_TEST})"
    scan(
        data,
        "UnixBench",
        (
            row(
                r" *Version [0-9]",
                r" +(?:BYTE UNIX Benchmarks \()?Version ([0-9.]{1,12})\)? .*",
                version,
            ),
            row(
                r"[0-9]{1,4} CPUs? in system",
                r"[0-9]{1,4} CPUs? in system; running ([0-9]{1,4}) parallel cop(?:y|ies) of tests[ \t]*",
                copies,
            ),
            row(
                r"(?!)",
                rf"{name} +([0-9]{{1,12}}\.[0-9]) ([A-Za-z]{{3,6}})"
                r" +\([0-9.]{1,9} s, [0-9]{1,4} samples\)[ \t]*",
                result,
            ),
            row(
                "System Benchmarks Index Score",
                r"(System Benchmarks Index Score(?: \(Partial Only\))?) +([0-9]{1,9}\.[0-9])[ \t]*",
                score,
            ),
            row(
                "System Benchmarks",
                r"System Benchmarks (?:Partial )?Index(?: Values)? +BASELINE .*",
                skip,
            ),
            row(
                _UNIXBENCH_TEST + " ",
                rf"{name} +[0-9]{{1,9}}\.[0-9] +[0-9]{{1,12}}\.[0-9] +([0-9]{{1,9}}\.[0-9])[ \t]*",
                index,
            ),
        ),
        sheet,
    )
    return sheet.reading()


# stress-ng
def read_stress_ng(data: bytes, context: Context) -> Reading:
    """Bogus operations a second of each stressor, by time on the clock and by CPU time."""
    sheet = Sheet(context)
    instances: dict[str, int] = {}

    def hogs(line: Line, found: re.Match[str]) -> None:
        instances.clear()
        for count, name in re.findall(r"([0-9]{1,6}) ([a-z0-9-]{1,40})", found[1]):
            instances[name] = int(count)

    def given(stressor: str) -> dict[str, Scalar]:
        said: dict[str, Scalar] = {"stressor": stressor}
        return said | ({"instances": instances[stressor]} if stressor in instances else {})

    def metrics(line: Line, found: re.Match[str]) -> None:
        if instances and found[1] not in instances:
            sheet.broken(line.number, f"“{found[1]}” is none of the stressors that were started")
            return
        for text, metric in ((found[2], "bogo_ops"), (found[3], "bogo_ops_by_cpu_time")):
            params = given(found[1])
            value = float(text)
            sheet.figure(line.number, "stress-ng", metric, "operations/s", value, params, zero=True)

    def version(line: Line, found: re.Match[str]) -> None:
        sheet.fact("tools.stress-ng", found[1])

    front = r"stress-ng: (?:info|metrc): {1,2}\[[0-9]{1,10}\] "
    decimals = r"[0-9]{1,15}\.[0-9]{2}"
    scan(
        data,
        "stress-ng",
        (
            row(r"stress-ng, version", r"stress-ng, version ([0-9.]{1,20}) .*", version),
            row(
                front + "dispatching hogs:",
                front + r"dispatching hogs: ([0-9a-z, -]{1,2000})",
                hogs,
            ),
            row(
                front + r"[a-z0-9-]{1,40} +[0-9]{1,15}(?: |$)",
                front + r"([a-z0-9-]{1,40}) +[0-9]{1,15}(?: +[0-9]{1,12}\.[0-9]{2}){3}"
                rf" +({decimals}) +({decimals})(?: +[0-9]{{1,9}}\.[0-9]{{2}}(?: +[0-9]{{1,12}})?)?[ \t]*",
                metrics,
            ),
        ),
        sheet,
    )
    return sheet.reading()


COREMARK = Format(
    name="coremark",
    title="CoreMark 1.0",
    example="CoreMark 1.0 : 16323.865491 / GCC12.2.0 -O2 / Heap\n",
    recognises=holds(rb"^CoreMark (?:1\.0 : |Size +: )"),
    read=read_coremark,
)
SEVEN_ZIP = Format(
    name="7-zip",
    title="7-zip and p7zip, 7z b",
    example="""\
RAM usage:   1323 MB,  # Benchmark threads:      6
Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating
22:       6143   542   1103   5976  |     119945   545   1877  10229
Avr:             542   1103   5976  |              545   1877  10229
Tot:             543   1490   8102
""",
    recognises=holds(rb"Speed +Usage +R/U +Rating +\|"),
    read=read_7zip,
)
CPUMINER = Format(
    name="cpuminer",
    title="cpuminer-multi --benchmark",
    example="""\
[2024-03-19 19:10:49] 4 miner threads started, using 'scrypt' algorithm.
[2024-03-19 19:10:59] Total: 15.42 kH/s
""",
    recognises=holds(rb"^\[[0-9: -]{19}\] Total: [0-9.]+ [kMGT]?H/s"),
    read=read_cpuminer,
)
UNIXBENCH = Format(
    name="unixbench",
    title="UnixBench 5 and 6",
    example="""\
4 CPUs in system; running 1 parallel copy of tests
Dhrystone 2 using register variables       42022232.0 lps   (10.0 s, 7 samples)
System Benchmarks Index Score                                         772.5
""",
    recognises=holds(rb"^System Benchmarks (?:Partial )?Index|^[0-9]+ CPUs? in system; running"),
    read=read_unixbench,
)
STRESS_NG = Format(
    name="stress-ng",
    title="stress-ng --metrics and --metrics-brief",
    example="""\
stress-ng: info:  [538] dispatching hogs: 1 matrix
stress-ng: metrc: [538] matrix             8650      2.00      1.99      0.00      4324.84        4331.92
""",
    recognises=holds(rb"^stress-ng: (?:info|metrc): +\[[0-9]+\] (?:stressor|dispatching hogs)"),
    read=read_stress_ng,
)

"""cyclictest of rt-tests: the final lines, the histogram, and ``--json``.

Without ``-q`` the lines are printed repeatedly: the last ones count, or those of the histogram if
one follows.

A histogram gives the number of samples for each latency, from the smallest to the greatest that
occurred; latencies above the last bucket are counted as overflow. Only the text histogram is read,
as its total reveals lost lines; the one in JSON has no total."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .. import Context, Format, Reading, Scalar
from ..json_nodes import Documents, Node, documents
from ..log_lines import Line, figure, lines, typed, words
from ..log_sheet import Sheet

EXAMPLE = """\
# /dev/cpu_dma_latency set to 0us
T: 0 (19043) P:90 I:400 C:10000000 Min:      6 Act:    9 Avg:    9 Max:      58
T: 1 (19044) P:90 I:400 C: 9999932 Min:      6 Act:    8 Avg:    9 Max:      63
"""

METRICS = ("latency_min", "latency_avg", "latency_max")

# Layout: ``print_stat``, ``print_hist`` and ``write_stats`` in cyclictest.c. There is a minimum,
# an average and a maximum for each thread; with ``-S`` the threads are the cores. They are in us,
# with ``-N`` in ns: then the average is eight columns wide in place of five, and
# ``resolution_in_ns`` is 1 in JSON.
_THREAD = re.compile(
    r"T:[ ]*([0-9]{1,4}) \([ ]*([0-9]{1,9})\) P:[ ]*[0-9]{1,3} I:[0-9]{1,9} C:[ ]*([0-9]{1,12})"
    r" Min:[ ]*([0-9]{1,12}) Act:[ ]*(-?[0-9]{1,12}) Avg:([ ]*[0-9]{1,12}) Max:([ ]*[0-9]{1,12})[ ]*"
)
_SCHEDULE = re.compile(r" P:[ ]*([0-9]{1,3}) I:([0-9]{1,9}) ")
_COMMAND = typed("cyclictest")
_AFFINITY = re.compile(
    r" (?:-[A-Za-z]{0,9}a ?|--affinity[= ])([0-9]{1,4}(?:[,-][0-9]{1,4}){0,99})(?= |$)"
)
_IN_ORDER = re.compile(r" (?:-[A-Za-z]{0,9}[aS]|--smp|--affinity)(?![a-z])")
_SUMMARY = re.compile(r"# (Min|Avg|Max) Latencies:((?: [0-9]{5,12})+)[ ]*")
_BUCKET = re.compile(r"([0-9]{6}) ([0-9]{6,12}(?:[\t ][0-9]{6,12})*)[\t ]*")
_TOTAL = re.compile(r"# Total:((?: [0-9]{6,12})+)[ ]*")
_OVERFLOWS = re.compile(r"# Histogram Overflows:((?: [0-9]{5,12})+)[ ]*")
_LIKE = re.compile(
    r"^T:[ ]*[0-9]|\bMin:[ ]*[0-9]+ Act:|\bAvg:[ ]*[0-9]+ Max:|^# (?:Min|Avg|Max) Lat| Latencies: [0-9]"
    r"|^# Histogram O(?!verflow at cycle number)"
)
_REDRAWN = re.compile(r".{0,8}policy: [a-z]+(?:/[a-z]+)?: loadavg: .*")
_JSON = re.compile(rb'"(?:rt_test_version:?|cmdline:?)"\s*:\s*"[^"\n]*')


@dataclass(slots=True)
class _Run:
    """The lines of one run: the last one of each thread, and those of the histogram."""

    threads: dict[tuple[str, str], tuple[Line, re.Match[str]]] = field(default_factory=dict)
    summary: dict[str, tuple[Line, list[str]]] = field(default_factory=dict)
    redrawn: bool = False
    frame: set[str] = field(default_factory=set)
    histogram: bool = False
    buckets: dict[int, tuple[int, list[str]]] = field(default_factory=dict)
    total: list[int] = field(default_factory=list)
    command: str = ""
    cores: list[int] = field(default_factory=list)
    """The cores to which the command binds the threads, if it names any."""
    is_in_order: bool = True
    """True if each thread is bound to the core of its number. Logs without their command are nearly
    always of ``-S``, which does so."""

    def start(self, command: str) -> None:
        """Record the command of this run, and the cores of its threads."""
        self.command, self.cores = command, _affinity(command)
        self.is_in_order = _IN_ORDER.search(command) is not None

    def thread(self, number: int) -> dict[str, Scalar]:
        """Return the parameter that identifies a thread: its core, if that is certain."""
        if self.cores:
            return {"core": self.cores[number % len(self.cores)]}
        return {"core" if self.is_in_order else "thread": number}


def _affinity(command: str) -> list[int]:
    """Return the cores to which ``-a`` binds the threads, in order; none if it names none."""
    if not (match := _AFFINITY.search(command)):
        return []
    cores: set[int] = set()
    for part in match[1].split(","):
        first, _, last = part.partition("-")
        cores.update(range(int(first), int(last or first) + 1))
    return sorted(cores)


def recognises(data: bytes) -> bool:
    """Return whether the bytes contain a thread's line, a histogram's summary or the JSON."""
    if re.search(
        rb"^T: ?[0-9]+ \( *[0-9]+\) P: ?[0-9]+ I:|^# (?:Min|Avg|Max) Latencies:", data, re.M
    ):
        return True
    return b'"thread"' in data and _JSON.search(data) is not None


def read(data: bytes, context: Context) -> Reading:
    """Return the latencies of each thread of each run."""
    reader = _Reader(Sheet(context))
    for line in lines(data):
        if reader.line(line):
            reader.sheet.understood(line.number)
    reader.finish()
    if b'"thread"' in data:
        _json(documents(data), reader.sheet)
    return reader.sheet.reading()


class _Reader:
    """Reads the text of one run after another."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._run = _Run()

    def line(self, line: Line) -> bool:
        """Read a line; return whether it was understood."""
        run, text = self._run, line.text
        if match := _THREAD.fullmatch(text):
            self._thread(line, match)
        elif match := _SUMMARY.fullmatch(text):
            if match[1] in run.summary:
                self.finish()
            self._run.summary[match[1]] = (line, words(match[2]))
        elif run.histogram and (match := _BUCKET.fullmatch(text)):
            run.buckets[int(match[1])] = (line.number, words(match[2]))
        elif run.histogram and re.match("[0-9]{2,}[ \t]|[0-9]+$", text):
            return self._damaged(line, "a line of the histogram is cut or damaged")
        elif run.histogram and (match := _TOTAL.fullmatch(text)):
            run.total = [int(count) for count in words(match[1])]
        elif run.summary and (match := _OVERFLOWS.fullmatch(text)):
            return self._overflows(line, words(match[1]))
        elif text.startswith("# Histogram") and not text.startswith("# Histogram O"):
            if run.summary or not run.redrawn:
                self.finish()
            self._run.histogram = True
        elif _REDRAWN.fullmatch(text):
            run.redrawn = True
            run.frame.clear()
        elif match := _COMMAND.fullmatch(text):
            self.finish()
            self._run.start(match[1])
        elif text.startswith("# /dev/cpu_dma_latency set to"):
            # This may be the run whose command was just read.
            if run.threads or run.summary or run.histogram:
                self.finish()
        elif _LIKE.search(text):
            return self._damaged(line)
        elif re.search(r"unable to (?:change|get) sched|pthread_create|could not set", text, re.I):
            self.sheet.failed(line.number, f"cyclictest: {text[:200]}")
        else:
            return False
        return True

    def _damaged(self, line: Line, message: str = "a line of cyclictest is cut or damaged") -> bool:
        self.sheet.broken(line.number, message)
        return False

    def _thread(self, line: Line, match: re.Match[str]) -> None:
        key, threads = (match[1], match[2]), self._run.threads
        # A process that is starting its threads shows them as 0 at first.
        is_restarted = any(k[0] == match[1] and k != key and k[1] != "0" for k in threads)
        if self._run.summary or is_restarted:
            self.finish()
        self._run.threads.pop((match[1], "0"), None)
        self._run.threads[key] = (line, match)
        self._run.frame.add(match[1])

    def _overflows(self, line: Line, counts: list[str]) -> bool:
        if any(len(values) != len(counts) for _, values in self._run.summary.values()):
            return self._damaged(line)
        for number, count in enumerate(counts):
            overflow(line.number, int(count), self._run.thread(number), self.sheet)
        return True

    def finish(self) -> None:
        """Add the figures of the run, or report why there are none."""
        run, self._run = self._run, _Run()
        if run.summary or run.histogram:
            self._add_histogram(run)
        # The last frame is incomplete, and figures of an earlier one are not final.
        elif run.redrawn and run.frame != {name for name, _ in run.threads}:
            message = "the last lines of cyclictest are cut: earlier ones do not count"
            self.sheet.broken(None, message)
        else:
            for line, match in run.threads.values():
                self._add_thread(run, line, match)

    def _add_histogram(self, run: _Run) -> None:
        counts = {len(values) for _, values in run.summary.values()}
        if len(run.summary) < 3 or len(counts) > 1:
            line_of = next((line.number for line, _ in run.summary.values()), None)
            self.sheet.broken(line_of, "the summary of the histogram is cut or damaged")
            return
        for name, metric in zip(("Min", "Avg", "Max"), METRICS, strict=True):
            line, values = run.summary[name]
            for number, value in enumerate(values):
                params = run.thread(number)
                _add_latency(line.number, metric, "us", value, params, self.sheet, run.command)
        for number in range(counts.pop()):
            histogram(_column(run, number, self.sheet), run.thread(number), self.sheet)

    def _add_thread(self, run: _Run, line: Line, match: re.Match[str]) -> None:
        average = match[6]
        if len(match[7]) < 8 or not _ordered(match):
            self._damaged(line)
            return
        # Only the width of the average distinguishes ns from us.
        if len(average) > 8 or (len(average) == 8 and average[0] != " "):
            self._damaged(line, "whether these are us or ns cannot be determined")
            return
        unit = "ns" if len(average) == 8 else "us"
        texts = [match[4], average.strip(), match[7].strip()]
        if int(match[3]) == 0:
            texts = ["nan"] * 3
        if schedule := _SCHEDULE.search(line.text):
            self.sheet.setup = {"priority": int(schedule[1]), "interval": f"{schedule[2]} us"}
        params = run.thread(int(match[1]))
        for metric, value in zip(METRICS, texts, strict=True):
            _add_latency(line.number, metric, unit, value, params, self.sheet, run.command)
        self.sheet.setup = {}


def _column(run: _Run, core: int, sheet: Sheet) -> dict[int, tuple[int, int]]:
    """Return the buckets of one core, latency to line and count; none if some are missing."""
    out = {
        latency: (line, int(counts[core]))
        for latency, (line, counts) in run.buckets.items()
        if core < len(counts)
    }
    total = run.total[core] if core < len(run.total) else None
    # Only the sum reveals a lost line.
    if sum(count for _, count in out.values()) == total:
        return out
    line = min((line for line, _ in run.buckets.values()), default=None)
    sheet.broken(line, f"the samples of thread {core} in the histogram are not its total")
    return {}


def histogram(buckets: dict[int, tuple[int, int]], thread: dict[str, Scalar], sheet: Sheet) -> None:
    """Add the samples of one thread for each listed latency, within the range that has any."""
    filled = [latency for latency, (_, count) in buckets.items() if count]
    for latency, (line, count) in sorted(buckets.items()):
        if filled and min(filled) <= latency <= max(filled):
            params = {**thread, "latency": latency}
            sheet.figure(line, "cyclictest", "histogram", "1", float(count), params, zero=True)


def overflow(line: int, count: int, thread: dict[str, Scalar], sheet: Sheet) -> None:
    """Add the samples of one thread above the histogram's last bucket."""
    metric = "histogram_overflow"
    sheet.figure(line, "cyclictest", metric, "1", float(count), thread, zero=True)


def _ordered(match: re.Match[str]) -> bool:
    """Return whether minimum, average and last value are consistent with the maximum, so that none
    lost a digit."""
    if int(match[3]) == 0:
        return True
    low, now, average, high = (int(match[n]) for n in (4, 5, 6, 7))
    return low <= average <= high and now <= high


def _add_latency(
    line: int,
    metric: str,
    unit: str,
    text: str,
    thread: dict[str, Scalar],
    sheet: Sheet,
    command: str,
) -> None:
    value = figure(text)
    if value is None:
        sheet.broken(line, f"“{text[:40]}” is not a latency")
        return
    sheet.figure(line, "cyclictest", metric, unit, value, thread, zero=True, command=command)


def _json(parsed: Documents, sheet: Sheet) -> None:
    line_of = parsed.source.line
    for at, message in parsed.faults:
        sheet.broken(at, message)
    for root in parsed.roots:
        version = root.string("rt_test_version:") or root.string("rt_test_version")
        resolution = root.get("resolution_in_ns")
        if "thread" not in root.members or resolution is None:
            continue
        sheet.understood(*parsed.source.lines(root))
        if version:
            sheet.fact("tools.rt-tests", version)
        unit = {"0": "us", "1": "ns"}.get(resolution.text)
        if unit is None:
            sheet.broken(line_of(resolution.at), "whether these are us or ns cannot be determined")
            continue
        command = root.string("cmdline:") or root.string("cmdline") or ""
        for name, thread in root.child("thread").members.items():
            _thread(name, thread, unit, command, parsed, sheet)


def _thread(
    name: str, thread: Node, unit: str, command: str, parsed: Documents, sheet: Sheet
) -> None:
    core = thread.get("cpu")
    # -1 is a thread that may run on any core.
    is_bound = core is not None and re.fullmatch("[0-9]{1,4}", core.text)
    cycles = thread.get("cycles")
    has_no_samples = cycles is None or cycles.text == "0"
    for metric, key in zip(METRICS, ("min", "avg", "max"), strict=True):
        node = thread.get(key)
        line = parsed.source.line((node or thread).at)
        if node is None or node.kind != "number" or not re.fullmatch("[0-9]{1,4}", name):
            sheet.broken(line, f"thread “{name[:40]}” has no {key} that is a number")
            continue
        params: dict[str, Scalar] = {"core": int(core.text if core and is_bound else name)}
        text = "nan" if has_no_samples else node.text
        _add_latency(line, metric, unit, text, params, sheet, command)


FORMAT = Format(
    name="cyclictest",
    title="cyclictest: text, histogram (-h) and --json",
    example=EXAMPLE,
    recognises=recognises,
    read=read,
)

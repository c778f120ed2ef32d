"""The text output of fio 2 and 3, without ``--output-format=json``.

Until 2.16 a side is ``io=16384KB, bw=8192.0KB/s, iops=2048``, whose KB are 1024 bytes unless the
command says ``kb_base=1000``. Until 2.19 ``num2str`` wrote the remainder of a division by 1024 (or
1000) behind the point as if it were decimals: 1023 KB more than 976 MB are ``976.11MB``. A figure
with a remainder other than 0 is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, lines
from ..log_sheet import Sheet
from . import fio

# Layout: ``show_thread_status_normal`` and ``show_ddir_status`` in stat.c. The metrics are those of the
# JSON output, and the figures are as rounded in the text: ``IOPS=14.9k`` is 14,900, and ``BW`` is in KiB/s,
# MiB/s and so on. The options are those in the head of a job and in the command, if a line before has it;
# only the command has ``direct``. If the log also has JSON, only that is read.
_HEAD = re.compile(
    r"([!-~ ]{1,100}): \(g=[0-9]{1,6}\): rw=([a-z]{4,12}), bs=\(R\) ([0-9.]{1,9})([KMG]i)?B-[^,]{1,20},"
    r" .{1,80}, ioengine=([!-+\--~]{1,60}), iodepth=([0-9]{1,6})[ \t]*"
)
_OLD_HEAD = re.compile(
    r"([!-~ ]{1,100}): \(g=[0-9]{1,6}\): rw=([a-z]{4,12}), bs=([0-9]{1,9})([KMG])?-[0-9KMG/-]{1,60},"
    r" ioengine=([!-+\--~]{1,60}), iodepth=([0-9]{1,6})[ \t]*"
)
_JOB = re.compile(
    r"([!-~ ]{1,100}): \(groupid=[0-9]{1,6}, jobs=([0-9]{1,6})\): err= *([0-9]{1,6})(.{0,200})"
)
_SIDE = re.compile(
    r" +(?P<side>read|write|trim): IOPS=(?P<iops>[0-9]{1,9}(?:\.[0-9]{1,3})?)(?P<thousand>[kM]?),"
    r" BW=(?P<bw>[0-9]{1,9}(?:\.[0-9]{1,3})?)(?P<prefix>[KMGT]i)?B/s \([^()]{1,20}\)\([^()]{1,40}(?:sec)\)(?:; [0-9]{1,9} zone resets)?[ \t]*"
)
_OLD_SIDE = re.compile(
    r" +(?P<side>read |write|trim): io=[0-9.]{1,9}[KMGTP]?B,"
    r" bw=(?P<bw>[0-9]{1,9}(?:\.[0-9]{1,4})?)(?P<prefix>[KMGT]?)B/s,"
    r" iops=(?P<iops>[0-9]{1,9}(?:\.[0-9]{1,4})?)(?P<thousand>[KM]?), runt= *[0-9]{1,15}msec[ \t]*"
)
_LATENCY = re.compile(
    r" +(slat|clat|lat) \(([num])sec\): min= *([0-9.]{1,12})([kM]?), max= *([0-9.]{1,12})([kM]?),"
    r" avg= *([0-9]{1,12}\.[0-9]{1,2}), stdev= *[0-9]{1,12}\.[0-9]{2}[ \t]*"
)
_PERCENTILES = re.compile(r" +clat percentiles \(([num])sec\):[ \t]*")
_ITEM = r"[0-9]{1,3}\.[0-9]{2}th=\[ *[0-9]{1,12}\]"
# Four to a row, and no comma behind the last.
_PERCENTILE_ROW = re.compile(rf" +\| *(?:(?:{_ITEM}, *){{4}}|(?:{_ITEM}, +){{0,3}}{_ITEM})[ \t]*")
_STARTING = re.compile(r"Starting ([0-9]{1,6}) (?:process|thread)(?:es|s)?[ \t]*")
_CPU = re.compile(r" +cpu +: usr=([0-9]{1,6}\.[0-9]{2})%, sys=([0-9]{1,6}\.[0-9]{2})%, ctx=.*")
_WRONG_DECIMALS = re.compile(r"1\.|2\.1?[0-9](?![0-9])")
_VERSION = re.compile(r"fio-([0-9]+\.[!-~]{1,20})")
_COMMAND = re.compile(
    r"(?:[^#$>]{0,100}[#$>] )?(?:[!-~]{0,100}/)?(fio (?:--?[!-~]{1,200} ?){1,40})[ \t]*"
)
_OPTION = re.compile(r"--([a-z_]{2,40})(?:=([!-~]{1,200}))?")
_LIKE = re.compile(
    r" +(?:read|write|trim) ?: [Ii]| +s?c?lat \([num]sec\)?:? ?m| +\| *[0-9]{1,3}\.[0-9]| +cpu +: u|"
    r".{1,100}: \((?:groupid|g)=[0-9]"
)


@dataclass(slots=True)
class _Job:
    """A job as far as it was read: its figures wait until all job names of the run are known."""

    name: str
    jobs: int
    failed: bool
    line: Line
    figures: list[tuple[int, str, str, float, dict[str, Scalar]]] = field(default_factory=list)
    side: str = ""
    unit: str = ""
    old: bool = False


def read(data: bytes, context: Context) -> Reading:
    """Return the throughput, rate and latency of each job in each direction."""
    sheet = Sheet(context)
    if fio.FORMAT.recognises(data):
        return sheet.reading()
    options: dict[str, dict[str, str]] = {}
    jobs: list[_Job] = []
    command = ""
    started = 0
    exact = True
    for line in lines(data):
        text = line.text
        if match := _VERSION.fullmatch(text):
            sheet.fact("tools.fio", match[1])
            exact = _WRONG_DECIMALS.match(match[1]) is None
        elif len(text) < 3000 and (match := _COMMAND.fullmatch(text)):
            _add_run(jobs, options, command, started, sheet)
            command, options, jobs = match[1].strip(), {}, []
        elif match := _HEAD.fullmatch(text) or _OLD_HEAD.fullmatch(text):
            if jobs:
                _add_run(jobs, options, command, started, sheet)
                command, options, jobs = "", {}, []
            block = _scaled(match[3], (match[4] or "")[:1].lower())
            options[match[1]] = {
                "rw": match[2], "bs": block, "ioengine": match[5], "iodepth": match[6]
            }  # fmt: skip
        elif match := _STARTING.fullmatch(text):
            started = int(match[1])
        elif match := _JOB.fullmatch(text):
            failed = match[3] != "0"
            jobs.append(_Job(match[1], int(match[2]), failed, line))
            if failed:
                sheet.failed(line.number, f"fio: job “{match[1]}” ended with an error")
        elif jobs and (side := _SIDE.fullmatch(text) or _OLD_SIDE.fullmatch(text)):
            _rates(line, jobs[-1], side, exact, sheet)
        elif not jobs or not _row(line, jobs[-1]):
            if _LIKE.match(text):
                sheet.broken(line.number, "a line of fio is cut or damaged")
                if jobs and re.match(r" +(?:read|write|trim): ", text):
                    jobs[-1].side = jobs[-1].unit = ""
            continue
        sheet.understood(line.number)
    _add_run(jobs, options, command, started, sheet)
    return sheet.reading()


def _rates(line: Line, job: _Job, match: re.Match[str], exact: bool, sheet: Sheet) -> None:
    """Add the throughput and rate of a direction, which come first among its figures."""
    job.side, job.unit, job.old = match["side"].strip(), "", match.re is _OLD_SIDE
    prefix = match["prefix"] or ""
    unit = f"{prefix}i" if job.old and prefix else prefix
    for metric, text in (("throughput", match["bw"]), ("iops", match["iops"])):
        if (job.old or not exact) and text.partition(".")[2].strip("0"):
            why = f"{text}: fio before 2.20 writes a remainder here as if it were decimals"
            sheet.broken(line.number, why, "take a later fio, or --output-format=json")
        elif metric == "iops":
            value = _thousands(text, match["thousand"].lower().replace("m", "M"))
            _add(job, line, metric, "operations/s", value)
        else:
            _add(job, line, metric, f"{unit}B/s", float(text))


def _row(line: Line, job: _Job) -> bool:
    """Read a line as one of a job's figures; return false if it is not one."""
    text = line.text
    if match := _LATENCY.fullmatch(text):
        if any(metric == f"{job.side}_latency_min" for _, metric, *_ in job.figures):
            job.side = job.unit = ""  # those of another direction, whose first line is lost
            return False
        if match[1] == "lat" and job.side:
            unit = f"{match[2]}s"
            _add(job, line, "latency_min", unit, _thousands(match[3], match[4]))
            _add(job, line, "latency_avg", unit, float(match[7]))
            _add(job, line, "latency_max", unit, _thousands(match[5], match[6]))
    elif match := _PERCENTILES.fullmatch(text):
        job.unit = f"{match[1]}s"
    elif job.unit and job.side and _PERCENTILE_ROW.fullmatch(text):
        for share, value in re.findall(r"([0-9.]+)th=\[ *([0-9]+)\]", text):
            _add(job, line, "clat", job.unit, float(value), {"percentile": float(share)})
        if not text.rstrip().endswith(","):
            job.unit = ""
    elif match := _CPU.fullmatch(text):
        job.side = ""
        _add(job, line, "cpu_user", "%", float(match[1]))
        _add(job, line, "cpu_system", "%", float(match[2]))
    else:
        return False
    return True


def _add(
    job: _Job,
    line: Line,
    metric: str,
    unit: str,
    value: float,
    params: dict[str, Scalar] | None = None,
) -> None:
    name = f"{job.side}_{metric}" if job.side else metric
    job.figures.append((line.number, name, unit, value, params or {}))


def _add_run(
    jobs: list[_Job],
    options: dict[str, dict[str, str]],
    command: str,
    started: int,
    sheet: Sheet,
) -> None:
    """Add the figures of a run, each with the conditions of its job."""
    names = Counter(job.name for job in jobs)
    seen: Counter[str] = Counter()
    typed: dict[str, str] = dict(_OPTION.findall(command))
    # It is unknown which jobs are missing, and thus which names distinguish the others.
    if jobs and sum(job.jobs for job in jobs) < started:
        sheet.broken(jobs[-1].line.number, f"fio started {started} jobs, and some are missing")
        return
    for job in jobs:
        seen[job.name] += 1
        from_command = {k: v for k, v in typed.items() if k in fio.OPTIONS or k == "buffered"}
        params = fio.conditions(from_command | options.get(job.name, {}))
        if len(jobs) > 1:
            params["job"] = job.name
        if names[job.name] > 1:
            params |= {"job_number": seen[job.name], "numjobs": names[job.name]}
        elif job.jobs > 1:
            params["numjobs"] = job.jobs
        # Without the head, the block size and the pattern are unknown.
        if job.name not in options and job.figures:
            sheet.broken(job.line.number, f"the head of job “{job.name}” is missing or damaged")
            continue
        if not job.figures and not job.failed:
            sheet.broken(job.line.number, f"job “{job.name}” has no figures: it is cut")
        if job.old and typed.get("kb_base") == "1000":
            sheet.broken(job.line.number, "fio 2 with kb_base=1000 is not read")
            continue
        benchmark = sheet.benchmark("fio")
        for number, metric, unit, value, more in job.figures if not job.failed else ():
            zero = not metric.endswith("throughput")
            all_params = {**params, **more}
            sheet.figure(
                number, benchmark, metric, unit, value, all_params, zero=zero, command=command
            )


def _thousands(text: str, letter: str) -> float:
    return float(Decimal(text).scaleb({"": 0, "k": 3, "M": 6}[letter]))


def _scaled(text: str, letter: str) -> str:
    """Return a block size in the notation of an option."""
    number = Decimal(text)
    return f"{int(number)}{letter}" if number == int(number) else f"{text}{letter}"


FORMAT = Format(
    name="fio-text",
    title="fio 2.x and 3.x, as printed for people",
    example="""\
seq: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
seq: (groupid=0, jobs=1): err= 0: pid=1234: Sat Nov 21 03:18:50 2026
  write: IOPS=85.3k, BW=333MiB/s (349MB/s)(16.0MiB/48msec); 0 zone resets
""",
    recognises=holds(rb"^.{1,100}: \(groupid=[0-9]+, jobs=[0-9]+\): err= *[0-9]"),
    read=read,
)

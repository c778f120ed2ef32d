"""Lines with numbers that no adapter reads: somebody has looked at each kind of them.

A figure or a condition that a reader passes over shows here as a line that no pattern explains.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from corpus import logs, read

LOGS = logs()
NUMBER = re.compile(r"(?<![A-Za-z0-9_])[0-9]")

ANY = (
    r"[#$] .*",  # commands that were typed, and lines that were written into logs by hand
    r"Linux [a-z-]+ .*|.*p7zip Version.*|Linux : .*",  # the kernel, and versions beside those that are facts
    r"[0-9A-F]+:error:.*",  # OpenSSL's errors, whose engine is then not used
    r".*\x1b?\[[0-9;]*[A-Za-z].*|.*\r.*|\x00.*",  # a redrawn screen, whose last state counts
)
"""Patterns of lines in logs of all programs."""

PATTERNS: dict[str, tuple[str, ...]] = {
    "7-zip": (
        r"Compiler: .*|PageSize:.*| 64-bit locale.*",
        r".*CPU Freq \(MHz\).*",  # an estimate of the clock, differs within a run
        r"RAM size: .*",
    ),
    "alsa": (r"\t.*",),  # GNU time's lines, for its own reader
    "bootchart": (r"\s*<.*|\s*\.?[a-z]+(?:\.[a-z0-9]+)?\s*\{.*\}",),  # the drawing
    "coremark": (r"Total ticks .*|.*crc.*: 0x.*",),  # ticks repeat the time; checksums
    "coremark-pro": (r"-- .*",),  # counters of each item, from which its rate was worked out
    "bonnie": (
        r"Using uid:.*|Version .*|vm .*|\s+1 [+]+.*|Latency .*",
    ),  # the table of the same figures
    "cryptsetup": (r"argon2id? .*",),  # the cost of a key that was asked for, in 2 s
    "cyclictest": (r"# Thread [0-9]+:.*",),  # cycles at which the histogram overflowed
    "dd": (r"[0-9]+\+[0-9]+ records out",),
    "dhrystone": (
        r"\s*[A-Z][A-Za-z_0-9]*(?:\[[0-9]\])*:\s.*|\s*should be: .*",  # its check of itself
        r"Dhrystone Benchmark, Version .*|Execution starts.*",
        r"Microseconds for one run .*",  # the inverse of Dhrystones a second
    ),
    "fio": (r".*",),  # the text beside the JSON that is read
    "fio-text": (
        r".*: Laying out IO .*|Run status group .*|\s+vd[a-z]: .*",
        r"\s+(?:IO depths|submit|complete|issued|latency) .*",
        r"\s+lat \((?:nsec|usec|msec)\)\s*: .*",  # shares by latency
        r"\s+(?:READ|WRITE): .*",  # sums over jobs, each of which is read
        r"\s+bw \(.*",  # samples of the rate, whose mean over all time is read
    ),
    "geekbench": (
        r"  (?:Operating System|Model|Name|Topology|Base Frequency|Size) .*",
        r"    (?:Integer|Floating Point) Score .*",  # means of the scores above
    ),
    "glmark2": (r"\s+Surface Config: .*",),
    "gnu-time": (r".*",),  # the output of the program that was timed, for its own reader
    "go-bench": (r"\s+a_test.go:.*|FAIL.*|exit status .*",),
    "hdparm": (r"\t.*",),  # likewise
    "jmh": (
        r"\s+\[ *[0-9.]+, *[0-9.]+\) = .*",  # a histogram, of which the percentiles are read
        r"\s+p[01]\.[0-9]+: .*|  N = .*|  \(min, avg, max\) = .*|  CI .*",  # of one iteration, or spread
        r"[A-Za-z.:]+(?:[0-9.]+)?\s+[0-9]+\s+(?:thrpt|avgt|sample)\s.*",  # the results once more
    ),
    "hyperfine": (r"\s+[0-9.]+ ± [0-9.]+ times faster .*",),  # a ratio of two figures
    "iperf2": (
        r"(?:TCP window|UDP buffer) size: .*",
        r"Sending [0-9]+ byte datagrams.*|\[ *[0-9]+\] Sent [0-9]+ datagrams",
    ),
    "iperf3-text": (
        r"\[ *[0-9]+\] Sent .*|Server listening on .*|Control connection MSS .*|Time: .*",
        r"\s+TCP MSS: .*|Starting Test: .*",
    ),
    "linpack": (r"Memory required: .*|Machine precision: .*|Enter array size .*",),
    "lmbench": (r"\s+L M B E N C H .*",),
    "mbw": (r"Long uses .*|Getting down .*",),
    "mlperf": (
        r" \* .*|\s*least .*",  # early stopping, an estimate of a percentile that is read
        r"[a-z_]+ (?:\(ms\)|\(ns\))?: ?[0-9]+|[a-z_]+ : [0-9]+|target_latency .*",  # its settings
    ),
    "nbench": (
        r"BYTEmark.*|Index-split .*|Linux/Unix.*|\s+:\s+: Pentium.*|\*\* WARNING.*",
        r"(?:INTEGER|FLOATING-POINT) INDEX *: .*",  # means of ratios to a Pentium; the parts are read
    ),
    "netperf": (r"(?:LSS|RSR)_SIZE_END=.*|\s*[0-9]+ +[0-9]+ .*10\^6bits/s.*",),
    "openssl-speed": (
        r"options: ?.*|\+(?:R|DTP|F)[0-9]*:.*|Got: .*",  # the wire format between processes
        r"Doing .*",  # counts, from which the rates below are worked out
    ),
    "onnxruntime": (r"Total inference .*",),
    "oslat": (r"(?:Total runtime|CPU list|CPU for main thread|Preheat cores): .*|Pre-heat for .*",),
    "perfguide-runner": (r"warning: .*",),
    "phoronix-text": (r"Hashing 1\.0:",),  # the title of the test, whose profile is below it
    "sbc-bench": (
        r".*(?:Cpufreq OPP|CPU Freq|RAM size|Compiler:|PageSize|locale=|System health).*",
        r"OpenSSL .*, built on .*",
    ),
    "signaltest": (r".*[0-9.]+ [0-9.]+ [0-9.]+ [0-9]+/[0-9]+ [0-9]+ *",),  # the load, redrawn
    "stream": (
        r"Memory per array.*|Total memory .*|Each (?:kernel|test) .*|Your clock .*|.*clock ticks.*",
    ),
    "stress-ng": (
        r".*setting to a .* run per stressor|.*stressor +bogo ops.*|.*\(secs\).*|.*miscellaneous.*",
        r".* per sec \(geometic mean .*",  # methods of one stressor, whose sum is read
        r".*successful run completed.*",
    ),
    "stress-ng-yaml": (
        r"\s+(?:date|time|version|compiler|uptime|\w+ram|\w+swap|pagesize|cpus|ticks)[a-z-]*: .*",
        r"\s+(?:bogo-ops|[a-z-]*time[a-z-]*|cpu-usage-per-instance|max-rss|load-average[a-z0-9-]*): .*",
        r"\s+[a-z-]+-ops-per-sec: .*|\s+mb-per-sec-[a-z-]+: .*",  # methods of one stressor
    ),
    "sysbench": (
        r"Random number .*|\s*Extra file .*|[0-9]+ files, .*|[0-9]+M(?:i?B|b) total .*|Number of .*requests.*",
        r"Read/Write ratio .*|Periodic FSYNC.*|Operations performed: .*|Memory transfer size: .*",
        r"\[ [0-9]+s \] thds: .*|Report intermediate .*|\s+(?:read|write|other|total): +[0-9]+",
        r"Thread yields .*|Creating file .*|[0-9]+ bytes written .*|\s+total size: .*",
        r"\s+(?:total time.*|total number .*|sum|events \(avg.*|execution time \(avg.*): .*",
    ),
    "tflite": (
        r"(?:INFO: )?(?:Log parameter|Min (?:num )?runs|Running benchmark|count=).*",
        r"(?:INFO: )?(?:The input model|Initialized session).*",
    ),
    "tidl": (r"Running 3 Models .*",),
    "tinymembench": (r"==.*",),
    "u-boot": (r"U-Boot .*|SoC: .*|=> .*|switch to .*",),
    "unixbench": (
        r"make\[[0-9]\]: .*|sh: [0-9]+: .*|.*(?:Version|revisions|johanthe).*|[0-9]+ x .*  [0-9 ]+",
        r"\s+(?:OS|Language|CPU [0-9]+): .*|\s+Hyper-Threading.*|.*load average.*|Benchmark Run: .*",
    ),
    "whetstone": (
        r"Loops: .*|\s+[0-9.]+ Seconds .*|Use [0-9]+ +passes.*",
        r"N[1-8] .*",  # the loops, of which MWIPS is the sum
    ),
}
"""Patterns of the lines that were looked at, by the adapter, with the reason that they are left."""


@pytest.mark.parametrize("log", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_lines_with_numbers_are_read_or_were_looked_at(log: Path) -> None:
    patterns = [re.compile(each) for each in (*ANY, *PATTERNS.get(log.parent.name, ()))]
    understood = read(log).lines
    strange = [
        (number, line)
        for number, line in enumerate(log.read_text("utf-8", "replace").split("\n"), 1)
        if number not in understood
        and NUMBER.search(line)
        and not any(pattern.fullmatch(line) for pattern in patterns)
    ]
    assert not strange

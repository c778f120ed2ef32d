"""schbench: wake-up and request latencies, and the request rate, by percentile.

It prints a report per interval and one at the end, all alike: only the line after its tables
identifies the last one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, lines, typed
from ..log_sheet import Sheet

# Layout: ``show_latencies`` and the end of ``main`` in schbench.c, since 2023.
_COMMAND = typed("schbench")
_TABLE = re.compile(
    r"(Wakeup Latencies|Request Latencies|RPS) percentiles \((?:usec|requests)\) runtime [0-9]{1,9} \(s\)"
    r" \([0-9]{1,15} total samples\)[ \t]*"
)
_PERCENTILE = re.compile(
    r"[ \t]+(?:\* )? *([0-9]{1,2}\.[0-9])th: ([0-9]{1,10}) +\([0-9]{1,15} samples\)[ \t]*"
)
_ENDS = re.compile(r"[ \t]++min=([0-9]{1,10}), max=([0-9]{1,10})(?<=[0-9])[ \t]*")
_INTERVAL = re.compile(r"current rps: [0-9]{1,12}\.[0-9]{2}[ \t]*")
_AVERAGE = re.compile(r"average rps: ([0-9]{1,12}\.[0-9]{2})[ \t]*")
_GOAL = re.compile(r"final rps goal was ([0-9]{1,9})[ \t]*")
_TRANSFER = re.compile(
    r"avg worker transfer: ([0-9]{1,12}\.[0-9]{2}) ops/sec [0-9]{1,12}\.[0-9]{2}[KMGTP]?B/s[ \t]*"
)
_DELAY = re.compile(r"sched delay: message [0-9]{1,15} \(usec\) worker [0-9]{1,15} \(usec\)[ \t]*")
_OLD = re.compile(r"Latency percentiles \(usec\).*")
_PERCENTILE_FRONT = re.compile(r"[ \t]++(?:\* )?+ *+[0-9]{1,2}\.[0-9]?(?:t|$)")
_LIKE = re.compile(
    rf"(?:Wakeup|Request|RPS|Latency)[^:]{{0,12}} perc|[ \t]++min=|(?:average|current|final) rps"
    rf"|avg worker|{_PERCENTILE_FRONT.pattern}"
)
_METRICS = {
    "Wakeup Latencies": ("wakeup_latency", "us"),
    "Request Latencies": ("request_latency", "us"),
    "RPS": ("requests", "operations/s"),
}
_OPTIONS = {
    "m": "message_threads",
    "t": "threads",
    "R": "target_rate",
    "F": "footprint",
    "p": "transfer_size",
}

_Row = tuple[Line, str, str, float, Mapping[str, Scalar]]


def read(data: bytes, context: Context) -> Reading:
    """Return the figures of the last report of each run."""
    sheet = Sheet(context)
    params: dict[str, Scalar] = {}
    rows: list[_Row] = []
    table = ""
    percentiles: set[str] = set()

    def end_report(line: Line | None) -> None:
        """Add the rows of the report that ends with this line; without one, the report is cut."""
        if rows and line is None:
            sheet.broken(rows[0][0].number, "this report of schbench is cut: its end is missing")
        for row_line, metric, unit, value, own_params in rows if line else ():
            stated = {**params, **own_params}
            sheet.figure(row_line.number, "schbench", metric, unit, value, stated, zero=True)
        rows.clear()

    for line in lines(data):
        text = line.text
        if match := _COMMAND.fullmatch(text):
            end_report(None)
            params, table = _options(match[1]), ""
        elif match := _TABLE.fullmatch(text):
            table, percentiles = match[1], set()
            if table == "Wakeup Latencies":
                end_report(None)
        elif table and (match := _PERCENTILE.fullmatch(text)) and match[1] not in percentiles:
            percentiles.add(match[1])
            metric, unit = _METRICS[table]
            percentile = float(match[1])
            number = int(percentile) if percentile.is_integer() else percentile
            rows.append((line, metric, unit, float(match[2]), {"percentile": number}))
        elif table and (match := _ENDS.fullmatch(text)):
            metric, unit = _METRICS[table]
            rows.append((line, f"{metric}_min", unit, float(match[1]), {}))
            rows.append((line, f"{metric}_max", unit, float(match[2]), {}))
            table = ""
        elif _INTERVAL.fullmatch(text):
            rows.clear()
        elif match := _AVERAGE.fullmatch(text) or _TRANSFER.fullmatch(text):
            metric = "requests_mean" if text.startswith("average") else "transfers"
            rows.append((line, metric, "operations/s", float(match[1]), {}))
            end_report(line)
        elif _GOAL.fullmatch(text):
            end_report(line)
        elif _OLD.fullmatch(text):
            message = "schbench before 2023 does not say which report is that of the end"
            sheet.broken(line.number, message, "measure with a newer schbench")
        elif _LIKE.match(text):
            sheet.broken(line.number, "a line of schbench is cut or damaged, or the head above it")
            # The rows below a damaged head do not belong to the previous table.
            table = table if _PERCENTILE_FRONT.match(text) else ""
            continue
        elif not _DELAY.fullmatch(text):
            continue
        sheet.understood(line.number)
    end_report(None)
    return sheet.reading()


def _options(command: str) -> dict[str, Scalar]:
    """Return the options of a command that affect the measurement."""
    stated = re.findall(r" -([A-Za-z])[ ]?([0-9]{1,9})(?= |$)", command)
    return {_OPTIONS[letter]: int(value) for letter, value in stated if letter in _OPTIONS}


FORMAT = Format(
    name="schbench",
    title="schbench since 2023, as printed for people",
    example="""\
Wakeup Latencies percentiles (usec) runtime 30 (s) (9961 total samples)
\t  50.0th: 16         (1264 samples)
\t* 99.0th: 953        (802 samples)
\t  min=2, max=21625
average rps: 1660.17
""",
    recognises=holds(rb"^(?:Wakeup |Request )?Latenc(?:ies|y) percentiles \(usec\)"),
    read=read,
)

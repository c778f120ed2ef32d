"""oslat of rt-tests: how long each core was kept from a busy thread, with the histogram.

The rows have a column for each core. The last bucket of the histogram holds what was longer, too.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import figure, holds, lines, words
from ..log_sheet import Sheet

# Layout: ``write_summary`` in oslat.c. A row ends with its unit.
_CORES = re.compile(r"[ ]*Core:[ \t]+([0-9]{1,4}(?:[ \t]+[0-9]{1,4})*)[ \t]*")
_ROW = re.compile(
    r"[ ]*(Minimum|Average|Maximum|Max-Min|Duration):[ \t]+"
    r"([0-9]{1,12}(?:\.[0-9]{3})?(?:[ \t]+[0-9]{1,12}(?:\.[0-9]{3})?)*)[ \t]+\((us|sec)\)[ \t]*"
)
_BUCKET = re.compile(
    r"[ ]*([0-9]{3,6}) \(us\):[ \t]+([0-9]{1,15}(?:[ \t]+[0-9]{1,15})*)( \(including overflows\))?[ \t]*"
)
_FREQUENCY = re.compile(r"[ ]*Counter Freq:[ \t]+[0-9]+.*\(Mhz\)[ \t]*", re.I)
_LIKE = re.compile(r"[ ]*(?:Core|Min|Aver|Max|[0-9]{3,6} \()")
_SETTING = re.compile(
    r"(Thread priority|Workload|Workload mem|Total runtime): *\t*(.{1,60}?)[ \t]*"
)
_METRICS = {"Minimum": "latency_min", "Average": "latency_avg", "Maximum": "latency_max"}
_SETUP = {"Thread priority": "priority", "Workload": "workload", "Workload mem": "workload_memory"}


def read(data: bytes, context: Context) -> Reading:
    """The least, mean and greatest latency of each core, and its histogram."""
    sheet = Sheet(context)
    cores: list[int] = []
    for line in lines(data):
        text = line.text
        if match := _CORES.fullmatch(text):
            cores = [int(core) for core in words(match[1])]
        elif text.startswith("oslat V"):
            cores, sheet.setup = [], {}
            sheet.fact("tools.rt-tests", text.removeprefix("oslat V").strip())
        elif match := _SETTING.fullmatch(text):
            if match[1] in _SETUP:
                sheet.setup = {**sheet.setup, _SETUP[match[1]]: match[2]}
        elif (match := _ROW.fullmatch(text)) and len(words(match[2])) == len(cores):
            for core, value in zip(cores, words(match[2]), strict=True):
                if metric := _METRICS.get(match[1]):
                    params: dict[str, Scalar] = {"core": core}
                    number = figure(value) or 0.0
                    sheet.figure(line.number, "oslat", metric, "us", number, params, zero=True)
        elif (match := _BUCKET.fullmatch(text)) and len(words(match[2])) == len(cores):
            metric = "histogram_overflow" if match[3] else "histogram"
            for core, value in zip(cores, words(match[2]), strict=True):
                params = {"core": core} if match[3] else {"core": core, "latency": int(match[1])}
                sheet.figure(line.number, "oslat", metric, "1", float(value), params, zero=True)
        elif (cores or "Core:" in text) and not _FREQUENCY.fullmatch(text) and _LIKE.match(text):
            sheet.broken(line.number, "a row of oslat is cut or damaged")
            continue
        elif not _FREQUENCY.fullmatch(text):
            continue
        sheet.understood(line.number)
    return sheet.reading()


FORMAT = Format(
    name="oslat",
    title="oslat of rt-tests, with its histogram",
    example="""\
oslat V 2.40
        Core:\t 0 1
    001 (us):\t 27694700 27694002
    002 (us):\t 157 (including overflows)
     Minimum:\t 1 1 (us)
     Average:\t 1.044 1.021 (us)
     Maximum:\t 12086 34 (us)
""",
    recognises=holds(rb"^oslat V|^[ ]*Core:[ \t]+[0-9]", rb"^ *Maximum:[ \t]+[0-9].*\(us\)"),
    read=read,
)

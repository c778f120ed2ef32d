"""criterion.rs: the time of each benchmark with its confidence bounds, and the derived rate.

A name of more than 23 bytes has a line of its own, which only the next line identifies as a name.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..line_patterns import figure_and_unit
from ..log_lines import Line, holds, lines
from ..log_sheet import Sheet

# Layout: ``measurement_complete`` in report.rs, ``short`` in format.rs and the units in measurement.rs.
# Numbers below 10,000 always have five digits.
_NAME_BYTES = 23
_NUMBER = (
    r"([0-9](?:\.[0-9]{4}|[0-9](?:\.[0-9]{3}|[0-9](?:\.[0-9]{2}|[0-9](?:\.[0-9]|[0-9]{1,9})))))"
)
_TIME = re.compile(
    rf"(.{{0,23}}?) {{1,24}}time:   \[ *{_NUMBER} (ps|ns|µs|us|ms|s)  *{_NUMBER} \3  *{_NUMBER} \3\][ \t]*"
)
_RATE = re.compile(
    rf" +thrpt:  \[ *{_NUMBER} +([KMG]?(?:i?B|b|elem)/s)  *{_NUMBER} +\2  *{_NUMBER} +\2\][ \t]*"
)
_ANALYSED = re.compile(r"Benchmarking (.{1,200}): Analyzing[ \t]*")
_CHANGE = re.compile(r" +(?:change:|time:|thrpt:) *(?:\[ *[+−-][0-9.]{1,12}% .*)?")
_UNDERSTOOD = re.compile(
    r"Benchmarking .*|Warning: Unable to complete .*|Found [0-9]+ outliers .*|  [0-9]+ \([0-9.]+%\) (?:low|high) (?:mild|severe)"
    r"| {24}(?:No change in performance|Change within noise|Performance has).*"
)
_LIKE = re.compile(r".{0,23} {1,24}time: +\[?|.{0,23} {1,24}time: *$| +(?:time|thrp|thrpt): ")
_UNITS = {"µs": "us", "b/s": "bit/s", "Kb/s": "kbit/s", "Mb/s": "Mbit/s", "Gb/s": "Gbit/s"}
_POWERS = {"elem/s": 0, "Kelem/s": 3, "Melem/s": 6, "Gelem/s": 9}


def read(data: bytes, context: Context) -> Reading:
    """Return the estimate and both bounds of each time and each rate."""
    sheet = Sheet(context)
    name = analysed = ""
    before = Line(0, "")
    for line in lines(data):
        text = line.text
        if match := _TIME.fullmatch(text):
            name = match[1] or before.text
            # Names and columns line up unless bytes of a line, or lines between them, are lost.
            is_aligned = (
                len(match[1].encode()) + len(text[len(match[1]) :].partition("time:")[0]) == 24
            )
            is_long = len(name.encode()) > _NAME_BYTES
            if not is_aligned or is_long == bool(match[1]) or (analysed and analysed != name):
                message = "the benchmark of this time of criterion is not stated: a line is damaged"
                sheet.broken(line.number, message)
                name = ""
            else:
                _add_estimate(line, match, "time", {"name": name}, sheet)
                sheet.understood(*([] if match[1] else [before.number]))
            analysed = ""
        elif match := _RATE.fullmatch(text):
            if name:
                _add_estimate(line, match, "throughput", {"name": name}, sheet)
            else:
                sheet.broken(line.number, "the time of this rate of criterion is damaged")
        elif match := _ANALYSED.fullmatch(text):
            name, analysed = "", match[1]
        elif _CHANGE.fullmatch(text) or _UNDERSTOOD.fullmatch(text):
            name = name if text.startswith(" ") else ""
        elif _LIKE.match(text):
            sheet.broken(line.number, "a line of criterion is cut or damaged")
            name = analysed = ""
            continue
        else:
            # This may be the front of a damaged time, to which the rates below belong.
            before, name = Line(line.number, text.rstrip()), ""
            continue
        before = Line(0, "")
        sheet.understood(line.number)
    return sheet.reading()


def _add_estimate(
    line: Line, match: re.Match[str], metric: str, params: dict[str, Scalar], sheet: Sheet
) -> None:
    """Add the lower bound, the estimate and the upper bound of a line."""
    lower, unit, estimate, upper = match.groups()[-4:]
    if unit in _POWERS:
        metric = "elements"
    for name, text in ((f"{metric}_lower", lower), (metric, estimate), (f"{metric}_upper", upper)):
        value = figure_and_unit(text, "number", _POWERS.get(unit, 0))
        if value is not None:
            name_of_unit = "operations/s" if unit in _POWERS else _UNITS.get(unit, unit)
            benchmark = sheet.benchmark("criterion")
            sheet.figure(line.number, benchmark, name, name_of_unit, value[0], params)


FORMAT = Format(
    name="criterion",
    title="criterion.rs 0.3 to 0.8",
    example="""\
copy/1024               time:   [30.253 ns 31.497 ns 32.764 ns]
                        thrpt:  [29.107 GiB/s 30.279 GiB/s 31.523 GiB/s]
""",
    recognises=holds("^.{0,23} {1,24}time:   \\[ *[0-9.]{1,12} (?:ps|ns|µs|us|ms|s) ".encode()),
    read=read,
)

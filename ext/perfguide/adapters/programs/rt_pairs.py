"""pmqtest, ptsematest, sigwaittest and svsematest of rt-tests: latency between pairs of threads.

They print the same lines, so the program is known from its command alone.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, lines, typed
from ..log_sheet import Sheet

PROGRAMS = ("pmqtest", "ptsematest", "sigwaittest", "svsematest")

# Layout: the loop in ``main`` of each program. "#1 -> #0" is the way from the sender to the receiver,
# whose priority, core and interval are in the line of the pair above.
_COMMAND = typed(*PROGRAMS)
_PAIR = re.compile(
    r"#(?P<receiver>[0-9]{1,4}): ID[0-9]{1,9}, P(?P<priority>[0-9]{1,3}), CPU(?P<core>[0-9]{1,4}),"
    r" I(?P<interval>[0-9]{1,9}); #[0-9]{1,4}: ID.*Cycles [0-9]{1,12}[ \t]*"
)
_LATENCY = re.compile(
    r"#[0-9]{1,4} -> #(?P<receiver>[0-9]{1,4}), Min[ ]{1,5}(?P<min>[0-9]{1,9}),"
    r" Cur[ ]{1,5}[0-9]{1,9}, Avg[ ]{1,5}(?P<avg>[0-9]{1,9}),"
    r" Max(?=[ 0-9]{5})[ ]{1,5}(?P<max>[0-9]{1,9})[ \t]*"
)
_DAMAGED_LINE = re.compile(r"#[0-9]+(?:: ID| -> #)| -> #[0-9]+, Min|, Avg +[0-9]+, Max")
_DAMAGE = "a line of a pair of threads is cut or damaged"


def read(data: bytes, context: Context) -> Reading:
    """Return the minimum, mean and maximum latency of each pair, from its last line."""
    sheet = Sheet(context)
    command = program = ""
    pairs: dict[str, re.Match[str]] = {}
    last: dict[str, tuple[Line, re.Match[str]]] = {}

    def finish() -> None:
        for line, match in last.values():
            _latencies(line, match, pairs.get(match["receiver"]), program, command, sheet)
        last.clear()
        pairs.clear()

    for line in lines(data):
        if match := _COMMAND.fullmatch(line.text):
            finish()
            command, program = match[1], match[2]
        elif match := _PAIR.fullmatch(line.text):
            # A second run without a command begins with the first pair again.
            if last and match["receiver"] == min(pairs, default=""):
                finish()
            pairs[match["receiver"]] = match
        elif match := _LATENCY.fullmatch(line.text):
            last[match["receiver"]] = (line, match)
        elif _DAMAGED_LINE.search(line.text):
            sheet.broken(line.number, _DAMAGE)
            continue
        else:
            continue
        sheet.understood(line.number)
    finish()
    return sheet.reading()


def _latencies(
    line: Line,
    match: re.Match[str],
    pair: re.Match[str] | None,
    program: str,
    command: str,
    sheet: Sheet,
) -> None:
    benchmark = sheet.benchmark(program)
    if benchmark not in PROGRAMS:
        hint = "keep the command in the log, or say --param benchmark=ptsematest"
        sheet.broken(line.number, "the log does not name the program of rt-tests", hint)
        return
    if pair is None or not int(match["min"]) <= int(match["avg"]) <= int(match["max"]):
        sheet.broken(line.number, _DAMAGE)
        return
    sheet.setup = {"priority": int(pair["priority"]), "interval": f"{pair['interval']} us"}
    # The receiver and the sender of pair n are the threads 2n and 2n + 1.
    params: dict[str, Scalar] = {"pair": int(match["receiver"]) // 2, "core": int(pair["core"])}
    for name in ("min", "avg", "max"):
        metric = f"latency_{name}"
        value = float(match[name])
        sheet.figure(
            line.number, benchmark, metric, "us", value, params, zero=True, command=command
        )


FORMAT = Format(
    name="rt-pairs",
    title="pmqtest, ptsematest, sigwaittest and svsematest of rt-tests",
    example="""\
$ ptsematest -a -t1 -p80 -i1000 -l200 -q
#0: ID30630, P80, CPU0, I1000; #1: ID30631, P80, CPU0, Cycles 200
#1 -> #0, Min    3, Cur   42, Avg    4, Max   42
""",
    recognises=holds(rb"^#[0-9]+ -> #[0-9]+, Min +[0-9]+, Cur"),
    read=read,
)

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
    r"#([0-9]{1,4}): ID[0-9]{1,9}, P([0-9]{1,3}), CPU([0-9]{1,4}), I([0-9]{1,9}); #([0-9]{1,4}): ID.*"
    r"Cycles [0-9]{1,12}[ \t]*"
)
_LATENCY = re.compile(
    r"#([0-9]{1,4}) -> #([0-9]{1,4}), Min[ ]{1,5}([0-9]{1,9}), Cur[ ]{1,5}[0-9]{1,9}, "
    r"Avg[ ]{1,5}([0-9]{1,9}), Max(?=[ 0-9]{5})[ ]{1,5}([0-9]{1,9})[ \t]*"
)
_LIKE = re.compile(r"#[0-9]+(?:: ID| -> #)| -> #[0-9]+, Min|, Avg +[0-9]+, Max")


def read(data: bytes, context: Context) -> Reading:
    """Return the minimum, mean and maximum latency of each pair, from its last line."""
    sheet = Sheet(context)
    command = program = ""
    pairs: dict[str, re.Match[str]] = {}
    last: dict[str, tuple[Line, re.Match[str]]] = {}

    def finish() -> None:
        for line, match in last.values():
            _latencies(line, match, pairs.get(match[2]), program, command, sheet)
        last.clear()
        pairs.clear()

    for line in lines(data):
        if match := _COMMAND.fullmatch(line.text):
            finish()
            command, program = match[1], match[2]
        elif match := _PAIR.fullmatch(line.text):
            if match[1] in pairs and last and match[1] == min(pairs):
                finish()
            pairs[match[1]] = match
        elif match := _LATENCY.fullmatch(line.text):
            last[match[2]] = (line, match)
        elif _LIKE.search(line.text):
            sheet.broken(line.number, "a line of a pair of threads is cut or damaged")
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
        sheet.broken(line.number, "which program of rt-tests printed this is not stated", hint)
        return
    if pair is None or not int(match[3]) <= int(match[4]) <= int(match[5]):
        sheet.broken(line.number, "a line of a pair of threads is cut or damaged")
        return
    sheet.setup = {"priority": int(pair[2]), "interval": f"{pair[4]} us"}
    params: dict[str, Scalar] = {"pair": int(match[2]) // 2, "core": int(pair[3])}
    for text, name in ((match[3], "min"), (match[4], "avg"), (match[5], "max")):
        metric = f"latency_{name}"
        sheet.figure(
            line.number, benchmark, metric, "us", float(text), params, zero=True, command=command
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

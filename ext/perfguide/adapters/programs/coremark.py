"""CoreMark 1.0: iterations a second of each run that validated itself and took ten seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, lines
from ..log_sheet import Sheet

# Layout: core_main.c.
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
        """Return whether the rate is iterations by time; a rate without decimals shows no cut."""
        if "." in self.rate:
            return True
        whole = self.iterations.isdigit() and self.seconds.isdigit() and int(self.seconds) > 0
        # Without floating point, CoreMark divides integers.
        return whole and int(self.iterations) // int(self.seconds) == int(self.rate)


def read(data: bytes, context: Context) -> Reading:
    """Return the iterations a second of each run that is valid."""
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
        elif match := _MARK.fullmatch(text):
            if not run.rate and not run.failed:
                give(line, match[1])
            run = _CoreMark()
        elif text.startswith("CoreMark 1.0 : "):
            sheet.broken(line.number, "the line of CoreMark's result is cut or damaged")
        elif match := _PAIR.fullmatch(text):
            if match[1] == "Iterations/Sec":
                run.line, run.rate = line, match[2].strip()
            elif match[1] == "Iterations":
                run.iterations = match[2].strip()
            elif match[1].startswith("Total"):
                run.seconds = match[2].strip()
            elif match[1].startswith("Compiler"):
                sheet.fact(f"tools.coremark.{match[1].lower().replace(' ', '_')}", match[2].strip())
            elif match[2].strip().isdigit():
                run.threads = int(match[2])
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


FORMAT = Format(
    name="coremark",
    title="CoreMark 1.0",
    example="CoreMark 1.0 : 16323.865491 / GCC12.2.0 -O2 / Heap\n",
    recognises=holds(rb"^CoreMark (?:1\.0 : |Size +: )"),
    read=read,
)

"""CoreMark 1.0: iterations per second of each run that validated itself and took ten seconds."""

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


_RESULT = ("coremark", "coremark", "iterations/s")


@dataclass(slots=True)
class _Run:
    """A run as far as it was read. Its line is that of the rate."""

    line: Line | None = None
    rate: str = ""
    seconds: str = ""
    iterations: str = ""
    threads: int = 1
    failure: str = ""
    is_done: bool = False
    """True once the run has a figure, or a fault instead of one."""

    @property
    def is_whole(self) -> bool:
        """True if the rate equals iterations divided by time. Only a rate without decimals could
        have lost a digit unnoticed."""
        if not _RATE.fullmatch(self.rate) or "." in self.rate:
            return bool(_RATE.fullmatch(self.rate))
        # Without floating point, CoreMark divides integers.
        are_integers = self.iterations.isdigit() and self.seconds.isdigit()
        seconds = int(self.seconds) if are_integers else 0
        return seconds > 0 and int(self.iterations) // seconds == int(self.rate)


class _Reader:
    """Reads one run after another."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._run = _Run()

    def read(self, line: Line) -> bool:
        """Read a line; return whether it belongs to CoreMark."""
        text = line.text.rstrip(" \t")
        is_size = text == "CoreMark Size    : 666"
        if is_size or text.endswith("run parameters for coremark."):
            # The size follows the head of a run, or is itself its first line.
            if not is_size or self._run.rate:
                self.end()
        elif match := _MARK.fullmatch(text):
            if not (self._run.rate or self._run.failure or self._run.is_done):
                self._add(line, match[1])
            self._run = _Run()
        elif text.startswith("CoreMark 1.0 : "):
            self._sheet.broken(line.number, "the line of CoreMark's result is cut or damaged")
        elif match := _PAIR.fullmatch(text):
            self._pair(line, match[1], match[2].strip())
        elif text.startswith("ERROR! ") or text == "Errors detected":
            self._error(text)
        elif text.startswith("Correct operation validated"):
            self._validated(line)
        else:
            return False
        return True

    def end(self) -> None:
        """End a run at the next one or at the end of the log."""
        if self._run.rate and self._run.line:
            message = "CoreMark does not say whether this run was valid"
            self._sheet.broken(self._run.line.number, message)
        self._run = _Run()

    def _pair(self, line: Line, name: str, value: str) -> None:
        match name.split()[0]:
            case "Iterations/Sec":
                self._run.line, self._run.rate = line, value
            case "Iterations":
                self._run.iterations = value
            case "Total":
                self._run.seconds = value
            case "Compiler":
                self._sheet.fact(f"tools.coremark.{name.lower().replace(' ', '_')}", value)
            case _ if value.isdigit():
                self._run.threads = int(value)

    def _error(self, text: str) -> None:
        run = self._run
        run.failure = run.failure or text
        if text == "Errors detected" and run.line:
            reason = f"CoreMark: {run.failure}"
            self._sheet.failure(run.line.number, *_RESULT, None, reason)
            run.rate = ""

    def _validated(self, line: Line) -> None:
        run = self._run
        if run.failure or run.is_done:
            return
        if not (run.line and run.rate):
            message = "before this line CoreMark's Iterations/Sec is missing"
            self._sheet.broken(line.number, message)
            return
        if run.is_whole:
            self._add(run.line, run.rate)
        else:
            self._sheet.broken(run.line.number, "the line Iterations/Sec is cut or damaged")
        run.is_done, run.rate = True, ""

    def _add(self, line: Line, rate: str) -> None:
        params: dict[str, Scalar] = {}
        if self._run.threads != 1:
            params["threads"] = self._run.threads
        self._sheet.figure(line.number, *_RESULT, float(rate), params)


def read(data: bytes, context: Context) -> Reading:
    """Return the iterations per second of each valid run."""
    sheet = Sheet(context)
    reader = _Reader(sheet)
    for line in lines(data):
        if reader.read(line):
            sheet.understood(line.number)
    reader.end()
    return sheet.reading()


FORMAT = Format(
    name="coremark",
    title="CoreMark 1.0",
    example="CoreMark 1.0 : 16323.865491 / GCC12.2.0 -O2 / Heap\n",
    recognises=holds(rb"^CoreMark (?:1\.0 : |Size +: )"),
    read=read,
)

"""``openssl speed`` from 1.0 to 3.x: the printed tables, and ``-mr``.

Throughput is in kB/s (1000 bytes per second): ``-mr`` prints bytes per second, the tables thousands
with a ``k``. The block sizes are those in the head of the table or in ``+H``. With ``-multi``, the
table has no head, and each child prints ``+H`` and ``+F`` after ``Got:``; only the total that
follows is a result.

Before 3.0, ciphers bypass the EVP interface unless ``-evp`` is given, and cannot use what only EVP
provides, such as CPU instructions for cryptography. Such rows spell the cipher with a space
(``aes-128 cbc``), and their results have the parameter ``evp`` with the value false.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, lines, thousandth
from ..log_sheet import Sheet
from . import keys
from .terms import ACCELERATORS, CELL, NAME, PAST_EVP, canonical, cells

EXAMPLE = """\
Doing AES-128-CBC for 3s on 16 size blocks: 97921218 AES-128-CBC's in 3.00s
version: 3.0.19
The 'numbers' are in 1000s of bytes per second processed.
type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes
AES-128-CBC     522246.50k   657018.36k   688874.75k   709277.70k   692767.43k   637353.98k
"""


# Layout: ``print_result``, ``do_multi`` and the end of ``speed_main`` in apps/speed.c.
_HEAD = re.compile(r"type((?:[ \t]+[0-9]{1,9} bytes)+)[ \t]*")
_SIZES = re.compile(r"(?:Got: )?\+H((?::[0-9]{1,9})+)(?: from [0-9]+)?")
_MR = re.compile(rf"(Got: )?\+F:[0-9]+:({NAME})((?::[-+.0-9a-z]+)+)(?: from ([0-9]+))?")
_ROW = re.compile(rf"({NAME})((?:[ \t]+{CELL})+[ \t]*)")
_DOING = re.compile(
    rf"Doing ({NAME}?)(?: ops)? for ([0-9]{{1,9}}(?:\.[0-9]{{1,3}})?)s on ([0-9]{{1,9}}) size blocks:"
    r" ([0-9]{1,15}) .*"
    r" in ([0-9]{1,9}\.[0-9]{2})s[ \t]*"
)
_STARTED = re.compile(rf"\+DT:({NAME}):[0-9]+:[0-9]+")
_KEYGEN = re.compile(
    r"Doing ([A-Za-z][!-~]{1,60}) keygen ops for [0-9.]+s: [0-9]+ \1 .* ops in [0-9.]+s[ \t]*"
)
_CHILD = re.compile(r"Forked child ([0-9]+)")
_SET = re.compile(r'[Ee]ngine "([!#-~]{1,100})" set\.')
_REFUSED = re.compile(r'[Ii]nvalid engine "([!#-~]{1,100})"|can\'t use that engine')
_LIKE_ENGINE = re.compile(r'(?:[Ii]nvalid engin|[Ee]ngine ").*')
_VERSION = re.compile(
    r"(?:OpenSSL |version: )([0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}[0-9a-z.+-]{0,60})"
    r"(?:[ \t].*(?:19|20)[0-9]{2}.*)?"
)
_UNKNOWN = re.compile(r".*\b(?:unknown cipher|unknown algorithm|bad option or value).*", re.I)
MIN_BUSY_SHARE = 0.9
"""The least share of elapsed time that a job alone on its core gets."""
MAX_IDLE_SHARE = 0.1
"""The share of elapsed time below which something else does the work of a job."""
# Lines without figures.
_BANNER = re.compile(
    r"(?:built on|options|compiler|CPUINFO): .*|\+R:[0-9]+:[!-~]+:[0-9.]+"
    r"|The 'numbers' are in 1000s of bytes per second processed\."
    r"|You have chosen to measure elapsed time instead of user CPU time\."
)
_LIKE_ROW = re.compile(
    r"[0-9][.,][0-9]+k|(?<![0-9])[0-9]{2,}+[.,][0-9]{1,2}[ \t]*[0-9]{2,}+[.,][0-9]"
)


@dataclass(frozen=True, slots=True)
class _Timed:
    """A line of progress: the number of blocks, the seconds they took, and those requested."""

    count: int
    seconds: float
    requested: float


@dataclass(slots=True)
class _Run:
    """The run whose lines are being read, as far as it has been read."""

    sizes: tuple[int, ...] = ()
    names: set[str] = field(default_factory=set)
    timed: dict[tuple[str, int], _Timed] = field(default_factory=dict)
    elapsed: bool = False
    """True if rates are by elapsed time, as with ``-elapsed``."""
    device: str = ""
    """The engine of an accelerator, if the log says that it was set."""
    engine: str = ""
    """``hw``, ``sw``, or empty if the log does not say."""
    has_lost_engine: bool = False
    """True below a damaged line that may have named the engine."""
    missing: dict[str, int] = field(default_factory=dict)
    """The line of progress of each algorithm whose row has not been read yet."""
    key_names: set[str] = field(default_factory=set)
    children: set[str] = field(default_factory=set)
    has_rows: bool = False
    table: keys.KeyTable | None = None

    def agrees(self, algorithm: str, size: int, value: float) -> bool:
        """Return whether a figure agrees with the count and the time in its line of progress."""
        timed = self.timed.get((algorithm, size))
        if not timed or not timed.count or not timed.seconds or not math.isfinite(value):
            return True
        expected = timed.count * size / timed.seconds / 1000
        # The time is rounded to hundredths of a second.
        return abs(value - expected) <= expected * 0.006 / timed.seconds + 0.02

    def by_elapsed_time(self, algorithm: str, size: int, value: float, stated: str) -> float | None:
        """Return a throughput in kB/s by elapsed time; ``None`` if it cannot be determined.

        Without ``-elapsed``, openssl divides by its own CPU time. If an accelerator does the work,
        that is a fraction of the elapsed time, and the throughput is many times too high; then the
        requested seconds are the elapsed time. Rates of the CPU itself are left as printed, as they
        are right even on a busy board. ``stated`` is the engine stated on the command line."""
        engine = self.engine or stated
        timed = self.timed.get((algorithm, size))
        if self.elapsed or engine == "sw" or not math.isfinite(value) or not value:
            return value
        # Without a count, the rate by CPU time would pass for one by elapsed time.
        if timed is None or not timed.count:
            return None if self.device else value
        share = MIN_BUSY_SHARE if engine == "hw" else MAX_IDLE_SHARE
        if timed.seconds >= timed.requested * share:
            return value
        return timed.count * size / timed.requested / 1000

    def params(self) -> dict[str, Scalar]:
        params: dict[str, Scalar] = {"engine": self.engine} if self.engine else {}
        if self.children:
            params["threads"] = len(self.children)
        return params


def read(data: bytes, context: Context, *, elapsed: bool = False) -> Reading:
    """Return the throughput of each algorithm and block size, the rate of each key operation.

    ``elapsed`` states that the command has ``-elapsed``: with ``-multi``, openssl itself does not
    say so.
    """
    reader = _Reader(Sheet(context), elapsed)
    for line in lines(data):
        reader.line(line)
    reader.finish()
    return reader.sheet.reading()


class _Reader:
    def __init__(self, sheet: Sheet, elapsed: bool) -> None:
        self.sheet = sheet
        self._elapsed = elapsed
        self._run = _Run(elapsed=elapsed)

    def line(self, line: Line) -> None:
        if self._read_progress(line) or self._read_heading(line) or _BANNER.fullmatch(line.text):
            self.sheet.understood(line.number)
            return
        if match := _MR.fullmatch(line.text):
            self._machine_row(line, match)
        elif line.text.startswith(("+F:", "Got: +F:", "+H:")):
            self.sheet.broken(line.number, "a line of openssl speed -mr is cut or damaged")
        elif line.text.startswith("+F") and re.match(r"\+F[2-9]:", line.text):
            self.sheet.note(
                line.number,
                "-mr does not say whether public-key figures are seconds or operations: left out",
                "run openssl speed without -mr for these",
            )
        elif self._run.table is not None:
            run = self._run
            if not run.has_lost_engine:
                keys.row(line, self._run.table, run.params(), run.key_names, self.sheet)
        elif self._run.sizes:
            self._table_row(line)

    def _current(self) -> _Run:
        """Return the run that a line of progress belongs to: a new one after a table."""
        if self._run.has_rows:
            self.finish()
            self._run = _Run(elapsed=self._elapsed)
        return self._run

    def _announce(self, line: Line, name: str) -> _Run:
        """Note that an algorithm is measured, whose row must follow; return its run."""
        run, algorithm = self._current(), canonical(name)
        if algorithm not in run.names:
            run.missing[algorithm] = line.number
        run.names.add(algorithm)
        return run

    def finish(self) -> None:
        """Report the algorithms that were measured, but are in no table."""
        for name, number in self._run.missing.items():
            self.sheet.broken(number, f"{name} was measured, but its row is cut or damaged")

    def _read_progress(self, line: Line) -> bool:
        """Read a line before the tables, such as engine or version; return false for others."""
        text = line.text
        if match := _DOING.fullmatch(text):
            timed = _Timed(int(match[4]), float(match[5]), float(match[2]))
            self._announce(line, match[1]).timed[canonical(match[1]), int(match[3])] = timed
        elif match := _STARTED.fullmatch(text):
            self._announce(line, match[1])
        elif match := _KEYGEN.fullmatch(text):
            self._current().key_names.add(match[1].lower())
        elif match := _CHILD.fullmatch(text):
            self._current().children.add(match[1])
        elif match := _REFUSED.search(text):
            self._current().engine = "sw"
            self._run.device = ""
            engine = f"the engine “{match[1]}”" if match[1] else "the engine"
            self.sheet.failed(line.number, f"{engine} did not load: the figures are software's")
        elif match := _SET.search(text):
            if match[1].lower() in ACCELERATORS:
                self._current().engine = "hw"
                self._run.device = match[1]
            else:
                self._current()
                self.sheet.note(
                    line.number,
                    f"cannot tell whether the engine “{match[1]}” is an accelerator",
                    "state it with the parameter engine",
                )
        elif _LIKE_ENGINE.fullmatch(text):
            self._current().has_lost_engine = True
            self.sheet.broken(line.number, "the line of the engine is cut or damaged")
        elif match := _VERSION.fullmatch(text):
            self._current()
            self.sheet.fact("tools.openssl", match[1])
        elif text.startswith("You have chosen to measure elapsed time"):
            self._current().elapsed = True
        elif (text.startswith("speed: ") or "speed" in text) and _UNKNOWN.fullmatch(text):
            self.sheet.failed(line.number, f"openssl speed refused the command: {text[:200]}")
        else:
            return False
        return True

    def _read_heading(self, line: Line) -> bool:
        if match := _HEAD.fullmatch(line.text) or _SIZES.fullmatch(line.text):
            self._run.sizes = tuple(int(n) for n in re.findall(r"[0-9]+(?= bytes|:|$)", match[1]))
            self._run.table = None
        elif table := keys.heading(line.text):
            self._run.table = table
            self._run.has_rows = True
        elif line.text.startswith("type") and re.match(r"type[ \t]+.*bytes", line.text):
            self._run.sizes = ()
            self.sheet.broken(line.number, "the head of openssl's table is cut or damaged")
        else:
            return False
        return True

    def _machine_row(self, line: Line, match: re.Match[str]) -> None:
        if match[1]:
            self._run.children.add(match[4] or "")
            self._run.names.add(canonical(match[2]))
            self.sheet.understood(line.number)
            return
        figures = match[3].strip(":").split(":")
        if not all(re.fullmatch(r"[0-9]{1,18}\.[0-9]{2}|-?inf|-?nan", text) for text in figures):
            self.sheet.broken(line.number, "a line of openssl speed -mr is cut or damaged")
            return
        self._row(line, match[2], tuple(thousandth(text) for text in figures))

    def _table_row(self, line: Line) -> None:
        match = _ROW.fullmatch(line.text)
        if match is None:
            label = line.text.partition("  ")[0].strip()
            like = _LIKE_ROW.search(line.text) or canonical(label) in self._run.names
            if like and not line.text.startswith(("\t", "+")):
                self.sheet.broken(line.number, "a row of openssl's table is cut or damaged")
            return
        read = cells(match[2])
        if read.fault:
            self.sheet.broken(line.number, read.fault)
            return
        self._row(line, match[1], read.values)

    def _row(self, line: Line, name: str, values: tuple[float, ...]) -> None:
        run = self._run
        algorithm = canonical(name)
        run.has_rows = True
        if len(values) != len(run.sizes):
            self.sheet.broken(
                line.number,
                f"{len(values)} figures for {len(run.sizes)} block sizes: the row is cut",
            )
            return
        if algorithm == "evp":
            # With -multi the parent does not know what its children measured.
            if len(run.names) != 1:
                self.sheet.broken(line.number, "the row “evp” does not say which algorithm it is")
                return
            algorithm = next(iter(run.names))
        elif run.names and algorithm not in run.names:
            self.sheet.broken(
                line.number, f"“{name}” is none of the algorithms that were measured: damaged?"
            )
            return
        run.missing.pop(algorithm, None)
        if run.has_lost_engine:
            return  # reported
        for size, value in zip(run.sizes, values, strict=True):
            if not run.agrees(algorithm, size, value):
                self.sheet.broken(
                    line.number,
                    f"{value} kB/s is not what the line of progress for {size} bytes says: damaged",
                )
                continue
            stated = self.sheet.stated("engine")
            rate = run.by_elapsed_time(algorithm, size, value, str(stated or ""))
            if rate is None:
                self.sheet.broken(
                    line.number,
                    f"{value} kB/s through the engine “{run.device}” is by CPU time rather than elapsed "
                    "time, and no line of progress has the number of blocks",
                    "run openssl speed with -elapsed, or keep what it prints on standard error",
                )
                continue
            if math.isfinite(value) and rate != value:
                self.sheet.note(
                    line.number,
                    "openssl ran without -elapsed and divided by its CPU time: throughputs are "
                    "the number of blocks divided by the requested seconds",
                    "run openssl speed with -elapsed",
                )
            params = {"algorithm": algorithm, "block_size": size, **run.params()}
            if PAST_EVP.fullmatch(name):
                params["evp"] = False
            self.sheet.figure(line.number, "openssl", "throughput", "kB/s", rate, params)


FORMAT = Format(
    name="openssl-speed",
    title="openssl speed, tables and -mr, versions 1.0 to 3.x",
    example=EXAMPLE,
    recognises=holds(
        rb"^type +[0-9]+ bytes|\+F:[0-9]+:|^ *(?:sign +verify|op) +(?:\S+ +)*(?:sign|op)/s"
        rb"|^Doing .+ size blocks: |^ +keygen +\S+ +\S+ +keygens/s",
    ),
    read=read,
)

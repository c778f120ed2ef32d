"""The log of sbc-bench: the output of the programs that it runs, and facts about the board.

The facts are its date, the kernel, its guess at the SoC, the clock of each cluster as set and as
measured, the range of temperatures, and throttling.
"""

from __future__ import annotations

import email.utils
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from . import Context, Format, Reading, Scalar, registry
from .log_lines import holds, lines
from .log_sheet import Sheet

EXAMPLE = """\
sbc-bench v0.9.65 Raspberry Pi 5 Model B Rev 1.0 (Tue, 19 Mar 2024 19:04:10 +0100)
##########################################################################
Executing benchmark on cpu0 (Cortex-A76):
tinymembench v0.4.9 (simple benchmark for memory throughput and latency)
 C copy                                               :   6099.9 MB/s (0.1%)
##########################################################################
"""

_DATE = r"[A-Z][a-z]{2}, [!-'*-~ ]{15,40}"
# Layout: sbc-bench.sh, 0.4 to 0.9. Rulers of ``#`` separate the output of the programs
# (tinymembench, ramlat, OpenSSL, 7-zip and cpuminer), each read by its own adapter.
# The parameter ``cores`` quotes the heading above: ``cpu4 (Cortex-A76)``, ``CPUs 0-7``. If OpenSSL
# ran on one cluster after another, an algorithm has one row per cluster, in the order of
# tinymembench's headings. The same is true of single runs of 7-zip before 0.9, which had no
# headings. Other rows of the same algorithm have the parameter ``run``.
_HEAD = re.compile(
    rf"sbc-bench v([0-9][!-~]{{0,20}}) (?:(?:(.{{0,200}}) )?\(({_DATE})\)|-- ({_DATE}))[ \t]*"
)
_TINYMEMBENCH = b"tinymembench v"
_RULER = re.compile(r"#{20,}[ \t]*")
_HEADING = re.compile(
    r"Executing (?:benchmark|tinymembench|ramlat|cpuminer)(?: [0-9a-z]{1,9})?(?: times)?"
    r"(?: (?:single|multi)-threaded)? on ([!-9;-~]{1,40}(?: [!-9;-~]{1,40}){0,5}?):?[ \t]*"
)
_TIMES = re.compile(r"Executing benchmark [0-9]{1,3} times multi-threaded:?[ \t]*")
_CLUSTERS = "each cluster individually"
_OPENSSL_ROW = re.compile(
    r"([a-z0-9-]{3,40})(?: +[0-9]{1,15}\.[0-9]{2}k){2,}(?: \(([!-~ ]{1,60})\))?[ \t]*"
)
_ZIP_USAGE = re.compile(
    rb"^Avr: +(?:[0-9]{1,9} +(?=[0-9]+ +[0-9]+ +[0-9]+ ))?([0-9]{1,5}) ", re.MULTILINE
)
# The highest CPU usage, in %, that 7-zip reports when bound to one core.
_MAX_ONE_CORE_PERCENT = 110
# The most rows of one algorithm: no board has more clusters.
_MAX_ROWS = 16

_CLOCKS = re.compile(r"Checking cpufreq OPP(?: for ([!-~]{1,40}))?(?: \(([!-~ ]{1,80})\))?:[ \t]*")
_OPP = re.compile(r"Cpufreq OPP: +([0-9]{1,6}) .*?Measured: +([0-9./]{1,60})(?: .*)?")
# A line of the monitor, which sbc-bench prints every few seconds.
_HEALTH = re.compile(r"[0-9]{2}:[0-9]{2}:[0-9]{2}: .* {1,3}(-?[0-9]{1,3}\.[0-9])°C.*")
_KERNEL = re.compile(r" {1,12}Kernel: ([!-~]{1,100})(?: .*)?|Linux ([0-9][!-~]{1,100}) \(.*")
_GUESS = re.compile(r"SoC guess: ([!-~ ]{1,100})")
_THROTTLED = re.compile(r" +\* ((?:No throttling|Throttling).{0,200})")

# The formats of the programs, each with text that their output has.
_FORMATS: tuple[tuple[bytes, str], ...] = (
    (b"type  ", "openssl-speed"),
    (b" Speed Usage ", "7-zip"),
    (b"H/s", "cpuminer"),
    (b"1x32  2x32", "ramlat"),
    (_TINYMEMBENCH, "tinymembench"),
)


@dataclass(slots=True)
class _Part:
    """Lines below one heading: the number of their log in the file, the number of the first line,
    and the cores."""

    log: int
    first: int
    cores: str = ""
    lines: list[bytes] = field(default_factory=list)

    def pad_to(self, number: int) -> None:
        """Add empty lines up to this line of the log, in place of lines that are no output of a
        program, so that the lines below keep their numbers."""
        self.lines.extend([b""] * (number + 1 - self.first - len(self.lines)))


def read(data: bytes, context: Context) -> Reading:
    """Return the results of each program with their cores, and the facts."""
    sheet = Sheet(context)
    parts = _parts(data, sheet)
    clusters: dict[int, list[str]] = {}
    for part in parts:
        if part.cores and any(line.startswith(_TINYMEMBENCH) for line in part.lines):
            clusters.setdefault(part.log, []).append(part.cores)
    readings: list[Reading] = []
    for part in parts:
        for piece, cores in _pieces(part, clusters.get(part.log, [])):
            readings += _read(piece, cores, context)
    return sheet.reading(readings)


def _parts(data: bytes, sheet: Sheet) -> list[_Part]:
    """Split a log at its headings and rulers, and add the facts about the board to the sheet."""
    log = 0  # lines before the first head belong to no log
    parts = [_Part(log, 1)]
    clocks = ""
    temperatures: list[float] = []
    for line in lines(data):
        text = line.text
        if match := _HEAD.fullmatch(text):
            _add_header_facts(match, sheet)
            log += 1
            parts.append(_Part(log, line.number + 1))
        elif _RULER.fullmatch(text):
            parts.append(_Part(log, line.number + 1))
        elif match := _HEADING.fullmatch(text):
            parts.append(_Part(log, line.number + 1, match[1].removesuffix(", results in ns")))
        elif _TIMES.fullmatch(text) or text.startswith("Executing benchmark on each cluster"):
            cores = _CLUSTERS if "each" in text else "all cores"
            parts.append(_Part(log, line.number + 1, cores))
        elif match := _CLOCKS.fullmatch(text):
            clocks = " ".join(filter(None, (match[1], match[2] and f"({match[2]})"))) or "all cores"
        elif clocks and (match := _OPP.fullmatch(text)):
            sheet.fact(f"tools.sbc-bench.clock.{clocks}", f"{match[1]} MHz, measured {match[2]}")
            clocks = ""
        elif match := _HEALTH.fullmatch(text):
            temperatures.append(float(match[1]))
        elif match := _KERNEL.fullmatch(text):
            sheet.fact("sdk.kernel", (match[1] or match[2]).partition("/")[0])
        elif match := _GUESS.fullmatch(text):
            sheet.fact("tools.sbc-bench.soc", match[1].strip())
        elif match := _THROTTLED.fullmatch(text):
            sheet.fact("tools.sbc-bench.throttling", match[1].strip())
            if match[1].startswith("Throttling"):
                sheet.note(line.number, f"sbc-bench says: {match[1].strip()}")
        else:
            parts[-1].lines.append(text.encode())
            continue
        parts[-1].pad_to(line.number)
        sheet.understood(line.number)
    if temperatures and log:
        sheet.fact("tools.sbc-bench.temperature", f"{min(temperatures)} to {max(temperatures)} °C")
    return [part for part in parts if part.log]


def _add_header_facts(match: re.Match[str], sheet: Sheet) -> None:
    sheet.fact("tools.sbc-bench", match[1])
    if match[2]:
        sheet.fact("board.description", match[2].strip())
    try:
        when = email.utils.parsedate_to_datetime(match[3] or match[4])
    except ValueError:
        return
    if when.tzinfo is not None:
        sheet.fact("created", when.isoformat())


def _pieces(part: _Part, clusters: list[str]) -> Iterator[tuple[_Part, dict[str, Scalar]]]:
    """Split a part by the cores that programs ran on; yield each piece with its parameters."""
    has_cores = bool(part.cores) and part.cores != _CLUSTERS
    tables = [at for at, line in enumerate(part.lines) if line.startswith(b"7-Zip ")]
    if any(_OPENSSL_ROW.fullmatch(line.decode()) for line in part.lines):
        yield from _openssl_pieces(part, clusters, has_cores)
    elif tables and not has_cores:
        yield from _zip_pieces(part, clusters, tables)
    elif any(line.strip() for line in part.lines):
        yield part, ({"cores": part.cores} if has_cores else {})


def _openssl_pieces(
    part: _Part, clusters: list[str], has_cores: bool
) -> Iterator[tuple[_Part, dict[str, Scalar]]]:
    """Yield the rows of each run: the first row of each algorithm, the second, and so on."""
    rows: dict[str, list[int]] = {}
    kinds: dict[int, str] = {}
    lines = list(part.lines)
    for at, line in enumerate(part.lines):
        if match := _OPENSSL_ROW.fullmatch(line.decode()):
            rows.setdefault(match[1], []).append(at)
            if match[2]:  # since 0.9.71 the row ends with the kind of core
                kinds[at] = match[2]
                lines[at] = line[: line.rindex(b" (")]
    if has_cores:
        yield replace(part, lines=lines), {"cores": part.cores}
        return
    # Bounded, because a damaged log could yield a piece for each of its lines.
    runs = min(max(map(len, rows.values())), _MAX_ROWS)
    all_rows = {at for of_algorithm in rows.values() for at in of_algorithm}
    for run in range(runs):
        rows_of_run = {
            of_algorithm[run] for of_algorithm in rows.values() if run < len(of_algorithm)
        }
        others = all_rows - rows_of_run
        piece = [b"" if at in others else line for at, line in enumerate(lines)]
        kinds_of_run = {kinds.get(at, "") for at in rows_of_run}
        kind = kinds_of_run.pop() if len(kinds_of_run) == 1 else ""
        yield replace(part, lines=piece), _conditions(clusters, run, runs, kind)


def _zip_pieces(
    part: _Part, clusters: list[str], tables: list[int]
) -> Iterator[tuple[_Part, dict[str, Scalar]]]:
    """Yield each table of 7-zip, which begins at one of these lines."""
    ends = [*tables[1:], len(part.lines)]
    for number, (begin, end) in enumerate(zip(tables, ends, strict=True)):
        table = _Part(part.log, part.first + begin, part.cores, part.lines[begin:end])
        if len(tables) == len(clusters) > 1:
            yield table, {"cores": clusters[number]}
        else:
            usage = _ZIP_USAGE.search(b"\n".join(table.lines))
            # Before 0.9 no heading names the cores, but 7-zip prints their usage.
            is_on_one = usage is not None and int(usage[1]) <= _MAX_ONE_CORE_PERCENT
            yield table, {"cores": "one core" if is_on_one else "all cores"}


def _conditions(clusters: list[str], run: int, count: int, kind: str) -> dict[str, Scalar]:
    """Return the parameters of the run number ``run`` of ``count``, on a ``kind`` of core."""
    if len(clusters) == 1:
        return {"cores": clusters[0]}
    if len(clusters) == count:
        return {"cores": clusters[run]}
    conditions: dict[str, Scalar] = {"cores": kind} if kind else {}
    return conditions | ({"run": run + 1} if count > 1 else {})


def _read(part: _Part, conditions: dict[str, Scalar], context: Context) -> Iterator[Reading]:
    """Yield the readings of the programs' output, with the line numbers of the log."""
    data = b"\n".join(part.lines)
    for name in (name for sign, name in _FORMATS if sign in data):
        reading = registry.built_in(name).read(
            data, Context(context.file, {**conditions, **context.params}, context.about)
        )
        yield reading.renumbered(lambda line: line + part.first - 1)


FORMAT = Format(
    name="sbc-bench",
    title="sbc-bench 0.4 to 0.9, whole",
    example=EXAMPLE,
    recognises=holds(rb"^sbc-bench v[0-9]"),
    read=read,
)

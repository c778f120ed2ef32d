"""Memory: tinymembench, ramlat and mbw.

Layouts: bandwidth_bench and latency_bench in tinymembench's main.c (0.3, 0.4 and the fork by
nuumio), ramlat.c of ramspeed, mbw.c. tinymembench's MB are 10^6 bytes; its latencies are what
an access takes longer than one that the first cache serves, so that zero is a figure.

mbw prints each run and then their mean: the runs are the samples, and the mean counts only
where no run was printed.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, holds, words
from ..log_rows import row, scan
from ..log_sheet import Sheet

_WORDS = frozenset(
    re.findall(
        "[^ ]+",
        "2 2-pass 4 8 16 32 64 128 256 512 ARM AVX AVX2 C LD1/ST1 LDM/STM LDNP LDP LDP/STP LDRD/STRD "
        "MOVSB MOVSD NEON SSE2 SSSE3 STM STNP STOSB STP STRD VFP VLD1/VST1 VLDM/VSTM backwards block "
        "blocks byte bytes copy data fill framebuffer from incr libc load memchr memcpy memset "
        "nontemporal non-temporal pld pldl1keep pldl2strm prefetched prefetchnta prefetcht0 read "
        "registers scan shuffle standard step streams unrolled with within wrap",
    )
)
"""What the names of tinymembench's tests are made of."""
_FIRST = "(?:C|NEON|ARM|SSE2|SSSE3|AVX2?|VFP|MOVS.|STOS.|standard|libc)"
"""What they begin with: the end of a row that was cut in two is a test of no name."""
_SIZE = re.compile(r"([0-9]{1,9})([kKmM]?)")


def read_tinymembench(data: bytes, context: Context) -> Reading:
    """The rate of each way to copy and fill, and the latency by block size."""
    sheet = Sheet(context)
    pages: dict[str, Scalar] = {}

    def version(line: Line, found: re.Match[str]) -> None:
        sheet.fact("tools.tinymembench", found[1])
        pages.clear()

    def head(line: Line, found: re.Match[str]) -> None:
        pages.clear()
        if found[1]:
            pages["pages"] = found[1]

    def rate(line: Line, found: re.Match[str]) -> None:
        name = found[1].rstrip()
        if not set(re.findall(r"[^ ()]+", name)) <= _WORDS:
            sheet.broken(line.number, f"“{name}” is none of tinymembench's tests: damaged?")
            return
        sheet.figure(line.number, "tinymembench", name, "MB/s", float(found[2]))

    def latency(line: Line, found: re.Match[str]) -> None:
        params = {"block_size": int(found[1]), **pages}
        for text, kind in ((found[2], "single"), (found[3], "dual")):
            name = f"latency_{kind}_read"
            sheet.figure(line.number, "tinymembench", name, "ns", float(text), params, zero=True)

    rows = (
        row("tinymembench v", r"tinymembench v([!-~]{1,40}) \(simple benchmark .*", version),
        row("block size :", r"block size : single .*?dual random read(?:, \[(\w+)\])?[ \t]*", head),
        row(
            rf" {_FIRST} (?:copy|2-pass|fill|scan|LD|ST|VLD|memcpy|memset|memchr|non)",
            rf" ({_FIRST} [!-9;-~ ]{{2,70}}) *: +([0-9]{{1,9}}\.[0-9]) MB/s(?: \([^()]{{1,30}}\))?[ \t]*",
            rate,
        ),
        row(
            r" {0,12}[0-9]{3,10} : ",
            r" *([0-9]{1,12}) : +([0-9]{1,6}\.[0-9]) ns +/ +([0-9]{1,6}\.[0-9]) ns[ \t]*",
            latency,
        ),
    )
    scan(data, "tinymembench", rows, sheet)
    return sheet.reading()


def read_ramlat(data: bytes, context: Context) -> Reading:
    """The latency of each way to access a buffer, by its size."""
    sheet = Sheet(context)
    kinds: list[str] = []

    def head(line: Line, found: re.Match[str]) -> None:
        kinds[:] = words(found[1])

    def latencies(line: Line, found: re.Match[str]) -> None:
        cells = words(found[2])
        if len(cells) != len(kinds):
            sheet.broken(line.number, "a row of ramlat has not as many figures as its head")
            return
        size = _bytes(found[1])
        for kind, text in zip(kinds, cells, strict=True):
            params: dict[str, Scalar] = {"buffer_size": size, "access": kind}
            sheet.figure(line.number, "ramlat", "latency", "ns", float(text), params)

    rows = (
        row(r" +size: +1x", r" +size:((?: +[1-8]x(?:32|64|PTR)){1,16})[ \t]*", head),
        # The space behind the last figure, or its four digits, show that it is whole.
        row(
            r" {0,12}[0-9]{1,9}[kKmM]: [0-9]",
            r" *([0-9]{1,9}[kKmM]?):((?: +[0-9]{1,6}(?:\.[0-9]{1,3})?){0,15} +"
            r"(?:[0-9]{1,6}(?:\.[0-9]{1,3})? |(?=[0-9.]{5})[0-9]{1,4}\.[0-9]{1,3}))[ \t]*",
            latencies,
        ),
    )
    scan(data, "ramlat", rows, sheet)
    return sheet.reading()


def read_mbw(data: bytes, context: Context) -> Reading:
    """The rate of each run of each method."""
    sheet = Sheet(context)
    methods: set[str] = set()

    def copy(line: Line, found: re.Match[str]) -> None:
        if found[1] == "AVG" and found[2] in methods:
            methods.discard(found[2])
            return
        if found[1] != "AVG":
            methods.add(found[2])
        size = float(found[3]) * 1024**2
        params: dict[str, Scalar] = {"method": found[2], "buffer_size": round(size)}
        value = figure(found[4])
        if value is not None:
            sheet.figure(line.number, "mbw", "copy", "MiB/s", value, params)

    rows = (
        row(
            r"(?:[0-9]{1,6}|AVG)\tMethod:",
            r"([0-9]{1,6}|AVG)\tMethod: (MEMCPY|DUMB|MCBLOCK)\tElapsed: [0-9]{1,9}\.[0-9]{5}"
            r"\tMiB: ([0-9]{1,9}\.[0-9]{5})\tCopy: ([0-9]{1,9}\.[0-9]{3}|-?inf|-?nan) MiB/s[ \t]*",
            copy,
        ),
    )
    scan(data, "mbw", rows, sheet)
    return sheet.reading()


def _bytes(text: str) -> int:
    found = _SIZE.fullmatch(text)
    assert found, text
    return int(found[1]) * {"": 1, "k": 1024, "m": 1024**2}[found[2].lower()]


TINYMEMBENCH = Format(
    name="tinymembench",
    title="tinymembench 0.3, 0.4",
    example="""\
tinymembench v0.4.9 (simple benchmark for memory throughput and latency)
 C copy backwards                                     :   1785.8 MB/s (0.8%)
 standard memcpy                                      :   1929.1 MB/s
block size : single random read / dual random read
    524288 :   87.8 ns          /   129.9 ns
""",
    recognises=holds(rb"^tinymembench v[0-9]"),
    read=read_tinymembench,
)
RAMLAT = Format(
    name="ramlat",
    title="ramlat of ramspeed",
    example=(
        "   size:  1x32  2x32  1x64  2x64 1xPTR 2xPTR 4xPTR 8xPTR\n"
        "     4k: 1.678 1.669 1.668 1.667 1.667 1.669 1.667 3.173 \n"
    ),
    recognises=holds(rb"^ +size: +1x32 +2x32 "),
    read=read_ramlat,
)
MBW = Format(
    name="mbw",
    title="mbw 1.x and 2.0",
    example="0\tMethod: MEMCPY\tElapsed: 0.00445\tMiB: 16.00000\tCopy: 3593.890 MiB/s\n",
    recognises=holds(rb"^(?:[0-9]+|AVG)\tMethod: [A-Z]+\tElapsed: "),
    read=read_mbw,
)

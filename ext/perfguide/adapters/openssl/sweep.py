"""``benchmark_data``, the raw file of a nice sweep: two lines for each nice level.

The first line is a row of ``openssl speed`` without its head. The second is the CPU share, as
printed by ``time -v`` or, for several threads, as a bare number::

    aes-128-cbc       503.88k     1997.67k     6234.37k    13145.77k    24223.74k
    \tPercent of CPU this job got: 41%

The nice level of a pair follows from its position alone: 41 pairs are -20 to 20, with 20 being
level 19 again, and 40 pairs are -20 to 19. A lost pair would shift all others, so an incomplete
file gives no figure.

Five columns are the block sizes of OpenSSL up to 1.0, six those since 1.1. ``block_sizes=16,64`` in
the context states others, as measured with ``-bytes``. A row named ``evp`` needs ``algorithm``.

``parsed_data`` is a bare table with one row per nice level: the CPU share, and the rates in kB/s.
It does not name the algorithm, so it needs ``algorithm``, too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, holds, lines
from ..log_sheet import Sheet
from .terms import CELL, NAME, canonical, cells

EXAMPLE = """\
aes-128-cbc       503.88k     1997.67k     6234.37k    13145.77k    24223.74k
\tPercent of CPU this job got: 41%
aes-128-cbc       498.12k     1961.20k     6198.44k    13011.03k    24001.00k
\tPercent of CPU this job got: 40%
"""

LEVELS = {40: tuple(range(-20, 20)), 41: (*range(-20, 20), 19)}
"""The nice levels of a sweep by its number of pairs."""

_SIZES = {5: (16, 64, 256, 1024, 8192), 6: (16, 64, 256, 1024, 8192, 16384)}
_ROW = re.compile(rf"({NAME})((?:[ \t]+{CELL})+[ \t]*)")
_SHARE = re.compile(
    r"[ \t]*(?:Percent of CPU this job got: ([0-9]{1,5})%|([0-9]{1,5}(?:\.[0-9]{1,9})?))[ \t]*"
)
_BARE_ROW = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,9})?(?:[ \t]+[0-9]{1,9}\.[0-9]{2}){4,6}[ \t]*")
_LIKE = re.compile(r"[0-9][.,][0-9]+k|Percent of CPU")


@dataclass(frozen=True, slots=True)
class _Pair:
    """The two lines of one nice level."""

    row: Line
    name: str
    figures: str
    share: Line
    percent: float


def read(data: bytes, context: Context) -> Reading:
    """Return the throughput and CPU load of every nice level of every algorithm."""
    sheet = Sheet(context)
    sweeps: list[list[_Pair]] = []
    faults: list[tuple[int, str]] = []
    foreign: set[int] = set()
    loose = -1
    waiting: tuple[Line, re.Match[str]] | None = None
    for line in lines(data):
        if not line.text.strip(" \t"):
            continue
        if row := _ROW.fullmatch(line.text):
            if waiting:
                faults.append((waiting[0].number, "no CPU share follows this row"))
            if loose == line.number - 1:
                faults.append((loose, "a CPU share without its row"))
            waiting = (line, row)
            continue
        share = _SHARE.fullmatch(line.text)
        if share and waiting:
            percent = figure(share[1] or share[2])
            pair = _Pair(waiting[0], waiting[1][1], waiting[1][2], line, percent or 0.0)
            waiting = None
            if not sweeps or sweeps[-1][0].name != pair.name:
                sweeps.append([])
            sweeps[-1].append(pair)
        elif waiting or _LIKE.search(line.text) or (sweeps and share):
            faults.append((line.number, "this is neither a row nor the CPU share of one"))
        elif share:
            loose = line.number
        else:
            foreign.add(line.number)
    if waiting:
        faults.append((waiting[0].number, "no CPU share follows this row: the file is cut"))
    for number, message in faults:
        sheet.broken(number, message)
    wrong = [sweep for sweep in sweeps if len(sweep) not in LEVELS]
    for sweep in wrong:
        sheet.broken(
            sweep[0].row.number,
            f"{len(sweep)} pairs, but a sweep has 41 or 40: which nice levels?",
        )
    # A lost pair would shift the levels of all figures after it.
    if faults or wrong:
        sheet.broken(None, "the sweep is damaged, so no figure can be given its nice level")
        return sheet.reading()
    for sweep in sweeps:
        _sweep(sweep, foreign, sheet)
    return sheet.reading()


def _sweep(sweep: list[_Pair], foreign: set[int], sheet: Sheet) -> None:
    first, last = sweep[0].row.number, sweep[-1].share.number
    levels = LEVELS[len(sweep)]
    if len(sweep) < max(LEVELS) and any(first < number < last for number in foreign):
        sheet.broken(first, "other lines among 40 pairs: one pair of 41 may be lost")
        return
    algorithm = canonical(sweep[0].name)
    if algorithm == "evp":
        if not (stated := sheet.stated("algorithm")):
            sheet.broken(first, "“evp” does not say which algorithm it is", "state algorithm=…")
            return
        algorithm = canonical(str(stated))
    counts = Counter(len(cells(pair.figures).values) for pair in sweep)
    usual = counts.most_common(1)[0][0]
    for nice, pair in zip(levels, sweep, strict=True):
        row_cells = cells(pair.figures)
        rates = dict(zip(_sizes(len(row_cells.values), sheet), row_cells.values, strict=False))
        if row_cells.fault or not rates or len(row_cells.values) != usual:
            sheet.broken(pair.row.number, row_cells.fault or "how many block sizes are these?")
            rates = {}
        params: dict[str, Scalar] = {"algorithm": algorithm, "nice": nice}
        _add_level(params, (pair.share.number, pair.percent), pair.row.number, rates, sheet)


def _add_level(
    params: dict[str, Scalar],
    share: tuple[int, float],
    row: int,
    rates: Mapping[int, float],
    sheet: Sheet,
) -> None:
    """Add the CPU share of one nice level, given with its line, and the rates by block size."""
    # A sweep always runs against a busy loop on the same core.
    params["background"] = "busy-loop"
    sheet.figure(share[0], "openssl", "cpu_load", "%", share[1], params, zero=True)
    for size, rate in rates.items():
        sheet.figure(row, "openssl", "throughput", "kB/s", rate, {**params, "block_size": size})


def read_table(data: bytes, context: Context) -> Reading:
    """Return the throughput and CPU load of every nice level in ``parsed_data``."""
    sheet = Sheet(context)
    tables: list[list[tuple[Line, list[str]]]] = []
    others: set[int] = set()
    for line in lines(data):
        if not (match := _BARE_ROW.fullmatch(line.text)):
            others.update([line.number] if line.text.strip() else ())
            continue
        if not tables or tables[-1][-1][0].number != line.number - 1:
            tables.append([])
        tables[-1].append((line, match[0].split()))
    are_sweeps = all(len(table) in LEVELS for table in tables)
    for table in tables:
        # If the first of 41 rows is damaged or apart, all others would get the wrong level.
        beside = {table[0][0].number - 1, table[-1][0].number + 1}
        is_certain = are_sweeps and others.isdisjoint(beside)
        if len(table) < max(LEVELS) and not is_certain:
            sheet.broken(
                table[0][0].number, "other lines beside 40 rows: one row of 41 may be lost"
            )
        else:
            _table(table, sheet)
    return sheet.reading()


def _table(rows: list[tuple[Line, list[str]]], sheet: Sheet) -> None:
    first, algorithm = rows[0][0].number, sheet.stated("algorithm")
    if len(rows) not in LEVELS or len({len(row) for _, row in rows}) > 1:
        message = f"{len(rows)} rows, but a sweep has 41 or 40 alike: which nice levels?"
        sheet.broken(first, message)
    elif algorithm is None:
        hint = "say it: --param algorithm=aes-128-cbc"
        sheet.broken(first, "this table does not say which algorithm it is of", hint)
    elif not (sizes := _sizes(len(rows[0][1]) - 1, sheet)):
        sheet.broken(
            first, "how many block sizes are these?", "say them: --param block_sizes=16,64"
        )
    else:
        for nice, (line, (share, *rates)) in zip(LEVELS[len(rows)], rows, strict=True):
            params: dict[str, Scalar] = {"algorithm": canonical(str(algorithm)), "nice": nice}
            by_size = dict(zip(sizes, map(float, rates), strict=True))
            _add_level(params, (line.number, float(share)), line.number, by_size, sheet)


def _sizes(count: int, sheet: Sheet) -> tuple[int, ...]:
    stated = sheet.stated("block_sizes")
    if stated is None:
        return _SIZES.get(count, ())
    sizes = tuple(int(n) for n in re.findall(r"[0-9]{1,9}", str(stated)))
    return sizes if len(sizes) == count else ()


FORMAT = Format(
    name="openssl-sweep",
    title="benchmark_data of a nice sweep: pairs of openssl row and CPU share",
    example=EXAMPLE,
    recognises=holds(
        rb"^[A-Za-z][!-~]*(?: [a-z0-9]+)*(?:[ \t]+[0-9]+\.[0-9]+k?){2,12}[ \t]*\r?\n"
        rb"[ \t]*(?:Percent of CPU this job got: )?[0-9.]+%?[ \t]*\r?$",
    ),
    read=read,
)

TABLE = Format(
    name="openssl-sweep-table",
    title="parsed_data of a nice sweep: CPU share and rates, a row for each nice level",
    example="".join(
        f"{99 - row} \t503.88 \t1997.67 \t6234.37 \t13145.77 \t24223.74 \t\n" for row in range(41)
    ),
    recognises=holds(rb"^(?:%b\r?\n){39}" % _BARE_ROW.pattern.encode()),
    read=read_table,
)

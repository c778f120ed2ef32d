"""Rules about all figures of a benchmark in a board's newest release.

A fault of a table shows in many of its figures at once: a wrong unit, swapped columns, a copy. So
each rule requires nearly all figures to agree, and its findings are errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import fmean, median

from ..common import units
from ..common.grouping import grouped
from ..common.units import last_digit
from ..figures.columns import GUIDE, OWNER, ROW, Figures, digits
from ..figures.exchanges import MAX_FIT_LOG, Moved, exchanges
from .finding import Hit

# Bits taken for bytes are a factor of 8.
SCALES = (8.0, 10.0, 100.0, 1000.0, 1024.0, 1024.0**2, 1e6)
MIN_SCALED_FIGURES = 3
MIN_SCALED_BY_TEN = 6
"""The fewest figures of a table that is off by ten: rates of storage do change that much."""

MIN_SURE_FACTOR = 100.0
"""From this factor, a table is in another unit even if some of its figures also changed."""

MAX_REST_LOG, MAX_SURE_REST_LOG = math.log(1.08), math.log(1.3)
"""The most by which the median log ratio of a table may differ from that of the factor: usually,
and with a sure factor."""

MAX_ROW_LOG = math.log(1.4)
MIN_AGREEING_SHARE, MIN_SURE_SHARE = 0.8, 0.6
"""The least share of the figures that are scaled: usually, and with a sure factor."""

MAX_SAMPLES_RATIO = math.exp(2 * MAX_FIT_LOG)
"""The largest ratio between the samples of a figure if all of them can fit one row."""

MIN_COPIED_SHARE = 0.85
MIN_COPIED_FIGURES = 4
MIN_COPIED_DIGITS, MIN_COPIED_DIGITS_OF_PART = 8, 16
"""The fewest digits in all distinct copied figures, not counting the first two of each, which may
agree by chance; the latter if less than half of the table is shared."""

MAX_USUAL_SHARE = 0.3
"""The largest share of figures that releases usually share if copies are recognisable."""


@dataclass(frozen=True, slots=True)
class _Row:
    position: int
    after: float
    before: float
    """The median log of the three releases before, or of the other boards."""
    slack: float
    """The log of the largest change that rounding to the last digit can cause."""


@dataclass(frozen=True, slots=True)
class _Table:
    """The newest figures of a benchmark on a board. ``whose`` describes those they are compared
    with."""

    whose: str
    rows: list[_Row]


def _tables(figures: Figures) -> list[_Table]:
    """Return the newest figures of each benchmark on each board that have a past or, if none has,
    those that other boards of the SoC have too."""
    table = figures.groups(*OWNER, "benchmark")
    kind = figures.groups(*ROW).tolist()
    # The median of three releases is the present level, even if one of them is bad.
    past = {line[-1]: line[:-1][-3:] for line in figures.lines if figures.newest[line[-1]]}
    of_kind = grouped(past, lambda last: kind[last])
    steady = (last for last in past if figures.steady[last])
    tables = []
    for line in grouped(steady, lambda last: int(table[last])).values():
        before = {last: past[last] for last in line if past[last]}
        whose = "of earlier releases"
        if not before:
            before = {last: [p for p in of_kind[kind[last]] if p != last] for last in line}
            whose = "of the SoC's other boards"
        rows = [_row(figures, last, others) for last, others in before.items() if others]
        tables.append(_Table(whose, [r for r in rows if not math.isnan(r.after + r.before)]))
    return tables


def _row(figures: Figures, last: int, others: Sequence[int]) -> _Row:
    # A figure of 0 has no logarithm and does not show the usual level.
    logs = [log for position in others if not math.isnan(log := figures.logs[position])]
    before = median(logs) if logs else math.nan
    # Each of the two may be rounded or truncated, as 5.4 to 5.
    step = min(last_digit(figures.mean[position]) for position in others)
    slack = 2 * math.log1p(step / math.exp(before)) if not math.isnan(before) else 0.0
    return _Row(last, figures.logs[last], before, slack)


def table_scaled(figures: Figures) -> Iterator[Hit]:
    """Yield the figures of tables that differ from their past by a factor of units."""
    for table in _tables(figures):
        reported: set[int] = set()
        # A wrong unit affects all rows in that unit, or only one of several columns in it.
        for column in ("unit", "metric"):
            groups: dict[str, list[_Row]] = {}
            for row in table.rows:
                groups.setdefault(figures.name(column, row.position), []).append(row)
            for rows in groups.values():
                hits = [hit for hit in _scaled(rows, table.whose) if hit.position not in reported]
                reported |= {hit.position for hit in hits}
                yield from hits


def _scaled(rows: Sequence[_Row], whose: str) -> list[Hit]:
    moves = [row.after - row.before for row in rows]
    middle = median(moves)
    for factor in SCALES:
        log = math.copysign(math.log(factor), middle)
        is_sure = factor >= MIN_SURE_FACTOR and all(move / log >= 0.5 for move in moves)
        share, most = (
            (MIN_SURE_SHARE, MAX_SURE_REST_LOG) if is_sure else (MIN_AGREEING_SHARE, MAX_REST_LOG)
        )
        least = MIN_SCALED_BY_TEN if factor == 10 else MIN_SCALED_FIGURES
        rests = [
            max(0.0, abs(move - log) - row.slack) for row, move in zip(rows, moves, strict=True)
        ]
        fitting = [row for row, rest in zip(rows, rests, strict=True) if rest <= MAX_ROW_LOG]
        if len(fitting) >= max(least, share * len(rows)) and median(rests) <= most:
            number = units.number(factor, 0)
            times = f"{number} times those" if middle > 0 else f"a {number}th of those"
            detail = f"{len(fitting)} of {len(rows)} figures are about {times} {whose}"
            return [Hit("table-scaled", row.position, detail, weight=5.0) for row in fitting]
    return []


def rows_exchanged(figures: Figures) -> Iterator[Hit]:
    """Yield newest figures that fit the past of other rows of the table."""
    for table in _tables(figures):
        rows = [row for row in table.rows if not _scatters(figures, row.position)]
        moved = [
            Moved(
                figures.name("metric", row.position),
                figures.name("unit", row.position),
                figures.params(row.position),
                row.before,
                row.after,
            )
            for row in rows
        ]
        for exchange in exchanges(moved):
            detail = f"{exchange.words}: {len(exchange.rows)} figures fit those {table.whose} of each other"
            for index in exchange.rows:
                yield Hit("rows-exchanged", rows[index].position, detail, weight=4.0)


def _scatters(figures: Figures, position: int) -> bool:
    """Return whether the samples of a figure are so far apart that their mean may fit any row."""
    low, high = figures.low[position], figures.high[position]
    # Divided by the limit, as the ratio of two floats can overflow.
    return bool(high > 0 and (low <= 0 or high / MAX_SAMPLES_RATIO > low))


_Source = tuple[int, int]
"""A board (:data:`OWNER`) and the rank of a release."""


def table_copied(figures: Figures) -> Iterator[Hit]:
    """Yield figures of tables copied from another board of the SoC in the same release, and newest
    figures copied from an earlier release."""
    yield from _copies(figures, of_other_socs=False)


def copied_from_other_soc(figures: Figures) -> Iterator[Hit]:
    """Yield newest figures of tables copied from another SoC."""
    yield from _copies(figures, of_other_socs=True)


def _copies(figures: Figures, of_other_socs: bool) -> Iterator[Hit]:
    soc = dict(zip(figures.groups(*OWNER).tolist(), figures.code("soc").tolist(), strict=True))
    owner, rank = figures.groups(*OWNER).tolist(), figures.release_rank.tolist()
    means, benchmark = figures.mean.tolist(), figures.code("benchmark").tolist()
    kind = figures.groups("benchmark", "metric", "unit", "params").tolist()
    # Figures with fewer digits are equal by chance.
    exact = [position for position, mean in enumerate(means) if digits(mean) >= 3]
    tables: dict[tuple[int, _Source], dict[int, int]] = {}
    for position in exact:
        source = (owner[position], rank[position])
        table = tables.setdefault((benchmark[position], source), {})
        table[kind[position]] = position
    for of_benchmark in grouped(tables, itemgetter(0)).values():
        # Sorted by board and release, as `_usual` compares each release with the one before.
        sources = [(key[1], tables[key]) for key in sorted(of_benchmark)]
        usual = _usual(sources, means)
        for source, table in sources:
            first = next(iter(table.values()))
            if len(table) < MIN_COPIED_FIGURES:
                continue
            is_newest = figures.newest[first]
            # A copy of an earlier release only matters while it is the newest.
            others = [
                (other, theirs)
                for other, theirs in sources
                if other != source
                and (soc[other[0]] != soc[source[0]]) == of_other_socs
                and (is_newest or (other[1] == source[1] and not of_other_socs))
            ]
            yield from _copied(figures, source, table, others, usual)


def _usual(
    sources: Sequence[tuple[_Source, dict[int, int]]], means: Sequence[float]
) -> dict[int, float]:
    """Return for each board the usual share of figures that repeat those of the release before."""
    shares: dict[int, list[float]] = {}
    before: dict[int, dict[int, int]] = {}
    for (board, _), table in sources:
        if board in before and (common := table.keys() & before[board].keys()):
            same = sum(means[table[k]] == means[before[board][k]] for k in common)
            shares.setdefault(board, []).append(same / len(common))
        before[board] = table
    # Without the newest pair, which is the one being judged.
    return {board: fmean(table[:-1]) if len(table) > 1 else 0.0 for board, table in shares.items()}


def _copied(
    figures: Figures,
    source: _Source,
    table: dict[int, int],
    others: Sequence[tuple[_Source, dict[int, int]]],
    usual: dict[int, float],
) -> Iterator[Hit]:
    means, guides = figures.mean, figures.groups(*GUIDE)
    best: tuple[float, int, list[int], int] | None = None
    for other, theirs in others:
        common = table.keys() & theirs.keys()
        if len(common) < MIN_COPIED_FIGURES:
            continue
        # If releases often repeat figures, equal ones prove nothing.
        if max(usual.get(source[0], 0.0), usual.get(other[0], 0.0)) > MAX_USUAL_SHARE:
            continue
        same = [table[k] for k in common if means[table[k]] == means[theirs[k]]]
        # Equal figures count once, or a table of one repeated value would pass for a copy.
        beyond = sum(digits(value) - 2 for value in {float(means[p]) for p in same})
        share = len(same) / len(common)
        is_part = len(common) < len(table) / 2
        least = MIN_COPIED_DIGITS_OF_PART if is_part else MIN_COPIED_DIGITS
        if share >= MIN_COPIED_SHARE and beyond >= least:
            candidate = (share, other[1], sorted(same), next(iter(theirs.values())))
            best = max(best, candidate) if best else candidate
    if best is None:
        return
    _, _, same, original = best
    first = same[0]
    parts = []
    if figures.name("board", first) != figures.name("board", original):
        parts.append(f"of {figures.name('board', original)}")
    if guides[first] != guides[original]:
        key = figures.guide(original)
        parts.append(
            f"in {key}" if key.platform != figures.guide(first).platform else f"in {key.release}"
        )
    detail = f"{len(same)} of {len(table)} figures are those {' '.join(parts)}"
    for position in same:
        yield Hit("table-copied", position, detail, weight=3.0 + len(same) / len(table))


CHECKS = (table_scaled, rows_exchanged, table_copied)
ACROSS_SOCS = (copied_from_other_soc,)

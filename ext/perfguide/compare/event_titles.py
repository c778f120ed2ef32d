"""The titles of events: what changed, by how much, on which boards, and in how many rows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from ..common import units
from ..common.units import with_noun
from .comparison import Comparison
from .event import Event
from .failed_rows import FAILED_RUN
from .judge import Spread
from .row import NOTHING, Row
from .row_moves import failed_earlier
from .row_texts import at_equal_clock, from_to, is_next_to_nothing


def event_title(event: Event, comparison: Comparison, remarks: Sequence[str] = ()) -> str:
    """Return what changed, by how much, and where:
    ``STREAM: copy: 5.2 to 14 % worse on sk (4 rows)``."""
    name, size, where = title_parts(event, comparison, remarks)
    return f"{name}{f': {size}' if size else ''}{f' {where}' if where else ''}"


def title_parts(
    event: Event, comparison: Comparison, remarks: Sequence[str] = ()
) -> tuple[str, str, str]:
    """Return the parts of an event's title: what changed; by how much, of a single row with its
    figures (``15.91 → 18.15 s, 14.1 % longer``); and on which boards and in how many rows, with
    ``remarks`` on them."""
    counted = event.counted
    row = counted[0]
    named_once = [row for row in event.rows if not row.follows] or event.rows
    size = [_extent(named_once) if event.is_minor else size_text(event)]
    # The name of a cause says since when.
    if event.since and not event.is_cause:
        before = "; last measured with" if event.kind == "failed-after" else " than in"
        size[-1] += f"{before} {event.since}"
    # A load per unit of work moved by another factor than the load itself.
    if len(counted) == 1 and row.work is None and not (event.is_cause or event.is_minor):
        size = [*[from_to(row)] * (row.verdict != "failed-after"), *size]
        size = [at_equal_clock(row, size[-1])] if row.past else size
    how_far = ", ".join(filter(None, size))
    measured = {span.board for span in comparison.spans}
    name = benchmark_title(event, comparison) if event.is_minor else event.what
    boards = ""
    if len(measured) > 1 or not {*event.boards} <= measured:
        names = [comparison.board_names.get(board, board) for board in event.boards]
        boards = f"on {units.enumeration(names)}"
        # Else “as in 07.01 on SK” would be about the wrong release.
        open_text = re.sub(r" \([^)]*\)", "", how_far)
        how_far += "," * any(sign in open_text for sign in (", ", "; ", ": "))
    proved = sum(each.verdict != "noisy" for each in counted)
    at_clock = sum(bool(each.past) for each in counted)
    is_mixed = 0 < proved < len(counted) and not event.is_cause
    more = [
        *[with_noun(len(counted), "row")] * (len(counted) > 1),
        *[f"{proved} proved"] * is_mixed,
        *[f"{at_clock} at equal clock"] * (0 < at_clock < len(counted)),
        *remarks,
    ]
    where = " ".join(filter(None, (boards, f"({', '.join(more)})" if more else "")))
    return name, how_far, where


def size_text(event: Event) -> str:
    """Return how far the rows of an event moved: ``5.2 to 14 % worse``, ``15 times longer``."""
    # Its name says what fails.
    if event.of_failing_runs:
        return ""
    if event.kind == "failed-after":
        both = set.intersection(*(set(failed_earlier(row)) for row in event.rows))
        earlier = [release for release, _ in event.rows[0].line if release in both]
        # A release in between may have failed first.
        said = "fails" if event.since else "fails now"
        return f"{said}, as in {earlier[-1]}" if earlier else said
    worse_by = [row.worse_by for row in event.leading if row.worse_by is not None]
    if event.kind == "changed" or not worse_by or len({by > 0 for by in worse_by}) > 1:
        return "" if event.change is None else units.change_text(event.change)
    are_times = all(
        units.parse(row.unit).kind == "time" and row.better == "lower" for row in event.leading
    )
    words = ("longer", "shorter") if are_times else ("worse", "better")
    word = words[worse_by[0] < 0]
    if basis := basis_text(event):
        word = f"{word} {basis}"
    spreads = {row.spread for row in event.leading}
    spread = next(iter(spreads)) if len(spreads) == 1 else ""
    beside = FAILED_RUN if event.rows[0].doubt.startswith(FAILED_RUN) else SPREADS[spread]
    after = f" on average, {beside}" if beside else ""
    zero = _to_or_from_zero(event.leading)
    fails = ["fails now"] * any(row.verdict == "failed-after" for row in event.rows)
    moved = moves_of(event)
    if not moved:
        return f"{word}: {' or '.join([*(text for _, text in zero), *fails])}{after}"
    # Whose size the factor is must not be a riddle.
    other = [f"in {with_noun(number, 'row')} {text}" for number, text in zero]
    scaled = moves(row for row in event.leading if row.past)
    if scaled and scaled != moved:
        other.insert(0, f"{span(scaled)} at equal clock")
    out = ", ".join([f"{span(moved)} {word}", *other])
    return f"{', or '.join([out, *fails])}{after}"


def basis_text(event: Event) -> str:
    """Return what the moves of an event are judged by, ``per Mbit/s`` or ``at equal clock``; "" if
    as measured. Loads judged per unit of work must not read like plain loads."""
    judged_by = {row.judged_by for row in event.leading if row.judged_by}
    # Loads whose rates stayed have no unit.
    if not judged_by or not all(row.work is not None or row.judged_by for row in event.leading):
        return ""
    return judged_by.pop() if len(judged_by) == 1 else "for the work done"


def farthest(event: Event) -> Row:
    """Return the row of the largest move that the title of an event gives, or else the first row.
    If one moved nearly as far without a change of clock, its figures show that size, and it is
    returned."""
    sized = [(row, move) for row in event.leading if (move := _move(row))]
    if sized:
        are_factors = max(log for _, (log, _) in sized) >= math.log(units.MIN_FACTOR)
        sizes = {id(row): move[not are_factors] for row, move in sized}
        near = [row for row, _ in sized if sizes[id(row)] >= NEARLY_AS_FAR * max(sizes.values())]
        return min(near, key=lambda row: (bool(row.past), -sizes[id(row)]))
    tiny = [row for row in event.leading if is_next_to_nothing(row)]
    return max(tiny, key=_larger_end, default=event.rows[0])


NEARLY_AS_FAR = 0.9
"""The least share of the largest move that is nearly as far."""


def _larger_end(row: Row) -> float:
    return max(each.cell.mean or 0.0 for each in (row.old, row.new) if each)


def moves_of(event: Event) -> list[tuple[float, float]]:
    """Return how far each leading row of an event moved, or of those that kept their clock if any
    did: as the log of a factor, and as a share of its older figure, both without their sign."""
    return moves(row for row in event.leading if not row.past) or moves(event.leading)


def moves(rows: Iterable[Row]) -> list[tuple[float, float]]:
    """Return how far rows moved, each as the log of a factor and as a share, without their sign."""
    return [move for row in rows if (move := _move(row))]


def _move(row: Row) -> tuple[float, float] | None:
    if row.worse_by is None or not math.isfinite(row.worse_by) or row.change is None:
        return None
    if is_next_to_nothing(row):
        return None
    return abs(row.worse_by), abs(row.judged_change or 0.0)


def span(sizes: Iterable[tuple[float, float]]) -> str:
    """Return the smallest and the largest of moves, each the log of a factor and a share:
    ``5.2 to 14 %``, or ``1.59 to 2.09 times`` if the largest is a factor of two or more."""
    logs, shares = zip(*sizes, strict=True)
    # Without “×” and “÷”: “÷2 better” could be half the time or twice the rate.
    if max(logs) >= math.log(units.MIN_FACTOR):
        texts = [units.factor_text(math.exp(log))[1:] for log in (min(logs), max(logs))]
        unit = "times"
    else:
        texts, unit = [_without_sign(share) for share in (min(shares), max(shares))], "%"
    return f"{' to '.join(dict.fromkeys(texts))} {unit}"


SPREADS: dict[Spread, str] = {
    "": "",
    "scatters more": "and the samples scatter more",
    "scatters less": "and the samples scatter less",
    "ranges overlap": "",
}
"""The words of an event's title for samples at one level, whose mean moved."""


def _extent(rows: Sequence[Row]) -> str:
    """Return the smallest and the largest change of rows, and their direction:
    ``−29.4 % to −22.4 %, better``."""
    rated = [row for row in rows if math.isfinite(row.worse_by or 0.0)]
    changes = [_listed_share(row) for row in rated if not is_next_to_nothing(row)]
    ends = [units.change_text(end) for end in (min(changes), max(changes))] if changes else []
    judged_by = {row.judged_by for row in rows if row.judged_by}
    of_work = (
        f" {judged_by.pop()}" if len(judged_by) == 1 else " for the work done" * bool(judged_by)
    )
    if of_work and not all(row.judged_by for row in rows):
        of_work = f" (loads{of_work})"
    moved = f"{' to '.join(dict.fromkeys(ends))}{of_work}"
    worse = sum((row.worse_by or 0.0) > 0 for row in rows)
    way = {0: "better", len(rows): "worse"}.get(worse, f"{worse} of {len(rows)} worse")
    zero = [text for _, text in _to_or_from_zero(rows)]
    return f"{'; '.join(filter(None, [moved, *zero]))}, {way}"


def _listed_share(row: Row) -> float:
    """Return the relative change of a row that its verdict is about."""
    return (row.judged_change if row.judged_by else row.change) or 0.0


def benchmark_title(event: Event, comparison: Comparison) -> str:
    """Return the title of an event's benchmark."""
    return next(each.title for each in comparison.groups if each.benchmark == event.benchmark)


def metrics_text(rows: Sequence[Row], comparison: Comparison) -> str:
    """Return the labels of the rows' metrics, or their number if there are many."""
    metrics = dict.fromkeys((row.benchmark, row.metric) for row in rows)
    names = dict.fromkeys(comparison.metric_labels.get(metric, metric[1]) for metric in metrics)
    return " and ".join(names) if len(names) < MIN_MANY_METRICS else f"{len(names)} metrics"


MIN_MANY_METRICS = 3
"""The fewest metrics that are counted rather than named."""


def _to_or_from_zero(rows: Sequence[Row]) -> list[tuple[int, str]]:
    """Return in words how rows fell to zero or next to nothing, or rose from it, and how many
    did."""
    rated = [row for row in rows if row.worse_by is not None and row.old and row.new]
    ends = (("to", [row.new for row in rated]), ("from", [row.old for row in rated]))
    at_zero = [
        (sum(end is not None and end.cell.mean == 0 for end in own), word) for word, own in ends
    ]
    out = [(number, f"{word} 0") for number, word in at_zero if number]
    tiny = [row for row in rated if is_next_to_nothing(row)]
    for is_rise in (True, False):
        far_ends = [_larger_end(row) for row in tiny if ((row.change or 0.0) > 0) == is_rise]
        if far_ends:
            far = f"{'up to ' if len(far_ends) > 1 else ''}{units.number(max(far_ends))} %"
            before, now = [f"below {NOTHING:g} %", far][:: 1 if is_rise else -1]
            out.append((len(far_ends), f"{before} before, {now} now"))
    return out


def _without_sign(share: float) -> str:
    """Return a share of zero or more in per cent, without sign and unit."""
    return units.percent(share).replace("+", "").removesuffix(" %")

"""Sentences on the grounds of an event, its further rows and its fate, and its listed rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ..bundles.guide_key import version
from ..common import units
from ..common.units import with_noun
from ..figures.pool import Record
from . import fates
from .comparison import Comparison
from .event import Event
from .event_names import returned
from .event_titles import event_title, farthest, metrics_text, size_text
from .explanations import family_of
from .moves import RECENT_RELEASES
from .row import Row
from .row_moves import (
    MIN_FAR_LOG,
    fell_with_old,
    has_left_mean,
    has_stepped,
    is_beyond_kind,
    over_scatter,
    releases_at_level,
)
from .row_texts import acceptance, range_text, the_way_it_went, usual
from .verdicts import CONVERTED


def event_lines(event: Event, comparison: Comparison) -> list[str]:
    """Return the grounds of an event, its fate and its possible explanations in sentences."""
    if event.is_minor:
        return []
    rows = event.counted
    out = [*_grounds(event, comparison), _fell_before(event)]
    counted_ids = set(map(id, rows))
    further = [row for row in event.rows if not row.is_clock and id(row) not in counted_ids]
    if moved := [row for row in further if not row.follows]:
        them = "it" if len(rows) == 1 else "them"
        named = metrics_text(moved, comparison)
        are_unproved = event.kind != "noisy" and {row.verdict for row in rows} == {"noisy"}
        proof = " and proved the move" * are_unproved
        out.append(f"{with_noun(len(moved), 'more row')} moved with {them}{proof}: {named}.")
    if aliases := [row for row in further if row.follows]:
        one, many = (
            "is the same figure under another name",
            "are the same figures under other names",
        )
        same = many if len(aliases) > 1 else one
        out.append(
            f"{with_noun(len(aliases), 'more row')} {same}: {metrics_text(aliases, comparison)}."
        )
    back = returned(event.rows)
    if not event.is_cause:
        # The grounds of a return say so already.
        out.append(_at_level(rows) if not back else f"{units.capital(back)}." * (not event.is_back))
    # Incomparable rows have no move that could last, nor have means of runs that failed.
    out += fates.in_words(
        [row for row in rows if row.verdict != "incomparable" and not event.of_failing_runs],
        " of the title" if event.unproved else "",
    )
    out += [f"{units.capital(text)}." for text in beside(event, comparison)]
    out += [
        f"The other way: {event_title(each, comparison)}." for each in _opposite(event, comparison)
    ]
    if not (event.is_cause or event.is_back):
        perhaps = [text for text in event.perhaps if text != back]
        out += [f"Perhaps: {'; '.join(perhaps)}."] * bool(perhaps)
    accepted = [acceptance(row) for row in event.rows if row.accepted][:1]
    converted = [text for row in event.rows for text in row.aliases if text.startswith(CONVERTED)]
    out += [f"{units.capital(text)}." for text in dict.fromkeys([*accepted, *converted])]
    # Rows of an event usually share their notes.
    out += dict.fromkeys(f"Note: {note.spec.text}" for row in event.rows for note in row.notes)
    return list(filter(None, out))


def _grounds(event: Event, comparison: Comparison) -> list[str]:
    """Return sentences on why an event is reported, or why nothing proves it."""
    first = farthest(event) if event.kind == "noisy" else event.rows[0]
    if event.is_cause or (event.is_back and event.perhaps):
        return [f"{units.capital(text)}." for text in event.perhaps]
    # The ground is that of one row.
    which = " (first row)" if len(event.counted) > 1 else ""
    if event.kind == "noisy":
        return [
            f"Not proved{which}: {unproved(first)}.",
            f"{units.capital(event.already)}." * bool(event.already),
        ]
    if event.kind == "failed-after":
        return [f"{units.capital(text)}." for text in (first.ground, event.already) if text]
    measured = [row for row in event.judged if row.verdict != "failed-after"]
    if not all(row.level > 0 for row in measured):
        every = (row for row in event.rows if row.verdict != "failed-after")
        counts = {(_runs(row.old), _runs(row.new)) for row in every}
        texts = [f"{a} against {b}" for a, b in sorted(counts)]
        return [f"Runs: {', '.join(texts)}; their scatter does not explain it."]
    runs, others = _figures(event), _moves_of_others(event, comparison)
    most = others[int(0.9 * len(others))] if others else 0.0
    if event.shared:
        return [f"{runs}; {_moved_together(event.counted)}."]
    # A limit near the move itself says nothing.
    if others and most < min(MAX_OTHERS_MOVE, abs(first.judged_change or 0.0) / 2):
        where = " on this board" if len(event.boards) == 1 else " on these boards"
        where = where if len({row.board for row in comparison.rows}) > len(event.boards) else ""
        return [f"{runs}; {_share_of(len(others))}{where} moved by less than {_rounded_up(most)}."]
    if not which:
        return [f"{units.capital(first.ground)}."]
    return [f"First row: {first.ground}." if listed(event)[0] is first else f"{runs}."]


def _fell_before(event: Event) -> str:
    """Return a sentence on the figures of an event's first row if it got far worse with OLD, too,
    or ""."""
    row = farthest(event)
    texts = [f"{units.number(value)} in {release}" for release, value in fell_with_old(row)]
    if event.is_cause or event.is_back or not texts or not row.new:
        return ""
    subject = "It" if len(event.counted) == 1 else "The first row"
    now = f"{units.number(row.new.cell.mean or 0.0)} {units.parse(row.unit).symbol}".rstrip()
    return f"{subject} had got worse before: {', '.join(texts)}, {now} now."


MAX_OTHERS_MOVE = 0.25
"""The largest move of other rows beside which that of an event is conspicuous."""


def _at_level(rows: Sequence[Row]) -> str:
    """Return a sentence on the last release that had most rows at their present level, or ""."""
    counts = Counter(release for row in rows for release in releases_at_level(row))
    most, release = max(
        ((number, version(release), release) for release, number in counts.items()),
        default=(0, (), ""),
    )[::2]
    if 2 * most <= len(rows):
        return ""
    every = "The row was" if len(rows) == 1 else f"{fates.of_all(most, len(rows))} rows were"
    return f"{every} at this level before, in {release}."


def _moved_together(rows: Sequence[Row]) -> str:
    """Return how many rows of an event moved by a common shift, which makes them one event."""
    shared = sum(row.shift is not None for row in rows)
    if len(rows) == 1:
        return "it moved together with other rows"
    which = f"{'both' if shared == 2 else f'all {shared}'} rows"
    if shared < len(rows):
        which = f"{shared} of {len(rows)} rows"
    return f"{which} moved together, so they are one event"


def _moves_of_others(event: Event, comparison: Comparison) -> list[float]:
    """Return the moves of other measurements of an event's benchmark on its boards, ascending."""
    measurements = {row.measurement for row in (*event.rows, *event.unproved)}
    return sorted(
        abs(change)
        for row in comparison.rows
        if row.benchmark == event.benchmark and row.board in event.boards
        if row.verdict != "incomparable" and row.measurement not in measurements
        if (change := row.judged_change) is not None
    )


LISTED_ROWS = 3
"""The most rows of an event that are listed with it; tables and data have all."""


def listed(event: Event, most: int = LISTED_ROWS) -> tuple[Row, ...]:
    """Return the ``most`` rows listed with an event, and with each of its cause: those that moved
    most and, in that direction, at least one further row, if there are any. Of a minor event, those
    that moved by a factor of 1.5 or more and beyond their scatter, regressions first."""
    if event.is_minor:
        large_moves = [
            row
            for row in event.rows
            if MIN_FAR_LOG <= abs(row.worse_by or 0.0) < math.inf and over_scatter(row) > 1
        ]
        large_moves.sort(key=lambda row: ((row.worse_by or 0.0) < 0, -over_scatter(row)))
        return tuple(large_moves[:most])
    # A load that fell less than its rate is worse for the work done, and looks better.
    moved = tuple(
        row
        for row in event.rows
        if not row.follows and (row.work is None or row.work * (row.change or row.work) > 0)
    )
    # A row that moved the other way would mislead here; the sentences mention it.
    directions = {(row.worse_by or 0.0) > 0 for row in event.leading}
    beside = [
        row
        for row in event.unproved
        if row.work is None and not row.follows
        if event.of_engine or {(row.worse_by or 0.0) > 0} == directions
    ]
    if not event.is_cause:
        # Farthest first, proved or not.
        moved = tuple(sorted(moved or event.rows, key=_farther_first))
        # The title is about these, and its largest figure must be seen.
        led, first = set(map(id, event.leading)), farthest(event)
        moved = tuple(sorted(moved, key=lambda row: (row is not first, id(row) not in led)))
        moved = moved if moved[0] is first else (first, *moved)
    moved = (moved or event.rows)[:most]
    also = (row for each in event.also for row in listed(each, most))
    return (*moved, *beside[: max(1, most - len(moved))], *also)


def _farther_first(row: Row) -> tuple[bool, float]:
    return bool(row.follows) or row.work is not None, -abs(row.worse_by or 0.0)


def unproved(row: Row) -> str:
    """Return why a move is not proved, and how much such rows usually scatter or why it is unusual
    nevertheless."""
    if row.doubt:
        return row.doubt
    if is_beyond_kind(row) and row.kind_scatter is not None:
        return f"{row.ground}; half of such rows scatter within {range_text(the_way_it_went(row, row.kind_scatter))}"
    # The change per unit of work is already given with the figures.
    of_work = f"{units.change_text(row.work or 0.0)} per {row.per}; " if row.per else ""
    # The scatter of a figure with two states is that within one of them.
    scatter = "" if row.changed_state else usual(row)
    beyond = "all new ones are worse than the mean before" if has_left_mean(row) else scatter
    # A move that is beyond the scatter needs no other reason.
    is_step = has_stepped(row) and over_scatter(row) <= 1
    stepped = f"worse than each of the last {RECENT_RELEASES} releases" * is_step
    return "; ".join(filter(None, (row.ground.removeprefix(of_work), beyond, stepped)))


def beside(event: Event, comparison: Comparison) -> list[str]:
    """Return up to two lines on the moves of an event's further rows, for proved and for unproved
    ones; those of its benchmark and direction come first. Events with its cause follow."""
    way = event.worse_by > 0
    # A size is that of rates or of loads, and as measured or at equal clock.
    sides: dict[tuple[str, bool, bool, bool, bool], list[Row]] = {
        (event.benchmark, is_worse, is_load, is_scaled, is_proved): []
        for is_worse in (way, not way)
        for is_load in (False, True)
        for is_scaled in (False, True)
        for is_proved in (False, True)
    }
    for row in event.unproved:
        is_worse, is_load = (row.worse_by or 0.0) > 0, row.work is not None
        side = (row.benchmark, is_worse, is_load, bool(row.past), row.verdict != "noisy")
        sides.setdefault(side, []).append(row)
    sizes: dict[bool, list[str]] = {True: [], False: []}
    for (*_, is_proved), side_rows in sides.items():
        if side_rows:
            size = size_text(replace(event, kind=side_rows[0].verdict, rows=tuple(side_rows)))
            number, back = with_noun(len(side_rows), "more row"), returned(side_rows)
            parts = [_named_beside(side_rows, event, comparison), size, number, back]
            sizes[is_proved].append(", ".join(filter(None, parts)))
    moved = [
        f"also moved{'' if is_proved else ', but not proved'}: {'; '.join(texts)}"
        for is_proved, texts in sizes.items()
        if texts
    ]
    also = [
        (
            f"{event_title(each, comparison)}.",
            _at_level(each.counted),
            *fates.in_words(each.counted),
        )
        for each in event.also
    ]
    return [*moved, *(f"also {' '.join(filter(None, texts))}".removesuffix(".") for texts in also)]


def _opposite(event: Event, comparison: Comparison) -> list[Event]:
    """Return the events of figures that went the other way and differ from those of an event in
    sizes or boards only."""
    families = {*map(family_of, event.leading)}
    return [
        each
        for each in (*comparison.events, *comparison.far)
        if not (each.is_cause or each.is_minor or each.is_old or event.is_cause or event.is_old)
        if (each.worse_by > 0) != (event.worse_by > 0)
        if families & {*map(family_of, each.leading)}
    ]


def _named_beside(rows: Sequence[Row], event: Event, comparison: Comparison) -> str:
    """Return the benchmark and metrics of further rows, as far as they differ from the event's."""
    leading_metrics = {row.metric for row in event.leading}
    metrics = dict.fromkeys(row.metric for row in rows)
    benchmark = rows[0].benchmark
    is_other = benchmark != event.benchmark
    title = next(each.title for each in comparison.groups if each.benchmark == benchmark)
    said = "" if not is_other and {*metrics} == leading_metrics else metrics_text(rows, comparison)
    return ", ".join(filter(None, [title if is_other else "", said]))


def _figures(event: Event) -> str:
    """Return the kinds of figures on both sides of an event: ``One run each``."""
    kinds = dict.fromkeys(
        row.kinds_of_figures for row in event.rows if row.verdict != "failed-after"
    )
    if len(kinds) == 1:
        return units.capital(next(iter(kinds)))
    several = any(" runs " in kind for kind in kinds)
    return "One or several runs each" if several else "One run or mean of samples each"


def _share_of(number: int) -> str:
    """Return words for nine in ten of the other rows, or for all if they are fewer than ten."""
    if number == 1:
        return "the other row"
    return f"the other {number} rows" if number < 10 else f"nine in ten of the other {number} rows"


def _rounded_up(share: float) -> str:
    """Return the smallest full percentage above a share, as an upper limit."""
    # Never the share itself, as “less than 5 %” must be true of it.
    return f"{math.floor(100 * share) + 1} %"


def _runs(record: Record | None) -> int:
    return record.cell.runs - record.cell.failed if record else 0

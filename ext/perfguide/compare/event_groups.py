"""The groups of events by what to do about them, and the order in which all formats show them."""

from __future__ import annotations

import math

from ..common import units
from .comparison import Comparison
from .event import Event
from .fates import of_most
from .row import ALARMS, Row, is_load, is_time, points
from .row_moves import MIN_FAR_LOG, figures_before, is_back

BACK = "Back at an earlier level"

FAILING_STILL = "Failing as before"

OLDER = "Since an older release"

MINOR = "Other moves, not proved"

WORSE, WORSE_UNPROVED = "Worse", "Worse, not proved"

ACTIONS = (
    *(WORSE, FAILING_STILL, "Causes", WORSE_UNPROVED, "Better", "Changed", "Accepted"),
    *("Better, not proved", BACK, OLDER, MINOR),
)
"""Titles of groups of events, in the order in which they are shown. Proof alone is no reason to
act: in public history, unproved moves lasted as often as proved ones."""

MIN_SINGLE_RATE_LOG = math.log(5)
"""The log of the factor by which a single rate must regress to hold a release back."""

MIN_LARGE_LOG = math.log(2)
"""The log of the factor by which an unproved fall ranks with proved ones."""

MIN_LONGER_S = 1e-4
"""The least growth of a time, in seconds, that holds a release back. Microseconds of single
operations matter if a rate fell with them: half a microsecond more is soon three times as long."""

MAX_SIZE_LOG = 9.0
"""The log of the size of a failure, or a move from 0, in usual scatters: above other moves."""


def action(event: Event) -> str:
    """Return the title of an event's group, one of ``ACTIONS``."""
    if event.accepted:
        return "Accepted"
    if event.kind == "failed-both":
        return FAILING_STILL
    if event.is_old:
        return OLDER
    if event.of_engine or (event.is_cause and event.kind not in ALARMS):
        return "Causes"
    if event.is_back:
        return BACK
    if event.kind in ("improved", "changed"):
        return "Better" if event.kind == "improved" else "Changed"
    if event.is_minor:
        return MINOR
    if event.kind == "noisy":
        return f"{'Worse' if event.worse_by > 0 else 'Better'}, not proved"
    return WORSE


def by_action(comparison: Comparison) -> list[tuple[str, list[Event]]]:
    """Return events grouped by :func:`action`, in the order of ``ACTIONS`` and of :func:`rank`.
    Minor ones keep theirs, by benchmark and board."""
    groups: dict[str, list[Event]] = {name: [] for name in ACTIONS}
    for event in (*comparison.events, *comparison.far):
        groups[action(event)].append(event)
    return [
        (name, events if name == MINOR else sorted(events, key=rank))
        for name, events in groups.items()
        if events
    ]


def against(comparison: Comparison) -> list[Event]:
    """Return the events that count against the newer release and are not accepted, proved or not,
    in the order of :func:`rank`."""
    return sorted(
        (
            event
            for event in (*comparison.events, *comparison.far)
            if action(event) == WORSE_UNPROVED or (event.kind in ALARMS and not event.accepted)
        ),
        key=rank,
    )


def failing_still(comparison: Comparison) -> list[Event]:
    """Return the events of what fails as before, in the order of :func:`rank`."""
    return dict(by_action(comparison)).get(FAILING_STILL, [])


def improvements(comparison: Comparison) -> int:
    """Count the events that are improvements, rather than returns to an earlier level."""
    return sum(event.kind == "improved" and not event.is_back for event in comparison.events)


def rank(event: Event) -> tuple[bool, bool, bool, bool, bool, int, bool, float, str]:
    """Return the sort key of events. First come those that hold a release back, failures before
    others; last come those that the next release reverted in the mean, loads after rates and times, and small
    unproved falls. Else heavier ones come first and, of about the same weight, proved ones.

    In public history, 23 of 36 regressions that this order puts first lasted; by size, 19 did.
    """
    event_weight, is_unproved = weight(event), event.kind == "noisy"
    return (
        not is_severe(event),
        event.kind != "failed-after",
        # Means of runs that failed have no fate.
        not event.of_failing_runs and of_most(event.rows)[0] in ("went back", "both"),
        not event.of_failing_runs and all(map(is_load, event.leading)),
        is_unproved and event.worse_by < MIN_LARGE_LOG,
        -round(event_weight),
        is_unproved,
        -event_weight,
        event.what,
    )


def weight(event: Event) -> float:
    """Return the weight of an event: the log of how far beyond its usual scatter it moved, times
    its boards, times the square root of its rows.

    In public history, if one of two regressions of a comparison lasted and the other reverted, it
    was the heavier one that lasted in three of five such pairs.
    """
    fails = event.kind == "failed-after"
    size = MAX_SIZE_LOG if fails else min(math.log1p(event.over_scatter), MAX_SIZE_LOG)
    return size * len(event.boards) * math.sqrt(len(event.counted))


def is_severe(event: Event) -> bool:
    """Return whether a proved event holds a release back: a measurement fails, two that are not all
    loads or short times regressed far, or one rate regressed very far. If the event is an inferred
    change of engine, most of its rates must have regressed, too."""
    if event.kind not in ALARMS or event.accepted:
        return False
    if any(row.verdict == "failed-after" and not is_load(row) for row in event.rows):
        return True
    rows = [row for row in (*event.leading, *event.unproved) if row.verdict in ALARMS]
    # If only OLD was better, or is the oldest release of a single board, OLD may be the outlier.
    far = [
        row
        for row in rows
        if (row.worse_by or 0.0) >= MIN_FAR_LOG and not is_back(row)
        if len(event.boards) > 1 or len(figures_before(row)) > 1
    ]
    if event.of_engine:
        # Loads show the change of engine; only rates show whether it is slower.
        far = [row for row in far if row.better == "higher"]
        every = [row.worse_by or 0.0 for row in event.unproved if row.better == "higher"]
        if 2 * sum(by > 0 for by in every) <= len(every):
            return False
    rates = [row.worse_by or 0.0 for row in far if row.better == "higher"]
    # In public history, one of six events with only loads lasted, and ten of fourteen others.
    if all(is_load(row) or _is_short(row) for row in far):
        return False
    # A single measurement is too often a bad one.
    measured = {row.measurement for row in far}
    return len(measured) >= 2 or max(rates, default=0.0) >= MIN_SINGLE_RATE_LOG


def _is_short(row: Row) -> bool:
    """Return whether a row is a time that grew by less than anyone notices."""
    is_measured = row.verdict == "regressed" and is_time(row)
    return is_measured and points(row) * units.parse(row.unit).scale < MIN_LONGER_S

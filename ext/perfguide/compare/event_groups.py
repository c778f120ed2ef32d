"""The groups of events by what to do about them, and the order in which all formats show them."""

from __future__ import annotations

from .comparison import Comparison
from .events import Event
from .verdicts import ALARMS

BACK = "Back at an earlier level"

MINOR = "Other moves, not proved"

WORSE_UNPROVED = "Worse, not proved"

ACTIONS = (
    *("Worse", "Causes", WORSE_UNPROVED, "Better", "Changed", "Accepted"),
    *("Better, not proved", BACK, MINOR),
)
"""Titles of groups of events, in the order in which they are shown. Proof alone is no reason to act: in
public history, unproved moves lasted as often as proved ones."""


def action(event: Event) -> str:
    """Return the title of an event's group, one of ``ACTIONS``."""
    if event.accepted:
        return "Accepted"
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
    return "Worse"


def improvements(comparison: Comparison) -> int:
    """Count the events that are improvements, rather than returns to an earlier level."""
    return sum(event.kind == "improved" and not event.is_back for event in comparison.events)


def unaccepted(comparison: Comparison) -> list[Event]:
    """Return the events that count against the newer release and are not accepted, in the order in which
    they are shown."""
    listed = (event for _, own in by_action(comparison) for event in own)
    return [event for event in listed if event.kind in ALARMS and not event.accepted]


def by_action(comparison: Comparison) -> list[tuple[str, list[Event]]]:
    """Return events grouped by :func:`action`, in the order of ``ACTIONS``."""
    every = (*comparison.events, *comparison.far)
    by_title = [(name, [e for e in every if action(e) == name]) for name in ACTIONS]
    return [(name, own) for name, own in by_title if own]

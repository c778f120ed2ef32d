"""The fates of events: whether the next release confirmed or reverted them.

Nothing is stored: a comparison uses later releases only for fates, never for verdicts, so both can
be worked out again at any time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ..common import units
from . import event_groups, event_titles
from .comparison import Comparison
from .event import Event
from .fates import Fate, of_most
from .row import Verdict, is_load

FATES: tuple[Fate, ...] = ("lasted", "went back", "neither", "open")

MIN_COMPARISONS = 10
"""The fewest comparisons without improvements, or without regressions, worth a sentence."""

MIN_FOLLOWED_EVENTS, MIN_SHARE_APART = 10, 0.2
"""The fewest proved and unproved regressions that are compared, and the smallest difference between
the shares of them that lasted that matters."""


class Entry(msgspec.Struct, frozen=True):
    """One event of a comparison.

    ``kind`` is its verdict, ``action`` the advice, ``rows`` the number of rows, and ``perhaps`` are
    its possible explanations. ``move`` is the log of the factor by which it got better, and
    ``ends`` are the smallest and largest move of its rows, as the log of a factor and as a share,
    without signs: a load that fell by 35 % moved by a factor of 1.54. ``what`` names what its rows
    have in common, ``boards`` are their boards, and ``is_load`` is true if all are loads.
    ``basis`` says what the moves are judged by, if not as measured. ``counted`` is the number of
    rows that the title counts, and ``proved`` that of those with proof.
    """

    kind: Verdict
    action: str
    title: str
    rows: int
    fate: Fate
    perhaps: tuple[str, ...]
    benchmark: str = ""
    benchmark_title: str = ""
    move: float | None = None
    is_cause: bool = False
    what: str = ""
    ends: tuple[tuple[float, float], ...] = ()
    boards: tuple[str, ...] = ()
    is_load: bool = False
    basis: str = ""
    counted: int = 1
    proved: int = 0


class Compared(msgspec.Struct, frozen=True):
    """A comparison in short: the number of figures that both releases have, its events with their
    fates, and notes on changed conditions."""

    common: int
    entries: tuple[Entry, ...]
    around: tuple[str, ...]


def compared(comparison: Comparison) -> Compared:
    """Return a comparison in short."""
    events = (*comparison.events, *comparison.far)
    titles = {group.benchmark: group.title for group in comparison.groups}
    entries = tuple(_entry(event, comparison, titles) for event in events)
    return Compared(comparison.common, entries, comparison.around)


def _entry(event: Event, comparison: Comparison, titles: Mapping[str, str]) -> Entry:
    benchmark, title = event.benchmark, titles.get(event.benchmark, event.benchmark)
    what = event.what
    # A move of an entire board does not belong to the benchmark of its first row.
    if len({row.benchmark for row in event.rows}) > 1:
        benchmark, title, what = "", "All benchmarks", ""
    return Entry(
        event.kind,
        event_groups.action(event),
        event_titles.event_title(event, comparison),
        len(event.rows),
        "neither" if (fate := of_most(event.rows)[0]) == "both" else fate,
        event.perhaps,
        benchmark,
        title,
        # A fall to 0 has no logarithm.
        math.log1p(event.change) if event.change is not None and event.change > -1 else None,
        event.is_cause,
        what,
        (min(moves), max(moves)) if (moves := event_titles.moves(event.leading)) else (),
        event.boards,
        all(map(is_load, event.leading)),
        event_titles.basis_text(event)
        or "as measured or at equal clock" * any(row.past for row in event.leading),
        len(event.counted),
        sum(row.verdict != "noisy" for row in event.counted),
    )


def tally(entries: Iterable[Entry]) -> dict[str, Counter[Fate]]:
    """Count events by advice and fate."""
    out: dict[str, Counter[Fate]] = {action: Counter() for action in event_groups.ACTIONS}
    for entry in entries:
        out[entry.action][entry.fate] += 1
    return {action: counts for action, counts in out.items() if counts}


def sentences(comparisons: Sequence[Compared]) -> list[str]:
    """Return sentences on how often events for the worse lasted, and on signs of a fault in the catalog."""
    entries = [entry for each in comparisons for entry in each.entries]
    bad = [e for e in entries if e.action == event_groups.WORSE and e.fate != "open"]
    out = []
    if bad:
        counts = Counter(entry.fate for entry in bad)
        out.append(
            f"Of {units.with_noun(len(bad), 'event')} for the worse that a later release followed, "
            f"{counts['lasted']} lasted, {counts['went back']} reverted in the next release, and "
            f"{counts['neither']} did neither."
        )
    else:
        out.append("No event for the worse has been followed by another release yet.")
    of_unproved = (entry.fate for entry in entries if entry.action == event_groups.WORSE_UNPROVED)
    unproved = Counter(fate for fate in of_unproved if fate != "open")
    if unproved:
        out.append(
            f"Of {units.with_noun(unproved.total(), 'fall')} listed without proof that a later release "
            f"followed, {unproved['lasted']} lasted."
        )
        counts = Counter(entry.fate for entry in bad)
        many = min(counts.total(), unproved.total()) >= MIN_FOLLOWED_EVENTS
        shares = [fates["lasted"] / max(fates.total(), 1) for fates in (counts, unproved)]
        if many and shares[0] - shares[1] < MIN_SHARE_APART:
            out[-1] += " Proof alone does not tell which falls last."
    # Without a common figure, nothing could have been found.
    with_rows = [each for each in comparisons if each.common]
    for kind, what in (("improved", "an improvement"), ("regressed", "a regression")):
        if len(with_rows) >= MIN_COMPARISONS and not any(entry.kind == kind for entry in entries):
            out.append(
                f"None of {len(with_rows)} comparisons found {what}. That is unlikely: are better "
                "and worse the right way round?"
            )
    return out

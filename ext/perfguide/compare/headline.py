"""The sentence above a comparison: one of four, chosen by rule, with the share of figures judged."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from . import wording
from .comparison import Comparison
from .events import Event
from .row_moves import FAR, failed_earlier, figures_before, is_back
from .verdicts import ALARMS, Row, Verdict, failed_run, is_load

State = Literal["do not ship", "look", "ship", "too little"]
"""The advice. Proved and unproved falls share “look”: in public history they lasted equally often
(``bench/lasting_events.py``), so there is no reason to advise differently."""

MIN_SINGLE_RATE_LOG = math.log(5)
"""The log of the factor by which a single rate must fall to hold a release back."""

LEAST_JUDGED_PERCENT = 50
"""The least percentage of figures that must be judged for a release to be called good."""

MIN_FALLEN_BENCHMARKS = 3
"""The fewest benchmarks falling far on one board alone that point to the board."""

MAX_NAMED_EVENTS = 3
"""The most events named below the headline."""

MAX_NAMED_LOST = 6
"""The most benchmarks named of those that were not measured again."""


@dataclass(frozen=True, slots=True)
class Headline:
    """Advice on the newer release.

    ``tag`` is the advice in a few words, for lists, and ``advice`` the same as a sentence, with the
    title of ``lead`` if that is an event. ``share`` says how many figures are judged, and ``limits``
    what keeps them from showing more. ``events`` are the worst falls that ``advice`` does not name,
    with their titles; ``left`` counts the rest, and ``besides`` are remarks. ``judged`` of the ``of``
    figures that both releases have are judged.
    """

    state: State
    tag: str
    advice: str
    lead: Event | None
    share: str
    limits: Sequence[str]
    events: Sequence[tuple[Event, str]]
    left: int
    besides: Sequence[str]
    judged: int
    of: int

    @property
    def sentence(self) -> str:
        """The advice with the share of figures judged and its limits."""
        return " ".join(filter(None, (self.advice, self.share, *self.limits)))

    @property
    def more(self) -> str:
        """The grounds of the advice in sentences."""
        named = [title for _, title in self.events] + [f"{self.left} more"] * bool(self.left)
        return " ".join([f"{'; '.join(named)}."] * bool(named) + [*self.besides])


def headline(comparison: Comparison) -> Headline:
    """Return the headline for the first of the four states that applies."""
    judged, of = judged_figures(comparison)
    # Rounded down, as 100 % must mean all of them.
    percent = 100 * judged // of if of else 0
    share = _share(judged, of, percent)
    proved = sorted(wording.unaccepted(comparison), key=lambda event: not _severe(event))
    # Far falls first, as only the first few are named.
    fell = sorted(far_falls(comparison), key=lambda event: event.worse_by < FAR)
    doubtful = {event.benchmark for event in fell if any(row.doubt for row in event.rows)}
    # Figures in doubt get a sentence of their own.
    benchmarks_to_repeat = list(
        dict.fromkeys(
            wording.benchmark_title(event, comparison)
            for event in fell
            if event.benchmark not in doubtful
        )
    )
    falls = [*proved, *fell]
    minor = [event for event in comparison.far if event.is_minor]
    usual_falls = [row for event in minor for row in event.rows if (row.worse_by or 0.0) >= FAR]
    undirected = sum(row.better == "neither" for row in comparison.rows if row.old and row.new)
    limits: list[str] = []
    lead: Event | None = None
    state: State
    if proved and _severe(proved[0]):
        state, tag = "do not ship", "Do not ship"
        lead = falls.pop(0)
        advice = f"{tag}: {wording.event_title(lead, comparison)}."
    elif falls:
        state, tag = "look", f"Look at {wording.count(len(falls), 'event')}"
        advice = f"{tag} before you ship{_of_them_unproved(fell, len(falls))}."
    elif percent >= LEAST_JUDGED_PERCENT and not usual_falls and 2 * undirected <= of:
        state, tag = "ship", f"Ship what was judged: {percent} %"
        accepted = any(row.accepted for row in comparison.rows)
        but = " except what is accepted" if accepted else ""
        advice, share = f"{tag} of {wording.count(of, 'figure')}; nothing got worse{but}.", ""
        if changed := sum(
            event.kind == "changed" and not event.is_cause for event in comparison.events
        ):
            are = "is a change" if changed == 1 else "are changes"
            limits.append(
                f"{wording.count(changed, 'event')} {are} of figures of which neither more nor less is better."
            )
    else:
        state, tag = "too little", "Too little to say"
        few = of > 0 and percent < LEAST_JUDGED_PERCENT
        advice = f"{tag}: fewer than half of the figures are judged." if few else f"{tag}."
        if usual_falls:
            limits.append(_usual_falls(usual_falls, comparison))
        if 2 * undirected > of:
            counted = f"{undirected} of {wording.count(of, 'figure')}"
            limits.append(f"For {counted}, no description says whether higher is better.")
    besides = [*_besides(comparison), *_boards_that_fell(comparison)]
    if state in ("do not ship", "look"):
        besides.append(wording.lasted(comparison.jumps.values()))
    besides.append(_in_doubt(comparison))
    if not proved and (benchmarks_to_repeat or state == "too little"):
        besides.append(_advice(comparison, benchmarks_to_repeat))
    named = [(event, wording.event_title(event, comparison)) for event in falls[:MAX_NAMED_EVENTS]]
    besides = list(filter(None, besides))
    left = len(falls) - len(named)
    return Headline(state, tag, advice, lead, share, limits, named, left, besides, judged, of)


def judged_figures(comparison: Comparison) -> tuple[int, int]:
    """Return how many figures are judged, and how many both releases measured."""
    # A row that failed in the older release has nothing to be judged against.
    failed: tuple[Verdict, ...] = ("failed-before", "failed-both")
    rows = [row for row in comparison.rows if row.old and row.new]
    return sum(row.judged and row.verdict not in failed for row in rows), len(rows)


def _share(judged: int, of: int, percent: int) -> str:
    """Return a sentence on how many figures are judged, and what that means."""
    if not of:
        return "No figure was measured with both releases."
    if not judged:
        return "The only figure is not judged." if of == 1 else f"None of {of:,} figures is judged."
    if of == 1:
        return "The only figure is judged: a change of 50 % would show."
    # A smaller change of these may still be lost in noise.
    return f"{percent} % of {of:,} figures are judged: in these, a change of 50 % would show."


def _usual_falls(rows: Sequence[Row], comparison: Comparison) -> str:
    """Return a sentence that counts the figures that got worse by 1.5 or more, which is within their usual
    swings."""
    titles = {group.benchmark: group.title for group in comparison.groups}
    counts = Counter(titles[row.benchmark] for row in rows)
    named = [f"{number} of {title}" for title, number in counts.most_common(MAX_NAMED_EVENTS)]
    left = len(counts) - len(named)
    named += [f"others of {wording.count(left, 'more benchmark')}"] * bool(left)
    fallen = wording.count(len(rows), "figure")
    return f"{fallen} got worse by a factor of 1.5 or more, which is within their usual swings: {', '.join(named)}."


def far_falls(comparison: Comparison) -> list[Event]:
    """Return falls that cannot be judged but are listed as events."""
    return [event for event in comparison.far if wording.action(event) == wording.WORSE_UNPROVED]


def _severe(event: Event) -> bool:
    """Return whether a proved event holds a release back: two measurements that fell far or fail and
    are not all loads, or one rate that fell very far. An engine change that is only inferred from figures
    holds it back if most of its rates fell."""
    rows = [row for row in (*event.leading, *event.unproved) if row.verdict in ALARMS]
    # If only OLD was better, or one board has nothing from before it, the old figure may be the outlier.
    far = [
        row
        for row in rows
        if (row.worse_by or 0.0) >= FAR and not is_back(row)
        if len(event.boards) > 1 or len(figures_before(row)) > 1
    ]
    if event.of_engine:
        # Loads show the change of engine; only rates show whether it is slower.
        far = [row for row in far if row.better == "higher"]
        every = [row.worse_by or 0.0 for row in event.unproved if row.better == "higher"]
        if 2 * sum(by > 0 for by in every) <= len(every):
            return False
    # A test that already failed in earlier releases may be flaky.
    failed = [
        row for row in event.rows if row.verdict == "failed-after" and not failed_earlier(row)
    ]
    measured = {row.measurement for row in (*far, *failed)}
    rates = [row.worse_by or 0.0 for row in far if row.better == "higher"]
    # In public history, one of six events with only loads lasted, and ten of fourteen others.
    if all(is_load(row) for row in (*far, *failed)):
        return False
    # A single one is too often a bad measurement to hold a release back.
    return len(measured) >= 2 or max(rates, default=0.0) >= MIN_SINGLE_RATE_LOG


def _in_doubt(comparison: Comparison) -> str:
    """Return a sentence on what to measure again because its figures are in doubt, or ""."""
    events = [
        event
        for event in comparison.far
        if any(row.doubt and not row.accepted for row in event.rows)
    ]
    titles = dict.fromkeys(
        f"{wording.benchmark_title(event, comparison)} on {', '.join(_boards(event, comparison))}"
        for event in events
    )
    if not titles:
        return ""
    its = "its" if len(titles) == 1 else "their"
    return f"Measure {'; '.join(titles)} again first, as {its} figures are in doubt."


def _boards(event: Event, comparison: Comparison) -> list[str]:
    boards = dict.fromkeys(row.board for row in event.rows if row.doubt and not row.accepted)
    return [comparison.board_names.get(board, board) for board in boards]


def _of_them_unproved(unproved: Sequence[Event], of: int) -> str:
    """Return the end of a sentence that says how many events are not proved, and whether all figures of
    these are from one run of each release."""
    if not unproved:
        return ""
    number = len(unproved)
    some = f"{number} of them {'is' if number == 1 else 'are'} not"
    none = "neither of them is" if of == 2 else "none of them is"
    which = "it is not" if of == 1 else none if number == of else some
    are_single = all(
        not event.since and " runs " not in row.figures for event in unproved for row in event.rows
    )
    return f": {which} proved{', with one run of each release' if are_single else ''}"


def _besides(comparison: Comparison) -> list[str]:
    """Return remarks on improvements, and on figures that work again, cannot be compared or are lost."""
    out = []
    better = wording.improvements(comparison)
    if better:
        are = "is an improvement" if better == 1 else "are improvements"
        out.append(f"{wording.count(better, 'event')} {are}.")
    out += _working_again(comparison)
    # Rows whose engine or clock changed have one cause.
    reasons = Counter(row.ground for row in comparison.rows if row.verdict == "incomparable")
    for reason, number in reasons.most_common(1):
        cannot = f"{wording.count(reasons.total(), 'figure')} cannot be compared"
        why = f", {number:,} of them because" if number < reasons.total() else ":"
        out.append(f"{cannot}{why} {reason}.")
    if lost := comparison.counts["only-old"]:
        were = "was" if lost == 1 else "were"
        out.append(
            f"{wording.count(lost, 'figure')} {were} not measured again{_lost_benchmarks(comparison, lost)}."
        )
    return out


def _working_again(comparison: Comparison) -> list[str]:
    """Return a sentence on figures that failed in the older release alone, and on how many of them have
    new runs that failed."""
    rows = [
        (row, row.new)
        for row in comparison.rows
        if row.verdict == "failed-before" and row.new and row.new.cell.mean
    ]
    if not rows:
        return []
    titles = {group.benchmark: group.title for group in comparison.groups}
    named = ", ".join(dict.fromkeys(titles[row.benchmark] for row, _ in rows))
    fails = sum(bool(new.cell.failed or failed_run(row, new)) for row, new in rows)
    which = "of it" if len(rows) == 1 else f"of {fails} of them"
    but = f", but some new runs {which} failed" if fails else ""
    work = "works" if len(rows) == 1 else "work"
    counted = wording.count(len(rows), "figure")
    return [f"{counted} that failed before {work} again ({named}){but}."]


def _lost_benchmarks(comparison: Comparison, lost: int) -> str:
    """Return the end of a sentence that lists the benchmarks not measured again at all."""
    left = {row.benchmark for row in comparison.rows if row.new}
    counts = Counter(row.benchmark for row in comparison.rows if row.benchmark not in left)
    if not counts:
        return ""
    titles = {group.benchmark: group.title for group in comparison.groups}
    named = [f"{titles[name]} ({number:,})" for name, number in counts.most_common(MAX_NAMED_LOST)]
    more = len(counts) - len(named)
    named += [wording.count(more, "more benchmark")] * bool(more)
    listed = f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]
    return f"{':' if counts.total() == lost else ', among them'} all of {listed}"


def _boards_that_fell(comparison: Comparison) -> list[str]:
    """Return sentences on boards on which so many benchmarks, and only there, got far worse that they
    probably share a cause."""
    fallen: dict[str, set[str]] = {}
    for event in (*wording.unaccepted(comparison), *far_falls(comparison)):
        for row in (*event.rows, *event.unproved):
            if (row.worse_by or 0.0) >= FAR:
                fallen.setdefault(row.benchmark, set()).add(row.board)
    measured: dict[str, set[str]] = {}
    for row in comparison.rows:
        if row.worse_by is not None:
            measured.setdefault(row.benchmark, set()).add(row.board)
    alone = Counter(
        board
        for benchmark, boards in fallen.items()
        for board in boards
        # A benchmark measured on no other board does not point to this one.
        if boards == {board} and measured.get(benchmark, set()) > boards
    )
    return [
        f"{number} benchmarks got far worse on {board} and on no other board, which points to the "
        "board or its set-up."
        for board, number in sorted(alone.items())
        if number >= MIN_FALLEN_BENCHMARKS
    ]


def _advice(comparison: Comparison, again: Sequence[str]) -> str:
    """Return a sentence on what to run to learn more."""
    if not comparison.common:
        return wording.instead(comparison)
    what = (
        f"{', '.join(again[:6])}{' and others' if len(again) > 6 else ''}"
        if again
        else "both releases"
    )
    return f"Run {what} again after a reboot, twice or more with each release, and add the bundles."

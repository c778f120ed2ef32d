"""The headline of a comparison: one of four pieces of advice, with the share of figures judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, NamedTuple

from ..common import units
from . import event_groups, event_titles, overview
from .causes import EXCHANGED
from .comparison import Comparison
from .event import Event
from .failed_rows import failed_run
from .fates import lasted, of_most
from .not_compared import REPEATED
from .row import Row, Verdict
from .row_moves import MIN_FAR_LOG
from .row_texts import from_to

State = Literal["do not ship", "look", "ship", "too little"]
"""The advice. Proved and unproved regressions share “look”: in public history they lasted equally
often (``bench/lasting_events.py``), so there is no reason to advise differently."""

MIN_FACT_SHARE = 0.1
"""The least share of figures with one obstacle for the headline to begin with it."""

MIN_JUDGED_PERCENT = 50
"""The percentage of figures that must be judged for a release to be called good."""

MAX_NAMED_EVENTS = 3
"""The most events named in and below the headline."""

MAX_NAMED_FIGURES = 2
"""The most figures that are named rather than counted."""

MAX_NAMED_BENCHMARKS = 6
"""The most benchmarks named in a list of those to run again, or of those that were not."""


@dataclass(frozen=True, slots=True)
class Headline:
    """Advice on the newer release.

    ``tag`` is the advice in a few words, and ``advice`` the same as a sentence, with the title of
    ``lead`` if that is an event. ``worst`` is the event to name in lists, and ``brief`` the advice
    with it. ``facts`` are to be read before it. ``proof`` says how many events are unproved,
    ``share`` how many figures are judged, and ``limits`` what keeps them from showing more.
    ``events`` are the worst regressions that ``advice`` does not name, with titles; ``unnamed``
    counts the rest. ``failing`` are those of what fails as before. ``again`` says what to measure
    again, ``besides`` what changes no decision. ``untested`` says how many figures were not measured
    again, if these are all of a benchmark. Of ``comparable`` figures, ``judged`` are judged.
    """

    state: State
    tag: str
    brief: str
    worst: Event | None
    facts: Sequence[str]
    advice: str
    lead: Event | None
    proof: str
    share: str
    limits: Sequence[str]
    events: Sequence[tuple[Event, str]]
    unnamed: int
    failing: Sequence[tuple[Event, str]]
    again: Sequence[str]
    besides: Sequence[str]
    untested: str
    judged: int
    comparable: int

    @property
    def sentence(self) -> str:
        """The advice with the share of figures judged and its limits."""
        return " ".join(
            filter(None, (*self.facts, self.advice, self.proof, self.share, *self.limits))
        )

    @property
    def more(self) -> str:
        """The worst events, and what to measure again."""
        named = "; ".join(title for _, title in self.events)
        still = "; ".join(title for _, title in self.failing)
        still = f"{event_groups.FAILING_STILL}: {still}." if still else ""
        return " ".join(filter(None, [f"{named}." if named else "", self.rest, still, *self.again]))

    @property
    def rest(self) -> str:
        """A sentence on the regressions that are not named, or ""."""
        if not self.unnamed:
            return ""
        are = "is" if self.unnamed == 1 else "are"
        return f"{units.capital(units.in_letters(self.unnamed))} more {are} listed below."

    @property
    def percent(self) -> int:
        """The percentage of judged figures, rounded down, as 100 % must mean all of them."""
        return 100 * self.judged // self.comparable if self.comparable else 0


def headline(comparison: Comparison) -> Headline:
    """Return the headline for the first of the four states that applies."""
    judged, comparable = judged_figures(comparison)
    regressions = event_groups.against(comparison)
    unproved = [event for event in regressions if event.kind == "noisy"]
    worst = next(iter(regressions), None)
    lead = worst if worst and event_groups.is_severe(worst) else None
    share, proof, limits = _share(judged, comparable), "", list[str]()
    state: State
    if lead:
        state, tag = "do not ship", "Do not ship"
        advice = f"{tag}: {_title(lead, comparison)}."
    elif regressions:
        state, tag = "look", f"Look at {units.with_noun(len(regressions), 'event')}"
        advice, proof = f"{tag} before you ship.", _unproved(unproved, len(regressions))
    else:
        state, tag, advice, share, limits = _without_regressions(comparison, share)
    others = [event for event in regressions if event is not lead]
    named = others[: MAX_NAMED_EVENTS - bool(lead)]
    is_proved = len(unproved) < len(regressions)
    again = [_in_doubt(comparison)]
    again.append("" if is_proved else _advice(comparison, unproved, state))
    if regressions:
        again.insert(0, lasted(comparison.jumps.values()))
    return Headline(
        state,
        tag,
        _brief(tag, worst, len(regressions), comparison),
        worst,
        main_facts(comparison),
        advice,
        lead,
        proof,
        share,
        limits,
        [(event, _title(event, comparison)) for event in named],
        len(others) - len(named),
        [(event, _title(event, comparison)) for event in event_groups.failing_still(comparison)],
        [*filter(None, again)],
        _besides(comparison),
        _not_measured_again(comparison) if _lost_benchmarks(comparison) else "",
        judged,
        comparable,
    )


class _Advice(NamedTuple):
    """A state, in a few words and in a sentence, with the share of figures judged and its
    limits."""

    state: State
    tag: str
    advice: str
    share: str
    limits: list[str]


def _without_regressions(comparison: Comparison, share: str) -> _Advice:
    """Return the advice where nothing counts against a release: to ship it, or that there is too
    little to say."""
    judged, comparable = judged_figures(comparison)
    percent = 100 * judged // comparable if comparable else 0
    figures = units.with_noun(comparable, "figure")
    is_undirected = 2 * sum(row.better == "neither" for row in _both(comparison)) > comparable
    has_enough = percent >= MIN_JUDGED_PERCENT
    if has_enough and not (
        is_undirected or _usual_regressions(comparison) or _older_regressions(comparison)
    ):
        tag = f"Ship what was judged: {percent} %"
        but = " except what is accepted" if any(row.accepted for row in comparison.rows) else ""
        return _Advice("ship", tag, f"{tag} of {figures}; nothing got worse{but}.", "", [])
    limits = _why_too_little(comparison, is_undirected)
    if comparable and has_enough and not is_undirected:
        tag = "Nothing judged got worse"
        return _Advice("too little", tag, f"{tag}: {percent} % of {figures}.", "", limits)
    tag = "Too little to say"
    few = comparable > 0 and not has_enough
    advice = f"{tag}: fewer than half of the figures are judged." if few else f"{tag}."
    return _Advice("too little", tag, advice, share, limits)


def _brief(tag: str, worst: Event | None, of: int, comparison: Comparison) -> str:
    """Return the advice with its worst event: ``Look at NBench, 5.2 % worse, and 8 more``."""
    if worst is None:
        return tag
    size = event_titles.title_parts(worst, comparison)[1].removesuffix(",") or "some runs fail"
    proof = " (not proved)" if worst.kind == "noisy" else ""
    begin = "Look at" if tag.startswith("Look at") else f"{tag}:"
    more = f", and {of - 1} more" if of > 1 else ""
    return f"{begin} {event_titles.benchmark_title(worst, comparison)}, {size}{proof}{more}"


def _title(event: Event, comparison: Comparison) -> str:
    """Return the title of an event with what only its section or its rows say elsewhere."""
    return event_titles.event_title(event, comparison, remarks_on(event))


def remarks_on(event: Event) -> tuple[str, ...]:
    """Return whether an event is not proved, and whether the next release kept or reverted it."""
    not_proved = "not proved" if event.kind == "noisy" else ""
    fate, said = ("open", "") if event.of_failing_runs else of_most(event.counted)
    if said and of_most([event_titles.farthest(event)])[0] not in (fate, "open"):
        said += ", but not the largest"
    return tuple(filter(None, (not_proved, said)))


def main_facts(comparison: Comparison) -> list[str]:
    """Return sentences on what keeps a tenth or more of the figures from being compared and is no
    change of the SoC: labels that a release swapped, or figures that it published again."""
    both = _both(comparison)
    out = []
    for begin in (EXCHANGED, REPEATED):
        rows = [row for row in both if row.ground.startswith(begin)]
        if not rows or len(rows) < MIN_FACT_SHARE * len(both):
            continue
        if begin == REPEATED:
            releases = units.enumeration(
                [*dict.fromkeys(row.old.guide.release for row in rows if row.old)]
            )
            fact = f"{comparison.new} publishes figures of {releases} again"
        else:
            titles = {group.benchmark: group.title for group in comparison.groups}
            named = units.enumeration([*dict.fromkeys(titles[row.benchmark] for row in rows)])
            where = dict.fromkeys(
                row.ground.removeprefix(f"{EXCHANGED} in ").partition(":")[0] for row in rows
            )
            fact = f"Labels of {named} are wrong in {units.enumeration([*where])}"
        out.append(
            f"{fact}: {len(rows):,} of {units.with_noun(len(both), 'figure')} are not compared."
        )
    return out


def _both(comparison: Comparison) -> list[Row]:
    """Return the rows that both releases measured."""
    return [row for row in comparison.rows if row.old and row.new]


def judged_figures(comparison: Comparison) -> tuple[int, int]:
    """Return the number of figures that are judged, and of those that both releases measured."""
    # A row that failed in the older release has nothing to be judged against.
    failed: tuple[Verdict, ...] = ("failed-before", "failed-both")
    rows = _both(comparison)
    return sum(row.judged and row.verdict not in failed for row in rows), len(rows)


def _share(judged: int, comparable: int) -> str:
    """Return a sentence on how many figures are judged, and what that means."""
    if not comparable:
        return "No figure was measured with both releases."
    # Smaller changes may still be lost in noise.
    show = "steady enough to show a change of 50 %"
    if comparable == 1:
        return f"The only figure is {'' if judged else 'not '}{show}."
    are = "is" if judged < 2 else "are"
    return f"{f'{judged:,}' if judged else 'None'} of {comparable:,} figures {are} {show}."


def _usual_regressions(comparison: Comparison) -> list[Row]:
    """Return the figures that got worse by 1.5 or more, which is within their usual swings: as far
    as they moved before, or back to what a single earlier release had."""
    rows = [row for event in comparison.far if event.is_minor for row in event.rows]
    rows += [row for event in comparison.far if event.is_back for row in event.unproved]
    return [row for row in rows if (row.worse_by or 0.0) >= MIN_FAR_LOG]


def _older_regressions(comparison: Comparison) -> list[Event]:
    """Return the events of figures that got worse by 1.5 or more since they were last measured,
    which is several releases ago."""
    old = (event for event in comparison.far if event.is_old and not event.already)
    return [event for event in old if event.worse_by >= MIN_FAR_LOG]


def _why_too_little(comparison: Comparison, is_undirected: bool) -> list[str]:
    """Return sentences on the reasons why a release without regressions is not called good."""
    out = []
    if usual := _usual_regressions(comparison):
        titles = {group.benchmark: group.title for group in comparison.groups}
        counts = Counter(titles[row.benchmark] for row in usual)
        named = [title for title, _ in counts.most_common(MAX_NAMED_EVENTS)]
        unnamed = len(counts) - len(named)
        named += [units.with_noun(unnamed, "more benchmark")] * bool(unnamed)
        number = units.capital(units.in_letters(len(usual)))
        figures, they = ("figure", "it") if len(usual) == 1 else ("figures", "they")
        texts = [
            f"{comparison.metric_labels.get((row.benchmark, row.metric), row.metric)}, {from_to(row)}"
            for row in usual
        ]
        which = f" ({'; '.join(texts)})" if len(usual) <= MAX_NAMED_FIGURES else ""
        out.append(
            f"{number} {figures} of {units.enumeration(named)}{which} got worse by a factor of 1.5 or more, which "
            f"{they} often {'does' if they == 'it' else 'do'}."
        )
    for event in _older_regressions(comparison):
        out.append(
            f"Figures of {event_titles.benchmark_title(event, comparison)} that {event.since} measured last got "
            f"worse by a factor of 1.5 or more."
        )
    if is_undirected:
        rows = _both(comparison)
        undirected = sum(row.better == "neither" for row in rows)
        counted = f"{undirected} of {units.with_noun(len(rows), 'figure')}"
        out.append(f"For {counted}, no description says whether higher is better.")
    return out


def _in_doubt(comparison: Comparison) -> str:
    """Return a sentence on what to measure again because its figures are in doubt, or ""."""
    events = [
        event
        for event in (*filter(attrgetter("of_failing_runs"), comparison.events), *comparison.far)
        if any(row.doubt and not row.accepted for row in event.rows)
    ]
    titles = dict.fromkeys(
        f"{event_titles.benchmark_title(event, comparison)} ({', '.join(_boards(event, comparison))})"
        for event in events
    )
    if not titles:
        return ""
    its = "its" if len(titles) == 1 else "their"
    return f"First repeat {units.enumeration([*titles])}: {its} figures are in doubt."


def _boards(event: Event, comparison: Comparison) -> list[str]:
    boards = dict.fromkeys(row.board for row in event.rows if row.doubt and not row.accepted)
    return [comparison.board_names.get(board, board) for board in boards]


def _unproved(unproved: Sequence[Event], of: int) -> str:
    """Return a sentence that says how many of the events are not proved, and whether each release
    measured all figures of these only once."""
    number = len(unproved)
    if not number:
        return ""
    # The words for none of several already contain the negation.
    which = f"{units.capital(units.in_letters(number))} of the {units.in_letters(of)} {'is' if number == 1 else 'are'} not"
    if number == of:
        which = (
            "It is not"
            if of == 1
            else "Neither is"
            if of == 2
            else f"None of the {units.in_letters(of)} is"
        )
    are_single = all(
        not event.since and " runs " not in row.kinds_of_figures
        for event in unproved
        for row in event.rows
    )
    why = ": each release has only one set of measurements" if are_single else ""
    return f"{which} proved{why}."


def _besides(comparison: Comparison) -> list[str]:
    """Return remarks on figures that work again, cannot be compared or are lost."""
    out = _working_again(comparison)
    # Rows with one cause, such as a changed engine or clock, have the same ground.
    reasons = Counter(row.ground for row in comparison.rows if row.verdict == "incomparable")
    for reason, number in reasons.most_common(1):
        cannot = f"{units.with_noun(reasons.total(), 'figure')} cannot be compared"
        why = f", {number:,} of them because" if number < reasons.total() else ":"
        out.append(f"{cannot}{why} {reason}.")
    return [*filter(None, (*out, _not_measured_again(comparison)))]


def _not_measured_again(comparison: Comparison) -> str:
    """Return a sentence on the figures and benchmarks that NEW lacks, or ""."""
    lost, counts = comparison.counts["only-old"], _lost_benchmarks(comparison)
    if not lost:
        return ""
    were = "was" if lost == 1 else "were"
    out = f"{units.with_noun(lost, 'figure')} {were} not measured again"
    if not counts:
        return f"{out}."
    titles = {group.benchmark: group.title for group in comparison.groups}
    named = [
        f"{titles[name]} ({number:,})" for name, number in counts.most_common(MAX_NAMED_BENCHMARKS)
    ]
    more = len(counts) - len(named)
    named += [units.with_noun(more, "more benchmark")] * bool(more)
    among = ":" if counts.total() == lost else ", among them"
    listed = " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    return f"{out}{among} all of {listed}."


def _working_again(comparison: Comparison) -> list[str]:
    """Return a sentence on figures that failed only in the older release, and on how many of them
    still have runs that failed."""
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
    counted = units.with_noun(len(rows), "figure")
    return [f"{counted} that failed before {work} again ({named}){but}."]


def _lost_benchmarks(comparison: Comparison) -> Counter[str]:
    """Return the benchmarks not measured again at all, with the numbers of their figures."""
    measured = {row.benchmark for row in comparison.rows if row.new}
    return Counter(row.benchmark for row in comparison.rows if row.benchmark not in measured)


def _advice(comparison: Comparison, unproved: Sequence[Event], state: State) -> str:
    """Return a sentence on what to run again to learn more, or ""."""
    # Figures in doubt have a sentence of their own.
    in_doubt = {event.benchmark for event in unproved if any(row.doubt for row in event.rows)}
    to_rerun = dict.fromkeys(
        event_titles.benchmark_title(event, comparison)
        for event in unproved
        if event.benchmark not in in_doubt
    )
    if not to_rerun and state != "too little":
        return ""
    if not comparison.common:
        return overview.instead(comparison)
    others = " and others" if len(to_rerun) > MAX_NAMED_BENCHMARKS else ""
    what = f"{', '.join([*to_rerun][:MAX_NAMED_BENCHMARKS])}{others}" or "both releases"
    return f"Run {what} again after a reboot, twice or more with each release, and add the bundles."

"""The words and figures of a comparison, shared by all output formats."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ..bundles.guide_key import family, version
from ..catalog.benchmarks import Catalog, Scalar
from ..common import units
from ..common.units import TableCell
from ..common.units import count as count
from ..figures.pool import Cell, Record
from . import fates
from .comparison import Comparison, Coverage, Group
from .events import Event, returned
from .judge import Spread
from .row_moves import (
    FAR,
    failed_earlier,
    has_left_mean,
    is_beyond_kind,
    over_scatter,
    releases_at_level,
)
from .verdicts import ALARMS, CONVERTED, FAILED_RUN, NOTHING, RATED, WORDS, Row, Verdict

LEADING: tuple[Verdict, ...] = (
    "regressed",
    "failed-after",
    "improved",
    "changed",
    "incomparable",
)
"""The verdicts whose rows are shown by default."""

FOLDED: tuple[Verdict, ...] = tuple(verdict for verdict in WORDS if verdict not in LEADING)
"""The verdicts whose rows are only counted, unless a reader asks for them."""

TITLES: dict[Verdict, str] = {
    "regressed": "Regressions",
    "failed-after": "Failed with the newer release",
    "improved": "Improvements",
    "changed": "Changes without a better direction",
    "incomparable": "Not comparable",
    "noisy": "Too noisy to tell",
    "steady": "No change",
    "same": "Same",
    "failed-before": "Failed with the older release",
    "failed-both": "Failed with both",
    "only-old": "No longer measured",
    "only-new": "Not measured before",
}

BACK = "Back at an earlier level"

MINOR = "Other moves, not proved"

WORSE_UNPROVED = "Worse, not proved"

ACTIONS = (
    *("Worse", "Causes", WORSE_UNPROVED, "Better", "Changed", "Accepted"),
    *("Better, not proved", BACK, MINOR),
)
"""Titles of groups of events, in the order in which they are shown. Proof alone is no reason to act: in
public history, unproved moves lasted as often as proved ones."""

ENDS = 6
"""The digits of the ends of a spread, which are single samples and rarely recorded with more."""

MAX_NAME_CHARS = 17
"""The most characters of the names of OLD and NEW that fit into a line of the summary."""


def short(text: str, most: int = MAX_NAME_CHARS) -> str:
    """Return a text of at most ``most`` characters, shortened in the middle if necessary."""
    if len(text) <= most:
        return text
    behind = (most - 1) // 2
    return f"{text[: most - 1 - behind]}…{text[len(text) - behind :]}"


def summary(comparison: Comparison) -> tuple[str, str, str]:
    """Return the essentials in three lines of at most 80 characters."""
    counts, common = comparison.counts, comparison.common
    boards = count(len(comparison.spans), "board")
    accepted = sum(1 for row in comparison.rows if row.accepted)
    accept = f" ({accepted} accepted)" if accepted else ""
    return (
        f"{short(comparison.old)} → {short(comparison.new)}: "
        f"{count(common, 'figure')} of {boards} on both sides",
        f"{counts['regressed']} regressed, {counts['failed-after']} failed after{accept}, "
        f"{counts['improved']} improved, {counts['changed']} changed",
        f"{counts['same'] + counts['steady']} no change, {counts['noisy']} too noisy to tell, "
        f"{counts['incomparable']} not comparable; {counts['only-old']} lost, "
        f"{counts['only-new']} new",
    )


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


def instead(comparison: Comparison) -> str:
    """Return which releases to compare if no board has both (``… Compare sk: 09.00 → 09.02.``), else ""."""
    if comparison.spans:
        return ""
    pairs = [f"{span.board}: {span.old} → {span.new}" for span in comparison.instead]
    if not pairs:
        names = comparison.board_names
        own = [
            f"{names.get(board, board)} was measured with {_releases(releases)}"
            for board, releases in comparison.apart
            if releases
        ]
        return " ".join(["No board has both releases.", *(f"{each}." for each in own[:MAX_APART])])
    return f"No board has both releases. Compare {', or '.join(pairs)}."


MAX_APART = 4
"""The most boards without a common release that are named."""


def _releases(releases: Sequence[str]) -> str:
    if len(releases) < 3:
        return " and ".join(releases)
    return f"{len(releases)} releases from {releases[0]} to {releases[-1]}"


def unjudged(comparison: Comparison) -> list[str]:
    """Return sentences on why figures are too noisy, how many would show a large change, and what would
    help."""
    rows = of_verdict(comparison.rows, ["noisy"])
    single = sum(" runs " not in row.figures for row in rows)
    more_runs = sorted(row.more_runs for row in rows if row.more_runs)
    out = []
    if single:
        all_of = (
            "All" if 1 < single == len(rows) else "It" if len(rows) == 1 else f"{single} of them"
        )
        out.append(f"{all_of} {'was' if single == 1 else 'were'} run once with each release.")
    if judged := sum(row.judged for row in rows):
        # Otherwise the share in the headline would seem to contradict the number of these rows.
        of_all = f"{judged:,} of these {len(rows):,} figures {'counts' if judged == 1 else 'count'}"
        which = "It counts" if len(rows) == 1 else of_all
        them = "it" if judged == 1 else "them"
        out.append(f"{which} as judged: a change of 50 % would have shown in {them}.")
    if more_runs:
        # The median, as some rows would need hundreds of runs.
        middle = more_runs[len(more_runs) // 2]
        of = len(more_runs)
        which = "the one figure" if of == 1 else f"half of the {of:,} figures"
        out.append(
            f"With {count(middle, 'more run')} of each release, {which} with a known scatter could "
            "be judged."
        )
    out.append("Run a benchmark again with both releases, and add the bundles to the results.")
    return out


def event_title(event: Event, comparison: Comparison) -> str:
    """Return what changed, by how much, and where: ``STREAM: copy: 5.2 to 14 % worse (sk; 4 rows)``."""
    name, size, where = title_parts(event, comparison)
    return f"{name}{f': {size}' if size else ''}{f' ({where})' if where else ''}"


def title_parts(event: Event, comparison: Comparison) -> tuple[str, str, str]:
    """Return the parts of an event's title: what changed; by how much, of a single row with its figures
    (``15.91 → 18.15 s, 14.1 % longer``); and on which boards, and in how many rows."""
    counted = event.counted
    row = counted[0]
    size = [_extent(event.rows) if event.is_minor else _size(event)]
    # A load per unit of work moved by another factor than the load itself.
    if len(counted) == 1 and row.work is None and not (event.is_cause or event.is_minor):
        size = [*[from_to(row)] * (row.verdict != "failed-after"), *size]
    # The name of a cause says since when.
    if event.since and not event.is_cause:
        before = "; last measured with" if event.kind == "failed-after" else " than in"
        size[-1] += f"{before} {event.since}"
    boards = ", ".join(comparison.board_names.get(board, board) for board in event.boards)
    measured = {span.board for span in comparison.spans}
    where = [boards] * (len(measured) > 1 or not {*event.boards} <= measured)
    if len(counted) > 1:
        proved = sum(each.verdict != "noisy" for each in counted)
        is_mixed = 0 < proved < len(counted) and not event.is_cause
        rows = count(len(counted), "row")
        where.append(f"{rows}, {proved} of them proved" if is_mixed else rows)
    name = benchmark_title(event, comparison) if event.is_minor else event.what
    return name, ", ".join(filter(None, size)), "; ".join(where)


def _size(event: Event) -> str:
    """Return how far the rows of an event moved: ``5.2 to 14 % worse``, ``15 times longer``."""
    if event.kind == "failed-after":
        both = set.intersection(*(set(failed_earlier(row)) for row in event.rows))
        earlier = [release for release, _ in event.rows[0].line if release in both]
        # A release in between may have failed first.
        said = "fails" if event.since else "fails now"
        return f"{said}, as in {earlier[-1]}" if earlier else said
    moves = [row.worse_by for row in event.leading if row.worse_by is not None]
    if event.kind == "changed" or not moves or len({move > 0 for move in moves}) > 1:
        return "" if event.change is None else units.change_text(event.change)
    are_times = all(
        units.parse(row.unit).kind == "time" and row.better == "lower" for row in event.leading
    )
    words = ("longer", "shorter") if are_times else ("worse", "better")
    word = words[moves[0] < 0]
    per = {row.per for row in event.leading if row.per}
    # Loads judged per unit of work must not read like plain loads. Those whose rates stayed have no unit.
    if per and all(row.work is not None for row in event.leading):
        word = f"{word} {f'per {per.pop()}' if len(per) == 1 else 'for the work done'}"
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
    other = (f"in {count(number, 'row')} {text}" for number, text in zero)
    out = ", ".join([f"{span(moved)} {word}", *other])
    return f"{', or '.join([out, *fails])}{after}"


def moves_of(event: Event) -> list[tuple[float, float]]:
    """Return how far each leading row of an event moved: as the log of a factor, and as a share of its
    older figure, both without their sign."""
    return [
        (abs(row.worse_by), abs(row.change if row.work is None else row.work))
        for row in event.leading
        if row.worse_by is not None and math.isfinite(row.worse_by) and row.change is not None
        if not _is_next_to_nothing(row)
    ]


def span(moves: Iterable[tuple[float, float]]) -> str:
    """Return the smallest and the largest of moves, each the log of a factor and a share: ``5.2 to 14 %``,
    or ``1.59 to 2.09 times`` if the largest is a factor of two or more."""
    logs, shares = zip(*moves, strict=True)
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
    """Return the smallest and the largest change of rows, and their direction: ``−29.4 % to −22.4 %,
    better``."""
    rated = [row for row in rows if math.isfinite(row.worse_by or 0.0)]
    changes = [_listed_share(row) for row in rated if not _is_next_to_nothing(row)]
    ends = [units.change_text(end) for end in (min(changes), max(changes))] if changes else []
    per = {row.per for row in rows if row.per}
    of_work = f" per {per.pop()}" if len(per) == 1 else " for the work done" if per else ""
    if of_work and not all(row.per for row in rows):
        of_work = f", loads{of_work}"
    moved = f"{' to '.join(dict.fromkeys(ends))}{of_work}"
    worse = sum((row.worse_by or 0.0) > 0 for row in rows)
    way = {0: "better", len(rows): "worse"}.get(worse, f"{worse} of {len(rows)} worse")
    zero = [text for _, text in _to_or_from_zero(rows)]
    return f"{', or '.join(filter(None, [moved, *zero]))}, {way}"


def _listed_share(row: Row) -> float:
    """Return the relative change of a row that its verdict is about."""
    return (row.change or 0.0) if row.work is None or not row.per else row.work


def beside(event: Event, comparison: Comparison) -> list[str]:
    """Return up to two lines on how far the further rows of an event moved, one for proved and one for
    unproved rows; those of its benchmark and in its direction come first."""
    way = event.worse_by > 0
    # A size is that of rates or of loads.
    sides: dict[tuple[str, bool, bool, bool], list[Row]] = {
        (event.benchmark, is_worse, is_load, is_proved): []
        for is_worse in (way, not way)
        for is_load in (False, True)
        for is_proved in (False, True)
    }
    for row in event.unproved:
        is_worse, is_load = (row.worse_by or 0.0) > 0, row.work is not None
        side = (row.benchmark, is_worse, is_load, row.verdict != "noisy")
        sides.setdefault(side, []).append(row)
    said: dict[bool, list[str]] = {True: [], False: []}
    for (*_, is_proved), own in sides.items():
        if own:
            size = _size(replace(event, kind=own[0].verdict, rows=tuple(own)))
            back = returned(own)
            parts = [_named_beside(own, event, comparison), size, count(len(own), "more row"), back]
            said[is_proved].append(", ".join(filter(None, parts)))
    return [
        f"also moved{'' if is_proved else ', but not proved'}: {'; '.join(texts)}"
        for is_proved, texts in said.items()
        if texts
    ]


def _named_beside(rows: Sequence[Row], event: Event, comparison: Comparison) -> str:
    """Return the benchmark and the metrics of further rows, as far as they differ from the event's."""
    own = {row.metric for row in event.leading}
    metrics = dict.fromkeys(row.metric for row in rows)
    benchmark = rows[0].benchmark
    is_other = benchmark != event.benchmark
    title = next(each.title for each in comparison.groups if each.benchmark == benchmark)
    said = "" if not is_other and {*metrics} == own else _metrics(rows, comparison)
    return ", ".join(filter(None, [title if is_other else "", said]))


def _metrics(rows: Sequence[Row], comparison: Comparison) -> str:
    """Return the labels of the rows' metrics, or their number if there are many."""
    metrics = dict.fromkeys((row.benchmark, row.metric) for row in rows)
    names = dict.fromkeys(comparison.metric_labels.get(metric, metric[1]) for metric in metrics)
    return " and ".join(names) if len(names) < MANY_METRICS else f"{len(names)} metrics"


MANY_METRICS = 3
"""The fewest metrics that are counted rather than named."""


def _to_or_from_zero(rows: Sequence[Row]) -> list[tuple[int, str]]:
    """Return in words how rows fell to zero or next to nothing, or rose from it, and how many did."""
    rated = [row for row in rows if row.worse_by is not None and row.old and row.new]
    ends = (("to", [row.new for row in rated]), ("from", [row.old for row in rated]))
    at_zero = [
        (sum(end is not None and end.cell.mean == 0 for end in own), word) for word, own in ends
    ]
    out = [(number, f"{word} 0") for number, word in at_zero if number]
    tiny = [row for row in rated if _is_next_to_nothing(row)]
    for is_rise in (True, False):
        far_ends = [
            record.cell.mean or 0.0
            for row in tiny
            if ((row.change or 0.0) > 0) == is_rise
            and (record := row.new if is_rise else row.old) is not None
        ]
        if far_ends:
            far = f"{'as much as ' if len(far_ends) > 1 else ''}{units.number(max(far_ends))} %"
            near = f"under {NOTHING:g} %"
            said = f"from {near} to {far}" if is_rise else f"from {far} to {near}"
            out.append((len(far_ends), said))
    return out


def _is_next_to_nothing(row: Row) -> bool:
    """Return whether a share is next to nothing on one side, so that its ratio is meaningless."""
    if units.parse(row.unit).kind != "share" or not (row.old and row.new):
        return False
    ends = sorted((row.old.cell.mean or 0.0, row.new.cell.mean or 0.0))
    return 0 < ends[0] < NOTHING <= ends[1]


def _without_sign(share: float) -> str:
    """Return a share of zero or more in per cent, without sign and unit."""
    return units.percent(share).replace("+", "").removesuffix(" %")


def event_lines(event: Event, comparison: Comparison) -> list[str]:
    """Return the grounds of an event, its fate and its possible explanations in sentences."""
    if event.is_minor:
        return []
    rows = event.counted
    out = _grounds(event, comparison)
    own = set(map(id, rows))
    with_them = [row for row in event.rows if not row.is_clock and id(row) not in own]
    if moved := [row for row in with_them if not row.follows]:
        them = "it" if len(rows) == 1 else "them"
        named = _metrics(moved, comparison)
        out.append(f"{count(len(moved), 'more row')} moved with {them}: {named}.")
    if again := [row for row in with_them if row.follows]:
        alike = "are the same figures under other names"
        alike = "is the same figure under another name" if len(again) == 1 else alike
        out.append(f"{count(len(again), 'more row')} {alike}: {_metrics(again, comparison)}.")
    if not (event.is_cause or returned(event.rows)):
        out.append(_at_level(rows))
    # Incomparable rows have no move that could last.
    out += fates.in_words(
        [row for row in rows if row.verdict != "incomparable"],
        " of the title" if event.unproved else "",
    )
    out += [f"{units.capital(text)}." for text in beside(event, comparison)]
    if not (event.is_cause or event.is_back):
        out += [f"Perhaps: {'; '.join(event.perhaps)}."] * bool(event.perhaps)
    accepted = [acceptance(row) for row in event.rows if row.accepted][:1]
    converted = [text for row in event.rows for text in row.aliases if text.startswith(CONVERTED)]
    out += [f"{units.capital(text)}." for text in dict.fromkeys([*accepted, *converted])]
    # Rows of an event usually share their notes.
    out += dict.fromkeys(f"Note: {note.spec.text}" for row in event.rows for note in row.notes)
    return list(filter(None, out))


def _grounds(event: Event, comparison: Comparison) -> list[str]:
    """Return sentences on why an event is reported, or why nothing proves it."""
    first = event.rows[0]
    if event.is_cause or (event.is_back and event.perhaps):
        return [f"{units.capital(text)}." for text in event.perhaps]
    # The ground is that of one row.
    which = " (first row)" if len(event.counted) > 1 else ""
    if event.kind == "noisy":
        return [f"Not proved{which}: {_of_all_rows(unproved(first), event)}."]
    if event.kind == "failed-after":
        return [f"{units.capital(text)}." for text in (first.ground, event.failed_already) if text]
    measured = [row for row in event.judged if row.verdict != "failed-after"]
    if not all(row.level > 0 for row in measured):
        counts = {(_runs(row.old), _runs(row.new)) for row in measured}
        texts = [f"{a} against {b}" for a, b in sorted(counts)]
        return [f"Runs: {', '.join(texts)}; their scatter does not explain it."]
    runs, others = _figures(event), _moves_of_others(event, comparison)
    most = others[int(0.9 * len(others))] if others else 0.0
    if event.shared:
        return [f"{runs}; {_moved_together(event.counted)}."]
    # A limit near the move itself says nothing.
    if others and most < min(MAX_OTHERS_MOVE, abs(first.change or 0.0) / 2):
        where = " on this board" if len(event.boards) == 1 else " on these boards"
        where = where if len({row.board for row in comparison.rows}) > len(event.boards) else ""
        return [f"{runs}; {_share_of(len(others))}{where} moved by less than {_up(most)}."]
    if which and listed(event)[0] is not first:
        return [f"{runs}."]
    why = _of_all_rows(first.ground, event).removeprefix(f"{runs[:1].lower()}{runs[1:]}; ")
    return [f"{runs}; {f'first row: {why}' if which else why}."]


MAX_OTHERS_MOVE = 0.25
"""The largest move of other rows beside which that of an event is conspicuous."""


def _at_level(rows: Sequence[Row]) -> str:
    """Return a sentence on the last release that had most of the rows at their present level, or ""."""
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
    """Return how far the other measurements of an event's benchmark moved on its boards, ascending."""
    own = {row.measurement for row in (*event.rows, *event.unproved)}
    return sorted(
        abs(change)
        for row in comparison.rows
        if row.benchmark == event.benchmark and row.board in event.boards
        if row.verdict != "incomparable" and row.measurement not in own
        if (change := row.change if row.work is None else row.work) is not None
    )


def benchmark_title(event: Event, comparison: Comparison) -> str:
    """Return the title of an event's benchmark."""
    return next(each.title for each in comparison.groups if each.benchmark == event.benchmark)


LISTED_ROWS = 3
"""The most rows of an event that are listed with it; tables and data have all."""


def listed(event: Event, most: int = LISTED_ROWS) -> tuple[Row, ...]:
    """Return the ``most`` rows listed with an event: those that moved most and, in the same direction, at
    least one of its further rows, if there are any. Of a minor event, those that moved by a factor of 1.5
    or more and beyond their scatter, falls first."""
    if event.is_minor:
        far = [
            row
            for row in event.rows
            if FAR <= abs(row.worse_by or 0.0) < math.inf and over_scatter(row) > 1
        ]
        falls_first = sorted(far, key=lambda row: ((row.worse_by or 0.0) < 0, -over_scatter(row)))
        return tuple(falls_first[:most])
    # A load that fell less than its rate is worse for the work done, and looks better.
    moved = tuple(
        row
        for row in event.rows
        if not row.follows and (row.work is None or row.work * (row.change or row.work) > 0)
    )
    # A row that moved the other way would mislead here; the sentences mention it.
    ways = {(row.worse_by or 0.0) > 0 for row in event.leading}
    beside = [
        row
        for row in event.unproved
        if row.work is None and not row.follows
        if event.of_engine or {(row.worse_by or 0.0) > 0} == ways
    ]
    if event.kind == "noisy":
        # The sentences say why the first row is not proved.
        moved = (event.rows[0], *(row for row in moved if row is not event.rows[0]))
    elif not event.is_cause:
        # Farthest first, proved or not.
        moved = tuple(sorted(moved or event.rows, key=_farther_first))
        led = set(map(id, event.leading))
        # The title is about these.
        moved = tuple(sorted(moved, key=lambda row: id(row) not in led))
    moved = (moved or event.rows)[:most]
    return (*moved, *beside[: max(1, most - len(moved))])


def _farther_first(row: Row) -> tuple[bool, float]:
    return bool(row.follows) or row.work is not None, -abs(row.worse_by or 0.0)


def unproved(row: Row) -> str:
    """Return why a move is not proved, and how much such rows usually scatter or why it is unusual
    nevertheless."""
    if row.doubt:
        return row.doubt
    if is_beyond_kind(row) and row.kind_scatter is not None:
        return f"{row.ground}; half of such rows scatter within {_range(_the_way_it_went(row, row.kind_scatter))}"
    # The change per unit of work is already given with the figures.
    of_work = f"{units.change_text(row.work or 0.0)} per {row.per}; " if row.per else ""
    beyond = "all new ones are worse than the mean before" if has_left_mean(row) else usual(row)
    return "; ".join(filter(None, (row.ground.removeprefix(of_work), beyond)))


def usual(row: Row) -> str:
    """Return in words how much a row usually scatters; "" if unknown."""
    return "" if row.scatter is None else scatter_text(_the_way_it_went(row, row.scatter))


def _the_way_it_went(row: Row, scatter: float) -> float:
    """Return a scatter as the share by which the row falls if it fell: a fall by a third is as far as a
    rise by half."""
    moved = row.change if row.work is None else row.work
    is_factor = 1 + scatter >= units.MIN_FACTOR
    return scatter / (1 + scatter) if (moved or 0.0) < 0 and not is_factor else scatter


def scatter_text(scatter: float) -> str:
    """Return a scatter in words: ``usually ±2 %``, ``usually up to ×3``."""
    up_to = "up to " if 1 + scatter >= units.MIN_FACTOR else ""
    return f"usually {up_to}{_range(scatter)}"


def _range(scatter: float) -> str:
    if 1 + scatter >= units.MIN_FACTOR:
        return units.factor_text(float(f"{1 + scatter:.2g}"))
    return f"±{units.number(100 * scatter, digits=2)} %"


def acceptance(row: Row) -> str:
    """Return the entry that accepts the change of a row in words; "" if there is none."""
    if row.waiver:
        return f"accepted until {row.waiver.spec.until}: {row.waiver.spec.reason}"
    if row.settled:
        return f"a new level since {row.settled.spec.since}: {row.settled.spec.reason}"
    return ""


def _figures(event: Event) -> str:
    """Return the kinds of figures on both sides of an event: ``One run each``."""
    kinds = dict.fromkeys(row.figures for row in event.rows if row.verdict != "failed-after")
    if len(kinds) == 1:
        return units.capital(next(iter(kinds)))
    several = any(" runs " in kind for kind in kinds)
    return "One or several runs each" if several else "One run or mean of samples each"


def _of_all_rows(ground: str, event: Event) -> str:
    """Return the ground of an event's first row, with the kinds of figures of all its rows."""
    runs = _figures(event)
    return ground.replace(event.rows[0].figures, f"{runs[:1].lower()}{runs[1:]}", 1)


def _share_of(number: int) -> str:
    """Return words for nine in ten of the other rows, or for all if they are fewer than ten."""
    if number == 1:
        return "the other row"
    return f"the other {number} rows" if number < 10 else f"nine in ten of the other {number} rows"


def _up(share: float) -> str:
    """Return the smallest full percentage above a share, as an upper limit."""
    # Never the share itself, as “less than 5 %” must be true of it.
    return f"{math.floor(100 * share) + 1} %"


def _runs(record: Record | None) -> int:
    return record.cell.runs - record.cell.failed if record else 0


def by_action(comparison: Comparison) -> list[tuple[str, list[Event]]]:
    """Return events grouped by :func:`action`, in the order of ``ACTIONS``."""
    every = (*comparison.events, *comparison.far)
    by_title = [(name, [e for e in every if action(e) == name]) for name in ACTIONS]
    return [(name, own) for name, own in by_title if own]


class Named(Protocol):
    """Anything that identifies a row."""

    @property
    def benchmark(self) -> str:
        """Its benchmark."""

    @property
    def metric(self) -> str:
        """Its metric, under today's name."""

    @property
    def params(self) -> Mapping[str, Scalar]:
        """Its parameters."""


def figure(row: Named, catalog: Catalog) -> str:
    """Return the name of a row without its benchmark: ``throughput, block_size 1k``."""
    benchmark = catalog.get(row.benchmark)
    parts = [row.metric]
    for name, value in sorted(row.params.items()):
        if benchmark is None:
            parts.append(f"{name} {units.plain(value)}")
        elif (default := benchmark.param(name).default) is None or value != default:
            parts.append(f"{name} {benchmark.value_label(name, value)}")
    return ", ".join(parts)


def board_text(row: Row, comparison: Comparison, *, by_id: bool = False) -> str:
    """Return the short name, or the id, of a row's board, with SoC and system if there are several."""
    platforms = {span.platform for span in comparison.spans}
    key, board = row.guide, row.board if by_id else comparison.board_names.get(row.board, row.board)
    return f"{key.soc}, {family(key)}, {board}" if len(platforms) > 1 else board


def decimals(row: Named, catalog: Catalog) -> int:
    """Return the number of decimals that a row's figures have in files."""
    benchmark = catalog.get(row.benchmark)
    metric = benchmark.metric(row.metric) if benchmark else None
    return metric.decimals if metric else 2


def mean(record: Record | None) -> str:
    """Return a figure without its spread, as pages show it."""
    if record is None:
        return units.MISSING
    return units.FAILED if record.cell.mean is None else units.number(record.cell.mean)


def judged_cell(row: Row, record: Record | None) -> Cell | None:
    """Return the figure of one side as it was judged: uploads that repeat one another are one run."""
    if record is None:
        return None
    cell = record.cell
    ends = (" each", " before") if record is row.old else (" each", " now")
    is_one_run = row.verdict in RATED and any(f"one run{end}" in row.figures for end in ends)
    if not is_one_run or cell.low is None or cell.low != cell.high:
        return cell
    return replace(cell, low=None, high=None, count=None, runs=1 + cell.failed)


def behind(cell: Cell) -> str:
    """Return the samples behind a figure: ``773.99 to 1,730.1, n=3``."""
    parts = []
    if cell.low is not None and cell.high is not None:
        ends = (units.number(end, digits=ENDS) for end in (cell.low, cell.high))
        parts.append(" to ".join(ends))
    if cell.count is not None:
        parts.append(f"n={cell.count}")
    return ", ".join(parts)


def unit(row: Row) -> str:
    """Return the unit and the better direction, ``MB/s ↑``; both units if they differ."""
    if row.old and row.new and row.old.unit != row.new.unit:
        return f"{units.parse(row.old.unit).symbol}, {units.parse(row.new.unit).symbol}"
    return units.unit_cell(row.unit, row.better)


def one_unit(row: Row) -> str:
    """Return the unit as stated or, if the two figures have different units, both symbols."""
    mixed = row.old and row.new and row.old.unit != row.new.unit
    return unit(row) if mixed else row.unit


def from_to(row: Row) -> str:
    """Return both figures of a row with their unit: ``757.1 → 136.6 Mbit/s``."""
    return f"{mean(row.old)} → {mean(row.new)} {unit(row).strip(' ↑↓')}".rstrip()


def change(row: Row) -> str:
    """Return the relative change with its sign, or a dash if there is none."""
    return units.whole(changed(row))


def listed_change(row: Row) -> tuple[str, str]:
    """Return in words the change of a row, and that per unit of work if its verdict is about it."""
    if _is_next_to_nothing(row):
        return f"{'from' if (row.change or 0.0) > 0 else 'to'} under {NOTHING:g} %", ""
    of_work = (
        "" if row.work is None or not row.per else f"{units.change_text(row.work)} per {row.per}"
    )
    return change(row), of_work


def changed(row: Row) -> TableCell:
    """Return the relative change, or a dash if there is none."""
    return units.MISSING if row.change is None else units.change(row.change)


def verdict(row: Row) -> str:
    """Return the verdict, and whether it is accepted."""
    return WORDS[row.verdict] + (", accepted" if row.accepted else "")


def outcome(row: Row) -> str:
    """Return the verdict with the change, and the usual scatter if no change was found."""
    moved = row.verdict in ("regressed", "improved", "changed")
    if row.change is None or not (moved or row.verdict in ("noisy", "steady")):
        return verdict(row)
    if moved:
        return f"{verdict(row)} {change(row)}"
    return f"{verdict(row)} ({', '.join(filter(None, (change(row), usual(row))))})"


def ground(row: Row) -> str:
    """Return why a row has its verdict, what change would have been seen, and what could settle it."""
    parts = [row.ground, *row.aliases]
    if row.detectable is not None and _would_be_seen(row, row.detectable):
        parts.append(_detectable(row, row.detectable))
    if row.verdict in ("noisy", "steady"):
        parts.append(usual(row))
    if row.verdict in ("noisy", "steady") and row.more_runs:
        parts.append(f"{count(row.more_runs, 'more run')} of each side could settle it")
    parts.append(acceptance(row))
    parts += [f"note: {note.spec.text}" for note in row.notes]
    return "; ".join(filter(None, parts))


def _would_be_seen(row: Row, least: float) -> bool:
    """Return whether ``least``, the smallest change that would have been called, is worth stating: it must
    exceed the change of an uncalled row whose samples do not overlap."""
    if row.verdict not in ("noisy", "steady", "same") or row.spread or row.shift or row.follows:
        return False
    moved = row.change if row.work is None else row.work
    return moved is None or moved <= -1 or abs(math.log1p(moved)) < math.log1p(least)


def _detectable(row: Row, least: float) -> str:
    """Return in words the smallest change in the direction of the row that would have been called; "" if
    none that matters would."""
    moved = row.change if row.work is None else row.work
    way = "fall" if (moved or 0.0) < 0 else "rise"
    # A change that does not matter is not called, however certain.
    if way == "rise":
        least = max(least, row.floor)
    elif row.floor < 1:
        least = max(least, row.floor / (1 - row.floor))
    else:
        return ""
    # Rounded up, so that a change of the stated size would indeed be seen.
    if 1 + least >= units.MIN_FACTOR:
        digits = 10 ** max(2 - int(math.log10(1 + least)), 0)
        size = f"{'÷' if way == 'fall' else '×'}{math.ceil((1 + least) * digits) / digits:g}"
    else:
        share = least if way == "rise" else least / (1 + least)
        size = f"of {math.ceil(1000 * share) / 10:.1f} %"
    return f"a {way} {size} would have been seen"


def ratio(group: Group) -> str:
    """Return the geometric mean in the better direction: ``+1.5 % over 114``."""
    if group.ratio is None:
        return units.MISSING
    return f"{units.change_text(group.ratio - 1)} over {group.of}"


def tally(group: Group) -> str:
    """Return the number of a benchmark's figures by verdict: ``2 regressed, 5 same``."""
    parts = [f"{number} {WORDS[v]}" for v, number in group.counts.items() if number]
    return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class RowWords:
    """A row as readers see it. A spread is empty if nothing is known about the samples.

    ``name`` is the full name of the row: the board if there are several, the benchmark and the figure.
    """

    name: str
    board: str
    benchmark: str
    figure: str
    unit: str
    old: str
    old_spread: str
    new: str
    new_spread: str
    change: str
    verdict: str
    ground: str


def row_words(row: Row, comparison: Comparison, catalog: Catalog) -> RowWords:
    """Return the words for a row that all formats share."""
    about, board = figure(row, catalog), board_text(row, comparison)
    name = f"{row.benchmark}: {about}"
    return RowWords(
        name=f"{board}: {name}" if len(comparison.spans) > 1 else name,
        board=board,
        benchmark=row.benchmark,
        figure=about,
        unit=unit(row),
        old=mean(row.old),
        old_spread=behind(old) if (old := judged_cell(row, row.old)) else "",
        new=mean(row.new),
        new_spread=behind(new) if (new := judged_cell(row, row.new)) else "",
        change=change(row),
        verdict=verdict(row),
        ground=ground(row),
    )


def coverage(comparison: Comparison) -> list[str]:
    """Return lines on what only one side has; the same on several boards is one line."""
    alike: dict[tuple[object, ...], list[Coverage]] = {}
    for number, one in enumerate(comparison.coverage):
        # Entire boards are never merged, as they have equal numbers of figures only by chance.
        alone = () if one.benchmark else (number,)
        key = (one.kind, one.platform, one.benchmark, one.count, one.of, *alone)
        alike.setdefault(key, []).append(one)
    titles = {group.benchmark: group.title for group in comparison.groups}
    return [
        own[0].text(
            [comparison.board_names.get(one.board, one.board) for one in own],
            titles.get(own[0].benchmark, own[0].benchmark),
        )
        for own in alike.values()
    ]


def obstacles(rows: Sequence[Row], comparison: Comparison) -> list[str]:
    """Return why rows are not comparable, one line for each board, benchmark and reason."""
    alike: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        alike.setdefault((board_text(row, comparison), row.benchmark, row.ground), []).append(row)
    titles = {group.benchmark: group.title for group in comparison.groups}
    return [
        f"{board}, {titles.get(benchmark, benchmark)}: {count(len(own), 'row')}: {why}"
        for (board, benchmark, why), own in alike.items()
    ]


def remarks(comparison: Comparison, besides: Sequence[str]) -> dict[str, list[str]]:
    """Return remarks beside the rows, by title. ``besides`` are those of the headline."""
    return {
        "Outside the events": [*besides],
        "Coverage": coverage(comparison),
        "Notes": list(comparison.notes),
        "Accepted changes": [f"{f.where()}: {f.text()}" for f in comparison.findings],
    }


def of_verdict(rows: Iterable[Row], verdicts: Sequence[Verdict]) -> list[Row]:
    """Return the rows with any of these verdicts, in their order."""
    return [row for row in rows if row.verdict in verdicts]

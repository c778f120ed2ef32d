"""Lasting moves of a benchmark's figures: those that a comparison proved or the next release kept
(if its runs failed, all later ones), and that no later release reversed."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from ..bundles.guide_key import family, version
from ..catalog.benchmarks import Catalog, Scalar
from ..common import units
from ..compare import row_texts
from ..compare.comparison import Comparison
from ..compare.engine_changes import EngineChange
from ..compare.event import Event
from ..compare.event_groups import MIN_SINGLE_RATE_LOG
from ..compare.event_names import returned
from ..compare.fates import of_most
from ..compare.history import History
from ..compare.relative import Side
from ..compare.row import Row, is_load
from ..compare.select import ReleasePair
from ..figures import labels
from ..figures.failed_runs import in_mean
from ..health.marks import Marks
from . import comparison_rows, search_words
from .search_words import FindableSection

TITLE = "Which release made it slower or faster"
"""The title of the list, on pages and in the search."""

WORDS = (
    *("which", "release", "made"),
    *("slower", "worse", "regression", "regressions", "regressed", "fall", "falls", "fell", "drop"),
    *("faster", "better", "improved", "improvement", "rise", "rises", "moved", "changed", "change"),
)
"""Words that a reader may search for."""

MAX_OPEN, MAX_FOLDED = 5, 100
"""The maximum number of moves of one direction that a page shows at once, and in a fold."""

DIRECTIONS = {
    "worse": "got worse",
    "better": "got better",
    "another engine": "came with another engine",
}
"""The directions of moves, those that readers look for first, with words for a number of them."""

MIN_KEPT_PART, MIN_NEAR_PART, MAX_LOST_PART = 2 / 3, 1 / 2, 1 / 3
"""A figure that keeps more than the first part of a move, as a log ratio, is at the new figure. One
that keeps less than the second is nearer to the old figure, and with less than the third, it is at
the old one."""

UNMEASURED = "not measured on this board since"
"""The fate of a figure that no later release measured, although there are some."""


class LastingMove(msgspec.Struct, frozen=True):
    """The figure that moved farthest in an event: its board, its name, and as text both values and
    the change.

    ``size`` is the natural logarithm of the factor, positive if it got worse. With ``is_engine``,
    another engine ran, so it counts neither as worse nor as better. ``boards`` is the number of
    boards on which this figure moved and stayed. ``system`` and ``releases`` are those of the
    comparison, whose page is ``address``, and ``after`` says what became of the figure. Loads are
    listed after other figures, since a load that was close to zero may rise by any factor."""

    benchmark: str
    soc: str
    board: str
    boards: int
    figure: str
    values: str
    change: str
    size: float
    system: str
    releases: str
    address: str
    after: str
    is_engine: bool = False
    is_load: bool = False

    @property
    def where(self) -> str:
        """The board, and the number of other boards."""
        return f"{self.board} and {self.boards - 1} more" if self.boards > 1 else self.board

    @property
    def word(self) -> str:
        """The direction of the move, or that another engine ran."""
        if self.is_engine:
            return "another engine"
        return "worse" if self.size > 0 else "better"


def of_comparison(
    comparison: Comparison, pair: ReleasePair, catalog: Catalog, history: History, marks: Marks
) -> list[LastingMove]:
    """Return the moves of a comparison that lasted, except from or to a figure in doubt."""
    out = []
    events = (*comparison.events, *comparison.far)
    # What another device did better is part of an event, too.
    beside = (also for event in events for also in event.also if not also.since)
    for event in (*events, *beside):
        rows = [row for row in event.leading if _has_size(row)] if _is_news(event) else []
        fates = {id(row): _fate(row, history, is_alone=len(event.rows) == 1) for row in rows}
        reversed_figures = {_name(row) for row in rows if not fates[id(row)]}
        # If runs of the next release failed, later ones say whether an event without proof is news.
        is_open = event.kind == "noisy" and of_most(event.rows)[0] == "open"
        rows = [
            row
            for row in rows
            if (fates[id(row)].startswith("still ") if is_open else fates[id(row)])
            and not _is_in_doubt(row, marks)
            # If a board did not measure a figure again, the others show what became of it.
            and not (fates[id(row)] == UNMEASURED and _name(row) in reversed_figures)
        ]
        if rows:
            row = max(rows, key=lambda row: abs(_size(row)))
            # The sentence on later releases must be true of each board that the move names.
            alike = [
                other
                for other in rows
                if _name(other) == _name(row)
                and (fates[id(other)] == UNMEASURED) == (fates[id(row)] == UNMEASURED)
            ]
            out.append(
                LastingMove(
                    row.benchmark,
                    pair.new.soc,
                    comparison.board_names.get(row.board, row.board),
                    len({other.board for other in alike}),
                    _figure(row, catalog),
                    _values(row),
                    row_texts.change_words(row),
                    _size(row),
                    family(pair.new),
                    f"{event.since or pair.old.release} → {pair.new.release}",
                    pair.address,
                    fates[id(row)],
                    is_load=is_load(row),
                )
            )
    return [*out, *_with_other_engines(comparison, pair, catalog)]


def _with_other_engines(
    comparison: Comparison, pair: ReleasePair, catalog: Catalog
) -> list[LastingMove]:
    """Return the moves of rates that came with another engine, since the release that last measured
    them."""
    changes: dict[tuple[str, str, bool], list[EngineChange]] = {}
    for change in comparison.engine_changes:
        if change.rates and change.has_stayed:
            key = (change.record.benchmark, change.release, change.rates.now < change.rates.was)
            changes.setdefault(key, []).append(change)
    out = []
    for alike in changes.values():
        first = max(alike, key=lambda change: abs(change.rates.size) if change.rates else 0.0)
        if first.rates:
            out.append(
                LastingMove(
                    first.record.benchmark,
                    pair.new.soc,
                    comparison.board_names.get(first.board, first.board),
                    len(alike),
                    first.figure(catalog),
                    first.rates.words,
                    units.change_text(first.rates.now / first.rates.was - 1),
                    first.rates.size,
                    family(pair.new),
                    f"{first.release} → {pair.new.release}",
                    pair.address,
                    first.load_words,
                    is_engine=True,
                )
            )
    return out


def findable(anchor: str) -> FindableSection:
    """Return the section of a page with such moves, for the search."""
    return FindableSection(anchor, TITLE, search_words.split(*WORDS), is_answer=True)


def _is_news(event: Event) -> bool:
    """Return whether an event is proved or lasted, and is neither a cause nor a return."""
    if event.is_cause or event.is_minor or event.accepted:
        return False
    if event.is_back or returned(event.rows):
        return False
    # An event without proof is news once another release confirms it.
    return event.kind != "noisy" or of_most(event.rows)[0] in ("lasted", "open")


def _name(row: Row) -> tuple[str, frozenset[tuple[str, Scalar]]]:
    """Return the name of a figure on any board."""
    return row.metric, frozenset(row.params.items())


def _is_in_doubt(row: Row, marks: Marks) -> bool:
    """Return whether a move began at a doubtful figure, or is an improvement to one. A regression
    to one is a failure, which later releases confirm."""
    assert row.old and row.new
    return bool(marks.doubt(row.old) or (_size(row) < 0 and marks.doubt(row.new)))


def _has_size(row: Row) -> bool:
    """Return whether a figure moved as measured and, if it is a load, in the same direction per
    unit of work."""
    if row.past or row.worse_by is None or not math.isfinite(row.worse_by):
        return False
    return row.work is None or _size(row) * row.worse_by > 0


def _size(row: Row) -> float:
    """Return the logarithm of the factor between both figures, positive if it got worse."""
    assert row.old and row.new
    old, new = row.old.cell.mean or 0.0, row.new.cell.mean or 0.0
    if row.work is None or min(old, new) <= 0:
        return row.worse_by or 0.0
    return math.log(new / old)


def _fate(row: Row, history: History, is_alone: bool) -> str:
    """Return in words what later releases show of a move, "" if it did not last or is not certain.

    A move did not last if a later release took it back. A figure has two states if an earlier
    release had the new figure, or runs at both. If a row moved alone, and no earlier release had
    the old figure, that one may have been a bad measurement, unless a rate fell very far."""
    assert row.old and row.new
    old, new = row.old.cell.mean or 0.0, row.new.cell.mean or 0.0
    here = version(row.new.guide.release)
    earlier, later, of_failing = list[Side](), list[Side](), list[Side]()
    for release, side in history.releases_of(row.new).items():
        is_later = version(release) > here
        if side is None and is_later:
            # What became of it, only the packet rate of the same run says.
            return ""
        if side is None or release in (row.old.guide.release, row.new.guide.release):
            continue
        if in_mean(row.unit, side.ends[0], max(side.ends[1], old, new)):
            of_failing += [side] * is_later
            continue
        # A later release without failures says more than the best run of one with failures.
        later += of_failing
        of_failing.clear()
        (later if is_later else earlier).append(side)
    # Only earlier releases: if runs reach both figures since the move, that is part of what got
    # worse.
    if old == new or any(_has_both(side, old, new) for side in earlier):
        return ""

    before = [_part(side.mean, old, new) for side in earlier]
    # The mean of runs at both figures is at neither.
    after = [side.mean for side in later if not _has_both(side, old, new)]
    # Where runs failed, only the best one says how fast the others are.
    after += [side.ends[1] for side in of_failing]
    is_back = any(_part(mean, old, new) < MIN_NEAR_PART for mean in after)
    if is_back or any(part > MIN_KEPT_PART for part in before):
        return ""
    # No bad measurement makes a rate this much too high.
    is_alone = is_alone and not (
        row.better == "higher" and (row.worse_by or 0.0) >= MIN_SINGLE_RATE_LOG
    )
    if is_alone and not any(part < MAX_LOST_PART for part in before):
        return ""
    if not later and of_failing:
        return ""
    if not later:
        return "newest release" if history.is_newest(row.new.guide) else UNMEASURED
    return _later_figures(later, row.unit, old, new)


def _later_figures(later: Sequence[Side], unit: str, old: float, new: float) -> str:
    """Return in words the figures of later releases, of which none went back to the old one."""
    _, factor = units.readable(unit, (old, new))
    span = units.ends([units.scaled(side.mean, factor) for side in later])
    still = "still " if all(_part(side.mean, old, new) > MIN_KEPT_PART for side in later) else ""
    count = f"the {len(later)} later releases" if len(later) > 1 else "the later release"
    both = [side.ends for side in later if _has_both(side, old, new)]
    ends = [units.number(units.scaled(end, factor)) for end in sorted(sum(both, ()))]
    # The figures of the others need not lie between these ends.
    where = f"in {units.in_letters(len(both))} of them " if len(both) < len(later) else ""
    runs = f", {where}with runs from {ends[0]} to {ends[-1]}" if ends else ""
    # The list shows the change in its release; later ones may have taken back a part.
    rest = (
        f", most recently {units.change_text(later[-1].mean / old - 1)}"
        if not still and old > 0
        else ""
    )
    return f"{still}{span} in {count}{runs}{rest}"


def _part(value: float, old: float, new: float) -> float:
    """Return how far a figure is on the way from the old figure to the new one, by ratio: 0 at the
    old one, 1 at the new one."""
    if min(old, new) <= 0:
        return (value - old) / (new - old)
    return math.log(max(value, sys.float_info.min) / old) / math.log(new / old)


def _has_both(side: Side, old: float, new: float) -> bool:
    """Return whether the runs of a release range from one figure of a move to the other."""
    if side.low is None or side.high is None:
        return False
    parts = [_part(end, old, new) for end in (side.low, side.high)]
    return min(parts) <= MAX_LOST_PART and max(parts) >= MIN_KEPT_PART


def _figure(row: Row, catalog: Catalog) -> str:
    """Return the label of a row without its benchmark's title: the list is on the benchmark's
    page."""
    benchmark = catalog.get(row.benchmark)
    if benchmark is None:
        return units.capital(row_texts.figure(row, catalog))
    return labels.in_benchmark(benchmark, comparison_rows.figure_today(row))


def _values(row: Row) -> str:
    """Return both figures of a row that both releases measured."""
    assert row.old and row.new
    return units.from_to(row.old.cell.mean or 0.0, row.new.cell.mean or 0.0, row.unit)


def open_and_folded(
    moves: Iterable[LastingMove],
) -> tuple[list[LastingMove], list[tuple[str, list[LastingMove]]]]:
    """Return the moves that a page shows at once, which are the largest of the first direction, one
    of each comparison and first those of other SoCs, and the others by direction, with their number
    in words. Within a direction, loads come after other figures, and boards that no later release
    measured last."""

    def rank(move: LastingMove) -> tuple[bool, bool, float]:
        return move.after == UNMEASURED, move.is_load, -abs(move.size)

    ordered = sorted(moves, key=rank)
    first, *others = (
        moved for word in DIRECTIONS if (moved := [move for move in ordered if move.word == word])
    )
    largest = {move.address: move for move in reversed(first)}
    of_soc = {move.soc: move for move in reversed(first)}
    listed = [move for move in first if largest[move.address] is move]
    listed = sorted(listed, key=lambda move: of_soc[move.soc] is not move)[:MAX_OPEN]
    listed.sort(key=rank)
    rest = [move for move in first if not any(move is open_move for open_move in listed)]
    folded = [(counted(of_direction), of_direction) for of_direction in others]
    if rest:
        folded.insert(0, (f"{len(rest)} more {DIRECTIONS[rest[0].word]}", rest))
    return listed, folded


def counted(moves: Iterable[LastingMove]) -> str:
    """Return in words how many moves of each direction there are."""
    numbers = Counter(move.word for move in moves)
    return units.enumeration(
        [f"{numbers[word]} {words}" for word, words in DIRECTIONS.items() if numbers[word]]
    )

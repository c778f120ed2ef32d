"""Moves of a benchmark's figures that stayed, as comparisons have judged them: those that are proved and did
not go back, and those that the next release kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from ..bundles.guide_key import family
from ..catalog.benchmarks import Catalog
from ..common import units
from ..compare import ledger, wording
from ..compare.comparison import Comparison
from ..compare.engine_changes import EngineChange
from ..compare.events import RETURN, Event
from ..compare.select import ReleasePair
from ..compare.verdicts import ENGINE_CHANGED, Row
from ..figures import labels
from . import comparison_rows, search_words
from .search_words import FindableSection

TITLE = "Which release made it slower or faster"
"""The title of the list, on pages and in the search."""

WORDS = (
    *("which", "release", "made"),
    *("slower", "worse", "regression", "regressions", "regressed", "fall", "falls", "fell", "drop"),
    *("faster", "better", "improved", "improvement", "rise", "rises", "moved", "changed", "change"),
)
"""Words that a reader may ask with."""

MAX_MOVES = 5
"""Falls, and as many rises, in a list."""


class LastingMove(msgspec.Struct, frozen=True):
    """The figure that moved farthest in an event: its board, its name, and both values with the change, as text.
    ``size`` is the logarithm of the factor, above 0 where it got worse. ``boards`` is the number of boards
    of the event, ``system`` and ``releases`` are those of the comparison, whose page is ``address``, and ``after``
    says what became of the figure."""

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

    @property
    def where(self) -> str:
        """The board, with the number of other boards."""
        return f"{self.board} and {self.boards - 1} more" if self.boards > 1 else self.board

    @property
    def word(self) -> str:
        """The direction in which it moved: worse or better."""
        return "worse" if self.size > 0 else "better"


def of_comparison(
    comparison: Comparison, pair: ReleasePair, catalog: Catalog, is_newest: bool
) -> list[LastingMove]:
    """Return the moves of a comparison that stayed; ``is_newest`` says that no release is newer."""
    out = []
    for event in (*comparison.events, *comparison.far):
        rows = [row for row in event.leading if _has_stayed(row)] if _is_news(event) else []
        if rows:
            row = max(rows, key=lambda row: abs(row.worse_by or 0.0))
            out.append(
                LastingMove(
                    event.benchmark,
                    pair.new.soc,
                    comparison.board_names.get(row.board, row.board),
                    len(event.boards),
                    _figure(row, catalog),
                    _values(row),
                    wording.change(row),
                    row.worse_by or 0.0,
                    family(pair.new),
                    f"{pair.old.release} → {pair.new.release}",
                    pair.address,
                    "newest release" if is_newest else _after(row),
                )
            )
    return [*out, *_with_other_engines(comparison, pair, catalog)]


def _with_other_engines(
    comparison: Comparison, pair: ReleasePair, catalog: Catalog
) -> list[LastingMove]:
    """Return the moves of rates with the engine, since the release that last measured them."""
    changes: dict[tuple[str, str, bool], list[EngineChange]] = {}
    for each in comparison.engine_changes:
        if each.rates and each.has_stayed:
            key = (each.record.benchmark, each.release, each.rates.now < each.rates.was)
            changes.setdefault(key, []).append(each)
    out = []
    for own in changes.values():
        first = max(own, key=lambda each: abs(each.rates.size) if each.rates else 0.0)
        if first.rates:
            out.append(
                LastingMove(
                    first.record.benchmark,
                    pair.new.soc,
                    comparison.board_names.get(first.board, first.board),
                    len(own),
                    first.figure(catalog),
                    first.rates.words,
                    units.change_text(first.rates.now / first.rates.was - 1),
                    first.rates.size,
                    family(pair.new),
                    f"{first.release} → {pair.new.release}",
                    pair.address,
                    f"{first.load_words}: {ENGINE_CHANGED}",
                )
            )
    return out


def findable(anchor: str) -> FindableSection:
    """Return the section of a page with such moves, for the search."""
    return FindableSection(anchor, TITLE, search_words.split(*WORDS), is_answer=True)


def _is_news(event: Event) -> bool:
    """Return whether an event stayed and is neither a cause, such as another clock, nor a return."""
    is_return = event.is_back or any(text.startswith(RETURN) for text in event.perhaps)
    if event.is_cause or event.is_minor or event.accepted or is_return:
        return False
    fate = ledger.fate(event)
    # What one run cannot prove is news once another release has it too.
    return fate == "lasted" if event.kind == "noisy" else fate != "went back"


def _has_stayed(row: Row) -> bool:
    """Return whether a figure moved, is no load for other work, and did not go back."""
    has_size = row.worse_by is not None and math.isfinite(row.worse_by) and row.work is None
    kept = wording.kept(row)
    return has_size and (kept is None or wording.followed(kept[1]) != "went back")


def _figure(row: Row, catalog: Catalog) -> str:
    """Return the label of a row without the title of its benchmark, whose page the list is on."""
    benchmark = catalog.get(row.benchmark)
    if benchmark is None:
        return units.capital(wording.figure(row, catalog))
    return labels.in_benchmark(benchmark, comparison_rows.figure_today(row))


def _values(row: Row) -> str:
    """Return both figures of a row that was measured twice."""
    assert row.old and row.new
    return units.from_to(row.old.cell.mean or 0.0, row.new.cell.mean or 0.0, row.unit)


def _after(row: Row) -> str:
    kept = wording.kept(row)
    if kept is None:
        return "not measured in the next release"
    release, part = kept
    return f"kept in {release}" if wording.followed(part) else f"in part kept in {release}"


def largest(moves: Iterable[LastingMove]) -> list[LastingMove]:
    """Return the largest falls and then the largest rises, one of each system and release."""
    ordered = sorted(moves, key=lambda move: -abs(move.size))
    by_page: dict[tuple[str, bool], LastingMove] = {}
    for move in ordered:
        by_page.setdefault((move.address, move.size > 0), move)
    falls = [move for move in by_page.values() if move.size > 0]
    rises = [move for move in by_page.values() if move.size < 0]
    return [*falls[:MAX_MOVES], *rises[:MAX_MOVES]]


def counted(moves: Sequence[LastingMove]) -> str:
    """Return how many falls and rises there are in all."""
    falls = sum(move.size > 0 for move in moves)
    parts = [(falls, "fall"), (len(moves) - falls, "rise")]
    return " and ".join(wording.count(number, word) for number, word in parts if number)

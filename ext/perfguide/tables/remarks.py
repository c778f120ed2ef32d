"""Remarks that accompany figures: the setup of runs, and notes about them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..bundle import VARYING_FACTS
from ..bundles.decode import Loaded
from ..common import units
from ..common.diagnostics import visible
from ..figures.pool import Pool
from .grids import Grid, listing
from .model import View

MAX_REMARKS = 12
"""The most notes, or values of a fact, shown above one table; its cells have all of them."""

Line = tuple[str, str]
"""The subject of a line, and its text."""


def setup(bundles: Sequence[Loaded]) -> Grid | None:
    """Return a table of the facts of runs, each once if all boards agree, otherwise per board, or
    ``None`` if no bundle states any."""
    stated: dict[str, dict[str, dict[str, None]]] = {}
    boards: dict[str, None] = {}
    for item in bundles:
        board = item.bundle.board.name
        boards[board] = None
        for name, value in item.bundle.setup.items():
            stated.setdefault(name, {}).setdefault(board, {})[units.plain(value)] = None
    rows = []
    for name in sorted(stated, key=units.natural):
        by_board = {board: "; ".join(texts) for board, texts in stated[name].items()}
        alike = len(set(by_board.values())) == 1 and by_board.keys() == boards.keys()
        listed = (
            {"all boards": next(iter(by_board.values()))} if alike and len(boards) > 1 else by_board
        )
        rows += [(fact(name), board, text) for board, text in listed.items()]
    return listing(("Setup", "Board", "Value"), rows, 2) if rows else None


def fact(name: str) -> str:
    """Return the display label of a fact of the setup."""
    return name.replace("_", " ").capitalize()


def notes(bundles: Sequence[Loaded], benchmark: str = "") -> list[str]:
    """Return the notes about entire runs, or about one benchmark in them. A note names its boards
    unless it applies to all."""
    boards: dict[str, None] = {}
    about: dict[str, dict[str, None]] = {}
    for item in bundles:
        boards[item.bundle.board.name] = None
        for note in item.bundle.notes:
            if (note.benchmark or "") == benchmark and not note.metric:
                # List the same note from several runs only once.
                about.setdefault(note.text, {})[item.bundle.board.name] = None
    return [
        text if noted_boards.keys() == boards.keys() else f"{', '.join(noted_boards)}: {text}"
        for text, noted_boards in about.items()
    ]


def run_words(
    loaded: Loaded, measured: Collection[tuple[str, str]]
) -> tuple[list[tuple[str, str, str]], list[tuple[int, str, str, str]]]:
    """Return the facts and notes of a run that concern the figures on a page; ``measured`` are the
    pairs of benchmark and metric on the page.

    A fact consists of its name, label and value. A note consists of its index within the run, its
    text, its benchmark and its metric, where an empty benchmark or metric means all.
    """
    benchmarks = {"", *(benchmark for benchmark, _ in measured)}
    metrics = {("", metric) for _, metric in measured} | {*measured}
    scoped = ((n.text, n.benchmark or "", n.metric or "") for n in loaded.bundle.notes)
    facts = [
        (name, shown_text(fact(name)), shown_text(units.plain(value)))
        for name, value in sorted(loaded.bundle.setup.items())
    ]
    notes = [
        (index, shown_text(text), benchmark, metric)
        for index, (text, benchmark, metric) in enumerate(scoped)
        if ((benchmark, metric) in metrics if metric else benchmark in benchmarks)
    ]
    return facts, notes


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Texts specific to a figure: the facts stated by its results, and its notes. A fact consists
    of its name, label and values; a number among the values is the position of the bundle that
    states it."""

    facts: tuple[tuple[str, str, tuple[str | int, ...]], ...] = ()
    notes: tuple[str, ...] = ()


def own_words(pool: Pool, rows: Sequence[int]) -> OwnWords:
    """Return the texts specific to a figure, given the rows behind it."""
    return OwnWords(
        tuple(
            (
                name,
                shown_text(fact(name)),
                tuple(v if isinstance(v, int) else shown_text(v) for v in values),
            )
            for name, values in pool.stated.own_facts_or_bundles(rows).items()
        ),
        tuple(map(shown_text, pool.stated_notes(rows))),
    )


def shown_text(text: str) -> str:
    """Escape characters that are invisible or would move other text."""
    # Untruncated: the default limit is meant for messages.
    return visible(text, len(text))


def above(view: View, pool: Pool) -> list[Line]:
    """Return the remarks to show above a table: each fact once, with the boards if they differ, and
    each note."""
    facts: dict[str, dict[str, dict[str, None]]] = {}
    stating: Counter[str] = Counter()
    note_counts: Counter[str] = Counter()
    figures = 0
    bundles, owner = pool.frame.bundles, pool.frame.table["bundle"].to_numpy()
    for row in view.rows:
        for cell in row.cells:
            # Rows of single samples repeat the remarks of their mean.
            if cell is None or row.single:
                continue
            figures += 1
            note_counts.update(pool.notes_of(cell.members, about_metric=True))
            stated: set[str] = set()
            for member in cell.members:
                # Facts of entire runs have their own table and are not repeated here.
                for name, text in pool.stated.own_facts(member).items():
                    board = bundles[int(owner[member])].bundle.board.name
                    facts.setdefault(name, {}).setdefault(text, {})[board] = None
                    stated.add(name)
            stating.update(stated)

    def of_figures(count: int) -> str:
        return "" if count == figures else f" ({count} of {figures} figures)"

    names = sorted(facts, key=units.natural)
    texts = {
        name: (name in VARYING_FACTS and _range(facts[name])) or _values(facts[name])
        for name in names
    }
    lines = [(f"{fact(name)}{of_figures(stating[name])}", texts[name]) for name in names]
    lines += [
        (f"Note{of_figures(note_counts[text])}", text) for text in list(note_counts)[:MAX_REMARKS]
    ]
    if len(note_counts) > MAX_REMARKS:
        lines.append(("Notes", f"{len(note_counts) - MAX_REMARKS} more are with the figures"))
    return lines


def _range(texts: Collection[str]) -> str:
    """Return the range of numbers with the same unit, such as ``48.8 to 77.2 %``, or an empty
    string for other texts."""
    parts = [re.fullmatch(r"([0-9.]+)(?: to ([0-9.]+))? ([^0-9 ]+)", text) for text in texts]
    numbers = [number for part in parts if part for number in (part[1], part[2] or part[1])]
    unit_symbols = {part[3] if part else "" for part in parts}
    if len(texts) < 3 or len(unit_symbols) > 1 or "" in unit_symbols:
        return ""
    return f"{min(numbers, key=float)} to {max(numbers, key=float)} {unit_symbols.pop()}"


def _values(boards_by_text: Mapping[str, Iterable[str]]) -> str:
    if len(boards_by_text) == 1:
        return next(iter(boards_by_text))
    first = list(boards_by_text.items())[:MAX_REMARKS]
    texts = [f"{text} ({', '.join(boards)})" for text, boards in first]
    rest = len(boards_by_text) - len(texts)
    return "; ".join([*texts, *([f"{rest} more"] if rest else [])])

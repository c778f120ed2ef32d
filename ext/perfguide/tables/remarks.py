"""What is said of figures besides their numbers: the setup of runs, and notes about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..bundles.decode import Loaded
from ..common import units
from ..common.diagnostics import visible
from ..figures.pool import Pool
from .grids import Grid, listing
from .model import View

MOST = 12
"""So many notes, or values of a fact, stand above one table; the others are in its cells."""

Line = tuple[str, str]
"""What a line is about, and what it says."""


def setup(bundles: Sequence[Loaded], label: Mapping[str, str] | None = None) -> Grid | None:
    """The facts of whole runs: once for all boards where these agree, else for each board.
    ``None`` where no bundle states one."""
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
    """What pages call a fact of the setup."""
    return name.replace("_", " ").capitalize()


def notes(bundles: Sequence[Loaded], benchmark: str = "") -> list[str]:
    """The notes about whole runs, or about one benchmark of them, with the boards of those that
    are not about all."""
    boards: dict[str, None] = {}
    about: dict[str, dict[str, None]] = {}
    for item in bundles:
        boards[item.bundle.board.name] = None
        for note in item.bundle.notes:
            if (note.benchmark or "") == benchmark and not note.metric:
                about.setdefault(note.text, {})[item.bundle.board.name] = None
    return [
        text if own.keys() == boards.keys() else f"{', '.join(own)}: {text}"
        for text, own in about.items()
    ]


@dataclass(frozen=True, slots=True)
class RunWords:
    """The facts and notes of a run, as pages show them, for those of its figures that are on a page.

    A fact is its name, what pages call it, and its value; a note its place among those of the run,
    its text, its benchmark and its metric, each of these empty where it is about all.
    """

    facts: tuple[tuple[str, str, str], ...]
    notes: tuple[tuple[int, str, str, str], ...]


def run_words(loaded: Loaded, shown: Collection[tuple[str, str]]) -> RunWords:
    """Return the words of a run; ``shown`` are the benchmarks on a page, each with its metrics."""
    benchmarks = {"", *(benchmark for benchmark, _ in shown)}
    metrics = {("", metric) for _, metric in shown} | {*shown}
    scoped = ((n.text, n.benchmark or "", n.metric or "") for n in loaded.bundle.notes)
    return RunWords(
        tuple(
            (name, shown_text(fact(name)), shown_text(units.plain(value)))
            for name, value in sorted(loaded.bundle.setup.items())
        ),
        tuple(
            (place, shown_text(text), benchmark, metric)
            for place, (text, benchmark, metric) in enumerate(scoped)
            if ((benchmark, metric) in metrics if metric else benchmark in benchmarks)
        ),
    )


@dataclass(frozen=True, slots=True)
class OwnWords:
    """What a figure has besides the words of its runs: facts that its results state, each with its
    name, what pages call it and its values, where a number is the position of the bundle whose
    value it is; and notes."""

    facts: tuple[tuple[str, str, tuple[str | int, ...]], ...] = ()
    notes: tuple[str, ...] = ()


def own_words(pool: Pool, rows: Sequence[int]) -> OwnWords:
    """Return what a figure has besides the words of its runs, from the rows behind it."""
    return OwnWords(
        tuple(
            (
                name,
                shown_text(fact(name)),
                tuple(v if isinstance(v, int) else shown_text(v) for v in of),
            )
            for name, of in pool.stated_facts(rows).items()
        ),
        tuple(map(shown_text, pool.stated_notes(rows))),
    )


def shown_text(text: str) -> str:
    """Return a text with an escape for what would not show or would move other text."""
    return visible(text, len(text))


def above(view: View, pool: Pool) -> list[Line]:
    """What results say of themselves, for the head of the table that shows them: each fact once
    with the boards that differ, and each note."""
    facts: dict[str, dict[str, dict[str, None]]] = {}
    stating: Counter[str] = Counter()
    said: Counter[str] = Counter()
    figures = 0
    bundles, owner = pool.frame.bundles, pool.frame.table["bundle"].to_numpy()
    for row in view.rows:
        for cell in row.cells:
            if cell is None or row.single:
                continue
            figures += 1
            said.update(pool.notes_of(cell.members, own=True))
            own: set[str] = set()
            for member in cell.members:
                for name, text in pool.own_setup(member).items():
                    board = bundles[int(owner[member])].bundle.board.name
                    facts.setdefault(name, {}).setdefault(text, {})[board] = None
                    own.add(name)
            stating.update(own)

    def of(count: int) -> str:
        return "" if count == figures else f" ({count} of {figures} figures)"

    names = sorted(facts, key=units.natural)
    out = [(f"{fact(name)}{of(stating[name])}", _values(facts[name])) for name in names]
    out += [(f"Note{of(said[text])}", text) for text in list(said)[:MOST]]
    if len(said) > MOST:
        out.append(("Notes", f"{len(said) - MOST} more are with the figures"))
    return out


def _values(of: Mapping[str, Iterable[str]]) -> str:
    if len(of) == 1:
        return next(iter(of))
    shown = [f"{text} ({', '.join(boards)})" for text, boards in list(of.items())[:MOST]]
    more = [f"{len(of) - MOST} more"] if len(of) > MOST else []
    return "; ".join([*shown, *more])

"""The words and figures of single rows, shared by all formats of a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..bundles.guide_key import family
from ..catalog.benchmarks import Catalog, Scalar
from ..common import units
from ..common.units import TableCell, with_noun
from ..figures.pool import Cell, Record
from .comparison import Comparison
from .row import NOTHING, WORDS, Row, Verdict

SHOWN_VERDICTS: tuple[Verdict, ...] = (
    *("regressed", "failed-after", "improved", "changed", "incomparable"),
)
"""The verdicts whose rows are shown by default."""

FOLDED_VERDICTS: tuple[Verdict, ...] = tuple(
    verdict for verdict in WORDS if verdict not in SHOWN_VERDICTS
)
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


def of_verdict(rows: Iterable[Row], verdicts: Sequence[Verdict]) -> list[Row]:
    """Return the rows with any of these verdicts, in their order."""
    return [row for row in rows if row.verdict in verdicts]


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
    """Return a row's board by its short name or id, with SoC and system if there are several."""
    platforms = {span.platform for span in comparison.spans}
    key, board = row.guide, row.board if by_id else comparison.board_names.get(row.board, row.board)
    return f"{key.soc}, {family(key)}, {board}" if len(platforms) > 1 else board


END_DIGITS = 6
"""The digits of the ends of a spread, which are single samples and rarely recorded with more."""


def mean(record: Record | None) -> str:
    """Return a figure without its spread, as pages show it."""
    if record is None:
        return units.MISSING
    return units.FAILED if record.cell.mean is None else units.number(record.cell.mean)


def samples_text(cell: Cell) -> str:
    """Return the samples behind a figure: ``773.99 to 1,730.1, n=3``."""
    parts = []
    if cell.low is not None and cell.high is not None:
        ends = (units.number(end, digits=END_DIGITS) for end in (cell.low, cell.high))
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


def at_equal_clock(row: Row, size: str) -> str:
    """Return how far a row moved at equal clock with its figures, which the clock moved, too:
    ``28.8 % longer at equal clock (65.67 → 75.5 µs, clock +12.0 %)``."""
    assert row.old and row.old.cell.mean
    scaled = row.past[-1][1] / row.old.cell.mean
    clock = scaled if row.better == "higher" else 1 / scaled
    return f"{size} ({from_to(row)}, clock {units.change_text(clock - 1)})"


def change_words(row: Row) -> str:
    """Return the relative change with its sign, as in tables."""
    return units.whole(change_cell(row))


def listed_change(row: Row) -> tuple[str, str]:
    """Return in words the change of a row, and that per unit of work if its verdict is about it, or
    that it is one of best runs."""
    if is_next_to_nothing(row):
        return f"below {NOTHING:g} % {'before' if (row.change or 0.0) > 0 else 'now'}", ""
    judged = row.per and f"{units.change_text(row.judged_change or 0.0)} {row.judged_by}"
    return change_words(row), row.judged_by if row.is_of_best_runs else judged


def change_cell(row: Row) -> TableCell:
    """Return the relative change, that at equal clock if the verdict is about it, or a dash if
    there is none."""
    if not row.past:
        return units.MISSING if row.change is None else units.change(row.change)
    number, text, _ = units.change(row.judged_change or 0.0)
    return number, text, f" {row.judged_by}"


def is_next_to_nothing(row: Row) -> bool:
    """Return whether a share is next to nothing on one side, so that its ratio is meaningless."""
    if units.parse(row.unit).kind != "share" or not (row.old and row.new):
        return False
    ends = sorted((row.old.cell.mean or 0.0, row.new.cell.mean or 0.0))
    return 0 < ends[0] < NOTHING <= ends[1]


def verdict(row: Row) -> str:
    """Return the verdict, and whether it is accepted."""
    return WORDS[row.verdict] + (", accepted" if row.accepted else "")


def outcome(row: Row) -> str:
    """Return the verdict with the change, and the usual scatter if no change was found."""
    moved = row.verdict in ("regressed", "improved", "changed")
    if row.change is None or not (moved or row.verdict in ("noisy", "steady")):
        return verdict(row)
    if moved:
        measured = f" {units.change_text(row.change)}," if row.past else ""
        return f"{verdict(row)}{measured} {change_words(row)}"
    return f"{verdict(row)} ({', '.join(filter(None, (change_words(row), usual(row))))})"


MAX_STATED_CHANGE, MAX_STATED_RUNS = 4.0, 20
"""The largest detectable relative change, and the most further runs, that are worth stating."""


def ground(row: Row) -> str:
    """Return why a row has its verdict, what change would have shown, and what could settle it."""
    parts = [row.ground, *row.aliases]
    if row.detectable is not None and _would_be_seen(row, row.detectable):
        parts.append(_detectable(row, row.detectable))
    if row.verdict in ("noisy", "steady"):
        parts.append(usual(row))
    runs = row.more_runs or 0
    if row.verdict in ("noisy", "steady") and 0 < runs <= MAX_STATED_RUNS:
        parts.append(f"{with_noun(runs, 'more run')} of each side could settle it")
    parts.append(acceptance(row))
    parts += [f"note: {note.spec.text}" for note in row.notes]
    return "; ".join(filter(None, parts))


def _would_be_seen(row: Row, least: float) -> bool:
    """Return whether ``least``, the smallest change that would have been called, is worth stating:
    it must exceed the change of an uncalled row whose samples do not overlap."""
    if row.verdict not in ("noisy", "steady", "same") or row.spread or row.shift or row.follows:
        return False
    if least > MAX_STATED_CHANGE:
        return False
    moved = row.judged_change
    return moved is None or moved <= -1 or abs(math.log1p(moved)) < math.log1p(least)


def _detectable(row: Row, least: float) -> str:
    """Return in words the smallest change in the direction of the row that would have been called;
    "" if none that matters would."""
    moved = row.judged_change
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
        size = f"by a factor of {math.ceil((1 + least) * digits) / digits:g}"
    else:
        share = least if way == "rise" else least / (1 + least)
        size = f"of {math.ceil(1000 * share) / 10:.1f} %"
    return f"only a {way} {size} or more would have shown"


def usual(row: Row) -> str:
    """Return in words how much a row usually scatters; "" if unknown."""
    return "" if row.scatter is None else scatter_text(the_way_it_went(row, row.scatter))


def the_way_it_went(row: Row, scatter: float) -> float:
    """Return a scatter as the share by which the row falls if it fell: a fall by a third is as far
    as a rise by half."""
    moved = row.judged_change
    is_factor = 1 + scatter >= units.MIN_FACTOR
    return scatter / (1 + scatter) if (moved or 0.0) < 0 and not is_factor else scatter


def scatter_text(scatter: float) -> str:
    """Return a scatter in words: ``usually ±2 %``, ``usually up to ×3``."""
    up_to = "up to " if 1 + scatter >= units.MIN_FACTOR else ""
    return f"usually {up_to}{range_text(scatter)}"


def range_text(scatter: float) -> str:
    """Return a scatter as a range: ``±2 %``, ``×3``."""
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


@dataclass(frozen=True, slots=True)
class RowWords:
    """A row as readers see it. A spread is empty if nothing is known about the samples.

    ``name`` is the full one: the board if there are several, the benchmark and the figure.
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
        old_spread=samples_text(row.old.cell) if row.old else "",
        new=mean(row.new),
        new_spread=samples_text(row.new.cell) if row.new else "",
        change=change_words(row),
        verdict=verdict(row),
        ground=ground(row),
    )

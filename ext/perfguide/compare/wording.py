"""A comparison in words and figures, the same for everything that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..bundles.guide_key import family
from ..catalog.benchmarks import Catalog
from ..common import units
from ..figures.pool import Cell, Record
from .comparison import Comparison, Group
from .verdicts import WORDS, Row, Verdict

LEADING: tuple[Verdict, ...] = (
    "regressed",
    "failed-after",
    "improved",
    "changed",
    "incomparable",
)
"""The verdicts whose rows a reader is shown without asking."""

FOLDED: tuple[Verdict, ...] = tuple(verdict for verdict in WORDS if verdict not in LEADING)
"""The verdicts whose rows are counted, and shown on demand."""

TITLES: dict[Verdict, str] = {
    "regressed": "Regressions",
    "failed-after": "Failed with the newer release",
    "improved": "Improvements",
    "changed": "Changes without a better direction",
    "incomparable": "Not comparable",
    "noisy": "Too noisy to tell",
    "same": "Same",
    "failed-before": "Failed with the older release",
    "failed-both": "Failed with both",
    "only-old": "No longer measured",
    "only-new": "Not measured before",
}

LONGEST = 17
"""Characters of OLD and NEW that a line of the summary has room for."""


def short(text: str, most: int = LONGEST) -> str:
    """A text cut in the middle, where it is longer than there is room for."""
    if len(text) <= most:
        return text
    behind = (most - 1) // 2
    return f"{text[: most - 1 - behind]}…{text[len(text) - behind :]}"


def summary(comparison: Comparison) -> tuple[str, str, str]:
    """What a reader has to know, in three lines of at most 80 characters."""
    counts, common = comparison.counts, comparison.common
    boards = count(len(comparison.spans), "board")
    accepted = sum(1 for row in comparison.rows if row.waiver)
    accept = f" ({accepted} accepted)" if accepted else ""
    return (
        f"{short(comparison.old)} → {short(comparison.new)}: "
        f"{count(common, 'figure')} of {boards} on both sides",
        f"{counts['regressed']} regressed, {counts['failed-after']} failed after{accept}, "
        f"{counts['improved']} improved, {counts['changed']} changed",
        f"{counts['same']} same, {counts['noisy']} too noisy to tell, "
        f"{counts['incomparable']} not comparable; {counts['only-old']} lost, "
        f"{counts['only-new']} new",
    )


def count(number: int, what: str) -> str:
    """``1 figure``, ``2 figures``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def several_boards(comparison: Comparison) -> bool:
    """Whether a row has to say which board it is about."""
    return len(comparison.spans) > 1


def figure(row: Row, catalog: Catalog) -> str:
    """What a row is about, without its benchmark: ``throughput, block_size 1k``."""
    known = catalog.get(row.benchmark)
    parts = [row.metric]
    for name, value in sorted(row.params.items()):
        if known is None:
            parts.append(f"{name} {units.plain(value)}")
        elif known.param(name).default is None or value != known.param(name).default:
            parts.append(f"{name} {known.value_label(name, value)}")
    return ", ".join(parts)


def place(row: Row, comparison: Comparison) -> str:
    """The board of a row, with its SoC and system where there are several."""
    platforms = {span.platform for span in comparison.spans}
    key = row.guide
    return f"{key.soc}, {family(key)}, {row.board}" if len(platforms) > 1 else row.board


def decimals(row: Row, catalog: Catalog) -> int:
    """The digits behind the point that a row's figures show."""
    known = catalog.get(row.benchmark)
    metric = known.metric(row.metric) if known else None
    return metric.decimals if metric else 2


def mean(record: Record | None, places: int) -> str:
    """A figure without its spread."""
    if record is None:
        return units.MISSING
    return units.FAILED if record.cell.mean is None else units.number(record.cell.mean, places)


def behind(cell: Cell, places: int) -> str:
    """What is known of the samples behind a figure: ``773.99 to 1730.10, n=3``."""
    parts = []
    if cell.low is not None and cell.high is not None:
        parts.append(f"{units.number(cell.low, places)} to {units.number(cell.high, places)}")
    if cell.count is not None:
        parts.append(f"n={cell.count}")
    return ", ".join(parts)


def unit(row: Row) -> str:
    """The unit and the better direction: ``MB/s ↑``; both units where they are not one."""
    if row.old and row.new and row.old.unit != row.new.unit:
        return f"{units.parse(row.old.unit).shown}, {units.parse(row.new.unit).shown}"
    return units.unit_cell(row.unit, row.better)


def change(row: Row) -> str:
    """The relative change with its sign; a dash where there is none."""
    return units.MISSING if row.change is None else units.percent(row.change)


def verdict(row: Row) -> str:
    """The verdict, and whether somebody has accepted it."""
    return WORDS[row.verdict] + (", accepted" if row.waiver else "")


def ground(row: Row) -> str:
    """Why the verdict is as it is, what could have been seen, and what would settle it."""
    parts = [row.ground, *row.aliases]
    if row.detectable is not None:
        parts.append(f"a change of {100 * row.detectable:.1f} % would have been seen")
    if row.verdict == "noisy" and row.more_runs:
        parts.append(f"{count(row.more_runs, 'more run')} of each side would settle it")
    if row.waiver:
        spec = row.waiver.spec
        parts.append(f"accepted until {spec.until}: {spec.reason}")
    return "; ".join(filter(None, parts))


def ratio(group: Group) -> str:
    """The geometric mean in the better direction: ``+1.5 % over 114``."""
    if group.ratio is None:
        return units.MISSING
    return f"{units.percent(group.ratio - 1)} over {group.of}"


def tally(group: Group) -> str:
    """What became of a benchmark's figures: ``2 regressed, 5 same``."""
    parts = [f"{number} {WORDS[v]}" for v, number in group.counts.items() if number]
    return ", ".join(parts)


def of_verdict(found: Iterable[Row], verdicts: Sequence[Verdict]) -> list[Row]:
    """The rows with one of these verdicts, in their order."""
    return [row for row in found if row.verdict in verdicts]

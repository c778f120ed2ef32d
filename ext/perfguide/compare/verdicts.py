"""Two releases side by side: one value from which everything that shows it is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..bundles.guide_key import GuideKey
from ..catalog.benchmarks import Metric, Scalar
from ..catalog.waivers import Waiver
from ..common import units
from ..figures.pool import Pool, Record
from .history import History, scaled, side
from .judge import Judgement, Pair, judge
from .match import Match, Names, match, obstacles

Verdict = Literal[
    "regressed",
    "failed-after",
    "improved",
    "changed",
    "incomparable",
    "noisy",
    "same",
    "failed-before",
    "failed-both",
    "only-old",
    "only-new",
]

WORDS: dict[Verdict, str] = {
    "regressed": "regressed",
    "failed-after": "failed after",
    "improved": "improved",
    "changed": "changed",
    "incomparable": "not comparable",
    "noisy": "too noisy to tell",
    "same": "same",
    "failed-before": "failed before",
    "failed-both": "failed before and after",
    "only-old": "only old",
    "only-new": "only new",
}
"""What readers see, in the order in which they see it."""

ALARMS: tuple[Verdict, ...] = ("regressed", "failed-after")
"""What speaks against the newer release."""

ROUNDING = 1.001
"""A difference of one step of a program's scale is no change, however it is rounded."""


@dataclass(frozen=True, slots=True)
class Figures:
    """One side: its figures, one release for each board, and where they are from."""

    pool: Pool
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """What was decided beforehand: names, accepted changes, and the smallest change
    that matters where it is not each metric's own."""

    names: Names
    waivers: tuple[Waiver, ...] = ()
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One figure before and after.

    ``board``, ``metric`` and ``params`` are the names of today. Both figures are in
    ``unit``. ``change`` is new/old - 1. ``floor`` is the relative change that had to
    be passed; ``p``, ``q``, ``detectable`` and ``more_runs`` are explained at
    :class:`perfguide.stats.Judgement`. ``ground`` says why the verdict is as it is.
    ``waiver`` is the entry that accepts the change.
    """

    board: str
    benchmark: str
    metric: str
    params: dict[str, Scalar]
    unit: str
    better: units.Better
    old: Record | None
    new: Record | None
    verdict: Verdict
    ground: str
    change: float | None = None
    floor: float = 0.0
    p: float | None = None
    q: float | None = None
    detectable: float | None = None
    more_runs: int | None = None
    aliases: tuple[str, ...] = ()
    waiver: Waiver | None = None

    @property
    def guide(self) -> GuideKey:
        """The guide of the newer figure, or of the only one."""
        record = self.new or self.old
        assert record is not None  # a match has one side at least
        return record.guide

    @property
    def alarming(self) -> bool:
        """Whether it speaks against the newer release and nobody has accepted it."""
        return self.verdict in ALARMS and self.waiver is None

    @property
    def ratio(self) -> float | None:
        """The ratio in the better direction: above 1 is better, 1.1 is a tenth more."""
        judged = self.verdict in ("regressed", "improved", "same", "noisy")
        if not judged or self.change is None or self.better == "neither" or self.change <= -1:
            return None
        return 1 + self.change if self.better == "higher" else 1 / (1 + self.change)


def rows(old: Figures, new: Figures, history: History, rules: Rules) -> tuple[Row, ...]:
    """Every figure of both sides with its verdict, the largest change first."""
    out: list[Row] = []
    judged: list[tuple[int, Pair]] = []
    for found in match(old.records, new.records, rules.names):
        row = _row(found, old.pool, new.pool, history, rules)
        if row.verdict == "same":
            judged.append((len(out), _pair(row, new.pool, history, rules)))
        out.append(row)
    verdicts = judge([pair for _, pair in judged])
    for (position, pair), judgement in zip(judged, verdicts, strict=True):
        out[position] = _judged(out[position], pair.floor, judgement)
    accepted = [_accepted(row, rules.waivers) for row in out]
    return tuple(sorted(accepted, key=_order))


def _order(row: Row) -> tuple[object, ...]:
    size = abs(row.change) if row.change is not None else -1.0
    names = (units.natural(row.board), row.benchmark, units.natural(row.metric))
    key = row.guide
    return (-size, key.soc, key.os, key.sdk, names, units.natural(repr(sorted(row.params.items()))))


def _row(found: Match, before: Pool, after: Pool, history: History, rules: Rules) -> Row:
    """A row whose verdict is not known yet (``same``), or needs no statistics."""
    old, new, names = found.old, found.new, rules.names
    record = new or old
    assert record is not None
    known = metric_of(names, record)
    row = Row(
        board=names.boards.today(record.guide.soc, record.board),
        benchmark=record.benchmark,
        metric=names.metric(record),
        params=names.params(record),
        unit=record.unit,
        better=known.better if known else "neither",
        old=old,
        new=new,
        verdict="same",
        ground="",
        aliases=found.aliases,
    )
    if old is None:
        return replace(row, verdict="only-new", ground="it was not measured before")
    if new is None:
        return replace(row, verdict="only-old", ground="it was measured before and is not now")
    factor = units.factor(old.unit, new.unit)
    if factor is not None:
        old = replace(old, cell=scaled(old.cell, factor), unit=new.unit)
        row = replace(row, old=old)
    tools = tools_of(names, record.benchmark)
    against = found.differs or obstacles(
        history.conditions(before, old), history.conditions(after, new), tools
    )
    if against:
        return replace(row, verdict="incomparable", ground="; ".join(against))
    if old.cell.mean is None or new.cell.mean is None:
        return _failed(row, old, new)
    return row


def _failed(row: Row, old: Record, new: Record) -> Row:
    if new.cell.mean is not None:
        return replace(row, verdict="failed-before", ground=_all(old, "before"))
    if old.cell.mean is not None:
        return replace(row, verdict="failed-after", ground=_all(new, "now"))
    return replace(row, verdict="failed-both", ground="it failed before and fails now")


def _all(record: Record, when: str) -> str:
    runs = record.cell.runs
    return f"all {runs} runs failed {when}" if runs > 1 else f"its run failed {when}"


def metric_of(names: Names, record: Record) -> Metric | None:
    """What is known of a figure's metric."""
    benchmark = names.catalog.get(record.benchmark)
    return benchmark.metric(names.metric(record)) if benchmark else None


def tools_of(names: Names, benchmark: str) -> tuple[str, ...]:
    """The programs whose version is a condition of a benchmark's figures."""
    known = names.catalog.get(benchmark)
    return known.entry.tools if known else (benchmark,)


def _pair(row: Row, after: Pool, history: History, rules: Rules) -> Pair:
    old, new = row.old, row.new
    assert old is not None and new is not None
    known = metric_of(rules.names, new)
    compared = {old.guide.release, new.guide.release}
    others = history.of(after, new, compared, tools_of(rules.names, row.benchmark))
    family = f"{row.benchmark}/{known.name if known else row.metric}/{row.unit}"
    return Pair(side(old.cell), side(new.cell), family, others, _floor(row, known, rules.threshold))


def _floor(row: Row, known: Metric | None, threshold: float | None) -> float:
    """The relative change that has to be passed before it counts."""
    known = known or Metric(name=row.metric, unit=row.unit, better="neither")
    floors = [known.threshold / 100 if threshold is None else threshold, known.noise_floor / 100]
    means = [abs(r.cell.mean) for r in (row.old, row.new) if r and r.cell.mean]
    if known.step and means and (factor := units.factor(known.unit, row.unit)):
        # The smaller figure, because a change can be told both ways round.
        floors.append(ROUNDING * known.step * factor / min(means))
    return max(floors)


def _judged(row: Row, floor: float, judgement: Judgement) -> Row:
    grounds = [judgement.ground]
    for record, when in ((row.old, "before"), (row.new, "now")):
        if record and record.cell.failed:
            grounds.append(f"{record.cell.failed} of {record.cell.runs} runs failed {when}")
    verdict: Verdict = "noisy"
    if judgement.outcome == "same":
        verdict = "same"
    elif judgement.outcome == "different":
        assert row.old is not None and row.new is not None
        more = (row.new.cell.mean or 0.0) > (row.old.cell.mean or 0.0)
        verdict = "improved" if more == (row.better == "higher") else "regressed"
        verdict = "changed" if row.better == "neither" else verdict
    return replace(
        row,
        verdict=verdict,
        ground="; ".join(filter(None, grounds)),
        change=judgement.change,
        floor=floor,
        p=judgement.p,
        q=judgement.q,
        detectable=judgement.detectable,
        more_runs=judgement.more_runs,
    )


def _accepted(row: Row, waivers: Sequence[Waiver]) -> Row:
    if row.verdict not in ALARMS:
        return row
    for waiver in waivers:
        if (
            about(waiver, row)
            and waiver.accepts(row.change)
            and row.new is not None
            and not waiver.lapsed(row.new.guide.release)
        ):
            return replace(row, waiver=waiver)
    return row


def about(waiver: Waiver, row: Row) -> bool:
    """Whether a waiver is about a row, whatever became of it."""
    key = row.guide
    boards = {row.board, *(r.board for r in (row.old, row.new) if r)}
    named = any(waiver.covers(key.soc, key.os, b, row.benchmark, row.metric) for b in boards)
    return named and waiver.fits(row.params)

"""A row of a comparison: one figure before and after, with a verdict. Output is made of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from ..bundles.guide_key import GuideKey
from ..catalog.benchmarks import Scalar
from ..catalog.waivers import Annotation, Annotations, Level, Note, Waiver
from ..common import units
from ..figures.failed_runs import RATES
from ..figures.pool import Record
from .judge import Spread
from .match import Names
from .shifts import Shift
from .usual_noise import Table

Verdict = Literal[
    "regressed",
    "failed-after",
    "improved",
    "changed",
    "incomparable",
    "noisy",
    "steady",
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
    "steady": "no change",
    "same": "same",
    "failed-before": "failed before",
    "failed-both": "failed before and after",
    "only-old": "only old",
    "only-new": "only new",
}
"""Words for verdicts, in the order in which readers see them."""

ALARMS: tuple[Verdict, ...] = ("regressed", "failed-after")
"""Verdicts against the newer release."""

CALLED: tuple[Verdict, ...] = ("regressed", "improved", "changed")
"""Verdicts on figures that differ."""

RATED: tuple[Verdict, ...] = ("regressed", "improved", "same", "steady", "noisy")
"""Verdicts on rows whose figures can be compared as better and worse."""

JUDGED_CHANGE = 0.5
"""The relative change that would be detected in any figure that counts as judged: a rise by half,
or a fall by a third."""

MIN_SHOWN_CHANGE = 0.0005
"""Smaller relative changes are shown as 0.0 %."""

WORK = "throughput"
"""The metric, without its direction, of the byte rate of a run with a packet rate or load."""

BEST_RUNS = "the best runs are compared"
"""The start of grounds of rows whose figures are the best run of each release."""

NOTHING = 1.0
"""A load below this, in per cent, is negligible."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings of a comparison.

    ``threshold`` replaces the smallest relative change that matters of each metric. ``annotations``
    are maintainers' notes and new levels. With ``look_ahead``, later releases are evidence too.
    ``usual_noise`` replaces the package's table of the usual scatter of single figures.
    """

    names: Names
    waivers: tuple[Waiver, ...] = ()
    threshold: float | None = None
    annotations: Annotations = field(default_factory=Annotations)
    look_ahead: bool = False
    usual_noise: Table | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One figure before and after, with today's names of its board, metric and parameters.

    Fields without a description here are those of :class:`.judge.Judgement`.
    """

    board: str
    benchmark: str
    metric: str
    params: dict[str, Scalar]
    unit: str
    """The unit of both figures."""
    better: units.Better
    old: Record | None
    new: Record | None
    verdict: Verdict
    ground: str
    """The reason for the verdict, in words."""
    change: float | None = None
    """new/old - 1."""
    floor: float = 0.0
    """The relative change from which it matters."""
    p: float | None = None
    q: float | None = None
    detectable: float | None = None
    scatter: float | None = None
    kind_scatter: float | None = None
    more_runs: int | None = None
    aliases: tuple[str, ...] = ()
    waiver: Waiver | None = None
    """The entry that accepts the change."""
    settled: Annotation[Level] | None = None
    """The entry that declares the newer figure a new level."""
    notes: tuple[Annotation[Note], ...] = ()
    shift: Shift | None = None
    level: int = 0
    work: float | None = None
    """The change of a load per unit of work; if it is known, the verdict is about it."""
    follows: str = ""
    """The metric of the same run whose verdict the row shares."""
    line: tuple[tuple[str, float], ...] = ()
    """The figure of each release."""
    next_ends: tuple[float, float] | tuple[()] = ()
    """The smallest and the largest sample of the release after NEW, if the line has it."""
    is_clock: bool = False
    """True for a clock that was set to another frequency."""
    alternates: bool = False
    """True for a figure that often changes between two states."""
    changed_state: bool = False
    """True for a figure with two states that it rarely and far changed between, as it did now."""
    kinds_of_figures: str = "one run each"
    single: tuple[bool, bool] = (True, True)
    spread: Spread = ""
    per: str = ""
    """The unit of the work."""
    past: tuple[tuple[str, float], ...] = ()
    """The figures up to OLD at the clock of NEW, if the verdict is at equal clock."""
    step: float = 0.0
    """The resolution of the program, 0 if unknown."""
    doubt: str = ""
    """The reason why the newer figure proves nothing, if any."""
    odd: str = ""
    """The reason why the older figure may prove nothing, if any."""

    @property
    def guide(self) -> GuideKey:
        """The guide of the newer or only figure."""
        record = self.new or self.old
        assert record is not None  # a match has at least one side
        return record.guide

    @property
    def alarming(self) -> bool:
        """True if the row counts against the newer release and is not accepted."""
        return self.verdict in ALARMS and not self.accepted

    @property
    def accepted(self) -> bool:
        """True if a maintainer has accepted the change."""
        return self.waiver is not None or self.settled is not None

    @property
    def judged(self) -> bool:
        """True if a change by ``JUDGED_CHANGE`` was, or would have been, detected."""
        if self.verdict == "noisy":
            return self.detectable is not None and self.detectable <= JUDGED_CHANGE
        return self.verdict != "incomparable" and self.old is not None and self.new is not None

    @property
    def judged_change(self) -> float | None:
        """The change of the verdict: per unit of work, at equal clock, or as measured."""
        if self.past and self.new and self.new.cell.mean is not None:
            return self.new.cell.mean / self.past[-1][1] - 1
        return self.change if self.work is None else self.work

    @property
    def judged_by(self) -> str:
        """The basis of that change: ``per MB/s``, ``at equal clock``, ``in the best run``, or "" if
        measured."""
        if self.is_of_best_runs:
            return "in the best run"
        return "at equal clock" if self.past else f"per {self.per}" if self.per else ""

    @property
    def is_of_best_runs(self) -> bool:
        """True if the figures are the best run of each release."""
        return self.ground.startswith(BEST_RUNS)

    @property
    def ratio(self) -> float | None:
        """The ratio in the better direction: 1.1 is 10 % better; ``None`` if there is none."""
        change = self.judged_change
        if self.verdict not in RATED or change is None or self.better == "neither" or change <= -1:
            return None
        return 1 + change if self.better == "higher" else 1 / (1 + change)

    @property
    def worse_by(self) -> float | None:
        """The log of the factor by which the row got worse: negative if it got better, infinite if
        one figure is 0, ``None`` if neither figure is better."""
        if self.ratio:
            return -math.log(self.ratio)
        if self.verdict not in RATED or self.better == "neither" or not (self.old and self.new):
            return None
        old, new = self.old.cell.mean, self.new.cell.mean
        if old is None or new is None or min(old, new) != 0 or old == new:
            return None
        return math.inf if (new < old) == (self.better == "higher") else -math.inf

    @property
    def observation(self) -> tuple[object, ...]:
        """The identity of the run, which all metrics measured in one run of a benchmark share."""
        params = frozenset((name, str(value)) for name, value in self.params.items())
        return (self.guide.platform, self.board, self.benchmark, params)

    @property
    def measurement(self) -> tuple[object, ...]:
        """The identity of the measurement. Packets, bytes and load of a run are one measurement of
        the same work; other metrics, and those without parameters, are separate ones."""
        if not self.params or units.parse(self.unit).kind not in ("packet rate", "share"):
            return (*self.observation, self.metric)
        return (*self.observation, "_".join(filter(None, (direction(self.metric), WORK))))


def direction(metric: str) -> str:
    """Return the direction in a metric's name, ``read`` for ``read_cpu_load``, or ""."""
    word = metric.split("_")[0]
    return word if word in ("read", "write", "rx", "tx", "ingress", "egress") else ""


def is_load(row: Row) -> bool:
    """Return whether a row is a load, such as that of a processor, for which less is better."""
    return row.better == "lower" and units.parse(row.unit).kind == "share" and "load" in row.metric


def is_rate(row: Row) -> bool:
    """Return whether a row is a rate of work, for which 0 is no result."""
    return row.better == "higher" and units.parse(row.unit).kind in RATES


def is_time(row: Row) -> bool:
    """Return whether a row is a duration, which is never 0."""
    return row.better == "lower" and units.parse(row.unit).kind == "time"


def points(row: Row) -> float:
    """Return the absolute change of a figure in its unit: percentage points for a share."""
    assert row.old and row.new
    return abs((row.new.cell.mean or 0.0) - (row.old.cell.mean or 0.0))

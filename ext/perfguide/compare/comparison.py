"""All that is said about two releases: rows, groups, coverage, notes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..bundles.guide_key import GuideKey, family
from ..common import units
from ..common.diagnostics import Diagnostic
from ..figures.pool import Pool, Record
from .history import History, Platform
from .match import BY_DESIGN, Names
from .match import WORDS as CONDITIONS
from .select import Only, Side
from .verdicts import WORDS, Figures, Row, Rules, Verdict, about, rows


@dataclass(frozen=True, slots=True)
class Span:
    """One board and the two releases that were compared; a release is empty where
    that side has no figures of it."""

    platform: Platform
    board: str
    old: str
    new: str

    @property
    def title(self) -> str:
        """The SoC and the system in words."""
        sdk, soc, os = self.platform
        return f"{soc}, {family(GuideKey(sdk, soc, os, ''))}"


@dataclass(frozen=True, slots=True)
class Group:
    """One benchmark. ``ratio`` is the geometric mean of the ratios in the better
    direction over the ``of`` figures that both sides have, ``None`` where there is
    none; above 1 is better."""

    benchmark: str
    title: str
    ratio: float | None
    of: int
    counts: Mapping[Verdict, int]


@dataclass(frozen=True, slots=True)
class Coverage:
    """``count`` of a benchmark's ``of`` figures on one board that only one side has;
    without a benchmark the whole board. ``kind`` is ``lost`` or ``gained``."""

    kind: Literal["lost", "gained"]
    platform: str
    board: str
    benchmark: str
    count: int
    of: int

    def text(self) -> str:
        """The finding in words."""
        lost = self.kind == "lost"
        if not self.benchmark:
            when = "is no longer measured" if lost else "was not measured before"
            figures = "1 figure" if self.of == 1 else f"{self.of} figures"
            return f"{self.platform}: the board {self.board} ({figures}) {when}"
        if self.of == 1:
            part, when = "its figure", "is" if lost else "was"
        else:
            part = f"all {self.of} figures" if self.count == self.of else ""
            part = part or f"{self.count} of {self.of} figures"
            when = "is" if self.count == 1 else "are"
            when = when if lost else {"is": "was", "are": "were"}[when]
        when += " no longer measured" if lost else " not measured before"
        return f"{self.platform}, {self.board}, {self.benchmark}: {part} {when}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two releases side by side. ``old`` and ``new`` are what was asked for."""

    old: str
    new: str
    spans: tuple[Span, ...]
    rows: tuple[Row, ...]
    groups: tuple[Group, ...]
    coverage: tuple[Coverage, ...]
    notes: tuple[str, ...]
    findings: tuple[Diagnostic, ...]

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many rows have each verdict."""
        found = Counter(row.verdict for row in self.rows)
        return {verdict: found[verdict] for verdict in WORDS}

    @property
    def alarms(self) -> tuple[Row, ...]:
        """What speaks against the newer release and is not accepted."""
        return tuple(row for row in self.rows if row.alarming)

    @property
    def common(self) -> int:
        """How many figures stand on both sides."""
        return sum(1 for row in self.rows if row.old and row.new)


@dataclass(frozen=True, slots=True)
class Asked:
    """One side of a comparison: how it was asked for, its figures and their pool."""

    name: str
    pool: Pool
    side: Side


def compare(old: Asked, new: Asked, history: History, rules: Rules, only: Only) -> Comparison:
    """Compare two sides. All rows are judged together, so that the share of false
    alarms is held over all of them."""
    notes = [*old.side.notes, *(n for n in new.side.notes if n not in old.side.notes)]
    shared: list[Span] = []
    coverage: list[Coverage] = []
    for platform in dict.fromkeys([*old.side.records, *new.side.records]):
        was, now = old.side.releases.get(platform, {}), new.side.releases.get(platform, {})
        if old.pool is new.pool and was == now:
            release = ", ".join(sorted(set(was.values())))
            title = Span(platform, "", "", "").title
            notes.append(f"{title}: both sides are {release}, so it is left out")
            continue
        for board in sorted({*was, *now}, key=units.natural):
            span = Span(platform, board, was.get(board, ""), now.get(board, ""))
            if span.old and span.new:
                shared.append(span)
            else:
                coverage.append(_board(span, old.side, new.side, rules.names))
    befores = Figures(old.pool, _of(old.side, shared, rules.names))
    afters = Figures(new.pool, _of(new.side, shared, rules.names))
    found_rows = rows(befores, afters, history, rules)
    coverage += _coverage(found_rows)
    return Comparison(
        old.name,
        new.name,
        tuple(shared),
        found_rows,
        groups(found_rows, rules.names),
        tuple(coverage),
        (*notes, *_conditions(befores, afters, found_rows, history, rules.names)),
        tuple(_waiver_findings(found_rows, rules, only)),
    )


def _of(side: Side, shared: Sequence[Span], names: Names) -> tuple[Record, ...]:
    """The figures of the boards that both sides have."""
    wanted = {(span.platform, span.board) for span in shared}
    return tuple(
        record
        for platform, records in side.records.items()
        for record in records
        if (platform, names.boards.today(record.guide.soc, record.board)) in wanted
    )


def _board(span: Span, old: Side, new: Side, names: Names) -> Coverage:
    side = old if span.old else new
    own = [
        record
        for record in side.records[span.platform]
        if names.boards.today(record.guide.soc, record.board) == span.board
    ]
    kind: Literal["lost", "gained"] = "lost" if span.old else "gained"
    return Coverage(kind, span.title, span.board, "", len(own), len(own))


def groups(found: Sequence[Row], names: Names) -> tuple[Group, ...]:
    """The rows of each benchmark together, in catalog order."""
    by: dict[str, list[Row]] = {}
    for row in found:
        by.setdefault(row.benchmark, []).append(row)
    known = list(names.catalog.benchmarks)
    ordered = sorted(by, key=lambda b: (known.index(b) if b in known else len(known), b))
    out = []
    for benchmark in ordered:
        ratios = [row.ratio for row in by[benchmark] if row.ratio is not None]
        mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios)) if ratios else None
        described = names.catalog.get(benchmark)
        counts = Counter(row.verdict for row in by[benchmark])
        out.append(
            Group(
                benchmark,
                described.entry.title if described else benchmark,
                mean,
                len(ratios),
                {verdict: counts[verdict] for verdict in WORDS},
            )
        )
    return tuple(out)


def _coverage(found: Sequence[Row]) -> list[Coverage]:
    places: dict[tuple[str, str, str], Counter[str]] = {}
    for row in found:
        key = row.guide
        place = (f"{key.soc}, {family(key)}", row.board, row.benchmark)
        counted = places.setdefault(place, Counter())
        counted["lost"] += row.verdict == "only-old"
        counted["gained"] += row.verdict == "only-new"
        counted["before"] += row.old is not None
        counted["after"] += row.new is not None
    out = []
    kinds: tuple[tuple[Literal["lost", "gained"], str], ...] = (
        ("lost", "before"),
        ("gained", "after"),
    )
    for kind, of in kinds:
        for (platform, board, benchmark), counted in sorted(places.items()):
            if counted[kind]:
                out.append(Coverage(kind, platform, board, benchmark, counted[kind], counted[of]))
    return out


def _conditions(
    old: Figures, new: Figures, found: Sequence[Row], history: History, names: Names
) -> list[str]:
    """What changed around the measurements, told once for each board."""
    changed: dict[tuple[str, str], set[tuple[str, str]]] = {}
    unstated: Counter[tuple[str, str]] = Counter()
    for row in found:
        if row.old is None or row.new is None or row.verdict == "incomparable":
            continue
        was = history.conditions(old.pool, row.old)
        now = history.conditions(new.pool, row.new)
        place = f"{row.guide.soc}, {family(row.guide)}, {row.board}"
        for name in sorted({*was, *now}):
            a, b = " and ".join(sorted(was.get(name, ()))), " and ".join(sorted(now.get(name, ())))
            if name in CONDITIONS:
                if not a or not b:
                    unstated[CONDITIONS[name], "old" if not a else "new"] += 1
            elif a and b and a != b and (name in BY_DESIGN or name.startswith("tool ")):
                word = name if name in BY_DESIGN else f"version of {name.removeprefix('tool ')}"
                changed.setdefault((place, word), set()).add((a, b))
    notes = []
    for (place, word), pairs in sorted(changed.items()):
        told = "; ".join(f"“{a}” before, “{b}” now" for a, b in sorted(pairs))
        notes.append(f"{place}: the {word} changed: {told}")
    for (word, which), count in sorted(unstated.items()):
        rest = (
            f"the {which} side does not state the {word} of {count} figures that the other states"
        )
        notes.append(rest)
    return notes


def _waiver_findings(found: Sequence[Row], rules: Rules, only: Only) -> list[Diagnostic]:
    used = {row.waiver.number for row in found if row.waiver}
    out = []
    for waiver in rules.waivers:
        if waiver.number in used:
            continue
        mine = [row for row in found if about(waiver, row)]
        alarms = [row for row in mine if row.alarming]
        until = waiver.spec.until
        if any(row.new and waiver.lapsed(row.new.guide.release) for row in alarms):
            hint = "mend the regression, or agree on another release and change “until”"
            out.append(waiver.finding(f"lapsed with {until}, and the change is still there", hint))
        elif alarms:
            hint = "look at the new change, and raise “most” only with a reason"
            out.append(waiver.finding("accepts less than what is found now", hint))
        elif mine and all(row.new and waiver.lapsed(row.new.guide.release) for row in mine):
            out.append(waiver.finding(f"lapsed with {until} and is not needed", "remove it"))
        elif mine or only.everything:
            wrong = "nothing that it accepts was found" if mine else "no figure has these names"
            out.append(waiver.finding(f"is not used: {wrong}", "remove it, or mend its names"))
    return out

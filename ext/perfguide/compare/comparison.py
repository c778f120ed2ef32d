"""The comparison of two releases: rows, groups, coverage, notes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ..bundles.guide_key import GuideKey, Platform, family
from ..common import units
from ..common.diagnostics import Diagnostic
from ..figures import labels
from ..figures.conditions import SETUP
from ..figures.pool import Pool
from . import failing_runs
from .accepted import about
from .causes import explained
from .doubts import doubted
from .engine_changes import EngineChange, engine_changes
from .event import Event
from .events import events
from .history import History
from .last_measured import events_since, joined_events
from .match import BY_DESIGN, CONDITION_WORDS, Names
from .odd_figures import withdrawn
from .row import WORDS, Row, Rules, Verdict
from .select import ComparedSide, Filter, choose
from .verdicts import SideFigures, rows

__all__ = ["Comparison", "Filter", "History", "Names", "Rules", "choose", "compare"]

Kind = Literal["lost", "gained"]


@dataclass(frozen=True, slots=True)
class Span:
    """One board and the two releases compared. A release is empty if that side has no figures of
    the board."""

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
    """One benchmark.

    ``ratio`` is the geometric mean of the ratios of the ``of`` figures that have one, in the better
    direction: above 1 is better. It is ``None`` if there are none.
    """

    benchmark: str
    title: str
    ratio: float | None
    of: int
    counts: Mapping[Verdict, int]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The number of figures of a benchmark and board that one side lacks, ``count`` out of ``of``.

    ``kind`` is ``lost`` or ``gained``. If ``benchmark`` is empty, it is about the entire board.
    """

    kind: Kind
    platform: str
    board: str
    benchmark: str
    count: int
    of: int

    def text(self, boards: Sequence[str], title: str) -> str:
        """Return the finding in words, given the title of its benchmark and the names of all boards
        for which it holds."""
        one = not self.benchmark or self.count == 1
        if self.kind == "lost":
            when = f"{'is' if one else 'are'} no longer measured"
        else:
            when = f"{'was' if one else 'were'} not measured in the older release"
        figures = "1 figure" if self.of == 1 else f"{self.of} figures"
        if not self.benchmark:
            return f"{self.platform}: the board {boards[0]} ({figures}) {when}"
        part = f"{'all' if self.count == self.of else f'{self.count} of'} {figures}"
        part = "its figure" if self.of == 1 else part
        if len(boards) > 1:
            return f"{self.platform}, {title}: {part} {when}, on each of {', '.join(boards)}"
        return f"{self.platform}, {boards[0]}, {title}: {part} {when}"


class Jumps(NamedTuple):
    """The number of jumps of single figures far beyond all earlier ones, and of lasting ones."""

    lasted: int
    of: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two releases side by side.

    ``old`` and ``new`` are the requested names. ``jumps`` counts, by benchmark, far jumps of single
    figures in earlier releases. ``around`` are the ``notes`` about changed conditions. ``far`` are
    unproved events that exceed the usual scatter; if OLD did not measure their figures, they
    compare with an earlier release. If no board has both releases, ``instead`` has the releases of
    each that can be compared, and ``apart`` all releases of each. ``board_names`` are the short
    names of boards for sentences, and ``metric_labels`` the labels of metrics by benchmark and
    metric. ``engine_changes`` are those of benchmarks that OLD did not measure.
    """

    old: str
    new: str
    spans: tuple[Span, ...]
    rows: tuple[Row, ...]
    groups: tuple[Group, ...]
    coverage: tuple[Coverage, ...]
    notes: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    events: tuple[Event, ...] = ()
    jumps: Mapping[str, Jumps] = field(default_factory=dict)
    around: tuple[str, ...] = ()
    far: tuple[Event, ...] = ()
    instead: tuple[Span, ...] = ()
    board_names: Mapping[str, str] = field(default_factory=dict)
    apart: tuple[tuple[str, tuple[str, ...]], ...] = ()
    engine_changes: tuple[EngineChange, ...] = ()
    metric_labels: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def counts(self) -> dict[Verdict, int]:
        """The number of rows with each verdict."""
        return _counts(self.rows)

    @property
    def alarms(self) -> tuple[Row, ...]:
        """The rows that count against the newer release and are not accepted."""
        return tuple(row for row in self.rows if row.alarming)

    @property
    def common(self) -> int:
        """The number of figures that both sides have."""
        return sum(1 for row in self.rows if row.old and row.new)


def compare(
    old: ComparedSide, new: ComparedSide, history: History, rules: Rules, only: Filter
) -> Comparison:
    """Compare two sides. All rows are judged together, which bounds the share of false alarms among
    all of them."""
    names = rules.names
    shared, added, coverage, notes = _boards(old, new, names)
    # The publisher of the newer release could not have known all of this.
    if rules.look_ahead:
        notes.append("later releases were looked at: not all of this was known with the newer one")
    before, after = (_of_boards(side, shared, names) for side in (old, new))
    measured = failing_runs.with_lines(rows(before, after, history, rules), history)
    platforms = {span.platform for span in shared}
    fresh = _of_boards(new, [span for span in added if span.platform in platforms], names)
    unmeasured = failing_runs.with_lines(
        rows(SideFigures(old.pool, ()), fresh, history, rules), history
    )
    newer = (record for records in new.records.values() for record in records)
    judged = tuple(withdrawn(explained(doubted(measured, newer, names), names.catalog)))
    around, unstated = _conditions(before.pool, after.pool, judged, names)
    changes = engine_changes([*judged, *unmeasured], after.pool, history, names)
    around += [change.sentence(names) for change in changes]
    proved, far = events(judged, before, after, names)
    since = events_since(judged, unmeasured, (before, after), changes, history, names)
    every = joined_events((*proved, *far), since)
    return Comparison(
        old.name,
        new.name,
        tuple(shared),
        judged,
        _groups(judged, names),
        (*coverage, *_coverage(judged)),
        (*notes, *around, *unstated),
        tuple(_waiver_findings(judged, rules, only)),
        tuple(event for event in every if event.kind != "noisy"),
        _jumps(judged),
        tuple(around),
        tuple(event for event in every if event.kind == "noisy"),
        () if shared else tuple(_instead(old, new, history)),
        names.boards.in_heads,
        () if shared else tuple(_apart(old, new, history)),
        changes,
        {
            (row.benchmark, row.metric): labels.within(described.metric_label(row.metric))
            for row in judged
            if (described := names.catalog.get(row.benchmark))
        },
    )


def _boards(
    old: ComparedSide, new: ComparedSide, names: Names
) -> tuple[list[Span], list[Span], list[Coverage], list[str]]:
    """Return the boards that both sides measured, those that only NEW did, those that only one did,
    and notes on the sides."""
    notes = [*old.notes, *(note for note in new.notes if note not in old.notes)]
    shared: list[Span] = []
    added: list[Span] = []
    coverage: list[Coverage] = []
    for platform in dict.fromkeys([*old.records, *new.records]):
        was, now = old.releases.get(platform, {}), new.releases.get(platform, {})
        # Comparing a release with itself would read as “nothing changed”.
        if old.pool is new.pool and was == now:
            release = ", ".join(sorted(set(was.values())))
            title = Span(platform, "", "", "").title
            notes.append(f"{title}: both sides are {release}, so it is left out")
            continue
        for board in sorted({*was, *now}, key=units.natural):
            span = Span(platform, board, was.get(board, ""), now.get(board, ""))
            if span.old and span.new:
                shared.append(span)
                continue
            if span.new:
                added.append(span)
            kind: Kind = "lost" if span.old else "gained"
            count = len(_of_boards(old if span.old else new, [span], names).records)
            coverage.append(Coverage(kind, span.title, board, "", count, count))
    return shared, added, coverage, notes


def _instead(old: ComparedSide, new: ComparedSide, history: History) -> Iterator[Span]:
    """Yield each board of either side with that side's release and the neighbouring release, in the
    direction of the other side, in which the board was measured."""
    for platform in dict.fromkeys([*new.records, *old.records]):
        for side, is_new in ((new, True), (old, False)):
            for board, release in sorted(side.releases.get(platform, {}).items()):
                guides = [guide.release for guide in history.guides_with(platform, board)]
                if release not in guides:
                    continue
                at = guides.index(release)
                if is_new and at > 0:
                    yield Span(platform, board, guides[at - 1], release)
                elif not is_new and at + 1 < len(guides):
                    yield Span(platform, board, release, guides[at + 1])


def _apart(
    old: ComparedSide, new: ComparedSide, history: History
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each board of either side with all releases in which it was measured."""
    for platform in dict.fromkeys([*old.records, *new.records]):
        boards = {**old.releases.get(platform, {}), **new.releases.get(platform, {})}
        for board in sorted(boards):
            guides = history.guides_with(platform, board)
            yield board, tuple(guide.release for guide in guides)


MIN_JUMP_RANGES, MIN_EARLIER_FIGURES, MIN_JUMP = 5.0, 3, 0.02
"""The least size of a jump as a multiple of the range of all earlier figures, the fewest earlier
figures, and the least relative size."""


def _jumps(judged: Sequence[Row]) -> dict[str, Jumps]:
    """Count the far jumps in earlier releases by benchmark."""
    out: dict[str, Jumps] = {}
    for row in judged:
        if row.old is None or row.new is None or row.level == 0:
            continue
        names = [name for name, _ in row.line]
        # Later releases do not exist yet when the newer one is judged.
        last = names.index(row.new.guide.release) if row.new.guide.release in names else len(names)
        values = [value for _, value in row.line[:last]]
        # Leave out the last figure, which no release follows.
        for index in range(MIN_EARLIER_FIGURES, len(values) - 1):
            before, value, after = values[:index], values[index], values[index + 1]
            move = value - before[-1]
            # Allow for the float error: figures with few digits often differ by exactly this much.
            max_usual = MIN_JUMP_RANGES * (max(before) - min(before)) * (1 + 1e-9)
            if abs(move) <= max_usual or not move:
                continue
            # Next to figures that were all equal, one printed digit would be a far jump.
            if abs(move) < MIN_JUMP * abs(before[-1]):
                continue
            lasted, number = out.get(row.benchmark, Jumps(0, 0))
            out[row.benchmark] = Jumps(lasted + ((after - before[-1]) / move > 2 / 3), number + 1)
    return out


def _of_boards(side: ComparedSide, spans: Sequence[Span], names: Names) -> SideFigures:
    """Return the figures of the boards in ``spans``."""
    wanted = {(span.platform, span.board) for span in spans}
    records = (
        record
        for platform, records in side.records.items()
        for record in records
        if (platform, names.boards.today(record.guide.soc, record.board)) in wanted
    )
    return SideFigures(side.pool, tuple(records))


def _groups(judged: Sequence[Row], names: Names) -> tuple[Group, ...]:
    """Group rows by benchmark, in catalog order and then by name."""
    by_benchmark: dict[str, list[Row]] = {}
    for row in judged:
        by_benchmark.setdefault(row.benchmark, []).append(row)
    described = [name for name in names.catalog.benchmarks if name in by_benchmark]
    out = []
    for benchmark in [*described, *sorted(by_benchmark.keys() - described)]:
        measured = [replace(row, past=()) if row.past else row for row in by_benchmark[benchmark]]
        ratios = [row.ratio for row in measured if row.ratio is not None]
        # fsum() does not depend on the order of rows.
        mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios)) if ratios else None
        title = names.catalog.title(benchmark)
        out.append(Group(benchmark, title, mean, len(ratios), _counts(by_benchmark[benchmark])))
    return tuple(out)


def _counts(judged: Sequence[Row]) -> dict[Verdict, int]:
    """Count the rows by verdict."""
    counts = Counter(row.verdict for row in judged)
    return {verdict: counts[verdict] for verdict in WORDS}


def _coverage(judged: Sequence[Row]) -> list[Coverage]:
    """Count, by benchmark and board, the figures that only one side has."""
    by_board: dict[tuple[str, str, str], list[Row]] = {}
    for row in judged:
        platform = f"{row.guide.soc}, {family(row.guide)}"
        by_board.setdefault((platform, row.board, row.benchmark), []).append(row)
    out = []
    kinds: tuple[tuple[Kind, Verdict, Verdict], ...] = (
        ("lost", "only-old", "only-new"),
        ("gained", "only-new", "only-old"),
    )
    for kind, missing, fresh in kinds:
        for where, of_board in sorted(by_board.items(), key=lambda item: item[0]):
            count = sum(row.verdict == missing for row in of_board)
            if count:
                out.append(Coverage(kind, *where, count, sum(r.verdict != fresh for r in of_board)))
    return out


def _system_and_board(row: Row, names: Names) -> str:
    """Return the system and the board of a row, as named in sentences."""
    board = names.boards.short(row.guide.soc, row.board)
    return f"{row.guide.soc}, {family(row.guide)}, {board}"


def _conditions(
    old: Pool, new: Pool, judged: Sequence[Row], names: Names
) -> tuple[list[str], list[str]]:
    """Return notes on changed conditions of the measurements of each board, and on those that only
    one side states."""
    changed: dict[tuple[str, str], set[tuple[str, str]]] = {}
    unstated: Counter[tuple[str, str]] = Counter()
    for row in judged:
        # The ground of an incomparable row usually names the condition already.
        if row.old is None or row.new is None or row.verdict == "incomparable":
            continue
        was, now = old.conditions(row.old), new.conditions(row.new)
        board = _system_and_board(row, names)
        for name in sorted({*was, *now}):
            a, b = (" and ".join(sorted(side.get(name, ()))) for side in (was, now))
            if name in CONDITION_WORDS:
                if not a or not b:
                    unstated[CONDITION_WORDS[name], "old" if not a else "new"] += 1
            elif a and b and a != b and (name in BY_DESIGN or name.startswith(("tool ", SETUP))):
                word = name.removeprefix(SETUP)
                if name.startswith("tool "):
                    word = f"version of {name.removeprefix('tool ')}"
                changed.setdefault((board, word), set()).add((a, b))
    notes = []
    for (board, word), pairs in sorted(changed.items()):
        texts = "; ".join(f"“{a}” before, “{b}” now" for a, b in sorted(pairs))
        notes.append(f"{board}: the {word} changed: {texts}")
    silent = [
        f"the {which} side does not state the {word} of {count} figures that the other states"
        for (word, which), count in sorted(unstated.items())
    ]
    return notes, silent


def _waiver_findings(judged: Sequence[Row], rules: Rules, only: Filter) -> list[Diagnostic]:
    used = {row.waiver.number for row in judged if row.waiver}
    out = _unused(judged, rules, only)
    for waiver in rules.waivers:
        if waiver.number in used:
            continue
        mine = [row for row in judged if about(waiver, row)]
        alarms = [row for row in mine if row.alarming]
        until = waiver.spec.until
        # Alarms come first, because a lapsed waiver matters more than a needless one.
        if any(row.new and waiver.lapsed(row.new.guide.release) for row in alarms):
            hint = "fix the regression, or agree on another release and change “until”"
            out.append(waiver.finding(f"lapsed with {until}, and the change is still there", hint))
        elif alarms:
            hint = "look at the new change, and raise “most” only with a reason"
            out.append(waiver.finding("accepts less than what is found now", hint))
        elif mine and all(row.new and waiver.lapsed(row.new.guide.release) for row in mine):
            out.append(waiver.finding(f"lapsed with {until} and is not needed", "remove it"))
        # With a filter, its figures may simply not have been requested.
        elif mine or only == Filter():
            wrong = "nothing that it accepts was found" if mine else "no figure has these names"
            out.append(waiver.finding(f"is not used: {wrong}", "remove it, or fix its names"))
    return out


def _unused(judged: Sequence[Row], rules: Rules, only: Filter) -> list[Diagnostic]:
    """Return findings for notes and new levels that match no figure; none with a filter, which may
    hide their figures."""
    if only != Filter():
        return []
    return [
        entry.finding("is not used: no figure has these names", "remove it, or fix its names")
        for entry in rules.annotations.every
        if not any(about(entry, row) for row in judged)
    ]


def annotations_used(judged: Sequence[Row], rules: Rules) -> set[tuple[str, int]]:
    """Return the keys of file entries that match or accept any row."""
    entries = rules.annotations.every
    used = {entry.key for entry in entries if any(about(entry, row) for row in judged)}
    return used | {row.waiver.key for row in judged if row.waiver}

"""Two boards, SoCs or systems side by side: ratios and other differences, without alarms.

No history shows how far apart two boards are by chance, so there are plain ratios, without a
verdict unless both sides have several runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from ..bundles.guide_key import GuideKey, Platform, family
from ..catalog.benchmarks import Scalar
from ..common import units
from ..figures import engines
from ..figures.conditions import SETUP
from ..figures.pool import Pool, Record
from . import history
from .judge import Pair, judge
from .match import (
    CLOCK_TOLERANCE,
    CONDITION_WORDS,
    Match,
    Names,
    alike,
    match,
    metric_of,
    obstacles,
    tools_of,
)
from .not_compared import impossible
from .open_rows import pair_of
from .select import ComparedSide

Place = tuple[Platform, str]
"""A platform, and a board under its current name."""

Standing = Literal["apart", "unsure", "one run", "incomparable", "failed"]
"""A verdict on two figures from their runs; ``one run`` if there are too few."""

BOARD_CONDITIONS = ("cpu_mhz", "memory", "governor")
"""Conditions that differ by board: they are listed but do not make figures incomparable."""

OWN_SCALE = ("share", "temperature", "frequency", "number", "DMIPS per MHz", "size", "files")
"""Kinds of unit that are neither rates nor times, so that figures per MHz are meaningless."""


@dataclass(frozen=True, slots=True)
class BoardSide:
    """One board with one release. ``clock`` is that of its processor in MHz, ``None`` if unknown or
    ambiguous. ``cpu`` describes its cores, and ``cores`` is their number, 0 if unknown."""

    platform: Platform
    board: str
    release: str
    clock: float | None
    cpu: str = ""
    cores: int = 0

    @property
    def title(self) -> str:
        """The SoC, the system, the board and the release in words."""
        sdk, soc, os = self.platform
        return f"{soc}, {family(GuideKey(sdk, soc, os, ''))}, {self.board} {self.release}"


@dataclass(frozen=True, slots=True)
class Boards:
    """Two boards side by side. ``differs`` lists differences in the conditions of their figures,
    and ``only`` counts the figures that only the first, and only the second, board has."""

    first: BoardSide
    second: BoardSide
    differs: tuple[str, ...]
    only: tuple[int, int]

    @property
    def clock_ratio(self) -> float | None:
        """The ratio of the clocks, second over first; ``None`` if alike or one is unknown."""
        one, two = self.first.clock, self.second.clock
        if one is None or two is None or abs(two / one - 1) <= CLOCK_TOLERANCE:
            return None
        return two / one if units.measurable(two / one) else None


@dataclass(frozen=True, slots=True)
class Line:
    """One figure on both sides, both in ``unit``.

    ``ratio`` is second over first, ``None`` if there is none; ``better`` is the direction in which
    it is better. ``per_mhz`` is the ratio of work per clock cycle or, for times, of cycles.
    ``ground`` gives the reason for ``standing``.
    """

    boards: Boards
    benchmark: str
    metric: str
    params: dict[str, Scalar]
    unit: str
    better: units.Better
    first: Record
    second: Record
    ratio: float | None = None
    per_mhz: float | None = None
    standing: Standing = "one run"
    q: float | None = None
    ground: str = ""

    def towards(self, ratio: float | None) -> float | None:
        """Return a ratio in the better direction, or ``None`` if there is none."""
        if ratio is None or self.better == "neither":
            return None
        return ratio if self.better == "higher" else 1 / ratio


@dataclass(frozen=True, slots=True)
class Mean:
    """The geometric means of a benchmark's ratios in the better direction; ``of`` counts the
    ratios, and is named as in JSON."""

    title: str
    ratio: float
    per_mhz: float | None
    of: int


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The comparison of two sides, whose names as the user gave them are ``old`` and ``new``."""

    old: str
    new: str
    boards: tuple[Boards, ...]
    lines: tuple[Line, ...]
    means: tuple[Mean, ...]
    notes: tuple[str, ...]


def shared_places(old: ComparedSide, new: ComparedSide) -> set[Place]:
    """Return the boards that both sides have, each with its platform."""
    return set(_places(old)) & set(_places(new))


def partners(old: ComparedSide, new: ComparedSide) -> list[tuple[Place, Place]]:
    """Return the pairs of boards to compare: each side's only board, or boards of one name."""
    first, second = _places(old), _places(new)
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    counts = [Counter(board for _, board in places) for places in (first, second)]
    # Names that several platforms share are left out below.
    by_name = {board: (platform, board) for platform, board in second}
    return [
        ((platform, board), by_name[board])
        for platform, board in first
        if counts[0][board] == counts[1][board] == 1
    ]


def names_of_boards(side: ComparedSide) -> list[str]:
    """Return the names of a side's boards in natural order."""
    return sorted({board for _, board in _places(side)}, key=units.natural)


def _places(side: ComparedSide) -> list[Place]:
    return [(p, board) for p, releases in side.releases.items() for board in sorted(releases)]


def side_by_side(old: ComparedSide, new: ComparedSide, names: Names) -> SideBySide:
    """Compare each board with its partner, with the largest differences first."""
    pairs = partners(old, new)
    boards: list[Boards] = []
    lines: list[Line] = []
    for first, second in pairs:
        both, pair_lines = _beside(old, new, first, second, names)
        boards.append(both)
        lines += pair_lines
    notes = [*old.notes, *(note for note in new.notes if note not in old.notes)]
    for side, position in ((old, 0), (new, 1)):
        taken = {pair[position] for pair in pairs}
        left = sorted(
            {board for platform, board in _places(side) if (platform, board) not in taken}
        )
        if left:
            notes.append(f"{side.name}: the other side has no board {', '.join(left)}")
    lines.sort(key=_order)
    return SideBySide(
        old.name, new.name, tuple(boards), tuple(lines), _means(lines, names), tuple(notes)
    )


def _order(line: Line) -> tuple[object, ...]:
    size = abs(math.log(line.ratio)) if line.ratio else -1.0
    text = repr(sorted(line.params.items()))
    return (-size, line.first.board, line.benchmark, line.metric, units.natural(text))


def _beside(
    old: ComparedSide,
    new: ComparedSide,
    first: Place,
    second: Place,
    names: Names,
) -> tuple[Boards, list[Line]]:
    one, two = (
        _records(side, platform_and_board, names)
        for side, platform_and_board in ((old, first), (new, second))
    )
    # Matches are within a board, so the first side is matched under the board of the second.
    renamed = [_as_of(record, second) for record in one]
    originals = {record.cell.members[0]: record for record in one}
    matched = [
        replace(each, old=originals[each.old.cell.members[0]] if each.old else None)
        for each in match(renamed, two, names)
    ]
    pairs = [each for each in matched if each.old and each.new]
    sides = []
    for side, platform_and_board, records in ((old, first, one), (new, second, two)):
        (_, soc, _), board = platform_and_board
        entry = names.boards.entry(soc, board)
        release = side.releases[platform_and_board[0]][board]
        clock = clock_of(side.pool, records, names)
        sides.append(BoardSide(*platform_and_board, release, clock, entry.cpu(), entry.cores))
    only = (
        sum(1 for each in matched if each.new is None),
        sum(1 for each in matched if each.old is None),
    )
    boards = Boards(sides[0], sides[1], _differs(old.pool, new.pool, pairs), only)
    inferred = [engines.inferred(records, names.catalog) for records in (one, two)]
    lines = []
    for each in pairs:
        line = _line(each, boards, old.pool, new.pool, names)
        was, now = (
            by_run.get(engines.run_of(record))
            for by_run, record in zip(inferred, (line.first, line.second), strict=True)
        )
        if line.ratio is not None and was and now and was.name != now.name:
            line = _with_ground(line, f"engines: {was.name} and {now.name} (inferred)")
        lines.append(line)
    return boards, _judged_together(lines, old.pool, new.pool, names)


def _records(side: ComparedSide, platform_and_board: Place, names: Names) -> list[Record]:
    platform, board = platform_and_board
    return [
        record
        for record in side.records[platform]
        if names.boards.today(record.guide.soc, record.board) == board
    ]


def _as_of(record: Record, platform_and_board: Place) -> Record:
    platform, board = platform_and_board
    return replace(record, guide=GuideKey(*platform, record.guide.release), board=board)


def clock_of(pool: Pool, records: Sequence[Record], names: Names) -> float | None:
    """Return the clock in MHz that the figures of a board state or, if none does, that a benchmark
    measured; ``None`` if there is not exactly one value."""
    stated = {text for record in records for text in pool.conditions(record).get("cpu_mhz", ())}
    if stated:
        return float(stated.pop()) if len(stated) == 1 else None
    read = set()
    for record in records:
        metric = metric_of(names, record)
        factor = units.factor(record.unit, "MHz")
        if metric and metric.clock and factor and record.cell.mean:
            read.add(record.cell.mean * factor)
    return read.pop() if len(read) == 1 else None


def _differs(old: Pool, new: Pool, pairs: Sequence[Match]) -> tuple[str, ...]:
    """Describe the conditions, other than commands and clocks, that both boards state but that
    differ for figures of both."""
    differences: dict[str, set[tuple[str, str]]] = {}
    for each in pairs:
        assert each.old and each.new  # pairs have both
        was, now = old.conditions(each.old), new.conditions(each.new)
        for name in sorted({*was, *now}):
            # Commands are in the grounds of their rows, and clocks have a line of their own.
            if name in ("command", "cpu_mhz"):
                continue
            a, b = (" and ".join(sorted(side.get(name, ()))) for side in (was, now))
            if a and b and not alike(name, a, b):
                differences.setdefault(name, set()).add((a, b))
    out = []
    for name, texts in differences.items():
        word = CONDITION_WORDS.get(name, name.removeprefix(SETUP))
        if name.startswith("tool "):
            word = f"version of {name.removeprefix('tool ')}"
        out += [f"{word}: “{a}” and “{b}”" for a, b in sorted(texts)]
    return tuple(out)


def _line(each: Match, boards: Boards, old: Pool, new: Pool, names: Names) -> Line:
    first, second = each.old, each.new
    assert first and second  # pairs have both
    metric = metric_of(names, second)
    line = Line(
        boards,
        second.benchmark,
        names.metric(second),
        names.params(second),
        second.unit,
        metric.better if metric else "neither",
        first,
        second,
        ground="; ".join(each.aliases),
    )
    factor = units.factor(first.unit, second.unit)
    if factor is not None:
        first = replace(first, cell=history.scaled(first.cell, factor), unit=second.unit)
        line = replace(line, first=first)
    was, now = (
        {
            name: texts
            for name, texts in pool.conditions(record).items()
            if name not in BOARD_CONDITIONS
        }
        for pool, record in ((old, first), (new, second))
    )
    matters = partial(names.matters, second.benchmark)
    reasons = each.differs or obstacles(was, now, tools_of(names, second.benchmark), matters)
    ground = "; ".join(dict.fromkeys(reasons)) or impossible(metric, line.params, (first, second))
    if ground:
        return replace(line, standing="incomparable", ground=ground)
    one, two = first.cell.mean, second.cell.mean
    if one is None or two is None:
        return replace(line, standing="failed", ground="a side has no figure: its runs failed")
    kind = units.parse(second.unit).kind
    # A ratio of loads says nothing, as each load belongs to a different rate.
    if kind == "share":
        return _with_ground(line, "a share: read it beside the rate that was reached with it")
    if one <= 0 or two <= 0:
        return _with_ground(line, "no ratio to or from zero")
    if not units.measurable(one) or not units.measurable(two):
        return _with_ground(line, "no ratio: nothing that is measured has a figure of this size")
    ratio = two / one
    clock_ratio = boards.clock_ratio if kind not in OWN_SCALE and line.better != "neither" else None
    per_mhz = None
    if clock_ratio is not None:
        scaled_ratio = ratio / clock_ratio if line.better == "higher" else ratio * clock_ratio
        per_mhz = scaled_ratio if units.measurable(scaled_ratio) else None
    return replace(line, ratio=ratio, per_mhz=per_mhz)


def _with_ground(line: Line, ground: str) -> Line:
    """Return a line with one more ground."""
    return replace(line, ground="; ".join(filter(None, (line.ground, ground))))


def _judged_together(lines: Sequence[Line], old: Pool, new: Pool, names: Names) -> list[Line]:
    """Return the lines, with those that have several runs on both sides tested together."""
    out = list(lines)
    pairs: dict[int, Pair] = {}
    for position, line in enumerate(lines):
        # A single run does not show any scatter.
        if line.ratio is None or min(_runs(line.first), _runs(line.second)) < 2:
            continue
        sides = history.side(line.first.cell, old), history.side(line.second.cell, new)
        pair = replace(pair_of(line.second, names), old=sides[0], new=sides[1])
        if pair.sampled:
            pairs[position] = pair
    for position, judgement in zip(pairs, judge(list(pairs.values())), strict=True):
        line = lines[position]
        standing: Standing = "apart" if judgement.outcome == "different" else "unsure"
        line = replace(line, standing=standing, q=judgement.q)
        out[position] = _with_ground(line, judgement.ground)
    return out


def _runs(record: Record) -> int:
    return record.cell.runs - record.cell.failed


def _means(lines: Sequence[Line], names: Names) -> tuple[Mean, ...]:
    by_benchmark: dict[str, list[Line]] = {}
    for line in lines:
        if line.towards(line.ratio) is not None:
            by_benchmark.setdefault(line.benchmark, []).append(line)
    described = [name for name in names.catalog.benchmarks if name in by_benchmark]
    out = []
    for benchmark in [*described, *sorted(by_benchmark.keys() - described)]:
        compared = by_benchmark[benchmark]
        ratio = _geometric_mean([line.towards(line.ratio) for line in compared])
        per_mhz = [line.towards(line.per_mhz) for line in compared]
        # A mean of only some figures would not match the count beside it.
        mean_per_mhz = None if None in per_mhz else _geometric_mean(per_mhz)
        out.append(Mean(names.catalog.title(benchmark), ratio, mean_per_mhz, len(compared)))
    return tuple(out)


def _geometric_mean(ratios: Sequence[float | None]) -> float:
    logs = [math.log(ratio) for ratio in ratios if ratio is not None]
    return math.exp(math.fsum(logs) / len(logs))


def tally(lines: Sequence[Line]) -> Mapping[Standing, int]:
    """Count the lines by standing."""
    return Counter(line.standing for line in lines)

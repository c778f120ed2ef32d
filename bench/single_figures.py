"""Measure the quality of verdicts on single figures, on an archive with many releases.

    python bench/single_figures.py ARCHIVE… [--output FILE]

Everything is printed as CSV; a few rows go to the page *Speed and accuracy*, and ``--output`` names
another file for them. The exit status is 1 if a goal is missed. Each SoC of an archive is judged
with a table of usual noise learnt from the others, and each release with only earlier ones, as on
the day of its publication.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import page_rows
from archive import Archive, Row, read
from usual_noise import learn

from perfguide.compare.judge import Judgement, Pair, judge
from perfguide.compare.relative import Side
from perfguide.compare.usual_noise import Table

HEAD = ("Figures", "What", "Measured", "Goal", "Outcome")

MAX_QUIET_RATIO = 1.10
"""The largest ratio between the figures of a quiet row."""

MIN_FIGURES = 5
"""The number of figures that a row needs to be shuffled or drawn."""


class Count(NamedTuple):
    """A number of cases, and of those that it is counted among."""

    hits: int
    of: int


@dataclass(frozen=True)
class Goal:
    """A percentage, or a number, with its goal."""

    where: str
    what: str
    value: float
    of: int
    least: float | None = None
    most: float | None = None
    unit: str = "%"

    @property
    def missed(self) -> bool:
        """True if the goal is missed."""
        if not self.of:
            return False
        too_low = self.least is not None and self.value < self.least
        return too_low or (self.most is not None and self.value > self.most)

    def cells(self) -> tuple[str, ...]:
        """Return a row of the printed table."""
        goal = "—"
        if self.least is not None:
            goal = f"at least {self.least:.3g}"
        if self.most is not None:
            goal = f"at most {self.most:.3g}"
        met = "—" if goal == "—" or not self.of else "missed" if self.missed else "met"
        return self.where, self.what, f"{self.value:.1f} {self.unit} of {self.of}", goal, met


def share(count: int, of: int) -> float:
    """Return the percentage of ``count`` in ``of``."""
    return 100 * count / of if of else 0.0


# ---------------------------------------------------------------- an archive as it is


def called(judgements: Iterable[Judgement]) -> list[bool]:
    """Return whether each row is called different."""
    return [one.outcome == "different" for one in judgements]


def step_kind(row: Row, releases: Sequence[str], number: int) -> str:
    """Return the kind of step that a row made at a release, judging by the releases after it, or ""."""
    positions = [i for i, name in enumerate(releases) if name in row.figures]
    if row.template.load or number not in positions:
        return ""
    index = positions.index(number)
    values = [row.figures[releases[i]].mean for i in positions]
    before, after = values[max(0, index - 3) : index], values[index : index + 2]
    if len(before) == 3 and len(after) == 2 and min(*before, *after) > 0:
        size = abs(after[0] / before[-1] - 1)
        if max(before) <= 1.02 * min(before) and max(after) <= 1.02 * min(after):
            return "lasting > 20 %" if size > 0.2 else "lasting 10–20 %" if size > 0.1 else ""
    for early in (5, 4, 3):
        for late in (3, 2):
            before, after = values[max(0, index - early) : index], values[index : index + late]
            if len(before) != early or len(after) != late or min(*before, *after) <= 0:
                continue
            gap = max(min(after) - max(before), min(before) - max(after))
            wide = max(max(before) - min(before), max(after) - min(after))
            if gap > wide and abs(after[0] / before[-1] - 1) > 0.2:
                return "noisier > 20 %"
    return ""


def went_back(row: Row, releases: Sequence[str], number: int) -> bool | None:
    """Return whether the next release reverted a change; ``None`` if it is unclear or missing."""
    later = [name for name in releases[number + 1 :] if name in row.figures]
    if not later:
        return None
    old, new, then = (
        row.figures[r].mean for r in (releases[number - 1], releases[number], later[0])
    )
    if min(old, new, then) <= 0 or old == new:
        return None
    kept = np.log(then / old) / np.log(new / old)
    return True if kept < 1 / 3 else False if kept > 2 / 3 else None


def real(archive: Archive, tables: dict[str, Table]) -> list[Goal]:
    """Return the goals for the releases of an archive as they are."""
    seen: Counter[str] = Counter()
    there: Counter[str] = Counter()
    fate: Counter[tuple[bool, bool]] = Counter()
    pairs = alarms = small = 0
    for platform, releases in archive.releases.items():
        for number in range(1, len(releases)):
            rows, row_pairs = archive.pairs(platform, number)
            if not rows:
                continue
            pairs += 1
            judged = judge(row_pairs, table=tables[platform[1]])
            for row, one in zip(rows, judged, strict=True):
                kind = step_kind(row, releases, number)
                there[kind] += 1
                if one.outcome != "different":
                    continue
                seen[kind] += 1
                alarms += 1
                # A row explained by a shift is not an alarm of its own.
                small += one.shift is None and abs(one.change or 0) < 0.05
                turned = went_back(row, releases, number)
                if turned is not None:
                    fate[one.shift is not None, turned] += 1
    # The goal is 10 calls in an archive of 193 pairs.
    scaled = 10 * pairs / 193
    return [
        *(
            Goal("archive", kind, share(seen[kind], there[kind]), there[kind], least)
            for kind, least in (
                ("lasting > 20 %", 100 * 49 / 53), ("lasting 10–20 %", 40), ("noisier > 20 %", None),
            )
        ),
        Goal("archive", "rows called a pair", alarms / pairs, pairs, unit=""),
        Goal("archive", "called below 5 %", small, pairs, most=scaled, unit=""),
        *(
            Goal("archive", what, share(fate[kind, True], fate[kind, True] + fate[kind, False]),
                 fate[kind, True] + fate[kind, False], most=most)
            for what, kind, most in (
                ("called alone and taken back by the next", False, 40.0),
                ("in a common shift and taken back by the next", True, None),
            )
        ),
    ]  # fmt: skip


# ---------------------------------------------------------------- nothing changed, or one thing


def with_figures(row: Row, values: Sequence[float]) -> Row:
    """Return a row with other figures in the same releases."""
    names = list(row.figures)
    figures = {
        name: Side(float(value), step=row.figures[name].step)
        for name, value in zip(names, values, strict=True)
    }
    return replace(row, figures=figures)


def means(row: Row) -> np.ndarray:
    """Return the figures of a row, in release order."""
    return np.array([side.mean for side in row.figures.values()])


def is_quiet(row: Row) -> bool:
    """Return whether the figures of a row are close together."""
    values = means(row)
    return (
        len(values) >= MIN_FIGURES
        and values.min() > 0
        and values.max() <= MAX_QUIET_RATIO * values.min()
    )


def shuffled(row: Row, random: np.random.Generator) -> Row | None:
    """Return a quiet row with its figures in random order, or ``None``."""
    return with_figures(row, random.permutation(means(row)).tolist()) if is_quiet(row) else None


def drawn(row: Row, random: np.random.Generator) -> Row | None:
    """Return figures around one level, with the row's own scatter, heavy tails, and rounding."""
    values = means(row)
    if len(values) < MIN_FIGURES or values.min() <= 0:
        return None
    # The median difference of two normal figures is 0.954 of their standard deviation.
    spread = min(float(np.median(np.abs(np.diff(np.log(values))))) / 0.954, 0.5)
    sampled = np.exp(np.median(np.log(values)) + spread / 1.2 * random.standard_t(4, len(values)))
    step = min(side.step for side in row.figures.values()) or 1e-6
    sampled = np.maximum(np.round(sampled / step) * step, step)
    if row.template.load:
        sampled = np.minimum(sampled, 100)
    return with_figures(row, sampled.tolist())


@dataclass
class Tally:
    """Counts over some comparisons: those with an alarm, and the planted rows that were flagged."""

    pairs: int = 0
    alarmed: int = 0
    planted: Counter[float] = field(default_factory=Counter)
    seen: Counter[float] = field(default_factory=Counter)


Make = Callable[[Row, np.random.Generator], Row | None]


def over(
    archive: Archive, tables: dict[str, Table], make: Make, times: int, seed: int, planted: bool
) -> Tally:
    """Judge an archive with simulated rows; some of them get a change."""
    random = np.random.default_rng(seed)
    tally = Tally()
    for platform, releases in archive.releases.items():
        for _ in range(times):
            rows = [row for row in archive.rows if row.platform == platform]
            rows_made = [new for row in rows if (new := make(row, random)) is not None]
            fake = Archive(tuple(rows_made), {platform: releases})
            # Earlier releases have too short a past to judge them by.
            for number in range(4, len(releases)):
                _, pairs = fake.pairs(platform, number)
                if len(pairs) < 20:
                    continue
                sizes = np.zeros(len(pairs))
                if planted:
                    chosen = random.permutation(len(pairs))[: max(3, len(pairs) // 50)]
                    sizes[chosen] = random.choice([0.1, 0.2, 0.5], len(chosen))
                    pairs = [_moved(p, s) for p, s in zip(pairs, sizes.tolist(), strict=True)]
                outcome = called(judge(pairs, table=tables[platform[1]]))
                tally.pairs += 1
                tally.alarmed += any(outcome)
                for size, hit in zip(sizes.tolist(), outcome, strict=True):
                    tally.planted[size] += 1
                    tally.seen[size] += hit
    return tally


def _moved(pair: Pair, size: float) -> Pair:
    if not size:
        return pair
    mean = pair.new.mean * (1 + size)
    mean = round(mean / pair.new.step) * pair.new.step if pair.new.step else mean
    return replace(pair, new=replace(pair.new, mean=mean))


def constant_pasts() -> Count:
    """Return the number of rows without scatter that are called after a jump, among all of these."""
    seen = of = 0
    for releases in (3, 5, 8, 12):
        for jump in (1.2, 2.0, 4.67):
            rows = [
                Pair(Side(value, step=0.01), Side(value, step=0.01), "lmbench/latency/us",
                     (Side(value, step=0.01),) * (releases - 1), 0.02, "lmbench", "latency us")
                for value in np.linspace(1.2, 90, 40).round(2).tolist()
            ]  # fmt: skip
            rows[3] = _moved(rows[3], jump - 1)
            judged = judge(rows)
            seen += judged[3].outcome == "different"
            seen -= any(called(j for i, j in enumerate(judged) if i != 3))
            of += 1
    return Count(seen, of)


def republished(random: np.random.Generator) -> Count:
    """Return the number of pairs with an alarm among those whose figures were published twice before
    they changed as usual."""
    alarmed = of = 0
    for _ in range(20):
        spread = np.exp(random.normal(-3.5, 0.7, 100))
        values = np.exp(spread[:, None] * random.standard_normal((100, 8)))
        values[:, 5] = values[:, 4]
        pairs = [
            pair(values[i, :-1].tolist(), float(values[i, -1]), f"f{i % 5}") for i in range(100)
        ]
        alarmed += any(called(judge(pairs)))
        of += 1
    return Count(alarmed, of)


def drift(random: np.random.Generator) -> Count:
    """Return the number of pairs with an alarm among those whose rows drift (AR 0.9)."""
    alarmed = of = 0
    for _ in range(40):
        noise = random.standard_normal((150, 12))
        for k in range(1, 12):
            noise[:, k] = 0.9 * noise[:, k - 1] + np.sqrt(1 - 0.81) * noise[:, k]
        values = 100 * np.exp(0.03 * noise)
        pairs = [
            pair(values[i, :-1].tolist(), float(values[i, -1]), f"f{i % 5}") for i in range(150)
        ]
        alarmed += any(called(judge(pairs)))
        of += 1
    return Count(alarmed, of)


def boards_together(random: np.random.Generator) -> tuple[Count, Count]:
    """Return the number of false calls among all calls, and that of moves called among all moves, if
    one row in ten moves by 10 % on three boards. Boards share a quarter of their noise."""
    false = calls = seen = moves = 0
    for _ in range(30):
        spread = np.exp(random.normal(-4, 0.6, (150, 1, 1)))
        noise = np.sqrt(0.25) * random.standard_normal((150, 1, 9))
        noise = noise + np.sqrt(0.75) * random.standard_normal((150, 3, 9))
        values = 100 * np.exp(spread * noise)
        moved = random.random(150) < 0.1
        values[moved, :, -1] *= random.choice([0.9, 1.1], (int(moved.sum()), 1))
        pairs = [
            replace(pair(own[:-1].tolist(), float(own[-1]), f"f{i % 5}"), figure=str(i))
            for i, boards in enumerate(values)
            for own in boards
        ]
        outcome, truth = np.array(called(judge(pairs))), np.repeat(moved, 3)
        false, calls = false + int((outcome & ~truth).sum()), calls + int(outcome.sum())
        seen, moves = seen + int((outcome & truth).sum()), moves + int(truth.sum())
    return Count(false, calls), Count(seen, moves)


def pair(past: Sequence[float], new: float, family: str, shared: tuple[str, ...] = ()) -> Pair:
    """Return a drawn row of single figures."""
    sides = [Side(value) for value in past]
    return Pair(sides[-1], Side(new), family, tuple(sides[:-1]), 0.02, family, family,
                upward=1 if shared else 0, shared=shared)  # fmt: skip


FIRST_SEED = 1000
"""No constant of a comparison was tuned on seeds from this one to 4999."""


def measure(archive: Archive, times: int, seed: int) -> list[Goal]:
    """Return the entire table."""
    socs = {platform[1] for platform in archive.releases}
    tables = {soc: learn(archive, without=soc) for soc in socs}
    goals = real(archive, tables)
    for name, make, most in (("shuffled quiet rows", shuffled, 7), ("drawn rows", drawn, 5)):
        tally = over(archive, tables, make, times, seed, planted=False)
        value = share(tally.alarmed, tally.pairs)
        goals.append(Goal(name, "pairs with any alarm", value, tally.pairs, most=most))
    tally = over(archive, tables, shuffled, 1, seed, planted=True)
    for size in (0.1, 0.2, 0.5):
        what = f"planted steps of {100 * size:.0f} % called"
        value = share(tally.seen[size], tally.planted[size])
        goals.append(Goal("shuffled quiet rows", what, value, tally.planted[size]))
    jumps = constant_pasts()
    goals.append(
        Goal("constant pasts", "jumps called, and no more", share(*jumps), jumps.of, least=100)
    )
    random = np.random.default_rng(seed)
    for name, count in (("republished figures", republished), ("drift, AR 0.9", drift)):
        alarms = count(random)
        goals.append(Goal(name, "pairs with any alarm", share(*alarms), alarms.of, most=10))
    false, moved = boards_together(random)
    goals.append(Goal("three boards", "calls that are false", share(*false), false.of, most=5))
    goals.append(Goal("three boards", "moves of 10 % called", share(*moved), moved.of, least=70))
    return goals


PUBLISHED = {
    ("archive", "lasting > 20 %"): "Lasting changes above 20 % that were called",
    ("archive", "lasting 10–20 %"): "Lasting changes of 10 to 20 % that were called",
    ("archive", "called alone and taken back by the next"): "Calls that the next release took back",
    ("shuffled quiet rows", "pairs with any alarm"): "Comparisons without a change that called one",
}
"""The goals shown on the page, with their labels there."""


def published(goals: Sequence[Goal]) -> list[tuple[str, ...]]:
    """Return the rows of the page."""
    by_name = {(goal.where, goal.what): goal.cells() for goal in goals}
    return [(words, *by_name[name][2:4]) for name, words in PUBLISHED.items()]


def main() -> int:
    """Measure, print, and write the rows of the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("archive", type=Path, nargs="+")
    parser.add_argument("--times", type=int, default=3, help="draws of each kind (%(default)s)")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="the first seed (%(default)s)")
    parser.add_argument("--output", type=Path, default=page_rows.SINGLE_VERDICTS)
    asked = parser.parse_args()
    goals = measure(read(asked.archive), asked.times, asked.seed)
    csv.writer(sys.stdout).writerows((HEAD, *(goal.cells() for goal in goals)))
    page_rows.write(asked.output, page_rows.SINGLE_HEAD, published(goals))
    return int(any(goal.missed for goal in goals))


if __name__ == "__main__":
    sys.exit(main())

"""How often does a comparison raise a false alarm, and how often does it see a change?

    python bench/compare_quality.py            a quarter of an hour
    python bench/compare_quality.py --quick    few comparisons, in seconds
    python bench/compare_quality.py --history FOLDER
                                               single figures, on an archive with many
                                               releases; exit status 1 where a goal is missed

Pairs of releases with known changes are simulated and judged, and benchstat and asv are
run on the same samples. Everything is printed as CSV; the page *Speed and accuracy* gets a few
rows of it, and ``--output`` names another file for these.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import archive
import numpy as np
import page_rows
import rivals
import single_figures
from numpy.typing import NDArray
from simulated import SHAPES, Comparison, Scenario, compare

from perfguide.compare.judge import adjusted, judge

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RATE = 0.05
FIRST = 1000
"""The first seed of the run that is kept. No constant of the comparison was chosen on this seed
or later ones up to 4999: to choose constants, pass others."""

SEEN = (0.05, 0.10)
"""Sizes of change whose power is shown."""

PUBLISHED = ("Samples", "Comparisons", "Wrong (%)", "5 % seen (%)", "10 % seen (%)")
"""Columns of the table on the page."""

HEAD = [
    "Noise", "Samples", "Releases before", "Rows changed %", "Comparisons",
    "False alarms %", "± (1 s.e.)", "Seen at 5 %", "Seen at 10 %",
    *(
        f"{name}: {what}"
        for name in ("benchstat adjusted", "asv adjusted")
        for what in ("false alarms %", "seen at 5 %", "seen at 10 %")
    ),
    "Their test at our rate: seen at 5 %", "Their test at our rate: seen at 10 %",
    *(
        f"{name}: {what}"
        for name in ("benchstat as is", "asv compare as is")
        for what in ("false alarms %", "seen at 5 %", "seen at 10 %")
    ),
]  # fmt: skip


@dataclass
class Score:
    """Outcomes of one method over the comparisons of one scenario."""

    wrong: list[float] = field(default_factory=list)
    seen: dict[float, list[float]] = field(default_factory=dict)

    def add(self, called: Bools, change: Floats) -> None:
        false = int((called & (change == 0)).sum())
        self.wrong.append(false / max(int(called.sum()), 1))
        for size in SEEN:
            chosen = np.isclose(np.abs(change), size)
            self.seen.setdefault(size, []).extend(called[chosen].astype(float).tolist())

    @property
    def rate(self) -> float:
        return float(np.mean(self.wrong))

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error of the rate, as if one more comparison had failed by half."""
        count = len(self.wrong)
        return float(np.sqrt(np.var(self.wrong) / count + (0.5 / (count + 1)) ** 2))

    def power(self, size: float) -> float | None:
        made = self.seen.get(size)
        return float(np.mean(made)) if made else None

    def merge(self, other: Score) -> None:
        self.wrong += other.wrong
        for size, called in other.seen.items():
            self.seen.setdefault(size, []).extend(called)

    def cells(self) -> list[str]:
        return [share(self.rate), *(share(self.power(size)) for size in SEEN)]


def share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


@dataclass
class Rivals:
    """What the other programs made of the same samples, with p-values and truth kept."""

    folder: Path
    program: Path | None
    scores: dict[str, Score]
    kept: list[tuple[Floats, Floats]]
    apart: int = 0
    checked: int = 0

    def add(self, made: Comparison, own: bool) -> None:
        p = rivals.asv_p(made.old, made.new)
        self.kept.append((p, made.change))
        self._score("asv adjusted", np.array(adjusted(p.tolist())) <= RATE, made.change)
        if self.program is not None:
            printed = rivals.benchstat_p(self.program, made.old, made.new, self.folder)
            shown = np.array([float(text) for text in printed])
            # benchstat prints three decimals; where those agree, the other digits are taken
            # from the same test in asv.
            same = np.abs(shown - p) <= 0.000501
            self.apart += int((~same).sum())
            exact = np.where(same, p, shown)
            called = np.array(adjusted(exact.tolist())) <= RATE
            self._score("benchstat adjusted", called, made.change)
            self._score("benchstat as is", shown < RATE, made.change)
        if own:
            self._score("asv as is", rivals.asv_decides(made.old, made.new), made.change)

    def check(self, made: Comparison) -> int:
        """Run ``asv compare`` itself; how many rows it marks otherwise than its functions did."""
        marked = rivals.asv_compare(made.old, made.new, self.folder / "asv")
        self.checked += len(marked)
        return int((marked != rivals.asv_decides(made.old, made.new)).sum())

    def _score(self, name: str, called: Bools, change: Floats) -> None:
        self.scores.setdefault(name, Score()).add(called, change)

    def at_rate(self, rate: float) -> Score:
        """Their test with the threshold that gives as many false alarms: the best it could do."""
        every = np.unique(np.concatenate([p for p, _ in self.kept]))
        best = self._called(0.0)
        for threshold in every[every <= 0.1]:
            made = self._called(float(threshold))
            if made.rate <= rate:
                best = made
        return best

    def _called(self, threshold: float) -> Score:
        made = Score()
        for p, change in self.kept:
            made.add(p <= threshold, change)
        return made


@dataclass(frozen=True)
class Plan:
    """How many comparisons of each kind are made."""

    shapes: tuple[str, ...]
    samples: tuple[int, ...]
    shares: tuple[float, ...]
    quiet: int
    changed: int
    own: int


FULL = Plan(SHAPES, (1, 2, 3, 5, 10, 20), (0.0, 0.02, 0.10), quiet=24, changed=12, own=3)
QUICK = Plan(("normal", "outliers"), (1, 5), (0.0, 0.10), quiet=1, changed=1, own=1)
PAST = 8
"""Releases before, where one figure each has to be judged."""


def scenarios(plan: Plan) -> list[Scenario]:
    main = [
        Scenario(shape, samples, changed, PAST if samples == 1 else 0)
        for shape in plan.shapes
        for samples in plan.samples
        for changed in plan.shares
    ]
    between = [
        Scenario("normal", 5, changed, history, 1.0)
        for history in (PAST, 0)
        for changed in plan.shares
    ]
    return main + between


def measure(
    scenario: Scenario, plan: Plan, first: int, folder: Path, program: Path | None
) -> tuple[list[str], Score, Rivals, int]:
    ours = Score()
    theirs = Rivals(folder, program, {}, [])
    count = plan.changed if scenario.changed else plan.quiet
    otherwise = 0
    for number in range(count):
        made = compare(scenario, first + number)
        judged = judge(made.pairs(), RATE)
        ours.add(np.array([one.outcome == "different" for one in judged]), made.change)
        if number < plan.changed:
            theirs.add(made, own=number < plan.own)
        if number == 0 and scenario.changed == max(plan.shares):
            otherwise += theirs.check(made)
    noise = scenario.shape + (", and between releases" if scenario.between else "")
    row = [
        noise,
        str(scenario.samples),
        str(scenario.history),
        f"{100 * scenario.changed:.0f}",
        str(count),
    ]
    row += [share(ours.rate), share(ours.error), *ours.cells()[1:]]
    blank = ["", "", ""]
    for name in ("benchstat adjusted", "asv adjusted"):
        row += theirs.scores[name].cells() if name in theirs.scores else blank
    row += theirs.at_rate(ours.rate).cells()[1:] if scenario.changed else blank[1:]
    for name in ("benchstat as is", "asv as is"):
        row += theirs.scores[name].cells() if name in theirs.scores else blank
    return row, ours, theirs, otherwise


def published_case(scenario: Scenario) -> str:
    """Return the name of the row that a scenario counts to."""
    past = f"{scenario.history} before"
    if scenario.between:
        return f"{scenario.samples}, own levels, {past}"
    if scenario.samples == 1:
        return f"1, {'normal' if scenario.shape == 'normal' else 'other'} noise, {past}"
    return str(scenario.samples)


NOT_PUBLISHED = {"3", "10"}
"""Cases between those on the page."""


def single(folders: list[Path], times: int, seed: int, output: Path | None) -> int:
    """Print how verdicts on single figures did, and write the page's rows; 1 where a goal is
    missed."""
    goals = single_figures.measure(archive.read(folders), 3 * times, seed)
    for row in single_figures.table(goals):
        print(",".join(row))
    table = output or page_rows.SINGLE_VERDICTS
    page_rows.write(table, page_rows.SINGLE_HEAD, single_figures.published(goals))
    return int(any(goal.missed for goal in goals))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="few comparisons, in seconds")
    parser.add_argument("--times", type=int, default=1, help="so many times as many comparisons")
    parser.add_argument("--seed", type=int, default=FIRST, help="the first seed (%(default)s)")
    parser.add_argument("--output", type=Path, help="the table of the page")
    parser.add_argument(
        "--tools", type=Path, default=Path("build/bench"), help="where benchstat is put"
    )
    parser.add_argument(
        "--history", type=Path, action="append", help="an archive: measure single figures on it"
    )
    asked = parser.parse_args()
    if asked.history:
        return single(asked.history, asked.times, asked.seed, asked.output)
    plan = QUICK if asked.quick else FULL
    plan = replace(plan, quiet=plan.quiet * asked.times, changed=plan.changed * asked.times)
    output = asked.output or (None if asked.quick else page_rows.SAMPLED_VERDICTS)
    asked.tools.mkdir(parents=True, exist_ok=True)
    program = rivals.benchstat(asked.tools)
    if program is None:
        print("Go is not installed: benchstat's columns stay empty", file=sys.stderr)
    ordered = sorted(scenarios(plan), key=lambda each: (each.between, each.samples))
    published = {published_case(each): Score() for each in ordered}
    apart = compared = otherwise = checked = 0
    groups: dict[str, list[Score]] = {}
    with tempfile.TemporaryDirectory() as place:
        print(",".join(HEAD))
        for scenario in scenarios(plan):
            row, ours, theirs, other = measure(scenario, plan, asked.seed, Path(place), program)
            print(",".join(row), flush=True)
            published[published_case(scenario)].merge(ours)
            apart += theirs.apart
            compared += sum(len(p) for p, _ in theirs.kept)
            otherwise += other
            checked += theirs.checked
            if not scenario.between:
                changed = f"{100 * scenario.changed:.0f} % of rows changed"
                for name in (scenario.shape, f"{scenario.samples} samples", changed, "all"):
                    groups.setdefault(name, []).append(ours)
    if output is not None:
        rows = [
            [name, len(of.wrong), *of.cells()]
            for name, of in published.items()
            if name not in NOT_PUBLISHED
        ]
        page_rows.write(output, PUBLISHED, rows)
    print("\nFalse alarms by group, % of what was called different (± 1 s.e.)")
    for name, scores in groups.items():
        whole = Score(wrong=[wrong for score in scores for wrong in score.wrong])
        print(
            f"{name}: {share(whole.rate)} ± {share(whole.error)} ({len(whole.wrong)} comparisons)"
        )
    if program is not None:
        print(f"benchstat's p-values are not asv's in {apart} of {compared} rows")
    print(f"asv compare decides otherwise than asv's functions in {otherwise} of {checked} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())

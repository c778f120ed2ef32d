"""Measures the false alarms of a comparison, and the changes that it detects.

    python bench/compare_quality.py            a quarter of an hour
    python bench/compare_quality.py --quick    few comparisons, in seconds
    python bench/compare_quality.py --history FOLDER
                                               single figures, on an archive with many
                                               releases; exit status 1 if a goal is missed

Pairs of releases with known changes are simulated and judged, and benchstat and asv run on the same
samples. Everything is printed as CSV. With ``--history`` the page *Speed and accuracy* gets a few of the
rows, and ``--output`` names another file for them; of simulated releases it has those of
``simulated_verdicts.py``.
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

from perfguide.compare.judge import judge
from perfguide.compare.several import adjusted

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RATE = 0.05
FIRST_SEED = 1000
"""The first seed of the published run. No constant of the comparison was tuned on this seed or
on later ones up to 4999; use other seeds for tuning."""

SEEN = (0.05, 0.10)
"""Sizes of change for which the power is published."""

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
        """The Monte-Carlo standard error of the rate, with half a failure added to avoid zero."""
        count = len(self.wrong)
        return float(np.sqrt(np.var(self.wrong) / count + (0.5 / (count + 1)) ** 2))

    def power(self, size: float) -> float | None:
        detected = self.seen.get(size)
        return float(np.mean(detected)) if detected else None

    def cells(self) -> list[str]:
        return [share(self.rate), *(share(self.power(size)) for size in SEEN)]


def share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


@dataclass
class Rivals:
    """Verdicts of the other programs on the same samples, with p-values and true changes."""

    folder: Path
    program: Path | None
    scores: dict[str, Score]
    kept: list[tuple[Floats, Floats]]
    apart: int = 0
    checked: int = 0

    def add(self, comparison: Comparison, own: bool) -> None:
        p = rivals.asv_p(comparison.old, comparison.new)
        self.kept.append((p, comparison.change))
        self._score("asv adjusted", adjusted(p) <= RATE, comparison.change)
        if self.program is not None:
            printed = rivals.benchstat_p(self.program, comparison.old, comparison.new, self.folder)
            printed_p = np.array([float(text) for text in printed])
            # benchstat prints three decimals; the rest is taken from the same test in asv, if
            # the two agree.
            same = np.abs(printed_p - p) <= 0.000501
            self.apart += int((~same).sum())
            exact = np.where(same, p, printed_p)
            called = adjusted(exact) <= RATE
            self._score("benchstat adjusted", called, comparison.change)
            self._score("benchstat as is", printed_p < RATE, comparison.change)
        if own:
            self._score(
                "asv as is", rivals.asv_decides(comparison.old, comparison.new), comparison.change
            )

    def check(self, comparison: Comparison) -> int:
        """Run ``asv compare`` itself; return in how many rows it differs from its functions."""
        marked = rivals.asv_compare(comparison.old, comparison.new, self.folder / "asv")
        self.checked += len(marked)
        return int((marked != rivals.asv_decides(comparison.old, comparison.new)).sum())

    def _score(self, name: str, called: Bools, change: Floats) -> None:
        self.scores.setdefault(name, Score()).add(called, change)

    def at_rate(self, rate: float) -> Score:
        """Return the score with the threshold that gives as many false alarms: the best possible."""
        every = np.unique(np.concatenate([p for p, _ in self.kept]))
        best = self._called(0.0)
        for threshold in every[every <= 0.1]:
            score = self._called(float(threshold))
            if score.rate <= rate:
                best = score
        return best

    def _called(self, threshold: float) -> Score:
        score = Score()
        for p, change in self.kept:
            score.add(p <= threshold, change)
        return score


@dataclass(frozen=True)
class Plan:
    """The number of comparisons of each kind."""

    shapes: tuple[str, ...]
    samples: tuple[int, ...]
    shares: tuple[float, ...]
    quiet: int
    changed: int
    own: int


FULL = Plan(SHAPES, (1, 2, 3, 5, 10, 20), (0.0, 0.02, 0.10), quiet=24, changed=12, own=3)
QUICK = Plan(("normal", "outliers"), (1, 5), (0.0, 0.10), quiet=1, changed=1, own=1)
PAST = 8
"""The number of earlier releases if each row has only one figure."""


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
        simulated = compare(scenario, first + number)
        judged = judge(simulated.pairs(), RATE)
        ours.add(np.array([one.outcome == "different" for one in judged]), simulated.change)
        if number < plan.changed:
            theirs.add(simulated, own=number < plan.own)
        if number == 0 and scenario.changed == max(plan.shares):
            otherwise += theirs.check(simulated)
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


def single(folders: list[Path], times: int, seed: int, output: Path | None) -> int:
    """Print the quality of verdicts on single figures, and write the page's rows; return 1 if a
    goal is missed."""
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
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="the first seed (%(default)s)")
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
    asked.tools.mkdir(parents=True, exist_ok=True)
    program = rivals.benchstat(asked.tools)
    if program is None:
        print("Go is not installed: benchstat's columns stay empty", file=sys.stderr)
    apart = compared = otherwise = checked = 0
    groups: dict[str, list[Score]] = {}
    with tempfile.TemporaryDirectory() as folder:
        print(",".join(HEAD))
        for scenario in scenarios(plan):
            row, ours, theirs, other = measure(scenario, plan, asked.seed, Path(folder), program)
            print(",".join(row), flush=True)
            apart += theirs.apart
            compared += sum(len(p) for p, _ in theirs.kept)
            otherwise += other
            checked += theirs.checked
            if not scenario.between:
                changed = f"{100 * scenario.changed:.0f} % of rows changed"
                for name in (scenario.shape, f"{scenario.samples} samples", changed, "all"):
                    groups.setdefault(name, []).append(ours)
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

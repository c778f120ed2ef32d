"""Measure how often verdicts on simulated releases are false, and the changes that they detect.

    python bench/simulated_verdicts.py            some minutes; writes the page's table
    python bench/simulated_verdicts.py --quick    few comparisons, in seconds; writes nothing

500 rows of one board in ten families scatter by 0.5 to 5 % from run to run. Half of the comparisons
have no change, in the others one row in ten changes by 5, 10 or 20 %. Exit status 1 if more
than 5 % of the calls in any of them are false.
"""

from __future__ import annotations

import argparse
import csv
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path

import numpy as np
import page_rows
from numpy.typing import NDArray
from scipy import stats
from simulated import Comparison, Scenario, compare

from perfguide.compare.judge import judge

RATE = 0.05
FIRST_SEED = 5000
COMPARISONS = 60

SIZES = (0.05, 0.10, 0.20)
CHANGED = 0.1
SCATTER = (0.005, 0.01, 0.02, 0.03, 0.05)
EVEN, UNEVEN = (0.1, 0.1), (0.6, 0.6)

PAST = 8
"""The number of earlier releases in the scenarios that have any."""

BOARD_LEVEL = 0.02
"""The relative size by which all rows of a release are off together."""

HEAD = (
    "Case", "Comparisons", "Wrong (%)", "5, 10, 20 % seen (%)", "Welch's test (%)",
    f"Wrong, {PAST} releases before (%)", "5, 10, 20 % seen (%)",
)  # fmt: skip
"""The columns of the table; the last two are with earlier releases."""


@dataclass(frozen=True)
class Kind:
    """A kind of noise, with the scenario that it is drawn from."""

    name: str
    scenario: Scenario


BASE = Scenario("normal", 1, 0.0, scatter=SCATTER, unlike=EVEN, sizes=SIZES)

KINDS = (
    Kind("normal", BASE),
    Kind("heavy tails (t, 3 degrees)", replace(BASE, shape="t3")),
    Kind("two modes", replace(BASE, shape="bimodal")),
    Kind("uneven rows", replace(BASE, unlike=UNEVEN)),
    Kind("drift from run to run", replace(BASE, shape="drift")),
    Kind("level of the board", replace(BASE, level=BOARD_LEVEL)),
)

RUNS, SAMPLES = (1, 2, 5), (1, 10)


def scenarios() -> dict[str, Scenario]:
    """Return all scenarios by the name of their case.

    The number of samples per run is only varied for normal noise, since verdicts are about runs.
    """
    return {
        f"{kind.name}, {runs} {'run' if runs == 1 else 'runs'}"
        + (f" of {samples} samples" if samples > 1 else ""): replace(
            kind.scenario, samples=runs, inner=samples
        )
        for kind in KINDS
        for runs in RUNS
        for samples in (SAMPLES if kind.name == "normal" else SAMPLES[:1])
    }


def on_page(case: str) -> bool:
    """Return whether a case is published; others are only printed."""
    return case.endswith(" 5 runs")


@dataclass(frozen=True)
class Measured:
    """Outcomes of a scenario's comparisons: the share of each one's calls that is false, the number
    of rows called, and the shares of changes detected by size, here and by Welch's test."""

    wrong: tuple[float, ...]
    called: int
    seen: tuple[float, ...]
    welch: tuple[float, ...]

    def cells(self) -> list[str]:
        """Return the shares of false calls and of detected changes."""
        if not self.called:
            return ["nothing called", "—"]
        return [f"{100 * np.mean(self.wrong):.1f}", _percents(self.seen)]


def _percents(shares: tuple[float, ...]) -> str:
    return ", ".join(f"{100 * share:.0f}" for share in shares)


def measure(scenario: Scenario, comparisons: int, first: int) -> Measured:
    """Judge comparisons of a scenario, every second of them without a change."""
    wrong: list[float] = []
    hits: list[NDArray[np.bool_]] = []
    welch: list[NDArray[np.bool_]] = []
    sizes: list[NDArray[np.float64]] = []
    for number in range(comparisons):
        drawn = compare(replace(scenario, changed=CHANGED * (number % 2)), first + number)
        # Rows that moved with the board are a correct finding about the board.
        called = np.array(
            [one.outcome == "different" and one.shift is None for one in judge(drawn.pairs(), RATE)]
        )
        # Without calls, none is false.
        wrong.append(float((called & (drawn.change == 0)).sum()) / max(int(called.sum()), 1))
        hits.append(called)
        welch.append(welch_calls(drawn))
        sizes.append(np.abs(drawn.change))
    size, hit, other = (np.concatenate(each) for each in (sizes, hits, welch))
    mine = [np.isclose(size, wanted) for wanted in SIZES]
    return Measured(
        tuple(wrong),
        int(hit.sum()),
        tuple(float(hit[own].mean()) for own in mine),
        tuple(float(other[own].mean()) for own in mine),
    )


def welch_calls(drawn: Comparison) -> NDArray[np.bool_]:
    """Return the rows that Welch's test calls, with the Benjamini-Hochberg adjustment."""
    if drawn.old.shape[1] < 2:
        return np.zeros(len(drawn.old), dtype=bool)
    p = stats.ttest_ind(np.log(drawn.old), np.log(drawn.new), axis=1, equal_var=False).pvalue
    called: NDArray[np.bool_] = stats.false_discovery_control(p) <= RATE
    return called


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="few comparisons, in seconds")
    parser.add_argument("--comparisons", type=int, default=COMPARISONS, help="of each kind")
    parser.add_argument("--case", action="append", help="the name of a row, to measure it alone")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="the first seed (%(default)s)")
    parser.add_argument("--output", type=Path, help="the table of the page")
    parser.add_argument("--jobs", type=int, default=1, help="processes (%(default)s)")
    asked = parser.parse_args()
    every = scenarios()
    if asked.case:
        every = {name: each for name, each in every.items() if name in asked.case}
    elif asked.quick:
        every = {name: each for name, each in every.items() if name.startswith("normal")}
    count = 2 if asked.quick else asked.comparisons
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(HEAD)
    wrong = 0.0
    rows: list[list[str]] = []
    with ProcessPoolExecutor(asked.jobs) as pool:
        alone, after = (
            pool.map(
                measure,
                [replace(each, history=before) for each in every.values()],
                repeat(count),
                repeat(asked.seed),
            )
            for before in (0, PAST)
        )
        for name, first, second in zip(every, alone, after, strict=True):
            wrong = max(wrong, *(float(np.mean(each.wrong)) for each in (first, second)))
            welch = _percents(first.welch) if every[name].samples > 1 else "—"
            rows.append([name, str(count), *first.cells(), welch, *second.cells()])
            writer.writerow(rows[-1])
            sys.stdout.flush()
    output = asked.output or (None if asked.quick else page_rows.SAMPLED_VERDICTS)
    if output is not None:
        page_rows.write(output, HEAD, [row for row in rows if on_page(row[0])])
    return int(wrong > RATE)


if __name__ == "__main__":
    sys.exit(main())

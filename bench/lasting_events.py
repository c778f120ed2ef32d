"""Measure how often the events of comparisons lasted, and which lasting moves they list.

    python bench/lasting_events.py ARCHIVE...

Compares all neighbouring releases of an archive as on the day of the newer one, each SoC with a
table of usual noise learnt from the others. Prints everything as CSV. The exit status is 1 if a
goal is missed.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from archive import TOP, read
from single_figures import HEAD, Goal, share
from usual_noise import learn

from perfguide.bundles.guide_key import families
from perfguide.catalog import board_names
from perfguide.compare import event_groups
from perfguide.compare.comparison import Comparison, compare
from perfguide.compare.event import Event
from perfguide.compare.fates import of_most
from perfguide.compare.history import History
from perfguide.compare.match import Names
from perfguide.compare.not_compared import IMPOSSIBLE
from perfguide.compare.row import Row, Rules
from perfguide.compare.select import Filter, ReleasePair
from perfguide.figures import dataset

MIN_DIFFERENCE = 20.0
"""The minimum difference, in percentage points, between the shares of returns and of other events that
lasted."""

MAX_LEVEL_RATIO = 1.02
"""Figures at the same level differ by at most this ratio."""

MIN_LASTING_LOG = math.log(1.1)
"""The log of the factor of the smallest lasting move."""

LARGEST_COUNT = 30
"""The number of largest lasting moves that are counted separately."""

EventKey = tuple[str, str, str, bool]
"""A pair of releases, a board, a benchmark, and whether the event is a fall."""


@dataclass
class LastingEvent:
    """A lasting move of some rows: its size, the number of earlier figures of the row that moved
    farthest, and the lists of the comparison that contain any of the rows."""

    size: float = 0.0
    earlier: int = 0
    listed: set[str] = field(default_factory=set)


def comparisons(folders: Sequence[Path]) -> Iterator[tuple[ReleasePair, Comparison, History]]:
    """Yield the comparisons of all neighbouring releases of an archive."""
    archive = read(folders)
    settings = dataset.Settings(tuple(folders), (TOP / "source" / "benchmarks",), Path("build"))
    holdings = dataset.read(settings)
    boards, _ = board_names.load(TOP / "source" / "boards.toml")
    names = Names(holdings.catalog, boards)
    history = History([holdings.pool], names)
    for platform, guides in families(holdings.pool.guides()).items():
        # A SoC must not be judged by noise learnt from its own future.
        rules = Rules(names, usual_noise=learn(archive, without=platform[1]))
        for old, new in pairwise(guides):
            pair = ReleasePair(old, new, "")
            sides = pair.sides(holdings.pool, names)
            yield pair, compare(*sides, history, rules, Filter(soc=new.soc)), history


def lasting_move(row: Row, history: History) -> tuple[float, int]:
    """Return a row's lasting move, as the log of a factor that is above 0 if it got worse, and the
    number of figures before it that agree. The move is 0 unless the two or three figures before it
    agree, and so do the two after it."""
    # A cause reports the moves of impossible figures.
    is_rated = row.worse_by is not None or row.ground.startswith(IMPOSSIBLE)
    if row.new is None or row.old is None or not is_rated or row.unit == "%":
        return 0.0, 0
    line = history.line(row.new)
    releases = [release for release, _ in line]
    if row.new.guide.release not in releases:
        return 0.0, 0
    at = releases.index(row.new.guide.release)
    values = [value for _, value in line]
    after, before = values[at : at + 2], values[max(0, at - 3) : at]
    if len(before) < 2 or len(after) < 2 or min(*before, *after) <= 0:
        return 0.0, 0
    if max(before) > MAX_LEVEL_RATIO * min(before) or max(after) > MAX_LEVEL_RATIO * min(after):
        return 0.0, 0
    size = abs(math.log(after[0]) - math.log(before[-1]))
    worse_by = (after[0] - before[-1]) * (1 if row.better == "lower" else -1)
    return (math.copysign(size, worse_by), len(before)) if size >= MIN_LASTING_LOG else (0.0, 0)


def of_archive(folders: Sequence[Path]) -> list[Goal]:
    """Return the shares of events that lasted, by title, and of lasting moves that are listed."""
    fates: dict[str, Counter[str]] = defaultdict(Counter)
    lasting: dict[EventKey, LastingEvent] = defaultdict(LastingEvent)
    events = pairs = 0
    for pair, comparison, history in comparisons(folders):
        pairs += 1
        listed = _listed(comparison)
        for event in (*comparison.events, *comparison.far):
            fates[event_groups.action(event)][of_most(event.rows)[0]] += 1
            events += not (event.is_cause or event.is_minor)
        for row in comparison.rows:
            move, earlier = lasting_move(row, history)
            if move:
                one = lasting[f"{pair.old} {pair.new}", row.board, row.benchmark, move > 0]
                if abs(move) > one.size:
                    one.size, one.earlier = abs(move), earlier
                one.listed |= listed.get(id(row), set())
    goals = [Goal("events", "a comparison", events / pairs, pairs, unit="")]
    goals += [_lasted(title, counts) for title, counts in fates.items()]
    others = sum(
        (counts for title, counts in fates.items() if title != event_groups.BACK), Counter()
    )
    of_returns, of_others = (
        _lasted(event_groups.BACK, fates[event_groups.BACK]),
        _lasted("", others),
    )
    apart = of_returns.value - of_others.value
    goals.append(
        Goal(
            "titles",
            "returns lasted more often by",
            apart,
            of_returns.of,
            MIN_DIFFERENCE,
            unit="points",
        )
    )
    largest = sorted(lasting.values(), key=lambda one: -one.size)[:LARGEST_COUNT]
    two = [one for one in lasting.values() if one.earlier == 2]
    for what, own, least in (
        ("with three earlier figures", [x for x in lasting.values() if x.earlier == 3], None),
        ("with two earlier figures", two, 40.0),
    ):
        seen = sum(not one.listed <= {"minor"} for one in own)
        goals.append(Goal("lasting", f"{what}, listed", share(seen, len(own)), len(own), least))
        seen = sum("reported" in one.listed for one in own)
        goals.append(Goal("lasting", f"{what}, reported", share(seen, len(own)), len(own)))
    seen = sum("listed" in one.listed or "reported" in one.listed for one in largest)
    least_of_largest = 28 * len(largest) / LARGEST_COUNT
    goals.append(
        Goal("lasting", "of the largest, listed", seen, len(largest), least_of_largest, unit="")
    )
    return goals


def _lasted(title: str, counts: Counter[str]) -> Goal:
    followed = counts.total() - counts["open"]
    return Goal(title, "lasted in the next release", share(counts["lasted"], followed), followed)


def _listed(comparison: Comparison) -> dict[int, set[str]]:
    """Return, for each row, whether an event reports it or lists it as not proved."""
    out: dict[int, set[str]] = defaultdict(set)

    def add(event: Event, rows: Sequence[Row], word: str) -> None:
        for row in rows:
            out[id(row)].add("minor" if event.is_minor else word)

    for event in comparison.events:
        add(event, event.rows, "reported")
        for row in event.unproved:
            add(event, [row], "listed" if row.verdict == "noisy" else "reported")
    for event in comparison.far:
        add(event, (*event.rows, *event.unproved), "listed")
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("archive", type=Path, nargs="+")
    goals = of_archive(parser.parse_args().archive)
    csv.writer(sys.stdout).writerows((HEAD, *(goal.cells() for goal in goals)))
    return int(any(goal.missed for goal in goals))


if __name__ == "__main__":
    sys.exit(main())

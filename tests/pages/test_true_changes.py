"""What guides say of the release before is true of the bundles of archives at random."""

from __future__ import annotations

import re
from collections import Counter
from types import SimpleNamespace
from typing import Any

import truth
from making import SHIPPED
from random_archives import archive

from perfguide.bundle import Result
from perfguide.catalog import benchmarks
from perfguide.catalog.board_names import Boards
from perfguide.compare.comparison import compare
from perfguide.compare.history import History
from perfguide.compare.match import Names
from perfguide.compare.row import Rules
from perfguide.compare.select import Filter, ReleasePair
from perfguide.figures import rows
from perfguide.figures.pool import Pool
from perfguide.pages import answers

NAMES = Names(benchmarks.load([SHIPPED])[0], Boards({}))
SEEDS = (5, 8, 16, 53)


def figure_of(board: str, result: Result) -> tuple[Any, ...]:
    return board, result.benchmark, result.metric, *sorted(result.params.items())


def test_what_guides_say_of_the_release_before_is_true() -> None:
    met: Counter[str] = Counter()
    for seed in SEEDS:
        of = archive(seed)
        pool = Pool(rows.build(of.bundles), NAMES.catalog)
        history = History([pool], NAMES)
        old, new = pool.guides()[-2:]
        both = compare(
            *ReleasePair(old, new, "").sides(pool, NAMES),
            history,
            Rules(NAMES, of.waivers, annotations=of.annotations),
            Filter(soc=new.soc),
        )
        about = truth.About(truth.Figures(pool, NAMES), both)
        site: Any = SimpleNamespace(catalog=NAMES.catalog)
        said = answers._in_words(site, both).rest
        measured = {
            key.release: {
                figure_of(item.bundle.board.name, result)
                for item in of.bundles
                if item.bundle.sdk.version == key.release
                for result in item.bundle.results
            }
            for key in (old, new)
        }
        # A figure that one release alone has under a name can be that of the other under another name.
        renamed = sum(
            bool(row.old and row.new) and row.old.params != row.new.params for row in both.rows
        )
        gone = len(measured[old.release] - measured[new.release]) - renamed
        added = len(measured[new.release] - measured[old.release]) - renamed
        worse = len(truth._proved_falls(about)) + len(truth._far_falls(about))
        for what, pattern, true in (
            ("gone", r"(\d+) figures? (?:is|are) no longer measured", gone),
            ("new", r"(\d+) (?:figures? )?(?:is|are) new\.", added),
            ("more", r"; and (\d+) more\.", max(worse - 1, 0)),
        ):
            match = re.search(pattern, said)
            own = int(match[1]) if match else 0
            met[what] += own > 0
            assert own == true, (seed, said)
    assert all(met.values()), met

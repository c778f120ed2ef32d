"""Rules about the board of a figure: the platform its command names, its clock, and its uploads."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from ..common.grouping import grouped
from ..figures.columns import OWNER, Figures, firsts
from ..figures.copies import repeated_bundles
from ..figures.pool import Pool
from ..figures.rows import together
from .finding import Hit, amount

MIN_CLOCK_LOG = math.log(1.1)
"""The log of the smallest clock change that shows in figures computed from the clock."""

MIN_OTHER_RELEASES = 2
"""The fewest other releases from which a usual value can be inferred."""

_PLATFORM = re.compile(
    r"(?<![a-z0-9])(am[2356]\d{1,3}[a-z]{0,4}\d?|j7\d{2}[a-z]?\d?|j7(?:aep|ahp|amp)|dra[78]\d{0,2}x?"
    r"|k2[egl]|k2hk|omap\d{1,4}|tda4[a-z]{0,3}|imx\d[a-z]{0,3}|rk3\d{3}[a-z]?|stm32mp\d{1,3}"
    r"|zynq(?:mp)?|bcm2\d{3})(?![a-z0-9])",
    re.IGNORECASE,
)
"""Platform names in commands: the SoC at the start of a board's name."""


_PLATFORM_OPTION = re.compile(r"(?:^|\s)(?:-P|--(?:platform|machine|board|soc))(?:\s+|=)(\S+)")
"""The option with which a command names a platform, in any of its spellings."""


def other_soc(figures: Figures) -> Iterator[Hit]:
    """Yield figures whose command names a platform other than the board's."""
    table = figures.pool.frame.table
    columns = ("command", "soc", "board")
    number = together(*(table[c].cat.codes.to_numpy().astype("int64") for c in columns))
    socs = {name.casefold() for name in figures.socs}
    details: dict[int, str] = {}
    # A site has far fewer commands than results, so each command is searched only once.
    for row in firsts(number):
        command, soc, board = (str(table[c].iat[row]) for c in columns)
        if other := _other_platform(command, soc, board, socs):
            details[int(number[row])] = f"the command names “{other}”, and the SoC is {soc}"
    positions = figures.pool.positions()
    for row in np.flatnonzero(np.isin(number, list(details))).tolist():
        yield Hit("other-soc", int(positions[row]), details[int(number[row])])


def platforms_of_options(pool: Pool) -> set[str]:
    """Return the platforms named by command options, in lower case."""
    commands = map(str, pool.frame.table["command"].cat.categories)
    return {word.casefold() for command in commands for word in _option_values(command)}


def _option_values(command: str) -> set[str]:
    return {word.strip("'\"") for word in _PLATFORM_OPTION.findall(command)}


def _other_platform(command: str, soc: str, board: str, socs: set[str]) -> str:
    """Return the first platform that a command names, or "" if it names the board's own."""
    # SoC names of uploads count only in options: anyone can upload a SoC called “openssl”.
    in_options = _option_values(command)
    own_stems = {_stem(soc), _stem(board)} - {""}
    other = ""
    for word in re.split(r"[\s/=,;:'\"]+", command):
        head = re.split(r"[-_.]", word, maxsplit=1)[0]
        if _PLATFORM.fullmatch(head) or (word in in_options and word.casefold() in socs):
            stem = _stem(head)
            # Either side may name a variant: “am62” matches board am625, “am625” board am62xx.
            if any(stem.startswith(name) or name.startswith(stem) for name in own_stems):
                return ""
            other = other or word
    return other


def _stem(name: str) -> str:
    """Return a platform name without its variant: ``am62`` for ``am62xx_sk``."""
    return re.sub(r"x+$", "", re.split(r"[-_. ]", name.casefold(), maxsplit=1)[0])


def wrong_clock(figures: Figures) -> Iterator[Hit]:
    """Yield figures per clock that are off because of a clock unlike that of other releases, or of
    other boards of the SoC if there are too few releases, and the clock."""
    parts = [m.computed_from if m else () for _, m, _ in figures.kinds[1]]
    computed = figures.of_kind(list(map(bool, parts)))
    run = figures.groups(*OWNER, "release", "benchmark", "params")
    in_runs = np.flatnonzero(np.isin(run, run[computed])).tolist()
    by_run = grouped(in_runs, lambda position: int(run[position]))
    past = {position: line for line in figures.lines for position in line}
    kind = figures.groups("sdk", "soc", "benchmark", "metric", "unit", "params")
    with_past = (p for line in by_run.values() for p in line if p in past)
    of_kind = grouped(with_past, lambda position: int(kind[position]))
    of_soc = {position: line for line in of_kind.values() for position in line}
    for position in np.flatnonzero(computed).tolist():
        wanted = parts[int(figures.kinds[0][position])]
        of_run = [p for p in by_run[int(run[position])] if figures.name("metric", p) in wanted]
        clocks = [p for p in of_run if (metric := figures.metric(p)) and metric.clock]
        others = [p for p in of_run if p not in clocks]
        if not clocks or not others:
            continue
        for peers in (past, of_soc):
            by_figure, by_clock, by_work = (
                _away(figures, peers, p) for p in (position, clocks[0], others[0])
            )
            if by_figure is not None and by_clock is not None and by_work is not None:
                break
        else:
            continue
        where = "other releases" if peers is past else "other boards and releases"
        # The quotient moved as the recorded clock implies, but the work per second did not.
        slack = abs(by_clock) / 3
        if abs(by_clock) >= MIN_CLOCK_LOG and max(abs(by_figure + by_clock), abs(by_work)) <= slack:
            clock_text = amount(figures.mean[clocks[0]], figures.name("unit", clocks[0]))
            detail = (
                f"{amount(figures.mean[position], figures.name('unit', position))} is for "
                f"{clock_text}, and {figures.metric_label(others[0])} is that of {where}"
            )
            yield Hit("wrong-clock", position, detail, weight=2.0 + abs(by_figure))
            unit = figures.name("unit", clocks[0])
            usual = amount(round(float(figures.mean[clocks[0]]) * math.exp(-by_clock), 3), unit)
            yield Hit("wrong-clock", clocks[0], f"{clock_text}, where {where} have {usual}")


def _away(figures: Figures, peers: Mapping[int, list[int]], position: int) -> float | None:
    """Return the log of a figure's ratio to the median of its peers; ``None`` if there are fewer
    than ``MIN_OTHER_RELEASES`` or any figure is not positive."""
    others = [figures.mean[p] for p in peers.get(position, ()) if p != position]
    mean = figures.mean[position]
    if len(others) < MIN_OTHER_RELEASES or min([mean, *others]) <= 0:
        return None
    return math.log(float(mean) / float(np.median(others)))


def repeated_upload(figures: Figures) -> Iterator[Hit]:
    """Yield a figure for each upload that repeats another, of the benchmark with most of them."""
    bundles = figures.pool.frame.bundles
    for repeated in repeated_bundles(figures.pool):
        benchmarks = [figures.name("benchmark", position) for position in repeated.equal]
        most = Counter(benchmarks).most_common(1)[0][0]
        pair = (bundles[number].bundle for number in (repeated.earlier, repeated.later))
        first, second = sorted(pair, key=lambda bundle: (bundle.created, bundle.id))
        detail = (
            f"counted once, as upload “{second.id}” repeats “{first.id}”: {len(repeated.equal)} of "
            f"{repeated.common} figures that both have are the same"
        )
        yield Hit("repeated-upload", repeated.equal[benchmarks.index(most)], detail)


CHECKS = (other_soc, wrong_clock, repeated_upload)

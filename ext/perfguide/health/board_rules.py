"""Rules about the board of a figure: the platform its command names, and its clock."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
from msgspec import UNSET

from ..common import units
from ..figures.columns import OWNER, Figures, firsts
from ..figures.pool import Pool
from ..figures.rows import together
from .finding import Hit, Rule, amount

RULES = (
    Rule(
        "other-soc",
        "warning",
        "command for another SoC",
        "the command names a platform of another SoC than the board's",
        "run it again with the board's own platform, or correct the command",
    ),
    Rule(
        "clock",
        "warning",
        "a clock that the board does not have",
        "a processor's clock differs from what its bundle says, or from the board's other bundles while the "
        "results of processor benchmarks did not change like it",
        "check the operating point and the governor of that run",
    ),
    Rule(
        "wrong-clock",
        "error",
        "computed with a clock that was not that of the run",
        "a figure per clock differs from those of other releases, or of other boards of its SoC, as the recorded "
        "clock does, while the figure that it is computed from does not: the board ran at its usual clock",
        "correct the clock in the bundle, and compute the figure again",
        disqualifies=True,
    ),
)

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
    own = {_stem(soc), _stem(board)} - {""}
    other = ""
    for word in re.split(r"[\s/=,;:'\"]+", command):
        head = re.split(r"[-_.]", word, maxsplit=1)[0]
        if _PLATFORM.fullmatch(head) or (word in in_options and word.casefold() in socs):
            stem = _stem(head)
            # Either side may name a variant: “am62” matches board am625, “am625” board am62xx.
            if any(stem.startswith(name) or name.startswith(stem) for name in own):
                return ""
            other = other or word
    return other


def _stem(name: str) -> str:
    """Return a platform name without its variant: ``am62`` for ``am62xx_sk``."""
    return re.sub(r"x+$", "", re.split(r"[-_. ]", name.casefold(), maxsplit=1)[0])


_RUNNING = re.compile(r"running at (\d+(?:\.\d+)?) ?([MG])Hz", re.IGNORECASE)


def clock(figures: Figures) -> Iterator[Hit]:
    """Yield clocks that contradict their own bundle or most other bundles of the board."""
    positions, boards = figures.pool.positions(), figures.groups("sdk", "soc", "board")
    measured = _measured_clocks(figures)
    by_board: dict[int, list[tuple[int, float]]] = {}
    begin = 0
    for number, loaded in enumerate(figures.pool.frame.bundles):
        board = loaded.bundle.board
        first, begin = begin, begin + len(loaded.bundle.results)
        stated: dict[str, float] = {}
        if board.cpu_mhz is not UNSET:
            stated["its bundle says"] = float(board.cpu_mhz)
            # A bundle without results has no figure to attach a finding to.
            if number not in measured and first < begin:
                measured[number] = int(positions[first]), float(board.cpu_mhz)
        if number not in measured:
            continue
        position, mhz = measured[number]
        by_board.setdefault(int(boards[position]), []).append((position, mhz))
        if described := _RUNNING.search(board.description):
            scale = 1000 if described[2] in "gG" else 1
            stated["the description of the board says"] = float(described[1]) * scale
        for where, other in stated.items():
            # Clocks of identical boards differ by up to 1 %.
            if abs(mhz - other) > 0.01 * other:
                detail = f"{units.exact_words(mhz)} MHz, and {where} {units.exact_words(other)} MHz"
                # A contradiction within one bundle is more certain than one between runs.
                yield Hit("clock", position, detail, weight=2.0)
    for clocks in by_board.values():
        usual, times = Counter(mhz for _, mhz in clocks).most_common(1)[0]
        # Without a clear majority, it is unknown which clock is wrong.
        if times < 3 or times < 2 / 3 * len(clocks):
            continue
        for position, mhz in clocks:
            if abs(mhz - usual) > 0.01 * usual and not _ran_at(figures, position, mhz / usual):
                detail = (
                    f"{units.exact_words(mhz)} MHz, and {times} of {len(clocks)} runs of this board "
                    f"are at {units.exact_words(usual)} MHz"
                )
                yield Hit("clock", position, detail)


def _ran_at(figures: Figures, position: int, ratio: float) -> bool:
    """Return whether a board really ran at a clock, ``ratio`` times the usual one: whether the results of
    processor benchmarks in that guide, divided by the clock, are those of its other releases."""
    run = figures.groups(*OWNER, "release")
    moves = []
    for at, line in ((at, own) for own in figures.lines for at in own):
        metric, benchmark = figures.metric(at), figures.catalog.get(figures.name("benchmark", at))
        if run[at] != run[position] or not metric or not benchmark or metric.computed_from:
            continue
        away = _away(figures, {at: line}, at)
        if benchmark.entry.subsystems == ("processor",) and away and metric.better != "neither":
            moves.append(away if metric.better == "higher" else -away)
    # Such results also scatter a little between runs.
    wanted = math.log(ratio)
    return bool(moves) and abs(float(np.median(moves)) - wanted) <= abs(wanted) / 3


def _measured_clocks(figures: Figures) -> dict[int, tuple[int, float]]:
    """Return, by bundle, the position of its measured clock and the clock in MHz."""
    table, positions = figures.pool.frame.table, figures.pool.positions()
    is_clock = figures.of_kind([m is not None and m.clock for _, m, _ in figures.kinds[1]])
    values, bundles = table["value"].to_numpy(), table["bundle"].to_numpy()
    clocks = {}
    for row in np.flatnonzero(is_clock[positions] & ~np.isnan(values)).tolist():
        factor = units.factor(str(table["unit"].iat[row]), "MHz")
        if factor is not None:
            clocks[int(bundles[row])] = (int(positions[row]), float(values[row]) * factor)
    return clocks


def wrong_clock(figures: Figures) -> Iterator[Hit]:
    """Yield figures per clock that are off because of a clock unlike that of other releases, or of other boards
    of the SoC if there are too few releases, and the clock."""
    parts = [m.computed_from if m else () for _, m, _ in figures.kinds[1]]
    computed = figures.of_kind(list(map(bool, parts)))
    run = figures.groups(*OWNER, "release", "benchmark", "params")
    by_run: dict[int, list[int]] = {}
    for position in np.flatnonzero(np.isin(run, run[computed])).tolist():
        by_run.setdefault(int(run[position]), []).append(position)
    past = {position: line for line in figures.lines for position in line}
    kind = figures.groups("sdk", "soc", "benchmark", "metric", "unit", "params")
    of_kind: dict[int, list[int]] = {}
    for position in (p for own in by_run.values() for p in own if p in past):
        of_kind.setdefault(int(kind[position]), []).append(position)
    of_soc = {position: own for own in of_kind.values() for position in own}
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
            # One cause, one finding: report the clock here too, which silences the “clock” rule.
            unit = figures.name("unit", clocks[0])
            usual = amount(round(float(figures.mean[clocks[0]]) * math.exp(-by_clock), 3), unit)
            yield Hit("wrong-clock", clocks[0], f"{clock_text}, where {where} have {usual}")


def _away(figures: Figures, peers: Mapping[int, list[int]], position: int) -> float | None:
    """Return the log of a figure's ratio to the median of its peers; ``None`` if there are fewer than
    ``MIN_OTHER_RELEASES`` or any figure is not positive."""
    others = [figures.mean[p] for p in peers.get(position, ()) if p != position]
    mean = figures.mean[position]
    if len(others) < MIN_OTHER_RELEASES or min([mean, *others]) <= 0:
        return None
    return math.log(float(mean) / float(np.median(others)))


CHECKS = (other_soc, clock, wrong_clock)

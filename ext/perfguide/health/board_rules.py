"""Rules about the board of a figure: the platform in its command, and its clock."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd
from msgspec import UNSET

from ..common import units
from ..figures.columns import Figures, together
from .finding import Hit, Rule

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
        "a processor's clock differs from what its bundle or the board's other bundles say",
        "check the operating point and the governor of that run",
    ),
)

_PLATFORM = re.compile(
    r"(?<![a-z0-9])(am[2356]\d{1,3}[a-z]{0,4}\d?|j7\d{2}[a-z]?\d?|j7(?:aep|ahp|amp)|dra[78]\d{0,2}x?"
    r"|k2[egl]|k2hk|omap\d{1,4}|tda4[a-z]{0,3}|imx\d[a-z]{0,3}|rk3\d{3}[a-z]?|stm32mp\d{1,3}"
    r"|zynq(?:mp)?|bcm2\d{3})(?![a-z0-9])",
    re.IGNORECASE,
)
"""How commands write platforms: the SoC at the beginning of a board's name."""


_ASKED = re.compile(r"(?:^|\s)(?:-P|--(?:platform|machine|board|soc))(?:\s+|=)(\S+)")
"""Where a command names a platform, however it is written."""


def other_soc(figures: Figures) -> Iterator[Hit]:
    """Commands that name a platform, and none that is the board's."""
    table = figures.pool.frame.table
    columns = [table[c].cat.codes.to_numpy().astype("int64") for c in ("command", "soc", "board")]
    positions = figures.pool.positions()
    number = together(*columns) if len(table) else np.empty(0, dtype="int64")
    rows = np.unique(number, return_index=True)[1].tolist()
    details: dict[int, str] = {}
    socs = {str(name).casefold() for name in table["soc"].cat.categories}
    for row in rows:
        command = str(table["command"].iat[row])
        if command.strip():
            soc, board = str(table["soc"].iat[row]), str(table["board"].iat[row])
            if other := _other_platform(command, soc, board, socs):
                details[int(number[row])] = f"the command names “{other}”, and the SoC is {soc}"
    for row in np.flatnonzero(np.isin(number, list(details))).tolist():
        yield Hit("other-soc", int(positions[row]), details[int(number[row])])


def _other_platform(command: str, soc: str, board: str, socs: set[str]) -> str:
    words = re.split(r"[\s/=,;:'\"]+", command)
    # Only there: anybody can name a SoC in an upload, and call it “openssl”.
    asked = {word.strip("'\"") for word in _ASKED.findall(command)}
    own = {_stem(soc), _stem(board)}
    other = ""
    for word in words:
        head = re.split(r"[-_.]", word, maxsplit=1)[0]
        known = _PLATFORM.fullmatch(head) or (word in asked and word.casefold() in socs)
        if not known:
            continue
        if any(_stem(head).startswith(o) or o.startswith(_stem(head)) for o in own if o):
            return ""
        other = other or word
    return other


def _stem(name: str) -> str:
    """A platform's name without what stands for its variants: ``am62xx_sk`` is ``am62``."""
    return re.sub(r"x+$", "", re.split(r"[-_. ]", name.casefold(), maxsplit=1)[0])


_RUNNING = re.compile(r"running at (\d+(?:\.\d+)?) ?([MG])Hz", re.IGNORECASE)


def clock(figures: Figures) -> Iterator[Hit]:
    """Clocks that contradict their bundle, or most of the board's other bundles."""
    measured, said = _clocks(figures)
    for position, mhz, stated, where in said:
        if abs(mhz - stated) > 0.01 * stated:
            detail = f"{units.exact(mhz)} MHz, and {where} {units.exact(stated)} MHz"
            yield Hit("clock", position, detail, weight=2.0)
    by_board = pd.DataFrame(measured, columns=["board", "position", "mhz"])
    for _, own in by_board.groupby("board", sort=True):
        usual, times = Counter(own["mhz"].tolist()).most_common(1)[0]
        if times < 3 or times < 2 / 3 * len(own):
            continue
        for position, mhz in zip(own["position"].tolist(), own["mhz"].tolist(), strict=True):
            if abs(mhz - usual) > 0.01 * usual:
                detail = (
                    f"{units.exact(mhz)} MHz, and {times} of {len(own)} runs of this board "
                    f"are at {units.exact(usual)} MHz"
                )
                yield Hit("clock", position, detail)


def _clocks(
    figures: Figures,
) -> tuple[list[tuple[int, int, float]], list[tuple[int, float, float, str]]]:
    """The clock of each run as (board, figure, MHz), and what bundles say of it as
    (figure, MHz, stated MHz, where it is stated)."""
    table = figures.pool.frame.table
    positions = figures.pool.positions()
    owner = figures.groups("sdk", "soc", "board")
    wanted = figures.of_kind([m is not None and m.clock for _, m, _ in figures.kinds[1]])
    rows = np.flatnonzero(wanted[positions]) if len(figures) else np.empty(0, dtype="int64")
    values, bundles = table["value"].to_numpy(), table["bundle"].to_numpy()
    clocks: dict[int, tuple[int, float]] = {}
    for row in rows.tolist():
        factor = units.factor(str(table["unit"].iat[row]), "MHz")
        if factor is not None and values[row] == values[row]:
            clocks[int(bundles[row])] = (int(positions[row]), float(values[row]) * factor)
    measured: list[tuple[int, int, float]] = []
    said: list[tuple[int, float, float, str]] = []
    begin = 0
    for number, loaded in enumerate(figures.pool.frame.bundles):
        board = loaded.bundle.board
        first = begin
        begin += len(loaded.bundle.results)
        stated = None if board.cpu_mhz is UNSET else float(board.cpu_mhz)
        found = clocks.get(number)
        if found and stated:
            said.append((*found, stated, "its bundle says"))
        if not found and stated and first < begin:
            found = (int(positions[first]), stated)
        if not found:
            continue
        measured.append((int(owner[found[0]]), *found))
        if described := _RUNNING.search(board.description):
            mhz = float(described[1]) * (1000 if described[2] in "gG" else 1)
            said.append((*found, mhz, "the description of the board says"))
    return measured, said


CHECKS = (other_soc, clock)

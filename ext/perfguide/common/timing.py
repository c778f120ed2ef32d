"""Where the time of long work went, phase by phase."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

Mark = Callable[[str], None]
"""What is told the name of each phase when it has ended."""


def no_mark(_name: str) -> None:
    """Tell nobody."""


class Phases:
    """The seconds on the clock and of the processor that each phase took.

    The time of the processor is that of this process and of its children that have
    ended. A phase begins where the one before it has ended, the first one here.
    """

    def __init__(self) -> None:
        self._last = (time.perf_counter(), _cpu())
        self.spent: dict[str, tuple[float, float]] = {}

    def mark(self, name: str) -> None:
        """Say that a phase has ended. One that is named again goes on."""
        now = (time.perf_counter(), _cpu())
        clock, cpu = self.spent.get(name, (0.0, 0.0))
        self.spent[name] = (clock + now[0] - self._last[0], cpu + now[1] - self._last[1])
        self._last = now

    def text(self) -> str:
        """A line for each phase, in order: seconds, share of all, seconds of the processor."""
        whole = sum(clock for clock, _ in self.spent.values())
        rows = [*self.spent.items(), ("in all", (whole, sum(c for _, c in self.spent.values())))]
        width = max(len(name) for name, _ in rows)
        return "".join(
            f"{name:<{width}} {clock:9.2f} s {_share(clock, whole):4.0f} % {cpu:9.2f} s CPU\n"
            for name, (clock, cpu) in rows
        )


def _share(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)

"""Time spent in each phase of a long run."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

Mark = Callable[[str], None]
"""A callback that receives the name of each phase when it ends."""


def no_mark(_name: str) -> None:
    """Ignore the end of a phase."""


class Phases:
    """Elapsed and CPU seconds of each phase.

    CPU seconds include those of child processes that have ended. A phase begins when the previous
    one ends, the first one with this object.
    """

    def __init__(self) -> None:
        self._last = (time.perf_counter(), _cpu())
        self.spent: dict[str, tuple[float, float]] = {}

    def mark(self, name: str) -> None:
        """Record the end of a phase. Repeated names add up."""
        now = (time.perf_counter(), _cpu())
        elapsed, cpu = self.spent.get(name, (0.0, 0.0))
        self.spent[name] = (elapsed + now[0] - self._last[0], cpu + now[1] - self._last[1])
        self._last = now

    def text(self) -> str:
        """Return a line per phase, in order: elapsed seconds, share, CPU seconds."""
        total = sum(elapsed for elapsed, _ in self.spent.values())
        rows = [*self.spent.items(), ("total", (total, sum(c for _, c in self.spent.values())))]
        width = max(len(name) for name, _ in rows)
        return "".join(
            f"{name:<{width}} {elapsed:9.2f} s {_share(elapsed, total):4.0f} % {cpu:9.2f} s CPU\n"
            for name, (elapsed, cpu) in rows
        )


def _share(part: float, total: float) -> float:
    return 100 * part / total if total else 0.0


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)

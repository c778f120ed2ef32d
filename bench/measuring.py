"""Measured figures with goals, and the cost of functions and commands."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
HEAD = ("Part", "Figure", "Size", "Measured", "Goal", "Outcome")


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured figure and the largest value allowed, or ``None`` without a goal."""

    what: str
    size: str
    value: float
    unit: str
    goal: float | None = None

    @property
    def missed(self) -> bool:
        """True if the goal is missed."""
        # Not “value > goal”: NaN must miss its goal too.
        return self.goal is not None and not self.value <= self.goal

    def cells(self) -> tuple[str, str, str, str, str]:
        """Return a row of the table, without the part of the bench."""
        goal = "—" if self.goal is None else f"at most {self.goal:g}"
        met = "—" if self.goal is None else ("missed" if self.missed else "met")
        return self.what, self.size, f"{self.value:.2f} {self.unit}".strip(), goal, met


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a command: CPU time, including that of its finished children, and elapsed time,
    both in seconds, and the memory of its largest process in MiB."""

    cpu: float
    clock: float
    memory: float


def least(costs: Sequence[Cost]) -> Cost:
    """Return the minimum of each cost: other work on the machine can only add to it."""
    return Cost(
        min(c.cpu for c in costs), min(c.clock for c in costs), min(c.memory for c in costs)
    )


def cpu() -> float:
    """Return the CPU time of this process and its finished children, in seconds."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(each) for each in who]
    return sum(each.ru_utime + each.ru_stime for each in used)


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of some work in seconds."""
    start = cpu()
    work()
    return cpu() - start


def apart(work: Callable[..., Any], *given: object) -> Any:
    """Return the result of some work done in a new process."""
    # A forked process would start with the memory of this one.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, *given).result()


def ran(command: Sequence[str | Path], folder: Path) -> Cost:
    """Run Python with a command in a folder, and wait for all its processes. Raises
    :class:`RuntimeError` with the end of its output if it fails."""
    given = os.environ | {"PYTHONPATH": str(TOP / "ext"), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    given.pop("PYTHONDONTWRITEBYTECODE", None)  # else compiling is measured too
    with (folder / "output.log").open("w+b") as log:
        done = subprocess.run(
            [sys.executable, TOP / "bench" / "costs.py", sys.executable, *command],
            cwd=folder,
            env=given,
            stdout=subprocess.PIPE,
            stderr=log,
            check=True,
        )
        log.seek(0)
        output = log.read().decode("utf-8", "replace")
    taken = json.loads(done.stdout.splitlines()[-1])
    if taken["status"]:
        raise RuntimeError(f"{command}: {output[-2000:]}")
    return Cost(taken["cpu"], taken["clock"], taken["memory"])

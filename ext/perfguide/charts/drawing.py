"""Who draws: this process, processes beside it, or workers elsewhere.

What draws imports this module and the library of charts, and nothing of bundles or pages.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import forkserver
from multiprocessing.context import BaseContext

from ..common import parallel
from .change_view import ChangeView
from .model import ChartView

Shown = ChartView | ChangeView
"""What a picture shows."""

Task = tuple[str, Shown, str]
"""The name of a file, what it shows, and its format."""

FEW = 4
"""So many pictures are drawn faster here than processes start."""


def picture(view: Shown, form: str) -> bytes:
    """The bytes of one picture."""
    # Imported by who draws: most builds have nothing to draw and start without it.
    from . import change_chart
    from . import draw as charts

    if isinstance(view, ChangeView):
        return change_chart.draw(view, form)
    return charts.draw(view, form)


def draw(task: Task) -> bytes:
    """The bytes of one task."""
    return picture(task[1], task[2])


def _context() -> BaseContext:
    context = multiprocessing.get_context("forkserver")
    # Loaded once, by the server, and not by each process that it starts. Where this package
    # itself is found, only they know.
    context.set_forkserver_preload(["matplotlib.backends.backend_svg", "matplotlib.figure"])
    return context


class Drawing:
    """Draws on all cores while other work goes on, or by the workers of ``run`` where that is not
    this process. Use it in a ``with``: what is left of it ends there."""

    def __init__(self, run: parallel.Run = parallel.here) -> None:
        self._run = run
        self._waiting: list[Task] = []
        self._begun: list[Future[bytes]] = []
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Drawing:
        return self

    def __exit__(self, *_raised: object) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def add(self, tasks: Sequence[Task]) -> None:
        """Have more drawn."""
        self._waiting += tasks
        if self._run is not parallel.here or len(self._begun) + len(self._waiting) <= FEW:
            return
        if self._pool is None:
            self._pool = ProcessPoolExecutor(os.cpu_count() or 1, mp_context=_context())
        self._begun += [self._pool.submit(draw, task) for task in self._waiting]
        self._waiting = []

    def expect(self) -> None:
        """Get ready to draw many soon."""
        if self._run is parallel.here and self._pool is None:
            _context()
            forkserver.ensure_running()

    def drawn(self) -> list[bytes]:
        """The bytes of all tasks in the order in which they were added."""
        if self._pool:
            return [future.result() for future in self._begun]
        return list(self._run(draw, self._waiting))

"""Who draws: this process, processes beside it, or workers elsewhere.

What draws imports this module and the library of charts, and nothing of bundles or pages.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from . import workers
from .changeview import ChangeView
from .chartviews import ChartView

Shown = ChartView | ChangeView
"""What a picture shows."""

Task = tuple[str, Shown, str]
"""The name of a file, what it shows, and its format."""

FEW = 4
"""So many pictures are drawn faster here than processes start."""


def picture(view: Shown, form: str) -> bytes:
    """The bytes of one picture."""
    # Imported by who draws: most builds have nothing to draw and start without it.
    from . import changechart, charts

    if isinstance(view, ChangeView):
        return changechart.draw(view, form)
    return charts.draw(view, form)


def draw(task: Task) -> bytes:
    """The bytes of one task."""
    return picture(task[1], task[2])


def drawn(tasks: Sequence[Task], run: workers.Run) -> list[bytes]:
    """The bytes of all tasks, drawn on all cores, or by the workers of ``run`` where that is
    not this process."""
    if run is not workers.here:
        return list(run(draw, tasks))
    if len(tasks) <= FEW:
        return [draw(task) for task in tasks]
    context = multiprocessing.get_context("forkserver")
    # Loaded once, by the server, and not by each process that it starts. Where this package
    # itself is found, only they know.
    context.set_forkserver_preload(["matplotlib.backends.backend_svg", "matplotlib.figure"])
    processes = min(len(tasks), os.cpu_count() or 1)
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        return list(pool.map(draw, tasks, chunksize=max(1, len(tasks) // (4 * processes))))

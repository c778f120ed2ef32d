"""Drawing in this process, in processes beside it, or by workers elsewhere.

A process that draws imports this module and matplotlib, and nothing of bundles or pages.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from queue import SimpleQueue

from ..common import containment, parallel
from .model import PictureView

Task = tuple[PictureView, str]
"""The view of a picture, and the format of its file."""

MAX_DRAWN_HERE, PICTURES_PER_PROCESS = 5, 8
"""So many pictures are drawn sooner than a process starts, and so many keep one busy for as long
as it takes to start."""

BEGIN = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import serve; serve()"
"""The code that a process beside this one runs. Its arguments are the path of modules."""


@dataclass(frozen=True, slots=True)
class Undrawn:
    """The reason why a picture could not be drawn, and a picture that says so."""

    reason: str
    notice: bytes


def draw(task: Task) -> bytes | Undrawn:
    """Return the bytes of one picture."""
    # Most builds have nothing to draw, and start faster without matplotlib.
    from . import draw as library

    try:
        return library.draw(*task)
    except containment.PASSED_ON:
        raise
    except Exception as error:  # one picture that fails must not stop the others
        return Undrawn(containment.reason(error), library.notice(task[1]))


def serve() -> None:
    """Draw each task from the standard input, and write its bytes to the standard output.

    Only the parent process holds the other end of the input. The input ends when the parent
    ends, however it ends, and this process ends with its input.
    """
    # Ctrl+C reaches both processes, and the parent decides; if it is gone, there is no reader.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    tasks: SimpleQueue[Task] = SimpleQueue()
    threading.Thread(target=_receive, args=[tasks], daemon=True).start()
    import_module(".draw", __package__)  # before the first task arrives

    pictures = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # so that a library that prints damages no picture
    while True:
        pickle.dump(draw(tasks.get()), pictures)
        pictures.flush()


def _receive(tasks: SimpleQueue[Task]) -> None:
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            tasks.put(pickle.load(sys.stdin.buffer))
    os._exit(0)


class Drawing:
    """Pictures drawn on all cores while other work goes on, or by the workers of ``run`` where
    that is not this process. Use it in a ``with``, which ends its processes."""

    def __init__(self, run: parallel.Run = parallel.here) -> None:
        self._run = run
        self._waiting: list[Task] = []
        self._begun: list[Future[bytes | Undrawn]] = []
        self._cores = os.cpu_count() or 1
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        # Each thread waits for one process at a time.
        self._threads = ThreadPoolExecutor(self._cores)

    def __enter__(self) -> Drawing:
        return self

    def __exit__(self, *_raised: object) -> None:
        for process in self._processes:
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.communicate()

    def add(self, tasks: Sequence[Task]) -> None:
        """Add pictures to draw."""
        self._waiting += tasks
        waiting = len(self._waiting)
        if self._run is parallel.here and (waiting > MAX_DRAWN_HERE or self._processes):
            self._start(-(-(waiting + len(self._begun)) // PICTURES_PER_PROCESS))
            self._begun += [self._threads.submit(self._beside, task) for task in self._waiting]
            self._waiting = []

    def expect(self) -> None:
        """Start a process now, because pictures to draw will follow."""
        if self._run is parallel.here:
            self._start(1)

    def drawn(self) -> list[bytes | Undrawn]:
        """Return the pictures of all tasks in the order in which they were added.

        Raises :class:`parallel.WorkersError` where a process has ended too early.
        """
        if self._begun:
            return [future.result() for future in self._begun]
        return list(self._run(draw, self._waiting))

    def _start(self, count: int) -> None:
        """Start processes until there are ``count``, or one for each core."""
        while len(self._processes) < min(count, self._cores):
            command = [sys.executable, "-P", "-c", BEGIN, *sys.path]
            pipe = subprocess.PIPE
            # A lock or pipe that it inherited would stay open after the build has ended.
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, close_fds=True)
            self._processes.append(process)
            self._idle.put(process)

    def _beside(self, task: Task) -> bytes | Undrawn:
        """Return the picture of a task, drawn by an idle process."""
        process = self._idle.get()
        assert process.stdin is not None and process.stdout is not None
        try:
            pickle.dump(task, process.stdin)
            process.stdin.flush()
            drawn: bytes | Undrawn = pickle.load(process.stdout)
            return drawn
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            reason = f"a process that draws charts has ended with status {process.wait()}"
            raise parallel.WorkersError(f"{reason}; is there enough memory?") from error
        finally:
            self._idle.put(process)

"""Who draws: this process, processes beside it, or workers elsewhere.

Who draws imports this module and the library of charts, and nothing of bundles or pages.
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
"""What a picture shows, and its format."""

WORK = {"svg": 1, "pdf": 6}
"""How long a picture takes to draw. Each one for paper is given the letters of its font."""

FEW, EACH = 20, 150
"""So much work is done sooner than a process starts, and so much keeps it busy as long as its
start takes."""

BEGIN = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import serve; serve()"
"""What a process beside this one runs. Its arguments say where this one finds modules."""


@dataclass(frozen=True, slots=True)
class Undrawn:
    """A picture that could not be drawn: why, and a picture that says so."""

    reason: str
    notice: bytes


def draw(task: Task) -> bytes | Undrawn:
    """The bytes of one picture."""
    # The library is loaded by who draws: most builds have nothing to draw and start without it.
    from . import draw as library

    try:
        return library.draw(*task)
    except containment.PASSED_ON:
        raise
    except Exception as error:  # whatever it is, other pictures can be drawn
        return Undrawn(containment.reason(error), library.notice(task[1]))


def serve() -> None:
    """Draw each task that comes by the standard input, and send its bytes by the standard output.

    Nobody but the process that began this one holds the other end of the input. So the input
    ends when that process ends, however it ends; and with the input ends this process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the other process means both
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # nobody is left who wants the picture
    tasks: SimpleQueue[Task] = SimpleQueue()
    threading.Thread(target=_receive, args=[tasks], daemon=True).start()
    import_module(".draw", __package__)  # while nobody waits for the first picture

    pictures = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no picture
    while True:
        pickle.dump(draw(tasks.get()), pictures)
        pictures.flush()


def _receive(tasks: SimpleQueue[Task]) -> None:
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            tasks.put(pickle.load(sys.stdin.buffer))
    os._exit(0)


class Drawing:
    """Draws on all cores while other work goes on, or by the workers of ``run`` where that is not
    this process. Use it in a ``with``: what is left of it ends there."""

    def __init__(self, run: parallel.Run = parallel.here) -> None:
        self._run = run
        self._waiting: list[Task] = []
        self._work = 0
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
        """Have more drawn."""
        self._waiting += tasks
        self._work += sum(WORK[form] for _, form in tasks)
        if self._run is parallel.here and (self._work > FEW or self._processes):
            self._start(-(-self._work // EACH))
            self._begun += [self._threads.submit(self._beside, task) for task in self._waiting]
            self._waiting = []

    def expect(self) -> None:
        """Get ready to draw many soon."""
        if self._run is parallel.here:
            self._start(1)

    def drawn(self) -> list[bytes | Undrawn]:
        """The pictures of all tasks in the order in which they were added. Raises
        :class:`parallel.WorkersError` where a process has ended before its time."""
        if self._begun:
            return [future.result() for future in self._begun]
        return list(self._run(draw, self._waiting))

    def _start(self, count: int) -> None:
        """See to it that so many processes draw, but no more than there are cores."""
        while len(self._processes) < min(count, self._cores):
            command = [sys.executable, "-P", "-c", BEGIN, *sys.path]
            pipe = subprocess.PIPE
            # It inherits nothing that is open here: neither a lock nor the pipes of others.
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, close_fds=True)
            self._processes.append(process)
            self._idle.put(process)

    def _beside(self, task: Task) -> bytes | Undrawn:
        """Have a process draw a task, and wait for it."""
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

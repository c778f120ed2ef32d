"""Parts of the site that another process makes while this one makes others.

What comes out is the same as when this process makes them: that process says what it wrote, which
pictures it wants, and all that it learned. Where it ends before its time, this process makes what
is left.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Generic, TypeVar

from ..common import orphans
from ..common.diagnostics import Diagnostic
from .keeping import Keeping, Made

T = TypeVar("T")


def can_fork() -> bool:
    """Whether another process can begin where this one is, and has a core of its own."""
    is_main = threading.current_thread() is threading.main_thread()
    has_fork = "fork" in multiprocessing.get_all_start_methods()
    return is_main and has_fork and (os.cpu_count() or 1) > 1


class Beside(Generic[T]):
    """Makes parts in their order: where it is ``apart``, in another process, from now on, and
    else when their outcomes are asked for. Use it in a ``with``: that process ends there."""

    def __init__(
        self, keeping: Keeping, parts: Sequence[Callable[[], T]], apart: bool = True
    ) -> None:
        self._keeping, self._parts = keeping, parts
        self._outcomes: list[T] = []
        self._unmade: list[Diagnostic] = []
        self._is_open = apart
        if apart:
            gc.freeze()
            context = multiprocessing.get_context("fork")
            self._pipe, theirs = context.Pipe(duplex=False)
            self._process = context.Process(target=self._serve, args=(os.getpid(), theirs))
            self._process.start()
            theirs.close()

    def __enter__(self) -> Beside[T]:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self._is_open:
            self._process.kill()
            self._end()

    @property
    def process(self) -> int:
        """The number of the other process."""
        return self._process.pid or 0

    def take(self) -> None:
        """Take over what is made by now, so that its pictures can be drawn."""
        while self._is_open and self._pipe.poll():
            self._receive()

    def outcomes(self) -> Iterator[T]:
        """What came of each part, when it is made."""
        for number, part in enumerate(self._parts):
            while self._is_open and number >= len(self._outcomes):
                self._receive()
            yield self._outcomes[number] if number < len(self._outcomes) else part()
        while self._is_open:
            self._receive()
        self._keeping.unmade += self._unmade

    def _receive(self) -> None:
        """Take over what comes next, which is a part or, at the end, what was learned."""
        writer = self._keeping.writer
        try:
            said = self._pipe.recv()
        except (EOFError, OSError):  # it has ended, and nobody knows which files it has begun
            writer.look_anew()
            self._end()
            return
        if len(self._outcomes) < len(self._parts):
            made: Made[T] = said
            self._keeping.take(made)
            self._outcomes.append(made.out)
            self._unmade += made.unmade
            return
        written, ours, learned = said
        writer.written += written
        writer.ours |= ours
        writer.store.take(learned)
        self._end()

    def _end(self) -> None:
        self._is_open = False
        self._pipe.close()
        self._process.join()

    def _serve(self, parent: int, pipe: Connection) -> None:
        """Make the parts, in the other process."""
        orphans.end_with(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the other means both
        writer = self._keeping.writer
        written, ours, learned = len(writer.written), writer.ours.copy(), writer.store.learned()
        # What is wrong with this machine, such as a full disk, the other process meets too.
        with suppress(Exception):
            for part in self._parts:
                pipe.send(self._keeping.noted(part))
            pipe.send((writer.written[written:], writer.ours - ours, learned()))

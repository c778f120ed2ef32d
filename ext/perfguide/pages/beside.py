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
from tempfile import TemporaryFile
from types import TracebackType
from typing import Generic, TypeVar

from ..common import orphans
from ..common.diagnostics import Diagnostic
from .keeping import Keeping, Made

T = TypeVar("T")

WIDTH = 8
"""Bytes of a number in the file that both processes read."""


def can_fork() -> bool:
    """Whether another process can begin where this one is, and has a core of its own."""
    is_main = threading.current_thread() is threading.main_thread()
    has_fork = "fork" in multiprocessing.get_all_start_methods()
    return is_main and has_fork and (os.cpu_count() or 1) > 1


class Beside(Generic[T]):
    """Makes parts in another process from now on, where it is ``apart``. When their outcomes are
    asked for, this process makes those that the other one has not begun. Use it in a ``with``: the
    other process ends there."""

    def __init__(
        self, keeping: Keeping, parts: Sequence[Callable[[], T]], apart: bool = True
    ) -> None:
        self._keeping, self._parts = keeping, parts
        self._made: dict[int, tuple[T, list[Diagnostic]]] = {}
        self._is_open = apart
        if apart:
            gc.freeze()
            context = multiprocessing.get_context("fork")
            # Both read the numbers of parts from one file, in which they have one place: whoever
            # reads a number has it alone, and a process that is killed leaves no lock behind.
            self._numbers = TemporaryFile(buffering=0)  # noqa: SIM115 - closed at the end
            self._numbers.write(b"".join(n.to_bytes(WIDTH) for n in range(len(parts))))
            self._numbers.seek(0)
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

    def outcomes(self, meanwhile: Callable[[], None]) -> Iterator[T]:
        """What came of each part, when all are made. ``meanwhile`` is called now and then: there
        may be pictures to draw."""
        while self._is_open and (number := self._next()) is not None:
            self._make(number)
            self.take()
            meanwhile()
        while self._is_open:
            self._receive()
            meanwhile()
        for number in range(len(self._parts)):
            if number not in self._made:
                self._make(number)
                meanwhile()
            out, unmade = self._made[number]
            self._keeping.unmade += unmade
            yield out

    def _make(self, number: int) -> None:
        """Make a part in this process. What could not be made is told in the order of the parts,
        whoever makes them."""
        unmade = len(self._keeping.unmade)
        out = self._parts[number]()
        self._made[number] = out, self._keeping.unmade[unmade:]
        del self._keeping.unmade[unmade:]

    def _next(self) -> int | None:
        """The number of the next part that nobody has begun."""
        number = self._numbers.read(WIDTH)
        return int.from_bytes(number) if number else None

    def _receive(self) -> None:
        """Take over what comes next: a part with its number, or at the end what was learned."""
        writer = self._keeping.writer
        try:
            number, said = self._pipe.recv()
        except (EOFError, OSError):  # it has ended, and nobody knows which files it has begun
            writer.look_anew()
            self._end()
            return
        if number is not None:
            made: Made[T] = said
            self._keeping.take(made)
            self._made[number] = made.out, made.unmade
            return
        written, ours, learned = said
        writer.written += written
        writer.ours |= ours
        writer.store.take(learned)
        self._end()

    def _end(self) -> None:
        self._is_open = False
        self._pipe.close()
        self._numbers.close()
        self._process.join()

    def _serve(self, parent: int, pipe: Connection) -> None:
        """Make parts, in the other process."""
        orphans.end_with(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the other means both
        writer = self._keeping.writer
        written, ours, learned = len(writer.written), writer.ours.copy(), writer.store.learned()
        # What is wrong with this machine, such as a full disk, the other process meets too.
        with suppress(Exception):
            while (number := self._next()) is not None:
                pipe.send((number, self._keeping.noted(self._parts[number])))
            pipe.send((None, (writer.written[written:], writer.ours - ours, learned())))

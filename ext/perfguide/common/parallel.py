"""Work split into pieces that processes do, locally or through Dask on other machines, with the
same outcome.

Each piece is a function of the package and a value. If a process ends before returning the result,
another one repeats the piece.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import platform
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import chdir, contextmanager, nullcontext
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from . import extras, orphans
from .diagnostics import ReportedError
from .package import fingerprint, libraries

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")
R = TypeVar("R")

REPLY_TIMEOUT_S = 30
"""The seconds within which a scheduler must answer and have a worker."""

PIECES_PER_WORKER, PIECES_PER_CORE = 8, 3
"""Pieces of work queued per worker or core: enough to keep each busy, few enough to fit in
memory."""

WORKER_COUNT_MAX_AGE_S = 2
"""The seconds after which the number of workers is refreshed."""

_WORK_LOCK = threading.Lock()


class WorkersError(ReportedError):
    """The workers cannot be reached or cannot do the work."""


class Run(Protocol):
    """A function that does pieces of work and yields the results in order."""

    def __call__(self, work: Callable[[T], R], pieces: Iterable[T], /) -> Iterator[R]:
        """Yield ``work(piece)`` for each piece. Pieces are consumed lazily."""
        ...


def here(work: Callable[[T], R], pieces: Iterable[T], /) -> Iterator[R]:
    """Do the work in this process, piece by piece."""
    return map(work, pieces)


class _Cores:
    """One local process per core. They start immediately: when forked later, they would inherit
    everything that this process has read by then."""

    def __init__(self) -> None:
        # A fork inherits the modules and the catalog of this process.
        methods = multiprocessing.get_all_start_methods()
        self._context = multiprocessing.get_context("fork" if "fork" in methods else None)
        self._executor = self._new(os.cpu_count() or 1)
        self._executor.submit(os.getpid)

    def run(self, work: Callable[[T], R], pieces: Iterable[T], /) -> Iterator[R]:
        """Do the work, several pieces at a time."""
        left = iter(pieces)
        waiting: deque[tuple[T, Future[R]]] = deque()
        try:
            while True:
                for piece in islice(left, PIECES_PER_CORE * (os.cpu_count() or 1) - len(waiting)):
                    waiting.append((piece, self._submitted(work, piece)))
                if not waiting:
                    return
                piece, future = waiting.popleft()
                try:
                    outcome = future.result()
                except BrokenProcessPool:
                    outcome = self._again(work, piece)
                yield outcome
        finally:
            for _, future in waiting:
                future.cancel()

    def _submitted(self, work: Callable[[T], R], piece: T) -> Future[R]:
        try:
            return self._executor.submit(work, piece)
        except BrokenProcessPool:
            self.end()
            self._executor = self._new(os.cpu_count() or 1)
            return self._executor.submit(work, piece)

    def _again(self, work: Callable[[T], R], piece: T) -> R:
        """Repeat a piece in a fresh process. If that dies too, it has most likely run out of
        memory."""
        with self._new(1) as executor:
            try:
                return executor.submit(work, piece).result()
            except BrokenProcessPool as error:
                reason = "a page-generating process died twice"
                raise WorkersError(f"{reason}; is there enough memory?") from error

    def _new(self, count: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(count, self._context, _begin, (os.getpid(),))

    def end(self) -> None:
        """End the processes."""
        self._executor.shutdown(cancel_futures=True)


def _begin(parent: int) -> None:
    """Initialize a process, which ends with its parent and leaves interrupts to it."""
    orphans.end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def at(address: str) -> Iterator[Run]:
    """Yield a runner on the workers of a Dask scheduler, such as ``tcp://farm:8786``; without an
    address, on local processes. Raises :class:`WorkersError` if the scheduler has no workers."""
    if not address:
        cores: _Cores | None = None
        try:
            # An interrupt may come while the processes start.
            cores = _Cores()
            yield cores.run
        except BaseException:
            # The remaining work of an interrupted build is not needed.
            for process in multiprocessing.active_children():
                process.kill()
            raise
        finally:
            if cores:
                cores.end()
        return
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        reason = f"Dask is not installed; {extras.command('dask')}"
        raise WorkersError(f"{address}: {reason}") from error
    # Pieces embed their files on purpose: data stored with the scheduler would outlive every
    # worker.
    quiet = {"distributed.admin.large-graph-warning-threshold": "1TiB"}
    with dask.config.set(quiet):
        try:
            client = Client(address, timeout=REPLY_TIMEOUT_S, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise WorkersError(f"{address}: no scheduler responds: {error}") from error
        with client:
            try:
                client.wait_for_workers(1, timeout=REPLY_TIMEOUT_S)
            except TimeoutError as error:
                raise WorkersError(f"{address}: the scheduler has no workers") from error
            yield _Remote(client, address).run


class _Remote:
    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address

    def run(self, work: Callable[[T], R], pieces: Iterable[T], /) -> Iterator[R]:
        identity, folder = itself(), str(Path.cwd())
        left = iter(pieces)
        waiting: deque[Any] = deque()
        # Workers come and go during a build, and the limit follows their number.
        limit, counted_at = 0, 0.0
        try:
            while True:
                if time.monotonic() > counted_at + WORKER_COUNT_MAX_AGE_S:
                    limit = PIECES_PER_WORKER * max(1, self._workers())
                    counted_at = time.monotonic()
                while len(waiting) < limit:
                    try:
                        piece = next(left)
                    except StopIteration:
                        break
                    future = self._client.submit(_same, identity, folder, work, piece, pure=False)
                    waiting.append(future)
                if not waiting:
                    return
                yield self._outcome(waiting[0])
                waiting.popleft().release()
        finally:
            if self._client.status == "running":
                self._client.cancel(list(waiting), force=True)

    def _workers(self) -> int:
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def _outcome(self, future: Any) -> Any:
        from distributed import CancelledError, KilledWorker

        while True:
            try:
                return future.result(timeout=REPLY_TIMEOUT_S)
            except KilledWorker as error:
                reason = f"one piece of work killed several workers: {error}"
                raise WorkersError(f"{self._address}: {reason}") from error
            except CancelledError as error:
                raise WorkersError(f"{self._address}: the scheduler is gone") from error
            except ImportError as error:
                raise WorkersError(f"{self._address}: a worker lacks perfguide: {error}") from error
            except TimeoutError as error:
                # A long-running piece is fine as long as there are workers.
                if self._client.status != "running" or not self._workers():
                    raise WorkersError(f"{self._address}: no worker is left") from error


def _same(identity: str, folder: str, work: Callable[[T], R], piece: T) -> R:
    """Do a piece of work on a worker, in ``folder``, provided that its code matches that of the
    client."""
    mine = itself()
    if mine != identity:
        raise WorkersError(
            f"{platform.node()}: this worker has a different perfguide, Python or library "
            "version than the client; install the same versions there"
        )
    # A worker may have several threads, and drawing changes process-wide settings.
    with _WORK_LOCK, chdir(folder) if Path(folder).is_dir() else nullcontext():
        return work(piece)


@lru_cache(1)
def itself() -> str:
    """Return a hash of the package's code and of the libraries that affect its output."""
    return hashlib.sha256(repr((fingerprint(), libraries())).encode()).hexdigest()

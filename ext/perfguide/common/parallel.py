"""Work that processes on other machines do, by Dask, with the same outcome as here.

Who has a scheduler names its address. Each piece of work is a function of the package and
a value; what a worker has not given back when it ends is done by another one.
"""

from __future__ import annotations

import hashlib
import platform
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from . import extras
from .package import fingerprint

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")
R = TypeVar("R")

PATIENCE = 30
"""Seconds in which a scheduler has to answer and to have a worker."""

AHEAD = 8
"""Pieces of work that wait at each worker, so that none is idle and few are in memory."""

FRESH = 2
"""Seconds for which the number of workers is believed."""

DECIDING = ("matplotlib", "msgspec", "numpy", "zstandard")
"""Packages whose version can show in what comes out."""

_ONE = threading.Lock()


class WorkersError(Exception):
    """The workers cannot be reached, or cannot do the work."""


class Run(Protocol):
    """What does pieces of work and gives what comes out, in their order."""

    def __call__(self, work: Callable[[T], R], pieces: Iterable[T], /) -> Iterator[R]:
        """``work`` done on each of ``pieces``, which are taken as they are needed."""
        ...


def here(work: Callable[[T], R], pieces: Iterable[T], /) -> Iterator[R]:
    """Do the work in this process."""
    return map(work, pieces)


@contextmanager
def at(address: str) -> Iterator[Run]:
    """Workers of a Dask scheduler, such as ``tcp://farm:8786``; raises
    :class:`WorkersError` where there are none. Without an address, this process."""
    if not address:
        yield here
        return
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        reason = f"Dask is not installed; {extras.command('dask')}"
        raise WorkersError(f"{address}: {reason}") from error
    # Pieces hold whole files on purpose: what a scheduler holds, no worker can lose.
    quiet = {"distributed.admin.large-graph-warning-threshold": "1TiB"}
    with dask.config.set(quiet):
        try:
            client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise WorkersError(f"{address}: no scheduler answers there: {error}") from error
        with client:
            try:
                client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError as error:
                raise WorkersError(f"{address}: the scheduler has no workers") from error
            yield _Remote(client, address).run


class _Remote:
    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address

    def run(self, work: Callable[[T], R], pieces: Iterable[T], /) -> Iterator[R]:
        identity = itself()
        left = iter(pieces)
        waiting: deque[Any] = deque()
        room, asked = 0, 0.0
        try:
            while True:
                if time.monotonic() > asked + FRESH:
                    room, asked = AHEAD * max(1, self._workers()), time.monotonic()
                while len(waiting) < room:
                    try:
                        piece = next(left)
                    except StopIteration:
                        break
                    future = self._client.submit(_same, identity, work, piece, pure=False)
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
                return future.result(timeout=PATIENCE)
            except KilledWorker as error:
                reason = f"one piece of work has ended several workers: {error}"
                raise WorkersError(f"{self._address}: {reason}") from error
            except CancelledError as error:
                raise WorkersError(f"{self._address}: the scheduler has gone") from error
            except ImportError as error:
                raise WorkersError(
                    f"{self._address}: a worker has no perfguide: {error}"
                ) from error
            except TimeoutError as error:
                if self._client.status != "running" or not self._workers():
                    raise WorkersError(f"{self._address}: no worker is left") from error


def _same(identity: str, work: Callable[[T], R], piece: T) -> R:
    """Done by a worker: the work, where its code is that of who asks for it."""
    mine = itself()
    if mine != identity:
        raise WorkersError(
            f"{platform.node()}: this worker has another perfguide, Python or library "
            "than the machine that asks; install the same there"
        )
    # A worker may have several threads, and drawing sets what holds for the whole process.
    with _ONE:
        return work(piece)


@lru_cache(1)
def itself() -> str:
    """The package's code, and the versions of all that decides what comes out of it."""
    versions = [platform.python_version(), *map(version, DECIDING)]
    code = fingerprint()
    return hashlib.sha256("\n".join([code, *versions]).encode()).hexdigest()

"""Processes that end with the one that began them, however that ended (on Linux).

Otherwise Sphinx goes on when its build was killed; and when Sphinx was killed, each process that
writes pages for it waits for ever to tell it of a page, because it holds the other end of the
pipe itself. With it waits every later build, because it holds the lock too.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from functools import cache

PR_SET_PDEATHSIG = 1
"""See prctl(2): the signal that the kernel sends when the parent ends."""


def end_with(parent: int) -> None:
    """Have this process killed when the thread of ``parent`` ends that has just forked it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:  # it has ended before the kernel knew
            os._exit(1)


@cache
def end_forks() -> None:
    """From now on, what this process forks from its main thread is killed with it, and so is
    what that forks."""
    parent = 0

    def before() -> None:
        nonlocal parent
        # The kernel looks at the thread that forked, and other threads may end early.
        main = threading.current_thread() is threading.main_thread()
        parent = os.getpid() if main else 0

    def in_child() -> None:
        if parent:
            end_with(parent)

    os.register_at_fork(before=before, after_in_child=in_child)

"""Processes that write pages end with the one that began them.

A writer whose parent was killed waits for ever to tell it of its page: it holds the other
end of the pipe itself. With it waits every later build, because it holds the lock too.
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


@cache
def end_with_parent() -> None:
    """From now on, what this process forks from its main thread is killed with it (Linux)."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    parent = 0

    def before() -> None:
        nonlocal parent
        # The signal comes when the thread ends that forked, so other threads do not count.
        main = threading.current_thread() is threading.main_thread()
        parent = os.getpid() if main else 0

    def in_child() -> None:
        if parent:
            libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

    os.register_at_fork(before=before, after_in_child=in_child)

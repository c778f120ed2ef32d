"""Child processes that end with their parent, however that ended (on Linux).

Without this, Sphinx keeps running after its build was killed. If Sphinx itself is killed, each of
its page-writing processes waits forever on a pipe whose other end it holds itself, and every later
build waits for the lock that it holds.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from functools import cache

PR_SET_PDEATHSIG = 1
"""From prctl(2): request a signal when the parent ends."""


def end_with(parent: int) -> None:
    """Have the kernel kill this process when the thread of ``parent`` that forked it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        # The parent may have ended before the call above.
        if os.getppid() != parent:
            os._exit(1)


@cache
def end_forks() -> None:
    """From now on, kill all processes forked by this one's main thread when it ends,
    recursively."""
    parent = 0

    def before() -> None:
        nonlocal parent
        # The kernel watches the forking thread, and threads other than the main one may end early.
        main = threading.current_thread() is threading.main_thread()
        parent = os.getpid() if main else 0

    def in_child() -> None:
        if parent:
            end_with(parent)

    os.register_at_fork(before=before, after_in_child=in_child)

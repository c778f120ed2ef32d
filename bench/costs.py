"""Run a command and print the cost of it and all its processes as JSON.

    python costs.py COMMAND…

``cpu`` and ``clock`` are in seconds, ``memory`` is that of the largest process in MiB, and
``status`` is the exit status. This is a separate program with few imports, because the kernel
counts the memory of a parent process towards the peak of processes that it starts.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
"""From ``linux/prctl.h``."""


def main(command: list[str]) -> dict[str, float]:
    """Run the command and wait for the last of its processes."""
    # Processes that outlive their parent become children of this one.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    start = time.monotonic()
    first = os.posix_spawnp(command[0], command, os.environ)
    _, status, used = os.wait4(first, 0)
    # Stop the clock before waiting for leftover processes, which users do not notice.
    taken = time.monotonic() - start
    all_used = [used]
    # ChildProcessError: no process is left.
    with contextlib.suppress(ChildProcessError):
        while True:
            all_used.append(os.wait4(-1, 0)[2])
    return {
        "cpu": sum(each.ru_utime + each.ru_stime for each in all_used),
        "clock": taken,
        "memory": max(each.ru_maxrss for each in all_used) / 1024,
        "status": os.waitstatus_to_exitcode(status),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1:])))

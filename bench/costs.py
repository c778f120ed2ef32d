"""Run a command and print what it and all processes that it began took, as JSON.

    python costs.py COMMAND…

``cpu`` and ``clock`` are in seconds, ``memory`` is that of the largest process in MiB,
``status`` the exit status. A program of its own that imports little, because a process
counts as its own memory what the one that began it had.
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
    """Run the command to the end of its last process."""
    # Processes that outlive the one that began them, if there are any, come to us.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    start = time.monotonic()
    first = os.posix_spawnp(command[0], command, os.environ)
    _, status, used = os.wait4(first, 0)
    taken = time.monotonic() - start
    all_used = [used]
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

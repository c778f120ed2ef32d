"""Settings of the garbage collector for a build."""

from __future__ import annotations

import atexit
import gc
import os
from functools import cache


@cache
def collect_rarely() -> None:
    """Run the garbage collector less often in this process, as nearly all objects of a build stay
    in use.

    Objects that exist before a fork are never collected. A forked process shares their memory with
    its parent, and the collector would copy every page that it visits. At exit nothing is collected
    either.
    """
    gc.set_threshold(50_000, 10, 10)
    atexit.register(gc.freeze)
    os.register_at_fork(before=gc.freeze)

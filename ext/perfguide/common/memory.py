"""How often a build looks through its memory for what nobody uses any more."""

from __future__ import annotations

import atexit
import gc
import os
from functools import cache


@cache
def look_seldom() -> None:
    """From now on, look through memory more seldom in this process: nearly all objects that a
    build makes stay in use.

    What there is when a process is forked is never looked through again, and nothing is at the end.
    A forked process shares its memory with this one, and to look through it would copy it.
    """
    gc.set_threshold(10_000, 10, 10)
    atexit.register(gc.freeze)
    os.register_at_fork(before=gc.freeze)

"""Where the tests write: into memory, where there is room for it.

A site is thousands of small files, and the tests build hundreds of sites. On a disk they wait
for it, and the kernel works twenty times as long for each file.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import psutil

MEMORY = Path("/dev/shm")
NEEDED = 6 * 2**30
"""Bytes: all that a run leaves to its end, and as much again."""


def write_into_memory() -> None:
    """Make folders for temporary files in memory, in this process and in those that it starts.
    Where TMPDIR names a folder, where memory is scarce, and where nothing there can be run,
    they stay where they are."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return
    held = os.statvfs(MEMORY)
    room = min(held.f_bavail * held.f_frsize, psutil.virtual_memory().available)
    if room >= NEEDED and not held.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"], tempfile.tempdir = str(MEMORY), None

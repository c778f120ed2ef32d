"""Where the tests write: into memory, where there is room for it.

A site is thousands of small files, and the tests build hundreds of sites. On a disk they wait
for it, and the kernel works twenty times as long for each file.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import psutil

MEMORY = Path("/dev/shm")
NAME = "tests-of-guides-"
"""Before the number of the process whose folder it is."""

NEEDED = 6 * 2**30
"""Bytes: all that a run leaves to its end, and as much again."""


def write_into_memory() -> None:
    """Make folders for temporary files in memory, in this process and in those that it starts.
    Where TMPDIR names a folder, where memory is scarce, and where nothing there can be run,
    they stay where they are. The folder of a run that failed stays until the next run."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return
    for left in MEMORY.glob(f"{NAME}*"):
        if not psutil.pid_exists(int(left.name.removeprefix(NAME))):
            shutil.rmtree(left, ignore_errors=True)  # what failed the last time
    held = os.statvfs(MEMORY)
    room = min(held.f_bavail * held.f_frsize, psutil.virtual_memory().available)
    if room >= NEEDED and not held.f_flag & os.ST_NOEXEC:
        own = MEMORY / f"{NAME}{os.getpid()}"
        own.mkdir(mode=0o700)
        os.environ["TMPDIR"], tempfile.tempdir = str(own), None


def leave_no_memory() -> None:
    """Remove what this process has made in memory; the processes that it started made nothing
    of their own."""
    shutil.rmtree(MEMORY / f"{NAME}{os.getpid()}", ignore_errors=True)

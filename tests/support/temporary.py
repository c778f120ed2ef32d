"""The folder for the temporary files of tests, in memory if there is space.

A site has thousands of small files, and the tests build hundreds of sites. On a disk, the tests would
have to wait, and the kernel would need twenty times as long per file.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import psutil

MEMORY = Path("/dev/shm")
NAME = "tests-of-guides-"
"""The prefix of a folder's name, followed by the number of its process."""

NEEDED_BYTES = 6 * 2**30
"""Twice the size of the files that a complete run leaves behind."""


def write_into_memory() -> None:
    """Make folders for temporary files in memory, in this process and its children, unless TMPDIR
    names a folder, memory is scarce, or no program can be run there. The folder of a failed run
    stays until the next run."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return
    for left in MEMORY.glob(f"{NAME}*"):
        if not psutil.pid_exists(int(left.name.removeprefix(NAME))):
            shutil.rmtree(left, ignore_errors=True)  # from a failed run
    status = os.statvfs(MEMORY)
    # The file system may promise more than the machine has left.
    room = min(status.f_bavail * status.f_frsize, psutil.virtual_memory().available)
    if room >= NEEDED_BYTES and not status.f_flag & os.ST_NOEXEC:
        own = MEMORY / f"{NAME}{os.getpid()}"
        own.mkdir(mode=0o700)
        # None makes tempfile look at TMPDIR again.
        os.environ["TMPDIR"], tempfile.tempdir = str(own), None


def leave_no_memory() -> None:
    """Remove the folders that this process has made in memory; its children have none of their
    own."""
    shutil.rmtree(MEMORY / f"{NAME}{os.getpid()}", ignore_errors=True)

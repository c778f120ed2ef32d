"""Programs that a test needs, installed from Debian where they are missing."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def program(name: str, package: str = "") -> str:
    """The path of a program; its Debian package is installed where it is not there.

    Fails where it cannot be installed: a test that is passed over proves nothing.
    """
    with (Path(tempfile.gettempdir()) / "perfguide-apt.lock").open("w") as lock:
        # The tests run in parallel, and apt does not.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if found := shutil.which(name):
            return found
        prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
        for arguments in (["update", "-qq"], ["install", "-y", "-qq", package or name]):
            subprocess.run([*prefix, "apt-get", *arguments], check=True, capture_output=True)
    found = shutil.which(name)
    assert found, f"{name} is not on this machine and could not be installed"
    return found

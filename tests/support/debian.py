"""Programs and libraries that a test needs, installed from Debian where they are missing."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path


def program(name: str, package: str = "") -> str:
    """The path of a program; its Debian package is installed where it is not there.

    Fails where it cannot be installed: a test that is passed over proves nothing.
    """
    _install(package or name, lambda: shutil.which(name) is not None)
    found = shutil.which(name)
    assert found, f"{name} is not on this machine and could not be installed"
    return found


def library(name: str, package: str) -> None:
    """Have a shared library, under its soname, where programs of a package load it."""

    def there() -> bool:
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    _install(package, there)
    assert there(), f"{name} is not on this machine and could not be installed"


def _install(package: str, there: Callable[[], bool]) -> None:
    with (Path(tempfile.gettempdir()) / "perfguide-apt.lock").open("w") as lock:
        # The tests run in parallel, and apt does not.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if there():
            return
        prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
        for arguments in (["update", "-qq"], ["install", "-y", "-qq", package]):
            subprocess.run([*prefix, "apt-get", *arguments], check=True, capture_output=True)

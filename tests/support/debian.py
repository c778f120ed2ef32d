"""Programs and libraries that tests need, installed from Debian if missing.

Run as a program, it installs all of them at once, while tests that need none are running.
"""

from __future__ import annotations

import ctypes
import fcntl
import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGES = {
    "chromium-headless-shell": ("chromium-headless-shell", "libatomic1"),
    "shellcheck": ("shellcheck",),
    "busybox": ("busybox-static",),
    "pdftotext": ("poppler-utils",),
    "iperf3": ("iperf3",),
    "man": ("man-db",),
}
"""Programs that many machines lack, and their Debian packages."""
MAKEFILE = Path(__file__).resolve().parents[2] / "Makefile"


def program(name: str, package: str = "") -> str:
    """Return the path of a program, after installing its Debian package if it is missing.

    Fails if that is not possible: a skipped test would prove nothing.
    """
    _install(package or name, lambda: shutil.which(name) is not None)
    path = shutil.which(name)
    assert path, f"{name} is not on this machine and could not be installed"
    return path


def library(name: str, package: str) -> None:
    """Install a shared library by its soname, for programs of a package."""

    def there() -> bool:
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    _install(package, there)
    assert there(), f"{name} is not on this machine and could not be installed"


def latex() -> None:
    """Ensure that LaTeX is installed, as ``make pdf`` would."""
    (words,) = re.findall(r"^TEX *= (.+)$", MAKEFILE.read_text("utf-8"), re.MULTILINE)
    with _alone():
        if not all(map(shutil.which, ("latexmk", "xelatex"))):
            _apt("--no-install-recommends", *words.split())


def install_all() -> None:
    """Install all programs that are missing, and LaTeX."""
    with _alone():
        missing = [PACKAGES[name] for name in PACKAGES if shutil.which(name) is None]
        if missing:
            _apt(*itertools.chain(*missing))
    latex()


def wait() -> None:
    """Wait until nothing is being installed for another test."""
    with _alone():
        return


def _install(package: str, there: Callable[[], bool]) -> None:
    with _alone():
        # Check with the lock held, because another process may just have installed it.
        if not there():
            _apt(package)


@contextmanager
def _alone() -> Iterator[None]:
    """Hold a lock while installing: tests run in parallel, but apt does not. Every process finds
    it, wherever its temporary files are."""
    with Path("/tmp/perfguide-apt.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _apt(*words: str) -> None:
    # Use -n, as a test cannot answer a password prompt.
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    for arguments in (["update", "-qq"], ["install", "-y", "-qq", *words]):
        subprocess.run([*prefix, "apt-get", *arguments], check=True, capture_output=True)


if __name__ == "__main__":
    install_all()

"""Building a site in a separate folder and swapping it in atomically.

Next to the site ``build/html`` is the folder ``build/.html``. A build copies the site to its
subfolder ``site``, where Sphinx writes the pages that changed, with its cache in ``doctrees``, and
finally exchanges the two folders. ``stamp``, written last, records the files of the site and the
cache. If it is missing, or any of these files has been replaced, the next build starts from
scratch.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import filecmp
import os
import platform
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from . import last_build
from .last_build import Inputs, Site, Stamp
from .store import listing, settle

__all__ = ["Place", "build", "locked", "place_of", "remove", "swap"]

LOCK = ".lock"
ASSETS = "_static"
"""The folder that each Sphinx build fills again."""

RENAME_EXCHANGE = 2
AT_FDCWD = -100
NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""Errors of kernels and file systems that cannot exchange two names."""

Run = Callable[[], tuple[int, Inputs | None]]
"""A function that runs Sphinx and returns the exit status, and the inputs of the site if there is
one."""


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of a published site, and the folder in which it is built."""

    target: Path
    work: Path

    @property
    def site(self) -> Path:
        """The pages that Sphinx writes."""
        return self.work / "site"

    @property
    def doctrees(self) -> Path:
        """Sphinx's cache."""
        return self.work / "doctrees"

    @property
    def stamp(self) -> Path:
        """The record of the last complete build."""
        return self.work / "stamp"


def place_of(target: Path) -> Place:
    """Return the place of a site. If ``target`` is the user's own symlink, the folder that it
    points to is replaced, and the link stays."""
    work = target.parent / f".{target.name}"
    if target.is_symlink() and not target.resolve().is_relative_to(work.resolve()):
        target = target.resolve()
        work = target.parent / f".{target.name}"
    return Place(target, work)


@contextmanager
def locked(folder: Path, waiting: Callable[[str], None]) -> Iterator[int]:
    """Hold the lock of a folder; yield its file descriptor.

    If another process holds it, ``waiting`` is first called with the name of that process.
    Processes that inherit the descriptor hold the lock too, which is released when the last of them
    ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting(os.pread(file, 200, 0).decode("utf-8", "replace") or "another process")
            fcntl.flock(file, fcntl.LOCK_EX)
        now = datetime.now(UTC).isoformat(" ", "seconds")
        os.ftruncate(file, 0)
        os.pwrite(file, f"process {os.getpid()} on {platform.node()}, since {now}".encode(), 0)
        yield file
    finally:
        os.close(file)


def build(at: Place, last: Stamp | None, depends: str, asked: str, run: Run) -> tuple[int, Site]:
    """Build a site and publish it if ``run`` returns status 0; return the status and the files of
    the published site.

    ``run`` fills ``at.site``, which holds the pages of the ``last`` build without its assets if
    Sphinx can build on them, and nothing otherwise. ``depends`` is a hash of everything that
    Sphinx's cache depends on apart from pages; ``asked`` is a hash of everything that the site
    depends on apart from files. The caller holds the lock. Raises ``OSError`` if a folder cannot be
    written, leaving the published site unchanged.
    """
    at.work.mkdir(parents=True, exist_ok=True)
    remove(at.site)  # left by a killed build
    can_build_on = last is not None and last.depends == depends and last.is_as_left(at)
    try:
        if can_build_on:
            _copy(at.target, at.site)
        else:
            remove(at.doctrees)
        status, inputs = run()
        if status or inputs is None:
            return status, {}
        if not (can_build_on and _is_same(at.site, at.target)):
            os.sync()  # so that no file is empty after a power failure
            swap(at.site, at.target, at.work)
    finally:
        # It takes up space on a full disk. Processes of an interrupted build may still write there.
        shutil.rmtree(at.site, ignore_errors=True)
    doctrees, site = listing(at.doctrees), listing(at.target)
    settle([*doctrees.values(), *site.values()])
    last_build.stamp(at, Stamp(depends, asked, doctrees, site, inputs))
    return status, site


def _copy(site: Path, target: Path) -> None:
    """Copy the files of a site except its assets, preserving times."""
    for name in listing(site):
        if not name.startswith(f"{ASSETS}/"):
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(site / name, path)


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two folders have files of the same names and bytes."""
    names = listing(one).keys()
    # Files with equal times are not read, as one is an unchanged copy of the other.
    return names == listing(other).keys() and all(
        filecmp.cmp(one / name, other / name) for name in names
    )


def remove(path: Path) -> None:
    """Remove a file, symlink or folder if it exists."""
    if path.is_dir() and not path.is_symlink():
        try:
            shutil.rmtree(path)
        except OSError as error:  # the error's own name lacks the folder
            raise OSError(error.errno, error.strerror, str(path)) from error
    else:
        path.unlink(missing_ok=True)


def swap(new: Path, target: Path, work: Path) -> None:
    """Replace ``target`` with the folder ``new`` atomically.

    The previous folder ends up at ``new`` or is removed. If the file system cannot exchange two
    names, the target becomes a symlink to a folder in ``work``; only the initial change from a
    folder to a link takes two steps.
    """
    try:
        # This also replaces an empty folder.
        new.rename(target)
        return
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
    if target.is_symlink() or not exchange(new, target):
        link(new, target, work)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two names atomically; return ``False`` if this is not supported."""
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    names = os.fsencode(one), os.fsencode(other)
    if renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in NO_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number), str(other))


def link(new: Path, target: Path, work: Path) -> None:
    """Make ``target`` a symlink to ``new``, which moves to a name of its own in ``work``."""
    earlier = target.resolve() if target.is_symlink() else None
    names = (work / f"site-{number}" for number in (1, 2))
    site = next(name for name in names if earlier is None or name.resolve() != earlier)
    remove(site)
    new.rename(site)
    aside = work / "link"
    remove(aside)
    aside.symlink_to(os.path.relpath(site, target.parent))
    if earlier is None:
        target.rename(new)
    aside.replace(target)
    if earlier is not None and earlier.is_relative_to(work.resolve()):
        earlier.rename(new)

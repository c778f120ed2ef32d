"""Moving files between folders so that no reader ever sees a partial one.

Files are opened by name in an open folder, never through a symlink. New files get a random name and
are flushed to disk before they are renamed.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..publishing.store import identity

LOCK = ".intake.lock"
_PREFIX, _SUFFIX = ".intake-", ".part"
_CHUNK = 1024**2


class BusyError(Exception):
    """Another process holds the lock of the folder."""


class UnfitError(Exception):
    """A file that cannot be taken, whatever its content; the message says why."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a file, its SHA-256, and the identity of the original."""

    path: Path
    digest: str
    identity: tuple[int, ...]


@contextmanager
def locked(*folders: Path) -> Iterator[None]:
    """Lock folders in this order. Raises :class:`BusyError`.

    The kernel releases the locks when the process ends, however it ends.
    """
    opened: list[int] = []
    try:
        for folder in folders:
            # The lock must be our own file, never one that a sender's symlink points to.
            opened.append(os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644))
            try:
                fcntl.flock(opened[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BusyError(str(folder)) from None
        yield
    finally:
        for descriptor in reversed(opened):
            os.close(descriptor)


def sweep(folder: Path) -> None:
    """Remove partial files left by a killed process."""
    for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        path.unlink(missing_ok=True)


@contextmanager
def _new_file(folder: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Yield a new file with a random name for writing; it is flushed to disk afterwards, or removed
    on errors."""
    path = folder / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
    try:
        with path.open("xb") as out:
            yield path, out
            out.flush()
            os.fsync(out.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def copy(folder: int, name: str, target: Path, limit: int) -> Copy:
    """Copy a file to a new file in the folder ``target``, flushed to disk.

    Raises :class:`UnfitError` if it is not a regular file or has more than ``limit`` bytes. Errors
    leave nothing behind.
    """
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for its other end.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        source = os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise UnfitError("it is not a regular file") from None
        raise
    with os.fdopen(source, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnfitError("it is not a regular file")
        digest, size = hashlib.sha256(), 0
        with _new_file(target) as (path, out):
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                if size > limit:
                    raise UnfitError(f"it has more than {limit} bytes")
                digest.update(chunk)
                out.write(chunk)
        return Copy(path, digest.hexdigest(), identity(status))


def publish(path: Path, target: Path) -> None:
    """Rename a complete file to ``target``, and flush any new folders to disk."""
    # A new folder only survives a power failure if its parent is synchronised as well.
    missing = [folder for folder in target.parents if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    path.replace(target)
    for folder in {target.parent, *(created.parent for created in missing)}:
        _sync(folder)


def write(data: bytes, target: Path) -> None:
    """Write ``data`` to the file ``target``: complete and flushed to disk, or not at all."""
    with _new_file(target.parent) as (path, out):
        out.write(data)
    try:
        publish(path, target)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def move(folder: int, name: str, target: Path) -> None:
    """Move a file of any kind unchanged; between file systems, copy its bytes, or the target of a
    link. Raises :class:`OSError` if neither is possible."""
    try:
        os.rename(name, target, src_dir_fd=folder)
    except OSError as error:
        # Only moves between file systems can be replaced by a copy.
        if error.errno != errno.EXDEV:
            raise
    else:
        _sync(target.parent)
        return
    if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        target.symlink_to(os.readlink(name, dir_fd=folder))
    else:
        try:
            copied = copy(folder, name, target.parent, 2**63)
        except UnfitError as unfit:
            raise OSError(errno.EXDEV, str(unfit), name) from None
        publish(copied.path, target)
    os.unlink(name, dir_fd=folder)


def remove(folder: int, name: str, copied: tuple[int, ...]) -> None:
    """Remove a file unless it has changed since it was copied."""
    with suppress(FileNotFoundError):
        if identity(os.stat(name, dir_fd=folder, follow_symlinks=False)) == copied:
            os.unlink(name, dir_fd=folder)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

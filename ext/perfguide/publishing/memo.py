"""Hashes of files, known again without reading them while nobody touched the files.

A file is known by its device, inode, size and times, whatever its name: a folder above it
may get another one. The time of its last change of state (``ctime``) cannot be set by
programs, so neither a copy with an old time nor a change that leaves the size as it is goes
unseen, nor another file that takes over an inode. Two changes within one tick of a file
system's clock have the same time; so what changed shortly before it was read is read again.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import time
from pathlib import Path

import msgspec

Identity = tuple[int, int, int, int, int]
"""Device, inode, size, and the times of the last change of content and of state, in ns."""

NOBODY: Identity = (0, 0, 0, 0, 0)
"""What no file is known by."""

TICK = 100_000_000
"""Nanoseconds that a file has to be older than what is known of it."""
COARSE = 2_000_000_000
"""The same where a file system's times have no fractions of a millisecond."""
SMALL = 2**20
"""Bytes of a file that is read in one piece."""


class _Kept(msgspec.Struct, array_like=True, frozen=True):
    """What the file of a memo holds; ``sum`` is over ``files``."""

    sum: str
    files: msgspec.Raw


def identity(state: os.stat_result) -> Identity:
    """What a file is known by."""
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def is_settled(of: Identity, at: int) -> bool:
    """Whether a change after ``at`` (ns since the epoch) shows in the times of a file."""
    changed = max(of[3], of[4])
    coarse = of[3] % 10**6 == 0 and of[4] % 10**6 == 0
    return changed < at - (COARSE if coarse else TICK)


class Memo:
    """The hashes of files, kept in a file from run to run; without a file, for one run.

    What is wrong with the file of a memo costs time and nothing else.
    """

    def __init__(self, kept: Path | None = None) -> None:
        self._kept = kept
        self._known = _load(kept) if kept else {}
        self._used: dict[Identity, str] = {}

    def digest(self, path: str | Path) -> str:
        """The SHA-256 of a regular file's content. Raises ``OSError``."""
        return self.look(path)[1]

    def look(self, path: str | Path) -> tuple[Identity, str]:
        """What a regular file is known by, and the SHA-256 of its content. Raises ``OSError``."""
        name = os.fspath(path)
        state = os.stat(name)  # noqa: PTH116 - many files, and Path is slow
        of = identity(state)
        if digest := self.recall(of):
            return of, digest
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", name)
        return self._read(name)

    def recall(self, of: Identity) -> str:
        """The SHA-256 of a file, or an empty text where it would have to be read."""
        digest = self._known.get(of, "")
        if digest:
            self._used[of] = digest
        return digest

    def _read(self, name: str) -> tuple[Identity, str]:
        with open(name, "rb", buffering=0) as file:  # noqa: PTH123
            started, before = time.time_ns(), identity(os.fstat(file.fileno()))
            if before[2] < SMALL:
                digest = hashlib.sha256(file.readall()).hexdigest()
            else:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            after = identity(os.fstat(file.fileno()))
        if after != before:
            return NOBODY, digest
        self.note(after, digest, started)
        return after, digest

    def note(self, of: Identity, digest: str, at: int) -> None:
        """Take over the hash of what a file was at a time, where no later change can hide."""
        if of != NOBODY and is_settled(of, at):
            self._known[of] = self._used[of] = digest

    def save(self) -> None:
        """Keep what this run has used."""
        if self._kept is None:
            return
        data = msgspec.json.encode(list(self._used.items()))
        kept = _Kept(hashlib.sha256(data).hexdigest(), msgspec.Raw(data))
        # A place that cannot be written costs time and nothing else.
        with contextlib.suppress(OSError):
            put(self._kept, msgspec.json.encode(kept))


def put(path: Path, data: bytes) -> None:
    """Write a file of a cache aside and move it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        aside.write_bytes(data)
        aside.replace(path)
    except OSError:
        aside.unlink(missing_ok=True)  # half a file takes room on a full disk
        raise


def _load(path: Path) -> dict[Identity, str]:
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
        files = bytes(kept.files)
        if hashlib.sha256(files).hexdigest() != kept.sum:
            return {}
        return dict(msgspec.json.decode(files, type=list[tuple[Identity, str]]))
    except (OSError, ValueError):
        return {}

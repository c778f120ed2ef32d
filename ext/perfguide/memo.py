"""Hashes of files, known again without reading them while nobody touched the files.

A file is known by its device, inode, size and times. The time of its last change of state
(``ctime``) cannot be set by programs, so neither a copy with an old time nor a change
that leaves the size as it is goes unseen. Two changes within one tick of a file system's
clock have the same time; so what changed shortly before it was read is read again.
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
        self._used: dict[str, tuple[Identity, str]] = {}

    def digest(self, path: str | Path) -> str:
        """The SHA-256 of a regular file's content. Raises ``OSError``."""
        return self.look(path)[1]

    def look(self, path: str | Path) -> tuple[Identity, str]:
        """What a regular file is known by, and the SHA-256 of its content. Raises ``OSError``."""
        name = os.fspath(path)
        state = os.stat(name)  # noqa: PTH116 - many files, and Path is slow
        known = self._known.get(name)
        if known is not None and known[0] == identity(state):
            self._used[name] = known
            return known
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", name)
        return self._read(name)

    def _read(self, name: str) -> tuple[Identity, str]:
        with open(name, "rb") as file:  # noqa: PTH123
            started, before = time.time_ns(), identity(os.fstat(file.fileno()))
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            after = identity(os.fstat(file.fileno()))
        if after != before:
            return NOBODY, digest
        self.note(name, after, digest, started)
        return after, digest

    def note(self, path: str | Path, of: Identity, digest: str, at: int) -> None:
        """Take over the hash of what a file was at a time, where no later change can hide."""
        if of != NOBODY and is_settled(of, at):
            self._known[os.fspath(path)] = self._used[os.fspath(path)] = (of, digest)

    def save(self) -> None:
        """Keep what this run has used."""
        if self._kept is None:
            return
        # A name that is no text in UTF-8 is read each time.
        sound = {n: v for n, v in self._used.items() if n.isascii() or _is_text(n)}
        data = msgspec.json.encode(sound)
        kept = _Kept(hashlib.sha256(data).hexdigest(), msgspec.Raw(data))
        # A place that cannot be written costs time and nothing else.
        with contextlib.suppress(OSError):
            put(self._kept, msgspec.json.encode(kept))


def put(path: Path, data: bytes) -> None:
    """Write a file of a cache aside and move it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.{os.getpid()}.part")
    aside.write_bytes(data)
    aside.replace(path)


def _load(path: Path) -> dict[str, tuple[Identity, str]]:
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
        files = bytes(kept.files)
        if hashlib.sha256(files).hexdigest() != kept.sum:
            return {}
        return msgspec.json.decode(files, type=dict[str, tuple[Identity, str]])
    except (OSError, ValueError):
        return {}


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True

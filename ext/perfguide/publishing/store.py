"""Hashes of files and small values, kept from build to build.

Each is stored under a key that contains everything it depends on: the hash of a file under its
:data:`Identity`, a value under the hashes of its inputs. So entries never become wrong, and
concurrent builds need no lock: the last one to save discards the entries of the other, which only
costs time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import takewhile
from pathlib import Path

import msgspec

Identity = tuple[int, int, int, int, int]
"""Device, inode, size, and the times in ns at which a file's content and its metadata last changed.
Programs cannot set the latter, so it reveals a copy with an old modification time."""

ABSENT: Identity = (0, 0, 0, 0, 0)
"""The identity of a missing file."""
UNSURE: Identity = (0, 0, 0, 0, 1)
"""The identity of a file that changed while in use. No real file has it."""

TICK_NS = 100_000_000
"""The age of a file from which another change shows in its times. Two changes within one tick of a
file system's clock have the same time."""
COARSE_TICK_NS = 2_000_000_000
"""The same for file systems without fractions of a millisecond, such as FAT."""


class _Index(msgspec.Struct, frozen=True):
    files: tuple[tuple[Identity, str], ...] = ()
    values: dict[str, bytes] = {}


class Store:
    """Hashes and values of earlier builds, stored in a folder; without a folder, those of one
    build.

    ``seen`` has the identity of every file whose hash was requested, or :data:`UNSURE` if it has
    changed since the first request.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.seen: dict[str, Identity] = {}
        self._path = folder / "index" if folder else None
        self._files: dict[Identity, str] = {}
        self._values: dict[str, bytes] = {}

    @cached_property
    def _earlier(self) -> _Index:
        data = read(self._path) if self._path else None
        with contextlib.suppress(ValueError):
            return msgspec.msgpack.decode(data or b"", type=_Index)
        return _Index()

    @cached_property
    def _earlier_files(self) -> dict[Identity, str]:
        return dict(self._earlier.files)

    def digest(self, path: str | Path) -> str:
        """Return the SHA-256 of a file's content in hex, or an empty string if it is not a regular
        file or cannot be read."""
        name = os.fspath(path)
        try:
            status = os.stat(name)  # noqa: PTH116 - called for many files, and Path is slow
        except OSError:
            self._see(name, ABSENT)
            return ""
        state = identity(status)
        self._see(name, state)
        if not stat.S_ISREG(status.st_mode):
            return ""
        digest = self._files.get(state) or self._earlier_files.get(state)
        if digest is None:
            settle([state])
            digest, is_unchanged = _hash(name, state)
            if not is_unchanged:
                self.seen[name] = UNSURE
                return digest
        if digest:
            self._files[state] = digest
        return digest

    def _see(self, name: str, state: Identity) -> None:
        if self.seen.setdefault(name, state) != state:
            self.seen[name] = UNSURE

    def is_current(self, names: Iterable[str]) -> bool:
        """Return whether files are unchanged since their hashes were requested."""
        return all(self.seen[name] == identify(name) for name in names)

    def recall(self, key: str) -> bytes | None:
        """Return the value stored under a key, or ``None``."""
        value = self._values.get(key) or self._earlier.values.get(key)
        if value is not None:
            self._values[key] = value
        return value

    def keep(self, key: str, value: bytes) -> None:
        """Store a value under a key that contains everything it depends on."""
        self._values[key] = value

    def save(self, only_used: bool = False) -> None:
        """Save the entries that this build used and, unless ``only_used``, earlier ones."""
        files, values = self._files, self._values
        if not only_used:
            files, values = self._earlier_files | files, self._earlier.values | values
        if not self._path or (files, values) == (self._earlier_files, self._earlier.values):
            return
        # A folder that cannot be written only costs time.
        with contextlib.suppress(OSError):
            write(self._path, msgspec.msgpack.encode(_Index(tuple(files.items()), values)))


def identity(state: os.stat_result) -> Identity:
    """Return the identity of a file with this status."""
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def identify(path: str | Path) -> Identity:
    """Return the identity of the file at a path."""
    try:
        return identity(os.stat(path))  # noqa: PTH116 - called for many files, and Path is slow
    except OSError:
        return ABSENT


def is_settled(file: Identity, at_ns: int) -> bool:
    """Return whether a change after ``at_ns`` (since the epoch) would show in the times of a file.

    A change sets them to the present, so times in the future, from before a clock was set back,
    would change as well.
    """
    times = file[3:5]
    tick = COARSE_TICK_NS if all(ns % 10**6 == 0 for ns in times) else TICK_NS
    return file != UNSURE and (file == ABSENT or all(abs(at_ns - ns) > tick for ns in times))


def settle(files: Iterable[Identity]) -> None:
    """Wait until any further change to the files would show in their times."""
    for file in files:
        while not is_settled(file, time.time_ns()):
            time.sleep(0.01)


def _hash(name: str, state: Identity) -> tuple[str, bool]:
    """Return the SHA-256 of a file, and whether its identity stayed the same while reading."""
    try:
        with open(name, "rb", buffering=0) as file:  # noqa: PTH123
            before = identity(os.fstat(file.fileno()))
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return digest, state == before == identity(os.fstat(file.fileno()))
    except OSError:  # the program that reads it will report the error
        return "", True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a symlink to itself
        return False


def below(
    folder: str | Path,
    enter: Callable[[os.DirEntry[str]], bool] = lambda folder: not folder.is_symlink(),
) -> Iterator[str]:
    """Yield the paths of all files in a folder and in those of its subfolders that ``enter``
    accepts. Folders that cannot be read are skipped."""
    waiting, entered = [os.fspath(folder)], {identify(folder)[:2]}
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                inside = list(entries)
        except OSError:
            continue
        for entry in inside:
            if not _is_folder(entry):
                yield entry.path
            elif enter(entry) and (inode := identify(entry.path)[:2]) not in entered:
                entered.add(inode)  # symlinks can form loops
                waiting.append(entry.path)


def listing(folder: str | Path) -> dict[str, Identity]:
    """Return the identity of each file below a folder, by its name from there."""
    start = len(os.fspath(folder)) + 1
    return {path[start:]: identify(path) for path in below(folder)}


def put(
    path: Path, data: bytes | Iterable[bytes], aside: Path | None = None, durable: bool = False
) -> Identity:
    """Write a file ``aside`` and move it into place, so that no reader sees half of it; return its
    identity. A ``durable`` file is complete after a power cut too. Raises ``OSError``."""
    aside = aside or path.with_name(f"{path.name}.{os.getpid()}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with aside.open("wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            inode = os.fstat(file.fileno()).st_ino
            if durable:
                file.flush()
                os.fsync(file.fileno())
        aside.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)  # half a file takes room on a full disk
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    state = identify(path)
    return state if state[1] == inode else UNSURE  # another process may have put its file there


def remove(path: Path, top: Path) -> bool:
    """Remove a file and the folders above it, up to ``top``, that are empty then; return whether
    the file existed."""
    is_there = path.is_file()
    if is_there:
        path.unlink()
    for folder in takewhile(lambda folder: folder != top, path.parents):
        try:
            folder.rmdir()
        except OSError:  # there are other files in it
            break
    return is_there


def update(path: Path, data: bytes) -> None:
    """Write a file unless it has these bytes: then its time stays. Raises ``OSError``."""
    try:
        if path.read_bytes() == data:
            return
    except FileNotFoundError:
        pass
    put(path, data)


def write(path: Path, data: bytes) -> None:
    """Write a file that begins with the hash of its content. Raises ``OSError``."""
    put(path, [hashlib.sha256(data).digest(), data])


def read(path: str | Path) -> bytes | None:
    """Return the content of a file by :func:`write`; ``None`` if it is missing or damaged."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - many files, and Path is slow
            digest, data = file.read(32), file.readall()
    except OSError:
        return None
    return data if hashlib.sha256(data).digest() == digest else None

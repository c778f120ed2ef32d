"""One store for everything that spares work in a later build.

It keeps **facts that never become false**, each under a fingerprint of all that it follows from:

* a file with this device, inode, size and times holds bytes with this SHA-256;
* what was made from inputs with this fingerprint is this value.

So nothing has to be thrown away when something changes: what changed has another fingerprint,
under which nothing is kept. For the same reason builds that run at once need no lock. Who writes
the index last loses what the other one learned, which costs time and nothing else. The
same holds for a store that was killed while it wrote, cut, damaged or removed: each file is
written aside and moved into place, and holds a SHA-256 of its content, without which it counts as
not there.

``index`` has the facts of few bytes, ``objects/`` one file for each value that is larger. What
none of the last ``KEEP`` whole builds has used is dropped by the next one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

import msgspec

Identity = tuple[int, int, int, int, int]
"""By what a file is known: device, inode, size, and the times of the last change of its content
and of its state, in ns. The last of them cannot be set by programs, so neither a copy with an
old time, nor a change that leaves the size as it is, nor another file that takes over an inode goes
unseen."""

ABSENT: Identity = (0, 0, 0, 0, 0)
"""That of a file that is not there."""
UNSURE: Identity = (0, 0, 0, 0, 1)
"""That of a file of which a change could go unseen; no file has it."""

TICK = 100_000_000
"""Nanoseconds that a file has to be older than what is known of it: two changes within one tick
of a file system's clock have the same time."""
COARSE = 2_000_000_000
"""The same where a file system's times have no fractions of a millisecond."""

SMALL = 2**20
"""Bytes of a file that is read in one piece."""

KEEP = 8
"""Whole builds after which a value is dropped that none of them has used."""


class _Index(msgspec.Struct, array_like=True, frozen=True):
    """The content of the file of facts. The last number of each is when it was last used, and
    ``builds`` are the times at which the last complete builds began, in ns."""

    builds: tuple[int, ...] = ()
    files: tuple[tuple[Identity, str, int], ...] = ()
    values: tuple[tuple[str, bytes, int], ...] = ()


class Store:
    """Facts that earlier builds learned, in a folder; without a folder, for one build.

    ``seen`` has every file that this build asked for the hash of or wrote, with what it was
    known by then.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.seen: dict[str, Identity] = {}
        self._folder = folder
        self._began = time.time_ns()
        self._written: dict[Identity, str] = {}
        self._too_new: dict[str, tuple[Identity, str]] = {}
        self._learned = False

    @cached_property
    def _index(self) -> _Index:
        data = read(self._folder / "index") if self._folder else None
        with contextlib.suppress(ValueError):
            return msgspec.msgpack.decode(data or b"", type=_Index)
        return _Index()

    @cached_property
    def _files(self) -> dict[Identity, tuple[str, int]]:
        return {of: (digest, used) for of, digest, used in self._index.files}

    @cached_property
    def _values(self) -> dict[str, tuple[bytes, int]]:
        return {key: (value, used) for key, value, used in self._index.values}

    # Facts about files

    def digest(self, path: str | Path) -> str:
        """The SHA-256 of a file's content in hex; empty where there is no regular file that
        can be read."""
        name = os.fspath(path)
        try:
            state = os.stat(name)  # noqa: PTH116 - many files, and Path is slow
        except OSError:
            self.seen[name] = ABSENT
            return ""
        of = identity(state)
        self.seen[name] = of
        if digest := self._known(of):
            return digest
        if not stat.S_ISREG(state.st_mode):
            return ""
        self.seen[name], digest = _read(name)
        if digest and self.seen[name] != UNSURE:
            self._files[self.seen[name]] = digest, self._began
            self._learned = True
        elif digest:
            self._too_new.setdefault(name, (of, digest))
        return digest

    def _known(self, of: Identity) -> str:
        """Return the SHA-256 of the file with this identity, if it is known."""
        if of in self._files:
            digest = self._files[of][0]
            self._files[of] = digest, self._began
            return digest
        return self._written.get(of, "")

    def doubt(self, path: str | Path) -> None:
        """Note that a file may have changed while this build used it."""
        name = os.fspath(path)
        self.seen[name] = UNSURE
        self._too_new.pop(name, None)

    def look_again(self) -> None:
        """Look again at the files that were too new for a later change to show in their times when
        they were read, or are so now: those that still have the times and the bytes of then are
        known from now on."""
        now = time.time_ns()
        then = {name: of for name, of in self._too_new.items() if self.seen[name] == UNSURE}
        for name, of in self.seen.items():
            if of in self._written and not is_settled(of, now):
                then[name] = of, self._written[of]
        settle(of for of, _ in then.values())
        for name, known in then.items():
            self.seen[name] = known[0] if _read(name) == known else UNSURE

    def wrote(self, path: str | Path, of: Identity, digest: str) -> None:
        """Take over what a file was known by and its SHA-256 when this build wrote it."""
        self.seen[os.fspath(path)] = of
        self._written[of] = digest

    def is_current(self, names: Iterable[str] = ()) -> bool:
        """Return whether files that this build looked at, or else all of them, are unchanged since,
        and no change of them can have gone unseen."""
        now = time.time_ns()
        seen = self.seen
        return all(
            is_settled(seen[name], now) and seen[name] == identify(name) for name in names or seen
        )

    # Facts about what was made

    def recall(self, key: str) -> bytes | None:
        """The value that was kept under a key."""
        if key not in self._values:
            return None
        value = self._values[key][0]
        self._values[key] = value, self._began
        return value

    def keep(self, key: str, value: bytes) -> None:
        """Keep a value of few bytes; the key has to say all that it was made from."""
        self._values[key] = value, self._began
        self._learned = True

    def made(self, key: str, make: Callable[[], bytes]) -> bytes:
        """Return the outcome of ``make``, or that of an earlier build under the same key, which has
        to say all that it is made from. It may be large; several processes may ask at once."""
        if self._folder is None:
            return make()
        path = f"{self._folder}/objects/{hashlib.sha256(key.encode()).hexdigest()}"
        value = read(path)
        if value is None:
            value = make()
            # A place that cannot be written costs time and nothing else.
            with contextlib.suppress(OSError):
                write(Path(path), value)
        else:
            with contextlib.suppress(OSError):
                os.utime(path)
        return value

    def save(self, whole: bool = False) -> None:
        """Keep what this build has learned.

        A ``whole`` build has used all that it wants to find again: what none of the last
        of them used is dropped.
        """
        now = time.time_ns()
        for of in [of for of in self._written if is_settled(of, now)]:
            self._files[of] = self._written.pop(of), self._began
            self._learned = True
        if self._folder is None or not (self._learned or whole):
            return
        builds, oldest = self._index.builds, 0
        if whole:
            builds = (*builds, self._began)[-KEEP:]
            oldest = builds[0] if len(builds) == KEEP else 0
        index = _Index(
            builds,
            tuple(
                (of, digest, used) for of, (digest, used) in self._files.items() if used >= oldest
            ),
            tuple(
                (key, value, used) for key, (value, used) in self._values.items() if used >= oldest
            ),
        )
        with contextlib.suppress(OSError):
            write(self._folder / "index", msgspec.msgpack.encode(index))
            for path in (self._folder / "objects").glob("*") if oldest else ():
                if path.stat().st_mtime_ns < oldest:
                    path.unlink(missing_ok=True)
        self._index = index
        self._learned = False


def identity(state: os.stat_result) -> Identity:
    """Return what a file is known by."""
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def identify(path: str | Path) -> Identity:
    """Return what the file at a path is known by."""
    try:
        return identity(os.stat(path))  # noqa: PTH116 - many files, and Path is slow
    except OSError:
        return ABSENT


def is_settled(of: Identity, at: int) -> bool:
    """Return whether a change after ``at`` (ns since the epoch) shows in the times of a file.

    A change sets them to the present. So it shows also where they are in the future, as after a
    clock was put back.
    """
    times = of[3:5]
    tick = COARSE if all(each % 10**6 == 0 for each in times) else TICK
    return of != UNSURE and (of == ABSENT or all(abs(at - each) > tick for each in times))


def settle(files: Iterable[Identity]) -> None:
    """Wait until any later change of some files must show in what they are known by."""
    waiting = [of for of in files if not is_settled(of, time.time_ns())]
    while any(not is_settled(of, time.time_ns()) for of in waiting):
        time.sleep(0.01)


def _read(name: str) -> tuple[Identity, str]:
    """Return what a regular file is known by, and the SHA-256 of its content."""
    try:
        with open(name, "rb", buffering=0) as file:  # noqa: PTH123
            began, before = time.time_ns(), identity(os.fstat(file.fileno()))
            if before[2] < SMALL:
                digest = hashlib.sha256(file.readall()).hexdigest()
            else:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            after = identity(os.fstat(file.fileno()))
    except OSError:  # who reads it meets the same, and says so
        return identify(name), ""
    return after if after == before and is_settled(after, began) else UNSURE, digest


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _is_no_link(folder: os.DirEntry[str]) -> bool:
    return not folder.is_symlink()


def below(
    folder: str | Path, enter: Callable[[os.DirEntry[str]], bool] = _is_no_link
) -> Iterator[str]:
    """The paths of all files in a folder and in those below it that are to be entered. What
    cannot be looked at is left out.

    This looks at tens of thousands of files, so it works on names as text: paths as objects
    would take longer than all else.
    """
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
            elif enter(entry) and (which := identify(entry.path)[:2]) not in entered:
                entered.add(which)  # links may lead around
                waiting.append(entry.path)


def listing(folder: str | Path) -> dict[str, Identity]:
    """Return what each file below a folder is known by, under its name from there."""
    start = len(os.fspath(folder)) + 1
    return {path[start:]: identify(path) for path in below(folder)}


def put(
    path: Path, data: bytes | Iterable[bytes], aside: Path | None = None, durable: bool = False
) -> Identity:
    """Write a file aside and move it into place, so that nobody ever sees half of it; return
    what it is known by then. Not even a power cut leaves half of it where it is to be
    ``durable``. Raises ``OSError``."""
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
    of = identify(path)
    return of if of[1] == inode else UNSURE  # another process may have put its own file there


def update(path: Path, data: bytes) -> None:
    """Make a file hold some bytes; one that does already keeps its time. Raises ``OSError``."""
    try:
        if path.read_bytes() == data:
            return
    except FileNotFoundError:
        pass
    put(path, data)


def write(path: Path, data: bytes) -> None:
    """Write a file of which :func:`read` knows whether it is whole. Raises ``OSError``."""
    put(path, [hashlib.sha256(data).digest(), data])


def read(path: str | Path) -> bytes | None:
    """Return the bytes that :func:`write` has put into a file; ``None`` where it is missing or damaged."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - many files, and Path is slow
            digest, data = file.read(32), file.readall()
    except OSError:
        return None
    return data if hashlib.sha256(data).digest() == digest else None

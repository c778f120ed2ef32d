"""Whether a published site is what a build would give, known without a build.

When a build has ended well and without a warning, what it was made from and what it made are
noted as they are on the disk: names, sizes, inodes and times of all files of the project, of the
bundles and of the site, what ``conf.py`` says, and all that a cache depends on. While nothing of
this has changed there is nothing to do.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import runpy
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from .atomic_swap import Place
from .memo import Identity, identity, is_settled, put

NOTE = "standing.json"
LEFT_OUT = frozenset({".git", "__pycache__"})
ENVIRONMENT = "pyvenv.cfg"
"""The file that a folder of installed packages has; versions of packages are known otherwise."""

Seen = dict[str, Identity]


class Read(msgspec.Struct, frozen=True):
    """What a build was made from: files, and folders with all that is in them, as absolute
    paths; and the ends of the names of all other files of the project that count."""

    files: tuple[str, ...]
    folders: tuple[str, ...]
    suffixes: tuple[str, ...]


class Told(msgspec.Struct, frozen=True):
    """What a build says of itself when it has ended.

    ``made``: files and folders that it made besides the site, as absolute paths. ``known``:
    whether ``read`` is all, and on this machine. ``warnings``: how many it gave.
    """

    warnings: int
    known: bool
    read: Read
    made: tuple[str, ...]


class _Note(msgspec.Struct, frozen=True):
    """What is kept of a build: a hash of all that it was made from, one of the site, and what
    to look at."""

    made_from: str
    site: str
    read: Read


class Standing:
    """What there is of a project and its site when a build is asked for.

    ``depends`` is what ``publish.key`` gave, ``folder`` that of the project's ``conf.py``.
    """

    def __init__(self, at: Place, depends: str, folder: Path) -> None:
        self._at, self._top = at, str(folder.absolute())
        self._note = at.work / NOTE
        self._started = time.time_ns()
        self._before = dict(self._project())
        self._known = [depends, _values(folder / "conf.py")]

    def holds(self) -> bool:
        """Whether a build would give what is there already."""
        try:
            kept = msgspec.json.decode(self._note.read_bytes(), type=_Note)
            given = self._given(kept.read, self._before, self._outside(kept.read))
        except (OSError, ValueError):
            return False
        return bool(given) and kept.made_from == given and kept.site == self._site()

    def note(self, told: Told) -> None:
        """Keep what a build that has just ended well was made from and what it made."""
        if told.warnings or not told.known:
            return  # a warning is to be said again
        made = frozenset(told.made)

        def is_made(name: str) -> bool:
            return name in made or any(str(above) in made for above in Path(name).parents)

        now = dict(self._project())
        before, after = _counted(told.read, self._before), _counted(told.read, now)
        outside = self._outside(told.read)
        early = {name for name, of in (*after, *outside) if is_settled(of, self._started)}
        changed = {name for name, _ in after if name not in early or name not in self._before}
        changed |= {name for name, _ in before if name not in now}
        if all(map(is_made, changed)) and all(name in early for name, _ in outside):
            kept = _Note(self._given(told.read, now, outside), self._site(), told.read)
            # The site is published; a place that cannot be written costs time and nothing else.
            with contextlib.suppress(OSError):
                put(self._note, msgspec.json.encode(kept))

    def _given(self, read: Read, project: Seen, outside: Sequence[tuple[str, Identity]]) -> str:
        """A hash of all that a build is made from; empty where that is not known."""
        return "" if None in self._known else _hash(self._known, _counted(read, project), outside)

    def _site(self) -> str:
        return _hash([], list(_below(str(self._at.target), frozenset())))

    def _project(self) -> Iterable[tuple[str, Identity]]:
        """All files of the project but those of builds."""
        inside = str(self._at.target.absolute().parent)
        own = {str(self._at.target.absolute()), str(self._at.work.absolute())}
        return _below(self._top, frozenset(own if inside == self._top else own | {inside}))

    def _outside(self, read: Read) -> list[tuple[str, Identity]]:
        """What does not belong to the project."""
        found: list[tuple[str, Identity]] = []
        for name in (*read.files, *read.folders):
            if not name.startswith(f"{self._top}/") and os.path.exists(name):  # noqa: PTH110
                # A folder itself tells what was removed from it.
                found.append((name, identity(os.stat(name))))  # noqa: PTH116
                found += _below(name, frozenset()) if os.path.isdir(name) else ()  # noqa: PTH112
        return found


def _hash(values: object, *parts: Sequence[tuple[str, Identity]]) -> str:
    whole = hashlib.sha256(repr(values).encode())
    for part in parts:
        whole.update(repr(sorted(part)).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def _counted(read: Read, project: Seen) -> list[tuple[str, Identity]]:
    """The files of a project that a build was made from."""
    files, ends = frozenset(read.files), read.suffixes
    starts = tuple(f"{folder}/" for folder in read.folders)
    return [
        (name, of)
        for name, of in project.items()
        if name.startswith(starts) or name.endswith(ends) or name in files
    ]


def _below(folder: str, without: frozenset[str]) -> Iterator[tuple[str, Identity]]:
    """All files in a folder and the folders below it, those that links lead to as well. What
    cannot be looked at is left out: where a build needs it, that gives a warning."""
    waiting, seen = [folder], set()
    while waiting:
        place = waiting.pop()
        try:
            state = os.stat(place)  # noqa: PTH116
            with os.scandir(place) as entries:
                found = list(entries)
        except OSError:
            continue
        known = (state.st_dev, state.st_ino) in seen
        seen.add((state.st_dev, state.st_ino))
        if known or any(entry.name == ENVIRONMENT for entry in found):
            continue
        for entry in found:
            if entry.name in LEFT_OUT or entry.path in without:
                continue
            with contextlib.suppress(OSError):  # gone meanwhile, or a link to nothing
                if entry.is_dir():
                    waiting.append(entry.path)
                else:
                    yield entry.path, identity(entry.stat())


def _values(conf: Path) -> str | None:
    """A hash of the plain values that a configuration sets, as it may take them from
    anywhere; ``None`` where it cannot be known without Sphinx."""
    path = list(sys.path)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            given = runpy.run_path(str(conf))
    except (Exception, SystemExit):  # whatever a configuration raises, Sphinx will say it
        return None
    finally:
        sys.path[:] = path
    plain = {name: _plain(value) for name, value in given.items() if not name.startswith("__")}
    return hashlib.sha256(repr(sorted(plain.items())).encode("utf-8", "replace")).hexdigest()


def _plain(value: object) -> object:
    """A value with an order that is always the same. What is no plain value follows from the
    configuration's own text."""
    if isinstance(value, dict):
        return sorted((repr(key), repr(_plain(part))) for key, part in value.items())
    if isinstance(value, set | frozenset):
        return sorted(repr(_plain(part)) for part in value)
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool | None) else type(value).__name__

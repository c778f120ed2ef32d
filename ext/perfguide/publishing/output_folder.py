"""Generated files: written only when their bytes change, removed when stale."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from .store import Store, identify, put

MANIFEST = "reports/manifest.json"
"""The list of all files that are ours, a line each, beside them."""

ASIDE = ".perfguide-*.part"
"""The names under which files are written before they are moved into place."""
FORGOTTEN = 60
"""Seconds after which such a file is one that a killed build has left."""


def keep_to_ourselves(folder: Path, waiting: Callable[[], None]) -> None:
    """Keep other builds away from generated files until this process and its children have ended.

    Builds that publish to different places share the folder, and each would read pages that the
    other wrote from other bundles. ``waiting`` is called before this waits. The lock is one of the
    folder itself, so no file is left; where a file system has none of folders, nobody waits.
    """
    folder.mkdir(parents=True, exist_ok=True)
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(held, fcntl.LOCK_EX)
    except OSError:
        os.close(held)


class Writer:
    """Files below one folder that belong to us.

    ``write`` leaves a file alone whose bytes are right already, so that its time of change
    says when its content last changed. ``finish`` removes what an earlier run wrote and this one
    did not, and nothing else.

    The manifest lists what is ours, a line each. A file is in it before it is there, in a line
    at its end, so what a killed run has left is known too; a damaged line takes no other with it.

    ``names`` has the files that this writer has made, in their order, and ``digests`` the SHA-256 of
    each. ``left`` are the files that others have made, or that an earlier run has, and that are right.
    """

    def __init__(self, root: Path, store: Store | None = None) -> None:
        self.root = root
        self.store = store or Store()
        self.digests: dict[str, str] = {}
        self.names: list[str] = []
        self.left: set[str] = set()
        self.written: list[str] = []
        self.removed: list[str] = []

    @cached_property
    def ours(self) -> set[str]:
        """The files that this run or an earlier one has made, as far as the manifest is sound."""
        try:
            whole = (self.root / MANIFEST).read_bytes()
        except FileNotFoundError:
            return set()
        try:
            names = json.loads(whole)  # as a run that came to its end has left it
        except ValueError:
            names = _sound_names([line.strip(b" ,") for line in whole.splitlines()])
        listed = names if isinstance(names, list) else []
        return {name for name in listed if isinstance(name, str) and _is_below(name)}

    def write(self, name: str, data: bytes) -> None:
        """Make ``name``, a path with ``/`` below the root, hold ``data``."""
        if not _is_below(name):
            raise ValueError(f"not a name below the output folder: {name!r}")
        digest = hashlib.sha256(data).hexdigest()
        self.take(name, digest)
        if self.present(name) != digest:
            self._announce(name)
            self.put(name, data, digest)
            self.written.append(name)

    def write_pieces(self, name: str, pieces: Iterable[bytes]) -> None:
        """Make ``name`` hold some bytes of which there may be too many for memory."""
        aside = self._aside()
        aside.parent.mkdir(parents=True, exist_ok=True)
        whole = hashlib.sha256()

        def hashed() -> Iterator[bytes]:
            for piece in pieces:
                whole.update(piece)
                yield piece

        put(aside, hashed())
        digest = whole.hexdigest()
        self.take(name, digest)
        if self.present(name) == digest:
            aside.unlink()
            return
        self._announce(name)
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.replace(path)
        self.store.wrote(f"{self.root}/{name}", identify(path), digest)
        self.written.append(name)

    def present(self, name: str) -> str:
        """The SHA-256 of the file that is there, or an empty text."""
        return self.store.digest(f"{self.root}/{name}")

    def keep(self, name: str, digest: str) -> None:
        """Note that a file of an earlier run, which has this SHA-256, is still right."""
        self.names.append(name)
        self.digests[name] = digest

    def take(self, name: str, digest: str) -> None:
        """Note that a file of this run has this SHA-256. Raises ``ValueError`` where it is one
        already."""
        if name in self.digests or name in self.left:
            raise ValueError(f"written twice: {name!r}")
        self.keep(name, digest)

    def leave(self, names: Iterable[str]) -> None:
        """Note that files of an earlier run, or of another process, are right. Raises ``ValueError``
        where one is of this run already."""
        for name in names:
            if name in self.digests or name in self.left:
                raise ValueError(f"written twice: {name!r}")
            self.left.add(name)

    def take_over(
        self, files: Mapping[str, str], written: Iterable[str], contents: Mapping[str, bytes]
    ) -> None:
        """Take over files that another process has made. ``files`` has the SHA-256 of each; it wrote
        those in ``written``, and this writes ``contents``. Raises ``ValueError`` where both have
        made a file."""
        self.leave(files)
        self.written += written
        self.ours.update(written)
        for name, data in contents.items():
            self._announce(name)
            self.put(name, data, files[name])
            self.written.append(name)

    def take_back(self, since: int) -> None:
        """Want the files no more that came to ``names`` from a place on."""
        for name in self.names[since:]:
            del self.digests[name]
        del self.names[since:]

    def is_wanted(self, name: str) -> bool:
        """Return whether a file belongs to this run."""
        return name in self.digests or name in self.left

    def is_known(self, name: str) -> bool:
        """Return whether this run wants a file, or it is there and not ours."""
        if self.is_wanted(name):
            return True
        return (self.root / name).is_file() and name not in self.ours

    def finish(self) -> None:
        """Remove what is stale and remember what is ours."""
        wanted = {*self.names, *self.left, MANIFEST}
        for name in sorted(self.ours - wanted):
            path = self.root / name
            if path.is_file():
                path.unlink()
                self.removed.append(name)
            self._remove_empty(path.parent)
        now = time.time()
        for path in self.root.glob(ASIDE):
            if path.stat().st_mtime < now - FORGOTTEN:
                path.unlink()
        names = json.dumps(sorted(wanted), indent=0)
        self.write(MANIFEST, names.encode() + b"\n")

    def put(self, name: str, data: bytes, digest: str) -> None:
        """Move a file into place."""
        path = self.root / name
        of = put(path, data, self._aside(), durable=name == MANIFEST)
        self.store.wrote(f"{self.root}/{name}", of, digest)

    def _aside(self) -> Path:
        return self.root / ASIDE.replace("*", str(os.getpid()))  # a fork has one of its own

    def _announce(self, name: str) -> None:
        """List a file as ours before it is written."""
        if name in self.ours:
            return
        manifest = self.root / MANIFEST
        manifest.parent.mkdir(parents=True, exist_ok=True)
        with manifest.open("ab") as file:
            # A line that was cut short must not take this one with it.
            file.write(b"\n" + json.dumps(name).encode() + b"\n")
        self.ours.add(name)

    def _remove_empty(self, folder: Path) -> None:
        while folder != self.root and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent


def _sound_names(lines: Sequence[bytes]) -> list[object]:
    """Return the values of those lines that are JSON."""
    quoted = [line for line in lines if line.startswith(b'"')]
    try:
        # Each part of a site reads the manifest: line by line takes ten times as long.
        return [*json.loads(b"[" + b",".join(quoted) + b"]")]
    except ValueError:
        values: list[object] = []
        for line in quoted:
            with contextlib.suppress(ValueError):
                values.append(json.loads(line))
        return values


def _is_below(name: str) -> bool:
    # By text: there are tens of thousands, and a path as an object takes ten times as long.
    parts = name.split("/")
    return bool(parts[0]) and ".." not in parts and any(part not in ("", ".") for part in parts)

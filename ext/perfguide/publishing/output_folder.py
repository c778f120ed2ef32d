"""Generated files: written only when their bytes change, removed when stale."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

import msgspec

from .store import Store, put, remove

MANIFEST = "reports/manifest.json"
"""The list of all files that are ours, one per line, next to them."""

ASIDE = ".perfguide-*.part"
"""The names under which files are written before they are moved into place."""
LEFTOVER_AGE_S = 60
"""The age from which these are leftovers of a killed build."""

_NAME = msgspec.json.Decoder(str)


def lock_folder(folder: Path, waiting: Callable[[], None]) -> None:
    """Lock the folder of generated files until this process and its children have ended.

    Builds that publish to different folders share it, and would otherwise read pages that the other
    one wrote from other bundles. ``waiting`` is called before waiting. The lock is on the folder
    itself, so no file is left behind; on file systems that cannot lock folders, builds do not wait.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:
        os.close(descriptor)


class Writer:
    """Files below one folder that belong to us.

    ``write`` leaves a file with the right bytes alone, so that its modification time is that of the
    last change. ``finish`` removes what an earlier run wrote and this one did not.

    A file is appended to the manifest before it is written, so the files of a killed run are ours
    as well. A damaged line does not affect others.

    ``files`` has the SHA-256 of each file of this run.
    """

    def __init__(self, root: Path, store: Store | None = None) -> None:
        self.root = root
        self.store = store or Store()
        self.files: dict[str, str] = {}
        self.written: list[str] = []
        self.removed: list[str] = []

    @cached_property
    def ours(self) -> set[str]:
        """The files of this run and of earlier ones, as far as the manifest is readable."""
        try:
            text = (self.root / MANIFEST).read_bytes()
        except FileNotFoundError:
            return set()
        names = set[str]()
        for line in text.splitlines():
            # The brackets of the list are no names either.
            with contextlib.suppress(ValueError):
                names.add(_NAME.decode(line.strip(b" ,")))
        return {*filter(_is_below, names)}

    def write(self, name: str, data: bytes) -> None:
        """Make ``name``, a path below the root with ``/`` as separator, contain ``data``."""
        if not _is_below(name):
            raise ValueError(f"not a name below the output folder: {name!r}")
        digest = hashlib.sha256(data).hexdigest()
        self.add({name: digest})
        if self.present(name) != digest:
            self._announce(name)
            self.put(name, data)
            self.written.append(name)

    def write_pieces(self, name: str, pieces: Iterable[bytes]) -> None:
        """Make ``name`` contain bytes that may not fit into memory."""
        aside, sha256 = self._aside(), hashlib.sha256()

        def hashed() -> Iterator[bytes]:
            for piece in pieces:
                sha256.update(piece)
                yield piece

        put(aside, hashed())
        digest = sha256.hexdigest()
        self.add({name: digest})
        if self.present(name) == digest:
            aside.unlink()
            return
        self._announce(name)
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.replace(path)
        self.written.append(name)

    def present(self, name: str) -> str:
        """Return the SHA-256 of the file on disk, or an empty string."""
        return self.store.digest(f"{self.root}/{name}")

    def put(self, name: str, data: bytes) -> None:
        """Move a file into place."""
        put(self.root / name, data, self._aside(), durable=name == MANIFEST)

    def add(self, files: Mapping[str, str]) -> None:
        """Record files that are up to date, with the SHA-256 of each. Raises ``ValueError`` if this
        run already has one of them."""
        for name in files:
            if name in self.files:
                raise ValueError(f"written twice: {name!r}")
        self.files |= files

    def take_over(
        self, files: Mapping[str, str], written: Iterable[str], contents: Mapping[str, bytes]
    ) -> None:
        """Add the files of another process, which wrote those in ``written``, and write
        ``contents``. Raises ``ValueError`` if this run already has one of them."""
        self.add(files)
        self.written += written
        self.ours.update(written)
        for name, data in contents.items():
            self._announce(name)
            self.put(name, data)
            self.written.append(name)

    def take_back(self, since: int) -> None:
        """Drop all files of this run except the first ``since``."""
        for name in list(self.files)[since:]:
            del self.files[name]

    def finish(self) -> None:
        """Remove stale files and write the manifest."""
        wanted = {*self.files, MANIFEST}
        for name in sorted(self.ours - wanted):
            if remove(self.root / name, self.root):
                self.removed.append(name)
        now = time.time()
        for path in self.root.glob(ASIDE):
            if path.stat().st_mtime < now - LEFTOVER_AGE_S:
                path.unlink()
        self.write(MANIFEST, json.dumps(sorted(wanted), indent=0).encode() + b"\n")

    def _aside(self) -> Path:
        return self.root / ASIDE.replace("*", str(os.getpid()))  # one per process

    def _announce(self, name: str) -> None:
        """List a file as ours before it is written."""
        if name in self.ours:
            return
        manifest = self.root / MANIFEST
        manifest.parent.mkdir(parents=True, exist_ok=True)
        with manifest.open("ab") as file:
            # The leading newline protects this line if the previous one was cut short.
            file.write(b"\n" + json.dumps(name).encode() + b"\n")
        self.ours.add(name)


def _is_below(name: str) -> bool:
    parts = name.split("/")
    return bool(parts[0]) and ".." not in parts and any(part not in ("", ".") for part in parts)

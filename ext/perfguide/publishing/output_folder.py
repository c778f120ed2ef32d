"""Generated files: written only when their bytes change, removed when stale."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path, PurePosixPath

from .memo import NOBODY, Identity, Memo, identity

MANIFEST = "reports/manifest.json"
JOURNAL = "reports/manifest.log"
ASIDE = ".part"
"""The end of the name under which a file is written before it is moved into place."""


class Writer:
    """Files below one folder that belong to us.

    ``write`` leaves a file alone whose bytes are right already, so that its
    time of change says when its content last changed. ``finish`` removes what
    an earlier run wrote and this one did not, and nothing else.

    The manifest lists what is ours. So does the journal, a line for each file that
    is written before the file is there: what a stopped run has left is known too,
    and what either of the two has lost is in the other. Who removes his files himself
    asks for no ``journal``. ``memo`` spares reading what is there and what it is made from.

    ``held`` has, for each file of this run, what it was known by when its bytes were right,
    and their SHA-256; ``names`` has the files in their order.
    """

    def __init__(self, root: Path, journal: bool = True, memo: Memo | None = None) -> None:
        self.root = root
        self._journal = journal
        self.memo = memo or Memo()
        self.held: dict[str, tuple[Identity, str]] = {}
        self.names: list[str] = []
        self.written: list[str] = []
        self.removed: list[str] = []
        self._wanted: set[str] = set()

    def write(self, name: str, data: bytes) -> None:
        """Make ``name``, a path with ``/`` below the root, hold ``data``."""
        parts = PurePosixPath(name).parts
        if not parts or PurePosixPath(name).is_absolute() or ".." in parts:
            raise ValueError(f"not a name below the output folder: {name!r}")
        if name in self._wanted:
            raise ValueError(f"written twice: {name!r}")
        self._wanted.add(name)
        if self._put(name, data):
            self.written.append(name)

    def _put(self, name: str, data: bytes) -> bool:
        """Whether a file had to be written."""
        path, digest = self.root / name, hashlib.sha256(data).hexdigest()
        self.names.append(name)
        of, present = self._look(name)
        if present == digest:
            self.held[name] = of, digest
            return False
        if not present:
            if self._journal:
                self._announce(name)
            path.parent.mkdir(parents=True, exist_ok=True)
        # A reader never sees half a file: it is written aside and moved into place.
        aside = _aside(path)
        aside.write_bytes(data)
        made = aside.stat()
        aside.replace(path)
        now = path.stat()
        # Another process may have put its own file there.
        own = identity(now)[:4] == identity(made)[:4]
        self.held[name] = identity(now) if own else NOBODY, digest
        return True

    def present(self, name: str) -> str:
        """The SHA-256 of the file that is there, or an empty text."""
        return self._look(name)[1]

    def _look(self, name: str) -> tuple[Identity, str]:
        try:
            return self.memo.look(f"{self.root}/{name}")
        except FileNotFoundError:
            return NOBODY, ""

    def keep(self, name: str, digest: str) -> None:
        """Say that a file of an earlier run, which has this SHA-256, is still right."""
        self._wanted.add(name)
        self.names.append(name)
        of, present = self._look(name)
        self.held[name] = of if present == digest else NOBODY, digest

    def is_known(self, name: str) -> bool:
        """Whether this run wants a file, or it is there and not ours."""
        if name in self._wanted:
            return True
        return (self.root / name).is_file() and name not in self._earlier()

    def finish(self) -> None:
        """Remove what is stale and remember what is ours."""
        own = {MANIFEST, JOURNAL}
        for name in sorted(self._earlier() - self._wanted - own):
            path = self.root / name
            if ".." in PurePosixPath(name).parts or PurePosixPath(name).is_absolute():
                continue
            _aside(path).unlink(missing_ok=True)
            if path.is_file():
                path.unlink()
                self.removed.append(name)
            self._remove_empty(path.parent)
        names = sorted({*self._wanted, MANIFEST})
        for name in [*names, JOURNAL]:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{self.root}/{name}{ASIDE}")  # noqa: PTH108 - many files
        listed = json.dumps(names, indent=0, ensure_ascii=False)
        self.write(MANIFEST, listed.encode("utf-8", "surrogatepass") + b"\n")
        # The last one: what is new is announced in it, the manifest too.
        lines = "".join(f"{json.dumps(name)}\n" for name in names)
        self._put(JOURNAL, lines.encode())

    def _announce(self, name: str) -> None:
        """Say that a file is going to be ours."""
        journal = self.root / JOURNAL
        journal.parent.mkdir(parents=True, exist_ok=True)
        with journal.open("ab") as file:
            # A line that was cut short must not take this one with it.
            file.write(b"\n" + json.dumps(name).encode() + b"\n")

    def _earlier(self) -> set[str]:
        """The files that are ours, as far as manifest and journal are sound."""
        found: set[str] = set()
        for name in (MANIFEST, JOURNAL):
            try:
                data = (self.root / name).read_bytes()
            except FileNotFoundError:
                continue
            for part in [data] if name == MANIFEST else data.splitlines():
                with contextlib.suppress(ValueError):
                    held = json.loads(part)
                    listed = held if isinstance(held, list) else [held]
                    found |= {each for each in listed if isinstance(each, str)}
        return found

    def _remove_empty(self, folder: Path) -> None:
        while folder != self.root and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent


def listed(root: Path) -> set[str]:
    """The files below a folder that the last run which ended well has made."""
    try:
        return {*json.loads((root / MANIFEST).read_bytes()), JOURNAL}
    except (OSError, ValueError, TypeError):
        return set()


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}{ASIDE}")

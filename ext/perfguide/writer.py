"""Generated files: written only when their bytes change, removed when stale."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

MANIFEST = "reports/manifest.json"


class Writer:
    """Files below one folder that belong to us.

    ``write`` leaves a file alone whose bytes are right already, so that its
    time of change says when its content last changed. ``finish`` removes what
    an earlier run wrote and this one did not, and nothing else.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
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
        path = self.root / name
        try:
            if path.read_bytes() == data:
                return
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
        # A reader never sees half a file: it is written aside and moved into place.
        aside = path.with_name(path.name + ".part")
        aside.write_bytes(data)
        aside.replace(path)
        self.written.append(name)

    def keep(self, name: str) -> None:
        """Say that a file of an earlier run is still right."""
        self._wanted.add(name)

    def finish(self) -> None:
        """Remove what is stale and remember what is ours."""
        manifest = self.root / MANIFEST
        try:
            earlier = json.loads(manifest.read_bytes())
        except (FileNotFoundError, ValueError):
            earlier = []
        self._wanted.add(MANIFEST)
        for name in sorted(set(map(str, earlier)) - self._wanted):
            path = self.root / name
            if ".." in PurePosixPath(name).parts or PurePosixPath(name).is_absolute():
                continue
            if path.is_file():
                path.unlink()
                self.removed.append(name)
            self._remove_empty(path.parent)
        self._wanted.discard(MANIFEST)
        listed = json.dumps(sorted({*self._wanted, MANIFEST}), indent=0, ensure_ascii=False)
        self.write(MANIFEST, listed.encode("utf-8", "surrogatepass") + b"\n")

    def _remove_empty(self, folder: Path) -> None:
        while folder != self.root and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent

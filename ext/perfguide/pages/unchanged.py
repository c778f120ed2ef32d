"""Whether all pages are what they would be if they were written anew.

After each run its inputs and outputs are noted as hashes in the cache: all files below the
folders of results (bundles, and the logs beside them), descriptions and lists, the settings,
the code and the libraries; and every file that was written. Where all of them are the same, the
next run has nothing to do. Anything else, and anything that is wrong with the note, is a
reason to write all pages.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..bundles.object_store import is_url
from ..common.diagnostics import Diagnostic
from ..common.package import fingerprint
from ..figures.dataset import Settings
from ..publishing.memo import Identity, Memo, identity, is_settled, put
from ..publishing.output_folder import JOURNAL, MANIFEST, Writer, listed

NOTE = "pages.json"
HASHES = "files.json"
"""Files in the folder of the cache."""

DECIDING = (
    *("jinja2", "matplotlib", "msgspec", "numpy", "pandas", "pyarrow", "scipy", "xlsxwriter"),
    "zstandard",
)
"""Packages whose version can show in what is written."""


@dataclass(frozen=True, slots=True)
class Known:
    """What an earlier run found, whose pages are all there."""

    diagnostics: tuple[Diagnostic, ...]
    guides: int
    figures: int


class Unchanged:
    """What is known of the last run that ended well, and what this run starts from.

    ``inputs`` is a hash of all that the pages are made from; empty where it is not known,
    as for results that are not folders of this machine, and where links are among them.
    """

    def __init__(self, settings: Settings) -> None:
        self._root = settings.output
        self._note = settings.cache / NOTE if settings.cache else None
        self.memo = Memo(settings.cache / HASHES if settings.cache else None)
        self._started = time.time_ns()
        self._settings = settings
        self._found: dict[str, Identity | None] = {}
        self.inputs = ""
        if self._note and all(not is_url(p) and Path(p).is_dir() for p in settings.results):
            self._found = dict(_inputs(settings))
            self.inputs = self._hash() if all(self._found.values()) else ""

    def rules(self) -> str:
        """A hash of all that decides what pages look like besides bundles; empty where it
        is not known."""
        given = dict(_rules(self._settings))
        if self._note is None or not all(given.values()):
            return ""
        try:
            digests = {name: self.memo.digest(name) for name in given}
        except OSError:
            return ""
        return _sum([_code(), repr(self._settings), digests])

    def recall(self) -> Known | None:
        """What the last run found, where this one would write what is there already."""
        if not self.inputs or self._note is None:
            return None
        try:
            note = json.loads(self._note.read_bytes())
            held = note.pop("sum")
            if held != _sum(note) or note["inputs"] != self.inputs:
                return None
            names = json.loads((self._root / MANIFEST).read_bytes())
            # Paths as objects would take longer than all else.
            outputs = {name: self.memo.digest(f"{self._root}/{name}") for name in [*names, JOURNAL]}
            if note["outputs"] != _sum(outputs):
                return None
            found = tuple(Diagnostic(**given) for given in note["diagnostics"])
            known = Known(found, int(note["guides"]), int(note["figures"]))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        self.memo.save()
        return known

    def forget(self) -> None:
        """Say that pages are going to be written: until they are, nothing is known of them."""
        if self._note:
            self._note.unlink(missing_ok=True)

    def remember(self, writer: Writer, known: Known) -> None:
        """Note what was found and written, unless an input changed meanwhile."""
        if self._note is None:
            return
        now = time.time_ns()
        for of, digest in writer.held.values():
            self.memo.note(of, digest, now)
        settled = all(of and is_settled(of, self._started) for of in self._found.values())
        if self.inputs and settled and dict(_inputs(self._settings)) == self._found:
            note: dict[str, Any] = {
                "inputs": self.inputs,
                "outputs": _sum({name: digest for name, (_, digest) in writer.held.items()}),
                "diagnostics": [asdict(found) for found in known.diagnostics],
                "guides": known.guides,
                "figures": known.figures,
            }
            put(self._note, json.dumps(note | {"sum": _sum(note)}).encode())
        self.memo.save()

    def _hash(self) -> str:
        """A hash of all inputs; empty where one cannot be read."""
        try:
            digests = {name: self.memo.digest(name) for name in self._found}
        except OSError:
            return ""
        names = sorted(set(_pages(self._root)) - listed(self._root))
        return _sum([_code(), repr(self._settings), digests, names])


def _code() -> list[str]:
    versions = [platform.python_version(), *map(version, DECIDING)]
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return [fingerprint(), *versions, epoch]


def _sum(value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _inputs(settings: Settings) -> Iterator[tuple[str, Identity | None]]:
    """Every file that pages are made from; ``None`` for what is not a plain file, of which
    nothing can be known without reading it."""
    for folder in settings.results:
        yield from _files(os.fspath(folder), lambda name: True)
    yield from _rules(settings)


def _rules(settings: Settings) -> Iterator[tuple[str, Identity | None]]:
    """Descriptions of benchmarks, and lists."""
    for folder in settings.benchmarks:
        yield from _files(os.fspath(folder), lambda name: True)
    lists = (settings.acknowledged, settings.redirects, settings.boards, settings.waivers)
    for path in filter(None, lists):
        if os.path.lexists(path):
            yield os.fspath(path), _plain(os.fspath(path))


def _plain(name: str) -> Identity | None:
    try:
        state = os.lstat(name)
    except OSError:
        return None
    return identity(state) if stat.S_ISREG(state.st_mode) else None


def _files(folder: str, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Identity | None]]:
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    except OSError:
        yield folder, None
        return
    for entry in sorted(entries, key=lambda e: e.name):
        if entry.is_dir(follow_symlinks=False):
            yield from _files(entry.path, wanted)
        elif wanted(entry.name):
            yield entry.path, _plain(entry.path)


def _pages(root: Path) -> Sequence[str]:
    """The pages below the output folder, ours and others: addresses may lead to them."""
    start = len(os.fspath(root)) + 1
    found = _files(os.fspath(root), lambda name: name.endswith(".rst"))
    return [name[start:].replace(os.sep, "/") for name, _ in found]

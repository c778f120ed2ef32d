"""Parts of a site that an earlier run made, and that are still right.

A part is the pages of one SoC, the page of one benchmark, or the site as a whole. It is kept
under a key, which is a hash of everything that it is made from. A part with another key is made
anew, and its files are written where their bytes differ.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import structs

from ..catalog import benchmarks as descriptions
from ..catalog.benchmarks import Catalog
from ..charts.gallery import Drawn
from ..common.diagnostics import Diagnostic
from ..publishing.output_folder import Writer
from ..publishing.store import Identity, identify, read, write

FOLDER = "parts"
"""The folder of parts in the cache."""


@dataclass(frozen=True, slots=True)
class Made:
    """A part of the site that was made: the SHA-256 of each of its files, those that were written,
    the content of those that are still to be written, the looks of its pictures, its summary, and
    what could not be made."""

    files: dict[str, str]
    written: tuple[str, ...]
    contents: dict[str, bytes]
    looks: dict[str, str]
    out: bytes
    unmade: tuple[Diagnostic, ...]


class SendingWriter(Writer):
    """Collects the files that differ from those in a folder of another machine."""

    def __init__(self, root: Path, hashes: Mapping[str, str]) -> None:
        super().__init__(root)
        self.contents: dict[str, bytes] = {}
        self._hashes = hashes

    def present(self, name: str) -> str:
        """Return the SHA-256 of the file that is there, or an empty text."""
        return self._hashes.get(name, "")

    def put(self, name: str, data: bytes, digest: str) -> None:
        """Collect a file."""
        self.contents[name] = data


def writer_of(folder: Path, hashes: Mapping[str, str], sends_files: bool) -> Writer:
    """Return what writes the files of a part."""
    return SendingWriter(folder, hashes) if sends_files else Writer(folder)


def made_by(writer: Writer, drawn: Drawn, out: bytes, unmade: Iterable[Diagnostic]) -> Made:
    """Return what a writer has of a part."""
    contents = writer.contents if isinstance(writer, SendingWriter) else {}
    written = tuple(writer.written)
    return Made(writer.digests, written, contents, drawn.looks, out, (*unmade, *drawn.unmade))


@lru_cache(1)
def catalog_of(folders: tuple[Path, ...], _content: str) -> tuple[Catalog, tuple[Diagnostic, ...]]:
    """Return the descriptions in some folders, and their faults. A process reads them once for the same
    content, of which it takes a hash."""
    catalog, faults = descriptions.load(folders)
    return catalog, tuple(faults)


class Part(msgspec.Struct, frozen=True):
    """A part as an earlier run left it.

    ``files`` has the SHA-256 of each of its files and what the file was known by. ``looks`` are those of
    its pictures (:func:`charts.gallery.look`), and ``out`` is what making the part returned, in the
    encoding of who asks for it.
    """

    key: str
    files: dict[str, tuple[str, Identity]]
    looks: dict[str, str]
    out: bytes


class Parts:
    """The parts of the site in one output folder, each in a file of the cache; without a cache
    nothing is kept."""

    def __init__(self, cache: Path | None, writer: Writer) -> None:
        own = hashlib.sha256(str(writer.root.resolve()).encode()).hexdigest()[:16]
        self._folder = cache and cache / FOLDER / own
        self._writer = writer
        self._new: dict[str, Part] = {}
        self._used: set[str] = set()

    def earlier(self, name: str) -> Part | None:
        """Return a part as the last run left it, whatever its key is."""
        data = read(self._path(name)) if self._folder else None
        with contextlib.suppress(ValueError):
            return msgspec.msgpack.decode(data, type=Part) if data else None
        return None

    def recall(self, name: str, key: str, formats: Sequence[str]) -> Part | None:
        """Return a part whose key is the same, whose files are all there with their bytes, and that
        has its pictures in some ``formats``. Its files stay."""
        part = self.earlier(name)
        if part is None or part.key != key or not _has(part, formats):
            return None
        if any(not self._is_there(file, *state) for file, state in part.files.items()):
            return None
        for file, (digest, _) in part.files.items():
            self._writer.keep(file, digest)
        self._used.add(name)
        return part

    def add(
        self, name: str, key: str, files: Mapping[str, str], looks: Mapping[str, str], out: bytes
    ) -> None:
        """Take a part that was made in this run; ``files`` has the SHA-256 of each of its files."""
        top = self._writer.root
        states = {file: (digest, identify(f"{top}/{file}")) for file, digest in files.items()}
        self._new[name] = Part(key, states, dict(looks), out)

    def save(self, is_current: bool) -> None:
        """Keep the parts of this run, and no part that it did not use. Unless everything that they were
        made from ``is_current``, a later run only finds the looks of their pictures."""
        if self._folder is None:
            return
        names = {self._path(name).name for name in (*self._used, *self._new)}
        with contextlib.suppress(OSError):  # a cache that cannot be written costs time alone
            for name, part in self._new.items():
                kept = part if is_current else structs.replace(part, key="")
                write(self._path(name), msgspec.msgpack.encode(kept))
            for path in self._folder.iterdir():
                if path.name not in names:
                    path.unlink()

    def looks(self) -> dict[str, str]:
        """Return the looks of all pictures of the parts of this run."""
        parts = [*self._new.values(), *filter(None, map(self.earlier, self._used))]
        return {name: own for part in parts for name, own in part.looks.items()}

    def right_looks(self, part: Part | None) -> dict[str, str]:
        """Return the looks of those pictures of an earlier part whose files are unchanged."""
        return {
            name: own
            for name, own in (part.looks.items() if part else ())
            if part and self._is_there(name, *part.files[name])
        }

    def _path(self, name: str) -> Path:
        assert self._folder is not None
        return self._folder / hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()

    def _is_there(self, name: str, digest: str, of: Identity) -> bool:
        # A file that was copied, or restored from a backup, is known by its bytes.
        path = f"{self._writer.root}/{name}"
        return identify(path) == of or self._writer.store.digest(path) == digest


def _has(part: Part, formats: Iterable[str]) -> bool:
    """Return whether each picture of a part is there in some formats."""
    stems = {name.rpartition(".")[0] for name in part.looks}
    return all(f"{stem}.{form}" in part.looks for stem in stems for form in formats)


def hash_of(*values: object) -> str:
    """Return the SHA-256 of some values, each with a ``repr`` that says all of it."""
    return hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()

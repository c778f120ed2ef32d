"""Parts of a site that an earlier run made and that are still valid.

A part is the pages of one SoC, the page of one benchmark, or the lists of all SoCs. Its key is a
hash of everything it is made from. If the key has changed, the part is made again, and those of its
files whose bytes differ are written.

A part is on disk as soon as it is made. Inputs for other parts are kept as slices. Each slice is
read by the process that needs it, so that no process holds those of all SoCs.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import structs

from ..catalog import benchmarks as descriptions
from ..catalog.benchmarks import Catalog
from ..charts.gallery import Drawn
from ..common.diagnostics import Diagnostic
from ..publishing.output_folder import Writer
from ..publishing.store import Identity, identify, put, read, write

FOLDER = "parts"
"""The folder of parts in the cache."""

PROBE = ".probe"
"""The name of a file that shows whether the cache is writable."""


class Slice(msgspec.Struct, frozen=True):
    """A piece of data that a part provides to other parts: a file in the cache, identified by the
    SHA-256 of its bytes.

    A worker that cannot access the file gets the ``content``.
    """

    digest: str
    path: str
    content: bytes | None = None

    def read(self) -> bytes:
        """Return the bytes. Raises :class:`OSError` if they cannot be read or have changed."""
        data = Path(self.path).read_bytes() if self.content is None else self.content
        if hashlib.sha256(data).hexdigest() != self.digest:
            raise OSError(errno.EIO, "was changed by another program; build again", self.path)
        return data

    def with_content(self) -> Slice:
        """Return the slice with its bytes."""
        return structs.replace(self, content=self.read())


@dataclass(frozen=True, slots=True)
class Made:
    """A part of the site that was made: its encoded summary, its slices by name, what could not be
    made, the SHA-256 of each of its files, those that were written, the contents of those still to
    be written, and the looks of its pictures."""

    out: bytes
    slices: Mapping[str, bytes] = field(default_factory=dict)
    unmade: tuple[Diagnostic, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)
    looks: Mapping[str, str] = field(default_factory=dict)


class SendingWriter(Writer):
    """Collects the files that differ from those in a folder on another machine."""

    def __init__(self, root: Path, hashes: Mapping[str, str]) -> None:
        super().__init__(root)
        self.contents: dict[str, bytes] = {}
        self._hashes = hashes

    def present(self, name: str) -> str:
        """Return the SHA-256 of an existing file, or an empty string."""
        return self._hashes.get(name, "")

    def put(self, name: str, data: bytes) -> None:
        """Collect a file."""
        self.contents[name] = data


def writer_of(folder: Path, hashes: Mapping[str, str], sends_files: bool) -> Writer:
    """Return a writer for the files of a part."""
    return SendingWriter(folder, hashes) if sends_files else Writer(folder)


def made_by(
    writer: Writer,
    drawn: Drawn,
    out: bytes,
    unmade: Iterable[Diagnostic],
    slices: Mapping[str, bytes] | None = None,
) -> Made:
    """Return a part as made, from what its writer has."""
    contents = writer.contents if isinstance(writer, SendingWriter) else {}
    faults = (*unmade, *drawn.unmade)
    return Made(
        out, slices or {}, faults, writer.files, tuple(writer.written), contents, drawn.looks
    )


@lru_cache(1)
def catalog_of(folders: tuple[Path, ...], _content: str) -> tuple[Catalog, tuple[Diagnostic, ...]]:
    """Return the descriptions in some folders, and their faults. A process reads them once per hash
    of their content."""
    catalog, faults = descriptions.load(folders)
    return catalog, tuple(faults)


SITE = "site"
"""The name of the part with all files of the site."""


class Part(msgspec.Struct, frozen=True):
    """A part as an earlier run left it.

    ``files`` has the SHA-256 and identity of each of its files, and ``slices`` those of the files
    of its slices. ``looks`` are those of its pictures (:func:`charts.gallery.look`), and ``out`` is
    its encoded summary.
    """

    key: str
    files: dict[str, tuple[str, Identity]]
    looks: dict[str, str]
    out: bytes
    slices: dict[str, tuple[str, Identity]] = {}


@contextmanager
def opened(cache: Path | None, writer: Writer) -> Iterator[Parts]:
    """Yield the parts of a site. Without a writable cache, they are only kept until the run
    ends."""
    # Several sites may share a cache.
    site = hashlib.sha256(str(writer.root.resolve()).encode()).hexdigest()[:16]
    with contextlib.ExitStack() as stack:
        folder = cache and cache / FOLDER / site
        try:
            if folder:
                # Try this now, rather than when the first part is ready, perhaps an hour later.
                put(folder / PROBE, [])
                (folder / PROBE).unlink()
        except OSError:
            # A cache that cannot be written only costs time.
            folder = None
        yield Parts(folder or Path(stack.enter_context(TemporaryDirectory())), writer)


class Parts:
    """The parts of the site in one output folder; each is a file in a folder."""

    def __init__(self, folder: Path, writer: Writer) -> None:
        self._folder = folder
        self._writer = writer
        self._used: set[Path] = set()

    def earlier(self, name: str) -> Part | None:
        """Return a part as the last run left it, whatever its key."""
        data = read(self._path(name))
        # A file that is damaged or of another version does not count; the part is made again.
        with contextlib.suppress(ValueError):
            return msgspec.msgpack.decode(data, type=Part) if data else None
        return None

    def recall(self, name: str, key: str, formats: Sequence[str]) -> Part | None:
        """Return a part if its key is unchanged, all its files are intact, and its pictures exist
        in some ``formats``. Its files stay."""
        part = self.earlier(name)
        if part is None or part.key != key or not _has(part, formats):
            return None
        if not all(
            self._is_there(str(self._slice(state[0])), *state) for state in part.slices.values()
        ):
            return None
        # Use strings: making paths of thousands of files would take longer than everything else.
        top = f"{self._writer.root}/"
        if not all(self._is_there(top + file, *state) for file, state in part.files.items()):
            return None
        self._writer.add({file: digest for file, (digest, _) in part.files.items()})
        self._use(name, part)
        return part

    def _use(self, name: str, part: Part) -> None:
        self._used |= {
            self._path(name),
            *(self._slice(digest) for digest, _ in part.slices.values()),
        }

    def add(self, name: str, key: str, part: Made) -> dict[str, Slice]:
        """Add a part made in this run, and return its slices. With an empty ``key``, later runs
        only reuse its pictures."""
        top = self._writer.root
        states = {file: (digest, identify(f"{top}/{file}")) for file, digest in part.files.items()}
        slices = {}
        for slice_name, data in part.slices.items():
            digest = hashlib.sha256(data).hexdigest()
            slices[slice_name] = digest, put(self._slice(digest), data)
        kept = Part(key, states, dict(part.looks), part.out, slices)
        write(self._path(name), msgspec.msgpack.encode(kept))
        self._use(name, kept)
        return self.slices(kept)

    def slices(self, part: Part) -> dict[str, Slice]:
        """Return the slices of a part by name."""
        return {
            name: Slice(digest, str(self._slice(digest)))
            for name, (digest, _) in part.slices.items()
        }

    def save(self) -> None:
        """Remove parts that this run did not use."""
        with contextlib.suppress(OSError):  # a cache that cannot be written only costs time
            for path in set(self._folder.iterdir()) - self._used:
                path.unlink()

    def right_looks(self, part: Part | None) -> dict[str, str]:
        """Return the looks of an earlier part's pictures, for those whose files are unchanged."""
        top = f"{self._writer.root}/"
        return {
            name: look
            for name, look in (part.looks.items() if part else ())
            if part and self._is_there(top + name, *part.files[name])
        }

    def _path(self, name: str) -> Path:
        # Names of SoCs and benchmarks may contain characters that file systems do not allow.
        return self._folder / hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()

    def _slice(self, digest: str) -> Path:
        return self._folder / f"{digest}.slice"

    def _is_there(self, path: str, digest: str, identity: Identity) -> bool:
        # A file that was copied, or restored from a backup, is recognised by its bytes.
        return identify(path) == identity or self._writer.store.digest(path) == digest


def _has(part: Part, formats: Iterable[str]) -> bool:
    """Return whether every picture of a part exists in some formats."""
    stems = {name.rpartition(".")[0] for name in part.looks}
    return all(f"{stem}.{form}" in part.looks for stem in stems for form in formats)


def hash_of(*values: object) -> str:
    """Return the SHA-256 of some values, whose ``repr`` must be complete."""
    return hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()

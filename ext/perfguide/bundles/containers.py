"""Result files, and the JSON documents in them, which may be in containers.

Reading is safe: nothing is unpacked to disk, and no size stated by a container is trusted, as
limits apply to the number of bytes that were read."""

from __future__ import annotations

import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any, TypeVar, cast

import zstandard

from ..common.diagnostics import Diagnostic
from ..common.path_hints import fixing, nearest_path
from .decompress import FREE_BYTES, Capped, LimitError, Limits, decompressed, ending, remaining

T = TypeVar("T")

DOCUMENTS = (".json", ".jsonl")
COMPRESSED = (".gz", ".zst")
CONTAINERS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst")
LOG_ARCHIVE = ".logs.tar.zst"
"""The suffix of log archives, which belong to packed bundles but contain none."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that may contain bundles.

    ``root`` is the folder as the user named it, ``name`` the path below it with ``/`` as separator.
    ``content`` is for readers that cannot open ``path``, such as workers on other machines.
    """

    root: str
    name: str
    path: Path
    content: bytes | None = None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Document:
    """The bytes of one JSON or JSON Lines document."""

    source: Source
    origin: str
    data: bytes
    lines: bool


def is_document(name: str) -> bool:
    """Return whether a file of this name is a JSON or JSON Lines document."""
    lowered = name.lower()
    for suffix in COMPRESSED:
        lowered = lowered.removesuffix(suffix)
    return lowered.endswith(DOCUMENTS)


def is_container(name: str) -> bool:
    """Return whether a file of this name is a container of bundles."""
    lowered = name.lower()
    return lowered.endswith(CONTAINERS) and not lowered.endswith(LOG_ARCHIVE)


def find(roots: Sequence[str | Path]) -> tuple[list[Source], list[Diagnostic]]:
    """Return all result files below the roots, sorted by name; a root may be a file.

    Other files yield a note, except documentation and the logs and signatures that belong to
    bundles.
    """
    sources: list[Source] = []
    diagnostics: list[Diagnostic] = []
    for root in roots:
        top = Path(root)
        if top.is_dir():
            names = sorted(
                Path(folder, file).relative_to(top).as_posix()
                # Symlinks to folders are not followed: they could lead outside or form a loop.
                for folder, _, files in os.walk(top)
                for file in files
            )
            files_below = [Source(str(root), name, top / name) for name in names]
        elif top.exists():
            files_below = [Source(str(top.parent), top.name, top)]
        else:
            hint = nearest_path(top) or "create the folder, or name the one with the bundles"
            message = "there is no such file or folder"
            diagnostics.append(Diagnostic("missing-path", str(root), message, hint))
            continue
        sources_below, notes = chosen(files_below, str)
        sources += sources_below
        diagnostics += notes
    return sources, diagnostics


def chosen(files: Sequence[T], name: Callable[[T], str]) -> tuple[list[T], list[Diagnostic]]:
    """Return the files named like a document or container, and notes about the others."""
    candidates: list[T] = []
    diagnostics: list[Diagnostic] = []
    for file in files:
        file_name = name(file)
        if is_document(file_name) or is_container(file_name):
            candidates.append(file)
        # Results folders have READMEs and logs, which deserve no note in every build.
        elif not _accompanies_bundles(file_name):
            hint = f"bundles are in {' '.join((*DOCUMENTS, *CONTAINERS))} files"
            message = "not a kind of file that holds bundles"
            diagnostics.append(Diagnostic("ignored", file_name, message, hint))
    return candidates, diagnostics


def _accompanies_bundles(name: str) -> bool:
    base = PurePosixPath(name).name.lower()
    suffixes = (".md", ".rst", ".txt", ".log", ".sig", LOG_ARCHIVE)
    return base.startswith(".") or base.endswith(suffixes)


Wanted = Callable[[str], bool]


def read(
    source: Source, limits: Limits | None = None, wanted: Wanted = is_document
) -> Iterator[Document | Diagnostic]:
    """Yield the documents in one file, in container order; ``wanted`` selects members by name.

    A fault yields a diagnostic and ends this file only; earlier documents have been yielded.
    """
    limits = limits or Limits()
    try:
        if source.content is None and not stat.S_ISREG(source.path.stat().st_mode):
            yield Diagnostic("refused-member", source.name, "is not a regular file")
            return
        with _opened(source) as file:
            if is_container(source.name):
                members = _zip if source.name.lower().endswith(".zip") else _tar
                yield from members(source, file, limits, wanted)
            else:
                yield _unless_packed_twice(_document(source, source.name, file, limits))
    except LimitError as error:
        yield Diagnostic("limit", source.name, str(error), "split the upload, or raise the limits")
    except RecursionError:
        yield Diagnostic("unreadable", source.name, "its headers are nested too deeply")
    except (
        OSError,
        EOFError,
        ValueError,
        RuntimeError,
        NotImplementedError,
        lzma.LZMAError,
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        zstandard.ZstdError,
    ) as error:
        reason = str(error) or type(error).__name__
        if isinstance(error, OSError) and error.strerror:
            reason = error.strerror
        hint = _repair_hint(source, error)
        yield Diagnostic("unreadable", source.name, f"cannot be read: {reason}", hint)


def _repair_hint(source: Source, error: Exception) -> str:
    """Return advice on fixing an unreadable file."""
    if isinstance(error, OSError) and (hint := fixing(error)):
        return hint
    with suppress(OSError), _opened(source) as file:
        other = ending(file.read(512))
        if other in (".rar", ".7z"):
            return f"it is a {other} file: pack the bundles as .zip or .tar.gz"
        if other and not source.name.lower().endswith(other):
            return f"its content is {other}: rename it to match"
    return "the file is damaged or cut short; upload it again"


def _opened(source: Source) -> IO[bytes]:
    return source.path.open("rb") if source.content is None else io.BytesIO(source.content)


def _document(source: Source, origin: str, file: IO[bytes], limits: Limits) -> Document:
    """Return one document, decompressed if its name says so."""
    # Read plain files in one piece. One that grows meanwhile is read again, with a limit.
    size = remaining(file)
    is_small_and_plain = size <= limits.document and not origin.lower().endswith(COMPRESSED)
    data = file.read(size + 1) if is_small_and_plain else b""
    if not data or len(data) > size:
        file.seek(0)
        with decompressed(origin, file, limits) as stream:
            data = Capped(stream, limits.document, size, limits.ratio).read()
    lowered = origin.lower().removesuffix(".gz").removesuffix(".zst")
    return Document(source, origin, data, lowered.endswith(".jsonl"))


def _unless_packed_twice(document: Document) -> Document | Diagnostic:
    """Return a document, or a diagnostic if decompressing it yields yet another packed file."""
    # Some tools happily compress a compressed file again.
    inner = ending(document.data[:512])
    if inner in ("", ".json") or not document.origin.lower().endswith(COMPRESSED):
        return document
    twice = inner in COMPRESSED or inner == ".tar.xz"
    message = "is compressed twice" if twice else f"holds a {inner} file instead of text"
    hint = "decompress it once, and upload the result with the matching file ending"
    return Diagnostic("syntax", document.origin, message, hint)


def _refusal(origin: str, name: str) -> Diagnostic | None:
    """Return why a member with this name must not be opened, or ``None`` if it may be."""
    reason = ""
    pure = PurePosixPath(name.replace("\\", "/"))
    if not pure.parts:
        reason = "it has no name"
    # A colon in the first two characters marks a Windows drive letter.
    elif pure.is_absolute() or ".." in pure.parts or ":" in pure.parts[0][:2]:
        reason = "its name leads out of the container"
    elif is_container(name):
        reason = "it is a container in a container"
    if not reason:
        return None
    hint = "put the bundles directly into one container, under plain names"
    return Diagnostic("refused-member", origin, f"is not opened: {reason}", hint)


def _zip(
    source: Source, file: IO[bytes], limits: Limits, wanted: Wanted
) -> Iterator[Document | Diagnostic]:
    size = remaining(file)
    # The total output of all members is limited by the size of the file, so neither overlapping
    # members nor false sizes raise the limit.
    left = min(limits.container, max(FREE_BYTES, size * limits.ratio))
    with zipfile.ZipFile(cast(IO[bytes], _Directory(file, limits.members))) as container:
        infos = container.infolist()
        if len(infos) > limits.members:
            raise LimitError(f"holds more than {limits.members} members")
        for info in infos:
            origin = f"{source.name}!{info.filename}"
            if info.filename.endswith("/"):
                continue
            if refused := _refusal(origin, info.filename) or _kind_refusal(origin, info):
                yield refused
            elif wanted(info.filename):
                max_bytes = min(limits.document, left)
                # The stated size may be false, but a member cannot be larger than its container.
                packed_bytes = min(info.compress_size, size)
                with container.open(info) as member:
                    raw = Capped(member, max_bytes, packed_bytes, limits.ratio).read()
                reduced = replace(limits, document=max_bytes)
                document = _document(source, origin, io.BytesIO(raw), reduced)
                left -= max(len(raw), len(document.data))
                # Holding both copies of a large document would double the memory.
                del raw
                yield _unless_packed_twice(document)
                del document


def _kind_refusal(origin: str, info: zipfile.ZipInfo) -> Diagnostic | None:
    """Return why a member of this kind must not be opened, or ``None`` if it may be."""
    if info.flag_bits & 0x1:
        reason = "it is encrypted"
    elif stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        reason = "it is not a regular file"
    elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Headers of other methods can demand 4 GiB of memory.
        reason = "its compression method is not deflate"
    else:
        return None
    return Diagnostic("refused-member", origin, f"is not opened: {reason}")


class _Directory:
    """A file wrapper that refuses to read a zip directory too large for the allowed number of
    members."""

    def __init__(self, file: IO[bytes], members: int) -> None:
        self._file = file
        self._max_bytes = max(1024**2, members * 200)
        self._members = members
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1, /) -> bytes:
        if size > self._max_bytes:
            raise LimitError(f"holds more than {self._members} members, or very long names")
        return self._file.read(size)

    def seekable(self) -> bool:
        return True


MAX_HEADER_BYTES = 64 * 1024
"""The size limit of a single tar header, such as a long name or an extended header."""

MAX_SHARED_KEYS = 100
"""The limit on global extended header keys in a tar, since every member copies them."""


class _TarInfo(tarfile.TarInfo):
    """A tar member with limits on the memory that its headers use."""

    def _proc_member(self, container: tarfile.TarFile) -> tarfile.TarInfo:
        """Check a member at the point where tarfile dispatches on its type."""
        if self.size < 0:
            raise tarfile.ReadError("a member has a negative size")
        if self.type in _HEADERS and self.size > MAX_HEADER_BYTES:
            raise LimitError(f"a member’s header is larger than {MAX_HEADER_BYTES} bytes")
        if self.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError(f"{self.name!r} is a sparse file, which is not supported")
        member: tarfile.TarInfo = super()._proc_member(container)  # type: ignore[misc]
        if len(container.pax_headers) > MAX_SHARED_KEYS:
            raise LimitError(f"has more than {MAX_SHARED_KEYS} keys for all its members")
        return member

    def _proc_gnusparse_10(self, *_: object) -> None:
        """Refuse a sparse file, whose map is part of its content and unlimited in size."""
        raise tarfile.ReadError("it contains a sparse file, which is not supported")


_HEADERS = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)


def _tar(
    source: Source, file: IO[bytes], limits: Limits, wanted: Wanted
) -> Iterator[Document | Diagnostic]:
    size = remaining(file)
    with decompressed(source.name, file, limits) as stream:
        capped = Capped(stream, limits.container, size, limits.ratio)
        # "r|" reads strictly forwards, so no header can make it seek.
        fileobj = cast(IO[bytes], capped)
        with tarfile.open(fileobj=fileobj, mode="r|", tarinfo=_TarInfo) as container:
            count = 0
            while (info := container.next()) is not None:
                # tarfile keeps every member, each with a copy of the global keys.
                cast(Any, container).members.clear()
                count += 1
                if count > limits.members:
                    raise LimitError(f"holds more than {limits.members} members")
                origin = f"{source.name}!{info.name}"
                if info.isdir():
                    continue
                if not info.isreg() or info.issparse():
                    message = "is not opened: it is not a regular file"
                    yield Diagnostic("refused-member", origin, message)
                elif refused := _refusal(origin, info.name):
                    yield refused
                elif wanted(info.name):
                    member = container.extractfile(info)
                    assert member is not None  # a regular file always has content
                    raw = Capped(member, limits.document, limits.document, limits.ratio).read()
                    if len(raw) != info.size:
                        raise EOFError("the container ends in the middle of a member")
                    document = _document(source, origin, io.BytesIO(raw), limits)
                    del raw
                    yield _unless_packed_twice(document)
                    del document
        # The checksum comes last and is only verified at the end of the stream.
        while capped.read(65536):
            pass

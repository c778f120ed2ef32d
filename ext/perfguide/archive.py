"""Find result files and open every container safely.

Yields text documents with their origin. Never writes, never unpacks to disk,
and never believes a size that a container claims: what counts is the number of
bytes that reading produces.
"""

from __future__ import annotations

import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, cast

import zstandard

from .diagnostics import Diagnostic
from .streams import Capped, LimitError, Limits, decompressed, remaining

DOCUMENTS = (".json", ".jsonl")
COMPRESSED = (".gz", ".zst")
CONTAINERS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst")
LOG_ARCHIVE = ".logs.tar.zst"
"""The logs that belong to a packed bundle; they hold no bundles."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that may hold bundles: its root as the user named it, and the
    file's name below that root, with ``/`` between folders."""

    root: str
    name: str
    path: Path

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Document:
    """The bytes of one JSON or JSON Lines text."""

    source: Source
    origin: str
    data: bytes
    lines: bool


def is_document(name: str) -> bool:
    """Whether a file of this name is one JSON or JSON Lines text."""
    lowered = name.lower()
    for suffix in COMPRESSED:
        lowered = lowered.removesuffix(suffix)
    return lowered.endswith(DOCUMENTS)


def is_container(name: str) -> bool:
    """Whether a file of this name holds other files."""
    lowered = name.lower()
    return lowered.endswith(CONTAINERS) and not lowered.endswith(LOG_ARCHIVE)


def find(roots: Sequence[str | Path]) -> tuple[list[Source], list[Diagnostic]]:
    """All result files below the roots, sorted by name; a root may be a file.

    Other files are passed over with a note, except for text that is written for
    people and the logs that belong to bundles.
    """
    sources: list[Source] = []
    diagnostics: list[Diagnostic] = []
    for root in roots:
        top = Path(root)
        if top.is_dir():
            names = sorted(
                Path(folder, file).relative_to(top).as_posix()
                for folder, _, files in os.walk(top)
                for file in files
            )
            found = [Source(str(root), name, top / name) for name in names]
        elif top.exists():
            found = [Source(str(top.parent), top.name, top)]
        else:
            diagnostics.append(
                Diagnostic("missing-path", str(root), "there is no such file or folder")
            )
            continue
        for source in found:
            if is_document(source.name) or is_container(source.name):
                sources.append(source)
            elif not _for_people(source.name):
                diagnostics.append(
                    Diagnostic(
                        "ignored",
                        source.name,
                        "not a kind of file that holds bundles",
                        f"bundles are in {' '.join((*DOCUMENTS, *CONTAINERS))} files",
                    )
                )
    return sources, diagnostics


def _for_people(name: str) -> bool:
    base = PurePosixPath(name).name.lower()
    return base.startswith(".") or base.endswith((".md", ".rst", ".txt", ".log", LOG_ARCHIVE))


def read(source: Source, limits: Limits | None = None) -> Iterator[Document | Diagnostic]:
    """The documents in one file, in the order of the container.

    A fault ends this file only: what was sound before it has been yielded, and
    the fault comes as a diagnostic.
    """
    limits = limits or Limits()
    try:
        if not stat.S_ISREG(source.path.stat().st_mode):
            yield Diagnostic("refused-member", source.name, "is not a regular file")
            return
        with source.path.open("rb") as file:
            if is_container(source.name):
                members = _zip if source.name.lower().endswith(".zip") else _tar
                yield from members(source, file, limits)
            else:
                yield _document(source, source.name, file, limits)
    except LimitError as error:
        yield Diagnostic("limit", source.name, str(error), "split the upload, or raise the limits")
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
        yield Diagnostic(
            "unreadable",
            source.name,
            f"cannot be read: {reason}",
            "the file is damaged or cut short; upload it again",
        )


def _document(source: Source, origin: str, file: IO[bytes], limits: Limits) -> Document:
    """One text, decompressed where its name says so."""
    size = remaining(file)
    with decompressed(origin, file, limits) as stream:
        data = Capped(stream, limits.document, size, limits.ratio).read()
    lowered = origin.lower().removesuffix(".gz").removesuffix(".zst")
    return Document(source, origin, data, lowered.endswith(".jsonl"))


def _refusal(origin: str, name: str) -> Diagnostic | None:
    """Why a member of this name is not opened, or ``None``."""
    reason = ""
    pure = PurePosixPath(name.replace("\\", "/"))
    if not pure.parts:
        reason = "it has no name"
    elif pure.is_absolute() or ".." in pure.parts or ":" in pure.parts[0][:2]:
        reason = "its name leads out of the container"
    elif is_container(name):
        reason = "it is a container in a container"
    if not reason:
        return None
    hint = "put the bundles themselves into one container, under plain names"
    return Diagnostic("refused-member", origin, f"is not opened: {reason}", hint)


def _zip(source: Source, file: IO[bytes], limits: Limits) -> Iterator[Document | Diagnostic]:
    produced = 0
    with zipfile.ZipFile(file) as container:
        infos = container.infolist()
        if len(infos) > limits.members:
            raise LimitError(f"holds more than {limits.members} members")
        for info in infos:
            origin = f"{source.name}!{info.filename}"
            if info.filename.endswith("/"):
                continue
            kind = stat.S_IFMT(info.external_attr >> 16)
            if refused := _refusal(origin, info.filename):
                yield refused
            elif info.flag_bits & 0x1:
                yield Diagnostic("refused-member", origin, "is not opened: it is encrypted")
            elif kind not in (0, stat.S_IFREG):
                yield Diagnostic("refused-member", origin, "is not opened: it is no regular file")
            elif is_document(info.filename):
                left = replace(limits, document=min(limits.document, limits.container - produced))
                with container.open(info) as member:
                    raw = Capped(member, left.document, info.compress_size, limits.ratio).read()
                document = _document(source, origin, io.BytesIO(raw), left)
                produced += len(document.data)
                yield document


def _tar(source: Source, file: IO[bytes], limits: Limits) -> Iterator[Document | Diagnostic]:
    size = remaining(file)
    with decompressed(source.name, file, limits) as stream:
        capped = Capped(stream, limits.container, size, limits.ratio)
        # "r|" reads front to back and never seeks, so a header cannot send it elsewhere.
        with tarfile.open(fileobj=cast(IO[bytes], capped), mode="r|") as container:
            for count, info in enumerate(container, start=1):
                if count > limits.members:
                    raise LimitError(f"holds more than {limits.members} members")
                origin = f"{source.name}!{info.name}"
                if info.size < 0:
                    raise tarfile.ReadError("a member has a negative size")
                if info.isdir():
                    continue
                if not info.isreg() or info.issparse():
                    yield Diagnostic(
                        "refused-member", origin, "is not opened: it is no regular file"
                    )
                elif refused := _refusal(origin, info.name):
                    yield refused
                elif is_document(info.name):
                    member = container.extractfile(info)
                    assert member is not None  # a regular file always has content
                    raw = Capped(member, limits.document, limits.document, limits.ratio).read()
                    if len(raw) != info.size:
                        raise EOFError("the container ends in the middle of a member")
                    yield _document(source, origin, io.BytesIO(raw), limits)
        # The checksum of the compressed data stands at its end.
        while capped.read(65536):
            pass

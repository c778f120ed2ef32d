"""Compressed bytes to plain ones, within limits on size, growth and memory."""

from __future__ import annotations

import io
import lzma
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import IO, Protocol

import zstandard


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one upload may hold and ask for. Sizes are bytes, and those of
    content are counted as they come out of decompression."""

    document: int = 64 * 1024**2
    """One JSON or JSON Lines text."""
    container: int = 1024**3
    """All that is read of one container."""
    members: int = 100_000
    """Members of a container, and streams that follow one another in a compressed file."""
    ratio: int = 200
    """Decompressed bytes for each compressed one, where more than 1 MiB comes out."""
    memory: int = 136 * 1024**2
    """The working memory that a decompressor may ask for."""
    values: int = 1_500_000
    """Values and keys of one bundle, or of one array of bundles."""
    faulty: int = 8 * 1024**2
    """Faulty text in which every fault is looked for; of what follows one is told."""
    guides: int = 500
    """Guides (SoC, system and release) that the bundles of one upload are of."""
    files: int = 5_000
    """Files that its pages and data come to, besides two for each figure."""
    copied: int = 16 * 1024**2
    """Bytes of notes and facts of runs, times the tables of figures of each run."""
    withdrawals: int = 10_000
    """Bundles that its bundles withdraw."""
    findings: int = 10_000
    """Findings about one upload, after which the rest of it is not read."""


def changed(given: Mapping[str, object]) -> Limits:
    """The limits with some of them as given; raises :class:`ValueError` for a wrong one."""
    known = [each.name for each in fields(Limits)]
    values: dict[str, int] = {}
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"there is no limit “{name}”; there are {', '.join(known)}")
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(f"the limit “{name}” has to be a whole number above zero")
        values[name] = value
    return replace(Limits(), **values)


class LimitError(Exception):
    """More came out than the limits allow."""


FREE = 1024**2
"""Bytes that may come out of few packed ones whatever the ratio."""


class Readable(Protocol):
    """What gives bytes when it is asked for some."""

    def read(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes; none at the end."""
        ...


def remaining(file: IO[bytes]) -> int:
    """The number of bytes from here on, leaving the position as it was."""
    start = file.tell()
    end = file.seek(0, io.SEEK_END)
    file.seek(start)
    return end - start


@contextmanager
def decompressed(name: str, file: IO[bytes], limits: Limits) -> Iterator[Readable]:
    """The stream behind a compression suffix, read to its end with its checks."""
    lowered = name.lower()
    if lowered.endswith((".gz", ".tgz")):
        yield _Packed(file, limits, _Gz)
    elif lowered.endswith(".xz"):
        yield _Packed(file, limits, _Xz)
    elif lowered.endswith(".zst"):
        yield _Packed(file, limits, _Zst)
    else:
        yield file


class _Decoder(Protocol):
    """Decodes one stream of several that may follow one another in a file."""

    chunk: int
    """How many packed bytes to give it at once, so that little memory is used."""
    padding: bool
    """Whether zero bytes may follow a stream."""
    eof: bool
    unused: bytes

    def __init__(self, memory: int) -> None: ...

    def decompress(self, data: bytes, most: int) -> bytes:
        """Plain bytes, as many as there are in these packed ones or at most ``most``."""
        ...

    def hungry(self) -> bool:
        """Whether nothing more comes out without more going in."""
        ...


class _Gz:
    chunk = 65536
    padding = True

    def __init__(self, memory: int) -> None:
        self._decoder = zlib.decompressobj(wbits=31)
        self.eof, self.unused = False, b""

    def decompress(self, data: bytes, most: int) -> bytes:
        plain = self._decoder.decompress(self._decoder.unconsumed_tail + data, most)
        self.eof, self.unused = self._decoder.eof, self._decoder.unused_data
        return plain

    def hungry(self) -> bool:
        return not self._decoder.unconsumed_tail


class _Xz:
    chunk = 65536
    padding = True

    def __init__(self, memory: int) -> None:
        self._decoder = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=memory)
        self.eof, self.unused = False, b""

    def decompress(self, data: bytes, most: int) -> bytes:
        try:
            plain = self._decoder.decompress(data, most)
        except lzma.LZMAError as error:
            raise _asked_for_memory(error) from error
        self.eof, self.unused = self._decoder.eof, self._decoder.unused_data
        return plain

    def hungry(self) -> bool:
        return self._decoder.needs_input


class _Zst:
    """One frame; zstandard's own reader takes one that is cut short for one that has ended."""

    chunk = 1024
    """Each KiB can hold 256 blocks of 128 KiB, so this bounds the memory."""
    padding = False

    def __init__(self, memory: int) -> None:
        self._decoder = zstandard.ZstdDecompressor(max_window_size=memory).decompressobj()
        self.eof, self.unused = False, b""

    def decompress(self, data: bytes, most: int) -> bytes:
        try:
            plain = self._decoder.decompress(data)
        except zstandard.ZstdError as error:
            raise _asked_for_memory(error) from error
        self.eof, self.unused = self._decoder.eof, self._decoder.unused_data
        return plain

    def hungry(self) -> bool:
        return True


def _asked_for_memory(error: Exception) -> Exception:
    """The fault itself, or that of a stream that needs more memory than is allowed."""
    if "memory" in str(error).lower():
        return LimitError("asks for too much memory to be decompressed")
    return error


class _Packed:
    """The plain bytes of a file of compressed streams, each checked to its end."""

    def __init__(self, file: IO[bytes], limits: Limits, kind: type[_Decoder]) -> None:
        self._file = file
        self._limits = limits
        self._kind = kind
        self._decoder: _Decoder | None = None
        self._packed = b""
        self._streams = 0
        self._plain = io.BytesIO()

    def read(self, size: int = -1, /) -> bytes:
        while not (data := self._plain.read(size)):
            if not self._more(65536 if size < 0 else max(size, 1)):
                return b""
        return data

    def _more(self, most: int) -> bool:
        """Decode some more; false where the file has ended and its last stream too."""
        packed, self._packed = self._packed, b""
        if not packed and (self._decoder is None or self._decoder.hungry()):
            packed = self._file.read(self._kind.chunk)
            if not packed and self._decoder is not None:
                raise EOFError("the compressed data ends too early")
            if not packed:
                return False
        if self._decoder is None:
            if self._streams and self._kind.padding:
                packed = packed.lstrip(b"\0")
                if not packed:
                    return True
            self._streams += 1
            if self._streams > self._limits.members:
                raise LimitError(f"holds more than {self._limits.members} compressed streams")
            self._decoder = self._kind(self._limits.memory)
        self._plain = io.BytesIO(self._decoder.decompress(packed, most))
        if self._decoder.eof:
            self._packed, self._decoder = self._decoder.unused, None
        return True


class Capped:
    """A stream that counts what it gives and stops at a limit."""

    def __init__(self, stream: Readable, limit: int, packed: int, ratio: int) -> None:
        self._stream = stream
        self._limit = limit
        self._by_ratio = max(FREE, packed * ratio)
        self._given = 0

    def read(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes, or all that is left; raises :class:`LimitError`."""
        if size >= 0:
            return self._count(self._stream.read(size))
        parts = []
        while chunk := self._count(self._stream.read(1024**2)):
            parts.append(chunk)
        return b"".join(parts)

    def _count(self, chunk: bytes) -> bytes:
        self._given += len(chunk)
        if self._given > self._limit:
            raise LimitError(f"holds more than {self._limit} bytes")
        if self._given > self._by_ratio:
            raise LimitError("grows too much when it is decompressed")
        return chunk


_BEGINNINGS = (
    *((b"\x1f\x8b", ".gz"), (b"\x28\xb5\x2f\xfd", ".zst"), (b"\xfd7zXZ", ".tar.xz")),
    *((b"PK\x03\x04", ".zip"), (b"Rar!", ".rar"), (b"7z\xbc\xaf", ".7z")),
    *((b"{", ".json"), (b"[", ".json")),
)


def ending(data: bytes) -> str:
    """How the name of a file that begins with these bytes should end; empty where not known."""
    plain = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    return next((end for head, end in _BEGINNINGS if plain.startswith(head)), "")

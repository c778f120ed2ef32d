"""Compressed bytes to plain ones, within limits on size, growth and memory."""

from __future__ import annotations

import gzip
import io
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Protocol, cast

import zstandard


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one upload may hold. Sizes are bytes after decompression."""

    document: int = 64 * 1024**2
    container: int = 1024**3
    members: int = 100_000
    ratio: int = 1000
    """Decompressed bytes for each compressed one, where more than 1 MiB comes out."""
    memory: int = 192 * 1024**2
    """The working memory that a decompressor may ask for."""


class LimitError(Exception):
    """More came out than the limits allow."""


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
        with gzip.GzipFile(fileobj=file, mode="rb") as unzipped:
            yield cast(Readable, unzipped)
    elif lowered.endswith(".xz"):
        yield _Xz(file, limits.memory)
    elif lowered.endswith(".zst"):
        yield _Zst(file, limits.memory)
    else:
        yield file


class _Xz:
    """An .xz stream that may use a stated amount of memory and no more."""

    def __init__(self, file: IO[bytes], memory: int) -> None:
        self._file = file
        self._decoder = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=memory)

    def read(self, size: int = -1, /) -> bytes:
        while not self._decoder.eof:
            chunk = self._file.read(65536) if self._decoder.needs_input else b""
            if self._decoder.needs_input and not chunk:
                raise EOFError("the compressed data ends too early")
            data = self._decoder.decompress(chunk, 65536 if size < 0 else size)
            if data:
                return data
        return b""


class _Zst:
    """A .zst stream of any number of frames; zstandard's own reader takes one that
    is cut short for one that has ended."""

    def __init__(self, file: IO[bytes], memory: int) -> None:
        self._file = file
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=memory)
        self._frame = self._decompressor.decompressobj()
        self._begun = False
        self._packed = b""
        self._plain = io.BytesIO()

    def read(self, size: int = -1, /) -> bytes:
        while not (data := self._plain.read(size)):
            # Each KiB can hold 256 blocks of 128 KiB, so this bounds the memory.
            chunk = self._packed or self._file.read(1024)
            if not chunk and self._begun:
                raise EOFError("the compressed data ends too early")
            if not chunk:
                return b""
            self._plain = io.BytesIO(self._frame.decompress(chunk))
            self._packed, self._begun = b"", not self._frame.eof
            if self._frame.eof:
                self._packed = self._frame.unused_data
                self._frame = self._decompressor.decompressobj()
        return data


class Capped:
    """A stream that counts what it gives and stops at a limit."""

    def __init__(self, stream: Readable, limit: int, packed: int, ratio: int) -> None:
        self._stream = stream
        self._limit = limit
        self._by_ratio = max(1024**2, packed * ratio)
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

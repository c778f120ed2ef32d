"""Decompression with limits on size, ratio and memory."""

from __future__ import annotations

import io
import lzma
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import IO, Any, Protocol

import zstandard


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on one upload. Sizes are in bytes, and apply to content after decompression."""

    document: int = 64 * 1024**2
    """One JSON or JSON Lines document."""
    container: int = 1024**3
    """All bytes read from one container."""
    members: int = 100_000
    """Members of a container, and concatenated streams in a compressed file."""
    ratio: int = 200
    """Decompressed bytes per compressed byte, if the output exceeds 1 MiB."""
    memory: int = 136 * 1024**2
    """Working memory for a decompressor."""
    values: int = 1_500_000
    """Values and keys in one bundle or one array of bundles."""
    faulty: int = 8 * 1024**2
    """Faulty text for which every fault is listed; later bundles get one diagnostic each."""
    guides: int = 500
    """Guides (SoC, system and release) that the bundles of one upload belong to."""
    files: int = 5_000
    """Files generated for its pages and data, not counting two per figure."""
    copied: int = 16 * 1024**2
    """Bytes of notes and facts of runs, each multiplied by the number of tables of its run."""
    withdrawals: int = 10_000
    """Bundles that one upload withdraws."""
    findings: int = 10_000
    """Diagnostics about one upload, after which the rest is skipped."""


def changed(given: Mapping[str, object]) -> Limits:
    """Return the default limits with those in ``given`` replaced.

    Raises :class:`ValueError` for an unknown name or an invalid number.
    """
    names = [limit.name for limit in fields(Limits)]
    values: dict[str, int] = {}
    for name, value in given.items():
        if name not in names:
            raise ValueError(f"there is no limit “{name}”; there are {', '.join(names)}")
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(f"the limit “{name}” must be a positive whole number")
        values[name] = value
    return replace(Limits(), **values)


class LimitError(Exception):
    """The output exceeds a limit."""


FREE_BYTES = 1024**2
"""Output allowed regardless of the ratio, since small files can compress very well."""


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes, or none at the end."""
        ...


def remaining(file: IO[bytes]) -> int:
    """Return the number of bytes after the current position, which is preserved."""
    start = file.tell()
    end = file.seek(0, io.SEEK_END)
    file.seek(start)
    return end - start


@contextmanager
def decompressed(name: str, file: IO[bytes], limits: Limits) -> Iterator[Readable]:
    """Yield the stream, decompressed according to the name. Checksums are verified at the end."""
    lowered = name.lower()
    if lowered.endswith((".gz", ".tgz")):
        yield _Packed(file, limits, _Gz)
    elif lowered.endswith(".xz"):
        yield _Packed(file, limits, _Xz)
    elif lowered.endswith(".zst"):
        yield _Packed(file, limits, _Zst)
    else:
        yield file


class _Gz:
    """A gzip stream, and the base of the other kinds. A file may concatenate several streams."""

    chunk = 65536
    """Compressed bytes to decode at a time; small, to limit memory."""
    padding = True
    """True if zero bytes may follow a stream."""

    def __init__(self, memory: int) -> None:
        self.decoder: Any = zlib.decompressobj(wbits=31)

    def decompress(self, data: bytes, max_bytes: int) -> bytes:
        """Return the plain bytes of ``data``, at most ``max_bytes`` where supported."""
        plain: bytes = self.decoder.decompress(self.decoder.unconsumed_tail + data, max_bytes)
        return plain

    def needs_input(self) -> bool:
        """Return whether more output requires more input."""
        return not self.decoder.unconsumed_tail


class _Xz(_Gz):
    """An xz stream."""

    def __init__(self, memory: int) -> None:
        self.decoder = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=memory)

    def decompress(self, data: bytes, max_bytes: int) -> bytes:
        plain: bytes = self.decoder.decompress(data, max_bytes)
        return plain

    def needs_input(self) -> bool:
        return bool(self.decoder.needs_input)


class _Zst(_Gz):
    """A zstandard frame. The library's own reader accepts a truncated frame as complete."""

    # 1 KiB can hold 256 blocks of 128 KiB, so this limits the output of one step to 32 MiB.
    chunk = 1024
    padding = False

    def __init__(self, memory: int) -> None:
        self.decoder = zstandard.ZstdDecompressor(max_window_size=memory).decompressobj()

    def decompress(self, data: bytes, max_bytes: int) -> bytes:
        plain: bytes = self.decoder.decompress(data)
        return plain

    def needs_input(self) -> bool:
        return True


class _Packed:
    """The plain bytes of a file of compressed streams, each verified to its end."""

    def __init__(self, file: IO[bytes], limits: Limits, kind: type[_Gz]) -> None:
        self._file = file
        self._limits = limits
        self._kind = kind
        self._stream: _Gz | None = None
        self._packed = b""  # read from the file, but not decoded yet
        self._streams = 0
        self._plain = io.BytesIO()

    def read(self, size: int = -1, /) -> bytes:
        while not (data := self._plain.read(size)):
            if not self._decode_chunk(65536 if size < 0 else max(size, 1)):
                return b""
        return data

    def _decode_chunk(self, max_bytes: int) -> bool:
        """Decode the next chunk into ``_plain``, which may stay empty; return false once the last
        stream and the file have ended."""
        packed, self._packed = self._packed, b""
        if not packed and (self._stream is None or self._stream.needs_input()):
            packed = self._file.read(self._kind.chunk)
            if not packed and self._stream is not None:
                raise EOFError("the compressed data ends too early")
            if not packed:
                return False
        if self._stream is None:
            # tar pads archives to full blocks, even after the compressed data.
            if self._streams and self._kind.padding:
                packed = packed.lstrip(b"\0")
                if not packed:
                    return True
            self._streams += 1
            if self._streams > self._limits.members:
                raise LimitError(f"holds more than {self._limits.members} compressed streams")
            self._stream = self._kind(self._limits.memory)
        try:
            self._plain = io.BytesIO(self._stream.decompress(packed, max_bytes))
        except (lzma.LZMAError, zstandard.ZstdError) as error:
            if "memory" in str(error).lower():
                raise LimitError("needs too much memory to decompress") from error
            raise
        # The remaining input may be another stream.
        if self._stream.decoder.eof:
            self._packed, self._stream = self._stream.decoder.unused_data, None
        return True


class Capped:
    """A stream that raises :class:`LimitError` once it yields more than a limit."""

    def __init__(self, stream: Readable, limit: int, packed: int, ratio: int) -> None:
        self._stream = stream
        self._limit = limit
        self._by_ratio = max(FREE_BYTES, packed * ratio)
        self._yielded = 0

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes, or everything left. Raises :class:`LimitError`."""
        if size >= 0:
            return self._count(self._stream.read(size))
        parts = []
        while chunk := self._count(self._stream.read(1024**2)):
            parts.append(chunk)
        return b"".join(parts)

    def _count(self, chunk: bytes) -> bytes:
        self._yielded += len(chunk)
        if self._yielded > self._limit:
            raise LimitError(f"holds more than {self._limit} bytes")
        if self._yielded > self._by_ratio:
            raise LimitError("grows too much when decompressed")
        return chunk


_MAGIC_BYTES = (
    *((b"\x1f\x8b", ".gz"), (b"\x28\xb5\x2f\xfd", ".zst"), (b"\xfd7zXZ", ".tar.xz")),
    *((b"PK\x03\x04", ".zip"), (b"Rar!", ".rar"), (b"7z\xbc\xaf", ".7z")),
    *((b"{", ".json"), (b"[", ".json")),
)


def ending(data: bytes) -> str:
    """Return the file suffix that matches the first bytes of some data, or an empty string."""
    plain = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    return next((end for head, end in _MAGIC_BYTES if plain.startswith(head)), "")

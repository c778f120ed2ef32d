"""Pages that need not be worked out again, because nothing that they are made from changed.

For each part of the site that takes long, a run notes a hash of all that it was made from, the
files that were written, the pictures that belong to it, and what else came of it. The next run
takes them as they are where that hash is the same and each file still has its bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from ..charts.gallery import Drawn, Ledger, Picture
from ..publishing.memo import put
from ..publishing.output_folder import Writer

FILE = "pages.kept"
"""The file in the folder of the cache."""

T = TypeVar("T")


class Kept(msgspec.Struct, frozen=True):
    """What came of a part: ``key`` is the hash of all that it was made from, ``files`` has
    the SHA-256 of each file, ``pictures`` what each picture was drawn from, and ``said``
    is what its making returned."""

    key: str
    files: dict[str, str]
    pictures: tuple[Drawn, ...]
    said: bytes


class _Whole(msgspec.Struct, frozen=True):
    """The file that holds all of them; ``sum`` is the SHA-256 of ``parts``."""

    sum: str
    parts: bytes


class Keeping:
    """What is known of the parts of the last run, and all pictures of this one.

    ``rules`` is a hash of all that decides what pages look like besides bundles; without it,
    or without a folder of a cache, nothing is kept. ``formats`` are the pictures that are wanted.
    """

    def __init__(
        self,
        writer: Writer,
        formats: Sequence[str] = (),
        cache: Path | None = None,
        rules: str = "",
    ) -> None:
        self.pictures: list[Picture | Drawn] = []
        self._writer = writer
        self._formats = formats
        self._file = cache / FILE if cache and rules else None
        self._rules = rules
        self._known = _load(self._file) if self._file else {}
        self._ledger = Ledger(writer) if self._known else None
        self._now: dict[str, Kept] = {}

    def made(self, name: str, made_from: object, make: Callable[[], T], kind: type[T]) -> T:
        """What ``make`` gives, or what it gave in an earlier run.

        ``name`` is that of the part, ``made_from`` what it is made from, with a ``repr`` that
        says all of it. ``make`` writes by the same writer, adds to the same ``pictures``, and
        returns, as ``kind``, all else that comes of it.
        """
        if self._file is None:
            return make()
        text = repr((self._rules, made_from))
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        kept = self._recall(name, key)
        if kept:
            return msgspec.msgpack.decode(kept.said, type=kind)
        files, pictures = len(self._writer.names), len(self.pictures)
        out = make()
        # A name that is no text in UTF-8 cannot be kept.
        with contextlib.suppress(UnicodeEncodeError):
            said = msgspec.msgpack.encode(out)
            digests = {name: self._writer.held[name][1] for name in self._writer.names[files:]}
            drawn = tuple(picture.drawn for picture in self.pictures[pictures:])
            self._now[name] = Kept(key, digests, drawn, said)
        return out

    def _recall(self, name: str, key: str) -> Kept | None:
        """What came of a part, where it would be the same again; its files stay."""
        kept = self._known.get(name)
        if kept is None or kept.key != key or self._ledger is None:
            return None
        if any(self._writer.present(name) != digest for name, digest in kept.files.items()):
            return None
        if not all(self._ledger.holds(drawn, self._formats) for drawn in kept.pictures):
            return None
        for file, digest in kept.files.items():
            self._writer.keep(file, digest)
        self.pictures += kept.pictures
        self._now[name] = kept
        return kept

    def save(self) -> None:
        """Keep what this run knows."""
        if self._file is None:
            return
        parts = msgspec.msgpack.encode(self._now)
        whole = _Whole(hashlib.sha256(parts).hexdigest(), parts)
        # A place that cannot be written costs time and nothing else.
        with contextlib.suppress(OSError):
            put(self._file, msgspec.msgpack.encode(whole))


def _load(file: Path) -> dict[str, Kept]:
    """What is wrong with the file costs time and nothing else."""
    try:
        whole = msgspec.msgpack.decode(file.read_bytes(), type=_Whole)
        if hashlib.sha256(whole.parts).hexdigest() != whole.sum:
            return {}
        return msgspec.msgpack.decode(whole.parts, type=dict[str, Kept])
    except (OSError, ValueError):
        return {}

"""Pages that need not be worked out again, because nothing that they are made from changed.

For each page that takes long, a run notes a hash of all that it was made from, the files that
were written, and what else came of it. The next run takes them as they are where that hash
is the same and each file still has its bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import msgspec

from .changeview import ChangeView
from .memo import put
from .writer import Writer

FILE = "compare.kept"
"""The file in the folder of the cache."""


class Kept(msgspec.Struct, frozen=True):
    """What came of a page: ``key`` is the hash of all that it was made from, ``files`` has
    the SHA-256 of each file, ``pictures`` the file of each picture without its suffix and what
    it shows, ``waivers`` the numbers of those that a figure needed."""

    key: str
    files: dict[str, str]
    pictures: tuple[tuple[str, ChangeView], ...]
    waivers: tuple[int, ...]


class _Whole(msgspec.Struct, frozen=True):
    """The file that holds all of them; ``sum`` is the SHA-256 of ``pages``."""

    sum: str
    pages: bytes


class Keeping:
    """What is known of the pages of the last run. ``rules`` is a hash of all that decides
    what pages look like besides bundles; without it, or without a folder of a cache, nothing is kept."""

    def __init__(self, writer: Writer, cache: Path | None = None, rules: str = "") -> None:
        self._writer = writer
        self._file = cache / FILE if cache and rules else None
        self._rules = rules
        self._known = _load(self._file) if self._file else {}
        self._now: dict[str, Kept] = {}

    def key(self, *made_from: object) -> str:
        """A hash of what a page is made from, each part with a ``repr`` that says all of it."""
        text = repr((self._rules, made_from))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def recall(self, page: str, key: str) -> Kept | None:
        """What came of a page, where it would be the same again; its files stay."""
        kept = self._known.get(page)
        if kept is None or kept.key != key:
            return None
        if any(self._writer.present(name) != digest for name, digest in kept.files.items()):
            return None
        for name, digest in kept.files.items():
            self._writer.keep(name, digest)
        self._now[page] = kept
        return kept

    def note(self, page: str, kept: Kept) -> None:
        """Remember what came of a page."""
        self._now[page] = kept

    def save(self) -> None:
        """Keep what this run knows."""
        if self._file is None:
            return
        pages = msgspec.msgpack.encode(self._now)
        whole = _Whole(hashlib.sha256(pages).hexdigest(), pages)
        # A place that cannot be written costs time and nothing else.
        with contextlib.suppress(OSError):
            put(self._file, msgspec.msgpack.encode(whole))


def _load(file: Path) -> dict[str, Kept]:
    """What is wrong with the file costs time and nothing else."""
    try:
        whole = msgspec.msgpack.decode(file.read_bytes(), type=_Whole)
        if hashlib.sha256(whole.pages).hexdigest() != whole.sum:
            return {}
        return msgspec.msgpack.decode(whole.pages, type=dict[str, Kept])
    except (OSError, ValueError):
        return {}

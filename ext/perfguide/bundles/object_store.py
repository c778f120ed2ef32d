"""Results that lie elsewhere, such as in a bucket, brought into a store on this machine.

``objects/`` of the store holds each file under the SHA-256 of its content, ``known/`` for
each place a list of what was read there, and ``parts/`` what a cut has left unfinished.
All of it can be removed at any time; it is then read again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ..common import extras
from ..common.diagnostics import Diagnostic
from ..publishing.atomic_swap import locked
from . import containers
from .containers import Source
from .decompress import Limits

CHUNK = 8 * 1024**2
"""Bytes that are asked for at once, and that a cut costs at most."""

AT_ONCE = 16
"""Files that are read at once; most of the time of a small one is waiting."""

TRIALS = 3
"""How often a file is read that changes meanwhile or does not come."""


_DIGEST = re.compile("[0-9a-f]{64}")


class NotFetchedError(Exception):
    """A file could not be read to its end."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A file as its place lists it. ``mark`` changes when the file does, and is empty
    where the place says nothing that would."""

    name: str
    path: str
    size: int | None
    mark: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Fetched:
    """What became of one place: its files, and how many bytes were read for them."""

    sources: list[Source] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    read: int = 0


def is_url(place: str | Path) -> bool:
    """Whether a place is not a path."""
    return isinstance(place, str) and "://" in place


def place(text: str) -> str | Path:
    """A place as a user writes it: a URL as it is, anything else a path."""
    return text if is_url(text) else Path(text)


def shown(url: str) -> str:
    """A URL without the name and password that it may hold."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])).rstrip("/")


Progress = Callable[[Sequence[Any], str], Iterable[Any]]


def find(
    roots: Sequence[str | Path], store: Path, limits: Limits, progress: Progress
) -> tuple[list[Source], list[Diagnostic]]:
    """All result files of the roots, each a folder, a file or a URL."""
    sources: list[Source] = []
    diagnostics: list[Diagnostic] = []
    for root in roots:
        if is_url(root):
            fetched = fetch(str(root), store, limits, progress)
            found, notes = fetched.sources, fetched.diagnostics
        else:
            found, notes = containers.find([root])
        sources += found
        diagnostics += notes
    return sources, diagnostics


def fetch(url: str, store: Path, limits: Limits, progress: Progress) -> Fetched:
    """The result files at a URL, as files of the store; only what is new there is read.

    Where the place, or one file of it, cannot be read, the diagnostic is ``missing-path``:
    a network that fails must not look like results that are gone.
    """
    root = shown(url)
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        hint = f"{extras.command('s3')} for buckets, or fsspec alone"
        return Fetched([], [Diagnostic("missing-path", root, "fsspec is not installed", hint)])
    try:
        fs, top = url_to_fs(url)
        fs.invalidate_cache()
        listed = _listing(fs, str(top), root)
    # Each kind of place has its own library, with exceptions of its own.
    except Exception as error:
        return Fetched([], [_missing(root, error)])
    if not listed:
        return Fetched([], [Diagnostic("missing-path", root, "there is no file there")])
    single = listed[0].name == "" and len(listed) == 1
    if single:
        root, _, base = root.rpartition("/")
        listed = [Remote(base, listed[0].path, listed[0].size, listed[0].mark)]
    wanted, diagnostics = containers.chosen(listed, lambda each: each.name)
    out = Fetched(diagnostics=diagnostics)
    # Two runs must not write into the same unfinished file.
    with locked(store, lambda _: None):
        return _Reader(fs, store, root, limits).all(wanted, progress, out)


def _missing(where: str, error: Exception) -> Diagnostic:
    reason = str(error) or type(error).__name__
    hint = "see whether it can be reached, and run again; what was read is kept"
    return Diagnostic("missing-path", where, f"cannot be read: {reason}", hint)


def _listing(fs: Any, top: str, root: str) -> list[Remote]:
    """All files below a place, or the one file that it is, by name."""
    found: dict[str, dict[str, Any]] = fs.find(top, detail=True)
    base = top.rstrip("/") + "/"
    out = []
    for path, info in sorted(found.items()):
        if path != top.rstrip("/") and not path.startswith(base):
            raise NotFetchedError(f"lists a file that is not below {root}")
        name = path[len(base) :]
        if info.get("type") == "file" and not path.endswith("/"):
            out.append(Remote(name, path, info.get("size"), _mark(info)))
    return out


def _mark(info: dict[str, Any]) -> str:
    tag = info.get("ETag") or info.get("etag")
    times = [info.get(name) for name in ("LastModified", "mtime", "last_modified", "updated")]
    if not tag and not any(times):
        return ""
    said = [tag, info.get("VersionId"), info.get("size"), info.get("ino"), *map(str, times)]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


class _Reader:
    """Brings files of one place into the store."""

    def __init__(self, fs: Any, store: Path, root: str, limits: Limits) -> None:
        self._fs = fs
        self._store = store
        self._root = root
        self._limits = limits
        self._list = store / "known" / f"{_hash(root.encode())}.jsonl"
        self._writing = threading.Lock()
        self._read = 0

    def all(self, wanted: Sequence[Remote], progress: Progress, out: Fetched) -> Fetched:
        for name in ("objects", "known", "parts"):
            (self._store / name).mkdir(exist_ok=True)
        known = self._known()
        missing = []
        have: dict[str, str] = {}
        for each in wanted:
            digest = known.get(each.name, ("", ""))
            if each.mark and digest[0] == each.mark and self._sound(digest[1]):
                have[each.name] = digest[1]
            elif self._too_large(each):
                message = "is larger than the limits allow, and is not read"
                hint = "split the upload, or raise the limits"
                out.diagnostics.append(
                    Diagnostic("limit", each.name, message, hint, root=self._root)
                )
            else:
                missing.append(each)
        if missing:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                work = {each.name: pool.submit(self._one, each) for each in missing}
                try:
                    for each in progress(missing, "fetching files"):
                        try:
                            have[each.name] = work[each.name].result()
                        # As for the listing: what a library raises is its own.
                        except Exception as error:
                            found = _missing(f"{self._root}/{each.name}", error)
                            out.diagnostics.append(found)
                finally:
                    pool.shutdown(cancel_futures=True)
        self._write_known({e.name: (e.mark, have[e.name]) for e in wanted if e.name in have})
        for each in wanted:
            if each.name in have:
                path = self._object(have[each.name])
                out.sources.append(Source(self._root, each.name, path))
        return Fetched(out.sources, out.diagnostics, self._read)

    def _too_large(self, each: Remote) -> bool:
        within = self._limits
        most = within.container if containers.is_container(each.name) else within.document
        return each.size is not None and each.size > most

    def _object(self, digest: str) -> Path:
        return self._store / "objects" / digest

    def _sound(self, digest: str) -> bool:
        """Whether a file of the store still holds what its name says."""
        if not _DIGEST.fullmatch(digest):
            return False
        try:
            with self._object(digest).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == digest
        except FileNotFoundError:
            return False

    def _known(self) -> dict[str, tuple[str, str]]:
        """By name what was read of this place; a line that is cut or wrong is passed over."""
        out = {}
        with suppress(FileNotFoundError):
            for line in self._list.read_bytes().splitlines():
                with suppress(ValueError):
                    name, mark, digest = json.loads(line)
                    if all(isinstance(each, str) for each in (name, mark, digest)):
                        out[name] = (mark, digest)
        return out

    def _write_known(self, known: dict[str, tuple[str, str]]) -> None:
        aside = self._list.with_suffix(".part")
        lines = (json.dumps([name, *found]) + "\n" for name, found in sorted(known.items()))
        aside.write_text("".join(lines), encoding="utf-8")
        aside.replace(self._list)

    def _one(self, each: Remote) -> str:
        """Read one file to its end; the hash of its content."""
        for trial in range(TRIALS):
            part = self._part(each)
            try:
                digest = self._whole(each, part)
            except (OSError, NotFetchedError):
                if trial == TRIALS - 1:
                    raise
                each = self._again(each)
                continue
            part.replace(self._object(digest))
            line = json.dumps([each.name, each.mark, digest])
            with self._writing, self._list.open("a", encoding="utf-8") as file:
                # A line that was cut short must not take this one with it.
                file.write(f"\n{line}\n")
            return digest
        raise AssertionError("unreachable")

    def _again(self, each: Remote) -> Remote:
        """The file as its place lists it now."""
        self._fs.invalidate_cache()
        info = self._fs.info(each.path)
        return Remote(each.name, each.path, info.get("size"), _mark(info))

    def _part(self, each: Remote) -> Path:
        # Another content has another unfinished file, so that two are never mixed.
        which = json.dumps([self._root, each.name, each.size, each.mark])
        part = self._store / "parts" / _hash(which.encode())
        if not each.mark:
            part.unlink(missing_ok=True)
        return part

    def _whole(self, each: Remote, part: Path) -> str:
        with part.open("ab") as file:
            # The last piece counts only where something came after it: a power cut
            # may have left it without its content.
            start = max(0, (file.tell() - 1) // CHUNK * CHUNK)
            file.truncate(start)
            end, pieces = each.size, start // CHUNK
            while end is None or start < end:
                most = CHUNK if end is None else min(CHUNK, end - start)
                data: bytes = self._fs.cat_file(each.path, start=start, end=start + most)
                if not data and end is None:
                    break
                if not data or len(data) > most:
                    part.unlink()
                    raise NotFetchedError("is not as long as it is listed")
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                start, pieces = start + len(data), pieces + 1
                with self._writing:
                    self._read += len(data)
                if start > self._limits.container:
                    raise NotFetchedError("is larger than the limits allow")
        if each.mark and pieces > 1 and self._again(each).mark != each.mark:
            part.unlink()
            raise NotFetchedError("changes while it is read")
        with part.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

"""Results at URLs, such as in a bucket, and the local store of their copies.

``objects/`` in the store has each file under the SHA-256 of its content, ``known/`` a list of the
files read from each URL, and ``parts/`` the files being read. Any of these may be deleted at any
time, and will be read again."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ..common import extras
from ..common.diagnostics import Diagnostic
from ..publishing.atomic_swap import locked
from . import containers
from .containers import Source
from .decompress import Limits

MIN_CHECKED_BYTES = 8 * 1024**2
"""A larger file may be read in several requests, so it is checked for changes afterwards."""

PARALLEL_READS = 16
"""The number of files read at the same time. For small files, most of the time is spent waiting."""

MAX_ATTEMPTS = 3
"""The most attempts to read a file that keeps changing or cannot be read."""

_DIGEST = re.compile("[0-9a-f]{64}")


class NotFetchedError(Exception):
    """A file that could not be read completely."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A file as listed at its location. ``mark`` changes whenever the file does; it is empty if the
    listing has nothing suitable."""

    name: str
    path: str
    size: int | None
    mark: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Fetched:
    """The outcome for one location: its files, the number of bytes read, and its
    :func:`listing_hash`."""

    sources: list[Source] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    read: int = 0
    listing: str = ""


def is_url(location: str | Path) -> bool:
    """Return whether a location is a URL rather than a path."""
    return isinstance(location, str) and "://" in location


def path_or_url(text: str) -> str | Path:
    """Interpret a location given by a user: URLs stay strings, anything else becomes a path."""
    return text if is_url(text) else Path(text)


def without_password(url: str) -> str:
    """Return a URL without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])).rstrip("/")


Progress = Callable[[Sequence[Any], str], Iterable[Any]]
HashOf = Callable[[Path], str]
"""A function that returns the SHA-256 of a file, or an empty string if it does not exist."""


def hash_of_file(path: Path) -> str:
    """Compute the SHA-256 of a file; return an empty string if it does not exist."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""


def find(
    roots: Sequence[str | Path],
    store: Path,
    limits: Limits,
    progress: Progress,
    hash_of: HashOf = hash_of_file,
) -> tuple[list[Source], list[Diagnostic], dict[str, str]]:
    """Return all result files below the roots, each a folder, a file or a URL; all findings; and
    the hash of each URL's listing."""
    sources: list[Source] = []
    diagnostics: list[Diagnostic] = []
    listings: dict[str, str] = {}
    for root in roots:
        if is_url(root):
            fetched = fetch(str(root), store, limits, progress, hash_of)
            root_sources, notes = fetched.sources, fetched.diagnostics
            listings[str(root)] = fetched.listing
        else:
            root_sources, notes = containers.find([root])
        sources += root_sources
        diagnostics += notes
    return sources, diagnostics, listings


def listing_hash(url: str) -> str:
    """Return a hash of the names and marks of all files at a URL, which changes if one of them
    does, or an empty string if changes cannot be detected."""
    # Never persist a hash derived from a password.
    if url.rstrip("/") != without_password(url):
        return ""
    try:
        return _hash_of_listing(_listed(url)[1])
    # Each protocol has its own library and exceptions, and none may be installed.
    except Exception:
        return ""


def _listed(url: str) -> tuple[Any, list[Remote]]:
    from fsspec.core import url_to_fs

    fs, top = url_to_fs(url)
    # fsspec caches listings per process, which would hide new uploads.
    fs.invalidate_cache()
    return fs, _listing(fs, str(top), without_password(url))


def _hash_of_listing(listed: Sequence[Remote]) -> str:
    if not all(remote.mark for remote in listed):
        return ""
    return _hash(json.dumps([(remote.name, remote.mark) for remote in listed]).encode())


def fetch(
    url: str, store: Path, limits: Limits, progress: Progress, hash_of: HashOf = hash_of_file
) -> Fetched:
    """Copy new result files from a URL into the store, and return all of its files.

    If the location or one of its files cannot be read, the diagnostic is ``missing-path``: a
    network failure must not look like deleted results.
    """
    root = without_password(url)
    try:
        importlib.import_module("fsspec")
    except ImportError:
        hint = f"{extras.command('s3')} for buckets, or fsspec alone"
        return Fetched([], [Diagnostic("missing-path", root, "fsspec is not installed", hint)])
    try:
        fs, listed = _listed(url)
    # Each protocol has its own library and exceptions.
    except Exception as error:
        return Fetched([], [_missing(root, error)])
    if not listed:
        return Fetched([], [Diagnostic("missing-path", root, "there is no file there")])
    listing = _hash_of_listing(listed)
    if listed[0].name == "" and len(listed) == 1:  # the URL is that of a single file
        root, _, base = root.rpartition("/")
        listed = [replace(listed[0], name=base)]
    wanted, diagnostics = containers.chosen(listed, lambda remote: remote.name)
    out = Fetched(diagnostics=diagnostics, listing=listing)
    # Two runs must not write to the same incomplete file.
    with locked(store, lambda _: None):
        return _Copier(fs, store, root, limits, hash_of).copy(wanted, progress, out)


def readable_here(source: Source) -> Source:
    """Return a file fetched by another machine with its content, if there is no copy on this
    machine.

    A file that has changed since, or that cannot be read, is returned unchanged, and its reader
    reports it.
    """
    if not is_url(source.root) or source.path.exists():
        return source
    from fsspec.core import url_to_fs

    # The libraries have no common exception class.
    with suppress(Exception):
        fs, path = url_to_fs(f"{source.root}/{source.name}")
        content: bytes = fs.cat_file(path)
        if _hash(content) == source.path.name:
            return replace(source, content=content)
    return source


def _missing(where: str, error: Exception) -> Diagnostic:
    reason = str(error) or type(error).__name__
    hint = "check that it is reachable, and run again; files read so far are kept"
    return Diagnostic("missing-path", where, f"cannot be read: {reason}", hint)


def _listing(fs: Any, top: str, root: str) -> list[Remote]:
    """Return all files below a location, sorted by name, or the single file that it is."""
    listed: dict[str, dict[str, Any]] = fs.find(top, detail=True)
    base = top.rstrip("/") + "/"
    out = []
    for path, info in sorted(listed.items()):
        if path != top.rstrip("/") and not path.startswith(base):
            raise NotFetchedError(f"lists a file that is not below {root}")
        name = path[len(base) :]
        if info.get("type") == "file" and not path.endswith("/"):
            # Some protocols list folders as empty files with a trailing slash.
            out.append(Remote(name, path, info.get("size"), _mark(info)))
    return out


def _mark(info: dict[str, Any]) -> str:
    tag = info.get("ETag") or info.get("etag")
    times = [info.get(name) for name in ("LastModified", "mtime", "last_modified", "updated")]
    if not tag and not any(times):
        return ""
    values = [tag, info.get("VersionId"), info.get("size"), info.get("ino"), *map(str, times)]
    return _hash(json.dumps(values).encode())


class _Copier:
    """Copies files of one location into the store."""

    def __init__(self, fs: Any, store: Path, root: str, limits: Limits, hash_of: HashOf) -> None:
        self._hash_of = hash_of
        self._fs = fs
        self._store = store
        self._root = root
        self._limits = limits
        self._list = store / "known" / f"{_hash(root.encode())}.jsonl"
        self._writing = threading.Lock()
        self._read = 0

    def copy(self, wanted: Sequence[Remote], progress: Progress, out: Fetched) -> Fetched:
        """Copy the files that the store lacks, and return ``out`` with all files and faults."""
        for name in ("objects", "known", "parts"):
            (self._store / name).mkdir(exist_ok=True)
        for path in (self._store / "parts").iterdir():
            path.unlink()  # left by a killed run
        listed = self._read_list()
        missing = []
        digests: dict[str, str] = {}
        for remote in wanted:
            mark, digest = listed.get(remote.name, ("", ""))
            if remote.mark and mark == remote.mark and self._is_intact(digest):
                digests[remote.name] = digest
            elif self._too_large(remote):
                message = "exceeds the limits and is not read"
                hint = "split the upload, or raise the limits"
                out.diagnostics.append(
                    Diagnostic("limit", remote.name, message, hint, root=self._root)
                )
            else:
                missing.append(remote)
        if missing:
            with ThreadPoolExecutor(PARALLEL_READS) as pool:
                work = {remote.name: pool.submit(self._copy_one, remote) for remote in missing}
                try:
                    for remote in progress(missing, "fetching files"):
                        try:
                            digests[remote.name] = work[remote.name].result()
                        # Each library has its own exceptions here, too.
                        except Exception as error:
                            fault = _missing(f"{self._root}/{remote.name}", error)
                            out.diagnostics.append(fault)
                finally:
                    pool.shutdown(cancel_futures=True)
        complete = [remote for remote in wanted if remote.name in digests]
        self._write_list({r.name: (r.mark, digests[r.name]) for r in complete})
        for remote in complete:
            path = self._object(digests[remote.name])
            out.sources.append(Source(self._root, remote.name, path))
        return replace(out, read=self._read)

    def _too_large(self, remote: Remote) -> bool:
        limits = self._limits
        limit = limits.container if containers.is_container(remote.name) else limits.document
        return remote.size is not None and remote.size > limit

    def _object(self, digest: str) -> Path:
        return self._store / "objects" / digest

    def _is_intact(self, digest: str) -> bool:
        """Return whether the content of a file in the store still matches its name."""
        return bool(_DIGEST.fullmatch(digest)) and self._hash_of(self._object(digest)) == digest

    def _read_list(self) -> dict[str, tuple[str, str]]:
        """Return mark and digest of the files read so far, by name; damaged lines are skipped."""
        out = {}
        with suppress(FileNotFoundError):
            for line in self._list.read_bytes().splitlines():
                with suppress(ValueError):
                    name, mark, digest = json.loads(line)
                    if all(isinstance(text, str) for text in (name, mark, digest)):
                        out[name] = (mark, digest)
        return out

    def _write_list(self, entries: dict[str, tuple[str, str]]) -> None:
        aside = self._list.with_suffix(".part")
        lines = (json.dumps([name, *entry]) + "\n" for name, entry in sorted(entries.items()))
        aside.write_text("".join(lines), encoding="utf-8")
        aside.replace(self._list)

    def _copy_one(self, remote: Remote) -> str:
        """Copy one file completely; return the hash of its content."""
        # A file that is still being uploaded changes while it is read.
        for attempt in range(MAX_ATTEMPTS):
            part = self._store / "parts" / _hash(remote.name.encode())
            try:
                digest = self._download(remote, part)
                part.replace(self._object(digest))
            except (OSError, NotFetchedError):
                if attempt == MAX_ATTEMPTS - 1:
                    raise
                remote = self._relisted(remote)
                continue
            finally:
                part.unlink(missing_ok=True)
            line = json.dumps([remote.name, remote.mark, digest])
            with self._writing, self._list.open("a", encoding="utf-8") as file:
                # The leading newline protects this line if the previous one was cut short.
                file.write(f"\n{line}\n")
            return digest
        raise AssertionError("unreachable")

    def _relisted(self, remote: Remote) -> Remote:
        """Return the file as currently listed."""
        self._fs.invalidate_cache()
        info = self._fs.info(remote.path)
        return replace(remote, size=info.get("size"), mark=_mark(info))

    def _download(self, remote: Remote, part: Path) -> str:
        """Copy a file to ``part``, and return the hash of its content. Raises an exception of the
        library for the protocol, or :class:`NotFetchedError` for a file that changes."""
        # If the connection is lost, the library for the protocol resumes by itself.
        self._fs.get_file(remote.path, str(part))
        size = part.stat().st_size
        if remote.size not in (None, size):
            raise NotFetchedError("is not as long as listed")
        if size > self._limits.container:
            raise NotFetchedError("is larger than the limits allow")
        # Parts of two versions would make up a file that never existed.
        if remote.mark and size >= MIN_CHECKED_BYTES and self._relisted(remote).mark != remote.mark:
            raise NotFetchedError("changes while it is read")
        with self._writing:
            self._read += size
        return hash_of_file(part)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

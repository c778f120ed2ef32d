"""Sources of guides: files and folders, or the history of a git repository."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from ..common.diagnostics import Diagnostic
from . import isolated
from .git_repository import Commit, Entry, GitError, Repository, opened
from .limits import Limits
from .model import Opener, Passage, Reading, Table, limit_hint

_TITLE_CHARS = 500


@dataclass(slots=True)
class Snapshot:
    """The tables of a guide at one time, and the texts that may name its release."""

    tag: str = ""
    commit: str = ""
    subject: str = ""
    """The first line of the commit's message."""
    created: datetime.datetime | None = None
    tables: list[Table] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    """The first headings of the documents with tables."""
    faults: list[Diagnostic] = field(default_factory=list)

    def take(self, reading: Reading, file: str) -> None:
        """Add the reading of a document."""
        self.tables += reading.tables
        self.passages += reading.passages
        self.faults += reading.faults
        if reading.unlisted:
            message = f"and {reading.unlisted:,} more faults"
            self.faults.append(Diagnostic("log-row", file, message, limit_hint("faults")))
        if reading.tables and reading.title:
            self.titles.append(reading.title[:_TITLE_CHARS])


def files(paths: Sequence[Path], limits: Limits) -> Snapshot:
    """Return the tables in files, and in all files below folders.

    Raises :class:`FileNotFoundError` if a path does not exist.
    """
    snapshot = Snapshot()
    for top in paths:
        if not top.exists():
            raise FileNotFoundError(2, "there is no such file", str(top))
        root = top if top.is_dir() else top.parent
        opener = _below(root, limits)
        for name in _members(top, limits) if top.is_dir() else [top.name]:
            if not isolated.ending(name):
                continue
            # A file named in the command may be a symlink; one in a folder must not lead outside.
            data = _read(top, limits) if top.is_file() else opener(name)
            if data is None:
                message = (
                    f"is not a regular file in the folder, or larger than {limits.document:,} bytes"
                )
                snapshot.faults.append(Diagnostic("limit", name, message, limit_hint("document")))
            else:
                snapshot.take(isolated.read(name, data, opener, limits), name)
    return snapshot


def _members(folder: Path, limits: Limits) -> list[str]:
    """Return the sorted paths of the files below a folder. Raises ``OSError`` if there are too
    many."""
    names: list[str] = []
    for parent, _, files in os.walk(folder, followlinks=False):
        names += [(Path(parent) / name).relative_to(folder).as_posix() for name in files]
        if len(names) > limits.files:
            raise OSError(0, f"the folder has over {limits.files:,} files", str(folder))
    return sorted(names)


def _read(path: Path, limits: Limits) -> bytes | None:
    if not path.is_file() or path.stat().st_size > limits.document:
        return None
    return path.read_bytes()


def _below(root: Path, limits: Limits) -> Opener:
    """Return an opener of regular files below a folder that follows no symlink to the outside."""
    top = root.resolve()

    def read(name: str) -> bytes | None:
        path = (top / name).resolve()
        return _read(path, limits) if path.is_relative_to(top) else None

    return read


def history(folder: Path, pattern: str, commits: str, limits: Limits) -> Iterator[Snapshot]:
    """Return the tables at tags and at commits that changed the guide, oldest first.

    ``commits`` is ``tags``, ``all`` to include commits in between, or a revision or range such as
    ``09.00..HEAD``. A path without wildcards is followed through its former names. Raises
    :class:`GitError` if the repository cannot be read.
    """
    with opened(folder, limits) as repository:
        patterns = [pattern]
        faults: list[Diagnostic] = []
        if not set(pattern) & set("*?[") and "HEAD" in repository.refs:
            try:
                patterns = repository.names(pattern, repository.refs["HEAD"])
            except GitError as error:
                message = f"its former names cannot be read: {error.strerror}"
                hint = "name them by a pattern, such as *Guide*.rst"
                faults.append(Diagnostic("log-note", pattern, message, hint))
        chosen = _chosen(repository, patterns, commits, faults)
        if len(chosen) > limits.commits:
            message = (
                f"{len(chosen):,} commits changed the files of --path, over {limits.commits:,}"
            )
            raise GitError(0, f"{message}; name the guide with --path", str(folder))
        readings: dict[tuple[str, str], Reading] = {}
        ordered = sorted(chosen, key=lambda pair: _date(pair[1]) or _EPOCH)
        for tag, commit in ordered:
            snapshot = Snapshot(tag, commit.hash, commit.subject, _date(commit), faults=faults)
            # These belong to the history, so they are reported once, with its first snapshot.
            faults = []
            try:
                _read_commit(repository, snapshot, patterns, readings, limits)
            except GitError as error:
                message = f"its files cannot be listed: {error.strerror}"
                name = tag or commit.hash[:12]
                snapshot.faults.append(Diagnostic("unreadable", name, message))
            yield snapshot


def _chosen(
    repository: Repository, patterns: Sequence[str], commits: str, faults: list[Diagnostic]
) -> list[tuple[str, Commit]]:
    """Return commits with their tags, or with "" for untagged ones."""
    tagged: list[tuple[str, Commit]] = []
    for ref, value in repository.refs.items():
        if ref.startswith("refs/tags/") and commits in ("all", "tags"):
            try:
                tagged.append((ref.removeprefix("refs/tags/"), repository.commit(value)))
            except GitError as error:
                message = f"its commit cannot be read: {error.strerror}"
                faults.append(Diagnostic("unreadable", ref, message))
    revision = repository.refs.get("HEAD", "") if commits == "all" else commits
    if commits == "tags" or not revision:
        return tagged
    hashes = {commit.hash for _, commit in tagged}
    changes = repository.commits(revision, patterns)
    return tagged + [("", change) for change in changes if change.hash not in hashes]


_EPOCH = datetime.datetime.fromtimestamp(0, datetime.UTC)


def _date(commit: Commit) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(commit.created)
    except ValueError:
        return None


def _read_commit(
    repository: Repository,
    snapshot: Snapshot,
    patterns: Sequence[str],
    readings: dict[tuple[str, str], Reading],
    limits: Limits,
) -> None:
    """Read the guide at a commit; documents with the same content are read only once."""
    entries = {entry.path: entry for entry in repository.files(snapshot.commit)}
    for file, entry in entries.items():
        if not isolated.ending(file) or not any(fnmatchcase(file, pattern) for pattern in patterns):
            continue
        reading = readings.get((file, entry.hash))
        if reading is None:
            named: list[str] = []
            reading = _read_file(repository, entries, entry, named, limits)
            # A document that refers to files also depends on their content.
            if not named:
                readings[file, entry.hash] = reading
        snapshot.take(reading, file)


def _read_file(
    repository: Repository,
    entries: dict[str, Entry],
    entry: Entry,
    named: list[str],
    limits: Limits,
) -> Reading:
    """Read a document, and add the files that it refers to to ``named``."""
    reading = Reading(limits)
    if not entry.is_regular:
        message = "is a link or a submodule, which is not followed"
        reading.add_fault(Diagnostic("log-note", entry.path, message))
        return reading

    def opener(name: str) -> bytes | None:
        named.append(name)
        other = entries.get(name)
        if other is None or not other.is_regular:
            return None
        try:
            return repository.read(other)
        except GitError:
            return None

    try:
        data = repository.read(entry)
    except GitError as error:
        message = f"its content cannot be read: {error.strerror}"
        reading.add_fault(
            Diagnostic("unreadable", entry.path, message, "fetch the entire repository")
        )
        return reading
    if data is None:
        return isolated.refused(entry.path, limits, "document", "has more than {} bytes")
    return isolated.read(entry.path, data, opener, limits)


_NUMBERS = re.compile(r"[0-9]{1,6}(?:[._][0-9]{1,6}){1,7}(?![A-Za-z0-9])")
_FREE_NUMBERS = re.compile(rf"(?<![A-Za-z0-9.]){_NUMBERS.pattern}")
_NUMBER = re.compile(r"[0-9]{1,9}")


def release(pattern: str, snapshot: Snapshot) -> str:
    """Return the release of a snapshot as numbers separated by points, or an empty string.

    It is taken from the tag, the guide's titles, a path, or the commit message, in this order.
    Without a pattern, a release has at least two numbers, except in a tag.
    """
    texts = (*snapshot.titles, *dict.fromkeys(table.file for table in snapshot.tables))
    patterns: list[tuple[re.Pattern[str], str]] = []
    if pattern:
        compiled = re.compile(pattern)
        patterns = [(compiled, text) for text in (snapshot.tag, *texts, snapshot.subject)]
    else:
        patterns = [(_NUMBERS, snapshot.tag), (_NUMBER, snapshot.tag)]
        patterns += [(_FREE_NUMBERS, text) for text in (*texts, snapshot.subject)]
    for form, text in patterns:
        if match := form.search(text):
            return (match[1] if form.groups else match[0]).replace("_", ".")
    return ""

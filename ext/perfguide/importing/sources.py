"""Where guides are read from: files and folders, or the history of a git repository."""

from __future__ import annotations

import datetime
import fnmatch
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import html, markdown, rst
from .model import Opener, Table

READERS = {".rst": rst.read, ".md": markdown.read, ".html": html.read, ".htm": html.read}
MOST_BYTES = 64 * 1024**2
"""The size of one file, in bytes, beyond which it is not read."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The guide's tables as they were at one time. ``name`` is the tag, or nothing."""

    name: str
    commit: str
    created: datetime.datetime | None
    tables: tuple[Table, ...]


def tables(file: str, data: bytes, opener: Opener) -> list[Table]:
    """The tables of one file; none where its ending is not known."""
    reader = READERS.get(Path(file).suffix.lower())
    text = data.decode("utf-8-sig", errors="replace")
    return reader(file, text, opener) if reader else []


def files(paths: Sequence[Path]) -> Snapshot:
    """The tables of files, and of all files below folders.

    Raises :class:`FileNotFoundError` where a path is not there.
    """
    found: list[Table] = []
    for top in paths:
        if not top.exists():
            raise FileNotFoundError(2, "there is no such file", str(top))
        root = top if top.is_dir() else top.parent
        members = sorted(p for p in top.rglob("*") if p.is_file()) if top.is_dir() else [top]
        for path in members:
            name = path.relative_to(root).as_posix()
            if path.suffix.lower() in READERS and path.stat().st_size <= MOST_BYTES:
                found += tables(name, path.read_bytes(), _below(root))
    return Snapshot("", "", None, tuple(found))


def _below(root: Path) -> Opener:
    """Opens regular files below a folder, and nothing that a link leads to elsewhere."""
    top = root.resolve()

    def read(name: str) -> bytes | None:
        path = (top / name).resolve()
        inside = path.is_relative_to(top) and path.is_file()
        return path.read_bytes() if inside and path.stat().st_size <= MOST_BYTES else None

    return read


def history(repository: Path, pattern: str) -> Iterator[Snapshot]:
    """The tables at each tag, oldest first; without tags, at each commit that changed them.

    Raises :class:`OSError` where git cannot be run or the path is no repository.
    """
    tags = _git(
        repository, "for-each-ref", "--sort=creatordate", "--format=%(refname)", "refs/tags"
    )
    names = [name for name in tags.decode().split("\n") if name]
    if not names:
        log = _git(repository, "log", "--reverse", "--format=%H", "HEAD", "--", f":(glob){pattern}")
        names = [name for name in log.decode().split("\n") if name]
    for name in names:
        line = _git(repository, "log", "-1", "--format=%H %cI", name, "--").decode().strip()
        commit, _, date = line.partition(" ")
        listed = _git(repository, "ls-tree", "-r", "-z", "--name-only", commit).decode(
            errors="replace"
        )
        found: list[Table] = []
        for file in listed.split("\0"):
            if fnmatch.fnmatchcase(file, pattern) and Path(file).suffix.lower() in READERS:
                opener = _at(repository, commit)
                if (data := opener(file)) is not None:
                    found += tables(file, data, opener)
        tag = name.removeprefix("refs/tags/") if name.startswith("refs/tags/") else ""
        yield Snapshot(tag, commit, datetime.datetime.fromisoformat(date), tuple(found))


def _at(repository: Path, commit: str) -> Opener:
    """Opens files as they were at a commit."""

    def read(name: str) -> bytes | None:
        try:
            data = _git(repository, "cat-file", "blob", f"{commit}:{name}")
        except OSError:
            return None
        return data if len(data) <= MOST_BYTES else None

    return read


def _git(repository: Path, *words: str) -> bytes:
    command = ["git", "-C", str(repository), *words]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[:300]
        raise OSError(2, f"git {words[0]}: {said}", str(repository))
    return done.stdout


def release(pattern: str, *texts: str) -> str:
    """The release that the first of some texts names, with points between its numbers."""
    for text in texts:
        if found := re.search(pattern, text):
            return (found[1] if found.re.groups else found[0]).replace("_", ".")
    return ""

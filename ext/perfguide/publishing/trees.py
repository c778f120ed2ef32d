"""What stands in a folder: all names, what each of them is, and the hash of each file.

This looks at tens of thousands of files, so it works on names as text: paths as objects
would take longer than all else.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Set
from pathlib import Path
from typing import NamedTuple

from .memo import Memo, identity

FILE, FOLDER, LINK, OTHER = "file", "folder", "link", "other"
CACHES = frozenset({"__pycache__"})


class Entry(NamedTuple):
    """What a name stands for. ``content`` is the SHA-256 of a file in hex, or where a link
    leads to; it is empty for anything else."""

    kind: str
    state: os.stat_result
    content: str


Tree = dict[str, Entry]
"""What each name in a folder stands for, with ``/`` between its parts, a folder before what is
in it."""


def tree(top: Path, memo: Memo, without: Set[str] = frozenset(), reading: bool = True) -> Tree:
    """All that is below a folder, but for names in ``without``; a file by itself is one name.

    Nothing where there is nothing. Without ``reading``, a file whose hash is not known
    has no content. Links are not followed, except ``top`` itself. Raises ``OSError``.
    """
    found: Tree = {}
    start = os.fspath(top)
    if not top.exists():
        return found
    if not top.is_dir():
        found[top.name] = _entry(start, top.stat(), memo, reading)
        return found
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(f"{start}/{folder}") as entries:
            for entry in entries:
                if entry.name in without:
                    continue
                name = folder + entry.name
                state = entry.stat(follow_symlinks=False)
                found[name] = held = _entry(entry.path, state, memo, reading)
                if held.kind == FOLDER:
                    waiting.append(f"{name}/")
    return found


def _entry(path: str, state: os.stat_result, memo: Memo, reading: bool) -> Entry:
    if stat.S_ISREG(state.st_mode):
        content = memo.recall(identity(state))
        return Entry(FILE, state, content or (memo.digest(path) if reading else ""))
    if stat.S_ISDIR(state.st_mode):
        return Entry(FOLDER, state, "")
    if stat.S_ISLNK(state.st_mode):
        return Entry(LINK, state, os.readlink(path))  # noqa: PTH115 - as for all of this module
    return Entry(OTHER, state, "")


def total(found: Tree) -> str:
    """Names and bytes of all files and links as one SHA-256."""
    whole = hashlib.sha256()
    for name in sorted(found):
        kind, _, content = found[name]
        if kind != FOLDER:
            for part in (name, kind, content):
                data = os.fsencode(part)
                whole.update(b"%d " % len(data) + data)
    return whole.hexdigest()


def fingerprint(path: Path) -> str:
    """Names and bytes of all files in a folder, or of one file, as one SHA-256; what Python
    compiles beside its code does not count."""
    return total(tree(path, Memo(), CACHES))

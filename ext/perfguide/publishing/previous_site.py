"""A former site becomes a copy of the one that is published now.

Most files of two sites that follow each other are the same, so this takes less than to copy the
site. What it gives differs in nothing from a copy: what is not known to be the same is removed,
and copied.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

from .memo import Memo
from .trees import FILE, FOLDER, LINK, Entry, Tree, tree

NO_LABELS = (errno.ENOTSUP, errno.ENODATA, errno.EINVAL)
"""How a file system says that its files have no attributes besides the usual ones."""


def put_right(folder: Path, site: Path, wanted: Tree, memo: Memo) -> None:
    """Make ``folder`` hold what is ``wanted``, which is what ``site`` holds, with all times
    and modes.

    No file is written into: what differs is another file afterwards, as others may have the
    former one open, or under a second name. Raises ``OSError``; the folder can hold anything
    then.
    """
    top, start = os.fspath(folder), os.fspath(site)
    owner = os.geteuid(), _group(folder.parent)
    own, other = (Entry(FOLDER, path.stat(), "") for path in (folder, site))
    if not _is_same(top, own, start, other, owner):
        raise PermissionError(errno.EPERM, "not as a copy would be", top)
    held = tree(folder, memo, reading=False)
    kept: set[str] = set()
    touched = {""}
    # All that goes, goes first: a full disk has to hold no more than it does for a copy.
    gone: set[str] = set()
    for name, entry in held.items():
        above = name.rpartition("/")[0]
        if above in gone:
            gone.add(name)
        elif _is_same(f"{top}/{name}", entry, f"{start}/{name}", wanted.get(name), owner):
            kept.add(name)
        else:
            _remove(f"{top}/{name}", entry)
            gone.add(name)
            touched.add(above)
    for name, entry in wanted.items():
        path = f"{top}/{name}"
        if name not in kept:
            touched.add(name.rpartition("/")[0])
            if entry.kind == FOLDER:
                os.mkdir(path)  # noqa: PTH102 - many files, and Path is slow
                touched.add(name)
            else:
                shutil.copy2(f"{start}/{name}", path, follow_symlinks=False)
        elif entry.kind == FOLDER and _shown(entry) != _shown(held[name]):
            touched.add(name)
    for name in touched:
        shutil.copystat(f"{start}/{name}", f"{top}/{name}")


def _is_same(path: str, held: Entry, source: str, wanted: Entry | None, owner: object) -> bool:
    """Whether what is held could be a copy that was made now."""
    if wanted is None or held.kind != wanted.kind or _owner(held.state) != owner:
        return False
    if held.kind != FOLDER:
        alone = held.state.st_nlink == 1  # whoever writes into it changes nothing else
        known = held.content and held.content == wanted.content
        if not alone or not known or _shown(held) != _shown(wanted):
            return False
    return held.kind in (FILE, FOLDER, LINK) and _labels(path) == _labels(source)


def _shown(entry: Entry) -> tuple[int, int]:
    """What a copy takes over of a file besides its content: mode and time, in ns."""
    return stat.S_IMODE(entry.state.st_mode), entry.state.st_mtime_ns


def _owner(state: os.stat_result) -> tuple[int, int]:
    return state.st_uid, state.st_gid


def _group(folder: Path) -> int:
    """The group of what is made in a folder."""
    state = folder.stat()
    return state.st_gid if state.st_mode & stat.S_ISGID else os.getegid()


def _labels(path: str) -> dict[str, bytes]:
    """Attributes beyond the usual ones, as access lists are."""
    if not hasattr(os, "listxattr"):
        return {}
    try:
        names = os.listxattr(path, follow_symlinks=False)
        return {name: os.getxattr(path, name, follow_symlinks=False) for name in names}
    except OSError as error:
        if error.errno in NO_LABELS:
            return {}
        raise


def _remove(path: str, entry: Entry) -> None:
    if entry.kind == FOLDER:
        shutil.rmtree(path)
    else:
        os.unlink(path)  # noqa: PTH108

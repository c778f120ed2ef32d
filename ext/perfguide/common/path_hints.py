"""Hints for a path that cannot be read or written."""

from __future__ import annotations

import errno
from pathlib import Path

from .diagnostics import nearest, visible

_BY_NUMBER = {
    errno.EACCES: "change its mode or owner, or name another",
    errno.EPERM: "change its mode or owner, or name another",
    errno.EROFS: "name a place on a disk that can be written",
    errno.EBUSY: "is something mounted there? mount it on the folder above, or name another",
    errno.ENOSPC: "the disk is full: make room, and run it again",
    errno.EDQUOT: "your share of the disk is used up: make room, and run it again",
    errno.EXDEV: "keep this folder on the file system of the folder above",
    errno.ELOOP: "remove this link: it leads back to itself",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.EISDIR: "it is a folder; name a file",
}


def explained(error: OSError) -> str:
    """Return what failed in words: the path, the system's message, and how to fix it."""
    # Of two paths the first was read and the second written: the fault is in the second.
    path = error.filename2 or error.filename
    where = f"{visible(str(path))}: " if path else ""
    hint = f" ({visible(hint)})" if (hint := fixing(error)) else ""
    return f"{where}{error.strerror or error}{hint}"


def fixing(error: OSError) -> str:
    """Return how to fix an error of the system, or "" if there is no advice."""
    if not error.filename or error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.EEXIST):
        return _BY_NUMBER.get(error.errno or 0, "")
    path = Path(str(error.filename))
    above = [path, *path.parents]
    if file := next((each for each in above if each.is_file()), None):
        return f"{file} is a file where a folder has to be; name another, or move it away"
    if path.is_symlink():
        return f"this link leads to {path.readlink()}, which is not there; remove or fix it"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}; make it first, or fix the path"
    return nearest_path(path)


def nearest_path(path: Path) -> str:
    """Return a hint that names the most similar path in the same folder, or an empty string."""
    folder = path.parent
    try:
        beside = {each.name: each for each in folder.iterdir()}
    except OSError:
        return f"there is no folder {folder} either" if not folder.is_dir() else ""
    return nearest(path.name, beside)

"""Hints for a path that cannot be read or written."""

from __future__ import annotations

import errno
from pathlib import Path

from .diagnostics import nearest, visible

_BY_NUMBER = {
    errno.EACCES: "change its mode or owner, or choose another",
    errno.EPERM: "change its mode or owner, or choose another",
    errno.EROFS: "choose a place on a writable disk",
    errno.EBUSY: "is something mounted there? mount it on the folder above, or choose another",
    errno.ENOSPC: "the disk is full: free some space, and run it again",
    errno.EDQUOT: "your disk quota is used up: free some space, and run it again",
    errno.EXDEV: "keep this folder on the same file system as its parent",
    errno.ELOOP: "remove this link, which points back to itself",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.EISDIR: "it is a folder; name a file",
}


def explained(error: OSError) -> str:
    """Describe what failed: the path, the system's message, and how to fix it."""
    # If there are two paths, the first was read and the second written; the fault is with the
    # second.
    path = error.filename2 or error.filename
    where = f"{visible(str(path))}: " if path else ""
    hint = f" ({visible(hint)})" if (hint := fixing(error)) else ""
    return f"{where}{error.strerror or error}{hint}"


def fixing(error: OSError) -> str:
    """Return how to fix a system error, or "" if there is no advice."""
    if not error.filename or error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.EEXIST):
        return _BY_NUMBER.get(error.errno or 0, "")
    path = Path(str(error.filename))
    above = [path, *path.parents]
    if file := next((folder for folder in above if folder.is_file()), None):
        return f"{file} is a file where a folder must be; choose another, or move it away"
    if path.is_symlink():
        return f"this link points to {path.readlink()}, which does not exist; remove or fix it"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}; create it first, or fix the path"
    return nearest_path(path)


def nearest_path(path: Path) -> str:
    """Return a hint with the most similar path in the same folder, or an empty string."""
    folder = path.parent
    try:
        beside = {entry.name: entry for entry in folder.iterdir()}
    except OSError:
        return f"there is no folder {folder} either" if not folder.is_dir() else ""
    return nearest(path.name, beside)

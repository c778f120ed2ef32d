"""The inputs and the files of the last build of a site that ended well.

By this the next build knows whether there is anything to do, and whether Sphinx's cache and its
pages are still those that belong to the site. A file is known by its inode, size and times
alone: no byte of it is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import runpy
import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from .store import Identity, below, identify, listing, read, write

if TYPE_CHECKING:
    from .atomic_swap import Place

REPORT = "PERFGUIDE_REPORT"
"""A variable of the environment: the number of the open file into which Sphinx, where ``perfguide
build`` runs it, says that it has come to its end, and what the site was made from."""

LEFT_OUT = frozenset({".git", "__pycache__"})
INSTALLED = "pyvenv.cfg"
"""The file that a folder of installed packages has; versions of packages are known otherwise."""

Folders = tuple[tuple[str, tuple[str, ...]], ...]
"""Absolute paths of folders, each with the ends of the names of files that count."""


Site = dict[str, tuple[Identity, Identity]]
"""For each file of a site, what Sphinx's own is known by, and the published one."""


class Inputs(msgspec.Struct, frozen=True):
    """The files and listings that a site was made from.

    ``files`` has the absolute path of every file that was read, with what it was known by,
    ``others`` a hash of the names of all other files in ``folders`` but for those in ``own``,
    which belong to builds, and ``listings`` one of what there was at each URL. ``is_whole``: this is
    all, it has not changed since, and there was no warning that a build has to repeat.
    """

    files: dict[str, Identity]
    folders: Folders
    own: tuple[str, ...]
    others: str
    listings: dict[str, str]
    is_whole: bool

    def are_current(self, listing_of: Callable[[str], str]) -> bool:
        """Return whether a site that is made now would be made from the same. ``listing_of`` returns a
        hash of what there is at a URL."""
        return (
            self.is_whole
            and self.others == hash_of_names(names(self.folders, self.own), self.files)
            and all(identify(name) == of for name, of in self.files.items())
            and all(listing_of(url) == of for url, of in self.listings.items())
        )


def names(folders: Folders, own: Collection[str]) -> set[str]:
    """The paths of all files in some folders that count."""

    def enter(folder: os.DirEntry[str]) -> bool:
        is_ours = folder.name in LEFT_OUT or folder.path in own
        return not is_ours and not os.path.exists(f"{folder.path}/{INSTALLED}")  # noqa: PTH110

    return {path for top, ends in folders for path in below(top, enter) if path.endswith(ends)}


def hash_of_names(found: Iterable[str], without: Collection[str]) -> str:
    """A hash of those of some names that are not among others."""
    rest = sorted(name for name in found if name not in without)
    return hashlib.sha256(repr(rest).encode("utf-8", "surrogatepass")).hexdigest()


class Stamp(msgspec.Struct, frozen=True):
    """The record of a build that ended well.

    ``depends`` is a hash of what Sphinx's cache depends on besides pages, ``asked`` one of that
    and of what ``conf.py`` sets, ``doctrees`` one of the cache as it is on the disk. ``site``
    has, for each file, what Sphinx's own is known by, and the published one.
    """

    depends: str
    asked: str
    doctrees: str
    site: Site
    inputs: Inputs

    def is_current(self, at: Place, asked: str, listing_of: Callable[[str], str]) -> bool:
        """Return whether a build would give what is published already."""
        published = {name: both[1] for name, both in self.site.items()}
        return (
            self.asked == asked
            and listing(at.target) == published
            and self.inputs.are_current(listing_of)
        )


def last(at: Place) -> Stamp | None:
    """Return the record of the last build, if it ended well."""
    data = read(at.stamp)
    with contextlib.suppress(ValueError):
        return msgspec.msgpack.decode(data, type=Stamp) if data else None
    return None


def stamp(at: Place, made: Stamp) -> None:
    """Note what a build has left. Where this cannot be written, the next one begins anew."""
    with contextlib.suppress(OSError):
        write(at.stamp, msgspec.msgpack.encode(made))


def hash_of_files(found: dict[str, Identity]) -> str:
    """A hash of what some files are known by."""
    return hashlib.sha256(repr(sorted(found.items())).encode("utf-8", "surrogatepass")).hexdigest()


def values_of(conf: Path) -> dict[str, object] | None:
    """Return the plain values that a configuration sets, as it may take them from anywhere;
    ``None`` where they cannot be known without Sphinx."""
    path = list(sys.path)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            given = runpy.run_path(str(conf))
    except (Exception, SystemExit):  # whatever a configuration raises, Sphinx will say it
        return None
    finally:
        sys.path[:] = path
    return {name: _plain(value) for name, value in given.items() if not name.startswith("__")}


def hash_of_values(values: dict[str, object] | None) -> str:
    """Return a hash of the values of a configuration; each time another one where there are
    none."""
    if values is None:
        return os.urandom(16).hex()
    return hashlib.sha256(repr(sorted(values.items())).encode("utf-8", "replace")).hexdigest()


def modules_of(values: dict[str, object] | None) -> list[str]:
    """Return the modules of the extensions and of the theme that a configuration names."""
    named = values or {}
    extensions = named.get("extensions")
    listed = extensions if isinstance(extensions, list) else []
    return [str(name) for name in (*listed, named.get("html_theme")) if name]


def _plain(value: object) -> object:
    """A value with an order that is always the same. What is no plain value follows from the
    configuration's own text."""
    if isinstance(value, dict):
        return sorted((repr(key), repr(_plain(part))) for key, part in value.items())
    if isinstance(value, set | frozenset):
        return sorted(repr(_plain(part)) for part in value)
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool | None) else type(value).__name__

"""The record of the last complete build of a site.

It lets the next build know whether anything changed, and whether it can build on the site and on
Sphinx's cache. Files are compared by identity and never read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import runpy
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from .store import Identity, below, identify, listing, read, write

if TYPE_CHECKING:
    from .atomic_swap import Place

REPORT = "PERFGUIDE_REPORT"
"""An environment variable with the file descriptor to which a completed Sphinx, run by ``perfguide
build``, writes the inputs of the site."""

LEFT_OUT = frozenset({".git", "__pycache__"})
INSTALLED = "pyvenv.cfg"
"""A file that marks folders of installed packages, whose versions are compared instead."""

Folders = tuple[tuple[str, tuple[str, ...]], ...]
"""Absolute paths of folders, each with the suffixes of the files that count."""

Site = dict[str, Identity]
"""The files of a published site."""


class Inputs(msgspec.Struct, frozen=True):
    """Files and listings of URLs from which a site was made.

    ``files`` has the identity of each file by absolute path; ``others`` is a hash of the names of
    further files in ``folders`` except those in ``build_folders``; and ``listings``
    has a hash of the files at each URL. ``is_complete`` is false if a build must repeat a warning,
    or if something cannot be compared.
    """

    files: dict[str, Identity]
    folders: Folders
    build_folders: tuple[str, ...]
    others: str
    listings: dict[str, str]
    is_complete: bool

    def are_current(self, listing_of: Callable[[str], str]) -> bool:
        """Return whether they are unchanged. ``listing_of`` returns a hash of the files at a
        URL."""
        return (
            self.is_complete
            and self.others == other_names(self.folders, self.build_folders, self.files)
            and all(identify(name) == state for name, state in self.files.items())
            and all(listing_of(url) == listing for url, listing in self.listings.items())
        )


def other_names(folders: Folders, skipped: Collection[str], files: Collection[str]) -> str:
    """Return a hash of the names of files in some folders that are not among ``files``,
    leaving out the folders ``skipped``."""

    def enter(folder: os.DirEntry[str]) -> bool:
        is_ours = folder.name in LEFT_OUT or folder.path in skipped
        return not is_ours and not os.path.exists(f"{folder.path}/{INSTALLED}")  # noqa: PTH110

    names = {path for top, ends in folders for path in below(top, enter) if path.endswith(ends)}
    return _hash(sorted(names.difference(files)))


class Stamp(msgspec.Struct, frozen=True):
    """The record of a build.

    ``depends`` is a hash of everything that Sphinx's cache depends on apart from pages; ``asked``
    is a hash of that and of the values in ``conf.py``; ``doctrees`` and ``site`` are the files of
    the cache and of the published site.
    """

    depends: str
    asked: str
    doctrees: dict[str, Identity]
    site: Site
    inputs: Inputs

    def is_as_left(self, at: Place) -> bool:
        """Return whether the site and the cache are just as the build left them."""
        return listing(at.target) == self.site and listing(at.doctrees) == self.doctrees

    def is_current(self, at: Place, asked: str, listing_of: Callable[[str], str]) -> bool:
        """Return whether a build would reproduce the published site."""
        return (
            self.asked == asked
            and listing(at.target) == self.site
            and self.inputs.are_current(listing_of)
        )


def last(at: Place) -> Stamp | None:
    """Return the record of the last complete build."""
    data = read(at.stamp)
    with contextlib.suppress(ValueError):
        return msgspec.msgpack.decode(data, type=Stamp) if data else None
    return None


def stamp(at: Place, record: Stamp) -> None:
    """Store the record of a build. If it cannot be written, the next build starts from scratch."""
    with contextlib.suppress(OSError):
        write(at.stamp, msgspec.msgpack.encode(record))


def values_of(conf: Path) -> dict[str, object] | None:
    """Return the plain values that a configuration sets, whatever their source, or ``None`` if only
    Sphinx can run it."""
    path = list(sys.path)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            given = runpy.run_path(str(conf))
    except (Exception, SystemExit):  # Sphinx will report it
        return None
    finally:
        sys.path[:] = path
    return {name: _plain(value) for name, value in given.items() if not name.startswith("__")}


def hash_of_values(values: dict[str, object] | None) -> str:
    """Return a hash of the values of a configuration, or a random one without values."""
    return os.urandom(16).hex() if values is None else _hash(sorted(values.items()))


def modules_of(values: dict[str, object] | None) -> list[str]:
    """Return the modules of the extensions and the theme that a configuration names."""
    named = values or {}
    extensions = named.get("extensions")
    listed = extensions if isinstance(extensions, list) else []
    return [str(name) for name in (*listed, named.get("html_theme")) if name]


def _plain(value: object) -> object:
    """Return a value in canonical order. Values that are not plain are replaced by the name of
    their type, as they follow from the text of the configuration."""
    if isinstance(value, dict):
        return sorted((repr(key), repr(_plain(part))) for key, part in value.items())
    if isinstance(value, set | frozenset):
        return sorted(repr(_plain(part)) for part in value)
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool | None) else type(value).__name__


def _hash(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()

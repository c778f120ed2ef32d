"""Names from bundles to names of files and addresses of pages.

A file name is derived, never taken: no name can leave its folder, hide, or
overwrite another's file, whatever it holds.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import unicodedata
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
"""A name that can be an address as it is. A dot in front would hide the file from Sphinx too."""

RESERVED = frozenset(
    (
        # A page of ours, or the page of a folder.
        *("index", "latest"),
        # Sphinx excludes what is below such a folder (``project.EXCLUDE_PATHS``).
        "_sources",
        # Folders that Sphinx and its extensions write beside the pages.
        *("_static", "_images", "_downloads", "_modules", "_sphinx_design_static"),
        # An entry of a toctree by this name is the page that lists it.
        "self",
        # Pages that Sphinx makes itself; a toctree knows them by these names.
        *("genindex", "modindex", "py-modindex", "search"),
        # What projects exclude wherever it is, as the quick start of Sphinx writes it.
        *("_build", "_templates", "__pycache__", "node_modules", "thumbs.db", "venv"),
        # A folder that web servers run programs from.
        "cgi-bin",
        # Devices of Windows, with any ending.
        *("con", "prn", "aux", "nul"),
        *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
    )
)
"""Words that have a meaning to Sphinx, a file system or a web server, with any ending and in
either case."""

ENDINGS = (
    # Windows leaves out a dot at the end.
    ".",
    # A folder of one name could be the file of another.
    *(".rst", ".csv", ".json", ".html", ".htm"),
    # A toctree drops the suffix of a source, of which a project can have others.
    *(".md", ".txt", ".ipynb"),
    # Sphinx excludes pages below such a folder.
    ".lproj",
)
"""Ends of names that are part of another name."""

SERVED = frozenset(
    (
        # The page would be sent as compressed.
        *("br", "bz2", "gz", "tgz", "xz", "z", "zst"),
        # The page would be run, or be a list of variants.
        *("asp", "aspx", "cgi", "jsp", "php", "phtml", "shtml", "var"),
    )
)
"""What a web server gives a meaning anywhere between the dots of a name, and not only at its end."""


def slugs(names: Iterable[str]) -> dict[str, str]:
    """An address for each name, stable and distinct.

    A name of letters, digits, ``.``, ``_`` and ``-`` stays as it is. Any other, one that has a
    meaning elsewhere, and all of those that would clash where case or Unicode form does not count,
    get a short hash behind what is left of them.
    """
    wanted = sorted(set(names))
    folded: dict[str, int] = {}
    for name in wanted:
        folded[_fold(name)] = folded.get(_fold(name), 0) + 1
    out: dict[str, str] = {}
    for name in wanted:
        is_ordinary = _PLAIN.fullmatch(name) and not has_meaning(name)
        out[name] = name if is_ordinary and folded[_fold(name)] == 1 else hashed(name)
    # A plain name can be what another name's hash has made of it.
    while clashes := _taken(out):
        out |= {name: hashed(name) for name in clashes}
    return out


def has_meaning(name: str) -> bool:
    """Return whether Sphinx, a file system or a web server takes a name for something else."""
    stem, *parts = name.casefold().split(".")
    return (
        stem in RESERVED
        or name.casefold() in RESERVED
        or name.casefold().endswith(ENDINGS)
        or not SERVED.isdisjoint(parts)
    )


def _taken(out: dict[str, str]) -> list[str]:
    """Names that stand as they are where another name has become the same."""
    derived = {_fold(slug) for name, slug in out.items() if slug != name}
    return [name for name, slug in out.items() if slug == name and _fold(name) in derived]


_WORDS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def slug(name: str) -> str:
    """A name for a table's file or a section's anchor; different names, different slugs.

    Lower-case words with hyphens stand as they are; any other gets a hash.
    """
    return name if _WORDS.fullmatch(name) and len(name) < 100 else hashed(name)


def joined(paths: Iterable[str]) -> dict[str, str]:
    """One word for each path, its folders joined by hyphens; a hash where two are alike."""
    wanted = sorted(set(paths))
    plain = {path: words(path) for path in wanted}
    alike = [word for word in plain.values() if list(plain.values()).count(word) > 1]
    return {path: hashed(path) if word in alike else word for path, word in plain.items()}


def words(text: str, most: int = 80) -> str:
    """The words of a text for an address. Different texts can have the same.

    The scripts of tables have the same rule, for the names of columns.
    """
    return _hyphened(text)[:most].strip("-")


def _hyphened(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def hashed(name: str) -> str:
    """A name's readable rest with ten digits of its SHA-256."""
    rest = words(name, 40)
    digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{rest}-{digits}" if rest else f"x-{digits}"


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def relative(page: str, target: str) -> str:
    """A page's address as another page names it; both are below the output folder."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def anchor(name: str) -> str:
    """The address on its page of what has this name; docutils makes the same of our names."""
    return _hyphened(name).lstrip("-0123456789") or name

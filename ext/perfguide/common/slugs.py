"""File names and page addresses made from names in bundles.

A file name is derived, never copied: no name can leave its folder, be hidden, or
overwrite another's file, whatever it contains.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import unicodedata
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
"""A name that can be an address as it is. Sphinx ignores files with a leading dot."""

RESERVED = frozenset(
    (
        # Pages of ours, and the page of a folder.
        *("index", "latest"),
        # Sphinx excludes everything below a folder of this name (``project.EXCLUDE_PATHS``).
        "_sources",
        # Folders that Sphinx and its extensions write beside the pages.
        *("_static", "_images", "_downloads", "_modules", "_sphinx_design_static"),
        # In a toctree, this entry is the page that holds the toctree.
        "self",
        # Pages that Sphinx makes itself, which a toctree may name.
        *("genindex", "modindex", "py-modindex", "search"),
        # Folders that projects commonly exclude, as the Sphinx quick start does.
        *("_build", "_templates", "__pycache__", "node_modules", "thumbs.db", "venv"),
        # A folder from which web servers run programs.
        "cgi-bin",
        # Device names of Windows, with any ending.
        *("con", "prn", "aux", "nul"),
        *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
    )
)
"""Names with a meaning to Sphinx, a file system or a web server, with any ending and in any case."""

ENDINGS = (
    # Windows drops a trailing dot.
    ".",
    # The folder of one name could be the file of another.
    *(".rst", ".csv", ".json", ".html", ".htm"),
    # A toctree drops the suffix of a source, and a project can have these too.
    *(".md", ".txt", ".ipynb"),
    # Sphinx excludes pages below a folder of this name.
    ".lproj",
)
"""Endings that are reserved for other uses."""

SERVED = frozenset(
    (
        # The page would be sent as compressed data.
        *("br", "bz2", "gz", "tgz", "xz", "z", "zst"),
        # The page would be run as a program, or taken for a list of variants.
        *("asp", "aspx", "cgi", "jsp", "php", "phtml", "shtml", "var"),
    )
)
"""Suffixes to which a web server gives a meaning anywhere in a name, not only at its end."""


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return an address for each name, stable and distinct.

    A name of letters, digits, ``.``, ``_`` and ``-`` is used as it is. A name with another
    character or with a reserved meaning, and all names that differ only in case or Unicode form,
    are reduced to plain words and get a short hash.
    """
    wanted = sorted(set(names))
    folded: dict[str, int] = {}
    for name in wanted:
        folded[_fold(name)] = folded.get(_fold(name), 0) + 1
    out: dict[str, str] = {}
    for name in wanted:
        is_ordinary = _PLAIN.fullmatch(name) and not has_meaning(name)
        out[name] = name if is_ordinary and folded[_fold(name)] == 1 else hashed(name)
    # A plain name can equal the hashed form of another name.
    while clashes := _taken(out):
        out |= {name: hashed(name) for name in clashes}
    return out


def has_meaning(name: str) -> bool:
    """Return whether Sphinx, a file system or a web server gives a name a special meaning."""
    stem, *parts = name.casefold().split(".")
    return (
        stem in RESERVED
        or name.casefold() in RESERVED
        or name.casefold().endswith(ENDINGS)
        or not SERVED.isdisjoint(parts)
    )


def _taken(out: dict[str, str]) -> list[str]:
    """Return the unchanged names that another name's derived form equals."""
    derived = {_fold(slug) for name, slug in out.items() if slug != name}
    return [name for name, slug in out.items() if slug == name and _fold(name) in derived]


_WORDS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def slug(name: str) -> str:
    """Return a file name or anchor; different names give different slugs.

    Lower-case words with hyphens are used as they are; any other name gets a hash.
    """
    return name if _WORDS.fullmatch(name) and len(name) < 100 else hashed(name)


def joined(paths: Iterable[str]) -> dict[str, str]:
    """Return one word for each path, its folders joined by hyphens; a hash where two clash."""
    wanted = sorted(set(paths))
    plain = {path: words(path) for path in wanted}
    alike = [word for word in plain.values() if list(plain.values()).count(word) > 1]
    return {path: hashed(path) if word in alike else word for path, word in plain.items()}


def words(text: str, most: int = 80) -> str:
    """Return the words of a text joined by hyphens. Different texts can give the same.

    The scripts of tables apply the same rule to the names of columns.
    """
    return _hyphened(text)[:most].strip("-")


def _hyphened(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def hashed(name: str) -> str:
    """Return the readable part of a name with ten digits of its SHA-256."""
    rest = words(name, 40)
    # Names can hold lone surrogates, which UTF-8 would refuse.
    digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{rest}-{digits}" if rest else f"x-{digits}"


def _fold(name: str) -> str:
    # Case folding can leave a text that is not normalised, so it is normalised again.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def relative(page: str, target: str) -> str:
    """Return a page's address relative to another page; both are below the output folder."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def anchor(name: str) -> str:
    """Return the anchor of a section, as docutils would make it from the same name."""
    return _hyphened(name).lstrip("-0123456789") or name

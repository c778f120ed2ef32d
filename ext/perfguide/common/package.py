"""Where the package is on disk, and what decides the bytes that come out of it.

Whatever depends on the code of the package asks here: a module's own ``__file__`` says only
where that module is.
"""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of the package, with all of its modules, templates and static files."""


@cache
def fingerprint(*folders: str) -> str:
    """The SHA-256, in hex, of the names and bytes of all files of the package, or of those
    in some of its folders.

    What Python compiles beside its code does not count. Raises ``OSError``.
    """
    whole = hashlib.sha256()
    for path in sorted(p for top in folders or ("",) for p in (ROOT / top).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            for part in (str(path.relative_to(ROOT)).encode(), path.read_bytes()):
                whole.update(b"%d " % len(part) + part)
    return whole.hexdigest()


@cache
def libraries() -> tuple[str, ...]:
    """Python and every installed package, each with its version."""
    return (f"Python {platform.python_version()}", *sorted(map(_named, distributions())))


def _named(package: Distribution) -> str:
    """Name and version of a package; to parse all that it says of itself takes long."""
    places = ("METADATA", "PKG-INFO", "")  # of wheels, of eggs, of eggs that are a file
    said = next(filter(None, map(package.read_text, places)), "")
    head = said.partition("\n\n")[0].split("\n")
    # The name comes first in some packages, and the version in others.
    fields = sorted(line for line in head if line.startswith(("Name:", "Version:")))
    return " ".join(line.partition(":")[2].strip() for line in fields)


def surroundings() -> str:
    """A hash of all that decides the bytes of a site besides what people write: the package's
    code, all libraries, and the time that builds are to give for now."""
    parts = (fingerprint(), *libraries(), os.environ.get("SOURCE_DATE_EPOCH", ""))
    return hashlib.sha256(repr(parts).encode()).hexdigest()

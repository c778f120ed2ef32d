"""Where the package is on disk, and what decides the bytes that come out of it.

Whatever depends on the code of the package asks here: a module's own ``__file__`` says only
where that module is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    distribution,
    distributions,
    packages_distributions,
)
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


NAME = "perfguide"
EXTRAS_OF_NO_PAGE = frozenset({"all", "dask", "s3", "serve"})
"""Extras of ours whose packages say how bundles come here, who does the work and when."""


@cache
def libraries(*modules: str) -> tuple[str, ...]:
    """Return Python and each package that pages are made with, each with its version: what ours
    declares, what has some ``modules``, and all that these need. Where ours was not installed,
    nothing says what it needs, and every installed package counts.

    Other packages of an environment, such as those of tests, change no page.
    """
    python = f"Python {'.'.join(platform.python_version_tuple()[:2])}"
    versions: dict[str, str] = {}
    waiting = [NAME, *filter(None, map(_package_of, modules))]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in versions:
            continue
        try:
            fields = _fields(distribution(name))
        except PackageNotFoundError:
            if name == NAME:
                every = {_name_and_version(_fields(each)) for each in distributions()}
                return (python, *sorted(every))
            continue  # one that is needed elsewhere only, or not at all
        versions[name] = _name_and_version(fields)
        extras = [value for field, value in fields if field == "Provides-Extra"]
        chosen = ["", *({*extras} - EXTRAS_OF_NO_PAGE if name == NAME else ())]
        needs = (value for field, value in fields if field == "Requires-Dist")
        waiting += filter(None, (_needed(need, chosen) for need in needs))
    return (python, *sorted(versions.values()))


def _package_of(module: str) -> str:
    """Return the package that has a module; nothing for those of Python and of the project."""
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        with contextlib.suppress(PackageNotFoundError):
            return str(distribution("-".join(parts[:count])).name)
    if parts[0] in sys.stdlib_module_names or find_spec(parts[0]) is None:
        return ""
    return next(iter(packages_distributions().get(parts[0], ())), "")


def _needed(requirement: str, extras: Sequence[str]) -> str:
    """Return the package that a requirement names; nothing where it is of other extras or of
    another machine."""
    read = Requirement(requirement)
    is_needed = not read.marker or any(read.marker.evaluate({"extra": each}) for each in extras)
    return read.name if is_needed else ""


def _fields(package: Distribution) -> list[tuple[str, str]]:
    """Return what a package says of itself; to parse its description too takes long."""
    places = ("METADATA", "PKG-INFO", "")  # of wheels, of eggs, of eggs that are a file
    said = next(filter(None, map(package.read_text, places)), "")
    lines = (line.partition(":") for line in said.partition("\n\n")[0].split("\n"))
    return [(name, value.strip()) for name, _, value in lines]


def _name_and_version(fields: list[tuple[str, str]]) -> str:
    """Return the two in this order; some packages have the version first."""
    return " ".join(value for name, value in sorted(fields) if name in ("Name", "Version"))


def surroundings(*modules: str) -> str:
    """A hash of all that decides the bytes of a site besides what people write: the package's
    code, the libraries that it and some ``modules`` need, and the time that builds are to give for
    now."""
    parts = (fingerprint(), *libraries(*modules), os.environ.get("SOURCE_DATE_EPOCH", ""))
    return hashlib.sha256(repr(parts).encode()).hexdigest()

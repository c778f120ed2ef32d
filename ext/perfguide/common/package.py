"""The location of the package on disk, and everything that determines its output.

Cache keys are computed here, since a module's own ``__file__`` covers only its folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import sys
from functools import cache
from importlib.metadata import (
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
"""The folder of the package, with all modules, templates and static files."""


@cache
def fingerprint(*folders: str) -> str:
    """Return the SHA-256, in hex, of the names and bytes of all files of the package, or only those
    in some of its folders.

    Compiled bytecode is ignored. Raises ``OSError``.
    """
    digest = hashlib.sha256()
    for path in sorted(p for top in folders or ("",) for p in (ROOT / top).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            # The length prefix separates a name from its content.
            for part in (str(path.relative_to(ROOT)).encode(), path.read_bytes()):
                digest.update(b"%d " % len(part) + part)
    return digest.hexdigest()


NAME = "perfguide"
EXTRAS_OF_NO_PAGE = frozenset({"all", "dask", "s3", "serve"})
"""Extras that affect how bundles are read or where work is done, but never a page."""


@cache
def libraries(*modules: str) -> tuple[str, ...]:
    """Return the versions of Python and of all packages that affect pages: the declared
    dependencies of our package, those that provide ``modules``, and everything that these require.
    If our package is not installed, its dependencies are unknown and all installed packages count.

    Other packages in the environment, such as those for tests, affect no page.
    """
    python = f"Python {'.'.join(platform.python_version_tuple()[:2])}"
    versions: dict[str, str] = {}
    waiting = [NAME, *filter(None, map(_package_of, modules))]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in versions:
            continue
        try:
            versions[name], needs = _installed(name)
        except PackageNotFoundError:
            if name == NAME:
                every = {f"{library.name} {library.version}" for library in distributions()}
                return (python, *sorted(every))
            continue  # for another platform, or an extra that is not installed
        waiting += needs
    return (python, *sorted(versions.values()))


def _package_of(module: str) -> str:
    """Return the package that provides a module, or "" for the standard library and the project."""
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        with contextlib.suppress(PackageNotFoundError):
            return str(distribution("-".join(parts[:count])).name)
    if parts[0] in sys.stdlib_module_names or find_spec(parts[0]) is None:
        return ""
    return next(iter(packages_distributions().get(parts[0], ())), "")


@cache
def _installed(name: str) -> tuple[str, tuple[str, ...]]:
    """Return a package's name with its version, and the packages that it requires here.

    Raises ``PackageNotFoundError``.
    """
    metadata = distribution(name).metadata
    extras = metadata.get_all("Provides-Extra", [])
    chosen = ["", *({*extras} - EXTRAS_OF_NO_PAGE if name == NAME else ())]
    needs = [Requirement(requirement) for requirement in metadata.get_all("Requires-Dist", [])]
    required = (
        need.name
        for need in needs
        if not need.marker or any(need.marker.evaluate({"extra": extra}) for extra in chosen)
    )
    return f"{metadata['Name']} {metadata['Version']}", tuple(required)


def surroundings(*modules: str) -> str:
    """Return a hash of everything except the input that determines a site: the package's code, the
    libraries that it and ``modules`` need, and the time stamp set for builds."""
    parts = (fingerprint(), *libraries(*modules), os.environ.get("SOURCE_DATE_EPOCH", ""))
    return hashlib.sha256(repr(parts).encode()).hexdigest()

"""Optional packages, and how to install them.

A site builds without any of them. Code that needs one calls :func:`is_installed` or
:func:`require`.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from .diagnostics import ReportedError


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra of the package: the module that it installs, and the features that need it."""

    module: str
    purpose: str


EXTRAS = {
    "compare": Extra("scipy", "comparisons of releases"),
    "parquet": Extra("pyarrow", "Parquet files"),
    "s3": Extra("s3fs", "results in buckets"),
    "dask": Extra("distributed", "workers on other machines"),
    "mcp": Extra("mcp", "answers to assistants (perfguide mcp)"),
    "serve": Extra("watchfiles", "builds on each change (perfguide serve)"),
}
"""Extras by name, as in ``pyproject.toml``."""


class MissingExtraError(ReportedError):
    """A requested feature needs an extra that is not installed."""


def is_installed(name: str) -> bool:
    """Return whether an extra is installed, without importing its module."""
    try:
        return importlib.util.find_spec(EXTRAS[name].module) is not None
    except (ImportError, ValueError):  # blocked by a finder, or half uninstalled
        return False


def command(name: str) -> str:
    """Return the command that installs an extra."""
    return f'pip install "perfguide[{name}]"'


def advice(name: str) -> str:
    """Return a sentence on the purpose of an extra and how to install it."""
    purpose = EXTRAS[name].purpose
    return f"{purpose[0].upper()}{purpose[1:]} need more packages: {command(name)}"


def require(name: str) -> None:
    """Raise :class:`MissingExtraError` if an extra is not installed."""
    if not is_installed(name):
        raise MissingExtraError(advice(name))


def missing_from_site() -> list[str]:
    """Return a line for each extra that this site was built without, with the command to install
    it."""
    return [
        f"Made without {EXTRAS[name].purpose}; to add them: {command(name)}"
        for name in ("compare", "parquet")
        if not is_installed(name)
    ]

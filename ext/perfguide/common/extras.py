"""Packages that only some tasks need, and how to install them.

A site builds without any of them. What needs one asks :func:`is_installed`, or lets
:func:`require` raise.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra of the package: the module that it brings, and what needs it."""

    module: str
    purpose: str


EXTRAS = {
    "compare": Extra("scipy", "comparisons of releases"),
    "parquet": Extra("pyarrow", "Parquet files"),
    "s3": Extra("s3fs", "results in buckets"),
    "dask": Extra("distributed", "workers on other machines"),
    "serve": Extra("watchfiles", "builds on each change (perfguide serve)"),
}
"""Each extra by its name, as ``pyproject.toml`` has it."""


class MissingExtraError(Exception):
    """Something was asked for that needs an extra which is not installed."""


def is_installed(name: str) -> bool:
    """Whether an extra is installed. Its module is not loaded."""
    try:
        return importlib.util.find_spec(EXTRAS[name].module) is not None
    except (ImportError, ValueError):  # it is blocked, or half removed
        return False


def command(name: str) -> str:
    """The command that installs an extra."""
    return f'pip install "perfguide[{name}]"'


def advice(name: str) -> str:
    """A sentence that says what an extra is for, and how to install it."""
    purpose = EXTRAS[name].purpose
    return f"{purpose[0].upper()}{purpose[1:]} need more packages: {command(name)}"


def require(name: str) -> None:
    """Raise :class:`MissingExtraError` where an extra is not installed."""
    if not is_installed(name):
        raise MissingExtraError(advice(name))


def missing_from_site() -> list[str]:
    """What a site of this installation is made without, each with the command that adds it."""
    return [
        f"Made without {EXTRAS[name].purpose}; to add them: {command(name)}"
        for name in ("compare", "parquet")
        if not is_installed(name)
    ]

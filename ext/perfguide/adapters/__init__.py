"""Other programs' output to results, one module a format.

An adapter is a pure function from bytes to results. It never guesses: a row that
is cut, broken or ambiguous gives a diagnostic with its line and no figure.
Formats of third parties come through the entry-point group
``perfguide.adapters``: each entry point names a :class:`Format`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..bundle import Result
from ..common.diagnostics import Diagnostic

__all__ = ["ENTRY_POINTS", "Context", "Format", "Reading", "Scalar"]

Scalar: TypeAlias = str | int | float | bool

ENTRY_POINTS = "perfguide.adapters"


@dataclass(frozen=True, slots=True)
class Context:
    """Facts about a log that its reader cannot see in it.

    ``file`` is the log's name as results point to it. ``params`` are parameters
    stated on the command line (``engine=hw``); they are added to each result that does
    not itself say otherwise. ``about`` names the board and the release (``board.name``,
    ``sdk.version``), for files that hold the results of several; it is never a parameter
    of a result.
    """

    file: str
    params: Mapping[str, Scalar] = field(default_factory=dict)
    about: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """All that one adapter has read from one log.

    ``facts`` are statements about the board or its software, under the keys of a
    bundle: ``sdk.kernel``, ``board.cpu_mhz``, ``tools.openssl`` …
    ``lines`` are the lines that were understood, counted from 1, whether or not
    they hold a figure; what no adapter understood is reported to the user.
    """

    results: tuple[Result, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    facts: Mapping[str, Scalar] = field(default_factory=dict)
    lines: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Format:
    """One format: how it is called, recognised and read."""

    name: str
    """As ``--as`` takes it: ``openssl-speed``."""
    title: str
    """One line for people: which program prints it, which versions are read."""
    example: str
    """A few lines of such output, for ``perfguide adapters``."""
    recognises: Callable[[bytes], bool]
    """Return whether the bytes hold output of this format anywhere; quick, never raises."""
    read: Callable[[bytes, Context], Reading]
    """The results; never raises for any bytes."""

"""Readers of other programs' output, one module per format.

An adapter is a pure function from bytes to results. It never guesses: a truncated, malformed or
ambiguous row yields a diagnostic with its line and no figure. Third-party formats are found through
the entry-point group ``perfguide.adapters``; each entry point names a :class:`Format`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from msgspec import structs

from ..bundle import Result
from ..common.diagnostics import Diagnostic

__all__ = ["ENTRY_POINTS", "Context", "Format", "Reading", "Scalar"]

Scalar: TypeAlias = str | int | float | bool

ENTRY_POINTS = "perfguide.adapters"


@dataclass(frozen=True, slots=True)
class Context:
    """Facts about a log that its content does not reveal.

    ``file`` is the log's name as used by results. ``params`` are parameters stated on the command
    line (``engine=hw``); they are added to each result that does not state them itself. ``about``
    names the board and the release (``board.name``, ``sdk.version``), for files with results of
    several; it never becomes a parameter of a result.
    """

    file: str
    params: Mapping[str, Scalar] = field(default_factory=dict)
    about: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that one adapter read from one log.

    ``facts`` are statements about the board or its software, under the keys of a bundle:
    ``sdk.kernel``, ``board.cpu_mhz``, ``tools.openssl`` … ``lines`` are the lines that were
    understood, counting from 1, whether or not they hold a figure; anything that no adapter
    understood is reported to the user.
    """

    results: tuple[Result, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    facts: Mapping[str, Scalar] = field(default_factory=dict)
    lines: frozenset[int] = frozenset()

    def renumbered(self, line_of: Callable[[int], int]) -> Reading:
        """Return the reading with other line numbers, as given by a function of each."""
        return Reading(
            tuple(
                structs.replace(r, log=structs.replace(r.log, line=line_of(r.log.line)))
                if r.log
                else r
                for r in self.results
            ),
            tuple(
                replace(d, line=line_of(d.line)) if d.line is not None else d
                for d in self.diagnostics
            ),
            self.facts,
            frozenset(map(line_of, self.lines)),
        )


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, and how to recognise and read it."""

    name: str
    """As passed to ``--as``: ``openssl-speed``."""
    title: str
    """A one-line description: the program that prints it, and the supported versions."""
    example: str
    """A few lines of sample output, for ``perfguide adapters``."""
    recognises: Callable[[bytes], bool]
    """Return whether the bytes contain output of this format anywhere; fast, never raises."""
    read: Callable[[bytes, Context], Reading]
    """Return the results; never raises, whatever the bytes."""

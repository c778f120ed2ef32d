"""Collecting results, diagnostics and facts while a log is read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ..bundle import Log, Result
from ..common.diagnostics import Diagnostic
from . import Context, Reading, Scalar

MAX_DIAGNOSTICS = 1000
"""With more faults than this, a log cannot be of this format."""


class Sheet:
    """Collects results, diagnostics and facts of one log.

    The parameter ``benchmark`` in the context is not a parameter of results. It names the benchmark
    if the program cannot know it: hdparm on a dm-crypt device, fio on an eMMC."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.setup: Mapping[str, Scalar] = {}
        """Facts of the setup for the figures that follow."""
        self._results: list[Result] = []
        self._diagnostics: dict[tuple[str, str, int | None], Diagnostic] = {}
        self._noted: set[tuple[str, str]] = set()
        self._facts: dict[str, Scalar] = {}
        self._lines: set[int] = set()

    def stated(self, name: str) -> Scalar | None:
        """Return a parameter stated on the command line, or ``None``."""
        return self._context.params.get(name)

    def benchmark(self, default: str) -> str:
        """Return the benchmark's name: the stated one, or ``default``."""
        return str(self._context.params.get("benchmark") or default)

    def figure(
        self,
        line: int,
        benchmark: str,
        metric: str,
        unit: str,
        value: float,
        params: Mapping[str, Scalar] | None = None,
        *,
        zero: bool = False,
        command: str = "",
    ) -> None:
        """Add one measured figure on ``line``, with the command that measured it.

        A figure that is not finite or not positive is a failed measurement, but with ``zero`` the
        metric can be zero."""
        self._lines.add(line)
        if not math.isfinite(value) or value < 0 or (value == 0 and not zero):
            self.failure(line, benchmark, metric, unit, params, f"{metric} is reported as {value}")
            return
        given = {"samples": [value], "command": command, "setup": dict(self.setup)}
        self._add(line, benchmark, metric, unit, params, given)

    def failure(
        self,
        line: int,
        benchmark: str,
        metric: str,
        unit: str,
        params: Mapping[str, Scalar] | None,
        why: str,
    ) -> None:
        """Add a measurement that was attempted and failed."""
        self._lines.add(line)
        self._add(line, benchmark, metric, unit, params, {"status": "fail"})
        self.failed(line, why)

    def broken(self, line: int | None, message: str, hint: str = "") -> None:
        """Report a truncated, malformed or ambiguous row."""
        self._say("log-row", line, message, hint)

    def failed(self, line: int | None, message: str, hint: str = "") -> None:
        """Report a failure that the program itself reported."""
        self._say("log-failed", line, message, hint)

    def note(self, line: int | None, message: str, hint: str = "") -> None:
        """Report a circumstance that affects how to read the figures, once per log."""
        if ("log-note", message) not in self._noted:
            self._noted.add(("log-note", message))
            self._say("log-note", line, message, hint)

    def understood(self, *numbers: int) -> None:
        """Record lines that were understood, with or without a figure."""
        self._lines.update(numbers)

    def fact(self, name: str, value: Scalar) -> None:
        """Add a fact about the board or its software, unless there is already one of that name."""
        self._facts.setdefault(name, value)

    def reading(self, parts: Sequence[Reading] = ()) -> Reading:
        """Return everything collected, with the readings of parts of the log. Of a fact that
        several state, the first counts; a note that they repeat is reported once."""
        diagnostics: dict[object, Diagnostic] = {}
        facts = dict(self._facts)
        for part in parts:
            for diagnostic in part.diagnostics:
                line = None if diagnostic.kind == "log-note" else diagnostic.line
                diagnostics.setdefault((diagnostic.kind, diagnostic.message, line), diagnostic)
            facts = {**part.facts, **facts}
        return Reading(
            tuple(chain(self._results, *(part.results for part in parts))),
            (*self._diagnostics.values(), *diagnostics.values()),
            facts,
            frozenset(self._lines).union(*(part.lines for part in parts)),
        )

    def _add(
        self,
        line: int,
        benchmark: str,
        metric: str,
        unit: str,
        params: Mapping[str, Scalar] | None,
        given: Mapping[str, Any],
    ) -> None:
        stated = {k: v for k, v in self._context.params.items() if k != "benchmark"}
        all_params = stated | dict(params or {})
        log = Log(file=self._context.file, line=line)
        self._results.append(
            Result(
                benchmark=benchmark, metric=metric, unit=unit, params=all_params, log=log, **given
            )
        )

    def _say(self, kind: str, line: int | None, message: str, hint: str) -> None:
        # Packing reports each of them, and a file of another kind could have one in every line.
        if len(self._diagnostics) < MAX_DIAGNOSTICS:
            entry = Diagnostic(kind, self._context.file, message, hint, line=line)
            self._diagnostics.setdefault((kind, message, line), entry)

"""Results, diagnostics and facts of a log while it is read, and at last its :class:`Reading`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from msgspec import structs

from ..bundle import Log, Result
from ..common.diagnostics import Diagnostic
from . import Context, Reading, Scalar

MAX_DIAGNOSTICS = 1000
"""A log with more faults than these is not a log of this format at all."""


def moved(reading: Reading, lines: int) -> Reading:
    """Return what was found in a part of a log before which there are so many lines."""
    return Reading(
        tuple(
            structs.replace(each, log=structs.replace(each.log, line=each.log.line + lines))
            if each.log
            else each
            for each in reading.results
        ),
        tuple(
            replace(each, line=each.line + lines) if each.line is not None else each
            for each in reading.diagnostics
        ),
        reading.facts,
        frozenset(line + lines for line in reading.lines),
    )


class Sheet:
    """Collects results, diagnostics and facts of one log.

    The parameter ``benchmark`` in the context is no parameter of the results: it
    names what was measured where a program cannot know (hdparm on a dm-crypt
    device, fio on an eMMC).
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self.setup: Mapping[str, Scalar] = {}
        """Facts of the setup of the figures that follow."""
        self._results: list[Result] = []
        self._diagnostics: dict[tuple[str, str, int | None], Diagnostic] = {}
        self._noted: set[tuple[str, str]] = set()
        self._facts: dict[str, Scalar] = {}
        self._lines: set[int] = set()

    def stated(self, name: str) -> Scalar | None:
        """Return a parameter that was stated on the command line, or ``None``."""
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
        """Add one measured figure on ``line``, and the command that measured it.

        A figure that is not finite is a failed measurement; so is one that is
        not above zero, unless ``zero`` says that this metric can be.
        """
        self._lines.add(line)
        if not math.isfinite(value) or value < 0 or (value == 0 and not zero):
            self.failure(line, benchmark, metric, unit, params, f"{metric} is reported as {value}")
            return
        self._results.append(
            Result(
                benchmark=benchmark,
                metric=metric,
                unit=unit,
                params=self._params(params),
                samples=[value],
                command=command,
                log=Log(file=self._context.file, line=line),
                setup=dict(self.setup),
            )
        )

    def failure(
        self,
        line: int,
        benchmark: str,
        metric: str,
        unit: str,
        params: Mapping[str, Scalar] | None,
        why: str,
    ) -> None:
        """Add a measurement that was tried and failed."""
        self._lines.add(line)
        self._results.append(
            Result(
                benchmark=benchmark,
                metric=metric,
                unit=unit,
                params=self._params(params),
                status="fail",
                log=Log(file=self._context.file, line=line),
            )
        )
        self.failed(line, why)

    def broken(self, line: int | None, message: str, hint: str = "") -> None:
        """Report a row that is cut, damaged or ambiguous."""
        self._say("log-row", line, message, hint)

    def failed(self, line: int | None, message: str, hint: str = "") -> None:
        """Report a failure that the program itself reports."""
        self._say("log-failed", line, message, hint)

    def note(self, line: int | None, message: str, hint: str = "") -> None:
        """Report a reason to read the figures otherwise; once for a log."""
        if ("log-note", message) not in self._noted:
            self._noted.add(("log-note", message))
            self._say("log-note", line, message, hint)

    def understood(self, *numbers: int) -> None:
        """Note lines that were understood, with or without a figure."""
        self._lines.update(numbers)

    def fact(self, name: str, value: Scalar) -> None:
        """Add a fact about the board or its software, unless it has one of that name."""
        self._facts.setdefault(name, value)

    def reading(self) -> Reading:
        """Return all that was collected."""
        return Reading(
            tuple(self._results),
            tuple(self._diagnostics.values()),
            dict(self._facts),
            frozenset(self._lines),
        )

    def _params(self, params: Mapping[str, Scalar] | None) -> dict[str, Scalar]:
        stated = {k: v for k, v in self._context.params.items() if k != "benchmark"}
        return stated | dict(params or {})

    def _say(self, kind: str, line: int | None, message: str, hint: str) -> None:
        # Packing reports each of them, and a file of another kind has one in every line.
        if len(self._diagnostics) < MAX_DIAGNOSTICS:
            entry = Diagnostic(kind, self._context.file, message, hint, line=line)
            self._diagnostics.setdefault((kind, message, line), entry)

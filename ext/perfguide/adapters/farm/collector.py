"""Collecting the rows of board farms' files.

A row is one test case of one run. Rows of the same case become the samples of one result; a failed
case becomes a failed result. A reading covers one board and one release. If a file has several, the
context has to name one (``board.name`` and ``sdk.version``), or nothing is read: figures under the
wrong board's name are worse than none."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from msgspec import UNSET

from ...bundle import Log, Result, is_name
from ...common.diagnostics import Diagnostic
from .. import Context, Reading, Scalar
from ..json_nodes import Documents, documents
from .text import not_finite, number

MAX_DIAGNOSTICS_OF_A_KIND = 200
"""The most diagnostics of one kind listed for a file; the rest are counted."""

_SELECTORS = ("board.name", "sdk.version")


@dataclass(frozen=True, slots=True)
class Run:
    """A run, as far as the file describes it. Empty ``facts`` are not stated. ``board`` and
    ``release`` distinguish runs even if they are not valid names."""

    facts: Mapping[str, Scalar] = field(default_factory=dict)
    board: str = ""
    release: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A test case as stated in its file. ``samples`` are single measurements, ``value`` is what the
    program reports about them, ``failed`` says why there is no figure, and an empty ``unit`` is
    unknown."""

    benchmark: str
    metric: str
    line: int
    unit: str = ""
    samples: tuple[float, ...] = ()
    value: float | None = None
    low: float | None = None
    high: float | None = None
    count: int | None = None
    failed: str = ""
    params: Mapping[str, Scalar] = field(default_factory=dict)


class Collector:
    """Gathers rows, notes and facts while a file is read, and finally returns the reading."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._rows: list[tuple[Row, Run]] = []
        self._runs: list[Run] = []
        self._diagnostics: list[Diagnostic] = []
        self._lines: set[int] = set()
        self._silent = 0

    def run(self, run: Run) -> Run:
        """Add a run, which may have no rows, and return it."""
        if not self._runs or self._runs[-1] != run:
            self._runs.append(run)
        return run

    def row(self, row: Row, run: Run) -> None:
        """Add a row, or report why it cannot be one."""
        row = replace(row, unit=row.unit.strip())
        for noun, text in (("suite", row.benchmark), ("case", row.metric), ("unit", row.unit)):
            if (noun != "unit" or text) and not (is_name(text) and len(text) <= 200):
                self.broken(row.line, f"the {noun}'s name is empty, too long or unprintable")
                return
        for key, value in row.params.items():
            long = isinstance(value, str) and len(value) > 10_000
            if long or not is_name(key) or len(key) > 200:
                self.broken(row.line, "a parameter of this case is too long or unprintable")
                return
        if row.failed:
            self.diagnose("log-failed", row.line, f"{row.benchmark} {row.metric}: {row.failed}")
        self._rows.append((row, run))

    def case(self, row: Row, run: Run, status: str, measured: str | None) -> None:
        """Add a row from a status word and a measurement as written: a figure for ``pass`` and
        ``done`` if there is a measurement, a failed result for ``fail`` and ``error``, and
        otherwise a note."""
        outcome = status.strip().lower()
        name = f"{row.benchmark} {row.metric}"
        if outcome in ("fail", "error"):
            self.row(replace(row, failed=f"the farm reports “{outcome}”"), run)
        elif outcome not in ("pass", "done"):
            reason = f"has the status “{status[:80]}”" if outcome else "has no status"
            self.diagnose("log-note", row.line, f"{name} {reason}: it gives no figure")
        # Functional tests have no figure, which is not a fault.
        elif measured is None:
            self._silent += 1
        elif not_finite(measured):
            self.row(replace(row, failed=f"the measurement is {measured.strip()}"), run)
        elif (value := number(measured)) is None:
            self.broken(row.line, f"{name}: “{measured[:80]}” is not a decimal number")
        else:
            self.row(replace(row, samples=(value,)), run)

    def broken(self, line: int, message: str, hint: str = "") -> None:
        """Report a row whose figure cannot be trusted."""
        self.diagnose("log-row", line, message, hint)

    def note(self, line: int | None, message: str, hint: str = "") -> None:
        """Report something that a reader of the figures must know."""
        self.diagnose("log-note", line, message, hint)

    def diagnose(self, kind: str, line: int | None, message: str, hint: str = "") -> None:
        """Add a diagnostic about this file, without repeating the previous one."""
        diagnostic = Diagnostic(kind, self._context.file, message, hint, line=line)
        if self._diagnostics[-1:] != [diagnostic]:
            self._diagnostics.append(diagnostic)

    def understood(self, *numbers: int) -> None:
        """Record lines that were read."""
        self._lines.update(numbers)

    def reading(self) -> Reading:
        """Return everything collected."""
        wanted = self._select()
        rows = [row for row, run in self._rows if wanted is not None and _matches(run, wanted)]
        facts: dict[str, Scalar] = {}
        for run in self._runs:
            if wanted is not None and _matches(run, wanted):
                self._merge(facts, run.facts)
        for key in [k for k, v in facts.items() if v == ""]:
            del facts[key]
        if self._silent:
            self.note(None, f"{self._silent} test cases passed without a measurement")
        results = tuple(_results(rows, self._context))
        return Reading(results, tuple(_capped(self._diagnostics)), facts, frozenset(self._lines))

    def _select(self) -> dict[str, str] | None:
        wanted: dict[str, str] = {}
        for key in _SELECTORS:
            names = dict.fromkeys(_identity(run)[key] for run in self._runs)
            names.pop("", None)
            if len(names) < 2:
                continue
            named = self._context.about.get(key)
            if named in names:
                wanted[key] = str(named)
                continue
            listed = ", ".join(list(names)[:20])
            message = f"this file is of several: {key} is one of {listed}"
            self.broken(1, message, f"choose one with --{key.partition('.')[0]}")
            return None
        return wanted

    def _merge(self, facts: dict[str, Scalar], more: Mapping[str, Scalar]) -> None:
        for key, value in more.items():
            if not value or (isinstance(value, str) and not (is_name(value) and len(value) < 201)):
                continue
            old = facts.setdefault(key, value)
            if old == value or old == "":
                continue
            # Runs of one bundle end at different times; the last one counts.
            if key == "created":
                facts[key] = max(str(old), str(value), key=datetime.datetime.fromisoformat)
            else:
                self.note(None, f"{key} is stated as “{old}” and as “{value}”: neither is taken")
                facts[key] = ""


def read_documents(data: bytes, context: Context) -> tuple[Documents, Collector]:
    """Return the JSON documents of a file, and a collector of their rows that has their faults."""
    parsed = documents(data)
    collector = Collector(context)
    for line, message in parsed.faults:
        collector.broken(line, message)
    return parsed, collector


def _identity(run: Run) -> dict[str, str]:
    return {
        "board.name": run.board or str(run.facts.get("board.name", "")),
        "sdk.version": run.release or str(run.facts.get("sdk.version", "")),
    }


def _matches(run: Run, wanted: Mapping[str, str]) -> bool:
    """Return whether the run is the wanted one, or does not name another."""
    identity = _identity(run)
    return all(identity[key] in ("", value) for key, value in wanted.items())


def _capped(diagnostics: list[Diagnostic]) -> Iterable[Diagnostic]:
    seen: Counter[str] = Counter()
    for d in diagnostics:
        seen[d.kind] += 1
        if seen[d.kind] <= MAX_DIAGNOSTICS_OF_A_KIND:
            yield d
    for kind, count in seen.items():
        if count > MAX_DIAGNOSTICS_OF_A_KIND:
            origin = diagnostics[0].origin
            yield Diagnostic(
                kind, origin, f"and {count - MAX_DIAGNOSTICS_OF_A_KIND} more of this kind"
            )


def _results(rows: list[Row], context: Context) -> Iterable[Result]:
    """Yield one result for each case, unit and set of parameters.

    A failed case takes the unit of its other rows if they agree on one. A program's own mean
    belongs to the samples of its row, so such rows stay separate."""
    units: dict[tuple[object, ...], set[str]] = {}
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if row.unit:
            units.setdefault(_case(row), set()).add(row.unit)
    for number_, row in enumerate(rows):
        case_units = units.get(_case(row), set())
        unit = row.unit or (next(iter(case_units)) if row.failed and len(case_units) == 1 else "1")
        own_group = number_ if row.value is not None else -1
        key = (*_case(row), unit, bool(row.failed), own_group)
        groups.setdefault(key, []).append(replace(row, unit=unit))
    for group in groups.values():
        first = group[0]
        samples = [value for row in group for value in row.samples]
        yield Result(
            benchmark=first.benchmark,
            metric=first.metric,
            unit=first.unit,
            params={**context.params, **first.params},
            samples=samples or UNSET,
            value=UNSET if first.value is None else first.value,
            min=UNSET if first.low is None else first.low,
            max=UNSET if first.high is None else first.high,
            count=UNSET if first.count is None else first.count,
            status="fail" if first.failed else UNSET,
            log=Log(file=context.file, line=first.line),
        )


def _case(row: Row) -> tuple[object, ...]:
    # A boolean and a number that equals it are different parameters.
    params = sorted((k, type(v).__name__, str(v)) for k, v in row.params.items())
    return (row.benchmark, row.metric, tuple(params))

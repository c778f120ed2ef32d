"""Result files of the Phoronix Test Suite, in XML and JSON.

The composite XML and its JSON export hold the same: systems, and for each test
and set of options one entry for each system.

The names: the test profile without its repository and version is the benchmark
(``pts/stream-1.3.4`` is ``stream``), the description of the options the metric
(``Type: Copy``), or the test's title where there is none. The parameters
``profile`` (the full identifier) and ``arguments`` keep apart what the suite keeps
apart. The unit is the scale as written.

A system is the board, the identifier that it was given its name. What the suite
reports is the mean, the maximum or the minimum of the raw values, and the file
does not say which. Where it agrees with their mean to the last digit that is
shown, the raw values are samples; elsewhere it is a value with the range and
number of the raw ones.

Pictures, series over time and counts are no figures: noted and left out. Whether
higher or lower is better (``HIB``, ``LIB``) is the catalog's to say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .. import Scalar
from .collector import Collector, Row, Run
from .text import not_finite, number

_VERSION = re.compile(r"-[0-9]+(?:\.[0-9]+)*\Z")
_FIGURES = ("", "BAR_GRAPH")
_VERDICTS = ("PASS_FAIL", "MULTI_PASS_FAIL")
_SOUND = ("PASS", "PASSED", "TRUE", "1")


@dataclass(frozen=True, slots=True)
class System:
    """One system: its identifier, kernel and the suite's version on it."""

    name: str
    kernel: str = ""
    client: str = ""

    def run(self) -> Run:
        """Return the run of this system."""
        facts: dict[str, Scalar] = {
            "board.name": self.name,
            "sdk.kernel": self.kernel.partition(" (")[0],
            "tools.phoronix-test-suite": self.client,
        }
        return Run(facts={k: v for k, v in facts.items() if v}, board=self.name)


@dataclass(frozen=True, slots=True)
class Test:
    """One test with one set of options, with its texts as written."""

    identifier: str
    title: str
    arguments: str
    description: str
    scale: str
    shown_as: str


@dataclass(frozen=True, slots=True)
class Entry:
    """The result of one system in a test; ``raw`` are the single runs, as written."""

    value: str
    raw: tuple[str, ...]
    line: int
    error: str = ""
    low: str = ""
    high: str = ""


def kernel(software: str) -> str:
    """Return the kernel in a description such as ``OS: Debian 12, Kernel: 6.1.80 (aarch64)``."""
    match = re.search(r"(?:\A|, )Kernel: ([^,]*)", software)
    return match[1] if match else ""


def benchmark(identifier: str) -> str:
    """Return the name of a test profile without its repository and version."""
    return _VERSION.sub("", identifier.rpartition("/")[2])


def take(test: Test, entry: Entry, run: Run, collector: Collector) -> None:
    """Pass one entry to the collector."""
    name = test.description or test.title
    if not test.identifier:
        collector.note(entry.line, f"{name}: recorded beside the tests, of no test: left out")
        return
    params: dict[str, Scalar] = {"profile": test.identifier}
    if test.arguments:
        params["arguments"] = test.arguments
    row = Row(benchmark(test.identifier), name, entry.line, test.scale, params=params)
    written = entry.value.strip()
    if entry.error:
        collector.row(replace(row, failed=entry.error), run)
    elif test.shown_as in _VERDICTS:
        if written.upper() not in _SOUND:
            collector.row(replace(row, failed=f"the test reports “{written[:80]}”"), run)
    elif test.shown_as not in _FIGURES:
        collector.note(entry.line, f"{name}: {test.shown_as[:80]} is no figure: left out")
    elif not written:
        collector.note(entry.line, f"{name}: no value: the test did not complete")
    elif not_finite(written) or any(not_finite(r) for r in entry.raw):
        collector.row(replace(row, failed="the value is not finite"), run)
    else:
        filled = _figures(row, entry, written)
        if filled is None:
            collector.broken(entry.line, f"{name}: a value that is not a decimal number")
        else:
            collector.row(filled, run)


def _figures(row: Row, entry: Entry, written: str) -> Row | None:
    value = number(written)
    raw = [number(text) for text in entry.raw]
    values = tuple(r for r in raw if r is not None)
    if value is None or len(values) < len(raw):
        return None
    if not values:
        low, high = number(entry.low), number(entry.high)
        if low is None or high is None or not low <= value <= high:
            return replace(row, value=value)
        return replace(row, value=value, low=low, high=high)
    digits = len(written.partition(".")[2]) if "e" not in written.lower() else 0
    # Compared term by term, because a sum of large figures could overflow.
    mean = sum(figure / len(values) for figure in values)
    if abs(mean - value) <= 10.0**-digits:
        return replace(row, samples=values, value=value)
    return replace(row, value=value, low=min(values), high=max(values), count=len(values))


def runs(systems: Mapping[str, System], name: str) -> Run:
    """Return the run of an entry's system, which may not be described."""
    return systems.get(name, System(name)).run()

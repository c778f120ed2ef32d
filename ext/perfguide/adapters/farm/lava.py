"""Test cases that LAVA (https://lava.readthedocs.io) exports as YAML and CSV.

Both exports have the same fields, all of them text: ``name`` (the test case), ``suite``,
``result``, ``measurement`` (``None`` if nothing was measured), ``unit``, ``logged``, ``job``,
``metadata`` and others.

LAVA makes suites unique within a job by the number of their test definition, followed by ``_``. It
is removed, so the suite ``0_lmbench`` is the benchmark ``lmbench``. The test case is the metric. A
test set (``set`` in the metadata) distinguishes equal cases and becomes the parameter ``test_set``.

The suite ``lava`` is LAVA's own: it measures the farm rather than the software on the board, so it
is noted and left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .collector import Collector, Row, Run
from .text import moment

FIELDS = ("name", "suite", "result", "measurement", "unit", "job")
"""Fields that every export of test cases has."""

_SEQUENCE = re.compile(r"[0-9]+_(?=.)", re.ASCII | re.DOTALL)


def benchmark(suite: str) -> str:
    """Return the name of the test definition without the number that LAVA prepended."""
    return _SEQUENCE.sub("", suite, count=1) if _SEQUENCE.match(suite) else suite


@dataclass(frozen=True, slots=True)
class Case:
    """One exported test case: its fields as written, and where its measurement is."""

    fields: Mapping[str, str]
    line: int
    test_set: str = ""


class Cases:
    """Passes test cases to a collector, and reports once what was left out."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._own = 0

    def take(self, case: Case) -> None:
        """Read one test case."""
        collector = self._collector
        missing = [name for name in FIELDS if name not in case.fields]
        if missing:
            collector.broken(case.line, f"a test case without the field {', '.join(missing)}")
            return
        fields = case.fields
        if fields["suite"] == "lava":
            self._own += 1
            return
        run = collector.run(Run({"created": moment(fields.get("logged", ""))}))
        row = Row(
            benchmark=benchmark(fields["suite"]),
            metric=fields["name"],
            line=case.line,
            unit="" if fields["unit"] == "None" else fields["unit"],
            params={"test_set": case.test_set} if case.test_set else {},
        )
        measured = fields["measurement"]
        collector.case(
            row, run, fields["result"], None if measured.strip() in ("", "None") else measured
        )

    def finish(self) -> None:
        """Report the number of cases of LAVA's own suite."""
        if self._own:
            self._collector.note(
                None, f"{self._own} cases of LAVA's own suite “lava” measure the farm: left out"
            )

"""The tables of the pages *Speed and accuracy* and *Methods*, each written by the program that
measures it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from measuring import TOP

CHANGES = TOP / "source" / "cost-of-changes.csv"
SAMPLED_VERDICTS = TOP / "source" / "verdicts-on-samples.csv"
SINGLE_VERDICTS = TOP / "source" / "verdicts-on-single-figures.csv"
SINGLE_HEAD = ("Case", "Result", "Goal")
"""The columns of ``SINGLE_VERDICTS``, which two programs write."""
MEASURED = "Measured"


def write(table: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write rows with the date, each replacing the row with the same first cell. Other rows are
    kept, unless the table had other columns."""
    head = [*head, MEASURED]
    kept: dict[str, list[str]] = {}
    if table.exists():
        with table.open(encoding="utf-8", newline="") as file:
            had, *old = csv.reader(file)
        if had == head:
            kept = {row[0]: row for row in old}
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    kept |= {str(row[0]): [*map(str, row), today] for row in rows}
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *kept.values()])

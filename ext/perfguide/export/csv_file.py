"""One guide as a CSV file: every figure on a line, with its setup and the notes about it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..figures.pool import Pool, Record
from ..tables import grids

HEAD = (
    *("board", "benchmark", "metric", "params", "unit", "mean", "min", "max", "count"),
    *("failed", "runs", "differs", "setup", "notes"),
)
"""The columns, the same in each file. ``params`` and ``setup`` are JSON objects, ``differs`` and
``notes`` JSON lists of texts; a column is empty where nothing is known."""


def make(records: Sequence[Record], pool: Pool) -> bytes:
    """Figures with every digit, a line each."""
    return grids.to_csv(grids.listing(HEAD, (_line(record, pool) for record in records)))


def _line(record: Record, pool: Pool) -> tuple[str, ...]:
    cell = record.cell
    figures = ("" if x is None else repr(x) for x in (cell.mean, cell.low, cell.high))
    counts = (cell.count, cell.failed, cell.runs)
    return (
        *(record.board, record.benchmark, record.metric, _json(record.params), record.unit),
        *figures,
        *("" if number is None else str(number) for number in counts),
        _json(list(cell.differs)) if cell.differs else "",
        _json(setup) if (setup := pool.setup(cell.members)) else "",
        _json(notes) if (notes := pool.notes_of(cell.members)) else "",
    )


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)

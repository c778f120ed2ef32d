"""The runs behind each cell of a table, which pages show on demand."""

from __future__ import annotations

from typing import Any

from ..common import units
from ..figures.pool import Cell, Pool
from .model import View
from .page_tables import Behind, CellWords, Run
from .remarks import own_words, run_words, shown_text

MAX_SAMPLES = 40
"""The most samples of a cell that its page can show; the bundle has all of them."""


def behind(view: View, pool: Pool) -> Behind | None:
    """Return the samples, bundles and commands behind the cells of a view, or ``None`` if it has no
    figures."""
    bundles: dict[int, int] = {}
    commands: dict[str, int] = {}
    measured: dict[tuple[str, str], int] = {}
    cells: list[list[Any]] = []
    words: list[CellWords] = []
    stub = len(view.key_labels)
    # Read arrays once for the entire view: indexing a DataFrame row by row is slow.
    table = pool.frame.table
    owner, command = table["bundle"].to_numpy(), table["command"]
    codes, names = command.cat.codes.to_numpy(), list(command.cat.categories)
    for number, row in enumerate(view.rows):
        for column, cell in enumerate(row.cells, stub):
            if cell is None:
                continue
            rows = list(cell.members)
            run_bundles = dict.fromkeys(int(owner[r]) for r in rows)
            run_commands = dict.fromkeys(str(names[codes[r]]) for r in rows)
            texts = own_words(pool, rows)
            # Lists rather than objects: repeating member names in every cell would bloat the page's
            # file.
            cells.append(
                [
                    number,
                    column,
                    [bundles.setdefault(b, len(bundles)) for b in run_bundles],
                    [commands.setdefault(c, len(commands)) for c in run_commands if c.strip()],
                    *_samples(cell),
                    cell.runs,
                    cell.failed,
                ]
            )
            words.append(
                CellWords(
                    measured.setdefault(pool.measured(rows[0]), len(measured)),
                    [
                        (name, label, [v if isinstance(v, str) else bundles[v] for v in values])
                        for name, label, values in texts.facts
                    ],
                    list(texts.notes),
                )
            )
    if not cells:
        return None
    runs = []
    for loaded in (pool.frame.bundles[position] for position in bundles):
        run = loaded.bundle
        labels = [*map(shown_text, (run.id, run.board.name, run.sdk.version))]
        labels.append(str(run.created)[:10])
        runs.append(Run(loaded.digest, labels, *run_words(loaded, measured)))
    return Behind(cells, words, runs, [*map(shown_text, commands)], [*measured])


def _samples(cell: Cell) -> tuple[list[str], int]:
    # As strings, since JavaScript would print the same numbers with different digits.
    samples = [units.exact(x) for x in cell.samples[:MAX_SAMPLES]]
    return samples, max(len(cell.samples), cell.count or 0)

"""What is behind each cell of a table, in a file that a page asks for when needed."""

from __future__ import annotations

import json
from typing import Any

from ..common import units
from ..common.diagnostics import visible
from ..figures.pool import Cell, Pool
from .model import View
from .remarks import besides

MOST_SAMPLES = 40
"""How many samples of a cell its page can show; the bundle has all of them."""

FILE = ".cells.js"
"""How the file's name ends; what is before it is the same as in the table's own files."""

ASSIGNED = b"perfguideCells="
"""What stands before the JSON. A browser loads a script from a page that was opened as
a file, and from under a strict policy; JSON alone it would refuse in the first case."""


def behind(view: View, pool: Pool) -> bytes | None:
    """The samples, spread, bundles and commands behind the cells of a view.

    ``bundles`` are lists of id, board, release and date; ``commands`` are texts. An
    entry of ``cells`` is the row, the column (counted from 0, with the row keys), the
    places of its bundles and of its commands in those lists, the samples as exact text
    in the unit of the table, their number where it is known, else 0, and the numbers of
    runs and of failed runs; behind these, where there are some, the places of what is said
    besides in ``remarks``, which are pairs of a name and a text: facts of the setup, and notes.
    ``None`` where the view has no figure.
    """
    bundles: dict[int, int] = {}
    remarks: dict[tuple[str, str], int] = {}
    commands: dict[str, int] = {}
    cells: list[list[Any]] = []
    stub = len(view.key_labels)
    table = pool.frame.table
    owner, command = table["bundle"].to_numpy(), table["command"]
    codes, names = command.cat.codes.to_numpy(), list(command.cat.categories)
    for number, row in enumerate(view.rows):
        for column, cell in enumerate(row.cells, stub):
            if cell is None:
                continue
            rows = list(cell.members)
            given = dict.fromkeys(int(owner[r]) for r in rows)
            said = dict.fromkeys(str(names[codes[r]]) for r in rows)
            places = [remarks.setdefault(each, len(remarks)) for each in besides(pool, rows)]
            cells.append(
                [
                    number,
                    column,
                    [bundles.setdefault(b, len(bundles)) for b in given],
                    [commands.setdefault(c, len(commands)) for c in said if c.strip()],
                    *_samples(cell),
                    cell.runs,
                    cell.failed,
                    *([places] if places else []),
                ]
            )
    if not cells:
        return None
    loaded = [pool.frame.bundles[position].bundle for position in bundles]
    content = {
        "bundles": [
            [*map(_shown, (b.id, b.board.name, b.sdk.version)), str(b.created)[:10]] for b in loaded
        ],
        "commands": list(map(_shown, commands)),
        "cells": cells,
    }
    if remarks:
        content["remarks"] = [[*map(_shown, each)] for each in remarks]
    # ASCII alone: no character of it means anything to whatever reads scripts.
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return ASSIGNED + text.encode("ascii") + b"\n"


def _shown(text: str) -> str:
    """A text with an escape for what would not show or would move other text."""
    return visible(text, len(text))


def _samples(cell: Cell) -> tuple[list[str], int]:
    shown = [units.exact(x) for x in cell.samples[:MOST_SAMPLES]]
    return shown, max(len(cell.samples), cell.count or 0)

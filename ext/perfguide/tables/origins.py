"""Where the figures of a table come from: bundle, JSON pointer, command, log line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from ..bundles.decode import Loaded
from ..bundles.logs import LONGEST, Found
from ..figures.pool import Pool, Record
from ..figures.provenance import FACTS, facts
from .grids import Grid, listing
from .model import Row, View


def bundles(items: Sequence[Loaded]) -> Grid:
    """Bundles with all facts, a row for each fact that is stated."""
    rows = []
    for item in items:
        stated = facts(item) | {"results": str(len(item.bundle.results))}
        stated["supersedes"] = ", ".join(stated["supersedes"])
        stated["cpu_mhz"] = stated["cpu_mhz"] and f"{stated['cpu_mhz']} MHz"
        rows += [(item.bundle.id, FACTS[key], stated[key]) for key in FACTS if stated[key]]
    return listing(("Bundle", "Fact", "Value"), rows, 2)


@dataclass(frozen=True, slots=True)
class _Group:
    """Figures of one row from one bundle, by one command, from one log: one of
    each column, so that repeated runs stay apart.

    ``columns`` are positions of columns in the table; ``results`` those of
    results in the bundle and ``lines`` those of lines in the log, in the order
    of the columns.
    """

    bundle: int
    command: str
    file: str
    columns: tuple[int, ...]
    results: tuple[int, ...]
    lines: tuple[int, ...]


def table(view: View, pool: Pool, found: Mapping[int, Found]) -> Grid:
    """A row for each row of a table and each bundle behind it: which results they
    are, and where they stand in which log. ``found`` has the logs of bundles by
    their position in the frame."""
    seen: set[int] = set()
    rows: list[tuple[str, ...]] = []
    # From the last row up: a mean stands below its samples, and has all of them.
    for row in reversed(view.rows):
        own = []
        fresh = {m for cell in row.cells if cell for m in cell.members} - seen
        if not fresh:
            continue
        seen |= fresh
        for group in _groups(row, pool):
            own.append((*row.keys, *_line(view, pool, group, found.get(group.bundle))))
        rows += reversed(own)
    rows.reverse()
    head = (*view.key_labels, "Board", "Columns", "Bundle", "Results", "Log", "Line", "Command")
    stub = len(view.key_labels) + 1
    return _without_empty(listing(head, rows, stub), stub)


def _groups(row: Row, pool: Pool) -> list[_Group]:
    """The figures of a row by bundle, command, log and run, in the order of the columns."""
    made: dict[tuple[int, str, str, int], list[tuple[int, int, int]]] = {}
    for column, cell in enumerate(row.cells):
        if cell is None:
            continue
        runs: dict[tuple[int, str, str], int] = {}
        for bundle, index in pool.places(cell.members):
            result = pool.frame.bundles[bundle].bundle.results[index]
            file, line = (result.log.file, result.log.line) if result.log else ("", 0)
            key = (bundle, result.command, file)
            run = runs[key] = runs.get(key, -1) + 1
            made.setdefault((*key, run), []).append((column, index, line))
    out = []
    for (bundle, command, file, _), members in made.items():
        columns, results, lines = zip(*members, strict=True)
        out.append(_Group(bundle, command, file, columns, results, lines if file else ()))
    return out


def _line(view: View, pool: Pool, group: _Group, found: Found | None) -> tuple[str, ...]:
    item = pool.frame.bundles[group.bundle]
    log = f"{group.file}:{spans(group.lines)}" if group.file else ""
    texts = [found.text(group.file, line) for line in dict.fromkeys(group.lines)] if found else []
    text = " ⏎ ".join(filter(None, texts))
    if len(text) > LONGEST:
        text = text[:LONGEST] + "…"
    return (
        item.bundle.board.name,
        columns(view, group.columns),
        item.bundle.id,
        f"/results/{spans(group.results)}",
        log,
        text,
        group.command,
    )


def spans(numbers: Sequence[int]) -> str:
    """Numbers in their order, neighbours that count up joined: ``12–17, 19``.

    A number that repeats the one before it is left out.
    """
    out: list[tuple[int, int]] = []
    for number in numbers:
        if out and number == out[-1][1]:
            continue
        if out and number == out[-1][1] + 1:
            out[-1] = (out[-1][0], number)
        else:
            out.append((number, number))
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in out)


def columns(view: View, chosen: Sequence[int]) -> str:
    """What tells the chosen columns from the others, apart from their board.

    Level by level where all combinations are there, column by column where not.
    """
    levels = range(1, len(view.columns[0]) if view.columns else 0)
    telling = [n for n in levels if len({labels[n] for labels in view.columns}) > 1]
    names = list(dict.fromkeys(tuple(view.columns[c][n] for n in telling) for c in chosen))
    distinct = [list(dict.fromkeys(name[n] for name in names)) for n in range(len(telling))]
    size = 1
    for labels in distinct:
        size *= len(labels)
    if size == len(names):
        return "; ".join(", ".join(labels) for labels in distinct)
    return ", ".join(" / ".join(name) for name in names)


def _without_empty(grid: Grid, first: int) -> Grid:
    """The table without columns from ``first`` on in which no row says anything."""
    width = len(grid.header[0])
    kept = [c for c in range(width) if c < first or any(row[c] for row in grid.rows)]

    def pick(row: Sequence[str]) -> tuple[str, ...]:
        return tuple(row[c] for c in kept)

    return Grid(tuple(map(pick, grid.header)), tuple(map(pick, grid.rows)), grid.stub)


def as_json(pool: Pool, records: Iterable[Record]) -> bytes:
    """The same for programs, a line for each figure.

    ``sources`` holds ``[bundle, pointer, command, log file, log line]``; bundle
    and command are positions in the lists of the same file, ``null`` where the
    bundle says nothing.
    """
    records = list(records)
    numbers: dict[int, int] = {}
    items: list[Loaded] = []
    for item in pool.bundles(records):
        numbers[id(item)] = len(items)
        items.append(item)
    commands: dict[str, int] = {}
    lines = []
    for record in records:
        sources: list[list[Any]] = []
        for position, index in pool.places(record.cell.members):
            item = pool.frame.bundles[position]
            result = item.bundle.results[index]
            command = None
            if result.command:
                command = commands.setdefault(result.command, len(commands))
            log = [result.log.file, result.log.line] if result.log else [None, None]
            sources.append([numbers[id(item)], f"/results/{index}", command, *log])
        figure = {
            "board": record.board,
            "benchmark": record.benchmark,
            "metric": record.metric,
            "unit": record.unit,
            "params": record.params,
            "sources": sources,
        }
        lines.append(msgspec.json.encode(figure))
    head = {"bundles": [facts(item) for item in items], "commands": list(commands)}
    # A file's name can hold what no UTF-8 text can; JSON has an escape for it.
    begin = json.dumps(head, ensure_ascii=False)[:-1].encode("utf-8", "backslashreplace")
    return begin + b',"figures":[\n' + b",\n".join(lines) + b"\n]}\n"
